/* rt_tile_lanes.h - the tile of rt_tile.c, of vectors of LANES: included once for each width. */
RT_INLINE void RT_OF(tile_store)(const rt_tile *t, RT_OF(vec) acc[MR][NV_MOST], const int mr,
                                 const int nv)
{
    rt_real *c = t->c, low = t->low, high = t->high;
    if (t->clamp) {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++)
                RT_OF(store)(c + i * t->ldc + j * LANES, RT_OF(clamp)(acc[i][j], low, high));
    } else {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++) RT_OF(store)(c + i * t->ldc + j * LANES, acc[i][j]);
    }
}

/* One depth step: acc += the column a[.][k] times the row b. */
RT_INLINE void RT_OF(tile_step)(RT_OF(vec) acc[MR][NV_MOST], const rt_real *const *a, int64_t k,
                                const rt_real *b, int64_t third, const int mr, const int nv)
{
    RT_OF(vec) bv[NV_MOST];
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++)
        bv[j] = RT_OF(load)(b + (j < NV || nv == ROW_NV ? j * LANES : third));
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++) acc[i][j] += bv[j] * a[i][k];
}

RT_INLINE void RT_OF(tile_start)(RT_OF(vec) acc[WAYS][MR][NV_MOST], const int mr, const int nv,
                                 const int ways)
{
#pragma GCC unroll 4
    for (int way = 0; way < ways; way++)
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++) acc[way][i][j] = (RT_OF(vec)){0};
}

RT_INLINE void RT_OF(tile_bias)(const rt_tile *t, RT_OF(vec) acc[MR][NV_MOST], const int mr,
                                const int nv)
{
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) {
        RT_OF(vec) bias = RT_OF(load)(t->bias + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++) acc[i][j] += bias;
    }
}

/* The sums of all ways, in the first. */
RT_INLINE void RT_OF(tile_fold)(RT_OF(vec) acc[WAYS][MR][NV_MOST], const int mr, const int nv,
                                const int ways)
{
#pragma GCC unroll 4
    for (int way = 1; way < ways; way++)
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++) acc[0][i][j] += acc[way][i][j];
}

/* Sums of a part of the depth join those of the parts before: an error of the sum so far is made once a
 * part, not at every step. */
RT_INLINE void RT_OF(tile_join)(RT_OF(vec) total[MR][NV_MOST], RT_OF(vec) acc[MR][NV_MOST],
                                int first, const int mr, const int nv)
{
#pragma GCC unroll 16
    for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++) total[i][j] = first ? acc[i][j] : total[i][j] + acc[i][j];
}

/* The steps of a row before its pointers. `ways` sets of sums take turns, so that a small tile has
 * multiply-adds enough to hide their latency. Counted to zero, the registers just suffice. */
RT_INLINE const rt_real *RT_OF(tile_run)(RT_OF(vec) acc[WAYS][MR][NV_MOST], const rt_real *const *a,
                                         int64_t run, const rt_real *b, int64_t third, const int mr,
                                         const int nv, const int ways)
{
    int64_t k = -run;
    if (ways > 1)
        for (; k <= -ways; k += ways)
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++, b += RT_PANEL)
                RT_OF(tile_step)(acc[way], a, k + way, b, third, mr, nv);
    for (; k; k++, b += RT_PANEL) RT_OF(tile_step)(acc[0], a, k, b, third, mr, nv);
    return b;
}

/* The steps from its pointers on, while the B that comes next is fetched. */
RT_INLINE const rt_real *RT_OF(tile_run_ahead)(RT_OF(vec) acc[WAYS][MR][NV_MOST],
                                               const rt_real *const *a, int64_t run,
                                               const rt_real *b, int64_t third, const char **ahead,
                                               int64_t step, const int mr, const int nv,
                                               const int ways)
{
    const char *prefetch = *ahead;
    int64_t k = 0;
    if (ways > 1)
        for (; k + ways <= run; k += ways)
#pragma GCC unroll 4
            for (int way = 0; way < ways; way++, b += RT_PANEL, prefetch += step) {
                RT_OF(tile_step)(acc[way], a, k + way, b, third, mr, nv);
                RT_PREFETCH(prefetch);
                RT_PREFETCH(prefetch + 64);
            }
    for (; k < run; k++, b += RT_PANEL, prefetch += step) {
        RT_OF(tile_step)(acc[0], a, k, b, third, mr, nv);
        RT_PREFETCH(prefetch);
        if (NR * sizeof(rt_real) > RT_LINE) RT_PREFETCH(prefetch + RT_LINE);
    }
    *ahead = prefetch;
    return b;
}

/* Depth is taken in parts, of several taps or within one. */
RT_INLINE void RT_OF(tile_body)(const rt_tile *t, const int mr, const int nv, const int ways)
{
    RT_OF(vec) acc[WAYS][MR][NV_MOST], total[MR][NV_MOST];
    RT_OF(tile_start)(acc, mr, nv, ways);
    const rt_real *b = t->b;
    const char *prefetch = t->prefetch;
    const rt_real *const *rows = t->rows;
    const int64_t part = (t->fine ? RT_FINE_PART : RT_DEPTH_PART) * ways,
                  run = t->taps ? t->run : 0;
    const int64_t third = t->third, step = t->prefetch_step;
    int64_t taps = t->taps, k = 0;
    const int64_t at_once = taps * run <= part ? taps : run < part ? part / run : 1;
    int first = 1;
    for (;;) {
        int64_t count = rt_min(at_once, taps), steps = rt_min(run - k, part);
        const int64_t from = t->offset + k + (step ? 0 : steps);
        taps -= count;
        for (; count > 0; count--, rows += t->pitch) {
            const rt_real *a[MR];
#pragma GCC unroll 16
            for (int i = 0; i < mr; i++) a[i] = rows[i] + from;
            if (step)
                b = RT_OF(tile_run_ahead)(acc, a, steps, b, third, &prefetch, step, mr, nv, ways);
            else
                b = RT_OF(tile_run)(acc, a, steps, b, third, mr, nv, ways);
        }
        k += steps;
        if (k < run)
            taps++, rows -= t->pitch; /* there is more of this one */
        else
            k = 0;
        if (taps <= 0) break;
        RT_OF(tile_fold)(acc, mr, nv, ways);
        RT_OF(tile_join)(total, acc[0], first, mr, nv);
        RT_OF(tile_start)(acc, mr, nv, ways);
        first = 0;
    }
    RT_OF(tile_fold)(acc, mr, nv, ways);
    if (!first) { /* short sums never leave their registers */
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++) acc[0][i][j] += total[i][j];
    }
    /* What is large already comes last, and does not swallow small products one by one. */
    if (t->load) {
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++) acc[0][i][j] += RT_OF(load)(t->c + i * t->ldc + j * LANES);
    }
    if (t->scale) {
        rt_real alpha = t->alpha;
#pragma GCC unroll 16
        for (int i = 0; i < mr; i++)
#pragma GCC unroll 4
            for (int j = 0; j < nv; j++) acc[0][i][j] *= alpha;
    }
    if (t->bias) RT_OF(tile_bias)(t, acc[0], mr, nv);
    RT_OF(tile_store)(t, acc[0], mr, nv);
}

#undef LANES
