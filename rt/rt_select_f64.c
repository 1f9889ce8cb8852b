/* rt_select_f64.c - the public kernels for doubles: one call through the table of the instruction set that
 * rt_select.c has chosen.
 */
#define RT_F64
#include "rt_kernels.h"

typedef struct table {
    int (*gemm)(rt_team *, int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                const double *packed, double *c, int64_t ldc, const rt_post *post);
    int (*bmm)(rt_team *, const rt_bmm *);
    int (*conv)(rt_team *, const rt_conv *, const double *x, const double *packed, double *y,
                const rt_post *);
} table;

#define TABLE(isa)                                                                              \
    int rt_gemm_f64_##isa(rt_team *, int64_t, int64_t, int64_t, const double *, int64_t,        \
                          const double *, double *, int64_t, const rt_post *);                  \
    int rt_bmm_f64_##isa(rt_team *, const rt_bmm *);                                            \
    int rt_conv_f64_##isa(rt_team *, const rt_conv *, const double *, const double *, double *, \
                          const rt_post *);                                                     \
    static const table table_##isa = {rt_gemm_f64_##isa, rt_bmm_f64_##isa, rt_conv_f64_##isa};

TABLE(base)
#if defined __x86_64__ && !defined RT_ONLY_BASE && !defined FERRITE_SCALAR
#define SEVERAL
TABLE(v3)
TABLE(v4)
#endif

static const table *const tables[] = {
    &table_base,
#ifdef SEVERAL
    &table_v3,
    &table_v4,
#endif
};

int rt_gemm_f64(rt_team *team, int64_t m, int64_t n, int64_t k, const double *a, int64_t lda,
                const double *packed, double *c, int64_t ldc, const rt_post *post)
{
    return tables[rt_isa_level()]->gemm(team, m, n, k, a, lda, packed, c, ldc, post);
}

int rt_bmm_f64(rt_team *team, const rt_bmm *args)
{
    return tables[rt_isa_level()]->bmm(team, args);
}

int rt_conv_f64(rt_team *team, const rt_conv *conv, const double *x, const double *packed,
                double *y, const rt_post *post)
{
    return tables[rt_isa_level()]->conv(team, conv, x, packed, y, post);
}
