/* c_memory.c -- pieces of the prelude: vectors from and to memory, masks, and integer arithmetic of
 * single numbers.
 *
 * load(p, n) and store(p, x, n) move n lanes, the first ones; loadif moves those of a mask. Other
 * lanes are 0. loadall and storeall are for tiles, which have room for whole vectors.
 */
#include "kern/c_priv.h"

#define BITS32 (KERN_DTYPE(TY_F32) | KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_U32))
#define BITS64 (KERN_DTYPE(TY_F64) | KERN_DTYPE(TY_I64) | KERN_DTYPE(TY_U64))
#define BITS8 (KERN_DTYPE(TY_U8) | KERN_DTYPE(TY_I8))
#define BITS16 (KERN_DTYPE(TY_U16) | KERN_DTYPE(TY_I16) | KERN_DTYPE(TY_F16) | KERN_DTYPE(TY_BF16))
#define SIGNED (KERN_DTYPE(TY_I8) | KERN_DTYPE(TY_I16) | KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_I64))
#define UNSIGNED (KERN_DTYPE(TY_U8) | KERN_DTYPE(TY_U16) | KERN_DTYPE(TY_U32) | KERN_DTYPE(TY_U64))
#define FLOATS (KERN_DTYPE(TY_F32) | KERN_DTYPE(TY_F64))

static const kern_c_piece PIECES[] = {
    {"load", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T load_$S(const u8 *p, i64 n) { return __builtin_convertvector(@u8:load(p, n), $T) != 0; "
     "}\n"},
    {"store", KERN_DTYPE(TY_BOOL), 'v',
     "FE void store_$S(u8 *p, $T x, i64 n) { @u8:store(p, __builtin_convertvector(x & 1, "
     "@u8:type), n); }\n"},
    {"loadif", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T loadif_$S(const u8 *p, i64 n, $T m) { return __builtin_convertvector(@u8:loadif(p, n, "
     "m), $T) != 0; }\n"},
    {"loadall", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T loadall_$S(const u8 *p) { return __builtin_convertvector(@u8:loadall(p), $T) != 0; "
     "}\n"},
    {"storeall", KERN_DTYPE(TY_BOOL), 'v',
     "FE void storeall_$S(u8 *p, $T x) { @u8:storeall(p, __builtin_convertvector(x & 1, "
     "@u8:type)); }\n"},
    {"type", 0, 'v', "typedef $T type_$S;\n"},
    {"load", 0, 'v',
     "FE $T load_$S(const $A *p, i64 n)\n{\n  $T x = {0};\n  if (n == $W) __builtin_memcpy(&x, p, "
     "sizeof x);\n"
     "  else for (int l = 0; l < n; l++) x[l] = p[l];\n  return x;\n}\n"},
    {"store", 0, 'v',
     "FE void store_$S($A *p, $T x, i64 n)\n{\n  if (n == $W) __builtin_memcpy(p, &x, sizeof x);\n"
     "  else for (int l = 0; l < n; l++) p[l] = x[l];\n}\n"},
    {"loadif", 0, 'v',
     "FE $T loadif_$S(const $A *p, i64 n, $M m)\n{\n  $T x = {0};\n"
     "  for (int l = 0; l < n; l++) if (m[l]) x[l] = p[l];\n  return x;\n}\n"},
    {"loadall", 0, 'v',
     "FE $T loadall_$S(const $A *p) { $T x; __builtin_memcpy(&x, p, sizeof x); return x; }\n"},
    {"storeall", 0, 'v',
     "FE void storeall_$S($A *p, $T x) { __builtin_memcpy(p, &x, sizeof x); }\n"},
    /* every second element */
    {"loadpairs", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T loadpairs_$S(const u8 *p, i64 n) { return __builtin_convertvector(@u8:loadpairs(p, n), "
     "$T) != 0; }\n"},
    {"loadpairsif", KERN_DTYPE(TY_BOOL), 'v',
     "FE $T loadpairsif_$S(const u8 *p, i64 n, $T m)\n{\n"
     "  return __builtin_convertvector(@u8:loadpairsif(p, n, m), $T) != 0;\n}\n"},
    {"loadpairs", 0, 'v',
     "FE $T loadpairs_$S(const $A *p, i64 n)\n{\n"
     "  if (n == $W) return @evens(@loadall(p), @loadall(p + $W - 1));\n"
     "  $T x = {0};\n  for (int l = 0; l < n; l++) x[l] = p[2 * l];\n  return x;\n}\n"},
    {"loadpairsif", 0, 'v',
     "FE $T loadpairsif_$S(const $A *p, i64 n, $M m)\n{\n"
     "  if (n == $W && !@i32:any(~m)) return @evens(@loadall(p), @loadall(p + $W - 1));\n"
     "  $T x = {0};\n  for (int l = 0; l < n; l++) if (m[l]) x[l] = p[2 * l];\n  return x;\n}\n"},
    {"tail", 0, 'v', "FE $T tail_$S(i64 n) { return @iota() < ($E)n; }\n"},
    {"select", 0, 'v',
     "FE $T select_$S($M m, $T a, $T b)\n{\n  const $I w = __builtin_convertvector(m, $I);\n"
     "  return ($T)((w & ($I)a) | (~w & ($I)b));\n}\n"},
    {"min", FLOATS, 'v',
     "FE $T min_$S($T a, $T b) { const $I m = (a < b) | (a != a); return ($T)((m & ($I)a) | (~m & "
     "($I)b)); }\n"},
    {"max", FLOATS, 'v',
     "FE $T max_$S($T a, $T b) { const $I m = (a > b) | (a != a); return ($T)((m & ($I)a) | (~m & "
     "($I)b)); }\n"},
    {"min", 0, 'v',
     "FE $T min_$S($T a, $T b) { const $I m = a < b; return ($T)((m & ($I)a) | (~m & ($I)b)); }\n"},
    {"max", 0, 'v',
     "FE $T max_$S($T a, $T b) { const $I m = a > b; return ($T)((m & ($I)a) | (~m & ($I)b)); }\n"},
    /* integers, one at a time */
    {"floordiv", SIGNED, 's',
     "FE $T floordiv_$S($T a, $T b)\n{\n  if (b == 0) return 0;\n  if (b == -1) return ($T)(0 - "
     "($U)a);\n"
     "  return ($T)(a / b - ((a % b != 0) & ((a < 0) != (b < 0))));\n}\n"},
    {"truncdiv", SIGNED, 's',
     "FE $T truncdiv_$S($T a, $T b) { return b == 0 ? 0 : b == -1 ? ($T)(0 - ($U)a) : ($T)(a / b); "
     "}\n"},
    {"rem", SIGNED, 's',
     "FE $T rem_$S($T a, $T b)\n{\n  if (b == 0 || b == -1) return 0;\n  $T r = a % b;\n"
     "  return r && (r < 0) != (b < 0) ? ($T)(r + b) : r;\n}\n"},
    {"fmod", SIGNED, 's',
     "FE $T fmod_$S($T a, $T b) { return b == 0 || b == -1 ? 0 : ($T)(a % b); }\n"},
    {"floordiv", UNSIGNED, 's', "FE $T floordiv_$S($T a, $T b) { return b ? ($T)(a / b) : 0; }\n"},
    {"truncdiv", UNSIGNED, 's', "FE $T truncdiv_$S($T a, $T b) { return b ? ($T)(a / b) : 0; }\n"},
    {"rem", UNSIGNED, 's', "FE $T rem_$S($T a, $T b) { return b ? ($T)(a % b) : 0; }\n"},
    {"fmod", UNSIGNED, 's', "FE $T fmod_$S($T a, $T b) { return b ? ($T)(a % b) : 0; }\n"},
    {"pow", SIGNED, 's',
     "static $T pow_$S($T a, $T b)\n{\n  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) "
     ": 0;\n"
     "  u64 r = 1, f = (u64)a;\n  for (u64 e = (u64)b; e; e >>= 1, f *= f) if (e & 1) r *= f;\n  "
     "return ($T)r;\n}\n"},
    {"pow", UNSIGNED, 's',
     "static $T pow_$S($T a, $T b)\n{\n  u64 r = 1, f = (u64)a;\n"
     "  for (u64 e = (u64)b; e; e >>= 1, f *= f) if (e & 1) r *= f;\n  return ($T)r;\n}\n"},
    {"gcd", SIGNED | UNSIGNED, 's',
     "static $T gcd_$S($T a, $T b)\n{\n  u64 x = (i64)a < 0 ? 0 - (u64)a : (u64)a, y = (i64)b < 0 "
     "? 0 - (u64)b : (u64)b;\n"
     "  while (y) { u64 r = x % y; x = y; y = r; }\n  return ($T)x;\n}\n"},
    {"shl", SIGNED | UNSIGNED, 's',
     "FE $T shl_$S($T a, $T b) { return b < 0 || b >= ($T)(8 * sizeof a) ? 0 : ($T)(($U)a << b); "
     "}\n"},
    {"shr", SIGNED, 's',
     "FE $T shr_$S($T a, $T b) { return ($T)(a >> (b < 0 || b >= ($T)(8 * sizeof a) ? ($T)(8 * "
     "sizeof a) - 1 : b)); }\n"},
    {"shr", UNSIGNED, 's',
     "FE $T shr_$S($T a, $T b) { return b >= 8 * sizeof a ? 0 : ($T)(a >> b); }\n"},
    /* AVX2: masked moves for what is left; whole vectors take the ordinary instruction */
    {"load", KERN_DTYPE(TY_F32), '3',
     "FE $T load_$S(const $A *p, i64 n)\n"
     "{\n"
     "  if (n == $W) return @loadall(p);\n"
     "  return ($T)__builtin_ia32_maskloadps256((const $T *)p, @i32:tail(n));\n"
     "}\n"},
    {"loadif", KERN_DTYPE(TY_F32), '3',
     "FE $T loadif_$S(const $A *p, i64 n, $M m)\n"
     "{\n"
     "  return ($T)__builtin_ia32_maskloadps256((const $T *)p, m & @i32:tail(n));\n"
     "}\n"},
    {"store", KERN_DTYPE(TY_F32), '3',
     "FE void store_$S($A *p, $T x, i64 n)\n"
     "{\n"
     "  if (n == $W) @storeall(p, x);\n"
     "  else __builtin_ia32_maskstoreps256(($T *)p, @i32:tail(n), ($T)x);\n"
     "}\n"},
    {"load", KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_U32), '3',
     "FE $T load_$S(const $A *p, i64 n)\n"
     "{\n"
     "  if (n == $W) return @loadall(p);\n"
     "  return ($T)__builtin_ia32_maskloadd256((const $I *)p, @i32:tail(n));\n"
     "}\n"},
    {"loadif", KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_U32), '3',
     "FE $T loadif_$S(const $A *p, i64 n, $M m)\n"
     "{\n"
     "  return ($T)__builtin_ia32_maskloadd256((const $I *)p, m & @i32:tail(n));\n"
     "}\n"},
    {"store", KERN_DTYPE(TY_I32) | KERN_DTYPE(TY_U32), '3',
     "FE void store_$S($A *p, $T x, i64 n)\n"
     "{\n"
     "  if (n == $W) @storeall(p, x);\n"
     "  else __builtin_ia32_maskstored256(($I *)p, @i32:tail(n), ($I)x);\n"
     "}\n"},
    {"load", KERN_DTYPE(TY_F64), '3',
     "FE $T load_$S(const $A *p, i64 n)\n"
     "{\n"
     "  typedef long long wide __attribute__((vector_size(32)));\n"
     "  if (n == $W) return @loadall(p);\n"
     "  return ($T)__builtin_ia32_maskloadpd256((const $T *)p, (wide)@i64:tail(n));\n"
     "}\n"},
    {"loadif", KERN_DTYPE(TY_F64), '3',
     "FE $T loadif_$S(const $A *p, i64 n, $M m)\n"
     "{\n"
     "  typedef long long wide __attribute__((vector_size(32)));\n"
     "  return ($T)__builtin_ia32_maskloadpd256((const $T *)p, (wide)(__builtin_convertvector(m, "
     "$I) & @i64:tail(n)));\n"
     "}\n"},
    {"store", KERN_DTYPE(TY_F64), '3',
     "FE void store_$S($A *p, $T x, i64 n)\n"
     "{\n"
     "  typedef long long wide __attribute__((vector_size(32)));\n"
     "  if (n == $W) @storeall(p, x);\n"
     "  else __builtin_ia32_maskstorepd256(($T *)p, (wide)@i64:tail(n), ($T)x);\n"
     "}\n"},
    {"load", KERN_DTYPE(TY_I64) | KERN_DTYPE(TY_U64), '3',
     "FE $T load_$S(const $A *p, i64 n)\n"
     "{\n"
     "  typedef long long wide __attribute__((vector_size(32)));\n"
     "  if (n == $W) return @loadall(p);\n"
     "  return ($T)__builtin_ia32_maskloadq256((const wide *)p, (wide)@i64:tail(n));\n"
     "}\n"},
    {"loadif", KERN_DTYPE(TY_I64) | KERN_DTYPE(TY_U64), '3',
     "FE $T loadif_$S(const $A *p, i64 n, $M m)\n"
     "{\n"
     "  typedef long long wide __attribute__((vector_size(32)));\n"
     "  return ($T)__builtin_ia32_maskloadq256((const wide *)p, (wide)(__builtin_convertvector(m, "
     "$I) & @i64:tail(n)));\n"
     "}\n"},
    {"store", KERN_DTYPE(TY_I64) | KERN_DTYPE(TY_U64), '3',
     "FE void store_$S($A *p, $T x, i64 n)\n"
     "{\n"
     "  typedef long long wide __attribute__((vector_size(32)));\n"
     "  if (n == $W) @storeall(p, x);\n"
     "  else __builtin_ia32_maskstoreq256((wide *)p, (wide)@i64:tail(n), (wide)x);\n"
     "}\n"},
    /* is any lane of a mask set? */
    {"any", KERN_DTYPE(TY_I32), '4',
     "FE int any_$S($T x) { return __builtin_ia32_cvtd2mask512(x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I32), '3',
     "FE int any_$S($T x) { return __builtin_ia32_movmskps256((@f32:type)x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I32), '2',
     "FE int any_$S($T x) { return __builtin_ia32_movmskps((@f32:type)x) != 0; }\n"},
    {"any", KERN_DTYPE(TY_I32), 'v', "FE int any_$S($T x) { return @joinor(x) != 0; }\n"},
};

const kern_c_piece *kern_c_memory_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
