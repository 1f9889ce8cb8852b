/* meet.c -- do steps of a loop meet in memory? By the tensors that their pointers lead to.
 */
#include "lower/triton/triton.h"

/* The argument that a pointer in a loop leads to, before anything of the loop has been made. */
static uint32_t argument_of(const triton *t, const uint32_t *arguments, ttir_value v)
{
    return arguments[v] ? arguments[v] : t->values[v].argument;
}

static void find_pointers(const triton *t, const ttir_block *block, uint32_t *arguments);

static void note(const triton *t, uint32_t *arguments, ttir_value to, ttir_value from)
{
    if (triton_type(t, to)->is_pointer && triton_type(t, from)->is_pointer)
        arguments[to] = argument_of(t, arguments, from);
}

/* What the last operation of the block hands on, from operand `first` on, as the results. */
static void note_results(const triton *t, const ttir_op *op, const ttir_block *block,
                         uint32_t first, uint32_t *arguments)
{
    const ttir_op *end = block->ops.count ? &vec_last(&block->ops) : NULL;
    for (uint32_t r = 0; end && r < op->result_count && first + r < end->operand_count; r++)
        note(t, arguments, op->result + r, end->operands[first + r]);
}

/* The block's arguments, from number `first` on, are at first the operands from `from` on. */
static void note_arguments(const triton *t, const ttir_op *op, uint32_t from, uint32_t first,
                           uint32_t *arguments)
{
    const ttir_block *block = &op->regions[0];
    for (uint32_t k = from; k < op->operand_count && k - from + first < block->argument_count; k++)
        note(t, arguments, block->arguments[k - from + first], op->operands[k]);
}

/* What the first region of a `while` hands to the second one. */
static void note_handed(const triton *t, const ttir_op *op, uint32_t *arguments)
{
    const ttir_block *from = &op->regions[0], *to = &op->regions[1];
    const ttir_op *end = from->ops.count ? &vec_last(&from->ops) : NULL;
    for (uint32_t k = 0; end && k < to->argument_count && k + 1 < end->operand_count; k++)
        note(t, arguments, to->arguments[k], end->operands[k + 1]);
}

static const ttir_op *label_of(const ttir_block *block, const char *name)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        if (op->code == TTIR_LABEL && op->words[0] == name) return op;
    }
    return NULL;
}

/* What a branch hands to labels of the block. */
static void note_branch(const triton *t, const ttir_block *block, const ttir_op *op,
                        uint32_t *arguments)
{
    const ttir_attribute *counts = ttir_find(op, "counts");
    uint32_t from = op->word_count > 1; /* behind the condition */
    for (uint32_t w = 0; counts && w < op->word_count && w < counts->count; w++) {
        const ttir_op *label = label_of(block, op->words[w]);
        for (uint32_t k = 0; k < counts->integers[w]; k++, from++)
            if (label && k < label->regions[0].argument_count)
                note(t, arguments, label->regions[0].arguments[k], op->operands[from]);
    }
}

static void find_pointers_of(const triton *t, const ttir_op *op, uint32_t *arguments)
{
    if (op->code == TTIR_FOR) note_arguments(t, op, 3, 1, arguments);
    if (op->code == TTIR_WHILE) note_arguments(t, op, 0, 0, arguments);
    for (uint32_t r = 0; r < op->region_count; r++) {
        if (op->code == TTIR_WHILE && r == 1) note_handed(t, op, arguments);
        find_pointers(t, &op->regions[r], arguments);
    }
    if (op->code == TTIR_FOR || op->code == TTIR_IF || op->code == TTIR_WHILE) {
        note_results(t, op, &op->regions[0], op->code == TTIR_WHILE, arguments);
        return;
    }
    for (uint32_t r = 0; r < op->result_count; r++)
        for (uint32_t k = 0; k < op->operand_count; k++)
            note(t, arguments, op->result + r, op->operands[k]);
}

static void find_pointers(const triton *t, const ttir_block *block, uint32_t *arguments)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        find_pointers_of(t, op, arguments);
        if (op->code == TTIR_GO || op->code == TTIR_GO_IF) note_branch(t, block, op, arguments);
    }
}

static void mark_memory(const triton *t, const ttir_block *block, ttir_code code,
                        const uint32_t *arguments, bool *marks);

static void mark_op(const triton *t, const ttir_op *op, ttir_code code, const uint32_t *arguments,
                    bool *marks)
{
    bool is_atomic = op->code == TTIR_ATOMIC || op->code == TTIR_ATOMIC_CAS;
    if (op->code == code || (is_atomic && (code == TTIR_STORE || triton_uses_old(t->kernel, op))))
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

void triton_find_written(const triton *t, const ttir_op *op, bool *marks)
{
    uint32_t *arguments = NEW_ARRAY(t->l->memory, uint32_t, t->kernel->types.count);
    if (op) {
        find_pointers_of(t, op, arguments); /* what the loop hands on too */
        mark_op(t, op, TTIR_STORE, arguments, marks);
    } else {
        find_pointers(t, &t->kernel->body, arguments);
        mark_memory(t, &t->kernel->body, TTIR_STORE, arguments, marks);
    }
}

/* What the operations of a block write to each memory with, by the number of its argument. */
typedef struct writers {
    const ttir_op *first; /* NULL: none */
    bool are_mixed;       /* it matters which of several comes first */
} writers;

static void find_writers(const triton *t, const ttir_block *block, const uint32_t *arguments,
                         writers *out)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        for (uint32_t r = 0; r < op->region_count; r++)
            find_writers(t, &op->regions[r], arguments, out);
        if (op->code != TTIR_STORE && op->code != TTIR_ATOMIC) continue;
        writers *w = &out[argument_of(t, arguments, op->operands[0])];
        if (!w->first)
            w->first = op;
        else
            w->are_mixed |= op->code == TTIR_STORE || w->first->code == TTIR_STORE ||
                            op->words[0] != w->first->words[0];
    }
}

bool triton_meets_in_memory(const triton *t, const ttir_op *loop)
{
    arena *memory = t->l->memory;
    uint32_t *arguments = NEW_ARRAY(memory, uint32_t, t->kernel->types.count);
    bool *read = NEW_ARRAY(memory, bool, t->memory_count + 1),
         *written = NEW_ARRAY(memory, bool, t->memory_count + 1);
    find_pointers_of(t, loop, arguments);
    mark_memory(t, &loop->regions[0], TTIR_LOAD, arguments, read);
    mark_memory(t, &loop->regions[0], TTIR_STORE, arguments, written);
    writers *all = NEW_ARRAY(memory, writers, t->memory_count + 1);
    find_writers(t, &loop->regions[0], arguments, all);
    for (uint32_t k = 0; k <= t->memory_count; k++)
        if ((read[k] && written[k]) || all[k].are_mixed) return true;
    return false;
}
