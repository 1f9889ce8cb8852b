/* replan.c -- planning again when the sizes are known. libc alone: the runtime compiles this
 * file too. */
#include "plan/replan.h"

#include <stdbool.h>
#include <string.h>

#include "plan/dive.h"
#include "plan/pairs.h"
#include "plan/quick.h"

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
    plan_skyline blocks; /* exact, for passes over many spans */
    plan_quick quick;    /* in units, for passes over few */
    plan_dive dive;
    plan_pairs pairs;
    int unit;           /* 2^unit bytes */
    bool unit_is_exact; /* it is the alignment */
    bool is_quick;
    bool has_pairs; /* made already */
    plan_span *spans;
    plan_obstacle *obstacles;
    uint32_t *first; /* by block: its areas */
    plan_area *areas, *unit_obstacles;
    plan_units *unit_load;
    int64_t *base;               /* by block: where it is fixed, -1 = free */
    int64_t *load;               /* by section */
    int64_t *trial, *best;       /* offsets by block */
    double *weight;              /* by section: sum of those before it */
    int64_t bound, goal, height; /* of the best */
    uint64_t *keys;
    uint32_t *order;
    uint32_t allowed; /* steps */
    void *pass_scratch;
} replan;

enum { VECTOR = 64 }; /* bytes: what whole vectors are aligned to */

static size_t replan_memory(replan *r, const plan_template *t, void *scratch)
{
    uintptr_t start = ((uintptr_t)scratch + VECTOR - 1) & ~(uintptr_t)(VECTOR - 1), at = start;
    size_t blocks = t->block_count, sections = (size_t)t->section_count + 1;
    r->is_quick = t->stretch_count <= PLAN_QUICK_SPANS;
    at += plan_quick_memory(&r->quick, t->block_count, t->stretch_count, t->section_count,
                            (void *)at);
    if (r->is_quick) {
        at += plan_dive_memory(&r->dive, t->block_count, t->stretch_count, t->section_count,
                               (void *)at);
        at += plan_pairs_memory(&r->pairs, t->block_count, t->stretch_count, (void *)at);
    }
    r->spans = plan_carve(&at, t->stretch_count * sizeof(*r->spans));
    r->obstacles = plan_carve(&at, t->stretch_count * sizeof(*r->obstacles));
    r->base = plan_carve(&at, blocks * sizeof(*r->base));
    r->load = plan_carve(&at, sections * sizeof(*r->load));
    r->weight = plan_carve(&at, sections * sizeof(*r->weight));
    r->trial = plan_carve(&at, blocks * sizeof(*r->trial));
    r->best = plan_carve(&at, blocks * sizeof(*r->best));
    r->keys = plan_carve(&at, 2 * blocks * sizeof(*r->keys));
    r->order = plan_carve(&at, 2 * blocks * sizeof(*r->order));
    r->first = plan_carve(&at, (blocks + 1) * sizeof(*r->first));
    r->areas = plan_carve(&at, t->stretch_count * sizeof(*r->areas));
    r->unit_obstacles = plan_carve(&at, t->stretch_count * sizeof(*r->unit_obstacles));
    r->unit_load = plan_carve(&at, sections * sizeof(*r->unit_load));
    r->quick.offsets = plan_carve(&at, blocks * sizeof(*r->quick.offsets));
    if (!r->is_quick)
        r->pass_scratch = plan_carve(&at, plan_skyline_scratch(t->block_count, t->section_count));
    return at - start + VECTOR;
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
    for (uint32_t s = 0; s < t->section_count; s++) {
        bound = plan_larger(bound, r->load[s]);
        r->load[s + 1] += r->load[s];
    }
    return bound;
}

/* ---- in units ---- */

/* Bits that are in use in some size or place. */
static int64_t bits_of(const replan *r)
{
    int64_t bits = r->sizes->alignment;
    for (uint32_t s = 0; s < r->t->stretch_count; s++) bits |= r->spans[s].bottom | r->spans[s].top;
    for (uint32_t i = 0; i < r->blocks.obstacle_count; i++)
        bits |= r->obstacles[i].bottom | r->obstacles[i].top;
    return bits;
}

/* Units so large that whatever is stacked on whatever is fixed has few of them, and a dive's goal fewer; at
 * least so large as all sizes are multiples of. */
static void choose_unit(replan *r)
{
    const plan_template *t = r->t;
    int64_t most = 0, highest = 0, bits = bits_of(r);
    for (uint32_t b = 0; b < t->block_count; b++)
        for (uint32_t s = t->first[b]; s < t->first[b + 1]; s++) most += r->spans[s].top;
    for (uint32_t i = 0; i < r->blocks.obstacle_count; i++)
        highest = plan_larger(highest, r->obstacles[i].top);
    while (!(bits >> r->unit & 1)) r->unit++;
    r->unit_is_exact = true;
    while ((most >> r->unit) + (highest >> r->unit) + t->stretch_count >= PLAN_UNITS_MOST ||
           (r->is_quick && r->bound >> r->unit >= PLAN_DIVE_MOST / 16 * 15)) {
        r->unit++;
        r->unit_is_exact = false;
    }
}

static plan_area in_units(const replan *r, const plan_span *span)
{
    int64_t rest = ((int64_t)1 << r->unit) - 1;
    return (plan_area){(plan_units)span->low, (plan_units)span->high,
                       (plan_units)(span->bottom >> r->unit),
                       (plan_units)((span->top + rest) >> r->unit)};
}

/* The areas of the blocks that take room, and what they come to in each section. */
static void convert(replan *r)
{
    const plan_template *t = r->t;
    uint32_t count = 0;
    plan_units load = 0;
    memset(r->quick.offsets, 0, t->block_count * sizeof *r->quick.offsets);
    memset(r->unit_load, 0, ((size_t)t->section_count + 1) * sizeof *r->unit_load);
    for (uint32_t b = 0; b < t->block_count; b++) {
        r->first[b] = count;
        for (uint32_t s = t->first[b]; s < t->first[b + 1]; s++) {
            if (r->spans[s].top == 0 || r->base[b] >= 0) continue;
            plan_area area = r->areas[count++] = in_units(r, &r->spans[s]);
            r->unit_load[area.low] += area.top - area.bottom;
            r->unit_load[area.high] -= area.top - area.bottom;
        }
    }
    r->first[t->block_count] = count;
    for (uint32_t s = 0; s < t->section_count; s++) {
        load = r->unit_load[s] += load;
        r->bound = plan_larger(r->bound, (int64_t)load << r->unit);
    }
    for (uint32_t i = 0; i < r->blocks.obstacle_count; i++)
        r->unit_obstacles[i] = in_units(r, &r->obstacles[i]);
}

/* ---- orders ---- */

/* What an order has first: what lives long where the load is near its most. A section counts by a power of
 * its load, a block by the sections that it lives in, and by a power of its size. Or what the template
 * has. */
typedef struct rule {
    int load;    /* the power, of 2: 1 << load */
    int quarter; /* of the logarithm of the size, how often it is added */
    int given;   /* the template's order, and nothing else; -1: none */
} rule;

static const rule RULES[PLAN_RULES] = {{4, 0, -1}, {3, 2, -1}, {0, 0, 0}, {0, 0, 1},
                                       {1, 1, -1}, {0, 1, -1}, {0, 0, -1}};

/* Rule number k: the template's own first, then the others. */
static const rule *rule_of(const replan *r, uint32_t k)
{
    uint32_t own = r->t->rule;
    return &RULES[k == 0 ? own : k <= own ? k - 1 : k];
}

static void weigh_sections(replan *r, int power)
{
    double sum = 0, most = 1;
    for (uint32_t s = 0; s < r->t->section_count; s++)
        if ((double)r->load[s] > most) most = (double)r->load[s];
    for (uint32_t s = 0; s < r->t->section_count; s++) {
        double share = (double)r->load[s] / most;
        for (int i = 0; i < power; i++) share *= share;
        r->weight[s] = sum;
        sum += share + 1e-9;
    }
    r->weight[r->t->section_count] = sum;
}

/* The logarithm to base 2 in steps of 2^-23, nearly; 0 of 0. */
static int64_t log_of(double positive)
{
    float f = (float)positive;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (int64_t)bits;
}

/* Greatest first, in few bits, so that sorting is quick. */
static uint64_t key_of(const replan *r, uint32_t block, const rule *by)
{
    const plan_quick *q = &r->quick;
    const plan_area *from = q->areas + q->first[block], *to = q->areas + q->first[block + 1];
    double weight = 0;
    plan_units top = 0;
    for (const plan_area *a = from; a < to; a++) {
        weight += r->weight[a->high] - r->weight[a->low];
        top = top > a->top ? top : a->top;
    }
    int64_t key = 4 * log_of(weight) + by->quarter * log_of(top);
    return ~((uint64_t)key >> 18) & 0xffff;
}

/* The blocks that take room and can move, by this rule; equal ones as the template's first order has
 * them. */
static void make_order(replan *r, const rule *by)
{
    const plan_template *t = r->t;
    const uint32_t *order = t->orders + (size_t)(by->given > 0 ? by->given : 0) * t->block_count;
    uint32_t count = 0;
    if (by->given < 0) weigh_sections(r, by->load);
    for (uint32_t i = 0; i < t->block_count; i++) {
        uint32_t block = order[i];
        if (r->quick.first[block] == r->quick.first[block + 1]) continue;
        if (by->given < 0) r->keys[count] = key_of(r, block, by);
        r->order[count++] = block;
    }
    if (by->given < 0) plan_sort(r->keys, r->order, r->keys + count, r->order + count, count);
    r->blocks.block_count = r->quick.block_count = count;
}

/* ---- passes ---- */

enum {
    NEAR = 100,     /* a plan is near the bound when it is no more than 1/NEAR above it */
    MENDS = 4,      /* of each order */
    MENDED = 5,     /* rules of which there are orders to mend */
    NEAR_STEPS = 2, /* for each block, to get from near the bound to it */
    FAR_STEPS = 12, /* to get near it */
    MORE_STEPS = 8  /* then to get nearer at least */
};

/* Behind a plan that is not near the bound comes one that halves what it is above it. */
static void keep(replan *r, int64_t height)
{
    int64_t near = r->bound + r->bound / NEAR;
    r->height = plan_larger(height, r->bound);
    if (!r->is_quick)
        r->goal = r->height - 1;
    else if (r->height <= near)
        r->goal = r->bound;
    else
        r->goal = plan_larger(near, r->bound + (r->height - r->bound) / 2);
}

static bool keep_quick(replan *r, plan_units height)
{
    if (height < 0) return false;
    for (uint32_t b = 0; b < r->t->block_count; b++)
        r->best[b] = (int64_t)r->quick.offsets[b] << r->unit;
    keep(r, (int64_t)height << r->unit);
    return true;
}

static plan_units unit_goal(const replan *r)
{
    int64_t goal = r->goal >> r->unit;
    return goal < INT32_MAX / 2 ? (plan_units)goal : INT32_MAX / 2;
}

/* A pass over the blocks in r->order. */
static bool try_order(replan *r)
{
    if (r->is_quick) return keep_quick(r, plan_quick_pass(&r->quick, r->order, unit_goal(r)));
    int64_t stop = r->goal < INT64_MAX ? r->goal + 1 : INT64_MAX;
    int64_t height = plan_skyline_pass(&r->blocks, r->order, stop, r->pass_scratch, r->trial);
    if (height == INT64_MAX) return false;
    int64_t *worse = r->best;
    r->best = r->trial;
    r->trial = worse;
    keep(r, height);
    return true;
}

static void try_stacks(replan *r)
{
    const plan_template *t = r->t;
    r->quick.block_count = t->block_count;
    for (uint32_t i = 0; i < t->stack_count && !r->blocks.obstacle_count; i++)
        if (keep_quick(r, plan_quick_stack(&r->quick, t->stacks + (size_t)i * t->block_count,
                                           unit_goal(r))))
            return;
}

static bool is_near(const replan *r)
{
    return r->height <= r->bound + r->bound / NEAR;
}

static bool goes_on(const replan *r)
{
    uint32_t near = NEAR_STEPS * r->t->block_count;
    if (r->height == r->bound) return false;
    return r->quick.steps < (is_near(r) && near < r->allowed ? near : r->allowed);
}

/* Passes in all orders; after one that is stopped the order is mended and tried again. */
static void try_orders(replan *r, uint32_t steps)
{
    r->allowed = r->quick.steps + steps * r->t->block_count;
    for (uint32_t k = 0; k < MENDED && goes_on(r); k++) {
        make_order(r, rule_of(r, k));
        for (uint32_t mends = 0; mends <= MENDS && goes_on(r); mends++) {
            bool is_better = try_order(r);
            if (!r->is_quick) break;
            if (!is_better) plan_quick_reorder(&r->quick, r->order);
        }
    }
}

/* ---- dives ---- */

/* What is tried, and how long: so many steps for so many blocks, and some more. */
typedef struct attempt {
    uint32_t rule;
    bool is_paired; /* of blocks that fit each other */
} attempt;

static const attempt ATTEMPTS[] = {{0, true}, {5, true},  {6, false}, {2, true},
                                   {1, true}, {3, false}, {0, false}, {4, true}};
enum {
    ATTEMPT_COUNT = sizeof ATTEMPTS / sizeof *ATTEMPTS,
    LEAST_STEPS = 32, /* of an attempt, and for each block .. */
    HALF_STEPS = 3    /* .. half so many */
};

/* The template's own rule first. */
static const attempt *attempt_of(const replan *r, uint32_t k)
{
    uint32_t own = 0;
    while (ATTEMPTS[own].rule != r->t->rule) own++;
    return &ATTEMPTS[k == 0 ? own : k <= own ? k - 1 : k];
}

static void choose_blocks(replan *r, bool is_paired)
{
    if (is_paired && !r->has_pairs)
        plan_pairs_make(&r->pairs, r->t->block_count, r->first, r->areas);
    r->has_pairs |= is_paired;
    r->quick.first = is_paired ? r->pairs.first : r->first;
    r->quick.areas = is_paired ? r->pairs.areas : r->areas;
}

static void try_attempt(replan *r, const attempt *a, int64_t goal)
{
    int64_t most = PLAN_DIVE_MOST - 1, units = goal >> r->unit;
    choose_blocks(r, a->is_paired);
    make_order(r, &RULES[a->rule]);
    plan_units height =
        plan_dive_run(&r->dive, &r->quick, r->order, (plan_units)(units < most ? units : most),
                      r->quick.block_count * HALF_STEPS / 2 + LEAST_STEPS);
    if (height >= 0 && a->is_paired) plan_pairs_split(&r->pairs, r->quick.offsets);
    keep_quick(r, height);
}

/* First to the bound, then near it, and from there to the bound while that does not take long. */
static void dive(replan *r)
{
    int64_t near = r->bound + r->bound / NEAR;
    for (uint32_t k = 0; k < ATTEMPT_COUNT && r->height > r->bound; k++) {
        if (is_near(r) && r->quick.steps > NEAR_STEPS * r->t->block_count) break;
        try_attempt(r, attempt_of(r, k), k == 0 || is_near(r) ? r->bound : near);
    }
    if (is_near(r)) return;
    choose_blocks(r, false);
    make_order(r, rule_of(r, 0));
    r->goal = INT64_MAX;
    try_order(r);
    try_orders(r, MORE_STEPS);
}

/* To what is near the bound; where that is not found, from anything to what is nearer. How much is tried
 * depends on the sizes alone and on no clock, so that all runs of the same sizes are alike. */
static void search(replan *r)
{
    bool has_orders = r->t->order_count > 0;
    r->goal = r->is_quick && has_orders ? r->bound + r->bound / NEAR : INT64_MAX;
    try_stacks(r);
    if (!has_orders) return;
    if (r->is_quick && !r->blocks.obstacle_count) {
        dive(r);
        return;
    }
    try_orders(r, FAR_STEPS);
    if (!r->is_quick || is_near(r)) return;
    make_order(r, rule_of(r, 0));
    r->goal = INT64_MAX;
    try_order(r);
    try_orders(r, MORE_STEPS);
}

/* In bytes, where units are more than the alignment. */
static int64_t height_of(const replan *r)
{
    const plan_template *t = r->t;
    int64_t height = 0;
    if (!r->is_quick || r->unit_is_exact) return r->height;
    for (uint32_t i = 0; i < r->blocks.obstacle_count; i++)
        height = plan_larger(height, r->obstacles[i].top);
    for (uint32_t b = 0; b < t->block_count; b++)
        for (uint32_t s = t->first[b]; s < t->first[b + 1] && r->base[b] < 0; s++)
            height = plan_larger(height, r->best[b] + r->spans[s].top);
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

int64_t plan_replan_counted(const plan_template *t, const plan_sizes *sizes, void *scratch,
                            int64_t *offsets, int64_t *bound, uint32_t *steps)
{
    replan r = {.t = t, .sizes = sizes, .height = INT64_MAX};
    replan_memory(&r, t, scratch);
    r.blocks.first = t->first;
    r.blocks.spans = r.spans;
    r.blocks.section_count = r.quick.section_count = t->section_count;
    r.blocks.obstacles = r.obstacles;
    r.bound = measure(&r);
    if (bound) *bound = r.bound;
    choose_unit(&r);
    convert(&r);
    r.quick.first = r.first;
    r.quick.areas = r.areas;
    r.quick.obstacles = r.unit_obstacles;
    r.quick.obstacle_count = r.blocks.obstacle_count;
    r.quick.load = r.unit_load;
    search(&r);
    write_offsets(&r, offsets);
    *steps = r.quick.steps;
    return height_of(&r);
}

int64_t plan_replan(const plan_template *t, const plan_sizes *sizes, void *scratch,
                    int64_t *offsets, int64_t *bound)
{
    uint32_t steps;
    return plan_replan_counted(t, sizes, scratch, offsets, bound, &steps);
}
