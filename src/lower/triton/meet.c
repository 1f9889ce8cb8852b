/* meet.c -- do steps of a loop meet in memory? By the tensors that their pointers lead to.
 */
#include "lower/triton/triton.h"

static void mark_memory(const triton *t, const ttir_block *block, ttir_code code,
                        const uint32_t *arguments, bool *marks);

/* The argument that a pointer in a loop leads to, before anything of the loop has been made. */
static uint32_t argument_of(const triton *t, const uint32_t *arguments, ttir_value v)
{
    return arguments[v] ? arguments[v] : t->values[v].argument;
}

static void note_pointers(const triton *t, const ttir_op *op, uint32_t *arguments)
{
    for (uint32_t r = 0; r < op->result_count; r++)
        for (uint32_t k = 0; k < op->operand_count && triton_type(t, op->result + r)->is_pointer;
             k++)
            if (triton_type(t, op->operands[k])->is_pointer)
                arguments[op->result + r] = argument_of(t, arguments, op->operands[k]);
    if (op->code != TTIR_FOR) return;
    for (uint32_t k = 3; k < op->operand_count; k++)
        arguments[op->regions[0].arguments[k - 2]] = argument_of(t, arguments, op->operands[k]);
}

static void find_pointers(const triton *t, const ttir_op *op, uint32_t *arguments)
{
    note_pointers(t, op, arguments);
    for (uint32_t r = 0; r < op->region_count; r++)
        for (uint32_t k = 0; k < op->regions[r].ops.count; k++)
            find_pointers(t, &op->regions[r].ops.at[k], arguments);
}

static void mark_op(const triton *t, const ttir_op *op, ttir_code code, const uint32_t *arguments,
                    bool *marks)
{
    if (op->code == code || (code == TTIR_STORE && op->code == TTIR_ATOMIC))
        marks[argument_of(t, arguments, op->operands[0])] = true;
    for (uint32_t r = 0; r < op->region_count; r++)
        mark_memory(t, &op->regions[r], code, arguments, marks);
}

static void mark_memory(const triton *t, const ttir_block *block, ttir_code code,
                        const uint32_t *arguments, bool *marks)
{
    for (uint32_t k = 0; k < block->ops.count; k++)
        mark_op(t, &block->ops.at[k], code, arguments, marks);
}

void triton_find_written(const triton *t, const ttir_block *block, bool *marks)
{
    uint32_t *arguments = NEW_ARRAY(t->l->memory, uint32_t, t->kernel->types.count);
    for (uint32_t k = 0; k < block->ops.count; k++) find_pointers(t, &block->ops.at[k], arguments);
    mark_memory(t, block, TTIR_STORE, arguments, marks);
}

bool triton_meets_in_memory(const triton *t, const ttir_op *loop)
{
    arena *memory = t->l->memory;
    uint32_t *arguments = NEW_ARRAY(memory, uint32_t, t->kernel->types.count);
    bool *read = NEW_ARRAY(memory, bool, t->memory_count + 1),
         *written = NEW_ARRAY(memory, bool, t->memory_count + 1);
    find_pointers(t, loop, arguments);
    mark_memory(t, &loop->regions[0], TTIR_LOAD, arguments, read);
    mark_memory(t, &loop->regions[0], TTIR_STORE, arguments, written);
    for (uint32_t k = 0; k <= t->memory_count; k++)
        if (read[k] && written[k]) return true;
    return false;
}
