/* plan.c -- the planner on a page: problem, skyline passes, exact search, climbing, check. */
#include "plan/plan_priv.h"

#define DEFAULT_WORK 60000 /* steps, and ... */
#define WORK_A_BUFFER 16   /* ... so many more for each buffer */
#define LARGE_PART 2048    /* blocks; from there on passes are dear */
#define BRIEF_CLIMB 2      /* tries to mend a plan of a large part before the next order */

/* One call of plan_offsets. */
typedef struct plan_call {
    arena *memory; /* scratch */
    double start;  /* by clock_thread_seconds() */
    const plan_buffer *buffers;
    uint32_t count;
    plan_options options;
    plan_result *result;
} plan_call;

static plan_options complete_options(const plan_options *options, uint32_t count)
{
    plan_options full = options ? *options : (plan_options){0};
    if (!full.alignment) full.alignment = PLAN_ALIGNMENT;
    if (!full.work) full.work = DEFAULT_WORK + (uint64_t)count * WORK_A_BUFFER;
    return full;
}

/* Orders to try, the most promising first. Large parts take the cheap ones alone. */
static const plan_rank RANKS[] = {PLAN_BY_DEATH, PLAN_BY_BIRTH, PLAN_BY_SIZE,
                                  PLAN_BY_AREA,  PLAN_BY_LOAD,  PLAN_BY_SIZE_BIRTH};
static const plan_rank LARGE_RANKS[] = {PLAN_BY_AREA, PLAN_BY_SIZE, PLAN_BY_BIRTH,
                                        PLAN_BY_SIZE_BIRTH};

/* Skyline passes over one order after the other, until the part is low enough. Keeps the best
 * order. */
static void pass_over(plan_part *part, int64_t enough, plan_budget *budget)
{
    const plan_skyline *blocks = &part->blocks;
    bool large = blocks->block_count > LARGE_PART;
    const plan_rank *ranks = large ? LARGE_RANKS : RANKS;
    size_t rank_count = large ? COUNT_OF(LARGE_RANKS) : COUNT_OF(RANKS);
    void *scratch =
        arena_alloc(part->memory, plan_skyline_scratch(blocks->block_count, blocks->section_count));
    int64_t *trial = NEW_ARRAY(part->memory, int64_t, blocks->block_count);
    for (size_t r = 0; r < rank_count && part->height > enough; r++) {
        if (r && plan_budget_late(budget)) break;
        uint32_t *order = plan_order(part, ranks[r]);
        int64_t height = plan_skyline_pass(blocks, order, part->height, scratch, trial);
        if (height >= part->height) continue;
        plan_part_set(part, trial, height, "skyline");
        part->order = order;
        if (large) plan_climb(part, enough, BRIEF_CLIMB, budget);
    }
}

/* The highest part, or the first of several. */
static plan_part *highest_part(plan_part_list *parts)
{
    plan_part *highest = &parts->at[0];
    for (uint32_t p = 1; p < parts->count; p++)
        if (parts->at[p].height > highest->height) highest = &parts->at[p];
    return highest;
}

/* Plans all parts; works on the highest one while that helps. */
static void plan_all(const plan_call *call, plan_part_list *parts, int64_t enough,
                     plan_budget *budget)
{
    for (uint32_t p = 0; p < parts->count; p++) pass_over(&parts->at[p], enough, budget);
    for (;;) {
        plan_part *part = highest_part(parts);
        if (part->height <= enough || part->searched) return;
        part->searched = true;
        if (!plan_exact(part, enough, call->options.capacity != 0, budget))
            plan_climb(part, enough, UINT64_MAX, budget);
    }
}

/* Fills in the result but for the offsets. */
static void report(const plan_call *call, const plan_problem *problem, plan_part_list *parts)
{
    plan_result *result = call->result;
    int64_t bound = problem->lower_bound;
    int64_t height = problem->lower_bound; /* obstacles may lie above all blocks */
    result->method = "empty";
    for (uint32_t p = 0; p < parts->count; p++)
        if (parts->at[p].bound > bound) bound = parts->at[p].bound;
    if (parts->count) {
        result->method = highest_part(parts)->method;
        if (highest_part(parts)->height > height) height = highest_part(parts)->height;
    }
    result->height = height * problem->unit;
    result->lower_bound = problem->lower_bound * problem->unit;
    result->optimal = height <= bound;
    result->fits = !call->options.capacity || result->height <= call->options.capacity;
}

static fe_status solve(fe_session *session, void *data)
{
    (void)session;
    plan_call *call = data;
    plan_problem problem;
    FE_TRY(plan_problem_build(call->memory, call->buffers, call->count, &call->options, &problem));
    plan_budget budget = {.left = call->options.work};
    if (call->options.budget_ms > 0) budget.deadline = call->start + call->options.budget_ms / 1000;
    int64_t enough = call->options.capacity / problem.unit;
    if (enough < problem.lower_bound) enough = problem.lower_bound;
    plan_part_list parts = plan_parts(&problem);
    if (parts.count) plan_all(call, &parts, enough, &budget);
    plan_problem_offsets(&problem, call->buffers, call->count, call->result->offsets);
    call->result->work = budget.spent;
    report(call, &problem, &parts);
    return plan_verify_in(call->memory, call->buffers, call->count, &call->options, call->result);
}

fe_status plan_offsets(fe_session *session, arena *out, const plan_buffer *buffers, uint32_t count,
                       const plan_options *options, plan_result *result)
{
    plan_call call = {.start = clock_thread_seconds(),
                      .buffers = buffers,
                      .count = count,
                      .options = complete_options(options, count),
                      .result = result};
    *result = (plan_result){.count = count, .offsets = NEW_ARRAY(out, int64_t, count + 1)};
    call.memory = arena_new(session);
    fe_status status = session_guard(session, solve, &call);
    arena_free(call.memory);
    result->seconds = clock_thread_seconds() - call.start;
    return status;
}

static fe_status bound(fe_session *session, void *data)
{
    (void)session;
    plan_call *call = data;
    plan_problem problem;
    FE_TRY(plan_problem_build(call->memory, call->buffers, call->count, &call->options, &problem));
    call->result->lower_bound = problem.lower_bound * problem.unit;
    return FE_OK;
}

fe_status plan_lower_bound(fe_session *session, const plan_buffer *buffers, uint32_t count,
                           const plan_options *options, int64_t *bytes)
{
    plan_result result = {0};
    plan_call call = {.buffers = buffers,
                      .count = count,
                      .options = complete_options(options, count),
                      .result = &result};
    call.memory = arena_new(session);
    fe_status status = session_guard(session, bound, &call);
    arena_free(call.memory);
    *bytes = result.lower_bound;
    return status;
}

static fe_status verify(fe_session *session, void *data)
{
    (void)session;
    plan_call *call = data;
    return plan_verify_in(call->memory, call->buffers, call->count, &call->options, call->result);
}

fe_status plan_verify(fe_session *session, const plan_buffer *buffers, uint32_t count,
                      const plan_options *options, const plan_result *result)
{
    plan_result copy = *result;
    plan_call call = {.buffers = buffers,
                      .count = count,
                      .options = complete_options(options, count),
                      .result = &copy};
    call.memory = arena_new(session);
    fe_status status = session_guard(session, verify, &call);
    arena_free(call.memory);
    return status;
}
