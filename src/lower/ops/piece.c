/* piece.c -- views of a part of a tensor along one dimension: a row, a slice, all pieces of a split. */
#include "lower/ragged.h"

static void require_place(lowering *l, sym_expr index, sym_expr size)
{
    lower_require(l, sym_mul_int(l->symbols, size, -1), SYM_LE, index, "an index is out of range");
    lower_require(l, index, SYM_LT, size, "an index is out of range");
}

/* Where only the run knows the start, the offset may be a symbol, which the program may read. */
static void define_offset(lowering *l, const fx_node *n, uint32_t d, sym_expr start)
{
    const ty_tensor *whole = fx_tensor(n->args[0].node), *part = fx_tensor(n);
    if (!whole || !lower_is_open(l, part->offset)) return;
    sym_expr before = sym_mul(l->symbols, start, whole->strides[d]);
    lower_define_expr(l, part->offset, sym_add(l->symbols, whole->offset, before));
}

fe_status lower_op_select(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    int64_t dim;
    if (!lower_int(l, "dim", &dim)) return lower_fail(l, "the dimension is not a constant");
    uint32_t d = lower_dim(l, dim, t.rank);
    sym_expr index = lower_size(l, "index");
    if (sym_is_none(index)) return lower_fail(l, "the index is not known");
    require_place(l, index, t.sizes[d]);
    index = lower_wrapped(l, index, t.sizes[d]);
    define_offset(l, n, d, index);
    return lower_give(l, lower_select(l, t, d, index));
}

fe_status lower_op_slice(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    sym_table *s = l->symbols;
    lower_tensor t = lower_first(l);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), t.rank);
    sym_expr size = t.sizes[d], length = fx_tensor(n)->sizes[d], step = lower_size(l, "step");
    sym_expr start = lower_bound(l, lower_size(l, "start"), size, l->zero),
             end = lower_bound(l, lower_size(l, "end"), size, size);
    if (sym_is_none(step)) step = l->one;
    sym_expr span = sym_max(s, sym_sub(s, end, start), l->zero);
    if (lower_has_unbacked(l, length) || lower_has_unbacked(l, span))
        lower_define_expr(l, length, sym_ceildiv(s, span, step));
    define_offset(l, n, d, start);
    return lower_give(l, lower_slice(l, t, d, start, length, step));
}

fe_status lower_op_narrow(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), t.rank);
    const fx_arg *a = fx_get(l->graph, n, "start");
    bool is_tensor = a->kind == FX_ARG_NODE && a->node->value.kind == FX_TENSOR;
    sym_expr start = is_tensor ? lower_read_int(l, lower_tensor_of(l, a), SYM_NO_MIN, SYM_NO_MAX)
                               : lower_size(l, "start");
    if (sym_is_none(start)) return lower_fail(l, "the start is not known");
    sym_expr size = t.sizes[d], length = fx_tensor(n)->sizes[d];
    start = lower_wrapped(l, start, size);
    lower_require(l, l->zero, SYM_LE, start, "narrow: the start lies before the dimension");
    lower_require(l, sym_add(l->symbols, start, length), SYM_LE, size,
                  "narrow: the end lies behind the dimension");
    define_offset(l, n, d, start);
    return lower_give(l, lower_slice(l, t, d, start, length, l->one));
}

/* split, chunk, tensor_split, ...: the sizes of the parts are in the metadata. */
fe_status lower_op_split(lowering *l, fx_node *n, const lower_row *row)
{
    lower_tensor t = lower_first(l);
    if (t.rank == 0) return lower_fail(l, "a split of a number");
    uint32_t d = 0;
    if (op_param_index(n->op, "dim") >= 0) d = lower_dim(l, lower_int_or(l, "dim", 0), t.rank);
    if (row->parameter == 1) d = t.rank == 1 ? 0 : 1; /* hsplit */
    if (row->parameter == 2) d = 2;                   /* dsplit */
    uint32_t count = n->value.count;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    const fx_arg *cuts =
        op_param_index(n->op, "indices") >= 0 ? fx_get(l->graph, n, "indices") : NULL;
    sym_expr start = l->zero, cut;
    for (uint32_t k = 0; k < count; k++) {
        sym_expr length = n->value.items[k].tensor->sizes[d];
        /* cuts need not grow: each part begins at its own */
        if (cuts && k && fx_arg_expr(l->graph, &cuts->list.items[k - 1], &cut))
            start = lower_bound(l, cut, t.sizes[d], l->zero);
        items[k] = lower_slice(l, t, d, start, length, l->one);
        start = sym_add(l->symbols, start, length);
    }
    if (lower_has_unbacked(l, start))
        lower_require(l, start, SYM_LE, t.sizes[d], "the parts are longer than what is split");
    return lower_give_items(l, items, count);
}

/* tensor_split before positions that only the run knows. */
fe_status lower_op_split_late(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    sym_table *s = l->symbols;
    lower_tensor t = lower_first(l), cuts = lower_arg(l, "tensor_indices_or_sections");
    const ty_tensor *whole = fx_tensor(n->args[0].node);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), t.rank), count = n->value.count;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    sym_expr start = l->zero;
    for (uint32_t k = 0; k < count; k++) {
        const ty_tensor *piece = n->value.items[k].tensor;
        sym_expr end = t.sizes[d];
        if (k + 1 < count) {
            lower_tensor cut = lower_select(l, cuts, 0, lower_const(l, k));
            end = lower_bound(l, lower_read_int(l, cut, SYM_NO_MIN, SYM_NO_MAX), end, end);
        }
        sym_expr before = sym_mul(s, start, whole->strides[d]);
        lower_define_expr(l, piece->sizes[d], sym_max(s, sym_sub(s, end, start), l->zero));
        lower_define_expr(l, piece->offset, sym_add(s, whole->offset, before));
        items[k] = lower_slice(l, t, d, start, piece->sizes[d], l->one);
        start = end;
    }
    return lower_give_items(l, items, count);
}

fe_status lower_op_unbind(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor t = lower_first(l);
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), t.rank), count = n->value.count;
    lower_tensor *items = NEW_ARRAY(l->memory, lower_tensor, count);
    for (uint32_t k = 0; k < count; k++) items[k] = lower_select(l, t, d, lower_const(l, k));
    return lower_give_items(l, items, count);
}
