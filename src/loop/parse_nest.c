/* loop_parse_nest.c -- nests: axes, values by number, indirect symbols, stores. */
#include "loop/parse_priv.h"

#include <string.h>

/* ---- values ---- */

static fe_status parse_value_name(parsing *in, loop_value *out)
{
    const char *name;
    if (in->lx->token.kind != LEX_VALUE) return lex_fail(in->lx, "expected a value");
    uint32_t id = map_get(&in->values, MAP_KEY(in->lx->token.text));
    if (id == MAP_NONE) return lex_fail(in->lx, "the value is not defined in this nest");
    out->id = id;
    return lex_value(in->lx, &name);
}

static void find_unnamed(void *data, sym_expr symbol)
{
    parsing *in = data;
    const char *name = sym_name(in->p->symbols, symbol); /* j0, j1, ... */
    if (name[0] != 'j' || !name[1] || name[1 + strspn(name + 1, "0123456789")]) return;
    for (uint32_t k = 0; k < in->named.count; k++)
        if (sym_same(in->named.at[k], symbol)) return;
    lex_fail(in->lx, "%s is not defined in this nest", name);
}

/* An expression with the text's indirect symbols turned into those of the program. */
static fe_status parse_index(parsing *in, sym_expr *out)
{
    FE_TRY(sym_parse(in->p->symbols, in->lx, out));
    sym_each_symbol(in->p->symbols, *out, find_unnamed, in);
    if (in->lx->bad) return FE_CORRUPT;
    if (in->named.count)
        *out = sym_substitute(in->p->symbols, *out, in->named.at, in->symbol.at, in->named.count);
    return FE_OK;
}

static fe_status parse_constant(parsing *in, loop_node *n)
{
    double first = 0, second = 0;
    int64_t integer = in->lx->token.kind == LEX_INT ? in->lx->token.integer : 0;
    FE_TRY(lex_double(in->lx, &first));
    if (!lex_is(in->lx, ":")) FE_TRY(lex_double(in->lx, &second));
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(ty_parse_dtype(in->lx, &n->dtype));
    if (ty_is_integral(n->dtype, true)) {
        n->integer = integer;
    } else {
        n->number[0] = first;
        n->number[1] = second;
    }
    return FE_OK;
}

static fe_status parse_load(parsing *in, loop_node *n)
{
    FE_TRY(ty_parse_dtype(in->lx, &n->dtype));
    FE_TRY(loop_parse_buffer_name(in, &n->buffer));
    if (n->dtype != in->p->buffers.at[n->buffer].dtype)
        return lex_fail(in->lx, "the buffer has another dtype");
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(parse_index(in, &n->index));
    return lex_expect(in->lx, "]");
}

static fe_status parse_operation(parsing *in, loop_node *n)
{
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        if (k) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse_value_name(in, &n->args[k]));
    }
    if (n->op == LOOP_INDEX) FE_TRY(parse_index(in, &n->index));
    if (n->op == LOOP_SYMFLOAT) {
        int64_t number;
        FE_TRY(lex_int(in->lx, &number));
        n->buffer = (uint32_t)number;
    }
    FE_TRY(lex_expect(in->lx, ":"));
    return ty_parse_dtype(in->lx, &n->dtype);
}

/* %3 = add %1, %2 : f32 */
static fe_status parse_value(parsing *in)
{
    loop_node n = {0};
    const char *name, *opcode;
    FE_TRY(lex_value(in->lx, &name));
    FE_TRY(lex_expect(in->lx, "="));
    if (in->lx->token.kind != LEX_NAME || !loop_opcode_parse(in->lx->token.text, &n.op))
        return lex_fail(in->lx, "expected an operation");
    FE_TRY(lex_name(in->lx, &opcode));
    if (n.op == LOOP_CONST)
        FE_TRY(parse_constant(in, &n));
    else if (n.op == LOOP_LOAD)
        FE_TRY(parse_load(in, &n));
    else
        FE_TRY(parse_operation(in, &n));
    map_set(in->p->memory, &in->values, MAP_KEY(name), loop_make(in->p, n).id);
    return FE_OK;
}

fe_status loop_read_dimension(lexer *lx, int32_t *out)
{
    int64_t dimension;
    *out = lex_take(lx, "divisor") ? LOOP_DIVISOR : LOOP_ELEMENTS;
    if (!lex_take(lx, "dim")) return FE_OK;
    FE_TRY(lex_int(lx, &dimension));
    *out = (int32_t)dimension;
    return dimension >= 0 && dimension < TY_MAX_RANK ? FE_OK : lex_fail(lx, "no such dimension");
}

/* < 100 dim 1 wraps origin 7; < 1 divisor */
static fe_status parse_bound(parsing *in, loop_bound *bound)
{
    FE_TRY(lex_expect(in->lx, "<"));
    FE_TRY(sym_parse(in->p->symbols, in->lx, &bound->size));
    FE_TRY(loop_read_dimension(in->lx, &bound->dimension));
    bound->wraps = lex_take(in->lx, "wraps");
    return loop_parse_origin(in->lx, &bound->origin);
}

/* j0 = indirect %0 < 100 */
static fe_status parse_indirect(parsing *in)
{
    const char *name;
    loop_value v;
    loop_bound bound;
    FE_TRY(lex_name(in->lx, &name));
    FE_TRY(lex_expect(in->lx, "="));
    FE_TRY(lex_expect(in->lx, "indirect"));
    FE_TRY(parse_value_name(in, &v));
    FE_TRY(parse_bound(in, &bound));
    if (loop_at(in->p, v)->dtype != TY_I64) return lex_fail(in->lx, "an index must be i64");
    sym_expr named = sym_symbol(in->p->symbols, name, SYM_INDIRECT, SYM_NO_MIN, SYM_NO_MAX);
    if (sym_kind_of(in->p->symbols, named) != SYM_INDIRECT)
        return lex_fail(in->lx, "%s is taken", name);
    vec_push(in->p->memory, &in->named, named);
    vec_push(in->p->memory, &in->symbol, loop_indirect_wrapped(in->p, v, bound, NULL));
    return FE_OK;
}

/* ---- nests ---- */

static fe_status parse_axes(parsing *in, char letter, sym_expr *extents, uint32_t *count)
{
    FE_TRY(lex_expect(in->lx, "["));
    for (*count = 0; !lex_is(in->lx, "]"); (*count)++) {
        char expected[8] = {letter};
        const char *name;
        if (*count == LOOP_MAX_AXES) return lex_fail(in->lx, "more than %d axes", LOOP_MAX_AXES);
        if (*count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(lex_name(in->lx, &name));
        expected[1] = (char)(*count < 10 ? '0' + *count : '1');
        if (*count >= 10) expected[2] = (char)('0' + *count - 10);
        if (strcmp(name, expected) != 0) return lex_fail(in->lx, "expected axis %s", expected);
        FE_TRY(lex_expect(in->lx, "<"));
        FE_TRY(sym_parse(in->p->symbols, in->lx, &extents[*count]));
    }
    return lex_expect(in->lx, "]");
}

static fe_status parse_store(parsing *in, loop_store *st)
{
    FE_TRY(loop_parse_buffer_name(in, &st->buffer));
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(parse_index(in, &st->index));
    FE_TRY(lex_expect(in->lx, "]"));
    FE_TRY(loop_read_mode(in->lx, &st->mode));
    st->scan = lex_take(in->lx, "scan");
    st->reduce = loop_read_reduce(in->lx);
    return parse_value_name(in, &st->value);
}

fe_status loop_parse_nest(parsing *in, loop_op *out)
{
    loop_op op = {.kind = LOOP_NEST};
    VEC(loop_store) stores = {0};
    in->values = (map){0};
    in->named.count = in->symbol.count = 0;
    FE_TRY(parse_axes(in, 'i', op.extents, &op.axes));
    if (lex_take(in->lx, "reduce")) FE_TRY(parse_axes(in, 'r', op.reduce_extents, &op.reduce_axes));
    FE_TRY(loop_parse_again(in->lx, &op.again));
    FE_TRY(loop_parse_origin(in->lx, &op.origin));
    FE_TRY(lex_expect(in->lx, "{"));
    while (!lex_is(in->lx, "}")) {
        if (in->lx->token.kind == LEX_VALUE) {
            FE_TRY(parse_value(in));
        } else if (in->lx->token.kind == LEX_NAME) {
            FE_TRY(parse_indirect(in));
        } else {
            loop_store st;
            FE_TRY(parse_store(in, &st));
            vec_push(in->p->memory, &stores, st);
        }
    }
    op.stores = stores.at;
    op.store_count = stores.count;
    *out = op;
    return lex_expect(in->lx, "}");
}
