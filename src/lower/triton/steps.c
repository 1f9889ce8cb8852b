/* steps.c -- loops whose steps depend on each other. Short ones are unrolled. The others repeat a region of
 * the program: all program instances take a step together, and what they hand on is in memory; one whose
 * loop has ended keeps what it has, as its loads and stores are masked.
 */
#include "lower/triton/loop.h"
#include "lower/triton/region.h"

/* ---- unrolled ---- */

static fe_status take_step(triton_loop *loop, int64_t step, triton_value *values)
{
    triton *t = loop->t;
    sym_expr at = lower_const(t->l, step);
    triton_begin_step(loop, at);
    for (uint32_t k = 0; k < loop->carried_count; k++)
        t->values[loop->body->arguments[k + 1]] = values[k];
    FE_TRY(triton_run(t, loop->body));
    t->op = loop->op;
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        triton_value next = triton_made(t, loop->yield->operands[k]);
        if (loop->is_ragged)
            FE_TRY(triton_choose(t, triton_is_taken(loop, at), next, values[k], &values[k]));
        else
            values[k] = next;
    }
    return FE_OK;
}

static fe_status run_unrolled(triton_loop *loop, int64_t count)
{
    triton *t = loop->t;
    triton_value values[TRITON_MOST_CARRIED], around = t->condition;
    for (uint32_t k = 0; k < loop->carried_count; k++) values[k] = triton_initial(loop, k);
    for (int64_t step = 0; step < count; step++) {
        loop_value is_taken = triton_is_taken(loop, lower_const(t->l, step));
        if (loop->is_ragged) t->condition = triton_condition_of(t, is_taken);
        FE_TRY(take_step(loop, step, values));
        t->condition = around;
    }
    for (uint32_t k = 0; k < loop->carried_count; k++) triton_set(t, loop->op, k, values[k]);
    return FE_OK;
}

/* ---- repeated ---- */

/* Is value k in memory between the steps? */
static bool is_held(const triton_loop *loop, uint32_t k)
{
    return loop->carried[k].how != TRITON_KEPT && loop->carried[k].how != TRITON_COUNTED;
}

static fe_status repeat_step(triton_loop *loop, sym_expr step, const control_list *held)
{
    triton *t = loop->t;
    control_list next = {0};
    loop_value is_taken = triton_is_taken(loop, step);
    if (loop->is_ragged) t->condition = triton_condition_of(t, is_taken);
    triton_begin_step(loop, step);
    for (uint32_t k = 0, h = 0; k < loop->carried_count; k++)
        if (is_held(loop, k))
            t->values[loop->body->arguments[k + 1]] =
                (triton_value){.t = held->at[h++],
                               .argument = t->values[loop->op->operands[k + 3]].argument,
                               .loops = t->loops};
    FE_TRY(triton_run_what(loop, true, true));
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        if (!is_held(loop, k)) continue;
        const triton_value before = t->values[loop->body->arguments[k + 1]];
        triton_value after = triton_made(t, loop->yield->operands[k]);
        if (after.argument != before.argument)
            return triton_fail(t, "pointers to different tensors");
        if (loop->is_ragged) FE_TRY(triton_choose(t, is_taken, after, before, &after));
        vec_push(t->l->memory, &next, triton_as_carried(t, after));
    }
    return control_carry_on(t->l, held, &next);
}

static fe_status run_repeated(triton_loop *loop)
{
    triton *t = loop->t;
    control_list held = {0};
    triton_region region;
    sym_expr step;
    FE_TRY(triton_run_what(loop, false, false));
    for (uint32_t k = 0; k < loop->carried_count; k++)
        if (is_held(loop, k))
            vec_push(t->l->memory, &held,
                     triton_begin_carried(t, loop->op->result + k, triton_initial(loop, k)));
    FE_TRY(triton_enter(t, loop->op, &region));
    uint32_t begin = control_begin_repeat(t->l, loop->most, &step);
    FE_TRY(repeat_step(loop, step, &held));
    control_end_repeat(t->l, begin);
    triton_leave(&region);
    for (uint32_t k = 0, h = 0; k < loop->carried_count; k++) {
        triton_value v = triton_initial(loop, k);
        if (is_held(loop, k)) v.t = held.at[h++];
        if (loop->carried[k].how == TRITON_COUNTED) v = triton_counted_up(loop, k);
        triton_set(t, loop->op, k, v);
    }
    return FE_OK;
}

/* ---- which of both ---- */

static uint32_t count_ops(const ttir_block *block)
{
    uint32_t count = block->ops.count;
    for (uint32_t k = 0; k < block->ops.count; k++)
        for (uint32_t r = 0; r < block->ops.at[k].region_count; r++)
            count += count_ops(&block->ops.at[k].regions[r]);
    return count;
}

fe_status triton_run_steps(triton_loop *loop)
{
    enum { MOST_STEPS = 64, MOST_OPS = 1024 };
    int64_t count;
    bool is_short = sym_is_int(loop->t->s, loop->most, &count) && count <= MOST_STEPS &&
                    count * count_ops(loop->body) <= MOST_OPS;
    return is_short ? run_unrolled(loop, count) : run_repeated(loop);
}
