/* number.c -- numbers of the program: those read out of tensors, arithmetic on floats that only the
 * run knows, and assertions about them.
 *
 * An integer that is read out becomes a symbol: sizes speak of it. A float stays a tensor of rank 0
 * that kernels read, and so does what is computed from floats, until an int or a bool comes of it
 * that sizes or assertions need.
 */
#include "lower/ragged.h"

#include <math.h>

/* ---- items ---- */

static fe_status keep(lowering *l, fx_node *n, lower_tensor t)
{
    lower_tensor *item = arena_copy(l->memory, &t, sizeof t);
    l->results[n->id] = (lower_result){.present = true, .count = 1, .items = item};
    return FE_OK;
}

bool lower_is_computed(lowering *l, const fx_node *n)
{
    return n->value.kind != FX_TENSOR && n->value.kind != FX_TUPLE && l->results[n->id].present;
}

/* A bool is recorded as `u0 == 1`: the symbol gets 0 or 1. */
static void define_bool(lowering *l, sym_expr e, lower_tensor t)
{
    sym_expr open = lower_open_symbol(l, e);
    if (!sym_is_none(open))
        lower_define(l, open, t);
    else if (!sym_is_none(e))
        lower_assert(l, lower_read_int(l, t, 0, 1), SYM_EQ, e, NULL);
}

void lower_define_number(lowering *l, const fx_value *v, lower_tensor t)
{
    if (v->kind == FX_INT && !sym_is_none(v->expr))
        lower_define(l, v->expr, t);
    else if (v->kind == FX_BOOL)
        define_bool(l, v->expr, t);
}

/* The only element. */
static lower_tensor only_element(lowering *l, lower_tensor x)
{
    while (x.rank) {
        lower_require(l, x.sizes[0], SYM_EQ, l->one, "a tensor of several elements is no number");
        x = lower_select(l, x, 0, l->zero);
    }
    return x;
}

fe_status lower_op_item(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor one = only_element(l, lower_tensor_of(l, &n->args[0]));
    ty_dtype d = lower_dtype(one);
    if (ty_is_complex(d)) return lower_fail(l, "a complex number read out of a tensor");
    if (ty_is_integral(d, true))
        lower_define_number(l, &n->value, one);
    else
        one = lower_cast(l, one, TY_F64);
    return keep(l, n, one);
}

fe_status lower_op_is_nonzero(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor one = lower_cast(l, only_element(l, lower_tensor_of(l, &n->args[0])), TY_BOOL);
    lower_define_number(l, &n->value, one);
    return keep(l, n, one);
}

/* equal: of all elements. */
fe_status lower_op_equal(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor a = lower_tensor_of(l, &n->args[0]), b = lower_tensor_of(l, &n->args[1]);
    bool reduced[LOWER_MAX_RANK];
    if (a.rank != b.rank || lower_dtype(a) != lower_dtype(b))
        return lower_fail(l, "two tensors of different kinds");
    for (uint32_t k = 0; k < a.rank; k++) {
        if (!sym_known_equal(l->symbols, a.sizes[k], b.sizes[k]))
            return lower_fail(l, "two tensors of different sizes");
        reduced[k] = true;
    }
    ty_dtype d = lower_compute_dtype(lower_dtype(a));
    lower_tensor same = lower_binary(l, LOOP_EQ, lower_cast(l, a, d), lower_cast(l, b, d));
    lower_tensor all = lower_reduced(l, LOOP_ALL, same, reduced, false, NULL);
    lower_define_number(l, &n->value, all);
    return keep(l, n, all);
}

/* ---- arithmetic on numbers ---- */

typedef enum number_rule {
    RULE_NONE,
    RULE_ARITHMETIC, /* of floats when any operand is one */
    RULE_REAL,       /* of floats */
    RULE_COMPARISON,
    RULE_SWAPPED, /* the comparison with the operands swapped */
    RULE_LOGIC,   /* and, or, xor of bools; bits of integers */
    RULE_TO_INT,  /* rounded by the opcode */
    RULE_TO_FLOAT,
    RULE_TO_BOOL,
    RULE_NOT,
    RULE_SAME,
    RULE_CHOICE
} number_rule;

typedef struct number_row {
    op_id op;
    number_rule rule; /* RULE_NONE: the operator has no row */
    loop_opcode opcode;
} number_row;

static const number_row ROWS[OP_BUILTIN_COUNT] = {
#define OP(id, schema, columns) [OP_##id] = {.op = OP_##id, columns},
#define NUMBER(its_rule, its_opcode) .rule = RULE_##its_rule, .opcode = LOOP_##its_opcode,
#include "op/ops.def"
};

static const number_row *row_of(const fx_node *n)
{
    const number_row *row = n->op->id < OP_BUILTIN_COUNT ? &ROWS[n->op->id] : NULL;
    return row && row->rule ? row : NULL;
}

/* f64, i64 or bool. */
static ty_dtype dtype_of(const fx_arg *a)
{
    fx_value_kind kind = a->kind == FX_ARG_NODE ? a->node->value.kind : FX_NO_VALUE;
    if (a->kind == FX_ARG_FLOAT || kind == FX_FLOAT) return TY_F64;
    return a->kind == FX_ARG_BOOL || kind == FX_BOOL ? TY_BOOL : TY_I64;
}

static ty_dtype common_dtype(const fx_arg *a, const fx_arg *b)
{
    return dtype_of(a) == TY_F64 || dtype_of(b) == TY_F64 ? TY_F64 : TY_I64;
}

static loop_value apply(lowering *l, const number_row *row, fx_node *n, ty_dtype d)
{
    const fx_arg *first = &n->args[row->rule == RULE_SWAPPED ? 1 : 0],
                 *second = &n->args[row->rule == RULE_SWAPPED ? 0 : 1];
    loop_value a = lower_scalar(l, first, d);
    if (loop_operand_count(row->opcode) == 1) return lower_op1(l, row->opcode, a);
    loop_value made = lower_op2(l, row->opcode, a, lower_scalar(l, second, d));
    return row->opcode == LOOP_MUL && d == TY_F64 ? lower_op1(l, LOOP_ROUNDED, made) : made;
}

/* Of round(x, digits); more than any that can be rounded to where only the run knows them. */
static int64_t digits_of(lowering *l, const fx_node *n)
{
    int64_t digits = INT64_MAX;
    if (n->arg_count > 1) fx_arg_int(l->graph, &n->args[1], &digits);
    return digits;
}

static loop_value value_of(lowering *l, const number_row *row, fx_node *n)
{
    loop_program *p = l->program;
    const fx_arg *a = &n->args[0], *b = &n->args[n->arg_count > 1 ? 1 : 0];
    bool bools = dtype_of(a) == TY_BOOL && dtype_of(b) == TY_BOOL;
    switch (row->rule) {
    case RULE_REAL: return apply(l, row, n, TY_F64);
    case RULE_LOGIC: return apply(l, row, n, bools ? TY_BOOL : TY_I64);
    case RULE_TO_INT:
        if (n->value.kind == FX_FLOAT)
            return lower_round_to(l, lower_scalar(l, a, TY_F64), digits_of(l, n));
        if (dtype_of(a) != TY_F64) return lower_scalar(l, a, TY_I64);
        return loop_cast(p, TY_I64, lower_op1(l, row->opcode, lower_scalar(l, a, TY_F64)));
    case RULE_TO_FLOAT: return lower_scalar(l, a, TY_F64);
    case RULE_TO_BOOL: return loop_cast(p, TY_BOOL, lower_scalar(l, a, dtype_of(a)));
    case RULE_NOT:
        return lower_op1(l, LOOP_NOT, loop_cast(p, TY_BOOL, lower_scalar(l, a, dtype_of(a))));
    case RULE_SAME: return lower_scalar(l, a, dtype_of(a));
    case RULE_CHOICE: {
        ty_dtype d = common_dtype(b, &n->args[2]);
        return loop_where(p, lower_scalar(l, a, TY_BOOL), lower_scalar(l, b, d),
                          lower_scalar(l, &n->args[2], d));
    }
    default: return apply(l, row, n, common_dtype(a, b));
    }
}

/* Python raises on a division by zero. */
static void forbid_zero(lowering *l, fx_node *n)
{
    sym_expr divisor;
    bool divides = fx_is(n, OP_operator_floordiv) || fx_is(n, OP_operator_mod) ||
                   fx_is(n, OP_operator_truediv);
    if (divides && n->arg_count > 1 && fx_arg_expr(l->graph, &n->args[1], &divisor))
        lower_require(l, divisor, SYM_NE, l->zero, "a division by zero");
}

fe_status lower_symbolic(lowering *l, fx_node *n)
{
    const fx_value *v = &n->value;
    forbid_zero(l, n);
    bool is_float = v->kind == FX_FLOAT && !v->is_known,
         is_whole = (v->kind == FX_INT || v->kind == FX_BOOL) &&
                    (sym_is_none(v->expr) || lower_is_open(l, v->expr));
    bool gives_size = v->kind == FX_INT && !sym_is_none(v->expr); /* sizes may be made of it */
    if ((!is_float && !is_whole) || (!n->users.count && !gives_size)) return FE_OK;
    const number_row *row = row_of(n);
    if (!row) return lower_fail(l, "this function of numbers that only the run knows");
    if (fx_is(n, OP_math_log) && n->arg_count > 1 && n->args[1].kind != FX_ARG_NONE)
        return lower_fail(l, "a logarithm to a base");
    if (fx_is(n, OP_builtins_round) && is_float && !lower_can_round_to(digits_of(l, n)))
        return lower_fail(l, "rounding to so many digits");
    loop_value value = value_of(l, row, n);
    ty_dtype d = v->kind == FX_FLOAT ? TY_F64 : v->kind == FX_BOOL ? TY_BOOL : TY_I64;
    lower_tensor t = lower_value(l, d, 0, NULL, loop_cast(l->program, d, value));
    lower_define_number(l, &n->value, t);
    return keep(l, n, t);
}

/* ---- assertions ---- */

static const char *message_of(const fx_node *n)
{
    for (uint32_t k = 0; k < n->arg_count; k++)
        if (n->args[k].kind == FX_ARG_STRING && *n->args[k].string) return n->args[k].string;
    return "an assertion of the program failed";
}

/* The comparison as it stands in the program: the ranges that follow from it are not held against
 * it. */
static bool assert_comparison(lowering *l, const fx_node *cond, const char *what)
{
    static const struct {
        op_id op;
        sym_op is;
        bool swapped;
    } COMPARISONS[] = {
        {OP_operator_eq, SYM_EQ, false}, {OP_operator_ne, SYM_NE, false},
        {OP_operator_lt, SYM_LT, false}, {OP_operator_le, SYM_LE, false},
        {OP_operator_gt, SYM_LT, true},  {OP_operator_ge, SYM_LE, true},
    };
    sym_expr a, b;
    for (size_t k = 0; k < COUNT_OF(COMPARISONS); k++) {
        if (!fx_is(cond, COMPARISONS[k].op)) continue;
        if (!fx_arg_expr(l->graph, &cond->args[0], &a) ||
            !fx_arg_expr(l->graph, &cond->args[1], &b))
            return false;
        if (lower_is_open(l, a) || lower_is_open(l, b)) return false;
        lower_assert(l, COMPARISONS[k].swapped ? b : a, COMPARISONS[k].is,
                     COMPARISONS[k].swapped ? a : b, what);
        return true;
    }
    return false;
}

static void assert_condition(lowering *l, const fx_arg *a, const char *what)
{
    const fx_node *n = a->kind == FX_ARG_NODE ? a->node : NULL;
    sym_expr e;
    if (n && n->kind == FX_CALL) {
        if (fx_is(n, OP_operator_and) && n->value.kind == FX_BOOL) {
            assert_condition(l, &n->args[0], what);
            assert_condition(l, &n->args[1], what);
            return;
        }
        if (assert_comparison(l, n, what)) return;
    }
    if (n && lower_is_computed(l, n)) {
        lower_tensor t = lower_cast(l, l->results[n->id].items[0], TY_BOOL);
        lower_assert(l, lower_read_int(l, t, 0, 1), SYM_NE, l->zero, what);
    } else if (fx_arg_expr(l->graph, a, &e))
        lower_assert(l, e, SYM_NE, l->zero, what);
}

static fe_status give_token(lowering *l, fx_node *n)
{
    if (n->value.kind != FX_TENSOR) return FE_OK;
    const ty_tensor *out = fx_tensor(n);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes,
                                     loop_const_int(l->program, out->dtype, 0)));
}

fe_status lower_op_assert_scalar(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    assert_condition(l, &n->args[0], message_of(n));
    return give_token(l, n);
}

fe_status lower_op_assert_async(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor x = lower_cast(l, lower_tensor_of(l, &n->args[0]), TY_BOOL);
    lower_assert(l, lower_read_int(l, x, 0, 1), SYM_NE, l->zero, message_of(n));
    return give_token(l, n);
}

/* Sizes are at least 0 (parameter 1) where nothing else is said. */
fe_status lower_op_constrain(lowering *l, fx_node *n, const lower_row *row)
{
    sym_expr e, min = lower_size(l, "min"), max = lower_size(l, "max");
    if (!fx_arg_expr(l->graph, &n->args[0], &e)) return give_token(l, n);
    if (sym_is_none(min) && row->parameter) min = l->zero;
    if (!sym_is_none(min)) lower_assert(l, min, SYM_LE, e, NULL);
    if (!sym_is_none(max)) lower_assert(l, e, SYM_LE, max, NULL);
    return give_token(l, n);
}
