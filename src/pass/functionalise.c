/* functionalise.c -- in-place operators become functional ones; what they mutate is carried along
 * by value.
 *
 * Each storage has a base (the first value on it) and a version. A write through a view is turned
 * into a new value of the view, then of its parent (the inverse of the view operator, inverse.c),
 * up to the base, which keeps its layout. A later reader of any alias whose version is behind gets
 * that alias replayed from the base's current value. At the end the inputs that were written to
 * become outputs of kind *_MUTATION: the epilogue that copies them back. Method: functorch's
 * functionalisation, on an explicit graph.
 *
 * Laws. A1 A base's current value has the base's dtype, sizes and strides, so that every view of it
 * can be replayed. A2 It has memory of its own, or that of its base: what was two tensors does not
 * become one.
 */
#include "pass/functionalise.h"

#include <string.h>

static alias *alias_of(functionaliser *f, const fx_node *n)
{
    uint32_t i = map_get(&f->of_node, n->id);
    return i == MAP_NONE ? NULL : &f->aliases.at[i];
}

uint32_t functionalise_add_alias(functionaliser *f, fx_node *n, uint32_t parent)
{
    uint32_t index = f->aliases.count;
    uint32_t base = parent == NO_ALIAS ? index : f->aliases.at[parent].base;
    uint32_t version = parent == NO_ALIAS ? 0 : f->aliases.at[base].version;
    vec_push(f->memory, &f->aliases,
             (alias){.node = n, .parent = parent, .base = base, .current = n, .version = version});
    map_set(f->memory, &f->of_node, n->id, index);
    return index;
}

static uint32_t storage_number(const fx_node *n)
{
    const ty_tensor *t = fx_tensor(n);
    return t ? t->storage : 0;
}

/* ---- which value a view looks at ---- */

typedef struct parent_search {
    uint32_t storage;
    fx_node *found;
    functionaliser *functionaliser;
} parent_search;

static void find_parent(void *data, fx_node *a)
{
    parent_search *s = data;
    if (!s->found && storage_number(a) == s->storage) s->found = a;
}

/* A tuple of views (split, unbind) has no storage of its own: its items do. Where they stand on several,
 * as those of meshgrid, each is found by its own. */
static uint32_t tuple_storage(const fx_node *n)
{
    uint32_t storage = 0;
    for (uint32_t i = 0; n->value.kind == FX_TUPLE && i < n->value.count; i++) {
        const fx_value *item = &n->value.items[i];
        if (item->kind != FX_TENSOR || (storage && item->tensor->storage != storage)) return 0;
        storage = item->tensor->storage;
    }
    return storage;
}

/* An argument of a view when the view is made: what it shows stays as written, to be found again when
 * that is written; all else is what it is now. */
static fx_node *held(void *data, fx_node *n)
{
    const parent_search *s = data;
    bool shown = storage_number(n) == s->storage || tuple_storage(n) == s->storage;
    return shown ? n : functionalise_current(s->functionaliser, n);
}

/* A value of the program, before its arguments are replaced by current values: a base of its own,
 * or a view of one. */
void functionalise_register(functionaliser *f, fx_node *n)
{
    uint32_t storage = n->value.kind == FX_TUPLE ? tuple_storage(n) : storage_number(n);
    if (!storage) return;
    uint32_t base = map_get(&f->base_of_storage, storage);
    if (base == MAP_NONE) {
        if (n->value.kind == FX_TENSOR)
            map_set(f->memory, &f->base_of_storage, storage,
                    functionalise_add_alias(f, n, NO_ALIAS));
        functionalise_note_copy(f, n);
        return;
    }
    parent_search search = {storage, NULL, f};
    for (uint32_t i = 0; i < n->arg_count && n->kind == FX_CALL; i++)
        fx_arg_each_node(&n->args[i], find_parent, &search);
    if (!search.found && fx_is(n, OP_operator_getitem) && n->args[0].kind == FX_ARG_NODE &&
        alias_of(f, n->args[0].node))
        search.found = n->args[0].node; /* the tuple is registered as an alias itself */
    uint32_t parent = search.found ? map_get(&f->of_node, search.found->id) : MAP_NONE;
    uint32_t made = functionalise_add_alias(f, n, parent == MAP_NONE ? base : parent);
    bool changed = false;
    fx_arg *args = NEW_ARRAY(f->memory, fx_arg, n->arg_count + 1);
    for (uint32_t i = 0; i < n->arg_count; i++)
        args[i] = pass_map_arg(f->g, &n->args[i], held, &search, &changed);
    f->aliases.at[made].args = args;
    f->aliases.at[made].is_window = parent == MAP_NONE;
}

/* ---- reading ---- */

/* Was n, when the view was made of it, the alias `index`? (Resizing gives a node another alias.) */
static bool stands_for(functionaliser *f, const fx_node *n, uint32_t index)
{
    return f->aliases.at[index].node == n || map_get(&f->of_node, n->id) == index;
}

typedef struct replaying {
    functionaliser *f;
    uint32_t base, parent;
    fx_node *now; /* the parent's value */
} replaying;

/* What the view looks at, its parent or another view of the base, as it is now. */
static fx_node *shown_now(void *data, fx_node *n)
{
    const replaying *r = data;
    if (stands_for(r->f, n, r->parent)) return r->now;
    const alias *a = alias_of(r->f, n);
    return a && a->base == r->base ? functionalise_current(r->f, n) : n;
}

/* Are the elements that the alias shows those that lie there in the base, no more than moved? Conjugates
 * and negatives are others, and so are parts of complex numbers. */
static bool shows_elements(functionaliser *f, const alias *a)
{
    const ty_tensor *base = fx_tensor(f->aliases.at[a->base].node);
    for (; a->parent != NO_ALIAS; a = &f->aliases.at[a->parent]) {
        const ty_tensor *t = fx_tensor(a->node);
        if (t && t->dtype != base->dtype) return false;
        if (functionalise_changes_values(a->node)) return false;
    }
    return true;
}

static fe_status refuse_view(functionaliser *f, const fx_node *view)
{
    return fx_fail(f->g, view, "functionalise", FE_UNSUPPORTED,
                   "copy the tensor before writing to it (x = x.clone())",
                   "a write through this view cannot be turned into a value");
}

/* The view operator called again on its parent's current value. */
static fe_status replay(functionaliser *f, const alias *a, fx_node *parent, fx_node **out)
{
    const fx_node *view = a->node;
    const ty_tensor *t = fx_tensor(view);
    if (a->is_window || view->kind == FX_PLACEHOLDER) { /* two constants on one storage */
        if (!shows_elements(f, a)) return refuse_view(f, view);
        fx_arg args[] = {fx_of(parent), fx_int_list(f->g, t->sizes, t->rank),
                         fx_int_list(f->g, t->strides, t->rank), fx_expr(t->offset)};
        return pass_emit(f->g, f->at, OP_aten_as_strided_default, view, 4, args, out);
    }
    bool changed = false;
    replaying r = {f, a->base, a->parent, parent};
    fx_arg *args = NEW_ARRAY(f->memory, fx_arg, view->arg_count + 1);
    for (uint32_t i = 0; i < view->arg_count; i++)
        args[i] = pass_map_arg(f->g, &a->args[i], shown_now, &r, &changed);
    FE_TRY(f->status);
    return pass_call(f->g, f->at, view->op, view, args, view->arg_count, out);
}

/* The alias's value now, replayed from its parent when a write has come between. */
static fx_node *refreshed(functionaliser *f, uint32_t index)
{
    alias *a = &f->aliases.at[index];
    if (a->parent == NO_ALIAS || a->version == f->aliases.at[a->base].version) return a->current;
    fx_node *parent = refreshed(f, a->parent), *made = NULL;
    if (f->status == FE_OK) f->status = replay(f, a, parent, &made);
    if (f->status != FE_OK) return a->current;
    a->current = made;
    a->version = f->aliases.at[a->base].version;
    return made;
}

fx_node *functionalise_current(void *data, fx_node *n)
{
    functionaliser *f = data;
    uint32_t index = map_get(&f->of_node, n->id);
    return index == MAP_NONE ? n : refreshed(f, index);
}

/* The inputs that are returned as they are, by output; NULL elsewhere. */
static void note_returned(functionaliser *f, const fx_node *output)
{
    f->returned = NEW_ARRAY(f->memory, fx_node *, output->arg_count + 1);
    for (uint32_t k = 0; k < output->arg_count; k++) {
        const fx_arg *a = &output->args[k];
        const alias *shown = a->kind == FX_ARG_NODE ? alias_of(f, a->node) : NULL;
        if (shown && shown->parent == NO_ALIAS && shown->node->kind == FX_PLACEHOLDER &&
            shown->node->input_kind == FX_USER_INPUT)
            f->returned[k] = shown->node;
    }
}

/* A call that writes nothing: reads what its arguments are now, and may be a view. */
static fe_status read_call(functionaliser *f, fx_node *n)
{
    if (n->kind != FX_OUTPUT)
        functionalise_register(f, n);
    else
        note_returned(f, n);
    if (n->kind != FX_PLACEHOLDER) pass_map_args(f->g, n, functionalise_current, f);
    return f->status;
}

/* ---- where the program is cut ---- */

static void enter(functionaliser *f, const fx_node *n)
{
    uint32_t class_ = fx_class(n);
    if (n->kind != FX_CALL || class_ == FX_ANY_CLASS) return;
    f->stretch += f->class_ != class_;
    f->class_ = class_;
    map_set(f->memory, &f->stretch_of, n->id, f->stretch);
}

static uint32_t stretch_of(const functionaliser *f, const fx_node *n)
{
    uint32_t stretch = map_get(&f->stretch_of, n->id);
    return stretch == MAP_NONE ? 0 : stretch;
}

/* ---- writing ---- */

/* The value as one of each element that stands in several places of `like`, expanded. */
static fe_status shown_once(fx_graph *g, fx_node *before, const ty_tensor *like, fx_node *value,
                            fx_node **out)
{
    *out = value;
    for (uint32_t d = 0; d < like->rank; d++) {
        fx_arg args[] = {fx_of(*out), fx_int(g, d), fx_int(g, 0), fx_int(g, 1), fx_int(g, 1)};
        if (ty_is_repeated_along(g->symbols, like, d))
            FE_TRY(pass_emit(g, before, OP_aten_slice_Tensor, value, 5, args, out));
    }
    fx_arg args[] = {fx_of(*out), fx_int_list(g, like->sizes, like->rank)};
    return pass_emit(g, before, OP_aten_expand_default, value, 2, args, out);
}

/* Laws A1 and A2: a copy where the value is laid out otherwise, or is another tensor of the program.
 */
static fx_node *settled(functionaliser *f, uint32_t base, fx_node *value)
{
    uint32_t known = map_get(&f->base_of_storage, storage_number(value));
    const ty_tensor *want = fx_tensor(f->aliases.at[base].node);
    fx_node *made = value;
    bool is_other = known != MAP_NONE && known != base;
    if (is_other || !ty_known_same_layout(f->g->symbols, fx_tensor(value), want)) {
        bool is_once = ty_is_repeated(f->g->symbols, want);
        fx_arg args[] = {fx_of(f->aliases.at[base].current), fx_of(value), fx_bool(false)};
        if (!is_once)
            f->status = pass_emit(f->g, f->at, OP_aten_copy_default, f->at, 3, args, &made);
        else if (is_other)
            f->status = pass_emit(f->g, f->at, OP_aten_clone_default, f->at, 1, &args[1], &made);
        if (is_once && f->status == FE_OK) f->status = shown_once(f->g, f->at, want, made, &made);
    }
    if (f->status == FE_OK) map_set(f->memory, &f->base_of_storage, storage_number(made), base);
    return made;
}

/* Each dimension steps over all that those with smaller strides reach; false where that is not known. */
static bool steps_apart(const fx_graph *g, const ty_tensor *t)
{
    int64_t sizes[TY_MAX_RANK], strides[TY_MAX_RANK];
    double reach = 0;
    uint32_t count = 0;
    for (uint32_t d = 0; d < t->rank; d++) {
        if (!sym_is_int(g->symbols, t->sizes[d], &sizes[count]) ||
            !sym_is_int(g->symbols, t->strides[d], &strides[count]))
            return false;
        count += sizes[count] > 1;
    }
    for (; count > 0; count--) {
        uint32_t least = 0;
        for (uint32_t d = 1; d < count; d++)
            if (strides[d] < strides[least]) least = d;
        if ((double)strides[least] <= reach) return false;
        reach += (double)(sizes[least] - 1) * (double)strides[least];
        sizes[least] = sizes[count - 1];
        strides[least] = strides[count - 1];
    }
    return true;
}

/* May one element stand in several places of the alias, as expand(), unfold() and as_strided() make it? */
static bool may_meet(functionaliser *f, uint32_t index)
{
    const alias *a = &f->aliases.at[index];
    const ty_tensor *t = fx_tensor(a->node);
    if (!t) return false;
    if (ty_is_repeated(f->g->symbols, t)) return true;
    bool is_strided = false;
    for (; a->parent != NO_ALIAS; a = &f->aliases.at[a->parent])
        is_strided |=
            fx_is(a->node, OP_aten_unfold_default) || fx_is(a->node, OP_aten_as_strided_default);
    return is_strided && !steps_apart(f->g, t);
}

static void write_value(functionaliser *f, uint32_t index, fx_node *value)
{
    alias *a = &f->aliases.at[index];
    f->changed = true;
    if (f->stretch) map_set(f->memory, &f->stretch_of, value->id, f->stretch);
    if (a->parent == NO_ALIAS) {
        if (a->written && a->stretch != f->stretch)
            vec_push(f->memory, &f->versions, ((written_version){index, a->current}));
        functionalise_keep_apart(f, index);
        a->current = settled(f, index, value);
        a->version++;
        a->written = true;
        a->stretch = f->stretch;
        return;
    }
    const fx_node *view = a->node;
    uint32_t target = a->parent;
    /* an item of split or unbind: what was split is written */
    if (f->aliases.at[target].node->value.kind == FX_TUPLE) target = f->aliases.at[target].parent;
    bool by_strides = a->is_window || !functionalise_has_inverse(view) || may_meet(f, target);
    if (by_strides && !shows_elements(f, a)) {
        f->status = refuse_view(f, view);
        return;
    }
    if (by_strides) target = a->base;
    fx_node *parent = refreshed(f, target), *made = NULL;
    if (f->status == FE_OK)
        f->status = functionalise_inverse(f->g, f->at, view, parent, value, by_strides, &made);
    if (f->status == FE_OK) write_value(f, target, made);
}

void functionalise_write(functionaliser *f, const fx_node *written, fx_node *value)
{
    uint32_t index = map_get(&f->of_node, written->id);
    CHECK(f->g->session, index != MAP_NONE);
    if (f->status == FE_OK) write_value(f, index, value);
}

/* ---- in-place operators ---- */

static int written_param(const op_info *op)
{
    int found = -1;
    for (uint32_t i = 0; i < op->param_count; i++)
        if (op->params[i].is_written) {
            if (found >= 0) return -2;
            found = (int)i;
        }
    return found;
}

/* Gives `value` the dtype and sizes of what it overwrites. */
static fe_status fit_value(fx_graph *g, fx_node *before, const fx_node *like, const ty_tensor *to,
                           fx_node **value)
{
    const ty_tensor *t = fx_tensor(*value);
    if (t->dtype != to->dtype) {
        fx_arg args[] = {fx_of(*value), fx_dtype(to->dtype)};
        FE_TRY(pass_emit(g, before, OP_aten__to_copy_default, like, 2, args, value));
    }
    t = fx_tensor(*value);
    bool same = t->rank == to->rank;
    for (uint32_t d = 0; same && d < t->rank; d++) same = sym_same(t->sizes[d], to->sizes[d]);
    if (same) return FE_OK;
    fx_arg args[] = {fx_of(*value), fx_int_list(g, to->sizes, to->rank)};
    return pass_emit(g, before, OP_aten_expand_default, like, 2, args, value);
}

/* Two views of one base that show the same elements in the same order. */
static bool same_window(functionaliser *f, const alias *a, const alias *b)
{
    const ty_tensor *x = fx_tensor(a->node), *y = fx_tensor(b->node);
    return a->base == b->base && x && y && x->dtype == y->dtype && sym_same(x->offset, y->offset) &&
           ty_known_same_layout(f->g->symbols, x, y);
}

/* Calls that write nothing that the program can see; y[1:] += 1 ends in a copy of y[1:] onto itself.
 */
static bool writes_nothing(functionaliser *f, const fx_node *n)
{
    if (fx_is(n, OP_aten_detach__default) || fx_is(n, OP_aten_requires_grad__default)) return true;
    if (!fx_is(n, OP_aten_copy__default) || !fx_arg_tensor(&n->args[1])) return false;
    const alias *to = alias_of(f, n->args[0].node), *from = alias_of(f, n->args[1].node);
    return to && from && same_window(f, to, from);
}

/* Calls that give their argument other memory. */
static bool changes_memory(const fx_node *n)
{
    return fx_is(n, OP_aten_set__default) || fx_is(n, OP_aten_set__source_Tensor);
}

/* t_, squeeze_, ...: the same memory with other sizes and strides. */
static bool is_view(const op_info *op)
{
    return op->return_count == 1 && op->returns[0].alias != 0;
}

/* The call's arguments in the functional operator's order. */
static const fx_arg *functional_args(functionaliser *f, const fx_node *n, const op_info *functional)
{
    fx_arg *args = NEW_ARRAY(f->memory, fx_arg, functional->param_count + 1);
    for (uint32_t i = 0; i < functional->param_count; i++) {
        int same = op_param_index(n->op, functional->params[i].name);
        args[i] = n->args[same >= 0 ? (uint32_t)same : i];
    }
    return args;
}

/* The value that the call leaves in its argument `self`. */
static fe_status written_value(functionaliser *f, fx_node *n, const op_info *functional,
                               const ty_tensor *self, fx_node **value)
{
    pass_map_args(f->g, n, functionalise_current, f);
    FE_TRY(f->status);
    bool copies = fx_is(n, OP_aten_copy__default);
    if (copies && fx_arg_tensor(&n->args[1]) && f->stretch != stretch_of(f, n->args[1].node))
        FE_TRY(pass_emit(f->g, n, OP_aten_copy_default, n, 3, n->args, value));
    else if (copies && fx_arg_tensor(&n->args[1]))
        *value = n->args[1].node;
    else if (copies) /* a number */
        FE_TRY(pass_emit(f->g, n, OP_aten_fill_Scalar, n, 2, n->args, value));
    else
        FE_TRY(pass_call(f->g, n, functional, n, functional_args(f, n, functional),
                         functional->param_count, value));
    return fit_value(f->g, n, n, self, value);
}

static fe_status make_functional(functionaliser *f, fx_node *n)
{
    fx_graph *g = f->g;
    int self = written_param(n->op);
    if (self < 0 || n->args[self].kind != FX_ARG_NODE || n->value.kind == FX_TUPLE)
        return fx_fail(g, n, "functionalise", FE_UNSUPPORTED,
                       "rewrite the program without this in-place call",
                       "an operator that mutates several arguments, or an optional or list "
                       "argument, has no functional form yet");
    const op_info *functional = op_functional_of(g->ops, n->op);
    fx_node *target = n->args[self].node, *value = NULL;
    uint32_t written = map_get(&f->of_node, target->id);
    CHECK(g->session, written != MAP_NONE);
    bool writes = !writes_nothing(f, n);
    if ((!functional && writes) || changes_memory(n))
        return fx_fail(g, n, "functionalise", FE_UNSUPPORTED,
                       "rewrite the program without this in-place call",
                       "the in-place operator has no functional form");
    f->changed = true;
    if (functional && is_view(functional)) {
        fx_set_op(g, n, functional, n->args, functional->param_count);
        return read_call(f, n);
    }
    if (writes) {
        FE_TRY(written_value(f, n, functional, fx_tensor(f->aliases.at[written].node), &value));
        write_value(f, written, value);
    }
    /* the call returned its argument; readers are refreshed when their turn comes */
    fx_replace_uses(g, n, target);
    fx_erase(g, n);
    return f->status;
}

/* Writes to several arguments; what is made before n is registered like the rest. */
static fe_status make_several(functionaliser *f, fx_node *n)
{
    uint32_t count = n->arg_count;
    fx_arg *as_written = arena_copy(f->memory, n->args, count * sizeof *n->args);
    fx_node **values = NEW_ARRAY(f->memory, fx_node *, n->op->param_count + 1);
    bool is_replaced;
    f->changed = true;
    functionalise_returned(f->g, n);
    pass_map_args(f->g, n, functionalise_current, f);
    FE_TRY(f->status);
    fx_node *before = n->prev;
    FE_TRY(functionalise_several(f->g, n, values, &is_replaced));
    for (fx_node *made = before->next; made != n; made = made->next)
        functionalise_register(f, made);
    if (!is_replaced) functionalise_register(f, n);
    for (uint32_t i = 0; i < count; i++) {
        if (!values[i]) continue;
        functionalise_write(f, as_written[i].node, values[i]);
    }
    if (is_replaced) fx_erase(f->g, n);
    return f->status;
}

/* An operator of the user's that returns arguments, or views of them. */
static fe_status make_custom(functionaliser *f, fx_node *n, fx_node **next)
{
    uint32_t id = n->id;
    fx_node *before = n->prev;
    FE_TRY(functionalise_views(f->g, n, next));
    n = before ? before->next : f->g->first;
    return n->id == id ? functionalise_custom(f, n) : FE_OK;
}

/* ---- the graph ---- */

static fx_output_kind mutation_kind(const fx_node *input)
{
    if (input->input_kind == FX_PARAMETER) return FX_PARAMETER_MUTATION;
    return input->input_kind == FX_USER_INPUT ? FX_USER_INPUT_MUTATION : FX_BUFFER_MUTATION;
}

typedef struct epilogue {
    VEC(fx_arg) values;
    VEC(fx_output) kinds;
} epilogue;

static void write_back(functionaliser *f, epilogue *e, const fx_node *input, fx_node *value)
{
    bool is_user = input->input_kind == FX_USER_INPUT;
    vec_push(f->memory, &e->values, fx_of(value));
    vec_push(f->memory, &e->kinds,
             (fx_output){mutation_kind(input), is_user ? input->name : input->target});
}

/* Mutated inputs come first among the outputs, as in torch's own signature. What is returned of them is
 * the input itself. */
static void add_epilogue(functionaliser *f)
{
    fx_graph *g = f->g;
    epilogue e = {0};
    for (uint32_t i = 0; i < g->inputs.count; i++) {
        fx_node *input = g->inputs.at[i];
        const alias *a = alias_of(f, input);
        if (!a || !f->aliases.at[a->base].written) continue;
        /* it lasts from call to call */
        if (input->input_kind == FX_CONSTANT) input->input_kind = FX_BUFFER;
        for (uint32_t k = 0; k < f->versions.count; k++)
            if (f->versions.at[k].base == map_get(&f->of_node, input->id))
                write_back(f, &e, input, f->versions.at[k].value);
        write_back(f, &e, input, refreshed(f, map_get(&f->of_node, input->id)));
    }
    if (!e.values.count) return;
    for (uint32_t k = 0; k < g->output->arg_count; k++) {
        vec_push(f->memory, &e.values, g->output->args[k]);
        fx_output kind = g->outputs.at[k];
        fx_node *input = kind.kind == FX_USER_OUTPUT ? f->returned[k] : NULL;
        if (input && alias_of(f, input)->written) kind.target = input->name;
        vec_push(f->memory, &e.kinds, kind);
    }
    fx_set_output(g, e.values.at, e.kinds.at, e.values.count);
}

/* Does a call that writes see a part of the input, or it in another order? */
static bool is_written_in_part(const fx_graph *g, const fx_node *input)
{
    const ty_tensor *all = fx_tensor(input);
    for (const fx_node *n = g->first; n; n = n->next)
        for (uint32_t i = 0; n->kind == FX_CALL && n->op->is_mutating && i < n->arg_count; i++) {
            const ty_tensor *t = fx_arg_tensor(&n->args[i]);
            if (t && t->storage == all->storage && !ty_known_same_layout(g->symbols, t, all))
                return true;
        }
    return false;
}

/* An input whose elements stand in several places, and that is written to in one, is shown as one of each,
 * expanded: then it is so in all. */
static fe_status show_once(fx_graph *g, fx_node *input, bool *changed)
{
    const ty_tensor *t = fx_tensor(input);
    fx_node *before = input->next, *whole, *first;
    if (!t || !ty_is_repeated(g->symbols, t) || !is_written_in_part(g, input)) return FE_OK;
    while (before && before->kind == FX_PLACEHOLDER) before = before->next;
    FE_TRY(shown_once(g, before, t, input, &whole));
    for (first = whole; first->args[0].node != input;) first = first->args[0].node;
    fx_replace_uses(g, input, whole);
    fx_set_arg(first, 0, fx_of(input), g);
    *changed = true;
    return FE_OK;
}

fe_status pass_functionalise(fx_graph *g, bool *changed)
{
    arena *memory = arena_new(g->session);
    functionaliser f = {.g = g, .memory = memory};
    vec_push(memory, &f.aliases, (alias){0});
    for (uint32_t k = 0; k < g->inputs.count && f.status == FE_OK; k++)
        f.status = show_once(g, g->inputs.at[k], &f.changed);
    fx_renumber(g);
    for (fx_node *n = g->first, *next, *first; n && f.status == FE_OK; n = next) {
        next = n->next;
        f.at = n;
        enter(&f, n);
        f.status = functionalise_expand(g, n, &first);
        if (first) {
            next = first;
            f.changed = true;
        }
        if (first || f.status != FE_OK) continue;
        bool writes =
            n->kind == FX_CALL && n->op->is_mutating && !(n->op->flags & OPF_HIGHER_ORDER);
        if (functionalise_returns_alias(n)) {
            f.changed = true;
            f.status = make_custom(&f, n, &next);
            continue;
        }
        f.status = writes && n->op->custom          ? functionalise_custom(&f, n)
                   : functionalise_is_resize(n)     ? functionalise_resize(&f, n)
                   : functionalise_is_several(g, n) ? make_several(&f, n)
                   : writes                         ? make_functional(&f, n)
                                                    : read_call(&f, n);
    }
    if (f.status == FE_OK) add_epilogue(&f);
    g->is_functional = f.status == FE_OK;
    *changed = f.changed;
    arena_free(memory);
    return f.status;
}
