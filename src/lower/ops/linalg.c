/* linalg.c -- the building blocks of linear algebra: see linalg.h. */
#include "lower/ops/linalg.h"

#include <string.h>

/* ---- matrices ---- */

tensor lower_mirrored(lowering *l, tensor x)
{
    return lower_transpose(l, x, x.rank - 2, x.rank - 1);
}

tensor lower_conjugate(lowering *l, tensor x)
{
    if (!ty_is_complex(lower_dtype(x))) return x;
    ty_dtype d = lower_dtype(x);
    loop_value v = loop_cast(l->program, lower_compute_dtype(d), lower_here(l, x)),
               im = lower_op1(l, LOOP_NEG, lower_op1(l, LOOP_IMAGPART, v));
    v = lower_complex(l, d, lower_op1(l, LOOP_REALPART, v), im);
    return lower_value(l, d, x.rank, x.sizes, v);
}

tensor lower_adjoint(lowering *l, tensor x)
{
    return lower_mirrored(l, lower_conjugate(l, x));
}

sym_expr lower_least_size(lowering *l, tensor x)
{
    return sym_min(l->symbols, x.sizes[x.rank - 2], x.sizes[x.rank - 1]);
}

bool lower_is_empty(lowering *l, tensor x)
{
    for (uint32_t k = 0; k < x.rank; k++)
        if (lower_is_zero(l, x.sizes[k])) return true;
    return false;
}

tensor lower_diagonal(lowering *l, tensor x)
{
    sym_expr exprs[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    memcpy(exprs, l->axes, x.rank * sizeof *exprs);
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    exprs[x.rank - 1] = l->axes[x.rank - 2];
    sizes[x.rank - 2] = lower_least_size(l, x);
    return lower_remap(l, x, x.rank - 1, sizes, exprs);
}

/* Column minus row, as a value. */
static loop_value distance(lowering *l, uint32_t rank)
{
    return loop_index(l->program, sym_sub(l->symbols, l->axes[rank - 1], l->axes[rank - 2]));
}

tensor lower_triangle(lowering *l, tensor x, bool upper, int64_t shift)
{
    loop_value d = distance(l, x.rank), limit = loop_const_int(l->program, TY_I64, shift);
    loop_value kept = upper ? lower_op2(l, LOOP_LE, limit, d) : lower_op2(l, LOOP_LE, d, limit);
    loop_value zero = loop_const_int(l->program, lower_dtype(x), 0);
    return lower_value(l, lower_dtype(x), x.rank, x.sizes,
                       loop_where(l->program, kept, lower_here(l, x), zero));
}

tensor lower_identity(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes)
{
    loop_value on = lower_op2(l, LOOP_EQ, distance(l, rank), loop_const_int(l->program, TY_I64, 0));
    return lower_value(l, d, rank, sizes, loop_cast(l->program, d, on));
}

tensor lower_zero_tensor(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes)
{
    return lower_value(l, d, rank, sizes, loop_const_int(l->program, d, 0));
}

tensor lower_first_rows(lowering *l, tensor x, sym_expr count)
{
    return lower_slice(l, x, x.rank - 2, l->zero, count, l->one);
}

tensor lower_scaled_columns(lowering *l, tensor x, tensor y)
{
    return T_MUL(x, lower_unsqueeze(l, y, y.rank - 1));
}

tensor lower_product(lowering *l, tensor a, tensor b)
{
    return lower_matmul(l, a, b, (tensor){0}, NULL);
}

void lower_common_batch(lowering *l, tensor *a, tensor *b)
{
    sym_expr sizes[TY_MAX_RANK + 2];
    uint32_t batch;
    bool fits =
        ty_broadcast(l->symbols, a->rank - 2, a->sizes, b->rank - 2, b->sizes, &batch, sizes);
    CHECK(l->session, fits);
    tensor *both[] = {a, b};
    for (uint32_t k = 0; k < 2; k++) {
        memcpy(sizes + batch, both[k]->sizes + both[k]->rank - 2, 2 * sizeof *sizes);
        *both[k] = lower_expand(l, *both[k], batch + 2, sizes);
    }
}

/* ---- memory of results ---- */

static tensor columns_of(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes)
{
    sym_expr strides[LOWER_MAX_RANK];
    ty_contiguous_strides(l->symbols, rank, sizes, strides);
    strides[rank - 2] = l->one;
    strides[rank - 1] = sym_max(l->symbols, sizes[rank - 2], l->one);
    return lower_temp_tensor(l, d, rank, sizes, strides);
}

/* A matrix with the batch of `like`. */
static tensor new_matrix(lowering *l, tensor like, ty_dtype d, sym_expr rows, sym_expr columns)
{
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, like.sizes, like.rank * sizeof *sizes);
    sizes[like.rank - 2] = rows;
    sizes[like.rank - 1] = columns;
    return columns_of(l, d, like.rank, sizes);
}

static tensor new_vector(lowering *l, tensor like, ty_dtype d, sym_expr size)
{
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, like.sizes, like.rank * sizeof *sizes);
    sizes[like.rank - 2] = size;
    return lower_temp_tensor(l, d, like.rank - 1, sizes, NULL);
}

static tensor new_info(lowering *l, tensor like)
{
    return lower_temp_tensor(l, TY_I32, like.rank - 2, like.sizes, NULL);
}

/* ---- calls ---- */

typedef struct call {
    const char *kernel;
    tensor in[3], out[4]; /* an absent one stays absent */
    uint32_t ins, outs;
    struct {
        const char *name;
        int64_t value;
    } ints[2];
    uint32_t int_count;
} call;

static void make_call(lowering *l, const call *c)
{
    loop_view in[3], out[4];
    loop_int ints[2];
    for (uint32_t k = 0; k < c->ins; k++) in[k] = lower_strided(l, c->in[k]);
    for (uint32_t k = 0; k < c->outs; k++)
        out[k] = lower_absent(c->out[k]) ? lower_no_view(l) : c->out[k].box->view;
    for (uint32_t k = 0; k < c->int_count; k++)
        ints[k] = (loop_int){c->ints[k].name, lower_const(l, c->ints[k].value)};
    lower_extern_op(l, (loop_op){.kernel = c->kernel,
                                 .inputs = in,
                                 .input_count = c->ins,
                                 .outputs = out,
                                 .output_count = c->outs,
                                 .ints = loop_ints(l->program, c->kernel, ints, c->int_count),
                                 .int_count = c->int_count});
}

lower_lu lower_lu_factor(lowering *l, tensor a)
{
    lower_lu f = {
        .lu = new_matrix(l, a, lower_dtype(a), a.sizes[a.rank - 2], a.sizes[a.rank - 1]),
        .pivots = new_vector(l, a, TY_I32, lower_least_size(l, a)),
        .info = new_info(l, a),
    };
    make_call(l, &(call){.kernel = "lu_factor",
                         .in = {a},
                         .ins = 1,
                         .out = {f.lu, f.pivots, f.info},
                         .outs = 3});
    return f;
}

/* A system solved from factors with pivots; the batches of all three become one. */
static tensor solve_factored(lowering *l, const char *kernel, lower_lu f, tensor b, const char *how,
                             int64_t value)
{
    tensor lu = f.lu, pivots = lower_unsqueeze(l, f.pivots, f.pivots.rank);
    lower_common_batch(l, &lu, &b);
    lower_common_batch(l, &pivots, &b);
    pivots = lower_squeeze(l, pivots, pivots.rank - 1);
    tensor x = columns_of(l, lower_dtype(b), b.rank, b.sizes);
    make_call(l, &(call){.kernel = kernel,
                         .in = {lu, pivots, b},
                         .ins = 3,
                         .out = {x},
                         .outs = 1,
                         .ints = {{how, value}},
                         .int_count = 1});
    return x;
}

tensor lower_lu_solve(lowering *l, lower_lu f, tensor b, lower_form form)
{
    return solve_factored(l, "lu_solve", f, b, "form", form);
}

tensor lower_ldl_solve(lowering *l, lower_lu f, tensor b, bool hermitian)
{
    return solve_factored(l, "ldl_solve", f, b, "hermitian", hermitian);
}

lower_lu lower_ldl_factor(lowering *l, tensor a, bool hermitian)
{
    sym_expr n = a.sizes[a.rank - 1];
    lower_lu f = {.lu = new_matrix(l, a, lower_dtype(a), n, n),
                  .pivots = new_vector(l, a, TY_I32, n),
                  .info = new_info(l, a)};
    make_call(l, &(call){.kernel = "ldl_factor",
                         .in = {a},
                         .ins = 1,
                         .out = {f.lu, f.pivots, f.info},
                         .outs = 3,
                         .ints = {{"hermitian", hermitian}},
                         .int_count = 1});
    return f;
}

/* x a = b is a^T x^T = b^T. */
tensor lower_triangular_solve(lowering *l, tensor a, tensor b, bool upper, bool left, bool unit)
{
    if (!left)
        return lower_mirrored(l, lower_triangular_solve(l, lower_mirrored(l, a),
                                                        lower_mirrored(l, b), !upper, true, unit));
    lower_common_batch(l, &a, &b);
    tensor x = columns_of(l, lower_dtype(b), b.rank, b.sizes);
    make_call(l, &(call){.kernel = "triangular_solve",
                         .in = {a, b},
                         .ins = 2,
                         .out = {x},
                         .outs = 1,
                         .ints = {{"upper", upper}, {"unit", unit}},
                         .int_count = 2});
    return x;
}

lower_cholesky lower_cholesky_factor(lowering *l, tensor a, bool upper)
{
    sym_expr n = a.sizes[a.rank - 1];
    lower_cholesky f = {.l = new_matrix(l, a, lower_dtype(a), n, n), .info = new_info(l, a)};
    make_call(l, &(call){.kernel = "cholesky",
                         .in = {a},
                         .ins = 1,
                         .out = {f.l, f.info},
                         .outs = 2,
                         .ints = {{"upper", upper}},
                         .int_count = 1});
    return f;
}

tensor lower_row_order(lowering *l, tensor pivots, sym_expr rows)
{
    sym_expr sizes[LOWER_MAX_RANK];
    memcpy(sizes, pivots.sizes, pivots.rank * sizeof *sizes);
    sizes[pivots.rank - 1] = rows;
    tensor order = lower_temp_tensor(l, TY_I64, pivots.rank, sizes, NULL);
    make_call(
        l, &(call){.kernel = "unpack_pivots", .in = {pivots}, .ins = 1, .out = {order}, .outs = 1});
    return order;
}

lower_qr lower_qr_factor(lowering *l, tensor a)
{
    lower_qr f = {
        .a = new_matrix(l, a, lower_dtype(a), a.sizes[a.rank - 2], a.sizes[a.rank - 1]),
        .tau = new_vector(l, a, lower_dtype(a), lower_least_size(l, a)),
    };
    make_call(l,
              &(call){.kernel = "qr_factor", .in = {a}, .ins = 1, .out = {f.a, f.tau}, .outs = 2});
    return f;
}

tensor lower_householder_product(lowering *l, lower_qr f, sym_expr columns)
{
    tensor q = new_matrix(l, f.a, lower_dtype(f.a), f.a.sizes[f.a.rank - 2], columns);
    make_call(
        l,
        &(call){
            .kernel = "householder_product", .in = {f.a, f.tau}, .ins = 2, .out = {q}, .outs = 1});
    return q;
}

tensor lower_householder_apply(lowering *l, lower_qr f, tensor c, bool left, bool adjoint)
{
    tensor out = columns_of(l, lower_dtype(c), c.rank, c.sizes);
    make_call(l, &(call){.kernel = "householder_apply",
                         .in = {f.a, f.tau, c},
                         .ins = 3,
                         .out = {out},
                         .outs = 1,
                         .ints = {{"left", left}, {"adjoint", adjoint}},
                         .int_count = 2});
    return out;
}

lower_svd lower_svd_factor(lowering *l, tensor a, lower_vectors vectors)
{
    sym_expr m = a.sizes[a.rank - 2], n = a.sizes[a.rank - 1], least = lower_least_size(l, a);
    bool all = vectors == LOWER_ALL_VECTORS;
    lower_svd f = {.s = new_vector(l, a, ty_complex_to_real(lower_dtype(a)), least)};
    tensor info = new_info(l, a);
    if (vectors) {
        f.u = new_matrix(l, a, lower_dtype(a), m, all ? m : least);
        f.vh = new_matrix(l, a, lower_dtype(a), all ? n : least, n);
    }
    make_call(
        l, &(call){.kernel = "svd", .in = {a}, .ins = 1, .out = {f.u, f.vh, f.s, info}, .outs = 4});
    lower_check_info(l, info, "linalg.svd");
    return f;
}

lower_eigen lower_eigh(lowering *l, tensor a, bool upper, bool vectors)
{
    sym_expr n = a.sizes[a.rank - 1];
    lower_eigen e = {.values = new_vector(l, a, ty_complex_to_real(lower_dtype(a)), n)};
    tensor info = new_info(l, a);
    if (vectors) e.vectors = new_matrix(l, a, lower_dtype(a), n, n);
    make_call(l, &(call){.kernel = "eigh",
                         .in = {a},
                         .ins = 1,
                         .out = {e.vectors, e.values, info},
                         .outs = 3,
                         .ints = {{"upper", upper}},
                         .int_count = 1});
    lower_check_info(l, info, "linalg.eigh");
    return e;
}

lower_eigen lower_eig(lowering *l, tensor a, bool vectors)
{
    sym_expr n = a.sizes[a.rank - 1];
    ty_dtype d = ty_real_to_complex(lower_dtype(a));
    lower_eigen e = {.values = new_vector(l, a, d, n)};
    tensor info = new_info(l, a);
    if (vectors) e.vectors = new_matrix(l, a, d, n, n);
    make_call(
        l,
        &(call){
            .kernel = "eig", .in = {a}, .ins = 1, .out = {e.vectors, e.values, info}, .outs = 3});
    lower_check_info(l, info, "linalg.eig");
    return e;
}

tensor lower_matrix_exp(lowering *l, tensor a)
{
    tensor out = lower_temp_tensor(l, lower_dtype(a), a.rank, a.sizes, NULL);
    make_call(l, &(call){.kernel = "matrix_exp", .in = {a}, .ins = 1, .out = {out}, .outs = 1});
    return out;
}

/* ---- errors ---- */

/* What a number means that an operator of some name was given back: the first that its name holds. */
static const struct {
    const char *part;
    int64_t kind;
} INFO_KINDS[] = {{"inv", 1}, {"solve", 2}, {"cholesky", 3}, {"svd", 4},
                  {"eig", 5}, {"syevd", 5}, {"lstsq", 6},    {"", 0}};

void lower_check_info(lowering *l, tensor info, const char *name)
{
    uint32_t k = 0;
    while (!strstr(name, INFO_KINDS[k].part)) k++;
    loop_view in = lower_strided(l, info);
    const loop_int kind = {"kind", lower_const(l, INFO_KINDS[k].kind)};
    lower_extern_op(l, (loop_op){.kernel = "check_info",
                                 .inputs = &in,
                                 .input_count = 1,
                                 .ints = loop_ints(l->program, "check_info", &kind, 1),
                                 .int_count = 1,
                                 .message = intern(l->session, name)});
}
