/* slices.c -- what is copied into a piece of another buffer is made there.
 *
 * Concatenation and stacking copy their operands, each into its slice. An operand that is a buffer
 * of its own, all of which goes into the slice, becomes a part of the result (loop_part): whoever
 * made it writes the slice, whoever reads it reads the slice, and the copy goes. Slices along an
 * inner dimension have gaps between their rows, so the operand is laid out anew (relayout.c), and
 * with it the raw result that a fused nest reads it from. The last results come first, so that
 * concatenations of concatenations end in one buffer.
 */
#include "sched/relayout.h"
#include "sched/sched_priv.h"

/* Rows of fewer bytes than a cache line are better copied. */
enum { LEAST_ROW_BYTES = 64 };

typedef struct slicer {
    loop_program *p;
    arena *memory;
    use_tables uses;
    const bool *refused; /* by buffer */
    bool *is_gone;       /* by op */
    uint8_t *is_whole;   /* by buffer: IS_DISJOINT, IS_NOT; 0: not asked yet */
    map definitions;     /* symbol -> the op that defines it */
    bool changed;
} slicer;
enum { IS_DISJOINT = 1, IS_NOT = 2 };

/* ---- which copies ---- */

/* An op that copies elements of one temp into another. */
static bool is_move(loop_program *p, const loop_op *op, loop_buffer_id *from, loop_buffer_id *to)
{
    if (op->kind != LOOP_NEST || op->store_count != 1 || op->reduce_axes) return false;
    const loop_store *st = &op->stores[0];
    const loop_node *n = loop_at(p, st->value);
    if (st->mode != LOOP_SET || st->reduce || n->op != LOOP_LOAD) return false;
    *from = n->buffer;
    *to = st->buffer;
    const loop_buffer *a = &p->buffers.at[*from], *b = &p->buffers.at[*to];
    return *from != *to && a->kind == LOOP_TEMP && b->kind == LOOP_TEMP && a->dtype == b->dtype;
}

static bool is_one(loop_program *p, sym_expr e)
{
    int64_t value;
    return sym_is_int(p->symbols, e, &value) && value == 1;
}

/* Is the slice known to lie inside? Where only an assertion of the run makes its sizes those of the result,
 * it stays a copy. */
static bool is_inside(loop_program *p, const layout_map *m, sym_expr at, loop_buffer_id to)
{
    sym_table *t = p->symbols;
    sym_expr end = sym_add_int(t, at, 1);
    for (uint32_t k = 0; k < m->count; k++)
        end = sym_add(t, end, sym_mul(t, sym_add_int(t, m->extent[k], -1), m->stride[k]));
    return sym_known_less_equal(t, end, p->buffers.at[to].elements, NULL);
}

/* The move as digits, when it takes all of `from` and nothing twice. *at: where in the result the
 * slice begins. */
static bool map_of(loop_program *p, const loop_op *op, loop_buffer_id from, sym_expr load,
                   layout_map *m, sym_expr *at)
{
    sym_table *t = p->symbols;
    sym_expr unit = sym_int(t, 1);
    sym_expr units[LOOP_MAX_AXES], strides[LOOP_MAX_AXES];
    uint32_t left = 0;
    int64_t zero;
    *at = op->stores[0].index;
    *m = (layout_map){0};
    for (uint32_t k = 0; k < op->axes; k++) {
        if (!sym_linear_in(t, load, loop_axis(p, k), &units[k], &load) ||
            !sym_linear_in(t, *at, loop_axis(p, k), &strides[k], at))
            return false;
        left += !is_one(p, op->extents[k]);
    }
    if (!sym_is_int(t, load, &zero) || zero != 0) return false;
    for (; left; left--) {
        uint32_t k = 0;
        while (k < op->axes && (is_one(p, op->extents[k]) || !sym_same(units[k], unit))) k++;
        if (k == op->axes) return false;
        uint32_t top = m->count - 1;
        if (m->count && sym_same(strides[k], sym_mul(t, m->stride[top], m->extent[top]))) {
            m->extent[top] = sym_mul(t, m->extent[top], op->extents[k]);
        } else {
            m->unit[m->count] = unit;
            m->extent[m->count] = op->extents[k];
            m->stride[m->count++] = strides[k];
        }
        unit = sym_mul(t, unit, op->extents[k]);
    }
    if (!m->count) {
        m->unit[0] = m->extent[0] = m->stride[0] = sym_int(t, 1);
        m->count = 1;
    }
    return sym_same(unit, p->buffers.at[from].elements) && is_one(p, m->stride[0]) &&
           is_inside(p, m, *at, op->stores[0].buffer);
}

static bool has_long_rows(const slicer *s, loop_buffer_id from, const layout_map *m)
{
    int64_t row;
    return m->count == 1 || (sym_is_int(s->p->symbols, m->extent[0], &row) &&
                             row * ty_dtype_size(s->p->buffers.at[from].dtype) >= LEAST_ROW_BYTES);
}

/* Is `to` made of slices alone, which do not meet, and read only when it is whole? */
static bool is_whole(slicer *s, loop_buffer_id to)
{
    if (s->is_whole[to]) return s->is_whole[to] == IS_DISJOINT;
    if (s->refused[to] || s->uses.crosses[to]) return false;
    const use_list *uses = &s->uses.of[to];
    VEC(uint32_t) writers = {0};
    bool read = false, fine = true;
    for (uint32_t i = 0; i < uses->count && fine; i++) {
        read |= !uses->at[i].is_write;
        fine = !(read && uses->at[i].is_write);
        if (uses->at[i].is_write) vec_push(s->memory, &writers, uses->at[i].op);
    }
    fine = fine && writers.count > 1 &&
           loop_writes_disjoint(s->p, to, writers.at, writers.count, NULL, 0, s->memory);
    s->is_whole[to] = fine ? IS_DISJOINT : IS_NOT;
    return fine;
}

/* Everything that is written into `from` is there when op `copy` reads it. */
static bool is_done_before(const slicer *s, loop_buffer_id from, uint32_t copy)
{
    const use_list *uses = &s->uses.of[from];
    for (uint32_t i = 0; i < uses->count; i++)
        if (uses->at[i].is_write && uses->at[i].op > copy) return false;
    return uses->count > 0 && uses->at[0].is_write;
}

/* ---- raw results ---- */

typedef struct raw_search {
    const slicer *s;
    uint32_t reader;
    sym_expr index; /* of the load; none: any */
    loop_buffer_id found;
    sym_expr found_index;
} raw_search;

/* Made by an extern call for this nest alone. */
static bool is_raw(const slicer *s, loop_buffer_id raw, uint32_t reader)
{
    const use_list *uses = &s->uses.of[raw];
    return s->p->buffers.at[raw].kind == LOOP_TEMP && !s->p->buffers.at[raw].part &&
           !s->uses.is_output[raw] && !s->uses.crosses[raw] && uses->count == 2 &&
           uses->at[0].is_write && s->p->ops.at[uses->at[0].op].kind == LOOP_EXTERN &&
           uses->at[1].op == reader;
}

static void find_raw(void *data, loop_value v)
{
    raw_search *search = data;
    const loop_node *n = loop_at(search->s->p, v);
    if (n->op != LOOP_LOAD || search->found != LOOP_NO_BUFFER ||
        (!sym_is_none(search->index) && !sym_same(n->index, search->index)) ||
        !is_raw(search->s, n->buffer, search->reader))
        return;
    search->found = n->buffer;
    search->found_index = n->index;
}

static raw_search raw_of(const slicer *s, uint32_t reader, const loop_store *st, sym_expr index)
{
    raw_search search = {.s = s, .reader = reader, .index = index, .found = LOOP_NO_BUFFER};
    loop_each_node(s->p, st->value, find_raw, &search);
    return search;
}

/* The raw result that `to` is computed from moves with it, so that it can be stored over it. To
 * share the slice of `whole`, it must not be made before the size of that is known. */
static void move_raw_results(slicer *s, const layout_map *m, loop_buffer_id to,
                             loop_buffer_id whole)
{
    const use_list *uses = &s->uses.of[to];
    for (uint32_t i = 0; i < uses->count; i++) {
        uint32_t k = uses->at[i].op;
        const loop_op *op = &s->p->ops.at[k];
        if (!uses->at[i].is_write || s->is_gone[k] || op->kind != LOOP_NEST) continue;
        for (uint32_t j = 0; j < op->store_count; j++) {
            if (op->stores[j].buffer != to) continue;
            loop_buffer_id raw = raw_of(s, k, &op->stores[j], op->stores[j].index).found;
            if (raw != LOOP_NO_BUFFER &&
                sym_same(s->p->buffers.at[raw].elements, s->p->buffers.at[to].elements) &&
                room_is_known(s->p, &s->definitions, whole, s->uses.of[raw].at[0].op) &&
                relayout_can(s->p, m, raw, &s->uses.of[raw], s->is_gone))
                relayout_apply(s->p, m, raw, &s->uses.of[raw], s->is_gone);
        }
    }
}

static void make_part(slicer *s, loop_buffer_id piece, loop_buffer_id whole, sym_expr at)
{
    loop_part *part = NEW(s->p->memory, loop_part);
    *part = (loop_part){whole, at};
    s->p->buffers.at[piece].part = part;
    s->changed = true;
}

/* A nest that computes a slice from a raw result stores it over that result, which moves to where
 * the slice is: the slice gets a name of its own, as a part. */
static void try_nest(slicer *s, uint32_t k)
{
    loop_program *p = s->p;
    const loop_op *op = &p->ops.at[k];
    layout_map m;
    sym_expr at;
    if (op->kind != LOOP_NEST || op->store_count != 1 || op->reduce_axes ||
        op->stores[0].mode != LOOP_SET || op->stores[0].reduce)
        return;
    loop_store *st = &op->stores[0];
    loop_buffer_id to = st->buffer;
    raw_search raw = raw_of(s, k, st, (sym_expr){0});
    if (raw.found == LOOP_NO_BUFFER || p->buffers.at[to].kind != LOOP_TEMP ||
        p->buffers.at[to].dtype != p->buffers.at[raw.found].dtype || !is_whole(s, to) ||
        !map_of(p, op, raw.found, raw.found_index, &m, &at) || !has_long_rows(s, raw.found, &m) ||
        !room_is_known_at(p, &s->definitions, to, at, s->uses.of[raw.found].at[0].op))
        return;
    if (m.count > 1) {
        if (!relayout_can(p, &m, raw.found, &s->uses.of[raw.found], s->is_gone)) return;
        relayout_apply(p, &m, raw.found, &s->uses.of[raw.found], s->is_gone);
    }
    loop_buffer slice = p->buffers.at[raw.found];
    slice.name = NULL;
    slice.origin = p->buffers.at[to].origin;
    loop_buffer_id piece = loop_add_buffer(p, slice);
    st->buffer = piece;
    st->index = sym_sub(p->symbols, st->index, at);
    make_part(s, piece, to, at);
}

/* ---- the pass ---- */

static bool try_copy(slicer *s, uint32_t copy)
{
    loop_program *p = s->p;
    loop_buffer_id from, to;
    layout_map m;
    sym_expr at;
    if (!is_move(p, &p->ops.at[copy], &from, &to) || s->uses.is_output[from] ||
        s->uses.crosses[from] || p->buffers.at[from].part ||
        !map_of(p, &p->ops.at[copy], from, loop_at(p, p->ops.at[copy].stores[0].value)->index, &m,
                &at) ||
        !has_long_rows(s, from, &m) || !is_done_before(s, from, copy) || !is_whole(s, to) ||
        !room_is_known_at(p, &s->definitions, to, at, s->uses.of[from].at[0].op))
        return false;
    s->is_gone[copy] = true;
    if (m.count > 1 && !relayout_can(p, &m, from, &s->uses.of[from], s->is_gone)) {
        s->is_gone[copy] = false;
        return false;
    }
    if (m.count > 1) {
        move_raw_results(s, &m, from, to);
        relayout_apply(p, &m, from, &s->uses.of[from], s->is_gone);
    }
    make_part(s, from, to, at);
    return true;
}

bool slice_joins(loop_program *p, const bool *refused)
{
    arena *memory = arena_new(p->session);
    slicer s = {.p = p,
                .memory = memory,
                .uses = uses_collect(p, memory),
                .refused = refused,
                .is_gone = NEW_ARRAY(memory, bool, p->ops.count + 1),
                .is_whole = NEW_ARRAY(memory, uint8_t, p->buffers.count + 1)};
    for (uint32_t k = 0; k < p->ops.count; k++)
        if (p->ops.at[k].kind == LOOP_DEFINE)
            map_set(memory, &s.definitions, p->ops.at[k].symbol.id, k);
    for (uint32_t k = p->ops.count; k-- > 0;)
        if (!try_copy(&s, k)) try_nest(&s, k);
    uses_remove_ops(p, s.is_gone);
    arena_free(memory);
    return s.changed;
}
