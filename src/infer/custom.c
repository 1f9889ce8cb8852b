/* custom.c -- what a user's operator gives, by the shapes that it declares:
 *
 *     x[n, d], counts[e], k -> x[n, k], i64[n, k]
 *
 * Left: parameters by name, tensors with a name or a number for each dimension; a name stands for
 * the size where it comes first, and must fit where it comes again. Right: for each returned tensor
 * a dtype, or the parameter whose dtype it has, and its sizes. A return that aliases a written
 * argument is that argument; the functional form gives, last, what each written argument becomes.
 */
#include "infer/infer_priv.h"

#include <string.h>

typedef struct shapes_reader {
    infer_call *c;
    lexer lx;
    VEC(const char *) names; /* interned; what each is in this call: */
    VEC(sym_expr) values;
    VEC(ty_tensor *) results;
} shapes_reader;

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

static fe_status parse_given_tensor(shapes_reader *r, const char *name, const ty_tensor *x)
{
    uint32_t d = 0;
    FE_TRY(lex_expect(&r->lx, "["));
    for (; !lex_is(&r->lx, "]"); d++) {
        if (d) FE_TRY(lex_expect(&r->lx, ","));
        const lex_token at = r->lx.token;
        if (at.kind != LEX_NAME && at.kind != LEX_INT)
            return lex_fail(&r->lx, "expected a name or a number for the dimension");
        lex_next(&r->lx);
        if (!x || d >= x->rank) continue;
        if (at.kind == LEX_NAME)
            bind(r, at.text, x->sizes[d]);
        else if (!infer_may_equal(r->c, x->sizes[d], infer_number(r->c, at.integer)))
            infer_fail(r->c, "%s is %s; its dimension %u must be %lld", name, infer_shape(r->c, x),
                       d, (long long)at.integer);
    }
    if (x && d != x->rank)
        infer_fail(r->c, "%s is %s; it must have %u dimensions", name, infer_shape(r->c, x), d);
    return lex_expect(&r->lx, "]");
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

static fe_status parse_result(shapes_reader *r)
{
    const char *name;
    ty_dtype dtype;
    sym_expr sizes[TY_MAX_RANK];
    uint32_t rank = 0;
    FE_TRY(lex_name(&r->lx, &name));
    const ty_tensor *like = infer_tensor(r->c, name);
    if (like)
        dtype = like->dtype;
    else if (!ty_dtype_parse(name, &dtype))
        return lex_fail(&r->lx, "%s is neither a dtype nor a tensor that is given", name);
    FE_TRY(lex_expect(&r->lx, "["));
    for (; !lex_is(&r->lx, "]"); rank++) {
        if (rank) FE_TRY(lex_expect(&r->lx, ","));
        if (rank == TY_MAX_RANK) return lex_fail(&r->lx, "too many dimensions");
        FE_TRY(parse_sum(r, &sizes[rank]));
    }
    const ty_tensor *device = like;
    for (uint32_t i = 0; !device && i < r->c->node->arg_count; i++)
        device = fx_arg_tensor(&r->c->node->args[i]);
    vec_push(r->c->memory, &r->results, infer_fresh(r->c, device, dtype, rank, sizes));
    return lex_expect(&r->lx, "]");
}

static fe_status parse_shapes(shapes_reader *r)
{
    for (bool first = true; !lex_is(&r->lx, "->"); first = false) {
        if (!first) FE_TRY(lex_expect(&r->lx, ","));
        FE_TRY(parse_given(r));
    }
    FE_TRY(lex_expect(&r->lx, "->"));
    while (r->lx.token.kind != LEX_END) {
        if (r->results.count) FE_TRY(lex_expect(&r->lx, ","));
        FE_TRY(parse_result(r));
    }
    return lex_finish(&r->lx);
}

/* ---- the value ---- */

static void push_written(shapes_reader *r, const fx_arg *a)
{
    const ty_tensor *x = a->kind == FX_ARG_NODE ? fx_arg_tensor(a) : NULL;
    if (x) vec_push(r->c->memory, &r->results, infer_in_place_of(r->c, x));
    for (uint32_t i = 0; a->kind == FX_ARG_LIST && i < a->list.count; i++)
        push_written(r, &a->list.items[i]);
}

static ty_tensor *aliased(infer_call *c, const op_param *returned)
{
    for (uint32_t i = 0; i < c->op->param_count; i++)
        if (c->op->params[i].is_written && (c->op->params[i].alias & returned->alias))
            return fx_arg_tensor(&c->node->args[i]);
    return NULL;
}

/* Every return, aliases of written arguments among them. */
static void give_returns(shapes_reader *r)
{
    infer_call *c = r->c;
    const op_info *op = c->op;
    VEC(ty_tensor *) items = {0};
    uint32_t taken = 0;
    bool is_list = op->return_count == 1 && op->returns[0].type.list;
    for (uint32_t k = 0; k < op->return_count && !is_list; k++) {
        ty_tensor *x = op->returns[k].alias ? aliased(c, &op->returns[k]) : NULL;
        if (!x && taken < r->results.count) x = r->results.at[taken++];
        vec_push(c->memory, &items, x);
    }
    if (!is_list && (taken != r->results.count || (items.count && !items.at[items.count - 1])))
        infer_fail(c, "it returns %u tensors, its declared shapes have %u", op->return_count,
                   r->results.count);
    else if (is_list)
        infer_give_items(c, r->results.at, r->results.count);
    else if (op->return_count == 1)
        infer_give(c, items.at[0]);
    else if (op->return_count > 1)
        infer_give_items(c, items.at, items.count);
}

static void add_value(const infer_call *c, const fx_value *v, text *out)
{
    if (v->kind == FX_TENSOR) text_add(out, infer_shape(c, v->tensor));
    for (uint32_t i = 0; v->kind == FX_TUPLE && i < v->count; i++) {
        if (i) text_add(out, ", ");
        add_value(c, &v->items[i], out);
    }
}

/* The function writes what the shapes say, the rest of the program is made for what is recorded. */
static void compare_with_record(infer_call *c)
{
    const char *why;
    text both;
    if (c->status != FE_OK || !c->against_record || c->recorded.kind == FX_NO_VALUE ||
        infer_same_value(c->graph, &c->value, &c->recorded, &why))
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

void infer_custom(infer_call *c)
{
    shapes_reader r = {.c = c};
    const char *shapes = c->op->custom->shapes;
    const char *stage = arena_printf(c->memory, "infer: the shapes of %s", c->op->name);
    lex_init(&r.lx, c->graph->session, stage, shapes, strlen(shapes));
    fe_status status = parse_shapes(&r);
    if (c->status == FE_OK) c->status = status;
    if (c->status != FE_OK) return;
    if (c->op->custom->mutating) {
        for (uint32_t i = 0; i < c->node->arg_count; i++)
            if (c->op->custom->mutating->params[i].is_written) push_written(&r, &c->node->args[i]);
        infer_give_items(c, r.results.at, r.results.count);
    } else {
        give_returns(&r);
    }
    compare_with_record(c);
}
