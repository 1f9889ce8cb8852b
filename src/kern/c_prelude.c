/* c_prelude.c -- what kernels use, as C text: types, memory access, math. Only what is needed is written.
 *
 * A needed name is a type (f32x16), a plain function (fe_min), or base_suffix (exp_f32x16). The last kind is looked up among
 * the pieces (c_memory.c, c_math.c): first a piece for whole registers of the target, then one for any number of lanes; failing
 * both, the operation's scalar text runs lane by lane. Pieces are templates, and what they need in turn is written before them.
 */
#include "kern/kern_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const c_piece PLAIN[] = {
    {"fe_min", 0, 's', "FE i64 fe_min(i64 a, i64 b) { return a < b ? a : b; }\n"},
    {"fe_max", 0, 's', "FE i64 fe_max(i64 a, i64 b) { return a > b ? a : b; }\n"},
    {"fe_floordiv", 0, 's', "FE i64 fe_floordiv(i64 a, i64 b) { return b ? a / b - ((a % b != 0) & ((a < 0) != (b < 0))) : 0; }\n"},
    {"fe_mod", 0, 's', "FE i64 fe_mod(i64 a, i64 b) { i64 r = b ? a % b : 0; return r && (r < 0) != (b < 0) ? r + b : r; }\n"},
    {"fe_toi32", 0, 's', "FE i32 fe_toi32(f64 x) { return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : -2147483647 - 1; }\n"},
    {"fe_toi64", 0, 's',
     "FE i64 fe_toi64(f64 x)\n{\n"
     "  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : -9223372036854775807 - 1;\n}\n"},
    {"fe_tou64", 0, 's',
     "FE u64 fe_tou64(f64 x)\n{\n"
     "  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0) return (u64)x;\n"
     "  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (u64)(i64)x : 1ull << 63;\n}\n"},
};

typedef struct writer {
    const kern_target *target;
    arena *memory;
    text *out;
    map done;
} writer;

static void write_need(writer *w, const char *name);

static void write_template(writer *w, const char *template, const c_scope *scope)
{
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    c_expand(&body, &needs, template, scope);
    for (uint32_t i = 0; i < needs.names.count; i++) write_need(w, needs.names.at[i]);
    text_add(w->out, body.at);
}

/* "f32x16": the element type and how many. */
static bool parse_suffix(const char *suffix, c_scope *scope, arena *memory)
{
    const char *x = strrchr(suffix, 'x');
    uint32_t length = x ? (uint32_t)(x - suffix) : (uint32_t)strlen(suffix);
    scope->lanes = x ? (uint32_t)strtoul(x + 1, NULL, 10) : 1;
    return ty_dtype_parse(arena_printf(memory, "%.*s", (int)length, suffix), &scope->dtype);
}

static const c_piece *find_in(const writer *w, const c_piece *list, uint32_t count, const char *base, const c_scope *scope, char form)
{
    (void)w;
    for (uint32_t i = 0; i < count; i++) {
        bool fits = list[i].dtypes == 0 || (list[i].dtypes & C_DTYPE(scope->dtype));
        if (fits && list[i].form == form && strcmp(list[i].name, base) == 0) return &list[i];
    }
    return NULL;
}

static const c_piece *find_piece(const writer *w, const char *base, const c_scope *scope)
{
    uint32_t bytes = scope->lanes * (scope->dtype == TY_BOOL ? 4 : ty_dtype_size(scope->dtype));
    bool is_x86 = strncmp(w->target->name, "x86", 3) == 0;
    bool has_v4 = is_x86 && w->target->vector_bytes >= 64, has_v3 = is_x86 && w->target->vector_bytes >= 32;
    char forms[5] = {0};
    int at = 0;
    if (scope->lanes == 1) {
        forms[at++] = 's';
    } else {
        if (has_v4) forms[at++] = '*'; /* any length in a target with mask registers */
        if (bytes == 64 && has_v4) forms[at++] = '4';
        if (bytes == 32 && has_v3) forms[at++] = '3';
        if (bytes == 16 && is_x86) forms[at++] = has_v3 ? '3' : '2';
        forms[at++] = 'v';
    }
    (void)forms;
    uint32_t count;
    for (int i = 0; i < at; i++) {
        const c_piece *lists[] = {c_memory_pieces(&count), NULL};
        const c_piece *found = find_in(w, lists[0], count, base, scope, forms[i]);
        if (found) return found;
        const c_piece *math = c_math_pieces(&count);
        found = find_in(w, math, count, base, scope, forms[i]);
        if (found) return found;
    }
    return NULL;
}

static void write_type(writer *w, const c_scope *scope, const char *name)
{
    const char *element = ty_dtype_name(scope->dtype);
    text_printf(w->out, "typedef %s %s __attribute__((vector_size(%u)));\n", element, name,
                scope->lanes * ty_dtype_size(scope->dtype));
}

/* The lanes of x joined by the operation: halves onto halves. */
static void write_join(writer *w, const char *base, const c_scope *scope)
{
    static const struct {
        const char *name;
        loop_opcode op;
    } JOINS[] = {{"joinadd", LOOP_ADD}, {"joinmul", LOOP_MUL}, {"joinmin", LOOP_MIN}, {"joinmax", LOOP_MAX},
                 {"joinor", LOOP_OR},   {"joinand", LOOP_AND}, {"joinxor", LOOP_XOR}};
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    c_expand(&body, &needs, "FE $E ", scope);
    text_printf(&body, "%s", base);
    c_expand(&body, &needs, "_$S($T x)\n{\n", scope);
    for (uint32_t half = scope->lanes / 2; half; half /= 2) {
        c_expand(&body, &needs, "  { const $T y = __builtin_shufflevector(x, x", scope);
        for (uint32_t l = 0; l < scope->lanes; l++) text_printf(&body, ", %u", (l + half) % scope->lanes);
        text_add(&body, "); x = ");
        c_scope pair = {scope->dtype, scope->lanes, {"x", "y", NULL}};
        for (size_t i = 0; i < COUNT_OF(JOINS); i++)
            if (strcmp(JOINS[i].name, base) == 0) c_apply(&body, &needs, JOINS[i].op, scope->dtype, &pair);
        text_add(&body, "; }\n");
    }
    text_add(&body, scope->dtype == TY_BOOL ? "  return x[0] & 1;\n}\n" : "  return x[0];\n}\n");
    for (uint32_t i = 0; i < needs.names.count; i++) write_need(w, needs.names.at[i]);
    text_add(w->out, body.at);
}

static void write_iota(writer *w, const c_scope *scope)
{
    write_template(w, "FE $T iota_$S(void) { return ($T){0", scope);
    for (uint32_t l = 1; l < scope->lanes; l++) text_printf(w->out, ", %u", l);
    text_add(w->out, "}; }\n");
}

static void write_lane_by_lane(writer *w, const char *base, const c_scope *scope)
{
    uint32_t operands;
    const char *scalar = c_scalar_template(base, scope->dtype, &operands);
    if (!scalar || scope->lanes == 1)
        BUG(arena_session(w->memory), "the prelude has no %s for %s x %u", base, ty_dtype_name(scope->dtype), scope->lanes);
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    c_expand(&body, &needs, "static $T ", scope);
    text_add(&body, base);
    c_expand(&body, &needs, operands == 2 ? "_$S($T a, $T b)\n{\n" : "_$S($T a)\n{\n", scope);
    c_expand(&body, &needs, "  $T r;\n  for (int l = 0; l < $W; l++) r[l] = ", scope);
    c_scope lane = {scope->dtype, 1, {"a[l]", "b[l]", NULL}};
    c_expand(&body, &needs, scalar, &lane);
    text_add(&body, ";\n  return r;\n}\n");
    for (uint32_t i = 0; i < needs.names.count; i++) write_need(w, needs.names.at[i]);
    text_add(w->out, body.at);
}

static void write_need(writer *w, const char *name)
{
    c_scope scope = {0};
    name = intern(arena_session(w->memory), name);
    if (map_get(&w->done, MAP_KEY(name)) != MAP_NONE) return;
    map_set(w->memory, &w->done, MAP_KEY(name), 1);
    for (size_t i = 0; i < COUNT_OF(PLAIN); i++) {
        if (strcmp(PLAIN[i].name, name) != 0) continue;
        text_add(w->out, PLAIN[i].text);
        return;
    }
    const char *last = strrchr(name, '_');
    if (!last) {
        bool known = parse_suffix(name, &scope, w->memory);
        CHECK(arena_session(w->memory), known);
        write_type(w, &scope, name);
        return;
    }
    const char *base = arena_printf(w->memory, "%.*s", (int)(last - name), name);
    bool known = parse_suffix(last + 1, &scope, w->memory);
    CHECK(arena_session(w->memory), known);
    const c_piece *piece = find_piece(w, base, &scope);
    if (strcmp(base, "iota") == 0)
        write_iota(w, &scope);
    else if (piece)
        write_template(w, piece->text, &scope);
    else if (strncmp(base, "join", 4) == 0)
        write_join(w, base, &scope);
    else
        write_lane_by_lane(w, base, &scope);
}

static const char HEAD[] =
    "typedef __INT8_TYPE__ i8;\ntypedef __INT16_TYPE__ i16;\ntypedef __INT32_TYPE__ i32;\ntypedef __INT64_TYPE__ i64;\n"
    "typedef __UINT8_TYPE__ u8;\ntypedef __UINT16_TYPE__ u16;\ntypedef __UINT32_TYPE__ u32;\ntypedef __UINT64_TYPE__ u64;\n"
    "typedef float f32;\ntypedef double f64;\ntypedef float _Complex c64;\ntypedef double _Complex c128;\n"
    "typedef struct fe_kernel_args {\n  void *const *buffers;\n  const i64 *ints;\n} fe_kernel_args;\n"
    "#define FE static inline __attribute__((always_inline))\n";

void kern_prelude(const kern_target *target, const kern_kernel *const *kernels, uint32_t count, text *out)
{
    writer w = {.target = target, .memory = out->memory, .out = out};
    text_add(out, HEAD);
    for (uint32_t k = 0; k < count; k++) {
        const kern_needs *needs = kernels[k]->needs;
        for (uint32_t i = 0; i < needs->names.count; i++) write_need(&w, needs->names.at[i]);
    }
}
