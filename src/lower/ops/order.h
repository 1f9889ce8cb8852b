/* order.h -- what order.c, scan.c and member.c share: rows in order, places in them, scans. */
#ifndef FERRITE_LOWER_ORDER_H
#define FERRITE_LOWER_ORDER_H

#include "lower/lower_priv.h"

/* t, or the one element of a 0-d t as a row. */
lower_tensor lower_at_least_1d(lowering *l, lower_tensor t);

/* ---- order.c ---- */
typedef struct lower_ranked {
    lower_tensor values, places; /* places in the rows as they were; either may be absent */
} lower_ranked;
/* x sorted along dim; stable, NaN last (when descending, first). */
lower_ranked lower_sorted(lowering *l, lower_tensor x, uint32_t dim, bool descending, bool places);
/* Places of the greatest `count` of each row, the greatest first. */
lower_tensor lower_first_places(lowering *l, lower_tensor x, uint32_t dim, sym_expr count);
/* Where values would go in sorted rows (along edges' last dimension: one row for all, or a row for
 * each row of values). Both of one dtype; `order` may be absent. */
enum {
    LOWER_BEHIND_EQUALS = 1, /* else before them */
    LOWER_NAN_LAST = 2 /* NaN is above all numbers; else the steps that it misleads are PyTorch's */
};
lower_tensor lower_search(lowering *l, lower_tensor edges, lower_tensor values, lower_tensor order,
                          uint32_t flags, const sym_expr *wanted);

/* ---- scan.c ---- */
/* Running reductions of x along dim, stored as `out`; f32 is added up in f64. */
lower_tensor lower_scan(lowering *l, lower_tensor x, uint32_t dim, loop_reduce kind, ty_dtype out,
                        const sym_expr *wanted);

#endif
