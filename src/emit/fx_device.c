/* fx_device.c -- the lines of several devices in the FX printer. */
#include "emit/fx.h"

/* "cuda:0", as PyTorch has it */
void emit_fx_device_name(ty_device device, text *out)
{
    text_add(out, "{\"device\": ");
    text_char(out, '"');
    ty_print_device(ty_is_host(device) ? TY_HOST : device, out);
    text_add(out, "\"}");
}

/* All of these calls are the library's. */
static void begin_args(emit_state *s, text *args)
{
    emit_fx_text(s, args);
    emit_fx_ref(s, "library", args);
    text_add(args, ", ");
}

void emit_fx_device(emit_state *s, const wrap_line *line)
{
    text args;
    begin_args(s, &args);
    emit_fx_device_name(line->device, &args);
    emit_fx_call(s, emit_fx_fresh(s, "device"), "ferrite.on_device", &args, NULL);
}

void emit_fx_copy(emit_state *s, const wrap_line *line)
{
    text args;
    begin_args(s, &args);
    emit_fx_view(s, &line->op->inputs[0], WRAP_NO_WEIGHT, &args);
    text_add(&args, ", ");
    emit_fx_view(s, &line->op->outputs[0], WRAP_NO_WEIGHT, &args);
    text_add(&args, wrap_is_async(s->w, line->op) ? ", true" : ", false");
    emit_fx_call(s, emit_fx_fresh(s, "copy"), "ferrite.transfer", &args, NULL);
}

void emit_fx_wait(emit_state *s, const wrap_line *line)
{
    text args;
    begin_args(s, &args);
    emit_fx_buffer(s, line->buffer, &args);
    emit_fx_call(s, emit_fx_fresh(s, "wait"), "ferrite.wait", &args, NULL);
}

static void emit_queue(emit_state *s, const wrap_line *line, const char *name, const char *function)
{
    text args;
    begin_args(s, &args);
    text_printf(&args, "%u, ", line->index);
    emit_fx_device_name(line->device, &args);
    text_add(&args, line->queue == WRAP_COPIES ? ", \"copies\"" : ", \"kernels\"");
    emit_fx_call(s, emit_fx_fresh(s, name), function, &args, NULL);
}

void emit_fx_mark(emit_state *s, const wrap_line *line)
{
    emit_queue(s, line, "mark", "ferrite.mark");
}

void emit_fx_after(emit_state *s, const wrap_line *line)
{
    emit_queue(s, line, "after", "ferrite.after");
}
