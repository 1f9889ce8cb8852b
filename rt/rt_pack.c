/* rt_pack.c - weights into panels, once, when an artifact is compiled. The layout is described in
 * rt_kernels.h.
 *
 * Work is handed out in panels; rt_panel.h does one.
 */
#include "rt_panel.h"
#include "rt_phase.h"

typedef struct pack {
    int64_t n, k;
    const rt_real *b;
    int64_t stride_n, stride_k;
    rt_real *packed;
} pack;

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void pack_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const pack *p = context;
    for (int64_t panel = begin; panel < end; panel++) {
        const rt_real *b = p->b + panel * RT_PANEL * p->stride_n;
        rt_real *out = p->packed + panel * RT_PANEL * p->k;
        int64_t width = min64(RT_PANEL, p->n - panel * RT_PANEL);
        rt_panel_pack(out, b, p->stride_n, p->stride_k, p->k, width);
    }
}

size_t RT_TYPED(rt_gemm_packed_bytes)(int64_t n, int64_t k)
{
    return (size_t)((n + RT_PANEL - 1) / RT_PANEL * RT_PANEL * k) * sizeof(rt_real);
}

void RT_TYPED(rt_gemm_pack)(rt_pool *pool, int64_t n, int64_t k, const rt_real *b, int64_t stride_n,
                            int64_t stride_k, rt_real *packed)
{
    if (n <= 0 || k <= 0) return;
    pack p = {n, k, b, stride_n, stride_k, packed};
    rt_parallel(pool, pack_task, &p, (n + RT_PANEL - 1) / RT_PANEL, 1);
}

/* ---- convolution weights ---- */

typedef struct conv_pack {
    const rt_conv *conv;
    const rt_real *weight;
    int64_t strides[5];
    rt_real *packed;
    int64_t taps, group_in, group_out, group_numbers;
    int64_t group_step, out_step, in_step; /* in the weight */
} conv_pack;

/* Weight element of output channel o, tap, input channel i of the group. */
static rt_real weight_at(const conv_pack *p, int64_t o, int64_t tap, int64_t i)
{
    const int64_t *kernel = p->conv->kernel;
    int64_t w = tap % kernel[2], h = tap / kernel[2] % kernel[1], d = tap / kernel[2] / kernel[1];
    return p->weight[o * p->strides[0] + i * p->strides[1] + d * p->strides[2] + h * p->strides[3] +
                     w * p->strides[4]];
}

/* One panel of one group, or of all that share panels: [tap][channel][RT_PANEL]. */
static void conv_pack_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const conv_pack *p = context;
    int64_t panels = (p->group_out + RT_PANEL - 1) / RT_PANEL;
    for (int64_t index = begin; index < end; index++) {
        int64_t group = index / panels, panel = index % panels;
        int64_t depth = p->taps * p->group_in;
        rt_real *out = p->packed + group * p->group_numbers + panel * depth * RT_PANEL;
        int64_t width = min64(RT_PANEL, p->group_out - panel * RT_PANEL);
        const rt_real *weight = p->weight + group * p->group_step + panel * RT_PANEL * p->out_step;
        if (width < RT_PANEL) memset(out, 0, (size_t)(depth * RT_PANEL) * sizeof *out);
        for (int64_t j = 0; j < width; j++)
            for (int64_t tap = 0; tap < p->taps; tap++) {
                const int64_t *kernel = p->conv->kernel;
                int64_t w = tap % kernel[2], h = tap / kernel[2] % kernel[1],
                        d = tap / kernel[2] / kernel[1];
                const rt_real *from = weight + j * p->out_step + d * p->strides[2] +
                                      h * p->strides[3] + w * p->strides[4];
                int64_t place =
                    p->conv->transposed ? rt_packed_tap(p->conv, (int64_t[]){d, h, w}) : tap;
                rt_real *to = out + place * p->group_in * RT_PANEL + j;
                for (int64_t i = 0; i < p->group_in; i++) to[i * RT_PANEL] = from[i * p->in_step];
            }
    }
}

/* Depthwise: [tap][channels rounded up to RT_PANEL]. */
static void depthwise_pack(const conv_pack *p)
{
    int64_t channels = p->conv->out_channels;
    int64_t padded = (channels + RT_PANEL - 1) / RT_PANEL * RT_PANEL;
    for (int64_t tap = 0; tap < p->taps; tap++)
        for (int64_t c = 0; c < padded; c++)
            p->packed[tap * padded + c] = c < channels ? weight_at(p, c, tap, 0) : 0;
}

/* ---- transformed ones ---- */

/* Of F(2x2,3x3) and F(4x4,3x3): rt_winograd.c has the other transforms. */
#define ROOT 1.41421356237309504880
static const double filter_lines[2][6][3] = {
    {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
    {{1, 0, 0},
     {-2 / 3.0, -ROOT / 3, -1 / 3.0},
     {-2 / 3.0, ROOT / 3, -1 / 3.0},
     {1 / 6.0, ROOT / 6, 1 / 3.0},
     {1 / 6.0, -ROOT / 6, 1 / 3.0},
     {0, 0, 1}}};

/* Position (row, column) of the transformed taps. */
static double filter_value(const double (*lines)[3], const double *taps, int64_t row,
                           int64_t column)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) sum += lines[row][i] * taps[3 * i + j] * lines[column][j];
    return sum;
}

/* One panel: [position][channel][RT_PANEL]. */
static void filter_pack_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const conv_pack *p = context;
    int64_t size = p->conv->tile + 2, channels = p->group_in, positions = size * size;
    const double(*lines)[3] = filter_lines[p->conv->tile == 4];
    for (int64_t index = begin; index < end; index++) {
        int64_t o = index / channels, i = index % channels;
        rt_real *out = p->packed + o / RT_PANEL * positions * channels * RT_PANEL + i * RT_PANEL +
                       o % RT_PANEL;
        double taps[9] = {0};
        for (int64_t tap = 0; tap < 9 && o < p->group_out; tap++)
            taps[tap] = (double)weight_at(p, o, tap, i);
        for (int64_t k = 0; k < positions; k++)
            out[k * channels * RT_PANEL] = (rt_real)filter_value(lines, taps, k / size, k % size);
    }
}

size_t RT_TYPED(rt_conv_packed_bytes)(const rt_conv *conv)
{
    int64_t size = conv->tile + 2;
    if (conv->tile)
        return RT_TYPED(rt_gemm_packed_bytes)(conv->out_channels, size * size * conv->in_channels);
    int64_t taps = conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
    if (rt_conv_is_depthwise(conv)) return RT_TYPED(rt_gemm_packed_bytes)(conv->out_channels, taps);
    if (rt_conv_shares_panels(conv))
        return RT_TYPED(rt_gemm_packed_bytes)(conv->out_channels,
                                              taps * (conv->in_channels / conv->groups));
    return (size_t)conv->groups *
           RT_TYPED(rt_gemm_packed_bytes)(conv->out_channels / conv->groups,
                                          taps * (conv->in_channels / conv->groups));
}

void RT_TYPED(rt_conv_pack)(rt_pool *pool, const rt_conv *conv, const rt_real *weight,
                            const int64_t *strides, rt_real *packed)
{
    conv_pack p = {.conv = conv, .weight = weight, .packed = packed};
    p.taps = conv->kernel[0] * conv->kernel[1] * conv->kernel[2];
    p.group_in = conv->in_channels / conv->groups;
    p.group_out = conv->out_channels / conv->groups;
    int64_t next = 1;
    for (int axis = 4; axis >= 0; axis--) {
        int64_t inner = conv->transposed ? p.group_out : p.group_in;
        int64_t size = axis >= 2 ? conv->kernel[axis - 2] : axis == 1 ? inner : 0;
        p.strides[axis] = strides ? strides[axis] : next;
        next *= size;
    }
    p.out_step = p.strides[conv->transposed ? 1 : 0];
    p.in_step = p.strides[conv->transposed ? 0 : 1];
    p.group_step = p.strides[0] * (conv->transposed ? p.group_in : p.group_out);
    if (rt_conv_is_depthwise(conv)) {
        depthwise_pack(&p);
        return;
    }
    int64_t groups = conv->groups;
    if (rt_conv_shares_panels(conv)) p.group_out = conv->out_channels, groups = 1;
    int64_t panels = (p.group_out + RT_PANEL - 1) / RT_PANEL;
    if (conv->tile) {
        rt_parallel(pool, filter_pack_task, &p, panels * RT_PANEL * p.group_in, 64);
        return;
    }
    p.group_numbers = panels * RT_PANEL * p.taps * p.group_in;
    rt_parallel(pool, conv_pack_task, &p, panels * groups, 1);
}
