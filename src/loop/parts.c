/* parts.c -- buffers that are pieces of others: where they lie, and that no two who write into one
 * buffer write the same element.
 *
 * What is written, be it a part or the store of a nest, is a box of strides. Boxes are disjoint when
 * their ranges are; or, for some row length R, when within one row their ranges are, all strides
 * that leave the row being multiples of R (columns of a concatenation along an inner dimension).
 */
#include "loop/loop_priv.h"

loop_buffer_id loop_whole_of(const loop_program *p, loop_buffer_id b, sym_expr *at)
{
    sym_expr sum = sym_int(p->symbols, 0);
    for (; p->buffers.at[b].part; b = p->buffers.at[b].part->whole)
        sum = sym_add(p->symbols, sum, p->buffers.at[b].part->at);
    if (at) *at = sum;
    return b;
}

bool loop_is_inside(const loop_program *p, loop_buffer_id b, loop_buffer_id whole)
{
    while (p->buffers.at[b].part) {
        b = p->buffers.at[b].part->whole;
        if (b == whole) return true;
    }
    return false;
}

typedef struct box {
    sym_expr at;
    uint32_t rank;
    sym_expr extents[TY_MAX_RANK], strides[TY_MAX_RANK];
} box;
typedef VEC(box) box_list;

static bool is_number(const loop_program *p, sym_expr e, int64_t wanted)
{
    int64_t value;
    return sym_is_int(p->symbols, e, &value) && value == wanted;
}

/* False when the box holds nothing. */
static bool add_dimension(const loop_program *p, box *b, sym_expr extent, sym_expr stride)
{
    if (is_number(p, extent, 0)) return false;
    if (is_number(p, extent, 1) || b->rank == TY_MAX_RANK) return true;
    b->extents[b->rank] = extent;
    b->strides[b->rank++] = stride;
    return true;
}

/* What a nest's store reaches; false when that is no box. *empty: it reaches nothing. */
static bool box_of_store(loop_program *p, const loop_op *op, const loop_store *st, box *out,
                         bool *empty)
{
    sym_expr stride;
    *out = (box){.at = st->index};
    *empty = false;
    for (uint32_t k = 0; k < op->axes; k++) {
        if (!sym_linear_in(p->symbols, out->at, loop_axis(p, k), &stride, &out->at)) return false;
        *empty |= !add_dimension(p, out, op->extents[k], stride);
    }
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        if (sym_contains(p->symbols, out->at, loop_reduce_axis(p, k))) return false;
    return st->mode == LOOP_SET;
}

/* Collects what is written straight into `whole`; false when some of it is no box. */
static bool boxes_of(loop_program *p, loop_buffer_id whole, const uint32_t *writers, uint32_t count,
                     box_list *out)
{
    bool fine = true, empty;
    for (uint32_t i = 0; i < count && fine; i++) {
        const loop_op *op = &p->ops.at[writers[i]];
        fine = op->kind == LOOP_NEST;
        for (uint32_t k = 0; k < op->store_count && fine; k++) {
            box b;
            if (op->stores[k].buffer != whole) continue;
            fine = box_of_store(p, op, &op->stores[k], &b, &empty);
            if (fine && !empty) vec_push(p->memory, out, b);
        }
    }
    return fine;
}

static bool box_of_part(loop_program *p, const loop_buffer *part, box *out)
{
    bool full = true;
    *out = (box){.at = part->part->at};
    for (uint32_t d = 0; d < part->rank; d++)
        full &= add_dimension(p, out, part->sizes[d], part->strides[d]);
    return full;
}

/* ---- disjoint boxes ---- */

typedef struct range {
    sym_expr low, high; /* [low, high) */
} range;

/* The box's range within one row; without `row`, its whole range. */
static bool range_in_row(loop_program *p, const box *b, sym_expr row, range *out)
{
    sym_table *t = p->symbols;
    sym_expr zero = sym_int(t, 0);
    *out = (range){b->at, sym_add_int(t, b->at, 1)};
    for (uint32_t k = 0; k < b->rank; k++) {
        bool leaves = !sym_is_none(row) && (sym_same(b->strides[k], row) ||
                                            sym_known_divisible(t, b->strides[k], row, NULL));
        if (leaves) continue;
        if (!sym_known_less_equal(t, zero, b->strides[k], NULL)) return false;
        out->high =
            sym_add(t, out->high, sym_mul(t, b->strides[k], sym_add_int(t, b->extents[k], -1)));
    }
    return sym_is_none(row) || (sym_known_less_equal(t, zero, out->low, NULL) &&
                                sym_known_less_equal(t, out->high, row, NULL));
}

/* Puts the last of the ranges in its place; false when it meets one of them, or may. */
static bool sort_in(loop_program *p, range *ranges, uint32_t last)
{
    range now = ranges[last];
    uint32_t at = last;
    while (at && !sym_known_less_equal(p->symbols, ranges[at - 1].high, now.low, NULL)) {
        if (!sym_known_less_equal(p->symbols, now.high, ranges[at - 1].low, NULL)) return false;
        ranges[at] = ranges[at - 1];
        at--;
    }
    ranges[at] = now;
    return true;
}

static bool are_disjoint(loop_program *p, const box_list *boxes, sym_expr row, range *ranges)
{
    for (uint32_t i = 0; i < boxes->count; i++)
        if (!range_in_row(p, &boxes->at[i], row, &ranges[i]) || !sort_in(p, ranges, i))
            return false;
    return true;
}

bool loop_writes_disjoint(loop_program *p, loop_buffer_id whole, const uint32_t *writers,
                          uint32_t writer_count, const loop_buffer_id *parts, uint32_t part_count,
                          arena *memory)
{
    box_list boxes = {0};
    if (!boxes_of(p, whole, writers, writer_count, &boxes)) return false;
    for (uint32_t i = 0; i < part_count; i++) {
        box b;
        if (box_of_part(p, &p->buffers.at[parts[i]], &b)) vec_push(p->memory, &boxes, b);
    }
    if (boxes.count < 2) return true;
    range *ranges = NEW_ARRAY(memory, range, boxes.count);
    if (are_disjoint(p, &boxes, (sym_expr){0}, ranges)) return true;
    for (uint32_t k = 0; k < boxes.at[0].rank; k++)
        if (are_disjoint(p, &boxes, boxes.at[0].strides[k], ranges)) return true;
    for (uint32_t k = 0; k < boxes.at[1].rank; k++)
        if (are_disjoint(p, &boxes, boxes.at[1].strides[k], ranges)) return true;
    return false;
}

/* ---- law L8 ---- */

typedef VEC(uint32_t) id_list;

static const char *misplaced(const loop_program *p, loop_buffer_id b)
{
    const loop_buffer *buffer = &p->buffers.at[b], *whole = &p->buffers.at[buffer->part->whole];
    sym_expr end = sym_add(p->symbols, buffer->part->at, buffer->elements);
    int64_t reached, elements, at;
    if (buffer->kind != LOOP_TEMP || whole->kind != LOOP_TEMP || buffer->dtype != whole->dtype)
        return "a part is not of its whole's kind";
    loop_buffer_id up = b;
    for (uint32_t steps = 0; p->buffers.at[up].part && steps <= p->buffers.count; steps++)
        up = p->buffers.at[up].part->whole;
    if (p->buffers.at[up].part) return "a part is inside itself";
    if (sym_is_int(p->symbols, buffer->part->at, &at) && at < 0) return "a part begins too early";
    if (sym_is_int(p->symbols, end, &reached) &&
        sym_is_int(p->symbols, whole->elements, &elements) && reached > elements)
        return "a part reaches beyond its whole";
    return NULL;
}

static void collect_writers(loop_program *p, id_list *writers)
{
    for (uint32_t k = 0; k < p->ops.count; k++) {
        const loop_op *op = &p->ops.at[k];
        for (uint32_t i = 0; i < op->store_count; i++) {
            id_list *list = &writers[op->stores[i].buffer];
            if (!list->count || vec_last(list) != k) vec_push(p->memory, list, k);
        }
        for (uint32_t i = 0; i < op->output_count; i++)
            if (op->outputs[i].buffer != LOOP_NO_BUFFER)
                vec_push(p->memory, &writers[op->outputs[i].buffer], k);
    }
}

loop_buffer_id loop_misplaced_part(loop_program *p, const char **why)
{
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        *why = p->buffers.at[b].part ? misplaced(p, b) : NULL;
        if (*why) return b;
    }
    return LOOP_NO_BUFFER;
}

loop_buffer_id loop_meeting_part(loop_program *p)
{
    id_list *parts = NULL, *writers;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        if (!p->buffers.at[b].part) continue;
        if (!parts) parts = NEW_ARRAY(p->memory, id_list, p->buffers.count + 1);
        vec_push(p->memory, &parts[p->buffers.at[b].part->whole], b);
    }
    if (!parts) return LOOP_NO_BUFFER;
    writers = NEW_ARRAY(p->memory, id_list, p->buffers.count + 1);
    collect_writers(p, writers);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (parts[b].count && !loop_writes_disjoint(p, b, writers[b].at, writers[b].count,
                                                    parts[b].at, parts[b].count, p->memory))
            return b;
    return LOOP_NO_BUFFER;
}
