/* device_call.c -- device_call MODEL.so DRIVER.so: outputs in memory of a device that the caller gives, as
 * they would be or in strides of his own, or gives when he is asked; results of the last run as inputs;
 * memory that is not the device's. The artifact has an input f32[n,4], and outputs f32[n,4], f32[4] (a view
 * of the input) and f32[4] (of a buffer that it changes) on the device.
 */
#include "ferrite_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2, COLUMNS = 4, ELEMENTS = ROWS * COLUMNS, OUTPUTS = 3 };

static const fe_artifact *a;
static fe_context *context;
static const int64_t sizes[] = {ROWS, COLUMNS};

static void *there(const float *values, int64_t count)
{
    void *memory;
    if (a->device_new(context, 1, 4 * count, &memory)) puts(a->error(context));
    if (values && a->device_write(context, 1, memory, values, 4 * count)) puts(a->error(context));
    return memory;
}

static void show(const char *what, const void *address, int64_t count)
{
    float values[ELEMENTS];
    if (a->device_read(context, 1, values, address, 4 * count)) puts(a->error(context));
    printf("%s:", what);
    for (int64_t i = 0; i < count; i++) printf(" %g", values[i]);
    puts("");
}

static void *give(void *data, uint32_t output, int64_t bytes)
{
    void **blocks = data;
    blocks[output] = there(NULL, bytes / 4);
    return blocks[output];
}

static void *give_here(void *data, uint32_t output, int64_t bytes)
{
    (void)output;
    return bytes <= (int64_t)(ELEMENTS * sizeof(float)) ? data : NULL;
}

static void run(const char *what, void *x, fe_tensor *outputs)
{
    fe_tensor input = {x, FE_F32, 2, sizes, NULL};
    printf("%s: ", what);
    if (a->run(context, &input, 1, outputs, OUTPUTS))
        puts(a->error(context));
    else
        puts("ok");
}

static void given(void *x)
{
    static const int64_t turned[] = {1, ROWS};
    void *y = there(NULL, ELEMENTS);
    fe_tensor outputs[OUTPUTS] = {{y, FE_F32, 2, sizes, NULL}};
    run("given", x, outputs);
    show("y", y, ELEMENTS);
    fe_tensor columns[OUTPUTS] = {{y, FE_F32, 2, sizes, turned}};
    run("by columns", x, columns);
    show("y", y, ELEMENTS);
    a->device_free(context, 1, y);
}

static void asked(void *x)
{
    void *blocks[OUTPUTS] = {0};
    float here[ELEMENTS];
    fe_tensor input = {x, FE_F32, 2, sizes, NULL}, outputs[OUTPUTS] = {{0}};
    fe_call call = {.struct_bytes = sizeof call,
                    .inputs = &input,
                    .input_count = 1,
                    .outputs = outputs,
                    .output_count = OUTPUTS,
                    .alloc = give,
                    .data = blocks};
    if (a->call(context, &call)) puts(a->error(context));
    for (int k = 0; k < OUTPUTS; k++) {
        printf("asked, %s, ", outputs[k].data == blocks[k] ? "own" : "elsewhere");
        show("output", outputs[k].data, k ? COLUMNS : ELEMENTS);
        a->device_free(context, 1, blocks[k]);
        outputs[k] = (fe_tensor){0};
    }
    call.alloc = give_here;
    call.data = here;
    puts(a->call(context, &call) ? a->error(context) : "memory of the host was taken");
}

/* What the last run gave is the next one's input. */
static void chained(void *x)
{
    fe_tensor outputs[OUTPUTS] = {{0}};
    run("first", x, outputs);
    for (int i = 0; i < 2; i++) {
        void *next = outputs[0].data;
        outputs[0] = outputs[1] = outputs[2] = (fe_tensor){0};
        run("next", next, outputs);
        show("y", outputs[0].data, ELEMENTS);
        show("sum", outputs[2].data, COLUMNS);
    }
}

static void refused(void *x)
{
    float here[ELEMENTS] = {0};
    fe_tensor outputs[OUTPUTS] = {{here, FE_F32, 2, sizes, NULL}};
    run("output here", x, outputs);
    outputs[0] = (fe_tensor){0};
    run("input here", here, outputs);
    run("input behind the end", (char *)x + 4 * ELEMENTS + 4096, outputs);
    if (a->device_read(context, 2, here, x, 4)) puts(a->error(context));
    if (a->device_write(context, 1, here, here, 4)) puts(a->error(context));
    if (a->read_state(context, 0, here, 4)) puts(a->error(context));
    if (a->read_state(context, 7, here, 4)) puts(a->error(context));
}

int main(int count, char **arguments)
{
    const fe_artifact *(*entry)(void) = NULL;
    const fe_device_driver *(*driver)(void) = NULL;
    float values[ELEMENTS];
    fe_model *model;
    if (count < 2) return 2;
    *(void **)&entry = dlsym(dlopen(arguments[1], RTLD_NOW), "ferrite_artifact");
    if (count > 2) *(void **)&driver = dlsym(dlopen(arguments[2], RTLD_NOW), "ferrite_device");
    a = entry();
    if (a->open(NULL, &model)) return puts(a->error(NULL)), 1;
    if (driver) a->set_driver(model, driver());
    if (a->context_new(model, 1, &context)) return puts(a->error(NULL)), 1;
    for (int i = 0; i < ELEMENTS; i++) values[i] = (float)i;
    void *x = there(values, ELEMENTS);
    given(x);
    asked(x);
    chained(x);
    refused(x);
    a->device_free(context, 1, x);
    a->context_free(context);
    a->close(model);
    return 0;
}
