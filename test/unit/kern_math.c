/* kern_math.c -- the math functions of generated kernels against libm's in long double, and the
 * division of integers against C's: over all floats and where most things happen, with special
 * values, for every instruction set and for C at one lane.
 */
#define _GNU_SOURCE /* j0l */
#include "kern/legal/legal.h"
#include "kern_trial.h"

#include "../../rt/maths/rt_special.h"

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 1 << 14 };

typedef struct function {
    const char *name;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    double narrow, wide; /* errors allowed, in units of the last place of an f32, an f64; < 0: not
                            tested */
    double least;        /* those of this number where results are smaller: next to roots that the
                            formula does not know */
} function;

static long double sigmoid(long double x)
{
    return 1 / (1 + expl(-x));
}

/* One step of Newton's from the runtime's. */
static long double erfinv(long double x)
{
    long double y = (long double)fe_erfinv((double)x), a = fabsl(y),
                slope = 1.1283791670955125739L * expl(-y * y);
    if (!isfinite(y) || slope == 0) return y;
    if (a < 0.5L) return y - (erfl(y) - x) / slope;
    return copysignl(a + (erfcl(a) - (1 - fabsl(x))) / slope, x);
}

static long double digamma(long double x)
{
    const long double pi = 3.14159265358979323846L;
    if (x == 0) return copysignl(INFINITY, -x);
    if (x < 0 && x == truncl(x)) return (long double)NAN;
    if (x < 0) return digamma(1 - x) - pi / tanl(pi * (x - nearbyintl(x)));
    long double sum = 0;
    for (; x < 40; x += 1) sum -= 1 / x;
    long double z = 1 / (x * x);
    long double tail =
        z * (1 / 12.0L - z * (1 / 120.0L - z * (1 / 252.0L - z * (1 / 240.0L - z / 132))));
    return sum + logl(x) - 0.5L / x - tail;
}

static long double bessel(long double (*f)(long double), long double x, bool positive)
{
    return isinf(x) || (positive && x < 0) ? (long double)NAN : f(x);
}

static long double besselj0(long double x)
{
    return bessel(j0l, x, false);
}

static long double besselj1(long double x)
{
    return bessel(j1l, x, false);
}

static long double bessely0(long double x)
{
    return x == 0 ? (long double)-INFINITY : bessel(y0l, x, true);
}

static long double bessely1(long double x)
{
    return x == 0 ? (long double)-INFINITY : bessel(y1l, x, true);
}

static long double rem(long double a, long double b)
{
    long double r = fmodl(a, b);
    return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}

static long double next_float(long double a, long double b)
{
    return (long double)nextafterf((float)a, (float)b);
}

static long double next_double(long double a, long double b)
{
    return (long double)nextafter((double)a, (double)b);
}

static long double logaddexp(long double a, long double b)
{
    if (a == b && isinf(a)) return a;
    return (a > b ? a : b) + log1pl(expl(-fabsl(a - b)));
}

static const function FUNCTIONS[] = {
    {"exp", expl, NULL, 1.1, 1.1, 0},
    {"exp2", exp2l, NULL, 1.1, 1.2, 0},
    {"expm1", expm1l, NULL, 1.6, 1.9, 0},
    {"log", logl, NULL, 1.1, 1.0, 0},
    {"log2", log2l, NULL, 1.5, 1.0, 0},
    {"log10", log10l, NULL, 2.0, 1.0, 0},
    {"log1p", log1pl, NULL, 1.6, 1.6, 0},
    {"tanh", tanhl, NULL, 1.5, 2.8, 0},
    {"erf", erfl, NULL, 1.1, 1.6, 0},
    {"sin", sinl, NULL, 1.6, 0.9, 0},
    {"cos", cosl, NULL, 1.6, 0.9, 0},
    {"tan", tanl, NULL, 1.7, 2.4, 0},
    {"sigmoid", sigmoid, NULL, 2.5, 2.5, 1e-33},
    {"sqrt", sqrtl, NULL, 0.51, 0.51, 0},
    {"floor", floorl, NULL, 0, 0, 0},
    {"ceil", ceill, NULL, 0, 0, 0},
    {"trunc", truncl, NULL, 0, 0, 0},
    {"round", nearbyintl, NULL, 0, 0, 0},
    {"asin", asinl, NULL, 2.4, 2.3, 0},
    {"acos", acosl, NULL, 1.2, 1.3, 0},
    {"atan", atanl, NULL, 2.3, 2.4, 0},
    {"sinh", sinhl, NULL, 1.8, 1.8, 0},
    {"cosh", coshl, NULL, 1.6, 1.6, 0},
    {"asinh", asinhl, NULL, 0.52, 2.2, 0},
    {"acosh", acoshl, NULL, 0.52, 2.5, 0},
    {"atanh", atanhl, NULL, 0.52, 2.4, 0},
    {"erfc", erfcl, NULL, 0.6, 4.9, 0},
    {"erfinv", erfinv, NULL, 3.0, 4.0, 0},
    {"lgamma", lgammal, NULL, 0.7, 6.0, 0.5},
    {"digamma", digamma, NULL, 0.6, 12.0, 1},
    {"besselj0", besselj0, NULL, 0.6, 6.0, 0.5},
    {"besselj1", besselj1, NULL, 0.6, 6.0, 0.5},
    {"bessely0", bessely0, NULL, 0.6, 19.0, 0.5},
    {"bessely1", bessely1, NULL, 0.6, 16.0, 0.5},
    {"atan2", NULL, atan2l, 2.4, 2.4, 0},
    {"pow", NULL, powl, 0.6, 1.3, 0},
    {"hypot", NULL, hypotl, 1.2, 1.3, 0},
    {"fmod", NULL, fmodl, 0, 0, 0},
    {"rem", NULL, rem, 0.51, 0.51, 0},
    {"logaddexp", NULL, logaddexp, 2.5, 2.5, 1},
    {"nextafter", NULL, next_float, 0, -1, 0},
    {"nextafter", NULL, next_double, -1, 0, 0},
};

/* ---- arguments ---- */

static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Argument i of SAMPLES, as the dtype rounds it. */
static double argument(uint32_t i, bool is_wide, uint64_t *state)
{
    static const double SPECIAL[] = {
        INFINITY, -INFINITY, (double)NAN, 0.0,  -0.0,  1,    -1,     2,     -2,   0.5,  -0.5,
        3,        -3,        1e-42,       1e30, -1e30, 88.7, -103.9, 709.5, -745, 1e-8, 10.5};
    uint64_t bits = random_bits(state);
    double unit = (double)(bits >> 11) * 0x1p-53, x;
    float narrow;
    uint32_t half = (uint32_t)(bits >> 32);
    memcpy(&narrow, &half, sizeof narrow);
    memcpy(&x, &bits, sizeof x);
    if (!is_wide) x = (double)narrow;
    if (i % 4 == 1) x = unit * 16 - 8;
    if (i % 4 == 2) x = unit * 2 - 1;
    if (i % 4 == 3) x = (unit * 64 - 32) * (1 + 63 * (double)(i % 8 == 3));
    if (i % 64 < 16) x = SPECIAL[bits % COUNT_OF(SPECIAL)];
    return is_wide ? x : (double)(float)x;
}

/* How far off a result is, in units of the last place; infinite where a special value is wrong. */
static double error_of(long double wanted, double got, bool is_wide, double least)
{
    double rounded = is_wide ? (double)wanted : (double)(float)wanted;
    if (isnan(rounded) && isnan(got)) return 0;
    if (rounded == got) return rounded == 0 && !signbit(rounded) != !signbit(got) ? INFINITY : 0;
    if (!isfinite(rounded) || !isfinite(got)) return (double)INFINITY;
    int exponent, lowest = is_wide ? DBL_MIN_EXP : FLT_MIN_EXP;
    frexpl(fabsl(wanted) < (long double)least ? (long double)least : wanted, &exponent);
    if (exponent < lowest) exponent = lowest;
    return (double)(fabsl((long double)got - wanted) /
                    ldexpl(1, exponent - (is_wide ? DBL_MANT_DIG : FLT_MANT_DIG)));
}

/* What computes y of SAMPLES of x, in double or float. */
typedef struct computer {
    kernel run;
    const kern_function *function; /* or this, interpreted */
    arena *memory;
} computer;

static void interpret(const computer *c, const double (*x)[SAMPLES], double *y)
{
    for (uint32_t i = 0; i < SAMPLES; i++) {
        kern_number args[] = {{.real = x[0][i]}, {.real = x[1][i]}, {0}};
        y[i] = kern_function_run(c->function, args, c->memory).real;
    }
}

static double worst_error(const computer *c, const function *f, bool is_wide)
{
    static double x[2][SAMPLES], y[SAMPLES];
    static float narrow_x[2][SAMPLES], narrow_y[SAMPLES];
    uint64_t state = 42;
    double worst = 0;
    for (uint32_t i = 0; i < SAMPLES; i++)
        for (int k = 0; k < 2; k++) {
            x[k][i] = argument(k ? i / 3 : i, is_wide, &state);
            narrow_x[k][i] = (float)x[k][i];
        }
    void *wide[] = {x[0], f->two ? x[1] : y, y},
         *narrow[] = {narrow_x[0], f->two ? narrow_x[1] : narrow_y, narrow_y};
    int64_t none = 0;
    if (c->function)
        interpret(c, (const double(*)[SAMPLES])x, y);
    else
        c->run(&(kernel_args){is_wide ? wide : narrow, &none, NULL}, 0, 1, 0, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        long double a = (long double)x[0][i], b = (long double)x[1][i];
        double got = is_wide || c->function ? y[i] : (double)narrow_y[i];
        double error = error_of(f->one ? f->one(a) : f->two(a, b), got, is_wide, f->least);
        if (error > worst) worst = error;
    }
    return worst;
}

/* ---- programs of one operation ---- */

static const char *program(arena *memory, const char *name, const char *dtype, bool two)
{
    const char *second =
        two ? arena_printf(memory, "input @z : %s[%d] strides [1]\n", dtype, SAMPLES) : "";
    const char *load = two ? arena_printf(memory, "  %%1 = load %s @z[i0]\n", dtype) : "";
    return arena_printf(memory,
                        "program main\ninput @x : %s[%d] strides [1]\n%stemp @y : %s[%d] strides "
                        "[1]\nnest [i0 < %d] {\n  %%0 = load %s @x[i0]\n%s  %%2 = %s %%0%s : %s\n"
                        "  @y[i0] = %%2\n}\noutput @y[%d]{1}\n",
                        dtype, SAMPLES, second, dtype, SAMPLES, SAMPLES, dtype, load, name,
                        two ? ", %1" : "", dtype, SAMPLES);
}

/* The runtime's functions are among what kernels call. */
static const char *flags_for(arena *memory, size_t target)
{
    return arena_printf(memory, "%s -Irt -Irt/maths rt/maths/rt_special.c rt/maths/rt_airy.c",
                        TRIAL_FLAGS[target]);
}

static fe_status check_floats(fe_session *session, size_t target, bool is_wide)
{
    arena *memory = session->memory;
    trial trials[COUNT_OF(FUNCTIONS)] = {{0}};
    for (size_t i = 0; i < COUNT_OF(FUNCTIONS); i++) {
        const function *f = &FUNCTIONS[i];
        trials[i] = (trial){.session = session, .memory = memory};
        FE_TRY(trial_build(&trials[i], target_at((uint32_t)target),
                           program(memory, f->name, is_wide ? "f64" : "f32", f->two != NULL)));
    }
    const char *source =
        trial_source(trials, COUNT_OF(FUNCTIONS), target_at((uint32_t)target), memory);
    void *library = trial_compile(session, source, flags_for(memory, target));
    if (!EXPECT(library != NULL)) return FE_OK;
    for (size_t i = 0; i < COUNT_OF(FUNCTIONS); i++) {
        const function *f = &FUNCTIONS[i];
        double allowed = is_wide ? f->wide : f->narrow;
        kernel run;
        if (allowed < 0) continue;
        *(void **)&run = dlsym(library, trials[i].set->kernels.at[0].name);
        /* no fused multiply-add; libm's own functions */
        if (allowed > 0 && target >= TRIAL_BASELINE) allowed += target == TRIAL_BASELINE ? 0.7 : 2;
        double error = run ? worst_error(&(computer){.run = run}, f, is_wide) : (double)INFINITY;
        if (!EXPECT(error <= allowed))
            printf("  %s of %s for %s: %g ulps\n", f->name, is_wide ? "f64" : "f32",
                   target_at((uint32_t)target)->name, error);
    }
    dlclose(library);
    return FE_OK;
}

static fe_status check_everywhere(fe_session *session, bool is_wide)
{
    for (size_t target = 0; target < TRIAL_TARGET_COUNT; target++)
        if (trial_runs_here(target)) FE_TRY(check_floats(session, target, is_wide));
    return FE_OK;
}

SESSION_TEST(math_functions_are_accurate)
{
    return check_everywhere(session, false);
}

SESSION_TEST(math_functions_of_doubles_are_accurate)
{
    return check_everywhere(session, true);
}

/* ---- the functions themselves, without a compiler ---- */

static fe_status interpret_functions(fe_session *session, const target_machine *target,
                                     bool is_wide)
{
    arena *memory = session->memory;
    kern_library *library = kern_library_new(target, memory);
    for (size_t i = 0; i < COUNT_OF(FUNCTIONS); i++) {
        const function *f = &FUNCTIONS[i];
        double allowed = is_wide ? f->wide : f->narrow;
        ty_dtype dtype = is_wide ? TY_F64 : TY_F32;
        const kern_function *made =
            allowed < 0 ? NULL : kern_library_find(library, f->name, dtype, 1);
        if (!made) continue; /* an operation of the printer's */
        /* products are rounded before they are added to, and are not in the kernels above */
        if (allowed > 0) allowed += 0.7;
        double error = worst_error(&(computer){.function = made, .memory = memory}, f, is_wide);
        if (!EXPECT(error <= allowed))
            printf("  %s for %s, interpreted: %g ulps\n", made->name, target->name, error);
    }
    for (uint32_t i = 0; i < library->functions.count; i++)
        FE_TRY(kern_check_function(library->functions.at[i], session));
    return FE_OK;
}

SESSION_TEST(math_functions_are_accurate_by_their_operations_alone)
{
    static const char *const TARGETS[] = {"x86-64-v3",
                                          "baseline"}; /* with fused products, and without */
    for (size_t i = 0; i < COUNT_OF(TARGETS); i++) {
        FE_TRY(interpret_functions(session, target_named(TARGETS[i]), false));
        FE_TRY(interpret_functions(session, target_named(TARGETS[i]), true));
    }
    return FE_OK;
}

/* ---- integers ---- */

static const char *const DIVISIONS[] = {"floordiv", "truncdiv", "rem", "fmod", "shl", "shr"};
static const struct {
    const char *name;
    uint32_t bits;
    bool is_signed;
} INTEGERS[] = {{"i8", 8, true},  {"i16", 16, true},  {"i32", 32, true},  {"i64", 64, true},
                {"u8", 8, false}, {"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false}};

__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_unsigned;

static wide_int shifted(size_t op, wide_int a, wide_int b, uint32_t bits)
{
    bool outside = b < 0 || b >= bits;
    if (op == 4) return outside ? 0 : (wide_int)((wide_unsigned)a << b);
    if (outside) return a < 0 ? -1 : 0;
    return a >> b;
}

static wide_int divided(size_t op, wide_int a, wide_int b, uint32_t bits)
{
    if (op >= 4) return shifted(op, a, b, bits);
    if (b == 0) return 0;
    wide_int q = a / b, r = a % b, fix = r && (r < 0) != (b < 0);
    switch (op) {
    case 0: return q - fix;
    case 1: return q;
    case 2: return r + fix * b;
    default: return r;
    }
}

static wide_int integer_at(const void *at, uint32_t i, uint32_t bits, bool is_signed)
{
    uint64_t v = 0;
    memcpy(&v, (const char *)at + (size_t)i * bits / 8, bits / 8);
    int64_t s = (int64_t)(v << (64 - bits)) >> (64 - bits);
    return is_signed ? (wide_int)s : (wide_int)v;
}

static void divide_by_functions(const computer *c, const void *x, const void *z, void *y,
                                uint32_t bits, bool is_signed)
{
    for (uint32_t i = 0; i < SAMPLES; i++) {
        kern_number args[] = {{.integer = (int64_t)integer_at(x, i, bits, is_signed)},
                              {.integer = (int64_t)integer_at(z, i, bits, is_signed)},
                              {0}};
        kern_number result = kern_function_run(c->function, args, c->memory);
        memcpy((char *)y + (size_t)i * bits / 8, &result.integer, bits / 8);
    }
}

static uint32_t wrong_results(const computer *c, size_t op, uint32_t bits, bool is_signed)
{
    static uint64_t x[SAMPLES], z[SAMPLES], y[SAMPLES];
    static const uint64_t SPECIAL[] = {0, 1, (uint64_t)-1, 1ull << 63, ~0ull >> 1, 2, 1ull << 52};
    uint64_t state = 7;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint64_t a = random_bits(&state), b = random_bits(&state);
        uint32_t less = i / 64 % 64; /* vectors of small numbers, and of any */
        a = (uint64_t)((int64_t)a >> (less % bits));
        b = (uint64_t)((int64_t)b >> ((less / 2 + i % 3 * 8) % bits));
        if (op >= 4 && i % 2) b %= bits;
        if (i % 5 == 0) a = SPECIAL[a % COUNT_OF(SPECIAL)] >> (bits < 64 && i % 2 ? 64 - bits : 0);
        if (i % 7 == 0) b = SPECIAL[b % COUNT_OF(SPECIAL)];
        memcpy((char *)x + (size_t)i * bits / 8, &a, bits / 8);
        memcpy((char *)z + (size_t)i * bits / 8, &b, bits / 8);
    }
    void *buffers[] = {x, z, y};
    int64_t none = 0;
    uint32_t wrong = 0;
    if (c->function)
        divide_by_functions(c, x, z, y, bits, is_signed);
    else
        c->run(&(kernel_args){buffers, &none, NULL}, 0, 1, 0, SAMPLES);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint64_t wanted = (uint64_t)divided(op, integer_at(x, i, bits, is_signed),
                                            integer_at(z, i, bits, is_signed), bits);
        uint64_t got = (uint64_t)integer_at(y, i, bits, false);
        wrong += got != wanted << (64 - bits) >> (64 - bits);
    }
    return wrong;
}

static fe_status check_integers(fe_session *session, size_t target)
{
    enum { OPS = COUNT_OF(DIVISIONS), COUNT = OPS * COUNT_OF(INTEGERS) };
    arena *memory = session->memory;
    trial trials[COUNT] = {{0}};
    for (size_t i = 0; i < COUNT; i++) {
        trials[i] = (trial){.session = session, .memory = memory};
        FE_TRY(trial_build(&trials[i], target_at((uint32_t)target),
                           program(memory, DIVISIONS[i % OPS], INTEGERS[i / OPS].name, true)));
    }
    const char *source = trial_source(trials, COUNT, target_at((uint32_t)target), memory);
    void *library = trial_compile(session, source, TRIAL_FLAGS[target]);
    if (!EXPECT(library != NULL)) return FE_OK;
    for (size_t i = 0; i < COUNT; i++) {
        kernel run;
        *(void **)&run = dlsym(library, trials[i].set->kernels.at[0].name);
        uint32_t wrong = run ? wrong_results(&(computer){.run = run}, i % OPS,
                                             INTEGERS[i / OPS].bits, INTEGERS[i / OPS].is_signed)
                             : SAMPLES;
        if (!EXPECT(wrong == 0))
            printf("  %s of %s for %s: %u wrong\n", DIVISIONS[i % OPS], INTEGERS[i / OPS].name,
                   target_at((uint32_t)target)->name, wrong);
    }
    dlclose(library);
    return FE_OK;
}

SESSION_TEST(integers_are_divided_exactly)
{
    for (size_t target = 0; target < TRIAL_TARGET_COUNT; target++)
        if (trial_runs_here(target)) FE_TRY(check_integers(session, target));
    return FE_OK;
}

SESSION_TEST(integers_are_divided_exactly_by_operations_alone)
{
    arena *memory = session->memory;
    kern_library *library = kern_library_new(target_named("baseline"), memory);
    for (size_t i = 0; i < COUNT_OF(INTEGERS) * COUNT_OF(DIVISIONS); i++) {
        size_t op = i % COUNT_OF(DIVISIONS), type = i / COUNT_OF(DIVISIONS);
        ty_dtype dtype;
        if (!EXPECT(ty_dtype_parse(INTEGERS[type].name, &dtype))) continue;
        const kern_function *f = kern_library_find(library, DIVISIONS[op], dtype, 1);
        computer c = {.function = f, .memory = memory};
        uint32_t wrong =
            f ? wrong_results(&c, op, INTEGERS[type].bits, INTEGERS[type].is_signed) : SAMPLES;
        if (!EXPECT(wrong == 0))
            printf("  %s of %s, interpreted: %u wrong\n", DIVISIONS[op], INTEGERS[type].name,
                   wrong);
    }
    for (uint32_t i = 0; i < library->functions.count; i++)
        FE_TRY(kern_check_function(library->functions.at[i], session));
    return FE_OK;
}
