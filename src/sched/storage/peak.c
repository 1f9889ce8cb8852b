/* peak.c -- how much memory of the arena is in use at once: a walk over the groups; and how large the
 * arena is. */
#include "sched/sched_priv.h"

/* Buffers that share one memory in pieces: in use is what those that live reach together. */
typedef struct shared {
    VEC(uint32_t) members; /* intervals */
    int64_t bottom, top;
    bool changed;
} shared;

typedef struct peak_walk {
    const plan_buffer *intervals;
    shared *groups; /* by group number */
    int64_t live;
} peak_walk;

static int64_t up(int64_t bytes)
{
    return (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}

static int64_t in_use(const shared *g)
{
    return g->top > g->bottom ? up(g->top) - g->bottom / PLAN_ALIGNMENT * PLAN_ALIGNMENT : 0;
}

static void reach(shared *g, const plan_buffer *b)
{
    if (g->top == 0 || b->group_offset < g->bottom) g->bottom = b->group_offset;
    if (b->group_offset + b->size > g->top) g->top = b->group_offset + b->size;
}

static void begin(peak_walk *w, const plan_buffer *b)
{
    shared *g = &w->groups[b->group];
    if (!b->group) {
        w->live += up(b->size);
        return;
    }
    w->live -= in_use(g);
    if (b->size > 0) reach(g, b);
    w->live += in_use(g);
}

/* What is left when some of a shared memory's pieces have ended. */
static void end_shared(peak_walk *w, shared *g, int32_t step)
{
    if (!g->changed) return;
    w->live -= in_use(g);
    g->bottom = g->top = 0;
    g->changed = false;
    for (uint32_t i = 0; i < g->members.count; i++) {
        const plan_buffer *b = &w->intervals[g->members.at[i]];
        if (b->birth < step && step < b->death && b->size > 0) reach(g, b);
    }
    w->live += in_use(g);
}

static void end(peak_walk *w, const plan_buffer *b)
{
    if (b->group)
        w->groups[b->group].changed = true;
    else
        w->live -= up(b->size);
}

/* Intervals by the step that they begin, or end, with: those of step t are at[first[t]] on. */
typedef struct step_index {
    uint32_t *first, *at;
} step_index;

static step_index index_steps(const plan_buffer *b, uint32_t count, uint32_t steps, bool deaths,
                              arena *memory)
{
    step_index index = {NEW_ARRAY(memory, uint32_t, steps + 2),
                        NEW_ARRAY(memory, uint32_t, count + 1)};
    for (uint32_t i = 0; i < count; i++) index.first[(deaths ? b[i].death : b[i].birth) + 1]++;
    for (uint32_t t = 0; t < steps; t++) index.first[t + 1] += index.first[t];
    for (uint32_t i = 0; i < count; i++)
        index.at[index.first[deaths ? b[i].death : b[i].birth]++] = i;
    for (uint32_t t = steps; t > 0; t--) index.first[t] = index.first[t - 1];
    index.first[0] = 0;
    return index;
}

int64_t *live_bytes(const sched_schedule *s, arena *memory)
{
    plan_buffer *b;
    loop_buffer_id *owners;
    uint32_t count = sched_intervals(s, &b, &owners, memory), steps = s->groups.count + 2;
    peak_walk w = {b, NEW_ARRAY(memory, shared, s->program->buffers.count + 2), 0};
    step_index births = index_steps(b, count, steps, false, memory),
               deaths = index_steps(b, count, steps, true, memory);
    int64_t *live = NEW_ARRAY(memory, int64_t, steps);
    for (uint32_t i = 0; i < count; i++)
        if (b[i].group && b[i].birth < b[i].death)
            vec_push(memory, &w.groups[b[i].group].members, i);
    for (uint32_t t = 0; t < steps; t++) {
        for (uint32_t i = deaths.first[t]; i < deaths.first[t + 1]; i++)
            if (b[deaths.at[i]].birth < b[deaths.at[i]].death) end(&w, &b[deaths.at[i]]);
        for (uint32_t i = deaths.first[t]; i < deaths.first[t + 1]; i++)
            end_shared(&w, &w.groups[b[deaths.at[i]].group], (int32_t)t);
        for (uint32_t i = births.first[t]; i < births.first[t + 1]; i++)
            if (b[births.at[i]].birth < b[births.at[i]].death) begin(&w, &b[births.at[i]]);
        live[t] = w.live;
    }
    return live;
}

int64_t sched_peak(const sched_schedule *s, arena *memory, uint32_t *when)
{
    const int64_t *live = live_bytes(s, memory);
    int64_t most = 0;
    if (when) *when = 0;
    for (uint32_t t = 0; t < s->groups.count + 2; t++) {
        if (live[t] <= most) continue;
        most = live[t];
        if (when) *when = t;
    }
    return most;
}

enum { MOST_PLANNED = 4000 };

fe_status arena_bytes_of(const sched_schedule *s, int64_t *bytes)
{
    plan_buffer *intervals;
    loop_buffer_id *owners;
    plan_result plan;
    arena *scratch = arena_new(s->program->session);
    uint32_t count = sched_intervals(s, &intervals, &owners, scratch);
    fe_status status = FE_OK;
    if (count <= MOST_PLANNED) {
        status = plan_offsets(s->program->session, scratch, intervals, count, NULL, &plan);
        *bytes = plan.height;
    } else
        *bytes = sched_peak(s, scratch, NULL);
    arena_free(scratch);
    return status;
}
