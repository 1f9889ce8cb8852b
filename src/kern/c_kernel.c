/* c_kernel.c -- kernel IR as a C function.
 *
 * A vector loop runs its one body in two passes: whole vectors first, then once with what is left, `n`
 * being the number of elements of a step; loads and stores take n and never touch what is beyond. In an
 * unrolled loop each vector is there several times. Variables are named as in the IR: v7 a value (v7_1 its
 * second copy), a0_1 the second copy of sum 0, b2 a buffer, t0 a tile, p3 a parameter.
 */
#include "kern/c_priv.h"

#include <string.h>

static fe_session *session_of(const c_printer *pr)
{
    return pr->k->program->session;
}


static const char *format_text(c_printer *pr, const char *format, const char *a, const char *b)
{
    return arena_printf(pr->needs->memory, format, a, b);
}

/* ---- indices ---- */

static void print_index(c_printer *pr, sym_expr e);

static void print_list(c_printer *pr, sym_expr e, const char *between)
{
    for (uint32_t i = 0; i < sym_arg_count(pr->t, e); i++) {
        if (i) text_add(pr->out, between);
        print_index(pr, sym_arg(pr->t, e, i));
    }
}

/* Is e never negative, going by its shape? */
static bool is_natural(const c_printer *pr, sym_expr e)
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

static void print_division(c_printer *pr, sym_expr e)
{
    bool modulo = sym_op_of(pr->t, e) == SYM_MOD;
    int64_t divisor;
    sym_expr dividend = sym_arg(pr->t, e, 0);
    if (is_natural(pr, dividend) && sym_is_int(pr->t, sym_arg(pr->t, e, 1), &divisor) && divisor > 0) {
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

static void print_extreme(c_printer *pr, sym_expr e)
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

static void print_symbol(c_printer *pr, sym_expr e)
{
    kern_ref v = kern_symbol_value(pr->k, e);
    if (v) {
        text_printf(pr->out, pr->k->values.at[v].vector ? "%s[l]" : "%s", c_name(pr, v));
        return;
    }
    bool moves = sym_same(e, pr->vector_axis), shifted = moves && pr->copy > 0;
    if (!moves || (!shifted && !pr->by_lane)) {
        text_add(pr->out, sym_name(pr->t, e));
        return;
    }
    text_printf(pr->out, "(%s", sym_name(pr->t, e));
    if (shifted) text_printf(pr->out, " + %u", pr->copy * pr->k->lanes);
    text_add(pr->out, pr->by_lane ? " + l)" : ")");
}

static void print_index(c_printer *pr, sym_expr e)
{
    static const char *const BETWEEN[] = {[SYM_ADD] = " + ", [SYM_MUL] = " * ", [SYM_EQ] = " == ",
                                          [SYM_NE] = " != ", [SYM_LT] = " < ",  [SYM_LE] = " <= ",
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

const char *c_index(c_printer *pr, sym_expr e)
{
    text index, *out = pr->out;
    text_init(&index, pr->needs->memory);
    pr->out = &index;
    print_index(pr, e);
    pr->out = out;
    return index.at;
}

/* `b0 + index` or `b0[index]` */
static const char *place_of(c_printer *pr, uint32_t memory, sym_expr index, bool element)
{
    const kern_memory *m = &pr->k->memories.at[memory];
    return arena_printf(pr->needs->memory, element ? "%c%u[%s]" : "%c%u + %s", m->is_tile ? 't' : 'b', m->number,
                        c_index(pr, index));
}

/* ---- values ---- */

static const kern_value *value_at(const c_printer *pr, kern_ref v)
{
    return &pr->k->values.at[v];
}

static uint32_t lanes_of(const c_printer *pr, const kern_value *v)
{
    return v->vector ? pr->k->lanes : 1;
}

const char *c_name(c_printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    bool copied = pr->copies > 1 && v->vector && v->level >= pr->copied;
    return arena_printf(pr->needs->memory, copied ? "v%u_%u" : "v%u", ref, pr->copy);
}

const char *c_count(c_printer *pr)
{
    if (pr->exact) return arena_printf(pr->needs->memory, "%u", pr->k->lanes);
    return pr->copies > 1 ? arena_printf(pr->needs->memory, "n_%u", pr->copy) : "n";
}

const char *c_operand(c_printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    if (v->kind != KERN_CONST) return c_name(pr, ref);
    text constant;
    text_init(&constant, pr->needs->memory);
    c_constant(&constant, pr->needs, v, lanes_of(pr, v));
    return constant.at;
}

const char *c_type_of(c_printer *pr, ty_dtype dtype, uint32_t lanes)
{
    return c_type(pr->needs, dtype, lanes, pr->needs->memory);
}

const char *c_text(c_printer *pr, const char *template, const c_scope *scope)
{
    text out;
    text_init(&out, pr->needs->memory);
    text_add(&out, "");
    c_expand(&out, pr->needs, template, scope);
    return out.at;
}

const char *c_applied(c_printer *pr, loop_opcode op, ty_dtype result, const c_scope *scope)
{
    text out;
    text_init(&out, pr->needs->memory);
    if (!c_apply(&out, pr->needs, op, result, scope))
        BUG(session_of(pr), "%s of %s has no C", loop_opcode_name(op), ty_dtype_name(scope->dtype));
    return out.at;
}

static const char *element_of(c_printer *pr, const kern_value *v)
{
    const char *place = place_of(pr, v->memory, v->index, true);
    return v->dtype == TY_BOOL ? format_text(pr, "%s != 0", place, NULL) : place;
}

/* An array filled lane by lane, then taken as a vector. */
static void print_lanes(c_printer *pr, kern_ref ref, const kern_value *v)
{
    const char *element = v->dtype == TY_BOOL ? "i32" : c_type_of(pr, v->dtype, 1), *guard = "";
    pr->by_lane = true;
    if (v->guard)
        guard = format_text(pr, value_at(pr, v->guard)->vector ? "if (%s[l]) " : "if (%s) ", c_operand(pr, v->guard), NULL);
    const char *one = v->kind == KERN_LOAD ? element_of(pr, v) : c_index(pr, v->index);
    pr->by_lane = false;
    text_line(pr->out, "%s %s;", c_type_of(pr, v->dtype, pr->k->lanes), c_name(pr, ref));
    text_line(pr->out, "{");
    text_line(pr->out, "  %s e[%u] = {0};", element, pr->k->lanes);
    text_line(pr->out, "  for (int l = 0; l < %s; l++) %se[l] = %s(%s);", c_count(pr), guard, v->dtype == TY_BOOL ? "-" : "", one);
    text_line(pr->out, "  __builtin_memcpy(&%s, e, sizeof e);", c_name(pr, ref));
    text_line(pr->out, "}");
}

static const char *load_text(c_printer *pr, const kern_value *v)
{
    bool is_tile = pr->k->memories.at[v->memory].is_tile, guarded = v->guard != 0;
    bool masked = guarded && value_at(pr, v->guard)->vector;
    const char *loaded;
    if (v->access == KERN_ONE) {
        loaded = element_of(pr, v);
    } else {
        c_scope scope = {v->dtype, pr->k->lanes, {place_of(pr, v->memory, v->index, false), c_count(pr), NULL}};
        bool whole = is_tile || (pr->exact && !masked);
        if (masked) scope.args[2] = c_operand(pr, v->guard);
        loaded = c_text(pr, whole ? "@loadall($0)" : masked ? "@loadif($0, $1, $2)" : "@load($0, $1)", &scope);
    }
    if (!guarded || masked) return loaded;
    return arena_printf(pr->needs->memory, "%s ? %s : (%s){0}", c_operand(pr, v->guard), loaded,
                        c_type_of(pr, v->dtype, lanes_of(pr, v)));
}

/* base + (0, 1, ...) * stride */
static const char *spaced_text(c_printer *pr, const kern_value *v)
{
    sym_expr stride, rest;
    bool linear = sym_linear_in(pr->k->program->symbols, v->index, pr->vector_axis, &stride, &rest);
    CHECK(session_of(pr), linear);
    c_scope scope = {v->dtype, pr->k->lanes, {c_index(pr, stride), c_index(pr, v->index), NULL}};
    return c_text(pr, "@iota() * ($E)($0) + ($E)($1)", &scope);
}

static bool is_plain_number(const kern_value *v)
{
    return v->kind == KERN_CONST && v->number[0] == v->number[0];
}

static const char *apply_text(c_printer *pr, const kern_value *v)
{
    c_scope scope = {value_at(pr, v->args[v->op == LOOP_WHERE])->dtype, lanes_of(pr, v), {NULL, NULL, NULL}};
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++) scope.args[i] = c_operand(pr, v->args[i]);
    if (v->op == LOOP_WHERE && v->vector && !value_at(pr, v->args[0])->vector) return c_text(pr, "$0 ? $1 : $2", &scope);
    bool extreme = v->op == LOOP_MIN || v->op == LOOP_MAX;
    if (extreme && v->vector && ty_is_floating(v->dtype)) {
        const char *name = v->op == LOOP_MIN ? "@mink" : "@maxk"; /* a constant first: one instruction */
        if (is_plain_number(value_at(pr, v->args[0])))
            return c_text(pr, format_text(pr, "%s($0, $1)", name, NULL), &scope);
        if (is_plain_number(value_at(pr, v->args[1])))
            return c_text(pr, format_text(pr, "%s($1, $0)", name, NULL), &scope);
    }
    return c_applied(pr, v->op, v->dtype, &scope);
}

static void print_define(c_printer *pr, kern_ref ref)
{
    const kern_value *v = value_at(pr, ref);
    const char *type = c_type_of(pr, v->dtype, lanes_of(pr, v)), *expression = NULL;
    switch (v->kind) {
    case KERN_RESULT: c_print_result(pr, ref); return;
    case KERN_LOAD:
    case KERN_NUMBER:
        if (v->access == KERN_LANES) {
            print_lanes(pr, ref, v);
            return;
        }
        expression = v->kind == KERN_LOAD ? load_text(pr, v)
                     : v->access == KERN_UNIT ? spaced_text(pr, v) : c_index(pr, v->index);
        break;
    case KERN_SPLAT:
        expression = format_text(pr, v->dtype == TY_BOOL ? "-%s - (%s){0}" : "%s - (%s){0}", c_operand(pr, v->args[0]), type);
        break;
    default: expression = apply_text(pr, v); break;
    }
    text_line(pr->out, "%s %s = %s;", type, c_name(pr, ref), expression);
}

/* ---- stores ---- */

static const char *combined(c_printer *pr, const kern_store *st, const char *old, const char *value, uint32_t lanes)
{
    static const loop_opcode COMBINE[] = {[LOOP_ADD_INTO] = LOOP_ADD, [LOOP_MUL_INTO] = LOOP_MUL,
                                          [LOOP_MIN_INTO] = LOOP_MIN, [LOOP_MAX_INTO] = LOOP_MAX};
    ty_dtype dtype = value_at(pr, st->value)->dtype;
    c_scope scope = {dtype, lanes, {old, value, NULL}};
    return st->mode == LOOP_SET ? value : c_applied(pr, COMBINE[st->mode], dtype, &scope);
}

static void print_store(c_printer *pr, const kern_store *st)
{
    const kern_value *v = value_at(pr, st->value);
    const char *value = c_operand(pr, st->value);
    bool is_tile = pr->k->memories.at[st->memory].is_tile, lanes = st->access == KERN_LANES;
    if (st->access == KERN_UNIT) {
        c_scope scope = {v->dtype, pr->k->lanes, {place_of(pr, st->memory, st->index, false), NULL, c_count(pr)}};
        bool whole = is_tile || pr->exact;
        const char *old = st->mode == LOOP_SET ? "" : c_text(pr, whole ? "@loadall($0)" : "@load($0, $2)", &scope);
        scope.args[1] = combined(pr, st, old, value, pr->k->lanes);
        text_line(pr->out, "%s", c_text(pr, whole ? "@storeall($0, $1);" : "@store($0, $1, $2);", &scope));
        return;
    }
    if (lanes && v->vector) value = format_text(pr, v->dtype == TY_BOOL ? "(%s[l] & 1)" : "%s[l]", value, NULL);
    pr->by_lane = lanes;
    const char *place = place_of(pr, st->memory, st->index, true);
    pr->by_lane = false;
    const char *each = lanes ? format_text(pr, "for (int l = 0; l < %s; l++) ", c_count(pr), NULL) : "";
    text_line(pr->out, "%s%s = %s;", each, place, combined(pr, st, place, value, 1));
}

/* ---- loops ---- */

static void print_items(c_printer *pr, const kern_loop *loop);

static void print_body(c_printer *pr, const kern_loop *loop)
{
    pr->out->indent++;
    print_items(pr, loop);
    pr->out->indent--;
}

static void print_sequence(c_printer *pr, const kern_loop *loop, const char *from, const char *to)
{
    const char *name = sym_name(pr->t, loop->symbol);
    text_line(pr->out, "for (i64 %s = %s; %s < %s; %s++) {", name, from, name, to, name);
    print_body(pr, loop);
    text_line(pr->out, "}");
}

static bool updates_sums(const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++)
        if (loop->items.at[i].kind == KERN_UPDATE) return true;
    return false;
}

/* What a pass works out ahead: lanes of each copy, and their masks. */
static void print_counts(c_printer *pr, uint32_t copies, bool masks)
{
    c_scope scope = {TY_I32, pr->k->lanes, {NULL, NULL, NULL}};
    if (copies == 1 && masks) text_line(pr->out, "%s", c_text(pr, "const $T m = @tail(n);", &scope));
    if (copies == 1) return;
    kern_need(pr->needs, "fe_min");
    kern_need(pr->needs, "fe_max");
    for (uint32_t c = 0; c < copies; c++) {
        scope.args[0] = arena_printf(pr->needs->memory, "%u", c);
        text_line(pr->out, "const i64 n_%u = fe_max(fe_min(n - %u, %u), 0);", c, c * pr->k->lanes, pr->k->lanes);
        if (masks) text_line(pr->out, "%s", c_text(pr, "const $T m_$0 = @tail(n_$0);", &scope));
    }
}

static void print_vector(c_printer *pr, const kern_loop *loop, const char *from, const char *to)
{
    const char *name = sym_name(pr->t, loop->symbol);
    uint32_t step = pr->k->lanes * loop->unroll;
    c_printer before = *pr;
    pr->vector_axis = loop->symbol;
    pr->exact = loop->exact;
    pr->copies = loop->unroll;
    pr->copied = loop->level;
    if (loop->exact) {
        text_line(pr->out, "for (i64 %s = %s; %s < %s; %s += %u) {", name, from, name, to, name, step);
        print_body(pr, loop);
    } else {
        text_line(pr->out, "for (i64 %s = %s, n = %u; %s < %s; n = %s - %s) {", name, from, step, name, to, to, name);
        pr->out->indent++;
        print_counts(pr, loop->unroll, updates_sums(loop));
        text_line(pr->out, "for (; %s + n <= %s; %s += n) {", name, to, name);
        print_body(pr, loop);
        text_line(pr->out, "}");
        pr->out->indent--;
    }
    text_line(pr->out, "}");
    text *out = pr->out;
    *pr = before;
    pr->out = out;
}

static void print_drains(c_printer *pr, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->drains.count; i++) c_print_drain(pr, loop->drains.at[i]);
}

static void print_loop(c_printer *pr, const kern_loop *loop)
{
    const char *from = loop->columns ? "n0" : "0", *to = loop->columns ? "n1" : c_index(pr, loop->extent);
    const char *name = sym_name(pr->t, loop->symbol);
    if (loop->block) {
        kern_need(pr->needs, "fe_min");
        text_line(pr->out, "for (i64 %s_from = 0; %s_from < %s; %s_from += %lld) {", name, name, to, name, (long long)loop->block);
        pr->out->indent++;
        text_line(pr->out, "const i64 %s_to = fe_min(%s_from + %lld, %s);", name, name, (long long)loop->block, to);
        from = format_text(pr, "%s_from", name, NULL);
        to = format_text(pr, "%s_to", name, NULL);
    }
    if (loop->kind == KERN_VECTOR)
        print_vector(pr, loop, from, to);
    else
        print_sequence(pr, loop, from, to);
    print_drains(pr, loop);
    if (!loop->block) return;
    pr->out->indent--;
    text_line(pr->out, "}");
}

/* ---- rows ---- */

/* The outer axes of row m0. */
static void print_decode(c_printer *pr)
{
    const kern_ir *k = pr->k;
    text_line(pr->out, "i64 left = m0;");
    for (uint32_t i = k->outer; i-- > 1;) {
        const char *name = sym_name(pr->t, k->axes[i]), *extent = c_index(pr, k->extents[i]);
        text_line(pr->out, "i64 %s = left %% %s;", name, extent);
        text_line(pr->out, "left /= %s;", extent);
    }
    text_line(pr->out, "i64 %s = left;", sym_name(pr->t, k->axes[0]));
}

/* On to the next row: the last axis counts up, with carries. */
static void print_carry(c_printer *pr)
{
    const kern_ir *k = pr->k;
    uint32_t last = k->outer - 1;
    text_line(pr->out, "%s += %s;", sym_name(pr->t, k->axes[last]), k->outer_vector ? "n" : "1");
    for (uint32_t i = last; i > 0; i--)
        text_line(pr->out, "if (%s == %s) %s = 0, %s++;", sym_name(pr->t, k->axes[i]), c_index(pr, k->extents[i]),
                  sym_name(pr->t, k->axes[i]), sym_name(pr->t, k->axes[i - 1]));
}

static void print_rows(c_printer *pr, const kern_loop *loop)
{
    const kern_ir *k = pr->k;
    const char *last = k->outer ? sym_name(pr->t, k->axes[k->outer - 1]) : NULL;
    bool counted = k->outer > 1 || k->outer_vector;
    if (counted) print_decode(pr);
    if (!k->outer) {
        text_line(pr->out, "if (m0 < m1) {");
    } else if (k->outer_vector) {
        kern_need(pr->needs, "fe_min");
        text_line(pr->out, "for (i64 m = m0, n; m < m1; m += n) {");
        text_line(pr->out, "  n = fe_min(%u, fe_min(m1 - m, %s - %s));", k->lanes * loop->unroll,
                  c_index(pr, k->extents[k->outer - 1]), last);
        pr->vector_axis = k->axes[k->outer - 1];
        pr->copies = loop->unroll;
        pr->copied = loop->level;
    } else if (counted) {
        text_line(pr->out, "for (i64 m = m0; m < m1; m++) {");
    } else {
        text_line(pr->out, "for (i64 %s = m0; %s < m1; %s++) {", last, last, last);
    }
    pr->out->indent++;
    if (k->outer_vector) print_counts(pr, loop->unroll, false);
    print_items(pr, loop);
    if (counted) print_carry(pr);
    pr->out->indent--;
    text_line(pr->out, "}");
}

/* Is there one of this for each copy of the vectors? */
static bool is_copied(const c_printer *pr, const kern_item *item)
{
    const kern_value *v;
    switch (item->kind) {
    case KERN_DEFINE:
        v = value_at(pr, item->value);
        return v->vector && v->level >= pr->copied;
    case KERN_STORE: return item->store.access != KERN_ONE;
    case KERN_UPDATE: return true;
    default: return false;
    }
}

static void print_item(c_printer *pr, const kern_item *item)
{
    switch (item->kind) {
    case KERN_DEFINE: print_define(pr, item->value); break;
    case KERN_STORE: print_store(pr, &item->store); break;
    case KERN_START: c_print_start(pr, item->sum); break;
    case KERN_UPDATE: c_print_update(pr, item); break;
    case KERN_LOOP:
        if (item->loop->kind == KERN_ROWS)
            print_rows(pr, item->loop);
        else
            print_loop(pr, item->loop);
        break;
    }
}

static void print_items(c_printer *pr, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        uint32_t copies = pr->copies > 1 && is_copied(pr, item) ? pr->copies : 1;
        for (pr->copy = 0; pr->copy < copies; pr->copy++) print_item(pr, item);
        pr->copy = 0;
    }
}

/* ---- the function ---- */

static void print_arguments(c_printer *pr)
{
    const kern_ir *k = pr->k;
    for (uint32_t i = 0; i < k->memories.count; i++) {
        const kern_memory *m = &k->memories.at[i];
        const char *type = c_memory_type(m->dtype), *constant = m->is_written ? "" : "const ";
        if (m->is_tile)
            text_line(pr->out, "%s *const t%u = __builtin_alloca_with_align(%s * sizeof(%s), 512);", type, m->number,
                      c_index(pr, m->elements), type);
        else
            text_line(pr->out, "%s%s *const b%u = args->buffers[%u];", constant, type, m->number, m->number);
    }
}

void kern_print_c(const kern_ir *k, const char *name, text *out, kern_needs *needs)
{
    text body;
    text_init(&body, needs->memory);
    body.indent = 1;
    c_printer pr = {.k = k, .t = k->program->symbols, .out = &body, .needs = needs, .copies = 1};
    print_arguments(&pr);
    if (k->serial) {
        text_line(&body, "if (m0 >= m1) return;");
        text_line(&body, "m0 = 0;");
        text_line(&body, "m1 = %s;", c_index(&pr, k->total));
    }
    print_items(&pr, k->body);
    text_printf(out, "void %s(const fe_kernel_args *args, i64 m0, i64 m1, i64 n0, i64 n1)\n{\n", name);
    for (uint32_t i = 0; i < k->params.count; i++) text_printf(out, "  const i64 p%u = args->ints[%u];\n", i, i);
    if (!k->columns) text_add(out, "  (void)n0, (void)n1;\n");
    text_add(out, body.at);
    text_add(out, "}\n");
}
