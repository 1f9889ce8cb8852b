/* stack.c -- what sizes that are tried while compiling tell a template, for replan.h: by which rule to
 * sort blocks first, and plans that search found, as orders in which blocks stack up. */
#include "plan/plan_priv.h"

#include <string.h>

enum {
    MOST_BLOCKS = 2000,
    MOST_STACKS = 4,
    LONG_STEPS = 4 /* for each block: what takes more is given a plan to begin with */
};

/* The template's own plan for these buffers. */
static int64_t replan(const plan_template *t, const plan_buffer *buffers, arena *memory,
                      int64_t *bound, uint32_t *steps)
{
    int64_t *size = NEW_ARRAY(memory, int64_t, t->buffer_count + 1),
            *shift = NEW_ARRAY(memory, int64_t, t->buffer_count + 1),
            *offsets = NEW_ARRAY(memory, int64_t, t->buffer_count + 1);
    for (uint32_t i = 0; i < t->buffer_count; i++) {
        size[i] = buffers[i].size;
        shift[i] = buffers[i].group_offset;
    }
    plan_sizes sizes = {.size = size, .shift = shift, .alignment = PLAN_ALIGNMENT};
    void *scratch = arena_alloc(memory, plan_replan_scratch(t));
    return plan_replan_counted(t, &sizes, scratch, offsets, bound, steps);
}

/* The rule with which as low a plan takes the fewest steps; the usual one unless another takes half as many.
 * Sizes that are tried later change what earlier ones chose no more. */
static void choose_rule(plan_template *t, const plan_buffer *buffers, arena *memory)
{
    uint32_t least, steps;
    plan_template other = *t;
    int64_t height = replan(t, buffers, memory, NULL, &least);
    if (t->rule || least <= 2 * t->block_count) return;
    least /= 2;
    for (other.rule = 1; other.rule < PLAN_RULES; other.rule++) {
        if (replan(&other, buffers, memory, NULL, &steps) > height || steps >= least) continue;
        least = steps;
        t->rule = other.rule;
    }
}

/* The blocks from the bottom of a plan up: what lies in the way of a block comes before it. */
static uint32_t *from_below(const plan_template *t, const plan_buffer *buffers,
                            const int64_t *offsets, arena *memory)
{
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)t->block_count * 2 + 1);
    uint32_t *order = NEW_ARRAY(memory, uint32_t, (size_t)t->block_count * 2 + 1);
    for (uint32_t b = 0; b < t->block_count; b++) order[b] = b;
    for (uint32_t i = 0; i < t->buffer_count; i++)
        if (t->block_of[i] != UINT32_MAX && buffers[i].size > 0)
            keys[t->block_of[i]] = (uint64_t)(offsets[i] - buffers[i].group_offset);
    plan_sort(keys, order, keys + t->block_count, order + t->block_count, t->block_count);
    return order;
}

static fe_status find_stack(fe_session *session, arena *scratch, const plan_buffer *buffers,
                            uint32_t count, const plan_template *t, const uint32_t **stack)
{
    uint32_t steps, fewer;
    int64_t bound, height = replan(t, buffers, scratch, &bound, &steps), found;
    bool is_long = steps > LONG_STEPS * t->block_count;
    plan_result plan;
    *stack = NULL;
    if (height == bound && !is_long) return FE_OK;
    FE_TRY(plan_offsets(session, scratch, buffers, count, NULL, &plan));
    if (plan.height > height || (plan.height == height && !is_long)) return FE_OK;
    const uint32_t *order = from_below(t, buffers, plan.offsets, scratch);
    plan_template alone = *t;
    alone.order_count = 0;
    alone.stack_count = 1;
    alone.stacks = order;
    found = replan(&alone, buffers, scratch, NULL, &fewer);
    if (found < height || (found == height && fewer <= steps / 2)) *stack = order;
    return FE_OK;
}

fe_status plan_template_stack(fe_session *session, arena *memory, const plan_buffer *buffers,
                              uint32_t count, plan_template *t)
{
    const uint32_t *stack;
    if (t->block_count > MOST_BLOCKS || t->stack_count == MOST_STACKS) return FE_OK;
    arena *scratch = arena_new(session);
    choose_rule(t, buffers, scratch);
    fe_status status = find_stack(session, scratch, buffers, count, t, &stack);
    if (status == FE_OK && stack) {
        size_t row = t->block_count * sizeof *stack;
        uint32_t *all = arena_alloc(memory, row * (t->stack_count + 1));
        if (t->stack_count) memcpy(all, t->stacks, row * t->stack_count);
        memcpy(all + (size_t)t->stack_count * t->block_count, stack, row);
        t->stacks = all;
        t->stack_count++;
    }
    arena_free(scratch);
    return status;
}
