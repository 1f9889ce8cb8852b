/* dce.c -- removes calls that nobody reads, that have no effect, and that give no size. Inputs stay: they
 * are the program's signature. */
#include "pass/pass_priv.h"

fe_status pass_dce(fx_graph *g, bool *changed)
{
    for (fx_node *n = g->last, *prev; n; n = prev) {
        prev = n->prev;
        if (n->kind != FX_CALL || n->users.count || pass_has_effect(n) || pass_gives_size(g, n))
            continue;
        fx_erase(g, n);
        *changed = true;
    }
    return FE_OK;
}
