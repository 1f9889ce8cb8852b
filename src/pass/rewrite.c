/* rewrite.c -- tables of rewrites over a graph, and what becomes of a rewrite that changes more than
 * it may. */
#include "pass/match.h"

fx_node *rewrite_call(rewriting *r, op_id op, uint32_t count, const fx_arg *args)
{
    fx_node *made = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind == FX_ARG_NODE && !args[i].node) return NULL;
    if (r->status == FE_OK) r->status = pass_emit(r->g, r->root, op, r->root, count, args, &made);
    return r->status == FE_OK ? made : NULL;
}

fx_node *rewrite_node(const rewriting *r, const char *name)
{
    return match_named(r->m, name);
}

const ty_tensor *rewrite_tensor(const rewriting *r, const char *name)
{
    const fx_node *n = rewrite_node(r, name);
    return n ? fx_tensor(n) : NULL;
}

bool rewrite_int(const rewriting *r, const char *name, int64_t *out)
{
    const fx_arg *a = match_arg(r->m, name);
    return a && fx_arg_int(r->g, a, out);
}

bool rewrite_number(const rewriting *r, const char *name, double *out)
{
    const fx_arg *a = match_arg(r->m, name);
    return a && fx_arg_number(r->g, a, out);
}

bool rewrite_dim(const rewriting *r, const char *name, uint32_t rank, uint32_t *out)
{
    int64_t dim;
    if (!rewrite_int(r, name, &dim)) return false;
    if (dim < 0) dim += rank;
    *out = (uint32_t)dim;
    return dim >= 0 && dim < (int64_t)rank;
}

bool rewrite_turns(const rewriting *r, const fx_node *n)
{
    const ty_tensor *t = fx_tensor(n);
    int64_t a, b;
    sym_expr order[2];
    if (!t || t->rank != 2) return false;
    if (fx_is(n, OP_aten_t_default) || fx_is(n, OP_aten_numpy_T_default) ||
        fx_is(n, OP_aten_mT_default))
        return true;
    if (fx_is(n, OP_aten_transpose_int))
        return fx_arg_int(r->g, &n->args[1], &a) && fx_arg_int(r->g, &n->args[2], &b) &&
               (a + 2) % 2 != (b + 2) % 2;
    return fx_arg_ints(r->g, &n->args[1], order, 2) == 2 &&
           sym_is_int(r->g->symbols, order[0], &a) && (a == 1 || a == -1);
}

/* ---- the runner ---- */

/* What a rule emitted and nobody reads, back to the node that stood before it. */
static void erase_unread(fx_graph *g, fx_node *from, const fx_node *before)
{
    for (fx_node *n = from, *prev; n && n != before; n = prev) {
        prev = n->prev;
        if (n->kind == FX_CALL && !n->users.count && !pass_has_effect(n)) fx_erase(g, n);
    }
}

/* May the value stand where the root stood? `first`: the first storage number that the rule gave. */
static bool is_equal_value(fx_graph *g, const fx_node *was, const fx_node *now, uint32_t first)
{
    const ty_tensor *a = fx_tensor(was), *b = fx_tensor(now);
    if (!a || !b) return infer_same_value(g, &was->value, &now->value, NULL);
    if (!ty_known_same_layout(g->symbols, a, b)) return false;
    return a->storage == b->storage || b->storage >= first || !pass_leaves(g, was);
}

static fe_status try_rule(fx_graph *g, const rewrite_rule *rule, const match *m, void *data,
                          fx_node **n)
{
    fx_node *root = *n, *before = root->prev;
    uint32_t first = g->next_storage;
    rewriting r = {.g = g, .root = root, .m = m, .data = data};
    *n = NULL;
    fx_node *now = rule->apply(&r);
    FE_TRY(r.status);
    if (now && now != root) pass_bind(g, root, now);
    bool fits = now && now != root &&
                (is_equal_value(g, root, now, first) || (r.may_relay && !pass_leaves(g, root)));
    if (fits) {
        fx_replace_uses(g, root, now);
        fx_erase(g, root);
        *n = now;
        return FE_OK;
    }
    erase_unread(g, root->prev, before);
    return FE_OK;
}

typedef struct compiled {
    const rewrite_rule *rules;
    match_pattern **patterns;
    uint32_t count;
    void *data;
} compiled;

/* The first rule that applies to the node; *n: what stands in its place, NULL when none does. */
static fe_status try_rules(fx_graph *g, const compiled *c, fx_node **n)
{
    fx_node *root = *n;
    *n = NULL;
    for (uint32_t i = 0; i < c->count && !*n; i++) {
        match m;
        if (!match_node(g, c->patterns[i], root, &m)) continue;
        *n = root;
        FE_TRY(try_rule(g, &c->rules[i], &m, c->data, n));
    }
    return FE_OK;
}

fe_status rewrite_run(fx_graph *g, const rewrite_rule *rules, uint32_t count, void *data,
                      bool *changed)
{
    enum { MOST_TIMES = 16 }; /* that rules are tried on what they made of one node */
    arena *memory = arena_new(g->session);
    compiled c = {rules, NEW_ARRAY(memory, match_pattern *, count + 1), count, data};
    fe_status status = FE_OK;
    for (uint32_t i = 0; i < count; i++) c.patterns[i] = match_compile(g, memory, rules[i].pattern);
    for (fx_node *n = g->first, *next; n && status == FE_OK; n = next) {
        next = n->next;
        for (int times = 0; n && n->kind == FX_CALL && times < MOST_TIMES; times++) {
            status = try_rules(g, &c, &n);
            if (status != FE_OK || !n) break;
            *changed = true;
        }
    }
    arena_free(memory);
    return status;
}
