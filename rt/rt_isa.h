/* rt_isa.h - what a kernel source sees of the instruction set it is being compiled for.
 *
 * Each kernel source is compiled once an instruction set with one of RT_ISA_V4, RT_ISA_V3,
 * RT_ISA_BASE defined; RT_FN(name) gives every external symbol its own suffix, also of a source that is
 * compiled for doubles (rt_real.h). Vectors (rt_vector.h) have the native width. The kernels of one
 * instruction set meet the rest in one table, rt_select.c, those for doubles in rt_select_f64.c.
 */
#ifndef RT_ISA_H
#define RT_ISA_H

#include "rt_kernels.h"

#if defined(FERRITE_SCALAR)
#define RT_ISA_NAME _base
enum { VL = 1, MR = 6 };
#elif defined(RT_ISA_V4)
#define RT_ISA_NAME _v4
enum { VL = 64 / RT_REAL_BYTES, MR = 12 };
#elif defined(RT_ISA_V3)
#define RT_ISA_NAME _v3
enum { VL = 32 / RT_REAL_BYTES, MR = 6 };
#else
#define RT_ISA_NAME _base
enum { VL = 16 / RT_REAL_BYTES, MR = 6 };
#endif
#ifdef RT_F64
#define RT_SUFFIX RT_PASTE(_f64, RT_ISA_NAME)
#else
#define RT_SUFFIX RT_ISA_NAME
#endif
#if defined(RT_ISA_V4) && !defined(FERRITE_SCALAR)
enum { HALF_LANES = VL / 2 };
#else
enum { HALF_LANES = 0 };
#endif

/* A tile is at most MR rows by NR columns; a panel is RT_PANEL / NR tiles wide. Where a single vector of
 * columns would be left over, a wide tile takes it with the NR columns before: of WIDE_ROWS, for as many
 * registers. 0: there are none, as a single vector has tiles high enough. A single row, which is bound by
 * loads, has tiles of ROW_NV vectors, so that an element of A is loaded for more of them; 0: as others. */
#if defined(RT_ISA_V3) && !defined(FERRITE_SCALAR)
enum { WIDE_ROWS = 4, ROW_NV = 4 };
#else
enum { WIDE_ROWS = 0, ROW_NV = 0 };
#endif
enum { NV = 2, NR = NV * VL, NV_MOST = ROW_NV > NV ? ROW_NV : NV };
_Static_assert(ROW_NV == 0 || RT_PANEL % (ROW_NV * VL) == 0, "in one panel");
/* Channels of a group of a convolution of which a vector takes several; 0: of none. */
enum { SPREAD_GROUP = (int)VL > (int)RT_CONV_SPREAD_GROUP ? RT_CONV_SPREAD_GROUP : 0 };
/* Depth that one sum runs over before it joins the sums of the depth before; a shorter one where results are
 * few and sums long (fine). */
enum { RT_DEPTH_PART = 128, RT_FINE_PART = 32 };
_Static_assert((int)MR <= RT_MOST_ROWS, "the compiler plans for no more");

#define RT_FN(name) RT_PASTE(name, RT_SUFFIX)

#include "rt_vector.h"

/* EACH(rows) for every height that a tile may have. */
#if defined(RT_ISA_V4)
#define RT_TILE_HEIGHTS(EACH) \
    EACH(1)                   \
    EACH(2) EACH(3) EACH(4) EACH(5) EACH(6) EACH(7) EACH(8) EACH(9) EACH(10) EACH(11) EACH(12)
#else
#define RT_TILE_HEIGHTS(EACH) EACH(1) EACH(2) EACH(3) EACH(4) EACH(5) EACH(6)
#endif

/* ---- the tile: rt_tile.c ---- */

/* C tile [mr rows x up to NR columns] = sum over taps and run of rows x B, see rt_tile.c. */
typedef struct rt_tile {
    const rt_real *const
        *rows; /* [taps][pitch] pointers to `run` contiguous elements after `offset`, of which mr */
    int64_t pitch, taps, run, offset;
    const rt_real *b; /* [taps * run][RT_PANEL], already at this tile's columns */
    int64_t third; /* of a wide tile: from b to its last vector, which may be in the next panel */
    rt_real *c;
    int64_t ldc;
    const rt_real *bias; /* a whole tile wide, or NULL */
    int load;            /* what C holds is added to the sums */
    int fine;            /* sums are made in parts of RT_FINE_PART */
    int clamp;
    rt_real low, high;
    rt_real alpha;         /* with scale */
    int scale;             /* multiply the sum by alpha */
    const char *prefetch;  /* the B that comes next */
    int64_t prefetch_step; /* bytes of it a depth step */
} rt_tile;

typedef void (*rt_tile_fn)(const rt_tile *);
/* [rows][vectors], from 1; 0 vectors: half of one, of HALF_LANES, where there is such a tile; three:
 * wide; ROW_NV: of one row. */
extern const rt_tile_fn RT_FN(rt_tiles)[MR + 1][NV_MOST + 1];

/* ---- blocks of tiles: rt_block.c ---- */

/* C block [m x n] = rows x panels of B. */
typedef struct rt_block {
    int64_t m, n; /* n columns from the start of the first panel */
    int64_t taps, run;
    const rt_real *const *rows; /* [taps][pitch] pointers, of which m */
    int64_t pitch;              /* 0 = m */
    const rt_real *zero;   /* the pointer that stands for zeros, or NULL: no product is made of them
                                   where all rows of a tile have it */
    int64_t offset;        /* into each of the rows */
    const rt_real *packed; /* first panel */
    int64_t panel_depth;   /* depth of a whole panel in memory; 0 = taps * run */
    rt_real *c;
    int64_t ldc;
    const rt_real *bias;
    int load, fine, clamp, scale;
    int from_end; /* of few rows: panels from the last to the first */
    rt_real low, high, alpha;
    /* the epilogue in coordinates of the whole C */
    rt_epilogue epilogue;
    void *context;
    int64_t m_origin, n_origin;
    void *room; /* of rt_amx_take(), or NULL */
} rt_block;

void RT_FN(rt_block_run)(const rt_block *block);

/* ---- blocks of floats by AMX: rt_block_amx.c ---- */

/* A product as a whole, by which it is decided: results do not depend on how it is cut. */
typedef struct rt_amx_work {
    int64_t m, n, k;
    int is_gathered; /* rows are of many taps, of a few steps each */
    int64_t rows;    /* of a block at most */
} rt_amx_work;

/* Takes the room of blocks, for each worker, where AMX is there and pays; else none. Returns 0, or -1: there
 * is no memory. */
int RT_FN(rt_amx_take)(rt_team *team, const rt_amx_work *work, rt_scratch *room);
void RT_FN(rt_block_run_amx)(const rt_block *block);

RT_INLINE void *rt_room_of(const rt_scratch *room, int worker)
{
    return room->base ? rt_scratch_worker(room, worker) : NULL;
}

/* Of convolutions with SPREAD_GROUP channels a group, some of one panel, in and out: rt_group.c. */
void RT_FN(rt_group_run)(const rt_block *block);

/* Rows are cut into this many tiles of no more than MR, tile t having rows [rt_tile_begin(m, t),
 * rt_tile_begin(m, t + 1)). */
RT_INLINE int64_t rt_block_tiles(int64_t m)
{
    return (m + MR - 1) / MR;
}

RT_INLINE int64_t rt_tile_begin(int64_t m, int64_t tiles, int64_t t)
{
    return m * t / tiles;
}

/* How a GEMM of m rows and `panels` panels, `depth` deep, is cut into tasks: at least `wanted` if
 * there is work enough, no more than rows_max rows in one. */
typedef struct rt_cut {
    int64_t row_blocks, panel_blocks;
} rt_cut;

rt_cut RT_FN(rt_block_cut)(int64_t m, int64_t panels, int64_t depth, int64_t rows_max,
                           int64_t wanted);
/* The same for so many threads, of as many rows as stay in the cache where A has `row_bytes` a row; between
 * rows_least and rows_max. */
rt_cut RT_FN(rt_block_cut_rows)(int64_t m, int64_t panels, int64_t depth, int64_t row_bytes,
                                int64_t rows_least, int64_t rows_max, int64_t threads);

/* The table for rows one lda apart and one tap: just the pointers in order. */
RT_INLINE void rt_rows_plain(const rt_real **rows, const rt_real *a, int64_t lda, int64_t m)
{
    for (int64_t i = 0; i < m; i++) rows[i] = a + i * lda;
}

RT_INLINE int64_t rt_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

RT_INLINE int64_t rt_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bytes of so many numbers in whole lines. */
RT_INLINE size_t rt_lines(int64_t numbers)
{
    return ((size_t)numbers * sizeof(rt_real) + RT_LINE - 1) / RT_LINE * RT_LINE;
}

RT_INLINE int rt_is_inside(int64_t position, int64_t size)
{
    return (uint64_t)position < (uint64_t)size;
}

RT_INLINE int64_t rt_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The least number of items worth a chunk of a parallel region, when all of them together take
 * `flops` operations and stream `bytes` of weights: a chunk must outlast the handing over. */
RT_INLINE int64_t rt_grain(int64_t items, int64_t flops, int64_t bytes)
{
    enum { FLOPS_A_CHUNK = 400000, BYTES_A_CHUNK = 100000 };
    int64_t chunks = rt_max(flops / FLOPS_A_CHUNK, bytes / BYTES_A_CHUNK);
    return chunks >= items ? 1 : rt_ceil_div(items, rt_max(chunks, 1));
}

/* ---- the kernels of this instruction set ---- */

int RT_FN(rt_gemm)(rt_team *, int64_t m, int64_t n, int64_t k, const rt_real *a, int64_t lda,
                   const rt_real *packed, rt_real *c, int64_t ldc, const rt_post *post);
int RT_FN(rt_quantised)(rt_team *, const rt_quantised *, const rt_post *post);
int RT_FN(rt_integers)(rt_team *, const rt_integers *, const rt_post *post);
int RT_FN(rt_halves)(rt_team *, const rt_halves *, const rt_post *post);
int RT_FN(rt_half_conv)(rt_team *, const rt_conv *, const uint16_t *x, const uint32_t *packed,
                        float *y, const rt_post *);
int RT_FN(rt_half_conv_takes)(const rt_conv *);
void RT_FN(rt_half_conv_floats)(rt_pool *, const rt_conv *, const uint16_t *x, float *floats);
int RT_FN(rt_half_bmm)(rt_team *, const rt_half_bmm *);
int RT_FN(rt_bmm)(rt_team *, const rt_bmm *);
int RT_FN(rt_conv)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *packed, rt_real *y,
                   const rt_post *);
int RT_FN(rt_depthwise)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *packed,
                        rt_real *y, const rt_post *);
int RT_FN(rt_conv_phases)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *packed,
                          rt_real *y, const rt_post *);
int RT_FN(rt_depth_phases)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *packed,
                           rt_real *y, const rt_post *);
int RT_FN(rt_winograd)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *packed,
                       rt_real *y, const rt_post *);
int RT_FN(rt_conv_weight)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *grad,
                          rt_real *out, const int64_t *strides);
/* rt_conv_weight for few output channels a group; and for groups of one channel, channels last. */
int RT_FN(rt_conv_dots)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *grad,
                        rt_real *out, const int64_t *strides);
int RT_FN(rt_conv_taps)(rt_team *, const rt_conv *, const rt_real *x, const rt_real *grad,
                        rt_real *out, const int64_t *strides);
int RT_FN(rt_sdpa)(rt_team *, const rt_sdpa *);

#endif
