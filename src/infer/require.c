/* require.c -- what the arguments of a call have to be, which PyTorch's meta functions and kernels check.
 *
 * A relation that is known to be false is the call's diagnostic. One that holds for some sizes alone
 * becomes a condition of the graph, asserted in the run before anything depends on it.
 */
#include "infer/infer_priv.h"

#include <stdio.h>

static const char *relation_sign(sym_op comparison)
{
    return comparison == SYM_EQ   ? "=="
           : comparison == SYM_NE ? "!="
           : comparison == SYM_LT ? "<"
                                  : "<=";
}

bool infer_proves(infer_call *c, sym_op comparison, sym_expr a, sym_expr b)
{
    if (c->status != FE_OK) return false;
    if (sym_same(a, b)) return comparison == SYM_EQ || comparison == SYM_LE;
    sym_expr predicate = sym_compare(c->symbols, comparison, a, b);
    return sym_prove(c->symbols, predicate, NULL) == SYM_TRUE;
}

bool infer_demand(infer_call *c, sym_op comparison, sym_expr a, sym_expr b, const char *format, ...)
{
    char said[700];
    va_list args;
    if (c->status != FE_OK) return false;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    sym_expr predicate = sym_compare(c->symbols, comparison, a, b);
    if (sym_prove(c->symbols, predicate, NULL) == SYM_FALSE) {
        infer_fail(c, "%s", said);
        return false;
    }
    const char *line = fx_origin_line(c->graph, c->node->origin);
    const char *where =
        line ? arena_printf(c->memory, "%s, %s", c->node->name, line) : c->node->name;
    const char *what = arena_printf(c->memory, "%s: %s (%s)", c->op->name, said, where);
    bool swap = comparison == SYM_EQ && sym_is_int(c->symbols, a, NULL);
    fx_add_condition(c->graph, (sym_relation){swap ? b : a, swap ? a : b, comparison}, what);
    return true;
}

/* ---- decisions by the example ---- */

static bool decided_as_in_example(infer_call *c, sym_op comparison, sym_expr a, sym_expr b)
{
    return INFER_REQUIRE(
        c, comparison, a, b,
        "sizes are on another side of %s %s %s than in the example that the program was made from",
        infer_written(c, a), relation_sign(comparison), infer_written(c, b));
}

bool infer_holds(infer_call *c, sym_op comparison, sym_expr a, sym_expr b)
{
    sym_expr both[] = {a, b};
    bool so = infer_prefers(c, comparison, a, b);
    if (infer_has_unbacked(c, 2, both)) return so;
    switch (comparison) {
    case SYM_EQ: (void)decided_as_in_example(c, so ? SYM_EQ : SYM_NE, a, b); break;
    case SYM_LT:
    case SYM_LE:
        if (so)
            (void)decided_as_in_example(c, comparison, a, b);
        else
            (void)decided_as_in_example(c, comparison == SYM_LT ? SYM_LE : SYM_LT, b, a);
        break;
    default: BUG(c->graph->session, "a decision by operator %d", (int)comparison);
    }
    return so;
}

bool infer_assumes(infer_call *c, sym_op comparison, sym_expr a, sym_expr b)
{
    return infer_prefers(c, comparison, a, b) && infer_holds(c, comparison, a, b);
}

/* ---- broadcasting ---- */

bool infer_need_one(infer_call *c, sym_expr size, sym_expr wanted)
{
    sym_expr least = sym_min(c->symbols, wanted, infer_number(c, 1));
    return INFER_REQUIRE(c, SYM_LE, least, size,
                         "The expanded size of the tensor (%s) must match the existing size (%s)",
                         infer_written(c, wanted), infer_written(c, size));
}

bool infer_is_one(infer_call *c, sym_expr size)
{
    if (infer_is(c, size, 1)) return true;
    return ty_at_most_one(c->symbols, size) && !infer_is(c, size, 0) &&
           infer_need_one(c, size, infer_number(c, 1));
}

/* Of two sizes that differ, does one repeat to the other? It may be 0 where the other is, too. */
static bool repeats(infer_call *c, sym_expr size, sym_expr to)
{
    if (infer_is(c, size, 1)) return true;
    return ty_at_most_one(c->symbols, size) && !ty_at_most_one(c->symbols, to) &&
           infer_need_one(c, size, to);
}

bool infer_require_fits(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                        const char *what)
{
    if (!x) return c->status == FE_OK;
    if (x->rank > rank) {
        infer_fail(c, "%s is %s, which does not broadcast to %u dimensions", what,
                   infer_shape(c, x), rank);
        return false;
    }
    for (uint32_t i = 0; i < x->rank; i++) {
        if (repeats(c, x->sizes[i], sizes[rank - x->rank + i])) continue;
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[i], sizes[rank - x->rank + i],
                                  "%s is %s: dimension %u does not broadcast", what,
                                  infer_shape(c, x), i);
    }
    return c->status == FE_OK;
}

bool infer_require_sizes(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                         const char *what)
{
    if (x->rank != rank) {
        infer_fail(c, "%s is %s, which has not %u dimensions", what, infer_shape(c, x), rank);
        return false;
    }
    for (uint32_t d = 0; d < rank; d++)
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[d], sizes[d],
                                  "%s is %s: its size in dimension %u is not %s", what,
                                  infer_shape(c, x), d, infer_written(c, sizes[d]));
    return c->status == FE_OK;
}

bool infer_require_broadcast(infer_call *c, const ty_tensor *a, const ty_tensor *b)
{
    for (uint32_t i = 0; i < a->rank && i < b->rank; i++) {
        sym_expr x = a->sizes[a->rank - 1 - i], y = b->sizes[b->rank - 1 - i];
        if (sym_same(x, y) || repeats(c, x, y) || repeats(c, y, x)) continue;
        (void)INFER_REQUIRE_EQUAL(
            c, x, y,
            "The size of tensor a (%s) must match the size of tensor b (%s) at "
            "non-singleton dimension %u",
            infer_written(c, x), infer_written(c, y),
            (a->rank > b->rank ? a->rank : b->rank) - 1 - i);
    }
    return c->status == FE_OK;
}
