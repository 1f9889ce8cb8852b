/* merge_convolutions.c -- convolutions of one input whose results are added become one, with the smaller
 * window in its place within the larger; a batch norm of that input that is added as well goes into the
 * middle of the window. Networks that are trained with several branches (MobileOne) are run with one so.
 *
 * By constants alone, that nothing else reads; sums are made in double and rounded once. Windows of more than
 * a pixel over all channels are left: Winograd's algorithm rounds a large number in the middle of one worse
 * than the sum of two convolutions does (RepVGG: 3.4 times PyTorch's error instead of 1.9).
 */
#include "pass/match.h"

#include <math.h>
#include <string.h>

enum { X, WEIGHT, BIAS, STRIDE, PADDING, DILATION, GROUPS, ARGS, MOST_DIMS = 3 };

typedef struct convolution {
    const fx_node *node;
    uint32_t dims;
    int64_t out, in_each, kernel[MOST_DIMS], padding[MOST_DIMS], window; /* window: elements */
    const uint8_t *weight, *bias; /* elements; bias NULL: none */
    ty_dtype dtype;
} convolution;

static double number_at(ty_dtype d, const uint8_t *elements, int64_t i)
{
    return d == TY_F64 ? ((const double *)elements)[i] : (double)((const float *)elements)[i];
}

static void add_at(ty_dtype d, uint8_t *elements, int64_t i, double x)
{
    if (d == TY_F64)
        ((double *)elements)[i] += x;
    else
        ((float *)elements)[i] = (float)((double)((float *)elements)[i] + x);
}

static bool are_ones(const fx_graph *g, const fx_arg *a, uint32_t dims)
{
    int64_t items[MOST_DIMS];
    bool ones = pass_numbers(g, a, dims, items);
    for (uint32_t d = 0; ones && d < dims; d++) ones = items[d] == 1;
    return ones;
}

/* One number for each of so many channels. */
static bool read_channels(const fx_graph *g, const fx_arg *a, ty_dtype d, int64_t channels,
                          const uint8_t **out)
{
    int64_t count;
    *out = NULL;
    if (a->kind == FX_ARG_NONE) return true;
    if (a->kind != FX_ARG_NODE || !fx_tensor(a->node) || fx_tensor(a->node)->dtype != d)
        return false;
    *out = pass_elements_of(g, a->node, &count);
    return *out && count == channels;
}

static bool is_dense(const fx_graph *g, const convolution *c)
{
    int64_t groups;
    return c->window > 1 && !(fx_arg_int(g, &c->node->args[GROUPS], &groups) && groups > 1);
}

static bool read_convolution(const fx_graph *g, const fx_node *n, convolution *c)
{
    const ty_tensor *w = n->arg_count == ARGS ? fx_arg_tensor(&n->args[WEIGHT]) : NULL;
    int64_t count;
    if (!w || w->rank < 3 || w->rank > 2 + MOST_DIMS) return false;
    if ((w->dtype != TY_F32 && w->dtype != TY_F64) || n->args[WEIGHT].node->users.count != 1)
        return false;
    *c = (convolution){.node = n, .dims = w->rank - 2, .dtype = w->dtype, .window = 1};
    for (uint32_t d = 0; d < c->dims; d++) {
        if (!sym_is_int(g->symbols, w->sizes[2 + d], &c->kernel[d])) return false;
        c->window *= c->kernel[d];
    }
    c->weight = pass_elements_of(g, n->args[WEIGHT].node, &count);
    return c->weight && sym_is_int(g->symbols, w->sizes[0], &c->out) &&
           sym_is_int(g->symbols, w->sizes[1], &c->in_each) &&
           count == c->out * c->in_each * c->window && !is_dense(g, c) &&
           pass_numbers(g, &n->args[PADDING], c->dims, c->padding) &&
           are_ones(g, &n->args[DILATION], c->dims) &&
           read_channels(g, &n->args[BIAS], c->dtype, c->out, &c->bias);
}

/* ---- what is made ---- */

static fx_node *constant_like(fx_graph *g, const fx_node *of, const char *what, const ty_tensor *t,
                              const uint8_t *elements, int64_t count)
{
    const char *name = arena_printf(g->memory, "%s_%s", of->name, what);
    return fx_add_constant(g, name, t, elements, (size_t)count * ty_dtype_size(t->dtype));
}

/* The convolution with this weight and bias, which are the graph's. */
static fx_node *with(rewriting *r, const convolution *c, const uint8_t *weight, const uint8_t *bias)
{
    fx_graph *g = r->g;
    fx_arg args[ARGS];
    sym_expr out = sym_int(g->symbols, c->out);
    const ty_tensor *w = fx_arg_tensor(&c->node->args[WEIGHT]);
    const ty_tensor *wt =
        ty_tensor_new(g->memory, g->symbols, w->dtype, w->device, w->rank, w->sizes);
    const ty_tensor *bt = ty_tensor_new(g->memory, g->symbols, w->dtype, w->device, 1, &out);
    memcpy(args, c->node->args, sizeof args);
    args[WEIGHT] =
        fx_of(constant_like(g, c->node, "merged", wt, weight, c->out * c->in_each * c->window));
    if (bias) args[BIAS] = fx_of(constant_like(g, c->node, "merged_bias", bt, bias, c->out));
    return rewrite_call(r, (op_id)c->node->op->id, ARGS, args);
}

static uint8_t *copy_of(const rewriting *r, const convolution *c, const uint8_t *elements,
                        int64_t count)
{
    size_t bytes = (size_t)count * ty_dtype_size(c->dtype);
    uint8_t *made = arena_alloc(r->g->memory, bytes);
    if (elements)
        memcpy(made, elements, bytes);
    else
        memset(made, 0, bytes);
    return made;
}

/* ---- two convolutions ---- */

/* Does the window of the one hold that of the other? */
static bool holds(const convolution *large, const convolution *small)
{
    for (uint32_t d = 0; d < large->dims; d++) {
        int64_t from = large->padding[d] - small->padding[d];
        if (from < 0 || from + small->kernel[d] > large->kernel[d]) return false;
    }
    return true;
}

/* Where element i of the smaller window is in the larger one. */
static int64_t place_of(const convolution *large, const convolution *small, int64_t i)
{
    int64_t place = 0, step = 1;
    for (uint32_t d = large->dims; d-- > 0;) {
        place += (i % small->kernel[d] + large->padding[d] - small->padding[d]) * step;
        i /= small->kernel[d];
        step *= large->kernel[d];
    }
    return place;
}

static fx_node *to_one(rewriting *r)
{
    convolution a, b;
    const fx_node *first = rewrite_node(r, "first"), *second = rewrite_node(r, "second");
    if (first->op != second->op || !read_convolution(r->g, first, &a) ||
        !read_convolution(r->g, second, &b) || a.dtype != b.dtype || a.out != b.out ||
        a.in_each != b.in_each || !pass_same_arg(&first->args[STRIDE], &second->args[STRIDE]) ||
        !pass_same_arg(&first->args[GROUPS], &second->args[GROUPS]) ||
        !ty_known_same_layout(r->g->symbols, fx_tensor(first), fx_tensor(second)))
        return NULL;
    bool is_first = holds(&a, &b);
    const convolution *large = is_first ? &a : &b, *small = is_first ? &b : &a;
    if (!is_first && !holds(&b, &a)) return NULL;
    int64_t channels = large->out * large->in_each;
    uint8_t *weight = copy_of(r, large, large->weight, channels * large->window), *bias = NULL;
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < small->window; i++)
            add_at(large->dtype, weight, c * large->window + place_of(large, small, i),
                   number_at(small->dtype, small->weight, c * small->window + i));
    if (large->bias || small->bias) bias = copy_of(r, large, large->bias, large->out);
    for (int64_t c = 0; small->bias && c < small->out; c++)
        add_at(large->dtype, bias, c, number_at(small->dtype, small->bias, c));
    return with(r, large, weight, bias);
}

/* ---- a convolution and a batch norm of its input ---- */

typedef struct norm {
    const uint8_t *weight, *bias, *mean, *variance;
    double eps;
} norm;

static bool read_norm(const rewriting *r, const fx_node *n, const convolution *c, norm *out)
{
    const fx_arg *a = n->args;
    return n->arg_count == 9 && !fx_arg_bool(&a[5], true) &&
           fx_arg_number(r->g, &a[7], &out->eps) &&
           read_channels(r->g, &a[1], c->dtype, c->out, &out->weight) &&
           read_channels(r->g, &a[2], c->dtype, c->out, &out->bias) &&
           read_channels(r->g, &a[3], c->dtype, c->out, &out->mean) &&
           read_channels(r->g, &a[4], c->dtype, c->out, &out->variance) && out->mean &&
           out->variance;
}

/* The element of the window that a pixel of the input meets its own result at; -1: there is none. */
static int64_t middle_of(const convolution *c)
{
    int64_t place = 0;
    for (uint32_t d = 0; d < c->dims; d++) {
        if (c->padding[d] >= c->kernel[d]) return -1;
        place = place * c->kernel[d] + c->padding[d];
    }
    return place;
}

static fx_node *to_one_with_norm(rewriting *r)
{
    convolution c;
    norm n;
    const fx_node *conv = rewrite_node(r, "conv");
    const ty_tensor *x = rewrite_tensor(r, "x");
    int64_t groups;
    if (!read_convolution(r->g, conv, &c) || !read_norm(r, rewrite_node(r, "norm"), &c, &n) ||
        !are_ones(r->g, &conv->args[STRIDE], c.dims) ||
        !fx_arg_int(r->g, &conv->args[GROUPS], &groups) || c.in_each * groups != c.out || !x ||
        !ty_known_same_layout(r->g->symbols, x, fx_tensor(conv)))
        return NULL;
    int64_t middle = middle_of(&c), numbers = c.out * c.in_each * c.window;
    if (middle < 0) return NULL;
    uint8_t *weight = copy_of(r, &c, c.weight, numbers), *bias = copy_of(r, &c, c.bias, c.out);
    for (int64_t o = 0; o < c.out; o++) {
        double scale = (n.weight ? number_at(c.dtype, n.weight, o) : 1) /
                       sqrt(number_at(c.dtype, n.variance, o) + n.eps);
        double shift =
            (n.bias ? number_at(c.dtype, n.bias, o) : 0) - number_at(c.dtype, n.mean, o) * scale;
        if (!isfinite(scale) || !isfinite(shift)) return NULL;
        add_at(c.dtype, weight, (o * c.in_each + o % c.in_each) * c.window + middle, scale);
        add_at(c.dtype, bias, o, shift);
    }
    return with(r, &c, weight, bias);
}

#define CONV "conv1d|conv2d|conv3d(%x, ...)"
static const rewrite_rule RULES[] = {
    {"add.Tensor(%first=" CONV ", %second=" CONV ")", to_one},
    {"add.Tensor(%conv=" CONV ", %norm=batch_norm(%x, ...))", to_one_with_norm},
};

fe_status pass_merge_convolutions(fx_graph *g, bool *changed)
{
    return rewrite_run(g, RULES, COUNT_OF(RULES), NULL, changed);
}
