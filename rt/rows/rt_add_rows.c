/* rt_add_rows.c - rows that lie anywhere are added up: bags of embeddings (rt_segment.c). Rows go in parts,
 * as depth does in rt_tile.c.
 */
#include "rt_isa.h"

#include "rt_add_rows.h"

enum { WIDE = 4 /* vectors of columns at a time */, PART = 16 };

RT_INLINE void add_vectors(const float *const *rows, int64_t count, const int wide, int64_t c,
                           float *sums)
{
    vf total[WIDE];
#pragma GCC unroll 4
    for (int i = 0; i < wide; i++) total[i] = v_load(sums + c + i * VL);
    for (int64_t r = 0; r < count;) {
        int64_t end = rt_min(count, r + PART);
        vf part[WIDE] = {(vf){0}};
        for (; r < end; r++)
#pragma GCC unroll 4
            for (int i = 0; i < wide; i++) part[i] += v_load(rows[r] + c + i * VL);
#pragma GCC unroll 4
        for (int i = 0; i < wide; i++) total[i] += part[i];
    }
#pragma GCC unroll 4
    for (int i = 0; i < wide; i++) v_store(sums + c + i * VL, total[i]);
}

static float one_column(const float *const *rows, int64_t count, int64_t c, float total)
{
    for (int64_t r = 0; r < count;) {
        int64_t end = rt_min(count, r + PART);
        float part = 0;
        for (; r < end; r++) part += rows[r][c];
        total += part;
    }
    return total;
}

static void add_rows(const float *const *rows, int64_t count, int64_t columns, float *sums)
{
    int64_t c = 0;
    for (; c + WIDE * VL <= columns; c += WIDE * VL) add_vectors(rows, count, WIDE, c, sums);
    for (; c + 2 * VL <= columns; c += 2 * VL) add_vectors(rows, count, 2, c, sums);
    for (; c + VL <= columns; c += VL) add_vectors(rows, count, 1, c, sums);
    for (; c < columns; c++) sums[c] = one_column(rows, count, c, sums[c]);
}

const rt_add_kernels RT_FN(rt_add) = {add_rows};
