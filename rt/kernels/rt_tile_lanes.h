/* rt_tile_lanes.h - the tile of rt_tile.c, of vectors of LANES: included once for each width. */
RT_INLINE void RT_OF(tile_store)(const rt_tile *t, RT_OF(vec) acc[MR][NV], const int mr,
                                 const int nv)
{
    rt_real *c = t->c, low = t->low, high = t->high;
    if (t->clamp) {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++)
                RT_OF(store)(c + i * t->ldc + j * LANES, RT_OF(clamp)(acc[i][j], low, high));
    } else {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) RT_OF(store)(c + i * t->ldc + j * LANES, acc[i][j]);
    }
}

/* One depth step: acc += the column a[.][k] times the row b. */
RT_INLINE void RT_OF(tile_step)(RT_OF(vec) acc[MR][NV], const rt_real *const *a, int64_t k,
                                const rt_real *b, const int mr, const int nv)
{
    RT_OF(vec) bv[NV];
#pragma GCC unroll 2
    for (int j = 0; j < nv; j++) bv[j] = RT_OF(load)(b + j * LANES);
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) acc[i][j] += bv[j] * a[i][k];
}

RT_INLINE void RT_OF(tile_start)(RT_OF(vec) acc[WAYS][MR][NV], const int mr, const int nv,
                                 const int ways)
{
#pragma GCC unroll 4
    for (int way = 0; way < ways; way++)
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) acc[way][i][j] = (RT_OF(vec)){0};
}

RT_INLINE void RT_OF(tile_bias)(const rt_tile *t, RT_OF(vec) acc[MR][NV], const int mr,
                                const int nv)
{
#pragma GCC unroll 2
    for (int j = 0; j < nv; j++) {
        RT_OF(vec) bias = RT_OF(load)(t->bias + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) acc[i][j] += bias;
    }
}

/* Sums of a part of the depth join those of the parts before: an error of the sum so far is made once a
 * part, not at every step. */
RT_INLINE void RT_OF(tile_join)(RT_OF(vec) total[MR][NV], RT_OF(vec) acc[WAYS][MR][NV], int first,
                                const int mr, const int nv, const int ways)
{
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) {
            RT_OF(vec) sum = acc[0][i][j];
#pragma GCC unroll 4
            for (int way = 1; way < ways; way++) sum += acc[way][i][j];
            total[i][j] = first ? sum : total[i][j] + sum;
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++) acc[way][i][j] = (RT_OF(vec)){0};
        }
}

/* Depth from k to end. `ways` sets of sums take turns, so that a small tile has multiply-adds enough to
 * hide their latency. */
RT_INLINE const rt_real *RT_OF(tile_run)(RT_OF(vec) acc[WAYS][MR][NV], const rt_real *const *a,
                                         int64_t k, int64_t end, const rt_real *b,
                                         const char **ahead, int64_t step, const int mr,
                                         const int nv, const int ways)
{
    const char *prefetch = *ahead;
    if (ways > 1)
        for (; k + ways <= end; k += ways)
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++, b += RT_PANEL, prefetch += step) {
                RT_OF(tile_step)(acc[way], a, k + way, b, mr, nv);
                RT_PREFETCH(prefetch);
                RT_PREFETCH(prefetch + 64);
            }
    for (; k < end; k++, b += RT_PANEL, prefetch += step) {
        RT_OF(tile_step)(acc[0], a, k, b, mr, nv);
        RT_PREFETCH(prefetch);
        if (NR * sizeof(rt_real) > RT_LINE) RT_PREFETCH(prefetch + RT_LINE);
    }
    *ahead = prefetch;
    return b;
}

RT_INLINE void RT_OF(tile_body)(const rt_tile *t, const int mr, const int nv, const int ways)
{
    RT_OF(vec) acc[WAYS][MR][NV], total[MR][NV];
    RT_OF(tile_start)(acc, mr, nv, ways);
    const rt_real *b = t->b;
    const char *prefetch = t->prefetch;
    const rt_real *const *rows = t->rows;
    const int64_t part = (t->fine ? RT_FINE_PART : RT_DEPTH_PART) * ways;
    int64_t left = part;
    int first = 1;
    for (int64_t tap = 0; tap < t->taps; tap++, rows += mr) {
        const rt_real *a[MR];
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) a[i] = rows[i] + t->offset;
        for (int64_t k = 0, end; k < t->run; k = end) {
            if (left == 0) {
                RT_OF(tile_join)(total, acc, first, mr, nv, ways);
                left = part;
                first = 0;
            }
            end = rt_min(t->run, k + left);
            left -= end - k;
            b = RT_OF(tile_run)(acc, a, k, end, b, &prefetch, t->prefetch_step, mr, nv, ways);
        }
    }
    RT_OF(tile_join)(total, acc, first, mr, nv, ways);
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
        for (int j = 0; j < nv; j++) acc[0][i][j] = total[i][j];
    /* What is large already comes last, and does not swallow small products one by one. */
    if (t->load) {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) acc[0][i][j] += RT_OF(load)(t->c + i * t->ldc + j * LANES);
    }
    if (t->scale) {
        rt_real alpha = t->alpha;
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 2
            for (int j = 0; j < nv; j++) acc[0][i][j] *= alpha;
    }
    if (t->bias) RT_OF(tile_bias)(t, acc[0], mr, nv);
    RT_OF(tile_store)(t, acc[0], mr, nv);
}

#undef LANES
