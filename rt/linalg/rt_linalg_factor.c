/* rt_linalg_factor.c - LU factors with row exchanges, Cholesky's factors, and systems solved with them.
 * The kernels of rt_factor.h do the work: on small matrices of a batch side by side, else on one after
 * another. */
#include "rt_by_isa.h"
#include "rt_factor.h"
#include "rt_linalg.h"
#include "rt_need.h"

#include <string.h>

/* ---- kernels ---- */

RT_KERNELS_BY_ISA(factor, RT_OF_ALL_TYPES)

/* ---- side by side ---- */

/* Whether matrices with as many numbers, all of a call's, are worked on side by side. */
static int is_small(const rt_batch *b, int64_t numbers)
{
    return b->count > 1 && numbers <= RT_ASIDE_NUMBERS;
}

static void run_aside(rt_batch *b, void (*some)(const rt_batch *, int64_t, int64_t, char *))
{
    b->some = some;
    b->together = rt_factor_kernels_of(b->type)->lanes;
}

static size_t aside_bytes(const rt_batch *b, int64_t numbers)
{
    return rt_work_bytes(numbers * (int64_t)rt_factor_kernels_of(b->type)->side);
}

static rt_aside mirrored(rt_aside m)
{
    int64_t rows = m.rows, row = m.row;
    m.rows = m.columns;
    m.row = m.column;
    m.columns = rows;
    m.column = row;
    return m;
}

/* Integers of lanes to and from the k-th vector of an operand, or its k-th number (inner 0). */
static void put_integers(const fe_tensor *t, uint32_t inner, int64_t k, int64_t count, int lanes,
                         const int32_t *from)
{
    int64_t places[RT_FACTOR_LANES], size = inner ? t->sizes[t->rank - 1] : 1;
    int64_t stride = inner ? t->strides[t->rank - 1] : 0;
    rt_batch_places(t, inner, k, count, places);
    for (int64_t lane = 0; lane < count; lane++) {
        int32_t *to = (int32_t *)(void *)((char *)t->data + places[lane]);
        for (int64_t i = 0; i < size; i++) to[i * stride] = from[i * lanes + lane];
    }
}

static void take_integers(const fe_tensor *t, int64_t k, int64_t count, int lanes, int32_t *to)
{
    int64_t places[RT_FACTOR_LANES], size = t->sizes[t->rank - 1], stride = t->strides[t->rank - 1];
    rt_batch_places(t, 1, k, count, places);
    for (int64_t i = 0; i < size; i++)
        for (int64_t lane = 0; lane < lanes; lane++)
            to[i * lanes + lane] = lane < count
                                       ? ((const int32_t *)(const void *)((const char *)t->data +
                                                                          places[lane]))[i * stride]
                                       : (int32_t)i + 1;
}

/* ---- one after another ---- */

static rt_matrix transposed(rt_matrix square)
{
    int64_t row = square.row;
    square.row = square.column;
    square.column = row;
    return square;
}

/* Do its columns lie as the kernels read them? */
static int lies_by_columns(rt_matrix square)
{
    return square.rows <= 1 || (square.row == 1 && square.column >= square.rows);
}

/* ---- LU ---- */

enum { MOST_PIVOTS = 16 };
_Static_assert(MOST_PIVOTS *MOST_PIVOTS >= RT_ASIDE_NUMBERS, "a small matrix has no more");

static void lu_one(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix lu = rt_matrix_at(&b->call->out[0], k), pivots = rt_vector_at(&b->call->out[1], k);
    int *info = rt_number_at(&b->call->out[2], k);
    (void)work;
    rt_matrix_copy(lu, rt_matrix_at(&b->call->in[0], k));
    *info = 0;
    if (lu.rows && lu.columns)
        *info = rt_factor_kernels_of(b->type)->lu(lu.rows, lu.columns, lu.data, rt_leading(lu),
                                                  (int32_t *)(void *)pivots.data);
}

static void lu_some(const rt_batch *b, int64_t k, int64_t count, char *work)
{
    const rt_factor_kernels *kernels = rt_factor_kernels_of(b->type);
    rt_aside from = rt_aside_of(&b->call->in[0], 2, k, count),
             to = rt_aside_of(&b->call->out[0], 2, k, count);
    int32_t pivots[MOST_PIVOTS * RT_FACTOR_LANES], infos[RT_FACTOR_LANES];
    kernels->gather(&from, work);
    kernels->lu_aside(from.rows, from.columns, work, pivots, infos);
    kernels->scatter(work, &to);
    put_integers(&b->call->out[1], 1, k, count, kernels->lanes, pivots);
    put_integers(&b->call->out[2], 0, k, count, kernels->lanes, infos);
}

int rt_op_lu_factor(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    int64_t numbers = rt_matrix_numbers(&call->in[0]);
    b.one = lu_one;
    if (numbers && is_small(&b, numbers)) {
        run_aside(&b, lu_some);
        b.work_bytes = aside_bytes(&b, numbers);
    }
    return rt_batch_run(&b, (double)numbers * (double)call->in[0].sizes[call->in[0].rank - 1]);
}

/* Row exchanges of a matrix that is written, those of the last pivot first where backward. */
static void exchange(rt_matrix x, rt_matrix pivots, int backward, char *kept)
{
    for (int64_t j = 0; j < x.columns; j++) {
        char *column = x.data + j * x.column * (int64_t)x.element;
        for (int64_t i = 0; i < x.rows; i++) {
            int64_t step = backward ? x.rows - 1 - i : i;
            int64_t with = ((const int32_t *)(void *)pivots.data)[step * pivots.row] - 1;
            if (with == step) continue;
            char *here = column + step * (int64_t)x.element,
                 *there = column + with * (int64_t)x.element;
            memcpy(kept, here, x.element);
            memcpy(here, there, x.element);
            memcpy(there, kept, x.element);
        }
    }
}

static void conjugate(int type, rt_matrix x)
{
    for (int64_t j = 0; j < x.columns; j++)
        for (int64_t i = 0; i < x.rows; i++) {
            int64_t at = 2 * (i * x.row + j * x.column);
            rt_put_number(type, x, i, j, rt_real_at(type, x.data, at),
                          -rt_real_at(type, x.data, at + 1));
        }
}

/* A^T x = b is U^T L^T x' = b; the adjoint's x is the conjugate of that of conj(b). */
static void lu_solve_one(const rt_batch *b, int64_t k, char *work)
{
    const rt_factor_kernels *kernels = rt_factor_kernels_of(b->type);
    rt_matrix x = rt_matrix_at(&b->call->out[0], k), p = rt_vector_at(&b->call->in[1], k);
    rt_matrix lu = rt_matrix_at(&b->call->in[0], k);
    int64_t form = b->call->ints[RT_LU_SOLVE_FORM], ldx = rt_leading(x), n = x.rows;
    int is_adjoint = form == 2 && rt_is_complex(b->type);
    char kept[2 * sizeof(double)];
    if (form) lu = transposed(lu);
    if (!lies_by_columns(lu)) {
        rt_matrix from = lu;
        lu = rt_columns(work, n, n, from.element);
        rt_matrix_copy(lu, from);
    }
    rt_matrix_copy(x, rt_matrix_at(&b->call->in[2], k));
    if (is_adjoint) conjugate(b->type, x);
    if (!form) exchange(x, p, 0, kept);
    kernels->substitute(n, x.columns, lu.data, rt_leading(lu), x.data, ldx, 0, form == 0);
    kernels->substitute(n, x.columns, lu.data, rt_leading(lu), x.data, ldx, 1, form != 0);
    if (form) exchange(x, p, 1, kept);
    if (is_adjoint) conjugate(b->type, x);
}

static void lu_solve_some(const rt_batch *b, int64_t k, int64_t count, char *work)
{
    const rt_factor_kernels *kernels = rt_factor_kernels_of(b->type);
    int64_t form = b->call->ints[RT_LU_SOLVE_FORM];
    rt_aside lu = rt_aside_of(&b->call->in[0], 2, k, count),
             from = rt_aside_of(&b->call->in[2], 2, k, count);
    rt_aside to = rt_aside_of(&b->call->out[0], 2, k, count);
    int64_t n = from.rows, columns = from.columns;
    int32_t pivots[MOST_PIVOTS * RT_FACTOR_LANES];
    void *a = rt_work_take(&work, (int64_t)aside_bytes(b, n * n)), *x = work;
    if (form) lu = mirrored(lu);
    from.conjugate = to.conjugate = form == 2 && rt_is_complex(b->type);
    kernels->gather(&lu, a);
    kernels->gather(&from, x);
    take_integers(&b->call->in[1], k, count, kernels->lanes, pivots);
    if (!form) kernels->exchange_aside(n, columns, x, pivots, 0);
    kernels->substitute_aside(n, columns, a, x, 0, form == 0);
    kernels->substitute_aside(n, columns, a, x, 1, form != 0);
    if (form) kernels->exchange_aside(n, columns, x, pivots, 1);
    kernels->scatter(x, &to);
}

int rt_op_lu_solve(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    const fe_tensor *lu = &call->in[0], *x = &call->out[0];
    int64_t n = lu->sizes[lu->rank - 1], numbers = rt_matrix_numbers(lu),
            results = rt_matrix_numbers(x);
    RT_TRY(rt_check_pivots(&b, &call->in[1], n, 0));
    if (!results) return 0;
    b.one = lu_solve_one;
    b.work_bytes = rt_work_bytes(numbers * (int64_t)rt_type_bytes(b.type));
    if (is_small(&b, numbers) && is_small(&b, results)) {
        run_aside(&b, lu_solve_some);
        b.work_bytes = aside_bytes(&b, numbers) + aside_bytes(&b, results);
    }
    return rt_batch_run(&b, (double)n * (double)results);
}

/* ---- Cholesky ---- */

static void turn(rt_matrix m)
{
    char kept[2 * sizeof(double)];
    for (int64_t j = 0; j < m.columns; j++)
        for (int64_t i = 0; i < j; i++) {
            char *above = m.data + (i + j * m.column) * (int64_t)m.element,
                 *below = m.data + (j + i * m.column) * (int64_t)m.element;
            memcpy(kept, above, m.element);
            memcpy(above, below, m.element);
            memcpy(below, kept, m.element);
        }
}

/* The upper triangle of A, mirrored, is the lower one of its conjugate, whose factor is the mirrored one
 * of A: U^H U = A and (U^T) (U^T)^H = conj(A). */
static void cholesky_one(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix l = rt_matrix_at(&b->call->out[0], k), a = rt_matrix_at(&b->call->in[0], k);
    int upper = b->call->ints[RT_CHOLESKY_UPPER] != 0, *info = rt_number_at(&b->call->out[1], k);
    (void)work;
    rt_matrix_copy_triangle(l, upper ? transposed(a) : a, 0);
    *info = l.rows ? rt_factor_kernels_of(b->type)->cholesky(l.rows, l.data, rt_leading(l)) : 0;
    if (upper) turn(l);
}

static void cholesky_some(const rt_batch *b, int64_t k, int64_t count, char *work)
{
    const rt_factor_kernels *kernels = rt_factor_kernels_of(b->type);
    rt_aside from = rt_aside_of(&b->call->in[0], 2, k, count),
             to = rt_aside_of(&b->call->out[0], 2, k, count);
    int32_t infos[RT_FACTOR_LANES];
    if (b->call->ints[RT_CHOLESKY_UPPER]) {
        from = mirrored(from);
        to = mirrored(to);
    }
    kernels->gather(&from, work);
    kernels->cholesky_aside(from.rows, work, infos);
    kernels->scatter(work, &to);
    put_integers(&b->call->out[1], 0, k, count, kernels->lanes, infos);
}

int rt_op_cholesky(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    int64_t numbers = rt_matrix_numbers(&call->in[0]);
    b.one = cholesky_one;
    if (numbers && is_small(&b, numbers)) {
        run_aside(&b, cholesky_some);
        b.work_bytes = aside_bytes(&b, numbers);
    }
    return rt_batch_run(&b, (double)numbers * (double)call->in[0].sizes[call->in[0].rank - 1] / 3);
}

/* ---- triangular systems ---- */

static void substitute_one(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix x = rt_matrix_at(&b->call->out[0], k), a = rt_matrix_at(&b->call->in[0], k);
    int upper = b->call->ints[RT_TRIANGULAR_SOLVE_UPPER] != 0,
        unit = b->call->ints[RT_TRIANGULAR_SOLVE_UNIT] != 0;
    rt_matrix t = a;
    if (!lies_by_columns(a)) {
        t = rt_columns(work, a.rows, a.columns, a.element);
        rt_matrix_copy_triangle(t, a, upper);
    }
    rt_matrix_copy(x, rt_matrix_at(&b->call->in[1], k));
    rt_factor_kernels_of(b->type)->substitute(x.rows, x.columns, t.data, rt_leading(t), x.data,
                                              rt_leading(x), upper, unit);
}

static void substitute_some(const rt_batch *b, int64_t k, int64_t count, char *work)
{
    const rt_factor_kernels *kernels = rt_factor_kernels_of(b->type);
    rt_aside a = rt_aside_of(&b->call->in[0], 2, k, count),
             from = rt_aside_of(&b->call->in[1], 2, k, count);
    rt_aside to = rt_aside_of(&b->call->out[0], 2, k, count);
    void *t = rt_work_take(&work, (int64_t)aside_bytes(b, a.rows * a.columns));
    kernels->gather(&a, t);
    kernels->gather(&from, work);
    kernels->substitute_aside(from.rows, from.columns, t, work,
                              b->call->ints[RT_TRIANGULAR_SOLVE_UPPER] != 0,
                              b->call->ints[RT_TRIANGULAR_SOLVE_UNIT] != 0);
    kernels->scatter(work, &to);
}

int rt_op_triangular_solve(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    int64_t n = call->in[0].sizes[call->in[0].rank - 1];
    int64_t numbers = rt_matrix_numbers(&call->in[0]), results = rt_matrix_numbers(&call->out[0]);
    if (!results) return 0;
    b.one = substitute_one;
    b.work_bytes = rt_work_bytes(numbers * (int64_t)rt_type_bytes(b.type));
    if (is_small(&b, numbers) && is_small(&b, results)) {
        run_aside(&b, substitute_some);
        b.work_bytes = aside_bytes(&b, numbers) + aside_bytes(&b, results);
    }
    return rt_batch_run(&b, (double)n * (double)results);
}
