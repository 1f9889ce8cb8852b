/* fourier.c -- the operators that are discrete Fourier transforms: several dimensions one after the
 * other, each by the runtime, which pads, cuts and scales as well. (As a nest, by its definition, a
 * transform of three points and more is slower than a call, also with what could fuse with it.)
 */
#include "lower/ops/fourier.h"
#include "lower/compose.h"
#include "lower/rows.h"

#include <string.h>

/* ---- one dimension ---- */

static sym_expr half_of(lowering *l, sym_expr length)
{
    return sym_add_int(l->symbols, sym_floordiv(l->symbols, length, lower_const(l, 2)), 1);
}

ty_dtype lower_fourier_dtype(lowering *l)
{
    enum { FEW = 512 };
    int64_t numbers;
    const ty_tensor *out = fx_tensor(l->node);
    sym_expr count = sym_product(l->symbols, out->sizes, out->rank);
    if (sym_is_int(l->symbols, count, &numbers) && numbers <= FEW) return TY_F64;
    return lower_compute_dtype(ty_complex_to_real(ty_real_to_complex(out->dtype)));
}

lower_tensor lower_fourier(lowering *l, lower_tensor x, const fourier_transform *t)
{
    ty_dtype d = lower_dtype(x);
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    sizes[t->dim] = t->onesided ? half_of(l, t->length) : t->length;
    loop_view views[2] = {lower_strided(l, x), lower_no_view(l)};
    if (!lower_absent(t->window)) views[1] = lower_strided(l, t->window);
    tensor out = lower_temp_tensor(l, t->to_real ? ty_complex_to_real(d) : ty_real_to_complex(d),
                                   x.rank, sizes, t->wanted);
    bool is_backward = t->direction == FOURIER_BACKWARD, is_scaled = t->scale != FOURIER_UNSCALED;
    const loop_int ints[] = {{"dim", lower_const(l, t->dim)},
                             {"backward", lower_const(l, is_backward)},
                             {"length", t->length},
                             {"norm", lower_const(l, t->scale)},
                             {"elements", is_scaled ? t->elements : l->one}};
    lower_extern(l, "fourier", 2, views, out.box->view, COUNT_OF(ints), ints, 0, NULL);
    return out;
}

/* ---- several dimensions ---- */

typedef struct fft_plan {
    fourier_form form;
    fourier_direction direction;
    uint32_t count;
    uint32_t dims[LOWER_MAX_RANK];
    sym_expr lengths[LOWER_MAX_RANK]; /* none: as it is */
    bool onesided;                    /* REAL_TO_COMPLEX: only half of the last dimension */
    fourier_scale scale;
} fft_plan;

static sym_expr length_of(lowering *l, tensor x, const fft_plan *plan, uint32_t k)
{
    sym_expr length = plan->lengths[k], size = x.sizes[plan->dims[k]];
    if (!sym_is_none(length)) return length;
    if (plan->form != COMPLEX_TO_REAL || k + 1 < plan->count) return size;
    return sym_mul_int(l->symbols, sym_add_int(l->symbols, size, -1), 2);
}

/* To reals goes last, from reals first. The last one to be done divides. */
static tensor run_plan(lowering *l, tensor x, const fft_plan *plan)
{
    const ty_tensor *out = fx_tensor(l->node);
    sym_expr elements = l->one;
    for (uint32_t k = 0; k < plan->count; k++)
        elements = sym_mul(l->symbols, elements, length_of(l, x, plan, k));
    for (uint32_t k = 0; k < plan->count; k++) {
        uint32_t at = plan->form == COMPLEX_TO_REAL ? k : plan->count - 1 - k;
        bool is_last = at + 1 == plan->count, ends = k + 1 == plan->count;
        fourier_transform t = {.dim = plan->dims[at],
                               .direction = plan->direction,
                               .length = length_of(l, x, plan, at),
                               .to_real = is_last && plan->form == COMPLEX_TO_REAL,
                               .onesided = is_last && plan->onesided};
        if (ends) {
            t.scale = plan->scale;
            t.elements = elements;
            if (ty_real_to_complex(lower_dtype(x)) == ty_real_to_complex(out->dtype))
                t.wanted = lower_wanted(l, 0);
        }
        x = lower_fourier(l, x, &t);
    }
    return x;
}

static tensor as_input(lowering *l, tensor x, bool to_complex)
{
    ty_dtype d = lower_fourier_dtype(l);
    if (to_complex || ty_is_complex(lower_dtype(x))) d = ty_real_to_complex(d);
    return lower_cast(l, x, d);
}

/* ---- the core operators: _fft_r2c, _fft_c2c, _fft_c2r ---- */

fe_status lower_op_core(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    tensor x = lower_arg(l, "self");
    fft_plan plan = {.form = (fourier_form)row->parameter, .direction = FOURIER_FORWARD};
    int64_t dims[LOWER_MAX_RANK];
    int count = lower_constants(l, "dim", dims, LOWER_MAX_RANK);
    if (count < 0) return lower_fail(l, "dimensions that are not constants");
    plan.count = (uint32_t)count;
    for (uint32_t k = 0; k < plan.count; k++) plan.dims[k] = lower_dim(l, dims[k], x.rank);
    if (plan.form == COMPLEX_TO_REAL ||
        (plan.form == COMPLEX_TO_COMPLEX && !lower_bool(l, "forward")))
        plan.direction = FOURIER_BACKWARD;
    plan.onesided = plan.form == REAL_TO_COMPLEX && lower_bool(l, "onesided");
    if (plan.form == COMPLEX_TO_REAL && plan.count)
        plan.lengths[plan.count - 1] = lower_size(l, "last_dim_size");
    plan.scale = (fourier_scale)lower_int_or(l, "normalization", FOURIER_UNSCALED);
    x = as_input(l, x, plan.form != REAL_TO_COMPLEX);
    return lower_give_as_recorded(l, run_plan(l, x, &plan));
}

/* ---- torch.fft: lengths by padding or cutting, norms by name. hfft is the forward transform to
 * real numbers of half a spectrum, ihfft the backward one of real numbers. ---- */

typedef struct fft_row {
    fourier_form form;
    fourier_direction direction;
} fft_row;
static const fft_row FFT_ROWS[FFT_COUNT] = {
    [FFT] = {COMPLEX_TO_COMPLEX, FOURIER_FORWARD}, [IFFT] = {COMPLEX_TO_COMPLEX, FOURIER_BACKWARD},
    [RFFT] = {REAL_TO_COMPLEX, FOURIER_FORWARD},   [IRFFT] = {COMPLEX_TO_REAL, FOURIER_BACKWARD},
    [HFFT] = {COMPLEX_TO_REAL, FOURIER_FORWARD},   [IHFFT] = {REAL_TO_COMPLEX, FOURIER_BACKWARD}};

static fourier_scale scale_of(lowering *l, fourier_direction direction)
{
    const fx_arg *norm = fx_get(l->graph, l->node, "norm");
    const char *name = norm->kind == FX_ARG_STRING ? norm->string : "backward";
    if (strcmp(name, "ortho") == 0) return FOURIER_BY_ROOT;
    bool scales_forward = strcmp(name, "forward") == 0;
    return scales_forward == (direction == FOURIER_FORWARD) ? FOURIER_BY_ELEMENTS
                                                            : FOURIER_UNSCALED;
}

static bool has(lowering *l, const char *param)
{
    return op_param_index(l->node->op, param) >= 0;
}

/* The transformed dims and the lengths asked for. */
static bool read_dims(lowering *l, tensor x, fft_plan *plan)
{
    int64_t dims[LOWER_MAX_RANK], kept;
    sym_expr given[LOWER_MAX_RANK];
    int named = lower_constants(l, "dim", dims, LOWER_MAX_RANK),
        sizes = lower_ints(l, has(l, "n") ? "n" : "s", given, LOWER_MAX_RANK);
    if (named == -2 || named > LOWER_MAX_RANK || sizes > LOWER_MAX_RANK) return false;
    plan->count = named >= 0 ? (uint32_t)named : sizes >= 0 ? (uint32_t)sizes : x.rank;
    for (uint32_t k = 0; k < plan->count; k++) {
        plan->dims[k] = named >= 0 ? lower_dim(l, dims[k], x.rank) : x.rank - plan->count + k;
        bool is_given = sizes > (int)k && !(sym_is_int(l->symbols, given[k], &kept) && kept == -1);
        if (is_given) plan->lengths[k] = given[k];
    }
    return true;
}

fe_status lower_op_fft(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    const fft_row *kind = &FFT_ROWS[row->parameter];
    tensor x = lower_arg(l, "self");
    fft_plan plan = {.form = kind->form, .direction = kind->direction};
    if (!read_dims(l, x, &plan)) return lower_fail(l, "dimensions that are not constants");
    plan.onesided = plan.form == REAL_TO_COMPLEX;
    plan.scale = scale_of(l, kind->direction);
    x = as_input(l, x, plan.form == COMPLEX_TO_REAL);
    return lower_give_as_recorded(l, run_plan(l, x, &plan));
}

/* fftshift: each dim rolled by half its size; ifftshift by the other half. */
fe_status lower_op_shift(lowering *l, fx_node *n, const lower_row *row)
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
