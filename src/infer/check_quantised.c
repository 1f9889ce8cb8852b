/* check_quantised.c -- what quantisation asks of dtypes, ranges and scales. */
#include "infer/infer_priv.h"

/* Dtypes that hold quantised numbers, and the numbers that they hold. */
static bool bounds_of(ty_dtype d, double *least, double *most)
{
    bool holds = ty_is_integral(d, false) ? d != TY_I64 : d == TY_F8E5M2 || d == TY_F8E4M3FN;
    *most = ty_dtype_most(d);
    if (ty_dtype_kind(d) == TY_KIND_SIGNED)
        *least = -*most - 1;
    else
        *least = ty_is_float8(d) ? -*most : 0;
    return holds;
}

/* Quantised numbers are of the dtype that is said. */
void infer_check_quantum(infer_call *c)
{
    double least, most;
    const ty_tensor *x = infer_tensor(c, "input");
    if (!x) return;
    ty_dtype said = infer_dtype(c, "dtype", x->dtype);
    if (x->dtype != said)
        infer_fail(c, "expecting input to have dtype %s, but got %s", ty_dtype_name(said),
                   infer_shape(c, x));
    else if (!bounds_of(said, &least, &most))
        infer_fail(c, "no numbers are quantised to %s", ty_dtype_name(said));
}

/* quant_min and quant_max are within what the dtype holds. */
void infer_check_quantum_range(infer_call *c)
{
    double least, most, number;
    ty_dtype d = infer_dtype(c, "dtype", TY_NO_DTYPE);
    const fx_arg *min = infer_arg(c, "quant_min"), *max = infer_arg(c, "quant_max");
    if (d == TY_NO_DTYPE) return;
    if (!bounds_of(d, &least, &most))
        infer_fail(c, "no numbers are quantised to %s", ty_dtype_name(d));
    else if (min && fx_arg_number(c->graph, min, &number) && number < least)
        infer_fail(c, "quant_min %g is out of bounds for %s", number, ty_dtype_name(d));
    else if (max && fx_arg_number(c->graph, max, &number) && number > most)
        infer_fail(c, "quant_max %g is out of bounds for %s", number, ty_dtype_name(d));
}

/* A scale and a zero point for each row of the input. */
void infer_check_token_scales(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "input");
    if (!x) return;
    infer_require_one_a_row(c, "scales", x, 1);
    infer_require_one_a_row(c, "zero_points", x, 1);
}

/* Weights of four bits share a scale in groups of 32, or of whole rows. */
void infer_check_group_of_32(infer_call *c)
{
    int64_t group = infer_int(c, "block_size", 0), row = infer_int(c, "in_features", 0);
    bool divides = group > 0 && group % 32 == 0 && row % group == 0;
    if (group != row && !divides)
        infer_fail(
            c, "a group of %lld of rows of %lld: it should be a multiple of 32 that divides them",
            (long long)group, (long long)row);
}
