/* rt_halves.h - vectors of numbers of 16 bits as floats, and what the sources of their products share.
 *
 * A line of a panel is two steps of depth of its columns (rt_kernels.h): of bf16 a word of both for each
 * column, of f16 one step after the other.
 */
#ifndef RT_HALVES_H
#define RT_HALVES_H

#include "rt_half.h"
#include "rt_isa.h"
#include "rt_words.h"

/* Of words gcc makes two halves, hence instructions by their names. */
#if defined(RT_ISA_V3) && !defined(FERRITE_SCALAR)
#define RT_HAS_F16C
#define RT_WIDEN_F16(bits) _mm256_cvtph_ps((__m128i)(bits))
#define RT_WIDEN_U16(bits) (vi) _mm256_cvtepu16_epi32((__m128i)(bits))
#elif defined(RT_ISA_V4) && !defined(FERRITE_SCALAR)
#define RT_HAS_F16C
#define RT_WIDEN_F16(bits) _mm512_cvtph_ps((__m256i)(bits))
#define RT_WIDEN_U16(bits) (vi) _mm512_cvtepu16_epi32((__m256i)(bits))
#else
#define RT_WIDEN_U16(bits) __builtin_convertvector(bits, vi)
#endif
#ifdef RT_HAS_F16C
#include <immintrin.h>
#endif

#ifdef FERRITE_SCALAR

RT_INLINE vf v_load_bf16(const uint16_t *p)
{
    return rt_float_of_bf16(*p);
}

RT_INLINE vf v_load_f16(const uint16_t *p)
{
    return rt_float_of_f16(*p);
}

#else

typedef uint16_t vh __attribute__((vector_size(VL * 2)));
typedef uint16_t vh_unaligned __attribute__((vector_size(VL * 2), aligned(2), may_alias));

RT_INLINE vf v_load_bf16(const uint16_t *p)
{
    return v_of_bits(RT_WIDEN_U16(*(const vh_unaligned *)p) << 16);
}

/* Exact: the exponent is moved by a product with 2^112, but that of infinities and NaNs. */
RT_INLINE vf v_load_f16(const uint16_t *p)
{
#ifdef RT_HAS_F16C
    return RT_WIDEN_F16(*(const vh_unaligned *)p);
#else
    vi bits = RT_WIDEN_U16(*(const vh_unaligned *)p), size = bits & 0x7fff;
    vf finite = v_of_bits(size << 13) * 0x1p112f;
    vi wide = v_bits(finite), is_more = size >= 0x7c00;
    wide = ((size << 13 | 0x7f800000) & is_more) | (wide & ~is_more);
    return v_of_bits(wide | (bits & 0x8000) << 16);
#endif
}

#endif

RT_INLINE vf v_load_half(const uint16_t *p, const int is_bf16)
{
    return is_bf16 ? v_load_bf16(p) : v_load_f16(p);
}

/* Both steps of VL columns of a line, from column j * VL on. */
RT_INLINE void v_load_line(vf step[2], const uint32_t *line, int j, const int is_bf16)
{
    if (is_bf16) {
        vi words = v_load_words(line + j * VL);
        step[0] = v_of_bits(words << 16);
        step[1] = v_of_bits(words >> 16 << 16);
    } else {
        const uint16_t *halves = (const uint16_t *)line;
        step[0] = v_load_f16(halves + j * VL);
        step[1] = v_load_f16(halves + RT_PANEL + j * VL);
    }
}

/* ---- few rows, by B as it lies: rt_halves_place.c ---- */

/* Columns [n0, n1) of C; a: its rows as floats. */
void RT_FN(rt_halves_columns)(const rt_halves *g, const float *a, const float *bias, int64_t n0,
                              int64_t n1);

/* ---- a tile of products of pairs: rt_half_tile.c ---- */

/* C tile [mr rows x width columns] = rows x lines of a panel, of bf16. */
typedef struct rt_half_tile {
    const uint16_t *const *rows; /* `run` contiguous numbers each */
    int64_t run;
    const uint32_t *b;
    float *c;
    int64_t ldc, width;
    const float *bias;     /* or NULL */
    int load;              /* what C holds is added to the sums */
    const char *prefetch;  /* the B that comes next */
    int64_t prefetch_step; /* bytes of it a line */
} rt_half_tile;

typedef void (*rt_half_tile_fn)(const rt_half_tile *);
/* [rows], up to MR of them. */
extern const rt_half_tile_fn RT_FN(rt_half_tiles)[MR + 1];

/* Does this processor run them? */
int RT_FN(rt_multiplies_pairs)(void);

/* ---- tiles of AMX: rt_halves_amx.c ---- */

enum { RT_LEAST_TILE_ROWS = 2 /* one is as fast by pairs */ };

/* C [m x n] = A x panels, of bf16. */
typedef struct rt_halves_amx {
    int64_t m, n, k;
    const uint16_t *a; /* A[m,k] at a[m * a_row + k * a_col] */
    int64_t a_row, a_col;
    const uint32_t *packed; /* panels of so many lines */
    int64_t lines;
    float *c;
    int64_t ldc;
    const float *bias;    /* or NULL */
    int load;             /* sums are added to what C holds */
    int is_padded;        /* behind the depth a panel has zeros, up to a whole tile */
    rt_epilogue epilogue; /* in coordinates of the whole C */
    void *context;
    int64_t m_origin, n_origin;
} rt_halves_amx;

void RT_FN(rt_halves_amx)(const rt_halves_amx *block);
int RT_FN(rt_multiplies_tiles)(void);

/* How so many rows are multiplied here. */
enum rt_halves_by { RT_BY_FLOATS, RT_BY_PAIRS, RT_BY_TILES };

RT_INLINE enum rt_halves_by rt_halves_by(int is_bf16, int64_t rows)
{
    if (!is_bf16) return RT_BY_FLOATS;
    if (rows >= RT_LEAST_TILE_ROWS && RT_FN(rt_multiplies_tiles)()) return RT_BY_TILES;
    return RT_FN(rt_multiplies_pairs)() ? RT_BY_PAIRS : RT_BY_FLOATS;
}

#endif
