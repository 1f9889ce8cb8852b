/* pack.c -- which weights are re-laid when the program is compiled. */
#include "loop/operator.h"

static bool are_numbers(const loop_program *p, const sym_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!sym_is_int(p->symbols, list[i], NULL)) return false;
    return true;
}

static bool has_packed_dtype(loop_packing kind, ty_dtype d)
{
    if (kind == LOOP_PACKS_INTEGERS) return d == TY_I8;
    if (kind == LOOP_PACKS_HALVES) return d == TY_F16 || d == TY_BF16;
    if (kind == LOOP_PACKS_KERNEL && d == TY_BF16) return true;
    return d == TY_F32 || (d == TY_F64 && kind != LOOP_PACKS_TRANSFORMED);
}

loop_packing loop_can_pack(const loop_program *p, const loop_op *op, uint32_t operand)
{
    const loop_view *v = &op->inputs[operand];
    const loop_operator *row = loop_operator_of(op->kernel);
    loop_windows windows;
    if (operand != 1 || !row || v->buffer == LOOP_NO_BUFFER ||
        !has_packed_dtype(row->packs, v->dtype) || !sym_is_int(p->symbols, v->offset, NULL) ||
        !are_numbers(p, v->sizes, v->rank) || !are_numbers(p, v->strides, v->rank))
        return LOOP_PACKS_NOTHING;
    bool fits = v->rank == 2;
    if (row->packs == LOOP_PACKS_INTEGERS) fits &= are_numbers(p, op->ints, op->int_count);
    if (row->packs == LOOP_PACKS_KERNEL)
        fits = !loop_windows_of(p, op, &windows) && v->rank == windows.spatial + 2 &&
               are_numbers(p, op->ints, op->int_count);
    if (row->packs == LOOP_PACKS_TRANSFORMED)
        fits = v->rank == 4 && loop_known_int(p, op, "tile", NULL);
    return fits ? row->packs : LOOP_PACKS_NOTHING;
}
