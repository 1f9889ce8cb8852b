/* written.c -- law W15: nothing is read that no line before has written, whatever way the run has come, and
 * what a run is to change, a line changes.
 *
 * A buffer is made when all that it waits for is: a line that writes it, or, where it has pieces, each of
 * these, and a line that writes it itself where pieces are known to leave some of it. What an arm, or the
 * end of a step that may not be reached, has made is taken back unless the other arm makes it too.
 */
#include "wrap/wrap_priv.h"

typedef struct open_region {
    wrap_kind kind;
    uint32_t begin;     /* in `made`, of the arm */
    uint32_t certain;   /* REPEAT: how many of these are made in every run; UINT32_MAX: all */
    uint32_t then_made; /* ELSE: of the other arm, in `others` */
} open_region;

typedef struct written_check {
    const wrap_program *w;
    arena *memory;
    bool *written;           /* by buffer: by a line of its own */
    bool *needs_line, *ever; /* by buffer: must one write it? has one, in any region? */
    uint32_t *waits;         /* by buffer: for how many it waits; it is made when there are none */
    VEC(loop_buffer_id) made, others;
    VEC(open_region) regions;
    const char *fault, *name;
} written_check;

static void fault(written_check *c, const char *what, loop_buffer_id id)
{
    if (c->fault) return;
    c->fault = what;
    c->name = c->w->loops->buffers.at[id].name;
}

/* Only a buffer of the program's own waits for its pieces. */
static const loop_part *part_of(const written_check *c, loop_buffer_id id)
{
    const loop_buffer *buffers = c->w->loops->buffers.at;
    const loop_part *part = buffers[id].part;
    return part && buffers[part->whole].kind == LOOP_TEMP ? part : NULL;
}

static void is_made(written_check *c, loop_buffer_id id)
{
    while (--c->waits[id] == 0 && part_of(c, id)) id = part_of(c, id)->whole;
}

static void write(written_check *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    c->ever[id] = true;
    if (c->written[id] || !c->needs_line[id]) return;
    c->written[id] = true;
    vec_push(c->memory, &c->made, id);
    is_made(c, id);
}

static void forget(written_check *c, loop_buffer_id id)
{
    if (!c->written[id]) return;
    c->written[id] = false;
    while (c->waits[id]++ == 0 && part_of(c, id)) id = part_of(c, id)->whole;
}

static void read(written_check *c, loop_buffer_id id)
{
    if (id != LOOP_NO_BUFFER && c->waits[id])
        fault(c, "a buffer is read that no line before has written", id);
}

static void check_call(written_check *c, const wrap_call *call)
{
    for (uint32_t i = 0; i < call->buffer_count; i++)
        if (call->is_written && !call->is_written[i]) read(c, call->buffers[i]);
    for (uint32_t i = 0; i < call->buffer_count; i++)
        if (!call->is_written || call->is_written[i]) write(c, call->buffers[i]);
}

static void take_back(written_check *c, uint32_t from)
{
    while (c->made.count > from) forget(c, c->made.at[--c->made.count]);
}

static void end_then(written_check *c, open_region *region)
{
    region->kind = WRAP_ELSE;
    region->then_made = c->others.count;
    for (uint32_t i = region->begin; i < c->made.count; i++)
        vec_push(c->memory, &c->others, c->made.at[i]);
    take_back(c, region->begin);
}

/* What one arm alone has made is not made behind them. */
static void end_else(written_check *c, const open_region *region)
{
    uint32_t count = c->others.count - region->then_made, both = 0;
    loop_buffer_id *other = count ? c->others.at + region->then_made : NULL;
    for (uint32_t i = 0; i < count; i++)
        if (c->written[other[i]]) other[both++] = other[i];
    take_back(c, region->begin);
    for (uint32_t i = 0; i < both; i++) write(c, other[i]);
    c->others.count = region->then_made;
}

/* A repeat that counts is taken to run: what it gives where it does not has no elements, or stands before it.
 */
static void check_control(written_check *c, const wrap_line *line)
{
    open_region *region = c->regions.count ? &vec_last(&c->regions) : NULL;
    if (line->kind == WRAP_IF || line->kind == WRAP_REPEAT)
        vec_push(c->memory, &c->regions, (open_region){line->kind, c->made.count, UINT32_MAX, 0});
    else if (line->kind == WRAP_ELSE)
        end_then(c, region);
    else if (line->kind == WRAP_WHILE && region->certain == UINT32_MAX)
        region->certain = c->made.count;
    else if (line->kind == WRAP_END) {
        if (region->kind == WRAP_ELSE) end_else(c, region);
        if (region->kind == WRAP_IF) take_back(c, region->begin);
        if (region->kind == WRAP_REPEAT && region->certain != UINT32_MAX)
            take_back(c, region->certain);
        c->regions.count--;
    }
}

static void check_line(written_check *c, const wrap_line *line)
{
    const loop_op *op = line->op;
    for (uint32_t i = 0; op && i < op->input_count; i++) read(c, op->inputs[i].buffer);
    if (wrap_is_control(line->kind)) check_control(c, line);
    if (line->kind == WRAP_EXTERN || line->kind == WRAP_COPY)
        for (uint32_t i = 0; i < op->output_count; i++) write(c, op->outputs[i].buffer);
    if (line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN) check_call(c, &line->call);
    /* pieces of it that are not written yet are cleared */
    if (line->kind == WRAP_CHECK && !c->written[line->view->buffer]) read(c, line->view->buffer);
    if (line->kind != WRAP_OUTPUT) return;
    const loop_output *output = &c->w->loops->outputs.at[line->index];
    if (output->kind == LOOP_OUT_TENSOR) read(c, output->view.buffer);
}

/* How many elements of each whole its pieces are. */
static const sym_expr *find_covered(written_check *c)
{
    const loop_program *p = c->w->loops;
    sym_expr *covered = NEW_ARRAY(c->memory, sym_expr, p->buffers.count + 1);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_part *part = part_of(c, id);
        if (!part) continue;
        sym_expr *sum = &covered[part->whole], elements = p->buffers.at[id].elements;
        *sum = sym_is_none(*sum) ? elements : sym_add(p->symbols, *sum, elements);
    }
    return covered;
}

static bool is_empty(const loop_program *p, const loop_buffer *b)
{
    return sym_known_equal(p->symbols, b->elements, sym_int(p->symbols, 0));
}

static bool needs_line(const loop_program *p, const loop_buffer *b, sym_expr covered)
{
    if (b->kind != LOOP_TEMP || is_empty(p, b)) return false;
    return sym_is_none(covered) ||
           sym_known_less_equal(p->symbols, sym_add_int(p->symbols, covered, 1), b->elements, NULL);
}

static void find_needs(written_check *c)
{
    const loop_program *p = c->w->loops;
    const sym_expr *covered = find_covered(c);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        c->needs_line[id] = needs_line(p, &p->buffers.at[id], covered[id]);
        c->waits[id] += c->needs_line[id] + 1u; /* one more until all are counted */
        if (part_of(c, id)) c->waits[part_of(c, id)->whole]++;
    }
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) is_made(c, id);
}

const char *wrap_check_written(const wrap_program *w, arena *memory, uint32_t *line,
                               const char **name)
{
    uint32_t count = w->loops->buffers.count;
    written_check c = {.w = w,
                       .memory = memory,
                       .written = NEW_ARRAY(memory, bool, count + 1),
                       .needs_line = NEW_ARRAY(memory, bool, count + 1),
                       .ever = NEW_ARRAY(memory, bool, count + 1),
                       .waits = NEW_ARRAY(memory, uint32_t, count + 1)};
    find_needs(&c);
    for (uint32_t i = 0; i < w->lines.count && !c.fault; i++) {
        *line = i + 1;
        check_line(&c, &w->lines.at[i]);
    }
    for (loop_buffer_id id = 0; id < count && !c.fault; id++) {
        const loop_buffer *b = &w->loops->buffers.at[id];
        bool changes = b->mutated || (b->kind == LOOP_STATE && w->storage[id].state >= 0);
        if (changes && !c.ever[id] && !is_empty(w->loops, b))
            fault(&c, "no line gives a new value to what has one", id);
    }
    *name = c.name;
    return c.fault;
}
