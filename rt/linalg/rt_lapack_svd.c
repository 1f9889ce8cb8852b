/* rt_lapack_svd.c - singular values and vectors, by divide and conquer: of real matrices those of a
 * bidiagonal one (BDSDC), which the kernels of rt_eigen.h make, of complex ones GESDD's. */
#include "rt_eigen.h"
#include "rt_lapack.h"
#include "rt_reflect.h"

#include <string.h>

typedef void bdsdc_fn(const char *triangle, const char *vectors, const int *n, void *d, void *e,
                      void *u, const int *ldu, void *vh, const int *ldvh, void *q, int *iq,
                      void *work, int *iwork, int *info, size_t triangle_length,
                      size_t vectors_length);
typedef void gesdd_complex_fn(const char *vectors, const int *m, const int *n, void *a,
                              const int *lda, void *s, void *u, const int *ldu, void *vh,
                              const int *ldvh, void *work, const int *lwork, void *rwork,
                              int *iwork, int *info, size_t length);
extern bdsdc_fn sbdsdc_, dbdsdc_;
extern gesdd_complex_fn cgesdd_, zgesdd_;
static bdsdc_fn *const BDSDC[] = {sbdsdc_, dbdsdc_};
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

/* ---- real matrices ---- */

/* As gesdd has them. A has no more columns than rows: else it is the transposed problem, whose vectors change
 * places. */
typedef struct real_svd {
    factors f;
    rt_matrix a, u, vh;
    rt_bidiagonal s;
    rt_reflections q, p, tall; /* of the bidiagonal matrix, and of R where A is first made that */
    char *work;                /* for reflections */
} real_svd;

static size_t reflect_bytes(const rt_batch *b, const factors *f)
{
    int64_t most = f->m > f->n ? f->m : f->n;
    return rt_reflect_bytes(b->type, most, f->least, most);
}

static size_t squares_bytes(const rt_batch *b, int64_t n)
{
    return rt_work_bytes(RT_SVD_SQUARES * n * (n + RT_EIGEN_MORE) *
                         (int64_t)rt_type_bytes(b->type));
}

static int is_tall(rt_matrix a)
{
    return a.rows > a.columns + a.columns / 2;
}

/* A becomes R, which has fewer rows. */
static void make_triangular(int type, real_svd *r, char **room)
{
    rt_bidiagonal *s = &r->s;
    int64_t n = s->columns, element = (int64_t)r->a.element;
    int64_t fewer = (n + RT_MOST_LANES - 1) / RT_MOST_LANES * RT_MOST_LANES;
    rt_matrix whole = {s->a, s->rows, n, 1, s->stride, r->a.element};
    void *tau = rt_work_take(room, n * element),
         *packed = rt_work_take(room, s->rows * n * element);
    r->tall = (rt_reflections){rt_columns(packed, s->rows, n, r->a.element), tau, n};
    rt_reflect_kernels_of(type)->factor(whole, r->tall.vectors, tau, r->work);
    s->rows = n;
    s->stride = s->stride < fewer ? s->stride : fewer;
    memset(s->a, 0, (size_t)(s->stride * n * element));
    rt_matrix_copy_triangle((rt_matrix){s->a, n, n, 1, s->stride, r->a.element},
                            rt_part(r->tall.vectors, 0, 0, n, n), 1);
}

static void find_reflections(real_svd *r)
{
    const rt_bidiagonal *s = &r->s;
    int64_t n = s->columns, count = n > 1 ? n - 1 : 0;
    rt_matrix a = {s->a, s->rows, n, 1, s->stride, r->a.element};
    r->q = (rt_reflections){a, s->left, n};
    r->p =
        (rt_reflections){rt_mirrored(rt_part(a, 0, count ? 1 : 0, count, count)), s->right, count};
}

/* U = Q (Ub 0; 0 1), V^H = Vb^H P^H */
static void multiply_vectors(int type, real_svd *r, rt_matrix ub, rt_matrix vb)
{
    const rt_reflect_kernels *kernels = rt_reflect_kernels_of(type);
    int64_t n = r->s.columns;
    rt_matrix u = r->u, vh = r->vh, top = rt_part(u, 0, 0, n, n),
              right = rt_part(vh, 0, 1, n, n - 1);
    rt_matrix_clear(rt_part(u, n, 0, u.rows - n, n));
    rt_matrix_clear(rt_part(u, 0, n, u.rows, u.columns - n));
    for (int64_t i = n; i < u.columns; i++) rt_put_number(type, u, i, i, 1, 0);
    rt_matrix_copy(top, ub);
    rt_matrix_copy(vh, vb);
    if (r->tall.count) {
        kernels->apply(&r->q, 0, 0, top, top, r->work);
        kernels->apply(&r->tall, 0, 0, u, u, r->work);
    } else {
        kernels->apply(&r->q, 0, 0, u, u, r->work);
    }
    if (r->p.count) kernels->apply(&r->p, 0, 1, right, right, r->work);
}

static void solve_bidiagonal(const rt_batch *b, real_svd *r, char *work, int *integers, int *info)
{
    rt_bidiagonal *s = &r->s;
    int n = (int)s->columns;
    if (!r->u.data) {
        BDSDC[b->type]("U", "N", &n, s->diagonal, s->above, NULL, &n, NULL, &n, NULL, NULL, work,
                       integers, info, 1, 1);
        return;
    }
    rt_matrix u = rt_columns(NULL, n, n, r->a.element), vh = u;
    u.data = rt_work_take(&work, rt_matrix_bytes(u));
    vh.data = rt_work_take(&work, rt_matrix_bytes(vh));
    BDSDC[b->type]("U", "I", &n, s->diagonal, s->above, u.data, &n, vh.data, &n, NULL, NULL, work,
                   integers, info, 1, 1);
    multiply_vectors(b->type, r, u, vh);
}

static void svd_real(const rt_batch *b, int64_t k, char *work)
{
    const rt_eigen_kernels *kernels = rt_eigen_kernels_of(b->type);
    real_svd r = {.f = factors_of(b, k)};
    int *info = rt_number_at(&b->call->out[3], k), n = r.f.least, turned = r.f.m < r.f.n;
    int *integers = rt_work_take(&work, 8 * (int64_t)n * (int64_t)sizeof(int));
    r.a = turned ? rt_mirrored(r.f.a) : r.f.a;
    r.u = turned ? rt_mirrored(r.f.vh) : r.f.u;
    r.vh = turned ? rt_mirrored(r.f.u) : r.f.vh;
    r.work = work;
    char *squares = work + reflect_bytes(b, &r.f), *room = squares + squares_bytes(b, n);
    *info = 0;
    if (!kernels->load_bidiagonal(r.a, &room, &r.s)) {
        not_finite(b, &r.f, rt_worst_kind(b->type, r.f.a), info);
        return;
    }
    if (is_tall(r.a)) make_triangular(b->type, &r, &room);
    kernels->bidiagonal(&r.s, room);
    find_reflections(&r);
    solve_bidiagonal(b, &r, squares, integers, info);
    kernels->scale(n, r.s.diagonal, r.s.exponent);
    memcpy(r.f.s, r.s.diagonal, (size_t)n * r.a.element);
}

static size_t real_bytes(const rt_batch *b, const factors *f)
{
    int64_t most = f->m > f->n ? f->m : f->n;
    return rt_work_bytes(8 * (int64_t)f->least * (int64_t)sizeof(int)) + reflect_bytes(b, f) +
           squares_bytes(b, f->least) + rt_bidiagonal_bytes(b->type, f->least, most);
}

/* ---- complex matrices ---- */

/* Real numbers that GESDD works in, as LAPACK documents it. */
static int64_t reals_of(const factors *f)
{
    int64_t least = f->least, most = f->m > f->n ? f->m : f->n;
    if (f->vectors[0] == 'N') return 7 * least + 1;
    int64_t square = 5 * least * least + 5 * least;
    int64_t mixed = 2 * most * least + 2 * least * least + least;
    return square > mixed ? square : mixed;
}

/* Numbers that it works in. */
static int64_t numbers_of(const factors *f)
{
    int64_t least = f->least, most = f->m > f->n ? f->m : f->n;
    return (f->vectors[0] == 'N' ? 0 : 2 * least * least) + RT_LAPACK_SVD_LOW * least +
           RT_LAPACK_SVD_HIGH * most;
}

static void svd_complex(const rt_batch *b, int64_t k, char *work)
{
    factors f = factors_of(b, k);
    rt_number_kind kind = rt_worst_kind(b->type, f.a);
    int *info = rt_number_at(&b->call->out[3], k);
    int lda = f.m, ldu = f.u.data ? rt_leading(f.u) : 1, ldvh = f.vh.data ? rt_leading(f.vh) : 1;
    f.a = rt_lapack_columns(f.a, 0, &work);
    int *integers = rt_work_take(&work, 8 * (int64_t)f.least * (int64_t)sizeof(int));
    void *reals = rt_work_take(&work, reals_of(&f) * (int64_t)rt_real_bytes(b->type));
    *info = 0;
    if (kind != RT_FINITE)
        not_finite(b, &f, kind, info);
    else
        GESDD_COMPLEX[b->type - RT_C64](f.vectors, &f.m, &f.n, f.a.data, &lda, f.s, f.u.data, &ldu,
                                        f.vh.data, &ldvh, work, &b->lwork, reals, integers, info,
                                        1);
}

static size_t complex_bytes(const rt_batch *b, const factors *f)
{
    return rt_work_bytes(rt_matrix_bytes(f->a)) +
           rt_work_bytes(8 * (int64_t)f->least * (int64_t)sizeof(int)) +
           rt_work_bytes(reals_of(f) * (int64_t)rt_real_bytes(b->type)) +
           (size_t)b->lwork * rt_type_bytes(b->type);
}

/* ---- any ---- */

static void svd_nothing(const rt_batch *b, int64_t k, char *work)
{
    factors f = factors_of(b, k);
    (void)work;
    *(int *)rt_number_at(&b->call->out[3], k) = 0;
    fill_identity(f.u, b->type);
    fill_identity(f.vh, b->type);
}

int rt_op_svd(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 2));
    if (b.count == 0) return 0;
    factors f = factors_of(&b, 0);
    int is_complex = rt_is_complex(b.type);
    b.lwork = is_complex ? rt_lapack_numbers(numbers_of(&f)) : 0;
    b.one = !f.least ? svd_nothing : is_complex ? svd_complex : svd_real;
    b.work_bytes = !f.least ? 0 : is_complex ? complex_bytes(&b, &f) : real_bytes(&b, &f);
    return rt_batch_run(&b, 20 * (double)f.m * (double)f.n * (double)f.least);
}
