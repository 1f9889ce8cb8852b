/* pair.c -- pairs side by side in memory, as the parts of complex numbers are: a vector of firsts and one of
 * seconds are two vectors of memory.
 */
#include "kern/legal/legal.h"

kern_ref kern_lower_half_count(kern_lowering *lo, uint32_t half)
{
    kern_ref count = kern_lower_count(lo);
    if (!count) return 0;
    return kern_lower_value(
        lo, (kern_value){.kind = KERN_HALF, .dtype = TY_I64, .copy = half, .args = {count}});
}

/* ---- stores ---- */

/* Are these the two of each pair, one store after the other? */
static bool is_pair(const kern_lowering *lo, const kern_item *a, const kern_item *b)
{
    sym_table *t = lo->k->symbols;
    const kern_store *x = &a->store, *y = &b->store;
    sym_expr stride, rest;
    int64_t step;
    if (a->kind != KERN_STORE || b->kind != KERN_STORE || x->memory != y->memory) return false;
    if (x->access != KERN_LANES || y->access != KERN_LANES) return false;
    if (x->mode != LOOP_SET || y->mode != LOOP_SET) return false;
    return sym_same(sym_add_int(t, x->index, 1), y->index) && !kern_holds_values(lo->k, x->index) &&
           sym_linear_in(t, x->index, kern_lower_axis(lo), &stride, &rest) &&
           sym_is_int(t, stride, &step) && step == 2;
}

bool kern_lower_pair(kern_lowering *lo, const kern_item *a, const kern_item *b)
{
    if (!is_pair(lo, a, b)) return false;
    const kern_store *first = &a->store, *second = &b->store;
    kern_item item = {.kind = KERN_STORE, .store = *first};
    item.store.access = KERN_UNIT;
    item.store.runs = true;
    for (uint32_t i = 0; i < 2; i++) {
        item.store.value = kern_lower_call(lo, i ? "highs" : "lows", first->value, second->value);
        item.store.count = kern_lower_half_count(lo, i);
        kern_lower_into(lo, item);
        item.store.index = sym_add_int(lo->k->symbols, first->index, (int64_t)lo->k->lanes);
    }
    return true;
}
