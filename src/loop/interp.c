/* interp.c -- the reference interpreter: one element at a time, the oracle for generated code.
 *
 * The values of a nest are laid out once in slots, operands first; each point of the loops
 * evaluates a slot at most once (stamps), and a MASKED operand only where its condition holds.
 * Every access is checked against its buffer.
 */
#include "loop/interp_priv.h"

#include <stdio.h>
#include <string.h>

fe_status loop_run_fail(loop_running *r, const char *format, ...)
{
    if (r->status != FE_OK) return r->status;
    va_list args;
    text where;
    va_start(args, format);
    char message[256];
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    text_init(&where, r->p->memory);
    if (r->op) loop_print_op(r->p, r->op, &where);
    diag d = {.status = FE_MISMATCH, .stage = "interpreter"};
    return r->status = diag_fail(r->p->session, d, "%s in\n%s", message, where.at ? where.at : "");
}

/* ---- symbols and indices ---- */

static loop_scalar evaluate(loop_running *r, uint32_t at);

static bool indirect_value(loop_running *r, sym_expr symbol, int64_t *value)
{
    loop_value v = loop_indirect_value(r->p, symbol);
    if (!v.id || !r->work || r->work->stamp[v.id] != r->work->now) return false;
    *value = evaluate(r, r->work->memo[v.id]).i;
    return true;
}

static bool lookup(void *data, sym_expr symbol, int64_t *value)
{
    loop_running *r = data;
    switch (sym_kind_of(r->p->symbols, symbol)) {
    case SYM_INDEX:
        for (uint32_t k = 0; k < r->all_axes; k++) {
            if (!sym_same(r->axis[k], symbol)) continue;
            *value = r->at[k];
            return true;
        }
        return false;
    case SYM_INDIRECT: return indirect_value(r, symbol, value);
    default: break;
    }
    uint32_t k = map_get(&r->defined, symbol.id);
    if (k == MAP_NONE)
        return r->machine->symbol && r->machine->symbol(r->machine->data, symbol, value);
    *value = r->values.at[k];
    return true;
}

int64_t loop_run_number(loop_running *r, sym_expr e)
{
    int64_t value;
    if (sym_is_int(r->p->symbols, e, &value)) return value;
    if (sym_eval(r->p->symbols, e, lookup, r, &value)) return value;
    text shown;
    text_init(&shown, r->p->memory);
    sym_print(r->p->symbols, e, &shown);
    loop_run_fail(r, "%s has no value", shown.at);
    return 0;
}

static affine affine_of(loop_running *r, sym_expr e)
{
    affine a = {.simple = true};
    for (uint32_t k = 0; k < r->all_axes; k++) {
        sym_expr factor, rest;
        if (!sym_contains(r->p->symbols, e, r->axis[k])) continue;
        if (!sym_linear_in(r->p->symbols, e, r->axis[k], &factor, &rest) ||
            !sym_is_int(r->p->symbols, factor, &a.factor[k]))
            return (affine){.simple = false};
        e = rest;
    }
    a.simple = sym_is_int(r->p->symbols, e, &a.base);
    return a;
}

static int64_t index_of(loop_running *r, const affine *a, sym_expr e)
{
    if (!a->simple) return loop_run_number(r, e);
    int64_t index = a->base;
    for (uint32_t k = 0; k < r->all_axes; k++) index += a->factor[k] * r->at[k];
    return index;
}

void *loop_run_element(loop_running *r, loop_buffer_id buffer, int64_t index, const char *what)
{
    const loop_buffer *b = &r->p->buffers.at[buffer];
    if (index < 0 || index >= r->elements[buffer]) {
        loop_run_fail(r, "%s of @%s at %lld, which has %lld elements,", what, b->name,
                      (long long)index, (long long)r->elements[buffer]);
        return NULL;
    }
    return (char *)r->machine->buffers[buffer] + (size_t)index * ty_dtype_size(b->dtype);
}

/* ---- values ---- */

static void note_size(void *data, sym_expr symbol)
{
    loop_running *r = data;
    const loop_bound *bound = loop_indirect_bound(r->p, symbol);
    int64_t value, limit;
    if (!bound || !indirect_value(r, symbol, &value)) return;
    limit = loop_run_number(r, bound->size);
    if (value >= 0 && value < limit) return;
    if (bound->wraps && value < 0) value -= limit; /* as it was given */
    if (bound->dimension == LOOP_DIVISOR)
        loop_run_fail(r, "an integer is divided by zero");
    else if (bound->dimension < 0)
        loop_run_fail(r, "index %lld is out of bounds for %lld elements", (long long)value,
                      (long long)limit);
    else
        loop_run_fail(r, "index %lld is out of bounds for dimension %d with size %lld",
                      (long long)value, bound->dimension, (long long)limit);
}

static int64_t index_in_bounds(loop_running *r, const slot *s)
{
    if (!s->index.simple) sym_each_symbol(r->p->symbols, s->node.index, note_size, r);
    return index_of(r, &s->index, s->node.index);
}

static loop_scalar load(loop_running *r, const slot *s)
{
    loop_scalar zero = {0};
    const void *at = loop_run_element(r, s->node.buffer, index_in_bounds(r, s), "a load");
    return at ? loop_scalar_load(s->node.dtype, at) : zero;
}

static loop_scalar compute(loop_running *r, slot *s)
{
    loop_scalar args[3] = {{0}}, out = {0};
    const loop_node *n = &s->node;
    switch (n->op) {
    case LOOP_CONST: return loop_scalar_of(n);
    case LOOP_INDEX: return (loop_scalar){.i = index_in_bounds(r, s)};
    case LOOP_LOAD: return load(r, s);
    case LOOP_SYMFLOAT: return (loop_scalar){.f = r->p->inputs.at[n->buffer].number};
    case LOOP_MASKED: return evaluate(r, s->args[evaluate(r, s->args[0]).i ? 1 : 2]);
    default: break;
    }
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) args[k] = evaluate(r, s->args[k]);
    if (n->op == LOOP_CAST) return loop_scalar_cast(s->operand, n->dtype, args[0]);
    if (n->op == LOOP_BITCAST) return loop_scalar_bitcast(s->operand, n->dtype, args[0]);
    if (n->op == LOOP_RANDBITS)
        return loop_scalar_cast(
            TY_I64, n->dtype,
            (loop_scalar){.i = (int64_t)fe_random_bits((uint64_t)args[0].i, (uint64_t)args[1].i)});
    if (!loop_scalar_apply(n->op, s->operand, args, &out))
        loop_run_fail(r, "%s of %s has no meaning", loop_opcode_name(n->op),
                      ty_dtype_name(s->operand));
    return out;
}

static loop_scalar evaluate(loop_running *r, uint32_t at)
{
    slot *s = &r->slots[at];
    if (s->stamp != r->now) {
        s->value = compute(r, s);
        s->stamp = r->now;
    }
    return s->value;
}

static void add_indirect(void *data, sym_expr symbol)
{
    loop_running *r = data;
    loop_value v = loop_indirect_value(r->p, symbol);
    if (v.id) loop_work_add(r->p, r->work, v);
}

static void lay_out(loop_running *r)
{
    r->work = loop_work_begin(r->p);
    for (uint32_t k = 0; k < r->op->store_count; k++) {
        loop_work_add(r->p, r->work, r->op->stores[k].value);
        sym_each_symbol(r->p->symbols, r->op->stores[k].index, add_indirect, r);
    }
    r->slots = NEW_ARRAY(r->machine->memory, slot, r->work->order.count);
    for (uint32_t k = 0; k < r->work->order.count; k++) {
        uint32_t id = r->work->order.at[k];
        slot *s = &r->slots[k];
        r->work->memo[id] = k;
        s->node = r->p->nodes.at[id];
        uint32_t count = loop_operand_count(s->node.op);
        for (uint32_t j = 0; j < count; j++) s->args[j] = r->work->memo[s->node.args[j].id];
        if (count)
            s->operand = loop_at(r->p, s->node.args[count == 3 && s->node.op != LOOP_FMA])->dtype;
        if (s->node.op == LOOP_LOAD || s->node.op == LOOP_INDEX)
            s->index = affine_of(r, s->node.index);
    }
}

/* ---- nests ---- */

/* The next point of axes [first, first + count); false when the last one is behind us. */
static bool advance(loop_running *r, uint32_t first, uint32_t count)
{
    for (uint32_t k = first + count; k-- > first;) {
        if (++r->at[k] < r->extent[k]) return true;
        r->at[k] = 0;
    }
    return false;
}

static bool is_empty(const loop_running *r, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < first + count; k++)
        if (r->extent[k] <= 0) return true;
    return false;
}

static void put(loop_running *r, const loop_store *st, const affine *index, loop_scalar v)
{
    if (!index->simple) sym_each_symbol(r->p->symbols, st->index, note_size, r);
    ty_dtype d = r->p->buffers.at[st->buffer].dtype;
    void *at = loop_run_element(r, st->buffer, index_of(r, index, st->index), "a store");
    if (!at) return;
    if (st->mode != LOOP_SET) {
        static const loop_opcode COMBINE[LOOP_MODE_COUNT] = {[LOOP_ADD_INTO] = LOOP_ADD,
                                                             [LOOP_MUL_INTO] = LOOP_MUL,
                                                             [LOOP_MIN_INTO] = LOOP_MIN,
                                                             [LOOP_MAX_INTO] = LOOP_MAX};
        bool extreme = st->mode == LOOP_MIN_INTO || st->mode == LOOP_MAX_INTO;
        loop_scalar old = loop_scalar_load(d, at), args[3] = {extreme ? v : old, extreme ? old : v};
        loop_opcode combine =
            d == TY_BOOL && st->mode == LOOP_ADD_INTO ? LOOP_OR : COMBINE[st->mode];
        loop_scalar_apply(combine, d, args, &v);
    }
    loop_scalar_store(d, at, v);
}

/* One step of the reductions, the `flat`-th; scans store what they have come to. */
static void run_step(loop_running *r, const affine *indices, accumulator *sums, int64_t flat)
{
    r->now++;
    for (uint32_t k = 0; k < r->op->store_count && r->status == FE_OK; k++) {
        const loop_store *st = &r->op->stores[k];
        if (!st->reduce) continue;
        loop_accumulator_add(&sums[k], evaluate(r, r->work->memo[st->value.id]), flat);
        if (!st->scan) continue;
        ty_dtype from = loop_at(r->p, st->value)->dtype, to = r->p->buffers.at[st->buffer].dtype;
        put(r, st, &indices[k], loop_scalar_cast(from, to, loop_accumulator_end(&sums[k])));
    }
}

static void run_point(loop_running *r, const affine *indices, accumulator *sums)
{
    const loop_op *op = r->op;
    uint32_t reduce = r->all_axes - r->axes;
    for (uint32_t k = 0; k < op->store_count; k++)
        loop_accumulator_start(&sums[k], op->stores[k].reduce,
                               loop_at(r->p, op->stores[k].value)->dtype);
    memset(r->at + r->axes, 0, reduce * sizeof *r->at);
    bool any_reduces = false;
    for (uint32_t k = 0; k < op->store_count; k++)
        any_reduces |= op->stores[k].reduce != LOOP_NO_REDUCE;
    if (any_reduces && !is_empty(r, r->axes, reduce)) {
        int64_t flat = 0;
        do {
            run_step(r, indices, sums, flat++);
        } while (r->status == FE_OK && advance(r, r->axes, reduce));
    }
    r->now++;
    for (uint32_t k = 0; k < op->store_count && r->status == FE_OK; k++) {
        const loop_store *st = &op->stores[k];
        if (st->scan) continue;
        put(r, st, &indices[k],
            st->reduce ? loop_accumulator_end(&sums[k]) : evaluate(r, r->work->memo[st->value.id]));
    }
}

static fe_status run_nest(loop_running *r)
{
    const loop_op *op = r->op;
    arena *memory = r->machine->memory;
    r->axes = r->all_axes = 0; /* extents may not use axes */
    for (uint32_t k = 0; k < op->axes; k++) r->extent[k] = loop_run_number(r, op->extents[k]);
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        r->extent[op->axes + k] = loop_run_number(r, op->reduce_extents[k]);
    r->axes = op->axes;
    r->all_axes = op->axes + op->reduce_axes;
    for (uint32_t k = 0; k < r->all_axes; k++)
        r->axis[k] = k < r->axes ? loop_axis(r->p, k) : loop_reduce_axis(r->p, k - r->axes);
    memset(r->at, 0, sizeof r->at);
    lay_out(r);
    affine *indices = NEW_ARRAY(memory, affine, op->store_count);
    accumulator *sums = NEW_ARRAY(memory, accumulator, op->store_count);
    for (uint32_t k = 0; k < op->store_count; k++) indices[k] = affine_of(r, op->stores[k].index);
    if (!is_empty(r, 0, r->axes)) {
        do {
            run_point(r, indices, sums);
        } while (r->status == FE_OK && advance(r, 0, r->axes));
    }
    loop_work_end(r->p, r->work);
    r->work = NULL;
    r->axes = r->all_axes = 0;
    return r->status;
}

/* ---- the program ---- */

fe_status loop_run_allocate(loop_running *r, loop_buffer_id id)
{
    const loop_buffer *b = &r->p->buffers.at[id];
    if (r->elements[id] >= 0) return FE_OK;
    r->elements[id] = loop_run_number(r, b->elements);
    if (r->status != FE_OK) return r->status;
    if (r->elements[id] < 0) r->elements[id] = 0;
    void **at = &r->machine->buffers[id];
    if (!*at && b->part) {
        FE_TRY(loop_run_allocate(r, b->part->whole));
        *at = (char *)r->machine->buffers[b->part->whole] +
              loop_run_number(r, b->part->at) * ty_dtype_size(b->dtype);
    }
    if (!*at && b->kind == LOOP_CONSTANT) *at = (void *)(uintptr_t)b->data;
    if (!*at && b->kind == LOOP_TEMP)
        *at =
            arena_alloc(r->machine->memory, (size_t)r->elements[id] * ty_dtype_size(b->dtype) + 1);
    if (!*at && r->elements[id] > 0) return loop_run_fail(r, "@%s has no memory", b->name);
    return FE_OK;
}

static void allocate_load(void *data, loop_value v)
{
    loop_running *r = data;
    const loop_node *n = loop_at(r->p, v);
    if (n->op == LOOP_LOAD) loop_run_allocate(r, n->buffer);
}

/* Buffers get their memory when first used: the size of one may be known only after a call has
 * defined a symbol. */
static fe_status allocate_for(loop_running *r)
{
    const loop_op *op = r->op;
    for (uint32_t k = 0; k < op->store_count; k++) {
        FE_TRY(loop_run_allocate(r, op->stores[k].buffer));
        loop_each_node(r->p, op->stores[k].value, allocate_load, r);
        loop_value index = loop_index(r->p, op->stores[k].index);
        loop_each_node(r->p, index, allocate_load, r);
    }
    for (uint32_t k = 0; k < op->input_count; k++)
        if (op->inputs[k].buffer != LOOP_NO_BUFFER)
            FE_TRY(loop_run_allocate(r, op->inputs[k].buffer));
    for (uint32_t k = 0; k < op->output_count; k++)
        if (op->outputs[k].buffer != LOOP_NO_BUFFER)
            FE_TRY(loop_run_allocate(r, op->outputs[k].buffer));
    return r->status;
}

/* ---- extern calls, symbols, assertions ---- */

static loop_operand operand_of(loop_running *r, const loop_view *v)
{
    loop_operand out = {.dtype = v->dtype, .rank = v->rank};
    if (v->buffer == LOOP_NO_BUFFER) return out;
    for (uint32_t k = 0; k < v->rank; k++) {
        out.sizes[k] = loop_run_number(r, v->sizes[k]);
        out.strides[k] = loop_run_number(r, v->strides[k]);
    }
    out.data = (char *)r->machine->buffers[v->buffer] +
               (size_t)loop_run_number(r, v->offset) * ty_dtype_size(v->dtype);
    return out;
}

static fe_status run_extern(loop_running *r)
{
    const loop_op *op = r->op;
    loop_operand *operands =
        NEW_ARRAY(r->machine->memory, loop_operand, op->input_count + op->output_count + 1);
    int64_t *ints = NEW_ARRAY(r->machine->memory, int64_t, op->int_count + 1);
    for (uint32_t k = 0; k < op->input_count; k++) operands[k] = operand_of(r, &op->inputs[k]);
    for (uint32_t k = 0; k < op->output_count; k++)
        operands[op->input_count + k] = operand_of(r, &op->outputs[k]);
    for (uint32_t k = 0; k < op->int_count; k++) ints[k] = loop_run_number(r, op->ints[k]);
    if (r->status != FE_OK) return r->status;
    loop_call call = {.in = operands,
                      .out = operands + op->input_count,
                      .in_count = op->input_count,
                      .ints = ints,
                      .floats = op->floats,
                      .memory = r->machine->memory};
    if (loop_reference(op->kernel, call)) return FE_OK;
    if (!r->machine->run_extern) return loop_run_fail(r, "no one runs extern kernels");
    return r->machine->run_extern(r->machine->data, r->p, op, r->machine->buffers);
}

/* What an earlier step of a repeat has made in sizes of its own gets memory anew. */
static void forget_sizes(loop_running *r, sym_expr symbol)
{
    const loop_program *p = r->p;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_buffer *b = &p->buffers.at[id];
        bool depends = sym_contains(p->symbols, b->elements, symbol) ||
                       (b->part && sym_contains(p->symbols, b->part->at, symbol));
        if (b->kind != LOOP_TEMP || !depends) continue;
        r->elements[id] = -1;
        r->machine->buffers[id] = NULL;
    }
}

void loop_run_set_symbol(loop_running *r, sym_expr symbol, int64_t value)
{
    uint32_t k = map_get(&r->defined, symbol.id);
    if (k != MAP_NONE) {
        if (r->values.at[k] != value) forget_sizes(r, symbol);
        r->values.at[k] = value;
        return;
    }
    map_set(r->machine->memory, &r->defined, symbol.id, r->values.count);
    vec_push(r->machine->memory, &r->values, value);
}

static fe_status run_define(loop_running *r)
{
    int64_t value;
    const loop_op *op = r->op;
    if (op->input_count) {
        loop_operand element = operand_of(r, &op->inputs[0]);
        value = loop_scalar_load(element.dtype, element.data).i;
    } else
        value = loop_run_number(r, op->expr);
    loop_run_set_symbol(r, op->symbol, value);
    return r->status;
}

static fe_status run_assert(loop_running *r)
{
    const sym_relation *relation = &r->op->relation;
    int64_t left = loop_run_number(r, relation->left), right = loop_run_number(r, relation->right);
    bool holds = relation->op == SYM_EQ   ? left == right
                 : relation->op == SYM_NE ? left != right
                 : relation->op == SYM_LT ? left < right
                                          : left <= right;
    if (!holds) return loop_run_fail(r, "%s", r->op->message ? r->op->message : "an assertion");
    return r->status;
}

fe_status loop_run_op(loop_running *r)
{
    switch (r->op->kind) {
    case LOOP_NEST: FE_TRY(allocate_for(r)); return run_nest(r);
    case LOOP_EXTERN: FE_TRY(allocate_for(r)); return run_extern(r);
    case LOOP_ASSERT: return run_assert(r);
    case LOOP_DEFINE: FE_TRY(allocate_for(r)); return run_define(r);
    case LOOP_CONTROL: break;
    }
    return FE_OK;
}

static void start(loop_running *r, loop_program *p, loop_machine *machine)
{
    *r = (loop_running){.p = p, .machine = machine};
    r->elements = NEW_ARRAY(machine->memory, int64_t, p->buffers.count + 1);
    for (uint32_t k = 0; k < p->buffers.count; k++) r->elements[k] = -1;
}

fe_status loop_interpret_op(loop_program *p, loop_machine *machine, const loop_op *op)
{
    loop_running r;
    start(&r, p, machine);
    r.op = op;
    return loop_run_op(&r);
}

fe_status loop_interpret(loop_program *p, loop_machine *machine)
{
    loop_running r;
    start(&r, p, machine);
    uint32_t at = 0;
    FE_TRY(loop_run_ops(&r, &at));
    r.op = NULL;
    for (uint32_t k = 0; k < p->outputs.count; k++)
        if (p->outputs.at[k].kind == LOOP_OUT_TENSOR)
            FE_TRY(loop_run_allocate(&r, p->outputs.at[k].view.buffer));
    return r.status;
}
