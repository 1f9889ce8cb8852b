/* fold.c -- values with constants folded, and rewrites that hold for every input, bit by bit.
 *
 * Laws: a rewrite keeps the result for NaN, infinities and signed zeros; it never makes the
 * expression larger; the result has the dtype that the row asks for. Functions of libm are not
 * folded: another libm may round otherwise.
 */
#include "loop/loop_priv.h"

#include <math.h>

static bool is_constant(const loop_program *p, loop_value v)
{
    return loop_at(p, v)->op == LOOP_CONST;
}

/* Is v the real constant `number` (0 means +0)? */
static bool is_number(const loop_program *p, loop_value v, double number)
{
    const loop_node *n = loop_at(p, v);
    if (n->op != LOOP_CONST) return false;
    if (ty_is_integral(n->dtype, true)) return (double)n->integer == number;
    return n->number[0] == number && signbit(n->number[0]) == signbit(number) && n->number[1] == 0;
}

static bool folds(loop_opcode op)
{
    enum { STAYS, FOLDS };
    static const uint8_t ROWS[LOOP_OPCODE_COUNT] = {
#define VALUE(id, name, operands, result, folds, scalar, vector) [LOOP_##id] = folds,
#include "loop/value.def"
#undef VALUE
    };
    return ROWS[op] == FOLDS;
}

static loop_value constant_of(loop_program *p, ty_dtype d, loop_scalar v)
{
    if (ty_is_integral(d, true)) return loop_const_int(p, d, v.i);
    if (ty_is_complex(d)) return loop_const_complex(p, d, v.c[0], v.c[1]);
    return loop_const_float(p, d, v.f);
}

/* The operation's constant result when all operands are constants and it is exact; else the node
 * itself. */
static loop_value finish(loop_program *p, loop_opcode op, uint32_t count, const loop_value *args)
{
    ty_dtype dtypes[3] = {TY_NO_DTYPE};
    for (uint32_t k = 0; k < count; k++) dtypes[k] = loop_at(p, args[k])->dtype;
    ty_dtype d = loop_result_dtype(op, dtypes);
    loop_scalar numbers[3] = {{0}}, result;
    bool constant = folds(op);
    for (uint32_t k = 0; k < count && constant; k++) {
        constant = is_constant(p, args[k]);
        if (constant) numbers[k] = loop_scalar_of(loop_at(p, args[k]));
    }
    ty_dtype operand = loop_at(p, args[op == LOOP_WHERE || op == LOOP_MASKED ? 1 : 0])->dtype;
    if (constant && loop_scalar_apply(op, operand, numbers, &result))
        return constant_of(p, d, result);
    loop_node n = {.op = op, .dtype = d};
    for (uint32_t k = 0; k < count; k++) n.args[k] = args[k];
    return loop_make(p, n);
}

/* Does every value of `from` come back from `to` unchanged? */
static bool holds_all(ty_dtype to, ty_dtype from)
{
    if (to == from || from == TY_BOOL) return true;
    if (to == TY_BOOL) return false;
    uint32_t size_to = ty_dtype_size(to), size_from = ty_dtype_size(from);
    if (ty_is_complex(from) || ty_is_complex(to))
        return ty_is_complex(to) && holds_all(ty_complex_to_real(to), ty_complex_to_real(from));
    if (ty_is_float8(from) || ty_is_float8(to)) return false;
    if (ty_is_floating(from)) return to == TY_F64 || (to == TY_F32 && size_from == 2);
    if (ty_is_floating(to)) return size_from * 2 <= size_to && (to != TY_F16 || size_from == 1);
    bool unsigned_to = to == TY_U8 || to == TY_U16 || to == TY_U32 || to == TY_U64;
    bool unsigned_from = from == TY_U8 || from == TY_U16 || from == TY_U32 || from == TY_U64;
    if (unsigned_to && !unsigned_from) return false;
    return unsigned_to == unsigned_from ? size_to >= size_from : size_to > size_from;
}

loop_value loop_cast(loop_program *p, ty_dtype to, loop_value v)
{
    const loop_node n = *loop_at(p, v);
    if (n.dtype == to) return v;
    if (n.op == LOOP_CONST)
        return constant_of(p, to, loop_scalar_cast(n.dtype, to, loop_scalar_of(&n)));
    if (ty_is_float8(n.dtype)) return loop_cast(p, to, loop_open_float8(p, v));
    if (ty_is_float8(to)) return loop_close_float8(p, to, loop_cast(p, TY_F32, v));
    if (n.op == LOOP_CAST && to != TY_BOOL) {
        ty_dtype inner = loop_at(p, n.args[0])->dtype;
        if (holds_all(n.dtype, inner)) return loop_cast(p, to, n.args[0]);
    }
    return loop_make(p, (loop_node){.op = LOOP_CAST, .dtype = to, .args = {v}});
}

loop_value loop_unary(loop_program *p, loop_opcode op, loop_value a)
{
    const loop_node n = *loop_at(p, a);
    bool integral = ty_is_integral(n.dtype, true);
    switch (op) {
    case LOOP_NEG:
    case LOOP_NOT:
        if (n.op == op) return n.args[0];
        break;
    case LOOP_FLOOR:
    case LOOP_CEIL:
    case LOOP_ROUND:
    case LOOP_TRUNC:
    case LOOP_ROUNDED:
        if (integral || n.op == op) return a;
        break;
    case LOOP_ABS:
        if (n.op == LOOP_ABS || n.dtype == TY_BOOL) return a;
        break;
    case LOOP_REALPART:
        if (n.op == LOOP_COMPLEX) return n.args[0];
        break;
    case LOOP_IMAGPART:
        if (n.op == LOOP_COMPLEX) return n.args[1];
        break;
    case LOOP_ISNAN:
    case LOOP_ISINF:
        if (integral) return loop_const_int(p, TY_BOOL, 0);
        break;
    default: break;
    }
    return finish(p, op, 1, &a);
}

/* INDEX arithmetic stays symbolic, so that it simplifies and can become a load's index. */
static bool as_index(loop_program *p, loop_value v, sym_expr *out)
{
    const loop_node *n = loop_at(p, v);
    if (n->dtype != TY_I64 || (n->op != LOOP_INDEX && n->op != LOOP_CONST)) return false;
    *out = n->op == LOOP_INDEX ? n->index : sym_int(p->symbols, n->integer);
    return true;
}

bool loop_decide(loop_program *p, loop_opcode op, loop_value a, loop_value b, const sym_env *env,
                 loop_value *out)
{
    sym_expr x, y;
    sym_op compare = op == LOOP_LT   ? SYM_LT
                     : op == LOOP_LE ? SYM_LE
                     : op == LOOP_EQ ? SYM_EQ
                     : op == LOOP_NE ? SYM_NE
                                     : SYM_CONST;
    if (compare == SYM_CONST || !as_index(p, a, &x) || !as_index(p, b, &y)) return false;
    sym_truth truth = sym_prove(p->symbols, sym_compare(p->symbols, compare, x, y), env);
    if (truth != SYM_UNKNOWN) *out = loop_const_int(p, TY_BOOL, truth == SYM_TRUE);
    return truth != SYM_UNKNOWN;
}

static bool fold_index(loop_program *p, loop_opcode op, loop_value a, loop_value b, loop_value *out)
{
    sym_expr x, y;
    int64_t constant;
    if (!as_index(p, a, &x) || !as_index(p, b, &y)) return false;
    bool divides = sym_is_int(p->symbols, y, &constant) && constant > 0;
    switch (op) {
    case LOOP_ADD: *out = loop_index(p, sym_add(p->symbols, x, y)); return true;
    case LOOP_SUB: *out = loop_index(p, sym_sub(p->symbols, x, y)); return true;
    case LOOP_MUL: *out = loop_index(p, sym_mul(p->symbols, x, y)); return true;
    case LOOP_MIN: *out = loop_index(p, sym_min(p->symbols, x, y)); return true;
    case LOOP_MAX: *out = loop_index(p, sym_max(p->symbols, x, y)); return true;
    case LOOP_FLOORDIV:
        if (!divides) return false;
        *out = loop_index(p, sym_floordiv(p->symbols, x, y));
        return true;
    case LOOP_REM:
        if (!divides) return false;
        *out = loop_index(p, sym_mod(p->symbols, x, y));
        return true;
    default: return loop_decide(p, op, a, b, NULL, out);
    }
}

static bool fold_bool(loop_program *p, loop_opcode op, loop_value a, loop_value b, loop_value *out)
{
    if (is_constant(p, a)) {
        loop_value swap = a;
        a = b;
        b = swap;
    }
    bool same = a.id == b.id, known = is_constant(p, b),
         truth = known && loop_at(p, b)->integer != 0;
    if (op == LOOP_AND && (same || known)) {
        *out = same || truth ? a : b;
        return true;
    }
    if (op == LOOP_OR && (same || known)) {
        *out = same || !truth ? a : b;
        return true;
    }
    return false;
}

loop_value loop_binary(loop_program *p, loop_opcode op, loop_value a, loop_value b)
{
    ty_dtype d = loop_at(p, a)->dtype;
    bool integral = ty_is_integral(d, true), real = !ty_is_complex(d);
    loop_value out;
    if (!(is_constant(p, a) && is_constant(p, b)) && fold_index(p, op, a, b, &out)) return out;
    if (d == TY_BOOL && fold_bool(p, op, a, b, &out)) return out;
    switch (op) {
    case LOOP_ADD: /* x + 0 is not x for -0.0 */
        if (integral && is_number(p, b, 0)) return a;
        if (integral && is_number(p, a, 0)) return b;
        if (real && !integral && is_number(p, b, -0.0)) return a;
        break;
    case LOOP_SUB:
        if (real && is_number(p, b, 0)) return a;
        break;
    case LOOP_MUL:
        if (real && is_number(p, b, 1)) return a;
        if (real && is_number(p, a, 1)) return b;
        break;
    case LOOP_DIV:
    case LOOP_POW:
        if (real && is_number(p, b, 1)) return a;
        break;
    case LOOP_FLOORDIV:
    case LOOP_TRUNCDIV:
        if (integral && is_number(p, b, 1)) return a;
        break;
    case LOOP_MIN:
    case LOOP_MAX:
    case LOOP_FMIN:
    case LOOP_FMAX:
        if (a.id == b.id) return a;
        break;
    case LOOP_EQ:
    case LOOP_LE:
        if (integral && a.id == b.id) return loop_const_int(p, TY_BOOL, 1);
        break;
    case LOOP_NE:
    case LOOP_LT:
        if (integral && a.id == b.id) return loop_const_int(p, TY_BOOL, 0);
        break;
    default: break;
    }
    return finish(p, op, 2, (loop_value[]){a, b});
}

loop_value loop_where(loop_program *p, loop_value condition, loop_value a, loop_value b)
{
    if (a.id == b.id) return a;
    if (is_constant(p, condition)) return loop_at(p, condition)->integer ? a : b;
    return finish(p, LOOP_WHERE, 3, (loop_value[]){condition, a, b});
}

loop_value loop_masked(loop_program *p, loop_value condition, loop_value value,
                       loop_value otherwise)
{
    if (value.id == otherwise.id && is_constant(p, value)) return value;
    if (is_constant(p, condition)) return loop_at(p, condition)->integer ? value : otherwise;
    return finish(p, LOOP_MASKED, 3, (loop_value[]){condition, value, otherwise});
}
