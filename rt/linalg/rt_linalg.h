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

#include "rt_pool.h"
#include "rt_program.h"
#include "rt_team.h"

/* Rows of a table of routines, one for each element type. */
enum { RT_F32, RT_F64, RT_C64, RT_C128, RT_LINALG_TYPES };

/* One matrix of a batch. A vector is a column, a number one row of one column. */
typedef struct rt_matrix {
    char *data;
    int64_t rows, columns;
    int64_t row, column; /* strides, in elements */
    size_t element;      /* bytes */
} rt_matrix;

/* The k-th matrix, vector or number of an operand; an absent one gives data NULL. */
rt_matrix rt_matrix_at(const fe_tensor *t, int64_t k);
rt_matrix rt_vector_at(const fe_tensor *t, int64_t k);
void *rt_number_at(const fe_tensor *t, int64_t k);
/* Where those from the k-th on begin, in bytes from the operand's data; its last `inner` dimensions
 * are not of the batch. */
void rt_batch_places(const fe_tensor *t, uint32_t inner, int64_t k, int64_t count, int64_t *places);

static inline size_t rt_real_bytes(int type)
{
    return type == RT_F32 || type == RT_C64 ? sizeof(float) : sizeof(double);
}
static inline size_t rt_type_bytes(int type)
{
    return rt_real_bytes(type) * (type == RT_C64 || type == RT_C128 ? 2 : 1);
}
static inline int rt_is_complex(int type)
{
    return type == RT_C64 || type == RT_C128;
}

/* Real number `at` of an array of the type's reals. */
double rt_real_at(int type, const void *reals, int64_t at);
/* Element (i, j) = re, or re + i im where the matrix is complex; `type` may be its real one. */
void rt_put_number(int type, rt_matrix m, int64_t i, int64_t j, double re, double im);

/* The worst that a matrix holds. */
typedef enum rt_number_kind { RT_FINITE, RT_INFINITE, RT_NAN } rt_number_kind;
rt_number_kind rt_worst_kind(int type, rt_matrix m);
void rt_fill_nan(int type, rt_matrix m); /* an absent one is left alone */

/* Same sizes, any strides. */
void rt_matrix_copy(rt_matrix to, rt_matrix from);
/* Only its upper triangle, or its lower one, with the diagonal; the rest of `to` becomes 0. */
void rt_matrix_copy_triangle(rt_matrix to, rt_matrix from, int upper);
/* A column-major matrix at `data`. */
rt_matrix rt_columns(void *data, int64_t rows, int64_t columns, size_t element);
int64_t rt_matrix_bytes(rt_matrix m);
/* LAPACK's leading dimension of a column-major matrix. */
static inline int rt_leading(rt_matrix m)
{
    return (int)(m.columns > 1 ? m.column : m.rows > 0 ? m.rows : 1);
}

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

/* Part of a work area: the next `bytes` of it, aligned. */
void *rt_work_take(char **work, int64_t bytes);
/* What rt_work_take takes for so many. */
size_t rt_work_bytes(int64_t bytes);

#endif
