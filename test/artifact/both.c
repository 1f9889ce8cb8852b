/* both.c -- models of one process: loaded so that each sees what the others export, or (BOTH_LINKED) linked
 * into this program. Each runs its own code over its own weights. */
#include "ferrite_abi.h"

#include <stdio.h>

enum { MOST = 1000 };

static int show(const fe_artifact *a)
{
    static float numbers[MOST];
    int64_t sizes[8];
    fe_tensor x = {numbers, FE_F32, a->inputs[0].rank, sizes, NULL}, y = {0};
    fe_model *model;
    fe_context *context;
    for (int i = 0; i < MOST; i++) numbers[i] = (float)(i % 7) / 8;
    for (uint32_t d = 0; d < x.rank; d++)
        sizes[d] = a->inputs[0].sizes[d] < 0 ? 3 : a->inputs[0].sizes[d];
    if (a->open(NULL, &model)) return puts(a->error(NULL)), 1;
    if (a->context_new(model, 1, &context)) return puts("no context"), 1;
    if (a->run(context, &x, 1, &y, 1)) return puts(a->error(context)), 1;
    printf("%s: %.9g\n", a->name, (double)((float *)y.data)[0]);
    a->context_free(context);
    a->close(model);
    return 0;
}

#ifdef BOTH_LINKED
#include "one.h"
#include "two.h"

int main(void)
{
    return show(ferrite_artifact_one()) || show(ferrite_artifact_two());
}
#else
#include <dlfcn.h>

int main(int count, char **paths)
{
    for (int k = 1; k < count; k++) {
        const fe_artifact *(*entry)(void) = NULL;
        void *library = dlopen(paths[k], RTLD_NOW | RTLD_GLOBAL);
        if (library) *(void **)&entry = dlsym(library, "ferrite_artifact");
        if (!entry || show(entry())) return puts("cannot run it"), 1;
    }
    return 0;
}
#endif
