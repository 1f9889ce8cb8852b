/* rt_pack_integers.c - weights of 8 or 4 bits into panels, once, when an artifact is compiled
 * (rt_kernels.h).
 */
#include "rt_kernels.h"

typedef struct quantised_pack {
    int bits;
    int64_t n, k;
    const int8_t *b;
    int64_t stride_n, stride_k;
    uint32_t *packed;
} quantised_pack;

static uint32_t word_of(const quantised_pack *p, int64_t k, int64_t n)
{
    uint32_t word = 0, mask = (1u << p->bits) - 1;
    for (int at = 0; at < 32 / p->bits && k + at < p->k; at++) {
        uint32_t q = (uint32_t)p->b[(k + at) * p->stride_k + n * p->stride_n];
        word |= (q & mask) << (at * p->bits);
    }
    return word;
}

static void quantised_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const quantised_pack *p = context;
    int64_t per = 32 / p->bits, words = (p->k + per - 1) / per;
    for (int64_t panel = begin; panel < end; panel++)
        for (int64_t w = 0; w < words; w++)
            for (int64_t j = 0; j < RT_PANEL; j++) {
                int64_t n = panel * RT_PANEL + j;
                p->packed[(panel * words + w) * RT_PANEL + j] =
                    n < p->n ? word_of(p, w * per, n) : 0;
            }
}

size_t rt_quantised_packed_bytes(int bits, int64_t n, int64_t k)
{
    int64_t per = 32 / bits;
    return (size_t)((n + RT_PANEL - 1) / RT_PANEL * RT_PANEL * ((k + per - 1) / per)) *
           sizeof(uint32_t);
}

void rt_quantised_pack(rt_pool *pool, int bits, int64_t n, int64_t k, const int8_t *b,
                       int64_t stride_n, int64_t stride_k, uint32_t *packed)
{
    if (n <= 0 || k <= 0) return;
    quantised_pack p = {bits, n, k, b, stride_n, stride_k, packed};
    rt_parallel(pool, quantised_task, &p, (n + RT_PANEL - 1) / RT_PANEL, 1);
}
