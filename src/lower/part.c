/* part.c -- the program in parts: each node of the graph belongs to one, and a part holds nodes of one
 * class (fx_class).
 *
 * In the order of the graph a part ends where the class changes. When parts gather, nodes wait until
 * the part that is open has all that it can get, within what they depend on. What moves nothing (views,
 * items, sizes) has no class of its own: it goes with what it looks at.
 *
 * A value that is read outside of its part is memory (lower_leave_part), so that no part computes what
 * another one's nodes do. Ops go to the part of the node that they come from; what returns a value, or
 * writes it back to an input, to the part of the node that made it, and where something still reads the
 * old value later than that, to another part of the same class behind it.
 */
#include "lower/lower_priv.h"

#include <string.h>

/* ---- the graph's calls, and what each must follow ---- */

typedef struct call_graph {
    lowering *l;
    arena *memory;
    VEC(fx_node *) calls;
    uint32_t *index_of; /* by node id, + 1; 0: no call */
    map definer;        /* symbol that only the run knows -> the call that gives it first */
    VEC(uint32_t) users_at;
    uint32_t *first_user; /* by call: of users_at */
    uint32_t *waits_for;  /* by call: how many others */
    VEC(uint32_t) pairs;  /* producer, consumer, ... */
    uint32_t at;          /* the call that is looked at */
    uint32_t *seen;       /* by call: the last one that was found to follow it, + 1 */
} call_graph;

static void follow(call_graph *c, uint32_t on)
{
    if (on == c->at || c->seen[on] == c->at + 1) return;
    c->seen[on] = c->at + 1;
    vec_push(c->memory, &c->pairs, on);
    vec_push(c->memory, &c->pairs, c->at);
    c->waits_for[c->at]++;
}

static void follow_node(void *data, fx_node *n)
{
    call_graph *c = data;
    if (c->index_of[n->id]) follow(c, c->index_of[n->id] - 1);
}

static void follow_symbol(void *data, sym_expr symbol)
{
    call_graph *c = data;
    if (sym_kind_of(c->l->symbols, symbol) != SYM_UNBACKED) return;
    uint32_t definer = map_get(&c->definer, symbol.id);
    if (definer == MAP_NONE)
        map_set(c->memory, &c->definer, symbol.id, c->at);
    else
        follow(c, definer);
}

static void follow_arg(call_graph *c, const fx_arg *a)
{
    if (a->kind == FX_ARG_INT && !sym_is_none(a->expr))
        sym_each_symbol(c->l->symbols, a->expr, follow_symbol, c);
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        follow_arg(c, &a->list.items[i]);
}

static void list_users(call_graph *c)
{
    uint32_t count = c->calls.count;
    c->first_user = NEW_ARRAY(c->memory, uint32_t, count + 2);
    for (uint32_t i = 0; i < c->pairs.count; i += 2) c->first_user[c->pairs.at[i] + 2]++;
    for (uint32_t k = 2; k < count + 2; k++) c->first_user[k] += c->first_user[k - 1];
    c->users_at.at = NEW_ARRAY(c->memory, uint32_t, c->pairs.count / 2 + 1);
    for (uint32_t i = 0; i < c->pairs.count; i += 2)
        c->users_at.at[c->first_user[c->pairs.at[i] + 1]++] = c->pairs.at[i + 1];
}

static call_graph read_calls(lowering *l, arena *memory)
{
    call_graph c = {.l = l, .memory = memory};
    uint32_t effect = UINT32_MAX;
    c.index_of = NEW_ARRAY(memory, uint32_t, l->graph->next_id + 1);
    for (fx_node *n = l->graph->first; n; n = n->next) {
        if (n->kind != FX_CALL) continue;
        vec_push(memory, &c.calls, n);
        c.index_of[n->id] = c.calls.count;
    }
    c.seen = NEW_ARRAY(memory, uint32_t, c.calls.count + 1);
    c.waits_for = NEW_ARRAY(memory, uint32_t, c.calls.count + 1);
    for (c.at = 0; c.at < c.calls.count; c.at++) {
        const fx_node *n = c.calls.at[c.at];
        for (uint32_t i = 0; i < n->arg_count; i++) {
            fx_arg_each_node(&n->args[i], follow_node, &c);
            follow_arg(&c, &n->args[i]);
        }
        fx_each_symbol(l->symbols, &n->value, follow_symbol, &c);
        if (!(n->op->flags & OPF_EFFECT)) continue;
        if (effect != UINT32_MAX) follow(&c, effect);
        effect = c.at;
    }
    list_users(&c);
    return c;
}

/* ---- parts of nodes ---- */

typedef struct parting {
    const call_graph *c;
    uint32_t *part_of;          /* by call */
    VEC(uint32_t) part_classes; /* by part */
} parting;

static uint32_t part_for(parting *p, arena *memory, uint32_t class_)
{
    if (!p->part_classes.count || vec_last(&p->part_classes) != class_)
        vec_push(memory, &p->part_classes, class_);
    return p->part_classes.count - 1;
}

typedef struct latest {
    const call_graph *c;
    const uint32_t *part_of;
    uint32_t part;
} latest;

static void note_part(void *data, fx_node *n)
{
    latest *s = data;
    uint32_t index = s->c->index_of[n->id];
    if (index && s->part_of[index - 1] > s->part) s->part = s->part_of[index - 1];
}

static bool goes_along(const lowering *l, const fx_node *n)
{
    return fx_class(n) == FX_ANY_CLASS || lower_moves_nothing(l, n);
}

static uint32_t part_of_operands(const parting *p, const fx_node *n)
{
    latest s = {.c = p->c, .part_of = p->part_of};
    for (uint32_t i = 0; i < n->arg_count; i++) fx_arg_each_node(&n->args[i], note_part, &s);
    return s.part;
}

static void place(parting *p, uint32_t call)
{
    const fx_node *n = p->c->calls.at[call];
    p->part_of[call] =
        goes_along(p->c->l, n) ? part_of_operands(p, n) : part_for(p, p->c->memory, fx_class(n));
}

static parting part_in_order(const call_graph *c)
{
    parting p = {.c = c, .part_of = NEW_ARRAY(c->memory, uint32_t, c->calls.count + 1)};
    for (uint32_t k = 0; k < c->calls.count; k++) place(&p, k);
    return p;
}

/* ---- parts that gather ---- */

typedef VEC(uint32_t) call_list;

typedef struct gathering {
    const call_graph *c;
    parting p;
    uint32_t *left;    /* by call: how many it still waits for */
    bool *done;        /* by call */
    call_list free;    /* ready, and of no class */
    map list_of;       /* class -> its list */
    VEC(call_list) of; /* ready ones */
} gathering;

static call_list *list_of(gathering *g, uint32_t class_)
{
    uint32_t at = map_get(&g->list_of, class_);
    if (at == MAP_NONE) {
        at = g->of.count;
        map_set(g->c->memory, &g->list_of, class_, at);
        vec_push(g->c->memory, &g->of, (call_list){0});
    }
    return &g->of.at[at];
}

static void make_ready(gathering *g, uint32_t call)
{
    const fx_node *n = g->c->calls.at[call];
    if (goes_along(g->c->l, n)) {
        vec_push(g->c->memory, &g->free, call);
        return;
    }
    call_list *list = list_of(g, fx_class(n));
    vec_push(g->c->memory, list, call);
}

static void finish(gathering *g, uint32_t call)
{
    place(&g->p, call);
    g->done[call] = true;
    for (uint32_t i = g->c->first_user[call]; i < g->c->first_user[call + 1]; i++)
        if (--g->left[g->c->users_at.at[i]] == 0) make_ready(g, g->c->users_at.at[i]);
}

static bool take_ready(gathering *g, call_list *list)
{
    if (!list->count) return false;
    uint32_t call = list->at[--list->count];
    finish(g, call);
    return true;
}

/* Beginning with `class_`, each part takes what is ready for it; the next has the class of the first call
 * that is left. */
static parting gather(const call_graph *c, uint32_t class_)
{
    uint32_t count = c->calls.count, first = 0;
    gathering g = {.c = c,
                   .p = {.c = c, .part_of = NEW_ARRAY(c->memory, uint32_t, count + 1)},
                   .left = arena_copy(c->memory, c->waits_for, (count + 1) * sizeof(uint32_t)),
                   .done = NEW_ARRAY(c->memory, bool, count + 1)};
    for (uint32_t k = 0; k < count; k++)
        if (!g.left[k]) make_ready(&g, k);
    while (first < count) {
        while (take_ready(&g, &g.free) || take_ready(&g, list_of(&g, class_))) continue;
        while (first < count && g.done[first]) first++;
        if (first < count) class_ = fx_class(c->calls.at[first]);
    }
    return g.p;
}

/* How many classes there are: no order has fewer parts. */
static uint32_t count_classes(const parting *p)
{
    map seen = {0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < p->part_classes.count; k++) {
        if (map_get(&seen, p->part_classes.at[k]) != MAP_NONE) continue;
        map_set(p->c->memory, &seen, p->part_classes.at[k], 1);
        count++;
    }
    return count;
}

/* The fewest parts that were found. */
static parting part_gathered(const call_graph *c)
{
    enum { MOST_BEGINNINGS = 8 };
    parting best = part_in_order(c);
    uint32_t least = count_classes(&best), tried[MOST_BEGINNINGS], tries = 0;
    for (uint32_t k = 0; k < c->calls.count && tries < MOST_BEGINNINGS; k++) {
        uint32_t class_ = fx_class(c->calls.at[k]), i = 0;
        while (i < tries && tried[i] != class_) i++;
        if (best.part_classes.count <= least) break;
        if (i < tries || c->waits_for[k] || goes_along(c->l, c->calls.at[k])) continue;
        tried[tries++] = class_;
        parting p = gather(c, class_);
        if (p.part_classes.count < best.part_classes.count) best = p;
    }
    return best;
}

bool lower_gathers(fx_graph *g)
{
    arena *scratch = arena_new(g->session);
    lowering l = {.session = g->session, .symbols = g->symbols, .memory = scratch, .graph = g};
    call_graph c = read_calls(&l, scratch);
    bool fewer = part_gathered(&c).part_classes.count < part_in_order(&c).part_classes.count;
    arena_free(scratch);
    return fewer;
}

void lower_find_parts(lowering *l, const lower_split *split)
{
    call_graph c = read_calls(l, l->memory);
    parting p = split->gathers ? part_gathered(&c) : part_in_order(&c);
    lower_parts *parts = NEW(l->memory, lower_parts);
    parts->split = split;
    parts->of = NEW_ARRAY(l->memory, uint32_t, l->graph->next_id + 1);
    for (uint32_t k = 0; k < c.calls.count; k++) parts->of[c.calls.at[k]->id] = p.part_of[k];
    for (uint32_t k = 0; k < p.part_classes.count; k++)
        vec_push(l->memory, &parts->classes, p.part_classes.at[k]);
    l->parts = parts;
}

/* ---- values that leave their part ---- */

/* Through what looks at it, too. */
static bool is_read_elsewhere(lowering *l, const fx_node *n, uint32_t part)
{
    for (uint32_t i = 0; i < n->users.count; i++) {
        const fx_node *user = n->users.at[i];
        bool looks = lower_moves_nothing(l, user),
             shows = fx_tensor(user) || user->value.kind == FX_TUPLE;
        if (user->kind == FX_OUTPUT) return true;
        if (looks ? shows && is_read_elsewhere(l, user, part) : l->parts->of[user->id] != part)
            return true;
    }
    return false;
}

/* In the part's own memory? */
static bool lies_in_part(lowering *l, lower_tensor t, uint32_t part)
{
    loop_view v;
    uint32_t maker = t.box->origin;
    const fx_node *n = maker < l->graph->by_id.count ? l->graph->by_id.at[maker] : NULL;
    return lower_try_strided(l, t, &v) && n && n->kind == FX_CALL && l->parts->of[maker] == part &&
           l->program->buffers.at[v.buffer].kind == LOOP_TEMP;
}

static lower_tensor stored(lowering *l, lower_tensor t, uint32_t item, uint32_t part)
{
    const ty_tensor *meta = lower_meta(l, item);
    if (!t.box->realised && !t.map) lower_realise(l, t.box, NULL);
    if (lies_in_part(l, t, part)) return t;
    return lower_copied(l, t, meta && !lower_repeats(l, meta) ? meta->strides : NULL);
}

/* Integers travel as symbols, and tokens say nothing. */
static bool is_symbol(const fx_node *n)
{
    const fx_value *v = &n->value;
    return (v->kind == FX_INT || v->kind == FX_BOOL) && !sym_is_none(v->expr);
}

void lower_leave_part(lowering *l, fx_node *n)
{
    lower_result *r = &l->results[n->id];
    if (!l->parts || l->caller || !r->present || is_symbol(n) || lower_moves_nothing(l, n)) return;
    if ((n->op->flags & OPF_EFFECT) && !n->op->custom) return;
    uint32_t part = l->parts->of[n->id];
    if (!is_read_elsewhere(l, n, part)) return;
    for (uint32_t k = 0; k < r->count; k++)
        if (!lower_absent(r->items[k]) && (r->count == 1 || lower_is_used(l, k)))
            r->items[k] = stored(l, r->items[k], k, part);
}

void lower_check_border(lowering *l, const lower_box *box)
{
    const fx_graph *g = l->graph;
    if (!l->parts || l->caller || !l->node || l->node->kind != FX_CALL) return;
    const fx_node *maker = box->origin < g->by_id.count ? g->by_id.at[box->origin] : NULL;
    if (!maker || maker->kind != FX_CALL || lower_moves_nothing(l, maker) ||
        lower_moves_nothing(l, l->node))
        return;
    CHECK(l->session, l->parts->of[maker->id] == l->parts->of[l->node->id]);
}

/* ---- parts of ops ---- */

void lower_note_late(lowering *l, const fx_node *of)
{
    lower_parts *parts = l->parts;
    if (!parts) return;
    while (parts->first_late + parts->late.count < l->program->ops.count)
        vec_push(l->memory, &parts->late, of);
}

void lower_begin_late(lowering *l)
{
    if (l->parts) l->parts->first_late = l->program->ops.count;
}

typedef struct grouping {
    lowering *l;
    lower_parts *parts;
    uint32_t *part_of; /* by op */
    /* the last part that reads or writes each buffer, and that which defines each symbol, + 1 */
    uint32_t *read, *written;
    map defined;
    uint32_t need; /* the op at hand is in no part before */
    uint32_t part; /* that the op at hand is in, + 1 */
} grouping;

static uint32_t part_behind(grouping *g, uint32_t class_, uint32_t at_least)
{
    lower_parts *parts = g->parts;
    for (uint32_t k = at_least; k < parts->classes.count; k++)
        if (parts->classes.at[k] == class_) return k;
    vec_push(g->l->memory, &parts->classes, class_);
    return parts->classes.count - 1;
}

static void need_buffer(void *data, loop_buffer_id b)
{
    grouping *g = data;
    if (g->written[b] > g->need) g->need = g->written[b];
}

static void need_overwritten(void *data, loop_buffer_id b)
{
    grouping *g = data;
    need_buffer(data, b);
    if (g->read[b] > g->need) g->need = g->read[b];
}

static void need_symbol(void *data, sym_expr symbol)
{
    grouping *g = data;
    uint32_t at = map_get(&g->defined, symbol.id);
    if (at != MAP_NONE && at > g->need) g->need = at;
}

static void keep_read(void *data, loop_buffer_id b)
{
    grouping *g = data;
    if (g->part > g->read[b]) g->read[b] = g->part;
}

static void keep_written(void *data, loop_buffer_id b)
{
    grouping *g = data;
    if (g->part > g->written[b]) g->written[b] = g->part;
}

static void keep_symbol(void *data, sym_expr symbol)
{
    (void)data;
    (void)symbol;
}

/* Of the node that the op is made for; of none: the first part that it can be in. */
static uint32_t own_part(grouping *g, uint32_t k)
{
    lowering *l = g->l;
    uint32_t origin = l->program->ops.at[k].origin;
    const fx_node *n = origin < l->graph->by_id.count ? l->graph->by_id.at[origin] : NULL;
    if ((!n || n->kind != FX_CALL) && k >= g->parts->first_late)
        n = g->parts->late.at[k - g->parts->first_late];
    if (n && n->kind == FX_CALL) {
        uint32_t part = g->parts->of[n->id];
        CHECK(l->session, goes_along(l, n) || g->parts->classes.at[part] == fx_class(n));
        return part;
    }
    if (n && fx_class(n) != FX_ANY_CLASS) return part_behind(g, fx_class(n), 0);
    return g->need ? g->need - 1 : 0;
}

/* An op, or a region: the ops from k to `end`. */
static void place_unit(grouping *g, uint32_t k, uint32_t end)
{
    loop_program *p = g->l->program;
    const lower_visitor needs = {p, need_symbol, need_buffer, need_overwritten, g};
    const lower_visitor keeps = {p, keep_symbol, keep_read, keep_written, g};
    g->need = 0;
    for (uint32_t i = k; i < end; i++) lower_visit_op(&needs, &p->ops.at[i]);
    uint32_t part = own_part(g, k);
    if (g->parts->classes.count == 0) part = part_behind(g, FX_ANY_CLASS, 0);
    if (part + 1 < g->need) part = part_behind(g, g->parts->classes.at[part], g->need - 1);
    g->part = part + 1;
    for (uint32_t i = k; i < end; i++) {
        lower_visit_op(&keeps, &p->ops.at[i]);
        if (p->ops.at[i].kind == LOOP_DEFINE)
            map_set(g->l->memory, &g->defined, p->ops.at[i].symbol.id, g->part);
        g->part_of[i] = part;
    }
}

static uint32_t end_of_unit(const loop_program *p, uint32_t k)
{
    uint32_t depth = 0;
    do {
        const loop_op *op = &p->ops.at[k++];
        if (op->kind != LOOP_CONTROL) continue;
        depth += op->control == LOOP_IF || op->control == LOOP_REPEAT;
        depth -= op->control == LOOP_END;
    } while (depth);
    return k;
}

static void begin_part(lowering *l, uint32_t class_)
{
    const lower_split *split = l->parts->split;
    loop_op *begin = loop_add_op(l->program, LOOP_CONTROL);
    begin->control = LOOP_PARTITION;
    begin->origin = UINT32_MAX;
    begin->message = split->name_of(split->data, class_);
}

static void put_in_parts(grouping *g)
{
    loop_program *p = g->l->program;
    uint32_t count = p->ops.count, parts = g->parts->classes.count;
    loop_op *ops = arena_copy(g->l->memory, p->ops.at, count * sizeof *ops);
    uint32_t *first = NEW_ARRAY(g->l->memory, uint32_t, parts + 2),
             *sorted = NEW_ARRAY(g->l->memory, uint32_t, count + 1);
    for (uint32_t k = 0; k < count; k++) first[g->part_of[k] + 2]++;
    for (uint32_t k = 2; k < parts + 2; k++) first[k] += first[k - 1];
    for (uint32_t k = 0; k < count; k++) sorted[first[g->part_of[k] + 1]++] = k;
    p->ops.count = 0;
    for (uint32_t part = 0; part < parts; part++) {
        begin_part(g->l, g->parts->classes.at[part]);
        for (uint32_t i = first[part]; i < first[part + 1]; i++)
            *loop_add_op(p, ops[sorted[i]].kind) = ops[sorted[i]];
    }
}

void lower_group_parts(lowering *l)
{
    loop_program *p = l->program;
    if (!l->parts) return;
    grouping g = {.l = l,
                  .parts = l->parts,
                  .part_of = NEW_ARRAY(l->memory, uint32_t, p->ops.count + 1),
                  .read = NEW_ARRAY(l->memory, uint32_t, p->buffers.count + 1),
                  .written = NEW_ARRAY(l->memory, uint32_t, p->buffers.count + 1)};
    for (uint32_t k = 0, end; k < p->ops.count; k = end) {
        end = end_of_unit(p, k);
        place_unit(&g, k, end);
    }
    put_in_parts(&g);
}

static bool begins_part(const loop_op *op)
{
    return op->kind == LOOP_CONTROL && op->control == LOOP_PARTITION;
}

void lower_drop_empty_parts(lowering *l)
{
    loop_program *p = l->program;
    const char *open = NULL;
    uint32_t kept = 0;
    for (uint32_t k = 0; l->parts && k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        if (begins_part(op)) {
            bool is_empty = k + 1 == p->ops.count || begins_part(&p->ops.at[k + 1]);
            if (is_empty || (open && strcmp(open, op->message) == 0)) continue;
            open = op->message;
        }
        p->ops.at[kept++] = *op;
    }
    if (l->parts) p->ops.count = kept;
}
