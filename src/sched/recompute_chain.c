/* recompute_chain.c -- which ops, done once more right before a reader, have a buffer there again.
 *
 * The op that made it, if that gives the same whenever it runs and its operands still hold what they held.
 * Operands that are gone by then are made again too, or kept where they are small.
 */
#include "sched/recompute.h"

enum { MOST_OPS = 24, MOST_DEPTH = 12, MOST_VISITS = 256, SMALL_SHARE = 8 };

/* ---- the schedule at hand ---- */

void recompute_look_at(fitter *f)
{
    const loop_program *p = f->p;
    f->uses = uses_collect(f->p, f->scratch);
    f->has_parts = NEW_ARRAY(f->scratch, bool, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (p->buffers.at[b].part) f->has_parts[p->buffers.at[b].part->whole] = true;
    f->group_of = NEW_ARRAY(f->scratch, uint32_t, p->ops.count + 1);
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        if (group->kind != SCHED_KERNEL) f->group_of[group->extern_op] = g;
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                f->group_of[group->phases[ph].nests[i].op] = g;
    }
}

static int64_t bytes_of(const fitter *f, loop_buffer_id b)
{
    const loop_buffer *buffer = &f->p->buffers.at[b];
    int64_t elements = sym_usual(f->p->symbols, buffer->elements);
    return elements > 0 ? elements * (int64_t)ty_dtype_size(buffer->dtype) : 0;
}

/* The op that makes all of b, once, before it is read; UINT32_MAX: there is none such. */
static uint32_t maker_of(const fitter *f, loop_buffer_id b)
{
    const use_list *uses = &f->uses.of[b];
    const loop_buffer *buffer = &f->p->buffers.at[b];
    if (buffer->kind != LOOP_TEMP || buffer->part || f->has_parts[b] || f->uses.leaves_region[b] ||
        f->uses.is_output[b] || !uses->count || !uses->at[0].is_write)
        return NEVER;
    for (uint32_t i = 1; i < uses->count; i++)
        if (uses->at[i].is_write) return NEVER;
    return uses->at[0].op;
}

/* ---- what an op costs ---- */

static double hint(const fitter *f, sym_expr e)
{
    return (double)sym_usual(f->p->symbols, e);
}

static double cost_of_op(const fitter *f, const loop_op *op)
{
    double points = 1, nodes = 0;
    if (op->kind == LOOP_EXTERN) {
        const loop_view *out = &op->outputs[0];
        for (uint32_t d = 0; d < out->rank; d++) points *= hint(f, out->sizes[d]);
        return points * hint(f, loop_macs_of_element(f->p, op));
    }
    for (uint32_t k = 0; k < op->axes; k++) points *= hint(f, op->extents[k]);
    for (uint32_t k = 0; k < op->reduce_axes; k++) points *= hint(f, op->reduce_extents[k]);
    for (uint32_t i = 0; i < op->store_count; i++)
        nodes += loop_node_count(f->p, op->stores[i].value);
    return points * nodes;
}

static bool may_be_repeated(const fitter *f, const loop_op *op)
{
    for (uint32_t i = 0; i < op->store_count; i++)
        if (op->stores[i].mode != LOOP_SET) return false;
    if (op->kind == LOOP_NEST) return op->store_count == 1 || !op->reduce_axes;
    return loop_can(op, LOOP_REPEATABLE) && loop_result_count(f->p, op) == 1;
}

/* ---- chains ---- */

static void note_read(read_list *list, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER) return;
    for (uint32_t i = 0; i < list->all.count; i++)
        if (list->all.at[i] == b) return;
    vec_push(list->memory, &list->all, b);
}

static void note_load(void *data, loop_value v)
{
    read_list *list = data;
    const loop_node *n = loop_at(list->p, v);
    if (n->op == LOOP_LOAD) note_read(list, n->buffer);
}

read_list recompute_reads(const fitter *f, const loop_op *op)
{
    read_list list = {.p = f->p, .memory = f->scratch};
    for (uint32_t i = 0; i < op->store_count; i++)
        loop_each_store_node(f->p, &op->stores[i], note_load, &list);
    for (uint32_t i = 0; i < op->input_count; i++) note_read(&list, op->inputs[i].buffer);
    return list;
}

/* Does r hold, right before the chain's reader, what op read in it? */
static bool holds_still(const fitter *f, loop_buffer_id r, uint32_t op)
{
    const use_list *uses = &f->uses.of[r];
    for (uint32_t i = 0; i < uses->count; i++)
        if (uses->at[i].is_write &&
            (f->group_of[uses->at[i].op] > f->group_of[op] ||
             (f->group_of[uses->at[i].op] == f->group_of[op] && uses->at[i].op >= op)))
            return false;
    return true;
}

static bool is_there(const fitter *f, const chain *c, loop_buffer_id r)
{
    const loop_buffer *buffer = &f->p->buffers.at[r];
    if (buffer->kind != LOOP_TEMP || f->uses.is_output[r]) return true;
    return f->s->lives[r].in_arena && f->s->lives[r].death > c->before;
}

static bool add_maker(fitter *f, chain *c, loop_buffer_id b, uint32_t depth);

/* Makes sure of an operand: it is there, or is kept because it is small, or is made again too. */
static bool add_operand(fitter *f, chain *c, loop_buffer_id r, uint32_t op, uint32_t depth)
{
    const loop_buffer *buffer = &f->p->buffers.at[r];
    uint32_t ops = c->ops.count, reads = c->reads.count;
    double cost = c->cost;
    int64_t saved = c->saved, bytes = bytes_of(f, r);
    if (buffer->kind == LOOP_CONSTANT) return true;
    if (!holds_still(f, r, op)) return false;
    vec_push(f->scratch, &c->reads, r);
    if (is_there(f, c, r)) return true;
    if (buffer->part || f->has_parts[r] || f->uses.leaves_region[r]) return false;
    if (bytes > bytes_of(f, c->buffer) / SMALL_SHARE) {
        c->reads.count = reads;
        if (add_maker(f, c, r, depth + 1)) return true;
        c->ops.count = ops;
        c->reads.count = reads;
        c->cost = cost;
        c->saved = saved;
        vec_push(f->scratch, &c->reads, r);
    }
    c->saved -= bytes;
    return c->saved > 0;
}

static bool add_maker(fitter *f, chain *c, loop_buffer_id b, uint32_t depth)
{
    uint32_t op = maker_of(f, b);
    if (op == NEVER || depth > MOST_DEPTH || ++c->visits > MOST_VISITS) return false;
    for (uint32_t i = 0; i < c->ops.count; i++)
        if (c->ops.at[i] == op) return true;
    const loop_op *what = &f->p->ops.at[op];
    if (!may_be_repeated(f, what)) return false;
    read_list reads = recompute_reads(f, what);
    for (uint32_t i = 0; i < reads.all.count; i++)
        if (!add_operand(f, c, reads.all.at[i], op, depth)) return false;
    vec_push(f->scratch, &c->ops, op);
    c->cost += cost_of_op(f, what);
    return c->ops.count <= MOST_OPS;
}

bool recompute_chain(fitter *f, loop_buffer_id b, uint32_t when, chain *out)
{
    const sched_life *life = &f->s->lives[b];
    const use_list *uses = &f->uses.of[b];
    *out = (chain){.buffer = b, .before = NEVER, .saved = bytes_of(f, b)};
    if (!life->in_arena || life->birth >= when || life->death <= when + 1 || !out->saved ||
        map_get(&f->refused, b) != MAP_NONE)
        return false;
    for (uint32_t i = 0; i < uses->count; i++) {
        uint32_t group = f->group_of[uses->at[i].op];
        if (group == when) return false;
        if (group > when && group < out->before) out->before = group;
    }
    return out->before != NEVER && add_maker(f, out, b, 0);
}
