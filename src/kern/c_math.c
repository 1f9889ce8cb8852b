/* c_math.c -- pieces of the prelude: functions of floats.
 *
 * f32 in lanes: Cephes' polynomials for exp, log, sin, cos and tanh, N. Juffa's for erf; about 1
 * ulp unless it says otherwise, and exact on infinities, NaN and zeros. Contraction to fused
 * multiply-add is assumed where the target has it, for speed and a little accuracy, never for
 * correctness. What is not here runs lane by lane through libm.
 */
#include "kern/c_priv.h"

#define F32 KERN_DTYPE(TY_F32)
#define F64 KERN_DTYPE(TY_F64)
#define FLOATS (F32 | F64)

/* x = n ln 2 + r; p: (e^r - 1 - r) / r^2 */
#define EXP_OF_REST                                                        \
    "  const $T s = x * 1.44269504f + 12582912.0f, n = s - 12582912.0f;\n" \
    "  const $T r = x - n * 0.693359375f + n * 2.12194440e-4f;\n"          \
    "  $T p = r * 1.9875691500e-4f + 1.3981999507e-3f;\n"                  \
    "  p = p * r + 8.3334519073e-3f;\n"                                    \
    "  p = p * r + 4.1665795894e-2f;\n"                                    \
    "  p = p * r + 1.6666665459e-1f;\n"                                    \
    "  p = p * r + 5.0000001201e-1f;\n"

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
    /* p * 2^n; s is n + 12582912, whose low bits are n. scale: any result; pow2: normal ones */
    {"scale", F32, '4',
     "FE $T scale_$S($T p, $T n, $T s) { (void)s; return __builtin_ia32_scalefps512_mask(p, n, p, "
     "-1, 4); }\n"},
    {"scale", F32, 'v',
     "FE $T scale_$S($T p, $T n, $T s)\n"
     "{\n"
     "  const $I i = ($I)s - 0x4b400000, h = i >> 1;\n"
     "  (void)n;\n"
     "  return p * ($T)((h + 127) << 23) * ($T)((i - h + 127) << 23);\n"
     "}\n"},
    {"pow2", F32, '4',
     "FE $T pow2_$S($T p, $T n, $T s) { (void)s; return __builtin_ia32_scalefps512_mask(p, n, p, "
     "-1, 4); }\n"},
    {"pow2", F32, 'v',
     "FE $T pow2_$S($T p, $T n, $T s) { (void)n; return p * ($T)((($I)s << 23) + 0x3f800000); }\n"},
    {"exp", F32, 'v',
     "FE $T exp_$S($T x)\n"
     "{\n"
     "  x = @maxk(-104.0f - ($T){0}, @mink(89.0f - ($T){0}, x));\n" EXP_OF_REST
     "  return @scale(p * (r * r) + r + 1.0f, n, s);\n"
     "}\n"},
    /* e^x / 2 */
    {"exph", F32, 'v',
     "FE $T exph_$S($T x)\n"
     "{\n"
     "  x = @maxk(-103.0f - ($T){0}, @mink(90.0f - ($T){0}, x));\n" EXP_OF_REST
     "  return @scale(p * (r * r) + r + 1.0f, n - 1.0f, s - 1.0f);\n"
     "}\n"},
    /* the same for arguments in [-87, 88] */
    {"exps", F32, 'v',
     "FE $T exps_$S($T x)\n"
     "{\n" EXP_OF_REST "  return @pow2(p * (r * r) + r + 1.0f, n, s);\n"
     "}\n"},
    {"exp2", F32, 'v',
     "FE $T exp2_$S($T x)\n"
     "{\n"
     "  x = @maxk(-151.0f - ($T){0}, @mink(129.0f - ($T){0}, x));\n"
     "  const $T s = x + 12582912.0f, n = s - 12582912.0f, r = x - n;\n"
     "  $T p = r * 1.535336188319500e-4f + 1.339887440266574e-3f;\n"
     "  p = p * r + 9.618437357674640e-3f;\n"
     "  p = p * r + 5.550332471162809e-2f;\n"
     "  p = p * r + 2.402264791363012e-1f;\n"
     "  p = p * r + 6.931472028550421e-1f;\n"
     "  return @scale(p * r + 1.0f, n, s);\n"
     "}\n"},
    {"expm1", F32, 'v',
     "FE $T expm1_$S($T x)\n"
     "{\n"
     "  x = @maxk(-20.0f - ($T){0}, @mink(89.0f - ($T){0}, x));\n" EXP_OF_REST
     "  const $T q = p * (r * r) + r, m = @mink(127.0f - ($T){0}, n), t = @pow2(1.0f - ($T){0}, m, "
     "m + 12582912.0f);\n"
     "  const $T y = q * t + (t - 1.0f);\n"
     "  return ($T)(($I)(y + ($T)(($I)y & (n > 127.0f))) | (($I)x & ~$P));\n"
     "}\n"},
    {"sigmoid", F32, 'v', "FE $T sigmoid_$S($T x) { return 1.0f / (1.0f + @exp(-x)); }\n"},
    {"sigmoid", F64, 'v', "FE $T sigmoid_$S($T x) { return 1.0 / (1.0 + @exp(-x)); }\n"},
    /* log(1 + t) - t + t^2 / 2 with x = (1 + t) * 2^f; and what log has outside (0, inf) */
    {"logparts", F32, 'v',
     "FE $T logparts_$S($T x, $T *f, $T *t)\n"
     "{\n"
     "  const $I tiny = x < 1.17549435e-38f;\n"
     "  const $I i = (($I)(x * 8388608.0f) & tiny) + (($I)x & ~tiny) - 0x3f3504f3;\n"
     "  const $T m = ($T)((i & 0x007fffff) + 0x3f3504f3) - 1.0f, z = m * m;\n"
     "  *f = __builtin_convertvector((i >> 23) - (tiny & 23), $T);\n"
     "  $T p = m * 7.0376836292e-2f - 1.1514610310e-1f;\n"
     "  p = p * m + 1.1676998740e-1f;\n"
     "  p = p * m - 1.2420140846e-1f;\n"
     "  p = p * m + 1.4249322787e-1f;\n"
     "  p = p * m - 1.6668057665e-1f;\n"
     "  p = p * m + 2.0000714765e-1f;\n"
     "  p = p * m - 2.4999993993e-1f;\n"
     "  p = p * m + 3.3333331174e-1f;\n"
     "  *t = m;\n"
     "  return p * m * z;\n"
     "}\n"},
    {"logends", F32, 'v',
     "FE $T logends_$S($T x, $T r)\n"
     "{\n"
     "  const $I normal = (x > 0.0f) & (x < __builtin_inff()), zero = x == 0.0f, large = x > "
     "0.0f;\n"
     "  const $I end = (zero & 0xff800000) | (~zero & ((large & 0x7f800000) | (~large & "
     "0x7fc00000)));\n"
     "  return ($T)((normal & ($I)r) | (~normal & end));\n"
     "}\n"},
    {"log", F32, 'v',
     "FE $T log_$S($T x)\n"
     "{\n"
     "  $T f, m, y = @logparts(x, &f, &m);\n"
     "  y = y - f * 2.12194440e-4f - m * m * 0.5f + m;\n"
     "  return @logends(x, y + f * 0.693359375f);\n"
     "}\n"},
    {"log2", F32, 'v',
     "FE $T log2_$S($T x)\n"
     "{\n"
     "  $T f, m, y = @logparts(x, &f, &m);\n"
     "  y = y - m * m * 0.5f;\n"
     "  return @logends(x, y * 0.44269504f + m * 0.44269504f + y + m + f);\n"
     "}\n"},
    {"log10", F32, 'v',
     "FE $T log10_$S($T x)\n"
     "{\n"
     "  $T f, m, y = @logparts(x, &f, &m);\n"
     "  y = (y - m * m * 0.5f + m) * 0.4342944819f + f * 4.60503898e-6f;\n"
     "  return @logends(x, y + f * 0.301025390625f);\n"
     "}\n"},
    {"log1p", F32, 'v',
     "FE $T log1p_$S($T x)\n"
     "{\n"
     "  const $T u = 1.0f + x, c = (x - (u - 1.0f)) / u;\n"
     "  const $T y = @log(u) + ($T)(($I)c & (u > 0.0f) & (u < __builtin_inff()));\n"
     "  return ($T)(($I)y | (($I)x & ~$P));\n"
     "}\n"},
    {"tanh", F32, 'v',
     "FE $T tanh_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & 0x7fffffff), z = x * x;\n"
     "  $T p = z * -5.70498872745e-3f + 2.06390887954e-2f;\n"
     "  p = p * z - 5.37397155531e-2f;\n"
     "  p = p * z + 1.33314422036e-1f;\n"
     "  p = p * z - 3.33332819422e-1f;\n"
     "  p = p * z * a + a;\n"
     "  const $T y = 1.0f - 2.0f / (@exps(@mink(20.0f - ($T){0}, a + a)) + 1.0f);\n"
     "  const $I small = a < 0.625f;\n"
     "  return ($T)((small & ($I)p) | (~small & ($I)y) | (($I)x & ~0x7fffffff));\n"
     "}\n"},
    /* W = 16 or so; N. Juffa, stackoverflow.com/questions/35148198 */
    {"erf", F32, 'v',
     "FE $T erf_$S($T x)\n"
     "{\n"
     "  const $T a = @mink(4.0f - ($T){0}, ($T)(($I)x & 0x7fffffff)), z = a * a;\n"
     "  $T p = z * -5.96761703e-4f + 4.99119423e-3f;\n"
     "  p = p * z - 2.67681349e-2f;\n"
     "  p = p * z + 1.12819925e-1f;\n"
     "  p = p * z - 3.76125336e-1f;\n"
     "  p = p * z + 1.28379166e-1f;\n"
     "  p = p * a + a;\n"
     "  $T q = a * -1.72853470e-5f + 3.83197126e-4f;\n"
     "  q = q * z + (a * -3.88396438e-3f + 2.42546219e-2f);\n"
     "  q = q * a - 1.06777877e-1f;\n"
     "  q = q * a - 6.34846687e-1f;\n"
     "  q = q * a - 1.28717512e-1f;\n"
     "  const $T y = 1.0f - @exps(q * a - a);\n"
     "  const $I large = a > 0.927734375f;\n"
     "  return ($T)((large & ($I)y) | (~large & ($I)p) | (($I)x & ~0x7fffffff));\n"
     "}\n"},
    /* sine and cosine of the rest, and how many times pi / 2 was taken away; |x| below 1024, or 71476
     * with fused multiply-add */
    {"turnparts", F32, 'v',
     "FE $I turnparts_$S($T x, $T *sine, $T *cosine)\n"
     "{\n"
     "  const $T s = x * 0.636619772f + 12582912.0f, n = s - 12582912.0f;\n"
     "#ifdef __FMA__\n"
     "  const $T r = x - n * 1.57079637f + n * 4.37113883e-8f + n * 1.71512489e-15f;\n"
     "#else\n"
     "  const $T r = x - n * 1.5703125f - n * 4.837512969970703125e-4f - n * "
     "7.54978995489188216e-8f;\n"
     "#endif\n"
     "  const $T z = r * r;\n"
     "  $T p = z * -1.9515295891e-4f + 8.3321608736e-3f;\n"
     "  p = (p * z - 1.6666654611e-1f) * z * r + r;\n"
     "  $T q = z * 2.443315711809948e-5f - 1.388731625493765e-3f;\n"
     "  q = (q * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;\n"
     "  *sine = p;\n"
     "  *cosine = q;\n"
     "  return ($I)s;\n"
     "}\n"},
    {"isfar", F32, 'v',
     "FE int isfar_$S($T x)\n"
     "{\n"
     "#ifdef __FMA__\n"
     "  return @i32:any(($I)x > 0x478b9a00);\n"
     "#else\n"
     "  return @i32:any(($I)x > 0x44800000);\n"
     "#endif\n"
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
    {"frombf", KERN_DTYPE(TY_F32), 'v',
     "FE $T frombf_$S(@u16:type x) { return ($T)(__builtin_convertvector(x, $I) << 16); }\n"},
    {"tobf", KERN_DTYPE(TY_F32), 'v',
     "FE @u16:type tobf_$S($T x)\n{\n  const $U u = ($U)x, nan = ($U)(x != x);\n"
     "  return __builtin_convertvector((nan & (u >> 16 | 0x40)) | (~nan & ((u + 0x7fff + (u >> 16 "
     "& 1)) >> 16)), @u16:type);\n}\n"},
    {"fromhalf", KERN_DTYPE(TY_F32), '4',
     "FE $T fromhalf_$S(@u16:type x) { return __builtin_ia32_vcvtph2ps512_mask((@i16:type)x, "
     "($T){0}, -1, 4); }\n"},
    {"tohalf", KERN_DTYPE(TY_F32), '4',
     "FE @u16:type tohalf_$S($T x) { return (@u16:type)__builtin_ia32_vcvtps2ph512_mask(x, 0, "
     "(@i16:type){0}, -1); }\n"},
    {"fromhalf", KERN_DTYPE(TY_F32), 'v',
     "FE $T fromhalf_$S(@u16:type x)\n{\n  const $I h = __builtin_convertvector(x, $I);\n"
     "  const $T f = ($T)((h & 0x7fff) << 13) * 0x1p112f;\n  const $I big = (h & 0x7c00) == "
     "0x7c00;\n"
     "  return ($T)(($I)f | (big & 0x7f800000) | (h & 0x8000) << 16);\n}\n"},
    {"tohalf", KERN_DTYPE(TY_F32), 'v',
     "FE @u16:type tohalf_$S($T x)\n{\n  const $I i = ($I)x, a = i & 0x7fffffff, small = a < "
     "0x38800000, nan = a > 0x7f800000;\n"
     "  const $I low = ($I)(($T)a + 0.5f) - 0x3f000000, high = (a + 0xfff + (a >> 13 & 1) - "
     "0x38000000) >> 13;\n"
     "  const $I over = high > 0x7c00;\n  $I r = (small & low) | (~small & ((over & 0x7c00) | "
     "(~over & high)));\n"
     "  r = (nan & 0x7e00) | (~nan & r);\n  return __builtin_convertvector(r | (i >> 16 & 0x8000), "
     "@u16:type);\n}\n"},
    {"frombf", KERN_DTYPE(TY_F32), 's',
     "FE f32 frombf_f32(u16 x) { return ((union { u32 u; f32 f; }){(u32)x << 16}).f; }\n"},
    {"tobf", KERN_DTYPE(TY_F32), 's',
     "FE u16 tobf_f32(f32 x)\n{\n  const u32 u = ((union { f32 f; u32 u; }){x}).u;\n"
     "  return x != x ? u >> 16 | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16;\n}\n"},
    {"fromhalf", KERN_DTYPE(TY_F32), 's',
     "FE f32 fromhalf_f32(u16 h)\n{\n  const f32 f = ((union { u32 u; f32 f; }){(h & 0x7fffu) << "
     "13}).f * 0x1p112f;\n"
     "  u32 u = ((union { f32 f; u32 u; }){f}).u;\n  u |= ((h & 0x7c00) == 0x7c00 ? 0x7f800000u : "
     "0) | (h & 0x8000u) << 16;\n"
     "  return ((union { u32 u; f32 f; }){u}).f;\n}\n"},
    {"tohalf", KERN_DTYPE(TY_F32), 's',
     "static u16 tohalf_f32(f32 x)\n{\n  const u32 i = ((union { f32 f; u32 u; }){x}).u, a = i & "
     "0x7fffffff;\n"
     "  const u32 low = ((union { f32 f; u32 u; }){((union { u32 u; f32 f; }){a}).f + 0.5f}).u - "
     "0x3f000000;\n"
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
