/* rt_linalg.h - what the operators of linear algebra share: the matrices of a batch, copies between
 * layouts, and one task for each matrix.
 *
 * An operand has the batch in front: all operands of a call have the same leading dimensions (one
 * that is broadcast has strides of 0), then the sizes of its matrix, of its vector, or nothing.
 * Inputs have any strides. A matrix that is written is column major (strides 1 and at least its
 * rows), as LAPACK writes it.
 */
#ifndef RT_LINALG_H
#define RT_LINALG_H

#include "rt_aside.h"
#include "rt_matrix.h"
#include "rt_pool.h"
#include "rt_program.h"
#include "rt_team.h"

/* The k-th matrix, vector or number of an operand; an absent one gives data NULL. */
rt_matrix rt_matrix_at(const fe_tensor *t, int64_t k);
rt_matrix rt_vector_at(const fe_tensor *t, int64_t k);
void *rt_number_at(const fe_tensor *t, int64_t k);
/* Numbers of one matrix of the operand. */
int64_t rt_matrix_numbers(const fe_tensor *t);
/* Where those from the k-th on begin, in bytes from the operand's data; its last `inner` dimensions
 * are not of the batch. */
void rt_batch_places(const fe_tensor *t, uint32_t inner, int64_t k, int64_t count, int64_t *places);
/* The matrices from the k-th on, or the vectors where inner is 1. */
rt_aside rt_aside_of(const fe_tensor *t, uint32_t inner, int64_t k, int64_t count);

/* Real number `at` of an array of the type's reals. */
double rt_real_at(int type, const void *reals, int64_t at);
/* Element (i, j) = re, or re + i im where the matrix is complex; `type` may be its real one. */
void rt_put_number(int type, rt_matrix m, int64_t i, int64_t j, double re, double im);

/* The worst that a matrix holds. */
typedef enum rt_number_kind { RT_FINITE, RT_INFINITE, RT_NAN } rt_number_kind;
rt_number_kind rt_worst_kind(int type, rt_matrix m);
void rt_fill_nan(int type, rt_matrix m); /* an absent one is left alone */

/* One call over a batch. */
typedef struct rt_batch {
    rt_frame *frame;
    const rt_call *call;
    int type; /* RT_F32 ..., of the first input, which is a matrix */
    int64_t count;
    size_t work_bytes; /* that each matrix needs to work in */
    int lwork;         /* numbers that the LAPACK routine wants to work in */
    int64_t together;  /* matrices that `some` takes at once */
    void (*one)(const struct rt_batch *b, int64_t k, char *work);
    void (*some)(const struct rt_batch *b, int64_t k, int64_t count, char *work); /* or NULL */
} rt_batch;

/* Fills in what follows from the call, whose first `matrices` outputs are such. Fails on what no
 * operator here takes: other element types, matrices larger than LAPACK's integers, results that
 * are not column major. */
int rt_batch_start(rt_batch *b, rt_frame *frame, const rt_call *call, uint32_t matrices);
/* Runs `one` on each matrix, or `some` on several at once, on several threads where there is work enough;
 * cost: operations for each. */
int rt_batch_run(const rt_batch *b, double cost);

/* Fails where a pivot is no row (1 to rows; in an LDL factorisation the negative of one marks a
 * block of two), which LAPACK would not notice. */
int rt_check_pivots(const rt_batch *b, const fe_tensor *pivots, int64_t rows, int may_be_negative);

#endif
