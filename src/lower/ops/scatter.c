/* scatter.c -- writing at positions: a copy of the operand, then a nest that stores into it
 * through indirect symbols; where the positions are known (slice, select, diagonal) it is a choice
 * between two values instead.
 */
#include "lower/compose.h"
#include "lower/ops/index_priv.h"
#include "lower/ragged.h"

#include <string.h>

/* What is written: over `sizes`, value (a function of the axes) goes to position exprs[] of the
 * target. */
typedef struct scattering {
    lower_tensor target; /* realised, fresh; in the dtype to compute in */
    uint32_t rank;
    const sym_expr *sizes;
    sym_expr exprs[LOWER_MAX_RANK];
} scattering;

/* Along an axis that does not move the place, the last of the values is what stays there. */
static loop_value last_of(lowering *l, sym_expr at, sym_expr *sizes, uint32_t rank,
                          loop_value value)
{
    for (uint32_t k = 0; k < rank; k++) {
        int64_t size;
        if ((sym_is_int(l->symbols, sizes[k], &size) && size < 2) ||
            loop_uses_axis(l->program, loop_index(l->program, at), l->axes[k]))
            continue;
        sym_expr last = sym_add_int(l->symbols, sizes[k], -1);
        value = loop_substitute(l->program, value, &l->axes[k], &last, 1);
        sizes[k] = sym_min(l->symbols, sizes[k], l->one);
    }
    return value;
}

static void scatter_nest(lowering *l, const scattering *s, loop_value value, loop_store_mode mode)
{
    const loop_view *to = &s->target.box->view;
    sym_expr sizes[LOWER_MAX_RANK];
    sym_expr at = sym_add(l->symbols, to->offset, lower_flat(l, s->exprs, to->strides, to->rank));
    memcpy(sizes, s->sizes, s->rank * sizeof *sizes);
    if (mode == LOOP_SET) value = last_of(l, at, sizes, s->rank, value);
    loop_op *op = lower_nest(l, s->rank, sizes, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = to->buffer, .index = at, .value = value, .mode = mode});
}

/* A copy of self to write into, in the dtype that sums are computed in. */
static lower_tensor fresh_copy(lowering *l, lower_tensor self)
{
    ty_dtype d = lower_compute_dtype(lower_dtype(self));
    bool direct = d == lower_dtype(self) && self.rank == fx_tensor(l->node)->rank;
    const sym_expr *wanted = direct ? lower_wanted(l, 0) : NULL;
    return lower_copied(l, lower_cast(l, self, d), wanted);
}

/* Values that a nest reads are computed before it writes: they may read the same tensor. */
static loop_value source_value(lowering *l, lower_tensor t, const scattering *s)
{
    return loop_cast(l->program, lower_dtype(s->target), lower_broadcast(l, t, s->rank, s->sizes));
}

static fe_status give_scattered(lowering *l, const scattering *s)
{
    return lower_give_as_recorded(l, s->target);
}

/* ---- reductions into positions ---- */

static bool mode_of(const char *name, loop_store_mode *out)
{
    static const struct {
        const char *name;
        loop_store_mode mode;
    } MODES[] = {{"sum", LOOP_ADD_INTO},     {"add", LOOP_ADD_INTO},  {"mean", LOOP_ADD_INTO},
                 {"prod", LOOP_MUL_INTO},    {"amax", LOOP_MAX_INTO}, {"amin", LOOP_MIN_INTO},
                 {"multiply", LOOP_MUL_INTO}};
    for (size_t k = 0; k < COUNT_OF(MODES); k++)
        if (strcmp(MODES[k].name, name) == 0) {
            *out = MODES[k].mode;
            return true;
        }
    return false;
}

static loop_value identity_of(lowering *l, loop_store_mode mode, ty_dtype d)
{
    if (mode == LOOP_MAX_INTO || mode == LOOP_MIN_INTO)
        return lower_extreme(l, d, mode == LOOP_MIN_INTO);
    return loop_cast(l->program, d, loop_const_int(l->program, TY_I64, mode == LOOP_MUL_INTO));
}

/* sum / count; integers round down. */
static lower_tensor divided(lowering *l, lower_tensor sum, lower_tensor count)
{
    ty_dtype d = lower_dtype(sum);
    loop_value n = lower_here(l, count), one = loop_const_int(l->program, TY_I64, 1);
    n = loop_cast(l->program, d, lower_op2(l, LOOP_MAX, n, one));
    loop_opcode op = ty_is_integral(d, true) ? LOOP_FLOORDIV : LOOP_DIV;
    return lower_value(l, d, sum.rank, sum.sizes, lower_op2(l, op, lower_here(l, sum), n));
}

static fe_status reduce_into(lowering *l, scattering *s, loop_value value, const char *name,
                             bool include_self)
{
    loop_store_mode mode;
    ty_dtype d = lower_dtype(s->target);
    if (!mode_of(name, &mode)) return lower_fail(l, "reduction \"%s\"", name);
    if (d == TY_BOOL && mode == LOOP_MUL_INTO) mode = LOOP_MIN_INTO;
    if (!include_self) scatter_nest(l, s, identity_of(l, mode, d), LOOP_SET);
    scatter_nest(l, s, value, mode);
    if (strcmp(name, "mean") != 0) return give_scattered(l, s);
    scattering counts = *s;
    loop_value start = loop_const_int(l->program, TY_I64, include_self);
    lower_tensor count = lower_value(l, TY_I64, s->target.rank, s->target.sizes, start);
    lower_realise(l, count.box, NULL);
    counts.target = count;
    scatter_nest(l, &counts, loop_const_int(l->program, TY_I64, 1), LOOP_ADD_INTO);
    return lower_give_as_recorded(l, divided(l, s->target, count));
}

/* ---- scatter along a dimension by an index of the same rank ---- */

static lower_tensor at_least_1d(lowering *l, lower_tensor t)
{
    return t.rank ? t : lower_reshape(l, t, 1, &l->one);
}

static bool has(lowering *l, const char *param)
{
    return op_param_index(l->node->op, param) >= 0;
}

/* parameter: 0 set, 1 add, 2 by the argument `reduce` */
fe_status lower_op_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    lower_tensor self = lower_arg(l, "self"), index = at_least_1d(l, lower_arg(l, "index"));
    lower_tensor whole = at_least_1d(l, self), source;
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), whole.rank);
    scattering s = {.target = fresh_copy(l, whole), .rank = index.rank, .sizes = index.sizes};
    ty_dtype compute = lower_dtype(s.target);
    if (has(l, "src")) {
        source = at_least_1d(l, lower_arg(l, "src"));
        for (uint32_t k = 0; k < index.rank; k++)
            source = lower_slice(l, source, k, l->zero, index.sizes[k], l->one);
    } else {
        source = lower_value(l, compute, 0, NULL,
                             lower_scalar(l, fx_get(l->graph, n, "value"), compute));
    }
    memcpy(s.exprs, l->axes, index.rank * sizeof *s.exprs);
    s.exprs[d] =
        lower_position(l, index, l->axes, whole, d, LOWER_NATURAL, index.rank, index.sizes);
    loop_value value = source_value(l, source, &s);
    if (row->parameter == 2) {
        bool include_self = !has(l, "include_self") || lower_bool(l, "include_self");
        return reduce_into(l, &s, value, fx_get(l->graph, n, "reduce")->string, include_self);
    }
    scatter_nest(l, &s, value, row->parameter ? LOOP_ADD_INTO : LOOP_SET);
    return give_scattered(l, &s);
}

/* index_add (1), index_copy (0), index_fill (3), index_reduce (2): a one-dimensional index along
 * dim. */
fe_status lower_op_index_write(lowering *l, fx_node *n, const lower_row *row)
{
    lower_tensor self = lower_arg(l, "self"), whole = at_least_1d(l, self),
                 index = at_least_1d(l, lower_arg(l, "index"));
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), whole.rank);
    scattering s = {.target = fresh_copy(l, whole), .rank = whole.rank};
    ty_dtype compute = lower_dtype(s.target);
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, whole.sizes, whole.rank * sizeof *sizes);
    sizes[d] = index.sizes[0];
    s.sizes = sizes;
    memcpy(s.exprs, l->axes, whole.rank * sizeof *s.exprs);
    lower_reach reach = row->parameter == 3 ? LOWER_WRAPS : LOWER_NATURAL;
    s.exprs[d] = lower_position(l, index, &l->axes[d], whole, d, reach, whole.rank, sizes);
    loop_value value;
    if (row->parameter == 3) {
        value =
            loop_cast(l->program, compute, lower_scalar(l, fx_get(l->graph, n, "value"), compute));
    } else {
        lower_tensor source = lower_arg(l, "source");
        value = source_value(l, lower_reshape(l, source, whole.rank, sizes), &s);
    }
    if (has(l, "alpha"))
        value = lower_op2(l, compute == TY_BOOL ? LOOP_AND : LOOP_MUL, value,
                          lower_scalar(l, fx_get(l->graph, n, "alpha"), compute));
    if (row->parameter == 2)
        return reduce_into(l, &s, value, fx_get(l->graph, n, "reduce")->string,
                           lower_bool(l, "include_self"));
    scatter_nest(l, &s, value, row->parameter == 1 ? LOOP_ADD_INTO : LOOP_SET);
    return give_scattered(l, &s);
}

/* ---- index_put ---- */

/* Do the values stay the same from one set element of the mask to the next? */
static bool is_same_for_all(lowering *l, lower_tensor self, lower_tensor mask, lower_tensor values)
{
    uint32_t inner = self.rank - mask.rank;
    for (uint32_t k = 0; k + inner < values.rank; k++)
        if (!lower_is_one(l, values.sizes[k])) return false;
    return values.rank <= inner + 1;
}

/* self[mask] = values, or += with accumulate, where no count is needed: a choice. */
static fe_status masked_put(lowering *l, fx_node *n, lower_tensor self, lower_tensor mask,
                            lower_tensor values)
{
    const ty_tensor *out = fx_tensor(n);
    sym_expr index[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < values.rank; k++)
        index[k] =
            lower_is_one(l, values.sizes[k]) ? l->zero : l->axes[self.rank - values.rank + k];
    loop_value old = lower_here(l, self),
               condition = lower_at(l, lower_cast(l, mask, TY_BOOL), l->axes);
    loop_value v = loop_cast(l->program, out->dtype, lower_at(l, values, index));
    ty_dtype d = lower_compute_dtype(out->dtype);
    if (lower_bool(l, "accumulate")) {
        v = lower_op2(l, d == TY_BOOL ? LOOP_OR : LOOP_ADD, loop_cast(l->program, d, old),
                      loop_cast(l->program, d, v));
        v = loop_cast(l->program, out->dtype, v);
    }
    v = loop_masked(l->program, condition, v, old);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, v));
}

fe_status lower_op_index_put(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const fx_arg *list = fx_get(l->graph, n, "indices");
    lower_tensor self = lower_arg(l, "self"), values = lower_arg(l, "values");
    bool accumulate = lower_bool(l, "accumulate");
    lower_tensor mask = list->list.count == 1 ? lower_item(l, list, 0) : (lower_tensor){0};
    if (lower_is_mask(mask) && is_same_for_all(l, self, mask, values))
        return masked_put(l, n, self, mask, values);
    indexing ix;
    sym_expr sizes[LOWER_MAX_RANK * 2];
    FE_TRY(lower_indexing_begin(l, &ix, self, list, NULL));
    uint32_t rank = lower_indexing_sizes(&ix, sizes);
    if (rank > LOWER_MAX_RANK) return lower_fail(l, "too many dimensions");
    scattering s = {.target = fresh_copy(l, self), .rank = rank, .sizes = sizes};
    lower_indexing_exprs(l, &ix, s.exprs);
    while (values.rank > rank) values = lower_squeeze(l, values, 0);
    for (uint32_t k = 0; k < values.rank; k++)
        if (!lower_is_one(l, values.sizes[k]))
            lower_require_equal(l, values.sizes[k], sizes[rank - values.rank + k]);
    scatter_nest(l, &s, source_value(l, values, &s), accumulate ? LOOP_ADD_INTO : LOOP_SET);
    return give_scattered(l, &s);
}

/* Adds the values where the mask holds; indices are limited to their dims, as they may be wrong
 * elsewhere. */
fe_status lower_op_masked_index_put(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    indexing ix;
    lower_tensor self = lower_arg(l, "self"), values = lower_arg(l, "values"),
                 mask = lower_arg(l, "mask");
    sym_expr sizes[LOWER_MAX_RANK * 2];
    FE_TRY(lower_indexing_begin(l, &ix, self, fx_get(l->graph, n, "indices"), NULL));
    for (uint32_t k = 0; k < self.rank; k++) {
        lower_tensor t = ix.tensors[k];
        if (lower_absent(t)) continue;
        sym_expr size = self.sizes[k];
        loop_value v = loop_cast(l->program, TY_I64, lower_here(l, t));
        v = lower_op2(l, LOOP_MAX, v, loop_index(l->program, sym_mul_int(l->symbols, size, -1)));
        v = lower_op2(l, LOOP_MIN, v, loop_index(l->program, sym_add_int(l->symbols, size, -1)));
        ix.tensors[k] = lower_value(l, TY_I64, t.rank, t.sizes, v);
    }
    uint32_t rank = lower_indexing_sizes(&ix, sizes);
    if (rank > LOWER_MAX_RANK) return lower_fail(l, "too many dimensions");
    scattering s = {.target = fresh_copy(l, self), .rank = rank, .sizes = sizes};
    lower_indexing_exprs(l, &ix, s.exprs);
    loop_value zero = loop_const_int(l->program, lower_dtype(s.target), 0);
    loop_value kept = loop_cast(l->program, TY_BOOL, lower_broadcast(l, mask, rank, sizes));
    scatter_nest(l, &s, loop_where(l->program, kept, source_value(l, values, &s), zero),
                 LOOP_ADD_INTO);
    return give_scattered(l, &s);
}

/* put: positions in the flattened tensor. */
fe_status lower_op_put(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_tensor self = lower_arg(l, "self"), index = lower_arg(l, "index"),
                 source = lower_arg(l, "source");
    sym_expr size = lower_numel(l, self), count = lower_numel(l, index);
    lower_tensor flat = lower_copied(
        l, lower_cast(l, lower_reshape(l, self, 1, &size), lower_compute_dtype(lower_dtype(self))),
        NULL);
    scattering s = {.target = flat, .rank = 1, .sizes = &count};
    s.exprs[0] = lower_position(l, lower_reshape(l, index, 1, &count), l->axes, flat, 0,
                                LOWER_WRAPS, 1, &count);
    loop_value value = source_value(l, lower_reshape(l, source, 1, &count), &s);
    scatter_nest(l, &s, value, lower_bool(l, "accumulate") ? LOOP_ADD_INTO : LOOP_SET);
    lower_tensor out = lower_reshape(l, flat, self.rank, self.sizes);
    return lower_give(l, lower_cast(l, out, fx_tensor(l->node)->dtype));
}

/* ---- known positions ---- */

static loop_value choose(lowering *l, loop_value inside, lower_tensor source, const sym_expr *at,
                         lower_tensor self)
{
    ty_dtype d = lower_dtype(self);
    loop_value v = loop_cast(l->program, d, lower_at(l, source, at));
    return loop_masked(l->program, inside, v, lower_here(l, self));
}

fe_status lower_op_slice_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor self = lower_arg(l, "self"), source = lower_arg(l, "src");
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), self.rank);
    sym_expr size = self.sizes[d], at[LOWER_MAX_RANK], step = lower_size(l, "step");
    sym_expr start = lower_bound(l, lower_size(l, "start"), size, l->zero),
             end = lower_bound(l, lower_size(l, "end"), size, size);
    sym_expr distance = sym_sub(l->symbols, l->axes[d], start);
    loop_value inside = lower_is_inside(l, l->axes[d], start, end);
    source = lower_expand(l, source, self.rank, source.sizes);
    memcpy(at, l->axes, self.rank * sizeof *at);
    at[d] = distance;
    if (!lower_is_one(l, step)) {
        loop_value rest = loop_index(l->program, sym_mod(l->symbols, distance, step));
        inside = lower_op2(l, LOOP_AND, inside,
                           lower_op2(l, LOOP_EQ, rest, loop_const_int(l->program, TY_I64, 0)));
        at[d] = sym_floordiv(l->symbols, distance, step);
    }
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, choose(l, inside, source, at, self)));
}

fe_status lower_op_select_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor self = lower_arg(l, "self"), source = lower_arg(l, "src");
    uint32_t d = lower_dim(l, lower_int_or(l, "dim", 0), self.rank), next = 0;
    sym_expr index = lower_size(l, "index"), at[LOWER_MAX_RANK];
    if (sym_is_none(index)) return lower_fail(l, "the index is not known");
    lower_require(l, sym_mul_int(l->symbols, self.sizes[d], -1), SYM_LE, index,
                  "an index is out of range");
    lower_require(l, index, SYM_LT, self.sizes[d], "an index is out of range");
    index = lower_wrapped(l, index, self.sizes[d]);
    for (uint32_t k = 0; k < self.rank; k++)
        if (k != d) at[next++] = l->axes[k];
    loop_value inside =
        lower_op2(l, LOOP_EQ, loop_index(l->program, l->axes[d]), loop_index(l->program, index));
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, choose(l, inside, source, at, self)));
}

fe_status lower_op_diagonal_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor self = lower_arg(l, "self"), source = lower_arg(l, "src");
    uint32_t a = lower_dim(l, lower_int_or(l, "dim1", 0), self.rank),
             b = lower_dim(l, lower_int_or(l, "dim2", 1), self.rank);
    int64_t offset = lower_int_or(l, "offset", 0);
    uint32_t next = 0;
    sym_expr at[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < self.rank; k++)
        if (k != a && k != b) at[next++] = l->axes[k];
    at[next] = offset < 0 ? l->axes[b] : l->axes[a];
    loop_value place = loop_index(l->program, sym_sub(l->symbols, l->axes[b], l->axes[a]));
    loop_value inside = lower_op2(l, LOOP_EQ, place, loop_const_int(l->program, TY_I64, offset));
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, choose(l, inside, source, at, self)));
}

fe_status lower_op_as_strided_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *in = fx_arg_tensor(&n->args[0]);
    lower_tensor self = lower_arg(l, "self"), source = lower_arg(l, "src");
    sym_expr sizes[LOWER_MAX_RANK], strides[LOWER_MAX_RANK],
        offset = lower_size(l, "storage_offset");
    int rank = lower_ints(l, "size", sizes, LOWER_MAX_RANK);
    if (lower_ints(l, "stride", strides, LOWER_MAX_RANK) != rank || rank < 0)
        return lower_fail(l, "sizes and strides do not agree");
    if (!lower_is_zero(l, in->offset))
        return lower_fail(l, "as_strided_scatter of a view with an offset");
    /* Of the elements that share one place, the last is what stays there. */
    for (int k = 0; k < rank; k++) {
        if (!lower_is_zero(l, strides[k])) continue;
        sym_expr last = sym_add_int(l->symbols, sizes[k], -1);
        source = lower_slice(l, source, (uint32_t)k, last, l->one, l->one);
        sizes[k] = l->one;
    }
    /* what is repeated is copied as one that is not */
    bool is_repeated = ty_is_repeated(l->symbols, in);
    lower_tensor copy = lower_copied(l, self, is_repeated ? fx_tensor(n)->strides : in->strides);
    loop_view window = copy.box->view;
    window.rank = (uint32_t)rank;
    window.sizes = lower_sizes_copy(l, sizes, window.rank);
    window.strides = lower_sizes_copy(l, strides, window.rank);
    if (!sym_is_none(offset)) window.offset = offset;
    scattering s = {.target = lower_viewed(l, window), .rank = window.rank, .sizes = window.sizes};
    memcpy(s.exprs, l->axes, window.rank * sizeof *s.exprs);
    scatter_nest(l, &s, source_value(l, source, &s), LOOP_SET);
    return lower_give(l, copy);
}
