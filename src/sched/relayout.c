/* relayout.c -- a buffer laid out anew, with gaps between its rows: every index and view of it is
 * rewritten.
 *
 * An index is taken apart into the digits of the old layout by division and remainder. Where these
 * do not vanish under the ranges of the nest's axes, the move is refused. The lower digits are then
 * in range for every point of the nest, and the highest is wherever the access is within the buffer
 * at all, so accesses that a mask guards stay right.
 */
#include "sched/relayout.h"

sym_expr relayout_elements(loop_program *p, const layout_map *m)
{
    sym_expr last = sym_int(p->symbols, 1);
    for (uint32_t k = 0; k < m->count; k++)
        last =
            sym_add(p->symbols, last,
                    sym_mul(p->symbols, sym_add_int(p->symbols, m->extent[k], -1), m->stride[k]));
    return last;
}

/* ---- indices ---- */

static uint32_t divisions(const sym_table *t, sym_expr e)
{
    sym_op op = sym_op_of(t, e);
    uint32_t count = op == SYM_FLOORDIV || op == SYM_MOD;
    if (op == SYM_CONST || op == SYM_SYMBOL) return 0;
    for (uint32_t i = 0; i < sym_arg_count(t, e); i++) count += divisions(t, sym_arg(t, e, i));
    return count;
}

/* The index after the move; false when it got harder. */
static bool map_index(loop_program *p, const layout_map *m, sym_expr index, const sym_env *env,
                      sym_expr *out)
{
    sym_table *t = p->symbols;
    sym_expr rest = index;
    *out = sym_int(t, 0);
    for (uint32_t k = m->count; k-- > 1;) {
        sym_expr digit = sym_simplify(t, sym_floordiv(t, rest, m->unit[k]), env);
        rest = sym_simplify(t, sym_mod(t, rest, m->unit[k]), env);
        *out = sym_add(t, *out, sym_mul(t, digit, m->stride[k]));
    }
    *out = sym_add(t, *out, sym_mul(t, rest, m->stride[0]));
    return divisions(t, *out) <= divisions(t, index);
}

static sym_env env_of(loop_program *p, const loop_op *op, sym_bound *room)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < op->axes; k++)
        room[count++] = (sym_bound){loop_axis(p, k), op->extents[k]};
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        room[count++] = (sym_bound){loop_reduce_axis(p, k), op->reduce_extents[k]};
    return (sym_env){room, count};
}

/* ---- nests ---- */

typedef struct nest_move {
    loop_program *p;
    const layout_map *m;
    loop_buffer_id buffer;
    sym_env env;
    bool fine;
} nest_move;

static void check_load(void *data, loop_value v)
{
    nest_move *move = data;
    const loop_node *n = loop_at(move->p, v);
    sym_expr index;
    if (n->op == LOOP_LOAD && n->buffer == move->buffer && move->fine)
        move->fine = map_index(move->p, move->m, n->index, &move->env, &index);
}

static bool can_move_nest(loop_program *p, const layout_map *m, loop_buffer_id b, const loop_op *op)
{
    sym_bound room[2 * LOOP_MAX_AXES];
    nest_move move = {p, m, b, env_of(p, op, room), true};
    sym_expr index;
    for (uint32_t i = 0; i < op->store_count && move.fine; i++) {
        loop_each_store_node(p, &op->stores[i], check_load, &move);
        if (op->stores[i].buffer == b)
            move.fine &= map_index(p, m, op->stores[i].index, &move.env, &index);
    }
    return move.fine;
}

static loop_value moved_load(void *data, loop_program *p, sym_expr index)
{
    nest_move *move = data;
    map_index(p, move->m, index, &move->env, &index);
    return loop_load(p, move->buffer, index);
}

/* An index whose looked-up parts read the buffer. */
static sym_expr move_behind(nest_move *move, sym_expr index)
{
    loop_buffer_id other = move->buffer ? 0 : 1; /* any but it: the load is not kept */
    if (other >= move->p->buffers.count) return index;
    loop_value load = loop_load(move->p, other, index);
    load = loop_replace_loads(move->p, load, move->buffer, moved_load, move);
    return loop_at(move->p, load)->index;
}

static void move_nest(loop_program *p, const layout_map *m, loop_buffer_id b, loop_op *op)
{
    sym_bound room[2 * LOOP_MAX_AXES];
    nest_move move = {p, m, b, env_of(p, op, room), true};
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_store *st = &op->stores[i];
        st->value = loop_replace_loads(p, st->value, b, moved_load, &move);
        st->index = move_behind(&move, st->index);
        if (st->buffer == b) map_index(p, m, st->index, &move.env, &st->index);
    }
}

/* ---- views ---- */

static bool map_strides(loop_program *p, const layout_map *m, uint32_t rank, const sym_expr *sizes,
                        sym_expr *strides, sym_expr *offset)
{
    sym_bound room[TY_MAX_RANK];
    sym_table *t = p->symbols;
    sym_expr index = *offset;
    if (rank > LOOP_MAX_AXES) return false;
    for (uint32_t d = 0; d < rank; d++) {
        room[d] = (sym_bound){loop_axis(p, d), sizes[d]};
        index = sym_add(t, index, sym_mul(t, strides[d], loop_axis(p, d)));
    }
    sym_env env = {room, rank};
    if (!map_index(p, m, index, &env, &index)) return false;
    for (uint32_t d = 0; d < rank; d++) {
        sym_expr stride;
        int64_t one;
        if (!sym_linear_in(t, index, loop_axis(p, d), &stride, &index)) return false;
        if (!sym_is_int(t, sizes[d], &one) || one != 1) strides[d] = stride;
    }
    *offset = index;
    return true;
}

static bool map_view(loop_program *p, const layout_map *m, loop_buffer_id b, loop_view *v)
{
    if (v->buffer != b) return true;
    sym_expr *strides = arena_copy(p->memory, v->strides, v->rank * sizeof *strides);
    if (v->dtype != p->buffers.at[b].dtype ||
        !map_strides(p, m, v->rank, v->sizes, strides, &v->offset))
        return false;
    v->strides = strides;
    return true;
}

static bool map_views(loop_program *p, const layout_map *m, loop_buffer_id b, loop_view *views,
                      uint32_t count, bool keep)
{
    for (uint32_t i = 0; i < count; i++) {
        loop_view moved = views[i];
        if (!map_view(p, m, b, &moved)) return false;
        if (keep) views[i] = moved;
    }
    return true;
}

static bool move_op(loop_program *p, const layout_map *m, loop_buffer_id b, loop_op *op, bool keep)
{
    if (op->kind == LOOP_NEST) {
        if (keep) move_nest(p, m, b, op);
        return keep || can_move_nest(p, m, b, op);
    }
    return loop_can(op, LOOP_ANY_STRIDES) &&
           map_views(p, m, b, op->inputs, op->input_count, keep) &&
           map_views(p, m, b, op->outputs, op->output_count, keep);
}

/* ---- the buffer ---- */

/* Reads and writes of one op stand next to each other in the list. */
static bool is_new_op(const use_list *uses, uint32_t i)
{
    return i == 0 || uses->at[i - 1].op != uses->at[i].op;
}

bool relayout_can(loop_program *p, const layout_map *m, loop_buffer_id b, const use_list *uses,
                  const bool *is_gone)
{
    loop_view whole = loop_view_of(p, b);
    if (!map_view(p, m, b, &whole)) return false;
    for (uint32_t i = 0; i < uses->count; i++)
        if (!is_gone[uses->at[i].op] && is_new_op(uses, i) &&
            !move_op(p, m, b, &p->ops.at[uses->at[i].op], false))
            return false;
    return true;
}

void relayout_apply(loop_program *p, const layout_map *m, loop_buffer_id b, const use_list *uses,
                    const bool *is_gone)
{
    loop_view whole = loop_view_of(p, b);
    map_view(p, m, b, &whole);
    for (uint32_t i = 0; i < uses->count; i++)
        if (!is_gone[uses->at[i].op] && is_new_op(uses, i))
            move_op(p, m, b, &p->ops.at[uses->at[i].op], true);
    p->buffers.at[b].strides = whole.strides;
    p->buffers.at[b].elements = relayout_elements(p, m);
}
