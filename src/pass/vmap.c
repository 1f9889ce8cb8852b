/* vmap.c -- vmap: what runs for each item of a batch becomes the body of a map.
 *
 * An export writes vmap down as it runs: _add_batch_dim hides a dimension of a tensor, what is computed
 * from it speaks of one item alone, and _remove_batch_dim shows the dimension again. Which calls run for
 * each item is thus said by values, not by places: those that depend on a hidden dimension. Each run of
 * _remove_batch_dim takes what it needs of them into one map over the hidden dimensions. Levels go from the
 * outermost on: a vmap within that hangs on no item of the one around stays where it is until its own turn,
 * and one that does is left to the same pass in the body. What works element by element needs no map: it
 * runs on all items, and so do the borders of vmaps between.
 */
#include "pass/vmap.h"

#include <string.h>

static bool hides(const vmapping *u, const fx_node *n)
{
    int64_t level;
    return fx_is(n, OP_predispatch_add_batch_dim) && fx_arg_int(u->g, &n->args[2], &level) &&
           level == u->level;
}

static bool shows(const vmapping *u, const fx_node *n)
{
    int64_t level;
    return fx_is(n, OP_predispatch_remove_batch_dim) && fx_arg_int(u->g, &n->args[1], &level) &&
           level == u->level;
}

static bool is_outermost(const vmapping *u, const fx_node *n)
{
    return n->id < u->known && (u->levels[n->id] >> u->level & 1);
}

/* ---- a map ---- */

typedef struct outline {
    vmapping *u;
    fx_graph *body;
    fx_arg *of; /* by node id of the graph around: in the body */
    VEC(fx_arg) walked, additional;
    bool at_once;         /* no map: what is no item's of the outermost level stays where it is */
    VEC(fx_node *) taken; /* in order */
    fx_node *again;       /* a call that draws numbers, and has done so in an earlier map */
} outline;

static void want(void *data, fx_node *n)
{
    outline *o = data;
    vmapping *u = o->u;
    if (n->kind != FX_CALL || n->id >= u->known || u->is_wanted[n->id] || hides(u, n) ||
        !(o->at_once ? is_outermost(u, n) : u->levels[n->id] != 0))
        return;
    u->is_wanted[n->id] = true;
    if (u->is_done[n->id] && (n->op->flags & OPF_RANDOM)) o->again = n;
    for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], want, o);
}

static void add_input(outline *o, fx_node *n, fx_arg given, bool walks)
{
    fx_node *p = fx_placeholder(o->body, FX_USER_INPUT, n->name, "");
    p->origin = n->origin;
    o->of[n->id] = fx_of(p);
    if (walks)
        vec_push(o->u->memory, &o->walked, given);
    else
        vec_push(o->u->memory, &o->additional, given);
}

/* Hidden dimensions come first, as what is walked over has them. */
static fe_status row_first(vmapping *u, fx_node *before, const fx_node *n, fx_node **out)
{
    fx_arg args[] = {n->args[0], n->args[1], fx_int(u->g, 0)};
    return pass_emit(u->g, before, OP_aten_movedim_int, n, 3, args, out);
}

typedef struct meeting {
    outline *o;
    fx_node *before;
    bool walks; /* those that are walked over: placeholders come in the order of the operands */
    fe_status status;
} meeting;

static void meet(void *data, fx_node *a)
{
    meeting *m = data;
    outline *o = m->o;
    bool hidden = hides(o->u, a), wanted = a->id < o->u->known && o->u->is_wanted[a->id];
    if (m->status != FE_OK || wanted || o->of[a->id].kind != FX_ARG_NONE || hidden != m->walks)
        return;
    fx_node *given = a;
    if (hidden) m->status = row_first(o->u, m->before, a, &given);
    if (m->status == FE_OK) add_input(o, a, fx_of(given), hidden);
}

static fe_status add_inputs(outline *o, fx_node *before, bool walks)
{
    meeting m = {o, before, walks, FE_OK};
    for (uint32_t k = 0; k < o->taken.count; k++)
        for (uint32_t i = 0; i < o->taken.at[k]->arg_count; i++)
            fx_arg_each_node(&o->taken.at[k]->args[i], meet, &m);
    return m.status;
}

/* Nothing hidden is read where all is drawn: the items are counted. */
static fe_status count_items(outline *o, fx_node *before, const fx_node *shown)
{
    fx_node *items;
    if (o->walked.count) return FE_OK;
    FE_TRY(pass_emit(o->u->g, before, OP_aten_arange_default, shown, 1, &shown->args[2], &items));
    fx_placeholder(o->body, FX_USER_INPUT, "item", "");
    vec_push(o->u->memory, &o->walked, fx_of(items));
    return FE_OK;
}

static fx_graph *new_body(vmapping *u, const fx_node *like)
{
    fx_graph *g = u->g;
    fx_graph *body = fx_graph_new(g->session, g->memory, g->symbols, g->ops,
                                  arena_printf(g->memory, "%s_of_one", like->name));
    body->parent = g;
    body->is_functional = g->is_functional;
    body->fills_unwritten = g->fills_unwritten;
    body->autocast = g->autocast;
    return body;
}

static uint32_t storage_of(const fx_node *n)
{
    const ty_tensor *t = n ? fx_tensor(n) : NULL;
    return t ? t->storage : 0;
}

/* What is written to in place has its value from calls that nothing names. */
static fe_status want_writes(outline *o, const fx_node *before)
{
    vmapping *u = o->u;
    for (fx_node *n = u->g->first; n != before; n = n->next) {
        if (n->kind != FX_CALL || !n->op->is_mutating || n->id >= u->known) continue;
        const fx_node *to = n->args[0].kind == FX_ARG_NODE ? n->args[0].node : NULL;
        bool within = to && to->id < u->known && u->is_wanted[to->id];
        if (!is_outermost(u, n) && !(within && u->levels[n->id])) continue;
        for (const fx_node *from = u->g->first; from != n; from = from->next)
            if (hides(u, from) && storage_of(from) == storage_of(to))
                return fx_fail(u->g, n, "vmap", FE_UNSUPPORTED, "write to a clone of it",
                               "vmap of a function that writes to what it is given");
        want(o, n);
    }
    return FE_OK;
}

/* What the values in shown[] need of what runs for each item. */
static fe_status take(outline *o, fx_node *const *shown, uint32_t count)
{
    vmapping *u = o->u;
    memset(u->is_wanted, 0, u->known * sizeof *u->is_wanted);
    o->taken.count = 0;
    for (uint32_t k = 0; k < count; k++) want(o, shown[k]->args[0].node);
    FE_TRY(want_writes(o, shown[0]));
    if (o->again)
        return fx_fail(u->g, o->again, "vmap", FE_UNSUPPORTED,
                       "give all results of the function from one vmap",
                       "numbers that are drawn for each item are needed in two maps");
    for (fx_node *n = u->g->first; n != shown[0]; n = n->next)
        if (n->id < u->known && u->is_wanted[n->id]) vec_push(u->memory, &o->taken, n);
    return FE_OK;
}

/* As a map before the first of shown[]; results[k]: what stands for shown[k]'s operand, all items of
 * it. */
static fe_status as_map(outline *o, fx_node *const *shown, uint32_t count, fx_node **results)
{
    vmapping *u = o->u;
    fx_node *all;
    fx_output *kinds = NEW_ARRAY(u->memory, fx_output, count);
    fx_arg *given = NEW_ARRAY(u->memory, fx_arg, count);
    o->body = new_body(u, shown[0]);
    FE_TRY(add_inputs(o, shown[0], true));
    FE_TRY(count_items(o, shown[0], shown[0]));
    FE_TRY(add_inputs(o, shown[0], false));
    for (uint32_t k = 0; k < o->taken.count; k++)
        o->of[o->taken.at[k]->id] = fx_of(fx_copy_call(o->body, NULL, o->taken.at[k], o->of));
    for (uint32_t k = 0; k < count; k++) {
        given[k] = o->of[shown[k]->args[0].node->id];
        kinds[k] = (fx_output){.kind = FX_USER_OUTPUT};
    }
    fx_set_output(o->body, given, kinds, count);
    fx_arg args[] = {{.kind = FX_ARG_GRAPH, .graph = o->body},
                     fx_list(u->g, o->walked.at, o->walked.count),
                     fx_list(u->g, o->additional.at, o->additional.count)};
    FE_TRY(pass_call(u->g, shown[0], op_get(u->g->ops, OP_higher_order_map_impl), shown[0], args, 3,
                     &all));
    for (uint32_t k = 0; k < count; k++) {
        fx_arg item[] = {fx_of(all), fx_int(u->g, k)};
        FE_TRY(pass_emit(u->g, shown[0], OP_operator_getitem, shown[k], 2, item, &results[k]));
    }
    return FE_OK;
}

/* ---- all items at once ---- */

/* Calls that work element by element do so on all items, where nothing hangs on ranks but how operands are
 * broadcast: operands of one kind have one dtype, so that promotion does not ask which has dimensions, and
 * there is memory for the result. */
static bool is_elementwise(const fx_node *n)
{
    ty_dtype of_kind[TY_KIND_COMPLEX + 1];
    for (size_t k = 0; k < COUNT_OF(of_kind); k++) of_kind[k] = TY_NO_DTYPE;
    if (!fx_tensor(n) || !(n->op->flags & OPF_POINTWISE) || n->op->is_mutating) return false;
    for (uint32_t i = 0; i < n->arg_count; i++) {
        const ty_tensor *x = fx_arg_tensor(&n->args[i]);
        if (n->args[i].kind == FX_ARG_LIST) return false;
        if (!x) continue;
        bool is_integer = ty_is_integral(x->dtype, false);
        ty_dtype *seen = &of_kind[is_integer ? TY_KIND_SIGNED : ty_dtype_kind(x->dtype)];
        if (*seen != TY_NO_DTYPE && *seen != x->dtype) return false;
        *seen = x->dtype;
    }
    return true;
}

static bool all_elementwise(const outline *o)
{
    for (uint32_t k = 0; k < o->taken.count; k++)
        if (!vmap_is_border(o->taken.at[k]) &&
            (!is_elementwise(o->taken.at[k]) || (o->taken.at[k]->op->flags & OPF_RANDOM)))
            return false;
    return true;
}

/* The operand with all its items in front of `rank` dimensions. */
static fe_status widened(outline *o, fx_node *before, fx_arg *a, uint32_t rank)
{
    vmapping *u = o->u;
    const ty_tensor *one = fx_arg_tensor(a);
    fx_node *x;
    if (!one || !is_outermost(u, a->node)) return FE_OK;
    if (o->of[a->node->id].kind == FX_ARG_NONE) {
        FE_TRY(row_first(u, before, a->node, &x));
        o->of[a->node->id] = fx_of(x);
    }
    *a = o->of[a->node->id];
    for (uint32_t k = one->rank; k < rank; k++) {
        fx_arg args[] = {*a, fx_int(u->g, 1)};
        FE_TRY(pass_emit(u->g, before, OP_aten_unsqueeze_default, NULL, 2, args, &x));
        *a = fx_of(x);
    }
    return FE_OK;
}

/* The border of a vmap within, where all items of the outermost level lie in front. */
static fe_status shift_border(outline *o, fx_node *n, fx_arg *args)
{
    fx_graph *g = o->u->g;
    bool adds = fx_is(n, OP_predispatch_add_batch_dim);
    fx_arg *dim = &args[adds ? 1 : 3];
    int64_t at;
    if (!fx_arg_int(g, dim, &at))
        return fx_fail(g, n, "vmap", FE_UNSUPPORTED, NULL, "a dimension that is no number");
    if (at < 0) at += fx_arg_tensor(&n->args[0])->rank + !adds;
    *dim = fx_int(g, at + 1);
    return FE_OK;
}

static fe_status for_all(outline *o, fx_node *const *shown, uint32_t count, fx_node **results)
{
    for (uint32_t k = 0; k < o->taken.count; k++) {
        fx_node *n = o->taken.at[k], *made;
        fx_arg *args = arena_copy(o->u->memory, n->args, n->arg_count * sizeof *n->args);
        bool is_border = vmap_is_border(n);
        for (uint32_t i = 0; i < n->arg_count; i++)
            FE_TRY(widened(o, shown[0], &args[i], is_border ? 0 : fx_tensor(n)->rank));
        if (is_border) FE_TRY(shift_border(o, n, args));
        FE_TRY(pass_call(o->u->g, shown[0], n->op, n, args, n->arg_count, &made));
        o->of[n->id] = fx_of(made);
    }
    for (uint32_t k = 0; k < count; k++) results[k] = o->of[shown[k]->args[0].node->id].node;
    return FE_OK;
}

/* ---- what is shown again ---- */

/* Results of the program lie as recorded: a view of what is computed, perhaps. */
static fe_status lay_out(vmapping *u, fx_node *shown, fx_node **x)
{
    const ty_tensor *wanted = fx_tensor(shown), *is = fx_tensor(*x);
    sym_table *t = u->g->symbols;
    if (!wanted || !is || wanted->rank != is->rank || !pass_leaves(u->g, shown)) return FE_OK;
    bool same = sym_same(wanted->offset, is->offset);
    sym_expr span = sym_add_int(t, wanted->offset, 1);
    for (uint32_t d = 0; d < is->rank; d++) {
        same &= sym_same(is->strides[d], wanted->strides[d]);
        sym_expr last = sym_max(t, sym_add_int(t, wanted->sizes[d], -1), sym_int(t, 0));
        span = sym_add(t, span, sym_mul(t, last, wanted->strides[d]));
    }
    if (same) return FE_OK;
    fx_node *memory;
    fx_arg room[] = {fx_int_list(u->g, &span, 1), fx_dtype(wanted->dtype)};
    FE_TRY(pass_emit(u->g, shown, OP_aten_empty_memory_format, shown, 2, room, &memory));
    fx_arg sizes = fx_int_list(u->g, wanted->sizes, wanted->rank),
           strides = fx_int_list(u->g, wanted->strides, wanted->rank);
    fx_arg put[] = {fx_of(memory), fx_of(*x), sizes, strides, fx_expr(wanted->offset)};
    FE_TRY(pass_emit(u->g, shown, OP_aten_as_strided_scatter_default, shown, 5, put, &memory));
    fx_arg view[] = {fx_of(memory), sizes, strides, fx_expr(wanted->offset)};
    return pass_emit(u->g, shown, OP_aten_as_strided_default, shown, 4, view, x);
}

/* What is shown again is as long as what was hidden. */
static bool may_show(const vmapping *u, const fx_node *shown, const fx_node *x)
{
    const ty_tensor *wanted = fx_tensor(shown), *is = fx_tensor(x);
    bool same = wanted && is && wanted->rank == is->rank;
    for (uint32_t d = 0; same && d < is->rank; d++)
        same = sym_prove(u->g->symbols,
                         sym_compare(u->g->symbols, SYM_EQ, wanted->sizes[d], is->sizes[d]),
                         NULL) != SYM_FALSE;
    return same;
}

static fe_status give(vmapping *u, fx_node *shown, fx_node *x, fx_arg from)
{
    fx_arg args[] = {fx_of(x), from, shown->args[3]};
    FE_TRY(pass_emit(u->g, shown, OP_aten_movedim_int, shown, 3, args, &x));
    if (!may_show(u, shown, x))
        return fx_fail(u->g, shown, "vmap", FE_CORRUPT, "export the program again",
                       "it shows a dimension of another length than was hidden");
    FE_TRY(lay_out(u, shown, &x));
    fx_replace_uses(u->g, shown, x);
    fx_erase(u->g, shown);
    return FE_OK;
}

/* The same for all items: expanded. */
static fe_status give_expanded(vmapping *u, fx_node *shown)
{
    fx_node *x = shown->args[0].node;
    const ty_tensor *t = fx_tensor(x);
    sym_expr sizes[TY_MAX_RANK + 1], size;
    if (!t || t->rank >= TY_MAX_RANK || !fx_arg_expr(u->g, &shown->args[2], &size))
        return fx_fail(u->g, shown, "vmap", FE_UNSUPPORTED, NULL, "what is shown is no tensor");
    sizes[0] = size;
    for (uint32_t d = 0; d < t->rank; d++) sizes[d + 1] = t->sizes[d];
    fx_arg args[] = {fx_of(x), fx_int_list(u->g, sizes, t->rank + 1)};
    FE_TRY(pass_emit(u->g, shown, OP_aten_expand_default, shown, 2, args, &x));
    return give(u, shown, x, fx_int(u->g, 0));
}

/* Is it computed for each item, rather than hidden and shown again? */
static bool is_mapped(const vmapping *u, const fx_node *shown)
{
    const fx_node *x = shown->args[0].kind == FX_ARG_NODE ? shown->args[0].node : NULL;
    return x && is_outermost(u, x) && !hides(u, x);
}

static bool same_size(const fx_node *a, const fx_node *b)
{
    return pass_same_arg(&a->args[2], &b->args[2]);
}

static fe_status show_mapped(vmapping *u, fx_node *first, fx_node **next)
{
    VEC(fx_node *) run = {0};
    fx_node *n = first;
    for (; n && shows(u, n) && is_mapped(u, n) && same_size(n, first); n = n->next)
        vec_push(u->memory, &run, n);
    *next = n;
    outline o = {.u = u, .of = NEW_ARRAY(u->memory, fx_arg, u->g->next_id), .at_once = true};
    fx_node **results = NEW_ARRAY(u->memory, fx_node *, run.count);
    FE_TRY(take(&o, run.at, run.count));
    if (!all_elementwise(&o)) {
        o.at_once = false;
        FE_TRY(take(&o, run.at, run.count));
    }
    for (uint32_t k = 0; k < o.taken.count; k++) u->is_done[o.taken.at[k]->id] = true;
    FE_TRY(o.at_once ? for_all(&o, run.at, run.count, results)
                     : as_map(&o, run.at, run.count, results));
    for (uint32_t k = 0; k < run.count; k++)
        FE_TRY(give(u, run.at[k], results[k], fx_int(u->g, 0)));
    return FE_OK;
}

static fe_status show(vmapping *u, fx_node *n, fx_node **next)
{
    if (n->args[0].kind != FX_ARG_NODE)
        return fx_fail(u->g, n, "vmap", FE_UNSUPPORTED, NULL, "what is shown is no tensor");
    fx_node *x = n->args[0].node;
    if (is_mapped(u, n)) return show_mapped(u, n, next);
    *next = n->next;
    return hides(u, x) ? give(u, n, x->args[0].node, x->args[1]) : give_expanded(u, n);
}

/* ---- the graph ---- */

static bool is_bracket(const fx_node *n)
{
    return fx_is(n, OP_predispatch_vmap_increment_nesting) ||
           fx_is(n, OP_predispatch_vmap_decrement_nesting) ||
           fx_is(n, OP_predispatch_lazy_load_decompositions);
}

/* What ran for each item of the outermost level is elsewhere now. */
static fe_status sweep(vmapping *u)
{
    for (fx_node *n = u->g->last, *prev; n; n = prev) {
        prev = n->prev;
        bool goes = n->kind == FX_CALL && n->id < u->known &&
                    (is_outermost(u, n) || (u->is_done[n->id] && !n->users.count));
        if (!goes) continue;
        if (n->users.count)
            return fx_fail(u->g, n, "vmap", FE_UNSUPPORTED, NULL,
                           "what vmap computes for one item is used outside of it");
        fx_erase(u->g, n);
    }
    return FE_OK;
}

static fe_status vmap_outermost(vmapping *u)
{
    for (fx_node *n = u->g->first, *next; n; n = next) {
        next = n->next;
        if (shows(u, n)) FE_TRY(show(u, n, &next));
    }
    return sweep(u);
}

fe_status pass_vmap(fx_graph *g, bool *changed)
{
    vmapping u = {.g = g, .memory = arena_new(g->session)};
    fe_status status = FE_OK;
    bool found = false;
    for (const fx_node *n = g->first; n && !found; n = n->next)
        found = is_bracket(n) || vmap_is_border(n);
    while (found && status == FE_OK) {
        status = vmap_find_levels(&u);
        if (status != FE_OK || u.level == VMAP_MOST_LEVELS) break;
        status = vmap_outermost(&u);
    }
    for (fx_node *n = g->last, *prev; found && n && status == FE_OK; n = prev) {
        prev = n->prev;
        if (is_bracket(n)) fx_erase(g, n);
    }
    *changed |= found;
    arena_free(u.memory);
    return status;
}
