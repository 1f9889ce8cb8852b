/* rt_ops.h - what the files of runtime operators on matrices and images share; for doubles where RT_F64 is
 * defined (rt_real.h).
 */
#ifndef RT_OPS_H
#define RT_OPS_H

#include "rt_entry.h"
#include "rt_kernels.h"
#include "rt_team.h"

enum { RT_ACT_NONE, RT_ACT_RELU, RT_ACT_CLAMP };

/* ---- epilogues: the generated kernel as the kernels' callback ---- */

typedef struct rt_after {
    fe_kernel kernel;
    const fe_kernel_args *args;
} rt_after;

static inline void rt_run_epilogue(void *context, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    const rt_after *a = context;
    a->kernel(a->args, m0, m1, n0, n1);
}

/* Of all operators that take an activation. */
enum { RT_LOW = RT_GEMM_LOW, RT_HIGH = RT_GEMM_HIGH };
_Static_assert((int)RT_LOW == (int)RT_CONV_LOW && (int)RT_HIGH == (int)RT_CONV_HIGH,
               "the same places");
_Static_assert((int)RT_LOW == (int)RT_WINOGRAD_LOW && (int)RT_HIGH == (int)RT_WINOGRAD_HIGH,
               "the same places");

static inline rt_post rt_post_of(const rt_call *call, rt_after *epilogue, const rt_real *bias,
                                 int activation)
{
    rt_post post = {.bias = bias};
    if (activation != RT_ACT_NONE) {
        post.clamp = 1;
        post.low = (rt_real)call->floats[RT_LOW];
        post.high = (rt_real)call->floats[RT_HIGH];
    }
    if (call->epilogue) {
        *epilogue = (rt_after){call->epilogue, call->epilogue_args};
        post.epilogue = rt_run_epilogue;
        post.context = epilogue;
    }
    return post;
}

/* ---- rt_ops.c ---- */

/* Elements of any strides, `element` bytes each. */
void rt_copy_any(char *to, const int64_t *to_strides, const char *from, const int64_t *from_strides,
                 const int64_t *sizes, uint32_t rank, int64_t element);
/* Strides of a convolution's weight, spatial axes right-aligned. */
void rt_weight_strides(const fe_tensor *w, int64_t *strides);

/* By which a packed weight is kept; kind: how it is packed. */
rt_weight_key rt_conv_key(const rt_conv *conv, const int64_t *strides, int64_t kind);

/* Of a convolution's result: the sizes that the run alone knows may be less than nothing. */
int rt_is_larger_than_input(const fe_tensor *y);

/* The geometry of a call of conv, or of half_conv. */
rt_conv rt_conv_of(const rt_call *call);

/* ---- rt_ops_real.c ---- */
int rt_convolve_f32(rt_frame *frame, const rt_call *call, rt_conv conv, int activation);
int rt_convolve_f64(rt_frame *frame, const rt_call *call, rt_conv conv, int activation);

#endif
