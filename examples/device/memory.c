/* memory.c -- calls an artifact whose inputs and outputs are in memory of a device:
 *
 *     cc memory.c -ldl; ./a.out ./model.so [./driver.so]
 *
 * The artifact's one input is a matrix of floats with four columns. It is called with two rows and with
 * three, on memory that the caller has on the device; what comes back is read to be shown. driver.so has the
 * driver of a device of one's own (delayed.c).
 */
#include "ferrite_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4, COLUMNS = 4, ROOM = 64 };

static void *symbol(const char *path, const char *name)
{
    void *library = dlopen(path, RTLD_NOW);
    if (!library) puts(dlerror());
    return library ? dlsym(library, name) : NULL;
}

/* Results are the context's until its next run, on their devices; they are contiguous vectors or matrices. */
static void show(const fe_artifact *a, fe_context *context, uint32_t k, const fe_tensor *y)
{
    uint32_t device = a->output_devices ? a->output_devices[k] : 0;
    float values[ROOM], *at = y->data;
    int64_t elements = 1;
    for (uint32_t d = 0; d < y->rank; d++) elements *= y->sizes[d];
    if (device && a->device_read(context, device, at = values, y->data, 4 * elements))
        puts(a->error(context));
    printf("output %u on %s:", k, device ? a->devices[device - 1] : "the host");
    for (int64_t i = 0; i < elements; i++) printf(" %g", at[i]);
    puts("");
}

/* All it takes. */
static int call(const fe_artifact *a, fe_context *context, int64_t rows)
{
    float values[ROOM];
    int64_t sizes[] = {rows, COLUMNS}, bytes = 4 * rows * COLUMNS;
    fe_tensor x = {NULL, FE_F32, 2, sizes, NULL}, outputs[MOST] = {{0}};
    for (int64_t i = 0; i < rows * COLUMNS; i++) values[i] = (float)i;
    int code = a->device_new(context, a->input_devices[0], bytes, &x.data);
    if (!code) code = a->device_write(context, a->input_devices[0], x.data, values, bytes);
    if (!code) code = a->run(context, &x, 1, outputs, a->output_count);
    for (uint32_t k = 0; !code && k < a->output_count; k++) show(a, context, k, &outputs[k]);
    if (code) puts(a->error(context));
    a->device_free(context, a->input_devices[0], x.data);
    return code;
}

/* Memory of the host is refused. */
static void call_with_host_memory(const fe_artifact *a, fe_context *context)
{
    float values[COLUMNS] = {0};
    int64_t sizes[] = {1, COLUMNS};
    fe_tensor x = {values, FE_F32, 2, sizes, NULL}, outputs[MOST] = {{0}};
    if (a->run(context, &x, 1, outputs, a->output_count)) puts(a->error(context));
}

/* What the program keeps from call to call can be looked at, and set. */
static void reset_state(const fe_artifact *a, fe_context *context)
{
    float values[COLUMNS];
    if (a->read_state(context, 0, values, sizeof values)) puts(a->error(context));
    printf("state %s: %g %g %g %g\n", a->states[0].name, values[0], values[1], values[2],
           values[3]);
    for (int i = 0; i < COLUMNS; i++) values[i] = 0;
    if (a->write_state(context, 0, values, sizeof values)) puts(a->error(context));
}

int main(int count, char **arguments)
{
    const fe_artifact *(*entry)(void) = NULL;
    const fe_device_driver *(*driver)(void) = NULL;
    if (count > 1) *(void **)&entry = symbol(arguments[1], "ferrite_artifact");
    if (count > 2) *(void **)&driver = symbol(arguments[2], "ferrite_device");
    if (!entry) return 2;
    const fe_artifact *a = entry();
    fe_model *model;
    fe_context *context;
    if (a->open(NULL, &model)) return puts(a->error(NULL)), 1;
    if (driver) a->set_driver(model, driver());
    if (a->context_new(model, 1, &context)) return puts(a->error(NULL)), 1;
    int code = call(a, context, 2);
    if (!code) code = call(a, context, 3);
    if (!code && a->state_count) reset_state(a, context);
    if (!code) code = call(a, context, 2);
    call_with_host_memory(a, context);
    a->context_free(context);
    a->close(model);
    return code;
}
