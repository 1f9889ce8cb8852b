/* report.c -- what `ferrite report` tells: the plan over time, what holds its peak, what lies elsewhere,
 * and how long each step takes when it is run. */
#include "driver/report/report.h"

#include "driver/call.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 50 };
static const double SECONDS = 1; /* of runs */

/* ---- the peak ---- */

static int by_block_bytes(const void *a, const void *b)
{
    const plan_block *x = *(const plan_block *const *)a, *y = *(const plan_block *const *)b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static int by_line_bytes(const void *a, const void *b)
{
    const report_line *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return strcmp(x->source, y->source);
}

/* Bytes of a block that none of those before it covers: what shares memory counts once. */
static int64_t own_bytes(const plan_block *const *blocks, uint32_t index)
{
    const plan_block *b = blocks[index];
    int64_t at = b->offset, end = b->offset + b->bytes, own = 0;
    while (at < end) {
        int64_t covered = at, next = end; /* up to where; where the next one begins */
        for (uint32_t i = 0; i < index; i++) {
            const plan_block *other = blocks[i];
            int64_t low = other->offset, high = other->offset + other->bytes;
            if (other->root != b->root || high <= at) continue;
            if (low <= at && high > covered) covered = high;
            if (low > at && low < next) next = low;
        }
        if (covered == at) own += next - at;
        at = covered > at ? covered : next;
    }
    return own;
}

static void add_line(report *r, const plan_block *b, int64_t bytes)
{
    const char *source = b->source ? b->source : b->note ? b->note : "made by the compiler";
    uint32_t i = 0;
    while (i < r->lines.count && strcmp(r->lines.at[i].source, source) != 0) i++;
    if (i == r->lines.count) vec_push(r->d->memory, &r->lines, ((report_line){source, 0, 0}));
    r->lines.at[i].bytes += bytes;
    r->lines.at[i].buffers++;
}

static void collect_peak(report *r)
{
    const plan_view *v = &r->view;
    VEC(const plan_block *) live = {0};
    for (uint32_t i = 0; i < v->blocks.count; i++)
        if (v->blocks.at[i].birth <= v->peak && v->peak < v->blocks.at[i].death)
            vec_push(r->d->memory, &live, &v->blocks.at[i]);
    if (live.count) qsort(live.at, live.count, sizeof *live.at, by_block_bytes);
    for (uint32_t i = 0; i < live.count; i++) {
        vec_push(r->d->memory, &r->peak, (uint32_t)(live.at[i] - v->blocks.at));
        add_line(r, live.at[i], own_bytes(live.at, i));
    }
    if (r->lines.count) qsort(r->lines.at, r->lines.count, sizeof *r->lines.at, by_line_bytes);
}

/* ---- what lies elsewhere ---- */

static void collect_lent(report *r)
{
    const wrap_program *w = r->view.w;
    const sym_table *t = w->loops->symbols;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        const sched_life *life = &w->storage[id].life;
        if (life->in_arena || life->root == id || life->birth >= life->death) continue;
        int64_t bytes = sym_usual(t, w->storage[id].bytes);
        vec_push(r->d->memory, &r->lent, ((report_lent){id, life->root, bytes}));
    }
}

/* ---- times ---- */

fe_status report_call(driver_program *d, fe_context *context, inputs_kept *inputs)
{
    const fe_artifact *a = d->loaded.artifact;
    fe_tensor *outputs = NEW_ARRAY(d->memory, fe_tensor, a->output_count + 1);
    inputs_refill(inputs);
    if (call_once(a, context, d->memory, inputs->tensors, outputs) == FE_RUN_OK) return FE_OK;
    return diag_fail(d->session, (diag){.status = FE_MISMATCH, .stage = "run"}, "%s",
                     a->error(context));
}

/* Keeps the steps of the fastest run. */
static fe_status run_once(report *r, fe_context *context, inputs_kept *inputs)
{
    const fe_artifact *a = r->d->loaded.artifact;
    int64_t sum = 0;
    FE_TRY(report_call(r->d, context, inputs));
    for (uint32_t i = 0; i < r->view.step_count; i++) sum += a->step_ns(context, i);
    r->held = a->memory_bytes(context);
    if (r->runs++ && sum >= r->run_ns) return FE_OK;
    r->run_ns = sum;
    for (uint32_t i = 0; i < r->view.step_count; i++) r->steps[i].ns = a->step_ns(context, i);
    return FE_OK;
}

fe_status report_begin_calls(driver_program *d, fe_context **context, inputs_kept *kept)
{
    FE_TRY(driver_load(d));
    fe_tensor *inputs = NEW_ARRAY(d->memory, fe_tensor, d->loaded.artifact->input_count + 1);
    FE_TRY(inputs_have_samples(d) ? inputs_from_samples(d, inputs) : inputs_at_random(d, inputs));
    FE_TRY(driver_context(d, d->loaded.artifact, d->loaded.model, 0, context));
    *kept = inputs_keep(d, d->loaded.artifact, inputs);
    return FE_OK;
}

static fe_status measure(report *r)
{
    driver_program *d = r->d;
    fe_context *context;
    inputs_kept kept;
    FE_TRY(report_begin_calls(d, &context, &kept));
    double end = clock_seconds() + SECONDS;
    fe_status status = run_once(r, context, &kept);
    while (status == FE_OK && r->runs < MOST_RUNS && clock_seconds() < end)
        status = run_once(r, context, &kept);
    d->loaded.artifact->context_free(context);
    return status;
}

fe_status report_write(driver_program *d, const char *path)
{
    report r = {.d = d, .run_ns = -1, .held = -1};
    text page;
    text_init(&page, d->memory);
    FE_TRY(plan_view_of(d, d->memory, &r.view));
    report_collect_steps(&r);
    collect_peak(&r);
    collect_lent(&r);
    if (d->options.profile) FE_TRY(measure(&r));
    report_collect_kernels(&r);
    report_page(&r, &page);
    return file_write(d->session, path, page.at, page.length);
}
