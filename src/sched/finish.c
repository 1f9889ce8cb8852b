/* finish.c -- a work group as the schedule's: axes named. */
#include "sched/legal.h"

/* The form as a nest whose first `parallel` loops are i0.. and whose others are r0... */
static loop_op nest_of(fuser *f, const loop_form *form, uint32_t parallel)
{
    loop_program *p = f->p;
    loop_op nest = {.kind = LOOP_NEST,
                    .origin = form->origin,
                    .axes = parallel,
                    .reduce_axes = form->count - parallel,
                    .store_count = form->store_count};
    sym_expr from[LOOP_MAX_AXES], to[LOOP_MAX_AXES];
    for (uint32_t k = 0; k < form->count; k++) {
        from[k] = form_symbol(p, form, k);
        to[k] = k < parallel ? loop_axis(p, k) : loop_reduce_axis(p, k - parallel);
        *(k < parallel ? &nest.extents[k] : &nest.reduce_extents[k - parallel]) = form->extents[k];
    }
    nest.stores = NEW_ARRAY(f->s->memory, loop_store, form->store_count);
    for (uint32_t i = 0; i < form->store_count; i++) {
        nest.stores[i] = form->stores[i];
        nest.stores[i].index =
            loop_substitute_index(p, form->stores[i].index, from, to, form->count);
        nest.stores[i].value = loop_substitute(p, form->stores[i].value, from, to, form->count);
    }
    return nest;
}

static sched_phase finish_phase(fuser *f, const work_phase *w, uint32_t outer)
{
    const loop_form *first = &w->forms.at[0];
    uint32_t parallel = first->count;
    for (uint32_t i = 0; i < w->forms.count; i++)
        if (w->forms.at[i].parallel < parallel) parallel = w->forms.at[i].parallel;
    sched_phase phase = {.nest_count = w->forms.count,
                         .inner_axes = parallel - outer,
                         .reduce_axes = first->count - parallel,
                         .nests = NEW_ARRAY(f->s->memory, sched_nest, w->forms.count)};
    for (uint32_t k = outer; k < first->count; k++)
        *(k < parallel ? &phase.extents[k - outer] : &phase.reduce_extents[k - parallel]) =
            first->extents[k];
    for (uint32_t i = 0; i < w->forms.count; i++)
        phase.nests[i] = (sched_nest){w->forms.at[i].op, nest_of(f, &w->forms.at[i], parallel)};
    return phase;
}

sched_group finish_group(fuser *f, work_group *g)
{
    sched_group out = {.kind = g->kind};
    if (g->kind != SCHED_KERNEL) out.extern_op = g->ops.at[0];
    if (g->phases.count == 0) return out;
    bool flat = !g->has_reduction;
    if (g->kind == SCHED_KERNEL) cut_at_periods(f->p, g, f->memory);
    const loop_form *first = &g->phases.at[0].forms.at[0];
    out.outer = flat ? (first->count ? first->count - 1 : 0) : g->outer;
    for (uint32_t k = 0; k < out.outer; k++) out.outer_extents[k] = first->extents[k];
    out.phase_count = g->phases.count;
    out.phases = NEW_ARRAY(f->s->memory, sched_phase, g->phases.count);
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        out.phases[ph] = finish_phase(f, &g->phases.at[ph], out.outer);
    out.variant.vector = choose_direction(f, g, out.outer);
    return out;
}
