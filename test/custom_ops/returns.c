/* returns.c -- operators with every kind of return, for the tests of custom operators. */
#include "ferrite_ops.h"

#include <stddef.h>

static const float *row_of(const fe_tensor *x, int64_t i)
{
    return (const float *)x->data + i * x->strides[0];
}

static int64_t positive(const fe_tensor *x)
{
    int64_t count = 0;
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++) count += row_of(x, i)[j * x->strides[1]] > 0;
    return count;
}

/* to[i, j] = x[i, j] * by + plus, `to` row-major */
static void scaled(const fe_tensor *x, float by, float plus, float *to)
{
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++)
            *to++ = row_of(x, i)[j * x->strides[1]] * by + plus;
}

/* two.out: x + 1, and the sum of each row */
int returns_two_out(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    float *sums = call->args[2].tensor->data;
    scaled(x, 1, 1, call->args[1].tensor->data);
    for (int64_t i = 0; i < x->sizes[0]; i++) {
        sums[i] = 0;
        for (int64_t j = 0; j < x->sizes[1]; j++) sums[i] += row_of(x, i)[j * x->strides[1]];
    }
    return 0;
}

/* seen += 1 where it is given -> x + 1, the sum of each row */
int returns_seen(const fe_op_call *call)
{
    fe_arg args[] = {call->args[0],
                     {.kind = FE_ARG_TENSOR, .tensor = &call->results[0]},
                     {.kind = FE_ARG_TENSOR, .tensor = &call->results[1]}};
    fe_op_call two = {.args = args, .arg_count = 3};
    if (call->args[1].kind == FE_ARG_TENSOR) ++*(int64_t *)call->args[1].tensor->data;
    return returns_two_out(&two);
}

/* one.into: x * 2 */
int returns_one_into(const fe_op_call *call)
{
    scaled(call->args[0].tensor, 2, 0, call->args[1].tensor->data);
    return 0;
}

/* -> how many are positive */
int returns_positive(const fe_op_call *call)
{
    *(int64_t *)call->results[0].data = positive(call->args[0].tensor);
    return 0;
}

/* -> x * 2, how many are positive, are there any, their share */
int returns_counted(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    int64_t count = positive(x), of = x->sizes[0] * x->sizes[1];
    scaled(x, 2, 0, call->results[0].data);
    *(int64_t *)call->results[1].data = count;
    *(unsigned char *)call->results[2].data = count > 0;
    *(double *)call->results[3].data = of ? (double)count / (double)of : 0;
    return 0;
}

/* -> how many rows there are */
int returns_rows(const fe_op_call *call)
{
    *(int64_t *)call->results[0].data = call->args[0].tensor->sizes[0];
    return 0;
}

/* want -> x * 2, x * 3 where it is wanted */
int returns_maybe(const fe_op_call *call)
{
    scaled(call->args[0].tensor, 2, 0, call->results[0].data);
    if ((call->results[1].data != NULL) != (call->args[1].integer != 0)) return 1;
    if (call->results[1].data) scaled(call->args[0].tensor, 3, 0, call->results[1].data);
    return 0;
}

/* want -> x * 3 where it is wanted */
int returns_optional(const fe_op_call *call)
{
    if (call->results[0].data) scaled(call->args[0].tensor, 3, 0, call->results[0].data);
    return 0;
}

/* sizes -> x cut into so many rows each, x + 1 */
int returns_parts(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    fe_tensor part = *x;
    int64_t first = 0;
    for (uint32_t k = 0; k < call->args[1].count; k++) {
        int64_t sizes[2] = {call->args[1].items[k].integer, x->sizes[1]};
        part.sizes = sizes;
        part.data = (float *)x->data + first * x->strides[0];
        scaled(&part, 1, 0, call->results[k].data);
        first += sizes[0];
    }
    scaled(x, 1, 1, call->results[call->result_count - 1].data);
    return 0;
}

/* the sum of what is there */
int returns_sum_of(const fe_op_call *call)
{
    const fe_tensor *to = &call->results[0];
    float *out = to->data;
    for (int64_t i = 0; i < to->sizes[0]; i++)
        for (int64_t j = 0; j < to->sizes[1]; j++, out++) {
            *out = 0;
            for (uint32_t k = 0; k < call->args[0].count; k++) {
                const fe_arg *x = &call->args[0].items[k];
                if (x->kind != FE_ARG_TENSOR) continue;
                *out += row_of(x->tensor, i)[j * x->tensor->strides[1]];
            }
        }
    return 0;
}

static const fe_op_row rows[] = {
    FE_OP_BY_OUT("returns::two(Tensor x) -> (Tensor, Tensor)", NULL, "out"),
    FE_OP_OUT("returns::two.out(Tensor x, *, Tensor(a!) more, Tensor(b!) sums) -> "
              "(Tensor(a!), Tensor(b!))",
              returns_two_out),
    FE_OP("returns::seen(Tensor x, Tensor(a!)? seen=None) -> (Tensor, Tensor)", returns_seen,
          "x[n, d] -> x[n, d], x[n]"),
    FE_OP_BY_OUT("returns::one(Tensor x) -> Tensor", NULL, NULL),
    FE_OP("returns::one.into(Tensor x, *, Tensor(a!) result) -> Tensor(a!)", returns_one_into,
          NULL),
    FE_OP("returns::positive(Tensor x) -> SymInt", returns_positive, NULL),
    FE_OP("returns::counted(Tensor x) -> (Tensor, SymInt, bool, float)", returns_counted, NULL),
    FE_OP("returns::rows(Tensor x) -> SymInt", returns_rows, NULL),
    FE_OP("returns::maybe(Tensor x, bool want) -> (Tensor, Tensor?)", returns_maybe, NULL),
    FE_OP("returns::optional(Tensor x, bool want) -> Tensor?", returns_optional, NULL),
    FE_OP("returns::parts(Tensor x, SymInt[] sizes) -> (Tensor[], Tensor)", returns_parts, NULL),
    FE_OP("returns::sum_of(Tensor?[] xs, float? by=None, int[]? d=None) -> Tensor", returns_sum_of,
          NULL),
};
FE_OP_LIBRARY("returns", rows)
