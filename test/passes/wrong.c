/* wrong.c - passes that do what they may not: number MISTAKE of them. */
#include "ferrite_passes.h"

static fe_node *first_call(fe_graph *graph, const fe_graph_calls *c)
{
    fe_node *n = c->first(graph);
    while (n && c->kind(n) != FE_NODE_CALL) n = c->next(n);
    return n;
}

static int wrong(fe_graph *graph, const fe_graph_calls *c, void *data)
{
    fe_node *n = first_call(graph, c), *made = 0;
    fe_operand x = c->operand(graph, n, 0);
    fe_operand two[] = {x, x};
    (void)data;
    switch (MISTAKE) {
    case 1: /* another dtype */
        made = c->call(graph, n, "aten.isnan.default", &x, 1);
        c->replace_uses(graph, n, made);
        return 1;
    case 2: /* an input for a copy */ c->replace_uses(graph, n, x.node); return 1;
    case 3: /* used before it is there */
        x = fe_operand_node(c->next(n));
        made = c->call(graph, n, "aten.exp.default", &x, 1);
        c->set_operand(graph, n, 0, fe_operand_node(made));
        return 1;
    case 4: /* writes to an operand */
        two[1] = fe_operand_int(1);
        made = c->call(graph, n, "aten.add_.Tensor", two, 2);
        c->replace_uses(graph, n, made);
        return 1;
    case 5: return c->call(graph, n, "aten.frobnicate.default", two, 2) ? 1 : -1;
    case 6:
        two[1] = fe_operand_node(0);
        return c->call(graph, n, "aten.add.Tensor", two, 2) ? 1 : -1;
    case 7: return c->call(graph, n, "aten.mm.default", two, 2) ? 1 : -1;
    case 8: c->fail(graph, "this one will not"); return -1;
    case 9: return c->erase(graph, n) ? 0 : 1; /* it has users: not erased, nothing changed */
    default: break;
    }
    return 0;
}

static const fe_pass passes[] = {
    {.name = MISTAKE == 10 ? "noop" : "wrong",
     .after = MISTAKE == 11   ? "nothing"
              : MISTAKE == 12 ? ""
                              : 0,
     .needs = MISTAKE == 12 ? FE_GRAPH_FUNCTIONAL : 0,
     .breaks = MISTAKE == 13 ? FE_GRAPH_FUNCTIONAL : 0,
     .run = wrong},
};
FE_PASS_LIBRARY(passes)
