/* parse.c -- reads what print.c writes: kernels, one behind the other.
 *
 * Values keep the numbers that the text gives them. Constants have none there: they are kept apart
 * while a kernel is read, and numbered behind its last value at the end (settle).
 */
#include "kern/kern_priv.h"

#include <string.h>

enum {
    MOST_VALUES = 1 << 16,
    CONSTANT = 1 << 30, /* + index in parsing.constants, until the kernel is complete */
};

typedef struct parsing {
    lexer *lx;
    arena *memory;
    kern_ir *k;
    kern_loop *open[KERN_MOST_LEVELS];
    uint32_t depth;
    VEC(kern_value) constants;
} parsing;

/* ---- pieces ---- */

/* A name of that letter whose number is below `limit`, stepped over. */
static fe_status parse_numbered(parsing *in, char letter, uint32_t limit, const char *what,
                                uint32_t *number)
{
    const char *name;
    if (in->lx->token.kind != LEX_NAME || !kern_is_numbered(in->lx->token.text, letter, number))
        return lex_fail(in->lx, "expected %s", what);
    if (*number >= limit) return lex_fail(in->lx, "there is no such %s", what + 3);
    return lex_name(in->lx, &name);
}

/* The next one of its kind. */
static fe_status parse_next(parsing *in, char letter, uint32_t number)
{
    return lex_expect(in->lx, arena_printf(in->memory, "%c%u", letter, number));
}

static fe_status parse_limited(parsing *in, int64_t least, int64_t most, int64_t *out)
{
    int64_t value = in->lx->token.integer;
    if (in->lx->token.kind == LEX_INT && (value < least || value > most))
        return lex_fail(in->lx, "expected a number from %lld to %lld", (long long)least,
                        (long long)most);
    return lex_int(in->lx, out);
}

static fe_status parse_count(parsing *in, uint32_t most, uint32_t *out)
{
    int64_t value = 0;
    FE_TRY(parse_limited(in, 1, most, &value));
    *out = (uint32_t)value;
    return FE_OK;
}

/* f32, or f32x16 with the kernel's number of lanes. */
static fe_status parse_type(parsing *in, ty_dtype *dtype, bool *vector)
{
    const char *name = in->lx->token.text, *x = strchr(name, 'x');
    *vector = x != NULL;
    if (in->lx->token.kind != LEX_NAME || !x) return ty_parse_dtype(in->lx, dtype);
    const char *element = arena_printf(in->memory, "%.*s", (int)(x - name), name);
    const char *lanes = arena_printf(in->memory, "x%u", in->k->lanes);
    if (!ty_dtype_parse(element, dtype)) return lex_fail(in->lx, "expected a dtype");
    if (strcmp(x, lanes) != 0 || in->k->lanes == 1)
        return lex_fail(in->lx, "the kernel has %u lanes", in->k->lanes);
    return lex_name(in->lx, &name);
}

static bool is_defined(const parsing *in, kern_ref ref)
{
    return ref < in->k->values.count && in->k->values.at[ref].kind != KERN_NOTHING;
}

typedef struct symbol_search {
    const parsing *in;
    const char *unknown;
} symbol_search;

static void find_unknown(void *data, sym_expr symbol)
{
    symbol_search *search = data;
    const kern_ir *k = search->in->k;
    const char *name = sym_name(k->symbols, symbol);
    uint32_t number;
    bool known = sym_kind_of(k->symbols, symbol) == SYM_INDEX ||
                 (kern_is_numbered(name, 'p', &number) && number < k->params.count) ||
                 (kern_is_numbered(name, 'v', &number) && is_defined(search->in, number));
    if (!known) search->unknown = name;
}

/* An expression over axes, ints and values. */
static fe_status parse_index(parsing *in, sym_expr *out)
{
    symbol_search search = {in, NULL};
    lex_token begin = in->lx->token;
    FE_TRY(sym_parse(in->k->symbols, in->lx, out));
    sym_each_symbol(in->k->symbols, *out, find_unknown, &search);
    if (!search.unknown) return FE_OK;
    in->lx->token = begin;
    return lex_fail(in->lx, "%s is neither an axis nor an int nor a value here", search.unknown);
}

/* [e, e] */
static fe_status parse_list(parsing *in, fe_status (*parse)(parsing *, sym_expr *),
                            void (*add)(parsing *, sym_expr))
{
    FE_TRY(lex_expect(in->lx, "["));
    for (bool first = true; !lex_is(in->lx, "]"); first = false) {
        sym_expr e;
        if (!first) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse(in, &e));
        add(in, e);
    }
    return lex_expect(in->lx, "]");
}

/* b0[index], t1[index] */
static fe_status parse_place(parsing *in, uint32_t *memory, sym_expr *index)
{
    const kern_ir *k = in->k;
    uint32_t number;
    bool is_tile = in->lx->token.text[0] == 't';
    FE_TRY(is_tile ? parse_numbered(in, 't', k->tile_count, "a tile", &number)
                   : parse_numbered(in, 'b', k->buffer_count, "a buffer", &number));
    for (uint32_t i = 0; i < k->memories.count; i++)
        if (k->memories.at[i].is_tile == is_tile && k->memories.at[i].number == number) *memory = i;
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(parse_index(in, index));
    return lex_expect(in->lx, "]");
}

static fe_status parse_constant(parsing *in, kern_value *v)
{
    if (ty_is_integral(v->dtype, true)) return lex_int(in->lx, &v->integer);
    FE_TRY(lex_double(in->lx, &v->number[0]));
    if (!ty_is_complex(v->dtype)) return FE_OK;
    FE_TRY(lex_expect(in->lx, ":"));
    return lex_double(in->lx, &v->number[1]);
}

/* v3, 0.5, or f32 0.5 in a line of another dtype. */
static fe_status parse_operand(parsing *in, ty_dtype line, bool vector, kern_ref *out)
{
    kern_value v = {.kind = KERN_CONST, .dtype = line, .vector = vector};
    const lex_token *token = &in->lx->token;
    if (token->kind == LEX_NAME && kern_is_numbered(token->text, 'v', out)) {
        if (!is_defined(in, *out)) return lex_fail(in->lx, "the value is not defined");
        lex_next(in->lx);
        return FE_OK;
    }
    if (token->kind == LEX_NAME) FE_TRY(ty_parse_dtype(in->lx, &v.dtype));
    FE_TRY(parse_constant(in, &v));
    *out = CONSTANT + in->constants.count;
    vec_push(in->memory, &in->constants, v);
    return FE_OK;
}

/* ---- values ---- */

static fe_status parse_access(parsing *in, kern_value *v)
{
    v->access = v->vector ? KERN_UNIT : KERN_ONE;
    v->pairs = v->kind == KERN_LOAD && lex_take(in->lx, "pairs");
    if (!v->pairs && !lex_take(in->lx, "lanes")) return FE_OK;
    if (!v->vector) return lex_fail(in->lx, "a scalar has no lanes");
    v->access = KERN_LANES;
    return FE_OK;
}

static fe_status parse_load(parsing *in, kern_value *v)
{
    FE_TRY(parse_access(in, v));
    FE_TRY(parse_place(in, &v->memory, &v->index));
    if (!lex_take(in->lx, "if")) return FE_OK;
    return parse_operand(in, v->dtype, false, &v->guard);
}

static fe_status parse_apply(parsing *in, kern_value *v)
{
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++) {
        bool is_condition = v->op == LOOP_WHERE && i == 0;
        if (i) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse_operand(in, v->dtype, v->vector && !is_condition, &v->args[i]));
    }
    return FE_OK;
}

static fe_status parse_expression(parsing *in, kern_value *v)
{
    const char *name = in->lx->token.text;
    bool is_load = lex_take(in->lx, "load"), is_index = !is_load && lex_take(in->lx, "index");
    v->kind = is_load ? KERN_LOAD : is_index ? KERN_NUMBER : KERN_APPLY;
    if (is_load) return parse_load(in, v);
    if (is_index) {
        FE_TRY(parse_access(in, v));
        return parse_index(in, &v->index);
    }
    if (lex_take(in->lx, "splat")) {
        v->kind = KERN_SPLAT;
        return parse_operand(in, v->dtype, false, &v->args[0]);
    }
    if (lex_take(in->lx, "result")) {
        v->kind = KERN_RESULT;
        return parse_numbered(in, 'a', in->k->sums.count, "an accumulator", &v->sum);
    }
    bool known = in->lx->token.kind == LEX_NAME && loop_opcode_parse(name, &v->op) &&
                 loop_operand_count(v->op) > 0 && v->op != LOOP_MASKED;
    if (!known) return lex_fail(in->lx, "expected an operation");
    lex_next(in->lx);
    return parse_apply(in, v);
}

static void add_item(parsing *in, kern_item item)
{
    vec_push(in->memory, &in->open[in->depth]->items, item);
}

/* v3 : f32x16 = add v1, v2 */
static fe_status parse_define(parsing *in)
{
    kern_value v = {.level = in->depth};
    kern_ref ref;
    bool fresh = kern_is_numbered(in->lx->token.text, 'v', &ref) && !is_defined(in, ref);
    if (!fresh) return lex_fail(in->lx, "the value is defined twice");
    FE_TRY(parse_numbered(in, 'v', MOST_VALUES, "a value", &ref));
    if (ref == 0) return lex_fail(in->lx, "values are numbered from 1");
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(parse_type(in, &v.dtype, &v.vector));
    FE_TRY(lex_expect(in->lx, "="));
    FE_TRY(parse_expression(in, &v));
    while (in->k->values.count <= ref) vec_push(in->memory, &in->k->values, (kern_value){0});
    in->k->values.at[ref] = v;
    (void)kern_value_symbol(in->k, ref); /* before an index names it */
    add_item(in, (kern_item){.kind = KERN_DEFINE, .value = ref});
    return FE_OK;
}

/* ---- stores, accumulators ---- */

/* store lanes b1[p0*i0 + v2] : f32x16 add= v3 */
static fe_status parse_store(parsing *in)
{
    kern_store st = {0};
    ty_dtype dtype;
    bool vector;
    st.whole = lex_take(in->lx, "whole");
    bool lanes = lex_take(in->lx, "lanes");
    FE_TRY(parse_place(in, &st.memory, &st.index));
    FE_TRY(lex_expect(in->lx, ":"));
    if (in->lx->token.kind == LEX_NAME && lanes && !strchr(in->lx->token.text, 'x'))
        return lex_fail(in->lx, "a scalar has no lanes");
    FE_TRY(parse_type(in, &dtype, &vector));
    if (dtype != in->k->memories.at[st.memory].dtype)
        return lex_fail(in->lx, "the memory is of %s",
                        ty_dtype_name(in->k->memories.at[st.memory].dtype));
    st.access = lanes ? KERN_LANES : vector ? KERN_UNIT : KERN_ONE;
    FE_TRY(loop_read_mode(in->lx, &st.mode));
    FE_TRY(parse_operand(in, dtype, vector, &st.value));
    add_item(in, (kern_item){.kind = KERN_STORE, .store = st});
    return FE_OK;
}

/* acc a0 : f32x16 sum copies 4 compensated */
static fe_status parse_start(parsing *in)
{
    kern_sum sum = {.place = TY_I64, .copies = 1};
    FE_TRY(parse_next(in, 'a', in->k->sums.count));
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(parse_type(in, &sum.dtype, &sum.vector));
    sum.reduce = loop_read_reduce(in->lx);
    if (!sum.reduce) return lex_fail(in->lx, "expected a reduction");
    if (kern_is_arg(sum.reduce)) {
        FE_TRY(lex_expect(in->lx, "places"));
        FE_TRY(ty_parse_dtype(in->lx, &sum.place));
    }
    if (lex_take(in->lx, "copies")) FE_TRY(parse_count(in, KERN_MOST_COPIES, &sum.copies));
    sum.blocked = lex_take(in->lx, "compensated");
    sum.across = sum.vector && !in->k->outer_vector;
    add_item(in, (kern_item){.kind = KERN_START, .sum = in->k->sums.count});
    vec_push(in->memory, &in->k->sums, sum);
    return FE_OK;
}

/* a0 += v1 at r0 */
static fe_status parse_update(parsing *in)
{
    kern_item item = {.kind = KERN_UPDATE};
    FE_TRY(parse_numbered(in, 'a', in->k->sums.count, "an accumulator", &item.sum));
    FE_TRY(lex_expect(in->lx, "+"));
    FE_TRY(lex_expect(in->lx, "="));
    const kern_sum *sum = &in->k->sums.at[item.sum];
    FE_TRY(parse_operand(in, sum->dtype, sum->vector, &item.value));
    if (kern_is_arg(sum->reduce)) {
        FE_TRY(lex_expect(in->lx, "at"));
        FE_TRY(parse_index(in, &item.flat));
    }
    add_item(in, item);
    return FE_OK;
}

/* ---- loops ---- */

static fe_status parse_items(parsing *in);

static fe_status parse_axis(parsing *in, sym_expr *out)
{
    const char *name = in->lx->token.text;
    uint32_t number;
    if (in->lx->token.kind != LEX_NAME ||
        (!kern_is_numbered(name, 'i', &number) && !kern_is_numbered(name, 'r', &number)))
        return lex_fail(in->lx, "expected an axis");
    *out = sym_symbol(in->k->symbols, name, SYM_INDEX, 0, SYM_NO_MAX);
    return lex_name(in->lx, &name);
}

/* { lines } */
static fe_status parse_body(parsing *in, kern_loop *loop)
{
    if (in->depth + 1 == KERN_MOST_LEVELS) return lex_fail(in->lx, "loops are nested too deeply");
    FE_TRY(lex_expect(in->lx, "{"));
    in->open[++in->depth] = loop;
    loop->level = in->depth;
    FE_TRY(parse_items(in));
    in->depth--;
    add_item(in, (kern_item){.kind = KERN_LOOP, .loop = loop});
    return lex_expect(in->lx, "}");
}

static kern_loop *loop_new(parsing *in, kern_loop_kind kind)
{
    kern_loop *loop = NEW(in->memory, kern_loop);
    loop->kind = kind;
    loop->unroll = 1;
    return loop;
}

/* rows vector (i0, i1 < p0) unroll 4 serial of p1 { */
static fe_status parse_rows(parsing *in)
{
    kern_ir *k = in->k;
    kern_loop *loop = loop_new(in, KERN_ROWS);
    for (uint32_t i = 0; i < k->body->items.count; i++)
        if (k->body->items.at[i].kind == KERN_LOOP) return lex_fail(in->lx, "rows are there twice");
    if (in->depth) return lex_fail(in->lx, "rows are the outermost loop");
    k->outer_vector = lex_take(in->lx, "vector");
    FE_TRY(lex_expect(in->lx, "("));
    for (k->outer = 0; !lex_is(in->lx, ")"); k->outer++) {
        if (k->outer == LOOP_MAX_AXES) return lex_fail(in->lx, "more than %d axes", LOOP_MAX_AXES);
        if (k->outer) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse_axis(in, &k->axes[k->outer]));
        if (lex_take(in->lx, "<")) FE_TRY(parse_index(in, &k->extents[k->outer]));
    }
    FE_TRY(lex_expect(in->lx, ")"));
    if (lex_take(in->lx, "unroll")) FE_TRY(parse_count(in, KERN_MOST_COPIES, &loop->unroll));
    k->serial = lex_take(in->lx, "serial");
    if (k->serial) {
        FE_TRY(lex_expect(in->lx, "of"));
        FE_TRY(parse_index(in, &k->total));
    }
    return parse_body(in, loop);
}

static fe_status parse_drains(parsing *in, kern_loop *loop)
{
    do {
        uint32_t sum;
        FE_TRY(parse_numbered(in, 'a', in->k->sums.count, "an accumulator", &sum));
        vec_push(in->memory, &loop->drains, sum);
    } while (lex_take(in->lx, ","));
    return FE_OK;
}

/* vector r0 < p0 exact unroll 4 blocks of 8192 drain a0, a1 { */
static fe_status parse_loop(parsing *in, kern_loop_kind kind)
{
    kern_loop *loop = loop_new(in, kind);
    FE_TRY(parse_axis(in, &loop->symbol));
    loop->columns = lex_take(in->lx, "in");
    FE_TRY(lex_expect(in->lx, loop->columns ? "columns" : "<"));
    if (!loop->columns) FE_TRY(parse_index(in, &loop->extent));
    in->k->columns |= loop->columns;
    if (kind == KERN_VECTOR) loop->exact = lex_take(in->lx, "exact");
    if (kind == KERN_VECTOR && lex_take(in->lx, "unroll"))
        FE_TRY(parse_count(in, KERN_MOST_COPIES, &loop->unroll));
    if (lex_take(in->lx, "blocks")) {
        FE_TRY(lex_expect(in->lx, "of"));
        FE_TRY(parse_limited(in, 1, INT64_MAX, &loop->block));
    }
    if (lex_take(in->lx, "drain")) FE_TRY(parse_drains(in, loop));
    return parse_body(in, loop);
}

static fe_status parse_item(parsing *in)
{
    const lex_token *token = &in->lx->token;
    uint32_t number;
    if (token->kind == LEX_NAME && kern_is_numbered(token->text, 'v', &number))
        return parse_define(in);
    if (token->kind == LEX_NAME && kern_is_numbered(token->text, 'a', &number))
        return parse_update(in);
    if (lex_take(in->lx, "store")) return parse_store(in);
    if (lex_take(in->lx, "acc")) return parse_start(in);
    if (lex_take(in->lx, "rows")) return parse_rows(in);
    if (lex_take(in->lx, "loop")) return parse_loop(in, KERN_SEQUENCE);
    if (lex_take(in->lx, "vector")) return parse_loop(in, KERN_VECTOR);
    return lex_fail(in->lx, "expected a line of a kernel");
}

static fe_status parse_items(parsing *in)
{
    while (!lex_is(in->lx, "}") && !lex_is(in->lx, "kernel") && !lex_is(in->lx, "nonnegative") &&
           in->lx->token.kind != LEX_END)
        FE_TRY(parse_item(in));
    return FE_OK;
}

/* ---- the kernel ---- */

static fe_status parse_int(parsing *in, sym_expr *out)
{
    return sym_parse(in->k->symbols, in->lx, out);
}

static void add_param(parsing *in, sym_expr e)
{
    (void)kern_param_symbol(in->k, in->k->params.count); /* before an index names it */
    vec_push(in->memory, &in->k->params, e);
}

static void add_nonnegative(parsing *in, sym_expr e)
{
    vec_push(in->memory, &in->k->nonnegative, e);
}

/* kernel k_sum group 0 lanes 8 ints [256, 1000] */
static fe_status parse_head(parsing *in)
{
    int64_t group, lanes;
    FE_TRY(lex_expect(in->lx, "kernel"));
    if (strchr(in->lx->token.text, '.')) return lex_fail(in->lx, "expected a name as C has them");
    FE_TRY(lex_name(in->lx, &in->k->name));
    FE_TRY(lex_expect(in->lx, "group"));
    FE_TRY(parse_limited(in, 0, UINT32_MAX, &group));
    FE_TRY(lex_expect(in->lx, "lanes"));
    FE_TRY(parse_limited(in, 1, 64, &lanes));
    in->k->group = (uint32_t)group;
    in->k->lanes = (uint32_t)lanes;
    FE_TRY(lex_expect(in->lx, "ints"));
    return parse_list(in, parse_int, add_param);
}

/* buffer b0 : f32 in @x; tile t0 : f32[p1] */
static fe_status parse_memory(parsing *in, bool is_tile)
{
    kern_ir *k = in->k;
    kern_memory m = {.buffer = LOOP_NO_BUFFER, .is_tile = is_tile};
    m.number = is_tile ? k->tile_count++ : k->buffer_count++;
    FE_TRY(parse_next(in, is_tile ? 't' : 'b', m.number));
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(ty_parse_dtype(in->lx, &m.dtype));
    if (is_tile) {
        m.is_read = m.is_written = true;
        FE_TRY(lex_expect(in->lx, "["));
        FE_TRY(parse_index(in, &m.elements));
        FE_TRY(lex_expect(in->lx, "]"));
    } else {
        bool both = lex_take(in->lx, "inout");
        m.is_read = both || lex_take(in->lx, "in");
        m.is_written = both || (!m.is_read && lex_take(in->lx, "out"));
        if (!m.is_read && !m.is_written) return lex_fail(in->lx, "expected in, out or inout");
        FE_TRY(lex_buffer(in->lx, &m.name));
    }
    vec_push(in->memory, &k->memories, m);
    return FE_OK;
}

static void settle_ref(parsing *in, kern_ref *ref)
{
    if (*ref >= CONSTANT) *ref = *ref - CONSTANT + in->k->values.count - in->constants.count;
}

static void settle_items(parsing *in, kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        kern_item *item = &loop->items.at[i];
        settle_ref(in, &item->value);
        settle_ref(in, &item->store.value);
        if (item->kind == KERN_LOOP) settle_items(in, item->loop);
    }
}

/* Constants get their numbers, behind all others. */
static void settle(parsing *in)
{
    for (uint32_t i = 0; i < in->constants.count; i++)
        vec_push(in->memory, &in->k->values, in->constants.at[i]);
    for (uint32_t i = 1; i < in->k->values.count; i++) {
        kern_value *v = &in->k->values.at[i];
        settle_ref(in, &v->guard);
        for (size_t a = 0; a < COUNT_OF(v->args); a++) settle_ref(in, &v->args[a]);
    }
    settle_items(in, in->k->body);
}

static fe_status parse_kernel(parsing *in)
{
    in->k->body = in->open[0] = loop_new(in, KERN_BODY);
    vec_push(in->memory, &in->k->values, (kern_value){0});
    FE_TRY(parse_head(in));
    for (bool tile; (tile = lex_take(in->lx, "tile")) || lex_take(in->lx, "buffer");)
        FE_TRY(parse_memory(in, tile));
    FE_TRY(parse_items(in));
    if (lex_take(in->lx, "nonnegative")) FE_TRY(parse_list(in, parse_index, add_nonnegative));
    settle(in);
    return FE_OK;
}

fe_status kern_parse(fe_session *session, arena *memory, const char *source, size_t length,
                     kern_set **out)
{
    lexer lx;
    kern_set *set = *out = NEW(memory, kern_set);
    sym_table *symbols = sym_table_new(memory);
    lex_init(&lx, session, "kern", source, length);
    while (lx.token.kind != LEX_END) {
        parsing in = {.lx = &lx, .memory = memory, .k = NEW(memory, kern_ir)};
        in.k->symbols = symbols;
        FE_TRY(parse_kernel(&in));
        vec_push(memory, &set->irs, in.k);
    }
    return lex_finish(&lx);
}
