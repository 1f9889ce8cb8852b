/* written.c -- law W15: nothing is read that no line before has written, and what a run is to change, a line
 * changes.
 */
#include "wrap/wrap_priv.h"

typedef struct written_check {
    const wrap_program *w;
    bool *written;           /* by buffer */
    uint32_t *pieces, *done; /* by whole: how many lie in it, and how many of these are written */
    bool *has_rest;          /* by whole: is more of it than these? */
    const char *fault, *name;
} written_check;

static void fault(written_check *c, const char *what, loop_buffer_id id)
{
    if (c->fault) return;
    c->fault = what;
    c->name = c->w->loops->buffers.at[id].name;
}

static void write(written_check *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER || c->written[id]) return;
    const loop_part *part = c->w->loops->buffers.at[id].part;
    c->written[id] = true;
    if (part) c->done[part->whole]++;
}

/* What has pieces is written with the last of them, and by itself where these are known to leave some of
 * it; a piece alone, or with what it lies in. */
static bool is_written(const written_check *c, loop_buffer_id id)
{
    const loop_buffer *b = &c->w->loops->buffers.at[id];
    if (b->kind != LOOP_TEMP) return true;
    if (c->pieces[id]) return c->done[id] == c->pieces[id] && (c->written[id] || !c->has_rest[id]);
    return c->written[id] || (b->part && c->written[b->part->whole]);
}

static void read(written_check *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER || is_written(c, id)) return;
    if (sym_known_equal(c->w->loops->symbols, c->w->loops->buffers.at[id].elements,
                        sym_int(c->w->loops->symbols, 0)))
        return;
    fault(c, "a buffer is read that no line before has written", id);
}

static void check_call(written_check *c, const wrap_call *call)
{
    for (uint32_t i = 0; i < call->buffer_count; i++)
        if (call->is_written && !call->is_written[i]) read(c, call->buffers[i]);
    for (uint32_t i = 0; i < call->buffer_count; i++)
        if (!call->is_written || call->is_written[i]) write(c, call->buffers[i]);
}

static void check_line(written_check *c, const wrap_line *line)
{
    const loop_op *op = line->op;
    for (uint32_t i = 0; op && i < op->input_count; i++) read(c, op->inputs[i].buffer);
    if (!wrap_is_control(line->kind))
        for (uint32_t i = 0; op && i < op->output_count; i++) write(c, op->outputs[i].buffer);
    if (line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN) check_call(c, &line->call);
    if (line->kind == WRAP_CLEAR) write(c, line->view->buffer);
    if (line->kind == WRAP_CHECK) read(c, line->view->buffer);
    if (line->kind != WRAP_OUTPUT) return;
    const loop_output *output = &c->w->loops->outputs.at[line->index];
    if (output->kind == LOOP_OUT_TENSOR) read(c, output->view.buffer);
}

static void find_pieces(written_check *c, arena *memory)
{
    const loop_program *p = c->w->loops;
    sym_expr *covered = NEW_ARRAY(memory, sym_expr, p->buffers.count + 1);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_buffer *b = &p->buffers.at[id];
        if (!b->part) continue;
        sym_expr *sum = &covered[b->part->whole];
        *sum = sym_is_none(*sum) ? b->elements : sym_add(p->symbols, *sum, b->elements);
        c->pieces[b->part->whole]++;
    }
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        c->has_rest[id] = c->pieces[id] &&
                          sym_known_less_equal(p->symbols, sym_add_int(p->symbols, covered[id], 1),
                                               p->buffers.at[id].elements, NULL);
}

const char *wrap_check_written(const wrap_program *w, arena *memory, uint32_t *line,
                               const char **name)
{
    uint32_t count = w->loops->buffers.count;
    written_check c = {.w = w,
                       .written = NEW_ARRAY(memory, bool, count + 1),
                       .pieces = NEW_ARRAY(memory, uint32_t, count + 1),
                       .done = NEW_ARRAY(memory, uint32_t, count + 1),
                       .has_rest = NEW_ARRAY(memory, bool, count + 1)};
    find_pieces(&c, memory);
    for (uint32_t i = 0; i < w->lines.count && !c.fault; i++) {
        *line = i + 1;
        check_line(&c, &w->lines.at[i]);
    }
    for (loop_buffer_id id = 0; id < count && !c.fault; id++) {
        const loop_buffer *b = &w->loops->buffers.at[id];
        bool changes = b->mutated || (b->kind == LOOP_STATE && w->state_of[id] >= 0);
        if (changes && !c.written[id]) fault(&c, "no line gives a new value to what has one", id);
    }
    *name = c.name;
    return c.fault;
}
