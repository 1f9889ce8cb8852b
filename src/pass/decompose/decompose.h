/* decompose.h -- composite operators as calls of others: what decompose.c's rules share.
 *
 * A rule emits calls before the node and gives one argument for each of its results. Calls chain:
 * what could not be inferred makes every later step a no-op.
 */
#ifndef FERRITE_PASS_DECOMPOSE_H
#define FERRITE_PASS_DECOMPOSE_H

#include "pass/pass_priv.h"

enum { DECOMPOSE_MOST_RESULTS = 64 };

typedef struct decomposing {
    fx_graph *g;
    fx_node *n;
    op_id target; /* of the row */
    fe_status status;
    fx_arg *results;
    uint32_t count;
    uint32_t first_storage; /* memory that the rule made is from here on */
    bool stays;             /* the rule leaves this call as it is: it is lowered so */
} decomposing;

typedef void decompose_rule(decomposing *d);

/* The rules: ops.def says which serves which operators. */
#define OP(id, schema, columns) columns
#define DECOMPOSE(rule, operator) decompose_rule decompose_op_##rule;
#include "op/ops.def"

/* The call's result as an argument. */
fx_arg decompose_call(decomposing *d, op_id op, uint32_t count, const fx_arg *args);
#define CALL(op, ...)                                                            \
    decompose_call(d, OP_##op, sizeof((fx_arg[]){__VA_ARGS__}) / sizeof(fx_arg), \
                   (fx_arg[]){__VA_ARGS__})
void decompose_give(decomposing *d, fx_arg result);
void decompose_fail(decomposing *d, const char *what); /* FE_UNSUPPORTED */

const fx_arg *decompose_arg(decomposing *d, const char *param); /* NULL for None or no such */
int64_t decompose_int(decomposing *d, const char *param, int64_t fallback);
double decompose_number(decomposing *d, const char *param, double fallback);
bool decompose_flag(decomposing *d, const char *param);
uint32_t decompose_dim(decomposing *d, int64_t dim, uint32_t rank); /* wraps negatives */
/* x[start:end] along dim; an end of INT64_MAX is the end. */
fx_arg decompose_slice(decomposing *d, fx_arg x, uint32_t dim, int64_t start, int64_t end);
/* sides[0] < sides[1]: the numbers of the rows of each of `count` pairs, in the order of torch.pdist. */
void decompose_pairs(decomposing *d, sym_expr rows, sym_expr count, fx_arg *sides);
static inline fx_arg decompose_of(decomposing *d, int64_t x)
{
    return fx_int(d->g, x);
}

#endif
