/* below.c -- comparisons of indices as masks: where an index moves by one from lane to lane, those that are
 * less than a bound are the first lanes, or all but those. No vector of 64-bit numbers is made, which would
 * leave room for half as many lanes.
 */
#include "kern/build_priv.h"

bool kern_is_index(kern_builder *b, loop_value v, sym_expr *out)
{
    const loop_node *n = loop_at(b->p, v);
    if (n->dtype != TY_I64 || (n->op != LOOP_INDEX && n->op != LOOP_CONST)) return false;
    *out = n->op == LOOP_INDEX ? n->index : sym_int(b->t, n->integer);
    return true;
}

/* Lanes l < e. */
static kern_ref below(kern_builder *b, sym_expr e, kern_ref guard)
{
    kern_spot spot = kern_place(b, e, guard);
    return kern_add_value(b, (kern_value){.kind = KERN_BELOW,
                                          .dtype = TY_BOOL,
                                          .vector = true,
                                          .level = spot.level,
                                          .index = spot.index});
}

bool kern_build_below(kern_builder *b, const loop_node *n, kern_ref guard, kern_ref *made)
{
    sym_expr x, y, coefficient, rest;
    int64_t step;
    bool compares = n->op == LOOP_LT || n->op == LOOP_LE || n->op == LOOP_EQ;
    if (!compares || b->k->lanes == 1 || sym_is_none(b->vector_axis) ||
        !kern_is_index(b, n->args[0], &x) || !kern_is_index(b, n->args[1], &y))
        return false;
    /* of the first lane; further on it is larger or smaller by the lane */
    sym_expr far = sym_sub(b->t, y, x);
    if (!sym_linear_in(b->t, far, b->vector_axis, &coefficient, &rest) ||
        !sym_is_int(b->t, coefficient, &step) || (step != 1 && step != -1) ||
        sym_has_kind(b->t, far, SYM_INDIRECT))
        return false;
    sym_expr at = step < 0 ? far : sym_mul_int(b->t, far, -1); /* where they are equal */
    sym_expr behind = sym_add_int(b->t, at, 1);
    if (n->op == LOOP_EQ) {
        kern_ref before = kern_apply_not(b, below(b, at, guard));
        *made = kern_apply_and(b, below(b, behind, guard), before);
    } else if (step < 0) {
        *made = below(b, n->op == LOOP_LT ? at : behind, guard);
    } else {
        *made = kern_apply_not(b, below(b, n->op == LOOP_LT ? behind : at, guard));
    }
    return true;
}
