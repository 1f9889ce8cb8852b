/* recompute.c -- values that are kept while others need the memory are made again before their next
 * use (option memory-budget), until the plan fits or nothing helps any more.
 *
 * Where too much is in use at once, those values that wait there for a later reader are candidates:
 * what made them (and what made its operands, when these are gone by then) is done once more right
 * before that reader. Those that save most bytes for their cost come first. Each change is tried for
 * real and stays if less is in use beyond the goal: that is the budget, or, where nothing helps to
 * reach it, something between it and the peak.
 */
#include "sched/recompute.h"

#include <stdlib.h>

enum { MOST_TRIES = 100, MOST_STEPS = 64 };

/* ---- measuring ---- */

static fe_status measure(const fitter *f, const sched_schedule *s, fit *out)
{
    plan_buffer *intervals;
    loop_buffer_id *owners;
    plan_result plan;
    uint32_t count = sched_intervals(s, &intervals, &owners, f->scratch);
    *out = (fit){.live = live_bytes(s, f->scratch), .steps = s->groups.count};
    for (uint32_t t = 0; t < out->steps; t++) {
        if (out->live[t] <= out->most) continue;
        out->most = out->live[t];
        out->when = t;
    }
    plan_options within = {.capacity = f->options->memory_budget};
    fe_status status = plan_offsets(f->p->session, f->scratch, intervals, count, &within, &plan);
    out->bytes = plan.height;
    return status;
}

/* Bytes beyond the goal, over all groups. */
static double excess(const fitter *f, const fit *a)
{
    double sum = 0;
    for (uint32_t t = 0; t < a->steps; t++)
        if (a->live[t] > f->goal) sum += (double)(a->live[t] - f->goal);
    return sum;
}

static bool is_better(const fitter *f, const fit *a)
{
    double left = excess(f, a), before = excess(f, &f->now);
    if (a->most > f->now.most) return false;
    return left < before || (left == before && a->bytes < f->now.bytes);
}

static bool fits(const fitter *f)
{
    return f->now.bytes <= f->options->memory_budget;
}

/* ---- which chains ---- */

static int by_worth(const void *a, const void *b)
{
    const chain *x = a, *y = b;
    double left = (double)x->saved * (y->cost + 1), right = (double)y->saved * (x->cost + 1);
    if (left != right) return left > right ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static bool reads_buffer(const chain *c, loop_buffer_id b)
{
    for (uint32_t i = 0; i < c->reads.count; i++)
        if (c->reads.at[i] == b) return true;
    return false;
}

/* Neither needs what the other one no longer keeps. */
static bool are_apart(const chain_list *chosen, const chain *c)
{
    for (uint32_t i = 0; i < chosen->count; i++)
        if (chosen->at[i].buffer == c->buffer || reads_buffer(&chosen->at[i], c->buffer) ||
            reads_buffer(c, chosen->at[i].buffer))
            return false;
    return true;
}

/* Adds the worthiest chains until little enough is in use in group `when`. */
static void choose_for(fitter *f, uint32_t when, int64_t left, chain_list *chosen)
{
    chain_list all = {0};
    for (uint32_t i = 0; i < chosen->count; i++) {
        const chain *c = &chosen->at[i];
        if (f->s->lives[c->buffer].birth < when && when < c->before) left -= c->saved;
    }
    for (loop_buffer_id b = 0; b < f->p->buffers.count && left > 0; b++) {
        chain c;
        if (recompute_chain(f, b, when, &c)) vec_push(f->scratch, &all, c);
    }
    if (all.count) qsort(all.at, all.count, sizeof *all.at, by_worth);
    for (uint32_t i = 0; i < all.count && left > 0; i++) {
        if (!are_apart(chosen, &all.at[i])) continue;
        vec_push(f->scratch, chosen, all.at[i]);
        left -= all.at[i].saved;
    }
}

/* For the group with most in use, or for all where that is too much, most first. */
static chain_list choose(fitter *f, bool everywhere)
{
    chain_list chosen = {0};
    bool *done = NEW_ARRAY(f->scratch, bool, f->now.steps + 1);
    for (uint32_t n = 0; n < (everywhere ? MOST_STEPS : 1); n++) {
        uint32_t when = UINT32_MAX;
        for (uint32_t t = 0; t < f->now.steps; t++)
            if (!done[t] && f->now.live[t] > f->goal &&
                (when == UINT32_MAX || f->now.live[t] > f->now.live[when]))
                when = t;
        if (when == UINT32_MAX) break;
        done[when] = true;
        choose_for(f, when, f->now.live[when] - f->goal, &chosen);
    }
    return chosen;
}

/* ---- the search ---- */

/* Does it with these chains; *kept: it helped, and stays. */
static fe_status try_chains(fitter *f, const chain_list *chains, bool *kept)
{
    program_snapshot before = snapshot_take(f->p, f->scratch);
    sched_schedule *s;
    fit made;
    f->tries--;
    recompute_apply(f, chains);
    FE_TRY(loop_check(f->p, "recompute"));
    FE_TRY(sched_make(f->p, f->options, f->memory, &s));
    FE_TRY(measure(f, s, &made));
    *kept = is_better(f, &made);
    if (!*kept) {
        snapshot_put_back(f->p, &before);
        return FE_OK;
    }
    f->s = s;
    f->now = made;
    return FE_OK;
}

/* All that were chosen, or else the first that helps alone. */
static fe_status change(fitter *f, bool *changed)
{
    *changed = false;
    recompute_look_at(f);
    chain_list chosen = choose(f, true);
    if (chosen.count > 1) FE_TRY(try_chains(f, &chosen, changed));
    if (*changed) return FE_OK;
    chosen = choose(f, false);
    if (chosen.count > 1 && f->tries) FE_TRY(try_chains(f, &chosen, changed));
    for (uint32_t i = 0; i < chosen.count && !*changed && f->tries; i++) {
        chain_list one = {&chosen.at[i], 1, 1};
        FE_TRY(try_chains(f, &one, changed));
        if (!*changed) map_set(f->scratch, &f->refused, chosen.at[i].buffer, 1);
    }
    *changed |= chosen.count > 0; /* others come next */
    return FE_OK;
}

/* What may be in use at once: the budget less what the plan loses between buffers. */
static int64_t allowed(const fitter *f)
{
    return f->options->memory_budget - (f->now.bytes - f->now.most);
}

/* A goal nearer to the peak when nothing leads to this one; false: it is there. */
static bool lower_sights(fitter *f)
{
    int64_t left = (f->now.most - f->goal) / 2;
    f->refused = (map){0};
    f->goal = f->now.most - left;
    return left >= PLAN_ALIGNMENT;
}

/* And nearer to the budget when something did. */
static void raise_sights(fitter *f)
{
    int64_t least = allowed(f), left = (f->goal - least) / 2;
    f->refused = (map){0};
    f->goal = least + (left < PLAN_ALIGNMENT ? 0 : left);
}

fe_status recompute_to_fit(loop_program *p, const sched_options *options, arena *memory,
                           sched_schedule **s)
{
    fitter f = {.p = p,
                .options = options,
                .memory = memory,
                .scratch = arena_new(p->session),
                .s = *s,
                .tries = MOST_TRIES};
    fe_status status = measure(&f, f.s, &f.now);
    f.goal = allowed(&f);
    while (status == FE_OK && f.tries && !fits(&f)) {
        int64_t most = f.now.most;
        bool changed;
        status = change(&f, &changed);
        if (f.now.most < most) raise_sights(&f);
        if (!changed && !lower_sights(&f)) break;
    }
    *s = f.s;
    arena_free(f.scratch);
    return status;
}
