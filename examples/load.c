/* load.c -- loads an artifact at run time and runs it on zeros. cc load.c -ldl; ./a.out ./model.so */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return fprintf(stderr, "usage: load ./MODEL.so\n"), 1;
    const fe_artifact *a = entry();
    if (a->abi_version != FE_ABI_VERSION)
        return fprintf(stderr, "%s has ABI version %u, this program %u\n", argv[1], a->abi_version,
                       FE_ABI_VERSION),
               1;
    fe_model *model;
    fe_context *context;
    if (a->open(NULL, &model) || a->context_new(model, 0, &context))
        return fprintf(stderr, "%s\n", a->error(NULL)), 1;

    fe_tensor *inputs = calloc(a->input_count, sizeof *inputs),
              *outputs = calloc(a->output_count, sizeof *outputs);
    for (uint32_t k = 0; k < a->input_count; k++) {
        int64_t elements = 1;
        for (uint32_t d = 0; d < a->inputs[k].rank; d++)
            elements *= a->inputs[k].sizes[d] < 0 ? 1 : a->inputs[k].sizes[d];
        inputs[k] = (fe_tensor){calloc((size_t)elements + 1, 16), a->inputs[k].dtype,
                                a->inputs[k].rank, a->inputs[k].sizes, NULL};
    }
    if (a->run(context, inputs, a->input_count, outputs, a->output_count))
        return fprintf(stderr, "%s\n", a->error(context)), 1;
    for (uint32_t k = 0; k < a->output_count; k++)
        printf("%s: %s, first value at %p\n", a->outputs[k].name, a->outputs[k].shape_text,
               outputs[k].data);
    for (uint32_t k = 0; k < a->input_count; k++) free(inputs[k].data);
    free(inputs);
    free(outputs);
    a->context_free(context);
    a->close(model);
    return 0;
}
