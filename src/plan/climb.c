/* climb.c -- local search over the order of skyline passes, for parts that exact search cannot
 * take.
 *
 * From the highest top a chain of blocks leads to the ground, each lying on the next. Their sizes
 * add up to the height, which is more than lives at any step; so somewhere along the chain two
 * neighbours have no step in common with what is above them: a break, and below it room is wasted.
 * The block above a break, or one somewhat higher, is moved to the front of the order and the pass
 * is run again. What is not worse is kept. After the hill climbing of TVM's USMP and Arm's Vela,
 * which swap blocks around the bottleneck; choosing by breaks is ours.
 */
#include <string.h>

#include "plan/plan_priv.h"

#define STEPS_A_BLOCK 3 /* what a pass counts for in steps of search */
#define NEAR_BREAK 20   /* a block so many links above a break may be moved for it */

typedef struct climb {
    plan_part *part;
    uint32_t *order, *kept_order; /* tried, and that of the part's offsets */
    uint32_t *rank;               /* in kept_order, by block */
    uint64_t *keys;               /* tops, ascending, for chains; then scratch */
    uint32_t *by_top;             /* blocks by top; then scratch */
    uint32_t *chain;              /* blocks from the top down */
    uint32_t *breaks;             /* places in the chain of the blocks above a break */
    uint32_t chain_length, break_count;
    uint32_t tries; /* since the chain was found */
    uint64_t random;
    int64_t *trial;
    void *scratch;
} climb;

static uint32_t random_below(climb *c, uint32_t limit)
{
    c->random = c->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((c->random >> 33) % limit);
}

/* ---- chains --------------------------------------------------------------------------------- */

static int64_t top_of(const plan_part *part, uint32_t block)
{
    return part->offsets[block] + part->size[block];
}

static void sort_by_top(climb *c)
{
    const plan_part *part = c->part;
    uint32_t count = part->blocks.block_count;
    for (uint32_t b = 0; b < count; b++) {
        c->keys[b] = (uint64_t)top_of(part, b);
        c->by_top[b] = b;
    }
    plan_sort(c->keys, c->by_top, c->keys + count, c->by_top + count, count);
}

/* First place in by_top whose top is at least `top`. */
static uint32_t first_with_top(const climb *c, int64_t top)
{
    uint32_t low = 0;
    uint32_t high = c->part->blocks.block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->keys[middle] < (uint64_t)top)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The steps that all blocks of the chain since the last break have in common. */
typedef struct common {
    uint32_t low, high;
} common;

static common meet(common a, const plan_part *part, uint32_t block)
{
    if (part->low[block] > a.low) a.low = part->low[block];
    if (part->high[block] < a.high) a.high = part->high[block];
    return a;
}

static int64_t length(common a)
{
    return (int64_t)a.high - a.low;
}

/* Of the blocks that `block` lies on, the one that lives longest with the chain; PLAN_NONE if it
 * lies on something else. */
static uint32_t supporter(const climb *c, uint32_t block, common so_far)
{
    const plan_part *part = c->part;
    int64_t offset = part->offsets[block];
    uint32_t best = PLAN_NONE;
    for (uint32_t i = first_with_top(c, offset); i < part->blocks.block_count; i++) {
        uint32_t other = c->by_top[i];
        if (c->keys[i] != (uint64_t)offset) break;
        if (part->low[other] >= part->high[block] || part->low[block] >= part->high[other])
            continue;
        if (best == PLAN_NONE ||
            length(meet(so_far, part, other)) > length(meet(so_far, part, best)))
            best = other;
    }
    return best;
}

static void find_chain(climb *c)
{
    const plan_part *part = c->part;
    sort_by_top(c);
    uint32_t block = c->by_top[part->blocks.block_count - 1];
    common so_far = {part->low[block], part->high[block]};
    c->chain_length = c->break_count = c->tries = 0;
    for (;;) {
        c->chain[c->chain_length++] = block;
        if (part->offsets[block] <= 0) return;
        uint32_t under = supporter(c, block, so_far);
        if (under == PLAN_NONE) return;
        so_far = meet(so_far, part, under);
        if (length(so_far) <= 0) {
            c->breaks[c->break_count++] = c->chain_length - 1;
            so_far = (common){part->low[under], part->high[under]};
        }
        block = under;
    }
}

/* ---- moves ---------------------------------------------------------------------------------- */

/* Writes the kept order with one block moved forward to `to`. */
static void promote(climb *c, uint32_t block, uint32_t to)
{
    uint32_t count = c->part->blocks.block_count;
    uint32_t from = c->rank[block];
    memcpy(c->order, c->kept_order, count * sizeof(*c->order));
    memmove(c->order + to + 1, c->order + to, (from - to) * sizeof(*c->order));
    c->order[to] = block;
}

/* Each block above a break goes to the front once; after that it is left to chance. */
static void make_move(climb *c)
{
    if (c->tries < c->break_count) {
        promote(c, c->chain[c->breaks[c->tries]], 0);
        return;
    }
    uint32_t at = c->break_count ? c->breaks[random_below(c, c->break_count)]
                                 : random_below(c, c->chain_length);
    if (random_below(c, 2)) at -= random_below(c, (at < NEAR_BREAK ? at : NEAR_BREAK) + 1);
    uint32_t block = c->chain[at];
    static const uint32_t SHARES[] = {0, 0, 8, 2};
    uint32_t share = SHARES[random_below(c, COUNT_OF(SHARES))];
    promote(c, block, share ? c->rank[block] / share : 0);
}

/* ---- the climb ------------------------------------------------------------------------------ */

static climb *climb_new(plan_part *part)
{
    arena *memory = part->memory;
    uint32_t count = part->blocks.block_count;
    climb *c = NEW(memory, climb);
    *c = (climb){.part = part, .random = count};
    c->order = arena_copy(memory, part->order, count * sizeof(*c->order));
    c->kept_order = NEW_ARRAY(memory, uint32_t, count);
    c->rank = NEW_ARRAY(memory, uint32_t, count);
    c->keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 2);
    c->by_top = NEW_ARRAY(memory, uint32_t, (size_t)count * 2);
    c->chain = NEW_ARRAY(memory, uint32_t, count + 1);
    c->breaks = NEW_ARRAY(memory, uint32_t, count + 1);
    c->trial = NEW_ARRAY(memory, int64_t, count);
    c->scratch = arena_alloc(memory, plan_skyline_scratch(count, part->blocks.section_count));
    return c;
}

/* Makes the order that was tried the kept one. */
static void keep(climb *c)
{
    uint32_t *other = c->kept_order;
    c->kept_order = c->order;
    c->order = other;
    for (uint32_t i = 0; i < c->part->blocks.block_count; i++) c->rank[c->kept_order[i]] = i;
    find_chain(c);
}

void plan_climb(plan_part *part, int64_t goal, uint64_t tries, plan_budget *budget)
{
    uint32_t count = part->blocks.block_count;
    climb *c = climb_new(part);
    keep(c);
    for (; tries && part->height > goal && plan_budget_left(budget); tries--) {
        make_move(c);
        c->tries++;
        int64_t height =
            plan_skyline_pass(&part->blocks, c->order, part->height + 1, c->scratch, c->trial);
        plan_budget_spend(budget, (uint64_t)count * STEPS_A_BLOCK);
        if (height > part->height) continue;
        if (height < part->height) part->method = "climb";
        plan_part_set(part, c->trial, height, part->method);
        keep(c);
        memcpy(part->order, c->kept_order, count * sizeof(*part->order));
    }
}
