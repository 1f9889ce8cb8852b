/* fit.c -- what signatures cannot say of calls: convolutions, searches, Fourier transforms. The
 * signature holds already. */
#include "loop/operator.h"

#include "../rt/rt_need.h"

static bool may_be(const loop_program *p, sym_op op, sym_expr a, sym_expr b)
{
    sym_table *t = p->symbols;
    return sym_prove(t, sym_compare(t, op, a, b), NULL) != SYM_FALSE;
}

static bool may_be_at_least(const loop_program *p, sym_expr e, int64_t least)
{
    return may_be(p, SYM_LE, sym_int(p->symbols, least), e);
}

const char *fit_message(const loop_program *p, const loop_op *op)
{
    (void)p;
    return op->message ? NULL : "its message says nothing";
}

/* ---- products with integers ---- */

const char *fit_quantised_gemm(const loop_program *p, const loop_op *op)
{
    sym_table *t = p->symbols;
    sym_expr bits = op->ints[loop_int_place(op, "bits")], depth = op->inputs[1].sizes[0],
             groups = op->inputs[2].sizes[0];
    if (!may_be(p, SYM_EQ, bits, sym_int(t, 4)) && !may_be(p, SYM_EQ, bits, sym_int(t, 8)))
        return "its bits are neither 4 nor 8";
    if (!may_be_at_least(p, groups, 1)) return "it has no groups";
    if (!may_be(p, SYM_EQ, sym_mod(t, depth, groups), sym_int(t, 0)))
        return "its groups are not of one depth";
    sym_expr each = sym_floordiv(t, depth, groups);
    if (may_be(p, SYM_EQ, groups, sym_int(t, 1)) ||
        may_be(p, SYM_EQ, sym_mod(t, each, sym_int(t, RT_QUANTISED_STEP)), sym_int(t, 0)))
        return NULL;
    return "the depth of its groups is no multiple of 8";
}

/* ---- convolutions ---- */

typedef struct sliding {
    sym_expr in, kernel, out, stride, padding, dilation, more;
} sliding;

/* Is the result as long as the kernel has places on the padded input? Transposed, the other way round. */
static const char *fit_window(const loop_program *p, const sliding *w, bool transposed)
{
    sym_table *t = p->symbols;
    sym_expr reach = sym_mul(t, w->dilation, sym_add_int(t, w->kernel, -1)), out;
    if (!may_be_at_least(p, w->stride, 1)) return "a stride is less than 1";
    if (!may_be_at_least(p, w->dilation, 1)) return "a dilation is less than 1";
    if (!may_be_at_least(p, w->padding, 0) || !may_be_at_least(p, w->more, 0))
        return "a padding is less than 0";
    if (!may_be_at_least(p, w->kernel, 1)) return "a kernel has no taps";
    sym_expr padding = sym_mul_int(t, w->padding, 2);
    if (transposed) {
        out = sym_mul(t, sym_add_int(t, w->in, -1), w->stride);
        out = sym_add(t, sym_sub(t, sym_add(t, out, reach), padding), sym_add_int(t, w->more, 1));
    } else {
        sym_expr room = sym_add_int(t, sym_sub(t, sym_add(t, w->in, padding), reach), -1);
        if (!may_be_at_least(p, room, 0)) return "the kernel is larger than the padded input";
        out = sym_add_int(t, sym_floordiv(t, room, w->stride), 1);
    }
    return may_be(p, SYM_EQ, out, w->out) ? NULL : "a size of the result is another";
}

/* Along each dimension, from the images of x through w to those of y. */
static const char *fit_windows(const loop_program *p, const loop_windows *ints, const loop_view *x,
                               const loop_view *w, const loop_view *y)
{
    const char *fault = NULL;
    for (uint32_t d = 0; d < ints->spatial && !fault; d++) {
        sliding one = {x->sizes[2 + d],
                       w->sizes[2 + d],
                       y->sizes[2 + d],
                       ints->stride[d],
                       ints->padding[d],
                       ints->dilation[d],
                       ints->more ? ints->more[d] : sym_int(p->symbols, 0)};
        fault = fit_window(p, &one, ints->transposed);
    }
    return fault;
}

static const char *fit_channels(const loop_program *p, const loop_op *op, const loop_windows *ints)
{
    sym_table *t = p->symbols;
    const sym_expr *x = op->inputs[0].sizes, *w = op->inputs[1].sizes, *y = op->outputs[0].sizes;
    sym_expr groups = ints->groups, in = x[1], out = y[1];
    sym_expr rest = sym_mod(t, ints->transposed ? in : out, groups), zero = sym_int(t, 0);
    if (!may_be(p, SYM_EQ, rest, zero)) return "groups do not divide the channels";
    if (ints->transposed)
        return may_be(p, SYM_EQ, w[0], in) && may_be(p, SYM_EQ, sym_mul(t, w[1], groups), out)
                   ? NULL
                   : "the weight has other channels";
    return may_be(p, SYM_EQ, w[0], out) && may_be(p, SYM_EQ, sym_mul(t, w[1], groups), in)
               ? NULL
               : "the weight has other channels";
}

static const char *fit_ranks(const loop_program *p, const loop_op *op, loop_windows *ints)
{
    const char *fault = loop_windows_of(p, op, ints);
    uint32_t rank = ints->spatial + 2;
    if (fault) return fault;
    return op->inputs[0].rank == rank && op->inputs[1].rank == rank && op->outputs[0].rank == rank
               ? NULL
               : "its operands have other ranks than it has dimensions";
}

const char *fit_conv(const loop_program *p, const loop_op *op)
{
    loop_windows ints = {0};
    const char *fault = fit_ranks(p, op, &ints);
    if (!fault) fault = fit_channels(p, op, &ints);
    return fault ? fault : fit_windows(p, &ints, &op->inputs[0], &op->inputs[1], &op->outputs[0]);
}

/* Its floats may go by tiles where those of winograd may. */
const char *fit_half_conv(const loop_program *p, const loop_op *op)
{
    const char *fault = fit_conv(p, op);
    loop_windows ints = {0};
    int64_t tile;
    sym_expr one = sym_int(p->symbols, 1), three = sym_int(p->symbols, 3);
    if (fault || loop_windows_of(p, op, &ints)) return fault;
    if (!loop_known_int(p, op, "tile", &tile)) return "its tile is known to the run alone";
    if (tile == 0) return NULL;
    bool is_plain = (tile == 2 || tile == 4) && ints.spatial == 2 && !ints.transposed &&
                    sym_same(ints.groups, one);
    for (uint32_t d = 0; is_plain && d < 2; d++)
        is_plain = sym_same(ints.stride[d], one) && sym_same(ints.dilation[d], one) &&
                   sym_same(op->inputs[1].sizes[2 + d], three);
    return is_plain ? NULL : "its windows are not such that tiles are for";
}

const char *fit_conv_weight(const loop_program *p, const loop_op *op)
{
    sym_table *t = p->symbols;
    const loop_view *x = &op->inputs[0], *grad = &op->inputs[1], *w = &op->outputs[0];
    loop_windows ints = {0};
    const char *fault = fit_ranks(p, op, &ints);
    if (fault) return fault;
    if (!may_be(p, SYM_EQ, sym_mod(t, w->sizes[0], ints.groups), sym_int(t, 0)))
        return "groups do not divide the channels";
    if (!may_be(p, SYM_EQ, sym_mul(t, w->sizes[1], ints.groups), x->sizes[1]))
        return "the weight has other channels";
    return fit_windows(p, &ints, x, w, grad);
}

/* ---- searches ---- */

const char *fit_search(const loop_program *p, const loop_op *op)
{
    const loop_view *edges = &op->inputs[0], *values = &op->inputs[1];
    if (values->rank < 1) return "values have no dimension";
    if (edges->rank == 1) return NULL;
    if (edges->rank != values->rank) return "edges and values have other ranks";
    for (uint32_t d = 0; d + 1 < edges->rank; d++)
        if (!may_be(p, SYM_EQ, edges->sizes[d], values->sizes[d]))
            return "there is no row of edges for each row of values";
    return NULL;
}

/* ---- Fourier transforms ---- */

const char *fit_fourier(const loop_program *p, const loop_op *op)
{
    sym_table *t = p->symbols;
    const loop_view *x = &op->inputs[0], *window = &op->inputs[1], *y = &op->outputs[0];
    bool from_complex = ty_is_complex(x->dtype), to_complex = ty_is_complex(y->dtype);
    ty_dtype real = ty_complex_to_real(y->dtype);
    sym_expr length = op->ints[loop_int_place(op, "length")];
    int64_t dim = 0;
    loop_known_int(p, op, "dim", &dim);
    if (!from_complex && !to_complex) return "it goes from real numbers to real numbers";
    if (ty_complex_to_real(x->dtype) != real) return "x and out are of different precision";
    if (window->buffer != LOOP_NO_BUFFER && (!to_complex || window->dtype != real))
        return "its window is of another dtype";
    if (x->rank != y->rank) return "x and out have other ranks";
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != (uint32_t)dim && !may_be(p, SYM_EQ, x->sizes[d], y->sizes[d]))
            return "x and out have other sizes";
    sym_expr half = sym_add_int(t, sym_floordiv(t, length, sym_int(t, 2)), 1);
    bool fits = may_be(p, SYM_EQ, y->sizes[dim], length);
    fits |= to_complex && !from_complex && may_be(p, SYM_EQ, y->sizes[dim], half);
    return fits ? NULL : "out has not the length";
}
