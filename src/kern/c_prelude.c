/* c_prelude.c -- what kernels use, as C text: types, memory access, math. Only what is needed is
 * written.
 *
 * A needed name is a type (f32x16), a plain function (fe_min), or base_suffix (exp_f32x16). The
 * last kind is looked up among the pieces (c_memory.c, c_math.c): first a piece for whole registers
 * of the target, then one for any number of lanes; failing both, the operation's scalar text runs
 * lane by lane. Pieces are templates, and what they need in turn is written before them.
 */
#include "kern/c_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kern_c_piece PLAIN[] = {
    {"fe_fromc32", 0, 's',
     "FE c64 fe_fromc32(u32 x) { return __builtin_complex(@f32:fromhalf((u16)x), "
     "@f32:fromhalf((u16)(x >> 16))); }\n"},
    {"fe_toc32", 0, 's',
     "FE u32 fe_toc32(c64 x) { return @f32:tohalf(__real__ x) | (u32)@f32:tohalf(__imag__ x) << "
     "16; }\n"},
    {"fe_erfinv", 0, 's', "f64 fe_erfinv(f64 x);\n"},
    {"fe_digamma", 0, 's', "f64 fe_digamma(f64 x);\n"},
    {"fe_besselj0", 0, 's', "f64 fe_besselj0(f64 x);\n"},
    {"fe_besselj1", 0, 's', "f64 fe_besselj1(f64 x);\n"},
    {"fe_bessely0", 0, 's', "f64 fe_bessely0(f64 x);\n"},
    {"fe_bessely1", 0, 's', "f64 fe_bessely1(f64 x);\n"},
    {"fe_airyai", 0, 's', "f64 fe_airyai(f64 x);\n"},
    {"fe_igamma", 0, 's', "f64 fe_igamma(f64 a, f64 b);\n"},
    {"fe_igammac", 0, 's', "f64 fe_igammac(f64 a, f64 b);\n"},
    {"fe_hermiteh", 0, 's', "f64 fe_hermiteh(f64 a, f64 b);\n"},
    {"fe_hermitehe", 0, 's', "f64 fe_hermitehe(f64 a, f64 b);\n"},
    {"fe_laguerre", 0, 's', "f64 fe_laguerre(f64 a, f64 b);\n"},
    {"fe_legendre", 0, 's', "f64 fe_legendre(f64 a, f64 b);\n"},
    {"fe_randbits", 0, 's', /* Philox 2x32, as loop_random_bits */
     "static i64 fe_randbits(i64 seed, i64 counter)\n{\n"
     "  u32 low = (u32)counter, high = (u32)((u64)counter >> 32) ^ (u32)((u64)seed >> 32), key = "
     "(u32)seed;\n"
     "  for (int round = 0; round < 10; round++, key += 0x9E3779B9u) {\n"
     "    const u64 product = (u64)low * 0xD256D193u;\n"
     "    low = (u32)(product >> 32) ^ key ^ high;\n"
     "    high = (u32)product;\n"
     "  }\n"
     "  return (i64)((u64)high << 32 | low);\n}\n"},
    {"fe_min", 0, 's', "FE i64 fe_min(i64 a, i64 b) { return a < b ? a : b; }\n"},
    {"fe_max", 0, 's', "FE i64 fe_max(i64 a, i64 b) { return a > b ? a : b; }\n"},
    {"fe_floordiv", 0, 's',
     "FE i64 fe_floordiv(i64 a, i64 b) { return b ? a / b - ((a % b != 0) & ((a < 0) != (b < 0))) "
     ": 0; }\n"},
    {"fe_mod", 0, 's',
     "FE i64 fe_mod(i64 a, i64 b) { i64 r = b ? a % b : 0; return r && (r < 0) != (b < 0) ? r + b "
     ": r; }\n"},
    {"fe_toi32", 0, 's',
     "FE i32 fe_toi32(f64 x) { return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : -2147483647 "
     "- 1; }\n"},
    {"fe_toi64", 0, 's',
     "FE i64 fe_toi64(f64 x)\n{\n"
     "  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : "
     "-9223372036854775807 - 1;\n}\n"},
    {"fe_tou64", 0, 's',
     "FE u64 fe_tou64(f64 x)\n{\n"
     "  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0) return (u64)x;\n"
     "  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (u64)(i64)x : 1ull << "
     "63;\n}\n"},
};

typedef struct writer {
    const kern_target *target;
    arena *memory;
    text *out;
    map done;
} writer;

static void write_need(writer *w, const char *name);

/* A template filled in; what it needs is written at once. */
static const char *expanded(writer *w, const char *template, const kern_c_scope *scope)
{
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    kern_c_expand(&body, &needs, template, scope);
    for (uint32_t i = 0; i < needs.names.count; i++) write_need(w, needs.names.at[i]);
    return body.at;
}

/* "f32x16": the element type and how many. */
static bool parse_suffix(const char *suffix, kern_c_scope *scope, arena *memory)
{
    const char *x = strrchr(suffix, 'x');
    uint32_t length = x ? (uint32_t)(x - suffix) : (uint32_t)strlen(suffix);
    scope->lanes = x ? (uint32_t)strtoul(x + 1, NULL, 10) : 1;
    return ty_dtype_parse(arena_printf(memory, "%.*s", (int)length, suffix), &scope->dtype);
}

static const kern_c_piece *find_in(const kern_c_piece *list, uint32_t count, const char *base,
                                   ty_dtype dtype, char form)
{
    for (uint32_t i = 0; i < count; i++) {
        bool fits = list[i].dtypes == 0 || (list[i].dtypes & KERN_DTYPE(dtype));
        if (fits && list[i].form == form && strcmp(list[i].name, base) == 0) return &list[i];
    }
    return NULL;
}

static const kern_c_piece *find_form(const char *base, ty_dtype dtype, char form)
{
    uint32_t count;
    const kern_c_piece *list = kern_c_memory_pieces(&count),
                       *found = find_in(list, count, base, dtype, form);
    if (found) return found;
    list = kern_c_math_pieces(&count);
    return find_in(list, count, base, dtype, form);
}

static uint32_t bytes_of(const kern_c_scope *scope)
{
    return scope->lanes * (scope->dtype == TY_BOOL ? 4 : ty_dtype_size(scope->dtype));
}

/* A piece with builtins of gcc for this length of vector, and when it may be used. */
static const kern_c_piece *find_builtin(const char *base, const kern_c_scope *scope,
                                        const char **condition)
{
    static const struct {
        char form;
        uint32_t bytes;
        const char *condition;
    } FORMS[] = {{'4', 64, "__AVX512DQ__"},
                 {'3', 32, "__AVX2__"},
                 {'x', 16, "__SSE4_1__"},
                 {'2', 16, "__SSE2__"}};
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        if (scope->lanes == 1 || FORMS[i].bytes != bytes_of(scope)) continue;
        const kern_c_piece *found = find_form(base, scope->dtype, FORMS[i].form);
        *condition = FORMS[i].condition;
        if (found) return found;
    }
    return NULL;
}

/* Moves of the first n lanes by the mask registers of AVX-512. The asm keeps gcc 12 from merging
 * the store of half a register with what made it into a vextract, which faults on lanes that are
 * masked off. */
static const char *masked_move(writer *w, const char *base, const kern_c_scope *scope)
{
    static const char *const LETTERS[] = {[1] = "qi", [2] = "hi", [4] = "si", [8] = "di"};
    static const char *const POINTERS[] = {
        [1] = "char", [2] = "short", [4] = "int", [8] = "long long"};
    uint32_t size = ty_dtype_size(scope->dtype), bytes = bytes_of(scope);
    bool is_load = strcmp(base, "load") == 0, is_guarded = strcmp(base, "loadif") == 0;
    if (bytes < 16 || scope->dtype == TY_BOOL || w->target->vector_bytes < 64) return NULL;
    if (!is_load && !is_guarded && strcmp(base, "store") != 0) return NULL;
    bool is_float = scope->dtype == TY_F32 || scope->dtype == TY_F64;
    const char *letters = !is_float   ? arena_printf(w->memory, "dqu%s", LETTERS[size])
                          : size == 4 ? "ups"
                                      : "upd";
    const char *pointer = !is_float ? POINTERS[size] : size == 4 ? "float" : "double";
    ty_dtype same = is_float    ? scope->dtype
                    : size == 1 ? TY_I8
                    : size == 2 ? TY_I16
                    : size == 4 ? TY_I32
                                : TY_I64;
    const char *vector = arena_printf(w->memory, "@%s:type", ty_dtype_name(same));
    if (!is_float && (size == 1 || size == 8)) { /* the builtins' own types */
        vector = arena_printf(w->memory, "%sx%u", size == 1 ? "char" : "long", scope->lanes);
        text_printf(w->out, "typedef %s %s __attribute__((vector_size(%u)));\n", pointer, vector,
                    bytes);
    }
    const char *mask =
        arena_printf(w->memory, "(u%u)((1u << n) - 1)", scope->lanes <= 8 ? 8 : scope->lanes);
    if (is_guarded)
        mask = arena_printf(w->memory, "(u%u)(((1u << n) - 1) & __builtin_ia32_cvtd2mask%u(m))",
                            scope->lanes <= 8 ? 8 : scope->lanes, 32 * scope->lanes);
    const char *move =
        is_load || is_guarded
            ? arena_printf(
                  w->memory,
                  "FE $T %s_$S(const $A *p, i64 n%s)\n{\n"
                  "  return ($T)__builtin_ia32_load%s%u_mask((const %s *)p, (%s){0}, %s);\n}\n",
                  base, is_guarded ? ", $M m" : "", letters, 8 * bytes, pointer, vector, mask)
            : arena_printf(w->memory,
                           "FE void store_$S($A *p, $T x, i64 n)\n{\n"
                           "%s  __builtin_ia32_store%s%u_mask((%s *)p, (%s)x, %s);\n}\n",
                           bytes < 64 ? "  __asm__(\"\" : \"+v\"(x));\n" : "", letters, 8 * bytes,
                           pointer, vector, mask);
    return expanded(w, move, scope);
}

static void write_type(writer *w, const kern_c_scope *scope, const char *name)
{
    const char *element = ty_dtype_name(scope->dtype);
    text_printf(w->out, "typedef %s %s __attribute__((vector_size(%u)));\n", element, name,
                scope->lanes * ty_dtype_size(scope->dtype));
}

/* The operation behind joinadd and scanadd. */
static loop_opcode combining_op(const writer *w, const char *base)
{
    static const struct {
        const char *name;
        loop_opcode op;
    } OPS[] = {
        {"add", LOOP_ADD}, {"mul", LOOP_MUL}, {"min", LOOP_MIN}, {"max", LOOP_MAX},
        {"or", LOOP_OR},   {"and", LOOP_AND}, {"xor", LOOP_XOR}, {"logaddexp", LOOP_LOGADDEXP}};
    for (size_t i = 0; i < COUNT_OF(OPS); i++)
        if (strcmp(OPS[i].name, base + 4) == 0) return OPS[i].op;
    BUG(arena_session(w->memory), "the prelude has no %s", base);
}

static void write_needs(writer *w, const kern_needs *needs)
{
    for (uint32_t i = 0; i < needs->names.count; i++) write_need(w, needs->names.at[i]);
}

/* The lanes of x joined by the operation: halves onto halves. */
static const char *join_text(writer *w, const char *base, const kern_c_scope *scope)
{
    loop_opcode op = combining_op(w, base);
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    kern_c_expand(&body, &needs, "FE $E ", scope);
    text_printf(&body, "%s", base);
    kern_c_expand(&body, &needs, "_$S($T x)\n{\n", scope);
    for (uint32_t half = scope->lanes / 2; half; half /= 2) {
        kern_c_expand(&body, &needs, "  { const $T y = __builtin_shufflevector(x, x", scope);
        for (uint32_t l = 0; l < scope->lanes; l++)
            text_printf(&body, ", %u", (l + half) % scope->lanes);
        text_add(&body, "); x = ");
        kern_c_scope pair = {scope->dtype, scope->lanes, {"x", "y", NULL}};
        kern_c_apply(&body, &needs, op, scope->dtype, &pair);
        text_add(&body, "; }\n");
    }
    text_add(&body, scope->dtype == TY_BOOL ? "  return x[0] & 1;\n}\n" : "  return x[0];\n}\n");
    write_needs(w, &needs);
    return body.at;
}

/* Each lane joined with all before it: lanes move up by 1, 2, 4, ... and `rest` moves in. */
static const char *scan_text(writer *w, const char *base, const kern_c_scope *scope)
{
    loop_opcode op = combining_op(w, base);
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    kern_c_expand(&body, &needs, "FE $T ", scope);
    text_printf(&body, "%s", base);
    kern_c_expand(&body, &needs, "_$S($T x, $T rest)\n{\n", scope);
    for (uint32_t step = 1; step < scope->lanes; step *= 2) {
        kern_c_expand(&body, &needs, "  { const $T y = __builtin_shufflevector(x, rest", scope);
        for (uint32_t l = 0; l < scope->lanes; l++)
            text_printf(&body, ", %u", l < step ? scope->lanes : l - step);
        text_add(&body, "); x = ");
        kern_c_scope pair = {scope->dtype, scope->lanes, {"y", "x", NULL}};
        kern_c_apply(&body, &needs, op, scope->dtype, &pair);
        text_add(&body, "; }\n");
    }
    text_add(&body, "  return x;\n}\n");
    write_needs(w, &needs);
    return body.at;
}

/* The last lane in all. */
static const char *last_text(writer *w, const kern_c_scope *scope)
{
    text body;
    text_init(&body, w->memory);
    text_add(&body,
             expanded(w, "FE $T last_$S($T x) { return __builtin_shufflevector(x, x", scope));
    for (uint32_t l = 0; l < scope->lanes; l++) text_printf(&body, ", %u", scope->lanes - 1);
    text_add(&body, "); }\n");
    return body.at;
}

static const char *iota_text(writer *w, const kern_c_scope *scope)
{
    text body;
    text_init(&body, w->memory);
    text_add(&body, expanded(w, "FE $T iota_$S(void) { return ($T){0", scope));
    for (uint32_t l = 1; l < scope->lanes; l++) text_printf(&body, ", %u", l);
    text_add(&body, "}; }\n");
    return body.at;
}

/* Elements 0, 2, 4, ... of memory that a and, from its last element on, b are from. */
static const char *evens_text(writer *w, const kern_c_scope *scope)
{
    text body;
    text_init(&body, w->memory);
    text_add(&body, expanded(w, "FE $T evens_$S($T a, $T b) { return __builtin_shufflevector(a, b",
                             scope));
    for (uint32_t l = 0; l < scope->lanes; l++)
        text_printf(&body, ", %u", 2 * l < scope->lanes ? 2 * l : 2 * l + 1);
    text_add(&body, "); }\n");
    return body.at;
}

static const char *lane_by_lane(writer *w, const char *base, const kern_c_scope *scope)
{
    uint32_t operands;
    const char *scalar = kern_c_scalar_template(base, scope->dtype, &operands);
    if (!scalar || scope->lanes == 1)
        BUG(arena_session(w->memory), "the prelude has no %s for %s x %u", base,
            ty_dtype_name(scope->dtype), scope->lanes);
    kern_needs needs = {.memory = w->memory};
    text body;
    text_init(&body, w->memory);
    kern_c_expand(&body, &needs, "static $T ", scope);
    text_add(&body, base);
    kern_c_expand(&body, &needs, operands == 2 ? "_$S($T a, $T b)\n{\n" : "_$S($T a)\n{\n", scope);
    kern_c_expand(&body, &needs, "  $T r;\n  for (int l = 0; l < $W; l++) r[l] = ", scope);
    kern_c_scope lane = {scope->dtype, 1, {"a[l]", "b[l]", NULL}};
    kern_c_expand(&body, &needs, scalar, &lane);
    text_add(&body, ";\n  return r;\n}\n");
    write_needs(w, &needs);
    return body.at;
}

/* The text that any compiler takes. */
static const char *general_text(writer *w, const char *base, const kern_c_scope *scope)
{
    const kern_c_piece *piece = find_form(base, scope->dtype, scope->lanes == 1 ? 's' : 'v');
    if (strcmp(base, "iota") == 0) return iota_text(w, scope);
    if (strcmp(base, "evens") == 0) return evens_text(w, scope);
    if (strcmp(base, "last") == 0) return last_text(w, scope);
    if (piece) return expanded(w, piece->text, scope);
    if (strncmp(base, "join", 4) == 0) return join_text(w, base, scope);
    if (strncmp(base, "scan", 4) == 0) return scan_text(w, base, scope);
    return lane_by_lane(w, base, scope);
}

static void write_function(writer *w, const char *base, const kern_c_scope *scope)
{
    const char *condition = "__AVX512BW__";
    const char *general = general_text(w, base, scope),
               *special = scope->lanes > 1 ? masked_move(w, base, scope) : NULL;
    const kern_c_piece *builtin = special ? NULL : find_builtin(base, scope, &condition);
    if (builtin) special = expanded(w, builtin->text, scope);
    if (special)
        text_printf(w->out, "#if defined %s && !defined __clang__\n%s#else\n%s#endif\n", condition,
                    special, general);
    else
        text_add(w->out, general);
}

static void write_need(writer *w, const char *name)
{
    kern_c_scope scope = {0};
    name = intern(arena_session(w->memory), name);
    if (map_get(&w->done, MAP_KEY(name)) != MAP_NONE) return;
    map_set(w->memory, &w->done, MAP_KEY(name), 1);
    for (size_t i = 0; i < COUNT_OF(PLAIN); i++) {
        if (strcmp(PLAIN[i].name, name) != 0) continue;
        text_add(w->out,
                 expanded(w, PLAIN[i].text, &(kern_c_scope){TY_F32, 1, {NULL, NULL, NULL}}));
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
    write_function(w, base, &scope);
}

static const char HEAD[] = "typedef __INT8_TYPE__ i8;\ntypedef __INT16_TYPE__ i16;\ntypedef "
                           "__INT32_TYPE__ i32;\ntypedef __INT64_TYPE__ i64;\n"
                           "typedef __UINT8_TYPE__ u8;\ntypedef __UINT16_TYPE__ u16;\ntypedef "
                           "__UINT32_TYPE__ u32;\ntypedef __UINT64_TYPE__ u64;\n"
                           "typedef float f32;\ntypedef double f64;\ntypedef float _Complex "
                           "c64;\ntypedef double _Complex c128;\n"
                           "typedef struct fe_kernel_args {\n  void *const *buffers;\n  const i64 "
                           "*ints;\n} fe_kernel_args;\n"
                           "#define FE static inline __attribute__((always_inline))\n";

void kern_prelude(const kern_target *target, const kern_kernel *const *kernels, uint32_t count,
                  text *out)
{
    writer w = {.target = target, .memory = out->memory, .out = out};
    text_add(out, HEAD);
    for (uint32_t k = 0; k < count; k++) {
        const kern_needs *needs = kernels[k]->needs;
        for (uint32_t i = 0; i < needs->names.count; i++) write_need(&w, needs->names.at[i]);
    }
}
