/* match.h -- patterns over the graph as text, and passes that are tables of them.
 *
 *     add.Tensor(mm(%a, %b), %bias)          aten is understood, so is the overload `default`
 *     softmax.int(%scores, %dim, ...)
 *     %product=matmul|bmm(&transpose.int(%x, -1, -2), _)
 *     view(%x, [-1, 8])
 *
 * A name binds an argument, a node or anything else; where it stands again the same must stand
 * there. `_` is anything, a number is that number, None, true and false are themselves. What a call
 * has behind its last written argument must be at its default, or may be anything behind `...`.
 * Operators of two operands whose order does not matter (add, mul) match either way round.
 * A call inside a pattern has no other readers, for it is to go with its root; `&` before it lets
 * it have some. It is of the root's class (fx_class): what is cut apart does not become one.
 */
#ifndef FERRITE_PASS_MATCH_H
#define FERRITE_PASS_MATCH_H

#include "pass/pass_priv.h"

enum { MATCH_MOST_NAMES = 12 };

typedef struct match_pattern {
    struct match_term *root;
    const char *names[MATCH_MOST_NAMES];
    uint32_t count;
} match_pattern;

typedef struct match {
    const match_pattern *pattern;
    const fx_node *root;
    fx_arg bound[MATCH_MOST_NAMES];
    bool is_bound[MATCH_MOST_NAMES];
} match;

/* A pattern that cannot be read is a fault of ours. */
match_pattern *match_compile(fx_graph *g, arena *memory, const char *source);
bool match_node(fx_graph *g, const match_pattern *p, fx_node *n, match *out);
/* What a name stands for: any argument; the node, or NULL when it is something else. */
const fx_arg *match_arg(const match *m, const char *name);
fx_node *match_named(const match *m, const char *name);

/* ---- tables of rewrites ---- */

typedef struct rewriting {
    fx_graph *g;
    fx_node *root; /* of the match; what is emitted stands before it */
    const match *m;
    void *data;     /* of rewrite_run() */
    bool may_relay; /* the rule has made sure that no reader sees other strides */
    fe_status status;
} rewriting;

/* What takes the root's place, or NULL: the pattern's condition does not hold. */
typedef fx_node *(*rewrite_fn)(rewriting *r);

typedef struct rewrite_rule {
    const char *pattern;
    rewrite_fn apply;
} rewrite_rule;

/* Emits a call before the root; NULL once something has failed. */
fx_node *rewrite_call(rewriting *r, op_id op, uint32_t count, const fx_arg *args);
#define REWRITE(r, op, ...)                                                            \
    rewrite_call((r), OP_##op, sizeof((const fx_arg[]){__VA_ARGS__}) / sizeof(fx_arg), \
                 (const fx_arg[]){__VA_ARGS__})
/* A name's node; its tensor; its number, when it is one that is known. */
fx_node *rewrite_node(const rewriting *r, const char *name);
const ty_tensor *rewrite_tensor(const rewriting *r, const char *name);
bool rewrite_int(const rewriting *r, const char *name, int64_t *out);
bool rewrite_number(const rewriting *r, const char *name, double *out);
/* A name's integer as a dimension of a tensor of this rank, counted from the front. */
bool rewrite_dim(const rewriting *r, const char *name, uint32_t rank, uint32_t *out);

/* Does the call, t, numpy_T, mT, transpose.int or permute, turn a matrix? */
bool rewrite_turns(const rewriting *r, const fx_node *n);

/* Tries the rules on every node, in order, and again on what a rule has made. A rewrite is taken back
 * when its result has another dtype, size or stride than the root had (strides unless may_relay), or
 * makes what is returned share memory that it did not share before. */
fe_status rewrite_run(fx_graph *g, const rewrite_rule *rules, uint32_t count, void *data,
                      bool *changed);

/* einsum.c: einsum(equation, [a, b]) as matmul with permutations around it, before the root; NULL where
 * it is no batched product. */
fx_node *pass_einsum_as_matmul(rewriting *r, const char *equation, fx_node *a, fx_node *b);

#endif
