/* frame.c -- parts of a search: which blocks, in which rank, in arrays padded to whole vectors. */
#include <string.h>

#include "plan/replan.h"
#include "plan/search_priv.h"

#define CHUNK_BYTES ((size_t)1 << 18)

void *plan_pool_take(plan_pool *pool, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    while (pool->chunk < pool->chunks.count && pool->used + bytes > pool->sizes.at[pool->chunk]) {
        pool->chunk++;
        pool->used = 0;
    }
    if (pool->chunk == pool->chunks.count) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        vec_push(pool->memory, &pool->chunks, (char *)arena_alloc(pool->memory, size));
        vec_push(pool->memory, &pool->sizes, size);
    }
    void *start = pool->chunks.at[pool->chunk] + pool->used;
    pool->used += bytes;
    return start;
}

plan_pool_mark plan_pool_here(const plan_pool *pool)
{
    return (plan_pool_mark){pool->chunk, pool->used};
}

void plan_pool_drop(plan_pool *pool, plan_pool_mark mark)
{
    pool->chunk = mark.chunk;
    pool->used = mark.used;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

/* A number between 3 and 5 times 2^51, from two integers. Whole, so that all machines multiply
 * alike. */
static double factor(uint64_t noise, uint64_t index)
{
    uint64_t mixed = HASH_MIX(HASH_MIX(noise, index), 0x9E3779B97F4A7C15ull);
    mixed ^= mixed >> 32;
    mixed *= 0xD6E8FEB86659FD93ull;
    return (double)(((uint64_t)3 << 51) + (mixed >> 12));
}

/* Dense ranks of positive values, the largest first. */
static void rank_values(plan_search *search, const double *values, uint32_t *ranks)
{
    uint32_t count = search->field->count;
    for (uint32_t b = 0; b < count; b++) {
        uint64_t bits;
        memcpy(&bits, &values[b], sizeof bits);
        search->keys[b] = ~bits; /* positive doubles compare like their bits */
        search->ids[b] = b;
    }
    plan_sort(search->keys, search->ids, search->keys + count, search->ids + count, count);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i && search->keys[i] != search->keys[i - 1]) rank++;
        ranks[search->ids[i]] = rank;
    }
}

void plan_rank_blocks(plan_search *search, uint64_t noise)
{
    const plan_field *field = search->field;
    plan_pool_mark mark = plan_pool_here(&search->pool);
    double *values = plan_pool_take(&search->pool, field->count * sizeof(*values));
    for (uint32_t b = 0; b < field->count; b++)
        values[b] = (double)field->life[b] * (noise ? factor(noise, b) : 1);
    rank_values(search, values, search->life_rank);
    for (uint32_t b = 0; b < field->count; b++)
        values[b] = (double)field->life[b] * field->size[b] * (noise ? factor(noise, b) : 1);
    rank_values(search, values, search->area_rank);
    plan_pool_drop(&search->pool, mark);
}

/* What a block is sorted by in its part: the smallest first. */
static uint64_t rank_key(const plan_search *search, uint32_t block)
{
    const plan_field *field = search->field;
    uint64_t life = search->life_rank[block];
    uint64_t area = search->area_rank[block];
    uint64_t input = field->input[block];
    uint64_t room = (uint64_t)plan_lanes_least(search->room + field->low[block],
                                               field->high[block] - field->low[block]);
    _Static_assert(PLAN_SEARCH_BLOCKS <= 1 << 11, "ranks must fit 11 bits");
    _Static_assert(PLAN_CELL_MOST < 1 << 30, "rooms must fit 30 bits");
    switch (search->preorder) {
    case PLAN_LIFE_AREA_TOTAL: return life << 52 | area << 41 | room << 11 | input;
    case PLAN_TOTAL_AREA_LIFE: return room << 33 | area << 22 | life << 11 | input;
    default: return room << 33 | life << 22 | area << 11 | input;
    }
}

/* ---- frames --------------------------------------------------------------------------------- */

static plan_cell *padded_cells(plan_pool *pool, uint32_t count, uint32_t padded, plan_cell padding)
{
    plan_cell *cells = plan_pool_take(pool, padded * sizeof(*cells));
    for (uint32_t i = count; i < padded; i++) cells[i] = padding;
    return cells;
}

/* The frame of the blocks search->ids[0 .. count - 1], in that order. */
static plan_frame *make_frame(plan_search *search, uint32_t count, uint32_t low, uint32_t high)
{
    const plan_field *field = search->field;
    plan_pool *pool = &search->pool;
    plan_frame *frame = plan_pool_take(pool, sizeof *frame);
    *frame =
        (plan_frame){.count = count, .padded = PLAN_LANES_UP(count + 1), .low = low, .high = high};
    frame->first = padded_cells(pool, count, frame->padded, INT32_MAX);
    frame->last = padded_cells(pool, count, frame->padded, 0);
    frame->size = padded_cells(pool, count, frame->padded, 0);
    frame->mask = field->alignment ? padded_cells(pool, count, frame->padded, 0) : NULL;
    frame->id = plan_pool_take(pool, frame->padded * sizeof(*frame->id));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = search->ids[i];
        frame->id[i] = (uint16_t)block;
        frame->first[i] = (plan_cell)field->low[block];
        frame->last[i] = (plan_cell)field->high[block];
        frame->size[i] = field->size[block];
        if (frame->mask) frame->mask[i] = field->alignment[block] - 1;
    }
    return frame;
}

/* A witness for each section that has one, and padding, which never is one, for the others. */
static uint16_t *first_witnesses(plan_search *search, const plan_frame *frame,
                                 const plan_cell *floors)
{
    uint16_t *witness =
        plan_pool_take(&search->pool, (frame->high - frame->low) * sizeof(*witness));
    for (uint32_t s = frame->low; s < frame->high; s++)
        witness[s - frame->low] = (uint16_t)frame->count;
    for (uint32_t i = frame->count; i-- > 0;)
        for (plan_cell s = frame->first[i]; s < frame->last[i]; s++)
            if (floors[i] <= search->room[s]) witness[(uint32_t)s - frame->low] = (uint16_t)i;
    return witness;
}

void plan_rank_part(plan_search *search, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) search->keys[i] = rank_key(search, search->ids[i]);
    plan_sort(search->keys, search->ids, search->keys + count, search->ids + count, count);
}

plan_node plan_root(plan_search *search, uint32_t count, uint32_t low, uint32_t high,
                    const plan_cell *floor_of)
{
    plan_node part = {.left = count, .via = PLAN_NO_SLOT, .frontier = -1, .frontier_slot = -1};
    plan_frame *frame = make_frame(search, count, low, high);
    part.floors = padded_cells(&search->pool, count, frame->padded, PLAN_PLACED);
    for (uint32_t i = 0; i < count; i++) part.floors[i] = floor_of ? floor_of[frame->id[i]] : 0;
    part.frame = frame;
    part.witness = first_witnesses(search, frame, part.floors);
    return part;
}
