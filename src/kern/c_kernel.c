/* c_kernel.c -- kernel IR as a C function.
 *
 * A vector loop runs its one body in two passes: whole vectors first, then once with what is left, `n` being the number of
 * elements of a step; loads and stores take n and never touch what is beyond. Loops are unrolled by repeating the body.
 * Variables are named as in the IR: v7 a value, a0_1 the second partial result of sum 0, b2 a buffer, t0 a tile, p3 a parameter.
 */
#include "kern/kern_priv.h"

#include <string.h>

typedef struct printer {
    const kern_ir *k;
    const sym_table *t;
    text *out;
    kern_needs *needs;
    sym_expr vector_axis; /* of the loop at hand */
    bool by_lane;         /* indices are of lane l */
    uint32_t copy;        /* of an unrolled body */
} printer;

static fe_session *session_of(const printer *pr)
{
    return pr->k->program->session;
}

/* ---- indices ---- */

static void print_index(printer *pr, sym_expr e);

static void print_list(printer *pr, sym_expr e, const char *between)
{
    for (uint32_t i = 0; i < sym_arg_count(pr->t, e); i++) {
        if (i) text_add(pr->out, between);
        print_index(pr, sym_arg(pr->t, e, i));
    }
}

/* Is e never negative, going by its shape? */
static bool is_natural(const printer *pr, sym_expr e)
{
    int64_t value;
    if (kern_is_nonnegative(pr->k, e)) return true;
    if (sym_is_int(pr->t, e, &value)) return value >= 0;
    sym_op op = sym_op_of(pr->t, e);
    if (op == SYM_SYMBOL) return sym_kind_of(pr->t, e) == SYM_INDEX;
    if (op != SYM_ADD && op != SYM_MUL && op != SYM_MIN && op != SYM_FLOORDIV && op != SYM_MOD) return false;
    for (uint32_t i = 0; i < sym_arg_count(pr->t, e); i++)
        if (!is_natural(pr, sym_arg(pr->t, e, i))) return false;
    return true;
}

static void print_division(printer *pr, sym_expr e)
{
    bool modulo = sym_op_of(pr->t, e) == SYM_MOD;
    int64_t divisor;
    if (is_natural(pr, sym_arg(pr->t, e, 0)) && sym_is_int(pr->t, sym_arg(pr->t, e, 1), &divisor) && divisor > 0) {
        text_add(pr->out, "(i64)((u64)(");
        print_index(pr, sym_arg(pr->t, e, 0));
        text_printf(pr->out, ") %c %lldu)", modulo ? '%' : '/', (long long)divisor);
        return;
    }
    const char *name = modulo ? "fe_mod" : "fe_floordiv";
    kern_need(pr->needs, name);
    text_printf(pr->out, "%s(", name);
    print_list(pr, e, ", ");
    text_char(pr->out, ')');
}

static void print_symbol(printer *pr, sym_expr e)
{
    kern_ref v = kern_symbol_value(pr->k, e);
    text_add(pr->out, sym_name(pr->t, e));
    if (v && pr->k->values.at[v].vector) text_add(pr->out, "[l]");
}

static void print_index(printer *pr, sym_expr e)
{
    static const char *const BETWEEN[] = {[SYM_ADD] = " + ", [SYM_MUL] = " * ", [SYM_EQ] = " == ", [SYM_NE] = " != ",
                                          [SYM_LT] = " < ",  [SYM_LE] = " <= ", [SYM_AND] = " && ", [SYM_OR] = " || "};
    int64_t value;
    sym_op op = sym_op_of(pr->t, e);
    switch (op) {
    case SYM_CONST:
        sym_is_int(pr->t, e, &value);
        text_printf(pr->out, value < 0 ? "(%lld)" : "%lld", (long long)value);
        return;
    case SYM_SYMBOL:
        if (pr->by_lane && sym_same(e, pr->vector_axis))
            text_printf(pr->out, "(%s + l)", sym_name(pr->t, e));
        else
            print_symbol(pr, e);
        return;
    case SYM_FLOORDIV:
    case SYM_MOD: print_division(pr, e); return;
    case SYM_MIN:
    case SYM_MAX:
        kern_need(pr->needs, op == SYM_MIN ? "fe_min" : "fe_max");
        for (uint32_t i = 0; i + 1 < sym_arg_count(pr->t, e); i++) {
            text_add(pr->out, op == SYM_MIN ? "fe_min(" : "fe_max(");
            print_index(pr, sym_arg(pr->t, e, i));
            text_add(pr->out, ", ");
        }
        print_index(pr, sym_arg(pr->t, e, sym_arg_count(pr->t, e) - 1));
        for (uint32_t i = 0; i + 1 < sym_arg_count(pr->t, e); i++) text_char(pr->out, ')');
        return;
    case SYM_NOT: text_add(pr->out, "!"); break;
    default: break;
    }
    text_char(pr->out, '(');
    print_list(pr, e, op == SYM_NOT ? "" : BETWEEN[op]);
    text_char(pr->out, ')');
}

/* `b0 + index` or `b0[index]` */
static void print_place(printer *pr, uint32_t memory, sym_expr index, bool element)
{
    const kern_memory *m = &pr->k->memories.at[memory];
    text_printf(pr->out, "%c%u%s", m->is_tile ? 't' : 'b', m->number, element ? "[" : " + ");
    print_index(pr, index);
    if (element) text_char(pr->out, ']');
}

/* ---- values ---- */

static uint32_t lanes_of(const printer *pr, const kern_value *v)
{
    return v->vector ? pr->k->lanes : 1;
}

static const char *operand(printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    if (v->kind != KERN_CONST) return arena_printf(pr->needs->memory, "v%u", ref);
    text constant;
    text_init(&constant, pr->needs->memory);
    c_constant(&constant, pr->needs, v, lanes_of(pr, v));
    return constant.at;
}

static const char *type_of(printer *pr, ty_dtype dtype, uint32_t lanes)
{
    return c_type(pr->needs, dtype, lanes, pr->needs->memory);
}

static void print_one_element(printer *pr, const kern_value *v)
{
    print_place(pr, v->memory, v->index, true);
    if (v->dtype == TY_BOOL) text_add(pr->out, " != 0");
}

static void begin_lanes(printer *pr)
{
    text_add(pr->out, "for (int l = 0; l < n; l++) ");
    pr->by_lane = true;
}

static void end_lanes(printer *pr)
{
    pr->by_lane = false;
}

/* An array filled lane by lane, then taken as a vector. */
static void print_lanes(printer *pr, kern_ref ref, const kern_value *v)
{
    const char *type = type_of(pr, v->dtype, pr->k->lanes);
    const char *element = v->dtype == TY_BOOL ? "i32" : type_of(pr, v->dtype, 1);
    text_line(pr->out, "%s v%u;", type, ref);
    text_line(pr->out, "{");
    pr->out->indent++;
    text_line(pr->out, "%s e[%u] = {0};", element, pr->k->lanes);
    text_line(pr->out, "%s", "");
    pr->out->length--;
    for (int i = 0; i < pr->out->indent; i++) text_add(pr->out, "  ");
    begin_lanes(pr);
    if (v->guard && pr->k->values.at[v->guard].vector) text_printf(pr->out, "if (v%u[l]) ", v->guard);
    if (v->guard && !pr->k->values.at[v->guard].vector) text_printf(pr->out, "if (%s) ", operand(pr, v->guard));
    text_printf(pr->out, "e[l] = %s(", v->dtype == TY_BOOL ? "-" : "");
    if (v->kind == KERN_LOAD)
        print_one_element(pr, v);
    else
        print_index(pr, v->index);
    text_add(pr->out, ");\n");
    end_lanes(pr);
    text_line(pr->out, "__builtin_memcpy(&v%u, e, sizeof e);", ref);
    pr->out->indent--;
    text_line(pr->out, "}");
}

static void print_load(printer *pr, const kern_value *v)
{
    bool is_tile = pr->k->memories.at[v->memory].is_tile, masked = v->guard && pr->k->values.at[v->guard].vector;
    c_scope scope = {v->dtype, pr->k->lanes, {NULL, NULL, NULL}};
    if (v->guard && !masked) text_printf(pr->out, "!%s ? (%s){0} : ", operand(pr, v->guard), type_of(pr, v->dtype, lanes_of(pr, v)));
    if (v->access == KERN_ONE) {
        print_one_element(pr, v);
        return;
    }
    c_expand(pr->out, pr->needs, is_tile ? "@loadall(" : masked ? "@loadif(" : "@load(", &scope);
    print_place(pr, v->memory, v->index, false);
    if (is_tile)
        text_add(pr->out, ")");
    else if (masked)
        text_printf(pr->out, ", n, %s)", operand(pr, v->guard));
    else
        text_add(pr->out, ", n)");
}

/* base + (0, 1, ...) * stride */
static void print_spaced(printer *pr, const kern_value *v)
{
    sym_expr stride, rest;
    c_scope scope = {v->dtype, pr->k->lanes, {NULL, NULL, NULL}};
    bool linear = sym_linear_in((sym_table *)(uintptr_t)pr->t, v->index, pr->vector_axis, &stride, &rest);
    CHECK(session_of(pr), linear);
    c_expand(pr->out, pr->needs, "@iota() * ($E)", &scope);
    print_index(pr, stride);
    c_expand(pr->out, pr->needs, " + ($E)(", &scope);
    print_index(pr, v->index);
    text_char(pr->out, ')');
}

static void print_apply(printer *pr, const kern_value *v)
{
    uint32_t of = v->op == LOOP_WHERE ? 1 : 0;
    c_scope scope = {pr->k->values.at[v->args[of]].dtype, lanes_of(pr, v), {NULL, NULL, NULL}};
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++) scope.args[i] = operand(pr, v->args[i]);
    if (v->op == LOOP_WHERE && v->vector && !pr->k->values.at[v->args[0]].vector) {
        text_printf(pr->out, "%s ? %s : %s", scope.args[0], scope.args[1], scope.args[2]);
        return;
    }
    bool known = c_apply(pr->out, pr->needs, v->op, v->dtype, &scope);
    CHECK(session_of(pr), known);
}

static const char *sum_name(printer *pr, uint32_t sum, uint32_t copy)
{
    return arena_printf(pr->needs->memory, "a%u_%u", sum, copy);
}

static void print_define(printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const char *type = type_of(pr, v->dtype, lanes_of(pr, v));
    bool by_lane = v->access == KERN_LANES && (v->kind == KERN_LOAD || v->kind == KERN_NUMBER);
    if (by_lane) {
        print_lanes(pr, ref, v);
        return;
    }
    for (int i = 0; i < pr->out->indent; i++) text_add(pr->out, "  ");
    text_printf(pr->out, "%s v%u = ", type, ref);
    switch (v->kind) {
    case KERN_LOAD: print_load(pr, v); break;
    case KERN_NUMBER:
        if (v->access == KERN_UNIT)
            print_spaced(pr, v);
        else
            print_index(pr, v->index);
        break;
    case KERN_APPLY: print_apply(pr, v); break;
    case KERN_SPLAT:
        text_printf(pr->out, "%s%s - (%s){0}", v->dtype == TY_BOOL ? "-" : "", operand(pr, v->args[0]), type);
        break;
    default: text_printf(pr->out, "a%u", v->sum); break;
    }
    text_add(pr->out, ";\n");
}

/* ---- stores ---- */

static const char *combined(printer *pr, const kern_store *st, const char *old, const char *value, uint32_t lanes)
{
    static const loop_opcode COMBINE[] = {[LOOP_ADD_INTO] = LOOP_ADD, [LOOP_MUL_INTO] = LOOP_MUL,
                                          [LOOP_MIN_INTO] = LOOP_MIN, [LOOP_MAX_INTO] = LOOP_MAX};
    text out;
    ty_dtype dtype = pr->k->values.at[st->value].dtype;
    text_init(&out, pr->needs->memory);
    c_scope scope = {dtype, lanes, {old, value, NULL}};
    bool known = c_apply(&out, pr->needs, COMBINE[st->mode], dtype, &scope);
    CHECK(session_of(pr), known);
    return out.at;
}

static const char *place_text(printer *pr, const kern_store *st, bool element)
{
    text place, *out = pr->out;
    text_init(&place, pr->needs->memory);
    pr->out = &place;
    print_place(pr, st->memory, st->index, element);
    pr->out = out;
    return place.at;
}

static void print_store(printer *pr, const kern_store *st)
{
    const kern_value *v = &pr->k->values.at[st->value];
    const char *value = operand(pr, st->value);
    bool is_tile = pr->k->memories.at[st->memory].is_tile;
    c_scope scope = {v->dtype, lanes_of(pr, v), {NULL, NULL, NULL}};
    for (int i = 0; i < pr->out->indent; i++) text_add(pr->out, "  ");
    if (st->access == KERN_UNIT) {
        scope.args[0] = place_text(pr, st, false);
        scope.args[1] = value;
        if (st->mode != LOOP_SET) {
            text old;
            text_init(&old, pr->needs->memory);
            c_expand(&old, pr->needs, is_tile ? "@loadall($0)" : "@load($0, n)", &scope);
            scope.args[1] = combined(pr, st, old.at, value, pr->k->lanes);
        }
        c_expand(pr->out, pr->needs, is_tile ? "@storeall($0, $1);\n" : "@store($0, $1, n);\n", &scope);
        return;
    }
    bool lanes = st->access == KERN_LANES;
    if (lanes) {
        begin_lanes(pr);
        if (v->vector) value = arena_printf(pr->needs->memory, v->dtype == TY_BOOL ? "(%s[l] & 1)" : "%s[l]", value);
    }
    const char *place = place_text(pr, st, true);
    if (st->mode != LOOP_SET) value = combined(pr, st, place, value, 1);
    text_printf(pr->out, "%s = %s;\n", place, value);
    if (lanes) end_lanes(pr);
}

/* ---- accumulators ---- */

static const loop_opcode STEP[] = {[LOOP_SUM] = LOOP_ADD,         [LOOP_PROD] = LOOP_MUL, [LOOP_REDUCE_MIN] = LOOP_MIN,
                                   [LOOP_REDUCE_MAX] = LOOP_MAX,  [LOOP_ARGMIN] = LOOP_MIN, [LOOP_ARGMAX] = LOOP_MAX,
                                   [LOOP_ANY] = LOOP_OR,          [LOOP_ALL] = LOOP_AND,  [LOOP_REDUCE_XOR] = LOOP_XOR};
static const char *const JOIN[] = {[LOOP_SUM] = "@joinadd($0)",        [LOOP_PROD] = "@joinmul($0)",
                                   [LOOP_REDUCE_MIN] = "@joinmin($0)", [LOOP_REDUCE_MAX] = "@joinmax($0)",
                                   [LOOP_ARGMIN] = "@joinmin($0)",     [LOOP_ARGMAX] = "@joinmax($0)",
                                   [LOOP_ANY] = "@joinor($0)",         [LOOP_ALL] = "@joinand($0)",
                                   [LOOP_REDUCE_XOR] = "@joinxor($0)"};

static bool is_arg(const kern_sum *sum)
{
    return sum->reduce == LOOP_ARGMIN || sum->reduce == LOOP_ARGMAX;
}

/* Scalar sums of floats run in double, like the interpreter's. */
static ty_dtype sum_dtype(const kern_sum *sum)
{
    bool adds = sum->reduce == LOOP_SUM || sum->reduce == LOOP_PROD;
    if (sum->vector || !adds) return sum->dtype;
    if (sum->dtype == TY_C64) return TY_C128;
    return sum->dtype == TY_F32 ? TY_F64 : sum->dtype;
}

static uint32_t sum_lanes(const printer *pr, const kern_sum *sum)
{
    return sum->vector ? pr->k->lanes : 1;
}

static const char *identity(printer *pr, const kern_sum *sum, uint32_t lanes)
{
    ty_dtype d = sum_dtype(sum);
    bool is_float = ty_is_floating(d) || ty_is_complex(d), low = sum->reduce == LOOP_REDUCE_MAX || sum->reduce == LOOP_ARGMAX;
    bool high = sum->reduce == LOOP_REDUCE_MIN || sum->reduce == LOOP_ARGMIN;
    kern_value v = {.kind = KERN_CONST, .dtype = d, .vector = lanes > 1};
    int bits = d == TY_BOOL ? 1 : 8 * (int)ty_dtype_size(d);
    bool no_sign = ty_dtype_kind(d) != TY_KIND_SIGNED;
    if (is_float && (low || high))
        v.number[0] = low ? -(double)__builtin_inf() : (double)__builtin_inf();
    else if (is_float)
        v.number[0] = sum->reduce == LOOP_PROD;
    else if (sum->reduce == LOOP_PROD || sum->reduce == LOOP_ALL)
        v.integer = 1;
    else if (low)
        v.integer = no_sign ? 0 : (int64_t)(~0ull << (bits - 1));
    else if (high)
        v.integer = (int64_t)(~0ull >> (no_sign ? 64 - bits : 65 - bits));
    text out;
    text_init(&out, pr->needs->memory);
    c_constant(&out, pr->needs, &v, lanes);
    return out.at;
}

static void print_start(printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    uint32_t lanes = sum_lanes(pr, sum);
    const char *type = type_of(pr, sum_dtype(sum), lanes);
    for (uint32_t c = 0; c < sum->copies; c++) {
        text_line(pr->out, "%s %s = %s;", type, sum_name(pr, number, c), identity(pr, sum, lanes));
        if (is_arg(sum))
            text_line(pr->out, "%s w%s = (%s){0} - 1;", type_of(pr, TY_I64, lanes), sum_name(pr, number, c),
                      type_of(pr, TY_I64, lanes));
    }
    if (sum->blocked) text_line(pr->out, "%s s%u = {0}, c%u = {0};", type, number, number);
}

/* Lanes beyond the end must not count. */
static const char *neutral(printer *pr, const kern_sum *sum, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const char *value = operand(pr, ref);
    if (!sum->across) return value;
    bool zero_is_neutral = sum->reduce == LOOP_SUM || sum->reduce == LOOP_ANY || sum->reduce == LOOP_REDUCE_XOR;
    bool is_loaded = v->kind == KERN_LOAD && !pr->k->memories.at[v->memory].is_tile;
    if (zero_is_neutral && is_loaded) return value;
    text out;
    text_init(&out, pr->needs->memory);
    c_scope scope = {v->dtype, pr->k->lanes, {"m", value, identity(pr, sum, pr->k->lanes)}};
    text_char(&out, '(');
    if (zero_is_neutral && v->dtype != TY_BOOL && ty_dtype_size(v->dtype) == 4)
        c_expand(&out, pr->needs, "($T)(($I)$1 & m)", &scope);
    else
        c_apply(&out, pr->needs, LOOP_WHERE, v->dtype, &scope);
    text_char(&out, ')');
    return out.at;
}

/* x takes over where it is more extreme than all before, or is the first NaN. */
static void print_arg_update(printer *pr, const kern_item *item)
{
    const kern_sum *sum = &pr->k->sums.at[item->sum];
    const char *best = sum_name(pr, item->sum, pr->copy), *x = operand(pr, item->value);
    bool vector = sum->vector, is_float = ty_is_floating(sum->dtype);
    text flat, *out = pr->out;
    text_init(&flat, pr->needs->memory);
    pr->out = &flat;
    print_index(pr, item->flat);
    pr->out = out;
    const char *relation = sum->reduce == LOOP_ARGMAX ? "<=" : ">=";
    text_line(pr->out, "{");
    pr->out->indent++;
    if (!vector) {
        text_line(pr->out, "if (!(%s %s %s)%s%s%s%s) {", x, relation, best, is_float ? " && " : "", is_float ? best : "",
                  is_float ? " == " : "", is_float ? best : "");
        text_line(pr->out, "  %s = %s;", best, x);
        text_line(pr->out, "  w%s = %s;", best, flat.at);
        text_line(pr->out, "}");
    } else {
        c_scope scope = {sum->dtype, pr->k->lanes, {x, best, NULL}};
        text test;
        text_init(&test, pr->needs->memory);
        c_expand(&test, pr->needs, sum->reduce == LOOP_ARGMAX ? "~($0 <= $1)" : "~($0 >= $1)", &scope);
        if (is_float) c_expand(&test, pr->needs, " & ($1 == $1)", &scope);
        text_line(pr->out, "%s u = __builtin_convertvector(%s, %s)%s;", type_of(pr, TY_BOOL, pr->k->lanes), test.at,
                  type_of(pr, TY_BOOL, pr->k->lanes), sum->across ? " & m" : "");
        scope = (c_scope){sum->dtype, pr->k->lanes, {"u", x, best}};
        text pick;
        text_init(&pick, pr->needs->memory);
        c_apply(&pick, pr->needs, LOOP_WHERE, sum->dtype, &scope);
        text_line(pr->out, "%s = %s;", best, pick.at);
        scope = (c_scope){TY_I64, pr->k->lanes, {NULL, NULL, NULL}};
        const char *where = type_of(pr, TY_I64, pr->k->lanes);
        text_line(pr->out, "%s f = (%s) - (%s){0};", where, flat.at, where);
        if (sum->across) {
            text iota;
            text_init(&iota, pr->needs->memory);
            c_expand(&iota, pr->needs, "f += @iota();", &scope);
            text_line(pr->out, "%s", iota.at);
        }
        text chosen;
        text_init(&chosen, pr->needs->memory);
        scope = (c_scope){TY_I64, pr->k->lanes, {"u", "f", arena_printf(pr->needs->memory, "w%s", best)}};
        c_apply(&chosen, pr->needs, LOOP_WHERE, TY_I64, &scope);
        text_line(pr->out, "w%s = %s;", best, chosen.at);
    }
    pr->out->indent--;
    text_line(pr->out, "}");
}

static void print_update(printer *pr, const kern_item *item)
{
    const kern_sum *sum = &pr->k->sums.at[item->sum];
    const char *to = sum_name(pr, item->sum, pr->copy);
    if (is_arg(sum)) {
        print_arg_update(pr, item);
        return;
    }
    c_scope scope = {sum_dtype(sum), sum_lanes(pr, sum), {to, neutral(pr, sum, item->value), NULL}};
    text_printf(pr->out, "%*s%s = ", 2 * pr->out->indent, "", to);
    bool known = c_apply(pr->out, pr->needs, STEP[sum->reduce], scope.dtype, &scope);
    CHECK(session_of(pr), known);
    text_add(pr->out, ";\n");
}

/* All copies in copy 0. */
static void fold_copies(printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    for (uint32_t step = 1; step < sum->copies; step *= 2)
        for (uint32_t c = 0; c + step < sum->copies; c += 2 * step) {
            const char *to = sum_name(pr, number, c), *from = sum_name(pr, number, c + step);
            c_scope scope = {sum_dtype(sum), sum_lanes(pr, sum), {to, from, NULL}};
            text_printf(pr->out, "%*s%s = ", 2 * pr->out->indent, "", to);
            c_apply(pr->out, pr->needs, STEP[sum->reduce], scope.dtype, &scope);
            text_add(pr->out, ";\n");
        }
}

/* The partial sums go to the total with what rounding loses kept apart (Knuth's two-sum). */
static void print_drain(printer *pr, uint32_t number)
{
    const kern_sum *sum = &pr->k->sums.at[number];
    const char *type = type_of(pr, sum->dtype, sum_lanes(pr, sum));
    fold_copies(pr, number);
    text_line(pr->out, "{");
    text_line(pr->out, "  const %s x = a%u_0, y = s%u + x, z = y - s%u;", type, number, number, number);
    text_line(pr->out, "  c%u += (s%u - (y - z)) + (x - z);", number, number);
    text_line(pr->out, "  s%u = y;", number);
    text_line(pr->out, "}");
    for (uint32_t c = 0; c < sum->copies; c++) text_line(pr->out, "%s = (%s){0};", sum_name(pr, number, c), type);
}

/* The best of the lanes, the first of equals. Lanes that saw nothing but the identity have -1. */
static void print_arg_result(printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const kern_sum *sum = &pr->k->sums.at[v->sum];
    const char *best = sum_name(pr, v->sum, 0);
    if (!sum->across) {
        bool vector = sum->vector;
        const char *type = type_of(pr, TY_I64, sum_lanes(pr, sum));
        text_line(pr->out, vector ? "%s v%u = w%s & ~(w%s >> 63);" : "%s v%u = w%s < 0 ? 0 : w%s;", type, ref, best, best);
        return;
    }
    const char *element = type_of(pr, sum->dtype, 1);
    text_line(pr->out, "i64 v%u = -1;", ref);
    text_line(pr->out, "{");
    text_line(pr->out, "  %s x = 0;", element);
    text_line(pr->out, "  for (int l = 0; l < %u; l++) {", pr->k->lanes);
    text_line(pr->out, "    const %s y = %s[l];", element, best);
    text_line(pr->out, "    const i64 w = w%s[l];", best);
    text_line(pr->out, "    if (w < 0) continue;");
    const char *relation = sum->reduce == LOOP_ARGMAX ? ">" : "<";
    if (ty_is_floating(sum->dtype)) {
        text_line(pr->out, "    const int more = v%u < 0 || y %s x || (y != y && x == x);", ref, relation);
        text_line(pr->out, "    const int same = y == x || (y != y && x != x);");
    } else {
        text_line(pr->out, "    const int more = v%u < 0 || y %s x, same = y == x;", ref, relation);
    }
    text_line(pr->out, "    if (more || (same && w < v%u)) x = y, v%u = w;", ref, ref);
    text_line(pr->out, "  }");
    text_line(pr->out, "  if (v%u < 0) v%u = 0;", ref, ref);
    text_line(pr->out, "}");
}

static void print_result(printer *pr, kern_ref ref)
{
    const kern_value *v = &pr->k->values.at[ref];
    const kern_sum *sum = &pr->k->sums.at[v->sum];
    if (is_arg(sum)) {
        print_arg_result(pr, ref);
        return;
    }
    fold_copies(pr, v->sum);
    if (sum->blocked) text_line(pr->out, "a%u_0 = s%u + (a%u_0 + c%u);", v->sum, v->sum, v->sum, v->sum);
    c_scope scope = {sum->dtype, pr->k->lanes, {sum_name(pr, v->sum, 0), NULL, NULL}};
    const char *type = type_of(pr, v->dtype, lanes_of(pr, v));
    text_printf(pr->out, "%*s%s v%u = ", 2 * pr->out->indent, "", type, ref);
    if (sum->across)
        c_expand(pr->out, pr->needs, JOIN[sum->reduce], &scope);
    else
        text_printf(pr->out, "%s%s%s", sum->vector ? "" : "(", sum->vector ? "" : type, sum->vector ? "" : ")"),
            text_add(pr->out, scope.args[0]);
    text_add(pr->out, ";\n");
}

/* ---- loops ---- */

static void print_items(printer *pr, const kern_loop *loop);

static void print_range_line(printer *pr, const kern_loop *loop, const char *format)
{
    text extent, *out = pr->out;
    text_init(&extent, pr->needs->memory);
    pr->out = &extent;
    if (!loop->columns) print_index(pr, loop->extent);
    pr->out = out;
    const char *name = sym_name(pr->t, loop->symbol);
    text_line(pr->out, format, name, loop->columns ? "n0" : "0", loop->columns ? "n1" : extent.at);
}

static void print_sequence(printer *pr, const kern_loop *loop)
{
    print_range_line(pr, loop, "for (i64 %1$s = %2$s; %1$s < %3$s; %1$s++) {");
    pr->out->indent++;
    print_items(pr, loop);
    pr->out->indent--;
    text_line(pr->out, "}");
}

static bool updates_sums(const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++)
        if (loop->items.at[i].kind == KERN_UPDATE) return true;
    return false;
}

static void print_tail_mask(printer *pr, const char *count, const char *name)
{
    c_scope scope = {TY_I32, pr->k->lanes, {count, name, NULL}};
    text mask;
    text_init(&mask, pr->needs->memory);
    c_expand(&mask, pr->needs, "const $T $1 = @tail($0);", &scope);
    text_line(pr->out, "%s", mask.at);
}

/* Copy c of the body works on lanes [c * lanes, ...) of the step; what it may touch is worked out once a pass. */
static void print_copies(printer *pr, const kern_loop *loop, const char *name)
{
    for (uint32_t c = 0; c < loop->unroll; c++) {
        text_line(pr->out, "{");
        pr->out->indent++;
        text_line(pr->out, "const i64 %s = %s_ + %u, n = n_%u;", name, name, c * pr->k->lanes, c);
        if (updates_sums(loop)) text_line(pr->out, "const %s m = m_%u;", type_of(pr, TY_I32, pr->k->lanes), c);
        pr->copy = c;
        print_items(pr, loop);
        pr->out->indent--;
        text_line(pr->out, "}");
    }
    pr->copy = 0;
}

static void print_vector(printer *pr, const kern_loop *loop)
{
    const char *name = sym_name(pr->t, loop->symbol);
    uint32_t step = pr->k->lanes * loop->unroll;
    sym_expr axis_before = pr->vector_axis;
    pr->vector_axis = loop->symbol;
    const char *formats[] = {"for (i64 %1$s = %2$s, n = ", "for (i64 %1$s_ = %2$s, n_ = "};
    const char *left[] = {"; %1$s < %3$s; n = %3$s - %1$s) {", "; %1$s_ < %3$s; n_ = %3$s - %1$s_) {"};
    const char *inner[] = {"for (; %1$s + n <= %3$s; %1$s += n) {", "for (; %1$s_ + n_ <= %3$s; %1$s_ += n_) {"};
    int many = loop->unroll > 1;
    print_range_line(pr, loop, arena_printf(pr->needs->memory, "%s%u%s", formats[many], step, left[many]));
    pr->out->indent++;
    for (uint32_t c = 0; many && c < loop->unroll; c++) {
        kern_need(pr->needs, "fe_min");
        kern_need(pr->needs, "fe_max");
        text_line(pr->out, "const i64 n_%u = fe_max(fe_min(n_ - %u, %u), 0);", c, c * pr->k->lanes, pr->k->lanes);
        if (updates_sums(loop))
            print_tail_mask(pr, arena_printf(pr->needs->memory, "n_%u", c), arena_printf(pr->needs->memory, "m_%u", c));
    }
    if (!many && updates_sums(loop)) print_tail_mask(pr, "n", "m");
    print_range_line(pr, loop, inner[many]);
    pr->out->indent++;
    if (many)
        print_copies(pr, loop, name);
    else
        print_items(pr, loop);
    pr->out->indent--;
    text_line(pr->out, "}");
    pr->out->indent--;
    text_line(pr->out, "}");
    pr->vector_axis = axis_before;
}

static const char *index_text(printer *pr, sym_expr e)
{
    text index, *out = pr->out;
    text_init(&index, pr->needs->memory);
    pr->out = &index;
    print_index(pr, e);
    pr->out = out;
    return index.at;
}

/* The outer axes of row m; the last ones count up, with carries. */
static void print_decode(printer *pr)
{
    const kern_ir *k = pr->k;
    text_line(pr->out, "i64 left = m0;");
    for (uint32_t i = k->outer; i-- > 0;) {
        const char *name = sym_name(pr->t, k->axes[i]), *extent = index_text(pr, k->extents[i]);
        if (i)
            text_line(pr->out, "i64 %s = left %% %s; left /= %s;", name, extent, extent);
        else
            text_line(pr->out, "i64 %s = left;", name);
    }
}

static void print_carry(printer *pr, const char *step)
{
    const kern_ir *k = pr->k;
    for (uint32_t i = k->outer; i-- > 0;) {
        const char *name = sym_name(pr->t, k->axes[i]);
        text_printf(pr->out, "%*s%s += %s;", 2 * pr->out->indent, "", name, i + 1 == k->outer ? step : "1");
        if (i) text_printf(pr->out, " if (%s == %s) { %s = 0;", name, index_text(pr, k->extents[i]), name);
        text_char(pr->out, '\n');
    }
    if (k->outer > 1) {
        text_printf(pr->out, "%*s", 2 * pr->out->indent, "");
        for (uint32_t i = 1; i < k->outer; i++) text_char(pr->out, '}');
        text_char(pr->out, '\n');
    }
}

static void print_rows(printer *pr, const kern_loop *loop)
{
    const kern_ir *k = pr->k;
    if (k->outer == 0) {
        text_line(pr->out, "if (m0 < m1) {");
    } else if (k->outer == 1 && !k->outer_vector) {
        const char *name = sym_name(pr->t, k->axes[0]);
        text_line(pr->out, "for (i64 %s = m0; %s < m1; %s++) {", name, name, name);
    } else {
        print_decode(pr);
        if (k->outer_vector) {
            const char *last = sym_name(pr->t, k->axes[k->outer - 1]), *extent = index_text(pr, k->extents[k->outer - 1]);
            pr->vector_axis = k->axes[k->outer - 1];
            kern_need(pr->needs, "fe_min");
            text_line(pr->out, "for (i64 m = m0, n; m < m1; m += n) {");
            text_line(pr->out, "  n = fe_min(%u, fe_min(m1 - m, %s - %s));", k->lanes, extent, last);
        } else {
            text_line(pr->out, "for (i64 m = m0; m < m1; m++) {");
        }
    }
    pr->out->indent++;
    print_items(pr, loop);
    if (k->outer > 1 || k->outer_vector) print_carry(pr, k->outer_vector ? "n" : "1");
    pr->out->indent--;
    text_line(pr->out, "}");
}

static void print_item(printer *pr, const kern_item *item)
{
    switch (item->kind) {
    case KERN_DEFINE:
        if (pr->k->values.at[item->value].kind == KERN_RESULT)
            print_result(pr, item->value);
        else
            print_define(pr, item->value);
        break;
    case KERN_STORE: print_store(pr, &item->store); break;
    case KERN_START: print_start(pr, item->sum); break;
    case KERN_UPDATE: print_update(pr, item); break;
    case KERN_DRAIN: print_drain(pr, item->sum); break;
    case KERN_LOOP:
        if (item->loop->kind == KERN_ROWS)
            print_rows(pr, item->loop);
        else if (item->loop->kind == KERN_VECTOR)
            print_vector(pr, item->loop);
        else
            print_sequence(pr, item->loop);
        break;
    }
}

static void print_items(printer *pr, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) print_item(pr, &loop->items.at[i]);
}

/* ---- the function ---- */

static void print_arguments(printer *pr)
{
    const kern_ir *k = pr->k;
    for (uint32_t i = 0; i < k->memories.count; i++) {
        const kern_memory *m = &k->memories.at[i];
        const char *type = c_memory_type(m->dtype), *constant = m->is_written ? "" : "const ";
        if (m->is_tile)
            text_line(pr->out, "%s *const t%u = __builtin_alloca_with_align(%s * sizeof(%s), 512);", type, m->number,
                      index_text(pr, m->elements), type);
        else
            text_line(pr->out, "%s%s *const b%u = args->buffers[%u];", constant, type, m->number, m->number);
    }
}

void kern_print_c(const kern_ir *k, const char *name, text *out, kern_needs *needs)
{
    text body;
    text_init(&body, needs->memory);
    body.indent = 1;
    printer pr = {.k = k, .t = k->program->symbols, .out = &body, .needs = needs};
    print_arguments(&pr);
    if (k->serial) {
        text_line(&body, "if (m0 >= m1) return;");
        text_line(&body, "m0 = 0, m1 = %s;", index_text(&pr, k->total));
    }
    print_items(&pr, k->body);
    text_printf(out, "void %s(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)\n{\n", name);
    for (uint32_t i = 0; i < k->params.count; i++) text_printf(out, "  const i64 p%u = args->ints[%u];\n", i, i);
    if (!k->columns) text_add(out, "  (void)n0, (void)n1;\n");
    text_add(out, body.at);
    text_add(out, "}\n");
}
