/* rt_reflect_factor.h - reflections that make a matrix upper triangular: see rt_reflect.h. */
#include "rt_reflect_make.h"
#include "rt_reflect_strip.h"

/* The reflection v, on the columns of a group: those up to `done`, in lanes, are left alone, and v goes
 * into the last of them. `next`, if it is not NULL, becomes the column after it, from its second row on. */
RT_INLINE void reflect(int64_t rows, const number *v, number tau, side *restrict c, int64_t wide,
                       int64_t done, number *next, side *dots)
{
    side even[GROUP_SIDES], odd[GROUP_SIDES], *column = c + done / REAL_LANES;
    int lane = (int)(done % REAL_LANES);
    for (int x = 0; x < GROUP_SIDES; x++) {
        even[x] = c[x];
        odd[x] = side_of_reals((vec){0});
    }
    int64_t i = 1;
    for (; i + 1 < rows; i += 2) {
        side v0 = sides_of(conjugate(v[i])), v1 = sides_of(conjugate(v[i + 1]));
        for (int x = 0; x < GROUP_SIDES; x++) {
            even[x] = side_plus_product(even[x], v0, c[i * wide + x]);
            odd[x] = side_plus_product(odd[x], v1, c[(i + 1) * wide + x]);
        }
        side_put(column + i * wide, lane, v[i]);
        side_put(column + (i + 1) * wide, lane, v[i + 1]);
    }
    if (i < rows) {
        for (int x = 0; x < GROUP_SIDES; x++)
            odd[x] = side_plus_product(odd[x], sides_of(conjugate(v[i])), c[i * wide + x]);
        side_put(column + i * wide, lane, v[i]);
    }
    side weights[GROUP_SIDES];
    mask lanes[GROUP_SIDES];
    for (int x = 0; x < GROUP_SIDES; x++) {
        dots[x] = side_plus(even[x], odd[x]);
        weights[x] = side_times(dots[x], sides_of(conjugate(tau)));
        lanes[x] = lanes_above(done - x * REAL_LANES);
    }
    const side *after = c + (done + 1) / REAL_LANES;
    int after_lane = (int)((done + 1) % REAL_LANES);
    for (i = 0; i < rows; i++) {
        side here = sides_of(v[i]);
        for (int x = 0; x < GROUP_SIDES; x++) {
            side old = c[i * wide + x];
            c[i * wide + x] = side_choose(lanes[x], side_less_product(old, here, weights[x]), old);
        }
        if (next && i) next[i - 1] = side_number(after + i * wide, after_lane);
    }
}

/* Reflections for the first columns of a strip, whose first row has the diagonal of the first. Columns of
 * a group have each reflection as it is made, all behind them those of the group at once. vectors: the
 * group's, `rows` apart. */
static void factor_strip(int64_t rows, int64_t columns, side *strip, int64_t wide, number *tau,
                         number *products, number *vectors)
{
    side dots[GROUP_SIDES];
    for (int64_t begin = 0; begin < columns; begin += GROUP) {
        int64_t count = columns - begin < GROUP ? columns - begin : GROUP, left = rows - begin;
        int64_t first = begin / REAL_LANES, lanes = first * REAL_LANES;
        number *found = products + begin / GROUP * PAIRS;
        side *top = strip + begin * wide;
        for (int k = 0; k < count; k++) {
            int64_t s = begin + k - lanes;
            side *c = top + k * wide + first, *column = c + s / REAL_LANES;
            number *v = vectors + k * rows + k, alpha = side_number(column, (int)(s % REAL_LANES));
            for (int64_t i = 1; !k && i < left; i++)
                v[i] = side_number(column + i * wide, (int)(s % REAL_LANES));
            tau[begin + k] = make_reflection(left - k - 1, &alpha, v + 1);
            side_put(column, (int)(s % REAL_LANES), alpha);
            v[0] = of_real(1);
            reflect(left - k, v, tau[begin + k], c, wide, s,
                    k + 1 < count ? vectors + (k + 1) * rows + k + 1 : NULL, dots);
            for (int a = 0; a < k; a++)
                found[pair(k, a)] = side_number(dots + (begin + a - lanes) / REAL_LANES,
                                                (int)((begin + a - lanes) % REAL_LANES));
        }
        for (int k = 0; k < count; k += count == GROUP ? GROUP : 1) {
            group g = {vectors + k * rows + k, 1, rows, tau + begin + k, found};
            apply_group(count == GROUP, left - k, &g, 1, top + k * wide, first + GROUP_SIDES, wide);
        }
    }
}

static void factor(rt_matrix a, rt_matrix qr, void *tau, char *work)
{
    int64_t rows = a.rows, count = rows < a.columns ? rows : a.columns;
    number *products = rt_work_take(&work, RT_REFLECT_NUMBERS * count * (int64_t)sizeof *products);
    number *vectors = rt_work_take(&work, GROUP * rows * (int64_t)sizeof *vectors);
    side *strip = (side *)(void *)work;
    for (int64_t first = 0; first < a.columns; first += STRIP) {
        rt_matrix columns = strip_of(qr, first);
        int64_t done = first < count ? first : count, wide = sides_for(columns.columns);
        int64_t more = count - done < columns.columns ? count - done : columns.columns;
        load_strip(strip_of(a, first), first, 0, strip);
        apply_all(&(rt_reflections){qr, tau, done}, products, 1, -1, strip, wide);
        factor_strip(rows - done, more, strip + done * wide, wide, (number *)tau + done,
                     products + done / GROUP * PAIRS, vectors);
        store_strip(strip, 0, columns);
    }
}
