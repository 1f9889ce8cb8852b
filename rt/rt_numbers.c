/* rt_numbers.c - looks for NaN and infinity in what a run works on, where the program was compiled to. */
#include "rt_entry.h"

#include <stdio.h>
#include <string.h>

/* An element is NaN or infinity where its bits of `mask` are `value`: NaN with a bit of `fraction`, or always
 * where that is 0. */
typedef struct float_form {
    uint32_t dtype, bytes, parts; /* a complex element has two */
    uint64_t mask, value, fraction;
} float_form;

#define HALF 0x7c00u, 0x7c00u, 0x03ffu
#define SINGLE 0x7f800000u, 0x7f800000u, 0x007fffffu
#define DOUBLE 0x7ff0000000000000u, 0x7ff0000000000000u, 0x000fffffffffffffu
static const float_form forms[] = {
    {FE_F16, 2, 1, HALF},
    {FE_BF16, 2, 1, 0x7f80u, 0x7f80u, 0x007fu},
    {FE_F32, 4, 1, SINGLE},
    {FE_F64, 8, 1, DOUBLE},
    {FE_C32, 2, 2, HALF},
    {FE_C64, 4, 2, SINGLE},
    {FE_C128, 8, 2, DOUBLE},
    {FE_F8E4M3FN, 1, 1, 0x7fu, 0x7fu, 0},
    {FE_F8E5M2, 1, 1, 0x7cu, 0x7cu, 0x03u},
    {FE_F8E4M3FNUZ, 1, 1, 0xffu, 0x80u, 0},
    {FE_F8E5M2FNUZ, 1, 1, 0xffu, 0x80u, 0},
    {FE_F8E8M0FNU, 1, 1, 0xffu, 0xffu, 0},
};
#undef HALF
#undef SINGLE
#undef DOUBLE

enum { IS_NAN = 1, IS_INFINITE = 2 };

static const float_form *form_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].dtype == dtype) return &forms[i];
    return NULL;
}

static int look_at(const float_form *form, const char *element)
{
    int found = 0;
    for (uint32_t i = 0; i < form->parts; i++, element += form->bytes) {
        uint64_t bits = 0;
        uint32_t word;
        uint16_t half;
        uint8_t byte;
        if (form->bytes == 8)
            memcpy(&bits, element, 8);
        else if (form->bytes == 4)
            memcpy(&word, element, 4), bits = word;
        else if (form->bytes == 2)
            memcpy(&half, element, 2), bits = half;
        else
            memcpy(&byte, element, 1), bits = byte;
        if ((bits & form->mask) != form->value) continue;
        found |= !form->fraction || bits & form->fraction ? IS_NAN : IS_INFINITE;
    }
    return found;
}

/* A walk over the elements of a tensor in row-major order. */
typedef struct walk {
    const fe_tensor *t;
    int64_t at[RT_MAX_RANK], offset; /* in elements */
} walk;

static int is_empty(const fe_tensor *t)
{
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->sizes[d] <= 0) return 1;
    return 0;
}

/* To the next element; 0 behind the last. */
static int step(walk *w)
{
    for (uint32_t d = w->t->rank; d-- > 0;) {
        int64_t stride = rt_stride(w->t, d);
        w->offset += stride;
        if (++w->at[d] < w->t->sizes[d]) return 1;
        w->offset -= w->at[d] * stride;
        w->at[d] = 0;
    }
    return 0;
}

static void print_index(const walk *w, char *out, size_t bytes)
{
    size_t used = 0;
    for (uint32_t d = 0; d < w->t->rank && used < bytes; d++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%lld", d ? ", " : "[",
                                 (long long)w->at[d]);
    if (used < bytes) snprintf(out + used, bytes - used, w->t->rank ? "]" : "[]");
}

int rt_check_numbers(rt_frame *frame, const fe_tensor *t, int finite, const char *what)
{
    const float_form *form = form_of(t->dtype);
    walk w = {.t = t}, first[3];
    int64_t count[3] = {0}, elements = 0;
    char index[200];
    if (!form || !t->data || is_empty(t)) return 0;
    do {
        int found =
            look_at(form, (const char *)t->data + w.offset * (int64_t)(form->bytes * form->parts));
        if (found & IS_NAN && count[IS_NAN]++ == 0) first[IS_NAN] = w;
        if (found & IS_INFINITE && count[IS_INFINITE]++ == 0) first[IS_INFINITE] = w;
        elements++;
    } while (step(&w));
    int kind = count[IS_NAN] ? IS_NAN : IS_INFINITE;
    if (!count[kind] || (kind == IS_INFINITE && !finite)) return 0;
    print_index(&first[kind], index, sizeof index);
    return rt_fail(frame, FE_RUN_ASSERTION, "%s in %s: %lld of %lld elements, the first at %s",
                   kind == IS_NAN ? "NaN" : "infinity", what, (long long)count[kind],
                   (long long)elements, index);
}

void rt_clear(const fe_tensor *t)
{
    const float_form *form = form_of(t->dtype);
    walk w = {.t = t};
    if (!form || !t->data || is_empty(t)) return;
    size_t bytes = form->bytes * form->parts;
    do memset((char *)t->data + w.offset * (int64_t)bytes, 0, bytes);
    while (step(&w));
}
