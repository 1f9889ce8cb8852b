/* rt_lapack_symmetric.c - factors of symmetric and Hermitian matrices that need not be positive-definite: LDL
 * with row exchanges. Only the lower triangle is read. */
#include "rt_lapack.h"

typedef void sytrf_fn(const char *triangle, const int *n, void *a, const int *lda, int *pivots,
                      void *work, const int *lwork, int *info, size_t length);
typedef void sytrs_fn(const char *triangle, const int *n, const int *columns, const void *a,
                      const int *lda, const int *pivots, void *b, const int *ldb, int *info,
                      size_t length);
LAPACK_DECLARE(sytrf_fn, sytrf)
LAPACK_DECLARE(sytrs_fn, sytrs)
extern sytrf_fn chetrf_, zhetrf_;
extern sytrs_fn chetrs_, zhetrs_;
static sytrf_fn *const SYTRF[2][RT_LINALG_TYPES] = {LAPACK_TABLE(sytrf),
                                                    {ssytrf_, dsytrf_, chetrf_, zhetrf_}};
static sytrs_fn *const SYTRS[2][RT_LINALG_TYPES] = {LAPACK_TABLE(sytrs),
                                                    {ssytrs_, dsytrs_, chetrs_, zhetrs_}};

static double cube(rt_matrix a)
{
    return (double)a.rows * (double)a.rows * (double)a.rows / 3;
}

/* ---- LDL ---- */

static void ldl_factor(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix ld = rt_matrix_at(&b->call->out[0], k), pivots = rt_vector_at(&b->call->out[1], k);
    int n = (int)ld.rows, lda = rt_leading(ld), *info = rt_number_at(&b->call->out[2], k);
    rt_matrix_copy_triangle(ld, rt_matrix_at(&b->call->in[0], k), 0);
    *info = 0;
    if (n)
        SYTRF[b->call->ints[RT_LDL_FACTOR_HERMITIAN] != 0][b->type](
            "L", &n, ld.data, &lda, (int *)(void *)pivots.data, work, &b->lwork, info, 1);
}

int rt_op_ldl_factor(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix a = rt_matrix_at(&call->in[0], 0);
    b.lwork = rt_lapack_blocks(a.rows);
    b.work_bytes = (size_t)b.lwork * a.element;
    b.one = ldl_factor;
    return rt_batch_run(&b, cube(a));
}

static void ldl_solve(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix x = rt_matrix_at(&b->call->out[0], k), p = rt_vector_at(&b->call->in[1], k);
    rt_matrix ld = rt_lapack_columns(rt_matrix_at(&b->call->in[0], k), 1, &work);
    int *pivots = rt_work_take(&work, rt_matrix_bytes(p));
    int n = (int)x.rows, columns = (int)x.columns, lda = rt_leading(ld), ldx = rt_leading(x), info;
    rt_matrix_copy(x, rt_matrix_at(&b->call->in[2], k));
    rt_matrix_copy(rt_columns(pivots, p.rows, 1, p.element), p);
    if (n && columns)
        SYTRS[b->call->ints[RT_LDL_SOLVE_HERMITIAN] != 0][b->type]("L", &n, &columns, ld.data, &lda,
                                                                   pivots, x.data, &ldx, &info, 1);
}

int rt_op_ldl_solve(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix ld = rt_matrix_at(&call->in[0], 0), x = rt_matrix_at(&call->out[0], 0);
    RT_TRY(rt_check_pivots(&b, &call->in[1], ld.rows, 1));
    b.one = ldl_solve;
    b.work_bytes =
        rt_work_bytes(rt_matrix_bytes(ld)) + rt_work_bytes(ld.rows * (int64_t)sizeof(int));
    return rt_batch_run(&b, (double)ld.rows * (double)ld.rows * (double)x.columns);
}
