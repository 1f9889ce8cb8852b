/* second_call.c -- second_call MODEL.so: no allocation in any call after the first, and two threads
 * run one model at once.
 */
#define _GNU_SOURCE
#include "counting.h"
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const fe_artifact *artifact;
static fe_model *model;
static float input[64], expected[10];
static atomic_int wrong;

static int call(fe_context *context, float *out)
{
    int64_t sizes[] = {1, 1, 8, 8};
    fe_tensor x = {input, FE_F32, 4, sizes, NULL}, y = {0};
    if (artifact->run(context, &x, 1, &y, 1)) return 1;
    memcpy(out, y.data, sizeof expected);
    return 0;
}

static void *caller(void *unused)
{
    fe_context *context;
    float got[10];
    (void)unused;
    if (artifact->context_new(model, 0, &context)) return NULL;
    for (int i = 0; i < 2000; i++)
        if (call(context, got) || memcmp(got, expected, sizeof got) != 0)
            atomic_fetch_add(&wrong, 1);
    artifact->context_free(context);
    return NULL;
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    *(void **)&entry = library ? dlsym(library, "ferrite_artifact") : NULL;
    fe_context *context;
    if (!entry) return printf("cannot load\n"), 1;
    artifact = entry();
    for (int i = 0; i < 64; i++) input[i] = (float)(i % 7) / 7;
    if (artifact->open(NULL, &model) || artifact->context_new(model, 0, &context) ||
        call(context, expected))
        return printf("cannot run\n"), 1;
    long before = atomic_load(&allocations);
    float got[10];
    for (int i = 0; i < 100; i++) call(context, got);
    printf("allocations in 100 further calls: %ld\n", atomic_load(&allocations) - before);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, caller, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("wrong results of 4000 on two threads: %d\n", atomic_load(&wrong));
    artifact->context_free(context);
    artifact->close(model);
    return 0;
}
