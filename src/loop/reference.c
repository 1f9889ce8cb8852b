/* reference.c -- extern kernels whose results decide sizes, and Fourier transforms, one element at a
 * time: what the runtime's own must give. */
#include "loop/interp_priv.h"
#include "loop/operator.h"
#include "loop/signature.h"

#include <math.h>
#include <string.h>

/* The element with flat number k in row-major order; at[]: its place along each dimension. */
static loop_scalar element_at(const loop_operand *x, int64_t k, int64_t *at)
{
    int64_t offset = 0;
    for (uint32_t d = x->rank; d-- > 0;) {
        at[d] = k % x->sizes[d];
        k /= x->sizes[d];
        offset += at[d] * x->strides[d];
    }
    return loop_scalar_load(x->dtype, x->data + offset * ty_dtype_size(x->dtype));
}

static int64_t element_count(const loop_operand *x)
{
    int64_t count = 1;
    for (uint32_t d = 0; d < x->rank; d++) count *= x->sizes[d];
    return count;
}

static void put(const loop_operand *out, int64_t row, int64_t column, int64_t value)
{
    if (!out->data) return;
    int64_t offset = row * out->strides[0] + (out->rank > 1 ? column * out->strides[1] : 0);
    memcpy(out->data + offset * 8, &value, 8);
}

static int64_t int_of(const loop_call *c, const char *name)
{
    return c->ints[sig_place(c->signature, SIG_INTS, name)];
}

static double float_of(const loop_call *c, const char *name)
{
    return c->floats[sig_place(c->signature, SIG_FLOATS, name)];
}

/* ---- nonzero ---- */

void reference_nonzero(const loop_call *c)
{
    const loop_operand *mask = &c->in[0], *out = &c->out[0];
    int64_t at[TY_MAX_RANK], row = 0, count = element_count(mask);
    for (int64_t k = 0; k < count && row < out->sizes[0]; k++) {
        if (!element_at(mask, k, at).i) continue;
        for (uint32_t d = 0; d < mask->rank; d++) put(out, row, d, at[d]);
        row++;
    }
    for (; row < out->sizes[0]; row++)
        for (uint32_t d = 0; d < mask->rank; d++) put(out, row, d, int_of(c, "fill"));
}

/* ---- repeat ---- */

void reference_repeat(const loop_call *c)
{
    int64_t at[TY_MAX_RANK], row = 0;
    for (int64_t k = 0; k < c->in[0].sizes[0]; k++)
        for (int64_t i = element_at(&c->in[0], k, at).i; i > 0 && row < c->out[0].sizes[0]; i--)
            put(&c->out[0], row++, 0, k);
}

/* ---- unique ---- */

/* -1, 0, 1; NaN is above all and equal to NaN here. */
static int compare(ty_dtype d, loop_scalar a, loop_scalar b)
{
    if (d == TY_U64) return (uint64_t)a.i < (uint64_t)b.i ? -1 : (uint64_t)a.i > (uint64_t)b.i;
    if (!ty_is_floating(d)) return a.i < b.i ? -1 : a.i > b.i;
    bool nan_a = a.f != a.f, nan_b = b.f != b.f;
    if (nan_a || nan_b) return nan_a - nan_b;
    return a.f < b.f ? -1 : a.f > b.f;
}

static int compare_rows(const loop_operand *x, int64_t a, int64_t b, bool *has_nan)
{
    int64_t at[TY_MAX_RANK];
    *has_nan = false;
    for (int64_t k = 0; k < x->sizes[1]; k++) {
        loop_scalar p = element_at(x, a * x->sizes[1] + k, at),
                    q = element_at(x, b * x->sizes[1] + k, at);
        *has_nan |= ty_is_floating(x->dtype) && (p.f != p.f || q.f != q.f);
        int order = compare(x->dtype, p, q);
        if (order) return order;
    }
    return 0;
}

/* Rows in order of their values, equal ones as they stand; or all as they stand. */
static int64_t *order_rows(const loop_call *c, bool sorted)
{
    int64_t *order = NEW_ARRAY(c->memory, int64_t, c->in[0].sizes[0] + 1);
    bool has_nan;
    for (int64_t k = 0; k < c->in[0].sizes[0]; k++) {
        int64_t i = k;
        for (; sorted && i > 0 && compare_rows(&c->in[0], order[i - 1], k, &has_nan) > 0; i--)
            order[i] = order[i - 1];
        order[i] = k;
    }
    return order;
}

void reference_unique(const loop_call *c)
{
    const loop_operand *x = &c->in[0];
    int64_t rows = x->sizes[0], groups = 0, members = 0;
    int64_t *order = order_rows(c, !int_of(c, "stands"));
    for (int64_t k = 0; k < rows; k++) {
        bool has_nan = false;
        bool same = k > 0 && compare_rows(x, order[k - 1], order[k], &has_nan) == 0 && !has_nan;
        members = same ? members + 1 : 1;
        groups += !same;
        put(&c->out[0], order[k], 0, groups - 1);
        if (!same) put(&c->out[1], groups - 1, 0, order[k]);
        put(&c->out[2], groups - 1, 0, members);
    }
    memcpy(c->out[3].data, &groups, sizeof groups);
}

/* ---- fourier ---- */

typedef struct fourier_call {
    const loop_operand *in, *window, *out;
    int64_t dim, length;
    double sign, scale;
} fourier_call;

static loop_scalar *element_of(const loop_operand *x, const int64_t *at, loop_scalar *room)
{
    int64_t offset = 0;
    for (uint32_t d = 0; d < x->rank; d++) offset += at[d] * x->strides[d];
    *room = loop_scalar_load(x->dtype, x->data + offset * ty_dtype_size(x->dtype));
    *room = loop_scalar_cast(x->dtype, TY_C128, *room);
    return room;
}

/* What is transformed at `k`, along the row that at[] is in: zeros behind the input; to real numbers,
 * the mirror image of what there is. */
static loop_scalar fourier_input(const fourier_call *f, int64_t *at, int64_t k)
{
    loop_scalar value = {.c = {0, 0}}, window;
    bool to_real = !ty_is_complex(f->out->dtype), is_mirrored = to_real && k > f->length / 2;
    at[f->dim] = is_mirrored ? f->length - k : k;
    if (at[f->dim] < f->in->sizes[f->dim]) element_of(f->in, at, &value);
    if (is_mirrored) value.c[1] = -value.c[1];
    if (to_real && (k == 0 || 2 * k == f->length)) value.c[1] = 0;
    if (!f->window->data) return value;
    element_of(f->window, &k, &window);
    for (int part = 0; part < 2; part++) value.c[part] *= window.c[0];
    return value;
}

static loop_scalar fourier_output(const fourier_call *f, int64_t *at, int64_t place)
{
    loop_scalar sum = {.c = {0, 0}};
    for (int64_t k = 0; k < f->length; k++) {
        loop_scalar x = fourier_input(f, at, k);
        double turn = (double)(k * place % f->length) / (double)f->length;
        double c = cos(turn * 6.28318530717958647692),
               s = f->sign * sin(turn * 6.28318530717958647692);
        sum.c[0] += x.c[0] * c - x.c[1] * s;
        sum.c[1] += x.c[0] * s + x.c[1] * c;
    }
    for (int part = 0; part < 2; part++) sum.c[part] *= f->scale;
    return sum;
}

void reference_fourier(const loop_call *c)
{
    int64_t norm = int_of(c, "norm");
    double elements = (double)int_of(c, "elements");
    fourier_call f = {.in = &c->in[0], .window = &c->in[1], .out = &c->out[0]};
    f.dim = int_of(c, "dim");
    f.sign = int_of(c, "backward") ? 1 : -1;
    f.length = int_of(c, "length");
    f.scale = norm == 1 ? 1 / sqrt(elements) : norm == 2 ? 1 / elements : 1;
    int64_t at[TY_MAX_RANK], count = element_count(f.out);
    for (int64_t k = 0; k < count; k++) {
        element_at(f.out, k, at);
        int64_t place = at[f.dim], offset = 0;
        for (uint32_t d = 0; d < f.out->rank; d++) offset += at[d] * f.out->strides[d];
        loop_scalar y = fourier_output(&f, at, place);
        y = loop_scalar_cast(TY_C128, f.out->dtype, y);
        loop_scalar_store(f.out->dtype, f.out->data + offset * ty_dtype_size(f.out->dtype), y);
    }
}

/* ---- products of matrices ---- */

static int64_t step_of(const loop_operand *x, uint32_t from_last)
{
    return from_last < x->rank ? x->strides[x->rank - 1 - from_last] : 0;
}

static double number_at(const loop_operand *x, int64_t offset)
{
    return x->data ? loop_scalar_load(x->dtype, x->data + offset * ty_dtype_size(x->dtype)).f : 0;
}

enum { ADDEND = 3 };

/* out[b?, m, n] = alpha a @ b + beta c (+ in[3]), between low and high. */
static void product(const loop_call *c, double alpha, double beta, double low, double high)
{
    const loop_operand none = {0}, *a = &c->in[0], *b = &c->in[1],
                       *add = c->in_count > 2 ? &c->in[2] : &none, *out = &c->out[0];
    int64_t at[TY_MAX_RANK], count = element_count(out), depth = a->sizes[a->rank - 1];
    uint32_t rank = out->rank;
    for (int64_t k = 0; k < count; k++) {
        int64_t batch = rank > 2 ? k / (out->sizes[1] * out->sizes[2]) : 0;
        double sum = 0;
        element_at(out, k, at);
        int64_t row = batch * step_of(a, 2) + at[rank - 2] * step_of(a, 1),
                column = batch * step_of(b, 2) + at[rank - 1] * step_of(b, 0);
        for (int64_t d = 0; d < depth; d++)
            sum += number_at(a, row + d * step_of(a, 0)) * number_at(b, column + d * step_of(b, 1));
        int64_t add_at = batch * step_of(add, 2) + at[rank - 2] * step_of(add, 1) +
                         at[rank - 1] * step_of(add, 0);
        loop_scalar y = {.f = alpha * sum + (beta != 0 ? beta * number_at(add, add_at) : 0)};
        if (c->in_count > ADDEND) {
            const loop_operand *addend = &c->in[ADDEND];
            y.f += number_at(addend,
                             at[rank - 2] * step_of(addend, 1) + at[rank - 1] * step_of(addend, 0));
        }
        y.f = y.f < low ? low : y.f > high ? high : y.f; /* NaN stays */
        int64_t to = batch * step_of(out, 2) + at[rank - 2] * step_of(out, 1) +
                     at[rank - 1] * step_of(out, 0);
        loop_scalar_store(out->dtype, out->data + to * ty_dtype_size(out->dtype),
                          loop_scalar_cast(TY_F64, out->dtype, y));
    }
}

void reference_gemm(const loop_call *c)
{
    double all = (double)INFINITY;
    int64_t activation = int_of(c, "activation");
    product(c, 1, 1,
            activation == 2 ? float_of(c, "low")
            : activation    ? 0
                            : -all,
            activation == 2 ? float_of(c, "high") : all);
}

void reference_half_gemm(const loop_call *c)
{
    product(c, 1, 1, -(double)INFINITY, (double)INFINITY);
}

void reference_half_bmm(const loop_call *c)
{
    product(c, 1, 0, -(double)INFINITY, (double)INFINITY);
}

/* Of a row of numbers, or 0. */
static double of_group(const loop_operand *x, int64_t group, int64_t column)
{
    return number_at(x, group * step_of(x, 1) + column * step_of(x, 0));
}

static double quantised_sum(const loop_call *c, int64_t row, int64_t column)
{
    const loop_operand *a = &c->in[0], *b = &c->in[1], *scales = &c->in[2], *zeros = &c->in[3];
    int64_t each = b->sizes[0] / scales->sizes[0];
    double sum = number_at(&c->in[4], column * step_of(&c->in[4], 0));
    for (int64_t k = 0; k < b->sizes[0]; k++) {
        int64_t at = k * step_of(b, 1) + column * step_of(b, 0);
        double q = (double)*(const int8_t *)(b->data + at);
        double weight =
            (q - of_group(zeros, k / each, column)) * of_group(scales, k / each, column);
        sum += number_at(a, row * step_of(a, 1) + k * step_of(a, 0)) * weight;
    }
    return sum;
}

void reference_quantised_gemm(const loop_call *c)
{
    const loop_operand *out = &c->out[0];
    for (int64_t row = 0; row < out->sizes[0]; row++)
        for (int64_t column = 0; column < out->sizes[1]; column++) {
            int64_t to = row * step_of(out, 1) + column * step_of(out, 0);
            loop_scalar y = {.f = quantised_sum(c, row, column)};
            loop_scalar_store(out->dtype, out->data + to * ty_dtype_size(out->dtype),
                              loop_scalar_cast(TY_F64, out->dtype, y));
        }
}

static int64_t integer_at(const loop_operand *x, int64_t offset)
{
    return loop_scalar_load(x->dtype, x->data + offset * ty_dtype_size(x->dtype)).i;
}

void reference_integer_gemm(const loop_call *c)
{
    const loop_operand *a = &c->in[0], *b = &c->in[1], *out = &c->out[0];
    for (int64_t row = 0; row < out->sizes[0]; row++)
        for (int64_t column = 0; column < out->sizes[1]; column++) {
            int64_t to = row * step_of(out, 1) + column * step_of(out, 0);
            loop_scalar sum = {.i = 0};
            for (int64_t k = 0; k < b->sizes[0]; k++)
                sum.i += integer_at(a, row * step_of(a, 1) + k * step_of(a, 0)) *
                         integer_at(b, k * step_of(b, 1) + column * step_of(b, 0));
            loop_scalar_store(TY_I32, out->data + to * ty_dtype_size(TY_I32),
                              loop_scalar_cast(TY_I64, TY_I32, sum));
        }
}

void reference_bmm(const loop_call *c)
{
    product(c, float_of(c, "alpha"), float_of(c, "beta"), -(double)INFINITY, (double)INFINITY);
}

bool loop_reference(const char *kernel, loop_call call)
{
    const loop_operator *row = loop_operator_of(kernel);
    if (!row || !row->reference) return false;
    call.signature = row->signature;
    row->reference(&call);
    return true;
}
