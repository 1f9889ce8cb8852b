/* values.c -- a walk over the elements of a tensor of any strides. */
#include "driver/debug/values.h"

#include "loop/loop.h"

#include <math.h>
#include <stdio.h>

/* What a walk keeps beside its facts. */
typedef struct walk {
    value_facts facts;
    double sum;
    int64_t finite;
} walk;

static void count(walk *w, double value)
{
    if (isnan(value)) return;
    w->facts.min = fmin(w->facts.min, value);
    w->facts.max = fmax(w->facts.max, value);
    if (isinf(value)) return;
    w->sum += value;
    w->finite++;
}

static void look_at(walk *w, ty_dtype part, uint32_t parts, const char *element)
{
    value_facts *f = &w->facts;
    bool is_nan = false, is_infinite = false;
    for (uint32_t i = 0; i < parts; i++) {
        double value;
        loop_convert(TY_F64, &value, part, element + i * ty_dtype_size(part));
        count(w, value);
        is_nan |= isnan(value) != 0;
        is_infinite |= isinf(value) != 0;
    }
    if (is_nan && f->nans++ == 0) f->first_nan = f->elements;
    if (is_infinite && f->infinities++ == 0) f->first_infinity = f->elements;
    f->elements++;
}

bool values_step(const value_tensor *t, int64_t *at, int64_t *offset)
{
    for (uint32_t d = t->rank; d-- > 0;) {
        *offset += t->strides[d];
        if (++at[d] < t->sizes[d]) return true;
        *offset -= at[d] * t->strides[d];
        at[d] = 0;
    }
    return false;
}

value_facts values_look(const value_tensor *t)
{
    walk w = {
        .facts = {.first_nan = -1, .first_infinity = -1, .min = NAN, .max = NAN, .mean = NAN}};
    int64_t at[TY_MAX_RANK] = {0}, offset = 0, size = (int64_t)ty_dtype_size(t->dtype);
    ty_dtype part = ty_complex_to_real(t->dtype);
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->sizes[d] <= 0) return w.facts;
    do look_at(&w, part, ty_is_complex(t->dtype) ? 2 : 1, (const char *)t->data + offset * size);
    while (values_step(t, at, &offset));
    if (w.finite) w.facts.mean = w.sum / (double)w.finite;
    return w.facts;
}

void values_index_text(const value_tensor *t, int64_t at, char *out, size_t bytes)
{
    int64_t index[TY_MAX_RANK];
    size_t used = 0;
    for (uint32_t d = t->rank; d-- > 0; at /= t->sizes[d]) index[d] = at % t->sizes[d];
    for (uint32_t d = 0; d < t->rank && used < bytes; d++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%lld", d ? ", " : "[",
                                 (long long)index[d]);
    if (used < bytes) snprintf(out + used, bytes - used, t->rank ? "]" : "[]");
}
