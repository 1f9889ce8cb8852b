/* sizes.c -- operators whose results are as large as the data says, for the tests of custom operators. */
#include "ferrite_ops.h"

#include <stddef.h>
#include <stdio.h>

static float element(const fe_tensor *x, int64_t i, int64_t j)
{
    return ((const float *)x->data)[i * x->strides[0] + j * x->strides[1]];
}

static int64_t count_of(const fe_tensor *x, float sign)
{
    int64_t count = 0;
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++) count += element(x, i, j) * sign > 0;
    return count;
}

/* to = what of x has this sign; places: where it stands, or NULL */
static void gather(const fe_tensor *x, float sign, float *to, int64_t *places)
{
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++) {
            if (element(x, i, j) * sign <= 0) continue;
            *to++ = element(x, i, j);
            if (!places) continue;
            *places++ = i;
            *places++ = j;
        }
}

static int no_memory(const fe_op_call *call)
{
    snprintf(call->error, call->error_bytes, "no memory");
    return 1;
}

/* -> what of x is positive */
int sizes_positive(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    int64_t count = count_of(x, 1);
    float *values = call->allocate(call, 0, &count);
    if (!values) return no_memory(call);
    gather(x, 1, values, NULL);
    return 0;
}

/* -> x * 2, where x is positive [n, 2], what stands there */
int sizes_places(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    int64_t count = count_of(x, 1), pair[] = {count, 2};
    int64_t *places = call->allocate(call, 1, pair);
    float *values = call->allocate(call, 2, &count), *twice = call->results[0].data;
    if (!places || !values) return no_memory(call);
    if (call->allocate(call, 0, &count) || call->results[1].data || call->results[1].rank != 2)
        return 1;
    gather(x, 1, values, places);
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++) *twice++ = element(x, i, j) * 2;
    return 0;
}

/* -> how many are positive, which */
int sizes_counted(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    int64_t *count = call->results[0].data;
    *count = count_of(x, 1);
    float *values = call->allocate(call, 1, count);
    if (!values) return no_memory(call);
    gather(x, 1, values, NULL);
    return 0;
}

/* seen += 1 -> what is negative, what is positive */
int sizes_by_sign(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    if (call->args[1].kind == FE_ARG_TENSOR) ++*(int64_t *)call->args[1].tensor->data;
    for (uint32_t k = 0; k < 2; k++) {
        float sign = k ? 1 : -1;
        int64_t count = count_of(x, sign);
        float *values = call->allocate(call, k, &count);
        if (!values) return no_memory(call);
        gather(x, sign, values, NULL);
    }
    return 0;
}

/* nothing is made, or too much */
int sizes_none(const fe_op_call *call)
{
    int64_t many = call->args[1].integer;
    if (many && !call->allocate(call, 0, &many)) return no_memory(call);
    return 0;
}

static const fe_op_row rows[] = {
    FE_OP("sizes::positive(Tensor x) -> Tensor", sizes_positive, "x[n, d] -> x[?]"),
    FE_OP("sizes::places(Tensor x) -> (Tensor, Tensor, Tensor)", sizes_places, NULL),
    FE_OP("sizes::counted(Tensor x) -> (SymInt, Tensor)", sizes_counted, NULL),
    FE_OP("sizes::by_sign(Tensor x, Tensor(a!)? seen=None) -> Tensor[]", sizes_by_sign, NULL),
    FE_OP("sizes::none(Tensor x, int n) -> Tensor", sizes_none, "x[r, c], n -> x[?]"),
};
FE_OP_LIBRARY("sizes", rows)
