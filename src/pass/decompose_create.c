/* decompose_create.c -- rows of numbers that a formula gives: frequencies of transforms, windows. */
#include "pass/decompose.h"

/* The dtype that the row is computed in: halves in f32. */
static ty_dtype computed(const decomposing *d)
{
    ty_dtype out = fx_tensor(d->n)->dtype;
    return out == TY_F16 || out == TY_BF16 ? TY_F32 : out;
}

static fx_arg ramp(decomposing *d, int64_t start, int64_t end)
{
    return CALL(aten_arange_start, decompose_of(d, start), decompose_of(d, end),
                fx_dtype(computed(d)));
}

static void give_row(decomposing *d, fx_arg row)
{
    ty_dtype out = fx_tensor(d->n)->dtype;
    decompose_give(d, out == computed(d) ? row : CALL(aten__to_copy_default, row, fx_dtype(out)));
}

/* 0, 1, ..., then the negative ones, over n * d */
static void frequencies(decomposing *d)
{
    int64_t n = decompose_int(d, "n", 0);
    bool half = fx_is(d->n, OP_aten_fft_rfftfreq_default);
    fx_arg parts[] = {ramp(d, 0, half ? n / 2 + 1 : (n + 1) / 2), ramp(d, -(n / 2), 0)};
    fx_arg row = half ? parts[0] : CALL(aten_cat_default, fx_list(d->g, parts, 2));
    double step = 1 / ((double)n * decompose_number(d, "d", 1));
    give_row(d, CALL(aten_mul_Tensor, row, fx_float(step)));
}

/* i0(beta * sqrt(1 - ((k - middle) / middle)^2)) / i0(beta) */
static void kaiser_window(decomposing *d)
{
    int64_t length = decompose_int(d, "window_length", 0);
    bool periodic = !decompose_arg(d, "periodic") || decompose_flag(d, "periodic");
    fx_arg beta = fx_float(decompose_number(d, "beta", 12)), all;
    if (length <= 1) {
        all = decompose_of(d, length);
        give_row(d, CALL(aten_ones_default, fx_list(d->g, &all, 1), fx_dtype(computed(d))));
        return;
    }
    double middle = (double)(length - !periodic) / 2;
    fx_arg k = CALL(aten_sub_Tensor, ramp(d, 0, length), fx_float(middle));
    k = CALL(aten_div_Tensor, k, fx_float(middle));
    k = CALL(aten_rsub_Scalar, CALL(aten_mul_Tensor, k, k), fx_float(1));
    k = CALL(aten_mul_Tensor, CALL(aten_sqrt_default, k), beta);
    fx_arg most = CALL(aten_scalar_tensor_default, beta, fx_dtype(computed(d)));
    give_row(d, CALL(aten_div_Tensor, CALL(aten_i0_default, k), CALL(aten_i0_default, most)));
}

static const decompose_row ROWS[] = {
    {OP_aten_fft_fftfreq_default, frequencies, OP_NONE},
    {OP_aten_fft_rfftfreq_default, frequencies, OP_NONE},
    {OP_aten_kaiser_window_default, kaiser_window, OP_NONE},
    {OP_aten_kaiser_window_beta, kaiser_window, OP_NONE},
    {OP_aten_kaiser_window_periodic, kaiser_window, OP_NONE},
};
const decompose_rows decompose_create_rows = {ROWS, COUNT_OF(ROWS)};
