/* watch.c -- looks at the values of a run, line by line: the first NaN or infinity ends it, with a message
 * that says whose it is.
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

bool watch_is_wanted(const driver_options *o)
{
    return o->nan_check || o->inf_check;
}

/* ---- what is to be looked at ---- */

static bool has_floats(ty_dtype dtype)
{
    return dtype != TY_NO_DTYPE && (ty_is_floating(dtype) || ty_is_complex(dtype));
}

static void add_view(watch *w, watched_list *to, const loop_view *view, const char *what)
{
    if (view->buffer == LOOP_NO_BUFFER || !has_floats(view->dtype)) return;
    vec_push(w->program->memory, to, ((watched){*view, what}));
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

static void add_buffer(watch *w, watched_list *to, loop_buffer_id id, const char *what)
{
    if (id == LOOP_NO_BUFFER) return;
    loop_view view = whole(w, id);
    add_view(w, to, &view, what);
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

static const char *result_text(watch *w, const wrap_call *call, loop_buffer_id id)
{
    driver_program *d = w->program;
    const char *kernel = arena_printf(d->memory, "kernel %s", call->kernel);
    const loop_op *nest = d->schedule ? nest_of(&d->schedule->groups.at[call->group], id) : NULL;
    return arena_printf(d->memory, "the result of %s (buffer %s)",
                        nest ? name_of(d, nest->origin, kernel) : kernel,
                        d->loops->buffers.at[id].name);
}

static void add_call(watch *w, watched_list *to, const wrap_call *call)
{
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        loop_buffer_id id = call->buffers[i];
        if (id == LOOP_NO_BUFFER || (call->is_written && !call->is_written[i])) continue;
        add_buffer(w, to, id, result_text(w, call, id));
    }
}

static void add_extern(watch *w, watched_list *to, const loop_op *op)
{
    driver_program *d = w->program;
    const char *name = name_of(d, op->origin, op->kernel);
    for (uint32_t i = 0; i < op->output_count; i++)
        add_view(w, to, &op->outputs[i], arena_printf(d->memory, "the result of %s", name));
}

static void add_line(watch *w, const wrap_line *line, watched_list *to)
{
    const loop_output *o =
        line->kind == WRAP_OUTPUT ? &w->program->loops->outputs.at[line->index] : NULL;
    if (line->kind == WRAP_EXTERN) add_extern(w, to, line->op);
    if (line->call.kernel) add_call(w, to, &line->call);
    if (o && o->kind == LOOP_OUT_TENSOR)
        add_view(w, to, &o->view, arena_printf(w->program->memory, "output %u", line->index));
}

static void add_inputs(watch *w)
{
    const loop_program *p = w->program->loops;
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].is_tensor)
            add_buffer(w, &w->inputs, p->inputs.at[k].buffer,
                       arena_printf(w->program->memory, "input '%s'", p->inputs.at[k].name));
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

/* Is what it holds as it should be? */
static bool look(const watch *w, const exec_moment *m, const watched *seen)
{
    if (!m->buffers[seen->view.buffer]) return true;
    ty_dtype dtype = w->program->loops->buffers.at[seen->view.buffer].dtype;
    value_tensor t = tensor_of(m, &seen->view, dtype);
    value_facts f = values_look(&t);
    bool is_nan = f.nans > 0;
    char index[200];
    if (!is_nan && !(w->infinities && f.infinities)) return true;
    values_index_text(&t, is_nan ? f.first_nan : f.first_infinity, index, sizeof index);
    snprintf(m->message, m->message_bytes, "%s in %s: %lld of %lld elements, the first at %s",
             is_nan ? "NaN" : "infinity", seen->what, (long long)(is_nan ? f.nans : f.infinities),
             (long long)f.elements, index);
    return false;
}

static bool look_at_all(const watch *w, const exec_moment *m, const watched_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (!look(w, m, &list->at[i])) return false;
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

exec_observer watch_new(driver_program *d)
{
    const wrap_program *p = d->wrapper;
    if (!watch_is_wanted(&d->options)) return (exec_observer){0};
    watch *w = NEW(d->memory, watch);
    w->program = d;
    w->infinities = d->options.inf_check;
    w->lines = NEW_ARRAY(d->memory, watched_list, p->lines.count + 1);
    while (w->first < p->lines.count && wrap_is_input_symbol(&p->lines.at[w->first])) w->first++;
    add_inputs(w);
    find_alone(w);
    for (uint32_t i = 0; i < p->lines.count; i++) add_line(w, &p->lines.at[i], &w->lines[i]);
    return (exec_observer){before_line, after_line, w};
}
