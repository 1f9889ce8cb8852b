/* rt_reflect.h - Householder's reflections, for each element type and instruction set.
 *
 * A reflection is H = I - tau v v^H with v[0] = 1. Those of a matrix stand below its diagonal, v in a
 * column without its first number, as LAPACK's geqrf writes them: Q = H1 H2 ..., and A = Q R.
 *
 * Vectors that reflections apply to are independent of each other, so each has a lane: a strip is an
 * array of rows, with a number of every vector in each. Where there is more than one reflection four are
 * applied in one pass over the strip, as one product I - V T V^H.
 */
#ifndef RT_REFLECT_H
#define RT_REFLECT_H

#include "rt_aside.h"
#include "rt_matrix.h"
#include "rt_need.h"

/* Q of some reflections. */
typedef struct rt_reflections {
    rt_matrix vectors; /* of any strides; what is on its diagonal and above is not read */
    const void *tau;   /* as many as there are reflections, */
    int64_t count;     /* no more than rows or columns */
} rt_reflections;

typedef struct rt_reflect_kernels {
    /* R above the reflections, of A; tau: the smaller of its sizes. qr is column major. */
    void (*factor)(rt_matrix a, rt_matrix qr, void *tau, char *work);
    /* to = Q from, or Q^H from; of columns of the identity where from.data is NULL. Where is_mirrored,
     * instead to^H = Q from^H or Q^H from^H. `from` may be `to`. */
    void (*apply)(const rt_reflections *q, int adjoint, int is_mirrored, rt_matrix from,
                  rt_matrix to, char *work);

    /* Small matrices side by side. */
    int lanes;
    size_t side; /* bytes of a vector of elements */
    void (*gather)(const rt_aside *from, void *to);
    void (*scatter)(const void *from, const rt_aside *to);
    /* False where one has numbers that must be scaled: `factor` does it. */
    int (*factor_aside)(int64_t m, int64_t n, void *a, void *tau);
    /* n columns of Q, of so many reflections. */
    void (*product_aside)(int64_t m, int64_t n, int64_t count, const void *vectors, const void *tau,
                          void *q);
} rt_reflect_kernels;

/* Of the instruction set that is chosen; by RT_F32 ... */
const rt_reflect_kernels *rt_reflect_kernels_of(int type);

/* What a strip takes of `rows` with so many vectors, or the first of them. need_matrix.c states the same. */
static inline size_t rt_strip_bytes(int type, int64_t rows, int64_t vectors)
{
    int64_t wide = vectors * (int64_t)rt_type_bytes(type) + 2 * RT_LINE;
    return rt_work_bytes(rows * (wide < RT_STRIP_BYTES ? wide : (int64_t)RT_STRIP_BYTES));
}

/* What both kernels work in, for so many reflections of `rows`, of as many vectors. */
static inline size_t rt_reflect_bytes(int type, int64_t rows, int64_t count, int64_t vectors)
{
    int64_t element = (int64_t)rt_type_bytes(type);
    return rt_strip_bytes(type, rows, vectors) + rt_work_bytes(RT_REFLECT_GROUP * rows * element) +
           rt_work_bytes(RT_REFLECT_NUMBERS * count * element);
}

#endif
