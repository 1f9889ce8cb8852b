/* order_peak.c -- what an order costs, and what none is below. */
#include "sched/order/order_priv.h"

#include <string.h>

/* ---- lists ---- */

static order_lists inverse(const order_lists *lists, uint32_t count, uint32_t target_count,
                           arena *memory)
{
    order_lists out = {NEW_ARRAY(memory, uint32_t, target_count + 2),
                       NEW_ARRAY(memory, uint32_t, lists->first[count] + 1)};
    for (uint32_t i = 0; i < lists->first[count]; i++) out.first[lists->at[i] + 2]++;
    for (uint32_t t = 2; t < target_count + 2; t++) out.first[t] += out.first[t - 1];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = lists->first[i]; k < lists->first[i + 1]; k++)
            out.at[out.first[lists->at[k] + 1]++] = i;
    return out;
}

void order_complete(order_problem *p, arena *memory)
{
    p->after = inverse(&p->before, p->node_count, p->node_count, memory);
    p->users = inverse(&p->uses, p->node_count, p->buffer_count, memory);
}

/* ---- one order ---- */

typedef struct peak_walk {
    const order_problem *p;
    uint32_t *left; /* by buffer: users that have not run */
    bool *handed;   /* by buffer: its memory is another's before or after it, at the node at hand */
} peak_walk;

static uint32_t user_count(const order_problem *p, uint32_t b)
{
    return p->users.first[b + 1] - p->users.first[b];
}

static bool is_fresh(const peak_walk *w, uint32_t b)
{
    return w->left[b] == user_count(w->p, b);
}

static bool ends_here(const peak_walk *w, uint32_t b)
{
    return w->left[b] == 1 && !w->p->stays[b];
}

static void note_takes(peak_walk *w, uint32_t node, bool value)
{
    const order_problem *p = w->p;
    for (uint32_t i = p->first_reuse[node]; i < p->first_reuse[node + 1]; i++) {
        order_reuse take = p->reuses[i];
        bool happens = ends_here(w, take.from) && !is_fresh(w, take.from) && is_fresh(w, take.to) &&
                       !w->handed[take.from] && !w->handed[take.to];
        if (!value) w->handed[take.from] = w->handed[take.to] = false;
        if (value && happens) w->handed[take.from] = w->handed[take.to] = true;
    }
}

/* Runs the order; what is in use while each node runs, and after it. */
static int64_t walk_order(const order_problem *p, const uint32_t *order, int64_t *during,
                          int64_t *after, arena *scratch)
{
    arena_mark_t mark = arena_mark(scratch);
    peak_walk w = {p, NEW_ARRAY(scratch, uint32_t, p->buffer_count + 1),
                   NEW_ARRAY(scratch, bool, p->buffer_count + 1)};
    int64_t now = 0, peak = 0;
    for (uint32_t b = 0; b < p->buffer_count; b++) w.left[b] = user_count(p, b);
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t node = order[i];
        note_takes(&w, node, true);
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++) {
            uint32_t b = p->uses.at[k];
            if (is_fresh(&w, b) && !w.handed[b]) now += p->bytes[b];
        }
        if (now > peak) peak = now;
        if (during) during[i] = now;
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++) {
            uint32_t b = p->uses.at[k];
            if (ends_here(&w, b) && !(w.handed[b] && !is_fresh(&w, b))) now -= p->bytes[b];
        }
        if (after) after[i] = now;
        note_takes(&w, node, false);
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
            w.left[p->uses.at[k]]--;
    }
    arena_release(scratch, mark);
    return peak;
}

int64_t order_peak(const order_problem *p, const uint32_t *order, int64_t *live, arena *scratch)
{
    return walk_order(p, order, live, NULL, scratch);
}

void order_changes(const order_problem *p, const uint32_t *order, int64_t *hill, int64_t *net,
                   arena *scratch)
{
    int64_t *during = NEW_ARRAY(scratch, int64_t, p->node_count + 1),
            *after = NEW_ARRAY(scratch, int64_t, p->node_count + 1), before = 0;
    walk_order(p, order, during, after, scratch);
    for (uint32_t i = 0; i < p->node_count; i++) {
        hill[order[i]] = during[i] - before;
        net[order[i]] = after[i] - before;
        before = after[i];
    }
}

/* ---- all orders ---- */

typedef struct matching {
    const order_reuse *reuses;
    uint32_t count;
    bool *chosen, *tried; /* by take */
} matching;

static uint32_t chosen_from(const matching *m, uint32_t from)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->chosen[i] && m->reuses[i].from == from) return i;
    return m->count;
}

/* Finds something that the buffer can take, if need be what another has so far. */
static bool match(const matching *m, uint32_t to)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->reuses[i].to != to || m->tried[i]) continue;
        for (uint32_t k = 0; k < m->count; k++)
            m->tried[k] |= m->reuses[k].from == m->reuses[i].from;
        uint32_t other = chosen_from(m, m->reuses[i].from);
        if (other < m->count) m->chosen[other] = false;
        if (other == m->count || match(m, m->reuses[other].to)) return m->chosen[i] = true;
        m->chosen[other] = true;
    }
    return false;
}

/* All takes of a buffer are of its size, so the most of them are the most bytes. */
int64_t order_most_taken(const order_reuse *takes, const int64_t *bytes, uint32_t count,
                         arena *scratch)
{
    matching m = {takes, count, NEW_ARRAY(scratch, bool, count + 1),
                  NEW_ARRAY(scratch, bool, count + 1)};
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++) again |= takes[k].to == takes[i].to;
        memset(m.tried, 0, count);
        if (!again && match(&m, takes[i].to)) sum += bytes[i];
    }
    return sum;
}

static int64_t most_taken(const order_problem *p, uint32_t node, arena *scratch)
{
    arena_mark_t mark = arena_mark(scratch);
    uint32_t first = p->first_reuse[node], count = p->first_reuse[node + 1] - first;
    int64_t *bytes = NEW_ARRAY(scratch, int64_t, count + 1);
    for (uint32_t i = 0; i < count; i++) bytes[i] = p->bytes[p->reuses[first + i].to];
    int64_t most = count ? order_most_taken(p->reuses + first, bytes, count, scratch) : 0;
    arena_release(scratch, mark);
    return most;
}

/* A node needs its buffers, less what it may take over, and all that stays is there at the end. */
int64_t order_bound(const order_problem *p, arena *scratch)
{
    int64_t bound = 0, kept = 0;
    for (uint32_t node = 0; node < p->node_count; node++) {
        int64_t needed = 0;
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
            needed += p->bytes[p->uses.at[k]];
        needed -= most_taken(p, node, scratch);
        if (needed > bound) bound = needed;
    }
    for (uint32_t b = 0; b < p->buffer_count; b++)
        if (p->stays[b] && user_count(p, b)) kept += p->bytes[b];
    return kept > bound ? kept : bound;
}
