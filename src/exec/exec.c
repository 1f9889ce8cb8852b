/* exec.c -- a program made ready: what each line calls, what its parts are, and a call of it. */
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

static void (*find(const rt_function *table, uint32_t count, const char *name))(void)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return table[i].function;
    return NULL;
}

static fe_status missing(exec_program *x, const char *what, const char *name)
{
    bool lapack = loop_extern_needs_lapack(name);
    return diag_fail(x->w->session,
                     (diag){.status = FE_UNSUPPORTED,
                            .stage = "exec",
                            .op = name,
                            .help = lapack ? "a C compiler links it: leave --no-cc out" : NULL},
                     "%s", lapack ? "it needs LAPACK, which this process does not have" : what);
}

static const rt_made *made_by(exec_program *x, const loop_callee *callee)
{
    rt_made *made = NEW_ARRAY(x->memory, rt_made, callee->made_count);
    for (uint32_t k = 0; k < callee->made_count; k++) {
        const loop_made *m = &callee->made[k];
        made[k] = (rt_made){m->result, (uint32_t)ty_dtype_number(m->dtype), m->key};
    }
    return made;
}

static fe_status find_extern(exec_program *x, const wrap_line *line, exec_step *step)
{
    const rt_library *l = x->facts.library;
    const loop_op *op = line->op;
    if (op->callee) {
        step->made = made_by(x, op->callee);
        step->custom = (fe_op_function *)find(l->customs, l->custom_count, op->callee->symbol);
        if (!step->custom && x->facts.custom)
            step->custom = x->facts.custom(x->facts.data, op->callee->symbol);
        return step->custom ? FE_OK
                            : missing(x, "no library has this function", op->callee->symbol);
    }
    step->function = (exec_operator)find(l->operators, l->operator_count, op->kernel);
    return step->function ? FE_OK : missing(x, "this process has no such operator", op->kernel);
}

static fe_status find_kernel(exec_program *x, const wrap_line *line, exec_step *step)
{
    const rt_library *l = x->facts.library;
    const wrap_call *call = &line->call;
    if (!call->kernel || !call->buffer_count) return FE_OK;
    step->may_overflow = wrap_may_overflow(x->w, call);
    if (!ty_is_host(wrap_device_of_call(x->w, call))) return exec_find_device_kernel(x, call, step);
    if (x->facts.schedule) return FE_OK;
    step->kernel = (fe_kernel)find(l->kernels, l->kernel_count, call->kernel);
    return step->kernel ? FE_OK : missing(x, "the library has no such kernel", call->kernel);
}

static void find_named(exec_program *x, const wrap_line *line, exec_step *step)
{
    if (line->kind != WRAP_ASSERT) return;
    step->named_count =
        sym_relation_symbols(x->w->loops->symbols, &line->relation, x->memory, &step->named);
}

static void widen(uint32_t *most, uint32_t count)
{
    if (*most < count) *most = count;
}

static uint32_t numbers_in(const loop_view *views, uint32_t count)
{
    uint32_t numbers = 0;
    for (uint32_t i = 0; i < count; i++) numbers += 2 * views[i].rank;
    return numbers;
}

static void make_room(exec_program *x, const wrap_line *line)
{
    const loop_op *op = line->op;
    uint32_t numbers = line->call.int_count + (line->call.check_count > 0);
    if (line->kind == WRAP_EXTERN) {
        numbers += op->int_count + numbers_in(op->inputs, op->input_count) +
                   numbers_in(op->outputs, op->output_count);
        widen(&x->room.views, op->input_count + op->output_count);
        if (op->callee) widen(&x->room.arguments, (uint32_t)strlen(op->callee->arguments));
    }
    if (line->kind == WRAP_COPY) {
        numbers += numbers_in(op->inputs, 1) + numbers_in(op->outputs, 1);
        widen(&x->room.views, 2);
    }
    if (line->view) {
        numbers += numbers_in(line->view, 1);
        widen(&x->room.views, 1);
    }
    if (line->kind == WRAP_OUTPUT) {
        const loop_output *output = &x->w->loops->outputs.at[line->index];
        if (output->kind == LOOP_OUT_TENSOR) numbers += numbers_in(&output->view, 1);
        widen(&x->room.views, 1);
    }
    widen(&x->room.numbers, numbers);
    widen(&x->room.pointers, line->call.buffer_count);
}

static void copy_checks(exec_program *x, const wrap_call *call, exec_step *step)
{
    step->checks = NEW_ARRAY(x->memory, rt_check, call->check_count + 1);
    for (uint32_t i = 0; i < call->check_count; i++)
        step->checks[i] =
            (rt_check){call->checks[i].dimension, call->checks[i].wraps, call->checks[i].where};
}

/* ---- parts ---- */

static fe_port *buffer_ports(exec_program *x, const loop_buffer_id *first, uint32_t first_count,
                             const loop_buffer_id *second, uint32_t second_count)
{
    fe_port *ports = NEW_ARRAY(x->memory, fe_port, first_count + second_count + 1);
    for (uint32_t k = 0; k < first_count + second_count; k++) {
        loop_buffer_id id = k < first_count ? first[k] : second[k - first_count];
        const loop_buffer *b = &x->w->loops->buffers.at[id];
        ports[k] = exec_port(x, b->name, b->dtype, b->rank, b->sizes, b->strides);
    }
    return ports;
}

static fe_part describe_part(exec_program *x, const wrap_line *line)
{
    const sched_part *p = line->part;
    const char **symbols = NEW_ARRAY(x->memory, const char *, p->symbol_count + 1);
    const char **constants = NEW_ARRAY(x->memory, const char *, p->constant_count + 1);
    for (uint32_t k = 0; k < p->symbol_count; k++)
        symbols[k] = sym_name(x->w->loops->symbols, p->symbols[k]);
    for (uint32_t k = 0; k < p->constant_count; k++)
        constants[k] = x->w->loops->buffers.at[p->constants[k]].name;
    return (fe_part){.name = p->name,
                     .inputs =
                         buffer_ports(x, p->reads, p->read_count, p->mutates, p->mutate_count),
                     .input_count = p->read_count + p->mutate_count,
                     .mutated_count = p->mutate_count,
                     .outputs = buffer_ports(x, p->makes, p->make_count, NULL, 0),
                     .output_count = p->make_count,
                     .symbols = symbols,
                     .symbol_count = p->symbol_count,
                     .constants = constants,
                     .constant_count = p->constant_count,
                     .can_be_replaced = wrap_can_be_replaced(x->w, line)};
}

static void make_operands(exec_program *x, const sched_part *p, exec_step *step)
{
    uint32_t count = 0;
    step->operands =
        NEW_ARRAY(x->memory, loop_view, p->read_count + p->mutate_count + p->make_count + 1);
    for (uint32_t k = 0; k < p->read_count; k++)
        step->operands[count++] = loop_view_of(x->w->loops, p->reads[k]);
    for (uint32_t k = 0; k < p->mutate_count; k++)
        step->operands[count++] = loop_view_of(x->w->loops, p->mutates[k]);
    for (uint32_t k = 0; k < p->make_count; k++)
        step->operands[count++] = loop_view_of(x->w->loops, p->makes[k]);
    widen(&x->room.views, count);
    widen(&x->room.numbers, numbers_in(step->operands, count) + p->symbol_count);
}

static void make_parts(exec_program *x)
{
    const wrap_program *w = x->w;
    fe_part *parts = NEW_ARRAY(x->memory, fe_part, w->lines.count + 1);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind != WRAP_PARTITION) continue;
        x->steps[i].part = x->program.part_count;
        x->steps[i].partner = wrap_end_of_part(w, line);
        make_operands(x, line->part, &x->steps[i]);
        parts[x->program.part_count++] = describe_part(x, line);
    }
    x->program.parts = parts;
}

static fe_status make_steps(exec_program *x)
{
    const wrap_program *w = x->w;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        exec_step *step = &x->steps[i];
        if (line->kind == WRAP_EXTERN) FE_TRY(find_extern(x, line, step));
        FE_TRY(find_kernel(x, line, step));
        find_named(x, line, step);
        if (line->call.check_count) copy_checks(x, &line->call, step);
        make_room(x, line);
    }
    exec_find_partners(x);
    return FE_OK;
}

/* ---- a call ---- */

/* All that a run needs beside its context, in one block. */
static char *run_memory(const exec_program *x, exec_run *r)
{
    const exec_room *room = &x->room;
    size_t buffers = (x->w->loops->buffers.count + 1) * sizeof *r->buffers,
           counters = (x->w->lines.count + 1) * sizeof *r->counters,
           states = (x->facts.observer_count + 1) * sizeof *r->states,
           numbers = (room->numbers + 1) * sizeof *r->numbers,
           pointers = (room->pointers + 1) * sizeof *r->pointers,
           views = (room->views + 1) * sizeof *r->views,
           arguments = (room->arguments + 1) * sizeof *r->arguments;
    char *at = rt_memory_new(buffers + states + counters + numbers + pointers + views + arguments);
    if (!at) return NULL;
    char *block = at;
    memset(block, 0, buffers + states);
    r->buffers = (void **)at;
    r->states = (void **)(at += buffers);
    r->counters = (int64_t *)(at += states);
    r->numbers = (int64_t *)(at += counters);
    r->pointers = (void **)(at += numbers);
    r->views = (fe_tensor *)(at += pointers);
    r->arguments = (fe_arg *)(at + views);
    return block;
}

static int run_lines(exec_run *r)
{
    RT_TRY(exec_check_inputs(r));
    if (r->w->is_dynamic) RT_TRY(rt_place(r->f, 0));
    RT_TRY(exec_point_fixed(r));
    return exec_do_lines(r);
}

static int run(rt_frame *frame)
{
    const exec_program *x = (const exec_program *)frame->context->model->program;
    exec_run r = {.x = x, .w = x->w, .f = frame};
    char *memory = run_memory(x, &r);
    if (!memory) return rt_fail(frame, FE_RUN_NO_MEMORY, "no memory for a run");
    int result = run_lines(&r);
    exec_observe_release(&r);
    rt_memory_free(memory);
    return result;
}

/* ---- the artifact ---- */

/* Operators of a library share its threads. */
static int context_new(const fe_model *model, uint32_t threads, fe_context **out)
{
    exec_program *x = (exec_program *)(uintptr_t)model->program;
    int code = rt_context_new(model, 1, x->message, sizeof x->message, out);
    if (code != 0 || threads == 1) return code;
    fe_context *context = *out;
    context->pool = x->facts.library->services->pool((int)threads);
    if (rt_context_area(context) == 0) return 0;
    rt_context_free(context);
    *out = NULL;
    return FE_RUN_NO_MEMORY;
}

static int no_open(const char *path, fe_model **out)
{
    (void)path;
    *out = NULL;
    return FE_RUN_BAD_WEIGHTS;
}

static int no_open_memory(const void *weights, int64_t bytes, fe_model **out)
{
    (void)weights, (void)bytes;
    *out = NULL;
    return FE_RUN_BAD_WEIGHTS;
}

static void no_close(fe_model *model)
{
    (void)model;
}

static const char *last_error(const fe_context *context)
{
    return context ? context->error : "a program in this process is not opened from a file";
}

static void describe(exec_program *x)
{
    rt_describe(&x->program, &x->artifact);
    x->artifact.open = no_open;
    x->artifact.open_memory = no_open_memory;
    x->artifact.close = no_close;
    x->artifact.context_new = context_new;
    x->artifact.error = last_error;
}

fe_status exec_new(const wrap_program *w, const exec_facts *facts, arena *memory,
                   exec_program **out)
{
    exec_program *x = NEW(memory, exec_program);
    bool fixed = w->segment_count == 1 && !w->is_dynamic;
    x->w = w;
    x->facts = *facts;
    x->memory = memory;
    x->steps = NEW_ARRAY(memory, exec_step, w->lines.count + 1);
    x->program = (rt_program){.name = w->name,
                              .output_bytes = w->is_bounded ? w->output_bytes : NULL,
                              .arena_bytes = fixed ? w->arena_bytes : -1,
                              .arena_lower_bound = fixed ? w->lower_bound : -1,
                              .kernel_calls = w->kernel_calls,
                              .unique_kernels = w->unique_kernels,
                              .run = run};
    exec_make_tables(x);
    FE_TRY(make_steps(x));
    make_parts(x);
    x->model.program = &x->program;
    describe(x);
    if (facts->schedule || facts->is_refereed) x->interpreter = exec_interpreter_new(x);
    *out = x;
    return FE_OK;
}

void exec_free(exec_program *x)
{
    if (x && x->program.device_support) x->program.device_support->close(&x->model);
    if (x) exec_interpreter_free(x->interpreter);
}

const fe_artifact *exec_artifact(const exec_program *x)
{
    return &x->artifact;
}

const char *exec_error(const exec_program *x)
{
    return x->message;
}

fe_model *exec_model(exec_program *x)
{
    return &x->model;
}
