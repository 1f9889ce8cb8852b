/* header.c -- MODEL.h: what a C program needs to know of an artifact at compile time. */
#include "emit/c.h"

#include <string.h>

static char *upper(arena *memory, const char *name)
{
    char *made = arena_strdup(memory, emit_identifier(memory, name));
    for (char *c = made; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
    return made;
}

static void print_name(const char *macro, const char *name, text *out)
{
    text_printf(out, "#define %s_NAME ", macro);
    emit_c_text(out, name);
    text_char(out, '\n');
}

static void print_unread(const char *what, const char *macro, const char *name, text *out)
{
    text_printf(out, "\n/* %s */\n", what);
    print_name(macro, name, out);
}

/* `macro` is how the names of all macros of this input or output begin. */
static void print_tensor(const loop_program *p, const char *macro, const char *name, ty_dtype dtype,
                         const sym_expr *sizes, uint32_t rank, text *out)
{
    text_printf(out, "\n/* %s [", ty_dtype_torch_name(dtype));
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(out, ", ");
        sym_print(p->symbols, sizes[d], out);
    }
    text_add(out, "] */\n");
    print_name(macro, name, out);
    text_printf(out, "#define %s_DTYPE FE_%s\n", macro, upper(out->memory, ty_dtype_name(dtype)));
    text_printf(out, "#define %s_RANK %u\n", macro, rank);
    for (uint32_t d = 0; d < rank; d++) {
        int64_t size;
        if (sym_is_int(p->symbols, sizes[d], &size))
            text_printf(out, "#define %s_SIZE_%u %lld\n", macro, d, (long long)size);
    }
}

static void print_input(const emit_input *input, uint32_t k, const char *prefix, text *out)
{
    const loop_program *p = input->wrapper->loops;
    const loop_input *in = &p->inputs.at[k];
    const loop_buffer *b = in->is_tensor ? &p->buffers.at[in->buffer] : NULL;
    const char *macro = arena_printf(out->memory, "%s_INPUT_%u", prefix, k);
    if (!b && in->dtype == TY_NO_DTYPE)
        print_unread("not read", macro, in->name, out);
    else if (!b)
        print_tensor(p, macro, in->name, in->dtype, NULL, 0, out);
    else
        print_tensor(p, macro, in->name, b->dtype, b->sizes, b->rank, out);
    if (b && wrap_is_overwritten(input->wrapper, in->buffer))
        text_printf(out, "/* a run overwrites it */\n#define %s_DONATED 1\n", macro);
}

static void print_output(const emit_input *input, uint32_t k, const char *prefix, text *out)
{
    const loop_program *p = input->wrapper->loops;
    const loop_output *o = &p->outputs.at[k];
    const char *macro = arena_printf(out->memory, "%s_OUTPUT_%u", prefix, k),
               *name = arena_printf(out->memory, "output_%u", k);
    int32_t in = wrap_input_of_output(input->wrapper, k);
    if (o->kind == LOOP_OUT_TENSOR)
        print_tensor(p, macro, name, o->view.dtype, o->view.sizes, o->view.rank, out);
    else
        print_unread("a number or nothing", macro, name, out);
    if (in >= 0)
        text_printf(out, "/* in that input, where it is given no memory */\n#define %s_INPUT %d\n",
                    macro, in);
}

/* `prefix` is how all macros of the program begin. */
static void print_program(const emit_input *input, const char *prefix, text *out)
{
    const loop_program *p = input->wrapper->loops;
    if (strcmp(input->entry, "ferrite_artifact") != 0)
        text_printf(out, "FE_ARTIFACT const fe_artifact *%s(void);\n\n", input->entry);
    text_printf(out, "#define %s_INPUTS %u\n#define %s_OUTPUTS %u\n", prefix, loop_given_count(p),
                prefix, p->outputs.count);
    for (uint32_t k = 0; k < loop_given_count(p); k++) print_input(input, k, prefix, out);
    for (uint32_t k = 0; k < p->outputs.count; k++) print_output(input, k, prefix, out);
}

fe_status emit_header(const emit_input *inputs, uint32_t count, const char *name, arena *memory,
                      emit_file *out)
{
    const char *guard = upper(memory, name);
    text t;
    text_init(&t, memory);
    text_printf(
        &t, "/* %s, made by %s: inputs and outputs in order. Run it through ferrite_abi.h. */\n",
        count == 1 ? inputs->wrapper->name : name, inputs->producer);
    text_printf(&t, "#ifndef %s_H\n#define %s_H\n\n#include \"ferrite_abi.h\"\n\n", guard, guard);
    for (uint32_t k = 0; k < count; k++) {
        if (k) text_char(&t, '\n');
        print_program(&inputs[k], count == 1 ? guard : upper(memory, inputs[k].wrapper->name), &t);
    }
    text_printf(&t, "\n#endif\n");
    *out = (emit_file){arena_printf(memory, "%s.h", name), t.at, t.length, false};
    return FE_OK;
}
