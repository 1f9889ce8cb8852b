/* element.c -- views of the same bytes as elements of another type.
 *
 * view.dtype, complex numbers as pairs of real ones and back, real and imaginary parts: sizes,
 * strides and offset are scaled by the ratio of the element sizes.
 */
#include "infer/infer_priv.h"

/* The tensor over elements that are `ratio` times as small: last sizes, strides, offset. */
static ty_tensor *finer(infer_call *c, const ty_tensor *x, ty_dtype dtype, int64_t ratio)
{
    sym_table *t = c->symbols;
    ty_tensor *out = infer_alias(c, x);
    out->dtype = dtype;
    for (uint32_t i = 0; i < x->rank; i++) out->strides[i] = sym_mul_int(t, x->strides[i], ratio);
    out->offset = sym_mul_int(t, x->offset, ratio);
    return out;
}

static ty_tensor *coarser(infer_call *c, const ty_tensor *x, ty_dtype dtype, int64_t ratio)
{
    sym_table *t = c->symbols;
    sym_expr by = infer_number(c, ratio);
    ty_tensor *out = infer_alias(c, x);
    out->dtype = dtype;
    for (uint32_t i = 0; i < x->rank; i++) out->strides[i] = sym_floordiv(t, x->strides[i], by);
    out->offset = sym_floordiv(t, x->offset, by);
    return out;
}

/* What of x must be a multiple of the ratio, in elements that are so much larger. */
static bool divides(infer_call *c, const ty_tensor *x, sym_expr e, int64_t ratio, const char *what)
{
    sym_expr rest = sym_mod(c->symbols, e, infer_number(c, ratio));
    if (infer_may_equal(c, rest, infer_number(c, 0))) return true;
    infer_fail(c, "%s of %s must be divisible by %lld, which is how much larger the elements are",
               what, infer_shape(c, x), (long long)ratio);
    return false;
}

static bool can_be_coarser(infer_call *c, const ty_tensor *x, int64_t ratio)
{
    bool fits = divides(c, x, x->sizes[x->rank - 1], ratio, "the last size") &&
                divides(c, x, x->offset, ratio, "the storage offset");
    for (uint32_t i = 0; fits && i + 1 < x->rank; i++)
        fits = divides(c, x, x->strides[i], ratio, "each stride");
    return fits;
}

void rule_view_dtype(infer_call *c)
{
    sym_table *t = c->symbols;
    ty_tensor *x = infer_self(c);
    if (!x) return;
    ty_dtype dtype = infer_dtype(c, "dtype", x->dtype);
    int64_t was = ty_dtype_size(x->dtype);
    int64_t is = ty_dtype_size(dtype);
    uint32_t last = x->rank - 1;
    ty_tensor *out;
    if (was != is && (x->rank == 0 || !infer_is(c, x->strides[last], 1))) {
        infer_fail(c, "the last dimension of %s is not dense", infer_shape(c, x));
        return;
    }
    if (was < is && !can_be_coarser(c, x, is / was)) return;
    if (was == is) {
        out = infer_alias(c, x);
        out->dtype = dtype;
    } else if (was > is) {
        out = finer(c, x, dtype, was / is);
        out->sizes[last] = sym_mul_int(t, x->sizes[last], was / is);
        out->strides[last] = infer_number(c, 1);
    } else {
        out = coarser(c, x, dtype, is / was);
        out->sizes[last] = sym_floordiv(t, x->sizes[last], infer_number(c, is / was));
        out->strides[last] = infer_number(c, 1);
    }
    infer_give(c, out);
}

ty_tensor *infer_as_real(infer_call *c, const ty_tensor *x)
{
    if (!x) return NULL;
    if (!ty_is_complex(x->dtype)) {
        infer_fail(c, "%s is not complex", infer_shape(c, x));
        return NULL;
    }
    ty_tensor *out = infer_unsqueeze(c, finer(c, x, ty_complex_to_real(x->dtype), 2), x->rank);
    if (!out) return NULL;
    out->sizes[x->rank] = infer_number(c, 2);
    out->strides[x->rank] = infer_number(c, 1);
    return out;
}

void rule_view_as_real(infer_call *c)
{
    infer_give(c, infer_as_real(c, infer_self(c)));
}

void rule_view_as_complex(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    if (x->rank == 0 || !infer_is(c, x->sizes[x->rank - 1], 2)) {
        infer_fail(c, "%s has no last dimension of size 2", infer_shape(c, x));
        return;
    }
    ty_tensor *pairs = coarser(c, x, ty_real_to_complex(x->dtype), 2);
    infer_give(c, infer_select(c, pairs, x->rank - 1, infer_number(c, 0)));
}

/* Real (0) or imaginary (1) part: a view of complex numbers; real ones are their own. */
void rule_part(infer_call *c)
{
    ty_tensor *x = infer_self(c);
    if (!x) return;
    if (!ty_is_complex(x->dtype)) {
        infer_give(c, infer_alias(c, x));
        return;
    }
    infer_give(c, infer_select(c, infer_as_real(c, x), x->rank, infer_number(c, c->param)));
}
