/* c_special.c -- pieces of the prelude: special functions, f64; of f32 in lanes by way of these. */
#include "kern/c_priv.h"

#define F32 KERN_DTYPE(TY_F32)
#define F64 KERN_DTYPE(TY_F64)

#define LGAMMA(how)                                                                        \
    "FE $T " how "lgammaabs_$S($T a)\n"                                                    \
    "{\n"                                                                                  \
    "  const $T one = 1.0 - ($T){0};\n"                                                    \
    "  const $I first = a < 0.5, low = a < 1.5, high = a >= 8.5;\n"                        \
    "  $T b = a, p = one;\n"                                                               \
    "  for (int k = 1; k <= 6; k++) {\n"                                                   \
    "    const $I m = a >= 1.5 + k;\n"                                                     \
    "    b = b - ($T)(m & ($I)one);\n"                                                     \
    "    p = p * @pick(m, a - (1.0 * k), one);\n"                                          \
    "  }\n"                                                                                \
    "  const $T u = @pick(first, a, @pick(low, a - 1.0, b - 2.0));\n"                      \
    "  const $T l = @" how                                                                 \
    "log(@pick(first, a * (a + 1.0), @pick(low | high, a, p))), i = 1.0 / a;\n"            \
    "  const $T near = u * @" how "gammanear(u) + @pick(low, -l, l);\n"                    \
    "  const $T far = (a - 0.5) * (l - 1.0) + (0.41893853320467274178 + i * @" how         \
    "stirling(i * i));\n"                                                                  \
    "  const $T y = @pick(high, far, near);\n"                                             \
    "  return @pick((a == 0.0) | (a == __builtin_inf()), __builtin_inf() - ($T){0}, y);\n" \
    "}\n"

static const kern_c_piece PIECES[] = {
    /* erfc of x >= 0, as e^-x^2 P(t) / (x + 3.5) with t = (x - 3.5) / (x + 3.5), to the last
     * place: Shepherd and Laframboise, 1981 */
    {"erfcabs", F64, 'v',
     "static $T erfcabs_$S($T x)\n"
     "{\n"
     "  $T n, s;\n"
     "  const $T a = @mink(28.0 - ($T){0}, x), d = a + 3.5, r = 1.0 / d, q = 7.0 * r;\n"
     "  const $T t = 1.0 - q - r * (@fnma(q, d, 7.0 - ($T){0}) - q * (a - (d - 3.5)));\n"
     "  const $T h = a * a, l = @lowproduct(a, a, h), e = @expparts(-h, &n, &s);\n"
     "  return @scale((1.0 + (e - l * (e + 1.0))) * (@erfcrest(t) * r), n, s);\n"
     "}\n"},
    /* of what was f32, to about 30 bits */
    {"shorterfc", F64, 'v',
     "FE $T shorterfc_$S($T x)\n"
     "{\n"
     "  const $T a = @mink(12.0 - ($T){0}, ($T)(($I)x & $P)), r = 1.0 / (a + 3.0);\n"
     "  const $T y = @shortexp(-(a * a)) * (@shorterfcrest((a - 3.0) * r) * r);\n"
     "  return @pick(x < 0.0, 2.0 - y, y);\n"
     "}\n"},
    {"erfc", F64, 'v',
     "FE $T erfc_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), y = @erfcabs(a), near = x * 0x1.20dd750429b6dp+0 + x * "
     "@erfnear(x * x);\n"
     "  return @pick(a < 0.5, 1.0 - near, @pick(x < 0.0, 2.0 - y, y));\n"
     "}\n"},
    {"erf", F64, 'v',
     "FE $T erf_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a;\n"
     "  $T y = a * 0x1.20dd750429b6dp+0 + a * @erfnear(z);\n"
     "  if (@ismask(~(a < 1.0))) y = @pick(a < 1.0, y, 1.0 - @erfcabs(a));\n"
     "  return ($T)(($I)y | (($I)x & ~$P));\n"
     "}\n"},
    /* polynomials of w = -log(1 - x^2) and, far out, of its root: M. Giles, Approximating the
     * erfinv function, 2010 */
    {"erfinv", F32, 'v',
     "static $T erfinv_$S($T x)\n"
     "{\n"
     "  const $T w = -@log((1.0f - x) * (1.0f + x));\n"
     "  $T y = @erfinvnear(w - 2.5f);\n"
     "  if (@ismask(~(w < 5.0f))) y = @pick(w < 5.0f, y, @erfinvfar(@sqrt(w) - 3.0f));\n"
     "  return x * @pick(w == __builtin_inff(), w, y);\n"
     "}\n"},
    {"erfinv", F64, 'v',
     "static $T erfinv_$S($T x)\n"
     "{\n"
     "  const $T w = -@log((1.0 - x) * (1.0 + x));\n"
     "  $T y = @erfinvnear(w - 3.125);\n"
     "  if (@ismask(~(w < 6.25))) y = @pick(w < 6.25, y, @erfinvfar(@sqrt(w) - 4.25));\n"
     "  return x * @pick(w == __builtin_inf(), w, y);\n"
     "}\n"},
    /* of x >= 0: below 2.5 a polynomial, with x + 1 and x + 2 for what is lower; by the
     * recurrence from anywhere below 8.5; from there Stirling's series */
    {"lgammaabs", F64, 'v', LGAMMA("")},
    {"shortlgammaabs", F64, 'v', LGAMMA("short")},
    {"lgamma", F64, 'v',
     "static $T lgamma_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), y = @lgammaabs(a);\n"
     "  const $I mirrored = (x < -1e-17) & (x > -__builtin_inf());\n"
     "  if (!@ismask(mirrored)) return y;\n"
     "  const $T s = ($T)(($I)@sin(3.14159265358979323846 * (a - @round(a))) & $P);\n"
     "  const $T other = 1.14472988584940017414 - @log(a * s) - y;\n"
     "  return @pick(mirrored, @pick(s == 0.0, __builtin_inf() - ($T){0}, other), y);\n"
     "}\n"},
    /* the sum that mirrors needs all digits */
    {"shortlgamma", F64, 'v',
     "static $T shortlgamma_$S($T x) { return @ismask(x < 0.0) ? @lgamma(x) : @shortlgammaabs(x); "
     "}\n"},
    /* moved up by 8 where it is below: the sum of reciprocals as one fraction; reflected below 0 */
    {"digamma", F64, 'v',
     "static $T digamma_$S($T x)\n"
     "{\n"
     "  const $I below = x < 0.0, low = (x < 8.0) & (x > -7.0);\n"
     "  const $T y = @pick(below, 1.0 - x, x);\n"
     "  $T n = {0}, d = 1.0 - ($T){0}, b = y;\n"
     "  for (int k = 0; k < 8; k++, b = b + 1.0) {\n"
     "    n = n * b + d;\n"
     "    d = d * b;\n"
     "  }\n"
     "  const $T at = @pick(low, b, y), i = 1.0 / at, z = i * i;\n"
     "  $T r = @log(at) - 0.5 * i - z * @digammarest(z) - ($T)(low & ($I)(n / d));\n"
     "  if (@ismask(below)) {\n"
     "    const $T whole = @round(x), mirror = r - 3.14159265358979323846 / "
     "@tan(3.14159265358979323846 * (x - whole));\n"
     "    r = @pick(below, @pick(x == whole, __builtin_nan(\"\") - ($T){0}, mirror), r);\n"
     "  }\n"
     "  return @pick(x == 0.0, ($T)((($I)x & ~$P) ^ ($X | ~$P)), r);\n"
     "}\n"},
    /* Bessel functions: polynomials to 5, their zeros as factors; Hankel's form from there, P
     * and Q polynomials of 25 / x^2 */
    {"besselwave", F64, 'v',
     "FE $T besselwave_$S($T a, $T p, $T q, $T c, $T s)\n"
     "{\n"
     "  return @sqrt(0.31830988618379067154 / a) * (p * c + 5.0 / a * q * s);\n"
     "}\n"},
    {"besselj0near", F64, 'v',
     "FE $T besselj0near_$S($T z)\n"
     "{\n"
     "  return (z - 5.7831859629467845) * (z - 30.471262343662087) * @besselj0rest(z);\n"
     "}\n"},
    {"besselj1near", F64, 'v',
     "FE $T besselj1near_$S($T x, $T z)\n"
     "{\n"
     "  return (z - 14.681970642123893) * (z - 49.218456321694603) * @besselj1rest(z) * x;\n"
     "}\n"},
    {"farbesselj0", F64, 'v',
     "static __attribute__((noinline, cold)) $T farbesselj0_$S($T x)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++) x[l] = @!fe_besselj0(x[l]);\n"
     "  return x;\n"
     "}\n"},
    {"farbesselj1", F64, 'v',
     "static __attribute__((noinline, cold)) $T farbesselj1_$S($T x)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++) x[l] = @!fe_besselj1(x[l]);\n"
     "  return x;\n"
     "}\n"},
    {"farbessely0", F64, 'v',
     "static __attribute__((noinline, cold)) $T farbessely0_$S($T x)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++) x[l] = @!fe_bessely0(x[l]);\n"
     "  return x;\n"
     "}\n"},
    {"farbessely1", F64, 'v',
     "static __attribute__((noinline, cold)) $T farbessely1_$S($T x)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++) x[l] = @!fe_bessely1(x[l]);\n"
     "  return x;\n"
     "}\n"},
    {"besselj0", F64, 'v',
     "static $T besselj0_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a;\n"
     "  const $I high = ~(a < 5.0);\n"
     "  $T y = @besselj0near(z);\n"
     "  if (@ismask(high)) {\n"
     "    if (@isfar(a)) return @farbesselj0(x);\n"
     "    const $T t = 25.0 / z, s = @turn(a, ($I){0}), c = @turn(a, ($I){0} + 1);\n"
     "    y = @pick(high, @besselwave(a, @bessel0p(t), @bessel0q(t), c + s, c - s), y);\n"
     "  }\n"
     "  return y;\n"
     "}\n"},
    {"besselj1", F64, 'v',
     "static $T besselj1_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a;\n"
     "  const $I high = ~(a < 5.0);\n"
     "  $T y = @besselj1near(a, z);\n"
     "  if (@ismask(high)) {\n"
     "    if (@isfar(a)) return @farbesselj1(x);\n"
     "    const $T t = 25.0 / z, s = @turn(a, ($I){0}), c = @turn(a, ($I){0} + 1);\n"
     "    y = @pick(high, @besselwave(a, @bessel1p(t), @bessel1q(t), s - c, s + c), y);\n"
     "  }\n"
     "  return ($T)(($I)y ^ (($I)x & ~$P));\n"
     "}\n"},
    {"bessely0", F64, 'v',
     "static $T bessely0_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a;\n"
     "  const $I high = ~(a < 5.0);\n"
     "  $T y = @bessely0rest(z) + 0.63661977236758134308 * @log(a) * @besselj0near(z);\n"
     "  if (@ismask(high)) {\n"
     "    if (@isfar(a)) return @farbessely0(x);\n"
     "    const $T t = 25.0 / z, s = @turn(a, ($I){0}), c = @turn(a, ($I){0} + 1);\n"
     "    y = @pick(high, @besselwave(a, @bessel0p(t), @bessel0q(t), s - c, c + s), y);\n"
     "  }\n"
     "  return @pick(x < 0.0, __builtin_nan(\"\") - ($T){0}, y);\n"
     "}\n"},
    {"bessely1", F64, 'v',
     "static $T bessely1_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a;\n"
     "  const $I high = ~(a < 5.0);\n"
     "  $T y = a * @bessely1rest(z) + 0.63661977236758134308 * (@log(a) * @besselj1near(a, z) - "
     "1.0 / a);\n"
     "  if (@ismask(high)) {\n"
     "    if (@isfar(a)) return @farbessely1(x);\n"
     "    const $T t = 25.0 / z, s = @turn(a, ($I){0}), c = @turn(a, ($I){0} + 1);\n"
     "    y = @pick(high, @besselwave(a, @bessel1p(t), @bessel1q(t), -s - c, s - c), y);\n"
     "  }\n"
     "  return @pick(x < 0.0, __builtin_nan(\"\") - ($T){0}, @pick(x == 0.0, -__builtin_inf() - "
     "($T){0}, y));\n"
     "}\n"},
};

const kern_c_piece *kern_c_special_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
