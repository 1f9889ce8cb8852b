/* fx_lines.c -- the other lines in the FX printer, and what stands around them. */
#include "emit/fx.h"

/* ---- memory ---- */

/* Buffers are allocated one by one: where they would lie in an arena is no one's business here. What
 * operators work in is their own. */
static void place_line(emit_state *s, const wrap_line *line)
{
    (void)s, (void)line;
}

static void alloc_line(emit_state *s, const wrap_line *line)
{
    emit_fx_declare(s, line->buffer);
    for (loop_buffer_id id = 0; id < s->w->loops->buffers.count; id++)
        if (wrap_comes_with(s->w, id, line->buffer)) emit_fx_declare(s, id);
}

static void end_life(emit_state *s, loop_buffer_id id)
{
    text args;
    emit_fx_text(s, &args);
    emit_fx_buffer(s, id, &args);
    emit_fx_call(s, emit_fx_fresh(s, "delete"), "ferrite.delete", &args, NULL);
}

static void free_line(emit_state *s, const wrap_line *line)
{
    end_life(s, line->buffer);
}

static void reuse_line(emit_state *s, const wrap_line *line)
{
    alloc_line(s, line);
}

/* ---- symbols ---- */

static void print_source(emit_state *s, const wrap_line *line, const char *name)
{
    text args;
    const char *input = arena_printf(s->memory, "given__%d", line->input);
    emit_fx_text(s, &args);
    emit_fx_ref(s, input, &args);
    if (line->dimension >= 0) text_printf(&args, ", %d", line->dimension);
    emit_fx_call(s, name,
                 line->is_stride        ? "ferrite.stride"
                 : line->dimension >= 0 ? "ferrite.size"
                                        : "ferrite.number",
                 &args, NULL);
}

void emit_fx_symbol(emit_state *s, const wrap_line *line)
{
    const char *name = sym_name(s->w->loops->symbols, line->symbol);
    text args;
    emit_fx_text(s, &args);
    if (line->op) {
        emit_fx_view(s, &line->op->inputs[0], WRAP_NO_WEIGHT, &args);
        emit_fx_call(s, name, "ferrite.item", &args, NULL);
    } else if (line->input < 0) {
        emit_fx_expr(s, line->expr, &args);
        emit_fx_call(s, name, "ferrite.same", &args, NULL);
    } else if (sym_is_none(line->scale))
        print_source(s, line, name);
    else {
        const char *given = emit_fx_fresh(s, name);
        print_source(s, line, given);
        emit_fx_ref(s, given, &args);
        text_add(&args, ", ");
        emit_fx_expr(s, line->shift, &args);
        text_add(&args, ", ");
        emit_fx_expr(s, line->scale, &args);
        if (line->power > 1) text_printf(&args, ", %u", line->power);
        emit_fx_call(s, name, "ferrite.solve", &args, NULL);
    }
}

static void assert_line(emit_state *s, const wrap_line *line)
{
    const sym_table *t = s->w->loops->symbols;
    sym_expr *symbols;
    uint32_t count = sym_relation_symbols(t, &line->relation, s->memory, &symbols);
    text args, kwargs;
    emit_fx_text(s, &args);
    emit_fx_text(s, &kwargs);
    emit_fx_relation(s, &line->relation, &args);
    text_add(&args, ", ");
    emit_fx_string(&args, line->text ? line->text : "an assertion of the program does not hold");
    for (uint32_t i = 0; i < count; i++) {
        text_printf(&kwargs, "%s\"%s\": ", i ? ", " : "", sym_name(t, symbols[i]));
        emit_fx_expr(s, symbols[i], &kwargs);
    }
    emit_fx_call(s, emit_fx_fresh(s, "check"), "ferrite.check", &args, &kwargs);
}

static void comment_line(emit_state *s, const wrap_line *line)
{
    emit_fx_note(s, line->text);
}

/* ---- numbers ---- */

static void clear_line(emit_state *s, const wrap_line *line)
{
    text args;
    emit_fx_text(s, &args);
    emit_fx_view(s, line->view, WRAP_NO_WEIGHT, &args);
    emit_fx_call(s, emit_fx_fresh(s, "clear"), "ferrite.clear", &args, NULL);
}

static void check_line(emit_state *s, const wrap_line *line)
{
    text args;
    if (line->of_output) emit_fx_leave_part(s);
    emit_fx_text(s, &args);
    emit_fx_view(s, line->view, WRAP_NO_WEIGHT, &args);
    text_add(&args, line->finite ? ", true, " : ", false, ");
    emit_fx_string(&args, line->text);
    emit_fx_call(s, emit_fx_fresh(s, "check"), "ferrite.check_numbers", &args, NULL);
}

/* ---- inputs ---- */

static void known_dims(emit_state *s, const sym_expr *dims, uint32_t rank, text *out)
{
    text_char(out, '[');
    for (uint32_t d = 0; d < rank; d++) {
        int64_t value;
        if (!sym_is_int(s->w->loops->symbols, dims[d], &value)) value = -1;
        text_printf(out, "%s%lld", d ? ", " : "", (long long)value);
    }
    text_char(out, ']');
}

/* given__K = ferrite.input(placeholder, name, dtype, sizes, strides, shape, is a number) */
static void print_input(emit_state *s, uint32_t k)
{
    const loop_input *input = &s->w->loops->inputs.at[k];
    const loop_buffer *b = input->is_tensor ? &s->w->loops->buffers.at[input->buffer] : NULL;
    ty_dtype dtype = b ? b->dtype : input->dtype;
    uint32_t rank = b ? b->rank : 0;
    text args, shape;
    const char *given = arena_printf(s->memory, "arg__%u", k);
    emit_fx_text(s, &args);
    emit_fx_text(s, &shape);
    if (input->taken) {
        emit_fx_ref(s, arena_printf(s->memory, "given__%u", input->of), &args);
        emit_fx_call(s, given,
                     input->taken == LOOP_START_OF ? "ferrite.start_of" : "ferrite.storage_of",
                     &args, NULL);
        emit_fx_text(s, &args);
    } else
        emit_fx_node(s, "placeholder", given, given, NULL, NULL);
    emit_fx_ref(s, given, &args);
    text_add(&args, ", ");
    emit_fx_string(&args, input->name);
    text_add(&args, ", ");
    if (dtype == TY_NO_DTYPE)
        text_add(&args, "null");
    else
        emit_fx_dtype(dtype, &args);
    text_add(&args, ", ");
    known_dims(s, b ? b->sizes : NULL, rank, &args);
    text_add(&args, ", ");
    known_dims(s, b ? b->strides : NULL, rank, &args);
    text_char(&shape, '[');
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(&shape, ", ");
        sym_print(s->w->loops->symbols, b->sizes[d], &shape);
    }
    text_char(&shape, ']');
    text_add(&args, ", ");
    emit_fx_string(&args, shape.at);
    text_printf(&args, ", %s", b ? "false" : "true");
    if (b && !ty_is_host(b->device)) {
        text_add(&args, ", ");
        emit_fx_device_name(b->device, &args);
    }
    emit_fx_call(s, b ? s->names[input->buffer] : arena_printf(s->memory, "given__%u", k),
                 "ferrite.input", &args, NULL);
    if (!b) return;
    emit_fx_text(s, &args);
    emit_fx_ref(s, s->names[input->buffer], &args);
    emit_fx_call(s, arena_printf(s->memory, "given__%u", k), "ferrite.same", &args, NULL);
}

/* ferrite.check_size(input, name, dimension, expected, text), and so on */
static void check_dim(emit_state *s, const char *target, uint32_t k, uint32_t d, sym_expr e)
{
    text args, shown;
    if (sym_is_int(s->w->loops->symbols, e, NULL)) return;
    emit_fx_text(s, &args);
    emit_fx_text(s, &shown);
    emit_fx_ref(s, arena_printf(s->memory, "given__%u", k), &args);
    text_add(&args, ", ");
    emit_fx_string(&args, s->w->loops->inputs.at[k].name);
    text_printf(&args, ", %u, ", d);
    emit_fx_expr(s, e, &args);
    text_add(&args, ", ");
    sym_print(s->w->loops->symbols, e, &shown);
    emit_fx_string(&args, shown.at);
    emit_fx_call(s, emit_fx_fresh(s, "check"), target, &args, NULL);
}

static void check_range(emit_state *s, const wrap_line *line)
{
    int64_t min, max;
    text args;
    const char *name = sym_name(s->w->loops->symbols, line->symbol);
    sym_range(s->w->loops->symbols, line->symbol, NULL, &min, &max);
    if (!wrap_asks_range(line, min, max)) return;
    emit_fx_text(s, &args);
    emit_fx_ref(s, arena_printf(s->memory, "given__%d", line->input), &args);
    text_add(&args, ", ");
    emit_fx_string(&args, s->w->loops->inputs.at[line->input].name);
    if (line->dimension < 0)
        text_add(&args, ", null, ");
    else
        text_printf(&args, ", %d, ", line->dimension);
    emit_fx_ref(s, name, &args);
    text_printf(&args, ", \"%s\"", name);
    text_printf(&args, min == SYM_NO_MIN ? ", null" : ", %lld", (long long)min);
    text_printf(&args, max == SYM_NO_MAX ? ", null" : ", %lld", (long long)max);
    text_printf(&args, ", %s", sym_is_none(line->scale) ? "false" : "true");
    if (line->is_stride) text_add(&args, ", \"stride\"");
    emit_fx_call(s, emit_fx_fresh(s, "check"), "ferrite.check_range", &args, NULL);
}

static void check_number(emit_state *s, uint32_t k)
{
    const loop_input *input = &s->w->loops->inputs.at[k];
    text args;
    if (input->dtype == TY_NO_DTYPE) return;
    if (input->dtype != TY_F64 && sym_op_of(s->w->loops->symbols, input->expr) == SYM_SYMBOL)
        return;
    emit_fx_text(s, &args);
    emit_fx_ref(s, arena_printf(s->memory, "given__%u", k), &args);
    text_add(&args, ", ");
    emit_fx_string(&args, input->name);
    text_add(&args, ", ");
    if (input->dtype == TY_F64)
        emit_fx_double(&args, input->number);
    else
        emit_fx_expr(s, input->expr, &args);
    emit_fx_call(s, emit_fx_fresh(s, "check"), "ferrite.check_number", &args, NULL);
}

static void print_given(emit_state *s, uint32_t k, text *out)
{
    const loop_input *input = &s->w->loops->inputs.at[k];
    text_char(out, '[');
    emit_fx_string(out, input->name);
    text_add(out, ", ");
    emit_fx_ref(s, arena_printf(s->memory, "given__%u", k), out);
    text_char(out, ']');
}

/* What gets a new value is nobody else's memory. */
static void check_mutated(emit_state *s)
{
    const loop_program *p = s->w->loops;
    for (uint32_t k = wrap_next_mutated(s->w, 0); k < p->inputs.count;
         k = wrap_next_mutated(s->w, k + 1)) {
        text args;
        const char *before = "";
        emit_fx_text(s, &args);
        print_given(s, k, &args);
        text_add(&args, ", [");
        for (uint32_t other = 0; other < p->inputs.count; other++) {
            if (other == k || !p->inputs.at[other].is_tensor) continue;
            if (p->inputs.at[k].taken && p->inputs.at[k].of == other) continue;
            text_add(&args, before);
            print_given(s, other, &args);
            before = ", ";
        }
        text_char(&args, ']');
        emit_fx_call(s, emit_fx_fresh(s, "check"), "ferrite.check_apart", &args, NULL);
    }
}

static void print_checks(emit_state *s)
{
    const loop_program *p = s->w->loops;
    for (uint32_t i = 0; i < s->w->lines.count && wrap_is_input_symbol(&s->w->lines.at[i]); i++)
        check_range(s, &s->w->lines.at[i]);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        if (!p->inputs.at[k].is_tensor) {
            check_number(s, k);
            continue;
        }
        const loop_buffer *b = &p->buffers.at[p->inputs.at[k].buffer];
        for (uint32_t d = 0; d < b->rank; d++)
            check_dim(s, "ferrite.check_size", k, d, b->sizes[d]);
        for (uint32_t d = 0; d < b->rank; d++)
            check_dim(s, "ferrite.check_stride", k, d, b->strides[d]);
    }
    check_mutated(s);
}

/* ---- outputs ---- */

static void print_value(emit_state *s, const loop_output *output, text *out)
{
    switch (output->kind) {
    case LOOP_OUT_TENSOR: emit_fx_view(s, &output->view, WRAP_NO_WEIGHT, out); break;
    case LOOP_OUT_FLOAT: emit_fx_double(out, output->number); break;
    case LOOP_OUT_STRING: emit_fx_string(out, output->string); break;
    case LOOP_OUT_NONE: text_add(out, "null"); break;
    case LOOP_OUT_BOOL:
        text_add(out, "{\"bool\": ");
        emit_fx_expr(s, output->expr, out);
        text_char(out, '}');
        break;
    default: emit_fx_expr(s, output->expr, out);
    }
}

/* All are gathered with the first: they stand at the end. */
static void output_line(emit_state *s, const wrap_line *line)
{
    const loop_program *p = s->w->loops;
    text args;
    if (line->index) return;
    emit_fx_leave_part(s);
    emit_fx_text(s, &args);
    text_char(&args, '[');
    emit_fx_note(s, NULL);
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        if (k) text_add(&args, ", ");
        print_value(s, &p->outputs.at[k], &args);
    }
    text_char(&args, ']');
    emit_fx_node(s, "output", "output", "output", &args, NULL);
}

/* ---- begin and end ---- */

static void print_kernels(emit_state *s)
{
    const emit_input *in = s->input;
    text ir;
    if (!in->kernel_count) return;
    text_add(&s->out, "\"kernels\": {");
    for (uint32_t i = 0; i < in->kernel_count; i++) {
        emit_fx_text(s, &ir);
        in->kernel_ir(in->data, in->kernels[i].number, &ir);
        text_printf(&s->out, "%s\n  \"%s\": ", i ? "," : "", in->kernels[i].name);
        emit_fx_string(&s->out, ir.at);
    }
    text_add(&s->out, "},\n");
}

/* The numbers of inputs that a run overwrites. */
static void print_donated(emit_state *s)
{
    uint32_t inputs = s->w->loops->inputs.count, k = wrap_next_overwritten(s->w, 0);
    if (k == inputs) return;
    text_printf(&s->out, "\"donated\": [%u", k);
    while ((k = wrap_next_overwritten(s->w, k + 1)) < inputs) text_printf(&s->out, ", %u", k);
    text_add(&s->out, "],\n");
}

static void begin(emit_state *s)
{
    const wrap_program *w = s->w;
    text_printf(&s->out,
                "{\n\"form\": \"ferrite fx\",\n\"version\": 1,\n\"name\": \"%s\",\n"
                "\"producer\": \"%s\",\n\"library\": \"%s_kernels.so\",\n",
                w->name, s->input->producer, emit_module_name(s->input));
    text_printf(&s->out, "\"weights_bytes\": %lld,\n\"weights\": [", (long long)w->weights_bytes);
    for (uint32_t k = 0; k < w->weights.count; k++) {
        const wrap_weight *weight = &w->weights.at[k];
        text_printf(&s->out, "%s\n  [", k ? "," : "");
        emit_fx_string(&s->out, w->loops->buffers.at[weight->buffer].name);
        text_printf(&s->out, ", %lld, %lld]", (long long)weight->offset, (long long)weight->bytes);
    }
    text_add(&s->out, "],\n\"states\": [");
    for (uint32_t k = 0; k < w->state_count; k++)
        text_printf(&s->out, "%s%u", k ? ", " : "", wrap_weight_of_state(w, k));
    text_add(&s->out, "],\n");
    print_kernels(s);
    print_donated(s);
    emit_fx_begin(s);
    for (uint32_t k = 0; k < w->loops->inputs.count; k++) print_input(s, k);
    emit_fx_node(s, "get_attr", "library", "library", NULL, NULL);
    for (uint32_t i = 0; i < w->lines.count && wrap_is_input_symbol(&w->lines.at[i]); i++)
        emit_fx_symbol(s, &w->lines.at[i]);
    print_checks(s);
    while (s->head_lines < w->lines.count && wrap_is_input_symbol(&w->lines.at[s->head_lines]))
        s->head_lines++;
    emit_fx_declare_fixed(s);
}

static void end(emit_state *s)
{
    text args;
    emit_fx_text(s, &args);
    text_add(&args, "[]");
    emit_fx_leave_part(s);
    if (s->w->loops->outputs.count == 0) emit_fx_node(s, "output", "output", "output", &args, NULL);
    emit_fx_end(s);
    text_add(&s->out, "\n}\n");
    vec_push(s->memory, &s->files,
             (emit_file){arena_printf(s->memory, "%s.json", emit_module_name(s->input)), s->out.at,
                         s->out.length, false});
}

/* What nodes of ours are called, besides Python's words. */
const emit_target emit_target_fx = {
    .name = "fx",
    .reserved = emit_python_words,
    .begin = begin,
    .line =
        {
            [WRAP_SCRATCH] = place_line,
            [WRAP_PLACE] = place_line,
            [WRAP_ALLOC] = alloc_line,
            [WRAP_FREE] = free_line,
            [WRAP_REUSE] = reuse_line,
            [WRAP_KERNEL] = emit_fx_kernel,
            [WRAP_EXTERN] = emit_fx_extern,
            [WRAP_SYMBOL] = emit_fx_symbol,
            [WRAP_ASSERT] = assert_line,
            [WRAP_COMMENT] = comment_line,
            [WRAP_OUTPUT] = output_line,
            [WRAP_IF] = emit_fx_region,
            [WRAP_ELSE] = emit_fx_region,
            [WRAP_REPEAT] = emit_fx_region,
            [WRAP_WHILE] = emit_fx_region,
            [WRAP_END] = emit_fx_region,
            [WRAP_PARTITION] = emit_fx_partition,
            [WRAP_CLEAR] = clear_line,
            [WRAP_CHECK] = check_line,
            [WRAP_DEVICE] = emit_fx_device,
            [WRAP_COPY] = emit_fx_copy,
            [WRAP_WAIT] = emit_fx_wait,
            [WRAP_MARK] = emit_fx_mark,
            [WRAP_AFTER] = emit_fx_after,
        },
    .end = end,
};
