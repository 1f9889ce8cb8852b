/* segment.c -- which buffers share a segment of the arena.
 *
 * A buffer can be placed once the last symbol in its size is defined. Definitions that follow each
 * other without a buffer coming to life between them make one segment, so that several numbers read
 * out one after the other cost one plan and one block of memory. A segment is placed in the region that
 * its symbols are defined in, whatever region its buffers live in.
 */
#include "wrap/wrap_priv.h"

#define NEVER UINT32_MAX

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
        if (w->lives[id].in_arena && w->lives[id].root == id)
            sym_each_symbol(w->loops->symbols, w->bytes[id], find_definition, d);
        d->last[id] = d->found;
    }
}

/* The group where the first buffer of each definition comes to life. */
static uint32_t *first_births(const definitions *d, uint32_t groups, arena *memory)
{
    uint32_t *first = NEW_ARRAY(memory, uint32_t, groups + 1);
    for (uint32_t g = 0; g <= groups; g++) first[g] = NEVER;
    for (loop_buffer_id id = 0; id < d->w->loops->buffers.count; id++) {
        const sched_life *life = &d->w->lives[id];
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
        uint32_t last = d.last[w->lives[id].root];
        w->segment_of[id] = last == NEVER ? 0 : segment[last];
    }
    return FE_OK;
}

static void look_for_unbacked(void *data, sym_expr symbol)
{
    definitions *d = data;
    if (sym_kind_of(d->w->loops->symbols, symbol) == SYM_UNBACKED) d->found = 1;
}

bool wrap_is_late(const wrap_program *w, loop_buffer_id id)
{
    definitions d = {.w = w};
    sym_each_symbol(w->loops->symbols, w->bytes[w->lives[id].root], look_for_unbacked, &d);
    return d.found == 1;
}
