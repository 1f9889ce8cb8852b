/* rt_place.c - the arena where sizes are symbols: offsets from the plans that a context has made so far,
 * or from a new one; memory that grows with the largest.
 *
 * A context keeps the last RT_PLANS plans of each segment by the values of the symbols in its sizes.
 * All room for them is there from the beginning: neither finding a plan nor making one allocates,
 * only a segment that must grow.
 */
#include "rt_entry.h"

#include <stdlib.h>
#include <string.h>

enum { RT_PLANS = 32, RT_ALIGNMENT = 64 };
static const int64_t RT_MOST_BYTES = (int64_t)(SIZE_MAX / 8);

struct rt_plans {
    uint64_t keys[RT_PLANS]; /* hashes of the values */
    uint64_t used[RT_PLANS]; /* when last; 0: there is no plan */
    int64_t bytes[RT_PLANS];
    int64_t *values;  /* RT_PLANS times those of the segment's symbols */
    int64_t *offsets; /* RT_PLANS times those of its buffers */
    uint64_t now;
    uint32_t last; /* the plan of the last run */
};

/* ---- finding a plan ---- */

static uint64_t hash_of(const rt_segment *segment, const int64_t *symbols)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < segment->symbol_count; i++) {
        h = (h ^ (uint64_t)symbols[segment->symbols[i]]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

static int is_plan_of(const rt_plans *plans, uint32_t k, const rt_segment *segment,
                      const int64_t *symbols)
{
    const int64_t *values = plans->values + (size_t)k * segment->symbol_count;
    if (!plans->used[k]) return 0;
    for (uint32_t i = 0; i < segment->symbol_count; i++)
        if (values[i] != symbols[segment->symbols[i]]) return 0;
    return 1;
}

/* The plan for these values, else the one that was not used for the longest time. */
static uint32_t find(const rt_plans *plans, const rt_segment *segment, const int64_t *symbols,
                     uint64_t key, int *found)
{
    uint32_t oldest = 0;
    for (uint32_t k = 0; k < RT_PLANS; k++) {
        *found = plans->keys[k] == key && is_plan_of(plans, k, segment, symbols);
        if (*found) return k;
        if (plans->used[k] < plans->used[oldest]) oldest = k;
    }
    return oldest;
}

/* ---- making one ---- */

/* No more than plan_replan can add up. Where nothing is there, what the strides reach may come out
 * below 0. */
static int are_sizes_fit(const plan_template *lives, int64_t *size, int64_t *shift, int has_parts)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < lives->buffer_count; i++) {
        if (size[i] <= 0) {
            size[i] = 0;
            if (has_parts) shift[i] = 0;
            continue;
        }
        int64_t begin = has_parts ? shift[i] : 0;
        if (begin < 0 || begin > RT_MOST_BYTES || size[i] > RT_MOST_BYTES - begin) return 0;
        total += begin + size[i];
        if (total > RT_MOST_BYTES) return 0;
    }
    return 1;
}

static int64_t plan(fe_context *context, const rt_segment *segment, int64_t *offsets)
{
    rt_planner *p = &context->planner;
    segment->sizes(segment, context->symbols, p->size, p->shift);
    if (!are_sizes_fit(segment->lives, p->size, p->shift, segment->has_parts)) return -1;
    plan_sizes sizes = {
        .size = p->size, .shift = segment->has_parts ? p->shift : NULL, .alignment = RT_ALIGNMENT};
    return plan_replan(segment->lives, &sizes, p->scratch, offsets, NULL);
}

static int make_plan(rt_frame *f, const rt_segment *segment, rt_plans *plans, uint32_t k)
{
    fe_context *context = f->context;
    plans->used[k] = 0; /* until it is one again */
    plans->bytes[k] =
        plan(context, segment, plans->offsets + (size_t)k * segment->lives->buffer_count);
    if (plans->bytes[k] < 0)
        return rt_fail(f, FE_RUN_NO_MEMORY, "the sizes of this run are too large");
    for (uint32_t i = 0; i < segment->symbol_count; i++)
        plans->values[(size_t)k * segment->symbol_count + i] =
            context->symbols[segment->symbols[i]];
    return 0;
}

/* ---- memory ---- */

/* A block that grows once is likely to grow again. */
static int grow(rt_frame *f, rt_block *block, int64_t needed)
{
    size_t wanted = needed > 0 ? (size_t)needed : 1, more = block->bytes + block->bytes / 4;
    rt_memory_free(block->memory);
    block->memory = more > wanted ? rt_memory_new(more) : NULL;
    block->bytes = more;
    if (block->memory) return 0;
    block->memory = rt_memory_new(wanted);
    block->bytes = block->memory ? wanted : 0;
    if (block->memory) return 0;
    return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for %lld bytes of buffers", (long long)needed);
}

int rt_place(rt_frame *frame, uint32_t number)
{
    const fe_context *context = frame->context;
    const rt_segment *segment = &context->model->program->segments[number];
    rt_block *block = &context->segments[number];
    rt_plans *plans = block->plans;
    uint32_t k = plans->last;
    if (!is_plan_of(plans, k, segment, context->symbols)) {
        int found;
        uint64_t key = hash_of(segment, context->symbols);
        k = find(plans, segment, context->symbols, key, &found);
        if (!found) RT_TRY(make_plan(frame, segment, plans, k));
        plans->keys[k] = key;
        plans->used[k] = ++plans->now;
        plans->last = k;
    }
    block->offsets = plans->offsets + (size_t)k * segment->lives->buffer_count;
    if (block->memory && (size_t)plans->bytes[k] <= block->bytes) return 0;
    return grow(frame, block, plans->bytes[k]);
}

/* ---- a context's segments ---- */

static int plans_new(rt_block *block, const rt_segment *segment)
{
    rt_plans *plans = block->plans = calloc(1, sizeof *plans);
    if (!plans) return 0;
    plans->values = calloc((size_t)RT_PLANS * segment->symbol_count + 1, sizeof *plans->values);
    plans->offsets =
        calloc((size_t)RT_PLANS * segment->lives->buffer_count + 1, sizeof *plans->offsets);
    return plans->values && plans->offsets;
}

static int planner_new(rt_planner *planner, size_t buffers, size_t scratch)
{
    planner->size = calloc(buffers + 1, sizeof *planner->size);
    planner->shift = calloc(buffers + 1, sizeof *planner->shift);
    planner->scratch = malloc(scratch + 1);
    return planner->size && planner->shift && planner->scratch;
}

int rt_segments_new(fe_context *context)
{
    const rt_program *program = context->model->program;
    size_t buffers = 0, scratch = 0;
    context->segments = calloc(program->segment_count + 1, sizeof *context->segments);
    if (!context->segments) return 0;
    for (uint32_t k = 0; k < program->segment_count; k++) {
        const rt_segment *segment = &program->segments[k];
        rt_block *block = &context->segments[k];
        if (segment->lives) {
            size_t needed = plan_replan_scratch(segment->lives);
            if (segment->lives->buffer_count > buffers) buffers = segment->lives->buffer_count;
            if (needed > scratch) scratch = needed;
            if (!plans_new(block, segment)) return 0;
        } else if (segment->bytes > 0) {
            block->bytes = (size_t)segment->bytes;
            block->memory = rt_memory_new(block->bytes);
            if (!block->memory) return 0;
        }
    }
    return scratch == 0 || planner_new(&context->planner, buffers, scratch);
}

void rt_segments_free(fe_context *context)
{
    uint32_t count = context->segments ? context->model->program->segment_count : 0;
    for (uint32_t k = 0; k < count; k++) {
        rt_plans *plans = context->segments[k].plans;
        rt_memory_free(context->segments[k].memory);
        if (!plans) continue;
        free(plans->values);
        free(plans->offsets);
        free(plans);
    }
    free(context->segments);
    free(context->planner.size);
    free(context->planner.shift);
    free(context->planner.scratch);
}
