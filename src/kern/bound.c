/* bound.c -- what keeps an index inside: before a load or a store whose index holds a value there is a
 * line that says so, either a check, which leaves the kernel where the value is out of range, or the
 * remark that it cannot be.
 */
#include "kern/build_priv.h"

void kern_forget_bounds(kern_builder *b, uint32_t level)
{
    while (b->bounded.count && vec_last(&b->bounded).level == level) b->bounded.count--;
}

static bool is_there(const kern_builder *b, const kern_bound *bound)
{
    for (uint32_t i = 0; i < b->bounded.count; i++) {
        const kern_bound *known = &b->bounded.at[i].bound;
        if (known->value == bound->value && sym_same(known->size, bound->size) &&
            (!known->guard || known->guard == bound->guard))
            return true;
    }
    return false;
}

static uint32_t check_number(kern_builder *b, sym_expr symbol)
{
    kern_ir *k = b->k;
    const loop_bound *bound = loop_indirect_bound(b->p, symbol);
    for (uint32_t i = 0; i < k->checks.count; i++)
        if (loop_indirect_bound(b->p, k->checks.at[i]) == bound) return i;
    vec_push(b->memory, &k->checks, symbol);
    return k->checks.count - 1;
}

/* Is an index of this value in range where integers in memory are all 0? Places are; what is made by a
 * minimum, a maximum or a remainder is so whatever it is made of. */
static bool holds_of_zeros(const kern_ir *k, kern_ref value)
{
    const kern_value *v = &k->values.at[value];
    if (v->kind == KERN_APPLY && v->op == LOOP_CAST) return holds_of_zeros(k, v->args[0]);
    if (v->kind == KERN_APPLY) return v->op == LOOP_MIN || v->op == LOOP_MAX || v->op == LOOP_REM;
    return v->kind == KERN_LOAD || v->kind == KERN_RESULT;
}

static bool all_hold_of_zeros(const kern_ir *k, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_BOUND && item->bound.is_known &&
            !holds_of_zeros(k, item->bound.value))
            return false;
        if (item->kind == KERN_LOOP && !all_hold_of_zeros(k, item->loop)) return false;
    }
    return true;
}

bool kern_takes_zeros(const kern_kernel *kernel)
{
    return all_hold_of_zeros(kernel->ir, kernel->ir->body);
}

uint32_t kern_keep_bound(kern_builder *b, sym_expr symbol, kern_ref value, kern_ref guard)
{
    sym_env env = {b->bounds, b->bound_count};
    const kern_value *v = &b->k->values.at[value], *g = &b->k->values.at[guard];
    uint32_t level = v->level > 1 ? v->level : 1;
    kern_bound bound = {.value = value};
    bound.is_known = loop_is_within(b->p, symbol, &env, NULL);
    if (bound.is_known && v->kind == KERN_CONST) return v->level;
    if (!bound.is_known) {
        bound.guard = guard;
        bound.is_known = guard && loop_is_within(b->p, symbol, &env, &b->facts);
        if (guard && g->level > level) level = g->level;
        if ((v->vector || (guard && g->vector)) && b->vector_level > level) level = b->vector_level;
    }
    bound.size = kern_param_expr(b->k, loop_indirect_bound(b->p, symbol)->size, &env, b->memory);
    if (is_there(b, &bound)) return level;
    if (!bound.is_known) bound.number = check_number(b, symbol);
    kern_item item = {.kind = KERN_BOUND, .bound = bound};
    vec_push(b->memory, &b->open[level]->items, item);
    /* in the order of their levels, so that those of a loop go with it */
    uint32_t at = b->bounded.count;
    vec_push(b->memory, &b->bounded, (kern_kept){bound, level});
    for (; at > 0 && b->bounded.at[at - 1].level > level; at--)
        b->bounded.at[at] = b->bounded.at[at - 1];
    b->bounded.at[at] = (kern_kept){bound, level};
    return level;
}
