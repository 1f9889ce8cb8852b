/* rt_place.c - the arena where sizes are symbols: offsets from the plans that a context has made so far,
 * or from a new one; memory that grows with the largest.
 *
 * A segment that is placed during the run goes around what lives in the arena by then. Nothing there can
 * move any more, so where a program has such segments the arena's addresses are reserved with room to
 * grow; a segment that does not fit even so has memory of its own.
 *
 * A context keeps the last RT_PLANS plans of each segment by the values of the symbols in its sizes.
 * All room for them is there from the beginning: neither finding a plan nor making one allocates,
 * only a segment that must grow.
 */
#include "rt_entry.h"

#include <stdlib.h>
#include <string.h>

enum { RT_PLANS = 32, RT_ALIGNMENT = 64, RESERVE_TIMES = 128 };
static const int64_t RT_MOST_BYTES = (int64_t)(SIZE_MAX / 8);
static const size_t LEAST_RESERVE = (size_t)16 << 20, MOST_RESERVE = SIZE_MAX >> 18;

struct rt_plans {
    uint64_t keys[RT_PLANS]; /* hashes of the values */
    uint64_t used[RT_PLANS]; /* when last; 0: there is no plan */
    int64_t bytes[RT_PLANS]; /* from the start of the memory that it is for */
    int alone[RT_PLANS];     /* it is for memory of its own */
    int64_t *values;         /* RT_PLANS times those of the segment's symbols */
    int64_t *offsets;        /* RT_PLANS times those of its buffers */
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

static int is_in_arena(const fe_context *context, uint32_t number)
{
    const rt_plans *plans = context->segments[number].plans;
    return number == 0 || !plans->alone[plans->last];
}

/* What lies in the arena already stays there; what lies elsewhere is not in the way. */
static void fix_held(const fe_context *context, const rt_segment *segment, int alone)
{
    const rt_planner *p = &context->planner;
    uint32_t own = segment->lives->buffer_count - segment->held_count;
    for (uint32_t i = 0; i < own; i++) p->fixed[i] = -1;
    for (uint32_t i = 0; i < segment->held_count; i++) {
        const rt_held *held = &segment->held[i];
        int is_there = !alone && p->size[own + i] > 0 && is_in_arena(context, held->segment);
        p->fixed[own + i] = -1;
        if (!is_there)
            p->size[own + i] = 0;
        else
            p->fixed[own + i] = held->slot == UINT32_MAX
                                    ? held->offset
                                    : context->segments[held->segment].offsets[held->slot];
    }
}

static int64_t plan(fe_context *context, const rt_segment *segment, int alone, int64_t *offsets)
{
    rt_planner *p = &context->planner;
    segment->sizes(segment, context->symbols, p->size, p->shift);
    if (!are_sizes_fit(segment->lives, p->size, p->shift, segment->has_parts)) return -1;
    fix_held(context, segment, alone);
    plan_sizes sizes = {.size = p->size,
                        .shift = segment->has_parts ? p->shift : NULL,
                        .fixed = segment->held_count ? p->fixed : NULL,
                        .alignment = RT_ALIGNMENT};
    return plan_replan(segment->lives, &sizes, p->scratch, offsets, NULL);
}

static int make_plan(rt_frame *f, uint32_t number, uint32_t k)
{
    fe_context *context = f->context;
    const rt_segment *segment = &context->model->program->segments[number];
    rt_plans *plans = context->segments[number].plans;
    int64_t *offsets = plans->offsets + (size_t)k * segment->lives->buffer_count;
    plans->used[k] = 0; /* until it is one again */
    plans->bytes[k] = plan(context, segment, 0, offsets);
    plans->alone[k] =
        number > 0 && (segment->device || plans->bytes[k] > (int64_t)context->segments[0].room);
    if (plans->alone[k]) plans->bytes[k] = plan(context, segment, 1, offsets);
    if (plans->bytes[k] < 0)
        return rt_fail(f, FE_RUN_NO_MEMORY, "the sizes of this run are too large");
    for (uint32_t i = 0; i < segment->symbol_count; i++)
        plans->values[(size_t)k * segment->symbol_count + i] =
            context->symbols[segment->symbols[i]];
    return 0;
}

/* ---- memory ---- */

static void block_free(const fe_context *context, rt_block *block)
{
    if (block->device)
        context->model->program->device_support->memory_free(context, block->device,
                                                             block->is_pinned, block->own);
    else if (block->is_reserved)
        rt_unreserve(block->own, block->room);
    else
        rt_memory_free(block->own);
    block->own = NULL;
    block->bytes = block->room = 0;
    block->is_reserved = 0;
}

static int block_new(const fe_context *context, rt_block *block, size_t bytes)
{
    block->own = block->device ? context->model->program->device_support->memory_new(
                                     context, block->device, block->is_pinned, bytes)
                               : rt_memory_new(bytes);
    if (block->own) block->bytes = block->room = bytes;
    return block->own != NULL;
}

/* The arena of a program that places segments during the run. */
static int arena_reserve(const fe_context *context, rt_block *block, size_t bytes)
{
    size_t room = bytes < LEAST_RESERVE / RESERVE_TIMES ? LEAST_RESERVE : bytes * RESERVE_TIMES;
    if (bytes > MOST_RESERVE / RESERVE_TIMES || !block_new(context, block, bytes)) return 0;
    block_free(context, block); /* so much is there */
    block->own = rt_reserve(room, bytes);
    if (!block->own) return 0;
    block->room = room;
    block->bytes = bytes;
    return block->is_reserved = 1;
}

/* Plans of later segments are for the arena as it was, and so is what did not fit into it. */
static void forget_plans(fe_context *context)
{
    for (uint32_t k = 1; k < context->model->program->segment_count; k++) {
        rt_block *block = &context->segments[k];
        memset(block->plans->used, 0, sizeof block->plans->used);
        block_free(context, block);
    }
}

/* A block that grows once is likely to grow again. */
static int grow(rt_frame *f, uint32_t number, int64_t needed)
{
    rt_block *block = &f->context->segments[number];
    size_t wanted = needed > 0 ? (size_t)needed : 1, more = block->bytes + block->bytes / 4;
    if (block->own && wanted <= block->room) {
        if (block->bytes < wanted) block->bytes = wanted;
        return 0;
    }
    block_free(f->context, block);
    if (number == 0) forget_plans(f->context);
    if (number == 0 && f->context->model->program->segment_count > 1 &&
        arena_reserve(f->context, block, wanted))
        return 0;
    if ((more > wanted && block_new(f->context, block, more)) ||
        block_new(f->context, block, wanted))
        return 0;
    return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for %lld bytes of buffers", (long long)needed);
}

/* Memory for plan k of the segment. */
static int settle(rt_frame *f, uint32_t number, uint32_t k)
{
    rt_block *block = &f->context->segments[number], *arena = f->context->segments;
    const rt_plans *plans = block->plans;
    block->offsets = plans->offsets +
                     (size_t)k * f->context->model->program->segments[number].lives->buffer_count;
    if (number == 0 || plans->alone[k]) {
        RT_TRY(grow(f, number, plans->bytes[k]));
        block->memory = block->own;
        return 0;
    }
    if (arena->bytes < (size_t)plans->bytes[k]) arena->bytes = (size_t)plans->bytes[k];
    block->memory = arena->own;
    return 0;
}

int rt_place(rt_frame *frame, uint32_t number)
{
    const fe_context *context = frame->context;
    const rt_segment *segment = &context->model->program->segments[number];
    rt_plans *plans = context->segments[number].plans;
    uint32_t k = plans->last;
    if (!is_plan_of(plans, k, segment, context->symbols)) {
        int found;
        uint64_t key = hash_of(segment, context->symbols);
        k = find(plans, segment, context->symbols, key, &found);
        if (!found) RT_TRY(make_plan(frame, number, k));
        plans->keys[k] = key;
        plans->used[k] = ++plans->now;
        plans->last = k;
    }
    return settle(frame, number, k);
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
    planner->fixed = calloc(buffers + 1, sizeof *planner->fixed);
    planner->scratch = malloc(scratch + 1);
    return planner->size && planner->shift && planner->fixed && planner->scratch;
}

/* Where offsets are constants. */
static int fixed_new(const fe_context *context, rt_block *block, size_t bytes, int may_grow)
{
    int is_there = (may_grow && arena_reserve(context, block, bytes ? bytes : 1)) || bytes == 0 ||
                   block_new(context, block, bytes);
    block->memory = block->own;
    block->bytes = bytes;
    return is_there;
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
        block->device = segment->device;
        block->is_pinned = segment->is_pinned;
        if (segment->lives) {
            size_t needed = plan_replan_scratch(segment->lives);
            if (segment->lives->buffer_count > buffers) buffers = segment->lives->buffer_count;
            if (needed > scratch) scratch = needed;
            if (!plans_new(block, segment)) return 0;
        } else if (!fixed_new(context, block, (size_t)segment->bytes,
                              program->segment_count > 1 && !segment->device)) {
            return 0;
        }
    }
    return scratch == 0 || planner_new(&context->planner, buffers, scratch);
}

void rt_segments_free(fe_context *context)
{
    uint32_t count = context->segments ? context->model->program->segment_count : 0;
    for (uint32_t k = 0; k < count; k++) {
        rt_plans *plans = context->segments[k].plans;
        block_free(context, &context->segments[k]);
        if (!plans) continue;
        free(plans->values);
        free(plans->offsets);
        free(plans);
    }
    free(context->segments);
    free(context->planner.size);
    free(context->planner.shift);
    free(context->planner.fixed);
    free(context->planner.scratch);
}
