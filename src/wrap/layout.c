/* layout.c -- what lies where in a segment, as a problem of the planner: which intervals of memory
 * there are, when each is in use, how large it is.
 *
 * Buffers of one root that have the same bytes are one interval: each hands its memory to the next. Where
 * a root is shared in pieces, each piece is an interval of its own in a group, so that before the
 * whole is there only the pieces in use take room; where it cannot be said what a piece covers, the
 * root is one interval.
 */
#include "wrap/wrap_priv.h"

typedef struct collector {
    const wrap_program *w;
    wrap_layout *out;
    uint32_t segment;
    arena *memory;
    VEC(loop_buffer_id) buffers; /* the first of each interval */
    VEC(uint32_t) next;          /* by interval: another one of its root; WRAP_NO_SLOT */
    uint32_t *first;             /* by root */
    bool *is_split;              /* by root: shared in pieces that are known */
    map known;                   /* symbols that have values when the segment is placed */
    bool misses;
} collector;

static bool lies_here(const collector *c, loop_buffer_id id)
{
    const sched_life *life = &c->w->lives[id];
    return c->w->loops->buffers.at[id].kind == LOOP_TEMP && life->in_arena &&
           c->w->segment_of[id] == c->segment && life->birth < life->death;
}

/* ---- which roots are split ---- */

static void find_known(collector *c)
{
    const wrap_program *w = c->w;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        bool is_placed = c->segment ? line->kind == WRAP_PLACE && line->index == c->segment
                                    : !wrap_is_input_symbol(line);
        if (is_placed) return;
        if (line->kind == WRAP_SYMBOL) map_set(c->memory, &c->known, line->symbol.id, 1);
    }
}

static void look_up(void *data, sym_expr symbol)
{
    collector *c = data;
    c->misses |= map_get(&c->known, symbol.id) == MAP_NONE;
}

static bool is_told(collector *c, sym_expr e)
{
    c->misses = false;
    if (!sym_is_none(e)) sym_each_symbol(c->w->loops->symbols, e, look_up, c);
    return !c->misses;
}

/* Can it be said what the buffer covers of its root when the segment is placed? In a fixed arena it
 * must begin at one place whatever the sizes. */
static bool is_piece_known(collector *c, loop_buffer_id id)
{
    sym_expr place = c->w->lives[id].place;
    if (wrap_is_fixed(c->w, c->segment))
        return sym_is_none(place) || sym_is_int(c->w->loops->symbols, place, NULL);
    return is_told(c, place) && is_told(c, c->w->bytes[id]);
}

static void find_split_roots(collector *c)
{
    const wrap_program *w = c->w;
    uint32_t count = w->loops->buffers.count;
    c->is_split = NEW_ARRAY(c->memory, bool, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) c->is_split[id] = true;
    for (loop_buffer_id id = 0; id < count; id++)
        if (lies_here(c, id) && !is_piece_known(c, id)) c->is_split[w->lives[id].root] = false;
}

/* ---- intervals ---- */

static bool same_place(const wrap_program *w, loop_buffer_id a, loop_buffer_id b)
{
    return sym_same(w->bytes[a], w->bytes[b]) && sym_same(w->lives[a].place, w->lives[b].place);
}

/* The interval that the buffer belongs to; made if it is the first. */
static uint32_t interval_of(collector *c, loop_buffer_id id)
{
    loop_buffer_id root = c->w->lives[id].root;
    uint32_t at = c->first[root];
    for (; at != WRAP_NO_SLOT; at = c->next.at[at])
        if (!c->is_split[root] || same_place(c->w, id, c->buffers.at[at])) return at;
    at = c->buffers.count;
    vec_push(c->memory, &c->buffers, c->is_split[root] ? id : root);
    vec_push(c->memory, &c->next, c->first[root]);
    return c->first[root] = at;
}

static void widen(const sched_life *life, plan_buffer *interval)
{
    if ((int32_t)life->birth < interval->birth) interval->birth = (int32_t)life->birth;
    if ((int32_t)life->death > interval->death) interval->death = (int32_t)life->death;
}

/* Roots of one interval are alone. */
static void set_groups(const collector *c, plan_buffer *intervals)
{
    for (uint32_t i = 0; i < c->buffers.count; i++) {
        loop_buffer_id root = c->w->lives[c->buffers.at[i]].root;
        bool is_alone = c->first[root] == i && c->next.at[i] == WRAP_NO_SLOT;
        sym_expr place = c->w->lives[c->buffers.at[i]].place;
        if (!c->is_split[root] || (is_alone && sym_is_none(place))) continue;
        intervals[i].group = root + 1;
        c->out->has_parts = true;
    }
}

void wrap_collect_layout(wrap_program *w, uint32_t segment, wrap_layout *out)
{
    uint32_t count = w->loops->buffers.count;
    collector c = {.w = w, .out = out, .segment = segment, .memory = w->memory};
    c.first = NEW_ARRAY(c.memory, uint32_t, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) c.first[id] = WRAP_NO_SLOT;
    find_known(&c);
    find_split_roots(&c);
    *out = (wrap_layout){.intervals = NEW_ARRAY(c.memory, plan_buffer, count + 1)};
    for (loop_buffer_id id = 0; id < count; id++) {
        if (!lies_here(&c, id)) continue;
        uint32_t before = c.buffers.count, slot = interval_of(&c, id);
        if (slot == before)
            out->intervals[slot] = (plan_buffer){.birth = INT32_MAX, .death = INT32_MIN};
        widen(&w->lives[id], &out->intervals[slot]);
        w->slot_of[id] = slot;
    }
    set_groups(&c, out->intervals);
    out->buffers = c.buffers.at;
    out->count = c.buffers.count;
}

bool wrap_offset_has_place(const wrap_program *w, loop_buffer_id id)
{
    if (sym_is_none(w->lives[id].place)) return true;
    if (wrap_is_fixed(w, w->segment_of[id]))
        return sym_is_int(w->loops->symbols, w->lives[id].place, NULL);
    const wrap_layout *layout = &w->layouts[w->segment_of[id]];
    return w->slot_of[id] != WRAP_NO_SLOT && layout->intervals[w->slot_of[id]].group != 0;
}

sym_expr wrap_shift(const wrap_program *w, loop_buffer_id id)
{
    sym_expr place = w->lives[id].place;
    if (sym_is_none(place)) return place;
    return sym_mul_int(w->loops->symbols, place, ty_dtype_size(w->loops->buffers.at[id].dtype));
}

void wrap_make_layouts(wrap_program *w)
{
    w->layouts = NEW_ARRAY(w->memory, wrap_layout, w->segment_count + 1);
    for (uint32_t k = 0; k < w->segment_count; k++) {
        wrap_layout *layout = &w->layouts[k];
        if (wrap_is_fixed(w, k)) continue;
        wrap_collect_layout(w, k, layout);
        plan_template_make(w->memory, layout->intervals, layout->count, &layout->lives);
    }
}

/* ---- for the sizes of the example ---- */

/* Many such sizes add up to what planning can count. */
static const int64_t MOST = (int64_t)1 << 40;

int64_t wrap_example_bytes(const wrap_program *w, sym_expr bytes)
{
    int64_t value = sym_is_none(bytes) ? 0 : sym_hint(w->loops->symbols, bytes, SCHED_USUAL_SIZE);
    return value < 0 ? 0 : value > MOST ? MOST : value;
}

void wrap_place_example(const wrap_program *w, uint32_t segment, arena *memory, wrap_example *out)
{
    const wrap_layout *layout = &w->layouts[segment];
    int64_t *size = NEW_ARRAY(memory, int64_t, layout->count + 1),
            *shift = NEW_ARRAY(memory, int64_t, layout->count + 1);
    void *scratch = arena_alloc(memory, plan_replan_scratch(&layout->lives));
    out->offsets = NEW_ARRAY(memory, int64_t, layout->count + 1);
    for (uint32_t k = 0; k < layout->count; k++) {
        size[k] = wrap_example_bytes(w, w->bytes[layout->buffers[k]]);
        if (layout->intervals[k].group)
            shift[k] = wrap_example_bytes(w, wrap_shift(w, layout->buffers[k]));
    }
    plan_sizes sizes = {.size = size, .shift = shift, .alignment = PLAN_ALIGNMENT};
    out->bytes = plan_replan(&layout->lives, &sizes, scratch, out->offsets, &out->bound);
}

int64_t wrap_example_offset(const wrap_program *w, const wrap_example *e, loop_buffer_id id)
{
    int64_t offset = w->slot_of[id] == WRAP_NO_SLOT ? 0 : e->offsets[w->slot_of[id]];
    if (wrap_offset_has_place(w, id)) return offset;
    return offset + wrap_example_bytes(w, wrap_shift(w, id));
}
