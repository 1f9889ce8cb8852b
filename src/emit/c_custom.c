/* c_custom.c -- calls of the user's functions in the C printer. */
#include "emit/c.h"

static void print_number(emit_state *s, const char *kind, sym_expr e)
{
    text_printf(&s->out, "{%s, 0, .integer = ", kind);
    sym_print_c(s->w->loops->symbols, e, &s->out);
    text_char(&s->out, '}');
}

static void print_argument(emit_state *s, const loop_op *op, const loop_argument *a)
{
    text *out = &s->out;
    switch (a->letter) {
    case 'T': text_printf(out, "{FE_ARG_TENSOR, 0, .tensor = &in[%u]}", a->number); return;
    case 'M': /* its memory is the output's */
    case 'O': text_printf(out, "{FE_ARG_TENSOR, 0, .tensor = &out[%u]}", a->number); return;
    case 'b': print_number(s, "FE_ARG_BOOL", op->ints[a->number]); return;
    case 'i': print_number(s, "FE_ARG_INT", op->ints[a->number]); return;
    case 'f':
        text_add(out, "{FE_ARG_FLOAT, 0, .number = ");
        emit_c_double(out, op->floats[a->number]);
        text_char(out, '}');
        return;
    case 's':
        text_add(out, "{FE_ARG_STRING, 0, .string = ");
        emit_c_text(out, op->callee->strings[a->number]);
        text_char(out, '}');
        return;
    case '[':
        text_printf(out, "{FE_ARG_LIST, %u, .items = (const fe_arg[]){%s", a->number,
                    a->number ? "" : "{0}");
        return;
    case ']': text_add(out, "}}"); return;
    default: text_add(out, "{FE_ARG_NONE}"); return;
    }
}

static void print_made(const loop_callee *callee, text *out)
{
    text_add(out, callee->made_count ? "(const rt_made[]){" : "0, 0");
    for (uint32_t k = 0; k < callee->made_count; k++) {
        const loop_made *m = &callee->made[k];
        text_printf(out, "%s{%u, %d, %u}", k ? ", " : "", m->result, (int)ty_dtype_number(m->dtype),
                    m->key);
    }
    if (callee->made_count) text_printf(out, "}, %u", callee->made_count);
}

void emit_c_custom(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    loop_arguments letters = loop_arguments_of(op->callee);
    loop_argument argument;
    uint32_t count = letters.count;
    text *out = &s->out;
    text_add(out, "    {\n        const fe_tensor in[] = ");
    emit_c_views(s, op->inputs, line->weights, op->input_count);
    text_add(out, ";\n        const fe_tensor out[] = ");
    emit_c_views(s, op->outputs, NULL, op->output_count);
    text_add(out, ";\n        const fe_arg args[] = {");
    while (loop_next_argument(&letters, &argument)) {
        if (!argument.is_first && argument.letter != ']') text_add(out, ", ");
        print_argument(s, op, &argument);
    }
    text_printf(out, "%s};\n        (void)in, (void)out;\n", count ? "" : "{0}");
    text_printf(out, "        RT_TRY(rt_custom(f, \"%s\", %s, args, %u, out + %u, %u, ",
                op->callee->symbol, op->callee->library ? op->callee->symbol : "0", count,
                letters.outputs, op->output_count - letters.outputs);
    print_made(op->callee, out);
    text_add(out, "));\n    }\n");
}

/* Visits the functions once each: those of a library, or those that the host gives. How many? */
static uint32_t each_function(emit_state *s, bool of_host,
                              void (*visit)(text *out, const char *symbol))
{
    map seen = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->w->lines.count; i++) {
        const wrap_line *line = &s->w->lines.at[i];
        if (line->kind != WRAP_EXTERN || !line->op->callee) continue;
        const char *symbol = intern(s->w->session, line->op->callee->symbol);
        if (!line->op->callee->library != of_host || map_get(&seen, MAP_KEY(symbol)) != MAP_NONE)
            continue;
        map_set(s->memory, &seen, MAP_KEY(symbol), 1);
        if (visit) visit(&s->out, symbol);
        count++;
    }
    return count;
}

static void declare(text *out, const char *symbol)
{
    text_printf(out, "int %s(const fe_op_call *call);\n", symbol);
}

static void list(text *out, const char *symbol)
{
    text_printf(out, "\"%s\", ", symbol);
}

void emit_c_custom_head(emit_state *s)
{
    each_function(s, false, declare);
}

void emit_c_custom_names(emit_state *s)
{
    if (!each_function(s, true, NULL)) return;
    text_add(&s->out, "static const char *const host_ops[] = {");
    each_function(s, true, list);
    text_add(&s->out, "};\n\n");
}

void emit_c_custom_fields(emit_state *s)
{
    uint32_t count = each_function(s, true, NULL);
    if (count) text_printf(&s->out, "    .ops = host_ops,\n    .op_count = %u,\n", count);
}
