/* home.c -- what every target asks: where the memory of a buffer comes from, which sizes must be
 * measured before they are used.
 */
#include "wrap/wrap.h"

wrap_home wrap_home_of(const wrap_program *w, loop_buffer_id id)
{
    loop_buffer_id root = w->lives[id].root;
    switch (w->loops->buffers.at[id].kind) {
    case LOOP_INPUT: return WRAP_HOME_INPUT;
    case LOOP_STATE: return WRAP_HOME_STATE;
    case LOOP_CONSTANT:
        return w->raw_weight[id] == WRAP_NO_WEIGHT ? WRAP_HOME_NONE : WRAP_HOME_WEIGHT;
    case LOOP_TEMP: break;
    }
    if (w->lives[root].in_arena) return WRAP_HOME_ARENA;
    if (wrap_is_given(w, id)) return WRAP_HOME_ROOT;
    if (w->output_of[id] < 0) return WRAP_HOME_NONE;
    return root == id ? WRAP_HOME_OUTPUT : WRAP_HOME_ROOT;
}

bool wrap_is_allocated(const wrap_program *w, loop_buffer_id id)
{
    return w->loops->buffers.at[id].kind == LOOP_TEMP &&
           (w->lives[w->lives[id].root].in_arena || wrap_is_late(w, id));
}

bool wrap_comes_with(const wrap_program *w, loop_buffer_id id, loop_buffer_id allocated)
{
    return id != allocated && !w->lives[allocated].in_arena && w->lives[id].root == allocated;
}

static void look_for_unbacked(void *data, sym_expr symbol)
{
    const wrap_program **found = data;
    if (*found && sym_kind_of((*found)->loops->symbols, symbol) == SYM_UNBACKED) *found = NULL;
}

bool wrap_may_overflow_in(const wrap_program *w, sym_expr e)
{
    const sym_table *t = w->loops->symbols;
    const wrap_program *without = w;
    int64_t min, max;
    if (sym_is_none(e) || sym_op_of(t, e) == SYM_SYMBOL) return false;
    sym_each_symbol(t, e, look_for_unbacked, &without);
    sym_range(t, e, NULL, &min, &max);
    return !without && max == SYM_NO_MAX;
}

bool wrap_may_overflow(const wrap_program *w, const wrap_call *call)
{
    bool may = wrap_may_overflow_in(w, call->outer) || wrap_may_overflow_in(w, call->inner);
    for (uint32_t i = 0; i < call->int_count; i++) may |= wrap_may_overflow_in(w, call->ints[i]);
    return may;
}
