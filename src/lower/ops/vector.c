/* vector.c -- vectors and their geometry: dot products along a dimension, distances, cross
 * products, norms that scale, differences and integrals between neighbours.
 */
#include "lower/ops/linalg.h"
#include "lower/ops/order.h"

#include <string.h>

static tensor sum_along(lowering *l, tensor x, uint32_t dim)
{
    return lower_along(l, LOOP_SUM, x, dim, false);
}

/* ---- similarity and distance ---- */

/* Norms of the rows of `difference`, whose last dim is the one to reduce. */
static tensor row_norms(lowering *l, tensor difference, double p)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    reduced[difference.rank - 1] = true;
    return lower_norm(l, difference, p, reduced, false);
}

/* cdist: every row of x1 against every row of x2. */
fe_status lower_op_cdist(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor a = lower_computed_arg(l, "x1"), b = lower_computed_arg(l, "x2");
    a = lower_unsqueeze(l, a, a.rank - 1);
    b = lower_unsqueeze(l, b, b.rank - 2);
    return lower_give_as_recorded(l, row_norms(l, T_SUB(a, b), lower_number_or(l, "p", 2)));
}

/* ---- products ---- */

fe_status lower_op_vecdot(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor a = lower_computed_arg(l, "x"), b = lower_computed_arg(l, "y");
    tensor product = T_MUL(lower_conjugate(l, a), b);
    return lower_give_as_recorded(
        l, sum_along(l, product, lower_dim(l, lower_int_or(l, "dim", -1), product.rank)));
}

/* cross without a dim takes the first of three elements. */
fe_status lower_op_cross(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor a = lower_expand(l, lower_computed_arg(l, "self"), out->rank, out->sizes);
    tensor b = lower_expand(l, lower_computed_arg(l, "other"), out->rank, out->sizes);
    uint32_t dim = 0;
    int64_t given, size;
    if (lower_int(l, "dim", &given))
        dim = lower_dim(l, given, out->rank);
    else
        while (dim + 1 < out->rank &&
               !(sym_is_int(l->symbols, out->sizes[dim], &size) && size == 3))
            dim++;
    lower_share(l, a);
    lower_share(l, b);
    sym_expr one[LOWER_MAX_RANK], two[LOWER_MAX_RANK], three = lower_const(l, 3);
    memcpy(one, l->axes, out->rank * sizeof *one);
    memcpy(two, l->axes, out->rank * sizeof *two);
    one[dim] = sym_mod(l->symbols, sym_add_int(l->symbols, l->axes[dim], 1), three);
    two[dim] = sym_mod(l->symbols, sym_add_int(l->symbols, l->axes[dim], 2), three);
    loop_value plus = lower_op2(l, LOOP_MUL, lower_at(l, a, one), lower_at(l, b, two));
    loop_value minus = lower_op2(l, LOOP_MUL, lower_at(l, a, two), lower_at(l, b, one));
    loop_value v = lower_op2(l, LOOP_SUB, plus, minus);
    return lower_give_as_recorded(l, lower_value(l, lower_dtype(a), out->rank, out->sizes, v));
}

/* kron: element i of a dim is element i // size of the first times element i % size of the second. */
fe_status lower_op_kron(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor a = lower_computed_arg(l, "self"), b = lower_computed_arg(l, "other");
    while (a.rank < out->rank) a = lower_unsqueeze(l, a, 0);
    while (b.rank < out->rank) b = lower_unsqueeze(l, b, 0);
    sym_expr outer[LOWER_MAX_RANK], inner[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < out->rank; k++) {
        bool empty = lower_is_zero(l, b.sizes[k]);
        outer[k] = empty ? l->zero : sym_floordiv(l->symbols, l->axes[k], b.sizes[k]);
        inner[k] = empty ? l->zero : sym_mod(l->symbols, l->axes[k], b.sizes[k]);
    }
    loop_value x = lower_at(l, a, outer), y = lower_at(l, b, inner);
    loop_value v = lower_op2(l, lower_dtype(a) == TY_BOOL ? LOOP_AND : LOOP_MUL, x, y);
    return lower_give_as_recorded(l, lower_value(l, lower_dtype(a), out->rank, out->sizes, v));
}

/* ---- norms that scale ---- */

/* v * (g / norm of v over all dims but one); the interface form gives the norm too. */
fe_status lower_op_weight_norm(lowering *l, fx_node *n, const lower_row *row)
{
    tensor v = lower_computed_arg(l, "v"), g = lower_computed_arg(l, "g");
    int64_t dim = lower_int_or(l, "dim", 0);
    bool reduced[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < v.rank; k++) reduced[k] = dim == -1 || k != lower_dim(l, dim, v.rank);
    lower_share(l, v);
    ty_dtype d = lower_compute_dtype(lower_meta(l, 0)->dtype);
    tensor norm = lower_norm(l, v, 2, reduced, true),
           scale = T_DIV(lower_cast(l, g, d), lower_cast(l, norm, d)),
           w = T_MUL(lower_cast(l, v, d), scale);
    if (!row->parameter) return lower_give_as_recorded(l, w);
    tensor items[2] = {lower_cast(l, w, lower_meta(l, 0)->dtype), norm};
    const ty_tensor *meta = lower_meta(l, 1);
    items[1] = lower_cast(l, lower_reshape(l, norm, meta->rank, meta->sizes), meta->dtype);
    (void)n;
    return lower_give_items(l, items, 2);
}

/* ---- neighbours ---- */

static tensor shifted(lowering *l, tensor x, uint32_t dim, int64_t by)
{
    sym_expr length = sym_add_int(l->symbols, x.sizes[dim], -1);
    return lower_slice(l, x, dim, lower_const(l, by), length, l->one);
}

fe_status lower_op_diff(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    tensor x = lower_arg(l, "self");
    int64_t times = lower_int_or(l, "n", 1);
    uint32_t dim = lower_dim(l, lower_int_or(l, "dim", -1), x.rank);
    if (!times) return lower_give_as_recorded(l, x); /* whatever stands around it */
    tensor parts[3];
    uint32_t count = 0;
    if (!lower_is_none(l, "prepend")) parts[count++] = lower_arg(l, "prepend");
    parts[count++] = x;
    if (!lower_is_none(l, "append")) parts[count++] = lower_arg(l, "append");
    const ty_tensor *given = fx_tensor(n);
    ty_dtype out = given->dtype;
    if (given->rank && lower_is_zero(l, given->sizes[dim]))
        return lower_give(l, lower_zero_tensor(l, out, given->rank, given->sizes));
    enum { MOST_TIMES = 1000 };
    if (times > MOST_TIMES)
        return lower_fail(l, "more than %d differences of differences", MOST_TIMES);
    for (uint32_t k = 0; k < count; k++)
        if (parts[k].rank != x.rank)
            return lower_fail(l, "what stands before or behind has another rank");
    if (count > 1) x = lower_joined(l, parts, count, dim, out);
    x = lower_cast(l, x, lower_compute_dtype(out));
    for (; times > 0; times--) {
        if (lower_is_zero(l, x.sizes[dim])) break;
        lower_share(l, x);
        bool is_bool = lower_dtype(x) == TY_BOOL;
        x = lower_binary(l, is_bool ? LOOP_XOR : LOOP_SUB, shifted(l, x, dim, 1),
                         shifted(l, x, dim, 0));
    }
    return lower_give_as_recorded(l, x);
}
