/* check_draw.c -- what random draws and random windows ask of their arguments. */
#include "infer/infer_priv.h"

void infer_check_draws(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    if (!x || !x->rank || infer_flag(c, "replacement", false)) return;
    sym_expr count = infer_expr(c, "num_samples", 1);
    (void)INFER_REQUIRE(c, SYM_LE, count, x->sizes[x->rank - 1],
                        "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
}

/* Numbers drawn from a distribution are floating point numbers, or complex ones. */
void infer_check_drawn(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    ty_dtype d = x ? infer_dtype(c, "dtype", x->dtype) : TY_F32;
    if (ty_is_integral(d, true))
        infer_fail(c, "\"%s\" not implemented for '%s'", c->op->base, ty_dtype_name(d));
}

/* Integers are drawn from [from, to), which the dtype can hold. */
void infer_check_draw_range(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    bool is_randint = op_param_index(c->op, "high") >= 0;
    const char *first = is_randint ? "low" : "from", *end = is_randint ? "high" : "to";
    if (!x && op_param_index(c->op, "self") >= 0) return;
    ty_dtype d = infer_dtype(c, "dtype", x ? x->dtype : TY_I64);
    int64_t from = infer_int(c, first, 0), to = infer_int(c, end, INT64_MAX);
    if (ty_is_complex(d))
        infer_fail(c, "random numbers are integral, floating point or bool, not %s",
                   ty_dtype_name(d));
    else if (from >= to)
        infer_fail(c, "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
                   (long long)from, (long long)to);
    else if (d == TY_BOOL && (from < 0 || from > 1 || (infer_arg(c, end) && to > 2)))
        infer_fail(c, "the range from %lld to %lld is out of bounds for bool", (long long)from,
                   (long long)to);
}

/* Windows of a fractional pool do not leave the input. */
void infer_check_fractions(infer_call *c)
{
    sym_expr kernel[3], sizes[3];
    const ty_tensor *x = infer_tensor(c, "self");
    uint32_t spatial = infer_sizes(c, "kernel_size", 0, kernel);
    if (!x || spatial > 3 || infer_sizes(c, "output_size", spatial, sizes) > x->rank) return;
    for (uint32_t d = 0; d < spatial && c->status == FE_OK; d++)
        (void)INFER_REQUIRE(c, spatial == 3 ? SYM_LT : SYM_LE, /* as PyTorch has it */
                            sym_add_int(c->symbols, sym_add(c->symbols, kernel[d], sizes[d]), -1),
                            x->sizes[x->rank - spatial + d],
                            "pool %s too large relative to input %s", infer_written(c, kernel[d]),
                            infer_shape(c, x));
}

/* Dropout that draws multiplies by random numbers, which no integer holds; that of all or of nothing
 * does not draw. */
void infer_check_dropped(infer_call *c)
{
    double p = 0.5;
    const ty_tensor *x = infer_self(c);
    const fx_arg *a = infer_arg(c, "p");
    bool is_known = a && c->op->return_count == 1 && fx_arg_number(c->graph, a, &p);
    bool draws = infer_flag(c, "train", true) && !(is_known && (p == 0 || p == 1));
    bool is_narrow = c->op->return_count == 1 ? x && !ty_is_floating(x->dtype) : false;
    if (x && draws && (is_narrow || ty_is_integral(x->dtype, true)))
        infer_fail(c, "result type Float can't be cast to the desired output type %s",
                   ty_dtype_name(x->dtype));
}
