/* decompose_product.c -- products of matrices of numbers of few bits, which scales make large again, and
 * of groups of rows. */
#include "pass/decompose/decompose_arith.h"

#include <string.h>

/* ---- floats of 8 bits ---- */

/* (a * its scale) @ (b * its scale) + bias, over the scale of the result. */
void decompose_op_scaled_mm(decomposing *d)
{
    fx_arg a = mul(d, cast(d, arg(d, "self"), TY_F32), arg(d, "scale_a")),
           b = mul(d, cast(d, arg(d, "mat2"), TY_F32), arg(d, "scale_b"));
    fx_arg y = CALL(aten_mm_default, a, b);
    if (decompose_arg(d, "bias")) y = add(d, y, cast(d, arg(d, "bias"), TY_F32));
    if (decompose_arg(d, "scale_result"))
        y = mul(d, y, CALL(aten_reciprocal_default, arg(d, "scale_result")));
    decompose_give(d, cast(d, y, fx_tensor(d->n)->dtype));
}

/* ---- products whose operands are converted first, or with an activation ---- */

/* The arguments of the same operator without out_dtype, the matrices of that dtype. */
void decompose_op_product_as(decomposing *d)
{
    enum { MOST_ARGS = 6 };
    fx_arg args[MOST_ARGS] = {{0}};
    ty_dtype dtype = fx_tensor(d->n)->dtype;
    uint32_t count = 0;
    CHECK(d->g->session, d->n->arg_count <= MOST_ARGS);
    for (uint32_t k = 0; k < d->n->arg_count; k++)
        if (strcmp(d->n->op->params[k].name, "out_dtype") != 0)
            args[count++] = cast(d, d->n->args[k], dtype);
    decompose_give(d, decompose_call(d, d->target, count, args));
}

/* The call that a higher-order operator names, of operands brought to what they and the result's dtype
 * promote to. */
void decompose_op_out_dtype(decomposing *d)
{
    enum { MOST_ARGS = 12 };
    ty_operand operands[MOST_ARGS];
    fx_arg args[MOST_ARGS];
    const fx_node *n = d->n;
    bool is_told = n->arg_count > 2 && n->arg_count < MOST_ARGS &&
                   n->args[0].kind == FX_ARG_STRING && n->args[1].kind == FX_ARG_DTYPE;
    const op_info *op = is_told ? op_find(d->g->ops, n->args[0].string) : NULL;
    if (!op || op->id >= OP_BUILTIN_COUNT) {
        decompose_fail(d, "out_dtype of an operator that is not known");
        return;
    }
    uint32_t count = n->arg_count - 2, known = 0;
    operands[known++] = (ty_operand){.dtype = n->args[1].dtype};
    for (uint32_t k = 0; k < count; k++) {
        const fx_arg *a = &n->args[k + 2];
        const ty_tensor *t = fx_arg_tensor(a);
        if (t) operands[known++] = (ty_operand){.dtype = t->dtype, .is_zero_dim = t->rank == 0};
        if (a->kind == FX_ARG_FLOAT)
            operands[known++] = (ty_operand){.dtype = TY_F32, .is_number = true};
    }
    ty_dtype dtype = ty_result_type(operands, known);
    for (uint32_t k = 0; k < count; k++) args[k] = cast(d, n->args[k + 2], dtype);
    decompose_give(d, cast(d, decompose_call(d, (op_id)op->id, count, args), n->args[1].dtype));
}

void decompose_op_activated_product(decomposing *d)
{
    fx_arg y = CALL(aten_addmm_default, arg(d, "self"), arg(d, "mat1"), arg(d, "mat2"),
                    arg(d, "beta"), arg(d, "alpha"));
    bool by_gelu = decompose_flag(d, "use_gelu");
    decompose_give(d, by_gelu ? CALL(aten_gelu_default, y) : CALL(aten_relu_default, y));
}

/* ---- groups: rows, columns or depths up to each of the ends ---- */

static sym_expr size_of(fx_arg x, int32_t dim)
{
    const ty_tensor *t = fx_arg_tensor(&x);
    return t->sizes[dim < 0 ? (int32_t)t->rank + dim : dim];
}

/* The group that each of 0, 1, ... is in. */
static fx_arg group_of(decomposing *d, sym_expr count)
{
    return CALL(aten_bucketize_Tensor, counted(d, count), arg(d, "offs"), fx_bool(false),
                fx_bool(true));
}

/* A matrix of x for each place; behind the last group whichever. */
static fx_arg matrix_of_each(decomposing *d, fx_arg x, sym_expr count)
{
    fx_arg last = fx_expr(sym_sub(d->g->symbols, size_of(x, 0), sym_int(d->g->symbols, 1)));
    fx_arg group = CALL(aten_clamp_max_default, group_of(d, count), last);
    return CALL(aten_index_select_default, x, decompose_of(d, 0), group);
}

/* [n, k] by [g, k, m], a matrix for each row. */
static fx_arg rows_by_groups(decomposing *d, fx_arg a, fx_arg b)
{
    return summed(d, mul(d, unsqueezed(d, a, -1), matrix_of_each(d, b, size_of(a, 0))), 1, false);
}

/* [n, k] by [k, m], each group of depths a product of its own. */
static fx_arg depths_by_groups(decomposing *d, fx_arg a, fx_arg b)
{
    fx_arg groups = counted(d, size_of(arg(d, "offs"), 0));
    fx_arg mine = CALL(aten_eq_Tensor, unsqueezed(d, groups, -1), group_of(d, size_of(a, -1)));
    return CALL(aten_matmul_default, or_zero(d, unsqueezed(d, mine, 1), a), b);
}

static fx_arg turned(decomposing *d, fx_arg x)
{
    return CALL(aten_transpose_int, x, decompose_of(d, -2), decompose_of(d, -1));
}

void decompose_op_grouped_mm(decomposing *d)
{
    fx_arg a = wide(d, arg(d, "self")), b = wide(d, arg(d, "mat2")), y;
    if (d->status != FE_OK) return;
    if (rank_of(a) == 3 && rank_of(b) == 3)
        y = CALL(aten_bmm_default, a, b);
    else if (rank_of(a) == 2 && rank_of(b) == 2)
        y = depths_by_groups(d, a, b);
    else if (rank_of(a) == 2)
        y = rows_by_groups(d, a, b);
    else
        y = turned(d, rows_by_groups(d, turned(d, b), turned(d, a)));
    decompose_give(d, cast(d, y, fx_tensor(d->n)->dtype));
}

/* ---- weights of 4 bits, two in a number, with their scales and the bias behind them ---- */

void decompose_op_pack_4bit_weight(decomposing *d)
{
    fx_arg parts[3];
    const char *const names[] = {"weights", "scales_zeros", "bias"};
    uint32_t count = 0;
    sym_expr all = sym_int(d->g->symbols, -1);
    for (size_t k = 0; k < COUNT_OF(names); k++)
        if (decompose_arg(d, names[k]))
            parts[count++] = reshaped(d, cast(d, arg(d, names[k]), TY_F32), 1, &all);
    decompose_give(d, CALL(aten_cat_default, fx_list(d->g, parts, count)));
}

typedef struct rows_of_4bit {
    int64_t k, n, groups, block;
    bool has_bias;
} rows_of_4bit;

/* Do the numbers of the call say what is packed? */
static bool read_4bit(decomposing *d, rows_of_4bit *w)
{
    const ty_tensor *packed = fx_arg_tensor(decompose_arg(d, "packed_weights"));
    int64_t count;
    *w = (rows_of_4bit){decompose_int(d, "in_features", 0), decompose_int(d, "out_features", 0), 0,
                        decompose_int(d, "block_size", 0), false};
    if (d->status != FE_OK) return false;
    bool good = packed && packed->dtype == TY_F32 && w->n > 0 && w->n <= INT32_MAX && w->k > 0 &&
                w->k <= INT32_MAX && w->block > 0 && w->k % w->block == 0 && w->k % 2 == 0 &&
                sym_is_int(d->g->symbols, packed->sizes[0], &count);
    if (good) {
        w->groups = w->k / w->block;
        int64_t rest = count - w->n * (w->k / 2 + w->groups);
        w->has_bias = rest == w->n;
        good = rest == 0 || rest == w->n;
    }
    if (!good) decompose_fail(d, "weights of 4 bits that are packed for other processors");
    return good;
}

static fx_arg shaped(decomposing *d, fx_arg x, uint32_t rank, const int64_t *sizes)
{
    sym_expr e[TY_MAX_RANK];
    for (uint32_t k = 0; k < rank; k++) e[k] = sym_int(d->g->symbols, sizes[k]);
    return reshaped(d, x, rank, e);
}

/* The integers of a row, -8..7: of each byte the lower four bits first. [n, groups, block] */
static fx_arg unpacked(decomposing *d, fx_arg packed, const rows_of_4bit *w)
{
    fx_arg bytes = cast(d, decompose_slice(d, packed, 0, 0, w->n * w->k / 2), TY_U8);
    fx_arg pair[] = {CALL(aten_bitwise_and_Scalar, bytes, decompose_of(d, 15)),
                     CALL(aten_bitwise_right_shift_Tensor_Scalar, bytes, decompose_of(d, 4))};
    fx_arg all =
        cast(d, CALL(aten_stack_default, fx_list(d->g, pair, 2), decompose_of(d, 1)), TY_F32);
    return shaped(d, CALL(aten_sub_Tensor, all, decompose_of(d, 8)), 3,
                  (int64_t[]){w->n, w->groups, w->block});
}

/* What the extremes of a row, with zero among them, are made -128 and 127 by: factor and zero. */
static void choose_rows(decomposing *d, fx_arg x, fx_arg *factor, fx_arg *zero)
{
    sym_expr last = sym_int(d->g->symbols, -1);
    fx_arg dims = fx_int_list(d->g, &last, 1);
    fx_arg low = CALL(aten_clamp_max_default, CALL(aten_amin_default, x, dims, fx_bool(true)),
                      decompose_of(d, 0)),
           high = CALL(aten_clamp_min_default, CALL(aten_amax_default, x, dims, fx_bool(true)),
                       decompose_of(d, 0));
    fx_arg whole =
        CALL(aten_mul_Tensor, CALL(aten_reciprocal_default, sub(d, high, low)), fx_float(255));
    *factor = CALL(aten_where_ScalarSelf, CALL(aten_eq_Tensor, low, high), fx_float(1), whole);
    low = mul(d, low, *factor);
    high = mul(d, high, *factor);
    fx_arg first = from_number(d, -128, low), last_one = from_number(d, 127, high);
    fx_arg errors = CALL(aten_add_Tensor, add(d, low, high), fx_float(-1));
    fx_arg point =
        CALL(aten_where_self, CALL(aten_gt_Scalar, errors, decompose_of(d, 0)), first, last_one);
    *zero =
        CALL(aten_round_default, CALL(aten_clamp_default, point, fx_float(-128), fx_float(127)));
}

/* Halves go away from zero. */
static fx_arg rounded_away(decomposing *d, fx_arg x)
{
    fx_arg nearest =
        CALL(aten_floor_default, CALL(aten_add_Tensor, CALL(aten_abs_default, x), fx_float(0.5)));
    return CALL(aten_copysign_Tensor, nearest, x);
}

/* bf16 by leaving out the bits that it has not. */
static fx_arg cut_to(decomposing *d, fx_arg y, ty_dtype dtype)
{
    if (dtype != TY_BF16) return cast(d, y, dtype);
    fx_arg bits = CALL(aten_view_dtype, y, fx_dtype(TY_I32));
    bits = CALL(aten_bitwise_and_Scalar, bits, decompose_of(d, -65536));
    return cast(d, CALL(aten_view_dtype, bits, fx_dtype(TY_F32)), dtype);
}

/* Rows of x as integers of 8 bits by those of the weight, each block of a row with its scale. */
void decompose_op_matmul_4bit(decomposing *d)
{
    rows_of_4bit w;
    if (!read_4bit(d, &w)) return;
    fx_arg packed = arg(d, "packed_weights"), x = cast(d, arg(d, "inp"), TY_F32), factor, zero;
    choose_rows(d, x, &factor, &zero);
    fx_arg whole = add(d, rounded_away(d, mul(d, x, factor)), zero);
    whole = CALL(aten_clamp_default, whole, fx_float(-128), fx_float(127));
    whole = sub(d, whole, zero);
    int64_t scales = w.n * w.k / 2, bias = scales + w.n * w.groups;
    fx_arg by =
        shaped(d, decompose_slice(d, packed, 0, scales, bias), 2, (int64_t[]){w.n, w.groups});
    fx_arg a = shaped(d, whole, 3, (int64_t[]){-1, w.groups, w.block});
    a = CALL(aten_transpose_int, a, decompose_of(d, 0), decompose_of(d, 1));
    sym_expr order[] = {sym_int(d->g->symbols, 1), sym_int(d->g->symbols, 2),
                        sym_int(d->g->symbols, 0)};
    fx_arg b = CALL(aten_permute_default, unpacked(d, packed, &w), fx_int_list(d->g, order, 3));
    fx_arg y = CALL(aten_bmm_default, a, b);
    y = summed(d, mul(d, y, unsqueezed(d, CALL(aten_t_default, by), 1)), 0, false);
    y = mul(d, y, CALL(aten_reciprocal_default, factor));
    if (w.has_bias) y = add(d, y, decompose_slice(d, packed, 0, bias, INT64_MAX));
    decompose_give(d, cut_to(d, y, fx_tensor(d->n)->dtype));
}

/* ---- bytes between floats ---- */

typedef struct bytes_of {
    fx_arg scale, zero;
    int64_t first, last;
} bytes_of;

static fx_arg number_of(decomposing *d, const char *name)
{
    return cast(d, reshaped(d, arg(d, name), 0, NULL), TY_F32);
}

/* The integers less their zero, as floats. */
static fx_arg as_bytes(decomposing *d, fx_arg x, bytes_of to)
{
    fx_arg whole = mul(d, cast(d, x, TY_F32), CALL(aten_reciprocal_default, to.scale));
    whole = add(d, CALL(aten_round_default, whole), to.zero);
    whole = CALL(aten_clamp_default, whole, decompose_of(d, to.first), decompose_of(d, to.last));
    return sub(d, whole, to.zero);
}

void decompose_op_linear_of_bytes(decomposing *d)
{
    bytes_of x = {number_of(d, "X_scale"), number_of(d, "X_zero_point"), 0, 255},
             w = {number_of(d, "W_scale"), number_of(d, "W_zero_point"), -128, 127},
             out = {number_of(d, "output_scale"), number_of(d, "output_zero_point"), 0, 255};
    fx_arg y = CALL(aten_linear_default, as_bytes(d, arg(d, "X"), x), as_bytes(d, arg(d, "W"), w));
    y = add(d, mul(d, y, mul(d, x.scale, w.scale)), cast(d, arg(d, "B"), TY_F32));
    decompose_give(d, mul(d, as_bytes(d, y, out), out.scale));
}

/* The weight as half precision holds it, what is too large for that as its largest. */
void decompose_op_linear_of_halves(decomposing *d)
{
    fx_arg w = CALL(aten_clamp_default, arg(d, "weight"), fx_float(-65504), fx_float(65504));
    w = cast(d, cast(d, w, TY_F16), TY_F32);
    decompose_give(d, CALL(aten_linear_default, arg(d, "X"), w, arg(d, "bias")));
}
