/* matmul.c -- matrix products and what is made of them.
 *
 * mm and bmm give contiguous results; matmul, linear and their kin are the views, products and
 * views back that PyTorch composes them of, hence contiguous as well.
 */
#include "infer/infer_priv.h"

#include <string.h>

static void fail_shapes(infer_call *c, const ty_tensor *a, const ty_tensor *b)
{
    infer_fail(c, "shapes do not fit for a product: %s and %s", infer_shape(c, a),
               infer_shape(c, b));
}

/* ---- kernels ---- */

/* [..., n, k] by [..., k, m] of the rank that the parameter says: mm, bmm, addmm, baddbmm. */
void rule_matrices(infer_call *c)
{
    static const char *const NAMES[][2] = {
        {"mat1", "mat2"}, {"batch1", "batch2"}, {"self", "mat2"}};
    ty_tensor *a = NULL;
    ty_tensor *b = NULL;
    for (size_t i = 0; i < COUNT_OF(NAMES) && !(a && b); i++) {
        a = infer_tensor(c, NAMES[i][0]);
        b = infer_tensor(c, NAMES[i][1]);
    }
    uint32_t rank = (uint32_t)c->param;
    if (!a || !b || a->rank != rank || b->rank != rank ||
        !infer_may_equal(c, a->sizes[rank - 1], b->sizes[rank - 2])) {
        fail_shapes(c, a, b);
        return;
    }
    sym_expr sizes[] = {a->sizes[0], a->sizes[rank - 2], b->sizes[rank - 1]};
    ty_dtype dtype = infer_dtype(c, "out_dtype", a->dtype);
    infer_give(c, infer_fresh(c, a, dtype, rank, sizes + (3 - rank)));
}

/* A sum of batched products: one matrix. */
void rule_addbmm(infer_call *c)
{
    ty_tensor *a = infer_tensor(c, "batch1");
    ty_tensor *b = infer_tensor(c, "batch2");
    if (!a || !b || a->rank != 3 || b->rank != 3) {
        fail_shapes(c, a, b);
        return;
    }
    sym_expr sizes[] = {a->sizes[1], b->sizes[2]};
    infer_give(c, infer_fresh(c, a, a->dtype, 2, sizes));
}

void rule_matrix_vector(infer_call *c)
{
    ty_tensor *a = infer_tensor(c, op_param_index(c->op, "mat") < 0 ? "self" : "mat");
    ty_tensor *v = infer_tensor(c, "vec");
    if (!a || !v || a->rank != 2 || v->rank != 1 || !infer_may_equal(c, a->sizes[1], v->sizes[0])) {
        fail_shapes(c, a, v);
        return;
    }
    infer_give(c, infer_fresh(c, a, a->dtype, 1, a->sizes));
}

void rule_dot(infer_call *c)
{
    ty_tensor *a = infer_tensor(c, "self");
    if (a) infer_give(c, infer_fresh(c, a, a->dtype, 0, NULL));
}

/* The outer product of two vectors; added to self, elementwise. */
void rule_outer(infer_call *c)
{
    bool adds = op_param_index(c->op, "vec1") >= 0;
    ty_tensor *self = infer_tensor(c, "self");
    ty_tensor *a = adds ? infer_tensor(c, "vec1") : self;
    ty_tensor *b = infer_tensor(c, "vec2");
    if (!self || !a || !b || a->rank != 1 || b->rank != 1) {
        fail_shapes(c, a, b);
        return;
    }
    sym_expr sizes[] = {a->sizes[0], b->sizes[0]};
    ty_tensor *product = infer_fresh(c, a, ty_promote_types(a->dtype, b->dtype), 2, sizes);
    const ty_tensor *operands[] = {self, product};
    ty_dtype dtype = ty_promote_types(product->dtype, self->dtype);
    infer_give(c, adds ? infer_elementwise(c, dtype, operands, 2) : product);
}

/* ---- compositions ---- */

/* Folded or batched, PyTorch makes the result contiguous. */
ty_tensor *infer_product(infer_call *c, const ty_tensor *a, const ty_tensor *b)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    if (!a || !b) return NULL;
    if (a->rank == 0 || b->rank == 0) {
        fail_shapes(c, a, b);
        return NULL;
    }
    sym_expr inner = b->sizes[b->rank > 1 ? b->rank - 2 : 0];
    ty_tensor batch_a = *a, batch_b = *b;
    batch_a.rank = a->rank > 2 ? a->rank - 2 : 0;
    batch_b.rank = b->rank > 2 ? b->rank - 2 : 0;
    if (!INFER_REQUIRE_EQUAL(c, a->sizes[a->rank - 1], inner,
                             "shapes do not fit for a product: %s and %s", infer_shape(c, a),
                             infer_shape(c, b)) ||
        !infer_require_broadcast(c, &batch_a, &batch_b) ||
        !ty_broadcast(c->symbols, batch_a.rank, a->sizes, batch_b.rank, b->sizes, &rank, sizes))
        return NULL;
    if (a->rank > 1) sizes[rank++] = a->sizes[a->rank - 2];
    if (b->rank > 1) sizes[rank++] = b->sizes[b->rank - 1];
    return infer_fresh(c, a, a->dtype, rank, sizes);
}

void rule_matmul(infer_call *c)
{
    infer_give(c, infer_product(c, infer_tensor(c, "self"), infer_tensor(c, "other")));
}

void rule_linear(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, op_param_index(c->op, "input") < 0 ? "self" : "input");
    const ty_tensor *weight = infer_tensor(c, "weight");
    if (!x || !weight || weight->rank == 0 || weight->rank > 2) {
        fail_shapes(c, x, weight);
        return;
    }
    const ty_tensor *bias = infer_tensor(c, "bias");
    if (weight->rank == 1 && bias && (bias->rank || x->rank == 2))
        infer_fail(c, "mat2 must be a matrix, got 1-D tensor");
    if (weight->rank == 2) weight = infer_transpose(c, weight, 0, 1);
    infer_give(c, infer_product(c, x, weight));
}
