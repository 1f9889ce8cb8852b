/* rows.c -- the rows of value.def as answers, and the words of the text form. */
#include "loop/loop_priv.h"

#include <string.h>

typedef struct value_row {
    const char *name;
    uint8_t operands;
    uint8_t rule;
} value_row;

static const value_row ROWS[LOOP_OPCODE_COUNT] = {
    [LOOP_NOTHING] = {"nothing", 0, LOOP_RULE_STATED},
#define VALUE(id, name, operands, result) [LOOP_##id] = {name, operands, LOOP_RULE_##result},
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

loop_result_rule loop_opcode_rule(loop_opcode op)
{
    return (loop_result_rule)ROWS[op].rule;
}

ty_dtype loop_result_dtype(const loop_program *p, loop_opcode op, const loop_value *args)
{
    switch (loop_opcode_rule(op)) {
    case LOOP_RULE_SAME:
    case LOOP_RULE_FIRST: return loop_at(p, args[0])->dtype;
    case LOOP_RULE_SECOND: return loop_at(p, args[1])->dtype;
    case LOOP_RULE_BOOL: return TY_BOOL;
    case LOOP_RULE_REAL: return ty_complex_to_real(loop_at(p, args[0])->dtype);
    default: break;
    }
    if (op == LOOP_COMPLEX) return ty_real_to_complex(loop_at(p, args[0])->dtype);
    return op == LOOP_RANDBITS ? TY_U32 : TY_NO_DTYPE;
}

const char *loop_reduce_name(loop_reduce r)
{
    static const char *const NAMES[LOOP_REDUCE_COUNT] = {
        [LOOP_NO_REDUCE] = "",        [LOOP_SUM] = "sum",           [LOOP_PROD] = "prod",
        [LOOP_REDUCE_MIN] = "min_of", [LOOP_REDUCE_MAX] = "max_of", [LOOP_ARGMIN] = "argmin",
        [LOOP_ARGMAX] = "argmax",     [LOOP_ANY] = "any",           [LOOP_ALL] = "all",
        [LOOP_REDUCE_XOR] = "xor_of"};
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
