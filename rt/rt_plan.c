/* rt_plan.c - the arena of a program with dynamic sizes: buffers placed when their sizes are known.
 *
 * Largest first, each at the lowest offset where it meets no placed buffer that lives at the same
 * time (Pisarchyk and Lee's greedy by size). Runs once for each new set of sizes.
 */
#include "rt_entry.h"

#include <stdlib.h>

enum { RT_ALIGNMENT = 64 };

typedef struct placed {
    int64_t begin, end;
    uint32_t birth, death;
} placed;

static int by_size(const void *a, const void *b)
{
    const rt_interval *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->buffer < y->buffer ? -1 : 1;
}

static int by_begin(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

int64_t rt_plan(const rt_interval *intervals, uint32_t count, int64_t *offsets)
{
    rt_interval *order = malloc((count + 1) * sizeof *order);
    placed *done = malloc((count + 1) * sizeof *done);
    int64_t height = order && done ? 0 : -1;
    /* Where a size is 0, what the strides reach may come out below 0. */
    for (uint32_t i = 0; order && i < count; i++) {
        order[i] = intervals[i];
        if (order[i].bytes < 0) order[i].bytes = 0;
    }
    if (height == 0) qsort(order, count, sizeof *order, by_size);
    for (uint32_t i = 0; i < count && height >= 0; i++) {
        const rt_interval *now = &order[i];
        int64_t at = 0;
        if (now->bytes > INT64_MAX / 4) {
            height = -1;
            break;
        }
        qsort(done, i, sizeof *done, by_begin);
        for (uint32_t k = 0; k < i; k++) {
            if (done[k].birth >= now->death || now->birth >= done[k].death) continue;
            if (done[k].begin >= at + now->bytes) break;
            if (done[k].end > at)
                at = (done[k].end + RT_ALIGNMENT - 1) / RT_ALIGNMENT * RT_ALIGNMENT;
        }
        if (at > INT64_MAX / 4) {
            height = -1;
            break;
        }
        done[i] = (placed){at, at + now->bytes, now->birth, now->death};
        offsets[now->buffer] = at;
        if (at + now->bytes > height) height = at + now->bytes;
    }
    free(order);
    free(done);
    return height;
}
