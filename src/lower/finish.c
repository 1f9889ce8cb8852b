/* finish.c -- the program once all nodes are lowered: definitions that nobody reads go, what archives
 * record of ranges is asserted, and every assertion moves to the earliest place where what it reads
 * is known.
 */
#include "lower/ragged.h"

typedef struct op_order {
    lowering *l;
    map place;       /* symbol -> the definition's op */
    uint32_t latest; /* of the assertion at hand: the op it goes behind, plus one; 0: in front */
    /* by that: the first of the assertions that go there; by assertion: the next one */
    uint32_t *first, *next;
    map used; /* symbols that something reads */
    map read; /* buffers */
} op_order;

static void note_latest(void *data, sym_expr symbol)
{
    op_order *o = data;
    uint32_t place = map_get(&o->place, symbol.id);
    if (place != MAP_NONE && place + 1 > o->latest) o->latest = place + 1;
}

static void note_used(void *data, sym_expr symbol)
{
    op_order *o = data;
    map_set(o->l->memory, &o->used, symbol.id, 1);
}

static void note_read(void *data, loop_buffer_id buffer)
{
    op_order *o = data;
    map_set(o->l->memory, &o->read, buffer, 1);
}

static void use_outputs(const lower_visitor *v)
{
    const loop_program *p = v->program;
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *out = &p->outputs.at[k];
        if (out->kind == LOOP_OUT_TENSOR)
            lower_visit_view(v, &out->view, true);
        else
            lower_visit_expr(v, out->expr);
    }
}

static bool stores_unread(const op_order *o, const loop_op *op)
{
    const loop_program *p = o->l->program;
    bool unread = op->kind == LOOP_NEST;
    for (uint32_t k = 0; k < op->store_count; k++)
        unread &= p->buffers.at[op->stores[k].buffer].kind == LOOP_TEMP &&
                  map_get(&o->read, op->stores[k].buffer) == MAP_NONE;
    return unread;
}

static bool has_range(lowering *l, sym_expr symbol)
{
    int64_t min, max;
    sym_range(l->symbols, symbol, NULL, &min, &max);
    return min != SYM_NO_MIN || max != SYM_NO_MAX;
}

/* From the last op to the first: a definition that nobody reads and that nothing is said of goes, and
 * so does what was computed for it alone. */
static void drop_unread(op_order *o)
{
    loop_program *p = o->l->program;
    bool *dropped = NEW_ARRAY(o->l->memory, bool, p->ops.count + 1), any = false;
    uint32_t depth = 0; /* what a region writes, an earlier op of its next step may read */
    lower_visitor uses = {.program = p, .symbol = note_used, .read = note_read, .data = o};
    use_outputs(&uses);
    for (uint32_t k = p->ops.count; k-- > 0;) {
        const loop_op *op = &p->ops.at[k];
        dropped[k] = op->kind == LOOP_DEFINE ? map_get(&o->used, op->symbol.id) == MAP_NONE &&
                                                   !has_range(o->l, op->symbol)
                                             : any && !depth && stores_unread(o, op);
        any |= dropped[k];
        if (op->kind == LOOP_CONTROL) {
            depth += op->control == LOOP_END;
            depth -= op->control == LOOP_IF || op->control == LOOP_REPEAT;
        }
        if (!dropped[k]) lower_visit_op(&uses, op);
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < p->ops.count; k++)
        if (!dropped[k]) p->ops.at[kept++] = p->ops.at[k];
    p->ops.count = kept;
}

static void assert_range(lowering *l, const loop_op *definition)
{
    int64_t min, max;
    loop_op op = *definition;
    lower_take_up(l, op.origin < l->graph->by_id.count ? l->graph->by_id.at[op.origin] : NULL);
    sym_range(l->symbols, op.symbol, NULL, &min, &max);
    if (min != SYM_NO_MIN) lower_assert(l, lower_const(l, min), SYM_LE, op.symbol, NULL);
    if (max < SYM_NO_MAX - 1) lower_assert(l, op.symbol, SYM_LE, lower_const(l, max), NULL);
}

static void put_behind(op_order *o, const loop_op *ops, uint32_t place)
{
    for (uint32_t k = o->first[place]; k != UINT32_MAX; k = o->next[k])
        *loop_add_op(o->l->program, LOOP_ASSERT) = ops[k];
}

/* Assertions go right behind the last definition that they read, in the region that they stand in. */
static void find_places(op_order *o, const loop_op *ops, uint32_t count)
{
    lowering *l = o->l;
    VEC(uint32_t) begins = {0}; /* of the regions around the op at hand, plus one */
    VEC(uint32_t) places = {0}; /* of the assertions */
    VEC(uint32_t) asserts = {0};
    for (uint32_t k = 0; k < count; k++) {
        if (ops[k].kind == LOOP_CONTROL) {
            if (ops[k].control == LOOP_IF || ops[k].control == LOOP_REPEAT)
                vec_push(l->memory, &begins, 0);
            if (ops[k].control == LOOP_END)
                begins.count--;
            else if (begins.count)
                vec_last(&begins) = k + 1;
        }
        if (ops[k].kind != LOOP_ASSERT) continue;
        o->latest = begins.count ? vec_last(&begins) : 0;
        sym_each_symbol(l->symbols, ops[k].relation.left, note_latest, o);
        sym_each_symbol(l->symbols, ops[k].relation.right, note_latest, o);
        vec_push(l->memory, &places, o->latest);
        vec_push(l->memory, &asserts, k);
    }
    o->first = NEW_ARRAY(l->memory, uint32_t, count + 1);
    o->next = NEW_ARRAY(l->memory, uint32_t, count + 1);
    for (uint32_t k = 0; k <= count; k++) o->first[k] = UINT32_MAX;
    for (uint32_t i = asserts.count; i-- > 0;) {
        o->next[asserts.at[i]] = o->first[places.at[i]];
        o->first[places.at[i]] = asserts.at[i];
    }
}

void lower_finish_symbols(lowering *l)
{
    loop_program *p = l->program;
    op_order o = {.l = l};
    drop_unread(&o);
    lower_note_ops(l);
    uint32_t count = p->ops.count;
    for (uint32_t k = 0; k < count; k++)
        if (p->ops.at[k].kind == LOOP_DEFINE) assert_range(l, &p->ops.at[k]);
    count = p->ops.count;
    loop_op *ops = arena_copy(l->memory, p->ops.at, count * sizeof *ops);
    for (uint32_t k = 0; k < count; k++)
        if (ops[k].kind == LOOP_DEFINE) map_set(l->memory, &o.place, ops[k].symbol.id, k);
    find_places(&o, ops, count);
    p->ops.count = 0;
    put_behind(&o, ops, 0);
    for (uint32_t k = 0; k < count; k++) {
        if (ops[k].kind == LOOP_ASSERT) continue;
        *loop_add_op(p, ops[k].kind) = ops[k];
        if (ops[k].kind == LOOP_DEFINE || ops[k].kind == LOOP_CONTROL) put_behind(&o, ops, k + 1);
    }
    lower_drop_empty_parts(l);
}
