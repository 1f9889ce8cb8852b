/* order_series.c -- the best order of a series-parallel problem.
 *
 * When each node adds and frees the same in every order, the least peak under series-parallel
 * precedence is known (Abdel-Wahab and Kameda 1978; for trees Liu 1987): a chain of nodes falls
 * apart into segments that are best run whole; segments that free at least what they take come
 * first, those that need least in between before others; then those that take more than they free,
 * those that give back most of what they need in between first. Two chains side by side are merged by
 * that rule; a chain behind another is appended, and segments that now stand against the rule grow
 * together. Nodes in series and in parallel are merged so until one is left.
 *
 * What is left when nothing can be merged is run in the order that it had.
 */
#include "sched/order/order_priv.h"

#include <stdlib.h>

#define NONE UINT32_MAX
enum {
    MOST_CLOSURE = 6000, /* nodes for which all paths are worked out */
    MOST_WORK = 4000000  /* segments and edges looked at */
};

typedef struct segment {
    int64_t hill, net;   /* most that it adds on the way; what it leaves behind */
    uint32_t head, tail; /* nodes, linked */
} segment;
typedef VEC(segment) chain;
typedef VEC(uint32_t) node_list;

typedef struct reducer {
    const order_problem *p;
    arena *memory, *scratch;
    uint32_t count;
    chain *chains;             /* by node that stands for others too */
    node_list *before, *after; /* what is left of the edges */
    bool *is_gone;             /* by node */
    uint32_t *next;            /* by node: the one that runs behind it in its segment */
    node_list work;            /* nodes to look at */
    bool *is_listed;
    uint64_t spent;
} reducer;

/* ---- segments ---- */

/* Must a run before b? */
static bool comes_first(const segment *a, const segment *b)
{
    bool a_gives = a->net <= 0, b_gives = b->net <= 0;
    if (a_gives != b_gives) return a_gives;
    return a_gives ? a->hill < b->hill : a->hill - a->net > b->hill - b->net;
}

static void append(reducer *r, chain *c, segment s)
{
    while (c->count && comes_first(&s, &vec_last(c))) {
        segment front = vec_last(c);
        c->count--;
        r->next[front.tail] = s.head;
        int64_t later = front.net + s.hill;
        s = (segment){front.hill > later ? front.hill : later, front.net + s.net, front.head,
                      s.tail};
    }
    vec_push(r->memory, c, s);
}

typedef struct tagged {
    segment s;
    uint32_t place; /* among all that are merged: equal ones stay in order */
} tagged;

static int by_rule(const void *a, const void *b)
{
    const tagged *x = a, *y = b;
    if (comes_first(&x->s, &y->s)) return -1;
    if (comes_first(&y->s, &x->s)) return 1;
    return x->place < y->place ? -1 : 1;
}

/* All chains of `nodes` side by side, as the chain of the first. */
static void merge_parallel(reducer *r, const uint32_t *nodes, uint32_t count)
{
    uint32_t total = 0, at = 0;
    for (uint32_t i = 0; i < count; i++) total += r->chains[nodes[i]].count;
    r->spent += total;
    chain merged = {0};
    vec_reserve(r->memory, &merged, total);
    arena_mark_t mark = arena_mark(r->scratch);
    tagged *all = NEW_ARRAY(r->scratch, tagged, total + 1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < r->chains[nodes[i]].count; k++, at++)
            all[at] = (tagged){r->chains[nodes[i]].at[k], at};
    qsort(all, total, sizeof *all, by_rule);
    for (uint32_t i = 0; i < total; i++) vec_push(r->memory, &merged, all[i].s);
    arena_release(r->scratch, mark);
    r->chains[nodes[0]] = merged;
    for (uint32_t i = 1; i < count; i++) r->is_gone[nodes[i]] = true;
}

/* ---- edges ---- */

static void look_at(reducer *r, uint32_t node)
{
    if (r->is_listed[node] || r->is_gone[node]) return;
    r->is_listed[node] = true;
    vec_push(r->memory, &r->work, node);
}

static void drop_gone(const reducer *r, node_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (!r->is_gone[list->at[i]]) list->at[kept++] = list->at[i];
    list->count = kept;
}

static void rename_in(node_list *list, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] == from) list->at[i] = to;
}

/* u with its only successor, whose only predecessor it is. */
static bool merge_series(reducer *r, uint32_t u)
{
    if (r->after[u].count != 1) return false;
    uint32_t v = r->after[u].at[0];
    if (r->before[v].count != 1) return false;
    for (uint32_t i = 0; i < r->chains[v].count; i++) append(r, &r->chains[u], r->chains[v].at[i]);
    r->is_gone[v] = true;
    r->after[u] = r->after[v];
    for (uint32_t i = 0; i < r->after[u].count; i++) rename_in(&r->before[r->after[u].at[i]], v, u);
    return true;
}

/* The one node of a list, NONE when it is empty; false when there are more. */
static bool only(const node_list *list, uint32_t *node)
{
    *node = list->count ? list->at[0] : NONE;
    return list->count <= 1;
}

typedef struct twin {
    uint32_t far, node; /* its only neighbour on the other side */
} twin;

static int by_far(const void *a, const void *b)
{
    const twin *x = a, *y = b;
    if (x->far != y->far) return x->far < y->far ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Among these nodes, each of which has no other neighbour on their side: those with one neighbour
 * (or none) on the other side in common become one. */
static bool merge_twins(reducer *r, const node_list *nodes, bool forward)
{
    arena_mark_t mark = arena_mark(r->scratch);
    twin *twins = NEW_ARRAY(r->scratch, twin, nodes->count + 1);
    uint32_t count = 0, *group = NEW_ARRAY(r->scratch, uint32_t, nodes->count + 1);
    bool merged = false;
    r->spent += nodes->count;
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint32_t node = nodes->at[i], near, far;
        const node_list *here = forward ? &r->before[node] : &r->after[node],
                        *there = forward ? &r->after[node] : &r->before[node];
        if (r->is_gone[node] || !only(here, &near) || !only(there, &far)) continue;
        twins[count++] = (twin){far, node};
    }
    qsort(twins, count, sizeof *twins, by_far);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && twins[end].far == twins[i].far; end++)
            group[end - i] = twins[end].node;
        if (end - i < 2) continue;
        merge_parallel(r, group, end - i);
        merged = true;
        if (twins[i].far != NONE) {
            drop_gone(r, forward ? &r->before[twins[i].far] : &r->after[twins[i].far]);
            look_at(r, twins[i].far);
        }
        look_at(r, group[0]);
    }
    arena_release(r->scratch, mark);
    return merged;
}

static void reduce_at(reducer *r, uint32_t node)
{
    bool changed = true;
    while (changed && !r->is_gone[node] && r->spent < MOST_WORK) {
        changed = merge_series(r, node);
        if (r->after[node].count > 1 && merge_twins(r, &r->after[node], true)) {
            drop_gone(r, &r->after[node]);
            changed = true;
        }
        if (r->before[node].count > 1 && merge_twins(r, &r->before[node], false)) {
            drop_gone(r, &r->before[node]);
            changed = true;
        }
        if (!changed) continue;
        for (uint32_t i = 0; i < r->before[node].count; i++) look_at(r, r->before[node].at[i]);
        for (uint32_t i = 0; i < r->after[node].count; i++) look_at(r, r->after[node].at[i]);
    }
}

/* ---- the problem as edges that say nothing twice ---- */

/* Leaves out edges that a longer path makes needless (x to the sum behind a block that x enters). */
static void copy_edges(reducer *r)
{
    const order_problem *p = r->p;
    uint32_t words = (r->count + 63) / 64;
    bool closes = r->count <= MOST_CLOSURE;
    arena *scratch = arena_new(arena_session(r->memory));
    uint64_t *above = closes ? NEW_ARRAY(scratch, uint64_t, (size_t)r->count * words) : NULL;
    for (uint32_t v = 0; v < r->count; v++) {
        uint32_t first = p->before.first[v], end = p->before.first[v + 1];
        uint64_t *own = closes ? above + (size_t)v * words : NULL;
        for (uint32_t k = first; k < end && closes; k++) {
            const uint64_t *from = above + (size_t)p->before.at[k] * words;
            for (uint32_t w = 0; w < words; w++) own[w] |= from[w];
        }
        for (uint32_t k = first; k < end; k++) {
            uint32_t u = p->before.at[k];
            if (closes && own[u / 64] >> (u % 64) & 1)
                continue; /* another predecessor is behind it */
            vec_push(r->memory, &r->before[v], u);
            vec_push(r->memory, &r->after[u], v);
        }
        for (uint32_t k = first; k < end && closes; k++)
            own[p->before.at[k] / 64] |= 1ull << (p->before.at[k] % 64);
    }
    arena_free(scratch);
}

/* ---- the order ---- */

/* What is left, in the order of its first nodes: predecessors first. */
static void write_out(const reducer *r, const uint32_t *order, uint32_t *out, arena *scratch)
{
    uint32_t count = 0;
    uint32_t *waits = NEW_ARRAY(scratch, uint32_t, r->count + 1);
    node_list ready = {0};
    node_list roots = {0};
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t node = order[i];
        waits[node] = r->before[node].count;
        if (!r->is_gone[node]) vec_push(scratch, &roots, node);
    }
    for (uint32_t i = 0; i < roots.count; i++)
        if (!waits[roots.at[roots.count - 1 - i]])
            vec_push(scratch, &ready, roots.at[roots.count - 1 - i]);
    while (ready.count) {
        uint32_t node = ready.at[--ready.count];
        for (uint32_t k = 0; k < r->chains[node].count; k++)
            for (uint32_t at = r->chains[node].at[k].head;; at = r->next[at]) {
                out[count++] = at;
                if (at == r->chains[node].at[k].tail) break;
            }
        for (uint32_t k = r->after[node].count; k-- > 0;)
            if (!--waits[r->after[node].at[k]]) vec_push(scratch, &ready, r->after[node].at[k]);
    }
    CHECK(arena_session(scratch), count == r->count);
}

/* ---- is it the best? ---- */

static bool comes_before(const order_problem *p, uint32_t u, uint32_t v)
{
    for (uint32_t k = p->before.first[v]; k < p->before.first[v + 1]; k++)
        if (p->before.at[k] == u) return true;
    return false;
}

/* Has each buffer the same first and last user in all orders? Then each node adds and frees the same. */
static bool is_same_in_all_orders(const order_problem *p)
{
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        const uint32_t *users = p->users.at + p->users.first[b];
        uint32_t count = p->users.first[b + 1] - p->users.first[b];
        if (count > 2 && !p->stays[b]) return false;
        for (uint32_t k = 1; k < count; k++)
            if (!comes_before(p, users[0], users[k])) return false;
    }
    return true;
}

static bool is_one(const reducer *r)
{
    uint32_t left = 0;
    for (uint32_t v = 0; v < r->count; v++) left += !r->is_gone[v];
    return left <= 1;
}

bool order_series(const order_problem *p, const uint32_t *order, uint32_t *out, arena *scratch)
{
    uint32_t count = p->node_count;
    int64_t *hill = NEW_ARRAY(scratch, int64_t, count + 1),
            *net = NEW_ARRAY(scratch, int64_t, count + 1);
    reducer r = {.p = p,
                 .memory = scratch,
                 .scratch = arena_new(arena_session(scratch)),
                 .count = count,
                 .chains = NEW_ARRAY(scratch, chain, count + 1),
                 .before = NEW_ARRAY(scratch, node_list, count + 1),
                 .after = NEW_ARRAY(scratch, node_list, count + 1),
                 .is_gone = NEW_ARRAY(scratch, bool, count + 1),
                 .is_listed = NEW_ARRAY(scratch, bool, count + 1),
                 .next = NEW_ARRAY(scratch, uint32_t, count + 1)};
    order_changes(p, order, hill, net, scratch);
    copy_edges(&r);
    for (uint32_t v = 0; v < count; v++)
        vec_push(scratch, &r.chains[v], ((segment){hill[v], net[v], v, v}));
    node_list sources = {0}, sinks = {0};
    for (uint32_t v = count; v-- > 0;) look_at(&r, v);
    while (r.work.count && r.spent < MOST_WORK) {
        uint32_t node = r.work.at[--r.work.count];
        r.is_listed[node] = false;
        if (!r.is_gone[node]) reduce_at(&r, node);
    }
    for (uint32_t v = 0; v < count; v++) {
        if (r.is_gone[v]) continue;
        if (!r.before[v].count) vec_push(scratch, &sources, v);
        if (!r.after[v].count) vec_push(scratch, &sinks, v);
    }
    merge_twins(&r, &sources, true);
    merge_twins(&r, &sinks, false);
    write_out(&r, order, out, scratch);
    arena_free(r.scratch);
    return is_one(&r) && is_same_in_all_orders(p);
}
