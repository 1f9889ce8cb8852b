/* direction.c -- whether the vectors of a group go along its inner loops or across its rows: what
 * costs less, counted in moves of a vector for one row.
 *
 * An access costs one move a vector where neighbours are neighbours in memory, two where every
 * second element is, and one for each lane anywhere else: some for each where the index bends, and is worked
 * out for it. Along an inner loop the last vector may
 * be partial, every loop has a start, and a sum joins its lanes.
 */
#include "sched/legal.h"

enum {
    BENT = 3,     /* moves of a lane whose index is no multiple of its number */
    FEW_ROWS = 4, /* a vector across fewer would be mostly empty */
    MOST_EXTENT = 1 << 16
};

/* One nest while its costs are counted. */
typedef struct weighing {
    loop_program *p;
    const target_moves *moves;
    const loop_form *form;
    uint32_t outer;
    sym_expr row, inner; /* the axes that vectors may go along; none: no such loop */
    double lanes, row_lanes;
    double steps;  /* of the loops around the innermost, for one row */
    double extent; /* of the innermost loop; 1: there is none */
} weighing;

typedef struct costs {
    double along, across; /* of one row: vectors along the inner loop, across the rows */
} costs;

static double extent_of(loop_program *p, sym_expr e)
{
    int64_t extent = sym_usual(p->symbols, e);
    return extent < 1 ? 1 : extent > MOST_EXTENT ? MOST_EXTENT : (double)extent;
}

static double vectors(const weighing *w)
{
    return (double)(int64_t)((w->extent + w->lanes - 1) / w->lanes);
}

static bool moves_with(const weighing *w, sym_expr index, sym_expr axis)
{
    return !sym_is_none(axis) && loop_uses_axis(w->p, loop_index(w->p, index), axis);
}

/* Moves for `lanes` neighbours along the axis. */
static double moves_of(const weighing *w, sym_expr index, sym_expr axis, double lanes)
{
    sym_expr coefficient, rest;
    int64_t stride;
    if (!moves_with(w, index, axis)) return 1;
    if (!sym_linear_in(w->p->symbols, index, axis, &coefficient, &rest) ||
        moves_with(w, rest, axis))
        return BENT * lanes;
    if (!sym_is_int(w->p->symbols, coefficient, &stride)) return lanes;
    return stride == 1 ? 1 : stride == 2 && lanes > 2 ? 2 : lanes;
}

static bool is_inside(const weighing *w, sym_expr index)
{
    for (uint32_t k = w->outer; k < w->form->count; k++)
        if (moves_with(w, index, form_symbol(w->p, w->form, k))) return true;
    return false;
}

static void weigh_access(const weighing *w, sym_expr index, costs *c)
{
    bool inside = is_inside(w, index), innermost = moves_with(w, index, w->inner);
    double times = (inside ? w->steps : 1) * (innermost ? w->extent : 1);
    double across = moves_of(w, index, w->row, w->row_lanes);
    c->across += times * across / w->row_lanes;
    double along = moves_of(w, index, w->inner, w->lanes);
    if (innermost)
        c->along += w->steps * along * (along < w->lanes ? vectors(w) : w->extent / w->lanes);
    else
        c->along += times;
}

static void weigh_store(const weighing *w, const loop_store *st, costs *c)
{
    double nodes = w->moves->node * loop_node_count(w->p, st->value), results = 1;
    c->across += nodes * w->steps * w->extent / w->row_lanes;
    c->along += nodes * w->steps * vectors(w);
    for (uint32_t k = w->outer; k < w->form->parallel; k++)
        results *= extent_of(w->p, w->form->extents[k]);
    if (st->scan)
        c->along += w->moves->prefix * w->steps * vectors(w);
    else if (st->reduce)
        c->along += w->moves->join * results;
}

static void weigh_nest(fuser *f, const loop_form *form, uint32_t outer, costs *c)
{
    weighing w = {.p = f->p,
                  .moves = &f->target->moves,
                  .form = form,
                  .outer = outer,
                  .steps = 1,
                  .extent = 1};
    access_list list = {0};
    w.lanes = f->target->vector_bytes / 4;
    w.row = form_symbol(f->p, form, outer - 1);
    w.row_lanes = extent_of(f->p, form->extents[outer - 1]);
    if (w.row_lanes > w.lanes) w.row_lanes = w.lanes;
    for (uint32_t k = outer; k + 1 < form->count; k++) w.steps *= extent_of(f->p, form->extents[k]);
    if (form->count > outer) {
        w.inner = form_symbol(f->p, form, form->count - 1);
        w.extent = extent_of(f->p, form->extents[form->count - 1]);
        c->along += w.moves->start * w.steps;
    }
    form_accesses(f->p, form, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++) weigh_access(&w, list.at[i].index, c);
    for (uint32_t i = 0; i < form->store_count; i++) weigh_store(&w, &form->stores[i], c);
}

/* A store that an order of the rows may change. */
static bool has_ordered_store(loop_program *p, const loop_form *form)
{
    for (uint32_t i = 0; i < form->store_count; i++)
        if (form->stores[i].mode != LOOP_SET ||
            sym_has_kind(p->symbols, form->stores[i].index, SYM_INDIRECT))
            return true;
    return false;
}

/* Groups without a reduction are cut along their inner loop too, so rows must be many, and inner
 * loops less than a vector. */
static bool may_go_across(fuser *f, const work_group *g, uint32_t outer)
{
    const loop_form *first = &g->phases.at[0].forms.at[0];
    double rows = extent_of(f->p, first->extents[outer - 1]), lanes = f->target->vector_bytes / 4;
    if (g->has_reduction) return rows >= FEW_ROWS;
    if (g->kind != SCHED_KERNEL || rows < lanes || first->count != outer + 1) return false;
    if (extent_of(f->p, first->extents[outer]) >= lanes) return false;
    for (uint32_t i = 0; i < g->phases.at[0].forms.count; i++)
        if (has_ordered_store(f->p, &g->phases.at[0].forms.at[i])) return false;
    return true;
}

sched_vector choose_direction(fuser *f, const work_group *g, uint32_t outer)
{
    costs c = {0, 0};
    bool loops = false;
    if (outer == 0) return SCHED_VECTOR_INNER;
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++) {
            const loop_form *form = &g->phases.at[ph].forms.at[i];
            loops |= form->count > outer;
            weigh_nest(f, form, outer, &c);
        }
    if (g->has_reduction && !loops) return SCHED_VECTOR_OUTER;
    return may_go_across(f, g, outer) && c.across < c.along ? SCHED_VECTOR_OUTER
                                                            : SCHED_VECTOR_INNER;
}
