/* join.c -- how a loop nest joins a group: the same loops, the same rows, windows over a row, or behind an
 * operator. Each cuts the loops of both to what is common.
 */
#include "sched/join.h"

#include <string.h>

/* A group must leave this many outer iterations to share among threads, unless it is small. */
enum { FEW_ROWS = 8, SMALL_WORK = 1 << 15 };
/* Windows over rows: results of a row; bytes of all rows (caches hold less, and apart the loops merge);
 * loads that are looked at. */
enum { LEAST_OF_ROW = 16, LEAST_SAVED = 1 << 20, MAX_WINDOWED = 32 };
/* Rows that are columns: bytes from the first to the last element; of them next to each other. */
enum { MOST_REACH = 16 << 10, LEAST_SIDE_BY_SIDE = 4 };

bool join_find_writer(const work_group *g, loop_buffer_id b, written *out)
{
    for (uint32_t ph = 0; ph < g->phases.count; ph++)
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++) {
            const loop_form *form = &g->phases.at[ph].forms.at[i];
            for (uint32_t k = 0; k < form->store_count; k++)
                if (form->stores[k].buffer == b) {
                    *out = (written){form, &form->stores[k], ph};
                    return true;
                }
        }
    return false;
}

/* ---- cutting to common loops ---- */

/* A copy of the group whose forms are cut to `loops`: the first `count` loops replace those up to
 * `covered` of each form. */
static bool recut(fuser *f, const work_group *g, uint32_t covered, const sym_expr *loops,
                  uint32_t count, work_group *out)
{
    *out = *g;
    out->phases = (__typeof__(out->phases)){0};
    for (uint32_t ph = 0; ph < g->phases.count; ph++) {
        work_phase phase = {0};
        for (uint32_t i = 0; i < g->phases.at[ph].forms.count; i++) {
            const loop_form *form = &g->phases.at[ph].forms.at[i];
            sym_expr all[2 * LOOP_MAX_AXES];
            uint32_t n = 0;
            for (uint32_t k = 0; k < count; k++) all[n++] = loops[k];
            for (uint32_t k = covered; k < form->count; k++) all[n++] = form->extents[k];
            loop_form cut;
            if (!form_split(f->p, form, all, n, f->memory, &cut)) return false;
            vec_push(f->memory, &phase.forms, cut);
        }
        vec_push(f->memory, &out->phases, phase);
    }
    return true;
}

/* Two pointwise bodies over the same elements: one phase, values in registers. */
static sched_reason join_flat(fuser *f, const work_group *g, const loop_form *n, work_group *out)
{
    const loop_form *first = &g->phases.at[0].forms.at[0];
    sym_expr loops[LOOP_MAX_AXES];
    uint32_t pieces_g, pieces_n;
    int count = form_common(f->p, first->extents, first->count, n->extents, n->count, loops,
                            &pieces_g, &pieces_n);
    if (count < 0 || pieces_g != (uint32_t)count || pieces_n != (uint32_t)count)
        return SCHED_NOT_SAME_OUTER;
    loop_form cut;
    if (!recut(f, g, first->count, loops, (uint32_t)count, out) ||
        !form_split(f->p, n, loops, (uint32_t)count, f->memory, &cut))
        return SCHED_NOT_SAME_OUTER;
    access_list list = {0};
    form_accesses(f->p, &cut, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        written w;
        if (list.at[i].is_store || !join_find_writer(out, list.at[i].buffer, &w)) continue;
        if (!legal_same_index(f->p, w.form, w.store->index, &cut, list.at[i].index))
            return SCHED_NOT_SAME_INDEX;
    }
    vec_push(f->memory, &out->phases.at[0].forms, cut);
    return SCHED_FUSED;
}

/* Can n run in the same loops as the phase, reading only what was written at the same index (or by
 * earlier phases)? */
static bool joins_phase(fuser *f, const work_group *g, uint32_t ph, const loop_form *n,
                        loop_form *cut, work_phase *recut_phase)
{
    const work_phase *phase = &g->phases.at[ph];
    const loop_form *first = &phase->forms.at[0];
    sym_expr loops[LOOP_MAX_AXES];
    uint32_t pieces_p, pieces_n;
    int count = form_common(f->p, first->extents, first->count, n->extents, n->count, loops,
                            &pieces_p, &pieces_n);
    if (count < 0 || pieces_p != (uint32_t)count || pieces_n != (uint32_t)count) return false;
    if (!form_split(f->p, n, loops, (uint32_t)count, f->memory, cut)) return false;
    *recut_phase = (work_phase){0};
    for (uint32_t i = 0; i < phase->forms.count; i++) {
        loop_form piece;
        if (!form_split(f->p, &phase->forms.at[i], loops, (uint32_t)count, f->memory, &piece))
            return false;
        vec_push(f->memory, &recut_phase->forms, piece);
        bool both_reduce = !join_is_flat(&piece) && !join_is_flat(cut);
        if (both_reduce && piece.parallel != cut->parallel) return false;
    }
    access_list list = {0};
    form_accesses(f->p, cut, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.at[i].is_store) continue;
        for (uint32_t j = 0; j < recut_phase->forms.count; j++) {
            const loop_form *writer = &recut_phase->forms.at[j];
            for (uint32_t k = 0; k < writer->store_count; k++) {
                if (writer->stores[k].buffer != list.at[i].buffer) continue;
                if (writer->stores[k].reduce && !writer->stores[k].scan) return false;
                if (!legal_same_index(f->p, writer, writer->stores[k].index, cut, list.at[i].index))
                    return false;
            }
        }
    }
    return true;
}

static bool too_few_rows(fuser *f, const work_group *g, const loop_form *n)
{
    double rows = 1, work = 1;
    for (uint32_t k = 0; k < n->count; k++) {
        double extent = (double)sym_usual(f->p->symbols, n->extents[k]);
        if (k < g->outer) rows *= extent;
        work *= extent;
    }
    return rows < FEW_ROWS && work > SMALL_WORK;
}

/* What n reads of the group was written in the same iteration of its outer loops. */
static bool reads_own_rows(fuser *f, const work_group *g, const loop_form *n)
{
    access_list list = {0};
    form_accesses(f->p, n, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        written w;
        if (list.at[i].is_store || !join_find_writer(g, list.at[i].buffer, &w)) continue;
        if (!legal_same_row(f->p, w.form, w.store->index, n, list.at[i].index, g->outer))
            return false;
    }
    return true;
}

/* Under shared outer loops: into the last phase when the loops and indices agree, else as a phase
 * of its own. */
static sched_reason join_rows(fuser *f, const work_group *g, const loop_form *n, work_group *out)
{
    const loop_form *first = &g->phases.at[0].forms.at[0];
    sym_expr loops[LOOP_MAX_AXES];
    uint32_t pieces_g, pieces_n;
    uint32_t outer_g = g->has_reduction ? g->outer : first->count;
    int count = form_common(f->p, first->extents, outer_g, n->extents, n->parallel, loops,
                            &pieces_g, &pieces_n);
    if (count < 0) return SCHED_NOT_SAME_OUTER;
    uint32_t outer = g->has_reduction ? pieces_g : pieces_n; /* loops that must be common */
    if (g->has_reduction ? pieces_n < pieces_g : pieces_g < pieces_n) return SCHED_NOT_SAME_OUTER;
    if (!recut(f, g, outer_g, loops, pieces_g, out)) return SCHED_NOT_SAME_OUTER;
    sym_expr all[2 * LOOP_MAX_AXES];
    uint32_t total = 0;
    for (uint32_t k = 0; k < pieces_n; k++) all[total++] = loops[k];
    for (uint32_t k = n->parallel; k < n->count; k++) all[total++] = n->extents[k];
    loop_form cut;
    if (!form_split(f->p, n, all, total, f->memory, &cut)) return SCHED_NOT_SAME_OUTER;
    out->outer = outer;
    out->has_reduction = true;
    if (too_few_rows(f, out, &cut)) return SCHED_FEW_ROWS;

    if (!reads_own_rows(f, out, &cut)) return SCHED_NOT_SAME_INDEX;
    uint32_t last = out->phases.count - 1;
    loop_form joined;
    work_phase joined_phase;
    if (joins_phase(f, out, last, &cut, &joined, &joined_phase)) {
        out->phases.at[last] = joined_phase;
        vec_push(f->memory, &out->phases.at[last].forms, joined);
    } else {
        work_phase phase = {0};
        vec_push(f->memory, &phase.forms, cut);
        vec_push(f->memory, &out->phases, phase);
    }
    return SCHED_FUSED;
}

/* ---- windows ---- */

typedef struct window_search {
    fuser *f;
    const work_group *g;
    const loop_node *seen[MAX_WINDOWED];
    uint32_t seen_count;
    bool found;
} window_search;

static void look_for_window(void *data, loop_value v)
{
    window_search *s = data;
    const loop_node *n = loop_at(s->f->p, v);
    written w;
    if (n->op != LOOP_LOAD || !join_find_writer(s->g, n->buffer, &w)) return;
    for (uint32_t i = 0; i < s->seen_count; i++)
        if (s->seen[i]->buffer == n->buffer && !sym_same(s->seen[i]->index, n->index))
            s->found = true;
    if (s->seen_count < MAX_WINDOWED) s->seen[s->seen_count++] = n;
}

/* Does n read what the group writes at several places each time? */
static bool reads_windows(fuser *f, const work_group *g, const loop_form *n)
{
    window_search s = {.f = f, .g = g};
    for (uint32_t k = 0; k < n->store_count; k++)
        loop_each_store_node(f->p, &n->stores[k], look_for_window, &s);
    return s.found;
}

static int64_t elements(const loop_program *p, const sym_expr *extents, uint32_t count)
{
    int64_t all = 1, extent;
    for (uint32_t k = 0; k < count; k++)
        if (!sym_is_int(p->symbols, extents[k], &extent) ||
            __builtin_mul_overflow(all, extent, &all))
            return -1;
    return all;
}

/* Under `outer` loops that both have, what is left of the group and of n apart from each other. */
static sched_reason join_under(fuser *f, const work_group *g, const loop_form *n,
                               const form_prefix *common, work_group *out)
{
    const loop_form *first = &g->phases.at[0].forms.at[0];
    int64_t item = ty_dtype_size(f->p->buffers.at[first->stores[0].buffer].dtype);
    int64_t row = elements(f->p, common->rest_a, common->rest_a_count);
    int64_t results = elements(f->p, common->rest_b, common->rest_b_count);
    if (row < 0 || row * item > f->target->limits.tile_bytes || results < LEAST_OF_ROW)
        return SCHED_NOT_SAME_OUTER;
    double all = (double)item;
    for (uint32_t k = 0; k < first->count; k++)
        all *= (double)sym_usual(f->p->symbols, first->extents[k]);
    if (all < LEAST_SAVED) return SCHED_SHORT;
    sym_expr loops[2 * LOOP_MAX_AXES];
    uint32_t count = common->count;
    memcpy(loops, common->loops, count * sizeof *loops);
    memcpy(loops + count, common->rest_a, common->rest_a_count * sizeof *loops);
    if (!recut(f, g, first->count, loops, count + common->rest_a_count, out))
        return SCHED_NOT_SAME_OUTER;
    memcpy(loops + count, common->rest_b, common->rest_b_count * sizeof *loops);
    loop_form cut;
    if (!form_split(f->p, n, loops, count + common->rest_b_count, f->memory, &cut))
        return SCHED_NOT_SAME_OUTER;
    out->outer = count;
    out->has_reduction = true; /* its loops inside are not all parallel to each other */
    if (too_few_rows(f, out, &cut)) return SCHED_FEW_ROWS;
    if (!reads_own_rows(f, out, &cut)) return SCHED_NOT_SAME_INDEX;
    work_phase phase = {0};
    vec_push(f->memory, &phase.forms, cut);
    vec_push(f->memory, &out->phases, phase);
    return SCHED_FUSED;
}

/* Windows over rows that the group has just written, each row long enough for lanes and short enough for a
 * tile: it need not go through memory. Where several loops are common, as many as can be. On devices an
 * element of a row has a work-item of its own. */
static sched_reason join_windows(fuser *f, const work_group *g, const loop_form *n, work_group *out)
{
    const loop_form *first = &g->phases.at[0].forms.at[0];
    sched_reason reason = SCHED_NOT_SAME_OUTER;
    form_prefix common;
    if (f->p->buffers.at[first->stores[0].buffer].device.kind != TY_CPU) return reason;
    for (uint32_t most = LOOP_MAX_AXES; reason != SCHED_FUSED; most = common.count - 1) {
        form_common_prefix(f->p, first, n, most, &common);
        if (common.count == 0) return reason;
        reason = join_under(f, g, n, &common, out);
    }
    return reason;
}

/* ---- epilogues ---- */

static sched_reason join_epilogue(fuser *f, const work_group *g, const loop_form *n,
                                  work_group *out)
{
    const loop_op *op = &f->p->ops.at[g->ops.at[0]];
    sym_expr target[2], stride, loops[LOOP_MAX_AXES];
    uint32_t pieces_t, pieces_n;
    if (!loop_can(op, LOOP_EPILOGUE) || !join_is_flat(n) ||
        !legal_output_rows(f->p, op, &target[0], &target[1], &stride))
        return SCHED_NOT_NEST;
    bool one_row = sym_same(target[0], sym_int(f->p->symbols, 1));
    int count = form_common(f->p, one_row ? target + 1 : target, one_row ? 1 : 2, n->extents,
                            n->count, loops, &pieces_t, &pieces_n);
    if (count < 1 || pieces_t != (uint32_t)count || pieces_n != (uint32_t)count ||
        !sym_same(loops[count - 1], target[1]))
        return SCHED_NOT_SAME_OUTER;
    loop_form cut;
    if (!form_split(f->p, n, loops, (uint32_t)count, f->memory, &cut)) return SCHED_NOT_SAME_OUTER;
    *out = *g;
    if (g->phases.count) {
        const loop_form *first = &g->phases.at[0].forms.at[0];
        sym_expr common[LOOP_MAX_AXES];
        int both = form_common(f->p, first->extents, first->count, cut.extents, cut.count, common,
                               &pieces_t, &pieces_n);
        if (both < 1 || !sym_same(common[both - 1], target[1])) return SCHED_NOT_SAME_OUTER;
        loop_form again;
        if (!recut(f, g, first->count, common, (uint32_t)both, out) ||
            !form_split(f->p, &cut, common, (uint32_t)both, f->memory, &again))
            return SCHED_NOT_SAME_OUTER;
        cut = again;
    } else {
        out->phases = (__typeof__(out->phases)){0};
        vec_push(f->memory, &out->phases, (work_phase){0});
    }
    access_list list = {0};
    form_accesses(f->p, &cut, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        written w;
        if (list.at[i].is_store && !legal_keeps_to_part(f->p, &cut, list.at[i].index))
            return SCHED_NOT_SAME_INDEX;
        if (list.at[i].is_store) continue;
        if (list.at[i].buffer == op->outputs[0].buffer &&
            !legal_own_element(f->p, op, &cut, list.at[i].index, stride))
            return SCHED_NOT_SAME_INDEX;
        if (join_find_writer(out, list.at[i].buffer, &w) &&
            !legal_same_index(f->p, w.form, w.store->index, &cut, list.at[i].index))
            return SCHED_NOT_SAME_INDEX;
        for (uint32_t k = 1; k < op->output_count; k++)
            if (op->outputs[k].buffer == list.at[i].buffer) return SCHED_NOT_SAME_INDEX;
    }
    vec_push(f->memory, &out->phases.at[0].forms, cut);
    return SCHED_FUSED;
}

/* ---- rows that are columns of n ---- */

/* n with the loops outermost that tell which of the group's rows it reads, as a softmax along a dimension in
 * the middle has them last. Returns how many these are. */
static uint32_t turn_to_rows(fuser *f, const work_group *g, loop_form *n)
{
    access_list list = {0};
    uint32_t order[LOOP_MAX_AXES], count = 0, telling;
    bool tells[LOOP_MAX_AXES] = {false};
    form_accesses(f->p, n, f->memory, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        written w;
        if (list.at[i].is_store || !join_find_writer(g, list.at[i].buffer, &w)) continue;
        if (join_is_flat(w.form)) continue;
        for (uint32_t k = 0; k < n->parallel; k++)
            tells[k] |= sym_contains(f->p->symbols, list.at[i].index, form_symbol(f->p, n, k));
    }
    for (uint32_t k = 0; k < n->parallel; k++)
        if (tells[k]) order[count++] = k;
    telling = count;
    for (uint32_t k = 0; k < n->count; k++)
        if (k >= n->parallel || !tells[k]) order[count++] = k;
    form_reorder(f->p, n, order, f->memory);
    return telling;
}

/* Bytes from the first to the last element that the loops from `from` on store; -1: only the run knows. */
static int64_t reach_of(fuser *f, const loop_form *n, uint32_t from)
{
    int64_t reach = 0, extent, step;
    for (uint32_t k = from; k < n->count; k++) {
        sym_expr stride, rest;
        if (!sym_linear_in(f->p->symbols, n->stores[0].index, form_symbol(f->p, n, k), &stride,
                           &rest) ||
            !sym_is_int(f->p->symbols, stride, &step) ||
            !sym_is_int(f->p->symbols, n->extents[k], &extent))
            return -1;
        reach += (step < 0 ? -step : step) * (extent - 1);
    }
    return reach * (int64_t)ty_dtype_size(f->p->buffers.at[n->stores[0].buffer].dtype);
}

/* Lines of memory hold elements of several rows, so rows must lie close enough that lines are still in the
 * cache when the next rows come, and columns far apart are all in one set of it. On devices an element of a
 * row has a work-item of its own. */
static sched_reason join_columns(fuser *f, const work_group *g, const loop_form *n, work_group *out)
{
    if (f->p->buffers.at[n->stores[0].buffer].device.kind != TY_CPU) return SCHED_NOT_SAME_OUTER;
    loop_form turned = *n;
    uint32_t rows = turn_to_rows(f, g, &turned);
    int64_t reach = reach_of(f, &turned, rows);
    if (reach < 0 || reach > MOST_REACH || rows == 0) return SCHED_NOT_SAME_OUTER;
    if (sym_usual(f->p->symbols, turned.extents[rows - 1]) < LEAST_SIDE_BY_SIDE)
        return SCHED_NOT_SAME_OUTER;
    return join_rows(f, g, &turned, out);
}

/* ---- the search ---- */

sched_reason join_loops(fuser *f, const work_group *group, const loop_form *n, work_group *out)
{
    if (group->kind == SCHED_EXTERN) return join_epilogue(f, group, n, out);
    if (!group->has_reduction && join_is_flat(n)) {
        sched_reason reason = join_flat(f, group, n, out);
        return reason != SCHED_FUSED && reads_windows(f, group, n) ? join_windows(f, group, n, out)
                                                                   : reason;
    }
    sched_reason reason = join_rows(f, group, n, out);
    bool may_turn = reason == SCHED_NOT_SAME_OUTER && group->has_reduction && join_is_flat(n);
    return may_turn ? join_columns(f, group, n, out) : reason;
}
