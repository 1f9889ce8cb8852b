/* lane.c -- loads and stores of lanes that lie anywhere: one lane after the other, each a scalar with an
 * index of its own.
 */
#include "kern/legal/legal.h"

/* An index, and what it is of the lane at hand. */
typedef struct lane_index {
    kern_lowering *lo;
    sym_expr lane;
    VEC(sym_expr) from, to;
} lane_index;

/* What a vector has in the lane at hand; a scalar is the same in all. To load one of neighbours is cheaper
 * than to take it out of a register. */
static kern_ref lane_of(kern_lowering *lo, sym_expr lane, kern_ref ref)
{
    kern_value v = lo->k->values.at[ref];
    if (!v.vector) return ref;
    v.vector = false;
    if (v.kind == KERN_CONST) return kern_lower_constant(lo, v);
    return kern_lower_value(
        lo, (kern_value){.kind = KERN_LANE,
                         .dtype = v.dtype,
                         .access = kern_stays_in_memory(lo->k, &v) ? KERN_UNIT : KERN_ONE,
                         .args = {ref},
                         .index = lane});
}

/* Part of an index, which 32 bits need not hold. */
static kern_ref wide_lane_of(kern_lowering *lo, sym_expr lane, kern_ref ref)
{
    kern_ref one = lane_of(lo, lane, ref);
    if (lo->k->values.at[one].dtype != TY_I32) return one;
    return kern_lower_value(
        lo, (kern_value){.kind = KERN_APPLY, .op = LOOP_CAST, .dtype = TY_I64, .args = {one}});
}

static void meet(void *data, sym_expr symbol)
{
    lane_index *x = data;
    kern_lowering *lo = x->lo;
    kern_ref ref = kern_symbol_value(lo->k, symbol);
    bool moves = !ref && sym_same(symbol, kern_lower_axis(lo));
    if (!moves && (!ref || !lo->k->values.at[ref].vector)) return;
    vec_push(lo->memory, &x->from, symbol);
    vec_push(lo->memory, &x->to,
             moves ? sym_add(lo->k->symbols, symbol, x->lane)
                   : kern_value_symbol(lo->k, wide_lane_of(lo, x->lane, ref)));
}

/* Dividends that are never negative are not in a single lane either. */
static void add_naturals(const lane_index *x)
{
    kern_ir *k = x->lo->k;
    uint32_t count = k->nonnegative.count;
    for (uint32_t i = 0; i < count; i++) {
        sym_expr e =
            sym_substitute(k->symbols, k->nonnegative.at[i], x->from.at, x->to.at, x->from.count);
        if (!kern_is_natural(k, e)) vec_push(x->lo->memory, &k->nonnegative, e);
    }
}

static sym_expr index_of(kern_lowering *lo, sym_expr lane, sym_expr index)
{
    sym_table *t = lo->k->symbols;
    lane_index x = {.lo = lo, .lane = lane};
    sym_each_symbol(t, index, meet, &x);
    if (kern_divides(lo->k, index)) add_naturals(&x);
    return sym_substitute(t, index, x.from.at, x.to.at, x.from.count);
}

/* Short indices are worked out for all lanes at once. */
static sym_expr open_lanes(kern_lowering *lo, sym_expr index)
{
    kern_ref count = kern_lower_count(lo);
    sym_expr lane = kern_lower_new_axis(lo);
    kern_lower_open(lo, &(kern_loop){.kind = KERN_EACH_LANE,
                                     .symbol = lane,
                                     .count = count,
                                     .unroll = kern_divides(lo->k, index) ? 1 : lo->k->lanes});
    return lane;
}

/* A variable, 0 until it is set. */
static void make_variable(kern_lowering *lo, kern_ref ref)
{
    const kern_value was = lo->k->values.at[ref];
    kern_ref zero = kern_lower_constant(lo, (kern_value){.dtype = was.dtype, .vector = true});
    lo->k->values.at[ref] = (kern_value){.kind = KERN_VARIABLE,
                                         .dtype = was.dtype,
                                         .vector = true,
                                         .level = was.level,
                                         .copies = 1,
                                         .args = {zero}};
    kern_lower_into(lo, (kern_item){.kind = KERN_DEFINE, .value = ref});
}

void kern_lower_load_lanes(kern_lowering *lo, kern_ref ref)
{
    const kern_value all = lo->k->values.at[ref];
    make_variable(lo, ref);
    (all.runs || all.pairs || all.repeats ? kern_lower_ways : kern_lower_each_lane)(lo, ref, all);
}

static void note_moving(void *data, sym_expr symbol)
{
    lane_index *x = data;
    kern_ref ref = kern_symbol_value(x->lo->k, symbol);
    if (ref || sym_same(symbol, kern_lower_axis(x->lo))) vec_push(x->lo->memory, &x->from, symbol);
}

/* Is it an element for all lanes, which a mask chooses among? An index with values in it may be in range in
 * those lanes alone. */
static bool is_one(kern_lowering *lo, const kern_value *v)
{
    lane_index x = {.lo = lo};
    if (v->kind != KERN_LOAD || !v->guard || !lo->k->values.at[v->guard].vector) return false;
    sym_each_symbol(lo->k->symbols, v->index, note_moving, &x);
    return x.from.count == 0;
}

/* It is loaded once, where the mask has one of the lanes that there are. */
static void load_for_all(kern_lowering *lo, kern_ref ref, kern_value one)
{
    kern_ref mask = kern_lower_mask(lo), chosen = one.guard;
    if (mask) chosen = kern_lower_apply(lo, LOOP_AND, chosen, mask);
    one.guard =
        kern_lower_value(lo, (kern_value){.kind = KERN_ANY, .dtype = TY_BOOL, .args = {chosen}});
    one.vector = one.runs = false;
    one.access = KERN_ONE;
    kern_ref all = kern_lower_splat(lo, kern_lower_value(lo, one));
    kern_lower_into(lo, (kern_item){.kind = KERN_SET, .variable = ref, .value = all});
}

void kern_lower_each_lane(kern_lowering *lo, kern_ref ref, kern_value one)
{
    if (is_one(lo, &one)) {
        load_for_all(lo, ref, one);
        return;
    }
    kern_loop *around = lo->loop;
    sym_expr lane = open_lanes(lo, one.index);
    one.vector = one.runs = false;
    one.pairs = KERN_NO_PAIRS;
    one.repeats = 0;
    one.access = KERN_ONE;
    one.index = index_of(lo, lane, one.index);
    if (one.guard) one.guard = lane_of(lo, lane, one.guard);
    kern_ref element = kern_lower_value(lo, one);
    kern_lower_into(lo,
                    (kern_item){.kind = KERN_SET, .variable = ref, .value = element, .flat = lane});
    lo->loop = around;
}

void kern_lower_store_lanes(kern_lowering *lo, kern_store store)
{
    kern_loop *around = lo->loop;
    sym_expr lane = open_lanes(lo, store.index);
    store.access = KERN_ONE;
    store.index = index_of(lo, lane, store.index);
    store.value = lane_of(lo, lane, store.value);
    kern_lower_into(lo, (kern_item){.kind = KERN_STORE, .store = store});
    lo->loop = around;
}
