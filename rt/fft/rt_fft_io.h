/* rt_fft_io.h - rows between memory and planar form. */
#include "rt_fft_passes.h"

/* The rows of one group. Lanes beyond them look at the first row. */
typedef struct group {
    const rt_fft_job *job;
    int64_t lanes, rows;
    int64_t *in_rows, *out_rows; /* where each begins, in reals */
    int one_run;                 /* all are one step apart */
    planar at, other;            /* the numbers, and room to work in */
} group;

/* Number j of a row has its real part at j * step and its imaginary part, if it has one, `part`
 * behind: a complex number, or two real ones. */
typedef struct layout {
    const int64_t *rows;
    int64_t step, part; /* in reals; part 0: none */
    int side_by_side;   /* the rows follow each other, this far apart; or 0 */
} layout;

static layout layout_of(const group *g, const rt_fft_side *side, const int64_t *rows, int paired)
{
    const rt_fft_job *job = g->job;
    const int64_t *strides = side == &job->in ? job->in_strides : job->out_strides;
    layout l = {rows, side->step, 0, 0};
    if (side->is_complex) {
        l.step *= 2;
        l.part = 1;
    } else if (paired) {
        l.step *= 2;
        l.part = side->step;
    }
    if (g->rows == 1 || (g->one_run && strides[job->dims - 1] == 1))
        l.side_by_side = 1 + side->is_complex;
    return l;
}

static int is_dense(const layout *l)
{
    return l->part ? l->step == 2 && l->part == 1 : l->step == 1;
}

/* ---- one line: numbers that follow each other in planar form ---- */

static void load_pairs(planar to, int64_t at, const real *from, int64_t count)
{
    int64_t i = 0;
    for (; i + FFT_LANES <= count; i += FFT_LANES) {
        vec a = load(from + 2 * i), b = load(from + 2 * i + FFT_LANES);
        unriffle(&a, &b);
        store(to.re + at + i, a);
        store(to.im + at + i, b);
    }
    for (; i < count; i++) {
        to.re[at + i] = from[2 * i];
        to.im[at + i] = from[2 * i + 1];
    }
}

static void store_pairs(planar from, int64_t at, real *to, int64_t count, real re, real im)
{
    int64_t i = 0;
    for (; i + FFT_LANES <= count; i += FFT_LANES) {
        vec a = load(from.re + at + i) * re, b = load(from.im + at + i) * im;
        riffle(&a, &b, 1);
        store(to + 2 * i, a);
        store(to + 2 * i + FFT_LANES, b);
    }
    for (; i < count; i++) {
        to[2 * i] = from.re[at + i] * re;
        to[2 * i + 1] = from.im[at + i] * im;
    }
}

static void store_reals(const real *from, real *to, int64_t count, real scale)
{
    int64_t i = 0;
    for (; i + FFT_LANES <= count; i += FFT_LANES) store(to + i, load(from + i) * scale);
    for (; i < count; i++) to[i] = from[i] * scale;
}

/* ---- rows side by side, dense each: squares of a vector's lanes are transposed ---- */

/* Of real number i + k of a row in pairs, where i is a multiple of a vector's lanes. */
#define IS_SECOND(i, k) ((FFT_LANES > 1 ? (k) : (i)) % 2 == 1)

/* Reals of the rows, `width` a number (2: parts in turn). */
RT_INLINE void load_transposed(planar to, int64_t lanes, const layout *l, const real *from,
                               int64_t count, const int width)
{
    int64_t i = 0, reals = count * width;
    for (; i + FFT_LANES <= reals; i += FFT_LANES)
        for (int64_t q = 0; q < lanes; q += FFT_LANES) {
            vec x[FFT_LANES];
#pragma GCC unroll 16
            for (int k = 0; k < FFT_LANES; k++) x[k] = load(from + l->rows[q + k] + i);
            transpose(x);
#pragma GCC unroll 16
            for (int k = 0; k < FFT_LANES; k++) {
                real *part = width == 2 && IS_SECOND(i, k) ? to.im : to.re;
                store(part + (i + k) / width * lanes + q, x[k]);
            }
        }
    for (; i < reals; i++)
        for (int64_t q = 0; q < lanes; q++) {
            real *part = width == 2 && i % 2 ? to.im : to.re;
            part[i / width * lanes + q] = from[l->rows[q] + i];
        }
}

RT_INLINE void store_transposed(planar from, const group *g, const layout *l, real *to,
                                int64_t count, real re, real im, const int width)
{
    int64_t i = 0, reals = count * width;
    for (; i + FFT_LANES <= reals; i += FFT_LANES)
        for (int64_t q = 0; q < g->rows; q += FFT_LANES) {
            vec x[FFT_LANES];
#pragma GCC unroll 16
            for (int k = 0; k < FFT_LANES; k++) {
                int second = width == 2 && IS_SECOND(i, k);
                x[k] = load((second ? from.im : from.re) + (i + k) / width * g->lanes + q) *
                       (second ? im : re);
            }
            transpose(x);
            if (q + FFT_LANES <= g->rows) {
#pragma GCC unroll 16
                for (int k = 0; k < FFT_LANES; k++) store(to + l->rows[q + k] + i, x[k]);
            } else {
                for (int k = 0; q + k < g->rows; k++) store(to + l->rows[q + k] + i, x[k]);
            }
        }
    for (; i < reals; i++)
        for (int64_t q = 0; q < g->rows; q++) {
            int second = width == 2 && i % 2;
            to[l->rows[q] + i] =
                (second ? from.im : from.re)[i / width * g->lanes + q] * (second ? im : re);
        }
}

/* ---- all numbers of a group ---- */

static void clear(const group *g, int64_t from, int64_t to, int real_part)
{
    size_t bytes = (size_t)((to - from) * g->lanes) * sizeof(real);
    if (to <= from) return;
    if (real_part) memset(g->at.re + from * g->lanes, 0, bytes);
    memset(g->at.im + from * g->lanes, 0, bytes);
}

/* One number of all lanes, or (lanes 1) all numbers of a row. */
static void load_scattered(const group *g, const layout *l, const real *from, int64_t count)
{
    for (int64_t q = 0; q < g->lanes; q++)
        for (int64_t j = 0; j < count; j++) {
            const real *x = from + l->rows[q] + j * l->step;
            g->at.re[j * g->lanes + q] = x[0];
            if (l->part) g->at.im[j * g->lanes + q] = x[l->part];
        }
}

static void load_side_by_side(const group *g, const layout *l, const real *from, int64_t count)
{
    const size_t bytes = (size_t)g->rows * sizeof(real);
    for (int64_t j = 0; j < count; j++) {
        const real *x = from + l->rows[0] + j * l->step;
        int64_t at = j * g->lanes;
        if (l->part == 1 && l->side_by_side == 2) {
            load_pairs(g->at, at, x, g->rows);
        } else {
            memcpy(g->at.re + at, x, bytes);
            if (l->part) memcpy(g->at.im + at, x + l->part, bytes);
        }
        for (int64_t q = g->rows; q < g->lanes; q++) g->at.re[at + q] = g->at.im[at + q] = 0;
    }
}

static void load_numbers(const group *g, const layout *l, const real *from, int64_t count)
{
    if (g->lanes == 1 && is_dense(l) && l->part)
        load_pairs(g->at, 0, from + l->rows[0], count);
    else if (g->lanes == 1 && is_dense(l))
        memcpy(g->at.re, from + l->rows[0], (size_t)count * sizeof(real));
    else if (g->lanes > 1 && l->side_by_side)
        load_side_by_side(g, l, from, count);
    else if (g->lanes > 1 && is_dense(l) && l->part)
        load_transposed(g->at, g->lanes, l, from, count, 2);
    else if (g->lanes > 1 && is_dense(l))
        load_transposed(g->at, g->lanes, l, from, count, 1);
    else
        load_scattered(g, l, from, count);
}

/* The first `count` numbers: what the input has of them, then zeros. paired: two reals make one. */
static void load_group(const group *g, int64_t count, int paired)
{
    const rt_fft_side *in = &g->job->in;
    layout l = layout_of(g, in, g->in_rows, paired);
    const real *from = (const real *)in->data;
    int64_t there = rt_min(paired ? in->count / 2 : in->count, count);
    load_numbers(g, &l, from, there);
    if (!l.part) clear(g, 0, there, 0);
    clear(g, there, count, 1);
    if (paired && in->count % 2 && there < count)
        for (int64_t q = 0; q < g->rows; q++)
            g->at.re[there * g->lanes + q] = from[g->in_rows[q] + there * l.step];
}

static void store_scattered(const group *g, const layout *l, real *to, int64_t count, real re,
                            real im)
{
    for (int64_t q = 0; q < g->rows; q++)
        for (int64_t j = 0; j < count; j++) {
            real *y = to + l->rows[q] + j * l->step;
            y[0] = g->at.re[j * g->lanes + q] * re;
            if (l->part) y[l->part] = g->at.im[j * g->lanes + q] * im;
        }
}

static void store_side_by_side(const group *g, const layout *l, real *to, int64_t count, real re,
                               real im)
{
    for (int64_t j = 0; j < count; j++) {
        real *y = to + l->rows[0] + j * l->step;
        int64_t at = j * g->lanes;
        if (l->part == 1 && l->side_by_side == 2) {
            store_pairs(g->at, at, y, g->rows, re, im);
        } else {
            store_reals(g->at.re + at, y, g->rows, re);
            if (l->part) store_reals(g->at.im + at, y + l->part, g->rows, im);
        }
    }
}

static void store_group(const group *g, int64_t count, int paired)
{
    const rt_fft_side *out = &g->job->out;
    layout l = layout_of(g, out, g->out_rows, paired);
    real *to = (real *)out->data, re = (real)g->job->scale, im = re;
    if (out->is_complex && g->job->conjugate) im = -im;
    if (g->lanes == 1 && is_dense(&l) && l.part)
        store_pairs(g->at, 0, to + l.rows[0], count, re, im);
    else if (g->lanes == 1 && is_dense(&l))
        store_reals(g->at.re, to + l.rows[0], count, re);
    else if (g->lanes > 1 && l.side_by_side)
        store_side_by_side(g, &l, to, count, re, im);
    else if (g->lanes > 1 && is_dense(&l) && l.part)
        store_transposed(g->at, g, &l, to, count, re, im, 2);
    else if (g->lanes > 1 && is_dense(&l))
        store_transposed(g->at, g, &l, to, count, re, im, 1);
    else
        store_scattered(g, &l, to, count, re, im);
}
