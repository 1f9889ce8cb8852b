/* rt_library.c - what the runtime does for hosts that run a program's lines themselves. */
#include "rt_library.h"
#include "rt_entry.h"
#include "rt_kernels.h"

#include <stdlib.h>

static rt_frame *frame_new(uint32_t threads)
{
    rt_frame *frame = calloc(1, sizeof *frame);
    fe_context *context = calloc(1, sizeof *context);
    if (!frame || !context) {
        free(frame);
        free(context);
        return NULL;
    }
    frame->context = context;
    frame->pool = context->pool = threads == 1 ? NULL : rt_pool_get((int)threads);
    return frame;
}

static void frame_free(rt_frame *frame)
{
    if (!frame) return;
    rt_kept_free(frame->context);
    rt_weights_free(frame->context);
    rt_area_free(&frame->context->area);
    free(frame->context);
    free(frame);
}

static const char *last_error(const rt_frame *frame)
{
    return frame->context->error;
}

static rt_fault *fault(rt_frame *frame)
{
    frame->fault.raised = 0;
    return &frame->fault;
}

static const char *unfit;

static const char *obstacle(void)
{
    return unfit;
}

const rt_library *rt_library_open(const rt_library *library)
{
    unfit = rt_isa_choose(library->isa);
    return library;
}

const rt_services rt_services_here = {
    .pool = rt_pool_get,
    .launch = rt_launch,
    .custom = rt_custom,
    .frame_new = frame_new,
    .frame_free = frame_free,
    .error = last_error,
    .replan_scratch = plan_replan_scratch,
    .replan = plan_replan,
    .fault = fault,
    .in_range = rt_in_range,
    .check_numbers = rt_check_numbers,
    .clear = rt_clear,
    .obstacle = obstacle,
};
