/* rt_select_halves.c - the public kernels for numbers of 16 bits: one call through the table of the
 * instruction set that rt_select.c has chosen.
 */
#include "rt_kernels.h"

typedef struct halves_kernels {
    int (*product)(rt_team *, const rt_halves *, const rt_post *);
    int (*bmm)(rt_team *, const rt_half_bmm *);
    int (*conv)(rt_team *, const rt_conv *, const uint16_t *x, const uint32_t *packed, float *y,
                const rt_post *);
    void (*floats)(rt_pool *, const rt_conv *, const uint16_t *x, float *floats);
    int (*takes)(const rt_conv *);
} halves_kernels;

#define DECLARE(isa)                                                                       \
    int rt_halves_##isa(rt_team *, const rt_halves *, const rt_post *);                    \
    int rt_half_bmm_##isa(rt_team *, const rt_half_bmm *);                                 \
    int rt_half_conv_##isa(rt_team *, const rt_conv *, const uint16_t *, const uint32_t *, \
                           float *, const rt_post *);                                      \
    void rt_half_conv_floats_##isa(rt_pool *, const rt_conv *, const uint16_t *, float *); \
    int rt_half_conv_takes_##isa(const rt_conv *);
DECLARE(base)
#if defined __x86_64__ && !defined RT_ONLY_BASE && !defined FERRITE_SCALAR
#define SEVERAL
DECLARE(v3)
DECLARE(v4)
#endif

#define KERNELS(isa)                                                                       \
    {                                                                                      \
        rt_halves_##isa, rt_half_bmm_##isa, rt_half_conv_##isa, rt_half_conv_floats_##isa, \
            rt_half_conv_takes_##isa                                                       \
    }

static const halves_kernels tables[] = {
    KERNELS(base),
#ifdef SEVERAL
    KERNELS(v3),
    KERNELS(v4),
#endif
};

int rt_halves_f32(rt_team *team, const rt_halves *args, const rt_post *post)
{
    return tables[rt_isa_level()].product(team, args, post);
}

int rt_half_bmm_f32(rt_team *team, const rt_half_bmm *args)
{
    return tables[rt_isa_level()].bmm(team, args);
}

int rt_half_conv(rt_team *team, const rt_conv *conv, const uint16_t *x, const uint32_t *packed,
                 float *y, const rt_post *post)
{
    return tables[rt_isa_level()].conv(team, conv, x, packed, y, post);
}

void rt_half_conv_floats(rt_pool *pool, const rt_conv *conv, const uint16_t *x, float *floats)
{
    tables[rt_isa_level()].floats(pool, conv, x, floats);
}

int rt_half_conv_here(const rt_conv *conv)
{
    return tables[rt_isa_level()].takes(conv);
}
