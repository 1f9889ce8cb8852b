/* rt_group.c - grouped convolutions of four channels a group: a vector has several groups.
 *
 * Rows are as of rt_tile.c. A lane is an output channel; the four inputs of its group lie in the same quarter
 * of a vector of the input, so that four products take one load and four spreads, each of which gives a
 * quarter one of its numbers four times. Weights of all groups share panels (rt_conv_shares_panels), sums are
 * short.
 */
#include "rt_isa.h"

#include "rt_lanes.h"

#if (defined(RT_ISA_V4) || (defined(RT_ISA_V3) && !defined(RT_F64))) && !defined(FERRITE_SCALAR)

#define QUARTER(first, k) (first) + (k), (first) + (k), (first) + (k), (first) + (k)
#define LANES_4(k) QUARTER(0, k)
#define LANES_8(k) LANES_4(k), QUARTER(4, k)
#define LANES_16(k) LANES_8(k), QUARTER(8, k), QUARTER(12, k)

#ifndef RT_F64
#ifdef RT_ISA_V4
#define LANES 16
#define SPREAD(x, k) __builtin_shufflevector(x, x, LANES_16(k))
#include "rt_group_lanes.h"
#endif
#endif
#define LANES 8
#define SPREAD(x, k) __builtin_shufflevector(x, x, LANES_8(k))
#include "rt_group_lanes.h"
#define LANES 4
#define SPREAD(x, k) __builtin_shufflevector(x, x, LANES_4(k))
#include "rt_group_lanes.h"

static void run_tile(const rt_block *block, const rt_real *const *rows, int64_t m0, int64_t mr)
{
    int64_t c = 0;
#define TAKE(lanes) \
    for (; c + lanes <= block->n; c += lanes) group_tiles_##lanes[mr](block, rows, m0, c);
#if defined(RT_ISA_V4) && !defined(RT_F64)
    TAKE(16)
#endif
    TAKE(8)
    TAKE(4)
#undef TAKE
}

void RT_FN(rt_group_run)(const rt_block *block)
{
    int64_t tiles = rt_block_tiles(block->m);
    for (int64_t t = 0; t < tiles; t++) {
        int64_t m0 = rt_tile_begin(block->m, tiles, t),
                mr = rt_tile_begin(block->m, tiles, t + 1) - m0;
        run_tile(block, block->rows + m0, m0, mr);
    }
    if (block->epilogue)
        block->epilogue(block->context, block->m_origin, block->m_origin + block->m,
                        block->n_origin, block->n_origin + block->n);
}

#else

/* A vector has no more than one group: nobody asks for this. */
void RT_FN(rt_group_run)(const rt_block *block)
{
    (void)block;
}

#endif
