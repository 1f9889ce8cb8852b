/* device.c -- the lines of several devices, run in this process, which has the host alone. */
#include "exec/exec_priv.h"

int exec_device(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_on_device(r->f, ty_device_words[line->device.kind]);
}

int exec_copy(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const loop_buffer *buffers = r->w->loops->buffers.at;
    const loop_op *op = line->op;
    (void)next;
    const fe_tensor *from = exec_views(r, op->inputs, NULL, 1),
                    *to = exec_views(r, op->outputs, NULL, 1);
    return rt_transfer(r->f, from, ty_device_words[buffers[op->inputs[0].buffer].device.kind], to,
                       ty_device_words[buffers[op->outputs[0].buffer].device.kind],
                       wrap_is_async(r->w, op));
}
