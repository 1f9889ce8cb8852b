/* command.c -- the body of `ferrite plan`. */
#include "plan/plan.h"

/* Steps to spend when neither work nor a time is asked for: about a second. */
#define COMMAND_WORK 2000000

/* Height of the plan that the file came with. */
static int64_t given_height(const plan_text *given)
{
    int64_t height = 0;
    for (uint32_t i = 0; i < given->count; i++) {
        int64_t top = given->offsets[i] + given->buffers[i].size;
        if (given->buffers[i].birth < given->buffers[i].death && top > height) height = top;
    }
    return height;
}

static double ratio(int64_t height, int64_t bound)
{
    return bound ? (double)height / (double)bound : 1;
}

static void print_figures(const plan_text *given, const plan_options *options,
                          const plan_result *plan, text *out)
{
    const char *proof = plan->optimal ? " (no plan is lower)" : "";
    text_printf(out, "buffers      %u\n", plan->count);
    text_printf(out, "height       %lld\n", (long long)plan->height);
    text_printf(out, "lower bound  %lld\n", (long long)plan->lower_bound);
    text_printf(out, "ratio        %.6f%s\n", ratio(plan->height, plan->lower_bound), proof);
    if (options->capacity)
        text_printf(out, "capacity     %lld, %s\n", (long long)options->capacity,
                    plan->fits ? "fits" : "does not fit");
    if (given->offsets)
        text_printf(out, "given plan   %lld, ratio %.6f\n", (long long)given_height(given),
                    ratio(given_height(given), plan->lower_bound));
    text_printf(out, "method       %s, %llu steps\n", plan->method, (unsigned long long)plan->work);
    text_printf(out, "time         %.3f ms of the processor\n", plan->seconds * 1e3);
}

fe_status plan_command(arena *memory, const char *source, size_t length,
                       const plan_options *options, text *figures, text *csv)
{
    fe_session *session = arena_session(memory);
    plan_options used = options ? *options : (plan_options){0};
    plan_text given;
    plan_result plan;
    if (!used.alignment) used.alignment = 1;
    if (!used.work) used.work = used.budget_ms > 0 ? UINT64_MAX : COMMAND_WORK;
    FE_TRY(plan_parse(memory, source, length, &given));
    FE_TRY(plan_offsets(session, memory, given.buffers, given.count, &used, &plan));
    if (figures) print_figures(&given, &used, &plan, figures);
    if (csv) plan_print(&(plan_text){given.count, given.ids, given.buffers, plan.offsets}, csv);
    if (given.offsets) {
        plan_result as_given = {
            .height = given_height(&given), .offsets = given.offsets, .count = given.count};
        FE_TRY(plan_verify(session, given.buffers, given.count, &used, &as_given));
    }
    if (plan.fits) return FE_OK;
    diag d = {.status = FE_MISMATCH,
              .stage = "plan",
              .help = "give it more time with --budget-ms, or more room"};
    return diag_fail(session, d, "%lld bytes do not fit in %lld", (long long)plan.height,
                     (long long)used.capacity);
}
