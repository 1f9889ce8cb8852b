/* linalg.h -- the building blocks of linear algebra: matrices are the last two dims of a tensor,
 * the dims before them a batch. Expects compose.h's `tensor`.
 *
 * What LAPACK does is an extern kernel (extern.def); what PyTorch composes of these is composed
 * here. Matrices that a kernel makes are column major, as PyTorch's are.
 */
#ifndef FERRITE_LOWER_LINALG_H
#define FERRITE_LOWER_LINALG_H

#include "lower/compose.h"

/* ---- matrices (linalg.c) ---- */
tensor lower_mirrored(lowering *l, tensor x); /* the last two dims exchanged */
tensor lower_conjugate(lowering *l, tensor x);
tensor lower_adjoint(lowering *l, tensor x);
tensor lower_diagonal(lowering *l, tensor x);
/* Elements on and above (below) diagonal `shift`, zeros elsewhere. */
tensor lower_triangle(lowering *l, tensor x, bool upper, int64_t shift);
/* Ones on the diagonal of the last two of these sizes. */
tensor lower_identity(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes);
tensor lower_first_rows(lowering *l, tensor x, sym_expr count);
tensor lower_zero_tensor(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes);
/* x * y with these as columns: x[.., i, j] * y[.., j] */
tensor lower_scaled_columns(lowering *l, tensor x, tensor y);
tensor lower_product(lowering *l, tensor a, tensor b);
sym_expr lower_least_size(lowering *l, tensor x); /* of rows and columns */
bool lower_is_empty(lowering *l, tensor x);
/* b's batch dims broadcast against those of *a; both get them. */
void lower_common_batch(lowering *l, tensor *a, tensor *b);

/* ---- kernels ---- */
typedef enum lower_form { LOWER_PLAIN, LOWER_TRANSPOSED, LOWER_ADJOINT } lower_form;
typedef struct lower_lu {
    tensor lu, pivots, info;
} lower_lu;
lower_lu lower_lu_factor(lowering *l, tensor a);
/* x with form(a) x = b; batches are broadcast. */
tensor lower_lu_solve(lowering *l, lower_lu f, tensor b, lower_form form);
/* LDL factors: `lu` has both, pivots as LAPACK has them. */
lower_lu lower_ldl_factor(lowering *l, tensor a, bool hermitian);
tensor lower_ldl_solve(lowering *l, lower_lu f, tensor b, bool hermitian);
/* x with a x = b (or x a = b) for a triangular a. */
tensor lower_triangular_solve(lowering *l, tensor a, tensor b, bool upper, bool left, bool unit);
typedef struct lower_cholesky {
    tensor l, info;
} lower_cholesky;
lower_cholesky lower_cholesky_factor(lowering *l, tensor a, bool upper);
/* The order of rows that pivots make of 0 .. rows-1, i64. */
tensor lower_row_order(lowering *l, tensor pivots, sym_expr rows);
typedef struct lower_qr {
    tensor a, tau;
} lower_qr;
lower_qr lower_qr_factor(lowering *l, tensor a);
/* The first `columns` columns of the product of reflections. */
tensor lower_householder_product(lowering *l, lower_qr f, sym_expr columns);
/* Q c or c Q, or with its adjoint. */
tensor lower_householder_apply(lowering *l, lower_qr f, tensor c, bool left, bool adjoint);
typedef struct lower_svd {
    tensor u, s, vh; /* u and vh absent where they were not asked for */
} lower_svd;
typedef enum lower_vectors {
    LOWER_NO_VECTORS,
    LOWER_SOME_VECTORS,
    LOWER_ALL_VECTORS
} lower_vectors;
/* These three are checked for convergence. */
lower_svd lower_svd_factor(lowering *l, tensor a, lower_vectors vectors);
typedef struct lower_eigen {
    tensor values, vectors;
} lower_eigen;
lower_eigen lower_eigh(lowering *l, tensor a, bool upper, bool vectors);

lower_eigen lower_eig(lowering *l, tensor a, bool vectors); /* both complex */
tensor lower_matrix_exp(lowering *l, tensor a);

/* The program ends with an error where an info is not 0. `name`: of the operator that says so. */
void lower_check_info(lowering *l, tensor info, const char *name);

/* ---- what rows share (linear.c) ---- */
/* x with a x = b, or x a = b. */
typedef struct lower_solution {
    tensor x;
    lower_lu factors;
} lower_solution;
lower_solution lower_solve(lowering *l, tensor a, tensor b, bool left);
lower_solution lower_inverse(lowering *l, tensor a);
tensor lower_first_arg(lowering *l);
/* Gives items as recorded: in their dtypes and sizes; absent ones are empty. */
fe_status lower_give_factors(lowering *l, const tensor *items, uint32_t count);

#endif
