/* check_device.c -- laws W9 and W10: calls run where what they write is, and the host waits for copies. */
#include "wrap/wrap_priv.h"

typedef struct device_check {
    const wrap_program *w;
    ty_device now;
    uint8_t *pending; /* by root: copies under way that the host must wait for */
    uint32_t pending_count;
    arena *memory;
    const char *law, *fault, *name;
} device_check;

static void fault(device_check *c, const char *law, const char *what, loop_buffer_id id)
{
    if (c->fault) return;
    c->law = law;
    c->fault = what;
    c->name = id == LOOP_NO_BUFFER ? "" : c->w->loops->buffers.at[id].name;
}

static void use(device_check *c, loop_buffer_id id)
{
    if (id != LOOP_NO_BUFFER && c->pending[c->w->storage[id].life.root])
        fault(c, "W10", "a buffer is used before its copy is waited for", id);
}

static void write(device_check *c, loop_buffer_id id)
{
    use(c, id);
    if (id != LOOP_NO_BUFFER && !ty_same_place(c->w->loops->buffers.at[id].device, c->now))
        fault(c, "W9", "a call writes to memory of another device than it runs on", id);
}

/* A kernel reaches the memory of its device alone. */
static void check_kernel(device_check *c, const wrap_call *call)
{
    for (uint32_t i = 0; i < call->buffer_count; i++) {
        loop_buffer_id id = call->buffers[i];
        if (id == LOOP_NO_BUFFER || ty_same_place(c->w->loops->buffers.at[id].device, c->now))
            continue;
        fault(c, "W9", "a kernel is called with memory of another device than it runs on", id);
    }
}

static void check_call(device_check *c, const wrap_line *line)
{
    check_kernel(c, &line->call);
    for (uint32_t i = 0; line->op && i < line->op->input_count; i++)
        use(c, line->op->inputs[i].buffer);
    for (uint32_t i = 0; line->op && i < line->op->output_count; i++)
        write(c, line->op->outputs[i].buffer);
    for (uint32_t i = 0; i < line->call.buffer_count; i++)
        if (line->call.is_written && line->call.is_written[i])
            write(c, line->call.buffers[i]);
        else
            use(c, line->call.buffers[i]);
}

static void begin(device_check *c, loop_buffer_id id)
{
    uint8_t *pending = &c->pending[c->w->storage[id].life.root];
    if (!wrap_is_on_host(c->w, id) || *pending) return;
    *pending = 1;
    c->pending_count++;
}

static void check_copy(device_check *c, const loop_op *op)
{
    loop_buffer_id from = op->inputs[0].buffer, to = op->outputs[0].buffer;
    if (!loop_moves(c->w->loops, op)) fault(c, "W9", "a copy stays on its device", to);
    use(c, to);
    if (wrap_is_async(c->w, op)) begin(c, from), begin(c, to);
}

static void check_alloc(device_check *c, loop_buffer_id id)
{
    const loop_buffer *b = &c->w->loops->buffers.at[id];
    const wrap_memory common = {.device = TY_HOST};
    const wrap_memory *at = c->w->memory_of ? &c->w->memory_of[c->w->storage[id].segment] : &common;
    if (c->w->storage[id].life.in_arena &&
        (!ty_same_place(at->device, b->device) || at->pinned != b->pinned))
        fault(c, "W9", "a buffer is in a segment of other memory", id);
}

/* Another function or region begins, or the program ends. */
static void leave(device_check *c)
{
    c->now = TY_HOST;
    if (c->pending_count) fault(c, "W10", "a copy is not waited for", LOOP_NO_BUFFER);
}

static void check_line(device_check *c, const wrap_line *line)
{
    if (wrap_is_control(line->kind) || line->kind == WRAP_PARTITION || line->kind == WRAP_OUTPUT)
        leave(c);
    switch (line->kind) {
    case WRAP_DEVICE: c->now = line->device; break;
    case WRAP_COPY: check_copy(c, line->op); break;
    case WRAP_WAIT:
        c->pending_count -= c->pending[c->w->storage[line->buffer].life.root];
        c->pending[c->w->storage[line->buffer].life.root] = 0;
        break;
    case WRAP_ALLOC: check_alloc(c, line->buffer); break;
    case WRAP_FREE: use(c, line->buffer); break;
    case WRAP_REUSE:
        use(c, line->old_buffer);
        check_alloc(c, line->buffer);
        break;
    case WRAP_CLEAR:
    case WRAP_CHECK: use(c, line->view->buffer); break;
    case WRAP_SYMBOL:
        if (line->op) use(c, line->op->inputs[0].buffer);
        break;
    case WRAP_KERNEL:
    case WRAP_EXTERN: check_call(c, line); break;
    default: break;
    }
}

const char *wrap_check_devices(const wrap_program *w, uint32_t *line, const char **law,
                               const char **name)
{
    arena *memory = arena_new(w->session);
    device_check c = {.w = w,
                      .memory = memory,
                      .now = TY_HOST,
                      .pending = NEW_ARRAY(memory, uint8_t, w->loops->buffers.count + 1)};
    for (uint32_t i = 0; i < w->lines.count && !c.fault; i++) {
        *line = i + 1;
        check_line(&c, &w->lines.at[i]);
    }
    *law = c.law;
    *name = c.name;
    arena_free(memory);
    return c.fault;
}
