/* control.c -- subgraphs in the program that calls them, and cond.
 *
 * A subgraph is lowered into the program that calls it, between control ops. What it reads is given
 * memory before the region begins, so that nothing of the program's is computed in a region that may
 * not run; what it gives is copied to buffers that the region names. A subgraph that is called in
 * two places is lowered twice, with symbols of its own for what it defines each time.
 */
#include "lower/control.h"

#include <string.h>

/* ---- numbers ---- */

static bool is_number(const fx_arg *a)
{
    fx_value_kind kind = a->kind == FX_ARG_NODE ? a->node->value.kind : FX_NO_VALUE;
    return a->kind == FX_ARG_INT || a->kind == FX_ARG_BOOL || kind == FX_INT || kind == FX_BOOL;
}

/* A number is a tensor of rank 0. */
static fe_status as_tensor(lowering *l, const fx_arg *a, lower_tensor *out)
{
    bool is_bool =
        a->kind == FX_ARG_BOOL || (a->kind == FX_ARG_NODE && a->node->value.kind == FX_BOOL);
    ty_dtype d = is_bool ? TY_BOOL : TY_I64;
    if (!fx_arg_tensor(a) && !is_number(a))
        return lower_fail(l, "what a subgraph reads or gives is neither a tensor nor an integer");
    *out = fx_arg_tensor(a) ? lower_tensor_of(l, a)
                            : lower_value(l, d, 0, NULL, lower_scalar(l, a, d));
    return FE_OK;
}

/* ---- operands ---- */

fe_status control_operands(lowering *l, const fx_arg *a, control_list *out)
{
    lower_tensor none = {0};
    if (a->kind == FX_ARG_LIST) {
        for (uint32_t k = 0; k < a->list.count; k++)
            FE_TRY(control_operands(l, &a->list.items[k], out));
        return FE_OK;
    }
    bool is_node = a->kind == FX_ARG_NODE, is_computed = is_node && lower_is_computed(l, a->node);
    bool is_number = a->kind == FX_ARG_INT || is_computed ||
                     (is_node && (a->node->value.kind == FX_INT || a->node->value.kind == FX_BOOL));
    if (!fx_arg_tensor(a) && !is_number)
        return lower_fail(l, "a subgraph's operand is neither a tensor nor an integer");
    if (is_computed)
        vec_push(l->memory, out, l->results[a->node->id].items[0]);
    else
        vec_push(l->memory, out, fx_arg_tensor(a) ? lower_tensor_of(l, a) : none);
    return FE_OK;
}

fe_status control_carried(lowering *l, const fx_arg *a, control_list *out)
{
    if (a->kind != FX_ARG_LIST) {
        lower_tensor one = {0};
        FE_TRY(as_tensor(l, a, &one));
        vec_push(l->memory, out, one);
        return FE_OK;
    }
    for (uint32_t k = 0; k < a->list.count; k++) FE_TRY(control_carried(l, &a->list.items[k], out));
    return FE_OK;
}

void control_give_memory(lowering *l, const control_list *operands)
{
    for (uint32_t k = 0; k < operands->count; k++)
        if (!lower_absent(operands->at[k])) lower_realise(l, operands->at[k].box, NULL);
}

loop_op *control_add(lowering *l, loop_control which)
{
    loop_op *op = loop_add_op(l->program, LOOP_CONTROL);
    op->control = which;
    op->origin = lower_origin(l);
    lower_note_last_op(l);
    return op;
}

void control_set_outputs(lowering *l, loop_op *op, const control_list *buffers)
{
    op->output_count = buffers->count;
    op->outputs = NEW_ARRAY(l->memory, loop_view, buffers->count);
    for (uint32_t k = 0; k < buffers->count; k++)
        op->outputs[k] = loop_view_of(l->program, buffers->at[k].box->view.buffer);
}

/* ---- subgraphs ---- */

fx_graph *control_graph(const fx_node *n, uint32_t k)
{
    return k < n->arg_count && n->args[k].kind == FX_ARG_GRAPH ? n->args[k].graph : NULL;
}

void control_end_scope(lowering *l, uint32_t begin)
{
    for (uint32_t k = begin; k < l->program->ops.count; k++) {
        const loop_op *op = &l->program->ops.at[k];
        if (op->kind != LOOP_DEFINE) continue;
        map_remove(&l->defined, op->symbol.id);
        map_set(l->memory, &l->spent, op->symbol.id, 1);
    }
}

typedef struct spent_search {
    lowering *l;
    VEC(sym_expr) found;
} spent_search;

static void look_for_spent(void *data, sym_expr symbol)
{
    spent_search *s = data;
    if (map_get(&s->l->spent, symbol.id) == MAP_NONE) return;
    if (map_get(&s->l->defined, symbol.id) != MAP_NONE) return;
    for (uint32_t k = 0; k < s->found.count; k++)
        if (sym_same(s->found.at[k], symbol)) return;
    vec_push(s->l->memory, &s->found, symbol);
}

static void look_for_spent_in(void *data, sym_expr *e)
{
    sym_each_symbol(((spent_search *)data)->l->symbols, *e, look_for_spent, data);
}

/* What an earlier lowering has defined gets another symbol: each is defined once in a program. */
static fx_graph *with_fresh_symbols(lowering *l, fx_graph *sub)
{
    spent_search s = {.l = l};
    fx_each_expr(sub, look_for_spent_in, &s);
    if (!s.found.count) return sub;
    fx_graph *copy = fx_clone(sub, l->memory);
    sym_expr *to = NEW_ARRAY(l->memory, sym_expr, s.found.count);
    for (uint32_t k = 0; k < s.found.count; k++) {
        int64_t min, max;
        sym_range(l->symbols, s.found.at[k], NULL, &min, &max);
        to[k] = lower_new_symbol(l, min, max);
    }
    fx_rename_symbols(copy, s.found.at, to, s.found.count);
    return copy;
}

static fe_status bind_operand(lowering *l, const fx_node *input, lower_tensor *operand)
{
    sym_expr symbol = {0};
    if (input->value.kind == FX_INT || input->value.kind == FX_BOOL)
        symbol = lower_open_symbol(l, input->value.expr);
    if (!lower_absent(*operand))
        l->results[input->id] = (lower_result){.present = true, .count = 1, .items = operand};
    if (sym_is_none(symbol)) return FE_OK;
    if (lower_absent(*operand))
        return lower_fail(l, "nothing says what the number %s is", sym_name(l->symbols, symbol));
    lower_define(l, input->value.expr, *operand);
    return FE_OK;
}

fe_status control_body(lowering *l, fx_graph *sub, const control_list *operands,
                       control_list *results)
{
    lowering inner = *l;
    fe_status status = FE_OK;
    if (operands->count != sub->inputs.count)
        return lower_fail(l, "the subgraph %s takes %u values and is given %u", sub->name,
                          sub->inputs.count, operands->count);
    sub = with_fresh_symbols(l, sub);
    inner.caller = l->caller ? l->caller : l->node;
    inner.path = HASH_MIX(l->path + l->node->id + 1, hash_bytes(sub->name, strlen(sub->name), 0));
    lower_enter(&inner, sub);
    for (uint32_t k = 0; status == FE_OK && k < operands->count; k++)
        status = bind_operand(&inner, sub->inputs.at[k], &operands->at[k]);
    if (status == FE_OK) status = lower_nodes(&inner);
    for (uint32_t k = 0; status == FE_OK && k < sub->output->arg_count; k++) {
        lower_tensor one = {0};
        status = as_tensor(&inner, &sub->output->args[k], &one);
        vec_push(l->memory, results, one);
    }
    l->seed = inner.seed;
    l->extern_made = inner.extern_made;
    l->names = inner.names;
    l->defined = inner.defined;
    l->spent = inner.spent;
    return status;
}

/* ---- results ---- */

void control_store(lowering *l, lower_tensor to, lower_tensor from, sym_expr offset)
{
    const loop_view *view = &to.box->view;
    const sym_expr *strides = view->strides + view->rank - from.rank;
    sym_expr *sizes = lower_sizes_copy(l, from.sizes, from.rank);
    for (uint32_t k = 0; k < from.rank; k++) /* one element at several places is stored once */
        if (lower_is_zero(l, strides[k])) sizes[k] = sym_min(l->symbols, sizes[k], l->one);
    loop_op *op = lower_nest(l, from.rank, sizes, 0, NULL);
    sym_expr index = lower_flat(l, l->axes, strides, from.rank);
    lower_store(l, op,
                (loop_store){.buffer = view->buffer,
                             .index = sym_add(l->symbols, offset, index),
                             .value = lower_here(l, from)});
}

fe_status control_check_result(lowering *l, lower_tensor from, uint32_t rank, const sym_expr *sizes,
                               ty_dtype dtype)
{
    bool same = from.rank == rank && lower_dtype(from) == dtype;
    for (uint32_t k = 0; same && k < rank; k++) {
        bool is_late = lower_has_unbacked(l, from.sizes[k]) || lower_has_unbacked(l, sizes[k]);
        same = is_late || sym_known_equal(l->symbols, from.sizes[k], sizes[k]);
        if (is_late) lower_require_equal(l, from.sizes[k], sizes[k]);
    }
    return same ? FE_OK : lower_fail(l, "a subgraph's result is not as large as its call's");
}

uint32_t control_result_count(const fx_node *n)
{
    return n->value.kind == FX_TUPLE ? n->value.count : 1;
}

static const fx_value *result_value(const fx_node *n, uint32_t k)
{
    return n->value.kind == FX_TUPLE ? &n->value.items[k] : &n->value;
}

fe_status control_add_result(lowering *l, uint32_t k, control_list *out)
{
    if (k >= control_result_count(l->node))
        return lower_fail(l, "it gives %u results, and carries more",
                          control_result_count(l->node));
    const fx_value *v = result_value(l->node, k);
    if (v->kind == FX_INT || v->kind == FX_BOOL) {
        ty_dtype d = v->kind == FX_INT ? TY_I64 : TY_BOOL;
        vec_push(l->memory, out, lower_temp_tensor(l, d, 0, NULL, NULL));
        return FE_OK;
    }
    if (v->kind != FX_TENSOR)
        return lower_fail(l, "result %u is neither a tensor nor an integer", k);
    const ty_tensor *meta = v->tensor;
    for (uint32_t d = 0; d < meta->rank; d++) {
        sym_expr open = lower_open_symbol(l, meta->sizes[d]);
        if (!sym_is_none(open))
            return lower_fail(l, "the size %s of result %u is decided within the subgraph",
                              sym_name(l->symbols, open), k);
    }
    vec_push(l->memory, out,
             lower_temp_tensor(l, meta->dtype, meta->rank, meta->sizes, meta->strides));
    return FE_OK;
}

void control_define_results(lowering *l, const control_list *results)
{
    for (uint32_t k = 0; k < results->count; k++) {
        const fx_value *v = result_value(l->node, k);
        bool is_open = (v->kind == FX_INT || v->kind == FX_BOOL) && lower_is_open(l, v->expr);
        if (is_open) lower_define(l, v->expr, results->at[k]);
    }
}

/* ---- tests ---- */

fe_status control_test_tensor(lowering *l, lower_tensor t, control_test *out)
{
    int64_t count;
    if (!sym_is_int(l->symbols, lower_numel(l, t), &count) || count != 1)
        return lower_fail(l, "what decides between subgraphs is not a single value");
    sym_expr at[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < t.rank; k++) at[k] = l->zero;
    loop_value v = lower_at(l, t, at);
    if (lower_dtype(t) != TY_BOOL)
        v = lower_op2(l, LOOP_NE, v, loop_const_int(l->program, lower_dtype(t), 0));
    lower_tensor single = lower_value(l, TY_BOOL, 0, NULL, v);
    lower_realise(l, single.box, NULL);
    *out = (control_test){.view = single.box->view};
    return FE_OK;
}

static fe_status test_arg(lowering *l, const fx_arg *a, control_test *out)
{
    *out = (control_test){.view = lower_no_view(l)};
    if (fx_arg_tensor(a)) return control_test_tensor(l, lower_tensor_of(l, a), out);
    if (a->kind == FX_ARG_NODE && lower_is_computed(l, a->node))
        return control_test_tensor(l, l->results[a->node->id].items[0], out);
    bool has_expr = a->kind == FX_ARG_NODE && is_number(a) && !sym_is_none(a->node->value.expr);
    if (a->kind == FX_ARG_BOOL)
        out->predicate = lower_const(l, a->boolean);
    else if (has_expr)
        out->predicate = a->node->value.expr;
    else
        return lower_fail(l, "what decides between subgraphs has no value");
    return FE_OK;
}

void control_set_test(lowering *l, loop_op *op, const control_test *t)
{
    op->expr = t->predicate;
    if (t->view.buffer == LOOP_NO_BUFFER) return;
    op->inputs = arena_copy(l->memory, &t->view, sizeof t->view);
    op->input_count = 1;
}

static loop_value test_value(lowering *l, const control_test *t)
{
    if (t->view.buffer != LOOP_NO_BUFFER) return lower_at(l, lower_viewed(l, t->view), NULL);
    return loop_cast(l->program, TY_BOOL, loop_index(l->program, t->predicate));
}

/* ---- cond ---- */

/* The size that the arm gives dimension d of result k; none: it is not known before the arm runs. */
static sym_expr size_in_arm(lowering *l, const fx_graph *arm, uint32_t k, uint32_t d)
{
    const ty_tensor *t = k < arm->output->arg_count ? fx_arg_tensor(&arm->output->args[k]) : NULL;
    sym_expr none = {0};
    if (!t || d >= t->rank || lower_is_open(l, t->sizes[d])) return none;
    return t->sizes[d];
}

/* Arms whose results differ in size: the size is one or the other, as the test says. */
static void define_sizes(lowering *l, fx_graph *const *arms, const control_test *test, uint32_t k)
{
    const fx_value *v = result_value(l->node, k);
    loop_program *p = l->program;
    for (uint32_t d = 0; v->kind == FX_TENSOR && d < v->tensor->rank; d++) {
        sym_expr size = v->tensor->sizes[d];
        sym_expr first = size_in_arm(l, arms[0], k, d), second = size_in_arm(l, arms[1], k, d);
        if (!lower_is_open(l, size) || sym_is_none(first) || sym_is_none(second)) continue;
        if (sym_same(first, second)) {
            lower_define_expr(l, size, first);
            continue;
        }
        loop_value either =
            loop_where(p, test_value(l, test), loop_index(p, first), loop_index(p, second));
        lower_define(l, size, lower_value(l, TY_I64, 0, NULL, either));
    }
}

static fe_status lower_arm(lowering *l, fx_graph *sub, const control_list *operands,
                           const control_list *to)
{
    control_list from = {0};
    uint32_t begin = l->program->ops.count;
    FE_TRY(control_body(l, sub, operands, &from));
    if (to->count != from.count)
        return lower_fail(l, "a subgraph gives %u results, not %u", from.count, to->count);
    for (uint32_t k = 0; k < to->count; k++) {
        const lower_box *box = to->at[k].box;
        FE_TRY(control_check_result(l, from.at[k], box->rank, box->sizes, box->dtype));
        control_store(l, to->at[k], from.at[k], l->zero);
    }
    control_end_scope(l, begin);
    return FE_OK;
}

/* A size of a result that only the arms know. */
typedef struct arm_size {
    uint32_t result, dim;
    sym_expr size;
} arm_size;
typedef VEC(arm_size) arm_sizes;

static void find_open_sizes(lowering *l, arm_sizes *out)
{
    for (uint32_t k = 0; k < control_result_count(l->node); k++) {
        const fx_value *v = result_value(l->node, k);
        for (uint32_t d = 0; v->kind == FX_TENSOR && d < v->tensor->rank; d++)
            if (lower_is_open(l, v->tensor->sizes[d]))
                vec_push(l->memory, out, (arm_size){k, d, v->tensor->sizes[d]});
    }
}

static fe_status store_sizes(lowering *l, fx_graph *sub, const control_list *operands,
                             const arm_sizes *sizes, const control_list *to)
{
    control_list from = {0};
    uint32_t begin = l->program->ops.count;
    FE_TRY(control_body(l, sub, operands, &from));
    for (uint32_t k = 0; k < sizes->count; k++) {
        const arm_size *s = &sizes->at[k];
        if (s->result >= from.count || s->dim >= from.at[s->result].rank)
            return lower_fail(l, "a subgraph's result is not as large as its call's");
        loop_value size = loop_index(l->program, from.at[s->result].sizes[s->dim]);
        control_store(l, to->at[k], lower_value(l, TY_I64, 0, NULL, size), l->zero);
    }
    control_end_scope(l, begin);
    return FE_OK;
}

/* Sizes that the taken arm decides are needed before the results have memory: the arms run ahead for
 * what their sizes hang on, the rest of which nobody reads there. */
static fe_status ask_arms(lowering *l, fx_graph *const *arms, const control_list *operands,
                          const control_test *test)
{
    arm_sizes sizes = {0};
    control_list to = {0};
    find_open_sizes(l, &sizes);
    if (!sizes.count) return FE_OK;
    for (uint32_t k = 0; k < sizes.count; k++)
        vec_push(l->memory, &to, lower_temp_tensor(l, TY_I64, 0, NULL, NULL));
    loop_op *begin = control_add(l, LOOP_IF);
    control_set_test(l, begin, test);
    control_set_outputs(l, begin, &to);
    FE_TRY(store_sizes(l, arms[0], operands, &sizes, &to));
    control_add(l, LOOP_ELSE);
    FE_TRY(store_sizes(l, arms[1], operands, &sizes, &to));
    control_add(l, LOOP_END);
    for (uint32_t k = 0; k < sizes.count; k++) lower_define(l, sizes.at[k].size, to.at[k]);
    return FE_OK;
}

/* cond(predicate, true graph, false graph, operands) */
fe_status lower_op_cond(lowering *l, fx_node *n, const lower_row *row)
{
    control_list operands = {0}, results = {0};
    fx_graph *arms[] = {control_graph(n, 1), control_graph(n, 2)};
    control_test test;
    (void)row;
    if (!arms[0] || !arms[1]) return lower_fail(l, "a branch is no graph");
    for (uint32_t k = 3; k < n->arg_count; k++) FE_TRY(control_operands(l, &n->args[k], &operands));
    control_give_memory(l, &operands);
    FE_TRY(test_arg(l, &n->args[0], &test));
    for (uint32_t k = 0; k < control_result_count(n); k++) define_sizes(l, arms, &test, k);
    FE_TRY(ask_arms(l, arms, &operands, &test));
    for (uint32_t k = 0; k < control_result_count(n); k++)
        FE_TRY(control_add_result(l, k, &results));
    loop_op *begin = control_add(l, LOOP_IF);
    control_set_test(l, begin, &test);
    control_set_outputs(l, begin, &results);
    FE_TRY(lower_arm(l, arms[0], &operands, &results));
    control_add(l, LOOP_ELSE);
    FE_TRY(lower_arm(l, arms[1], &operands, &results));
    control_add(l, LOOP_END);
    control_define_results(l, &results);
    return lower_give_items(l, results.at, results.count);
}
