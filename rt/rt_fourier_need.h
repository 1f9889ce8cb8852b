/* rt_fourier_need.h - how a Fourier transform groups its rows, and what a group takes to work in: the
 * operator and the compiler, which plans that memory (loop/need_fourier.c), agree on it here. */
#ifndef RT_FOURIER_NEED_H
#define RT_FOURIER_NEED_H

#include <stddef.h>
#include <stdint.h>

enum {
    RT_FFT_SLACK = 32, /* reals that vectors may read and write past the end of a planar array */
    RT_FFT_LARGEST_FACTOR = 31,
    RT_FFT_SHORT = 512,        /* dense rows below this go side by side */
    RT_FFT_CACHE = 4 << 20,    /* bytes of a group: what goes side by side must fit */
    RT_FFT_NEAR = 32 << 10,    /* bytes of a group of several vectors */
    RT_FFT_MOST_VECTORS = 4,   /* side by side */
    RT_FFT_LEAST_LENGTH = 64,  /* of a convolution */
    RT_FFT_WIDEST_VECTOR = 64, /* bytes */
    RT_FFT_ARRAYS = 4          /* planar ones of a group */
};

/* What decides the grouping. */
typedef struct rt_fft_shape {
    int64_t length;           /* of the transform of complex numbers */
    int64_t rows;             /* how many there are */
    int64_t most;             /* numbers of a row that are read or written */
    int32_t is_half;          /* of a real one of twice the length */
    int32_t is_double, dense; /* dense: rows lie in a row, on both sides */
} rt_fft_shape;

static inline int64_t rt_fft_real_bytes(const rt_fft_shape *s)
{
    return s->is_double ? 8 : 4;
}

/* Has n small prime factors only, so that passes are enough? */
static inline int rt_fft_is_smooth(int64_t n)
{
    for (int64_t f = 2; f <= RT_FFT_LARGEST_FACTOR; f++)
        while (n > 0 && n % f == 0) n /= f;
    return n == 1;
}

/* The length of a convolution that is at least n: of few and small factors. */
static inline int64_t rt_fft_smooth_length(int64_t n)
{
    static const int64_t odd_factors[] = {1, 3, 5, 9, 15};
    int64_t best = INT64_MAX;
    for (size_t k = 0; k < sizeof odd_factors / sizeof *odd_factors; k++) {
        int64_t length = RT_FFT_LEAST_LENGTH * odd_factors[k];
        while (length < n) length *= 2;
        if (length < best) best = length;
    }
    return best;
}

/* Side by side? They need room: a few such groups must fit the cache. */
static inline int rt_fft_goes_across(const rt_fft_shape *s, int64_t vector)
{
    int64_t lanes = vector / rt_fft_real_bytes(s);
    if (s->rows < (s->dense ? lanes : 2) || s->length > RT_FFT_CACHE / RT_FFT_ARRAYS / vector)
        return 0;
    return !s->dense || s->length < RT_FFT_SHORT ||
           (s->length % lanes != 0 && rt_fft_is_smooth(s->length));
}

/* Rows of a group, by the bytes of a vector. */
static inline int64_t rt_fft_lanes(const rt_fft_shape *s, int64_t vector)
{
    int64_t lanes = vector / rt_fft_real_bytes(s), times = 1;
    if (!rt_fft_goes_across(s, vector)) return 1;
    while (times < RT_FFT_MOST_VECTORS &&
           s->length * vector * RT_FFT_ARRAYS * 2 * times <= RT_FFT_NEAR && lanes * times < s->rows)
        times *= 2;
    return lanes * times;
}

/* Numbers of a planar array that works on one row (without slack). */
static inline int64_t rt_fft_room_of(const rt_fft_shape *s)
{
    int64_t room = s->length + s->is_half;
    if (!rt_fft_is_smooth(s->length)) {
        int64_t inner = rt_fft_smooth_length(2 * s->length - 1);
        if (inner > room) room = inner;
    }
    return room > s->most ? room : s->most;
}

/* Bytes that a thread works in: where the rows of a group are, and planar arrays. */
static inline int64_t rt_fft_work_bytes(const rt_fft_shape *s, int64_t lanes)
{
    return lanes * 2 * (int64_t)sizeof(int64_t) +
           RT_FFT_ARRAYS * (rt_fft_room_of(s) * lanes + RT_FFT_SLACK) * rt_fft_real_bytes(s);
}

/* What the tables of all of them take, with the instruction set that wants most (rt_fourier_tables.c). */
int64_t rt_fft_tables_bytes(const rt_fft_shape *transforms, uint32_t count);

#endif
