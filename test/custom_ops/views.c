/* views.c -- operators that return views of their arguments, for the tests of custom operators. */
#include "ferrite_ops.h"

#include <stddef.h>

static float *at(const fe_tensor *x, int64_t i, int64_t j)
{
    return (float *)x->data + i * x->strides[0] + j * x->strides[1];
}

/* x.t() is the program's; the sum of each row is what is left to do */
int views_turned(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    float *sums = call->results[0].data;
    if (call->result_count != 1) return 1;
    for (int64_t i = 0; i < x->sizes[0]; i++) {
        sums[i] = 0;
        for (int64_t j = 0; j < x->sizes[1]; j++) sums[i] += *at(x, i, j);
    }
    return 0;
}

/* x += 1 -> x.t() */
int views_raise(const fe_op_call *call)
{
    const fe_tensor *x = call->args[0].tensor;
    if (call->result_count != 0) return 1;
    for (int64_t i = 0; i < x->sizes[0]; i++)
        for (int64_t j = 0; j < x->sizes[1]; j++) *at(x, i, j) += 1;
    return 0;
}

/* seen += 1 -> x[0], how many columns there are */
int views_tap(const fe_op_call *call)
{
    ++*(int64_t *)call->args[1].tensor->data;
    *(int64_t *)call->results[0].data = call->args[0].tensor->sizes[1];
    return call->result_count != 1;
}

static const fe_op_row rows[] = {
    FE_OP_VIEW("views::tail(Tensor(a) x, int n) -> Tensor(a)",
               "x[r, c]{s, t}, n -> x[r - n, c]{s, t} + n * s"),
    FE_OP_VIEW("views::halves(Tensor(a) x) -> Tensor(a)[]", NULL),
    FE_OP_VIEW("views::swapped(Tensor(a) x, Tensor(b)? y) -> (Tensor(b)?, Tensor(a))", NULL),
    FE_OP("views::turned(Tensor(a) x) -> (Tensor(a), Tensor)", views_turned,
          "x[r, c]{s, t} -> x[c, r]{t, s}, x[r]"),
    FE_OP("views::raise_(Tensor(a!) x) -> Tensor(a!)", views_raise, NULL),
    FE_OP("views::tap(Tensor(a) x, Tensor(b!) seen) -> (Tensor(a), SymInt)", views_tap, NULL),
};
FE_OP_LIBRARY("views", rows)
