/* rows.c -- the runtime's operators on rows (sort, topk, select, mode, search) against what is
 * plain to see: sizes that take each way through them, strides, ties, NaN, one thread and several.
 */
#include "../../rt/rows/rt_sort.h"
#include "../../rt/rt_entry.h"
#include "../../rt/rt_kernels.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };

static uint64_t random_bits(void)
{
    static uint64_t state;
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9u;
    return (z ^ z >> 27) * 0x94D049BB133111EBu >> 11;
}

/* A matrix of rows, or of columns, in memory of its own. */
typedef struct matrix {
    fe_tensor t;
    int64_t sizes[2], strides[2];
} matrix;

static void shape(matrix *m, uint32_t dtype, int64_t rows, int64_t n, bool across)
{
    memset(m, 0, sizeof *m);
    m->sizes[0] = rows;
    m->sizes[1] = n;
    m->strides[0] = across ? 1 : n;
    m->strides[1] = across ? rows : 1;
    m->t = (fe_tensor){calloc((size_t)(rows * n) + 1, 8), dtype, 2, m->sizes, m->strides};
}

static int64_t at(const matrix *m, int64_t row, int64_t k)
{
    return row * m->strides[0] + k * m->strides[1];
}

static void put(const matrix *m, int64_t index, double x)
{
    switch (m->t.dtype) {
    case FE_F32: ((float *)m->t.data)[index] = (float)x; break;
    case FE_F64: ((double *)m->t.data)[index] = x; break;
    case FE_I64: ((int64_t *)m->t.data)[index] = isnan(x) ? 0 : (int64_t)x; break;
    case FE_U8: ((uint8_t *)m->t.data)[index] = isnan(x) ? 0 : (uint8_t)(int)x; break;
    default: ((int16_t *)m->t.data)[index] = isnan(x) ? 0 : (int16_t)x; break;
    }
}

static double get(const matrix *m, int64_t index)
{
    switch (m->t.dtype) {
    case FE_F32: return (double)((const float *)m->t.data)[index];
    case FE_F64: return ((const double *)m->t.data)[index];
    case FE_I64: return (double)((const int64_t *)m->t.data)[index];
    case FE_U8: return ((const uint8_t *)m->t.data)[index];
    default: return ((const int16_t *)m->t.data)[index];
    }
}

/* -1, 0, 1; NaN is the greatest. */
static int order_of(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static bool same(double a, double b)
{
    return order_of(a, b) == 0;
}

typedef struct rows_case {
    matrix x, values, places;
    int64_t rows, n;
    rt_pool *pool;
} rows_case;

static void make(rows_case *c, uint32_t dtype, int64_t rows, int64_t n, int64_t kept, int spread)
{
    bool across = random_bits() % 2;
    c->rows = rows;
    c->n = n;
    shape(&c->x, dtype, rows, n, across);
    shape(&c->values, dtype, rows, kept, !across);
    shape(&c->places, FE_I64, rows, kept, across);
    for (int64_t k = 0; k < rows * n; k++) {
        double x = (double)(random_bits() % (uint64_t)spread) - spread / 2;
        if (random_bits() % 50 == 0) x = (double)NAN;
        put(&c->x, k, x == 0 && random_bits() % 2 ? -x : x);
    }
}

static void drop(rows_case *c)
{
    free(c->x.t.data);
    free(c->values.t.data);
    free(c->places.t.data);
}

static int call(rows_case *c, int (*op)(rt_frame *, const rt_call *), const int64_t *ints)
{
    fe_context context = {.pool = c->pool};
    rt_frame frame = {.pool = c->pool, .context = &context};
    fe_tensor out[2] = {c->values.t, c->places.t};
    rt_call made = {.in = &c->x.t,
                    .in_count = 1,
                    .out = out,
                    .out_count = 2,
                    .ints = ints,
                    .states_nothing = 1};
    int code = op(&frame, &made);
    rt_area_free(&context.area);
    return code;
}

/* The first `kept` of each row come in order, equals by place, and nothing left out comes before
 * the last of them. */
static void check_ordered(const rows_case *c, int64_t kept, bool descending)
{
    bool *seen = calloc((size_t)c->n + 1, sizeof *seen);
    int sign = descending ? -1 : 1;
    for (int64_t row = 0; row < c->rows; row++) {
        memset(seen, 0, (size_t)c->n);
        bool good = true;
        double before = 0, v = 0;
        int64_t place = -1;
        for (int64_t k = 0; k < kept; k++, before = v) {
            int64_t last = place;
            place = ((int64_t *)c->places.t.data)[at(&c->places, row, k)];
            good &= place >= 0 && place < c->n && !seen[place];
            if (!good) break;
            seen[place] = true;
            v = get(&c->values, at(&c->values, row, k));
            good &= same(v, get(&c->x, at(&c->x, row, place)));
            int order = k ? sign * order_of(before, v) : -1;
            good &= order < 0 || (order == 0 && last < place);
        }
        for (int64_t k = 0; k < c->n && good && kept; k++)
            good &= seen[k] || sign * order_of(v, get(&c->x, at(&c->x, row, k))) <= 0;
        if (!EXPECT(good)) break;
    }
    free(seen);
}

static const uint32_t DTYPES[] = {FE_F32, FE_F64, FE_I64, FE_I16, FE_U8};
static const int64_t LENGTHS[] = {1, 2, 9, 16, 17, 64, 100, 128, 161, 700, 1500, 20000, MOST};

/* On every instruction set that there is here. */
static void each(void (*check)(rows_case *c, uint32_t dtype, int64_t n, int spread))
{
    static const char *const ISAS[] = {"baseline", "x86-64-v3", "x86-64-v4"};
    for (size_t i = 0; i < COUNT_OF(ISAS); i++) {
        if (rt_isa_force(ISAS[i])) continue;
        for (size_t d = 0; d < COUNT_OF(DTYPES); d++)
            for (size_t k = 0; k < COUNT_OF(LENGTHS); k++) {
                rows_case c = {.pool = rt_pool_get(k % 2 ? 3 : 1)};
                check(&c, DTYPES[d], LENGTHS[k], random_bits() % 2 ? 7 : 30000);
                drop(&c);
            }
    }
    rt_isa_force("native");
}

/* Some that fill no vector, and some that fill several. */
static int64_t some_rows(int64_t n)
{
    return n > 5000 ? 1 : random_bits() % 2 ? 5 : 16 + (int64_t)(random_bits() % 40);
}

static void check_sort(rows_case *c, uint32_t dtype, int64_t n, int spread)
{
    bool descending = random_bits() % 2;
    make(c, dtype, some_rows(n), n, n, spread);
    EXPECT_INT(call(c, rt_op_sort, (int64_t[]){1, descending}), 0);
    check_ordered(c, n, descending);
}

TEST(rows_are_sorted)
{
    each(check_sort);
}

static void check_topk(rows_case *c, uint32_t dtype, int64_t n, int spread)
{
    int64_t kept = (int64_t)(random_bits() % (uint64_t)(n < 200 ? n + 1 : n / 20));
    bool descending = random_bits() % 2;
    make(c, dtype, some_rows(n), n, kept, spread);
    EXPECT_INT(call(c, rt_op_topk, (int64_t[]){1, descending, kept}), 0);
    check_ordered(c, kept, descending);
}

TEST(the_first_of_rows_are_found)
{
    each(check_topk);
}

/* Medians: as many elements before as the rule says, and the equals with lower places. */
static void check_median(rows_case *c, uint32_t dtype, int64_t n, int spread)
{
    int64_t what = (int64_t)(random_bits() % 3), wanted = (int64_t)(random_bits() % (uint64_t)n);
    make(c, dtype, n > 5000 ? 3 : some_rows(n), n, 1, spread);
    EXPECT_INT(call(c, rt_op_select, (int64_t[]){1, what, wanted}), 0);
    for (int64_t row = 0; row < c->rows; row++) {
        double v = get(&c->values, at(&c->values, row, 0));
        int64_t place = ((int64_t *)c->places.t.data)[at(&c->places, row, 0)];
        int64_t nans = 0, before = 0, rank = wanted;
        for (int64_t k = 0; k < n; k++) {
            double x = get(&c->x, at(&c->x, row, k));
            nans += isnan(x);
            before += order_of(x, v) < 0 || (same(x, v) && k < place);
        }
        if (what == 1) rank = nans ? n - nans : (n - 1) / 2;
        if (what == 2) rank = n > nans ? (n - nans - 1) / 2 : 0;
        EXPECT_INT(before, rank);
        EXPECT(same(get(&c->x, at(&c->x, row, place)), v));
    }
}

TEST(elements_at_a_place_are_selected)
{
    each(check_median);
}

static void check_mode(rows_case *c, uint32_t dtype, int64_t n, int spread)
{
    make(c, dtype, n > 200 ? 2 : some_rows(n), n > 700 ? 700 : n, 1, spread);
    EXPECT_INT(call(c, rt_op_mode, (int64_t[]){1}), 0);
    for (int64_t row = 0; row < c->rows; row++) {
        double v = get(&c->values, at(&c->values, row, 0));
        int64_t mine = 0, last = -1;
        bool good = true;
        for (int64_t k = 0; k < c->n; k++) {
            bool holds = get(&c->x, at(&c->x, row, k)) == v;
            mine += holds;
            last = holds ? k : last;
        }
        for (int64_t k = 0; k < c->n && good; k++) {
            double other = get(&c->x, at(&c->x, row, k));
            int64_t times = 0;
            for (int64_t j = 0; j < c->n; j++) times += get(&c->x, at(&c->x, row, j)) == other;
            good =
                times < mine || (times == mine && order_of(v, other) <= 0) || (isnan(v) && !times);
        }
        EXPECT(good);
        if (mine) EXPECT_INT(((int64_t *)c->places.t.data)[at(&c->places, row, 0)], last);
    }
}

TEST(the_most_frequent_elements_are_found)
{
    each(check_mode);
}

TEST(values_are_searched_for_in_rows)
{
    rows_case c = {.pool = rt_pool_get(2)};
    for (int64_t n = 0; n < 70; n++) {
        make(&c, n % 2 ? FE_F32 : FE_I64, 3, n, 37, 40);
        for (int64_t row = 0; row < 3; row++)
            for (int64_t k = 0; k < n; k++) put(&c.x, at(&c.x, row, k), (double)(k / 3 * 2 - 10));
        for (int64_t k = 0; k < 3 * 37; k++) put(&c.values, k, (double)(random_bits() % 60) - 15);
        rt_frame frame = {.pool = c.pool};
        fe_tensor in[3] = {c.x.t, c.values.t, {0}};
        int64_t right = n / 2 % 2;
        int status = rt_op_search(
            &frame,
            &(rt_call){
                .in = in, .in_count = 3, .out = &c.places.t, .out_count = 1, .ints = &right});
        EXPECT_INT(status, 0);
        for (int64_t row = 0; row < 3; row++)
            for (int64_t k = 0; k < 37; k++) {
                double v = get(&c.values, at(&c.values, row, k));
                int64_t before = 0;
                for (int64_t j = 0; j < n; j++) {
                    double edge = get(&c.x, at(&c.x, row, j));
                    before += right ? edge <= v : edge < v;
                }
                EXPECT_INT(((int64_t *)c.places.t.data)[at(&c.places, row, k)], before);
            }
        drop(&c);
    }
}

/* Each step as PyTorch takes it: with NaN, or out of order, where they lead is seen. */
static int64_t searched(const matrix *edges, int64_t row, int64_t n, double v, bool right)
{
    int64_t from = 0, to = n;
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        double edge = get(edges, at(edges, row, middle));
        if (right ? edge > v : edge >= v)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

TEST(searches_in_rows_out_of_order_take_the_same_steps)
{
    rows_case c = {.pool = rt_pool_get(1)};
    for (int64_t n = 0; n < 300; n += n < 40 ? 1 : 37)
        for (size_t d = 0; d < COUNT_OF(DTYPES); d++) {
            make(&c, DTYPES[d], 2, n, 21, 50);
            matrix values;
            shape(&values, DTYPES[d], 2, 21, false);
            for (int64_t k = 0; k < 2 * 21; k++)
                put(&values, k, k % 9 ? (double)(random_bits() % 60) - 30 : (double)NAN);
            rt_frame frame = {.pool = c.pool};
            fe_tensor in[3] = {c.x.t, values.t, {0}};
            int64_t right = (int64_t)(random_bits() % 2);
            EXPECT_INT(rt_op_search(&frame, &(rt_call){.in = in,
                                                       .in_count = 3,
                                                       .out = &c.places.t,
                                                       .out_count = 1,
                                                       .ints = &right}),
                       0);
            for (int64_t row = 0; row < 2; row++)
                for (int64_t k = 0; k < 21; k++)
                    EXPECT_INT(((int64_t *)c.places.t.data)[at(&c.places, row, k)],
                               searched(&c.x, row, n, get(&values, at(&values, row, k)), right));
            free(values.t.data);
            drop(&c);
        }
}
