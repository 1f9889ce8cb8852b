/* rt_fft.h - the transforms of a group of rows: load, transform, store. The text of rt_fft_f32.c and
 * rt_fft_f64.c, which define `real`.
 */
#include "rt_fft_io.h"

static planar exchanged(planar x)
{
    return (planar){x.im, x.re};
}

/* ---- products with a table, along the rows ---- */

/* x[i] *= table[i]; the table has its parts apart. */
static void multiply(planar x, int64_t lanes, const real *re, const real *im, int64_t count)
{
    int64_t i = 0;
    planar table = {(real *)re, (real *)im};
    if (lanes > 1)
        for (; i < count; i++)
            for (int64_t q = 0; q < lanes; q += FFT_LANES) {
                cvec w = {spread(re[i]), spread(im[i])};
                c_store(x, i * lanes + q, c_mul(c_load(x, i * lanes + q), w));
            }
    for (; i + FFT_LANES <= count; i += FFT_LANES)
        c_store(x, i, c_mul(c_load(x, i), c_load(table, i)));
    for (; i < count; i++) {
        real a = x.re[i], b = x.im[i];
        x.re[i] = a * re[i] - b * im[i];
        x.im[i] = a * im[i] + b * re[i];
    }
}

/* Real factors, one table for each part. */
static void weigh(real *x, int64_t lanes, const real *weights, int64_t count)
{
    int64_t i = 0;
    if (lanes > 1)
        for (; i < count; i++)
            for (int64_t q = 0; q < lanes; q += FFT_LANES)
                store(x + i * lanes + q, load(x + i * lanes + q) * weights[i]);
    for (; i + FFT_LANES <= count; i += FFT_LANES) store(x + i, load(x + i) * load(weights + i));
    for (; i < count; i++) x[i] *= weights[i];
}

/* ---- forward transforms of planar data ---- */

static void swap(planar *a, planar *b)
{
    planar c = *a;
    *a = *b;
    *b = c;
}

static void run_passes(const rt_fft_plan *plan, int64_t lanes, planar *at, planar *other)
{
    for (uint32_t k = 0; k < plan->pass_count; k++) {
        run_pass(&plan->passes[k], lanes, *at, *other);
        swap(at, other);
    }
}

/* A transform as a convolution with a chirp (Bluestein). */
static void convolve(const rt_fft_plan *plan, int64_t lanes, planar *at, planar *other)
{
    const int64_t n = plan->key.length, room = plan->inner->key.length;
    const real *chirp = plan->chirp, *response = plan->response;
    const size_t rest = (size_t)((room - n) * lanes) * sizeof(real);
    multiply(*at, lanes, chirp, chirp + n, n);
    memset(at->re + n * lanes, 0, rest);
    memset(at->im + n * lanes, 0, rest);
    run_passes(plan->inner, lanes, at, other);
    multiply(*at, lanes, response, response + room, room);
    *at = exchanged(*at); /* backward */
    run_passes(plan->inner, lanes, at, other);
    *at = exchanged(*at);
    multiply(*at, lanes, chirp, chirp + n, n);
}

static void run_plan(const rt_fft_plan *plan, int64_t lanes, planar *at, planar *other)
{
    if (plan->inner)
        convolve(plan, lanes, at, other);
    else
        run_passes(plan, lanes, at, other);
}

/* ---- real transforms from complex ones of half the length ---- */

/* The spectrum at k from those of the half at k and at half - k; turn: of k. */
RT_INLINE cvec split_one(cvec a, cvec b, vec c, vec s)
{
    const vec half = spread((real)0.5);
    cvec even = {(a.re + b.re) * half, (a.im - b.im) * half},
         odd = {(a.im + b.im) * half, (b.re - a.re) * half};
    return (cvec){even.re + (c * odd.re + s * odd.im), even.im + (c * odd.im - s * odd.re)};
}

/* The reverse, for the numbers whose backward transform is that of the spectrum. */
RT_INLINE cvec merge_one(cvec a, cvec b, vec c, vec s)
{
    cvec even = {a.re + b.re, a.im - b.im}, odd = {a.re - b.re, a.im + b.im};
    return (cvec){even.re - (c * odd.im + s * odd.re), even.im + (c * odd.re - s * odd.im)};
}

/* Either, for k < count, by blocks of vectors. */
RT_INLINE void mirror_pass(const rt_fft_plan *plan, int64_t lanes, planar from, planar to,
                           int64_t count, const int splits)
{
    const int64_t half = plan->key.length;
    const real *cosines = plan->turns, *sines = cosines + half + 1;
    int64_t k = 0;
    for (; lanes > 1 && k < count; k++)
        for (int64_t q = 0; q < lanes; q += FFT_LANES) {
            cvec a = c_load(from, k * lanes + q), b = c_load(from, (half - k) * lanes + q);
            vec c = spread(cosines[k]), s = spread(sines[k]);
            c_store(to, k * lanes + q, splits ? split_one(a, b, c, s) : merge_one(a, b, c, s));
        }
    for (; k + FFT_LANES <= count; k += FFT_LANES) {
        cvec a = c_load(from, k), b = c_load(from, half - k - FFT_LANES + 1);
        b = (cvec){reversed(b.re), reversed(b.im)};
        vec c = load(cosines + k), s = load(sines + k);
        c_store(to, k, splits ? split_one(a, b, c, s) : merge_one(a, b, c, s));
    }
    for (; k < count; k++) { /* one lane of each vector counts */
        cvec a = {spread(from.re[k]), spread(from.im[k])},
             b = {spread(from.re[half - k]), spread(from.im[half - k])};
        vec c = spread(cosines[k]), s = spread(sines[k]);
        cvec y = splits ? split_one(a, b, c, s) : merge_one(a, b, c, s);
        real re[FFT_LANES], im[FFT_LANES];
        store(re, y.re);
        store(im, y.im);
        to.re[k] = re[0];
        to.im[k] = im[0];
    }
}

static void split(const rt_fft_plan *plan, int64_t lanes, planar *at, planar *other)
{
    const int64_t half = plan->key.length;
    const size_t bytes = (size_t)lanes * sizeof(real);
    memcpy(at->re + half * lanes, at->re, bytes);
    memcpy(at->im + half * lanes, at->im, bytes);
    mirror_pass(plan, lanes, *at, *other, half + 1, 1);
    swap(at, other);
}

static void merge(const rt_fft_plan *plan, int64_t lanes, planar *at, planar *other)
{
    mirror_pass(plan, lanes, *at, *other, plan->key.length, 0);
    swap(at, other);
}

/* The rest of a spectrum of n numbers from its first n / 2 + 1. */
static void mirror(planar x, int64_t lanes, int64_t n)
{
    for (int64_t k = n / 2 + 1; k < n; k++)
        for (int64_t q = 0; q < lanes; q++) {
            x.re[k * lanes + q] = x.re[(n - k) * lanes + q];
            x.im[k * lanes + q] = -x.im[(n - k) * lanes + q];
        }
}

/* ---- a group ---- */

static void load_spectrum(group *g)
{
    const rt_fft_job *job = g->job;
    const int64_t n = job->length, lanes = g->lanes, kept = (n / 2 + 1) * lanes;
    load_group(g, n / 2 + 1, 0);
    for (int64_t q = 0; q < lanes; q++) g->at.im[q] = 0;
    for (int64_t q = kept - lanes; n % 2 == 0 && q < kept; q++) g->at.im[q] = 0;
    for (int64_t i = 0; job->conjugate && i < kept; i++) g->at.im[i] = -g->at.im[i];
    if (job->plan->key.is_half)
        merge(job->plan, lanes, &g->at, &g->other);
    else
        mirror(g->at, lanes, n);
}

static void transform_group(group *g)
{
    const rt_fft_job *job = g->job;
    const rt_fft_plan *plan = job->plan;
    const int half = plan->key.is_half;
    const int64_t length = plan->key.length;
    if (!job->out.is_complex)
        load_spectrum(g);
    else
        load_group(g, length, half);
    if (job->window[0]) {
        weigh(g->at.re, g->lanes, job->window[0], length);
        weigh(g->at.im, g->lanes, job->window[1], length);
    }
    if (job->exchange) g->at = exchanged(g->at);
    run_plan(plan, g->lanes, &g->at, &g->other);
    if (job->exchange) g->at = exchanged(g->at);
    if (half && job->out.is_complex) {
        split(plan, g->lanes, &g->at, &g->other);
        if (job->out.count > length + 1) mirror(g->at, g->lanes, job->length);
    }
    store_group(g, job->out.is_complex || !half ? job->out.count : length,
                half && !job->out.is_complex);
}

static void transform(const rt_fft_job *job, int64_t number, void *work)
{
    group g = {.job = job, .lanes = job->lanes};
    int64_t first = number * job->lanes, room = job->room * job->lanes + RT_FFT_SLACK;
    g.rows = rt_min(job->lanes, job->rows - first);
    g.in_rows = work;
    g.out_rows = g.in_rows + job->lanes;
    real *reals = (real *)(g.out_rows + job->lanes);
    g.at = (planar){reals, reals + room};
    g.other = (planar){reals + 2 * room, reals + 3 * room};
    g.one_run = rt_fft_rows_at(job, first, g.rows, g.in_rows, g.out_rows) == 1;
    transform_group(&g);
}

static void plain(const rt_fft_plan *plan, void *re, void *im, void *work)
{
    planar data = {re, im}, at = data;
    planar other = {work, (real *)work + rt_fft_room(plan) + RT_FFT_SLACK};
    run_plan(plan, 1, &at, &other);
    if (at.re == data.re) return;
    memcpy(data.re, at.re, (size_t)plan->key.length * sizeof(real));
    memcpy(data.im, at.im, (size_t)plan->key.length * sizeof(real));
}
