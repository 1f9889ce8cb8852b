/* c_angle.c -- pieces of the prelude: functions of angles and their inverses, f32 and f64.
 *
 * Arguments beyond the reach of a reduction by pi / 2 in lanes go to libm, the whole vector.
 */
#include "kern/c_priv.h"

#define F32 KERN_DTYPE(TY_F32)
#define F64 KERN_DTYPE(TY_F64)
#define FLOATS (F32 | F64)

/* A number to the dtype's precision. */
#define CONSTANT(name, narrow, wide)                                      \
    {name, F32, 'v', "FE $E " name "_$S(void) { return " narrow "; }\n"}, \
    {                                                                     \
        name, F64, 'v', "FE $E " name "_$S(void) { return " wide "; }\n"  \
    }

static const kern_c_piece PIECES[] = {
    CONSTANT("hpi", "1.57079637f", "1.57079632679489661923"),    /* pi / 2, */
    CONSTANT("lpi", "-4.37113883e-8f", "6.123233995736766e-17"), /* and what it lacks */
    CONSTANT("big", "0x1p126f", "0x1p1022"),
    /* sin(x + quarter * pi / 2) of x >= 0 that is not far */
    {"turn", FLOATS, 'v',
     "FE $T turn_$S($T x, $I quarter)\n"
     "{\n"
     "  $T sine, cosine;\n"
     "  const $I i = @turnparts(x, &sine, &cosine) + quarter, odd = -(i & 1);\n"
     "  return ($T)(((odd & ($I)cosine) | (~odd & ($I)sine)) ^ ((i & 2) << (8 * sizeof($E) - "
     "2)));\n"
     "}\n"},
    {"farturn", FLOATS, 'v',
     "static __attribute__((noinline, cold)) $T farturn_$S($T x, int how)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++)\n"
     "    x[l] = how == 0 ? __builtin_sin$f(x[l]) : how == 1 ? __builtin_cos$f(x[l]) : "
     "__builtin_tan$f(x[l]);\n"
     "  return x;\n"
     "}\n"},
    {"sin", FLOATS, 'v',
     "FE $T sin_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P);\n"
     "  if (@isfar(a)) return @farturn(x, 0);\n"
     "  return ($T)(($I)@turn(a, ($I){0}) ^ (($I)x & ~$P));\n"
     "}\n"},
    {"cos", FLOATS, 'v',
     "FE $T cos_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P);\n"
     "  if (@isfar(a)) return @farturn(x, 1);\n"
     "  return @turn(a, ($I){0} + 1);\n"
     "}\n"},
    {"tan", F32, 'v',
     "FE $T tan_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), s = a * 0.636619772f + 12582912.0f, n = s - 12582912.0f;\n"
     "  if (@isfar(a)) return @farturn(x, 2);\n"
     "#ifdef __FMA__\n"
     "  const $T b = a - n * 1.57079637f, c = b + n * 4.37113883e-8f, rest = b - c + n * "
     "4.37113883e-8f + n * 1.71512489e-15f;\n"
     "#else\n"
     "  const $T b = a - n * 1.5703125f, w = n * 4.837512969970703125e-4f, c = b - w, rest = b - c "
     "- w - n * 7.54978995489188216e-8f;\n"
     "#endif\n"
     "  const $T r = c + rest, t = c - r + rest, z = r * r, y = r + (r * z * @tanrest(z) + t * "
     "(1.0f + z));\n"
     "  const $I odd = -(($I)s & 1);\n"
     "  return ($T)(($I)@pick(odd, -1.0f / y, y) ^ (($I)x & ~$P));\n"
     "}\n"},
    {"tan", F64, 'v',
     "FE $T tan_$S($T x)\n"
     "{\n"
     "  $T sine, cosine;\n"
     "  const $T a = ($T)(($I)x & $P);\n"
     "  if (@isfar(a)) return @farturn(x, 2);\n"
     "  const $I odd = -(@turnparts(a, &sine, &cosine) & 1);\n"
     "  const $T y = @pick(odd, cosine, sine) / @pick(odd, sine, cosine);\n"
     "  return ($T)(($I)y ^ (odd & ~$P) ^ (($I)x & ~$P));\n"
     "}\n"},
    {"pick", FLOATS, 'v',
     "FE $T pick_$S($I m, $T a, $T b) { return ($T)((m & ($I)a) | (~m & ($I)b)); }\n"},
    /* asin of x beyond 1/2 is pi / 2 - 2 asin(sqrt((1 - x) / 2)); the rest is what pi / 2 lacks */
    {"asinparts", FLOATS, 'v',
     "FE $T asinparts_$S($T x, $I *beyond)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P);\n"
     "  *beyond = a > 0.5f;\n"
     "  const $T z = @pick(*beyond, 0.5f - 0.5f * a, a * a), s = @pick(*beyond, @sqrt(z), a);\n"
     "  return s + s * z * @asinrest(z);\n"
     "}\n"},
    {"asin", FLOATS, 'v',
     "FE $T asin_$S($T x)\n"
     "{\n"
     "  $I beyond;\n"
     "  const $T y = @asinparts(x, &beyond), r = @pick(beyond, @hpi() - (y + y - @lpi()), y);\n"
     "  return ($T)(($I)r ^ (($I)x & ~$P));\n"
     "}\n"},
    {"acos", FLOATS, 'v',
     "FE $T acos_$S($T x)\n"
     "{\n"
     "  $I beyond;\n"
     "  const $T p = @asinparts(x, &beyond), y = ($T)(($I)p ^ (($I)x & ~$P)), w = p + p;\n"
     "  return @pick(beyond, @pick(x < 0.0f, 2.0f * @hpi() - (w - 2.0f * @lpi()), w), @hpi() - (y "
     "- @lpi()));\n"
     "}\n"},
    /* atan(a / b), neither negative: of a / b, or pi / 4 and of (a - b) / (a + b), or pi / 2 and
     * of -b / a */
    {"arc", FLOATS, 'v',
     "FE $T arc_$S($T a, $T b)\n"
     "{\n"
     "  const $I steep = a > 2.41421366f * b, middle = ~steep & (a > 0.414213568f * b);\n"
     "  const $T n = @pick(steep, -b, @pick(middle, a - b, a));\n"
     "  const $T d = @pick(steep, a, @pick(middle, a + b, b));\n"
     "  const $T t = n / ($T)(($I)d | ((d == 0.0f) & ($I)(1.0f - ($T){0})));\n"
     "  const $T z = t * t, part = @pick(steep, @hpi() - ($T){0}, ($T)(middle & ($I)(0.5f * @hpi() "
     "- ($T){0})));\n"
     "  const $T low = @pick(steep, @lpi() - ($T){0}, ($T)(middle & ($I)(0.5f * @lpi() - "
     "($T){0})));\n"
     "  return part + (low + (t + t * z * @atanrest(z)));\n"
     "}\n"},
    {"atan", FLOATS, 'v',
     "FE $T atan_$S($T x)\n"
     "{\n"
     "  const $T y = @arc(($T)(($I)x & $P), 1.0f - ($T){0});\n"
     "  return ($T)(($I)y | (($I)x & ~$P));\n"
     "}\n"},
    {"faratan", FLOATS, 'v',
     "static __attribute__((noinline, cold)) $T faratan_$S($T y, $T x)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++) x[l] = __builtin_atan2$f(y[l], x[l]);\n"
     "  return x;\n"
     "}\n"},
    {"atan2", FLOATS, 'v',
     "FE $T atan2_$S($T y, $T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)y & $P), b = ($T)(($I)x & $P);\n"
     "  if (@ismask(~((a < @big()) & (b < @big())))) return @faratan(y, x);\n"
     "  const $T r = @arc(a, b), s = @pick(($I)x < 0, 2.0f * @hpi() - (r - 2.0f * @lpi()), r);\n"
     "  return ($T)(($I)s | (($I)y & ~$P));\n"
     "}\n"},
    /* is any lane of a comparison set? */
    {"ismask", F32, 'v', "FE int ismask_$S($I m) { return @i32:any(m); }\n"},
    {"ismask", F64, 'v', "FE int ismask_$S($I m) { return @i64:any(m); }\n"},
    {"sinh", FLOATS, 'v',
     "FE $T sinh_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a, h = @exph(a);\n"
     "  const $T y = @pick(a < 1.0f, a + a * z * @sinhrest(z), h - 0.25f / h);\n"
     "  return ($T)(($I)y | (($I)x & ~$P));\n"
     "}\n"},
    {"cosh", FLOATS, 'v',
     "FE $T cosh_$S($T x)\n"
     "{\n"
     "  const $T h = @exph(($T)(($I)x & $P));\n"
     "  return h + 0.25f / h;\n"
     "}\n"},
    {"asinh", F64, 'v',
     "static $T asinh_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), z = a * a;\n"
     "  const $I large = a > 0x1p54;\n"
     "  const $T y = @log1p(@pick(large, a, a + z / (1.0 + @sqrt(z + 1.0))));\n"
     "  return ($T)(($I)(y + ($T)(large & ($I)(0x1.62e42fefa39efp-1 - ($T){0}))) | (($I)x & "
     "~$P));\n"
     "}\n"},
    {"acosh", F64, 'v',
     "static $T acosh_$S($T x)\n"
     "{\n"
     "  const $T t = x - 1.0;\n"
     "  const $I large = x > 0x1p54;\n"
     "  const $T y = @log1p(@pick(large, x, t + @sqrt(2.0 * t + t * t)));\n"
     "  return @pick(x < 1.0, __builtin_nan(\"\") - ($T){0}, y + ($T)(large & "
     "($I)(0x1.62e42fefa39efp-1 - ($T){0})));\n"
     "}\n"},
    {"atanh", F64, 'v',
     "static $T atanh_$S($T x)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), y = 0.5 * @log1p((a + a) / (1.0 - a));\n"
     "  return ($T)(($I)y | (($I)x & ~$P));\n"
     "}\n"},
};

const kern_c_piece *kern_c_angle_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
