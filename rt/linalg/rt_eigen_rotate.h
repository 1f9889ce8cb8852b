/* rt_eigen_rotate.h - the implicit QL method for symmetric tridiagonal matrices, as LAPACK's steqr has it. */
#include "rt_eigen.h"
#include "rt_reflect_strip.h"

/* ---- rotations of columns, whose rows have lanes ---- */

/* Those of a sweep: columns `first` + i step and the one a step on, from the last i to i = 0. */
typedef struct rotations {
    int64_t first, step, count;
    const real *cosines, *sines;
} rotations;

RT_INLINE void rotate_few(const int width, const rotations *r, side *c, int64_t wide)
{
    int64_t step = r->step * wide;
    side *at = c + r->first * wide + r->count * step, kept[SPAN];
    for (int x = 0; x < width; x++) kept[x] = at[x];
    for (int64_t i = r->count; i-- > 0; at -= step) {
        vec cosine = spread(r->cosines[i]), sine = spread(r->sines[i]);
        for (int x = 0; x < width; x++) {
            side other = at[x - step];
            at[x] = kept[x] * cosine + other * sine;
            kept[x] = other * cosine - kept[x] * sine;
        }
    }
    for (int x = 0; x < width; x++) at[x] = kept[x];
}

static void rotate(const rotations *r, side *strip, int64_t wide)
{
    for (int64_t x = 0, width; x < wide; x += width) {
        width = wide - x >= SPAN ? SPAN : SPAN > 2 && wide - x >= 2 ? 2 : 1;
        if (width == SPAN)
            rotate_few(SPAN, r, strip + x, wide);
        else if (SPAN > 2 && width == 2)
            rotate_few(2, r, strip + x, wide);
        else
            rotate_few(1, r, strip + x, wide);
    }
}

/* Strips one after another, of n columns each, with n rows in lanes. */
static void rotate_all(int64_t n, const rotations *r, side *strips)
{
    for (int64_t first = 0; first < n; first += STRIP) {
        int64_t wide = sides_for(n - first < STRIP ? n - first : STRIP);
        rotate(r, strips, wide);
        strips += n * wide;
    }
}

/* ---- the method ----
 * Its own numbers are doubles, which cost little more here and make eigenvalues as precise as T. */

/* Part of the matrix: number i of it is number first + i step of the whole. */
typedef struct part {
    int64_t first, step, count;
    double *d, *e; /* copies of its numbers */
} part;

typedef struct method {
    int64_t n, left; /* sweeps that there may be still */
    real *diagonal, *below, *cosines, *sines;
    double *d, *e; /* of a part */
    side *strips;
} method;

static void turn(const method *m, const part *p, int64_t low, int64_t count)
{
    rotations r = {p->first + low * p->step, p->step, count, m->cosines, m->sines};
    rotate_all(m->n, &r, m->strips);
}

/* Its eigenvalues and the rotation that makes it diagonal: LAPACK's laev2, with the larger value first. */
static void solve_pair(const method *m, const part *p, int64_t low)
{
    double a = p->d[low], b = p->e[low], c = p->d[low + 1];
    double half = (a - c) / 2, root = copysign(hypot(half, b), half);
    /* (a - c) / 2 + root, which nothing cancels in, and b: along the vector of a's value */
    double x = half + root, length = hypot(x, b), cosine = length ? x / length : 1,
           sine = length ? b / length : 0, shift = x ? b / x * b : 0;
    p->d[low] = a + shift;
    p->d[low + 1] = c - shift;
    p->e[low] = 0;
    m->cosines[0] = (real)cosine;
    m->sines[0] = (real)-sine;
    turn(m, p, low, 1);
}

/* One sweep over numbers low to high, from the last to the first. */
static void sweep(const method *m, const part *p, int64_t low, int64_t high)
{
    double *d = p->d, *e = p->e, shift = d[low];
    double g = (d[low + 1] - shift) / (2 * e[low]), s = 1, c = 1, move = 0;
    g = d[high] - shift + e[low] / (g + copysign(hypot(g, 1), g));
    for (int64_t i = high - 1; i >= low; i--) {
        double f = s * e[i], b = c * e[i], squares = f * f + g * g;
        double r = squares > DBL_MIN / DBL_EPSILON ? sqrt(squares) : hypot(f, g);
        c = r ? g / r : 1;
        s = r ? f / r : 0;
        if (i + 1 < high) e[i + 1] = r;
        g = d[i + 1] - move;
        r = (d[i] - g) * s + 2 * c * b;
        move = s * r;
        d[i + 1] = g + move;
        g = c * r - b;
        m->cosines[i - low] = (real)c;
        m->sines[i - low] = (real)s;
    }
    d[low] -= move;
    e[low] = g;
    turn(m, p, low, high - low);
}

static int is_zero(const part *p, int64_t i)
{
    double e = p->e[i];
    return e * e <= UNIT / 2 * fabs(p->d[i]) * (UNIT / 2 * fabs(p->d[i + 1])) + DBL_MIN;
}

/* False if there were more sweeps than there may be. */
static int solve_part(method *m, const part *p)
{
    for (int64_t low = 0; low < p->count;) {
        int64_t high = low;
        while (high + 1 < p->count && !is_zero(p, high)) high++;
        if (high + 1 < p->count) p->e[high] = 0;
        if (high == low) {
            low++;
        } else if (high == low + 1) {
            solve_pair(m, p, low);
            low += 2;
        } else {
            if (m->left-- <= 0) return 0;
            sweep(m, p, low, high);
        }
    }
    return 1;
}

/* Numbers first to last, which are connected: from the end that is larger, and of a size near 1. */
static int solve_connected(method *m, int64_t first, int64_t last)
{
    int turned = MAGNITUDE(m->diagonal[last]) < MAGNITUDE(m->diagonal[first]), exponent = 0;
    part p = {turned ? last : first, turned ? -1 : 1, last - first + 1, m->d, m->e};
    double most = 0;
    for (int64_t i = 0; i < p.count; i++) {
        p.d[i] = m->diagonal[p.first + i * p.step];
        most = fmax(most, fabs(p.d[i]));
        if (i + 1 == p.count) break;
        p.e[i] = m->below[turned ? last - 1 - i : first + i];
        most = fmax(most, fabs(p.e[i]));
    }
    frexp(most, &exponent);
    for (int64_t i = 0; i < p.count; i++) p.d[i] = ldexp(p.d[i], -exponent);
    for (int64_t i = 0; i + 1 < p.count; i++) p.e[i] = ldexp(p.e[i], -exponent);
    int done = solve_part(m, &p);
    for (int64_t i = 0; i < p.count; i++)
        m->diagonal[p.first + i * p.step] = (real)ldexp(p.d[i], exponent);
    for (int64_t i = 0; !done && i + 1 < p.count; i++)
        m->below[turned ? last - 1 - i : first + i] = (real)ldexp(p.e[i], exponent);
    return done;
}

static int solve(method *m)
{
    int failed = 0;
    for (int64_t first = 0, last; first < m->n; first = last + 1) {
        for (last = first; last + 1 < m->n; last++) {
            real e = MAGNITUDE(m->below[last]);
            if (e <= ROOT(MAGNITUDE(m->diagonal[last])) * ROOT(MAGNITUDE(m->diagonal[last + 1])) *
                         UNIT / 2)
                break;
        }
        if (solve_connected(m, first, last)) continue;
        for (int64_t i = first; i < last; i++) failed += m->below[i] != 0;
    }
    return failed;
}

/* ---- vectors ---- */

/* Rows of Q = H1 H2 ..., which leave the first column alone. */
static void load_rows(const rt_tridiagonal *t, side *strips, number *products)
{
    rt_matrix below = {(char *)t->a + sizeof(real), t->n - 1, t->n - 1, 1, t->stride, sizeof(real)};
    rt_reflections q = {below, t->tau, t->n > 2 ? t->n - 2 : 0};
    for (int64_t j = 0; j + GROUP <= q.count; j += GROUP) {
        group g = group_at(&q, products, j);
        find_products(below.rows - j, &g, products + j / GROUP * PAIRS);
    }
    for (int64_t first = 0; first < t->n; first += STRIP) {
        rt_matrix identity = strip_of((rt_matrix){NULL, t->n, t->n, 1, t->n, sizeof(real)}, first);
        int64_t wide = sides_for(identity.columns);
        load_strip(identity, first, 0, strips);
        apply_all(&q, products, 1, -1, strips + wide, wide);
        strips += t->n * wide;
    }
}

static void store_rows(int64_t n, const side *strips, const int64_t *order, rt_matrix to)
{
    for (int64_t first = 0; first < n; first += STRIP) {
        int64_t count = n - first < STRIP ? n - first : STRIP, wide = sides_for(count);
        for (int64_t j = 0; j < n; j++)
            memcpy((real *)(void *)to.data + j * to.column + first, strips + order[j] * wide,
                   (size_t)count * sizeof(real));
        strips += n * wide;
    }
}

static void sort(int64_t n, const real *values, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && values[order[at - 1]] > values[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

static int vectors(rt_tridiagonal *t, rt_matrix to, void *values)
{
    enum { SWEEPS = 30 }; /* for each value, as LAPACK allows */
    int64_t n = t->n, stride = t->stride;
    char *work = t->work;
    method m = {.n = n, .left = SWEEPS * n, .diagonal = t->diagonal, .below = t->below};
    int64_t *order = rt_work_take(&work, n * (int64_t)sizeof *order);
    number *products = take(&work, RT_REFLECT_NUMBERS * n);
    m.d = rt_work_take(&work, n * (int64_t)sizeof *m.d);
    m.e = rt_work_take(&work, n * (int64_t)sizeof *m.e);
    m.cosines = take(&work, stride);
    m.sines = take(&work, stride);
    m.strips = (side *)(void *)work;
    load_rows(t, m.strips, products);
    int failed = solve(&m);
    sort(n, m.diagonal, order);
    store_rows(n, m.strips, order, to);
    for (int64_t i = 0; i < n; i++) ((real *)values)[i] = m.diagonal[order[i]];
    scale(n, values, t->exponent);
    return failed;
}
