/* choose.c -- which joins are made in place: all of them, unless copying needs less memory. Slices
 * with gaps between their rows take up the room of the whole join as soon as one of them is made,
 * which may be long before the others are.
 *
 * Then the largest joins that live where most memory is in use are copied again, one after another,
 * while that helps.
 */
#include "sched/sched_priv.h"

enum { MOST_TRIES = 6 };

/* ---- tries ---- */

typedef struct trial {
    sched_schedule *s;
    program_snapshot program;
    int64_t bytes; /* of the arena, less outputs that lie in donated inputs */
    uint32_t when; /* the group with most bytes in use */
} trial;

typedef struct chooser {
    loop_program *p;
    const sched_options *options;
    arena *memory, *scratch; /* of the schedule; of the choice */
    program_snapshot start;
    bool *refused; /* by buffer: what it joins is copied */
} chooser;

static fe_status make_trial(chooser *c, trial *out)
{
    FE_TRY(sched_make(c->p, c->options, c->memory, &out->s));
    out->program = snapshot_take(c->p, c->scratch);
    sched_peak(out->s, c->scratch, &out->when);
    FE_TRY(arena_bytes_of(out->s, &out->bytes));
    out->bytes -= returned_bytes(out->s);
    return FE_OK;
}

static fe_status try_joins(chooser *c, trial *out)
{
    snapshot_put_back(c->p, &c->start);
    slice_joins(c->p, c->refused);
    FE_TRY(loop_check(c->p, "slices"));
    return make_trial(c, out);
}

/* The largest join that lives when most memory is in use; LOOP_NO_BUFFER when there is none. */
static loop_buffer_id worst_join(const chooser *c, const trial *t)
{
    loop_buffer_id worst = LOOP_NO_BUFFER;
    int64_t most = -1;
    for (loop_buffer_id b = 0; b < t->program.buffer_count; b++) {
        const loop_part *part = t->program.buffers[b].part;
        const sched_life *life = &t->s->lives[b];
        if (!part || t->when < life->birth || t->when >= life->death) continue;
        const loop_buffer *whole = &t->program.buffers[part->whole];
        int64_t bytes = sym_usual(c->p->symbols, whole->elements) * ty_dtype_size(whole->dtype);
        if (bytes <= most || c->refused[part->whole]) continue;
        most = bytes;
        worst = part->whole;
    }
    return worst;
}

static fe_status improve(chooser *c, trial *best)
{
    trial copied = {0}, now = *best;
    snapshot_put_back(c->p, &c->start);
    FE_TRY(make_trial(c, &copied));
    for (int tries = 0; tries < MOST_TRIES && copied.bytes < best->bytes; tries++) {
        loop_buffer_id worst = worst_join(c, &now);
        if (worst == LOOP_NO_BUFFER) break;
        c->refused[worst] = true;
        FE_TRY(try_joins(c, &now));
        if (now.bytes < best->bytes) *best = now;
    }
    if (copied.bytes < best->bytes) *best = copied;
    snapshot_put_back(c->p, &best->program);
    return FE_OK;
}

fe_status choose_joins(loop_program *p, const sched_options *options, arena *memory,
                       sched_schedule **out)
{
    arena *scratch = arena_new(p->session);
    chooser c = {.p = p, .options = options, .memory = memory, .scratch = scratch};
    trial best = {0};
    c.start = snapshot_take(p, scratch);
    c.refused = NEW_ARRAY(scratch, bool, p->buffers.count + 1);
    fe_status status = FE_OK;
    if (!slice_joins(p, c.refused)) {
        status = sched_make(p, options, memory, &best.s);
    } else {
        status = loop_check(p, "slices");
        if (status == FE_OK) status = make_trial(&c, &best);
        if (status == FE_OK) status = improve(&c, &best);
    }
    *out = best.s;
    arena_free(scratch);
    return status;
}
