/* rt_lapack_eigh.c - eigenvalues and eigenvectors of symmetric matrices, by the kernels of rt_eigen.h, and of
 * Hermitian ones, by LAPACK. */
#include "rt_by_isa.h"
#include "rt_eigen.h"
#include "rt_lapack.h"

#include <string.h>

typedef void heevd_fn(const char *vectors, const char *triangle, const int *n, void *a,
                      const int *lda, void *values, void *work, const int *lwork, void *rwork,
                      const int *lrwork, int *iwork, const int *liwork, int *info,
                      size_t vectors_length, size_t triangle_length);
typedef void sterf_fn(const int *n, void *diagonal, void *below, int *info);
extern heevd_fn cheevd_, zheevd_;
extern sterf_fn ssterf_, dsterf_;
static heevd_fn *const HEEVD[] = {cheevd_, zheevd_};
static sterf_fn *const STERF[] = {ssterf_, dsterf_};

/* ---- symmetric ---- */

RT_KERNELS_BY_ISA(eigen, RT_OF_REALS)

static void symmetric(const rt_batch *b, int64_t k, char *work)
{
    const rt_eigen_kernels *kernels = rt_eigen_kernels_of(b->type);
    rt_matrix a = rt_matrix_at(&b->call->in[0], k), v = rt_matrix_at(&b->call->out[0], k);
    rt_matrix values = rt_vector_at(&b->call->out[1], k);
    int *info = rt_number_at(&b->call->out[2], k), n = (int)a.rows;
    rt_tridiagonal t;
    *info = 0;
    if (!kernels->reduce(a, b->call->ints[RT_EIGH_UPPER] != 0, work, &t)) {
        rt_fill_nan(b->type, v);
        rt_fill_nan(b->type, values);
    } else if (v.data) {
        *info = kernels->vectors(&t, v, values.data);
    } else {
        STERF[b->type](&n, t.diagonal, t.below, info);
        memcpy(values.data, t.diagonal, (size_t)rt_matrix_bytes(values));
        kernels->scale(n, values.data, t.exponent);
    }
}

/* ---- Hermitian ---- */

typedef struct eigh_room {
    int lwork, lrwork, liwork;
    size_t room; /* bytes of all three */
} eigh_room;

static void eigh_call(const rt_batch *b, const eigh_room *r, rt_matrix a, void *values, char *work,
                      int *info)
{
    const char *vectors = b->call->out[0].data ? "V" : "N",
               *triangle = b->call->ints[RT_EIGH_UPPER] ? "U" : "L";
    int n = (int)a.rows, lda = rt_leading(a);
    void *numbers = rt_work_take(&work, r->lwork * (int64_t)rt_type_bytes(b->type));
    void *reals = rt_work_take(&work, r->lrwork * (int64_t)rt_real_bytes(b->type));
    int *integers = rt_work_take(&work, r->liwork * (int64_t)sizeof(int));
    HEEVD[b->type - RT_C64](vectors, triangle, &n, a.data, &lda, values, numbers, &r->lwork, reals,
                            &r->lrwork, integers, &r->liwork, info, 1, 1);
}

/* What LAPACK documents as enough. */
static eigh_room eigh_room_of(const rt_batch *b)
{
    int64_t n = b->call->in[0].sizes[b->call->in[0].rank - 1];
    int vectors = b->call->out[0].data != NULL;
    eigh_room r = {.lwork = (int)(vectors ? 2 * n + n * n : n + 1),
                   .lrwork = (int)(vectors ? 1 + 5 * n + 2 * n * n : n + 1),
                   .liwork = (int)(vectors ? 3 + 5 * n : 1)};
    r.room = rt_work_bytes(r.lwork * (int64_t)rt_type_bytes(b->type)) +
             rt_work_bytes(r.lrwork * (int64_t)rt_real_bytes(b->type)) +
             rt_work_bytes(r.liwork * (int64_t)sizeof(int));
    return r;
}

static void hermitian(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix a = rt_matrix_at(&b->call->in[0], k), v = rt_matrix_at(&b->call->out[0], k);
    rt_matrix values = rt_vector_at(&b->call->out[1], k);
    int *info = rt_number_at(&b->call->out[2], k);
    eigh_room r = eigh_room_of(b);
    *info = 0;
    if (!v.data) v = rt_columns(rt_work_take(&work, rt_matrix_bytes(a)), a.rows, a.rows, a.element);
    rt_matrix_copy_triangle(v, a, b->call->ints[RT_EIGH_UPPER] != 0);
    if (rt_worst_kind(b->type, v) != RT_FINITE) {
        rt_fill_nan(b->type, v);
        rt_fill_nan(b->type, values);
    } else {
        eigh_call(b, &r, v, values.data, work, info);
    }
}

int rt_op_eigh(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix a = rt_matrix_at(&call->in[0], 0);
    if (!a.rows) {
        for (int64_t k = 0; k < b.count; k++) *(int *)rt_number_at(&call->out[2], k) = 0;
        return 0;
    }
    if (rt_is_complex(b.type)) {
        b.one = hermitian;
        b.work_bytes = rt_work_bytes(rt_matrix_bytes(a)) + eigh_room_of(&b).room;
    } else {
        b.one = symmetric;
        b.work_bytes = rt_eigen_bytes(b.type, a.rows, call->out[0].data != NULL);
    }
    return rt_batch_run(&b, 9 * (double)a.rows * (double)a.rows * (double)a.rows);
}
