/* rt_depth_lanes.h - what rt_depthwise.c does to one vector of channels, for vectors of LANES: included once
 * for each width that it takes.
 */
RT_INLINE RT_OF(vec) RT_OF(bias)(const depthwise *s, int64_t c)
{
    return s->post.bias ? RT_OF(load)(s->post.bias + c) : (RT_OF(vec)){0};
}

RT_INLINE void RT_OF(finish)(const depthwise *s, rt_real *y, RT_OF(vec) sum)
{
    RT_OF(store)(y, s->post.clamp ? RT_OF(clamp)(sum, s->post.low, s->post.high) : sum);
}

/* Of as many output channels as there are lanes, `each` from one of input channels. */
RT_INLINE RT_OF(vec) RT_OF(take)(const rt_real *x, const int each)
{
#if LANES > 1
    if (each == 2) return RT_OF(TWICE_OF)(x);
    if (each == 4) return RT_OF(FOURFOLD_OF)(x);
#else
    (void)each;
#endif
    return RT_OF(load)(x);
}

/* `count` vectors of channels from c of one output pixel. */
RT_INLINE void RT_OF(pixel)(const depthwise *s, const taps *t, rt_real *y, int64_t c, int first,
                            int last, const int count, const int each)
{
    RT_OF(vec) sum[PIXEL_VECTORS];
#pragma GCC unroll 4
    for (int i = 0; i < count; i++) sum[i] = (RT_OF(vec)){0};
    for (int64_t k = 0; k < t->count; k++)
#pragma GCC unroll 4
        for (int i = 0; i < count; i++)
            sum[i] += RT_OF(take)(t->x[k] + (c + i * LANES) / each, each) *
                      RT_OF(load)(t->weight[k] + c + i * LANES);
    if (!first || s->post.accumulate)
#pragma GCC unroll 4
        for (int i = 0; i < count; i++) sum[i] += RT_OF(load)(y + c + i * LANES);
#pragma GCC unroll 4
    for (int i = 0; i < count; i++) {
        rt_real *to = y + c + i * LANES;
        if (last)
            RT_OF(finish)(s, to, sum[i] + RT_OF(bias)(s, c + i * LANES));
        else
            RT_OF(store)(to, sum[i]);
    }
}

/* One vector of channels of `count` neighbouring output pixels; the taps are window rows, `at` elements
 * further on. Of the input columns under them those from `first` to before `end` are inside, all unless at an
 * `edge`. The last window row is new to the cache: what the next strip needs of it is prefetched. */
RT_INLINE void RT_OF(strip)(const depthwise *s, const taps *t, rt_real *y, int64_t at, int64_t c,
                            int64_t first, int64_t end, const int width, const int stride,
                            const int edge, const int count)
{
    RT_OF(vec) sum[STRIP];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) sum[i] = (RT_OF(vec)){0};
    int64_t step = s->g->x[2], padded = s->padded;
    for (int64_t row = 0; row < t->count; row++) {
        const rt_real *x = t->x[row] + at + c, *weight = t->weight[row] + c;
        RT_OF(vec) w[7];
#pragma GCC unroll 7
        for (int k = 0; k < width; k++, weight += padded) w[k] = RT_OF(load)(weight);
#pragma GCC unroll 24
        for (int column = 0; column < (count - 1) * stride + width; column++, x += step) {
            if (edge && (column < first || column >= end)) continue;
            /* one load, not one in each multiply-add */
            RT_OF(vec) in = *(const volatile RT_OF(vec_loaded) *)x;
#pragma GCC unroll 8
            for (int i = 0; i < count; i++)
                if (column >= i * stride && column < i * stride + width)
                    sum[i] += in * w[column - i * stride];
        }
    }
    if (count == STRIP && !edge && t->count > 0) {
        const rt_real *next =
            t->x[t->count - 1] + at + c + (STRIP * stride + width - stride) * step;
#pragma GCC unroll 16
        for (int i = 0; i < STRIP * stride; i++, next += step) RT_PREFETCH(next);
    }
    RT_OF(vec) bias = RT_OF(bias)(s, c);
    int64_t y_row = s->g->y_row;
    y += c;
#pragma GCC unroll 8
    for (int i = 0; i < count; i++, y += y_row) RT_OF(finish)(s, y, sum[i] + bias);
}

/* The same of any window: each tap's weight is loaded once. */
RT_INLINE void RT_OF(strip_of_any)(const depthwise *s, const taps *t, rt_real *y, int64_t at,
                                   int64_t c, const int each, const int count)
{
    const rt_conv *g = s->g;
    RT_OF(vec) sum[STRIP];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) sum[i] = (RT_OF(vec)){0};
    int64_t tap_step = g->dilation[2] * g->x[2], step = g->stride[2] * g->x[2],
            width = g->kernel[2];
    for (int64_t row = 0; row < t->count; row++) {
        const rt_real *x = t->x[row] + at + c / each, *weight = t->weight[row] + c;
        for (int64_t k = 0; k < width; k++, x += tap_step, weight += s->padded) {
            RT_OF(vec) w = RT_OF(load)(weight);
#pragma GCC unroll 8
            for (int i = 0; i < count; i++) sum[i] += RT_OF(take)(x + i * step, each) * w;
        }
    }
    RT_OF(vec) bias = RT_OF(bias)(s, c);
    y += c;
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) RT_OF(finish)(s, y + i * g->y_row, sum[i] + bias);
}

#undef LANES
