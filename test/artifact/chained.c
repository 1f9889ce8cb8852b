/* chained.c -- chained MODEL.so: what a run returns in memory of the context goes into the next run, as
 * it lies and as a copy. Inputs and outputs are vectors of 16 floats.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 16, MOST = 4 };

int main(int count, char **arguments)
{
    static const int64_t sizes[] = {COUNT};
    static float first[COUNT], copy[COUNT], want[COUNT];
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    const fe_artifact *(*entry)(void);
    fe_model *model;
    fe_context *contexts[2];
    int differ = 0;
    if (!library) return 1;
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    const fe_artifact *a = entry();
    if (a->open(NULL, &model) || a->context_new(model, 1, &contexts[0]) ||
        a->context_new(model, 1, &contexts[1]))
        return 1;
    for (uint32_t k = 0; k < a->output_count; k++) {
        fe_tensor inputs[MOST], next[MOST] = {0}, again[MOST] = {0};
        for (int i = 0; i < COUNT; i++) first[i] = (float)(i * i % 13);
        for (uint32_t i = 0; i < a->input_count; i++)
            inputs[i] = (fe_tensor){first, FE_F32, 1, sizes, NULL};
        if (a->run(contexts[0], inputs, a->input_count, next, a->output_count)) return 1;
        memcpy(copy, next[k].data, sizeof copy);
        inputs[0].data = copy;
        if (a->run(contexts[1], inputs, a->input_count, again, a->output_count)) return 1;
        memcpy(want, again[k].data, sizeof want);
        inputs[0].data = next[k].data;
        if (a->run(contexts[0], inputs, a->input_count, next, a->output_count)) return 1;
        differ += memcmp(want, next[k].data, sizeof want) != 0;
    }
    printf("%d of %u differ\n", differ, a->output_count);
    a->context_free(contexts[0]);
    a->context_free(contexts[1]);
    a->close(model);
    return 0;
}
