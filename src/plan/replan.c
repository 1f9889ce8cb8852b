/* replan.c -- planning again when the sizes are known. libc alone: the runtime compiles this
 * file too. */
#include "plan/replan.h"

#include <string.h>

/* ---- sorting -------------------------------------------------------------------------------- */

static void insertion_sort(uint64_t *keys, uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t id = ids[i];
        uint32_t k = i;
        for (; k && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            ids[k] = ids[k - 1];
        }
        keys[k] = key;
        ids[k] = id;
    }
}

/* Radix sort from the lowest byte up; bytes that are the same in all keys are skipped. */
void plan_sort(uint64_t *keys, uint32_t *ids, uint64_t *spare_keys, uint32_t *spare_ids,
               uint32_t count)
{
    if (count <= 32) {
        insertion_sort(keys, ids, count);
        return;
    }
    uint64_t differ = 0;
    for (uint32_t i = 1; i < count; i++) differ |= keys[i] ^ keys[0];
    for (int shift = 0; shift < 64; shift += 8) {
        if (!((differ >> shift) & 255)) continue;
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < count; i++) start[((keys[i] >> shift) & 255) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t to = start[(keys[i] >> shift) & 255]++;
            spare_keys[to] = keys[i];
            spare_ids[to] = ids[i];
        }
        memcpy(keys, spare_keys, sizeof(*keys) * count);
        memcpy(ids, spare_ids, sizeof(*ids) * count);
    }
}

/* ---- planning again ------------------------------------------------------------------------- */

/* A call of plan_replan. */
typedef struct replan {
    const plan_template *t;
    const plan_sizes *sizes;
    plan_skyline blocks;
    plan_span *spans;
    plan_obstacle *obstacles;
    int64_t *base;         /* by block: where it is fixed, -1 = free */
    int64_t *load;         /* by section */
    int64_t *trial, *best; /* offsets by block */
    uint64_t *keys;
    uint32_t *order;
    void *pass_scratch;
} replan;

static size_t replan_memory(replan *r, const plan_template *t, void *scratch)
{
    char *at = scratch;
    size_t blocks = t->block_count;
    r->spans = plan_carve(&at, t->stretch_count * sizeof(*r->spans));
    r->obstacles = plan_carve(&at, t->stretch_count * sizeof(*r->obstacles));
    r->base = plan_carve(&at, blocks * sizeof(*r->base));
    r->load = plan_carve(&at, ((size_t)t->section_count + 1) * sizeof(*r->load));
    r->trial = plan_carve(&at, blocks * sizeof(*r->trial));
    r->best = plan_carve(&at, blocks * sizeof(*r->best));
    r->keys = plan_carve(&at, 2 * blocks * sizeof(*r->keys));
    r->order = plan_carve(&at, 2 * blocks * sizeof(*r->order));
    r->pass_scratch = plan_carve(&at, plan_skyline_scratch(t->block_count, t->section_count));
    return (size_t)(at - (char *)scratch);
}

size_t plan_replan_scratch(const plan_template *t)
{
    replan r;
    return replan_memory(&r, t, NULL);
}

/* Where the room of a stretch begins and ends, from the start of its block. */
static plan_span span_of(const replan *r, const plan_stretch *stretch)
{
    plan_span span = {.low = stretch->low, .high = stretch->high, .bottom = INT64_MAX, .top = 0};
    for (uint32_t m = stretch->from; m < stretch->to; m++) {
        uint32_t buffer = r->t->members[m];
        int64_t shift = r->sizes->shift ? r->sizes->shift[buffer] : 0;
        int64_t size = r->sizes->size[buffer];
        if (size == 0) continue;
        if (shift < span.bottom) span.bottom = shift;
        span.top = plan_larger(span.top, shift + size);
    }
    if (span.top == 0) span.bottom = 0;
    span.bottom &= ~(r->sizes->alignment - 1);
    span.top = plan_round_up(span.top, r->sizes->alignment);
    return span;
}

/* Fixes the blocks that have a fixed member. */
static void find_bases(replan *r)
{
    const plan_template *t = r->t;
    for (uint32_t b = 0; b < t->block_count; b++) r->base[b] = -1;
    if (!r->sizes->fixed) return;
    for (uint32_t i = 0; i < t->buffer_count; i++)
        if (r->sizes->fixed[i] >= 0 && t->block_of[i] != UINT32_MAX)
            r->base[t->block_of[i]] =
                r->sizes->fixed[i] - (r->sizes->shift ? r->sizes->shift[i] : 0);
}

/* Fills in spans, obstacles and the load of the sections. Returns the lower bound; what is fixed counts
 * only by where it ends, since it may share memory. */
static int64_t measure(replan *r)
{
    const plan_template *t = r->t;
    int64_t bound = 0;
    memset(r->load, 0, ((size_t)t->section_count + 1) * sizeof(*r->load));
    find_bases(r);
    for (uint32_t b = 0; b < t->block_count; b++) {
        for (uint32_t s = t->first[b]; s < t->first[b + 1]; s++) {
            plan_span span = span_of(r, &t->stretches[s]);
            r->spans[s] = span;
            if (r->base[b] >= 0) {
                span.bottom += r->base[b];
                span.top += r->base[b];
                r->obstacles[r->blocks.obstacle_count++] = span;
            } else {
                r->load[span.low] += span.top - span.bottom;
                r->load[span.high] -= span.top - span.bottom;
            }
            bound = plan_larger(bound, span.top);
        }
    }
    int64_t load = 0;
    for (uint32_t s = 0; s < t->section_count; s++) {
        load += r->load[s];
        bound = plan_larger(bound, load);
    }
    return bound;
}

/* What the movable blocks are sorted by within an order of the template. */
typedef enum replan_rank { AS_IT_IS, BY_SIZE, BY_AREA, RANK_COUNT } replan_rank;

/* Greatest first. An area that does not fit is a bad key and no more than that. */
static uint64_t weight_of(const replan *r, uint32_t block, replan_rank rank)
{
    const plan_template *t = r->t;
    uint32_t first = t->first[block], end = t->first[block + 1];
    int64_t size = 0;
    for (uint32_t s = first; s < end; s++) size = plan_larger(size, r->spans[s].top);
    uint32_t life = t->stretches[end - 1].high - t->stretches[first].low;
    return rank == BY_AREA ? (uint64_t)size / 64 * life : (uint64_t)size;
}

/* The movable blocks in the order numbered `index`: as the template has it, then by size within
 * that, then by area. Returns how many there are. */
static uint32_t order_for(replan *r, uint32_t index)
{
    const plan_template *t = r->t;
    const uint32_t *order = t->orders + (size_t)(index % t->order_count) * t->block_count;
    replan_rank rank = (replan_rank)(index / t->order_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->block_count; i++) {
        uint32_t block = order[i];
        if (r->base[block] >= 0) continue;
        if (rank != AS_IT_IS) r->keys[count] = ~weight_of(r, block, rank);
        r->order[count++] = block;
    }
    if (rank != AS_IT_IS) plan_sort(r->keys, r->order, r->keys + count, r->order + count, count);
    return count;
}

/* Each block as low as it can lie on those before it. */
static int64_t stack_pass(replan *r, const uint32_t *order)
{
    const plan_template *t = r->t;
    int64_t *tops = r->load, height = 0;
    memset(tops, 0, ((size_t)t->section_count + 1) * sizeof(*tops));
    for (uint32_t i = 0; i < t->block_count; i++) {
        uint32_t from = t->first[order[i]], to = t->first[order[i] + 1];
        int64_t offset = 0;
        for (uint32_t s = from; s < to; s++)
            for (uint32_t k = r->spans[s].low; k < r->spans[s].high && r->spans[s].top; k++)
                offset = plan_larger(offset, tops[k] - r->spans[s].bottom);
        for (uint32_t s = from; s < to; s++)
            for (uint32_t k = r->spans[s].low; k < r->spans[s].high && r->spans[s].top; k++)
                tops[k] = offset + r->spans[s].top;
        for (uint32_t s = from; s < to; s++) height = plan_larger(height, offset + r->spans[s].top);
        r->trial[order[i]] = offset;
    }
    return height;
}

/* Pass number `index`: the stacks, then the orders by each rank. */
static int64_t pass(replan *r, uint32_t index, int64_t height)
{
    const plan_template *t = r->t;
    uint32_t stacks = r->blocks.obstacle_count ? 0 : t->stack_count;
    if (index < stacks) return stack_pass(r, t->stacks + (size_t)index * t->block_count);
    if (index - stacks >= RANK_COUNT * t->order_count) return INT64_MAX;
    r->blocks.block_count = order_for(r, index - stacks);
    return plan_skyline_pass(&r->blocks, r->order, height, r->pass_scratch, r->trial);
}

/* ---- mending -------------------------------------------------------------------------------- */

enum { MENDS = 32, NEAR = 100 }; /* passes; a plan is near the bound when 1/NEAR above it */

/* From the first section to behind the last, from the ground to the top. */
static plan_span reach_of(const replan *r, uint32_t block)
{
    const plan_template *t = r->t;
    uint32_t first = t->first[block], end = t->first[block + 1];
    plan_span reach = {t->stretches[first].low, t->stretches[end - 1].high, INT64_MAX, 0};
    for (uint32_t s = first; s < end; s++) {
        if (r->spans[s].top == 0) continue;
        if (r->spans[s].bottom < reach.bottom) reach.bottom = r->spans[s].bottom;
        reach.top = plan_larger(reach.top, r->spans[s].top);
    }
    if (reach.top == 0) reach.bottom = 0;
    reach.bottom += r->best[block];
    reach.top += r->best[block];
    return reach;
}

/* The place in the order of what ends at `top`, at some section of [low, high); `count`: nothing does. */
static uint32_t ends_at(const replan *r, uint32_t count, int64_t top, uint32_t low, uint32_t high)
{
    for (uint32_t i = 0; i < count; i++) {
        plan_span reach = reach_of(r, r->order[i]);
        if (reach.top == top && reach.low < high && low < reach.high) return i;
    }
    return count;
}

/* While the plan is not near the bound: what lies highest, or what that lies on, goes first, and the pass
 * is run again. Pass number `index` among the orders has made the plan. */
static int64_t mend(replan *r, uint32_t index, int64_t height, int64_t least)
{
    uint32_t count = order_for(r, index), *trial = r->order + r->t->block_count;
    uint32_t at = ends_at(r, count, height, 0, UINT32_MAX);
    r->blocks.block_count = count;
    for (uint32_t tries = 0; tries < MENDS && at < count && height - least > least / NEAR;
         tries++) {
        trial[0] = r->order[at];
        memcpy(trial + 1, r->order, at * sizeof *trial);
        memcpy(trial + at + 1, r->order + at + 1, (count - at - 1) * sizeof *trial);
        int64_t reached =
            plan_skyline_pass(&r->blocks, trial, height + 1, r->pass_scratch, r->trial);
        if (reached > height) {
            plan_span kept = reach_of(r, r->order[at]);
            at = ends_at(r, count, kept.bottom, kept.low, kept.high);
            continue;
        }
        int64_t *worse = r->best;
        r->best = r->trial;
        r->trial = worse;
        memcpy(r->order, trial, count * sizeof *trial);
        height = plan_larger(reached, least);
        at = ends_at(r, count, reached, 0, UINT32_MAX);
    }
    return height;
}

static void write_offsets(const replan *r, int64_t *offsets)
{
    const plan_template *t = r->t;
    for (uint32_t i = 0; i < t->buffer_count; i++) {
        uint32_t block = t->block_of[i];
        offsets[i] = 0;
        if (block == UINT32_MAX || (r->sizes->size[i] == 0 && r->base[block] < 0)) continue;
        offsets[i] = r->base[block] >= 0 ? r->base[block] : r->best[block];
        if (r->sizes->shift) offsets[i] += r->sizes->shift[i];
    }
}

int64_t plan_replan(const plan_template *t, const plan_sizes *sizes, void *scratch,
                    int64_t *offsets, int64_t *bound)
{
    replan r = {.t = t, .sizes = sizes};
    replan_memory(&r, t, scratch);
    r.blocks.first = t->first;
    r.blocks.spans = r.spans;
    r.blocks.section_count = t->section_count;
    r.blocks.obstacles = r.obstacles;
    int64_t least = measure(&r);
    int64_t height = INT64_MAX;
    uint32_t passes = t->stack_count + RANK_COUNT * t->order_count, best = 0;
    for (uint32_t i = 0; i < passes && height > least; i++) {
        int64_t reached = pass(&r, i, height);
        if (reached >= height) continue;
        int64_t *worse = r.best;
        r.best = r.trial;
        r.trial = worse;
        height = plan_larger(reached, least);
        best = i;
    }
    uint32_t stacks = r.blocks.obstacle_count ? 0 : t->stack_count;
    if (height != INT64_MAX && best >= stacks) height = mend(&r, best - stacks, height, least);
    write_offsets(&r, offsets);
    if (bound) *bound = least;
    return height == INT64_MAX ? least : height;
}
