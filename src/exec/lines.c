/* lines.c -- what each line of the wrapper IR does. */
#include "exec/exec_priv.h"

#include "../rt/rt_device.h"

#include <stdio.h>

/* ---- buffers ---- */

/* Bytes behind the start of its root's memory. */
static int64_t place_of(const exec_run *r, loop_buffer_id id)
{
    sym_expr place = r->w->storage[id].life.place;
    if (sym_is_none(place)) return 0;
    return exec_number(r, place) * (int64_t)ty_dtype_size(r->w->loops->buffers.at[id].dtype);
}

static void *in_arena(const exec_run *r, loop_buffer_id id)
{
    const wrap_program *w = r->w;
    uint32_t segment = w->storage[id].segment;
    const rt_block *block = &r->f->segments[segment];
    char *at = block->memory;
    if (!at) return NULL; /* it holds nothing */
    if (!wrap_offset_has_place(w, id)) at += place_of(r, id);
    return at + (wrap_is_fixed(w, segment) ? w->storage[id].offset
                                           : block->offsets[w->storage[id].slot]);
}

static int point(exec_run *r, loop_buffer_id id)
{
    const wrap_program *w = r->w;
    void **at = &r->buffers[id];
    const wrap_storage *of = &w->storage[id];
    uint32_t number = wrap_storage_number(w, id);
    switch (of->kind) {
    case WRAP_STORAGE_INPUT: *at = r->f->inputs[number]; break;
    case WRAP_STORAGE_STATE: *at = r->f->states[number]; break;
    case WRAP_STORAGE_WEIGHT: *at = r->f->weights[number]; break;
    case WRAP_STORAGE_ARENA: *at = in_arena(r, id); break;
    case WRAP_STORAGE_OUTPUT:
        *at = rt_output_memory(r->f, number, exec_size(r, of->bytes));
        if (!*at) return rt_fail(r->f, FE_RUN_NO_MEMORY, "no memory for an output");
        break;
    case WRAP_STORAGE_ALIAS:
        *at = r->buffers[of->life.root];
        if (*at) *at = (char *)*at + place_of(r, id);
        break;
    case WRAP_STORAGE_NONE: break;
    }
    return 0;
}

int exec_point_fixed(exec_run *r)
{
    for (uint32_t i = 0; i < r->w->fixed.count; i++) RT_TRY(point(r, r->w->fixed.at[i]));
    return 0;
}

static int do_place(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_place(r->f, line->index);
}

static int do_scratch(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_make_area(r->f, exec_size(r, line->expr));
}

static int do_alloc(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    RT_TRY(point(r, line->buffer));
    loop_buffer_id id = r->x->companion[line->buffer];
    for (; id != LOOP_NO_BUFFER; id = r->x->next_companion[id]) RT_TRY(point(r, id));
    return 0;
}

static int do_free(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    r->buffers[line->buffer] = NULL;
    return 0;
}

/* ---- kernels and operators ---- */

static int measure(exec_run *r, const wrap_call *call)
{
    RT_TRY(rt_fits(r->f, sym_is_none(call->outer) ? 0 : exec_size(r, call->outer)));
    RT_TRY(rt_fits(r->f, sym_is_none(call->inner) ? 0 : exec_size(r, call->inner)));
    for (uint32_t i = 0; i < call->int_count; i++)
        RT_TRY(rt_fits(r->f, exec_size(r, call->ints[i])));
    return 0;
}

static fe_kernel_args arguments_of(exec_run *r, const wrap_call *call)
{
    void **buffers = r->pointers + r->used.pointers;
    int64_t *ints = r->numbers + r->used.numbers;
    r->used.pointers += call->buffer_count;
    r->used.numbers += call->int_count + (call->check_count > 0);
    if (call->check_count) ints[call->int_count] = r->step->first_check; /* a device's ask for it */
    for (uint32_t i = 0; i < call->buffer_count; i++)
        buffers[i] = call->buffers[i] == LOOP_NO_BUFFER ? NULL : r->buffers[call->buffers[i]];
    for (uint32_t i = 0; i < call->int_count; i++) ints[i] = exec_number(r, call->ints[i]);
    return (fe_kernel_args){buffers, ints, &r->f->fault};
}

static int check_indices(exec_run *r, const wrap_call *call)
{
    if (call->check_count == 0) return 0;
    return r->x->facts.library->services->in_range(r->f, r->step->checks);
}

static int do_kernel(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const wrap_call *call = &line->call;
    (void)next;
    if (!call->buffer_count) return 0; /* it is about no elements */
    if (r->step->may_overflow) RT_TRY(measure(r, call));
    if (r->step->device) {
        fe_kernel_args there = arguments_of(r, call);
        return exec_launch_on(r, call, &there);
    }
    if (r->x->facts.schedule) return exec_interpret(r, call->group);
    fe_kernel_args args = arguments_of(r, call);
    int64_t inner = call->split_inner ? exec_number(r, call->inner) : 0;
    RT_TRY(r->x->facts.library->services->launch(r->f, r->step->kernel, &args,
                                                 exec_number(r, call->outer), inner,
                                                 call->split_inner, call->cost));
    return check_indices(r, call);
}

static void *scratch_of(const exec_run *r, const wrap_scratch *scratch)
{
    char *base = scratch->in == LOOP_NO_BUFFER ? r->f->segments[0].memory : r->buffers[scratch->in];
    return base + scratch->at;
}

static int do_extern(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const loop_op *op = line->op;
    bool interprets = line->call.kernel && r->x->facts.schedule;
    fe_kernel_args args;
    (void)next;
    if (op->callee) return exec_custom(r, line);
    rt_call call = {.in_count = op->input_count,
                    .out_count = loop_result_count(r->w->loops, op),
                    .floats = op->floats,
                    .text = op->message};
    call.in = exec_views(r, op->inputs, line->weights, op->input_count);
    call.out = exec_views(r, op->outputs, NULL, op->output_count);
    if (call.out_count < op->output_count) {
        call.work = call.out[call.out_count].data;
        call.work_bytes = call.out[call.out_count].sizes[0];
    }
    if (line->scratch.bytes && wrap_scratch_each(r->w, line, &call.each)) {
        call.room = scratch_of(r, &line->scratch);
        call.room_bytes = line->scratch.bytes;
    }
    for (uint32_t i = 0; i < op->input_count; i++)
        if (line->weights[i] != WRAP_NO_WEIGHT) call.packed |= 1u << i;
    int64_t *ints = r->numbers + r->used.numbers;
    r->used.numbers += op->int_count;
    for (uint32_t i = 0; i < op->int_count; i++) ints[i] = exec_number(r, op->ints[i]);
    call.ints = ints;
    if (line->call.kernel && !interprets) {
        args = arguments_of(r, &line->call);
        call.epilogue = r->step->kernel;
        call.epilogue_args = &args;
    }
    RT_TRY(r->step->function(r->f, &call));
    if (interprets) return exec_interpret(r, line->call.group);
    return line->call.kernel ? check_indices(r, &line->call) : 0;
}

/* ---- symbols ---- */

static int do_symbol(exec_run *r, const wrap_line *line, uint32_t *next)
{
    int64_t *value = &r->f->symbols[r->step->symbol];
    (void)next;
    if (line->op) {
        const loop_view *element = &line->op->inputs[0];
        const char *at = r->buffers[element->buffer];
        at += exec_number(r, element->offset) * (int64_t)ty_dtype_size(element->dtype);
        loop_convert(TY_I64, value, element->dtype, at);
    } else if (line->input < 0)
        *value = exec_number(r, line->expr);
    else {
        *value = exec_input_number(r, line);
        if (!sym_is_none(line->scale))
            *value = fe_solve(*value, exec_number(r, line->shift), exec_number(r, line->scale),
                              line->power);
    }
    return 0;
}

/* The message, and what its symbols are: "...: u0 = 3, u1 = 7". */
static int do_assert(exec_run *r, const wrap_line *line, uint32_t *next)
{
    char message[RT_ERROR_BYTES];
    int length;
    (void)next;
    if (exec_holds(r, &line->relation)) return 0;
    length = snprintf(message, sizeof message, "%s",
                      line->text ? line->text : "an assertion of the program does not hold");
    for (uint32_t i = 0; i < r->step->named_count && length < (int)sizeof message; i++)
        length += snprintf(message + length, sizeof message - (size_t)length, "%s %s = %lld",
                           i ? "," : ":", sym_name(r->w->loops->symbols, r->step->named[i]),
                           (long long)exec_number(r, r->step->named[i]));
    return rt_fail(r->f, FE_RUN_ASSERTION, "%s", message);
}

static int do_comment(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)r, (void)line, (void)next;
    return 0;
}

/* ---- parts ---- */

/* Somebody else may run it: what it makes has memory by then. */
static int do_partition(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const sched_part *p = line->part;
    uint32_t inputs = p->read_count + p->mutate_count;
    if (!rt_is_replaced(r->f, r->step->part)) return 0;
    for (uint32_t k = 0; k < p->make_count; k++)
        if (r->w->storage[p->makes[k]].is_allocated) RT_TRY(point(r, p->makes[k]));
    fe_tensor *operands = exec_views(r, r->step->operands, NULL, inputs + p->make_count);
    int64_t *symbols = r->numbers + r->used.numbers;
    for (uint32_t k = 0; k < p->symbol_count; k++) symbols[k] = exec_number(r, p->symbols[k]);
    *next = r->step->partner;
    return rt_run_replacement(r->f, r->step->part, operands, operands + inputs, symbols);
}

/* ---- outputs ---- */

static int put_number(exec_run *r, const loop_output *output, uint32_t k)
{
    void *number = rt_output_memory(r->f, k, 8);
    int64_t value = sym_is_none(output->expr) ? 0 : exec_number(r, output->expr);
    if (!number) return rt_fail(r->f, FE_RUN_NO_MEMORY, "no memory for an output");
    if (output->kind == LOOP_OUT_FLOAT)
        *(double *)number = output->number;
    else if (output->kind == LOOP_OUT_BOOL)
        *(uint8_t *)number = value != 0;
    else
        *(int64_t *)number = value;
    rt_output(r->f, k, number, NULL, NULL);
    return 0;
}

static int do_output(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const loop_output *output = &r->w->loops->outputs.at[line->index];
    (void)next;
    if (output->kind != LOOP_OUT_TENSOR) return put_number(r, output, line->index);
    fe_tensor *t = exec_views(r, &output->view, NULL, 1);
    rt_output(r->f, line->index, t->data, t->sizes, t->strides);
    return 0;
}

/* ---- numbers ---- */

static int do_clear(exec_run *r, const wrap_line *line, uint32_t *next)
{
    uint32_t device = exec_device_of(r, line->view->buffer);
    const fe_tensor *t = exec_views(r, line->view, NULL, 1);
    (void)next;
    if (device) return rt_clear_on(r->f, device, t);
    r->x->facts.library->services->clear(t);
    return 0;
}

static int do_check(exec_run *r, const wrap_line *line, uint32_t *next)
{
    uint32_t device = exec_device_of(r, line->view->buffer);
    const fe_tensor *t = exec_views(r, line->view, NULL, 1);
    (void)next;
    if (device) return rt_check_numbers_on(r->f, device, t, line->finite, line->text);
    return r->x->facts.library->services->check_numbers(r->f, t, line->finite, line->text);
}

const exec_line exec_lines[WRAP_KIND_COUNT] = {
    [WRAP_SCRATCH] = do_scratch, [WRAP_PLACE] = do_place,         [WRAP_ALLOC] = do_alloc,
    [WRAP_FREE] = do_free,       [WRAP_REUSE] = do_alloc,         [WRAP_KERNEL] = do_kernel,
    [WRAP_EXTERN] = do_extern,   [WRAP_SYMBOL] = do_symbol,       [WRAP_ASSERT] = do_assert,
    [WRAP_COMMENT] = do_comment, [WRAP_OUTPUT] = do_output,       [WRAP_IF] = exec_region,
    [WRAP_ELSE] = exec_region,   [WRAP_REPEAT] = exec_region,     [WRAP_WHILE] = exec_region,
    [WRAP_END] = exec_region,    [WRAP_PARTITION] = do_partition, [WRAP_CLEAR] = do_clear,
    [WRAP_CHECK] = do_check,     [WRAP_DEVICE] = exec_device,     [WRAP_COPY] = exec_copy,
    [WRAP_WAIT] = exec_wait,     [WRAP_MARK] = exec_mark,         [WRAP_AFTER] = exec_after,
};

/* ---- all of them ---- */

int exec_do_lines(exec_run *r)
{
    RT_TRY(exec_observe_begin(r));
    for (uint32_t at = r->x->input_symbols, next; at < r->w->lines.count; at = next) {
        const wrap_line *line = &r->w->lines.at[at];
        next = at + 1;
        r->step = &r->x->steps[at];
        r->used = (exec_room){0};
        RT_TRY(exec_observe_before(r, at));
        RT_TRY(exec_lines[line->kind](r, line, &next));
        RT_TRY(exec_observe_after(r, at));
    }
    return exec_observe_finish(r);
}
