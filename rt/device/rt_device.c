/* rt_device.c - what runs elsewhere than on the host: devices that a model opens, with kernels and weights of
 * their own, and what contexts ask of them: kernels and copies. rt_device_queue.c has the order of all that.
 */
#include "rt_opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rt_opened *rt_opened_of(const fe_context *context, uint32_t device)
{
    return &((rt_opened *)context->model->devices)[device - 1];
}

rt_used *rt_used_of(const fe_context *context, uint32_t device)
{
    return &((rt_used *)context->devices)[device - 1];
}

int rt_device_failed(rt_frame *f, uint32_t device, int code)
{
    return rt_fail(f, code, "%s: %s", f->context->model->program->devices[device - 1].name,
                   rt_opened_of(f->context, device)->message);
}

/* ---- models ---- */

static void close_one(rt_opened *o)
{
    if (o->module) o->driver->unload(o->module);
    if (o->device) o->driver->close(o->device);
}

static void close_all(fe_model *model)
{
    const rt_program *program = model->program;
    rt_opened *all = model->devices;
    for (uint32_t k = 0; all && k < program->weight_count; k++) {
        uint32_t device = program->weights[k].device;
        if (device && model->device_weights && model->device_weights[k])
            all[device - 1].driver->release(all[device - 1].device, model->device_weights[k]);
    }
    for (uint32_t k = 0; all && k < program->device_count; k++) close_one(&all[k]);
    free(model->device_weights);
    free(all);
    model->devices = NULL;
    model->device_weights = NULL;
}

static void close_model(fe_model *model)
{
    close_all(model);
    free(model->drivers);
    model->drivers = NULL;
}

static int set_driver(fe_model *model, const fe_device_driver *driver)
{
    const rt_program *program = model->program;
    int is_known = 0;
    if (model->devices || driver->version != FE_DEVICE_VERSION) return FE_RUN_BAD_INPUT;
    if (!model->drivers) model->drivers = calloc(program->device_count, sizeof *model->drivers);
    if (!model->drivers) return FE_RUN_NO_MEMORY;
    for (uint32_t k = 0; k < program->device_count; k++)
        if (strcmp(program->devices[k].kind, driver->kind) == 0) {
            model->drivers[k] = driver;
            is_known = 1;
        }
    return is_known ? 0 : FE_RUN_BAD_INPUT;
}

static int need_f64(rt_opened *o)
{
    fe_device_facts facts = {.has_f64 = 1};
    o->driver->describe(o->device, &facts);
    if (facts.has_f64) return 0;
    snprintf(
        o->message, sizeof o->message,
        "%.127s has no double, and kernels of the program compute with it, as sums of floats do: "
        "leave them on the cpu (option place)",
        facts.name);
    return FE_RUN_BAD_PROCESSOR;
}

static int open_one(const fe_model *model, uint32_t k, rt_opened *o)
{
    const rt_device *d = &model->program->devices[k];
    const fe_device_host host = {o->message, sizeof o->message};
    o->code = &d->code;
    o->driver = model->drivers && model->drivers[k] ? model->drivers[k] : d->driver;
    if (!o->driver) {
        snprintf(o->message, sizeof o->message,
                 "nobody has given its driver (fe_artifact.set_driver; option devices)");
        return FE_RUN_BAD_PROCESSOR;
    }
    int code = o->driver->open(d->index, &host, &o->device);
    if (code == 0 && d->code.needs_f64) code = need_f64(o);
    if (code == 0 && d->code.kernel_count) code = o->driver->load(o->device, &d->code, &o->module);
    return code;
}

/* One weight into memory of its device. */
static int upload(fe_model *model, uint32_t k)
{
    const rt_weight *weight = &model->program->weights[k];
    const rt_opened *o = &((const rt_opened *)model->devices)[weight->device - 1];
    fe_device_queue *queue;
    int code = o->driver->allocate(o->device, weight->bytes, &model->device_weights[k]);
    if (code) return code;
    code = o->driver->queue_new(o->device, &queue);
    if (code) return code;
    code = o->driver->write(queue, model->device_weights[k], model->weights[k], weight->bytes);
    o->driver->queue_free(queue);
    return code;
}

/* States go there with each context. */
static int is_wanted_there(const rt_program *program, uint32_t weight)
{
    for (uint32_t k = 0; k < program->state_count; k++)
        if (program->states[k] == weight) return 0;
    return program->weights[weight].device != 0;
}

static int open_all(fe_model *model, char *message, size_t message_bytes)
{
    const rt_program *program = model->program;
    rt_opened *all = calloc(program->device_count, sizeof *all);
    int code = 0;
    uint32_t at = 0;
    model->devices = all;
    model->device_weights = calloc(program->weight_count + 1, sizeof *model->device_weights);
    if (!all || !model->device_weights) {
        close_all(model);
        return FE_RUN_NO_MEMORY;
    }
    for (; at < program->device_count; at++)
        if ((code = open_one(model, at, &all[at])) != 0) break;
    for (uint32_t k = 0; code == 0 && k < program->weight_count; k++)
        if (is_wanted_there(program, k) && (code = upload(model, k)) != 0)
            at = program->weights[k].device - 1;
    for (uint32_t k = 0; code == 0 && k < program->weight_count; k++)
        if (!program->weights[k].device) model->device_weights[k] = model->weights[k];
    if (code == 0) return 0;
    snprintf(message, message_bytes, "%s: %s", program->devices[at].name, all[at].message);
    close_all(model);
    return code;
}

/* ---- contexts ---- */

static void end(fe_context *context)
{
    const rt_program *program = context->model->program;
    for (uint32_t k = 1; context->devices && k <= program->device_count; k++) {
        const rt_opened *o = rt_opened_of(context, k);
        rt_queues_free(context, k);
        if (rt_used_of(context, k)->fault)
            o->driver->release(o->device, rt_used_of(context, k)->fault);
    }
    free(context->devices);
    context->devices = NULL;
}

static int begin(fe_context *context)
{
    static const char zeroes[RT_FAULT_BYTES];
    const rt_program *program = context->model->program;
    rt_frame frame = {.context = context};
    context->devices = calloc(program->device_count, sizeof(rt_used));
    if (!context->devices) return FE_RUN_NO_MEMORY;
    for (uint32_t k = 1; k <= program->device_count; k++) {
        const rt_opened *o = rt_opened_of(context, k);
        rt_used *u = rt_used_of(context, k);
        int code = rt_queues_new(context, k);
        if (code == 0) code = o->driver->allocate(o->device, RT_FAULT_BYTES, &u->fault);
        if (code) return rt_device_failed(&frame, k, code);
        RT_TRY(rt_move_bytes(&frame, RT_KERNELS, zeroes, 0, u->fault, k, RT_FAULT_BYTES));
    }
    return 0;
}

/* Whoever asked says no more than that there is none. */
static void *memory_new(const fe_context *context, uint32_t device, int is_pinned, size_t bytes)
{
    const rt_opened *o = rt_opened_of(context, device);
    rt_frame frame = {.context = (fe_context *)(uintptr_t)context};
    void *memory = NULL;
    int code = is_pinned ? o->driver->allocate_pinned(o->device, (int64_t)bytes, &memory)
                         : o->driver->allocate(o->device, (int64_t)bytes, &memory);
    if (code == 0) return memory;
    rt_fail(&frame, code, "%s: no memory for %zu bytes: %s",
            context->model->program->devices[device - 1].name, bytes, o->message);
    return NULL;
}

/* What is in the queues may still work there. */
static void memory_free(const fe_context *context, uint32_t device, int is_pinned, void *memory)
{
    rt_frame frame = {.context = (fe_context *)(uintptr_t)context};
    char error[RT_ERROR_BYTES];
    if (!memory) return;
    const rt_opened *o = rt_opened_of(context, device);
    memcpy(error, context->error, sizeof error);
    for (uint32_t k = 1; k <= context->model->program->device_count; k++)
        if (k == device || is_pinned) rt_device_drain(&frame, k);
    memcpy(frame.context->error, error, sizeof error);
    if (is_pinned)
        o->driver->release_pinned(o->device, memory);
    else
        o->driver->release(o->device, memory);
}

/* ---- copies ---- */

static int64_t elements_of(const fe_tensor *t)
{
    int64_t count = 1;
    for (uint32_t d = 0; d < t->rank; d++) count *= t->sizes[d];
    return count;
}

/* Are the elements of both in one order, without gaps? */
static int are_alike(const fe_tensor *a, const fe_tensor *b)
{
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->sizes[d] != 1 && rt_stride(a, d) != rt_stride(b, d)) return 0;
    return a->dtype == b->dtype &&
           rt_reach_bytes(a) == elements_of(a) * (int64_t)rt_dtype_bytes(a->dtype);
}

int rt_move_bytes(rt_frame *f, rt_queue queue, const void *from, uint32_t from_device, void *to,
                  uint32_t to_device, int64_t bytes)
{
    uint32_t device = from_device ? from_device : to_device;
    const fe_device_driver *driver = rt_opened_of(f->context, device)->driver;
    fe_device_queue *at = rt_lane_of(rt_used_of(f->context, device), queue)->queue;
    int code = !from_device ? driver->write(at, to, from, bytes)
               : !to_device ? driver->read(at, to, from, bytes)
                            : driver->copy(at, to, from, bytes);
    return code ? rt_device_failed(f, device, code) : 0;
}

static int copy_bytes(rt_frame *f, const void *from, uint32_t from_device, void *to,
                      uint32_t to_device, int64_t bytes)
{
    return rt_move_bytes(f, RT_COPIES, from, from_device, to, to_device, bytes);
}

/* By way of the host: what is read there is put in order, and written. */
static int move_staged(rt_frame *f, const fe_tensor *from, uint32_t from_device,
                       const fe_tensor *to, uint32_t to_device, char *staged)
{
    int64_t from_bytes = rt_reach_bytes(from), to_bytes = rt_reach_bytes(to);
    fe_tensor source = *from, target = *to;
    if (from_device) {
        source.data = staged;
        RT_TRY(copy_bytes(f, from->data, from_device, staged, 0, from_bytes));
        RT_TRY(rt_device_finish(f, from_device));
    }
    if (to_device) {
        target.data = staged + from_bytes;
        RT_TRY(copy_bytes(f, to->data, to_device, target.data, 0, to_bytes));
        RT_TRY(rt_device_finish(f, to_device));
    }
    RT_TRY(rt_op_copy(f, &(rt_call){.in = &source, .in_count = 1, .out = &target, .out_count = 1}));
    if (!to_device) return 0;
    RT_TRY(copy_bytes(f, target.data, 0, to->data, to_device, to_bytes));
    return rt_device_finish(f, to_device);
}

static int transfer(rt_frame *frame, const fe_tensor *from, uint32_t from_device,
                    const fe_tensor *to, uint32_t to_device, const void *later)
{
    uint32_t device = from_device ? from_device : to_device;
    if (are_alike(from, to) && (!from_device || !to_device)) {
        RT_TRY(
            copy_bytes(frame, from->data, from_device, to->data, to_device, rt_reach_bytes(from)));
        return later ? rt_postpone(frame, device, later) : rt_device_finish(frame, device);
    }
    char *staged = malloc((size_t)(rt_reach_bytes(from) + rt_reach_bytes(to)));
    if (!staged) return rt_fail(frame, FE_RUN_NO_MEMORY, "no memory for a copy between devices");
    int code = move_staged(frame, from, from_device, to, to_device, staged);
    free(staged);
    return code;
}

/* What was to be copied before is there all the same when the host has waited. */
static int transfer_nothing(rt_frame *frame, uint32_t from_device, uint32_t to_device,
                            const void *later)
{
    if (later) return rt_postpone(frame, from_device ? from_device : to_device, later);
    if (from_device) RT_TRY(rt_device_finish(frame, from_device));
    return to_device ? rt_device_finish(frame, to_device) : 0;
}

int rt_transfer(rt_frame *frame, const fe_tensor *from, uint32_t from_device, const fe_tensor *to,
                uint32_t to_device, const void *later)
{
    uint32_t device = from_device ? from_device : to_device;
    fe_device_mark *begun;
    if (elements_of(from) == 0) return transfer_nothing(frame, from_device, to_device, later);
    RT_TRY(rt_clock_begin(frame, device, RT_COPIES, &begun));
    return rt_clock_end(frame, device, RT_COPIES, begun,
                        transfer(frame, from, from_device, to, to_device, later));
}

/* ---- kernels ---- */

int rt_launch_on(rt_frame *frame, uint32_t device, uint32_t kernel, const fe_kernel_args *args,
                 uint32_t buffer_count, uint32_t int_count, int64_t rows, int64_t columns)
{
    const rt_opened *o = rt_opened_of(frame->context, device);
    rt_used *u = rt_used_of(frame->context, device);
    const uint32_t *groups = o->code->groups;
    if (rows <= 0 || columns <= 0) return 0;
    if (groups && groups[kernel]) columns = groups[kernel];
    fe_device_launch launch = {.module = o->module,
                               .kernel = kernel,
                               .fault = u->fault,
                               .rows = rows,
                               .columns = columns,
                               .buffers = args->buffers,
                               .buffer_count = buffer_count,
                               .ints = args->ints,
                               .int_count = int_count};
    fe_device_mark *begun;
    RT_TRY(rt_clock_begin(frame, device, RT_KERNELS, &begun));
    int code = o->driver->launch(rt_lane_of(u, RT_KERNELS)->queue, &launch);
    u->launched++;
    u->checked += args->fault != NULL;
    return rt_clock_end(frame, device, RT_KERNELS, begun,
                        code ? rt_device_failed(frame, device, code) : 0);
}

static int move_now(rt_frame *frame, uint32_t from_device, const void *from, uint32_t to_device,
                    void *to, size_t bytes)
{
    RT_TRY(rt_move_bytes(frame, RT_KERNELS, from, from_device, to, to_device, (int64_t)bytes));
    return rt_device_finish(frame, from_device ? from_device : to_device);
}

/* ---- looking at numbers ---- */

/* What a tensor reaches, on the host; NULL where there is no memory, and *code says so, or nothing. */
static void *bring(rt_frame *f, uint32_t device, const fe_tensor *t, int *code)
{
    int64_t bytes = rt_reach_bytes(t);
    *code = rt_device_finish(f, device); /* copies are there too */
    if (*code) return NULL;
    void *near = bytes ? malloc((size_t)bytes) : NULL;
    if (!bytes) return NULL;
    if (!near)
        *code = rt_fail(f, FE_RUN_NO_MEMORY, "no memory to look at a device's");
    else
        *code = move_now(f, device, t->data, 0, near, (size_t)bytes);
    if (!*code) return near;
    free(near);
    return NULL;
}

int rt_check_numbers_on(rt_frame *frame, uint32_t device, const fe_tensor *t, int finite,
                        const char *what)
{
    int code;
    fe_tensor near = *t;
    near.data = bring(frame, device, t, &code);
    if (!code && near.data) code = rt_check_numbers(frame, &near, finite, what);
    free(near.data);
    return code;
}

int rt_clear_on(rt_frame *frame, uint32_t device, const fe_tensor *t)
{
    int code;
    fe_tensor near = *t;
    near.data = bring(frame, device, t, &code);
    if (near.data) rt_clear(&near);
    if (near.data) code = move_now(frame, 0, near.data, device, t->data, (size_t)rt_reach_bytes(t));
    free(near.data);
    return code;
}

/* ---- for the caller's memory ---- */

static int owns(const fe_context *context, uint32_t device, const void *address, int if_unknown)
{
    const rt_opened *o = rt_opened_of(context, device);
    size_t known = offsetof(fe_device_driver, owns) + sizeof o->driver->owns;
    if (o->driver->struct_bytes < known || !o->driver->owns) return if_unknown;
    return o->driver->owns(o->device, address);
}

static int restride(rt_frame *frame, uint32_t device, const fe_tensor *from, const fe_tensor *to)
{
    if (elements_of(from) && are_alike(from, to))
        return move_now(frame, device, from->data, device, to->data, (size_t)rt_reach_bytes(from));
    return rt_transfer(frame, from, device, to, device, NULL);
}

static int finish_all(rt_frame *frame)
{
    int code = 0;
    for (uint32_t k = 1; k <= frame->context->model->program->device_count; k++) {
        int failure = rt_device_finish(frame, k);
        if (failure && !code) code = failure;
    }
    return code;
}

const rt_device_support rt_devices = {.open = open_all,
                                      .close = close_model,
                                      .set_driver = set_driver,
                                      .begin = begin,
                                      .end = end,
                                      .settle = rt_settle,
                                      .memory_new = memory_new,
                                      .memory_free = memory_free,
                                      .owns = owns,
                                      .move = move_now,
                                      .restride = restride,
                                      .finish = finish_all,
                                      .trace_begin = rt_trace_begin,
                                      .trace_end = rt_trace_end};
