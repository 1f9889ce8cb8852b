/* special.c -- special functions: modified Bessel functions by Chebyshev series (Cephes), scaled
 * error functions in double, the multivariate gamma function.
 */
#include "lower/formula.h"

#include <math.h>
#include <string.h>

/* ---- modified Bessel functions of the first kind, orders 0 and 1 ---- */

static const double I0_NEAR[] = {
    -4.41534164647933937950E-18, 3.33079451882223809783E-17,  -2.43127984654795469359E-16,
    1.71539128555513303061E-15,  -1.16853328779934516808E-14, 7.67618549860493561688E-14,
    -4.85644678311192946090E-13, 2.95505266312963983461E-12,  -1.72682629144155570723E-11,
    9.67580903537323691224E-11,  -5.18979560163526290666E-10, 2.65982372468238665035E-9,
    -1.30002500998624804212E-8,  6.04699502254191894932E-8,   -2.67079385394061173391E-7,
    1.11738753912010371815E-6,   -4.41673835845875056359E-6,  1.64484480707288970893E-5,
    -5.75419501008210370398E-5,  1.88502885095841655729E-4,   -5.76375574538582365885E-4,
    1.63947561694133579842E-3,   -4.32430999505057594430E-3,  1.05464603945949983183E-2,
    -2.37374148058994688156E-2,  4.93052842396707084878E-2,   -9.49010970480476444210E-2,
    1.71620901522208775349E-1,   -3.04682672343198398683E-1,  6.76795274409476084995E-1};
static const double I0_FAR[] = {
    -7.23318048787475395456E-18, -4.83050448594418207126E-18, 4.46562142029675999901E-17,
    3.46122286769746109310E-17,  -2.82762398051658348494E-16, -3.42548561967721913462E-16,
    1.77256013305652638360E-15,  3.81168066935262242075E-15,  -9.55484669882830764870E-15,
    -4.15056934728722208663E-14, 1.54008621752140982691E-14,  3.85277838274214270114E-13,
    7.18012445138366623367E-13,  -1.79417853150680611778E-12, -1.32158118404477131188E-11,
    -3.14991652796324136454E-11, 1.18891471078464383424E-11,  4.94060238822496958910E-10,
    3.39623202570838634515E-9,   2.26666899049817806459E-8,   2.04891858946906374183E-7,
    2.89137052083475648297E-6,   6.88975834691682398426E-5,   3.36911647825569408990E-3,
    8.04490411014108831608E-1};
static const double I1_NEAR[] = {
    2.77791411276104639959E-18,  -2.11142121435816608115E-17, 1.55363195773620046921E-16,
    -1.10559694773538630805E-15, 7.60068429473540693410E-15,  -5.04218550472791168711E-14,
    3.22379336594557470981E-13,  -1.98397439776494371520E-12, 1.17361862988909016308E-11,
    -6.66348972350202774223E-11, 3.62559028155211703701E-10,  -1.88724975172282928790E-9,
    9.38153738649577178388E-9,   -4.44505912879632808065E-8,  2.00329475355213526229E-7,
    -8.56872026469545474066E-7,  3.47025130813767847674E-6,   -1.32731636560394358279E-5,
    4.78156510755005422638E-5,   -1.61760815825896745588E-4,  5.12285956168575772895E-4,
    -1.51357245063125314899E-3,  4.15642294431288815669E-3,   -1.05640848946261981558E-2,
    2.47264490306265168283E-2,   -5.29459812080949914269E-2,  1.02643658689847095384E-1,
    -1.76416518357834055153E-1,  2.52587186443633654823E-1};
static const double I1_FAR[] = {
    7.51729631084210481353E-18,  4.41434832307170791151E-18,  -4.65030536848935832153E-17,
    -3.20952592199342395980E-17, 2.96262899764595013876E-16,  3.30820231092092828324E-16,
    -1.88035477551078244854E-15, -3.81440307243700780478E-15, 1.04202769841288027642E-14,
    4.27244001671195135429E-14,  -2.10154184277266431302E-14, -4.08355111109219731823E-13,
    -7.19855177624590851209E-13, 2.03562854414708950722E-12,  1.41258074366137813316E-11,
    3.25260358301548823856E-11,  -1.89749581235054123450E-11, -5.58974346219658380687E-10,
    -3.83538038596423702205E-9,  -2.63146884688951950684E-8,  -2.51223623787020892529E-7,
    -3.88256480887769039346E-6,  -1.10588938762623716291E-4,  -9.76109749136146840777E-3,
    7.78576235018280120474E-1};

/* Clenshaw's recurrence; the result is half the difference of the last and the last but one. */
static loop_value chebyshev(formula *f, loop_value x, const double *c, size_t count)
{
    loop_value b0 = NUM(c[0]), b1 = NUM(0), b2 = b1;
    for (size_t k = 1; k < count; k++) {
        b2 = b1;
        b1 = b0;
        b0 = ADD(SUB(MUL(x, b1), b2), NUM(c[k]));
    }
    return MUL(NUM(0.5), SUB(b0, b2));
}

/* exp(-|x|) times the function of |x|; order 1 lacks its factor |x| below 8. */
static loop_value bessel_scaled(formula *f, bool order_1)
{
    loop_value a = OP1(ABS, X0);
    loop_value near_x = SUB(DIV(a, NUM(2)), NUM(2)), far_x = SUB(DIV(NUM(32), a), NUM(2)), near,
               far;
    near = order_1 ? chebyshev(f, near_x, I1_NEAR, COUNT_OF(I1_NEAR))
                   : chebyshev(f, near_x, I0_NEAR, COUNT_OF(I0_NEAR));
    far = order_1 ? chebyshev(f, far_x, I1_FAR, COUNT_OF(I1_FAR))
                  : chebyshev(f, far_x, I0_FAR, COUNT_OF(I0_FAR));
    if (order_1) near = MUL(near, a);
    loop_value size = IF(LESS_EQUAL(a, NUM(8)), near, DIV(far, OP1(SQRT, a)));
    return order_1 ? IF(LESS(X0, NUM(0)), OP1(NEG, size), size) : size;
}

static loop_value bessel_i0e(formula *f)
{
    return bessel_scaled(f, false);
}
static loop_value bessel_i1e(formula *f)
{
    return bessel_scaled(f, true);
}
static loop_value bessel_i0(formula *f)
{
    return MUL(OP1(EXP, OP1(ABS, X0)), bessel_scaled(f, false));
}
static loop_value bessel_i1(formula *f)
{
    return MUL(OP1(EXP, OP1(ABS, X0)), bessel_scaled(f, true));
}

/* ---- error functions, in double: the scaled forms lose digits otherwise ---- */

static formula widened(formula *f)
{
    formula wide = *f;
    wide.dtype = TY_F64;
    wide.x[0] = loop_cast(f->p, TY_F64, f->x[0]);
    return wide;
}

/* exp(x^2) erfc(x): by its asymptotic series from 25 on, where the product would lose its factors. */
static loop_value erfcx_of(formula *f, loop_value x)
{
    loop_value plain = MUL(OP1(EXP, MUL(x, x)), OP1(ERFC, x)), inverse = DIV(NUM(1), MUL(x, x));
    loop_value series =
        ADD(SUB(NUM(1), MUL(NUM(0.5), inverse)), MUL(NUM(0.75), MUL(inverse, inverse)));
    loop_value far = DIV(series, MUL(x, NUM(1.77245385090551602730)));
    return IF(LESS(x, NUM(25)), plain, far);
}

static loop_value erfcx(formula *narrow)
{
    formula wide = widened(narrow), *f = &wide;
    return erfcx_of(f, X0);
}

static loop_value log_ndtr(formula *narrow)
{
    formula wide = widened(narrow), *f = &wide;
    loop_value t = MUL(X0, NUM(0.70710678118654752440));
    loop_value low = SUB(OP1(LOG, DIV(erfcx_of(f, OP1(NEG, t)), NUM(2))), MUL(t, t));
    loop_value high = OP1(LOG1P, OP1(NEG, DIV(OP1(ERFC, t), NUM(2))));
    return IF(LESS(X0, NUM(-1)), low, high);
}

static loop_value ndtri(formula *narrow)
{
    formula wide = widened(narrow), *f = &wide;
    return MUL(NUM(1.41421356237309504880), OP1(ERFINV, SUB(MUL(NUM(2), X0), NUM(1))));
}

/* log of the multivariate gamma function of order p */
static loop_value mvlgamma(formula *f)
{
    int64_t p = (int64_t)formula_param_number(f, "p", 1);
    loop_value sum = NUM((double)(p * (p - 1)) / 4 * 1.14472988584940017414); /* log pi */
    for (int64_t k = 0; k < p; k++) sum = ADD(sum, OP1(LGAMMA, SUB(X0, NUM(0.5 * (double)k))));
    return sum;
}

#define SPECIAL(op, function)                                             \
    {                                                                     \
        OP_##op, lower_pointwise, 0, "0", LOWER_TO_FLOAT, function, false \
    }
static const lower_row ROWS[] = {
    SPECIAL(aten_i0_default, bessel_i0),
    SPECIAL(aten_special_i0_default, bessel_i0),
    SPECIAL(aten_special_i0e_default, bessel_i0e),
    SPECIAL(aten_special_i1_default, bessel_i1),
    SPECIAL(aten_special_i1e_default, bessel_i1e),
    SPECIAL(aten_special_modified_bessel_i0_default, bessel_i0),
    SPECIAL(aten_special_modified_bessel_i1_default, bessel_i1),
    SPECIAL(aten_special_erfcx_default, erfcx),
    SPECIAL(aten_special_log_ndtr_default, log_ndtr),
    SPECIAL(aten_special_ndtri_default, ndtri),
    SPECIAL(aten_mvlgamma_default, mvlgamma),
};
const lower_rows lower_special_rows = {ROWS, COUNT_OF(ROWS)};
