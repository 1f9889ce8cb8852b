/* parts.c -- lists the parts of an artifact that was compiled in parts, and runs one of them itself:
 * ferrite compile model.pt2 --split op=relu -o model.so; cc parts.c -ldl; ./a.out ./model.so 1
 *
 * The part that it runs must be a relu of floats.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t elements_of(const fe_tensor *t)
{
    int64_t elements = 1;
    for (uint32_t d = 0; d < t->rank; d++) elements *= t->sizes[d];
    return elements;
}

static int relu(void *data, const fe_tensor *inputs, fe_tensor *outputs, const int64_t *symbols)
{
    const float *x = inputs[0].data;
    float *y = outputs[0].data;
    int64_t elements = elements_of(&inputs[0]);
    (void)symbols;
    if (elements_of(&outputs[0]) != elements) return FE_RUN_BAD_INPUT;
    for (int64_t i = 0; i < elements; i++) y[i] = x[i] > 0 ? x[i] : 0;
    printf("%s: %lld elements\n", (const char *)data, (long long)elements);
    return 0;
}

static void show(const char *what, const fe_port *ports, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        printf("%s %s %s", k ? "," : what, ports[k].name, ports[k].shape_text);
}

static void list(const fe_artifact *a)
{
    for (uint32_t k = 0; k < a->part_count; k++) {
        printf("%u %s:", k, a->parts[k].name);
        show(" reads", a->parts[k].inputs, a->parts[k].input_count);
        show("; makes", a->parts[k].outputs, a->parts[k].output_count);
        puts(a->parts[k].can_be_replaced ? "" : "; sizes known only then");
    }
}

/* One image; by: who runs the part, or NULL for the artifact itself. */
static int run(const fe_artifact *a, fe_context *context, uint32_t part, fe_part_run *by)
{
    static float pixels[64];
    fe_tensor x = {pixels, FE_F32, 4, (int64_t[]){1, 1, 8, 8}, NULL}, y = {0};
    for (int i = 0; i < 64; i++) pixels[i] = (float)(i % 16);
    int code = a->replace_part(context, part, by, "relu of the host");
    if (code == 0) code = a->run(context, &x, 1, &y, 1);
    if (code == 0)
        printf("first value %.2f\n", ((float *)y.data)[0]);
    else
        fprintf(stderr, "%s\n", a->error(context));
    return code;
}

int main(int argc, char **argv)
{
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return fprintf(stderr, "usage: parts ./MODEL.so PART\n"), 1;
    const fe_artifact *a = entry();
    uint32_t part = (uint32_t)atoi(argv[2]);
    fe_model *model;
    fe_context *context;
    list(a);
    if (a->open(NULL, &model) || a->context_new(model, 1, &context))
        return fprintf(stderr, "%s\n", a->error(NULL)), 1;
    int code = run(a, context, part, relu);
    if (code == 0) code = run(a, context, part, NULL);
    a->context_free(context);
    a->close(model);
    return code != 0;
}
