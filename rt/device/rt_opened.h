/* rt_opened.h - devices that a model has opened, and what each context has of them: rt_device.c and
 * rt_device_clock.c.
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

/* What the host has not waited for yet: all work on this buffer of its own lies before the mark. */
typedef struct rt_pending {
    const void *later;
    fe_device_mark *mark;
    int64_t *found;   /* the fault as it is at the mark; kept for the next one */
    uint64_t checked; /* used.checked at the mark */
} rt_pending;

/* What a device did for a step: between the two marks in the middle; the others say how long after the step
 * before. */
typedef struct rt_traced {
    uint32_t step;
    fe_device_mark *marks[4];
} rt_traced;

/* Of a context. */
typedef struct rt_used {
    fe_device_queue *queue;
    void *fault;
    uint64_t checked, cleared; /* kernels with checks by now, and those of which none has failed */
    int64_t found[RT_FAULT_BYTES / sizeof(int64_t)]; /* the fault, for who waits at once */
    rt_pending *pending;
    uint32_t pending_count, pending_room;
    rt_traced *traced; /* of a run that is rt_traced */
    int64_t traced_count, traced_room;
    fe_device_mark *start;
    int64_t started_ns;
} rt_used;

/* ---- rt_device.c ---- */
rt_opened *rt_opened_of(const fe_context *context, uint32_t device);
rt_used *rt_used_of(const fe_context *context, uint32_t device);
/* The driver's message, as the run's. */
int rt_device_failed(rt_frame *f, uint32_t device, int code);
/* Waits for all in the queue, and says what check of a kernel has failed. */
int rt_device_finish(rt_frame *f, uint32_t device);

/* ---- rt_device_clock.c ---- */
int rt_has_clock(const fe_device_driver *driver);
/* Around what is asked of a device, of a program that is to tell how long its steps take. `result` is what
 * became of it. */
int rt_clock_begin(rt_frame *f, uint32_t device, fe_device_mark **from);
int rt_clock_end(rt_frame *f, uint32_t device, fe_device_mark *from, int result);
int rt_trace_begin(rt_frame *f);
int rt_trace_end(rt_frame *f);

#endif
