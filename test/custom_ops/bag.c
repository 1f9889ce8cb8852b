/* bag.c -- operators with every kind of argument, for the tests of custom operators. */
#include "ferrite_ops.h"

#include <stdio.h>
#include <string.h>

static void scale_tensor(const fe_tensor *x, float by, const fe_tensor *mask)
{
    int64_t rank0 = x->rank > 0 ? x->sizes[0] : 1, rank1 = x->rank > 1 ? x->sizes[1] : 1;
    for (int64_t i = 0; i < rank0; i++)
        for (int64_t j = 0; j < rank1; j++) {
            int64_t at =
                (x->rank > 0 ? i * x->strides[0] : 0) + (x->rank > 1 ? j * x->strides[1] : 0);
            if (!mask || ((const unsigned char *)mask->data)[i * mask->strides[0]])
                ((float *)x->data)[at] *= by;
        }
}

/* Each tensor of the list times `by`: all rows, or those of the mask. */
int bag_scale(const fe_op_call *call)
{
    const fe_arg *list = &call->args[0];
    float by = (float)call->args[1].number;
    const fe_tensor *mask = call->args[2].kind == FE_ARG_TENSOR ? call->args[2].tensor : NULL;
    const char *mode = call->args[3].string;
    if (strcmp(mode, "all") != 0 && strcmp(mode, "first") != 0) {
        snprintf(call->error, call->error_bytes, "there is no mode '%s'", mode);
        return 1;
    }
    uint32_t count = strcmp(mode, "first") == 0 && list->count ? 1 : list->count;
    for (uint32_t k = 0; k < count; k++) scale_tensor(list->items[k].tensor, by, mask);
    return 0;
}

/* Adds 1 and returns the argument itself; an optional log counts the calls. */
int bag_increment(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    for (int64_t i = 0; i < x->sizes[0]; i++) ((float *)x->data)[i * x->strides[0]] += 1;
    if (call->args[1].kind == FE_ARG_TENSOR) ++*(int64_t *)call->args[1].tensor->data;
    return 0;
}

/* Row sums of each tensor. */
int bag_sums(const fe_op_call *call)
{
    for (uint32_t k = 0; k < call->args[0].count; k++) {
        const fe_tensor *x = call->args[0].items[k].tensor;
        float *out = call->results[k].data;
        for (int64_t i = 0; i < x->sizes[0]; i++) {
            out[i] = 0;
            for (int64_t j = 0; j < x->sizes[1]; j++)
                out[i] += ((const float *)x->data)[i * x->strides[0] + j * x->strides[1]];
        }
    }
    return 0;
}

/* Each tensor of the list times `by`; an optional log counts the calls. */
int bag_grow(const fe_op_call *call)
{
    const fe_arg *list = &call->args[0];
    for (uint32_t k = 0; k < list->count; k++)
        scale_tensor(list->items[k].tensor, (float)call->args[1].number, NULL);
    if (call->args[2].kind == FE_ARG_TENSOR) ++*(int64_t *)call->args[2].tensor->data;
    return 0;
}

static float *element(const fe_tensor *x, int64_t i, int64_t j)
{
    return (float *)x->data + i * x->strides[0] + j * x->strides[1];
}

/* x += z, then y *= 2 -> z as it is then; all may be the same memory */
int bag_mix(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor, *z = call->args[2].tensor;
    float *out = call->results[0].data;
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++) *element(x, i, j) += *element(z, i, j);
    if (call->args[1].kind == FE_ARG_TENSOR) scale_tensor(call->args[1].tensor, 2, NULL);
    for (int64_t i = 0; i < z->sizes[0]; i++)
        for (int64_t j = 0; j < z->sizes[1]; j++) *out++ = *element(z, i, j);
    return 0;
}

static const fe_op_row rows[] = {
    FE_OP("bag::scale_(Tensor(a!)[] xs, float by, Tensor? mask=None, str mode=\"all\") -> ()",
          bag_scale, NULL),
    FE_OP("bag::increment_(Tensor(a!) x, Tensor(b!)? calls=None) -> Tensor(a!)", bag_increment,
          NULL),
    FE_OP("bag::grow_(Tensor(a!)[] xs, float by, Tensor(b!)? calls=None) -> ()", bag_grow, NULL),
    FE_OP("bag::sums(Tensor[] xs) -> Tensor[]", bag_sums, NULL),
    FE_OP("bag::mix_(Tensor(a!) x, Tensor(b!)? y, Tensor z) -> Tensor", bag_mix,
          "z[n, m] -> z[n, m]"),
};
FE_OP_LIBRARY("bag", rows)
