/* rt_select_halves.c - the public kernels for numbers of 16 bits: one call through the table of the
 * instruction set that rt_select.c has chosen.
 */
#include "rt_kernels.h"

typedef struct table {
    int (*halves)(rt_team *, const rt_halves *, const rt_post *);
    int (*half_bmm)(rt_team *, const rt_half_bmm *);
} table;

#define TABLE(isa)                                                      \
    int rt_halves_##isa(rt_team *, const rt_halves *, const rt_post *); \
    int rt_half_bmm_##isa(rt_team *, const rt_half_bmm *);              \
    static const table table_##isa = {rt_halves_##isa, rt_half_bmm_##isa};
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

int rt_halves_f32(rt_team *team, const rt_halves *args, const rt_post *post)
{
    return tables[rt_isa_level()]->halves(team, args, post);
}

int rt_half_bmm_f32(rt_team *team, const rt_half_bmm *args)
{
    return tables[rt_isa_level()]->half_bmm(team, args);
}
