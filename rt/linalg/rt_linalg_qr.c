/* rt_linalg_qr.c - QR by Householder's reflections: the factors packed, the orthogonal factor
 * itself, and products with it. The kernels of rt_reflect.h do the work. */
#include "rt_by_isa.h"
#include "rt_linalg.h"
#include "rt_reflect.h"

/* ---- kernels ---- */

RT_KERNELS_BY_ISA(reflect, RT_OF_ALL_TYPES)

/* ---- side by side ---- */

static void run_aside(rt_batch *b, int64_t numbers,
                      void (*some)(const rt_batch *, int64_t, int64_t, char *))
{
    const rt_reflect_kernels *kernels = rt_reflect_kernels_of(b->type);
    if (b->count < 2 || numbers > RT_ASIDE_NUMBERS) return;
    b->some = some;
    b->together = kernels->lanes;
    b->work_bytes += rt_work_bytes(RT_REFLECT_ASIDE * RT_ASIDE_NUMBERS * (int64_t)kernels->side);
}

/* ---- packed factors ---- */

static double flops(rt_matrix a)
{
    return 2 * (double)a.rows * (double)a.columns * (double)a.columns;
}

static void factor(const rt_batch *b, int64_t k, char *work)
{
    rt_reflect_kernels_of(b->type)->factor(rt_matrix_at(&b->call->in[0], k),
                                           rt_matrix_at(&b->call->out[0], k),
                                           rt_vector_at(&b->call->out[1], k).data, work);
}

static void factor_some(const rt_batch *b, int64_t k, int64_t count, char *work)
{
    const rt_reflect_kernels *kernels = rt_reflect_kernels_of(b->type);
    rt_aside from = rt_aside_of(&b->call->in[0], 2, k, count),
             to = rt_aside_of(&b->call->out[0], 2, k, count),
             tau = rt_aside_of(&b->call->out[1], 1, k, count);
    int64_t bytes = RT_ASIDE_NUMBERS * (int64_t)kernels->side;
    void *a = rt_work_take(&work, bytes), *scalars = rt_work_take(&work, bytes);
    kernels->gather(&from, a);
    if (kernels->factor_aside(from.rows, from.columns, a, scalars)) {
        kernels->scatter(a, &to);
        kernels->scatter(scalars, &tau);
        return;
    }
    work += bytes;
    for (int64_t i = k; i < k + count; i++) factor(b, i, work);
}

int rt_op_qr_factor(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix a = rt_matrix_at(&call->in[0], 0);
    if (!a.rows || !a.columns) return 0;
    b.work_bytes =
        rt_reflect_bytes(b.type, a.rows, a.rows < a.columns ? a.rows : a.columns, a.columns);
    b.one = factor;
    run_aside(&b, rt_matrix_numbers(&call->in[0]), factor_some);
    return rt_batch_run(&b, flops(a));
}

/* ---- the orthogonal factor ---- */

/* The k-th operands; scalars, of any stride there, are copied. */
static rt_reflections reflections_of(const rt_batch *b, int64_t k, char **work)
{
    rt_matrix tau = rt_vector_at(&b->call->in[1], k);
    void *scales = rt_work_take(work, rt_matrix_bytes(tau));
    rt_matrix_copy(rt_columns(scales, tau.rows, 1, tau.element), tau);
    return (rt_reflections){rt_matrix_at(&b->call->in[0], k), scales, tau.rows};
}

static size_t apply_bytes(const rt_batch *b, int64_t vectors)
{
    int64_t count = rt_vector_at(&b->call->in[1], 0).rows;
    return rt_work_bytes(count * (int64_t)rt_type_bytes(b->type)) +
           rt_reflect_bytes(b->type, rt_matrix_at(&b->call->in[0], 0).rows, count, vectors);
}

static void product(const rt_batch *b, int64_t k, char *work)
{
    rt_reflections r = reflections_of(b, k, &work);
    rt_matrix q = rt_matrix_at(&b->call->out[0], k), identity = q;
    identity.data = NULL;
    rt_reflect_kernels_of(b->type)->apply(&r, 0, 0, identity, q, work);
}

static void product_some(const rt_batch *b, int64_t k, int64_t count, char *work)
{
    const rt_reflect_kernels *kernels = rt_reflect_kernels_of(b->type);
    rt_aside from = rt_aside_of(&b->call->in[0], 2, k, count),
             to = rt_aside_of(&b->call->out[0], 2, k, count),
             tau = rt_aside_of(&b->call->in[1], 1, k, count);
    int64_t bytes = RT_ASIDE_NUMBERS * (int64_t)kernels->side;
    void *v = rt_work_take(&work, bytes), *scalars = rt_work_take(&work, bytes);
    from.columns = tau.rows;
    kernels->gather(&from, v);
    kernels->gather(&tau, scalars);
    kernels->product_aside(to.rows, to.columns, tau.rows, v, scalars, work);
    kernels->scatter(work, &to);
}

int rt_op_householder_product(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    rt_matrix q = rt_matrix_at(&call->out[0], 0), tau = rt_vector_at(&call->in[1], 0);
    if (q.columns > q.rows || tau.rows > q.columns)
        return rt_fail(frame, FE_RUN_BAD_INPUT, "%d reflections make no %d x %d matrix",
                       (int)tau.rows, (int)q.rows, (int)q.columns);
    if (!q.columns) return 0;
    b.work_bytes = apply_bytes(&b, q.columns);
    b.one = product;
    run_aside(&b, rt_matrix_numbers(&call->out[0]), product_some);
    return rt_batch_run(&b, flops(q));
}

/* ---- products with it ---- */

/* C Q is the adjoint of Q^H C^H. */
static void apply(const rt_batch *b, int64_t k, char *work)
{
    rt_reflections r = reflections_of(b, k, &work);
    int left = b->call->ints[RT_HOUSEHOLDER_APPLY_LEFT] != 0;
    int adjoint = b->call->ints[RT_HOUSEHOLDER_APPLY_ADJOINT] != 0;
    rt_reflect_kernels_of(b->type)->apply(&r, left ? adjoint : !adjoint, !left,
                                          rt_matrix_at(&b->call->in[2], k),
                                          rt_matrix_at(&b->call->out[0], k), work);
}

int rt_op_householder_apply(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 1));
    if (b.count == 0) return 0;
    int left = call->ints[RT_HOUSEHOLDER_APPLY_LEFT] != 0;
    rt_matrix a = rt_matrix_at(&call->in[0], 0), c = rt_matrix_at(&call->out[0], 0);
    int64_t count = rt_vector_at(&call->in[1], 0).rows;
    if (a.rows != (left ? c.rows : c.columns) || count > a.rows || count > a.columns)
        return rt_fail(frame, FE_RUN_BAD_INPUT, "%d reflections do not fit a %d x %d matrix",
                       (int)count, (int)c.rows, (int)c.columns);
    if (!c.rows || !c.columns) return 0;
    b.work_bytes = apply_bytes(&b, left ? c.columns : c.rows);
    b.one = apply;
    return rt_batch_run(&b, 4 * (double)c.rows * (double)c.columns * (double)count);
}
