/* no_memory.c -- no_memory MODEL.so: everything from opening the model to the last of some runs, as often as
 * it allocates, and each time another allocation fails: one call says so, what it returns leaks nothing, and
 * the same context then gives what it gives otherwise. The program takes rows of three floats, and a
 * number. Linked with -rdynamic, so that the artifact's calls are those of this file.
 */
#define _GNU_SOURCE
#include "counting.h"
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROWS = 100, COLUMNS = 3, MOST = 10000 };

/* Later ones need more, so that memory grows on the way. */
static const int64_t trials[][2] = {{8, 5}, {40, 90}, {2, 0}, {100, 100}, {8, 5}};
enum { TRIALS = sizeof trials / sizeof *trials };

static const fe_artifact *artifact;

#ifndef IS_SANITIZED
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (is_to_fail()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
#endif

static int run(fe_context *c, const int64_t *trial, double *sum)
{
    static float x[ROWS * COLUMNS];
    int64_t sizes[] = {trial[0], COLUMNS}, number = trial[1];
    fe_tensor inputs[] = {{x, FE_F32, 2, sizes, NULL}, {&number, FE_I64, 0, NULL, NULL}}, out = {0};
    for (int i = 0; i < ROWS * COLUMNS; i++) x[i] = i % COLUMNS == 0 ? (float)(1 + i % 7) : -1;
    int status = artifact->run(c, inputs, 2, &out, 1);
    *sum = 0;
    for (int64_t i = 0; !status && i < out.sizes[0]; i++) *sum += ((float *)out.data)[i];
    return status;
}

/* All runs; returns how many of them found no memory, -1 where something else is wrong. Sums are kept, or
 * held against those that were. */
static int run_all(fe_context *c, double *sums, int is_first)
{
    int failed = 0;
    for (int i = 0; i < TRIALS; i++) {
        double sum;
        int status = run(c, trials[i], &sum);
        if (is_first) sums[i] = sum;
        if (status == FE_RUN_NO_MEMORY)
            failed++;
        else if (status || sum != sums[i]) {
            printf("run %d: %d, sum %.1f, not %.1f: %s\n", i, status, sum, sums[i],
                   artifact->error(c));
            return -1;
        }
    }
    return failed;
}

/* The whole with one failure on the way, then the runs again without. */
static int round_of(long failing, double *sums, int is_first)
{
    fe_model *model = NULL;
    fe_context *context = NULL;
    atomic_store(&until_failure, failing);
    int status = artifact->open(NULL, &model), failed = status != 0;
    if (!status) {
        status = artifact->context_new(model, 2, &context);
        failed = status != 0;
    }
    if (!status) failed = run_all(context, sums, is_first);
    atomic_store(&until_failure, LONG_MAX / 2);
    if (!status && failed > 0 && run_all(context, sums, 0) != 0) failed = -1;
    if (context) artifact->context_free(context);
    if (model) artifact->close(model);
    return failed;
}

int main(int count, char **arguments)
{
    const fe_artifact *(*entry)(void);
    double sums[TRIALS];
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library) return 1;
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    artifact = entry();
    if (round_of(MOST, sums, 1) || round_of(MOST, sums, 0)) return 1;
    for (int i = 0; i < TRIALS; i++) printf("sum %.1f\n", sums[i]);
    round_of(0, sums, 0); /* the message of a model that is not open stays with the thread */
    long before = blocks_held, first = allocations;
    if (round_of(MOST, sums, 0)) return 1;
    long each = allocations - first;
    for (long k = 0; k < each + 10; k++) {
        int failed = round_of(k, sums, 0);
        if (failed < 0) printf("allocation %ld of %ld\n", k, each);
        if (blocks_held != before)
            printf("allocation %ld: %ld blocks left\n", k, blocks_held - before);
        before = blocks_held;
    }
    dlclose(library);
    return 0;
}
