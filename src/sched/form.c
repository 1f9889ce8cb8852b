/* form.c -- nests as lists of loops: normal form, cutting loops, the common cut of two nests.
 *
 * Cutting a loop is always legal: i in [0, a*b) becomes b*i' + i''. Merging two adjacent ones needs
 * every access to be linear in both with coefficients in the ratio of the inner extent. So the
 * normal form is as merged as it gets, and fusion cuts it again where two nests must agree.
 */
#include "sched/sched_priv.h"

sym_expr form_symbol(loop_program *p, const loop_form *f, uint32_t loop)
{
    return loop < f->parallel ? loop_axis(p, loop) : loop_reduce_axis(p, loop - f->parallel);
}

sym_env form_env(loop_program *p, const loop_form *f, sym_bound *room)
{
    for (uint32_t k = 0; k < f->count; k++)
        room[k] = (sym_bound){form_symbol(p, f, k), f->extents[k]};
    return (sym_env){room, f->count};
}

/* ---- accesses ---- */

typedef struct collect_state {
    loop_program *p;
    arena *memory;
    access_list *out;
} collect_state;

static void collect_load(void *data, loop_value v)
{
    collect_state *state = data;
    const loop_node *n = loop_at(state->p, v);
    if (n->op == LOOP_LOAD)
        vec_push(state->memory, state->out, (access){n->buffer, n->index, false});
}

void form_accesses(loop_program *p, const loop_form *f, arena *memory, access_list *out)
{
    collect_state state = {p, memory, out};
    for (uint32_t i = 0; i < f->store_count; i++) {
        loop_each_store_node(p, &f->stores[i], collect_load, &state);
        vec_push(memory, out, (access){f->stores[i].buffer, f->stores[i].index, true});
    }
}

static void collect_index(void *data, loop_value v)
{
    collect_state *state = data;
    const loop_node *n = loop_at(state->p, v);
    if (n->op == LOOP_LOAD || n->op == LOOP_INDEX)
        vec_push(state->memory, state->out, (access){LOOP_NO_BUFFER, n->index, false});
}

void form_indices(loop_program *p, const loop_form *f, arena *memory, access_list *out)
{
    collect_state state = {p, memory, out};
    for (uint32_t i = 0; i < f->store_count; i++) {
        loop_each_store_node(p, &f->stores[i], collect_index, &state);
        vec_push(memory, out, (access){f->stores[i].buffer, f->stores[i].index, true});
    }
}

/* ---- rewriting loops ---- */

/* Replaces each loop symbol of f by to[k] and simplifies indices with the new loops' ranges. */
static void rewrite(loop_program *p, const loop_form *f, const sym_expr *to, loop_form *out,
                    arena *memory)
{
    sym_expr from[LOOP_MAX_AXES];
    sym_bound room[LOOP_MAX_AXES];
    for (uint32_t k = 0; k < f->count; k++) from[k] = form_symbol(p, f, k);
    sym_env env = form_env(p, out, room);
    out->op = f->op;
    out->origin = f->origin;
    out->store_count = f->store_count;
    loop_store *stores = NEW_ARRAY(memory, loop_store, f->store_count);
    for (uint32_t i = 0; i < f->store_count; i++) {
        stores[i] = f->stores[i];
        sym_expr index = loop_substitute_index(p, f->stores[i].index, from, to, f->count);
        stores[i].index = sym_simplify(p->symbols, index, &env);
        stores[i].value =
            loop_simplify(p, loop_substitute(p, f->stores[i].value, from, to, f->count), &env);
    }
    out->stores = stores;
}

/* ---- normal form ---- */

static bool is_one(loop_program *p, sym_expr e)
{
    int64_t value;
    return sym_is_int(p->symbols, e, &value) && value == 1;
}

/* A reduction over no loops: of one value it is that value, and its place is 0. */
static void drop_reductions(loop_program *p, loop_form *f, arena *memory)
{
    loop_store *stores = arena_copy(memory, f->stores, f->store_count * sizeof *stores);
    for (uint32_t i = 0; i < f->store_count; i++) {
        loop_store *st = &stores[i];
        ty_dtype stored = p->buffers.at[st->buffer].dtype;
        if (st->reduce == LOOP_ARGMIN || st->reduce == LOOP_ARGMAX)
            st->value = loop_const_int(p, stored, 0);
        st->value = loop_cast(p, stored, st->value);
        st->reduce = LOOP_NO_REDUCE;
        st->scan = false;
    }
    f->stores = stores;
}

static void drop_unit_loops(loop_program *p, loop_form *f, arena *memory)
{
    loop_form kept = {0};
    sym_expr to[LOOP_MAX_AXES];
    bool any = false;
    for (uint32_t k = 0; k < f->count; k++) {
        if (is_one(p, f->extents[k])) {
            any = true;
            continue;
        }
        kept.extents[kept.count++] = f->extents[k];
        if (k < f->parallel) kept.parallel++;
    }
    if (!any) return;
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->count; k++)
        to[k] = is_one(p, f->extents[k]) ? sym_int(p->symbols, 0) : form_symbol(p, &kept, at++);
    rewrite(p, f, to, &kept, memory);
    *f = kept;
}

/* The stride of the first access that moves with the loop; 0: none does. */
static int64_t first_stride(loop_program *p, const access_list *list, bool stores, sym_expr symbol)
{
    for (uint32_t i = 0; i < list->count; i++) {
        sym_expr coefficient, rest;
        if (list->at[i].is_store != stores) continue;
        if (!sym_linear_in(p->symbols, list->at[i].index, symbol, &coefficient, &rest)) continue;
        int64_t stride = sym_hint(p->symbols, coefficient, 1);
        if (stride != 0) return stride < 0 ? -stride : stride;
    }
    return 0;
}

/* Does the loop move a store through a looked-up index alone? */
static bool looks_up_store(loop_program *p, const loop_form *f, sym_expr symbol)
{
    for (uint32_t i = 0; i < f->store_count; i++)
        if (!sym_contains(p->symbols, f->stores[i].index, symbol) &&
            loop_uses_axis(p, loop_index(p, f->stores[i].index), symbol))
            return true;
    return false;
}

/* The stride that decides a loop's place: in the first access that moves with it, stores before loads.
 * Loops that look up where they store keep their order, in which values meet at an element. */
static void deciding_strides(loop_program *p, const loop_form *f, const access_list *list,
                             int64_t *strides)
{
    int64_t looked_up = 0;
    for (uint32_t k = f->count; k-- > 0;) {
        sym_expr symbol = form_symbol(p, f, k);
        strides[k] = first_stride(p, list, true, symbol);
        if (!strides[k]) strides[k] = first_stride(p, list, false, symbol);
        if (!looks_up_store(p, f, symbol)) continue;
        if (!strides[k]) strides[k] = INT64_MAX;
        if (strides[k] < looked_up) strides[k] = looked_up;
        looked_up = strides[k];
    }
}

/* Stable sort of loops [from, to) by falling stride. */
static void sort_range(const int64_t *strides, uint32_t *order, uint32_t from, uint32_t to)
{
    for (uint32_t i = from + 1; i < to; i++)
        for (uint32_t j = i; j > from && strides[order[j]] > strides[order[j - 1]]; j--) {
            uint32_t swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
}

/* ARG reductions number their elements in the order of the reduction loops, and scans go along it,
 * so these must stay as they are. */
static bool order_matters(const loop_form *f)
{
    for (uint32_t i = 0; i < f->store_count; i++)
        if (f->stores[i].scan || f->stores[i].reduce == LOOP_ARGMIN ||
            f->stores[i].reduce == LOOP_ARGMAX)
            return true;
    return false;
}

void form_reorder(loop_program *p, loop_form *f, const uint32_t *order, arena *memory)
{
    sym_expr to[LOOP_MAX_AXES];
    bool changed = false;
    loop_form sorted = {.parallel = f->parallel, .count = f->count};
    for (uint32_t k = 0; k < f->count; k++) {
        sorted.extents[k] = f->extents[order[k]];
        to[order[k]] = form_symbol(p, &sorted, k);
        changed |= order[k] != k;
    }
    if (!changed) return;
    rewrite(p, f, to, &sorted, memory);
    *f = sorted;
}

static void sort_loops(loop_program *p, loop_form *f, arena *memory)
{
    access_list list = {0};
    int64_t strides[LOOP_MAX_AXES];
    uint32_t order[LOOP_MAX_AXES];
    form_accesses(p, f, memory, &list);
    deciding_strides(p, f, &list, strides);
    for (uint32_t k = 0; k < f->count; k++) order[k] = k;
    sort_range(strides, order, 0, f->parallel);
    if (!order_matters(f)) sort_range(strides, order, f->parallel, f->count);
    form_reorder(p, f, order, memory);
}

/* Does the index go straight along the loop, and with it? */
static bool goes_along(sym_table *t, sym_expr index, sym_expr symbol)
{
    sym_expr stride, rest;
    return sym_contains(t, index, symbol) && sym_linear_in(t, index, symbol, &stride, &rest);
}

/* Is each index one of the merged loop: the same with that in place of the inner one, and nothing in place of
 * the outer? One that goes straight along the outer loop is not bent. */
static bool can_merge(loop_program *p, const access_list *list, sym_expr outer, sym_expr inner,
                      sym_expr inner_extent)
{
    sym_table *t = p->symbols;
    sym_expr merged = sym_add(t, sym_mul(t, outer, inner_extent), inner), zero = sym_int(t, 0);
    for (uint32_t i = 0; i < list->count; i++) {
        sym_expr index = list->at[i].index;
        if (!sym_contains(t, index, outer) && !sym_contains(t, index, inner)) continue;
        sym_expr alone = sym_substitute(t, index, &outer, &zero, 1);
        if (!sym_same(sym_substitute(t, alone, &inner, &merged, 1), index)) return false;
        if (goes_along(t, index, outer) && !goes_along(t, alone, inner)) return false;
    }
    return true;
}

/* Merges loops k and k+1: inner takes the combined range, outer is 0. */
static void merge_at(loop_program *p, loop_form *f, uint32_t k, arena *memory)
{
    loop_form merged = {.parallel = f->parallel - (k < f->parallel ? 1 : 0), .count = f->count - 1};
    sym_expr to[LOOP_MAX_AXES];
    for (uint32_t i = 0; i < merged.count; i++) merged.extents[i] = f->extents[i <= k ? i : i + 1];
    merged.extents[k] = sym_mul(p->symbols, f->extents[k], f->extents[k + 1]);
    for (uint32_t i = 0; i < f->count; i++)
        to[i] = i == k ? sym_int(p->symbols, 0) : form_symbol(p, &merged, i < k ? i : i - 1);
    rewrite(p, f, to, &merged, memory);
    *f = merged;
}

static void merge_loops(loop_program *p, loop_form *f, arena *memory)
{
    for (uint32_t k = 0; k + 1 < f->count;) {
        access_list list = {0};
        bool same_kind = k + 1 != f->parallel;
        if (same_kind) form_indices(p, f, memory, &list);
        if (same_kind &&
            can_merge(p, &list, form_symbol(p, f, k), form_symbol(p, f, k + 1), f->extents[k + 1]))
            merge_at(p, f, k, memory);
        else
            k++;
    }
}

loop_form form_of(loop_program *p, uint32_t op, arena *memory)
{
    const loop_op *nest = &p->ops.at[op];
    loop_form f = {.op = op,
                   .parallel = nest->axes,
                   .count = nest->axes + nest->reduce_axes,
                   .stores = nest->stores,
                   .store_count = nest->store_count,
                   .origin = nest->origin};
    CHECK(p->session, f.count <= LOOP_MAX_AXES);
    for (uint32_t k = 0; k < f.count; k++)
        f.extents[k] = k < f.parallel ? nest->extents[k] : nest->reduce_extents[k - f.parallel];
    drop_unit_loops(p, &f, memory);
    if (f.parallel == f.count) drop_reductions(p, &f, memory);
    sort_loops(p, &f, memory);
    merge_loops(p, &f, memory);
    return f;
}

/* ---- cutting ---- */

sym_expr form_quotient(loop_program *p, sym_expr a, sym_expr b)
{
    int64_t x, y;
    if (sym_is_int(p->symbols, a, &x) && sym_is_int(p->symbols, b, &y))
        return y > 0 && x % y == 0 ? sym_int(p->symbols, x / y) : (sym_expr){0};
    if (!sym_known_divisible(p->symbols, a, b, NULL)) return (sym_expr){0};
    return sym_floordiv(p->symbols, a, b);
}

/* One list being eaten from the outside; `left` is the uneaten part of the current loop. */
typedef struct eater {
    const sym_expr *extents;
    uint32_t count, at;
    sym_expr left;
} eater;

static bool is_eaten(const eater *e)
{
    return sym_is_none(e->left) && e->at == e->count;
}

static sym_expr bite(eater *e)
{
    sym_expr now = sym_is_none(e->left) ? e->extents[e->at++] : e->left;
    e->left = (sym_expr){0};
    return now;
}

/* The smaller of two loops that have just been bitten off, where it divides the other; what is left of that
 * one goes back. */
static bool common_piece(loop_program *p, sym_expr from_x, sym_expr from_y, sym_expr *piece,
                         eater *x, eater *y)
{
    *piece = from_x;
    if (sym_same(from_x, from_y)) return true;
    sym_expr quotient = form_quotient(p, from_x, from_y);
    if (quotient.id) {
        *piece = from_y;
        x->left = quotient;
        return true;
    }
    y->left = form_quotient(p, from_y, from_x);
    return y->left.id != 0;
}

int form_common(loop_program *p, const sym_expr *a, uint32_t count_a, const sym_expr *b,
                uint32_t count_b, sym_expr *out, uint32_t *pieces_a, uint32_t *pieces_b)
{
    eater x = {a, count_a, 0, {0}}, y = {b, count_b, 0, {0}};
    uint32_t count = 0;
    *pieces_a = *pieces_b = 0;
    while (!is_eaten(&x) && !is_eaten(&y)) {
        if (count >= LOOP_MAX_AXES) return -1;
        sym_expr from_x = bite(&x), from_y = bite(&y);
        if (!common_piece(p, from_x, from_y, &out[count++], &x, &y)) return -1;
    }
    *pieces_a = *pieces_b = count;
    for (eater *rest = is_eaten(&x) ? &y : &x; !is_eaten(rest);) {
        if (count >= LOOP_MAX_AXES) return -1;
        out[count++] = bite(rest);
        *(rest == &x ? pieces_a : pieces_b) = count;
    }
    return (int)count;
}

static uint32_t eat_rest(eater *e, sym_expr *out)
{
    uint32_t count = 0;
    while (!is_eaten(e) && count < LOOP_MAX_AXES) out[count++] = bite(e);
    return count;
}

void form_common_prefix(loop_program *p, const loop_form *a, const loop_form *b, uint32_t most,
                        form_prefix *out)
{
    eater x = {a->extents, a->count, 0, {0}}, y = {b->extents, b->count, 0, {0}};
    out->count = 0;
    while (out->count < most && !is_eaten(&x) && !is_eaten(&y)) {
        sym_expr from_x = bite(&x), from_y = bite(&y), piece;
        if (!common_piece(p, from_x, from_y, &piece, &x, &y)) {
            x.left = from_x;
            y.left = from_y;
            break;
        }
        out->loops[out->count++] = piece;
    }
    out->rest_a_count = eat_rest(&x, out->rest_a);
    out->rest_b_count = eat_rest(&y, out->rest_b);
}

bool form_split(loop_program *p, const loop_form *f, const sym_expr *extents, uint32_t count,
                arena *memory, loop_form *out)
{
    loop_form made = {.count = count};
    sym_expr to[LOOP_MAX_AXES];
    uint32_t first[LOOP_MAX_AXES + 1] = {0};
    uint32_t at = 0;
    if (count > LOOP_MAX_AXES) return false;
    for (uint32_t k = 0; k < f->count; k++) {
        sym_expr covered = sym_int(p->symbols, 1);
        first[k] = at;
        while (!sym_same(covered, f->extents[k])) {
            if (at >= count) return false;
            covered = sym_mul(p->symbols, covered, extents[at]);
            made.extents[at] = extents[at];
            at++;
        }
        if (k < f->parallel) made.parallel = at;
    }
    if (at != count) return false;
    first[f->count] = at;
    for (uint32_t k = 0; k < f->count; k++) {
        to[k] = sym_int(p->symbols, 0);
        for (uint32_t piece = first[k]; piece < first[k + 1]; piece++)
            to[k] = sym_add(p->symbols, sym_mul(p->symbols, to[k], made.extents[piece]),
                            form_symbol(p, &made, piece));
    }
    rewrite(p, f, to, &made, memory);
    *out = made;
    return true;
}
