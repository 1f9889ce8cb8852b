/* rt_panel_halves.h - one panel of words of two steps of 16 bits (rt_kernels.h) from a matrix with any
 * strides: of weights (rt_pack_halves.c), and of activations on the fly.
 */
#ifndef RT_PANEL_HALVES_H
#define RT_PANEL_HALVES_H

#include "rt_compiler.h"
#include "rt_need.h"

#include <stdint.h>
#include <string.h>

enum { RT_WORDS_SIDE = 4 /* of a square of words, and twice as many numbers */ };

#ifdef FERRITE_SCALAR

static inline void rt_words_join(uint32_t *to, const uint16_t *even, const uint16_t *odd)
{
    for (int j = 0; j < 2 * RT_WORDS_SIDE; j++) to[j] = even[j] | (uint32_t)odd[j] << 16;
}

static inline void rt_words_turn(const uint16_t *from, int64_t from_row, uint32_t *to,
                                 int64_t to_row)
{
    for (int j = 0; j < RT_WORDS_SIDE; j++)
        for (int i = 0; i < RT_WORDS_SIDE; i++)
            memcpy(to + i * to_row + j, from + j * from_row + 2 * i, sizeof *to);
}

#else

typedef uint16_t rt_eight __attribute__((vector_size(16)));
typedef uint32_t rt_four_words __attribute__((vector_size(16)));

static inline rt_eight rt_load_eight(const uint16_t *from)
{
    rt_eight x;
    memcpy(&x, from, sizeof x);
    return x;
}

static inline rt_four_words rt_load_words(const uint16_t *from)
{
    rt_four_words x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Eight words, of a number of each. */
static inline void rt_words_join(uint32_t *to, const uint16_t *even, const uint16_t *odd)
{
    rt_eight a = rt_load_eight(even), b = rt_load_eight(odd),
             low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
             high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    memcpy(to, &low, sizeof low);
    memcpy(to + RT_WORDS_SIDE, &high, sizeof high);
}

/* to[i * to_row + j] = the i-th word from from[j * from_row] on, i and j below 4. */
static inline void rt_words_turn(const uint16_t *from, int64_t from_row, uint32_t *to,
                                 int64_t to_row)
{
    rt_four_words r0 = rt_load_words(from), r1 = rt_load_words(from + from_row),
                  r2 = rt_load_words(from + 2 * from_row), r3 = rt_load_words(from + 3 * from_row),
                  low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5),
                  low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5),
                  high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7),
                  high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7),
                  out[] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                           __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                           __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                           __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (int i = 0; i < RT_WORDS_SIDE; i++) memcpy(to + i * to_row, out + i, sizeof *out);
}

#endif

/* Of columns that lie one behind the other. */
static inline void rt_words_by_columns(uint32_t *to, const uint16_t *b, int64_t stride_k, int64_t k,
                                       int64_t width)
{
    static const uint16_t nothing[RT_PANEL];
    for (int64_t i = 0; i < k; i += 2, to += RT_PANEL) {
        const uint16_t *even = b + i * stride_k, *odd = i + 1 < k ? even + stride_k : nothing;
        int64_t j = 0;
        for (; j + 2 * RT_WORDS_SIDE <= width; j += 2 * RT_WORDS_SIDE)
            rt_words_join(to + j, even + j, odd + j);
        for (; j < width; j++) to[j] = even[j] | (uint32_t)odd[j] << 16;
    }
}

/* The same where steps lie one behind the other: a transposition of words, by squares. */
static inline void rt_words_by_depth(uint32_t *to, const uint16_t *b, int64_t stride_n, int64_t k,
                                     int64_t width)
{
    int64_t line = 0, lines = k / 2, whole = width / RT_WORDS_SIDE * RT_WORDS_SIDE;
    for (; line + RT_WORDS_SIDE <= lines; line += RT_WORDS_SIDE) {
        uint32_t *at = to + line * RT_PANEL;
        for (int64_t j = 0; j < whole; j += RT_WORDS_SIDE)
            rt_words_turn(b + j * stride_n + 2 * line, stride_n, at + j, RT_PANEL);
        for (int64_t j = whole; j < width; j++)
            for (int64_t i = 0; i < RT_WORDS_SIDE; i++)
                memcpy(at + i * RT_PANEL + j, b + j * stride_n + 2 * (line + i), sizeof *to);
    }
    for (; line < lines; line++)
        for (int64_t j = 0; j < width; j++)
            memcpy(to + line * RT_PANEL + j, b + j * stride_n + 2 * line, sizeof *to);
    for (int64_t j = 0; k % 2 && j < width; j++) to[line * RT_PANEL + j] = b[j * stride_n + k - 1];
}

static inline void rt_words_of_any(uint32_t *to, const uint16_t *b, int64_t stride_n,
                                   int64_t stride_k, int64_t k, int64_t width)
{
    for (int64_t i = 0; i < k; i += 2, to += RT_PANEL)
        for (int64_t j = 0; j < width; j++) {
            const uint16_t *at = b + j * stride_n + i * stride_k;
            to[j] = at[0] | (i + 1 < k ? (uint32_t)at[stride_k] << 16 : 0);
        }
}

/* So many lines from element (k, n) at b[k * stride_k + n * stride_n], n < width <= RT_PANEL, the rest
 * zero. */
static inline void rt_words_pack(uint32_t *to, int64_t lines, const uint16_t *b, int64_t stride_n,
                                 int64_t stride_k, int64_t k, int64_t width)
{
    int64_t filled = width < RT_PANEL ? 0 : (k + 1) / 2;
    memset(to + filled * RT_PANEL, 0, (size_t)((lines - filled) * RT_PANEL) * sizeof *to);
    if (stride_n == 1)
        rt_words_by_columns(to, b, stride_k, k, width);
    else if (stride_k == 1)
        rt_words_by_depth(to, b, stride_n, k, width);
    else
        rt_words_of_any(to, b, stride_n, stride_k, k, width);
}

#endif
