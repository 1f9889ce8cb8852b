/* work.c -- the memory that threads of a runtime operator share, as an operand: its last output. */
#include "loop/loop_priv.h"

uint32_t loop_result_count(const loop_program *p, const loop_op *op)
{
    return loop_workspace_of(p, op) ? op->output_count - 1 : op->output_count;
}

const loop_view *loop_workspace_of(const loop_program *p, const loop_op *op)
{
    if (op->kind != LOOP_EXTERN || op->output_count == 0) return NULL;
    const loop_view *last = &op->outputs[op->output_count - 1];
    return last->buffer != LOOP_NO_BUFFER && p->buffers.at[last->buffer].is_work ? last : NULL;
}

void loop_add_workspace(loop_program *p, loop_op *op, loop_buffer_id work)
{
    loop_view *outputs = NEW_ARRAY(p->memory, loop_view, op->output_count + 1);
    for (uint32_t k = 0; k < op->output_count; k++) outputs[k] = op->outputs[k];
    p->buffers.at[work].is_work = true;
    outputs[op->output_count++] = loop_view_of(p, work);
    op->outputs = outputs;
}

/* Where its results are: all that an operator is given is on one device. */
static ty_device device_of(const loop_program *p, const loop_op *op)
{
    for (uint32_t k = 0; k < op->output_count; k++)
        if (op->outputs[k].buffer != LOOP_NO_BUFFER)
            return p->buffers.at[op->outputs[k].buffer].device;
    return TY_HOST;
}

/* One buffer for each operator that works in memory that its threads share. */
void loop_add_works(loop_program *p)
{
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        if (op->kind != LOOP_EXTERN || op->callee || loop_workspace_of(p, op)) continue;
        sym_expr size = loop_need_of(p, op).shared;
        int64_t known;
        if (sym_is_int(p->symbols, size, &known) && known <= 0) continue;
        sym_expr *shape = NEW_ARRAY(p->memory, sym_expr, 2);
        shape[0] = size;
        shape[1] = sym_int(p->symbols, 1);
        loop_buffer work = {.kind = LOOP_TEMP,
                            .dtype = TY_U8,
                            .device = device_of(p, op),
                            .rank = 1,
                            .sizes = &shape[0],
                            .strides = &shape[1],
                            .elements = size,
                            .origin = op->origin};
        loop_add_workspace(p, &p->ops.at[k], loop_add_buffer(p, work));
    }
}

const char *loop_work_fault(const loop_program *p, const loop_op *op)
{
    const loop_view *work = loop_workspace_of(p, op);
    sym_expr stated = loop_need_of(p, op).shared;
    int64_t bytes = 0;
    if (op->callee && work) return "a function of the user's states no working memory";
    if (!work) return NULL;
    const loop_buffer *b = &p->buffers.at[work->buffer];
    if (b->kind != LOOP_TEMP || b->dtype != TY_U8 || b->part)
        return "working memory is a buffer of bytes, and all of it";
    if (sym_is_int(p->symbols, stated, &bytes) && bytes <= 0) return "it works in no memory";
    return sym_known_equal(p->symbols, stated, b->elements)
               ? NULL
               : "its working memory is not as large as the operator states";
}
