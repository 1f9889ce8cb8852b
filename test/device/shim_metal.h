/* shim_metal.h -- the names of <metal_stdlib> that kernels use, for a compiler of the host: see shim.c.
 *
 * What Metal's language has not is no word here: double, long long, and functions of <math.h> that it lacks.
 */
#pragma once
#include "shim.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define kernel __attribute__((used))
#define device
#define constant const
#define threadgroup SHIM_SHARED
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

namespace metal {

template <typename T, typename S> static inline T as_type(S x)
{
    static_assert(sizeof(T) == sizeof(S), "as_type: of one size");
    T y;
    memcpy(&y, &x, sizeof y);
    return y;
}

#define SHIM_MATH(name)                \
    static inline float name(float x)  \
    {                                  \
        return __builtin_##name##f(x); \
    }
#define SHIM_MATH_2(name)                      \
    static inline float name(float x, float y) \
    {                                          \
        return __builtin_##name##f(x, y);      \
    }
SHIM_MATH(acos)
SHIM_MATH(acosh)
SHIM_MATH(asin)
SHIM_MATH(asinh)
SHIM_MATH(atan)
SHIM_MATH(atanh)
SHIM_MATH(ceil)
SHIM_MATH(cos)
SHIM_MATH(cosh)
SHIM_MATH(exp)
SHIM_MATH(exp2)
SHIM_MATH(fabs)
SHIM_MATH(floor)
SHIM_MATH(log)
SHIM_MATH(log10)
SHIM_MATH(log2)
SHIM_MATH(rint)
SHIM_MATH(sin)
SHIM_MATH(sinh)
SHIM_MATH(sqrt)
SHIM_MATH(tan)
SHIM_MATH(tanh)
SHIM_MATH(trunc)
SHIM_MATH_2(atan2)
SHIM_MATH_2(copysign)
SHIM_MATH_2(fmax)
SHIM_MATH_2(fmin)
SHIM_MATH_2(fmod)
SHIM_MATH_2(pow)
static inline float fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
static inline bool isinf(float x)
{
    return __builtin_isinf(x);
}
static inline bool isnan(float x)
{
    return __builtin_isnan(x);
}
static inline bool signbit(float x)
{
    return __builtin_signbit(x);
}

/* Rounds to the nearest, of two the even one. */
struct half {
    ushort bits;
    half() = default;
    explicit half(float x)
    {
        const uint u = as_type<uint>(x), a = u & 0x7fffffffu, sign = u >> 16 & 0x8000u;
        const float small = as_type<float>(a) + 0.5f;
        bits =
            (ushort)(sign | (a > 0x7f800000u    ? 0x7e00u
                             : a >= 0x477ff000u ? 0x7c00u
                             : a < 0x38800000u  ? as_type<uint>(small) - 0x3f000000u
                                               : (a + 0xfffu + (a >> 13 & 1) - 0x38000000u) >> 13));
    }
    explicit operator float() const
    {
        const uint a = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
        const float small = (float)a * 0x1p-24f;
        return as_type<float>(sign | (a >= 0x7c00u ? (a << 13) + 0x70000000u
                                      : a < 0x400u ? as_type<uint>(small)
                                                   : (a << 13) + 0x38000000u));
    }
};

enum memory_order { memory_order_relaxed };
enum class mem_flags { mem_none, mem_device, mem_threadgroup, both };
static inline mem_flags operator|(mem_flags a, mem_flags b)
{
    return (mem_flags)((int)a | (int)b);
}
#define threadgroup_barrier(flags) ((void)(flags), shim_wait(__LINE__))

/* Threads take turns at barriers alone: nobody comes between. A comparison fails now and then. */
template <typename T> struct shim_atomic {
    T value;
};
typedef shim_atomic<int> atomic_int;
typedef shim_atomic<uint> atomic_uint;
template <typename T> static inline T atomic_exchange_explicit(shim_atomic<T> *p, T x, memory_order)
{
    const T old = p->value;
    p->value = x;
    return old;
}
template <typename T>
static inline T atomic_fetch_add_explicit(shim_atomic<T> *p, T x, memory_order)
{
    return atomic_exchange_explicit(p, (T)((uint)p->value + (uint)x), memory_order_relaxed);
}
static uint shim_calls;
template <typename T>
static inline bool atomic_compare_exchange_weak_explicit(shim_atomic<T> *p, T *seen, T x,
                                                         memory_order, memory_order)
{
    if (++shim_calls % 7 && p->value == *seen) {
        p->value = x;
        return true;
    }
    *seen = p->value;
    return false;
}

} // namespace metal

#define SHIM_FIRST fault, rows, columns, shim_block *shim_width + shim_thread, shim_thread
#define SHIM_BUFFER(address) (char *)(address)

#pragma GCC poison double
