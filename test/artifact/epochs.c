/* epochs.c -- epochs MODEL.so: runs that end at each of a program's assertions, and ones that do not end
 * there, in turns: what the context holds stops growing, and runs give what they gave. The program takes
 * rows of three floats, and a number.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 40, COLUMNS = 3, ROUNDS = 30 };

typedef struct trial {
    int64_t rows, positive, number;
} trial;

static const trial trials[] = {{40, 40, 90}, {8, 3, 5},     {8, 3, -2},
                               {40, 0, 3},   {40, 40, 200}, {0, 0, 0}};
enum { TRIALS = sizeof trials / sizeof *trials };

static int run(const fe_artifact *a, fe_context *c, const trial *t, double *sum)
{
    float x[ROWS * COLUMNS];
    int64_t sizes[] = {t->rows, COLUMNS}, number = t->number;
    fe_tensor inputs[] = {{x, FE_F32, 2, sizes, NULL}, {&number, FE_I64, 0, NULL, NULL}}, out = {0};
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        x[i] = i % COLUMNS == 0 && i / COLUMNS < t->positive ? (float)(1 + i) : -1;
    int status = a->run(c, inputs, 2, &out, 1);
    *sum = 0;
    for (int64_t i = 0; !status && i < out.sizes[0]; i++) *sum += ((float *)out.data)[i];
    return status;
}

int main(int count, char **arguments)
{
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    fe_model *model;
    fe_context *context;
    double first[TRIALS], sum;
    int64_t held = 0;
    if (!library) return 1;
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    const fe_artifact *a = entry();
    if (a->open(NULL, &model) || a->context_new(model, 2, &context)) return 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TRIALS; i++) {
            int status = run(a, context, &trials[i], &sum);
            if (round == 0 && status) printf("failed %d: %s\n", status, a->error(context));
            if (round == 0 && !status) printf("sum %.1f\n", sum);
            if (round == 0) first[i] = sum;
            if (sum != first[i]) printf("round %d: %.1f, at first %.1f\n", round, sum, first[i]);
        }
        if (round == 1) held = a->memory_bytes(context);
        if (round > 1 && a->memory_bytes(context) != held) printf("round %d holds more\n", round);
    }
    a->context_free(context);
    a->close(model);
    dlclose(library);
    return 0;
}
