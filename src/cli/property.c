/* property.c -- factorisations against their definitions, one matrix of a batch after another, in
 * complex double. See property.h. */
#include "cli/property.h"

#include "base/complex_c.h"

#include <math.h>
#include <string.h>

enum { MAX_ITEMS = 3 };

typedef double complex number;

typedef struct matrix {
    uint32_t rows, columns;
    number *at; /* row after row */
} matrix;

/* One matrix with its factors; a vector is a column. */
typedef struct factoring {
    arena *memory;
    const fx_graph *graph;
    const fx_node *node;
    matrix a, items[MAX_ITEMS];
} factoring;

/* ---- matrices ---- */

static matrix new_matrix(arena *memory, uint32_t rows, uint32_t columns)
{
    return (matrix){rows, columns, NEW_ARRAY(memory, number, (size_t)rows * columns + 1)};
}

static number *cell(matrix m, uint32_t i, uint32_t j)
{
    return &m.at[(size_t)i * m.columns + j];
}

static matrix product(arena *memory, matrix a, matrix b)
{
    matrix out = new_matrix(memory, a.rows, b.columns);
    for (uint32_t i = 0; i < a.rows; i++)
        for (uint32_t k = 0; k < a.columns; k++)
            for (uint32_t j = 0; j < b.columns; j++)
                *cell(out, i, j) += *cell(a, i, k) * *cell(b, k, j);
    return out;
}

static matrix mirrored(arena *memory, matrix m, bool conjugates)
{
    matrix out = new_matrix(memory, m.columns, m.rows);
    for (uint32_t i = 0; i < m.rows; i++)
        for (uint32_t j = 0; j < m.columns; j++)
            *cell(out, j, i) = conjugates ? conj(*cell(m, i, j)) : *cell(m, i, j);
    return out;
}

static matrix identity(arena *memory, uint32_t size)
{
    matrix out = new_matrix(memory, size, size);
    for (uint32_t i = 0; i < size; i++) *cell(out, i, i) = 1;
    return out;
}

/* The first columns of m, each times its element of `scales`. */
static matrix scaled(arena *memory, matrix m, matrix scales)
{
    matrix out = new_matrix(memory, m.rows, scales.rows);
    for (uint32_t i = 0; i < m.rows; i++)
        for (uint32_t j = 0; j < scales.rows; j++) *cell(out, i, j) = *cell(m, i, j) * scales.at[j];
    return out;
}

static matrix first_rows(matrix m, uint32_t rows)
{
    m.rows = rows;
    return m;
}

/* The largest difference; NaN counts as infinite. */
static double distance(matrix a, matrix b)
{
    double most = a.rows == b.rows && a.columns == b.columns ? 0 : INFINITY;
    for (size_t k = 0; k < (size_t)a.rows * a.columns && most < INFINITY; k++) {
        double apart = cabs(a.at[k] - b.at[k]);
        if (!(apart <= most)) most = isnan(apart) ? (double)INFINITY : apart;
    }
    return most;
}

static double size_of(matrix m)
{
    double most = 0;
    for (size_t k = 0; k < (size_t)m.rows * m.columns; k++) most = fmax(most, cabs(m.at[k]));
    return most;
}

/* How far the columns are from orthonormal. */
static double skew(arena *memory, matrix m)
{
    return distance(product(memory, mirrored(memory, m, true), m), identity(memory, m.columns));
}

/* ---- what must hold: how far it is from that ---- */

static matrix upper_part(const factoring *f, matrix m)
{
    matrix out = new_matrix(f->memory, m.rows, m.columns);
    for (uint32_t i = 0; i < m.rows; i++)
        for (uint32_t j = i; j < m.columns; j++) *cell(out, i, j) = *cell(m, i, j);
    return out;
}

/* A = Q R; without Q, A^H A = R^H R. */
static double qr_property(const factoring *f)
{
    matrix q = f->items[0], r = f->items[1];
    double below = distance(upper_part(f, r), r);
    if (q.rows == f->a.rows && q.columns == r.rows)
        return fmax(below, fmax(skew(f->memory, q), distance(product(f->memory, q, r), f->a)));
    matrix square = product(f->memory, mirrored(f->memory, f->a, true), f->a);
    return fmax(below, distance(product(f->memory, mirrored(f->memory, r, true), r), square));
}

/* A = H1 H2 .. R, with reflections I - tau v v^H below the diagonal. */
static double geqrf_property(const factoring *f)
{
    matrix packed = f->items[0], tau = f->items[1], out = upper_part(f, packed);
    for (uint32_t k = tau.rows; k-- > 0;) {
        matrix v = new_matrix(f->memory, packed.rows, 1);
        v.at[k] = 1;
        for (uint32_t i = k + 1; i < packed.rows; i++) v.at[i] = *cell(packed, i, k);
        matrix row = product(f->memory, mirrored(f->memory, v, true), out);
        matrix change = product(f->memory, v, row);
        for (size_t i = 0; i < (size_t)out.rows * out.columns; i++)
            out.at[i] -= tau.at[k] * change.at[i];
    }
    return distance(out, f->a);
}

/* The sums of powers of the eigenvalues are the traces of powers of A, which settles what they
 * are. */
static double eigenvalues_property(const factoring *f)
{
    matrix values = f->items[0], power = f->a, powers = values;
    double worst = 0, size = fmax(1, size_of(f->a) * f->a.rows);
    for (uint32_t p = 1; p <= values.rows; p++) {
        number trace = 0, sum = 0;
        for (uint32_t i = 0; i < values.rows; i++) {
            trace += *cell(power, i, i);
            sum += powers.at[i];
        }
        worst = fmax(worst, cabs(trace - sum) / pow(size, p - 1));
        power = product(f->memory, power, f->a);
        powers = scaled(f->memory, mirrored(f->memory, powers, false), values);
        powers = mirrored(f->memory, powers, false);
    }
    return worst;
}

/* A V = V diag(w), and V's columns have length 1. */
static double eig_property(const factoring *f)
{
    matrix values = f->items[0], v = f->items[1];
    double worst = fmax(eigenvalues_property(f),
                        distance(product(f->memory, f->a, v), scaled(f->memory, v, values)));
    for (uint32_t j = 0; j < v.columns; j++) {
        double length = 0;
        for (uint32_t i = 0; i < v.rows; i++) length += pow(cabs(*cell(v, i, j)), 2);
        worst = fmax(worst, fabs(sqrt(length) - 1));
    }
    return worst;
}

/* The Hermitian matrix that the triangle of A is half of. */
static matrix by_triangle(const factoring *f, bool upper)
{
    matrix out = new_matrix(f->memory, f->a.rows, f->a.columns);
    for (uint32_t i = 0; i < out.rows; i++)
        for (uint32_t j = 0; j < out.columns; j++) {
            bool given = upper ? i <= j : j <= i;
            *cell(out, i, j) = given ? *cell(f->a, i, j) : conj(*cell(f->a, j, i));
            if (i == j) *cell(out, i, j) = creal(*cell(f->a, i, j));
        }
    return out;
}

static double rising(matrix values, double sign)
{
    double worst = 0;
    for (uint32_t i = 1; i < values.rows; i++)
        worst = fmax(worst, sign * creal(values.at[i - 1] - values.at[i]));
    return worst;
}

static double eigh_property(const factoring *f)
{
    const fx_arg *triangle = fx_get(f->graph, f->node, "UPLO");
    bool upper = triangle->kind == FX_ARG_STRING && strchr("Uu", triangle->string[0]);
    matrix values = f->items[0], v = f->items[1];
    factoring whole = *f;
    whole.a = by_triangle(f, upper);
    double worst = fmax(eigenvalues_property(&whole), rising(values, 1));
    if (v.rows != f->a.rows || v.columns != f->a.columns) return worst;
    matrix moved = product(f->memory, whole.a, v);
    return fmax(worst, fmax(skew(f->memory, v), distance(moved, scaled(f->memory, v, values))));
}

/* A = U diag(S) Vh with columns of U and rows of Vh orthonormal, S falling and not negative. The old
 * form has V in the place of Vh. */
static double svd_property(const factoring *f)
{
    matrix u = f->items[0], s = f->items[1], vh = f->items[2];
    bool is_old = op_param_index(f->node->op, "some") >= 0;
    double worst = rising(s, -1);
    for (uint32_t i = 0; i < s.rows; i++) worst = fmax(worst, -creal(s.at[i]));
    if (is_old) vh = mirrored(f->memory, vh, true);
    if (u.rows != f->a.rows || vh.columns != f->a.columns) return worst;
    matrix whole = product(f->memory, scaled(f->memory, u, s), first_rows(vh, s.rows));
    double apart = fmax(skew(f->memory, u), skew(f->memory, mirrored(f->memory, vh, true)));
    return fmax(worst, fmax(apart, distance(whole, f->a)));
}

/* Rows and columns i and j change places. */
static void exchange(matrix m, uint32_t i, uint32_t j)
{
    for (uint32_t k = 0; k < m.columns; k++) {
        number kept = *cell(m, i, k);
        *cell(m, i, k) = *cell(m, j, k);
        *cell(m, j, k) = kept;
    }
    for (uint32_t k = 0; k < m.rows; k++) {
        number kept = *cell(m, k, i);
        *cell(m, k, i) = *cell(m, k, j);
        *cell(m, k, j) = kept;
    }
}

/* A = P1 L1 P2 L2 .. D .. with blocks of one or two columns; a block of two has negative pivots. */
static double ldl_property(const factoring *f)
{
    matrix ld = f->items[0], pivots = f->items[1];
    const fx_arg *hermitian = fx_get(f->graph, f->node, "hermitian");
    bool conjugates = fx_arg_bool(hermitian, false);
    uint32_t n = ld.rows;
    uint32_t *block = NEW_ARRAY(f->memory, uint32_t, n + 2);
    matrix out = new_matrix(f->memory, n, n);
    for (uint32_t k = 0; k < n; k += block[k]) block[k] = creal(pivots.at[k]) < 0 ? 2 : 1;
    for (uint32_t k = n; k-- > 0;) {
        if (!block[k]) continue;
        matrix low = identity(f->memory, n);
        for (uint32_t j = k; j < k + block[k]; j++) {
            for (uint32_t i = k + block[k]; i < n; i++) *cell(low, i, j) = *cell(ld, i, j);
            *cell(out, j, j) = *cell(ld, j, j);
        }
        if (block[k] == 2) {
            number side = *cell(ld, k + 1, k);
            *cell(out, k + 1, k) = side;
            *cell(out, k, k + 1) = conjugates ? conj(side) : side;
        }
        matrix right = mirrored(f->memory, low, conjugates);
        out = product(f->memory, product(f->memory, low, out), right);
        uint32_t row = k + block[k] - 1;
        exchange(out, row, (uint32_t)fabs(creal(pivots.at[row])) - 1);
    }
    for (uint32_t i = 0; i < n; i++) /* only the lower triangle of A counts */
        for (uint32_t j = i + 1; j < n; j++) *cell(out, i, j) = *cell(f->a, i, j);
    return distance(out, f->a);
}

typedef struct property_row {
    op_id op;
    uint32_t items; /* results that it needs, the first of them */
    double (*residual)(const factoring *f);
} property_row;

static const property_row ROWS[] = {
    {OP_aten_linalg_qr_default, 2, qr_property},
    {OP_aten_qr_default, 2, qr_property},
    {OP_aten_geqrf_default, 2, geqrf_property},
    {OP_aten_linalg_eig_default, 2, eig_property},
    {OP_aten_linalg_eigvals_default, 1, eigenvalues_property},
    {OP_aten__linalg_eigvals_default, 1, eigenvalues_property},
    {OP_aten_linalg_eigh_default, 2, eigh_property},
    {OP_aten__linalg_eigh_default, 2, eigh_property},
    {OP_aten_linalg_svd_default, 3, svd_property},
    {OP_aten__linalg_svd_default, 3, svd_property},
    {OP_aten_svd_default, 3, svd_property},
    {OP_aten_linalg_ldl_factor_default, 2, ldl_property},
    {OP_aten_linalg_ldl_factor_ex_default, 2, ldl_property},
};

/* ---- a node's operand and results ---- */

static number element(const tensor_entry *t, size_t at)
{
    const char *data = (const char *)t->data + at * ty_dtype_size(t->dtype);
    double parts[2] = {0, 0};
    ty_dtype part = ty_is_complex(t->dtype) ? ty_complex_to_real(t->dtype) : t->dtype;
    loop_convert(TY_F64, &parts[0], part, data);
    if (ty_is_complex(t->dtype)) loop_convert(TY_F64, &parts[1], part, data + ty_dtype_size(part));
    return CMPLX(parts[0], parts[1]);
}

/* The k-th of a batch, whose dims are the first `batch`: a matrix or a column; empty when it is
 * neither. */
static matrix part_of(arena *memory, const tensor_entry *t, uint32_t batch, size_t k)
{
    const int64_t *shape = t->shape + batch;
    bool is_vector = t->rank == batch + 1;
    if (!is_vector && t->rank != batch + 2) return new_matrix(memory, 0, 0);
    matrix m = new_matrix(memory, (uint32_t)shape[0], is_vector ? 1 : (uint32_t)shape[1]);
    size_t elements = (size_t)m.rows * m.columns;
    for (size_t i = 0; i < elements; i++) m.at[i] = element(t, k * elements + i);
    return m;
}

static const fe_tensor *input_of(const driver_program *d, const fx_node *n, const fe_tensor *inputs)
{
    uint32_t number_of = 0;
    for (uint32_t k = 0; k < d->graph->inputs.count; k++) {
        const fx_node *in = d->graph->inputs.at[k];
        if (in == n) return in->input_kind == FX_USER_INPUT ? &inputs[number_of] : NULL;
        number_of += in->input_kind == FX_USER_INPUT || in->input_kind == FX_CONSTANT_INPUT;
    }
    return NULL;
}

/* Where item k of the node is given out. */
static const fe_tensor *output_of(const driver_program *d, const fx_node *n, uint32_t k,
                                  const fe_tensor *outputs)
{
    const fx_graph *g = d->graph;
    uint32_t number_of = 0;
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        if (g->outputs.at[i].kind != FX_USER_OUTPUT) continue;
        const fe_tensor *out = &outputs[number_of++];
        const fx_arg *a = &g->output->args[i];
        int64_t item = 0;
        if (a->kind != FX_ARG_NODE) continue;
        if (a->node == n && n->value.kind == FX_TENSOR && k == 0) return out;
        if (fx_is(a->node, OP_operator_getitem) && a->node->args[0].node == n &&
            fx_arg_int(g, &a->node->args[1], &item) && item == (int64_t)k)
            return out;
    }
    return NULL;
}

static fe_status check_node(driver_program *d, const fx_node *n, const property_row *row,
                            const fe_tensor *inputs, const fe_tensor *outputs, double relative,
                            double absolute)
{
    tensor_entry a, items[MAX_ITEMS];
    const fe_tensor *in =
        n->args[0].kind == FX_ARG_NODE ? input_of(d, n->args[0].node, inputs) : NULL;
    if (!in) return FE_OK;
    fe_tensor contiguous = *in;
    int64_t *strides = NEW_ARRAY(d->memory, int64_t, in->rank + 1), step = 1;
    size_t count = 1;
    for (uint32_t k = in->rank; k-- > 0; step *= in->sizes[k]) strides[k] = step;
    if (!contiguous.strides) contiguous.strides = strides;
    for (uint32_t k = 0; k + 2 < in->rank; k++) count *= (size_t)in->sizes[k];
    a = output_entry(d->memory, &contiguous, "");
    for (uint32_t k = 0; k < row->items; k++) {
        const fe_tensor *out = output_of(d, n, k, outputs);
        if (!out) return FE_OK;
        items[k] = output_entry(d->memory, out, "");
    }
    for (size_t k = 0; k < count; k++) {
        factoring f = {.memory = d->memory, .graph = d->graph, .node = n};
        f.a = part_of(d->memory, &a, in->rank - 2, k);
        for (uint32_t i = 0; i < row->items; i++)
            f.items[i] = part_of(d->memory, &items[i], in->rank - 2, k);
        double allowed = absolute + relative * fmax(1, size_of(f.a)) * fmax(1, f.a.rows);
        double residual = row->residual(&f);
        if (!(residual <= allowed))
            return fx_fail(d->graph, n, "check", FE_MISMATCH, NULL,
                           "its results are off by %.3g where %.3g is allowed (matrix %zu)",
                           residual, allowed, k);
    }
    return FE_OK;
}

fe_status property_check(driver_program *d, const fe_tensor *inputs, const fe_tensor *outputs,
                         double relative, double absolute)
{
    for (const fx_node *n = d->graph->first; n; n = n->next)
        for (size_t k = 0; n->kind == FX_CALL && k < COUNT_OF(ROWS); k++)
            if (fx_is(n, ROWS[k].op))
                FE_TRY(check_node(d, n, &ROWS[k], inputs, outputs, relative, absolute));
    return FE_OK;
}
