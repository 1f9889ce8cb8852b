/* special.c -- special functions: modified Bessel functions by Chebyshev series (Cephes), scaled
 * error functions in double, the multivariate gamma function; those that are loop operations.
 */
#include "lower/ops/formula.h"

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

/* of the second kind */
static const double K0_NEAR[] = {1.37446543561352307156e-16, 4.25981614279661018399e-14,
                                 1.03496952576338420167e-11, 1.90451637722020886025e-09,
                                 2.53479107902614945675e-07, 2.28621210311945178607e-05,
                                 1.26461541144692592338e-03, 3.59799365153615016266e-02,
                                 3.44289899924628486886e-01, -5.35327393233902768720e-01};
static const double K0_FAR[] = {
    5.30043377268626276149e-18,  -1.64758043015242134646e-17, 5.21039150503902756861e-17,
    -1.67823109680541210385e-16, 5.51205597852431940784e-16,  -1.84859337734377901440e-15,
    6.34007647740507060557e-15,  -2.22751332699166985548e-14, 8.03289077536357521100e-14,
    -2.98009692317273043925e-13, 1.14034058820847496303e-12,  -4.51459788337394416547e-12,
    1.85594911495471785253e-11,  -7.95748924447710747776e-11, 3.57739728140030116597e-10,
    -1.69753450938905987466e-09, 8.57403401741422608519e-09,  -4.66048989768794782956e-08,
    2.76681363944501510342e-07,  -1.83175552271911948767e-06, 1.39498137188764993662e-05,
    -1.28495495816278026384e-04, 1.56988388573005337491e-03,  -3.14481013119645005427e-02,
    2.44030308206595545468e+00};
static const double K1_NEAR[] = {
    -7.02386347938628759343e-18, -2.42744985051936593393e-15, -6.66690169419932900609e-13,
    -1.41148839263352776110e-10, -2.21338763073472585583e-08, -2.43340614156596823496e-06,
    -1.73028895751305206302e-04, -6.97572385963986435018e-03, -1.22611180822657148235e-01,
    -3.53155960776544875667e-01, 1.52530022733894777053e+00};
static const double K1_FAR[] = {
    -5.75674448366501715755e-18, 1.79405087314755922667e-17,  -5.68946255844285935196e-17,
    1.83809354436663880070e-16,  -6.05704724837331885336e-16, 2.03870316562433424052e-15,
    -7.01983709041831346144e-15, 2.47715442448130437068e-14,  -8.97670518232499435011e-14,
    3.34841966607842919884e-13,  -1.28917396095102890680e-12, 5.13963967348173025100e-12,
    -2.12996783842756842877e-11, 9.21831518760500529508e-11,  -4.19035475934189648750e-10,
    2.01504975519703286596e-09,  -1.03457624656780970260e-08, 5.74108412545004946722e-08,
    -3.50196060308781257119e-07, 2.40648494783721712015e-06,  -1.93619797416608296024e-05,
    1.95215518471351631108e-04,  -2.85781685962277938680e-03, 1.03923736576817238437e-01,
    2.72062619048444266945e+00};

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

loop_value formula_of_bessel_i0e(formula *f)
{
    return bessel_scaled(f, false);
}
loop_value formula_of_bessel_i1e(formula *f)
{
    return bessel_scaled(f, true);
}
loop_value formula_of_bessel_i0(formula *f)
{
    return MUL(OP1(EXP, OP1(ABS, X0)), bessel_scaled(f, false));
}
loop_value formula_of_bessel_i1(formula *f)
{
    return MUL(OP1(EXP, OP1(ABS, X0)), bessel_scaled(f, true));
}

static loop_value bessel_k(formula *f, bool order_1, bool scaled)
{
    loop_value x = X0, half_log = OP1(LOG, MUL(NUM(0.5), x)), square = SUB(MUL(x, x), NUM(2)), near,
               far;
    if (order_1)
        near = ADD(MUL(half_log, formula_of_bessel_i1(f)),
                   DIV(chebyshev(f, square, K1_NEAR, COUNT_OF(K1_NEAR)), x));
    else
        near = SUB(chebyshev(f, square, K0_NEAR, COUNT_OF(K0_NEAR)),
                   MUL(half_log, formula_of_bessel_i0(f)));
    loop_value far_x = SUB(DIV(NUM(8), x), NUM(2));
    far = order_1 ? chebyshev(f, far_x, K1_FAR, COUNT_OF(K1_FAR))
                  : chebyshev(f, far_x, K0_FAR, COUNT_OF(K0_FAR));
    far = DIV(far, OP1(SQRT, x));
    if (scaled)
        near = MUL(near, OP1(EXP, x));
    else
        far = MUL(far, OP1(EXP, OP1(NEG, x)));
    loop_value v = IF(LESS_EQUAL(x, NUM(2)), near, far);
    v = IF(LESS(x, NUM(0)), NUM((double)NAN), v);
    return IF(OP2(EQ, x, NUM(0)), NUM((double)INFINITY), v);
}

loop_value formula_of_bessel_k0(formula *f)
{
    return bessel_k(f, false, false);
}
loop_value formula_of_bessel_k1(formula *f)
{
    return bessel_k(f, true, false);
}
loop_value formula_of_bessel_k0e(formula *f)
{
    return bessel_k(f, false, true);
}
loop_value formula_of_bessel_k1e(formula *f)
{
    return bessel_k(f, true, true);
}

/* sin(x) / x, by its series near 0 */
loop_value formula_of_spherical_j0(formula *f)
{
    static const double SERIES[] = {
        1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
    loop_value square = MUL(X0, X0), near = NUM(SERIES[0]);
    for (size_t k = 1; k < COUNT_OF(SERIES); k++) near = ADD(MUL(near, square), NUM(SERIES[k]));
    loop_value far = IF(OP1(ISINF, X0), NUM(0), DIV(OP1(SIN, X0), X0));
    return IF(LESS(OP1(ABS, X0), NUM(0.5)), near, far);
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

loop_value formula_of_erfcx(formula *narrow)
{
    formula wide = widened(narrow), *f = &wide;
    return erfcx_of(f, X0);
}

loop_value formula_of_log_ndtr(formula *narrow)
{
    formula wide = widened(narrow), *f = &wide;
    loop_value t = MUL(X0, NUM(0.70710678118654752440));
    loop_value low = SUB(OP1(LOG, DIV(erfcx_of(f, OP1(NEG, t)), NUM(2))), MUL(t, t));
    loop_value high = OP1(LOG1P, OP1(NEG, DIV(OP1(ERFC, t), NUM(2))));
    return IF(LESS(X0, NUM(-1)), low, high);
}

static loop_value polynomial(formula *f, const double *c, size_t count, loop_value x)
{
    loop_value sum = NUM(c[0]);
    for (size_t k = 1; k < count; k++) sum = ADD(MUL(sum, x), NUM(c[k]));
    return sum;
}

#define RATIO(top, bottom, x) \
    DIV(polynomial(f, top, COUNT_OF(top), x), polynomial(f, bottom, COUNT_OF(bottom), x))

/* Of 0 < y <= exp(-2): with x = sqrt(-2 log y), x - log(x) / x less a correction (Cephes). */
static loop_value ndtri_tail(formula *f, loop_value y)
{
    static const double P1[] = {
        4.05544892305962419923,     3.15251094599893866154e1,   5.71628192246421288162e1,
        4.40805073893200834700e1,   1.46849561928858024014e1,   2.18663306850790267539,
        -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4};
    static const double Q1[] = {
        1.00000000000000000000,     1.57799883256466749731e1,   4.53907635128879210584e1,
        4.13172038254672030440e1,   1.50425385692907503408e1,   2.50464946208309415979,
        -1.42182922854787788574e-1, -3.80806407691578277194e-2, -9.33259480895457427372e-4};
    static const double P2[] = {
        3.23774891776946035970,    6.91522889068984211695,    3.93881025292474443415,
        1.33303460815807542389,    2.01485389549179081538e-1, 1.23716634817820021358e-2,
        3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9};
    static const double Q2[] = {
        1.00000000000000000000,    6.02427039364742014255,    3.67983563856160859403,
        1.37702099489081330271,    2.16236993594496635890e-1, 1.34204006088543189037e-2,
        3.28014464682127739104e-4, 2.89247864745380683936e-6, 6.79019408009981274425e-9};
    loop_value x = OP1(SQRT, MUL(NUM(-2), OP1(LOG, y))), z = DIV(NUM(1), x);
    loop_value less = MUL(z, IF(LESS(x, NUM(8)), RATIO(P1, Q1, z), RATIO(P2, Q2, z)));
    return SUB(SUB(x, DIV(OP1(LOG, x), x)), less);
}

loop_value formula_of_ndtri(formula *narrow)
{
    static const double P0[] = {-5.99633501014107895267e1, 9.80010754185999661536e1,
                                -5.66762857469070293439e1, 1.39312609387279679503e1,
                                -1.23916583867381258016};
    static const double Q0[] = {
        1.00000000000000000000,    1.95448858338141759834,    4.67627912898881538453,
        8.63602421390890590575e1,  -2.25462687854119370527e2, 2.00260212380060660359e2,
        -8.20372256168333339912e1, 1.59056225126211695515e1,  -1.18331621121330003142};
    const double edge = 0.13533528323661269189; /* exp(-2) */
    formula wide = widened(narrow), *f = &wide;
    loop_value zero = NUM(0), one = NUM(1), high = LESS(NUM(1 - edge), X0),
               y = IF(high, SUB(one, X0), X0);
    loop_value middle = SUB(y, NUM(0.5)), square = MUL(middle, middle);
    middle = MUL(NUM(2.50662827463100050242), /* sqrt(2 pi) */
                 ADD(middle, MUL(middle, MUL(square, RATIO(P0, Q0, square)))));
    loop_value tail = ndtri_tail(f, y);
    loop_value v = IF(LESS(NUM(edge), y), middle, IF(high, tail, OP1(NEG, tail)));
    v = IF(OP2(EQ, X0, zero), NUM(-(double)INFINITY),
           IF(OP2(EQ, X0, one), NUM((double)INFINITY), v));
    return IF(OP2(AND, LESS_EQUAL(zero, X0), LESS_EQUAL(X0, one)), v, NUM((double)NAN));
}

/* log of the multivariate gamma function of order p */
static loop_value log_multigamma(formula *f)
{
    int64_t p = (int64_t)formula_param_number(f, "p", 1);
    loop_value sum = NUM((double)(p * (p - 1)) / 4 * 1.14472988584940017414); /* log pi */
    for (int64_t k = 0; k < p; k++) sum = ADD(sum, OP1(LGAMMA, SUB(X0, NUM(0.5 * (double)k))));
    return sum;
}

/* Hermite polynomials of great degree are not computed by PyTorch. */
static loop_value hermite(formula *f, loop_opcode op)
{
    loop_value most = NUM(f->dtype == TY_F64 ? 512 : 128), degree = OP1(TRUNC, X1);
    return IF(LESS(most, degree), NUM((double)NAN), formula_op2(f, op, X0, X1));
}

loop_value formula_of_hermite_h(formula *f)
{
    return hermite(f, LOOP_HERMITEH);
}
loop_value formula_of_hermite_he(formula *f)
{
    return hermite(f, LOOP_HERMITEHE);
}

fe_status lower_op_mvlgamma(lowering *l, fx_node *n, const lower_row *row)
{
    enum { MOST_TERMS = 1000 };
    int64_t p = lower_int_or(l, "p", 1);
    if (p > MOST_TERMS)
        return lower_fail(l, "it is a sum of p terms, %lld; at most %d are supported", (long long)p,
                          MOST_TERMS);
    (void)row;
    static const lower_row SUM = {.operands = "0", .formula = log_multigamma};
    return lower_pointwise(l, n, &SUM);
}
