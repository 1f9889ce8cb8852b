/* watch.c -- looks at the values of a run, line by line: shows each result, or ends the run at the first NaN
 * or infinity with a message that says whose it is.
 *
 * What each line gives is found once, with texts that name it. Memory that nobody has written to may
 * hold any bits, and a kernel may write a part of a buffer only; so buffers that share their memory
 * with no other are zeroed as they come to life.
 */
#include "driver/driver.h"
#include "driver/values.h"

#include <stdio.h>
#include <string.h>

typedef struct watched {
    loop_view view;
    const char *what; /* "input 'x'" */
    const char *from; /* of a result that is to be shown: the nodes it comes from; else NULL */
} watched;

typedef VEC(watched) watched_list;

/* Read only during runs, which may be several at once. */
typedef struct watch {
    driver_program *program;
    bool infinities; /* an error too */
    uint32_t first;  /* line that a run begins with */
    watched_list inputs;
    watched_list *lines; /* what each gives */
    bool *is_alone;      /* by buffer: no other one lies in its memory */
} watch;

static bool shows_values(const driver_options *o)
{
    return o->nan_check || o->inf_check || o->dump_buffers || o->dump_dir;
}

bool watch_is_wanted(const driver_options *o)
{
    return o->lifecycle_check || o->bisect || shows_values(o);
}

/* ---- what is to be looked at ---- */

static void add_view(watch *w, watched_list *to, const loop_view *view, const char *what,
                     const char *from)
{
    if (view->buffer == LOOP_NO_BUFFER || view->dtype == TY_NO_DTYPE) return;
    vec_push(w->program->memory, to, ((watched){*view, what, from}));
}

static loop_view whole(watch *w, loop_buffer_id id)
{
    const loop_buffer *b = &w->program->loops->buffers.at[id];
    return (loop_view){.buffer = id,
                       .dtype = b->dtype,
                       .rank = b->rank,
                       .sizes = b->sizes,
                       .strides = b->strides,
                       .offset = sym_int(w->program->loops->symbols, 0)};
}

static void add_buffer(watch *w, watched_list *to, loop_buffer_id id, const char *what,
                       const char *from)
{
    loop_view view = whole(w, id);
    add_view(w, to, &view, what, from);
}

static const char *name_of(driver_program *d, uint32_t origin, const char *otherwise)
{
    const char *note = driver_note(d, origin), *source = driver_source(d, origin);
    if (!note) return otherwise;
    return source ? arena_printf(d->memory, "%%%s, %s", note, source)
                  : arena_printf(d->memory, "%%%s", note);
}

/* The nest of the group that stores to the buffer last; NULL: none. */
static const loop_op *nest_of(const sched_group *group, loop_buffer_id id)
{
    const loop_op *found = NULL;
    for (uint32_t ph = 0; ph < group->phase_count; ph++)
        for (uint32_t i = 0; i < group->phases[ph].nest_count; i++) {
            const loop_op *nest = &group->phases[ph].nests[i].nest;
            for (uint32_t k = 0; k < nest->store_count; k++)
                if (nest->stores[k].buffer == id) found = nest;
        }
    return found;
}

/* The other nodes that were put into one call with the op of this origin. */
typedef struct with_list {
    driver_program *program;
    text out;
    const char *last;
    uint32_t count;
} with_list;

static void add_with(with_list *list, uint32_t origin)
{
    enum { MOST = 6 };
    const char *note = driver_note(list->program, origin);
    if (!note || (list->last && strcmp(note, list->last) == 0)) return;
    list->last = note;
    if (list->count < MOST) text_printf(&list->out, "%s%%%s", list->count ? ", " : ", with ", note);
    if (list->count == MOST) text_add(&list->out, ", ...");
    list->count++;
}

/* "%softmax (encoder), model.py:12 in forward, with %div, %add" */
static const char *nodes_text(driver_program *d, const wrap_line *line, const sched_group *group,
                              const loop_op *nest)
{
    with_list list = {.program = d, .last = driver_note(d, nest->origin)};
    text_init(&list.out, d->memory);
    text_add(&list.out, name_of(d, nest->origin, line->call.kernel));
    if (line->kind == WRAP_EXTERN) add_with(&list, line->op->origin);
    for (uint32_t ph = 0; ph < group->phase_count; ph++)
        for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
            if (group->phases[ph].nests[i].nest.origin != nest->origin)
                add_with(&list, group->phases[ph].nests[i].nest.origin);
    return list.out.at;
}

static void add_result(watch *w, watched_list *to, const wrap_line *line, loop_buffer_id id)
{
    driver_program *d = w->program;
    const sched_group *group = d->schedule ? &d->schedule->groups.at[line->call.group] : NULL;
    const loop_op *nest = group ? nest_of(group, id) : NULL;
    const char *from = nest ? nodes_text(d, line, group, nest)
                            : arena_printf(d->memory, "kernel %s", line->call.kernel);
    const char *name = d->loops->buffers.at[id].name;
    add_buffer(w, to, id, arena_printf(d->memory, "the result of %s (buffer %s)", from, name),
               from);
}

static bool writes(const wrap_call *call, uint32_t i)
{
    return call->buffers[i] != LOOP_NO_BUFFER && (!call->is_written || call->is_written[i]);
}

static void add_call(watch *w, watched_list *to, const wrap_line *line)
{
    for (uint32_t i = 0; i < line->call.buffer_count; i++)
        if (writes(&line->call, i)) add_result(w, to, line, line->call.buffers[i]);
}

static void add_extern(watch *w, watched_list *to, const loop_op *op)
{
    driver_program *d = w->program;
    const char *name = name_of(d, op->origin, op->kernel);
    for (uint32_t i = 0; i < op->output_count; i++)
        add_view(w, to, &op->outputs[i], arena_printf(d->memory, "the result of %s", name), name);
}

static void add_line(watch *w, const wrap_line *line, watched_list *to)
{
    const loop_output *o =
        line->kind == WRAP_OUTPUT ? &w->program->loops->outputs.at[line->index] : NULL;
    if (line->kind == WRAP_EXTERN) add_extern(w, to, line->op);
    if (line->call.kernel) add_call(w, to, line);
    if (o && o->kind == LOOP_OUT_TENSOR)
        add_view(w, to, &o->view, arena_printf(w->program->memory, "output %u", line->index), NULL);
}

static void add_inputs(watch *w)
{
    const loop_program *p = w->program->loops;
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].is_tensor)
            add_buffer(w, &w->inputs, p->inputs.at[k].buffer,
                       arena_printf(w->program->memory, "input '%s'", p->inputs.at[k].name), NULL);
}

static void find_alone(watch *w)
{
    const wrap_program *p = w->program->wrapper;
    uint32_t count = p->loops->buffers.count;
    uint32_t *members = NEW_ARRAY(w->program->memory, uint32_t, count + 1);
    w->is_alone = NEW_ARRAY(w->program->memory, bool, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) members[p->lives[id].root]++;
    for (loop_buffer_id id = 0; id < count; id++)
        w->is_alone[id] = p->lives[id].root == id && members[id] == 1;
}

/* ---- during a run ---- */

static value_tensor tensor_of(const exec_moment *m, const loop_view *view, ty_dtype of_buffer)
{
    value_tensor t = {.dtype = view->dtype, .rank = view->rank};
    for (uint32_t d = 0; d < view->rank; d++) {
        t.sizes[d] = exec_number(m->run, view->sizes[d]);
        t.strides[d] = exec_number(m->run, view->strides[d]);
    }
    t.data = (const char *)m->buffers[view->buffer] +
             exec_number(m->run, view->offset) * (int64_t)ty_dtype_size(of_buffer);
    return t;
}

/* Are its numbers as they should be? */
static bool check(const watch *w, const exec_moment *m, const char *what, const value_tensor *t,
                  const value_facts *f)
{
    const driver_options *o = &w->program->options;
    bool is_nan = f->nans > 0;
    char index[200];
    if (!o->nan_check && !o->inf_check) return true;
    if (!is_nan && !(o->inf_check && f->infinities)) return true;
    values_index_text(t, is_nan ? f->first_nan : f->first_infinity, index, sizeof index);
    snprintf(m->message, m->message_bytes, "%s in %s: %lld of %lld elements, the first at %s",
             is_nan ? "NaN" : "infinity", what, (long long)(is_nan ? f->nans : f->infinities),
             (long long)f->elements, index);
    return false;
}

static bool look(const watch *w, const exec_moment *m, const watched *seen)
{
    const loop_buffer *b = &w->program->loops->buffers.at[seen->view.buffer];
    const driver_options *o = &w->program->options;
    bool shows = seen->from && (o->dump_buffers || o->dump_dir);
    bool has_floats = ty_is_floating(seen->view.dtype) || ty_is_complex(seen->view.dtype);
    if (!m->buffers[seen->view.buffer] || !(shows || has_floats)) return true;
    value_tensor t = tensor_of(m, &seen->view, b->dtype);
    value_facts f = values_look(&t);
    if (shows) values_show(b->name, seen->from, &t, &f);
    if (shows && o->dump_dir &&
        !values_write(o->dump_dir, b->name, &t, m->message, m->message_bytes))
        return false;
    return check(w, m, seen->what, &t, &f);
}

/* Has a later result of the same line its memory? An epilogue that works in place leaves its own. */
static bool is_gone(const exec_moment *m, const watched_list *list, uint32_t i)
{
    for (uint32_t k = i + 1; k < list->count; k++)
        if (list->at[k].from &&
            m->buffers[list->at[k].view.buffer] == m->buffers[list->at[i].view.buffer] &&
            list->at[k].view.buffer != list->at[i].view.buffer)
            return true;
    return false;
}

static bool look_at_all(const watch *w, const exec_moment *m, const watched_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_gone(m, list, i) && !look(w, m, &list->at[i])) return false;
    return true;
}

static void clear(const watch *w, const exec_moment *m, loop_buffer_id id)
{
    void *memory = m->buffers[id];
    int64_t bytes =
        memory && w->is_alone[id] ? exec_number(m->run, w->program->wrapper->bytes[id]) : 0;
    if (bytes > 0) memset(memory, 0, (size_t)bytes);
}

static bool before_line(void *data, const exec_moment *m)
{
    const watch *w = data;
    const wrap_program *p = w->program->wrapper;
    if (m->line != w->first) return true;
    for (loop_buffer_id id = 0; id < p->loops->buffers.count; id++)
        if (wrap_home_of(p, id) == WRAP_HOME_OUTPUT) clear(w, m, id);
    return look_at_all(w, m, &w->inputs);
}

static bool after_line(void *data, const exec_moment *m)
{
    const watch *w = data;
    const wrap_line *line = &w->program->wrapper->lines.at[m->line];
    if (line->kind == WRAP_ALLOC) clear(w, m, line->buffer);
    return look_at_all(w, m, &w->lines[m->line]);
}

/* ---- against a reference ---- */

static bool judge(void *data, const exec_moment *m, const loop_view *result, const void *wanted,
                  double magnitude)
{
    const watch *w = data;
    const wrap_line *line = &w->program->wrapper->lines.at[m->line];
    const watched_list *list = &w->lines[m->line];
    ty_dtype of_buffer = w->program->loops->buffers.at[result->buffer].dtype;
    value_tensor t = tensor_of(m, result, of_buffer);
    value_difference difference;
    const char *what = "a result";
    char index[200];
    const char *there =
        (const char *)wanted + ((const char *)t.data - (const char *)m->buffers[result->buffer]);
    if (!values_differ(&t, there, magnitude, &difference)) return true;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].view.buffer == result->buffer) what = list->at[i].what;
    values_index_text(&t, difference.at, index, sizeof index);
    snprintf(
        m->message, m->message_bytes,
        "bisect: %s is wrong in %s: element %s is %.9g where the reference gives %.9g, %.3g ulp "
        "away; %lld of %lld are wrong",
        line->call.kernel ? line->call.kernel : line->op->kernel, what, index, difference.ours,
        difference.wanted, difference.ulps, (long long)difference.count,
        (long long)difference.elements);
    return false;
}

static watch *watch_new(driver_program *d)
{
    const wrap_program *p = d->wrapper;
    watch *w = NEW(d->memory, watch);
    w->program = d;
    w->lines = NEW_ARRAY(d->memory, watched_list, p->lines.count + 1);
    while (w->first < p->lines.count && wrap_is_input_symbol(&p->lines.at[w->first])) w->first++;
    add_inputs(w);
    find_alone(w);
    for (uint32_t i = 0; i < p->lines.count; i++) add_line(w, &p->lines.at[i], &w->lines[i]);
    return w;
}

/* The tracker looks first: what is zeroed here it has seen already. */
fe_status watch_observers(driver_program *d, exec_facts *facts)
{
    enum { MOST = 3 };
    exec_observer *all = NEW_ARRAY(d->memory, exec_observer, MOST);
    const driver_options *o = &d->options;
    facts->observers = all;
    facts->is_refereed = o->bisect;
    if (!watch_is_wanted(o)) return FE_OK;
    watch *w = watch_new(d);
    exec_judge judged = {judge, w};
    if (o->bisect && !d->schedule)
        return diag_fail(d->session, (diag){.status = FE_USAGE, .stage = "load"},
                         "bisect: the text of a wrapper does not say what its kernels should give");
    if (o->lifecycle_check) all[facts->observer_count++] = exec_tracker(d->wrapper, d->memory);
    if (shows_values(o))
        all[facts->observer_count++] =
            (exec_observer){.before = before_line, .after = after_line, .data = w};
    if (o->bisect) all[facts->observer_count++] = exec_referee(d->schedule, &judged, d->memory);
    return FE_OK;
}
