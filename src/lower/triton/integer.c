/* integer.c -- arithmetic of integers. Where they are expressions of axes and sizes they stay such. They have
 * no sign in the kernel and are signed here; an operation on unsigned ones converts them there and back.
 */
#include "lower/triton/triton.h"

bool triton_is_natural(triton *t, sym_expr e, int64_t least, const sym_env *env)
{
    return sym_known_less_equal(t->s, lower_const(t->l, least), e, env);
}

/* Could it wrap around? Sums and products of sizes do not where the program is right; large constants
 * are those of hashes. */
static bool may_wrap(triton *t, ty_dtype d, sym_expr a, sym_expr b, sym_expr e, const sym_env *env)
{
    enum { LARGE = 1 << 26 };
    int64_t least, most, factor;
    if (sym_is_none(e)) return true;
    if (d == TY_I64 || sym_is_int(t->s, e, NULL)) return false;
    for (int k = 0; k < 2; k++)
        if (sym_is_int(t->s, k ? a : b, &factor) && (factor > LARGE || factor < -LARGE))
            return true;
    sym_range(t->s, e, env, &least, &most);
    return (least != SYM_NO_MIN && least < INT32_MIN) || (most != SYM_NO_MAX && most > INT32_MAX);
}

static sym_expr combined(triton *t, loop_opcode op, sym_expr a, sym_expr b, const sym_env *env)
{
    bool divides = triton_is_natural(t, a, 0, env) && triton_is_natural(t, b, 1, env);
    switch (op) {
    case LOOP_ADD: return sym_add(t->s, a, b);
    case LOOP_SUB: return sym_sub(t->s, a, b);
    case LOOP_MUL: return sym_mul(t->s, a, b);
    case LOOP_MIN: return sym_min(t->s, a, b);
    case LOOP_MAX: return sym_max(t->s, a, b);
    case LOOP_TRUNCDIV:
        return divides ? sym_simplify(t->s, sym_floordiv(t->s, a, b), env) : (sym_expr){0};
    case LOOP_FMOD: return divides ? sym_simplify(t->s, sym_mod(t->s, a, b), env) : (sym_expr){0};
    default: return (sym_expr){0};
    }
}

/* As an expression, where both operands are; naturals: only where they are not negative. */
static bool as_expression(triton *t, const ttir_op *op, int opcode, bool naturals, loop_value a,
                          loop_value b)
{
    sym_bound bounds[LOWER_MAX_RANK];
    sym_expr sizes[LOWER_MAX_RANK], x = triton_expr(t, a), y = triton_expr(t, b);
    const ttir_type *type = triton_type(t, op->result);
    sym_env env = {bounds, triton_sizes(t, type, sizes)};
    if (sym_is_none(x) || sym_is_none(y) || (type->dtype != TY_I32 && type->dtype != TY_I64))
        return false;
    for (uint32_t k = 0; k < env.count; k++) bounds[k] = (sym_bound){t->l->axes[k], sizes[k]};
    if (naturals && !(triton_is_natural(t, x, 0, &env) && triton_is_natural(t, y, 0, &env)))
        return false;
    sym_expr e = combined(t, (loop_opcode)opcode, x, y, &env);
    if (may_wrap(t, type->dtype, x, y, e, &env)) return false;
    triton_give(t, op, triton_index(t, type->dtype, e));
    return true;
}

fe_status triton_integer(triton *t, const ttir_op *op, int opcode)
{
    loop_value a = triton_here(t, op, 0), b = triton_here(t, op, 1);
    if (!as_expression(t, op, opcode, false, a, b))
        triton_give(t, op, triton_applied(t, (loop_opcode)opcode, a, b));
    return FE_OK;
}

ty_dtype triton_without_sign(ty_dtype d)
{
    switch (d) {
    case TY_I8: return TY_U8;
    case TY_I16: return TY_U16;
    case TY_I32: return TY_U32;
    case TY_I64: return TY_U64;
    default: return d;
    }
}

loop_value triton_unsigned_here(triton *t, const ttir_op *op, uint32_t k)
{
    loop_value v = triton_here(t, op, k);
    return loop_cast(t->p, triton_without_sign(loop_at(t->p, v)->dtype), v);
}

fe_status triton_unsigned(triton *t, const ttir_op *op, int opcode)
{
    loop_value a = triton_here(t, op, 0), b = triton_here(t, op, 1);
    if (as_expression(t, op, opcode, true, a, b)) return FE_OK;
    triton_give(t, op,
                triton_applied(t, (loop_opcode)opcode, triton_unsigned_here(t, op, 0),
                               triton_unsigned_here(t, op, 1)));
    return FE_OK;
}

/* The upper half of a product of two numbers of 64 bits, which are of two digits of 32 bits each. */
static loop_value high_of_longs(triton *t, loop_value a, loop_value b)
{
    loop_program *p = t->p;
    loop_value half = loop_const_int(p, TY_U64, 32), digit = loop_const_int(p, TY_U64, UINT32_MAX);
    loop_value low[] = {loop_binary(p, LOOP_AND, a, digit), loop_binary(p, LOOP_AND, b, digit)},
               high[] = {loop_binary(p, LOOP_SHR, a, half), loop_binary(p, LOOP_SHR, b, half)};
    loop_value carry = loop_binary(p, LOOP_SHR, loop_binary(p, LOOP_MUL, low[0], low[1]), half),
               first = loop_binary(p, LOOP_ADD, loop_binary(p, LOOP_MUL, high[0], low[1]), carry),
               second = loop_binary(p, LOOP_ADD, loop_binary(p, LOOP_MUL, low[0], high[1]),
                                    loop_binary(p, LOOP_AND, first, digit));
    carry = loop_binary(p, LOOP_ADD, loop_binary(p, LOOP_SHR, first, half),
                        loop_binary(p, LOOP_SHR, second, half));
    return loop_binary(p, LOOP_ADD, loop_binary(p, LOOP_MUL, high[0], high[1]), carry);
}

/* The upper half of a product. */
fe_status triton_high_product(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    ty_dtype d = triton_type(t, op->result)->dtype;
    if (d != TY_I32 && d != TY_I64) return triton_fail(t, "of other integers than i32 and i64");
    loop_value a = loop_cast(t->p, TY_U64, triton_unsigned_here(t, op, 0)),
               b = loop_cast(t->p, TY_U64, triton_unsigned_here(t, op, 1)),
               half = loop_const_int(t->p, TY_U64, 32);
    triton_give(t, op,
                d == TY_I64 ? high_of_longs(t, a, b)
                            : loop_binary(t->p, LOOP_SHR, loop_binary(t->p, LOOP_MUL, a, b), half));
    return FE_OK;
}
