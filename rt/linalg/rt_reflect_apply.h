/* rt_reflect_apply.h - reflections applied to any number of vectors: see rt_reflect.h. */
#include "rt_reflect_strip.h"

static void apply(const rt_reflections *q, int adjoint, int is_mirrored, rt_matrix from,
                  rt_matrix to, char *work)
{
    number *products =
        rt_work_take(&work, RT_REFLECT_NUMBERS * q->count * (int64_t)sizeof *products);
    side *strip = (side *)(void *)work;
    for (int64_t j = 0; j + GROUP <= q->count; j += GROUP) {
        group g = group_at(q, products, j);
        find_products(q->vectors.rows - j, &g, products + j / GROUP * PAIRS);
    }
    if (is_mirrored) {
        from = rt_mirrored(from);
        to = rt_mirrored(to);
    }
    for (int64_t first = 0; first < to.columns; first += STRIP) {
        rt_matrix columns = strip_of(to, first);
        /* Q^H takes the reflections from the first on, which leaves no zeros below. */
        int64_t unit = from.data || adjoint ? -1 : first;
        load_strip(strip_of(from, first), first, is_mirrored, strip);
        apply_all(q, products, adjoint, unit, strip, sides_for(columns.columns));
        store_strip(strip, is_mirrored, columns);
    }
}
