/* numbers.c -- lines that look for NaN and infinity: in inputs, weights, what each call writes, and outputs.
 *
 * Memory that nobody has written to may hold any bits, and a call may write a part of a buffer only: so
 * what comes to life is zeroed first, where the memory is not one that another buffer hands on.
 */
#include "wrap/wrap_priv.h"

#include <math.h>
#include <string.h>

static bool is_wanted(const wrap_facts *facts)
{
    return facts->check_nan || facts->check_infinity;
}

static bool has_floats(ty_dtype dtype)
{
    return ty_is_floating(dtype) || ty_is_complex(dtype);
}

static void check_view(wrap_program *w, const wrap_facts *facts, const loop_view *view,
                       const char *what, bool of_output)
{
    if (view->buffer == LOOP_NO_BUFFER || !has_floats(view->dtype)) return;
    if (w->storage[view->buffer].kind == WRAP_STORAGE_NONE) return;
    wrap_line *line = wrap_add_line(w, WRAP_CHECK);
    line->view = arena_copy(w->memory, view, sizeof *view);
    line->text = what;
    line->finite = facts->check_infinity;
    line->of_output = of_output;
}

static void check_buffer(wrap_program *w, const wrap_facts *facts, loop_buffer_id id,
                         const char *what)
{
    loop_view view = loop_view_of(w->loops, id);
    check_view(w, facts, &view, what, false);
}

/* ---- what comes to life ---- */

static void clear(wrap_program *w, loop_buffer_id id)
{
    if (!has_floats(w->loops->buffers.at[id].dtype)) return;
    loop_view view = loop_view_of(w->loops, id);
    wrap_add_line(w, WRAP_CLEAR)->view = arena_copy(w->memory, &view, sizeof view);
}

/* Of two that are born at once in one memory the one is made of the other, which ends first. */
static bool is_older(const sched_life *a, const sched_life *b)
{
    return a->birth < b->birth || (a->birth == b->birth && a->death < b->death);
}

/* Its memory is its own from here on: buffers that lie in it as parts are not written yet. */
void wrap_clear_new(wrap_program *w, const wrap_facts *facts, loop_buffer_id id)
{
    if (!is_wanted(facts) || w->storage[id].life.root != id) return;
    for (loop_buffer_id other = 0; other < w->loops->buffers.count; other++)
        if (w->storage[other].life.root == id &&
            is_older(&w->storage[other].life, &w->storage[id].life))
            return;
    clear(w, id);
}

static bool may_share(wrap_program *w, loop_buffer_id a, loop_buffer_id b)
{
    sym_table *t = w->loops->symbols;
    return !sym_known_less_equal(t, wrap_end(w, a), wrap_begin(w, b), NULL) &&
           !sym_known_less_equal(t, wrap_end(w, b), wrap_begin(w, a), NULL);
}

/* Does something live in its memory that it takes over, or that it is a part of? */
static bool is_in_use(wrap_program *w, loop_buffer_id id)
{
    const sched_life *life = &w->storage[id].life;
    for (loop_buffer_id other = 0; other < w->loops->buffers.count; other++) {
        const sched_life *was = &w->storage[other].life;
        bool was_there = is_older(was, life) || (other == life->root && wrap_is_given(w, id));
        if (was->root == life->root && was_there && other != id && was->death > life->birth &&
            may_share(w, id, other))
            return true;
    }
    return false;
}

/* Is it an output in whose memory nothing was before? Then it is cleared at the beginning. */
static bool is_first(const wrap_program *w, loop_buffer_id id)
{
    if (w->storage[id].life.root != id) return false;
    for (loop_buffer_id other = 0; other < w->loops->buffers.count; other++)
        if (w->storage[other].life.root == id &&
            w->storage[other].life.birth < w->storage[other].life.death &&
            is_older(&w->storage[other].life, &w->storage[id].life))
            return false;
    return true;
}

/* Memory of inputs and outputs that was used for something else before. */
void wrap_clear_lent(wrap_program *w, const wrap_facts *facts, uint32_t group)
{
    if (!is_wanted(facts)) return;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        const sched_life *life = &w->storage[id].life;
        bool is_there = !w->storage[id].is_allocated || (life->root != id && !life->in_arena);
        bool is_lent =
            wrap_is_given(w, id) || (is_there && w->storage[id].kind >= WRAP_STORAGE_OUTPUT);
        if (is_lent && life->birth == group && life->birth < life->death && !is_in_use(w, id) &&
            !is_first(w, id))
            clear(w, id);
    }
}

/* ---- inputs, results, outputs ---- */

/* An IEEE float: NaN is an exponent of ones only over a fraction that is not 0. */
static bool is_nan_bits(const uint8_t *at, uint32_t bytes, uint32_t fraction_bits)
{
    uint64_t bits = 0;
    memcpy(&bits, at, bytes); /* of little-endian data, as archives hold it */
    uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    uint64_t infinity = (sign - 1) >> fraction_bits << fraction_bits;
    return (bits & (sign - 1)) > infinity;
}

static bool begins_with_nan(const loop_buffer *b)
{
    static const uint8_t FRACTION[TY_DTYPE_COUNT] = {
        [TY_F16] = 10, [TY_BF16] = 7, [TY_F32] = 23, [TY_F64] = 52,
        [TY_C32] = 10, [TY_C64] = 23, [TY_C128] = 52};
    uint32_t fraction = FRACTION[b->dtype];
    const uint8_t *data = b->data;
    if ((b->kind != LOOP_CONSTANT && b->kind != LOOP_STATE) || !data) return false;
    for (size_t k = 0; k < b->data_bytes && ty_is_float8(b->dtype); k++)
        if (isnan(ty_float8_value(b->dtype, data[k]))) return true;
    if (!fraction) return false;
    uint32_t bytes = (uint32_t)ty_dtype_size(b->dtype) >> ty_is_complex(b->dtype);
    for (size_t k = 0; k + bytes <= b->data_bytes; k += bytes)
        if (is_nan_bits(data + k, bytes, fraction)) return true;
    return false;
}

/* A weight that holds NaN is named, rather than what reads it first. Infinity masks hold on purpose. */
static void check_weights(wrap_program *w)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        if (!begins_with_nan(&w->loops->buffers.at[id])) continue;
        loop_view view = loop_view_of(w->loops, id);
        wrap_line *line = wrap_add_line(w, WRAP_CHECK);
        line->view = arena_copy(w->memory, &view, sizeof view);
        line->text = arena_printf(w->memory, "weight '%s'", w->loops->buffers.at[id].name);
    }
}

void wrap_check_inputs(wrap_program *w, const wrap_facts *facts)
{
    const loop_program *p = w->loops;
    if (!is_wanted(facts)) return;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (w->storage[id].kind == WRAP_STORAGE_OUTPUT && !w->storage[id].is_allocated &&
            is_first(w, id))
            clear(w, id);
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].is_tensor)
            check_buffer(w, facts, p->inputs.at[k].buffer,
                         arena_printf(w->memory, "input '%s'", p->inputs.at[k].name));
    check_weights(w);
}

/* Does the call's epilogue leave another buffer in its memory? */
static bool is_taken(const sched_group *group, loop_buffer_id id)
{
    for (uint32_t i = 0; i < group->reuse_count; i++)
        if (group->reuses[i].from == id) return true;
    return false;
}

void wrap_check_results(wrap_program *w, const wrap_facts *facts, const sched_group *group,
                        uint32_t line)
{
    if (!is_wanted(facts)) return;
    wrap_line made = w->lines.at[line]; /* the list may move */
    for (uint32_t i = 0; made.op && i < loop_result_count(w->loops, made.op); i++) {
        const loop_view *view = &made.op->outputs[i];
        if (view->buffer != LOOP_NO_BUFFER && !is_taken(group, view->buffer))
            check_view(w, facts, view, facts->result_name(facts->data, &made, view->buffer), false);
    }
    for (uint32_t i = 0; made.call.kernel && i < made.call.buffer_count; i++) {
        loop_buffer_id id = made.call.buffers[i];
        bool writes = !made.call.is_written || made.call.is_written[i];
        if (id != LOOP_NO_BUFFER && writes && !is_taken(group, id))
            check_buffer(w, facts, id, facts->result_name(facts->data, &made, id));
    }
}

void wrap_check_outputs(wrap_program *w, const wrap_facts *facts)
{
    if (!is_wanted(facts)) return;
    for (uint32_t k = 0; k < w->loops->outputs.count; k++)
        if (w->loops->outputs.at[k].kind == LOOP_OUT_TENSOR)
            check_view(w, facts, &w->loops->outputs.at[k].view,
                       arena_printf(w->memory, "output %u", k), true);
}
