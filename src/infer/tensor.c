/* tensor.c -- tensors made from tensors: the algebra that the rules are written in.
 *
 * Fresh ones and views, and the two operations that most operators come down to: elementwise over
 * broadcast operands, and a reduction. A tensor made here has no storage number of its own until it
 * is given as a result; views have their base's.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* ---- fresh ones ---- */

ty_tensor *infer_fresh(infer_call *c, const ty_tensor *like, ty_dtype dtype, uint32_t rank,
                       const sym_expr *sizes)
{
    if (!like) return NULL;
    if (rank > TY_MAX_RANK) {
        infer_fail(c, "a result of %u dimensions", rank);
        return NULL;
    }
    return ty_tensor_new(c->memory, c->symbols, dtype, like->device, rank, sizes);
}

ty_tensor *infer_fresh_strided(infer_call *c, const ty_tensor *like, ty_dtype dtype, uint32_t rank,
                               const sym_expr *sizes, const sym_expr *strides)
{
    ty_tensor *x = infer_fresh(c, like, dtype, rank, sizes);
    if (x) memcpy(x->strides, strides, rank * sizeof *strides);
    return x;
}

ty_tensor *infer_like(infer_call *c, const ty_tensor *x, ty_dtype dtype, ty_memory_format format)
{
    if (!x) return NULL;
    ty_tensor *out = infer_fresh(c, x, dtype, x->rank, x->sizes);
    if (format == TY_PRESERVE)
        ty_preserved_strides(c->symbols, x, out->strides);
    else
        ty_format_strides(c->symbols, format, x->rank, x->sizes, out->strides);
    return out;
}

ty_tensor *infer_clone(infer_call *c, const ty_tensor *x, ty_memory_format format)
{
    return x ? infer_like(c, x, x->dtype, format) : NULL;
}

static bool has_format(infer_call *c, const ty_tensor *x, ty_memory_format format)
{
    if (format == TY_CHANNELS_LAST || format == TY_CHANNELS_LAST_3D)
        return ty_is_channels_last(c->symbols, x);
    return ty_is_contiguous(c->symbols, x);
}

ty_tensor *infer_contiguous(infer_call *c, ty_tensor *x, ty_memory_format format)
{
    if (!x || format == TY_PRESERVE || has_format(c, x, format)) return x;
    return infer_clone(c, x, format);
}

ty_tensor *infer_in_place_of(infer_call *c, const ty_tensor *x)
{
    ty_tensor *out = infer_alias(c, x);
    if (out) out->storage = 0;
    return out;
}

/* ---- views ---- */

ty_tensor *infer_view_as(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                         const sym_expr *strides, sym_expr offset)
{
    ty_tensor *out = infer_fresh_strided(c, x, x ? x->dtype : TY_F32, rank, sizes, strides);
    if (!out) return NULL;
    out->offset = offset;
    out->storage = x->storage;
    return out;
}

ty_tensor *infer_alias(infer_call *c, const ty_tensor *x)
{
    return x ? infer_view_as(c, x, x->rank, x->sizes, x->strides, x->offset) : NULL;
}

ty_tensor *infer_permute(infer_call *c, const ty_tensor *x, const uint32_t *order)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) {
        sizes[i] = x->sizes[order[i]];
        strides[i] = x->strides[order[i]];
    }
    return infer_view_as(c, x, x->rank, sizes, strides, x->offset);
}

ty_tensor *infer_transpose(infer_call *c, const ty_tensor *x, uint32_t a, uint32_t b)
{
    uint32_t order[TY_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) order[i] = i == a ? b : i == b ? a : i;
    return infer_permute(c, x, order);
}

ty_tensor *infer_expand(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *given)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    if (!x) return NULL;
    if (rank < x->rank || rank > TY_MAX_RANK) {
        infer_fail(c, "%s cannot be expanded to %u dimensions", infer_shape(c, x), rank);
        return NULL;
    }
    uint32_t added = rank - x->rank;
    for (uint32_t i = rank; i-- > 0;) {
        bool is_new = i < added;
        sym_expr size = is_new ? infer_number(c, 1) : x->sizes[i - added];
        sizes[i] = infer_is(c, given[i], -1) ? size : given[i];
        if (is_new && infer_is(c, given[i], -1))
            infer_fail(c,
                       "The expanded size of the tensor (-1) isn't allowed in a leading, "
                       "non-existing dimension %u",
                       i);
        bool is_repeated =
            is_new || (ty_at_most_one(c->symbols, size) && !ty_at_most_one(c->symbols, sizes[i]));
        strides[i] = is_repeated ? infer_number(c, 0) : x->strides[i - added];
        if (is_new && infer_is(c, sizes[i], 1))
            strides[i] = x->rank ? sym_mul(c->symbols, x->sizes[0], x->strides[0]) : sizes[i];
        if (is_repeated && !infer_need_one(c, size, sizes[i])) return NULL;
        if (is_repeated || sym_known_equal(c->symbols, size, sizes[i])) continue;
        if (!INFER_REQUIRE_EQUAL(c, size, sizes[i],
                                 "%s cannot be expanded: dimension %u to size %s",
                                 infer_shape(c, x), i, infer_written(c, sizes[i])))
            return NULL;
        sizes[i] = size;
    }
    return infer_view_as(c, x, rank, sizes, strides, x->offset);
}

ty_tensor *infer_unsqueeze(infer_call *c, const ty_tensor *x, uint32_t dim)
{
    sym_expr sizes[TY_MAX_RANK + 1];
    sym_expr strides[TY_MAX_RANK + 1];
    if (x && x->rank == TY_MAX_RANK) infer_fail(c, "more than %d dimensions", TY_MAX_RANK);
    if (!x || c->status != FE_OK) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) {
        sizes[i + (i >= dim)] = x->sizes[i];
        strides[i + (i >= dim)] = x->strides[i];
    }
    sizes[dim] = infer_number(c, 1);
    strides[dim] =
        dim < x->rank ? sym_mul(c->symbols, x->sizes[dim], x->strides[dim]) : infer_number(c, 1);
    return infer_view_as(c, x, x->rank + 1, sizes, strides, x->offset);
}

/* A size decides how many dimensions there are, which a program has compiled in. */
static bool is_squeezed(infer_call *c, const ty_tensor *x, uint32_t dim)
{
    sym_expr one = infer_number(c, 1);
    bool goes = infer_prefers(c, SYM_EQ, x->sizes[dim], one);
    (void)INFER_REQUIRE(c, goes ? SYM_EQ : SYM_NE, x->sizes[dim], one,
                        "dimension %u of %s, which goes where its size is 1, was %s in the "
                        "example that the program was made from",
                        dim, infer_shape(c, x), goes ? "so" : "not");
    return goes;
}

ty_tensor *infer_squeeze(infer_call *c, const ty_tensor *x, uint64_t dims)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    uint32_t rank = 0;
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) {
        if ((dims >> i & 1) && is_squeezed(c, x, i)) continue;
        sizes[rank] = x->sizes[i];
        strides[rank++] = x->strides[i];
    }
    return infer_view_as(c, x, rank, sizes, strides, x->offset);
}

ty_tensor *infer_select(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr index)
{
    sym_table *t = c->symbols;
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    if (!x) return NULL;
    if (x->rank == 0) {
        infer_fail(c, "select of a tensor without dimensions");
        return NULL;
    }
    for (uint32_t i = 0; i + 1 < x->rank; i++) {
        sizes[i] = x->sizes[i + (i >= dim)];
        strides[i] = x->strides[i + (i >= dim)];
    }
    bool negative = infer_holds(c, SYM_LT, index, infer_number(c, 0));
    bool decided = negative || infer_holds(c, SYM_LE, infer_number(c, 0), index);
    if (negative) index = sym_add(t, index, x->sizes[dim]);
    sym_expr offset = decided || !infer_has_unbacked(c, 1, &index)
                          ? sym_add(t, x->offset, sym_mul(t, index, x->strides[dim]))
                          : infer_unbacked_offset(c, 0, x->offset);
    return infer_view_as(c, x, x->rank - 1, sizes, strides, offset);
}

ty_tensor *infer_narrow(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr start,
                        sym_expr length, sym_expr step)
{
    sym_table *t = c->symbols;
    if (!x) return NULL;
    sym_expr offset = sym_add(t, x->offset, sym_mul(t, start, x->strides[dim]));
    ty_tensor *out = infer_view_as(c, x, x->rank, x->sizes, x->strides, offset);
    out->sizes[dim] = length;
    out->strides[dim] = sym_mul(t, x->strides[dim], step);
    return out;
}

/* ---- arithmetic ---- */

/* Are all of these sizes and in this format? */
static bool all_have_format(infer_call *c, const ty_tensor *const *operands, uint32_t count,
                            uint32_t rank, const sym_expr *sizes, ty_memory_format format)
{
    for (uint32_t i = 0; i < count; i++) {
        const ty_tensor *x = operands[i];
        if (x->rank == 0) continue;
        if (x->rank != rank || (format == TY_CHANNELS_LAST && rank != 4)) return false;
        for (uint32_t d = 0; d < rank; d++)
            if (!sym_known_equal(c->symbols, x->sizes[d], sizes[d])) return false;
        if (!has_format(c, x, format)) return false;
    }
    return true;
}

/* The operand as expand() gives it, which strides of 1-sized dimensions tell. */
static const ty_tensor *broadcast_to(infer_call *c, const ty_tensor *x, uint32_t rank,
                                     const sym_expr *sizes)
{
    return x->rank == rank ? x : infer_expand(c, x, rank, sizes);
}

static bool is_symbolic(infer_call *c, const ty_tensor *x)
{
    for (uint32_t d = 0; d < x->rank; d++)
        if (!sym_is_int(c->symbols, x->sizes[d], NULL) ||
            !sym_is_int(c->symbols, x->strides[d], NULL))
            return true;
    return false;
}

/* Is one of several operands a tensor without dimensions, and no size a symbol? */
static bool has_number(infer_call *c, const ty_tensor *const *operands, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        if (is_symbolic(c, operands[i])) return false;
        found |= operands[i]->rank == 0;
    }
    return found;
}

/* The strides of an elementwise result as PyTorch's fake tensors have them: contiguous or channels
 * last where all operands are (and not both), else by the order of the operands' strides. Unlike
 * TensorIterator on data they never copy an operand's strides as they stand, which differs where
 * sizes are 1; an operand without dimensions keeps ty_pointwise_strides from that short cut, and from
 * both where the call has one. */
static void elementwise_strides(infer_call *c, const ty_tensor *const *operands, uint32_t count,
                                uint32_t rank, const sym_expr *sizes, sym_expr *strides)
{
    const ty_tensor *sorted[INFER_MAX_OPERANDS + 1];
    const ty_tensor number = {.dtype = TY_F32};
    const ty_tensor *whole[INFER_MAX_OPERANDS];
    for (uint32_t i = 0; i < count; i++)
        whole[i] = operands[i]->rank ? broadcast_to(c, operands[i], rank, sizes) : operands[i];
    operands = whole;
    bool empty = infer_is(c, sym_product(c->symbols, sizes, rank), 0);
    bool sorts = has_number(c, operands, count);
    bool contiguous = !sorts && all_have_format(c, operands, count, rank, sizes, TY_CONTIGUOUS);
    bool channels_last =
        !sorts && all_have_format(c, operands, count, rank, sizes, TY_CHANNELS_LAST);
    if (empty || rank < 2 || (contiguous && !channels_last)) {
        ty_contiguous_strides(c->symbols, rank, sizes, strides);
    } else if (channels_last && !contiguous) {
        ty_format_strides(c->symbols, TY_CHANNELS_LAST, rank, sizes, strides);
    } else {
        memcpy(sorted, operands, count * sizeof *operands);
        sorted[count] = &number;
        ty_pointwise_strides(c->symbols, sorted, count + 1, rank, sizes, strides);
    }
}

bool infer_broadcast(infer_call *c, const ty_tensor *x, uint32_t dims, uint32_t *rank,
                     sym_expr *sizes)
{
    sym_expr before[TY_MAX_RANK];
    uint32_t had = *rank;
    memcpy(before, sizes, had * sizeof *sizes);
    if (!ty_broadcast(c->symbols, had, before, dims, x->sizes, rank, sizes)) return false;
    for (uint32_t i = 0; i < had; i++)
        if (!ty_at_most_one(c->symbols, before[i])) sizes[i + *rank - had] = before[i];
    ty_tensor so_far = {.rank = had, .sizes = before}, more = {.rank = dims, .sizes = x->sizes};
    return infer_require_broadcast(c, &so_far, &more);
}

ty_tensor *infer_elementwise(infer_call *c, ty_dtype dtype, const ty_tensor *const *operands,
                             uint32_t count)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_expr strides[TY_MAX_RANK];
    uint32_t rank = 0;
    const ty_tensor *device = NULL;
    if (count > INFER_MAX_OPERANDS) infer_fail(c, "more than %d operands", INFER_MAX_OPERANDS);
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++) {
        const ty_tensor *x = operands[i];
        if (!x) return NULL;
        if (!infer_broadcast(c, x, x->rank, &rank, sizes))
            infer_fail(c, "shapes do not broadcast: %s and %s", infer_shape(c, operands[0]),
                       infer_shape(c, x));
        if (!device || (device->rank == 0 && x->rank > 0)) device = x;
    }
    if (c->status != FE_OK) return NULL;
    elementwise_strides(c, operands, count, rank, sizes, strides);
    return infer_fresh_strided(c, device, dtype, rank, sizes, strides);
}

ty_tensor *infer_arithmetic(infer_call *c, ty_dtype dtype, const ty_tensor *const *operands,
                            uint32_t count)
{
    bool symbolic = false, whole = false, contiguous = true, channels_last = true;
    ty_tensor *out = infer_elementwise(c, dtype, operands, count);
    for (uint32_t i = 0; out && i < count; i++) {
        const ty_tensor *x = operands[i];
        bool same = x->rank == out->rank;
        for (uint32_t d = 0; same && d < x->rank; d++)
            same = sym_known_equal(c->symbols, x->sizes[d], out->sizes[d]);
        whole |= same;
        symbolic |= is_symbolic(c, x);
        contiguous &= has_format(c, x, TY_CONTIGUOUS);
        channels_last &= x->rank == 4 && has_format(c, x, TY_CHANNELS_LAST);
    }
    if (out && symbolic && whole && (contiguous || channels_last))
        ty_format_strides(c->symbols, contiguous ? TY_CONTIGUOUS : TY_CHANNELS_LAST, out->rank,
                          out->sizes, out->strides);
    return out;
}

ty_tensor *infer_empty_like(infer_call *c, const ty_tensor *x, ty_dtype dtype)
{
    return x ? infer_elementwise(c, dtype, &x, 1) : NULL;
}

ty_tensor *infer_reduced(infer_call *c, const ty_tensor *x, ty_dtype dtype, uint64_t dims,
                         bool keepdim)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) {
        bool reduced = dims >> i & 1;
        if (!reduced || keepdim) sizes[rank++] = reduced ? infer_number(c, 1) : x->sizes[i];
    }
    return infer_fresh(c, x, dtype, rank, sizes);
}
