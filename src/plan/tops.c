/* tops.c -- see tops.h. libc alone: the runtime compiles this file too. */
#include "plan/tops.h"

#include "plan/skyline.h"

uint32_t plan_tops_leaves(uint32_t section_count)
{
    uint32_t leaves = 1;
    while (leaves < section_count) leaves *= 2;
    return leaves;
}

/* A top and the node where it was seen. */
typedef struct highest {
    int64_t top;
    uint32_t node;
} highest;

static inline highest higher(highest best, int64_t top, uint32_t node)
{
    return top > best.top ? (highest){top, node} : best;
}

/* Nodes that hold part of the range count by what was raised on them as a whole; nodes inside the range by
 * their highest. Node 0 is no node and stays 0: it stands for "none". */
int64_t plan_tops_highest(const int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high,
                          uint32_t *at)
{
    const int64_t *raised = tops + (size_t)leaves * 2;
    const uint32_t first = low + leaves;
    const uint32_t last = high - 1 + leaves;
    uint32_t left = first;
    uint32_t right = last;
    highest best = higher((highest){tops[first], first}, tops[last], last);
    while ((left ^ right) > 1) {
        /* The siblings, if they are on the inside. */
        uint32_t inside_left = (left + 1) & ((left & 1) - 1);
        uint32_t inside_right = (right - 1) & (0 - (right & 1));
        left >>= 1;
        right >>= 1;
        best = higher(best, tops[inside_left], inside_left);
        best = higher(best, tops[inside_right], inside_right);
        best = higher(best, raised[left], first);
        best = higher(best, raised[right], last);
    }
    while (left >>= 1) best = higher(best, raised[left], first);
    *at = best.node;
    return best.top;
}

uint32_t plan_tops_section(const int64_t *tops, uint32_t leaves, uint32_t node)
{
    const int64_t *raised = tops + (size_t)leaves * 2;
    int64_t top = tops[node];
    while (node < leaves && raised[node] != top) node = 2 * node + (tops[2 * node] != top);
    while (node < leaves) node *= 2;
    return node - leaves;
}

static void lift(int64_t *tops, int64_t *raised, uint32_t node, int64_t top)
{
    tops[node] = plan_larger(tops[node], top);
    raised[node] = plan_larger(raised[node], top);
}

void plan_tops_raise(int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high, int64_t top)
{
    int64_t *raised = tops + (size_t)leaves * 2;
    uint32_t left = low + leaves;
    uint32_t right = high - 1 + leaves;
    lift(tops, raised, left, top);
    lift(tops, raised, right, top);
    while ((left ^ right) > 1) {
        if (!(left & 1)) lift(tops, raised, left ^ 1, top);
        if (right & 1) lift(tops, raised, right ^ 1, top);
        left >>= 1;
        right >>= 1;
        tops[left] = plan_larger(tops[left], top);
        tops[right] = plan_larger(tops[right], top);
    }
    while (left >>= 1) tops[left] = plan_larger(tops[left], top);
}
