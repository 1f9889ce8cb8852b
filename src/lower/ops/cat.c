/* cat.c -- concatenation (each operand is stored into its slice of one buffer) and padding (masked
 * loads). */
#include "lower/lower_priv.h"
#include "lower/rows.h"

#include <string.h>

/* ---- concatenation ---- */

/* Strides in the order of the first operand that lies in memory, or else of what an operand is
 * computed from, so that channels-last goes through. */
static const sym_expr *cat_strides(lowering *l, const lower_tensor *items, uint32_t count,
                                   uint32_t rank, const sym_expr *sizes, sym_expr *strides)
{
    for (int pending = 0; pending < 2; pending++)
        for (uint32_t k = 0; k < count; k++) {
            sym_expr own[LOWER_MAX_RANK];
            if (items[k].rank != rank || items[k].box->realised == pending ||
                !lower_layout_of(l, items[k], own))
                continue;
            ty_tensor like = {.dtype = lower_dtype(items[k]), .rank = rank, .offset = l->zero};
            like.sizes = lower_sizes_copy(l, sizes, rank);
            like.strides = lower_sizes_copy(l, own, rank);
            const ty_tensor *operand = &like;
            ty_pointwise_strides(l->symbols, &operand, 1, rank, sizes, strides);
            return strides;
        }
    return NULL;
}

static lower_tensor concatenated(lowering *l, const lower_tensor *items, uint32_t count,
                                 uint32_t dim, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                                 const sym_expr *wanted)
{
    sym_expr strides[LOWER_MAX_RANK], start = l->zero, index[LOWER_MAX_RANK];
    if (!wanted) wanted = cat_strides(l, items, count, rank, sizes, strides);
    lower_tensor whole = lower_temp_tensor(l, d, rank, sizes, wanted);
    const loop_view *to = &whole.box->view;
    for (uint32_t k = 0; k < count; k++) {
        lower_tensor t = items[k];
        /* empty ones of any rank are allowed */
        if (t.rank != rank || lower_is_zero(l, t.sizes[dim])) continue;
        loop_value v = loop_cast(l->program, d, lower_here(l, t));
        memcpy(index, l->axes, rank * sizeof *index);
        index[dim] = sym_add(l->symbols, start, index[dim]);
        loop_op *op = lower_nest(l, t.rank, t.sizes, 0, NULL);
        lower_store(l, op,
                    (loop_store){.buffer = to->buffer,
                                 .index = lower_flat(l, index, to->strides, to->rank),
                                 .value = v});
        start = sym_add(l->symbols, start, t.sizes[dim]);
    }
    return whole;
}

lower_tensor lower_joined(lowering *l, const lower_tensor *items, uint32_t count, uint32_t dim,
                          ty_dtype d)
{
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, items[0].sizes, items[0].rank * sizeof *sizes);
    for (uint32_t k = 1; k < count; k++)
        sizes[dim] = sym_add(l->symbols, sizes[dim], items[k].sizes[dim]);
    return concatenated(l, items, count, dim, d, items[0].rank, sizes, NULL);
}

fe_status lower_op_cat(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    uint32_t count = n->args[0].list.count;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++) items[k] = lower_item(l, &n->args[0], k);
    uint32_t dim = lower_dim(l, lower_int_or(l, "dim", 0), out->rank);
    return lower_give(l, concatenated(l, items, count, dim, out->dtype, out->rank, out->sizes,
                                      lower_wanted(l, 0)));
}

fe_status lower_op_stack(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    uint32_t count = n->args[0].list.count,
             dim = lower_dim(l, lower_int_or(l, "dim", 0), out->rank);
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++)
        items[k] = lower_unsqueeze(l, lower_item(l, &n->args[0], k), dim);
    return lower_give(l, concatenated(l, items, count, dim, out->dtype, out->rank, out->sizes,
                                      lower_wanted(l, 0)));
}

/* hstack, vstack, dstack, column_stack: operands of at least 1, 2 or 3 dims, along dim 0, 1 or 2. */
fe_status lower_op_stack_like(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    uint32_t count = n->args[0].list.count, dim = (uint32_t)row->parameter;
    if (fx_is(n, OP_aten_hstack_default) && out->rank == 1) dim = 0;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++) {
        lower_tensor t = lower_item(l, &n->args[0], k);
        if (t.rank == 0) t = lower_unsqueeze(l, t, 0);
        bool column = fx_is(n, OP_aten_column_stack_default);
        if (t.rank == 1 && out->rank >= 2) t = lower_unsqueeze(l, t, column ? 1 : 0);
        if (t.rank == 2 && fx_is(n, OP_aten_dstack_default)) t = lower_unsqueeze(l, t, 2);
        items[k] = t;
    }
    return lower_give(l, concatenated(l, items, count, dim, out->dtype, out->rank, out->sizes,
                                      lower_wanted(l, 0)));
}

/* ---- padding ---- */

/* x with low[k] and high[k] elements of `fill` around dim k; negative ones cut. */
lower_tensor lower_padded(lowering *l, lower_tensor x, const sym_expr *low, const sym_expr *high,
                          loop_value fill)
{
    sym_expr sizes[LOWER_MAX_RANK], at[LOWER_MAX_RANK];
    loop_value inside = loop_const_int(l->program, TY_BOOL, 1);
    for (uint32_t k = 0; k < x.rank; k++) {
        at[k] = sym_sub(l->symbols, l->axes[k], low[k]);
        sizes[k] = sym_add(l->symbols, x.sizes[k], sym_add(l->symbols, low[k], high[k]));
        if (lower_is_zero(l, low[k]) && lower_is_zero(l, high[k])) continue;
        loop_value v = loop_index(l->program, at[k]);
        int64_t pad;
        if (!sym_is_int(l->symbols, low[k], &pad) || pad > 0)
            inside = lower_op2(l, LOOP_AND, inside,
                               lower_op2(l, LOOP_LE, loop_const_int(l->program, TY_I64, 0), v));
        if (!sym_is_int(l->symbols, high[k], &pad) || pad > 0)
            inside = lower_op2(l, LOOP_AND, inside,
                               lower_op2(l, LOOP_LT, v, loop_index(l->program, x.sizes[k])));
    }
    loop_value v = loop_masked(l->program, inside, lower_at(l, x, at), fill);
    return lower_value(l, lower_dtype(x), x.rank, sizes, v);
}

/* pad[] holds pairs from the last dim on. */
static bool read_pads(lowering *l, const char *param, uint32_t rank, sym_expr *low, sym_expr *high)
{
    sym_expr pads[2 * LOWER_MAX_RANK];
    int count = lower_ints(l, param, pads, 2 * LOWER_MAX_RANK);
    if (count < 0 || count % 2 || (uint32_t)count / 2 > rank) return false;
    for (uint32_t k = 0; k < rank; k++) low[k] = high[k] = l->zero;
    for (uint32_t k = 0; k < (uint32_t)count / 2; k++) {
        low[rank - 1 - k] = pads[2 * k];
        high[rank - 1 - k] = pads[2 * k + 1];
    }
    return true;
}

static fe_status constant_pad(lowering *l, lower_tensor x, const char *param)
{
    sym_expr low[LOWER_MAX_RANK], high[LOWER_MAX_RANK];
    if (!read_pads(l, param, x.rank, low, high))
        return lower_fail(l, "a padding list that does not fit");
    const fx_arg *value = fx_get(l->graph, l->node, "value");
    loop_value fill = value->kind == FX_ARG_NONE ? loop_const_float(l->program, lower_dtype(x), 0)
                                                 : lower_scalar(l, value, lower_dtype(x));
    return lower_give(l, lower_padded(l, x, low, high, fill));
}

/* Where element i of the padded dim comes from. All three are functions of the axis alone. */
static sym_expr padded_position(lowering *l, pad_mode mode, sym_expr i, sym_expr low, sym_expr high,
                                sym_expr size)
{
    sym_table *s = l->symbols;
    sym_expr at = sym_sub(s, i, low), last = sym_add_int(s, size, -1);
    if (mode == CIRCULAR) { /* around what negative paddings leave */
        sym_expr cut = sym_max(s, sym_mul_int(s, low, -1), l->zero),
                 cut_end = sym_max(s, sym_mul_int(s, high, -1), l->zero);
        sym_expr left = sym_sub(s, size, sym_add(s, cut, cut_end));
        return sym_add(s, cut, sym_mod(s, sym_sub(s, i, sym_max(s, low, l->zero)), left));
    }
    if (mode == REPLICATE) return sym_min(s, sym_max(s, at, l->zero), last);
    sym_expr distance = sym_max(s, at, sym_mul_int(s, at, -1)); /* |at| */
    sym_expr beyond = sym_sub(s, last, distance);
    beyond = sym_max(s, beyond, sym_mul_int(s, beyond, -1)); /* last - | last - |at| | */
    return sym_sub(s, last, beyond);
}

static fe_status border_pad(lowering *l, const char *param, pad_mode mode)
{
    lower_tensor x = lower_tensor_of(l, &l->node->args[0]);
    sym_expr low[LOWER_MAX_RANK], high[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK],
        sizes[LOWER_MAX_RANK];
    if (!read_pads(l, param, x.rank, low, high))
        return lower_fail(l, "a padding list that does not fit");
    for (uint32_t k = 0; k < x.rank; k++) {
        bool padded = !lower_is_zero(l, low[k]) || !lower_is_zero(l, high[k]);
        sizes[k] = sym_add(l->symbols, x.sizes[k], sym_add(l->symbols, low[k], high[k]));
        exprs[k] =
            padded ? padded_position(l, mode, l->axes[k], low[k], high[k], x.sizes[k]) : l->axes[k];
    }
    lower_share(l, x);
    lower_tensor padded = lower_remap(l, x, x.rank, sizes, exprs);
    return lower_give(l, lower_value(l, lower_dtype(x), x.rank, sizes, lower_here(l, padded)));
}

fe_status lower_op_pad_border(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    return border_pad(l, "padding", (pad_mode)row->parameter);
}

fe_status lower_op_pad_constant(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return constant_pad(l, lower_tensor_of(l, &n->args[0]), "pad");
}

fe_status lower_op_pad(lowering *l, fx_node *n, const lower_row *row)
{
    const char *mode = fx_get(l->graph, n, "mode")->string;
    if (strcmp(mode, "constant") == 0) return lower_op_pad_constant(l, n, row);
    if (strcmp(mode, "reflect") == 0) return border_pad(l, "pad", REFLECT);
    if (strcmp(mode, "replicate") == 0) return border_pad(l, "pad", REPLICATE);
    return border_pad(l, "pad", CIRCULAR);
}

/* pixel_shuffle: [.., C*r*r, H, W] to [.., C, H*r, W*r]; unshuffle is its inverse. */
fe_status lower_op_pixel_shuffle(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    int64_t factor = lower_int_or(l, row->parameter ? "downscale_factor" : "upscale_factor", 1);
    sym_expr r = lower_const(l, factor), exprs[LOWER_MAX_RANK];
    sym_table *s = l->symbols;
    uint32_t c = x.rank - 3, h = x.rank - 2, w = x.rank - 1;
    memcpy(exprs, l->axes, x.rank * sizeof *exprs);
    if (!row->parameter) {
        sym_expr channel = sym_add(s, sym_mul(s, l->axes[c], r), sym_mod(s, l->axes[h], r));
        exprs[c] = sym_add(s, sym_mul(s, channel, r), sym_mod(s, l->axes[w], r));
        exprs[h] = sym_floordiv(s, l->axes[h], r);
        exprs[w] = sym_floordiv(s, l->axes[w], r);
    } else {
        exprs[c] = sym_floordiv(s, l->axes[c], sym_mul(s, r, r));
        sym_expr row_of = sym_mod(s, sym_floordiv(s, l->axes[c], r), r);
        exprs[h] = sym_add(s, sym_mul(s, l->axes[h], r), row_of);
        exprs[w] = sym_add(s, sym_mul(s, l->axes[w], r), sym_mod(s, l->axes[c], r));
    }
    return lower_give(l, lower_remap(l, x, out->rank, out->sizes, exprs));
}

/* channel_shuffle: [N, G*C, ...] with the two factors of dim 1 swapped. */
fe_status lower_op_channel_shuffle(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    sym_expr groups = lower_const(l, lower_int_or(l, "groups", 1)), exprs[LOWER_MAX_RANK];
    sym_table *s = l->symbols;
    sym_expr each = sym_floordiv(s, x.sizes[1], groups);
    memcpy(exprs, l->axes, x.rank * sizeof *exprs);
    exprs[1] = sym_add(s, sym_mul(s, sym_mod(s, l->axes[1], groups), each),
                       sym_floordiv(s, l->axes[1], groups));
    return lower_give(l, lower_remap(l, x, x.rank, x.sizes, exprs));
}
