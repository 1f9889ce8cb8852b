/* special.c -- the functions that libm lacks, by opcode (they stand in rt/, so that generated code
 * calls the same), and the counter-based random bits. */
#include "loop/loop_priv.h"

static double (*const UNARY[LOOP_OPCODE_COUNT])(double) = {
    [LOOP_ERFINV] = fe_erfinv,     [LOOP_DIGAMMA] = fe_digamma,   [LOOP_BESSELJ0] = fe_besselj0,
    [LOOP_BESSELJ1] = fe_besselj1, [LOOP_BESSELY0] = fe_bessely0, [LOOP_BESSELY1] = fe_bessely1,
    [LOOP_AIRYAI] = fe_airyai};

static double (*const BINARY[LOOP_OPCODE_COUNT])(double, double) = {
    [LOOP_IGAMMA] = fe_igamma,       [LOOP_IGAMMAC] = fe_igammac,   [LOOP_HERMITEH] = fe_hermiteh,
    [LOOP_HERMITEHE] = fe_hermitehe, [LOOP_LAGUERRE] = fe_laguerre, [LOOP_LEGENDRE] = fe_legendre};

bool loop_special_apply(loop_opcode op, double a, double b, double *out)
{
    if (UNARY[op]) *out = UNARY[op](a);
    if (BINARY[op]) *out = BINARY[op](a, b);
    return UNARY[op] || BINARY[op];
}

/* Philox 2x32 with ten rounds over the counter, keyed by both halves of the seed in turn. */
uint64_t loop_random_bits(uint64_t seed, uint64_t counter)
{
    uint32_t low = (uint32_t)counter, high = (uint32_t)(counter >> 32) ^ (uint32_t)(seed >> 32);
    uint32_t key = (uint32_t)seed;
    for (int round = 0; round < 10; round++) {
        uint64_t product = (uint64_t)low * 0xD256D193u;
        low = (uint32_t)(product >> 32) ^ key ^ high;
        high = (uint32_t)product;
        key += 0x9E3779B9u;
    }
    return (uint64_t)high << 32 | low;
}
