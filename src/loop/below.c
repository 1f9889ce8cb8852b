/* below.c -- what the places are less than that operators of the runtime write: rows, ranks, dimensions. */
#include "loop/operator.h"

/* Where elements stood along `dim`; the first output has the elements. */
sym_expr below_rank(const loop_program *p, const loop_op *op, uint32_t output, sym_expr at,
                    const sym_env *env)
{
    (void)at, (void)env;
    int64_t dim;
    bool known =
        output == 1 && loop_known_int(p, op, "dim", &dim) && dim >= 0 && dim < op->inputs[0].rank;
    return known ? op->inputs[0].sizes[dim] : (sym_expr){0};
}

sym_expr below_rows(const loop_program *p, const loop_op *op, uint32_t output, sym_expr at,
                    const sym_env *env)
{
    (void)p, (void)at, (void)env;
    return output < 2 ? op->inputs[0].sizes[0] : (sym_expr){0};
}

/* Behind the last edge too. */
sym_expr below_edges(const loop_program *p, const loop_op *op, uint32_t output, sym_expr at,
                     const sym_env *env)
{
    (void)output, (void)at, (void)env;
    const loop_view *edges = &op->inputs[0];
    if (!edges->rank) return (sym_expr){0};
    return sym_add_int(p->symbols, edges->sizes[edges->rank - 1], 1);
}

sym_expr below_pivots(const loop_program *p, const loop_op *op, uint32_t output, sym_expr at,
                      const sym_env *env)
{
    (void)p, (void)at, (void)env;
    const loop_view *out = &op->outputs[output];
    return out->sizes[out->rank - 1];
}

/* A column for each dimension, one behind the other. */
sym_expr below_dimensions(const loop_program *p, const loop_op *op, uint32_t output, sym_expr at,
                          const sym_env *env)
{
    sym_table *t = p->symbols;
    const loop_view *in = &op->inputs[0], *out = &op->outputs[output];
    int64_t fill;
    if (!loop_known_int(p, op, "fill", &fill) || fill != 0) return (sym_expr){0};
    if (in->rank == 1) return in->sizes[0];
    for (uint32_t k = 0; k < in->rank && !sym_is_none(at); k++) {
        sym_expr column = sym_add(t, out->offset, sym_mul_int(t, out->strides[1], k));
        sym_expr row = sym_sub(t, at, column), last = sym_add_int(t, out->sizes[0], -1);
        if (sym_known_less_equal(t, sym_int(t, 0), row, env) &&
            sym_known_less_equal(t, row, sym_mul(t, last, out->strides[0]), env))
            return in->sizes[k];
    }
    return (sym_expr){0};
}
