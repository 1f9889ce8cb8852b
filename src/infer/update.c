/* update.c -- metadata after changes: what they reach is computed again, as far as anything differs.
 *
 * One walk in order. A node is computed again when it is stale, when metadata that it reads has
 * changed, or when the results of a subgraph that it calls have; its readers only if something that
 * a reader can see differs. The alias class counts as such, and is kept where the result is as fresh
 * as it was, so that a change of values alone stops at once.
 */
#include "infer/infer_priv.h"

typedef struct update {
    fx_graph *g;
    arena *memory;
    bool *is_dirty; /* by id: something that the node reads has changed */
    map older;      /* alias classes of the nodes walked past */
    uint32_t recomputed;
    bool is_deep;        /* stale nodes and subgraphs too */
    bool reaches_output; /* something that the graph returns has changed */
} update;

/* ---- alias classes of values that are computed again ---- */

static bool holds_storage(const fx_value *v, uint32_t storage)
{
    if (v->kind == FX_TENSOR) return v->tensor->storage == storage;
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++)
        if (holds_storage(&v->items[i], storage)) return true;
    return false;
}

/* Did the storage come from a node before n? older: those that did, or NULL. */
static bool is_older(const fx_node *n, const map *older, uint32_t storage)
{
    if (older) return map_get(older, storage) != MAP_NONE;
    for (const fx_node *b = n->prev; b; b = b->prev)
        if (holds_storage(&b->value, storage)) return true;
    return false;
}

/* A result that is as fresh as it was keeps its number. */
static void keep_numbers(const fx_node *n, const map *older, const fx_value *was, fx_value *now,
                         uint32_t first_new)
{
    if (was->kind != now->kind) return;
    if (now->kind == FX_TENSOR && now->tensor->storage >= first_new && was->tensor->storage &&
        !is_older(n, older, was->tensor->storage))
        now->tensor->storage = was->tensor->storage;
    for (uint32_t i = 0; now->kind == FX_TUPLE && i < now->count && i < was->count; i++)
        keep_numbers(n, older, &was->items[i], &now->items[i], first_new);
}

static fe_status compute_again(fx_graph *g, fx_node *n, const map *older)
{
    fx_value now;
    uint32_t first_new = g->next_storage;
    FE_TRY(infer_compute(g, n, false, &now));
    keep_numbers(n, older, &n->value, &now, first_new);
    n->value = now;
    n->is_stale = false;
    return FE_OK;
}

fe_status infer_node(fx_graph *g, fx_node *n)
{
    return n->kind == FX_CALL ? compute_again(g, n, NULL) : FE_OK;
}

static void note_storages(update *u, const fx_value *v)
{
    if (v->kind == FX_TENSOR) map_set(u->memory, &u->older, v->tensor->storage, 1);
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) note_storages(u, &v->items[i]);
}

static bool same_storages(const fx_value *a, const fx_value *b)
{
    if (a->kind == FX_TENSOR) return a->tensor->storage == b->tensor->storage;
    for (uint32_t i = 0; a->kind == FX_TUPLE && i < a->count; i++)
        if (!same_storages(&a->items[i], &b->items[i])) return false;
    return true;
}

/* ---- the walk ---- */

static fe_status walk(update *u, fx_node *from);

static fe_status refresh(fx_graph *g, arena *memory, uint32_t *recomputed, bool *reaches_output)
{
    update u = {.g = g, .memory = memory, .is_deep = true};
    u.is_dirty = NEW_ARRAY(memory, bool, g->next_id + 1);
    infer_number_inputs(g);
    fe_status status = walk(&u, g->first);
    *recomputed += u.recomputed;
    *reaches_output = u.reaches_output;
    return status;
}

/* Of an operand that has changed its strides alone enter the branches: dtype and sizes are what these
 * were made for, and the body of a loop gives its own values back to itself. */
static void enter_strides(const update *u, const fx_node *n, fx_graph *sub)
{
    if (!fx_is(n, OP_higher_order_cond) || n->args[3].kind != FX_ARG_LIST) return;
    for (uint32_t i = 0; i < n->args[3].list.count && i < sub->inputs.count; i++) {
        fx_node *input = sub->inputs.at[i];
        const ty_tensor *given = fx_arg_tensor(&n->args[3].list.items[i]);
        ty_tensor *taken = fx_tensor(input);
        bool same = given && taken && given->rank == taken->rank && given->dtype == taken->dtype;
        for (uint32_t d = 0; same && d < taken->rank; d++)
            same = sym_known_equal(u->g->symbols, given->sizes[d], taken->sizes[d]);
        if (!same || ty_known_same_layout(u->g->symbols, given, taken)) continue;
        taken = arena_copy(sub->memory, taken, sizeof *taken);
        taken->strides =
            arena_copy(sub->memory, given->strides, taken->rank * sizeof *taken->strides);
        input->value.tensor = taken;
        for (uint32_t k = 0; k < input->users.count; k++) input->users.at[k]->is_stale = true;
    }
}

static fe_status refresh_subgraphs(update *u, fx_node *n)
{
    bool operands_changed = u->is_dirty[n->id] || n->is_stale;
    for (uint32_t i = 0; i < n->arg_count; i++) {
        bool reaches_output;
        if (n->args[i].kind != FX_ARG_GRAPH) continue;
        if (operands_changed) enter_strides(u, n, n->args[i].graph);
        FE_TRY(refresh(n->args[i].graph, u->memory, &u->recomputed, &reaches_output));
        u->is_dirty[n->id] |= reaches_output;
    }
    return FE_OK;
}

static fe_status update_node(update *u, fx_node *n)
{
    if (n->kind == FX_CALL && u->is_deep) FE_TRY(refresh_subgraphs(u, n));
    if (!u->is_dirty[n->id] && !(u->is_deep && n->is_stale)) return FE_OK;
    if (n->kind == FX_OUTPUT) u->reaches_output = true;
    if (n->kind != FX_CALL || infer_keeps_record(n)) {
        n->is_stale = false;
        return FE_OK;
    }
    fx_value was = n->value;
    FE_TRY(compute_again(u->g, n, &u->older));
    u->recomputed++;
    if (infer_same_value(u->g, &was, &n->value, NULL) && same_storages(&was, &n->value))
        return FE_OK;
    for (uint32_t i = 0; i < n->users.count; i++) u->is_dirty[n->users.at[i]->id] = true;
    return FE_OK;
}

static fe_status walk(update *u, fx_node *from)
{
    for (fx_node *n = from; n; n = n->next) {
        FE_TRY(update_node(u, n));
        note_storages(u, &n->value);
    }
    return FE_OK;
}

fe_status infer_refresh(fx_graph *g, uint32_t *recomputed)
{
    uint32_t count = 0;
    bool reaches_output;
    arena *memory = arena_new(g->session);
    fe_status status = refresh(g, memory, &count, &reaches_output);
    arena_free(memory);
    if (recomputed) *recomputed = count;
    return status;
}

fe_status infer_update(fx_graph *g, fx_node *n, uint32_t *recomputed)
{
    update u = {.g = g, .memory = arena_new(g->session)};
    u.is_dirty = NEW_ARRAY(u.memory, bool, g->next_id + 1);
    u.is_dirty[n->id] = true;
    fe_status status = walk(&u, g->first);
    arena_free(u.memory);
    if (recomputed) *recomputed = u.recomputed;
    return status;
}

/* ---- checking ---- */

/* One alias class of one graph is one of the other. */
typedef struct pairing {
    arena *memory;
    map to, from;
} pairing;

static bool same_class(pairing *p, const fx_value *a, const fx_value *b)
{
    if (a->kind == FX_TENSOR) {
        uint32_t x = a->tensor->storage, y = b->tensor->storage;
        uint32_t to = map_get(&p->to, x), from = map_get(&p->from, y);
        if (to == MAP_NONE && from == MAP_NONE) {
            map_set(p->memory, &p->to, x, y);
            map_set(p->memory, &p->from, y, x);
            return true;
        }
        return to == y && from == x;
    }
    for (uint32_t i = 0; a->kind == FX_TUPLE && i < a->count; i++)
        if (!same_class(p, &a->items[i], &b->items[i])) return false;
    return true;
}

const fx_node *infer_first_untrue(fx_graph *g, const char **why)
{
    pairing p = {.memory = arena_new(g->session)};
    fx_graph *again = fx_clone(g, p.memory);
    const fx_node *found = NULL, *n = g->first, *m = again->first;
    *why = "what infer_graph() cannot find again";
    if (infer_graph(again) != FE_OK) found = g->first;
    for (; n && !found; n = n->next, m = m->next) {
        if (!infer_same_value(g, &n->value, &m->value, why)) found = n;
        if (found || same_class(&p, &n->value, &m->value)) continue;
        *why = "alias class";
        found = n;
    }
    arena_free(p.memory);
    return found;
}
