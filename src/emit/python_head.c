/* python_head.c -- what stands around the lines of a Python module: tables of inputs, outputs and
 * weights; checks of dynamic sizes; what the module offers.
 */
#include "emit/python.h"

#include <string.h>

/* ---- ports ---- */

static void print_dims(emit_state *s, const sym_expr *dims, uint32_t rank)
{
    text_char(&s->out, '(');
    for (uint32_t d = 0; d < rank; d++) {
        int64_t value;
        if (!sym_is_int(s->w->loops->symbols, dims[d], &value)) value = -1;
        text_printf(&s->out, "%s%lld%s", d ? " " : "", (long long)value,
                    d + 1 < rank || rank == 1 ? "," : "");
    }
    text_add(&s->out, "), ");
}

static void print_port(emit_state *s, const char *name, const char *dtype, uint32_t rank,
                       const sym_expr *sizes, const sym_expr *strides)
{
    text_add(&s->out, "    rt.Port(");
    emit_python_text(&s->out, name);
    text_printf(&s->out, ", %s, ", dtype);
    print_dims(s, sizes, rank);
    print_dims(s, strides, rank);
    text_add(&s->out, "\"[");
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(&s->out, ", ");
        sym_print(s->w->loops->symbols, sizes[d], &s->out);
    }
    text_add(&s->out, "]\"");
}

static void print_inputs(emit_state *s)
{
    const loop_program *p = s->w->loops;
    text_add(&s->out, "INPUTS = [\n");
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *input = &p->inputs.at[k];
        const loop_buffer *b = input->is_tensor ? &p->buffers.at[input->buffer] : NULL;
        if (b) {
            print_port(s, input->name, emit_python_dtype(b->dtype), b->rank, b->sizes, b->strides);
            text_add(&s->out, "),\n");
            continue;
        }
        bool is_read = input->dtype != TY_NO_DTYPE;
        print_port(s, input->name, is_read ? emit_python_dtype(input->dtype) : "0", 0, NULL, NULL);
        text_add(&s->out, is_read ? ", number=True),\n" : "),\n");
    }
    text_add(&s->out, "]\n");
}

static void print_outputs(emit_state *s)
{
    const loop_program *p = s->w->loops;
    text_add(&s->out, "OUTPUTS = [\n");
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *o = &p->outputs.at[k];
        const char *name = arena_printf(s->memory, "output_%u", k);
        if (o->kind == LOOP_OUT_TENSOR)
            print_port(s, name, emit_python_dtype(o->view.dtype), o->view.rank, o->view.sizes,
                       o->view.strides);
        else
            print_port(s, name,
                       o->kind == LOOP_OUT_FLOAT  ? "rt.F64"
                       : o->kind == LOOP_OUT_BOOL ? "rt.BOOL"
                       : o->kind == LOOP_OUT_INT  ? "rt.I64"
                                                  : "0",
                       0, NULL, NULL);
        text_add(&s->out, o->kind == LOOP_OUT_TENSOR ? "),\n" : ", number=True),\n");
    }
    text_add(&s->out, "]\n");
}

/* ---- weights, states, segments ---- */

static void print_weights(emit_state *s)
{
    text_add(&s->out, "WEIGHTS = [  # name, place, bytes\n");
    for (uint32_t k = 0; k < s->w->weights.count; k++) {
        const wrap_weight *weight = &s->w->weights.at[k];
        text_add(&s->out, "    (");
        emit_python_text(&s->out, s->w->loops->buffers.at[weight->buffer].name);
        text_printf(&s->out, ", %lld, %lld),", (long long)weight->offset, (long long)weight->bytes);
        if (weight->packed_for)
            text_printf(&s->out, "  # packed for %s", weight->packed_for->kernel);
        text_char(&s->out, '\n');
    }
    text_add(&s->out, "]\nSTATES = [");
    for (uint32_t k = 0; k < s->w->state_count; k++)
        text_printf(&s->out, "%s%u", k ? ", " : "", wrap_weight_of_state(s->w, k));
    text_add(&s->out, "]\n");
}

static void print_row(emit_state *s, const uint32_t *row, uint32_t count)
{
    text_char(&s->out, '[');
    for (uint32_t i = 0; i < count; i++) text_printf(&s->out, "%s%u", i ? ", " : "", row[i]);
    text_char(&s->out, ']');
}

static void print_rows(emit_state *s, const uint32_t *rows, uint32_t count, uint32_t length)
{
    text_char(&s->out, '[');
    for (uint32_t k = 0; k < count; k++) {
        if (k) text_add(&s->out, ",\n            ");
        print_row(s, rows + (size_t)k * length, length);
    }
    text_char(&s->out, ']');
}

static void print_lives(emit_state *s, uint32_t segment)
{
    const plan_template *t = &s->w->layouts[segment].lives;
    text_printf(&s->out, "LIVES_%u = rt.Lives(\n    first=", segment);
    print_row(s, t->first, t->block_count + 1);
    text_add(&s->out, ",\n    stretches=[");
    for (uint32_t k = 0; k < t->stretch_count; k++)
        text_printf(&s->out, "%s(%u, %u, %u, %u)", k ? ", " : "", t->stretches[k].low,
                    t->stretches[k].high, t->stretches[k].from, t->stretches[k].to);
    text_add(&s->out, "],\n    members=");
    print_row(s, t->members, t->stretch_count ? t->stretches[t->stretch_count - 1].to : 0);
    text_add(&s->out, ",\n    block_of=");
    print_row(s, t->block_of, t->buffer_count);
    text_add(&s->out, ",\n    orders=");
    print_rows(s, t->orders, t->order_count, t->block_count);
    if (t->stack_count) text_add(&s->out, ",\n    stacks=");
    if (t->stack_count) print_rows(s, t->stacks, t->stack_count, t->block_count);
    if (t->rule) text_printf(&s->out, ",\n    rule=%u", t->rule);
    text_printf(&s->out, ",\n    sections=%u)\n", t->section_count);
}

/* ---- what the library has ---- */

static void print_names(emit_state *s)
{
    map seen = {0};
    for (uint32_t k = 0; k < s->input->kernel_count; k++)
        text_printf(&s->out, "%s = library.kernel(\"%s\")\n", s->input->kernels[k].name,
                    s->input->kernels[k].name);
    for (uint32_t i = 0; i < s->w->lines.count; i++) {
        const wrap_line *line = &s->w->lines.at[i];
        if (line->kind != WRAP_EXTERN) continue;
        bool custom = line->op->callee;
        const char *name = custom ? line->op->callee->symbol : line->op->kernel;
        const char *known =
            intern(s->w->session, arena_printf(s->memory, "%s_%s", custom ? "custom" : "op", name));
        if (map_get(&seen, MAP_KEY(known)) != MAP_NONE) continue;
        map_set(s->memory, &seen, MAP_KEY(known), 1);
        text_printf(&s->out, "%s = library.%s(\"%s\")\n", known, custom ? "custom" : "operator",
                    name);
    }
}

/* ---- checks of inputs ---- */

static void check_range(emit_state *s, const wrap_line *line)
{
    int64_t min, max;
    const char *name = sym_name(s->w->loops->symbols, line->symbol);
    sym_range(s->w->loops->symbols, line->symbol, NULL, &min, &max);
    if (!wrap_asks_range(line, min, max)) return;
    emit_python_indent(s);
    text_printf(&s->out, "f.check_range(%d, ", line->input);
    if (line->dimension < 0)
        text_add(&s->out, "None");
    else
        text_printf(&s->out, "%d", line->dimension);
    text_printf(&s->out, ", \"%s\", %s, ", name, name);
    if (min == SYM_NO_MIN)
        text_add(&s->out, "None, ");
    else
        text_printf(&s->out, "%lld, ", (long long)min);
    if (max == SYM_NO_MAX)
        text_add(&s->out, "None");
    else
        text_printf(&s->out, "%lld", (long long)max);
    bool solved = !sym_is_none(line->scale);
    if (line->is_stride) text_add(&s->out, ", what=\"stride\"");
    text_add(&s->out, solved ? ", solved=True)\n" : ")\n");
}

static void check_dim(emit_state *s, const char *what, uint32_t k, uint32_t d, sym_expr e)
{
    if (sym_is_int(s->w->loops->symbols, e, NULL)) return;
    emit_python_indent(s);
    text_printf(&s->out, "f.check_%s(%u, %u, ", what, k, d);
    sym_print_python(s->w->loops->symbols, e, &s->out);
    text_add(&s->out, ", \"");
    sym_print(s->w->loops->symbols, e, &s->out);
    text_add(&s->out, "\")\n");
}

/* A number: what the program was exported with, where it is not a symbol. */
static void check_number(emit_state *s, uint32_t k)
{
    const loop_input *input = &s->w->loops->inputs.at[k];
    const sym_table *t = s->w->loops->symbols;
    if (input->dtype == TY_NO_DTYPE) return;
    if (input->dtype != TY_F64 && sym_op_of(t, input->expr) == SYM_SYMBOL) return;
    emit_python_indent(s);
    text_printf(&s->out, "f.check_number(%u, ", k);
    for (int shown = 0; shown < 2; shown++) {
        if (shown) text_add(&s->out, ", \"");
        if (input->dtype == TY_F64)
            emit_python_double(&s->out, input->number);
        else if (shown)
            sym_print(t, input->expr, &s->out);
        else
            sym_print_python(t, input->expr, &s->out);
    }
    text_add(&s->out, "\")\n");
}

static void print_checks(emit_state *s)
{
    const loop_program *p = s->w->loops;
    for (uint32_t i = 0; i < s->w->lines.count && wrap_is_input_symbol(&s->w->lines.at[i]); i++)
        check_range(s, &s->w->lines.at[i]);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        if (!p->inputs.at[k].is_tensor) {
            check_number(s, k);
            continue;
        }
        const loop_buffer *b = &p->buffers.at[p->inputs.at[k].buffer];
        for (uint32_t d = 0; d < b->rank; d++) check_dim(s, "size", k, d, b->sizes[d]);
        for (uint32_t d = 0; d < b->rank; d++) check_dim(s, "stride", k, d, b->strides[d]);
    }
}

/* ---- begin and end ---- */

/* Inside of quotes that others write. */
static void print_inside(emit_state *s, const char *before, const char *said)
{
    text quoted;
    text_init(&quoted, s->memory);
    emit_python_text(&quoted, said);
    text_add(&s->out, before);
    text_add_n(&s->out, quoted.at + 1, quoted.length - 2);
}

static void print_head(emit_state *s)
{
    const wrap_program *w = s->w;
    const char *module = emit_module_name(s->input);
    text_printf(&s->out, "\"\"\"%s, made by %s", w->name, s->input->producer);
    if (s->input->source) print_inside(s, " from ", s->input->source);
    text_printf(
        &s->out,
        ": %u kernel calls, %u distinct kernels.\n\n"
        "    import %s\n    y = %s.run(x)  # torch tensors, numpy arrays, or DLPack\n\n"
        "run keeps its arena and states from call to call; Context() makes one more of it.\n"
        "\"\"\"\n\nimport functools\nimport os\nfrom math import inf, nan  # noqa: F401\n\n"
        "import ferrite_runtime as rt\n\n"
        "library = rt.Library(os.path.join(os.path.dirname(os.path.abspath(__file__)), "
        "\"%s_kernels.so\"))\n",
        w->kernel_calls, w->unique_kernels, module, module, module);
}

static bool uses_arena(const wrap_program *w)
{
    bool uses = false;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count && !uses; id++)
        uses = w->storage[id].kind == WRAP_STORAGE_ARENA && w->storage[id].segment == 0;
    return uses;
}

void emit_python_begin(emit_state *s)
{
    const wrap_program *w = s->w;
    print_head(s);
    print_names(s);
    text_char(&s->out, '\n');
    print_inputs(s);
    print_outputs(s);
    print_weights(s);
    emit_python_parts(s);
    for (uint32_t k = 0; k < w->segment_count; k++)
        if (!wrap_is_fixed(w, k)) print_lives(s, k);
    text_add(&s->out, "\n\ndef lines(f):\n");
    for (uint32_t i = 0; i < w->lines.count && wrap_is_input_symbol(&w->lines.at[i]); i++)
        emit_python_symbol(s, &w->lines.at[i]);
    print_checks(s);
    while (s->head_lines < w->lines.count && (wrap_is_input_symbol(&w->lines.at[s->head_lines]) ||
                                              w->lines.at[s->head_lines].kind == WRAP_ASSERT)) {
        const wrap_line *line = &w->lines.at[s->head_lines++];
        if (line->kind == WRAP_ASSERT) emit_target_python.line[WRAP_ASSERT](s, line);
    }
    if (w->is_dynamic)
        emit_target_python.line[WRAP_PLACE](s, &(wrap_line){.kind = WRAP_PLACE});
    else if (uses_arena(w)) {
        emit_python_indent(s);
        text_printf(&s->out, "arena = f.arena(0, %lld)\n", (long long)w->arena_bytes);
    }
    emit_python_declare_fixed(s);
}

static void print_numbers(emit_state *s, const char *word,
                          uint32_t (*next)(const wrap_program *w, uint32_t k))
{
    uint32_t inputs = s->w->loops->inputs.count, k = next(s->w, 0);
    if (k == inputs) return;
    text_printf(&s->out, ", %s=(%u,", word, k);
    while ((k = next(s->w, k + 1)) < inputs) text_printf(&s->out, " %u,", k);
    text_char(&s->out, ')');
}

static void print_taken(emit_state *s)
{
    const loop_program *p = s->w->loops;
    uint32_t given = loop_given_count(p);
    if (given == p->inputs.count) return;
    text_add(&s->out, ", taken=(");
    for (uint32_t k = given; k < p->inputs.count; k++)
        text_printf(&s->out, "(%u, %s), ", p->inputs.at[k].of,
                    p->inputs.at[k].taken == LOOP_START_OF ? "True" : "False");
    text_char(&s->out, ')');
}

void emit_python_end(emit_state *s)
{
    const wrap_program *w = s->w;
    emit_python_leave_part(s);
    if (w->lines.count == 0) text_add(&s->out, "    pass\n");
    text_add(&s->out, "\n\nprogram = rt.Program(");
    emit_python_text(&s->out, w->name);
    text_printf(&s->out, ", library, INPUTS, OUTPUTS, lines, WEIGHTS, %lld, STATES, PARTS",
                (long long)w->weights_bytes);
    print_numbers(s, "donated", wrap_next_overwritten);
    print_numbers(s, "mutated", wrap_next_mutated);
    print_taken(s);
    if (w->segment_count > 1) text_add(&s->out, ", grows=True");
    text_add(&s->out, ")\nContext = functools.partial(rt.Context, program)\nrun = Context()\n");
    vec_push(s->memory, &s->files,
             (emit_file){arena_printf(s->memory, "%s.py", emit_module_name(s->input)), s->out.at,
                         s->out.length, false});
}
