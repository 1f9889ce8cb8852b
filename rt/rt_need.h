/* rt_need.h - the numbers that decide how much memory operators work in: the operators and the
 * compiler, which plans that memory (loop/need.c), agree on them here. */
#ifndef RT_NEED_H
#define RT_NEED_H

#include <stddef.h>

enum {
    RT_PANEL = 32,     /* columns of a panel of packed weights */
    RT_MOST_ROWS = 12, /* of a tile, of any instruction set */
    RT_LINE = 64,      /* what each piece of memory is rounded up to */
    RT_PAGE = 4096,

    RT_AMX_ROWS = 384,      /* that are split at a time, */
    RT_AMX_DEPTH = 128,     /* and steps of depth, */
    RT_AMX_STEP_BYTES = 6,  /* of each, */
    RT_AMX_LEAST = 44,      /* where there are as many columns and steps, */
    RT_AMX_LEAST_ROWS = 72, /* and rows */
    RT_GEMM_TILES = 32,     /* tiles of rows in a task */

    RT_BMM_TILES = 16,               /* tiles of rows in a task */
    RT_BMM_GROUP_BYTES = 256 * 1024, /* packed B of one */
    RT_BMM_FEW_ROWS = 3,             /* up to here B is read in place */
    RT_HALF_BMM_DEPTH = 16,          /* least depth that half_bmm has room for */

    RT_QUANTISED_STEP = 8,     /* groups of depth are multiples of this */
    RT_QUANTISED_DEPTH = 192,  /* of a piece that becomes floats, */
    RT_QUANTISED_FEW_ROWS = 8, /* with more rows than this */

    RT_HALVES_DEPTH = 192,    /* of a piece that becomes floats, twice of one that does not, */
    RT_HALVES_TILES = 32,     /* tiles of rows in a task */
    RT_HALVES_FEW_ROWS = 8,   /* up to here all of A becomes floats first, */
    RT_HALVES_PLACE_ROWS = 3, /* and up to here B may be read as it lies */

    RT_CONV_BAND_CHANNELS = 8, /* fewer than this go through a band, */
    RT_CONV_BAND_OF_ONE =
        33, /* of one group, whose windows are rows without gaps, fewer than this */
    RT_CONV_SPREAD_GROUP = 4,       /* but groups of so many channels, and */
    RT_CONV_SPREAD_TAPS = 32,       /* taps no more than this, which go by rt_group.c */
    RT_CONV_TILES = 32,             /* tiles of rows in a task */
    RT_CONV_TABLE_ENTRIES = 8192,   /* pointers of a task's table */
    RT_CONV_BAND_PIXELS = 512,      /* output pixels of a task with a band */
    RT_CONV_BAND_BYTES = 128 << 10, /* of the band, unless that leaves few pixels: */
    RT_CONV_BAND_FEW = 2 * RT_MOST_ROWS,
    RT_HALF_CONV_STEPS = 32,             /* of depth, that a tile of bf16 has at most */
    RT_HALF_CONV_BAND_BYTES = 192 << 10, /* of bf16, unless that leaves less than */
    RT_HALF_CONV_LEAST = 32,             /* output pixels */
    RT_CONV_COPY_BYTES = 1 << 20, /* images that are re-laid at a time, but for a larger one */
    RT_CONV_PHASE_TILES = 16,     /* transposed: tiles of rows in a task, */
    RT_CONV_PHASE_COLUMNS = 128,  /* and columns of its results */

    RT_WINOGRAD_TILES = 48, /* tiles of a task, */
    RT_WINOGRAD_BYTES =
        2 << 20, /* and what is transformed at a time, unless that leaves few tiles */

    RT_CONV_WEIGHT_COLUMNS = 64,     /* output channels of a task */
    RT_CONV_WEIGHT_SUMS = 48 * 1024, /* its results, unless that leaves few rows */
    RT_CONV_WEIGHT_PIXELS = 256,     /* output pixels of a strip, */
    RT_CONV_WEIGHT_PART = 32,        /* and of those that one sum runs over */

    RT_CONV_DOTS_CHANNELS = 4,  /* fewer output channels a group have dot products, with */
    RT_CONV_DOTS_ROWS = 8,      /* input channels of a task */
    RT_CONV_DOTS_PIXELS = 1024, /* and output pixels of a strip */
    RT_MOST_LANES = 16,         /* floats of a vector, of any instruction set */

    RT_SDPA_TILES = 4,       /* tiles of query rows in a task */
    RT_SDPA_KEYS = 512,      /* keys of a block: a multiple of RT_PANEL */
    RT_SDPA_FEW_QUERIES = 4, /* up to here nothing is packed */
    RT_SDPA_TILE_ROWS = 32,  /* with the tiles of AMX: query rows in a task, */
    RT_SDPA_TILE_GAP = 16,   /* floats between rows of scores, which so lie apart in the cache, */
    RT_SDPA_TILE_DEPTH = 32, /* and steps of depth that panels are padded to */

    RT_STATE_BYTES = 64, /* before the area of a thread: what it holds */

    RT_LONG_ROW = 1 << 14,        /* elements of a row that threads share */
    RT_SORT_COUNTS = 8 * 256 * 8, /* bytes of counts for each of them */
    RT_KEY_BLOCK = 512,           /* keys that are made at a time */
    RT_TOPK_MORE = 64,            /* items beside twice those that are wanted */
    RT_SELECT_BITS = 12,          /* of a key, that a select counts by */
    RT_UNIQUE_NUMBERS = 4,        /* that each row takes */

    RT_ASIDE_NUMBERS = 256, /* of matrices that are worked on side by side, at most */
    RT_STRIP_BYTES = 256,   /* of a row of vectors that reflections apply to, at most */
    RT_REFLECT_GROUP = 4,   /* that are applied at once */
    RT_REFLECT_ASIDE = 3,   /* small matrices at once, of one problem */
    RT_REFLECT_NUMBERS = 2, /* beside its tau, that a reflection takes */
    RT_EIGEN_MORE = 16,     /* numbers beside those of a column */
    RT_EIGEN_VECTORS = 24,  /* and columns beside those of a matrix, for its eigenvalues */
    RT_SVD_VECTORS = 32,    /* of the larger size, for singular values, */
    RT_SVD_SQUARES = 5,     /* and matrices of the smaller one for their vectors */
    RT_LAPACK_INT = 4,      /* bytes */
    RT_LAPACK_BLOCK = 64,   /* columns that its routines work on at once, at most */
    RT_LAPACK_TABLE_NUMBERS =
        (RT_LAPACK_BLOCK + 1) * RT_LAPACK_BLOCK, /* of a product with reflections */
    RT_LAPACK_EIG_COLUMNS = 2 * RT_LAPACK_BLOCK + 4,
    RT_LAPACK_SVD_LOW = 10 + 2 * RT_LAPACK_BLOCK, /* for each of the smaller size's */
    RT_LAPACK_SVD_HIGH = 1 + RT_LAPACK_BLOCK      /* and of the larger one's */
};

/* From the area of one thread to that of the next. Not a whole number of pages: their beginnings are used
 * most. */
static inline size_t rt_area_stride(size_t each)
{
    size_t stride = (each + RT_LINE - 1) / RT_LINE * RT_LINE;
    return stride + (stride >= RT_PAGE ? 4 * RT_LINE : 0);
}

#endif
