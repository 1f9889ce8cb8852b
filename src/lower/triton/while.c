/* while.c -- loops that a condition ends: regions that repeat until no program instance goes on. One that has
 * ended keeps what it has: its loads and stores are masked.
 */
#include "lower/triton/region.h"

typedef struct while_loop {
    triton *t;
    const ttir_op *op;
    const ttir_block *before, *after; /* what decides, and what is done where it goes on */
    const ttir_op *condition, *yield; /* at their ends */
    lower_tensor goes_on;             /* of each program */
    control_list held;                /* what is handed on; then results that are not that */
    uint32_t *result_of;              /* by result: its place there */
} while_loop;

static fe_status check_form(while_loop *w)
{
    const ttir_op *op = w->op;
    if (op->region_count != 2 || !op->regions[0].ops.count || !op->regions[1].ops.count)
        return triton_fail(w->t, "without condition or body");
    w->before = &op->regions[0];
    w->after = &op->regions[1];
    w->condition = &vec_last(&w->before->ops);
    w->yield = &vec_last(&w->after->ops);
    bool fits = w->condition->code == TTIR_CONDITION &&
                w->before->argument_count == op->operand_count &&
                w->condition->operand_count == op->result_count + 1 &&
                w->after->argument_count == op->result_count &&
                (!op->operand_count || w->yield->code == TTIR_YIELD) &&
                (w->yield->code != TTIR_YIELD || w->yield->operand_count == op->operand_count);
    return fits ? FE_OK : triton_fail(w->t, "the values that it hands on");
}

static ttir_value given(const while_loop *w, uint32_t k)
{
    return w->condition->operands[k + 1];
}

/* A result that is what is handed on, as it is, needs no other memory. */
static uint32_t place_of_result(while_loop *w, uint32_t k)
{
    triton *t = w->t;
    sym_expr sizes[LOWER_MAX_RANK];
    const ttir_type *type = triton_type(t, w->op->result + k);
    for (uint32_t i = 0; i < w->before->argument_count; i++)
        if (w->before->arguments[i] == given(w, k)) return i;
    uint32_t rank = triton_sizes(t, type, sizes);
    ty_dtype d = type->is_pointer ? TY_I64 : type->dtype;
    loop_value zero = loop_cast(t->p, d, loop_const_int(t->p, TY_I32, 0));
    triton_value none = {.t = lower_value(t->l, d, rank, sizes, zero), .loops = t->loops};
    vec_push(t->l->memory, &w->held, triton_begin_carried(t, w->op->result + k, none));
    return w->held.count - 1;
}

static void begin_held(while_loop *w)
{
    triton *t = w->t;
    loop_value all = t->condition.t.box ? lower_at(t->l, t->condition.t, t->l->axes)
                                        : loop_const_int(t->p, TY_BOOL, 1);
    lower_tensor first = lower_value(t->l, TY_BOOL, t->lead_count, t->lead, all);
    w->goes_on = lower_temp_tensor(t->l, TY_BOOL, t->lead_count, t->lead, NULL);
    control_store(t->l, w->goes_on, first, t->l->zero);
    for (uint32_t k = 0; k < w->op->operand_count; k++)
        vec_push(
            t->l->memory, &w->held,
            triton_begin_carried(t, w->before->arguments[k], triton_made(t, w->op->operands[k])));
    w->result_of = NEW_ARRAY(t->l->memory, uint32_t, w->op->result_count + 1);
    for (uint32_t k = 0; k < w->op->result_count; k++) w->result_of[k] = place_of_result(w, k);
}

/* Of a pointer: the argument that it leads to, which all steps keep. */
static uint32_t argument_of(const while_loop *w, uint32_t k)
{
    return k < w->op->operand_count ? w->t->values[w->op->operands[k]].argument : 0;
}

/* values[k], where the program goes on, and else what is held at place from + k. */
static fe_status hold(while_loop *w, uint32_t from, const ttir_value *values, uint32_t count)
{
    triton *t = w->t;
    control_list held = {0}, next = {0};
    loop_value goes_on = lower_at(t->l, w->goes_on, t->l->axes);
    for (uint32_t k = 0; k < count; k++) {
        triton_value before = {.t = w->held.at[from + k], .loops = t->loops}, after;
        triton_value value = triton_made(t, values[k]);
        before.argument =
            from + k < w->op->operand_count ? argument_of(w, from + k) : value.argument;
        FE_TRY(triton_choose(t, goes_on, value, before, &after));
        vec_push(t->l->memory, &held, w->held.at[from + k]);
        vec_push(t->l->memory, &next, triton_as_carried(t, after));
    }
    return control_carry_on(t->l, &held, &next);
}

/* Results that are made in front of the condition: what they are when it ends the loop. */
static fe_status hold_results(while_loop *w)
{
    for (uint32_t k = 0; k < w->op->result_count; k++) {
        ttir_value v = given(w, k);
        if (w->result_of[k] >= w->op->operand_count) FE_TRY(hold(w, w->result_of[k], &v, 1));
    }
    return FE_OK;
}

static fe_status decide(while_loop *w)
{
    triton *t = w->t;
    control_list held = {0}, next = {0};
    control_test test;
    ttir_value condition = w->condition->operands[0];
    loop_value more = loop_binary(t->p, LOOP_AND, lower_at(t->l, w->goes_on, t->l->axes),
                                  lower_here(t->l, triton_tensor(t, condition)));
    lower_tensor now = lower_value(t->l, TY_BOOL, t->lead_count, t->lead, more);
    lower_realise(t->l, now.box, NULL);
    FE_TRY(hold_results(w));
    FE_TRY(triton_any(t, now, &test));
    control_set_test(t->l, control_add(t->l, LOOP_WHILE), &test);
    vec_push(t->l->memory, &held, w->goes_on);
    vec_push(t->l->memory, &next, now);
    return control_carry_on(t->l, &held, &next);
}

static fe_status run_turn(while_loop *w)
{
    triton *t = w->t;
    t->condition = (triton_value){.t = w->goes_on, .loops = t->loops};
    for (uint32_t k = 0; k < w->before->argument_count; k++)
        t->values[w->before->arguments[k]] =
            (triton_value){.t = w->held.at[k], .argument = argument_of(w, k), .loops = t->loops};
    FE_TRY(triton_run(t, w->before));
    t->op = w->op;
    FE_TRY(decide(w));
    for (uint32_t k = 0; k < w->after->argument_count; k++)
        t->values[w->after->arguments[k]] = triton_made(t, given(w, k));
    FE_TRY(triton_run(t, w->after));
    t->op = w->op;
    return hold(w, 0, w->yield->operands, w->op->operand_count);
}

fe_status triton_while(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    while_loop w = {.t = t, .op = op};
    triton_region region;
    FE_TRY(check_form(&w));
    begin_held(&w);
    FE_TRY(triton_enter(t, op, &region));
    uint32_t begin = t->l->program->ops.count;
    lower_begin_turns(t->l);
    control_add(t->l, LOOP_REPEAT);
    FE_TRY(run_turn(&w));
    lower_next_turn(t->l);
    control_add(t->l, LOOP_END);
    lower_end_turns(t->l, begin);
    control_end_scope(t->l, begin);
    triton_value *results = NEW_ARRAY(t->l->memory, triton_value, op->result_count + 1);
    for (uint32_t k = 0; k < op->result_count; k++)
        results[k] = (triton_value){.t = w.held.at[w.result_of[k]],
                                    .argument = t->values[given(&w, k)].argument};
    triton_leave(&region);
    for (uint32_t k = 0; k < op->result_count; k++) triton_set(t, op, k, results[k]);
    return FE_OK;
}
