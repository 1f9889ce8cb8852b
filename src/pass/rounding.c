/* rounding.c -- rows of floats as integers of 8 or 4 bits. */
#include "pass/rounding.h"

#include <math.h>

enum {
    HIGHEST = 127, /* of 8 bits, either side */
    STEPS = 15,    /* of 4 bits, from the least to the most */
    LOWEST4 = -8,
    RANGES = 4, /* that are tried for a group: more gain nothing to speak of */
};
static const float RANGE_STEPS[RANGES] = {14.1f, 14.7f, 15.3f, 15.9f};

/* To the nearest integer, of magnitudes below 2^22: adding it leaves no room for a fraction. */
static float nearest(float x)
{
    const float whole = 12582912.f; /* 1.5 * 2^23 */
    return (x + whole) - whole;
}

float rounding_row(const float *row, int64_t count, int8_t *q)
{
    float largest = 0;
    for (int64_t i = 0; i < count; i++) largest = fabsf(row[i]) > largest ? fabsf(row[i]) : largest;
    float scale = largest / HIGHEST;
    if (scale == 0 || !isfinite(1 / scale)) scale = 1; /* zeros, and what rounds to them */
    for (int64_t i = 0; i < count; i++) q[i] = (int8_t)nearest(row[i] / scale);
    return scale;
}

/* A line through the floats over their integers 0 .. STEPS. */
typedef struct line {
    float scale, least, error; /* error: its sum of squares */
} line;

static void round_to(const float *group, float least, float by, float *level)
{
    for (int i = 0; i < ROUNDING_GROUP; i++) {
        float x = nearest((group[i] - least) * by);
        level[i] = x < 0 ? 0 : x > STEPS ? STEPS : x;
    }
}

static float squares_of(const float *group, const float *level, float scale, float least)
{
    float sum = 0;
    for (int i = 0; i < ROUNDING_GROUP; i++) {
        float off = level[i] * scale + least - group[i];
        sum += off * off;
    }
    return sum;
}

/* Least squares. */
static line fit(const float *group, const float *level)
{
    float levels = 0, products = 0, squares = 0, sum = 0;
    for (int i = 0; i < ROUNDING_GROUP; i++) {
        levels += level[i];
        squares += level[i] * level[i];
        products += level[i] * group[i];
        sum += group[i];
    }
    float spread = ROUNDING_GROUP * squares - levels * levels;
    line l = {.error = INFINITY};
    if (!(spread > 0)) return l;
    l.scale = (ROUNDING_GROUP * products - levels * sum) / spread;
    l.least = (squares * sum - levels * products) / spread;
    if (l.scale > 0) l.error = squares_of(group, level, l.scale, l.least);
    return l;
}

static void keep(const float *level, int8_t *q)
{
    for (int i = 0; i < ROUNDING_GROUP; i++) q[i] = (int8_t)(level[i] + LOWEST4);
}

/* All floats are alike, or as good as. */
static void keep_one(float value, int8_t *q, float *scale, float *zero)
{
    for (int i = 0; i < ROUNDING_GROUP; i++) q[i] = 0;
    *scale = value == 0 ? 1 : value;
    *zero = value == 0 ? 0 : -1;
}

void rounding_group(const float group[ROUNDING_GROUP], int8_t q[ROUNDING_GROUP], float *scale,
                    float *zero)
{
    float least = group[0], most = group[0], level[ROUNDING_GROUP];
    for (int i = 1; i < ROUNDING_GROUP; i++) {
        least = group[i] < least ? group[i] : least;
        most = group[i] > most ? group[i] : most;
    }
    float step = (most - least) / STEPS;
    if (!isfinite(1 / step) || !isfinite(step) || !isfinite(least / step)) {
        keep_one(least / 2 + most / 2, q, scale, zero);
        return;
    }
    round_to(group, least, 1 / step, level);
    line best = {step, least, squares_of(group, level, step, least)};
    keep(level, q);
    for (int i = 0; i < RANGES; i++) {
        round_to(group, least, RANGE_STEPS[i] / (most - least), level);
        line l = fit(group, level);
        if (!(l.error < best.error)) continue;
        best = l;
        keep(level, q);
    }
    *scale = best.scale;
    *zero = (float)LOWEST4 - best.least / best.scale;
}

void rounding_measure(rounding_error *e, const float *row, const int8_t *q, int64_t count,
                      float scale, float zero)
{
    for (int64_t i = 0; i < count; i++) {
        double x = (double)row[i], off = fabs((double)(((float)q[i] - zero) * scale) - x);
        e->squares += off * off;
        e->of += x * x;
        if (off > e->most) e->most = off;
        if (fabs(x) > e->largest) e->largest = fabs(x);
    }
}
