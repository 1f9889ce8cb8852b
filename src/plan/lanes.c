/* lanes.c -- the inner loops of the search. The vectors are GNU C's, so any machine compiles
 * them; on x86-64 they come twice, and the loader takes AVX2 where there is AVX2. */
#include "plan/lanes.h"

typedef plan_cell lanes
    __attribute__((vector_size(PLAN_LANES * sizeof(plan_cell)), aligned(4), may_alias));

#define AT(array, i) (*(const lanes *)((array) + (i)))
#define EVERY(value) ((lanes){0} + (value))
#define PICK(mask, yes, no) (((yes) & (mask)) | ((no) & ~(mask)))
#define LESSER(a, b) PICK((a) < (b), (a), (b))

static const lanes STEPS = {
    0, 1, 2, 3,
#if PLAN_LANES == 8
    4, 5, 6, 7,
#endif
};

static inline __attribute__((always_inline)) plan_cell least_lane(const lanes *v)
{
    plan_cell least = (*v)[0];
    for (uint32_t k = 1; k < PLAN_LANES; k++)
        if ((*v)[k] < least) least = (*v)[k];
    return least;
}

/* Whether any lane of a comparison holds. */
static inline __attribute__((always_inline)) bool any_lane(const lanes *mask)
{
    typedef uint64_t pair __attribute__((may_alias));
    const pair *part = (const pair *)mask;
    uint64_t all = 0;
    for (uint32_t k = 0; k < PLAN_LANES / 2; k++) all |= part[k];
    return all != 0;
}

PLAN_LANES_FAST plan_lanes_raised plan_lanes_raise(const plan_frame *frame, const plan_cell *floors,
                                                   plan_cell *raised, uint32_t slot, plan_cell top)
{
    const plan_cell low = frame->first[slot];
    const plan_cell high = frame->last[slot];
    lanes hats = {0};
    lanes hull_low = EVERY(INT32_MAX);
    lanes hull_high = EVERY(INT32_MAX); /* of -last, so that both are minima */
    lanes index = STEPS - (plan_cell)slot;
    for (uint32_t i = 0; i < frame->padded; i += PLAN_LANES, index += (plan_cell)PLAN_LANES) {
        lanes first = AT(frame->first, i);
        lanes last = AT(frame->last, i);
        lanes floor = AT(floors, i);
        lanes conflict = (first < high) & (last > low) & (floor < PLAN_PLACED) & (index != 0);
        lanes rises = conflict & (floor < top);
        lanes risen = PICK(rises, EVERY(top), floor);
        hats |= conflict;
        hull_low = LESSER(hull_low, PICK(rises, first, hull_low));
        hull_high = LESSER(hull_high, PICK(rises, -last, hull_high));
        *(lanes *)(raised + i) = risen;
    }
    if (frame->mask)
        for (uint32_t i = 0; i < frame->padded; i += PLAN_LANES) {
            lanes mask = AT(frame->mask, i);
            *(lanes *)(raised + i) = (AT(raised, i) + mask) & ~mask;
        }
    raised[slot] = PLAN_PLACED;
    return (plan_lanes_raised){least_lane(&hull_low), -least_lane(&hull_high), any_lane(&hats)};
}

PLAN_LANES_FAST plan_cell plan_lanes_least_top(const plan_frame *frame, const plan_cell *floors)
{
    lanes least = EVERY(INT32_MAX);
    for (uint32_t i = 0; i < frame->padded; i += PLAN_LANES) {
        lanes top = AT(floors, i) + AT(frame->size, i);
        least = LESSER(top, least);
    }
    return least_lane(&least);
}

PLAN_LANES_FAST plan_cell plan_lanes_least(const plan_cell *at, uint32_t count)
{
    plan_cell best = INT32_MAX;
    uint32_t i = 0;
    if (count >= PLAN_LANES) {
        lanes least = AT(at, 0);
        for (i = PLAN_LANES; i + PLAN_LANES <= count; i += PLAN_LANES)
            least = LESSER(AT(at, i), least);
        best = least_lane(&least);
    }
    for (; i < count; i++)
        if (at[i] < best) best = at[i];
    return best;
}

PLAN_LANES_FAST plan_cell plan_lanes_least_blocker(const plan_frame *frame, const plan_cell *floors,
                                                   uint32_t slot, plan_cell frontier)
{
    const plan_cell low = frame->first[slot];
    const plan_cell high = frame->last[slot];
    const plan_cell room = floors[slot] + frame->size[slot];
    lanes least = EVERY(INT32_MAX);
    lanes index = STEPS - (plan_cell)slot;
    for (uint32_t i = 0; i < frame->padded; i += PLAN_LANES, index += (plan_cell)PLAN_LANES) {
        lanes floor = AT(floors, i);
        lanes from = PICK(floor > frontier, floor, EVERY(frontier));
        lanes blocks = (AT(frame->first, i) < high) & (AT(frame->last, i) > low) & (from < room) &
                       (index != 0);
        lanes top = PICK(blocks, from + AT(frame->size, i), EVERY(INT32_MAX));
        least = LESSER(top, least);
    }
    return least_lane(&least);
}

PLAN_LANES_FAST uint32_t plan_lanes_collect(const plan_frame *frame, const plan_cell *floors,
                                            plan_cell most, uint16_t *slots)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < frame->padded; i += PLAN_LANES) {
        lanes low = AT(floors, i) <= most;
        if (!any_lane(&low)) continue;
        for (uint32_t k = 0; k < PLAN_LANES; k++)
            if (low[k]) slots[found++] = (uint16_t)(i + k);
    }
    return found;
}

PLAN_LANES_FAST uint32_t plan_lanes_find_witness(const plan_frame *frame, const plan_cell *floors,
                                                 plan_cell section, plan_cell most)
{
    for (uint32_t i = 0; i < frame->padded; i += PLAN_LANES) {
        lanes good = (AT(frame->first, i) <= section) & (AT(frame->last, i) > section) &
                     (AT(floors, i) <= most);
        if (!any_lane(&good)) continue;
        for (uint32_t k = 0; k < PLAN_LANES; k++)
            if (good[k]) return i + k;
    }
    return frame->padded;
}
