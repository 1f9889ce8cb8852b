/* linalg.c -- linear algebra: factors of matrices, solutions of systems. What LAPACK writes is
 * column major; the rest is contiguous.
 *
 * A factorisation's results are described by a row each: which of the matrix's sizes they have,
 * their dtype, their order. Batch dimensions stand in front of all of them.
 */
#include "infer/infer_priv.h"

#include <string.h>

/* Sizes of an m x n matrix, k the smaller one. */
typedef enum extent { NONE, M, N, K } extent;
typedef enum factor_dtype { SELF, REAL, COMPLEX, PIVOT, INDEX } factor_dtype;
typedef enum factor_order { ROWS, COLUMNS } factor_order;
typedef struct factor {
    extent rows, columns;
    factor_dtype dtype;
    factor_order order;
} factor;

static ty_dtype dtype_of(const ty_tensor *x, factor_dtype d)
{
    switch (d) {
    case SELF: return x->dtype;
    case REAL: return ty_complex_to_real(x->dtype);
    case COMPLEX: return ty_real_to_complex(x->dtype);
    case PIVOT: return TY_I32;
    case INDEX: return TY_I64;
    }
    return x->dtype;
}

static void set_column_major(infer_call *c, ty_tensor *x)
{
    if (!x || x->rank < 2) return;
    sym_expr one = infer_number(c, 1);
    x->strides[x->rank - 2] = one;
    x->strides[x->rank - 1] = sym_max(c->symbols, x->sizes[x->rank - 2], one);
}

static ty_tensor *column_major(infer_call *c, const ty_tensor *like, uint32_t rank,
                               const sym_expr *sizes)
{
    ty_tensor *x = infer_fresh(c, like, like->dtype, rank, sizes);
    set_column_major(c, x);
    return x;
}

static ty_tensor *make_factor(infer_call *c, const ty_tensor *x, factor f)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = x->rank - 2;
    sym_expr m = x->sizes[rank];
    sym_expr n = x->sizes[rank + 1];
    sym_expr extents[] = {[NONE] = m, [M] = m, [N] = n, [K] = sym_min(c->symbols, m, n)};
    memcpy(sizes, x->sizes, rank * sizeof *sizes);
    if (f.rows) sizes[rank++] = extents[f.rows];
    if (f.columns) sizes[rank++] = extents[f.columns];
    ty_tensor *out = infer_fresh(c, x, dtype_of(x, f.dtype), rank, sizes);
    if (f.order == COLUMNS) set_column_major(c, out);
    return out;
}

/* What stands for a result that was not asked for. */
static ty_tensor *nothing(infer_call *c, const ty_tensor *like)
{
    sym_expr none = infer_number(c, 0);
    return infer_fresh(c, like, like->dtype, 1, &none);
}

static ty_tensor *matrix(infer_call *c, const char *name)
{
    ty_tensor *x = name ? infer_tensor(c, name) : infer_self(c);
    if (x && x->rank >= 2) return x;
    infer_fail(c, "%s is not a matrix", infer_shape(c, x));
    return NULL;
}

/* ---- factorisations ---- */

static const factor FACTORS[][4] = {
    [FACTOR_WITH_INFO] = {{M, N, SELF, COLUMNS}, {NONE, NONE, PIVOT, ROWS}},
    [FACTOR_EIG] = {{M, NONE, COMPLEX, ROWS}, {M, N, COMPLEX, COLUMNS}},
    [FACTOR_EIGH] = {{M, NONE, REAL, ROWS}, {M, N, SELF, COLUMNS}},
    [FACTOR_PIVOTED] = {{M, N, SELF, COLUMNS}, {K, NONE, PIVOT, ROWS}, {NONE, NONE, PIVOT, ROWS}},
    [FACTOR_GEQRF] = {{M, N, SELF, COLUMNS}, {K, NONE, SELF, ROWS}},
    [FACTOR_SLOGDET] = {{NONE, NONE, SELF, ROWS},
                        {NONE, NONE, REAL, ROWS},
                        {M, N, SELF, COLUMNS},
                        {M, NONE, PIVOT, ROWS}},
    [FACTOR_DET] = {{NONE, NONE, SELF, ROWS}, {M, N, SELF, COLUMNS}, {M, NONE, PIVOT, ROWS}},
    [FACTOR_SINGULAR_VALUES] = {{K, NONE, REAL, ROWS}},
    [FACTOR_EIGENVALUES] = {{M, NONE, COMPLEX, ROWS}},
    [FACTOR_REAL_EIGENVALUES] = {{M, NONE, REAL, ROWS}},
    [FACTOR_PSEUDO_INVERSE] = {{N, M, SELF, ROWS}},
    [FACTOR_RANK] = {{NONE, NONE, INDEX, ROWS}},
    [FACTOR_NUMBER] = {{NONE, NONE, REAL, ROWS}},
};

/* x in as many batches as there are tolerances for each of its matrices; where it has no elements,
 * these are not looked at. */
static ty_tensor *with_tolerances(infer_call *c, ty_tensor *x)
{
    static const char *const NAMES[] = {"rcond", "tol", "atol", "rtol"};
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = x ? x->rank - 2 : 0;
    if (!x || ty_known_empty(c->symbols, x->rank, x->sizes)) return x;
    memcpy(sizes, x->sizes, rank * sizeof *sizes);
    for (size_t i = 0; i < COUNT_OF(NAMES) && c->status == FE_OK; i++) {
        const ty_tensor *tolerance = infer_tensor(c, NAMES[i]);
        if (tolerance && (!infer_broadcast(c, tolerance, tolerance->rank, &rank, sizes) ||
                          rank + 2 > TY_MAX_RANK))
            infer_fail(c, "%s is %s, for matrices %s", NAMES[i], infer_shape(c, tolerance),
                       infer_shape(c, x));
    }
    if (c->status != FE_OK) return NULL;
    memcpy(sizes + rank, x->sizes + x->rank - 2, 2 * sizeof *sizes);
    return infer_fresh(c, x, x->dtype, rank + 2, sizes);
}

/* The parameter is the row of FACTORS; as many of its results as the operator returns. */
void rule_factors(infer_call *c)
{
    ty_tensor *items[4];
    ty_tensor *x = with_tolerances(c, matrix(c, NULL));
    if (!x) return;
    for (uint32_t i = 0; i < c->op->return_count && i < COUNT_OF(items); i++)
        items[i] = make_factor(c, x, FACTORS[c->param][i]);
    if (c->op->return_count == 1)
        infer_give(c, items[0]);
    else
        infer_give_items(c, items, c->op->return_count);
}

void rule_eigh(infer_call *c)
{
    ty_tensor *x = matrix(c, NULL);
    if (!x) return;
    const factor *f = FACTORS[FACTOR_EIGH];
    bool vectors = infer_flag(c, "compute_v", true);
    infer_give_pair(c, make_factor(c, x, f[0]), vectors ? make_factor(c, x, f[1]) : nothing(c, x));
}

/* P, L, U; of a matrix or of its packed factors. */
void rule_lu(infer_call *c)
{
    ty_tensor *x = matrix(c, NULL);
    if (!x) return;
    bool pivots = infer_flag(c, "pivot", true) && infer_flag(c, "unpack_pivots", true);
    bool data = infer_flag(c, "unpack_data", true);
    ty_tensor *items[] = {
        pivots ? make_factor(c, x, (factor){M, M, SELF, ROWS}) : nothing(c, x),
        data ? make_factor(c, x, (factor){M, K, SELF, ROWS}) : nothing(c, x),
        data ? make_factor(c, x, (factor){K, N, SELF, ROWS}) : nothing(c, x),
    };
    infer_give_items(c, items, 3);
}

void rule_qr(infer_call *c)
{
    ty_tensor *x = matrix(c, NULL);
    if (!x) return;
    const char *mode =
        infer_string(c, "mode", infer_flag(c, "some", true) ? "reduced" : "complete");
    bool complete = strcmp(mode, "complete") == 0;
    bool has_q = strcmp(mode, "r") != 0;
    ty_tensor *q = make_factor(c, x, (factor){M, complete ? M : K, SELF, COLUMNS});
    ty_tensor *r = make_factor(c, x, (factor){complete ? M : K, N, SELF, COLUMNS});
    infer_give_pair(c, has_q ? q : nothing(c, x), r);
}

/* U, S and V or its adjoint. */
void rule_svd(infer_call *c)
{
    ty_tensor *x = matrix(c, NULL);
    if (!x) return;
    bool is_old = op_param_index(c->op, "some") >= 0; /* gives V itself */
    bool full = is_old ? !infer_flag(c, "some", true) : infer_flag(c, "full_matrices", false);
    bool vectors = infer_flag(c, "compute_uv", true);
    ty_tensor *u = make_factor(c, x, (factor){M, full ? M : K, SELF, COLUMNS});
    ty_tensor *v = make_factor(c, x, (factor){full ? N : K, N, SELF, COLUMNS});
    if (is_old && !vectors) { /* zeros of these sizes */
        u = make_factor(c, x, (factor){M, M, SELF, ROWS});
        v = make_factor(c, x, (factor){N, N, SELF, ROWS});
    }
    if (is_old) v = infer_transpose(c, v, v->rank - 2, v->rank - 1);
    bool given = vectors || is_old;
    ty_tensor *items[] = {given ? u : nothing(c, x),
                          make_factor(c, x, (factor){K, NONE, REAL, ROWS}),
                          given ? v : nothing(c, x)};
    infer_give_items(c, items, 3);
}

/* A norm by singular values? */
static bool is_spectral(infer_call *c)
{
    const fx_arg *order = infer_arg(c, "ord");
    double number = 0;
    if (op_param_index(c->op, "ord") < 0) return true; /* nuclear_norm */
    if (order && order->kind == FX_ARG_STRING) return strcmp(order->string, "nuc") == 0;
    return order && fx_arg_number(c->graph, order, &number) && (number == 2 || number == -2);
}

/* What stands for dimensions a and b once they were moved to the end, became one number, and were
 * moved back. */
static ty_tensor *kept_norm(infer_call *c, const ty_tensor *x, ty_dtype dtype, uint32_t a,
                            uint32_t b)
{
    uint32_t back[TY_MAX_RANK], next = 0;
    sym_expr sizes[TY_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i == a || i == b) continue;
        sizes[next] = x->sizes[i];
        back[i] = next++;
    }
    back[a] = next;
    back[b] = next + 1;
    sizes[next] = infer_number(c, 1);
    ty_tensor *norm = infer_fresh(c, x, dtype, next + 1, sizes);
    return infer_permute(c, infer_unsqueeze(c, norm, next + 1), back);
}

/* A norm over two dimensions, the last two where none are named; or a vector's. */
void rule_matrix_norm(infer_call *c)
{
    uint32_t dims[TY_MAX_RANK] = {0}, count = 2;
    ty_tensor *x = infer_self(c);
    if (!x) return;
    bool is_named = infer_arg(c, "dim") != NULL;
    if (is_named) count = infer_dims(c, "dim", x->rank, false, dims);
    if (!is_spectral(c) || count != 2 || x->rank < 2) {
        rule_reduce(c);
        return;
    }
    uint32_t a = is_named ? dims[0] : x->rank - 2, b = is_named ? dims[1] : x->rank - 1;
    if (a == b) infer_fail(c, "a matrix norm over one dimension twice");
    ty_dtype real = ty_complex_to_real(x->dtype);
    if (real != TY_F32 && real != TY_F64)
        infer_fail(c, "a norm by singular values of %s: float32, float64 or complex",
                   infer_shape(c, x));
    if (c->status != FE_OK) return;
    ty_dtype dtype = ty_complex_to_real(infer_dtype(c, "dtype", x->dtype));
    uint64_t both = (uint64_t)1 << a | (uint64_t)1 << b;
    bool keepdim = infer_flag(c, "keepdim", false);
    infer_give(c, keepdim ? kept_norm(c, x, dtype, a, b) : infer_reduced(c, x, dtype, both, false));
}

/* ---- one matrix like the argument ---- */

void rule_column_major(infer_call *c)
{
    ty_tensor *x = matrix(c, op_param_index(c->op, "input3") >= 0 ? "input3" : NULL);
    if (!x) return;
    bool plain =
        c->param && infer_is(c, ty_numel(c->symbols, x), 0); /* old kernels leave at once */
    infer_give(c, plain ? infer_clone(c, x, TY_CONTIGUOUS) : column_major(c, x, x->rank, x->sizes));
}

/* x ** n: a product unless n says otherwise. */
void rule_matrix_power(infer_call *c)
{
    ty_tensor *x = matrix(c, NULL);
    if (!x) return;
    int64_t n = infer_int(c, "n", 1);
    if (n == -1)
        infer_give(c, column_major(c, x, x->rank, x->sizes));
    else
        infer_give(c, infer_clone(c, x, n == 1 ? TY_PRESERVE : TY_CONTIGUOUS));
}

/* The inverse over the first `ind` dimensions against the rest. */
void rule_tensorinv(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    uint32_t rows = (uint32_t)infer_int(c, "ind", 2);
    if (rows == 0 || rows >= x->rank) infer_fail(c, "tensorinv of %s", infer_shape(c, x));
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < x->rank; i++) sizes[i] = x->sizes[(i + rows) % x->rank];
    sym_expr flat[] = {sym_product(c->symbols, x->sizes + rows, x->rank - rows),
                       sym_product(c->symbols, x->sizes, rows)};
    infer_give(c, infer_reshape(c, column_major(c, x, 2, flat), x->rank, sizes));
}

/* The dimensions of a that are left when those of b are summed over, `dims` moved to the end
 * before. */
void rule_tensorsolve(infer_call *c)
{
    uint32_t dims[TY_MAX_RANK], count = 0, next = 0;
    sym_expr sizes[TY_MAX_RANK];
    uint64_t moved = 0;
    ty_tensor *a = infer_tensor(c, "self");
    ty_tensor *b = infer_tensor(c, "other");
    if (!a || !b) return;
    if (infer_arg(c, "dims")) count = infer_dims(c, "dims", a->rank, false, dims);
    if (b->rank > a->rank) infer_fail(c, "tensorsolve of %s", infer_shape(c, a));
    if (c->status != FE_OK) return;
    for (uint32_t i = 0; i < count; i++) moved |= (uint64_t)1 << dims[i];
    for (uint32_t i = 0; i < a->rank; i++)
        if (!(moved >> i & 1)) sizes[next++] = a->sizes[i];
    for (uint32_t i = 0; i < count && next < a->rank; i++) sizes[next++] = a->sizes[dims[i]];
    infer_give(c, infer_fresh(c, a, a->dtype, a->rank - b->rank, sizes + b->rank));
}

/* Powers of a vector's elements. */
void rule_vander(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    ty_tensor *x = infer_self(c);
    if (!x) return;
    if (x->rank == 0) x = infer_unsqueeze(c, x, 0); /* a number counts as a vector of one */
    if (x->rank == TY_MAX_RANK) infer_fail(c, "vander of %s", infer_shape(c, x));
    if (c->status != FE_OK) return;
    memcpy(sizes, x->sizes, x->rank * sizeof *sizes);
    sizes[x->rank] = infer_arg(c, "N") ? infer_expr(c, "N", 0) : x->sizes[x->rank - 1];
    ty_dtype dtype = ty_is_integral(x->dtype, true) ? TY_I64 : x->dtype;
    infer_give(c, infer_fresh(c, x, dtype, x->rank + 1, sizes));
}

/* ---- systems ---- */

/* The sizes of b with its batch dimensions broadcast against those of a. */
static uint32_t solution_sizes(infer_call *c, const ty_tensor *a, const ty_tensor *b,
                               sym_expr *sizes)
{
    uint32_t rank = 0;
    if (!a || !b || a->rank < 2 || b->rank < 2 ||
        !infer_broadcast(c, b, b->rank - 2, &rank, sizes) ||
        !infer_broadcast(c, a, a->rank - 2, &rank, sizes)) {
        infer_fail(c, "the system %s for %s", infer_shape(c, a), infer_shape(c, b));
        return 0;
    }
    sizes[rank] = b->sizes[b->rank - 2];
    sizes[rank + 1] = b->sizes[b->rank - 1];
    return rank + 2;
}

static ty_tensor *solution(infer_call *c, const ty_tensor *a, const ty_tensor *b, bool columns)
{
    sym_expr sizes[TY_MAX_RANK + 2];
    uint32_t rank = solution_sizes(c, a, b, sizes);
    if (!rank) return NULL;
    return columns ? column_major(c, b, rank, sizes) : infer_fresh(c, b, b->dtype, rank, sizes);
}

static bool is_vector_side(infer_call *c, const ty_tensor *a, const ty_tensor *b)
{
    if (b->rank == 1) return true;
    if (a->rank != b->rank + 1) return false;
    for (uint32_t i = 0; i < b->rank; i++)
        if (!infer_holds(c, SYM_EQ, a->sizes[i], b->sizes[i])) return false;
    return true;
}

/* The solution; by the number of results also info, or LU, pivots and info. */
void rule_solve(infer_call *c)
{
    ty_tensor *a = matrix(c, "A");
    ty_tensor *b = infer_tensor(c, "B");
    if (!a || !b || b->rank == 0) return;
    bool vector = is_vector_side(c, a, b);
    bool left = infer_flag(c, "left", true);
    ty_tensor *x = solution(c, a, vector ? infer_unsqueeze(c, b, b->rank) : b, left);
    if (x && vector) {
        x = infer_fresh(c, x, x->dtype, x->rank - 1, x->sizes);
        if (left) set_column_major(c, x);
    }
    ty_tensor *info = make_factor(c, a, (factor){NONE, NONE, PIVOT, ROWS});
    ty_tensor *items[] = {x, make_factor(c, a, (factor){M, N, SELF, COLUMNS}),
                          make_factor(c, a, (factor){M, NONE, PIVOT, ROWS}), info};
    if (c->op->return_count == 1)
        infer_give(c, x);
    else if (c->op->return_count == 2)
        infer_give_pair(c, x, info);
    else
        infer_give_items(c, items, 4);
}

/* Solutions from factors. */
void rule_solve_factored(infer_call *c)
{
    static const char *const NAMES[][2] = {{"LU", "B"},        {"LD", "B"},   {"LU_data", "self"},
                                           {"input2", "self"}, {"self", "B"}, {"A", "self"}};
    ty_tensor *a = NULL;
    ty_tensor *b = NULL;
    for (size_t i = 0; i < COUNT_OF(NAMES) && !(a && b); i++) {
        a = infer_tensor(c, NAMES[i][0]);
        b = infer_tensor(c, NAMES[i][1]);
    }
    bool is_lu =
        op_param_index(c->op, "LU") >= 0; /* the only one whose layout depends on the side */
    ty_tensor *x = solution(c, a, b, !is_lu || infer_flag(c, "left", true));
    if (c->op->return_count == 1)
        infer_give(c, x);
    else
        infer_give_pair(c, x, solution(c, b, a, true));
}

/* ---- vectors ---- */

void rule_cross(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    ty_tensor *a = infer_tensor(c, "self");
    ty_tensor *b = infer_tensor(c, "other");
    if (!a || !b) return;
    if (!infer_broadcast(c, a, a->rank, &rank, sizes) ||
        !infer_broadcast(c, b, b->rank, &rank, sizes))
        infer_fail(c, "%s and %s do not broadcast", infer_shape(c, a), infer_shape(c, b));
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, a, a->dtype, rank, sizes));
}

/* Distances and similarities: a reduction of what two tensors broadcast to. */
void rule_paired(infer_call *c)
{
    const ty_tensor *operands[INFER_MAX_OPERANDS];
    uint32_t count = infer_operands(c, operands, INFER_MAX_OPERANDS);
    if (count < 2) return;
    ty_operand types[] = {{.dtype = operands[0]->dtype, .is_zero_dim = operands[0]->rank == 0},
                          {.dtype = operands[1]->dtype, .is_zero_dim = operands[1]->rank == 0}};
    ty_dtype dtype = infer_dtype_by_kind(c, ty_result_type(types, 2), types[0].dtype);
    ty_tensor *both = infer_elementwise(c, dtype, operands, 2);
    if (!both) return;
    bool last = op_param_index(c->op, "dim") < 0;
    uint32_t dim = last ? (both->rank ? both->rank - 1 : 0) : infer_dim(c, "dim", both->rank);
    bool keepdim = infer_flag(c, "keepdim", false);
    infer_give(c, infer_reduced(c, both, dtype, (uint64_t)1 << dim, keepdim));
}

/* Distances between all rows of two matrices; 1: like the first, the derivative by it. */
void rule_all_distances(infer_call *c)
{
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    ty_tensor *a = matrix(c, "x1");
    ty_tensor *b = matrix(c, "x2");
    if (!a || !b) return;
    if (!infer_broadcast(c, a, a->rank - 2, &rank, sizes) ||
        !infer_broadcast(c, b, b->rank - 2, &rank, sizes))
        infer_fail(c, "%s and %s do not broadcast", infer_shape(c, a), infer_shape(c, b));
    sizes[rank++] = a->sizes[a->rank - 2];
    const ty_tensor *last = c->param ? a : b;
    bool is_empty =
        sym_known_equal(c->symbols, sym_product(c->symbols, sizes, rank), infer_number(c, 0)) ||
        sym_known_equal(c->symbols, b->sizes[b->rank - 2], infer_number(c, 0));
    if (c->param && is_empty) { /* not broadcast then */
        infer_give(c, infer_fresh(c, a, a->dtype, a->rank, a->sizes));
        return;
    }
    sizes[rank++] = last->sizes[last->rank - (c->param ? 1 : 2)];
    if (c->status == FE_OK) infer_give(c, infer_fresh(c, a, a->dtype, rank, sizes));
}

/* Distances between the rows of one: n (n - 1) / 2 of them. */
static sym_expr pairs_of(infer_call *c, sym_expr rows)
{
    sym_table *t = c->symbols;
    return sym_floordiv(t, sym_mul(t, rows, sym_add_int(t, rows, -1)), infer_number(c, 2));
}

void rule_own_distances(infer_call *c)
{
    ty_tensor *x = matrix(c, NULL);
    if (!x) return;
    sym_expr count = pairs_of(c, x->sizes[0]);
    infer_give(c, infer_fresh(c, x, x->dtype, 1, &count));
}

/* A gradient for each pair of rows. */
void infer_check_pairs(infer_call *c)
{
    const ty_tensor *x = infer_self(c), *grad = infer_tensor(c, "grad");
    if (x && grad && x->rank == 2 && grad->rank == 1)
        (void)INFER_REQUIRE_EQUAL(c, grad->sizes[0], pairs_of(c, x->sizes[0]),
                                  "pdist: the gradient is %s, and the rows are those of %s",
                                  infer_shape(c, grad), infer_shape(c, x));
}
