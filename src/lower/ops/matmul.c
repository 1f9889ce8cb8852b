/* matmul.c -- matrix products of float32 and float64: the extern kernels `gemm` (a constant weight on the
 * right) and `bmm` (anything else); of bf16 and f16 `half_gemm`, where the right operand is one matrix, and
 * `half_bmm`; other dtypes, other devices than the host, and one column, which takes no more than
 * reading the matrix, are plain reductions.
 *
 * A bias of one element a column goes into gemm itself; whatever else surrounds a product (a full
 * addend, alpha, beta, an activation) stays pointwise, and the scheduler makes it the product's
 * epilogue.
 */
#include "lower/ops/linalg.h"

#include <string.h>

enum {
    LARGE_SIDE = 16,     /* rows, columns and depth that a product of its own is worth while for */
    LEAST_BYTE_ROWS = 8, /* that a matrix of bytes is worth packing for */
};

/* out[.., m, n] = sum over k of a[.., m, k] * b[.., k, n], the batch dims already equal. */
static lower_tensor product_nest(lowering *l, lower_tensor a, lower_tensor b, const sym_expr *sizes,
                                 const sym_expr *wanted)
{
    sym_expr at[LOWER_MAX_RANK], bt[LOWER_MAX_RANK];
    uint32_t rank = a.rank;
    memcpy(at, l->axes, rank * sizeof *at);
    memcpy(bt, l->axes, rank * sizeof *bt);
    at[rank - 1] = bt[rank - 2] = l->reduce_axes[0];
    lower_share(l, a);
    lower_share(l, b);
    loop_value v = lower_op2(l, LOOP_MUL, lower_at(l, a, at), lower_at(l, b, bt));
    lower_tensor out = lower_temp_tensor(l, lower_dtype(a), rank, sizes, wanted);
    loop_op *op = lower_nest(l, rank, sizes, 1, &a.sizes[rank - 1]);
    sym_expr to = lower_flat(l, l->axes, out.box->view.strides, rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = to, .value = v, .reduce = LOOP_SUM});
    return out;
}

static lower_tensor gemm(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                         const sym_expr *sizes, const sym_expr *wanted)
{
    loop_view views[3] = {lower_strided(l, a), lower_strided(l, b), lower_no_view(l)};
    if (!lower_absent(bias)) views[2] = lower_strided(l, bias);
    bool takes = wanted && (lower_is_one(l, wanted[1]) || lower_is_one(l, sizes[1]));
    lower_tensor out = lower_temp_tensor(l, lower_dtype(a), 2, sizes, takes ? wanted : NULL);
    lower_extern(l, "gemm", 3, views, out.box->view, 1, &(loop_int){"activation", l->zero}, 2,
                 (loop_float[]){{"low", 0}, {"high", 0}});
    return out;
}

static lower_tensor half_gemm(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                              const sym_expr *sizes)
{
    loop_view views[3] = {lower_strided(l, a), lower_strided(l, b), lower_no_view(l)};
    if (!lower_absent(bias)) views[2] = lower_strided(l, bias);
    lower_tensor out = lower_temp_tensor(l, lower_compute_dtype(lower_dtype(a)), 2, sizes, NULL);
    lower_extern(l, "half_gemm", 3, views, out.box->view, 0, NULL, 0, NULL);
    return out;
}

/* a, b of rank 3 with equal batch sizes. */
static lower_tensor half_bmm(lowering *l, lower_tensor a, lower_tensor b, const sym_expr *sizes)
{
    loop_view views[2] = {lower_strided(l, a), lower_strided(l, b)};
    lower_tensor out = lower_temp_tensor(l, lower_compute_dtype(lower_dtype(a)), 3, sizes, NULL);
    lower_extern(l, "half_bmm", 2, views, out.box->view, 0, NULL, 0, NULL);
    return out;
}

/* Likewise. */
static lower_tensor bmm(lowering *l, lower_tensor a, lower_tensor b, const sym_expr *sizes,
                        const sym_expr *wanted)
{
    loop_view views[3] = {lower_strided(l, a), lower_strided(l, b), lower_no_view(l)};
    lower_tensor out = lower_temp_tensor(l, lower_dtype(a), 3, sizes, wanted);
    lower_extern(l, "bmm", 3, views, out.box->view, 0, NULL, 2,
                 (loop_float[]){{"alpha", 1}, {"beta", 0}});
    return out;
}

static bool is_empty(lowering *l, lower_tensor t)
{
    for (uint32_t k = 0; k < t.rank; k++)
        if (lower_is_zero(l, t.sizes[k])) return true;
    return false;
}

/* Is there an extern kernel for it? */
static bool has_kernel(lowering *l, lower_tensor a, lower_tensor b)
{
    ty_dtype d = lower_dtype(a);
    return (d == TY_F32 || d == TY_F64) && lower_has_operators(l) && !is_empty(l, a) &&
           !is_empty(l, b);
}

/* Numbers of 16 bits that stay so: `half_gemm` takes them, or `half_bmm`. */
static bool is_half_product(lowering *l, lower_tensor a, lower_tensor b)
{
    ty_dtype d = lower_dtype(a);
    return ty_is_half(d) && lower_dtype(b) == d && b.rank >= 2 && lower_has_operators(l) &&
           !is_empty(l, a) && !is_empty(l, b) &&
           ((b.rank == 2 && lower_is_constant(l, b)) || !sym_same(b.sizes[b.rank - 1], l->one));
}

/* a[m,k] @ b[k,n] (+ bias[n]) in one dtype, which is one to compute in or that of a half_product. */
static lower_tensor product_2d(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                               const sym_expr *wanted)
{
    sym_expr sizes[2] = {a.sizes[0], b.sizes[1]};
    bool is_kernel = has_kernel(l, a, b);
    if (ty_is_half(lower_dtype(a))) return half_gemm(l, a, b, bias, sizes);
    if (is_kernel && lower_is_constant(l, b)) return gemm(l, a, b, bias, sizes, wanted);
    lower_tensor out;
    if (is_kernel && !sym_same(b.sizes[1], l->one)) {
        sym_expr batched[3] = {l->one, sizes[0], sizes[1]}, strides[3];
        if (wanted) {
            strides[0] = sym_mul(l->symbols, sizes[0], sizes[1]);
            memcpy(strides + 1, wanted, 2 * sizeof *strides);
        }
        out = bmm(l, lower_unsqueeze(l, a, 0), lower_unsqueeze(l, b, 0), batched,
                  wanted ? strides : NULL);
        out = lower_squeeze(l, out, 0);
    } else {
        out = product_nest(l, a, b, sizes, wanted);
    }
    return lower_absent(bias) ? out : lower_binary(l, LOOP_ADD, out, bias);
}

static lower_tensor product_3d(lowering *l, lower_tensor a, lower_tensor b, const sym_expr *wanted)
{
    sym_expr sizes[3] = {a.sizes[0], a.sizes[1], b.sizes[2]};
    bool one_column = sym_same(b.sizes[2], l->one);
    if (ty_is_half(lower_dtype(a))) return half_bmm(l, a, b, sizes);
    if (has_kernel(l, a, b) && !one_column) return bmm(l, a, b, sizes, wanted);
    return product_nest(l, a, b, sizes, wanted);
}

/* Leading dims folded into rows: [.., m, k] as [M, k]. */
static lower_tensor as_rows(lowering *l, lower_tensor t)
{
    sym_expr sizes[2] = {sym_product(l->symbols, t.sizes, t.rank - 1), t.sizes[t.rank - 1]};
    return t.rank == 2 ? t : lower_reshape(l, t, 2, sizes);
}

static lower_tensor batch_of(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *batch)
{
    sym_expr sizes[LOWER_MAX_RANK], flat[3];
    memcpy(sizes, batch, (rank - 2) * sizeof *sizes);
    sizes[rank - 2] = t.sizes[t.rank - 2];
    sizes[rank - 1] = t.sizes[t.rank - 1];
    t = lower_expand(l, t, rank, sizes);
    flat[0] = sym_product(l->symbols, batch, rank - 2);
    flat[1] = sizes[rank - 2];
    flat[2] = sizes[rank - 1];
    return rank == 3 ? t : lower_reshape(l, t, 3, flat);
}

/* Complex numbers as the four products of their parts, where these have matrices to run. */
static bool is_in_parts(lowering *l, lower_tensor a, lower_tensor b)
{
    if (!ty_is_complex(lower_dtype(a)) || is_empty(l, a) || is_empty(l, b)) return false;
    const sym_expr sides[] = {a.sizes[a.rank - 2], a.sizes[a.rank - 1], b.sizes[b.rank - 1]};
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        if (sym_hint(l->symbols, sides[i], LARGE_SIDE) < LARGE_SIDE) return false;
    return true;
}

static lower_tensor product_many(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                                 const sym_expr *wanted);

static lower_tensor product_in_parts(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias)
{
    static const loop_opcode PARTS[] = {LOOP_REALPART, LOOP_IMAGPART};
    lower_tensor x[2], y[2], p[2][2];
    for (int i = 0; i < 2; i++) {
        x[i] = lower_unary(l, PARTS[i], a);
        y[i] = lower_unary(l, PARTS[i], b);
    }
    for (int i = 0; i < 4; i++)
        p[i / 2][i % 2] = product_many(l, x[i / 2], y[i % 2], (lower_tensor){0}, NULL);
    lower_tensor re = lower_binary(l, LOOP_SUB, p[0][0], p[1][1]),
                 im = lower_binary(l, LOOP_ADD, p[0][1], p[1][0]);
    loop_node joined = {.op = LOOP_COMPLEX,
                        .dtype = lower_dtype(a),
                        .args = {lower_here(l, re), lower_here(l, im)}};
    lower_tensor out =
        lower_value(l, lower_dtype(a), re.rank, re.sizes, loop_make(l->program, joined));
    return lower_absent(bias) ? out : lower_binary(l, LOOP_ADD, out, bias);
}

/* torch.matmul of operands of at least two dims. */
static lower_tensor product_many(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                                 const sym_expr *wanted)
{
    sym_expr batch[TY_MAX_RANK], sizes[LOWER_MAX_RANK];
    uint32_t batch_rank;
    if (is_in_parts(l, a, b)) return product_in_parts(l, a, b, bias);
    if (a.rank == 2 && b.rank == 2) return product_2d(l, a, b, bias, wanted);
    bool fits =
        ty_broadcast(l->symbols, a.rank - 2, a.sizes, b.rank - 2, b.sizes, &batch_rank, batch);
    CHECK(l->session, fits);
    memcpy(sizes, batch, batch_rank * sizeof *sizes);
    sizes[batch_rank] = a.sizes[a.rank - 2];
    sizes[batch_rank + 1] = b.sizes[b.rank - 1];
    if (b.rank == 2) {
        lower_tensor rows = product_2d(l, as_rows(l, a), b, bias, NULL);
        return lower_reshape(l, rows, batch_rank + 2, sizes);
    }
    a = batch_of(l, a, batch_rank + 2, batch);
    b = batch_of(l, b, batch_rank + 2, batch);
    lower_tensor out = product_3d(l, a, b, batch_rank == 1 ? wanted : NULL);
    out = lower_reshape(l, out, batch_rank + 2, sizes);
    return lower_absent(bias) ? out : lower_binary(l, LOOP_ADD, out, bias);
}

/* One number for each column, as products take it. */
static bool is_per_column(lowering *l, lower_tensor bias, lower_tensor b)
{
    return bias.rank == 1 && b.rank >= 2 &&
           sym_known_equal(l->symbols, bias.sizes[0], b.sizes[b.rank - 1]);
}

lower_tensor lower_matmul(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                          const sym_expr *wanted)
{
    bool row = a.rank == 1, column = b.rank == 1;
    if (!is_half_product(l, a, b)) {
        a = lower_cast(l, a, lower_compute_dtype(lower_dtype(a)));
        b = lower_cast(l, b, lower_compute_dtype(lower_dtype(b)));
    }
    if (!lower_absent(bias) && !is_per_column(l, bias, b))
        return lower_binary(l, LOOP_ADD, lower_matmul(l, a, b, (lower_tensor){0}, NULL), bias);
    if (row || column) wanted = NULL;
    if (row) a = lower_unsqueeze(l, a, 0);
    if (column) b = lower_unsqueeze(l, b, 1);
    lower_tensor out = product_many(l, a, b, bias, wanted);
    if (column) out = lower_squeeze(l, out, out.rank - 1);
    return row ? lower_squeeze(l, out, out.rank - (column ? 1 : 2)) : out;
}

/* ---- rows ---- */

static lower_tensor operand(lowering *l, const char *param, ty_dtype d)
{
    lower_tensor t = lower_arg(l, param);
    return lower_absent(t) ? t : lower_cast(l, t, lower_compute_dtype(d));
}

/* Operands of a product of this dtype; of 16 bits they are left to lower_matmul(). */
static void cast_operands(lowering *l, lower_tensor *a, lower_tensor *b, ty_dtype out)
{
    ty_dtype d = ty_is_half(out) && lower_dtype(*a) == out && lower_dtype(*b) == out
                     ? out
                     : lower_compute_dtype(out);
    *a = lower_cast(l, *a, d);
    *b = lower_cast(l, *b, d);
}

static fe_status finish(lowering *l, lower_tensor t)
{
    const ty_tensor *out = fx_tensor(l->node);
    return lower_give(l, lower_cast(l, lower_reshape(l, t, out->rank, out->sizes), out->dtype));
}

static const sym_expr *wanted_of(lowering *l, ty_dtype computed_in)
{
    return fx_tensor(l->node)->dtype == computed_in ? lower_wanted(l, 0) : NULL;
}

/* mm, bmm, matmul, mv, dot, inner products: the first two arguments. */
fe_status lower_op_matmul(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    lower_tensor a = lower_tensor_of(l, &n->args[0]), b = lower_tensor_of(l, &n->args[1]);
    cast_operands(l, &a, &b, fx_tensor(n)->dtype);
    return finish(l, lower_matmul(l, a, b, (lower_tensor){0}, wanted_of(l, d)));
}

fe_status lower_op_linear(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    lower_tensor x = lower_arg(l, "input"), w = lower_arg(l, "weight");
    cast_operands(l, &x, &w, fx_tensor(n)->dtype);
    bool is_row = w.rank == 1; /* its dimension of 1 is not in the result */
    if (is_row) w = lower_unsqueeze(l, w, 0);
    return finish(l, lower_matmul(l, x, lower_transpose(l, w, 0, 1), operand(l, "bias", d),
                                  is_row ? NULL : wanted_of(l, d)));
}

/* x by the integers of a weight, which stay integers. */
fe_status lower_op_quantised_linear(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n, (void)row;
    lower_tensor x = as_rows(l, operand(l, "input", TY_F32)), w = lower_arg(l, "weight"),
                 zeros = lower_arg(l, "zeros"), bias = operand(l, "bias", TY_F32);
    sym_expr sizes[] = {x.sizes[0], w.sizes[0]};
    loop_view views[] = {lower_strided(l, x), lower_strided(l, lower_transpose(l, w, 0, 1)),
                         lower_strided(l, lower_arg(l, "scales")), lower_no_view(l),
                         lower_no_view(l)};
    if (!lower_absent(zeros)) views[3] = lower_strided(l, zeros);
    if (!lower_absent(bias)) views[4] = lower_strided(l, bias);
    lower_tensor out = lower_temp_tensor(l, TY_F32, 2, sizes, NULL);
    lower_extern(l, "quantised_gemm", COUNT_OF(views), views, out.box->view, 1,
                 &(loop_int){"bits", lower_size(l, "bits")}, 0, NULL);
    return finish(l, out);
}

/* a[m,k] @ b[k,n] of bytes, with sums of 32 bits. */
static lower_tensor integer_product(lowering *l, lower_tensor a, lower_tensor b)
{
    sym_expr sizes[2] = {a.sizes[0], b.sizes[1]};
    bool is_worth_packing =
        lower_is_constant(l, b) || sym_hint(l->symbols, sizes[0], 1) >= LEAST_BYTE_ROWS;
    if (!lower_has_operators(l) || !is_worth_packing || is_empty(l, a) || is_empty(l, b))
        return product_nest(l, lower_cast(l, a, TY_I32), lower_cast(l, b, TY_I32), sizes, NULL);
    loop_view views[] = {lower_strided(l, a), lower_strided(l, b)};
    lower_tensor out = lower_temp_tensor(l, TY_I32, 2, sizes, NULL);
    lower_extern(l, "integer_gemm", COUNT_OF(views), views, out.box->view, 0, NULL, 0, NULL);
    return out;
}

fe_status lower_op_integer_product(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    return finish(
        l, integer_product(l, lower_tensor_of(l, &n->args[0]), lower_tensor_of(l, &n->args[1])));
}

fe_status lower_op_integer_linear(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n, (void)row;
    return finish(l, integer_product(l, as_rows(l, lower_arg(l, "input")),
                                     lower_transpose(l, lower_arg(l, "weight"), 0, 1)));
}

static bool is_zero_number(lowering *l, const fx_arg *number)
{
    double factor;
    return fx_arg_number(l->graph, number, &factor) && factor == 0;
}

/* The number times t, of bools: and. */
static lower_tensor times(lowering *l, const fx_arg *number, lower_tensor t)
{
    ty_dtype d = lower_dtype(t);
    double factor;
    if (fx_arg_number(l->graph, number, &factor) && factor == 1) return t;
    return lower_binary(l, d == TY_BOOL ? LOOP_AND : LOOP_MUL, t,
                        lower_value(l, d, 0, NULL, lower_scalar(l, number, d)));
}

/* beta * self + alpha * product; a beta of 0 ignores self, NaN included. So does an alpha of 0 with matrix
 * products of floats (`drops`), and not with addr. */
static lower_tensor combined(lowering *l, lower_tensor self, lower_tensor product, bool drops)
{
    const fx_arg *beta = fx_get(l->graph, l->node, "beta");
    const fx_arg *alpha = fx_get(l->graph, l->node, "alpha");
    ty_dtype d = lower_dtype(product);
    if (drops && is_zero_number(l, alpha) && d != TY_BOOL)
        product = lower_value(l, d, product.rank, product.sizes, lower_scalar(l, alpha, d));
    else
        product = times(l, alpha, product);
    if (is_zero_number(l, beta)) return product;
    return lower_binary(l, lower_dtype(product) == TY_BOOL ? LOOP_OR : LOOP_ADD,
                        times(l, beta, self), product);
}

/* addmm with a plain bias is one gemm. */
fe_status lower_op_addmm(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    lower_tensor self = operand(l, "self", d), a = lower_tensor_of(l, &n->args[1]),
                 b = lower_tensor_of(l, &n->args[2]);
    cast_operands(l, &a, &b, out->dtype);
    bool plain = row->parameter == 1 && lower_number_or(l, "alpha", 0) == 1 &&
                 lower_number_or(l, "beta", 0) == 1;
    bool per_column = self.rank == 1 && !lower_is_one(l, self.sizes[0]);
    if (self.rank == 2 && lower_is_one(l, self.sizes[0]) && !lower_is_one(l, self.sizes[1])) {
        self = lower_squeeze(l, self, 0);
        per_column = true;
    }
    if (plain && per_column && a.rank == 2)
        return finish(l, lower_matmul(l, a, b, self, wanted_of(l, d)));
    lower_tensor product = lower_matmul(l, a, b, (lower_tensor){0}, NULL);
    if (row->parameter == 2) { /* addbmm: the sum over the batch */
        bool reduced[3] = {true, false, false};
        product = lower_reduced(l, LOOP_SUM, product, reduced, false, NULL);
    }
    product = combined(l, self, product, true);
    return lower_give(l,
                      lower_cast(l, lower_expand(l, product, out->rank, out->sizes), out->dtype));
}

/* outer, ger (0), addr (1) */
fe_status lower_op_outer(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    lower_tensor a = lower_cast(l, lower_tensor_of(l, &n->args[row->parameter]), d);
    lower_tensor b = lower_cast(l, lower_tensor_of(l, &n->args[row->parameter + 1]), d);
    lower_tensor product = lower_binary(l, d == TY_BOOL ? LOOP_AND : LOOP_MUL,
                                        lower_unsqueeze(l, a, 1), lower_unsqueeze(l, b, 0));
    if (row->parameter) product = combined(l, operand(l, "self", d), product, false);
    return lower_give(l,
                      lower_cast(l, lower_expand(l, product, out->rank, out->sizes), out->dtype));
}

/* dot, vdot: the second conjugates its first operand. */
fe_status lower_op_dot(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    ty_dtype d = lower_compute_dtype(out->dtype);
    lower_tensor a = lower_cast(l, lower_tensor_of(l, &n->args[0]), d),
                 b = lower_cast(l, lower_tensor_of(l, &n->args[1]), d);
    if (row->parameter) a = lower_conjugate(l, a);
    bool reduced[1] = {true};
    lower_tensor product = lower_binary(l, LOOP_MUL, a, b);
    return lower_give(
        l, lower_cast(l, lower_reduced(l, LOOP_SUM, product, reduced, false, NULL), out->dtype));
}

/* inner: the last dims of both are summed over. */
fe_status lower_op_inner(lowering *l, fx_node *n, const lower_row *row)
{
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    lower_tensor a = lower_cast(l, lower_tensor_of(l, &n->args[0]), d),
                 b = lower_cast(l, lower_tensor_of(l, &n->args[1]), d);
    if (a.rank == 0 || b.rank == 0)
        return lower_give(l, lower_cast(l, lower_binary(l, LOOP_MUL, a, b), fx_tensor(n)->dtype));
    (void)row;
    lower_tensor right = as_rows(l, b.rank == 1 ? lower_unsqueeze(l, b, 0) : b);
    lower_tensor left = as_rows(l, a.rank == 1 ? lower_unsqueeze(l, a, 0) : a);
    return finish(l,
                  lower_matmul(l, left, lower_transpose(l, right, 0, 1), (lower_tensor){0}, NULL));
}

/* multi_dot, chain_matmul: from left to right. */
fe_status lower_op_chain(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    ty_dtype d = lower_compute_dtype(fx_tensor(n)->dtype);
    const fx_arg *list = &n->args[0];
    lower_tensor product = lower_cast(l, lower_item(l, list, 0), d);
    for (uint32_t k = 1; k < list->list.count; k++)
        product = lower_matmul(l, product, lower_cast(l, lower_item(l, list, k), d),
                               (lower_tensor){0}, NULL);
    return finish(l, product);
}
