/* repeat.c -- operators that run a subgraph again and again: while_loop, scan, map.
 *
 * What is carried from step to step has memory of its own, which begins as the operands and is what
 * the operator gives in the end.
 */
#include "lower/control.h"

/* ---- what is carried from step to step ---- */

static bool is_whole_temp(lowering *l, lower_tensor t, const control_list *carried)
{
    if (!t.box->realised || l->program->buffers.at[t.box->view.buffer].kind != LOOP_TEMP)
        return false;
    for (uint32_t k = 0; k < carried->count; k++)
        if (carried->at[k].box->view.buffer == t.box->view.buffer) return false;
    return true;
}

fe_status control_carry_on(lowering *l, const control_list *carried, control_list *next)
{
    for (uint32_t k = 0; k < next->count; k++) {
        bool stays = next->at[k].box == carried->at[k].box && !next->at[k].map;
        if (!stays && !is_whole_temp(l, next->at[k], carried))
            next->at[k] = lower_copied(l, next->at[k], NULL);
    }
    for (uint32_t k = 0; k < next->count; k++) {
        const lower_box *box = carried->at[k].box;
        FE_TRY(control_check_result(l, next->at[k], box->rank, box->sizes, box->dtype));
        if (next->at[k].box != box) control_store(l, carried->at[k], next->at[k], l->zero);
    }
    return FE_OK;
}

/* What is carried keeps its size; result k may have a name of its own for it. */
static void know_sizes(lowering *l, uint32_t k, lower_tensor first)
{
    const ty_tensor *meta = lower_meta(l, k);
    for (uint32_t d = 0; meta && meta->rank == first.rank && d < meta->rank; d++)
        if (lower_is_open(l, meta->sizes[d])) lower_define_expr(l, meta->sizes[d], first.sizes[d]);
}

/* Buffers for the carried values, which begin as the node's operands. */
static fe_status begin_carried(lowering *l, const control_list *first, control_list *carried)
{
    for (uint32_t k = 0; k < first->count; k++) {
        know_sizes(l, k, first->at[k]);
        FE_TRY(control_add_result(l, k, carried));
        const lower_box *box = carried->at[k].box;
        FE_TRY(control_check_result(l, first->at[k], box->rank, box->sizes, box->dtype));
        control_store(l, carried->at[k], first->at[k], l->zero);
    }
    return FE_OK;
}

static void append(lowering *l, control_list *to, const control_list *from)
{
    for (uint32_t k = 0; k < from->count; k++) vec_push(l->memory, to, from->at[k]);
}

/* while_loop(condition graph, body graph, carried, additional) */
fe_status lower_op_while(lowering *l, fx_node *n, const lower_row *row)
{
    control_list first = {0}, operands = {0}, carried = {0}, holds = {0}, next = {0};
    fx_graph *condition = control_graph(n, 0), *body = control_graph(n, 1);
    control_test test = {.view = lower_no_view(l)};
    (void)row;
    if (!condition || !body || n->arg_count < 3)
        return lower_fail(l, "a loop without condition or body");
    FE_TRY(control_carried(l, &n->args[2], &first));
    FE_TRY(begin_carried(l, &first, &carried));
    append(l, &operands, &carried);
    for (uint32_t k = 3; k < n->arg_count; k++) FE_TRY(control_operands(l, &n->args[k], &operands));
    control_give_memory(l, &operands);
    uint32_t begin = l->program->ops.count;
    lower_begin_turns(l);
    control_add(l, LOOP_REPEAT);
    FE_TRY(control_body(l, condition, &operands, &holds));
    if (holds.count != 1) return lower_fail(l, "a loop's condition gives %u values", holds.count);
    FE_TRY(control_test_tensor(l, holds.at[0], &test));
    control_set_test(l, control_add(l, LOOP_WHILE), &test);
    FE_TRY(control_body(l, body, &operands, &next));
    if (next.count != carried.count)
        return lower_fail(l, "a loop's body gives %u values, not %u", next.count, carried.count);
    FE_TRY(control_carry_on(l, &carried, &next));
    lower_next_turn(l);
    control_add(l, LOOP_END);
    lower_end_turns(l, begin);
    control_end_scope(l, begin);
    control_define_results(l, &carried);
    return lower_give_items(l, carried.at, carried.count);
}

/* ---- row by row ---- */

/* A symbol for the number of the step. */
static sym_expr new_step(lowering *l, sym_expr count)
{
    int64_t most;
    bool is_number = sym_is_int(l->symbols, count, &most);
    sym_expr step = lower_new_symbol(l, 0, is_number && most > 0 ? most - 1 : SYM_NO_MAX);
    map_set(l->memory, &l->defined, step.id, 1);
    return step;
}

uint32_t control_begin_repeat(lowering *l, sym_expr count, sym_expr *step)
{
    uint32_t at = l->program->ops.count;
    lower_begin_turns(l);
    *step = new_step(l, count);
    loop_op *begin = control_add(l, LOOP_REPEAT);
    begin->ints = arena_copy(l->memory, &count, sizeof count);
    begin->symbol = *step;
    begin->int_count = 1;
    return at;
}

void control_end_repeat(lowering *l, uint32_t begin)
{
    lower_next_turn(l);
    control_add(l, LOOP_END);
    lower_end_turns(l, begin);
    control_end_scope(l, begin);
}

static fe_status check_walked(lowering *l, const control_list *walked)
{
    if (walked->count == 0 || lower_absent(walked->at[0]) || walked->at[0].rank == 0)
        return lower_fail(l, "there is nothing to walk over");
    for (uint32_t k = 1; k < walked->count; k++)
        if (lower_absent(walked->at[k]) || walked->at[k].rank == 0)
            return lower_fail(l, "a number is walked over");
    return FE_OK;
}

static fe_status store_rows(lowering *l, const control_list *stacked, const lower_tensor *rows,
                            sym_expr step)
{
    for (uint32_t k = 0; k < stacked->count; k++) {
        const lower_box *box = stacked->at[k].box;
        FE_TRY(control_check_result(l, rows[k], box->rank - 1, box->sizes + 1, box->dtype));
        control_store(l, stacked->at[k], rows[k], sym_mul(l->symbols, step, box->view.strides[0]));
    }
    return FE_OK;
}

/* The graph for each row of what is walked over: carried values and rows in, carried values and rows
 * out. */
static fe_status walk(lowering *l, fx_node *n, fx_graph *body, const control_list *first,
                      const control_list *walked, const control_list *additional)
{
    control_list carried = {0}, stacked = {0}, operands = {0}, made = {0};
    sym_expr step = {0};
    if (!body) return lower_fail(l, "the body is no graph");
    FE_TRY(begin_carried(l, first, &carried));
    for (uint32_t k = carried.count; k < control_result_count(n); k++)
        FE_TRY(control_add_result(l, k, &stacked));
    control_give_memory(l, walked);
    control_give_memory(l, additional);
    FE_TRY(check_walked(l, walked));
    if (lower_is_zero(l, walked->at[0].sizes[0])) {
        append(l, &carried, &stacked);
        control_define_results(l, &carried);
        return lower_give_items(l, carried.at, carried.count);
    }
    uint32_t begin = control_begin_repeat(l, walked->at[0].sizes[0], &step);
    control_set_outputs(l, &l->program->ops.at[begin], &stacked);
    append(l, &operands, &carried);
    for (uint32_t k = 0; k < walked->count; k++)
        vec_push(l->memory, &operands, lower_select(l, walked->at[k], 0, step));
    append(l, &operands, additional);
    FE_TRY(control_body(l, body, &operands, &made));
    if (made.count != carried.count + stacked.count)
        return lower_fail(l, "the body gives %u values, not %u", made.count,
                          carried.count + stacked.count);
    FE_TRY(store_rows(l, &stacked, made.at + carried.count, step));
    made.count = carried.count;
    FE_TRY(control_carry_on(l, &carried, &made));
    control_end_repeat(l, begin);
    append(l, &carried, &stacked);
    control_define_results(l, &carried);
    return lower_give_items(l, carried.at, carried.count);
}

/* scan(body graph, carried, walked, additional) */
fe_status lower_op_scan(lowering *l, fx_node *n, const lower_row *row)
{
    control_list first = {0}, walked = {0}, additional = {0};
    (void)row;
    if (n->arg_count < 3) return lower_fail(l, "a scan lacks its operands");
    FE_TRY(control_carried(l, &n->args[1], &first));
    FE_TRY(control_operands(l, &n->args[2], &walked));
    for (uint32_t k = 3; k < n->arg_count; k++)
        FE_TRY(control_operands(l, &n->args[k], &additional));
    return walk(l, n, control_graph(n, 0), &first, &walked, &additional);
}

/* map_impl(body graph, walked, additional) */
fe_status lower_op_map(lowering *l, fx_node *n, const lower_row *row)
{
    control_list none = {0}, walked = {0}, additional = {0};
    (void)row;
    if (n->arg_count < 2) return lower_fail(l, "a map lacks its operands");
    FE_TRY(control_operands(l, &n->args[1], &walked));
    for (uint32_t k = 2; k < n->arg_count; k++)
        FE_TRY(control_operands(l, &n->args[k], &additional));
    return walk(l, n, control_graph(n, 0), &none, &walked, &additional);
}
