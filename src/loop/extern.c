/* extern.c -- the rows of extern.def as answers. */
#include "loop/signature.h"

#include <string.h>

typedef struct extern_row {
    const char *name, *signature;
    loop_fit *fit;
    bool needs_lapack;
} extern_row;

static const extern_row *find_extern(const char *kernel)
{
    static const extern_row ROWS[] = {
#define EXTERN(name, need, fit, signature, help) {name, signature, fit_##fit, false},
#define EXTERN_LAPACK(name, need, fit, signature, help) {name, signature, fit_##fit, true},
#include "loop/extern.def"
#undef EXTERN
#undef EXTERN_LAPACK
    };
    for (size_t k = 0; kernel && k < COUNT_OF(ROWS); k++)
        if (strcmp(ROWS[k].name, kernel) == 0) return &ROWS[k];
    return NULL;
}

bool loop_extern_known(const char *kernel)
{
    return find_extern(kernel) != NULL;
}

bool loop_extern_needs_lapack(const char *kernel)
{
    const extern_row *row = find_extern(kernel);
    return row && row->needs_lapack;
}

const char *loop_extern_signature(const char *kernel)
{
    const extern_row *row = find_extern(kernel);
    return row ? row->signature : NULL;
}

loop_fit *loop_extern_fit(const char *kernel)
{
    return find_extern(kernel)->fit;
}

bool loop_is_addend(const loop_op *op, uint32_t input)
{
    const char *row = op->callee ? NULL : loop_extern_signature(op->kernel);
    if (!row) return false;
    signature s = sig_read(row);
    return input < s.in_count && s.in[input].may_be_left_out;
}

bool loop_needs_unit_stride(const char *kernel, uint32_t input)
{
    signature s = sig_read(loop_extern_signature(kernel));
    return input < s.in_count && s.in[input].layout == SIG_UNIT;
}
