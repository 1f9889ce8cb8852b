/* interp_region.c -- regions of ops as the interpreter runs them. */
#include "loop/interp_priv.h"

/* Past the ops of an arm or of a repeat, none of which runs. */
static void skip_ops(const loop_running *r, uint32_t *at)
{
    uint32_t depth = 0;
    for (; *at < r->p->ops.count; ++*at) {
        const loop_op *op = &r->p->ops.at[*at];
        if (op->kind != LOOP_CONTROL) continue;
        bool ends = op->control == LOOP_END || op->control == LOOP_ELSE;
        if (ends && depth == 0) return;
        depth += op->control == LOOP_IF || op->control == LOOP_REPEAT;
        depth -= op->control == LOOP_END;
    }
}

static bool test(loop_running *r)
{
    const loop_op *op = r->op;
    if (op->input_count == 0) return loop_run_number(r, op->expr) != 0;
    const loop_view *view = &op->inputs[0];
    const void *at = loop_run_element(r, view->buffer, loop_run_number(r, view->offset), "a test");
    return at && loop_scalar_load(TY_BOOL, at).i != 0;
}

static fe_status run_if(loop_running *r, uint32_t *at)
{
    bool first = test(r);
    ++*at;
    if (first) FE_TRY(loop_run_ops(r, at));
    if (!first) skip_ops(r, at);
    ++*at;
    if (!first) return loop_run_ops(r, at);
    skip_ops(r, at);
    return r->status;
}

static fe_status run_repeat(loop_running *r, uint32_t *at)
{
    const loop_op *op = r->op;
    uint32_t begin = *at + 1;
    int64_t count = op->int_count ? loop_run_number(r, op->ints[0]) : INT64_MAX;
    *at = begin;
    skip_ops(r, at);
    for (int64_t k = 0; k < count && r->status == FE_OK && !r->leaves; k++) {
        uint32_t inside = begin;
        if (!sym_is_none(op->symbol)) loop_run_set_symbol(r, op->symbol, k);
        loop_run_ops(r, &inside);
    }
    r->leaves = false;
    return r->status;
}

static fe_status run_control(loop_running *r, uint32_t *at)
{
    for (uint32_t k = 0; k < r->op->output_count; k++)
        FE_TRY(loop_run_allocate(r, r->op->outputs[k].buffer));
    switch (r->op->control) {
    case LOOP_IF: return run_if(r, at);
    case LOOP_REPEAT: return run_repeat(r, at);
    case LOOP_WHILE: r->leaves = !test(r); return r->status;
    case LOOP_PARTITION: return r->status;
    default: return loop_run_fail(r, "a region ends that has not begun");
    }
}

fe_status loop_run_ops(loop_running *r, uint32_t *at)
{
    for (; *at < r->p->ops.count && !r->leaves; ++*at) {
        r->op = &r->p->ops.at[*at];
        if (r->op->kind != LOOP_CONTROL) {
            FE_TRY(loop_run_op(r));
            continue;
        }
        if (r->op->control == LOOP_ELSE || r->op->control == LOOP_END) return r->status;
        FE_TRY(run_control(r, at));
    }
    return r->status;
}
