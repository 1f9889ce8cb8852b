/* noop.c -- removes operators that give back their input, and assertions that inference has proved.
 *
 * Laws. N1 The value that takes the place of a result has the same dtype, sizes and strides. N2 A
 * copy (clone, to, contiguous that copies) goes only when it is not returned: a returned copy stays a
 * copy, one that is only written back to an input is made there. N3 Where the program is cut, a copy
 * that writes stays: its class is the one that does it.
 */
#include "pass/pass_priv.h"

typedef enum noop_rule {
    NOOP_ALWAYS,  /* returns its argument whatever the rest says */
    NOOP_IF_SAME, /* ... when dtype, sizes and strides come out equal */
    NOOP_DROPOUT, /* ... when the `train` argument is false or the probability 0 */
    NOOP_COPY,    /* a copy: needed only where somebody could tell */
    NOOP_INTEGER, /* ... of integers */
    NOOP_ONE,     /* ... when argument 1 is the number 1 */
    NOOP_ZEROS,   /* ... when argument 1 is a list of zeros */
    NOOP_ASSERT   /* checks metadata that inference has established */
} noop_rule;

typedef struct noop_row {
    op_id op;
    noop_rule rule;
    int index; /* of the argument that it returns; DROPOUT: of the one that turns it on */
} noop_row;

static const noop_row rows[] = {
    {OP_aten_alias_default, NOOP_ALWAYS, 0},
    {OP_aten_detach_default, NOOP_ALWAYS, 0},
    {OP_aten_detach__default, NOOP_ALWAYS, 0},
    {OP_aten_lift_fresh_default, NOOP_ALWAYS, 0},
    {OP_aten_lift_fresh_copy_default, NOOP_COPY, 0},
    {OP_aten_clone_default, NOOP_COPY, 0},
    {OP_aten_copy_default, NOOP_COPY, 1},
    {OP_aten_contiguous_default, NOOP_COPY, 0},
    {OP_aten_to_dtype, NOOP_COPY, 0},
    {OP_aten_to_dtype_layout, NOOP_COPY, 0},
    {OP_aten_to_device, NOOP_COPY, 0},
    {OP_aten__to_copy_default, NOOP_COPY, 0},
    {OP_aten_type_as_default, NOOP_COPY, 0},
    {OP_prims_convert_element_type_default, NOOP_COPY, 0},
    {OP_aten_repeat_default, NOOP_COPY, 0},
    {OP_aten_cat_default, NOOP_COPY, 0},
    {OP_aten_ceil_default, NOOP_INTEGER, 0},
    {OP_aten_floor_default, NOOP_INTEGER, 0},
    {OP_aten_round_default, NOOP_INTEGER, 0},
    {OP_aten_trunc_default, NOOP_INTEGER, 0},
    {OP_aten_pow_Tensor_Scalar, NOOP_ONE, 0},
    {OP_aten_constant_pad_nd_default, NOOP_ZEROS, 0},
    {OP_aten_pad_default, NOOP_ZEROS, 0},
    {OP_aten_expand_default, NOOP_IF_SAME, 0},
    {OP_aten_expand_as_default, NOOP_IF_SAME, 0},
    {OP_aten_transpose_int, NOOP_IF_SAME, 0},
    {OP_aten_squeeze_dim, NOOP_IF_SAME, 0},
    {OP_aten_squeeze_dims, NOOP_IF_SAME, 0},
    {OP_aten_flatten_using_ints, NOOP_IF_SAME, 0},
    {OP_aten_unflatten_int, NOOP_IF_SAME, 0},
    {OP_aten_view_default, NOOP_IF_SAME, 0},
    {OP_aten_reshape_default, NOOP_IF_SAME, 0},
    {OP_aten_slice_Tensor, NOOP_IF_SAME, 0},
    {OP_aten_permute_default, NOOP_IF_SAME, 0},
    {OP_aten_dropout_default, NOOP_DROPOUT, 2},
    {OP_aten_feature_dropout_default, NOOP_DROPOUT, 2},
    {OP_aten_alpha_dropout_default, NOOP_DROPOUT, 2},
    {OP_aten__assert_tensor_metadata_default, NOOP_ASSERT, 0},
};

static const noop_row *row_of(const fx_node *n)
{
    for (size_t i = 0; n->kind == FX_CALL && i < COUNT_OF(rows); i++)
        if (n->op->id == (uint32_t)rows[i].op) return &rows[i];
    return NULL;
}

static bool same_layout(fx_graph *g, const ty_tensor *a, const ty_tensor *b)
{
    return a && b && ty_known_same_layout(g->symbols, a, b);
}

/* What the call gives back; NULL when that is no node. */
static fx_node *input_of(const noop_row *row, const fx_node *n)
{
    const fx_arg *a = &n->args[row->rule == NOOP_DROPOUT ? 0 : row->index];
    if (a->kind == FX_ARG_LIST && a->list.count == 1) a = &a->list.items[0]; /* of cat */
    return a->kind == FX_ARG_NODE ? a->node : NULL;
}

static bool is_zeros(const fx_graph *g, const fx_arg *list)
{
    int64_t number;
    for (uint32_t i = 0; list->kind == FX_ARG_LIST && i < list->list.count; i++)
        if (!fx_arg_int(g, &list->list.items[i], &number) || number != 0) return false;
    return list->kind == FX_ARG_LIST;
}

static bool may_drop_copy(fx_graph *g, const fx_node *n, const fx_node *input)
{
    return same_layout(g, fx_tensor(n), fx_tensor(input)) && !pass_leaves(g, n);
}

/* Is the value what the program wrote somewhere, or what an input is given at the end? */
static bool is_write(const fx_graph *g, const fx_node *n)
{
    if (fx_is(n, OP_aten_copy_default)) return true;
    for (uint32_t k = 0; k < g->output->arg_count; k++)
        if (g->outputs.at[k].kind != FX_USER_OUTPUT && g->output->args[k].kind == FX_ARG_NODE &&
            g->output->args[k].node == n)
            return true;
    return false;
}

static bool may_go(fx_graph *g, const noop_row *row, const fx_node *n)
{
    const fx_node *input = input_of(row, n);
    double number;
    if (!input || (fx_class(n) != FX_ANY_CLASS && is_write(g, n))) return false;
    switch (row->rule) {
    case NOOP_ALWAYS: return true;
    case NOOP_IF_SAME: return same_layout(g, fx_tensor(n), fx_tensor(input));
    case NOOP_DROPOUT:
        return !fx_arg_bool(&n->args[row->index], true) ||
               (fx_arg_number(g, &n->args[1], &number) && number == 0);
    case NOOP_COPY: return may_drop_copy(g, n, input);
    case NOOP_INTEGER:
        return may_drop_copy(g, n, input) && ty_is_integral(fx_tensor(n)->dtype, false);
    case NOOP_ONE:
        return fx_arg_number(g, &n->args[1], &number) && number == 1 && may_drop_copy(g, n, input);
    case NOOP_ZEROS: return is_zeros(g, &n->args[1]) && may_drop_copy(g, n, input);
    case NOOP_ASSERT: return n->users.count == 0;
    }
    return false;
}

fe_status pass_noop(fx_graph *g, bool *changed)
{
    for (fx_node *n = g->first, *next; n; n = next) {
        next = n->next;
        const noop_row *row = row_of(n);
        if (!row || !may_go(g, row, n)) continue;
        /* what read the copy's storage now reads the input's */
        fx_replace_uses(g, n, input_of(row, n));
        fx_erase(g, n);
        *changed = true;
    }
    return FE_OK;
}
