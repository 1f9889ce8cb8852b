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
    arena *memory;
    uint32_t *from; /* by segment: where its buffers begin in `members` */
    loop_buffer_id *members;
    uint32_t *first;  /* by root: its interval that was made last; WRAP_NO_SLOT */
    bool *is_split;   /* by root: shared in pieces that are known */
    map defined;      /* symbol -> the line that gives it its value */
    uint32_t *placed; /* by segment: the line that places it */
    /* of the segment at hand */
    wrap_layout *out;
    uint32_t segment;
    VEC(loop_buffer_id) buffers; /* the first of each interval */
    VEC(uint32_t) next;          /* by interval: another one of its root; WRAP_NO_SLOT */
    bool misses;
} collector;

static bool is_placed(const wrap_program *w, loop_buffer_id id)
{
    const sched_life *life = &w->storage[id].life;
    return w->loops->buffers.at[id].kind == LOOP_TEMP && life->in_arena &&
           life->birth < life->death;
}

static void find_members(collector *c)
{
    const wrap_program *w = c->w;
    uint32_t *from = c->from = NEW_ARRAY(c->memory, uint32_t, w->segment_count + 2);
    c->members = NEW_ARRAY(c->memory, loop_buffer_id, w->loops->buffers.count + 1);
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (is_placed(w, id)) from[w->storage[id].segment + 2]++;
    for (uint32_t k = 2; k <= w->segment_count; k++) from[k] += from[k - 1];
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (is_placed(w, id)) c->members[from[w->storage[id].segment + 1]++] = id;
}

/* ---- which roots are split ---- */

/* Segment 0 is placed behind the symbols of the inputs. */
static void find_lines(collector *c)
{
    const wrap_program *w = c->w;
    c->placed = NEW_ARRAY(c->memory, uint32_t, w->segment_count + 1);
    for (uint32_t k = 0; k < w->segment_count; k++) c->placed[k] = w->lines.count;
    for (uint32_t i = w->lines.count; i-- > 0;) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind == WRAP_SYMBOL) map_set(c->memory, &c->defined, line->symbol.id, i);
        if (line->kind == WRAP_PLACE) c->placed[line->index] = i;
        if (!wrap_is_input_symbol(line)) c->placed[0] = i;
    }
}

static void look_up(void *data, sym_expr symbol)
{
    collector *c = data;
    uint32_t line = map_get(&c->defined, symbol.id);
    c->misses |= line == MAP_NONE || line >= c->placed[c->segment];
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
    sym_expr place = c->w->storage[id].life.place;
    if (wrap_is_fixed(c->w, c->segment))
        return sym_is_none(place) || sym_is_int(c->w->loops->symbols, place, NULL);
    return is_told(c, place) && is_told(c, c->w->storage[id].bytes);
}

static void find_split_roots(collector *c)
{
    for (uint32_t i = c->from[c->segment]; i < c->from[c->segment + 1]; i++)
        if (!is_piece_known(c, c->members[i]))
            c->is_split[c->w->storage[c->members[i]].life.root] = false;
}

/* ---- intervals ---- */

static bool same_place(const wrap_program *w, loop_buffer_id a, loop_buffer_id b)
{
    return sym_same(w->storage[a].bytes, w->storage[b].bytes) &&
           sym_same(w->storage[a].life.place, w->storage[b].life.place);
}

/* The interval that the buffer belongs to; made if it is the first. */
static uint32_t interval_of(collector *c, loop_buffer_id id)
{
    loop_buffer_id root = c->w->storage[id].life.root;
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
        loop_buffer_id root = c->w->storage[c->buffers.at[i]].life.root;
        bool is_alone = c->first[root] == i && c->next.at[i] == WRAP_NO_SLOT;
        sym_expr place = c->w->storage[c->buffers.at[i]].life.place;
        if (!c->is_split[root] || (is_alone && sym_is_none(place))) continue;
        intervals[i].group = root + 1;
        c->out->has_parts = true;
    }
}

static collector collector_new(const wrap_program *w)
{
    uint32_t count = w->loops->buffers.count;
    collector c = {.w = w, .memory = w->memory};
    c.first = NEW_ARRAY(c.memory, uint32_t, count + 1);
    c.is_split = NEW_ARRAY(c.memory, bool, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) {
        c.first[id] = WRAP_NO_SLOT;
        c.is_split[id] = true;
    }
    find_members(&c);
    find_lines(&c);
    return c;
}

static void collect(collector *c, wrap_program *w, uint32_t segment, wrap_layout *out)
{
    uint32_t begin = c->from[segment], end = c->from[segment + 1];
    c->segment = segment;
    c->out = out;
    c->buffers.at = NULL;
    c->buffers.count = c->buffers.capacity = 0;
    c->next.at = NULL;
    c->next.count = c->next.capacity = 0;
    find_split_roots(c);
    *out = (wrap_layout){.intervals = NEW_ARRAY(c->memory, plan_buffer, end - begin + 1)};
    for (uint32_t i = begin; i < end; i++) {
        loop_buffer_id id = c->members[i];
        uint32_t before = c->buffers.count, slot = interval_of(c, id);
        if (slot == before)
            out->intervals[slot] = (plan_buffer){.birth = INT32_MAX, .death = INT32_MIN};
        widen(&w->storage[id].life, &out->intervals[slot]);
        w->storage[id].slot = slot;
    }
    set_groups(c, out->intervals);
    out->buffers = c->buffers.at;
    out->count = c->buffers.count;
}

void wrap_collect_layout(wrap_program *w, uint32_t segment, wrap_layout *out)
{
    collector c = collector_new(w);
    collect(&c, w, segment, out);
}

bool wrap_offset_has_place(const wrap_program *w, loop_buffer_id id)
{
    if (sym_is_none(w->storage[id].life.place)) return true;
    if (wrap_is_fixed(w, w->storage[id].segment))
        return sym_is_int(w->loops->symbols, w->storage[id].life.place, NULL);
    const wrap_layout *layout = &w->layouts[w->storage[id].segment];
    return w->storage[id].slot != WRAP_NO_SLOT && layout->intervals[w->storage[id].slot].group != 0;
}

/* ---- what a segment finds taken ---- */

/* An interval of a segment that has been placed. */
typedef struct taken {
    wrap_held where;
    loop_buffer_id buffer;
    int32_t birth, death;
} taken;

/* Segments in the order in which they are placed, and what those before the one at hand have taken that
 * may still be in the way. */
typedef struct holder {
    wrap_program *w;
    const uint32_t *order;
    int32_t *birth, *death; /* by place in the order: of all intervals of the segment together */
    int32_t *next_birth;    /* by place in the order: the first of it and those behind it */
    VEC(taken) list;
} holder;

/* Of a segment at constant offsets, each buffer. */
static void take_fixed(holder *h, uint32_t segment)
{
    const wrap_program *w = h->w;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (is_placed(w, id) && w->storage[id].segment == segment)
            vec_push(w->memory, &h->list,
                     ((taken){{segment, WRAP_NO_SLOT, w->storage[id].offset},
                              id,
                              (int32_t)w->storage[id].life.birth,
                              (int32_t)w->storage[id].life.death}));
}

static void take_segment(holder *h, uint32_t segment, uint32_t own)
{
    const wrap_layout *layout = &h->w->layouts[segment];
    if (wrap_is_fixed(h->w, segment)) take_fixed(h, segment);
    for (uint32_t k = 0; k < own; k++)
        vec_push(h->w->memory, &h->list,
                 ((taken){{segment, k, 0},
                          layout->buffers[k],
                          layout->intervals[k].birth,
                          layout->intervals[k].death}));
}

static void forget_dead(holder *h, int32_t now)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->list.count; k++)
        if (h->list.at[k].death > now) h->list.at[kept++] = h->list.at[k];
    h->list.count = kept;
}

static holder holder_new(wrap_program *w, const uint32_t *order)
{
    uint32_t count = w->segment_count;
    holder h = {.w = w, .order = order};
    h.birth = NEW_ARRAY(w->memory, int32_t, count + 1);
    h.death = NEW_ARRAY(w->memory, int32_t, count + 1);
    h.next_birth = NEW_ARRAY(w->memory, int32_t, count + 1);
    h.next_birth[count] = INT32_MAX;
    for (uint32_t i = count; i-- > 0;) {
        const wrap_layout *layout = &w->layouts[order[i]];
        h.birth[i] = INT32_MAX;
        h.death[i] = INT32_MIN;
        for (uint32_t k = 0; k < layout->count; k++) {
            const plan_buffer *own = &layout->intervals[k];
            if (own->birth < h.birth[i]) h.birth[i] = own->birth;
            if (own->death > h.death[i]) h.death[i] = own->death;
        }
        h.next_birth[i] = h.birth[i] < h.next_birth[i + 1] ? h.birth[i] : h.next_birth[i + 1];
    }
    return h;
}

/* What segments bring to life in a region dies in it, so lives alone say what is taken. */
static void add_held(holder *h, uint32_t i)
{
    wrap_program *w = h->w;
    uint32_t segment = h->order[i];
    wrap_layout *layout = &w->layouts[segment];
    VEC(plan_buffer) intervals = {0};
    VEC(loop_buffer_id) buffers = {0};
    VEC(wrap_held) held = {0};
    for (uint32_t k = 0; k < layout->count; k++) {
        vec_push(w->memory, &intervals, layout->intervals[k]);
        vec_push(w->memory, &buffers, layout->buffers[k]);
    }
    for (uint32_t k = 0; k < h->list.count; k++) {
        const taken *t = &h->list.at[k];
        if (t->birth >= h->death[i] || t->death <= h->birth[i]) continue;
        if (!wrap_share_memory(w, segment, t->where.segment)) continue;
        vec_push(w->memory, &intervals, ((plan_buffer){.birth = t->birth, .death = t->death}));
        vec_push(w->memory, &buffers, t->buffer);
        vec_push(w->memory, &held, t->where);
    }
    layout->intervals = intervals.at;
    layout->buffers = buffers.at;
    layout->held = held.at;
    layout->held_count = held.count;
}

/* ---- what decides where a segment lies ---- */

typedef struct symbol_set {
    VEC(sym_expr) all;
    map seen;
    arena *memory;
} symbol_set;

static void add_symbol(void *data, sym_expr symbol)
{
    symbol_set *set = data;
    if (map_get(&set->seen, symbol.id) != MAP_NONE) return;
    map_set(set->memory, &set->seen, symbol.id, 1);
    vec_push(set->memory, &set->all, symbol);
}

static void find_symbols(wrap_program *w, wrap_layout *layout)
{
    symbol_set set = {.memory = w->memory};
    for (uint32_t k = 0; k < layout->count; k++) {
        sym_expr shift = wrap_shift(w, layout->buffers[k]);
        sym_each_symbol(w->loops->symbols, w->storage[layout->buffers[k]].bytes, add_symbol, &set);
        if (layout->intervals[k].group && !sym_is_none(shift))
            sym_each_symbol(w->loops->symbols, shift, add_symbol, &set);
    }
    for (uint32_t i = 0; i < layout->held_count; i++) {
        const wrap_layout *from = &w->layouts[layout->held[i].segment];
        for (uint32_t k = 0; k < from->symbol_count; k++) add_symbol(&set, from->symbols[k]);
    }
    layout->symbols = set.all.at;
    layout->symbol_count = set.all.count;
}

/* ---- making them ---- */

/* The intervals in the sizes of an example so many times as large; false where these make no sense. */
static bool scale_intervals(const wrap_program *w, const wrap_layout *layout, double scale)
{
    const sym_table *t = w->loops->symbols;
    bool fit = true;
    for (uint32_t k = 0; k < layout->count && fit; k++) {
        plan_buffer *interval = &layout->intervals[k];
        sym_expr shift = wrap_shift(w, layout->buffers[k]);
        fit = sym_hint_scaled(t, w->storage[layout->buffers[k]].bytes, scale, &interval->size) &&
              interval->size <= WRAP_MOST_BYTES;
        if (interval->size < 0) interval->size = 0;
        if (interval->group && !sym_is_none(shift) && fit)
            fit = sym_hint_scaled(t, shift, scale, &interval->group_offset) &&
                  interval->group_offset >= 0 && interval->group_offset <= WRAP_MOST_BYTES;
    }
    return fit;
}

/* Sizes near the example's are to be placed as well as search can, others as well as it is quick. */
static fe_status add_stacks(wrap_program *w, wrap_layout *layout)
{
    static const double scales[] = {1, 0.125, 0.5, 2, 8};
    for (size_t i = 0; i < COUNT_OF(scales) && !layout->held_count; i++)
        if (scale_intervals(w, layout, scales[i]))
            FE_TRY(plan_template_stack(w->session, w->memory, layout->intervals, layout->count,
                                       &layout->lives));
    return FE_OK;
}

fe_status wrap_make_layouts(wrap_program *w)
{
    collector c = collector_new(w);
    const uint32_t *order = wrap_placing_order(w, w->memory);
    w->layouts = NEW_ARRAY(w->memory, wrap_layout, w->segment_count + 1);
    for (uint32_t i = 0; i < w->segment_count; i++)
        if (!wrap_is_fixed(w, order[i])) collect(&c, w, order[i], &w->layouts[order[i]]);
    holder h = holder_new(w, order);
    for (uint32_t i = 0; i < w->segment_count; i++) {
        wrap_layout *layout = &w->layouts[order[i]];
        forget_dead(&h, h.next_birth[i]);
        if (!wrap_is_fixed(w, order[i])) add_held(&h, i);
        take_segment(&h, order[i], layout->count);
        if (wrap_is_fixed(w, order[i])) continue;
        find_symbols(w, layout);
        plan_template_make(w->memory, layout->intervals, layout->count + layout->held_count,
                           &layout->lives);
        if (w->segment_count > 1) layout->lives.rule = PLAN_RULE_LAST;
        FE_TRY(add_stacks(w, layout));
    }
    return FE_OK;
}
