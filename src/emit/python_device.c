/* python_device.c -- the lines of several devices as Python. */
#include "emit/python.h"

static void print_device(emit_state *s, ty_device device)
{
    text_printf(&s->out, "\"%s\"",
                ty_device_name(s->memory, ty_is_host(device) ? TY_HOST : device));
}

void emit_python_device(emit_state *s, const wrap_line *line)
{
    emit_python_indent(s);
    text_add(&s->out, "f.on_device(");
    print_device(s, line->device);
    text_add(&s->out, ")\n");
}

void emit_python_copy(emit_state *s, const wrap_line *line)
{
    const loop_op *op = line->op;
    emit_python_indent(s);
    text_add(&s->out, "f.transfer(");
    emit_python_views(s, op->inputs, NULL, 1);
    text_add(&s->out, ", ");
    print_device(s, s->w->loops->buffers.at[op->inputs[0].buffer].device);
    text_add(&s->out, ", ");
    emit_python_views(s, op->outputs, NULL, 1);
    text_add(&s->out, ", ");
    print_device(s, s->w->loops->buffers.at[op->outputs[0].buffer].device);
    text_add(&s->out, wrap_is_async(s->w, op) ? ", True)\n" : ", False)\n");
}

void emit_python_wait(emit_state *s, const wrap_line *line)
{
    bool is_open = s->is_open;
    emit_python_indent(s);
    text_printf(&s->out, "# %s is there\n", s->names[line->buffer]);
    s->is_open = is_open;
}

/* There is one queue: the host's. */
void emit_python_queue(emit_state *s, const wrap_line *line)
{
    (void)s, (void)line;
}
