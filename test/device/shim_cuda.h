/* shim_cuda.h -- the names of CUDA that kernels use, for a compiler of the host: see shim.c. */
#include "shim.h"

#include <math.h>
#undef INFINITY
#undef NAN

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __shared__ SHIM_SHARED
#define __syncthreads() shim_wait(__LINE__)

/* One dimension is what there is. */
struct shim_place {
    unsigned x;
};
#define threadIdx (shim_place{shim_thread})
#define blockIdx (shim_place{shim_block})
#define blockDim (shim_place{shim_width})

/* Threads take turns at barriers alone: nobody comes between. */
template <typename T> static inline T shim_exchange(T *p, T x)
{
    T old = *p;
    *p = x;
    return old;
}
#define SHIM_ATOMIC(T)                                \
    static inline T atomicAdd(T *p, T x)              \
    {                                                 \
        return shim_exchange(p, (T)(*p + x));         \
    }                                                 \
    static inline T atomicExch(T *p, T x)             \
    {                                                 \
        return shim_exchange(p, x);                   \
    }                                                 \
    static inline T atomicCAS(T *p, T seen, T x)      \
    {                                                 \
        return *p == seen ? shim_exchange(p, x) : *p; \
    }
SHIM_ATOMIC(int)
SHIM_ATOMIC(unsigned)
SHIM_ATOMIC(unsigned long long)
static inline float atomicAdd(float *p, float x)
{
    return shim_exchange(p, *p + x);
}
static inline double atomicAdd(double *p, double x)
{
    return shim_exchange(p, *p + x);
}

static inline float __int_as_float(int bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SHIM_FIRST fault, rows, columns
#define SHIM_BUFFER(address) (char *)(address)
