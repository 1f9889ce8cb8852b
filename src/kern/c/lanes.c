/* lanes.c -- functions of the prelude that are written for one number of lanes: masked moves,
 * transposing, and whatever runs lane by lane.
 */
#include "kern/c/c.h"

#include <string.h>

uint32_t kern_c_vector_bytes(const kern_c_scope *scope)
{
    return scope->lanes * (scope->dtype == TY_BOOL ? 4 : ty_dtype_size(scope->dtype));
}

/* ---- moves by the mask registers of AVX-512 ---- */

/* How gcc's builtins name a vector of these elements. */
typedef struct move_names {
    const char *suffix, *element;
    ty_dtype dtype;  /* of a vector type that the builtin takes, */
    const char *own; /* or the builtin's own type */
} move_names;

static move_names names_of(ty_dtype dtype)
{
    if (dtype == TY_F32) return (move_names){"ups", "float", TY_F32, NULL};
    if (dtype == TY_F64) return (move_names){"upd", "double", TY_F64, NULL};
    switch (ty_dtype_size(dtype)) {
    case 1: return (move_names){"dquqi", "char", TY_I8, "char"};
    case 2: return (move_names){"dquhi", "short", TY_I16, NULL};
    case 4: return (move_names){"dqusi", "int", TY_I32, NULL};
    default: return (move_names){"dqudi", "long long", TY_I64, "long"};
    }
}

/* By 64-bit indices; 8 of them fill a register. */
static const char *masked_gather(const kern_c_scope *scope)
{
    static const struct {
        ty_dtype dtype;
        const char *text;
    } GATHERS[] = {
#define GATHER(dtype, builtin, vector, scale)                                                      \
    {dtype, "FE $T gatherif_$S(const $A *p, @i64:type at, i64 n, $M m)\n{\n"                       \
            "  const u8 k = (u8)(((1u << n) - 1) & __builtin_ia32_cvtd2mask256(m));\n"             \
            "  typedef long long wide __attribute__((vector_size(64)));\n"                         \
            "  return ($T)__builtin_ia32_" builtin "((" vector "){0}, (void const *)p, (wide)at, " \
            "k, " scale ");\n}\n"}
        GATHER(TY_F32, "gatherdiv16sf", "$T", "4"),
        GATHER(TY_I32, "gatherdiv16si", "$I", "4"),
        GATHER(TY_F64, "gatherdiv8df", "$T", "8"),
        GATHER(TY_I64, "gatherdiv8di", "wide", "8"),
#undef GATHER
    };
    for (size_t i = 0; i < COUNT_OF(GATHERS) && scope->lanes == 8; i++)
        if (GATHERS[i].dtype == scope->dtype) return GATHERS[i].text;
    return NULL;
}

const char *kern_c_masked_move(kern_needs *needs, const char *base, const kern_c_scope *scope,
                               text *types)
{
    arena *memory = needs->memory;
    if (strcmp(base, "gatherif") == 0) {
        const char *gather = masked_gather(scope);
        text out;
        text_init(&out, memory);
        if (gather) kern_c_expand(&out, needs, gather, scope);
        return gather ? out.at : NULL;
    }
    bool is_load = strcmp(base, "load") == 0, is_guarded = strcmp(base, "loadif") == 0;
    uint32_t bytes = kern_c_vector_bytes(scope), bits = scope->lanes <= 8 ? 8 : scope->lanes;
    if (bytes < 16 || scope->dtype == TY_BOOL) return NULL;
    if (!is_load && !is_guarded && strcmp(base, "store") != 0) return NULL;
    move_names names = names_of(scope->dtype);
    const char *vector = arena_printf(memory, "@%s:type", ty_dtype_name(names.dtype));
    if (names.own) {
        vector = arena_printf(memory, "%sx%u", names.own, scope->lanes);
        text_printf(types, "typedef %s %s __attribute__((vector_size(%u)));\n", names.element,
                    vector, bytes);
    }
    text move;
    text_init(&move, memory);
    if (is_load)
        text_printf(&move,
                    "FE $T load_$S(const $A *p, i64 n)\n{\n"
                    "  return ($T)__builtin_ia32_load%s%u_mask((const %s *)p, (%s){0}, "
                    "(u%u)((1u << n) - 1));\n}\n",
                    names.suffix, 8 * bytes, names.element, vector, bits);
    else if (is_guarded)
        text_printf(&move,
                    "FE $T loadif_$S(const $A *p, i64 n, $M m)\n{\n"
                    "  const u%u k = (u%u)(((1u << n) - 1) & __builtin_ia32_cvtd2mask%u(m));\n"
                    "  if (!k) return ($T){0};\n"
                    "  return ($T)__builtin_ia32_load%s%u_mask((const %s *)p, (%s){0}, k);\n}\n",
                    bits, bits, 32 * scope->lanes, names.suffix, 8 * bytes, names.element, vector);
    else /* the asm keeps gcc 12 from merging the store of half a register with what made it into a
            vextract, which faults on lanes that are masked off */
        text_printf(&move,
                    "FE void store_$S($A *p, $T x, i64 n)\n{\n"
                    "%s  __builtin_ia32_store%s%u_mask((%s *)p, (%s)x, "
                    "(u%u)((1u << n) - 1));\n}\n",
                    bytes < 64 ? "  __asm__(\"\" : \"+v\"(x));\n" : "", names.suffix, 8 * bytes,
                    names.element, vector, bits);
    text body;
    text_init(&body, memory);
    kern_c_expand(&body, needs, move.at, scope);
    return body.at;
}

/* ---- all lanes ---- */

static void iota(text *out, kern_needs *needs, const kern_c_scope *scope)
{
    kern_c_expand(out, needs, "FE $T iota_$S(void) { return ($T){0", scope);
    for (uint32_t l = 1; l < scope->lanes; l++) text_printf(out, ", %u", l);
    text_add(out, "}; }\n");
}

/* A square array of as many rows as lanes, in place: its halves are interleaved until all bits of a
 * place have changed sides. */
static void transpose(text *out, kern_needs *needs, const kern_c_scope *scope)
{
    uint32_t w = scope->lanes;
    kern_c_expand(out, needs, "static void transpose_$S($A *q)\n{\n", scope);
    for (uint32_t l = 0; l < w; l++) {
        text_printf(out, "  const ");
        kern_c_expand(out, needs, "$T ", scope);
        text_printf(out, "x1_%u = ", l);
        kern_c_expand(out, needs, "@loadall(q", scope);
        text_printf(out, " + %u);\n", l * w);
    }
    for (uint32_t step = 1; step < w; step *= 2)
        for (uint32_t l = 0; l < w; l++) {
            kern_c_expand(out, needs, "  const $T ", scope);
            text_printf(out, "x%u_%u = ", 2 * step, l);
            text_printf(out, "__builtin_shufflevector(x%u_%u, x%u_%u", step, l / 2, step,
                        l / 2 + w / 2);
            for (uint32_t i = 0; i < w; i++)
                text_printf(out, ", %u", l % 2 * (w / 2) + i / 2 + i % 2 * w);
            text_add(out, ");\n");
        }
    for (uint32_t l = 0; l < w; l++) {
        kern_c_expand(out, needs, "  @storeall(q", scope);
        text_printf(out, " + %u, x%u_%u);\n", l * w, w, l);
    }
    text_add(out, "}\n");
}

static bool lane_by_lane(text *out, kern_needs *needs, const char *base, const kern_c_scope *scope)
{
    static const char *const HEADS[] = {"_$S(void)\n{\n", "_$S($T a)\n{\n", "_$S($T a, $T b)\n{\n",
                                        "_$S($T a, $T b, $T c)\n{\n"};
    uint32_t operands;
    const char *scalar = kern_c_scalar_template(base, scope->dtype, &operands);
    if (!scalar || scope->lanes == 1) return false;
    kern_c_scope lane = {scope->dtype, 1, {"a[l]", "b[l]", "c[l]"}};
    kern_c_expand(out, needs, "static $T ", scope);
    text_add(out, base);
    kern_c_expand(out, needs, HEADS[operands], scope);
    kern_c_expand(out, needs, "  $T r;\n  for (int l = 0; l < $W; l++) r[l] = ", scope);
    kern_c_expand(out, needs, scalar, &lane);
    text_add(out, ";\n  return r;\n}\n");
    return true;
}

const char *kern_c_lanes(kern_needs *needs, const char *base, const kern_c_scope *scope)
{
    text out;
    text_init(&out, needs->memory);
    if (strcmp(base, "iota") == 0)
        iota(&out, needs, scope);
    else if (strcmp(base, "transpose") == 0)
        transpose(&out, needs, scope);
    else if (!lane_by_lane(&out, needs, base, scope))
        return NULL;
    return out.at;
}
