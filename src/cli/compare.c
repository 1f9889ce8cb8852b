/* compare.c -- values against recorded ones. */
#include "cli/compare.h"

#include <math.h>
#include <string.h>

/* Our error against float64 may be this many times eager's own. */
#define ERROR_FACTOR 4.0

fe_status compare_mismatch(driver_program *d, const char *what, const char *place)
{
    return diag_fail(d->session, (diag){.status = FE_MISMATCH, .stage = "check", .place = place},
                     "%s", what);
}

static double bits_to_double(ty_dtype dtype, const void *at)
{
    uint16_t half;
    float single;
    switch (dtype) {
    case TY_F32: memcpy(&single, at, 4); return (double)single;
    case TY_F64: {
        double x;
        memcpy(&x, at, 8);
        return x;
    }
    case TY_F16:
    case TY_BF16: memcpy(&half, at, 2); return ty_half_value(dtype, half);
    default: return ty_is_float8(dtype) ? ty_float8_value(dtype, *(const uint8_t *)at) : 0;
    }
}

/* Number of real components of one element. */
static uint32_t parts_of(ty_dtype dtype, ty_dtype *part)
{
    *part = ty_is_complex(dtype) ? ty_complex_to_real(dtype) : dtype;
    return ty_is_complex(dtype) ? 2 : 1;
}

typedef struct worst {
    size_t at;
    double ours, theirs, excess;
    size_t count, of;
} worst;

bool compare_is_close(double a, double b, compare_tolerance t)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (isinf(a) || isinf(b)) return a == b;
    return fabs(a - b) <= t.absolute + t.relative * fabs(b);
}

static worst find_worst(const tensor_entry *ours, const tensor_entry *theirs, compare_tolerance t)
{
    ty_dtype part;
    size_t element = ty_dtype_size(ours->dtype), count = element ? ours->bytes / element : 0;
    uint32_t parts = parts_of(ours->dtype, &part);
    size_t size = ty_dtype_size(part);
    worst w = {0};
    bool exact = !ty_is_floating(part);
    for (size_t i = 0; i < count * parts; i++) {
        const char *a = (const char *)ours->data + i * size,
                   *b = (const char *)theirs->data + i * size;
        if (exact ? memcmp(a, b, size) == 0
                  : compare_is_close(bits_to_double(part, a), bits_to_double(part, b), t))
            continue;
        double x = exact ? 0 : bits_to_double(part, a), y = exact ? 0 : bits_to_double(part, b);
        if (exact && size == 8) x = (double)*(const int64_t *)a, y = (double)*(const int64_t *)b;
        if (exact && size == 1) x = *(const uint8_t *)a, y = *(const uint8_t *)b;
        if (exact && size == 4) x = *(const int32_t *)a, y = *(const int32_t *)b;
        double excess = isnan(x - y) ? INFINITY : fabs(x - y);
        if (w.count++ == 0 || excess > w.excess) w = (worst){i / parts, x, y, excess, w.count, 0};
    }
    w.of = count * parts;
    return w;
}

bool compare_are_close(const tensor_entry *ours, const tensor_entry *theirs, compare_tolerance t)
{
    return find_worst(ours, theirs, t).count == 0;
}

fe_status compare_values(driver_program *d, const tensor_entry *ours, const tensor_entry *theirs,
                         compare_tolerance t, const char *name)
{
    worst w = find_worst(ours, theirs, t);
    if (w.count == 0) return FE_OK;
    return compare_mismatch(
        d,
        arena_printf(
            d->memory,
            "%zu of %zu values differ; the worst, element %zu, is %.9g where eager gives %.9g",
            w.count, w.of, w.at, w.ours, w.theirs),
        name);
}

static void count_others(const tensor_entry *ours, const tensor_entry *theirs,
                         compare_distance *out)
{
    size_t size = ty_dtype_size(ours->dtype), count = size ? ours->bytes / size : 0;
    for (size_t i = 0; i < count; i++)
        out->other += memcmp((const char *)ours->data + i * size,
                             (const char *)theirs->data + i * size, size) != 0;
    out->integers += count;
}

fe_status compare_measure(driver_program *d, const tensor_entry *ours, const tensor_entry *theirs,
                          const char *name, compare_distance *out)
{
    ty_dtype part;
    double squares = 0, of = 0, most = 0, largest = 0;
    (void)parts_of(ours->dtype, &part);
    size_t size = ty_dtype_size(part);
    if (!ty_is_floating(part)) {
        count_others(ours, theirs, out);
        return FE_OK;
    }
    for (size_t i = 0; i < ours->bytes / size; i++) {
        double x = bits_to_double(part, (const char *)ours->data + i * size),
               y = bits_to_double(part, (const char *)theirs->data + i * size);
        if (!isfinite(x) || !isfinite(y)) {
            if (x == y || (isnan(x) && isnan(y))) continue;
            return compare_mismatch(
                d, arena_printf(d->memory, "element %zu is %.9g where eager gives %.9g", i, x, y),
                name);
        }
        squares += (x - y) * (x - y);
        of += y * y;
        most = fmax(most, fabs(x - y));
        largest = fmax(largest, fabs(y));
    }
    if (squares > 0) out->error = fmax(out->error, sqrt(squares / of));
    if (most > 0) out->most = fmax(out->most, most / largest);
    return FE_OK;
}

static double real_at(const tensor_entry *t, size_t i)
{
    return bits_to_double(t->dtype, (const char *)t->data + i * ty_dtype_size(t->dtype));
}

/* Infinite where only one of the two is a number, or they are different infinities. */
static double error_of(double value, double truth)
{
    if (value == truth || (isnan(value) && isnan(truth))) return 0;
    return isfinite(value) && isfinite(truth) ? fabs(value - truth) : INFINITY;
}

/* Against the float64 run: our largest error may be a small factor of eager's. Where eager is no
 * number and float64 is, or the other way round, eager's own answer is as good as float64's. */
fe_status compare_reference(driver_program *d, const tensor_entry *ours, const tensor_entry *eager,
                            const tensor_entry *reference, compare_tolerance t, const char *name)
{
    double our_error = 0, eager_error = 0, scale = 0;
    size_t count = reference->bytes / sizeof(double);
    for (size_t i = 0; i < count; i++) {
        double truth = real_at(reference, i), a = real_at(ours, i), b = real_at(eager, i);
        double error = error_of(b, truth);
        if (isinf(error) && compare_is_close(a, b, t)) continue;
        if (isfinite(error)) eager_error = fmax(eager_error, error);
        if (isfinite(truth)) scale = fmax(scale, fabs(truth));
        our_error = fmax(our_error, error_of(a, truth));
    }
    double floor_error = scale * ldexp(1, -23);
    if (our_error <= ERROR_FACTOR * (eager_error > floor_error ? eager_error : floor_error))
        return FE_OK;
    return compare_mismatch(
        d,
        arena_printf(d->memory,
                     "error against float64 is %.3g, eager's is %.3g: more than %.0f times",
                     our_error, eager_error, ERROR_FACTOR),
        name);
}
