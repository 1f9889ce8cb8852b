/* python_part.c -- the parts of a program that was cut, as Python: each is a block that somebody else may run
 * in its place.
 */
#include "emit/python.h"

static void print_operands(emit_state *s, const loop_buffer_id *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        loop_view view = loop_view_of(s->w->loops, list[k]);
        if (k) text_add(&s->out, ", ");
        emit_python_view(s, &view);
    }
}

/* What it makes has memory before it runs. */
static void print_replaced(emit_state *s, uint32_t k, const sched_part *part)
{
    for (uint32_t i = 0; i < part->make_count; i++)
        if (s->w->storage[part->makes[i]].is_allocated) emit_python_declare(s, part->makes[i]);
    emit_python_indent(s);
    text_printf(&s->out, "f.run_replacement(%u, [", k);
    print_operands(s, part->reads, part->read_count);
    if (part->read_count && part->mutate_count) text_add(&s->out, ", ");
    print_operands(s, part->mutates, part->mutate_count);
    text_add(&s->out, "], [");
    print_operands(s, part->makes, part->make_count);
    text_add(&s->out, "], ");
    emit_python_exprs(s, part->symbols, part->symbol_count);
    text_add(&s->out, ")\n");
}

void emit_python_leave_part(emit_state *s)
{
    if (!s->in_part) return;
    s->in_part = false;
    emit_python_close_block(s);
}

void emit_python_partition(emit_state *s, const wrap_line *line)
{
    uint32_t k = s->parts_begun++;
    text signature;
    emit_python_leave_part(s);
    text_init(&signature, s->memory);
    wrap_print_line(s->w, line, &signature);
    emit_python_comment(s, signature.at);
    if (!wrap_can_be_replaced(s->w, line)) return;
    emit_python_indent(s);
    text_printf(&s->out, "if f.is_replaced(%u):\n", k);
    emit_python_open_block(s);
    print_replaced(s, k, line->part);
    emit_python_close_block(s);
    emit_python_indent(s);
    text_add(&s->out, "else:\n");
    emit_python_open_block(s);
    s->in_part = true;
}

/* PARTS = [("relu", True), ...]: names, and who may be replaced */
void emit_python_parts(emit_state *s)
{
    bool any = false;
    text_add(&s->out, "PARTS = [");
    for (uint32_t i = 0; i < s->w->lines.count; i++) {
        const wrap_line *line = &s->w->lines.at[i];
        if (line->kind != WRAP_PARTITION) continue;
        text_add(&s->out, any ? ", (" : "(");
        emit_python_text(&s->out, line->part->name);
        text_add(&s->out, wrap_can_be_replaced(s->w, line) ? ", True)" : ", False)");
        any = true;
    }
    text_add(&s->out, "]\n");
}
