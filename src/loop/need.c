/* need.c -- what runtime operators work in beside their operands: how much of it all threads of a call
 * share, and how much each of them has to itself, as functions of the operands' shapes.
 *
 * An operator may take one path or another, by instruction set, number of threads or strides: this is
 * the most of what it may come to. rt/rt_need.h has the numbers that both sides go by; the runtime
 * looks at each request, and with sanitizers a run fails that asks for more. A family of operators is a
 * file need_*.c.
 */
#include "loop/need_priv.h"

#include "../rt/rt_need.h"

sym_expr need_number(const needing *n, int64_t value)
{
    return sym_int(n->t, value);
}

sym_expr need_times(const needing *n, sym_expr a, sym_expr b)
{
    return sym_mul(n->t, a, b);
}

sym_expr need_bytes(const needing *n, sym_expr count, int64_t each)
{
    return sym_mul_int(n->t, count, each);
}

sym_expr need_up_to(const needing *n, sym_expr e, int64_t unit)
{
    return sym_mul_int(n->t, sym_ceildiv(n->t, e, need_number(n, unit)), unit);
}

sym_expr need_lines(const needing *n, sym_expr e)
{
    return need_up_to(n, e, RT_LINE);
}

sym_expr need_least(const needing *n, sym_expr a, int64_t b)
{
    return sym_min(n->t, a, need_number(n, b));
}

sym_expr need_most(const needing *n, sym_expr a, int64_t b)
{
    return sym_max(n->t, a, need_number(n, b));
}

sym_expr need_over(const needing *n, int64_t a, sym_expr b)
{
    return sym_floordiv(n->t, need_number(n, a), need_most(n, b, 1));
}

bool need_is(const needing *n, sym_expr e, int64_t value)
{
    int64_t known;
    return sym_is_int(n->t, e, &known) && known == value;
}

bool need_may_be(const needing *n, sym_expr e, int64_t from, int64_t to)
{
    int64_t min, max;
    sym_range(n->t, e, NULL, &min, &max);
    return min <= to && max >= from;
}

bool need_has(const needing *n, uint32_t inputs, uint32_t rank)
{
    if (n->op->input_count < inputs || !n->op->output_count) return false;
    for (uint32_t i = 0; i < inputs; i++)
        if (n->op->inputs[i].rank < rank) return false;
    return true;
}

void need_share(needing *n, sym_expr more)
{
    n->out.shared = sym_add(n->t, n->out.shared, need_lines(n, more));
}

void need_give_each(needing *n, sym_expr more)
{
    n->out.each = sym_add(n->t, n->out.each, need_lines(n, more));
}

sym_expr need_int(const needing *n, const char *name)
{
    int32_t at = loop_int_place(n->op, name);
    return at < 0 ? need_number(n, 0) : n->op->ints[at];
}

int64_t need_real(const needing *n)
{
    return n->op->outputs[0].dtype == TY_F64 ? 8 : NEED_FLOAT;
}

sym_expr need_panels(const needing *n, sym_expr columns, sym_expr depth)
{
    return need_bytes(n, need_times(n, need_up_to(n, columns, RT_PANEL), depth), need_real(n));
}

bool need_is_packed(const needing *n, uint32_t operand)
{
    loop_buffer_id id = n->op->inputs[operand].buffer;
    return id != LOOP_NO_BUFFER && n->p->buffers.at[id].kind == LOOP_CONSTANT &&
           loop_can_pack(n->p, n->op, operand) != LOOP_PACKS_NOTHING;
}

void need_split(needing *n, sym_expr rows, sym_expr columns, sym_expr depth)
{
    if (need_real(n) != NEED_FLOAT || !need_may_be(n, rows, RT_AMX_LEAST_ROWS, INT64_MAX) ||
        !need_may_be(n, columns, RT_AMX_LEAST, INT64_MAX) ||
        !need_may_be(n, depth, RT_AMX_LEAST, INT64_MAX))
        return;
    sym_expr lines = need_up_to(n, need_least(n, rows, RT_AMX_ROWS), RT_PANEL),
             steps = need_up_to(n, need_least(n, depth, RT_AMX_DEPTH), RT_PANEL);
    need_give_each(n, need_bytes(n, need_times(n, sym_add_int(n->t, lines, RT_PANEL), steps),
                                 RT_AMX_STEP_BYTES));
}

loop_need loop_need_of(const loop_program *p, const loop_op *op)
{
    needing n = {.p = p, .t = p->symbols, .op = op};
    n.out.shared = n.out.each = sym_int(n.t, 0);
    const loop_operator *row = op->kind == LOOP_EXTERN ? loop_operator_of(op->kernel) : NULL;
    if (row && row->need) row->need(&n);
    return n.out;
}

int64_t loop_scratch_stride(int64_t each)
{
    return (int64_t)rt_area_stride((size_t)each);
}
