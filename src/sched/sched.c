/* sched.c -- the stage: mutation in place, joins without copies, dependences, fusion, order,
 * lifetimes. */
#include "sched/order/order.h"
#include "sched/sched_priv.h"

/* In the program's order. */
static void make_first(loop_program *p, const sched_options *options, arena *memory, arena *scratch,
                       fuser *f)
{
    sched_schedule *s = NEW(memory, sched_schedule);
    s->program = p;
    s->memory = memory;
    s->for_host = options->for_host;
    *f = (fuser){.p = p,
                 .options = options,
                 .target = options->target,
                 .s = s,
                 .memory = scratch,
                 .group_of = NEW_ARRAY(scratch, uint32_t, p->ops.count + 1),
                 .has_parts = NEW_ARRAY(scratch, bool, p->buffers.count + 1)};
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (p->buffers.at[b].part) f->has_parts[p->buffers.at[b].part->whole] = true;
    deps_build(p, scratch, &f->deps);
    f->arrivals = find_arrivals(p, &f->deps, scratch);
    fuse_all(f);
    uint32_t *order = NEW_ARRAY(scratch, uint32_t, f->groups.count + 1);
    order_groups(f, order);
    for (uint32_t i = 0; i < f->groups.count; i++)
        vec_push(memory, &s->groups, finish_group(f, &f->groups.at[order[i]]));
    live_build(f);
}

order_problem *sched_order_problem(loop_program *p, const sched_options *options, arena *memory)
{
    fuser f;
    loop_add_works(p);
    make_first(p, options, memory, memory, &f);
    return order_problem_of(&f, memory);
}

fe_status sched_make(loop_program *p, const sched_options *options, arena *memory,
                     sched_schedule **out)
{
    arena *scratch = arena_new(p->session);
    fuser f;
    loop_add_works(p);
    make_first(p, options, memory, scratch, &f);
    *out = f.s;
    fe_status status = order_for_peak(&f);
    arena_free(scratch);
    return status;
}

const target_machine *sched_target_at(ty_device device, const target_machine *host)
{
    const target_machine *there = target_of_device(ty_device_words[device.kind]);
    return there ? there : host;
}

const target_machine *sched_target_of(const sched_schedule *s, const sched_group *g,
                                      const target_machine *host)
{
    loop_buffer_id made = g->phases[0].nests[0].nest.stores[0].buffer;
    return s->for_host ? host : sched_target_at(s->program->buffers.at[made].device, host);
}

fe_status sched_build(loop_program *p, const sched_options *options, arena *memory,
                      sched_schedule **out)
{
    if (reinplace(p)) FE_TRY(loop_check(p, "reinplace"));
    if (!options->apart && move_invariants(p)) FE_TRY(loop_check(p, "invariants"));
    FE_TRY(choose_joins(p, options, memory, out));
    if (options->memory_budget) FE_TRY(recompute_to_fit(p, options, memory, out));
    return sched_check(*out);
}
