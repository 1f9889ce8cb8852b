/* rt_tile.c - the register tile that all dense kernels are made of.
 *
 * mr rows by nv vectors of C are held in registers while depth advances: one load of B a vector,
 * one broadcast of A a row, mr * nv fused multiply-adds. A is read in place through row pointers,
 * one set a tap (a GEMM has one tap, a convolution one for each position of its window), so there
 * is neither packing of A nor im2col. Sized so that all accumulators, B and the broadcast fit in
 * the register file (12 x 2 of 32 with AVX-512, 6 x 2 of 16 otherwise). With AVX-512, whose tile has rows
 * enough to be bound by arithmetic, there is one of half a vector for the last columns; with AVX2, where six
 * rows of one vector are bound by loads, one of 4 x 3 and, for a single row, of 1 x 4.
 */
#include "rt_isa.h"

#include "rt_lanes.h"

enum { WAYS = 4 };

#if defined(__GNUC__) && !defined(__clang__)
/* The first part sets `total`, which gcc does not see; zeros cost short sums a quarter of their time. */
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#ifdef FERRITE_SCALAR
#define LANES 1
#include "rt_tile_lanes.h"
#define WIDE(name) name##_1
#elif defined(RT_ISA_V4) && !defined(RT_F64)
#define LANES 16
#include "rt_tile_lanes.h"
#define LANES 8
#include "rt_tile_lanes.h"
#define WIDE(name) name##_16
#define HALF(name) name##_8
#elif defined(RT_ISA_V4)
#define LANES 8
#include "rt_tile_lanes.h"
#define LANES 4
#include "rt_tile_lanes.h"
#define WIDE(name) name##_8
#define HALF(name) name##_4
#elif defined(RT_ISA_V3) && !defined(RT_F64)
#define LANES 8
#include "rt_tile_lanes.h"
#define WIDE(name) name##_8
#elif defined(RT_ISA_V3) || !defined(RT_F64)
#define LANES 4
#include "rt_tile_lanes.h"
#define WIDE(name) name##_4
#else
#define LANES 2
#include "rt_tile_lanes.h"
#define WIDE(name) name##_2
#endif

#define WAYS_OF(sums) ((sums) >= 8 ? 1 : (sums) >= 4 ? 2 : 4)
#define TILE(mr)                                    \
    static void tile_##mr##_1(const rt_tile *t)     \
    {                                               \
        WIDE(tile_body)(t, mr, 1, WAYS_OF(mr));     \
    }                                               \
    static void tile_##mr##_2(const rt_tile *t)     \
    {                                               \
        WIDE(tile_body)(t, mr, 2, WAYS_OF(mr * 2)); \
    }
#ifdef HALF
#define HALF_TILE(mr)                              \
    static void tile_##mr##_half(const rt_tile *t) \
    {                                              \
        HALF(tile_body)(t, mr, 1, WAYS_OF(mr));    \
    }
#define ROW(mr) {tile_##mr##_half, tile_##mr##_1, tile_##mr##_2},
RT_TILE_HEIGHTS(HALF_TILE)
#elif defined(RT_ISA_V3) && !defined(FERRITE_SCALAR)
#define WIDE_TILE(mr)                               \
    static void tile_##mr##_3(const rt_tile *t)     \
    {                                               \
        WIDE(tile_body)(t, mr, 3, WAYS_OF(mr * 3)); \
    }
WIDE_TILE(1)
WIDE_TILE(2)
WIDE_TILE(3)
WIDE_TILE(4)
_Static_assert((int)WIDE_ROWS == 4, "as there are tiles");
static void tile_1_4(const rt_tile *t)
{
    WIDE(tile_body)(t, 1, ROW_NV, WAYS_OF(ROW_NV));
}
_Static_assert((int)ROW_NV == 4, "as there is one");
#define tile_5_3 NULL
#define tile_6_3 NULL
#define tile_2_4 NULL
#define tile_3_4 NULL
#define tile_4_4 NULL
#define tile_5_4 NULL
#define tile_6_4 NULL
#define ROW(mr) {0, tile_##mr##_1, tile_##mr##_2, tile_##mr##_3, tile_##mr##_4},
#else
#define ROW(mr) {0, tile_##mr##_1, tile_##mr##_2},
#endif

RT_TILE_HEIGHTS(TILE)

const rt_tile_fn RT_FN(rt_tiles)[MR + 1][NV_MOST + 1] = {{0}, RT_TILE_HEIGHTS(ROW)};
