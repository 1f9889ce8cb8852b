/* reduce.c -- reductions, scans, softmaxes and sorts along dimensions.
 *
 * Which dimensions go, and what dtype the sums have: that is the row's parameter. Results are
 * contiguous, as TensorIterator makes them; sorted values are laid out as what was sorted.
 */
#include "infer/infer_priv.h"

/* The set of dimensions that the argument names: all of them when it names none. */
uint64_t infer_dim_set(infer_call *c, const char *name, uint32_t rank)
{
    uint32_t dims[TY_MAX_RANK];
    uint64_t set = 0;
    uint32_t count = infer_dims(c, name, rank, true, dims);
    for (uint32_t i = 0; i < count; i++) {
        if (set >> dims[i] & 1) infer_fail(c, "dimension %u is reduced twice", dims[i]);
        set |= (uint64_t)1 << dims[i];
    }
    return set;
}

static ty_dtype sum_dtype(ty_dtype d)
{
    return ty_is_integral(d, true) ? TY_I64 : d;
}

static ty_dtype reduced_dtype(const infer_call *c, ty_dtype self)
{
    ty_dtype d = infer_dtype(c, "dtype", self);
    bool is_given = infer_arg(c, "dtype") != NULL;
    switch ((infer_dtype_kind)c->param) {
    case DTYPE_SUM: return is_given ? d : sum_dtype(d);
    case DTYPE_FLOAT: return infer_float_of(d);
    case DTYPE_BOOL: return self == TY_U8 ? TY_U8 : TY_BOOL;
    case DTYPE_REAL: return ty_complex_to_real(d);
    case DTYPE_INDEX: return TY_I64;
    case DTYPE_HASH: return TY_U64;
    default: return d;
    }
}

void rule_reduce(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint64_t dims = infer_dim_set(c, "dim", x->rank);
    bool keepdim = infer_flag(c, "keepdim", false);
    infer_give(c, infer_reduced(c, x, reduced_dtype(c, x->dtype), dims, keepdim));
}

/* Truth over dimensions: unlike for others, a list of none is none. */
void rule_truth(infer_call *c)
{
    const fx_arg *dims = infer_arg(c, "dim");
    const ty_tensor *x = infer_self(c);
    if (!dims || dims->kind != FX_ARG_LIST || dims->list.count)
        rule_reduce(c);
    else if (x)
        infer_give(c, infer_elementwise(c, reduced_dtype(c, x->dtype), &x, 1));
}

/* Values and where they stand, over one dimension. */
void rule_reduce_with_index(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint64_t dims = (uint64_t)1 << infer_dim(c, "dim", x->rank);
    bool keepdim = infer_flag(c, "keepdim", false);
    infer_give_pair(c, infer_reduced(c, x, x->dtype, dims, keepdim),
                    infer_reduced(c, x, TY_I64, dims, keepdim));
}

/* Two reductions at once: (min, max), (variance, mean). */
void rule_reduce_pair(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint64_t dims = infer_dim_set(c, "dim", x->rank);
    bool keepdim = infer_flag(c, "keepdim", false);
    infer_give_pair(c, infer_reduced(c, x, reduced_dtype(c, x->dtype), dims, keepdim),
                    infer_reduced(c, x, x->dtype, dims, keepdim));
}

/* Sums until the sizes are those wanted; itself when they are already. */
void rule_sum_to_size(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t rank = infer_sizes(c, "size", 0, sizes);
    bool same = rank == x->rank;
    for (uint32_t i = 0; same && i < rank; i++)
        same = sym_known_equal(c->symbols, sizes[i], x->sizes[i]);
    if (rank == 0 || !same)
        infer_give(c, infer_fresh(c, x, sum_dtype(x->dtype), rank, sizes));
    else
        infer_give(c, infer_alias(c, x));
}

/* A number of the whole tensor, or of two. */
void rule_total(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (x) infer_give(c, infer_fresh(c, x, reduced_dtype(c, x->dtype), 0, NULL));
}

/* A covariance matrix of the rows. */
void rule_covariance(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    sym_expr sizes[2] = {x->sizes ? x->sizes[0] : (sym_expr){0},
                         x->sizes ? x->sizes[0] : (sym_expr){0}};
    ty_dtype dtype = infer_float_of(x->dtype);
    infer_give(c, infer_fresh(c, x, dtype, x->rank < 2 ? 0 : 2, sizes));
}

/* Softmaxes, scans: one value for each element, contiguous. */
void rule_scan(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_dim(c, "dim", x->rank);
    if (c->status == FE_OK)
        infer_give(c, infer_like(c, x, reduced_dtype(c, x->dtype), TY_CONTIGUOUS));
}

void rule_scan_with_index(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_dim(c, "dim", x->rank);
    infer_give_pair(c, infer_like(c, x, x->dtype, TY_CONTIGUOUS),
                    infer_like(c, x, TY_I64, TY_CONTIGUOUS));
}

/* _softmax and its kin: half_to_float widens. Logarithmic ones (1) keep strides that are contiguous
 * in more than one way. */
void rule_softmax(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_dim(c, "dim", x->rank);
    ty_dtype dtype = infer_flag(c, "half_to_float", false) ? TY_F32 : x->dtype;
    dtype = infer_dtype(c, "dtype", dtype);
    if (c->status != FE_OK) return;
    ty_tensor *dense = infer_contiguous(c, x, TY_CONTIGUOUS);
    infer_give(c, infer_like(c, dense, dtype, c->param ? TY_PRESERVE : TY_CONTIGUOUS));
}

/* ---- order ---- */

void rule_sort(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    infer_dim(c, "dim", x->rank);
    infer_give_pair(c, infer_empty_like(c, x, x->dtype), infer_empty_like(c, x, TY_I64));
}

void rule_argsort(infer_call *c)
{
    infer_give(c, infer_empty_like(c, infer_self(c), TY_I64));
}

void rule_topk(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t dim = infer_dim(c, "dim", x->rank);
    ty_tensor shape = *x;
    shape.sizes = arena_copy(c->memory, x->sizes, x->rank * sizeof *x->sizes);
    if (x->rank) shape.sizes[dim] = infer_expr(c, "k", 1);
    infer_give_pair(c, infer_like(c, &shape, x->dtype, TY_CONTIGUOUS),
                    infer_like(c, &shape, TY_I64, TY_CONTIGUOUS));
}

/* The derivative of a softmax. */
void rule_backward_data(infer_call *c)
{
    ty_tensor *x = infer_tensor(c, "grad_output");
    if (x) infer_give(c, infer_like(c, x, infer_dtype(c, "input_dtype", x->dtype), TY_CONTIGUOUS));
}
