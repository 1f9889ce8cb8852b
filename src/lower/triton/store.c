/* store.c -- what a kernel writes, as a nest over the elements that it writes.
 *
 * A nest has no guarded stores. So masks become extents: `8*i0 + i1 < n`, over blocks of 8, is a loop over
 * n elements. For this, axes whose elements lie in a row, as those of a grid and a block do, become one,
 * and then a condition that bounds one axis cuts its extent. What is left of a mask chooses between the new
 * element and the old one; where what it leaves out may lie outside, it goes to one more element behind the
 * memory.
 */
#include "lower/triton/triton.h"

#include <string.h>

/* A store that is being made. Axis k is the symbol axes[k]; what is not axis of it any more has no symbol. */
typedef struct writing {
    triton *t;
    triton_memory *memory;
    triton_axes over;
    loop_value offset, value;
    loop_facts conditions;
    loop_store_mode mode;
} writing;

static void replace(writing *w, const sym_expr *from, const sym_expr *to, uint32_t count)
{
    loop_program *p = w->t->p;
    w->offset = loop_substitute(p, w->offset, from, to, count);
    w->value = loop_substitute(p, w->value, from, to, count);
    for (uint32_t k = 0; k < w->conditions.count; k++)
        w->conditions.at[k] = loop_substitute(p, w->conditions.at[k], from, to, count);
}

/* ---- axes that become one ---- */

/* Is an element of axis a as far as all of axis b? */
static bool lie_in_a_row(const writing *w, sym_expr offset, uint32_t a, uint32_t b)
{
    sym_table *s = w->t->s;
    sym_expr outer, inner, rest;
    return sym_linear_in(s, offset, w->over.axes[a], &outer, &rest) &&
           sym_linear_in(s, rest, w->over.axes[b], &inner, &rest) &&
           !lower_is_zero(w->t->l, inner) &&
           sym_known_equal(s, outer, sym_mul(s, inner, w->over.extents[b]));
}

/* Do both have a part in one of the conditions? */
static bool is_bounded_together(const writing *w, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < w->conditions.count; k++) {
        loop_value v = w->conditions.at[k];
        if (loop_uses_axis(w->t->p, v, w->over.axes[a]) &&
            loop_uses_axis(w->t->p, v, w->over.axes[b]))
            return true;
    }
    return false;
}

/* b counts on where a steps: what holds them only as steps of one, `8*a + b`, is free of a then. */
static void merge(writing *w, uint32_t a, uint32_t b)
{
    sym_expr from[2], to[2], extent = triton_merge(&w->over, a, b, from, to);
    writing together = *w;
    bool was_bounded = is_bounded_together(w, a, b);
    together.conditions = (loop_facts){0};
    for (uint32_t k = 0; k < w->conditions.count; k++)
        vec_push(w->t->l->memory, &together.conditions, w->conditions.at[k]);
    replace(&together, from, to, 1);
    if (loop_uses_axis(w->t->p, together.value, w->over.axes[a]) && !was_bounded) return;
    replace(&together, from + 1, to + 1, 1);
    together.over.extents[b] = extent;
    together.over.is_within[b] |= together.over.is_within[a];
    triton_drop_axis(&together.over, a);
    *w = together;
}

static void merge_axes(writing *w)
{
    for (uint32_t a = 0; a < w->over.rank; a++)
        for (uint32_t b = 0; b < w->over.rank; b++) {
            sym_expr offset = triton_expr(w->t, w->offset);
            uint32_t before = w->over.rank;
            if (a == b || sym_is_none(offset) || !lie_in_a_row(w, offset, a, b)) continue;
            merge(w, a, b);
            if (w->over.rank == before) continue;
            a = 0;
            b = UINT32_MAX; /* begin anew */
        }
}

/* ---- conditions that become extents ---- */

static bool is_settled(writing *w, loop_value condition)
{
    sym_expr place;
    if (triton_holds(&w->over, condition)) return true;
    for (uint32_t k = 0; k < w->over.rank; k++) {
        if (triton_cut(&w->over, condition, k)) return true;
        if (!triton_meets_one(&w->over, condition, k, &place)) continue;
        replace(w, &w->over.axes[k], &place, 1);
        triton_drop_axis(&w->over, k);
        return true;
    }
    return false;
}

/* Known from here on: the value and the conditions behind it need not ask. */
static void settle_condition(writing *w, uint32_t k)
{
    loop_program *p = w->t->p;
    loop_value known = w->conditions.at[k], yes = loop_const_int(p, TY_BOOL, 1);
    w->value = loop_replace_value(p, w->value, known, yes);
    for (uint32_t j = 0; j < w->conditions.count; j++)
        w->conditions.at[j] = loop_replace_value(p, w->conditions.at[j], known, yes);
}

static void cut_axes(writing *w)
{
    for (uint32_t k = 0; k < w->conditions.count; k++)
        if (is_settled(w, w->conditions.at[k])) settle_condition(w, k);
}

/* What is left of the mask; no value: nothing. */
static loop_value rest_of_mask(const writing *w)
{
    loop_value rest = {0};
    for (uint32_t k = 0; k < w->conditions.count; k++) {
        loop_value c = w->conditions.at[k];
        const loop_node *n = loop_at(w->t->p, c);
        if (n->op == LOOP_CONST && n->integer) continue;
        rest = rest.id ? loop_binary(w->t->p, LOOP_AND, rest, c) : c;
    }
    return rest;
}

static bool never_holds(const triton *t, loop_value mask)
{
    return mask.id && loop_at(t->p, mask)->op == LOOP_CONST && !loop_at(t->p, mask)->integer;
}

/* ---- what is left ---- */

/* Where an axis does not move the place, the last of its values is what stays. */
static void drop_still_axes(writing *w, loop_value mask)
{
    for (uint32_t k = w->over.rank; w->mode == LOOP_SET && k-- > 0;) {
        bool moves = loop_uses_axis(w->t->p, w->offset, w->over.axes[k]) ||
                     (mask.id && loop_uses_axis(w->t->p, mask, w->over.axes[k]));
        sym_expr last = sym_add_int(w->t->s, w->over.extents[k], -1);
        if (moves || !sym_is_int(w->t->s, w->over.extents[k], NULL) ||
            lower_is_zero(w->t->l, w->over.extents[k]))
            continue;
        replace(w, &w->over.axes[k], &last, 1);
        triton_drop_axis(&w->over, k);
    }
}

/* The axes are i0, i1, ... again. */
static void renumber(writing *w, loop_value *mask)
{
    replace(w, w->over.axes, w->t->l->axes, w->over.rank);
    if (mask->id)
        *mask = loop_substitute(w->t->p, *mask, w->over.axes, w->t->l->axes, w->over.rank);
    memcpy(w->over.axes, w->t->l->axes, w->over.rank * sizeof *w->over.axes);
}

/* Does the nest write all elements of memory that has no gaps, one after the other? */
static bool covers(const writing *w, sym_expr offset, const ty_tensor *tensor)
{
    sym_table *s = w->t->s;
    sym_expr rest = offset, count = ty_reach(s, tensor->rank, tensor->sizes, tensor->strides),
             written = w->t->l->one;
    if (sym_is_none(offset) || sym_has_kind(s, offset, SYM_INDIRECT)) return false;
    bool taken[LOWER_MAX_RANK] = {false};
    for (uint32_t done = 0, k = 0; done < w->over.rank; done++) {
        for (k = 0; k < w->over.rank; k++) {
            sym_expr factor, other;
            if (!taken[k] && sym_linear_in(s, rest, w->over.axes[k], &factor, &other) &&
                sym_known_equal(s, factor, written))
                break;
        }
        if (k == w->over.rank) return false;
        sym_linear_in(s, rest, w->over.axes[k], &(sym_expr){0}, &rest);
        written = sym_mul(s, written, w->over.extents[k]);
        taken[k] = true;
    }
    return lower_is_zero(w->t->l, rest) && sym_known_equal(s, written, count);
}

/* ---- memory ---- */

static void keep_view(triton_memory *m, loop_view view, bool has_spare)
{
    m->view = view;
    m->is_ours = true;
    m->is_read = false;
    m->has_spare = has_spare;
}

/* Memory of our own that holds what was there, with an element to spare if the mask needs one. */
static void make_ours(triton *t, triton_memory *m, bool is_covered, bool needs_spare)
{
    const ty_tensor *x = m->tensor;
    if (m->is_in_place) {
        sym_expr *elements = &t->p->buffers.at[m->view.buffer].elements;
        if (needs_spare && !m->has_spare) *elements = sym_add_int(t->s, *elements, 1);
        m->has_spare |= needs_spare;
        return;
    }
    if (m->is_ours && !m->is_read && (m->has_spare || !needs_spare) && !is_covered) return;
    lower_tensor made = lower_temp_tensor(t->l, x->dtype, x->rank, x->sizes, x->strides);
    loop_buffer *b = &t->p->buffers.at[made.box->view.buffer];
    if (needs_spare) b->elements = sym_add_int(t->s, b->elements, 1);
    if (!is_covered) {
        lower_tensor old = lower_viewed(t->l, m->view);
        loop_op *op = lower_nest(t->l, x->rank, x->sizes, 0, NULL);
        lower_store(t->l, op,
                    (loop_store){.buffer = made.box->view.buffer,
                                 .index = lower_flat(t->l, t->l->axes, x->strides, x->rank),
                                 .value = lower_here(t->l, old)});
    }
    keep_view(m, made.box->view, needs_spare);
}

void triton_own(triton *t, triton_memory *m)
{
    make_ours(t, m, false, false);
}

/* Elements that the mask leaves out get what was there, where all of their places are known to be inside,
 * and are no others' too. */
static bool choose_old(writing *w, loop_value mask)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = triton_env(&w->over, bounds);
    triton *t = w->t;
    triton_memory *m = w->memory;
    const ty_tensor *x = m->tensor;
    sym_expr e = triton_expr(t, w->offset), room = ty_reach(t->s, x->rank, x->sizes, x->strides);
    if (w->mode != LOOP_SET || sym_is_none(e) || sym_has_kind(t->s, e, SYM_INDIRECT)) return false;
    if (!sym_known_less_equal(t->s, t->l->zero, e, &env)) return false;
    if (!sym_known_less_equal(t->s, sym_add_int(t->s, e, 1), room, &env)) return false;
    if (!triton_is_injective(&w->over, e, false))
        return false; /* the old one would follow the new one */
    loop_value old = loop_load(t->p, m->view.buffer, sym_add(t->s, m->view.offset, e));
    w->value = loop_where(t->p, mask, w->value, old);
    m->is_read = !m->is_in_place; /* in place, what is written is where it was read */
    return true;
}

static sym_expr place_of(writing *w, loop_value mask)
{
    triton *t = w->t;
    const triton_memory *m = w->memory;
    sym_expr e = triton_expr(t, w->offset), room = t->p->buffers.at[m->view.buffer].elements;
    if (!mask.id && !sym_is_none(e) && !triton_needs_check(&w->over, e, room)) return e;
    loop_value place = loop_cast(t->p, TY_I64, w->offset),
               spare = loop_index(t->p, sym_add_int(t->s, room, -1));
    if (mask.id) place = loop_where(t->p, mask, place, spare);
    return lower_lookup(t->l, place, room, LOOP_ELEMENTS);
}

/* Steps of a loop are axes here, and come in no order: none may write where another one does. */
static void check_order(writing *w)
{
    triton *t = w->t;
    sym_expr e = triton_expr(t, w->offset);
    bool is_ordered = w->mode != LOOP_SET || !t->loops;
    if (is_ordered || (!sym_is_none(e) && !sym_has_kind(t->s, e, SYM_INDIRECT) &&
                       triton_is_injective(&w->over, e, true)))
        return;
    vec_push(t->l->memory, &t->in_order, t->around[t->loops - 1]);
    t->is_out_of_order = true;
}

fe_status triton_write(triton *t, triton_memory *m, uint32_t rank, const sym_expr *sizes,
                       loop_value offset, loop_value value, loop_value mask, loop_store_mode mode)
{
    writing w = {.t = t,
                 .memory = m,
                 .over = triton_axes_of(t, rank, sizes),
                 .offset = offset,
                 .mode = mode};
    if (t->regions && !m->is_in_place)
        return triton_fail(t, "to a tensor of which only this operation's pointer tells");
    w.value = triton_reinterpreted(t, m->tensor->dtype, value);
    if (lower_repeats(t->l, m->tensor)) return triton_fail(t, "to a tensor whose elements are one");
    if (mask.id) loop_add_fact(t->p, &w.conditions, mask);
    cut_axes(&w); /* those that are bounded alone, */
    merge_axes(&w);
    cut_axes(&w); /* and together */
    loop_value rest = rest_of_mask(&w);
    m->is_written = true;
    if (never_holds(t, rest)) return FE_OK;
    drop_still_axes(&w, rest);
    check_order(&w);
    renumber(&w, &rest);
    if (rest.id && choose_old(&w, rest)) rest.id = 0;
    bool is_covered =
        mode == LOOP_SET && !rest.id && covers(&w, triton_expr(t, w.offset), m->tensor);
    make_ours(t, m, is_covered, rest.id != 0);
    sym_expr place = place_of(&w, rest);
    loop_op *op = lower_nest(t->l, w.over.rank, w.over.extents, 0, NULL);
    lower_store(
        t->l, op,
        (loop_store){.buffer = m->view.buffer, .index = place, .value = w.value, .mode = mode});
    return FE_OK;
}
