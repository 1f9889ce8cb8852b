/* exact.c -- proves or lowers the height of one part of a problem with searches at chosen
 * capacities.
 *
 * Three searches that differ in how they rank blocks take turns, since which of them is lucky
 * varies by orders of magnitude. The lower bound is tried first: the tighter the capacity, the
 * sooner a branch fails. Then capacities between the bound and the best height are halved, each for
 * a share of the work, and again with larger shares until the work is spent.
 */
#include "plan/plan_priv.h"
#include "plan/search.h"

#define FIRST_TURN 256    /* steps of one search before the next one's turn, and twice the blocks */
#define BOUND_STEPS 4096  /* for the first try at the bound */
#define GOAL_STEPS 200000 /* for one try at a capacity, then again with other ranks */

/* Whether the searches can take this part at all. */
static bool searchable(const plan_part *part)
{
    const plan_skyline *blocks = &part->blocks;
    if (blocks->block_count > PLAN_SEARCH_BLOCKS || blocks->obstacle_count) return false;
    if (part->height > PLAN_CELL_MOST) return false;
    for (uint32_t b = 0; b < blocks->block_count; b++) {
        if (blocks->alignment && blocks->alignment[b] > PLAN_CELL_MOST) return false;
        for (uint32_t s = blocks->first[b]; s < blocks->first[b + 1]; s++)
            if (blocks->spans[s].bottom) return false;
    }
    return true;
}

/* The blocks of a part as a field; holes in their lives are taken as filled. */
static plan_field *make_field(const plan_part *part)
{
    arena *memory = part->memory;
    uint32_t count = part->blocks.block_count;
    plan_field *field = NEW(memory, plan_field);
    plan_cell *size = NEW_ARRAY(memory, plan_cell, count);
    plan_cell *alignment = part->blocks.alignment ? NEW_ARRAY(memory, plan_cell, count) : NULL;
    uint16_t *input = NEW_ARRAY(memory, uint16_t, count);
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 2);
    uint32_t *ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 2);
    for (uint32_t b = 0; b < count; b++) {
        size[b] = (plan_cell)part->size[b];
        if (alignment) alignment[b] = (plan_cell)part->blocks.alignment[b];
        keys[b] = part->input[b];
        ids[b] = b;
    }
    plan_sort(keys, ids, keys + count, ids + count, count);
    for (uint32_t i = 0; i < count; i++) input[ids[i]] = (uint16_t)i;
    *field = (plan_field){.count = count,
                          .section_count = part->blocks.section_count,
                          .low = part->low,
                          .high = part->high,
                          .size = size,
                          .life = part->life,
                          .alignment = alignment,
                          .input = input};
    return field;
}

/* What one part's search works with. */
typedef struct pursuit {
    plan_part *part;
    const plan_field *field;
    plan_search *searches[PLAN_PREORDER_COUNT];
    plan_budget *budget;
    uint64_t noise;
    bool filled; /* holes in lives were filled, so that refuting proves nothing */
} pursuit;

/* Is there a packing under `capacity`? Spends at most `steps`; *winner is the search that
 * answered. */
static plan_outcome probe(pursuit *p, plan_cell capacity, uint64_t steps,
                          const plan_search **winner)
{
    uint64_t turn = FIRST_TURN + 2 * (uint64_t)p->field->count;
    for (int i = 0; i < PLAN_PREORDER_COUNT; i++)
        plan_search_start(p->searches[i], capacity, p->noise);
    for (int i = 0; steps && plan_budget_left(p->budget); i = (i + 1) % PLAN_PREORDER_COUNT) {
        uint64_t given = steps < turn ? steps : turn;
        uint64_t left = given;
        plan_outcome outcome = plan_search_run(p->searches[i], &left);
        steps -= given - left;
        plan_budget_spend(p->budget, given - left);
        *winner = p->searches[i];
        if (outcome != PLAN_STOPPED) return outcome;
    }
    return PLAN_STOPPED;
}

/* Tries one capacity and keeps what comes of it. */
static plan_outcome pursue(pursuit *p, int64_t capacity, uint64_t steps)
{
    const plan_search *winner = NULL;
    plan_outcome outcome = probe(p, (plan_cell)capacity, steps, &winner);
    if (outcome == PLAN_REFUTED && !p->filled && p->part->bound <= capacity)
        p->part->bound = capacity + 1;
    if (outcome != PLAN_FOUND) return outcome;
    const plan_cell *found = plan_search_offsets(winner);
    int64_t *offsets = NEW_ARRAY(p->part->memory, int64_t, p->field->count);
    int64_t height = 0;
    for (uint32_t b = 0; b < p->field->count; b++) {
        offsets[b] = found[b];
        if (offsets[b] + p->part->size[b] > height) height = offsets[b] + p->part->size[b];
    }
    plan_part_set(p->part, offsets, height, "exact");
    return outcome;
}

/* Only whether the part fits under `goal` matters. */
static void pursue_goal(pursuit *p, int64_t goal)
{
    plan_part *part = p->part;
    if (part->bound < goal) pursue(p, part->bound, BOUND_STEPS + 8 * (uint64_t)p->field->count);
    while (part->height > goal && part->bound <= goal && plan_budget_left(p->budget)) {
        pursue(p, goal, GOAL_STEPS);
        p->noise++;
    }
}

/* As low as the work allows: rounds of halving between the bound and the best height. */
static void pursue_least(pursuit *p, int64_t goal)
{
    plan_part *part = p->part;
    uint64_t share = BOUND_STEPS + 16 * (uint64_t)p->field->count;
    for (uint32_t round = 0; plan_budget_left(p->budget); round++, share *= 2) {
        int64_t low = part->bound > goal ? part->bound : goal;
        int64_t next = low;
        p->noise = round & 1 ? round : 0;
        while (next < part->height && plan_budget_left(p->budget)) {
            if (pursue(p, next, share) != PLAN_FOUND) low = next + 1;
            next = low + (part->height - low) / 2;
        }
        if (part->height <= (part->bound > goal ? part->bound : goal)) return;
    }
}

bool plan_exact(plan_part *part, int64_t goal, bool only_goal, plan_budget *budget)
{
    if (!searchable(part)) return false;
    pursuit p = {.part = part, .field = make_field(part), .budget = budget};
    p.filled = part->blocks.first[part->blocks.block_count] - part->blocks.first[0] >
               part->blocks.block_count;
    for (int i = 0; i < PLAN_PREORDER_COUNT; i++)
        p.searches[i] = plan_search_new(part->memory, p.field, (plan_preorder)i);
    if (only_goal)
        pursue_goal(&p, goal);
    else
        pursue_least(&p, goal);
    return true;
}
