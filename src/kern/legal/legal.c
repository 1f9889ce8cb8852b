/* legal.c -- the library of functions, and functions value by value. */
#include "kern/legal/legal.h"

#include <string.h>

/* ---- functions, value by value ---- */

kern_function *kern_function_new(kern_library *library, const char *base, ty_dtype dtype,
                                 uint32_t lanes, uint32_t parameters)
{
    arena *memory = library->memory;
    kern_function *f = NEW(memory, kern_function);
    f->base = base;
    f->dtype = f->parameter = f->result = dtype;
    f->name = kern_function_name(base, dtype, lanes, memory);
    f->parameter_count = parameters;
    f->code = NEW(memory, kern_ir);
    f->code->name = f->name;
    f->code->lanes = lanes;
    f->code->body = NEW(memory, kern_loop);
    f->code->body->unroll = 1;
    vec_push(memory, &f->code->values, (kern_value){0});
    for (uint32_t i = 0; i < parameters; i++)
        vec_push(memory, &f->code->values,
                 (kern_value){.kind = KERN_PARAMETER, .dtype = dtype, .vector = lanes > 1});
    return f;
}

static kern_ref add_value(kern_library *library, kern_function *f, kern_value v)
{
    v.vector = f->code->lanes > 1 && v.kind != KERN_FIRST;
    vec_push(library->memory, &f->code->values, v);
    return f->code->values.count - 1;
}

kern_ref kern_function_number(kern_library *library, kern_function *f, ty_dtype dtype,
                              double number, int64_t integer)
{
    kern_value v = {.kind = KERN_CONST, .dtype = dtype};
    if (ty_is_integral(dtype, true))
        v.integer = integer;
    else
        v.number[0] = number;
    return add_value(library, f, v);
}

kern_ref kern_function_define(kern_library *library, kern_function *f, kern_value v)
{
    kern_ref ref = add_value(library, f, v);
    vec_push(library->memory, &f->code->body->items,
             (kern_item){.kind = KERN_DEFINE, .value = ref});
    return ref;
}

static void use_all(const kern_ir *code, bool *used, kern_ref ref)
{
    used[ref] = true;
    for (size_t a = 0; a < COUNT_OF(code->values.at->args); a++)
        used[code->values.at[ref].args[a]] = true;
}

/* Values that nothing uses go; users stand behind definitions. */
static void drop_unused(kern_library *library, kern_ir *code)
{
    bool *used = NEW_ARRAY(library->memory, bool, code->values.count);
    uint32_t kept = code->body->items.count;
    for (uint32_t i = kept; i-- > 0;) {
        kern_item item = code->body->items.at[i];
        if (item.kind == KERN_DEFINE && !used[item.value]) {
            code->values.at[item.value].kind = KERN_NOTHING;
            continue;
        }
        if (item.kind == KERN_LEAVE) used[item.bound.guard] = true;
        use_all(code, used, item.value);
        code->body->items.at[--kept] = item;
    }
    code->body->items.at += kept;
    code->body->items.count -= kept;
}

typedef struct renumbering {
    kern_ir *k;
    const kern_ref *numbers;
    arena *memory;
    VEC(sym_expr) from, to; /* values that indices hold */
} renumbering;

static void add_symbol(void *data, sym_expr symbol)
{
    renumbering *r = data;
    kern_ref ref = kern_symbol_value(r->k, symbol);
    if (!ref || r->numbers[ref] == ref) return;
    vec_push(r->memory, &r->from, symbol);
    vec_push(r->memory, &r->to, kern_value_symbol(r->k, r->numbers[ref]));
}

static void renumber_index(renumbering *r, sym_expr *e)
{
    if (sym_is_none(*e)) return;
    r->from.count = r->to.count = 0;
    sym_each_symbol(r->k->symbols, *e, add_symbol, r);
    if (!r->from.count) return;
    *e = sym_substitute(r->k->symbols, *e, r->from.at, r->to.at, r->from.count);
}

static void renumber_items(renumbering *r, kern_loop *loop)
{
    const kern_ref *numbers = r->numbers;
    loop->count = numbers[loop->count];
    loop->mask = numbers[loop->mask];
    loop->condition = numbers[loop->condition];
    for (uint32_t i = 0; i < loop->items.count; i++) {
        kern_item *item = &loop->items.at[i];
        item->value = numbers[item->value];
        item->variable = numbers[item->variable];
        item->store.value = numbers[item->store.value];
        item->bound.value = numbers[item->bound.value];
        item->store.count = numbers[item->store.count];
        item->bound.guard = numbers[item->bound.guard];
        item->bound.among = numbers[item->bound.among];
        if (item->kind == KERN_STORE) renumber_index(r, &item->store.index);
        if (item->kind == KERN_LOOP) renumber_items(r, item->loop);
    }
}

void kern_renumber(kern_ir *k, uint32_t kept, arena *memory)
{
    uint32_t count = k->values.count, next = kept + 1;
    kern_ref *numbers = NEW_ARRAY(memory, kern_ref, count);
    kern_value *values = arena_copy(memory, k->values.at, count * sizeof *values);
    renumbering r = {.k = k, .numbers = numbers, .memory = memory};
    for (uint32_t i = 1; i <= kept; i++) numbers[i] = i;
    for (int constants = 0; constants < 2; constants++)
        for (uint32_t i = kept + 1; i < count; i++) {
            const kern_value *v = &k->values.at[i];
            if (v->kind == KERN_NOTHING || (v->kind == KERN_CONST) != (constants == 1)) continue;
            numbers[i] = next;
            values[next++] = *v;
        }
    for (uint32_t i = 1; i < next; i++) {
        values[i].guard = numbers[values[i].guard];
        values[i].count = numbers[values[i].count];
        for (size_t a = 0; a < COUNT_OF(values->args); a++)
            values[i].args[a] = numbers[values[i].args[a]];
        renumber_index(&r, &values[i].index);
    }
    for (uint32_t i = 0; i < k->nonnegative.count; i++) renumber_index(&r, &k->nonnegative.at[i]);
    renumber_items(&r, k->body);
    k->values.at = values;
    k->values.count = k->values.capacity = next;
}

void kern_function_return(kern_library *library, kern_function *f, kern_ref value)
{
    vec_push(library->memory, &f->code->body->items,
             (kern_item){.kind = KERN_RETURN, .value = value});
    drop_unused(library, f->code);
    kern_renumber(f->code, f->parameter_count, library->memory);
}

/* ---- the library ---- */

kern_library *kern_library_new(const target_machine *target, arena *memory)
{
    kern_library *library = NEW(memory, kern_library);
    library->target = target;
    library->memory = memory;
    return library;
}

const kern_function *kern_library_named(const kern_library *library, const char *name)
{
    const char *known = intern(arena_session(library->memory), name);
    uint32_t at = map_get(&library->known, MAP_KEY(known));
    return at == MAP_NONE ? NULL : library->functions.at[at];
}

void kern_library_add(kern_library *library, const kern_function *f)
{
    const char *known = intern(arena_session(library->memory), f->name);
    map_set(library->memory, &library->known, MAP_KEY(known), library->functions.count);
    vec_push(library->memory, &library->functions, f);
}

const char *kern_function_name(const char *base, ty_dtype dtype, uint32_t lanes, arena *memory)
{
    if (lanes == 1) return arena_printf(memory, "%s_%s", base, ty_dtype_name(dtype));
    return arena_printf(memory, "%s_%sx%u", base, ty_dtype_name(dtype), lanes);
}

bool kern_is_primitive(loop_opcode op)
{
    switch (op) {
    case LOOP_CAST:
    case LOOP_BITCAST:
    case LOOP_NEG:
    case LOOP_ABS:
    case LOOP_SIGN:
    case LOOP_SQRT:
    case LOOP_RSQRT:
    case LOOP_RECIP:
    case LOOP_FLOOR:
    case LOOP_CEIL:
    case LOOP_ROUND:
    case LOOP_TRUNC:
    case LOOP_ROUNDED:
    case LOOP_ISNAN:
    case LOOP_ISINF:
    case LOOP_SIGNBIT:
    case LOOP_ADD:
    case LOOP_SUB:
    case LOOP_MUL:
    case LOOP_DIV:
    case LOOP_TRUNCDIV:
    case LOOP_MIN:
    case LOOP_MAX:
    case LOOP_FMIN:
    case LOOP_FMAX:
    case LOOP_COPYSIGN:
    case LOOP_EQ:
    case LOOP_NE:
    case LOOP_LT:
    case LOOP_LE:
    case LOOP_NOT:
    case LOOP_AND:
    case LOOP_OR:
    case LOOP_XOR:
    case LOOP_WHERE:
    case LOOP_FMA: return true;
    default: return false;
    }
}

/* The lanes one by one, for what has no formula. */
static const kern_function *each_lane(kern_library *library, const char *base, ty_dtype dtype,
                                      uint32_t lanes)
{
    loop_opcode op;
    if (!loop_opcode_parse(base, &op) || loop_operand_count(op) == 0 || kern_is_primitive(op))
        return NULL;
    bool floats = dtype == TY_F32 || dtype == TY_F64;
    bool integers = ty_is_integral(dtype, false) && (op == LOOP_POW || op == LOOP_GCD);
    if (!floats && !integers) return NULL;
    uint32_t operands = loop_operand_count(op);
    kern_function *f = kern_function_new(library, base, dtype, lanes, operands);
    kern_value v = {.kind = KERN_EACH, .op = op, .dtype = dtype};
    for (uint32_t i = 0; i < operands; i++) v.args[i] = i + 1;
    f->manner = KERN_APART;
    kern_function_return(library, f, kern_function_define(library, f, v));
    return f;
}

const kern_function *kern_library_find(kern_library *library, const char *base, ty_dtype dtype,
                                       uint32_t lanes)
{
    const char *name = kern_function_name(base, dtype, lanes, library->memory);
    const kern_function *found = kern_library_named(library, name);
    if (found) return found;
    const kern_formula *formula = kern_formula_find(library->target, base, dtype, lanes);
    if (formula && formula->manner != FORMULA_PARTS)
        found = kern_formula_function(library, formula, dtype, lanes);
    if (!found) found = kern_polynomial(library, base, dtype, lanes);
    if (!found) found = kern_piecewise(library, base, dtype, lanes);
    if (!found) found = kern_lanes(library, base, dtype, lanes);
    if (!found) found = each_lane(library, base, dtype, lanes);
    if (found) kern_library_add(library, found);
    return found;
}
