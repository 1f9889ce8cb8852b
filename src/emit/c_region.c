/* c_region.c -- the lines of regions as C: if, else, for, break. */
#include "emit/c.h"

static void print_test(emit_state *s, const loop_op *op)
{
    if (op->input_count == 0) {
        sym_print_c(s->w->loops->symbols, op->expr, &s->out);
        return;
    }
    text_char(&s->out, '*');
    text_char(&s->out, '(');
    emit_c_pointer(s, op->inputs[0].buffer);
    text_add(&s->out, " + ");
    sym_print_c(s->w->loops->symbols, op->inputs[0].offset, &s->out);
    text_char(&s->out, ')');
}

static void print_repeat(emit_state *s, const loop_op *op)
{
    if (sym_is_none(op->symbol)) {
        text_add(&s->out, "    for (;;) {\n");
        return;
    }
    const char *step = sym_name(s->w->loops->symbols, op->symbol);
    text_printf(&s->out, "    for (int64_t %s = 0; %s < ", step, step);
    sym_print_c(s->w->loops->symbols, op->ints[0], &s->out);
    text_printf(&s->out, "; %s++) {\n", step);
}

void emit_c_region(emit_state *s, const wrap_line *line)
{
    switch (line->kind) {
    case WRAP_IF:
        text_add(&s->out, "    if (");
        print_test(s, line->op);
        text_add(&s->out, ") {\n");
        break;
    case WRAP_ELSE: text_add(&s->out, "    } else {\n"); break;
    case WRAP_REPEAT: print_repeat(s, line->op); break;
    case WRAP_WHILE:
        text_add(&s->out, "    if (!(");
        print_test(s, line->op);
        text_add(&s->out, ")) break;\n");
        break;
    case WRAP_END: text_add(&s->out, "    }\n"); break;
    default: break;
    }
}
