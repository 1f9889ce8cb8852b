/* c_head.c -- what stands around the lines of a C program: tables of inputs, outputs, weights and
 * symbols; checks of dynamic sizes; kernel files.
 */
#include "emit/c.h"

#include <math.h>
#include <string.h>

void emit_c_double(text *out, double value)
{
    if (isnan(value))
        text_add(out, "FE_NAN");
    else if (isinf(value))
        text_add(out, value > 0 ? "FE_INFINITY" : "-FE_INFINITY");
    else
        text_double(out, value);
}

void emit_c_text(text *out, const char *value)
{
    text_char(out, '"');
    for (const char *at = value; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\' || (c == '?' && at > value && at[-1] == '?'))
            text_printf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_printf(out, "\\%03o", c);
        else
            text_char(out, *at); /* UTF-8 passes through */
    }
    text_char(out, '"');
}

/* Symbols are numbered in the order of their lines, which is that of their definitions. */
static void number_symbols(emit_state *s)
{
    const wrap_program *w = s->w;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind != WRAP_SYMBOL) continue;
        if (map_get(&s->symbols, line->symbol.id) == MAP_NONE)
            map_set(s->memory, &s->symbols, line->symbol.id, count);
        count++;
    }
    while (s->input_symbols < w->lines.count &&
           wrap_is_input_symbol(&w->lines.at[s->input_symbols]))
        s->input_symbols++;
}

uint32_t emit_c_symbol_index(const emit_state *s, sym_expr symbol)
{
    return map_get(&s->symbols, symbol.id);
}

/* ---- tables ---- */

static void print_dims(emit_state *s, const char *field, const sym_expr *dims, uint32_t rank)
{
    text_printf(&s->out, ".%s = (const int64_t[]){", field);
    for (uint32_t d = 0; d < rank; d++) {
        int64_t value = -1;
        if (!sym_is_int(s->w->loops->symbols, dims[d], &value)) value = -1;
        text_printf(&s->out, "%s%lld", d ? ", " : "", (long long)value);
    }
    text_add(&s->out, rank ? "}, " : "0}, ");
}

static const char *shape_text(emit_state *s, const sym_expr *sizes, uint32_t rank)
{
    text t;
    text_init(&t, s->memory);
    text_char(&t, '[');
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(&t, ", ");
        sym_print(s->w->loops->symbols, sizes[d], &t);
    }
    text_char(&t, ']');
    return t.at;
}

void emit_c_port(emit_state *s, const char *name, int dtype, uint32_t rank, const sym_expr *sizes,
                 const sym_expr *strides)
{
    text_add(&s->out, "    {.name = ");
    emit_c_text(&s->out, name);
    text_printf(&s->out, ", .dtype = %d, .rank = %u, ", dtype, rank);
    print_dims(s, "sizes", sizes, rank);
    print_dims(s, "strides", strides, rank);
    text_add(&s->out, ".shape_text = ");
    emit_c_text(&s->out, shape_text(s, sizes, rank));
    text_add(&s->out, "},\n");
}

static int number_dtype(const loop_output *output)
{
    switch (output->kind) {
    case LOOP_OUT_FLOAT: return ty_dtype_number(TY_F64);
    case LOOP_OUT_BOOL: return ty_dtype_number(TY_BOOL);
    default: return ty_dtype_number(TY_I64);
    }
}

typedef struct input_search {
    const emit_state *s;
    bool is_unbacked;
} input_search;

static void look_for_late(void *data, sym_expr symbol)
{
    input_search *search = data;
    search->is_unbacked |= emit_c_symbol_index(search->s, symbol) >= search->s->input_symbols;
}

/* Does a size of the output hold a symbol that the inputs do not tell? */
static bool is_unbacked(const emit_state *s, const loop_output *output)
{
    input_search search = {.s = s};
    for (uint32_t d = 0; output->kind == LOOP_OUT_TENSOR && d < output->view.rank; d++)
        sym_each_symbol(s->w->loops->symbols, output->view.sizes[d], look_for_late, &search);
    return search.is_unbacked;
}

static void print_ports(emit_state *s)
{
    const loop_program *p = s->w->loops;
    text_add(&s->out, "static const fe_port input_ports[] = {\n");
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *input = &p->inputs.at[k];
        if (input->is_tensor) {
            const loop_buffer *b = &p->buffers.at[input->buffer];
            emit_c_port(s, input->name, ty_dtype_number(b->dtype), b->rank, b->sizes, b->strides);
        } else
            emit_c_port(s, input->name,
                        input->dtype == TY_NO_DTYPE ? 0 : ty_dtype_number(input->dtype), 0, NULL,
                        NULL);
    }
    text_add(&s->out, "    {0}};\n\nstatic const fe_port output_ports[] = {\n");
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *output = &p->outputs.at[k];
        const char *name = arena_printf(s->memory, "output_%u", k);
        if (output->kind == LOOP_OUT_TENSOR)
            emit_c_port(s, name, ty_dtype_number(output->view.dtype), output->view.rank,
                        output->view.sizes, output->view.strides);
        else
            emit_c_port(s, name, number_dtype(output), 0, NULL, NULL);
    }
    text_add(&s->out, "    {0}};\n\nstatic const uint8_t late_outputs[] = {");
    for (uint32_t k = 0; k < p->outputs.count; k++)
        text_add(&s->out, is_unbacked(s, &p->outputs.at[k]) ? "1, " : "0, ");
    text_add(&s->out, "0};\n\n");
}

/* Memory that a context has for outputs from the beginning. */
static void print_output_bytes(emit_state *s)
{
    if (!s->w->is_bounded) return;
    text_add(&s->out, "static const int64_t output_bytes[] = {");
    for (uint32_t k = 0; k < s->w->loops->outputs.count; k++)
        text_printf(&s->out, "%lld, ", (long long)s->w->output_bytes[k]);
    text_add(&s->out, "0};\n\n");
}

static void print_weights(emit_state *s)
{
    text_add(&s->out, "static const rt_weight weight_table[] = {\n");
    for (uint32_t k = 0; k < s->w->weights.count; k++) {
        const wrap_weight *weight = &s->w->weights.at[k];
        text_add(&s->out, "    {");
        emit_c_text(&s->out, s->w->loops->buffers.at[weight->buffer].name);
        text_printf(&s->out, ", %lld, %lld, %u},", (long long)weight->offset,
                    (long long)weight->bytes,
                    wrap_device_number(s->w, s->w->loops->buffers.at[weight->buffer].device));
        if (weight->packed_for)
            text_printf(&s->out, " /* packed for %s */", weight->packed_for->kernel);
        text_char(&s->out, '\n');
    }
    text_add(&s->out, "    {0, 0, 0, 0}};\n\n");
}

static void print_states(emit_state *s)
{
    text_add(&s->out, "static const uint32_t state_table[] = {");
    for (uint32_t k = 0; k < s->w->state_count; k++)
        text_printf(&s->out, "%u, ", wrap_weight_of_state(s->w, k));
    text_add(&s->out, "0};\n\nstatic const fe_port state_ports[] = {\n");
    for (uint32_t k = 0; k < s->w->state_count; k++) {
        const loop_buffer *b = &s->w->loops->buffers.at[wrap_buffer_of_state(s->w, k)];
        emit_c_port(s, b->name, ty_dtype_number(b->dtype), b->rank, b->sizes, b->strides);
    }
    text_add(&s->out, "    {0}};\n\n");
}

static uint32_t print_symbols(emit_state *s)
{
    uint32_t count = 0;
    text_add(&s->out, "static const rt_symbol symbol_table[] = {\n");
    for (uint32_t i = 0; i < s->w->lines.count; i++) {
        const wrap_line *line = &s->w->lines.at[i];
        int64_t min, max;
        if (line->kind != WRAP_SYMBOL) continue;
        sym_range(s->w->loops->symbols, line->symbol, NULL, &min, &max);
        if (min < -INT64_MAX) min = -INT64_MAX;
        text_printf(&s->out, "    {\"%s\", %lld, %lld},\n",
                    sym_name(s->w->loops->symbols, line->symbol), (long long)min, (long long)max);
        count++;
    }
    text_add(&s->out, "    {0, 0, 0}};\n\n");
    return count;
}

/* ---- checks of dynamic sizes ---- */

static void check_dimension(emit_state *s, const char *input, uint32_t k, uint32_t d, sym_expr size)
{
    if (sym_is_int(s->w->loops->symbols, size, NULL)) return;
    text_printf(&s->out, "    if (f->in[%u].sizes[%u] != ", k, d);
    sym_print_c(s->w->loops->symbols, size, &s->out);
    text_printf(&s->out,
                ")\n        return rt_fail(f, FE_RUN_BAD_INPUT, \"input '%%s' has size %%lld in "
                "dimension %u, expected ",
                d);
    sym_print(s->w->loops->symbols, size, &s->out);
    text_add(&s->out, " = %lld\", ");
    emit_c_text(&s->out, input);
    text_printf(&s->out, ",\n                       (long long)f->in[%u].sizes[%u], (long long)(",
                k, d);
    sym_print_c(s->w->loops->symbols, size, &s->out);
    text_add(&s->out, "));\n");
}

static void check_stride(emit_state *s, uint32_t k, uint32_t d, sym_expr stride)
{
    if (sym_is_int(s->w->loops->symbols, stride, NULL)) return;
    text_printf(&s->out, "    RT_TRY(rt_check_stride(f, %u, %u, ", k, d);
    sym_print_c(s->w->loops->symbols, stride, &s->out);
    text_add(&s->out, ", \"");
    sym_print(s->w->loops->symbols, stride, &s->out);
    text_add(&s->out, "\"));\n");
}

static const char *bounds_text(emit_state *s, int64_t min, int64_t max)
{
    if (max == SYM_NO_MAX) return arena_printf(s->memory, "at least %lld", (long long)min);
    if (min == SYM_NO_MIN) return arena_printf(s->memory, "at most %lld", (long long)max);
    return arena_printf(s->memory, "in [%lld, %lld]", (long long)min, (long long)max);
}

static void check_symbol_range(emit_state *s, const wrap_line *line)
{
    int64_t min, max;
    text *out = &s->out;
    const char *name = sym_name(s->w->loops->symbols, line->symbol);
    sym_range(s->w->loops->symbols, line->symbol, NULL, &min, &max);
    if (line->input < 0 || !wrap_asks_range(line, min, max)) return;
    text_printf(out,
                "    if (%s < %lldLL || %s > %lldLL)\n        return rt_fail(f, FE_RUN_BAD_INPUT, ",
                name, (long long)(min < -INT64_MAX ? -INT64_MAX : min), name, (long long)max);
    if (line->dimension < 0)
        text_add(out, "\"input '%s' is %lld");
    else
        text_printf(out, "\"input '%%s' has %s %%lld in dimension %d",
                    line->is_stride ? "stride" : "size", line->dimension);
    if (!sym_is_none(line->scale)) text_printf(out, ", so %s is %%lld", name);
    text_printf(out, ": %s must be %s\", ", name, bounds_text(s, min, max));
    emit_c_text(out, s->w->loops->inputs.at[line->input].name);
    if (line->dimension >= 0) text_printf(out, ", (long long)%s", emit_c_source(s, line));
    if (line->dimension < 0 || !sym_is_none(line->scale)) text_printf(out, ", (long long)%s", name);
    text_add(out, ");\n");
}

/* A number: what the program was exported with, where it is not a symbol. */
static void check_number(emit_state *s, uint32_t k)
{
    const loop_input *input = &s->w->loops->inputs.at[k];
    text *out = &s->out;
    if (input->dtype == TY_NO_DTYPE) return;
    if (input->dtype == TY_F64) {
        text value;
        text_init(&value, s->memory);
        emit_c_double(&value, input->number);
        text_printf(out,
                    "    if (!rt_same_float(*(const double *)f->inputs[%u], %s))\n        return "
                    "rt_fail(f, FE_RUN_BAD_INPUT, \"input '%%s' is %%.17g, the program is made for "
                    "%%.17g\", ",
                    k, value.at);
        emit_c_text(out, input->name);
        text_printf(out, ", *(const double *)f->inputs[%u], %s);\n", k, value.at);
        return;
    }
    if (sym_op_of(s->w->loops->symbols, input->expr) == SYM_SYMBOL) return;
    wrap_line line = {.input = (int32_t)k, .dimension = -1};
    text_printf(out, "    if (%s != ", emit_c_source(s, &line));
    sym_print_c(s->w->loops->symbols, input->expr, out);
    text_add(out,
             ")\n        return rt_fail(f, FE_RUN_BAD_INPUT, \"input '%s' is %lld, the program is "
             "made for ");
    sym_print(s->w->loops->symbols, input->expr, out);
    text_add(out, "\", ");
    emit_c_text(out, input->name);
    text_printf(out, ", (long long)%s);\n", emit_c_source(s, &line));
}

static void print_checks(emit_state *s)
{
    const loop_program *p = s->w->loops;
    for (uint32_t i = 0; i < s->input_symbols; i++) check_symbol_range(s, &s->w->lines.at[i]);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        if (!p->inputs.at[k].is_tensor) {
            check_number(s, k);
            continue;
        }
        const loop_buffer *b = &p->buffers.at[p->inputs.at[k].buffer];
        for (uint32_t d = 0; d < b->rank; d++)
            check_dimension(s, p->inputs.at[k].name, k, d, b->sizes[d]);
        for (uint32_t d = 0; d < b->rank; d++) check_stride(s, k, d, b->strides[d]);
    }
}

/* ---- begin and end ---- */

void emit_c_declare_kernels(emit_state *s)
{
    for (uint32_t k = 0; k < s->input->kernel_count; k++)
        text_printf(&s->out,
                    "void %s(const fe_kernel_args *args, int64_t m0, int64_t m1, int64_t n0, "
                    "int64_t n1);\n",
                    s->input->kernels[k].name);
}

void emit_c_rename_kernels(const emit_input *input, text *out)
{
    for (uint32_t k = 0; k < input->kernel_count; k++)
        if (input->kernels[k].renamed)
            text_printf(out, "#define %s %s\n", input->kernels[k].name, input->kernels[k].renamed);
}

static void print_head(emit_state *s)
{
    text_printf(&s->out, "/* %s, made by %s", s->w->name, s->input->producer);
    if (s->input->source) text_printf(&s->out, " from %s", s->input->source);
    text_printf(&s->out,
                ".\n *\n * %u kernel calls, %u distinct kernels; weights %lld bytes; arena %lld "
                "bytes, of which at most %lld "
                "live at once.\n */\n#include \"rt_program.h\"\n\n",
                s->w->kernel_calls, s->w->unique_kernels, (long long)s->w->weights_bytes,
                (long long)s->w->arena_bytes, (long long)s->w->lower_bound);
    if (s->w->devices.count) text_add(&s->out, "#include \"rt_device.h\"\n\n");
    emit_c_rename_kernels(s->input, &s->out);
    emit_c_declare_kernels(s);
    emit_c_custom_head(s);
    text_char(&s->out, '\n');
}

void emit_c_begin(emit_state *s)
{
    number_symbols(s);
    print_head(s);
    print_ports(s);
    print_output_bytes(s);
    emit_c_donated(s);
    emit_c_taken(s);
    emit_c_returned(s);
    print_weights(s);
    print_states(s);
    emit_c_devices(s);
    emit_c_segments(s);
    emit_c_part_tables(s);
    text_add(&s->out, "static int run(rt_frame *f)\n{\n");
    for (uint32_t i = 0; i < s->input_symbols; i++) emit_c_symbol(s, &s->w->lines.at[i]);
    print_checks(s);
    s->head_lines = s->input_symbols;
    while (s->head_lines < s->w->lines.count && s->w->lines.at[s->head_lines].kind == WRAP_ASSERT)
        emit_c_assert(s, &s->w->lines.at[s->head_lines++]);
    if (s->w->is_dynamic) text_add(&s->out, "    RT_TRY(rt_place(f, 0));\n");
    text_add(&s->out, "    char *const arena = f->segments[0].memory;\n    (void)arena;\n");
    emit_c_declare_fixed(s);
}

/* "decode_": in front of the names of files of one program of several. */
static const char *stem_of(emit_state *s)
{
    return s->input->stem ? arena_printf(s->memory, "%s_", s->input->stem) : "";
}

/* Kernels spread over `parts` files by the length of their source, so that compilers can run side
 * by side. */
void emit_c_kernel_files(emit_state *s)
{
    const emit_input *input = s->input;
    uint32_t parts = input->parts ? input->parts : 1, count = input->kernel_count;
    uint32_t own = 0;
    for (uint32_t k = 0; k < count; k++) own += !input->kernels[k].is_shared;
    if (parts > own) parts = own;
    size_t *length = NEW_ARRAY(s->memory, size_t, parts + 1);
    uint32_t *part_of = NEW_ARRAY(s->memory, uint32_t, count + 1),
             *members = NEW_ARRAY(s->memory, uint32_t, count + 1);
    for (uint32_t k = 0; k < count; k++) {
        if (input->kernels[k].is_shared) {
            part_of[k] = UINT32_MAX;
            continue;
        }
        for (uint32_t i = 1; i < parts; i++)
            if (length[i] < length[part_of[k]]) part_of[k] = i;
        length[part_of[k]] += strlen(input->kernels[k].source);
    }
    for (uint32_t i = 0; i < parts; i++) {
        text file;
        uint32_t n = 0;
        for (uint32_t k = 0; k < count; k++)
            if (part_of[k] == i) members[n++] = input->kernels[k].number;
        text_init(&file, s->memory);
        text_printf(&file, "/* Kernels of %s for %s. */\n", s->w->name, input->vectors);
        emit_c_rename_kernels(input, &file);
        input->prelude(input->data, members, n, &file);
        for (uint32_t k = 0; k < count; k++)
            if (part_of[k] == i) text_printf(&file, "%s\n", input->kernels[k].source);
        vec_push(s->memory, &s->files,
                 (emit_file){arena_printf(s->memory, "%skernels_%u.c", stem_of(s), i), file.at,
                             file.length, true});
    }
}

static void print_rooms(emit_state *s, const wrap_scratch_row *row)
{
    if (!row->each) return;
    text_add(&s->out, "    .rooms = (const rt_room[]){");
    for (; row->each; row++)
        text_printf(&s->out, "{%lld, %lld}, ", (long long)row->each, (long long)row->bytes);
    text_add(&s->out, "{0, 0}},\n");
}

static void print_signature(emit_state *s)
{
    text json;
    text_init(&json, s->memory);
    wrap_describe(s->w, &json);
    text_add(&s->out, "    .signature = ");
    emit_c_text(&s->out, json.at);
    text_add(&s->out, ",\n");
}

void emit_c_end(emit_state *s)
{
    const wrap_program *w = s->w;
    emit_c_leave_parts(s);
    emit_c_step(s);
    text_add(&s->out, "    return 0;\n}\n\n");
    text_add_n(&s->out, s->behind.at, s->behind.length);
    uint32_t symbols = print_symbols(s);
    emit_c_custom_names(s);
    emit_c_transforms(s);
    bool fixed = w->segment_count == 1 && !w->is_dynamic;
    const wrap_scratch_row *rows;
    int64_t without = wrap_scratch_rows(w, s->memory, &rows);
    text_add(&s->out, "static const rt_program program = {\n    .name = ");
    emit_c_text(&s->out, w->name);
    text_printf(
        &s->out,
        ",\n    .inputs = input_ports,\n    .input_count = %u,\n    .outputs = output_ports,\n    "
        ".output_count = %u,\n    .late_outputs = late_outputs,\n%s"
        "    .weights = weight_table,\n    .weight_count = %u,\n    .weights_bytes = %lld,\n"
        "    .weights_key = 0x%016llxull,\n    .states = state_table,\n    .state_ports = "
        "state_ports,\n    "
        ".state_count = %u,\n    "
        ".symbols = symbol_table,\n    .symbol_count = %u,\n"
        "    .arena_bytes = %lld,\n    .arena_lower_bound = %lld,\n"
        "    .segments = segment_table,\n    .segment_count = %u,\n"
        "    .kernel_calls = %u,\n    .unique_kernels = %u,\n    .step_count = %u,\n    .run = "
        "run,\n    .each_bytes = %lld,\n",
        w->loops->inputs.count, w->loops->outputs.count,
        w->is_bounded ? "    .output_bytes = output_bytes,\n" : "", w->weights.count,
        (long long)w->weights_bytes, (unsigned long long)s->input->weights_key, s->w->state_count,
        symbols, (long long)(fixed ? w->arena_bytes : -1), (long long)(fixed ? w->lower_bound : -1),
        w->segment_count, w->kernel_calls, w->unique_kernels, s->input->profile ? s->step : 0,
        (long long)without);
    print_rooms(s, rows);
    emit_c_table_fields(s);
    emit_c_device_fields(s);
    emit_c_part_fields(s);
    emit_c_custom_fields(s);
    emit_c_donated_fields(s);
    print_signature(s);
    if (s->input->weights_name) {
        text_add(&s->out, "    .weights_name = ");
        emit_c_text(&s->out, s->input->weights_name);
        text_add(&s->out, ",\n");
    }
    const char *entry = s->input->entry;
    text_printf(&s->out, "    .isa = \"%s\",\n};\n\nRT_ENTRY(%s, program)\n", s->input->vectors,
                entry);
    vec_push(s->memory, &s->files,
             (emit_file){arena_printf(s->memory, "%smodel.c", stem_of(s)), s->out.at, s->out.length,
                         false});
    emit_c_kernel_files(s);
}
