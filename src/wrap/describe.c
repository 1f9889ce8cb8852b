/* describe.c -- what an artifact says of itself to hosts that are written for no program in particular, as
 * JSON: fe_artifact.signature in ferrite_abi.h has its form.
 */
#include "wrap/wrap.h"

static const char *kind_of_input(const loop_input *input)
{
    if (input->is_tensor) return "tensor";
    switch (input->dtype) {
    case TY_F64: return "float";
    case TY_BOOL: return "bool";
    case TY_NO_DTYPE: return "none";
    default: return "int";
    }
}

static void print_dims(const sym_table *symbols, const char *what, const sym_expr *dims,
                       uint32_t rank, text *out)
{
    text_printf(out, ", \"%s\": [", what);
    for (uint32_t d = 0; d < rank; d++) {
        const char *quote = sym_is_int(symbols, dims[d], NULL) ? "" : "\"";
        text_printf(out, "%s%s", d ? ", " : "", quote);
        sym_print_python(symbols, dims[d], out);
        text_add(out, quote);
    }
    text_char(out, ']');
}

static void print_tensor(const sym_table *symbols, ty_dtype dtype, const sym_expr *sizes,
                         const sym_expr *strides, uint32_t rank, text *out)
{
    text_printf(out, ", \"dtype\": %d", ty_dtype_number(dtype));
    print_dims(symbols, "sizes", sizes, rank, out);
    print_dims(symbols, "strides", strides, rank, out);
}

static void print_device(uint32_t device, text *out)
{
    if (device) text_printf(out, ", \"device\": %u", device);
}

static void print_input(const wrap_program *w, const loop_input *input, text *out)
{
    text_add(out, "{\"name\": ");
    text_json(out, input->name);
    text_printf(out, ", \"kind\": \"%s\"", kind_of_input(input));
    if (input->is_tensor) {
        const loop_buffer *b = &w->loops->buffers.at[input->buffer];
        print_tensor(w->loops->symbols, b->dtype, b->sizes, b->strides, b->rank, out);
        print_device(wrap_device_number(w, b->device), out);
    }
    text_char(out, '}');
}

static void print_output(const wrap_program *w, const loop_output *output, text *out)
{
    static const char *const KINDS[] = {
        [LOOP_OUT_TENSOR] = "tensor", [LOOP_OUT_INT] = "int",       [LOOP_OUT_FLOAT] = "float",
        [LOOP_OUT_BOOL] = "bool",     [LOOP_OUT_STRING] = "string", [LOOP_OUT_NONE] = "none"};
    const loop_view *v = &output->view;
    text_printf(out, "{\"kind\": \"%s\"", KINDS[output->kind]);
    if (output->kind == LOOP_OUT_TENSOR) {
        print_tensor(w->loops->symbols, v->dtype, v->sizes, v->strides, v->rank, out);
        print_device(wrap_device_number(w, w->loops->buffers.at[v->buffer].device), out);
    }
    if (output->kind == LOOP_OUT_STRING) {
        text_add(out, ", \"value\": ");
        text_json(out, output->string);
    }
    text_char(out, '}');
}

static void print_bound(int64_t bound, bool is_known, text *out)
{
    if (is_known)
        text_printf(out, ", %lld", (long long)bound);
    else
        text_add(out, ", null");
}

static void print_symbols(const wrap_program *w, text *out)
{
    bool is_first = true;
    text_add(out, "], \"symbols\": [");
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        int64_t min, max;
        if (line->kind != WRAP_SYMBOL) continue;
        sym_range(w->loops->symbols, line->symbol, NULL, &min, &max);
        text_printf(out, "%s[\"%s\"", is_first ? "" : ", ",
                    sym_name(w->loops->symbols, line->symbol));
        print_bound(min, min > -INT64_MAX, out);
        print_bound(max, max != SYM_NO_MAX, out);
        text_char(out, ']');
        is_first = false;
    }
}

static void print_tree(const char *what, const char *tree, text *out)
{
    if (!tree) return;
    text_printf(out, ", \"%s\": ", what);
    text_json(out, tree);
}

/* By itself, or where its storage is written to. */
static bool gets_new_value(const wrap_program *w, uint32_t input)
{
    const loop_program *p = w->loops;
    for (uint32_t k = wrap_next_mutated(w, 0); k < p->inputs.count; k = wrap_next_mutated(w, k + 1))
        if (k == input || (p->inputs.at[k].taken && p->inputs.at[k].of == input)) return true;
    return false;
}

void wrap_describe(const wrap_program *w, text *out)
{
    const loop_program *p = w->loops;
    uint32_t mutated = 0;
    text_add(out, "{\"name\": ");
    text_json(out, w->name);
    text_add(out, ", \"inputs\": [");
    for (uint32_t k = 0; k < loop_given_count(p); k++) {
        if (k) text_add(out, ", ");
        print_input(w, &p->inputs.at[k], out);
    }
    text_add(out, "], \"outputs\": [");
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        if (k) text_add(out, ", ");
        print_output(w, &p->outputs.at[k], out);
    }
    print_symbols(w, out);
    text_add(out, "], \"mutated\": [");
    for (uint32_t k = 0; k < loop_given_count(p); k++)
        if (gets_new_value(w, k)) text_printf(out, "%s%u", mutated++ ? ", " : "", k);
    text_char(out, ']');
    print_tree("input_tree", w->input_tree, out);
    print_tree("output_tree", w->output_tree, out);
    text_char(out, '}');
}
