/* observe.c -- shows a run to those who look at it. */
#include "exec/exec_priv.h"

static exec_moment moment_of(const exec_run *r, uint32_t observer, uint32_t line, char *message)
{
    message[0] = 0;
    return (exec_moment){r, line, r->buffers, r->states[observer], message, RT_ERROR_BYTES};
}

int exec_observe_begin(exec_run *r)
{
    char message[RT_ERROR_BYTES];
    for (uint32_t i = 0; i < r->x->facts.observer_count; i++) {
        const exec_observer *o = &r->x->facts.observers[i];
        exec_moment m = moment_of(r, i, r->x->input_symbols, message);
        bool goes_on = !o->begin || o->begin(o->data, &m);
        r->states[i] = m.state;
        if (!goes_on) return rt_fail(r->f, FE_RUN_NO_MEMORY, "%s", message);
    }
    return 0;
}

typedef bool (*exec_look)(void *data, const exec_moment *m);

static int show(exec_run *r, uint32_t observer, exec_look look, uint32_t line)
{
    char message[RT_ERROR_BYTES];
    exec_moment m = moment_of(r, observer, line, message);
    if (!look || look(r->x->facts.observers[observer].data, &m)) return 0;
    return rt_fail(r->f, FE_RUN_ASSERTION, "%s", message);
}

int exec_observe_before(exec_run *r, uint32_t line)
{
    for (uint32_t i = 0; i < r->x->facts.observer_count; i++)
        RT_TRY(show(r, i, r->x->facts.observers[i].before, line));
    return 0;
}

int exec_observe_after(exec_run *r, uint32_t line)
{
    for (uint32_t i = 0; i < r->x->facts.observer_count; i++)
        RT_TRY(show(r, i, r->x->facts.observers[i].after, line));
    return 0;
}

int exec_observe_finish(exec_run *r)
{
    for (uint32_t i = 0; i < r->x->facts.observer_count; i++)
        RT_TRY(show(r, i, r->x->facts.observers[i].finish, r->w->lines.count));
    return 0;
}

void exec_observe_release(exec_run *r)
{
    for (uint32_t i = 0; i < r->x->facts.observer_count; i++) {
        const exec_observer *o = &r->x->facts.observers[i];
        if (o->release && r->states[i]) o->release(o->data, r->states[i]);
    }
}
