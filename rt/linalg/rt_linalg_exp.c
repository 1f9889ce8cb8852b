/* rt_linalg_exp.c - the matrix exponential. rt_linalg_exp.h has its arithmetic. */
#include "rt_factor.h"
#include "rt_linalg.h"

#ifndef __STDC_NO_COMPLEX__
#include <complex.h>
#endif
#include <math.h>
#include <string.h>

#define NUMBER double
#define FOR_TYPE(name) name##_f64
#define ABSOLUTE fabs
#include "rt_linalg_exp.h"
#undef NUMBER
#undef FOR_TYPE
#undef ABSOLUTE

#ifndef __STDC_NO_COMPLEX__
#define NUMBER double complex
#define FOR_TYPE(name) name##_c128
#define ABSOLUTE cabs
#include "rt_linalg_exp.h"
#undef NUMBER
#undef FOR_TYPE
#undef ABSOLUTE
#endif

/* C11 lets a compiler do without complex numbers. */
static int check_type(rt_frame *frame, int type)
{
#ifdef __STDC_NO_COMPLEX__
    if (rt_is_complex(type))
        return rt_fail(frame, FE_RUN_ASSERTION,
                       "this program was built by a C compiler that has no complex numbers");
#endif
    (void)frame;
    (void)type;
    return 0;
}

/* ---- the matrix exponential ---- */

/* Elements of one precision as those of the other. */
static void convert(rt_matrix to, int to_type, rt_matrix from, int from_type)
{
    int parts = rt_is_complex(from_type) ? 2 : 1;
    int widens = rt_real_bytes(from_type) == sizeof(float);
    if (rt_real_bytes(to_type) == rt_real_bytes(from_type)) {
        rt_matrix_copy(to, from);
        return;
    }
    for (int64_t j = 0; j < to.columns; j++)
        for (int64_t i = 0; i < to.rows; i++)
            for (int part = 0; part < parts; part++) {
                int64_t in = (i * from.row + j * from.column) * parts + part;
                int64_t out = (i * to.row + j * to.column) * parts + part;
                if (widens)
                    ((double *)(void *)to.data)[out] = ((const float *)(void *)from.data)[in];
                else
                    ((float *)(void *)to.data)[out] =
                        (float)((const double *)(void *)from.data)[in];
            }
}

/* Always in double: the squarings multiply what is rounded off. */
static void exponential(const rt_batch *b, int64_t k, char *work)
{
    rt_matrix out = rt_matrix_at(&b->call->out[0], k);
    int is_complex = rt_is_complex(b->type), wide = is_complex ? RT_C128 : RT_F64;
    size_t element = rt_type_bytes(wide);
    int64_t n = out.rows, bytes = n * n * (int64_t)element;
    rt_matrix a = rt_columns(rt_work_take(&work, bytes), n, n, element);
    rt_matrix result = rt_columns(rt_work_take(&work, bytes), n, n, element);
    const rt_factor_kernels *kernels = rt_factor_kernels_of(wide);
    void *from = a.data, *to = result.data, *room = work;
    convert(a, wide, rt_matrix_at(&b->call->in[0], k), b->type);
#ifndef __STDC_NO_COMPLEX__
    if (is_complex) exponential_c128(kernels, n, from, to, room);
#endif
    if (!is_complex) exponential_f64(kernels, n, from, to, room);
    convert(out, b->type, result, wide);
}

int rt_op_matrix_exp(rt_frame *frame, const rt_call *call)
{
    rt_batch b;
    RT_TRY(rt_batch_start(&b, frame, call, 0));
    RT_TRY(check_type(frame, b.type));
    if (b.count == 0) return 0;
    double n = (double)rt_matrix_at(&call->in[0], 0).rows;
    size_t element = rt_type_bytes(rt_is_complex(b.type) ? RT_C128 : RT_F64);
    b.one = exponential;
    b.work_bytes = 5 * rt_work_bytes((int64_t)(n * n) * (int64_t)element);
    return rt_batch_run(&b, 20 * n * n * n);
}
