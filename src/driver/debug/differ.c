/* differ.c -- numbers against those that a reference gives.
 *
 * A kernel sums in another order than the reference and its functions are good to a few units in the
 * last place; what is made of large numbers may be small. So the tolerance is a number of units in the
 * last place of the result, or of the largest number that went in or came out, whichever is more.
 */
#include "driver/debug/values.h"

#include "loop/loop.h"

#include <float.h>
#include <math.h>

/* Of a dtype: a unit in the last place of 1, the smallest exponent, how many units are too many. */
typedef struct precision {
    double unit, smallest, most;
} precision;

static precision precision_of(ty_dtype part)
{
    switch (part) {
    case TY_F64: return (precision){DBL_EPSILON, DBL_MIN, 512};
    case TY_F16: return (precision){ldexp(1, -10), ldexp(1, -14), 8};
    case TY_BF16: return (precision){ldexp(1, -7), (double)FLT_MIN, 8};
    case TY_F8E4M3FN:
    case TY_F8E5M2:
    case TY_F8E4M3FNUZ:
    case TY_F8E5M2FNUZ:
    case TY_F8E8M0FNU: {
        const ty_float8_form *f = ty_float8_form_of(part);
        return (precision){ldexp(1, -f->mantissa), ldexp(1, 1 - f->bias), 4};
    }
    default: return (precision){(double)FLT_EPSILON, (double)FLT_MIN, 512};
    }
}

static double unit_of(const precision *p, double value)
{
    int exponent;
    double size = fmax(fabs(value), p->smallest);
    if (!isfinite(size)) return p->unit;
    frexp(size, &exponent);
    return ldexp(p->unit, exponent - 1);
}

typedef struct differing {
    const precision *precision; /* NULL: equal or not */
    ty_dtype part;
    double scale;
    value_difference *out;
} differing;

static bool is_same(const differing *d, double ours, double wanted)
{
    if (isnan(ours) || isnan(wanted)) return isnan(ours) && isnan(wanted);
    if (ours == wanted) return true;
    if (!d->precision || isinf(ours) || isinf(wanted)) return false;
    double unit = fmax(unit_of(d->precision, wanted), unit_of(d->precision, d->scale));
    return fabs(ours - wanted) <= d->precision->most * unit;
}

static void compare(differing *d, const char *ours, const char *wanted)
{
    value_difference *out = d->out;
    precision whole = {1, 1, 0};
    double a, b;
    loop_convert(TY_F64, &a, d->part, ours);
    loop_convert(TY_F64, &b, d->part, wanted);
    if (is_same(d, a, b)) return;
    double ulps = fabs(a - b) / (d->precision ? unit_of(d->precision, b) : whole.unit);
    if (isnan(ulps)) ulps = INFINITY;
    if (out->count == 0 || out->last != out->elements) out->count++;
    out->last = out->elements;
    if (out->count == 1 || ulps > out->ulps) {
        out->at = out->elements;
        out->ours = a;
        out->wanted = b;
        out->ulps = ulps;
    }
}

/* Each number, a complex one's parts one by one. */
static void each_pair(differing *d, const value_tensor *ours, const char *wanted)
{
    int64_t at[TY_MAX_RANK] = {0}, offset = 0;
    int64_t size = (int64_t)ty_dtype_size(ours->dtype), step = (int64_t)ty_dtype_size(d->part);
    d->out->elements = 0;
    do {
        for (int64_t i = offset * size; i < (offset + 1) * size; i += step)
            compare(d, (const char *)ours->data + i, wanted + i);
        d->out->elements++;
    } while (values_step(ours, at, &offset));
}

bool values_differ(const value_tensor *ours, const void *wanted, double magnitude, ty_dtype through,
                   value_difference *out)
{
    ty_dtype part = ty_complex_to_real(ours->dtype);
    precision p = precision_of(part), q = precision_of(through);
    if (ty_is_floating(through) && q.unit > p.unit) p = q;
    differing d = {.precision = ty_is_floating(part) ? &p : NULL,
                   .part = part,
                   .scale = magnitude,
                   .out = out};
    *out = (value_difference){0};
    for (uint32_t k = 0; k < ours->rank; k++)
        if (ours->sizes[k] <= 0) return false;
    each_pair(&d, ours, wanted);
    return out->count > 0;
}
