/* watch.c -- looks at the values of a run, line by line, and shows each result.
 *
 * What each line gives is found once, with texts that name it. Memory that nobody has written to may
 * hold any bits, and a kernel may write a part of a buffer only; so buffers that share their memory
 * with no other are zeroed as they come to life.
 */
#include "driver/debug/values.h"
#include "driver/driver.h"

#include "../rt/rt_entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct watched {
    loop_view view;
    const char *from; /* the nodes it comes from */
} watched;

typedef VEC(watched) watched_list;

/* Read only during runs, which may be several at once. */
typedef struct watch {
    driver_program *program;
    uint32_t first;      /* line that a run begins with */
    watched_list *lines; /* what each gives */
    bool *is_alone;      /* by buffer: no other one lies in its memory */
} watch;

static bool shows_values(const driver_options *o)
{
    return o->dump_buffers || o->dump_dir;
}

bool watch_is_wanted(const driver_options *o)
{
    return o->lifecycle_check || o->bisect || shows_values(o);
}

/* ---- what is to be looked at ---- */

static void add_result(watch *w, watched_list *to, const wrap_line *line, const loop_view *view)
{
    if (view->buffer == LOOP_NO_BUFFER || view->dtype == TY_NO_DTYPE) return;
    vec_push(w->program->memory, to,
             ((watched){*view, driver_result_nodes(w->program, line, view->buffer)}));
}

static bool writes(const wrap_call *call, uint32_t i)
{
    return call->buffers[i] != LOOP_NO_BUFFER && (!call->is_written || call->is_written[i]);
}

static void add_line(watch *w, const wrap_line *line, watched_list *to)
{
    for (uint32_t i = 0;
         line->kind == WRAP_EXTERN && i < loop_result_count(w->program->wrapper->loops, line->op);
         i++)
        add_result(w, to, line, &line->op->outputs[i]);
    for (uint32_t i = 0; line->call.kernel && i < line->call.buffer_count; i++) {
        if (!writes(&line->call, i)) continue;
        loop_view view = loop_view_of(w->program->loops, line->call.buffers[i]);
        add_result(w, to, line, &view);
    }
}

static void find_alone(watch *w)
{
    const wrap_program *p = w->program->wrapper;
    uint32_t count = p->loops->buffers.count;
    uint32_t *members = NEW_ARRAY(w->program->memory, uint32_t, count + 1);
    w->is_alone = NEW_ARRAY(w->program->memory, bool, count + 1);
    for (loop_buffer_id id = 0; id < count; id++) members[p->storage[id].life.root]++;
    for (loop_buffer_id id = 0; id < count; id++)
        w->is_alone[id] = p->storage[id].life.root == id && members[id] == 1;
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

/* A tensor of a device is looked at on the host. */
static bool bring(const exec_moment *m, loop_buffer_id id, value_tensor *t, exec_near *near)
{
    fe_tensor there = {.data = (void *)t->data,
                       .dtype = (uint32_t)ty_dtype_number(t->dtype),
                       .rank = t->rank,
                       .sizes = t->sizes,
                       .strides = t->strides};
    bool is_there =
        exec_bring(m->run, exec_device_of(m->run, id), t->data, rt_reach_bytes(&there), near);
    if (!is_there) snprintf(m->message, m->message_bytes, "%s", exec_why(m->run));
    t->data = near->at;
    return is_there;
}

static bool look(const watch *w, const exec_moment *m, const watched *seen)
{
    const loop_buffer *b = &w->program->loops->buffers.at[seen->view.buffer];
    const driver_options *o = &w->program->options;
    exec_near near;
    if (!m->buffers[seen->view.buffer]) return true;
    value_tensor t = tensor_of(m, &seen->view, b->dtype);
    if (!bring(m, seen->view.buffer, &t, &near)) return false;
    value_facts f = values_look(&t);
    values_show(b->name, seen->from, &t, &f);
    bool goes_on =
        !o->dump_dir || values_write(o->dump_dir, b->name, &t, m->message, m->message_bytes);
    exec_put_down(&near);
    return goes_on;
}

/* Has a later result of the same line its memory? An epilogue that works in place leaves its own. */
static bool is_gone(const exec_moment *m, const watched_list *list, uint32_t i)
{
    for (uint32_t k = i + 1; k < list->count; k++)
        if (m->buffers[list->at[k].view.buffer] == m->buffers[list->at[i].view.buffer] &&
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
        memory && w->is_alone[id] ? exec_number(m->run, w->program->wrapper->storage[id].bytes) : 0;
    uint32_t device = exec_device_of(m->run, id);
    if (bytes > 0 && !device) memset(memory, 0, (size_t)bytes);
    void *zeroes = bytes > 0 && device ? calloc(1, (size_t)bytes) : NULL;
    if (zeroes) exec_send(m->run, device, memory, zeroes, bytes);
    free(zeroes);
}

static bool before_line(void *data, const exec_moment *m)
{
    const watch *w = data;
    const wrap_program *p = w->program->wrapper;
    if (m->line != w->first) return true;
    for (loop_buffer_id id = 0; id < p->loops->buffers.count; id++)
        if (p->storage[id].kind == WRAP_STORAGE_OUTPUT) clear(w, m, id);
    return true;
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
                  double magnitude, ty_dtype through)
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
    exec_near near;
    if (!bring(m, result->buffer, &t, &near)) return false;
    bool differs = values_differ(&t, there, magnitude, through, &difference);
    exec_put_down(&near);
    if (!differs) return true;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].view.buffer == result->buffer)
            what = driver_result_name(w->program, line, result->buffer);
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
