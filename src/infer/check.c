/* check.c -- what arguments have to be where a form of sizes (contract.c) cannot say it: places along a
 * dimension, losses, paddings, scales; and the table of all of them.
 */
#include "infer/infer_priv.h"

#include <string.h>

sym_expr infer_size_along(infer_call *c, const ty_tensor *x, uint32_t dim)
{
    return x->rank ? x->sizes[dim] : infer_number(c, 1);
}

static uint32_t counted_rank(const ty_tensor *x)
{
    return x->rank ? x->rank : 1;
}

/* ---- places along a dimension ---- */

/* As many dimensions, none longer but that one (NONE: none at all). */
static const uint32_t NO_DIM = UINT32_MAX;
static void fits_within(infer_call *c, const ty_tensor *index, const ty_tensor *x, const char *name,
                        uint32_t but)
{
    if (infer_is(c, ty_numel(c->symbols, index), 0)) return;
    if (counted_rank(index) != counted_rank(x)) {
        infer_fail(c,
                   "Index tensor must have the same number of dimensions as %s tensor: %s and %s",
                   name, infer_shape(c, index), infer_shape(c, x));
        return;
    }
    for (uint32_t d = 0; d < counted_rank(x); d++)
        if (d != but)
            (void)INFER_REQUIRE(
                c, SYM_LE, infer_size_along(c, index, d), infer_size_along(c, x, d),
                "Size does not match at dimension %u expected index %s to be no larger than "
                "%s %s apart from dimension %u",
                d, infer_shape(c, index), name, infer_shape(c, x), but);
}

static void check_gather(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *index = infer_tensor(c, "index");
    if (!x || !index) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    bool empty = infer_is(c, ty_numel(c->symbols, index), 0);
    if (!empty && index->dtype != TY_I64 && index->dtype != TY_I32)
        infer_fail(c, "%s(): Expected dtype int32/int64 for index, but it is %s", c->op->base,
                   infer_shape(c, index));
    fits_within(c, index, x, "self", dim);
}

static void check_scatter(infer_call *c)
{
    const ty_tensor *index = infer_tensor(c, "index"), *source = infer_tensor(c, "src");
    check_gather(c);
    if (index && source && c->status == FE_OK) fits_within(c, index, source, "src", NO_DIM);
}

/* index_add and its kin: the source has the sizes of self, but along the dimension those of the index. */
static void check_rows(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *index = infer_tensor(c, "index");
    const ty_tensor *source = infer_tensor(c, "source");
    if (!x || !index || !source) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    if (index->rank > 1)
        infer_fail(c, "Index is supposed to be 1-dimensional or a number, but is %s",
                   infer_shape(c, index));
    if (counted_rank(x) != counted_rank(source) && source->rank)
        infer_fail(c, "self %s and source %s must have the same number of dimensions",
                   infer_shape(c, x), infer_shape(c, source));
    if (!source->rank && x->rank > 1)
        infer_fail(c, "Source/destination tensor must have same slice shapes: %s and %s",
                   infer_shape(c, x), infer_shape(c, source));
    if (c->status != FE_OK) return;
    sym_expr count = ty_numel(c->symbols, index);
    (void)INFER_REQUIRE_EQUAL(c, count, infer_size_along(c, source, source->rank ? dim : 0),
                              "Number of indices (%s) should be equal to source.size(dim): %s",
                              infer_written(c, count), infer_shape(c, source));
    for (uint32_t d = 0; d < x->rank && source->rank; d++)
        if (d != dim)
            (void)INFER_REQUIRE_EQUAL(
                c, source->sizes[d], x->sizes[d],
                "Source/destination tensor must have same slice shapes: %s and %s at dimension %u",
                infer_shape(c, x), infer_shape(c, source), d);
}

static void check_index(infer_call *c)
{
    const ty_tensor *index = infer_tensor(c, "index"), *x = infer_tensor(c, "self");
    if (index && x && x->rank == 0)
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, index), infer_number(c, 1),
                                  "Index to scalar can have only 1 value, got %s",
                                  infer_shape(c, index));
    if (index && index->rank > 1)
        infer_fail(c, "Index is supposed to be a vector, but is %s", infer_shape(c, index));
}

/* put: one element of the source for each index. */
static void check_put(infer_call *c)
{
    const ty_tensor *index = infer_tensor(c, "index"), *source = infer_tensor(c, "source");
    if (!index || !source) return;
    (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, index), ty_numel(c->symbols, source),
                              "put_(): Expected source and index to have the same number of "
                              "elements, but they are %s and %s",
                              infer_shape(c, source), infer_shape(c, index));
}

/* ---- numbers out of tensors ---- */

static void check_element(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x)
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, x), infer_number(c, 1),
                                  "a Tensor with %s elements cannot be converted to Scalar",
                                  infer_written(c, ty_numel(c->symbols, x)));
}

/* ---- losses ---- */

/* A class for each row of [n, c, ...] or for [c]; or, as large as those, probabilities. */
static void check_targets(infer_call *c, bool takes_shares)
{
    const ty_tensor *x = infer_tensor(c, "self"), *target = infer_tensor(c, "target");
    const ty_tensor *gradient = infer_tensor(c, "grad_output"), *weight = infer_tensor(c, "weight");
    if (!x || !target) return;
    if (x->rank == 0) {
        infer_fail(c, "the input of %s is %s", c->op->base, infer_shape(c, x));
        return;
    }
    bool probabilities = takes_shares && target->rank == x->rank && ty_is_floating(target->dtype);
    if (probabilities && infer_int(c, "ignore_index", -100) >= 0)
        infer_fail(c, "ignore_index is not supported for floating point target");
    uint32_t classes = x->rank == 1 ? 0 : 1, from = 0;
    uint32_t wanted = probabilities ? x->rank : x->rank - 1;
    if (x->rank == 1 && target->rank == 1 && !probabilities) {
        (void)INFER_REQUIRE_EQUAL(c, target->sizes[0], infer_number(c, 1),
                                  "expected one target, got %s", infer_shape(c, target));
    } else if (target->rank != wanted) {
        infer_fail(c, "Expected target of %u dimensions for input %s, got %s", wanted,
                   infer_shape(c, x), infer_shape(c, target));
    } else {
        for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++) {
            if (d == classes && !probabilities) continue;
            (void)INFER_REQUIRE_EQUAL(
                c, x->sizes[d], target->sizes[from],
                "Expected input batch_size to match target batch_size: %s and %s",
                infer_shape(c, x), infer_shape(c, target));
            from++;
        }
    }
    if (!probabilities && target->dtype != TY_I64 && target->dtype != TY_U8)
        infer_fail(c, "expected scalar type Long but target is %s", infer_shape(c, target));
    if (weight && (weight->rank != 1 || weight->dtype != x->dtype))
        infer_fail(
            c, "weight tensor should be defined either for all classes or no classes but got %s",
            infer_shape(c, weight));
    if (weight && c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(c, weight->sizes[0], x->sizes[classes],
                                  "weight tensor should be defined for all classes of %s but is %s",
                                  infer_shape(c, x), infer_shape(c, weight));
    const ty_tensor *total = infer_tensor(c, "total_weight");
    if (total)
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, total), infer_number(c, 1),
                                  "expected total_weight to be a single element tensor, got: %s",
                                  infer_shape(c, total));
    if (!gradient || c->status != FE_OK) return;
    bool none = infer_int(c, "reduction", 1) == 0 && x->rank > 1;
    if (gradient->rank != (none ? target->rank : 0))
        infer_fail(c, "the gradient of the loss is %s", infer_shape(c, gradient));
    for (uint32_t d = 0; none && d < target->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(c, gradient->sizes[d], target->sizes[d],
                                  "size mismatch (got grad_output: %s target: %s)",
                                  infer_shape(c, gradient), infer_shape(c, target));
}

static void check_classes(infer_call *c)
{
    check_targets(c, false);
}
static void check_class_shares(infer_call *c)
{
    check_targets(c, true);
}

/* ---- groups ---- */

static void check_groups(infer_call *c)
{
    sym_table *t = c->symbols;
    const ty_tensor *x = infer_tensor(c, "input");
    sym_expr n = infer_expr(c, "N", 1), channels = infer_expr(c, "C", 1),
             rest = infer_expr(c, "HxW", 1);
    if (x && x->rank < 2) infer_fail(c, "input is %s, which has no channels", infer_shape(c, x));
    if (!x || c->status != FE_OK) return;
    (void)INFER_REQUIRE_EQUAL(c, ty_numel(t, x), sym_mul(t, sym_mul(t, n, channels), rest),
                              "Expected X.numel() == N * C * HxW to be true, but X is %s",
                              infer_shape(c, x));
    if (x->rank >= 2)
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[1], channels, "input is %s and C %s",
                                  infer_shape(c, x), infer_written(c, channels));
    (void)INFER_REQUIRE_EQUAL(c, sym_mod(t, channels, infer_expr(c, "group", 1)),
                              infer_number(c, 0),
                              "Expected number of channels in input to be divisible by num_groups");
}

/* ---- scales ---- */

/* fake_quantize_per_channel: a scale for each size of the axis. */
static void check_channel_scales(infer_call *c)
{
    static const char *const NAMES[] = {"scale", "zero_point", "scales", "zero_points"};
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) x = infer_tensor(c, "input");
    if (!x) return;
    sym_expr size = infer_size_along(c, x, infer_dim(c, "axis", x->rank));
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        const ty_tensor *scale = infer_tensor(c, NAMES[i]);
        if (scale && scale->rank != 1)
            infer_fail(c, "%s should be a 1-D tensor, but is %s", NAMES[i], infer_shape(c, scale));
        if (scale && c->status == FE_OK)
            (void)INFER_REQUIRE_EQUAL(c, scale->sizes[0], size,
                                      "%s %s does not match the size %s of the axis", NAMES[i],
                                      infer_shape(c, scale), infer_written(c, size));
    }
}

/* Norms over all dimensions but the first or the last, one for each size of that. */
static void check_norms(infer_call *c, bool is_composed)
{
    bool is_gradient = infer_tensor(c, "saved_v") != NULL;
    const ty_tensor *v = infer_tensor(c, is_gradient ? "saved_v" : "v"),
                    *g = infer_tensor(c, is_gradient ? "saved_g" : "g");
    if (!v || !g) return;
    uint32_t dim = infer_dim(c, "dim", v->rank);
    bool of_all = is_composed && infer_int(c, "dim", 0) == -1;
    if (v->rank == 0 || of_all || (dim != 0 && dim != v->rank - 1)) {
        is_composed &= v->rank > 0;
        if (is_composed) (void)infer_require_fits(c, g, v->rank, v->sizes, "g");
        if (!is_composed) infer_fail(c, "fused kernels can only be applied for first or last dim");
        return;
    }
    if (g->rank != v->rank)
        infer_fail(c, "g is %s where v is %s", infer_shape(c, g), infer_shape(c, v));
    if (ty_is_complex(v->dtype))
        infer_fail(c, "\"weight_norm_kernel\" not implemented for '%s'", ty_dtype_name(v->dtype));
    if (g->dtype != v->dtype)
        infer_fail(c, "g is %s where v is %s: expected the same dtype", infer_shape(c, g),
                   infer_shape(c, v));
    for (uint32_t d = 0; d < v->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(c, g->sizes[d], d == dim ? v->sizes[d] : infer_number(c, 1),
                                  "g is %s where v is %s, and dim %u", infer_shape(c, g),
                                  infer_shape(c, v), dim);
    const ty_tensor *w = infer_tensor(c, "grad_w"), *norms = infer_tensor(c, "saved_norms");
    for (uint32_t d = 0; w && norms && d < v->rank && c->status == FE_OK; d++) {
        if (w->rank != v->rank || norms->rank != v->rank)
            infer_fail(c, "grad_w is %s where v is %s", infer_shape(c, w), infer_shape(c, v));
        if (c->status != FE_OK) return;
        (void)INFER_REQUIRE_EQUAL(c, w->sizes[d], v->sizes[d], "grad_w is %s where v is %s",
                                  infer_shape(c, w), infer_shape(c, v));
        (void)INFER_REQUIRE_EQUAL(c, norms->sizes[d], g->sizes[d], "saved_norms is %s, saved_g %s",
                                  infer_shape(c, norms), infer_shape(c, g));
    }
}

static void check_weight_norm(infer_call *c)
{
    check_norms(c, true);
}
static void check_fused_weight_norm(infer_call *c)
{
    check_norms(c, false);
}

/* The gradient of windows along a dimension; it is repeated along others of size 1. */
static void check_unfolded(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    sym_table *t = c->symbols;
    const ty_tensor *gradient = infer_tensor(c, "grad_in");
    uint32_t rank = infer_sizes(c, "input_sizes", 0, sizes), dim = infer_dim(c, "dim", rank);
    sym_expr size = infer_expr(c, "size", 1), step = infer_expr(c, "step", 1);
    if (!gradient || c->status != FE_OK) return;
    if (rank == 0) {
        if (gradient->rank > 1) infer_fail(c, "the gradient is %s", infer_shape(c, gradient));
        return;
    }
    if (gradient->rank != rank + 1) {
        infer_fail(c, "the gradient is %s, of a tensor of %u dimensions", infer_shape(c, gradient),
                   rank);
        return;
    }
    for (uint32_t d = 0; d <= rank && c->status == FE_OK; d++) {
        sym_expr wanted = d == rank ? size : sizes[d];
        if (d == dim) wanted = sym_add_int(t, sym_floordiv(t, sym_sub(t, sizes[d], size), step), 1);
        if (d != dim && d != rank && infer_is_one(c, gradient->sizes[d])) continue;
        (void)INFER_REQUIRE_EQUAL(c, gradient->sizes[d], wanted,
                                  "the gradient is %s: dimension %u has to be %s",
                                  infer_shape(c, gradient), d, infer_written(c, wanted));
    }
}

static void check_dense(infer_call *c)
{
    if (infer_flag(c, "sparse", false) && c->status == FE_OK)
        c->status = fx_fail(c->graph, c->node, "infer", FE_UNSUPPORTED, "leave sparse=True out",
                            "cannot handle sparse gradients");
}

/* kthvalue, topk: k of the elements that there are, no more. */
static void check_ranked(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    sym_expr k = infer_expr(c, "k", 1), size = infer_size_along(c, x, infer_dim(c, "dim", x->rank));
    (void)INFER_REQUIRE(c, SYM_LE, k, size, "selected index k out of range: %s of %s",
                        infer_written(c, k), infer_shape(c, x));
}

static void check_same_count(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *other = infer_tensor(c, "other");
    if (x && other)
        (void)INFER_REQUIRE_EQUAL(c, ty_numel(c->symbols, x), ty_numel(c->symbols, other),
                                  "the shape of %s is invalid for input %s", infer_shape(c, other),
                                  infer_shape(c, x));
}

/* What is computed by promoted operands is written in the dtype of self. */
static void check_cast(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS], *x = infer_tensor(c, "self");
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    for (uint32_t i = 0; x && i < count; i++)
        if (!infer_can_cast(operands[i]->dtype, x->dtype))
            infer_fail(c, "result type %s can't be cast to the desired output type %s",
                       ty_dtype_name(operands[i]->dtype), ty_dtype_name(x->dtype));
}

static void check_strided_same(infer_call *c)
{
    sym_expr strides[TY_MAX_RANK];
    bool same = infer_string(c, "padding", "valid")[0] == 's';
    uint32_t count = infer_sizes(c, "stride", 0, strides);
    for (uint32_t i = 0; same && i < count; i++)
        (void)INFER_REQUIRE_EQUAL(c, strides[i], infer_number(c, 1),
                                  "padding='same' is not supported for strided convolutions");
}

static const struct {
    const char *name;
    void (*check)(infer_call *c);
} CHECKS[] = {
    {"gather", check_gather},
    {"scatter", check_scatter},
    {"rows", check_rows},
    {"index", check_index},
    {"put", check_put},
    {"sliced", infer_check_sliced},
    {"selected", infer_check_selected},
    {"diagonal", infer_check_diagonal},
    {"strided", infer_check_strided},
    {"square", infer_check_square},
    {"lstm", infer_check_lstm},
    {"gru", infer_check_gru},
    {"rnn", infer_check_rnn},
    {"element", check_element},
    {"reducible", infer_check_reducible},
    {"slopes", infer_check_slopes},
    {"repeats", infer_check_repeats},
    {"sorted", infer_check_sorted},
    {"triangular", infer_check_triangular},
    {"select", infer_check_select},
    {"narrow", infer_check_narrow},
    {"roll", infer_check_roll},
    {"shuffle", infer_check_shuffle},
    {"halves", infer_check_halves},
    {"cross", infer_check_cross},
    {"inner", infer_check_inner},
    {"classes", check_classes},
    {"class_shares", check_class_shares},
    {"padded", infer_check_padded},
    {"reflected", infer_check_reflected},
    {"replicated", infer_check_replicated},
    {"groups", check_groups},
    {"pivots", infer_check_pivots},
    {"reflectors", infer_check_reflectors},
    {"solved", infer_check_solved},
    {"invertible", infer_check_invertible},
    {"tolerance", infer_check_tolerance},
    {"condition", infer_check_condition},
    {"stft", infer_check_stft},
    {"istft", infer_check_istft},
    {"pairs", infer_check_pairs},
    {"norm", infer_check_fft_norm},
    {"pieces", infer_check_pieces},
    {"cut_across", infer_check_cut_across},
    {"cut_down", infer_check_cut_down},
    {"cut_deep", infer_check_cut_deep},
    {"channel_scales", check_channel_scales},
    {"weight_norm", check_weight_norm},
    {"fused_weight_norm", check_fused_weight_norm},
    {"unfolded", check_unfolded},
    {"dense", check_dense},
    {"ranked", check_ranked},
    {"draws", infer_check_draws},
    {"drawn", infer_check_drawn},
    {"draw_range", infer_check_draw_range},
    {"cast", check_cast},
    {"fractions", infer_check_fractions},
    {"same_count", check_same_count},
    {"strided_same", check_strided_same},
    {"dropped", infer_check_dropped},
    {"statistics", infer_check_statistics},
    {"row_statistics", infer_check_row_statistics},
    {"unfold", infer_check_unfold},
    {"emptied", infer_check_emptied},
    {"expandable", infer_check_expandable},
    {"triplet", infer_check_triplet},
    {"cosine", infer_check_cosine},
    {"trapezoid", infer_check_trapezoid},
    {"differentiable", infer_check_differentiable},
    {"shifted", infer_check_shifted},
    {"lengths", infer_check_lengths},
    {"attention", infer_check_attention},
    {"masked_scores", infer_check_masked_scores},
    {"same_rows", infer_check_same_rows},
    {"limits", infer_check_limits},
    {"grid_size", infer_check_grid_size},
    {"apart", infer_check_apart},
    {"masked_index", infer_check_masked_index},
    {"pool_gradient", infer_check_pool_gradient},
    {"index_put", infer_check_index_put},
    {"convolution_gradient", infer_check_convolution_gradient},
    {"half_to_float", infer_check_half_to_float},
    {"averages", infer_check_averages},
    {"exponent", infer_check_exponent},
    {"slope_of_result", infer_check_slope_of_result},
    {"same_dtype", infer_check_same_dtype},
    {"rounded", infer_check_rounded},
    {"real_value", infer_check_real_value},
    {"value_fits", infer_check_value_fits},
    {"fill_fits", infer_check_fill_fits},
    {"hashed", infer_check_hashed},
    {"rotated", infer_check_rotated},
    {"parted", infer_check_parted},
    {"chain", infer_check_chain},
    {"diagonal_filled", infer_check_diagonal_filled},
    {"weighted", infer_check_weighted},
    {"spaced", infer_check_spaced},
    {"order", infer_check_order},
    {"whole_norm", infer_check_whole_norm},
    {"least", infer_check_least},
    {"powers", infer_check_powers},
    {"vectors", infer_check_vectors},
    {"single_target", infer_check_single_target},
    {"half_gradient", infer_check_half_gradient},
    {"glu_of_halves", infer_check_glu_of_halves},
    {"number_source", infer_check_number_source},
    {"reduced_bools", infer_check_reduced_bools},
    {"scaled", infer_check_scaled},
    {"widened", infer_check_widened},
    {"kernel_within", infer_check_kernel_within},
    {"averaged", infer_check_averaged},
    {"bags", infer_check_bags},
    {"padding_row", infer_check_padding_row},
    {"some_batch", infer_check_some_batch},
    {"cut", infer_check_cut},
    {"squeezed", infer_check_squeezed},
    {"weighed_logits", infer_check_weighed_logits},
    {"weighed_targets", infer_check_weighed_targets},
    {"heads_mask", infer_check_heads_mask},
    {"stepped", infer_check_stepped},
    {"dense_strides", infer_check_dense_strides},
    {"aligned", infer_check_aligned},
    {"accumulated", infer_check_accumulated},
    {"group_of_32", infer_check_group_of_32},
    {"quantum", infer_check_quantum},
    {"quantum_range", infer_check_quantum_range},
    {"token_scales", infer_check_token_scales},
};

void infer_check(infer_call *c, const char *name)
{
    for (size_t i = 0; i < COUNT_OF(CHECKS); i++)
        if (strcmp(CHECKS[i].name, name) == 0) {
            CHECKS[i].check(c);
            return;
        }
    BUG(c->graph->session, "no check is called %s", name);
}
