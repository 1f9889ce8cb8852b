/* storage.c -- where each buffer lies and who gives the memory, and which sizes must be measured before
 * they are used: what every target asks.
 */
#include "wrap/wrap_priv.h"

static void look_for_unbacked(void *data, sym_expr symbol)
{
    const wrap_program **found = data;
    if (*found && sym_kind_of((*found)->loops->symbols, symbol) == SYM_UNBACKED) *found = NULL;
}

static bool holds_unbacked(const wrap_program *w, sym_expr e)
{
    const wrap_program *without = w;
    sym_each_symbol(w->loops->symbols, e, look_for_unbacked, &without);
    return !without;
}

static wrap_storage_kind kind_of(const wrap_program *w, loop_buffer_id id)
{
    const wrap_storage *of = &w->storage[id], *root = &w->storage[of->life.root];
    switch (w->loops->buffers.at[id].kind) {
    case LOOP_INPUT: return WRAP_STORAGE_INPUT;
    case LOOP_STATE: return WRAP_STORAGE_STATE;
    case LOOP_CONSTANT:
        return of->weight == WRAP_NO_WEIGHT ? WRAP_STORAGE_NONE : WRAP_STORAGE_WEIGHT;
    case LOOP_TEMP: break;
    }
    if (root->life.in_arena) return WRAP_STORAGE_ARENA;
    if (wrap_is_given(w, id)) return WRAP_STORAGE_ALIAS;
    if (of->output < 0) return WRAP_STORAGE_NONE;
    return root == of ? WRAP_STORAGE_OUTPUT : WRAP_STORAGE_ALIAS;
}

void wrap_set_storage_kinds(wrap_program *w)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        wrap_storage *of = &w->storage[id];
        const wrap_storage *root = &w->storage[of->life.root];
        of->is_unbacked = holds_unbacked(w, root->bytes);
        of->kind = kind_of(w, id);
        of->is_allocated =
            w->loops->buffers.at[id].kind == LOOP_TEMP && (root->life.in_arena || of->is_unbacked);
    }
}

void wrap_list_fixed(wrap_program *w)
{
    w->fixed.count = 0;
    for (int aliases = 0; aliases < 2; aliases++)
        for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
            const wrap_storage *of = &w->storage[id];
            if (of->kind != WRAP_STORAGE_NONE && !of->is_allocated &&
                (of->life.root != id) == (aliases == 1))
                vec_push(w->memory, &w->fixed, id);
        }
}

bool wrap_comes_with(const wrap_program *w, loop_buffer_id id, loop_buffer_id allocated)
{
    return id != allocated && !w->storage[allocated].life.in_arena &&
           w->storage[id].life.root == allocated;
}

const char *wrap_storage_name(wrap_storage_kind kind)
{
    static const char *const NAMES[] = {
        [WRAP_STORAGE_NONE] = "none",   [WRAP_STORAGE_INPUT] = "input",
        [WRAP_STORAGE_STATE] = "state", [WRAP_STORAGE_WEIGHT] = "weight",
        [WRAP_STORAGE_ARENA] = "arena", [WRAP_STORAGE_OUTPUT] = "output",
        [WRAP_STORAGE_ALIAS] = "alias"};
    return NAMES[kind];
}

uint32_t wrap_storage_number(const wrap_program *w, loop_buffer_id id)
{
    const wrap_storage *of = &w->storage[id];
    switch (of->kind) {
    case WRAP_STORAGE_INPUT: return w->loops->buffers.at[id].input;
    case WRAP_STORAGE_STATE: return (uint32_t)of->state;
    case WRAP_STORAGE_WEIGHT: return of->weight;
    case WRAP_STORAGE_ARENA: return of->segment;
    default: return (uint32_t)of->output;
    }
}

loop_buffer_id wrap_buffer_of_state(const wrap_program *w, uint32_t state)
{
    loop_buffer_id id = 0;
    while (w->storage[id].state != (int32_t)state) id++;
    return id;
}

uint32_t wrap_weight_of_state(const wrap_program *w, uint32_t state)
{
    return w->storage[wrap_buffer_of_state(w, state)].weight;
}

bool wrap_is_of_operator(const wrap_line *line, loop_buffer_id id)
{
    for (uint32_t i = 0; line->kind == WRAP_EXTERN && i < line->op->output_count; i++)
        if (line->op->outputs[i].buffer == id) return true;
    return false;
}

loop_buffer_id wrap_lender(const wrap_program *w, loop_buffer_id id)
{
    loop_buffer_id root = w->storage[id].life.root;
    return sched_lender_of_root(w->loops, root, &w->storage[root].life);
}

sym_expr wrap_shift(const wrap_program *w, loop_buffer_id id)
{
    sym_expr place = w->storage[id].life.place;
    if (sym_is_none(place)) return place;
    return sym_mul_int(w->loops->symbols, place, ty_dtype_size(w->loops->buffers.at[id].dtype));
}

sym_expr wrap_begin(const wrap_program *w, loop_buffer_id id)
{
    sym_expr shift = w->storage[id].life.root == id ? (sym_expr){0} : wrap_shift(w, id);
    return sym_is_none(shift) ? sym_int(w->loops->symbols, 0) : shift;
}

sym_expr wrap_end(const wrap_program *w, loop_buffer_id id)
{
    return sym_add(w->loops->symbols, wrap_begin(w, id), w->storage[id].bytes);
}

/* ---- sizes ---- */

bool wrap_may_overflow_in(const wrap_program *w, sym_expr e)
{
    const sym_table *t = w->loops->symbols;
    int64_t min, max;
    if (sym_is_none(e) || sym_op_of(t, e) == SYM_SYMBOL) return false;
    sym_range(t, e, NULL, &min, &max);
    return holds_unbacked(w, e) && max == SYM_NO_MAX;
}

bool wrap_may_overflow(const wrap_program *w, const wrap_call *call)
{
    bool may = wrap_may_overflow_in(w, call->outer) || wrap_may_overflow_in(w, call->inner);
    for (uint32_t i = 0; i < call->int_count; i++) may |= wrap_may_overflow_in(w, call->ints[i]);
    return may;
}
