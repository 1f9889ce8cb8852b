/* create.c -- tensors from nothing: constants, ramps, masks; all are values that consumers inline. */
#include "lower/ragged.h"
#include "lower/rows.h"

#include <math.h>
#include <string.h>

static fe_status give_value(lowering *l, loop_value v)
{
    const ty_tensor *out = fx_tensor(l->node);
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(l->program, out->dtype, v)));
}

static bool has(lowering *l, const char *param)
{
    return op_param_index(l->node->op, param) >= 0;
}

/* A tensor whose elements may share memory: as many as the strides reach, seen through them. */
static fe_status give_overlapping(lowering *l, loop_value v)
{
    const ty_tensor *out = fx_tensor(l->node);
    sym_expr reach = ty_reach(l->symbols, out->rank, out->sizes, out->strides);
    lower_tensor t = lower_value(l, out->dtype, 1, &reach, v);
    lower_realise(l, t.box, NULL);
    return lower_give(l, lower_on_strides(l, t.box->view, out->rank, out->sizes, out->strides,
                                          t.box->view.offset));
}

static bool is_empty(lowering *l, const ty_tensor *t)
{
    for (uint32_t k = 0; k < t->rank; k++)
        if (lower_is_zero(l, t->sizes[k])) return true;
    return false;
}

/* What eager shows in memory that nothing has written, where it is told to be the same on each run. */
static loop_value unwritten(lowering *l, ty_dtype d)
{
    if (!l->graph->fills_unwritten) return loop_const_int(l->program, d, 0);
    return ty_is_integral(d, true) ? lower_extreme(l, d, true)
                                   : loop_const_float(l->program, d, (double)NAN);
}

/* zeros and their like (0), ones (1), empty (UNWRITTEN) */
fe_status lower_op_filled(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    loop_value v = row->parameter == UNWRITTEN
                       ? unwritten(l, out->dtype)
                       : loop_const_int(l->program, out->dtype, row->parameter);
    bool strided = op_param_index(n->op, "stride") >= 0;
    if (strided && !ty_is_non_overlapping_and_dense(l->symbols, out) && !is_empty(l, out))
        return give_overlapping(l, v);
    return give_value(l, v);
}

/* full, full_like, new_full, scalar_tensor, tensor.*: the value is an argument. */
fe_status lower_op_full(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const char *param = has(l, "fill_value") ? "fill_value" : has(l, "s") ? "s" : "t";
    return give_value(l, lower_scalar(l, fx_get(l->graph, n, param), fx_tensor(n)->dtype));
}

static sym_expr read_number(lowering *l, const char *name)
{
    loop_value v = lower_scalar(l, fx_get(l->graph, l->node, name), TY_I64);
    return lower_read_int(l, lower_value(l, TY_I64, 0, NULL, v), SYM_NO_MIN, SYM_NO_MAX);
}

/* Between integers cut from numbers that the run computes: the archive has symbols of their own for
 * these in the length, which no node of the program defines. */
static void define_ends(lowering *l, sym_expr length)
{
    sym_table *t = l->symbols;
    sym_expr open[3];
    int64_t step = has(l, "step") ? lower_int_or(l, "step", 0) : 1;
    if (lower_open_symbols(l, length, open, 3) != 2 || !has(l, "start") || step == 0) return;
    for (int k = 0; k < 2; k++) {
        sym_expr start = open[k], end = open[1 - k];
        sym_expr span = step < 0 ? sym_sub(t, start, end) : sym_sub(t, end, start);
        int64_t by = step < 0 ? -step : step; /* rounded up, as PyTorch writes it */
        sym_expr steps = sym_floordiv(t, sym_add_int(t, span, by - 1), lower_const(l, by));
        if (!sym_known_equal(t, length, steps)) continue;
        lower_define_expr(l, start, read_number(l, "start"));
        lower_define_expr(l, end, read_number(l, "end"));
        return;
    }
}

/* start + i * step; floats in double, as PyTorch accumulates them. */
fe_status lower_op_arange(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    define_ends(l, fx_tensor(n)->sizes[0]);
    sym_expr step;
    if (has(l, "step") && fx_arg_expr(l->graph, fx_get(l->graph, n, "step"), &step))
        lower_require(l, step, SYM_NE, l->zero, "step must be nonzero");
    lower_require(l, l->zero, SYM_LE, fx_tensor(n)->sizes[0],
                  "upper bound and lower bound inconsistent with step sign");
    ty_dtype d = ty_is_integral(fx_tensor(n)->dtype, true) ? TY_I64 : TY_F64;
    loop_value i = loop_cast(l->program, d, loop_index(l->program, l->axes[0]));
    if (has(l, "step"))
        i = lower_op2(l, LOOP_MUL, i, lower_scalar(l, fx_get(l->graph, n, "step"), d));
    if (has(l, "start"))
        i = lower_op2(l, LOOP_ADD, lower_scalar(l, fx_get(l->graph, n, "start"), d), i);
    return give_value(l, i);
}

/* Where a ramp of integers begins and ends is an integer too. */
static loop_value ramp_end(lowering *l, const char *name, ty_dtype out, ty_dtype d)
{
    loop_value v = lower_scalar(l, fx_get(l->graph, l->node, name), d);
    return ty_is_integral(out, true) ? loop_cast(l->program, d, loop_cast(l->program, out, v)) : v;
}

/* From both ends, so that it is symmetric. */
fe_status lower_op_linspace(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    int64_t steps = lower_int_or(l, "steps", 0);
    ty_dtype d = ty_is_integral(out->dtype, true) ? TY_F64 : lower_compute_dtype(out->dtype);
    loop_value start = ramp_end(l, "start", out->dtype, d), end = ramp_end(l, "end", out->dtype, d);
    loop_value intervals = loop_const_float(p, d, steps > 1 ? (double)(steps - 1) : 1);
    loop_value step = lower_op2(l, LOOP_DIV, lower_op2(l, LOOP_SUB, end, start), intervals);
    loop_value i = loop_index(p, l->axes[0]),
               last = loop_index(p, sym_sub(l->symbols, lower_const(l, steps - 1), l->axes[0]));
    loop_value up = lower_op2(l, LOOP_ADD, start, lower_op2(l, LOOP_MUL, step, loop_cast(p, d, i)));
    loop_value down =
        lower_op2(l, LOOP_SUB, end, lower_op2(l, LOOP_MUL, step, loop_cast(p, d, last)));
    loop_value first_half = lower_op2(l, LOOP_LT, i, loop_const_int(p, TY_I64, steps / 2));
    loop_value v = steps == 1 ? start : loop_where(p, first_half, up, down);
    if (row->parameter)
        v = lower_op2(l, LOOP_POW, loop_const_float(p, d, lower_number_or(l, "base", 10)), v);
    return give_value(l, v);
}

fe_status lower_op_eye(lowering *l, fx_node *n, const lower_row *row)
{
    (void)n;
    (void)row;
    loop_value i = loop_index(l->program, l->axes[0]), j = loop_index(l->program, l->axes[1]);
    return give_value(l, lower_op2(l, LOOP_EQ, i, j));
}

/* tril (0): column - row <= diagonal; triu (1): >=. */
fe_status lower_op_triangle(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    sym_expr distance = sym_sub(l->symbols, l->axes[x.rank - 1], l->axes[x.rank - 2]);
    loop_value d = loop_index(l->program, distance),
               limit = loop_index(l->program, lower_size(l, "diagonal"));
    loop_value kept =
        row->parameter ? lower_op2(l, LOOP_LE, limit, d) : lower_op2(l, LOOP_LE, d, limit);
    loop_value v =
        loop_where(l->program, kept, lower_here(l, x), loop_const_int(l->program, out->dtype, 0));
    return give_value(l, v);
}

lower_tensor lower_constant(lowering *l, const char *name, ty_dtype d, uint32_t rank,
                            const sym_expr *sizes, const void *data, size_t bytes)
{
    sym_expr strides[LOWER_MAX_RANK];
    ty_contiguous_strides(l->symbols, rank, sizes, strides);
    loop_buffer b = {.name = name,
                     .kind = LOOP_CONSTANT,
                     .dtype = d,
                     .device = TY_HOST,
                     .rank = rank,
                     .sizes = sizes};
    b.strides = strides;
    b.data = data;
    b.data_bytes = bytes;
    b.origin = lower_origin(l);
    return lower_viewed(l, loop_view_of(l->program, loop_add_buffer(l->program, b)));
}

/* tril_indices, triu_indices: known when compiling, so they are a constant. */
fe_status lower_op_triangle_indices(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    int64_t rows = lower_int_or(l, "row", 0), columns = lower_int_or(l, "col", 0),
            offset = lower_int_or(l, "offset", 0), count;
    if (!sym_is_int(l->symbols, out->sizes[1], &count))
        return lower_fail(l, "a number of indices that is not constant");
    int64_t *data = NEW_ARRAY(l->memory, int64_t, 2 * count), next = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns && next < count; j++) {
            if (row->parameter ? j - i < offset : j - i > offset) continue;
            data[next] = i;
            data[count + next++] = j;
        }
    const char *name = arena_printf(l->memory, "indices.%u", n->id);
    lower_tensor t =
        lower_constant(l, name, TY_I64, 2, out->sizes, data, (size_t)(2 * count) * sizeof *data);
    return lower_give(l, lower_cast(l, t, out->dtype));
}

/* diag_embed: the last dim becomes the diagonal of dim1 and dim2. */
fe_status lower_op_diag_embed(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    uint32_t a = lower_dim(l, lower_int_or(l, "dim1", -2), out->rank),
             b = lower_dim(l, lower_int_or(l, "dim2", -1), out->rank);
    int64_t offset = lower_int_or(l, "offset", 0);
    sym_expr at[LOWER_MAX_RANK];
    uint32_t next = 0;
    for (uint32_t k = 0; k < out->rank; k++)
        if (k != a && k != b) at[next++] = l->axes[k];
    at[next] = offset < 0 ? l->axes[b] : l->axes[a];
    loop_value distance = loop_index(l->program, sym_sub(l->symbols, l->axes[b], l->axes[a]));
    loop_value on = lower_op2(l, LOOP_EQ, distance, loop_const_int(l->program, TY_I64, offset));
    return give_value(l, loop_masked(l->program, on, lower_at(l, x, at),
                                     loop_const_int(l->program, out->dtype, 0)));
}

/* diag: the diagonal of a matrix, or a matrix with this diagonal; diagflat: always the second, of
 * the flattened tensor. */
fe_status lower_op_diagonal_matrix(lowering *l, fx_node *n, const lower_row *row)
{
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_tensor_of(l, &n->args[0]);
    int64_t offset = lower_int_or(l, row->parameter ? "offset" : "diagonal", 0);
    sym_expr down = lower_const(l, offset < 0 ? -offset : 0),
             right = lower_const(l, offset > 0 ? offset : 0);
    if (!row->parameter && x.rank == 2) {
        sym_expr at[2] = {sym_add(l->symbols, l->axes[0], down),
                          sym_add(l->symbols, l->axes[0], right)};
        return give_value(l, lower_at(l, x, at));
    }
    sym_expr size = lower_numel(l, x), at[1] = {sym_sub(l->symbols, l->axes[0], down)};
    x = lower_reshape(l, x, 1, &size);
    loop_value distance = loop_index(l->program, sym_sub(l->symbols, l->axes[1], l->axes[0]));
    loop_value on = lower_op2(l, LOOP_EQ, distance, loop_const_int(l->program, TY_I64, offset));
    on = lower_op2(l, LOOP_AND, on, lower_is_inside(l, at[0], l->zero, size));
    return give_value(l, loop_masked(l->program, on, lower_at(l, x, at),
                                     loop_const_int(l->program, out->dtype, 0)));
}

/* block_diag: operand k stands after the rows and columns of those before it. */
fe_status lower_op_block_diag(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    sym_expr down = l->zero, right = l->zero;
    loop_value v = loop_const_int(l->program, out->dtype, 0);
    for (uint32_t k = 0; k < n->args[0].list.count; k++) {
        lower_tensor t = lower_item(l, &n->args[0], k);
        while (t.rank < 2) t = lower_unsqueeze(l, t, 0);
        sym_expr at[2] = {sym_sub(l->symbols, l->axes[0], down),
                          sym_sub(l->symbols, l->axes[1], right)};
        loop_value inside = lower_is_inside(l, at[0], l->zero, t.sizes[0]);
        inside = lower_op2(l, LOOP_AND, inside, lower_is_inside(l, at[1], l->zero, t.sizes[1]));
        v = loop_masked(l->program, inside, loop_cast(l->program, out->dtype, lower_at(l, t, at)),
                        v);
        down = sym_add(l->symbols, down, t.sizes[0]);
        right = sym_add(l->symbols, right, t.sizes[1]);
    }
    return give_value(l, v);
}
