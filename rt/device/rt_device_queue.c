/* rt_device_queue.c - the queues that a context has of a device, and who waits for what is in them.
 *
 * There is one for kernels and one for copies, where the driver lets the one follow marks of the other; else
 * one for both. The host waits for what it reads and for what it may change. Checks of kernels write down
 * what has failed in memory of the device, which is read in the queue of kernels alone: whoever waits for a
 * copy learns what was found at the mark that copies have followed last.
 */
#include "rt_opened.h"

#include <stdlib.h>
#include <string.h>

/* ---- making them ---- */

static int can_follow(const fe_device_driver *driver)
{
    size_t known = offsetof(fe_device_driver, forget) + sizeof driver->forget;
    return driver->struct_bytes >= known && driver->follow && driver->forget;
}

int rt_queues_new(const fe_context *context, uint32_t device)
{
    const rt_opened *o = rt_opened_of(context, device);
    rt_used *u = rt_used_of(context, device);
    int is_timed = context->model->program->step_count && rt_has_clock(o->driver);
    u->lane_count = can_follow(o->driver) ? RT_QUEUES : 1;
    for (uint32_t q = 0; q < u->lane_count; q++) {
        int code = is_timed ? o->driver->timed_queue_new(o->device, &u->lanes[q].queue)
                            : o->driver->queue_new(o->device, &u->lanes[q].queue);
        if (code) return code;
    }
    return 0;
}

/* Where the device writes while the host goes on. */
static rt_found *found_new(const rt_opened *o)
{
    void *memory = NULL;
    return o->driver->allocate_pinned(o->device, sizeof(rt_found), &memory) ? NULL : memory;
}

static void found_free(const rt_opened *o, rt_found *found)
{
    if (found) o->driver->release_pinned(o->device, found);
}

static void forget_marks(const rt_opened *o, rt_used *u)
{
    for (uint32_t k = 0; k < u->mark_room; k++) {
        if (u->marks[k].mark) o->driver->forget(u->marks[k].mark);
        u->marks[k].mark = NULL;
    }
    u->seen = NULL;
}

void rt_queues_free(const fe_context *context, uint32_t device)
{
    const rt_opened *o = rt_opened_of(context, device);
    rt_used *u = rt_used_of(context, device);
    for (uint32_t i = 0; i < u->pending_count; i++) o->driver->wait(u->pending[i].mark);
    forget_marks(o, u);
    for (uint32_t q = 0; q < RT_QUEUES; q++) {
        if (u->lanes[q].queue) o->driver->queue_free(u->lanes[q].queue);
        free(u->lanes[q].traced);
    }
    for (uint32_t i = 0; i < u->pending_room; i++) found_free(o, u->pending[i].own);
    for (uint32_t k = 0; k < u->mark_room; k++) found_free(o, u->marks[k].found);
    free(u->pending);
    free(u->marks);
}

/* ---- waiting for all ---- */

int rt_device_drain(rt_frame *f, uint32_t device)
{
    const rt_opened *o = rt_opened_of(f->context, device);
    rt_used *u = rt_used_of(f->context, device);
    uint64_t launched = u->launched;
    int failure = 0;
    for (uint32_t q = 0; q < u->lane_count; q++) {
        fe_device_mark *mark;
        int code = u->lanes[q].queue ? o->driver->record(u->lanes[q].queue, &mark) : 0;
        if (code == 0 && u->lanes[q].queue) code = o->driver->wait(mark);
        if (code && !failure) failure = code;
    }
    if (failure) return rt_device_failed(f, device, failure);
    u->ended = launched;
    return 0;
}

/* Whoever waits for what kernels have been given by now finds there what checks have found. */
static int ask_for_faults(rt_frame *f, uint32_t device, rt_found *found)
{
    const rt_used *u = rt_used_of(f->context, device);
    found->fault[0] = 0;
    found->checked = u->checked;
    return u->checked > u->cleared
               ? rt_move_bytes(f, RT_KERNELS, u->fault, device, found->fault, 0, RT_FAULT_BYTES)
               : 0;
}

/* What a check has written by then, as if a kernel of the host had. */
static int take_fault(rt_frame *f, uint32_t device, const rt_found *found)
{
    static const char zeroes[RT_FAULT_BYTES];
    rt_used *u = rt_used_of(f->context, device);
    if (found->checked > u->cleared) u->cleared = found->checked;
    if (!found->fault[0]) return 0;
    f->fault.raised = 0; /* of the host, by now a failure behind this one */
    rt_outside(&f->fault, found->fault[1], found->fault[2], found->fault[3]);
    RT_TRY(rt_move_bytes(f, RT_KERNELS, zeroes, 0, u->fault, device, RT_FAULT_BYTES));
    RT_TRY(rt_device_drain(f, device));
    u->cleared = u->checked;
    return rt_in_range(f, f->context->model->program->device_checks);
}

int rt_device_finish(rt_frame *f, uint32_t device)
{
    rt_used *u = rt_used_of(f->context, device);
    RT_TRY(ask_for_faults(f, device, &u->found));
    RT_TRY(rt_device_drain(f, device));
    return take_fault(f, device, &u->found);
}

/* ---- waiting for a copy ---- */

static int wait_at(rt_frame *f, uint32_t device, rt_used *u, uint32_t at)
{
    rt_pending waited = u->pending[at];
    u->pending[at] = u->pending[--u->pending_count];
    u->pending[u->pending_count] = waited;
    int code = rt_opened_of(f->context, device)->driver->wait(waited.mark);
    if (code) return rt_device_failed(f, device, code);
    return waited.found ? take_fault(f, device, waited.found) : 0;
}

int rt_wait(rt_frame *frame, const void *later)
{
    uint32_t count = frame->context->model->program->device_count;
    for (uint32_t k = 1; k <= count; k++) {
        rt_used *u = rt_used_of(frame->context, k);
        for (uint32_t i = u->pending_count; i-- > 0;)
            if (u->pending[i].later == later) RT_TRY(wait_at(frame, k, u, i));
    }
    return 0;
}

/* One more entry, whose count is not raised yet; NULL: no memory. */
static rt_pending *next_pending(const rt_opened *o, rt_used *u)
{
    if (u->pending_count == u->pending_room) {
        uint32_t room = u->pending_room ? 2 * u->pending_room : 8;
        rt_pending *more = realloc(u->pending, room * sizeof *more);
        if (!more) return NULL;
        memset(more + u->pending_count, 0, (room - u->pending_count) * sizeof *more);
        u->pending = more;
        u->pending_room = room;
    }
    rt_pending *p = &u->pending[u->pending_count];
    if (u->lane_count == 1 && !p->own) p->own = found_new(o);
    return u->lane_count > 1 || p->own ? p : NULL;
}

int rt_postpone(rt_frame *f, uint32_t device, const void *later)
{
    rt_used *u = rt_used_of(f->context, device);
    const rt_opened *o = rt_opened_of(f->context, device);
    rt_pending *p = next_pending(o, u);
    if (!p) return rt_device_finish(f, device);
    p->later = later;
    p->found = u->lane_count > 1 ? u->seen : p->own;
    if (u->lane_count == 1) RT_TRY(ask_for_faults(f, device, p->own));
    int code = o->driver->record(rt_lane_of(u, RT_COPIES)->queue, &p->mark);
    if (code) return rt_device_failed(f, device, code);
    u->pending_count++;
    return 0;
}

/* ---- one queue behind the other ---- */

static int has_room(rt_used *u, uint32_t number)
{
    if (number < u->mark_room) return 1;
    uint32_t room = 2 * number + 8;
    rt_marked *more = realloc(u->marks, room * sizeof *more);
    if (!more) return 0;
    memset(more + u->mark_room, 0, (room - u->mark_room) * sizeof *more);
    u->marks = more;
    u->mark_room = room;
    return 1;
}

int rt_mark(rt_frame *frame, uint32_t device, rt_queue queue, uint32_t number)
{
    const rt_opened *o = rt_opened_of(frame->context, device);
    rt_used *u = rt_used_of(frame->context, device);
    if (u->lane_count == 1) return 0;
    if (!has_room(u, number)) return rt_fail(frame, FE_RUN_NO_MEMORY, "no memory for a mark");
    rt_marked *m = &u->marks[number];
    if (m->mark) o->driver->forget(m->mark);
    m->mark = NULL;
    if (queue == RT_KERNELS && (m->found || u->checked > u->cleared)) {
        if (!m->found) m->found = found_new(o);
        if (!m->found) return rt_fail(frame, FE_RUN_NO_MEMORY, "no memory for a mark");
        RT_TRY(ask_for_faults(frame, device, m->found));
    }
    int code = o->driver->record(u->lanes[queue].queue, &m->mark);
    if (code) m->mark = NULL;
    return code ? rt_device_failed(frame, device, code) : 0;
}

int rt_after(rt_frame *frame, uint32_t device, rt_queue queue, uint32_t number)
{
    const rt_opened *o = rt_opened_of(frame->context, device);
    rt_used *u = rt_used_of(frame->context, device);
    if (u->lane_count == 1) return 0;
    const rt_marked *m = &u->marks[number];
    if (m->found && (!u->seen || m->found->checked >= u->seen->checked)) u->seen = m->found;
    int code = o->driver->follow(u->lanes[queue].queue, m->mark);
    return code ? rt_device_failed(frame, device, code) : 0;
}

/* ---- the end of a run ---- */

/* Nothing is under way in the next one that its lines know nothing of. */
int rt_settle(rt_frame *frame)
{
    int code = 0;
    for (uint32_t k = 1; k <= frame->context->model->program->device_count; k++) {
        rt_used *u = rt_used_of(frame->context, k);
        while (u->pending_count) {
            int failure = wait_at(frame, k, u, u->pending_count - 1);
            if (failure && !code) code = failure;
        }
        int is_busy = u->checked > u->cleared || (u->lane_count > 1 && u->launched > u->ended);
        int failure = is_busy ? rt_device_finish(frame, k) : 0;
        if (failure && !code) code = failure;
        forget_marks(rt_opened_of(frame->context, k), u);
    }
    return code;
}
