/* need_matrix.c -- what operators of linear algebra work in. */
#include "loop/need_priv.h"

void need_triangular_solve(needing *n)
{
    const loop_view *a = &n->op->inputs[0];
    if (!need_has(n, 1, 2, 0)) return;
    sym_expr size = need_times(n, a->sizes[a->rank - 2], a->sizes[a->rank - 1]);
    need_give_each(n, need_bytes(n, size, ty_dtype_size(a->dtype)));
}

/* In double: five matrices. */
void need_matrix_exp(needing *n)
{
    const loop_view *a = &n->op->inputs[0];
    if (!need_has(n, 1, 2, 0)) return;
    sym_expr size = need_times(n, a->sizes[a->rank - 2], a->sizes[a->rank - 1]);
    sym_expr matrix = need_lines(n, need_bytes(n, size, ty_is_complex(a->dtype) ? 16 : 8));
    need_give_each(n, need_bytes(n, matrix, 5));
}

/* What a library decides. */
void need_unknown(needing *n)
{
    n->out.is_open = true;
}
