/* macs.c -- multiply-adds that operators of the runtime take for an element of their first output. */
#include "loop/operator.h"

sym_expr macs_product(const loop_program *p, const loop_op *op)
{
    (void)p;
    return op->inputs[0].sizes[op->inputs[0].rank - 1];
}

/* The taps of all channels of a group. */
sym_expr macs_windows(const loop_program *p, const loop_op *op)
{
    const loop_view *weight = &op->inputs[1];
    return sym_product(p->symbols, weight->sizes + 1, weight->rank - 1);
}

/* The positions of a patch of the input, for each of the pixels that come of them. */
sym_expr macs_tiles(const loop_program *p, const loop_op *op)
{
    int64_t tile = 1;
    loop_known_int(p, op, "tile", &tile);
    sym_expr positions = sym_mul_int(p->symbols, op->inputs[0].sizes[1], (tile + 2) * (tile + 2));
    return sym_floordiv(p->symbols, positions, sym_int(p->symbols, tile * tile));
}

/* The pixels of all images. */
sym_expr macs_pixels(const loop_program *p, const loop_op *op)
{
    const loop_view *grad = &op->inputs[1];
    return sym_mul(p->symbols, grad->sizes[0],
                   sym_product(p->symbols, grad->sizes + 2, grad->rank - 2));
}

/* Scores and sums: all keys, twice. */
sym_expr macs_attention(const loop_program *p, const loop_op *op)
{
    return sym_mul_int(p->symbols, op->inputs[1].sizes[2], 2);
}
