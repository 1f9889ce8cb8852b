/* rt_block.c - a block of C from tiles: loop order, depth blocking, edges, prefetch, epilogue.
 *
 * Three orders. When all of B that the block needs fits in the second-level cache, and there are rows enough
 * to pay for bringing it there, rows are outermost and each tile runs the whole depth with its sums in
 * registers. Rows of one tile, which use nothing of B twice, pass over one panel after another. Otherwise a
 * group of panels is taken at a time, and depth is cut so that a piece of one panel stays in the first-level
 * cache while all rows pass over it (Goto's order without packing A); while a piece is worked on, the next
 * one is prefetched a line at a time. Fine sums are always made in such pieces, which join in C.
 */
#include "rt_isa.h"

enum {
    DEPTH_BLOCK = 384,             /* depth steps of one piece of a panel */
    B_RESIDENT_BYTES = 512 * 1024, /* B up to this size stays in the cache */
    B_NEAR_BYTES = 32 * 1024,      /* smaller B is not worth running ahead for, */
    MANY_TILES = 5,                /* nor B that so many tiles use */
    B_BY_ROWS_BYTES = 768 * 1024,  /* B up to this size may be read by every task */
    A_BLOCK_BYTES = 512 * 1024,    /* A of one block */
    GROUP_BYTES = 128 * 1024,      /* C of one group of panels */
    STREAM_AHEAD = 8192,
    EPILOGUE_BYTES = 32 * 1024,  /* C between two calls of the epilogue, rows outermost */
    COLUMNS_MOST = NV_MOST * VL, /* of a tile */
    LINE_BYTES = RT_PANEL * sizeof(rt_real) /* of a panel, a depth step */
};

/* A piece of depth: taps [tap, tap + taps), elements [offset, offset + run) of each. */
typedef struct piece {
    int64_t tap, taps, offset, run;
    int64_t depth; /* steps before it */
    int first, last;
} piece;

static int64_t panel_depth(const rt_block *block)
{
    return block->panel_depth ? block->panel_depth : block->taps * block->run;
}

RT_INLINE int64_t pitch_of(const rt_block *block)
{
    return block->pitch ? block->pitch : block->m;
}

static int64_t piece_count(const rt_block *block)
{
    if (block->run > DEPTH_BLOCK) return block->taps * rt_ceil_div(block->run, DEPTH_BLOCK);
    int64_t taps = DEPTH_BLOCK / rt_max(block->run, 1);
    return rt_max(rt_ceil_div(block->taps, taps), 1);
}

static piece piece_at(const rt_block *block, int64_t index, int64_t count)
{
    piece p = {.first = index == 0, .last = index == count - 1};
    if (count == 1) {
        p.taps = block->taps;
        p.run = block->run;
    } else if (block->run > DEPTH_BLOCK) {
        int64_t per_tap = count / block->taps, part = index % per_tap;
        p.tap = index / per_tap;
        p.taps = 1;
        p.offset = block->run * part / per_tap;
        p.run = block->run * (part + 1) / per_tap - p.offset;
    } else {
        p.tap = block->taps * index / count;
        p.taps = block->taps * (index + 1) / count - p.tap;
        p.run = block->run;
    }
    p.depth = p.tap * block->run + p.offset;
    return p;
}

/* `count` numbers, fewer than a tile has, each move within a vector that was stored as one. */
RT_INLINE void copy_few(rt_real *to, const rt_real *from, int64_t count)
{
#define MOVE(size)                                   \
    if ((size) < COLUMNS_MOST && (count & (size))) { \
        memcpy(to, from, (size) * sizeof *to);       \
        to += size, from += size;                    \
    }
    MOVE(16)
    MOVE(8)
    MOVE(4)
    MOVE(2)
    MOVE(1)
#undef MOVE
}

/* A tile that ends in the middle of a vector goes through a buffer, so that nothing past C's
 * columns is touched. */
static void run_part(const rt_tile *whole, int64_t mr, int64_t columns, int nv)
{
    rt_real buffer[MR * COLUMNS_MOST], bias[COLUMNS_MOST];
    rt_tile tile = *whole;
    if (tile.bias) {
        memset(bias, 0, sizeof bias);
        copy_few(bias, tile.bias, columns);
        tile.bias = bias;
    }
    if (tile.load) {
        memset(buffer, 0, sizeof buffer);
        for (int64_t i = 0; i < mr; i++)
            copy_few(buffer + i * COLUMNS_MOST, whole->c + i * whole->ldc, columns);
    }
    tile.c = buffer;
    tile.ldc = COLUMNS_MOST;
    RT_FN(rt_tiles)[mr][nv](&tile);
    for (int64_t i = 0; i < mr; i++)
        copy_few(whole->c + i * whole->ldc, buffer + i * COLUMNS_MOST, columns);
}

/* Columns that are not whole vectors. Where there is a tile of half a vector it takes what is no more than
 * that. */
RT_OUTLINE void run_edge(const rt_tile *whole, int64_t mr, int64_t columns)
{
    int64_t part = columns % VL, first = part <= HALF_LANES ? columns - part : 0;
    rt_tile rest;
    if (first) {
        RT_FN(rt_tiles)[mr][first / VL](whole);
        rest = *whole;
        rest.b += first;
        rest.c += first;
        if (rest.bias) rest.bias += first;
        whole = &rest;
    }
    if (part == HALF_LANES)
        RT_FN(rt_tiles)[mr][0](whole);
    else
        run_part(whole, mr, columns - first, part < HALF_LANES ? 0 : (int)rt_ceil_div(columns, VL));
}

/* What all tiles of a piece of depth have in common. */
static rt_tile tile_of(const rt_block *block, const piece *p)
{
    return (rt_tile){
        .pitch = pitch_of(block),
        .taps = p->taps,
        .run = p->run,
        .offset = block->offset + p->offset,
        .third = NR,
        .ldc = block->ldc,
        .load = !p->first || block->load,
        .fine = block->fine,
        .clamp = p->last && block->clamp,
        .low = block->low,
        .high = block->high,
        .scale = p->last && block->scale,
        .alpha = block->alpha,
        .prefetch = (const char *)block->packed,
    };
}

/* How the columns of a block are cut into those of tiles: by `most`, then by NR, but the last tile is wide if
 * `wide`. */
typedef struct cut {
    int wide;
    int64_t most;
    int64_t n, depth; /* depth of a panel in memory */
} cut;

static cut cut_of(const rt_block *block)
{
    int fits = WIDE_ROWS > 0 && (block->m > MR || block->m <= WIDE_ROWS) && block->n > NR;
    return (cut){.wide = fits && rt_ceil_div(block->n, VL) % 2,
                 .most = ROW_NV > 0 && block->m == 1 ? ROW_NV * VL : NR,
                 .n = block->n,
                 .depth = panel_depth(block)};
}

static int64_t tile_columns(const cut *c, int64_t n0)
{
    int64_t left = c->n - n0;
    if (c->wide && left <= NR + VL) return left;
    return left >= c->most ? c->most : rt_min(left, NR);
}

/* Of a tile of so many columns. */
static int64_t most_rows(int64_t columns)
{
    return columns > NR ? (int64_t)WIDE_ROWS : MR;
}

static int64_t column_at(const cut *c, int64_t n)
{
    return n / RT_PANEL * c->depth * RT_PANEL + n % RT_PANEL;
}

/* To the columns from n0 on. */
RT_INLINE void set_columns(const rt_block *block, const cut *c, const piece *p, int64_t n0,
                           rt_tile *tile)
{
    tile->b = block->packed + column_at(c, n0) + p->depth * RT_PANEL;
    if (c->wide) tile->third = column_at(c, n0 + NR) - column_at(c, n0);
    tile->bias = p->last && block->bias ? block->bias + n0 : NULL;
}

RT_INLINE int is_zero_tap(const rt_block *block, const rt_real *const *rows, int64_t mr)
{
    int64_t i = 0;
    while (i < mr && rows[i] == block->zero) i++;
    return i == mr;
}

/* The tile without the first and last taps that have zeros alone: outside of an image. Returns the number of
 * the first ones. */
RT_INLINE int64_t skip_zero_taps(const rt_block *block, int64_t mr, rt_tile *tile)
{
    int64_t skipped = 0;
    for (; tile->taps > 0 && is_zero_tap(block, tile->rows, mr); tile->taps--, skipped++)
        tile->rows += tile->pitch;
    while (tile->taps > 0 && is_zero_tap(block, tile->rows + (tile->taps - 1) * tile->pitch, mr))
        tile->taps--;
    return skipped;
}

/* The tile of mr rows from m0 on. */
RT_INLINE void run_tile(const rt_block *block, const piece *p, int64_t m0, int64_t mr, int64_t n0,
                        int64_t columns, rt_tile *tile)
{
    const rt_real *b = tile->b;
    tile->rows = block->rows + p->tap * tile->pitch + m0;
    tile->c = block->c + m0 * block->ldc + n0;
    if (block->zero) {
        tile->taps = p->taps;
        tile->b += skip_zero_taps(block, mr, tile) * p->run * RT_PANEL;
        if (tile->taps == 0 && tile->load && !p->last) {
            tile->b = b;
            return;
        }
    }
    if (columns % VL)
        run_edge(tile, mr, columns);
    else
        RT_FN(rt_tiles)[mr][columns / VL](tile);
    tile->b = b;
}

/* Rows in tiles of nearly the same height: the first `higher` ones have one row more. */
typedef struct heights {
    int64_t tiles, each, higher;
} heights;

static heights heights_of(int64_t rows, int64_t most)
{
    int64_t tiles = rt_ceil_div(rows, most);
    return (heights){tiles, rows / tiles, rows % tiles};
}

static void epilogue(const rt_block *block, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    if (block->epilogue)
        block->epilogue(block->context, block->m_origin + m0, block->m_origin + m1,
                        block->n_origin + n0, block->n_origin + n1);
}

/* Rows outermost, in strips that are as high as a tile or, where tiles differ, as a few of each: B stays in
 * the cache. The first tiles bring it there, each the columns of the next one. */
static void run_rows_first(const rt_block *block)
{
    piece whole = piece_at(block, 0, 1);
    cut c = cut_of(block);
    rt_tile tile = tile_of(block, &whole);
    int differ = c.wide && block->n > NR + VL;
    heights strips = heights_of(block->m, differ ? 2 * MR : most_rows(tile_columns(&c, 0)));
    int64_t m0 = 0, done = 0;
    for (int64_t strip = 0; strip < strips.tiles; strip++) {
        int64_t m1 = m0 + strips.each + (strip < strips.higher);
        for (int64_t n0 = 0, columns; n0 < block->n; n0 += columns) {
            columns = tile_columns(&c, n0);
            set_columns(block, &c, &whole, n0, &tile);
            for (int64_t m = m0, mr, most = most_rows(columns); m < m1; m += mr) {
                mr = m1 - m;
                if (mr > most) mr = rt_ceil_div(mr, rt_ceil_div(mr, most));
                tile.prefetch = (const char *)(block->packed + column_at(&c, n0 + columns));
                tile.prefetch_step = m == 0 && n0 + columns < block->n ? LINE_BYTES : 0;
                run_tile(block, &whole, m, mr, n0, columns, &tile);
            }
        }
        m0 = m1;
        if (strip == strips.tiles - 1 ||
            (m0 - done) * block->n * (int64_t)sizeof(rt_real) >= EPILOGUE_BYTES) {
            epilogue(block, done, m0, 0, block->n);
            done = m0;
        }
    }
}

/* One piece of the columns from n0 to n1 against all rows; `next` is the piece of B that follows in time. */
static void run_piece(const rt_block *block, const cut *c, const piece *p, int64_t n0, int64_t n1,
                      const char *next)
{
    int64_t steps = rt_max(p->taps * p->run, 1), tiles = rt_block_tiles(block->m);
    int64_t slice = rt_ceil_div(steps * LINE_BYTES, tiles * (RT_PANEL / NR));
    rt_tile tile = tile_of(block, p);
    tile.prefetch = next;
    tile.prefetch_step = slice / steps;
    for (int64_t columns; n0 < n1; n0 += columns) {
        columns = tile_columns(c, n0);
        set_columns(block, c, p, n0, &tile);
        heights h = {1, block->m, 0};
        if (block->m > most_rows(columns)) h = heights_of(block->m, most_rows(columns));
        for (int64_t t = 0, m0 = 0, mr; t < h.tiles; t++, m0 += mr) {
            mr = h.each + (t < h.higher);
            run_tile(block, p, m0, mr, n0, columns, &tile);
            tile.prefetch += slice;
        }
    }
}

static int64_t count_panels(const rt_block *block, const cut *c)
{
    int last_is_part = c->wide && block->n % RT_PANEL && block->n % RT_PANEL <= VL;
    return rt_ceil_div(block->n, RT_PANEL) - last_is_part; /* it goes with the one before */
}

/* Panels outermost, in groups whose C stays in the cache. */
static void run_panels_first(const rt_block *block)
{
    cut c = cut_of(block);
    int64_t count = piece_count(block), panels = count_panels(block, &c);
    int64_t panel_floats = c.depth * RT_PANEL;
    int64_t group = rt_max(GROUP_BYTES / (block->m * RT_PANEL * (int64_t)sizeof(rt_real)), 1);
    for (int64_t first = 0; first < panels; first += group) {
        int64_t last = rt_min(first + group, panels);
        for (int64_t index = 0; index < count; index++) {
            piece p = piece_at(block, index, count);
            piece after = piece_at(block, rt_min(index + 1, count - 1), count);
            for (int64_t panel = first; panel < last; panel++) {
                const rt_real *next =
                    block->packed + p.depth * RT_PANEL + (panel + 1) * panel_floats;
                if (panel == last - 1 && index < count - 1)
                    next = block->packed + after.depth * RT_PANEL + first * panel_floats;
                else if (panel == last - 1)
                    next = block->packed + last * panel_floats;
                run_piece(block, &c, &p, panel * RT_PANEL,
                          panel == panels - 1 ? block->n : (panel + 1) * RT_PANEL,
                          (const char *)next);
            }
        }
        epilogue(block, 0, block->m, first * RT_PANEL, last == panels ? block->n : last * RT_PANEL);
    }
}

/* What is not near is fetched ahead of the reads, with all columns of a panel at once. */
static void run_one_tile(const rt_block *block)
{
    piece whole = piece_at(block, 0, 1);
    cut c = cut_of(block);
    rt_tile tile = tile_of(block, &whole);
    int is_near = block->n * c.depth * (int64_t)sizeof(rt_real) <= B_RESIDENT_BYTES;
    int64_t panels = count_panels(block, &c), columns;
    int64_t group = GROUP_BYTES / (block->m * (int64_t)sizeof(rt_real));
    int64_t told = block->from_end ? block->n : 0; /* columns from it on, or before, are finished */
    for (int64_t at = 0; at < panels; at++) {
        int64_t panel = block->from_end ? panels - 1 - at : at;
        int64_t begin = panel * RT_PANEL, end = panel == panels - 1 ? block->n : begin + RT_PANEL;
        tile.prefetch = (const char *)(block->packed + column_at(&c, begin)) + STREAM_AHEAD;
        tile.prefetch_step = is_near ? 0 : LINE_BYTES;
        for (int64_t n0 = begin; n0 < end; n0 += columns, tile.prefetch_step = 0) {
            columns = tile_columns(&c, n0);
            set_columns(block, &c, &whole, n0, &tile);
            run_tile(block, &whole, 0, block->m, n0, columns, &tile);
        }
        int64_t from = block->from_end ? begin : told, to = block->from_end ? told : end;
        if (to - from >= group || at == panels - 1) {
            epilogue(block, 0, block->m, from, to);
            told = block->from_end ? begin : end;
        }
    }
}

/* Few rows: by panels, so that each part of B is read once. Small B and many rows: by rows. */
rt_cut RT_FN(rt_block_cut)(int64_t m, int64_t panels, int64_t depth, int64_t rows_max,
                           int64_t wanted)
{
    int64_t bytes = panels * RT_PANEL * depth * (int64_t)sizeof(rt_real);
    int64_t tiles = rt_ceil_div(m, MR), rows = rt_ceil_div(m, rows_max);
    if (rows >= wanted) return (rt_cut){rows, 1};
    if (bytes <= B_BY_ROWS_BYTES && tiles >= 4 * wanted) return (rt_cut){wanted, 1};
    int64_t least = rt_min(rt_ceil_div(wanted, rows), panels), columns = least;
    for (int64_t i = least; i <= rt_min(2 * least, panels); i++)
        if (rt_ceil_div(panels, i) * i < rt_ceil_div(panels, columns) * columns) columns = i;
    if (rows * columns < wanted) rows = rt_min(tiles, rt_ceil_div(wanted, columns));
    return (rt_cut){rows, columns};
}

rt_cut RT_FN(rt_block_cut_rows)(int64_t m, int64_t panels, int64_t depth, int64_t row_bytes,
                                int64_t rows_least, int64_t rows_max, int64_t threads)
{
    int64_t fit = A_BLOCK_BYTES / rt_max(row_bytes, 1);
    return RT_FN(rt_block_cut)(m, panels, depth, rt_min(rt_max(fit, rows_least), rows_max),
                               threads > 1 ? 4 * threads : 1);
}

void RT_FN(rt_block_run)(const rt_block *block)
{
    if (block->m <= 0 || block->n <= 0) return;
    if (block->room) {
        RT_FN(rt_block_run_amx)(block);
        return;
    }
    int64_t bytes = rt_ceil_div(block->n, RT_PANEL) * RT_PANEL * block->taps * block->run *
                    (int64_t)sizeof(rt_real);
    int is_used_often = bytes <= B_NEAR_BYTES || rt_block_tiles(block->m) >= MANY_TILES;
    if (bytes <= B_RESIDENT_BYTES && is_used_often && !block->fine)
        run_rows_first(block);
    else if (rt_block_tiles(block->m) == 1 && !block->fine)
        run_one_tile(block);
    else
        run_panels_first(block);
}
