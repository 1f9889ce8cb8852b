/* exact.c -- proves or lowers the height of one part of a problem with searches at chosen
 * capacities.
 *
 * Three searches that differ in how they rank blocks take turns, since which of them is lucky
 * varies by orders of magnitude. The lower bound is tried first: the tighter the capacity, the
 * sooner a branch fails. Then come capacities between the bound and the best height, each with
 * other ranks, until the work is spent.
 */
#include "plan/plan_priv.h"
#include "plan/search.h"

#define FIRST_TURN 256    /* steps of one search before the next one's turn, and twice the blocks */
#define BOUND_STEPS 4096  /* for the first try at the bound */
#define FIRST_STEPS 60000 /* for the first try at a capacity that is asked for */
#define SHARE 30          /* for the next ones, times the blocks, times powers of two up to .. */
#define MOST_SHARES 32    /* .. this */

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

/* Searches of one field that differ in how they rank, side by side. */
typedef struct portfolio {
    plan_search *searches[PLAN_PREORDER_COUNT];
    uint64_t turn;   /* steps of one before the next one's turn */
    uint64_t unused; /* of the turn of the one that is next */
    int next;
    int64_t capacity;
} portfolio;

static portfolio new_portfolio(arena *memory, const plan_field *field)
{
    portfolio p = {.turn = FIRST_TURN + 2 * (uint64_t)field->count};
    for (int i = 0; i < PLAN_PREORDER_COUNT; i++)
        p.searches[i] = plan_search_new(memory, field, (plan_preorder)i);
    return p;
}

/* What one part's search works with. */
typedef struct pursuit {
    plan_part *part;
    const plan_field *field;
    plan_budget *budget;
    int64_t goal;
    int64_t *offsets; /* scratch, by block */
    portfolio steady; /* goes on at one capacity with the ranks as they are */
    portfolio fickle; /* begins anew, with other ranks and capacities */
    int64_t bound;    /* of the field: the least capacity that is not refuted */
    bool filled;      /* holes in lives were filled: the part's own bound may be lower */
} pursuit;

/* The least height that is of interest and not refuted. */
static int64_t least(const pursuit *p)
{
    return p->bound > p->goal ? p->bound : p->goal;
}

static bool finished(const pursuit *p)
{
    return p->part->height <= least(p) || !plan_budget_left(p->budget);
}

static void start(pursuit *p, portfolio *f, int64_t capacity, uint64_t noise)
{
    for (int i = 0; i < PLAN_PREORDER_COUNT; i++)
        plan_search_start(f->searches[i], (plan_cell)capacity, noise);
    plan_budget_spend(p->budget, p->field->count);
    f->capacity = capacity;
    f->next = 0;
    f->unused = f->turn;
}

static void keep_found(pursuit *p, const plan_search *search)
{
    const plan_cell *found = plan_search_offsets(search);
    int64_t height = 0;
    for (uint32_t b = 0; b < p->field->count; b++) {
        p->offsets[b] = found[b];
        if (found[b] + p->part->size[b] > height) height = found[b] + p->part->size[b];
    }
    if (height < p->part->height) plan_part_set(p->part, p->offsets, height, "exact");
}

static void refute(pursuit *p, int64_t capacity)
{
    if (p->bound <= capacity) p->bound = capacity + 1;
    if (!p->filled && p->part->bound < p->bound) p->part->bound = p->bound;
}

/* Lets the searches take turns for `steps` steps, or until one has an answer, which is kept. */
static plan_outcome run(pursuit *p, portfolio *f, uint64_t steps)
{
    while (steps && plan_budget_left(p->budget)) {
        uint64_t given = steps < f->unused ? steps : f->unused;
        uint64_t left = given;
        const plan_search *search = f->searches[f->next];
        plan_outcome outcome = plan_search_run(f->searches[f->next], &left);
        plan_budget_spend(p->budget, given - left);
        if (outcome == PLAN_FOUND) keep_found(p, search);
        if (outcome == PLAN_REFUTED) refute(p, f->capacity);
        if (outcome != PLAN_STOPPED) return outcome;
        steps -= given;
        f->unused -= given;
        if (f->unused) continue;
        f->unused = f->turn;
        f->next = (f->next + 1) % PLAN_PREORDER_COUNT;
    }
    return PLAN_STOPPED;
}

/* What attempt number 1, 2, 3 .. may spend: 1, 2, 1, 4, 1, 2, 1, 8 .. shares. Most searches end
 * soon or never, so many short ones with other ranks find more than few long ones. */
static uint64_t steps_of(const pursuit *p, uint64_t attempt)
{
    uint64_t shares = attempt & (0 - attempt);
    return SHARE * p->field->count * (shares < MOST_SHARES ? shares : MOST_SHARES);
}

/* Only whether the part fits under the goal matters. */
static void pursue_goal(pursuit *p)
{
    if (p->bound < p->goal) {
        start(p, &p->fickle, p->bound, 0);
        run(p, &p->fickle, BOUND_STEPS + 8 * (uint64_t)p->field->count);
    }
    if (finished(p)) return;
    start(p, &p->steady, p->goal, 0);
    run(p, &p->steady, FIRST_STEPS);
    for (uint64_t attempt = 1; !finished(p); attempt++) {
        start(p, &p->fickle, p->goal, attempt);
        run(p, &p->fickle, steps_of(p, attempt));
        run(p, &p->steady, steps_of(p, attempt));
    }
}

/* As low as the work allows: one half of it at the bound, the other at capacities between the bound
 * and the best height. */
static void pursue_least(pursuit *p)
{
    static const int64_t SIXTEENTHS[] = {12, 8, 15, 12, 14};
    start(p, &p->steady, least(p), 0);
    run(p, &p->steady, BOUND_STEPS + 16 * (uint64_t)p->field->count);
    for (uint64_t attempt = 1; !finished(p); attempt++) {
        int64_t between = (p->part->height - least(p)) * SIXTEENTHS[attempt % 5] / 16;
        start(p, &p->fickle, least(p) + between, attempt / 5);
        run(p, &p->fickle, steps_of(p, attempt));
        if (p->steady.capacity < least(p)) start(p, &p->steady, least(p), 0);
        run(p, &p->steady, steps_of(p, attempt));
    }
}

bool plan_exact(plan_part *part, int64_t goal, bool only_goal, plan_budget *budget)
{
    if (!searchable(part)) return false;
    uint32_t count = part->blocks.block_count;
    pursuit p = {.part = part,
                 .field = make_field(part),
                 .budget = budget,
                 .goal = goal,
                 .bound = part->bound};
    p.offsets = NEW_ARRAY(part->memory, int64_t, count);
    p.steady = new_portfolio(part->memory, p.field);
    p.fickle = new_portfolio(part->memory, p.field);
    p.filled = part->blocks.first[count] - part->blocks.first[0] > count;
    if (only_goal)
        pursue_goal(&p);
    else
        pursue_least(&p);
    return true;
}
