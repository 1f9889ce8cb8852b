/* scratch.c -- scratch MODEL.so ...: what operators work in is part of the context: no call allocates, not
 * even the first, and what the artifact says that it holds stays the same.
 */
#define _GNU_SOURCE
#include "counting.h"
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* Elements from the first to the last. */
static int64_t count_of(const fe_port *port)
{
    int64_t count = 1;
    for (uint32_t d = 0; d < port->rank; d++)
        if (port->sizes[d] > 0) count += (port->sizes[d] - 1) * port->strides[d];
    return count;
}

/* Numbers with a large diagonal, so that systems can be solved; integers are 0. */
static void *fill(const fe_port *port)
{
    int64_t count = count_of(port), last = port->rank ? port->sizes[port->rank - 1] : 1;
    char *data = calloc((size_t)count + 1, 16);
    for (int64_t i = 0; i < count; i++) {
        double number = (double)(i % 7) / 7 + (last && i % (last + 1) == 0 ? (double)last : 0);
        if (port->dtype == FE_F32) ((float *)data)[i] = (float)number;
        if (port->dtype == FE_F64) ((double *)data)[i] = number;
    }
    return data;
}

static void measure(const fe_artifact *a)
{
    fe_model *model;
    fe_context *context;
    fe_tensor inputs[MOST] = {{0}}, outputs[MOST];
    long allocated = 0;
    int64_t held = 0;
    int status = 0;
    if (a->open(NULL, &model) || a->context_new(model, 2, &context)) {
        puts("no context");
        return;
    }
    held = a->memory_bytes(context);
    for (uint32_t k = 0; k < a->input_count; k++)
        inputs[k] = (fe_tensor){fill(&a->inputs[k]), a->inputs[k].dtype, a->inputs[k].rank,
                                a->inputs[k].sizes, a->inputs[k].strides};
    for (int i = 0; i < 8 && !status; i++) {
        long before = atomic_load(&allocations);
        memset(outputs, 0, sizeof outputs);
        status = a->run(context, inputs, a->input_count, outputs, a->output_count);
        allocated += atomic_load(&allocations) - before;
    }
    printf("%s: %ld allocations, %lld more bytes held%s\n", a->name, allocated,
           (long long)(a->memory_bytes(context) - held), status ? ", failed" : "");
    for (uint32_t k = 0; k < a->input_count; k++) free(inputs[k].data);
    a->context_free(context);
    a->close(model);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        const fe_artifact *(*entry)(void);
        *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
        if (!entry) return printf("cannot load %s\n", argv[i]), 1;
        measure(entry());
    }
    return 0;
}
