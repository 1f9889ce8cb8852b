/* view.c -- operators that look at the same memory in another way: new sizes, strides and offset,
 * the storage of their base.
 *
 * In-place siblings (transpose_, squeeze_, ...) give the same: they change what their argument is.
 * Copies of views (view_copy, ...) are the view made contiguous in memory of its own.
 */
#include "infer/infer_priv.h"

#include <string.h>

void rule_itself(infer_call *c)
{
    infer_give(c, infer_alias(c, infer_self(c)));
}

static ty_tensor *copied(infer_call *c, const ty_tensor *x)
{
    return infer_clone(c, x, TY_CONTIGUOUS);
}

/* The view that the parameter names, copied. */
void rule_copied(infer_call *c)
{
    infer_as(c, (op_id)c->param);
    if (c->status != FE_OK) return;
    if (c->value.kind == FX_TENSOR) c->value.tensor = copied(c, c->value.tensor);
    for (uint32_t i = 0; c->value.kind == FX_TUPLE && i < c->value.count; i++)
        c->value.items[i].tensor = copied(c, c->value.items[i].tensor);
    infer_number_storages(c);
}

/* ---- the order of dimensions ---- */

void rule_permute(infer_call *c)
{
    uint32_t order[TY_MAX_RANK];
    uint64_t seen = 0;
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t count = infer_dims(c, "dims", x->rank, false, order);
    for (uint32_t i = 0; i < count; i++) seen |= (uint64_t)1 << order[i];
    if (count != x->rank || seen != ((uint64_t)1 << x->rank) - 1) {
        infer_fail(c, "permute of %s does not name each dimension once", infer_shape(c, x));
        return;
    }
    infer_give(c, infer_permute(c, x, order));
}

void rule_transpose(infer_call *c)
{
    static const char *const NAMES[][2] = {{"dim0", "dim1"}, {"axis0", "axis1"}};
    ty_tensor *x = infer_self(c);
    if (!x) return;
    const char *const *names = NAMES[op_param_index(c->op, "dim0") < 0];
    uint32_t a = infer_dim(c, names[0], x->rank);
    uint32_t b = infer_dim(c, names[1], x->rank);
    infer_give(c, x->rank ? infer_transpose(c, x, a, b) : infer_alias(c, x));
}

/* The last two dimensions swapped; all of them for fewer or with a parameter. */
void rule_flipped(infer_call *c)
{
    uint32_t order[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    if (x->rank > 2 && !c->param) {
        infer_give(c, infer_transpose(c, x, x->rank - 2, x->rank - 1));
        return;
    }
    for (uint32_t i = 0; i < x->rank; i++) order[i] = x->rank - 1 - i;
    infer_give(c, infer_permute(c, x, order));
}

void rule_movedim(infer_call *c)
{
    uint32_t from[TY_MAX_RANK];
    uint32_t to[TY_MAX_RANK];
    uint32_t order[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t count = infer_dims(c, "source", x->rank, false, from);
    if (infer_dims(c, "destination", x->rank, false, to) != count)
        infer_fail(c, "movedim: as many sources as destinations are needed");
    if (c->status != FE_OK) return;
    uint64_t moved = 0;
    uint64_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[to[i]] = from[i];
        moved |= (uint64_t)1 << from[i];
        taken |= (uint64_t)1 << to[i];
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (taken >> i & 1) continue;
        while (moved >> next & 1) next++;
        order[i] = next++;
    }
    infer_give(c, infer_permute(c, x, order));
}

/* ---- other sizes ---- */

/* Where no strides can be proved, sizes being symbols, the program says that they exist: those of
 * the record, or else contiguous ones. */
static ty_tensor *viewed(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes)
{
    ty_tensor *out = infer_reshape(c, x, rank, sizes);
    if (!out || out->storage == x->storage) return out;
    const ty_tensor *recorded = c->recorded.kind == FX_TENSOR ? c->recorded.tensor : NULL;
    bool same = recorded && recorded->rank == out->rank;
    for (uint32_t i = 0; same && i < rank; i++)
        same = sym_known_equal(c->symbols, recorded->sizes[i], out->sizes[i]);
    if (sym_is_int(c->symbols, ty_numel(c->symbols, x), NULL))
        infer_fail(c, "%s cannot be viewed as %s without a copy", infer_shape(c, x),
                   infer_shape(c, out));
    const sym_expr *strides = same ? recorded->strides : out->strides;
    return infer_view_as(c, x, out->rank, out->sizes, strides, x->offset);
}

static uint32_t wanted_sizes(infer_call *c, sym_expr *sizes)
{
    static const char *const NAMES[] = {"size", "shape"};
    ty_tensor *other = infer_tensor(c, "other");
    if (other) {
        memcpy(sizes, other->sizes, other->rank * sizeof *sizes);
        return other->rank;
    }
    return infer_sizes(c, NAMES[op_param_index(c->op, "size") < 0], 0, sizes);
}

void rule_view(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    uint32_t rank = wanted_sizes(c, sizes);
    if (x && c->status == FE_OK) infer_give(c, viewed(c, x, rank, sizes));
}

void rule_reshape(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    uint32_t rank = wanted_sizes(c, sizes);
    if (!x || c->status != FE_OK) return;
    ty_tensor *out = infer_reshape(c, x, rank, sizes);
    const ty_tensor *recorded = c->recorded.kind == FX_TENSOR ? c->recorded.tensor : NULL;
    bool is_copy = out && out->storage != x->storage;
    if (is_copy && recorded && recorded->rank == rank && !infer_is(c, recorded->offset, 0) &&
        infer_has_unbacked(c, x->rank, x->sizes)) /* the program knows more than can be proved */
        out = infer_view_as(c, x, rank, out->sizes, recorded->strides, recorded->offset);
    infer_give(c, out);
}

void rule_flatten(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    uint32_t rank = 0;
    if (!x) return;
    uint32_t first = infer_wrap(c, infer_int(c, "start_dim", 0), x->rank);
    uint32_t last = infer_wrap(c, infer_int(c, "end_dim", -1), x->rank);
    if (first > last) infer_fail(c, "flatten from dimension %u to %u", first, last);
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < first; i++) sizes[rank++] = x->sizes[i];
    sizes[rank++] =
        x->rank ? sym_product(c->symbols, x->sizes + first, last - first + 1) : infer_number(c, 1);
    for (uint32_t i = last + 1; i < x->rank; i++) sizes[rank++] = x->sizes[i];
    infer_give(c, infer_reshape(c, x, rank, sizes));
}

void rule_ravel(infer_call *c)
{
    sym_expr minus_one = infer_number(c, -1);
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give(c, infer_reshape(c, infer_contiguous(c, x, TY_CONTIGUOUS), 1, &minus_one));
}

void rule_unflatten(infer_call *c)
{
    sym_expr inner[TY_MAX_RANK];
    sym_expr sizes[2 * TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    uint32_t rank = 0;
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    uint32_t count = infer_sizes(c, "sizes", 0, inner);
    if (!ty_infer_view_size(c->symbols, x->rank ? x->sizes[dim] : infer_number(c, 1), count, inner))
        infer_fail(c, "dimension %u of %s cannot be unflattened so", dim, infer_shape(c, x));
    for (uint32_t i = 0; i < dim; i++) sizes[rank++] = x->sizes[i];
    for (uint32_t i = 0; i < count; i++) sizes[rank++] = inner[i];
    for (uint32_t i = dim + 1; i < x->rank; i++) sizes[rank++] = x->sizes[i];
    if (c->status == FE_OK) infer_give(c, infer_reshape(c, x, rank, sizes));
}

void rule_expand(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    uint32_t rank = wanted_sizes(c, sizes);
    if (x && c->status == FE_OK) infer_give(c, infer_expand(c, x, rank, sizes));
}

void rule_squeeze(infer_call *c)
{
    uint32_t dims[TY_MAX_RANK];
    uint64_t set = 0;
    ty_tensor *x = infer_self(c);
    if (!x) return;
    bool all = op_param_index(c->op, "dim") < 0;
    uint32_t count = infer_dims(c, "dim", x->rank, false, dims);
    for (uint32_t i = 0; i < count; i++) set |= (uint64_t)1 << dims[i];
    infer_give(c, infer_squeeze(c, x, all ? ~(uint64_t)0 : set));
}

void rule_unsqueeze(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give(c, infer_unsqueeze(c, x, infer_dim(c, "dim", x->rank + 1)));
}

/* ---- parts ---- */

void rule_select(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    infer_give(c, infer_select(c, x, dim, infer_expr(c, "index", 0)));
}

/* Counted from the end when negative. None: only the run knows whether it is. */
static sym_expr counted_from_start(infer_call *c, sym_expr bound, sym_expr size)
{
    sym_table *t = c->symbols;
    sym_expr zero = infer_number(c, 0), both[] = {bound, size};
    if (infer_proves(c, SYM_LE, zero, bound)) return bound;
    if (infer_proves(c, SYM_LT, bound, zero)) return sym_add(t, bound, size);
    if (infer_has_unbacked(c, 2, both)) return (sym_expr){0};
    sym_expr if_negative = sym_max(t, sym_min(t, bound, zero), infer_number(c, -1)); /* -1 or 0 */
    return sym_sub(t, bound, sym_mul(t, if_negative, size));
}

/* As Python has it: kept between 0 and the size. An expression of both where the sizes decide. */
static sym_expr kept_inside(infer_call *c, sym_expr place, sym_expr size)
{
    sym_expr zero = infer_number(c, 0);
    if (sym_is_none(place) || sym_same(place, zero)) return place;
    return sym_min(c->symbols, sym_max(c->symbols, place, zero), size);
}

/* How many steps lead from start to end, both counted from the start; what is kept inside of one of them
 * alone does not matter. */
static sym_expr slice_length(infer_call *c, sym_expr start, sym_expr end, sym_expr size,
                             sym_expr step)
{
    sym_table *t = c->symbols;
    sym_expr zero = infer_number(c, 0);
    end = sym_min(t, end, size);
    sym_expr span = sym_sub(t, end, start);
    if (!infer_proves(c, SYM_LE, zero, start)) span = sym_min(t, span, end);
    span = sym_max(t, span, zero);
    return sym_floordiv(t, sym_add_int(t, sym_add(t, span, step), -1), step);
}

ty_tensor *infer_between(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr start,
                         sym_expr end, sym_expr step)
{
    if (!x || c->status != FE_OK) return NULL;
    sym_expr zero = infer_number(c, 0), size = x->sizes[dim];
    start = counted_from_start(c, start, size);
    end = counted_from_start(c, end, size);
    bool known = !sym_is_none(start) && !sym_is_none(end);
    sym_expr length = known ? slice_length(c, start, end, size, step) : infer_unbacked(c, 0, dim);
    start = kept_inside(c, start, size);
    ty_tensor *out = infer_narrow(c, x, dim, sym_is_none(start) ? zero : start, length, step);
    if (sym_is_none(start)) out->offset = infer_unbacked_offset(c, 0, x->offset);
    return out;
}

ty_tensor *infer_slice(infer_call *c, const ty_tensor *x)
{
    if (!x) return NULL;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (x->rank == 0) infer_fail(c, "slice of a tensor without dimensions");
    return infer_between(c, x, dim, infer_expr(c, "start", 0), infer_expr(c, "end", INT64_MAX),
                         infer_expr(c, "step", 1));
}

void rule_slice(infer_call *c)
{
    infer_give(c, infer_slice(c, infer_self(c)));
}

void rule_narrow(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    sym_expr length = infer_expr(c, "length", 0);
    sym_expr one = infer_number(c, 1);
    if (x->rank == 0) infer_fail(c, "narrow of a tensor without dimensions");
    if (c->status != FE_OK) return;
    if (infer_tensor(c, "start")) { /* known during the run only */
        sym_expr start = infer_unbacked_offset(c, 0, x->offset);
        ty_tensor *out = infer_narrow(c, x, dim, infer_number(c, 0), length, one);
        out->offset = start;
        infer_give(c, out);
        return;
    }
    sym_expr start = infer_expr(c, "start", 0);
    if (!infer_has_unbacked(c, 1, &start)) start = counted_from_start(c, start, x->sizes[dim]);
    sym_expr end = sym_add(c->symbols, start, length);
    if (!infer_has_unbacked(c, 1, &start)) /* else it is wrapped first */
        (void)INFER_REQUIRE(c, SYM_LE, end, x->sizes[dim],
                            "narrow reaches behind dimension %u of %s", dim, infer_shape(c, x));
    infer_give(c, infer_narrow(c, x, dim, start, length, one));
}

ty_tensor *infer_diagonal(infer_call *c, const ty_tensor *x, int64_t shift, uint32_t a, uint32_t b)
{
    sym_table *t = c->symbols;
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    sym_expr zero = infer_number(c, 0);
    uint32_t rank = 0;
    if (!x) return NULL;
    if (a == b || x->rank < 2) {
        infer_fail(c, "a diagonal of %s over one dimension", infer_shape(c, x));
        return NULL;
    }
    sym_expr rows = sym_add_int(t, x->sizes[a], shift < 0 ? shift : 0);
    sym_expr columns = sym_add_int(t, x->sizes[b], shift > 0 ? -shift : 0);
    sym_expr length = sym_max(t, sym_min(t, rows, columns), zero);
    sym_expr start =
        shift >= 0 ? sym_mul_int(t, x->strides[b], shift) : sym_mul_int(t, x->strides[a], -shift);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i == a || i == b) continue;
        sizes[rank] = x->sizes[i];
        strides[rank++] = x->strides[i];
    }
    sizes[rank] = length;
    strides[rank++] = sym_add(t, x->strides[a], x->strides[b]);
    return infer_view_as(c, x, rank, sizes, strides, sym_add(t, x->offset, start));
}

void rule_diagonal(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t a = infer_dim(c, "dim1", x->rank);
    uint32_t b = infer_dim(c, "dim2", x->rank);
    infer_give(c, infer_diagonal(c, x, infer_int(c, "offset", 0), a, b));
}

void rule_unfold(infer_call *c)
{
    sym_table *t = c->symbols;
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dimension", x->rank);
    int64_t size = infer_int(c, "size", 1);
    int64_t step = infer_int(c, "step", 1);
    sym_expr length = infer_number(c, size);
    sym_expr one = infer_number(c, 1);
    if (x->rank == 0) {
        infer_give(c, infer_view_as(c, x, 1, &length, &one, x->offset));
        return;
    }
    if (step <= 0)
        infer_fail(c, "windows of %lld by steps of %lld over dimension %u of %s", (long long)size,
                   (long long)step, dim, infer_shape(c, x));
    (void)INFER_REQUIRE(c, SYM_LE, length, x->sizes[dim],
                        "maximum size for tensor at dimension %u is %s but size is %lld", dim,
                        infer_written(c, x->sizes[dim]), (long long)size);
    if (c->status != FE_OK) return;
    ty_tensor *out = infer_unsqueeze(c, x, x->rank);
    if (!out) return;
    sym_expr steps = sym_floordiv(t, sym_add_int(t, x->sizes[dim], -size), infer_number(c, step));
    out->sizes[dim] = sym_add_int(t, steps, 1);
    out->strides[dim] = sym_mul_int(t, x->strides[dim], step);
    out->sizes[x->rank] = length;
    out->strides[x->rank] = x->strides[dim];
    infer_give(c, out);
}

/* The input that is all of a user's storage, on which x lies; NULL: it lies on none. */
static const fx_node *users_storage(const infer_call *c, const ty_tensor *x)
{
    const fx_graph *g = c->graph;
    for (uint32_t i = g->inputs.count; i-- > 0 && g->inputs.at[i]->taken;)
        if (g->inputs.at[i]->taken == FX_STORAGE_OF &&
            fx_tensor(g->inputs.at[i])->storage == x->storage)
            return g->inputs.at[i];
    return NULL;
}

/* The input that a storage is taken of lies in it, which every call is held to. */
static bool is_input_itself(const infer_call *c)
{
    const fx_arg *x = &c->node->args[0], *offset = infer_arg(c, "storage_offset");
    const fx_node *from = x->kind == FX_ARG_NODE ? x->node : NULL;
    if (!from || from->taken != FX_STORAGE_OF || !offset || offset->kind != FX_ARG_INT)
        return false;
    for (uint32_t i = 0; i < c->graph->inputs.count; i++) {
        const fx_node *start = c->graph->inputs.at[i];
        if (start->taken == FX_START_OF && strcmp(start->taken_of, from->taken_of) == 0)
            return sym_same(start->value.expr, offset->expr);
    }
    return false;
}

static void need_inside(infer_call *c, const fx_node *storage, uint32_t rank, const sym_expr *sizes,
                        const sym_expr *strides, sym_expr offset)
{
    if (ty_known_empty(c->symbols, rank, sizes)) return;
    sym_expr end = sym_add(c->symbols, offset, ty_reach(c->symbols, rank, sizes, strides));
    (void)INFER_REQUIRE(c, SYM_LE, end, fx_tensor(storage)->sizes[0],
                        "sizes, strides and storage offset are out of bounds for the storage of %s",
                        storage->taken_of);
}

void rule_as_strided(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t rank = infer_sizes(c, "size", 0, sizes);
    if (infer_sizes(c, "stride", 0, strides) != rank)
        infer_fail(c, "as_strided: as many strides as sizes are needed");
    sym_expr offset =
        infer_arg(c, "storage_offset") ? infer_expr(c, "storage_offset", 0) : x->offset;
    const fx_node *storage = users_storage(c, x);
    if (storage && !is_input_itself(c)) need_inside(c, storage, rank, sizes, strides, offset);
    if (c->status == FE_OK) infer_give(c, infer_view_as(c, x, rank, sizes, strides, offset));
}

/* ---- prims ---- */

/* Each dimension of the argument stands where the call says. */
void rule_broadcast_in_dim(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    uint32_t places[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t rank = infer_sizes(c, "shape", 0, sizes);
    if (infer_dims(c, "broadcast_dimensions", rank, false, places) != x->rank)
        infer_fail(c, "not a place for each dimension of %s", infer_shape(c, x));
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < rank; i++) strides[i] = infer_number(c, 0);
    for (uint32_t i = 0; i < x->rank; i++) {
        bool repeated = infer_is(c, x->sizes[i], 1) && !infer_is(c, sizes[places[i]], 1);
        if (!repeated) strides[places[i]] = x->strides[i];
    }
    infer_give(c, infer_view_as(c, x, rank, sizes, strides, x->offset));
}

/* Dimensions start..end as one, in memory of their own. */
void rule_collapse(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    uint32_t rank = 0;
    if (!x || x->rank == 0) return;
    uint32_t first = infer_dim(c, "start", x->rank);
    uint32_t last = infer_dim(c, "end", x->rank);
    if (first > last) infer_fail(c, "collapse of dimensions %u to %u", first, last);
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < first; i++) sizes[rank++] = x->sizes[i];
    sizes[rank++] = sym_product(c->symbols, x->sizes + first, last - first + 1);
    for (uint32_t i = last + 1; i < x->rank; i++) sizes[rank++] = x->sizes[i];
    infer_give(c, infer_fresh(c, x, x->dtype, rank, sizes));
}

/* What src was sliced from: sized as self. */
void rule_slice_inverse(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *src = infer_tensor(c, "src");
    if (x && src) infer_give(c, infer_view_as(c, src, x->rank, x->sizes, x->strides, x->offset));
}

/* ---- torch.func: dimensions that a vmap hides and shows again ---- */

void rule_hide_dim(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "batch_dim", x->rank);
    infer_give(c, infer_select(c, x, dim, infer_number(c, 0)));
}

/* Whether the hidden dimension is there, or the tensor does not depend on it and is expanded, the
 * call does not say: the record knows the strides. */
void rule_show_dim(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "out_dim", x->rank + 1);
    sym_expr size = infer_expr(c, "batch_size", 1);
    if (c->status != FE_OK) return;
    ty_tensor *out = infer_unsqueeze(c, x, dim);
    if (!out) return;
    out->sizes[dim] = size;
    const ty_tensor *recorded = c->recorded.kind == FX_TENSOR ? c->recorded.tensor : NULL;
    bool is_known = recorded && recorded->rank == out->rank;
    if (!is_known) ty_contiguous_strides(c->symbols, out->rank, out->sizes, out->strides);
    infer_give(c, infer_view_as(c, x, out->rank, out->sizes,
                                is_known ? recorded->strides : out->strides,
                                is_known ? recorded->offset : x->offset));
}
