/* parse.c -- reads what print.c writes. Values are made by loop_make, unfolded, so that the text
 * comes back as it was. */
#include "loop/parse_priv.h"

/* ---- pieces ---- */

static fe_status parse_exprs(parsing *in, const char *open, const char *close, sym_expr **out,
                             uint32_t *count)
{
    VEC(sym_expr) list = {0};
    FE_TRY(lex_expect(in->lx, open));
    while (!lex_is(in->lx, close)) {
        if (list.count) FE_TRY(lex_expect(in->lx, ","));
        sym_expr e;
        FE_TRY(sym_parse(in->p->symbols, in->lx, &e));
        vec_push(in->p->memory, &list, e);
    }
    *out = list.at;
    *count = list.count;
    return lex_expect(in->lx, close);
}

fe_status loop_parse_origin(lexer *lx, uint32_t *out)
{
    int64_t origin;
    *out = UINT32_MAX;
    if (!lex_take(lx, "origin")) return FE_OK;
    FE_TRY(lex_int(lx, &origin));
    *out = (uint32_t)origin;
    return FE_OK;
}

fe_status loop_parse_again(lexer *lx, uint32_t *out)
{
    int64_t number = 0;
    if (lex_take(lx, "again")) FE_TRY(lex_int(lx, &number));
    *out = (uint32_t)number;
    return FE_OK;
}

/* [0, 63] */
static fe_status parse_range(parsing *in, const int64_t **out)
{
    int64_t *range = NEW_ARRAY(in->p->memory, int64_t, 2);
    *out = range;
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(lex_int(in->lx, &range[0]));
    FE_TRY(lex_expect(in->lx, ","));
    FE_TRY(lex_int(in->lx, &range[1]));
    return lex_expect(in->lx, "]");
}

fe_status loop_parse_buffer_name(parsing *in, loop_buffer_id *out)
{
    const char *name;
    if (in->lx->token.kind != LEX_BUFFER) return lex_fail(in->lx, "expected a buffer");
    *out = map_get(&in->buffers, MAP_KEY(in->lx->token.text));
    if (*out == MAP_NONE) return lex_fail(in->lx, "there is no such buffer");
    return lex_buffer(in->lx, &name);
}

static fe_status parse_view(parsing *in, loop_view *out)
{
    uint32_t strides;
    *out = (loop_view){.buffer = LOOP_NO_BUFFER, .offset = sym_int(in->p->symbols, 0)};
    if (lex_take(in->lx, "none")) return FE_OK;
    FE_TRY(loop_parse_buffer_name(in, &out->buffer));
    sym_expr *sizes, *steps;
    FE_TRY(parse_exprs(in, "[", "]", &sizes, &out->rank));
    FE_TRY(parse_exprs(in, "{", "}", &steps, &strides));
    out->sizes = sizes;
    out->strides = steps;
    if (strides != out->rank)
        return lex_fail(in->lx, "%u sizes but %u strides", out->rank, strides);
    if (lex_take(in->lx, "+")) FE_TRY(sym_parse(in->p->symbols, in->lx, &out->offset));
    out->dtype = in->p->buffers.at[out->buffer].dtype;
    return lex_take(in->lx, "as") ? ty_parse_dtype(in->lx, &out->dtype) : FE_OK;
}

static fe_status parse_views(parsing *in, loop_view **out, uint32_t *count)
{
    VEC(loop_view) list = {0};
    FE_TRY(lex_expect(in->lx, "("));
    while (!lex_is(in->lx, ")")) {
        loop_view v;
        if (list.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse_view(in, &v));
        vec_push(in->p->memory, &list, v);
    }
    *out = list.at;
    *count = list.count;
    return lex_expect(in->lx, ")");
}

/* ---- the other lines ---- */

/* makes [0 f32 key 3, ...] */
static fe_status parse_made(parsing *in, loop_callee *callee)
{
    VEC(loop_made) made = {0};
    if (!lex_take(in->lx, "makes")) return FE_OK;
    FE_TRY(lex_expect(in->lx, "["));
    while (!lex_take(in->lx, "]")) {
        loop_made one;
        int64_t result, key;
        const char *dtype;
        if (made.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(lex_int(in->lx, &result));
        FE_TRY(lex_name(in->lx, &dtype));
        if (!ty_dtype_parse(dtype, &one.dtype)) return lex_fail(in->lx, "%s is no dtype", dtype);
        FE_TRY(lex_expect(in->lx, "key"));
        FE_TRY(lex_int(in->lx, &key));
        one.result = (uint32_t)result;
        one.key = (uint32_t)key;
        vec_push(in->p->memory, &made, one);
    }
    callee->made = made.at;
    callee->made_count = made.count;
    return FE_OK;
}

static fe_status parse_callee(parsing *in, const loop_callee **out)
{
    VEC(const char *) strings = {0};
    *out = NULL;
    if (!lex_take(in->lx, "calls")) return FE_OK;
    loop_callee *callee = NEW(in->p->memory, loop_callee);
    FE_TRY(lex_string(in->lx, &callee->symbol));
    FE_TRY(lex_string(in->lx, &callee->arguments));
    callee->has_effect = lex_take(in->lx, "effect");
    if (lex_take(in->lx, "strings")) {
        FE_TRY(lex_expect(in->lx, "["));
        while (!lex_take(in->lx, "]")) {
            const char *one;
            if (strings.count) FE_TRY(lex_expect(in->lx, ","));
            FE_TRY(lex_string(in->lx, &one));
            vec_push(in->p->memory, &strings, one);
        }
    }
    callee->strings = strings.at;
    callee->string_count = strings.count;
    FE_TRY(parse_made(in, callee));
    *out = callee;
    return FE_OK;
}

fe_status loop_read_workspace(loop_reader *in, loop_op *op)
{
    loop_buffer_id workspace;
    if (!lex_take(in->lx, "workspace")) return FE_OK;
    FE_TRY(loop_parse_buffer_name(in, &workspace));
    loop_add_workspace(in->p, op, workspace);
    return FE_OK;
}

static fe_status parse_extern(parsing *in, loop_op *out)
{
    loop_op op = {.kind = LOOP_EXTERN};
    VEC(double) floats = {0};
    FE_TRY(lex_name(in->lx, &op.kernel));
    if (!loop_extern_known(op.kernel))
        return lex_fail(in->lx, "there is no extern kernel %s", op.kernel);
    FE_TRY(parse_views(in, &op.inputs, &op.input_count));
    FE_TRY(lex_expect(in->lx, "->"));
    FE_TRY(parse_views(in, &op.outputs, &op.output_count));
    FE_TRY(loop_read_workspace(in, &op));
    FE_TRY(lex_expect(in->lx, "ints"));
    FE_TRY(parse_exprs(in, "[", "]", &op.ints, &op.int_count));
    FE_TRY(lex_expect(in->lx, "floats"));
    FE_TRY(lex_expect(in->lx, "["));
    while (!lex_is(in->lx, "]")) {
        double number = 0;
        if (floats.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(lex_double(in->lx, &number));
        vec_push(in->p->memory, &floats, number);
    }
    FE_TRY(lex_expect(in->lx, "]"));
    op.floats = floats.at;
    op.float_count = floats.count;
    if (lex_take(in->lx, "text")) FE_TRY(lex_string(in->lx, &op.message));
    FE_TRY(parse_callee(in, &op.callee));
    FE_TRY(loop_parse_again(in->lx, &op.again));
    FE_TRY(loop_parse_origin(in->lx, &op.origin));
    *out = op;
    return FE_OK;
}

static fe_status parse_assert(parsing *in, loop_op *out)
{
    loop_op op = {.kind = LOOP_ASSERT};
    FE_TRY(sym_parse_relation(in->p->symbols, in->lx, &op.relation));
    FE_TRY(lex_string(in->lx, &op.message));
    FE_TRY(loop_parse_origin(in->lx, &op.origin));
    *out = op;
    return FE_OK;
}

/* define u0 = @count[]{} + 3; define u1 = min(u0, 4) */
static fe_status parse_define(parsing *in, loop_op *out)
{
    loop_op op = {.kind = LOOP_DEFINE};
    FE_TRY(sym_parse(in->p->symbols, in->lx, &op.symbol));
    if (sym_op_of(in->p->symbols, op.symbol) != SYM_SYMBOL)
        return lex_fail(in->lx, "expected a symbol");
    FE_TRY(lex_expect(in->lx, "="));
    if (in->lx->token.kind == LEX_BUFFER) {
        op.inputs = NEW(in->p->memory, loop_view);
        op.input_count = 1;
        FE_TRY(parse_view(in, op.inputs));
        if (op.inputs[0].rank != 0) return lex_fail(in->lx, "expected one element");
    } else
        FE_TRY(sym_parse(in->p->symbols, in->lx, &op.expr));
    FE_TRY(loop_parse_origin(in->lx, &op.origin));
    *out = op;
    return FE_OK;
}

static fe_status add_op(parsing *in, fe_status (*parse)(parsing *in, loop_op *out))
{
    loop_op op;
    FE_TRY(parse(in, &op));
    *loop_add_op(in->p, op.kind) = op;
    return FE_OK;
}

/* storage_of 0, start_of 0: of an input that stands before. */
static fe_status parse_taken(parsing *in, const char *word, loop_taken taken, loop_input *input)
{
    int64_t of;
    if (!lex_take(in->lx, word)) return FE_OK;
    FE_TRY(lex_int(in->lx, &of));
    if (of < 0 || of >= in->p->inputs.count || !in->p->inputs.at[of].is_tensor ||
        in->p->inputs.at[of].taken)
        return lex_fail(in->lx, "%s %lld: that is no tensor which the caller gives", word,
                        (long long)of);
    input->taken = taken;
    input->of = (uint32_t)of;
    return FE_OK;
}

static fe_status add_input(parsing *in, const loop_input *input)
{
    if (!input->taken && in->p->inputs.count && vec_last(&in->p->inputs).taken)
        return lex_fail(in->lx, "what is taken of inputs stands behind all of them");
    vec_push(in->p->memory, &in->p->inputs, *input);
    return FE_OK;
}

static fe_status parse_buffer(parsing *in, loop_buffer_kind kind)
{
    loop_input input = {.is_tensor = true};
    loop_buffer b = {.kind = kind, .device = {.index = -1}, .input = in->p->inputs.count};
    sym_expr *sizes, *strides;
    uint32_t stride_count;
    FE_TRY(lex_buffer(in->lx, &b.name));
    if (map_get(&in->buffers, MAP_KEY(b.name)) != MAP_NONE)
        return lex_fail(in->lx, "buffer @%s is there twice", b.name);
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(ty_parse_dtype(in->lx, &b.dtype));
    FE_TRY(parse_exprs(in, "[", "]", &sizes, &b.rank));
    FE_TRY(lex_expect(in->lx, "strides"));
    FE_TRY(parse_exprs(in, "[", "]", &strides, &stride_count));
    if (stride_count != b.rank)
        return lex_fail(in->lx, "%u sizes but %u strides", b.rank, stride_count);
    b.sizes = sizes;
    b.strides = strides;
    if (lex_take(in->lx, "elements")) FE_TRY(sym_parse(in->p->symbols, in->lx, &b.elements));
    FE_TRY(ty_parse_place(in->lx, &b.device));
    b.pinned = lex_take(in->lx, "pinned");
    b.donated = kind == LOOP_INPUT && lex_take(in->lx, "donated");
    b.mutated = kind == LOOP_INPUT && lex_take(in->lx, "mutated");
    if (kind == LOOP_INPUT) FE_TRY(parse_taken(in, "storage_of", LOOP_STORAGE_OF, &input));
    if (lex_take(in->lx, "packing")) FE_TRY(lex_name(in->lx, &b.packing));
    if (lex_take(in->lx, "values")) FE_TRY(parse_range(in, &b.range));
    FE_TRY(loop_parse_origin(in->lx, &b.origin));
    loop_buffer_id id = loop_add_buffer(in->p, b);
    map_set(in->p->memory, &in->buffers, MAP_KEY(b.name), id);
    input.name = b.name;
    input.buffer = id;
    return kind == LOOP_INPUT ? add_input(in, &input) : FE_OK;
}

static fe_status parse_scalar(parsing *in)
{
    loop_input input = {.buffer = LOOP_NO_BUFFER, .dtype = TY_NO_DTYPE};
    FE_TRY(lex_string(in->lx, &input.name));
    FE_TRY(lex_expect(in->lx, "="));
    if (in->lx->token.kind == LEX_STRING)
        FE_TRY(lex_string(in->lx, &input.string));
    else if (lex_take(in->lx, "float")) {
        input.dtype = TY_F64;
        FE_TRY(lex_double(in->lx, &input.number));
    } else if (!lex_take(in->lx, "none")) {
        input.dtype = lex_take(in->lx, "bool") ? TY_BOOL : TY_I64;
        FE_TRY(sym_parse(in->p->symbols, in->lx, &input.expr));
        FE_TRY(parse_taken(in, "start_of", LOOP_START_OF, &input));
    }
    return add_input(in, &input);
}

static fe_status parse_output(parsing *in)
{
    loop_output o = {.kind = LOOP_OUT_NONE};
    if (in->lx->token.kind == LEX_BUFFER) {
        o.kind = LOOP_OUT_TENSOR;
        FE_TRY(parse_view(in, &o.view));
    } else if (in->lx->token.kind == LEX_STRING) {
        o.kind = LOOP_OUT_STRING;
        FE_TRY(lex_string(in->lx, &o.string));
    } else if (lex_take(in->lx, "int") || lex_is(in->lx, "bool")) {
        o.kind = lex_take(in->lx, "bool") ? LOOP_OUT_BOOL : LOOP_OUT_INT;
        FE_TRY(sym_parse(in->p->symbols, in->lx, &o.expr));
    } else if (lex_take(in->lx, "float")) {
        o.kind = LOOP_OUT_FLOAT;
        FE_TRY(lex_double(in->lx, &o.number));
    } else {
        FE_TRY(lex_expect(in->lx, "none"));
    }
    vec_push(in->p->memory, &in->p->outputs, o);
    return FE_OK;
}

/* symbol s0 in [2, 64] hint 8 */
static fe_status parse_symbol(parsing *in)
{
    sym_expr symbol;
    int64_t least = SYM_NO_MIN, most = SYM_NO_MAX, hint;
    FE_TRY(sym_parse(in->p->symbols, in->lx, &symbol));
    FE_TRY(lex_expect(in->lx, "in"));
    FE_TRY(lex_expect(in->lx, "["));
    if (!lex_is(in->lx, ",")) FE_TRY(lex_int(in->lx, &least));
    FE_TRY(lex_expect(in->lx, ","));
    if (!lex_is(in->lx, "]")) FE_TRY(lex_int(in->lx, &most));
    if (sym_op_of(in->p->symbols, symbol) != SYM_SYMBOL)
        return lex_fail(in->lx, "expected a symbol");
    sym_set_range(in->p->symbols, symbol, least, most);
    FE_TRY(lex_expect(in->lx, "]"));
    if (!lex_take(in->lx, "hint")) return FE_OK;
    FE_TRY(lex_int(in->lx, &hint));
    sym_set_hint(in->p->symbols, symbol, hint);
    return FE_OK;
}

/* part @a in @b at 64 */
static fe_status parse_part(parsing *in)
{
    loop_buffer_id id;
    loop_part *part = NEW(in->p->memory, loop_part);
    FE_TRY(loop_parse_buffer_name(in, &id));
    FE_TRY(lex_expect(in->lx, "in"));
    FE_TRY(loop_parse_buffer_name(in, &part->whole));
    FE_TRY(lex_expect(in->lx, "at"));
    FE_TRY(sym_parse(in->p->symbols, in->lx, &part->at));
    in->p->buffers.at[id].part = part;
    return FE_OK;
}

static fe_status parse_line(parsing *in)
{
    for (int k = 0; k < LOOP_CONTROL_COUNT; k++) {
        loop_op op;
        if (!lex_take(in->lx, loop_control_name((loop_control)k))) continue;
        FE_TRY(loop_parse_control(in, in->lx, (loop_control)k, &op));
        FE_TRY(loop_parse_origin(in->lx, &op.origin));
        *loop_add_op(in->p, op.kind) = op;
        return FE_OK;
    }
    if (lex_take(in->lx, "input")) return parse_buffer(in, LOOP_INPUT);
    if (lex_take(in->lx, "const")) return parse_buffer(in, LOOP_CONSTANT);
    if (lex_take(in->lx, "temp")) return parse_buffer(in, LOOP_TEMP);
    if (lex_take(in->lx, "state")) return parse_buffer(in, LOOP_STATE);
    if (lex_take(in->lx, "part")) return parse_part(in);
    if (lex_take(in->lx, "symbol")) return parse_symbol(in);
    if (lex_take(in->lx, "scalar")) return parse_scalar(in);
    if (lex_take(in->lx, "nest")) return add_op(in, loop_parse_nest);
    if (lex_take(in->lx, "extern")) return add_op(in, parse_extern);
    if (lex_take(in->lx, "assert")) return add_op(in, parse_assert);
    if (lex_take(in->lx, "define")) return add_op(in, parse_define);
    if (lex_take(in->lx, "output")) return parse_output(in);
    return lex_fail(in->lx,
                    "expected input, const, temp, state, part, symbol, scalar, nest, extern, "
                    "define, assert, if, else, repeat, while, end, partition or output");
}

fe_status loop_parse_front(arena *memory, lexer *lx, const char *stop, loop_program **out)
{
    const char *name;
    FE_TRY(lex_expect(lx, "program"));
    FE_TRY(lex_name(lx, &name));
    parsing in = {.p = loop_program_new(lx->session, memory, sym_table_new(memory), name),
                  .lx = lx};
    while (lx->token.kind != LEX_END && !(stop && lex_is(lx, stop))) FE_TRY(parse_line(&in));
    *out = in.p;
    return FE_OK;
}

fe_status loop_parse(fe_session *s, arena *memory, const char *source, size_t length,
                     loop_program **out)
{
    lexer lx;
    lex_init(&lx, s, "loop", source, length);
    FE_TRY(loop_parse_front(memory, &lx, NULL, out));
    return lex_finish(&lx);
}

/* ---- parts, for texts that stand behind a program's ---- */

fe_status loop_read_mode(lexer *lx, loop_store_mode *out)
{
    *out = LOOP_SET;
    for (int k = 1; k < LOOP_MODE_COUNT && *out == LOOP_SET; k++)
        if (lex_take(lx, loop_store_mode_name((loop_store_mode)k))) *out = (loop_store_mode)k;
    return lex_expect(lx, "=");
}

loop_reduce loop_read_reduce(lexer *lx)
{
    for (int k = 1; k < LOOP_REDUCE_COUNT; k++)
        if (lex_take(lx, loop_reduce_name((loop_reduce)k))) return (loop_reduce)k;
    return LOOP_NO_REDUCE;
}

loop_reader *loop_reader_new(loop_program *p, lexer *lx)
{
    parsing *in = NEW(p->memory, parsing);
    *in = (parsing){.p = p, .lx = lx};
    for (loop_buffer_id id = 0; id < p->buffers.count; id++)
        map_set(p->memory, &in->buffers, MAP_KEY(p->buffers.at[id].name), id);
    return in;
}

loop_program *loop_reader_program(loop_reader *in)
{
    return in->p;
}

fe_status loop_read_buffer(loop_reader *in, loop_buffer_id *out)
{
    return loop_parse_buffer_name(in, out);
}

fe_status loop_read_exprs(loop_reader *in, sym_expr **out, uint32_t *count)
{
    return parse_exprs(in, "[", "]", out, count);
}

fe_status loop_read_callee(loop_reader *in, const loop_callee **out)
{
    return parse_callee(in, out);
}

fe_status loop_read_view(loop_reader *in, loop_view *out)
{
    return parse_view(in, out);
}

fe_status loop_read_op(loop_reader *in, loop_op *out)
{
    if (lex_take(in->lx, "nest")) return loop_parse_nest(in, out);
    if (lex_take(in->lx, "extern")) return parse_extern(in, out);
    if (lex_take(in->lx, "define")) return parse_define(in, out);
    FE_TRY(lex_expect(in->lx, "assert"));
    return parse_assert(in, out);
}
