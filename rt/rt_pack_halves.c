/* rt_pack_halves.c - matrices of numbers of 16 bits into panels (rt_kernels.h). */
#include "rt_kernels.h"
#include "rt_panel_halves.h"

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
        rt_words_pack(to, lines, p->b + panel * RT_PANEL * p->stride_n, p->stride_n, p->stride_k,
                      p->k, min64(RT_PANEL, p->n - panel * RT_PANEL));
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
