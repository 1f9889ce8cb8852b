/* rt_group_lanes.h - the tile of rt_group.c, of vectors of LANES: included once for each width. */
RT_INLINE void RT_OF(group_tile)(const rt_block *block, const rt_real *const *rows, int64_t m0,
                                 int64_t c, const int mr)
{
    RT_OF(vec) sum[MR], x[MR];
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++) sum[i] = (RT_OF(vec)){0};
    const rt_real *weight = block->packed + c;
    int64_t at = block->offset + c;
    for (int64_t tap = 0; tap < block->taps; tap++, rows += block->m, weight += 4 * RT_PANEL) {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) x[i] = RT_OF(load)(rows[i] + at);
#define STEP(k)                                                                              \
    {                                                                                        \
        RT_OF(vec) w = RT_OF(load)(weight + (k)*RT_PANEL);                                   \
        _Pragma("GCC unroll 16") for (int i = 0; i < mr; i++) sum[i] += SPREAD(x[i], k) * w; \
    }
        STEP(0)
        STEP(1)
        STEP(2)
        STEP(3)
#undef STEP
    }
    rt_real *y = block->c + m0 * block->ldc + c, low = block->low, high = block->high;
    if (block->load)
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) sum[i] += RT_OF(load)(y + i * block->ldc);
    RT_OF(vec) bias = block->bias ? RT_OF(load)(block->bias + c) : (RT_OF(vec)){0};
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++) sum[i] += bias;
    if (block->clamp)
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) sum[i] = RT_OF(clamp)(sum[i], low, high);
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++) RT_OF(store)(y + i * block->ldc, sum[i]);
}

#define TILE(mr)                                                                                 \
    static void RT_OF(group_##mr)(const rt_block *block, const rt_real *const *rows, int64_t m0, \
                                  int64_t c)                                                     \
    {                                                                                            \
        RT_OF(group_tile)(block, rows, m0, c, mr);                                               \
    }
RT_TILE_HEIGHTS(TILE)
#undef TILE

#define ROW(mr) RT_OF(group_##mr),
static void (*const RT_OF(group_tiles)[MR + 1])(const rt_block *, const rt_real *const *, int64_t,
                                                int64_t) = {0, RT_TILE_HEIGHTS(ROW)};
#undef ROW
#undef SPREAD
#undef LANES
