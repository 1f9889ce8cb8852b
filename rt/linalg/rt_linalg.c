/* rt_linalg.c - batches of matrices, and the operators on pivots and on what a factorisation
 * reports. See rt_linalg.h. */
#include "rt_linalg.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORK_ALIGN = 64 };
/* Operations below which one more thread costs more than it saves. */
static const double LEAST_COST = 20000;

/* ---- matrices ---- */

static size_t element_bytes(uint32_t dtype)
{
    switch (dtype) {
    case FE_F32:
    case FE_I32: return 4;
    case FE_C128: return 16;
    default: return 8;
    }
}

/* Where the k-th part of an operand begins, in elements: over its dimensions but the last
 * `inner`. */
static int64_t batch_offset(const fe_tensor *t, uint32_t inner, int64_t k)
{
    int64_t offset = 0;
    for (uint32_t d = t->rank - inner; d-- > 0;) {
        int64_t size = t->sizes[d] > 0 ? t->sizes[d] : 1;
        offset += k % size * t->strides[d];
        k /= size;
    }
    return offset;
}

/* NULL where there is none: an operand that is absent, or has no elements. */
static char *matrix_data(const fe_tensor *t, uint32_t inner, int64_t k, size_t element)
{
    return t->data ? (char *)t->data + batch_offset(t, inner, k) * (int64_t)element : NULL;
}

rt_matrix rt_matrix_at(const fe_tensor *t, int64_t k)
{
    if (t->rank < 2) return (rt_matrix){0};
    const int64_t *sizes = t->sizes + t->rank - 2, *strides = t->strides + t->rank - 2;
    size_t element = element_bytes(t->dtype);
    char *data = matrix_data(t, 2, k, element);
    return (rt_matrix){data, sizes[0], sizes[1], strides[0], strides[1], element};
}

rt_matrix rt_vector_at(const fe_tensor *t, int64_t k)
{
    if (t->rank < 1) return (rt_matrix){0};
    size_t element = element_bytes(t->dtype);
    char *data = matrix_data(t, 1, k, element);
    return (rt_matrix){data, t->sizes[t->rank - 1], 1, t->strides[t->rank - 1], 0, element};
}

int64_t rt_matrix_numbers(const fe_tensor *t)
{
    return t->sizes[t->rank - 2] * t->sizes[t->rank - 1];
}

void *rt_number_at(const fe_tensor *t, int64_t k)
{
    return (char *)t->data + batch_offset(t, 0, k) * (int64_t)element_bytes(t->dtype);
}

void rt_batch_places(const fe_tensor *t, uint32_t inner, int64_t k, int64_t count, int64_t *places)
{
    int64_t element = (int64_t)element_bytes(t->dtype), size = 1, stride = 0;
    if (t->rank > inner) {
        size = t->sizes[t->rank - inner - 1];
        stride = t->strides[t->rank - inner - 1];
    }
    for (int64_t i = 0, left = 0; i < count; i++, left--) {
        places[i] =
            left ? places[i - 1] + stride * element : batch_offset(t, inner, k + i) * element;
        if (!left) left = size - (k + i) % size;
    }
}

rt_aside rt_aside_of(const fe_tensor *t, uint32_t inner, int64_t k, int64_t count)
{
    rt_matrix first = inner == 1 ? rt_vector_at(t, 0) : rt_matrix_at(t, 0);
    rt_aside m = {{0}, count, first.rows, first.columns, first.row, first.column, 0};
    int64_t places[RT_FACTOR_LANES];
    rt_batch_places(t, inner, k, count, places);
    for (int64_t i = 0; i < count; i++) m.places[i] = (char *)t->data + places[i];
    return m;
}

rt_matrix rt_columns(void *data, int64_t rows, int64_t columns, size_t element)
{
    return (rt_matrix){data, rows, columns, 1, rows > 0 ? rows : 1, element};
}

int64_t rt_matrix_bytes(rt_matrix m)
{
    return m.rows * m.columns * (int64_t)m.element;
}

static char *place(rt_matrix m, int64_t i, int64_t j)
{
    return m.data + (i * m.row + j * m.column) * (int64_t)m.element;
}

double rt_real_at(int type, const void *reals, int64_t at)
{
    return rt_real_bytes(type) == sizeof(float) ? (double)((const float *)reals)[at]
                                                : ((const double *)reals)[at];
}

void rt_put_number(int type, rt_matrix m, int64_t i, int64_t j, double re, double im)
{
    float narrow[2] = {(float)re, (float)im};
    double wide[2] = {re, im};
    int is_narrow = rt_real_bytes(type) == sizeof(float);
    memcpy(place(m, i, j), is_narrow ? (const void *)narrow : (const void *)wide, m.element);
}

rt_number_kind rt_worst_kind(int type, rt_matrix m)
{
    int parts = rt_is_complex(type) ? 2 : 1;
    rt_number_kind worst = RT_FINITE;
    for (int64_t j = 0; j < m.columns; j++)
        for (int64_t i = 0; i < m.rows * parts; i++) {
            int64_t at = (i / parts * m.row + j * m.column) * parts + i % parts;
            double x = rt_real_at(type, m.data, at);
            if (isnan(x)) return RT_NAN;
            if (isinf(x)) worst = RT_INFINITE;
        }
    return worst;
}

void rt_fill_nan(int type, rt_matrix m)
{
    for (int64_t j = 0; m.data && j < m.columns; j++)
        for (int64_t i = 0; i < m.rows; i++) rt_put_number(type, m, i, j, NAN, NAN);
}

/* Elements of a size that is a constant are moved without a call. */
#define COPY_ELEMENTS(size)                     \
    for (int64_t i = 0; i < count; i++) {       \
        memcpy(out, in, size);                  \
        out += to.row * (int64_t)to.element;    \
        in += from.row * (int64_t)from.element; \
    }

static void copy_column(rt_matrix to, rt_matrix from, int64_t j, int64_t begin, int64_t end)
{
    char *out = place(to, begin, j);
    const char *in = place(from, begin, j);
    int64_t count = end - begin;
    if (count <= 0) return;
    if (to.row == 1 && from.row == 1) {
        memcpy(out, in, (size_t)count * to.element);
        return;
    }
    switch (to.element) {
    case 4: COPY_ELEMENTS(4) break;
    case 8: COPY_ELEMENTS(8) break;
    default: COPY_ELEMENTS(16) break;
    }
}

void rt_matrix_copy(rt_matrix to, rt_matrix from)
{
    for (int64_t j = 0; j < to.columns; j++) copy_column(to, from, j, 0, to.rows);
}

static void clear_column(rt_matrix m, int64_t j, int64_t begin, int64_t end)
{
    if (m.row == 1 && end > begin)
        memset(place(m, begin, j), 0, (size_t)(end - begin) * m.element);
    else
        for (int64_t i = begin; i < end; i++) memset(place(m, i, j), 0, m.element);
}

void rt_matrix_copy_triangle(rt_matrix to, rt_matrix from, int upper)
{
    for (int64_t j = 0; j < to.columns; j++) {
        int64_t begin = upper ? 0 : j < to.rows ? j : to.rows;
        int64_t end = !upper ? to.rows : j + 1 < to.rows ? j + 1 : to.rows;
        clear_column(to, j, 0, begin);
        copy_column(to, from, j, begin, end);
        clear_column(to, j, end, to.rows);
    }
}

void rt_matrix_clear(rt_matrix m)
{
    if (m.row != 1) m = rt_mirrored(m);
    for (int64_t j = 0; j < m.columns; j++) clear_column(m, j, 0, m.rows);
}

rt_matrix rt_mirrored(rt_matrix m)
{
    return (rt_matrix){m.data, m.columns, m.rows, m.column, m.row, m.element};
}

rt_matrix rt_part(rt_matrix m, int64_t row, int64_t column, int64_t rows, int64_t columns)
{
    return (rt_matrix){place(m, row, column), rows, columns, m.row, m.column, m.element};
}

/* ---- batches ---- */

size_t rt_work_bytes(int64_t bytes)
{
    return ((size_t)bytes + WORK_ALIGN - 1) / WORK_ALIGN * WORK_ALIGN;
}

void *rt_work_take(char **work, int64_t bytes)
{
    char *taken = *work;
    *work += rt_work_bytes(bytes);
    return taken;
}

static int type_of(uint32_t dtype)
{
    switch (dtype) {
    case FE_F32: return RT_F32;
    case FE_F64: return RT_F64;
    case FE_C64: return RT_C64;
    case FE_C128: return RT_C128;
    default: return -1;
    }
}

static int is_column_major(const fe_tensor *t)
{
    if (t->rank < 2) return 1;
    int64_t rows = t->sizes[t->rank - 2], columns = t->sizes[t->rank - 1];
    return (rows <= 1 || t->strides[t->rank - 2] == 1) &&
           (columns <= 1 || t->strides[t->rank - 1] >= rows);
}

static int is_too_large(const fe_tensor *t)
{
    for (uint32_t d = t->rank > 2 ? t->rank - 2 : 0; d < t->rank; d++)
        if (t->sizes[d] > INT_MAX) return 1;
    return 0;
}

int rt_batch_start(rt_batch *b, rt_frame *frame, const rt_call *call, uint32_t matrices)
{
    *b = (rt_batch){.frame = frame, .call = call, .type = type_of(call->in[0].dtype), .count = 1};
    for (uint32_t d = 0; d + 2 < call->in[0].rank; d++) b->count *= call->in[0].sizes[d];
    if (b->type < 0)
        return rt_fail(frame, FE_RUN_BAD_INPUT, "linear algebra of numbers that are not floats");
    for (uint32_t i = 0; i < call->in_count; i++)
        if (is_too_large(&call->in[i]))
            return rt_fail(frame, FE_RUN_BAD_INPUT, "a matrix has more than %d rows or columns",
                           INT_MAX);
    for (uint32_t i = 0; i < matrices; i++)
        if (!is_column_major(&call->out[i]))
            return rt_fail(frame, FE_RUN_BAD_OUTPUT, "a matrix to write is not column major");
    for (uint32_t i = matrices; i < call->out_count; i++)
        if (call->out[i].rank && call->out[i].strides[call->out[i].rank - 1] > 1)
            return rt_fail(frame, FE_RUN_BAD_OUTPUT, "a vector to write is not contiguous");
    return 0;
}

typedef struct batch_task {
    const rt_batch *batch;
    rt_scratch scratch;
} batch_task;

static void run_some(void *context, int64_t begin, int64_t end, int worker)
{
    const batch_task *t = context;
    for (int64_t k = begin; k < end; k++)
        t->batch->one(t->batch, k, rt_scratch_worker(&t->scratch, worker));
}

static void run_together(void *context, int64_t begin, int64_t end, int worker)
{
    const batch_task *t = context;
    const rt_batch *b = t->batch;
    for (int64_t k = begin * b->together; k < end * b->together && k < b->count; k += b->together)
        b->some(b, k, b->count - k < b->together ? b->count - k : b->together,
                rt_scratch_worker(&t->scratch, worker));
}

int rt_batch_run(const rt_batch *b, double cost)
{
    batch_task t = {.batch = b};
    rt_team team = rt_team_of(b->frame, b->call);
    int64_t tasks = b->some ? (b->count + b->together - 1) / b->together : b->count;
    if (b->some) cost *= 2; /* a group's is little more than that of one of its matrices */
    int64_t grain = cost < LEAST_COST ? (int64_t)(LEAST_COST / (cost + 1)) + 1 : 1;
    if (b->count == 0) return 0;
    if (rt_scratch_take(&team, 0, b->work_bytes, &t.scratch)) return rt_no_room(b->frame, &team);
    rt_parallel(team.pool, b->some ? run_together : run_some, &t, tasks, grain);
    rt_scratch_drop(&team, &t.scratch);
    return 0;
}

/* ---- pivots ---- */

static int bad_pivot(rt_frame *frame, int64_t pivot)
{
    return rt_fail(frame, FE_RUN_BAD_INPUT,
                   "a pivot of a factorisation is %lld, which is no row of the matrix",
                   (long long)pivot);
}

int rt_check_pivots(const rt_batch *b, const fe_tensor *pivots, int64_t rows, int may_be_negative)
{
    for (int64_t k = 0; k < b->count; k++) {
        rt_matrix p = rt_vector_at(pivots, k);
        for (int64_t i = 0; i < p.rows; i++) {
            int64_t pivot = ((const int32_t *)(void *)p.data)[i * p.row];
            int64_t row = may_be_negative && pivot < 0 ? -pivot : pivot;
            if (row < 1 || row > rows) return bad_pivot(b->frame, pivot);
        }
    }
    return 0;
}

/* Row exchanges, one after another, as the permutation that they come to. */
int rt_op_unpack_pivots(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *pivots = &call->in[0], *order = &call->out[0];
    int64_t count = 1;
    for (uint32_t d = 0; d + 1 < order->rank; d++) count *= order->sizes[d];
    for (int64_t k = 0; k < count; k++) {
        rt_matrix p = rt_vector_at(pivots, k), o = rt_vector_at(order, k);
        int64_t *at = (int64_t *)(void *)o.data;
        for (int64_t i = 0; i < o.rows; i++) at[i * o.row] = i;
        for (int64_t i = 0; i < p.rows; i++) {
            int64_t with = ((const int32_t *)(void *)p.data)[i * p.row] - 1;
            if (with < 0 || with >= o.rows) return bad_pivot(frame, with + 1);
            int64_t kept = at[i * o.row];
            at[i * o.row] = at[with * o.row];
            at[with * o.row] = kept;
        }
    }
    return 0;
}

/* ---- what a factorisation reports ---- */

/* By the kinds of extern.def. */
static const char *const MEANINGS[] = {
    "has a triangular factor whose diagonal element %d is zero",
    "is singular: diagonal element %d of its triangular factor is zero",
    "is singular, so its system has no unique solution: pivot %d is zero",
    "is not positive-definite: its leading minor of order %d is not",
    "has singular values that do not converge (%d): it is ill-conditioned, or too many are equal",
    "has eigenvalues that do not converge (%d): it is ill-conditioned, or too many are equal",
    "does not have full rank (%d)",
};

int rt_op_check_info(rt_frame *frame, const rt_call *call)
{
    const fe_tensor *info = &call->in[0];
    int64_t count = 1, kinds = sizeof MEANINGS / sizeof *MEANINGS;
    for (uint32_t d = 0; d < info->rank; d++) count *= info->sizes[d];
    for (int64_t k = 0; k < count; k++) {
        int code = *(const int32_t *)rt_number_at(info, k);
        if (code == 0) continue;
        char why[160] = "holds infinities or NaNs", which[48] = "the matrix";
        if (code > 0 && call->ints[RT_CHECK_INFO_KIND] >= 0 &&
            call->ints[RT_CHECK_INFO_KIND] < kinds)
            snprintf(why, sizeof why, MEANINGS[call->ints[RT_CHECK_INFO_KIND]], code);
        if (info->rank) snprintf(which, sizeof which, "matrix %lld of the batch", (long long)k);
        return rt_fail(frame, FE_RUN_ASSERTION, "%s: %s %s", call->text, which, why);
    }
    return 0;
}
