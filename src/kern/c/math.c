/* math.c -- pieces of the prelude: primitives of floats, conversions of halves, complex numbers. */
#include "kern/c/c.h"

#define F32 KERN_DTYPE(TY_F32)
#define F64 KERN_DTYPE(TY_F64)
#define FLOATS (F32 | F64)

#define ROUNDING(name, how)                                                               \
    {name, FLOATS, '4',                                                                   \
     "FE $T " name "_$S($T x) { return __builtin_ia32_rndscale$p_mask(x, " how            \
     ", x, -1, 4); }\n"},                                                                 \
    {                                                                                     \
        name, FLOATS, '3',                                                                \
            "FE $T " name "_$S($T x) { return __builtin_ia32_round$p256(x, " how "); }\n" \
    }

/* mink: of the constant k, which is not NaN, and x. min: NaN if either is, of equals a, which is also
 * the one on the critical path. fmin: the other if one is NaN. */
#define EXTREME_OF(name, maybe)                    \
    "_$S($T a, $T b)\n"                            \
    "{\n"                                          \
    "  const $T r = @" name "k(b, a);\n"           \
    "  const $I m = " maybe " != " maybe ";\n"     \
    "  return ($T)((m & ($I)b) | (~m & ($I)r));\n" \
    "}\n"
#define EXTREME(name, wins)                                                                  \
    {name "k", FLOATS, '4',                                                                  \
     "FE $T " name "k_$S($T k, $T x) { return __builtin_ia32_" name                          \
     "$p512_mask(k, x, x, -1, 4); }\n"},                                                     \
        {name "k", FLOATS, '3',                                                              \
         "FE $T " name "k_$S($T k, $T x) { return __builtin_ia32_" name "$p256(k, x); }\n"}, \
        {name "k", FLOATS, '2',                                                              \
         "FE $T " name "k_$S($T k, $T x) { return __builtin_ia32_" name "$p(k, x); }\n"},    \
        {name "k", FLOATS, 'v',                                                              \
         "FE $T " name "k_$S($T k, $T x) { const $I m = k " wins                             \
         " x; return ($T)((m & ($I)k) | (~m & ($I)x)); }\n"},                                \
        {name, FLOATS, 'v', "FE $T " name EXTREME_OF(name, "b")},                            \
    {                                                                                        \
        "f" name, FLOATS, 'v', "FE $T f" name EXTREME_OF(name, "a")                          \
    }

static const kern_c_piece PIECES[] = {
    /* selections by masks as wide as what is selected */
    {"pick", FLOATS, 'v',
     "FE $T pick_$S($I m, $T a, $T b) { return ($T)((m & ($I)a) | (~m & ($I)b)); }\n"},
    /* a * b + c, rounded once */
    {"fused", FLOATS, '4',
     "FE $T fused_$S($T a, $T b, $T c) { return __builtin_ia32_vfmadd$p512_mask(a, b, c, -1, 4); "
     "}\n"},
    {"fused", FLOATS, '3',
     "FE $T fused_$S($T a, $T b, $T c) { return __builtin_ia32_vfmadd$p256(a, b, c); }\n"},
    {"fused", FLOATS, 'v',
     "FE $T fused_$S($T a, $T b, $T c)\n"
     "{\n"
     "  $T r;\n"
     "  for (int l = 0; l < $W; l++) r[l] = __builtin_fma$f(a[l], b[l], c[l]);\n"
     "  return r;\n"
     "}\n"},
    /* lane i[l] mod 8 of t, which repeats itself behind 8 */
    {"permuted", F32, '4',
     "FE $T permuted_$S($I i, $T t) { return __builtin_ia32_permvarsf512_mask(t, i, t, -1); }\n"},
    {"permuted", F32, '3',
     "FE $T permuted_$S($I i, $T t) { return __builtin_ia32_permvarsf256(t, i); }\n"},
    {"permuted", F32, 'v',
     "FE $T permuted_$S($I i, $T t)\n"
     "{\n"
     "  $T r;\n"
     "  for (int l = 0; l < $W; l++) r[l] = t[i[l] & 7];\n"
     "  return r;\n"
     "}\n"},
    {"looked", F32, 'v',
     "FE $T looked_$S($I i, const f32 *t)\n"
     "{\n"
     "  $T r;\n"
     "  for (int l = 0; l < $W; l++) r[l] = t[i[l] & 7];\n"
     "  return r;\n"
     "}\n"},
    /* p * 2^n */
    {"scaled", FLOATS, '4',
     "FE $T scaled_$S($T p, $T n) { return __builtin_ia32_scalef$p512_mask(p, n, p, -1, 4); }\n"},
    {"scaled", F32, 'v',
     "FE $T scaled_$S($T p, $T n)\n"
     "{\n"
     "  const $I i = __builtin_convertvector(n, $I), h = i >> 1;\n"
     "  return p * ($T)((h + 127) << 23) * ($T)((i - h + 127) << 23);\n"
     "}\n"},
    {"scaled", F64, 'v',
     "FE $T scaled_$S($T p, $T n)\n"
     "{\n"
     "  const $I i = ($I)(n + 0x1.8p52) - 0x4338000000000000, h = i >> 1;\n"
     "  return p * ($T)((h + 1023) << 52) * ($T)((i - h + 1023) << 52);\n"
     "}\n"},
    ROUNDING("floor", "9"),
    ROUNDING("ceil", "10"),
    ROUNDING("round", "8"),
    ROUNDING("trunc", "11"),
    {"sqrt", FLOATS, '4',
     "FE $T sqrt_$S($T x) { return __builtin_ia32_sqrt$p512_mask(x, x, -1, 4); }\n"},
    {"sqrt", FLOATS, '3', "FE $T sqrt_$S($T x) { return __builtin_ia32_sqrt$p256(x); }\n"},
    {"sqrt", FLOATS, '2', "FE $T sqrt_$S($T x) { return __builtin_ia32_sqrt$p(x); }\n"},
    EXTREME("min", "<"),
    EXTREME("max", ">"),
    /* no part of what an expression around it is made into */
    {"rounded", FLOATS, 's', "FE $T rounded_$S($T x)\n{\n  volatile $T y = x;\n  return y;\n}\n"},
    /* c10::div_floor_floating, and torch.remainder */
    {"floordiv", FLOATS, 's',
     "static $T floordiv_$S($T a, $T b)\n{\n  if (b == 0) return a / b;\n"
     "  const $T r = __builtin_fmod$f(a, b);\n  $T q = (a - r) / b;\n  if (r != 0 && (b < 0) != (r "
     "< 0)) q -= 1;\n"
     "  if (q == 0) return __builtin_copysign$f(0, a / b);\n  const $T w = __builtin_floor$f(q);\n"
     "  return q - w > ($T)0.5 ? w + 1 : w;\n}\n"},
    {"rem", FLOATS, 's',
     "static $T rem_$S($T a, $T b)\n{\n  const $T r = __builtin_fmod$f(a, b);\n"
     "  return r != 0 && (b < 0) != (r < 0) ? r + b : r;\n}\n"},
    /* f16 and bf16 as bits; rounding to nearest even */
    {"fromhalf", KERN_DTYPE(TY_F32), '4',
     "FE $T fromhalf_$S(@u16:type x) { return __builtin_ia32_vcvtph2ps512_mask((@i16:type)x, "
     "($T){0}, -1, 4); }\n"},
    {"tohalf", KERN_DTYPE(TY_F32), '4',
     "FE @u16:type tohalf_$S($T x) { return (@u16:type)__builtin_ia32_vcvtps2ph512_mask(x, 0, "
     "(@i16:type){0}, -1); }\n"},
    {"fromhalf", KERN_DTYPE(TY_F32), 'h',
     "FE $T fromhalf_$S(@u16:type x) { return __builtin_ia32_vcvtph2ps256((@i16:type)x); }\n"},
    {"tohalf", KERN_DTYPE(TY_F32), 'h',
     "FE @u16:type tohalf_$S($T x) { return (@u16:type)__builtin_ia32_vcvtps2ph256(x, 0); }\n"},
    /* which compilers make of two halves */
    {"frombf", F32, '4',
     "FE $T frombf_$S(@u16:type x) { return ($T)(__builtin_ia32_pmovzxwd512_mask((@i16:type)x, "
     "($I){0}, -1) << 16); }\n"},
    {"frombf", F32, '3',
     "FE $T frombf_$S(@u16:type x) { return ($T)(__builtin_ia32_pmovzxwd256((@i16:type)x) << 16); "
     "}\n"},
    /* the nearest bf16 in the upper half of a word, whatever below */
    {"nearbf", F32, '4',
     "FE $I nearbf_$S($T x)\n{\n  const $I i = ($I)x;\n"
     "  return __builtin_ia32_paddd512_mask(i, (i >> 16 & 1) + 0x7fff, i | 0x400000, "
     "__builtin_ia32_cmpps512_mask(x, x, 7, -1, 4));\n}\n"},
    {"nearbf", F32, '3',
     "FE $I nearbf_$S($T x)\n{\n  typedef char bytes __attribute__((vector_size(32)));\n"
     "  const $I i = ($I)x;\n"
     "  return ($I)__builtin_ia32_pblendvb256((bytes)(i | 0x400000), "
     "(bytes)(i + ((i >> 16 & 1) + 0x7fff)), (bytes)(x == x));\n}\n"},
    {"nearbf", F32, 'v',
     "FE $I nearbf_$S($T x)\n{\n  const @u32:type u = (@u32:type)x, m = (@u32:type)(x == x);\n"
     "  return ($I)((m & (u + ((u >> 16 & 1) + 0x7fff))) | (~m & (u | 0x400000)));\n}\n"},
    {"tobf", F32, '4',
     "FE @u16:type tobf_$S($T x)\n{\n  typedef i16 wide __attribute__((vector_size(64)));\n"
     "  const wide odd = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};\n"
     "  return FE_BITS(wide, @u16:type, __builtin_ia32_permvarhi512_mask((wide)@nearbf(x), odd, "
     "odd, "
     "-1));\n}\n"},
    {"tobf", F32, '3',
     "FE @u16:type tobf_$S($T x)\n{\n  typedef int four __attribute__((vector_size(16)));\n"
     "  typedef long long quads __attribute__((vector_size(32)));\n"
     "  const $I r = ($I)((@u32:type)@nearbf(x) >> 16);\n"
     "  return (@u16:type)__builtin_ia32_packusdw128(FE_BITS($I, four, r), "
     "(four)__builtin_ia32_extract128i256((quads)r, 1));\n}\n"},
    {"roundbf", F32, '4', "FE $T roundbf_$S($T x) { return ($T)(@nearbf(x) & -0x10000); }\n"},
    {"roundbf", F32, '3', "FE $T roundbf_$S($T x) { return ($T)(@nearbf(x) & -0x10000); }\n"},
    {"frombf", KERN_DTYPE(TY_F32), 's',
     "FE f32 frombf_f32(u16 x) { return FE_BITS(u32, f32, (u32)x << 16); }\n"},
    {"tobf", KERN_DTYPE(TY_F32), 's',
     "FE u16 tobf_f32(f32 x)\n{\n  const u32 u = FE_BITS(f32, u32, x);\n"
     "  return x != x ? u >> 16 | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16;\n}\n"},
    {"roundbf", KERN_DTYPE(TY_F32), 's',
     "FE f32 roundbf_f32(f32 x)\n{\n  const u32 u = FE_BITS(f32, u32, x);\n"
     "  return FE_BITS(u32, f32, (x != x ? u | 0x400000u : u + 0x7fffu + (u >> 16 & 1)) & "
     "0xffff0000u);"
     "\n}\n"},
    {"fromhalf", KERN_DTYPE(TY_F32), 's',
     "FE f32 fromhalf_f32(u16 h)\n{\n  const f32 f = FE_BITS(u32, f32, (h & 0x7fffu) << 13) * "
     "0x1p112f;\n"
     "  u32 u = FE_BITS(f32, u32, f);\n  u |= ((h & 0x7c00) == 0x7c00 ? 0x7f800000u : "
     "0) | (h & 0x8000u) << 16;\n"
     "  return FE_BITS(u32, f32, u);\n}\n"},
    {"tohalf", KERN_DTYPE(TY_F32), 's',
     "static u16 tohalf_f32(f32 x)\n{\n  const u32 i = FE_BITS(f32, u32, x), a = i & 0x7fffffff;\n"
     "  const u32 low = FE_BITS(f32, u32, FE_BITS(u32, f32, a) + 0.5f) - 0x3f000000;\n"
     "  const u32 high = (a + 0xfff + (a >> 13 & 1) - 0x38000000) >> 13;\n"
     "  return (u16)((a > 0x7f800000 ? 0x7e00 : a < 0x38800000 ? low : high > 0x7c00 ? 0x7c00 : "
     "high) | (i >> 16 & 0x8000));\n}\n"},
    {"logaddexp", FLOATS, 's',
     "static $T logaddexp_$S($T a, $T b)\n{\n  if (a == b && __builtin_isinf(a)) return a;\n"
     "  return (a > b ? a : b) + __builtin_log1p$f(__builtin_exp$f(-__builtin_fabs$f(a - "
     "b)));\n}\n"},
    {"logaddexp", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 's',
     "static $T logaddexp_$S($T a, $T b)\n{\n"
     "  const int swap = __builtin_creal$f(a) < __builtin_creal$f(b);\n"
     "  const $T most = swap ? b : a, least = swap ? a : b;\n"
     "  const $R high = __builtin_creal$f(most);\n"
     "  if (__builtin_isinf(high) && __builtin_creal$f(least) == high)\n"
     "    return high < 0 ? most : __builtin_clog$f(__builtin_cexp$f(most) + "
     "__builtin_cexp$f(least));\n"
     "  return most + __builtin_clog$f(1 + __builtin_cexp$f(least - most));\n}\n"},
    {"sign", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 's',
     "FE $T sign_$S($T a) { return a == 0 ? 0 : a / __builtin_cabs$f(a); }\n"},
    {"pow", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 's',
     "FE $T pow_$S($T a, $T b) { return a == 0 && b == 0 ? 1 : __builtin_cpow$f(a, b); }\n"},
    {"mul", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 's',
     "FE $T mul_$S($T a, $T b)\n{\n"
     "  const $R x = __builtin_creal$f(a), y = __builtin_cimag$f(a);\n"
     "  const $R u = __builtin_creal$f(b), v = __builtin_cimag$f(b);\n"
     "  return @complex(x * u - y * v, x * v + y * u);\n}\n"},
    /* eager's, which makes no infinity of a part that is NaN, as C does */
    {"div", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 's',
     "FE $T div_$S($T a, $T b)\n{\n"
     "  const $R x = __builtin_creal$f(a), y = __builtin_cimag$f(a);\n"
     "  const $R u = __builtin_creal$f(b), v = __builtin_cimag$f(b);\n"
     "  const $R p = __builtin_fabs$f(u), q = __builtin_fabs$f(v);\n"
     "  if (p == 0 && q == 0) return @complex(x / p, y / q);\n"
     "  const $R part = p >= q ? v / u : u / v;\n"
     "  const $R scale = 1 / (p >= q ? u + v * part : v + u * part);\n"
     "  if (p >= q) return @complex((x + y * part) * scale, (y - x * part) * scale);\n"
     "  return @complex((x * part + y) * scale, (y * part - x) * scale);\n}\n"},
    {"complex", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 's',
     "FE $T complex_$S($R re, $R im) { return __builtin_complex(re, im); }\n"},
    /* it lies in memory as an array of two */
    {"complex", KERN_DTYPE(TY_C64) | KERN_DTYPE(TY_C128), 'p',
     "FE $T complex_$S($R re, $R im) { return ((union { $R at[2]; $T value; }){{re, im}}).value; "
     "}\n"},
};

const kern_c_piece *kern_c_math_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
