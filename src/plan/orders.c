/* orders.c -- the orders in which skyline passes prefer blocks. */
#include <string.h>

#include "plan/plan_priv.h"

/* A key that ascends as the value descends. */
static uint64_t falling(int64_t value)
{
    return ~(uint64_t)value;
}

/* The same for a product that may pass 64 bits: positive doubles compare like their bits. */
static uint64_t falling_product(int64_t a, int64_t b)
{
    double product = (double)a * (double)b;
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    return ~bits;
}

static int64_t fullest_section(const plan_part *part, uint32_t block)
{
    int64_t most = 0;
    for (uint32_t s = part->low[block]; s < part->high[block]; s++)
        if (part->load[s] > most) most = part->load[s];
    return most;
}

/* What `rank` sorts by first, and what decides where that is equal. */
static uint64_t first_key(const plan_part *part, plan_rank rank, uint32_t block)
{
    switch (rank) {
    case PLAN_BY_DEATH: return ~(uint64_t)part->high[block];
    case PLAN_BY_BIRTH: return part->low[block];
    case PLAN_BY_AREA: return falling_product(part->size[block], part->life[block]);
    case PLAN_BY_LOAD: return falling(fullest_section(part, block));
    default: return falling(part->size[block]);
    }
}

static uint64_t second_key(const plan_part *part, plan_rank rank, uint32_t block)
{
    switch (rank) {
    case PLAN_BY_DEATH: return falling(part->size[block]);
    case PLAN_BY_BIRTH:
    case PLAN_BY_LOAD: return falling(part->life[block]);
    case PLAN_BY_SIZE: return ~(uint64_t)part->high[block];
    default: return part->low[block];
    }
}

uint32_t *plan_order(const plan_part *part, plan_rank rank)
{
    uint32_t count = part->blocks.block_count;
    uint64_t *keys = NEW_ARRAY(part->memory, uint64_t, (size_t)count * 2 + 1);
    uint32_t *ids = NEW_ARRAY(part->memory, uint32_t, (size_t)count * 2 + 1);
    for (uint32_t b = 0; b < count; b++) {
        ids[b] = b;
        keys[b] = second_key(part, rank, b);
    }
    plan_sort(keys, ids, keys + count, ids + count, count);
    for (uint32_t i = 0; i < count; i++) keys[i] = first_key(part, rank, ids[i]);
    plan_sort(keys, ids, keys + count, ids + count, count);
    return ids;
}
