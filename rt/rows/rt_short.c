/* rt_short.c - short rows, RT_ASIDE of them side by side. See rt_short.h. */
#include "rt_short.h"

#include "rt_entry.h"

#include <string.h>

enum {
    LEAST_ROWS = 4,  /* fewer do not fill the lanes */
    MOST_FIRST = 64, /* that are kept of longer rows, */
    FIRST_ROW =
        256, /* up to this length, and of any length where rows stand side by side in memory */
    FIRST_OF_ALL = 2 /* less of a row than one part in this: not all of it is sorted */
};

static int may_be_aside(const rt_rows *rows)
{
    int64_t least = rt_rank_kernels_of(0)->compares_64 ? LEAST_ROWS : RT_ASIDE;
    return rows->rows >= least && rt_key_bits(rows->x->dtype) <= 32;
}

int rt_rows_are_short(const rt_rows *rows)
{
    return may_be_aside(rows) && rows->n <= rt_rank_kernels_of(0)->longest;
}

static int64_t power_from(int64_t k)
{
    int64_t power = 1;
    while (power < k) power *= 2;
    return power;
}

static int are_adjacent(const rt_rows *rows)
{
    const fe_tensor *x = rows->x;
    uint32_t last = x->rank - 1;
    if (last == rows->dim && last > 0) last--;
    return last != rows->dim && x->strides[last] == 1 && x->sizes[last] >= RT_ASIDE;
}

int rt_rows_are_short_for(const rt_rows *rows, int64_t k)
{
    if (rt_rows_are_short(rows)) return 1;
    if (!may_be_aside(rows) || rt_rank_kernels_of(0)->longest < RT_ASIDE_ITEMS) return 0;
    return k <= MOST_FIRST && rows->n <= UINT32_MAX && (rows->n <= FIRST_ROW || are_adjacent(rows));
}

/* ---- groups of rows ---- */

/* Consecutive rows: where the next one begins, in elements of x, values and places. */
typedef struct walk {
    const rt_rows *rows;
    const fe_tensor *tensors[3];
    int64_t at[RT_MAX_RANK], offset[3];
} walk;

typedef struct group {
    rt_aside aside;
    int64_t values[RT_ASIDE], places[RT_ASIDE];
} group;

static void step(walk *w, uint32_t d, int64_t steps)
{
    w->at[d] += steps;
    for (int t = 0; t < 3; t++)
        if (w->tensors[t]->data) w->offset[t] += steps * w->tensors[t]->strides[d];
}

static walk walk_from(const rt_rows *rows, int64_t row)
{
    walk w = {.rows = rows, .tensors = {rows->x, rows->values, rows->places}};
    for (uint32_t d = rows->x->rank; d-- > 0;) {
        if (d == rows->dim) continue;
        step(&w, d, row % rows->x->sizes[d]);
        row /= rows->x->sizes[d];
    }
    return w;
}

static void next_row(walk *w)
{
    for (uint32_t d = w->rows->x->rank; d-- > 0;) {
        if (d == w->rows->dim) continue;
        if (w->at[d] + 1 < w->rows->x->sizes[d]) {
            step(w, d, 1);
            return;
        }
        step(w, d, -w->at[d]);
    }
}

static void take_group(walk *w, int count, uint64_t flip, group *g)
{
    const fe_tensor *x = w->rows->x;
    int64_t first = w->offset[0], size = rt_key_bits(x->dtype) / 8;
    g->aside = (rt_aside){.count = count,
                          .adjacent = count == RT_ASIDE,
                          .stride = x->strides[w->rows->dim],
                          .dtype = x->dtype,
                          .flip = (uint32_t)flip};
    for (int l = 0; l < count; l++, next_row(w)) {
        g->aside.adjacent &= w->offset[0] == first + l;
        g->aside.rows[l] = (const char *)x->data + w->offset[0] * size;
        g->values[l] = w->offset[1];
        g->places[l] = w->offset[2];
    }
}

#define PUT(type)                                                                            \
    {                                                                                        \
        const type *from = g->aside.rows[lane];                                              \
        type *to = (type *)v->data + g->values[lane];                                        \
        for (int64_t k = 0; k < count; k++)                                                  \
            to[k * step] = from[rt_tile_place(tile[k * RT_ASIDE + lane]) * g->aside.stride]; \
        break;                                                                               \
    }

/* The first elements of row `lane` of the results are those of so many items of the tile. */
static void put_lane(const rt_rows *rows, const group *g, int lane, const int64_t *tile,
                     int64_t count)
{
    const fe_tensor *v = rows->values, *p = rows->places;
    if (v->data) {
        int64_t step = v->strides[rows->dim];
        switch (rt_key_bits(v->dtype)) {
        case 8: PUT(uint8_t)
        case 16: PUT(uint16_t)
        default: PUT(uint32_t)
        }
    }
    if (!p->data) return;
    int64_t *to = (int64_t *)p->data + g->places[lane], step = p->strides[rows->dim];
    for (int64_t k = 0; k < count; k++) to[k * step] = rt_tile_place(tile[k * RT_ASIDE + lane]);
}

/* ---- the operators ---- */

typedef int64_t
    tile_of_rows[RT_ASIDE_ITEMS * RT_ASIDE]; /* of less rows, the lanes without one hold anything */

/* What is wanted of a group's sorted rows. */
typedef struct wanted {
    int64_t kept; /* of each row */
    void (*finish)(const struct wanted *w, const rt_rows *rows, const group *g,
                   const int64_t *tile);
    rt_short_place *place;
    const void *context;
} wanted;

/* The first items of rows: `kept`, a power of two, at a time. */
static void keep_first(const rt_rank_kernels *kernels, const rt_rows *rows, const group *g,
                       int64_t kept, int64_t *tile)
{
    int64_t *more = tile + kept * RT_ASIDE, least = kept < rows->n ? kept : rows->n;
    kernels->fill(&g->aside, 0, least, tile);
    kernels->sort(tile, least);
    for (int64_t at = least; at < rows->n; at += kept) {
        int64_t count = rows->n - at < kept ? rows->n - at : kept;
        kernels->fill(&g->aside, at, count, more);
        for (int64_t k = count * RT_ASIDE; k < kept * RT_ASIDE; k++) more[k] = INT64_MAX;
        kernels->sort(more, count);
        kernels->first(tile, more, kept);
    }
}

static void over_groups(const rt_rows *rows, int64_t begin, int64_t end, uint64_t flip,
                        const wanted *want)
{
    const rt_rank_kernels *kernels = rt_rank_kernels_of(0);
    tile_of_rows tile;
    walk w = walk_from(rows, begin);
    int64_t kept = power_from(want->kept);
    int is_all = rows->n <= kernels->longest && kept * FIRST_OF_ALL > rows->n;
    group g;
    if (end - begin < RT_ASIDE)
        memset(tile, 0, (size_t)(is_all ? rows->n : kept) * sizeof *tile * RT_ASIDE);
    for (int64_t row = begin; row < end; row += RT_ASIDE) {
        take_group(&w, (int)(end - row < RT_ASIDE ? end - row : RT_ASIDE), flip, &g);
        if (is_all) {
            kernels->fill(&g.aside, 0, rows->n, tile);
            kernels->sort(tile, rows->n);
        } else {
            keep_first(kernels, rows, &g, kept, tile);
        }
        want->finish(want, rows, &g, tile);
    }
}

static void put_all(const wanted *want, const rt_rows *rows, const group *g, const int64_t *tile)
{
    for (int l = 0; l < g->aside.count; l++) put_lane(rows, g, l, tile, want->kept);
}

void rt_short_sort(const rt_rows *rows, int64_t begin, int64_t end, uint64_t flip)
{
    const wanted want = {.kept = rows->n, .finish = put_all};
    over_groups(rows, begin, end, flip, &want);
}

void rt_short_topk(const rt_rows *rows, int64_t begin, int64_t end, uint64_t flip, int64_t k)
{
    const wanted want = {.kept = k, .finish = put_all};
    over_groups(rows, begin, end, flip, &want);
}

static uint32_t nan_key(const rt_rows *rows)
{
    return (uint32_t)rt_key_ones(rows->x->dtype) ^ 0x80000000;
}

static void put_mode(const wanted *want, const rt_rows *rows, const group *g, const int64_t *tile)
{
    int64_t places[RT_ASIDE];
    (void)want;
    rt_rank_kernels_of(0)->mode(tile, rows->n,
                                rt_has_nan(rows->x->dtype) ? (int64_t)nan_key(rows) : -1, places);
    for (int l = 0; l < g->aside.count; l++) put_lane(rows, g, l, places, 1);
}

void rt_short_mode(const rt_rows *rows, int64_t begin, int64_t end)
{
    const wanted want = {.kept = rows->n, .finish = put_mode};
    over_groups(rows, begin, end, 0, &want);
}

static void put_selected(const wanted *want, const rt_rows *rows, const group *g,
                         const int64_t *tile)
{
    int has_nan = rt_has_nan(rows->x->dtype);
    for (int l = 0; l < g->aside.count; l++) {
        int64_t last = rows->n;
        while (has_nan && last > 0 && rt_tile_key(tile[(last - 1) * RT_ASIDE + l]) == nan_key(rows))
            last--;
        int64_t place = want->place(want->context, rows->n - last);
        put_lane(rows, g, l, tile + place * RT_ASIDE, 1);
    }
}

void rt_short_select(const rt_rows *rows, int64_t begin, int64_t end, rt_short_place *place,
                     const void *context)
{
    const wanted want = {
        .kept = rows->n, .finish = put_selected, .place = place, .context = context};
    over_groups(rows, begin, end, 0, &want);
}
