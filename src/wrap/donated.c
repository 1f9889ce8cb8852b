/* donated.c -- memory of inputs that is used for other things: how much, and law W11. */
#include "wrap/wrap_priv.h"

#define NEVER UINT32_MAX

/* ---- how much ---- */

sym_expr wrap_begin(const wrap_program *w, loop_buffer_id id)
{
    sym_expr shift = w->lives[id].root == id ? (sym_expr){0} : wrap_shift(w, id);
    return sym_is_none(shift) ? sym_int(w->loops->symbols, 0) : shift;
}

sym_expr wrap_end(const wrap_program *w, loop_buffer_id id)
{
    return sym_add(w->loops->symbols, wrap_begin(w, id), w->bytes[id]);
}

int64_t wrap_overwritten_bytes(const wrap_program *w, loop_buffer_id input)
{
    int64_t most = 0, end;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        if (id == input || w->lives[id].root != input) continue;
        if (!sym_is_int(w->loops->symbols, wrap_end(w, id), &end)) return -1;
        if (end > most) most = end;
    }
    return most;
}

bool wrap_is_overwritten(const wrap_program *w, loop_buffer_id input)
{
    return w->loops->buffers.at[input].donated && wrap_overwritten_bytes(w, input) != 0;
}

int64_t wrap_donated_bytes(const wrap_program *w)
{
    int64_t sum = 0;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        int64_t bytes = w->loops->buffers.at[id].donated ? wrap_overwritten_bytes(w, id) : 0;
        if (bytes < 0) return -1;
        sum += bytes;
    }
    return sum;
}

/* ---- W11 ---- */

/* From which line to which a buffer is used. */
typedef struct span {
    uint32_t first, last;
} span;

typedef struct donated_check {
    const wrap_program *w;
    span *of; /* by buffer */
    uint32_t line;
} donated_check;

static void use(donated_check *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    if (c->of[id].first == NEVER) c->of[id].first = c->line;
    c->of[id].last = c->line;
}

static void use_line(donated_check *c, const wrap_line *line)
{
    const loop_op *op = line->kind == WRAP_PARTITION ? NULL : line->op;
    for (uint32_t i = 0; op && i < op->input_count; i++) use(c, op->inputs[i].buffer);
    for (uint32_t i = 0; op && i < op->output_count; i++) use(c, op->outputs[i].buffer);
    for (uint32_t i = 0; i < line->call.buffer_count; i++) use(c, line->call.buffers[i]);
    if (line->view) use(c, line->view->buffer);
    if (line->kind != WRAP_OUTPUT) return;
    const loop_output *output = &c->w->loops->outputs.at[line->index];
    if (output->kind == LOOP_OUT_TENSOR) use(c, output->view.buffer);
}

/* What is used in a repeat and was used before it is so up to its end. */
static void use_through(donated_check *c, uint32_t begin, uint32_t end)
{
    for (loop_buffer_id id = 0; id < c->w->loops->buffers.count; id++) {
        span *s = &c->of[id];
        if (s->first != NEVER && s->first < begin && begin < s->last && s->last < end)
            s->last = end;
    }
}

static void use_all(donated_check *c, arena *memory)
{
    const wrap_program *w = c->w;
    VEC(uint32_t) open = {0}; /* NEVER for an if */
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        bool is_input = w->loops->buffers.at[id].kind == LOOP_INPUT;
        c->of[id] = (span){is_input ? 0 : NEVER, 0};
    }
    for (c->line = 1; c->line <= w->lines.count; c->line++) use_line(c, &w->lines.at[c->line - 1]);
    for (uint32_t i = 1; i <= w->lines.count; i++) {
        wrap_kind kind = w->lines.at[i - 1].kind;
        if (kind == WRAP_IF || kind == WRAP_REPEAT)
            vec_push(memory, &open, kind == WRAP_REPEAT ? i : NEVER);
        if (kind != WRAP_END || !open.count) continue;
        uint32_t begin = open.at[--open.count];
        if (begin != NEVER) use_through(c, begin, i);
    }
}

/* Does an operator read the one while it writes the other? */
static bool are_apart(const wrap_program *w, uint32_t line, loop_buffer_id before,
                      loop_buffer_id after)
{
    const wrap_line *at = &w->lines.at[line - 1];
    bool reads = false, writes = false;
    if (at->kind == WRAP_KERNEL) return true;
    if (at->kind != WRAP_EXTERN) return false;
    for (uint32_t i = 0; i < at->op->input_count; i++) reads |= at->op->inputs[i].buffer == before;
    for (uint32_t i = 0; i < at->op->output_count; i++)
        writes |= at->op->outputs[i].buffer == after;
    return !reads || !writes;
}

static bool meet(const donated_check *c, loop_buffer_id a, loop_buffer_id b)
{
    const wrap_program *w = c->w;
    sym_table *t = w->loops->symbols;
    span x = c->of[a], y = c->of[b];
    if (x.first == NEVER || y.first == NEVER || x.last < y.first || y.last < x.first) return false;
    if (loop_is_inside(w->loops, a, b) || loop_is_inside(w->loops, b, a)) return false;
    if (sym_known_less_equal(t, wrap_end(w, a), wrap_begin(w, b), NULL) ||
        sym_known_less_equal(t, wrap_end(w, b), wrap_begin(w, a), NULL))
        return false;
    return !(x.last == y.first && are_apart(w, x.last, a, b)) &&
           !(y.last == x.first && are_apart(w, y.last, b, a));
}

const char *wrap_check_donated(const wrap_program *w, arena *memory, uint32_t *line,
                               const char **law, const char **name)
{
    const loop_program *p = w->loops;
    donated_check c = {w, NULL, 0};
    *law = "W11";
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        if (!wrap_is_given(w, id)) continue;
        loop_buffer_id input = w->lives[id].root;
        if (!c.of) {
            c.of = NEW_ARRAY(memory, span, p->buffers.count + 1);
            use_all(&c, memory);
        }
        *line = c.of[id].first == NEVER ? 1 : c.of[id].first;
        *name = p->buffers.at[id].name;
        if (!p->buffers.at[input].donated) return "a buffer lies in an input that is not donated";
        if (!sym_known_less_equal(p->symbols, wrap_end(w, id), w->bytes[input], NULL))
            return "a buffer is not inside the input that it lies in";
        for (loop_buffer_id other = 0; other < p->buffers.count; other++) {
            if (other == id || w->lives[other].root != input || !meet(&c, id, other)) continue;
            *name = arena_printf(memory, "%s and %s", p->buffers.at[id].name,
                                 p->buffers.at[other].name);
            return "two that lie in the same bytes of an input are used in turns";
        }
    }
    return NULL;
}
