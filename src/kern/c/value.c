/* value.c -- values and stores of a kernel as C: indices, loads, operations, lanes. */
#include "kern/c/c.h"

static fe_session *session_of(const kern_c_printer *pr)
{
    return sym_session(pr->t);
}

const char *kern_c_format(kern_c_printer *pr, const char *format, const char *a, const char *b)
{
    return arena_printf(pr->needs->memory, format, a, b);
}

/* ---- indices ---- */

static void print_index(kern_c_printer *pr, sym_expr e);

static void print_list(kern_c_printer *pr, sym_expr e, const char *between)
{
    for (uint32_t i = 0; i < sym_arg_count(pr->t, e); i++) {
        if (i) text_add(pr->out, between);
        print_index(pr, sym_arg(pr->t, e, i));
    }
}

static void print_division(kern_c_printer *pr, sym_expr e)
{
    bool modulo = sym_op_of(pr->t, e) == SYM_MOD;
    int64_t divisor;
    sym_expr dividend = sym_arg(pr->t, e, 0);
    if (kern_is_natural(pr->k, dividend) && sym_is_int(pr->t, sym_arg(pr->t, e, 1), &divisor) &&
        divisor > 0) {
        text_add(pr->out, "(i64)((u64)(");
        print_index(pr, dividend);
        text_printf(pr->out, ") %c %lldu)", modulo ? '%' : '/', (long long)divisor);
        return;
    }
    const char *name = modulo ? "fe_mod" : "fe_floordiv";
    kern_need(pr->needs, name);
    text_printf(pr->out, "%s(", name);
    print_list(pr, e, ", ");
    text_char(pr->out, ')');
}

static void print_extreme(kern_c_printer *pr, sym_expr e)
{
    const char *name = sym_op_of(pr->t, e) == SYM_MIN ? "fe_min" : "fe_max";
    uint32_t count = sym_arg_count(pr->t, e);
    kern_need(pr->needs, name);
    for (uint32_t i = 0; i + 1 < count; i++) {
        text_printf(pr->out, "%s(", name);
        print_index(pr, sym_arg(pr->t, e, i));
        text_add(pr->out, ", ");
    }
    print_index(pr, sym_arg(pr->t, e, count - 1));
    for (uint32_t i = 0; i + 1 < count; i++) text_char(pr->out, ')');
}

static void print_symbol(kern_c_printer *pr, sym_expr e)
{
    kern_ref v = kern_symbol_value(pr->k, e);
    if (v)
        text_add(pr->out, kern_c_name(pr, v));
    else if (sym_same(e, pr->vector_axis) && pr->copy > 0)
        text_printf(pr->out, "(%s + %u)", sym_name(pr->t, e), pr->copy * pr->k->lanes);
    else
        text_add(pr->out, sym_name(pr->t, e));
}

static void print_index(kern_c_printer *pr, sym_expr e)
{
    static const char *const BETWEEN[] = {[SYM_ADD] = " + ",  [SYM_MUL] = " * ", [SYM_EQ] = " == ",
                                          [SYM_NE] = " != ",  [SYM_LT] = " < ",  [SYM_LE] = " <= ",
                                          [SYM_AND] = " && ", [SYM_OR] = " || ", [SYM_NOT] = ""};
    int64_t value;
    sym_op op = sym_op_of(pr->t, e);
    switch (op) {
    case SYM_CONST:
        sym_is_int(pr->t, e, &value);
        text_printf(pr->out, value < 0 ? "(%lld)" : "%lld", (long long)value);
        return;
    case SYM_SYMBOL: print_symbol(pr, e); return;
    case SYM_FLOORDIV:
    case SYM_MOD: print_division(pr, e); return;
    case SYM_MIN:
    case SYM_MAX: print_extreme(pr, e); return;
    default: break;
    }
    text_add(pr->out, op == SYM_NOT ? "!(" : "(");
    print_list(pr, e, BETWEEN[op]);
    text_char(pr->out, ')');
}

const char *kern_c_index(kern_c_printer *pr, sym_expr e)
{
    text index, *out = pr->out;
    text_init(&index, pr->needs->memory);
    pr->out = &index;
    print_index(pr, e);
    pr->out = out;
    return index.at;
}

static const char *memory_name(kern_c_printer *pr, uint32_t memory)
{
    const kern_memory *m = &pr->k->memories.at[memory];
    return arena_printf(pr->needs->memory, "%c%u", m->is_tile ? 't' : 'b', m->number);
}

/* `b0 + index` or `b0[index]` */
static const char *place_of(kern_c_printer *pr, uint32_t memory, sym_expr index, bool element)
{
    return kern_c_format(pr, element ? "%s[%s]" : "%s + %s", memory_name(pr, memory),
                         kern_c_index(pr, index));
}

/* ---- values ---- */

static const kern_value *value_at(const kern_c_printer *pr, kern_ref v)
{
    return &pr->k->values.at[v];
}

static uint32_t lanes_of(const kern_c_printer *pr, const kern_value *v)
{
    return v->vector ? pr->k->lanes : 1;
}

/* A scalar that is another one for each vector of a step. */
static bool is_of_vector(const kern_c_printer *pr, const kern_value *v)
{
    if (v->kind == KERN_COUNT || v->kind == KERN_HALF || v->kind == KERN_ANY) return true;
    if (v->kind == KERN_NUMBER || v->kind == KERN_LOAD) return v->runs;
    for (size_t i = 0; i < COUNT_OF(v->args) && v->kind == KERN_APPLY; i++)
        if (v->args[i] && kern_c_is_copied(pr, v->args[i])) return true;
    return false;
}

bool kern_c_is_copied(const kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    if (pr->copies == 1 || v->level < pr->copied) return v->copies > 1;
    return v->vector || v->copies > 1 || is_of_vector(pr, v);
}

static const char *name_of_copy(kern_c_printer *pr, kern_ref ref, uint32_t copy)
{
    return arena_printf(pr->needs->memory, "v%u_%u", ref, copy);
}

const char *kern_c_name(kern_c_printer *pr, kern_ref ref)
{
    if (kern_c_is_copied(pr, ref)) return name_of_copy(pr, ref, pr->copy);
    return arena_printf(pr->needs->memory, "v%u", ref);
}

const char *kern_c_count(kern_c_printer *pr, kern_ref count)
{
    return count ? kern_c_operand(pr, count) : arena_printf(pr->needs->memory, "%u", pr->k->lanes);
}

const char *kern_c_operand(kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    if (v->kind != KERN_CONST) return kern_c_name(pr, ref);
    text constant;
    text_init(&constant, pr->needs->memory);
    kern_c_constant(&constant, pr->needs, v, lanes_of(pr, v));
    return constant.at;
}

const char *kern_c_type_of(kern_c_printer *pr, ty_dtype dtype, uint32_t lanes)
{
    return kern_c_type(pr->needs, dtype, lanes, pr->needs->memory);
}

const char *kern_c_text(kern_c_printer *pr, const char *template, const kern_c_scope *scope)
{
    text out;
    text_init(&out, pr->needs->memory);
    text_add(&out, "");
    kern_c_expand(&out, pr->needs, template, scope);
    return out.at;
}

const char *kern_c_applied(kern_c_printer *pr, loop_opcode op, ty_dtype result,
                           const kern_c_scope *scope)
{
    text out;
    text_init(&out, pr->needs->memory);
    if (!kern_c_apply(&out, pr->needs, op, result, scope))
        BUG(session_of(pr), "%s of %s has no C", loop_opcode_name(op), ty_dtype_name(scope->dtype));
    return out.at;
}

static const char *element_of(kern_c_printer *pr, const kern_value *v)
{
    const char *place = place_of(pr, v->memory, v->index, true);
    return v->dtype == TY_BOOL ? kern_c_format(pr, "%s != 0", place, NULL) : place;
}

static const char *gather_text(kern_c_printer *pr, const kern_value *v)
{
    const char *from = sym_is_none(v->index) ? memory_name(pr, v->memory)
                                             : place_of(pr, v->memory, v->index, false);
    kern_c_scope scope = {v->dtype, pr->k->lanes, {from, kern_c_operand(pr, v->args[0]), NULL}};
    scope.args[2] =
        kern_c_format(pr, "%s, %s", kern_c_count(pr, v->count), kern_c_operand(pr, v->guard));
    bool is_short = value_at(pr, v->args[0])->dtype == TY_I32;
    return kern_c_text(pr, is_short ? "@shortgatherif($0, $1, $2)" : "@gatherif($0, $1, $2)",
                       &scope);
}

static const char *half_text(kern_c_printer *pr, const kern_value *v)
{
    const char *count = kern_c_name(pr, v->args[0]);
    uint32_t lanes = pr->k->lanes;
    if (v->copy)
        return arena_printf(pr->needs->memory, "%s > %u ? 2 * %s - %u : 0", count, lanes / 2, count,
                            lanes);
    return arena_printf(pr->needs->memory, "%s < %u ? 2 * %s : %u", count, lanes / 2, count, lanes);
}

static const char *load_text(kern_c_printer *pr, const kern_value *v)
{
    bool is_tile = pr->k->memories.at[v->memory].is_tile, guarded = v->guard != 0;
    bool masked = guarded && value_at(pr, v->guard)->vector;
    const char *loaded;
    if (v->access == KERN_ONE) {
        loaded = element_of(pr, v);
    } else {
        kern_c_scope scope = {
            v->dtype,
            pr->k->lanes,
            {place_of(pr, v->memory, v->index, false), kern_c_count(pr, v->count), NULL}};
        bool whole = is_tile || (!v->count && !masked);
        if (masked) scope.args[2] = kern_c_operand(pr, v->guard);
        loaded = kern_c_text(pr,
                             whole    ? "@loadall($0)"
                             : masked ? "@loadif($0, $1, $2)"
                                      : "@load($0, $1)",
                             &scope);
    }
    if (!guarded || masked) return loaded;
    uint32_t lanes = lanes_of(pr, v);
    return arena_printf(pr->needs->memory, lanes == 1 ? "%s ? %s : (%s)0" : "%s ? %s : (%s){0}",
                        kern_c_operand(pr, v->guard), loaded, kern_c_type_of(pr, v->dtype, lanes));
}

/* base + (0, 1, ...) * stride */
static const char *spaced_text(kern_c_printer *pr, const kern_value *v)
{
    sym_expr stride, rest;
    kern_c_scope scope = {v->dtype, pr->k->lanes, {kern_c_index(pr, v->index), NULL, NULL}};
    if (v->runs) return kern_c_text(pr, "@iota() + ($E)($0)", &scope);
    bool linear = sym_linear_in(pr->k->symbols, v->index, pr->vector_axis, &stride, &rest);
    CHECK(session_of(pr), linear);
    scope.args[1] = scope.args[0];
    scope.args[0] = kern_c_index(pr, stride);
    return kern_c_text(pr, "@iota() * ($E)($0) + ($E)($1)", &scope);
}

static bool is_plain_number(const kern_value *v)
{
    return v->kind == KERN_CONST && v->number[0] == v->number[0];
}

/* Bits of a mask alone make it. */
static bool is_kept_or_zero(const kern_c_printer *pr, const kern_value *v)
{
    if (v->op != LOOP_WHERE || !v->vector || !value_at(pr, v->args[0])->vector) return false;
    const kern_value *other = value_at(pr, v->args[2]);
    return v->dtype != TY_BOOL && ty_dtype_size(v->dtype) == 4 && other->kind == KERN_CONST &&
           other->integer == 0;
}

/* What numbers of 64 bits compare to as a number of as many: not by way of a mask, which has 32. NULL: it is
 * nothing like that. */
static const char *wide_truth(kern_c_printer *pr, const kern_value *v)
{
    const kern_value *truth = value_at(pr, v->args[0]), *x = value_at(pr, truth->args[0]);
    bool compares = truth->op == LOOP_EQ || truth->op == LOOP_NE || truth->op == LOOP_LT ||
                    truth->op == LOOP_LE;
    if (v->op != LOOP_CAST || (v->dtype != TY_I64 && v->dtype != TY_U64) || !v->vector ||
        truth->kind != KERN_APPLY || !compares || (x->dtype != TY_I64 && x->dtype != TY_F64))
        return NULL;
    kern_c_scope scope = {v->dtype, lanes_of(pr, v), {NULL, NULL, NULL}};
    for (uint32_t i = 0; i < 2; i++) {
        if (value_at(pr, truth->args[i])->kind == KERN_VARIABLE)
            return NULL; /* has changed, maybe */
        scope.args[i] = kern_c_operand(pr, truth->args[i]);
    }
    return kern_c_text(pr,
                       truth->op == LOOP_EQ   ? "($T)($0 == $1) & 1"
                       : truth->op == LOOP_NE ? "($T)($0 != $1) & 1"
                       : truth->op == LOOP_LT ? "($T)($0 < $1) & 1"
                                              : "($T)($0 <= $1) & 1",
                       &scope);
}

static const char *apply_text(kern_c_printer *pr, const kern_value *v)
{
    kern_c_scope scope = {
        value_at(pr, v->args[v->op == LOOP_WHERE])->dtype, lanes_of(pr, v), {NULL, NULL, NULL}};
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++)
        scope.args[i] = kern_c_operand(pr, v->args[i]);
    if (is_kept_or_zero(pr, v)) return kern_c_text(pr, "($T)($0 & ($I)$1)", &scope);
    if (v->op == LOOP_WHERE && v->vector && !value_at(pr, v->args[0])->vector)
        return kern_c_text(pr, "$0 ? $1 : $2", &scope);
    bool extreme = v->op == LOOP_MIN || v->op == LOOP_MAX;
    if (extreme && v->vector && ty_is_floating(v->dtype)) {
        /* a constant first: one instruction */
        const char *name = v->op == LOOP_MIN ? "@mink" : "@maxk";
        if (is_plain_number(value_at(pr, v->args[0])))
            return kern_c_text(pr, kern_c_format(pr, "%s($0, $1)", name, NULL), &scope);
        if (is_plain_number(value_at(pr, v->args[1])))
            return kern_c_text(pr, kern_c_format(pr, "%s($1, $0)", name, NULL), &scope);
    }
    const char *wide = wide_truth(pr, v);
    if (wide) return wide;
    return kern_c_applied(pr, v->op, v->dtype, &scope);
}

static const char *below_text(kern_c_printer *pr, const kern_value *v)
{
    kern_c_scope scope = {TY_I32, lanes_of(pr, v), {kern_c_index(pr, v->index), NULL, NULL}};
    return kern_c_text(pr, v->vector ? "@below($0)" : "$0 > 0", &scope);
}

static const char *lane_text(kern_c_printer *pr, const kern_value *v)
{
    kern_value all = *value_at(pr, v->args[0]);
    if (v->access == KERN_UNIT) {
        all.index = sym_add(pr->k->symbols, all.index, v->index);
        return element_of(pr, &all);
    }
    return kern_c_format(pr, v->dtype == TY_BOOL ? "%s[%s] & 1" : "%s[%s]",
                         kern_c_name(pr, v->args[0]), sym_name(pr->t, v->index));
}

static const char *call_text(kern_c_printer *pr, const kern_value *v)
{
    text out;
    text_init(&out, pr->needs->memory);
    kern_need(pr->needs, v->callee->name);
    text_printf(&out, "%s(", v->callee->name);
    for (uint32_t i = 0; i < v->callee->parameter_count; i++)
        text_printf(&out, i ? ", %s" : "%s", kern_c_operand(pr, v->args[i]));
    text_char(&out, ')');
    return out.at;
}

static const char *read_text(kern_c_printer *pr, const kern_value *v)
{
    if (value_at(pr, v->args[0])->copies > 1) return name_of_copy(pr, v->args[0], v->copy);
    return kern_c_operand(pr, v->args[0]);
}

static const char *fused_text(kern_c_printer *pr, const kern_value *v)
{
    kern_c_scope scope = {v->dtype, 1, {NULL, NULL, NULL}};
    for (uint32_t i = 0; i < 3; i++) scope.args[i] = kern_c_operand(pr, v->args[i]);
    return kern_c_text(pr, "__builtin_fma$f($0, $1, $2)", &scope);
}

/* ---- lines ---- */

/* `name = from;` for each copy of a variable that stands outside of its loop. */
static void print_copies(kern_c_printer *pr, kern_ref ref, const char *type, kern_ref from)
{
    uint32_t copies = pr->copies > 1 ? 1 : value_at(pr, ref)->copies, at = pr->copy;
    for (uint32_t c = 0; c < copies; c++) {
        if (copies > 1) pr->copy = c;
        text_line(pr->out, "%s%s = %s;", type, kern_c_name(pr, ref), kern_c_operand(pr, from));
    }
    pr->copy = at;
}

void kern_c_print_set(kern_c_printer *pr, const kern_item *item)
{
    if (sym_is_none(item->flat)) {
        print_copies(pr, item->variable, "", item->value);
        return;
    }
    bool is_mask = value_at(pr, item->variable)->dtype == TY_BOOL;
    text_line(pr->out, "%s[%s] = %s%s;", kern_c_name(pr, item->variable),
              sym_name(pr->t, item->flat), is_mask ? "-" : "", kern_c_operand(pr, item->value));
}

void kern_c_print_define(kern_c_printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    const char *type = kern_c_type_of(pr, v->dtype, lanes_of(pr, v)), *expression = NULL;
    switch (v->kind) {
    case KERN_VARIABLE:
        print_copies(pr, ref, kern_c_format(pr, "%s ", type, NULL), v->args[0]);
        return;
    case KERN_READ: expression = read_text(pr, v); break;
    case KERN_JOIN: expression = kern_c_join(pr, ref); break;
    case KERN_LOAD:
    case KERN_NUMBER:
        if (v->gathers) {
            expression = gather_text(pr, v);
            break;
        }
        expression = v->kind == KERN_LOAD     ? load_text(pr, v)
                     : v->access == KERN_UNIT ? spaced_text(pr, v)
                                              : kern_c_index(pr, v->index);
        break;
    case KERN_SPLAT:
        expression = kern_c_format(pr, v->dtype == TY_BOOL ? "-%s - (%s){0}" : "%s - (%s){0}",
                                   kern_c_operand(pr, v->args[0]), type);
        break;
    case KERN_CALL: expression = call_text(pr, v); break;
    case KERN_BELOW: expression = below_text(pr, v); break;
    case KERN_ANY: {
        kern_c_scope scope = {TY_I32, pr->k->lanes, {kern_c_operand(pr, v->args[0]), NULL, NULL}};
        expression = kern_c_text(pr, pr->k->lanes > 1 ? "@any($0)" : "$0", &scope);
        break;
    }
    case KERN_HALF: expression = half_text(pr, v); break;
    case KERN_LANE: expression = lane_text(pr, v); break;
    case KERN_FUSED: expression = fused_text(pr, v); break;
    default: expression = apply_text(pr, v); break;
    }
    text_line(pr->out, "%s %s = %s;", type, kern_c_name(pr, ref), expression);
}

/* ---- stores ---- */

loop_opcode kern_c_combine(loop_store_mode mode)
{
    static const loop_opcode COMBINE[] = {[LOOP_ADD_INTO] = LOOP_ADD,
                                          [LOOP_MUL_INTO] = LOOP_MUL,
                                          [LOOP_MIN_INTO] = LOOP_MIN,
                                          [LOOP_MAX_INTO] = LOOP_MAX};
    return COMBINE[mode];
}

const char *kern_c_combined(kern_c_printer *pr, const kern_store *st, const char *old,
                            const char *value, uint32_t lanes)
{
    ty_dtype dtype = value_at(pr, st->value)->dtype;
    bool extreme = st->mode == LOOP_MIN_INTO || st->mode == LOOP_MAX_INTO;
    /* of two that are equal, a zero and its negative, the second is taken: the one that is there */
    kern_c_scope scope = {dtype, lanes, {extreme ? value : old, extreme ? old : value, NULL}};
    return st->mode == LOOP_SET ? value
                                : kern_c_applied(pr, kern_c_combine(st->mode), dtype, &scope);
}

void kern_c_print_store(kern_c_printer *pr, const kern_store *st)
{
    const kern_value *v = value_at(pr, st->value);
    const char *value = kern_c_operand(pr, st->value);
    if (st->access == KERN_UNIT) {
        kern_c_scope scope = {
            v->dtype,
            pr->k->lanes,
            {place_of(pr, st->memory, st->index, false), NULL, kern_c_count(pr, st->count)}};
        bool whole = !st->count;
        const char *old = st->mode == LOOP_SET
                              ? ""
                              : kern_c_text(pr, whole ? "@loadall($0)" : "@load($0, $2)", &scope);
        scope.args[1] = kern_c_combined(pr, st, old, value, pr->k->lanes);
        text_line(pr->out, "%s",
                  kern_c_text(pr, whole ? "@storeall($0, $1);" : "@store($0, $1, $2);", &scope));
        return;
    }
    const char *place = place_of(pr, st->memory, st->index, true);
    if (st->atomic)
        kern_c_print_atomic(pr, st, place);
    else
        text_line(pr->out, "%s = %s;", place, kern_c_combined(pr, st, place, value, 1));
}
