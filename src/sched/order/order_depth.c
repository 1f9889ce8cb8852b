/* order_depth.c -- a first order for the search: depth first, each node right after what it needs,
 * those that touch least memory before the others.
 */
#include "sched/order/order_priv.h"

#include <stdlib.h>

typedef struct sized {
    int64_t bytes;
    uint32_t node;
} sized;

static int by_bytes(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static sized touches(const order_problem *p, uint32_t node)
{
    sized s = {0, node};
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        s.bytes += p->bytes[p->uses.at[k]];
    return s;
}

/* By node: what it needs, least first. */
static uint32_t *needs_by_size(const order_problem *p, const sized *sizes, arena *scratch)
{
    uint32_t *out = NEW_ARRAY(scratch, uint32_t, p->before.first[p->node_count] + 1);
    sized *list = NEW_ARRAY(scratch, sized, p->node_count + 1);
    for (uint32_t node = 0; node < p->node_count; node++) {
        uint32_t first = p->before.first[node], count = p->before.first[node + 1] - first;
        for (uint32_t k = 0; k < count; k++) list[k] = sizes[p->before.at[first + k]];
        qsort(list, count, sizeof *list, by_bytes);
        for (uint32_t k = 0; k < count; k++) out[first + k] = list[k].node;
    }
    return out;
}

void order_depth(const order_problem *p, uint32_t *out, arena *scratch)
{
    arena_mark_t mark = arena_mark(scratch);
    sized *sizes = NEW_ARRAY(scratch, sized, p->node_count + 1);
    bool *seen = NEW_ARRAY(scratch, bool, p->node_count + 1);
    uint32_t *next = NEW_ARRAY(scratch, uint32_t, p->node_count + 1), /* by node: need to look at */
        *stack = NEW_ARRAY(scratch, uint32_t, p->node_count + 1), depth = 0, count = 0;
    for (uint32_t node = 0; node < p->node_count; node++) {
        sizes[node] = touches(p, node);
        next[node] = p->before.first[node];
    }
    const uint32_t *needs = needs_by_size(p, sizes, scratch);
    qsort(sizes, p->node_count, sizeof *sizes, by_bytes);
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (!seen[sizes[i].node]) stack[depth++] = sizes[i].node;
        seen[sizes[i].node] = true;
        while (depth) {
            uint32_t node = stack[depth - 1];
            if (next[node] == p->before.first[node + 1]) {
                out[count++] = node;
                depth--;
                continue;
            }
            uint32_t need = needs[next[node]++];
            if (!seen[need]) stack[depth++] = need;
            seen[need] = true;
        }
    }
    arena_release(scratch, mark);
}
