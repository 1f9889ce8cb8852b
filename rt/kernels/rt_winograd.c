/* rt_winograd.c - 3x3 convolutions of stride 1 by Winograd's minimal filtering, F(2x2,3x3) and F(4x4,3x3)
 * (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
 *
 * A tile of output pixels, 2 or 4 a side, comes of a patch of the input that is two more a side. Patches are
 * transformed, as many at a time as stay near in the cache; then each of their positions is a product of
 * tiles x input channels and input channels x output channels, whose right side is the transformed weight
 * (rt_pack.c), through the tiles of rt_tile.c; the results are transformed back.
 *
 * F(4x4,3x3) interpolates at 0, +-sqrt(1/2), +-sqrt(2) and infinity: its sums have half the error of those at
 * the usual 0, +-1, +-2 (Barabasz et al., "Error Analysis and Improving the Accuracy of Winograd Convolution
 * for Deep Neural Networks", 2020, on how points decide that), and positions are summed up in short parts.
 */
#include "rt_isa.h"

#include "rt_band.h"

enum { MOST_TILE = 4, MOST_SIZE = MOST_TILE + 2, MOST_POSITIONS = MOST_SIZE * MOST_SIZE };

typedef struct winograd {
    const rt_conv *g;
    const float *x, *packed;
    float *y;
    rt_post post;
    int64_t size, positions;         /* of a patch: along a side, all */
    int64_t tile_rows, tile_columns; /* of an image */
    int64_t first, count;            /* tiles in work */
    int64_t pitch, patch_floats;     /* from position to position; from patch to patch */
    int64_t result_floats;           /* from the products of one tile to the next's */
    int64_t panels, blocks;
    float *patches;
    const float *zeros;
    size_t pixels_at; /* bytes into a worker's area: pixels whose channels lie apart, together */
    const rt_scratch *scratch;
} winograd;

/* ---- the transforms along one side ---- */

#define HALF_ROOT 0.70710678118654752440f /* a: the square root of 1/2 */
#define ROOT 1.41421356237309504880f      /* b: that of 2 */

RT_INLINE void patch_line(const vf *x, vf *y, const int size)
{
    if (size == 4) {
        y[0] = x[0] - x[2];
        y[1] = x[1] + x[2];
        y[2] = x[2] - x[1];
        y[3] = x[1] - x[3];
        return;
    }
    vf even_a = x[4] - x[2] * 2.0f, odd_a = x[3] * HALF_ROOT - x[1] * ROOT;
    vf even_b = x[4] - x[2] * 0.5f, odd_b = x[3] * ROOT - x[1] * HALF_ROOT;
    y[0] = x[0] + x[4] - x[2] * 2.5f;
    y[1] = even_a + odd_a;
    y[2] = even_a - odd_a;
    y[3] = even_b + odd_b;
    y[4] = even_b - odd_b;
    y[5] = x[1] + x[5] - x[3] * 2.5f;
}

RT_INLINE void result_line(const vf *x, vf *y, const int size)
{
    if (size == 4) {
        y[0] = x[0] + x[1] + x[2];
        y[1] = x[1] - x[2] - x[3];
        return;
    }
    vf sum_a = x[1] + x[2], difference_a = x[1] - x[2];
    vf sum_b = x[3] + x[4], difference_b = x[3] - x[4];
    y[0] = x[0] + sum_a + sum_b;
    y[1] = difference_a * HALF_ROOT + difference_b * ROOT;
    y[2] = sum_a * 0.5f + sum_b * 2.0f;
    y[3] = x[5] + difference_a * (HALF_ROOT / 2) + difference_b * (2 * ROOT);
}

/* ---- patches ---- */

RT_INLINE vf load_some(const float *p, int64_t left)
{
    return left >= VL ? v_load(p) : v_load_part(p, left);
}

/* Where the vector begins that holds the channels from c on: the last one reaches back over others, unless
 * all are less than a vector. */
RT_INLINE int64_t begin_of(int64_t c, int64_t channels)
{
    return channels < VL ? 0 : rt_min(c, channels - VL);
}

/* The patch under a pointer a pixel, [position][channel]. */
RT_INLINE void patch_body(const float *const *pixels, int64_t channels, float *out, int64_t pitch,
                          const int size)
{
    for (int64_t next = 0; next < channels; next += VL) {
        int64_t c = begin_of(next, channels);
        vf half[MOST_SIZE][MOST_SIZE];
        for (int j = 0; j < size; j++) {
            vf x[MOST_SIZE], y[MOST_SIZE];
#pragma GCC unroll 6
            for (int i = 0; i < size; i++) x[i] = load_some(pixels[i * size + j] + c, channels - c);
            patch_line(x, y, size);
#pragma GCC unroll 6
            for (int i = 0; i < size; i++) half[i][j] = y[i];
        }
        for (int i = 0; i < size; i++) {
            vf y[MOST_SIZE];
            patch_line(half[i], y, size);
#pragma GCC unroll 6
            for (int j = 0; j < size; j++) v_store(out + (i * size + j) * pitch + c, y[j]);
        }
    }
}

typedef struct tile_place {
    int64_t image, row, column; /* its first output pixel */
} tile_place;

static tile_place place_of(const winograd *s, int64_t tile)
{
    int64_t side = s->size - 2, row = tile / s->tile_columns;
    return (tile_place){.image = row / s->tile_rows,
                        .row = row % s->tile_rows * side,
                        .column = tile % s->tile_columns * side};
}

/* A pointer to each pixel of the patch under a tile, or to zeros outside the image. `room`: for pixels whose
 * channels lie apart. */
static void find_pixels(const winograd *s, int64_t tile, const float **pixels, float *room)
{
    const rt_conv *g = s->g;
    tile_place at = place_of(s, tile);
    const float *image = s->x + at.image * g->x_batch;
    for (int64_t i = 0; i < s->size; i++) {
        int64_t h = at.row - g->pad[1] + i;
        for (int64_t j = 0; j < s->size; j++, pixels++) {
            int64_t w = at.column - g->pad[2] + j;
            int inside = rt_is_inside(h, g->in[1]) && rt_is_inside(w, g->in[2]);
            *pixels = inside ? image + h * g->x[1] + w * g->x[2] : s->zeros;
            if (!inside || g->x_channel == 1) continue;
            rt_copy_pixels(*pixels, 0, g->x_channel, 1, g->in_channels, room, s->pitch);
            *pixels = room;
            room += s->pitch;
        }
    }
}

static void patch_task(void *context, int64_t begin, int64_t end, int worker)
{
    const winograd *s = context;
    const float *pixels[MOST_POSITIONS];
    float *room = (float *)((char *)rt_scratch_worker(s->scratch, worker) + s->pixels_at);
    for (int64_t i = begin; i < end; i++) {
        float *out = s->patches + i * s->patch_floats;
        find_pixels(s, s->first + i, pixels, room);
        if (s->size == 4)
            patch_body(pixels, s->g->in_channels, out, s->pitch, 4);
        else
            patch_body(pixels, s->g->in_channels, out, s->pitch, 6);
    }
}

/* ---- products ---- */

/* Of tiles [begin, end) of those in work, for the output channels of a panel: [tile][position][channel]. */
static void multiply(const winograd *s, int64_t begin, int64_t end, int64_t panel, float *results)
{
    const float *rows[RT_WINOGRAD_TILES];
    int64_t channels = s->g->in_channels,
            columns = rt_min(RT_PANEL, s->g->out_channels - panel * RT_PANEL);
    for (int64_t p = 0; p < s->positions; p++) {
        rt_rows_plain(rows, s->patches + begin * s->patch_floats + p * s->pitch, s->patch_floats,
                      end - begin);
        rt_block block = {
            .m = end - begin,
            .n = rt_ceil_div(columns, VL) * VL,
            .taps = 1,
            .run = channels,
            .rows = rows,
            .packed = s->packed + (panel * s->positions + p) * channels * RT_PANEL,
            .c = results + p * RT_PANEL,
            .ldc = s->result_floats,
            .fine = 1,
        };
        RT_FN(rt_block_run)(&block);
    }
}

/* ---- results ---- */

/* Where the results of a tile go: `columns` channels of pixels that are there. */
typedef struct target {
    float *first;
    int64_t rows, pixels, columns; /* pixels: of a row */
    int64_t row, pixel;            /* steps in floats */
    const float *bias;
} target;

static target target_of(const winograd *s, int64_t tile, int64_t panel)
{
    const rt_conv *g = s->g;
    tile_place at = place_of(s, tile);
    int64_t side = s->size - 2, channel = panel * RT_PANEL;
    int64_t pixel = (at.image * g->out[1] + at.row) * g->out[2] + at.column;
    return (target){.first = s->y + pixel * g->y_row + channel,
                    .rows = rt_min(side, g->out[1] - at.row),
                    .pixels = rt_min(side, g->out[2] - at.column),
                    .columns = rt_min(RT_PANEL, g->out_channels - channel),
                    .row = g->out[2] * g->y_row,
                    .pixel = g->y_row,
                    .bias = s->post.bias ? s->post.bias + channel : NULL};
}

/* One vector of a pixel's channels; `left`: all that there are from here on. */
RT_INLINE void put(const rt_post *post, float *to, vf sum, int64_t left)
{
    if (post->accumulate) sum += load_some(to, left);
    if (post->clamp) sum = v_clamp(sum, v_set(post->low), v_set(post->high));
    if (left >= VL)
        v_store(to, sum);
    else
        v_store_part(to, sum, left);
}

RT_INLINE void result_body(const rt_post *post, const float *results, const target *to,
                           const int size)
{
    for (int64_t next = 0; next < to->columns; next += VL) {
        int64_t n = post->accumulate ? next : begin_of(next, to->columns), left = to->columns - n;
        vf half[MOST_TILE][MOST_SIZE], bias = {0};
        if (to->bias) bias = load_some(to->bias + n, left);
        for (int j = 0; j < size; j++) {
            vf x[MOST_SIZE], y[MOST_TILE];
#pragma GCC unroll 6
            for (int i = 0; i < size; i++) x[i] = v_load(results + (i * size + j) * RT_PANEL + n);
            result_line(x, y, size);
#pragma GCC unroll 4
            for (int i = 0; i < size - 2; i++) half[i][j] = y[i];
        }
        for (int64_t i = 0; i < to->rows; i++) {
            vf y[MOST_TILE];
            float *row = to->first + i * to->row + n;
            result_line(half[i], y, size);
#pragma GCC unroll 4
            for (int j = 0; j < size - 2; j++)
                if (j < to->pixels) put(post, row + j * to->pixel, y[j] + bias, left);
        }
    }
}

/* The epilogue of tiles that follow each other, over rows of pixels of an image: those of whole rows of tiles
 * at once. */
static void run_epilogue(const winograd *s, int64_t begin, int64_t end, int64_t panel)
{
    const rt_conv *g = s->g;
    int64_t n0 = panel * RT_PANEL, n1 = rt_min(n0 + RT_PANEL, g->out_channels), side = s->size - 2;
    for (int64_t tile = begin, next; tile < end; tile = next) {
        tile_place at = place_of(s, tile);
        next = rt_min(end, (tile / s->tile_columns + 1) * s->tile_columns);
        int64_t width = rt_min((next - tile) * side, g->out[2] - at.column);
        int64_t rows = rt_min(side, g->out[1] - at.row);
        int64_t first = (at.image * g->out[1] + at.row) * g->out[2] + at.column;
        int64_t times = width == g->out[2] ? 1 : rows, pixels = width * (rows / times);
        for (int64_t i = 0; i < times; i++, first += g->out[2])
            s->post.epilogue(s->post.context, first, first + pixels, n0, n1);
    }
}

static void product_task(void *context, int64_t begin, int64_t end, int worker)
{
    const winograd *s = context;
    float *results = rt_scratch_worker(s->scratch, worker);
    for (int64_t i = begin; i < end; i++) {
        int64_t block = i / s->panels, panel = i % s->panels;
        int64_t t0 = s->count * block / s->blocks, t1 = s->count * (block + 1) / s->blocks;
        multiply(s, t0, t1, panel, results);
        for (int64_t t = t0; t < t1; t++) {
            const float *from = results + (t - t0) * s->result_floats;
            target to = target_of(s, s->first + t, panel);
            if (s->size == 4)
                result_body(&s->post, from, &to, 4);
            else
                result_body(&s->post, from, &to, 6);
        }
        if (s->post.epilogue) run_epilogue(s, s->first + t0, s->first + t1, panel);
    }
}

/* ---- how it is cut ---- */

static void run_some(rt_pool *pool, winograd *s)
{
    int64_t threads = rt_pool_threads(pool), wanted = threads > 1 ? 4 * threads : 1;
    int64_t channels = s->g->in_channels;
    s->blocks = rt_max(rt_ceil_div(s->count, RT_WINOGRAD_TILES),
                       rt_min(rt_ceil_div(wanted, s->panels), rt_ceil_div(s->count, MR)));
    int64_t tasks = s->blocks * s->panels;
    int64_t weights = s->positions * channels * s->panels * RT_PANEL;
    rt_parallel(pool, patch_task, s, s->count,
                rt_grain(s->count, 12 * s->count * s->positions * channels, 0));
    rt_parallel(pool, product_task, s, tasks,
                rt_grain(tasks, 2 * s->count * weights, weights * (int64_t)sizeof(float)));
}

/* As need_conv.c has it. */
int RT_FN(rt_winograd)(rt_team *team, const rt_conv *g, const float *x, const float *packed,
                       float *y, const rt_post *post)
{
    winograd s = {.g = g, .x = x, .packed = packed, .y = y, .size = g->tile + 2};
    if (post) s.post = *post;
    s.positions = s.size * s.size;
    s.tile_rows = rt_ceil_div(g->out[1], g->tile);
    s.tile_columns = rt_ceil_div(g->out[2], g->tile);
    s.panels = rt_ceil_div(g->out_channels, RT_PANEL);
    s.pitch = rt_ceil_div(g->in_channels, RT_MOST_LANES) * RT_MOST_LANES;
    /* a line more, so that neighbours do not meet in the same set of the cache */
    s.patch_floats = s.positions * s.pitch + RT_MOST_LANES;
    s.result_floats = s.positions * RT_PANEL + RT_MOST_LANES;
    int64_t tiles = g->batch * s.tile_rows * s.tile_columns;
    int64_t fit = RT_WINOGRAD_BYTES / (s.patch_floats * (int64_t)sizeof(float));
    int64_t together = rt_min(rt_max(fit, RT_MOST_ROWS), tiles);
    size_t patches = (size_t)(together * s.patch_floats) * sizeof(float);
    s.pixels_at = (size_t)(rt_min(together, RT_WINOGRAD_TILES) * s.result_floats) * sizeof(float);
    size_t pixels = g->x_channel == 1 ? 0 : (size_t)(s.positions * s.pitch) * sizeof(float);
    rt_scratch scratch;
    if (rt_scratch_take(team, patches + (size_t)s.pitch * sizeof(float), s.pixels_at + pixels,
                        &scratch) != 0)
        return -1;
    s.patches = rt_scratch_shared(&scratch);
    s.zeros = memset((char *)s.patches + patches, 0, (size_t)s.pitch * sizeof(float));
    s.scratch = &scratch;
    for (; s.first < tiles; s.first += s.count) {
        s.count = rt_min(together, tiles - s.first);
        run_some(team->pool, &s);
    }
    rt_scratch_drop(team, &scratch);
    return 0;
}
