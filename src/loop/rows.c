/* rows.c -- the rows of value.def as answers, and the words of the text form. */
#include "loop/loop_priv.h"

#include <string.h>

typedef struct value_row {
    const char *name;
    uint8_t operands;
    uint8_t rule;
    int32_t scalar, vector; /* costs */
} value_row;

enum { EACH = -1, CHEAP = LOOP_CHEAP };

static const value_row ROWS[LOOP_OPCODE_COUNT] = {
    [LOOP_NOTHING] = {"nothing", 0, LOOP_RULE_STATED, 0, 0},
#define VALUE(id, name, operands, result, folds, scalar, vector) \
    [LOOP_##id] = {name, operands, LOOP_RULE_##result, scalar, vector},
#include "loop/value.def"
#undef VALUE
};

const char *loop_opcode_name(loop_opcode op)
{
    return ROWS[op].name;
}

uint32_t loop_operand_count(loop_opcode op)
{
    return ROWS[op].operands;
}

int64_t loop_opcode_cost(loop_opcode op, int64_t lanes)
{
    if (lanes == 1) return ROWS[op].scalar;
    return ROWS[op].vector == EACH ? ROWS[op].scalar * lanes : ROWS[op].vector;
}

loop_result_rule loop_opcode_rule(loop_opcode op)
{
    return (loop_result_rule)ROWS[op].rule;
}

bool loop_opcode_parse(const char *name, loop_opcode *out)
{
    for (uint32_t k = 1; k < LOOP_OPCODE_COUNT; k++) {
        *out = (loop_opcode)k;
        if (strcmp(loop_opcode_name(*out), name) == 0) return true;
    }
    return false;
}

ty_dtype loop_result_dtype(loop_opcode op, const ty_dtype *operands)
{
    switch (loop_opcode_rule(op)) {
    case LOOP_RULE_SAME:
    case LOOP_RULE_FIRST: return operands[0];
    case LOOP_RULE_SECOND: return operands[1];
    case LOOP_RULE_BOOL: return TY_BOOL;
    case LOOP_RULE_REAL: return ty_complex_to_real(operands[0]);
    default: break;
    }
    if (op == LOOP_COMPLEX) return ty_real_to_complex(operands[0]);
    return op == LOOP_RANDBITS ? TY_I64 : TY_NO_DTYPE;
}

static bool is_half(ty_dtype d)
{
    return ty_is_half(d) || d == TY_C32 || ty_is_float8(d);
}

const char *loop_dtype_fault(loop_opcode op, const ty_dtype *operands, ty_dtype result,
                             arena *memory)
{
    const char *name = loop_opcode_name(op);
    uint32_t count = loop_operand_count(op), first = op == LOOP_WHERE || op == LOOP_MASKED;
    if (!count) return NULL;
    if (first && operands[0] != TY_BOOL)
        return arena_printf(memory, "the condition of %s is not bool", name);
    for (uint32_t k = first; k + 1 < count; k++)
        if (operands[k] != operands[k + 1])
            return arena_printf(memory, "operands of %s are %s and %s", name,
                                ty_dtype_name(operands[k]), ty_dtype_name(operands[k + 1]));
    if (op == LOOP_BITCAST && ty_dtype_size(operands[0]) != ty_dtype_size(result))
        return arena_printf(memory, "%s of %s to %s, which has another size", name,
                            ty_dtype_name(operands[0]), ty_dtype_name(result));
    if (op == LOOP_CAST && (ty_is_float8(operands[0]) || ty_is_float8(result)))
        return arena_printf(memory, "a float of 8 bits is opened by its bits, not by a cast");
    if ((op == LOOP_COMPLEX && !ty_is_floating(operands[0])) ||
        (op == LOOP_RANDBITS && operands[0] != TY_I64))
        return arena_printf(memory, "%s of %s", name, ty_dtype_name(operands[0]));
    ty_dtype wanted = loop_result_dtype(op, operands);
    if (wanted != TY_NO_DTYPE && wanted != result)
        return arena_printf(memory, "%s gives %s, not %s", name, ty_dtype_name(wanted),
                            ty_dtype_name(result));
    bool moves = op == LOOP_CAST || op == LOOP_BITCAST || first || op == LOOP_COMPLEX ||
                 op == LOOP_REALPART || op == LOOP_IMAGPART;
    bool computes = !moves && is_half(operands[0]);
    return computes ? arena_printf(memory, "%s computes in a half type", name) : NULL;
}

const char *loop_reduce_name(loop_reduce r)
{
    static const char *const NAMES[LOOP_REDUCE_COUNT] = {[LOOP_NO_REDUCE] = "",
                                                         [LOOP_SUM] = "sum",
                                                         [LOOP_PROD] = "prod",
                                                         [LOOP_REDUCE_MIN] = "min_of",
                                                         [LOOP_REDUCE_MAX] = "max_of",
                                                         [LOOP_ARGMIN] = "argmin",
                                                         [LOOP_ARGMAX] = "argmax",
                                                         [LOOP_ANY] = "any",
                                                         [LOOP_ALL] = "all",
                                                         [LOOP_REDUCE_XOR] = "xor_of",
                                                         [LOOP_LOG_SUM_EXP] = "log_sum_exp"};
    return NAMES[r];
}

const char *loop_store_mode_name(loop_store_mode m)
{
    static const char *const NAMES[LOOP_MODE_COUNT] = {[LOOP_SET] = "",
                                                       [LOOP_ADD_INTO] = "add",
                                                       [LOOP_MUL_INTO] = "mul",
                                                       [LOOP_MIN_INTO] = "min",
                                                       [LOOP_MAX_INTO] = "max"};
    return NAMES[m];
}
