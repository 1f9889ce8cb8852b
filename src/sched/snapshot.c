/* snapshot.c -- a program's ops and buffers, kept while changes to them are tried: passes over loops
 * rewrite them in place. */
#include "sched/sched_priv.h"

static loop_op *copy_ops(const loop_op *ops, uint32_t count, arena *memory)
{
    loop_op *copy = arena_copy(memory, ops, count * sizeof *ops);
    for (uint32_t k = 0; k < count; k++) {
        loop_op *op = &copy[k];
        op->stores = arena_copy(memory, op->stores, op->store_count * sizeof *op->stores);
        op->inputs = arena_copy(memory, op->inputs, op->input_count * sizeof *op->inputs);
        op->outputs = arena_copy(memory, op->outputs, op->output_count * sizeof *op->outputs);
    }
    return copy;
}

program_snapshot snapshot_take(const loop_program *p, arena *memory)
{
    return (program_snapshot){
        copy_ops(p->ops.at, p->ops.count, memory),
        arena_copy(memory, p->buffers.at, p->buffers.count * sizeof *p->buffers.at), p->ops.count,
        p->buffers.count};
}

void snapshot_put_back(loop_program *p, const program_snapshot *shot)
{
    p->ops.count = p->buffers.count = 0;
    const loop_op *ops = copy_ops(shot->ops, shot->op_count, p->memory);
    for (uint32_t k = 0; k < shot->op_count; k++) vec_push(p->memory, &p->ops, ops[k]);
    for (uint32_t b = 0; b < shot->buffer_count; b++)
        vec_push(p->memory, &p->buffers, shot->buffers[b]);
}
