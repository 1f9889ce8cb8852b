/* parts.c -- stretches of time that can be planned by themselves, and what a call may spend on
 * them. */
#include "plan/plan_priv.h"

/* Obstacles as the part sees them: cut to its sections. */
static void cut_obstacles(const plan_problem *problem, plan_part *part, uint32_t low, uint32_t high)
{
    plan_obstacle *inside = NEW_ARRAY(problem->memory, plan_obstacle, problem->obstacle_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->obstacle_count; i++) {
        plan_obstacle obstacle = problem->obstacles[i];
        if (obstacle.low >= high || obstacle.high <= low) continue;
        obstacle.low = obstacle.low > low ? obstacle.low - low : 0;
        obstacle.high = obstacle.high < high ? obstacle.high - low : high - low;
        inside[count++] = obstacle;
    }
    part->blocks.obstacles = inside;
    part->blocks.obstacle_count = count;
}

/* Makes the blocks [first, last) a part. */
static void add_part(plan_problem *problem, plan_part_list *parts, uint32_t first, uint32_t last)
{
    uint32_t low = problem->low[first];
    uint32_t high = low;
    plan_part part = {
        .memory = problem->memory, .height = INT64_MAX, .offsets = problem->offsets + first};
    for (uint32_t b = first; b < last; b++) {
        if (problem->high[b] > high) high = problem->high[b];
        problem->low[b] -= low;
        problem->high[b] -= low;
    }
    for (uint32_t s = problem->first[first]; s < problem->first[last]; s++) {
        problem->spans[s].low -= low;
        problem->spans[s].high -= low;
    }
    for (uint32_t s = low; s < high; s++)
        if (problem->load[s] > part.bound) part.bound = problem->load[s];
    part.blocks = (plan_skyline){.block_count = last - first,
                                 .section_count = high - low,
                                 .first = problem->first + first,
                                 .spans = problem->spans};
    if (problem->alignment) part.blocks.alignment = problem->alignment + first;
    if (problem->obstacle_count) cut_obstacles(problem, &part, low, high);
    part.low = problem->low + first;
    part.high = problem->high + first;
    part.input = problem->input + first;
    part.size = problem->size + first;
    part.life = problem->life + first;
    part.load = problem->load + low;
    vec_push(problem->memory, parts, part);
}

plan_part_list plan_parts(plan_problem *problem)
{
    plan_part_list parts = {0};
    uint32_t first = 0;
    uint32_t end = 0;
    for (uint32_t b = 0; b < problem->block_count; b++) {
        uint32_t high = problem->high[b];
        if (b > first && problem->low[b] >= end) {
            add_part(problem, &parts, first, b);
            first = b;
        }
        if (high > end) end = high;
    }
    if (problem->block_count) add_part(problem, &parts, first, problem->block_count);
    return parts;
}

void plan_part_set(plan_part *part, const int64_t *offsets, int64_t height, const char *method)
{
    for (uint32_t b = 0; b < part->blocks.block_count; b++) part->offsets[b] = offsets[b];
    part->height = height;
    part->method = method;
}

bool plan_budget_late(const plan_budget *budget)
{
    return budget->deadline != 0 && clock_thread_seconds() >= budget->deadline;
}

bool plan_budget_left(const plan_budget *budget)
{
    return budget->left && !plan_budget_late(budget);
}

void plan_budget_spend(plan_budget *budget, uint64_t steps)
{
    budget->spent += steps;
    budget->left = steps < budget->left ? budget->left - steps : 0;
}
