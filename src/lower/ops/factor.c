/* factor.c -- factors of matrices and what is solved with them: triangular systems, Cholesky's, LDL,
 * QR. */
#include "lower/ops/linalg.h"

#include <string.h>

static uint32_t results_of(const fx_node *n)
{
    return n->value.kind == FX_TUPLE ? n->value.count : 1;
}

/* ---- triangular ---- */

fe_status lower_op_solve_triangular(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    return lower_give_as_recorded(
        l,
        lower_triangular_solve(l, lower_arg(l, "self"), lower_arg(l, "B"), lower_bool(l, "upper"),
                               lower_bool(l, "left"), lower_bool(l, "unitriangular")));
}

/* The old form gives its matrix back too. */
fe_status lower_op_triangular_solve(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor a = lower_arg(l, "A"), b = lower_arg(l, "self"), items[2];
    bool upper = lower_bool(l, "upper"), transposed = lower_bool(l, "transpose");
    lower_common_batch(l, &a, &b);
    items[0] = lower_triangular_solve(l, transposed ? lower_mirrored(l, a) : a, b,
                                      upper != transposed, true, lower_bool(l, "unitriangular"));
    items[1] = a;
    return lower_give_factors(l, items, 2);
}

/* ---- Cholesky ---- */

/* lower_op_cholesky (0), linalg.cholesky (1), linalg.cholesky_ex (2) */
fe_status lower_op_cholesky(lowering *l, fx_node *n, const lower_row *row)
{
    lower_cholesky f = lower_cholesky_factor(l, lower_first_arg(l), lower_bool(l, "upper"));
    if (row->parameter < 2 || lower_bool(l, "check_errors"))
        lower_check_info(l, f.info, row->parameter ? "linalg.cholesky" : "cholesky");
    tensor items[] = {f.l, f.info};
    return lower_give_factors(l, items, results_of(n));
}

/* l l^H x = b, or u^H u x = b. */
static tensor solve_squared(lowering *l, tensor factor, tensor b, bool upper)
{
    tensor adjoint = lower_adjoint(l, factor);
    tensor first = upper ? adjoint : factor, second = upper ? factor : adjoint;
    b = lower_triangular_solve(l, first, b, false, true, false);
    return lower_triangular_solve(l, second, b, true, true, false);
}

fe_status lower_op_cholesky_solve(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return lower_give_as_recorded(l, solve_squared(l, lower_tensor_of(l, &n->args[1]),
                                                   lower_arg(l, "self"), lower_bool(l, "upper")));
}

/* An info: the number of each row's first zero, counted from 1; 0 where there is none. */
static tensor first_zero(lowering *l, tensor x)
{
    loop_program *p = l->program;
    uint32_t last = x.rank - 1;
    sym_expr count = x.sizes[last];
    loop_value zero = lower_op2(l, LOOP_EQ, lower_here(l, x), loop_const_int(p, lower_dtype(x), 0));
    loop_value left = loop_index(p, sym_sub(l->symbols, count, l->axes[last]));
    loop_value none = loop_const_int(p, TY_I64, 0), v = loop_where(p, zero, left, none);
    tensor most =
        lower_along(l, LOOP_REDUCE_MAX, lower_value(l, TY_I64, x.rank, x.sizes, v), last, false);
    loop_value m = lower_here(l, most), end = loop_index(p, sym_add_int(l->symbols, count, 1));
    loop_value first =
        loop_where(p, lower_op2(l, LOOP_EQ, m, none), none, lower_op2(l, LOOP_SUB, end, m));
    return lower_value(l, TY_I32, most.rank, most.sizes, loop_cast(p, TY_I32, first));
}

fe_status lower_op_cholesky_inverse(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    tensor factor = lower_first_arg(l);
    tensor identity = lower_identity(l, lower_dtype(factor), factor.rank, factor.sizes);
    if (!lower_is_empty(l, factor))
        lower_check_info(l, first_zero(l, lower_diagonal(l, factor)), "cholesky_inverse");
    return lower_give_as_recorded(l, solve_squared(l, factor, identity, lower_bool(l, "upper")));
}

/* ---- LDL ---- */

fe_status lower_op_ldl_factor(lowering *l, fx_node *n, const lower_row *row)
{
    lower_lu f = lower_ldl_factor(l, lower_first_arg(l), lower_bool(l, "hermitian"));
    if (row->parameter == 0 || lower_bool(l, "check_errors"))
        lower_check_info(l, f.info, "linalg.ldl_factor");
    tensor items[] = {f.lu, f.pivots, f.info};
    return lower_give_factors(l, items, results_of(n));
}

fe_status lower_op_ldl_solve(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_lu f = {.lu = lower_arg(l, "LD"),
                  .pivots = lower_cast(l, lower_arg(l, "pivots"), TY_I32)};
    return lower_give_as_recorded(
        l, lower_ldl_solve(l, f, lower_arg(l, "B"), lower_bool(l, "hermitian")));
}

/* ---- QR ---- */

typedef enum qr_mode { QR_REDUCED, QR_COMPLETE, QR_R } qr_mode;

static fe_status give_qr(lowering *l, tensor x, qr_mode mode)
{
    lower_qr f = lower_qr_factor(l, x);
    sym_expr m = x.sizes[x.rank - 2], size = mode == QR_COMPLETE ? m : lower_least_size(l, x);
    tensor r = lower_triangle(l, f.a, true, 0);
    tensor items[2] = {{0}, mode == QR_COMPLETE ? r : lower_first_rows(l, r, size)};
    if (mode != QR_R) items[0] = lower_householder_product(l, f, size);
    return lower_give_factors(l, items, 2);
}

fe_status lower_op_linalg_qr(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const fx_arg *mode = fx_get(l->graph, n, "mode");
    const char *name = mode->kind == FX_ARG_STRING ? mode->string : "reduced";
    return give_qr(l, lower_first_arg(l),
                   strcmp(name, "complete") == 0 ? QR_COMPLETE
                   : strcmp(name, "r") == 0      ? QR_R
                                                 : QR_REDUCED);
}

fe_status lower_op_qr(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    return give_qr(l, lower_first_arg(l), lower_bool(l, "some") ? QR_REDUCED : QR_COMPLETE);
}

fe_status lower_op_geqrf(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_qr f = lower_qr_factor(l, lower_first_arg(l));
    tensor items[] = {f.a, f.tau};
    return lower_give_factors(l, items, 2);
}

/* householder_product, orgqr: (reflections, tau) */
fe_status lower_op_householder(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_qr f = {.a = lower_first_arg(l), .tau = lower_tensor_of(l, &n->args[1])};
    return lower_give_as_recorded(l, lower_householder_product(l, f, f.a.sizes[f.a.rank - 1]));
}

fe_status lower_op_ormqr(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    lower_qr f = {.a = lower_arg(l, "self"), .tau = lower_arg(l, "input2")};
    return lower_give_as_recorded(l, lower_householder_apply(l, f, lower_arg(l, "input3"),
                                                             lower_bool(l, "left"),
                                                             lower_bool(l, "transpose")));
}
