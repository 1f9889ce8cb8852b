/* decompose_name.c -- operators that are others under another name, with other names of parameters
 * or fewer of them, or a call or two away. */
#include "pass/decompose/decompose.h"

/* The same arguments, in order. */
void decompose_op_renamed(decomposing *d)
{
    fx_arg made = decompose_call(d, d->target, d->n->arg_count, d->n->args);
    if (d->n->value.kind != FX_TUPLE) {
        decompose_give(d, made);
        return;
    }
    for (uint32_t k = 0; k < d->n->value.count; k++)
        decompose_give(d, CALL(operator_getitem, made, decompose_of(d, k)));
}

void decompose_op_half_complex(decomposing *d)
{
    const fx_arg *a = d->n->args;
    decompose_give(
        d, CALL(aten_to_dtype, a[0], fx_dtype(TY_C32), fx_bool(false), fx_bool(false), a[1]));
}

/* Random numbers, sorted: where each came from. */
void decompose_op_random_order(decomposing *d)
{
    fx_arg n = *decompose_arg(d, "n"), device = *fx_get(d->g, d->n, "device");
    fx_arg keys =
        CALL(aten_rand_default, fx_list(d->g, &n, 1), fx_dtype(TY_F64), fx_none(), device);
    fx_arg sorted = CALL(aten_sort_default, keys),
           order = CALL(operator_getitem, sorted, decompose_of(d, 1));
    ty_dtype dtype = fx_tensor(d->n)->dtype;
    decompose_give(d,
                   dtype == TY_I64 ? order : CALL(aten__to_copy_default, order, fx_dtype(dtype)));
}
