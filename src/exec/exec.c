/* exec.c -- a program made ready: the tables that generated C has as constants, what each line calls,
 * and a call of it.
 */
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- ports ---- */

static const char *shape_text(exec_program *x, const sym_expr *sizes, uint32_t rank)
{
    text t;
    text_init(&t, x->memory);
    text_char(&t, '[');
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(&t, ", ");
        sym_print(x->w->loops->symbols, sizes[d], &t);
    }
    text_char(&t, ']');
    return t.at;
}

static const int64_t *fixed_dims(exec_program *x, const sym_expr *dims, uint32_t rank)
{
    int64_t *values = NEW_ARRAY(x->memory, int64_t, rank + 1);
    for (uint32_t d = 0; d < rank; d++)
        if (!sym_is_int(x->w->loops->symbols, dims[d], &values[d])) values[d] = -1;
    return values;
}

static fe_port port_of(exec_program *x, const char *name, ty_dtype dtype, uint32_t rank,
                       const sym_expr *sizes, const sym_expr *strides)
{
    return (fe_port){.name = name,
                     .dtype = dtype == TY_NO_DTYPE ? 0 : (uint32_t)ty_dtype_number(dtype),
                     .rank = rank,
                     .sizes = fixed_dims(x, sizes, rank),
                     .strides = fixed_dims(x, strides, rank),
                     .shape_text = shape_text(x, sizes, rank)};
}

static void make_input_ports(exec_program *x)
{
    const loop_program *p = x->w->loops;
    fe_port *ports = NEW_ARRAY(x->memory, fe_port, p->inputs.count + 1);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *input = &p->inputs.at[k];
        const loop_buffer *b = input->is_tensor ? &p->buffers.at[input->buffer] : NULL;
        ports[k] = b ? port_of(x, input->name, b->dtype, b->rank, b->sizes, b->strides)
                     : port_of(x, input->name, input->dtype, 0, NULL, NULL);
    }
    x->program.inputs = ports;
    x->program.input_count = p->inputs.count;
}

typedef struct late_search {
    const exec_program *x;
    bool is_late;
} late_search;

static void look_for_late(void *data, sym_expr symbol)
{
    late_search *search = data;
    search->is_late |= exec_symbol_place(search->x, symbol) >= search->x->input_symbols;
}

static void make_output_ports(exec_program *x)
{
    const loop_program *p = x->w->loops;
    fe_port *ports = NEW_ARRAY(x->memory, fe_port, p->outputs.count + 1);
    uint8_t *late = NEW_ARRAY(x->memory, uint8_t, p->outputs.count + 1);
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *o = &p->outputs.at[k];
        const char *name = arena_printf(x->memory, "output_%u", k);
        ty_dtype number = o->kind == LOOP_OUT_FLOAT  ? TY_F64
                          : o->kind == LOOP_OUT_BOOL ? TY_BOOL
                                                     : TY_I64;
        if (o->kind != LOOP_OUT_TENSOR) {
            ports[k] = port_of(x, name, number, 0, NULL, NULL);
            continue;
        }
        late_search search = {.x = x};
        ports[k] = port_of(x, name, o->view.dtype, o->view.rank, o->view.sizes, o->view.strides);
        for (uint32_t d = 0; d < o->view.rank; d++)
            sym_each_symbol(p->symbols, o->view.sizes[d], look_for_late, &search);
        late[k] = search.is_late;
    }
    x->program.outputs = ports;
    x->program.output_count = p->outputs.count;
    x->program.late_outputs = late;
}

/* ---- weights, states, symbols, segments ---- */

static void make_weights(exec_program *x)
{
    const wrap_program *w = x->w;
    rt_weight *weights = NEW_ARRAY(x->memory, rt_weight, w->weights.count + 1);
    uint32_t *states = NEW_ARRAY(x->memory, uint32_t, w->state_count + 1);
    x->model.weights = NEW_ARRAY(x->memory, void *, w->weights.count + 1);
    for (uint32_t k = 0; k < w->weights.count; k++) {
        const wrap_weight *weight = &w->weights.at[k];
        weights[k] =
            (rt_weight){w->loops->buffers.at[weight->buffer].name, weight->offset, weight->bytes};
        x->model.weights[k] = (char *)(uintptr_t)x->facts.weights + weight->offset;
    }
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (w->state_of[id] >= 0) states[w->state_of[id]] = w->raw_weight[id];
    x->program.weights = weights;
    x->program.weight_count = w->weights.count;
    x->program.weights_bytes = w->weights_bytes;
    x->program.states = states;
    x->program.state_count = w->state_count;
}

/* Those of lines in their order, as in generated C; behind them the steps of repeats. */
static void make_symbols(exec_program *x)
{
    const wrap_program *w = x->w;
    uint32_t count = 0;
    rt_symbol *symbols = NEW_ARRAY(x->memory, rt_symbol, w->lines.count + 1);
    while (x->input_symbols < w->lines.count &&
           wrap_is_input_symbol(&w->lines.at[x->input_symbols]))
        x->input_symbols++;
    for (int steps = 0; steps < 2; steps++)
        for (uint32_t i = 0; i < w->lines.count; i++) {
            const wrap_line *line = &w->lines.at[i];
            bool is_step = line->kind == WRAP_REPEAT && !sym_is_none(line->op->symbol);
            if (steps ? !is_step : line->kind != WRAP_SYMBOL) continue;
            sym_expr symbol = is_step ? line->op->symbol : line->symbol;
            rt_symbol *s = &symbols[count];
            s->name = sym_name(w->loops->symbols, symbol);
            sym_range(w->loops->symbols, symbol, NULL, &s->min, &s->max);
            if (s->min < -INT64_MAX) s->min = -INT64_MAX;
            map_set(x->memory, &x->symbol_places, symbol.id, count);
            x->steps[i].symbol = count++;
        }
    x->program.symbols = symbols;
    x->program.symbol_count = count;
}

/* A segment whose sizes the run knows. */
typedef struct segment_facts {
    const exec_program *x;
    uint32_t number;
    const sym_expr *places; /* by interval: where it begins in its block, in elements; or none */
} segment_facts;

static void measure_segment(const rt_segment *segment, const int64_t *symbols, int64_t *size,
                            int64_t *shift)
{
    const segment_facts *facts = segment->data;
    const wrap_program *w = facts->x->w;
    const wrap_layout *layout = &w->layouts[facts->number];
    for (uint32_t k = 0; k < layout->count + layout->held_count; k++) {
        loop_buffer_id id = layout->buffers[k];
        int64_t element = (int64_t)ty_dtype_size(w->loops->buffers.at[id].dtype);
        size[k] = exec_size_value(facts->x, symbols, w->bytes[id]);
        if (!layout->has_parts) continue;
        shift[k] = sym_is_none(facts->places[k])
                       ? 0
                       : fe_times(exec_size_value(facts->x, symbols, facts->places[k]), element);
    }
}

static const rt_held *held_of(const exec_program *x, const wrap_layout *layout)
{
    rt_held *held = NEW_ARRAY(x->memory, rt_held, layout->held_count + 1);
    for (uint32_t k = 0; k < layout->held_count; k++)
        held[k] = (rt_held){layout->held[k].segment, layout->held[k].slot, layout->held[k].offset};
    return held;
}

static void make_segment(exec_program *x, uint32_t number, rt_segment *out)
{
    const wrap_program *w = x->w;
    const wrap_layout *layout = &w->layouts[number];
    uint32_t *key = NEW_ARRAY(x->memory, uint32_t, layout->symbol_count + 1);
    sym_expr *places = NEW_ARRAY(x->memory, sym_expr, layout->count + layout->held_count + 1);
    for (uint32_t k = 0; k < layout->symbol_count; k++)
        key[k] = exec_symbol_place(x, layout->symbols[k]);
    for (uint32_t k = 0; k < layout->count; k++)
        if (layout->intervals[k].group) places[k] = w->lives[layout->buffers[k]].place;
    segment_facts *facts = NEW(x->memory, segment_facts);
    *facts = (segment_facts){x, number, places};
    *out = (rt_segment){.lives = &layout->lives,
                        .sizes = measure_segment,
                        .has_parts = layout->has_parts,
                        .symbols = key,
                        .symbol_count = layout->symbol_count,
                        .held = held_of(x, layout),
                        .held_count = layout->held_count,
                        .data = facts};
}

static void make_segments(exec_program *x)
{
    const wrap_program *w = x->w;
    rt_segment *segments = NEW_ARRAY(x->memory, rt_segment, w->segment_count + 1);
    for (uint32_t k = 0; k < w->segment_count; k++)
        if (wrap_is_fixed(w, k))
            segments[k].bytes = w->arena_bytes;
        else
            make_segment(x, k, &segments[k]);
    x->program.segments = segments;
    x->program.segment_count = w->segment_count;
}

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
    if (!call->kernel) return FE_OK;
    step->may_overflow = wrap_may_overflow(x->w, call);
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
    uint32_t numbers = line->call.int_count;
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
        ports[k] = port_of(x, b->name, b->dtype, b->rank, b->sizes, b->strides);
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
    const exec_program *x = (const exec_program *)model->program;
    int code = rt_context_new(model, 1, out);
    if (code == 0 && threads != 1) (*out)->pool = x->facts.library->services->pool((int)threads);
    return code;
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
    make_symbols(x);
    make_input_ports(x);
    make_output_ports(x);
    exec_make_donated(x);
    make_weights(x);
    make_segments(x);
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
    if (x) exec_interpreter_free(x->interpreter);
}

const fe_artifact *exec_artifact(const exec_program *x)
{
    return &x->artifact;
}

fe_model *exec_model(exec_program *x)
{
    return &x->model;
}
