/* rt_turn.h - transposing copies of numbers (rt_real.h), by squares of four. */
#ifndef RT_TURN_H
#define RT_TURN_H

#include "rt_compiler.h"
#include "rt_real.h"

#include <stdint.h>

/* to[i * to_row + j] = from[j * from_row + i], i and j below 4. */
#ifdef FERRITE_SCALAR
static inline void rt_turn_square(const rt_real *restrict from, int64_t from_row,
                                  rt_real *restrict to, int64_t to_row)
{
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 4; j++) to[i * to_row + j] = from[j * from_row + i];
}
#else
typedef rt_real rt_four __attribute__((vector_size(4 * RT_REAL_BYTES)));
typedef rt_real rt_four_unaligned
    __attribute__((vector_size(4 * RT_REAL_BYTES), aligned(RT_REAL_BYTES), may_alias));

static inline void rt_turn_square(const rt_real *restrict from, int64_t from_row,
                                  rt_real *restrict to, int64_t to_row)
{
    rt_four r0 = *(const rt_four_unaligned *)from;
    rt_four r1 = *(const rt_four_unaligned *)(from + from_row);
    rt_four r2 = *(const rt_four_unaligned *)(from + 2 * from_row);
    rt_four r3 = *(const rt_four_unaligned *)(from + 3 * from_row);
    rt_four low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
    rt_four low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    rt_four high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    rt_four high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    *(rt_four_unaligned *)to = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    *(rt_four_unaligned *)(to + to_row) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    *(rt_four_unaligned *)(to + 2 * to_row) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    *(rt_four_unaligned *)(to + 3 * to_row) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}
#endif

/* to[i * to_row + j] = from[j * from_row + i], i < rows, j < columns. They do not overlap. */
static inline void rt_turn(const rt_real *restrict from, int64_t from_row, int64_t rows,
                           int64_t columns, rt_real *restrict to, int64_t to_row)
{
    enum { LINE = 64 / RT_REAL_BYTES }; /* numbers of a cache line, which are written together */
    int64_t whole = rows / 4 * 4;
    for (int64_t j0 = 0; j0 < columns; j0 += LINE) {
        int64_t j1 = j0 + LINE < columns ? j0 + LINE : columns, squares = j0 + (j1 - j0) / 4 * 4;
        for (int64_t i = 0; i < whole; i += 4) {
            for (int64_t j = j0; j < squares; j += 4)
                rt_turn_square(from + j * from_row + i, from_row, to + i * to_row + j, to_row);
            for (int64_t j = squares; j < j1; j++)
                for (int64_t k = i; k < i + 4; k++) to[k * to_row + j] = from[j * from_row + k];
        }
        for (int64_t i = whole; i < rows; i++)
            for (int64_t j = j0; j < j1; j++) to[i * to_row + j] = from[j * from_row + i];
    }
}

#endif
