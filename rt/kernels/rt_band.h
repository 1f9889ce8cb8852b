/* rt_band.h - rows of a convolution's input as tasks copy them: padded, channels last, from any strides. */
#ifndef RT_BAND_H
#define RT_BAND_H

#include "rt_isa.h"
#include "rt_turn.h"

/* From a pixel to the next one, of all images, where they are evenly spaced; else -1. */
RT_INLINE int64_t rt_pixel_spacing(int64_t batch, const int64_t *sizes, int64_t batch_stride,
                                   const int64_t *strides)
{
    int64_t spacing = 0, inner = 1;
    for (int axis = 2; axis >= -1; axis--) {
        int64_t size = axis >= 0 ? sizes[axis] : batch,
                stride = axis >= 0 ? strides[axis] : batch_stride;
        if (size == 1) continue;
        if (inner == 1) spacing = stride;
        if (stride != spacing * inner) return -1;
        inner *= size;
    }
    return spacing;
}

/* `count` pixels of some channels, to `pitch` numbers apart. */
RT_INLINE void rt_copy_pixels(const rt_real *from, int64_t pixel, int64_t channel, int64_t count,
                              int64_t channels, rt_real *to, int64_t pitch)
{
    enum { AT_ONCE = 16 };
    if (channels == 1) channel = 1;
    if (channel == 1 && pixel == channels && pitch == channels) {
        memcpy(to, from, (size_t)(count * channels) * sizeof *to);
    } else if (channel == 1) {
        for (int64_t w = 0; w < count; w++)
            memcpy(to + w * pitch, from + w * pixel, (size_t)channels * sizeof *to);
    } else if (channels == 3 && pitch == 3) {
        for (int64_t w = 0; w < count; w++, from += pixel) {
            to[3 * w] = from[0];
            to[3 * w + 1] = from[channel];
            to[3 * w + 2] = from[2 * channel];
        }
    } else if (pixel == 1) {
        rt_turn(from, channel, count, channels, to, pitch);
    } else {
        for (int64_t w0 = 0; w0 < count; w0 += AT_ONCE)
            for (int64_t c = 0; c < channels; c++)
                for (int64_t w = w0; w < rt_min(w0 + AT_ONCE, count); w++)
                    to[w * pitch + c] = from[w * pixel + c * channel];
    }
}

/* `width` pixels of some channels of an input row (NULL: there is none), from the one under output column
 * `column` on, with zeros outside of it, to [width][channels]. */
RT_INLINE void rt_band_row(const rt_conv *g, const rt_real *row, int64_t column, int64_t width,
                           int64_t channels, rt_real *to)
{
    int64_t from = column * g->stride[2] - g->pad[2];
    int64_t first = rt_min(rt_max(-from, 0), width),
            last = rt_max(rt_min(g->in[2] - from, width), first);
    if (!row) first = last = width;
    memset(to, 0, (size_t)(first * channels) * sizeof *to);
    if (last > first)
        rt_copy_pixels(row + (from + first) * g->x[2], g->x[2], g->x_channel, last - first,
                       channels, to + first * channels, channels);
    memset(to + last * channels, 0, (size_t)((width - last) * channels) * sizeof *to);
}

#endif
