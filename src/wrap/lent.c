/* lent.c -- memory of inputs and outputs that is used for other things: how much, and law W11. */
#include "wrap/wrap_priv.h"

#include <stdlib.h>

#define NEVER UINT32_MAX

/* ---- how much ---- */

/* Is it an output too? It was not when it was donated: the program makes the output there. */
static bool is_returned(const wrap_program *w, loop_buffer_id input)
{
    for (uint32_t k = 0; k < w->loops->outputs.count; k++) {
        const loop_output *o = &w->loops->outputs.at[k];
        if (o->kind == LOOP_OUT_TENSOR && o->view.buffer == input) return true;
    }
    return false;
}

int64_t wrap_overwritten_bytes(const wrap_program *w, loop_buffer_id input)
{
    int64_t most = 0, end;
    if (is_returned(w, input))
        return sym_is_int(w->loops->symbols, w->storage[input].bytes, &end) ? end : -1;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        if (id == input || wrap_lender(w, id) != input) continue;
        if (!sym_is_int(w->loops->symbols, wrap_end(w, id), &end)) return -1;
        if (end > most) most = end;
    }
    return most;
}

int32_t wrap_input_of_output(const wrap_program *w, uint32_t output)
{
    const loop_output *o = &w->loops->outputs.at[output];
    if (o->kind != LOOP_OUT_TENSOR) return -1;
    loop_buffer_id input = wrap_lender(w, o->view.buffer);
    if (input == LOOP_NO_BUFFER) return -1;
    uint32_t number = w->loops->buffers.at[input].input;
    return w->loops->inputs.at[number].taken ? -1 : (int32_t)number;
}

bool wrap_output_moves(const wrap_program *w, uint32_t output)
{
    const loop_output *o = &w->loops->outputs.at[output];
    return o->kind == LOOP_OUT_TENSOR && w->loops->buffers.at[o->view.buffer].kind == LOOP_TEMP;
}

bool wrap_returns_inputs(const wrap_program *w)
{
    for (uint32_t k = 0; k < w->loops->outputs.count; k++)
        if (wrap_input_of_output(w, k) >= 0) return true;
    return false;
}

bool wrap_is_overwritten(const wrap_program *w, loop_buffer_id input)
{
    return w->loops->buffers.at[input].donated && wrap_overwritten_bytes(w, input) != 0;
}

uint32_t wrap_next_overwritten(const wrap_program *w, uint32_t k)
{
    const loop_program *p = w->loops;
    while (k < p->inputs.count &&
           (!p->inputs.at[k].is_tensor || !wrap_is_overwritten(w, p->inputs.at[k].buffer)))
        k++;
    return k;
}

uint32_t wrap_next_mutated(const wrap_program *w, uint32_t k)
{
    const loop_program *p = w->loops;
    while (k < p->inputs.count &&
           (!p->inputs.at[k].is_tensor || !p->buffers.at[p->inputs.at[k].buffer].mutated))
        k++;
    return k;
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

typedef struct lent_check {
    const wrap_program *w;
    span *of; /* by buffer */
    uint32_t line;
} lent_check;

static void use(lent_check *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    if (c->of[id].first == NEVER) c->of[id].first = c->line;
    c->of[id].last = c->line;
}

static void use_line(lent_check *c, const wrap_line *line)
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
static void use_through(lent_check *c, uint32_t begin, uint32_t end)
{
    for (loop_buffer_id id = 0; id < c->w->loops->buffers.count; id++) {
        span *s = &c->of[id];
        if (s->first != NEVER && s->first < begin && begin < s->last && s->last < end)
            s->last = end;
    }
}

static void use_all(lent_check *c, arena *memory)
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
    for (uint32_t i = 0; i < at->op->input_count; i++)
        reads |= at->op->inputs[i].buffer == before && !loop_is_addend(at->op, i);
    for (uint32_t i = 0; i < at->op->output_count; i++)
        writes |= at->op->outputs[i].buffer == after;
    return !reads || !writes;
}

/* Are there elements of others between its own? What interleaves is pieces of one whole. */
static bool has_gaps(const wrap_program *w, loop_buffer_id id)
{
    const loop_buffer *b = &w->loops->buffers.at[id];
    return !sym_known_equal(w->loops->symbols, sym_product(w->loops->symbols, b->sizes, b->rank),
                            b->elements);
}

static bool are_of_one_whole(const wrap_program *w, loop_buffer_id a, loop_buffer_id b)
{
    const loop_program *p = w->loops;
    return loop_whole_of(p, a, NULL) == loop_whole_of(p, b, NULL) ||
           (has_gaps(w, a) && has_gaps(w, b));
}

/* Is the one used for the last time before the other is used, or where that takes its memory over? */
static bool is_before(const lent_check *c, loop_buffer_id a, loop_buffer_id b)
{
    span x = c->of[a], y = c->of[b];
    return x.last < y.first || (x.last == y.first && are_apart(c->w, x.last, a, b));
}

static bool are_in_turns(const lent_check *c, loop_buffer_id a, loop_buffer_id b)
{
    return c->of[a].first == NEVER || c->of[b].first == NEVER || is_before(c, a, b) ||
           is_before(c, b, a);
}

static bool is_within(const lent_check *c, loop_buffer_id a, loop_buffer_id b)
{
    sym_table *t = c->w->loops->symbols;
    return sym_known_less_equal(t, wrap_begin(c->w, b), wrap_begin(c->w, a), NULL) &&
           sym_known_less_equal(t, wrap_end(c->w, a), wrap_end(c->w, b), NULL);
}

/* Is a in turns with a piece of b, which has those bytes of b to itself? */
static bool leaves_to_piece(const lent_check *c, loop_buffer_id a, loop_buffer_id b)
{
    const loop_program *p = c->w->loops;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        if (p->buffers.at[id].part && loop_is_inside(p, id, b) && is_within(c, a, id) &&
            are_in_turns(c, a, id))
            return true;
    return false;
}

static bool meet(const lent_check *c, loop_buffer_id a, loop_buffer_id b)
{
    const wrap_program *w = c->w;
    sym_table *t = w->loops->symbols;
    return !are_in_turns(c, a, b) &&
           !sym_known_less_equal(t, wrap_end(w, a), wrap_begin(w, b), NULL) &&
           !sym_known_less_equal(t, wrap_end(w, b), wrap_begin(w, a), NULL) &&
           !are_of_one_whole(w, a, b) && !leaves_to_piece(c, a, b) && !leaves_to_piece(c, b, a);
}

/* By root: those that lie in its memory. */
typedef struct resident {
    loop_buffer_id id;
    span of;
} resident;
typedef VEC(resident) resident_list;
typedef VEC(uint32_t) line_list; /* from 0 */

/* Whose memory it lies in, or may lie in: that is where it meets most. */
static loop_buffer_id owner_of(const wrap_program *w, loop_buffer_id id)
{
    loop_buffer_id lender = wrap_lender(w, id);
    return lender == LOOP_NO_BUFFER ? w->storage[id].life.root : lender;
}

static const char *check_resident(const lent_check *c, loop_buffer_id id)
{
    const wrap_program *w = c->w;
    loop_buffer_id owner = owner_of(w, id);
    loop_buffer_id lender = wrap_lender(w, id);
    if (lender != LOOP_NO_BUFFER && !w->loops->buffers.at[lender].donated)
        return "a buffer lies in an input that is not donated";
    if (!sym_known_less_equal(w->loops->symbols, wrap_end(w, id), w->storage[owner].bytes, NULL))
        return "a buffer is not inside the memory that it lies in";
    return NULL;
}

static int by_first_use(const void *a, const void *b)
{
    const resident *x = a, *y = b;
    return (x->of.first > y->of.first) - (x->of.first < y->of.first);
}

/* Two that are not used in turns, the owner last; false: there are none. Each is met with those before it
 * that are still used. */
static bool find_clash(const lent_check *c, resident_list *residents, arena *memory,
                       loop_buffer_id *one_of, loop_buffer_id *other_of)
{
    VEC(resident) used = {0};
    if (residents->count)
        qsort(residents->at, residents->count, sizeof *residents->at, by_first_use);
    for (uint32_t i = 0; i < residents->count; i++) {
        resident one = residents->at[i];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < used.count; k++) {
            resident other = used.at[k];
            if (other.of.last < one.of.first) continue;
            used.at[kept++] = other;
            if (!meet(c, one.id, other.id)) continue;
            bool is_owner = owner_of(c->w, other.id) == other.id;
            *one_of = is_owner ? one.id : other.id;
            *other_of = is_owner ? other.id : one.id;
            return true;
        }
        used.count = kept;
        vec_push(memory, &used, one);
    }
    return false;
}

/* Pieces are there as long as their whole. */
static uint32_t last_of(const lent_check *c, loop_buffer_id id)
{
    uint32_t whole = c->of[loop_whole_of(c->w->loops, id, NULL)].last;
    return c->of[id].last > whole ? c->of[id].last : whole;
}

/* W13: what lies in an output, sorted by first use, during the lines whose areas may lie there. */
static loop_buffer_id find_in_scratch(const lent_check *c, const resident_list *residents,
                                      const line_list *scratches, arena *memory, uint32_t *line)
{
    VEC(loop_buffer_id) used = {0};
    uint32_t next = 0;
    for (uint32_t i = 0; i < scratches->count; i++) {
        const wrap_scratch *scratch = &c->w->lines.at[ *line = scratches->at[i]].scratch;
        uint32_t kept = 0;
        for (++*line; next < residents->count && residents->at[next].of.first <= *line; next++)
            vec_push(memory, &used, residents->at[next].id);
        for (uint32_t k = 0; k < used.count; k++) {
            wrap_piece piece = wrap_piece_of(c->w, used.at[k]);
            if (last_of(c, used.at[k]) < *line) continue;
            used.at[kept++] = used.at[k];
            if (piece.at < scratch->at + scratch->bytes + WRAP_SCRATCH_UNIT &&
                scratch->at < piece.end)
                return used.at[k];
        }
        used.count = kept;
    }
    return LOOP_NO_BUFFER;
}

static line_list *scratch_by_owner(const wrap_program *w, arena *memory)
{
    line_list *scratches = NEW_ARRAY(memory, line_list, w->loops->buffers.count + 1);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_scratch *scratch = &w->lines.at[i].scratch;
        if (scratch->bytes && scratch->in != LOOP_NO_BUFFER)
            vec_push(memory, &scratches[scratch->in], i);
    }
    return scratches;
}

const char *wrap_check_lent(const wrap_program *w, arena *memory, uint32_t *line, const char **law,
                            const char **name)
{
    const loop_program *p = w->loops;
    lent_check c = {w, NEW_ARRAY(memory, span, p->buffers.count + 1), 0};
    resident_list *residents = NEW_ARRAY(memory, resident_list, p->buffers.count + 1);
    loop_buffer_id one, other;
    *law = "W11";
    use_all(&c, memory);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        if (w->storage[id].life.in_arena || c.of[id].first == NEVER) continue;
        loop_buffer_id owner = owner_of(w, id);
        vec_push(memory, &residents[owner], (resident){id, c.of[id]});
        const char *fault = owner == id ? NULL : check_resident(&c, id);
        *line = c.of[id].first;
        *name = p->buffers.at[id].name;
        if (fault) return fault;
    }
    for (loop_buffer_id owner = 0; owner < p->buffers.count; owner++) {
        if (!find_clash(&c, &residents[owner], memory, &one, &other)) continue;
        *line = c.of[one].first;
        *name =
            arena_printf(memory, "%s and %s", p->buffers.at[one].name, p->buffers.at[other].name);
        return "two that lie in the same bytes are used in turns";
    }
    *law = "W13";
    line_list *scratches = scratch_by_owner(w, memory);
    for (loop_buffer_id owner = 0; owner < p->buffers.count; owner++) {
        one = find_in_scratch(&c, &residents[owner], &scratches[owner], memory, line);
        if (one == LOOP_NO_BUFFER) continue;
        *name = p->buffers.at[one].name;
        return "an operator works in memory that is in use";
    }
    return NULL;
}
