/* memory.c -- pointers, loads and stores. A pointer is an argument and an offset: elements
 * behind its first one. */
#include "lower/triton/triton.h"

#include <string.h>

fe_status triton_add_pointer(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t argument = t->values[op->operands[0]].argument,
             rank = triton_sizes(t, triton_type(t, op->result), sizes);
    loop_value a = triton_here(t, op, 0), b = triton_here(t, op, 1), sum;
    sym_expr x = triton_expr(t, a), y = triton_expr(t, b);
    if (!argument) return triton_fail(t, "to what is no pointer to an argument");
    if (!sym_is_none(x) && !sym_is_none(y))
        sum = loop_index(t->p, sym_add(t->s, x, y));
    else
        sum = loop_binary(t->p, LOOP_ADD, loop_cast(t->p, TY_I64, a), loop_cast(t->p, TY_I64, b));
    lower_tensor offset = lower_value(t->l, TY_I64, rank, sizes, sum);
    triton_set(t, op, 0, (triton_value){.t = offset, .argument = argument});
    return FE_OK;
}

loop_value triton_mask(triton *t, ttir_value mask)
{
    loop_value all = {0};
    if (mask) all = lower_here(t->l, triton_tensor(t, mask));
    if (!t->condition.t.box) return all;
    loop_value around = lower_at(t->l, t->condition.t, t->l->axes);
    return mask ? loop_binary(t->p, LOOP_AND, around, all) : around;
}

/* Where an offset that only the run knows leads; it is checked to be inside. */
static sym_expr looked_up(triton *t, const triton_memory *m, loop_value offset)
{
    const loop_buffer *b = &t->p->buffers.at[m->view.buffer];
    sym_expr room = sym_sub(t->s, b->elements, m->view.offset);
    return lower_lookup(t->l, offset, room, LOOP_ELEMENTS);
}

static bool is_static(const triton *t, sym_expr e)
{
    return !sym_has_kind(t->s, e, SYM_SIZE) && !sym_has_kind(t->s, e, SYM_UNBACKED);
}

bool triton_needs_check(const triton_axes *a, sym_expr e, sym_expr room)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_env env = triton_env(a, bounds);
    sym_table *s = a->t->s;
    bool is_inside = sym_known_less_equal(s, a->t->l->zero, e, &env) &&
                     sym_known_less_equal(s, sym_add_int(s, e, 1), room, &env);
    return !is_inside && is_static(a->t, e) && is_static(a->t, room);
}

/* What is in memory as what the pointer says that is there; the other way round. */
loop_value triton_reinterpreted(triton *t, ty_dtype d, loop_value v)
{
    ty_dtype held = loop_at(t->p, v)->dtype;
    if (held == d || (ty_is_integral(held, true) && ty_is_integral(d, true)))
        return loop_cast(t->p, d, v);
    return loop_make(t->p, (loop_node){.op = LOOP_BITCAST, .dtype = d, .args = {v}});
}

fe_status triton_read(triton *t, const ttir_op *op, const ttir_type *type, ttir_value mask_of,
                      ttir_value other_of, lower_tensor *out)
{
    uint32_t argument = t->values[op->operands[0]].argument;
    if (!argument) return triton_fail(t, "from what is no pointer to an argument");
    triton_memory *m = &t->memories[argument - 1];
    loop_value offset = triton_here(t, op, 0);
    loop_value mask = triton_mask(t, mask_of);
    sym_expr sizes[LOWER_MAX_RANK], e = triton_expr(t, offset);
    uint32_t rank = triton_sizes(t, type, sizes);
    triton_axes all = triton_axes_of(t, rank, sizes);
    sym_expr room = t->p->buffers.at[m->view.buffer].elements;
    bool is_open = sym_is_none(e) ||
                   (!mask.id && triton_needs_check(&all, sym_add(t->s, e, m->view.offset), room));
    if (is_open) e = looked_up(t, m, offset);
    loop_value v = triton_reinterpreted(
        t, type->dtype, loop_load(t->p, m->view.buffer, sym_add(t->s, m->view.offset, e)));
    loop_value other = loop_cast(t->p, type->dtype, loop_const_int(t->p, TY_I32, 0));
    if (other_of) other = lower_here(t->l, triton_tensor(t, other_of));
    if (mask.id) v = loop_masked(t->p, mask, v, other);
    *out = lower_value(t->l, type->dtype, rank, sizes, v);
    m->is_read |= !m->is_in_place;
    if (m->is_in_place) lower_realise(t->l, out->box, NULL);
    return FE_OK;
}

fe_status triton_load(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    lower_tensor x;
    FE_TRY(triton_read(t, op, triton_type(t, op->result),
                       op->operand_count > 1 ? op->operands[1] : 0,
                       op->operand_count > 2 ? op->operands[2] : 0, &x));
    triton_give_tensor(t, op, x);
    return FE_OK;
}

fe_status triton_write_to(triton *t, const ttir_op *op, loop_value value, ttir_value mask,
                          loop_store_mode mode)
{
    sym_expr sizes[LOWER_MAX_RANK];
    const ttir_type *type = triton_type(t, op->operands[0]);
    uint32_t argument = t->values[op->operands[0]].argument, rank = triton_sizes(t, type, sizes);
    if (!argument) return triton_fail(t, "to what is no pointer to an argument");
    return triton_write(t, &t->memories[argument - 1], rank, sizes, triton_here(t, op, 0), value,
                        triton_mask(t, mask), mode);
}

fe_status triton_store(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    return triton_write_to(t, op, triton_here(t, op, 1),
                           op->operand_count > 2 ? op->operands[2] : 0, LOOP_SET);
}
