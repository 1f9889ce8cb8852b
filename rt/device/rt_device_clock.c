/* rt_device_clock.c - how long devices work at the steps of a program, and when. */
#include "rt_opened.h"

#include <stdlib.h>

int rt_has_clock(const fe_device_driver *driver)
{
    size_t known = offsetof(fe_device_driver, elapsed) + sizeof driver->elapsed;
    return driver->struct_bytes >= known && driver->timed_queue_new && driver->elapsed;
}

/* ---- what was done when ---- */

/* Marks that nobody asks for the time are waited for. */
static void drop_marks(const rt_opened *o, fe_device_mark **marks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (marks[i]) o->driver->wait(marks[i]);
}

static int two_marks(rt_frame *f, uint32_t device, fe_device_mark **marks)
{
    fe_device_queue *queue = rt_used_of(f->context, device)->queue;
    const fe_device_driver *driver = rt_opened_of(f->context, device)->driver;
    int code = driver->record(queue, &marks[0]);
    if (code) marks[0] = NULL;
    if (!code && (code = driver->record(queue, &marks[1])) != 0) marks[1] = NULL;
    return code ? rt_device_failed(f, device, code) : 0;
}

static int traced_begin(rt_frame *f, uint32_t device)
{
    rt_used *u = rt_used_of(f->context, device);
    if (!u->start) return 0;
    if (u->traced_count == u->traced_room) {
        int64_t room = 2 * u->traced_room + 64;
        rt_traced *more = realloc(u->traced, (size_t)room * sizeof *more);
        if (!more) return FE_RUN_NO_MEMORY;
        u->traced = more;
        u->traced_room = room;
    }
    rt_traced *t = &u->traced[u->traced_count++];
    *t = (rt_traced){.step = f->context->clock.step};
    return two_marks(f, device, t->marks);
}

static int traced_end(rt_frame *f, uint32_t device)
{
    rt_used *u = rt_used_of(f->context, device);
    return u->traced_count ? two_marks(f, device, u->traced[u->traced_count - 1].marks + 2) : 0;
}

/* The clock of the device and the host's are set by a mark in a queue that is empty. */
int rt_trace_begin(rt_frame *f)
{
    for (uint32_t k = 1; k <= f->context->model->program->device_count; k++) {
        const rt_opened *o = rt_opened_of(f->context, k);
        rt_used *u = rt_used_of(f->context, k);
        u->traced_count = 0;
        u->start = NULL;
        if (!rt_has_clock(o->driver)) continue;
        RT_TRY(rt_device_finish(f, k));
        int code = o->driver->record(u->queue, &u->start);
        u->started_ns = rt_trace_now(f->context);
        if (code) return rt_device_failed(f, k, code);
    }
    return 0;
}

static int trace_end_of(rt_frame *f, uint32_t device)
{
    const rt_opened *o = rt_opened_of(f->context, device);
    rt_used *u = rt_used_of(f->context, device);
    fe_device_mark *last = u->start;
    int64_t at = u->started_ns, ns;
    int code = 0;
    for (int64_t i = 0; i < u->traced_count; i++) {
        rt_traced *t = &u->traced[i];
        if (code || !t->marks[3]) { /* the run has failed there */
            drop_marks(o, t->marks, 4);
            continue;
        }
        code = o->driver->elapsed(last, t->marks[0], &ns);
        last = NULL;
        if (code) {
            drop_marks(o, t->marks + 1, 3);
            continue;
        }
        at += ns;
        code = o->driver->elapsed(t->marks[1], t->marks[2], &ns);
        last = t->marks[3];
        if (code) continue;
        rt_trace_add(f->context, device, t->step, at, at + ns);
        at += ns;
    }
    drop_marks(o, &last, 1);
    u->start = NULL;
    u->traced_count = 0;
    return code ? rt_device_failed(f, device, code) : 0;
}

int rt_trace_end(rt_frame *f)
{
    int code = 0;
    for (uint32_t k = 1; k <= f->context->model->program->device_count; k++) {
        int failure = rt_used_of(f->context, k)->start ? trace_end_of(f, k) : 0;
        if (failure && !code) code = failure;
    }
    return code;
}

/* ---- the time of each step ---- */

/* Of a program that is to tell them, what is asked of a device begins when nothing is under way; but not in
 * a run that is traced. */
int rt_clock_begin(rt_frame *f, uint32_t device, fe_device_mark **from)
{
    const rt_opened *o = rt_opened_of(f->context, device);
    *from = NULL;
    if (!f->context->model->program->step_count) return 0;
    if (f->context->clock.events) return traced_begin(f, device);
    RT_TRY(rt_device_finish(f, device));
    int code = rt_has_clock(o->driver)
                   ? o->driver->record(rt_used_of(f->context, device)->queue, from)
                   : 0;
    return code ? rt_device_failed(f, device, code) : 0;
}

/* By the clock of the device, or as long as the host has waited. */
int rt_clock_end(rt_frame *f, uint32_t device, fe_device_mark *from, int result)
{
    const rt_opened *o = rt_opened_of(f->context, device);
    fe_device_mark *to;
    int64_t ns = 0;
    if (f->context->clock.events) return result ? result : traced_end(f, device);
    if (!from)
        return result || !f->context->model->program->step_count ? result
                                                                 : rt_device_finish(f, device);
    int code = o->driver->record(rt_used_of(f->context, device)->queue, &to);
    if (code) o->driver->wait(from);
    if (!code) code = o->driver->elapsed(from, to, &ns);
    if (!code) rt_step_took(f, ns);
    return result || !code ? result : rt_device_failed(f, device, code);
}
