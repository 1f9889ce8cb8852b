/* check_access.c -- law L1: what is loaded and stored, and what views look at, lies in its buffer. That is
 * proven from axes, what indirect symbols keep, assertions before the op, and the conditions of the masks
 * that a load stands under on every way to it.
 */
#include "loop/check_priv.h"

/* ---- what conditions say ---- */

typedef struct saying {
    loop_checking *c;
    const sym_bound *bounds; /* indirect symbols among them stand for their values in conditions */
    uint32_t count;
    loop_exprs *given; /* each is at least 0 */
} saying;

/* a <= b + more */
static void add_order(saying *s, sym_expr a, sym_expr b, int64_t more)
{
    sym_table *t = s->c->p->symbols;
    vec_push(s->c->p->memory, s->given, sym_add_int(t, sym_sub(t, b, a), more));
}

static sym_expr expr_of(const saying *s, loop_value v)
{
    loop_program *p = s->c->p;
    const loop_node *n = loop_at(p, v);
    if (n->dtype != TY_I64) return (sym_expr){0};
    if (n->op == LOOP_INDEX) return n->index;
    if (n->op == LOOP_CONST) return sym_int(p->symbols, n->integer);
    for (uint32_t k = 0; k < s->count; k++)
        if (loop_indirect_value(p, s->bounds[k].symbol).id == v.id) return s->bounds[k].symbol;
    return (sym_expr){0};
}

static void add_comparison(saying *s, const loop_node *n, bool holds)
{
    sym_expr a = expr_of(s, n->args[0]), b = expr_of(s, n->args[1]);
    if (sym_is_none(a) || sym_is_none(b)) return;
    if (n->op == LOOP_LT || n->op == LOOP_LE) {
        int64_t less = n->op == LOOP_LT ? -1 : 0;
        if (holds)
            add_order(s, a, b, less);
        else
            add_order(s, b, a, -1 - less);
    } else if ((n->op == LOOP_EQ) == holds) {
        add_order(s, a, b, 0);
        add_order(s, b, a, 0);
    }
}

static void add_condition(saying *s, loop_value condition, bool holds)
{
    const loop_node *n = loop_at(s->c->p, condition);
    switch (n->op) {
    case LOOP_AND:
    case LOOP_OR:
        if (n->dtype != TY_BOOL || (n->op == LOOP_AND) != holds) return;
        add_condition(s, n->args[0], holds);
        add_condition(s, n->args[1], holds);
        return;
    case LOOP_NOT: add_condition(s, n->args[0], !holds); return;
    case LOOP_LT:
    case LOOP_LE:
    case LOOP_EQ:
    case LOOP_NE: add_comparison(s, n, holds); return;
    default: return;
    }
}

static void add_relation(saying *s, const sym_relation *r)
{
    if (r->op == SYM_LE || r->op == SYM_LT)
        add_order(s, r->left, r->right, r->op == SYM_LT ? -1 : 0);
    if (r->op == SYM_EQ) {
        add_order(s, r->left, r->right, 0);
        add_order(s, r->right, r->left, 0);
    }
}

void loop_note_relation(loop_checking *c, const sym_relation *r)
{
    saying s = {.c = c, .given = &c->given};
    int64_t value;
    add_relation(&s, r);
    if (sym_op_of(c->p->symbols, r->left) == SYM_OR && r->op == SYM_NE &&
        sym_is_int(c->p->symbols, r->right, &value) && value == 0)
        vec_push(c->p->memory, &c->choices, r->left);
}

/* Of a choice the last one holds where the others do not: loops in sight take steps. */
static void add_choice(saying *s, sym_expr choice, const sym_env *env)
{
    sym_table *t = s->c->p->symbols;
    while (sym_op_of(t, choice) == SYM_OR) {
        sym_expr a = sym_arg(t, choice, 0), b = sym_arg(t, choice, 1);
        if (sym_prove(t, a, env) == SYM_FALSE)
            choice = b;
        else if (sym_prove(t, b, env) == SYM_FALSE)
            choice = a;
        else
            return;
    }
    sym_op op = sym_op_of(t, choice);
    if (op == SYM_LE || op == SYM_LT || op == SYM_EQ)
        add_relation(s, &(sym_relation){sym_arg(t, choice, 0), sym_arg(t, choice, 1), op});
}

void loop_enter_axes(loop_checking *c)
{
    saying s = {.c = c, .given = &c->here};
    sym_env env = {c->bounds.at, c->bounds.count};
    c->here.count = 0;
    for (uint32_t k = 0; k < c->choices.count; k++) add_choice(&s, c->choices.at[k], &env);
}

void loop_leave_axes(loop_checking *c)
{
    c->bounds.count = c->here.count = 0;
}

void loop_note_storages(loop_checking *c)
{
    sym_relation inside;
    for (uint32_t i = loop_given_count(c->p); i < c->p->inputs.count; i++)
        if (loop_storage_relation(c->p, i, &inside)) loop_note_relation(c, &inside);
}

/* ---- one access ---- */

static void add_indirect(void *data, sym_expr symbol)
{
    loop_checking *c = data;
    const loop_bound *bound = loop_indirect_bound(c->p, symbol);
    if (bound) vec_push(c->p->memory, &c->ranges, (sym_bound){symbol, bound->size});
}

/* Ranges of indirect symbols in the index, then of axes. */
static sym_env ranges_of(loop_checking *c, sym_expr index)
{
    c->ranges.count = 0;
    sym_each_symbol(c->p->symbols, index, add_indirect, c);
    for (uint32_t k = 0; k < c->bounds.count; k++)
        vec_push(c->p->memory, &c->ranges, c->bounds.at[k]);
    return (sym_env){c->ranges.at, c->ranges.count};
}

/* Axes that the conditions keep between two numbers are made to run between these: quotients and
 * remainders of them are then known better. */
static void tighten(loop_checking *c, sym_env *env, loop_exprs *given, sym_expr *index)
{
    sym_table *t = c->p->symbols;
    for (uint32_t k = 0; k < env->count; k++) {
        sym_bound *b = &c->ranges.at[k];
        int64_t low = 0, high = INT64_MAX, value, slope;
        sym_expr factor, rest;
        sym_is_int(t, b->extent, &high);
        for (uint32_t i = 0; i < given->count; i++) {
            if (!sym_linear_in(t, given->at[i], b->symbol, &factor, &rest) ||
                !sym_is_int(t, factor, &slope) || !sym_is_int(t, rest, &value))
                continue;
            if (slope == 1 && value > -INT64_MAX && -value > low) low = -value;
            if (slope == -1 && value < high) high = value + 1;
        }
        if (high < INT64_MAX && high > low)
            b->extent = sym_int(t, high - low);
        else if (low)
            b->extent = sym_add_int(t, b->extent, -low);
        if (!low) continue;
        sym_expr moved = sym_add_int(t, b->symbol, low);
        *index = sym_substitute(t, *index, &b->symbol, &moved, 1);
        for (uint32_t i = 0; i < env->count; i++) {
            sym_expr *extent = &c->ranges.at[i].extent;
            if (i != k) *extent = sym_substitute(t, *extent, &b->symbol, &moved, 1);
        }
        for (uint32_t i = 0; i < given->count; i++)
            given->at[i] = sym_substitute(t, given->at[i], &b->symbol, &moved, 1);
    }
}

typedef struct solving {
    sym_table *t;
    sym_expr zero, symbol, value; /* of `zero`, which is 0: one of its symbols, and what that is */
} solving;

static void solve_for(void *data, sym_expr symbol)
{
    solving *s = data;
    sym_expr factor, rest;
    int64_t slope;
    sym_kind kind = sym_kind_of(s->t, symbol);
    if (!sym_is_none(s->symbol) || (kind != SYM_SIZE && kind != SYM_UNBACKED) ||
        !sym_linear_in(s->t, s->zero, symbol, &factor, &rest) ||
        !sym_is_int(s->t, factor, &slope) || (slope != 1 && slope != -1))
        return;
    s->symbol = symbol;
    s->value = slope == 1 ? sym_mul_int(s->t, rest, -1) : rest;
}

/* The range of a symbol holds for what stands in its place. */
static void add_range(loop_checking *c, sym_expr symbol, sym_expr value, loop_exprs *given)
{
    sym_table *t = c->p->symbols;
    int64_t least, most;
    sym_range(t, symbol, NULL, &least, &most);
    if (least != SYM_NO_MIN) vec_push(c->p->memory, given, sym_add_int(t, value, -least));
    if (most != SYM_NO_MAX) vec_push(c->p->memory, given, sym_sub(t, sym_int(t, most), value));
}

/* In the place of a symbol that is known to equal an expression stands that: an equality is two orders, one
 * after the other. */
static void use_equalities(loop_checking *c, sym_env *env, loop_exprs *given, sym_expr *index,
                           sym_expr *elements)
{
    sym_table *t = c->p->symbols;
    for (uint32_t k = 0; k + 1 < given->count; k++) {
        solving s = {.t = t, .zero = given->at[k]};
        if (!sym_same(sym_add(t, given->at[k], given->at[k + 1]), sym_int(t, 0))) continue;
        sym_each_symbol(t, s.zero, solve_for, &s);
        if (sym_is_none(s.symbol)) continue;
        *index = sym_substitute(t, *index, &s.symbol, &s.value, 1);
        *elements = sym_substitute(t, *elements, &s.symbol, &s.value, 1);
        for (uint32_t i = 0; i < env->count; i++) {
            sym_expr *extent = &c->ranges.at[i].extent;
            *extent = sym_substitute(t, *extent, &s.symbol, &s.value, 1);
        }
        for (uint32_t i = 0; i < given->count; i++)
            given->at[i] = sym_substitute(t, given->at[i], &s.symbol, &s.value, 1);
        add_range(c, s.symbol, s.value, given);
    }
}

static bool is_known_inside(const loop_checking *c, sym_expr index, sym_expr elements,
                            const sym_env *env)
{
    sym_table *t = c->p->symbols;
    return sym_known_less_equal(t, sym_int(t, 0), index, env) &&
           sym_known_less_equal(t, index, sym_add_int(t, elements, -1), env);
}

static bool is_given_inside(sym_table *t, sym_expr least, sym_expr greatest, sym_expr elements,
                            const sym_env *env, const loop_exprs *given)
{
    return sym_known_less_equal_given(t, sym_int(t, 0), least, env, given->at, given->count) &&
           sym_known_less_equal_given(t, greatest, sym_add_int(t, elements, -1), env, given->at,
                                      given->count);
}

/* The axes, in some order, lie one in another without gaps: no step need be known to be positive then, which
 * products of differences of sizes are not. */
static bool is_dense_inside(sym_table *t, sym_expr index, sym_expr elements, const sym_env *env)
{
    enum { MOST_AXES = 2 * LOOP_MAX_AXES };
    sym_expr steps[MOST_AXES], one = sym_int(t, 1), filled = one;
    if (env->count > MOST_AXES) return false;
    for (uint32_t k = 0; k < env->count; k++)
        if (!sym_linear_in(t, index, env->bounds[k].symbol, &steps[k], &index)) return false;
    for (uint32_t placed = 0; placed < env->count; placed++) {
        uint32_t k = 0;
        while (k < env->count && (sym_is_none(steps[k]) || !sym_same(steps[k], filled))) k++;
        if (k == env->count) break;
        steps[k] = (sym_expr){0};
        filled = sym_mul(t, filled, env->bounds[k].extent);
    }
    for (uint32_t k = 0; k < env->count; k++)
        if (!sym_is_none(steps[k]) && !sym_same(steps[k], sym_int(t, 0))) return false;
    return sym_known_less_equal(t, sym_int(t, 0), index, NULL) &&
           sym_known_less_equal(t, sym_add(t, index, filled), elements, NULL);
}

/* Is 0 <= index < elements, where the conditions hold? Without any it is asked of its ends. */
static bool is_inside(loop_checking *c, sym_expr index, sym_expr elements,
                      const loop_value *conditions, uint32_t count)
{
    sym_table *t = c->p->symbols;
    sym_env env = ranges_of(c, index);
    loop_exprs given = {0};
    saying s = {c, env.bounds, env.count, &given};
    sym_expr least, greatest;
    if (is_known_inside(c, index, elements, &env)) return true;
    for (uint32_t k = 0; k < c->given.count; k++) vec_push(c->p->memory, &given, c->given.at[k]);
    for (uint32_t k = 0; k < c->here.count; k++) vec_push(c->p->memory, &given, c->here.at[k]);
    sym_expr steps = sym_int(t, 1); /* what is in a loop runs where there are some */
    for (uint32_t k = 0; k < env.count; k++) {
        vec_push(c->p->memory, &given, sym_add_int(t, env.bounds[k].extent, -1));
        steps = sym_mul(t, steps, env.bounds[k].extent);
    }
    index = ty_when_filled(t, index, steps);
    elements = ty_when_filled(t, elements, steps);
    for (uint32_t k = 0; k < count; k++) add_condition(&s, conditions[k], true);
    use_equalities(c, &env, &given, &index, &elements);
    if (is_dense_inside(t, index, elements, &env)) return true;
    if (!count && loop_ends_of(t, index, &env, &least, &greatest))
        return is_given_inside(t, least, greatest, elements, &env, &given);
    tighten(c, &env, &given, &index);
    elements = sym_simplify(t, elements, &env); /* max(s0, 1) of an axis is s0 */
    return is_given_inside(t, index, index, elements, &env, &given);
}

/* Is the index one of each dimension of the buffer, in the order of its strides, and each of these inside? */
static bool is_inside_by_dimensions(loop_checking *c, loop_buffer_id buffer, sym_expr index,
                                    const loop_value *conditions, uint32_t count)
{
    sym_table *t = c->p->symbols;
    const loop_buffer *b = &c->p->buffers.at[buffer];
    sym_expr rest = index, zero = sym_int(t, 0);
    if (c->loose[buffer]) return false;
    for (uint32_t d = 0; d < b->rank; d++) {
        sym_expr own;
        sym_split_multiples(t, rest, b->strides[d], &own, &rest);
        if (!sym_known_less_equal(t, zero, b->strides[d], NULL) ||
            !is_inside(c, own, b->sizes[d], conditions, count))
            return false;
    }
    return b->rank > 1 && sym_same(rest, zero);
}

static const char *bound_text(const loop_checking *c, int64_t bound, int64_t none)
{
    return bound == none ? "anything" : arena_printf(c->p->memory, "%lld", (long long)bound);
}

static fe_status reaches_out(loop_checking *c, loop_buffer_id buffer, sym_expr index,
                             sym_expr elements, const char *what)
{
    sym_table *t = c->p->symbols;
    sym_env env = ranges_of(c, index);
    int64_t least, most;
    text at, end;
    text_init(&at, c->p->memory);
    text_init(&end, c->p->memory);
    sym_print(t, index, &at);
    sym_print(t, elements, &end);
    sym_range(t, index, &env, &least, &most);
    return loop_broken(c, "L1", "%s of @%s[%s], between %s and %s, is not known to be in [0, %s)",
                       what, c->p->buffers.at[buffer].name, at.at, bound_text(c, least, SYM_NO_MIN),
                       bound_text(c, most, SYM_NO_MAX), end.at);
}

/* A part of which something is accessed lies in its whole, by what is known before the op. */
fe_status loop_check_part(loop_checking *c, loop_buffer_id b)
{
    sym_table *t = c->p->symbols;
    for (const loop_part *part; (part = c->p->buffers.at[b].part); b = part->whole) {
        sym_expr end = sym_add(t, part->at, c->p->buffers.at[b].elements);
        if (!sym_known_less_equal_given(t, sym_int(t, 0), part->at, NULL, c->given.at,
                                        c->given.count) &&
            !loop_guard_order(c, sym_int(t, 0), part->at))
            return loop_broken(c, "L8", "a part begins too early: @%s", c->p->buffers.at[b].name);
        if (!sym_known_less_equal_given(t, end, c->p->buffers.at[part->whole].elements, NULL,
                                        c->given.at, c->given.count) &&
            !loop_guard_order(c, end, c->p->buffers.at[part->whole].elements))
            return loop_broken(c, "L8", "a part reaches beyond its whole: @%s",
                               c->p->buffers.at[b].name);
    }
    return FE_OK;
}

static loop_guarding guard(loop_checking *c, sym_expr index, sym_expr elements)
{
    sym_env env = ranges_of(c, index);
    return loop_guard_inside(c, index, elements, &env);
}

fe_status loop_check_store(loop_checking *c, loop_buffer_id buffer, sym_expr index)
{
    if (loop_is_empty_nest(c)) return FE_OK;
    sym_expr elements = c->p->buffers.at[buffer].elements;
    FE_TRY(loop_check_part(c, buffer));
    if (is_inside_by_dimensions(c, buffer, index, NULL, 0) ||
        is_inside(c, index, elements, NULL, 0))
        return FE_OK;
    loop_guarding guarded = guard(c, index, elements);
    if (guarded == LOOP_GUARDED || (guarded == LOOP_UNGUARDED && loop_guard_store(c))) return FE_OK;
    return reaches_out(c, buffer, index, elements, "a store");
}

/* ---- loads under masks ---- */

/* A way to a node: the conditions of the masks on it. 0: there are none. */
typedef struct loop_way {
    uint32_t up;
    loop_value condition;
} loop_way;
typedef VEC(uint32_t) way_list;

typedef struct ways {
    loop_checking *c;
    loop_workspace *w;
    VEC(loop_way) all;
    way_list *to; /* by place in w->order */
    map known;    /* way and condition -> way */
    uint32_t now; /* the way that add_indirect_way goes on with */
} ways;

static uint32_t way_under(ways *s, uint32_t up, loop_value condition)
{
    uint64_t key = (uint64_t)up << 32 | condition.id;
    uint32_t known = map_get(&s->known, key);
    if (known != MAP_NONE) return known;
    vec_push(s->c->p->memory, &s->all, (loop_way){up, condition});
    map_set(s->c->p->memory, &s->known, key, s->all.count - 1);
    return s->all.count - 1;
}

static bool leads_under(const ways *s, uint32_t way, uint32_t other)
{
    while (way > other) way = s->all.at[way].up;
    return way == other;
}

/* With a way that has fewer conditions the others count for nothing; many ways count as that without any. */
static void add_way(ways *s, loop_value v, uint32_t way)
{
    enum { MOST_WAYS = 32 };
    way_list *list = &s->to[s->w->memo[v.id]];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < list->count; k++)
        if (leads_under(s, way, list->at[k])) return;
    if (list->count >= MOST_WAYS) way = 0;
    for (uint32_t k = 0; k < list->count; k++)
        if (!leads_under(s, list->at[k], way)) list->at[kept++] = list->at[k];
    list->count = kept;
    vec_push(s->c->p->memory, list, way);
}

static void add_indirect_way(void *data, sym_expr symbol)
{
    ways *s = data;
    loop_value v = loop_indirect_value(s->c->p, symbol);
    if (v.id) add_way(s, v, s->now);
}

static void go_on(ways *s, const loop_node *n, uint32_t way)
{
    s->now = way;
    if (n->op == LOOP_LOAD || n->op == LOOP_INDEX)
        sym_each_symbol(s->c->p->symbols, n->index, add_indirect_way, s);
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++)
        add_way(s, n->args[k],
                n->op == LOOP_MASKED && k == 1 ? way_under(s, way, n->args[0]) : way);
}

static fe_status check_on_ways(ways *s, uint32_t id)
{
    loop_checking *c = s->c;
    const loop_node *n = &c->p->nodes.at[id];
    const way_list *list = &s->to[s->w->memo[id]];
    sym_expr elements = c->p->buffers.at[n->buffer].elements;
    for (uint32_t k = 0; k < list->count; k++) {
        VEC(loop_value) conditions = {0};
        for (uint32_t w = list->at[k]; w; w = s->all.at[w].up)
            vec_push(c->p->memory, &conditions, s->all.at[w].condition);
        if (is_inside_by_dimensions(c, n->buffer, n->index, conditions.at, conditions.count) ||
            is_inside(c, n->index, elements, conditions.at, conditions.count))
            continue;
        loop_guarding guarded = conditions.count ? LOOP_UNGUARDED : guard(c, n->index, elements);
        if (guarded == LOOP_GUARDED || (guarded == LOOP_UNGUARDED && loop_guard_load(c, id)))
            return FE_OK;
        return reaches_out(c, n->buffer, n->index, elements, "a load");
    }
    return FE_OK;
}

fe_status loop_check_loads(loop_checking *c, loop_workspace *w, const loop_store *st)
{
    loop_program *p = c->p;
    VEC(uint32_t) doubtful = {0};
    if (loop_is_empty_nest(c)) return FE_OK;
    for (uint32_t k = 0; k < w->order.count; k++) {
        const loop_node *n = &p->nodes.at[w->order.at[k]];
        if (n->op == LOOP_LOAD &&
            !is_inside(c, n->index, p->buffers.at[n->buffer].elements, NULL, 0))
            vec_push(p->memory, &doubtful, w->order.at[k]);
    }
    if (!doubtful.count) return FE_OK;
    ways s = {.c = c, .w = w, .to = NEW_ARRAY(p->memory, way_list, w->order.count)};
    vec_push(p->memory, &s.all, (loop_way){0});
    for (uint32_t k = 0; k < w->order.count; k++) w->memo[w->order.at[k]] = k;
    add_way(&s, st->value, 0);
    add_way(&s, loop_index(p, st->index), 0);
    for (uint32_t k = w->order.count; k-- > 0;) {
        const loop_node n = p->nodes.at[w->order.at[k]];
        for (uint32_t i = 0; i < s.to[k].count; i++) go_on(&s, &n, s.to[k].at[i]);
    }
    for (uint32_t k = 0; k < doubtful.count; k++) FE_TRY(check_on_ways(&s, doubtful.at[k]));
    return FE_OK;
}

/* ---- views ---- */

/* A view looks at what a nest over its sizes would load: those are the axes in sight. */
static void enter_view(loop_checking *c, const loop_view *v, sym_expr *index, sym_expr *elements)
{
    sym_table *t = c->p->symbols;
    const loop_buffer *b = &c->p->buffers.at[v->buffer];
    int64_t own = ty_dtype_size(v->dtype), size = ty_dtype_size(b->dtype);
    *index = v->offset;
    *elements = b->elements;
    for (uint32_t d = 0; d < v->rank; d++) {
        sym_expr axis = loop_axis(c->p, d);
        vec_push(c->p->memory, &c->bounds, (sym_bound){axis, v->sizes[d]});
        *index = sym_add(t, *index, sym_mul(t, axis, v->strides[d]));
    }
    loop_enter_axes(c);
    if (own == size) return; /* in bytes, the last one of each element */
    *index = sym_add_int(t, sym_mul_int(t, *index, own), own - 1);
    *elements = sym_mul_int(t, *elements, size);
}

static fe_status check_view_sizes(loop_checking *c, const loop_view *v)
{
    for (uint32_t d = 0; d < v->rank; d++) {
        int64_t size;
        if (sym_is_int(c->p->symbols, v->sizes[d], &size) && size < 0)
            return loop_broken(c, "L1", "a size of a view of @%s is less than 0",
                               c->p->buffers.at[v->buffer].name);
    }
    return FE_OK;
}

fe_status loop_check_reach(loop_checking *c, const loop_view *v)
{
    sym_expr index, elements;
    fe_status status = FE_OK;
    FE_TRY(check_view_sizes(c, v));
    enter_view(c, v, &index, &elements);
    if (!loop_is_empty_nest(c) && !is_inside(c, index, elements, NULL, 0) &&
        guard(c, index, elements) != LOOP_GUARDED)
        status = reaches_out(c, v->buffer, index, elements,
                             v->dtype == c->p->buffers.at[v->buffer].dtype ? "a view"
                                                                           : "a view, in bytes,");
    loop_leave_axes(c);
    return status;
}

static bool has_numbers_alone(const sym_table *t, const loop_buffer *b)
{
    bool all = sym_is_int(t, b->elements, NULL);
    for (uint32_t d = 0; d < b->rank; d++)
        all &= sym_is_int(t, b->sizes[d], NULL) && sym_is_int(t, b->strides[d], NULL);
    return all;
}

fe_status loop_check_layout(loop_checking *c, loop_buffer_id b)
{
    loop_view whole = loop_view_of(c->p, b);
    sym_expr index, elements;
    if (has_numbers_alone(c->p->symbols, &c->p->buffers.at[b])) return loop_check_reach(c, &whole);
    FE_TRY(check_view_sizes(c, &whole));
    enter_view(c, &whole, &index, &elements);
    c->loose[b] = !loop_is_empty_nest(c) && !is_inside(c, index, elements, NULL, 0);
    loop_leave_axes(c);
    return FE_OK;
}
