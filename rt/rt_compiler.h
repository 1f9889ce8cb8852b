/* rt_compiler.h - what a compiler may have beyond C11, and what stands in where it has not.
 *
 * What C11 itself leaves to the compiler has macros of its own: without atomic operations
 * (__STDC_NO_ATOMICS__) a program runs on the caller's thread alone, without complex numbers
 * (__STDC_NO_COMPLEX__) those operators that need them are missing. Vector types are in
 * rt_vector.h.
 */
#ifndef RT_COMPILER_H
#define RT_COMPILER_H

#ifdef __GNUC__
#define RT_INLINE static inline __attribute__((always_inline))
#define RT_OUTLINE static __attribute__((noinline))
#define RT_PREFETCH(place) __builtin_prefetch(place)
/* from here on the compiler does not know where it points */
#define RT_FORGET(pointer) __asm__("" : "+r"(pointer))
/* without <math.h>, which takes time to compile */
#define FE_NAN __builtin_nan("")
#define FE_INFINITY __builtin_inf()
#else
#include <math.h>
#define RT_INLINE static inline
#define RT_OUTLINE static
#define RT_FORGET(pointer) ((void)(pointer))
#define RT_PREFETCH(place) ((void)(place))
#define FE_NAN ((double)NAN)
#define FE_INFINITY ((double)INFINITY)
#endif

#endif
