/* reinplace.c -- what the program changes is changed where it lies.
 *
 * A functional program makes the new value of a state (or of an input that the program writes to) in
 * a buffer of its own and copies it back at the end. Where nobody reads the old value once the new
 * one is begun, the buffer is the state itself: the copy at the end goes, and so does the copy at
 * the beginning of what is overwritten only in part. A nest that then keeps what it does not replace
 * runs over the elements that it replaces alone. So it goes for writes one after another: the value
 * between two is made in the state as well, if nobody reads it behind the second.
 *
 * What begins as a copy of a donated input, or keeps most of it, is made in the input as well, if
 * nobody reads the old value behind that: a step over a cache writes its new rows alone. An output is
 * then the input.
 */
#include "sched/sched_priv.h"
#include "sched/uses.h"

typedef struct reinplacer {
    loop_program *p;
    arena *memory;
    use_tables uses;
    bool *is_gone;     /* by op */
    uint32_t *part_of; /* by op: how many parts have begun */
    bool changed;
} reinplacer;

/* ---- which buffers are the new value of a state ---- */

/* Does the index run over the elements of b, one a point of the nest? */
static bool covers(loop_program *p, const loop_op *nest, loop_buffer_id b, sym_expr index)
{
    const loop_buffer *buffer = &p->buffers.at[b];
    int64_t zero;
    if (nest->axes != buffer->rank || nest->reduce_axes) return false;
    for (uint32_t d = 0; d < buffer->rank; d++) {
        sym_expr stride;
        int64_t one;
        if (!sym_same(nest->extents[d], buffer->sizes[d])) return false;
        if (!sym_linear_in(p->symbols, index, loop_axis(p, d), &stride, &index)) return false;
        if (sym_is_int(p->symbols, buffer->sizes[d], &one) && one == 1) continue;
        if (!sym_same(stride, buffer->strides[d])) return false;
    }
    return sym_is_int(p->symbols, index, &zero) && zero == 0;
}

/* A nest that copies the whole of a buffer into another, element for element. */
static bool is_copy(loop_program *p, const loop_op *op, loop_buffer_id *from, loop_buffer_id *to)
{
    if (op->kind != LOOP_NEST || op->store_count != 1) return false;
    const loop_store *st = &op->stores[0];
    const loop_node *n = loop_at(p, st->value);
    if (st->mode != LOOP_SET || st->reduce || n->op != LOOP_LOAD || !sym_same(n->index, st->index))
        return false;
    *from = n->buffer;
    *to = st->buffer;
    const loop_buffer *a = &p->buffers.at[*from], *b = &p->buffers.at[*to];
    return *from != *to && a->dtype == b->dtype && sym_same(a->elements, b->elements) &&
           covers(p, op, *from, st->index) && covers(p, op, *to, st->index);
}

typedef struct own_search {
    const loop_program *p;
    loop_buffer_id buffer;
    sym_expr index;
    bool only_there;
} own_search;

static void check_own(void *data, loop_value v)
{
    own_search *s = data;
    const loop_node *n = loop_at(s->p, v);
    if (n->op == LOOP_LOAD && n->buffer == s->buffer && !sym_same(n->index, s->index))
        s->only_there = false;
}

/* May a nest that stores to the new value, and reads the old one, store over the old one? */
static bool overwrites_own_element(loop_program *p, const loop_op *op, loop_buffer_id old)
{
    if (op->kind != LOOP_NEST || op->store_count != 1 || op->reduce_axes ||
        op->stores[0].mode != LOOP_SET || !covers(p, op, op->stores[0].buffer, op->stores[0].index))
        return false;
    own_search search = {p, old, op->stores[0].index, true};
    loop_each_store_node(p, &op->stores[0], check_own, &search);
    return search.only_there;
}

/* May the run fail at what the op computes, having changed part of the buffer? */
static bool may_leave_half(reinplacer *r, const loop_op *op, loop_buffer_id made)
{
    for (uint32_t i = 0; i < op->store_count; i++)
        if (op->stores[i].buffer == made && loop_may_fail(r->p, op->stores[i].value, NULL))
            return true;
    return false;
}

/* The new value `made` can be made in `state`, which op `back` copies it to; stays: of which `back`
 * makes another one there, element by element. */
static bool can_replace(reinplacer *r, loop_buffer_id made, loop_buffer_id state, uint32_t back,
                        bool stays)
{
    const use_list *own = &r->uses.of[made], *old = &r->uses.of[state];
    if (r->p->buffers.at[made].kind != LOOP_TEMP || r->uses.is_output[made] || !own->count ||
        r->uses.leaves_region[made] || r->uses.leaves_region[state])
        return false;
    uint32_t begin = own->at[0].op, end = back;
    for (uint32_t i = 0; i < own->count; i++) {
        if (own->at[i].op > end && !r->is_gone[own->at[i].op]) end = own->at[i].op;
        if (own->at[i].is_write &&
            (own->at[i].op > back || r->part_of[own->at[i].op] != r->part_of[back] ||
             may_leave_half(r, &r->p->ops.at[own->at[i].op], made)))
            return false;
    }
    if (stays && end > back) return false;
    for (uint32_t i = 0; i < old->count; i++) {
        uint32_t op = old->at[i].op;
        loop_buffer_id from, to;
        if (r->is_gone[op]) continue;
        /* what has been made there before, and is made there next, is a value of its own */
        if (old->at[i].is_write && (op < begin || op > end)) continue;
        if (old->at[i].is_write ? op != back : op > begin && op < back) return false;
        if (old->at[i].is_write || op != begin) continue;
        bool copies = is_copy(r->p, &r->p->ops.at[op], &from, &to) && from == state && to == made;
        if (!copies && !overwrites_own_element(r->p, &r->p->ops.at[op], state)) return false;
    }
    return true;
}

/* ---- rewriting ---- */

/* Does it begin as a copy of the state? What one nest makes had better be fused with its reader. */
static bool begins_as_copy(reinplacer *r, loop_buffer_id made, loop_buffer_id state)
{
    const use_list *own = &r->uses.of[made];
    loop_buffer_id from, to;
    return own->count && is_copy(r->p, &r->p->ops.at[own->at[0].op], &from, &to) && from == state &&
           to == made;
}

static void replace(reinplacer *r, loop_buffer_id made, loop_buffer_id state)
{
    use_list *own = &r->uses.of[made];
    uint32_t begin = own->at[0].op;
    r->changed = true;
    if (begins_as_copy(r, made, state)) r->is_gone[begin] = true;
    for (uint32_t i = 0; i < own->count; i++) {
        if (!r->is_gone[own->at[i].op])
            uses_rename(r->p, &r->p->ops.at[own->at[i].op], made, state);
        vec_push(r->memory, &r->uses.of[state], own->at[i]);
    }
    own->count = 0;
}

/* ---- nests that keep what they do not replace ---- */

/* Least and greatest value of an axis under a condition; false when it says anything else. */
typedef struct axis_limits {
    loop_program *p;
    sym_expr low[LOOP_MAX_AXES], high[LOOP_MAX_AXES]; /* none: as the nest has it */
    const loop_op *op;
} axis_limits;

static void note_not_size(void *data, sym_expr symbol)
{
    void **pair = data;
    sym_kind kind = sym_kind_of(pair[0], symbol);
    if (kind == SYM_INDEX || kind == SYM_INDIRECT) *(bool *)pair[1] = true;
}

/* Is e known before the nest begins? */
static bool is_fixed(const sym_table *t, sym_expr e)
{
    bool moves = false;
    void *pair[] = {(void *)(uintptr_t)t, &moves};
    sym_each_symbol(t, e, note_not_size, pair);
    return !moves;
}

/* index is axis + shift. */
static bool axis_of(const axis_limits *l, loop_value v, uint32_t *axis, sym_expr *shift)
{
    const loop_node *n = loop_at(l->p, v);
    sym_table *t = l->p->symbols;
    sym_expr factor;
    int64_t one;
    if (n->op != LOOP_INDEX) return false;
    for (*axis = 0; *axis < l->op->axes; (*axis)++)
        if (sym_contains(t, n->index, loop_axis(l->p, *axis))) break;
    if (*axis == l->op->axes || !sym_linear_in(t, n->index, loop_axis(l->p, *axis), &factor, shift))
        return false;
    return sym_is_int(t, factor, &one) && one == 1 && is_fixed(t, *shift);
}

static bool number_of(const axis_limits *l, loop_value v, sym_expr *out)
{
    const loop_node *n = loop_at(l->p, v);
    if (n->op == LOOP_CONST && n->dtype == TY_I64) {
        *out = sym_int(l->p->symbols, n->integer);
        return true;
    }
    *out = n->index;
    return n->op == LOOP_INDEX && is_fixed(l->p->symbols, n->index);
}

static bool limit(axis_limits *l, uint32_t axis, sym_expr low, sym_expr high)
{
    sym_table *t = l->p->symbols;
    if (!sym_is_none(low))
        l->low[axis] = sym_is_none(l->low[axis]) ? low : sym_max(t, l->low[axis], low);
    if (!sym_is_none(high))
        l->high[axis] = sym_is_none(l->high[axis]) ? high : sym_min(t, l->high[axis], high);
    return true;
}

/* One comparison of an axis with a number, whichever stands left. */
static bool limit_by(axis_limits *l, const loop_node *n)
{
    sym_table *t = l->p->symbols;
    sym_expr shift, number, none = {0};
    uint32_t axis;
    bool left = axis_of(l, n->args[0], &axis, &shift) && number_of(l, n->args[1], &number);
    if (!left && !(axis_of(l, n->args[1], &axis, &shift) && number_of(l, n->args[0], &number)))
        return false;
    sym_expr at = sym_sub(t, number, shift), after = sym_add_int(t, at, 1);
    switch (n->op) {
    case LOOP_EQ: return limit(l, axis, at, after);
    case LOOP_LT: return left ? limit(l, axis, none, at) : limit(l, axis, after, none);
    case LOOP_LE: return left ? limit(l, axis, none, after) : limit(l, axis, at, none);
    default: return false;
    }
}

static bool limits_of(axis_limits *l, loop_value condition)
{
    const loop_node *n = loop_at(l->p, condition);
    if (n->op != LOOP_AND) return limit_by(l, n);
    loop_value left = n->args[0], right = n->args[1];
    return limits_of(l, left) && limits_of(l, right);
}

/* state[i] = inside ? value : state[i], for a box of i: only the box, and only the value. */
static bool trim(loop_program *p, loop_op *op)
{
    if (op->kind != LOOP_NEST || op->store_count != 1 || op->reduce_axes) return false;
    loop_store *st = &op->stores[0];
    loop_node choice = *loop_at(p, st->value);
    if (st->mode != LOOP_SET || (choice.op != LOOP_MASKED && choice.op != LOOP_WHERE)) return false;
    const loop_node *kept = loop_at(p, choice.args[2]);
    if (kept->op != LOOP_LOAD || kept->buffer != st->buffer || !sym_same(kept->index, st->index))
        return false;
    axis_limits l = {.p = p, .op = op};
    sym_expr from[LOOP_MAX_AXES], to[LOOP_MAX_AXES], extents[LOOP_MAX_AXES];
    if (!limits_of(&l, choice.args[0])) return false;
    for (uint32_t k = 0; k < op->axes; k++) {
        sym_expr low = sym_int(p->symbols, 0), high = op->extents[k];
        if (!sym_is_none(l.low[k])) low = sym_max(p->symbols, low, l.low[k]);
        if (!sym_is_none(l.high[k])) high = sym_min(p->symbols, high, l.high[k]);
        extents[k] = sym_max(p->symbols, sym_int(p->symbols, 0), sym_sub(p->symbols, high, low));
        from[k] = loop_axis(p, k);
        to[k] = sym_add(p->symbols, low, from[k]);
    }
    for (uint32_t k = 0; k < op->axes; k++) op->extents[k] = extents[k];
    st->index = loop_substitute_index(p, st->index, from, to, op->axes);
    st->value = loop_substitute(p, choice.args[1], from, to, op->axes);
    return true;
}

/* ---- donated inputs ---- */

/* A nest that stores the input's own element but in a box, which trim() leaves. */
static bool keeps_own_element(loop_program *p, const loop_op *op, loop_buffer_id input)
{
    if (!overwrites_own_element(p, op, input) || !covers(p, op, input, op->stores[0].index))
        return false;
    const loop_node *choice = loop_at(p, op->stores[0].value);
    if (choice->op != LOOP_MASKED && choice->op != LOOP_WHERE) return false;
    const loop_node *kept = loop_at(p, choice->args[2]);
    axis_limits l = {.p = p, .op = op};
    return kept->op == LOOP_LOAD && kept->buffer == input && limits_of(&l, choice->args[0]);
}

static bool may_begin_in(reinplacer *r, loop_buffer_id made, loop_buffer_id input)
{
    const loop_program *p = r->p;
    const use_list *own = &r->uses.of[made], *old = &r->uses.of[input];
    const loop_buffer *a = &p->buffers.at[made], *b = &p->buffers.at[input];
    if (a->kind != LOOP_TEMP || a->part || a->dtype != b->dtype || !own->count ||
        !own->at[0].is_write || r->uses.crosses[made] || r->uses.crosses[input])
        return false;
    uint32_t begin = own->at[0].op;
    for (uint32_t i = 0; i < old->count; i++)
        if (!r->is_gone[old->at[i].op] && old->at[i].op > begin) return false;
    return begins_as_copy(r, made, input) || keeps_own_element(r->p, &p->ops.at[begin], input);
}

static void return_input(reinplacer *r, loop_buffer_id made, loop_buffer_id input)
{
    for (uint32_t k = 0; k < r->p->outputs.count; k++)
        if (r->p->outputs.at[k].kind == LOOP_OUT_TENSOR && r->p->outputs.at[k].view.buffer == made)
            r->p->outputs.at[k].view.buffer = input;
    r->uses.is_output[input] |= r->uses.is_output[made];
    r->uses.is_output[made] = false;
}

/* The ops in order: what is made of the input may be its value for those behind it. */
static void replace_donated(reinplacer *r, loop_buffer_id input)
{
    loop_program *p = r->p;
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        if (r->is_gone[k] || op->kind != LOOP_NEST || op->store_count != 1) continue;
        loop_buffer_id made = op->stores[0].buffer;
        if (!r->uses.of[made].count || r->uses.of[made].at[0].op != k ||
            !may_begin_in(r, made, input))
            continue;
        replace(r, made, input);
        return_input(r, made, input);
    }
}

/* ---- the pass ---- */

/* A nest that gives a state a value made of `made`, element by element, and not of the state's own: */
static bool is_update(loop_program *p, const loop_op *op, loop_buffer_id made)
{
    const loop_buffer *a = &p->buffers.at[made], *b = &p->buffers.at[op->stores[0].buffer];
    own_search own = {p, made, op->stores[0].index, true},
               old = {p, op->stores[0].buffer, {0}, true};
    if (a->kind != LOOP_TEMP || a->dtype != b->dtype || !sym_same(a->elements, b->elements) ||
        !covers(p, op, made, op->stores[0].index))
        return false;
    loop_each_store_node(p, &op->stores[0], check_own, &own);
    loop_each_store_node(p, &op->stores[0], check_own, &old);
    return own.only_there && old.only_there;
}

typedef struct load_search {
    const loop_program *p;
    arena *memory;
    VEC(loop_buffer_id) found;
} load_search;

static void note_load(void *data, loop_value v)
{
    load_search *s = data;
    const loop_node *n = loop_at(s->p, v);
    if (n->op == LOOP_LOAD) vec_push(s->memory, &s->found, n->buffer);
}

/* What a nest makes a state of, element by element, is made in the state as well. */
static bool replace_operand(reinplacer *r, uint32_t k)
{
    loop_program *p = r->p;
    const loop_op *op = &p->ops.at[k];
    load_search loads = {.p = p, .memory = r->memory};
    if (op->kind != LOOP_NEST || op->store_count != 1 || op->reduce_axes ||
        op->stores[0].mode != LOOP_SET)
        return false;
    loop_buffer_id state = op->stores[0].buffer;
    loop_buffer_kind kind = p->buffers.at[state].kind;
    if ((kind != LOOP_STATE && kind != LOOP_INPUT) || !covers(p, op, state, op->stores[0].index))
        return false;
    loop_each_store_node(p, &op->stores[0], note_load, &loads);
    for (uint32_t i = 0; i < loads.found.count; i++) {
        loop_buffer_id made = loads.found.at[i];
        if (!is_update(p, op, made) || !begins_as_copy(r, made, state) ||
            !can_replace(r, made, state, k, true))
            continue;
        replace(r, made, state);
        return true;
    }
    return false;
}

/* Several: what is made of the new value of a state may be its value after that. */
static void replace_copies(reinplacer *r)
{
    loop_program *p = r->p;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < p->ops.count; k++) {
            loop_buffer_id made, state;
            if (r->is_gone[k]) continue;
            if (!is_copy(p, &p->ops.at[k], &made, &state)) {
                again |= replace_operand(r, k);
                continue;
            }
            loop_buffer_kind kind = p->buffers.at[state].kind;
            if ((kind != LOOP_STATE && kind != LOOP_INPUT) ||
                !can_replace(r, made, state, k, false))
                continue;
            r->is_gone[k] = true;
            replace(r, made, state);
            again = true;
        }
    }
}

/* ---- a program in parts ---- */

static bool is_written_between(const reinplacer *r, loop_buffer_id b, uint32_t after,
                               uint32_t before)
{
    const use_list *list = &r->uses.of[b];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i].is_write && list->at[i].op > after && list->at[i].op < before &&
            !r->is_gone[list->at[i].op])
            return true;
    return false;
}

/* Parts behind the one that copies a new value to a state read it there. */
static void read_where_written(reinplacer *r, uint32_t back)
{
    loop_buffer_id made, state;
    if (r->is_gone[back] || !is_copy(r->p, &r->p->ops.at[back], &made, &state)) return;
    loop_buffer_kind kind = r->p->buffers.at[state].kind;
    if ((kind != LOOP_STATE && kind != LOOP_INPUT) || r->uses.leaves_region[made] ||
        r->uses.leaves_region[state])
        return;
    for (uint32_t i = 0; i < r->uses.of[made].count; i++) {
        use u = r->uses.of[made].at[i];
        if (u.is_write || r->is_gone[u.op] || r->part_of[u.op] <= r->part_of[back] ||
            is_written_between(r, made, back, u.op) || is_written_between(r, state, back, u.op))
            continue;
        uses_rename_reads(r->p, &r->p->ops.at[u.op], made, state);
        vec_push(r->memory, &r->uses.of[state], u);
        r->uses.of[made].at[i--] = vec_last(&r->uses.of[made]);
        r->uses.of[made].count--;
        r->changed = true;
    }
}

/* A state is written in the part of the node that changes it, and in no other. */
static uint32_t *count_parts(const loop_program *p, arena *memory)
{
    uint32_t *part_of = NEW_ARRAY(memory, uint32_t, p->ops.count + 1), part = 0;
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        part += op->kind == LOOP_CONTROL && op->control == LOOP_PARTITION;
        part_of[k] = part;
    }
    return part_of;
}

static bool takes_no_step(const loop_program *p, const loop_op *op)
{
    bool none = false;
    for (uint32_t k = 0; op->kind == LOOP_NEST && k < op->axes; k++)
        none |= sym_known_equal(p->symbols, op->extents[k], sym_int(p->symbols, 0));
    return none;
}

/* Inputs and states that no op gives a new value to, now that no copy does, keep theirs. */
static void settle_kept(loop_program *p, arena *memory)
{
    bool *is_written = NEW_ARRAY(memory, bool, p->buffers.count + 1);
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        if (takes_no_step(p, op)) continue;
        for (uint32_t i = 0; i < op->store_count; i++) is_written[op->stores[i].buffer] = true;
        for (uint32_t i = 0; i < op->output_count; i++)
            if (op->outputs[i].buffer != LOOP_NO_BUFFER) is_written[op->outputs[i].buffer] = true;
    }
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        loop_buffer *buffer = &p->buffers.at[b];
        buffer->mutated &= is_written[b];
        if (buffer->kind == LOOP_STATE && !is_written[b]) buffer->kind = LOOP_CONSTANT;
    }
}

bool reinplace(loop_program *p)
{
    arena *memory = arena_new(p->session);
    reinplacer r = {.p = p,
                    .memory = memory,
                    .uses = uses_collect(p, memory),
                    .is_gone = NEW_ARRAY(memory, bool, p->ops.count + 1),
                    .part_of = count_parts(p, memory)};
    replace_copies(&r);
    bool is_cut = sched_is_cut(p);
    for (uint32_t k = 0; k < p->ops.count && is_cut; k++) read_where_written(&r, k);
    for (loop_buffer_id b = 0; b < p->buffers.count && !is_cut; b++)
        if (p->buffers.at[b].donated && !sched_donation_fault(p, b)) replace_donated(&r, b);
    uses_remove_ops(p, r.is_gone);
    for (uint32_t k = 0; k < p->ops.count; k++) {
        loop_op *op = &p->ops.at[k];
        if (!op->store_count || p->buffers.at[op->stores[0].buffer].kind == LOOP_TEMP) continue;
        while (trim(p, op)) r.changed = true; /* once for each view of a chain */
    }
    if (r.changed) settle_kept(p, memory);
    arena_free(memory);
    return r.changed;
}
