/* fit.c -- what signatures cannot say of calls: convolutions, searches, Fourier transforms. The
 * signature holds already. */
#include "loop/signature.h"

static bool may_be(const loop_program *p, sym_op op, sym_expr a, sym_expr b)
{
    sym_table *t = p->symbols;
    return sym_prove(t, sym_compare(t, op, a, b), NULL) != SYM_FALSE;
}

static bool may_be_at_least(const loop_program *p, sym_expr e, int64_t least)
{
    return may_be(p, SYM_LE, sym_int(p->symbols, least), e);
}

const char *fit_anything(const loop_program *p, const loop_op *op)
{
    (void)p;
    (void)op;
    return NULL;
}

const char *fit_message(const loop_program *p, const loop_op *op)
{
    (void)p;
    return op->message ? NULL : "its message says nothing";
}

/* ---- convolutions ---- */

enum { SPATIAL, GROUPS, TRANSPOSED, LISTS = 4 };

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

static const char *fit_channels(const loop_program *p, const loop_op *op, bool transposed)
{
    sym_table *t = p->symbols;
    const sym_expr *x = op->inputs[0].sizes, *w = op->inputs[1].sizes, *y = op->outputs[0].sizes;
    sym_expr groups = op->ints[GROUPS], in = x[1], out = y[1];
    sym_expr rest = sym_mod(t, transposed ? in : out, groups), zero = sym_int(t, 0);
    if (!may_be(p, SYM_EQ, rest, zero)) return "groups do not divide the channels";
    if (transposed)
        return may_be(p, SYM_EQ, w[0], in) && may_be(p, SYM_EQ, sym_mul(t, w[1], groups), out)
                   ? NULL
                   : "the weight has other channels";
    return may_be(p, SYM_EQ, w[0], out) && may_be(p, SYM_EQ, sym_mul(t, w[1], groups), in)
               ? NULL
               : "the weight has other channels";
}

const char *fit_conv(const loop_program *p, const loop_op *op)
{
    const loop_view *x = &op->inputs[0], *w = &op->inputs[1], *y = &op->outputs[0];
    int64_t spatial, transposed;
    if (!sym_is_int(p->symbols, op->ints[SPATIAL], &spatial) ||
        !sym_is_int(p->symbols, op->ints[TRANSPOSED], &transposed))
        return "its kind is known to the run alone";
    if (x->rank != spatial + 2 || w->rank != x->rank || y->rank != x->rank)
        return "its operands have other ranks than it has dimensions";
    if (op->int_count != LISTS + 4 * spatial) return "its ints are of another number of dimensions";
    const char *fault = fit_channels(p, op, transposed != 0);
    for (int64_t d = 0; d < spatial && !fault; d++) {
        const sym_expr *list = op->ints + LISTS + d;
        sliding one = {x->sizes[2 + d], w->sizes[2 + d],   y->sizes[2 + d],  list[0],
                       list[spatial],   list[2 * spatial], list[3 * spatial]};
        fault = fit_window(p, &one, transposed != 0);
    }
    return fault;
}

const char *fit_conv_weight(const loop_program *p, const loop_op *op)
{
    enum { OWN_LISTS = 2 };
    sym_table *t = p->symbols;
    const loop_view *x = &op->inputs[0], *grad = &op->inputs[1], *w = &op->outputs[0];
    sym_expr groups = op->ints[GROUPS], zero = sym_int(t, 0);
    int64_t spatial;
    if (!sym_is_int(t, op->ints[SPATIAL], &spatial)) return "its kind is known to the run alone";
    if (x->rank != spatial + 2 || grad->rank != x->rank || w->rank != x->rank)
        return "its operands have other ranks than it has dimensions";
    if (op->int_count != OWN_LISTS + 3 * spatial)
        return "its ints are of another number of dimensions";
    if (!may_be(p, SYM_EQ, sym_mod(t, w->sizes[0], groups), zero))
        return "groups do not divide the channels";
    if (!may_be(p, SYM_EQ, sym_mul(t, w->sizes[1], groups), x->sizes[1]))
        return "the weight has other channels";
    const char *fault = NULL;
    for (int64_t d = 0; d < spatial && !fault; d++) {
        const sym_expr *list = op->ints + OWN_LISTS + d;
        sliding one = {x->sizes[2 + d],
                       w->sizes[2 + d],
                       grad->sizes[2 + d],
                       list[0],
                       list[spatial],
                       list[2 * spatial],
                       zero};
        fault = fit_window(p, &one, false);
    }
    return fault;
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

enum { DIMENSION, LENGTH = 2 };

const char *fit_fourier(const loop_program *p, const loop_op *op)
{
    sym_table *t = p->symbols;
    const loop_view *x = &op->inputs[0], *window = &op->inputs[1], *y = &op->outputs[0];
    bool from_complex = ty_is_complex(x->dtype), to_complex = ty_is_complex(y->dtype);
    ty_dtype real = ty_complex_to_real(y->dtype);
    sym_expr length = op->ints[LENGTH];
    int64_t dim = 0;
    sym_is_int(t, op->ints[DIMENSION], &dim);
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
