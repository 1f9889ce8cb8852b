/* rt_phase.h - transposed convolution, axis by axis: output positions that are equal modulo the stride, one
 * phase, are reached by the same taps, at the same distances. Each tap belongs to one phase, so that packed
 * weights hold the taps phase by phase.
 */
#ifndef RT_PHASE_H
#define RT_PHASE_H

#include "rt_kernels.h"

/* Of one axis. Position first + j * stride reads, through tap first_tap + t * tap_step, input position
 * from + j - t * from_step, for j < count and t < taps. */
typedef struct rt_phase {
    int64_t first, count;
    int64_t first_tap, tap_step, taps;
    int64_t from, from_step;
} rt_phase;

static inline int64_t rt_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Tap k reaches positions of remainder k * dilation, counted from the padding on. */
static inline int64_t rt_tap_remainder(const rt_conv *g, int axis, int64_t tap)
{
    return tap * g->dilation[axis] % g->stride[axis];
}

/* The phase of output position `first`, less than the stride. */
static inline rt_phase rt_phase_at(const rt_conv *g, int axis, int64_t first)
{
    int64_t stride = g->stride[axis], divisor = rt_common_divisor(stride, g->dilation[axis]);
    rt_phase p = {.first = first,
                  .count = (g->out[axis] - first + stride - 1) / stride,
                  .tap_step = stride / divisor,
                  .from_step = g->dilation[axis] / divisor};
    int64_t at = first + g->pad[axis];
    while (p.first_tap < g->kernel[axis] && rt_tap_remainder(g, axis, p.first_tap) != at % stride)
        p.first_tap++;
    if (p.first_tap == g->kernel[axis]) return p;
    p.taps = (g->kernel[axis] - p.first_tap + p.tap_step - 1) / p.tap_step;
    p.from = (at - p.first_tap * g->dilation[axis]) / stride; /* divides, below zero too */
    return p;
}

/* How many taps of an axis have a remainder, and how many a smaller one. */
static inline int64_t rt_taps_of(const rt_conv *g, int axis, int64_t remainder, int64_t *before)
{
    int64_t count = 0;
    *before = 0;
    for (int64_t k = 0; k < g->kernel[axis]; k++) {
        int64_t own = rt_tap_remainder(g, axis, k);
        count += own == remainder;
        *before += own < remainder;
    }
    return count;
}

/* The first packed tap of the phase with these remainders. */
static inline int64_t rt_phase_begin(const rt_conv *g, const int64_t *remainder)
{
    int64_t before[3], count[3];
    for (int axis = 0; axis < 3; axis++)
        count[axis] = rt_taps_of(g, axis, remainder[axis], &before[axis]);
    return (before[0] * g->kernel[1] + count[0] * before[1]) * g->kernel[2] +
           count[0] * count[1] * before[2];
}

/* Where a tap is packed. */
static inline int64_t rt_packed_tap(const rt_conv *g, const int64_t *tap)
{
    int64_t remainder[3], at = 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t before, count, place = 0;
        remainder[axis] = rt_tap_remainder(g, axis, tap[axis]);
        count = rt_taps_of(g, axis, remainder[axis], &before);
        for (int64_t k = 0; k < tap[axis]; k++)
            place += rt_tap_remainder(g, axis, k) == remainder[axis];
        at = at * count + place;
    }
    return rt_phase_begin(g, remainder) + at;
}

/* No phase has more taps. */
static inline int64_t rt_phase_taps_most(const rt_conv *g)
{
    int64_t most = 1;
    for (int axis = 0; axis < 3; axis++)
        most *= g->dilation[axis] == 1 ? (g->kernel[axis] + g->stride[axis] - 1) / g->stride[axis]
                                       : g->kernel[axis];
    return most;
}

#endif
