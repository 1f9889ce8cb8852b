/* activation.c -- epilogues that only keep each element within bounds, as relu does: a matrix product
 * or a convolution does that by itself, while its sums are in registers, and needs no kernel for it.
 */
#include "sched/sched_priv.h"

#include <math.h>

enum { CLAMP = 2 /* of the row in extern.def: within floats[0] and floats[1] */ };

/* Which of an operator's ints says what happens to its sums. */
static const struct {
    const char *kernel;
    uint32_t at;
} ACTIVATIONS[] = {{"gemm", 0}, {"conv", 3}};

enum { CONV_TRANSPOSED = 2 };

static bool is_zero(const loop_program *p, sym_expr e)
{
    int64_t value;
    return sym_is_int(p->symbols, e, &value) && value == 0;
}

/* The place of the int, or -1: the operator cannot, or does so already. */
static int32_t place_in(const loop_program *p, const loop_op *op)
{
    for (uint32_t i = 0; i < COUNT_OF(ACTIVATIONS); i++) {
        if (op->kernel != intern(p->session, ACTIVATIONS[i].kernel)) continue;
        bool is_transposed = ACTIVATIONS[i].at > CONV_TRANSPOSED && /* a conv's */
                             !is_zero(p, op->ints[CONV_TRANSPOSED]);
        return is_transposed || !is_zero(p, op->ints[ACTIVATIONS[i].at])
                   ? -1
                   : (int32_t)ACTIVATIONS[i].at;
    }
    return -1;
}

/* Narrows the bounds by a value made of minima and maxima with constants; gives the load that is
 * within them, NULL where it is made of anything else. */
static const loop_node *bounded(const loop_program *p, loop_value value, sched_activation *bounds)
{
    const loop_node *n = &p->nodes.at[value.id];
    if (n->dtype != TY_F32) return NULL;
    if (n->op == LOOP_LOAD) return n;
    if (n->op != LOOP_MIN && n->op != LOOP_MAX) return NULL;
    bool second = p->nodes.at[n->args[1].id].op == LOOP_CONST;
    const loop_node *limit = &p->nodes.at[n->args[second].id];
    if (limit->op != LOOP_CONST || isnan(limit->number[0])) return NULL;
    const loop_node *inside = bounded(p, n->args[!second], bounds);
    double number = limit->number[0];
    /* outermost last: it moves both bounds */
    if (n->op == LOOP_MIN) {
        bounds->low = fmin(bounds->low, number);
        bounds->high = fmin(bounds->high, number);
    } else {
        bounds->low = fmax(bounds->low, number);
        bounds->high = fmax(bounds->high, number);
    }
    return inside;
}

static bool takes(const sched_group *g, loop_buffer_id from, loop_buffer_id to)
{
    for (uint32_t i = 0; i < g->take_count; i++)
        if (g->takes[i].from == from && g->takes[i].to == to) return true;
    return false;
}

bool sched_activation_of(const sched_schedule *s, const sched_group *g, sched_activation *out)
{
    const loop_program *p = s->program;
    if (g->kind != SCHED_EXTERN || g->phase_count != 1 || g->phases[0].nest_count != 1)
        return false;
    const loop_op *op = &p->ops.at[g->extern_op], *nest = &g->phases[0].nests[0].nest;
    int32_t at = place_in(p, op);
    if (at < 0 || nest->store_count != 1) return false;
    const loop_store *store = &nest->stores[0];
    *out = (sched_activation){.low = -INFINITY, .high = INFINITY, .result = store->buffer};
    if (store->mode != LOOP_SET || p->buffers.at[store->buffer].dtype != TY_F32) return false;
    const loop_node *load = bounded(p, store->value, out);
    /* law S3: it is the element at hand */
    if (!load || load->buffer != op->outputs[0].buffer || !sym_same(load->index, store->index) ||
        !takes(g, load->buffer, store->buffer))
        return false;
    out->at = (uint32_t)at;
    return true;
}

const loop_op *sched_activated(const sched_schedule *s, const sched_group *g, arena *memory)
{
    const loop_program *p = s->program;
    const loop_op *op = &p->ops.at[g->extern_op];
    sched_activation does;
    if (!sched_activation_of(s, g, &does)) return op;
    loop_op *made = NEW(memory, loop_op);
    *made = *op;
    made->ints = NEW_ARRAY(memory, sym_expr, op->int_count);
    for (uint32_t i = 0; i < op->int_count; i++) made->ints[i] = op->ints[i];
    made->ints[does.at] = sym_int(p->symbols, CLAMP);
    made->floats = NEW_ARRAY(memory, double, 2);
    made->floats[0] = does.low;
    made->floats[1] = does.high;
    made->outputs = NEW(memory, loop_view);
    made->outputs[0] = op->outputs[0];
    made->outputs[0].buffer = does.result;
    return made;
}
