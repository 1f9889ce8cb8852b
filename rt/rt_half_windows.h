/* rt_half_windows.h - how packed weights of a convolution of bf16 lie, for what packs and what reads them:
 * for each group panels of [position of the window][lines of two channels][RT_PANEL words] (rt_kernels.h).
 *
 * A tap is a stretch of depth that is contiguous in the input: the channels of a pixel, or, of few channels,
 * of a row of the window. It is cut into tiles of the same depth, for which channels are added that are zero.
 */
#ifndef RT_HALF_WINDOWS_H
#define RT_HALF_WINDOWS_H

#include "rt_kernels.h"

/* Tiles of as many steps each, an even number, that an even depth is cut into. */
static inline int64_t rt_half_tiles_of(int64_t depth)
{
    int64_t tiles = (depth + RT_HALF_CONV_STEPS - 1) / RT_HALF_CONV_STEPS;
    while (tiles && depth % (2 * tiles)) tiles++;
    return tiles;
}

/* Of a pixel, whole tiles of as many. */
static inline int64_t rt_half_pixel_channels(int64_t channels)
{
    int64_t tiles = (channels + RT_HALF_CONV_STEPS - 1) / RT_HALF_CONV_STEPS;
    return tiles ? 2 * tiles * ((channels + 2 * tiles - 1) / (2 * tiles)) : 0;
}

/* Are taps rows of the window? */
static inline int rt_half_takes_rows(const rt_conv *conv)
{
    int64_t each = conv->in_channels / conv->groups, columns = conv->kernel[2];
    if (conv->transposed || columns == 1 || conv->dilation[2] != 1) return 0;
    return rt_half_tiles_of(columns * ((each + 1) / 2 * 2)) <
           columns * rt_half_tiles_of(rt_half_pixel_channels(each));
}

/* Of a group, with those that are zero. */
static inline int64_t rt_half_channels(const rt_conv *conv)
{
    int64_t each = conv->in_channels / conv->groups;
    return rt_half_takes_rows(conv) ? (each + 1) / 2 * 2 : rt_half_pixel_channels(each);
}

#endif
