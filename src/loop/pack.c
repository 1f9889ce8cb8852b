/* pack.c -- which weights are re-laid when the program is compiled. */
#include "loop/loop_priv.h"

#include <string.h>

static bool are_numbers(const loop_program *p, const sym_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!sym_is_int(p->symbols, list[i], NULL)) return false;
    return true;
}

bool loop_can_pack(const loop_program *p, const loop_op *op, uint32_t operand)
{
    const loop_view *v = &op->inputs[operand];
    bool is_gemm = strcmp(op->kernel, "gemm") == 0, is_conv = strcmp(op->kernel, "conv") == 0;
    if (operand != 1 || (!is_gemm && !is_conv) || v->buffer == LOOP_NO_BUFFER ||
        v->dtype != TY_F32 || !sym_is_int(p->symbols, v->offset, NULL) ||
        !are_numbers(p, v->sizes, v->rank) || !are_numbers(p, v->strides, v->rank))
        return false;
    if (is_gemm) return v->rank == 2;
    return v->rank >= 3 && v->rank <= 5 && op->int_count >= 4 + 4 * (v->rank - 2) &&
           are_numbers(p, op->ints, op->int_count);
}
