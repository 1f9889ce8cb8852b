/* rt_pack_halves.c - matrices of numbers of 16 bits, and weights of convolutions of bf16, into panels
 * (rt_kernels.h, rt_half_windows.h). */
#include "rt_half.h"
#include "rt_half_windows.h"
#include "rt_panel_halves.h"

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

/* ---- convolutions ---- */

typedef struct windows_pack {
    const rt_conv *conv;
    const uint16_t *weight;
    int64_t strides[5];
    uint32_t *packed;
    const uint32_t *from; /* what is unpacked, */
    float *floats;        /* to there */
    int64_t positions, group_in, group_out, panels;
    int64_t lines; /* of a position */
} windows_pack;

static windows_pack windows_of(const rt_conv *conv)
{
    windows_pack p = {.conv = conv,
                      .positions = conv->kernel[0] * conv->kernel[1] * conv->kernel[2],
                      .group_in = conv->in_channels / conv->groups,
                      .group_out = conv->out_channels / conv->groups,
                      .lines = rt_half_channels(conv) / 2};
    p.panels = (p.group_out + RT_PANEL - 1) / RT_PANEL;
    return p;
}

static void set_strides(windows_pack *p, const int64_t *strides)
{
    const rt_conv *conv = p->conv;
    int64_t next = 1, inner = conv->transposed ? p->group_out : p->group_in;
    for (int axis = 4; axis >= 0; axis--) {
        p->strides[axis] = strides ? strides[axis] : next;
        next *= axis >= 2 ? conv->kernel[axis - 2] : axis == 1 ? inner : 1;
    }
}

/* From a group's weight of a position of the window. */
static int64_t weight_place(const windows_pack *p, int64_t group, int64_t position)
{
    const int64_t *kernel = p->conv->kernel, *strides = p->strides;
    int64_t w = position % kernel[2], h = position / kernel[2] % kernel[1],
            d = position / kernel[2] / kernel[1],
            outer = p->conv->transposed ? p->group_in : p->group_out;
    return group * outer * strides[0] + d * strides[2] + h * strides[3] + w * strides[4];
}

/* One position of one panel. */
static void windows_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const windows_pack *p = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t position = i % p->positions, panel = i / p->positions % p->panels,
                group = i / p->positions / p->panels, n0 = panel * RT_PANEL;
        uint32_t *to = p->packed + i * p->lines * RT_PANEL;
        int64_t stride_n = p->strides[p->conv->transposed ? 1 : 0],
                stride_k = p->strides[p->conv->transposed ? 0 : 1];
        rt_words_pack(to, p->lines, p->weight + weight_place(p, group, position) + n0 * stride_n,
                      stride_n, stride_k, p->group_in, min64(RT_PANEL, p->group_out - n0));
    }
}

size_t rt_half_conv_packed_bytes(const rt_conv *conv)
{
    windows_pack p = windows_of(conv);
    return (size_t)(conv->groups * p.panels * p.positions * p.lines * RT_PANEL) * sizeof(uint32_t);
}

void rt_half_conv_pack(rt_pool *pool, const rt_conv *conv, const uint16_t *weight,
                       const int64_t *strides, uint32_t *packed)
{
    windows_pack p = windows_of(conv);
    set_strides(&p, strides);
    p.weight = weight;
    p.packed = packed;
    if (p.lines == 0) return;
    rt_parallel(pool, windows_task, &p, conv->groups * p.panels * p.positions, 1);
}

static void unpack_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const windows_pack *p = context;
    for (int64_t i = begin; i < end; i++) {
        int64_t position = i % p->positions, panel = i / p->positions % p->panels,
                group = i / p->positions / p->panels, n0 = panel * RT_PANEL,
                width = min64(RT_PANEL, p->group_out - n0);
        const uint32_t *from = p->from + i * p->lines * RT_PANEL;
        int64_t step_n = p->strides[p->conv->transposed ? 1 : 0],
                step_k = p->strides[p->conv->transposed ? 0 : 1];
        float *to = p->floats + weight_place(p, group, position) + n0 * step_n;
        for (int64_t j = 0; j < width; j++)
            for (int64_t k = 0; k < p->group_in; k++) {
                uint32_t word = from[k / 2 * RT_PANEL + j];
                to[j * step_n + k * step_k] =
                    rt_float_of_bf16((uint16_t)(k % 2 ? word >> 16 : word));
            }
    }
}

void rt_half_conv_unpack(rt_pool *pool, const rt_conv *conv, const uint32_t *packed, float *weight)
{
    windows_pack p = windows_of(conv);
    set_strides(&p, NULL);
    p.from = packed;
    p.floats = weight;
    rt_parallel(pool, unpack_task, &p, conv->groups * p.panels * p.positions, 1);
}
