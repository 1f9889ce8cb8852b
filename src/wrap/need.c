/* need.c -- law W12: operators have what they state to work in. */
#include "wrap/wrap_priv.h"

static const char *check_call(const wrap_program *w, const wrap_line *line)
{
    const loop_view *work = loop_workspace_of(w->loops, line->op);
    const char *fault = loop_work_fault(w->loops, line->op);
    int64_t bytes = 0;
    if (fault || line->op->callee) return fault;
    if (work) {
        const sched_life *life = &w->storage[work->buffer].life;
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
    const wrap_line *largest;
    if (wrap_scratch_bytes(w, &largest) != w->scratch_bytes)
        return "threads have other scratch than operators state";
    return wrap_check_scratch_sizes(w, line);
}
