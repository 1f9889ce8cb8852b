/* cuts.h -- numbers by chance, and perfect plans that are cut out of one piece, for tests of planning. */
#ifndef FERRITE_UNIT_CUTS_H
#define FERRITE_UNIT_CUTS_H

#include "plan/plan.h"

typedef struct dice {
    uint64_t state;
} dice;

static inline uint32_t roll(dice *d, uint32_t sides)
{
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((d->state >> 33) % sides);
}

/* Cuts a buffer into five, four of them around the fifth, so that no cut goes through all. False where it is
 * too short or too small. */
static inline bool cut_round(dice *d, plan_buffer *whole, plan_buffer *more)
{
    int32_t life = whole->death - whole->birth;
    if (life < 3 || whole->size < 3) return false;
    plan_buffer all = *whole;
    int32_t first = all.birth + 1 + (int32_t)roll(d, (uint32_t)life - 2);
    int32_t second = first + 1 + (int32_t)roll(d, (uint32_t)(all.death - first) - 1);
    int64_t low = 1 + roll(d, (uint32_t)all.size - 2);
    int64_t high = low + 1 + roll(d, (uint32_t)(all.size - low) - 1);
    *whole = (plan_buffer){.birth = all.birth, .death = second, .size = low};
    more[0] = (plan_buffer){.birth = second, .death = all.death, .size = high};
    more[1] = (plan_buffer){.birth = first, .death = all.death, .size = all.size - high};
    more[2] = (plan_buffer){.birth = all.birth, .death = first, .size = all.size - low};
    more[3] = (plan_buffer){.birth = first, .death = second, .size = high - low};
    return true;
}

#endif
