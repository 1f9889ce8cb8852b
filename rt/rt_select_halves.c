/* rt_select_halves.c - the public kernels for numbers of 16 bits: one call through the table of the
 * instruction set that rt_select.c has chosen.
 */
#include "rt_kernels.h"

typedef int (*halves_fn)(rt_team *, const rt_halves *, const rt_post *);

#define DECLARE(isa) int rt_halves_##isa(rt_team *, const rt_halves *, const rt_post *);
DECLARE(base)
#if defined __x86_64__ && !defined RT_ONLY_BASE && !defined FERRITE_SCALAR
#define SEVERAL
DECLARE(v3)
DECLARE(v4)
#endif

static const halves_fn tables[] = {
    rt_halves_base,
#ifdef SEVERAL
    rt_halves_v3,
    rt_halves_v4,
#endif
};

int rt_halves_f32(rt_team *team, const rt_halves *args, const rt_post *post)
{
    return tables[rt_isa_level()](team, args, post);
}
