/* inverse.c -- the inverses of view operators: a written view, put back into what it is a view of.
 * One row an operator; a view without a row is found in its base by its strides.
 */
#include "pass/functionalise.h"

typedef struct inversion {
    fx_graph *g;
    fx_node *before;
    const fx_node *view;
    fx_node *parent, *value;
} inversion;

typedef fe_status (*inverse_fn)(const inversion *v, fx_node **out);

static fe_status emit(const inversion *v, op_id op, uint32_t count, const fx_arg *args,
                      fx_node **out)
{
    return pass_emit(v->g, v->before, op, v->before, count, args,
                     out); /* of the call that writes */
}

/* Same elements in the same order: give them the parent's sizes. */
static fe_status by_reshape(const inversion *v, fx_node **out)
{
    const ty_tensor *p = fx_tensor(v->parent);
    fx_arg args[] = {fx_of(v->value), fx_int_list(v->g, p->sizes, p->rank)};
    return emit(v, OP_aten_reshape_default, 2, args, out);
}

static fe_status by_identity(const inversion *v, fx_node **out)
{
    *out = v->value;
    return FE_OK;
}

static fe_status by_transpose(const inversion *v, fx_node **out)
{
    fx_arg args[] = {fx_of(v->value), v->view->args[1], v->view->args[2]};
    return emit(v, OP_aten_transpose_int, 3, args, out);
}

/* Twice is nothing. */
static fe_status by_doing_it_again(const inversion *v, fx_node **out)
{
    fx_arg args[] = {fx_of(v->value)};
    return emit(v, (op_id)v->view->op->id, 1, args, out);
}

static fe_status by_permute(const inversion *v, fx_node **out)
{
    sym_expr dims[TY_MAX_RANK], back[TY_MAX_RANK];
    int count = fx_arg_ints(v->g, &v->view->args[1], dims, TY_MAX_RANK);
    for (int i = 0; i < count; i++) {
        int64_t d = 0;
        sym_is_int(v->g->symbols, dims[i], &d);
        back[d < 0 ? d + count : d] = sym_int(v->g->symbols, i);
    }
    fx_arg args[] = {fx_of(v->value), fx_int_list(v->g, back, (uint32_t)count)};
    return emit(v, OP_aten_permute_default, 2, args, out);
}

/* movedim(source, destination) from there to here. */
static fe_status by_moving_back(const inversion *v, fx_node **out)
{
    fx_arg args[] = {fx_of(v->value), v->view->args[2], v->view->args[1]};
    return emit(v, (op_id)v->view->op->id, 3, args, out);
}

static fe_status by_slice(const inversion *v, fx_node **out)
{
    const fx_arg *a = v->view->args;
    fx_arg args[] = {fx_of(v->parent), fx_of(v->value), a[1], a[2], a[3], a[4]};
    return emit(v, OP_aten_slice_scatter_default, 6, args, out);
}

static fe_status by_select(const inversion *v, fx_node **out)
{
    const fx_arg *a = v->view->args;
    fx_arg args[] = {fx_of(v->parent), fx_of(v->value), a[1], a[2]};
    return emit(v, OP_aten_select_scatter_default, 4, args, out);
}

static fe_status by_narrow(const inversion *v, fx_node **out)
{
    const fx_arg *a = v->view->args;
    sym_expr start, length;
    if (!fx_arg_expr(v->g, &a[2], &start) || !fx_arg_expr(v->g, &a[3], &length))
        return fx_fail(v->g, v->view, "functionalise", FE_UNSUPPORTED, NULL,
                       "a write through narrow with a start known only at run time");
    fx_arg args[] = {fx_of(v->parent),
                     fx_of(v->value),
                     a[1],
                     a[2],
                     fx_expr(sym_add(v->g->symbols, start, length)),
                     fx_int(v->g, 1)};
    return emit(v, OP_aten_slice_scatter_default, 6, args, out);
}

static fe_status by_diagonal(const inversion *v, fx_node **out)
{
    const fx_arg *a = v->view->args;
    fx_arg args[] = {fx_of(v->parent), fx_of(v->value), a[1], a[2], a[3]};
    return emit(v, OP_aten_diagonal_scatter_default, 5, args, out);
}

static fe_status by_strides(const inversion *v, fx_node **out)
{
    const ty_tensor *t = fx_tensor(v->view);
    fx_arg args[] = {fx_of(v->parent), fx_of(v->value), fx_int_list(v->g, t->sizes, t->rank),
                     fx_int_list(v->g, t->strides, t->rank), fx_expr(t->offset)};
    return emit(v, OP_aten_as_strided_scatter_default, 5, args, out);
}

/* ---- complex numbers as pairs ---- */

static fe_status by_real(const inversion *v, fx_node **out)
{
    fx_node *imaginary;
    if (!ty_is_complex(fx_tensor(v->parent)->dtype)) return by_identity(v, out);
    fx_arg parent = fx_of(v->parent);
    FE_TRY(emit(v, OP_aten_imag_default, 1, &parent, &imaginary));
    fx_arg args[] = {fx_of(v->value), fx_of(imaginary)};
    return emit(v, OP_aten_complex_default, 2, args, out);
}

static fe_status by_imag(const inversion *v, fx_node **out)
{
    fx_node *real;
    fx_arg parent = fx_of(v->parent);
    FE_TRY(emit(v, OP_aten_real_default, 1, &parent, &real));
    fx_arg args[] = {fx_of(real), fx_of(v->value)};
    return emit(v, OP_aten_complex_default, 2, args, out);
}

static fe_status by_view_as_real(const inversion *v, fx_node **out)
{
    fx_node *part[2];
    for (int k = 0; k < 2; k++) {
        fx_arg args[] = {fx_of(v->value), fx_int(v->g, -1), fx_int(v->g, k)};
        FE_TRY(emit(v, OP_aten_select_int, 3, args, &part[k]));
    }
    fx_arg args[] = {fx_of(part[0]), fx_of(part[1])};
    return emit(v, OP_aten_complex_default, 2, args, out);
}

/* Calls that cut a tensor along a dimension which is no argument. */
static const struct {
    op_id op;
    int64_t dim;
} cuts[] = {
    {OP_aten_hsplit_array, 1}, {OP_aten_hsplit_int, 1},   {OP_aten_vsplit_array, 0},
    {OP_aten_vsplit_int, 0},   {OP_aten_dsplit_array, 2}, {OP_aten_dsplit_int, 2},
};

/* Are the items of this tuple pieces of a tensor, one behind the other along a dimension? */
static bool is_cut(const fx_node *tuple)
{
    if (tuple->kind != FX_CALL || tuple->op->custom) return false;
    for (size_t i = 0; i < COUNT_OF(cuts); i++)
        if (fx_is(tuple, cuts[i].op)) return true;
    return op_param_index(tuple->op, "dim") >= 0;
}

static int64_t cut_dim(const fx_graph *g, const fx_node *tuple, uint32_t rank)
{
    int64_t dim = 0;
    for (size_t i = 0; i < COUNT_OF(cuts); i++)
        if (fx_is(tuple, cuts[i].op)) return rank == 1 ? 0 : cuts[i].dim;
    fx_arg_int(g, &tuple->args[op_param_index(tuple->op, "dim")], &dim);
    return dim < 0 ? dim + (int64_t)rank : dim;
}

static const fx_node *tuple_of(const fx_node *item)
{
    return item->args[0].kind == FX_ARG_NODE ? item->args[0].node : NULL;
}

/* Written as elements of another type; they lie in a row again before they are taken for the parent's. */
static fe_status by_view_dtype(const inversion *v, fx_node **out)
{
    fx_node *dense;
    fx_arg value = fx_of(v->value);
    FE_TRY(emit(v, OP_aten_contiguous_default, 1, &value, &dense));
    fx_arg args[] = {fx_of(dense), fx_dtype(fx_tensor(v->parent)->dtype)};
    return emit(v, OP_aten_view_dtype, 2, args, out);
}

/* An item of split, chunk, ...: a slice along its dimension, after those before it. */
static fe_status by_item(const inversion *v, fx_node **out)
{
    const fx_node *tuple = tuple_of(v->view);
    int64_t item = 0, dim = cut_dim(v->g, tuple, fx_tensor(v->parent)->rank);
    sym_table *t = v->g->symbols;
    fx_arg_int(v->g, &v->view->args[1], &item);
    if (fx_is(tuple, OP_aten_unbind_int)) {
        fx_arg args[] = {fx_of(v->parent), fx_of(v->value), fx_int(v->g, dim), fx_int(v->g, item)};
        return emit(v, OP_aten_select_scatter_default, 4, args, out);
    }
    sym_expr start = sym_int(t, 0);
    for (int64_t i = 0; i < item; i++)
        start = sym_add(t, start, tuple->value.items[i].tensor->sizes[dim]);
    sym_expr end = sym_add(t, start, tuple->value.items[item].tensor->sizes[dim]);
    fx_arg args[] = {fx_of(v->parent), fx_of(v->value), fx_int(v->g, dim),
                     fx_expr(start),   fx_expr(end),    fx_int(v->g, 1)};
    return emit(v, OP_aten_slice_scatter_default, 6, args, out);
}

typedef struct inverse_row {
    op_id op;
    inverse_fn fn;
} inverse_row;

static const inverse_row rows[] = {
    {OP_aten_view_default, by_reshape},
    {OP_aten_reshape_default, by_reshape},
    {OP_aten_view_as_default, by_reshape},
    {OP_aten_reshape_as_default, by_reshape},
    {OP_aten_flatten_using_ints, by_reshape},
    {OP_aten_unflatten_int, by_reshape},
    {OP_aten_squeeze_default, by_reshape},
    {OP_aten_squeeze_dim, by_reshape},
    {OP_aten_squeeze_dims, by_reshape},
    {OP_aten_unsqueeze_default, by_reshape},
    {OP_aten_alias_default, by_identity},
    {OP_aten_detach_default, by_identity},
    {OP_aten_contiguous_default, by_identity},
    {OP_aten_to_dtype, by_identity},
    {OP_aten_to_dtype_layout, by_identity},
    {OP_aten_to_device, by_identity},
    {OP_aten_transpose_int, by_transpose},
    {OP_aten_swapaxes_default, by_transpose},
    {OP_aten_swapdims_default, by_transpose},
    {OP_aten_movedim_int, by_moving_back},
    {OP_aten_movedim_intlist, by_moving_back},
    {OP_aten_t_default, by_doing_it_again},
    {OP_aten_numpy_T_default, by_doing_it_again},
    {OP_aten_mT_default, by_doing_it_again},
    {OP_aten_mH_default, by_doing_it_again},
    {OP_aten_matrix_H_default, by_doing_it_again},
    {OP_aten_adjoint_default, by_doing_it_again},
    {OP_aten__conj_default, by_doing_it_again},
    {OP_aten_conj_default, by_doing_it_again},
    {OP_aten__neg_view_default, by_doing_it_again},
    {OP_aten_permute_default, by_permute},
    {OP_aten_slice_Tensor, by_slice},
    {OP_aten_select_int, by_select},
    {OP_aten_narrow_default, by_narrow},
    {OP_aten_diagonal_default, by_diagonal},
    {OP_aten_real_default, by_real},
    {OP_aten_imag_default, by_imag},
    {OP_aten_view_as_real_default, by_view_as_real},
    {OP_aten_view_dtype, by_view_dtype},
    {OP_operator_getitem, by_item},
};

static inverse_fn find_inverse(const fx_node *view)
{
    for (size_t i = 0; view->kind == FX_CALL && i < COUNT_OF(rows); i++)
        if (view->op->id == (uint32_t)rows[i].op) return rows[i].fn;
    return NULL;
}

bool functionalise_has_inverse(const fx_node *view)
{
    const fx_node *tuple = fx_is(view, OP_operator_getitem) ? tuple_of(view) : NULL;
    return tuple ? is_cut(tuple) : find_inverse(view) != NULL;
}

bool functionalise_changes_values(const fx_node *view)
{
    const ty_tensor *t = fx_tensor(view);
    bool conjugates = fx_is(view, OP_aten__conj_default) || fx_is(view, OP_aten_conj_default) ||
                      fx_is(view, OP_aten_mH_default) || fx_is(view, OP_aten_adjoint_default) ||
                      fx_is(view, OP_aten_matrix_H_default);
    return fx_is(view, OP_aten__neg_view_default) || (conjugates && t && ty_is_complex(t->dtype));
}

fe_status functionalise_inverse(fx_graph *g, fx_node *before, const fx_node *view, fx_node *parent,
                                fx_node *value, bool by_strides_alone, fx_node **out)
{
    inversion v = {g, before, view, parent, value};
    inverse_fn inverse = by_strides_alone ? NULL : find_inverse(view);
    if (inverse) return inverse(&v, out);
    if (fx_tensor(view)->dtype == fx_tensor(parent)->dtype) return by_strides(&v, out);
    return fx_fail(g, view, "functionalise", FE_UNSUPPORTED,
                   "copy the tensor before writing to it (x = x.clone())",
                   "a write through this view cannot be turned into a value");
}
