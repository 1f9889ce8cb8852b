/* reduce.c -- reductions, and what is made of them: means, variances, norms, softmax.
 *
 * Variances take two passes over the data (the mean first), softmax subtracts the maximum: both
 * are stable for any input. Each reduction is one nest that stores into memory of its own; the
 * arithmetic around it stays inlinable.
 */
#include "lower/lower_priv.h"

#include <math.h>
#include <string.h>

/* The arguments that most reductions share. */
typedef struct reduction {
    lower_tensor x; /* in the dtype to compute in */
    bool reduced[LOWER_MAX_RANK];
    bool keep;
    ty_dtype out;
} reduction;

static bool has(lowering *l, const char *param)
{
    return op_param_index(l->node->op, param) >= 0;
}

static fe_status begin(lowering *l, reduction *r, uint32_t item)
{
    lower_tensor x = lower_tensor_of(l, &l->node->args[0]);
    r->out = lower_meta(l, item)->dtype;
    r->keep = has(l, "keepdim") && lower_bool(l, "keepdim");
    memset(r->reduced, 1, sizeof r->reduced);
    if (has(l, "dim") && !lower_dims(l, "dim", x.rank, r->reduced))
        return lower_fail(l, "dimensions that are not constants");
    r->x = x;
    return FE_OK;
}

/* x converted to the result's dtype and then to the one to compute in. */
static lower_tensor computed(lowering *l, lower_tensor x, ty_dtype out)
{
    return lower_cast(l, lower_cast(l, x, out), lower_compute_dtype(out));
}

/* With wanted strides only when the stored reduction itself is the node's result. */
static const sym_expr *wanted_for(lowering *l, const reduction *r, ty_dtype computed_in)
{
    return computed_in == r->out ? lower_wanted(l, 0) : NULL;
}

/* ---- one value from many ---- */

fe_status lower_op_reduce(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_tensor x = computed(l, r.x, r.out);
    lower_tensor v = lower_reduced(l, (loop_reduce)row->parameter, x, r.reduced, r.keep,
                                   wanted_for(l, &r, lower_dtype(x)));
    return lower_give(l, lower_cast(l, v, r.out));
}

static loop_reduce extreme_kind(ty_dtype d, bool is_max)
{
    if (d == TY_BOOL) return is_max ? LOOP_ANY : LOOP_ALL;
    return is_max ? LOOP_REDUCE_MAX : LOOP_REDUCE_MIN;
}

static lower_tensor extreme(lowering *l, const reduction *r, bool is_max)
{
    lower_tensor x = computed(l, r->x, r->out);
    return lower_cast(
        l, lower_reduced(l, extreme_kind(lower_dtype(x), is_max), x, r->reduced, r->keep, NULL),
        r->out);
}

fe_status lower_op_amax(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    return lower_give(l, extreme(l, &r, row->parameter));
}

fe_status lower_op_aminmax(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_share(l, r.x);
    lower_tensor items[2] = {extreme(l, &r, false), extreme(l, &r, true)};
    return lower_give_items(l, items, 2);
}

static lower_tensor extreme_place(lowering *l, const reduction *r, bool is_max)
{
    lower_tensor x = lower_cast(l, r->x, lower_compute_dtype(lower_dtype(r->x)));
    return lower_reduced(l, is_max ? LOOP_ARGMAX : LOOP_ARGMIN, x, r->reduced, r->keep, NULL);
}

fe_status lower_op_argmax(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    return lower_give(l, extreme_place(l, &r, row->parameter));
}

/* max.dim, min.dim: values and their places. */
fe_status lower_op_extreme_along(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    if (lower_is_used(l, 0) && lower_is_used(l, 1)) lower_share(l, r.x);
    lower_tensor items[2] = {extreme(l, &r, row->parameter)};
    if (lower_is_used(l, 1)) items[1] = extreme_place(l, &r, row->parameter);
    return lower_give_items(l, items, 2);
}

fe_status lower_op_any_all(lowering *l, fx_node *n, const lower_row *row)
{
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_tensor x = lower_cast(l, r.x, TY_BOOL);
    const fx_arg *dims = op_param_index(n->op, "dim") < 0 ? NULL : fx_get(l->graph, n, "dim");
    if (dims && dims->kind == FX_ARG_LIST && !dims->list.count) /* over none */
        return lower_give(l, lower_cast(l, x, r.out));
    const sym_expr *wanted = wanted_for(l, &r, TY_BOOL);
    lower_tensor v =
        lower_reduced(l, row->parameter ? LOOP_ANY : LOOP_ALL, x, r.reduced, r.keep, wanted);
    return lower_give(l, lower_cast(l, v, r.out));
}

fe_status lower_op_count_nonzero(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_tensor x = lower_cast(l, lower_cast(l, r.x, TY_BOOL), TY_I64);
    return lower_give(l, lower_reduced(l, LOOP_SUM, x, r.reduced, false, lower_wanted(l, 0)));
}

fe_status lower_op_mean(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    return lower_give(
        l, lower_cast(l, lower_mean(l, computed(l, r.x, r.out), r.reduced, r.keep, NULL), r.out));
}

/* nansum (parameter 0), nanmean (1): NaN counts as nothing. */
fe_status lower_op_nan_sum(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_tensor x = computed(l, r.x, r.out);
    if (ty_is_integral(lower_dtype(x), true))
        return lower_give(l, lower_cast(l,
                                        lower_reduced(l, LOOP_SUM, x, r.reduced, r.keep,
                                                      wanted_for(l, &r, lower_dtype(x))),
                                        r.out));
    if (!ty_is_floating(lower_dtype(x))) return lower_fail(l, "nansum of this dtype");
    loop_value v = lower_here(l, x), is_nan = lower_op1(l, LOOP_ISNAN, v);
    loop_value zero = loop_const_float(l->program, lower_dtype(x), 0),
               one = loop_const_float(l->program, lower_dtype(x), 1);
    lower_tensor kept =
        lower_value(l, lower_dtype(x), x.rank, x.sizes, loop_where(l->program, is_nan, zero, v));
    lower_tensor sum = lower_reduced(l, LOOP_SUM, kept, r.reduced, r.keep, NULL);
    if (row->parameter) {
        lower_tensor ones = lower_value(l, lower_dtype(x), x.rank, x.sizes,
                                        loop_where(l->program, is_nan, zero, one));
        sum = lower_binary(l, LOOP_DIV, sum,
                           lower_reduced(l, LOOP_SUM, ones, r.reduced, r.keep, NULL));
    }
    return lower_give(l, lower_cast(l, sum, r.out));
}

fe_status lower_op_trace(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    sym_expr exprs[2] = {l->axes[0], l->axes[0]},
             length = sym_min(l->symbols, r.x.sizes[0], r.x.sizes[1]);
    lower_tensor diagonal = computed(l, lower_remap(l, r.x, 1, &length, exprs), r.out);
    return lower_give(
        l, lower_cast(l, lower_reduced(l, LOOP_SUM, diagonal, r.reduced, false, NULL), r.out));
}

/* sum_to_size: the dims that broadcasting had added or widened. */
fe_status lower_op_sum_to_size(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    bool reduced[LOWER_MAX_RANK];
    uint32_t lead = x.rank - out->rank;
    for (uint32_t k = 0; k < x.rank; k++)
        reduced[k] =
            k < lead || (lower_is_one(l, out->sizes[k - lead]) && !lower_is_one(l, x.sizes[k]));
    lower_tensor sum = lower_reduced(l, LOOP_SUM, computed(l, x, out->dtype), reduced, true, NULL);
    return lower_give(l, lower_cast(l, lower_reshape(l, sum, out->rank, out->sizes), out->dtype));
}

/* The bits of all elements, widened to 64, combined by exclusive or. */
fe_status lower_op_hash_tensor(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    loop_value v = lower_here(l, r.x);
    if (ty_is_floating(lower_dtype(r.x))) {
        v = loop_cast(l->program, TY_F64, v);
        v = loop_make(l->program, (loop_node){.op = LOOP_BITCAST, .dtype = TY_I64, .args = {v}});
    }
    lower_tensor bits =
        lower_value(l, TY_I64, r.x.rank, r.x.sizes, loop_cast(l->program, TY_I64, v));
    return lower_give(
        l, lower_cast(l, lower_reduced(l, LOOP_REDUCE_XOR, bits, r.reduced, r.keep, NULL), r.out));
}

/* ---- variance ---- */

lower_moment_pair lower_moments(lowering *l, lower_tensor x, const bool *reduced, double correction)
{
    lower_moment_pair m;
    lower_share(l, x);
    m.mean = lower_mean(l, x, reduced, true, NULL);
    lower_tensor difference = lower_binary(l, LOOP_SUB, x, m.mean);
    lower_tensor sum = lower_reduced(l, LOOP_SUM, lower_binary(l, LOOP_MUL, difference, difference),
                                     reduced, true, NULL);
    ty_dtype d = lower_dtype(x);
    loop_value count =
        loop_cast(l->program, d, loop_index(l->program, lower_reduced_count(l, x, reduced)));
    if (correction != 0) {
        count = lower_op2(l, LOOP_SUB, count, loop_const_float(l->program, d, correction));
        count = lower_op2(l, LOOP_MAX, count, loop_const_float(l->program, d, 0));
    }
    loop_value v = lower_op2(l, LOOP_DIV, lower_here(l, sum), count);
    m.variance = lower_value(l, d, sum.rank, sum.sizes, v);
    return m;
}

/* The variances of both parts, added. */
static lower_moment_pair complex_moments(lowering *l, lower_tensor x, const bool *reduced,
                                         double correction)
{
    lower_share(l, x);
    lower_moment_pair re = lower_moments(l, lower_unary(l, LOOP_REALPART, x), reduced, correction),
                      im = lower_moments(l, lower_unary(l, LOOP_IMAGPART, x), reduced, correction);
    loop_node mean = {.op = LOOP_COMPLEX,
                      .dtype = lower_dtype(x),
                      .args = {lower_here(l, re.mean), lower_here(l, im.mean)}};
    return (lower_moment_pair){
        .mean = lower_value(l, lower_dtype(x), re.mean.rank, re.mean.sizes,
                            loop_make(l->program, mean)),
        .variance = lower_binary(l, LOOP_ADD, re.variance, im.variance),
    };
}

static double correction_of(lowering *l)
{
    if (has(l, "unbiased")) return lower_bool(l, "unbiased");
    return has(l, "correction") ? lower_number_or(l, "correction", 1) : 1;
}

static lower_tensor without_dims(lowering *l, lower_tensor t, const reduction *r)
{
    if (r->keep) return t;
    for (uint32_t k = t.rank; k-- > 0;)
        if (r->reduced[k]) t = lower_squeeze(l, t, k);
    return t;
}

/* var, std, var_mean, std_mean: bit 0 of the parameter asks for the root, bit 1 for the mean too. */
fe_status lower_op_variance(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_tensor x = lower_cast(l, r.x, lower_compute_dtype(lower_dtype(r.x)));
    lower_moment_pair m = ty_is_complex(lower_dtype(x))
                              ? complex_moments(l, x, r.reduced, correction_of(l))
                              : lower_moments(l, x, r.reduced, correction_of(l));
    if (row->parameter & 1) m.variance = lower_unary(l, LOOP_SQRT, m.variance);
    m.variance = lower_cast(l, without_dims(l, m.variance, &r), ty_complex_to_real(r.out));
    if (!(row->parameter & 2)) return lower_give(l, m.variance);
    ty_dtype d = ty_is_complex(lower_dtype(x)) ? ty_real_to_complex(r.out) : r.out;
    lower_tensor items[2] = {m.variance, lower_cast(l, without_dims(l, m.mean, &r), d)};
    return lower_give_items(l, items, 2);
}

/* ---- norms ---- */

static lower_tensor mapped(lowering *l, lower_tensor x, loop_value v)
{
    return lower_value(l, loop_at(l->program, v)->dtype, x.rank, x.sizes, v);
}

/* Is it a norm of single elements? */
static bool is_of_one(lowering *l, lower_tensor x, const bool *reduced)
{
    for (uint32_t k = 0; k < x.rank; k++)
        if (reduced[k] && !lower_is_one(l, x.sizes[k])) return false;
    return true;
}

lower_tensor lower_norm(lowering *l, lower_tensor x, double order, const bool *reduced, bool keep)
{
    if (order != 0 && is_of_one(l, x, reduced)) order = 1; /* no power that may underflow */
    loop_value size = lower_op1(l, LOOP_ABS, lower_here(l, x));
    ty_dtype d = loop_at(l->program, size)->dtype;
    if (isinf(order))
        return lower_reduced(l, order > 0 ? LOOP_REDUCE_MAX : LOOP_REDUCE_MIN, mapped(l, x, size),
                             reduced, keep, NULL);
    loop_value term = size;
    if (order == 0) term = loop_cast(l->program, d, loop_cast(l->program, TY_BOOL, size));
    if (order == 2) term = lower_op2(l, LOOP_MUL, size, size);
    if (order == 2 && !ty_is_complex(lower_dtype(x)))
        term = lower_op2(l, LOOP_MUL, lower_here(l, x), lower_here(l, x));
    if (order != 0 && order != 1 && order != 2)
        term = lower_op2(l, LOOP_POW, size, loop_const_float(l->program, d, order));
    lower_tensor sum = lower_reduced(l, LOOP_SUM, mapped(l, x, term), reduced, keep, NULL);
    if (order == 0 || order == 1) return sum;
    if (order == 2) return lower_unary(l, LOOP_SQRT, sum);
    return lower_binary(l, LOOP_POW, sum, lower_number(l, d, 1 / order));
}

fe_status lower_op_vector_norm(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    double order = 2;
    if (has(l, "ord")) order = lower_number_or(l, "ord", 2);
    if (has(l, "p")) order = lower_number_or(l, "p", 2);
    ty_dtype in = ty_is_complex(lower_dtype(r.x)) ? lower_dtype(r.x) : r.out;
    lower_tensor x = computed(l, r.x, in);
    return lower_give(l, lower_cast(l, lower_norm(l, x, order, r.reduced, r.keep), r.out));
}

/* ---- softmax ---- */

lower_tensor lower_softmax(lowering *l, lower_tensor x, uint32_t dim, bool log)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    reduced[dim] = true;
    lower_share(l, x);
    lower_tensor most = lower_reduced(l, LOOP_REDUCE_MAX, x, reduced, true, NULL);
    lower_tensor shifted = lower_binary(l, LOOP_SUB, x, most),
                 e = lower_unary(l, LOOP_EXP, shifted);
    if (!log) lower_settle(l, e.box, 2);
    lower_tensor sum = lower_reduced(l, LOOP_SUM, e, reduced, true, NULL);
    return log ? lower_binary(l, LOOP_SUB, shifted, lower_unary(l, LOOP_LOG, sum))
               : lower_binary(l, LOOP_DIV, e, sum);
}

lower_tensor lower_safe_softmax(lowering *l, lower_tensor x, uint32_t dim)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    reduced[dim] = true;
    lower_share(l, x);
    lower_tensor most = lower_reduced(l, LOOP_REDUCE_MAX, x, reduced, true, NULL),
                 soft = lower_softmax(l, x, dim, false);
    ty_dtype d = lower_dtype(x);
    loop_value nothing = lower_op2(l, LOOP_EQ, lower_broadcast(l, most, x.rank, x.sizes),
                                   loop_const_float(l->program, d, -(double)INFINITY));
    loop_value v =
        loop_where(l->program, nothing, loop_const_float(l->program, d, 0), lower_here(l, soft));
    return lower_value(l, d, x.rank, x.sizes, v);
}

/* parameter: 0 softmax, 1 log_softmax, 2 _safe_softmax */
fe_status lower_op_softmax(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    ty_dtype in = has(l, "dtype") ? out->dtype : lower_dtype(x);
    x = lower_cast(l, lower_cast(l, x, in), lower_compute_dtype(in));
    if (!ty_is_floating(lower_dtype(x))) return lower_fail(l, "softmax of %s", ty_dtype_name(in));
    uint32_t rank = x.rank;
    if (rank == 0) x = lower_reshape(l, x, 1, &l->one);
    uint32_t dim = lower_dim(l, lower_int_or(l, "dim", 0), x.rank);
    lower_tensor y = row->parameter == 2 ? lower_safe_softmax(l, x, dim)
                                         : lower_softmax(l, x, dim, row->parameter == 1);
    return lower_give(l, lower_cast(l, rank ? y : lower_squeeze(l, y, 0), out->dtype));
}

/* grad * y - y * sum(grad * y), or for log_softmax: grad - exp(y) * sum(grad) */
fe_status lower_op_softmax_backward(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    bool reduced[LOWER_MAX_RANK] = {false};
    lower_tensor grad = lower_arg(l, "grad_output"), y = lower_arg(l, "output");
    if (y.rank == 0) return lower_fail(l, "softmax of a number");
    ty_dtype d = lower_compute_dtype(lower_dtype(y));
    grad = lower_cast(l, grad, d);
    y = lower_cast(l, y, d);
    reduced[lower_dim(l, lower_int_or(l, "dim", 0), y.rank)] = true;
    lower_share(l, grad);
    lower_tensor product = lower_binary(l, LOOP_MUL, grad, y);
    lower_tensor sum = lower_reduced(l, LOOP_SUM, row->parameter ? grad : product, reduced, true,
                                     NULL),
                 v;
    if (row->parameter)
        v = lower_binary(l, LOOP_SUB, grad,
                         lower_binary(l, LOOP_MUL, lower_unary(l, LOOP_EXP, y), sum));
    else
        v = lower_binary(l, LOOP_SUB, product, lower_binary(l, LOOP_MUL, y, sum));
    return lower_give(l, lower_cast(l, v, out->dtype));
}

lower_tensor lower_logsumexp(lowering *l, lower_tensor x, const bool *reduced)
{
    ty_dtype d = lower_dtype(x);
    lower_share(l, x);
    lower_tensor real = ty_is_complex(d) ? lower_unary(l, LOOP_REALPART, x) : x;
    lower_tensor most = lower_reduced(l, LOOP_REDUCE_MAX, real, reduced, true, NULL);
    loop_value m = lower_here(l, most), none = loop_const_float(l->program, lower_dtype(real), 0);
    loop_value finite = loop_where(l->program, lower_op1(l, LOOP_ISINF, m), none, m);
    lower_tensor shift = lower_value(l, lower_dtype(real), most.rank, most.sizes, finite);
    shift = lower_cast(l, shift, d);
    lower_tensor e = lower_unary(l, LOOP_EXP, lower_binary(l, LOOP_SUB, x, shift));
    lower_tensor sum = lower_reduced(l, LOOP_SUM, e, reduced, true, NULL);
    return lower_binary(l, LOOP_ADD, lower_unary(l, LOOP_LOG, sum), shift);
}

fe_status lower_op_logsumexp(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    reduction r;
    FE_TRY(begin(l, &r, 0));
    lower_tensor x = computed(l, r.x, r.out);
    if (!ty_is_floating(lower_dtype(x)) && !ty_is_complex(lower_dtype(x)))
        return lower_fail(l, "logsumexp of %s", ty_dtype_name(lower_dtype(x)));
    lower_tensor v = lower_logsumexp(l, x, r.reduced);
    return lower_give(l, lower_cast(l, without_dims(l, v, &r), r.out));
}
