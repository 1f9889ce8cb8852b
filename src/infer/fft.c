/* fft.c -- Fourier transforms. The kernels put the transformed dimensions innermost in memory, the
 * others in the order of the input's strides; the functions of torch.fft are paddings, kernels and
 * conjugations in a row. */
#include "infer/infer_priv.h"

#include <string.h>

typedef struct transform {
    uint32_t dims[TY_MAX_RANK];
    uint32_t count;
} transform;

/* Does dimension a have a larger stride than b? Sizes not known decide by the example. */
static bool is_outer(infer_call *c, const ty_tensor *x, uint32_t a, uint32_t b)
{
    return infer_prefers(c, SYM_LT, x->strides[b], x->strides[a]);
}

/* A stable sort by stride, the largest first. */
static void sort_by_stride(infer_call *c, const ty_tensor *x, uint32_t *dims, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && is_outer(c, x, dims[k], dims[k - 1]); k--) {
            uint32_t swapped = dims[k];
            dims[k] = dims[k - 1];
            dims[k - 1] = swapped;
        }
}

/* One kernel call over the dimensions in this order, the result of these sizes. */
static ty_tensor *run_kernel(infer_call *c, const ty_tensor *x, ty_dtype dtype,
                             const sym_expr *sizes, const transform *f)
{
    uint32_t order[TY_MAX_RANK];
    uint32_t batch = 0;
    uint64_t transformed = 0;
    for (uint32_t i = 0; i < f->count; i++) transformed |= (uint64_t)1 << f->dims[i];
    for (uint32_t d = 0; d < x->rank; d++)
        if (!(transformed >> d & 1)) order[batch++] = d;
    sort_by_stride(c, x, order, batch);
    for (uint32_t i = 0; i < f->count; i++) order[batch + i] = f->dims[i];
    ty_tensor *out = infer_fresh(c, x, dtype, x->rank, sizes);
    sym_expr stride = infer_number(c, 1);
    sym_expr one = stride;
    for (uint32_t i = x->rank; out && i-- > 0;) {
        out->strides[order[i]] = stride;
        sym_expr size = sizes[order[i]];
        stride = sym_mul(c->symbols, stride, i >= batch ? sym_max(c->symbols, size, one) : size);
    }
    return out;
}

/* No transform is of nothing. */
static bool has_points(infer_call *c, const ty_tensor *x, const transform *f)
{
    for (uint32_t i = 0; i < f->count && c->status == FE_OK; i++)
        (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[f->dims[i]],
                            "Invalid number of data points (0) specified: %s", infer_shape(c, x));
    return c->status == FE_OK;
}

static ty_tensor *complex_to_complex(infer_call *c, const ty_tensor *x, transform f)
{
    if (!x || !has_points(c, x, &f)) return NULL;
    if (f.count == 0) return infer_clone(c, x, TY_PRESERVE);
    sort_by_stride(c, x, f.dims, f.count);
    return run_kernel(c, x, x->dtype, x->sizes, &f);
}

static sym_expr half_of(infer_call *c, sym_expr size)
{
    return sym_add_int(c->symbols, sym_floordiv(c->symbols, size, infer_number(c, 2)), 1);
}

static ty_tensor *real_to_complex(infer_call *c, const ty_tensor *x, transform f, bool onesided)
{
    sym_expr sizes[TY_MAX_RANK];
    if (!x || f.count == 0 || !has_points(c, x, &f)) return NULL;
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    uint32_t last = f.dims[f.count - 1];
    if (onesided) sizes[last] = half_of(c, sizes[last]);
    sort_by_stride(c, x, f.dims, f.count - 1);
    return run_kernel(c, x, ty_real_to_complex(x->dtype), sizes, &f);
}

static ty_tensor *complex_to_real(infer_call *c, const ty_tensor *x, transform f, sym_expr length)
{
    sym_expr sizes[TY_MAX_RANK];
    if (!x || f.count == 0 || !has_points(c, x, &f)) return NULL;
    if (!INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), length,
                       "Invalid number of data points (%s) specified", infer_shape(c, x)))
        return NULL;
    transform last = {.dims = {f.dims[f.count - 1]}, .count = 1};
    f.count--;
    const ty_tensor *input = f.count ? complex_to_complex(c, x, f) : x;
    if (!input) return NULL;
    memcpy(sizes, input->sizes, input->rank * sizeof *sizes);
    sizes[last.dims[0]] = length;
    return run_kernel(c, input, ty_complex_to_real(x->dtype), sizes, &last);
}

/* ---- the kernels as operators ---- */

void rule_fft_kernel(infer_call *c)
{
    transform f;
    ty_tensor *x = infer_self(c);
    if (!x) return;
    f.count = infer_dims(c, "dim", x->rank, false, f.dims);
    if (c->status != FE_OK) return;
    switch ((op_id)c->op->id) {
    case OP_aten__fft_c2c_default: infer_give(c, complex_to_complex(c, x, f)); break;
    case OP_aten__fft_r2c_default:
        infer_give(c, real_to_complex(c, x, f, infer_flag(c, "onesided", true)));
        break;
    default: infer_give(c, complex_to_real(c, x, f, infer_expr(c, "last_dim_size", 1))); break;
    }
}

/* ---- torch.fft ---- */

/* Padded with zeros or cut to a length in one dimension. */
static ty_tensor *resized(infer_call *c, ty_tensor *x, uint32_t dim, sym_expr length)
{
    if (!x || sym_known_equal(c->symbols, x->sizes[dim], length)) return x;
    sym_expr zero = infer_number(c, 0);
    if (infer_holds(c, SYM_LE, length, x->sizes[dim]))
        return infer_narrow(c, x, dim, zero, length, infer_number(c, 1));
    sym_expr sizes[TY_MAX_RANK];
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sizes[dim] = length;
    return infer_fresh(c, x, x->dtype, x->rank, sizes);
}

static ty_tensor *promoted_input(infer_call *c, ty_tensor *x, bool to_complex)
{
    ty_dtype dtype = infer_float_of(x->dtype);
    if (to_complex) dtype = ty_real_to_complex(dtype);
    return dtype == x->dtype ? x : infer_like(c, x, dtype, TY_PRESERVE);
}

/* Which dimensions, and the lengths asked for them (none: -1 or no list). */
static void read_transform(infer_call *c, const ty_tensor *x, transform *f, sym_expr *lengths)
{
    sym_expr given[TY_MAX_RANK];
    bool is_single = op_param_index(c->op, "n") >= 0;
    const char *name = is_single ? "n" : "s";
    uint32_t count = infer_arg(c, name) ? infer_sizes(c, name, 0, given) : 0;
    f->count = infer_dims(c, "dim", x->rank, !infer_arg(c, name), f->dims);
    if (count && f->count == 0) { /* the last dimensions */
        f->count = count;
        for (uint32_t i = 0; i < count; i++) f->dims[i] = x->rank - count + i;
    }
    if (count > x->rank || (count && count != f->count))
        infer_fail(c, "a transform of %s by %u lengths", infer_shape(c, x), count);
    for (uint32_t i = 0; c->status == FE_OK && i < f->count; i++) {
        bool open = count == 0 || infer_is(c, given[i], -1);
        lengths[i] = open ? (sym_expr){0} : given[i];
    }
}

static ty_tensor *resize_all(infer_call *c, ty_tensor *x, const transform *f,
                             const sym_expr *lengths)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!sym_is_none(lengths[i])) x = resized(c, x, f->dims[i], lengths[i]);
    return x;
}

/* fft, ifft and their kin of more dimensions: complex to complex; real input is widened, or in one
 * dimension transformed by the kernel for reals. */
static void give_complex(infer_call *c, ty_tensor *x, const transform *f, const sym_expr *lengths)
{
    bool is_single = op_param_index(c->op, "n") >= 0;
    bool widen = !is_single;
    x = resize_all(c, promoted_input(c, x, widen), f, lengths);
    if (!x) return;
    infer_give(c, ty_is_complex(x->dtype) ? complex_to_complex(c, x, *f)
                                          : real_to_complex(c, x, *f, false));
}

static void give_real_input(infer_call *c, ty_tensor *x, const transform *f,
                            const sym_expr *lengths)
{
    x = resize_all(c, promoted_input(c, x, false), f, lengths);
    infer_give(c, real_to_complex(c, x, *f, true));
}

/* ihfft: the last dimension for reals, then the others. */
static void give_hermitian_inverse(infer_call *c, ty_tensor *x, transform f,
                                   const sym_expr *lengths)
{
    x = resize_all(c, promoted_input(c, x, false), &f, lengths);
    transform last = {.dims = {f.count ? f.dims[f.count - 1] : 0}, .count = 1};
    ty_tensor *out = real_to_complex(c, x, last, true);
    f.count--;
    if (!out || !f.count) {
        infer_give(c, out);
        return;
    }
    const ty_tensor *operand = out; /* conjugated between the two */
    infer_give(c, complex_to_complex(c, infer_elementwise(c, out->dtype, &operand, 1), f));
}

/* To reals: the length of the last dimension is 2 (size - 1) unless given. Hermitian ones first
 * transform the other dimensions. */
static void give_real_output(infer_call *c, ty_tensor *x, transform f, sym_expr *lengths)
{
    bool hermitian = strstr(c->op->base, "hfft") != NULL;
    x = promoted_input(c, x, true);
    uint32_t last = f.dims[f.count - 1];
    sym_expr length = lengths[f.count - 1];
    if (sym_is_none(length))
        length = sym_mul_int(c->symbols, sym_add_int(c->symbols, x->sizes[last], -1), 2);
    lengths[f.count - 1] = half_of(c, length);
    x = resize_all(c, x, &f, lengths);
    if (hermitian && f.count > 1) {
        transform others = f;
        others.count--;
        x = complex_to_complex(c, x, others);
        f.dims[0] = last;
        f.count = 1;
    }
    infer_give(c, complex_to_real(c, x, f, length));
}

void rule_fft(infer_call *c)
{
    transform f;
    sym_expr lengths[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    read_transform(c, x, &f, lengths);
    if (c->status != FE_OK) return;
    if (f.count == 0) {
        infer_give(c, infer_clone(c, promoted_input(c, x, true), TY_PRESERVE));
        return;
    }
    switch ((infer_fft_kind)c->param) {
    case FFT_COMPLEX: give_complex(c, x, &f, lengths); break;
    case FFT_REAL_INPUT: give_real_input(c, x, &f, lengths); break;
    case FFT_HERMITIAN_INVERSE: give_hermitian_inverse(c, x, f, lengths); break;
    case FFT_REAL_OUTPUT: give_real_output(c, x, f, lengths); break;
    }
}

void infer_check_fft_norm(infer_call *c)
{
    const char *norm = infer_string(c, "norm", "backward");
    if (strcmp(norm, "forward") && strcmp(norm, "backward") && strcmp(norm, "ortho"))
        infer_fail(c, "Invalid normalization mode: \"%s\"", norm);
}

/* ---- short-time transforms ---- */

/* istft: what is kept of the signal is not empty, and under windows all along. */
static void need_windows(infer_call *c, const ty_tensor *x, int64_t n, int64_t hop, int64_t length)
{
    sym_table *t = c->symbols;
    int64_t start = infer_flag(c, "center", true) ? n / 2 : 0, left = (n - length) / 2;
    sym_expr hops = sym_mul_int(t, sym_add_int(t, x->sizes[x->rank - 1], -1), hop);
    sym_expr whole = sym_add_int(t, hops, n), end = sym_add_int(t, whole, -start);
    if (infer_arg(c, "length"))
        end = sym_min(t, whole, sym_add_int(t, infer_expr(c, "length", 0), start));
    (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, start), end, "istft of %s leaves nothing",
                        infer_shape(c, x));
    if (start < left) infer_fail(c, "istft: window overlap add min is 0 before the first window");
    (void)INFER_REQUIRE(c, SYM_LE, end, sym_add_int(t, hops, left + length),
                        "istft: window overlap add min is 0 behind the last window of %s",
                        infer_shape(c, x));
}

/* What both directions ask: ranks from `least`, windows as long as is said and no longer than a transform.
 * False: it has failed. */
static bool frames_fit(infer_call *c, const ty_tensor *x, uint32_t least)
{
    const ty_tensor *window = infer_tensor(c, "window");
    int64_t n = infer_int(c, "n_fft", 1), hop = infer_int(c, "hop_length", n / 4);
    int64_t length = infer_int(c, "win_length", n);
    if (!x || c->status != FE_OK) return false;
    if (x->rank < least || x->rank > least + 1)
        infer_fail(c, "%s of %s", c->op->base, infer_shape(c, x));
    if (n <= 0 || hop <= 0 || length <= 0 || length > n)
        infer_fail(c, "%s with n_fft %lld, hop_length %lld, win_length %lld", c->op->base,
                   (long long)n, (long long)hop, (long long)length);
    if (window && window->rank != 1)
        infer_fail(c, "expected a 1D window, got %s", infer_shape(c, window));
    if (window && c->status == FE_OK)
        (void)INFER_REQUIRE_EQUAL(c, window->sizes[0], infer_number(c, length),
                                  "expected a 1D window tensor of size equal to win_length=%lld, "
                                  "but got window with size %s",
                                  (long long)length, infer_shape(c, window));
    return c->status == FE_OK;
}

void infer_check_istft(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    int64_t n = infer_int(c, "n_fft", 1), hop = infer_int(c, "hop_length", n / 4);
    int64_t length = infer_int(c, "win_length", n);
    if (!frames_fit(c, x, 2)) return;
    const ty_tensor *window = infer_tensor(c, "window");
    if (window && ty_is_complex(window->dtype) && !infer_flag(c, "return_complex", false))
        infer_fail(c, "Complex windows are incompatible with return_complex=False");
    if (hop > length)
        infer_fail(c, "istft with hop_length %lld, win_length %lld", (long long)hop,
                   (long long)length);
    if (c->status != FE_OK) return;
    bool onesided = infer_flag(c, "onesided", !infer_flag(c, "return_complex", false));
    (void)INFER_REQUIRE_EQUAL(c, x->sizes[x->rank - 2], infer_number(c, onesided ? n / 2 + 1 : n),
                              "istft: expected the frequency dimension of %s to match n_fft %lld",
                              infer_shape(c, x), (long long)n);
    (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), ty_numel(c->symbols, x),
                        "istft of no frames: %s", infer_shape(c, x));
    need_windows(c, x, n, hop, length);
}

void infer_check_stft(infer_call *c)
{
    const ty_tensor *x = infer_tensor(c, "self");
    int64_t n = infer_int(c, "n_fft", 1);
    if (!frames_fit(c, x, 1)) return;
    sym_expr size = x->sizes[x->rank - 1];
    if (infer_flag(c, "center", false)) {
        bool reflects = strcmp(infer_string(c, "pad_mode", "reflect"), "reflect") == 0;
        if (reflects && x->rank == 2)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, 0), x->sizes[0], "stft pads %s",
                                infer_shape(c, x));
        if (reflects)
            (void)INFER_REQUIRE(c, SYM_LT, infer_number(c, n / 2), size,
                                "stft pads %s by %lld on either side", infer_shape(c, x),
                                (long long)n / 2);
        size = sym_add_int(c->symbols, size, n / 2 * 2);
    }
    (void)INFER_REQUIRE(c, SYM_LE, infer_number(c, n), size, "expected 0 < n_fft <= %s of %lld",
                        infer_shape(c, x), (long long)n);
}

void rule_stft(infer_call *c)
{
    sym_table *t = c->symbols;
    ty_tensor *x = infer_self(c);
    if (!x || x->rank == 0 || x->rank > 2) {
        infer_fail(c, "a short-time transform of %s", infer_shape(c, x));
        return;
    }
    int64_t n = infer_int(c, "n_fft", 1);
    int64_t hop = infer_int(c, "hop_length", n / 4);
    bool onesided = infer_flag(c, "onesided", !ty_is_complex(x->dtype));
    sym_expr length = x->sizes[x->rank - 1];
    if (infer_flag(c, "center", false)) length = sym_add_int(t, length, n / 2 * 2);
    if (hop <= 0) infer_fail(c, "a hop of %lld", (long long)hop);
    if (c->status != FE_OK) return;
    sym_expr frames =
        sym_add_int(t, sym_floordiv(t, sym_add_int(t, length, -n), infer_number(c, hop)), 1);
    if (infer_flag(c, "center", false)) { /* padded: memory of its own */
        sym_expr padded[] = {x->sizes[0], length};
        if (x->rank == 1) padded[0] = length;
        x = infer_fresh(c, x, x->dtype, x->rank, padded);
    }
    const ty_tensor *rows = x->rank == 1 ? infer_unsqueeze(c, x, 0) : x;
    sym_expr sizes[] = {rows->sizes[0], frames, infer_number(c, n)};
    sym_expr strides[] = {rows->strides[0], sym_mul_int(t, rows->strides[1], hop),
                          rows->strides[1]};
    const ty_tensor *window = infer_tensor(c, "window");
    const ty_tensor *operands[] = {infer_view_as(c, rows, 3, sizes, strides, rows->offset), NULL};
    transform f = {.dims = {2}, .count = 1};
    const ty_tensor *framed = operands[0];
    if (window) { /* filled with zeros to n_fft */
        operands[1] = infer_fresh(c, window, window->dtype, 1, &sizes[2]);
        framed = infer_elementwise(c, ty_promote_types(x->dtype, window->dtype), operands, 2);
    }
    ty_tensor *out = framed && ty_is_complex(framed->dtype)
                         ? complex_to_complex(c, framed, f)
                         : real_to_complex(c, framed, f, onesided);
    out = infer_transpose(c, out, 1, 2);
    if (x->rank == 1) out = infer_squeeze(c, out, 1);
    infer_give(c, infer_flag(c, "return_complex", true) ? out : infer_as_real(c, out));
}

void rule_istft(infer_call *c)
{
    sym_table *t = c->symbols;
    ty_tensor *x = infer_self(c);
    if (!x || x->rank < 2) {
        infer_fail(c, "an inverse short-time transform of %s", infer_shape(c, x));
        return;
    }
    int64_t n = infer_int(c, "n_fft", 1);
    int64_t hop = infer_int(c, "hop_length", n / 4);
    sym_expr frames = x->sizes[x->rank - 1];
    sym_expr length = sym_add_int(t, sym_mul_int(t, sym_add_int(t, frames, -1), hop), n);
    if (infer_flag(c, "center", true)) length = sym_add_int(t, length, -(n / 2) * 2);
    if (infer_arg(c, "length")) length = infer_expr(c, "length", 0);
    sym_expr sizes[] = {x->sizes[0], length};
    ty_dtype dtype =
        infer_flag(c, "return_complex", false) ? x->dtype : ty_complex_to_real(x->dtype);
    const ty_tensor *window = infer_tensor(c, "window");
    if (window && ty_dtype_size(window->dtype) == ty_dtype_size(TY_F64) &&
        ty_is_floating(window->dtype))
        dtype = ty_is_complex(dtype) ? TY_C128 : TY_F64;
    if (x->rank == 2)
        infer_give(c, infer_fresh(c, x, dtype, 1, &length));
    else
        infer_give(c, infer_fresh(c, x, dtype, 2, sizes));
}
