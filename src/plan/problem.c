/* problem.c -- from boxes to the problem that the solvers see: units, sections, blocks in time
 * order.
 *
 * Sections are the maximal cliques of the interval graph: a sweep over births and deaths closes one
 * at each first death after a birth. Source: MiniMalloc (Moffitt, ASPLOS
 * 2023).
 */
#include "plan/plan_priv.h"

static int64_t greatest_common(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Sets the unit and, when offsets in whole units are not all aligned, the alignment of each
 * block. */
static void choose_unit(plan_problem *problem, const plan_boxes *boxes)
{
    int64_t unit = 0;
    for (uint32_t i = 0; i < boxes->all.count; i++)
        unit =
            greatest_common(greatest_common(boxes->all.at[i].top, boxes->all.at[i].bottom), unit);
    int64_t sizes_unit = unit;
    for (uint32_t i = 0; i < boxes->alignment.count; i++)
        if (sizes_unit % boxes->alignment.at[i])
            unit = greatest_common(unit, boxes->alignment.at[i]);
    problem->unit = unit ? unit : 1;
    /* An obstacle may end inside a unit, so what lies on it is not aligned by itself. */
    bool aligned = true;
    for (uint32_t i = 0; i < boxes->alignment.count; i++)
        aligned &= unit % boxes->alignment.at[i] == 0;
    if (aligned) return;
    problem->alignment = NEW_ARRAY(problem->memory, int64_t, boxes->alignment.count);
    for (uint32_t i = 0; i < boxes->alignment.count; i++) {
        int64_t alignment = boxes->alignment.at[i];
        problem->alignment[i] = alignment > unit ? alignment / unit : 1;
    }
}

uint32_t plan_number_sections(arena *memory, const plan_box *boxes, uint32_t count, uint32_t *low,
                              uint32_t *high)
{
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 4 + 1);
    uint32_t *ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 4 + 1);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t birth = (uint64_t)((int64_t)boxes[i].birth - INT32_MIN);
        uint64_t death = (uint64_t)((int64_t)boxes[i].death - INT32_MIN);
        keys[2 * i] = birth * 2 + 1;
        keys[2 * i + 1] = death * 2; /* deaths come before the births of the same step */
        ids[2 * i] = ids[2 * i + 1] = i;
    }
    plan_sort(keys, ids, keys + (size_t)count * 2, ids + (size_t)count * 2, count * 2);
    uint32_t section = 0;
    bool born = false;
    for (uint32_t e = 0; e < count * 2; e++) {
        if (keys[e] & 1) {
            low[ids[e]] = section;
            born = true;
            continue;
        }
        if (born) section++;
        born = false;
        high[ids[e]] = section;
    }
    return section;
}

/* Order of the blocks: by first section, then last. order[new] = old. */
static uint32_t *blocks_in_time(const plan_problem *problem, const plan_boxes *boxes,
                                const uint32_t *low, const uint32_t *high)
{
    arena *memory = problem->memory;
    uint32_t count = problem->block_count;
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 2);
    uint32_t *ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 2);
    for (uint32_t i = boxes->all.count; i-- > 0;) {
        uint32_t block = boxes->all.at[i].owner;
        uint64_t last = keys[block] & UINT32_MAX;
        ids[block] = block;
        keys[block] = (uint64_t)low[i] << 32 | (last ? last : high[i]);
    }
    plan_sort(keys, ids, keys + count, ids + count, count);
    return ids;
}

/* Copies boxes into the problem in the new order of blocks. */
static void fill_blocks(plan_problem *problem, const plan_boxes *boxes, const uint32_t *low,
                        const uint32_t *high, const uint32_t *order)
{
    arena *memory = problem->memory;
    uint32_t count = problem->block_count;
    uint32_t *old_first = NEW_ARRAY(memory, uint32_t, count + 1);
    int64_t *alignment = problem->alignment ? NEW_ARRAY(memory, int64_t, count) : NULL;
    uint32_t *new_index = NEW_ARRAY(memory, uint32_t, count + 1);
    uint32_t spans = 0;
    for (uint32_t i = boxes->all.count; i-- > 0;) old_first[boxes->all.at[i].owner] = i;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t first = old_first[order[b]];
        new_index[order[b]] = b;
        problem->input[b] = order[b];
        problem->first[b] = spans;
        problem->low[b] = low[first];
        for (uint32_t i = first; i < boxes->all.count && boxes->all.at[i].owner == order[b]; i++) {
            const plan_box *box = &boxes->all.at[i];
            plan_span span = {low[i], high[i], box->bottom / problem->unit,
                              box->top / problem->unit};
            problem->spans[spans++] = span;
            problem->high[b] = span.high;
            if (span.top > problem->size[b]) problem->size[b] = span.top;
            problem->life[b] = (int64_t)box->death - boxes->all.at[first].birth;
        }
        if (alignment) alignment[b] = problem->alignment[order[b]];
    }
    problem->first[count] = spans;
    problem->alignment = alignment;
    problem->block_of = boxes->block_of;
    problem->new_index = new_index;
}

static void fill_obstacles(plan_problem *problem, const plan_boxes *boxes, const uint32_t *low,
                           const uint32_t *high)
{
    problem->obstacle_count = boxes->fixed.count;
    problem->obstacles = NEW_ARRAY(problem->memory, plan_obstacle, boxes->fixed.count + 1);
    for (uint32_t i = 0; i < boxes->fixed.count; i++) {
        const plan_box *box = &boxes->fixed.at[i];
        plan_obstacle *obstacle = &problem->obstacles[i];
        obstacle->low = low[boxes->all.count + i];
        obstacle->high = high[boxes->all.count + i];
        obstacle->bottom = box->bottom / problem->unit;
        obstacle->top = box->top / problem->unit + (box->top % problem->unit != 0);
    }
}

/* Sums up the sections. The lower bound is the largest sum, but at least the top of every
 * obstacle. */
static int64_t lower_bound(plan_problem *problem, const plan_boxes *boxes)
{
    int64_t *change = NEW_ARRAY(problem->memory, int64_t, problem->section_count + 1);
    int64_t best = 0;
    for (uint32_t i = 0; i < problem->span_count; i++) {
        const plan_span *span = &problem->spans[i];
        change[span->low] += span->top - span->bottom;
        change[span->high] -= span->top - span->bottom;
    }
    for (uint32_t i = 0; i < problem->obstacle_count; i++) {
        const plan_obstacle *obstacle = &problem->obstacles[i];
        const plan_box *box = &boxes->fixed.at[i];
        change[obstacle->low] += (box->top - box->bottom) / problem->unit;
        change[obstacle->high] -= (box->top - box->bottom) / problem->unit;
        if (obstacle->top > best) best = obstacle->top;
    }
    int64_t load = 0;
    for (uint32_t s = 0; s < problem->section_count; s++) {
        load += change[s];
        change[s] = load;
        if (load > best) best = load;
    }
    problem->load = change;
    for (uint32_t b = 0; b < problem->block_count; b++)
        if (problem->size[b] > best) best = problem->size[b];
    return best;
}

fe_status plan_problem_build(arena *memory, const plan_buffer *buffers, uint32_t count,
                             const plan_options *options, plan_problem *out)
{
    plan_boxes boxes;
    *out = (plan_problem){.session = arena_session(memory), .memory = memory};
    FE_TRY(plan_boxes_build(memory, buffers, count, options->alignment, true, &boxes));
    uint32_t box_count = boxes.all.count + boxes.fixed.count;
    uint32_t *low = NEW_ARRAY(memory, uint32_t, box_count + 1);
    uint32_t *high = NEW_ARRAY(memory, uint32_t, box_count + 1);
    out->block_count = boxes.alignment.count;
    out->span_count = boxes.all.count;
    out->fixed_base = boxes.fixed_base;
    choose_unit(out, &boxes);
    plan_box *all = NEW_ARRAY(memory, plan_box, box_count + 1);
    for (uint32_t i = 0; i < box_count; i++)
        all[i] = i < out->span_count ? boxes.all.at[i] : boxes.fixed.at[i - out->span_count];
    out->section_count = plan_number_sections(memory, all, box_count, low, high);
    out->first = NEW_ARRAY(memory, uint32_t, out->block_count + 1);
    out->spans = NEW_ARRAY(memory, plan_span, out->span_count + 1);
    out->input = NEW_ARRAY(memory, uint32_t, out->block_count + 1);
    out->low = NEW_ARRAY(memory, uint32_t, out->block_count + 1);
    out->high = NEW_ARRAY(memory, uint32_t, out->block_count + 1);
    out->size = NEW_ARRAY(memory, int64_t, out->block_count + 1);
    out->offsets = NEW_ARRAY(memory, int64_t, out->block_count + 1);
    out->life = NEW_ARRAY(memory, int64_t, out->block_count + 1);
    fill_blocks(out, &boxes, low, high, blocks_in_time(out, &boxes, low, high));
    fill_obstacles(out, &boxes, low, high);
    out->lower_bound = lower_bound(out, &boxes);
    return FE_OK;
}

void plan_problem_offsets(const plan_problem *problem, const plan_buffer *buffers, uint32_t count,
                          int64_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t block = problem->block_of[i];
        out[i] = 0;
        if (block != PLAN_NONE)
            out[i] = problem->offsets[problem->new_index[block]] * problem->unit +
                     buffers[i].group_offset;
        else if (problem->fixed_base[i] >= 0)
            out[i] = problem->fixed_base[i] + buffers[i].group_offset;
    }
}
