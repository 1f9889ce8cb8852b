/* rt_opened.h - devices that a model has opened, and what each context has of them: rt_device.c,
 * rt_device_queue.c and rt_device_clock.c.
 */
#ifndef RT_OPENED_H
#define RT_OPENED_H

#include "rt_device.h"
#include "rt_entry.h"

enum { RT_FAULT_BYTES = 32 };

/* Of a model. */
typedef struct rt_opened {
    const fe_device_driver *driver;
    fe_device *device;
    fe_device_module *module;
    const fe_device_code *code;
    char message[RT_ERROR_BYTES];
} rt_opened;

/* The fault as it is at some place in the queue of kernels: the host may look when that is reached. */
typedef struct rt_found {
    int64_t fault[RT_FAULT_BYTES / sizeof(int64_t)];
    uint64_t checked; /* used.checked there */
} rt_found;

/* What the host has not waited for yet: all work on this buffer of its own lies before the mark. */
typedef struct rt_pending {
    const void *later;
    fe_device_mark *mark;
    const rt_found *found; /* NULL: nothing is to be asked for */
    rt_found *own;         /* of a device with one queue: at the mark; kept for the next one */
} rt_pending;

/* A mark that a queue may follow, by its number. */
typedef struct rt_marked {
    fe_device_mark *mark; /* NULL: not in this run */
    rt_found *found;      /* of kernels: at the mark; kept for the next one */
} rt_marked;

/* What a device did for a step: between the two marks in the middle; the others say how long after the step
 * before. */
typedef struct rt_traced {
    uint32_t step;
    fe_device_mark *marks[4];
} rt_traced;

/* A queue. */
typedef struct rt_lane {
    fe_device_queue *queue;
    rt_traced *traced; /* of a run that is rt_traced */
    int64_t traced_count, traced_room;
    fe_device_mark *start;
    int64_t started_ns;
} rt_lane;

/* Of a context. */
typedef struct rt_used {
    rt_lane lanes[RT_QUEUES];
    uint32_t lane_count; /* 1: the first is for copies too */
    void *fault;
    uint64_t checked, cleared; /* kernels with checks by now, and those of which none has failed */
    uint64_t launched, ended;  /* kernels by now, and those that are done */
    rt_found found;            /* for who waits at once */
    rt_pending *pending;
    uint32_t pending_count, pending_room;
    rt_marked *marks;
    uint32_t mark_room;
    rt_found *seen; /* at the mark of kernels that copies have followed last; NULL: none */
} rt_used;

/* ---- rt_device.c ---- */
rt_opened *rt_opened_of(const fe_context *context, uint32_t device);
rt_used *rt_used_of(const fe_context *context, uint32_t device);
/* The driver's message, as the run's. */
int rt_device_failed(rt_frame *f, uint32_t device, int code);
/* Bytes to a device, from it, or on it, in that queue; 0 is the host. */
int rt_move_bytes(rt_frame *f, rt_queue queue, const void *from, uint32_t from_device, void *to,
                  uint32_t to_device, int64_t bytes);

/* ---- rt_device_queue.c ---- */
static inline rt_lane *rt_lane_of(rt_used *u, rt_queue queue)
{
    return &u->lanes[u->lane_count > 1 ? queue : RT_KERNELS];
}
int rt_queues_new(const fe_context *context, uint32_t device);
void rt_queues_free(const fe_context *context, uint32_t device);
/* All that is in the queues by now is done when this returns. */
int rt_device_drain(rt_frame *f, uint32_t device);
/* The same, and says what check of a kernel has failed. */
int rt_device_finish(rt_frame *f, uint32_t device);
/* The host waits for copies that have been given to the device by now when it asks for this buffer. */
int rt_postpone(rt_frame *f, uint32_t device, const void *later);
int rt_settle(rt_frame *frame);

/* ---- rt_device_clock.c ---- */
int rt_has_clock(const fe_device_driver *driver);
/* Around what is asked of a device, of a program that is to tell how long its steps take. `result` is what
 * became of it. */
int rt_clock_begin(rt_frame *f, uint32_t device, rt_queue queue, fe_device_mark **from);
int rt_clock_end(rt_frame *f, uint32_t device, rt_queue queue, fe_device_mark *from, int result);
int rt_trace_begin(rt_frame *f);
int rt_trace_end(rt_frame *f);

#endif
