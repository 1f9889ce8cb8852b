/* quantised.c -- quantised numbers and functional collectives.
 *
 * Quantising and dequantising change the dtype alone; choosing a scale gives one, or one for each
 * row. Collectives over a group multiply or divide the first dimension by its size.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* Like the input, of the call's dtype: what `dtype` names, or for dequantisation the output's. */
void rule_requantise(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    ty_dtype dtype = c->param ? TY_F32 : infer_dtype(c, "dtype", x->dtype);
    dtype = infer_dtype(c, c->param ? "out_dtype" : "dtype", dtype);
    if (c->param) dtype = infer_dtype(c, "output_dtype", dtype);
    infer_give(c, infer_like(c, x, dtype, TY_PRESERVE));
}

/* Scale and zero point of the whole, or (1) of each row of the last dimension. */
void rule_choose_scale(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sizes[0] = infer_number(c, 1);
    uint32_t rank = c->param ? x->rank : 1;
    if (c->param) memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    if (c->param && rank) sizes[rank - 1] = infer_number(c, 1);
    infer_give_pair(c, infer_fresh(c, x, TY_F64, rank, sizes),
                    infer_fresh(c, x, TY_I64, rank, sizes));
}

/* The result and which elements were in range. */
void rule_with_mask(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give_pair(c, infer_like(c, x, x->dtype, TY_PRESERVE),
                    infer_like(c, x, TY_BOOL, TY_PRESERVE));
}

/* ---- collectives ---- */

/* The first dimension as often as there are ranks (1), or that part of it (-1). */
void rule_gathered(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x || x->rank == 0) return;
    sym_expr group = infer_expr(c, "group_size", 1);
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sizes[0] = c->param > 0 ? sym_mul(c->symbols, sizes[0], group)
                            : sym_floordiv(c->symbols, sizes[0], group);
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank, sizes));
}

void rule_all_to_all(infer_call *c)
{
    sym_expr parts[TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x || x->rank == 0) return;
    uint32_t count = infer_sizes(c, "output_split_sizes", 0, parts);
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    if (count) sizes[0] = infer_number(c, 0);
    for (uint32_t i = 0; i < count; i++) sizes[0] = sym_add(c->symbols, sizes[0], parts[i]);
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, x, x->dtype, x->rank, sizes));
}

/* Rows of floats by a matrix of them, which bytes stand for in between. */
void rule_linear_of_bytes(infer_call *c)
{
    bool is_named = op_param_index(c->op, "weight") >= 0;
    ty_tensor *x = infer_tensor(c, "X"), *weight = infer_tensor(c, is_named ? "weight" : "W");
    sym_expr sizes[TY_MAX_RANK];
    if (!x || !weight || x->rank == 0 || weight->rank != 2) return;
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sizes[x->rank - 1] = weight->sizes[0];
    infer_give(c, infer_fresh(c, x, TY_F32, x->rank, sizes));
}
