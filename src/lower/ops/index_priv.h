/* index_priv.h -- advanced indexing, as index.c (reading) and scatter.c (writing) share it. */
#ifndef FERRITE_LOWER_INDEX_PRIV_H
#define FERRITE_LOWER_INDEX_PRIV_H

#include "lower/lower_priv.h"

/* self[indices]: index tensors broadcast to one shape, which stands at `first` in the result. */
typedef struct indexing {
    lower_tensor self;
    lower_tensor tensors[LOWER_MAX_RANK]; /* by dim of self; absent where all of it is taken */
    uint32_t count;
    uint32_t first;
    uint32_t rank; /* of the broadcast shape */
    sym_expr sizes[LOWER_MAX_RANK];
} indexing;

/* out: what self[indices] is recorded as, which names the number of elements that a mask takes; NULL:
 * nothing is recorded. */
fe_status lower_indexing_begin(lowering *l, indexing *ix, lower_tensor self, const fx_arg *list,
                               const ty_tensor *out);
bool lower_is_mask(lower_tensor t);
uint32_t lower_indexing_sizes(const indexing *ix, sym_expr *sizes);
void lower_indexing_exprs(lowering *l, const indexing *ix, sym_expr *exprs);

/* How an operator treats a number that it looks up. */
typedef enum lower_reach {
    LOWER_NATURAL, /* below 0 is an error, as in gather */
    LOWER_WRAPS    /* below 0 counts from the end, as in x[index] */
} lower_reach;
/* The index tensor's value at `at` as a position in dimension `dim` of t, in a nest over `sizes`. */
sym_expr lower_position(lowering *l, lower_tensor index, const sym_expr *at, lower_tensor t,
                        uint32_t dim, lower_reach reach, uint32_t rank, const sym_expr *sizes);

#endif
