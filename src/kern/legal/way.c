/* way.c -- loads and indices whose lanes mostly lie in one way: every second element, or each one several
 * times, or neighbours, up or down, or all the same. Where they do, they are taken at once; else, or where
 * there are fewer, one by one.
 *
 * No step between neighbours is larger than 1, so the last lane tells whether all go up, down or nowhere.
 */
#include "kern/legal/legal.h"

typedef struct way_taking {
    kern_lowering *lo;
    kern_ref variable;
    kern_value v;
    kern_ref count; /* of the lanes; 0: all */
    bool masked;
} way_taking;

static kern_ref number(const way_taking *w, int64_t integer)
{
    return kern_lower_constant(w->lo, (kern_value){.dtype = TY_I64, .integer = integer});
}

static kern_ref both(const way_taking *w, kern_ref a, kern_ref b)
{
    return a && b ? kern_lower_apply(w->lo, LOOP_AND, a, b) : a ? a : b;
}

static kern_loop *open_case(kern_lowering *lo, kern_loop_kind kind, kern_ref condition)
{
    return kern_lower_open(lo, &(kern_loop){.kind = kind, .condition = condition, .unroll = 1});
}

static void set(const way_taking *w, kern_ref value)
{
    kern_lower_into(w->lo, (kern_item){.kind = KERN_SET, .variable = w->variable, .value = value});
}

/* The element of the first lane; or, as a vector, that one and those behind it. */
static kern_ref run_from(const way_taking *w, sym_expr index, bool vector, kern_ref count)
{
    kern_value v = w->v;
    v.vector = vector;
    v.access = vector ? KERN_UNIT : KERN_ONE;
    v.runs = true;
    v.pairs = KERN_NO_PAIRS;
    v.repeats = 0;
    v.index = index;
    v.count = count;
    return kern_lower_value(w->lo, v);
}

/* ---- every second element ---- */

static kern_ref all_of_mask(const way_taking *w)
{
    kern_ref others = kern_lower_apply(w->lo, LOOP_NOT, w->v.guard, 0);
    kern_ref any =
        kern_lower_value(w->lo, (kern_value){.kind = KERN_ANY, .dtype = TY_BOOL, .args = {others}});
    return kern_lower_apply(w->lo, LOOP_NOT, any, 0);
}

/* Of pairs that are all there, which two vectors of memory have. */
static void take_part(way_taking *w)
{
    kern_lowering *lo = w->lo;
    sym_table *t = lo->k->symbols;
    bool second = w->v.pairs == KERN_SECONDS;
    kern_ref half[2];
    sym_expr index = sym_add_int(t, w->v.index, -(int64_t)second);
    for (uint32_t i = 0; i < 2; i++) {
        half[i] = run_from(w, index, true, kern_lower_half_count(lo, i));
        index = sym_add_int(t, index, (int64_t)lo->k->lanes);
    }
    set(w, kern_lower_call(lo, kern_pairs_names[w->v.pairs], half[0], half[1]));
}

static void take_pairs(way_taking *w)
{
    kern_lowering *lo = w->lo;
    sym_table *t = lo->k->symbols;
    kern_ref whole = 0, guard = w->v.guard;
    if (w->count && w->v.pairs == KERN_EVENS)
        whole = kern_lower_apply(lo, LOOP_EQ, w->count, number(w, (int64_t)lo->k->lanes));
    if (w->masked) whole = both(w, whole, all_of_mask(w));
    kern_loop *outside = whole ? open_case(lo, KERN_WHEN, whole) : NULL;
    if (w->masked) w->v.guard = 0;
    if (w->v.pairs == KERN_EVENS) {
        kern_ref low = run_from(w, w->v.index, true, 0);
        sym_expr last = sym_add_int(t, w->v.index, (int64_t)lo->k->lanes - 1);
        set(w, kern_lower_call(lo, "evens", low, run_from(w, last, true, 0)));
    } else {
        take_part(w);
    }
    w->v.guard = guard;
    if (!whole) return;
    lo->loop = outside;
    open_case(lo, KERN_OTHERWISE, 0);
    kern_lower_each_lane(lo, w->variable, w->v);
}

/* ---- each several times ---- */

/* From a multiple of the times on. */
static void take_repeats(way_taking *w)
{
    kern_lowering *lo = w->lo;
    sym_table *t = lo->k->symbols;
    int64_t times = w->v.repeats, lanes = lo->k->lanes;
    kern_value beyond = {.kind = KERN_NUMBER,
                         .dtype = TY_I64,
                         .runs = true,
                         .index = sym_mod(t, kern_lower_axis(lo), sym_int(t, times))};
    kern_ref whole = kern_lower_apply(lo, LOOP_EQ, kern_lower_value(lo, beyond), number(w, 0));
    if (w->count) whole = both(w, whole, kern_lower_apply(lo, LOOP_EQ, w->count, number(w, lanes)));
    kern_loop *outside = open_case(lo, KERN_WHEN, whole);
    kern_ref some = run_from(w, w->v.index, true, number(w, lanes / times));
    const char *repeat = arena_printf(lo->memory, "repeat%u", w->v.repeats);
    set(w, kern_lower_call(lo, repeat, some, 0));
    lo->loop = outside;
    open_case(lo, KERN_OTHERWISE, 0);
    kern_lower_each_lane(lo, w->variable, w->v);
}

/* ---- neighbours ---- */

static kern_ref taken_up(const way_taking *w)
{
    return run_from(w, w->v.index, true, w->count);
}

static kern_ref taken_down(const way_taking *w)
{
    sym_table *t = w->lo->k->symbols;
    int64_t others = (int64_t)w->lo->k->lanes - 1;
    if (w->v.kind == KERN_LOAD)
        return kern_lower_call(w->lo, "turned",
                               run_from(w, sym_add_int(t, w->v.index, -others), true, 0), 0);
    kern_ref up = run_from(w, sym_mul_int(t, w->v.index, -1), true, 0);
    return kern_lower_apply(w->lo, LOOP_NEG, up, 0);
}

/* Always down: the lanes that there are end in the last ones of what lies below, which are turned to the
 * front. */
static void take_down(way_taking *w)
{
    kern_lowering *lo = w->lo;
    sym_table *t = lo->k->symbols;
    int64_t lanes = (int64_t)lo->k->lanes;
    if (!w->count) {
        set(w, taken_down(w));
        return;
    }
    kern_loop *outside =
        open_case(lo, KERN_WHEN, kern_lower_apply(lo, LOOP_EQ, w->count, number(w, lanes)));
    set(w, taken_down(w));
    lo->loop = outside;
    open_case(lo, KERN_OTHERWISE, 0);
    sym_expr missing = sym_sub(t, sym_int(t, lanes), kern_value_symbol(lo->k, w->count));
    kern_ref below = kern_lower_value(
        lo, (kern_value){.kind = KERN_BELOW, .dtype = TY_BOOL, .vector = true, .index = missing});
    way_taking last = *w;
    last.v.guard = kern_lower_apply(lo, LOOP_NOT, below, 0);
    set(w, taken_down(&last));
    lo->loop = outside;
}

static kern_ref taken_once(const way_taking *w)
{
    return kern_lower_splat(w->lo, run_from(w, w->v.index, false, 0));
}

/* From the first lane to the last it is so far. */
static kern_ref goes_up(const way_taking *w, kern_ref distance)
{
    kern_ref steps = w->count ? kern_lower_apply(w->lo, LOOP_SUB, w->count, number(w, 1))
                              : number(w, (int64_t)w->lo->k->lanes - 1);
    return kern_lower_apply(w->lo, LOOP_EQ, distance, steps);
}

static kern_ref goes_down(const way_taking *w, kern_ref distance)
{
    int64_t lanes = (int64_t)w->lo->k->lanes;
    kern_ref all = w->count ? kern_lower_apply(w->lo, LOOP_EQ, w->count, number(w, lanes)) : 0;
    return both(w, all, kern_lower_apply(w->lo, LOOP_EQ, distance, number(w, 1 - lanes)));
}

static kern_ref stays(const way_taking *w, kern_ref distance)
{
    kern_ref some = w->count ? kern_lower_apply(w->lo, LOOP_LE, number(w, 1), w->count) : 0;
    return both(w, some, kern_lower_apply(w->lo, LOOP_EQ, distance, number(w, 0)));
}

/* Is nothing negative divided in it? */
static bool divides_naturals(const kern_ir *k, sym_expr e)
{
    sym_op op = sym_op_of(k->symbols, e);
    bool divides = op == SYM_FLOORDIV || op == SYM_MOD;
    if (divides && !kern_is_natural(k, sym_arg(k->symbols, e, 0))) return false;
    for (uint32_t i = 0; i < sym_arg_count(k->symbols, e); i++)
        if (!divides_naturals(k, sym_arg(k->symbols, e, i))) return false;
    return true;
}

/* What is divided in it is not negative. */
static void add_naturals(kern_lowering *lo, sym_expr e)
{
    kern_ir *k = lo->k;
    sym_op op = sym_op_of(k->symbols, e);
    for (uint32_t i = 0; i < sym_arg_count(k->symbols, e); i++)
        add_naturals(lo, sym_arg(k->symbols, e, i));
    if (op != SYM_FLOORDIV && op != SYM_MOD) return;
    sym_expr divided = sym_arg(k->symbols, e, 0);
    if (!kern_is_natural(k, divided)) vec_push(lo->memory, &k->nonnegative, divided);
}

/* From the first lane's index to the last one's. */
static kern_ref distance(const way_taking *w)
{
    sym_table *t = w->lo->k->symbols;
    sym_expr axis = kern_lower_axis(w->lo);
    sym_expr count =
        w->count ? kern_value_symbol(w->lo->k, w->count) : sym_int(t, (int64_t)w->lo->k->lanes);
    sym_expr last = sym_add(t, axis, sym_add_int(t, count, -1));
    kern_value at = {.kind = KERN_NUMBER, .dtype = TY_I64, .runs = true, .index = w->v.index};
    kern_ref first = kern_lower_value(w->lo, at);
    at.index = sym_substitute(t, w->v.index, &axis, &last, 1);
    if (divides_naturals(w->lo->k, w->v.index)) add_naturals(w->lo, at.index);
    return kern_lower_apply(w->lo, LOOP_SUB, kern_lower_value(w->lo, at), first);
}

static bool goes_always(const way_taking *w)
{
    sym_expr coefficient, rest;
    return sym_linear_in(w->lo->k->symbols, w->v.index, kern_lower_axis(w->lo), &coefficient,
                         &rest);
}

static void take_runs(way_taking *w)
{
    static const struct {
        uint32_t way;
        kern_ref (*goes)(const way_taking *, kern_ref);
        kern_ref (*taken)(const way_taking *);
    } WAYS[] = {{KERN_UP, goes_up, taken_up},
                {KERN_DOWN, goes_down, taken_down},
                {KERN_SAME, stays, taken_once}};
    uint32_t ways = kern_runs(w->lo->k, w->v.index, kern_lower_axis(w->lo));
    if (w->masked) ways &= KERN_UP;
    if (ways == KERN_DOWN && w->v.kind == KERN_LOAD && goes_always(w)) {
        take_down(w);
        return;
    }
    kern_ref far = ways ? distance(w) : 0;
    for (size_t i = 0; i < COUNT_OF(WAYS); i++) {
        if (!(ways & WAYS[i].way)) continue;
        kern_loop *outside = open_case(w->lo, KERN_WHEN, WAYS[i].goes(w, far));
        set(w, WAYS[i].taken(w));
        w->lo->loop = outside;
        open_case(w->lo, KERN_OTHERWISE, 0);
    }
    kern_lower_each_lane(w->lo, w->variable, w->v);
}

void kern_lower_ways(kern_lowering *lo, kern_ref variable, kern_value load)
{
    way_taking w = {.lo = lo, .variable = variable, .v = load};
    kern_loop *around = lo->loop;
    kern_ref guard = load.guard;
    w.count = kern_lower_count(lo);
    w.masked = guard && lo->k->values.at[guard].vector;
    if (guard && !w.masked) open_case(lo, KERN_WHEN, guard);
    if (load.pairs && !(w.masked && kern_holds_values(lo->k, w.v.index)))
        take_pairs(&w);
    else if (load.pairs)
        kern_lower_each_lane(lo, variable, load);
    else if (load.repeats)
        take_repeats(&w);
    else
        take_runs(&w);
    lo->loop = around;
}
