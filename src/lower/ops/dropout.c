/* dropout.c -- dropout of elements and of whole channels, plain and alpha (which keeps mean and
 * variance), and the randomised leaky rectifier.
 *
 * Outside training they give their operand. What is drawn is stored: whoever reads it sees the
 * same numbers.
 */
#include "lower/compose.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

/* Is the element kept, with probability 1 - p? */
static tensor kept_mask(lowering *l, uint32_t rank, const sym_expr *sizes, double p)
{
    loop_value edge = loop_const_float(l->program, TY_F32, p);
    loop_value kept = lower_op2(l, LOOP_LE, edge, lower_uniform(l, rank, sizes, 0, TY_F32));
    tensor mask = lower_value(l, TY_BOOL, rank, sizes, kept);
    lower_realise(l, mask.box, NULL);
    return mask;
}

/* kept ? x * scale + shift : otherwise */
static tensor chosen(lowering *l, tensor mask, tensor x, double scale, double shift,
                     double otherwise)
{
    tensor y = lower_scale(l, x, scale);
    if (shift != 0) y = T_ADD(y, T_NUM(x, shift));
    return T_IF(mask, y, T_NUM(x, otherwise));
}

tensor lower_dropped(lowering *l, tensor x, double p)
{
    tensor mask = kept_mask(l, x.rank, x.sizes, p);
    return chosen(l, mask, x, p < 1 ? 1 / (1 - p) : 0, 0, 0);
}

fe_status lower_op_dropout(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    double p = lower_number_or(l, "p", 0.5), scale = 1 / (1 - p), shift = 0, otherwise = 0;
    tensor x = lower_arg(l, "input");
    if (!lower_bool(l, "train") || p == 0) return lower_give(l, x);
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    for (uint32_t k = 2; k < x.rank && (row->parameter & WHOLE_CHANNELS); k++) sizes[k] = l->one;
    x = lower_computed_arg(l, "input");
    if ((row->parameter & ALPHA) && p < 1) {
        const double alpha = 1.7580993408473766;
        scale = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
        shift = alpha * scale * p;
        otherwise = shift - alpha * scale;
    }
    if (p == 1) scale = 0;
    return lower_give_as_recorded(
        l, chosen(l, kept_mask(l, x.rank, sizes, p), x, scale, shift, otherwise));
}

/* The result and which elements were kept. */
fe_status lower_op_native_dropout(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    double p = lower_number_or(l, "p", 0.5);
    bool trains = (lower_is_none(l, "train") || lower_bool(l, "train")) && p != 0;
    const ty_tensor *out = lower_meta(l, 0), *mask = lower_meta(l, 1);
    tensor items[2] = {lower_arg(l, "input")};
    items[1] = trains ? kept_mask(l, mask->rank, mask->sizes, p)
                      : lower_value(l, mask->dtype, mask->rank, mask->sizes,
                                    loop_const_int(l->program, mask->dtype, 1));
    if (trains) {
        tensor x = lower_computed_arg(l, "input");
        double scale = p < 1 ? 1 / (1 - p) : 0;
        items[0] = lower_cast(l, chosen(l, items[1], x, scale, 0, 0), out->dtype);
    }
    return lower_give_items(l, items, 2);
}

/* Slopes for negative elements: drawn between two numbers in training, else their mean. Parameter
 * 1: the second result is the slopes, 1 for positive elements. */
fe_status lower_op_rrelu(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    double low = lower_number_or(l, "lower", 1.0 / 8), high = lower_number_or(l, "upper", 1.0 / 3);
    const ty_tensor *out = lower_meta(l, 0);
    tensor x = lower_computed_arg(l, "self"), slope = T_NUM(x, (low + high) / 2);
    ty_dtype d = lower_dtype(x);
    tensor positive = lower_binary(l, LOOP_LT, T_NUM(x, 0), x);
    bool trains = lower_bool(l, "training");
    if (trains) {
        loop_value u = lower_uniform(l, x.rank, x.sizes, 0, d);
        slope = lower_scale(l, lower_value(l, d, x.rank, x.sizes, u), high - low);
        slope = T_IF(positive, T_NUM(x, 1), T_ADD(slope, T_NUM(x, low)));
        lower_realise(l, slope.box, NULL);
    }
    tensor y = T_IF(positive, x, T_MUL(x, slope));
    if (!row->parameter) return lower_give_as_recorded(l, y);
    tensor items[2] = {lower_cast(l, y, out->dtype), lower_arg(l, "noise")};
    if (trains) items[1] = lower_cast(l, slope, lower_meta(l, 1)->dtype);
    return lower_give_items(l, items, 2);
}
