/* c_part.c -- the parts of a program that was cut, as C: a function each, which `run` calls one after
 * another. All that a part has from before is found in the frame, so it needs no arguments. Beside it
 * stands what hands its operands to somebody who runs it in its place.
 */
#include "emit/c.h"

static uint32_t part_count(const wrap_program *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->lines.count; i++) count += w->lines.at[i].kind == WRAP_PARTITION;
    return count;
}

/* ---- tables ---- */

static void print_buffer_ports(emit_state *s, const loop_buffer_id *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const loop_buffer *b = &s->w->loops->buffers.at[list[k]];
        emit_c_port(s, b->name, ty_dtype_number(b->dtype), b->rank, b->sizes, b->strides);
    }
}

static void print_part_tables(emit_state *s, uint32_t k, const sched_part *part)
{
    text_printf(&s->out, "static const fe_port part_inputs_%u[] = {\n", k);
    print_buffer_ports(s, part->reads, part->read_count);
    print_buffer_ports(s, part->mutates, part->mutate_count);
    text_printf(&s->out, "    {0}};\nstatic const fe_port part_outputs_%u[] = {\n", k);
    print_buffer_ports(s, part->makes, part->make_count);
    text_printf(&s->out, "    {0}};\nstatic const char *const part_names_%u[] = {", k);
    for (uint32_t i = 0; i < part->symbol_count; i++) {
        emit_c_text(&s->out, sym_name(s->w->loops->symbols, part->symbols[i]));
        text_add(&s->out, ", ");
    }
    for (uint32_t i = 0; i < part->constant_count; i++) {
        emit_c_text(&s->out, s->w->loops->buffers.at[part->constants[i]].name);
        text_add(&s->out, ", ");
    }
    text_add(&s->out, "0};\n");
}

static void print_part_row(emit_state *s, uint32_t k, const wrap_line *line)
{
    const sched_part *part = line->part;
    text_add(&s->out, "    {.name = ");
    emit_c_text(&s->out, part->name);
    text_printf(&s->out,
                ", .inputs = part_inputs_%u, .input_count = %u, .mutated_count = %u,\n     "
                ".outputs = part_outputs_%u, .output_count = %u, .symbols = part_names_%u, "
                ".symbol_count = %u,\n     .constants = part_names_%u + %u, .constant_count = %u, "
                ".can_be_replaced = %d},\n",
                k, part->read_count + part->mutate_count, part->mutate_count, k, part->make_count,
                k, part->symbol_count, k, part->symbol_count, part->constant_count,
                wrap_can_be_replaced(s->w, line));
}

void emit_c_part_tables(emit_state *s)
{
    uint32_t count = part_count(s->w), k = 0;
    if (count == 0) return;
    for (uint32_t i = 0; i < s->w->lines.count; i++)
        if (s->w->lines.at[i].kind == WRAP_PARTITION)
            print_part_tables(s, k++, s->w->lines.at[i].part);
    text_add(&s->out, "static const fe_part part_table[] = {\n");
    k = 0;
    for (uint32_t i = 0; i < s->w->lines.count; i++)
        if (s->w->lines.at[i].kind == WRAP_PARTITION) print_part_row(s, k++, &s->w->lines.at[i]);
    text_add(&s->out, "    {0}};\n\n");
    for (k = 0; k < count; k++) text_printf(&s->out, "static int part_%u(rt_frame *f);\n", k);
    text_char(&s->out, '\n');
}

void emit_c_part_fields(emit_state *s)
{
    uint32_t count = part_count(s->w);
    if (count) text_printf(&s->out, "    .parts = part_table,\n    .part_count = %u,\n", count);
}

/* ---- functions ---- */

static void declare_symbol(emit_state *s, sym_expr symbol)
{
    const char *name = sym_name(s->w->loops->symbols, symbol);
    text_printf(&s->out, "    const int64_t %s = f->symbols[%u];\n    (void)%s;\n", name,
                emit_c_symbol_index(s, symbol), name);
}

/* Nothing is declared in the function that begins. */
static void begin_scope(emit_state *s)
{
    if (!s->declared_in)
        s->declared_in = NEW_ARRAY(s->memory, uint32_t, s->w->loops->buffers.count + 1);
    s->scopes++;
}

/* With that in whose memory it lies, where this is an output's. */
static void declare(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    loop_buffer_id root = w->storage[id].life.root;
    bool is_packed =
        w->loops->buffers.at[id].kind == LOOP_CONSTANT && w->storage[id].weight == WRAP_NO_WEIGHT;
    if (s->declared_in[id] == s->scopes || is_packed) return;
    s->declared_in[id] = s->scopes;
    if (root != id && !w->storage[root].life.in_arena) declare(s, root);
    emit_c_declare(s, id);
    text_printf(&s->out, "    (void)%s;\n", s->names[id]);
}

static void declare_all(emit_state *s, const loop_buffer_id *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) declare(s, list[k]);
}

static void declare_in_outputs(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    if (id == LOOP_NO_BUFFER || w->loops->buffers.at[id].kind != LOOP_TEMP) return;
    if (w->storage[id].output >= 0 && !w->storage[id].is_allocated) declare(s, id);
}

/* What its lines use that lies in an output: no line allocates it. */
static void declare_used(emit_state *s, const wrap_line *line)
{
    const wrap_line *end = s->w->lines.at + s->w->lines.count;
    for (line++; line < end && line->kind != WRAP_PARTITION && !wrap_is_behind_parts(line);
         line++) {
        if (line->view) declare_in_outputs(s, line->view->buffer);
        for (uint32_t k = 0; k < line->call.buffer_count; k++)
            declare_in_outputs(s, line->call.buffers[k]);
        for (uint32_t k = 0; line->op && k < line->op->input_count; k++)
            declare_in_outputs(s, line->op->inputs[k].buffer);
        for (uint32_t k = 0; line->op && k < line->op->output_count; k++)
            declare_in_outputs(s, line->op->outputs[k].buffer);
    }
}

static void begin_function(emit_state *s, const char *name, uint32_t k, const sched_part *part)
{
    begin_scope(s);
    text_printf(&s->out, "static int %s_%u(rt_frame *f)\n{\n", name, k);
    for (uint32_t i = 0; i < part->symbol_count; i++) declare_symbol(s, part->symbols[i]);
    text_add(&s->out, "    char *const arena = f->segments[0].memory;\n    (void)arena;\n");
    declare_all(s, part->reads, part->read_count);
    declare_all(s, part->mutates, part->mutate_count);
}

static void print_operands(emit_state *s, const loop_buffer_id *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        loop_view view = loop_view_of(s->w->loops, list[k]);
        text_add(&s->out, "            ");
        emit_c_view(s, &view);
        text_add(&s->out, ",\n");
    }
}

static void print_replaced(emit_state *s, uint32_t k, const sched_part *part)
{
    begin_function(s, "replaced", k, part);
    declare_all(s, part->makes, part->make_count);
    text_printf(&s->out, "    return rt_run_replacement(f, %u,\n        (const fe_tensor[]){\n", k);
    print_operands(s, part->reads, part->read_count);
    print_operands(s, part->mutates, part->mutate_count);
    text_add(&s->out, "            {0}},\n        (fe_tensor[]){\n");
    print_operands(s, part->makes, part->make_count);
    text_add(&s->out, "            {0}},\n        (const int64_t[]){");
    for (uint32_t i = 0; i < part->symbol_count; i++)
        text_printf(&s->out, "%s, ", sym_name(s->w->loops->symbols, part->symbols[i]));
    text_add(&s->out, "0});\n}\n\n");
}

static void print_signature(emit_state *s, uint32_t k, const wrap_line *line)
{
    text_printf(&s->out, "/* Part %u: ", k);
    wrap_print_line(s->w, line, &s->out);
    text_add(&s->out, ". */\n");
}

static void swap_texts(emit_state *s)
{
    text swap = s->out;
    s->out = s->behind;
    s->behind = swap;
}

static void end_function(emit_state *s)
{
    text_add(&s->out, "    return 0;\n}\n\n");
}

void emit_c_partition(emit_state *s, const wrap_line *line)
{
    uint32_t k = s->parts_begun++;
    if (k == 0)
        swap_texts(s);
    else
        end_function(s);
    print_signature(s, k, line);
    if (wrap_can_be_replaced(s->w, line)) print_replaced(s, k, line->part);
    begin_function(s, "part", k, line->part);
    declare_all(s, line->part->constants, line->part->constant_count);
    declare_used(s, line);
    if (wrap_can_be_replaced(s->w, line))
        text_printf(&s->out, "    if (rt_is_replaced(f, %u)) return replaced_%u(f);\n", k, k);
    s->in_part = true;
}

/* Back in `run`, for the outputs: what is returned is found again. */
void emit_c_leave_parts(emit_state *s)
{
    const wrap_program *w = s->w;
    if (!s->in_part) return;
    s->in_part = false;
    end_function(s);
    swap_texts(s);
    for (uint32_t k = 0; k < s->parts_begun; k++)
        text_printf(&s->out, "    RT_TRY(part_%u(f));\n", k);
    for (uint32_t i = 0; i < w->lines.count; i++)
        if (w->lines.at[i].kind == WRAP_SYMBOL && w->lines.at[i].input < 0)
            declare_symbol(s, w->lines.at[i].symbol);
    begin_scope(s);
    for (uint32_t k = 0; k < w->loops->outputs.count; k++) {
        const loop_output *output = &w->loops->outputs.at[k];
        if (output->kind == LOOP_OUT_TENSOR && w->storage[output->view.buffer].is_allocated)
            declare(s, output->view.buffer);
    }
}
