/* rt_segment.c - reductions of segments of rows: segment_reduce, and embedding_bag, whose rows are
 * looked up in a table. Threads share the segments; accumulators are double, but for sums of rows of
 * floats, which the kernel of the instruction set adds up by parts.
 */
#include "rt_add_rows.h"
#include "rt_by_isa.h"
#include "rt_compiler.h"
#include "rt_half.h"
#include "rt_pool.h"
#include "rt_program.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

RT_KERNELS_BY_ISA(add, RT_OF_ONE)

enum { SUM, MEAN, MAX, MIN, PRODUCT, BAG_MAX };
enum {
    COLUMNS = 256,
    ROWS = 128,
    SEGMENT_WORK = 1 << 12,
    AHEAD = 16,
    LINE = 64,
    LARGE = 1 << 20 /* bytes */
};

typedef struct segments {
    const fe_tensor *x, *bounds, *index, *scale, *out;
    int64_t rows; /* that bounds may name */
    int kind;
    bool fetches; /* rows that are looked up in a table larger than caches */
    int64_t padding;
    double start, nothing;
} segments;

/* ---- elements as doubles ---- */

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Rounds to even, once: the double goes to a float with an odd last bit when it is inexact. */
static float odd_float_of(double x)
{
    float f = (float)x;
    if (f != f || (double)f == x || isinf(f)) return f;
    uint32_t bits = bits_of(f);
    if (fabs((double)f) > fabs(x)) bits--;
    return rt_float_of_bits(bits | 1);
}

static fe_bf16 bf16_of(double x)
{
    uint32_t bits = bits_of(odd_float_of(x));
    if (x != x) return 0x7fc0;
    return (fe_bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static fe_f16 f16_of(double x)
{
    double size = fabs(x);
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    if (x != x) return 0x7e00;
    if (size >= 65520) return (fe_f16)(sign | 0x7c00);
    frexp(size, &exponent);
    int scale = size == 0 || exponent - 11 < -24 ? -24 : exponent - 11;
    uint32_t units = (uint32_t)nearbyint(ldexp(size, -scale));
    /* a carry goes into the exponent */
    return (fe_f16)(sign | ((uint32_t)(scale + 24) * 1024 + units));
}

#define READ(type, convert)                                                         \
    {                                                                               \
        const type *p = (const type *)data + first;                                 \
        for (int64_t k = 0; k < count; k++) to[k] = (double)convert(p[k * stride]); \
        break;                                                                      \
    }
#define SAME(x) (x)

static void read_elements(uint32_t dtype, const void *data, int64_t first, int64_t stride,
                          int64_t count, double *to)
{
    switch (dtype) {
    case FE_F16: READ(fe_f16, rt_float_of_f16)
    case FE_BF16: READ(fe_bf16, rt_float_of_bf16)
    case FE_F32: READ(float, SAME)
    default: READ(double, SAME)
    }
}

#define WRITE(type, convert)                                                        \
    {                                                                               \
        type *p = (type *)data + first;                                             \
        for (int64_t k = 0; k < count; k++) p[k * stride] = (type)convert(from[k]); \
        break;                                                                      \
    }

static void write_elements(uint32_t dtype, void *data, int64_t first, int64_t stride, int64_t count,
                           const double *from)
{
    switch (dtype) {
    case FE_F16: WRITE(fe_f16, f16_of)
    case FE_BF16: WRITE(fe_bf16, bf16_of)
    case FE_F32: WRITE(float, SAME)
    default: WRITE(double, SAME)
    }
}

/* ---- one segment ---- */

static int64_t integer_at(const fe_tensor *t, int64_t at)
{
    return t->dtype == FE_I32 ? ((const int32_t *)t->data)[at] : ((const int64_t *)t->data)[at];
}

static double number_at(const fe_tensor *t, int64_t at)
{
    double x;
    read_elements(t->dtype, t->data, at, 1, 1, &x);
    return x;
}

static void accumulate(int kind, double *sums, const double *x, double scale, int64_t count)
{
    switch (kind) {
    case SUM:
    case MEAN:
        for (int64_t k = 0; k < count; k++) sums[k] += scale * x[k];
        break;
    case PRODUCT:
        for (int64_t k = 0; k < count; k++) sums[k] *= x[k];
        break;
    case MAX:
        for (int64_t k = 0; k < count; k++)
            sums[k] = x[k] != x[k] || x[k] > sums[k] ? x[k] : sums[k];
        break;
    case MIN:
        for (int64_t k = 0; k < count; k++)
            sums[k] = x[k] != x[k] || x[k] < sums[k] ? x[k] : sums[k];
        break;
    default:
        for (int64_t k = 0; k < count; k++) sums[k] = x[k] > sums[k] ? x[k] : sums[k];
        break;
    }
}

/* Rows that are looked up lie anywhere: those of a few steps ahead, the next segment's as well, are on their
 * way already. (Not inline, gcc sees no effect in it and drops the call.) */
RT_INLINE void fetch_row(const segments *s, int64_t b, int64_t r, int64_t c, int64_t count)
{
    const fe_tensor *x = s->x;
    int64_t at = integer_at(s->index, r * s->index->strides[0]), size = x->dtype == FE_F64   ? 8
                                                                        : x->dtype == FE_F32 ? 4
                                                                                             : 2;
    const char *row =
        (const char *)x->data + (b * x->strides[0] + at * x->strides[1] + c * x->strides[2]) * size;
    if (x->strides[2] != 1) return;
    for (int64_t k = 0; k < count * size; k += LINE) RT_PREFETCH(row + k);
}

/* Columns [c, c + count) of the rows [from, to): how many rows counted. */
static int64_t reduce_rows(const segments *s, int64_t b, int64_t from, int64_t to, int64_t c,
                           int64_t count, double *sums)
{
    const fe_tensor *x = s->x;
    double row[COLUMNS];
    int64_t counted = 0;
    for (int64_t k = 0; k < count; k++) sums[k] = s->start;
    for (int64_t r = from; r < to; r++) {
        int64_t at = s->index->data ? integer_at(s->index, r * s->index->strides[0]) : r;
        if (s->fetches && r + AHEAD < s->rows) fetch_row(s, b, r + AHEAD, c, count);
        if (s->index->data && at == s->padding) continue;
        double scale = s->scale->data ? number_at(s->scale, r * s->scale->strides[0]) : 1;
        int64_t first = b * x->strides[0] + at * x->strides[1] + c * x->strides[2];
        read_elements(x->dtype, x->data, first, x->strides[2], count, row);
        if (s->kind == BAG_MAX && counted == 0)
            memcpy(sums, row, (size_t)count * sizeof *sums);
        else
            accumulate(s->kind, sums, row, scale, count);
        counted++;
    }
    return counted;
}

/* The same where rows are single numbers in a column: several at a time. */
static int64_t reduce_column(const segments *s, int64_t b, int64_t from, int64_t to, double *sum)
{
    const fe_tensor *x = s->x;
    double rows[COLUMNS], sums[8];
    for (int64_t k = 0; k < 8; k++) sums[k] = s->kind == PRODUCT;
    if (s->kind != SUM && s->kind != MEAN && s->kind != PRODUCT)
        for (int64_t k = 0; k < 8; k++) sums[k] = s->start;
    for (int64_t r = from; r < to; r += COLUMNS) {
        int64_t count = to - r < COLUMNS ? to - r : COLUMNS, k = 0;
        int64_t first = b * x->strides[0] + r * x->strides[1];
        read_elements(x->dtype, x->data, first, x->strides[1], count, rows);
        for (; k + 8 <= count; k += 8) accumulate(s->kind, sums, rows + k, 1, 8);
        accumulate(s->kind, sums, rows + k, 1, count - k);
    }
    *sum = s->start;
    for (int64_t k = 0; k < 8; k++) accumulate(s->kind, sum, sums + k, 1, 1);
    return to - from;
}

static void finish(const segments *s, int64_t counted, double *sums, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (counted == 0)
            sums[k] = s->nothing;
        else if (s->kind == MEAN)
            sums[k] /= (double)counted;
    }
}

/* ---- sums of rows of floats, by the kernel of the instruction set (rt_add_rows.c) ---- */

static bool sums_floats(const segments *s)
{
    return s->x->dtype == FE_F32 && s->x->strides[2] == 1 && !s->scale->data &&
           (s->kind == SUM || s->kind == MEAN);
}

/* Where the rows [from, to) begin, of which `first` is row 0, but for the padding's; returns how many. */
static int64_t find_rows(const segments *s, const float *first, int64_t from, int64_t to,
                         const float **rows)
{
    const fe_tensor *index = s->index;
    int64_t found = 0, stride = s->x->strides[1], padding = s->padding;
    if (!index->data)
        for (int64_t r = from; r < to; r++) rows[found++] = first + r * stride;
    else if (index->dtype == FE_I64 && index->strides[0] == 1 && padding < 0)
        for (const int64_t *at = (const int64_t *)index->data + from; found < to - from; found++)
            rows[found] = first + at[found] * stride;
    else
        for (int64_t r = from; r < to; r++) {
            int64_t at = integer_at(index, r * index->strides[0]);
            rows[found] = first + at * stride;
            found += at != padding;
        }
    return found;
}

static void sum_rows(const segments *s, int64_t b, int64_t segment, int64_t from, int64_t to)
{
    const fe_tensor *x = s->x, *out = s->out;
    void (*add_rows)(const float *const *, int64_t, int64_t, float *) =
        rt_add_kernels_of(0)->add_rows;
    int64_t columns = out->sizes[2];
    const float *rows[ROWS];
    float sums[COLUMNS];
    for (int64_t c = 0; c < columns; c += COLUMNS) {
        const float *first = (const float *)x->data + b * x->strides[0] + c;
        float *to_row = (float *)out->data + b * out->strides[0] + segment * out->strides[1] +
                        c * out->strides[2];
        int64_t count = columns - c < COLUMNS ? columns - c : COLUMNS, counted = 0;
        for (int64_t k = 0; k < count; k++) sums[k] = (float)s->start;
        for (int64_t r = from; r < to; r += ROWS) {
            int64_t end = to - r < ROWS ? to : r + ROWS, found = find_rows(s, first, r, end, rows);
            for (int64_t k = r + AHEAD; s->fetches && k < end + AHEAD && k < s->rows; k++)
                fetch_row(s, b, k, c, count);
            add_rows(rows, found, count, sums);
            counted += found;
        }
        if (counted == 0)
            for (int64_t k = 0; k < count; k++) sums[k] = (float)s->nothing;
        else if (s->kind == MEAN)
            for (int64_t k = 0; k < count; k++) sums[k] /= (float)counted;
        for (int64_t k = 0; k < count; k++) to_row[k * out->strides[2]] = sums[k];
    }
}

/* ---- all segments ---- */

static void run_segments(void *context, int64_t begin, int64_t end, int worker)
{
    const segments *s = context;
    const fe_tensor *out = s->out, *bounds = s->bounds;
    int64_t columns = out->sizes[2];
    double sums[COLUMNS];
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        int64_t b = at / out->sizes[1], segment = at % out->sizes[1];
        int64_t bound = b * bounds->strides[0] + segment * bounds->strides[1];
        int64_t from = integer_at(bounds, bound),
                to = integer_at(bounds, bound + bounds->strides[1]);
        if (sums_floats(s)) sum_rows(s, b, segment, from, to);
        for (int64_t c = 0; c < columns && !sums_floats(s); c += COLUMNS) {
            int64_t count = columns - c < COLUMNS ? columns - c : COLUMNS;
            int64_t counted = columns == 1 && !s->index->data
                                  ? reduce_column(s, b, from, to, sums)
                                  : reduce_rows(s, b, from, to, c, count, sums);
            finish(s, counted, sums, count);
            write_elements(out->dtype, out->data,
                           b * out->strides[0] + segment * out->strides[1] + c * out->strides[2],
                           out->strides[2], count, sums);
        }
    }
}

/* ---- the operator ---- */

/* Bounds that fall, or lie outside the rows. */
static int check_bounds(rt_frame *frame, const segments *s, const char *name)
{
    const fe_tensor *bounds = s->bounds;
    for (int64_t b = 0; b < bounds->sizes[0]; b++) {
        int64_t before = 0;
        for (int64_t k = 0; k < bounds->sizes[1]; k++) {
            int64_t bound = integer_at(bounds, b * bounds->strides[0] + k * bounds->strides[1]);
            if (bound < before || bound > s->rows)
                return rt_fail(frame, FE_RUN_ASSERTION, "%s: segments lie outside the rows", name);
            before = bound;
        }
    }
    return 0;
}

static int check_indices(rt_frame *frame, const segments *s, const char *name)
{
    const fe_tensor *index = s->index;
    int64_t size = s->x->sizes[1], count = index->data ? index->sizes[0] : 0;
    int64_t outside = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t at = integer_at(index, k * index->strides[0]);
        outside |= at | (size - 1 - at); /* below 0 where one is */
    }
    for (int64_t k = 0; outside < 0 && k < count; k++) {
        int64_t at = integer_at(index, k * index->strides[0]);
        if (at < 0 || at >= size)
            return rt_fail(frame, FE_RUN_ASSERTION,
                           "%s: index %lld is out of bounds for dimension 0 with size %lld", name,
                           (long long)at, (long long)size);
    }
    return 0;
}

int rt_op_segment(rt_frame *frame, const rt_call *call)
{
    segments s = {.x = &call->in[0],
                  .bounds = &call->in[1],
                  .index = &call->in[2],
                  .scale = &call->in[3],
                  .out = &call->out[0],
                  .kind = (int)call->ints[RT_SEGMENT_KIND],
                  .padding = call->ints[RT_SEGMENT_PADDING],
                  .start = call->floats[RT_SEGMENT_START],
                  .nothing = call->floats[RT_SEGMENT_NOTHING]};
    s.rows = s.index->data ? s.index->sizes[0] : s.x->sizes[1];
    s.fetches = s.index->data && s.x->sizes[1] * s.x->strides[1] > LARGE / 4;
    int64_t count = s.out->sizes[0] * s.out->sizes[1];
    const char *name = call->text ? call->text : "segments";
    RT_TRY(check_bounds(frame, &s, name));
    RT_TRY(check_indices(frame, &s, name));
    if (count == 0 || s.out->sizes[2] == 0) return 0;
    int64_t work = (s.rows / s.out->sizes[1] + 1) * s.out->sizes[2];
    rt_parallel(frame->pool, run_segments, &s, count, SEGMENT_WORK / work + 1);
    return 0;
}
