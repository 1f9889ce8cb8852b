/* returned.c -- returned MODEL.so: which inputs the artifact's outputs lie in, and what a run does with
 * memory given for them. Its inputs and outputs are vectors of 16 floats.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 16, MOST = 4 };
static float inputs_at[MOST][COUNT], own[MOST][2 * COUNT];
static const int64_t sizes[] = {COUNT}, wide[] = {2};

static void fill(const fe_artifact *a, fe_tensor *inputs)
{
    for (uint32_t k = 0; k < a->input_count; k++) {
        for (int i = 0; i < COUNT; i++) inputs_at[k][i] = (float)((i * (int)(k + 3)) % 7) - 2;
        inputs[k] = (fe_tensor){inputs_at[k], FE_F32, 1, sizes, NULL};
    }
}

static double sum_of(const fe_tensor *t)
{
    int64_t stride = t->strides ? t->strides[0] : 1;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) sum += (1 + i) * (double)((float *)t->data)[i * stride];
    return sum;
}

static const char *place_of(const fe_artifact *a, const void *data)
{
    for (uint32_t k = 0; k < a->input_count; k++)
        if (data == inputs_at[k]) return a->inputs[k].name;
    for (uint32_t k = 0; k < a->output_count; k++)
        if (data == own[k]) return "own";
    return "context";
}

static void show(const char *what, const fe_artifact *a, fe_context *c, const fe_tensor *given)
{
    fe_tensor inputs[MOST], outputs[MOST];
    fill(a, inputs);
    memcpy(outputs, given, sizeof outputs);
    int status = a->run(c, inputs, a->input_count, outputs, a->output_count);
    printf("%s:", what);
    if (status) printf(" failed %d: %s", status, a->error(c));
    for (uint32_t k = 0; k < a->output_count && !status; k++)
        printf(" %.1f in %s", sum_of(&outputs[k]), place_of(a, outputs[k].data));
    puts("");
}

int main(int count, char **arguments)
{
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    fe_model *model;
    fe_context *context;
    if (!library) return 1;
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    const fe_artifact *a = entry();
    if (a->open(NULL, &model) || a->context_new(model, 1, &context)) return 1;
    for (uint32_t k = 0; k < a->output_count; k++) {
        int32_t in = a->output_inputs ? a->output_inputs[k] : -1;
        printf("%s%s", k ? ", " : "outputs in: ", in < 0 ? "none" : a->inputs[in].name);
    }
    puts("");
    fe_tensor given[MOST] = {0};
    show("nothing given", a, context, given);
    for (uint32_t k = 0; k < a->output_count; k++)
        given[k] = (fe_tensor){own[k], FE_F32, 1, sizes, NULL};
    show("memory of their own", a, context, given);
    for (uint32_t k = 0; k < a->output_count; k++) given[k].strides = wide;
    show("with gaps", a, context, given);
    memset(given, 0, sizeof given);
    for (uint32_t i = 0; i < a->input_count; i++)
        for (uint32_t k = 0; k < a->output_count; k++) {
            char what[64];
            snprintf(what, sizeof what, "output %u in %s", k, a->inputs[i].name);
            memset(given, 0, sizeof given);
            given[k] = (fe_tensor){inputs_at[i], FE_F32, 1, sizes, NULL};
            show(what, a, context, given);
        }
    printf("the context holds %lld bytes\n", (long long)a->memory_bytes(context));
    a->context_free(context);
    a->close(model);
    return 0;
}
