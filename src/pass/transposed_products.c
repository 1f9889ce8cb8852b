/* transposed_products.c -- transposed convolutions as products.
 *
 * One to few channels, of each group, becomes one product, of the weight with the input's pixels, whose
 * results col2im adds up where they meet.
 * By itself a product of each tap fills lanes with the channels of the result: of three channels, three
 * lanes. Here the lanes hold pixels. What it takes is memory for all the products; so where they are many the
 * convolution is left. In three dimensions col2im goes over two of them, and over the first one then. Of one
 * tap there is nothing to add up: the products are put at every stride-th pixel of the result.
 */
#include "pass/transposed.h"

enum { MOST_MEMORY = 6 };

/* ---- which ---- */

/* The pixels of the input, along one dimension, that lie in the result. */
static int64_t pixels_inside(const transposed *c, uint32_t d, int64_t *first)
{
    int64_t stride = c->stride[d], last = (c->results[d] - 1 + c->padding[d]) / stride;
    *first = (c->padding[d] + stride - 1) / stride;
    return (last < c->sizes[d] ? last + 1 : c->sizes[d]) - *first;
}

static bool has_pixels(const transposed *c)
{
    int64_t first;
    bool has = true;
    for (uint32_t d = 0; d < c->dims && has; d++) has = pixels_inside(c, d, &first) > 0;
    return has;
}

/* In as much memory as is small beside that of the input and the results. */
bool transposed_is_product(const transposed *c)
{
    int64_t results = c->out; /* for each pixel of the input */
    if ((c->dtype != TY_F32 && c->dtype != TY_F64) || !ty_is_host(fx_tensor(c->x)->device))
        return false;
    for (uint32_t d = 0; d < c->dims; d++) {
        if (c->sizes[d] == 0 || c->results[d] == 0) return false;
        results *= c->stride[d];
    }
    if (c->window == 1) return results > c->out && has_pixels(c);
    return c->out / c->groups <= TRANSPOSED_FEW_CHANNELS &&
           c->out * c->window <= MOST_MEMORY * (c->in + results);
}

/* ---- a product ---- */

/* [the batch, ...] */
static fx_arg batched(const rewriting *r, sym_expr batch, uint32_t count, const int64_t *items)
{
    sym_expr list[2 * TRANSPOSED_MOST_DIMS + 2] = {batch};
    for (uint32_t i = 0; i < count; i++) list[i + 1] = sym_int(r->g->symbols, items[i]);
    return fx_int_list(r->g, list, count + 1);
}

static fx_node *shaped(rewriting *r, fx_node *x, sym_expr batch, uint32_t count,
                       const int64_t *items)
{
    return x ? REWRITE(r, aten_reshape_default, fx_of(x), batched(r, batch, count, items)) : NULL;
}

/* [batch, out * taps, pixels]. Of one channel a product has nothing to add up, and col2im makes it. */
static fx_node *product(rewriting *r, const transposed *c, sym_expr batch, int64_t pixels)
{
    int64_t in = c->in / c->groups, columns = c->out / c->groups * c->window;
    bool grouped = c->groups > 1;
    int64_t sizes[3] = {c->groups, in, pixels}, weights[3] = {c->groups, in, columns};
    fx_node *x = shaped(r, c->x, batch, 2 + grouped, sizes + !grouped);
    fx_node *w = REWRITE(r, aten_reshape_default, fx_of(c->weight),
                         transposed_ints(r, 2 + grouped, weights + !grouped));
    if (w) w = REWRITE(r, aten_transpose_int, fx_of(w), fx_int(r->g, -2), fx_int(r->g, -1));
    if (!x || !w) return NULL;
    fx_node *made = in == 1 ? REWRITE(r, aten_mul_Tensor, fx_of(w), fx_of(x))
                            : REWRITE(r, aten_matmul_default, fx_of(w), fx_of(x));
    return grouped ? shaped(r, made, batch, 2, (int64_t[]){c->out * c->window, pixels}) : made;
}

/* Do the windows stand side by side? */
static bool is_apart(const transposed *c)
{
    bool apart = true;
    for (uint32_t d = 0; d < c->dims && apart; d++)
        apart = c->kernel[d] == c->stride[d] && c->dilation[d] == 1 && c->padding[d] == 0 &&
                c->results[d] == c->sizes[d] * c->stride[d];
    return apart;
}

/* Then there is nothing to add up, and the reader may read the product itself. */
static fx_node *side_by_side(rewriting *r, const transposed *c, fx_node *columns, sym_expr batch)
{
    int64_t sizes[2 * TRANSPOSED_MOST_DIMS + 1] = {c->out},
                                             order[2 * TRANSPOSED_MOST_DIMS + 2] = {0, 1},
                                             results[TRANSPOSED_MOST_DIMS + 1] = {c->out};
    for (uint32_t d = 0; d < c->dims; d++) {
        sizes[1 + d] = c->kernel[d];
        sizes[1 + c->dims + d] = c->sizes[d];
        order[2 + 2 * d] = 2 + c->dims + d;
        order[3 + 2 * d] = 2 + d;
        results[1 + d] = c->results[d];
    }
    fx_node *x = shaped(r, columns, batch, 1 + 2 * c->dims, sizes);
    if (x)
        x = REWRITE(r, aten_permute_default, fx_of(x), transposed_ints(r, 2 + 2 * c->dims, order));
    return shaped(r, x, batch, 1 + c->dims, results);
}

/* Over two dimensions, d and the next one, or one of size 1 and d. */
static fx_node *added_up(rewriting *r, fx_node *columns, const int64_t *results,
                         const int64_t *kernel, const int64_t *dilation, const int64_t *padding,
                         const int64_t *stride)
{
    return columns ? REWRITE(r, aten_col2im_default, fx_of(columns), transposed_ints(r, 2, results),
                             transposed_ints(r, 2, kernel), transposed_ints(r, 2, dilation),
                             transposed_ints(r, 2, padding), transposed_ints(r, 2, stride))
                   : NULL;
}

static fx_node *of_line(rewriting *r, const transposed *c, fx_node *columns, sym_expr batch)
{
    fx_node *sum = added_up(r, columns, (int64_t[]){1, c->results[0]}, (int64_t[]){1, c->kernel[0]},
                            (int64_t[]){1, c->dilation[0]}, (int64_t[]){0, c->padding[0]},
                            (int64_t[]){1, c->stride[0]});
    return shaped(r, sum, batch, 2, (int64_t[]){c->out, c->results[0]});
}

static fx_node *of_volume(rewriting *r, const transposed *c, fx_node *columns, sym_expr batch)
{
    int64_t taps = c->kernel[1] * c->kernel[2], plane = c->sizes[1] * c->sizes[2],
            result = c->results[1] * c->results[2], slices = c->out * c->kernel[0];
    fx_node *apart = shaped(r, columns, batch, 4, (int64_t[]){slices, taps, c->sizes[0], plane});
    if (apart)
        apart = REWRITE(r, aten_transpose_int, fx_of(apart), fx_int(r->g, 2), fx_int(r->g, 3));
    fx_node *planes =
        added_up(r, shaped(r, apart, batch, 2, (int64_t[]){slices * c->sizes[0] * taps, plane}),
                 c->results + 1, c->kernel + 1, c->dilation + 1, c->padding + 1, c->stride + 1);
    fx_node *sum =
        added_up(r, shaped(r, planes, batch, 2, (int64_t[]){slices, c->sizes[0] * result}),
                 (int64_t[]){c->results[0], result}, (int64_t[]){c->kernel[0], 1},
                 (int64_t[]){c->dilation[0], 1}, (int64_t[]){c->padding[0], 0},
                 (int64_t[]){c->stride[0], 1});
    return shaped(r, sum, batch, 4,
                  (int64_t[]){c->out, c->results[0], c->results[1], c->results[2]});
}

static fx_node *with_bias(rewriting *r, const transposed *c, fx_node *sum)
{
    int64_t sizes[TRANSPOSED_MOST_DIMS + 1] = {c->out, 1, 1, 1};
    if (!sum || c->bias->kind != FX_ARG_NODE) return sum;
    fx_node *bias =
        REWRITE(r, aten_reshape_default, *c->bias, transposed_ints(r, c->dims + 1, sizes));
    return bias ? REWRITE(r, aten_add_Tensor, fx_of(sum), fx_of(bias)) : NULL;
}

/* ---- one tap ---- */

/* Every stride-th pixel of the result is one of the product, the others are zero. */
static fx_node *spread_out(rewriting *r, const transposed *c, fx_node *columns, sym_expr batch)
{
    int64_t sizes[TRANSPOSED_MOST_DIMS + 1] = {c->out},
                                         results[TRANSPOSED_MOST_DIMS + 1] = {c->out},
                                         steps[TRANSPOSED_MOST_DIMS + 2], step = 1, offset = 0,
                                         first;
    for (uint32_t d = 0; d < c->dims; d++) {
        sizes[d + 1] = c->sizes[d];
        results[d + 1] = c->results[d];
    }
    fx_node *x = with_bias(r, c, shaped(r, columns, batch, c->dims + 1, sizes));
    for (uint32_t d = c->dims; d-- > 0;) {
        sizes[d + 1] = pixels_inside(c, d, &first);
        if (x && sizes[d + 1] != c->sizes[d])
            x = REWRITE(r, aten_slice_Tensor, fx_of(x), fx_int(r->g, d + 2), fx_int(r->g, first),
                        fx_int(r->g, first + sizes[d + 1]));
        steps[d + 2] = step * c->stride[d];
        offset += step * (first * c->stride[d] - c->padding[d]);
        step *= c->results[d];
    }
    steps[1] = step;
    steps[0] = step * c->out;
    fx_node *zeros =
        REWRITE(r, aten_new_zeros_default, fx_of(c->x), batched(r, batch, c->dims + 1, results));
    zeros = with_bias(r, c, zeros);
    return x && zeros ? REWRITE(r, aten_as_strided_scatter_default, fx_of(zeros), fx_of(x),
                                batched(r, batch, c->dims + 1, sizes),
                                transposed_ints(r, c->dims + 2, steps), fx_int(r->g, offset))
                      : NULL;
}

static fx_node *to_product(rewriting *r, const transposed *c)
{
    sym_expr batch = fx_tensor(c->x)->sizes[0];
    int64_t pixels = 1;
    for (uint32_t d = 0; d < c->dims; d++) pixels *= c->sizes[d];
    fx_node *columns = product(r, c, batch, pixels), *sum;
    if (c->window == 1) return spread_out(r, c, columns, batch);
    if (is_apart(c))
        sum = side_by_side(r, c, columns, batch);
    else if (c->dims == 1)
        sum = of_line(r, c, columns, batch);
    else if (c->dims == 3)
        sum = of_volume(r, c, columns, batch);
    else
        sum = added_up(r, columns, c->results, c->kernel, c->dilation, c->padding, c->stride);
    return with_bias(r, c, sum);
}

static fx_node *to_what_is_faster(rewriting *r)
{
    transposed c;
    bool gains =
        transposed_read(r, &c) && transposed_is_product(&c) && !transposed_is_better_turned(&c);
    return gains ? to_product(r, &c) : NULL;
}

static const rewrite_rule RULES[] = {{TRANSPOSED_PATTERN, to_what_is_faster}};

fe_status pass_transposed_products(fx_graph *g, bool *changed)
{
    return rewrite_run(g, RULES, COUNT_OF(RULES), NULL, changed);
}
