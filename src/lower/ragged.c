/* ragged.c -- operators whose sizes the data decides.
 *
 * Each has three steps: loops (or a runtime operator) count, the count becomes a symbol, and a
 * second step fills memory of that size. What is moved is places, i64: the values at those places
 * are read by whoever uses the result, like those of any other index.
 */
#include "lower/ragged.h"
#include "lower/compose.h"

#include <string.h>

static lower_tensor number_tensor(lowering *l, loop_value v)
{
    return lower_value(l, loop_at(l->program, v)->dtype, 0, NULL, v);
}

static lower_tensor as_int(lowering *l, lower_tensor t)
{
    return lower_cast(l, t, TY_I64);
}

static lower_tensor flat(lowering *l, lower_tensor t)
{
    sym_expr size = lower_numel(l, t);
    return lower_reshape(l, t, 1, &size);
}

/* The least or greatest of nothing is the fallback. */
static lower_tensor extreme(lowering *l, loop_reduce kind, lower_tensor t, int64_t fallback)
{
    loop_value least = loop_const_int(l->program, TY_I64, fallback);
    loop_opcode op = kind == LOOP_REDUCE_MIN ? LOOP_MIN : LOOP_MAX;
    return number_tensor(l, lower_op2(l, op, lower_at(l, lower_total(l, kind, t), NULL), least));
}

/* ---- places of what is set ---- */

lower_tensor lower_positions(lowering *l, lower_tensor mask, sym_expr *count)
{
    mask = lower_cast(l, mask, TY_BOOL);
    loop_view view = lower_strided(l, mask);
    lower_tensor number = lower_total(l, LOOP_SUM, as_int(l, lower_viewed(l, view)));
    int64_t least, most;
    sym_range(l->symbols, lower_numel(l, mask), NULL, &least, &most);
    if (sym_is_none(*count)) *count = lower_new_symbol(l, 0, most);
    lower_define(l, *count, number);
    sym_expr sizes[2] = {*count, lower_const(l, mask.rank)}, strides[2] = {l->one, *count};
    lower_tensor places = lower_temp_tensor(l, TY_I64, 2, sizes, strides);
    sym_expr fill = l->zero;
    lower_extern(l, "nonzero", 1, &view, places.box->view, 1, &(loop_int){"fill", fill}, 0, NULL);
    return places;
}

fe_status lower_op_nonzero(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    sym_expr count = fx_tensor(n)->sizes[0];
    return lower_give(l, lower_positions(l, lower_tensor_of(l, &n->args[0]), &count));
}

/* where with one argument, nonzero as a tuple: the columns; a number counts as a vector. */
fe_status lower_op_nonzero_columns(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    lower_tensor x = lower_tensor_of(l, &n->args[0]), items[LOWER_MAX_RANK];
    if (x.rank == 0) x = lower_reshape(l, x, 1, &l->one);
    sym_expr count = n->value.items[0].tensor->sizes[0];
    lower_tensor places = lower_positions(l, x, &count);
    for (uint32_t k = 0; k < x.rank; k++) items[k] = lower_select(l, places, 1, lower_const(l, k));
    return lower_give_items(l, items, x.rank);
}

/* The rows are there whatever is found. */
fe_status lower_op_nonzero_static(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_view mask = lower_strided(l, lower_cast(l, lower_tensor_of(l, &n->args[0]), TY_BOOL));
    lower_tensor places = lower_temp_tensor(l, TY_I64, 2, out->sizes, out->strides);
    sym_expr fill = lower_size(l, "fill_value");
    if (sym_is_none(fill)) fill = lower_const(l, -1);
    lower_extern(l, "nonzero", 1, &mask, places.box->view, 1, &(loop_int){"fill", fill}, 0, NULL);
    return lower_give(l, places);
}

fe_status lower_op_masked_select(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    sym_expr sizes[TY_MAX_RANK], count = fx_tensor(n)->sizes[0];
    uint32_t rank;
    lower_tensor x = lower_arg(l, "self"), mask = lower_arg(l, "mask");
    if (!ty_broadcast(l->symbols, x.rank, x.sizes, mask.rank, mask.sizes, &rank, sizes))
        return lower_fail(l, "a mask that does not broadcast");
    x = lower_expand(l, x, rank, sizes);
    mask = lower_expand(l, mask, rank, sizes);
    lower_share(l, x);
    lower_tensor places = lower_positions(l, flat(l, mask), &count);
    sym_expr at[2] = {l->axes[0], l->zero};
    sym_expr place = lower_lookup(l, lower_at(l, places, at), lower_numel(l, x), -1);
    return lower_give(l,
                      lower_value(l, lower_dtype(x), 1, &count, lower_at(l, flat(l, x), &place)));
}

/* masked_scatter: the k-th set element takes the k-th of the source. */
fe_status lower_op_masked_scatter(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    sym_expr count = {0};
    lower_tensor self = lower_expand(l, lower_arg(l, "self"), out->rank, out->sizes),
                 mask = lower_expand(l, lower_arg(l, "mask"), out->rank, out->sizes),
                 source = flat(l, lower_arg(l, "source"));
    lower_share(l, source);
    lower_tensor places = lower_positions(l, flat(l, mask), &count),
                 target = lower_copied(l, flat(l, self), NULL);
    lower_require(l, count, SYM_LE, lower_numel(l, source),
                  "masked_scatter: the source has fewer elements than the mask has ones");
    sym_expr at[2] = {l->axes[0], l->zero};
    sym_expr place = lower_lookup(l, lower_at(l, places, at), target.sizes[0], -1);
    loop_op *op = lower_nest(l, 1, &count, 0, NULL);
    lower_store(
        l, op,
        (loop_store){.buffer = target.box->view.buffer,
                     .index = place,
                     .value = loop_cast(l->program, lower_dtype(target), lower_here(l, source))});
    return lower_give_as_recorded(l, target);
}

/* ---- how often ---- */

fe_status lower_op_bincount(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    lower_tensor x = as_int(l, lower_arg(l, "self")), weights = lower_arg(l, "weights");
    if (x.rank != 1) return lower_fail(l, "bincount of a tensor that is no vector");
    lower_share(l, x);
    sym_expr least =
        lower_read_int(l, extreme(l, LOOP_REDUCE_MIN, x, INT64_MAX), SYM_NO_MIN, SYM_NO_MAX);
    lower_assert(l, l->zero, SYM_LE, least, "bincount: a number is negative");
    loop_value most = lower_at(l, extreme(l, LOOP_REDUCE_MAX, x, -1), NULL);
    loop_value length = lower_op2(l, LOOP_ADD, most, loop_const_int(p, TY_I64, 1));
    sym_expr minimum = lower_size(l, "minlength");
    if (!sym_is_none(minimum)) length = lower_op2(l, LOOP_MAX, length, loop_index(p, minimum));
    lower_define(l, out->sizes[0], number_tensor(l, length));
    lower_tensor counts =
        lower_value(l, out->dtype, 1, out->sizes, loop_const_int(p, out->dtype, 0));
    lower_realise(l, counts.box, NULL);
    loop_value one = lower_absent(weights) ? loop_const_int(p, TY_I64, 1) : lower_here(l, weights);
    sym_expr bin = lower_lookup(l, lower_here(l, x), out->sizes[0], 0);
    if (!lower_absent(weights)) lower_require_equal(l, x.sizes[0], weights.sizes[0]);
    loop_op *op = lower_nest(l, 1, x.sizes, 0, NULL);
    lower_store(l, op,
                (loop_store){.buffer = counts.box->view.buffer,
                             .index = bin,
                             .value = loop_cast(p, out->dtype, one),
                             .mode = LOOP_ADD_INTO});
    return lower_give(l, counts);
}

/* one_hot with as many classes as the data has. */
fe_status lower_op_one_hot(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    loop_program *p = l->program;
    lower_tensor x = as_int(l, lower_tensor_of(l, &n->args[0]));
    sym_expr classes = out->sizes[x.rank];
    lower_share(l, x);
    sym_expr least =
        lower_read_int(l, extreme(l, LOOP_REDUCE_MIN, x, INT64_MAX), SYM_NO_MIN, SYM_NO_MAX);
    lower_assert(l, l->zero, SYM_LE, least, "one_hot: a class is negative");
    loop_value most = lower_at(l, extreme(l, LOOP_REDUCE_MAX, x, -1), NULL);
    if (lower_int_or(l, "num_classes", -1) < 0)
        lower_define(l, classes,
                     number_tensor(l, lower_op2(l, LOOP_ADD, most, loop_const_int(p, TY_I64, 1))));
    else
        lower_assert(l, lower_read_int(l, number_tensor(l, most), SYM_NO_MIN, SYM_NO_MAX), SYM_LT,
                     classes, "one_hot: a class is not below the number of classes");
    loop_value v = lower_op2(l, LOOP_EQ, lower_here(l, x), loop_index(p, l->axes[x.rank]));
    return lower_give(
        l, lower_value(l, out->dtype, out->rank, out->sizes, loop_cast(p, out->dtype, v)));
}

/* 0 repeats[0] times, 1 repeats[1] times, ... : `length` of them. */
static lower_tensor repeated_places(lowering *l, lower_tensor repeats, sym_expr length)
{
    repeats = as_int(l, repeats);
    lower_store_unless_plain(l, repeats);
    loop_view view = lower_strided(l, repeats);
    lower_tensor stored = lower_viewed(l, view);
    sym_expr least =
        lower_read_int(l, extreme(l, LOOP_REDUCE_MIN, stored, INT64_MAX), SYM_NO_MIN, SYM_NO_MAX);
    lower_assert(l, l->zero, SYM_LE, least, "repeat_interleave: a number of repeats is negative");
    lower_define(l, length, lower_total(l, LOOP_SUM, stored));
    lower_tensor places = lower_temp_tensor(l, TY_I64, 1, &length, NULL);
    lower_extern(l, "repeat", 1, &view, places.box->view, 0, NULL, 0, NULL);
    return places;
}

fe_status lower_op_repeat_places(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor repeats = lower_arg(l, "repeats");
    if (repeats.rank != 1) return lower_fail(l, "repeats that are no vector");
    return lower_give(l, lower_cast(l, repeated_places(l, repeats, out->sizes[0]), out->dtype));
}

fe_status lower_op_repeat_elements(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    lower_tensor x = lower_arg(l, "self"), repeats = lower_arg(l, "repeats");
    sym_expr exprs[LOWER_MAX_RANK];
    if (lower_is_none(l, "dim")) x = flat(l, x);
    if (x.rank == 0) x = lower_reshape(l, x, 1, &l->one);
    uint32_t dim = lower_dim(l, lower_int_or(l, "dim", 0), x.rank);
    if (repeats.rank > 1) return lower_fail(l, "repeats that are no vector");
    if (repeats.rank == 0 || lower_is_one(l, repeats.sizes[0]))
        repeats = lower_expand(l, repeats, 1, &x.sizes[dim]);
    lower_require_equal(l, repeats.sizes[0], x.sizes[dim]);
    lower_share(l, x);
    lower_tensor places = repeated_places(l, repeats, out->sizes[dim]);
    memcpy(exprs, l->axes, x.rank * sizeof *exprs);
    exprs[dim] = lower_lookup(l, lower_at(l, places, &l->axes[dim]), x.sizes[dim], (int32_t)dim);
    return lower_give(l, lower_value(l, out->dtype, out->rank, out->sizes, lower_at(l, x, exprs)));
}

/* ---- unique ---- */

/* What the runtime operator gives: of each row its group, of each group a row and its size. */
typedef struct grouping {
    lower_tensor group, row, size, count;
} grouping;

static grouping group_rows(lowering *l, lower_tensor rows, bool as_they_stand, bool wants_group,
                           bool wants_size)
{
    grouping g = {.row = lower_temp_tensor(l, TY_I64, 1, rows.sizes, NULL),
                  .count = lower_temp_tensor(l, TY_I64, 1, &l->one, NULL)};
    if (wants_group) g.group = lower_temp_tensor(l, TY_I64, 1, rows.sizes, NULL);
    if (wants_size) g.size = lower_temp_tensor(l, TY_I64, 1, rows.sizes, NULL);
    loop_view in = lower_strided(l, rows);
    loop_view outputs[4] = {wants_group ? g.group.box->view : lower_no_view(l), g.row.box->view,
                            wants_size ? g.size.box->view : lower_no_view(l), g.count.box->view};
    sym_expr stands = lower_const(l, as_they_stand);
    lower_extern(l, "unique", 1, &in, outputs[1], 1, &(loop_int){"stands", stands}, 0, NULL);
    loop_op *op = &vec_last(&l->program->ops);
    op->outputs = arena_copy(l->memory, outputs, sizeof outputs);
    op->output_count = COUNT_OF(outputs);
    return g;
}

/* x[.., row[k], ..] for the first `count` groups. */
static lower_tensor unique_values(lowering *l, lower_tensor x, uint32_t dim, lower_tensor row,
                                  sym_expr count)
{
    sym_expr exprs[LOWER_MAX_RANK], sizes[LOWER_MAX_RANK];
    memcpy(sizes, x.sizes, x.rank * sizeof *sizes);
    memcpy(exprs, l->axes, x.rank * sizeof *exprs);
    sizes[dim] = count;
    exprs[dim] = lower_lookup(l, lower_at(l, row, &l->axes[dim]), x.sizes[dim], (int32_t)dim);
    return lower_value(l, lower_dtype(x), x.rank, sizes, lower_at(l, x, exprs));
}

/* [size of dim, all the rest] */
static lower_tensor rows_along(lowering *l, lower_tensor x, uint32_t dim)
{
    uint32_t order[LOWER_MAX_RANK], next = 0;
    sym_expr shape[2] = {x.sizes[dim], l->one};
    order[next++] = dim;
    for (uint32_t k = 0; k < x.rank; k++) {
        if (k == dim) continue;
        order[next++] = k;
        shape[1] = sym_mul(l->symbols, shape[1], x.sizes[k]);
    }
    return lower_reshape(l, lower_permute(l, x, order), 2, shape);
}

/* Along a dimension PyTorch's CPU kernels give all results, asked for or not. */
static bool asks_for(lowering *l, const char *param, bool along)
{
    return along || lower_bool(l, param);
}

static lower_tensor first_rows(lowering *l, lower_tensor t, sym_expr count)
{
    return lower_slice(l, t, 0, l->zero, count, l->one);
}

static lower_tensor nothing(lowering *l)
{
    return lower_value(l, TY_I64, 1, &l->zero, loop_const_int(l->program, TY_I64, 0));
}

/* parameter: 1 = only elements that follow each other */
fe_status lower_op_unique(lowering *l, fx_node *n, const lower_row *row)
{
    lower_tensor x = lower_arg(l, "self"), items[3];
    bool along = op_param_index(n->op, "dim") >= 0 && !lower_is_none(l, "dim") && x.rank > 0;
    uint32_t dim = along ? lower_dim(l, lower_int_or(l, "dim", 0), x.rank) : 0;
    if (ty_is_complex(lower_dtype(x))) return lower_fail(l, "unique of complex numbers");
    lower_share(l, x);
    lower_tensor source = along ? x : flat(l, x);
    sym_expr count = n->value.items[0].tensor->sizes[dim];
    bool wants_group = lower_is_used(l, 1) && asks_for(l, "return_inverse", along),
         wants_size =
             n->op->return_count > 2 && lower_is_used(l, 2) && asks_for(l, "return_counts", along);
    grouping g = group_rows(l, rows_along(l, source, dim), row->parameter, wants_group, wants_size);
    lower_define(l, count, lower_select(l, g.count, 0, l->zero));
    lower_require(l, count, SYM_LE, source.sizes[dim], "there are more groups than rows");
    items[0] = unique_values(l, source, dim, g.row, count);
    items[1] = !wants_group ? nothing(l)
               : along      ? g.group
                            : lower_reshape(l, g.group, x.rank, x.sizes);
    items[2] = wants_size ? first_rows(l, g.size, count) : nothing(l);
    return lower_give_items(l, items, n->op->return_count);
}
