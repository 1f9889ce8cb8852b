/* python_text.c -- words of Python: statements, texts, numbers, expressions. */
#include "emit/python.h"

#include <math.h>

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

void emit_python_expr(emit_state *s, sym_expr e)
{
    sym_print_python(s->w->loops->symbols, e, &s->out);
}

void emit_python_exprs(emit_state *s, const sym_expr *exprs, uint32_t count)
{
    text_char(&s->out, '(');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_char(&s->out, ' ');
        emit_python_expr(s, exprs[i]);
        if (i + 1 < count || count == 1) text_char(&s->out, ',');
    }
    text_char(&s->out, ')');
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

const char *emit_python_dtype(ty_dtype dtype)
{
    static const char *const names[] = {
        [TY_U8] = "rt.U8",
        [TY_I8] = "rt.I8",
        [TY_I16] = "rt.I16",
        [TY_I32] = "rt.I32",
        [TY_I64] = "rt.I64",
        [TY_F16] = "rt.F16",
        [TY_F32] = "rt.F32",
        [TY_F64] = "rt.F64",
        [TY_C32] = "rt.C32",
        [TY_C64] = "rt.C64",
        [TY_C128] = "rt.C128",
        [TY_BOOL] = "rt.BOOL",
        [TY_U16] = "rt.U16",
        [TY_BF16] = "rt.BF16",
        [TY_U32] = "rt.U32",
        [TY_U64] = "rt.U64",
        [TY_F8E4M3FN] = "rt.F8E4M3FN",
        [TY_F8E5M2] = "rt.F8E5M2",
        [TY_F8E4M3FNUZ] = "rt.F8E4M3FNUZ",
        [TY_F8E5M2FNUZ] = "rt.F8E5M2FNUZ",
        [TY_F8E8M0FNU] = "rt.F8E8M0FNU",
    };
    return (size_t)dtype < COUNT_OF(names) && names[dtype] ? names[dtype] : "0";
}
