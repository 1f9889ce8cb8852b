/* linear.c -- linear systems by LU factors: solutions, inverses, determinants, powers. */
#include "lower/ops/linalg.h"

#include <math.h>
#include <string.h>

/* ---- what rows share ---- */

tensor lower_first_arg(lowering *l)
{
    return lower_tensor_of(l, &l->node->args[0]);
}

fe_status lower_give_factors(lowering *l, const tensor *items, uint32_t count)
{
    tensor given[4];
    CHECK(l->session, count <= COUNT_OF(given));
    for (uint32_t k = 0; k < count; k++) {
        const ty_tensor *meta = lower_meta(l, k);
        given[k] = lower_absent(items[k])
                       ? lower_zero_tensor(l, meta->dtype, meta->rank, meta->sizes)
                       : lower_cast(l, items[k], meta->dtype);
    }
    return count == 1 ? lower_give(l, given[0]) : lower_give_items(l, given, count);
}

static uint32_t results_of(const fx_node *n)
{
    return n->value.kind == FX_TUPLE ? n->value.count : 1;
}

/* ---- LU ---- */

static fe_status needs_pivots(lowering *l)
{
    return lower_bool(l, "pivot") ? FE_OK
                                  : lower_fail(l, "LU factors without pivoting, which PyTorch has "
                                                  "no CPU kernel for either");
}

/* lower_op_lu_factor (0) and _lu_with_info check what the _ex form (1) gives back. */
fe_status lower_op_lu_factor(lowering *l, fx_node *n, const lower_row *row)
{
    FE_TRY(needs_pivots(l));
    lower_lu f = lower_lu_factor(l, lower_first_arg(l));
    if (row->parameter == 0 || lower_bool(l, "check_errors"))
        lower_check_info(l, f.info, "linalg.lu_factor");
    tensor items[] = {f.lu, f.pivots, f.info};
    return lower_give_factors(l, items, results_of(n));
}

static tensor permutation(lowering *l, tensor lu, tensor pivots)
{
    sym_expr at[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    uint32_t rank = lu.rank;
    tensor order = lower_row_order(l, pivots, lu.sizes[rank - 2]);
    memcpy(sizes, lu.sizes, rank * sizeof *sizes);
    sizes[rank - 1] = sizes[rank - 2];
    memcpy(at, l->axes, rank * sizeof *at);
    at[rank - 2] = l->axes[rank - 1];
    loop_value on =
        lower_op2(l, LOOP_EQ, lower_at(l, order, at), loop_index(l->program, l->axes[rank - 2]));
    return lower_value(l, lower_dtype(lu), rank, sizes, loop_cast(l->program, lower_dtype(lu), on));
}

static tensor unit_lower(lowering *l, tensor lu)
{
    tensor below = lower_triangle(l, lu, false, -1);
    below = lower_slice(l, below, lu.rank - 1, l->zero, lower_least_size(l, lu), l->one);
    return T_ADD(below, lower_identity(l, lower_dtype(lu), below.rank, below.sizes));
}

static fe_status give_unpacked(lowering *l, tensor lu, tensor pivots, bool data, bool order)
{
    tensor items[3] = {{0}};
    if (order) items[0] = permutation(l, lu, pivots);
    if (data) {
        lower_share(l, lu);
        items[1] = unit_lower(l, lu);
        items[2] = lower_first_rows(l, lower_triangle(l, lu, true, 0), lower_least_size(l, lu));
    }
    return lower_give_factors(l, items, 3);
}

fe_status lower_op_lu(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    FE_TRY(needs_pivots(l));
    lower_lu f = lower_lu_factor(l, lower_first_arg(l));
    return give_unpacked(l, f.lu, f.pivots, true, true);
}

fe_status lower_op_lu_unpack(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    return give_unpacked(l, lower_arg(l, "LU_data"), lower_arg(l, "LU_pivots"),
                         lower_bool(l, "unpack_data"), lower_bool(l, "unpack_pivots"));
}

/* x a = b is a^T x^T = b^T; with the adjoint of a it is a conj(x^T) = conj(b^T). */
static tensor solved(lowering *l, lower_lu f, tensor b, bool left, bool adjoint)
{
    if (left) return lower_lu_solve(l, f, b, adjoint ? LOWER_ADJOINT : LOWER_PLAIN);
    b = lower_mirrored(l, b);
    if (!adjoint) return lower_mirrored(l, lower_lu_solve(l, f, b, LOWER_TRANSPOSED));
    tensor x = lower_lu_solve(l, f, lower_conjugate(l, b), LOWER_PLAIN);
    return lower_mirrored(l, lower_conjugate(l, x));
}

fe_status lower_op_lu_solve(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    bool is_old = row->parameter;
    lower_lu f = {.lu = lower_arg(l, is_old ? "LU_data" : "LU"),
                  .pivots = lower_arg(l, is_old ? "LU_pivots" : "pivots")};
    tensor b = lower_arg(l, is_old ? "self" : "B");
    return lower_give_as_recorded(
        l, solved(l, f, b, is_old || lower_bool(l, "left"), !is_old && lower_bool(l, "adjoint")));
}

/* ---- systems and inverses ---- */

lower_solution lower_solve(lowering *l, tensor a, tensor b, bool left)
{
    lower_solution s = {.factors = lower_lu_factor(l, a)};
    s.x = solved(l, s.factors, b, left, false);
    return s;
}

lower_solution lower_inverse(lowering *l, tensor a)
{
    return lower_solve(l, a, lower_identity(l, lower_dtype(a), a.rank, a.sizes), true);
}

/* A right-hand side that is a vector for each matrix. */
static bool is_vector_side(lowering *l, tensor a, tensor b)
{
    if (b.rank == 1) return true;
    if (a.rank != b.rank + 1) return false;
    for (uint32_t k = 0; k < b.rank; k++)
        if (!sym_known_equal(l->symbols, a.sizes[k], b.sizes[k])) return false;
    return true;
}

static tensor solve_for(lowering *l, tensor a, tensor b, bool left, lower_lu *factors)
{
    bool vector = is_vector_side(l, a, b);
    lower_solution s = lower_solve(l, a, vector ? lower_unsqueeze(l, b, b.rank) : b, left);
    *factors = s.factors;
    return vector ? lower_squeeze(l, s.x, s.x.rank - 1) : s.x;
}

/* lower_op_solve (0), solve_ex and _linalg_solve_ex (1): by the number of results (x, info) or all. */
fe_status lower_op_solve(lowering *l, fx_node *n, const lower_row *row)
{
    lower_lu f;
    tensor x = solve_for(l, lower_arg(l, "A"), lower_arg(l, "B"), lower_bool(l, "left"), &f);
    if (row->parameter == 0 || lower_bool(l, "check_errors"))
        lower_check_info(l, f.info, "linalg.solve");
    tensor all[] = {x, f.lu, f.pivots, f.info}, two[] = {x, f.info};
    return lower_give_factors(l, n->value.count == 2 ? two : all, results_of(n));
}

/* inv, lower_op_inverse (0), inv_ex (1) */
fe_status lower_op_inverse(lowering *l, fx_node *n, const lower_row *row)
{
    lower_solution s = lower_inverse(l, lower_first_arg(l));
    if (row->parameter == 0 || lower_bool(l, "check_errors"))
        lower_check_info(l, s.factors.info, "linalg.inv");
    tensor items[] = {s.x, s.factors.info};
    return lower_give_factors(l, items, results_of(n));
}

/* The first `rows` dims against the rest, as a matrix, and back with the two exchanged. */
fe_status lower_op_tensor_inverse(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x = lower_arg(l, "self");
    uint32_t rows = (uint32_t)lower_int_or(l, "ind", 2);
    sym_expr sizes[2] = {sym_product(l->symbols, x.sizes + rows, x.rank - rows),
                         sym_product(l->symbols, x.sizes, rows)};
    lower_solution s = lower_inverse(l, lower_reshape(l, x, 2, sizes));
    lower_check_info(l, s.factors.info, "linalg.tensorinv");
    return lower_give_as_recorded(l, s.x);
}

fe_status lower_op_tensor_solve(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor a = lower_arg(l, "self"), b = lower_arg(l, "other");
    int64_t dims[LOWER_MAX_RANK];
    uint32_t order[LOWER_MAX_RANK], next = 0;
    bool moved[LOWER_MAX_RANK] = {false};
    int count = lower_constants(l, "dims", dims, LOWER_MAX_RANK);
    for (int k = 0; k < count; k++) moved[lower_dim(l, dims[k], a.rank)] = true;
    for (uint32_t k = 0; k < a.rank; k++)
        if (!moved[k]) order[next++] = k;
    for (int k = 0; k < count; k++) order[next++] = lower_dim(l, dims[k], a.rank);
    if (count > 0) a = lower_permute(l, a, order);
    sym_expr size = lower_numel(l, b), square[2] = {size, size}, column[2] = {size, l->one};
    lower_solution s =
        lower_solve(l, lower_reshape(l, a, 2, square), lower_reshape(l, b, 2, column), true);
    lower_check_info(l, s.factors.info, "linalg.solve");
    return lower_give_as_recorded(l, s.x);
}

/* ---- determinants ---- */

/* The sign of the permutation: -1 for an odd number of exchanges. */
static tensor exchange_sign(lowering *l, tensor pivots, ty_dtype d)
{
    loop_program *p = l->program;
    sym_expr own = sym_add_int(l->symbols, l->axes[pivots.rank - 1], 1);
    loop_value exchanged =
        lower_op2(l, LOOP_NE, loop_cast(p, TY_I64, lower_here(l, pivots)), loop_index(p, own));
    tensor each =
        lower_value(l, TY_I64, pivots.rank, pivots.sizes, loop_cast(p, TY_I64, exchanged));
    tensor count = lower_along(l, LOOP_SUM, each, pivots.rank - 1, false);
    loop_value odd = lower_op2(l, LOOP_AND, lower_here(l, count), loop_const_int(p, TY_I64, 1));
    loop_value sign = loop_where(p, loop_cast(p, TY_BOOL, odd), loop_const_float(p, d, -1),
                                 loop_const_float(p, d, 1));
    return lower_value(l, d, count.rank, count.sizes, sign);
}

/* Of a real matrix that is contiguous PyTorch factors the transpose, which it need not copy. */
static lower_lu factors_for_determinant(lowering *l, tensor a)
{
    const fx_arg *arg = &l->node->args[0];
    const ty_tensor *meta = arg->kind == FX_ARG_NODE ? fx_tensor(arg->node) : NULL;
    bool transposed = meta && !ty_is_complex(lower_dtype(a)) && ty_is_contiguous(l->symbols, meta);
    return lower_lu_factor(l, transposed ? lower_mirrored(l, a) : a);
}

fe_status lower_op_determinant(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    tensor a = lower_first_arg(l);
    lower_lu f = factors_for_determinant(l, a);
    tensor product = lower_along(l, LOOP_PROD, lower_diagonal(l, f.lu), a.rank - 2, false);
    tensor items[] = {T_MUL(product, exchange_sign(l, f.pivots, lower_dtype(a))), f.lu, f.pivots};
    return lower_give_factors(l, items, results_of(n));
}

typedef struct log_determinant {
    tensor sign, log;
    lower_lu factors;
} log_determinant;

static log_determinant log_determinant_of(lowering *l, tensor a)
{
    log_determinant d = {.factors = factors_for_determinant(l, a)};
    tensor diagonal = lower_diagonal(l, d.factors.lu);
    uint32_t dim = a.rank - 2;
    tensor signs = lower_along(l, LOOP_PROD, lower_unary(l, LOOP_SIGN, diagonal), dim, false);
    d.sign = T_MUL(signs, exchange_sign(l, d.factors.pivots, lower_dtype(a)));
    d.log = lower_along(l, LOOP_SUM, T_LOG(T_ABS(diagonal)), dim, false);
    return d;
}

fe_status lower_op_sign_and_log(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    log_determinant d = log_determinant_of(l, lower_first_arg(l));
    tensor items[] = {d.sign, d.log, d.factors.lu, d.factors.pivots};
    return lower_give_factors(l, items, results_of(n));
}

fe_status lower_op_logdet(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor a = lower_first_arg(l);
    log_determinant d = log_determinant_of(l, a);
    if (ty_is_complex(lower_dtype(a)))
        return lower_give_as_recorded(l,
                                      T_ADD(T_LOG(d.sign), lower_cast(l, d.log, lower_dtype(a))));
    tensor negative = T_EQUAL(d.sign, T_NUM(d.sign, -1));
    return lower_give_as_recorded(l, T_IF(negative, T_NUM(d.log, (double)NAN), d.log));
}

/* ---- powers ---- */

fe_status lower_op_matrix_power(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x = lower_computed_arg(l, "self"), result = {0};
    int64_t power = lower_int_or(l, "n", 1);
    uint64_t left = power < 0 ? 0 - (uint64_t)power : (uint64_t)power;
    if (power == 0)
        return lower_give_as_recorded(l, lower_identity(l, lower_dtype(x), x.rank, x.sizes));
    if (power < 0) {
        lower_solution s = lower_inverse(l, x);
        lower_check_info(l, s.factors.info, "linalg.inv");
        x = s.x;
    }
    for (;; left >>= 1) {
        if (left & 1) result = lower_absent(result) ? x : lower_product(l, result, x);
        if (left <= 1) break;
        x = lower_product(l, x, x);
    }
    return lower_give_as_recorded(l, result);
}

fe_status lower_op_matrix_exp(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor x = lower_first_arg(l);
    bool is_number = lower_is_one(l, x.sizes[x.rank - 1]);
    x = lower_cast(l, x, lower_compute_dtype(lower_dtype(x)));
    return lower_give_as_recorded(l, is_number ? T_EXP(x) : lower_matrix_exp(l, x));
}

/* _linalg_check_errors */
fe_status lower_op_check_errors(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const fx_arg *name = fx_get(l->graph, n, "api_name");
    lower_check_info(l, lower_arg(l, "info"),
                     name->kind == FX_ARG_STRING ? name->string : "linalg");
    l->results[n->id].present = true;
    return FE_OK;
}

/* with_effects(token, operator, its arguments...): (token, what it gives). */
fe_status lower_op_with_effects(lowering *l, fx_node *n, const lower_row *row)
{
    static const char CHECK_ERRORS[] = "torch.ops.aten._linalg_check_errors.default";
    (void)row;
    bool known = n->arg_count >= 4 && n->args[1].kind == FX_ARG_STRING &&
                 strcmp(n->args[1].string, CHECK_ERRORS) == 0 && n->args[2].kind == FX_ARG_NODE &&
                 n->args[3].kind == FX_ARG_STRING;
    if (!known)
        return lower_fail(l, "the effects of %s",
                          n->arg_count > 1 && n->args[1].kind == FX_ARG_STRING ? n->args[1].string
                                                                               : "an operator");
    lower_check_info(l, lower_tensor_of(l, &n->args[2]), n->args[3].string);
    tensor items[] = {lower_first_arg(l), lower_first_arg(l)};
    return lower_give_items(l, items, n->value.count);
}
