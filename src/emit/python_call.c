/* python_call.c -- calls of kernels, runtime operators and the user's functions in the Python printer.
 */
#include "emit/python.h"

static void print_buffers(emit_state *s, const wrap_call *call)
{
    text_char(&s->out, '(');
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        if (i) text_char(&s->out, ' ');
        emit_python_address(s, call->buffers[i]);
        text_char(&s->out, ',');
    }
    text_char(&s->out, ')');
}

/* Loops over something that is nowhere in memory have not been measured by anybody yet. */
static void guard_sizes(emit_state *s, const wrap_call *call)
{
    uint32_t count = call->int_count;
    if (!wrap_may_overflow(s->w, call)) return;
    emit_python_indent(s);
    text_add(&s->out, "f.fits(");
    sym_print_python(s->w->loops->symbols, call->outer, &s->out);
    for (uint32_t i = 0; i <= count; i++) {
        sym_expr e = i < count ? call->ints[i] : call->inner;
        if (!wrap_may_overflow_in(s->w, e)) continue;
        text_add(&s->out, ", ");
        sym_print_python(s->w->loops->symbols, e, &s->out);
    }
    text_add(&s->out, ")\n");
}

/* What an index out of range is said of. */
static void print_checks(emit_state *s, const wrap_call *call)
{
    if (call->check_count == 0) return;
    text_add(&s->out, ", checks=(");
    for (uint32_t i = 0; i < call->check_count; i++) {
        const wrap_check_row *check = &call->checks[i];
        text_printf(&s->out, "(%d, %s, ", check->dimension, check->wraps ? "True" : "False");
        emit_python_text(&s->out, check->where);
        text_add(&s->out, "), ");
    }
    text_char(&s->out, ')');
}

void emit_python_kernel(emit_state *s, const wrap_line *line)
{
    const wrap_call *call = &line->call;
    guard_sizes(s, call);
    emit_python_indent(s);
    text_printf(&s->out, "f.launch(%s, ", call->kernel);
    print_buffers(s, call);
    text_add(&s->out, ", ");
    emit_python_exprs(s, call->ints, call->int_count);
    text_add(&s->out, ", outer=");
    sym_print_python(s->w->loops->symbols, call->outer, &s->out);
    if (call->split_inner) {
        text_add(&s->out, ", inner=");
        sym_print_python(s->w->loops->symbols, call->inner, &s->out);
    }
    text_printf(&s->out, ", cost=%lld", (long long)call->cost);
    print_checks(s, call);
    text_add(&s->out, ")\n");
}

/* ---- the user's functions ---- */

static void print_argument(emit_state *s, const loop_op *op, const loop_argument *a)
{
    text *out = &s->out;
    switch (a->letter) {
    case 'T': text_printf(out, "ins[%u]", a->number); return;
    case 'M': /* its memory is the output's */
    case 'O': text_printf(out, "outs[%u]", a->number); return;
    case 'b':
    case 'i':
        text_add(out, a->letter == 'b' ? "bool(" : "(");
        sym_print_python(s->w->loops->symbols, op->ints[a->number], out);
        text_char(out, ')');
        return;
    case 'f': emit_python_double(out, op->floats[a->number]); return;
    case 's': emit_python_text(out, op->callee->strings[a->number]); return;
    case '[':
    case ']': text_char(out, a->letter); return;
    default: text_add(out, "None"); return;
    }
}

static void print_custom(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    loop_arguments letters = loop_arguments_of(op->callee);
    loop_argument argument;
    emit_python_indent(s);
    text_add(&s->out, "ins = ");
    emit_python_views(s, op->inputs, line->weights, op->input_count);
    text_char(&s->out, '\n');
    emit_python_indent(s);
    text_add(&s->out, "outs = ");
    emit_python_views(s, op->outputs, NULL, op->output_count);
    text_char(&s->out, '\n');
    emit_python_indent(s);
    text_printf(&s->out, "f.custom(custom_%s, [", op->callee->symbol);
    while (loop_next_argument(&letters, &argument)) {
        if (!argument.is_first && argument.letter != ']') text_add(&s->out, ", ");
        print_argument(s, op, &argument);
    }
    text_printf(&s->out, "], outs[%u:]", letters.outputs);
    if (op->callee->made_count) text_add(&s->out, ", made=(");
    for (uint32_t k = 0; k < op->callee->made_count; k++) {
        const loop_made *m = &op->callee->made[k];
        text_printf(&s->out, "(%u, %d, %u), ", m->result, (int)ty_dtype_number(m->dtype), m->key);
    }
    text_add(&s->out, op->callee->made_count ? "))\n" : ")\n");
}

/* ---- runtime operators ---- */

static void next_argument(emit_state *s)
{
    text_add(&s->out, ",\n");
    emit_python_indent(s);
    text_add(&s->out, "       ");
}

static void print_numbers(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    uint32_t packed = 0;
    for (uint32_t i = 0; i < op->input_count; i++)
        if (line->weights[i] != WRAP_NO_WEIGHT) packed |= 1u << i;
    if (op->int_count) {
        text_add(&s->out, ", ints=");
        emit_python_exprs(s, op->ints, op->int_count);
    }
    if (op->float_count) text_add(&s->out, ", floats=(");
    for (uint32_t i = 0; i < op->float_count; i++) {
        emit_python_double(&s->out, op->floats[i]);
        text_add(&s->out, i + 1 < op->float_count ? ", " : ",)");
    }
    if (packed) text_printf(&s->out, ", packed=%u", packed);
    if (!op->message) return;
    text_add(&s->out, ", text=");
    emit_python_text(&s->out, op->message);
}

static void print_work(emit_state *s, const loop_op *op)
{
    const loop_view *work = loop_workspace_of(s->w->loops, op);
    if (!work) return;
    text_add(&s->out, ", work=(");
    emit_python_address(s, work->buffer);
    text_add(&s->out, ", ");
    sym_print_python(s->w->loops->symbols, work->sizes[0], &s->out);
    text_char(&s->out, ')');
}

static void print_scratch(emit_state *s, const wrap_line *line)
{
    const wrap_scratch *scratch = &line->scratch;
    int64_t each;
    if (!scratch->bytes || !wrap_scratch_each(s->w, line, &each)) return;
    text_add(&s->out, ", room=(");
    if (scratch->in == LOOP_NO_BUFFER)
        text_add(&s->out, "arena");
    else
        emit_python_address(s, scratch->in);
    text_printf(&s->out, " + %lld, %lld, %lld)", (long long)scratch->at, (long long)scratch->bytes,
                (long long)each);
}

void emit_python_extern(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    if (op->callee) {
        print_custom(s, line);
        return;
    }
    emit_python_indent(s);
    text_printf(&s->out, "f.call(op_%s, ", op->kernel);
    emit_python_views(s, op->inputs, line->weights, op->input_count);
    next_argument(s);
    emit_python_views(s, op->outputs, NULL, loop_result_count(s->w->loops, op));
    print_numbers(s, line);
    print_work(s, op);
    print_scratch(s, line);
    if (line->call.kernel) {
        next_argument(s);
        text_printf(&s->out, "epilogue=(%s, ", line->call.kernel);
        print_buffers(s, &line->call);
        text_add(&s->out, ", ");
        emit_python_exprs(s, line->call.ints, line->call.int_count);
        text_char(&s->out, ')');
        print_checks(s, &line->call);
    }
    text_add(&s->out, ")\n");
}
