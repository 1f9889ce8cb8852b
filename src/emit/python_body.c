/* python_body.c -- wrapper lines as Python: the function `lines` of a generated module. */
#include "emit/python.h"

static void print_sizes(emit_state *s, const char *name, const wrap_layout *layout, bool shifts)
{
    const wrap_program *w = s->w;
    text_printf(&s->out, ", %s(", name);
    for (uint32_t k = 0; k < layout->count + layout->held_count; k++) {
        loop_buffer_id id = layout->buffers[k];
        sym_expr e = !shifts                      ? w->storage[id].bytes
                     : layout->intervals[k].group ? wrap_shift(w, id)
                                                  : (sym_expr){0};
        if (k) text_char(&s->out, ' ');
        if (sym_is_none(e))
            text_char(&s->out, '0');
        else
            emit_python_expr(s, e);
        text_char(&s->out, ',');
    }
    text_char(&s->out, ')');
}

/* What is in its way in the arena: the last of its sizes. */
static void print_held(emit_state *s, const wrap_layout *layout)
{
    text_add(&s->out, ", held=(");
    for (uint32_t k = 0; k < layout->held_count; k++) {
        const wrap_held *held = &layout->held[k];
        text_printf(&s->out, "%s(%u, ", k ? " " : "", held->segment);
        if (held->slot == WRAP_NO_SLOT)
            text_printf(&s->out, "None, %lld),", (long long)held->offset);
        else
            text_printf(&s->out, "%u, 0),", held->slot);
    }
    text_char(&s->out, ')');
}

static void python_place(emit_state *s, const wrap_line *line)
{
    const wrap_layout *layout = &s->w->layouts[line->index];
    emit_python_indent(s);
    text_printf(&s->out, "places_%u = f.place(%u, LIVES_%u", line->index, line->index, line->index);
    print_sizes(s, "", layout, false);
    if (layout->has_parts) print_sizes(s, "shifts=", layout, true);
    if (layout->held_count) print_held(s, layout);
    text_add(&s->out, ")\n");
}

/* Operators here state nothing, and their scratch grows. */
static void python_scratch(emit_state *s, const wrap_line *line)
{
    (void)s, (void)line;
}

static void python_alloc(emit_state *s, const wrap_line *line)
{
    emit_python_declare(s, line->buffer);
    for (loop_buffer_id id = 0; id < s->w->loops->buffers.count; id++)
        if (wrap_comes_with(s->w, id, line->buffer)) emit_python_declare(s, id);
}

static void python_free(emit_state *s, const wrap_line *line)
{
    bool is_open = s->is_open;
    emit_python_indent(s);
    text_printf(&s->out, "# %s ends here\n", s->names[line->buffer]);
    s->is_open = is_open;
}

static void python_reuse(emit_state *s, const wrap_line *line)
{
    emit_python_indent(s);
    text_printf(&s->out, "# %s takes the place of %s\n", s->names[line->buffer],
                s->names[line->old_buffer]);
    python_alloc(s, line);
}

/* The number that an input gives: one of its sizes, or itself. */
static void print_source(emit_state *s, const wrap_line *line)
{
    if (line->dimension >= 0)
        text_printf(&s->out, "f.%s(%d, %d)", line->is_stride ? "stride" : "size", line->input,
                    line->dimension);
    else
        text_printf(&s->out, "f.number(%d)", line->input);
}

void emit_python_symbol(emit_state *s, const wrap_line *line)
{
    emit_python_indent(s);
    text_printf(&s->out, "%s = ", sym_name(s->w->loops->symbols, line->symbol));
    if (line->op) {
        const loop_view *element = &line->op->inputs[0];
        text_add(&s->out, "f.load(");
        emit_python_address(s, element->buffer);
        emit_python_offset(s, element->offset, element->dtype);
        text_printf(&s->out, ", %s)", emit_python_dtype(element->dtype));
    } else if (line->input < 0)
        emit_python_expr(s, line->expr);
    else if (sym_is_none(line->scale))
        print_source(s, line);
    else {
        text_add(&s->out, "rt.solve(");
        print_source(s, line);
        text_add(&s->out, ", ");
        emit_python_expr(s, line->shift);
        text_add(&s->out, ", ");
        emit_python_expr(s, line->scale);
        if (line->power > 1) text_printf(&s->out, ", %u", line->power);
        text_char(&s->out, ')');
    }
    text_char(&s->out, '\n');
}

/* The message, and what its symbols are. */
static void python_assert(emit_state *s, const wrap_line *line)
{
    const sym_table *t = s->w->loops->symbols;
    sym_expr *symbols;
    uint32_t count = sym_relation_symbols(t, &line->relation, s->memory, &symbols);
    emit_python_indent(s);
    text_add(&s->out, "f.check(");
    sym_print_python_relation(t, &line->relation, &s->out);
    text_add(&s->out, ", ");
    emit_python_text(&s->out,
                     line->text ? line->text : "an assertion of the program does not hold");
    for (uint32_t i = 0; i < count; i++)
        text_printf(&s->out, ", %s=%s", sym_name(t, symbols[i]), sym_name(t, symbols[i]));
    text_add(&s->out, ")\n");
}

static void python_comment(emit_state *s, const wrap_line *line)
{
    emit_python_comment(s, line->text);
}

static void print_value(emit_state *s, const loop_output *output)
{
    switch (output->kind) {
    case LOOP_OUT_FLOAT: emit_python_double(&s->out, output->number); break;
    case LOOP_OUT_STRING: emit_python_text(&s->out, output->string); break;
    case LOOP_OUT_NONE: text_add(&s->out, "None"); break;
    case LOOP_OUT_BOOL:
        text_add(&s->out, "bool(");
        emit_python_expr(s, output->expr);
        text_char(&s->out, ')');
        break;
    default: emit_python_expr(s, output->expr);
    }
}

static void python_output(emit_state *s, const wrap_line *line)
{
    const loop_output *output = &s->w->loops->outputs.at[line->index];
    emit_python_leave_part(s);
    emit_python_indent(s);
    if (output->kind != LOOP_OUT_TENSOR) {
        text_printf(&s->out, "f.returns_value(%u, ", line->index);
        print_value(s, output);
        text_add(&s->out, ")\n");
        return;
    }
    text_printf(&s->out, "f.returns(%u, ", line->index);
    emit_python_view_parts(s, &output->view);
    text_add(&s->out, ")\n");
}

static void python_clear(emit_state *s, const wrap_line *line)
{
    emit_python_indent(s);
    text_add(&s->out, "f.clear(");
    emit_python_view(s, line->view);
    text_add(&s->out, ")\n");
}

static void python_check(emit_state *s, const wrap_line *line)
{
    if (line->of_output) emit_python_leave_part(s);
    emit_python_indent(s);
    text_add(&s->out, "f.check_numbers(");
    emit_python_view(s, line->view);
    text_add(&s->out, line->finite ? ", True, " : ", False, ");
    emit_python_text(&s->out, line->text);
    text_add(&s->out, ")\n");
}

const emit_target emit_target_python = {
    .name = "python",
    .reserved = emit_python_words,
    .begin = emit_python_begin,
    .line =
        {
            [WRAP_SCRATCH] = python_scratch,
            [WRAP_PLACE] = python_place,
            [WRAP_ALLOC] = python_alloc,
            [WRAP_FREE] = python_free,
            [WRAP_REUSE] = python_reuse,
            [WRAP_KERNEL] = emit_python_kernel,
            [WRAP_EXTERN] = emit_python_extern,
            [WRAP_SYMBOL] = emit_python_symbol,
            [WRAP_ASSERT] = python_assert,
            [WRAP_COMMENT] = python_comment,
            [WRAP_OUTPUT] = python_output,
            [WRAP_IF] = emit_python_region,
            [WRAP_ELSE] = emit_python_region,
            [WRAP_REPEAT] = emit_python_region,
            [WRAP_WHILE] = emit_python_region,
            [WRAP_END] = emit_python_region,
            [WRAP_PARTITION] = emit_python_partition,
            [WRAP_CLEAR] = python_clear,
            [WRAP_CHECK] = python_check,
            [WRAP_DEVICE] = emit_python_device,
            [WRAP_COPY] = emit_python_copy,
            [WRAP_WAIT] = emit_python_wait,
            [WRAP_MARK] = emit_python_queue,
            [WRAP_AFTER] = emit_python_queue,
        },
    .end = emit_python_end,
};
