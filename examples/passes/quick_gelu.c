/* quick_gelu.c - two passes of one's own (ferrite_passes.h). One finds what some programs approximate
 * GELU by, x * sigmoid(1.702 x), and calls gelu instead; the other takes dropout out of programs that
 * were exported for training.
 *
 *     cc -shared -fPIC -Iinclude quick_gelu.c -o libquick_gelu.so
 *     ferrite compile model.pt2 --passes ./libquick_gelu.so -o model.so
 */
#include "ferrite_passes.h"

static int is_number(fe_operand o, double value)
{
    if (o.kind == FE_OPERAND_FLOAT) return o.number == value;
    return o.kind == FE_OPERAND_INT && (double)o.integer == value;
}

/* The node that is an operand of `n`, when it is a call of `target` that nobody else reads. */
static fe_node *own_operand(fe_graph *graph, const fe_graph_calls *c, fe_node *n, uint32_t index,
                            const char *target)
{
    fe_operand o = c->operand(graph, n, index);
    if (o.kind != FE_OPERAND_NODE || !c->is_call(o.node, target)) return NULL;
    return c->user_count(o.node) == 1 ? o.node : NULL;
}

/* x of n = x * sigmoid(x * 1.702), the factors either way round. */
static fe_node *input_of(fe_graph *graph, const fe_graph_calls *c, fe_node *n)
{
    for (uint32_t side = 0; side < 2; side++) {
        fe_node *gate = own_operand(graph, c, n, side, "aten.sigmoid.default");
        fe_node *scaled = gate ? own_operand(graph, c, gate, 0, "aten.mul.Tensor") : NULL;
        fe_operand x = c->operand(graph, n, 1 - side), inner;
        if (!scaled || !is_number(c->operand(graph, scaled, 1), 1.702)) continue;
        inner = c->operand(graph, scaled, 0);
        if (x.kind == FE_OPERAND_NODE && c->same(&x, &inner)) return x.node;
    }
    return NULL;
}

static int to_gelu(fe_graph *graph, const fe_graph_calls *c, void *data)
{
    int changed = 0;
    (void)data;
    for (fe_node *next, *n = c->first(graph); n; n = next) {
        fe_node *x = c->is_call(n, "aten.mul.Tensor") ? input_of(graph, c, n) : NULL;
        next = c->next(n);
        if (!x) continue;
        fe_operand operands[] = {fe_operand_node(x)};
        fe_node *gelu = c->call(graph, n, "aten.gelu.default", operands, 1);
        if (!gelu) return -1;
        c->replace_uses(graph, n, gelu);
        c->erase(graph, n); /* what it was made of goes by itself: nobody reads it */
        changed = 1;
    }
    return changed;
}

static int without_dropout(fe_graph *graph, const fe_graph_calls *c, void *data)
{
    int changed = 0;
    (void)data;
    for (fe_node *next, *n = c->first(graph); n; n = next) {
        next = c->next(n);
        if (!c->is_call(n, "aten.dropout.default")) continue;
        if (c->set_operand(graph, n, 2, fe_operand_bool(0))) return -1;
        changed = 1;
    }
    return changed;
}

static const fe_pass passes[] = {
    {.name = "gelu",
     .what = "x * sigmoid(1.702 x) is gelu",
     .needs = FE_GRAPH_FUNCTIONAL,
     .run = to_gelu},
    {.name = "no_dropout",
     .what = "dropout is that of inference",
     .after = "",
     .run = without_dropout},
};
FE_PASS_LIBRARY(passes)
