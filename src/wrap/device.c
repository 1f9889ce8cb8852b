/* device.c -- programs of several devices: segments by memory, the device that calls run on, and what the
 * host waits for.
 */
#include "wrap/wrap_priv.h"

static wrap_memory memory_of(const wrap_program *w, loop_buffer_id id)
{
    const loop_buffer *b = &w->loops->buffers.at[id];
    return (wrap_memory){b->device, b->pinned};
}

static bool is_common(wrap_memory at)
{
    return ty_is_host(at.device) && !at.pinned;
}

static bool same_memory(wrap_memory a, wrap_memory b)
{
    return ty_same_place(a.device, b.device) && a.pinned == b.pinned;
}

bool wrap_share_memory(const wrap_program *w, uint32_t segment, uint32_t other)
{
    return !w->memory_of || same_memory(w->memory_of[segment], w->memory_of[other]);
}

/* ---- which there are ---- */

void wrap_find_devices(wrap_program *w)
{
    w->devices.count = 0;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        ty_device device = w->loops->buffers.at[id].device;
        if (!ty_is_host(device) && !wrap_device_number(w, device))
            vec_push(w->memory, &w->devices, device);
    }
}

uint32_t wrap_device_number(const wrap_program *w, ty_device device)
{
    for (uint32_t k = 0; k < w->devices.count; k++)
        if (ty_same_place(w->devices.at[k], device)) return k + 1;
    return 0;
}

uint32_t wrap_device_of_input(const wrap_program *w, uint32_t input)
{
    const loop_input *in = &w->loops->inputs.at[input];
    return in->is_tensor ? wrap_device_number(w, w->loops->buffers.at[in->buffer].device) : 0;
}

uint32_t wrap_device_of_output(const wrap_program *w, uint32_t output)
{
    const loop_output *out = &w->loops->outputs.at[output];
    if (out->kind != LOOP_OUT_TENSOR) return 0;
    return wrap_device_number(w, w->loops->buffers.at[out->view.buffer].device);
}

bool wrap_has_inputs_elsewhere(const wrap_program *w)
{
    for (uint32_t k = 0; k < w->loops->inputs.count; k++)
        if (wrap_device_of_input(w, k)) return true;
    return false;
}

bool wrap_has_outputs_elsewhere(const wrap_program *w)
{
    for (uint32_t k = 0; k < w->loops->outputs.count; k++)
        if (wrap_device_of_output(w, k)) return true;
    return false;
}

ty_device wrap_device_of_call(const wrap_program *w, const wrap_call *call)
{
    return call->buffer_count ? w->loops->buffers.at[call->buffers[0]].device : TY_HOST;
}

static uint32_t checks_elsewhere(const wrap_program *w, const wrap_call *call)
{
    return ty_is_host(wrap_device_of_call(w, call)) ? 0 : call->check_count;
}

void wrap_each_device_check(const wrap_program *w,
                            void (*visit)(void *data, const wrap_check_row *check), void *data)
{
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_call *call = &w->lines.at[i].call;
        for (uint32_t k = 0; k < checks_elsewhere(w, call); k++) visit(data, &call->checks[k]);
    }
}

uint32_t wrap_first_check(const wrap_program *w, const wrap_call *call)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < w->lines.count && &w->lines.at[i].call != call; i++)
        number += checks_elsewhere(w, &w->lines.at[i].call);
    return number;
}

/* ---- segments ---- */

/* There are no more segments than buffers. */
void wrap_set_memory(wrap_program *w, uint32_t segment, wrap_memory at)
{
    uint32_t most = w->loops->buffers.count + 2;
    if (!w->memory_of) {
        w->memory_of = NEW_ARRAY(w->memory, wrap_memory, most);
        for (uint32_t k = 0; k < most; k++) w->memory_of[k].device = TY_HOST;
    }
    CHECK(w->session, segment < most);
    w->memory_of[segment] = at;
}

void wrap_split_segments(wrap_program *w, uint32_t groups, wrap_segments *segments, arena *memory)
{
    uint32_t buffers = w->loops->buffers.count, first = w->segment_count;
    uint32_t *from = NEW_ARRAY(memory, uint32_t, buffers + first + 1);
    uint32_t *birth = NEW_ARRAY(memory, uint32_t, buffers + first + 1);
    bool any = false;
    for (loop_buffer_id id = 0; id < buffers; id++) any |= !is_common(memory_of(w, id));
    if (!any) return;
    for (uint32_t k = 1; k < first; k++) birth[k] = segments->first_birth[k];
    for (loop_buffer_id id = 0; id < buffers; id++) {
        loop_buffer_id root = w->storage[id].life.root;
        wrap_memory at = memory_of(w, root);
        if (!w->storage[root].life.in_arena || is_common(at)) continue;
        uint32_t old = w->storage[id].segment, k = first;
        while (k < w->segment_count && (from[k] != old || !same_memory(w->memory_of[k], at))) k++;
        if (k == w->segment_count) {
            from[k] = old;
            birth[k] = old ? birth[old] : groups;
            wrap_set_memory(w, k, at);
            w->segment_count++;
        }
        if (!old && w->storage[id].life.birth < birth[k]) birth[k] = w->storage[id].life.birth;
        w->storage[id].segment = k;
    }
    segments->first_birth = birth;
}

/* ---- lines ---- */

void wrap_begin_devices(wrap_devices *d)
{
    d->now = TY_HOST;
}

void wrap_go_to(wrap_program *w, wrap_devices *d, ty_device device)
{
    if (ty_same_place(d->now, device)) return;
    d->now = device;
    wrap_add_line(w, WRAP_DEVICE)->device = device;
}

/* A buffer is as far as what lies in its memory is. */
void wrap_wait_for(wrap_program *w, wrap_devices *d, loop_buffer_id id)
{
    if (id == LOOP_NO_BUFFER) return;
    for (uint32_t i = 0; i < d->pending.count;) {
        loop_buffer_id pending = d->pending.at[i];
        if (w->storage[pending].life.root != w->storage[id].life.root) {
            i++;
            continue;
        }
        wrap_add_line(w, WRAP_WAIT)->buffer = pending;
        d->pending.at[i] = vec_last(&d->pending);
        d->pending.count--;
    }
}

void wrap_wait_for_all(wrap_program *w, wrap_devices *d)
{
    while (d->pending.count) wrap_wait_for(w, d, vec_last(&d->pending));
}

bool wrap_is_async(const wrap_program *w, const loop_op *copy)
{
    int64_t flag = 0;
    return loop_known_int(w->loops, copy, "waits_not", &flag) && flag;
}

loop_buffer_id wrap_waited_buffer(const wrap_program *w, const loop_op *copy)
{
    loop_buffer_id from = copy->inputs[0].buffer, to = copy->outputs[0].buffer;
    if (!wrap_is_async(w, copy)) return LOOP_NO_BUFFER;
    return wrap_is_on_host(w, to) ? to : wrap_is_on_host(w, from) ? from : LOOP_NO_BUFFER;
}

/* What is on the host of the two is to be waited for. */
void wrap_copy(wrap_program *w, wrap_devices *d, const loop_op *op)
{
    wrap_add_line(w, WRAP_COPY)->op = op;
    if (!wrap_is_async(w, op)) return;
    if (wrap_is_on_host(w, op->inputs[0].buffer))
        vec_push(w->memory, &d->pending, op->inputs[0].buffer);
    if (wrap_is_on_host(w, op->outputs[0].buffer))
        vec_push(w->memory, &d->pending, op->outputs[0].buffer);
}

/* ---- text ---- */

void wrap_print_memory(wrap_memory at, text *out)
{
    ty_print_place(at.device, out);
    if (at.pinned) text_add(out, " pinned");
}

static const char *const queue_words[] = {[WRAP_KERNELS] = "kernels", [WRAP_COPIES] = "copies"};

void wrap_print_queue(wrap_queue queue, text *out)
{
    text_printf(out, " %s", queue_words[queue]);
}

fe_status wrap_parse_queue(lexer *lx, wrap_queue *out)
{
    *out = lex_take(lx, queue_words[WRAP_COPIES]) ? WRAP_COPIES : WRAP_KERNELS;
    return *out == WRAP_COPIES ? FE_OK : lex_expect(lx, queue_words[WRAP_KERNELS]);
}

fe_status wrap_parse_memory(lexer *lx, wrap_memory *out)
{
    FE_TRY(ty_parse_place(lx, &out->device));
    out->pinned = lex_take(lx, "pinned");
    return FE_OK;
}
