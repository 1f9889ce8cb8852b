/* recompute_apply.c -- a program whose chains of ops are done again: copies of the ops, into buffers of their
 * own, each right before the first group that reads them. */
#include "sched/recompute.h"

typedef struct rename {
    loop_buffer_id from, to;
} rename;
typedef struct rename_list {
    VEC(rename) all;
} rename_list;
typedef VEC(loop_op) op_list;

/* The program's ops as they are before any of them reads what a chain makes: one chain may be in need of what
 * another one has made again for later readers. */
static const loop_op *ops_at_first(const fitter *f)
{
    loop_op *ops = NEW_ARRAY(f->scratch, loop_op, f->p->ops.count + 1);
    for (uint32_t i = 0; i < f->p->ops.count; i++) {
        loop_op *op = &ops[i];
        *op = f->p->ops.at[i];
        op->stores = arena_copy(f->scratch, op->stores, op->store_count * sizeof *op->stores);
        op->inputs = arena_copy(f->scratch, op->inputs, op->input_count * sizeof *op->inputs);
    }
    return ops;
}

static loop_buffer_id copy_buffer(fitter *f, loop_buffer_id b)
{
    loop_buffer copy = f->p->buffers.at[b];
    copy.name = arena_printf(f->p->memory, "%s_again%u", copy.name, f->number);
    return loop_add_buffer(f->p, copy);
}

/* The op once more, into buffers of its own. */
static loop_op repeat(fitter *f, const loop_op *from, rename_list *names)
{
    arena *memory = f->p->memory;
    loop_op op = *from;
    uint32_t before = names->all.count;
    op.again = f->number;
    op.stores = arena_copy(memory, op.stores, op.store_count * sizeof *op.stores);
    op.inputs = arena_copy(memory, op.inputs, op.input_count * sizeof *op.inputs);
    op.outputs = arena_copy(memory, op.outputs, op.output_count * sizeof *op.outputs);
    for (uint32_t i = 0; i < before; i++)
        uses_rename_reads(f->p, &op, names->all.at[i].from, names->all.at[i].to);
    for (uint32_t i = 0; i < op.store_count; i++) {
        loop_buffer_id old = op.stores[i].buffer;
        op.stores[i].buffer = copy_buffer(f, old);
        vec_push(f->scratch, &names->all, ((rename){old, op.stores[i].buffer}));
    }
    for (uint32_t i = 0; i < op.output_count; i++) {
        loop_buffer_id old = op.outputs[i].buffer;
        op.outputs[i].buffer = copy_buffer(f, old);
        vec_push(f->scratch, &names->all, ((rename){old, op.outputs[i].buffer}));
    }
    return op;
}

/* Nests with several results store those alone that the chain has need of. */
static bool is_needed(const fitter *f, const chain *c, const loop_op *at_first, loop_buffer_id b)
{
    if (b == c->buffer) return true;
    for (uint32_t i = 0; i < c->ops.count; i++) {
        read_list reads = recompute_reads(f, &at_first[c->ops.at[i]]);
        for (uint32_t k = 0; k < reads.all.count; k++)
            if (reads.all.at[k] == b) return true;
    }
    return false;
}

static loop_op needed_part(const fitter *f, const chain *c, const loop_op *at_first,
                           uint32_t number)
{
    const loop_op *op = &at_first[number];
    loop_op part = *op;
    part.stores = arena_copy(f->scratch, op->stores, op->store_count * sizeof *op->stores);
    part.store_count = 0;
    for (uint32_t i = 0; i < op->store_count; i++)
        if (is_needed(f, c, at_first, op->stores[i].buffer))
            part.stores[part.store_count++] = op->stores[i];
    return part;
}

/* Adds the chain's ops; those after it read what they make. */
static void add_chain(fitter *f, const chain *c, const loop_op *at_first, op_list *ops)
{
    rename_list names = {0};
    const use_list *uses = &f->uses.of[c->buffer];
    f->number++;
    for (uint32_t i = 0; i < c->ops.count; i++) {
        loop_op part = needed_part(f, c, at_first, c->ops.at[i]);
        vec_push(f->scratch, ops, repeat(f, &part, &names));
    }
    loop_buffer_id made = NEVER;
    for (uint32_t i = 0; i < names.all.count; i++)
        if (names.all.at[i].from == c->buffer) made = names.all.at[i].to;
    for (uint32_t i = 0; i < uses->count; i++)
        if (f->group_of[uses->at[i].op] >= c->before)
            uses_rename_reads(f->p, &f->p->ops.at[uses->at[i].op], c->buffer, made);
}

void recompute_apply(fitter *f, const chain_list *chains)
{
    op_list ops = {0};
    const loop_op *at_first = ops_at_first(f);
    uint32_t groups = f->s->groups.count, count = f->p->ops.count;
    uint32_t *end = NEW_ARRAY(f->scratch, uint32_t, groups + 1),
             *at = NEW_ARRAY(f->scratch, uint32_t, count + 1);
    for (uint32_t op = 0; op < count; op++) end[f->group_of[op] + 1]++;
    for (uint32_t g = 0; g < groups; g++) end[g + 1] += end[g];
    for (uint32_t op = 0; op < count; op++) at[end[f->group_of[op]]++] = op;
    for (uint32_t g = 0, i = 0; g < groups; g++) {
        for (uint32_t k = 0; k < chains->count; k++)
            if (chains->at[k].before == g) add_chain(f, &chains->at[k], at_first, &ops);
        for (; i < end[g]; i++) vec_push(f->scratch, &ops, f->p->ops.at[at[i]]);
    }
    f->p->ops.count = 0;
    for (uint32_t i = 0; i < ops.count; i++) vec_push(f->p->memory, &f->p->ops, ops.at[i]);
}
