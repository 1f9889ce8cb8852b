/* device.c -- the lines of several devices, run in this process, which has the host alone. */
#include "exec/exec_priv.h"

static const char *name_of(ty_device device)
{
    return device.kind == TY_CPU ? "cpu" : device.kind == TY_CUDA ? "cuda" : "meta";
}

int exec_device(exec_run *r, const wrap_line *line, uint32_t *next)
{
    (void)next;
    return rt_on_device(r->f, name_of(line->device));
}

int exec_copy(exec_run *r, const wrap_line *line, uint32_t *next)
{
    const loop_buffer *buffers = r->w->loops->buffers.at;
    const loop_op *op = line->op;
    (void)next;
    const fe_tensor *from = exec_views(r, op->inputs, NULL, 1),
                    *to = exec_views(r, op->outputs, NULL, 1);
    return rt_transfer(r->f, from, name_of(buffers[op->inputs[0].buffer].device), to,
                       name_of(buffers[op->outputs[0].buffer].device), wrap_is_async(r->w, op));
}
