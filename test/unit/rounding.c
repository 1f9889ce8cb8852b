/* rounding.c -- floats as integers of 8 and 4 bits. */
#include "pass/rounding.h"

#include "unit.h"

#include <math.h>

static float any(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24) - 0.5f;
}

TEST(rows_round_to_the_nearest_of_255)
{
    float row[100];
    int8_t q[100];
    uint32_t state = 1;
    rounding_error e = {0};
    for (int i = 0; i < 100; i++) row[i] = any(&state);
    row[7] = -2;
    float scale = rounding_row(row, 100, q);
    EXPECT(scale == 2.f / 127 && q[7] == -127);
    rounding_measure(&e, row, q, 100, scale, 0);
    EXPECT(e.most <= (double)scale * 0.5001);
    EXPECT(e.largest == 2);
}

TEST(rows_of_zeros_stay_zeros)
{
    float row[3] = {0, -0.f, 1e-45f};
    int8_t q[3];
    EXPECT(rounding_row(row, 2, q) == 1 && q[0] == 0 && q[1] == 0);
    EXPECT(isfinite(rounding_row(row, 3, q)) && q[0] == 0);
}

/* The largest error of one group, in parts of its range. */
static double off(const float *group)
{
    int8_t q[ROUNDING_GROUP];
    float scale, zero, least = group[0], most = group[0];
    rounding_error e = {0};
    rounding_group(group, q, &scale, &zero);
    rounding_measure(&e, group, q, ROUNDING_GROUP, scale, zero);
    for (int i = 0; i < ROUNDING_GROUP; i++) {
        EXPECT(q[i] >= -8 && q[i] <= 7);
        least = fminf(least, group[i]);
        most = fmaxf(most, group[i]);
    }
    return most > least ? e.most / (double)(most - least) : e.most;
}

TEST(groups_lie_between_their_least_and_their_most)
{
    float group[ROUNDING_GROUP];
    uint32_t state = 2;
    for (int turn = 0; turn < 100; turn++) {
        for (int i = 0; i < ROUNDING_GROUP; i++) group[i] = any(&state) + (float)turn;
        EXPECT(off(group) < 1.5 / 15);
    }
    for (int i = 0; i < ROUNDING_GROUP; i++) group[i] = (float)(i % 16);
    EXPECT(off(group) < 1e-6); /* sixteen values that lie evenly are what four bits hold */
}

TEST(groups_of_one_value_keep_it)
{
    static const float values[] = {0, 0.3f, -7e30f, 1e-40f, 3.4e38f};
    for (size_t k = 0; k < COUNT_OF(values); k++) {
        float group[ROUNDING_GROUP];
        for (int i = 0; i < ROUNDING_GROUP; i++) group[i] = values[k];
        EXPECT(off(group) <= fabs((double)values[k]) * 1e-6);
    }
    float wide[ROUNDING_GROUP] = {3e38f, -3e38f};
    EXPECT(isfinite(off(wide)));
}
