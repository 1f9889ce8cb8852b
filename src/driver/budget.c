/* budget.c -- what is said when a plan needs more than option memory-budget allows. */
#include <stdlib.h>

#include "driver/report/plan_view.h"

enum { MOST_NAMED = 5 };

/* "4194304 bytes @buf7 (conv1, of model.py:12)" */
static void name_block(const plan_block *b, text *out)
{
    text_printf(out, "\n    %lld bytes @%s, steps %u to %u", (long long)b->bytes, b->name, b->birth,
                b->death - 1);
    if (b->note) text_printf(out, ": %s", b->note);
    if (b->source) text_printf(out, ", %s", b->source);
}

static int by_bytes(const void *a, const void *b)
{
    const plan_block *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Does the block lie in memory that one before it has? */
static bool is_in_memory_of(const plan_block *blocks, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (blocks[i].root == blocks[index].root) return true;
    return false;
}

/* The largest blocks at the peak. */
static const char *holders(driver_program *d, const plan_view *v)
{
    VEC(plan_block) live = {0};
    text list;
    text_init(&list, d->memory);
    for (uint32_t i = 0; i < v->blocks.count; i++) {
        const plan_block *b = &v->blocks.at[i];
        if (b->birth <= v->peak && v->peak < b->death) vec_push(d->memory, &live, *b);
    }
    if (live.count) qsort(live.at, live.count, sizeof *live.at, by_bytes);
    for (uint32_t i = 0, named = 0; i < live.count && named < MOST_NAMED; i++)
        if (!is_in_memory_of(live.at, i)) {
            name_block(&live.at[i], &list);
            named++;
        }
    return list.at;
}

fe_status budget_check(driver_program *d)
{
    int64_t budget = d->options.memory_budget;
    plan_view v;
    if (!budget) return FE_OK;
    FE_TRY(plan_view_of(d, d->memory, &v));
    if (v.arena_bytes <= budget) return FE_OK;
    diag says = {.status = FE_USAGE, .stage = "wrap"};
    says.help =
        arena_printf(d->memory,
                     "allow %lld bytes, or make the program smaller where most "
                     "is in use, step %u (%s):%s",
                     (long long)v.arena_bytes, v.peak, v.steps[v.peak].what, holders(d, &v));
    return diag_fail(d->session, says,
                     "memory-budget: %lld bytes are needed%s, %lld more than the budget of %lld",
                     (long long)v.arena_bytes, v.of_example ? " for the sizes of the example" : "",
                     (long long)(v.arena_bytes - budget), (long long)budget);
}
