/* within.c -- is an index known to keep its bound whatever the data is? Then kernels need not check
 * it.
 *
 * A value is followed down to what limits it: minima, remainders, axes and sizes, the bytes of
 * constants, what sorts and searches give, and through temps to what is stored there. Two questions
 * are asked of each value: between which numbers it is (range_of), and whether it is at most, or at
 * least, an expression of sizes (bounded). Both answer "not known" rather than look for long.
 */
#include "loop/within_priv.h"

#include <math.h>

static bool bounded(loop_proof *f, loop_value v, sym_expr limit, bool above);

/* ---- limits ---- */

/* a <= b, or the other way round */
static bool ordered(loop_proof *f, sym_expr a, sym_expr b, bool above)
{
    return sym_known_less_equal(f->p->symbols, above ? a : b, above ? b : a, f->env);
}

/* The expression of an index or a constant; none of anything else. */
static sym_expr plain(loop_proof *f, loop_value v)
{
    const loop_node *n = loop_at(f->p, v);
    if (n->op == LOOP_INDEX) return n->index;
    return n->op == LOOP_CONST && n->dtype == TY_I64 ? sym_int(f->p->symbols, n->integer)
                                                     : (sym_expr){0};
}

/* x + e (or x - e) against the limit: x against what is left of it. On the way there nothing may wrap
 * around from the other end of the integers. */
static bool shifted(loop_proof *f, loop_value x, sym_expr e, bool minus, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    loop_range r = loop_range_of(f, x), by = loop_range_of_expr(f, e);
    bool towards = above != minus ? by.low >= 0 : by.high <= 0;
    bool small = fabs(by.low) < 9e18 && (fabs(by.high) < 9e18 || !sym_has_kind(t, e, SYM_UNBACKED));
    bool far = small && (above ? r.low >= -PROOF_MOST_INTEGER : r.high <= PROOF_MOST_INTEGER);
    return (towards || far) &&
           bounded(f, x, minus ? sym_add(t, limit, e) : sym_sub(t, limit, e), above);
}

static bool bounded_sum(loop_proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_expr left = plain(f, n->args[0]), right = plain(f, n->args[1]);
    if (n->dtype != TY_I64) return false;
    if (!sym_is_none(right)) return shifted(f, n->args[0], right, n->op == LOOP_SUB, limit, above);
    return n->op == LOOP_ADD && !sym_is_none(left) &&
           shifted(f, n->args[1], left, false, limit, above);
}

/* where(x < 0, x + size, x): what is wrapped is in [x + size, size). */
static bool bounded_wrap(loop_proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    const loop_node *test = loop_at(f->p, n->args[0]), *sum = loop_at(f->p, n->args[1]);
    sym_expr zero = sym_int(t, 0), size, against;
    if (test->op != LOOP_LT || test->args[0].id != n->args[2].id) return false;
    against = plain(f, test->args[1]);
    if (sym_is_none(against) || !sym_same(against, zero)) return false;
    bool natural = bounded(f, n->args[2], zero, false);
    if (natural) return bounded(f, n->args[2], limit, above);
    if (sum->op != LOOP_ADD || sum->args[0].id != n->args[2].id) return false;
    size = plain(f, sum->args[1]);
    if (sym_is_none(size)) return false;
    if (above)
        return ordered(f, sym_add_int(t, size, -1), limit, true) &&
               bounded(f, n->args[2], limit, true);
    return ordered(f, zero, limit, false) && bounded(f, n->args[2], sym_sub(t, limit, size), false);
}

static bool bounded_load(loop_proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    loop_writers list = {0};
    if (sym_has_kind(t, limit, SYM_INDEX) || sym_has_kind(t, limit, SYM_INDIRECT)) return false;
    if (!loop_writers_of(f, n->buffer, &list)) return false;
    for (uint32_t k = 0; k < list.count; k++) {
        const loop_writer *w = &list.at[k];
        sym_bound bounds[2 * LOOP_MAX_AXES];
        sym_expr size = loop_written_places(f, w, n->index);
        const sym_env env = {bounds, loop_axes_of(f->p, w->op, bounds)};
        bool fits;
        if (!sym_is_none(size))
            fits = ordered(f, above ? sym_add_int(t, size, -1) : sym_int(t, 0), limit, above);
        else if (!w->store)
            fits = false;
        else {
            loop_proof there = loop_proof_in(f, &env);
            fits = bounded(&there, w->store->value, limit, above);
            f->steps = there.steps;
        }
        if (!fits) return false;
    }
    return true;
}

static bool by_operation(loop_proof *f, const loop_node *n, sym_expr limit, bool above)
{
    sym_table *t = f->p->symbols;
    const loop_value *a = n->args;
    switch (n->op) {
    case LOOP_CONST:
    case LOOP_INDEX: return false;
    case LOOP_MIN:
    case LOOP_MAX:
        if ((n->op == LOOP_MIN) == above)
            return bounded(f, a[0], limit, above) || bounded(f, a[1], limit, above);
        return bounded(f, a[0], limit, above) && bounded(f, a[1], limit, above);
    case LOOP_WHERE:
        if (bounded_wrap(f, n, limit, above)) return true;
        return bounded(f, a[1], limit, above) && bounded(f, a[2], limit, above);
    case LOOP_MASKED: return bounded(f, a[1], limit, above) && bounded(f, a[2], limit, above);
    case LOOP_CAST:
        return n->dtype == TY_I64 && ty_is_integral(loop_at(f->p, a[0])->dtype, true) &&
               loop_at(f->p, a[0])->dtype != TY_U64 && bounded(f, a[0], limit, above);
    case LOOP_ADD:
    case LOOP_SUB: return bounded_sum(f, n, limit, above);
    case LOOP_REM:
        return above && loop_range_of(f, a[1]).low >= 1 &&
               bounded(f, a[1], sym_add_int(t, limit, 1), true);
    case LOOP_LOAD: return bounded_load(f, n, limit, above);
    default: return false;
    }
}

/* Is v at most the limit (above), or at least it? */
static bool bounded(loop_proof *f, loop_value v, sym_expr limit, bool above)
{
    const loop_node *n = loop_at(f->p, v);
    if (f->steps++ > PROOF_MOST_STEPS || f->depth >= PROOF_MOST_DEPTH ||
        !ty_is_integral(n->dtype, true))
        return false;
    sym_expr e = plain(f, v);
    if (!sym_is_none(e) && ordered(f, e, limit, above)) return true;
    loop_range r = loop_range_of(f, v), of_limit = loop_range_of_expr(f, limit);
    if (above ? r.high <= of_limit.low : r.low >= of_limit.high) return true;
    f->depth++;
    bool found = by_operation(f, n, limit, above);
    f->depth--;
    return found;
}

void loop_add_fact(loop_program *p, loop_facts *facts, loop_value condition)
{
    const loop_node *n = loop_at(p, condition);
    if (n->op != LOOP_AND) {
        vec_push(p->memory, facts, condition);
        return;
    }
    loop_add_fact(p, facts, n->args[0]);
    loop_add_fact(p, facts, n->args[1]);
}

bool loop_is_within(loop_program *p, sym_expr symbol, const sym_env *env, const loop_facts *facts)
{
    loop_proof f = {.p = p, .env = env, .facts = facts};
    const loop_bound *bound = loop_indirect_bound(p, symbol);
    loop_value v = loop_indirect_value(p, symbol);
    if (!bound || sym_has_kind(p->symbols, bound->size, SYM_INDEX)) return false;
    return bounded(&f, v, sym_int(p->symbols, 0), false) &&
           bounded(&f, v, sym_add_int(p->symbols, bound->size, -1), true);
}

typedef struct doubt {
    loop_program *p;
    const sym_env *env;
    bool found;
} doubt;

static void doubt_symbol(void *data, sym_expr symbol)
{
    doubt *d = data;
    if (!d->found && loop_indirect_bound(d->p, symbol))
        d->found = !loop_is_within(d->p, symbol, d->env, NULL);
}

static void doubt_node(void *data, loop_value v)
{
    doubt *d = data;
    const loop_node *n = loop_at(d->p, v);
    if (n->op == LOOP_LOAD || n->op == LOOP_INDEX)
        sym_each_symbol(d->p->symbols, n->index, doubt_symbol, d);
}

bool loop_may_fail(loop_program *p, loop_value v, const sym_env *env)
{
    doubt d = {p, env, false};
    loop_each_node(p, v, doubt_node, &d);
    return d.found;
}
