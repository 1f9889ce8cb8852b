/* pairs.c -- see pairs.h. */
#include "plan/pairs.h"

#include <stdbool.h>

enum { LANES = PLAN_QUICK_LANES, NOWHERE = -2 }; /* NOWHERE: no section, and none is beside it */

size_t plan_pairs_memory(plan_pairs *p, uint32_t blocks, uint32_t spans, void *scratch)
{
    uintptr_t at = (uintptr_t)scratch;
    p->low = plan_carve_lanes(&at, blocks);
    p->high = plan_carve_lanes(&at, blocks);
    p->size = plan_carve_lanes(&at, blocks);
    p->first = plan_carve(&at, ((size_t)blocks + 1) * sizeof *p->first);
    p->areas = plan_carve(&at, spans * sizeof *p->areas);
    p->joins = plan_carve(&at, blocks * sizeof *p->joins);
    return at - (uintptr_t)scratch;
}

/* The first block in lanes [from, lanes) other than x that fits x; INT32_MAX: none. */
PLAN_INSIDE plan_units fitting(const plan_pairs *p, plan_units x, plan_units from, plan_units lanes)
{
    const plan_units *restrict low = p->low, *restrict high = p->high, *restrict size = p->size;
    plan_units x_low = low[x], x_high = high[x], x_size = size[x], found = INT32_MAX;
    from &= ~(LANES - 1);
    lanes &= ~(LANES - 1);
    for (plan_units i = from; i < lanes; i++) {
        plan_units over = (low[i] == x_low) & (high[i] == x_high);
        plan_units beside = (size[i] == x_size) & ((high[i] == x_low) | (low[i] == x_high));
        plan_units fit = i | ((((over | beside) & (i != x)) - 1) & INT32_MAX);
        found = found < fit ? found : fit;
    }
    return found;
}

static void join(plan_pairs *p, plan_units x, plan_units other)
{
    bool is_over = p->low[x] == p->low[other] && p->high[x] == p->high[other];
    p->joins[p->join_count++] = (plan_join){(uint32_t)other, (uint32_t)x, is_over ? p->size[x] : 0};
    if (is_over) p->size[x] += p->size[other];
    if (p->low[other] < p->low[x]) p->low[x] = p->low[other];
    if (p->high[other] > p->high[x]) p->high[x] = p->high[other];
    p->low[other] = p->high[other] = NOWHERE;
}

/* Blocks before x have been joined with all they fit, so it is looked for behind x until x has grown. */
PLAN_FAST static void join_all(plan_pairs *p, plan_units blocks)
{
    plan_units lanes = PLAN_WHOLE_LANES(blocks);
    for (plan_units x = 0; x < blocks; x++) {
        if (p->low[x] == NOWHERE) continue;
        plan_units other = fitting(p, x, x, lanes);
        while (other != INT32_MAX) {
            join(p, x, other);
            other = fitting(p, x, 0, lanes);
        }
    }
}

void plan_pairs_make(plan_pairs *p, uint32_t blocks, const uint32_t *first, const plan_area *areas)
{
    uint32_t count = 0;
    p->join_count = 0;
    for (uint32_t b = 0; b < PLAN_WHOLE_LANES(blocks); b++) {
        bool can = b < blocks && first[b + 1] - first[b] == 1 && areas[first[b]].bottom == 0;
        p->low[b] = can ? areas[first[b]].low : NOWHERE;
        p->high[b] = can ? areas[first[b]].high : NOWHERE;
        p->size[b] = can ? areas[first[b]].top : 0;
    }
    join_all(p, (plan_units)blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        bool can = first[b + 1] - first[b] == 1 && areas[first[b]].bottom == 0;
        p->first[b] = count;
        if (can && p->low[b] != NOWHERE)
            p->areas[count++] = (plan_area){p->low[b], p->high[b], 0, p->size[b]};
        for (uint32_t k = first[b]; k < first[b + 1] && !can; k++) p->areas[count++] = areas[k];
    }
    p->first[blocks] = count;
}

void plan_pairs_split(const plan_pairs *p, plan_units *offsets)
{
    for (uint32_t k = p->join_count; k-- > 0;)
        offsets[p->joins[k].from] = offsets[p->joins[k].into] + p->joins[k].above;
}
