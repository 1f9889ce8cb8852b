/* stft.c -- short-time Fourier transforms and their inverse: frames cut from a signal, each times a
 * window, and summed again; and the window functions.
 */
#include "lower/compose.h"
#include "lower/fourier.h"

#include <math.h>
#include <string.h>

typedef struct frames {
    int64_t size, hop, window_size;
    tensor window; /* [size], centred, in the real dtype; absent: all ones */
    bool onesided, normalized, center;
} frames;

static bool flag(lowering *l, const char *param, bool fallback)
{
    if (op_param_index(l->node->op, param) < 0) return fallback;
    return fx_arg_bool(fx_get(l->graph, l->node, param), fallback);
}

static void read_frames(lowering *l, frames *f, ty_dtype real, bool complex_input)
{
    f->size = lower_int_or(l, "n_fft", 1);
    f->hop = lower_int_or(l, "hop_length", f->size / 4);
    f->window_size = lower_int_or(l, "win_length", f->size);
    f->onesided = flag(l, "onesided", !complex_input);
    f->normalized = flag(l, "normalized", false);
    f->center = flag(l, "center", false);
    tensor window = lower_arg(l, "window");
    int64_t missing = f->size - f->window_size;
    sym_expr low = lower_const(l, missing / 2), high = lower_const(l, missing - missing / 2);
    if (lower_absent(window) && missing == 0) return;
    if (lower_absent(window)) {
        sym_expr length = lower_const(l, f->window_size);
        window = lower_value(l, real, 1, &length, loop_const_float(l->program, real, 1));
    }
    window = lower_cast(l, window, real);
    if (missing)
        window = lower_padded(l, window, &low, &high, loop_const_float(l->program, real, 0));
    lower_share(l, window);
    f->window = window;
}

/* The signal with `by` mirrored elements (or zeros) on both ends of its last dim. */
static tensor extended(lowering *l, tensor x, int64_t by, bool mirrored)
{
    sym_table *s = l->symbols;
    uint32_t last = x.rank - 1;
    sym_expr low[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < x.rank; k++) low[k] = l->zero;
    low[last] = lower_const(l, by);
    if (!mirrored)
        return lower_padded(l, x, low, low, loop_const_int(l->program, lower_dtype(x), 0));
    memcpy(exprs, l->axes, x.rank * sizeof *exprs);
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    sym_expr at = sym_add_int(s, l->axes[last], -by), end = sym_add_int(s, x.sizes[last], -1);
    at = sym_max(s, at, sym_mul_int(s, at, -1));
    at = sym_sub(s, end, at);
    exprs[last] = sym_sub(s, end, sym_max(s, at, sym_mul_int(s, at, -1)));
    sizes[last] = sym_add_int(s, x.sizes[last], 2 * by);
    return lower_remap(l, x, x.rank, sizes, exprs);
}

/* stft: [.., time] to [.., frequencies, frames] */
static fe_status stft(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self");
    bool batched = x.rank == 2, complex_input = ty_is_complex(lower_dtype(x));
    ty_dtype real = ty_complex_to_real(lower_dtype(x)),
             complex_type = ty_real_to_complex(lower_dtype(x));
    frames f = {.size = 0};
    read_frames(l, &f, real, complex_input);
    if (!batched) x = lower_unsqueeze(l, x, 0);
    if (f.center) {
        const fx_arg *mode = fx_get(l->graph, n, "pad_mode");
        x = extended(l, x, f.size / 2,
                     mode->kind != FX_ARG_STRING || strcmp(mode->string, "constant") != 0);
    }
    sym_expr room = sym_add_int(l->symbols, x.sizes[1], -f.size);
    sym_expr count =
        sym_add_int(l->symbols, sym_floordiv(l->symbols, room, lower_const(l, f.hop)), 1);
    sym_expr sizes[3] = {x.sizes[0], count, lower_const(l, f.size)}, exprs[2] = {l->axes[0], {0}};
    exprs[1] = sym_add(l->symbols, sym_mul_int(l->symbols, l->axes[1], f.hop), l->axes[2]);
    tensor cut = lower_remap(l, x, 3, sizes, exprs);
    if (!lower_absent(f.window)) cut = T_MUL(cut, lower_cast(l, f.window, lower_dtype(cut)));
    fourier_transform t = {.dim = 2,
                           .period = f.size,
                           .count = f.onesided ? f.size / 2 + 1 : f.size,
                           .sign = FOURIER_FORWARD};
    tensor y = lower_fourier(l, cut, &t, complex_type);
    if (f.normalized) y = T_MUL(y, T_NUM(y, 1 / sqrt((double)f.size)));
    y = lower_transpose(l, y, 1, 2);
    if (!batched) y = lower_squeeze(l, y, 0);
    return lower_give_as_recorded(l, ty_is_complex(out->dtype) ? y : lower_pairs(l, y));
}

/* The sum over the frames that hold sample i of frame[.., i - hop * frame]: a reduction over as
 * many as overlap. */
static tensor overlapped(lowering *l, tensor framed, const frames *f, sym_expr length)
{
    sym_table *s = l->symbols;
    int64_t most = (f->size + f->hop - 1) / f->hop;
    sym_expr extent = lower_const(l, most), sizes[2] = {framed.sizes[0], length};
    sym_expr newest = sym_floordiv(s, l->axes[1], lower_const(l, f->hop)),
             frame = sym_sub(s, newest, l->reduce_axes[0]);
    sym_expr at[3] = {l->axes[0], frame, sym_sub(s, l->axes[1], sym_mul_int(s, frame, f->hop))};
    loop_value inside = lower_is_inside(l, frame, l->zero, framed.sizes[1]);
    inside = lower_op2(l, LOOP_AND, inside, lower_is_inside(l, at[2], l->zero, framed.sizes[2]));
    ty_dtype d = lower_dtype(framed);
    loop_value v = loop_masked(l->program, inside, lower_at(l, framed, at),
                               loop_const_float(l->program, d, 0));
    tensor out = lower_temp_tensor(l, d, 2, sizes, NULL);
    loop_op *op = lower_nest(l, 2, sizes, 1, &extent);
    sym_expr to = lower_flat(l, l->axes, out.box->view.strides, 2);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = to, .value = v, .reduce = LOOP_SUM});
    return out;
}

/* istft: frames back in time, windowed again, summed, over the sum of the windows' squares. */
static fe_status istft(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self");
    bool batched = x.rank == 3;
    ty_dtype complex_type = lower_dtype(x), real = ty_complex_to_real(complex_type);
    frames f = {.size = 0};
    read_frames(l, &f, real, ty_is_complex(out->dtype));
    if (!batched) x = lower_unsqueeze(l, x, 0);
    x = lower_transpose(l, x, 1, 2); /* [batch, frames, frequencies] */
    fourier_transform t = {
        .dim = 2, .period = f.size, .count = f.size, .sign = FOURIER_BACKWARD, .half = f.onesided};
    tensor y = lower_fourier(l, x, &t, complex_type);
    if (!ty_is_complex(out->dtype)) y = lower_unary(l, LOOP_REALPART, y);
    y = T_MUL(y, T_NUM(y, f.normalized ? 1 / sqrt((double)f.size) : 1 / (double)f.size));
    sym_expr ones_sizes[3] = {l->one, x.sizes[1], lower_const(l, f.size)};
    loop_value weight = loop_const_float(l->program, real, 1);
    if (!lower_absent(f.window)) {
        y = T_MUL(y, lower_cast(l, f.window, lower_dtype(y)));
        weight = lower_at(l, f.window, &l->axes[2]);
        weight = lower_op2(l, LOOP_MUL, weight, weight);
    }
    lower_store_unless_plain(l, y);
    sym_expr length = sym_add_int(
        l->symbols, sym_mul_int(l->symbols, sym_add_int(l->symbols, x.sizes[1], -1), f.hop),
        f.size);
    tensor sum = overlapped(l, y, &f, length),
           squares = overlapped(l, lower_value(l, real, 3, ones_sizes, weight), &f, length);
    y = T_DIV(sum, lower_cast(l, squares, lower_dtype(sum)));
    sym_expr start = lower_const(l, f.center ? f.size / 2 : 0), kept = out->sizes[out->rank - 1],
             high[2], low[2] = {l->zero, l->zero};
    high[0] = l->zero;
    high[1] =
        sym_max(l->symbols, l->zero, sym_sub(l->symbols, sym_add(l->symbols, start, kept), length));
    if (!lower_is_zero(l, high[1]))
        y = lower_padded(l, y, low, high, loop_const_float(l->program, lower_dtype(y), 0));
    y = lower_slice(l, y, 1, start, kept, l->one);
    return lower_give_as_recorded(l, batched ? y : lower_squeeze(l, y, 0));
}

/* ---- windows: constants ---- */

typedef enum window_kind { HANN, HAMMING, BLACKMAN, BARTLETT } window_kind;

static double window_value(window_kind kind, double part, double alpha, double beta)
{
    double turn = 2 * 3.14159265358979323846 * part;
    switch (kind) {
    case HANN: return 0.5 - 0.5 * cos(turn);
    case HAMMING: return alpha - beta * cos(turn);
    case BLACKMAN: return 0.42 - 0.5 * cos(turn) + 0.08 * cos(2 * turn);
    case BARTLETT: return part <= 0.5 ? 2 * part : 2 - 2 * part;
    }
    return 0;
}

static fe_status window(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    int64_t length = lower_int_or(l, "window_length", 0);
    bool periodic = flag(l, "periodic", true);
    bool has_alpha = op_param_index(n->op, "alpha") >= 0,
         has_beta = op_param_index(n->op, "beta") >= 0;
    double alpha = has_alpha ? lower_number_or(l, "alpha", 0.54) : 0.54,
           beta = has_beta ? lower_number_or(l, "beta", 0.46) : 0.46;
    uint32_t step = ty_dtype_size(out->dtype);
    char *data = arena_alloc(l->memory, (size_t)length * step);
    for (int64_t k = 0; k < length; k++) {
        double span = (double)(periodic ? length : length - 1), v = 1;
        if (length > 1)
            v = window_value((window_kind)row->parameter, (double)k / span, alpha, beta);
        loop_convert(out->dtype, data + (size_t)k * step, TY_F64, &v);
    }
    const char *name = arena_printf(l->memory, "window.%u", n->id);
    return lower_give(
        l, lower_constant(l, name, out->dtype, 1, out->sizes, data, (size_t)length * step));
}

#define STFT(op, function, parameter)                      \
    {                                                      \
        OP_##op, function, parameter, NULL, 0, NULL, false \
    }
static const lower_row ROWS[] = {
    STFT(aten_stft_default, stft, 0),
    STFT(aten_stft_center, stft, 0),
    STFT(aten_istft_default, istft, 0),
    STFT(aten_hann_window_default, window, HANN),
    STFT(aten_hann_window_periodic, window, HANN),
    STFT(aten_hamming_window_default, window, HAMMING),
    STFT(aten_hamming_window_periodic, window, HAMMING),
    STFT(aten_hamming_window_periodic_alpha, window, HAMMING),
    STFT(aten_hamming_window_periodic_alpha_beta, window, HAMMING),
    STFT(aten_blackman_window_default, window, BLACKMAN),
    STFT(aten_blackman_window_periodic, window, BLACKMAN),
    STFT(aten_bartlett_window_default, window, BARTLETT),
    STFT(aten_bartlett_window_periodic, window, BARTLETT),
};
const lower_rows lower_stft_rows = {ROWS, COUNT_OF(ROWS)};
