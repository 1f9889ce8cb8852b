/* rt_add_rows.h - rows that lie anywhere are added up, by a kernel for each instruction set. */
#ifndef RT_ADD_ROWS_H
#define RT_ADD_ROWS_H

#include <stdint.h>

typedef struct rt_add_kernels {
    /* sums[c] += rows[0][c] + .. + rows[count - 1][c] */
    void (*add_rows)(const float *const *rows, int64_t count, int64_t columns, float *sums);
} rt_add_kernels;

const rt_add_kernels *rt_add_kernels_of(int type);

#endif
