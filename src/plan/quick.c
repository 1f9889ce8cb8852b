/* quick.c -- see quick.h. The loops over slots and sections have no branches and no tails, so compilers
 * make vectors of them; on x86-64 they come twice, and the loader takes AVX2 where there is AVX2. */
#include "plan/quick.h"

#include <stdbool.h>
#include <string.h>

enum { LANES = PLAN_QUICK_LANES, NOTHING = -1 };
#define PLACED ((plan_units)1 << 30) /* the floor of what is placed, and of padding */

size_t plan_quick_memory(plan_quick *q, uint32_t blocks, uint32_t spans, uint32_t sections,
                         void *scratch)
{
    uintptr_t at = (uintptr_t)scratch;
    q->low = plan_carve_lanes(&at, spans);
    q->high = plan_carve_lanes(&at, spans);
    q->bottom = plan_carve_lanes(&at, spans);
    q->top = plan_carve_lanes(&at, spans);
    q->floor = plan_carve_lanes(&at, spans);
    q->left = plan_carve_lanes(&at, sections);
    q->slot = plan_carve_lanes(&at, blocks + 1);
    q->place = plan_carve_lanes(&at, spans);
    q->spare = plan_carve_lanes(&at, blocks);
    q->late = plan_carve_lanes(&at, blocks);
    return at - (uintptr_t)scratch;
}

/* ---- over all slots or sections ---- */

/* What lives in sections [low, high) rises to `top`; slot `placed` is no longer there. Returns the least
 * floor. */
PLAN_INSIDE plan_units raise(plan_quick *q, plan_units slots, plan_units low, plan_units high,
                             plan_units top, plan_units placed)
{
    const plan_units *restrict first = q->low, *restrict last = q->high,
                               *restrict bottom = q->bottom;
    plan_units *restrict floor = q->floor, least = PLACED;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++) {
        plan_units meets = -((first[i] < high) & (last[i] > low));
        plan_units onto = (top - bottom[i]) & meets;
        plan_units risen = floor[i] > onto ? floor[i] : onto;
        risen |= PLACED & -(i == placed);
        floor[i] = risen;
        least = least < risen ? least : risen;
    }
    return least < PLACED ? least : PLACED;
}

/* The first slot whose floor this is. */
PLAN_INSIDE plan_units slot_at(const plan_quick *q, plan_units slots, plan_units floor)
{
    const plan_units *restrict floors = q->floor;
    plan_units first = INT32_MAX;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++) {
        plan_units found = i | (((floors[i] == floor) - 1) & INT32_MAX);
        first = first < found ? first : found;
    }
    return first;
}

/* Takes `size` off what is left in sections [low, high). Returns the most that was left in one. */
PLAN_INSIDE plan_units take(plan_quick *q, plan_units sections, plan_units low, plan_units high,
                            plan_units size)
{
    plan_units *restrict left = q->left, most = 0;
    sections &= ~(LANES - 1);
    for (plan_units s = 0; s < sections; s++) {
        plan_units inside = -((s >= low) & (s < high)), was = left[s] & inside;
        most = most > was ? most : was;
        left[s] -= size & inside;
    }
    return most;
}

/* ---- one pass ---- */

uint32_t plan_quick_begin(plan_quick *q, const uint32_t *order)
{
    uint32_t k = 0, sections = PLAN_WHOLE_LANES(q->section_count);
    for (uint32_t i = 0; i < q->block_count; i++) {
        q->slot[i] = k;
        for (uint32_t a = q->first[order[i]]; a < q->first[order[i] + 1]; a++, k++) {
            q->low[k] = q->areas[a].low;
            q->high[k] = q->areas[a].high;
            q->bottom[k] = q->areas[a].bottom;
            q->top[k] = q->areas[a].top;
            q->floor[k] = 0;
            q->place[k] = i;
        }
    }
    q->slot[q->block_count] = k;
    for (; k % LANES; k++) {
        q->low[k] = q->high[k] = q->bottom[k] = 0;
        q->floor[k] = PLACED;
    }
    q->steps += q->block_count / 8;
    memcpy(q->left, q->load, q->section_count * sizeof *q->left);
    for (uint32_t s = q->section_count; s < sections; s++) q->left[s] = 0;
    return k;
}

/* The lowest offset from this one on at which no slot of [from, to) meets an obstacle. */
static plan_units past_obstacles(const plan_quick *q, uint32_t from, uint32_t to, plan_units offset)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t o = 0; o < q->obstacle_count; o++) {
            const plan_area *obstacle = &q->obstacles[o];
            for (uint32_t k = from; k < to; k++) {
                if (q->low[k] >= obstacle->high || obstacle->low >= q->high[k] ||
                    offset + q->bottom[k] >= obstacle->top ||
                    obstacle->bottom >= offset + q->top[k])
                    continue;
                offset = obstacle->top - q->bottom[k];
                moved = true;
            }
        }
    }
    return offset;
}

/* The lowest offset of the block in slots [from, to), which becomes the floor of them all. */
static plan_units settle(plan_quick *q, uint32_t from, uint32_t to)
{
    plan_units offset = 0;
    for (uint32_t k = from; k < to; k++) offset = q->floor[k] > offset ? q->floor[k] : offset;
    if (q->obstacle_count) offset = past_obstacles(q, from, to, offset);
    for (uint32_t k = from; k < to; k++) q->floor[k] = offset;
    return offset;
}

/* The section of [low, high) in which most was left before a block of `size` was taken off. */
static plan_units fullest(const plan_quick *q, plan_units low, plan_units high)
{
    plan_units at = low;
    for (plan_units s = low + 1; s < high; s++)
        if (q->left[s] > q->left[at]) at = s;
    return at;
}

PLAN_FAST static plan_units quick_pass_fast(plan_quick *q, const uint32_t *order, plan_units goal)
{
    plan_units slots = (plan_units)plan_quick_begin(q, order), height = 0, lowest = 0;
    plan_units sections = PLAN_WHOLE_LANES((plan_units)q->section_count);
    for (uint32_t left = q->block_count; left;) {
        plan_units slot = slot_at(q, slots, lowest);
        uint32_t place = q->place[slot], from = q->slot[place], to = q->slot[place + 1];
        bool is_alone = to - from == 1;
        if ((!is_alone || q->obstacle_count) && settle(q, from, to) > lowest) {
            lowest = raise(q, slots, 0, 0, 0, NOTHING);
            continue;
        }
        plan_units offset = lowest;
        for (uint32_t k = from; k < to && !is_alone; k++) q->floor[k] = PLACED;
        for (uint32_t k = from; k < to; k++) {
            plan_units low = q->low[k], high = q->high[k], top = offset + q->top[k];
            plan_units most = take(q, sections, low, high, q->top[k] - q->bottom[k]);
            if (offset + most > goal || top > goal) {
                q->floor[k] = offset;
                q->full = fullest(q, low, high);
                return -1;
            }
            height = height > top ? height : top;
            lowest = raise(q, slots, low, high, top, is_alone ? slot : NOTHING);
        }
        q->offsets[order[place]] = offset;
        q->steps++;
        left--;
    }
    return height;
}

plan_units plan_quick_pass(plan_quick *q, const uint32_t *order, plan_units goal)
{
    return quick_pass_fast(q, order, goal);
}

/* ---- stacks ---- */

PLAN_INSIDE plan_units highest(const plan_units *restrict tops, plan_units sections, plan_units low,
                               plan_units high)
{
    plan_units most = 0;
    sections &= ~(LANES - 1);
    for (plan_units s = 0; s < sections; s++) {
        plan_units top = tops[s] & -((s >= low) & (s < high));
        most = most > top ? most : top;
    }
    return most;
}

PLAN_INSIDE void cover(plan_units *restrict tops, plan_units sections, plan_units low,
                       plan_units high, plan_units top)
{
    sections &= ~(LANES - 1);
    for (plan_units s = 0; s < sections; s++) {
        plan_units inside = -((s >= low) & (s < high));
        tops[s] = (tops[s] & ~inside) | (top & inside);
    }
}

PLAN_FAST static plan_units quick_stack_fast(plan_quick *q, const uint32_t *order, plan_units goal)
{
    plan_units sections = PLAN_WHOLE_LANES((plan_units)q->section_count), height = 0;
    memset(q->left, 0, (size_t)sections * sizeof *q->left);
    for (uint32_t i = 0; i < q->block_count; i++) {
        const plan_area *from = q->areas + q->first[order[i]],
                        *to = q->areas + q->first[order[i] + 1];
        plan_units offset = 0;
        for (const plan_area *a = from; a < to; a++) {
            plan_units floor = highest(q->left, sections, a->low, a->high) - a->bottom;
            offset = offset > floor ? offset : floor;
        }
        for (const plan_area *a = from; a < to; a++) {
            cover(q->left, sections, a->low, a->high, offset + a->top);
            height = height > offset + a->top ? height : offset + a->top;
        }
        if (height > goal) return -1;
        q->offsets[order[i]] = offset;
    }
    q->steps += q->block_count / 2;
    return height;
}

plan_units plan_quick_stack(plan_quick *q, const uint32_t *order, plan_units goal)
{
    return quick_stack_fast(q, order, goal);
}

/* ---- mending ---- */

/* Marks the blocks, by place in the order, that wait for the section which stopped the pass. */
static void mark_late(plan_quick *q, uint32_t *late)
{
    memset(late, 0, q->block_count * sizeof *late);
    for (uint32_t k = 0; k < q->slot[q->block_count]; k++)
        late[q->place[k]] |=
            (q->floor[k] < PLACED) & (q->low[k] <= q->full) & (q->full < q->high[k]);
}

void plan_quick_reorder(plan_quick *q, uint32_t *order)
{
    uint32_t count = q->block_count, up = count / 14 + 1, ahead = 0, placed = 0;
    uint32_t *late = q->late;
    mark_late(q, late);
    for (uint32_t i = 0; i < count; i++) {
        for (; ahead < count && ahead <= i + up; ahead++)
            if (late[ahead]) q->spare[placed++] = order[ahead];
        if (!late[i]) q->spare[placed++] = order[i];
    }
    memcpy(order, q->spare, count * sizeof *order);
}
