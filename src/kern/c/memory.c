/* memory.c -- pieces of the prelude: vectors from and to memory, and masks.
 *
 * load(p, n) and store(p, x, n) move n lanes, the first ones; loadif moves those of a mask. Other
 * lanes are 0. loadall and storeall are for tiles, which have room for whole vectors. Where a mask
 * is empty, memory is left alone: an address that nothing is at costs a processor much even so.
 */
#include "kern/c/c.h"

#define BITS32 (KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_U32))
#define BITS64 (KERN_DTYPE(TY_I64) | KERN_DTYPE(TY_U64))
/* the builtins' own type */
#define WIDE "  typedef long long wide __attribute__((vector_size(32)));\n"

/* AVX2: masked moves for what is left; whole vectors take the ordinary instruction. */
#define MASKED_MOVES(dtypes, types, name, type, tail, guard, rest)                            \
    {"load", dtypes, '3',                                                                     \
     "FE $T load_$S(const $A *p, i64 n)\n"                                                    \
     "{\n" types "  if (n == $W) return @loadall(p);\n"                                       \
     "  return ($T)__builtin_ia32_maskload" name "256((const " type " *)p, " tail ");\n"      \
     "}\n"},                                                                                  \
        {"loadif", dtypes, '3',                                                               \
         "FE $T loadif_$S(const $A *p, i64 n, $M m)\n"                                        \
         "{\n" types "  if (!@i32:any(m)) return ($T){0};\n"                                  \
         "  return ($T)__builtin_ia32_maskload" name "256((const " type " *)p, " guard ");\n" \
         "}\n"},                                                                              \
    {                                                                                         \
        "store", dtypes, '3',                                                                 \
            "FE void store_$S($A *p, $T x, i64 n)\n"                                          \
            "{\n  if (n == $W) {\n    @storeall(p, x);\n    return;\n  }\n"                   \
            "  typedef $E half __attribute__((vector_size(16)));\n  half low, high;\n"        \
            "  __builtin_memcpy(&low, &x, 16);\n"                                             \
            "  __builtin_memcpy(&high, (const u8 *)&x + 16, 16);\n" rest "}\n"                \
    }

#define REST_OF_8                                                           \
    "  if (n & 4) __builtin_memcpy(p, &low, 16), p += 4, low = high;\n"     \
    "  if (n & 2) __builtin_memcpy(p, &low, 8), p += 2, low[0] = low[2];\n" \
    "  if (n & 1) *p = low[0];\n"
#define REST_OF_4                                                       \
    "  if (n & 2) __builtin_memcpy(p, &low, 16), p += 2, low = high;\n" \
    "  if (n & 1) *p = low[0];\n"

/* AVX-512: the same by registers of masks. */
#define MASKED_BY_BITS(dtypes, types, name, type, mask, guard)                                 \
    {"load", dtypes, '4',                                                                      \
     "FE $T load_$S(const $A *p, i64 n)\n"                                                     \
     "{\n" types "  if (n == $W) return @loadall(p);\n"                                        \
     "  return ($T)__builtin_ia32_load" name "512_mask((const void *)p, (" type "){0}, (" mask \
     ")((1u << n) - 1));\n}\n"},                                                               \
        {"loadif", dtypes, '4',                                                                \
         "FE $T loadif_$S(const $A *p, i64 n, $M m)\n"                                         \
         "{\n" types "  const " mask " bits = (" mask ")(((1u << n) - 1) & " guard ");\n"      \
         "  if (!bits) return ($T){0};\n"                                                      \
         "  return ($T)__builtin_ia32_load" name "512_mask((const void *)p, (" type            \
         "){0}, bits);\n}\n"},                                                                 \
    {                                                                                          \
        "store", dtypes, '4',                                                                  \
            "FE void store_$S($A *p, $T x, i64 n)\n"                                           \
            "{\n" types "  if (n == $W) @storeall(p, x);\n"                                    \
            "  else __builtin_ia32_store" name "512_mask((void *)p, (" type ")x, (" mask       \
            ")((1u << n) - 1));\n}\n"                                                          \
    }
#define BITS_OF_16 "__builtin_ia32_cvtd2mask512(m)"
#define BITS_OF_8 "__builtin_ia32_cvtq2mask512((wide)__builtin_convertvector(m, $I))"
#define WIDEST "  typedef long long wide __attribute__((vector_size(64)));\n"

/* By 32-bit indices, that fill a register as what is loaded does. */
#define SHORT_GATHERS(dtypes, form, types, name, type, lanes, mask)                     \
    {                                                                                   \
        "shortgatherif", dtypes, form,                                                  \
            "FE $T shortgatherif_$S(const $A *p, @i32:type at, i64 n, $M m)\n{\n" types \
            "  return ($T)__builtin_ia32_gathersiv" lanes name "((" type                \
            "){0}, (const void *)p, at, " mask ", 4);\n}\n"                             \
    }
#define MASK16 "(u16)(((1u << n) - 1) & __builtin_ia32_cvtd2mask512(m))"

static const kern_c_piece PIECES[] = {
    {"load", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T load_$S(const u8 *p, i64 n) { return @i32:fromu8(@u8:load(p, n)) != 0; }\n"},
    {"store", KERN_DTYPE(TY_BOOL), 'v',
     "FE void store_$S(u8 *p, $T x, i64 n) { @u8:store(p, @i32:tou8(x & 1), n); }\n"},
    {"loadif", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T loadif_$S(const u8 *p, i64 n, $T m) { return @i32:fromu8(@u8:loadif(p, n, m)) != 0; "
     "}\n"},
    {"loadall", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T loadall_$S(const u8 *p) { return @i32:fromu8(@u8:loadall(p)) != 0; }\n"},
    {"storeall", KERN_DTYPE(TY_BOOL), 'v',
     "FE void storeall_$S(u8 *p, $T x) { @u8:storeall(p, @i32:tou8(x & 1)); }\n"},
    {"type", 0, 'v', "typedef $T type_$S;\n"},
    {"load", 0, 'v',
     "FE $T load_$S(const $A *p, i64 n)\n{\n  $T x = {0};\n  if (n == $W) __builtin_memcpy(&x, p, "
     "sizeof x);\n"
     "  else for (int l = 0; l < n; l++) x[l] = p[l];\n  return x;\n}\n"},
    {"store", 0, 'v',
     "FE void store_$S($A *p, $T x, i64 n)\n{\n"
     "  if (n == $W) {\n    __builtin_memcpy(p, &x, sizeof x);\n    return;\n  }\n"
     "  $A lanes[$W];\n  const $A *at = lanes;\n  __builtin_memcpy(lanes, &x, sizeof x);\n"
     "  if ($W > 8 && n & 8) __builtin_memcpy(p, at, 8 * sizeof *p), p += 8, at += 8;\n"
     "  if ($W > 4 && n & 4) __builtin_memcpy(p, at, 4 * sizeof *p), p += 4, at += 4;\n"
     "  if ($W > 2 && n & 2) __builtin_memcpy(p, at, 2 * sizeof *p), p += 2, at += 2;\n"
     "  if (n & 1) *p = *at;\n}\n"},
    {"loadif", 0, 'v',
     "FE $T loadif_$S(const $A *p, i64 n, $M m)\n{\n  $T x = {0};\n"
     "  for (int l = 0; l < n; l++) if (m[l]) x[l] = p[l];\n  return x;\n}\n"},
    {"loadall", 0, 'v',
     "FE $T loadall_$S(const $A *p) { $T x; __builtin_memcpy(&x, p, sizeof x); return x; }\n"},
    {"storeall", 0, 'v',
     "FE void storeall_$S($A *p, $T x) { __builtin_memcpy(p, &x, sizeof x); }\n"},
    /* p[at[l]] in lanes of a mask */
    {"gatherif", 0, 'v',
     "FE $T gatherif_$S(const $A *p, @i64:type at, i64 n, $M m)\n{\n  $T x = {0};\n"
     "  for (int l = 0; l < n; l++) if (m[l]) x[l] = p[at[l]];\n  return x;\n}\n"},
    {"shortgatherif", 0, 'v',
     "FE $T shortgatherif_$S(const $A *p, @i32:type at, i64 n, $M m)\n{\n  $T x = {0};\n"
     "  for (int l = 0; l < n; l++) if (m[l]) x[l] = p[at[l]];\n  return x;\n}\n"},
    SHORT_GATHERS(KERN_DTYPE(TY_F32), '3', "", "sf", "$T", "8", "($T)(m & @i32:tail(n))"),
    SHORT_GATHERS(BITS32, '3', "", "si", "$I", "8", "m & @i32:tail(n)"),
    SHORT_GATHERS(KERN_DTYPE(TY_F32), '4', "", "sf", "$T", "16", MASK16),
    SHORT_GATHERS(BITS32, '4', "", "si", "$I", "16", MASK16),
    {"tail", 0, 'v', "FE $T tail_$S(i64 n) { return @iota() < ($E)n; }\n"},
    {"below", KERN_DTYPE(TY_I32), 'v',
     "FE $T below_$S(i64 n) { return @iota() < ($E)(n < 0 ? 0 : n > $W ? $W : n); }\n"},
    {"select", 0, 'v',
     "FE $T select_$S($M m, $T a, $T b)\n{\n  const $I w = __builtin_convertvector(m, $I);\n"
     "  return ($T)((w & ($I)a) | (~w & ($I)b));\n}\n"},
    MASKED_MOVES(KERN_DTYPE(TY_F32), "", "ps", "$T", "@i32:tail(n)", "m & @i32:tail(n)", REST_OF_8),
    MASKED_MOVES(BITS32, "", "d", "$I", "@i32:tail(n)", "m & @i32:tail(n)", REST_OF_8),
    MASKED_MOVES(KERN_DTYPE(TY_F64), WIDE, "pd", "$T", "(wide)@i64:tail(n)",
                 "(wide)(__builtin_convertvector(m, $I) & @i64:tail(n))", REST_OF_4),
    MASKED_MOVES(BITS64, WIDE, "q", "wide", "(wide)@i64:tail(n)",
                 "(wide)(__builtin_convertvector(m, $I) & @i64:tail(n))", REST_OF_4),
    MASKED_BY_BITS(KERN_DTYPE(TY_F32), "", "ups", "$T", "u16", BITS_OF_16),
    MASKED_BY_BITS(BITS32, "", "dqusi", "$I", "u16", BITS_OF_16),
    MASKED_BY_BITS(KERN_DTYPE(TY_F64), WIDEST, "upd", "$T", "u8", BITS_OF_8),
    MASKED_BY_BITS(BITS64, WIDEST, "dqudi", "wide", "u8", BITS_OF_8),
    /* indices that are out of range, in lanes that count */
    {"outside", KERN_DTYPE(TY_I64), 'v',
     "FE int outside_$S($T x, i64 size, $M m)\n{\n"
     "  return @i32:any(__builtin_convertvector(($U)x >= (u64)size, $M) & m);\n}\n"},
    {"report", KERN_DTYPE(TY_I64), 'v',
     "static __attribute__((noinline, cold)) void report_$S(const fe_kernel_args *args, i64 check, "
     "$T x, i64 size, $M m)\n{\n"
     "  for (int l = 0; l < $W; l++)\n"
     "    if (m[l] && (u64)x[l] >= (u64)size) @!rt_outside(args->fault, check, x[l], size);\n}\n"},
    /* is any lane of a mask set? */
    {"any", KERN_DTYPE(TY_I32), '4',
     "FE int any_$S($T x) { return __builtin_ia32_cvtd2mask512(x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I32), '3',
     "FE int any_$S($T x) { return __builtin_ia32_movmskps256((@f32:type)x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I32), '2',
     "FE int any_$S($T x) { return __builtin_ia32_movmskps((@f32:type)x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I64), '4',
     "FE int any_$S($T x)\n{\n  typedef long long wide __attribute__((vector_size(64)));\n"
     "  return __builtin_ia32_cvtq2mask512((wide)x) != 0;\n}\n"},
    {"any", KERN_DTYPE(TY_I64), '3',
     "FE int any_$S($T x) { return __builtin_ia32_movmskpd256((@f64:type)x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I64), '2',
     "FE int any_$S($T x) { return __builtin_ia32_movmskpd((@f64:type)x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_I64), 'v',
     "FE int any_$S($T x)\n{\n  $E any = 0;\n  for (int l = 0; l < $W; l++) any |= x[l];\n"
     "  return any != 0;\n}\n"},
};

const kern_c_piece *kern_c_memory_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
