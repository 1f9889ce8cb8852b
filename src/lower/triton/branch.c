/* branch.c -- branches and labels of a kernel: both sides of a branch are computed, and loads and stores in
 * it are masked by its condition. So it is with labels, which a kernel that returns early has: what stands
 * behind one runs where a branch has led to it.
 */
#include "lower/triton/triton.h"

enum { MOST_VALUES = 32 };

triton_value triton_condition_of(triton *t, loop_value v)
{
    if (t->condition.t.box)
        v = loop_binary(t->p, LOOP_AND, lower_at(t->l, t->condition.t, t->l->axes), v);
    return (triton_value){.t = lower_value(t->l, TY_BOOL, t->lead_count, t->lead, v),
                          .loops = t->loops};
}

fe_status triton_choose(triton *t, loop_value condition, triton_value a, triton_value b,
                        triton_value *out)
{
    if (a.argument != b.argument) return triton_fail(t, "pointers to different tensors");
    ty_dtype d = a.argument ? TY_I64 : lower_dtype(a.t);
    loop_value v = loop_where(t->p, condition, loop_cast(t->p, d, lower_here(t->l, a.t)),
                              loop_cast(t->p, d, lower_here(t->l, b.t)));
    *out = (triton_value){.t = lower_value(t->l, d, a.t.rank, a.t.sizes, v),
                          .argument = a.argument,
                          .loops = t->loops};
    return FE_OK;
}

triton_value triton_made(triton *t, ttir_value v)
{
    return (triton_value){
        .t = triton_tensor(t, v), .argument = t->values[v].argument, .loops = t->loops};
}

/* ---- branches ---- */

static fe_status run_side(triton *t, const ttir_op *op, uint32_t side, loop_value condition,
                          triton_value *values)
{
    if (side >= op->region_count)
        return op->result_count ? triton_fail(t, "without the other side") : FE_OK;
    triton_value around = t->condition;
    const ttir_block *body = &op->regions[side];
    const ttir_op *yield = body->ops.count ? &vec_last(&body->ops) : NULL;
    t->condition = triton_condition_of(t, condition);
    FE_TRY(triton_run(t, body));
    t->condition = around;
    t->op = op;
    if (op->result_count && (!yield || yield->operand_count != op->result_count))
        return triton_fail(t, "its values");
    for (uint32_t k = 0; k < op->result_count; k++) values[k] = triton_made(t, yield->operands[k]);
    return FE_OK;
}

fe_status triton_if(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    triton_value sides[2][MOST_VALUES];
    if (op->result_count > MOST_VALUES) return triton_fail(t, "more than %d values", MOST_VALUES);
    loop_value condition = triton_here(t, op, 0);
    FE_TRY(run_side(t, op, 0, condition, sides[0]));
    FE_TRY(run_side(t, op, 1, loop_unary(t->p, LOOP_NOT, condition), sides[1]));
    for (uint32_t k = 0; k < op->result_count; k++) {
        triton_value v;
        FE_TRY(triton_choose(t, condition, sides[0][k], sides[1][k], &v));
        triton_set(t, op, k, v);
    }
    return FE_OK;
}

/* ---- labels ---- */

/* A comparison of numbers the other way round, so that it can be understood as others are. */
static loop_value negated(triton *t, loop_value v)
{
    const loop_node *n = loop_at(t->p, v);
    bool orders = n->op == LOOP_LT || n->op == LOOP_LE;
    if (!orders || sym_is_none(triton_expr(t, n->args[0])) ||
        sym_is_none(triton_expr(t, n->args[1])))
        return loop_unary(t->p, LOOP_NOT, v);
    return loop_binary(t->p, n->op == LOOP_LT ? LOOP_LE : LOOP_LT, n->args[1], n->args[0]);
}

static void add_edge(triton *t, const ttir_op *op, uint32_t target, uint32_t first,
                     loop_value condition)
{
    triton_edge edge = {.label = op->words[target], .condition = condition};
    edge.count = (uint32_t)ttir_find(op, "counts")->integers[target];
    edge.values = NEW_ARRAY(t->l->memory, triton_value, edge.count + 1);
    for (uint32_t k = 0; k < edge.count; k++)
        edge.values[k] = triton_made(t, op->operands[first + k]);
    if (t->condition.t.box)
        edge.condition =
            loop_binary(t->p, LOOP_AND, lower_at(t->l, t->condition.t, t->l->axes), condition);
    vec_push(t->l->memory, &t->edges, edge);
}

fe_status triton_branch(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    if (op->word_count == 1) {
        add_edge(t, op, 0, 0, loop_const_int(t->p, TY_BOOL, 1));
        return FE_OK;
    }
    loop_value condition = triton_here(t, op, 0);
    add_edge(t, op, 0, 1, condition);
    add_edge(t, op, 1, 1 + (uint32_t)ttir_find(op, "counts")->integers[0], negated(t, condition));
    return FE_OK;
}

/* Does one of both always hold? */
static bool are_opposite(triton *t, loop_value a, loop_value b)
{
    return negated(t, a).id == b.id || negated(t, b).id == a.id;
}

/* Where any of the ways that lead here is taken. */
fe_status triton_label(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    const ttir_block *label = &op->regions[0];
    loop_value any = loop_const_int(t->p, TY_BOOL, 0);
    uint32_t ways = 0;
    for (uint32_t k = 0; k < t->edges.count; k++) {
        const triton_edge *edge = &t->edges.at[k];
        if (edge->label != op->words[0]) continue;
        if (edge->count != label->argument_count)
            return triton_fail(t, "with another number of values");
        for (uint32_t i = 0; i < edge->count; i++) {
            triton_value *value = &t->values[label->arguments[i]];
            if (ways)
                FE_TRY(triton_choose(t, edge->condition, edge->values[i], *value, value));
            else
                *value = edge->values[i];
        }
        bool always = ways == 1 && are_opposite(t, any, edge->condition);
        any = always ? loop_const_int(t->p, TY_BOOL, 1)
                     : loop_binary(t->p, LOOP_OR, any, edge->condition);
        ways++;
    }
    if (!ways) return triton_fail(t, "that only branches from behind it lead to");
    const loop_node *n = loop_at(t->p, any);
    t->condition = (triton_value){0};
    if (n->op != LOOP_CONST || !n->integer) t->condition = triton_condition_of(t, any);
    return FE_OK;
}
