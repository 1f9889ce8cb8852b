/* symbolic.c -- numbers: sizes of tensors, Python's operators and functions on ints, bools and
 * floats, items of tuples. What cannot be written as an expression keeps what the archive recorded,
 * or is a number that is not known. */
#include "infer/infer_priv.h"

#include <math.h>

/* A number of the call: an expression (int or bool), or a float, known or not. */
typedef struct number {
    enum { INT, BOOL, FLOAT } kind;
    sym_expr expr;
    double value;
    bool is_known;
} number;

static number integer(sym_expr e)
{
    return (number){.kind = INT, .expr = e};
}

static number real(double value)
{
    return (number){.kind = FLOAT, .value = value, .is_known = true};
}

static const number UNKNOWN_FLOAT = {.kind = FLOAT};
static const number UNKNOWN_INT = {.kind = INT};

static number read_argument(infer_call *c, const fx_arg *a)
{
    number n = UNKNOWN_FLOAT;
    const fx_value *v = a->kind == FX_ARG_NODE ? &a->node->value : NULL;
    if (a->kind == FX_ARG_FLOAT) return real(a->number);
    if (v && v->kind == FX_FLOAT)
        return (number){.kind = FLOAT, .value = v->number, .is_known = v->is_known};
    bool is_bool = a->kind == FX_ARG_BOOL || (v && v->kind == FX_BOOL);
    bool is_int = a->kind == FX_ARG_INT || (v && v->kind == FX_INT);
    if (!is_bool && !is_int) {
        infer_fail(c, "an operand is not a number");
        return n;
    }
    n.kind = is_bool ? BOOL : INT;
    fx_arg_expr(c->graph, a, &n.expr);
    return n;
}

static number operand(infer_call *c, uint32_t i)
{
    if (i < c->node->arg_count) return read_argument(c, &c->node->args[i]);
    infer_fail(c, "too few operands");
    return UNKNOWN_FLOAT;
}

/* The value as a double; false when it is not known at compile time. */
static bool as_double(const infer_call *c, number n, double *out)
{
    int64_t value;
    if (n.kind == FLOAT) {
        *out = n.value;
        return n.is_known;
    }
    if (sym_is_none(n.expr) || !sym_is_int(c->symbols, n.expr, &value)) return false;
    *out = (double)value;
    return true;
}

static void give(infer_call *c, number n)
{
    static const fx_value_kind KINDS[] = {[INT] = FX_INT, [BOOL] = FX_BOOL, [FLOAT] = FX_FLOAT};
    bool is_open = n.kind == FLOAT ? !n.is_known : sym_is_none(n.expr);
    if (c->status != FE_OK) return;
    if (is_open && c->recorded.kind == KINDS[n.kind]) {
        c->value = c->recorded;
        return;
    }
    c->value = (fx_value){
        .kind = KINDS[n.kind], .expr = n.expr, .number = n.value, .is_known = n.is_known};
}

/* ---- sizes ---- */

void rule_sym_size(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (x->rank == 0) infer_fail(c, "the size of a tensor without dimensions");
    if (c->status == FE_OK) infer_give_int(c, x->sizes[dim]);
}

void rule_sym_stride(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (x->rank == 0) infer_fail(c, "the stride of a tensor without dimensions");
    if (c->status == FE_OK) infer_give_int(c, x->strides[dim]);
}

void rule_sym_numel(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give_int(c, ty_numel(c->symbols, x));
}

void rule_sym_offset(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give_int(c, x->offset);
}

void rule_rank(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give_int(c, infer_number(c, x->rank));
}

/* Is the dtype of this kind: 0 complex, 1 floating, 2 signed? */
void rule_dtype_is(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    ty_kind kind = ty_dtype_kind(x->dtype);
    bool is[] = {kind == TY_KIND_COMPLEX, kind == TY_KIND_FLOAT,
                 kind != TY_KIND_UNSIGNED && kind != TY_KIND_BOOL};
    infer_give_bool(c, infer_number(c, is[c->param]));
}

void rule_is_contiguous(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_give_bool(c,
                    infer_number(c, infer_contiguous(c, x, infer_format(c, TY_CONTIGUOUS)) == x));
}

void rule_is_same_size(infer_call *c)
{
    ty_tensor *a = infer_tensor(c, "self");
    ty_tensor *b = infer_tensor(c, "other");
    bool same = a && b && a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = infer_holds(c, SYM_EQ, a->sizes[i], b->sizes[i]);
    infer_give_bool(c, infer_number(c, same));
}

/* ---- items ---- */

void rule_getitem(infer_call *c)
{
    int64_t index = 0;
    const fx_arg *a = &c->node->args[0];
    const fx_value *v = a->kind == FX_ARG_NODE ? &a->node->value : NULL;
    if (!v || v->kind != FX_TUPLE || !fx_arg_int(c->graph, &c->node->args[1], &index)) {
        infer_fail(c, "an item of something that has none");
        return;
    }
    if (index < 0) index += v->count;
    if (index < 0 || index >= v->count) {
        infer_fail(c, "item %lld of %u", (long long)index, v->count);
        return;
    }
    c->value = v->items[index];
}

/* ---- two integers ---- */

static number power(infer_call *c, sym_expr base, sym_expr exponent)
{
    int64_t times;
    sym_expr product = infer_number(c, 1);
    if (!sym_is_int(c->symbols, exponent, &times)) return UNKNOWN_INT;
    if (times < 0) return UNKNOWN_FLOAT;
    if (times > 64) return UNKNOWN_INT;
    for (int64_t i = 0; i < times; i++) product = sym_mul(c->symbols, product, base);
    return integer(product);
}

/* Bits of constants; of symbols nothing is said. */
static number bits(infer_call *c, op_id op, sym_expr a, sym_expr b)
{
    int64_t x;
    int64_t y;
    if (!sym_is_int(c->symbols, a, &x) || !sym_is_int(c->symbols, b, &y)) return UNKNOWN_INT;
    bool shifts = y >= 0 && y < 63;
    if (op == OP_operator_and) return integer(infer_number(c, x & y));
    if (op == OP_operator_or) return integer(infer_number(c, x | y));
    if (op == OP_operator_xor) return integer(infer_number(c, x ^ y));
    if (op == OP_operator_rshift && y >= 0) return integer(infer_number(c, x >> (shifts ? y : 63)));
    if (op == OP_operator_lshift && shifts && x >= 0 && x <= INT64_MAX >> y)
        return integer(infer_number(c, (int64_t)((uint64_t)x << y)));
    return UNKNOWN_INT;
}

static number combine_integers(infer_call *c, op_id op, sym_expr a, sym_expr b)
{
    sym_table *t = c->symbols;
    bool divides = op == OP_operator_floordiv || op == OP_operator_mod || op == OP_operator_truediv;
    if (divides && infer_is(c, b, 0)) infer_fail(c, "a division by zero");
    if (c->status != FE_OK) return UNKNOWN_INT;
    switch (op) {
    case OP_operator_add: return integer(sym_add(t, a, b));
    case OP_operator_sub: return integer(sym_sub(t, a, b));
    case OP_operator_mul: return integer(sym_mul(t, a, b));
    case OP_operator_floordiv: return integer(sym_floordiv(t, a, b));
    case OP_operator_mod: return integer(sym_mod(t, a, b));
    case OP_operator_pow:
    case OP_math_pow: return power(c, a, b);
    case OP_builtins_max:
    case OP_torch_sym_max: return integer(sym_max(t, a, b));
    case OP_builtins_min:
    case OP_torch_sym_min: return integer(sym_min(t, a, b));
    default: return bits(c, op, a, b);
    }
}

static number combine_reals(op_id op, double a, double b)
{
    switch (op) {
    case OP_operator_add: return real(a + b);
    case OP_operator_sub: return real(a - b);
    case OP_operator_mul: return real(a * b);
    case OP_operator_truediv: return b != 0 ? real(a / b) : UNKNOWN_FLOAT;
    case OP_operator_floordiv: return b != 0 ? real(floor(a / b)) : UNKNOWN_FLOAT;
    case OP_operator_mod: return b != 0 ? real(a - b * floor(a / b)) : UNKNOWN_FLOAT;
    case OP_operator_pow:
    case OP_math_pow: return real(pow(a, b));
    case OP_builtins_max:
    case OP_torch_sym_max: return real(a < b ? b : a);
    case OP_builtins_min:
    case OP_torch_sym_min: return real(b < a ? b : a);
    default: return UNKNOWN_FLOAT;
    }
}

/* Arithmetic on two numbers. The parameter says that the result is a float whatever they are. */
void rule_arithmetic(infer_call *c)
{
    number a = operand(c, 0);
    number b = operand(c, 1);
    double x;
    double y;
    bool whole = a.kind != FLOAT && b.kind != FLOAT && !c->param;
    if (c->status != FE_OK) return;
    if (whole)
        give(c, sym_is_none(a.expr) || sym_is_none(b.expr)
                    ? UNKNOWN_INT
                    : combine_integers(c, (op_id)c->op->id, a.expr, b.expr));
    else
        give(c, as_double(c, a, &x) && as_double(c, b, &y) ? combine_reals((op_id)c->op->id, x, y)
                                                           : UNKNOWN_FLOAT);
}

/* ---- comparisons and logic ---- */

static sym_expr compare_exprs(infer_call *c, op_id op, sym_expr a, sym_expr b)
{
    sym_table *t = c->symbols;
    switch (op) {
    case OP_operator_eq: return sym_compare(t, SYM_EQ, a, b);
    case OP_operator_ne: return sym_compare(t, SYM_NE, a, b);
    case OP_operator_lt: return sym_compare(t, SYM_LT, a, b);
    case OP_operator_le: return sym_compare(t, SYM_LE, a, b);
    case OP_operator_gt: return sym_compare(t, SYM_LT, b, a);
    default: return sym_compare(t, SYM_LE, b, a);
    }
}

static bool compare_reals(op_id op, double a, double b)
{
    switch (op) {
    case OP_operator_eq: return a == b;
    case OP_operator_ne: return a != b;
    case OP_operator_lt: return a < b;
    case OP_operator_le: return a <= b;
    case OP_operator_gt: return a > b;
    default: return a >= b;
    }
}

void rule_comparison(infer_call *c)
{
    number a = operand(c, 0);
    number b = operand(c, 1);
    number out = {.kind = BOOL};
    op_id op = (op_id)c->op->id;
    double x;
    double y;
    if (c->status != FE_OK) return;
    if (a.kind != FLOAT && b.kind != FLOAT) {
        if (!sym_is_none(a.expr) && !sym_is_none(b.expr))
            out.expr = compare_exprs(c, op, a.expr, b.expr);
    } else if (as_double(c, a, &x) && as_double(c, b, &y)) {
        out.expr = infer_number(c, compare_reals(op, x, y));
    }
    give(c, out);
}

/* and, or, xor: logic on bools, bits on integers. */
void rule_logic(infer_call *c)
{
    number a = operand(c, 0);
    number b = operand(c, 1);
    op_id op = (op_id)c->op->id;
    if (c->status != FE_OK) return;
    if (a.kind != BOOL || b.kind != BOOL) {
        rule_arithmetic(c);
        return;
    }
    number out = {.kind = BOOL};
    if (sym_is_none(a.expr) || sym_is_none(b.expr)) {
        give(c, out);
        return;
    }
    sym_op is = op == OP_operator_and ? SYM_AND : op == OP_operator_or ? SYM_OR : SYM_NE;
    out.expr = sym_compare(c->symbols, is, a.expr, b.expr);
    give(c, out);
}

void rule_not(infer_call *c)
{
    number a = operand(c, 0);
    number out = {.kind = BOOL};
    if (c->status != FE_OK) return;
    if (a.kind == FLOAT && a.is_known) out.expr = infer_number(c, a.value == 0);
    if (a.kind == BOOL && !sym_is_none(a.expr)) out.expr = sym_not(c->symbols, a.expr);
    if (a.kind == INT && !sym_is_none(a.expr))
        out.expr = sym_compare(c->symbols, SYM_EQ, a.expr, infer_number(c, 0));
    give(c, out);
}

/* ---- one number ---- */

void rule_negation(infer_call *c)
{
    number a = operand(c, 0);
    if (a.kind == FLOAT)
        a.value = -a.value;
    else if (!sym_is_none(a.expr))
        a = integer(sym_mul_int(c->symbols, a.expr, -1));
    give(c, a);
}

void rule_inversion(infer_call *c)
{
    number a = operand(c, 0);
    if (a.kind != FLOAT && !sym_is_none(a.expr))
        a = integer(sym_add_int(c->symbols, sym_mul_int(c->symbols, a.expr, -1), -1));
    give(c, a);
}

void rule_magnitude(infer_call *c)
{
    number a = operand(c, 0);
    sym_table *t = c->symbols;
    if (a.kind == FLOAT)
        a.value = fabs(a.value);
    else if (!sym_is_none(a.expr))
        a = integer(sym_max(t, a.expr, sym_mul_int(t, a.expr, -1)));
    give(c, a);
}

void rule_unchanged(infer_call *c)
{
    give(c, operand(c, 0));
}

void rule_to_float(infer_call *c)
{
    number a = operand(c, 0);
    double x;
    give(c, as_double(c, a, &x) ? real(x) : UNKNOWN_FLOAT);
}

void rule_to_bool(infer_call *c)
{
    number a = operand(c, 0);
    number out = {.kind = BOOL, .expr = a.expr};
    if (a.kind == INT && !sym_is_none(a.expr))
        out.expr = sym_compare(c->symbols, SYM_NE, a.expr, infer_number(c, 0));
    if (a.kind == FLOAT && a.is_known) out.expr = infer_number(c, a.value != 0);
    give(c, out);
}

/* int, floor, ceil, trunc, round. */
void rule_to_int(infer_call *c)
{
    number a = operand(c, 0);
    double x;
    number out = UNKNOWN_INT;
    if (a.kind == FLOAT && c->node->arg_count > 1 && c->node->args[1].kind != FX_ARG_NONE) {
        out = UNKNOWN_FLOAT; /* round(x, digits) */
    } else if (a.kind != FLOAT) {
        out.expr = a.expr;
    } else if (as_double(c, a, &x) && fabs(x) < 9e18) {
        switch ((op_id)c->op->id) {
        case OP_math_ceil: x = ceil(x); break;
        case OP_math_floor: x = floor(x); break;
        case OP_builtins_round: x = nearbyint(x); break;
        default: x = trunc(x); break;
        }
        out.expr = infer_number(c, (int64_t)x);
    }
    give(c, out);
}

static number apply(op_id op, double x)
{
    switch (op) {
    case OP_math_sqrt:
    case OP_torch_sym_sqrt:
    case OP_torch__sym_sqrt: return real(sqrt(x));
    case OP_math_exp: return real(exp(x));
    case OP_math_log: return real(log(x));
    case OP_math_log2:
    case OP_torch__sym_log2: return real(log2(x));
    case OP_math_cos:
    case OP_torch__sym_cos: return real(cos(x));
    case OP_math_sin:
    case OP_torch__sym_sin: return real(sin(x));
    case OP_math_tan:
    case OP_torch__sym_tan: return real(tan(x));
    case OP_math_cosh:
    case OP_torch__sym_cosh: return real(cosh(x));
    case OP_math_sinh:
    case OP_torch__sym_sinh: return real(sinh(x));
    case OP_math_tanh:
    case OP_torch__sym_tanh: return real(tanh(x));
    case OP_math_acos:
    case OP_torch__sym_acos: return real(acos(x));
    case OP_math_asin:
    case OP_torch__sym_asin: return real(asin(x));
    case OP_math_atan:
    case OP_torch__sym_atan: return real(atan(x));
    default: return UNKNOWN_FLOAT;
    }
}

/* A function of the reals. */
void rule_real_function(infer_call *c)
{
    number a = operand(c, 0);
    double x;
    bool two = c->node->arg_count > 1 && c->node->args[1].kind != FX_ARG_NONE;
    if (c->status != FE_OK) return;
    give(c, !two && as_double(c, a, &x) ? apply((op_id)c->op->id, x) : UNKNOWN_FLOAT);
}

/* ---- several ---- */

void rule_choice(infer_call *c)
{
    number condition = operand(c, 0);
    number yes = operand(c, 1);
    number no = operand(c, 2);
    int64_t truth;
    if (c->status != FE_OK) return;
    if (sym_is_none(condition.expr) || !sym_is_int(c->symbols, condition.expr, &truth)) {
        yes.expr = (sym_expr){0};
        yes.is_known = false;
        give(c, yes);
        return;
    }
    give(c, truth ? yes : no);
}

void rule_sum_of_numbers(infer_call *c)
{
    sym_expr sum = infer_number(c, 0);
    const fx_arg *list = &c->node->args[0];
    if (list->kind != FX_ARG_LIST) infer_fail(c, "the sum of something that is no list");
    for (uint32_t i = 0; c->status == FE_OK && i < list->list.count; i++) {
        number n = read_argument(c, &list->list.items[i]);
        if (n.kind == FLOAT || sym_is_none(n.expr)) {
            give(c, n.kind == FLOAT ? UNKNOWN_FLOAT : UNKNOWN_INT);
            return;
        }
        sum = sym_add(c->symbols, sum, n.expr);
    }
    give(c, integer(sum));
}

/* Something that no expression can say. */
void rule_opaque(infer_call *c)
{
    c->value = c->recorded.kind == FX_NO_VALUE ? (fx_value){.kind = FX_OPAQUE} : c->recorded;
}
