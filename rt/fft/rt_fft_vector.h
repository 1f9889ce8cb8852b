/* rt_fft_vector.h - shuffles of vectors of `real`. */
#include "rt_reals.h"

#define FFT_BYTES REAL_BYTES
#define FFT_LANES REAL_LANES

/* ---- shuffles ----
 * EVEN, ODD: every other lane of two vectors. FIRST_g, LAST_g: blocks of g lanes of two vectors in
 * turn, the first and the second half of them. */
#if FFT_LANES == 16
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define BACKWARD 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0
#define FIRST_1 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define LAST_1 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define FIRST_4 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23
#define LAST_4 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31
#define FIRST_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define LAST_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31
#elif FFT_LANES == 8
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define BACKWARD 7, 6, 5, 4, 3, 2, 1, 0
#define FIRST_1 0, 8, 1, 9, 2, 10, 3, 11
#define LAST_1 4, 12, 5, 13, 6, 14, 7, 15
#define FIRST_4 0, 1, 2, 3, 8, 9, 10, 11
#define LAST_4 4, 5, 6, 7, 12, 13, 14, 15
#elif FFT_LANES == 4
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define BACKWARD 3, 2, 1, 0
#define FIRST_1 0, 4, 1, 5
#define LAST_1 2, 6, 3, 7
#elif FFT_LANES == 2
#define EVEN 0, 2
#define ODD 1, 3
#define BACKWARD 1, 0
#define FIRST_1 0, 2
#define LAST_1 1, 3
#endif

/* a becomes the first half of both in turn, b the second. */
RT_INLINE void riffle(vec *a, vec *b, const int block)
{
#if FFT_LANES > 1
    vec first = *a, last = *b;
    if (block == 1) {
        first = __builtin_shufflevector(*a, *b, FIRST_1);
        last = __builtin_shufflevector(*a, *b, LAST_1);
    }
#if FFT_LANES >= 8
    if (block == 4) {
        first = __builtin_shufflevector(*a, *b, FIRST_4);
        last = __builtin_shufflevector(*a, *b, LAST_4);
    }
#endif
#if FFT_LANES == 16
    if (block == 8) {
        first = __builtin_shufflevector(*a, *b, FIRST_8);
        last = __builtin_shufflevector(*a, *b, LAST_8);
    }
#endif
    *a = first;
    *b = last;
#else
    (void)a, (void)b, (void)block;
#endif
}

/* Pairs that lie one after another come apart: a gets the first of each pair, b the second. */
RT_INLINE void unriffle(vec *a, vec *b)
{
#if FFT_LANES > 1
    vec even = __builtin_shufflevector(*a, *b, EVEN);
    *b = __builtin_shufflevector(*a, *b, ODD);
    *a = even;
#else
    (void)a, (void)b;
#endif
}

RT_INLINE vec reversed(vec x)
{
#if FFT_LANES > 1
    return __builtin_shufflevector(x, x, BACKWARD);
#else
    return x;
#endif
}

/* Rows become columns. */
RT_INLINE void transpose(vec *x)
{
#pragma GCC unroll 4
    for (int done = 1; done < FFT_LANES; done *= 2) {
        vec y[FFT_LANES];
#pragma GCC unroll 16
        for (int i = 0; i < FFT_LANES / 2; i++) {
            y[2 * i] = x[i];
            y[2 * i + 1] = x[i + FFT_LANES / 2];
            riffle(&y[2 * i], &y[2 * i + 1], 1);
        }
#pragma GCC unroll 16
        for (int i = 0; i < FFT_LANES; i++) x[i] = y[i];
    }
}
