/* c_double.c -- pieces of the prelude: exponentials, logarithms and reduction by pi / 2 of f64.
 *
 * About 1 ulp, exact on infinities, NaN and zeros. The constants are ln 2, its reciprocal, pi / 2
 * and so on in parts that are short enough for products to be exact.
 */
#include "kern/c_priv.h"

#define F64 KERN_DTYPE(TY_F64)

static const kern_c_piece PIECES[] = {
    /* p * 2^n; s is n + 1.5 * 2^52, whose low bits are n */
    {"scale", F64, '4',
     "FE $T scale_$S($T p, $T n, $T s) { (void)s; return __builtin_ia32_scalefpd512_mask(p, n, p, "
     "-1, 4); }\n"},
    {"scale", F64, 'v',
     "FE $T scale_$S($T p, $T n, $T s)\n"
     "{\n"
     "  const $I i = ($I)s, h = ($I)(n * 0.5 + 0x1.8p52);\n"
     "  return p * ($T)((h - 0x4337fffffffffc01) << 52) * ($T)((i - h + 1023) << 52);\n"
     "}\n"},
    /* x = n ln 2 + r; e^r - 1 */
    {"expparts", F64, 'v',
     "FE $T expparts_$S($T x, $T *n, $T *s)\n"
     "{\n"
     "  *s = x * 0x1.71547652b82fep+0 + 0x1.8p52;\n"
     "  *n = *s - 0x1.8p52;\n"
     "  const $T r = x - *n * 0x1.62e42feep-1 - *n * 0x1.a39ef35793c76p-33;\n"
     "  return @exprest(r) * (r * r) + r;\n"
     "}\n"},
    {"exp", F64, 'v',
     "FE $T exp_$S($T x)\n"
     "{\n"
     "  $T n, s;\n"
     "  x = @maxk(-746.0 - ($T){0}, @mink(710.0 - ($T){0}, x));\n"
     "  const $T q = @expparts(x, &n, &s);\n"
     "  return @scale(q + 1.0, n, s);\n"
     "}\n"},
    /* e^x / 2 */
    {"exph", F64, 'v',
     "FE $T exph_$S($T x)\n"
     "{\n"
     "  $T n, s;\n"
     "  x = @maxk(-745.0 - ($T){0}, @mink(711.0 - ($T){0}, x));\n"
     "  const $T q = @expparts(x, &n, &s);\n"
     "  return @scale(q + 1.0, n - 1.0, s - 1.0);\n"
     "}\n"},
    {"exp2", F64, 'v',
     "FE $T exp2_$S($T x)\n"
     "{\n"
     "  x = @maxk(-1076.0 - ($T){0}, @mink(1025.0 - ($T){0}, x));\n"
     "  const $T s = x + 0x1.8p52, n = s - 0x1.8p52, r = (x - n) * 0x1.62e42fefa39efp-1;\n"
     "  return @scale(@exprest(r) * (r * r) + r + 1.0, n, s);\n"
     "}\n"},
    {"expm1", F64, 'v',
     "FE $T expm1_$S($T x)\n"
     "{\n"
     "  $T n, s;\n"
     "  x = @maxk(-40.0 - ($T){0}, @mink(710.0 - ($T){0}, x));\n"
     "  const $T q = @expparts(x, &n, &s), m = @mink(1023.0 - ($T){0}, n);\n"
     "  const $T t = ($T)((($I)(m + 0x1.8p52) << 52) + 0x3ff0000000000000), y = q * t + (t - "
     "1.0);\n"
     "  return ($T)(($I)(y + ($T)(($I)y & (n > 1023.0))) | (($I)x & ~$P));\n"
     "}\n"},
    /* x = (1 + m) * 2^f */
    {"logparts", F64, 'v',
     "FE $T logparts_$S($T x, $T *f)\n"
     "{\n"
     "  const $I tiny = x < 0x1p-1022;\n"
     "  const $I i = (($I)(x * 0x1p54) & tiny) + (($I)x & ~tiny) - 0x3fe6a09e667f3bcd;\n"
     "  const $U e = ($U)i + 0x4000000000000000;\n"
     "  *f = ($T)($I)((e >> 52) | 0x4330000000000000) - (4503599627371520.0 + ($T)(tiny & "
     "0x404b000000000000));\n"
     "  return ($T)((i & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;\n"
     "}\n"},
    /* what log has outside (0, inf) */
    {"logends", F64, 'v',
     "FE $T logends_$S($T x, $T r)\n"
     "{\n"
     "  const $I normal = (x > 0.0) & (x < __builtin_inf()), zero = x == 0.0, large = x > 0.0;\n"
     "  const $I end = (zero & (-0x7fffffffffffffff - 1 | $X)) | (~zero & ((large & $X) | (~large "
     "& 0x7ff8000000000000)));\n"
     "  return ($T)((normal & ($I)r) | (~normal & end));\n"
     "}\n"},
    /* log(1 + m) = m - logrest(m): with s = m / (2 + m) it is 2 s + s^3 P(s^2), and 2 s = m - s
     * m */
    {"logfall", F64, 'v',
     "FE $T logfall_$S($T m)\n"
     "{\n"
     "  const $T s = m / (2.0 + m), z = s * s, h = 0.5 * m * m;\n"
     "  return h - s * (h + z * @logrest(z));\n"
     "}\n"},
    {"log", F64, 'v',
     "FE $T log_$S($T x)\n"
     "{\n"
     "  $T f;\n"
     "  const $T m = @logparts(x, &f), y = @logfall(m) - f * 0x1.a39ef35793c76p-33;\n"
     "  return @logends(x, f * 0x1.62e42feep-1 - (y - m));\n"
     "}\n"},
    {"log1p", F64, 'v',
     "FE $T log1p_$S($T x)\n"
     "{\n"
     "  const $T u = 1.0 + x, c = (x - (u - 1.0)) / u;\n"
     "  const $T y = @log(u) + ($T)(($I)c & (u > 0.0) & (u < __builtin_inf()));\n"
     "  return ($T)(($I)y | (($I)x & ~$P));\n"
     "}\n"},
    /* log of (1 + m) as two numbers, the first of 21 bits */
    {"logpair", F64, 'v',
     "FE $T logpair_$S($T m, $T *low)\n"
     "{\n"
     "  const $T y = @logfall(m), h = ($T)(($I)(m - y) & -0x100000000);\n"
     "  *low = m - h - y;\n"
     "  return h;\n"
     "}\n"},
    {"log2", F64, 'v',
     "FE $T log2_$S($T x)\n"
     "{\n"
     "  $T f, l;\n"
     "  const $T m = @logparts(x, &f), h = @logpair(m, &l), a = h * 0x1.71547652p+0;\n"
     "  const $T y = f + a, rest = a - (y - f) + ((l + h) * 0x1.705fc2eefa2p-33 + l * "
     "0x1.71547652p+0);\n"
     "  return @logends(x, y + rest);\n"
     "}\n"},
    {"log10", F64, 'v',
     "FE $T log10_$S($T x)\n"
     "{\n"
     "  $T f, l;\n"
     "  const $T m = @logparts(x, &f), h = @logpair(m, &l), n = f * 0x1.34413509f78p-2, a = h * "
     "0x1.bcb7b152p-2;\n"
     "  const $T y = n + a, rest = a - (y - n) + (f * 0x1.fef311f12b358p-46 + ((l + h) * "
     "0x1.b9438ca9aadd5p-36 + l * 0x1.bcb7b152p-2));\n"
     "  return @logends(x, y + rest);\n"
     "}\n"},
    {"tanh", F64, 'v',
     "FE $T tanh_$S($T x)\n"
     "{\n"
     "  const $T a = @mink(22.0 - ($T){0}, ($T)(($I)x & $P)), t = @expm1(a + a);\n"
     "  return ($T)(($I)(t / (t + 2.0)) | (($I)x & ~$P));\n"
     "}\n"},
    /* the nearest multiple of pi / 2 in three parts, the products of the first two exact */
    {"turnparts", F64, 'v',
     "FE $I turnparts_$S($T x, $T *sine, $T *cosine)\n"
     "{\n"
     "  const $T s = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, n = s - 0x1.8p52;\n"
     "  const $T a = x - n * 0x1.921fb544p+0, w = n * 0x1.0b4611a6p-34, b = a - w, v = b - a;\n"
     "  const $T rest = (a - (b - v)) - (w + v) - n * 0x1.3198a2e037073p-69, r = b + rest, t = b - "
     "r + rest;\n"
     "  const $T z = r * r, h = 0.5 * z, c = 1.0 - h;\n"
     "  *sine = r + (r * z * @sinrest(z) + t * c);\n"
     "  *cosine = c + (1.0 - c - h + (z * z * @cosrest(z) - r * t));\n"
     "  return ($I)s;\n"
     "}\n"},
    {"isfar", F64, 'v', "FE int isfar_$S($T x) { return @i64:any(x > 1600000.0); }\n"},
    /* for numbers that were f32: of normal ones above 0, to about 35 bits */
    {"shortlog", F64, 'v',
     "FE $T shortlog_$S($T x)\n"
     "{\n"
     "  const $I i = ($I)x - 0x3fe6a09e667f3bcd;\n"
     "  const $U e = ($U)i + 0x4000000000000000;\n"
     "  const $T f = ($T)($I)((e >> 52) | 0x4330000000000000) - 4503599627371520.0;\n"
     "  const $T m = ($T)((i & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0, s = m / (2.0 + m), "
     "z = s * s;\n"
     "  return f * 0x1.62e42fefa39efp-1 + (2.0 * s + z * s * @shortlogrest(z));\n"
     "}\n"},
    /* what has an f32 for a result, to about 30 bits */
    {"shortexp", F64, 'v',
     "FE $T shortexp_$S($T x)\n"
     "{\n"
     "  x = @maxk(-160.0 - ($T){0}, @mink(160.0 - ($T){0}, x));\n"
     "  const $T s = x * 0x1.71547652b82fep+0 + 0x1.8p52, r = x - (s - 0x1.8p52) * "
     "0x1.62e42fefa39efp-1;\n"
     "  const $T p = @shortexprest(r) * (r * r) + r + 1.0;\n"
     "  return p * ($T)((($I)s << 52) + 0x3ff0000000000000);\n"
     "}\n"},
};

const kern_c_piece *kern_c_double_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
