/* rt_lapack_qr.c - QR by Householder's reflections: the factors packed, the orthogonal factor
 * itself, and products with it. */
#include "rt_lapack.h"

typedef void geqrf_fn(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                      const int *lwork, int *info);
typedef void orgqr_fn(const int *m, const int *n, const int *k, void *a, const int *lda,
                      const void *tau, void *work, const int *lwork, int *info);
typedef void ormqr_fn(const char *side, const char *transposed, const int *m, const int *n,
                      const int *k, void *a, const int *lda, const void *tau, void *c,
                      const int *ldc, void *work, const int *lwork, int *info, size_t side_length,
                      size_t transposed_length);
LAPACK_DECLARE(geqrf_fn, geqrf)
extern orgqr_fn sorgqr_, dorgqr_, cungqr_, zungqr_;
extern ormqr_fn sormqr_, dormqr_, cunmqr_, zunmqr_;
static geqrf_fn *const GEQRF[] = LAPACK_TABLE(geqrf);
static orgqr_fn *const ORGQR[] = {sorgqr_, dorgqr_, cungqr_, zungqr_};
static ormqr_fn *const ORMQR[] = {sormqr_, dormqr_, cunmqr_, zunmqr_};

static double flops(rt_matrix a)
{
    return 2 * (double)a.rows * (double)a.columns * (double)a.columns;
}

/* ---- packed factors ---- */

static void factor(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix a = rt_matrix_at(&b->call->out[0], k), tau = rt_vector_at(&b->call->out[1], k);
    int m = (int)a.rows, n = (int)a.columns, lda = rt_leading(a), info;
    rt_matrix_copy(a, rt_matrix_at(&b->call->in[0], k));
    if (m && n) GEQRF[b->type](&m, &n, a.data, &lda, tau.data, work, &b->lwork, &info);
}

int rt_op_qr_factor(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix a = rt_matrix_at(&call->in[0], 0);
    b.lwork = rt_lapack_blocks(a.columns);
    b.work_bytes = (size_t)b.lwork * rt_type_bytes(b.type);
    b.one = factor;
    return rt_batch_run(&b, flops(a));
}

/* ---- the orthogonal factor ---- */

static rt_matrix first_columns(rt_matrix m, int64_t count)
{
    m.columns = count;
    return m;
}

static void product(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix q = rt_matrix_at(&b->call->out[0], k), tau = rt_vector_at(&b->call->in[1], k);
    int m = (int)q.rows, n = (int)q.columns, count = (int)tau.rows, ldq = rt_leading(q), info;
    void *scales = rt_work_take(&work, rt_matrix_bytes(tau));
    rt_matrix_copy(rt_columns(scales, tau.rows, 1, tau.element), tau);
    rt_matrix_copy(first_columns(q, count), first_columns(rt_matrix_at(&b->call->in[0], k), count));
    if (m && n) ORGQR[b->type](&m, &n, &count, q.data, &ldq, scales, work, &b->lwork, &info);
}

int rt_op_householder_product(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix q = rt_matrix_at(&call->out[0], 0), tau = rt_vector_at(&call->in[1], 0);
    int m = (int)q.rows, n = (int)q.columns, count = (int)tau.rows;
    if (n > m || count > n)
        return rt_fail(frame, FE_RUN_BAD_INPUT, "%d reflections make no %d x %d matrix", count, m,
                       n);
    b.lwork = rt_lapack_blocks(n);
    b.work_bytes = rt_work_bytes(rt_matrix_bytes(tau)) + (size_t)b.lwork * rt_type_bytes(b.type);
    b.one = product;
    return rt_batch_run(&b, flops(q));
}

/* ---- products with it ---- */

typedef struct application {
    const char *side, *transposed;
    int m, n, count;
} application;

static application application_of(const rt_batch *b)
{
    rt_matrix c = rt_matrix_at(&b->call->out[0], 0), tau = rt_vector_at(&b->call->in[1], 0);
    return (application){.side = b->call->ints[RT_HOUSEHOLDER_APPLY_LEFT] ? "L" : "R",
                         .transposed = !b->call->ints[RT_HOUSEHOLDER_APPLY_ADJOINT] ? "N"
                                       : rt_is_complex(b->type)                     ? "C"
                                                                                    : "T",
                         .m = (int)c.rows,
                         .n = (int)c.columns,
                         .count = (int)tau.rows};
}

/* ORMQR writes to the reflections while it works, so they are always copied. */
static void apply(const rt_batch *b, int64_t k, char *work)
{
    application s = application_of(b);
    rt_matrix c = rt_matrix_at(&b->call->out[0], k), tau = rt_vector_at(&b->call->in[1], k);
    rt_matrix a = rt_lapack_columns(rt_matrix_at(&b->call->in[0], k), 0, &work);
    void *scales = rt_work_take(&work, rt_matrix_bytes(tau));
    int lda = rt_leading(a), ldc = rt_leading(c), info;
    rt_matrix_copy(rt_columns(scales, tau.rows, 1, tau.element), tau);
    rt_matrix_copy(c, rt_matrix_at(&b->call->in[2], k));
    if (s.m && s.n && s.count)
        ORMQR[b->type](s.side, s.transposed, &s.m, &s.n, &s.count, a.data, &lda, scales, c.data,
                       &ldc, work, &b->lwork, &info, 1, 1);
}

int rt_op_householder_apply(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    application s = application_of(&b);
    rt_matrix a = rt_matrix_at(&call->in[0], 0), tau = rt_vector_at(&call->in[1], 0);
    if (a.rows != (call->ints[RT_HOUSEHOLDER_APPLY_LEFT] ? s.m : s.n) || s.count > a.rows ||
        s.count > a.columns)
        return rt_fail(frame, FE_RUN_BAD_INPUT, "%d reflections do not fit a %d x %d matrix",
                       s.count, s.m, s.n);
    int64_t blocks = rt_lapack_blocks(call->ints[RT_HOUSEHOLDER_APPLY_LEFT] ? s.n : s.m);
    b.lwork = rt_lapack_numbers(blocks + RT_LAPACK_TABLE_NUMBERS);
    b.work_bytes = rt_work_bytes(rt_matrix_bytes(a)) + rt_work_bytes(rt_matrix_bytes(tau)) +
                   (size_t)b.lwork * rt_type_bytes(b.type);
    b.one = apply;
    return rt_batch_run(&b, 4 * (double)s.m * (double)s.n * (double)s.count);
}
