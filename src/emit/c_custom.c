/* c_custom.c -- calls of the user's functions in the C printer. */
#include "emit/c.h"

#include <string.h>

/* Letters of a callee's arguments (loop.h) turned into fe_arg values, left to right. */
typedef struct argument_printer {
    emit_state *s;
    const loop_op *op;
    const char *at;
    uint32_t inputs, outputs, ints, floats, strings;
} argument_printer;

/* Arguments up to the closing bracket or the end; returns how many. */
static uint32_t print_arguments(argument_printer *p, uint32_t count);

static uint32_t count_arguments(const char *at)
{
    uint32_t count = 0;
    for (uint32_t depth = 0; *at && !(*at == ']' && depth == 0); at++) {
        if (*at == ']') depth--;
        count += depth == 0 && *at != ']';
        if (*at == '[') depth++;
    }
    return count;
}

static void print_list(argument_printer *p)
{
    uint32_t count = count_arguments(p->at);
    text_printf(&p->s->out, "{FE_ARG_LIST, %u, .items = (const fe_arg[]){", count);
    print_arguments(p, count);
    text_add(&p->s->out, count ? "}}" : "{0}}}");
    p->at++; /* the bracket */
}

static void print_argument(argument_printer *p)
{
    text *out = &p->s->out;
    switch (*p->at++) {
    case 'T': text_printf(out, "{FE_ARG_TENSOR, 0, .tensor = &in[%u]}", p->inputs++); return;
    case 'M': /* its memory is the output's */
    case 'O':
        p->inputs += p->at[-1] == 'M';
        text_printf(out, "{FE_ARG_TENSOR, 0, .tensor = &out[%u]}", p->outputs++);
        return;
    case 'b':
    case 'i':
        text_printf(out, "{%s, 0, .integer = ", p->at[-1] == 'b' ? "FE_ARG_BOOL" : "FE_ARG_INT");
        sym_print_c(p->s->w->loops->symbols, p->op->ints[p->ints++], out);
        text_char(out, '}');
        return;
    case 'f':
        text_add(out, "{FE_ARG_FLOAT, 0, .number = ");
        emit_c_double(out, p->op->floats[p->floats++]);
        text_char(out, '}');
        return;
    case 's':
        text_add(out, "{FE_ARG_STRING, 0, .string = ");
        text_quoted(out, p->op->callee->strings[p->strings++]);
        text_char(out, '}');
        return;
    case '[': print_list(p); return;
    default: text_add(out, "{FE_ARG_NONE}"); return;
    }
}

static uint32_t print_arguments(argument_printer *p, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (k) text_add(&p->s->out, ", ");
        print_argument(p);
    }
    return count;
}

void emit_c_custom(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    argument_printer p = {.s = s, .op = op, .at = op->callee->arguments};
    text *out = &s->out;
    uint32_t count = count_arguments(p.at);
    text_add(out, "    {\n        const fe_tensor in[] = ");
    emit_c_views(s, op->inputs, line->weights, op->input_count);
    text_add(out, ";\n        const fe_tensor out[] = ");
    emit_c_views(s, op->outputs, NULL, op->output_count);
    text_add(out, ";\n        const fe_arg args[] = {");
    print_arguments(&p, count);
    text_printf(out,
                "%s};\n        (void)in, (void)out;\n"
                "        RT_TRY(rt_custom(f, \"%s\", %s, args, %u, out + %u, %u));\n    }\n",
                count ? "" : "{0}", op->callee->symbol, op->callee->symbol, count, p.outputs,
                op->output_count - p.outputs);
}

/* The functions are declared once each. */
void emit_c_custom_head(emit_state *s)
{
    map seen = {0};
    for (uint32_t i = 0; i < s->w->lines.count; i++) {
        const wrap_line *line = &s->w->lines.at[i];
        if (line->kind != WRAP_EXTERN || !line->op->callee) continue;
        const char *symbol = intern(s->w->session, line->op->callee->symbol);
        if (map_get(&seen, MAP_KEY(symbol)) != MAP_NONE) continue;
        map_set(s->memory, &seen, MAP_KEY(symbol), 1);
        text_printf(&s->out, "int %s(const fe_op_call *call);\n", symbol);
    }
}
