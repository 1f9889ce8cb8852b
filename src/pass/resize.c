/* resize.c -- resize_ and its kin as values.
 *
 * The result is a window on the argument's storage, from the argument's offset on. Where the storage
 * may be too small it grows: from there on its base is a row of elements, what was there and then
 * what nothing has written, and what was the base is a window on that. The sizes of an
 * input of the program stay what they are to the caller.
 */
#include "pass/functionalise.h"

static void window_args(functionaliser *f, const ty_tensor *t, fx_node *base, fx_arg *args)
{
    args[0] = fx_of(base);
    args[1] = fx_int_list(f->g, t->sizes, t->rank);
    args[2] = fx_int_list(f->g, t->strides, t->rank);
    args[3] = fx_expr(t->offset);
}

/* Elements from the storage's start that t reaches. */
static sym_expr reach(functionaliser *f, const ty_tensor *t)
{
    sym_table *s = f->g->symbols;
    return sym_floordiv(s, ty_storage_bytes(s, t), sym_int(s, ty_dtype_size(t->dtype)));
}

/* The base's storage as a row that is long enough for t. */
static fe_status grown_row(functionaliser *f, const alias *base, const ty_tensor *t, fx_node **out)
{
    sym_table *s = f->g->symbols;
    sym_expr had = reach(f, fx_tensor(base->node)), zero = sym_int(s, 0), one = sym_int(s, 1);
    sym_expr more = sym_max(s, sym_sub(s, reach(f, t), had), zero);
    fx_arg row[] = {fx_of(base->current), fx_int_list(f->g, &had, 1), fx_int_list(f->g, &one, 1),
                    fx_expr(zero)};
    FE_TRY(pass_emit(f->g, f->at, OP_aten_as_strided_default, f->at, 4, row, out));
    fx_node *rest;
    fx_arg made[] = {fx_of(*out), fx_int_list(f->g, &more, 1)};
    FE_TRY(pass_emit(f->g, f->at, OP_aten_new_empty_default, f->at, 2, made, &rest));
    fx_arg both[] = {fx_of(*out), fx_of(rest)}, joined = fx_list(f->g, both, 2);
    return pass_emit(f->g, f->at, OP_aten_cat_default, f->at, 1, &joined, out);
}

/* All that stands on the base then stands on the row, which the base is a window on. */
static uint32_t rebase(functionaliser *f, uint32_t base, fx_node *row)
{
    uint32_t made = functionalise_add_alias(f, row, NO_ALIAS);
    alias *was = &f->aliases.at[base], *now = &f->aliases.at[made];
    now->version = was->version;
    now->written = was->written;
    was->parent = made;
    was->is_window = true;
    for (uint32_t i = 1; i < f->aliases.count; i++)
        if (f->aliases.at[i].base == base) f->aliases.at[i].base = made;
    map_set(f->memory, &f->base_of_storage, fx_tensor(was->node)->storage, made);
    return made;
}

static fe_status refuse(functionaliser *f, const char *why)
{
    return fx_fail(f->g, f->at, "functionalise", FE_UNSUPPORTED, "resize a copy (x.clone())", "%s",
                   why);
}

bool functionalise_is_resize(const fx_node *n)
{
    return fx_is(n, OP_aten_resize__default) || fx_is(n, OP_aten_resize_as__default) ||
           fx_is(n, OP_aten_resize_default) || fx_is(n, OP_aten_resize_as_default);
}

/* Of resize and resize_as: a copy to resize. */
static fe_status copied(functionaliser *f, const fx_node *n, fx_node **out)
{
    fx_arg args[] = {fx_of(functionalise_current(f, n->args[0].node)), fx_none()};
    FE_TRY(f->status);
    FE_TRY(pass_emit(f->g, f->at, OP_aten_clone_default, n, 2, args, out));
    uint32_t base = functionalise_add_alias(f, *out, NO_ALIAS);
    map_set(f->memory, &f->base_of_storage, fx_tensor(n)->storage, base);
    return FE_OK;
}

fe_status functionalise_resize(functionaliser *f, fx_node *n)
{
    fx_node *self = n->args[0].node;
    if (!n->op->is_mutating) FE_TRY(copied(f, n, &self));
    const ty_tensor *out = fx_tensor(n);
    uint32_t base = f->aliases.at[map_get(&f->of_node, self->id)].base;
    const ty_tensor *had = fx_tensor(f->aliases.at[base].node);
    f->changed = true;
    if (had->dtype != out->dtype) return refuse(f, "a view as another dtype is resized");
    if (!sym_known_less_equal(f->g->symbols, reach(f, out), reach(f, had), NULL)) {
        fx_node *row;
        if (!sym_known_equal(f->g->symbols, had->offset, sym_int(f->g->symbols, 0)))
            return refuse(f, "memory that begins before its tensor is resized");
        FE_TRY(grown_row(f, &f->aliases.at[base], out, &row));
        base = rebase(f, base, row);
    }
    fx_arg args[4];
    window_args(f, out, f->aliases.at[base].current, args);
    fx_set_op(f->g, n, op_get(f->g->ops, OP_aten_as_strided_default), args, 4);
    uint32_t shown = functionalise_add_alias(f, n, base);
    f->aliases.at[shown].is_window = true;
    map_set(f->memory, &f->of_node, self->id, shown);
    return FE_OK;
}
