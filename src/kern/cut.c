/* cut.c -- where the innermost loop of a phase is cut, so that what bends along it goes straight in pieces.
 *
 * A min, a max or a comparison whose sides differ by a multiple of the axis and a number goes one way up to a
 * point and another way from there on, a quotient or a remainder does so at every multiple of the divisor.
 * Points that are known before the loop runs are where it may be cut: what is on either side is simplified
 * with what is known there, and mostly is what it was in that piece all along: an edge, a copy, an edge.
 * (Index-set splitting.)
 *
 * All points are found first. Then neighbouring pieces are joined again as long as that costs less, or there
 * are too many of them; what bends in a joined piece goes on doing so.
 */
#include "kern/build_priv.h"

enum {
    MOST_SPANS = 5,   /* of one loop: each is its code once more */
    MOST_POINTS = 16, /* what bends more often is left */
    SAVED = 500000 /* thousandths of a nanosecond in one run: for less, a compiler works in vain */
};

typedef VEC(sym_expr) expr_list;

/* What is known of the steps of a loop. */
typedef struct bender {
    kern_builder *b;
    sym_expr axis, extent;
    expr_list indices, comparisons; /* that are not straight; of what is compared, max(x, 0) */
    int64_t body, body_of_one;      /* what a vector and a number alone cost beside these */
    bool is_plain;                  /* a number alone is what it is in a vector */
    sym_bound bounds[KERN_MOST_LEVELS + 1];
} bender;

/* ---- what bends ---- */

static bool is_straight(const bender *f, sym_expr e)
{
    sym_expr coefficient, rest;
    return sym_linear_in(f->b->t, e, f->axis, &coefficient, &rest);
}

static void add_expr(bender *f, expr_list *list, sym_expr e)
{
    if (is_straight(f, e)) return;
    for (uint32_t i = 0; i < list->count; i++)
        if (sym_same(list->at[i], e)) return;
    vec_push(f->b->memory, list, e);
}

/* What holds where x is not negative. */
static void add_sign(bender *f, sym_expr x)
{
    add_expr(f, &f->comparisons, sym_max(f->b->t, x, sym_int(f->b->t, 0)));
}

static void add_comparison(bender *f, const loop_node *n)
{
    sym_table *t = f->b->t;
    sym_expr x, y;
    if (!kern_is_index(f->b, n->args[0], &x) || !kern_is_index(f->b, n->args[1], &y)) return;
    sym_expr far = sym_sub(t, y, x);
    add_sign(f, n->op == LOOP_LT ? sym_add_int(t, far, -1) : far);
    if (n->op == LOOP_EQ || n->op == LOOP_NE) add_sign(f, sym_mul_int(t, far, -1));
}

/* Is no function called for it, which would round otherwise than that of vectors? */
static bool is_plain(const bender *f, const loop_node *n)
{
    if (loop_opcode_cost(n->op, 1) > LOOP_CHEAP) return false;
    if (n->op != LOOP_CAST) return true;
    return !ty_is_half(n->dtype) && !ty_is_half(loop_at(f->b->p, n->args[0])->dtype);
}

static void look_at(void *data, loop_value v)
{
    bender *f = data;
    const loop_node *n = loop_at(f->b->p, v);
    const target_costs *costs = &f->b->target->costs;
    bool compares = n->op == LOOP_EQ || n->op == LOOP_NE || n->op == LOOP_LT || n->op == LOOP_LE;
    bool is_load = n->op == LOOP_LOAD, is_leaf = n->op == LOOP_CONST || n->op == LOOP_INDEX;
    if (is_load || n->op == LOOP_INDEX) add_expr(f, &f->indices, n->index);
    if (compares) add_comparison(f, n);
    f->is_plain = f->is_plain && (is_load || is_plain(f, n));
    if (is_leaf) return;
    f->body += is_load ? costs->load : loop_opcode_cost(n->op, f->b->k->lanes);
    f->body_of_one += is_load ? costs->load : loop_opcode_cost(n->op, 1);
}

static void look_at_nests(bender *f, const sched_phase *ph)
{
    const target_costs *costs = &f->b->target->costs;
    for (uint32_t n = 0; n < ph->nest_count; n++)
        for (uint32_t i = 0; i < ph->nests[n].nest.store_count; i++) {
            const loop_store *st = &ph->nests[n].nest.stores[i];
            loop_each_store_node(f->b->p, st, look_at, f);
            add_expr(f, &f->indices, st->index);
            f->body += costs->store;
            f->body_of_one += costs->store;
        }
}

/* ---- where ---- */

static void note_changing(void *data, sym_expr symbol)
{
    const sym_table *t = ((void **)data)[0];
    bool *found = ((void **)data)[1];
    sym_kind kind = sym_kind_of(t, symbol);
    *found |= kind == SYM_INDEX || kind == SYM_INDIRECT;
}

/* Is it known before all loops? */
static bool is_fixed(const bender *f, sym_expr e)
{
    bool changes = false;
    void *data[] = {f->b->t, &changes};
    sym_each_symbol(f->b->t, e, note_changing, data);
    return !changes;
}

/* e = step * axis + rest, and the rest is fixed. */
static bool is_even(const bender *f, sym_expr e, int64_t *step, sym_expr *rest)
{
    sym_expr coefficient;
    return sym_linear_in(f->b->t, e, f->axis, &coefficient, rest) && is_fixed(f, *rest) &&
           sym_is_int(f->b->t, coefficient, step) && *step && *step > -INT32_MAX &&
           *step < INT32_MAX;
}

/* The step from which on step * axis + rest has another sign; where it is 0 belongs to what is before, or to
 * what is behind. */
static sym_expr turn_of(const bender *f, int64_t step, sym_expr rest, bool is_before)
{
    sym_table *t = f->b->t;
    sym_expr top = step > 0 ? sym_mul_int(t, rest, -1) : rest;
    sym_expr by = sym_int(t, step < 0 ? -step : step);
    return is_before ? sym_add_int(t, sym_floordiv(t, top, by), 1) : sym_ceildiv(t, top, by);
}

static bool is_inside(const bender *f, sym_expr at, sym_expr extent)
{
    sym_table *t = f->b->t;
    return sym_known_less_equal(t, sym_int(t, 1), at, NULL) &&
           sym_known_less_equal(t, sym_add_int(t, at, 1), extent, NULL);
}

static bool turns_often(const bender *f, int64_t step, sym_expr divisor)
{
    int64_t by = sym_usual(f->b->t, divisor), length = sym_usual(f->b->t, f->extent);
    if (by < 1 || length > INT32_MAX) return true;
    return length * (step < 0 ? -step : step) / by > MOST_POINTS;
}

/* Where a quotient, or a remainder, comes to its next period. */
static bool next_period(const bender *f, sym_expr e, sym_expr extent, sym_expr *at)
{
    enum { NEAR = 2 };
    sym_table *t = f->b->t;
    sym_expr divisor = sym_arg(t, e, 1), rest;
    int64_t step, by, first, from = -NEAR, to = NEAR;
    if (!is_fixed(f, divisor) || !sym_known_less_equal(t, sym_int(t, 1), divisor, NULL) ||
        !is_even(f, sym_arg(t, e, 0), &step, &rest) || turns_often(f, step, divisor))
        return false;
    if (sym_is_int(t, divisor, &by) && sym_is_int(t, rest, &first))
        sym_is_int(t, sym_floordiv(t, rest, divisor), &from), to = from += step > 0;
    for (int64_t period = from; period <= to; period++) {
        *at = turn_of(f, step, sym_sub(t, rest, sym_mul_int(t, divisor, period)), step < 0);
        if (is_inside(f, *at, extent)) return true;
    }
    return false;
}

/* The larger of two, or the less: any where they are equal, so that what is between two turns is the most. */
static bool is_of_front(const bender *f, int64_t step, sym_expr rest)
{
    sym_expr at = turn_of(f, step, rest, false);
    return 2 * sym_usual(f->b->t, at) > sym_usual(f->b->t, f->extent);
}

/* A point inside of the loop at which e turns; what it is made of first. */
static bool find_turn(const bender *f, sym_expr e, bool compares, sym_expr extent, sym_expr *at)
{
    sym_table *t = f->b->t;
    sym_op op = sym_op_of(t, e);
    sym_expr rest;
    int64_t step;
    if (is_straight(f, e)) return false;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++)
        if (find_turn(f, sym_arg(t, e, i), false, extent, at)) return true;
    if (op == SYM_FLOORDIV || op == SYM_MOD) return next_period(f, e, extent, at);
    if (op != SYM_MIN && op != SYM_MAX) return false;
    if (!is_even(f, sym_sub(t, sym_arg(t, e, 0), sym_arg(t, e, 1)), &step, &rest)) return false;
    *at = turn_of(f, step, rest, compares ? step < 0 : is_of_front(f, step, rest));
    return is_inside(f, *at, extent);
}

/* ---- one piece ---- */

/* The loops that are open, and the piece. */
static sym_env env_of(bender *f, sym_expr extent)
{
    uint32_t count = f->b->bound_count;
    for (uint32_t i = 0; i < count; i++) f->bounds[i] = f->b->bounds[i];
    f->bounds[count] = (sym_bound){f->axis, extent};
    return (sym_env){f->bounds, count + 1};
}

/* What e is in the piece, whose steps are counted from where it begins. */
static sym_expr in_span(bender *f, sym_expr e, const kern_span *span)
{
    sym_table *t = f->b->t;
    sym_expr moved = sym_add(t, span->first, f->axis);
    sym_env env = env_of(f, span->extent);
    return sym_simplify(t, sym_substitute(t, e, &f->axis, &moved, 1), &env);
}

static bool turns_in(bender *f, const kern_span *span, sym_expr *at)
{
    for (uint32_t i = 0; i < f->indices.count; i++)
        if (find_turn(f, in_span(f, f->indices.at[i], span), false, span->extent, at)) return true;
    for (uint32_t i = 0; i < f->comparisons.count; i++)
        if (find_turn(f, in_span(f, f->comparisons.at[i], span), true, span->extent, at))
            return true;
    return false;
}

static int64_t bent_in(bender *f, const expr_list *list, const kern_span *span)
{
    int64_t bent = 0;
    for (uint32_t i = 0; i < list->count; i++)
        bent += !is_straight(f, in_span(f, list->at[i], span));
    return bent;
}

/* Also whether its steps are taken one by one. */
static void weigh(bender *f, kern_span *span)
{
    const target_costs *costs = &f->b->target->costs;
    int64_t lanes = f->b->k->lanes, length = sym_usual(f->b->t, span->extent);
    int64_t bent = bent_in(f, &f->indices, span), masks = bent_in(f, &f->comparisons, span);
    int64_t step = f->body + bent * costs->load_lane * lanes + masks * costs->mask;
    int64_t one = f->body_of_one + (bent + masks) * costs->index;
    bool is_short = f->is_plain && sym_is_int(f->b->t, span->extent, NULL) && length < lanes;
    if (length > INT32_MAX) length = INT32_MAX;
    span->cost = costs->loop + (length + lanes - 1) / lanes * step;
    span->is_single = is_short && length * one < span->cost;
    if (span->is_single) span->cost = length * one;
}

/* ---- all of them ---- */

static void insert(kern_builder *b, kern_spans *spans, uint32_t at, kern_span span)
{
    vec_push(b->memory, spans, span);
    for (uint32_t i = spans->count - 1; i > at; i--) spans->at[i] = spans->at[i - 1];
    spans->at[at] = span;
}

static void cut_everywhere(bender *f, kern_spans *spans)
{
    sym_table *t = f->b->t;
    for (uint32_t i = 0; i < spans->count;) {
        kern_span here = spans->at[i];
        sym_expr at;
        if (spans->count > MOST_POINTS || !turns_in(f, &here, &at)) {
            i++;
            continue;
        }
        kern_span behind = {.first = sym_add(t, here.first, at),
                            .extent = sym_sub(t, here.extent, at)};
        spans->at[i].extent = at;
        insert(f->b, spans, i + 1, behind);
    }
}

static void join_pieces(bender *f, kern_spans *spans)
{
    for (uint32_t i = 0; i < spans->count; i++) weigh(f, &spans->at[i]);
    while (spans->count > 1) {
        int64_t best = INT64_MAX;
        uint32_t where = 0;
        kern_span joined = {0};
        for (uint32_t i = 0; i + 1 < spans->count; i++) {
            const kern_span *a = &spans->at[i], *c = a + 1;
            kern_span both = {.first = a->first, .extent = sym_add(f->b->t, a->extent, c->extent)};
            weigh(f, &both);
            int64_t more = both.cost - a->cost - c->cost;
            if (more >= best) continue;
            best = more;
            where = i;
            joined = both;
        }
        if (best > 0 && spans->count <= MOST_SPANS) return;
        spans->at[where] = joined;
        for (uint32_t i = where + 1; i + 1 < spans->count; i++) spans->at[i] = spans->at[i + 1];
        spans->count--;
    }
}

/* What the pieces save in one run. */
static double saved(bender *f, const sched_phase *ph, kern_span whole, const kern_spans *spans)
{
    double runs = 1;
    for (uint32_t i = 0; i < f->b->g->outer; i++)
        runs *= (double)sym_usual(f->b->t, f->b->g->outer_extents[i]);
    for (uint32_t i = 0; i + 1 < ph->inner_axes; i++)
        runs *= (double)sym_usual(f->b->t, ph->extents[i]);
    weigh(f, &whole);
    for (uint32_t i = 0; i < spans->count; i++) whole.cost -= spans->at[i].cost;
    return runs * (double)whole.cost;
}

void kern_find_spans(kern_builder *b, const sched_phase *ph, kern_spans *out)
{
    uint32_t last = ph->inner_axes - 1;
    bender f = {.b = b,
                .axis = loop_axis(b->p, b->k->outer + last),
                .extent = ph->extents[last],
                .is_plain = true};
    kern_span whole = {.first = sym_int(b->t, 0), .extent = f.extent};
    out->count = 0;
    vec_push(b->memory, out, whole);
    look_at_nests(&f, ph);
    if (!f.indices.count && !f.comparisons.count) return;
    cut_everywhere(&f, out);
    if (out->count == 1) return;
    join_pieces(&f, out);
    if (saved(&f, ph, whole, out) >= SAVED) return;
    out->at[0] = whole;
    out->count = 1;
}

/* ---- the nest in a piece ---- */

loop_op kern_nest_in(kern_builder *b, const loop_op *nest, sym_expr axis, const kern_span *span)
{
    loop_op made = *nest;
    sym_env env = {b->bounds, b->bound_count};
    sym_expr moved = sym_add(b->t, span->first, axis);
    made.stores = arena_copy(b->memory, nest->stores, nest->store_count * sizeof *nest->stores);
    for (uint32_t i = 0; i < made.store_count; i++) {
        loop_store *st = &made.stores[i];
        st->index =
            sym_simplify(b->t, loop_substitute_index(b->p, st->index, &axis, &moved, 1), &env);
        st->value = loop_simplify(b->p, loop_substitute(b->p, st->value, &axis, &moved, 1), &env);
    }
    return made;
}
