/* ends.c -- the least and the greatest that an index is over the box of its axes, where it rises or falls
 * along each of them: both are reached, so that what is said of them is said of every access.
 *
 *     4*i0 + i1 - s0    over i0 < 8, i1 < s1    is between    -s0    and    s1 - s0 + 27
 */
#include "loop/check_priv.h"

/* Along one axis; what does both RISES and FALLS is not known. */
typedef enum course { STAYS, RISES, FALLS, VARIES } course;

static course opposite(course way)
{
    return way == RISES ? FALLS : way == FALLS ? RISES : way;
}

static bool is_at_least(sym_table *t, sym_expr e, int64_t least, const sym_env *env)
{
    int64_t min, max;
    sym_range(t, e, env, &min, &max);
    return min >= least || sym_known_less_equal(t, sym_int(t, least), e, env);
}

static course course_of(sym_table *t, sym_expr e, sym_expr axis, const sym_env *env);

static course course_of_product(sym_table *t, sym_expr e, sym_expr axis, const sym_env *env)
{
    course way = STAYS;
    bool turns = false, all_positive = true;
    uint32_t moving = 0;
    for (uint32_t k = 0; k < sym_arg_count(t, e); k++) {
        sym_expr factor = sym_arg(t, e, k);
        bool moves = sym_contains(t, factor, axis), positive = is_at_least(t, factor, 0, env);
        moving += moves;
        all_positive &= positive;
        if (moves)
            way |= course_of(t, factor, axis, env);
        else if (!positive && !is_at_least(t, sym_mul_int(t, factor, -1), 0, env))
            return VARIES;
        else
            turns ^= !positive;
    }
    if (moving > 1 && !all_positive) return VARIES;
    return turns ? opposite(way) : way;
}

static course course_of(sym_table *t, sym_expr e, sym_expr axis, const sym_env *env)
{
    course way = STAYS;
    if (!sym_contains(t, e, axis)) return STAYS;
    switch (sym_op_of(t, e)) {
    case SYM_SYMBOL: return RISES;
    case SYM_MUL: return course_of_product(t, e, axis, env);
    case SYM_FLOORDIV:
        if (sym_contains(t, sym_arg(t, e, 1), axis) || !is_at_least(t, sym_arg(t, e, 1), 1, env))
            return VARIES;
        return course_of(t, sym_arg(t, e, 0), axis, env);
    case SYM_ADD:
    case SYM_MIN:
    case SYM_MAX:
        for (uint32_t k = 0; k < sym_arg_count(t, e); k++)
            way |= course_of(t, sym_arg(t, e, k), axis, env);
        return way;
    default: return VARIES;
    }
}

static bool holds_axes(const sym_table *t, sym_expr e)
{
    return sym_has_kind(t, e, SYM_INDEX) || sym_has_kind(t, e, SYM_INDIRECT);
}

/* e at one end of an axis. */
static bool take_end(sym_table *t, sym_expr *e, const sym_bound *b, bool greatest,
                     const sym_env *env)
{
    sym_expr slope, rest, last = sym_add_int(t, b->extent, -1);
    course way = course_of(t, *e, b->symbol, env);
    if (way == STAYS) return true;
    if (holds_axes(t, b->extent)) return false;
    if (way != VARIES) {
        sym_expr at = (way == RISES) == greatest ? last : sym_int(t, 0);
        *e = sym_substitute(t, *e, &b->symbol, &at, 1);
        return true;
    }
    if (!sym_linear_in(t, *e, b->symbol, &slope, &rest) || holds_axes(t, slope)) return false;
    sym_expr far = sym_mul(t, slope, last), none = sym_int(t, 0);
    *e = sym_add(t, rest, greatest ? sym_max(t, far, none) : sym_min(t, far, none));
    return true;
}

static bool end_of(sym_table *t, sym_expr e, const sym_env *env, bool greatest, sym_expr *out)
{
    for (uint32_t k = 0; k < env->count; k++)
        if (!take_end(t, &e, &env->bounds[k], greatest, env)) return false;
    *out = e;
    return !holds_axes(t, e);
}

bool loop_ends_of(sym_table *t, sym_expr index, const sym_env *env, sym_expr *least,
                  sym_expr *greatest)
{
    return end_of(t, index, env, false, least) && end_of(t, index, env, true, greatest);
}
