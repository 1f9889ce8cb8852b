/* prelude.c -- what kernels use, as C text: types, memory access, math. Only what is needed is
 * written.
 *
 * A needed name is a type (f32x16), a plain function (fe_min), or base_suffix (exp_f32x16). The
 * last kind is looked up among the pieces (memory.c, integer.c, math.c): first a piece for
 * whole registers of the target, then one for any number of lanes; what is not there is made for
 * that number (lanes.c). Pieces are templates, and what they need in turn is written before them.
 */
#include "kern/c/c.h"
#include "kern/legal/legal.h"

#include <stdlib.h>
#include <string.h>

#define RUNTIME(name, parameters)                       \
    {                                                   \
        name, 0, 's', "f64 " name "(" parameters ");\n" \
    }

/* gcc makes one truncation of a float that is cut to an integer and comes back, and keeps the sign of -0.3 */
#define SETTLED "#if defined(__GNUC__)\n  __asm__(\"\" : \"+r\"(y));\n#endif\n"

static const kern_c_piece PLAIN[] = {
    {"fe_fromc32", 0, 's',
     "FE c64 fe_fromc32(u32 x) { return @c64:complex(@f32:fromhalf((u16)x), "
     "@f32:fromhalf((u16)(x >> 16))); }\n"},
    {"fe_toc32", 0, 's',
     "FE u32 fe_toc32(c64 x) { return @f32:tohalf(__builtin_crealf(x)) | "
     "(u32)@f32:tohalf(__builtin_cimagf(x)) << 16; }\n"},
    /* gcc 12 vectorizes the parts and forgets to round what is made double again */
    {"fe_narrow", 0, 's',
     "FE c64 fe_narrow(c128 x)\n{\n  c64 y = (c64)x;\n#if defined(__GNUC__)\n"
     "  __asm__(\"\" : \"+m\"(y));\n#endif\n  return y;\n}\n"},
    {"fe_complex", 0, 's', /* in plain C, where it is an option */
     "#ifdef __STDC_NO_COMPLEX__\n#error \"this program computes with complex numbers, which this "
     "compiler lacks\"\n#endif\n"
     "#include <complex.h>\ntypedef float _Complex c64;\ntypedef double _Complex c128;\n"},
    RUNTIME("fe_erfinv", "f64 x"),
    RUNTIME("fe_digamma", "f64 x"),
    RUNTIME("fe_besselj0", "f64 x"),
    RUNTIME("fe_besselj1", "f64 x"),
    RUNTIME("fe_bessely0", "f64 x"),
    RUNTIME("fe_bessely1", "f64 x"),
    RUNTIME("fe_airyai", "f64 x"),
    RUNTIME("fe_igamma", "f64 a, f64 b"),
    RUNTIME("fe_igammac", "f64 a, f64 b"),
    RUNTIME("fe_drawpoisson", "f64 a, f64 b"),
    RUNTIME("fe_drawgamma", "f64 a, f64 b"),
    RUNTIME("fe_drawbinomial", "f64 a, f64 b, f64 c"),
    RUNTIME("fe_hermiteh", "f64 a, f64 b"),
    RUNTIME("fe_hermitehe", "f64 a, f64 b"),
    RUNTIME("fe_laguerre", "f64 a, f64 b"),
    RUNTIME("fe_legendre", "f64 a, f64 b"),
    {"fe_randbits", 0, 's', /* Philox 2x32, as fe_random_bits */
     "static i64 fe_randbits(i64 seed, i64 counter)\n{\n"
     "  u32 low = (u32)counter, high = (u32)((u64)counter >> 32) ^ (u32)((u64)seed >> 32), key = "
     "(u32)seed;\n"
     "  for (int round = 0; round < 10; round++, key += 0x9E3779B9u) {\n"
     "    const u64 product = (u64)low * 0xD256D193u;\n"
     "    low = (u32)(product >> 32) ^ key ^ high;\n"
     "    high = (u32)product;\n"
     "  }\n"
     "  return (i64)((u64)high << 32 | low);\n}\n"},
    {"fe_lanes", 0, 's', /* all lanes without a loop */
     "#define fe_lanes(l, n, width, ...) \\\n  if (n == width) { \\\n    _Pragma(\"GCC unroll "
     "64\") "
     "\\\n    for (int l = 0; l < width; l++) __VA_ARGS__ \\\n  } else \\\n    for (int l = 0; "
     "l < n; l++) __VA_ARGS__\n"},
    {"fe_min", 0, 's', "FE i64 fe_min(i64 a, i64 b) { return a < b ? a : b; }\n"},
    {"fe_max", 0, 's', "FE i64 fe_max(i64 a, i64 b) { return a > b ? a : b; }\n"},
    {"fe_floordiv", 0, 's',
     "FE i64 fe_floordiv(i64 a, i64 b)\n{\n  if (b == 0) return 0;\n  if (b == -1) return (i64)(0 "
     "- "
     "(u64)a);\n  return a / b - ((a % b != 0) & ((a < 0) != (b < 0)));\n}\n"},
    {"fe_mod", 0, 's',
     "FE i64 fe_mod(i64 a, i64 b)\n{\n  i64 r = b == 0 || b == -1 ? 0 : a % b;\n"
     "  return r && (r < 0) != (b < 0) ? r + b : r;\n}\n"},
    {"rt_outside", 0, 's',
     "void rt_outside(struct rt_fault *fault, i64 check, i64 index, i64 size);\n"},
    {"fe_toi32", 0, 's',
     "FE i32 fe_toi32(f64 x)\n{\n  i32 y = x > -2147483649.0 && x < 2147483648.0 ? (i32)x : "
     "-2147483647 - 1;\n" SETTLED "  return y;\n}\n"},
    {"fe_toi64", 0, 's',
     "FE i64 fe_toi64(f64 x)\n{\n"
     "  i64 y = x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : "
     "-9223372036854775807 - 1;\n" SETTLED "  return y;\n}\n"},
    {"fe_tou64", 0, 's',
     "FE u64 fe_tou64(f64 x)\n{\n"
     "  if (x >= 9223372036854775808.0 && x < 18446744073709551616.0) return (u64)x;\n"
     "  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (u64)(i64)x : 1ull << "
     "63;\n}\n"},
};

bool kern_c_calls_runtime(const char *written)
{
    for (size_t i = 0; i < COUNT_OF(PLAIN); i++)
        if (strncmp(PLAIN[i].text, "f64 fe_", 7) == 0 && strstr(written, PLAIN[i].name))
            return true;
    return false;
}

typedef struct writer {
    const target_machine *target;
    arena *memory;
    text *out;
    map done;
    const kern_c_dialect *dialect; /* of a device; NULL: of the host */
    kern_library *library;
} writer;

static void write_need(writer *w, const char *name);

static void write_needs(writer *w, const kern_needs *needs)
{
    for (uint32_t i = 0; i < needs->names.count; i++) write_need(w, needs->names.at[i]);
}

/* A template filled in; what it needs is written at once. */
static const char *expanded(writer *w, const char *template, const kern_c_scope *scope)
{
    kern_needs needs = {
        .memory = w->memory, .plain = w->target->plain, .dialect = w->target->dialect};
    text body;
    text_init(&body, w->memory);
    kern_c_expand(&body, &needs, template, scope);
    write_needs(w, &needs);
    bool is_plain_static = w->dialect && strncmp(body.at, "static ", 7) == 0;
    return is_plain_static ? arena_printf(w->memory, "FE %s", body.at + 7) : body.at;
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
    static const kern_c_piece *(*const LISTS[])(uint32_t *) = {
        kern_c_memory_pieces, kern_c_narrow_pieces, kern_c_integer_pieces, kern_c_math_pieces};
    const kern_c_piece *found = NULL;
    for (size_t i = 0; i < COUNT_OF(LISTS) && !found; i++) {
        uint32_t count;
        const kern_c_piece *list = LISTS[i](&count);
        found = find_in(list, count, base, dtype, form);
    }
    return found;
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
                 {'h', 32, "__F16C__"},
                 {'x', 16, "__SSE4_1__"},
                 {'2', 16, "__SSE2__"}};
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        if (scope->lanes == 1 || FORMS[i].bytes != kern_c_vector_bytes(scope)) continue;
        const kern_c_piece *found = find_form(base, scope->dtype, FORMS[i].form);
        *condition = FORMS[i].condition;
        if (found) return found;
    }
    return NULL;
}

static void write_type(writer *w, const kern_c_scope *scope, const char *name)
{
    const char *element = ty_dtype_name(scope->dtype);
    text_printf(w->out, "typedef %s %s __attribute__((vector_size(%u)));\n", element, name,
                scope->lanes * ty_dtype_size(scope->dtype));
}

/* A function of kernel IR, which was verified with the kernels; or NULL. */
static const char *legal_text(writer *w, const char *base, const kern_c_scope *scope)
{
    kern_needs needs = {.memory = w->memory};
    const char *name = kern_function_name(base, scope->dtype, scope->lanes, w->memory);
    const kern_function *f = scope->lanes > 1 ? kern_library_named(w->library, name) : NULL;
    if (!f) return NULL;
    const char *made = kern_c_function(&needs, f);
    write_needs(w, &needs);
    return made;
}

/* The text that any compiler takes. */
static const char *general_text(writer *w, const char *base, const kern_c_scope *scope)
{
    const char *legal = legal_text(w, base, scope);
    if (legal) return legal;
    const kern_c_piece *piece = w->target->plain ? find_form(base, scope->dtype, 'p') : NULL;
    if (!piece) piece = find_form(base, scope->dtype, scope->lanes == 1 ? 's' : 'v');
    if (piece) return expanded(w, piece->text, scope);
    kern_needs needs = {.memory = w->memory};
    const char *made = kern_c_lanes(&needs, base, scope);
    if (!made)
        BUG(arena_session(w->memory), "the prelude has no %s for %s x %u", base,
            ty_dtype_name(scope->dtype), scope->lanes);
    write_needs(w, &needs);
    return made;
}

/* With mask registers where the target has them. */
static const char *masked_move(writer *w, const char *base, const kern_c_scope *scope)
{
    kern_needs needs = {.memory = w->memory};
    if (scope->lanes == 1 || w->target->vector_bytes < 64) return NULL;
    const char *move = kern_c_masked_move(&needs, base, scope, w->out);
    write_needs(w, &needs);
    return move;
}

static void write_function(writer *w, const char *base, const kern_c_scope *scope)
{
    const char *condition = "__AVX512BW__";
    const char *general = general_text(w, base, scope), *special = masked_move(w, base, scope);
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
    for (size_t i = 0; w->dialect && w->dialect->own[i]; i++)
        if (strcmp(w->dialect->own[i], name) == 0) return;
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

#define BITS "#define FE_BITS(from, to, x) (((union { from a; to b; }){x}).b)\n"

static const char HEAD[] = "typedef __INT8_TYPE__ i8;\ntypedef __INT16_TYPE__ i16;\ntypedef "
                           "__INT32_TYPE__ i32;\ntypedef __INT64_TYPE__ i64;\n"
                           "typedef __UINT8_TYPE__ u8;\ntypedef __UINT16_TYPE__ u16;\ntypedef "
                           "__UINT32_TYPE__ u32;\ntypedef __UINT64_TYPE__ u64;\n"
                           "typedef float f32;\ntypedef double f64;\ntypedef float _Complex "
                           "c64;\ntypedef double _Complex c128;\n"
                           "typedef struct fe_kernel_args {\n  void *const *buffers;\n  const i64 "
                           "*ints;\n  struct rt_fault *fault;\n} fe_kernel_args;\n"
                           "#define FE static inline __attribute__((always_inline))\n" BITS;

static const char PLAIN_HEAD[] =
    "#include <math.h>\n#include <stdint.h>\n"
    "typedef int8_t i8;\ntypedef int16_t i16;\ntypedef int32_t i32;\ntypedef int64_t i64;\n"
    "typedef uint8_t u8;\ntypedef uint16_t u16;\ntypedef uint32_t u32;\ntypedef uint64_t u64;\n"
    "typedef float f32;\ntypedef double f64;\n"
    "typedef struct fe_kernel_args {\n  void *const *buffers;\n  const i64 *ints;\n"
    "  struct rt_fault *fault;\n} fe_kernel_args;\n"
    "#define FE static inline\n" BITS;

void kern_prelude(const target_machine *target, const kern_kernel *const *kernels, uint32_t count,
                  text *out)
{
    writer w = {.target = target,
                .memory = out->memory,
                .out = out,
                .dialect = kern_c_dialect_named(target->dialect)};
    bool checks = false;
    for (uint32_t k = 0; k < count; k++) checks |= kern_reports(kernels[k]->ir);
    if (w.dialect)
        kern_c_write_dialect(w.dialect, checks, out);
    else
        text_add(out, target->plain ? PLAIN_HEAD : HEAD);
    for (uint32_t k = 0; k < count; k++) {
        w.library = kernels[k]->needs->library;
        write_needs(&w, kernels[k]->needs);
    }
}
