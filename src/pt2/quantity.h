/* quantity.h -- values of SymPy expressions: a fraction of two integer expressions, or unknown.
 *
 * So FloorToInt(IntTrueDiv(s0, 2)) becomes s0 // 2. Floats count as exact while their denominator
 * is a power of two, as they are below 2^53; what rounds, and functions that we don't know, are
 * unknown.
 */
#ifndef FERRITE_PT2_QUANTITY_H
#define FERRITE_PT2_QUANTITY_H

#include "sym/sym.h"

typedef struct quantity {
    sym_expr expr;  /* the numerator; none: unknown */
    sym_expr over;  /* the denominator; 1 for integers */
    uint32_t terms; /* how many the expanded numerator may have */
    bool is_float;
} quantity;

typedef quantity quantity_function(sym_table *t, const quantity *a, uint32_t n);

quantity quantity_unknown(void);
quantity quantity_int(sym_table *t, int64_t value);
quantity quantity_of(sym_table *t, sym_expr e);
quantity quantity_float(sym_table *t, double value); /* unknown unless a short fraction */
bool quantity_is_int(sym_table *t, const quantity *q);
/* The function of this name on its arguments; *is_int: it is one that gives integers. False when it
 * needs more arguments. */
bool quantity_apply(sym_table *t, const char *name, size_t length, const quantity *a, uint32_t n,
                    quantity *out, bool *is_int);

/* Those that plain text writes as operators. */
quantity_function quantity_add, quantity_multiply, quantity_negate, quantity_power;
quantity_function quantity_floordiv, quantity_mod, quantity_rational;

#endif
