/* rt_ops.h - runtime operators that have a file of their own. */
#ifndef RT_OPS_H
#define RT_OPS_H

#include "rt_kernels.h"
#include "rt_program.h"

/* Transposed convolution without activation or epilogue; weight [I, O/g, taps] contiguous, as
 * given. */
int rt_conv_transpose(rt_frame *frame, const rt_call *call, const rt_conv *conv);

#endif
