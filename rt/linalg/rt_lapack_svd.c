/* rt_lapack_svd.c - singular values and vectors, by divide and conquer (GESDD). */
#include "rt_lapack.h"

typedef void gesdd_real_fn(const char *vectors, const int *m, const int *n, void *a, const int *lda,
                           void *s, void *u, const int *ldu, void *vh, const int *ldvh, void *work,
                           const int *lwork, int *iwork, int *info, size_t length);
typedef void gesdd_complex_fn(const char *vectors, const int *m, const int *n, void *a,
                              const int *lda, void *s, void *u, const int *ldu, void *vh,
                              const int *ldvh, void *work, const int *lwork, void *rwork,
                              int *iwork, int *info, size_t length);
extern gesdd_real_fn sgesdd_, dgesdd_;
extern gesdd_complex_fn cgesdd_, zgesdd_;
static gesdd_real_fn *const GESDD_REAL[] = {sgesdd_, dgesdd_};
static gesdd_complex_fn *const GESDD_COMPLEX[] = {cgesdd_, zgesdd_};

typedef struct factors {
    const char *vectors; /* "N", "S" or "A" */
    int m, n, least;
    rt_matrix a, u, vh;
    void *s;
} factors;

static factors factors_of(const rt_batch *b, int64_t k)
{
    const rt_call *call = b->call;
    rt_matrix a = rt_matrix_at(&call->in[0], k);
    factors f = {.vectors = "N", .m = (int)a.rows, .n = (int)a.columns, .a = a};
    f.least = f.m < f.n ? f.m : f.n;
    f.u = rt_matrix_at(&call->out[0], k);
    f.vh = rt_matrix_at(&call->out[1], k);
    f.s = rt_vector_at(&call->out[2], k).data;
    if (f.u.data) f.vectors = f.u.columns > f.least || f.vh.rows > f.least ? "A" : "S";
    return f;
}

static void gesdd(int type, const factors *f, void *work, int lwork, void *rwork, int *iwork,
                  int *info)
{
    int lda = f->m ? f->m : 1, ldu = f->u.data ? rt_leading(f->u) : 1;
    int ldvh = f->vh.data ? rt_leading(f->vh) : 1;
    if (rt_is_complex(type))
        GESDD_COMPLEX[type - RT_C64](f->vectors, &f->m, &f->n, f->a.data, &lda, f->s, f->u.data,
                                     &ldu, f->vh.data, &ldvh, work, &lwork, rwork, iwork, info, 1);
    else
        GESDD_REAL[type](f->vectors, &f->m, &f->n, f->a.data, &lda, f->s, f->u.data, &ldu,
                         f->vh.data, &ldvh, work, &lwork, iwork, info, 1);
}

/* Real numbers that the complex routine works in, as LAPACK documents it. */
static int64_t reals_of(const rt_batch *b, const factors *f)
{
    int64_t least = f->least, most = f->m > f->n ? f->m : f->n;
    if (!rt_is_complex(b->type)) return 0;
    if (f->vectors[0] == 'N') return 7 * least + 1;
    int64_t square = 5 * least * least + 5 * least;
    int64_t mixed = 2 * most * least + 2 * least * least + least;
    return square > mixed ? square : mixed;
}

/* Numbers that the routine works in. */
static int64_t numbers_of(const rt_batch *b, const factors *f)
{
    int64_t least = f->least, most = f->m > f->n ? f->m : f->n,
            squares = f->vectors[0] == 'N'     ? 0
                      : rt_is_complex(b->type) ? 2
                                               : 4;
    return squares * least * least + RT_LAPACK_SVD_LOW * least + RT_LAPACK_SVD_HIGH * most;
}

/* What is orthogonal without a matrix to say how. */
static void fill_identity(rt_matrix m, int type)
{
    for (int64_t j = 0; j < m.columns; j++)
        for (int64_t i = 0; i < m.rows; i++) rt_put_number(type, m, i, j, i == j, 0);
}

/* As PyTorch has it: NaNs do not converge, infinities give NaNs. */
static void not_finite(const rt_batch *b, factors *f, rt_number_kind kind, int *info)
{
    *info = kind == RT_NAN ? -1 : 0;
    rt_fill_nan(b->type, f->u);
    rt_fill_nan(b->type, f->vh);
    rt_fill_nan(b->type, (rt_matrix){f->s, f->least, 1, 1, 0, rt_real_bytes(b->type)});
}

static void svd(const rt_batch *b, int64_t k, char *work)
{
    factors f = factors_of(b, k);
    rt_number_kind kind = rt_worst_kind(b->type, f.a);
    int *info = rt_number_at(&b->call->out[3], k);
    f.a = rt_lapack_columns(f.a, 0, &work);
    int *integers = rt_work_take(&work, 8 * (int64_t)f.least * (int64_t)sizeof(int));
    void *reals = rt_work_take(&work, reals_of(b, &f) * (int64_t)rt_real_bytes(b->type));
    *info = 0;
    if (kind != RT_FINITE) {
        not_finite(b, &f, kind, info);
        return;
    }
    if (f.least) {
        gesdd(b->type, &f, work, b->lwork, reals, integers, info);
        return;
    }
    fill_identity(f.u, b->type);
    fill_identity(f.vh, b->type);
}

int rt_op_svd(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 2));
    if (b.count == 0) return 0;
    factors f = factors_of(&b, 0);
    b.lwork = rt_lapack_numbers(numbers_of(&b, &f));
    b.one = svd;
    b.work_bytes = rt_work_bytes(rt_matrix_bytes(f.a)) +
                   rt_work_bytes(8 * (int64_t)f.least * (int64_t)sizeof(int)) +
                   rt_work_bytes(reals_of(&b, &f) * (int64_t)rt_real_bytes(b.type)) +
                   (size_t)b.lwork * rt_type_bytes(b.type);
    return rt_batch_run(&b, 20 * (double)f.m * (double)f.n * (double)f.least);
}
