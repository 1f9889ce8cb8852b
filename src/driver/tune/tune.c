/* tune.c -- option tune: which kernels are timed, for how long, and what becomes of it. */
#include "driver/tune/tune.h"

#include <string.h>

enum { MOST_KERNELS = 40 /* in a library while they are timed */ };

static bool is_open(const tune_subject *s)
{
    return !s->obstacle && !s->is_decided && s->candidates.count > 1;
}

fe_status tune_check_options(driver_program *d)
{
    const driver_options *o = &d->options;
    diag says = {.status = FE_USAGE, .stage = "tune"};
    if (!o->tune) return FE_OK;
    says.help = "leave tune out";
    if (o->no_cc)
        return diag_fail(d->session, says,
                         "without a C compiler kernels are interpreted: there is nothing to time");
    if (o->from && (strcmp(o->from, "kern") == 0 || strcmp(o->from, "wrap") == 0))
        return diag_fail(d->session, says, "the kernels of this text are made already");
    return o->tune_timer ? FE_OK : toolchain_check_machine(d, "tune");
}

/* As many of the subjects from `first` on as go into one library; returns where they end. */
static uint32_t batch_from(const tune_plan *plan, uint32_t first)
{
    uint32_t kernels = 0, end = first;
    for (; end < plan->subjects.count; end++) {
        const tune_subject *s = &plan->subjects.at[end];
        uint32_t more = is_open(s) ? s->candidates.count : 0;
        if (kernels && kernels + more > MOST_KERNELS) break;
        kernels += more;
    }
    return kernels ? end : first;
}

static fe_status time_batch(tune_plan *plan, const tune_timer *timer, double deadline,
                            uint32_t first, uint32_t end)
{
    FE_TRY(timer->open(timer->data, plan, first, end));
    for (uint32_t i = first; i < end; i++) {
        tune_subject *s = &plan->subjects.at[i];
        if (!is_open(s) || timer->now(timer->data) >= deadline) continue;
        if (timer->begin(timer->data, plan, s)) {
            tune_choose(timer, s);
            tune_write_record(plan, s);
        }
        timer->finish(timer->data);
    }
    timer->close(timer->data);
    return FE_OK;
}

static fe_status time_all(tune_plan *plan)
{
    const driver_options *o = &plan->d->options;
    const tune_timer *timer = o->tune_timer ? o->tune_timer : tune_timer_new(plan->memory);
    double deadline = timer->now(timer->data) + o->tune_budget_ms / 1e3;
    for (uint32_t first = 0, end; timer->now(timer->data) < deadline; first = end) {
        end = batch_from(plan, first);
        if (end == first) break;
        FE_TRY(time_batch(plan, timer, deadline, first, end));
    }
    return FE_OK;
}

static bool admits(const tune_plan *plan, const sched_group *g, const sched_variant *v)
{
    sched_variant *all;
    uint32_t count =
        sched_variants(plan->d->schedule, g, plan->d->target->vector_bytes, plan->memory, &all);
    for (uint32_t i = 0; i < count; i++)
        if (sched_variant_is_same(&all[i], v)) return true;
    return false;
}

/* Sets the variants of all groups that call it, and adds it to the figures. */
static void apply(const tune_plan *plan, const tune_subject *s)
{
    driver_program *d = plan->d;
    d->tuned.left += is_open(s);
    if (!s->is_decided) return;
    d->tuned.kernels++;
    d->tuned.recorded += s->is_recorded;
    d->tuned.changed += s->chosen > 0;
    d->tuned.before_ms += s->before_ns * s->groups.count / 1e6;
    d->tuned.after_ms += s->after_ns * s->groups.count / 1e6;
    for (uint32_t i = 0; i < s->groups.count; i++) {
        sched_group *g = &d->schedule->groups.at[s->groups.at[i]];
        const sched_variant *v = &s->candidates.at[s->chosen].variant;
        if (admits(plan, g, v)) g->variant = *v;
    }
}

fe_status tune_kernels(driver_program *d)
{
    tune_plan *plan;
    arena *memory = arena_new(d->session);
    fe_status status = tune_list(d, memory, &plan);
    for (uint32_t i = 0; status == FE_OK && i < plan->subjects.count; i++)
        if (is_open(&plan->subjects.at[i])) tune_read_record(plan, &plan->subjects.at[i]);
    if (status == FE_OK) status = time_all(plan);
    for (uint32_t i = 0; status == FE_OK && i < plan->subjects.count; i++)
        apply(plan, &plan->subjects.at[i]);
    arena_free(memory);
    if (status != FE_OK || !d->tuned.changed) return status;
    return kern_build(d->schedule, d->target, d->memory, &d->kernels);
}
