/* fold_constants.c -- what is made of constants alone, weights that are cast, masks, tables of
 * positions, is computed once, when the program is compiled.
 *
 * Laws. C1 Weights do not grow: a result takes no more bytes than the constants that go with it, or
 * few. C2 Views stay views, so that their bytes exist once, and so do tensors from nothing (zeros, a
 * ramp): consumers make them of no memory. C3 What is returned stays a value of the program's run.
 * C4 The work is bounded: what the evaluation would take too long for (weights that are standardised, or the
 * product of two) is computed all together, and left to the run where that cannot be. C5 What goes from
 * one class to another (fx_class) stays a value of the run.
 */
#include "pass/pass_priv.h"

#include <string.h>

enum {
    FEW_BYTES = 64 << 10,
    LITTLE_WORK = 1 << 16,     /* elements evaluated for one result, in some ms ... */
    ALL_LITTLE_WORK = 1 << 18, /* ... and for all of a program */
    MOST_WORK = 1 << 20,       /* for one, and for all, where no compiler is at hand */
};
static const int64_t MOST_COMPUTED = INT64_C(1) << 32; /* at once: a second or two */

typedef struct folder {
    fx_graph *g;
    const pass_services *services;
    arena *memory;
    bool *is_constant; /* by node id: computed of constants alone */
    int64_t all_work;
    VEC(fx_node *) late; /* too much to evaluate */
} folder;

/* ---- which values are constants ---- */

typedef struct arg_search {
    const folder *f;
    const fx_node *reader;
    bool all_constant;
} arg_search;

static void check_node(void *data, fx_node *n)
{
    arg_search *s = data;
    s->all_constant &= s->f->is_constant[n->id] && fx_may_join(n, s->reader);
}

/* Numbers in it are numbers, lists of them likewise. */
static bool is_known_arg(const fx_graph *g, const fx_arg *a)
{
    int64_t value;
    if (a->kind == FX_ARG_INT) return sym_is_int(g->symbols, a->expr, &value);
    if (a->kind == FX_ARG_GRAPH || a->kind == FX_ARG_OBJECT) return false;
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        if (!is_known_arg(g, &a->list.items[i])) return false;
    return true;
}

/* -1: the size is not known. */
static int64_t bytes_of(const fx_graph *g, const ty_tensor *t)
{
    int64_t bytes;
    return t && sym_is_int(g->symbols, ty_storage_bytes(g->symbols, t), &bytes) ? bytes : -1;
}

static int64_t numel_of(const fx_graph *g, const ty_tensor *t)
{
    int64_t count;
    return t && sym_is_int(g->symbols, ty_numel(g->symbols, t), &count) ? count : -1;
}

static bool has_known_value(const fx_graph *g, const fx_value *v)
{
    if (v->kind == FX_TENSOR) return bytes_of(g, v->tensor) >= 0 && ty_is_host(v->tensor->device);
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++)
        if (!has_known_value(g, &v->items[i])) return false;
    return v->kind == FX_TUPLE;
}

static bool is_constant(const folder *f, const fx_node *n)
{
    if (n->kind == FX_PLACEHOLDER) return fx_tensor(n) && pass_is_constant(f->g, n);
    if (n->kind != FX_CALL || pass_has_effect(n) || n->op->custom ||
        !has_known_value(f->g, &n->value))
        return false;
    if (n->op->flags & (OPF_RANDOM | OPF_HIGHER_ORDER)) return false;
    arg_search s = {f, n, true};
    for (uint32_t i = 0; i < n->arg_count; i++) {
        if (!is_known_arg(f->g, &n->args[i])) return false;
        fx_arg_each_node(&n->args[i], check_node, &s);
    }
    return s.all_constant;
}

/* ---- what a value is made of ---- */

typedef struct region {
    folder *f;
    VEC(fx_node *) nodes; /* operands first */
    map seen;
    int64_t work, replaced; /* bytes of constants that nothing else reads */
    bool has_data, has_work;
} region;

static bool is_view(const fx_node *n)
{
    const ty_tensor *t = fx_tensor(n), *base = n->arg_count ? fx_arg_tensor(&n->args[0]) : NULL;
    return fx_is(n, OP_operator_getitem) || n->value.kind == FX_TUPLE ||
           (t && base && t->storage == base->storage);
}

/* Elements that are computed for a call's value; of a product, products. */
static int64_t work_of(const fx_graph *g, const fx_node *n)
{
    int64_t most = 0, depth = 1;
    if (is_view(n)) return 0;
    if (fx_tensor(n)) most = numel_of(g, fx_tensor(n));
    for (uint32_t i = 0; i < n->arg_count; i++) {
        int64_t count = numel_of(g, fx_arg_tensor(&n->args[i]));
        if (count > most) most = count;
    }
    const ty_tensor *x = n->arg_count ? fx_arg_tensor(&n->args[0]) : NULL;
    bool is_product = !(n->op->flags & OPF_POINTWISE) && n->arg_count > 1 &&
                      fx_arg_tensor(&n->args[1]) && fx_arg_tensor(&n->args[1])->rank > 1 && x &&
                      x->rank;
    if (is_product && !sym_is_int(g->symbols, x->sizes[x->rank - 1], &depth)) depth = MOST_COMPUTED;
    return most * (depth > 0 ? depth : 1);
}

static bool has_other_readers(const folder *f, const fx_node *n)
{
    for (uint32_t i = 0; i < n->users.count; i++)
        if (!f->is_constant[n->users.at[i]->id]) return true;
    return false;
}

static void collect(void *data, fx_node *n)
{
    region *r = data;
    if (map_get(&r->seen, n->id) != MAP_NONE) return;
    map_set(r->f->memory, &r->seen, n->id, 1);
    for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], collect, r);
    vec_push(r->f->memory, &r->nodes, n);
    if (n->kind == FX_PLACEHOLDER) {
        r->has_data = true;
        if (!has_other_readers(r->f, n)) r->replaced += bytes_of(r->f->g, fx_tensor(n));
        return;
    }
    r->has_work |= !is_view(n) && n->arg_count && r->nodes.count > 1;
    r->work += work_of(r->f->g, n);
}

/* ---- a graph of its own for it ---- */

static fx_arg copy_arg(fx_graph *to, fx_node *const *copies, const fx_arg *a)
{
    fx_arg made = *a;
    if (a->kind == FX_ARG_NODE) made.node = copies[a->node->id];
    if (a->kind == FX_ARG_LIST) {
        made.list.items = NEW_ARRAY(to->memory, fx_arg, a->list.count + 1);
        for (uint32_t i = 0; i < a->list.count; i++)
            made.list.items[i] = copy_arg(to, copies, &a->list.items[i]);
    }
    return made;
}

static fx_graph *graph_of(const region *r, fx_node *const *results, uint32_t count)
{
    const fx_graph *g = r->f->g;
    fx_graph *made = fx_graph_new(g->session, r->f->memory, g->symbols, g->ops, "constants");
    fx_node **copies = NEW_ARRAY(r->f->memory, fx_node *, g->next_id + 1);
    made->is_functional = true;
    made->fills_unwritten = g->fills_unwritten;
    made->next_storage = g->next_storage;
    for (uint32_t i = 0; i < r->nodes.count; i++) {
        const fx_node *n = r->nodes.at[i];
        fx_node *copy;
        if (n->kind == FX_PLACEHOLDER) {
            copy = fx_placeholder(made, FX_CONSTANT, n->name, n->name);
            copy->data = n->data;
        } else {
            fx_arg *args = NEW_ARRAY(r->f->memory, fx_arg, n->arg_count + 1);
            for (uint32_t k = 0; k < n->arg_count; k++)
                args[k] = copy_arg(made, copies, &n->args[k]);
            copy = fx_call(made, NULL, n->op, n->name, args, n->arg_count);
        }
        copy->value = n->value;
        copies[n->id] = copy;
    }
    fx_arg *values = NEW_ARRAY(r->f->memory, fx_arg, count);
    fx_output *outputs = NEW_ARRAY(r->f->memory, fx_output, count);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = fx_of(copies[results[i]->id]);
        outputs[i].kind = FX_USER_OUTPUT;
    }
    fx_set_output(made, values, outputs, count);
    return made;
}

/* ---- folding ---- */

/* Strides without gaps or overlaps, from the storage's start. */
static bool is_dense(const fx_graph *g, const ty_tensor *t)
{
    int64_t offset;
    return ty_is_non_overlapping_and_dense(g->symbols, t) &&
           sym_is_int(g->symbols, t->offset, &offset) && offset == 0;
}

/* Is the value read by a call that stays, itself or through views that stay? */
static bool is_wanted(const folder *f, const fx_node *n)
{
    for (uint32_t i = 0; i < n->users.count; i++) {
        const fx_node *user = n->users.at[i];
        if (!f->is_constant[user->id]) return true;
        if (user->kind == FX_CALL && is_view(user) && is_wanted(f, user)) return true;
    }
    return false;
}

static bool stays_in_class(const fx_node *n)
{
    for (uint32_t i = 0; i < n->users.count; i++)
        if (!fx_may_join(n->users.at[i], n)) return false;
    return true;
}

static bool may_fold(folder *f, const fx_node *n)
{
    const ty_tensor *t = fx_tensor(n);
    return t && stays_in_class(n) && !is_view(n) && is_dense(f->g, t) && is_wanted(f, n) &&
           !pass_leaves(f->g, n) && bytes_of(f->g, t) > 0;
}

/* Room for the value. */
static void *room_for(const folder *f, const fx_node *n)
{
    return arena_alloc(f->g->memory, (size_t)bytes_of(f->g, fx_tensor(n)));
}

static void replace(folder *f, fx_node *n, void *made, bool *changed)
{
    ty_tensor *meta = ty_tensor_copy(f->g->memory, fx_tensor(n));
    size_t bytes = (size_t)bytes_of(f->g, meta);
    meta->storage = 0;
    fx_node *constant =
        fx_add_constant(f->g, arena_printf(f->g->memory, "%s_folded", n->name), meta, made, bytes);
    fx_replace_uses(f->g, n, constant);
    *changed = true;
}

static void evaluate(folder *f, const region *r, fx_node *n, bool *changed)
{
    void *made = room_for(f, n);
    f->all_work += r->work;
    if (f->services->evaluate(f->services->data, graph_of(r, &n, 1), &made))
        replace(f, n, made, changed);
}

static void fold(folder *f, fx_node *n, bool *changed)
{
    region r = {.f = f};
    int64_t bytes = bytes_of(f->g, fx_tensor(n));
    collect(&r, n);
    if (!r.has_work || (bytes > FEW_BYTES && bytes > r.replaced)) return;
    if (r.work > LITTLE_WORK || r.work > ALL_LITTLE_WORK - f->all_work)
        vec_push(f->memory, &f->late, n);
    else
        evaluate(f, &r, n, changed);
}

static bool compute(folder *f, fx_node *const *results, uint32_t count, bool *changed)
{
    region all = {.f = f};
    if (!f->services->compute) return false;
    for (uint32_t i = 0; i < count; i++) collect(&all, results[i]);
    if (all.work > MOST_COMPUTED) return false;
    void **made = NEW_ARRAY(f->memory, void *, count);
    for (uint32_t i = 0; i < count; i++) made[i] = room_for(f, results[i]);
    if (!f->services->compute(f->services->data, graph_of(&all, results, count), made))
        return false;
    for (uint32_t i = 0; i < count; i++) replace(f, results[i], made[i], changed);
    return true;
}

static void fold_late(folder *f, bool *changed)
{
    if (!f->late.count || compute(f, f->late.at, f->late.count, changed)) return;
    for (uint32_t i = 0; i < f->late.count; i++) {
        region r = {.f = f};
        collect(&r, f->late.at[i]);
        if (r.work <= MOST_WORK - f->all_work) evaluate(f, &r, f->late.at[i], changed);
    }
}

fe_status pass_fold_constants(fx_graph *g, const pass_services *services, void *data, bool *changed)
{
    (void)data;
    if (!services->evaluate || g->parent) return FE_OK;
    folder f = {.g = g, .services = services, .memory = arena_new(g->session)};
    uint32_t ids = g->next_id;
    f.is_constant = NEW_ARRAY(f.memory, bool, ids + 1);
    for (fx_node *n = g->first; n; n = n->next) f.is_constant[n->id] = is_constant(&f, n);
    for (fx_node *n = g->first; n; n = n->next)
        if (n->id < ids && n->kind == FX_CALL && f.is_constant[n->id] && may_fold(&f, n))
            fold(&f, n, changed);
    fold_late(&f, changed);
    arena_free(f.memory);
    return FE_OK;
}
