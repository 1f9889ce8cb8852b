/* region.c -- what is around a part of a kernel that runs again and again. */
#include "lower/triton/region.h"

#include "lower/ragged.h"

#include <string.h>

/* ---- values from outside ---- */

static void mark_made(const triton *t, const ttir_block *block, bool *made)
{
    for (uint32_t k = 0; k < block->argument_count; k++) made[block->arguments[k]] = true;
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        for (uint32_t r = 0; r < op->result_count; r++) made[op->result + r] = true;
        for (uint32_t r = 0; r < op->region_count; r++) mark_made(t, &op->regions[r], made);
    }
}

typedef struct value_cost {
    const loop_program *p;
    uint32_t loads, nodes;
} value_cost;

static void add_node(void *data, loop_value v)
{
    value_cost *c = data;
    c->loads += loop_at(c->p, v)->op == LOOP_LOAD;
    c->nodes++;
}

/* Is it worth memory, so that it is not made again at each run? Numbers that say where something is are not:
 * conditions and offsets are understood as they are. */
static bool is_worth_memory(triton *t, const lower_box *box)
{
    enum { FEW_NODES = 16, FEW_LOADS = 2 };
    value_cost c = {.p = t->p};
    if (loop_at(t->p, box->value)->op == LOOP_LOAD) return false;
    loop_each_node(t->p, box->value, add_node, &c);
    bool is_plain = c.nodes <= FEW_NODES && c.loads <= FEW_LOADS;
    return c.loads > 0 && !(is_plain && ty_is_integral(box->dtype, true));
}

/* The value as the region sees it: what gets memory inside does not have it outside. */
static void bring_in(triton *t, triton_value *value)
{
    lower_tensor x = value->t;
    if (!x.box->realised && !value->argument && is_worth_memory(t, x.box))
        lower_realise(t->l, x.box, NULL);
    if (x.box->realised) return;
    value->t = lower_value(t->l, lower_dtype(x), x.rank, x.sizes, lower_here(t->l, x));
}

static void bring_used(triton *t, const ttir_block *block, const bool *made, bool *brought)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        for (uint32_t i = 0; i < op->operand_count; i++) {
            ttir_value v = op->operands[i];
            if (made[v] || brought[v]) continue;
            brought[v] = true;
            triton_made(t, v); /* a sum that has been waiting */
            bring_in(t, &t->values[v]);
        }
        for (uint32_t r = 0; r < op->region_count; r++)
            bring_used(t, &op->regions[r], made, brought);
    }
}

/* ---- the region ---- */

fe_status triton_enter(triton *t, const ttir_op *op, triton_region *out)
{
    const ttir_block *blocks = op ? op->regions : &t->kernel->body;
    uint32_t count = op ? op->region_count : 1, value_count = t->kernel->types.count;
    bool *made = NEW_ARRAY(t->l->memory, bool, value_count),
         *brought = NEW_ARRAY(t->l->memory, bool, value_count);
    *out = (triton_region){.t = t, .condition = t->condition};
    out->written = NEW_ARRAY(t->l->memory, bool, t->memory_count + 1);
    out->outer = NEW_ARRAY(t->l->memory, triton_value, value_count);
    for (uint32_t k = 0; k < count; k++) mark_made(t, &blocks[k], made);
    triton_find_written(t, op, out->written);
    memcpy(out->outer, t->values, value_count * sizeof *out->outer);
    for (uint32_t k = 0; k < count; k++) bring_used(t, &blocks[k], made, brought);
    if (t->condition.t.box) bring_in(t, &t->condition);
    for (uint32_t k = 0; k < t->memory_count; k++) {
        triton_memory *m = &t->memories[k];
        out->written[k] = out->written[k + 1] && !m->is_in_place;
        if (!out->written[k]) continue;
        if (lower_repeats(t->l, m->tensor))
            return triton_fail(t, "to a tensor whose elements are one");
        triton_own(t, m);
        m->is_in_place = true;
    }
    t->regions++;
    return FE_OK;
}

void triton_leave(const triton_region *r)
{
    triton *t = r->t;
    memcpy(t->values, r->outer, t->kernel->types.count * sizeof *t->values);
    t->condition = r->condition;
    t->regions--;
    for (uint32_t k = 0; k < t->memory_count; k++)
        if (r->written[k]) t->memories[k].is_in_place = false;
}

/* ---- what is carried ---- */

lower_tensor triton_as_carried(triton *t, triton_value v)
{
    return v.argument ? lower_cast(t->l, v.t, TY_I64) : v.t;
}

lower_tensor triton_begin_carried(triton *t, ttir_value type_of, triton_value v)
{
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t rank = triton_sizes(t, triton_type(t, type_of), sizes);
    lower_tensor first = triton_as_carried(t, v),
                 made = lower_temp_tensor(t->l, lower_dtype(first), rank, sizes, NULL);
    control_store(t->l, made, first, t->l->zero);
    return made;
}

/* ---- numbers that the host reads ---- */

/* One number, in memory of the host. */
static lower_tensor at_home(triton *t, lower_tensor x)
{
    lowering *l = t->l;
    ty_device device = l->device;
    lower_realise(l, x.box, NULL);
    if (ty_is_host(device)) return x;
    l->device = TY_HOST;
    lower_tensor made = lower_temp_tensor(l, lower_dtype(x), 0, NULL, NULL);
    l->device = device;
    lower_extern(l, "copy", 1, &x.box->view, made.box->view, 1, &(loop_int){"waits_not", l->zero},
                 0, NULL);
    return made;
}

static lower_tensor reduced_to_one(triton *t, loop_reduce kind, lower_tensor x)
{
    bool all[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < x.rank; k++) all[k] = true;
    return x.rank ? lower_reduced(t->l, kind, x, all, false, NULL) : x;
}

sym_expr triton_most(triton *t, lower_tensor x)
{
    lower_tensor most = at_home(t, reduced_to_one(t, LOOP_REDUCE_MAX, x));
    return lower_read_int(t->l, most, 0, SYM_NO_MAX);
}

fe_status triton_any(triton *t, lower_tensor x, control_test *out)
{
    return control_test_tensor(t->l, at_home(t, reduced_to_one(t, LOOP_ANY, x)), out);
}
