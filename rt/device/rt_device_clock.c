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

static int two_marks(rt_frame *f, uint32_t device, const rt_lane *lane, fe_device_mark **marks)
{
    const fe_device_driver *driver = rt_opened_of(f->context, device)->driver;
    int code = driver->record(lane->queue, &marks[0]);
    if (code) marks[0] = NULL;
    if (!code && (code = driver->record(lane->queue, &marks[1])) != 0) marks[1] = NULL;
    return code ? rt_device_failed(f, device, code) : 0;
}

static int traced_begin(rt_frame *f, uint32_t device, rt_lane *lane)
{
    if (!lane->start) return 0;
    if (lane->traced_count == lane->traced_room) {
        int64_t room = 2 * lane->traced_room + 64;
        rt_traced *more = realloc(lane->traced, (size_t)room * sizeof *more);
        if (!more) return FE_RUN_NO_MEMORY;
        lane->traced = more;
        lane->traced_room = room;
    }
    rt_traced *t = &lane->traced[lane->traced_count++];
    *t = (rt_traced){.step = f->context->clock.step};
    return two_marks(f, device, lane, t->marks);
}

static int traced_end(rt_frame *f, uint32_t device, const rt_lane *lane)
{
    if (!lane->traced_count) return 0;
    return two_marks(f, device, lane, lane->traced[lane->traced_count - 1].marks + 2);
}

static int start_lane(rt_frame *f, uint32_t device, rt_lane *lane)
{
    int code = rt_opened_of(f->context, device)->driver->record(lane->queue, &lane->start);
    lane->started_ns = rt_trace_now(f->context);
    return code ? rt_device_failed(f, device, code) : 0;
}

/* The clock of the device and the host's are set by a mark in a queue that is empty. */
int rt_trace_begin(rt_frame *f)
{
    for (uint32_t k = 1; k <= f->context->model->program->device_count; k++) {
        const rt_opened *o = rt_opened_of(f->context, k);
        rt_used *u = rt_used_of(f->context, k);
        for (uint32_t q = 0; q < RT_QUEUES; q++) {
            u->lanes[q].traced_count = 0;
            u->lanes[q].start = NULL;
        }
        if (!rt_has_clock(o->driver)) continue;
        RT_TRY(rt_device_finish(f, k));
        for (uint32_t q = 0; q < u->lane_count; q++) RT_TRY(start_lane(f, k, &u->lanes[q]));
    }
    return 0;
}

static int trace_end_of(rt_frame *f, uint32_t device, rt_lane *u)
{
    const rt_opened *o = rt_opened_of(f->context, device);
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
        rt_used *u = rt_used_of(f->context, k);
        for (uint32_t q = 0; q < u->lane_count; q++) {
            int failure = u->lanes[q].start ? trace_end_of(f, k, &u->lanes[q]) : 0;
            if (failure && !code) code = failure;
        }
    }
    return code;
}

/* ---- the time of each step ---- */

/* Of a program that is to tell them, what is asked of a device begins when nothing is under way; but not in
 * a run that is traced. */
int rt_clock_begin(rt_frame *f, uint32_t device, rt_queue queue, fe_device_mark **from)
{
    const rt_opened *o = rt_opened_of(f->context, device);
    rt_lane *lane = rt_lane_of(rt_used_of(f->context, device), queue);
    *from = NULL;
    if (!f->context->model->program->step_count) return 0;
    if (f->context->clock.events) return traced_begin(f, device, lane);
    RT_TRY(rt_device_finish(f, device));
    int code = rt_has_clock(o->driver) ? o->driver->record(lane->queue, from) : 0;
    return code ? rt_device_failed(f, device, code) : 0;
}

/* By the clock of the device, or as long as the host has waited. */
int rt_clock_end(rt_frame *f, uint32_t device, rt_queue queue, fe_device_mark *from, int result)
{
    const rt_opened *o = rt_opened_of(f->context, device);
    const rt_lane *lane = rt_lane_of(rt_used_of(f->context, device), queue);
    fe_device_mark *to;
    int64_t ns = 0;
    if (f->context->clock.events) return result ? result : traced_end(f, device, lane);
    if (!from)
        return result || !f->context->model->program->step_count ? result
                                                                 : rt_device_finish(f, device);
    int code = o->driver->record(lane->queue, &to);
    if (code) o->driver->wait(from);
    if (!code) code = o->driver->elapsed(from, to, &ns);
    if (!code) rt_step_took(f, ns);
    return result || !code ? result : rt_device_failed(f, device, code);
}
