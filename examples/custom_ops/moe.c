/* moe.c -- the router of a mixture of experts as a custom operator: two results, and a count of how
 * often each expert was chosen that it changes in place.
 *
 *     cc -shared -fPIC -I../../include moe.c -lm -o libmoe.so
 *     ferrite compile model.pt2 --ops ./libmoe.so -o model.so
 */
#include "ferrite_ops.h"

#include <math.h>
#include <stdio.h>

/* The best expert of a row that is not among the first `taken` choices; the first of equals. */
static int64_t best_of(const float *row, int64_t stride, int64_t experts, const int64_t *chosen,
                       int64_t taken)
{
    int64_t best = -1;
    for (int64_t e = 0; e < experts; e++) {
        int is_new = 1;
        for (int64_t i = 0; i < taken; i++) is_new &= chosen[i] != e;
        if (is_new && (best < 0 || row[e * stride] > row[best * stride])) best = e;
    }
    return best;
}

/* logits[n, e], counts[e] changed, k -> weights[n, k] (softmax over the chosen), experts[n, k] */
int moe_route(const fe_op_call *call)
{
    const fe_tensor *logits = call->args[0].tensor, *counts = call->args[1].tensor;
    int64_t k = call->args[2].integer, rows = logits->sizes[0], experts = logits->sizes[1];
    float *weights = call->results[0].data;
    int64_t *chosen = call->results[1].data, *count = counts->data;
    if (k < 1 || k > experts) {
        snprintf(call->error, call->error_bytes, "k is %lld of %lld experts", (long long)k,
                 (long long)experts);
        return 1;
    }
    for (int64_t n = 0; n < rows; n++, weights += k, chosen += k) {
        const float *row = (const float *)logits->data + n * logits->strides[0];
        float sum = 0;
        for (int64_t i = 0; i < k; i++) {
            chosen[i] = best_of(row, logits->strides[1], experts, chosen, i);
            weights[i] =
                expf(row[chosen[i] * logits->strides[1]] - row[chosen[0] * logits->strides[1]]);
            sum += weights[i];
            count[chosen[i] * counts->strides[0]]++;
        }
        for (int64_t i = 0; i < k; i++) weights[i] /= sum;
    }
    return 0;
}

static const fe_op_row rows[] = {
    FE_OP("moe::route(Tensor logits, Tensor(a!) counts, int k=2) -> (Tensor, Tensor)", moe_route,
          "logits[n, e], counts[e], k -> logits[n, k], i64[n, k]"),
};
FE_OP_LIBRARY("moe", rows)
