/* rt_short.h - rows that are sorted side by side, as they are short or little of them is wanted. Each
 * function does rows [begin, end) on the calling thread, in memory of its stack.
 */
#ifndef RT_SHORT_H
#define RT_SHORT_H

#include "rt_rank.h"
#include "rt_sort.h"

/* Are they better sorted so than each alone? And the first k of them found? */
int rt_rows_are_short(const rt_rows *rows);
int rt_rows_are_short_for(const rt_rows *rows, int64_t k);

/* Where in the sorted row what is wanted stands, when its last `nans` elements are NaN. */
typedef int64_t rt_short_place(const void *context, int64_t nans);

/* `flip` as in rt_keys_of. */
void rt_short_sort(const rt_rows *rows, int64_t begin, int64_t end, uint64_t flip);
void rt_short_topk(const rt_rows *rows, int64_t begin, int64_t end, uint64_t flip, int64_t k);
void rt_short_mode(const rt_rows *rows, int64_t begin, int64_t end);
void rt_short_select(const rt_rows *rows, int64_t begin, int64_t end, rt_short_place *place,
                     const void *context);

#endif
