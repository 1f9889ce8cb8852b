/* polynomial.c -- functions that are polynomials, as rows of coefficients.
 *
 * The highest power comes first. Each interpolates its function at the Chebyshev points of its
 * interval, worked out with 80 digits and rounded, of the least degree whose error is below that of
 * the arithmetic.
 */
#include "kern/legal/legal.h"

#include <string.h>

/* (e^x - 1 - x) / x^2, |x| up to ln 2 / 2 */
static const double F64_EXPREST[] = {2.0914679376583935e-09,
                                     2.5105206373957011e-08,
                                     2.7557273661348637e-07,
                                     2.7557255425746435e-06,
                                     2.4801587325533363e-05,
                                     0.00019841269874800493,
                                     0.0013888888888883752,
                                     0.0083333333333261411,
                                     0.041666666666666671,
                                     0.16666666666666671,
                                     0.5};
/* (log((1 + s) / (1 - s)) - 2 s) / s^3 of s^2, s up to (sqrt 2 - 1) / (sqrt 2 + 1) */
static const double F64_LOGREST[] = {0.13087236196659621, 0.13268714792348096, 0.15386241881938595,
                                     0.18181795600060793, 0.22222222392089008, 0.28571428570801954,
                                     0.40000000000000879, 0.66666666666666663};
/* what follows the first term of that, over s^2 */
static const double F64_POWREST[] = {0.11723603622905411, 0.11706195689881364, 0.13334806212100603,
                                     0.15384594934597917, 0.1818181833565416,  0.22222222221654733,
                                     0.28571428571429369, 0.40000000000000002};
/* (sin x - x) / x^3 of x^2, x up to pi / 4 */
static const double F64_SINREST[] = {-7.5866971177069183e-13, 1.6058531618986147e-10,
                                     -2.5052106232447578e-08, 2.7557319219339167e-06,
                                     -0.00019841269841265065, 0.0083333333333333315,
                                     -0.16666666666666666};
/* (cos x - 1 + x^2 / 2) / x^4 of x^2 */
static const double F64_COSREST[] = {-1.1382632425521717e-11, 2.0876146268403199e-09,
                                     -2.7557317271729793e-07, 2.4801587298765689e-05,
                                     -0.0013888888888887398,  0.041666666666666664};
/* (tan x - x) / x^3 of x^2 */
static const double F32_TANREST[] = {0.00384313986, 0.0011853216, 0.0099621471, 0.0216211267,
                                     0.0539944656,  0.133332312,  0.333333343};
/* (asin x - x) / x^3 of x^2, x up to 1 / 2 */
static const double F32_ASINREST[] = {0.0336908475, 0.0171492379, 0.0311006624,
                                      0.0445994027, 0.0750009418, 0.166666657};
static const double F64_ASINREST[] = {
    0.028757851367421566, -0.014851887071247204, 0.017400879442694021, 0.0054575067186403581,
    0.010322814350185779, 0.011479177415184906,  0.013971212973552933, 0.017352392720869973,
    0.022372172942149889, 0.030381944138531247,  0.044642857146355429, 0.074999999999984329,
    0.16666666666666669};
/* (atan x - x) / x^3 of x^2, x up to tan(pi / 8) */
static const double F32_ATANREST[] = {-0.0645192787, 0.107437313, -0.142639562, 0.199995399,
                                      -0.333333313};
static const double F64_ATANREST[] = {
    -0.01917688711906226,  0.039231658295587189, -0.050854497379402598, 0.0585814891280221,
    -0.066645114473819475, 0.076921831908260865, -0.090909045781239026, 0.11111111015256361,
    -0.14285714284666542,  0.19999999999995521,  -0.33333333333333331};
/* (sinh x - x) / x^3 of x^2, x up to 1 */
static const double F32_SINHREST[] = {2.80628024e-06, 0.000198381022, 0.00833333936, 0.166666672};
static const double F64_SINHREST[] = {
    7.7461785930188273e-13, 1.6057679623801638e-10, 2.5052117695907823e-08, 2.7557319191381816e-06,
    0.00019841269841324198, 0.0083333333333332985,  0.16666666666666666};
/* erf(x) / x - 2 / sqrt pi of x^2, x up to 1 */
static const double F64_ERFNEAR[] = {
    5.9571761477489113e-11,  -1.1372848856791674e-09, 1.4659775274047436e-08,
    -1.6350312701054695e-07, 1.6461000484121368e-06,  -1.4925595266831182e-05,
    0.0001205533111164271,   -0.000854832698083379,   0.0052239776248180145,
    -0.026866170645076792,   0.11283791670954879,     -0.37612638903183748,
    -1.3037387878671479e-19};
/* e^x^2 erfc(x) (x + 3.5) of (x - 3.5) / (x + 3.5), x up to 28 */
static const double F64_ERFCREST[] = {
    -5.2745372906609349e-10, -1.2366238821911261e-09, 4.2093425246329033e-09,
    1.2919446354870902e-08,  -2.1706956535202552e-08, -8.8778392821845637e-08,
    1.1485855142125013e-07,  5.5460248353289708e-07,  -7.9502868308364279e-07,
    -3.3940079961439963e-06, 7.243458456215626e-06,   1.8647821013686249e-05,
    -7.4776874712036286e-05, -4.2062296815611577e-05, 0.00071453164637132541,
    -0.0013053546740778102,  -0.0031770503385771592,  0.026518619880231058,
    -0.092318706638698386,   0.22573862164747213,     -0.43525602671688457,
    0.69411364663464337,     -0.93779972456711203,    1.08705558926226};
/* erfinv(x) / x of w - 2.5 or w - 3.125, w = -log(1 - x^2) up to twice that */
static const double F32_ERFINVNEAR[] = {
    -8.93192631e-09, 2.33359678e-08, 4.68131361e-07, -3.46398519e-06, -4.9724199e-06,
    0.000218349393,  -0.00125272642, -0.00417739293, 0.24664028,      1.50140941};
static const double F64_ERFINVNEAR[] = {
    3.240704459379902e-21,   -1.113483769832702e-21, -3.4996044354754177e-19,
    1.150022252066253e-18,   1.5574320246233251e-17, -1.3016928016796445e-16,
    -4.0282154327661744e-17, 6.5964077124208341e-15, -4.0012377350918961e-14,
    -8.1183994430743526e-14, 2.6304834740560442e-12, -1.2976885526532075e-11,
    -5.414287198084716e-11,  1.0512181539804126e-09, -4.1126608200232397e-09,
    -2.9070382262927266e-08, 4.2347881737823391e-07, -1.3654691850603575e-06,
    -1.3882523394405316e-05, 0.00018673420802464837, -0.00074070253415447704,
    -0.0060336708714278497,  0.24015818242558831,    1.6536545626831027};
/* the same of sqrt w - 3 or sqrt w - 4.25, to the last x below 1 */
static const double F32_ERFINVFAR[] = {
    9.43182749e-05, -0.000283833797, -2.9263585e-05, 0.0014519277, -0.00361017161,
    0.00570041733,  -0.0076347338,   0.0094435541,   1.00167477,   2.83297682};
static const double F64_ERFINVFAR[] = {
    9.4878156294822244e-18,  -4.5249224624845345e-15, 3.4534235674284097e-14,
    -5.2159865516813729e-14, -3.1684087634115592e-13, 1.7345647381437468e-12,
    -4.0783774298367439e-12, 2.2356716197215287e-12,  3.3942488250454776e-11,
    -1.8629867724717695e-10, 4.6229692412940734e-10,  -1.9041471638356251e-10,
    -3.0663025017508841e-09, 1.3438585401392812e-08,  -3.0143917976954089e-08,
    2.561089788391619e-08,   9.3292713573869723e-08,  -5.1525929926617081e-07,
    1.490173215060489e-06,   -3.211129263063497e-06,  5.8072692659052606e-06,
    -1.019766447253115e-05,  2.1980127852641292e-05,  -6.4419750849570352e-05,
    0.00021217671332956228,  -0.00060789402745420069, 0.00071274997265631881,
    1.0099782771612553,      4.0922234236681296};
/* lgamma(2 + x) / x, |x| up to 1 / 2 */
static const double F64_GAMMANEAR[] = {
    2.7475390051909663e-07,  -5.8112777689212464e-07, 9.2428522251622768e-07,
    -1.9743106888421067e-06, 4.3828545383846665e-06,  -9.4562885151017197e-06,
    2.0506019701747618e-05,  -4.4923727564247656e-05, 9.945761692157133e-05,
    -0.00022315497746292723, 0.00050966951965266728,  -0.0011927539009983087,
    0.0028905103308659009,   -0.0073855510289355447,  0.020580808427783381,
    -0.067352301053195632,   0.3224670334241132,      0.42278433509846713};
/* x times the rest of Stirling's formula of 1 / x^2, x from 8.5 */
static const double F64_STIRLING[] = {
    0.0051960417727830287,  -0.0018956627985661561, 0.00084154987611438517, -0.0005952371356647239,
    0.00079365079145524511, -0.0027777777777758862, 0.083333333333333329};
/* (log x - 1 / 2 x - digamma x) x^2 of 1 / x^2, x from 8 */
static const double F64_DIGAMMAREST[] = {
    0.063621505876343562,  -0.020697987372370493,  0.0075716896202839019, -0.0041666448230497002,
    0.0039682539119537084, -0.0083333333332786357, 0.083333333333333329};
/* J0(x) over its first two zeros' factors, of x^2 up to 25 */
static const double F64_BESSELJ0REST[] = {
    -3.0273418461562148e-28, 2.4229404532957078e-25,  -1.4048419907288446e-22,
    6.7276883942078594e-20,  -2.6504977669610348e-17, 8.4131847757624458e-15,
    -2.0931214084068986e-12, 3.9358273789746912e-10,  -5.3178863352025763e-08,
    4.7843561409041628e-06,  -0.00025120235414943397, 0.0056746933251556166};
/* J1(x) / x likewise */
static const double F64_BESSELJ1REST[] = {
    7.5703268891038629e-27,  -5.5479279675113204e-24, 2.9218943779951555e-21,
    -1.2574094900139014e-18, 4.3897514941149386e-16,  -1.2121603255922617e-13,
    2.5576334414118284e-11,  -3.9294710536233683e-09, 4.0859145336505284e-07,
    -2.5304774079730402e-05, 0.00069192283664082528};
/* Y0(x) - 2 / pi log x J0(x), of x^2 */
static const double F64_BESSELY0REST[] = {
    -4.1571533499683937e-25, 2.9065963439890579e-22,  -1.4005661264543048e-19,
    5.4301792397348384e-17,  -1.6932555864746558e-14, 4.1435637556166754e-12,
    -7.693079732125214e-10,  1.035847602398513e-07,   -9.4950052048677323e-06,
    0.00053860266686088206,  -0.016073968025937548,   0.17760601686906674,
    -0.07380429510868719};
/* (Y1(x) - 2 / pi (log x J1(x) - 1 / x)) / x */
static const double F64_BESSELY1REST[] = {
    -1.647630300242422e-26,  1.2317956032107432e-23,  -6.4644170187812253e-21,
    2.7613136882591387e-18,  -9.5914283015743171e-16, 2.6494807820341812e-13,
    -5.6480244898094283e-11, 8.9318796176893499e-09,  -9.9267406192952535e-07,
    7.1642687499711311e-05,  -0.0029553053360798017,  0.054348688160510229,
    -0.19605709064623894};
/* Hankel's P and 5 Q / x of order 0, of 25 / x^2 */
static const double F64_BESSEL0P[] = {
    -2.6181653714356725e-07, 2.4596462381061319e-06,  -1.069638951488146e-05,
    2.8629250404388037e-05,  -5.2951995542036587e-05, 7.217430390780508e-05,
    -7.5765767530424963e-05, 6.3657694749282983e-05,  -4.4750740033773421e-05,
    2.8070393398920584e-05,  -1.7362375330840813e-05, 1.2172071369248598e-05,
    -1.1239763740238821e-05, 1.554783354470264e-05,   -3.6640020009759354e-05,
    0.00017944335778816468,  -0.002812499999985629,   1};
static const double F64_BESSEL0Q[] = {
    4.3829063856619909e-07,  -4.1063094451471383e-06, 1.7795085909769067e-05,
    -4.7411826807457972e-05, 8.7152570468082463e-05,  -0.00011777153004044763,
    0.00012209378971538072,  -0.00010064727880615602, 6.8642658580468979e-05,
    -4.0966186535347072e-05, 2.3358801561861986e-05,  -1.4457422280186762e-05,
    1.1244136051915964e-05,  -1.2479739182608498e-05, 2.2114784676986841e-05,
    -7.26745577063873e-05,   0.00058593749997431718,  -0.02499999999999996};
/* and of order 1 */
static const double F64_BESSEL1P[] = {
    2.7752628462997651e-07,  -2.6076576759196723e-06, 1.1342439771675323e-05,
    -3.036687640006719e-05,  5.6187226440765453e-05,  -7.6625302737933672e-05,
    8.0502728260904688e-05,  -6.7722444982403599e-05, 4.7706747704625476e-05,
    -3.0031339994084814e-05, 1.8690651968584272e-05,  -1.3239242036861534e-05,
    1.2424193016183247e-05,  -1.7621010982904354e-05, 4.3301850754141225e-05,
    -0.0002307128889490474,  0.004687499999984821,    1};
static const double F64_BESSEL1Q[] = {
    -4.6375029646342477e-07, 4.3454733114513081e-06,  -1.8835049611626885e-05,
    5.019496961714531e-05,   -9.229930980660419e-05,  0.0001247848751425812,
    -0.00012945343201035129, 0.00010682725386491592,  -7.2983046397625531e-05,
    4.3684367576076683e-05,  -2.5035415853902007e-05, 1.5627457971449824e-05,
    -1.2316971009951971e-05, 1.3948140578265299e-05,  -2.551707192618011e-05,
    8.8824459895570047e-05,  -0.00082031249997291736, 0.074999999999999956};
/* The same and others to fewer bits: for f32 by way of f64. */
static const double F64_SHORTLOGREST[] = {0.23330964051772041, 0.28550802553276711,
                                          0.40000122000816879, 0.6666666655430018};
static const double F64_SHORTEXPREST[] = {0.00019890980869750327, 0.0013933641031986701,
                                          0.008333310934448869,   0.04166646500604005,
                                          0.16666666681614256,    0.50000000134577272};
/* as LOGREST, s up to 1 / 3 */
static const double F32_SOFTLOGREST[] = {0.232243299, 0.217065752, 0.28592357, 0.399997056,
                                         0.666666687};
static const double F64_SOFTLOGREST[] = {
    0.16164045611943531, 0.088007384861446741, 0.12001072809590713, 0.13314144209654935,
    0.15385570064958623, 0.18181789436132859,  0.22222222717427864, 0.28571428567108759,
    0.40000000000014585, 0.66666666666666663};
static const double F64_SHORTERFCREST[] = {
    -1.0881946852738757e-06, -0.00032945175800914956, -0.00048565773375207837,
    0.0030836965026036526,   -0.0012236998236023935,  -0.026840724903181689,
    0.11952829959305035,     -0.31046590721707551,    0.59022836351987384,
    -0.88339449059395503,    1.0740069069724196};
static const double F64_SHORTGAMMANEAR[] = {
    -0.00025056202146086636, 0.00057025125028297807, -0.0011874848136699278,
    0.0028788686837407499,   -0.0073859208847835778, 0.020581625436588501,
    -0.067352294090874079,   0.32246701804549949,    0.42278433509846713};
static const double F64_SHORTSTIRLING[] = {0.00078155665716520917, -0.0027777153892153471,
                                           0.083333333285411801};

typedef struct polynomial {
    const char *name;
    ty_dtype dtype;
    uint32_t count;
    const double *at;
} polynomial;

#define POLYNOMIAL(type, id, name)                          \
    {                                                       \
        name, TY_##type, COUNT_OF(type##_##id), type##_##id \
    }

static const polynomial POLYNOMIALS[] = {
    POLYNOMIAL(F64, EXPREST, "exprest"),
    POLYNOMIAL(F64, LOGREST, "logrest"),
    POLYNOMIAL(F64, POWREST, "powrest"),
    POLYNOMIAL(F64, SINREST, "sinrest"),
    POLYNOMIAL(F64, COSREST, "cosrest"),
    POLYNOMIAL(F32, TANREST, "tanrest"),
    POLYNOMIAL(F32, ASINREST, "asinrest"),
    POLYNOMIAL(F64, ASINREST, "asinrest"),
    POLYNOMIAL(F32, ATANREST, "atanrest"),
    POLYNOMIAL(F64, ATANREST, "atanrest"),
    POLYNOMIAL(F32, SINHREST, "sinhrest"),
    POLYNOMIAL(F64, SINHREST, "sinhrest"),
    POLYNOMIAL(F64, ERFNEAR, "erfnear"),
    POLYNOMIAL(F64, ERFCREST, "erfcrest"),
    POLYNOMIAL(F32, ERFINVNEAR, "erfinvnear"),
    POLYNOMIAL(F64, ERFINVNEAR, "erfinvnear"),
    POLYNOMIAL(F32, ERFINVFAR, "erfinvfar"),
    POLYNOMIAL(F64, ERFINVFAR, "erfinvfar"),
    POLYNOMIAL(F64, GAMMANEAR, "gammanear"),
    POLYNOMIAL(F64, STIRLING, "stirling"),
    POLYNOMIAL(F64, DIGAMMAREST, "digammarest"),
    POLYNOMIAL(F64, BESSELJ0REST, "besselj0rest"),
    POLYNOMIAL(F64, BESSELJ1REST, "besselj1rest"),
    POLYNOMIAL(F64, BESSELY0REST, "bessely0rest"),
    POLYNOMIAL(F64, BESSELY1REST, "bessely1rest"),
    POLYNOMIAL(F64, BESSEL0P, "bessel0p"),
    POLYNOMIAL(F64, BESSEL0Q, "bessel0q"),
    POLYNOMIAL(F64, BESSEL1P, "bessel1p"),
    POLYNOMIAL(F64, BESSEL1Q, "bessel1q"),
    POLYNOMIAL(F64, SHORTLOGREST, "shortlogrest"),
    POLYNOMIAL(F64, SHORTEXPREST, "shortexprest"),
    POLYNOMIAL(F32, SOFTLOGREST, "softlogrest"),
    POLYNOMIAL(F64, SOFTLOGREST, "softlogrest"),
    POLYNOMIAL(F64, SHORTERFCREST, "shorterfcrest"),
    POLYNOMIAL(F64, SHORTGAMMANEAR, "shortgammanear"),
    POLYNOMIAL(F64, SHORTSTIRLING, "shortstirling"),
};

static kern_ref coefficient(kern_library *library, kern_function *f, double value)
{
    return kern_function_number(library, f, f->dtype, value, 0);
}

kern_ref kern_function_step(kern_library *library, kern_function *f, kern_ref p, kern_ref x,
                            kern_ref k)
{
    kern_value v = {.kind = KERN_APPLY, .op = LOOP_MUL, .dtype = f->dtype, .args = {p, x}};
    kern_value sum = {.kind = KERN_APPLY, .op = LOOP_ADD, .dtype = f->dtype};
    sum.args[0] = kern_function_define(library, f, v);
    sum.args[1] = k;
    return kern_function_define(library, f, sum);
}

/* Every `stride`th power of those up to coefficient `last`, by Horner's rule in x. */
static kern_ref horner(kern_library *library, kern_function *f, const polynomial *p, uint32_t last,
                       uint32_t stride, kern_ref x)
{
    uint32_t k = last % stride + stride;
    kern_ref first = coefficient(library, f, p->at[k - stride]);
    kern_ref sum = kern_function_step(library, f, x, first, coefficient(library, f, p->at[k]));
    for (k += stride; k <= last; k += stride)
        sum = kern_function_step(library, f, sum, x, coefficient(library, f, p->at[k]));
    return sum;
}

static const polynomial *find(const char *base, ty_dtype dtype)
{
    for (size_t i = 0; i < COUNT_OF(POLYNOMIALS); i++)
        if (POLYNOMIALS[i].dtype == dtype && strcmp(POLYNOMIALS[i].name, base) == 0)
            return &POLYNOMIALS[i];
    return NULL;
}

/* Of a long one all but the last few coefficients, which count most, as two polynomials, of the even
 * and of the odd powers: half the latency. */
const kern_function *kern_polynomial(kern_library *library, const char *base, ty_dtype dtype,
                                     uint32_t lanes)
{
    enum { LONG = 8, LAST = 3, X = 1 };
    const polynomial *p = find(base, dtype);
    if (!p) return NULL;
    kern_function *f = kern_function_new(library, base, dtype, lanes, 1);
    kern_ref sum;
    uint32_t last = p->count - 1;
    if (p->count < LONG) {
        sum = horner(library, f, p, last, 1, X);
    } else {
        kern_value square = {.kind = KERN_APPLY, .op = LOOP_MUL, .dtype = dtype, .args = {X, X}};
        kern_ref z = kern_function_define(library, f, square);
        last -= LAST;
        sum = horner(library, f, p, last, 2, z);
        sum = kern_function_step(library, f, horner(library, f, p, last - 1, 2, z), X, sum);
    }
    for (uint32_t k = last + 1; k < p->count; k++)
        sum = kern_function_step(library, f, sum, X, coefficient(library, f, p->at[k]));
    kern_function_return(library, f, sum);
    return f;
}
