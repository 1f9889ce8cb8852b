/* check.c -- the static verifier of laws W1 to W15, run on every compile.
 *
 * One walk over the lines with a state for each buffer; memory is checked by a sweep: when a buffer
 * comes to life its bytes must not meet those of any that is alive.
 */
#include "wrap/wrap_priv.h"

/* ENDING: its memory is another's already; only the next call may still read it. */
typedef enum life_state { UNBORN, ALIVE, ENDING, DEAD } life_state;

/* A region under way. */
typedef struct region {
    wrap_kind kind;
    /* how long the lists were when the region, or its arm, began */
    uint32_t born, symbols, segments;
} region;

typedef struct checker {
    const wrap_program *w;
    life_state *state;          /* by buffer */
    VEC(loop_buffer_id) alive;  /* in the arena */
    VEC(loop_buffer_id) ending; /* with the next call */
    map defined;                /* symbols */
    wrap_example example;       /* offsets as the run may find them */
    bool *placed;               /* by segment */
    loop_buffer_id *roots;      /* by segment: one that lies in it */
    loop_buffer_id *next;       /* by root: another one in its segment; LOOP_NO_BUFFER */
    VEC(region) regions;
    VEC(loop_buffer_id) births; /* in regions, in order; so the symbols and segments */
    VEC(sym_expr) symbols;
    VEC(uint32_t) segments;
    arena *memory;
    uint32_t line;
} checker;

static fe_status broken(checker *c, const char *law, const char *what, const char *name)
{
    text place;
    text_init(&place, c->memory);
    text_printf(&place, "line %u: ", c->line);
    if (c->line && c->line <= c->w->lines.count) /* else there is none that it is about */
        wrap_print_line(c->w, &c->w->lines.at[c->line - 1], &place);
    return diag_fail(
        c->w->session,
        (diag){.status = FE_INTERNAL,
               .stage = "wrap",
               .place = place.at,
               .help = "this is a fault of ferrite's own: please report it with the program"},
        "law %s: %s: %s", law, what, name);
}

static const char *name_of(const checker *c, loop_buffer_id id)
{
    return c->w->loops->buffers.at[id].name;
}

static fe_status use(checker *c, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return FE_OK;
    loop_buffer_id root = c->w->storage[id].life.root;
    loop_buffer_kind kind = c->w->loops->buffers.at[id].kind;
    if ((kind == LOOP_CONSTANT || kind == LOOP_STATE) && c->w->storage[id].weight == WRAP_NO_WEIGHT)
        return broken(c, "W1", "a constant is used that the weights do not hold", name_of(c, id));
    if (kind == LOOP_TEMP && !c->w->storage[root].life.in_arena && c->w->storage[root].output < 0 &&
        !wrap_is_given(c->w, id))
        return broken(c, "W1", "a buffer is used that has no memory", name_of(c, id));
    bool is_unbacked =
        kind == LOOP_TEMP && !c->w->storage[root].life.in_arena && c->w->storage[root].is_unbacked;
    if (!c->w->storage[root].life.in_arena && !is_unbacked) return FE_OK;
    life_state state = c->state[is_unbacked ? root : id];
    if (state == UNBORN)
        return broken(c, "W1", "a buffer is used before it is allocated", name_of(c, id));
    if (state == DEAD) return broken(c, "W2", "a buffer is used after it is freed", name_of(c, id));
    return FE_OK;
}

/* What the buffer takes of the arena. Where the run finds the offsets: its interval, for the sizes of
 * the example. Where sizes change and offsets do not: the most. */
static int64_t begin_of(const checker *c, loop_buffer_id id)
{
    uint32_t segment = c->w->storage[id].segment, slot = c->w->storage[id].slot;
    if (wrap_is_fixed(c->w, segment)) return c->w->storage[id].offset;
    return slot == WRAP_NO_SLOT ? 0 : c->example.offsets[segment][slot];
}

static int64_t bytes_of(const checker *c, loop_buffer_id id)
{
    const wrap_program *w = c->w;
    uint32_t segment = w->storage[id].segment, slot = w->storage[id].slot;
    int64_t bytes = 0;
    if (!wrap_is_fixed(w, segment) && slot == WRAP_NO_SLOT) return 0;
    if (!wrap_is_fixed(w, segment))
        return wrap_example_bytes(w, w->storage[w->layouts[segment].buffers[slot]].bytes);
    if (w->is_bounded && w->storage[id].life.root == id)
        wrap_largest_bytes(w, id, &bytes);
    else
        sym_is_int(w->loops->symbols, w->storage[id].bytes, &bytes);
    return bytes;
}

typedef struct undefined_search {
    const checker *c;
    sym_expr found;
} undefined_search;

static void find_undefined(void *data, sym_expr symbol)
{
    undefined_search *search = data;
    if (map_get(&search->c->defined, symbol.id) == MAP_NONE) search->found = symbol;
}

static fe_status read_expr(checker *c, sym_expr e)
{
    undefined_search search = {c, {0}};
    if (sym_is_none(e)) return FE_OK;
    sym_each_symbol(c->w->loops->symbols, e, find_undefined, &search);
    if (sym_is_none(search.found)) return FE_OK;
    return broken(c, "W5", "a symbol is read before it is defined",
                  sym_name(c->w->loops->symbols, search.found));
}

static fe_status allocate(checker *c, loop_buffer_id id)
{
    FE_TRY(read_expr(c, c->w->storage[id].bytes));
    if (c->state[id] != UNBORN)
        return broken(c, "W1", "a buffer is allocated twice", name_of(c, id));
    c->state[id] = ALIVE;
    if (c->regions.count) vec_push(c->memory, &c->births, id);
    uint32_t segment = c->w->storage[id].segment;
    if (!c->placed[segment])
        return broken(c, "W6", "a buffer is allocated before its segment is placed",
                      name_of(c, id));
    if (!c->w->storage[id].life.in_arena) return FE_OK;
    int64_t begin = begin_of(c, id), bytes = bytes_of(c, id);
    if (begin < 0 || begin > c->example.bytes || bytes > c->example.bytes - begin)
        return broken(c, "W4", "a buffer is not inside the arena", name_of(c, id));
    int64_t end = begin + bytes;
    for (uint32_t i = 0; i < c->alive.count; i++) {
        loop_buffer_id other = c->alive.at[i];
        /* in one memory by design: law S6 */
        if (c->w->storage[other].life.root == c->w->storage[id].life.root) continue;
        if (!wrap_share_memory(c->w, c->w->storage[other].segment, segment)) continue;
        int64_t other_begin = begin_of(c, other), other_end = other_begin + bytes_of(c, other);
        if (begin < other_end && other_begin < end)
            return broken(c, "W4", "two buffers that live at once overlap",
                          arena_printf(c->memory, "%s and %s", name_of(c, id), name_of(c, other)));
    }
    vec_push(c->memory, &c->alive, id);
    return FE_OK;
}

/* Was it allocated since the innermost repeat began? */
static bool is_of_step(const checker *c, loop_buffer_id id)
{
    for (uint32_t r = c->regions.count; r-- > 0;) {
        if (c->regions.at[r].kind != WRAP_REPEAT) continue;
        for (uint32_t i = c->regions.at[r].born; i < c->births.count; i++)
            if (c->births.at[i] == id) return true;
        return false;
    }
    return true;
}

static fe_status release(checker *c, loop_buffer_id id, life_state next)
{
    if (!is_of_step(c, id))
        return broken(c, "W7", "a buffer is freed at every step", name_of(c, id));
    if (c->state[id] == DEAD || c->state[id] == ENDING)
        return broken(c, "W3", "a buffer is freed twice", name_of(c, id));
    if (c->state[id] == UNBORN)
        return broken(c, "W3", "a buffer is freed before it is allocated", name_of(c, id));
    c->state[id] = next;
    for (uint32_t i = 0; i < c->alive.count; i++)
        if (c->alive.at[i] == id) {
            c->alive.at[i] = vec_last(&c->alive);
            c->alive.count--;
            break;
        }
    return FE_OK;
}

static fe_status reuse(checker *c, const wrap_line *line)
{
    FE_TRY(release(c, line->old_buffer, ENDING));
    vec_push(c->memory, &c->ending, line->old_buffer);
    FE_TRY(allocate(c, line->buffer));
    if (begin_of(c, line->buffer) != begin_of(c, line->old_buffer))
        return broken(c, "W4", "a buffer does not lie where the one lies that it takes over",
                      name_of(c, line->buffer));
    return FE_OK;
}

static void end_call(checker *c)
{
    for (uint32_t i = 0; i < c->ending.count; i++) c->state[c->ending.at[i]] = DEAD;
    c->ending.count = 0;
}

static fe_status check_call(checker *c, const wrap_call *call)
{
    if (!call->kernel) return FE_OK;
    for (uint32_t i = 0; i < call->buffer_count; i++) FE_TRY(use(c, call->buffers[i]));
    for (uint32_t i = 0; i < call->int_count; i++) FE_TRY(read_expr(c, call->ints[i]));
    FE_TRY(read_expr(c, call->outer));
    if (!sym_is_none(call->tiles)) FE_TRY(read_expr(c, call->tiles));
    return read_expr(c, call->inner);
}

static fe_status check_view(checker *c, const loop_view *view, bool is_packed)
{
    if (view->buffer == LOOP_NO_BUFFER) return FE_OK;
    if (!is_packed) FE_TRY(use(c, view->buffer));
    FE_TRY(read_expr(c, view->offset));
    for (uint32_t d = 0; d < view->rank; d++) {
        FE_TRY(read_expr(c, view->sizes[d]));
        FE_TRY(read_expr(c, view->strides[d]));
    }
    return FE_OK;
}

static fe_status check_scratch(checker *c, const wrap_line *line)
{
    const wrap_scratch *scratch = &line->scratch;
    const char *fault = wrap_check_scratch(c->w, line);
    if (fault) return broken(c, "W13", fault, line->op->kernel);
    if (!scratch->bytes || scratch->in != LOOP_NO_BUFFER) return FE_OK;
    for (uint32_t i = 0; i < c->alive.count + c->ending.count; i++) {
        loop_buffer_id id = i < c->alive.count ? c->alive.at[i] : c->ending.at[i - c->alive.count];
        wrap_piece piece = wrap_piece_of(c->w, id);
        if (piece.at < scratch->at + scratch->bytes && scratch->at < piece.end)
            return broken(c, "W13", "an operator works in memory that is in use", name_of(c, id));
    }
    return FE_OK;
}

static fe_status check_extern(checker *c, const wrap_line *line)
{
    FE_TRY(check_scratch(c, line));
    for (uint32_t i = 0; i < line->op->input_count; i++)
        FE_TRY(check_view(c, &line->op->inputs[i], line->weights[i] != WRAP_NO_WEIGHT));
    for (uint32_t i = 0; i < line->op->output_count; i++)
        FE_TRY(check_view(c, &line->op->outputs[i], false));
    for (uint32_t i = 0; i < line->op->int_count; i++) FE_TRY(read_expr(c, line->op->ints[i]));
    const char *fault = loop_call_fault(c->w->loops, line->op);
    if (fault) return broken(c, "W14", "an operator is not given what it takes", fault);
    FE_TRY(check_call(c, &line->call));
    end_call(c);
    return FE_OK;
}

static fe_status define(checker *c, sym_expr symbol)
{
    if (map_get(&c->defined, symbol.id) != MAP_NONE)
        return broken(c, "W5", "a symbol is defined twice", sym_name(c->w->loops->symbols, symbol));
    map_set(c->memory, &c->defined, symbol.id, 1);
    if (c->regions.count) vec_push(c->memory, &c->symbols, symbol);
    return FE_OK;
}

static fe_status check_symbol(checker *c, const wrap_line *line)
{
    if (line->op)
        FE_TRY(check_view(c, &line->op->inputs[0], false));
    else if (line->input < 0)
        FE_TRY(read_expr(c, line->expr));
    FE_TRY(read_expr(c, line->scale));
    FE_TRY(read_expr(c, line->shift));
    return define(c, line->symbol);
}

static fe_status check_place(checker *c, uint32_t segment)
{
    if (segment == 0 || c->placed[segment])
        return broken(c, "W6", "a segment is placed twice", arena_printf(c->memory, "%u", segment));
    c->placed[segment] = true;
    if (c->regions.count) vec_push(c->memory, &c->segments, segment);
    for (loop_buffer_id id = c->roots[segment]; id != LOOP_NO_BUFFER; id = c->next[id])
        FE_TRY(read_expr(c, c->w->storage[id].bytes));
    return FE_OK;
}

static void list_roots(checker *c)
{
    const wrap_program *w = c->w;
    c->roots = NEW_ARRAY(c->memory, loop_buffer_id, w->segment_count + 1);
    c->next = NEW_ARRAY(c->memory, loop_buffer_id, w->loops->buffers.count + 1);
    for (uint32_t k = 0; k < w->segment_count; k++) c->roots[k] = LOOP_NO_BUFFER;
    for (loop_buffer_id id = w->loops->buffers.count; id-- > 0;) {
        if (w->storage[id].life.root != id) continue;
        c->next[id] = c->roots[w->storage[id].segment];
        c->roots[w->storage[id].segment] = id;
    }
}

/* ---- W7: regions ---- */

/* At the end of an arm or of a region nothing is alive that it has allocated, and what it has defined
 * is unknown again. */
static fe_status end_arm(checker *c)
{
    if (c->regions.count == 0) return broken(c, "W7", "a region ends that has not begun", "");
    region began = vec_last(&c->regions);
    for (uint32_t i = began.born; i < c->births.count; i++)
        if (c->state[c->births.at[i]] == ALIVE)
            return broken(c, "W7", "a buffer outlives its region", name_of(c, c->births.at[i]));
    c->births.count = began.born;
    while (c->symbols.count > began.symbols)
        map_remove(&c->defined, c->symbols.at[--c->symbols.count].id);
    while (c->segments.count > began.segments)
        c->placed[c->segments.at[--c->segments.count]] = false;
    return FE_OK;
}

static fe_status check_control(checker *c, const wrap_line *line)
{
    const loop_op *op = line->op;
    for (uint32_t i = 0; i < op->input_count; i++) FE_TRY(check_view(c, &op->inputs[i], false));
    for (uint32_t i = 0; i < op->output_count; i++) FE_TRY(check_view(c, &op->outputs[i], false));
    for (uint32_t i = 0; i < op->int_count; i++) FE_TRY(read_expr(c, op->ints[i]));
    FE_TRY(read_expr(c, op->expr));
    if (line->kind == WRAP_IF || line->kind == WRAP_REPEAT)
        vec_push(c->memory, &c->regions,
                 (region){line->kind, c->births.count, c->symbols.count, c->segments.count});
    if (!sym_is_none(op->symbol)) FE_TRY(define(c, op->symbol));
    if (line->kind == WRAP_ELSE || line->kind == WRAP_END) FE_TRY(end_arm(c));
    if (line->kind == WRAP_ELSE) {
        if (vec_last(&c->regions).kind != WRAP_IF)
            return broken(c, "W7", "an else without its if", "");
        vec_last(&c->regions).kind = WRAP_ELSE;
    }
    if (line->kind == WRAP_WHILE &&
        (c->regions.count == 0 || vec_last(&c->regions).kind != WRAP_REPEAT))
        return broken(c, "W7", "a while that is not directly in a repeat", "");
    if (line->kind == WRAP_END) c->regions.count--;
    return FE_OK;
}

static fe_status check_line(checker *c, const wrap_line *line)
{
    if (wrap_is_control(line->kind)) return check_control(c, line);
    switch (line->kind) {
    case WRAP_PLACE: return check_place(c, line->index);
    case WRAP_ALLOC: return allocate(c, line->buffer);
    case WRAP_FREE: return release(c, line->buffer, DEAD);
    case WRAP_REUSE: return reuse(c, line);
    case WRAP_KERNEL:
        FE_TRY(check_call(c, &line->call));
        end_call(c);
        return FE_OK;
    case WRAP_EXTERN: return check_extern(c, line);
    case WRAP_SYMBOL: return check_symbol(c, line);
    case WRAP_SCRATCH: return read_expr(c, line->expr);
    case WRAP_ASSERT:
        FE_TRY(read_expr(c, line->relation.left));
        return read_expr(c, line->relation.right);
    case WRAP_COPY:
        FE_TRY(check_view(c, &line->op->inputs[0], false));
        return check_view(c, &line->op->outputs[0], false);
    case WRAP_WAIT: return use(c, line->buffer);
    case WRAP_CLEAR:
    case WRAP_CHECK: return check_view(c, line->view, false);
    case WRAP_OUTPUT: {
        const loop_output *output = &c->w->loops->outputs.at[line->index];
        if (output->kind == LOOP_OUT_TENSOR) return check_view(c, &output->view, false);
        return read_expr(c, output->expr);
    }
    default: break;
    }
    return FE_OK;
}

fe_status wrap_check(const wrap_program *w)
{
    arena *memory = arena_new(w->session);
    checker c = {.w = w,
                 .memory = memory,
                 .state = NEW_ARRAY(memory, life_state, w->loops->buffers.count + 1),
                 .placed = NEW_ARRAY(memory, bool, w->segment_count + 1)};
    fe_status status = FE_OK;
    wrap_place_example(w, memory, &c.example);
    c.placed[0] = true;
    list_roots(&c);
    for (uint32_t i = 0; i < w->lines.count && status == FE_OK; i++) {
        c.line = i + 1;
        status = check_line(&c, &w->lines.at[i]);
    }
    if (status == FE_OK && c.regions.count)
        status =
            broken(&c, "W7", "a region does not end", wrap_kind_name(vec_last(&c.regions).kind));
    const char *name, *law = "W8";
    const char *fault = status == FE_OK ? wrap_check_parts(w, &c.line, &name) : NULL;
    if (status == FE_OK && !fault) fault = wrap_check_devices(w, &c.line, &law, &name);
    if (status == FE_OK && !fault) fault = wrap_check_lent(w, memory, &c.line, &law, &name);
    if (status == FE_OK && !fault) {
        law = "W12";
        fault = wrap_check_needs(w, &c.line, &name);
    }
    if (status == FE_OK && !fault) {
        law = "W16";
        fault = wrap_check_queues(w, memory, &c.line, &name);
    }
    if (status == FE_OK && !fault) {
        law = "W15";
        fault = wrap_check_written(w, memory, &c.line, &name);
    }
    if (fault) status = broken(&c, law, fault, name);
    arena_free(memory);
    return status;
}
