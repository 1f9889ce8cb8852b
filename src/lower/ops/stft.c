/* stft.c -- short-time Fourier transforms and their inverse: frames cut from a signal, each times a
 * window, and summed again; and the window functions.
 */
#include "lower/compose.h"
#include "lower/ops/fourier.h"
#include "lower/ragged.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

typedef struct frames {
    int64_t size, hop, window_size;
    ty_dtype computed; /* real */
    tensor window;     /* [size], centred, of that dtype, or complex; absent: all ones */
    bool onesided, normalized, center;
} frames;

static bool flag(lowering *l, const char *param, bool fallback)
{
    if (op_param_index(l->node->op, param) < 0) return fallback;
    return fx_arg_bool(fx_get(l->graph, l->node, param), fallback);
}

static void read_frames(lowering *l, frames *f, bool complex_input)
{
    ty_dtype d = f->computed = lower_fourier_dtype(l);
    f->size = lower_int_or(l, "n_fft", 1);
    f->hop = lower_int_or(l, "hop_length", f->size / 4);
    f->window_size = lower_int_or(l, "win_length", f->size);
    tensor window = lower_arg(l, "window");
    if (!lower_absent(window)) complex_input |= ty_is_complex(lower_dtype(window));
    f->onesided = flag(l, "onesided", !complex_input);
    f->normalized = flag(l, "normalized", false);
    f->center = flag(l, "center", false);
    int64_t missing = f->size - f->window_size;
    sym_expr low = lower_const(l, missing / 2), high = lower_const(l, missing - missing / 2);
    if (lower_absent(window) && missing == 0) return;
    if (lower_absent(window)) {
        sym_expr length = lower_const(l, f->window_size);
        window = lower_value(l, d, 1, &length, loop_const_float(l->program, d, 1));
    }
    if (ty_is_complex(lower_dtype(window))) d = ty_real_to_complex(d);
    window = lower_cast(l, window, d);
    if (missing) window = lower_padded(l, window, &low, &high, loop_const_float(l->program, d, 0));
    lower_share(l, window);
    f->window = window;
}

static bool has_complex_window(const frames *f)
{
    return !lower_absent(f->window) && ty_is_complex(lower_dtype(f->window));
}

/* Where a place before or behind a signal of this size is found in it. */
typedef sym_expr padding(lowering *l, sym_expr at, sym_expr size);

static sym_expr reflected(lowering *l, sym_expr at, sym_expr size)
{
    sym_table *s = l->symbols;
    sym_expr end = sym_add_int(s, size, -1);
    at = sym_sub(s, end, sym_max(s, at, sym_mul_int(s, at, -1)));
    return sym_sub(s, end, sym_max(s, at, sym_mul_int(s, at, -1)));
}

static sym_expr nearest(lowering *l, sym_expr at, sym_expr size)
{
    sym_table *s = l->symbols;
    return sym_max(s, l->zero, sym_min(s, at, sym_add_int(s, size, -1)));
}

static sym_expr around(lowering *l, sym_expr at, sym_expr size)
{
    return sym_mod(l->symbols, at, size);
}

static const struct {
    const char *name;
    padding *place; /* NULL: zeros */
} PADDINGS[] = {
    {"reflect", reflected}, {"constant", NULL}, {"replicate", nearest}, {"circular", around}};

/* The signal with `by` elements more on both ends of its last dim. */
static fe_status extend(lowering *l, tensor *x, int64_t by)
{
    const fx_arg *given = fx_get(l->graph, l->node, "pad_mode");
    const char *mode = given->kind == FX_ARG_STRING ? given->string : "reflect";
    uint32_t last = x->rank - 1, row = 0;
    sym_expr low[LOWER_MAX_RANK], exprs[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    while (row < COUNT_OF(PADDINGS) && strcmp(PADDINGS[row].name, mode) != 0) row++;
    if (row == COUNT_OF(PADDINGS)) return lower_fail(l, "the padding '%s'", mode);
    for (uint32_t k = 0; k < x->rank; k++) low[k] = l->zero;
    low[last] = lower_const(l, by);
    if (!PADDINGS[row].place) {
        *x = lower_padded(l, *x, low, low, loop_const_int(l->program, lower_dtype(*x), 0));
        return FE_OK;
    }
    memcpy(exprs, l->axes, x->rank * sizeof *exprs);
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    exprs[last] =
        PADDINGS[row].place(l, sym_add_int(l->symbols, l->axes[last], -by), x->sizes[last]);
    sizes[last] = sym_add_int(l->symbols, x->sizes[last], 2 * by);
    *x = lower_remap(l, *x, x->rank, sizes, exprs);
    return FE_OK;
}

/* [batch, time] as [batch, frame, time in it]: windows on the signal's memory that overlap. */
static tensor framed(lowering *l, tensor x, const frames *f)
{
    loop_view v = lower_strided(l, x);
    sym_expr room = sym_add_int(l->symbols, x.sizes[1], -f->size);
    sym_expr count =
        sym_add_int(l->symbols, sym_floordiv(l->symbols, room, lower_const(l, f->hop)), 1);
    sym_expr sizes[3] = {x.sizes[0], count, lower_const(l, f->size)},
             strides[3] = {v.strides[0], sym_mul_int(l->symbols, v.strides[1], f->hop),
                           v.strides[1]};
    return lower_on_strides(l, v, 3, sizes, strides, v.offset);
}

/* stft: [.., time] to [.., frequencies, frames] */
fe_status lower_op_stft(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self");
    bool batched = x.rank == 2, complex_input = ty_is_complex(lower_dtype(x));
    frames f = {.size = 0};
    read_frames(l, &f, complex_input);
    x = lower_cast(l, x, complex_input ? ty_real_to_complex(f.computed) : f.computed);
    if (!batched) x = lower_unsqueeze(l, x, 0);
    if (f.center) FE_TRY(extend(l, &x, f.size / 2));
    fourier_transform t = {.dim = 2,
                           .direction = FOURIER_FORWARD,
                           .length = lower_const(l, f.size),
                           .onesided = f.onesided,
                           .scale = f.normalized ? FOURIER_BY_ROOT : FOURIER_UNSCALED,
                           .elements = lower_const(l, f.size)};
    x = framed(l, x, &f);
    if (has_complex_window(&f))
        x = T_MUL(lower_cast(l, x, lower_dtype(f.window)), f.window);
    else
        t.window = f.window;
    tensor y = lower_fourier(l, x, &t);
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

/* Where the signal is kept, some window is there: else the run fails, as PyTorch does. */
static void need_weights(lowering *l, tensor squares, sym_expr start, sym_expr kept)
{
    sym_table *s = l->symbols;
    sym_expr room = sym_sub(s, squares.sizes[1], start);
    squares = lower_slice(l, squares, 1, start, sym_min(s, kept, room), l->one);
    tensor size = T_ABS(squares), least = lower_number(l, lower_dtype(size), 1e-11);
    tensor none = lower_total(l, LOOP_ANY, lower_binary(l, LOOP_LT, size, least));
    lower_assert(l, lower_read_int(l, none, 0, 1), SYM_EQ, l->zero,
                 "istft: window overlap add min: 1");
}

/* istft: frames back in time, windowed again, summed, over the sum of the windows' squares. */
fe_status lower_op_istft(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    tensor x = lower_arg(l, "self");
    bool batched = x.rank == 3;
    frames f = {.size = 0};
    read_frames(l, &f, ty_is_complex(out->dtype));
    x = lower_cast(l, x, ty_real_to_complex(f.computed));
    if (!batched) x = lower_unsqueeze(l, x, 0);
    x = lower_transpose(l, x, 1, 2); /* [batch, frames, frequencies] */
    fourier_transform t = {.dim = 2,
                           .direction = FOURIER_BACKWARD,
                           .length = lower_const(l, f.size),
                           .to_real = !ty_is_complex(out->dtype), /* by the first half alone */
                           .scale = f.normalized ? FOURIER_BY_ROOT : FOURIER_BY_ELEMENTS,
                           .elements = lower_const(l, f.size)};
    tensor y = lower_fourier(l, x, &t);
    sym_expr ones_sizes[3] = {l->one, x.sizes[1], lower_const(l, f.size)};
    loop_value weight = loop_const_float(l->program, f.computed, 1);
    if (!lower_absent(f.window)) {
        if (has_complex_window(&f)) y = lower_cast(l, y, lower_dtype(f.window));
        y = T_MUL(y, lower_cast(l, f.window, lower_dtype(y)));
        weight = lower_at(l, f.window, &l->axes[2]);
        weight = lower_op2(l, LOOP_MUL, weight, weight);
    }
    sym_expr length = sym_add_int(
        l->symbols, sym_mul_int(l->symbols, sym_add_int(l->symbols, x.sizes[1], -1), f.hop),
        f.size);
    tensor sum = overlapped(l, y, &f, length),
           squares = lower_value(l, loop_at(l->program, weight)->dtype, 3, ones_sizes, weight);
    squares = overlapped(l, squares, &f, length);
    sym_expr start = lower_const(l, f.center ? f.size / 2 : 0), kept = out->sizes[out->rank - 1],
             high[2], low[2] = {l->zero, l->zero};
    if (!lower_is_none(l, "window")) need_weights(l, squares, start, kept);
    y = T_DIV(sum, lower_cast(l, squares, lower_dtype(sum)));
    high[0] = l->zero;
    high[1] =
        sym_max(l->symbols, l->zero, sym_sub(l->symbols, sym_add(l->symbols, start, kept), length));
    if (!lower_is_zero(l, high[1]))
        y = lower_padded(l, y, low, high, loop_const_float(l->program, lower_dtype(y), 0));
    y = lower_slice(l, y, 1, start, kept, l->one);
    return lower_give_as_recorded(l, batched ? y : lower_squeeze(l, y, 0));
}

/* ---- windows: constants ---- */

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

fe_status lower_op_window(lowering *l, fx_node *n, const lower_row *row)
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
