/* check_matrix.c -- what operators of linear algebra ask of their matrices, where a form of sizes
 * (contract.c) cannot say it.
 */
#include "infer/infer_priv.h"

#include <string.h>

void infer_check_square(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "A");
    if (!x) x = infer_self(c);
    if (!x) return;
    if (x->rank < 2)
        infer_fail(c, "The input tensor A must have at least 2 dimensions, but is %s",
                   infer_shape(c, x));
    if (c->status != FE_OK) return;
    (void)INFER_REQUIRE_EQUAL(c, x->sizes[x->rank - 1], x->sizes[x->rank - 2],
                              "A must be batches of square matrices, but they are %s",
                              infer_shape(c, x));
}

void infer_check_cross(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "other");
    if (!a || !b) return;
    if (a->rank != b->rank || a->rank == 0)
        infer_fail(c, "inputs must have the same number of dimensions: %s and %s",
                   infer_shape(c, a), infer_shape(c, b));
    if (c->status != FE_OK) return;
    uint32_t dim = 0;
    if (infer_arg(c, "dim"))
        dim = infer_dim(c, "dim", a->rank);
    else /* the first of three */
        while (dim + 1 < a->rank && !infer_holds(c, SYM_EQ, a->sizes[dim], infer_number(c, 3)))
            dim++;
    (void)INFER_REQUIRE_EQUAL(c, a->sizes[dim], infer_number(c, 3),
                              "inputs dimension %u must have length 3: %s", dim, infer_shape(c, a));
    (void)INFER_REQUIRE_EQUAL(c, b->sizes[dim], infer_number(c, 3),
                              "inputs dimension %u must have length 3: %s", dim, infer_shape(c, b));
}

void infer_check_inner(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "other");
    if (!a || !b || !a->rank || !b->rank) return;
    if (a->dtype == TY_BOOL) infer_fail(c, "inner of bools");
    if (a->dtype != b->dtype)
        infer_fail(c, "expected m1 and m2 to have the same dtype, but got: %s and %s",
                   infer_shape(c, a), infer_shape(c, b));
    (void)INFER_REQUIRE_EQUAL(
        c, a->sizes[a->rank - 1], b->sizes[b->rank - 1],
        "inner() the last dimension must match on both input tensors but got shapes %s and %s",
        infer_shape(c, a), infer_shape(c, b));
}

void infer_check_triangular(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "B");
    if (!a || !b || a->rank < 2 || b->rank < 2) return;
    sym_expr size = b->sizes[b->rank - (infer_flag(c, "left", true) ? 2 : 1)];
    (void)INFER_REQUIRE_EQUAL(c, a->sizes[a->rank - 1], size,
                              "Incompatible shapes of A and B for the equation AX = B: %s and %s",
                              infer_shape(c, a), infer_shape(c, b));
}

/* B has the rows of A, or where A is solved from the right its columns; a vector stands for a column. */
void infer_check_solved(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "A"), *b = infer_tensor(c, "B");
    if (!a) a = infer_tensor(c, "LU");
    if (!a || !b || a->rank < 2 || b->rank < 1) return;
    bool is_vector = b->rank == 1, left = infer_flag(c, "left", true);
    bool may_be_vector = op_param_index(c->op, "LU") < 0;
    if (is_vector && !left)
        infer_fail(c, "Incompatible shapes of A and B for the equation XA = B: %s and %s",
                   infer_shape(c, a), infer_shape(c, b));
    if (may_be_vector && b->rank + 1 == a->rank) {
        is_vector = true;
        for (uint32_t d = 0; d < b->rank && is_vector; d++)
            is_vector = infer_may_equal(c, a->sizes[d], b->sizes[d]);
    }
    if (!is_vector && b->rank < 2) {
        infer_fail(c, "B is %s, which is no matrix", infer_shape(c, b));
        return;
    }
    sym_expr size = b->sizes[b->rank - (is_vector || !left ? 1 : 2)];
    (void)INFER_REQUIRE_EQUAL(c, size, a->sizes[a->rank - 1],
                              "Incompatible shapes of A and B for the equation AX = B: %s and %s",
                              infer_shape(c, a), infer_shape(c, b));
    uint32_t last = is_vector ? 1 : 2;
    for (uint32_t k = 0; k + 2 < a->rank && k + last < b->rank; k++) {
        sym_expr x = a->sizes[a->rank - 3 - k], y = b->sizes[b->rank - 1 - last - k];
        if (!infer_is_one(c, x) && !infer_is_one(c, y))
            (void)INFER_REQUIRE_EQUAL(c, x, y, "batches of A and B do not broadcast: %s and %s",
                                      infer_shape(c, a), infer_shape(c, b));
    }
}

/* ldl_solve: pivots are those of ldl_factor, int32, where there are any. */
void infer_check_pivots(infer_call *c)
{
    const ty_tensor *pivots = infer_tensor(c, "pivots");
    if (pivots && pivots->dtype != TY_I32 && !infer_is(c, ty_numel(c->symbols, pivots), 0))
        infer_fail(c, "expected pivots of int32, got %s", infer_shape(c, pivots));
}

/* tau has an element for each reflector of input[m, k], of which there are no more than columns. */
void infer_check_reflectors(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "input"), *tau = infer_tensor(c, "tau");
    const ty_tensor *other = infer_tensor(c, "input3");
    if (!a) a = infer_tensor(c, "self");
    if (!other) other = infer_tensor(c, "other");
    if (op_param_index(c->op, "input2") >= 0) tau = infer_tensor(c, "input2");
    if (!a || !tau) return;
    if (a->rank < 2 || tau->rank + 1 != a->rank || (other && other->rank != a->rank)) {
        infer_fail(c, "reflectors %s with tau %s", infer_shape(c, a), infer_shape(c, tau));
        return;
    }
    for (uint32_t d = 0; d + 2 < a->rank; d++) {
        (void)INFER_REQUIRE_EQUAL(c, tau->sizes[d], a->sizes[d], "reflectors %s with tau %s",
                                  infer_shape(c, a), infer_shape(c, tau));
        if (other)
            (void)INFER_REQUIRE_EQUAL(c, other->sizes[d], a->sizes[d], "reflectors %s of %s",
                                      infer_shape(c, a), infer_shape(c, other));
    }
    sym_expr rows = a->sizes[a->rank - 2], columns = a->sizes[a->rank - 1];
    (void)INFER_REQUIRE(c, SYM_LE, tau->sizes[tau->rank - 1], columns,
                        "input.shape[-1] must be greater than or equal to tau.shape[-1]: %s, %s",
                        infer_shape(c, a), infer_shape(c, tau));
    if (!other) {
        (void)INFER_REQUIRE(c, SYM_LE, columns, rows,
                            "input.shape[-2] must be greater than or equal to input.shape[-1]: %s",
                            infer_shape(c, a));
        return;
    }
    sym_expr size = other->sizes[other->rank - (infer_flag(c, "left", true) ? 2 : 1)];
    (void)INFER_REQUIRE_EQUAL(c, size, rows, "reflectors %s do not fit %s", infer_shape(c, a),
                              infer_shape(c, other));
    (void)INFER_REQUIRE_EQUAL(
        c, tau->sizes[tau->rank - 1],
        sym_min(c->symbols, other->sizes[other->rank - 2], a->sizes[a->rank - 1]),
        "tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1]): %s, %s, %s",
        infer_shape(c, tau), infer_shape(c, other), infer_shape(c, a));
}

static sym_expr product(infer_call *c, const ty_tensor *x, uint32_t from, uint32_t to)
{
    sym_expr all = infer_number(c, 1);
    for (uint32_t d = from; d < to; d++) all = sym_mul(c->symbols, all, x->sizes[d]);
    return all;
}

/* tensorinv, tensorsolve: the tensor is a square matrix of its first and its other dimensions. */
void infer_check_invertible(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self"), *b = infer_tensor(c, "other");
    if (!a) return;
    int64_t first = b ? b->rank : infer_int(c, "ind", 2);
    if (!b && first <= 0) infer_fail(c, "Expected a strictly positive integer for 'ind'");
    if (c->status != FE_OK) return;
    if (first > a->rank) first = a->rank;
    sym_expr left = product(c, a, 0, (uint32_t)first),
             right = product(c, a, (uint32_t)first, a->rank);
    if (b && !infer_arg(c, "dims"))
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, b), left,
                                  "Expected self to be of a square matrix for %s, but got %s",
                                  infer_shape(c, b), infer_shape(c, a));
    if (!infer_arg(c, "dims"))
        (void)INFER_REQUIRE_EQUAL(
            c, left, right,
            "Expected self to satisfy prod(self.shape[ind:]) == prod(self.shape[:ind]): %s",
            infer_shape(c, a));
}

/* What a rank is counted of; symmetric ones are square. */
void infer_check_tolerance(infer_call *c)
{
    const ty_tensor *a = infer_self(c);
    if (!a) return;
    if (a->rank < 2)
        infer_fail(c, "The input tensor must have at least 2 dimensions: %s", infer_shape(c, a));
    if (infer_flag(c, "hermitian", false)) infer_check_square(c);
}

/* Norms but the greatest and the least singular value are those of an inverse. */
void infer_check_condition(infer_call *c)
{
    const ty_tensor *a = infer_tensor(c, "self");
    const fx_arg *p = infer_arg(c, "p");
    double number = p && p->kind == FX_ARG_FLOAT ? p->number : 0;
    if (p && p->kind == FX_ARG_INT) number = (double)infer_int(c, "p", 0);
    if (!a) return;
    if (a->rank < 2)
        infer_fail(c, "linalg.cond: The input tensor must have at least 2 dimensions: %s",
                   infer_shape(c, a));
    bool is_empty = infer_is(c, ty_numel(c->symbols, a), 0) && p && p->kind != FX_ARG_STRING;
    if (p && number != 2 && number != -2 && !is_empty) infer_check_square(c);
}
