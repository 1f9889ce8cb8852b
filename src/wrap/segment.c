/* segment.c -- which buffers share a segment of the arena.
 *
 * A buffer can be placed once the last symbol in its size is defined. Definitions that follow each
 * other without a buffer coming to life between them make one segment, so that several numbers read
 * out one after the other cost one plan and one block of memory. A segment is placed in the region that
 * its symbols are defined in, whatever region its buffers live in. Small buffers of constant size that
 * live beside its own are placed with it.
 */
#include "wrap/wrap_priv.h"

#define NEVER UINT32_MAX
enum { MOST_JOINING = 16 << 10 };

typedef struct definitions {
    const wrap_program *w;
    map at; /* symbol -> the group that defines it */
    uint32_t
        *last; /* by root buffer: the last of its symbols' definitions, NEVER when it has none */
    uint32_t found;
} definitions;

static void find_definition(void *data, sym_expr symbol)
{
    definitions *d = data;
    uint32_t group = map_get(&d->at, symbol.id);
    if (group != MAP_NONE && (d->found == NEVER || group > d->found)) d->found = group;
}

static void find_definitions(definitions *d, const sched_schedule *s, arena *memory)
{
    const wrap_program *w = d->w;
    for (uint32_t g = 0; g < s->groups.count; g++)
        if (s->groups.at[g].kind == SCHED_DEFINE)
            map_set(memory, &d->at, s->program->ops.at[s->groups.at[g].extern_op].symbol.id, g);
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        d->found = NEVER;
        if (w->storage[id].life.in_arena && w->storage[id].life.root == id)
            sym_each_symbol(w->loops->symbols, w->storage[id].bytes, find_definition, d);
        d->last[id] = d->found;
    }
}

/* The group where the first buffer of each definition comes to life. */
static uint32_t *first_births(const definitions *d, uint32_t groups, arena *memory)
{
    uint32_t *first = NEW_ARRAY(memory, uint32_t, groups + 1);
    for (uint32_t g = 0; g <= groups; g++) first[g] = NEVER;
    for (loop_buffer_id id = 0; id < d->w->loops->buffers.count; id++) {
        const sched_life *life = &d->w->storage[id].life;
        uint32_t last = d->last[life->root];
        if (last != NEVER && life->birth < first[last]) first[last] = life->birth;
    }
    return first;
}

/* `birth`, or the beginning of the outermost region around it that `definition` is not in. */
static uint32_t outside_regions(const sched_schedule *s, uint32_t definition, uint32_t birth)
{
    uint32_t depth = 0, begin = birth;
    for (uint32_t g = definition + 1; g <= birth && g < s->groups.count; g++) {
        if (s->groups.at[g].kind != SCHED_CONTROL) continue;
        loop_control what = s->program->ops.at[s->groups.at[g].extern_op].control;
        if (what == LOOP_IF || what == LOOP_REPEAT)
            if (depth++ == 0) begin = g;
        if (what == LOOP_END && --depth == 0) begin = birth;
    }
    return depth ? begin : birth;
}

/* ---- what else a segment holds ---- */

/* By group: where the region, or arm, ends that it is in. */
static uint32_t *ends_of_regions(const sched_schedule *s, arena *memory)
{
    uint32_t groups = s->groups.count, *end = NEW_ARRAY(memory, uint32_t, groups + 1);
    VEC(uint32_t) open = {0};
    vec_push(memory, &open, groups);
    for (uint32_t g = groups; g-- > 0;) {
        end[g] = vec_last(&open);
        if (s->groups.at[g].kind != SCHED_CONTROL) continue;
        loop_control what = s->program->ops.at[s->groups.at[g].extern_op].control;
        if (what == LOOP_END) vec_push(memory, &open, g);
        if (what == LOOP_ELSE) vec_last(&open) = g;
        if (what != LOOP_IF && what != LOOP_REPEAT) continue;
        open.count--;
        end[g] = vec_last(&open);
    }
    return end;
}

/* By group: is anything alive then whose size was found during the run? */
static bool *when_unbacked_live(const wrap_program *w, uint32_t groups, arena *memory)
{
    uint32_t *change = NEW_ARRAY(memory, uint32_t, groups + 2), count = 0;
    bool *lives = NEW_ARRAY(memory, bool, groups + 1);
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        const sched_life *life = &w->storage[id].life;
        if (!life->in_arena || !w->storage[id].segment || life->birth >= life->death) continue;
        change[life->birth]++;
        change[life->death < groups ? life->death : groups]--;
    }
    for (uint32_t g = 0; g < groups; g++) lives[g] = (count += change[g]) > 0;
    return lives;
}

typedef struct placed {
    uint32_t segment, end; /* of the region that it is placed in */
} placed;
typedef VEC(placed) placed_list;

/* Of what has been placed where this life begins, and all of it sees: the last. */
static uint32_t last_seen(const placed_list *open, uint32_t death)
{
    for (uint32_t i = open->count; i-- > 0;)
        if (open->at[i].end >= death) return open->at[i].segment;
    return 0;
}

/* Roots by the group where the first that shares their memory is born. */
typedef struct root_list {
    uint32_t *first;        /* by group; NEVER ends it */
    uint32_t *next, *death; /* by root */
} root_list;

static root_list roots_by_birth(const wrap_program *w, uint32_t groups, arena *memory)
{
    uint32_t buffers = w->loops->buffers.count, *birth = NEW_ARRAY(memory, uint32_t, buffers + 1);
    root_list list = {NEW_ARRAY(memory, uint32_t, groups + 1),
                      NEW_ARRAY(memory, uint32_t, buffers + 1),
                      NEW_ARRAY(memory, uint32_t, buffers + 1)};
    for (uint32_t g = 0; g <= groups; g++) list.first[g] = NEVER;
    for (loop_buffer_id id = 0; id < buffers; id++) birth[id] = NEVER;
    for (loop_buffer_id id = 0; id < buffers; id++) {
        const sched_life *life = &w->storage[id].life;
        if (!life->in_arena || life->birth >= life->death) continue;
        if (life->birth < birth[life->root]) birth[life->root] = life->birth;
        if (life->death > list.death[life->root]) list.death[life->root] = life->death;
    }
    for (loop_buffer_id id = 0; id < buffers; id++) {
        if (birth[id] == NEVER) continue;
        list.next[id] = list.first[birth[id]];
        list.first[birth[id]] = id;
    }
    return list;
}

static bool is_small(const wrap_program *w, loop_buffer_id root)
{
    int64_t bytes;
    return sym_is_int(w->loops->symbols, w->storage[root].bytes, &bytes) && bytes <= MOST_JOINING;
}

/* Small buffers (the numbers that a run reads out, most of all) that come to life beside those of late
 * sizes are placed together with them, though their own sizes have been known for long: at constant
 * offsets they would be in the way of what outlives them. */
static void join_late(wrap_program *w, const sched_schedule *s, const wrap_segments *segments,
                      arena *memory)
{
    uint32_t groups = s->groups.count, *placed_at = NEW_ARRAY(memory, uint32_t, groups + 2);
    const uint32_t *end = ends_of_regions(s, memory);
    const bool *is_unbacked = when_unbacked_live(w, groups, memory);
    const root_list roots = roots_by_birth(w, groups, memory);
    placed_list open = {0};
    for (uint32_t k = 1; k < w->segment_count; k++) placed_at[segments->first_birth[k]] = k;
    for (uint32_t g = 0; g < groups; g++) {
        while (open.count && vec_last(&open).end <= g) open.count--;
        if (placed_at[g]) {
            if (open.count && vec_last(&open).end == end[g]) open.count--;
            vec_push(memory, &open, ((placed){placed_at[g], end[g]}));
        }
        for (uint32_t id = roots.first[g]; id != NEVER && is_unbacked[g]; id = roots.next[id])
            if (!w->storage[id].segment && is_small(w, id))
                w->storage[id].segment = last_seen(&open, roots.death[id]);
    }
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        w->storage[id].segment = w->storage[w->storage[id].life.root].segment;
}

fe_status wrap_find_segments(wrap_program *w, const sched_schedule *s, wrap_segments *out,
                             arena *memory)
{
    uint32_t groups = s->groups.count, buffers = w->loops->buffers.count, open = NEVER;
    definitions d = {.w = w, .last = NEW_ARRAY(memory, uint32_t, buffers + 1)};
    find_definitions(&d, s, memory);
    uint32_t *first = first_births(&d, groups, memory),
             *segment = NEW_ARRAY(memory, uint32_t, groups + 1);
    out->first_birth = NEW_ARRAY(memory, uint32_t, groups + 2);
    w->segment_count = 1;
    for (uint32_t g = 0; g < groups; g++) {
        if (s->groups.at[g].kind == SCHED_CONTROL) open = NEVER;
        if (first[g] == NEVER) continue;
        CHECK(w->session, first[g] > g);
        first[g] = outside_regions(s, g, first[g]);
        /* Nothing of the segment that is open lives yet: this definition joins it. */
        if (open == NEVER || out->first_birth[open] <= g) {
            open = w->segment_count++;
            out->first_birth[open] = first[g];
        }
        if (first[g] < out->first_birth[open]) out->first_birth[open] = first[g];
        segment[g] = open;
    }
    for (loop_buffer_id id = 0; id < buffers; id++) {
        uint32_t last = d.last[w->storage[id].life.root];
        w->storage[id].segment = last == NEVER ? 0 : segment[last];
    }
    if (w->segment_count > 1) join_late(w, s, out, memory);
    return FE_OK;
}
