/* rt_reflect_strip.h - strips, and reflections applied to them: see rt_reflect.h. */
#ifndef RT_REFLECT_STRIP_H
#define RT_REFLECT_STRIP_H

#include "rt_factor_number.h"
#include "rt_reflect.h"

#ifdef NUMBER_IS_COMPLEX
enum { VECTORS_A_SIDE = 2 };
#else
enum { VECTORS_A_SIDE = 1 };
#endif

/* GROUP reflections are applied at once, to no more than SPAN sides of a row, so that their sums stay in
 * registers. A group does not begin in one strip and end in the next. */
enum {
    GROUP = RT_REFLECT_GROUP,
    GROUP_SIDES = REAL_LANES < GROUP ? GROUP / REAL_LANES : 1, /* that as many columns lie in */
    PAIRS = GROUP * (GROUP - 1) / 2,
    SPAN = REAL_LANES == 1       ? 4
           : REAL_BYTES == 64    ? 4 / VECTORS_A_SIDE
           : REAL_LANES >= GROUP ? 2 / VECTORS_A_SIDE
                                 : 2,
    STRIP = SPAN * REAL_LANES /* vectors of a whole strip */
};
_Static_assert(STRIP % GROUP == 0, "groups end where strips end");
_Static_assert((int)PAIRS <= (int)RT_REFLECT_NUMBERS * (int)GROUP,
               "the products of a group's vectors");
_Static_assert(SPAN * sizeof(side) <= RT_STRIP_BYTES, "more is not planned for");

/* ---- numbers into lanes and back ---- */

/* Of a row; whole groups. */
RT_INLINE int64_t sides_for(int64_t vectors)
{
    enum { LANES = REAL_LANES * GROUP_SIDES };
    return (vectors + LANES - 1) / LANES * GROUP_SIDES;
}

/* Columns of a matrix; of the identity, whose column `first` is the first, where there is no data. */
static void load_strip(rt_matrix from, int64_t first, int conjugated, side *strip)
{
    int64_t wide = sides_for(from.columns);
    const number *numbers = (const number *)(const void *)from.data;
    if (!numbers || from.columns < wide * REAL_LANES)
        memset(strip, 0, (size_t)(from.rows * wide) * sizeof *strip);
    for (int64_t j = 0; j < from.columns; j++) {
        side *to = strip + j / REAL_LANES;
        int lane = (int)(j % REAL_LANES);
        if (!numbers) {
            if (first + j < from.rows) side_put(to + (first + j) * wide, lane, of_real(1));
            continue;
        }
        const number *column = numbers + j * from.column;
        if (conjugated)
            for (int64_t i = 0; i < from.rows; i++)
                side_put(to + i * wide, lane, conjugate(column[i * from.row]));
        else
            for (int64_t i = 0; i < from.rows; i++)
                side_put(to + i * wide, lane, column[i * from.row]);
    }
}

RT_INLINE void store_strip(const side *strip, int conjugated, rt_matrix to)
{
    int64_t wide = sides_for(to.columns);
    for (int64_t j = 0; j < to.columns; j++) {
        const side *from = strip + j / REAL_LANES;
        int lane = (int)(j % REAL_LANES);
        number *column = (number *)(void *)to.data + j * to.column;
        if (conjugated)
            for (int64_t i = 0; i < to.rows; i++)
                column[i * to.row] = conjugate(side_number(from + i * wide, lane));
        else
            for (int64_t i = 0; i < to.rows; i++)
                column[i * to.row] = side_number(from + i * wide, lane);
    }
}

/* Columns from `first` on, no more than a strip has. */
static rt_matrix strip_of(rt_matrix m, int64_t first)
{
    if (m.data) m.data += first * m.column * (int64_t)m.element;
    m.columns = m.columns - first < STRIP ? m.columns - first : STRIP;
    return m;
}

/* ---- some reflections ---- */

/* Those that follow each other: `at` is where the first column meets the diagonal. */
typedef struct group {
    const number *at;
    int64_t row, column;
    const number *tau;
    const number *products; /* see pair; none where there is but one reflection */
} group;

RT_INLINE number vector_at(const group *g, int64_t i, int64_t k)
{
    if (i <= k) return of_real(i == k);
    return g->at[i * g->row + k * g->column];
}

/* Where v_b^H v_a is among the products of a group, for a < b. */
RT_INLINE int pair(int b, int a)
{
    return b * (b - 1) / 2 + a;
}

RT_INLINE void add_products(const number *vectors, number *sums)
{
    for (int b = 1; b < GROUP; b++)
        for (int a = 0; a < b; a++)
            sums[pair(b, a)] = plus_product(sums[pair(b, a)], conjugate(vectors[b]), vectors[a]);
}

/* Of a whole group. */
static void find_products(int64_t rows, const group *g, number *products)
{
    number sums[PAIRS], vectors[GROUP];
    for (int p = 0; p < PAIRS; p++) sums[p] = of_real(0);
    for (int i = 0; i < GROUP; i++) {
        for (int k = 0; k < GROUP; k++) vectors[k] = vector_at(g, i, k);
        add_products(vectors, sums);
    }
    for (int64_t i = GROUP; i < rows; i++) {
        for (int k = 0; k < GROUP; k++) vectors[k] = g->at[i * g->row + k * g->column];
        add_products(vectors, sums);
    }
    memcpy(products, sums, sizeof sums);
}

/* What the rows of the strip lose, for each vector: T V^H C, or T^H V^H C. */
RT_INLINE void find_weights(const int count, const int width, const group *g, int adjoint,
                            side *sums)
{
    for (int step = 0; step < count; step++) {
        int k = adjoint ? step : count - 1 - step;
        for (int before = 0; before < step; before++) {
            int l = adjoint ? before : count - 1 - before;
            number z = l < k ? g->products[pair(k, l)] : conjugate(g->products[pair(l, k)]);
            for (int x = 0; x < width; x++)
                sums[k * width + x] =
                    side_less_product(sums[k * width + x], sides_of(z), sums[l * width + x]);
        }
        side tau = sides_of(adjoint ? conjugate(g->tau[k]) : g->tau[k]);
        for (int x = 0; x < width; x++) sums[k * width + x] = side_times(tau, sums[k * width + x]);
    }
}

/* Rows of the strip are `wide` apart. */
RT_INLINE void apply_few(const int count, const int width, int64_t rows, const group *g,
                         int adjoint, side *restrict c, int64_t wide)
{
    side sums[GROUP * SPAN];
    for (int x = 0; x < count * width; x++) sums[x] = side_of_reals((vec){0});
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= i; k++)
            for (int x = 0; x < width; x++)
                sums[k * width + x] = side_plus_product(
                    sums[k * width + x], sides_of(conjugate(vector_at(g, i, k))), c[i * wide + x]);
    for (int64_t i = count; i < rows; i++)
        for (int k = 0; k < count; k++) {
            side v = sides_of(conjugate(g->at[i * g->row + k * g->column]));
            for (int x = 0; x < width; x++)
                sums[k * width + x] = side_plus_product(sums[k * width + x], v, c[i * wide + x]);
        }
    find_weights(count, width, g, adjoint, sums);
    for (int i = 0; i < count; i++)
        for (int k = 0; k <= i; k++)
            for (int x = 0; x < width; x++)
                c[i * wide + x] = side_less_product(c[i * wide + x], sides_of(vector_at(g, i, k)),
                                                    sums[k * width + x]);
    for (int64_t i = count; i < rows; i++) {
        side row[SPAN];
        for (int x = 0; x < width; x++) row[x] = c[i * wide + x];
        for (int k = 0; k < count; k++) {
            side v = sides_of(g->at[i * g->row + k * g->column]);
            for (int x = 0; x < width; x++)
                row[x] = side_less_product(row[x], v, sums[k * width + x]);
        }
        for (int x = 0; x < width; x++) c[i * wide + x] = row[x];
    }
}

/* One reflection, or a GROUP, on the sides of a strip from `first` on. */
static void apply_group(int is_whole, int64_t rows, const group *g, int adjoint, side *c,
                        int64_t first, int64_t wide)
{
    for (int64_t x = first, width; x < wide; x += width) {
        width = wide - x >= SPAN ? SPAN : SPAN > 2 && wide - x >= 2 ? 2 : 1;
        if (is_whole && width == SPAN)
            apply_few(GROUP, SPAN, rows, g, adjoint, c + x, wide);
        else if (is_whole && SPAN > 2 && width == 2)
            apply_few(GROUP, 2, rows, g, adjoint, c + x, wide);
        else if (is_whole)
            apply_few(GROUP, 1, rows, g, adjoint, c + x, wide);
        else if (width == SPAN)
            apply_few(1, SPAN, rows, g, adjoint, c + x, wide);
        else if (SPAN > 2 && width == 2)
            apply_few(1, 2, rows, g, adjoint, c + x, wide);
        else
            apply_few(1, 1, rows, g, adjoint, c + x, wide);
    }
}

/* Those of a matrix from number j on. */
static group group_at(const rt_reflections *q, const number *products, int64_t j)
{
    const rt_matrix *v = &q->vectors;
    return (group){(const number *)(const void *)v->data + j * (v->row + v->column), v->row,
                   v->column, (const number *)q->tau + j, products + j / GROUP * PAIRS};
}

/* All of them, on a whole strip; of the identity's columns from `unit` on, where that is not negative.
 * What is zero then is left out: in the rows below, columns to the left. */
static void apply_all(const rt_reflections *q, const number *products, int adjoint, int64_t unit,
                      side *strip, int64_t wide)
{
    int64_t rows = q->vectors.rows, whole = q->count / GROUP, single = q->count % GROUP;
    for (int64_t step = 0; step < whole + single; step++) {
        int64_t which = adjoint ? step : whole + single - 1 - step;
        int64_t j = which < whole ? which * GROUP : whole * GROUP + which - whole;
        int64_t first = unit >= 0 && j > unit ? (j - unit) / REAL_LANES : 0;
        group g = group_at(q, products, j);
        apply_group(which < whole, rows - j, &g, adjoint, strip + j * wide, first, wide);
    }
}

#endif
