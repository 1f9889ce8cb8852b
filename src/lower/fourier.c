/* fourier.c -- discrete Fourier transforms by their definition: each output sums over the input
 * times roots of unity.
 *
 * The roots are a constant table of the dimension's length; several dimensions are transformed one
 * after the other. It is quadratic in a dimension, so long dimensions are refused; a fast
 * transform is a kernel to be written (a row in extern.def).
 */
#include "lower/fourier.h"
#include "lower/compose.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 4096 };

typedef fourier_direction direction;

/* exp(sign * 2 pi i k / size) for k < size, as a [size] tensor of the complex dtype. */
static tensor roots_of_unity(lowering *l, int64_t size, direction sign, ty_dtype d)
{
    sym_expr sizes[1] = {lower_const(l, size)};
    size_t step = ty_dtype_size(d);
    char *data = arena_alloc(l->memory, (size_t)size * step);
    for (int64_t k = 0; k < size; k++) {
        double angle = 2 * 3.14159265358979323846 * (double)k / (double)size;
        double both[2] = {cos(angle), (double)sign * sin(angle)};
        loop_convert(d, data + (size_t)k * step, TY_C128, both);
    }
    const char *name = arena_printf(l->memory, "roots.%u", l->program->buffers.count);
    return lower_constant(l, name, d, 1, sizes, data, (size_t)size * step);
}

static loop_value conjugate(lowering *l, loop_value v)
{
    ty_dtype d = loop_at(l->program, v)->dtype;
    loop_value im = lower_op1(l, LOOP_NEG, lower_op1(l, LOOP_IMAGPART, v));
    return loop_make(
        l->program,
        (loop_node){.op = LOOP_COMPLEX, .dtype = d, .args = {lower_op1(l, LOOP_REALPART, v), im}});
}

static loop_value input_value(lowering *l, tensor x, const fourier_transform *t, ty_dtype d)
{
    sym_expr at[LOWER_MAX_RANK], r = l->reduce_axes[0];
    memcpy(at, l->axes, x.rank * sizeof *at);
    at[t->dim] = r;
    if (!t->half) return loop_cast(l->program, d, lower_at(l, x, at));
    sym_expr kept = lower_const(l, t->period / 2 + 1),
             mirror = sym_sub(l->symbols, lower_const(l, t->period), r);
    loop_value is_kept =
        lower_op2(l, LOOP_LT, loop_index(l->program, r), loop_index(l->program, kept));
    loop_value plain = lower_at(l, x, at);
    at[t->dim] = mirror;
    loop_value mirrored = conjugate(l, lower_at(l, x, at));
    loop_value zero = loop_const_float(l->program, lower_dtype(x), 0);
    loop_value other = loop_masked(l->program, lower_op1(l, LOOP_NOT, is_kept), mirrored, zero);
    return loop_masked(l->program, is_kept, plain, other);
}

tensor lower_fourier(lowering *l, tensor x, const fourier_transform *t, ty_dtype d)
{
    sym_expr sizes[LOWER_MAX_RANK], extent = lower_const(l, t->period);
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    sizes[t->dim] = lower_const(l, t->count);
    lower_share(l, x);
    tensor roots = roots_of_unity(l, t->period, t->sign, d);
    sym_expr turn =
        sym_mod(l->symbols, sym_mul(l->symbols, l->axes[t->dim], l->reduce_axes[0]), extent);
    loop_value v = lower_op2(l, LOOP_MUL, input_value(l, x, t, d), lower_at(l, roots, &turn));
    tensor out = lower_temp_tensor(l, d, x.rank, sizes, NULL);
    loop_op *op = lower_nest(l, x.rank, sizes, 1, &extent);
    sym_expr at = lower_flat(l, l->axes, out.box->view.strides, x.rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = LOOP_SUM});
    return out;
}

static tensor real_part(lowering *l, tensor x)
{
    return lower_unary(l, LOOP_REALPART, x);
}

static tensor scaled(lowering *l, tensor x, double factor)
{
    return factor == 1 ? x : T_MUL(x, T_NUM(x, factor));
}

/* 0: none; 1: by the root of the number of elements; 2: by that number. */
static double factor_of(int64_t normalization, double elements)
{
    return normalization == 1 ? 1 / sqrt(elements) : normalization == 2 ? 1 / elements : 1;
}

/* ---- the core operators: _fft_r2c, _fft_c2c, _fft_c2r ---- */

typedef enum form { REAL_TO_COMPLEX, COMPLEX_TO_COMPLEX, COMPLEX_TO_REAL } form;

static bool length_of(lowering *l, tensor x, uint32_t dim, int64_t *out)
{
    return sym_is_int(l->symbols, x.sizes[dim], out) && *out <= LONGEST && *out > 0;
}

typedef struct fft_plan {
    form form;
    uint32_t dims[LOWER_MAX_RANK];
    uint32_t count;
    direction sign;
    int64_t last_size; /* COMPLEX_TO_REAL: of the output's last transformed dim */
    bool onesided;     /* REAL_TO_COMPLEX */
    int64_t normalization;
} fft_plan;

static fe_status run_plan(lowering *l, tensor x, const fft_plan *plan, ty_dtype complex_type,
                          tensor *out)
{
    double elements = 1;
    for (uint32_t k = 0; k < plan->count; k++) {
        /* c2r does the halved dim last, r2c first. */
        uint32_t at = plan->form == REAL_TO_COMPLEX ? plan->count - 1 - k : k;
        bool halved = at == plan->count - 1 && plan->form != COMPLEX_TO_COMPLEX;
        fourier_transform t = {.dim = plan->dims[at], .sign = plan->sign};
        if (!length_of(l, x, t.dim, &t.period))
            return lower_fail(l, "a transform along a dimension that is long or not constant");
        if (halved && plan->form == COMPLEX_TO_REAL) {
            t.period = plan->last_size;
            t.half = true;
        }
        t.count =
            halved && plan->form == REAL_TO_COMPLEX && plan->onesided ? t.period / 2 + 1 : t.period;
        elements *= (double)t.period;
        x = lower_fourier(l, x, &t, complex_type);
    }
    if (plan->form == COMPLEX_TO_REAL) x = real_part(l, x);
    *out = scaled(l, x, factor_of(plan->normalization, elements));
    return FE_OK;
}

static fe_status core_row(lowering *l, fx_node *n, const lower_row *row)
{
    tensor x = lower_arg(l, "self"), out;
    fft_plan plan = {.form = (form)row->parameter,
                     .normalization = lower_int_or(l, "normalization", 0)};
    int64_t dims[LOWER_MAX_RANK];
    int count = lower_constants(l, "dim", dims, LOWER_MAX_RANK);
    if (count < 0) return lower_fail(l, "dimensions that are not constants");
    plan.count = (uint32_t)count;
    for (uint32_t k = 0; k < plan.count; k++) plan.dims[k] = lower_dim(l, dims[k], x.rank);
    plan.sign = plan.form == COMPLEX_TO_REAL ||
                        (plan.form == COMPLEX_TO_COMPLEX && !lower_bool(l, "forward"))
                    ? FOURIER_BACKWARD
                    : FOURIER_FORWARD;
    plan.onesided = plan.form == REAL_TO_COMPLEX && lower_bool(l, "onesided");
    if (plan.form == COMPLEX_TO_REAL && !lower_int(l, "last_dim_size", &plan.last_size))
        return lower_fail(l, "a length that is not constant");
    ty_dtype d = ty_real_to_complex(fx_tensor(n)->dtype);
    FE_TRY(run_plan(l, x, &plan, d, &out));
    return lower_give_as_recorded(l, out);
}

/* ---- torch.fft: lengths by padding or cutting, norms by name. hfft is the forward transform to
 * real numbers of half a spectrum, ihfft the backward one of real numbers. ---- */

typedef struct fft_row {
    form form;
    direction sign;
} fft_row;
enum { FFT, IFFT, RFFT, IRFFT, HFFT, IHFFT, KINDS };
static const fft_row FFT_ROWS[KINDS] = {
    [FFT] = {COMPLEX_TO_COMPLEX, FOURIER_FORWARD}, [IFFT] = {COMPLEX_TO_COMPLEX, FOURIER_BACKWARD},
    [RFFT] = {REAL_TO_COMPLEX, FOURIER_FORWARD},   [IRFFT] = {COMPLEX_TO_REAL, FOURIER_BACKWARD},
    [HFFT] = {COMPLEX_TO_REAL, FOURIER_FORWARD},   [IHFFT] = {REAL_TO_COMPLEX, FOURIER_BACKWARD}};

static int64_t normalization_of(lowering *l, direction sign)
{
    const fx_arg *norm = fx_get(l->graph, l->node, "norm");
    const char *name = norm->kind == FX_ARG_STRING ? norm->string : "backward";
    if (strcmp(name, "ortho") == 0) return 1;
    bool scales_forward = strcmp(name, "forward") == 0;
    return scales_forward == (sign == FOURIER_FORWARD) ? 2 : 0;
}

/* x with dim cut or filled with zeros to `size`. */
static tensor with_length(lowering *l, tensor x, uint32_t dim, int64_t size)
{
    sym_expr low[LOWER_MAX_RANK], high[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < x.rank; k++) low[k] = high[k] = l->zero;
    high[dim] = sym_sub(l->symbols, lower_const(l, size), x.sizes[dim]);
    if (lower_is_zero(l, high[dim])) return x;
    return lower_padded(l, x, low, high, loop_const_int(l->program, lower_dtype(x), 0));
}

static bool has(lowering *l, const char *param)
{
    return op_param_index(l->node->op, param) >= 0;
}

/* The transformed dims and the lengths asked for (-1: as it is). */
static bool read_dims(lowering *l, tensor x, fft_plan *plan, int64_t *lengths)
{
    int64_t dims[LOWER_MAX_RANK], given[LOWER_MAX_RANK];
    const char *size_param = has(l, "n") ? "n" : "s";
    int count = lower_constants(l, "dim", dims, LOWER_MAX_RANK),
        sizes = lower_constants(l, size_param, given, LOWER_MAX_RANK);
    if (count == -2 || sizes == -2) return false;
    if (count < 0) count = sizes > 0 ? sizes : (int)x.rank;
    bool named = lower_constants(l, "dim", dims, LOWER_MAX_RANK) >= 0;
    plan->count = (uint32_t)count;
    for (uint32_t k = 0; k < plan->count; k++) {
        plan->dims[k] = named ? lower_dim(l, dims[k], x.rank) : x.rank - plan->count + k;
        lengths[k] = sizes > 0 ? given[k] : -1;
    }
    return true;
}

static fe_status fft(lowering *l, fx_node *n, const lower_row *row)
{
    const fft_row *kind = &FFT_ROWS[row->parameter];
    tensor x = lower_arg(l, "self"), out;
    fft_plan plan = {.form = kind->form, .sign = kind->sign, .onesided = true};
    int64_t lengths[LOWER_MAX_RANK];
    if (!read_dims(l, x, &plan, lengths)) return lower_fail(l, "dimensions that are not constants");
    ty_dtype d = ty_real_to_complex(fx_tensor(n)->dtype);
    plan.normalization = normalization_of(l, kind->sign);
    x = lower_cast(l, x, plan.form == REAL_TO_COMPLEX ? ty_complex_to_real(d) : d);
    for (uint32_t k = 0; k < plan.count; k++) {
        int64_t length = lengths[k], size;
        bool halved = plan.form == COMPLEX_TO_REAL && k == plan.count - 1;
        if (!sym_is_int(l->symbols, x.sizes[plan.dims[k]], &size))
            return lower_fail(l, "a dimension that is not constant");
        if (halved) {
            plan.last_size = length < 0 ? 2 * (size - 1) : length;
            length = plan.last_size / 2 + 1;
        }
        if (length >= 0) x = with_length(l, x, plan.dims[k], length);
    }
    FE_TRY(run_plan(l, x, &plan, d, &out));
    return lower_give_as_recorded(l, out);
}

/* fftshift: each dim rolled by half its size; ifftshift by the other half. */
static fe_status shift(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    tensor x = lower_arg(l, "self");
    bool moved[LOWER_MAX_RANK];
    sym_expr exprs[LOWER_MAX_RANK], two = lower_const(l, 2);
    if (!lower_dims(l, "dim", x.rank, moved))
        return lower_fail(l, "dimensions that are not constants");
    for (uint32_t k = 0; k < x.rank; k++) {
        sym_expr half = sym_floordiv(
            l->symbols, row->parameter ? sym_add_int(l->symbols, x.sizes[k], 1) : x.sizes[k], two);
        sym_expr from = sym_sub(l->symbols, l->axes[k], half);
        exprs[k] = moved[k] && !lower_is_zero(l, x.sizes[k]) ? sym_mod(l->symbols, from, x.sizes[k])
                                                             : l->axes[k];
    }
    return lower_give(l, lower_remap(l, x, x.rank, x.sizes, exprs));
}

#define FOURIER(op, function, parameter)                   \
    {                                                      \
        OP_##op, function, parameter, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    FOURIER(aten__fft_r2c_default, core_row, REAL_TO_COMPLEX),
    FOURIER(aten__fft_c2c_default, core_row, COMPLEX_TO_COMPLEX),
    FOURIER(aten__fft_c2r_default, core_row, COMPLEX_TO_REAL),
    FOURIER(aten_fft_fft_default, fft, FFT),
    FOURIER(aten_fft_fft2_default, fft, FFT),
    FOURIER(aten_fft_fftn_default, fft, FFT),
    FOURIER(aten_fft_ifft_default, fft, IFFT),
    FOURIER(aten_fft_ifft2_default, fft, IFFT),
    FOURIER(aten_fft_ifftn_default, fft, IFFT),
    FOURIER(aten_fft_rfft_default, fft, RFFT),
    FOURIER(aten_fft_rfft2_default, fft, RFFT),
    FOURIER(aten_fft_rfftn_default, fft, RFFT),
    FOURIER(aten_fft_irfft_default, fft, IRFFT),
    FOURIER(aten_fft_irfft2_default, fft, IRFFT),
    FOURIER(aten_fft_irfftn_default, fft, IRFFT),
    FOURIER(aten_fft_hfft_default, fft, HFFT),
    FOURIER(aten_fft_hfft2_default, fft, HFFT),
    FOURIER(aten_fft_hfftn_default, fft, HFFT),
    FOURIER(aten_fft_ihfft_default, fft, IHFFT),
    FOURIER(aten_fft_ihfft2_default, fft, IHFFT),
    FOURIER(aten_fft_ihfftn_default, fft, IHFFT),
    FOURIER(aten_fft_fftshift_default, shift, 0),
    FOURIER(aten_fft_ifftshift_default, shift, 1),
};
const lower_rows lower_fourier_rows = {ROWS, COUNT_OF(ROWS)};
