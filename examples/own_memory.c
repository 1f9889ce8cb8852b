/* own_memory.c -- calls an artifact with memory of the host's own for what it gives, and says where in its
 * storage the input lies: cc own_memory.c -ldl; ./a.out ./model.so START ELEMENTS
 *
 * The artifact's one input is a vector of 6 floats, here elements 4 to 9 of 12; START and ELEMENTS are what
 * is said of that. Results are lists of floats.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4 };

/* What was given for each output. */
typedef struct owner {
    void *blocks[MOST];
    int64_t bytes[MOST];
} owner;

static void *give(void *data, uint32_t output, int64_t bytes)
{
    owner *o = data;
    if (output >= MOST) return NULL;
    o->bytes[output] = bytes;
    return o->blocks[output] = aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64);
}

static void show(const fe_tensor *y, uint32_t k, const owner *o)
{
    int64_t elements = 1;
    for (uint32_t d = 0; d < y->rank; d++) elements *= y->sizes[d];
    printf("output %u, %s:", k, y->data == o->blocks[k] ? "own" : "elsewhere");
    for (int64_t i = 0; i < elements; i++)
        printf(" %g", ((float *)y->data)[y->rank ? i * y->strides[y->rank - 1] : 0]);
    puts("");
}

int main(int count, char **arguments)
{
    void *library = count > 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    fe_model *model;
    fe_context *context;
    if (!library) return 1;
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    const fe_artifact *a = entry();
    if (a->open(NULL, &model) || a->context_new(model, 1, &context)) return 1;

    float memory[12];
    for (int i = 0; i < 12; i++) memory[i] = (float)(i - 2);
    const int64_t sizes[] = {6};
    fe_tensor x = {memory + 4, FE_F32, 1, sizes, NULL}, y[MOST] = {{0}};
    fe_storage storage = {atoll(arguments[2]), atoll(arguments[3])};
    owner o = {0};
    fe_call call = {.struct_bytes = sizeof call,
                    .input_count = 1,
                    .output_count = a->output_count,
                    .inputs = &x,
                    .outputs = y,
                    .storages = &storage,
                    .alloc = give,
                    .data = &o};
    int failed = a->call(context, &call);
    if (failed) puts(a->error(context));
    for (uint32_t k = 0; !failed && k < a->output_count; k++) show(&y[k], k, &o);
    a->context_free(context); /* results stay; their sizes and strides were the context's */
    for (int k = 0; k < MOST; k++) free(o.blocks[k]);
    printf("input:");
    for (int i = 0; i < 12; i++) printf(" %g", memory[i]);
    puts("");
    a->close(model);
    return 0;
}
