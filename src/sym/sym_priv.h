/* sym_priv.h -- what the files of sym/ share: the node, the table, terms of a sum, constructors
 * under an environment.
 *
 * A sum is a list of terms, a term is an integer times a product of factors (a "monomial"), a
 * factor is a symbol or any operation other than a sum of few terms. Terms are ordered by falling
 * degree and then by their factors, which is a monomial order (multiplying a sorted list by a
 * product keeps it sorted), so sums merge in linear time and polynomial division works. The order
 * looks at structure and names alone, never at ids: the same expression prints the same whatever
 * was made before it.
 */
#ifndef FERRITE_SYM_PRIV_H
#define FERRITE_SYM_PRIV_H

#include "sym/sym.h"

typedef struct sym_interval {
    int64_t min, max; /* SYM_NO_MIN, SYM_NO_MAX: unbounded */
} sym_interval;

typedef struct sym_node {
    const sym_expr *args;
    int64_t value;      /* CONST: the value; SYMBOL: index into symbols; MUL: the coefficient */
    sym_interval range; /* by the symbols' own ranges; valid while epoch is the table's */
    uint64_t symbols;   /* bit (index % 64) of each symbol inside */
    uint32_t rest;      /* MUL: the product without coefficient; others: the node itself */
    uint32_t count;
    uint32_t hash;
    uint32_t epoch;
    uint16_t depth; /* saturating */
    uint8_t op;
    bool division; /* a floordiv or mod is a factor (of a term, for sums) */
} sym_node;

typedef struct sym_symbol_data {
    const char *name;
    sym_kind kind;
    sym_interval range;
    int64_t hint;
    bool has_hint;
    sym_expr expr;
} sym_symbol_data;

typedef struct sym_term {
    int64_t coefficient;
    sym_expr product; /* `one` for the constant term */
} sym_term;

/* Results by node id for one walk; those of older walks are told apart by their stamp. */
typedef struct sym_memo_entry {
    uint32_t stamp;
    uint32_t id;
    sym_interval interval;
} sym_memo_entry;
typedef struct sym_memo {
    VEC(sym_memo_entry) entries;
    uint32_t now;
    uint64_t symbols; /* ranges: the symbols that the environment says something about */
} sym_memo;

/* A floordiv or mod made before, and what came of it. */
typedef struct sym_division {
    sym_op op; /* 0: free */
    uint32_t epoch;
    sym_expr a, b, result;
} sym_division;

enum { SYM_SMALL_MIN = -64, SYM_SMALL_MAX = 1023 };

struct sym_table {
    arena *memory;
    fe_session *session;
    VEC(sym_node) nodes;
    uint32_t *slots; /* hash table of ids; 0: free */
    uint32_t slot_count;
    VEC(sym_symbol_data) symbols;
    map by_name;          /* interned name -> index into symbols */
    uint32_t epoch;       /* moves on when a symbol's range narrows */
    uint32_t proof_steps; /* left to the proof under way; 0: none is */
    sym_expr zero, one;
    VEC(sym_term) terms; /* a stack: sums under construction */
    /* Memory of walks. Behind pointers, since a const table is asked for ranges and values too. */
    sym_memo *ranges, *rewrites, *values;
    sym_division *divisions; /* a cache, made when first needed */
    uint32_t small[SYM_SMALL_MAX - SYM_SMALL_MIN + 1];
};

/* ---- nodes (expr.c) ---- */
static inline const sym_node *sym_node_of(const sym_table *t, sym_expr e)
{
    return &t->nodes.at[e.id];
}
/* The node with these parts, made if need be. value and rest as in sym_node; rest 0: the node
 * itself. */
sym_expr sym_make(sym_table *t, sym_op op, const sym_expr *args, uint32_t count, int64_t value,
                  uint32_t rest);
sym_expr sym_make2(sym_table *t, sym_op op, sym_expr a, sym_expr b);
sym_expr sym_lookup(const sym_table *t, sym_op op, const sym_expr *args, uint32_t count,
                    int64_t value);
/* The order of any two expressions, constants last; of products by falling degree, then factors. */
int sym_order(const sym_table *t, sym_expr a, sym_expr b);
int sym_order_products(const sym_table *t, sym_expr a, sym_expr b);
sym_symbol_data *sym_data(const sym_table *t, sym_expr symbol);
sym_memo_entry *sym_memo_at(const sym_table *t, sym_memo *memo, uint32_t id);

/* ---- sums and products (sum.c) ---- */
uint32_t sym_term_count(const sym_table *t, sym_expr e); /* 0 for zero */
sym_term sym_term_at(const sym_table *t, sym_expr e, uint32_t i);
sym_term sym_as_term(const sym_table *t, sym_expr e);
sym_expr sym_from_term(sym_table *t, int64_t coefficient, sym_expr product);
/* The factors of a product; one that is a factor itself is put in *single. */
const sym_expr *sym_factors(const sym_table *t, sym_expr product, sym_expr *single,
                            uint32_t *count);
/* p / q when q's factors are among p's. */
bool sym_divide_products(sym_table *t, sym_expr p, sym_expr q, sym_expr *out);
sym_expr sym_common_product(sym_table *t, sym_expr p, sym_expr q);
/* A sum of terms that come in their order: open, append, close. */
uint32_t sym_open_sum(const sym_table *t);
void sym_append_term(sym_table *t, int64_t coefficient, sym_expr product);
sym_expr sym_close_sum(sym_table *t, uint32_t from);
sym_expr sym_sum(sym_table *t, const sym_expr *args, uint32_t count);

/* ---- polynomials (poly.c) ---- */
/* a == q*b + r, with as much in q as division of leading terms takes. b is not 0. */
void sym_divide(sym_table *t, sym_expr a, sym_expr b, sym_expr *q, sym_expr *r);
bool sym_divide_exact(sym_table *t, sym_expr a, sym_expr b, sym_expr *q);
/* The greatest integer and product that divide every term of e; for 0 the integer is 0. */
sym_term sym_content(sym_table *t, sym_expr e);
sym_term sym_common(sym_table *t, sym_term a, sym_term b);

/* ---- constructors under an environment (simp.c, pred.c); the public ones give NULL ---- */
sym_expr sym_floordiv_in(sym_table *t, sym_expr a, sym_expr b, const sym_env *env);
sym_expr sym_mod_in(sym_table *t, sym_expr a, sym_expr b, const sym_env *env);
/* op is MIN or MAX. */
sym_expr sym_extreme_in(sym_table *t, sym_op op, sym_expr a, sym_expr b, const sym_env *env);
sym_expr sym_compare_in(sym_table *t, sym_op op, sym_expr a, sym_expr b, const sym_env *env);
/* The operation of e with other arguments. */
sym_expr sym_rebuild(sym_table *t, sym_op op, const sym_expr *args, uint32_t count,
                     const sym_env *env);

/* ---- arithmetic of constants and intervals (range.c) ---- */
int64_t sym_floor(int64_t a, int64_t b);     /* b > 0 */
int64_t sym_remainder(int64_t a, int64_t b); /* b > 0 */
sym_interval sym_interval_of(const sym_table *t, sym_expr e, const sym_env *env);
/* Must be called by every public function that takes an env, before the env is used. */
const sym_env *sym_enter(const sym_table *t, const sym_env *env);
bool sym_known_nonnegative(sym_table *t, sym_expr e, const sym_env *env);
/* Is d op 0 decided, for op of EQ, NE, LT, LE? */
sym_truth sym_decide(sym_table *t, sym_op op, sym_expr d, const sym_env *env);

#endif
