/* bad_index.c -- bad_index MODEL.so THREADS: a table, then vectors of indices; in each of these in turn
 * one number that is no row, and after each failure a call with good ones.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 4, COUNT = 4099, MOST = 32 };

static const fe_artifact *artifact;
static float table[ROWS * COLUMNS], source[COUNT * COLUMNS];
static int64_t *ids[MOST];

static int call(fe_context *context, uint64_t *sum)
{
    int64_t shape[] = {ROWS, COLUMNS}, rows[] = {COUNT, COLUMNS}, count[] = {COUNT};
    fe_tensor in[MOST] = {{table, FE_F32, 2, shape, NULL}, {source, FE_F32, 2, rows, NULL}};
    fe_tensor out[MOST] = {{0}};
    for (uint32_t k = 2; k < artifact->input_count; k++)
        in[k] = (fe_tensor){ids[k], FE_I64, 1, count, NULL};
    int failed = artifact->run(context, in, artifact->input_count, out, artifact->output_count);
    *sum = 0;
    for (uint32_t k = 0; k < artifact->output_count && !failed; k++) {
        int64_t bytes = out[k].dtype == FE_I64 ? 8 : 4;
        for (uint32_t d = 0; d < out[k].rank; d++) bytes *= out[k].sizes[d];
        for (int64_t b = 0; b < bytes; b++) *sum = *sum * 31 + ((uint8_t *)out[k].data)[b];
    }
    return failed;
}

static void try(fe_context *context, uint32_t input, int64_t at, int64_t bad, uint64_t wanted)
{
    uint64_t sum;
    int64_t good = ids[input][at];
    ids[input][at] = bad;
    int failed = call(context, &sum);
    if (at == COUNT / 2 || !failed)
        printf("%lld: %s\n", (long long)bad, failed ? artifact->error(context) : "taken");
    ids[input][at] = good;
    if (call(context, &sum) || sum != wanted) printf("the next call differs\n");
}

int main(int argc, char **argv)
{
    void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    fe_context *context;
    fe_model *model;
    uint64_t wanted;
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    if (!entry) return printf("cannot load\n"), 1;
    artifact = entry();
    for (int i = 0; i < ROWS * COLUMNS; i++) table[i] = (float)(i % 7) - 3;
    for (int i = 0; i < COUNT * COLUMNS; i++) source[i] = (float)(i % 5) - 2;
    for (uint32_t k = 2; k < artifact->input_count; k++) {
        ids[k] = malloc(COUNT * sizeof(int64_t)); /* of its own: a sanitizer sees its ends */
        for (int i = 0; i < COUNT; i++) ids[k][i] = (i * 3 + k) % (COLUMNS - 1);
    }
    if (artifact->open(NULL, &model) ||
        artifact->context_new(model, (uint32_t)atoi(argv[2]), &context) || call(context, &wanted))
        return printf("cannot run\n"), 1;
    for (uint32_t k = 2; k < artifact->input_count; k++) {
        static const int64_t PLACES[] = {0, COUNT / 2, COUNT - 1};
        for (int i = 0; i < 3; i++) {
            try(context, k, PLACES[i], ROWS * COLUMNS, wanted);
            try(context, k, PLACES[i], INT64_MIN, wanted);
        }
        try(context, k, COUNT / 2, -1, wanted);
    }
    for (uint32_t k = 2; k < artifact->input_count; k++) free(ids[k]);
    artifact->context_free(context);
    artifact->close(model);
    return 0;
}
