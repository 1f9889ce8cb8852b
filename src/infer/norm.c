/* norm.c -- normalisations: the result is like the input, statistics have the sizes of what they
 * were taken over. */
#include "infer/infer_priv.h"

/* Statistics of reduced floats are f32. */
static ty_dtype statistics_dtype(ty_dtype d)
{
    return d == TY_F16 || d == TY_BF16 ? TY_F32 : d;
}

/* One result like the input: in its memory format where it has one, or as it is. */
void rule_normalised(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_like(c, x, x->dtype, (ty_memory_format)c->param));
}

void rule_batch_norm(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give(c, infer_like(c, x, x->dtype, ty_suggested_format(c->symbols, x)));
}

/* Each image a batch of its own: contiguous. */
void rule_instance_norm(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_like(c, x, x->dtype, TY_CONTIGUOUS));
}

/* The batch norms that give mean and inverse deviation, too: as many as there are channels when
 * training, none otherwise. The parameter: further results. */
void rule_native_batch_norm(infer_call *c)
{
    ty_tensor *items[6];
    ty_tensor *x = infer_self(c);
    uint32_t count = 3;
    if (!x) return;
    if (x->rank < 2) {
        infer_fail(c, "batch norm of %s", infer_shape(c, x));
        return;
    }
    bool training = op_param_index(c->op, "training") < 0 ? c->param != 0 : infer_flag(c, "training", false);
    sym_expr channels = training ? x->sizes[1] : infer_number(c, 0);
    ty_tensor *like = infer_tensor(c, "running_mean");
    ty_dtype dtype = like ? like->dtype : statistics_dtype(x->dtype);
    items[0] = infer_like(c, x, x->dtype, ty_suggested_format(c->symbols, x));
    items[1] = infer_fresh(c, x, dtype, 1, &channels);
    items[2] = infer_fresh(c, x, dtype, 1, &channels);
    if (c->op->return_count == 4 || c->op->return_count == 6) { /* the reserve */
        sym_expr none = infer_number(c, 0);
        items[count++] = infer_fresh(c, x, TY_U8, 1, &none);
    }
    if (c->op->return_count >= 5) {
        items[count++] = infer_like(c, like, dtype, TY_CONTIGUOUS);
        items[count++] = infer_like(c, infer_tensor(c, "running_var"), dtype, TY_CONTIGUOUS);
    }
    infer_give_items(c, items, count);
}

void rule_native_layer_norm(infer_call *c)
{
    sym_expr shape[TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t inner = infer_sizes(c, "normalized_shape", 0, shape);
    if (inner > x->rank) {
        infer_fail(c, "a layer norm over %u dimensions of %s", inner, infer_shape(c, x));
        return;
    }
    for (uint32_t i = 0; i < x->rank; i++)
        sizes[i] = i < x->rank - inner ? x->sizes[i] : infer_number(c, 1);
    ty_dtype dtype = statistics_dtype(x->dtype);
    ty_tensor *items[] = {infer_like(c, x, x->dtype, TY_CONTIGUOUS),
                          infer_fresh(c, x, dtype, x->rank, sizes),
                          infer_fresh(c, x, dtype, x->rank, sizes)};
    infer_give_items(c, items, 3);
}

void rule_native_group_norm(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sym_expr sizes[] = {infer_expr(c, "N", 1), infer_expr(c, "group", 1)};
    ty_tensor *items[] = {infer_like(c, x, x->dtype, ty_suggested_format(c->symbols, x)),
                          infer_fresh(c, x, x->dtype, 2, sizes), infer_fresh(c, x, x->dtype, 2, sizes)};
    infer_give_items(c, items, 3);
}
