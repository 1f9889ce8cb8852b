/* need_priv.h -- what the files that state what runtime operators work in share. */
#ifndef FERRITE_LOOP_NEED_PRIV_H
#define FERRITE_LOOP_NEED_PRIV_H

#include "loop/operator.h"

typedef struct needing {
    const loop_program *p;
    sym_table *t;
    const loop_op *op;
    loop_need out;
} needing;

enum { NEED_FLOAT = 4, NEED_NUMBER = 8, NEED_POINTER = 8 };

/* ---- need.c: expressions ---- */
sym_expr need_number(const needing *n, int64_t value);
sym_expr need_times(const needing *n, sym_expr a, sym_expr b);
sym_expr need_bytes(const needing *n, sym_expr count, int64_t each);
sym_expr need_up_to(const needing *n, sym_expr e, int64_t unit); /* the next multiple */
sym_expr need_lines(const needing *n, sym_expr e);
sym_expr need_least(const needing *n, sym_expr a, int64_t b);
sym_expr need_most(const needing *n, sym_expr a, int64_t b);
sym_expr need_over(const needing *n, int64_t a, sym_expr b); /* a / max(b, 1) */
bool need_is(const needing *n, sym_expr e, int64_t value);
bool need_may_be(const needing *n, sym_expr e, int64_t from, int64_t to);
/* Texts may hold calls that no operator would take: they need nothing. The first inputs, and the first
 * output, have so many dimensions. */
bool need_has(const needing *n, uint32_t inputs, uint32_t rank);
sym_expr need_int(const needing *n, const char *name);
int64_t need_real(const needing *n); /* bytes of a number of the first output: 8 of f64, else 4 */
sym_expr need_panels(const needing *n, sym_expr columns, sym_expr depth); /* of such numbers */
/* The operand is a constant that is re-laid when the program is compiled. */
bool need_is_packed(const needing *n, uint32_t operand);

/* need_product.c: a product of numbers of 16 bits, without its panels. */
void need_halves(needing *n, sym_expr rows, sym_expr depth);

/* ---- need.c: what is stated ---- */
void need_share(needing *n, sym_expr more);
void need_give_each(needing *n, sym_expr more);

/* What a block of so many rows and columns and such a depth is split into, where its sums are floats
 * (rt_block_amx.c). */
void need_split(needing *n, sym_expr rows, sym_expr columns, sym_expr depth);

#endif
