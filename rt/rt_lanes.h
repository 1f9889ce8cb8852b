/* rt_lanes.h - vectors of other widths than the native one, for rows that do not fill that: vec_N, load_N()
 * and so on for every N from 16 bytes to VL. RT_EACH_WIDTH(DO) is DO(N) for each, the widest first.
 *
 * Code for several widths stands in a header that is included once for each, with LANES defined, in which
 * RT_OF(name) is name_N.
 */
#ifndef RT_LANES_H
#define RT_LANES_H

#include "rt_isa.h"

#define RT_OF(name) RT_PASTE(name##_, LANES)

#ifdef FERRITE_SCALAR
#define RT_VECTORS(lanes)                \
    typedef rt_real vec_1, vec_loaded_1; \
    typedef vi vec_mask_1;
#define RT_BITS_OF(vec, x) v_of_bits(x)
#define RT_BITS(mask, x) v_bits(x)
#define RT_LESS(a, b) v_less(a, b)
#else
#define RT_VECTORS(lanes)                                                                       \
    typedef rt_real vec_##lanes __attribute__((vector_size(lanes * RT_REAL_BYTES)));            \
    typedef rt_real vec_loaded_##lanes                                                          \
        __attribute__((vector_size(lanes * RT_REAL_BYTES), aligned(RT_REAL_BYTES), may_alias)); \
    typedef vi_lane vec_mask_##lanes __attribute__((vector_size(lanes * RT_REAL_BYTES)));
#define RT_BITS_OF(vec, x) ((vec)(x))
#define RT_BITS(mask, x) ((mask)(x))
#define RT_LESS(a, b) ((a) < (b))
#endif

/* The larger, and the smaller, of k and x; x where that is NaN. gcc has to be told of the instructions. */
#if defined(__SSE2__) && defined(__GNUC__) && !defined(__clang__) && !defined(FERRITE_SCALAR)
#ifdef RT_F64
#define RT_MAX_2(k, x) __builtin_ia32_maxpd(k, x)
#define RT_MIN_2(k, x) __builtin_ia32_minpd(k, x)
#define RT_MAX_4(k, x) __builtin_ia32_maxpd256(k, x)
#define RT_MIN_4(k, x) __builtin_ia32_minpd256(k, x)
#define RT_MAX_8(k, x) __builtin_ia32_maxpd512_mask(k, x, x, -1, 4)
#define RT_MIN_8(k, x) __builtin_ia32_minpd512_mask(k, x, x, -1, 4)
#else
#define RT_MAX_4(k, x) __builtin_ia32_maxps(k, x)
#define RT_MIN_4(k, x) __builtin_ia32_minps(k, x)
#define RT_MAX_8(k, x) __builtin_ia32_maxps256(k, x)
#define RT_MIN_8(k, x) __builtin_ia32_minps256(k, x)
#define RT_MAX_16(k, x) __builtin_ia32_maxps512_mask(k, x, x, -1, 4)
#define RT_MIN_16(k, x) __builtin_ia32_minps512_mask(k, x, x, -1, 4)
#endif
#define RT_MAX(lanes, k, x) RT_MAX_##lanes(k, x)
#define RT_MIN(lanes, k, x) RT_MIN_##lanes(k, x)
#else
#define RT_CHOOSE(lanes, mask, yes, no)                                 \
    RT_BITS_OF(vec_##lanes, (RT_BITS(vec_mask_##lanes, yes) & (mask)) | \
                                (RT_BITS(vec_mask_##lanes, no) & ~(mask)))
#define RT_MAX(lanes, k, x) RT_CHOOSE(lanes, RT_LESS(x, k), k, x)
#define RT_MIN(lanes, k, x) RT_CHOOSE(lanes, RT_LESS(k, x), k, x)
#endif

/* clamp: NaN stays. */
#define RT_WIDTH(lanes)                                                             \
    RT_VECTORS(lanes)                                                               \
    RT_INLINE vec_##lanes load_##lanes(const rt_real *p)                            \
    {                                                                               \
        return *(const vec_loaded_##lanes *)p;                                      \
    }                                                                               \
    RT_INLINE void store_##lanes(rt_real *p, vec_##lanes x)                         \
    {                                                                               \
        *(vec_loaded_##lanes *)p = x;                                               \
    }                                                                               \
    RT_INLINE vec_##lanes clamp_##lanes(vec_##lanes x, rt_real low, rt_real high)   \
    {                                                                               \
        vec_##lanes least = low - (vec_##lanes){0}, most = high - (vec_##lanes){0}; \
        x = RT_MAX(lanes, least, x);                                                \
        return RT_MIN(lanes, most, x);                                              \
    }

#if defined(FERRITE_SCALAR)
#define RT_EACH_WIDTH(DO) DO(1)
enum { LEAST_LANES = 1 };
#elif defined(RT_F64)
enum { LEAST_LANES = 2 };
#if defined(RT_ISA_V4)
#define RT_EACH_WIDTH(DO) DO(8) DO(4) DO(2)
#elif defined(RT_ISA_V3)
#define RT_EACH_WIDTH(DO) DO(4) DO(2)
#else
#define RT_EACH_WIDTH(DO) DO(2)
#endif
#else
enum { LEAST_LANES = 4 };
#if defined(RT_ISA_V4)
#define RT_EACH_WIDTH(DO) DO(16) DO(8) DO(4)
#elif defined(RT_ISA_V3)
#define RT_EACH_WIDTH(DO) DO(8) DO(4)
#else
#define RT_EACH_WIDTH(DO) DO(4)
#endif
#endif

RT_EACH_WIDTH(RT_WIDTH)

#endif
