/* period.c -- loops over all elements of rows that indices take apart again, by quotients and remainders,
 * become one over rows and one over columns: there the indices go straight.
 *
 * Ops share kernels first: loops that are not cut agree with more others.
 */
#include "sched/sched_priv.h"

enum { FEW_COLUMNS = 16 }; /* as many are taken apart lane by lane */

typedef struct period_search {
    loop_program *p;
    sym_expr axis, extent;
    sym_expr found; /* the least of those that cut the loop */
} period_search;

/* Does the axis count up what is divided, in whole rows of as many as the divisor? */
static bool is_period(const period_search *s, sym_expr divided, sym_expr divisor)
{
    sym_table *t = s->p->symbols;
    int64_t columns = sym_usual(t, divisor);
    return sym_same(divided, s->axis) && columns >= FEW_COLUMNS &&
           columns < sym_usual(t, s->extent) &&
           !sym_is_none(form_quotient(s->p, s->extent, divisor));
}

static void find_period(period_search *s, sym_expr e)
{
    sym_table *t = s->p->symbols;
    sym_op op = sym_op_of(t, e);
    if (!sym_contains(t, e, s->axis)) return;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) find_period(s, sym_arg(t, e, i));
    if (op != SYM_FLOORDIV && op != SYM_MOD) return;
    sym_expr divisor = sym_arg(t, e, 1);
    if (!is_period(s, sym_arg(t, e, 0), divisor)) return;
    if (sym_is_none(s->found) || sym_usual(t, divisor) < sym_usual(t, s->found)) s->found = divisor;
}

static sym_expr period_of(loop_program *p, const work_group *g, uint32_t k, arena *memory)
{
    const loop_form *first = &g->phases.at[0].forms.at[0];
    period_search s = {.p = p, .axis = form_symbol(p, first, k), .extent = first->extents[k]};
    access_list list = {0};
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++)
            form_indices(p, &g->phases.at[ph].forms.at[i], memory, &list);
    for (uint32_t i = 0; i < list.count; i++) find_period(&s, list.at[i].index);
    return s.found;
}

/* The phase with the k-th loop cut into whole periods and what is in one. */
static bool cut_phase(loop_program *p, const work_phase *phase, uint32_t k, sym_expr period,
                      arena *memory, work_phase *out)
{
    const loop_form *first = &phase->forms.at[0];
    sym_expr extents[LOOP_MAX_AXES];
    loop_form cut;
    if (first->count >= LOOP_MAX_AXES) return false;
    for (uint32_t i = 0; i < first->count; i++) extents[i + (i > k)] = first->extents[i];
    extents[k] = form_quotient(p, first->extents[k], period);
    extents[k + 1] = period;
    *out = (work_phase){0};
    for (uint32_t i = 0; i < phase->forms.count; i++) {
        if (!form_split(p, &phase->forms.at[i], extents, first->count + 1, memory, &cut))
            return false;
        vec_push(memory, &out->forms, cut);
    }
    return true;
}

/* Rows, where there are sums: each has all of its own. */
static uint32_t loops_to_cut(const work_group *g)
{
    return g->has_reduction ? g->outer : g->phases.at[0].forms.at[0].count;
}

void cut_at_periods(loop_program *p, work_group *g, arena *memory)
{
    work_phase *cut = NEW_ARRAY(memory, work_phase, g->phases.count);
    for (uint32_t k = 0; k < loops_to_cut(g); k++) {
        sym_expr period = period_of(p, g, k, memory);
        bool cuts = !sym_is_none(period);
        for (uint32_t ph = 0; ph < g->phases.count && cuts; ph++)
            cuts = cut_phase(p, &g->phases.at[ph], k, period, memory, &cut[ph]);
        if (!cuts) continue;
        for (uint32_t ph = 0; ph < g->phases.count; ph++) g->phases.at[ph] = cut[ph];
        if (g->has_reduction) g->outer++;
    }
}
