/* shift.c - a pass that breaks a program on purpose: relu becomes sigmoid. */
#include "ferrite_passes.h"

static int shift(fe_graph *graph, const fe_graph_calls *c, void *data)
{
    int changed = 0;
    (void)data;
    for (fe_node *next, *n = c->first(graph); n; n = next) {
        next = c->next(n);
        if (!c->is_call(n, "aten.relu.default")) continue;
        fe_operand x = c->operand(graph, n, 0);
        fe_node *made = c->call(graph, n, "aten.sigmoid.default", &x, 1);
        if (!made) return -1;
        c->replace_uses(graph, n, made);
        c->erase(graph, n);
        changed = 1;
    }
    return changed;
}

#ifndef AFTER
#define AFTER 0
#endif
static const fe_pass passes[] = {{.name = "shift", .after = AFTER, .run = shift}};
FE_PASS_LIBRARY(passes)
