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

/* The loops with the k-th cut, if the indices ask for it. */
static bool find_cut(loop_program *p, const loop_form *f, uint32_t k, const access_list *list,
                     sym_expr *extents)
{
    period_search s = {.p = p, .axis = form_symbol(p, f, k), .extent = f->extents[k]};
    for (uint32_t i = 0; i < list->count; i++) find_period(&s, list->at[i].index);
    if (sym_is_none(s.found)) return false;
    for (uint32_t i = 0; i < f->count; i++) extents[i + (i > k)] = f->extents[i];
    extents[k] = form_quotient(p, s.extent, s.found);
    extents[k + 1] = s.found;
    return true;
}

static void collect(loop_program *p, const work_phase *phase, arena *memory, access_list *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < phase->forms.count; i++)
        form_indices(p, &phase->forms.at[i], memory, out);
}

void cut_at_periods(loop_program *p, work_phase *phase, arena *memory)
{
    const loop_form *first = &phase->forms.at[0];
    loop_form *cut = NEW_ARRAY(memory, loop_form, phase->forms.count);
    access_list list = {0};
    collect(p, phase, memory, &list);
    for (uint32_t k = 0; k < first->count && first->count < LOOP_MAX_AXES; k++) {
        sym_expr extents[LOOP_MAX_AXES];
        bool cuts = find_cut(p, first, k, &list, extents);
        for (uint32_t i = 0; i < phase->forms.count && cuts; i++)
            cuts = form_split(p, &phase->forms.at[i], extents, first->count + 1, memory, &cut[i]);
        if (!cuts) continue;
        for (uint32_t i = 0; i < phase->forms.count; i++) phase->forms.at[i] = cut[i];
        collect(p, phase, memory, &list);
    }
}
