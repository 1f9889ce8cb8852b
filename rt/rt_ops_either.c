/* rt_ops_either.c - operators that are there for floats and for doubles, for callers that do not say
 * which. */
#include "rt_program.h"

#define EITHER(name)                                                           \
    int rt_op_##name(rt_frame *frame, const rt_call *call)                     \
    {                                                                          \
        return call->out[0].dtype == FE_F64 ? rt_op_##name##_f64(frame, call)  \
                                            : rt_op_##name##_f32(frame, call); \
    }
EITHER(gemm)
EITHER(bmm)
EITHER(conv)
