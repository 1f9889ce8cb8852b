/* fx_call.c -- calls of kernels, runtime operators and the user's functions in the FX printer. */
#include "emit/fx.h"

static void buffers(emit_state *s, const wrap_call *call, text *out)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        if (i) text_add(out, ", ");
        emit_fx_buffer(s, call->buffers[i], out);
    }
    text_char(out, ']');
}

/* "name", [buffers], [ints] */
static void kernel_args(emit_state *s, const wrap_call *call, text *out)
{
    emit_fx_string(out, call->kernel);
    text_add(out, ", ");
    buffers(s, call, out);
    text_add(out, ", ");
    emit_fx_exprs(s, call->ints, call->int_count, out);
}

/* Places of the buffers that the kernel writes to; null where nobody has said. */
static void mutated(const wrap_call *call, text *out)
{
    bool any = false;
    if (!call->is_written) {
        text_add(out, "null");
        return;
    }
    text_char(out, '[');
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        if (!call->is_written[i]) continue;
        text_printf(out, "%s%u", any ? ", " : "", i);
        any = true;
    }
    text_char(out, ']');
}

/* Of each index that the kernel looks at: dimension, whether negative ones wrap, the operator. */
static void checks(const wrap_call *call, text *out)
{
    if (call->check_count == 0) return;
    text_add(out, ", \"checks\": [");
    for (uint32_t i = 0; i < call->check_count; i++) {
        const wrap_check_row *check = &call->checks[i];
        text_printf(out, "%s[%d, %s, ", i ? ", " : "", check->dimension,
                    check->wraps ? "true" : "false");
        emit_fx_string(out, check->where);
        text_char(out, ']');
    }
    text_char(out, ']');
}

void emit_fx_kernel(emit_state *s, const wrap_line *line)
{
    const wrap_call *call = &line->call;
    text args, kwargs;
    emit_fx_text(s, &args);
    emit_fx_text(s, &kwargs);
    emit_fx_ref(s, "library", &args);
    text_add(&args, ", ");
    kernel_args(s, call, &args);
    text_add(&kwargs, "\"grid\": [");
    emit_fx_expr(s, call->outer, &kwargs);
    text_add(&kwargs, ", ");
    if (call->split_inner)
        emit_fx_expr(s, call->inner, &kwargs);
    else
        text_add(&kwargs, "null");
    text_printf(&kwargs, "], \"cost\": %lld, \"mutated\": ", (long long)call->cost);
    mutated(call, &kwargs);
    checks(call, &kwargs);
    emit_fx_call(s, emit_fx_fresh(s, call->kernel), "ferrite.kernel", &args, &kwargs);
}

/* ---- the user's functions ---- */

static void print_argument(emit_state *s, const wrap_line *line, const loop_argument *a, text *out)
{
    const loop_op *op = line->op;
    switch (a->letter) {
    case 'T': emit_fx_view(s, &op->inputs[a->number], line->weights[a->number], out); return;
    case 'M': /* its memory is the output's */
    case 'O': emit_fx_view(s, &op->outputs[a->number], WRAP_NO_WEIGHT, out); return;
    case 'b':
        text_add(out, "{\"bool\": ");
        emit_fx_expr(s, op->ints[a->number], out);
        text_char(out, '}');
        return;
    case 'i': emit_fx_expr(s, op->ints[a->number], out); return;
    case 'f':
        text_add(out, "{\"number\": ");
        emit_fx_double(out, op->floats[a->number]);
        text_char(out, '}');
        return;
    case 's': emit_fx_string(out, op->callee->strings[a->number]); return;
    case '[':
    case ']': text_char(out, a->letter); return;
    default: text_add(out, "null"); return;
    }
}

static void print_custom(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    text args, kwargs;
    emit_fx_text(s, &args);
    emit_fx_text(s, &kwargs);
    loop_arguments letters = loop_arguments_of(op->callee);
    loop_argument argument;
    emit_fx_ref(s, "library", &args);
    text_printf(&args, ", \"%s\", [", op->callee->symbol);
    while (loop_next_argument(&letters, &argument)) {
        if (!argument.is_first && argument.letter != ']') text_add(&args, ", ");
        print_argument(s, line, &argument, &args);
    }
    text_char(&args, ']');
    text_add(&kwargs, "\"out\": ");
    emit_fx_views(s, op->outputs + letters.outputs, NULL, op->output_count - letters.outputs,
                  &kwargs);
    if (op->callee->made_count) text_add(&kwargs, ", \"made\": [");
    for (uint32_t k = 0; k < op->callee->made_count; k++) {
        const loop_made *m = &op->callee->made[k];
        text_printf(&kwargs, "%s[%u, %d, %u]", k ? ", " : "", m->result,
                    (int)ty_dtype_number(m->dtype), m->key);
    }
    if (op->callee->made_count) text_char(&kwargs, ']');
    emit_fx_call(s, emit_fx_fresh(s, op->callee->symbol), "ferrite.custom", &args, &kwargs);
}

/* ---- runtime operators ---- */

static void operator_words(emit_state *s, const wrap_line *line, text *kwargs)
{
    const loop_op *op = line->op;
    text_add(kwargs, ", \"ints\": ");
    emit_fx_exprs(s, op->ints, op->int_count, kwargs);
    text_add(kwargs, ", \"floats\": [");
    for (uint32_t i = 0; i < op->float_count; i++) {
        if (i) text_add(kwargs, ", ");
        emit_fx_double(kwargs, op->floats[i]);
    }
    text_char(kwargs, ']');
    if (op->message) {
        text_add(kwargs, ", \"text\": ");
        emit_fx_string(kwargs, op->message);
    }
    if (!line->call.kernel) return;
    text_add(kwargs, ", \"epilogue\": [");
    kernel_args(s, &line->call, kwargs);
    text_char(kwargs, ']');
    checks(&line->call, kwargs);
}

void emit_fx_extern(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    text args, kwargs;
    if (op->callee) {
        print_custom(s, line);
        return;
    }
    emit_fx_text(s, &args);
    emit_fx_text(s, &kwargs);
    emit_fx_ref(s, "library", &args);
    text_printf(&args, ", \"%s\", ", op->kernel);
    emit_fx_views(s, op->inputs, line->weights, op->input_count, &args);
    text_add(&kwargs, "\"out\": ");
    emit_fx_views(s, op->outputs, NULL, loop_result_count(s->w->loops, op), &kwargs);
    if (loop_workspace_of(s->w->loops, op)) {
        text_add(&kwargs, ", \"work\": ");
        emit_fx_buffer(s, loop_workspace_of(s->w->loops, op)->buffer, &kwargs);
    }
    operator_words(s, line, &kwargs);
    emit_fx_call(s, emit_fx_fresh(s, op->kernel), "ferrite.extern", &args, &kwargs);
}
