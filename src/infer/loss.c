/* loss.c -- losses: one number, or without reduction one for each element or row.
 *
 * They differ in what a value stands for: an element of what the operands broadcast to, a row of
 * it, a class index of the target. Derivatives are like what they are the derivative by.
 */
#include "infer/infer_priv.h"

#include <string.h>

enum { REDUCTION_NONE = 0, REDUCTION_MEAN = 1 };

static bool is_reduced(infer_call *c)
{
    return infer_int(c, "reduction", REDUCTION_MEAN) != REDUCTION_NONE;
}

static ty_dtype loss_dtype(infer_call *c, const ty_tensor *const *operands, uint32_t count)
{
    ty_operand types[INFER_MAX_OPERANDS];
    for (uint32_t i = 0; i < count; i++)
        types[i] = (ty_operand){.dtype = operands[i]->dtype, .is_zero_dim = operands[i]->rank == 0};
    ty_dtype dtype = ty_result_type(types, count);
    return infer_dtype_by_kind(c, dtype, operands[0]->dtype);
}

/* Elementwise over the first two, or as many as are tensors and no weights. */
static void give_pointwise(infer_call *c, ty_dtype dtype)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    ty_tensor *out = infer_elementwise(c, dtype, operands, count);
    if (is_reduced(c) && ty_is_integral(dtype, true)) dtype = TY_I64;
    infer_give(c, is_reduced(c) ? infer_fresh(c, out, dtype, 0, NULL) : out);
}

void rule_pointwise_loss(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    if (count) give_pointwise(c, loss_dtype(c, operands, count));
}

/* PyTorch works in place on 1 - target, and with a weight of what is so on the logarithm beside it. */
void rule_logits_loss(infer_call *c)
{
    ty_tensor *self = infer_self(c), *target = infer_tensor(c, "target");
    if (target && ty_is_complex(target->dtype) && infer_tensor(c, "pos_weight"))
        infer_fail(c, "a complex target %s beside pos_weight", infer_shape(c, target));
    if (self && target) give_pointwise(c, target->dtype);
}

/* Over pairs of rows: one value a row. */
void rule_row_loss(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    if (count < 2) return;
    if (op_param_index(c->op, "target") >= 0) count = 2; /* the target is one for each row */
    ty_dtype dtype = loss_dtype(c, operands, count);
    ty_tensor *both = infer_elementwise(c, dtype, operands, count);
    if (!both) return;
    uint32_t rank = both->rank ? both->rank - 1 : 0;
    infer_give(c, infer_fresh(c, both, dtype, is_reduced(c) ? 0 : rank, both->sizes));
}

/* The sizes of a class index for each element: those of the target, or, when targets are
 * probabilities, of the input without its classes. */
static ty_tensor *per_target(infer_call *c, const ty_tensor *x, const ty_tensor *target)
{
    sym_expr sizes[TY_MAX_RANK];
    if (target->rank < x->rank || x->rank == 0)
        return infer_fresh(c, x, x->dtype, target->rank, target->sizes);
    uint32_t classes = x->rank == 1 ? 0 : 1;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != classes) sizes[rank++] = x->sizes[i];
    return infer_fresh(c, x, x->dtype, rank, sizes);
}

/* nll_loss, cross entropy; the parameter says that a second result is the total weight. */
void rule_class_loss(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *target = infer_tensor(c, "target");
    if (!x || !target) return;
    ty_operand types[] = {{.dtype = x->dtype}, {.dtype = target->dtype}};
    ty_dtype dtype = ty_is_floating(target->dtype) ? ty_result_type(types, 2) : x->dtype;
    ty_tensor *out = is_reduced(c) ? infer_fresh(c, x, dtype, 0, NULL) : per_target(c, x, target);
    if (out) out->dtype = dtype;
    if (c->param)
        infer_give_pair(c, out, infer_fresh(c, x, x->dtype, 0, NULL));
    else
        infer_give(c, out);
}

/* Margin losses: one value for each row of a batch. With a second result: which are targets. */
void rule_margin_loss(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "self");
    ty_tensor *target = infer_tensor(c, "target");
    if (!x || !target) return;
    uint32_t rank = is_reduced(c) || x->rank < 2 ? 0 : 1;
    ty_tensor *out = infer_fresh(c, x, x->dtype, rank, x->sizes);
    if (c->op->return_count == 1)
        infer_give(c, out);
    else
        infer_give_pair(c, out, infer_fresh(c, x, x->dtype, target->rank, target->sizes));
}

/* Losses of sequences: one for each of the batch. */
void rule_ctc_loss(infer_call *c)
{
    sym_expr sizes[3];
    ty_tensor *x = infer_tensor(c, "log_probs");
    if (!x || x->rank < 2) return;
    bool batched = x->rank == 3;
    if (c->op->return_count == 1) {
        infer_give(c, infer_fresh(c, x, x->dtype, is_reduced(c) || !batched ? 0 : 1, x->sizes + 1));
        return;
    }
    sizes[0] = batched ? x->sizes[1] : infer_number(c, 1);
    sizes[1] = x->sizes[0];
    sizes[2] = infer_unbacked(c, 1, 2);
    ty_tensor *loss = infer_fresh(c, x, x->dtype, batched ? 1 : 0, sizes);
    infer_give_pair(c, loss, infer_fresh(c, x, x->dtype, 3, sizes));
}

/* Derivatives: like what they are the derivative by, which the parameter tells: 0 self, 1 input. */
void rule_gradient_like(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, c->param ? "input" : "self");
    if (x) infer_give(c, infer_like(c, x, x->dtype, TY_CONTIGUOUS));
}

/* The loss of a linear layer's result in chunks: a number and gradients, empty unless asked for. */
void rule_linear_cross_entropy(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "input");
    ty_tensor *weight = infer_tensor(c, "linear_weight");
    ty_tensor *bias = infer_tensor(c, "linear_bias");
    sym_expr none[] = {infer_number(c, 0), infer_number(c, 0)};
    if (!x || !weight) return;
    if (c->op->return_count == 1) {
        ty_tensor *target = infer_tensor(c, "target");
        if (target) infer_give(c, infer_fresh(c, x, x->dtype, target->rank, target->sizes));
        return;
    }
    bool grads[] = {infer_flag(c, "compute_input_grad", false),
                    infer_flag(c, "compute_linear_weight_grad", false),
                    infer_flag(c, "compute_linear_bias_grad", false) && bias};
    ty_tensor *items[] = {infer_fresh(c, x, x->dtype, 0, NULL),
                          grads[0] ? infer_like(c, x, x->dtype, TY_CONTIGUOUS)
                                   : infer_fresh(c, x, x->dtype, 2, none),
                          grads[1] ? infer_like(c, weight, weight->dtype, TY_CONTIGUOUS)
                                   : infer_fresh(c, weight, weight->dtype, 2, none),
                          grads[2] ? infer_like(c, bias, bias->dtype, TY_CONTIGUOUS)
                                   : infer_fresh(c, weight, weight->dtype, 1, none)};
    infer_give_items(c, items, 4);
}
