/* rt_search.c - where values go in sorted rows: binary search. Each step is as PyTorch takes it, so
 * that rows with NaN or out of order give what they give there, unless NaN is said to be last.
 */
#include "rt_half.h"
#include "rt_program.h"
#include "rt_sort.h"

typedef struct search {
    const fe_tensor *edges, *values, *order, *out;
    int64_t n, columns; /* of a row of edges, of values */
    int right, nan_last;
    int one_row; /* the values are, and all are searched in the same one */
} search;

/* One row of values in one row of edges. */
typedef struct span {
    const void *edges, *values;
    const int64_t *order; /* or NULL */
    int64_t edge_stride, value_stride, order_stride;
    int64_t n, count;
    int right, nan_last;
    int64_t *places; /* of at most SPAN values */
} span;

enum { SPAN = 256, SIDE = 4, MANY = 8, FIND_WORK = 1 << 9 };

/* Steps that every search in n edges takes: after each no less is left than half of what is beside the
 * middle. */
static int64_t common_steps(int64_t n)
{
    int64_t steps = 0;
    for (int64_t left = n; left > 0; left = (left - 1) / 2) steps++;
    return steps;
}

#define SAME(x) (x)

/* Of edges that lie one behind the other: MANY searches side by side, none of which is done before the common
 * steps are; the last step is of those that are not. */
#define SEARCH_MANY(name, type, is_behind)                                                     \
    static void search_##name(const span *s, int64_t k, int64_t steps)                         \
    {                                                                                          \
        const type *edges = s->edges, *values = (const type *)s->values + k * s->value_stride; \
        int64_t from[MANY], left[MANY];                                                        \
        type v[MANY];                                                                          \
        for (int64_t j = 0; j < MANY; j++) {                                                   \
            v[j] = values[j * s->value_stride];                                                \
            from[j] = 0;                                                                       \
            left[j] = s->n;                                                                    \
        }                                                                                      \
        for (; steps > 0; steps--)                                                             \
            for (int64_t j = 0; j < MANY; j++) {                                               \
                int64_t half = left[j] >> 1;                                                   \
                type edge = edges[from[j] + half];                                             \
                int64_t goes_on = -(int64_t) !(is_behind);                                     \
                from[j] += (half + 1) & goes_on;                                               \
                left[j] = half - (goes_on & ~left[j] & 1);                                     \
            }                                                                                  \
        for (int64_t j = 0; j < MANY; j++) {                                                   \
            int64_t at = from[j];                                                              \
            if (left[j] > 0) {                                                                 \
                type edge = edges[at];                                                         \
                at += !(is_behind);                                                            \
            }                                                                                  \
            s->places[k + j] = at;                                                             \
        }                                                                                      \
    }
#define SEARCH_BOTH(name, type)                     \
    SEARCH_MANY(name##_left, type, edge >= v[j])    \
    SEARCH_MANY(name##_right, type, edge > v[j])    \
    static int64_t many_##name(const span *s)       \
    {                                               \
        int64_t k = 0, steps = common_steps(s->n);  \
        for (; k + MANY <= s->count; k += MANY)     \
            if (s->right)                           \
                search_##name##_right(s, k, steps); \
            else                                    \
                search_##name##_left(s, k, steps);  \
        return k;                                   \
    }
SEARCH_BOTH(i32, int32_t)
SEARCH_BOTH(i64, int64_t)
SEARCH_BOTH(f32, float)
SEARCH_BOTH(f64, double)

/* How many of the values have been found so. */
static int64_t search_many(uint32_t dtype, const span *s)
{
    if (s->order || s->nan_last || s->edge_stride != 1) return 0;
    switch (dtype) {
    case FE_I32: return many_i32(s);
    case FE_I64: return many_i64(s);
    case FE_F32: return many_f32(s);
    case FE_F64: return many_f64(s);
    default: return 0;
    }
}

/* Values go SIDE by side, so that their loads overlap. A search that is done stays where it is: its
 * middle is its place. */
#define SEARCH(name, type, number, convert)                                                    \
    static void search_##name(const span *s, int64_t k)                                        \
    {                                                                                          \
        const type *edges = s->edges, *values = s->values;                                     \
        for (; k < s->count; k += SIDE) {                                                      \
            int64_t from[SIDE], to[SIDE];                                                      \
            number v[SIDE];                                                                    \
            for (int64_t j = 0; j < SIDE; j++) {                                               \
                int64_t at = k + j < s->count ? k + j : s->count - 1;                          \
                v[j] = convert(values[at * s->value_stride]);                                  \
                from[j] = 0;                                                                   \
                to[j] = s->n;                                                                  \
            }                                                                                  \
            for (int64_t left = s->n; left > 0; left /= 2)                                     \
                for (int64_t j = 0; j < SIDE; j++) {                                           \
                    int64_t middle = from[j] + (to[j] - from[j]) / 2;                          \
                    int64_t at = middle < s->n ? middle : s->n - 1;                            \
                    if (s->order) at = s->order[at * s->order_stride];                         \
                    number edge = convert(edges[at * s->edge_stride]);                         \
                    int behind = s->right ? edge > v[j] : edge >= v[j];                        \
                    int is_nan = v[j] != v[j];                                                 \
                    if (s->nan_last)                                                           \
                        behind = !(s->right ? (edge <= v[j]) | is_nan                          \
                                            : (edge < v[j]) | (is_nan & (edge == edge)));      \
                    int64_t stays = -(int64_t)(behind | (from[j] >= to[j]));                   \
                    from[j] = (from[j] & stays) | ((middle + 1) & ~stays);                     \
                    to[j] = (middle & stays) | (to[j] & ~stays);                               \
                }                                                                              \
            for (int64_t j = 0; j < SIDE && k + j < s->count; j++) s->places[k + j] = from[j]; \
        }                                                                                      \
    }
SEARCH(u8, uint8_t, uint8_t, SAME)
SEARCH(i8, int8_t, int8_t, SAME)
SEARCH(u16, uint16_t, uint16_t, SAME)
SEARCH(i16, int16_t, int16_t, SAME)
SEARCH(u32, uint32_t, uint32_t, SAME)
SEARCH(i32, int32_t, int32_t, SAME)
SEARCH(u64, uint64_t, uint64_t, SAME)
SEARCH(i64, int64_t, int64_t, SAME)
SEARCH(f16, fe_f16, float, rt_float_of_f16)
SEARCH(bf16, fe_bf16, float, rt_float_of_bf16)
SEARCH(f32, float, float, SAME)
SEARCH(f64, double, double, SAME)

static void search_span(uint32_t dtype, const span *s)
{
    int64_t k = search_many(dtype, s);
    switch (dtype) {
    case FE_BOOL:
    case FE_U8: search_u8(s, k); break;
    case FE_I8: search_i8(s, k); break;
    case FE_U16: search_u16(s, k); break;
    case FE_I16: search_i16(s, k); break;
    case FE_U32: search_u32(s, k); break;
    case FE_I32: search_i32(s, k); break;
    case FE_U64: search_u64(s, k); break;
    case FE_I64: search_i64(s, k); break;
    case FE_F16: search_f16(s, k); break;
    case FE_BF16: search_bf16(s, k); break;
    case FE_F32: search_f32(s, k); break;
    case FE_F64: search_f64(s, k); break;
    default: break;
    }
}

/* Where row `row` of t begins; its dimensions but the last are those of the values. */
static int64_t offset_of(const search *s, const fe_tensor *t, int64_t row)
{
    int64_t offset = 0;
    for (uint32_t k = s->values->rank - 1; k-- > 0;) {
        offset += row % s->values->sizes[k] * t->strides[k];
        row /= s->values->sizes[k];
    }
    return offset;
}

static const void *element(const fe_tensor *t, int64_t index)
{
    return (const char *)t->data + index * (rt_key_bits(t->dtype) / 8);
}

/* ---- of a row ---- */

/* Values [column, column + count) of a row. */
static void find_in_row(const search *s, int64_t row, int64_t column, int64_t count)
{
    const fe_tensor *e = s->edges, *v = s->values, *o = s->order, *out = s->out;
    uint32_t last = v->rank - 1, last_edge = e->rank - 1;
    int64_t places[SPAN], stride = out->strides[last];
    span part = {.edges = element(e, offset_of(s, e, row)),
                 .values = element(v, offset_of(s, v, row) + column * v->strides[last]),
                 .edge_stride = e->strides[last_edge],
                 .value_stride = v->strides[last],
                 .n = s->n,
                 .count = count,
                 .right = s->right,
                 .nan_last = s->nan_last,
                 .places = places};
    if (o->data) {
        part.order = element(o, offset_of(s, o, row));
        part.order_stride = o->strides[last_edge];
    }
    search_span(e->dtype, &part);
    int64_t *to = (int64_t *)out->data + offset_of(s, out, row) + column * stride;
    for (int64_t k = 0; k < count; k++) to[k * stride] = places[k];
}

/* ---- of several rows ---- */

#define MOVE(type)                      \
    for (int64_t k = 0; k < count; k++) \
    ((type *)to)[k * to_stride] = ((const type *)from)[k * from_stride]

static void move(int64_t bytes, void *to, int64_t to_stride, const void *from, int64_t from_stride,
                 int64_t count)
{
    switch (bytes) {
    case 1: MOVE(uint8_t); break;
    case 2: MOVE(uint16_t); break;
    case 4: MOVE(uint32_t); break;
    default: MOVE(uint64_t); break;
    }
}

/* Where value `at` of all lies, and how many follow, out of `count`, in its row. */
static int64_t find_part(const search *s, int64_t at, int64_t count, int64_t *row, int64_t *column)
{
    *row = s->one_row ? 0 : at / s->columns;
    *column = at - *row * s->columns;
    return s->one_row ? count : fe_min(s->columns - *column, count);
}

/* Values [at, at + count) of all, which are searched in the same row. */
static void find_in_rows(const search *s, int64_t at, int64_t count)
{
    const fe_tensor *e = s->edges, *v = s->values, *o = s->order, *out = s->out;
    uint32_t last = v->rank - 1;
    uint64_t values[SPAN];
    int64_t places[SPAN], bytes = rt_key_bits(v->dtype) / 8;
    int64_t v_stride = s->one_row ? 1 : v->strides[last];
    int64_t out_stride = s->one_row ? 1 : out->strides[last];
    span part = {.edges = e->data,
                 .values = values,
                 .order = o->data,
                 .edge_stride = e->strides[0],
                 .value_stride = 1,
                 .order_stride = o->data ? o->strides[0] : 0,
                 .n = s->n,
                 .count = count,
                 .right = s->right,
                 .nan_last = s->nan_last,
                 .places = places};
    for (int64_t k = 0, some, row, column; k < count; k += some) {
        some = find_part(s, at + k, count - k, &row, &column);
        move(bytes, (char *)values + k * bytes, 1,
             element(v, offset_of(s, v, row) + column * v_stride), v_stride, some);
    }
    search_span(e->dtype, &part);
    for (int64_t k = 0, some, row, column; k < count; k += some) {
        some = find_part(s, at + k, count - k, &row, &column);
        move(8, (int64_t *)out->data + offset_of(s, out, row) + column * out_stride, out_stride,
             places + k, 1, some);
    }
}

static void find(void *context, int64_t begin, int64_t end, int worker)
{
    const search *s = context;
    (void)worker;
    for (int64_t count; begin < end && s->edges->rank == 1; begin += count) {
        count = fe_min(end - begin, SPAN);
        find_in_rows(s, begin, count);
    }
    while (begin < end) {
        int64_t row = begin / s->columns, column = begin % s->columns;
        int64_t count = s->columns - column < end - begin ? s->columns - column : end - begin;
        if (count > SPAN) count = SPAN;
        find_in_row(s, row, column, count);
        begin += count;
    }
}

/* An order that leads out of its row would read anything. */
static int order_is_bad(const search *s)
{
    const fe_tensor *o = s->order;
    int64_t rows = 1;
    uint32_t last = o->rank - 1;
    for (uint32_t k = 0; k < last; k++) rows *= o->sizes[k];
    for (int64_t row = 0; row < rows; row++) {
        const int64_t *at = (const int64_t *)o->data + (last ? offset_of(s, o, row) : 0);
        for (int64_t k = 0; k < s->n; k++)
            if (at[k * o->strides[last]] < 0 || at[k * o->strides[last]] >= s->n) return 1;
    }
    return 0;
}

static int is_one_behind_another(const fe_tensor *t)
{
    int64_t step = 1;
    for (uint32_t d = t->rank; d-- > 0; step *= t->sizes[d])
        if (t->sizes[d] != 1 && t->strides[d] != step) return 0;
    return 1;
}

int rt_op_search(rt_frame *frame, const rt_call *call)
{
    search s = {.edges = &call->in[0],
                .values = &call->in[1],
                .order = &call->in[2],
                .out = &call->out[0],
                .right = call->ints[RT_SEARCH_HOW] & 1,
                .nan_last = call->ints[RT_SEARCH_HOW] >> 1 & 1};
    int64_t count = 1;
    s.n = s.edges->sizes[s.edges->rank - 1];
    s.columns = s.values->sizes[s.values->rank - 1];
    for (uint32_t k = 0; k < s.values->rank; k++) count *= s.values->sizes[k];
    if (count == 0) return 0;
    s.one_row =
        s.edges->rank == 1 && is_one_behind_another(s.values) && is_one_behind_another(s.out);
    if (s.order->data && order_is_bad(&s))
        return rt_fail(frame, FE_RUN_ASSERTION, "%s: an index of the sorter is out of range",
                       call->text ? call->text : "searchsorted");
    rt_parallel(frame->pool, find, &s, count, FIND_WORK);
    return 0;
}
