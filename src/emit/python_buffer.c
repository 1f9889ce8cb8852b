/* python_buffer.c -- where buffers lie, addresses in bytes, and the views of them that calls are given. */
#include "emit/python.h"

void emit_python_address(emit_state *s, loop_buffer_id id)
{
    text_add(&s->out, id == LOOP_NO_BUFFER ? "None" : s->names[id]);
}

/* + so many elements, in bytes. */
void emit_python_offset(emit_state *s, sym_expr elements, ty_dtype dtype)
{
    const sym_table *t = s->w->loops->symbols;
    int64_t value;
    if (sym_is_none(elements)) return;
    if (sym_is_int(t, elements, &value)) {
        if (value)
            text_printf(&s->out, " + %lld", (long long)value * (long long)ty_dtype_size(dtype));
        return;
    }
    text_add(&s->out, " + ");
    emit_python_expr(s, elements);
    if (ty_dtype_size(dtype) > 1) text_printf(&s->out, " * %u", (unsigned)ty_dtype_size(dtype));
}

static void print_place(emit_state *s, loop_buffer_id id)
{
    emit_python_offset(s, s->w->storage[id].life.place, s->w->loops->buffers.at[id].dtype);
}

static void print_arena(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    uint32_t segment = w->storage[id].segment;
    if (wrap_is_fixed(w, segment))
        text_printf(&s->out, "arena + %lld", (long long)w->storage[id].offset);
    else
        text_printf(&s->out, "places_%u[%u]", segment, w->storage[id].slot);
    if (!wrap_offset_has_place(w, id)) print_place(s, id);
}

void emit_python_declare(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    emit_python_indent(s);
    text_printf(&s->out, "%s = ", s->names[id]);
    const wrap_storage *of = &w->storage[id];
    switch (of->kind) {
    case WRAP_STORAGE_ARENA: print_arena(s, id); break;
    case WRAP_STORAGE_OUTPUT:
        if (of->life.else_in != LOOP_NO_BUFFER) {
            text_printf(&s->out, "f.input(%u)", w->loops->buffers.at[of->life.else_in].input);
            break;
        }
        text_printf(&s->out, "f.output_memory(%d, ", of->output);
        emit_python_expr(s, of->bytes);
        text_char(&s->out, ')');
        break;
    case WRAP_STORAGE_ALIAS:
        text_add(&s->out, s->names[of->life.root]);
        print_place(s, id);
        break;
    default:
        text_printf(&s->out, "f.%s(%u)", wrap_storage_name(of->kind), wrap_storage_number(w, id));
    }
    text_char(&s->out, '\n');
}

void emit_python_declare_fixed(emit_state *s)
{
    for (uint32_t i = 0; i < s->w->fixed.count; i++) emit_python_declare(s, s->w->fixed.at[i]);
}

static void print_parts(emit_state *s, const loop_view *view, uint32_t weight)
{
    if (weight != WRAP_NO_WEIGHT)
        text_printf(&s->out, "f.weight(%u)", weight);
    else {
        emit_python_address(s, view->buffer);
        emit_python_offset(s, view->offset, s->w->loops->buffers.at[view->buffer].dtype);
    }
    text_printf(&s->out, ", %s, ", emit_python_dtype(view->dtype));
    emit_python_exprs(s, view->sizes, view->rank);
    text_add(&s->out, ", ");
    emit_python_exprs(s, view->strides, view->rank);
}

void emit_python_view_parts(emit_state *s, const loop_view *view)
{
    print_parts(s, view, WRAP_NO_WEIGHT);
}

static void print_view(emit_state *s, const loop_view *view, uint32_t weight)
{
    if (view->buffer == LOOP_NO_BUFFER) {
        text_add(&s->out, "None");
        return;
    }
    text_char(&s->out, '(');
    print_parts(s, view, weight);
    text_char(&s->out, ')');
}

void emit_python_view(emit_state *s, const loop_view *view)
{
    print_view(s, view, WRAP_NO_WEIGHT);
}

void emit_python_views(emit_state *s, const loop_view *views, const uint32_t *weights,
                       uint32_t count)
{
    text_char(&s->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(&s->out, ", ");
        print_view(s, &views[i], weights ? weights[i] : WRAP_NO_WEIGHT);
    }
    text_char(&s->out, ']');
}
