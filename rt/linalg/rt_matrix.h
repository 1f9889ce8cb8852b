/* rt_matrix.h - matrices of any strides, copies of them, and the memory that routines work in. Kernels
 * see it too.
 */
#ifndef RT_MATRIX_H
#define RT_MATRIX_H

#include <stddef.h>
#include <stdint.h>

/* Rows of a table of routines, one for each element type. */
enum { RT_F32, RT_F64, RT_C64, RT_C128, RT_LINALG_TYPES };

/* One matrix of a batch. A vector is a column, a number one row of one column. */
typedef struct rt_matrix {
    char *data;
    int64_t rows, columns;
    int64_t row, column; /* strides, in elements */
    size_t element;      /* bytes */
} rt_matrix;

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

/* Same sizes, any strides. */
void rt_matrix_copy(rt_matrix to, rt_matrix from);
/* Only its upper triangle, or its lower one, with the diagonal; the rest of `to` becomes 0. */
void rt_matrix_copy_triangle(rt_matrix to, rt_matrix from, int upper);
void rt_matrix_clear(rt_matrix m);
/* A column-major matrix at `data`. */
rt_matrix rt_columns(void *data, int64_t rows, int64_t columns, size_t element);
int64_t rt_matrix_bytes(rt_matrix m);
/* Its transpose, in the same place; and a part of it from (row, column) on. */
rt_matrix rt_mirrored(rt_matrix m);
rt_matrix rt_part(rt_matrix m, int64_t row, int64_t column, int64_t rows, int64_t columns);
/* LAPACK's leading dimension of a column-major matrix. */
static inline int rt_leading(rt_matrix m)
{
    return (int)(m.columns > 1 ? m.column : m.rows > 0 ? m.rows : 1);
}

/* Part of a work area: the next `bytes` of it, aligned. */
void *rt_work_take(char **work, int64_t bytes);
/* What rt_work_take takes for so many. */
size_t rt_work_bytes(int64_t bytes);

#endif
