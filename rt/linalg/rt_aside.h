/* rt_aside.h - small matrices of a batch that are worked on side by side: an array of vectors, column after
 * column, each with one number of every matrix, a lane for each.
 */
#ifndef RT_ASIDE_H
#define RT_ASIDE_H

#include <stddef.h>
#include <stdint.h>

enum { RT_FACTOR_LANES = 16 }; /* no instruction set has more */

/* Matrices of one size, no more than there are lanes. Strides are in elements. */
typedef struct rt_aside {
    char *places[RT_FACTOR_LANES];
    int64_t count, rows, columns, row, column;
    int conjugate;
} rt_aside;

#endif
