/* report_step.c -- what each step of a program moves, where it comes from, how often it runs; and the
 * same of each kernel. */
#include "driver/report/report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 3 };

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
    return (double)sym_usual(m->d->loops->symbols, e);
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

/* ---- how often ---- */

typedef struct turn_counter {
    VEC(int64_t) open; /* of regions: turns of what is in them */
    int64_t now;
} turn_counter;

static int64_t turns_of(report *r, const loop_op *repeat)
{
    const sym_table *t = r->d->loops->symbols;
    if (sym_is_none(repeat->symbol)) return -1;
    int64_t turns = sym_usual(t, repeat->ints[0]);
    return turns > 0 ? turns : 0;
}

/* Of an arm in a loop nobody knows in how many turns it is taken. */
static void count_turns(report *r, turn_counter *c, const wrap_line *line)
{
    if (line->kind == WRAP_END && c->open.count) {
        c->now = vec_last(&c->open);
        c->open.count--;
    }
    if (line->kind != WRAP_IF && line->kind != WRAP_REPEAT) return;
    vec_push(r->d->memory, &c->open, c->now);
    int64_t turns = line->kind == WRAP_REPEAT ? turns_of(r, line->op) : c->now == 1 ? 1 : -1;
    c->now = c->now < 0 || turns < 0 ? -1 : line->kind == WRAP_REPEAT ? c->now * turns : turns;
}

/* What is moved in one turn becomes what is moved in all. */
static void take_turns(report_step *step)
{
    if (step->turns < 0) return;
    if (step->read > 0) step->read *= step->turns;
    if (step->written > 0) step->written *= step->turns;
}

void report_collect_steps(report *r)
{
    turn_counter turns = {.now = 1};
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
                              1,
                              line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN};
        if (s && i < s->groups.count) describe_group(r->d, &s->groups.at[i], step);
        count_turns(r, &turns, line);
        step->turns = turns.now;
        if (step->is_call) take_turns(step);
    }
}

/* ---- kernels ---- */

static int64_t sum_of(int64_t a, int64_t b)
{
    return a < 0 || b < 0 ? -1 : a + b;
}

static void add_call(report *r, report_kernel *k, const report_step *step)
{
    k->calls++;
    k->ns = sum_of(k->ns, step->ns);
    k->read = sum_of(k->read, step->read);
    k->written = sum_of(k->written, step->written);
    k->all_turns_are_known &= step->turns >= 0;
    if (k->calls == MOST_LINES + 1)
        k->what = arena_printf(r->d->memory, "%s; ...", k->what);
    else if (k->calls > 1 && k->calls <= MOST_LINES && !strstr(k->what, step->what))
        k->what = arena_printf(r->d->memory, "%s; %s", k->what, step->what);
}

static int by_cost(const void *a, const void *b)
{
    const report_kernel *x = a, *y = b;
    if (x->ns != y->ns) return x->ns > y->ns ? -1 : 1;
    int64_t moved = x->read + x->written, other = y->read + y->written;
    return moved != other ? moved > other ? -1 : 1 : strcmp(x->name, y->name);
}

void report_collect_kernels(report *r)
{
    map found = {0}; /* index in kernels, by name */
    for (uint32_t i = 0; i < r->view.step_count; i++) {
        const report_step *step = &r->steps[i];
        if (!step->is_call || !step->kernel) continue;
        uint64_t name = MAP_KEY(intern(r->d->session, step->kernel));
        uint32_t at = map_get(&found, name);
        if (at == MAP_NONE) {
            at = r->kernels.count;
            map_set(r->d->memory, &found, name, at);
            vec_push(r->d->memory, &r->kernels,
                     ((report_kernel){step->kernel, step->what, step->source, 0, 0, 0, 0, true}));
        }
        add_call(r, &r->kernels.at[at], step);
    }
    if (r->kernels.count) qsort(r->kernels.at, r->kernels.count, sizeof *r->kernels.at, by_cost);
}
