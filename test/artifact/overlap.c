/* overlap.c -- overlap MODEL.so: what a run does when inputs share memory. It has three vectors of 4 floats
 * as inputs, the first two with a stride of 2; the first gets a new value.
 */
#include "ferrite_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void show(const char *what, const fe_artifact *a, fe_context *c, const int at[3])
{
    float memory[24];
    int64_t sizes[] = {4}, twos[] = {2};
    fe_tensor in[3], out[2];
    memset(out, 0, sizeof out);
    for (int i = 0; i < 24; i++) memory[i] = (float)i;
    for (int k = 0; k < 3; k++)
        in[k] = (fe_tensor){memory + at[k], FE_F32, 1, sizes, k < 2 ? twos : NULL};
    if (a->run(c, in, 3, out, 2)) {
        printf("%s: %s; x[0] is %g\n", what, a->error(c), (double)memory[at[0]]);
        return;
    }
    printf("%s:", what);
    for (int i = 0; i < 4; i++) printf(" %g", (double)((float *)out[0].data)[i]);
    printf(", x[0] is %g\n", (double)memory[at[0]]);
}

int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    const fe_artifact *(*entry)(void);
    *(void **)&entry = dlsym(library, "ferrite_artifact");
    const fe_artifact *a = entry();
    fe_model *model;
    fe_context *context;
    if (a->open(NULL, &model) || a->context_new(model, 1, &context)) return 1;
    show("apart", a, context, (int[]){0, 8, 16});
    show("in turns", a, context, (int[]){0, 1, 16});
    show("one tensor twice", a, context, (int[]){0, 0, 16});
    show("a part of the other", a, context, (int[]){8, 12, 16});
    show("the other dense", a, context, (int[]){8, 0, 11});
    show("others share", a, context, (int[]){0, 16, 16});
    a->context_free(context);
    a->close(model);
    return 0;
}
