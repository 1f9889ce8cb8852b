/* special.c -- the counter-based random bits. (Functions that libm lacks stand in
 * rt/rt_special.c.) */
#include "loop/loop_priv.h"

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
