/* sym.h -- symbolic integers: sizes, strides, storage offsets, loop indices, guards.
 *
 * Expressions are hash-consed: equal expressions (after canonicalisation) have equal ids, so
 * equality of what is known to be equal is `a.id == b.id`. Constants are expressions too; static
 * programs pay one table look-up. Division and modulo are floor division and its remainder, as in
 * Python.
 *
 *     s0 + 1        4*s0*i1        i0 // 8        i0 % 8        min(s0, 4)        max(s0, u1 + 2)
 *     s0 <= 8       s0 == 2*u0     (a && b)       !(a)          (predicates: value 0 or 1)
 *
 * Canonical form: sums of products with integer coefficients, terms ordered by degree and then by
 * names, so that the text does not depend on what was made before; products expanded over sums;
 * constants folded. Laws that every rule keeps: the value is unchanged for every integer
 * assignment within the symbols' ranges (a division by 0 has no value); what one rule takes apart
 * another does not put together; the same input gives the same id until a range narrows. Constants
 * that do not fit in 64 bits stay unfolded.
 */
#ifndef FERRITE_SYM_H
#define FERRITE_SYM_H

#include "base/base.h"

/* An expression of one sym_table. id 0 is "none" (absent), never a value. */
typedef struct sym_expr {
    uint32_t id;
} sym_expr;

typedef struct sym_table sym_table;

typedef enum sym_op {
    SYM_CONST,
    SYM_SYMBOL,
    SYM_ADD, /* n-ary */
    SYM_MUL, /* n-ary */
    SYM_FLOORDIV,
    SYM_MOD,
    SYM_MIN, /* binary; min(a, b, c) is min(min(a, b), c) */
    SYM_MAX,
    /* predicates */
    SYM_EQ,
    SYM_NE,
    SYM_LT,
    SYM_LE,
    SYM_AND,
    SYM_OR,
    SYM_NOT
} sym_op;

typedef enum sym_kind {
    SYM_SIZE,     /* s0: known when the inputs are */
    SYM_UNBACKED, /* u0: known only during the run */
    SYM_INDEX,    /* a loop variable; its range comes from the nest it stands in (sym_env) */
    SYM_INDIRECT  /* the value of a load used as an index (loop IR) */
} sym_kind;

typedef enum sym_truth { SYM_FALSE, SYM_TRUE, SYM_UNKNOWN } sym_truth;

#define SYM_NO_MIN INT64_MIN
#define SYM_NO_MAX INT64_MAX

/* ---- table and construction (expr.c, simp.c) ---- */
sym_table *sym_table_new(arena *memory);
/* With every expression under the id that it has. */
sym_table *sym_table_copy(const sym_table *t, arena *memory);
fe_session *sym_session(const sym_table *t);
sym_expr sym_int(sym_table *t, int64_t value);
/* The symbol of this name; made on first use. Its kind and range are those of the first call
 * (later calls only narrow the range). Names are interned by the table. */
sym_expr sym_symbol(sym_table *t, const char *name, sym_kind kind, int64_t min, int64_t max);
sym_expr sym_find_symbol(const sym_table *t, const char *name); /* none when absent */
/* What the run would find out is given from now on: u0 is u0_given, and known as sizes of inputs are. It
 * stays where it was in the order of symbols, so that expressions keep their form. */
void sym_make_given(sym_table *t, sym_expr symbol);
/* Narrows; what would leave no value at all is ignored. Expressions made before stay as they are:
 * sym_simplify. */
void sym_set_range(sym_table *t, sym_expr symbol, int64_t min, int64_t max);
/* The example's value; for cost models only. */
void sym_set_hint(sym_table *t, sym_expr symbol, int64_t hint);

sym_expr sym_add(sym_table *t, sym_expr a, sym_expr b);
sym_expr sym_sub(sym_table *t, sym_expr a, sym_expr b);
sym_expr sym_mul(sym_table *t, sym_expr a, sym_expr b);
sym_expr sym_add_int(sym_table *t, sym_expr a, int64_t b);
sym_expr sym_mul_int(sym_table *t, sym_expr a, int64_t b);
sym_expr sym_floordiv(sym_table *t, sym_expr a, sym_expr b);
sym_expr sym_ceildiv(sym_table *t, sym_expr a, sym_expr b); /* -((-a) // b) */
sym_expr sym_mod(sym_table *t, sym_expr a, sym_expr b);
sym_expr sym_min(sym_table *t, sym_expr a, sym_expr b);
sym_expr sym_max(sym_table *t, sym_expr a, sym_expr b);
/* EQ NE LT LE AND OR; GT and GE are LT and LE swapped. */
sym_expr sym_compare(sym_table *t, sym_op op, sym_expr a, sym_expr b);
sym_expr sym_not(sym_table *t, sym_expr a);
sym_expr sym_product(sym_table *t, const sym_expr *factors, uint32_t count); /* 1 for none */

/* ---- looking inside ---- */
/* Ids of all expressions made so far are below it. */
uint32_t sym_id_end(const sym_table *t);
sym_op sym_op_of(const sym_table *t, sym_expr e);
uint32_t sym_arg_count(const sym_table *t, sym_expr e);
sym_expr sym_arg(const sym_table *t, sym_expr e, uint32_t i);
/* Is it a constant? value may be NULL. */
bool sym_is_int(const sym_table *t, sym_expr e, int64_t *value);
const char *sym_name(const sym_table *t, sym_expr symbol);
sym_kind sym_kind_of(const sym_table *t, sym_expr symbol);
sym_kind sym_kind_of_name(const char *name); /* u<N>: unbacked; i<N>, r<N>: an index */
bool sym_contains(const sym_table *t, sym_expr e, sym_expr symbol);
/* Is a symbol of this kind in e? */
bool sym_has_kind(const sym_table *t, sym_expr e, sym_kind kind);
/* Calls visit once for each distinct symbol in e, in order of first appearance. */
void sym_each_symbol(const sym_table *t, sym_expr e, void (*visit)(void *data, sym_expr symbol),
                     void *data);
/* How often symbols stand in e, each as often as it would be printed; counts no further than `most`. */
uint32_t sym_weight(const sym_table *t, sym_expr e, uint32_t most);
static inline bool sym_same(sym_expr a, sym_expr b)
{
    return a.id == b.id;
}
static inline bool sym_is_none(sym_expr e)
{
    return e.id == 0;
}

/* ---- ranges and proofs (range.c) ---- */
/* Ranges that hold in one place in addition to the symbols' own, e.g. loop variables of a nest.
 * What stands in a loop runs only if there are iterations, so extents count as at least 1. */
typedef struct sym_bound {
    sym_expr symbol;
    sym_expr extent; /* the symbol is in [0, extent) */
} sym_bound;
typedef struct sym_env {
    const sym_bound *bounds;
    uint32_t count;
} sym_env;
/* Bounds of e; SYM_NO_MIN / SYM_NO_MAX where unbounded. env may be NULL. */
void sym_range(const sym_table *t, sym_expr e, const sym_env *env, int64_t *min, int64_t *max);
sym_truth sym_prove(sym_table *t, sym_expr predicate, const sym_env *env);
bool sym_known_equal(sym_table *t, sym_expr a, sym_expr b);
bool sym_known_less_equal(sym_table *t, sym_expr a, sym_expr b, const sym_env *env);
/* The same where each of `given` is at least 0 (given.c). */
bool sym_known_less_equal_given(sym_table *t, sym_expr a, sym_expr b, const sym_env *env,
                                const sym_expr *given, uint32_t count);
bool sym_known_divisible(sym_table *t, sym_expr a, sym_expr divisor, const sym_env *env);
/* e rewritten with what env knows: (8*i0 + i1) // 8 -> i0 and (8*i0 + i1) % 8 -> i1 when i1 < 8. */
sym_expr sym_simplify(sym_table *t, sym_expr e, const sym_env *env);

/* ---- substitution, evaluation, structure (subst.c) ---- */
/* Replaces from[k] (symbols) by to[k], all at once. */
sym_expr sym_substitute(sym_table *t, sym_expr e, const sym_expr *from, const sym_expr *to,
                        uint32_t count);
/* e == *coefficient * symbol + *rest with neither holding the symbol; false when e is not linear
 * in it. */
bool sym_linear_in(sym_table *t, sym_expr e, sym_expr symbol, sym_expr *coefficient,
                   sym_expr *rest);
/* The same with a power of the symbol: e == *coefficient * symbol ** *power + *rest. */
bool sym_power_in(sym_table *t, sym_expr e, sym_expr symbol, uint32_t *power, sym_expr *coefficient,
                  sym_expr *rest);
/* e == *quotient * product + *rest: the quotient has those of e's terms that the product divides. */
void sym_split_multiples(sym_table *t, sym_expr e, sym_expr product, sym_expr *quotient,
                         sym_expr *rest);
/* The value of e when lookup gives every symbol's; false when a symbol has none or on overflow or
 * division by 0. */
bool sym_eval(const sym_table *t, sym_expr e,
              bool (*lookup)(void *data, sym_expr symbol, int64_t *value), void *data,
              int64_t *value);
/* The value at the hints (example sizes); a symbol without hint counts as `fallback`. */
int64_t sym_hint(const sym_table *t, sym_expr e, int64_t fallback);
/* What choices and costs go by: the value at the hints, where a symbol without one counts as the usual size,
 * within its range. Within +-2^48: what an example says may be any number, and elements are multiplied by
 * their bytes and added up. */
enum { SYM_USUAL_SIZE = 64 };
int64_t sym_usual(const sym_table *t, sym_expr e);
/* The value where each symbol is so many times its hint, within its range; false as sym_eval. */
bool sym_hint_scaled(const sym_table *t, sym_expr e, double scale, int64_t *value);

/* ---- text (text.c) ---- */
void sym_print(const sym_table *t, sym_expr e, text *out);
/* The expression at the lexer, as sym_print writes it. Unknown names become SYM_SIZE symbols
 * (SYM_UNBACKED when the name is u<digits>, SYM_INDEX for i<digits> and r<digits>). */
fe_status sym_parse(sym_table *t, lexer *lx, sym_expr *out);
/* The same as C source over int64_t variables named as the symbols, with floor semantics through
 * helper functions `fe_floordiv(a, b)`, `fe_mod(a, b)`, `fe_min`, `fe_max`; C's own / and %
 * where both operands are known not to be negative. */
void sym_print_c(const sym_table *t, sym_expr e, text *out);
/* The same where a number of bytes is wanted, by fe_plus, fe_times and fe_over: what does not fit, and
 * all that is computed from it, is INT64_MAX. */
void sym_print_c_size(const sym_table *t, sym_expr e, text *out);
/* The same as Python, with rt.div(a, b) and rt.mod(a, b) where the divisor may be 0. */
void sym_print_python(const sym_table *t, sym_expr e, text *out);

/* A comparison that stays as it was written: one that the ranges of symbols imply must still be
 * asked where those ranges come from. op: EQ NE LT LE; a plain predicate is `left != 0`. */
typedef struct sym_relation {
    sym_expr left, right;
    sym_op op;
} sym_relation;
/* The distinct symbols of both sides, in order of first appearance; returns how many. */
uint32_t sym_relation_symbols(const sym_table *t, const sym_relation *r, arena *memory,
                              sym_expr **out);
void sym_print_relation(const sym_table *t, const sym_relation *r, text *out);
void sym_print_c_relation(const sym_table *t, const sym_relation *r, text *out);
void sym_print_python_relation(const sym_table *t, const sym_relation *r, text *out);
fe_status sym_parse_relation(sym_table *t, lexer *lx, sym_relation *out);

#endif
