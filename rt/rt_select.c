/* rt_select.c - the instruction set is chosen here, once, when the artifact is loaded; the public
 * kernels of rt_kernels.h are one call through the chosen table.
 */
#include "rt_kernels.h"

#include <string.h>

typedef struct table {
    const char *name;
    int (*gemm)(rt_team *, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
                const float *packed, float *c, int64_t ldc, const rt_post *post);
    int (*bmm)(rt_team *, const rt_bmm *);
    int (*conv)(rt_team *, const rt_conv *, const float *x, const float *packed, float *y,
                const rt_post *);
    int (*sdpa)(rt_team *, const rt_sdpa *);
} table;

#define TABLE(isa)                                                                                 \
    int rt_gemm_##isa(rt_team *, int64_t, int64_t, int64_t, const float *, int64_t, const float *, \
                      float *, int64_t, const rt_post *);                                          \
    int rt_bmm_##isa(rt_team *, const rt_bmm *);                                                   \
    int rt_conv_##isa(rt_team *, const rt_conv *, const float *, const float *, float *,           \
                      const rt_post *);                                                            \
    int rt_sdpa_##isa(rt_team *, const rt_sdpa *);                                                 \
    static const table table_##isa = {#isa, rt_gemm_##isa, rt_bmm_##isa, rt_conv_##isa,            \
                                      rt_sdpa_##isa};

TABLE(base)
/* RT_ONLY_BASE: an artifact built from source with the other instruction sets left out. */
#if defined __x86_64__ && !defined RT_ONLY_BASE && !defined FERRITE_SCALAR
#define SEVERAL
#endif
#ifdef SEVERAL
TABLE(v3)
TABLE(v4)
#endif

static const table *chosen = &table_base;

/* NULL when the processor or the archive lacks it. */
static const table *table_named(const char *name)
{
#ifdef SEVERAL
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                 __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512cd");
    if (strcmp(name, "v4") == 0) return avx512 ? &table_v4 : NULL;
    if (strcmp(name, "v3") == 0) return avx2 ? &table_v3 : NULL;
#endif
    return strcmp(name, "base") == 0 ? &table_base : NULL;
}

#ifdef SEVERAL
__attribute__((constructor)) static void choose(void)
{
    static const char *const best_first[] = {"v4", "v3", "base"};
    for (int i = 0; i < 3; i++)
        if (rt_isa_force(best_first[i]) == 0) return;
}
#endif

const char *rt_isa(void)
{
    return chosen->name;
}

int rt_isa_force(const char *name)
{
    const table *found = table_named(name);
    if (!found) return -1;
    chosen = found;
    return 0;
}

int rt_gemm_f32(rt_team *team, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
                const float *packed, float *c, int64_t ldc, const rt_post *post)
{
    return chosen->gemm(team, m, n, k, a, lda, packed, c, ldc, post);
}

int rt_bmm_f32(rt_team *team, const rt_bmm *args)
{
    return chosen->bmm(team, args);
}

int rt_conv_f32(rt_team *team, const rt_conv *conv, const float *x, const float *packed, float *y,
                const rt_post *post)
{
    return chosen->conv(team, conv, x, packed, y, post);
}

int rt_sdpa_f32(rt_team *team, const rt_sdpa *args)
{
    return chosen->sdpa(team, args);
}
