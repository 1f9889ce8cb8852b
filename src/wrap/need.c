/* need.c -- what the threads of a context have to themselves to work in, and law W12: operators have what
 * they state.
 */
#include "wrap/wrap_priv.h"

wrap_need wrap_need_of(const wrap_program *w)
{
    wrap_need need = {0};
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        int64_t least, most;
        if (line->kind != WRAP_EXTERN || line->op->callee) continue;
        loop_need of = loop_need_of(w->loops, line->op);
        sym_range(w->loops->symbols, of.each, NULL, &least, &most);
        bool is_known = least == most || (w->is_bounded && most <= PLAN_MOST_BYTES);
        need.grows |= of.is_open || !is_known;
        if (is_known && most > need.each) need.each = most;
    }
    return need;
}

static const char *check_call(const wrap_program *w, const wrap_line *line)
{
    const loop_view *work = loop_work_of(w->loops, line->op);
    const char *fault = loop_work_fault(w->loops, line->op);
    int64_t bytes = 0;
    if (fault || line->op->callee) return fault;
    if (work) {
        const sched_life *life = &w->lives[work->buffer];
        return life->in_arena && life->root == work->buffer && life->death == life->birth + 1
                   ? NULL
                   : "what an operator works in lives for its line alone, in memory of its own";
    }
    bool needs_none =
        sym_is_int(w->loops->symbols, loop_need_of(w->loops, line->op).shared, &bytes) &&
        bytes <= 0;
    return needs_none ? NULL : "an operator has nothing to work in";
}

const char *wrap_check_needs(const wrap_program *w, uint32_t *line, const char **name)
{
    *name = "";
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *at = &w->lines.at[i];
        *line = i + 1;
        const char *fault = at->kind == WRAP_EXTERN ? check_call(w, at) : NULL;
        *name = fault ? at->op->kernel : "";
        if (fault) return fault;
    }
    wrap_need need = wrap_need_of(w);
    return need.each == w->each_bytes && need.grows == w->each_grows
               ? NULL
               : "threads have other areas than operators state";
}
