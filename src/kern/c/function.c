/* function.c -- functions of kernel IR as C: one statement a value, but those that one other uses.
 *
 * In lanes a comparison is a mask as wide as what is compared, and a selection is made of bits.
 */
#include "kern/c/c.h"
#include "kern/legal/legal.h"

#include <string.h>

enum { LONG_EXPRESSION = 70 };

typedef struct printer {
    const kern_function *f;
    const kern_ir *code;
    text *out;
    kern_needs *needs;
    const char **text; /* of each value: a name, or an expression */
    bool *named;
    uint32_t *uses;
} printer;

static const kern_value *value_at(const printer *p, kern_ref ref)
{
    return &p->code->values.at[ref];
}

static kern_c_scope scope_of(const printer *p, ty_dtype dtype)
{
    return (kern_c_scope){dtype, p->code->lanes, {NULL, NULL, NULL}};
}

static const char *expanded(printer *p, const char *template, const kern_c_scope *scope)
{
    text out;
    text_init(&out, p->needs->memory);
    kern_c_expand(&out, p->needs, template, scope);
    return out.at;
}

/* Masks are of the width of the function's floats. */
static const char *type_of(printer *p, const kern_value *v)
{
    kern_c_scope scope = scope_of(p, v->dtype == TY_BOOL ? p->f->dtype : v->dtype);
    if (v->dtype == TY_BOOL && v->vector) return expanded(p, "$I", &scope);
    return kern_c_type(p->needs, v->dtype, v->vector ? p->code->lanes : 1, p->needs->memory);
}

/* A constant in all lanes, or alone where what it meets is in lanes. */
static const char *constant(printer *p, const kern_value *v, bool alone)
{
    text out;
    text_init(&out, p->needs->memory);
    kern_c_constant(&out, p->needs, v, alone ? 1 : p->code->lanes);
    bool bare = out.at[1] >= '0' && out.at[1] <= '9' && alone;
    return bare ? arena_printf(p->needs->memory, "%.*s", (int)out.length - 2, out.at + 1) : out.at;
}

static const char *operand(printer *p, kern_ref ref, bool alone)
{
    const kern_value *v = value_at(p, ref);
    if (v->kind == KERN_CONST) return constant(p, v, alone);
    if (p->named[ref]) return p->text[ref];
    return arena_printf(p->needs->memory, "(%s)", p->text[ref]);
}

/* ---- lanes ---- */

/* Operators of C on vectors, and on masks. */
static const char *operator_of(loop_opcode op)
{
    switch (op) {
    case LOOP_NEG: return "-$0";
    case LOOP_NOT: return "~$0";
    case LOOP_ADD: return "$0 + $1";
    case LOOP_SUB: return "$0 - $1";
    case LOOP_MUL: return "$0 * $1";
    case LOOP_DIV: return "$0 / $1";
    case LOOP_AND: return "$0 & $1";
    case LOOP_OR: return "$0 | $1";
    case LOOP_XOR: return "$0 ^ $1";
    case LOOP_SHL: return "$0 << $1";
    case LOOP_SHR: return "$0 >> $1";
    case LOOP_EQ: return "$0 == $1";
    case LOOP_NE: return "$0 != $1";
    case LOOP_LT: return "$0 < $1";
    case LOOP_LE: return "$0 <= $1";
    default: return NULL;
    }
}

static bool is_zero(const kern_value *v)
{
    bool whole = ty_is_integral(v->dtype, true);
    return v->kind == KERN_CONST && v->integer == 0 && (whole || v->number[0] == 0);
}

static const char *selection(printer *p, const kern_value *v)
{
    kern_c_scope scope = scope_of(p, v->dtype);
    bool whole = ty_is_integral(v->dtype, true), only = is_zero(value_at(p, v->args[2]));
    bool has_sign = ty_dtype_kind(v->dtype) == TY_KIND_SIGNED;
    scope.args[0] = operand(p, v->args[0], false);
    scope.args[1] = operand(p, v->args[1], whole);
    if (!only) scope.args[2] = operand(p, v->args[2], whole);
    if (only && whole) return expanded(p, has_sign ? "$0 & $1" : "($T)$0 & $1", &scope);
    if (only) return expanded(p, "($T)($0 & ($I)$1)", &scope);
    if (whole)
        return expanded(p, has_sign ? "($0 & $1) | (~$0 & $2)" : "(($T)$0 & $1) | (($T)~$0 & $2)",
                        &scope);
    return expanded(p, "@pick($0, $1, $2)", &scope);
}

/* Sums of integers with a sign wrap, which C has for those without. */
static bool wraps(const printer *p, const kern_value *v)
{
    bool sums = v->op == LOOP_ADD || v->op == LOOP_SUB || v->op == LOOP_MUL;
    return sums && ty_dtype_kind(v->dtype) == TY_KIND_SIGNED &&
           value_at(p, v->args[0])->kind != KERN_CONST &&
           value_at(p, v->args[1])->kind != KERN_CONST;
}

static const char *in_lanes(printer *p, const kern_value *v)
{
    const char *template = operator_of(v->op);
    const kern_value *first = value_at(p, v->args[0]);
    kern_c_scope scope = scope_of(p, first->dtype);
    text out;
    if (v->op == LOOP_WHERE) return selection(p, v);
    bool extreme = v->op == LOOP_MIN || v->op == LOOP_MAX;
    if (extreme && first->kind == KERN_CONST)
        template = v->op == LOOP_MIN ? "@mink($0, $1)" : "@maxk($0, $1)";
    uint32_t count = loop_operand_count(v->op);
    if (wraps(p, v)) template = NULL;
    bool alone = operator_of(v->op) && count == 2;
    for (uint32_t i = 0; i < count; i++) scope.args[i] = operand(p, v->args[i], alone);
    if (template) return expanded(p, template, &scope);
    text_init(&out, p->needs->memory);
    kern_c_apply(&out, p->needs, v->op, v->dtype, &scope);
    return out.at;
}

/* ---- one lane ---- */

static const char *of_one(printer *p, const kern_value *v)
{
    kern_c_scope scope = scope_of(p, value_at(p, v->args[v->op == LOOP_WHERE])->dtype);
    text out;
    text_init(&out, p->needs->memory);
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++)
        scope.args[i] = operand(p, v->args[i], false);
    kern_c_apply(&out, p->needs, v->op, v->dtype, &scope);
    return out.at;
}

/* ---- calls ---- */

static const char *called(printer *p, const kern_value *v)
{
    text out;
    text_init(&out, p->needs->memory);
    kern_need(p->needs, v->callee->name);
    text_printf(&out, "%s(", v->callee->name);
    for (uint32_t i = 0; i < v->callee->parameter_count; i++)
        text_printf(&out, i ? ", %s" : "%s", operand(p, v->args[i], false));
    text_char(&out, ')');
    return out.at;
}

/* Lanes [from, from + count) of x as f64. */
static const char *widened(printer *p, const char *x, uint32_t from, uint32_t count)
{
    arena *memory = p->needs->memory;
    text part;
    text_init(&part, memory);
    kern_c_scope wide = {TY_F64, count, {x, NULL, NULL}};
    bool all = count == p->code->lanes;
    text_add(&part,
             all ? "__builtin_convertvector(" : "__builtin_convertvector(__builtin_shufflevector(");
    text_add(&part, x);
    if (!all) text_printf(&part, ", %s", x);
    for (uint32_t l = from; !all && l < from + count; l++) text_printf(&part, ", %u", l);
    text_add(&part, all ? ", " : "), ");
    text_add(&part, expanded(p, "$T)", &wide));
    return part.at;
}

static const char *narrowed(printer *p, kern_ref ref, ty_dtype to)
{
    kern_c_scope scope = {TY_F64, 1, {arena_printf(p->needs->memory, "w%u_0", ref), NULL, NULL}};
    text out;
    text_init(&out, p->needs->memory);
    kern_c_cast(&out, p->needs, TY_F64, to, &scope);
    return out.at;
}

/* In as many lanes as the function called has. */
static void print_wide(printer *p, kern_ref ref, const kern_value *v)
{
    const kern_function *f = v->callee;
    arena *memory = p->needs->memory;
    uint32_t count = f->code->lanes;
    kern_c_scope wide = {TY_F64, count, {NULL, NULL, NULL}}, part = {v->dtype, count, {NULL}};
    kern_need(p->needs, f->name);
    for (uint32_t from = 0; from < p->code->lanes; from += count) {
        text_printf(p->out, "  const %s w%u_%u = %s(", expanded(p, "$T", &wide), ref, from,
                    f->name);
        for (uint32_t i = 0; i < f->parameter_count; i++) {
            const char *arg = widened(p, operand(p, v->args[i], false), from, count);
            text_printf(p->out, i ? ", %s" : "%s", arg);
        }
        text_add(p->out, ");\n");
    }
    const char *narrow = "__builtin_convertvector(w%u_%u, %s)", *type = expanded(p, "$T", &part);
    const char *low =
        count == 1 ? narrowed(p, ref, v->dtype) : arena_printf(memory, narrow, ref, 0, type);
    if (count == p->code->lanes) {
        text_printf(p->out, "  const %s v%u = %s;\n", type, ref, low);
        return;
    }
    text_printf(p->out, "  const %s low%u = %s, high%u = %s;\n", type, ref, low, ref,
                arena_printf(memory, narrow, ref, count, type));
    text_printf(p->out, "  const %s v%u = __builtin_shufflevector(low%u, high%u", type_of(p, v),
                ref, ref, ref);
    for (uint32_t l = 0; l < p->code->lanes; l++) text_printf(p->out, ", %u", l);
    text_add(p->out, ");\n");
}

static void print_each(printer *p, kern_ref ref, const kern_value *v)
{
    kern_c_scope lane = {v->dtype, 1, {NULL, NULL, NULL}};
    uint32_t operands;
    const char *scalar = kern_c_scalar_template(loop_opcode_name(v->op), v->dtype, &operands);
    for (uint32_t i = 0; i < operands; i++)
        lane.args[i] = arena_printf(p->needs->memory, p->code->lanes > 1 ? "%s[l]" : "%s",
                                    operand(p, v->args[i], false));
    const char *type = type_of(p, v), *one = expanded(p, scalar, &lane);
    if (p->code->lanes == 1)
        text_printf(p->out, "  const %s v%u = %s;\n", type, ref, one);
    else
        text_printf(p->out, "  %s v%u;\n  for (int l = 0; l < %u; l++) v%u[l] = %s;\n", type, ref,
                    p->code->lanes, ref, one);
}

static const char *product_of_halves(printer *p, const kern_value *v)
{
    kern_c_scope scope = scope_of(p, v->dtype);
    for (uint32_t i = 0; i < 2; i++) scope.args[i] = operand(p, v->args[i], false);
    if (p->code->lanes == 1) return expanded(p, "($0 & 0xffffffffu) * ($1 & 0xffffffffu)", &scope);
    return expanded(p, "($T)@i64:lowhalves(($I)$0, ($I)$1)", &scope);
}

static const char *shuffled(printer *p, const kern_value *v)
{
    text out;
    text_init(&out, p->needs->memory);
    text_printf(&out, "__builtin_shufflevector(%s, %s", operand(p, v->args[0], false),
                operand(p, v->args[1], false));
    for (uint32_t l = 0; l < p->code->lanes; l++) text_printf(&out, ", %u", v->pattern[l]);
    text_char(&out, ')');
    return out.at;
}

/* Of as many numbers as there are lanes, where that is more: a permutation of a register. */
static const char *from_table(printer *p, const kern_value *v)
{
    kern_c_scope scope = scope_of(p, v->dtype);
    uint32_t lanes = p->code->lanes, count = lanes > KERN_TABLE_SIZE ? lanes : KERN_TABLE_SIZE;
    text numbers;
    text_init(&numbers, p->needs->memory);
    for (uint32_t i = 0; i < count; i++) {
        text_add(&numbers, i ? ", " : "{");
        kern_value number = {.kind = KERN_CONST, .dtype = v->dtype};
        number.number[0] = v->table[i % KERN_TABLE_SIZE];
        kern_c_constant(&numbers, p->needs, &number, 1);
    }
    scope.args[0] = operand(p, v->args[0], false);
    scope.args[1] = numbers.at;
    if (lanes >= KERN_TABLE_SIZE) return expanded(p, "@permuted($0, ($T)$1})", &scope);
    return expanded(p,
                    lanes > 1 ? "({ static const f32 t[] = $1}; @looked($0, t); })"
                              : "({ static const f32 t[] = $1}; t[$0 & 7]; })",
                    &scope);
}

static const char *machine(printer *p, const kern_value *v)
{
    kern_c_scope scope = scope_of(p, v->dtype);
    bool fused = v->kind == KERN_FUSED;
    if (v->kind == KERN_SHUFFLE) return shuffled(p, v);
    if (v->kind == KERN_TABLE) return from_table(p, v);
    if (v->kind == KERN_FIRST)
        return arena_printf(p->needs->memory, v->dtype == TY_BOOL ? "%s[0] & 1" : "%s[0]",
                            operand(p, v->args[0], false));
    if (v->kind == KERN_HALVES) return product_of_halves(p, v);
    for (uint32_t i = 0; i < (fused ? 3u : 2u); i++) scope.args[i] = operand(p, v->args[i], false);
    return expanded(p, fused ? "@fused($0, $1, $2)" : "@scaled($0, $1)", &scope);
}

/* ---- lines ---- */

static const char *expression(printer *p, const kern_value *v)
{
    if (v->kind == KERN_CALL) return called(p, v);
    if (v->kind >= KERN_FUSED) return machine(p, v);
    return p->code->lanes > 1 ? in_lanes(p, v) : of_one(p, v);
}

static void print_define(printer *p, kern_ref ref)
{
    const kern_value *v = value_at(p, ref);
    p->named[ref] = true;
    p->text[ref] = arena_printf(p->needs->memory, "v%u", ref);
    if (v->kind == KERN_EACH || (v->kind == KERN_CALL && v->wide)) {
        (v->kind == KERN_EACH ? print_each : print_wide)(p, ref, v);
        return;
    }
    const char *made = expression(p, v);
    bool goes_in = p->code->lanes > 1 && p->uses[ref] == 1 && strlen(made) < LONG_EXPRESSION;
    if (goes_in) {
        p->named[ref] = false;
        p->text[ref] = made;
        return;
    }
    text_printf(p->out, "  const %s v%u = %s;\n", type_of(p, v), ref, made);
}

static void print_item(printer *p, const kern_item *item)
{
    kern_c_scope scope = scope_of(p, ty_dtype_size(p->f->dtype) == 8 ? TY_I64 : TY_I32);
    switch (item->kind) {
    case KERN_LEAVE:
        scope.args[0] = operand(p, item->bound.guard, false);
        text_printf(p->out, "  if (%s) return %s;\n",
                    p->code->lanes > 1 ? expanded(p, "@any($0)", &scope) : scope.args[0],
                    called(p, value_at(p, item->value)));
        break;
    case KERN_RETURN:
        text_printf(p->out, "  return %s;\n",
                    value_at(p, item->value)->kind == KERN_CONST ? operand(p, item->value, false)
                                                                 : p->text[item->value]);
        break;
    default: print_define(p, item->value); break;
    }
}

static void count_uses(printer *p)
{
    for (uint32_t i = 1; i < p->code->values.count; i++)
        for (size_t a = 0; a < COUNT_OF(p->code->values.at->args); a++)
            p->uses[value_at(p, i)->args[a]]++;
    for (uint32_t i = 0; i < p->code->body->items.count; i++) {
        const kern_item *item = &p->code->body->items.at[i];
        if (item->kind == KERN_LEAVE) p->uses[item->bound.guard]++;
        if (item->kind == KERN_RETURN) p->uses[item->value]++;
    }
    /* said twice */
    for (uint32_t i = 1; i < p->code->values.count; i++) {
        const kern_value *v = value_at(p, i);
        bool twice = v->kind == KERN_APPLY && (v->op == LOOP_ISNAN || v->op == LOOP_WHERE);
        if (twice) p->uses[v->args[0]]++;
    }
}

static void print_head(printer *p)
{
    static const char *const MANNERS[] = {[KERN_INLINE] = "FE",
                                          [KERN_APART] = "static",
                                          [KERN_RARE] = "static __attribute__((noinline, cold))"};
    uint32_t lanes = p->f->scalar ? 1 : p->code->lanes;
    const char *result = kern_c_type(p->needs, p->f->result, lanes, p->needs->memory);
    const char *type = kern_c_type(p->needs, p->f->parameter, p->code->lanes, p->needs->memory);
    text_printf(p->out, "%s %s %s(", MANNERS[p->f->manner], result, p->f->name);
    for (uint32_t i = 1; i <= p->f->parameter_count; i++)
        text_printf(p->out, i > 1 ? ", %s v%u" : "%s v%u", type, i);
    text_add(p->out, ")\n{\n");
}

const char *kern_c_function(kern_needs *needs, const kern_function *f)
{
    text out;
    uint32_t count = f->code->values.count;
    printer p = {.f = f, .code = f->code, .out = &out, .needs = needs};
    p.text = NEW_ARRAY(needs->memory, const char *, count);
    p.named = NEW_ARRAY(needs->memory, bool, count);
    p.uses = NEW_ARRAY(needs->memory, uint32_t, count);
    text_init(&out, needs->memory);
    for (uint32_t i = 1; i <= f->parameter_count; i++) {
        p.named[i] = true;
        p.text[i] = arena_printf(needs->memory, "v%u", i);
    }
    count_uses(&p);
    print_head(&p);
    for (uint32_t i = 0; i < f->code->body->items.count; i++)
        print_item(&p, &f->code->body->items.at[i]);
    text_add(&out, "}\n");
    return out.at;
}
