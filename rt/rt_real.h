/* rt_real.h - the numbers that a source is compiled for: float or, where RT_F64 is defined, double. A source
 * for both is compiled as it stands, and once more by a source NAME_f64.c that includes it.
 */
#ifndef RT_REAL_H
#define RT_REAL_H

#define RT_PASTE2(a, b) a##b
#define RT_PASTE(a, b) RT_PASTE2(a, b)

#ifdef RT_F64
typedef double rt_real;
#define RT_REAL_BYTES 8
#define RT_TYPED(name) RT_PASTE(name, _f64)
#else
typedef float rt_real;
#define RT_REAL_BYTES 4
#define RT_TYPED(name) RT_PASTE(name, _f32)
#endif

#endif
