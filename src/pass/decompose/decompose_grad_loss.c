/* decompose_grad_loss.c -- derivatives of distances between rows and of margin losses. */
#include "pass/decompose/decompose_arith.h"

#include <math.h>

/* ---- distances: p-norms of differences ---- */

/* What a difference adds to the derivative, for the gradient of its distance. */
static fx_arg along(decomposing *d, fx_arg difference, fx_arg distance, fx_arg g, double p)
{
    fx_arg sign = CALL(aten_sign_default, difference), zero = decompose_of(d, 0);
    if (p == 1) return mul(d, g, sign);
    if (isinf(p) && p > 0) {
        fx_arg most = CALL(aten_eq_Tensor, CALL(aten_abs_default, difference), distance);
        return mul(d, mul(d, g, sign), most);
    }
    fx_arg counts = CALL(aten_ne_Scalar, distance, zero);
    if (p == 2) return or_zero(d, counts, quotient(d, mul(d, g, difference), distance));
    if (p < 1) counts = both(d, counts, CALL(aten_ne_Scalar, difference, zero));
    fx_arg power = fx_float(p - 1);
    fx_arg top = CALL(aten_pow_Tensor_Scalar, CALL(aten_abs_default, difference), power);
    fx_arg step = quotient(d, g, CALL(aten_pow_Tensor_Scalar, distance, power));
    return or_zero(d, counts, mul(d, mul(d, sign, top), step));
}

void decompose_op_cdist_backward(decomposing *d)
{
    double p = decompose_number(d, "p", 2);
    const ty_tensor *t = fx_tensor(d->n);
    fx_arg a = unsqueezed(d, arg(d, "x1"), -2), b = unsqueezed(d, arg(d, "x2"), -3);
    const ty_tensor *made = fx_arg_tensor(decompose_arg(d, "cdist"));
    sym_expr count = sym_product(d->g->symbols, made->sizes, made->rank);
    if (p == 0 || sym_known_equal(d->g->symbols, count, sym_int(d->g->symbols, 0))) {
        decompose_give(d, zeros_of(d, arg(d, "x1"), t->rank, t->sizes));
        return;
    }
    fx_arg g = unsqueezed(d, arg(d, "grad"), -1), distance = unsqueezed(d, arg(d, "cdist"), -1);
    decompose_give(d, summed(d, along(d, sub(d, a, b), distance, g, p), -2, false));
}

void decompose_op_pdist_backward(decomposing *d)
{
    double p = decompose_number(d, "p", 2);
    fx_arg x = arg(d, "self"), dim = decompose_of(d, 0);
    const ty_tensor *t = fx_arg_tensor(&x);
    fx_arg zeros = zeros_of(d, x, t->rank, t->sizes);
    if (p == 0) {
        decompose_give(d, zeros);
        return;
    }
    fx_arg grad = arg(d, "grad"), sides[2];
    decompose_pairs(d, t->sizes[0], fx_arg_tensor(&grad)->sizes[0], sides);
    fx_arg difference = sub(d, CALL(aten_index_select_default, x, dim, sides[0]),
                            CALL(aten_index_select_default, x, dim, sides[1]));
    fx_arg term =
        along(d, difference, unsqueezed(d, arg(d, "pdist"), -1), unsqueezed(d, grad, -1), p);
    fx_arg made = CALL(aten_index_add_default, zeros, dim, sides[0], term);
    decompose_give(d,
                   CALL(aten_index_add_default, made, dim, sides[1], CALL(aten_neg_default, term)));
}

/* ---- margin losses, over rows of scores ---- */

typedef struct margins {
    fx_arg x, target,
        grad;              /* [N, C], [N, ...], [N, 1] or one number, divided by what is averaged */
    const ty_tensor *self; /* as given, perhaps a row alone */
    sym_expr rows, classes;
} margins;

static margins margins_of(decomposing *d)
{
    enum { NONE = 0, MEAN = 1 };
    sym_table *s = d->g->symbols;
    margins m = {.x = arg(d, "self"), .target = arg(d, "target"), .grad = arg(d, "grad_output")};
    m.self = fx_arg_tensor(&m.x);
    int64_t reduction = decompose_int(d, "reduction", MEAN);
    bool is_row = m.self->rank < 2;
    m.rows = is_row ? sym_int(s, 1) : m.self->sizes[0];
    m.classes = m.self->rank ? m.self->sizes[m.self->rank - 1] : sym_int(s, 1);
    sym_expr sizes[] = {m.rows, m.classes}, column[] = {m.rows, sym_int(s, 1)};
    m.x = reshaped(d, m.x, 2, sizes);
    if (reduction == NONE)
        m.grad = reshaped(d, m.grad, 2, column);
    else
        m.grad = reshaped(d, m.grad, 0, NULL);
    sym_expr count = reduction == MEAN ? sym_mul(s, m.rows, m.classes) : m.classes;
    m.grad = quotient(d, m.grad, fx_expr(count));
    return m;
}

void decompose_op_multi_margin_backward(decomposing *d)
{
    margins m = margins_of(d);
    sym_expr column[] = {m.rows, sym_int(d->g->symbols, 1)};
    fx_arg target = reshaped(d, m.target, 2, column), weight = arg(d, "weight");
    fx_arg own = CALL(aten_gather_default, m.x, decompose_of(d, 1), target);
    fx_arg margin = fx_float(decompose_number(d, "margin", 1));
    fx_arg z = add(d, sub(d, m.x, own), margin);
    fx_arg is_own = CALL(aten_eq_Tensor, counted(d, m.classes), target);
    fx_arg counts = both(d, CALL(aten_gt_Scalar, z, decompose_of(d, 0)),
                         CALL(aten_logical_not_default, is_own));
    fx_arg step = decompose_number(d, "p", 1) == 1 ? CALL(aten_ones_like_default, z)
                                                   : mul(d, z, decompose_of(d, 2));
    if (weight.kind != FX_ARG_NONE)
        step = mul(d, step,
                   reshaped(d,
                            CALL(aten_index_select_default, weight, decompose_of(d, 0),
                                 reshaped(d, target, 1, &m.rows)),
                            2, column));
    step = or_zero(d, counts, mul(d, step, m.grad));
    fx_arg back = CALL(aten_neg_default, summed(d, step, 1, true));
    decompose_give(
        d, reshaped(d, CALL(aten_where_self, is_own, back, step), m.self->rank, m.self->sizes));
}

/* Targets count up to the first that is negative. */
void decompose_op_multilabel_margin_backward(decomposing *d)
{
    margins m = margins_of(d);
    sym_expr sizes[] = {m.rows, m.classes};
    fx_arg zero = decompose_of(d, 0), one = decompose_of(d, 1);
    fx_arg target = reshaped(d, m.target, 2, sizes);
    fx_arg ended = CALL(aten_cumsum_default, CALL(aten_lt_Scalar, target, zero), one);
    fx_arg counts = CALL(aten_eq_Scalar, ended, zero),
           at = CALL(aten_clamp_min_default, target, zero);
    fx_arg own = unsqueezed(d, CALL(aten_gather_default, m.x, one, at), 2);
    fx_arg is_target = reshaped(d, arg(d, "is_target"), 2, sizes);
    fx_arg others = CALL(aten_eq_Scalar, unsqueezed(d, is_target, 1), zero);
    fx_arg z = sub(d, unsqueezed(d, m.x, 1), own); /* [N, targets, classes] */
    fx_arg active = both(d, CALL(aten_gt_Scalar, z, decompose_of(d, -1)), others);
    active = cast(d, both(d, active, unsqueezed(d, counts, 2)), m.self->dtype);
    fx_arg made = CALL(aten_scatter_add_default, summed(d, active, 1, false), one, at,
                       CALL(aten_neg_default, summed(d, active, 2, false)));
    decompose_give(d, reshaped(d, mul(d, made, m.grad), m.self->rank, m.self->sizes));
}
