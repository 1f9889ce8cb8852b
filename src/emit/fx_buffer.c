/* fx_buffer.c -- buffers and views in the FX printer: torch.empty_strided for what is allocated,
 * views on one piece of memory for buffers that take turns in it.
 */
#include "emit/fx.h"

#include <string.h>

static void dtype_word(text *out, ty_dtype dtype)
{
    text_printf(out, "%s\"dtype\": ", out->length ? ", " : "");
    emit_fx_dtype(dtype, out);
}

/* The host's common memory goes without saying. */
static void memory_words(const loop_buffer *b, text *out)
{
    if (!ty_is_host(b->device)) {
        text_add(out, out->length ? ", \"device\": " : "\"device\": ");
        emit_fx_device_name(b->device, out);
    }
    if (b->pinned) text_add(out, out->length ? ", \"pinned\": true" : "\"pinned\": true");
}

/* Is the memory exactly what sizes and strides reach? */
static bool is_exact(emit_state *s, const loop_buffer *b)
{
    sym_table *t = s->w->loops->symbols;
    int64_t elements;
    if (ty_known_empty(t, b->rank, b->sizes))
        return sym_is_int(t, b->elements, &elements) && elements == 0;
    return sym_known_equal(t, ty_reach(t, b->rank, b->sizes, b->strides), b->elements);
}

static void layout(emit_state *s, const loop_buffer *b, text *args)
{
    if (is_exact(s, b)) {
        emit_fx_exprs(s, b->sizes, b->rank, args);
        text_add(args, ", ");
        emit_fx_exprs(s, b->strides, b->rank, args);
        return;
    }
    text_char(args, '[');
    emit_fx_expr(s, b->elements, args);
    text_add(args, "], [1]");
}

static void allocate(emit_state *s, loop_buffer_id id)
{
    const loop_buffer *b = &s->w->loops->buffers.at[id];
    const wrap_program *w = s->w;
    text args, kwargs;
    emit_fx_text(s, &args);
    emit_fx_text(s, &kwargs);
    layout(s, b, &args);
    dtype_word(&kwargs, b->dtype);
    memory_words(b, &kwargs);
    emit_fx_call(s, s->names[id], b->pinned ? "ferrite.empty_pinned" : "torch.empty_strided", &args,
                 &kwargs);
    if (!w->storage[id].life.in_arena) emit_fx_set_memory(s, id, s->names[id]);
}

/* Do others lie in its root's memory? */
static bool is_shared(const wrap_program *w, loop_buffer_id root)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++)
        if (id != root && w->storage[id].life.root == root) return true;
    return false;
}

static sym_expr shift_of(const wrap_program *w, loop_buffer_id id)
{
    sym_expr shift = wrap_shift(w, id);
    return sym_is_none(shift) ? sym_int(w->loops->symbols, 0) : shift;
}

/* One piece of memory for all buffers of a root that sizes are known of. */
static void share(emit_state *s, loop_buffer_id root)
{
    const wrap_program *w = s->w;
    sym_table *t = w->loops->symbols;
    sym_expr bytes = sym_int(t, 0);
    text args, kwargs;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        if (w->storage[id].life.root != root) continue;
        sym_expr end = sym_add(t, shift_of(w, id), w->storage[id].bytes);
        if (emit_fx_is_known(s, end)) bytes = sym_max(t, bytes, end);
    }
    const char *name = emit_fx_fresh(s, "memory");
    emit_fx_text(s, &args);
    emit_fx_expr(s, bytes, &args);
    emit_fx_text(s, &kwargs);
    memory_words(&w->loops->buffers.at[root], &kwargs);
    emit_fx_call(s, name, "ferrite.memory", &args, &kwargs);
    emit_fx_set_memory(s, root, name);
}

/* A view on memory that is there. */
static void lay(emit_state *s, loop_buffer_id id)
{
    const loop_buffer *b = &s->w->loops->buffers.at[id];
    text args;
    emit_fx_text(s, &args);
    emit_fx_ref(s, emit_fx_memory_of(s, s->w->storage[id].life.root), &args);
    text_add(&args, ", ");
    emit_fx_dtype(b->dtype, &args);
    text_add(&args, ", ");
    layout(s, b, &args);
    text_add(&args, ", ");
    emit_fx_expr(s, shift_of(s->w, id), &args);
    emit_fx_call(s, s->names[id], "ferrite.view", &args, NULL);
}

void emit_fx_declare(emit_state *s, loop_buffer_id id)
{
    const wrap_program *w = s->w;
    loop_buffer_id root = w->storage[id].life.root;
    const loop_buffer *b = &w->loops->buffers.at[id];
    const char *attribute = NULL;
    switch (w->storage[id].kind) {
    case WRAP_STORAGE_STATE:
    case WRAP_STORAGE_WEIGHT:
        attribute = arena_printf(s->memory, "%s_%u", wrap_storage_name(w->storage[id].kind),
                                 wrap_storage_number(w, id));
        break;
    case WRAP_STORAGE_ARENA:
        if (!is_shared(w, root)) {
            allocate(s, id);
            break;
        }
        if (!emit_fx_memory_of(s, root)) share(s, root);
        lay(s, id);
        break;
    case WRAP_STORAGE_OUTPUT:
        if (w->storage[id].life.else_in == LOOP_NO_BUFFER) {
            allocate(s, id);
            break;
        }
        emit_fx_set_memory(s, id, s->names[w->storage[id].life.else_in]);
        lay(s, id);
        break;
    case WRAP_STORAGE_ALIAS: lay(s, id); break;
    default: /* an input is a placeholder */
        if (b->donated) emit_fx_set_memory(s, id, s->names[id]);
    }
    if (!attribute) return;
    text args;
    const char *raw = emit_fx_fresh(s, "bytes");
    emit_fx_node(s, "get_attr", raw, attribute, NULL, NULL);
    emit_fx_text(s, &args);
    emit_fx_ref(s, raw, &args);
    text_add(&args, ", ");
    emit_fx_dtype(b->dtype, &args);
    text_add(&args, ", ");
    layout(s, b, &args);
    text_add(&args, ", 0");
    const char *here = ty_is_host(b->device) ? s->names[id] : emit_fx_fresh(s, "host");
    emit_fx_call(s, here, "ferrite.view", &args, NULL);
    if (here == s->names[id]) return;
    emit_fx_text(s, &args);
    emit_fx_ref(s, here, &args);
    text_add(&args, ", ");
    emit_fx_device_name(b->device, &args);
    emit_fx_call(s, s->names[id], "ferrite.on", &args, NULL);
}

void emit_fx_declare_fixed(emit_state *s)
{
    for (uint32_t i = 0; i < s->w->fixed.count; i++) emit_fx_declare(s, s->w->fixed.at[i]);
}

void emit_fx_buffer(emit_state *s, loop_buffer_id id, text *out)
{
    if (id == LOOP_NO_BUFFER)
        text_add(out, "null");
    else
        emit_fx_ref(s, s->names[id], out);
}

void emit_fx_view(emit_state *s, const loop_view *view, uint32_t weight, text *out)
{
    text args;
    if (view->buffer == LOOP_NO_BUFFER) {
        text_add(out, "null");
        return;
    }
    emit_fx_text(s, &args);
    if (weight != WRAP_NO_WEIGHT) {
        /* re-laid bytes under the sizes that they stand for */
        const char *raw = emit_fx_fresh(s, "bytes");
        emit_fx_node(s, "get_attr", raw, arena_printf(s->memory, "weight_%u", weight), NULL, NULL);
        text_add(out, "{\"packed\": ");
        emit_fx_ref(s, raw, out);
        text_add(out, ", \"as\": [");
        emit_fx_dtype(view->dtype, out);
        text_add(out, ", ");
        emit_fx_exprs(s, view->sizes, view->rank, out);
        text_add(out, ", ");
        emit_fx_exprs(s, view->strides, view->rank, out);
        text_add(out, "]}");
        return;
    }
    const char *name = emit_fx_fresh(s, "view");
    emit_fx_buffer(s, view->buffer, &args);
    text_add(&args, ", ");
    emit_fx_exprs(s, view->sizes, view->rank, &args);
    text_add(&args, ", ");
    emit_fx_exprs(s, view->strides, view->rank, &args);
    text_add(&args, ", ");
    emit_fx_expr(s, view->offset, &args);
    emit_fx_call(s, name, "ferrite.as_strided", &args, NULL);
    emit_fx_ref(s, name, out);
}

void emit_fx_views(emit_state *s, const loop_view *views, const uint32_t *weights, uint32_t count,
                   text *out)
{
    text_char(out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        emit_fx_view(s, &views[i], weights ? weights[i] : WRAP_NO_WEIGHT, out);
    }
    text_char(out, ']');
}
