/* decompose_grad_conv.c -- derivatives of convolutions by input, weight and bias. */
#include "pass/decompose/decompose_arith.h"

enum { MOST_SPATIAL = 3 };

typedef struct conv_grad {
    fx_arg grad, input, weight, stride, padding, dilation, groups;
    uint32_t spatial;
    bool is_transposed;
} conv_grad;

/* One number stands for all. */
static void numbers(decomposing *d, const fx_arg *list, uint32_t count, sym_expr *out)
{
    int given = fx_arg_ints(d->g, list, out, MOST_SPATIAL);
    for (uint32_t k = 1; given == 1 && k < count; k++) out[k] = out[0];
}

/* The sizes of a gradient are those that it is of, which a convolution reaches and may go beyond. */
static fx_arg cut(decomposing *d, fx_arg x, uint32_t dim, sym_expr length)
{
    const ty_tensor *t = fx_arg_tensor(&x);
    if (!t || sym_known_equal(d->g->symbols, t->sizes[dim], length)) return x;
    return CALL(aten_narrow_default, x, decompose_of(d, dim), decompose_of(d, 0), fx_expr(length));
}

static fx_arg conv_by_input(decomposing *d, const conv_grad *c)
{
    sym_table *s = d->g->symbols;
    sym_expr stride[MOST_SPATIAL], padding[MOST_SPATIAL], dilation[MOST_SPATIAL],
        more[MOST_SPATIAL];
    const ty_tensor *x = fx_arg_tensor(&c->input), *g = fx_arg_tensor(&c->grad),
                    *w = fx_arg_tensor(&c->weight);
    numbers(d, &c->stride, c->spatial, stride);
    numbers(d, &c->padding, c->spatial, padding);
    numbers(d, &c->dilation, c->spatial, dilation);
    for (uint32_t k = 0; k < c->spatial; k++) {
        sym_expr full = sym_mul(s, sym_add_int(s, g->sizes[k + 2], -1), stride[k]);
        full = sym_sub(s, full, sym_mul_int(s, padding[k], 2));
        full = sym_add(s, full, sym_mul(s, dilation[k], sym_add_int(s, w->sizes[k + 2], -1)));
        more[k] =
            c->is_transposed ? sym_int(s, 0) : sym_sub(s, x->sizes[k + 2], sym_add_int(s, full, 1));
    }
    fx_arg made = CALL(aten_convolution_default, c->grad, c->weight, fx_none(), c->stride,
                       c->padding, c->dilation, fx_bool(!c->is_transposed),
                       fx_int_list(d->g, more, c->spatial), c->groups);
    for (uint32_t k = 0; k < c->spatial; k++) made = cut(d, made, k + 2, x->sizes[k + 2]);
    return made;
}

/* The weight's derivative as a convolution of the input with the gradient, both with batch and
 * channels exchanged: steps of the kernel are steps in the input's dilation. */
static fx_arg conv_as_conv(decomposing *d, const conv_grad *c)
{
    sym_table *s = d->g->symbols;
    sym_expr sizes[MOST_SPATIAL + 3], zeros[MOST_SPATIAL], groups;
    fx_arg read = c->is_transposed ? c->grad : c->input,
           slid = c->is_transposed ? c->input : c->grad;
    const ty_tensor *x = fx_arg_tensor(&read), *w = fx_arg_tensor(&c->weight);
    if (!x || !fx_arg_expr(d->g, &c->groups, &groups)) return fx_none();
    sizes[0] = x->sizes[0];
    sizes[1] = groups;
    sizes[2] = sym_floordiv(s, x->sizes[1], groups);
    for (uint32_t k = 0; k < c->spatial; k++) {
        sizes[k + 3] = x->sizes[k + 2];
        zeros[k] = sym_int(s, 0);
    }
    read = reshaped(d, read, c->spatial + 3, sizes);
    read = CALL(aten_transpose_int, read, decompose_of(d, 0), decompose_of(d, 2));
    /* [C / groups, groups, N, ...] */
    sizes[0] = sizes[2];
    sizes[1] = sym_mul(s, groups, x->sizes[0]);
    for (uint32_t k = 0; k < c->spatial; k++) sizes[k + 2] = x->sizes[k + 2];
    read = reshaped(d, read, c->spatial + 2, sizes);
    slid = CALL(aten_transpose_int, slid, decompose_of(d, 0), decompose_of(d, 1));
    fx_arg made = CALL(aten_convolution_default, read, slid, fx_none(), c->dilation, c->padding,
                       c->stride, fx_bool(false), fx_int_list(d->g, zeros, c->spatial), c->groups);
    for (uint32_t k = 0; k < c->spatial; k++) made = cut(d, made, k + 2, w->sizes[k + 2]);
    return CALL(aten_transpose_int, made, decompose_of(d, 0), decompose_of(d, 1));
}

/* ---- which gradients of weights the runtime has a product for ---- */

static int64_t known_int(const fx_graph *g, const fx_node *n, const char *param)
{
    int64_t value;
    return fx_arg_int(g, fx_get(g, n, param), &value) ? value : 0;
}

static int64_t known_size(const fx_graph *g, const ty_tensor *t, uint32_t dim)
{
    int64_t size;
    return sym_is_int(g->symbols, t->sizes[dim], &size) ? size : 0;
}

/* The sizes of a transposed one are those of the convolution that goes the other way, but where more is put
 * out than a stride leaves open. */
static bool puts_out_more(const fx_graph *g, const fx_node *n)
{
    sym_expr more[MOST_SPATIAL], stride[MOST_SPATIAL];
    int count = fx_arg_ints(g, fx_get(g, n, "output_padding"), more, MOST_SPATIAL),
        strides = fx_arg_ints(g, fx_get(g, n, "stride"), stride, MOST_SPATIAL);
    for (int k = 0; k < count; k++) {
        int64_t past, step;
        if (!sym_is_int(g->symbols, more[k], &past)) return true;
        if (past == 0) continue;
        if (strides <= 0 || !sym_is_int(g->symbols, stride[k < strides ? k : 0], &step) ||
            past >= step)
            return true;
    }
    return false;
}

/* Of single precision or less. */
static bool has_weight_product(const fx_graph *g, const fx_node *n)
{
    const ty_tensor *x = fx_arg_tensor(fx_get(g, n, "input")),
                    *w = fx_arg_tensor(fx_get(g, n, "weight"));
    int64_t groups = known_int(g, n, "groups");
    if (!x || !w || x->rank != w->rank || w->rank < 3 || w->rank > MOST_SPATIAL + 2 || groups < 1)
        return false;
    if (x->dtype != TY_F32 && x->dtype != TY_F16 && x->dtype != TY_BF16) return false;
    return known_size(g, w, 0) >= groups && known_size(g, w, 1) > 0 && !puts_out_more(g, n);
}

/* Only the weight's gradient is asked for, and there is a product for it. */
static bool is_weight_product(const fx_graph *g, const fx_node *n)
{
    const fx_arg *mask = fx_get(g, n, "output_mask");
    bool only = mask->kind == FX_ARG_LIST && mask->list.count == 3;
    for (uint32_t k = 0; k < 3 && only; k++)
        only = fx_arg_bool(&mask->list.items[k], false) == (k == 1);
    return only && has_weight_product(g, n);
}

static fx_arg conv_by_weight(decomposing *d, const conv_grad *c)
{
    if (!has_weight_product(d->g, d->n)) return conv_as_conv(d, c);
    fx_arg mask[] = {fx_bool(false), fx_bool(true), fx_bool(false)};
    fx_arg all = CALL(aten_convolution_backward_default, c->grad, c->input, c->weight, fx_none(),
                      c->stride, c->padding, c->dilation, fx_bool(c->is_transposed),
                      arg(d, "output_padding"), c->groups, fx_list(d->g, mask, 3));
    return CALL(operator_getitem, all, decompose_of(d, 1));
}

void decompose_op_convolution_backward(decomposing *d)
{
    conv_grad c = {arg(d, "grad_output"),
                   arg(d, "input"),
                   arg(d, "weight"),
                   arg(d, "stride"),
                   arg(d, "padding"),
                   arg(d, "dilation"),
                   arg(d, "groups"),
                   0,
                   decompose_flag(d, "transposed")};
    if (is_weight_product(d->g, d->n)) {
        d->stays = true;
        return;
    }
    c.spatial = rank_of(c.weight) - 2;
    if (c.spatial > MOST_SPATIAL || rank_of(c.weight) != rank_of(c.input)) {
        decompose_fail(d, "a convolution of more than three dimensions");
        return;
    }
    decompose_give(d, wanted(d, 0) ? conv_by_input(d, &c) : fx_none());
    decompose_give(d, wanted(d, 1) ? conv_by_weight(d, &c) : fx_none());
    uint64_t others = dims_from(0, c.spatial + 2) & ~(uint64_t)2;
    decompose_give(d, wanted(d, 2) ? sum_over(d, c.grad, others, false) : fx_none());
}
