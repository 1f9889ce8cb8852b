/* flat.c -- flat MODEL.so: calls a program of one f32[64,16] input again and again, and prints how much
 * memory the context holds, and whether that, the process or the number of allocations grows from call
 * to call.
 */
#define _GNU_SOURCE
#include "counting.h"
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>

static float input[64 * 16];

static long resident_pages(void)
{
    long whole, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &whole, &resident) != 2) resident = -1;
    if (file) fclose(file);
    return resident;
}

int main(int argc, char **argv)
{
    void *handle = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    union {
        void *object;
        const fe_artifact *(*function)(void);
    } entry = {.object = handle ? dlsym(handle, "ferrite_artifact") : NULL};
    fe_model *model;
    fe_context *context;
    int64_t sizes[] = {64, 16}, held = 0;
    long allocated = 0, pages = 0;
    if (!entry.object) return 2;
    const fe_artifact *a = entry.function();
    if (a->open(NULL, &model) || a->context_new(model, 1, &context)) return 2;
    for (int turn = 0; turn < 5000; turn++) {
        fe_tensor x = {input, FE_F32, 2, sizes, NULL}, outputs[8] = {{0}};
        if (a->run(context, &x, 1, outputs, a->output_count)) {
            puts(a->error(context));
            return 1;
        }
        if (turn != 100) continue; /* the first calls make room */
        held = a->memory_bytes(context);
        pages = resident_pages();
        allocated = atomic_load(&allocations);
    }
    /* the kernel counts pages in batches; a leak in each call would be several hundred */
    long grown = resident_pages() - pages, more = atomic_load(&allocations) - allocated;
    printf("holds %lld bytes, %s; pages %s; allocations %s\n", (long long)held,
           a->memory_bytes(context) == held ? "always" : "grows", grown < 128 ? "flat" : "grow",
           more <= 4 ? "none" : "many"); /* fopen() of statm makes some */
    a->context_free(context);
    a->close(model);
    return 0;
}
