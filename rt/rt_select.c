/* rt_select.c - the instruction set is chosen here, once, when the artifact is loaded: the best that
 * the processor has, but none above what the program was made for or FERRITE_ISA names. The public
 * kernels of rt_kernels.h are one call through the chosen table.
 */
#include "rt_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    int (*gemm)(rt_team *, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
                const float *packed, float *c, int64_t ldc, const rt_post *post);
    int (*quantised)(rt_team *, const rt_quantised *, const rt_post *post);
    int (*integers)(rt_team *, const rt_integers *, const rt_post *post);
    int (*bmm)(rt_team *, const rt_bmm *);
    int (*conv)(rt_team *, const rt_conv *, const float *x, const float *packed, float *y,
                const rt_post *);
    int (*conv_weight)(rt_team *, const rt_conv *, const float *x, const float *grad, float *out,
                       const int64_t *strides);
    int (*sdpa)(rt_team *, const rt_sdpa *);
} table;

#define TABLE(isa)                                                                                 \
    int rt_gemm_##isa(rt_team *, int64_t, int64_t, int64_t, const float *, int64_t, const float *, \
                      float *, int64_t, const rt_post *);                                          \
    int rt_quantised_##isa(rt_team *, const rt_quantised *, const rt_post *);                      \
    int rt_integers_##isa(rt_team *, const rt_integers *, const rt_post *);                        \
    int rt_bmm_##isa(rt_team *, const rt_bmm *);                                                   \
    int rt_conv_##isa(rt_team *, const rt_conv *, const float *, const float *, float *,           \
                      const rt_post *);                                                            \
    int rt_conv_weight_##isa(rt_team *, const rt_conv *, const float *, const float *, float *,    \
                             const int64_t *);                                                     \
    int rt_sdpa_##isa(rt_team *, const rt_sdpa *);                                                 \
    static const table table_##isa = {rt_gemm_##isa, rt_quantised_##isa, rt_integers_##isa,        \
                                      rt_bmm_##isa,  rt_conv_##isa,      rt_conv_weight_##isa,     \
                                      rt_sdpa_##isa};

TABLE(base)
/* RT_ONLY_BASE: an artifact built from source with the other instruction sets left out. */
#if defined __x86_64__ && !defined RT_ONLY_BASE && !defined FERRITE_SCALAR
#define SEVERAL
#include <cpuid.h>
TABLE(v3)
TABLE(v4)
#endif

/* Levels, from the least on: what a processor of one has, those of all above it have too. */
enum { BASELINE, V3, V4, LEVELS };
static const char *const level_names[LEVELS] = {"baseline", "x86-64-v3", "x86-64-v4"};

static const table *const tables[LEVELS] = {
    &table_base,
#ifdef SEVERAL
    &table_v3,
    &table_v4,
#endif
};

/* -1: there is none of this name. Beside plain C run the kernels that every processor has. */
static int level_named(const char *name)
{
    for (int level = 0; level < LEVELS; level++)
        if (strcmp(name, level_names[level]) == 0) return level;
    return strcmp(name, "scalar") == 0 ? BASELINE : strcmp(name, "native") == 0 ? V4 : -1;
}

/* Features are asked for by their names, as not every compiler knows those of the levels. */
static int level_here(void)
{
#ifdef SEVERAL
    unsigned a, b, c = 0, d, more = 0;
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_F16C) || !(c & bit_MOVBE) ||
        !__get_cpuid(0x80000001, &a, &b, &more, &d) || !(more & bit_LZCNT))
        return BASELINE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512cd"))
        return V3;
    return V4;
#else
    return BASELINE;
#endif
}

static int chosen = BASELINE;
static int is_named; /* and nothing beside it is used that it has not */

const char *rt_isa(void)
{
    return level_names[chosen];
}

const char *rt_isa_here(void)
{
    return level_names[level_here()];
}

int rt_isa_level(void)
{
    return chosen;
}

static int is_native(const char *name)
{
    return strcmp(name, "native") == 0;
}

int rt_isa_force(const char *name)
{
    int level = is_native(name) ? level_here() : level_named(name);
    if (level < 0 || level > level_here()) return -1;
    chosen = level;
    is_named = !is_native(name);
    return 0;
}

int rt_amx(void)
{
    return chosen == V4 && !is_named && rt_amx_here();
}

#ifdef SEVERAL
static int least(int a, int b)
{
    return a < b ? a : b;
}

/* NULL, or why it cannot be: `level` is what the processor has, *most becomes what `name` allows. */
static const char *allow(const char *name, int level, int *most)
{
    int named = level_named(name);
    if (named < 0) return "is none of native, x86-64-v4, x86-64-v3, baseline";
    if (named > level && !is_native(name)) return "this processor cannot run";
    *most = least(*most, named);
    return NULL;
}
#endif

const char *rt_isa_choose(const char *made_for)
{
#ifdef SEVERAL
    static char obstacle[160];
    const char *wanted = getenv("FERRITE_ISA"), *why = NULL;
    int here = level_here(), most = here;
    if (wanted && *wanted && (why = allow(wanted, here, &most)))
        snprintf(obstacle, sizeof obstacle, "FERRITE_ISA is %.20s, which %s", wanted, why);
    else if (made_for && (why = allow(made_for, here, &most)))
        snprintf(obstacle, sizeof obstacle, "it is made for %.20s, which %s", made_for, why);
    chosen = most;
    is_named = wanted && *wanted && !is_native(wanted);
    return why ? obstacle : NULL;
#else
    (void)made_for;
    return NULL;
#endif
}

#ifdef SEVERAL
/* For hosts without a program; what a program is made for is known when it is opened. */
__attribute__((constructor)) static void choose(void)
{
    rt_isa_choose(NULL);
}
#endif

int rt_gemm_f32(rt_team *team, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
                const float *packed, float *c, int64_t ldc, const rt_post *post)
{
    return tables[chosen]->gemm(team, m, n, k, a, lda, packed, c, ldc, post);
}

int rt_quantised_f32(rt_team *team, const rt_quantised *args, const rt_post *post)
{
    return tables[chosen]->quantised(team, args, post);
}

int rt_integers_i32(rt_team *team, const rt_integers *args, const rt_post *post)
{
    return tables[chosen]->integers(team, args, post);
}

int rt_bmm_f32(rt_team *team, const rt_bmm *args)
{
    return tables[chosen]->bmm(team, args);
}

int rt_conv_f32(rt_team *team, const rt_conv *conv, const float *x, const float *packed, float *y,
                const rt_post *post)
{
    return tables[chosen]->conv(team, conv, x, packed, y, post);
}

int rt_conv_weight_f32(rt_team *team, const rt_conv *conv, const float *x, const float *grad,
                       float *out, const int64_t *strides)
{
    return tables[chosen]->conv_weight(team, conv, x, grad, out, strides);
}

int rt_sdpa_f32(rt_team *team, const rt_sdpa *args)
{
    return tables[chosen]->sdpa(team, args);
}
