/* transposed_convolutions.c -- transposed convolutions of stride 1 as convolutions with the window turned
 * round. There are more ways to do those, for channels by themselves and for small windows (depthwise,
 * Winograd).
 */
#include "pass/transposed.h"

#include <string.h>

/* ---- what it is ---- */

static bool read_ints(const fx_graph *g, const fx_node *n, const char *param, uint32_t dims,
                      int64_t *out)
{
    return pass_numbers(g, fx_get(g, n, param), dims, out);
}

static bool is_transposed(const fx_graph *g, const fx_node *n)
{
    return n->op->id != OP_aten_convolution_default ||
           fx_arg_bool(fx_get(g, n, "transposed"), false);
}

static int64_t size_at(const fx_graph *g, const ty_tensor *t, uint32_t dim)
{
    int64_t size;
    return sym_is_int(g->symbols, t->sizes[dim], &size) ? size : 0;
}

bool transposed_read(const rewriting *r, transposed *c)
{
    const fx_graph *g = r->g;
    const fx_node *n = r->root;
    const fx_arg *x = fx_get(g, n, "input"), *w = fx_get(g, n, "weight");
    const ty_tensor *xt = fx_arg_tensor(x), *wt = fx_arg_tensor(w), *out = fx_tensor(n);
    int64_t past[TRANSPOSED_MOST_DIMS];
    if (!xt || !wt || !out || !is_transposed(g, n) || xt->rank != wt->rank || wt->rank < 3)
        return false;
    if (!ty_is_floating(xt->dtype) || xt->dtype != wt->dtype || out->dtype != xt->dtype ||
        wt->rank > TRANSPOSED_MOST_DIMS + 2)
        return false;
    *c = (transposed){.dims = wt->rank - 2,
                      .x = x->node,
                      .weight = w->node,
                      .bias = fx_get(g, n, "bias"),
                      .dtype = xt->dtype,
                      .window = 1};
    if (!read_ints(g, n, "stride", c->dims, c->stride) ||
        !read_ints(g, n, "padding", c->dims, c->padding) ||
        !read_ints(g, n, "dilation", c->dims, c->dilation) ||
        !read_ints(g, n, "output_padding", c->dims, past) ||
        !fx_arg_int(g, fx_get(g, n, "groups"), &c->groups))
        return false;
    c->in = size_at(g, wt, 0);
    c->out = size_at(g, wt, 1) * c->groups;
    for (uint32_t d = 0; d < c->dims; d++) {
        c->kernel[d] = size_at(g, wt, d + 2);
        c->sizes[d] = size_at(g, xt, d + 2);
        c->results[d] = size_at(g, out, d + 2);
        c->is_empty |=
            !sym_known_less_equal(g->symbols, sym_int(g->symbols, 1), out->sizes[d + 2], NULL);
        if (past[d] >= c->stride[d]) return false;
        c->window *= c->kernel[d];
    }
    return c->window > 0 && c->in > 0 && c->out > 0;
}

/* PyTorch has no other convolution without a result. */
bool transposed_is_turned(const transposed *c)
{
    bool turned = !c->is_empty;
    for (uint32_t d = 0; d < c->dims && turned; d++)
        turned = c->stride[d] == 1 && c->padding[d] <= c->dilation[d] * (c->kernel[d] - 1);
    return turned;
}

/* Of few channels by themselves, in a line, and where a product has fewer results than the input has
 * channels, the convolution is slower: its lanes hold the channels of the result, and channels that are
 * groups each. */
bool transposed_is_better_turned(const transposed *c)
{
    int64_t in = c->in / c->groups, out = c->out / c->groups;
    if (!transposed_is_turned(c)) return false;
    if (in == 1) return c->groups > 1 && c->dims > 1;
    if (in == 2 && c->dims == 1) return false;
    return out >= TRANSPOSED_FEW_CHANNELS || (out > 3 && 5 * out >= 4 * in);
}

/* ---- a convolution ---- */

/* [in, out / groups, ...] to [out, in / groups, ...], the window turned round. */
static fx_node *turned_weight(rewriting *r, const transposed *c)
{
    int64_t dims[TRANSPOSED_MOST_DIMS],
        apart[TRANSPOSED_MOST_DIMS + 3] = {c->groups, c->in / c->groups, c->out / c->groups},
                                     sizes[TRANSPOSED_MOST_DIMS + 2] = {c->out, c->in / c->groups};
    for (uint32_t d = 0; d < c->dims; d++) {
        dims[d] = d + 2;
        apart[d + 3] = sizes[d + 2] = c->kernel[d];
    }
    fx_node *w = REWRITE(r, aten_flip_default, fx_of(c->weight), transposed_ints(r, c->dims, dims));
    if (w) w = REWRITE(r, aten_reshape_default, fx_of(w), transposed_ints(r, c->dims + 3, apart));
    if (w) w = REWRITE(r, aten_transpose_int, fx_of(w), fx_int(r->g, 1), fx_int(r->g, 2));
    return w ? REWRITE(r, aten_reshape_default, fx_of(w), transposed_ints(r, c->dims + 2, sizes))
             : NULL;
}

static fx_node *to_convolution(rewriting *r, const transposed *c)
{
    int64_t padding[TRANSPOSED_MOST_DIMS], none[TRANSPOSED_MOST_DIMS] = {0};
    for (uint32_t d = 0; d < c->dims; d++)
        padding[d] = c->dilation[d] * (c->kernel[d] - 1) - c->padding[d];
    fx_node *w = turned_weight(r, c);
    return w ? REWRITE(r, aten_convolution_default, fx_of(c->x), fx_of(w), *c->bias,
                       transposed_ints(r, c->dims, c->stride), transposed_ints(r, c->dims, padding),
                       transposed_ints(r, c->dims, c->dilation), fx_bool(false),
                       transposed_ints(r, c->dims, none), fx_int(r->g, c->groups))
             : NULL;
}

static fx_node *to_what_is_faster(rewriting *r)
{
    transposed c;
    bool turns = transposed_read(r, &c) && transposed_is_turned(&c) &&
                 (transposed_is_better_turned(&c) || !transposed_is_product(&c));
    return turns ? to_convolution(r, &c) : NULL;
}

static const rewrite_rule RULES[] = {{TRANSPOSED_PATTERN, to_what_is_faster}};

fe_status pass_transposed_convolutions(fx_graph *g, bool *changed)
{
    return rewrite_run(g, RULES, COUNT_OF(RULES), NULL, changed);
}
