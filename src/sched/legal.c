/* legal.c -- may a nest read, inside a group, what the group wrote? Two answers count: at the same
 * index of the same loops (the value travels in a register), or within the same outer iteration (it
 * lies in that iteration's tile).
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
    return loop_substitute_index(p, index, from, to, f->count);
}

bool legal_same_loops(const loop_form *a, const loop_form *b)
{
    if (a->count != b->count) return false;
    for (uint32_t k = 0; k < a->count; k++)
        if (!sym_same(a->extents[k], b->extents[k])) return false;
    return true;
}

bool legal_same_index(loop_program *p, const loop_form *writer, sym_expr store,
                      const loop_form *reader, sym_expr load)
{
    /* looked up: two iterations may meet in one element */
    if (sym_has_kind(p->symbols, store, SYM_INDIRECT)) return false;
    return sym_same(legal_index(p, writer, store), legal_index(p, reader, load));
}

/* ---- loads that happen only where a condition holds ---- */

static bool is_axis(loop_program *p, sym_expr e)
{
    for (uint32_t k = 0; k < LOOP_MAX_AXES; k++)
        if (sym_same(e, loop_axis(p, k))) return true;
    return false;
}

/* The index of the load, said with the axis that the condition fixes (i0 == 3) where it is so in `like`
 * too: 8*i0 + i1 for 24 + i1. */
static bool fits_where(loop_program *p, loop_value condition, const masked_load *m)
{
    sym_table *t = p->symbols;
    sym_expr step, rest, index = loop_at(p, m->load)->index;
    const loop_node *n = loop_at(p, condition);
    if (n->op == LOOP_AND) return fits_where(p, n->args[0], m) || fits_where(p, n->args[1], m);
    if (n->op != LOOP_EQ) return false;
    const loop_node *left = loop_at(p, n->args[0]), *right = loop_at(p, n->args[1]);
    if (left->op != LOOP_INDEX || right->op != LOOP_CONST || right->dtype != TY_I64 ||
        !is_axis(p, left->index) || !sym_linear_in(t, m->like, left->index, &step, &rest))
        return false;
    sym_expr beyond = sym_sub(t, left->index, sym_int(t, right->integer));
    return m->fits(m->data, sym_add(t, index, sym_mul(t, step, beyond)));
}

typedef struct mask_search {
    loop_program *p;
    const masked_load *load;
    arena *memory;
    map seen;
    bool looks_up; /* an index holds values: what they are read from is not found here */
} mask_search;

static void look_for_values(void *data, loop_value v)
{
    mask_search *m = data;
    const loop_node *n = loop_at(m->p, v);
    if (n->op == LOOP_LOAD || n->op == LOOP_INDEX)
        m->looks_up |= sym_has_kind(m->p->symbols, n->index, SYM_INDIRECT);
}

/* Is it used where no condition makes its element one that fits? */
static bool is_used_elsewhere(mask_search *m, loop_value v)
{
    const loop_node *n = loop_at(m->p, v);
    if (v.id == m->load->load.id) return true;
    if (map_get(&m->seen, v.id) != MAP_NONE) return false;
    map_set(m->memory, &m->seen, v.id, 1);
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        bool fits = n->op == LOOP_MASKED && k == 1 && fits_where(m->p, n->args[0], m->load);
        if (!fits && is_used_elsewhere(m, n->args[k])) return true;
    }
    return false;
}

bool legal_masked_load(loop_program *p, const loop_store *store, const masked_load *load)
{
    mask_search m = {.p = p, .load = load, .memory = arena_new(p->session)};
    loop_each_store_node(p, store, look_for_values, &m);
    m.looks_up |= sym_has_kind(p->symbols, store->index, SYM_INDIRECT);
    bool is_legal = !m.looks_up && !is_used_elsewhere(&m, store->value);
    arena_free(m.memory);
    return is_legal;
}

/* ---- elements that do not meet ---- */

/* The loop among `left` whose step is the span so far, or else one whose step is above it. */
static uint32_t next_loop(sym_table *t, const sym_expr *steps, const bool *left, uint32_t count,
                          sym_expr span)
{
    uint32_t found = count;
    for (uint32_t k = 0; k < count; k++) {
        if (!left[k]) continue;
        if (sym_known_equal(t, steps[k], span)) return k;
        if (!sym_known_less_equal(t, span, steps[k], NULL)) continue;
        if (found == count || sym_known_less_equal(t, steps[k], steps[found], NULL)) found = k;
    }
    return found;
}

/* From the smallest step up, each is at least what the loops below it reach. */
bool legal_is_injective(loop_program *p, const loop_form *f, sym_expr index)
{
    sym_table *t = p->symbols;
    sym_expr steps[LOOP_MAX_AXES], rest = legal_index(p, f, index), span = sym_int(t, 1);
    bool left[LOOP_MAX_AXES];
    uint32_t open = 0;
    if (sym_has_kind(t, rest, SYM_INDIRECT)) return false;
    for (uint32_t k = 0; k < f->parallel; k++) {
        int64_t extent;
        left[k] = !sym_is_int(t, f->extents[k], &extent) || extent > 1;
        open += left[k];
        if (!sym_linear_in(t, rest, loop_axis(p, k), &steps[k], &rest)) return false;
        if (sym_known_less_equal(t, steps[k], sym_int(t, -1), NULL))
            steps[k] = sym_mul_int(t, steps[k], -1);
    }
    for (; open; open--) {
        uint32_t k = next_loop(t, steps, left, f->parallel, span);
        if (k == f->parallel) return false;
        span = sym_add(t, span, sym_mul(t, steps[k], sym_add_int(t, f->extents[k], -1)));
        left[k] = false;
    }
    return true;
}

/* The window that the inner loops of one outer iteration reach: [begin, begin + span), as
 * expressions; false when an inner loop's coefficient is not known to be >= 0. outer[k]:
 * coefficient of outer loop k. */
static bool window(loop_program *p, const loop_form *f, sym_expr index, uint32_t outer_count,
                   sym_expr *outer, sym_expr *begin, sym_expr *span)
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

/* Steps of all loops in an index, what moves none of them last. */
static bool steps_of(loop_program *p, const loop_form *f, sym_expr index, sym_expr *steps)
{
    sym_expr rest = legal_index(p, f, index);
    for (uint32_t k = 0; k < f->count; k++)
        if (!sym_linear_in(p->symbols, rest, loop_axis(p, k), &steps[k], &rest)) return false;
    steps[f->count] = rest;
    return true;
}

/* Do the loops that some step of a is for have the same steps and extents in b? */
static bool has_loops_of(sym_table *t, const loop_form *a, const sym_expr *steps_a,
                         const loop_form *b, const sym_expr *steps_b, uint32_t outer_count)
{
    bool taken[LOOP_MAX_AXES] = {false};
    for (uint32_t k = outer_count; k < a->count; k++) {
        uint32_t j = outer_count;
        if (sym_same(steps_a[k], sym_int(t, 0))) continue;
        while (j < b->count && (taken[j] || !sym_same(steps_a[k], steps_b[j]) ||
                                !sym_same(a->extents[k], b->extents[j])))
            j++;
        if (j == b->count) return false;
        taken[j] = true;
    }
    return true;
}

/* Rows between those of other outer iterations, as columns of a matrix are: the same elements, each of one
 * iteration. */
static bool has_same_elements(loop_program *p, const loop_form *writer, sym_expr store,
                              const loop_form *reader, sym_expr load, uint32_t outer_count)
{
    sym_table *t = p->symbols;
    sym_expr a[LOOP_MAX_AXES + 1], b[LOOP_MAX_AXES + 1];
    if (!steps_of(p, writer, store, a) || !steps_of(p, reader, load, b)) return false;
    for (uint32_t k = 0; k < outer_count; k++)
        if (!sym_same(a[k], b[k])) return false;
    return sym_same(a[writer->count], b[reader->count]) && legal_is_injective(p, writer, store) &&
           has_loops_of(t, writer, a, reader, b, outer_count) &&
           has_loops_of(t, reader, b, writer, a, outer_count);
}

bool legal_same_row(loop_program *p, const loop_form *writer, sym_expr store,
                    const loop_form *reader, sym_expr load, uint32_t outer_count)
{
    if (has_same_elements(p, writer, store, reader, load, outer_count)) return true;
    sym_table *t = p->symbols;
    sym_expr a[LOOP_MAX_AXES], b[LOOP_MAX_AXES], begin_a, begin_b, span_a, span_b;
    if (!window(p, writer, store, outer_count, a, &begin_a, &span_a)) return false;
    if (!window(p, reader, load, outer_count, b, &begin_b, &span_b)) return false;
    for (uint32_t k = 0; k < outer_count; k++)
        if (!sym_same(a[k], b[k])) return false;
    /* The reader stays inside the writer's window, */
    if (!sym_known_less_equal(t, begin_a, begin_b, NULL)) return false;
    if (!sym_known_less_equal(t, sym_add(t, begin_b, span_b), sym_add(t, begin_a, span_a), NULL))
        return false;
    /* and windows of different outer iterations do not meet. */
    sym_expr reach = span_a;
    for (uint32_t k = outer_count; k-- > 0;) {
        if (!sym_known_less_equal(t, reach, a[k], NULL)) return false;
        reach = sym_mul(t, a[k], writer->extents[k]);
    }
    return true;
}

typedef struct overwrite_check {
    loop_program *p;
    const loop_form *n, *before;
    bool same_phase, legal;
    uint32_t outer_count;
} overwrite_check;

static void check_overwritten(void *data, loop_value v)
{
    overwrite_check *c = data;
    loop_program *p = c->p;
    const loop_node *load = loop_at(p, v);
    for (uint32_t k = 0; load->op == LOOP_LOAD && k < c->n->store_count && c->legal; k++) {
        const loop_store *st = &c->n->stores[k];
        if (st->buffer != load->buffer) continue;
        c->legal = c->same_phase
                       ? legal_same_index(p, c->n, st->index, c->before, load->index)
                       : legal_same_row(p, c->n, st->index, c->before, load->index, c->outer_count);
    }
}

bool legal_overwrite(loop_program *p, const loop_form *n, const loop_form *before, bool same_phase,
                     uint32_t outer_count)
{
    overwrite_check c = {p, n, before, same_phase, true, outer_count};
    for (uint32_t k = 0; k < before->store_count; k++)
        loop_each_store_node(p, &before->stores[k], check_overwritten, &c);
    return c.legal;
}

typedef struct meeting {
    loop_program *p;
    loop_buffer_id written;
    bool meets;
} meeting;

static void check_meeting(void *data, loop_value v)
{
    meeting *m = data;
    const loop_node *n = loop_at(m->p, v);
    if (n->op == LOOP_LOAD && n->buffer != m->written)
        m->meets |= loop_is_inside(m->p, n->buffer, m->written) ||
                    loop_is_inside(m->p, m->written, n->buffer);
}

static bool writes_what_is_read(loop_program *p, const loop_form *writer, const loop_form *reader)
{
    meeting m = {.p = p};
    for (uint32_t i = 0; i < writer->store_count; i++) {
        m.written = writer->stores[i].buffer;
        for (uint32_t k = 0; k < reader->store_count; k++)
            loop_each_store_node(p, &reader->stores[k], check_meeting, &m);
    }
    return m.meets;
}

bool legal_meet(loop_program *p, const loop_form *a, const loop_form *b)
{
    return writes_what_is_read(p, a, b) || writes_what_is_read(p, b, a);
}

/* ---- epilogues ---- */

/* Rows and columns of an extern's first output: element (row, column) at row * *stride + column.
 * False when it is not so. */
bool legal_output_rows(loop_program *p, const loop_op *op, sym_expr *rows, sym_expr *columns,
                       sym_expr *stride)
{
    sym_table *t = p->symbols;
    const loop_view *v = &op->outputs[0];
    uint32_t order[LOOP_MAX_AXES], count = 0;
    bool has_channels = loop_can(op, LOOP_CHANNELS);
    if (v->rank < 2 || v->rank > 5) return false;
    order[count++] = 0;
    for (uint32_t d = has_channels ? 2 : 1; d < v->rank; d++) order[count++] = d;
    if (has_channels) order[count++] = 1;
    int64_t one;
    uint32_t last = order[count - 1];
    *columns = v->sizes[last];
    if (!(sym_is_int(t, v->strides[last], &one) && one == 1)) return false;
    *rows = sym_int(t, 1);
    *stride = (sym_expr){0};
    sym_expr expected = {0};
    for (uint32_t k = count - 1; k-- > 0;) {
        uint32_t d = order[k];
        *rows = sym_mul(t, v->sizes[d], *rows);
        if (sym_is_int(t, v->sizes[d], &one) && one == 1) continue;
        if (sym_is_none(*stride)) *stride = expected = v->strides[d];
        if (!sym_same(v->strides[d], expected)) return false;
        expected = sym_mul(t, expected, v->sizes[d]);
    }
    if (sym_is_none(*stride)) *stride = *columns;
    return true;
}

bool legal_keeps_to_part(loop_program *p, const loop_form *n, sym_expr store)
{
    sym_expr step, rest;
    int64_t number;
    if (!sym_has_kind(p->symbols, store, SYM_INDIRECT)) return true;
    return n->count == 1 && sym_linear_in(p->symbols, store, loop_axis(p, 0), &step, &rest) &&
           sym_is_int(p->symbols, step, &number) && number != 0 &&
           !loop_uses_axis(p, loop_index(p, rest), loop_axis(p, 0));
}

/* Is this load the extern's own element (row, column)? */
bool legal_own_element(loop_program *p, const loop_op *op, const loop_form *n, sym_expr load,
                       sym_expr stride)
{
    sym_table *t = p->symbols;
    sym_expr row = sym_int(t, 0);
    for (uint32_t k = 0; k + 1 < n->count; k++)
        row = sym_add(t, sym_mul(t, row, n->extents[k]), loop_axis(p, k));
    sym_expr own = sym_add(t, sym_mul(t, row, stride), loop_axis(p, n->count - 1));
    return sym_same(sym_add(t, own, op->outputs[0].offset), load);
}
