/* custom.c -- operators of the user's: one extern call each, of the function that the operator's row
 * names, into memory that is planned like any other.
 *
 * A written argument is copied first and changed in the copy, which is what the functional form
 * returns for it. A functional operator with an out overload is a call of that.
 */
#include "lower/ragged.h"

#include <string.h>

/* What several arguments look at, at least one of which is written: they look at one copy. */
typedef struct shared_memory {
    uint32_t storage;
    loop_view copy;
    sym_expr offset; /* where the copy begins in the storage */
} shared_memory;

typedef struct argument_storage {
    uint32_t storage;
    bool is_written;
} argument_storage;

/* The call under way: what stands in the lists of the extern op. */
typedef struct custom_call {
    lowering *l;
    text arguments;
    VEC(loop_view) inputs, outputs;
    VEC(sym_expr) ints;
    VEC(double) floats;
    VEC(const char *) strings;
    VEC(lower_tensor) results;      /* of the node, in the order of its items */
    VEC(lower_tensor) written;      /* what they end with */
    VEC(loop_made) made;            /* results that the function makes memory for */
    VEC(shared_memory) shared;      /* by arguments */
    VEC(argument_storage) storages; /* of the tensors among the arguments, in order */
    uint32_t tensors_given;
} custom_call;

/* Is another item of the call in the same memory? Written arguments of one storage are. */
static bool shares_memory(lowering *l, const fx_node *call, lower_tensor t)
{
    const lower_result *r = &l->results[call->id];
    uint32_t count = 0;
    for (uint32_t k = 0; k < r->count; k++) {
        const lower_box *box = r->items[k].box;
        count += box && box->realised && t.box->realised && box->view.buffer == t.box->view.buffer;
    }
    return count > 1;
}

/* Does nothing but this call look at the memory of `n`, now or later? Then it is the call's to
 * change. Its box must be its own: some operators pass their operand's on. */
static bool is_sole_reader(lowering *l, const fx_node *n, lower_tensor t)
{
    const fx_node *maker = n;
    if (fx_is(n, OP_operator_getitem)) {
        maker = n->args[0].node;
        if (!maker->op->custom || shares_memory(l, maker, t)) return false;
        for (uint32_t k = 0; k < maker->users.count; k++) /* another getitem of the same item */
            if (maker->users.at[k] != n && l->results[maker->users.at[k]->id].present &&
                l->results[maker->users.at[k]->id].items[0].box == t.box)
                return false;
    }
    return n->kind == FX_CALL && t.box->realised && t.box->maker == maker && !t.map &&
           l->readers[n->id] == 1 && !l->shows[n->id] &&
           l->program->buffers.at[t.box->view.buffer].kind == LOOP_TEMP;
}

static void add_written(custom_call *c, const fx_node *n, lower_tensor given)
{
    lower_tensor copy = given;
    bool is_ours = is_sole_reader(c->l, n, given);
    if (!is_ours) copy = lower_copied(c->l, given, n->value.tensor->strides);
    loop_view view = lower_strided(c->l, copy);
    if (is_ours) copy = lower_viewed(c->l, view); /* what this call makes of it */
    vec_push(c->l->memory, &c->inputs, view);
    vec_push(c->l->memory, &c->outputs, view);
    vec_push(c->l->memory, &c->written, copy);
    map_set(c->l->memory, &c->l->extern_made, view.buffer, 1);
    text_char(&c->arguments, 'M');
}

static void add_storage(void *data, fx_node *n)
{
    custom_call *c = data;
    if (n->value.kind != FX_TENSOR) return;
    const fx_node *call = c->l->node;
    uint32_t storage = c->storages.count < call->storage_count ? call->storages[c->storages.count]
                                                               : n->value.tensor->storage;
    vec_push(c->l->memory, &c->storages, ((argument_storage){storage, false}));
}

/* Of the functional form of what writes to arguments: where each of these lies. */
static void list_storages(custom_call *c, const fx_node *n)
{
    const op_info *from = n->op->custom->mutating;
    for (uint32_t i = 0; from && i < from->param_count; i++) {
        uint32_t k = c->storages.count;
        fx_arg_each_node(&n->args[i], add_storage, c);
        for (; k < c->storages.count; k++)
            c->storages.at[k].is_written = from->params[i].is_written;
    }
}

/* Do several arguments look at the storage, and is one of them written? */
static bool is_shared(const custom_call *c, uint32_t storage)
{
    uint32_t all = 0, written = 0;
    for (uint32_t k = 0; storage && k < c->storages.count; k++) {
        if (c->storages.at[k].storage != storage) continue;
        all++;
        written += c->storages.at[k].is_written;
    }
    return all > 1 && written;
}

/* The copy of what n looks at. */
static fe_status share(custom_call *c, fx_node *n, uint32_t storage, shared_memory *out)
{
    lowering *l = c->l;
    for (uint32_t k = 0; k < c->shared.count; k++) {
        *out = c->shared.at[k];
        if (out->storage == storage) return FE_OK;
    }
    fx_node *base = lower_storage_base(n);
    if (l->results[base->id].count != 1 || !base->value.tensor ||
        base->value.tensor->dtype != n->value.tensor->dtype)
        return lower_fail(l, "arguments of it share memory in a way that is not known");
    lower_tensor copy = lower_copied(l, l->results[base->id].items[0], base->value.tensor->strides);
    *out = (shared_memory){storage, copy.box->view, base->value.tensor->offset};
    map_set(l->memory, &l->extern_made, out->copy.buffer, 1);
    vec_push(l->memory, &c->shared, *out);
    return FE_OK;
}

/* An argument whose memory others look at too, as they do where the program runs eagerly. */
static fe_status add_shared(custom_call *c, fx_node *n, uint32_t storage, bool is_written)
{
    lowering *l = c->l;
    const ty_tensor *t = n->value.tensor;
    shared_memory memory;
    FE_TRY(share(c, n, storage, &memory));
    sym_expr offset =
        sym_add(l->symbols, memory.copy.offset, sym_sub(l->symbols, t->offset, memory.offset));
    lower_tensor part = lower_on_strides(l, memory.copy, t->rank, t->sizes, t->strides, offset);
    loop_view view = lower_strided(l, part);
    vec_push(l->memory, &c->inputs, view);
    text_char(&c->arguments, is_written ? 'M' : 'T');
    if (!is_written) return FE_OK;
    vec_push(l->memory, &c->outputs, view);
    vec_push(l->memory, &c->written, part);
    return FE_OK;
}

static void add_int(custom_call *c, char letter, sym_expr e)
{
    vec_push(c->l->memory, &c->ints, e);
    text_char(&c->arguments, letter);
}

/* In the strides that PyTorch traced: a function may count on them. */
static loop_view laid_as_traced(const custom_call *c, const ty_tensor *t, lower_tensor given)
{
    loop_view view = lower_strided(c->l, given);
    if (lower_has_strides(c->l, &view, t) || lower_repeats(c->l, t)) return view;
    return lower_strided(c->l, lower_copied(c->l, given, t->strides));
}

static fe_status add_node(custom_call *c, const fx_arg *a, bool is_written)
{
    const fx_value *v = &a->node->value;
    if (v->kind == FX_TENSOR) {
        uint32_t at = c->tensors_given++;
        uint32_t storage = at < c->storages.count ? c->storages.at[at].storage : 0;
        if (is_shared(c, storage)) return add_shared(c, a->node, storage, is_written);
        lower_tensor given = lower_tensor_of(c->l, a);
        if (is_written) {
            add_written(c, a->node, given);
        } else {
            vec_push(c->l->memory, &c->inputs, laid_as_traced(c, v->tensor, given));
            text_char(&c->arguments, 'T');
        }
        return FE_OK;
    }
    if ((v->kind == FX_INT || v->kind == FX_BOOL) && !sym_is_none(v->expr)) {
        add_int(c, v->kind == FX_BOOL ? 'b' : 'i', v->expr);
        return FE_OK;
    }
    return lower_fail(c->l, "an argument of it is a number that only the run knows");
}

static fe_status add_argument(custom_call *c, const fx_arg *a, bool is_written)
{
    lowering *l = c->l;
    switch (a->kind) {
    case FX_ARG_NONE: text_char(&c->arguments, '-'); return FE_OK;
    case FX_ARG_NODE: return add_node(c, a, is_written);
    case FX_ARG_INT: add_int(c, 'i', a->expr); return FE_OK;
    case FX_ARG_BOOL: add_int(c, 'b', lower_const(l, a->boolean)); return FE_OK;
    case FX_ARG_DTYPE: add_int(c, 'i', lower_const(l, ty_dtype_number(a->dtype))); return FE_OK;
    case FX_ARG_LAYOUT: add_int(c, 'i', lower_const(l, a->layout)); return FE_OK;
    case FX_ARG_MEMORY_FORMAT: add_int(c, 'i', lower_const(l, a->memory_format)); return FE_OK;
    case FX_ARG_FLOAT:
        vec_push(l->memory, &c->floats, a->number);
        text_char(&c->arguments, 'f');
        return FE_OK;
    case FX_ARG_STRING:
        vec_push(l->memory, &c->strings, a->string);
        text_char(&c->arguments, 's');
        return FE_OK;
    case FX_ARG_DEVICE:
        vec_push(l->memory, &c->strings, ty_device_words[a->device.kind]);
        text_char(&c->arguments, 's');
        return FE_OK;
    case FX_ARG_LIST:
        text_char(&c->arguments, '[');
        for (uint32_t i = 0; i < a->list.count; i++)
            FE_TRY(add_argument(c, &a->list.items[i], is_written));
        text_char(&c->arguments, ']');
        return FE_OK;
    case FX_ARG_COMPLEX:
    case FX_ARG_GRAPH:
    case FX_ARG_OBJECT: break;
    }
    return lower_fail(l, "a custom operator cannot take an argument of this kind");
}

/* ---- what is returned ---- */

static void push_result(custom_call *c, lower_tensor t)
{
    if (!lower_absent(t)) map_set(c->l->memory, &c->l->extern_made, t.box->view.buffer, 1);
    vec_push(c->l->memory, &c->results, t);
}

/* Does a size of it depend on data, so that nobody knows it before the call? */
static bool is_open(lowering *l, const ty_tensor *t)
{
    for (uint32_t d = 0; d < t->rank; d++)
        if (lower_is_open(l, t->sizes[d])) return true;
    return false;
}

static bool has_open(lowering *l, const fx_value *v)
{
    for (uint32_t k = 0; v->kind == FX_TUPLE && k < v->count; k++)
        if (has_open(l, &v->items[k])) return true;
    return v->kind == FX_TENSOR && is_open(l, v->tensor);
}

/* What the function makes: here its sizes are told. */
static void make_sizes(custom_call *c, const ty_tensor *t)
{
    sym_expr rank = lower_const(c->l, t->rank);
    lower_tensor sizes = lower_temp_tensor(c->l, TY_I64, 1, &rank, NULL);
    vec_push(c->l->memory, &c->made,
             (loop_made){c->results.count, t->dtype, sizes.box->view.buffer});
    push_result(c, sizes);
}

/* Memory for a returned value, lists flattened: row-major, a number of rank 0, none for None. */
static fe_status make_result(custom_call *c, const fx_value *v)
{
    lowering *l = c->l;
    switch (v->kind) {
    case FX_TENSOR:
        if (is_open(l, v->tensor))
            make_sizes(c, v->tensor);
        else
            push_result(
                c, lower_temp_tensor(l, v->tensor->dtype, v->tensor->rank, v->tensor->sizes, NULL));
        return FE_OK;
    case FX_INT: push_result(c, lower_temp_tensor(l, TY_I64, 0, NULL, NULL)); return FE_OK;
    case FX_BOOL: push_result(c, lower_temp_tensor(l, TY_BOOL, 0, NULL, NULL)); return FE_OK;
    case FX_FLOAT: push_result(c, lower_temp_tensor(l, TY_F64, 0, NULL, NULL)); return FE_OK;
    case FX_NO_VALUE: push_result(c, (lower_tensor){0}); return FE_OK;
    case FX_TUPLE:
        for (uint32_t k = 0; k < v->count; k++) FE_TRY(make_result(c, &v->items[k]));
        return FE_OK;
    case FX_OPAQUE: break;
    }
    return lower_fail(l, "it returns an object");
}

static const loop_made *made_at(const custom_call *c, uint32_t result)
{
    for (uint32_t k = 0; k < c->made.count; k++)
        if (c->made.at[k].result == result) return &c->made.at[k];
    return NULL;
}

/* The sizes that the function has told give their values to the program's symbols, and then there is
 * memory for the elements. */
static void take_made(custom_call *c, const loop_made *made, const ty_tensor *t, lower_tensor *out)
{
    lowering *l = c->l;
    loop_view sizes = out->box->view;
    sym_expr key = lower_const(l, made->key);
    for (uint32_t d = 0; d < t->rank; d++)
        lower_define(l, t->sizes[d], lower_select(l, *out, 0, lower_const(l, d)));
    *out = lower_temp_tensor(l, t->dtype, t->rank, t->sizes, NULL);
    lower_extern(l, "take", 1, &sizes, out->box->view, 1, &(loop_int){"key", key}, 0, NULL);
}

/* What the program has of what was returned: numbers give their values to its symbols, tensors lie
 * as it records them. */
static void settle_results(custom_call *c, const fx_value *v, uint32_t *at)
{
    if (v->kind == FX_TUPLE) {
        for (uint32_t k = 0; k < v->count; k++) settle_results(c, &v->items[k], at);
        return;
    }
    const loop_made *by_function = made_at(c, *at);
    lower_tensor *made = &c->results.at[(*at)++];
    if (by_function) take_made(c, by_function, v->tensor, made);
    lower_define_number(c->l, v, *made);
    if (v->kind == FX_TENSOR && !ty_is_contiguous(c->l->symbols, v->tensor))
        *made = lower_copied(c->l, *made, v->tensor->strides);
}

static loop_view view_of(custom_call *c, lower_tensor t)
{
    return lower_absent(t) ? (loop_view){.buffer = LOOP_NO_BUFFER} : lower_strided(c->l, t);
}

/* The next results as an argument of the out overload. */
static void add_output(custom_call *c, const fx_value *v, uint32_t *at)
{
    if (v->kind == FX_TUPLE) {
        text_char(&c->arguments, '[');
        for (uint32_t k = 0; k < v->count; k++) add_output(c, &v->items[k], at);
        text_char(&c->arguments, ']');
        return;
    }
    lower_tensor made = c->results.at[(*at)++];
    text_char(&c->arguments, lower_absent(made) ? '-' : 'O');
    if (!lower_absent(made)) vec_push(c->l->memory, &c->outputs, view_of(c, made));
}

/* The value of return k: items of the node's, which for a single return is the value itself. */
static const fx_value *returned(const fx_node *n, uint32_t k)
{
    return n->op->return_count == 1 ? &n->value : &n->value.items[k];
}

/* In the order of the called operator's parameters; the outputs of an out overload are the node's
 * results, else these stand behind the arguments. */
static fe_status add_arguments(custom_call *c, const fx_node *n, const op_info *called)
{
    bool by_out = called->is_mutating && !n->op->custom->mutating;
    uint32_t given = 0, outputs = 0, at = 0;
    for (uint32_t i = 0; i < called->param_count; i++) {
        const op_param *p = &called->params[i];
        if (by_out && p->is_written)
            add_output(c, returned(n, outputs++), &at);
        else
            FE_TRY(add_argument(c, &n->args[given++], p->is_written));
    }
    for (uint32_t k = 0; !by_out && k < c->results.count; k++)
        vec_push(c->l->memory, &c->outputs, view_of(c, c->results.at[k]));
    return FE_OK;
}

static void add_op(custom_call *c, const fx_node *n, const op_info *called)
{
    lowering *l = c->l;
    loop_callee *callee = NEW(l->memory, loop_callee);
    *callee = (loop_callee){.symbol = called->custom->symbol,
                            .arguments = c->arguments.at,
                            .has_effect = n->op->flags & OPF_EFFECT,
                            .library = called->custom->library,
                            .strings = c->strings.at,
                            .string_count = c->strings.count,
                            .made = c->made.at,
                            .made_count = c->made.count};
    loop_op *op = loop_add_op(l->program, LOOP_EXTERN);
    op->kernel = intern(l->session, "custom");
    op->callee = callee;
    op->inputs = c->inputs.at;
    op->input_count = c->inputs.count;
    op->outputs = c->outputs.at;
    op->output_count = c->outputs.count;
    op->ints = c->ints.at;
    op->int_count = c->ints.count;
    op->floats = c->floats.at;
    op->float_count = c->floats.count;
    op->origin = lower_origin(l);
}

static uint32_t written_count(const fx_node *n)
{
    const op_info *from = n->op->custom->mutating;
    uint32_t count = 0;
    for (uint32_t i = 0; from && i < from->param_count; i++) {
        const fx_arg *a = &n->args[i];
        if (!from->params[i].is_written) continue;
        count += a->kind == FX_ARG_NODE;
        for (uint32_t k = 0; a->kind == FX_ARG_LIST && k < a->list.count; k++)
            count += a->list.items[k].kind == FX_ARG_NODE;
    }
    return count;
}

/* What the function returns by itself: of a functional form, not what written arguments become. */
static fx_value fresh_value(const fx_node *n)
{
    fx_value v = n->value;
    if (n->op->custom->mutating) v.count -= written_count(n);
    return v;
}

static fe_status add_call(custom_call *c, const fx_node *n, const op_info *called)
{
    fx_value fresh = fresh_value(n);
    uint32_t at = 0;
    bool returns = n->op->return_count > 0;
    if (returns) FE_TRY(make_result(c, &fresh));
    list_storages(c, n);
    FE_TRY(add_arguments(c, n, called));
    add_op(c, n, called);
    if (returns) settle_results(c, &fresh, &at);
    return FE_OK;
}

fe_status lower_custom(lowering *l, fx_node *n)
{
    const op_info *called = n->op->custom->mutating ? n->op->custom->mutating : n->op, *out;
    fx_value fresh = fresh_value(n);
    bool opens = n->op->return_count && has_open(l, &fresh);
    FE_TRY(op_out_variant(l->graph->ops, n->op, &out));
    if (out && !opens) called = out; /* nobody could give that the memory */
    if (out && opens && !called->custom->symbol)
        return lower_fail(l,
                          "its sizes depend on data, which an out overload cannot say: %s needs a "
                          "function of its own",
                          called->name);
    if (!called->custom->symbol)
        return lower_fail(l, "no library that was given has a function for %s", called->name);
    custom_call c = {.l = l};
    text_init(&c.arguments, l->memory);
    FE_TRY(add_call(&c, n, called));
    for (uint32_t k = 0; k < c.written.count; k++) vec_push(l->memory, &c.results, c.written.at[k]);
    if (n->value.kind == FX_NO_VALUE) return FE_OK;
    return n->value.kind == FX_TUPLE ? lower_give_items(l, c.results.at, c.results.count)
                                     : lower_give(l, c.results.at[0]);
}
