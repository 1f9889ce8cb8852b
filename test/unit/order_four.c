/* order_four.c -- the orders of heuristics that a well-known compiler tries for the same purpose, but for
 * the first, which is that of the program. */
#include "order_graphs.h"

#include <stdlib.h>

/* What a node allocates: the buffers that it is the first to use in the order of numbers. */
static int64_t size_of(const order_problem *p, uint32_t node)
{
    int64_t size = 0;
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        if (p->users.at[p->users.first[p->uses.at[k]]] == node) size += p->bytes[p->uses.at[k]];
    return size;
}

static int64_t touched(const order_problem *p, uint32_t node)
{
    int64_t size = 0;
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        size += p->bytes[p->uses.at[k]];
    return size;
}

static int64_t freed_by(const order_problem *p, const uint32_t *left, uint32_t node)
{
    int64_t size = 0;
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        if (left[p->uses.at[k]] == 1 && !p->stays[p->uses.at[k]]) size += p->bytes[p->uses.at[k]];
    return size;
}

typedef struct ready_list {
    const order_problem *p;
    uint32_t *waits;
    id_list ready;
    arena *memory;
} ready_list;

static ready_list start(const order_problem *p, arena *memory)
{
    ready_list r = {p, NEW_ARRAY(memory, uint32_t, p->node_count + 1), {0}, memory};
    for (uint32_t v = 0; v < p->node_count; v++) {
        r.waits[v] = p->before.first[v + 1] - p->before.first[v];
        if (!r.waits[v]) vec_push(memory, &r.ready, v);
    }
    return r;
}

static uint32_t take(ready_list *r, uint32_t index)
{
    uint32_t node = r->ready.at[index];
    r->ready.at[index] = vec_last(&r->ready);
    r->ready.count--;
    for (uint32_t k = r->p->after.first[node]; k < r->p->after.first[node + 1]; k++)
        if (!--r->waits[r->p->after.at[k]]) vec_push(r->memory, &r->ready, r->p->after.at[k]);
    return node;
}

void four_least(const order_problem *p, uint32_t *out, arena *memory)
{
    ready_list r = start(p, memory);
    uint32_t *left = NEW_ARRAY(memory, uint32_t, p->buffer_count + 1);
    int64_t live = 0, most = 0;
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        left[b] = p->users.first[b + 1] - p->users.first[b];
        if (p->stays[b]) most += p->bytes[b];
    }
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t best = 0;
        int64_t key[2] = {0, 0};
        for (uint32_t k = 0; k < r.ready.count; k++) {
            uint32_t v = r.ready.at[k];
            int64_t size = size_of(p, v), over = size > most - live ? size : 0,
                    net = size - freed_by(p, left, v);
            bool less = over != key[0]  ? over < key[0]
                        : net != key[1] ? net < key[1]
                                        : v < r.ready.at[best];
            if (k && !less) continue;
            best = k;
            key[0] = over;
            key[1] = net;
        }
        uint32_t v = out[i] = take(&r, best);
        live += size_of(p, v);
        if (live > most) most = live;
        live -= freed_by(p, left, v);
        for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) left[p->uses.at[k]]--;
    }
}

static int rising(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The places of a node's predecessors, rising. */
static uint32_t *places_before(const order_problem *p, const uint32_t *place, uint32_t v,
                               uint32_t *count, arena *memory)
{
    uint32_t *list = NEW_ARRAY(memory, uint32_t, p->before.first[v + 1] - p->before.first[v] + 1);
    *count = 0;
    for (uint32_t k = p->before.first[v]; k < p->before.first[v + 1]; k++)
        list[(*count)++] = place[p->before.at[k]];
    qsort(list, *count, sizeof *list, rising);
    return list;
}

static bool earlier(const order_problem *p, const uint32_t *place, uint32_t a, uint32_t b,
                    arena *memory)
{
    uint32_t x_count, y_count;
    const uint32_t *x = places_before(p, place, a, &x_count, memory),
                   *y = places_before(p, place, b, &y_count, memory);
    for (uint32_t i = 0; i < x_count && i < y_count; i++)
        if (x[i] != y[i]) return x[i] < y[i];
    return x_count != y_count ? x_count < y_count : a < b;
}

void four_fifo(const order_problem *p, uint32_t *out, arena *memory)
{
    ready_list r = start(p, memory);
    uint32_t *place = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < r.ready.count; k++)
            if (earlier(p, place, r.ready.at[k], r.ready.at[best], memory)) best = k;
        out[i] = take(&r, best);
        place[out[i]] = i;
    }
}

typedef struct sized {
    int64_t size;
    uint32_t node;
} sized;

static int by_size(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void visit(const order_problem *p, uint32_t v, bool *seen, uint32_t *out, uint32_t *count,
                  arena *memory)
{
    uint32_t needs = p->before.first[v + 1] - p->before.first[v];
    sized *list = NEW_ARRAY(memory, sized, needs + 1);
    if (seen[v]) return;
    seen[v] = true;
    for (uint32_t k = 0; k < needs; k++) {
        uint32_t u = p->before.at[p->before.first[v] + k];
        list[k] = (sized){touched(p, u), u};
    }
    qsort(list, needs, sizeof *list, by_size);
    for (uint32_t k = 0; k < needs; k++) visit(p, list[k].node, seen, out, count, memory);
    out[(*count)++] = v;
}

void four_depth(const order_problem *p, uint32_t *out, arena *memory)
{
    sized *all = NEW_ARRAY(memory, sized, p->node_count + 1);
    bool *seen = NEW_ARRAY(memory, bool, p->node_count + 1);
    uint32_t count = 0;
    for (uint32_t v = 0; v < p->node_count; v++) all[v] = (sized){touched(p, v), v};
    qsort(all, p->node_count, sizeof *all, by_size);
    for (uint32_t i = 0; i < p->node_count; i++) visit(p, all[i].node, seen, out, &count, memory);
}
