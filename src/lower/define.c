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

static uint64_t relation_key(const sym_relation *r)
{
    return HASH_MIX(((uint64_t)r->left.id << 32 | r->right.id) + 1, (uint64_t)r->op + 1);
}

static void note_op(lowering *l, uint32_t k)
{
    const loop_op *op = &l->program->ops.at[k];
    if (op->kind == LOOP_CONTROL) l->asserts->control = k + 1;
    if (op->kind == LOOP_ASSERT)
        map_set(l->memory, &l->asserts->last, relation_key(&op->relation), k);
}

void lower_note_last_op(lowering *l)
{
    note_op(l, l->program->ops.count - 1);
}

void lower_note_ops(lowering *l)
{
    *l->asserts = (lower_asserts){.control = 0};
    for (uint32_t k = 0; k < l->program->ops.count; k++) note_op(l, k);
}

/* Always when this place is reached? */
static bool is_asserted(lowering *l, const sym_relation *r)
{
    uint32_t ended = 0; /* regions, walking back, whose beginning has not been met */
    uint32_t last = map_get(&l->asserts->last, relation_key(r));
    if (last == MAP_NONE) return false;
    if (last >= l->asserts->control && same_relation(&l->program->ops.at[last].relation, r))
        return true;
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
    lower_note_last_op(l);
}

const char *lower_say_unfit(void *lowering_, uint32_t origin, const sym_relation *r)
{
    lowering *l = lowering_;
    const fx_graph *g = l->graph;
    enum { MOST_TO_READ = 120 };
    text said, relation;
    l->node = origin < g->by_id.count ? g->by_id.at[origin] : g->output;
    text_init(&said, l->memory);
    if (l->node && l->node->kind == FX_CALL) text_printf(&said, "%s: ", l->node->op->name);
    text_add(&said, "sizes do not fit");
    text_init(&relation, l->memory);
    sym_print_relation(l->symbols, r, &relation);
    if (relation.length <= MOST_TO_READ) text_printf(&said, ": %s does not hold", relation.at);
    return with_source(l, said.at);
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
            lower_note_last_op(l);
        }
    }
}

/* Of symbols that have their value by now; another one's node is gone, and so are its readers. */
void lower_conditions(lowering *l)
{
    for (uint32_t i = 0; i < l->graph->conditions.count; i++) {
        const fx_condition *c = &l->graph->conditions.at[i];
        const sym_relation *r = &c->relation;
        if (search_in(l, r->left).open_count || search_in(l, r->right).open_count) continue;
        if (is_true_of_numbers(l, r) || is_asserted(l, r)) continue;
        text said;
        text_init(&said, l->memory);
        text_printf(&said, "%s: ", c->what);
        sym_print_relation(l->symbols, r, &said);
        loop_op *made = loop_add_op(l->program, LOOP_ASSERT);
        made->relation = *r;
        made->message = said.at;
        made->origin = UINT32_MAX;
        lower_note_last_op(l);
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
