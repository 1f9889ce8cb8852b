/* report.c -- what `ferrite report` tells: the plan over time, what each step moves, and how long it
 * takes when it is run. */
#include "driver/report.h"

#include "driver/inputs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 50, MOST_LINES = 3 };
static const double SECONDS = 1; /* of runs */

/* ---- what a step moves ---- */

typedef struct mover {
    driver_program *d;
    const sched_group *group;
    double points; /* of the nest at hand */
    report_step *step;
    map read, written; /* buffers that were counted */
} mover;

static double hint(const mover *m, sym_expr e)
{
    return (double)sym_hint(m->d->loops->symbols, e, SCHED_USUAL_SIZE);
}

static bool is_local(const mover *m, loop_buffer_id b)
{
    for (uint32_t i = 0; i < m->group->local_count; i++)
        if (m->group->locals[i] == b) return true;
    return false;
}

/* Each buffer once, and no more of it than the nest has points. */
static void count(mover *m, map *seen, int64_t *sum, loop_buffer_id b)
{
    const loop_buffer *buffer = &m->d->loops->buffers.at[b];
    double elements = hint(m, buffer->elements);
    if (is_local(m, b) || map_get(seen, b) != MAP_NONE) return;
    map_set(m->d->memory, seen, b, 1);
    if (elements > m->points) elements = m->points;
    *sum += (int64_t)(elements * ty_dtype_size(buffer->dtype));
}

static void count_load(void *data, loop_value v)
{
    mover *m = data;
    const loop_node *n = loop_at(m->d->loops, v);
    if (n->op == LOOP_LOAD) count(m, &m->read, &m->step->read, n->buffer);
}

static void count_nest(mover *m, const loop_op *nest)
{
    m->points = 1;
    for (uint32_t k = 0; k < nest->axes; k++) m->points *= hint(m, nest->extents[k]);
    for (uint32_t k = 0; k < nest->reduce_axes; k++) m->points *= hint(m, nest->reduce_extents[k]);
    for (uint32_t i = 0; i < nest->store_count; i++) {
        loop_each_store_node(m->d->loops, &nest->stores[i], count_load, m);
        count(m, &m->written, &m->step->written, nest->stores[i].buffer);
    }
}

static void count_views(mover *m, const loop_view *views, uint32_t view_count, map *seen,
                        int64_t *sum)
{
    for (uint32_t i = 0; i < view_count; i++) {
        if (views[i].buffer == LOOP_NO_BUFFER) continue;
        m->points = 1;
        for (uint32_t d = 0; d < views[i].rank; d++) m->points *= hint(m, views[i].sizes[d]);
        count(m, seen, sum, views[i].buffer);
    }
}

/* ---- where a step comes from ---- */

typedef struct source_list {
    const char *lines[MOST_LINES];
    uint32_t count;
} source_list;

static void add_source(source_list *list, const char *line)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->lines[i], line) == 0) return;
    if (list->count < MOST_LINES) list->lines[list->count++] = line;
}

static void add_op(driver_program *d, source_list *list, uint32_t op)
{
    const char *line = driver_source(d, d->loops->ops.at[op].origin);
    if (line) add_source(list, line);
}

static const char *join(driver_program *d, const source_list *list)
{
    text out;
    text_init(&out, d->memory);
    for (uint32_t i = 0; i < list->count; i++)
        text_printf(&out, "%s%s", i ? "; " : "", list->lines[i]);
    return list->count ? out.at : NULL;
}

/* ---- steps ---- */

static void describe_group(driver_program *d, const sched_group *g, report_step *step)
{
    mover m = {.d = d, .group = g, .step = step};
    source_list sources = {0};
    step->read = step->written = 0;
    if (g->kind != SCHED_KERNEL) {
        const loop_op *op = &d->loops->ops.at[g->extern_op];
        count_views(&m, op->inputs, op->input_count, &m.read, &step->read);
        count_views(&m, op->outputs, op->output_count, &m.written, &step->written);
        add_op(d, &sources, g->extern_op);
    }
    for (uint32_t ph = 0; ph < g->phase_count; ph++)
        for (uint32_t i = 0; i < g->phases[ph].nest_count; i++) {
            count_nest(&m, &g->phases[ph].nests[i].nest);
            add_op(d, &sources, g->phases[ph].nests[i].op);
        }
    step->source = join(d, &sources);
}

static const char *kernel_of(const wrap_line *line)
{
    if (line->kind == WRAP_KERNEL) return line->call.kernel;
    return line->kind == WRAP_EXTERN ? line->op->kernel : NULL;
}

static void collect_steps(report *r)
{
    const plan_view *v = &r->view;
    const sched_schedule *s = r->d->schedule;
    r->steps = NEW_ARRAY(r->d->memory, report_step, v->step_count + 1);
    for (uint32_t i = 0; i < v->step_count; i++) {
        const wrap_line *line = v->steps[i].line;
        report_step *step = &r->steps[i];
        *step = (report_step){v->steps[i].what,
                              kernel_of(line),
                              NULL,
                              -1,
                              -1,
                              -1,
                              v->steps[i].live,
                              line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN};
        if (s && i < s->groups.count) describe_group(r->d, &s->groups.at[i], step);
    }
}

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

/* ---- times ---- */

/* Keeps the steps of the fastest run. */
static fe_status run_once(report *r, fe_context *context, const fe_tensor *inputs)
{
    const fe_artifact *a = r->d->loaded.artifact;
    fe_tensor *outputs = NEW_ARRAY(r->d->memory, fe_tensor, a->output_count + 1);
    int64_t sum = 0;
    if (a->run(context, inputs, a->input_count, outputs, a->output_count) != FE_RUN_OK)
        return diag_fail(r->d->session, (diag){.status = FE_MISMATCH, .stage = "run"}, "%s",
                         a->error(context));
    for (uint32_t i = 0; i < r->view.step_count; i++) sum += a->step_ns(context, i);
    r->held = a->memory_bytes(context);
    if (r->runs++ && sum >= r->run_ns) return FE_OK;
    r->run_ns = sum;
    for (uint32_t i = 0; i < r->view.step_count; i++) r->steps[i].ns = a->step_ns(context, i);
    return FE_OK;
}

static fe_status measure(report *r)
{
    driver_program *d = r->d;
    fe_context *context;
    FE_TRY(driver_load(d));
    fe_tensor *inputs = NEW_ARRAY(d->memory, fe_tensor, d->loaded.artifact->input_count + 1);
    FE_TRY(inputs_have_samples(d) ? inputs_from_samples(d, inputs) : inputs_at_random(d, inputs));
    if (d->loaded.artifact->context_new(d->loaded.model, 0, &context) != FE_RUN_OK)
        return diag_fail(d->session, (diag){.status = FE_NO_MEMORY, .stage = "run"},
                         "no memory for the arena");
    double end = clock_seconds() + SECONDS;
    fe_status status = run_once(r, context, inputs);
    while (status == FE_OK && r->runs < MOST_RUNS && clock_seconds() < end)
        status = run_once(r, context, inputs);
    d->loaded.artifact->context_free(context);
    return status;
}

fe_status report_write(driver_program *d, const char *path)
{
    report r = {.d = d, .run_ns = -1, .held = -1};
    text page;
    text_init(&page, d->memory);
    FE_TRY(plan_view_of(d, d->memory, &r.view));
    collect_steps(&r);
    collect_peak(&r);
    if (d->options.profile) FE_TRY(measure(&r));
    report_page(&r, &page);
    return file_write(d->session, path, page.at, page.length);
}
