/* rt_fft_passes.h - butterflies and passes on planar numbers, in vectors of `real`. */
#include "rt_fft_vector.h"
#include "rt_fourier.h"

typedef struct planar {
    real *re, *im;
} planar;

typedef struct cvec {
    vec re, im;
} cvec;

RT_INLINE cvec c_load(planar x, int64_t at)
{
    return (cvec){load(x.re + at), load(x.im + at)};
}

RT_INLINE void c_store(planar x, int64_t at, cvec v)
{
    store(x.re + at, v.re);
    store(x.im + at, v.im);
}

RT_INLINE cvec c_add(cvec a, cvec b)
{
    return (cvec){a.re + b.re, a.im + b.im};
}

RT_INLINE cvec c_sub(cvec a, cvec b)
{
    return (cvec){a.re - b.re, a.im - b.im};
}

RT_INLINE cvec c_mul(cvec a, cvec b)
{
    return (cvec){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* a - i b, a + i b */
RT_INLINE cvec c_sub_i(cvec a, cvec b)
{
    return (cvec){a.re + b.im, a.im - b.re};
}

RT_INLINE cvec c_add_i(cvec a, cvec b)
{
    return (cvec){a.re - b.im, a.im + b.re};
}

/* ---- butterflies: transforms of a few numbers, in place ---- */

RT_INLINE void butterfly_2(cvec *x)
{
    cvec a = x[0], b = x[1];
    x[0] = c_add(a, b);
    x[1] = c_sub(a, b);
}

RT_INLINE void butterfly_4(cvec *x)
{
    cvec a = c_add(x[0], x[2]), b = c_sub(x[0], x[2]), c = c_add(x[1], x[3]), d = c_sub(x[1], x[3]);
    x[0] = c_add(a, c);
    x[1] = c_sub_i(b, d);
    x[2] = c_sub(a, c);
    x[3] = c_add_i(b, d);
}

RT_INLINE void butterfly_8(cvec *x)
{
    const vec half = spread((real)0.70710678118654752440);
    cvec even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    butterfly_4(even);
    butterfly_4(odd);
    odd[1] = (cvec){(odd[1].re + odd[1].im) * half, (odd[1].im - odd[1].re) * half};
    odd[3] = (cvec){(odd[3].im - odd[3].re) * half, (odd[3].re + odd[3].im) * -half};
    x[0] = c_add(even[0], odd[0]);
    x[4] = c_sub(even[0], odd[0]);
    x[1] = c_add(even[1], odd[1]);
    x[5] = c_sub(even[1], odd[1]);
    x[2] = c_sub_i(even[2], odd[2]);
    x[6] = c_add_i(even[2], odd[2]);
    x[3] = c_add(even[3], odd[3]);
    x[7] = c_sub(even[3], odd[3]);
}

enum { MOST_RADIX = 32 };

/* Outputs k and radix - k have the same products. */
RT_INLINE void butterfly_odd(cvec *x, const int radix, const real *cosines, const real *sines)
{
    cvec sum[MOST_RADIX / 2], difference[MOST_RADIX / 2], first = x[0], total = x[0];
    const int half = radix / 2;
#pragma GCC unroll 3
    for (int j = 1; j <= half; j++) {
        sum[j - 1] = c_add(x[j], x[radix - j]);
        difference[j - 1] = c_sub(x[j], x[radix - j]);
        total = c_add(total, sum[j - 1]);
    }
    x[0] = total;
#pragma GCC unroll 3
    for (int k = 1; k <= half; k++) {
        cvec a = first, b = {(vec){0}, (vec){0}};
#pragma GCC unroll 3
        for (int j = 1, turn = k; j <= half; j++) {
            vec c = spread(cosines[turn]), s = spread(sines[turn]);
            a.re += c * sum[j - 1].re;
            a.im += c * sum[j - 1].im;
            b.re += s * difference[j - 1].re;
            b.im += s * difference[j - 1].im;
            turn += turn + k < radix ? k : k - radix;
        }
        x[k] = c_sub_i(a, b);
        x[radix - k] = c_add_i(a, b);
    }
}

static const real COSINES_3[3] = {1, (real)-0.5, (real)-0.5};
static const real SINES_3[3] = {0, (real)0.86602540378443864676, (real)-0.86602540378443864676};
static const real COSINES_5[5] = {1, (real)0.30901699437494742410, (real)-0.80901699437494742410,
                                  (real)-0.80901699437494742410, (real)0.30901699437494742410};
static const real SINES_5[5] = {0, (real)0.95105651629515357212, (real)0.58778525229247312917,
                                (real)-0.58778525229247312917, (real)-0.95105651629515357212};

RT_INLINE void butterfly(cvec *x, const int radix, const rt_fft_pass *pass)
{
    switch (radix) {
    case 2: butterfly_2(x); break;
    case 4: butterfly_4(x); break;
    case 8: butterfly_8(x); break;
    case 3: butterfly_odd(x, 3, COSINES_3, SINES_3); break;
    case 5: butterfly_odd(x, 5, COSINES_5, SINES_5); break;
    default: {
        const real *roots = pass->roots; /* NULL: of one number */
        butterfly_odd(x, pass->radix, roots, roots ? roots + pass->radix : NULL);
    }
    }
}

/* ---- passes ----
 * radix: as a constant, or 0 for the pass's own, which is odd. */

RT_INLINE void wide(const rt_fft_pass *pass, int64_t lanes, planar from, planar to, const int radix,
                    const int last)
{
    const int64_t stride = pass->stride * lanes, apart = stride * pass->count;
    const real *twiddles = pass->twiddles;
    const int parts = radix ? radix : pass->radix;
    cvec x[MOST_RADIX];
    for (int64_t p = 0; p < pass->count; p++) {
        const real *w = last ? NULL : twiddles + 2 * (parts - 1) * p;
        const int64_t in = stride * p, out = in * parts;
        for (int64_t q = 0; q < stride; q += FFT_LANES) {
            if (q > stride - FFT_LANES) q = stride - FFT_LANES; /* some a second time */
#pragma GCC unroll 8
            for (int k = 0; k < parts; k++) x[k] = c_load(from, in + q + apart * k);
            butterfly(x, radix, pass);
            c_store(to, out + q, x[0]);
#pragma GCC unroll 8
            for (int k = 1; k < parts; k++) {
                if (!last) x[k] = c_mul(x[k], (cvec){spread(w[2 * k - 2]), spread(w[2 * k - 1])});
                c_store(to, out + q + stride * k, x[k]);
            }
        }
    }
}

/* The butterflies of a vector across twiddles, `at` numbers into the first part; their products. */
RT_INLINE void across_twiddles(const rt_fft_pass *pass, planar from, int64_t at, cvec *x,
                               const int radix)
{
    const int64_t apart = pass->stride * pass->count;
    const real *w = pass->twiddles;
    const int parts = radix ? radix : pass->radix;
#pragma GCC unroll 8
    for (int k = 0; k < parts; k++) x[k] = c_load(from, at + apart * k);
    butterfly(x, radix, pass);
#pragma GCC unroll 8
    for (int k = 1; k < parts; k++) {
        planar twiddles = {(real *)w + (2 * k - 2) * apart, (real *)w + (2 * k - 1) * apart};
        x[k] = c_mul(x[k], c_load(twiddles, at));
    }
}

/* The first strides of a vector, to places that are `apart`. */
RT_INLINE void scatter(real *to, vec x, int64_t strides, int64_t stride, int64_t apart)
{
    real reals[FFT_LANES];
    store(reals, x);
    for (int64_t i = 0; i < strides; i++)
        for (int64_t q = 0; q < stride; q++) to[i * apart + q] = reals[i * stride + q];
}

/* Whole strides of a vector's lanes; what it reads beyond is not stored. */
RT_INLINE void narrow(const rt_fft_pass *pass, planar from, planar to, const int radix)
{
    const int64_t stride = pass->stride, count = pass->count, lots = FFT_LANES / stride;
    const int parts = radix ? radix : pass->radix;
    cvec x[MOST_RADIX];
    for (int64_t p = 0; p < count; p += lots) {
        const int64_t here = rt_min(lots, count - p), at = p * stride * parts;
        across_twiddles(pass, from, p * stride, x, radix);
        for (int k = 0; k < parts; k++) {
            scatter(to.re + at + stride * k, x[k].re, here, stride, stride * parts);
            scatter(to.im + at + stride * k, x[k].im, here, stride, stride * parts);
        }
    }
}

/* Blocks of the parts in turn: riffles of riffles. */
RT_INLINE void riffle_parts(vec *x, const int radix, const int block)
{
#pragma GCC unroll 3
    for (int done = 1; done < radix; done *= 2) {
        vec y[8];
#pragma GCC unroll 4
        for (int i = 0; i < radix / 2; i++) {
            y[2 * i] = x[i];
            y[2 * i + 1] = x[i + radix / 2];
            riffle(&y[2 * i], &y[2 * i + 1], block);
        }
#pragma GCC unroll 8
        for (int i = 0; i < radix; i++) x[i] = y[i];
    }
}

RT_INLINE void riffled(const rt_fft_pass *pass, planar from, planar to, const int radix,
                       const int block)
{
    const int64_t end = pass->stride * pass->count;
    cvec x[8];
    for (int64_t at = 0; at < end; at += FFT_LANES) {
        if (at > end - FFT_LANES) at = end - FFT_LANES; /* some a second time */
        vec part[8];
        across_twiddles(pass, from, at, x, radix);
#pragma GCC unroll 8
        for (int k = 0; k < radix; k++) part[k] = x[k].re;
        riffle_parts(part, radix, block);
#pragma GCC unroll 8
        for (int k = 0; k < radix; k++) store(to.re + at * radix + k * FFT_LANES, part[k]);
#pragma GCC unroll 8
        for (int k = 0; k < radix; k++) part[k] = x[k].im;
        riffle_parts(part, radix, block);
#pragma GCC unroll 8
        for (int k = 0; k < radix; k++) store(to.im + at * radix + k * FFT_LANES, part[k]);
    }
}

typedef void pass_function(const rt_fft_pass *pass, int64_t lanes, planar from, planar to);

#define PASSES(name, radix)                                                                   \
    static void wide_##name(const rt_fft_pass *pass, int64_t lanes, planar from, planar to)   \
    {                                                                                         \
        wide(pass, lanes, from, to, radix, 0);                                                \
    }                                                                                         \
    static void last_##name(const rt_fft_pass *pass, int64_t lanes, planar from, planar to)   \
    {                                                                                         \
        wide(pass, lanes, from, to, radix, 1);                                                \
    }                                                                                         \
    static void narrow_##name(const rt_fft_pass *pass, int64_t lanes, planar from, planar to) \
    {                                                                                         \
        (void)lanes;                                                                          \
        narrow(pass, from, to, radix);                                                        \
    }
PASSES(2, 2)
PASSES(3, 3)
PASSES(4, 4)
PASSES(5, 5)
PASSES(8, 8)
PASSES(odd, 0)

#define RIFFLES(radix)                                                                          \
    static void riffled_##radix(const rt_fft_pass *pass, int64_t lanes, planar from, planar to) \
    {                                                                                           \
        (void)lanes;                                                                            \
        switch (pass->stride) {                                                                 \
        case 1: riffled(pass, from, to, radix, 1); break;                                       \
        case 4: riffled(pass, from, to, radix, 4); break;                                       \
        default: riffled(pass, from, to, radix, 8);                                             \
        }                                                                                       \
    }
RIFFLES(4)
RIFFLES(8)

static pass_function *const PASS_FUNCTIONS[RT_FFT_PASS_KINDS][9] = {
    [RT_FFT_WIDE] = {wide_odd, NULL, wide_2, wide_3, wide_4, wide_5, [8] = wide_8},
    [RT_FFT_LAST] = {last_odd, NULL, last_2, last_3, last_4, last_5, [8] = last_8},
    [RT_FFT_NARROW] = {narrow_odd, NULL, narrow_2, narrow_3, narrow_4, narrow_5, [8] = narrow_8},
    [RT_FFT_RIFFLE] = {[4] = riffled_4, [8] = riffled_8},
};

static void run_pass(const rt_fft_pass *pass, int64_t lanes, planar from, planar to)
{
    pass_function *const *of_kind = PASS_FUNCTIONS[pass->kind];
    pass_function *own = pass->radix <= 8 ? of_kind[pass->radix] : NULL;
    (own ? own : of_kind[0])(pass, lanes, from, to);
}
