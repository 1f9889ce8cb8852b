/* rt_lapack_lu.c - LU factors with row exchanges, and systems solved with them. */
#include "rt_lapack.h"

typedef void getrf_fn(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
typedef void getrs_fn(const char *transposed, const int *n, const int *columns, const void *lu,
                      const int *lda, const int *pivots, void *b, const int *ldb, int *info,
                      size_t length);
LAPACK_DECLARE(getrf_fn, getrf)
LAPACK_DECLARE(getrs_fn, getrs)
static getrf_fn *const GETRF[] = LAPACK_TABLE(getrf);
static getrs_fn *const GETRS[] = LAPACK_TABLE(getrs);

static void factor(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix lu = rt_matrix_at(&b->call->out[0], k), pivots = rt_vector_at(&b->call->out[1], k);
    int m = (int)lu.rows, n = (int)lu.columns, ld = rt_leading(lu);
    int *info = rt_number_at(&b->call->out[2], k);
    (void)work;
    rt_matrix_copy(lu, rt_matrix_at(&b->call->in[0], k));
    *info = 0;
    if (m && n) GETRF[b->type](&m, &n, lu.data, &ld, (int *)(void *)pivots.data, info);
}

int rt_op_lu_factor(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    b.one = factor;
    rt_matrix a = rt_matrix_at(&call->in[0], 0);
    return rt_batch_run(&b, (double)a.rows * (double)a.columns * (double)a.columns);
}

static void solve(const rt_batch *b, int64_t k, char *work)
{
    static const char *const TRANSPOSED[] = {"N", "T", "C"};
    rt_matrix x = rt_matrix_at(&b->call->out[0], k), p = rt_vector_at(&b->call->in[1], k);
    rt_matrix lu = rt_lapack_columns(rt_matrix_at(&b->call->in[0], k), 1, &work);
    int *pivots = rt_work_take(&work, rt_matrix_bytes(p));
    int n = (int)x.rows, columns = (int)x.columns, ld = rt_leading(lu), ldx = rt_leading(x), info;
    rt_matrix_copy(x, rt_matrix_at(&b->call->in[2], k));
    rt_matrix_copy(rt_columns(pivots, p.rows, 1, p.element), p);
    if (n && columns)
        GETRS[b->type](TRANSPOSED[b->call->ints[RT_LU_SOLVE_FORM]], &n, &columns, lu.data, &ld,
                       pivots, x.data, &ldx, &info, 1);
}

int rt_op_lu_solve(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix lu = rt_matrix_at(&call->in[0], 0), x = rt_matrix_at(&call->out[0], 0);
    RT_TRY(rt_check_pivots(&b, &call->in[1], lu.rows, 0));
    b.one = solve;
    b.work_bytes =
        rt_work_bytes(rt_matrix_bytes(lu)) + rt_work_bytes(lu.rows * (int64_t)sizeof(int));
    return rt_batch_run(&b, (double)lu.rows * (double)lu.rows * (double)x.columns);
}
