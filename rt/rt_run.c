/* rt_run.c - one call of a program: inputs checked, arena laid out, kernels run, outputs described.
 */
#include "rt_entry.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Work below this many nanoseconds is not worth waking a thread for. */
enum { RT_PARALLEL_NS = 4000 };

int rt_fail(rt_frame *frame, int code, const char *format, ...)
{
    va_list args;
    /* a device has said what memory there is none of */
    if (code == FE_RUN_NO_MEMORY && frame->context->error[0]) return code;
    va_start(args, format);
    vsnprintf(frame->context->error, RT_ERROR_BYTES, format, args);
    va_end(args);
    return code;
}

size_t rt_dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
    case FE_U8:
    case FE_I8:
    case FE_F8E4M3FN:
    case FE_F8E5M2:
    case FE_F8E4M3FNUZ:
    case FE_F8E5M2FNUZ:
    case FE_F8E8M0FNU:
    case FE_BOOL: return 1;
    case FE_I16:
    case FE_F16:
    case FE_BF16:
    case FE_U16: return 2;
    case FE_I32:
    case FE_F32:
    case FE_C32:
    case FE_U32: return 4;
    case FE_C128: return 16;
    default: return 8;
    }
}

static const char *dtype_name(uint32_t dtype)
{
    static const char *const names[36] = {
        [FE_U8] = "uint8",
        [FE_I8] = "int8",
        [FE_I16] = "int16",
        [FE_I32] = "int32",
        [FE_I64] = "int64",
        [FE_F16] = "float16",
        [FE_F32] = "float32",
        [FE_F64] = "float64",
        [FE_C32] = "complex32",
        [FE_C64] = "complex64",
        [FE_C128] = "complex128",
        [FE_BOOL] = "bool",
        [FE_BF16] = "bfloat16",
        [FE_U16] = "uint16",
        [FE_U32] = "uint32",
        [FE_U64] = "uint64",
        [FE_F8E4M3FN] = "float8_e4m3fn",
        [FE_F8E5M2] = "float8_e5m2",
        [FE_F8E4M3FNUZ] = "float8_e4m3fnuz",
        [FE_F8E5M2FNUZ] = "float8_e5m2fnuz",
        [FE_F8E8M0FNU] = "float8_e8m0fnu",
    };
    return dtype < 36 && names[dtype] ? names[dtype] : "of an unknown type";
}

int64_t rt_stride(const fe_tensor *t, uint32_t d)
{
    if (t->strides) return t->strides[d];
    int64_t stride = 1;
    for (uint32_t k = d + 1; k < t->rank; k++) stride *= t->sizes[k] > 1 ? t->sizes[k] : 1;
    return stride;
}

static int is_empty(const fe_tensor *t)
{
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->sizes[d] == 0) return 1;
    return 0;
}

/* Against the declaration. Dynamic sizes and strides (-1) are the program's own to check. */
static int check_input(rt_frame *f, const fe_port *port, const fe_tensor *t)
{
    if (!port->dtype) return 0; /* nothing is read of it */
    if (t->dtype != port->dtype)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' is %s, expected %s", port->name,
                       dtype_name(t->dtype), dtype_name(port->dtype));
    if (t->rank != port->rank)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has %u dimensions, expected %u: %s",
                       port->name, t->rank, port->rank, port->shape_text);
    if (t->rank > 0 && !t->sizes)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has no sizes", port->name);
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->sizes[d] < 0 || (port->sizes[d] >= 0 && t->sizes[d] != port->sizes[d]))
            return rt_fail(f, FE_RUN_BAD_INPUT,
                           "input '%s' has size %lld in dimension %u, expected %s", port->name,
                           (long long)t->sizes[d], d, port->shape_text);
    for (uint32_t d = 0; d < t->rank; d++) {
        int64_t stride = rt_stride(t, d);
        if (port->strides[d] >= 0 && t->sizes[d] > 1 && stride != port->strides[d] && !is_empty(t))
            return rt_fail(f, FE_RUN_BAD_INPUT,
                           "input '%s' has stride %lld in dimension %u, expected %lld", port->name,
                           (long long)stride, d, (long long)port->strides[d]);
    }
    if (!t->data && !is_empty(t))
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' has no data", port->name);
    size_t alignment = rt_dtype_bytes(t->dtype);
    if (alignment > 8) alignment = 8;
    if ((uintptr_t)t->data % alignment)
        return rt_fail(f, FE_RUN_BAD_INPUT, "input '%s' is not aligned to %zu bytes", port->name,
                       alignment);
    return 0;
}

int rt_check_stride(rt_frame *frame, uint32_t input, uint32_t d, int64_t expected, const char *as)
{
    const fe_tensor *t = &frame->in[input];
    int64_t stride = rt_stride(t, d);
    if (stride == expected || t->sizes[d] < 2 || is_empty(t)) return 0;
    return rt_fail(frame, FE_RUN_BAD_INPUT,
                   "input '%s' has stride %lld in dimension %u, expected %s = %lld",
                   frame->context->model->program->inputs[input].name, (long long)stride, d, as,
                   (long long)expected);
}

static int check_input_place(rt_frame *f, const rt_program *program, uint32_t k, const fe_tensor *t)
{
    const fe_port *port = &program->inputs[k];
    if (!program->device_count || !port->dtype || is_empty(t)) return 0;
    return rt_check_place(f, rt_place_of(program->input_devices, k), t->data, FE_RUN_BAD_INPUT,
                          "input", port->name);
}

static int check_inputs(rt_frame *f, const rt_program *program, const fe_tensor *inputs,
                        uint32_t count)
{
    uint32_t wanted = program->input_count - program->taken_count;
    if (count != wanted)
        return rt_fail(f, FE_RUN_BAD_INPUT, "%u inputs given, %s takes %u", count, program->name,
                       wanted);
    for (uint32_t k = 0; k < count; k++) {
        RT_TRY(check_input(f, &program->inputs[k], &inputs[k]));
        RT_TRY(check_input_place(f, program, k, &inputs[k]));
        f->inputs[k] = inputs[k].data;
    }
    return program->taken_count ? rt_take_inputs(f) : 0;
}

/* An input may be what the last run returned, in memory of this context: then this run's result goes
 * elsewhere, in turns. */
static void keep_apart(rt_frame *f, const rt_program *program, uint32_t output)
{
    rt_result *result = &f->context->results[output];
    const char *from = result->memory, *to = from ? from + result->memory_bytes : NULL;
    for (uint32_t k = 0; from && k < program->input_count; k++) {
        const char *data = f->in[k].data;
        if (!program->inputs[k].dtype || data < from || data >= to) continue;
        void *memory = result->spare;
        size_t bytes = result->spare_bytes;
        result->spare = result->memory;
        result->spare_bytes = result->memory_bytes;
        result->memory = memory;
        result->memory_bytes = bytes;
        return;
    }
}

/* Can the program write output k straight into the caller's memory? Only where the layout is
 * exactly the declared one. Where that has symbols, it depends on how much memory the output takes:
 * `when_it_fits`. */
static int writes_in_place(const fe_port *port, const fe_tensor *t, int *when_it_fits)
{
    *when_it_fits = 0;
    if (!t->data || t->dtype != port->dtype || t->rank != port->rank || (t->rank && !t->sizes))
        return 0;
    for (uint32_t d = 0; d < t->rank; d++) {
        if (port->sizes[d] < 0 || port->strides[d] < 0) *when_it_fits = 1;
        if ((port->sizes[d] >= 0 && t->sizes[d] != port->sizes[d]) ||
            (t->sizes[d] > 1 && port->strides[d] >= 0 && rt_stride(t, d) != port->strides[d])) {
            *when_it_fits = 0;
            return 0;
        }
    }
    return !*when_it_fits;
}

/* Where the caller wants output k, and can have it there unless it takes other memory than he says. */
static void point_output(rt_frame *f, uint32_t k, const fe_tensor *out)
{
    const rt_program *program = f->context->model->program;
    rt_result *result = &f->context->results[k];
    int when_it_fits, in_place = writes_in_place(&program->outputs[k], out, &when_it_fits);
    if ((in_place || when_it_fits) && rt_is_in_the_way(f, k, out)) in_place = when_it_fits = 0;
    f->outputs[k] = in_place ? out->data : NULL;
    result->asked = NULL;
    result->is_elsewhere = 0;
    result->offered = when_it_fits && !program->late_outputs[k] ? out->data : NULL;
    result->offered_bytes = result->offered ? rt_reach_bytes(out) : 0;
    if (!in_place) keep_apart(f, program, k);
}

/* ---- outputs ---- */

static void *ask_for(rt_frame *f, uint32_t k, int64_t bytes)
{
    const fe_call *call = f->context->call;
    rt_result *result = &f->context->results[k];
    const rt_program *program = f->context->model->program;
    result->asked = call->alloc(call->data, k, bytes);
    result->is_elsewhere =
        program->device_count && result->asked &&
        !rt_is_on(f->context, rt_place_of(program->output_devices, k), result->asked);
    if (result->is_elsewhere) result->asked = NULL;
    result->asked_bytes = result->asked ? bytes : 0;
    return result->asked;
}

void *rt_output_memory(rt_frame *frame, uint32_t k, int64_t bytes)
{
    rt_result *result = &frame->context->results[k];
    if (frame->outputs[k]) return frame->outputs[k];
    size_t wanted = bytes > 0 ? (size_t)bytes : 1;
    if (result->offered && bytes == result->offered_bytes)
        return frame->outputs[k] = result->offered;
    if (frame->context->call->alloc) return frame->outputs[k] = ask_for(frame, k, (int64_t)wanted);
    if (wanted > result->memory_bytes) {
        uint32_t device = rt_place_of(frame->context->model->program->output_devices, k);
        rt_memory_off(frame->context, device, result->memory);
        result->memory = rt_memory_on(frame->context, device, wanted);
        result->memory_bytes = result->memory ? wanted : 0;
    }
    return frame->outputs[k] = result->memory;
}

void rt_output(rt_frame *frame, uint32_t k, void *data, const int64_t *sizes,
               const int64_t *strides)
{
    rt_result *result = &frame->context->results[k];
    uint32_t rank = frame->context->model->program->outputs[k].rank;
    result->data = data;
    if (rank) {
        memcpy(result->sizes, sizes, rank * sizeof *sizes);
        memcpy(result->strides, strides, rank * sizeof *strides);
    }
}

/* Copies a strided tensor, any rank; sizes are equal. */
static void copy_strided(char *to, const int64_t *to_strides, const char *from,
                         const int64_t *from_strides, const int64_t *sizes, uint32_t rank,
                         size_t element)
{
    if (rank == 0) {
        memcpy(to, from, element);
        return;
    }
    for (int64_t i = 0; i < sizes[0]; i++)
        copy_strided(to + i * to_strides[0] * (int64_t)element, to_strides + 1,
                     from + i * from_strides[0] * (int64_t)element, from_strides + 1, sizes + 1,
                     rank - 1, element);
}

static int misfits(rt_frame *f, const fe_port *port)
{
    return rt_fail(f, FE_RUN_BAD_OUTPUT, "the memory given for output '%s' is not %s %s",
                   port->name, dtype_name(port->dtype), port->shape_text);
}

/* Memory of the caller for sizes that only the run knew: what the caller says is how much room there
 * is. */
static int has_room(rt_frame *f, const fe_port *port, const rt_result *result, const fe_tensor *out)
{
    for (uint32_t d = 0; d < port->rank; d++)
        if (result->sizes[d] > out->sizes[d])
            return rt_fail(f, FE_RUN_BAD_OUTPUT,
                           "the memory given for output '%s' has room for %lld in dimension %u, "
                           "the result has %lld: %s %s",
                           port->name, (long long)out->sizes[d], d, (long long)result->sizes[d],
                           dtype_name(port->dtype), port->shape_text);
    return 0;
}

static int copy_elements(rt_frame *f, uint32_t k, const rt_result *result, fe_tensor *to,
                         const int64_t *strides)
{
    const rt_program *program = f->context->model->program;
    uint32_t device = rt_place_of(program->output_devices, k);
    fe_tensor from = *to;
    from.data = result->data;
    from.strides = result->strides;
    if (device) return program->device_support->restride(f, device, &from, to);
    copy_strided(to->data, strides, result->data, result->strides, result->sizes, to->rank,
                 rt_dtype_bytes(to->dtype));
    return 0;
}

/* Into the caller's memory, in its strides. */
static int copy_out(rt_frame *f, uint32_t k, rt_result *result, fe_tensor *out)
{
    const rt_program *program = f->context->model->program;
    const fe_port *port = &program->outputs[k];
    int64_t strides[RT_MAX_RANK];
    int late = program->late_outputs[k];
    if (out->dtype != port->dtype || out->rank != port->rank || (port->rank && !out->sizes))
        return misfits(f, port);
    if (late) RT_TRY(has_room(f, port, result, out));
    for (uint32_t d = 0; d < port->rank && !late; d++)
        if (out->sizes[d] != result->sizes[d]) return misfits(f, port);
    fe_tensor placed = {out->data, port->dtype, port->rank, result->sizes, out->strides};
    for (uint32_t d = 0; d < port->rank; d++) strides[d] = rt_stride(&placed, d);
    RT_TRY(copy_elements(f, k, result, &placed, strides));
    if (!late) return 0;
    memcpy(result->strides, strides, port->rank * sizeof *strides);
    out->sizes = result->sizes;
    out->strides = result->strides;
    return 0;
}

/* Does it lie in memory that is the caller's already? */
static int is_callers(const rt_frame *f, const void *data)
{
    const fe_context *context = f->context;
    const rt_program *program = context->model->program;
    const char *at = data;
    for (uint32_t k = 0; k < program->output_count; k++) {
        const rt_result *r = &context->results[k];
        if (r->asked && at >= r->asked && at < r->asked + r->asked_bytes) return 1;
    }
    for (uint32_t k = 0; k < program->input_count; k++)
        if (at >= context->reaches[k].begin && at < context->reaches[k].end) return 1;
    return 0;
}

/* A result that was not made in memory of the caller's, as a constant or a state, is copied there. */
static int move_out(rt_frame *f, uint32_t k, rt_result *result)
{
    const fe_port *port = &f->context->model->program->outputs[k];
    fe_tensor made = {result->data, port->dtype, port->rank, result->sizes, result->strides};
    int64_t bytes = rt_reach_bytes(&made);
    if (is_callers(f, result->data)) return 0;
    void *to = ask_for(f, k, bytes > 0 ? bytes : 1);
    uint32_t device = rt_place_of(f->context->model->program->output_devices, k);
    if (!to) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    RT_TRY(rt_move(f, device, result->data, device, to, (size_t)bytes));
    result->data = to;
    return 0;
}

/* What was made in as many bytes as the caller gave has his sizes, and maybe not his strides. */
static int settle_offered(rt_frame *f, uint32_t k, rt_result *result, fe_tensor *out)
{
    const fe_port *port = &f->context->model->program->outputs[k];
    int same = 1;
    for (uint32_t d = 0; d < port->rank; d++) {
        if (out->sizes[d] != result->sizes[d]) return misfits(f, port);
        same &= out->sizes[d] < 2 || rt_stride(out, d) == result->strides[d];
    }
    if (same) return 0;
    fe_tensor made = {result->data, port->dtype, port->rank, result->sizes, result->strides};
    int64_t bytes = rt_reach_bytes(&made);
    uint32_t device = rt_place_of(f->context->model->program->output_devices, k);
    void *copy = bytes ? rt_memory_on(f->context, device, (size_t)bytes) : NULL;
    if (bytes && !copy) return rt_fail(f, FE_RUN_NO_MEMORY, "no memory for an output");
    int code = rt_move(f, device, result->data, device, copy, (size_t)bytes);
    result->data = copy;
    if (bytes && code == 0) code = copy_out(f, k, result, out);
    result->data = out->data;
    if (copy) rt_memory_off(f->context, device, copy);
    return code;
}

static int deliver(rt_frame *f, uint32_t k, rt_result *result, fe_tensor *out)
{
    const fe_port *port = &f->context->model->program->outputs[k];
    result->lent = NULL;
    if (out->data && out->data != result->data) return copy_out(f, k, result, out);
    if (out->data && out->data == result->offered) return settle_offered(f, k, result, out);
    if (!out->data && f->context->call->alloc)
        RT_TRY(move_out(f, k, result));
    else if (!out->data)
        result->lent = result->data;
    out->data = result->data;
    out->dtype = port->dtype;
    out->rank = port->rank;
    out->sizes = result->sizes;
    out->strides = result->strides;
    return 0;
}

/* ---- the time of each step ---- */

static int64_t now(void)
{
    struct timespec t;
#ifdef CLOCK_MONOTONIC
    clock_gettime(CLOCK_MONOTONIC, &t);
#else
    timespec_get(&t, TIME_UTC);
#endif
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void rt_step(rt_frame *frame, uint32_t step)
{
    rt_clock *clock = &frame->context->clock;
    uint32_t count = frame->context->model->program->step_count;
    int64_t at = now();
    if (clock->step < count) clock->ns[clock->step] += at - clock->since;
    if (clock->step < count && clock->events)
        rt_trace_add(frame->context, 0, clock->step, clock->since - clock->begun,
                     at - clock->begun);
    clock->step = step;
    clock->since = at;
}

void rt_step_took(rt_frame *frame, int64_t nanoseconds)
{
    rt_clock *clock = &frame->context->clock;
    uint32_t count = frame->context->model->program->step_count;
    if (clock->step < count) clock->ns[clock->step] += nanoseconds;
    clock->since = now();
}

static int clock_start(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    rt_clock *clock = &f->context->clock;
    memset(clock->ns, 0, program->step_count * sizeof *clock->ns);
    clock->step = program->step_count;
    if (!clock->events) return 0;
    clock->count = 0;
    clock->begun = now();
    return program->device_count ? program->device_support->trace_begin(f) : 0;
}

static int clock_stop(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    rt_clock *clock = &f->context->clock;
    if (!clock->events) return 0;
    int code = program->device_count ? program->device_support->trace_end(f) : 0;
    clock->events = NULL;
    return code;
}

int64_t rt_context_trace(fe_context *context, fe_event *events, int64_t room)
{
    if (!context->model->program->step_count) return -1;
    context->clock.events = events;
    context->clock.room = room;
    return context->clock.count;
}

int64_t rt_trace_now(const fe_context *context)
{
    return now() - context->clock.begun;
}

void rt_trace_add(fe_context *context, uint32_t device, uint32_t step, int64_t begin_ns,
                  int64_t end_ns)
{
    rt_clock *clock = &context->clock;
    if (clock->count == clock->room) return;
    clock->events[clock->count++] = (fe_event){step, device, begin_ns, end_ns};
}

/* ---- the call ---- */

int rt_fits(rt_frame *frame, int64_t size)
{
    if (size != INT64_MAX) return 0;
    return rt_fail(frame, FE_RUN_NO_MEMORY, "the sizes of this run are too large");
}

static int check_output_place(rt_frame *f, const rt_program *program, uint32_t k, const void *data)
{
    if (!program->device_count || !program->outputs[k].dtype) return 0;
    return rt_check_place(f, rt_place_of(program->output_devices, k), data, FE_RUN_BAD_OUTPUT,
                          "output", program->outputs[k].name);
}

/* The run has failed for want of memory that the caller gave on another device. */
static int fail_elsewhere(rt_frame *f, int code)
{
    const rt_program *program = f->context->model->program;
    for (uint32_t k = 0; k < program->output_count; k++)
        if (f->context->results[k].is_elsewhere)
            return rt_fail(f, FE_RUN_BAD_OUTPUT,
                           "output '%s' is on %s, and alloc gives no memory of it",
                           program->outputs[k].name,
                           rt_device_name(program, rt_place_of(program->output_devices, k)));
    return code;
}

/* Whatever has become of the run, nobody works on the caller's memory behind it. */
static int settle(rt_frame *f)
{
    const rt_program *program = f->context->model->program;
    if (!program->device_count) return 0;
    int settled = program->device_support->settle(f);
    if (!program->input_devices && !program->output_devices) return settled;
    int finished = program->device_support->finish(f);
    return settled ? settled : finished;
}

static int run_call(fe_context *context, const fe_call *call)
{
    const rt_program *program = context->model->program;
    fe_tensor *outputs = call->outputs;
    rt_frame frame = {
        .segments = context->segments,
        .weights = context->devices ? context->model->device_weights : context->model->weights,
        .states = context->states,
        .inputs = context->inputs,
        .in = call->inputs,
        .outputs = context->outputs,
        .symbols = context->symbols,
        .pool = context->pool,
        .context = context,
    };
    context->error[0] = 0;
    context->call = call;
    context->packed.run++;
    context->packed.next = 0;
    RT_TRY(check_inputs(&frame, program, call->inputs, call->input_count));
    RT_TRY(rt_make_area(&frame, context->least_area));
    rt_measure_inputs(&frame);
    RT_TRY(rt_check_donated(&frame));
    RT_TRY(rt_check_mutated(&frame));
    RT_TRY(rt_keep_inputs(&frame));
    if (call->output_count != program->output_count)
        return rt_fail(&frame, FE_RUN_BAD_OUTPUT, "%u outputs asked for, %s gives %u",
                       call->output_count, program->name, program->output_count);
    for (uint32_t k = 0; k < program->output_count; k++) {
        if (outputs[k].data == context->results[k].lent) outputs[k].data = NULL;
        RT_TRY(check_output_place(&frame, program, k, outputs[k].data));
        point_output(&frame, k, &outputs[k]);
    }
    rt_return_in_inputs(&frame, outputs);
    int code = clock_start(&frame);
    if (!code) code = program->run(&frame);
    int settled = settle(&frame), stopped = clock_stop(&frame);
    if (!settled) settled = stopped;
    if (code) return fail_elsewhere(&frame, code);
    if (settled) return settled;
    for (uint32_t k = 0; k < program->output_count; k++)
        RT_TRY(rt_check_apart(&frame, k, &outputs[k]));
    for (uint32_t k = 0; k < program->output_count; k++)
        if ((code = deliver(&frame, k, &context->results[k], &outputs[k])) != 0)
            return fail_elsewhere(&frame, code);
    return 0;
}

int rt_call_program(fe_context *context, const fe_call *call)
{
    fe_call known = {0};
    memcpy(&known, call, call->struct_bytes < sizeof known ? call->struct_bytes : sizeof known);
    int code = run_call(context, &known);
    context->call = NULL;
    return code;
}

int rt_run(fe_context *context, const fe_tensor *inputs, uint32_t input_count, fe_tensor *outputs,
           uint32_t output_count)
{
    const fe_call call = {.struct_bytes = sizeof call,
                          .inputs = inputs,
                          .input_count = input_count,
                          .outputs = outputs,
                          .output_count = output_count};
    return rt_call_program(context, &call);
}

/* ---- kernels over the pool ---- */

typedef struct launch {
    fe_kernel kernel;
    const fe_kernel_args *args;
    int64_t inner;
    int along_inner;
} launch;

static void launch_part(void *context, int64_t begin, int64_t end, int worker)
{
    const launch *l = context;
    (void)worker;
    if (l->along_inner)
        l->kernel(l->args, 0, 1, begin, end);
    else
        l->kernel(l->args, begin, end, 0, l->inner);
}

int rt_launch(rt_frame *frame, fe_kernel kernel, const fe_kernel_args *args, int64_t outer,
              int64_t inner, int split, int64_t cost)
{
    if (outer <= 0 || (split && inner <= 0)) return 0;
    launch l = {kernel, args, inner, split && outer == 1};
    int64_t items = l.along_inner ? inner : outer;
    int64_t item_cost = l.along_inner ? cost : split ? cost * inner : cost;
    int64_t grain = item_cost > 0 ? (int64_t)RT_PARALLEL_NS * 1000 / item_cost + 1 : items;
    if (l.along_inner) grain = (grain + 255) / 256 * 256; /* whole cache lines a thread */
    rt_parallel(frame->pool, launch_part, &l, items, grain);
    return 0;
}
