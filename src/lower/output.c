/* output.c -- the end of the program: outputs with the strides that were recorded, then the
 * mutations.
 *
 * Everything that is read is computed before anything of the caller's is written: first the user's
 * outputs, then values for the mutated inputs into memory of their own where they depend on any
 * mutated input, and last the copies.
 */
#include "lower/ragged.h"

#include <string.h>

typedef struct epilogue {
    lowering *l;
    uint8_t *mutated; /* by buffer */
    uint32_t buffers; /* there when the epilogue began */
    loop_buffer_id
        own; /* what the value at hand goes to, and where: it may read that very element */
    sym_expr own_index;
    bool reads_mutated;
} epilogue;

/* ---- what may share memory ---- */

/* The node whose memory this one shows by its operator's schema: through views and items of views. */
static const fx_node *base_of(const fx_node *n)
{
    while (n->kind == FX_CALL && n->arg_count && n->args[0].kind == FX_ARG_NODE &&
           (n->op->is_view || fx_is(n, OP_operator_getitem)))
        n = n->args[0].node;
    return n;
}

static bool same_storage(const fx_node *a, const fx_node *b)
{
    const ty_tensor *mine = fx_tensor(a), *theirs = fx_tensor(b);
    if (mine && theirs && mine->storage && theirs->storage) return mine->storage == theirs->storage;
    return base_of(a) == base_of(b);
}

/* Do the node and the storage behind `buffer` alias in the graph itself? */
static bool may_alias(lowering *l, const fx_node *n, loop_buffer_id buffer)
{
    uint32_t origin = l->program->buffers.at[buffer].origin;
    if (origin == UINT32_MAX || origin >= l->graph->by_id.count || !l->graph->by_id.at[origin])
        return false;
    return same_storage(n, l->graph->by_id.at[origin]);
}

/* Is the buffer given out already by an earlier output that does not alias this one in the graph? */
static bool is_taken(lowering *l, const fx_node *n, loop_buffer_id buffer)
{
    const loop_program *p = l->program;
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        if (p->outputs.at[k].kind != LOOP_OUT_TENSOR || p->outputs.at[k].view.buffer != buffer)
            continue;
        if (l->shown.at[k] != n && !same_storage(n, l->shown.at[k])) return true;
    }
    return false;
}

/* Do elements share memory, for the sizes of the example? */
static bool is_overlapping(lowering *l, const ty_tensor *t)
{
    bool done[TY_MAX_RANK] = {false};
    double reach = 0;
    for (uint32_t round = 0; round < t->rank; round++) {
        uint32_t least = TY_MAX_RANK;
        for (uint32_t k = 0; k < t->rank; k++) {
            int64_t stride = sym_usual(l->symbols, t->strides[k]);
            if (done[k] || sym_usual(l->symbols, t->sizes[k]) <= 1) continue;
            if (least == TY_MAX_RANK || stride < sym_usual(l->symbols, t->strides[least]))
                least = k;
        }
        if (least == TY_MAX_RANK) return false;
        int64_t stride = sym_usual(l->symbols, t->strides[least]);
        if ((double)stride <= reach) return true;
        reach += (double)stride * (double)(sym_usual(l->symbols, t->sizes[least]) - 1);
        done[least] = true;
    }
    return false;
}

/* The output `before` as it was given, copied or not, where n shows a part of it as eager has it: the
 * same steps through the same elements lead to them in the copy. */
static bool lies_within(lowering *l, fx_node *n, lower_tensor t, uint32_t before, loop_view *out)
{
    const loop_output *o = &l->program->outputs.at[before];
    fx_node *whole = l->shown.at[before];
    loop_view part, all;
    if (o->kind != LOOP_OUT_TENSOR || !whole || !fx_tensor(whole) || !same_storage(n, whole))
        return false;
    lower_tensor base = lower_tensor_of(l, &(fx_arg){.kind = FX_ARG_NODE, .node = whole});
    if (!lower_try_strided(l, t, &part) || !lower_try_strided(l, base, &all) ||
        part.buffer != all.buffer || part.dtype != all.dtype ||
        !lower_has_strides(l, &part, fx_tensor(n)) ||
        !lower_has_strides(l, &all, fx_tensor(whole)) ||
        !ty_is_non_overlapping_and_dense(l->symbols, fx_tensor(whole)))
        return false;
    sym_expr shift = sym_sub(l->symbols, part.offset, all.offset);
    sym_expr reach = ty_reach(l->symbols, t.rank, t.sizes, fx_tensor(n)->strides);
    sym_expr end = sym_product(l->symbols, o->view.sizes, o->view.rank);
    if (!sym_known_less_equal(l->symbols, l->zero, shift, NULL) ||
        !sym_known_less_equal(l->symbols, sym_add(l->symbols, shift, reach), end, NULL))
        return false;
    *out = part;
    out->buffer = o->view.buffer;
    out->offset = sym_add(l->symbols, o->view.offset, shift);
    out->strides = fx_tensor(n)->strides;
    return true;
}

static loop_view output_view(lowering *l, fx_node *n, lower_tensor t)
{
    const ty_tensor *meta = fx_tensor(n);
    loop_view v;
    l->device = meta->device;
    for (uint32_t k = 0; k < l->program->outputs.count; k++)
        if (lies_within(l, n, t, k, &v)) return v;
    bool whole = !t.box->realised && !t.map;
    if (whole && !lower_repeats(l, meta)) lower_realise(l, t.box, meta->strides);
    if (!t.box->realised && (!l->shows[n->id] || is_overlapping(l, meta)))
        lower_realise(l, t.box, NULL);
    if (lower_try_strided(l, t, &v) && lower_has_strides(l, &v, meta)) {
        bool mine = l->program->buffers.at[v.buffer].kind == LOOP_TEMP;
        if ((mine || may_alias(l, n, v.buffer)) && !is_taken(l, n, v.buffer)) {
            v.strides = meta->strides; /* as recorded also where a size is 1 */
            return v;
        }
    }
    /* Where the recorded stride is 0, one element stands for all. */
    for (uint32_t k = 0; k < t.rank; k++)
        if (lower_is_zero(l, meta->strides[k]) && !lower_is_zero(l, t.sizes[k]))
            t = lower_slice(l, t, k, l->zero, l->one, l->one);
    v = lower_copied(l, t, meta->strides).box->view;
    v.sizes = meta->sizes;
    v.strides = meta->strides;
    return v;
}

/* ---- user outputs ---- */

/* The input that the name says. */
static fx_node *named_input(lowering *l, const char *name)
{
    for (uint32_t k = 0; name && k < l->graph->inputs.count; k++) {
        fx_node *in = l->graph->inputs.at[k];
        if ((in->target && strcmp(in->target, name) == 0) || strcmp(in->name, name) == 0) return in;
    }
    return NULL;
}

/* Is another output on the storage of this one? */
static bool is_shown_in_part(lowering *l, const fx_node *value)
{
    for (uint32_t k = 0; k < l->node->arg_count; k++) {
        const fx_arg *a = &l->node->args[k];
        bool is_user = l->graph->outputs.at[k].kind == FX_USER_OUTPUT;
        if (is_user && a->kind == FX_ARG_NODE && a->node != value && fx_tensor(a->node) &&
            same_storage(a->node, value))
            return true;
    }
    return false;
}

/* A mutated input that is returned: what it holds in the end, where it lies. Parts of the value that are
 * returned as well are then parts of the input. */
static fe_status add_returned(lowering *l, const fx_node *input, fx_node *value)
{
    lower_tensor t = lower_tensor_of(l, &(fx_arg){.kind = FX_ARG_NODE, .node = value});
    if (is_shown_in_part(l, value) && !t.box->realised && !t.map)
        lower_realise(l, t.box, fx_tensor(value)->strides);
    loop_output o = {.kind = LOOP_OUT_TENSOR, .view = l->results[input->id].items[0].box->view};
    vec_push(l->memory, &l->program->outputs, o);
    vec_push(l->memory, &l->shown, value);
    return FE_OK;
}

static fe_status add_output(lowering *l, const fx_arg *a, const char *returned)
{
    loop_output o = {.kind = LOOP_OUT_NONE};
    const fx_node *input = named_input(l, returned);
    if (input && l->results[input->id].present && a->kind == FX_ARG_NODE)
        return add_returned(l, input, a->node);
    const fx_value *v = a->kind == FX_ARG_NODE ? &a->node->value : NULL;
    if (v && v->kind == FX_TENSOR) {
        if (!l->results[a->node->id].present)
            return lower_fail(l, "output %s was not computed", a->node->name);
        o.kind = LOOP_OUT_TENSOR;
        o.view = output_view(l, a->node, lower_tensor_of(l, a));
    } else if (v && v->kind != FX_TUPLE && lower_is_computed(l, a->node) &&
               (v->kind == FX_FLOAT || sym_is_none(v->expr))) {
        o.kind = LOOP_OUT_TENSOR;
        lower_tensor t = l->results[a->node->id].items[0];
        l->device = TY_HOST;
        o.view = lower_copied(l, t, NULL).box->view;
    } else if (a->kind == FX_ARG_INT || (v && v->kind == FX_INT)) {
        o.kind = LOOP_OUT_INT;
        fx_arg_expr(l->graph, a, &o.expr);
    } else if (v && v->kind == FX_BOOL) {
        o.kind = LOOP_OUT_BOOL;
        o.expr = v->expr;
    } else if (a->kind == FX_ARG_BOOL) {
        o.kind = LOOP_OUT_BOOL;
        o.expr = lower_const(l, a->boolean);
    } else if (a->kind == FX_ARG_FLOAT || (v && v->kind == FX_FLOAT && v->is_known)) {
        o.kind = LOOP_OUT_FLOAT;
        o.number = a->kind == FX_ARG_FLOAT ? a->number : v->number;
    } else if (a->kind == FX_ARG_STRING) {
        o.kind = LOOP_OUT_STRING;
        o.string = a->string;
    } else if (a->kind != FX_ARG_NONE) {
        return lower_fail(l, "an output that is neither a tensor nor a known number");
    }
    if ((o.kind == LOOP_OUT_INT || o.kind == LOOP_OUT_BOOL) && lower_is_open(l, o.expr))
        return lower_fail(l, "no node says what output %s is", v ? a->node->name : "number");
    vec_push(l->memory, &l->program->outputs, o);
    vec_push(l->memory, &l->shown, v ? a->node : NULL);
    return FE_OK;
}

/* ---- mutations ---- */

static void note_read(void *data, loop_value v)
{
    epilogue *e = data;
    const loop_node *n = loop_at(e->l->program, v);
    if (n->op != LOOP_LOAD || n->buffer >= e->buffers || !e->mutated[n->buffer]) return;
    if (n->buffer != e->own || !sym_same(n->index, e->own_index)) e->reads_mutated = true;
}

/* Value whose memory no copy of the epilogue overwrites. */
static lower_tensor kept_aside(epilogue *e, lower_tensor t, const loop_view *to)
{
    lowering *l = e->l;
    if (t.box->realised && l->program->buffers.at[t.box->view.buffer].kind == LOOP_TEMP) return t;
    e->own = to->buffer;
    e->own_index = sym_add(l->symbols, to->offset, lower_flat(l, l->axes, to->strides, to->rank));
    e->reads_mutated = false;
    loop_value v = lower_broadcast(l, t, to->rank, to->sizes);
    loop_each_node(l->program, v, note_read, e);
    /* nothing of a call that fails stays behind */
    e->reads_mutated |= loop_may_fail(l->program, v, NULL);
    return e->reads_mutated ? lower_copied(l, t, NULL) : t;
}

static bool is_mutation(const fx_output *o)
{
    return o->kind == FX_BUFFER_MUTATION || o->kind == FX_PARAMETER_MUTATION ||
           o->kind == FX_USER_INPUT_MUTATION;
}

static void copy_into(lowering *l, lower_tensor target, lower_tensor value)
{
    const loop_view *to = &target.box->view;
    loop_buffer *buffer = &l->program->buffers.at[to->buffer];
    if (buffer->kind == LOOP_INPUT) buffer->mutated = true;
    loop_value v = loop_cast(l->program, to->dtype, lower_broadcast(l, value, to->rank, to->sizes));
    sym_expr *sizes = lower_sizes_copy(l, to->sizes, to->rank);
    for (uint32_t k = 0; k < to->rank; k++) /* one element at several places is stored once */
        if (lower_is_zero(l, to->strides[k])) sizes[k] = sym_min(l->symbols, sizes[k], l->one);
    loop_op *op = lower_nest(l, to->rank, sizes, 0, NULL);
    sym_expr at = sym_add(l->symbols, to->offset, lower_flat(l, l->axes, to->strides, to->rank));
    lower_store(l, op, (loop_store){.buffer = to->buffer, .index = at, .value = v});
}

static const fx_node *value_of(const lowering *l, uint32_t output)
{
    const fx_arg *a = &l->node->args[output];
    return a->kind == FX_ARG_NODE ? a->node : NULL;
}

static fe_status lower_mutations(lowering *l)
{
    uint32_t count = l->graph->outputs.count;
    lower_tensor *values = NEW_ARRAY(l->memory, lower_tensor, count),
                 *targets = NEW_ARRAY(l->memory, lower_tensor, count);
    epilogue e = {.l = l, .buffers = l->program->buffers.count};
    e.mutated = NEW_ARRAY(l->memory, uint8_t, e.buffers);
    for (uint32_t k = 0; k < count; k++) {
        const fx_output *o = &l->graph->outputs.at[k];
        if (!is_mutation(o)) continue;
        fx_node *input = named_input(l, o->target);
        const fx_arg *a = &l->node->args[k];
        if (!input || !l->results[input->id].present)
            return lower_fail(l, "the mutated input %s is not there", o->target);
        if (a->kind == FX_ARG_NODE && a->node == input) continue; /* unchanged after all */
        targets[k] = l->results[input->id].items[0];
        values[k] = lower_tensor_of(l, a);
        e.mutated[targets[k].box->view.buffer] = 1;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!lower_absent(targets[k])) {
            l->device = l->program->buffers.at[targets[k].box->view.buffer].device;
            values[k] = kept_aside(&e, values[k], &targets[k].box->view);
        }
        lower_note_late(l, value_of(l, k));
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!lower_absent(targets[k])) copy_into(l, targets[k], values[k]);
        lower_note_late(l, value_of(l, k));
    }
    return FE_OK;
}

fe_status lower_outputs(lowering *l)
{
    lower_begin_late(l);
    for (uint32_t k = 0; k < l->graph->outputs.count; k++) {
        if (l->graph->outputs.at[k].kind != FX_USER_OUTPUT) continue;
        FE_TRY(add_output(l, &l->node->args[k], l->graph->outputs.at[k].target));
        lower_note_late(l, value_of(l, k));
    }
    FE_TRY(lower_mutations(l));
    l->device = TY_HOST;
    lower_random_epilogue(l);
    lower_note_late(l, NULL);
    return FE_OK;
}
