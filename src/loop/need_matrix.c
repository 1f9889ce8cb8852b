/* need_matrix.c -- what operators on matrices work in, each thread for itself: copies of what a routine of
 * LAPACK overwrites, and the arrays that it asks for. rt_linalg_*.c and rt_lapack_*.c in rt/linalg/ take
 * as much.
 *
 * LAPACK documents the least that a routine works in; with RT_LAPACK_BLOCK columns more it works as fast as
 * it can.
 */
#include "loop/need_priv.h"

#include "../rt/rt_need.h"

typedef struct matrices {
    int64_t element, real; /* bytes of a number, and of its real part */
    bool is_complex;
    sym_expr rows, columns, size; /* of the first operand */
    sym_expr low, high;           /* the smaller and the larger of both */
} matrices;

static bool find_matrices(const needing *n, matrices *m)
{
    if (!need_has(n, 1, 2)) return false;
    const loop_view *a = &n->op->inputs[0];
    *m = (matrices){.element = ty_dtype_size(a->dtype), .is_complex = ty_is_complex(a->dtype)};
    m->real = m->is_complex ? m->element / 2 : m->element;
    m->rows = a->sizes[a->rank - 2];
    m->columns = a->sizes[a->rank - 1];
    m->size = need_times(n, m->rows, m->columns);
    m->low = sym_min(n->t, m->rows, m->columns);
    m->high = sym_max(n->t, m->rows, m->columns);
    return true;
}

static bool is_there(const needing *n, uint32_t output)
{
    return output < n->op->output_count && n->op->outputs[output].buffer != LOOP_NO_BUFFER;
}

static sym_expr sum(const needing *n, sym_expr a, int64_t a_times, sym_expr b, int64_t b_times)
{
    return sym_add(n->t, need_bytes(n, a, a_times), need_bytes(n, b, b_times));
}

/* ---- without LAPACK ---- */

/* Small matrices of a batch, side by side: a vector holds one number of each. */
static sym_expr aside(const needing *n, const matrices *m, sym_expr numbers)
{
    sym_expr few = sym_min(n->t, numbers, need_number(n, RT_ASIDE_NUMBERS));
    return need_bytes(n, few, RT_MOST_LANES * 4 * m->element / m->real);
}

static void give_factor(needing *n)
{
    matrices m;
    if (find_matrices(n, &m)) need_give_each(n, aside(n, &m, m.size));
}

void need_lu_factor(needing *n)
{
    give_factor(n);
}

void need_cholesky(needing *n)
{
    give_factor(n);
}

static void give_systems(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    const loop_view *x = &n->op->outputs[0];
    if (x->rank < 2) return;
    sym_expr results = need_times(n, x->sizes[x->rank - 2], x->sizes[x->rank - 1]);
    sym_expr both = sym_add(n->t, aside(n, &m, m.size), aside(n, &m, results));
    need_give_each(n, sym_max(n->t, need_lines(n, need_bytes(n, m.size, m.element)), both));
}

void need_triangular_solve(needing *n)
{
    give_systems(n);
}

void need_lu_solve(needing *n)
{
    give_systems(n);
}

/* In double: five matrices. */
void need_matrix_exp(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    sym_expr matrix = need_lines(n, need_bytes(n, m.size, m.is_complex ? 16 : 8));
    need_give_each(n, need_bytes(n, matrix, 5));
}

/* ---- LDL ---- */

void need_ldl_solve(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    need_give_each(n, need_bytes(n, m.size, m.element));
    need_give_each(n, need_bytes(n, m.rows, RT_LAPACK_INT));
}

void need_ldl_factor(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    need_give_each(n, need_bytes(n, need_most(n, m.rows, 1), RT_LAPACK_BLOCK * m.element));
}

/* ---- reflections ---- */

/* As rt_reflect_bytes has it. */
static void state_reflections(needing *n, const matrices *m, sym_expr rows, sym_expr count,
                              sym_expr vectors)
{
    sym_expr wide = sym_add_int(n->t, need_bytes(n, vectors, m->element), 2 * RT_LINE);
    need_give_each(n, need_times(n, rows, sym_min(n->t, wide, need_number(n, RT_STRIP_BYTES))));
    need_give_each(n, need_bytes(n, rows, RT_REFLECT_GROUP * m->element));
    need_give_each(n, need_bytes(n, count, RT_REFLECT_NUMBERS * m->element));
}

/* And small matrices side by side. */
static void state_aside(needing *n, const matrices *m)
{
    need_give_each(n, need_bytes(n, need_number(n, RT_REFLECT_ASIDE * RT_ASIDE_NUMBERS),
                                 RT_MOST_LANES * 4 * m->element / m->real));
}

void need_qr_factor(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    state_reflections(n, &m, m.rows, m.low, m.columns);
    state_aside(n, &m);
}

/* And copies of their scalars. */
static void state_product(needing *n, const matrices *m, sym_expr vectors)
{
    const loop_view *tau = &n->op->inputs[1];
    if (n->op->input_count < 2 || !tau->rank) return;
    sym_expr count = tau->sizes[tau->rank - 1];
    need_give_each(n, need_bytes(n, count, m->element));
    state_reflections(n, m, m->rows, count, vectors);
}

void need_householder_product(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    const loop_view *q = &n->op->outputs[0];
    if (!q->rank) return;
    state_product(n, &m, q->sizes[q->rank - 1]);
    state_aside(n, &m);
}

void need_householder_apply(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    const loop_view *c = &n->op->outputs[0];
    if (c->rank < 2) return;
    bool left = need_is(n, need_int(n, "left"), 1), right = need_is(n, need_int(n, "left"), 0);
    sym_expr columns = c->sizes[c->rank - 1], rows = c->sizes[c->rank - 2];
    state_product(n, &m, left ? columns : right ? rows : sym_max(n->t, rows, columns));
}

/* ---- eigenvalues and singular values ---- */

/* As rt_eigen_bytes has it. */
static void give_symmetric(needing *n, const matrices *m, bool vectors)
{
    sym_expr wide = sym_add_int(n->t, m->rows, RT_EIGEN_MORE);
    sym_expr columns = sym_add_int(n->t, m->rows, RT_EIGEN_VECTORS);
    need_give_each(n, need_bytes(n, need_times(n, columns, wide), m->element));
    if (vectors) need_give_each(n, need_bytes(n, need_times(n, m->rows, wide), m->element));
}

void need_eigh(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    bool vectors = is_there(n, 0);
    sym_expr size = m.rows, square = need_times(n, size, size), one = need_number(n, 1);
    if (!m.is_complex) {
        give_symmetric(n, &m, vectors);
        return;
    }
    sym_expr numbers = vectors ? sum(n, size, 2, square, 1) : sym_add_int(n->t, size, 1);
    sym_expr reals = sym_add_int(n->t, vectors ? sum(n, size, 5, square, 2) : size, 1);
    sym_expr integers = vectors ? sym_add_int(n->t, need_bytes(n, size, 5), 3) : one;
    need_give_each(n, need_bytes(n, m.size, m.element));
    need_give_each(n, need_bytes(n, numbers, m.element));
    need_give_each(n, need_bytes(n, reals, m.real));
    need_give_each(n, need_bytes(n, integers, RT_LAPACK_INT));
}

void need_eig(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    for (int k = 0; k < 2; k++) {
        need_give_each(n, need_bytes(n, m.size, m.element));
        need_give_each(n, need_bytes(n, m.rows, 2 * m.element));
    }
    sym_expr numbers = need_bytes(n, m.rows, RT_LAPACK_EIG_COLUMNS);
    need_give_each(n,
                   need_bytes(n, sym_add_int(n->t, numbers, RT_LAPACK_TABLE_NUMBERS), m.element));
}

/* As rt_lapack_svd.c has it: reflections of the larger size, squares of the smaller one, two matrices. */
static void give_real_svd(needing *n, const matrices *m)
{
    sym_expr wide = sym_add_int(n->t, m->low, RT_EIGEN_MORE);
    sym_expr columns = sym_add_int(n->t, need_bytes(n, m->low, 2), RT_SVD_VECTORS);
    sym_expr rows = sym_add_int(n->t, m->high, RT_EIGEN_MORE);
    need_give_each(n, need_bytes(n, m->low, 8 * RT_LAPACK_INT));
    state_reflections(n, m, m->high, m->low, m->high);
    need_give_each(n, need_bytes(n, need_times(n, m->low, wide), RT_SVD_SQUARES * m->element));
    need_give_each(n, need_bytes(n, need_times(n, columns, rows), m->element));
}

void need_svd(needing *n)
{
    matrices m;
    if (!find_matrices(n, &m)) return;
    bool vectors = is_there(n, 0);
    if (!m.is_complex) {
        give_real_svd(n, &m);
        return;
    }
    sym_expr square = need_times(n, m.low, m.low);
    sym_expr reals = sym_add_int(n->t, need_bytes(n, m.low, 7), 1);
    if (vectors)
        reals = sym_max(n->t, sum(n, square, 5, m.low, 5),
                        sym_add(n->t, need_bytes(n, need_times(n, m.high, m.low), 2),
                                sum(n, square, 2, m.low, 1)));
    sym_expr numbers = sum(n, m.low, RT_LAPACK_SVD_LOW, m.high, RT_LAPACK_SVD_HIGH);
    if (vectors) numbers = sym_add(n->t, numbers, need_bytes(n, square, 2));
    need_give_each(n, need_bytes(n, m.size, m.element));
    need_give_each(n, need_bytes(n, m.low, 8 * RT_LAPACK_INT));
    need_give_each(n, need_bytes(n, reals, m.real));
    need_give_each(n, need_bytes(n, need_most(n, numbers, 1), m.element));
}
