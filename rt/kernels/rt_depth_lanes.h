/* rt_depth_lanes.h - what rt_depthwise.c does to one vector of channels, for vectors of LANES: included once for
 * each width that it takes.
 */
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define OF(name) PASTE(name, LANES)

#if LANES == 1
typedef float OF(vec_), OF(loaded_);
typedef uint32_t OF(mask_);
#define LESS(a, b) (0u - ((a) < (b)))
#define BITS v_bits
#define OF_BITS v_of_bits
#else
typedef float OF(vec_) __attribute__((vector_size(LANES * 4)));
typedef float OF(loaded_) __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t OF(mask_) __attribute__((vector_size(LANES * 4)));
#define LESS(a, b) ((a) < (b))
#define BITS (OF(mask_))
#define OF_BITS (OF(vec_))
#endif

RT_INLINE OF(vec_) OF(load_)(const float *p)
{
    return *(const OF(loaded_) *)p;
}

RT_INLINE OF(vec_) OF(start_)(const depthwise *s, int64_t c)
{
    return s->post.bias ? OF(load_)(s->post.bias + c) : (OF(vec_)){0};
}

RT_INLINE void OF(finish_)(const depthwise *s, float *y, OF(vec_) sum, int clamp)
{
    if (clamp) { /* NaN stays */
        OF(vec_) low = s->post.low - (OF(vec_)){0}, high = s->post.high - (OF(vec_)){0};
        OF(mask_) below = LESS(sum, low);
        sum = OF_BITS((BITS(low) & below) | (BITS(sum) & ~below));
        OF(mask_) above = LESS(high, sum);
        sum = OF_BITS((BITS(high) & above) | (BITS(sum) & ~above));
    }
    *(OF(loaded_) *)y = sum;
}

/* `count` vectors of channels from c of one output pixel. */
RT_INLINE void OF(pixel_)(const depthwise *s, const taps *t, float *y, int64_t c, int first,
                          int last, const int count)
{
    OF(vec_) sum[PIXEL_VECTORS];
#pragma GCC unroll 4
    for (int i = 0; i < count; i++) sum[i] = first ? OF(start_)(s, c + i * LANES) : (OF(vec_)){0};
    for (int64_t k = 0; k < t->count; k++)
#pragma GCC unroll 4
        for (int i = 0; i < count; i++)
            sum[i] += OF(load_)(t->x[k] + c + i * LANES) * OF(load_)(t->weight[k] + c + i * LANES);
    if (!first || s->post.accumulate)
#pragma GCC unroll 4
        for (int i = 0; i < count; i++) sum[i] += OF(load_)(y + c + i * LANES);
#pragma GCC unroll 4
    for (int i = 0; i < count; i++)
        OF(finish_)(s, y + c + i * LANES, sum[i], last && s->post.clamp);
}

/* One vector of channels of `count` neighbouring output pixels; the taps are window rows, inside
 * along the width, `at` elements further on. The last window row is new to the cache: what the next
 * strip needs of it is prefetched. */
RT_INLINE void OF(strip_)(const depthwise *s, const taps *t, float *y, int64_t at, int64_t c,
                          const int width, const int stride, const int count)
{
    OF(vec_) sum[STRIP];
    OF(vec_) start = OF(start_)(s, c);
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) sum[i] = start;
    int64_t step = s->g->x[2], padded = s->padded;
    for (int64_t row = 0; row < t->count; row++) {
        const float *x = t->x[row] + at + c, *weight = t->weight[row] + c;
        OF(vec_) w[7];
#pragma GCC unroll 7
        for (int k = 0; k < width; k++, weight += padded) w[k] = OF(load_)(weight);
#pragma GCC unroll 24
        for (int column = 0; column < (count - 1) * stride + width; column++, x += step) {
            /* one load, not one in each multiply-add */
            OF(vec_) in = *(const volatile OF(loaded_) *)x;
#pragma GCC unroll 8
            for (int i = 0; i < count; i++)
                if (column >= i * stride && column < i * stride + width)
                    sum[i] += in * w[column - i * stride];
        }
    }
    if (count == STRIP && t->count > 0) {
        const float *next = t->x[t->count - 1] + at + c + (STRIP * stride + width - stride) * step;
#pragma GCC unroll 16
        for (int i = 0; i < STRIP * stride; i++, next += step) RT_PREFETCH(next);
    }
    int64_t y_row = s->g->y_row;
    y += c;
#pragma GCC unroll 8
    for (int i = 0; i < count; i++, y += y_row) OF(finish_)(s, y, sum[i], s->post.clamp);
}

#undef PASTE2
#undef PASTE
#undef OF
#undef LESS
#undef BITS
#undef OF_BITS
#undef LANES
