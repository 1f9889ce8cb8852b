/* define.h -- where the symbols of inputs get their values: what define.c and solve.c share. */
#ifndef FERRITE_WRAP_DEFINE_H
#define FERRITE_WRAP_DEFINE_H

#include "wrap/wrap_priv.h"

/* A number that an input gives: the size or the stride of dimension d, or itself (d < 0). */
typedef struct source {
    sym_expr expr;  /* what it must be */
    sym_expr given; /* a symbol that is the number, or none yet */
    uint32_t input;
    int32_t dimension;
    bool is_stride;
} source;

typedef struct definer {
    wrap_program *w;
    map defined; /* symbols */
    source *sources;
    uint32_t count;
    uint32_t given; /* number of the next symbol of a source */
    /* of the expression at hand */
    sym_expr unknown;
    uint32_t unknowns;
} definer;

/* How many symbols in e have no value yet; the last of them is d->unknown. */
uint32_t wrap_count_unknowns(definer *d, sym_expr e);
/* Defines the one unknown of `expr`, which is what the source gives less `less`; false when that cannot
 * be. */
bool wrap_solve_for(definer *d, const source *from, sym_expr expr, sym_expr less);
sym_expr wrap_source_symbol(definer *d, source *from);
/* solve.c: combines the first `count` sources so that one unknown is left. Is one more defined? */
bool wrap_solve_system(definer *d, uint32_t count);

#endif
