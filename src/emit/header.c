/* header.c -- MODEL.h: what a C program needs to know of an artifact at compile time. */
#include "emit/emit.h"

static void print_shape(const loop_program *p, const char *prefix, const char *what, uint32_t k,
                        const char *name, const char *dtype, const sym_expr *sizes, uint32_t rank,
                        text *out)
{
    text_printf(out, "/* %s %u: %s, %s [", what, k, name, dtype);
    for (uint32_t d = 0; d < rank; d++) {
        if (d) text_add(out, ", ");
        sym_print(p->symbols, sizes[d], out);
    }
    text_printf(out, "] */\n#define %s_%s_%u_RANK %u\n", prefix, what, k, rank);
    for (uint32_t d = 0; d < rank; d++) {
        int64_t size;
        if (sym_is_int(p->symbols, sizes[d], &size))
            text_printf(out, "#define %s_%s_%u_SIZE_%u %lld\n", prefix, what, k, d,
                        (long long)size);
    }
}

static char *upper(arena *memory, const char *name)
{
    char *made = arena_strdup(memory, emit_identifier(memory, name));
    for (char *c = made; *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 'a' + 'A');
    return made;
}

fe_status emit_header(const emit_input *input, const char *guard_name, arena *memory,
                      emit_file *out)
{
    const wrap_program *w = input->wrapper;
    const loop_program *p = w->loops;
    const char *prefix = upper(memory, guard_name);
    text t;
    text_init(&t, memory);
    text_printf(
        &t, "/* %s, made by %s: inputs and outputs in order. Run it through ferrite_abi.h. */\n",
        w->name, input->producer);
    text_printf(&t, "#ifndef %s_H\n#define %s_H\n\n#include \"ferrite_abi.h\"\n\n", prefix, prefix);
    text_printf(&t, "#define %s_INPUTS %u\n#define %s_OUTPUTS %u\n", prefix, p->inputs.count,
                prefix, p->outputs.count);
    for (uint32_t k = 0; k < p->inputs.count; k++) {
        const loop_input *in = &p->inputs.at[k];
        if (!in->is_tensor) {
            text_printf(&t, "/* INPUT %u: %s, a number */\n", k, in->name);
            continue;
        }
        const loop_buffer *b = &p->buffers.at[in->buffer];
        print_shape(p, prefix, "INPUT", k, in->name, ty_dtype_torch_name(b->dtype), b->sizes,
                    b->rank, &t);
    }
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *o = &p->outputs.at[k];
        if (o->kind == LOOP_OUT_TENSOR)
            print_shape(p, prefix, "OUTPUT", k, arena_printf(memory, "output_%u", k),
                        ty_dtype_torch_name(o->view.dtype), o->view.sizes, o->view.rank, &t);
        else
            text_printf(&t, "/* OUTPUT %u: a number or nothing */\n", k);
    }
    text_printf(&t, "\n#endif\n");
    *out = (emit_file){arena_printf(memory, "%s.h", guard_name), t.at, t.length};
    return FE_OK;
}
