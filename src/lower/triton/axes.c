/* axes.c -- the axes that something of a kernel is over, made fewer and shorter: those whose elements lie
 * in a row become one, and a condition that bounds an axis ends it.
 */
#include "lower/triton/triton.h"

#include <string.h>

triton_axes triton_axes_of(triton *t, uint32_t rank, const sym_expr *sizes)
{
    triton_axes a = {.t = t, .rank = rank};
    memcpy(a.axes, t->l->axes, rank * sizeof *a.axes);
    memcpy(a.extents, sizes, rank * sizeof *a.extents);
    for (uint32_t k = t->grid_axes; k < rank; k++) a.is_within[k] = true;
    return a;
}

sym_env triton_env(const triton_axes *a, sym_bound *bounds)
{
    for (uint32_t k = 0; k < a->rank; k++) bounds[k] = (sym_bound){a->axes[k], a->extents[k]};
    return (sym_env){bounds, a->rank};
}

void triton_drop_axis(triton_axes *a, uint32_t k)
{
    for (a->rank--; k < a->rank; k++) {
        a->axes[k] = a->axes[k + 1];
        a->extents[k] = a->extents[k + 1];
        a->is_within[k] = a->is_within[k + 1];
    }
}

sym_expr triton_merge(const triton_axes *a, uint32_t outer, uint32_t inner, sym_expr *from,
                      sym_expr *to)
{
    sym_table *s = a->t->s;
    sym_expr width = a->extents[inner];
    from[0] = a->axes[inner];
    to[0] = sym_sub(s, a->axes[inner], sym_mul(s, width, a->axes[outer]));
    from[1] = a->axes[outer];
    to[1] = sym_floordiv(s, a->axes[inner], width);
    return sym_mul(s, a->extents[outer], width);
}

static bool has_axis(const triton_axes *a, sym_expr e)
{
    for (uint32_t k = 0; k < a->rank; k++)
        if (sym_contains(a->t->s, e, a->axes[k])) return true;
    return sym_has_kind(a->t->s, e, SYM_INDIRECT);
}

/* The condition as 0 < *left; false: it is no such comparison. */
static bool difference(const triton_axes *a, loop_value condition, sym_expr *left)
{
    const loop_node *n = loop_at(a->t->p, condition);
    if (n->op != LOOP_LT && n->op != LOOP_LE) return false;
    sym_expr x = triton_expr(a->t, n->args[0]), y = triton_expr(a->t, n->args[1]);
    if (sym_is_none(x) || sym_is_none(y)) return false;
    *left = sym_add_int(a->t->s, sym_sub(a->t->s, y, x), n->op == LOOP_LE);
    return true;
}

bool triton_holds(const triton_axes *a, loop_value condition)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = triton_env(a, bounds);
    sym_expr left;
    const loop_node *n = loop_at(a->t->p, condition);
    if (n->op == LOOP_CONST) return n->integer != 0;
    return difference(a, condition, &left) &&
           sym_known_less_equal(a->t->s, a->t->l->one, left, &env);
}

/* 0 < rest - step * axis: the axis ends at ceil(rest / step). */
bool triton_cut(triton_axes *a, loop_value condition, uint32_t k)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = triton_env(a, bounds);
    sym_table *s = a->t->s;
    sym_expr left, factor, rest;
    int64_t step;
    if (!difference(a, condition, &left) || !sym_contains(s, left, a->axes[k])) return false;
    if (!sym_linear_in(s, left, a->axes[k], &factor, &rest)) return false;
    if (!sym_is_int(s, factor, &step) || step >= 0 || has_axis(a, rest)) return false;
    sym_expr end = step == -1 ? rest : sym_ceildiv(s, rest, lower_const(a->t->l, -step));
    if (!sym_known_less_equal(s, a->t->l->zero, end, &env)) end = sym_max(s, end, a->t->l->zero);
    if (!sym_known_less_equal(s, end, a->extents[k], &env)) end = sym_min(s, end, a->extents[k]);
    a->extents[k] = end;
    return true;
}

/* condition: axis k == e, a place that the axis has? */
bool triton_meets_one(const triton_axes *a, loop_value condition, uint32_t k, sym_expr *place)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = triton_env(a, bounds);
    sym_table *s = a->t->s;
    sym_expr factor, rest;
    int64_t step;
    const loop_node *n = loop_at(a->t->p, condition);
    if (n->op != LOOP_EQ) return false;
    sym_expr x = triton_expr(a->t, n->args[0]), y = triton_expr(a->t, n->args[1]);
    if (sym_is_none(x) || sym_is_none(y)) return false;
    if (!sym_linear_in(s, sym_sub(s, y, x), a->axes[k], &factor, &rest)) return false;
    if (!sym_is_int(s, factor, &step) || (step != 1 && step != -1) || has_axis(a, rest))
        return false;
    *place = sym_mul_int(s, rest, -step);
    return sym_known_less_equal(s, a->t->l->zero, *place, &env) &&
           sym_known_less_equal(s, sym_add_int(s, *place, 1), a->extents[k], &env);
}

/* The axis, among those that are left, with the smallest step that is at least the span; or the rank. */
static uint32_t next_axis(const triton_axes *a, const sym_expr *steps, const bool *left,
                          sym_expr span)
{
    sym_table *s = a->t->s;
    uint32_t found = a->rank;
    for (uint32_t k = 0; k < a->rank; k++) {
        if (!left[k] || !sym_known_less_equal(s, span, steps[k], NULL)) continue;
        if (found == a->rank || sym_known_less_equal(s, steps[k], steps[found], NULL)) found = k;
    }
    return found;
}

bool triton_is_injective(const triton_axes *a, sym_expr place, bool within)
{
    sym_table *s = a->t->s;
    sym_expr steps[LOWER_MAX_RANK], rest = place, span = a->t->l->one;
    bool left[LOWER_MAX_RANK];
    uint32_t open = 0;
    for (uint32_t k = 0; k < a->rank; k++) {
        left[k] = !lower_is_one(a->t->l, a->extents[k]) && (a->is_within[k] || !within);
        open += left[k];
        if (!left[k] && within) continue;
        if (!sym_linear_in(s, rest, a->axes[k], &steps[k], &rest)) return false;
        if (sym_known_less_equal(s, steps[k], a->t->l->zero, NULL))
            steps[k] = sym_mul_int(s, steps[k], -1);
    }
    for (; open; open--) {
        uint32_t k = next_axis(a, steps, left, span);
        if (k == a->rank) return false;
        span = sym_add(s, span, sym_mul(s, steps[k], sym_add_int(s, a->extents[k], -1)));
        left[k] = false;
    }
    return true;
}
