/* c_divide.c -- pieces of the prelude: functions of two floats, f32 and f64.
 *
 * fmod and what is made of it are exact for all operands.
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
    CONSTANT("split", "4097.0f", "134217729.0"), /* Dekker's, */
    CONSTANT("short", "8388608.0f", "0x1p52"),   /* and quotients that are exact to one */
    /* x - q * y, exact where the result is a number of this precision */
    {"fnma", FLOATS, '4',
     "FE $T fnma_$S($T q, $T y, $T x) { return __builtin_ia32_vfmadd$p512_mask(-q, y, x, -1, 4); "
     "}\n"},
    {"fnma", FLOATS, '3',
     "FE $T fnma_$S($T q, $T y, $T x) { return __builtin_ia32_vfmadd$p256(-q, y, x); }\n"},
    {"fnma", FLOATS, 'v',
     "FE $T fnma_$S($T q, $T y, $T x)\n"
     "{\n"
     "  const $T p = q * y;\n"
     "  return x - p - @lowproduct(q, y, p);\n"
     "}\n"},
    /* a * b - p, of the product p rounded; Dekker's where there is no fused multiply-add */
    {"lowproduct", FLOATS, '4',
     "FE $T lowproduct_$S($T a, $T b, $T p) { return __builtin_ia32_vfmadd$p512_mask(a, b, -p, -1, "
     "4); }\n"},
    {"lowproduct", FLOATS, '3',
     "FE $T lowproduct_$S($T a, $T b, $T p) { return __builtin_ia32_vfmadd$p256(a, b, -p); }\n"},
    {"lowproduct", FLOATS, 'v',
     "FE $T lowproduct_$S($T a, $T b, $T p)\n"
     "{\n"
     "#ifdef __FMA__\n"
     "  $T r;\n"
     "  for (int l = 0; l < $W; l++) r[l] = __builtin_fma$f(a[l], b[l], -p[l]);\n"
     "  return r;\n"
     "#else\n"
     "  const $T u = a * @split(), v = b * @split(), ah = u - (u - a), bh = v - (v - b), al = a - "
     "ah, bl = b - bh;\n"
     "  return ah * bh - p + ah * bl + al * bh + al * bl;\n"
     "#endif\n"
     "}\n"},
    {"farmod", FLOATS, 'v',
     "static __attribute__((noinline, cold)) $T farmod_$S($T a, $T b)\n"
     "{\n"
     "  for (int l = 0; l < $W; l++) a[l] = __builtin_fmod$f(a[l], b[l]);\n"
     "  return a;\n"
     "}\n"},
    /* one step where the quotient is short: it is right or one too large */
    {"fmod", FLOATS, 'v',
     "FE $T fmod_$S($T a, $T b)\n"
     "{\n"
     "  const $T x = ($T)(($I)a & $P), y = ($T)(($I)b & $P), q = @trunc(x / y);\n"
     "  const $I plain = (q < @short()) & @isexact(x, y);\n"
     "  const $I far = ~plain & (y > 0.0f) & (x < __builtin_inf$f()) & (x >= y);\n"
     "  if (@ismask(far)) return @farmod(a, b);\n"
     "  const $T r = @fnma(q, y, x), s = @pick(x < y, x, r + ($T)((r < 0.0f) & ($I)y));\n"
     "  return ($T)(($I)s | (($I)a & ~$P));\n"
     "}\n"},
    /* c10::div_floor_floating, and torch.remainder */
    {"floordiv", FLOATS, 'v',
     "FE $T floordiv_$S($T a, $T b)\n"
     "{\n"
     "  const $T r = @fmod(a, b), ratio = a / b, q = (a - r) / b;\n"
     "  const $I back = (r != 0.0f) & ((b < 0.0f) ^ (r < 0.0f));\n"
     "  const $T p = q - ($T)(back & ($I)(1.0f - ($T){0})), w = @floor(p);\n"
     "  const $T whole = w + ($T)((p - w > 0.5f) & ($I)(1.0f - ($T){0}));\n"
     "  const $T zero = ($T)(($I)ratio & ~$P);\n"
     "  return @pick(b == 0.0f, ratio, @pick(p == 0.0f, zero, whole));\n"
     "}\n"},
    {"rem", FLOATS, 'v',
     "FE $T rem_$S($T a, $T b)\n"
     "{\n"
     "  const $T r = @fmod(a, b);\n"
     "  return @pick((r != 0.0f) & ((b < 0.0f) ^ (r < 0.0f)), r + b, r);\n"
     "}\n"},
    /* neighbours differ by one as integers */
    {"nextafter", FLOATS, 'v',
     "FE $T nextafter_$S($T a, $T b)\n"
     "{\n"
     "  const $I grows = (b > a) ^ (a < 0.0f), zero = a == 0.0f, same = (a == b) | (b != b);\n"
     "  const $I next = ($I)a + (grows & 2) - 1, least = (($I)b & ~$P) | 1;\n"
     "  const $I r = (same & ($I)b) | (~same & ((zero & least) | (~zero & next)));\n"
     "  return @pick(a != a, a, ($T)r);\n"
     "}\n"},
    /* scaled by a power of two, so that squares neither overflow nor vanish */
    {"hypot", FLOATS, 'v',
     "FE $T hypot_$S($T x, $T y)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), b = ($T)(($I)y & $P), most = @pick(a > b, a, b), least = "
     "@pick(a > b, b, a);\n"
     "  const $I e = ($I)most & $X, up = e | ((e == 0) & ($X & -$X));\n"
     "  const $T down = ($T)($X - up), u = most * down, v = least * down, r = @sqrt(u * u + v * v) "
     "* 0.5f * ($T)up;\n"
     "  const $T end = @pick((a == __builtin_inf$f()) | (b == __builtin_inf$f()), "
     "__builtin_inf$f() - ($T){0}, x + y);\n"
     "  return @pick((a < __builtin_inf$f()) & (b < __builtin_inf$f()), r, end);\n"
     "}\n"},
    /* log(1 + x) of x in [0, 1] */
    {"softlog", FLOATS, 'v',
     "FE $T softlog_$S($T x)\n"
     "{\n"
     "  const $T s = x / (2.0f + x), z = s * s;\n"
     "  return s * z * @softlogrest(z) + (s + s);\n"
     "}\n"},
    {"logaddexp", FLOATS, 'v',
     "FE $T logaddexp_$S($T a, $T b)\n"
     "{\n"
     "  const $T d = ($T)(($I)(a - b) | ~$P), near = @softlog(@exp(@pick(a == b, ($T){0}, d)));\n"
     "  const $T most = @pick((a > b) | (a != a), a, b);\n"
     "  return most + near;\n"
     "}\n"},
    /* are the parts of products of these numbers exact? */
    {"isexact", FLOATS, 'v',
     "FE $I isexact_$S($T x, $T y)\n"
     "{\n"
     "#ifdef __FMA__\n"
     "  return (x == x) & (y == y);\n"
     "#else\n"
     "  return (x < 0x1p100f) & (y > 0x1p-100f);\n"
     "#endif\n"
     "}\n"},
    {"pow", FLOATS, 'v',
     "FE $T pow_$S($T x, $T y)\n"
     "{\n"
     "  const $T r = @powabs(($T)(($I)x & $P), y);\n"
     "  const $I usual = (x > 0.0f) & (x < __builtin_inf$f()) & (($T)(($I)y & $P) < 0x1p100f);\n"
     "  return @ismask(~usual) ? @powends(x, y, r) : r;\n"
     "}\n"},
    /* what |x|^y is made into by signs, zeros, infinities and NaN */
    {"powends", FLOATS, 'v',
     "static $T powends_$S($T x, $T y, $T r)\n"
     "{\n"
     "  const $T a = ($T)(($I)x & $P), half = y * 0.5f;\n"
     "  const $I whole = @floor(y) == y, odd = whole & (@floor(half) != half), below = x < 0.0f;\n"
     "  const $I one = ($I)(1.0f - ($T){0}), none = a == 0.0f, end = none | (a == "
     "__builtin_inf$f());\n"
     "  const $I to = (none ^ (y > 0.0f)) & $X;\n"
     "  $I i = (end & to) | (~end & ($I)r);\n"
     "  i |= (below & ~whole & ~end) & ($X | $X >> 1);\n"
     "  i |= ($I)x & odd & ~$P;\n"
     "  const $I lost = (x != x) | (y != y), unit = (y == 0.0f) | (x == 1.0f) | ((a == 1.0f) & "
     "(half == y));\n"
     "  i = (lost & ($I)(x + y)) | (~lost & i);\n"
     "  return ($T)((unit & one) | (~unit & i));\n"
     "}\n"},
    {"powshort", F64, 'v',
     "FE $T powshort_$S($T x, $T y) { return @shortexp(y * @shortlog(x)); }\n"},
    /* the logarithm as two numbers, to about 66 bits; times y, and e to that */
    {"powabs", F64, 'v',
     "static $T powabs_$S($T x, $T y)\n"
     "{\n"
     "  $T f, n, s;\n"
     "  const $T m = @logparts(x, &f), d = 2.0 + m, d1 = m - (d - 2.0), i = 1.0 / d;\n"
     "  const $T a = m * i, a1 = (@fnma(a, d, m) - a * d1) * i;\n"
     "  const $T z = a * a, z1 = @lowproduct(a, a, z) + 2.0 * a * a1, q = z * @powrest(z);\n"
     "  const $T c = 0x1.5555555555555p-1 + q, c1 = 0x1.5555555555555p-1 - c + q + "
     "0x1.5555555555555p-55;\n"
     "  const $T u = z * c, u1 = @lowproduct(z, c, u) + (z * c1 + z1 * c);\n"
     "  const $T w = 2.0 + u, w1 = 2.0 - w + u + u1;\n"
     "  const $T l = a * w, l1 = @lowproduct(a, w, l) + (a * w1 + a1 * w);\n"
     "  const $T e = f * 0x1.62e42feep-1, h = e + l, h1 = e - h + l + (l1 + f * "
     "0x1.a39ef35793c76p-33);\n"
     "  const $T p = y * h, p1 = @lowproduct(y, h, p) + y * h1;\n"
     "  const $T t = @maxk(-800.0 - ($T){0}, @mink(800.0 - ($T){0}, p));\n"
     "  s = t * 0x1.71547652b82fep+0 + 0x1.8p52;\n"
     "  n = s - 0x1.8p52;\n"
     "  const $T r = t - n * 0x1.62e42feep-1 - n * 0x1.a39ef35793c76p-33 + ($T)(($I)p1 & (p == "
     "t));\n"
     "  return @scale(@exprest(r) * (r * r) + r + 1.0, n, s);\n"
     "}\n"},
};

const kern_c_piece *kern_c_divide_pieces(uint32_t *count)
{
    *count = COUNT_OF(PIECES);
    return PIECES;
}
