/* track_plan.c -- bytes in use: of the buffers whose lives the plan has in a step, at their sizes in this
 * run, against those that are alive, where they lie. What shares the memory of one root counts from its
 * lowest byte to its highest.
 */
#include "exec/track.h"

/* Steps are numbered as lives count them. */
static uint32_t number_steps(tracker *t, arena *memory)
{
    uint32_t steps = 0;
    t->step_of = NEW_ARRAY(memory, uint32_t, t->w->lines.count + 1);
    for (uint32_t i = 0; i < t->w->lines.count; i++) {
        t->step_of[i] = steps;
        steps += wrap_is_step(&t->w->lines.at[i]);
    }
    return steps;
}

void track_plan(tracker *t, arena *memory)
{
    const wrap_program *w = t->w;
    uint32_t steps = number_steps(t, memory), total = 0;
    t->first = NEW_ARRAY(memory, uint32_t, steps + 2);
    for (int pass = 0; pass < 2; pass++) {
        for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
            const sched_life *life = &w->storage[id].life;
            bool is_placed = w->loops->buffers.at[id].kind == LOOP_TEMP && life->in_arena;
            for (uint32_t s = life->birth; is_placed && s < life->death && s < steps; s++)
                if (pass == 0)
                    t->first[s + 1]++;
                else
                    t->planned[t->first[s]++] = id;
        }
        if (pass == 1) break;
        for (uint32_t s = 0; s < steps; s++) t->first[s + 1] += t->first[s];
        total = t->first[steps];
        t->planned = NEW_ARRAY(memory, loop_buffer_id, total + 1);
    }
    for (uint32_t s = steps; s > 0; s--) t->first[s] = t->first[s - 1];
    t->first[0] = 0;
}

/* ---- how much is in use ---- */

static int64_t units(int64_t low, int64_t high)
{
    return high > low ? (high + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT - low / PLAN_ALIGNMENT : 0;
}

typedef struct track_sum {
    int64_t bytes, units;
} track_sum;

static void reach_out(track_run *r, loop_buffer_id root, int64_t low, int64_t high, track_sum *sum)
{
    track_reach *reach = &r->reach[root];
    if (reach->asked != r->asked) *reach = (track_reach){r->asked, low, low};
    sum->bytes -= reach->high - reach->low;
    sum->units -= units(reach->low, reach->high);
    if (low < reach->low) reach->low = low;
    if (high > reach->high) reach->high = high;
    sum->bytes += reach->high - reach->low;
    sum->units += units(reach->low, reach->high);
}

static track_sum planned_in(const exec_run *run, track_run *r, uint32_t step, uint32_t segment)
{
    const tracker *t = r->t;
    const wrap_program *w = t->w;
    track_sum sum = {0, 0};
    r->asked++;
    for (uint32_t i = t->first[step]; i < t->first[step + 1]; i++) {
        loop_buffer_id id = t->planned[i];
        int64_t bytes = exec_number(run, w->storage[id].bytes), begin = 0;
        if (w->storage[id].segment != segment || bytes <= 0) continue;
        if (!sym_is_none(w->storage[id].life.place))
            begin = exec_number(run, w->storage[id].life.place) *
                    (int64_t)ty_dtype_size(w->loops->buffers.at[id].dtype);
        reach_out(r, w->storage[id].life.root, begin, begin + bytes, &sum);
    }
    return sum;
}

static track_sum used_in(track_run *r, uint32_t segment)
{
    const wrap_program *w = r->t->w;
    track_sum sum = {0, 0};
    r->asked++;
    for (uint32_t i = 0; i < r->alive_count; i++) {
        const tracked *b = &r->of[r->alive[i]];
        int64_t begin = b->at - r->segments[segment].memory;
        if (w->storage[r->alive[i]].segment != segment || b->bytes == 0) continue;
        reach_out(r, w->storage[r->alive[i]].life.root, begin, begin + b->bytes, &sum);
    }
    return sum;
}

bool track_is_as_planned(const exec_moment *m, track_run *r, uint32_t step)
{
    for (uint32_t k = 0; k < r->t->w->segment_count; k++) {
        if (!r->segments[k].memory) continue;
        track_sum planned = planned_in(m->run, r, step, k), used = used_in(r, k);
        if (used.units > r->segments[k].most) r->segments[k].most = used.units;
        if (planned.bytes == used.bytes) continue;
        return track_fault(m, "%lld bytes of segment %u are in use where the plan has %lld",
                           (long long)used.bytes, k, (long long)planned.bytes);
    }
    return true;
}

/* Constant plans are of one size: what was reached is the arena, if each buffer has lived, and no more
 * than the bound was in use at once. */
bool track_ends_as_planned(const exec_moment *m, track_run *r)
{
    const wrap_program *w = r->t->w;
    const track_segment *s = &r->segments[0];
    int64_t high = (s->high + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT,
            most = s->most * PLAN_ALIGNMENT;
    if (w->is_dynamic || w->is_bounded || !s->memory) return true;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (w->storage[id].life.in_arena && w->storage[id].segment == 0 &&
            w->storage[id].life.birth < w->storage[id].life.death && r->of[id].life == TRACK_UNBORN)
            return true;
    if (high != (w->arena_bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT)
        return track_fault(m, "%lld bytes of the arena were reached, the plan has %lld",
                           (long long)high, (long long)w->arena_bytes);
    if (most > w->lower_bound)
        return track_fault(m, "%lld bytes were in use at once, the plan has %lld", (long long)most,
                           (long long)w->lower_bound);
    return true;
}
