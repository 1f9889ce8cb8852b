/* python_body.c -- wrapper lines as Python: the function `lines` of a generated module. Buffers are
 * addresses, in bytes.
 */
#include "emit/python.h"

#include <math.h>
#include <string.h>

void emit_python_indent(emit_state *s)
{
    for (uint32_t i = 0; i <= s->depth; i++) text_add(&s->out, "    ");
    s->is_open = false;
}

/* What JSON escapes Python escapes alike. */
void emit_python_text(text *out, const char *value)
{
    text_json(out, value);
}

void emit_python_double(text *out, double value)
{
    if (isnan(value))
        text_add(out, "nan");
    else if (isinf(value))
        text_add(out, value > 0 ? "inf" : "-inf");
    else
        text_double(out, value);
}

static void print_expr(emit_state *s, sym_expr e)
{
    sym_print_python(s->w->loops->symbols, e, &s->out);
}

void emit_python_exprs(emit_state *s, const sym_expr *exprs, uint32_t count)
{
    text_char(&s->out, '(');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_char(&s->out, ' ');
        print_expr(s, exprs[i]);
        if (i + 1 < count || count == 1) text_char(&s->out, ',');
    }
    text_char(&s->out, ')');
}

/* ---- buffers ---- */

void emit_python_address(emit_state *s, loop_buffer_id id)
{
    text_add(&s->out, id == LOOP_NO_BUFFER ? "None" : s->names[id]);
}

/* + so many elements, in bytes. */
static void print_offset(emit_state *s, sym_expr elements, ty_dtype dtype)
{
    const sym_table *t = s->w->loops->symbols;
    int64_t value;
    if (sym_is_none(elements)) return;
    if (sym_is_int(t, elements, &value)) {
        if (value)
            text_printf(&s->out, " + %lld", (long long)value * (long long)ty_dtype_size(dtype));
        return;
    }
    text_add(&s->out, " + ");
    print_expr(s, elements);
    if (ty_dtype_size(dtype) > 1) text_printf(&s->out, " * %u", (unsigned)ty_dtype_size(dtype));
}

static void print_place(emit_state *s, loop_buffer_id id)
{
    print_offset(s, s->w->storage[id].life.place, s->w->loops->buffers.at[id].dtype);
}

static void print_arena(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    uint32_t segment = w->storage[id].segment;
    if (wrap_is_fixed(w, segment))
        text_printf(&s->out, "arena + %lld", (long long)w->storage[id].offset);
    else
        text_printf(&s->out, "places_%u[%u]", segment, w->storage[id].slot);
    if (!wrap_offset_has_place(w, id)) print_place(s, id);
}

void emit_python_declare(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    emit_python_indent(s);
    text_printf(&s->out, "%s = ", s->names[id]);
    const wrap_storage *of = &w->storage[id];
    switch (of->kind) {
    case WRAP_STORAGE_ARENA: print_arena(s, id); break;
    case WRAP_STORAGE_OUTPUT:
        if (of->life.else_in != LOOP_NO_BUFFER) {
            text_printf(&s->out, "f.input(%u)", w->loops->buffers.at[of->life.else_in].input);
            break;
        }
        text_printf(&s->out, "f.output_memory(%d, ", of->output);
        print_expr(s, of->bytes);
        text_char(&s->out, ')');
        break;
    case WRAP_STORAGE_ALIAS:
        text_add(&s->out, s->names[of->life.root]);
        print_place(s, id);
        break;
    default:
        text_printf(&s->out, "f.%s(%u)", wrap_storage_name(of->kind), wrap_storage_number(w, id));
    }
    text_char(&s->out, '\n');
}

void emit_python_declare_fixed(emit_state *s)
{
    for (uint32_t i = 0; i < s->w->fixed.count; i++) emit_python_declare(s, s->w->fixed.at[i]);
}

/* ---- lines ---- */

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
            print_expr(s, e);
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

static void print_view(emit_state *s, const loop_view *view, uint32_t weight)
{
    if (view->buffer == LOOP_NO_BUFFER) {
        text_add(&s->out, "None");
        return;
    }
    text_char(&s->out, '(');
    if (weight != WRAP_NO_WEIGHT)
        text_printf(&s->out, "f.weight(%u)", weight);
    else {
        emit_python_address(s, view->buffer);
        print_offset(s, view->offset, s->w->loops->buffers.at[view->buffer].dtype);
    }
    text_printf(&s->out, ", %s, ", emit_python_dtype(view->dtype));
    emit_python_exprs(s, view->sizes, view->rank);
    text_add(&s->out, ", ");
    emit_python_exprs(s, view->strides, view->rank);
    text_char(&s->out, ')');
}

void emit_python_view(emit_state *s, const loop_view *view)
{
    print_view(s, view, WRAP_NO_WEIGHT);
}

void emit_python_views(emit_state *s, const loop_view *views, const uint32_t *weights,
                       uint32_t count)
{
    text_char(&s->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(&s->out, ", ");
        print_view(s, &views[i], weights ? weights[i] : WRAP_NO_WEIGHT);
    }
    text_char(&s->out, ']');
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
        print_offset(s, element->offset, element->dtype);
        text_printf(&s->out, ", %s)", emit_python_dtype(element->dtype));
    } else if (line->input < 0)
        print_expr(s, line->expr);
    else if (sym_is_none(line->scale))
        print_source(s, line);
    else {
        text_add(&s->out, "rt.solve(");
        print_source(s, line);
        text_add(&s->out, ", ");
        print_expr(s, line->shift);
        text_add(&s->out, ", ");
        print_expr(s, line->scale);
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

void emit_python_comment(emit_state *s, const char *said)
{
    bool is_open = s->is_open;
    text_char(&s->out, '\n');
    emit_python_indent(s);
    text_add(&s->out, "# ");
    text_plain(&s->out, said);
    text_char(&s->out, '\n');
    s->is_open = is_open;
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
        print_expr(s, output->expr);
        text_char(&s->out, ')');
        break;
    default: print_expr(s, output->expr);
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
    const loop_view *view = &output->view;
    text_printf(&s->out, "f.returns(%u, ", line->index);
    emit_python_address(s, view->buffer);
    print_offset(s, view->offset, s->w->loops->buffers.at[view->buffer].dtype);
    text_printf(&s->out, ", %s, ", emit_python_dtype(view->dtype));
    emit_python_exprs(s, view->sizes, view->rank);
    text_add(&s->out, ", ");
    emit_python_exprs(s, view->strides, view->rank);
    text_add(&s->out, ")\n");
}

static void python_clear(emit_state *s, const wrap_line *line)
{
    emit_python_indent(s);
    text_add(&s->out, "f.clear(");
    print_view(s, line->view, WRAP_NO_WEIGHT);
    text_add(&s->out, ")\n");
}

static void python_check(emit_state *s, const wrap_line *line)
{
    if (line->of_output) emit_python_leave_part(s);
    emit_python_indent(s);
    text_add(&s->out, "f.check_numbers(");
    print_view(s, line->view, WRAP_NO_WEIGHT);
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
        },
    .end = emit_python_end,
};
