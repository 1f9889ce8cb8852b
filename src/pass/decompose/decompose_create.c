/* decompose_create.c -- rows of numbers that a formula gives: frequencies of transforms, windows. */
#include "pass/decompose/decompose.h"

/* The dtype that the row is computed in: halves in f32. */
static ty_dtype computed(const decomposing *d)
{
    ty_dtype out = fx_tensor(d->n)->dtype;
    return ty_is_half(out) ? TY_F32 : out;
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
void decompose_op_frequencies(decomposing *d)
{
    int64_t n = decompose_int(d, "n", 0);
    bool half = fx_is(d->n, OP_aten_fft_rfftfreq_default);
    fx_arg parts[] = {ramp(d, 0, half ? n / 2 + 1 : (n + 1) / 2), ramp(d, -(n / 2), 0)};
    fx_arg row = half ? parts[0] : CALL(aten_cat_default, fx_list(d->g, parts, 2));
    double step = 1 / ((double)n * decompose_number(d, "d", 1));
    give_row(d, CALL(aten_mul_Tensor, row, fx_float(step)));
}

/* i0(beta * sqrt(1 - ((k - middle) / middle)^2)) / i0(beta) */
void decompose_op_kaiser_window(decomposing *d)
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

/* An arange to half a step behind the last. */
void decompose_op_range(decomposing *d)
{
    int64_t count = 0, first, step = 1;
    const fx_arg *start = decompose_arg(d, "start"), *by = decompose_arg(d, "step");
    sym_is_int(d->g->symbols, fx_tensor(d->n)->sizes[0], &count);
    fx_arg from = fx_none(), end = fx_none(), each = fx_none();
    if (fx_arg_int(d->g, start, &first) && (!by || fx_arg_int(d->g, by, &step))) {
        from = decompose_of(d, first);
        end = decompose_of(d, first + count * step);
        each = decompose_of(d, step);
    } else {
        double x = decompose_number(d, "start", 0), width = decompose_number(d, "step", 1);
        from = fx_float(x);
        end = fx_float(x + ((double)count - 0.5) * width);
        each = fx_float(width);
    }
    decompose_give(d,
                   CALL(aten_arange_start_step, from, end, each, fx_dtype(fx_tensor(d->n)->dtype)));
}
