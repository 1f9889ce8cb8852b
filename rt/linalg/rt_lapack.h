/* rt_lapack.h - what the operators that call LAPACK share. Only the sources named rt_lapack_*.c
 * call it, so only programs with these operators are linked with it.
 *
 * The Fortran symbols of any LAPACK: every argument by address, integers of 32 bits, the lengths
 * of CHARACTER arguments behind all others. One prototype serves the four element types of a
 * routine, so matrices are void pointers and a table has a row for each type.
 */
#ifndef RT_LAPACK_H
#define RT_LAPACK_H

#include "rt_linalg.h"
#include "rt_need.h"

#include <limits.h>

/* The four routines of a name: rt_lapack_fn *const GETRF[] = LAPACK_TABLE(getrf); */
#define LAPACK_DECLARE(type, name) extern type s##name##_, d##name##_, c##name##_, z##name##_;
#define LAPACK_TABLE(name)                             \
    {                                                  \
        s##name##_, d##name##_, c##name##_, z##name##_ \
    }

/* As the argument `lwork`, numbers to work in. They are not asked of the routine, but at least what LAPACK
 * documents and as many as make it fast: the compiler says the same (loop/need_linalg.c). */
static inline int rt_lapack_numbers(int64_t numbers)
{
    return numbers < 1 ? 1 : numbers > INT_MAX ? INT_MAX : (int)numbers;
}

/* Of a routine that works on blocks of columns, or rows. */
static inline int rt_lapack_blocks(int64_t columns)
{
    return rt_lapack_numbers((columns > 1 ? columns : 1) * RT_LAPACK_BLOCK);
}

/* A column-major matrix with what `m` holds: m itself where it is one and `may_use`, else a copy in
 * the work area. */
static inline rt_matrix rt_lapack_columns(rt_matrix m, int may_use, char **work)
{
    int ready = (m.rows <= 1 || m.row == 1) && (m.columns <= 1 || m.column >= m.rows);
    void *room = rt_work_take(work, rt_matrix_bytes(m));
    if (ready && may_use) return m;
    rt_matrix copy = rt_columns(room, m.rows, m.columns, m.element);
    rt_matrix_copy(copy, m);
    return copy;
}

#endif
