/* check_value.c -- what operators ask of numbers, flags and dtypes that go together. */
#include "infer/infer_priv.h"

#include <math.h>
#include <string.h>

void infer_check_half_to_float(infer_call *c)
{
    if (infer_flag(c, "half_to_float", false))
        infer_fail(c, "softmax with half to float conversion is not supported on CPU");
}

/* Integers are converted first, where a dtype says so. */
void infer_check_averages(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (x && ty_is_integral(infer_dtype(c, "dtype", x->dtype), true))
        infer_fail(c, "self is %s: a mean is taken in a floating point or complex dtype",
                   infer_shape(c, x));
}

/* Only beside integers it may be of bools, as PyTorch goes by another kernel then. */
void infer_check_exponent(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *other = infer_tensor(c, "other");
    if (x && other && other->dtype == TY_BOOL && !ty_is_integral(x->dtype, true))
        infer_fail(c, "other is %s: the exponents of %s hold no bools", infer_shape(c, other),
                   infer_shape(c, x));
}

/* The derivative from the result is that from the argument for slopes that are not negative alone. */
void infer_check_slope_of_result(infer_call *c)
{
    double alpha = 1;
    const fx_arg *a = infer_arg(c, "alpha");
    if (a && fx_arg_number(c->graph, a, &alpha) && alpha < 0 && infer_flag(c, "is_result", false))
        infer_fail(c, "In-place elu backward calculation is triggered with a negative slope which "
                      "is not supported");
}

/* What is written in place is computed in its own dtype. */
void infer_check_same_dtype(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    ty_dtype wanted = x ? infer_dtype(c, "dtype", x->dtype) : TY_F32;
    if (x && wanted != x->dtype)
        infer_fail(
            c, "Bad in-place call: input tensor dtype %s and output tensor dtype %s should match",
            ty_dtype_name(x->dtype), ty_dtype_name(wanted));
}

/* Only a quotient that is not rounded may be complex, or of bools. */
void infer_check_rounded(infer_call *c)
{
    ty_dtype common = infer_promoted(c);
    if (infer_arg(c, "rounding_mode") && (ty_is_complex(common) || common == TY_BOOL))
        infer_fail(c, "a quotient of %s cannot be rounded", ty_dtype_name(common));
}

/* ---- values that are written ---- */

void infer_check_real_value(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *value = infer_tensor(c, "value");
    if (x && value && ty_is_complex(value->dtype) && !ty_is_complex(x->dtype))
        infer_fail(c, "value %s cannot be converted to type %s without overflow",
                   infer_shape(c, value), ty_dtype_name(x->dtype));
}

/* As c10::overflows has it: integers below 0 wrap around in dtypes without sign, fractions do not. */
static bool is_lost(ty_dtype d, double value, bool is_integer)
{
    double most = ty_dtype_most(d);
    if (most == 0) return false;
    if (ty_is_floating(d)) return isfinite(value) && fabs(value) > most;
    bool has_sign = ty_dtype_kind(d) == TY_KIND_SIGNED;
    double least = has_sign ? -ldexp(1, (int)ty_dtype_size(d) * 8 - 1) : is_integer ? -most : 0;
    return !(value >= least && value <= most);
}

/* Of the elements that the operator writes a number to. */
static ty_dtype written_dtype(infer_call *c)
{
    ty_tensor *items[INFER_MAX_OPERANDS];
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x && infer_list(c, "sequences", items, INFER_MAX_OPERANDS)) x = items[0];
    return infer_dtype(c, "dtype", x ? x->dtype : TY_NO_DTYPE);
}

/* A number that is written to elements is one of their dtype. */
void infer_check_value_fits(infer_call *c)
{
    static const char *const NAMES[] = {"value", "fill_value", "padding_value"};
    ty_dtype dtype = written_dtype(c);
    if (dtype == TY_NO_DTYPE) return;
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        const fx_arg *a = infer_arg(c, NAMES[i]);
        double number;
        if (!a) continue;
        bool lost = a->kind == FX_ARG_COMPLEX ? !ty_is_complex(dtype)
                                              : fx_arg_number(c->graph, a, &number) &&
                                                    is_lost(dtype, number, a->kind != FX_ARG_FLOAT);
        if (lost)
            infer_fail(c, "value cannot be converted to type %s without overflow",
                       ty_dtype_name(dtype));
    }
}

/* PyTorch does not look at what it fills a single element of half precision with. */
void infer_check_fill_fits(infer_call *c)
{
    if (!ty_is_half(written_dtype(c))) infer_check_value_fits(c);
}

/* ---- dimensions and counts ---- */

/* Without a dimension there has to be something to hash. */
void infer_check_hashed(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    const fx_arg *dims = infer_arg(c, "dim");
    if (x && dims && dims->kind == FX_ARG_LIST && dims->list.count == 0)
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), ty_numel(c->symbols, x),
                            "hash_tensor: Expected reduction dim to be specified for %s",
                            infer_shape(c, x));
}

/* rot90: in the plane of two dimensions. */
void infer_check_rotated(infer_call *c)
{
    uint32_t dims[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    uint32_t count = infer_dims(c, "dims", x->rank, false, dims);
    if (count != 2 || x->rank < 2 || dims[0] == dims[1])
        infer_fail(c, "expected two different rotation dims of %s", infer_shape(c, x));
}

/* split: pieces without elements are pieces of what has none. */
void infer_check_parted(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || !x->rank || !infer_is(c, infer_expr(c, "split_size", 1), 0)) return;
    (void)INFER_REQUIRE_EQUAL(c, x->sizes[infer_dim(c, "dim", x->rank)], infer_number(c, 0),
                              "split_size can only be 0 if dimension size is 0, but got %s",
                              infer_shape(c, x));
}

/* multi_dot: matrices, the first and the last of which may be vectors. */
void infer_check_chain(infer_call *c)
{
    ty_tensor *items[INFER_MAX_OPERANDS];
    uint32_t count = infer_list(c, "tensors", items, INFER_MAX_OPERANDS);
    if (count < 2) infer_fail(c, "multi_dot(): expected at least 2 tensors but got %u", count);
    for (uint32_t i = 0; i < count && c->status == FE_OK; i++) {
        bool is_end = i == 0 || i + 1 == count;
        if (!items[i] || items[i]->dtype != items[0]->dtype ||
            (items[i]->rank != 2 && !(is_end && items[i]->rank == 1)))
            infer_fail(c, "multi_dot(): tensor %u is %s, tensor 0 %s", i, infer_shape(c, items[i]),
                       infer_shape(c, items[0]));
    }
}

/* fill_diagonal: of a matrix, or where all dimensions are as long as each other. */
void infer_check_diagonal_filled(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x) return;
    if (x->rank < 2) infer_fail(c, "dimensions must larger than 1: %s", infer_shape(c, x));
    for (uint32_t d = 1; x->rank > 2 && d < x->rank && c->status == FE_OK; d++)
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[d], x->sizes[0],
                                  "all dimensions of input must be of equal length: %s",
                                  infer_shape(c, x));
}

/* bincount: a weight for each, where there are any. */
void infer_check_weighted(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *weights = infer_tensor(c, "weights");
    if (!x || !weights || ty_known_empty(c->symbols, x->rank, x->sizes)) return;
    if (weights->rank != 1) infer_fail(c, "weights is %s", infer_shape(c, weights));
    if (c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(c, weights->sizes[0], x->sizes[0],
                                  "weights should be 1-d and have the same length as input: %s, %s",
                                  infer_shape(c, weights), infer_shape(c, x));
}

/* gradient: a spacing for each dimension. */
void infer_check_spaced(infer_call *c)
{
    const fx_arg *spacing = infer_arg(c, "spacing"), *dims = infer_arg(c, "dim");
    if (spacing && dims && spacing->kind == FX_ARG_LIST && dims->kind == FX_ARG_LIST &&
        spacing->list.count != dims->list.count)
        infer_fail(c, "torch.gradient expected as many spacings as dims, but got %u and %u",
                   spacing->list.count, dims->list.count);
}

/* ---- norms and products ---- */

/* Orders below 0, and of all elements the greatest, are of something. */
void infer_check_order(infer_call *c)
{
    double order = 0;
    const ty_tensor *x = infer_self(c);
    const fx_arg *a = infer_arg(c, "ord");
    bool is_vector = op_param_index(c->op, "A") < 0;
    if (!x || !a || !fx_arg_number(c->graph, a, &order)) return;
    if (!(order < 0) && !(is_vector && isinf(order))) return;
    uint64_t dims = infer_dim_set(c, "dim", x->rank);
    for (uint32_t d = 0; d < x->rank && c->status == FE_OK; d++)
        if (dims >> d & 1)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[d],
                                "cannot compute the %g norm of %s: dimension %u has no elements",
                                order, infer_shape(c, x), d);
}

/* Norms of matrices with an order below 0 are the least of something: -2 of singular values, the others
 * of sums over columns or rows.
 */
void infer_check_least(infer_call *c)
{
    double order = 0;
    uint32_t dims[TY_MAX_RANK] = {0, 1};
    const ty_tensor *x = infer_self(c);
    const fx_arg *a = infer_arg(c, "ord");
    bool is_named = infer_arg(c, "dim") != NULL;
    if (!x || !a || !fx_arg_number(c->graph, a, &order) || !(order < 0)) return;
    uint32_t count = is_named ? infer_dims(c, "dim", x->rank, false, dims) : x->rank;
    for (uint32_t i = 0; count == 2 && i < 2 && c->status == FE_OK; i++)
        if (order == -2 || i == (isinf(order) ? 0u : 1u))
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[dims[i]],
                                "cannot compute the %g norm of %s: dimension %u has no elements",
                                order, infer_shape(c, x), dims[i]);
}

/* linalg_norm with an order and no dimensions is that of a vector or a matrix. */
void infer_check_whole_norm(infer_call *c)
{
    const ty_tensor *x = infer_self(c);
    if (x && infer_arg(c, "ord") && !infer_arg(c, "dim") && x->rank != 1 && x->rank != 2)
        infer_fail(c,
                   "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                   "Got %s",
                   infer_shape(c, x));
}

/* vander: more than one power. */
void infer_check_powers(infer_call *c)
{
    const ty_tensor *x = infer_self(c);
    sym_expr one = infer_number(c, 1);
    if (!x) return;
    sym_expr count = x->rank ? x->sizes[x->rank - 1] : one;
    if (infer_arg(c, "N")) count = infer_expr(c, "N", 0);
    (void)INFER_REQUIRE(c, SYM_LT, one, count, "N must be greater than 1.");
}

/* vecdot of vectors does not broadcast. */
void infer_check_vectors(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "x"), *y = infer_tensor(c, "y");
    if (x && y && x->rank == 1 && y->rank == 1)
        (void)INFER_REQUIRE_EQUAL(c, x->sizes[0], y->sizes[0],
                                  "inconsistent tensor size, expected tensor %s and src %s to have "
                                  "the same number of elements",
                                  infer_shape(c, x), infer_shape(c, y));
}

/* A target for each sample; of one it may be a number. */
void infer_check_single_target(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *target = infer_tensor(c, "target");
    if (x && target)
        (void)INFER_REQUIRE_EQUAL(
            c, ty_numel(c->symbols, target), x->rank < 2 ? infer_number(c, 1) : x->sizes[0],
            "expected a target for each of %s, got %s", infer_shape(c, x), infer_shape(c, target));
}

static void half_sizes(infer_call *c, const ty_tensor *x, sym_expr *out)
{
    uint32_t dim = infer_dim(c, "dim", x->rank);
    for (uint32_t d = 0; d < x->rank; d++)
        out[d] = d == dim ? sym_floordiv(c->symbols, x->sizes[d], infer_number(c, 2)) : x->sizes[d];
}

/* The gradient of one half of the input. */
void infer_check_half_gradient(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "self"), *gradient = infer_tensor(c, "grad_output");
    if (!x || !gradient || !x->rank) return;
    half_sizes(c, x, sizes);
    (void)infer_require_fits(c, gradient, x->rank, sizes, "grad_output");
}

/* What glu gave is as large as one half of x. */
void infer_check_glu_of_halves(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "x"), *glu = infer_tensor(c, "glu");
    if (!x || !glu || !x->rank) return;
    half_sizes(c, x, sizes);
    (void)infer_require_sizes(c, glu, x->rank, sizes, "glu");
}

/* Bools have a largest and a smallest one, no product and no mean. */
void infer_check_reduced_bools(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    const char *how = infer_string(c, "reduce", "");
    bool extreme = strcmp(how, "amax") == 0 || strcmp(how, "amin") == 0;
    if (x && x->dtype == TY_BOOL && !(extreme && infer_flag(c, "include_self", true)))
        infer_fail(c, "index_reduce of bools by %s", how);
}

/* A factor of an operand is of the operands' kind. */
void infer_check_scaled(infer_call *c)
{
    ty_tensor *items[INFER_MAX_OPERANDS];
    ty_dtype common = infer_promoted(c);
    const fx_arg *alpha = infer_arg(c, "alpha");
    if (op_is_foreach(c->op) && infer_list(c, "self", items, INFER_MAX_OPERANDS))
        common = items[0]->dtype;
    if (alpha && alpha->kind == FX_ARG_FLOAT && common != TY_NO_DTYPE &&
        ty_is_integral(common, true))
        infer_fail(
            c, "For integral input tensors, argument alpha must not be a floating point number.");
}

/* index_add, index_reduce: a number is a source for a number, and no other is. */
void infer_check_number_source(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *source = infer_tensor(c, "source");
    if (x && source && !x->rank != !source->rank)
        infer_fail(c,
                   "source tensor shape must match self tensor shape, excluding the specified "
                   "dimension. Got self %s, source %s",
                   infer_shape(c, x), infer_shape(c, source));
}

/* A dtype that is asked for is no narrower than the argument's. */
void infer_check_widened(infer_call *c)
{
    const ty_tensor *x = infer_self(c);
    ty_dtype wanted = x ? infer_dtype(c, "dtype", x->dtype) : TY_F32;
    if (x && ty_dtype_size(wanted) < ty_dtype_size(x->dtype))
        infer_fail(c,
                   "the dtype of the input (%s) should be convertible without narrowing to the "
                   "specified dtype (%s)",
                   ty_dtype_name(x->dtype), ty_dtype_name(wanted));
}

/* Where positives have a weight, there is a logit for each target. */
void infer_check_weighed_logits(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *target = infer_tensor(c, "target");
    if (infer_tensor(c, "pos_weight") && x && target)
        (void)infer_require_fits(c, target, x->rank, x->sizes, "target");
}

/* Where elements have a weight, the target is as large as the input. */
void infer_check_weighed_targets(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self"), *target = infer_tensor(c, "target");
    if (infer_tensor(c, "weight") && x && target)
        (void)infer_require_sizes(c, target, x->rank, x->sizes, "target");
}

/* ---- steps and strides ---- */

/* From the start to the end by steps of the right sign. */
void infer_check_stepped(infer_call *c)
{
    static const char *const NAMES[] = {"start", "end", "step"};
    double numbers[3] = {0, 0, 1};
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        const fx_arg *a = infer_arg(c, NAMES[i]);
        if (!a || !fx_arg_number(c->graph, a, &numbers[i])) return;
    }
    if ((numbers[1] - numbers[0]) * numbers[2] < 0)
        infer_fail(c, "upper bound and lower bound inconsistent with step sign");
}

/* Strides by which the elements of self fill as much memory as there are of them. */
void infer_check_dense_strides(infer_call *c)
{
    sym_table *t = c->symbols;
    sym_expr strides[TY_MAX_RANK];
    const ty_tensor *x = infer_tensor(c, "input");
    if (!x || infer_sizes(c, "stride", 0, strides) != x->rank || c->status != FE_OK) return;
    sym_expr reach = infer_number(c, 1);
    for (uint32_t d = 0; d < x->rank; d++)
        reach = sym_add(t, reach, sym_mul(t, sym_add_int(t, x->sizes[d], -1), strides[d]));
    (void)INFER_REQUIRE_EQUAL(c, reach, ty_numel(t, x), "strides that reach %s elements of %s",
                              infer_written(c, reach), infer_shape(c, x));
}

/* Rows of both operands begin at multiples of 16 bytes. */
void infer_check_aligned(infer_call *c)
{
    static const char *const NAMES[] = {"self", "mat2"};
    sym_table *t = c->symbols;
    for (size_t i = 0; i < COUNT_OF(NAMES); i++) {
        const ty_tensor *x = infer_tensor(c, NAMES[i]);
        if (!x || x->rank < 2) continue;
        bool is_row = infer_is(c, x->strides[x->rank - 1], 1);
        sym_expr stride = x->strides[x->rank - (is_row ? 2 : 1)];
        sym_expr bytes = sym_mul_int(t, stride, (int64_t)ty_dtype_size(x->dtype));
        (void)INFER_REQUIRE_EQUAL(c, sym_mod(t, bytes, infer_number(c, 16)), infer_number(c, 0),
                                  "strides of %s should be multiples of 16 bytes: %s", NAMES[i],
                                  infer_shape(c, x));
    }
}

/* Sums are kept in the input's own dtype, or in float32 of half precision. */
void infer_check_accumulated(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "input");
    if (!x) return;
    ty_dtype sums = infer_dtype(c, "acc_dtype", x->dtype);
    if (sums != x->dtype && !(ty_is_half(x->dtype) && sums == TY_F32))
        infer_fail(c, "sums of %s in %s", infer_shape(c, x), ty_dtype_name(sums));
}
