/* link.c -- links an artifact like any library: ferrite compile digits.pt2 -o libdigits.so; cc
 * link.c libdigits.so */
#include "ferrite_abi.h"

#include <stdio.h>

int main(void)
{
    const fe_artifact *a = ferrite_artifact();
    fe_model *model;
    fe_context *context;
    static float pixels[64];
    fe_tensor x = {pixels, FE_F32, 4, (int64_t[]){1, 1, 8, 8}, NULL}, y = {0};
    if (a->open(NULL, &model) || a->context_new(model, 1, &context)) return 1;
    if (a->run(context, &x, 1, &y, 1)) return puts(a->error(context)), 1;
    printf("%s gives %g\n", a->name, ((float *)y.data)[0]);
    a->context_free(context);
    a->close(model);
    return 0;
}
