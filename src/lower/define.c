/* define.c -- symbols that the run defines, and what must hold of them.
 *
 * A definition reads one integer that the program has computed, or an expression over symbols that
 * are known by then. What archives record of ranges are facts that the rest of the compiler uses:
 * so each is asserted where the symbol gets its value, whether the program says so itself or not.
 */
#include "lower/ragged.h"

#include <string.h>

/* ---- questions ---- */

typedef struct symbol_search {
    lowering *l;
    sym_expr open; /* an unbacked symbol without definition */
    uint32_t open_count, unbacked;
    sym_expr *list; /* of the open ones, with room for so many */
    uint32_t room;
} symbol_search;

static void look_at_symbol(void *data, sym_expr symbol)
{
    symbol_search *s = data;
    if (sym_kind_of(s->l->symbols, symbol) != SYM_UNBACKED) return;
    s->unbacked++;
    if (map_get(&s->l->defined, symbol.id) != MAP_NONE) return;
    for (uint32_t k = 0; k < s->open_count && k < s->room; k++)
        if (sym_same(s->list[k], symbol)) return;
    if (s->open_count < s->room) s->list[s->open_count] = symbol;
    s->open = symbol;
    s->open_count++;
}

static symbol_search search_in(lowering *l, sym_expr e)
{
    symbol_search s = {.l = l};
    if (!sym_is_none(e)) sym_each_symbol(l->symbols, e, look_at_symbol, &s);
    return s;
}

bool lower_has_unbacked(lowering *l, sym_expr e)
{
    return search_in(l, e).unbacked > 0;
}

sym_expr lower_open_symbol(lowering *l, sym_expr e)
{
    return search_in(l, e).open;
}

bool lower_is_open(lowering *l, sym_expr e)
{
    return search_in(l, e).open_count > 0;
}

uint32_t lower_open_symbols(lowering *l, sym_expr e, sym_expr *out, uint32_t room)
{
    symbol_search s = {.l = l, .list = out, .room = room};
    sym_each_symbol(l->symbols, e, look_at_symbol, &s);
    return s.open_count;
}

/* ---- assertions ---- */

static const char *with_source(lowering *l, const char *what)
{
    const char *line = l->node ? fx_origin_line(l->graph, l->node->origin) : NULL;
    const char *of = l->node ? l->node->name : "the program";
    return line ? arena_printf(l->memory, "%s (%s, %s)", what, of, line)
                : arena_printf(l->memory, "%s (%s)", what, of);
}

static bool same_relation(const sym_relation *a, const sym_relation *b)
{
    return a->op == b->op && sym_same(a->left, b->left) && sym_same(a->right, b->right);
}

/* An arm that the other has followed has ended. */
static uint32_t regions_ended(loop_control c, uint32_t ended)
{
    switch (c) {
    case LOOP_END: return ended + 1;
    case LOOP_ELSE: return ended ? ended : 1;
    case LOOP_IF:
    case LOOP_REPEAT: return ended ? ended - 1 : 0;
    default: return ended;
    }
}

/* Always when this place is reached? */
static bool is_asserted(lowering *l, const sym_relation *r)
{
    uint32_t ended = 0; /* regions, walking back, whose beginning has not been met */
    for (uint32_t k = l->program->ops.count; k-- > 0;) {
        const loop_op *op = &l->program->ops.at[k];
        if (op->kind == LOOP_CONTROL)
            ended = regions_ended(op->control, ended);
        else if (!ended && op->kind == LOOP_ASSERT && same_relation(&op->relation, r))
            return true;
    }
    return false;
}

static bool is_true_of_numbers(lowering *l, const sym_relation *r)
{
    int64_t x, y;
    if (sym_same(r->left, r->right)) return r->op == SYM_EQ || r->op == SYM_LE;
    if (!sym_is_int(l->symbols, r->left, &x) || !sym_is_int(l->symbols, r->right, &y)) return false;
    return r->op == SYM_EQ ? x == y : r->op == SYM_NE ? x != y : r->op == SYM_LT ? x < y : x <= y;
}

void lower_assert(lowering *l, sym_expr left, sym_op op, sym_expr right, const char *what)
{
    sym_relation relation = {left, right, op};
    if (is_true_of_numbers(l, &relation) || is_asserted(l, &relation)) return;
    text said;
    text_init(&said, l->memory);
    if (what) text_printf(&said, "%s: ", what);
    sym_print_relation(l->symbols, &relation, &said);
    if (!what) text_add(&said, " does not hold");
    loop_op *made = loop_add_op(l->program, LOOP_ASSERT);
    made->relation = relation;
    made->message = with_source(l, said.at);
    made->origin = lower_origin(l);
}

/* L['x'].size()[0] as x.size()[0] */
static const char *guard_text(lowering *l, const char *guard)
{
    text out;
    text_init(&out, l->memory);
    text_add(&out, "the program was exported for inputs with ");
    while (*guard) {
        const char *end = strncmp(guard, "L['", 3) == 0 ? strstr(guard, "']") : NULL;
        if (end) {
            text_add_n(&out, guard + 3, (size_t)(end - guard - 3));
            guard = end + 2;
        } else
            text_char(&out, *guard++);
    }
    return out.at;
}

void lower_guards(lowering *l)
{
    for (uint32_t i = 0; i < l->graph->guards.count; i++) {
        const char *guard = l->graph->guards.at[i];
        fx_relation_list relations = {0};
        fx_guard_relations(l->graph, guard, l->memory, &relations);
        for (uint32_t k = 0; k < relations.count; k++) {
            const sym_relation *r = &relations.at[k];
            if (is_true_of_numbers(l, r) || is_asserted(l, r)) continue;
            loop_op *made = loop_add_op(l->program, LOOP_ASSERT);
            made->relation = *r;
            made->message = guard_text(l, guard);
            made->origin = UINT32_MAX;
        }
    }
}

void lower_require(lowering *l, sym_expr left, sym_op op, sym_expr right, const char *what)
{
    sym_expr predicate = sym_compare(l->symbols, op, left, right);
    if (sym_prove(l->symbols, predicate, NULL) == SYM_TRUE) return;
    lower_assert(l, left, op, right, what);
}

void lower_require_equal(lowering *l, sym_expr a, sym_expr b)
{
    if (sym_same(a, b) || !(lower_has_unbacked(l, a) || lower_has_unbacked(l, b))) return;
    if (!sym_known_equal(l->symbols, a, b)) lower_assert(l, a, SYM_EQ, b, NULL);
}

/* ---- definitions ---- */

sym_expr lower_new_symbol(lowering *l, int64_t min, int64_t max)
{
    const char *name;
    do {
        name = arena_printf(l->memory, "u%u", l->graph->next_symbol++);
    } while (!sym_is_none(sym_find_symbol(l->symbols, name)));
    return sym_symbol(l->symbols, name, SYM_UNBACKED, min, max);
}

static loop_op *add_definition(lowering *l, sym_expr symbol)
{
    loop_op *op = loop_add_op(l->program, LOOP_DEFINE);
    op->symbol = symbol;
    op->origin = lower_origin(l);
    map_set(l->memory, &l->defined, symbol.id, 1);
    return op;
}

static bool is_open(lowering *l, sym_expr e)
{
    return sym_op_of(l->symbols, e) == SYM_SYMBOL && search_in(l, e).open_count == 1;
}

/* e == value, where e is no open symbol: solved for the one open symbol in it, then asserted. */
static void solve(lowering *l, sym_expr e, sym_expr value)
{
    sym_table *t = l->symbols;
    symbol_search s = search_in(l, e);
    sym_expr scale, shift;
    if (s.open_count == 1 && sym_linear_in(t, e, s.open, &scale, &shift)) {
        lower_require(l, scale, SYM_NE, l->zero, NULL);
        sym_expr solved = sym_floordiv(t, sym_sub(t, value, shift), scale);
        add_definition(l, s.open)->expr = solved;
    }
    lower_assert(l, value, SYM_EQ, e, NULL);
}

void lower_define(lowering *l, sym_expr e, lower_tensor t)
{
    sym_expr zeros[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < t.rank; k++) zeros[k] = l->zero;
    if (!is_open(l, e)) {
        sym_expr value = lower_read_int(l, t, SYM_NO_MIN, SYM_NO_MAX);
        solve(l, e, value);
        return;
    }
    loop_view element = lower_strided(l, t);
    element.offset =
        sym_add(l->symbols, element.offset, lower_flat(l, zeros, element.strides, element.rank));
    element.rank = 0;
    loop_op *op = add_definition(l, e);
    op->inputs = arena_copy(l->memory, &element, sizeof element);
    op->input_count = 1;
}

void lower_define_expr(lowering *l, sym_expr e, sym_expr value)
{
    if (sym_same(e, value)) return;
    if (is_open(l, e))
        add_definition(l, e)->expr = value;
    else if (search_in(l, e).open_count || !sym_known_equal(l->symbols, e, value))
        solve(l, e, value);
}

sym_expr lower_read_int(lowering *l, lower_tensor t, int64_t min, int64_t max)
{
    sym_expr symbol = lower_new_symbol(l, min, max);
    lower_define(l, symbol, t);
    return symbol;
}

/* ---- results ---- */

static fe_status check_sizes(lowering *l, const ty_tensor *t)
{
    for (uint32_t d = 0; d < t->rank; d++) {
        symbol_search s = search_in(l, t->sizes[d]);
        if (s.open_count)
            return lower_fail(l, "no node says what the size %s is", sym_name(l->symbols, s.open));
        if (s.unbacked) lower_require(l, l->zero, SYM_LE, t->sizes[d], "a size is negative");
    }
    return FE_OK;
}

static fe_status check_value(lowering *l, const fx_value *v)
{
    if (v->kind == FX_TENSOR) FE_TRY(check_sizes(l, v->tensor));
    for (uint32_t k = 0; v->kind == FX_TUPLE && k < v->count; k++)
        FE_TRY(check_value(l, &v->items[k]));
    return FE_OK;
}

fe_status lower_check_results(lowering *l, const fx_node *n)
{
    return check_value(l, &n->value);
}

/* ---- the end ---- */

typedef struct op_order {
    lowering *l;
    map place;        /* symbol -> the definition's op */
    uint32_t latest;  /* of the assertion at hand: the op it goes behind, plus one; 0: in front */
    uint32_t *behind; /* by op: an assertion's `latest`; UINT32_MAX elsewhere */
    map used;         /* symbols that something reads */
    map read;         /* buffers */
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
    sym_expr size = loop_indirect_size(o->l->program, symbol);
    if (!sym_is_none(size)) sym_each_symbol(o->l->symbols, size, note_used, o);
}

static void use_exprs(op_order *o, const sym_expr *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (!sym_is_none(list[k])) sym_each_symbol(o->l->symbols, list[k], note_used, o);
}

static void use_buffer(op_order *o, loop_buffer_id buffer)
{
    if (buffer == LOOP_NO_BUFFER) return;
    const loop_buffer *b = &o->l->program->buffers.at[buffer];
    use_exprs(o, b->sizes, b->rank);
    use_exprs(o, b->strides, b->rank);
    use_exprs(o, &b->elements, 1);
}

static void use_value(void *data, loop_value v)
{
    op_order *o = data;
    const loop_node *n = loop_at(o->l->program, v);
    if (!sym_is_none(n->index)) use_exprs(o, &n->index, 1);
    if (n->op != LOOP_LOAD) return;
    use_buffer(o, n->buffer);
    map_set(o->l->memory, &o->read, n->buffer, 1);
}

static void use_view(op_order *o, const loop_view *v, bool reads)
{
    if (v->buffer == LOOP_NO_BUFFER) return;
    use_buffer(o, v->buffer);
    use_exprs(o, v->sizes, v->rank);
    use_exprs(o, v->strides, v->rank);
    use_exprs(o, &v->offset, 1);
    if (reads) map_set(o->l->memory, &o->read, v->buffer, 1);
}

static void use_op(op_order *o, const loop_op *op)
{
    use_exprs(o, op->extents, op->axes);
    use_exprs(o, op->reduce_extents, op->reduce_axes);
    for (uint32_t k = 0; k < op->store_count; k++) {
        loop_each_store_node(o->l->program, &op->stores[k], use_value, o);
        use_exprs(o, &op->stores[k].index, 1);
        use_buffer(o, op->stores[k].buffer);
        if (op->stores[k].mode != LOOP_SET)
            map_set(o->l->memory, &o->read, op->stores[k].buffer, 1);
    }
    for (uint32_t k = 0; k < op->input_count; k++) use_view(o, &op->inputs[k], true);
    for (uint32_t k = 0; k < op->output_count; k++) use_view(o, &op->outputs[k], false);
    use_exprs(o, op->ints, op->int_count);
    use_exprs(o, &op->expr, 1);
    if (op->kind != LOOP_ASSERT) return;
    use_exprs(o, &op->relation.left, 1);
    use_exprs(o, &op->relation.right, 1);
}

static void use_outputs(op_order *o)
{
    const loop_program *p = o->l->program;
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        const loop_output *out = &p->outputs.at[k];
        if (out->kind == LOOP_OUT_TENSOR)
            use_view(o, &out->view, true);
        else
            use_exprs(o, &out->expr, 1);
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
    use_outputs(o);
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
        if (!dropped[k]) use_op(o, op);
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
    l->node = op.origin < l->graph->by_id.count ? l->graph->by_id.at[op.origin] : NULL;
    sym_range(l->symbols, op.symbol, NULL, &min, &max);
    if (min != SYM_NO_MIN) lower_assert(l, lower_const(l, min), SYM_LE, op.symbol, NULL);
    if (max < SYM_NO_MAX - 1) lower_assert(l, op.symbol, SYM_LE, lower_const(l, max), NULL);
}

static void put_behind(op_order *o, const loop_op *ops, uint32_t count, uint32_t place)
{
    for (uint32_t k = 0; k < count; k++)
        if (o->behind[k] == place) *loop_add_op(o->l->program, LOOP_ASSERT) = ops[k];
}

void lower_finish_symbols(lowering *l)
{
    loop_program *p = l->program;
    op_order o = {.l = l};
    drop_unread(&o);
    uint32_t count = p->ops.count;
    for (uint32_t k = 0; k < count; k++)
        if (p->ops.at[k].kind == LOOP_DEFINE) assert_range(l, &p->ops.at[k]);
    count = p->ops.count;
    loop_op *ops = arena_copy(l->memory, p->ops.at, count * sizeof *ops);
    o.behind = NEW_ARRAY(l->memory, uint32_t, count + 1);
    for (uint32_t k = 0; k < count; k++)
        if (ops[k].kind == LOOP_DEFINE) map_set(l->memory, &o.place, ops[k].symbol.id, k);
    VEC(uint32_t) begins = {0}; /* of the regions around the op at hand, plus one */
    for (uint32_t k = 0; k < count; k++) {
        o.behind[k] = UINT32_MAX;
        if (ops[k].kind == LOOP_CONTROL) {
            if (ops[k].control == LOOP_IF || ops[k].control == LOOP_REPEAT)
                vec_push(l->memory, &begins, 0);
            if (ops[k].control == LOOP_END)
                begins.count--;
            else
                vec_last(&begins) = k + 1;
        }
        if (ops[k].kind != LOOP_ASSERT) continue;
        o.latest = begins.count ? vec_last(&begins) : 0;
        sym_each_symbol(l->symbols, ops[k].relation.left, note_latest, &o);
        sym_each_symbol(l->symbols, ops[k].relation.right, note_latest, &o);
        o.behind[k] = o.latest;
    }
    p->ops.count = 0;
    put_behind(&o, ops, count, 0);
    for (uint32_t k = 0; k < count; k++) {
        if (ops[k].kind == LOOP_ASSERT) continue;
        *loop_add_op(p, ops[k].kind) = ops[k];
        if (ops[k].kind == LOOP_DEFINE || ops[k].kind == LOOP_CONTROL)
            put_behind(&o, ops, count, k + 1);
    }
}
