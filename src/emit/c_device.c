/* c_device.c -- the lines of several devices as C. The runtime that is shipped has the host alone. */
#include "emit/c.h"

static void print_device(emit_state *s, ty_device device)
{
    emit_c_text(&s->out, ty_device_name(s->memory, ty_is_host(device) ? TY_HOST : device));
}

void emit_c_device(emit_state *s, const wrap_line *line)
{
    text_add(&s->out, "    RT_TRY(rt_on_device(f, ");
    print_device(s, line->device);
    text_add(&s->out, "));\n");
}

void emit_c_copy(emit_state *s, const wrap_line *line)
{
    const loop_view *views[] = {&line->op->inputs[0], &line->op->outputs[0]};
    emit_c_step(s);
    text_add(&s->out, "    RT_TRY(rt_transfer(f");
    for (int k = 0; k < 2; k++) {
        text_add(&s->out, ", &(fe_tensor)");
        emit_c_view(s, views[k]);
        text_add(&s->out, ", ");
        print_device(s, s->w->loops->buffers.at[views[k]->buffer].device);
    }
    text_printf(&s->out, ", %d));\n", wrap_is_async(s->w, line->op));
}

/* What the runtime copies is there when it returns. */
void emit_c_wait(emit_state *s, const wrap_line *line)
{
    text_printf(&s->out, "    /* %s is there */\n", s->names[line->buffer]);
}
