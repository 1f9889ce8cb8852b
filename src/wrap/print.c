/* print.c -- wrapper IR as text: what `ferrite inspect --stage wrap` shows and diagnostics quote. */
#include "wrap/wrap_priv.h"

static const char *const kind_names[WRAP_KIND_COUNT] = {
#define WRAP(id, name, what) [WRAP_##id] = name,
#include "wrap/wrap.def"
#undef WRAP
};

const char *wrap_kind_name(wrap_kind k)
{
    return k < WRAP_KIND_COUNT ? kind_names[k] : "?";
}

static void print_buffer(const wrap_program *w, loop_buffer_id id, text *out)
{
    if (id == LOOP_NO_BUFFER)
        text_add(out, "none");
    else
        text_printf(out, "@%s", w->loops->buffers.at[id].name);
}

static void print_exprs(const wrap_program *w, const sym_expr *exprs, uint32_t count, text *out)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        sym_print(w->loops->symbols, exprs[i], out);
    }
    text_char(out, ']');
}

static void print_call(const wrap_program *w, const wrap_call *call, text *out)
{
    text_printf(out, "%s (", call->kernel);
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        if (i) text_add(out, ", ");
        print_buffer(w, call->buffers[i], out);
    }
    text_add(out, ") ints ");
    print_exprs(w, call->ints, call->int_count, out);
    text_add(out, " m ");
    sym_print(w->loops->symbols, call->outer, out);
    if (!sym_is_none(call->tiles)) {
        text_add(out, " tiles ");
        sym_print(w->loops->symbols, call->tiles, out);
    }
    if (call->split_inner) {
        text_add(out, " n ");
        sym_print(w->loops->symbols, call->inner, out);
    }
    text_printf(out, " cost %lld", (long long)call->cost);
    if (!call->check_count) return;
    text_add(out, " checks [");
    for (uint32_t i = 0; i < call->check_count; i++) {
        const wrap_check_row *check = &call->checks[i];
        if (i) text_add(out, ", ");
        loop_print_dimension(check->dimension, "", " ", out);
        if (check->wraps) text_add(out, "wraps ");
        text_quoted(out, check->where);
    }
    text_char(out, ']');
}

static void print_views(const wrap_program *w, const loop_view *views, const uint32_t *weights,
                        uint32_t count, text *out)
{
    text_char(out, '(');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        loop_print_view(w->loops, &views[i], out);
        if (weights && weights[i] != WRAP_NO_WEIGHT) text_printf(out, " packed %u", weights[i]);
    }
    text_char(out, ')');
}

static void print_scratch(const wrap_program *w, const wrap_scratch *scratch, text *out)
{
    if (!scratch->bytes) return;
    text_add(out, " scratch ");
    if (scratch->in != LOOP_NO_BUFFER)
        text_printf(out, "@%s ", w->loops->buffers.at[scratch->in].name);
    text_printf(out, "%lld bytes %lld", (long long)scratch->at, (long long)scratch->bytes);
}

static void print_extern(const wrap_program *w, const wrap_line *line, text *out)
{
    const loop_op *op = line->op;
    text_printf(out, " %s ", op->kernel);
    print_views(w, op->inputs, line->weights, op->input_count, out);
    text_add(out, " -> ");
    print_views(w, op->outputs, NULL, loop_result_count(w->loops, op), out);
    loop_print_workspace(w->loops, op, out);
    text_add(out, " ints ");
    print_exprs(w, op->ints, op->int_count, out);
    text_add(out, " floats [");
    for (uint32_t i = 0; i < op->float_count; i++) {
        if (i) text_add(out, ", ");
        text_double(out, op->floats[i]);
    }
    text_char(out, ']');
    if (op->message) {
        text_add(out, " text ");
        text_quoted(out, op->message);
    }
    if (op->callee) loop_print_callee(op->callee, out);
    print_scratch(w, &line->scratch, out);
    if (!line->call.kernel) return;
    text_add(out, " then ");
    print_call(w, &line->call, out);
}

static void print_symbol(const wrap_program *w, const wrap_line *line, text *out)
{
    text_char(out, ' ');
    sym_print(w->loops->symbols, line->symbol, out);
    text_add(out, " = ");
    if (line->op)
        loop_print_view(w->loops, &line->op->inputs[0], out);
    else if (line->input < 0)
        sym_print(w->loops->symbols, line->expr, out);
    else if (line->dimension < 0)
        text_printf(out, "input %d", line->input);
    else
        text_printf(out, "%s %d %d", line->is_stride ? "stride" : "size", line->input,
                    line->dimension);
    if (sym_is_none(line->scale)) return;
    text_add(out, " less ");
    sym_print(w->loops->symbols, line->shift, out);
    text_add(out, " by ");
    sym_print(w->loops->symbols, line->scale, out);
    if (line->power > 1) text_printf(out, " root %u", line->power);
}

static void print_output(const wrap_program *w, const wrap_line *line, text *out)
{
    const loop_output *output = &w->loops->outputs.at[line->index];
    text_printf(out, " %u ", line->index);
    switch (output->kind) {
    case LOOP_OUT_TENSOR: loop_print_view(w->loops, &output->view, out); break;
    case LOOP_OUT_INT:
    case LOOP_OUT_BOOL:
        text_add(out, output->kind == LOOP_OUT_INT ? "int " : "bool ");
        sym_print(w->loops->symbols, output->expr, out);
        break;
    case LOOP_OUT_FLOAT:
        text_add(out, "float ");
        text_double(out, output->number);
        break;
    case LOOP_OUT_STRING: text_quoted(out, output->string); break;
    case LOOP_OUT_NONE: text_add(out, "none"); break;
    }
}

/* A buffer that comes to life here: when it lives, where, how large. */
static void print_place(const wrap_program *w, loop_buffer_id id, text *out)
{
    const sched_life *life = &w->storage[id].life;
    print_buffer(w, id, out);
    if (life->in_arena)
        text_printf(out, " live [%u, %u)", life->birth, life->death);
    else
        text_printf(out, " output %d", w->storage[id].output);
    if (w->storage[id].segment) text_printf(out, " segment %u", w->storage[id].segment);
    if (w->storage[id].offset >= 0) text_printf(out, " at %lld", (long long)w->storage[id].offset);
    text_add(out, " bytes ");
    sym_print(w->loops->symbols, w->storage[id].bytes, out);
}

void wrap_print_line(const wrap_program *w, const wrap_line *line, text *out)
{
    if (wrap_is_control(line->kind)) {
        loop_print_control(w->loops, line->op, out);
        return;
    }
    text_add(out, wrap_kind_name(line->kind));
    switch (line->kind) {
    case WRAP_PLACE:
        text_printf(out, " %u", line->index);
        if (w->memory_of) wrap_print_memory(w->memory_of[line->index], out);
        break;
    case WRAP_DEVICE:
        if (ty_is_host(line->device))
            text_add(out, " cpu");
        else
            wrap_print_memory((wrap_memory){line->device, false}, out);
        break;
    case WRAP_MARK:
    case WRAP_AFTER:
        text_printf(out, " %u", line->index);
        wrap_print_memory((wrap_memory){line->device, false}, out);
        wrap_print_queue(line->queue, out);
        break;
    case WRAP_COPY:
        text_char(out, ' ');
        loop_print_view(w->loops, &line->op->inputs[0], out);
        text_add(out, " -> ");
        loop_print_view(w->loops, &line->op->outputs[0], out);
        if (wrap_is_async(w, line->op)) text_add(out, " async");
        break;
    case WRAP_PARTITION: wrap_print_part(w, line->part, out); break;
    case WRAP_ALLOC:
        text_char(out, ' ');
        print_place(w, line->buffer, out);
        break;
    case WRAP_WAIT:
    case WRAP_FREE:
        text_char(out, ' ');
        print_buffer(w, line->buffer, out);
        break;
    case WRAP_REUSE:
        text_char(out, ' ');
        print_buffer(w, line->old_buffer, out);
        text_add(out, " -> ");
        print_place(w, line->buffer, out);
        break;
    case WRAP_KERNEL:
        text_char(out, ' ');
        print_call(w, &line->call, out);
        break;
    case WRAP_EXTERN: print_extern(w, line, out); break;
    case WRAP_SYMBOL: print_symbol(w, line, out); break;
    case WRAP_SCRATCH:
        text_char(out, ' ');
        sym_print(w->loops->symbols, line->expr, out);
        break;
    case WRAP_ASSERT:
        text_char(out, ' ');
        sym_print_relation(w->loops->symbols, &line->relation, out);
        text_char(out, ' ');
        text_quoted(out, line->text ? line->text : "");
        break;
    case WRAP_COMMENT:
        text_char(out, ' ');
        text_quoted(out, line->text);
        break;
    case WRAP_OUTPUT: print_output(w, line, out); break;
    case WRAP_CLEAR:
        text_char(out, ' ');
        loop_print_view(w->loops, line->view, out);
        break;
    case WRAP_CHECK:
        text_add(out, line->of_output ? " output " : " ");
        loop_print_view(w->loops, line->view, out);
        text_add(out, line->finite ? " finite " : " no_nan ");
        text_quoted(out, line->text);
        break;
    default: break;
    }
}

static void print_output_memory(const wrap_program *w, loop_buffer_id id, text *out)
{
    loop_buffer_id input = w->storage[id].life.else_in;
    text_printf(out, "memory @%s output %d", w->loops->buffers.at[id].name, w->storage[id].output);
    if (input != LOOP_NO_BUFFER) text_printf(out, " else in @%s", w->loops->buffers.at[input].name);
    text_char(out, '\n');
}

/* Buffers in the memory of others, or of outputs. */
static void print_memory(const wrap_program *w, text *out)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        const char *name = w->loops->buffers.at[id].name;
        if (w->storage[id].life.root != id) {
            text_printf(out, "memory @%s in @%s", name,
                        w->loops->buffers.at[w->storage[id].life.root].name);
            if (!sym_is_none(w->storage[id].life.place)) {
                text_add(out, " at ");
                sym_print(w->loops->symbols, w->storage[id].life.place, out);
            }
            text_char(out, '\n');
        } else if (w->storage[id].output >= 0 && !w->storage[id].is_unbacked)
            print_output_memory(w, id, out);
    }
}

static void print_weight(const wrap_program *w, uint32_t k, text *out)
{
    const wrap_weight *weight = &w->weights.at[k];
    text_printf(out, "weight %u @%s at %lld bytes %lld", k,
                w->loops->buffers.at[weight->buffer].name, (long long)weight->offset,
                (long long)weight->bytes);
    if (weight->packed_for)
        text_printf(out, " packed %s %u", weight->packed_for->kernel, weight->operand);
    text_char(out, '\n');
}

void wrap_print(const wrap_program *w, text *out)
{
    VEC(sym_expr) defined = {0}; /* the program's ops and outputs are the lines */
    for (uint32_t i = 0; i < w->lines.count; i++)
        if (w->lines.at[i].kind == WRAP_SYMBOL && w->lines.at[i].input < 0)
            vec_push(w->memory, &defined, w->lines.at[i].symbol);
    loop_print_front(w->loops, defined.at, defined.count, out);
    text_printf(out, "wrapper arena %lld bound %lld weights %lld kernels %u calls %u%s",
                (long long)w->arena_bytes, (long long)w->lower_bound, (long long)w->weights_bytes,
                w->unique_kernels, w->kernel_calls, w->is_bounded ? " bounded" : "");
    if (w->scratch_bytes) text_printf(out, " scratch %lld", (long long)w->scratch_bytes);
    text_char(out, '\n');
    for (uint32_t k = 0; k < w->weights.count; k++) print_weight(w, k, out);
    print_memory(w, out);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        wrap_print_line(w, &w->lines.at[i], out);
        text_char(out, '\n');
    }
}
