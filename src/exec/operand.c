/* operand.c -- what a line does with which buffer. */
#include "exec/exec_priv.h"

static bool each_view(const loop_view *views, uint32_t count, const uint32_t *weights, exec_use use,
                      exec_visit visit, void *data)
{
    for (uint32_t i = 0; i < count; i++)
        if (views[i].buffer != LOOP_NO_BUFFER && !(weights && weights[i] != WRAP_NO_WEIGHT))
            if (!visit(data, views[i].buffer, use)) return false;
    return true;
}

static bool each_of_call(const wrap_call *call, exec_visit visit, void *data)
{
    for (uint32_t i = 0; call->kernel && i < call->buffer_count; i++) {
        exec_use use = !call->is_written     ? EXEC_MAY_WRITE
                       : call->is_written[i] ? EXEC_WRITES
                                             : EXEC_READS;
        if (call->buffers[i] != LOOP_NO_BUFFER && !visit(data, call->buffers[i], use)) return false;
    }
    return true;
}

bool exec_each_operand(const wrap_program *w, const wrap_line *line, exec_visit visit, void *data)
{
    const loop_op *op = line->op;
    if (line->kind == WRAP_KERNEL) return each_of_call(&line->call, visit, data);
    if (line->kind == WRAP_OUTPUT) {
        const loop_output *o = &w->loops->outputs.at[line->index];
        return o->kind != LOOP_OUT_TENSOR || visit(data, o->view.buffer, EXEC_RETURNS);
    }
    if (line->kind == WRAP_EXTERN)
        return each_view(op->inputs, op->input_count, line->weights, EXEC_READS, visit, data) &&
               each_view(op->outputs, op->output_count, NULL, EXEC_WRITES, visit, data) &&
               each_of_call(&line->call, visit, data);
    if (line->kind == WRAP_PARTITION || !op) return true;
    if (line->kind == WRAP_COPY && !each_view(op->outputs, 1, NULL, EXEC_WRITES, visit, data))
        return false;
    return each_view(op->inputs, op->input_count, NULL, EXEC_READS, visit, data);
}
