/* activation.c -- epilogues that only add a buffer, as residual connections do, or keep each element
 * within bounds, as relu does: a matrix product or a convolution does that by itself, while its sums are
 * in registers, and needs no kernel for it. Nor has a product memory of its own that is added to a
 * buffer which dies: it is added where that lies.
 */
#include "sched/legal.h"

#include <math.h>

enum { CLAMP = 2 /* of the row in extern.def: within `low` and `high` */ };

/* What operators that keep within bounds give. */
static bool is_dense(ty_dtype d)
{
    return d == TY_F32 || d == TY_F64;
}

/* Is there no such int, or is it this number? */
static bool is_number(const loop_program *p, const loop_op *op, const char *name, int64_t number)
{
    int64_t value;
    return loop_int_place(op, name) < 0 || (loop_known_int(p, op, name, &value) && value == number);
}

/* Narrows the bounds by a value made of minima and maxima with constants; gives what is within them, NULL
 * where it is made of anything else. */
static const loop_node *bounded(const loop_program *p, loop_value value, sched_activation *bounds)
{
    const loop_node *n = &p->nodes.at[value.id];
    if (!is_dense(n->dtype)) return NULL;
    if (n->op == LOOP_LOAD || n->op == LOOP_ADD) return n;
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

/* A load of the element that is stored to: law S3 says that it is the one at hand. */
static bool is_own(const loop_store *store, const loop_node *load)
{
    return load->op == LOOP_LOAD && is_dense(load->dtype) && sym_same(load->index, store->index);
}

/* What the group's epilogue does, if no more than that. */
static bool find_activation(const loop_program *p, const sched_group *g, sched_activation *out)
{
    if (g->kind != SCHED_EXTERN || g->phase_count != 1 || g->phases[0].nest_count != 1)
        return false;
    const loop_op *op = &p->ops.at[g->extern_op], *nest = &g->phases[0].nests[0].nest;
    int32_t activation = loop_int_place(op, "activation");
    if (activation < 0 || nest->store_count != 1 || !is_number(p, op, "transposed", 0) ||
        !is_number(p, op, "activation", 0))
        return false;
    const loop_store *store = &nest->stores[0];
    *out = (sched_activation){.at = (uint32_t)activation,
                              .low = -INFINITY,
                              .high = INFINITY,
                              .addend = LOOP_NO_BUFFER,
                              .result = store->buffer};
    if (store->mode != LOOP_SET || !is_dense(p->buffers.at[store->buffer].dtype)) return false;
    const loop_node *made = bounded(p, store->value, out);
    if (made && made->op == LOOP_ADD && is_number(p, op, "groups", 1)) {
        const loop_node *one = &p->nodes.at[made->args[0].id],
                        *other = &p->nodes.at[made->args[1].id];
        bool first = one->op == LOOP_LOAD && one->buffer == op->outputs[0].buffer;
        const loop_node *addend = first ? other : one;
        if (!is_own(store, addend)) return false;
        out->addend = addend->buffer;
        made = first ? one : other;
    }
    return made && is_own(store, made) && made->buffer == op->outputs[0].buffer &&
           out->addend != made->buffer && out->result != made->buffer;
}

static bool takes(const sched_group *g, loop_buffer_id from, loop_buffer_id to)
{
    for (uint32_t i = 0; i < g->reuse_count; i++)
        if (g->reuses[i].from == from && g->reuses[i].to == to) return true;
    return false;
}

bool sched_activation_of(const sched_schedule *s, const sched_group *g, sched_activation *out)
{
    if (!find_activation(s->program, g, out)) return false;
    loop_buffer_id raw = s->program->ops.at[g->extern_op].outputs[0].buffer;
    return takes(g, raw, out->result) &&
           (out->addend == LOOP_NO_BUFFER || takes(g, out->addend, raw));
}

loop_buffer_id legal_addend(const loop_program *p, const sched_group *g)
{
    sched_activation does;
    if (!find_activation(p, g, &does) || does.addend == LOOP_NO_BUFFER) return LOOP_NO_BUFFER;
    const loop_op *op = &p->ops.at[g->extern_op];
    const loop_buffer *a = &p->buffers.at[does.addend], *b = &p->buffers.at[op->outputs[0].buffer];
    for (uint32_t i = 0; i < op->input_count; i++) {
        loop_buffer_id read = op->inputs[i].buffer;
        if (read == does.addend) return LOOP_NO_BUFFER;
        if (read != LOOP_NO_BUFFER &&
            (loop_is_inside(p, read, does.addend) || loop_is_inside(p, does.addend, read)))
            return LOOP_NO_BUFFER;
    }
    bool is_same = ty_same_place(a->device, b->device) && a->pinned == b->pinned &&
                   a->dtype == b->dtype && sym_same(a->elements, b->elements);
    return is_same ? does.addend : LOOP_NO_BUFFER;
}

const loop_op *sched_activated(const sched_schedule *s, const sched_group *g, arena *memory)
{
    const loop_program *p = s->program;
    const loop_op *op = &p->ops.at[g->extern_op];
    sched_activation does;
    if (!sched_activation_of(s, g, &does)) return op;
    loop_op *made = NEW(memory, loop_op);
    *made = *op;
    made->ints = arena_copy(memory, op->ints, op->int_count * sizeof *op->ints);
    if (does.low > -INFINITY || does.high < INFINITY) {
        made->ints[does.at] = sym_int(p->symbols, CLAMP);
        made->floats = loop_floats(s->program, op->kernel,
                                   (loop_float[]){{"low", does.low}, {"high", does.high}}, 2);
    }
    made->outputs = arena_copy(memory, op->outputs, op->output_count * sizeof *op->outputs);
    made->outputs[0].buffer = does.result;
    if (does.addend == LOOP_NO_BUFFER) return made;
    made->inputs = NEW_ARRAY(memory, loop_view, op->input_count + 1);
    for (uint32_t i = 0; i < op->input_count; i++) made->inputs[i] = op->inputs[i];
    made->inputs[made->input_count] = op->outputs[0];
    made->inputs[made->input_count++].buffer = does.addend;
    return made;
}
