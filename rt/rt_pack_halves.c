/* rt_pack_halves.c - matrices of numbers of 16 bits into panels (rt_kernels.h). */
#include "rt_kernels.h"
#include "rt_turn.h"

#include <string.h>

typedef struct halves_pack {
    int is_bf16;
    int64_t n, k;
    const uint16_t *b;
    int64_t stride_n, stride_k;
    uint32_t *packed;
} halves_pack;

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Words of two steps, of columns that lie one behind the other. */
static void words_by_columns(const halves_pack *p, const uint16_t *b, int64_t width, uint32_t *to)
{
    for (int64_t k = 0; k < p->k; k += 2, to += RT_PANEL) {
        int has_odd = k + 1 < p->k;
        const uint16_t *even = b + k * p->stride_k, *odd = even + (has_odd ? p->stride_k : 0);
        for (int64_t j = 0; j < width; j++)
            to[j] = even[j] | (has_odd ? (uint32_t)odd[j] << 16 : 0);
    }
}

/* The same where steps lie one behind the other: a transposition of words, by squares of four. */
static void words_by_depth(const halves_pack *p, const uint16_t *b, int64_t width, uint32_t *to)
{
    enum { SIDE = 4 };
    float square[SIDE * SIDE]; /* words, that are moved alone */
    int64_t w = 0, words = p->k / 2;
    for (; w + SIDE <= words; w += SIDE)
        for (int64_t j = 0; j < width; j += SIDE) {
            int64_t columns = min64(SIDE, width - j);
            memset(square, 0, sizeof square);
            for (int64_t i = 0; i < columns; i++)
                memcpy(square + i * SIDE, b + (j + i) * p->stride_n + 2 * w, SIDE * sizeof *square);
            rt_turn_square(square, SIDE, (float *)(void *)(to + w * RT_PANEL + j), RT_PANEL);
        }
    for (; w < words; w++)
        for (int64_t j = 0; j < width; j++)
            memcpy(to + w * RT_PANEL + j, b + j * p->stride_n + 2 * w, sizeof *to);
    for (int64_t j = 0; p->k % 2 && j < width; j++)
        to[w * RT_PANEL + j] = b[j * p->stride_n + 2 * w];
}

static void words_of_any(const halves_pack *p, const uint16_t *b, int64_t width, uint32_t *to)
{
    for (int64_t k = 0; k < p->k; k += 2, to += RT_PANEL)
        for (int64_t j = 0; j < width; j++) {
            const uint16_t *at = b + j * p->stride_n + k * p->stride_k;
            to[j] = at[0] | (k + 1 < p->k ? (uint32_t)at[p->stride_k] << 16 : 0);
        }
}

/* A line of words as one step after the other. */
static void part_line(uint32_t *line)
{
    uint16_t parts[2 * RT_PANEL];
    for (int j = 0; j < RT_PANEL; j++) {
        parts[j] = (uint16_t)line[j];
        parts[RT_PANEL + j] = (uint16_t)(line[j] >> 16);
    }
    memcpy(line, parts, sizeof parts);
}

static void halves_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const halves_pack *p = context;
    int64_t lines = (p->k + 1) / 2;
    for (int64_t panel = begin; panel < end; panel++) {
        uint32_t *to = p->packed + panel * lines * RT_PANEL;
        const uint16_t *b = p->b + panel * RT_PANEL * p->stride_n;
        int64_t width = min64(RT_PANEL, p->n - panel * RT_PANEL);
        if (width < RT_PANEL) memset(to, 0, (size_t)(lines * RT_PANEL) * sizeof *to);
        if (p->stride_n == 1)
            words_by_columns(p, b, width, to);
        else if (p->stride_k == 1)
            words_by_depth(p, b, width, to);
        else
            words_of_any(p, b, width, to);
        for (int64_t i = 0; !p->is_bf16 && i < lines; i++) part_line(to + i * RT_PANEL);
    }
}

size_t rt_halves_packed_bytes(int64_t n, int64_t k)
{
    return (size_t)((n + RT_PANEL - 1) / RT_PANEL * RT_PANEL * ((k + 1) / 2)) * sizeof(uint32_t);
}

void rt_halves_pack(rt_pool *pool, int is_bf16, int64_t n, int64_t k, const uint16_t *b,
                    int64_t stride_n, int64_t stride_k, uint32_t *packed)
{
    if (n <= 0 || k <= 0) return;
    halves_pack p = {is_bf16, n, k, b, stride_n, stride_k, packed};
    rt_parallel(pool, halves_task, &p, (n + RT_PANEL - 1) / RT_PANEL, 1);
}
