/* rt_reals.h - vectors of `real`, which whoever includes this has defined: float, or double with
 * REAL_IS_DOUBLE. In plain C a vector is one number, and REAL_BYTES 0.
 */
#ifndef RT_REALS_H
#define RT_REALS_H

#include "rt_isa.h"

#if defined(FERRITE_SCALAR)
#define REAL_BYTES 0
#elif defined(RT_ISA_V4)
#define REAL_BYTES 64
#elif defined(RT_ISA_V3)
#define REAL_BYTES 32
#else
#define REAL_BYTES 16
#endif
#if REAL_BYTES == 0
#define REAL_LANES 1
typedef real vec, vec_in_memory;
#else
#ifdef REAL_IS_DOUBLE
#define REAL_LANES (REAL_BYTES / 8)
#else
#define REAL_LANES (REAL_BYTES / 4)
#endif
typedef real vec __attribute__((vector_size(REAL_BYTES)));
typedef real vec_in_memory
    __attribute__((vector_size(REAL_BYTES), aligned(sizeof(real)), may_alias));
#endif

RT_INLINE vec load(const real *p)
{
    return *(const vec_in_memory *)p;
}

RT_INLINE void store(real *p, vec x)
{
    *(vec_in_memory *)p = x;
}

/* All lanes x. Written so that compilers see a broadcast; x - 0 is x for every x. */
RT_INLINE vec spread(real x)
{
    return x - (vec){0};
}

#endif
