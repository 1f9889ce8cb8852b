/* kern_function.c -- functions of kernel IR by their operations alone: conversions and random bits, against
 * what the interpreter of loops has. kern_math.c has the others.
 */
#include "kern/legal/legal.h"
#include "unit.h"

#include "../../rt/maths/rt_special.h"

#include <math.h>
#include <string.h>

static kern_number run_one(kern_library *library, const char *base, ty_dtype dtype, kern_number a,
                           kern_number b)
{
    const kern_function *f = kern_library_find(library, base, dtype, 1);
    kern_number args[] = {a, b, {0}};
    return f ? kern_function_run(f, args, library->memory) : (kern_number){.real = (double)NAN};
}

static uint32_t bits_of_float(double x)
{
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* All halves, and floats all over: one of some 600 thousand, and those next to a tie. */
static void check_halves(kern_library *library, ty_dtype half, const char *from, const char *to,
                         const char *there_and_back)
{
    uint32_t wrong = 0;
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        double x = ty_half_value(half, (uint16_t)bits);
        double got =
            run_one(library, from, TY_F32, (kern_number){.real = x}, (kern_number){0}).real;
        wrong += isnan(x) ? !isnan(got) : bits_of_float(x) != bits_of_float(got);
    }
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += bits % 7 ? 65537 - 600 : 600) {
        double x = (double)float_of_bits((uint32_t)bits);
        double got = run_one(library, to, TY_F32, (kern_number){.real = x}, (kern_number){0}).real;
        double wanted = ty_half_value(half, ty_half_bits(half, x));
        wrong += isnan(wanted) ? !isnan(got) : bits_of_float(wanted) != bits_of_float(got);
        if (!there_and_back) continue;
        got = run_one(library, there_and_back, TY_F32, (kern_number){.real = x}, (kern_number){0})
                  .real;
        wrong += isnan(wanted) ? !isnan(got) : bits_of_float(wanted) != bits_of_float(got);
    }
    EXPECT_INT(wrong, 0);
}

SESSION_TEST(halves_are_converted_exactly_by_operations_alone)
{
    kern_library *library = kern_library_new(target_named("baseline"), session->memory);
    check_halves(library, TY_F16, "fromhalf", "tohalf", NULL);
    check_halves(library, TY_BF16, "frombf", "tobf", "roundbf");
    for (uint32_t i = 0; i < library->functions.count; i++)
        FE_TRY(kern_check_function(library->functions.at[i], session));
    return FE_OK;
}

SESSION_TEST(random_bits_are_those_of_the_stream_by_operations_alone)
{
    kern_library *library = kern_library_new(target_named("baseline"), session->memory);
    uint32_t wrong = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t seed = 0x9E3779B97F4A7C15u * i, counter = i * i * i;
        kern_number a = {.integer = (int64_t)seed}, b = {.integer = (int64_t)counter};
        kern_number got = run_one(library, "randbits", TY_I64, a, b);
        wrong += (uint64_t)got.integer != fe_random_bits(seed, counter);
    }
    EXPECT_INT(wrong, 0);
    return FE_OK;
}
