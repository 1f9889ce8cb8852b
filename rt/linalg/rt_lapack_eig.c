/* rt_lapack_eig.c - eigenvalues and eigenvectors of any square matrices. */
#include "rt_lapack.h"

typedef void geev_real_fn(const char *left, const char *right, const int *n, void *a,
                          const int *lda, void *re, void *im, void *vl, const int *ldvl, void *vr,
                          const int *ldvr, void *work, const int *lwork, int *info,
                          size_t left_length, size_t right_length);
typedef void geev_complex_fn(const char *left, const char *right, const int *n, void *a,
                             const int *lda, void *values, void *vl, const int *ldvl, void *vr,
                             const int *ldvr, void *work, const int *lwork, void *rwork, int *info,
                             size_t left_length, size_t right_length);
extern geev_real_fn sgeev_, dgeev_;
extern geev_complex_fn cgeev_, zgeev_;
static geev_real_fn *const GEEV_REAL[] = {sgeev_, dgeev_};
static geev_complex_fn *const GEEV_COMPLEX[] = {cgeev_, zgeev_};

/* A pair of complex eigenvalues of a real matrix has its vectors as two columns: real part and
 * imaginary part of the first, whose conjugate is the second. */
static void spread_vectors(int type, rt_matrix to, const char *from, const void *im)
{
    int64_t n = to.rows;
    for (int64_t j = 0; j < n; j++) {
        int is_pair = rt_real_at(type, im, j) != 0 && j + 1 < n;
        for (int64_t i = 0; i < n; i++) {
            double re = rt_real_at(type, from, j * n + i);
            double other = is_pair ? rt_real_at(type, from, (j + 1) * n + i) : 0;
            rt_put_number(type, to, i, j, re, other);
            if (is_pair) rt_put_number(type, to, i, j + 1, re, -other);
        }
        j += is_pair;
    }
}

static void eig_real(const rt_batch *b, int64_t k, rt_matrix a, char *work, int *info)
{
    rt_matrix v = rt_matrix_at(&b->call->out[0], k), values = rt_vector_at(&b->call->out[1], k);
    int n = (int)a.rows, lda = rt_leading(a), one = 1;
    size_t element = rt_type_bytes(b->type);
    char *re = rt_work_take(&work, n * (int64_t)element);
    char *im = rt_work_take(&work, n * (int64_t)element);
    char *vectors = rt_work_take(&work, n * (int64_t)n * (int64_t)element);
    GEEV_REAL[b->type]("N", v.data ? "V" : "N", &n, a.data, &lda, re, im, NULL, &one, vectors, &n,
                       work, &b->lwork, info, 1, 1);
    for (int64_t i = 0; i < n; i++)
        rt_put_number(b->type, values, i, 0, rt_real_at(b->type, re, i),
                      rt_real_at(b->type, im, i));
    if (v.data) spread_vectors(b->type, v, vectors, im);
}

static void eig_complex(const rt_batch *b, int64_t k, rt_matrix a, char *work, int *info)
{
    rt_matrix v = rt_matrix_at(&b->call->out[0], k), values = rt_vector_at(&b->call->out[1], k);
    int n = (int)a.rows, lda = rt_leading(a), ldv = v.data ? rt_leading(v) : 1, one = 1;
    void *rwork = rt_work_take(&work, 2 * n * (int64_t)rt_real_bytes(b->type));
    GEEV_COMPLEX[b->type - RT_C64]("N", v.data ? "V" : "N", &n, a.data, &lda, values.data, NULL,
                                   &one, v.data, &ldv, work, &b->lwork, rwork, info, 1, 1);
}

/* info -1: infinities or NaNs, which LAPACK may not come to an end with. */
static void eig(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix a = rt_lapack_columns(rt_matrix_at(&b->call->in[0], k), 0, &work);
    int *info = rt_number_at(&b->call->out[2], k);
    *info = rt_worst_kind(b->type, a) == RT_FINITE ? 0 : -1;
    if (a.rows && *info == 0)
        (rt_is_complex(b->type) ? eig_complex : eig_real)(b, k, a, work, info);
}

int rt_op_eig(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix a = rt_matrix_at(&call->in[0], 0);
    size_t element = rt_type_bytes(b.type);
    b.lwork = rt_lapack_numbers(a.rows * RT_LAPACK_EIG_COLUMNS + RT_LAPACK_TABLE_NUMBERS);
    b.one = eig;
    b.work_bytes = 2 * rt_work_bytes(rt_matrix_bytes(a)) +
                   2 * rt_work_bytes(2 * a.rows * (int64_t)element) + (size_t)b.lwork * element;
    return rt_batch_run(&b, 25 * (double)a.rows * (double)a.rows * (double)a.rows);
}
