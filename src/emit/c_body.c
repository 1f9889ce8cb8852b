/* c_body.c -- wrapper lines as C: the `run` function of a generated program. */
#include "emit/c.h"

static void print_expr(emit_state *s, sym_expr e)
{
    sym_print_c(s->w->loops->symbols, e, &s->out);
}

static void print_exprs(emit_state *s, const sym_expr *exprs, uint32_t count)
{
    text_add(&s->out, "(const int64_t[]){");
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(&s->out, ", ");
        print_expr(s, exprs[i]);
    }
    text_add(&s->out, count ? "}" : "0}");
}

static const char *pointer_type(emit_state *s, loop_buffer_id id)
{
    return ty_dtype_c_name(s->w->loops->buffers.at[id].dtype);
}

/* ---- buffers ---- */

void emit_c_pointer(emit_state *s, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER)
        text_add(&s->out, "0");
    else
        text_add(&s->out, s->names[id]);
}

/* + how far behind the root's start it begins. */
static void print_place(emit_state *s, loop_buffer_id id)
{
    if (sym_is_none(s->w->storage[id].life.place)) return;
    text_add(&s->out, " + (");
    print_expr(s, s->w->storage[id].life.place);
    text_printf(&s->out, ") * %u", ty_dtype_size(s->w->loops->buffers.at[id].dtype));
}

/* Where a buffer of the arena lies. */
static void print_arena(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    uint32_t segment = w->storage[id].segment;
    if (segment)
        text_printf(&s->out, "(void *)(f->segments[%u].memory", segment);
    else
        text_add(&s->out, "(void *)(arena");
    if (wrap_is_fixed(w, segment))
        text_printf(&s->out, " + %lld", (long long)w->storage[id].offset);
    else
        text_printf(&s->out, " + f->segments[%u].offsets[%u]", segment, w->storage[id].slot);
    if (!wrap_offset_has_place(w, id)) print_place(s, id);
    text_add(&s->out, ");\n");
}

/* Declares a buffer's pointer where its memory is known: inputs and weights at the top, temps at
 * their allocation. */
void emit_c_declare(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    text_printf(&s->out, "    %s *const %s = ", pointer_type(s, id), s->names[id]);
    const wrap_storage *of = &w->storage[id];
    switch (of->kind) {
    case WRAP_STORAGE_ARENA: print_arena(s, id); break;
    case WRAP_STORAGE_OUTPUT:
        text_printf(&s->out, "rt_output_memory(f, %d, ", of->output);
        sym_print_c_size(w->loops->symbols, of->bytes, &s->out);
        text_printf(
            &s->out,
            ");\n    if (!%s) return rt_fail(f, FE_RUN_NO_MEMORY, \"no memory for an output\");\n",
            s->names[id]);
        break;
    case WRAP_STORAGE_ALIAS:
        text_printf(&s->out, "(void *)((char *)%s", s->names[of->life.root]);
        print_place(s, id);
        text_add(&s->out, ");\n");
        break;
    default:
        text_printf(&s->out, "f->%ss[%u];\n", wrap_storage_name(of->kind),
                    wrap_storage_number(w, id));
    }
}

/* Everything else: these stand at the top of run, after the symbols. */
void emit_c_declare_fixed(emit_state *s)
{
    const wrap_program *w = s->w;
    for (uint32_t i = 0; i < w->fixed.count; i++) emit_c_declare(s, w->fixed.at[i]);
    for (uint32_t i = 0; i < w->fixed.count; i++)
        if (w->storage[w->fixed.at[i]].kind != WRAP_STORAGE_WEIGHT)
            text_printf(&s->out, "    (void)%s;\n", s->names[w->fixed.at[i]]);
}

/* ---- lines ---- */

static void c_place(emit_state *s, const wrap_line *line)
{
    text_printf(&s->out, "    RT_TRY(rt_place(f, %u));\n", line->index);
}

static void c_scratch(emit_state *s, const wrap_line *line)
{
    text_add(&s->out, "    RT_TRY(rt_make_area(f, ");
    sym_print_c_size(s->w->loops->symbols, line->expr, &s->out);
    text_add(&s->out, "));\n");
}

/* In an output's memory, all that lie there are declared at once. */
static void c_alloc(emit_state *s, const wrap_line *line)
{
    const wrap_program *w = s->w;
    emit_c_declare(s, line->buffer);
    text_printf(&s->out, "    (void)%s;\n", s->names[line->buffer]);
    if (w->storage[line->buffer].life.in_arena) return;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        if (!wrap_comes_with(w, id, line->buffer)) continue;
        emit_c_declare(s, id);
        text_printf(&s->out, "    (void)%s;\n", s->names[id]);
    }
}

static void c_free(emit_state *s, const wrap_line *line)
{
    text_printf(&s->out, "    /* %s ends here */\n", s->names[line->buffer]);
}

static void c_reuse(emit_state *s, const wrap_line *line)
{
    text_printf(&s->out, "    /* %s takes the place of %s */\n", s->names[line->buffer],
                s->names[line->old_buffer]);
    c_alloc(s, line);
}

void emit_c_kernel_args(emit_state *s, const wrap_call *call)
{
    text_add(&s->out, "&(fe_kernel_args){(void *const[]){");
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        if (i) text_add(&s->out, ", ");
        emit_c_pointer(s, call->buffers[i]);
    }
    text_add(&s->out, call->buffer_count ? "}, " : "0}, ");
    bool is_numbered = call->check_count && emit_c_is_elsewhere(s, call);
    text_add(&s->out, "(const int64_t[]){");
    for (uint32_t i = 0; i < call->int_count; i++) {
        text_add(&s->out, i ? ", " : "");
        print_expr(s, call->ints[i]);
    }
    if (is_numbered)
        text_printf(&s->out, "%s%u", call->int_count ? ", " : "", wrap_first_check(s->w, call));
    text_add(&s->out, call->int_count || is_numbered ? "}" : "0}");
    text_add(&s->out, call->check_count ? ", &f->fault}" : ", 0}");
}

void emit_c_check(emit_state *s, const wrap_check_row *check)
{
    text_printf(&s->out, "{%d, %d, ", check->dimension, check->wraps);
    emit_c_text(&s->out, check->where);
    text_char(&s->out, '}');
}

/* Nothing else runs on what a kernel left unfinished. */
static void print_checks(emit_state *s, const wrap_call *call)
{
    if (!call->check_count) return;
    text_add(&s->out, "    RT_TRY(rt_in_range(f, (const rt_check[]){");
    for (uint32_t i = 0; i < call->check_count; i++) {
        text_add(&s->out, i ? ", " : "");
        emit_c_check(s, &call->checks[i]);
    }
    text_add(&s->out, "}));\n");
}

/* Loops over something that is nowhere in memory have not been measured by anybody yet. */
static void guard_size(emit_state *s, sym_expr e)
{
    if (!wrap_may_overflow_in(s->w, e)) return;
    text_add(&s->out, "    RT_TRY(rt_fits(f, ");
    sym_print_c_size(s->w->loops->symbols, e, &s->out);
    text_add(&s->out, "));\n");
}

void emit_c_step(emit_state *s)
{
    if (s->input->profile) text_printf(&s->out, "    rt_step(f, %u);\n", s->step);
}

static void c_kernel(emit_state *s, const wrap_line *line)
{
    const wrap_call *call = &line->call;
    emit_c_step(s);
    if (!call->buffer_count) return; /* it is about no elements */
    guard_size(s, call->outer);
    guard_size(s, call->inner);
    for (uint32_t i = 0; i < call->int_count; i++) guard_size(s, call->ints[i]);
    if (emit_c_is_elsewhere(s, call)) {
        emit_c_launch_on(s, call);
        return;
    }
    text_printf(&s->out, "    RT_TRY(rt_launch(f, %s, ", call->kernel);
    emit_c_kernel_args(s, call);
    text_add(&s->out, ", ");
    print_expr(s, call->outer);
    text_add(&s->out, ", ");
    if (call->split_inner)
        print_expr(s, call->inner);
    else
        text_add(&s->out, "0");
    text_printf(&s->out, ", %d, %lld));\n", call->split_inner, (long long)call->cost);
    print_checks(s, call);
}

static void print_view(emit_state *s, const loop_view *view, uint32_t weight)
{
    if (view->buffer == LOOP_NO_BUFFER) {
        text_add(&s->out, "{0}");
        return;
    }
    text_add(&s->out, "{");
    if (weight != WRAP_NO_WEIGHT)
        text_printf(&s->out, "f->weights[%u]", weight);
    else
        emit_c_pointer(s, view->buffer);
    int64_t offset = 0;
    if (weight == WRAP_NO_WEIGHT &&
        (!sym_is_int(s->w->loops->symbols, view->offset, &offset) || offset != 0)) {
        text_add(&s->out, " + ");
        print_expr(s, view->offset);
    }
    text_printf(&s->out, ", %d, %u, ", ty_dtype_number(view->dtype), view->rank);
    print_exprs(s, view->sizes, view->rank);
    text_add(&s->out, ", ");
    print_exprs(s, view->strides, view->rank);
    text_add(&s->out, "}");
}

void emit_c_view(emit_state *s, const loop_view *view)
{
    print_view(s, view, WRAP_NO_WEIGHT);
}

void emit_c_views(emit_state *s, const loop_view *views, const uint32_t *weights, uint32_t count)
{
    text_char(&s->out, '{');
    for (uint32_t i = 0; i < count; i++) {
        text_add(&s->out, i ? ",\n            " : "");
        print_view(s, &views[i], weights ? weights[i] : WRAP_NO_WEIGHT);
    }
    text_add(&s->out, count ? "}" : "{0}}");
}

static void print_views(emit_state *s, const char *field, const loop_view *views,
                        const uint32_t *weights, uint32_t count)
{
    text_printf(&s->out, "        .%s = (const fe_tensor[])", field);
    emit_c_views(s, views, weights, count);
    text_printf(&s->out, ",\n        .%s_count = %u,\n", field, count);
}

static void print_work(emit_state *s, const loop_op *op)
{
    const loop_view *work = loop_workspace_of(s->w->loops, op);
    if (!work) return;
    text_add(&s->out, "        .work = ");
    emit_c_pointer(s, work->buffer);
    text_add(&s->out, ",\n        .work_bytes = ");
    print_expr(s, work->sizes[0]);
    text_add(&s->out, ",\n");
}

static void print_scratch(emit_state *s, const wrap_line *line)
{
    const wrap_scratch *scratch = &line->scratch;
    int64_t each;
    if (!scratch->bytes || !wrap_scratch_each(s->w, line, &each)) return;
    text_add(&s->out, "        .room = ");
    if (scratch->in == LOOP_NO_BUFFER)
        text_printf(&s->out, "arena + %lld", (long long)scratch->at);
    else
        text_printf(&s->out, "(char *)%s + %lld", s->names[scratch->in], (long long)scratch->at);
    text_printf(&s->out, ",\n        .room_bytes = %lld,\n        .each = %lld,\n",
                (long long)scratch->bytes, (long long)each);
}

const char *emit_operator(emit_state *s, const loop_op *op)
{
    if (!loop_can(op, LOOP_TYPED)) return op->kernel;
    ty_dtype dtype = s->w->loops->buffers.at[op->outputs[0].buffer].dtype;
    return arena_printf(s->memory, "%s_%s", op->kernel, ty_dtype_name(dtype));
}

static void c_extern(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    uint32_t packed = 0;
    emit_c_step(s);
    if (op->callee) {
        emit_c_custom(s, line);
        return;
    }
    for (uint32_t i = 0; i < op->input_count; i++)
        if (line->weights[i] != WRAP_NO_WEIGHT) packed |= 1u << i;
    text_printf(&s->out, "    RT_TRY(rt_op_%s(f, &(rt_call){\n", emit_operator(s, op));
    print_views(s, "in", op->inputs, line->weights, op->input_count);
    print_views(s, "out", op->outputs, NULL, loop_result_count(s->w->loops, op));
    print_work(s, op);
    print_scratch(s, line);
    if (packed) text_printf(&s->out, "        .packed = %u,\n", packed);
    text_add(&s->out, "        .ints = ");
    print_exprs(s, op->ints, op->int_count);
    text_add(&s->out, ",\n        .floats = (const double[]){");
    for (uint32_t i = 0; i < op->float_count; i++) {
        if (i) text_add(&s->out, ", ");
        emit_c_double(&s->out, op->floats[i]);
    }
    text_add(&s->out, op->float_count ? "},\n" : "0},\n");
    if (op->message) {
        text_add(&s->out, "        .text = ");
        emit_c_text(&s->out, op->message);
        text_add(&s->out, ",\n");
    }
    if (line->call.kernel) {
        text_printf(&s->out,
                    "        .epilogue = %s,\n        .epilogue_args = ", line->call.kernel);
        emit_c_kernel_args(s, &line->call);
        text_add(&s->out, ",\n");
    }
    text_add(&s->out, "    }));\n");
    if (line->call.kernel) print_checks(s, &line->call);
}

/* The number that an input gives: one of its sizes or strides, or itself. */
const char *emit_c_source(const emit_state *s, const wrap_line *line)
{
    if (line->is_stride)
        return arena_printf(s->memory, "rt_stride(&f->in[%d], %d)", line->input, line->dimension);
    if (line->dimension >= 0)
        return arena_printf(s->memory, "f->in[%d].sizes[%d]", line->input, line->dimension);
    bool is_bool = s->w->loops->inputs.at[line->input].dtype == TY_BOOL;
    return arena_printf(s->memory, "*(const %s *)f->inputs[%d]", is_bool ? "uint8_t" : "int64_t",
                        line->input);
}

void emit_c_symbol(emit_state *s, const wrap_line *line)
{
    const char *name = sym_name(s->w->loops->symbols, line->symbol);
    text_printf(&s->out, "    const int64_t %s = f->symbols[%u] = ", name,
                emit_c_symbol_index(s, line->symbol));
    if (line->op) {
        const loop_view *element = &line->op->inputs[0];
        text_printf(&s->out, "(int64_t)((const %s *)", ty_dtype_c_name(element->dtype));
        emit_c_pointer(s, element->buffer);
        text_add(&s->out, ")[");
        print_expr(s, element->offset);
        text_char(&s->out, ']');
    } else if (line->input < 0)
        print_expr(s, line->expr);
    else if (sym_is_none(line->scale))
        text_add(&s->out, emit_c_source(s, line));
    else {
        text_printf(&s->out, "fe_solve(%s, ", emit_c_source(s, line));
        print_expr(s, line->shift);
        text_add(&s->out, ", ");
        print_expr(s, line->scale);
        text_printf(&s->out, ", %u)", line->power > 1 ? line->power : 1);
    }
    text_printf(&s->out, ";\n    (void)%s;\n", name);
}

/* The message, and what its symbols are: "...: u0 = 3, u1 = 7". */
void emit_c_assert(emit_state *s, const wrap_line *line)
{
    const sym_table *t = s->w->loops->symbols;
    sym_expr *symbols;
    uint32_t count = sym_relation_symbols(t, &line->relation, s->memory, &symbols);
    text_add(&s->out, "    if (!(");
    sym_print_c_relation(t, &line->relation, &s->out);
    text_add(&s->out, "))\n        return rt_fail(f, FE_RUN_ASSERTION, \"%s");
    for (uint32_t i = 0; i < count; i++)
        text_printf(&s->out, "%s %s = %%lld", i ? "," : ":", sym_name(t, symbols[i]));
    text_add(&s->out, "\", ");
    emit_c_text(&s->out, line->text ? line->text : "an assertion of the program does not hold");
    for (uint32_t i = 0; i < count; i++)
        text_printf(&s->out, ", (long long)%s", sym_name(t, symbols[i]));
    text_add(&s->out, ");\n");
}

static void c_comment(emit_state *s, const wrap_line *line)
{
    text said;
    text_init(&said, s->memory);
    text_plain(&said, line->text);
    text_add(&s->out, "\n    /* ");
    for (const char *c = said.length ? said.at : ""; *c; c++)
        text_add(&s->out, c[0] == '*' && c[1] == '/' ? "* " : (const char[]){*c, 0});
    text_add(&s->out, " */\n");
}

static void c_output(emit_state *s, const wrap_line *line)
{
    const loop_output *output = &s->w->loops->outputs.at[line->index];
    uint32_t k = line->index;
    emit_c_leave_parts(s);
    if (output->kind == LOOP_OUT_TENSOR) {
        text_printf(&s->out, "    rt_output(f, %u, ", k);
        emit_c_pointer(s, output->view.buffer);
        text_add(&s->out, " + ");
        print_expr(s, output->view.offset);
        text_add(&s->out, ", ");
        print_exprs(s, output->view.sizes, output->view.rank);
        text_add(&s->out, ", ");
        print_exprs(s, output->view.strides, output->view.rank);
        text_add(&s->out, ");\n");
        return;
    }
    const char *type = output->kind == LOOP_OUT_FLOAT  ? "double"
                       : output->kind == LOOP_OUT_BOOL ? "uint8_t"
                                                       : "int64_t";
    text_printf(&s->out, "    {\n        %s *const number = rt_output_memory(f, %u, 8);\n", type,
                k);
    text_add(
        &s->out,
        "        if (!number) return rt_fail(f, FE_RUN_NO_MEMORY, \"no memory for an output\");\n"
        "        *number = ");
    if (output->kind == LOOP_OUT_FLOAT)
        emit_c_double(&s->out, output->number);
    else if (sym_is_none(output->expr))
        text_add(&s->out, "0");
    else
        print_expr(s, output->expr);
    text_printf(&s->out, ";\n        rt_output(f, %u, number, 0, 0);\n    }\n", k);
}

static void c_clear(emit_state *s, const wrap_line *line)
{
    uint32_t device = emit_c_device_of(s, line->view);
    if (device)
        text_printf(&s->out, "    RT_TRY(rt_clear_on(f, %u, &(fe_tensor)", device);
    else
        text_add(&s->out, "    rt_clear(&(fe_tensor)");
    emit_c_view(s, line->view);
    text_add(&s->out, device ? "));\n" : ");\n");
}

static void c_check(emit_state *s, const wrap_line *line)
{
    if (line->of_output) emit_c_leave_parts(s);
    uint32_t device = emit_c_device_of(s, line->view);
    if (device)
        text_printf(&s->out, "    RT_TRY(rt_check_numbers_on(f, %u, &(fe_tensor)", device);
    else
        text_add(&s->out, "    RT_TRY(rt_check_numbers(f, &(fe_tensor)");
    emit_c_view(s, line->view);
    text_printf(&s->out, ", %d, ", line->finite);
    emit_c_text(&s->out, line->text);
    text_add(&s->out, "));\n");
}

const emit_target emit_target_c = {
    .name = "c",
    .reserved = emit_c_words,
    .begin = emit_c_begin,
    .line =
        {
            [WRAP_PLACE] = c_place,        [WRAP_ALLOC] = c_alloc,
            [WRAP_FREE] = c_free,          [WRAP_REUSE] = c_reuse,
            [WRAP_KERNEL] = c_kernel,      [WRAP_EXTERN] = c_extern,
            [WRAP_SYMBOL] = emit_c_symbol, [WRAP_ASSERT] = emit_c_assert,
            [WRAP_COMMENT] = c_comment,    [WRAP_OUTPUT] = c_output,
            [WRAP_IF] = emit_c_region,     [WRAP_ELSE] = emit_c_region,
            [WRAP_REPEAT] = emit_c_region, [WRAP_WHILE] = emit_c_region,
            [WRAP_END] = emit_c_region,    [WRAP_PARTITION] = emit_c_partition,
            [WRAP_CLEAR] = c_clear,        [WRAP_CHECK] = c_check,
            [WRAP_DEVICE] = emit_c_device, [WRAP_COPY] = emit_c_copy,
            [WRAP_WAIT] = emit_c_wait,     [WRAP_SCRATCH] = c_scratch,
            [WRAP_MARK] = emit_c_mark,     [WRAP_AFTER] = emit_c_after,
        },
    .end = emit_c_end,
};
