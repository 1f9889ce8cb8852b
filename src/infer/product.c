/* product.c -- products over chosen dimensions.
 *
 * tensordot, inner, Kronecker, bilinear and trilinear products, chains of matrices, and products by
 * weights that are packed for a kernel.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* The dimensions of a that are not summed, then those of b. */
static void give_contraction(infer_call *c, const ty_tensor *a, uint64_t sum_a, const ty_tensor *b,
                             uint64_t sum_b)
{
    sym_expr sizes[2 * TY_MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!(sum_a >> i & 1)) sizes[rank++] = a->sizes[i];
    for (uint32_t i = 0; i < b->rank; i++)
        if (!(sum_b >> i & 1)) sizes[rank++] = b->sizes[i];
    infer_give(c, infer_fresh(c, a, a->dtype, rank, sizes));
}

void rule_tensordot(infer_call *c)
{
    uint32_t dims_a[TY_MAX_RANK];
    uint32_t dims_b[TY_MAX_RANK];
    uint64_t sum_a = 0;
    uint64_t sum_b = 0;
    ty_tensor *a = infer_tensor(c, "self");
    ty_tensor *b = infer_tensor(c, "other");
    if (!a || !b) return;
    uint32_t count = infer_dims(c, "dims_self", a->rank, false, dims_a);
    if (infer_dims(c, "dims_other", b->rank, false, dims_b) != count)
        infer_fail(c, "not as many dimensions of %s as of %s", infer_shape(c, a),
                   infer_shape(c, b));
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        sym_expr size = a->rank ? a->sizes[dims_a[i]] : infer_number(c, 1);
        sym_expr other = b->rank ? b->sizes[dims_b[i]] : infer_number(c, 1);
        if (!infer_is_one(c, size) && !infer_is_one(c, other))
            (void)INFER_REQUIRE_EQUAL(
                c, size, other, "contracted dimensions need to match, but they do not in %s and %s",
                infer_shape(c, a), infer_shape(c, b));
        sum_a |= (uint64_t)1 << dims_a[i];
        sum_b |= (uint64_t)1 << dims_b[i];
    }
    give_contraction(c, a, sum_a, b, sum_b);
}

/* Over the last dimensions; with a number, a product. */
void rule_inner(infer_call *c)
{
    ty_tensor *a = infer_tensor(c, "self");
    ty_tensor *b = infer_tensor(c, "other");
    const ty_tensor *operands[] = {a, b};
    if (!a || !b) return;
    ty_operand types[] = {{.dtype = a->dtype, .is_zero_dim = a->rank == 0},
                          {.dtype = b->dtype, .is_zero_dim = b->rank == 0}};
    if (a->rank == 0 || b->rank == 0)
        infer_give(c, infer_elementwise(c, ty_result_type(types, 2), operands, 2));
    else
        give_contraction(c, a, (uint64_t)1 << (a->rank - 1), b, (uint64_t)1 << (b->rank - 1));
}

/* Both with dimensions in pairs (of a, of b), multiplied, the pairs joined. */
void rule_kron(infer_call *c)
{
    sym_expr paired[2][2 * TY_MAX_RANK];
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x[] = {infer_tensor(c, "self"), infer_tensor(c, "other")};
    if (!x[0] || !x[1]) return;
    uint32_t rank = x[0]->rank > x[1]->rank ? x[0]->rank : x[1]->rank;
    if (2 * rank > TY_MAX_RANK) {
        infer_fail(c, "a Kronecker product of %s", infer_shape(c, x[0]));
        return;
    }
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = infer_number(c, 1);
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t missing = rank - x[k]->rank;
            paired[k][2 * i] = paired[k][2 * i + 1] = infer_number(c, 1);
            if (i < missing) continue;
            paired[k][2 * i + k] = x[k]->sizes[i - missing];
            sizes[i] = sym_mul(c->symbols, sizes[i], x[k]->sizes[i - missing]);
        }
    }
    const ty_tensor *operands[] = {infer_reshape(c, x[0], 2 * rank, paired[0]),
                                   infer_reshape(c, x[1], 2 * rank, paired[1])};
    ty_dtype dtype = ty_promote_types(x[0]->dtype, x[1]->dtype);
    infer_give(c, infer_reshape(c, infer_elementwise(c, dtype, operands, 2), rank, sizes));
}

/* Leading dimensions of the input, then the weight's first. */
void rule_bilinear(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_tensor(c, "input1");
    ty_tensor *weight = infer_tensor(c, "weight");
    if (!x || !weight || x->rank == 0 || weight->rank != 3) {
        infer_fail(c, "a bilinear product of %s", infer_shape(c, x));
        return;
    }
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sizes[x->rank - 1] = weight->sizes[0];
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank, sizes));
}

/* An operand with the dimensions that it lacks, each named once; *own: those that it has. */
static const ty_tensor *widened(infer_call *c, const char *name, const char *lacks, uint64_t *own)
{
    uint32_t dims[TY_MAX_RANK];
    ty_tensor *x = infer_tensor(c, name);
    const fx_arg *list = infer_arg(c, lacks);
    uint32_t more = list && list->kind == FX_ARG_LIST ? list->list.count : 0;
    if (!x || x->rank + more > TY_MAX_RANK) infer_fail(c, "%s has too many dimensions", name);
    if (c->status != FE_OK) return NULL;
    uint32_t rank = x->rank + more, count = infer_dims(c, lacks, rank, false, dims);
    *own = ((uint64_t)1 << rank) - 1;
    for (uint32_t k = 0; k < count && c->status == FE_OK; k++) {
        if (!(*own >> dims[k] & 1))
            infer_fail(c, "dim %u appears multiple times in the list of dims", dims[k]);
        *own &= ~((uint64_t)1 << dims[k]);
    }
    for (uint32_t d = 0; d < rank && c->status == FE_OK; d++)
        if (!(*own >> d & 1)) x = infer_unsqueeze(c, x, d);
    return x;
}

/* Operands that have a dimension of their own are as long as each other there, or where it is summed 1. */
static void need_extent(infer_call *c, const ty_tensor *const *operands, const uint64_t *own,
                        uint32_t d, bool is_summed)
{
    const ty_tensor *first = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        const ty_tensor *x = operands[i];
        if (!(own[i] >> d & 1) || (is_summed && infer_is_one(c, x->sizes[d]))) continue;
        if (first)
            (void)INFER_REQUIRE_EQUAL(c, x->sizes[d], first->sizes[d],
                                      "%s and %s do not fit along dimension %u", infer_shape(c, x),
                                      infer_shape(c, first), d);
        first = x;
    }
    if (!first && !is_summed) infer_fail(c, "no operand has dimension %u", d);
}

/* Three tensors, each with dimensions put in, multiplied and summed. */
void rule_trilinear(infer_call *c)
{
    static const char *const NAMES[][2] = {{"i1", "expand1"}, {"i2", "expand2"}, {"i3", "expand3"}};
    const ty_tensor *operands[3];
    uint64_t own[3];
    for (uint32_t i = 0; i < 3; i++) operands[i] = widened(c, NAMES[i][0], NAMES[i][1], &own[i]);
    if (c->status != FE_OK) return;
    uint32_t rank = operands[0]->rank, dims[TY_MAX_RANK];
    if (operands[1]->rank != rank || operands[2]->rank != rank) {
        infer_fail(c, "number of dimensions must match");
        return;
    }
    uint64_t sums = 0;
    uint32_t count = infer_dims(c, "sumdim", rank, false, dims);
    int64_t unrolled = infer_int(c, "unroll_dim", 1);
    for (uint32_t k = 0; k < count && c->status == FE_OK; k++) {
        if (sums >> dims[k] & 1)
            infer_fail(c, "dim %u appears multiple times in the list of dims", dims[k]);
        sums |= (uint64_t)1 << dims[k];
    }
    if (unrolled < 0 || unrolled >= (int64_t)rank)
        infer_fail(c, "unroll_dim must be in [0,%u]", rank - 1);
    for (uint32_t d = 0; d < rank && c->status == FE_OK; d++)
        need_extent(c, operands, own, d, sums >> d & 1 && d != (uint64_t)unrolled);
    const ty_tensor *all = infer_elementwise(c, operands[0]->dtype, operands, 3);
    if (!all) return;
    infer_give(c, sums ? infer_reduced(c, all, all->dtype, sums, false)
                       : infer_fresh(c, all, all->dtype, rank, all->sizes));
}

/* A chain of matrices; the ends may be vectors. */
void rule_chain(infer_call *c)
{
    ty_tensor *items[INFER_MAX_OPERANDS];
    const char *name = op_param_index(c->op, "matrices") < 0 ? "tensors" : "matrices";
    uint32_t count = infer_list(c, name, items, INFER_MAX_OPERANDS);
    const ty_tensor *out = count ? items[0] : NULL;
    for (uint32_t i = 1; i < count; i++) out = infer_product(c, out, items[i]);
    if (out) infer_give(c, infer_clone(c, out, count == 1 ? TY_PRESERVE : TY_CONTIGUOUS));
}

/* Rows of the input by a packed weight, as many columns as it has rows (or the call says). */
void rule_packed_product(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    ty_tensor *weight = infer_tensor(c, "mat2");
    if (!x || x->rank == 0) return;
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    if (infer_arg(c, "out_features"))
        sizes[x->rank - 1] = infer_expr(c, "out_features", 1);
    else if (weight && weight->rank)
        sizes[x->rank - 1] = weight->sizes[0];
    infer_give(c, infer_fresh(c, x, x->dtype, x->rank, sizes));
}

/* A weight with its scales and the bias behind it, as numbers. */
void rule_packed_weight(infer_call *c)
{
    static const char *const NAMES[] = {"weights", "scales_zeros", "bias"};
    sym_expr size = infer_number(c, 0);
    for (size_t k = 0; k < COUNT_OF(NAMES); k++) {
        const ty_tensor *x = infer_tensor(c, NAMES[k]);
        if (x) size = sym_add(c->symbols, size, sym_product(c->symbols, x->sizes, x->rank));
    }
    infer_give(c, infer_fresh(c, infer_self(c), TY_F32, 1, &size));
}

/* Matrices of integers; what their product is kept in is the parameter. */
void rule_integer_product(infer_call *c)
{
    ty_tensor *a = infer_self(c), *b = infer_tensor(c, "mat2");
    if (!a || !b || a->rank != 2 || b->rank != 2) return;
    sym_expr sizes[] = {a->sizes[0], b->sizes[1]};
    infer_give(c, infer_fresh(c, a, (ty_dtype)c->param, 2, sizes));
}

/* The same of rows, with a weight whose rows are the columns of the result. */
void rule_integer_linear(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "input"), *weight = infer_tensor(c, "weight");
    sym_expr sizes[TY_MAX_RANK];
    if (!x || !weight || !x->rank || weight->rank != 2) return;
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sizes[x->rank - 1] = weight->sizes[0];
    infer_give(c, infer_fresh(c, x, (ty_dtype)c->param, x->rank, sizes));
}

/* What PyTorch asks of products of groups, in its words. */
static bool may_group(infer_call *c, const ty_tensor *a, const ty_tensor *b, const ty_tensor *ends)
{
    bool flat = a->rank == 2 || b->rank == 2;
    if (a->rank < 2 || a->rank > 3 || b->rank < 2 || b->rank > 3)
        infer_fail(c, "mat_a and mat_b have to be 2 or 3 dimensional");
    else if (flat != (ends != NULL))
        infer_fail(c, "Have to provide offsets if there is a 2d matrix, or no offset if both "
                      "matrices are 3d");
    else if (infer_arg(c, "bias"))
        infer_fail(c, "Bias not supported yet");
    else if (infer_dtype(c, "out_dtype", a->dtype) != a->dtype)
        infer_fail(c, "Grouped gemm output dtype must match `mat_a` dtype");
    if (c->status != FE_OK) return false;
    const ty_tensor *whole = b->rank == 3 ? b : a, *groups = ends ? ends : a;
    return INFER_REQUIRE_EQUAL(c, a->sizes[a->rank - 1], b->sizes[b->rank - 2],
                               "contraction dimension of mat_a and mat_b must match") &&
           (whole->rank == 2 || INFER_REQUIRE_EQUAL(c, whole->sizes[0], groups->sizes[0],
                                                    "matrix batch sizes have to match"));
}

/* Products of groups of rows: [g, n, k] or [n, k] by [g, k, m] or [k, m]. */
void rule_grouped_product(infer_call *c)
{
    sym_expr sizes[3];
    uint32_t rank = 0;
    ty_tensor *a = infer_tensor(c, "self");
    ty_tensor *b = infer_tensor(c, "mat2");
    ty_tensor *ends = infer_tensor(c, "offs");
    if (!a || !b || !may_group(c, a, b, ends)) return;
    if (a->rank == b->rank) sizes[rank++] = (a->rank == 3 ? a : ends)->sizes[0];
    sizes[rank++] = a->sizes[a->rank - 2];
    sizes[rank++] = b->sizes[b->rank - 1];
    infer_give(c, infer_fresh(c, a, a->dtype, rank, sizes));
}
