/* donated.c -- donated MODEL.so: which inputs the artifact says that it overwrites, and what a run does
 * when they share memory. Its inputs are matrices of 8 x 8 floats.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 8, COUNT = SIDE * SIDE };
static float memory[3][COUNT];

static void fill(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < COUNT; i++) memory[k][i] = (float)((i * (k + 3)) % 11) / 11 - 0.4f;
}

static void show(const char *what, const fe_artifact *a, fe_context *c, float *x, float *y,
                 float *out)
{
    int64_t sizes[] = {SIDE, SIDE};
    fe_tensor inputs[] = {{x, FE_F32, 2, sizes, NULL}, {y, FE_F32, 2, sizes, NULL}},
              output = {out, FE_F32, 2, sizes, NULL};
    float before[3][COUNT];
    double sum = 0;
    fill();
    memcpy(before, memory, sizeof memory);
    int status = a->run(c, inputs, 2, &output, 1);
    for (int i = 0; i < COUNT && !status; i++)
        sum += (double)((float *)output.data)[i] * (1 + i % 5);
    if (status)
        printf("%s: failed %d: %s\n", what, status, a->error(c));
    else
        printf("%s: %.6g, x %s, y %s\n", what, sum,
               memcmp(before[0], memory[0], sizeof before[0]) ? "changed" : "as it was",
               memcmp(before[1], memory[1], sizeof before[1]) ? "changed" : "as it was");
}

/* What a run returns goes into the next one, as it lies and as a copy. */
static void chain(const fe_artifact *a, fe_context *c)
{
    static float y[COUNT], first[COUNT], copy[COUNT], kept[2][COUNT];
    int64_t sizes[] = {SIDE, SIDE};
    fe_tensor inputs[] = {{first, FE_F32, 2, sizes, NULL}, {y, FE_F32, 2, sizes, NULL}}, out = {0};
    int differ = 0;
    fill();
    for (int i = 0; i < COUNT; i++) first[i] = memory[0][i] / 64;
    for (int k = 0; k < 4; k++) {
        float *given = kept[k % 2]; /* the other may hold what was returned in it */
        memcpy(y, memory[1], sizeof y);
        inputs[0].data = k ? out.data : first;
        if (k) memcpy(given, out.data, sizeof kept[0]);
        fe_tensor next = {0};
        if (a->run(c, inputs, 2, &next, 1)) puts(a->error(c));
        memcpy(copy, next.data, sizeof copy);
        if (k) {
            memcpy(y, memory[1], sizeof y);
            inputs[0].data = given;
            fe_tensor again = {0};
            if (a->run(c, inputs, 2, &again, 1)) puts(a->error(c));
            differ += memcmp(copy, again.data, sizeof copy) != 0;
            next = again;
        }
        for (int i = 0; i < COUNT; i++)
            ((float *)next.data)[i] = ((float *)next.data)[i] > 0 ? 0.25f : -0.25f;
        out = next;
    }
    printf("chained: %d differ\n", differ);
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
    printf("arena %lld, donated:", (long long)a->arena_bytes);
    for (uint32_t i = 0; i < a->donated_count; i++) printf(" %s", a->inputs[a->donated[i]].name);
    puts("");
    show("apart", a, context, memory[0], memory[1], memory[2]);
    show("again", a, context, memory[0], memory[1], NULL);
    show("the output in x", a, context, memory[0], memory[1], memory[0]);
    show("the output in y", a, context, memory[0], memory[1], memory[1]);
    show("x and y in one", a, context, memory[0], memory[0], NULL);
    chain(a, context);
    a->context_free(context);
    a->close(model);
    return 0;
}
