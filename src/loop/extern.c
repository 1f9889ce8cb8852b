/* extern.c -- the rows of extern.def as answers. */
#include "loop/operator.h"
#include "loop/signature.h"

#include <string.h>

#define NEED(f) .need = need_##f,
#define FIT(f) .fit = fit_##f,
#define MACS(f) .macs = macs_##f,
#define BELOW(f) .below = below_##f,
#define PACKS(kind) .packs = LOOP_PACKS_##kind,
#define REFERENCE(f) .reference = reference_##f,
#define CAN(traits) .can = traits,

enum {
    EPILOGUE = LOOP_EPILOGUE,
    ANY_STRIDES = LOOP_ANY_STRIDES,
    REPEATABLE = LOOP_REPEATABLE,
    MOVES = LOOP_MOVES,
    USERS = LOOP_USERS,
    TABLES = LOOP_TABLES,
    CHANNELS = LOOP_CHANNELS,
    TYPED = LOOP_TYPED
};

static const loop_operator ROWS[] = {
#define ROW(operator, contract, lapack, ...) \
    {.name = #operator, .signature = contract, .calls_lapack = lapack, .help = __VA_ARGS__},
#define EXTERN(operator, contract, ...) ROW(operator, contract, false, __VA_ARGS__)
#define EXTERN_LAPACK(operator, contract, ...) ROW(operator, contract, true, __VA_ARGS__)
#define EXTERN_USERS(operator, contract, ...) ROW(operator, contract, false, __VA_ARGS__)
#include "loop/extern.def"
#undef EXTERN
#undef EXTERN_LAPACK
#undef EXTERN_USERS
};

const loop_operator *loop_operator_of(const char *kernel)
{
    for (size_t k = 0; kernel && k < COUNT_OF(ROWS); k++)
        if (strcmp(ROWS[k].name, kernel) == 0) return &ROWS[k];
    return NULL;
}

static const loop_operator *called_by(const loop_op *op)
{
    return op->kind == LOOP_EXTERN ? loop_operator_of(op->kernel) : NULL;
}

bool loop_extern_known(const char *kernel)
{
    return loop_operator_of(kernel) != NULL;
}

bool loop_extern_needs_lapack(const char *kernel)
{
    const loop_operator *row = loop_operator_of(kernel);
    return row && row->calls_lapack;
}

bool loop_can(const loop_op *op, loop_trait trait)
{
    const loop_operator *row = called_by(op);
    return row && (row->can & trait);
}

sym_expr loop_macs_of_element(const loop_program *p, const loop_op *op)
{
    const loop_operator *row = called_by(op);
    return row && row->macs ? row->macs(p, op) : sym_int(p->symbols, 1);
}

bool loop_is_addend(const loop_op *op, uint32_t input)
{
    const loop_operator *row = op->callee ? NULL : loop_operator_of(op->kernel);
    if (!row) return false;
    sig_operand operand;
    return sig_read_input(row->signature, input, &operand) && operand.may_be_left_out;
}

bool loop_needs_unit_stride(const char *kernel, uint32_t input)
{
    sig_operand operand;
    return sig_read_input(loop_operator_of(kernel)->signature, input, &operand) &&
           operand.layout == SIG_UNIT;
}
