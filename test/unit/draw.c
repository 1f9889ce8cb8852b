/* draw.c -- numbers drawn by rejection against the first three moments of their distributions, on
 * both sides of where the way of drawing changes, and at the edges of the parameters. */
#include "../../rt/maths/rt_special.h"
#include "unit.h"

#include <math.h>
#include <string.h>

enum { DRAWS = 40000 };

static double bits(uint64_t k)
{
    double out;
    uint64_t word = fe_random_bits(0x5EED, k);
    memcpy(&out, &word, sizeof out);
    return out;
}

typedef struct moments {
    double mean, variance, third; /* central */
} moments;

typedef double draw(double bits, double a, double b);

static double gamma_of(double random, double shape, double unused)
{
    (void)unused;
    return fe_drawgamma(random, shape);
}

static double poisson_of(double random, double rate, double unused)
{
    (void)unused;
    return fe_drawpoisson(random, rate);
}

static moments measured(draw *one, double a, double b)
{
    static double x[DRAWS];
    moments m = {0, 0, 0};
    for (int k = 0; k < DRAWS; k++) m.mean += x[k] = one(bits((uint64_t)k), a, b);
    m.mean /= DRAWS;
    for (int k = 0; k < DRAWS; k++) {
        double d = x[k] - m.mean;
        m.variance += d * d / DRAWS;
        m.third += d * d * d / DRAWS;
    }
    return m;
}

/* Within five times what the moments of so many draws scatter by, roughly, for light tails. */
static void expect(draw *one, double a, double b, moments want, double tail)
{
    moments m = measured(one, a, b);
    double deviation = sqrt(want.variance), of = 5 / sqrt(DRAWS);
    EXPECT(fabs(m.mean - want.mean) <= of * deviation);
    EXPECT(fabs(m.variance - want.variance) <= of * want.variance * tail);
    EXPECT(fabs(m.third - want.third) <= of * want.variance * deviation * 4 * tail);
}

TEST(poisson_numbers_have_their_moments)
{
    static const double RATES[] = {0.3, 2, 9.9, 10, 37.5, 1e4};
    for (size_t k = 0; k < COUNT_OF(RATES); k++) {
        double r = RATES[k];
        expect(poisson_of, r, 0, (moments){r, r, r}, 2 + 1 / sqrt(r));
    }
    EXPECT(fe_drawpoisson(bits(1), 0) == 0);
    EXPECT(isnan(fe_drawpoisson(bits(1), -1)) && isnan(fe_drawpoisson(bits(1), NAN)));
}

TEST(binomial_numbers_have_their_moments)
{
    static const double CASES[][2] = {{5, 0.3},   {20, 0.5},  {100, 0.05}, {100, 0.4},
                                      {1e3, 0.9}, {30, 0.97}, {21, 0.6}};
    for (size_t k = 0; k < COUNT_OF(CASES); k++) {
        double n = CASES[k][0], p = CASES[k][1], v = n * p * (1 - p);
        expect(fe_drawbinomial, n, p, (moments){n * p, v, v * (1 - 2 * p)}, 3);
    }
    EXPECT(fe_drawbinomial(bits(1), 0, 0.5) == 0 && fe_drawbinomial(bits(1), 7, 0) == 0);
    EXPECT(fe_drawbinomial(bits(1), 7, 1) == 7 && isnan(fe_drawbinomial(bits(1), 7, NAN)));
}

TEST(gamma_numbers_have_their_moments)
{
    static const double SHAPES[] = {0.2, 0.9, 1, 2.5, 30};
    for (size_t k = 0; k < COUNT_OF(SHAPES); k++) {
        double a = SHAPES[k];
        expect(gamma_of, a, 0, (moments){a, a, 2 * a}, 2 + 4 / sqrt(a));
    }
    EXPECT(fe_drawgamma(bits(1), 0) == 0 && isnan(fe_drawgamma(bits(1), -1)));
}

TEST(a_number_drawn_follows_from_its_bits)
{
    for (uint64_t k = 0; k < 100; k++) {
        EXPECT(fe_drawgamma(bits(k), 0.4) == fe_drawgamma(bits(k), 0.4));
        EXPECT(fe_drawpoisson(bits(k), 25) == fe_drawpoisson(bits(k), 25));
    }
    EXPECT(fe_drawgamma(bits(0), 0.4) != fe_drawgamma(bits(1), 0.4));
}
