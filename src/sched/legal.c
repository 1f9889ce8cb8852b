/* legal.c -- may a nest read, inside a group, what the group wrote? Two answers count: at the same index of the same loops (the
 * value travels in a register), or within the same outer iteration (it lies in that iteration's tile).
 */
#include "sched/sched_priv.h"

#include "sched/legal.h"

/* Indices of two forms become comparable when loop k is i<k> in both. */
sym_expr legal_index(loop_program *p, const loop_form *f, sym_expr index)
{
    sym_expr from[LOOP_MAX_AXES], to[LOOP_MAX_AXES];
    for (uint32_t k = 0; k < f->count; k++) {
        from[k] = form_symbol(p, f, k);
        to[k] = loop_axis(p, k);
    }
    return sym_substitute(p->symbols, index, from, to, f->count);
}

bool legal_same_loops(const loop_form *a, const loop_form *b)
{
    if (a->count != b->count) return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (!sym_same(a->extents[k], b->extents[k])) return false;
    return true;
}

bool legal_same_index(loop_program *p, const loop_form *writer, sym_expr store, const loop_form *reader, sym_expr load)
{
    return sym_same(legal_index(p, writer, store), legal_index(p, reader, load));
}

/* The window that the inner loops of one outer iteration reach: [begin, begin + span), as expressions; false when an inner
 * loop's coefficient is not known to be >= 0. outer[k]: coefficient of outer loop k. */
static bool window(loop_program *p, const loop_form *f, sym_expr index, uint32_t outer_count, sym_expr *outer, sym_expr *begin,
                   sym_expr *span)
{
    sym_table *t = p->symbols;
    sym_expr rest = legal_index(p, f, index);
    *span = sym_int(t, 1);
    for (uint32_t k = 0; k < f->count; k++) {
        sym_expr coefficient;
        if (!sym_linear_in(t, rest, loop_axis(p, k), &coefficient, &rest)) return false;
        if (k < outer_count) {
            outer[k] = coefficient;
            continue;
        }
        if (!sym_known_less_equal(t, sym_int(t, 0), coefficient, NULL)) return false;
        *span = sym_add(t, *span, sym_mul(t, coefficient, sym_add_int(t, f->extents[k], -1)));
    }
    *begin = rest;
    return true;
}

bool legal_same_row(loop_program *p, const loop_form *writer, sym_expr store, const loop_form *reader, sym_expr load,
                    uint32_t outer_count)
{
    sym_table *t = p->symbols;
    sym_expr a[LOOP_MAX_AXES], b[LOOP_MAX_AXES], begin_a, begin_b, span_a, span_b;
    if (!window(p, writer, store, outer_count, a, &begin_a, &span_a)) return false;
    if (!window(p, reader, load, outer_count, b, &begin_b, &span_b)) return false;
    for (uint32_t k = 0; k < outer_count; k++)
        if (!sym_same(a[k], b[k])) return false;
    /* The reader stays inside the writer's window, */
    if (!sym_known_less_equal(t, begin_a, begin_b, NULL)) return false;
    if (!sym_known_less_equal(t, sym_add(t, begin_b, span_b), sym_add(t, begin_a, span_a), NULL)) return false;
    /* and windows of different outer iterations do not meet. */
    sym_expr reach = span_a;
    for (uint32_t k = outer_count; k-- > 0;) {
        if (!sym_known_less_equal(t, reach, a[k], NULL)) return false;
        reach = sym_mul(t, a[k], writer->extents[k]);
    }
    return true;
}
