/* custom.c -- what a user's operator gives, by the shapes that it declares:
 *
 *     x[n, d], counts[e], k -> x[n, k], i64[n, k]
 *
 * Left: parameters by name, tensors with a name or a number for each dimension; a name stands for
 * the size where it comes first, and must fit where it comes again; x[n, d]{s, t} names the strides.
 * Right: for each returned tensor a dtype, or the parameter whose dtype it has, and its sizes; a view
 * of an argument has strides, and a place in it, if it is not row-major from its first element on:
 * x[d, n - 1]{t, s} + s; ? for a size that depends on data; (x[n], x[m]) for a list, `none` for an
 * optional one that is not there; int, bool, float for numbers, int(n + 1) where it is known. A
 * return that aliases a written argument is that argument; the functional form gives what aliases
 * nothing and then what each written argument becomes.
 */
#include "infer/infer_priv.h"

#include <string.h>

typedef struct shapes_reader {
    infer_call *c;
    lexer lx;
    uint32_t depth;          /* of the list that is read */
    VEC(const char *) names; /* interned; what each is in this call: */
    VEC(sym_expr) values;
    VEC(fx_value) results;
} shapes_reader;

/* The written parameter that return k aliases, or -1. */
static int written_param_of(const op_info *op, uint32_t k)
{
    for (uint32_t i = 0; i < op->param_count; i++)
        if (op->params[i].is_written && (op->params[i].alias & op->returns[k].alias)) return (int)i;
    return -1;
}

static sym_expr value_of(const shapes_reader *r, const char *name)
{
    for (uint32_t i = 0; i < r->names.count; i++)
        if (r->names.at[i] == name) return r->values.at[i];
    return (sym_expr){0};
}

static void bind(shapes_reader *r, const char *name, sym_expr value)
{
    sym_expr known = value_of(r, name);
    if (sym_is_none(known)) {
        vec_push(r->c->memory, &r->names, name);
        vec_push(r->c->memory, &r->values, value);
    } else if (!infer_may_equal(r->c, known, value)) {
        infer_fail(r->c, "the shapes that it declares want one size for %s", name);
    }
}

/* ---- expressions: + - * // % min max over names and numbers ---- */

static fe_status parse_sum(shapes_reader *r, sym_expr *out);

static fe_status parse_pair(shapes_reader *r, sym_op op, sym_expr *out)
{
    sym_expr a, b;
    FE_TRY(lex_expect(&r->lx, "("));
    FE_TRY(parse_sum(r, &a));
    FE_TRY(lex_expect(&r->lx, ","));
    FE_TRY(parse_sum(r, &b));
    *out = op == SYM_MIN ? sym_min(r->c->symbols, a, b) : sym_max(r->c->symbols, a, b);
    return lex_expect(&r->lx, ")");
}

static fe_status parse_operand(shapes_reader *r, sym_expr *out)
{
    const char *name;
    if (r->lx.token.kind == LEX_INT) {
        *out = infer_number(r->c, r->lx.token.integer);
        lex_next(&r->lx);
        return FE_OK;
    }
    if (lex_take(&r->lx, "(")) {
        FE_TRY(parse_sum(r, out));
        return lex_expect(&r->lx, ")");
    }
    if (lex_take(&r->lx, "min")) return parse_pair(r, SYM_MIN, out);
    if (lex_take(&r->lx, "max")) return parse_pair(r, SYM_MAX, out);
    FE_TRY(lex_name(&r->lx, &name));
    *out = value_of(r, name);
    return sym_is_none(*out) ? lex_fail(&r->lx, "%s is not on the left", name) : FE_OK;
}

static fe_status parse_product(shapes_reader *r, sym_expr *out)
{
    FE_TRY(parse_operand(r, out));
    for (;;) {
        sym_expr b;
        bool times = lex_take(&r->lx, "*"), divided = !times && lex_take(&r->lx, "//");
        if (!times && !divided && !lex_take(&r->lx, "%")) return FE_OK;
        FE_TRY(parse_operand(r, &b));
        if (!times && infer_is(r->c, b, 0)) return lex_fail(&r->lx, "a division by 0");
        *out = times     ? sym_mul(r->c->symbols, *out, b)
               : divided ? sym_floordiv(r->c->symbols, *out, b)
                         : sym_mod(r->c->symbols, *out, b);
    }
}

static fe_status parse_sum(shapes_reader *r, sym_expr *out)
{
    FE_TRY(parse_product(r, out));
    for (;;) {
        sym_expr b;
        bool minus = lex_is(&r->lx, "-");
        /* the lexer takes the minus of n -1 for the number's */
        bool joined = r->lx.token.kind == LEX_INT && r->lx.token.integer < 0;
        if (!joined && !minus && !lex_is(&r->lx, "+")) return FE_OK;
        if (!joined) lex_next(&r->lx);
        FE_TRY(parse_product(r, &b));
        *out = minus ? sym_sub(r->c->symbols, *out, b) : sym_add(r->c->symbols, *out, b);
    }
}

/* ---- the two sides ---- */

/* A name or a number for each of `count` sizes, or strides, up to the bracket. */
static fe_status parse_given_numbers(shapes_reader *r, const char *name, const ty_tensor *x,
                                     const sym_expr *numbers, const char *end)
{
    uint32_t d = 0;
    for (; !lex_is(&r->lx, end); d++) {
        if (d) FE_TRY(lex_expect(&r->lx, ","));
        const lex_token at = r->lx.token;
        if (at.kind != LEX_NAME && at.kind != LEX_INT)
            return lex_fail(&r->lx, "expected a name or a number for the dimension");
        lex_next(&r->lx);
        if (!x || d >= x->rank) continue;
        if (at.kind == LEX_NAME)
            bind(r, at.text, numbers[d]);
        else if (!infer_may_equal(r->c, numbers[d], infer_number(r->c, at.integer)))
            infer_fail(r->c, "%s is %s; its dimension %u must be %lld", name, infer_shape(r->c, x),
                       d, (long long)at.integer);
    }
    if (x && d != x->rank)
        infer_fail(r->c, "%s is %s; it must have %u dimensions", name, infer_shape(r->c, x), d);
    return lex_expect(&r->lx, end);
}

static fe_status parse_given_tensor(shapes_reader *r, const char *name, const ty_tensor *x)
{
    FE_TRY(lex_expect(&r->lx, "["));
    FE_TRY(parse_given_numbers(r, name, x, x ? x->sizes : NULL, "]"));
    if (!lex_take(&r->lx, "{")) return FE_OK;
    return parse_given_numbers(r, name, x, x ? x->strides : NULL, "}");
}

static fe_status parse_given(shapes_reader *r)
{
    const char *name;
    FE_TRY(lex_name(&r->lx, &name));
    if (op_param_index(r->c->op, name) < 0)
        return lex_fail(&r->lx, "%s is not a parameter of %s", name, r->c->op->name);
    if (lex_is(&r->lx, "[")) return parse_given_tensor(r, name, infer_tensor(r->c, name));
    bind(r, name, infer_expr(r->c, name, 0));
    return FE_OK;
}

/* Which of the call's items the next result is. */
static uint32_t next_item(const shapes_reader *r)
{
    const op_info *form = r->c->op->custom->mutating, *op = form ? form : r->c->op;
    uint32_t results = 0, items = 0;
    for (uint32_t k = 0; k < op->return_count; k++) {
        bool is_named = written_param_of(op, k) < 0;
        if (is_named && results == r->results.count) break;
        results += is_named;
        items += !form || !op_returns_alias(op, k);
    }
    return items;
}

/* A size that depends on data. */
static fe_status parse_unknown(shapes_reader *r, uint32_t dim, sym_expr *out)
{
    if (r->depth) return lex_fail(&r->lx, "a list says the sizes of its items");
    *out = infer_unbacked(r->c, next_item(r), dim);
    return FE_OK;
}

/* Sums for dimensions, up to the bracket. */
static fe_status parse_numbers(shapes_reader *r, sym_expr *out, uint32_t *count, const char *end)
{
    for (*count = 0; !lex_is(&r->lx, end); ++*count) {
        if (*count) FE_TRY(lex_expect(&r->lx, ","));
        if (*count == TY_MAX_RANK) return lex_fail(&r->lx, "too many dimensions");
        FE_TRY(lex_take(&r->lx, "?") ? parse_unknown(r, *count, &out[*count])
                                     : parse_sum(r, &out[*count]));
    }
    return lex_expect(&r->lx, end);
}

/* Of a view: how it lies in what it shows. */
static fe_status parse_layout(shapes_reader *r, ty_tensor *x)
{
    uint32_t rank;
    sym_expr strides[TY_MAX_RANK];
    if (lex_take(&r->lx, "{")) {
        FE_TRY(parse_numbers(r, strides, &rank, "}"));
        if (rank != x->rank) return lex_fail(&r->lx, "not a stride for each dimension");
        memcpy(x->strides, strides, rank * sizeof *strides);
    }
    return lex_take(&r->lx, "+") ? parse_sum(r, &x->offset) : FE_OK;
}

static fe_status parse_tensor(shapes_reader *r, const char *name, fx_value *out)
{
    ty_dtype dtype;
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank;
    const ty_tensor *like = op_param_index(r->c->op, name) < 0 ? NULL : infer_tensor(r->c, name);
    if (like)
        dtype = like->dtype;
    else if (!ty_dtype_parse(name, &dtype))
        return lex_fail(&r->lx, "%s is neither a dtype nor a tensor that is given", name);
    FE_TRY(lex_expect(&r->lx, "["));
    FE_TRY(parse_numbers(r, sizes, &rank, "]"));
    const ty_tensor *device = like;
    for (uint32_t i = 0; !device && i < r->c->node->arg_count; i++)
        device = fx_arg_tensor(&r->c->node->args[i]);
    ty_tensor here = {.device = TY_HOST};
    *out = (fx_value){.kind = FX_TENSOR,
                      .tensor = infer_fresh(r->c, device ? device : &here, dtype, rank, sizes)};
    return parse_layout(r, out->tensor);
}

static fe_status parse_result(shapes_reader *r, fx_value *out);

static fe_status parse_list(shapes_reader *r, fx_value *out)
{
    VEC(fx_value) items = {0};
    r->depth++;
    while (!lex_is(&r->lx, ")")) {
        fx_value item;
        if (items.count) FE_TRY(lex_expect(&r->lx, ","));
        FE_TRY(parse_result(r, &item));
        vec_push(r->c->memory, &items, item);
    }
    r->depth--;
    *out = (fx_value){.kind = FX_TUPLE, .items = items.at, .count = items.count};
    return lex_expect(&r->lx, ")");
}

static fe_status parse_result(shapes_reader *r, fx_value *out)
{
    static const struct {
        const char *name;
        fx_value_kind kind;
    } others[] = {{"none", FX_NO_VALUE}, {"int", FX_INT}, {"bool", FX_BOOL}, {"float", FX_FLOAT}};
    const char *name;
    if (lex_take(&r->lx, "(")) return parse_list(r, out);
    FE_TRY(lex_name(&r->lx, &name));
    for (size_t i = 0; i < COUNT_OF(others) && !lex_is(&r->lx, "["); i++) {
        if (strcmp(name, others[i].name) != 0) continue;
        *out = (fx_value){.kind = others[i].kind};
        if (out->kind != FX_INT || !lex_take(&r->lx, "(")) return FE_OK;
        FE_TRY(parse_sum(r, &out->expr));
        return lex_expect(&r->lx, ")");
    }
    return parse_tensor(r, name, out);
}

static fe_status parse_shapes(shapes_reader *r)
{
    for (bool first = true; !lex_is(&r->lx, "->"); first = false) {
        if (!first) FE_TRY(lex_expect(&r->lx, ","));
        FE_TRY(parse_given(r));
    }
    FE_TRY(lex_expect(&r->lx, "->"));
    while (r->lx.token.kind != LEX_END) {
        fx_value result;
        if (r->results.count) FE_TRY(lex_expect(&r->lx, ","));
        FE_TRY(parse_result(r, &result));
        vec_push(r->c->memory, &r->results, result);
    }
    return lex_finish(&r->lx);
}

/* ---- the value ---- */

static fx_value tensor_value(ty_tensor *x)
{
    return (fx_value){.kind = x ? FX_TENSOR : FX_NO_VALUE, .tensor = x};
}

static fx_value tuple_value(fx_value *items, uint32_t count)
{
    return (fx_value){.kind = FX_TUPLE, .items = items, .count = count};
}

static void push_written(shapes_reader *r, const fx_arg *a)
{
    const ty_tensor *x = a->kind == FX_ARG_NODE ? fx_arg_tensor(a) : NULL;
    if (x) vec_push(r->c->memory, &r->results, tensor_value(infer_in_place_of(r->c, x)));
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        push_written(r, &a->list.items[i]);
}

/* The functional form gives no views. */
static void drop_views(shapes_reader *r, const op_info *from)
{
    uint32_t read = 0, kept = 0;
    for (uint32_t k = 0; k < from->return_count && read < r->results.count; k++) {
        if (written_param_of(from, k) >= 0) continue; /* the row does not speak of it */
        if (!op_returns_alias(from, k)) r->results.at[kept++] = r->results.at[read];
        read++;
    }
    if (read) r->results.count = kept;
}

/* Of the functional form: tensors of a list that is all that is returned are items of their own. */
static void give_functional(shapes_reader *r)
{
    infer_call *c = r->c;
    const op_info *from = c->op->custom->mutating;
    drop_views(r, from);
    if (r->results.count == 1 && r->results.at[0].kind == FX_TUPLE) {
        fx_value list = r->results.at[0];
        r->results.count = 0;
        for (uint32_t k = 0; k < list.count; k++) vec_push(c->memory, &r->results, list.items[k]);
    }
    for (uint32_t i = 0; i < c->node->arg_count; i++)
        if (from->params[i].is_written) push_written(r, &c->node->args[i]);
    c->value = tuple_value(r->results.at, r->results.count);
}

/* The argument itself. */
static fx_value value_of_argument(infer_call *c, const fx_arg *a)
{
    if (a->kind != FX_ARG_LIST) return tensor_value(fx_arg_tensor(a));
    fx_value *items = NEW_ARRAY(c->memory, fx_value, a->list.count);
    for (uint32_t k = 0; k < a->list.count; k++) items[k] = value_of_argument(c, &a->list.items[k]);
    return tuple_value(items, a->list.count);
}

/* What is recorded for return k where that is another part of the written argument. */
static bool shows_part(const infer_call *c, uint32_t k, const fx_value *argument, fx_value *out)
{
    const fx_value *recorded = &c->recorded;
    bool is_item = c->op->return_count > 1;
    if (is_item && (recorded->kind != FX_TUPLE || k >= recorded->count)) return false;
    *out = is_item ? recorded->items[k] : *recorded;
    return out->kind == FX_TENSOR && argument->kind == FX_TENSOR &&
           out->tensor->storage == argument->tensor->storage &&
           !infer_same_value(c->graph, argument, out, NULL);
}

/* A view stands on the storage of what it shows; what is no view is row-major. */
static void place_view(infer_call *c, uint32_t k, uint32_t item, uint32_t count, fx_value *v)
{
    bool unclear;
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++)
        place_view(c, k, i, v->count, &v->items[i]);
    if (v->kind != FX_TENSOR) return;
    const fx_node *shown = infer_shown(c->node, k, item, count, &unclear);
    if (shown) {
        const ty_tensor *base = shown->value.tensor;
        v->tensor->offset = sym_add(c->symbols, v->tensor->offset, base->offset);
        v->tensor->storage = base->storage;
    } else if (!unclear &&
               (!ty_is_contiguous(c->symbols, v->tensor) || !infer_is(c, v->tensor->offset, 0))) {
        infer_fail(c, "its declared shapes give return %u a layout, and it is no view", k);
    }
}

/* Every return, aliases of written arguments among them. */
static void give_returns(shapes_reader *r)
{
    infer_call *c = r->c;
    const op_info *op = c->op;
    fx_value *items = NEW_ARRAY(c->memory, fx_value, op->return_count);
    uint32_t taken = 0, wanted = 0;
    bool is_list = op->return_count == 1 && op->returns[0].type.list;
    if (is_list && written_param_of(op, 0) < 0 &&
        (r->results.count != 1 || r->results.at[0].kind != FX_TUPLE)) {
        c->value = tuple_value(r->results.at, r->results.count); /* a bare list */
        place_view(c, 0, 0, 1, &c->value);
        return;
    }
    for (uint32_t k = 0; k < op->return_count; k++) {
        fx_value part;
        int written = written_param_of(op, k);
        wanted += written < 0;
        if (written >= 0) {
            items[k] = value_of_argument(c, &c->node->args[written]);
            if (shows_part(c, k, &items[k], &part)) items[k] = part;
        } else if (taken < r->results.count) {
            items[k] = r->results.at[taken++];
            place_view(c, k, 0, 1, &items[k]);
        }
    }
    if (wanted != r->results.count)
        infer_fail(c, "it returns %u values of its own, its declared shapes have %u", wanted,
                   r->results.count);
    else if (op->return_count == 1)
        c->value = items[0];
    else if (op->return_count > 1)
        c->value = tuple_value(items, op->return_count);
}

/* Integers that only the run knows are the symbols that the program has for them, or new ones. */
static void settle_numbers(infer_call *c, fx_value *now, const fx_value *recorded)
{
    bool same_kind = recorded && recorded->kind == now->kind;
    for (uint32_t i = 0; now->kind == FX_TUPLE && i < now->count; i++)
        settle_numbers(c, &now->items[i],
                       same_kind && i < recorded->count ? &recorded->items[i] : NULL);
    if ((now->kind == FX_INT || now->kind == FX_BOOL) && sym_is_none(now->expr))
        now->expr = same_kind ? recorded->expr : infer_new_number(c, now->kind);
    if (now->kind == FX_FLOAT && same_kind) *now = *recorded;
}

static void add_value(const infer_call *c, const fx_value *v, text *out)
{
    static const char *const names[] = {
        [FX_NO_VALUE] = "none", [FX_BOOL] = "bool", [FX_FLOAT] = "float", [FX_OPAQUE] = "object"};
    switch (v->kind) {
    case FX_TENSOR: text_add(out, infer_shape(c, v->tensor)); return;
    case FX_INT:
        text_add(out, "int ");
        if (!sym_is_none(v->expr)) sym_print(c->symbols, v->expr, out);
        return;
    case FX_TUPLE:
        text_char(out, '(');
        for (uint32_t i = 0; i < v->count; i++) {
            if (i) text_add(out, ", ");
            add_value(c, &v->items[i], out);
        }
        text_char(out, ')');
        return;
    default: text_add(out, names[v->kind]); return;
    }
}

/* The function writes what the shapes say, the rest of the program is made for what is recorded. */
static void compare_with_record(infer_call *c)
{
    const char *why;
    text both;
    if (c->status != FE_OK || !c->against_record || c->recorded.kind == FX_NO_VALUE ||
        infer_agrees_with_record(c->graph, &c->value, &c->recorded, &why))
        return;
    text_init(&both, c->memory);
    text_add(&both, "the shapes declared for it give ");
    add_value(c, &c->value, &both);
    text_add(&both, ", the program records ");
    add_value(c, &c->recorded, &both);
    c->status = fx_fail(c->graph, c->node, "infer", FE_MISMATCH,
                        "correct the shapes in the operator's row, or export the program again",
                        "%s (%s differ)", both.at, why);
}

bool infer_knows_custom(const op_info *op)
{
    const op_info *from = op->custom->mutating ? op->custom->mutating : op;
    if (op->custom->shapes) return true;
    for (uint32_t k = 0; k < from->return_count; k++)
        if (!from->returns[k].is_written) return false;
    return true;
}

void infer_custom(infer_call *c)
{
    shapes_reader r = {.c = c};
    const char *shapes = c->op->custom->shapes ? c->op->custom->shapes : "->";
    const char *stage = arena_printf(c->memory, "infer: the shapes of %s", c->op->name);
    lex_init(&r.lx, c->graph->session, stage, shapes, strlen(shapes));
    fe_status status = parse_shapes(&r);
    if (c->status == FE_OK) c->status = status;
    if (c->status != FE_OK) return;
    if (c->op->custom->mutating)
        give_functional(&r);
    else
        give_returns(&r);
    settle_numbers(c, &c->value, &c->recorded);
    infer_number_storages(c);
    compare_with_record(c);
}
