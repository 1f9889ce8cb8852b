/* quant.c -- a quantiser as a custom operator: values and scales. The function belongs to the `.out`
 * overload, so that it writes where the memory plan says; programs call the functional one.
 *
 *     cc -shared -fPIC -I../../include quant.c -lm -o libquant.so
 *     ferrite compile model.pt2 --ops ./libquant.so -o model.so
 */
#include "ferrite_ops.h"

#include <math.h>

/* x[n, d], bits, values[n, d], scales[n]: x is nearly values * scales, a scale for each row. */
int quant_quantise_out(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    float most = (float)((1 << (call->args[1].integer - 1)) - 1);
    int8_t *values = call->args[2].tensor->data;
    float *scales = call->args[3].tensor->data;
    for (int64_t n = 0; n < x->sizes[0]; n++) {
        const float *row = (const float *)x->data + n * x->strides[0];
        float largest = 0;
        for (int64_t d = 0; d < x->sizes[1]; d++)
            largest = fmaxf(largest, fabsf(row[d * x->strides[1]]));
        scales[n] = largest > 0 ? largest / most : 1;
        for (int64_t d = 0; d < x->sizes[1]; d++)
            *values++ = (int8_t)rintf(row[d * x->strides[1]] / scales[n]);
    }
    return 0;
}

static const fe_op_row rows[] = {
    FE_OP_BY_OUT("quant::quantise(Tensor x, int bits=8) -> (Tensor, Tensor)",
                 "x[n, d] -> i8[n, d], f32[n]", "out"),
    FE_OP("quant::quantise.out(Tensor x, int bits=8, *, Tensor(a!) values, Tensor(b!) scales) -> "
          "(Tensor(a!), Tensor(b!))",
          quant_quantise_out, 0),
};
FE_OP_LIBRARY("quant", rows)
