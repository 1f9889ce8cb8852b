/* control.c -- regions of ops as text: if, else, repeat, while, end, partition. */
#include "loop/loop_priv.h"

static const char *const names[LOOP_CONTROL_COUNT] = {
    [LOOP_IF] = "if",       [LOOP_ELSE] = "else", [LOOP_REPEAT] = "repeat",
    [LOOP_WHILE] = "while", [LOOP_END] = "end",   [LOOP_PARTITION] = "partition"};

const char *loop_control_name(loop_control c)
{
    return names[c];
}

bool loop_control_tests(loop_control c)
{
    return c == LOOP_IF || c == LOOP_WHILE;
}

void loop_print_control(const loop_program *p, const loop_op *op, text *out)
{
    text_add(out, names[op->control]);
    if (op->input_count > 0) {
        text_char(out, ' ');
        loop_print_view(p, &op->inputs[0], out);
    } else if (loop_control_tests(op->control)) {
        text_char(out, ' ');
        sym_print(p->symbols, op->expr, out);
    }
    if (op->control == LOOP_PARTITION) {
        text_char(out, ' ');
        text_quoted(out, op->message);
    }
    if (op->control == LOOP_REPEAT && sym_is_none(op->symbol)) text_add(out, " forever");
    if (!sym_is_none(op->symbol)) {
        text_printf(out, " %s < ", sym_name(p->symbols, op->symbol));
        sym_print(p->symbols, op->ints[0], out);
    }
    for (uint32_t k = 0; k < op->output_count; k++) {
        text_add(out, k ? ", " : " -> (");
        loop_print_view(p, &op->outputs[k], out);
    }
    if (op->output_count > 0) text_char(out, ')');
}

static fe_status parse_test(loop_reader *in, lexer *lx, loop_op *op)
{
    if (lx->token.kind != LEX_BUFFER)
        return sym_parse(loop_reader_program(in)->symbols, lx, &op->expr);
    op->inputs = NEW(loop_reader_program(in)->memory, loop_view);
    op->input_count = 1;
    return loop_read_view(in, op->inputs);
}

static fe_status parse_count(loop_reader *in, lexer *lx, loop_op *op)
{
    loop_program *p = loop_reader_program(in);
    const char *name;
    if (lex_take(lx, "forever")) return FE_OK;
    op->ints = NEW(p->memory, sym_expr);
    op->int_count = 1;
    FE_TRY(lex_name(lx, &name));
    FE_TRY(lex_expect(lx, "<"));
    FE_TRY(sym_parse(p->symbols, lx, &op->ints[0]));
    int64_t count, most = SYM_NO_MAX;
    if (sym_is_int(p->symbols, op->ints[0], &count) && count > 0) most = count - 1;
    op->symbol = sym_symbol(p->symbols, name, SYM_UNBACKED, 0, most);
    return FE_OK;
}

fe_status loop_parse_control(loop_reader *in, lexer *lx, loop_control which, loop_op *out)
{
    loop_program *p = loop_reader_program(in);
    loop_op op = {.kind = LOOP_CONTROL, .control = which, .origin = UINT32_MAX};
    VEC(loop_view) views = {0};
    if (loop_control_tests(which)) FE_TRY(parse_test(in, lx, &op));
    if (which == LOOP_REPEAT) FE_TRY(parse_count(in, lx, &op));
    if (which == LOOP_PARTITION) FE_TRY(lex_string(lx, &op.message));
    if ((which == LOOP_IF || which == LOOP_REPEAT) && lex_take(lx, "->")) {
        FE_TRY(lex_expect(lx, "("));
        do {
            loop_view view;
            FE_TRY(loop_read_view(in, &view));
            vec_push(p->memory, &views, view);
        } while (lex_take(lx, ","));
        FE_TRY(lex_expect(lx, ")"));
    }
    op.outputs = views.at;
    op.output_count = views.count;
    *out = op;
    return FE_OK;
}
