/* python_region.c -- the lines of regions as Python. */
#include "emit/python.h"

static void print_test(emit_state *s, const loop_op *op)
{
    if (op->input_count == 0) {
        sym_print_python(s->w->loops->symbols, op->expr, &s->out);
        return;
    }
    text_add(&s->out, "f.load(");
    emit_python_address(s, op->inputs[0].buffer);
    text_add(&s->out, " + ");
    sym_print_python(s->w->loops->symbols, op->inputs[0].offset, &s->out);
    text_add(&s->out, ", rt.BOOL)");
}

static void print_repeat(emit_state *s, const loop_op *op)
{
    if (sym_is_none(op->symbol)) {
        text_add(&s->out, "while True:\n");
        return;
    }
    text_printf(&s->out, "for %s in range(", sym_name(s->w->loops->symbols, op->symbol));
    sym_print_python(s->w->loops->symbols, op->ints[0], &s->out);
    text_add(&s->out, "):\n");
}

void emit_python_open_block(emit_state *s)
{
    s->depth++;
    s->is_open = true;
}

void emit_python_close_block(emit_state *s)
{
    if (s->is_open) {
        emit_python_indent(s);
        text_add(&s->out, "pass\n");
    }
    s->depth--;
}

void emit_python_region(emit_state *s, const wrap_line *line)
{
    if (line->kind == WRAP_ELSE || line->kind == WRAP_END) emit_python_close_block(s);
    if (line->kind == WRAP_END) return;
    emit_python_indent(s);
    switch (line->kind) {
    case WRAP_IF:
        text_add(&s->out, "if ");
        print_test(s, line->op);
        text_add(&s->out, ":\n");
        break;
    case WRAP_ELSE: text_add(&s->out, "else:\n"); break;
    case WRAP_REPEAT: print_repeat(s, line->op); break;
    default:
        text_add(&s->out, "if not ");
        print_test(s, line->op);
        text_add(&s->out, ":\n");
        s->depth++;
        emit_python_indent(s);
        text_add(&s->out, "break\n");
        s->depth--;
        return;
    }
    emit_python_open_block(s);
}
