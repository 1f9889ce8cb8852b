/* parse.c -- reads what print.c writes: kernels, one behind the other.
 *
 * Values keep the numbers that the text gives them. Constants have none there: they are kept apart
 * while a kernel is read, and numbered behind its last value at the end (kern_read_settle).
 */
#include "kern/legal/legal.h"
#include "kern/parse_priv.h"

#include <string.h>

enum { MOST_CHECKS = 1 << 16 };

void kern_read_into(kern_reader *in, kern_item item)
{
    vec_push(in->memory, &in->open[in->depth]->items, item);
}

/* The next one of its kind. */
static fe_status parse_next(kern_reader *in, char letter, uint32_t number)
{
    return lex_expect(in->lx, arena_printf(in->memory, "%c%u", letter, number));
}

static fe_status parse_limited(kern_reader *in, int64_t least, int64_t most, int64_t *out)
{
    int64_t value = in->lx->token.integer;
    if (in->lx->token.kind == LEX_INT && (value < least || value > most))
        return lex_fail(in->lx, "expected a number from %lld to %lld", (long long)least,
                        (long long)most);
    return lex_int(in->lx, out);
}

static fe_status parse_count(kern_reader *in, uint32_t most, uint32_t *out)
{
    int64_t value = 0;
    FE_TRY(parse_limited(in, 1, most, &value));
    *out = (uint32_t)value;
    return FE_OK;
}

/* [e, e] */
static fe_status parse_list(kern_reader *in, fe_status (*parse)(kern_reader *, sym_expr *),
                            void (*add)(kern_reader *, sym_expr))
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

/* ---- stores, accumulators ---- */

/* store lanes b1[p0*i0 + v2] : f32x16 add= v3 */
static fe_status parse_store(kern_reader *in)
{
    kern_store st = {0};
    ty_dtype dtype;
    bool vector;
    st.atomic = lex_take(in->lx, "atomic");
    st.whole = lex_take(in->lx, "whole");
    st.runs = lex_take(in->lx, "run");
    bool lanes = lex_take(in->lx, "lanes");
    FE_TRY(kern_read_place(in, &st.memory, &st.index));
    FE_TRY(kern_read_count(in, &st.count));
    FE_TRY(lex_expect(in->lx, ":"));
    if (in->lx->token.kind == LEX_NAME && lanes && !strchr(in->lx->token.text, 'x'))
        return lex_fail(in->lx, "a scalar has no lanes");
    lex_token type = in->lx->token;
    FE_TRY(kern_read_type(in, &dtype, &vector));
    if (dtype != in->k->memories.at[st.memory].dtype) {
        in->lx->token = type;
        return lex_fail(in->lx, "the memory is of %s",
                        ty_dtype_name(in->k->memories.at[st.memory].dtype));
    }
    st.access = lanes ? KERN_LANES : vector ? KERN_UNIT : KERN_ONE;
    if (st.runs && st.access != KERN_UNIT) return lex_fail(in->lx, "a run is of neighbours");
    FE_TRY(loop_read_mode(in->lx, &st.mode));
    FE_TRY(kern_read_operand(in, dtype, vector, &st.value));
    kern_read_into(in, (kern_item){.kind = KERN_STORE, .store = st});
    return FE_OK;
}

/* check 0 v3 < p1 if v4 among v9; known v3 < p1; known v5 < p1 if v4 */
static fe_status parse_bound(kern_reader *in, bool is_known)
{
    kern_bound bound = {.is_known = is_known};
    int64_t number = 0;
    if (!is_known) FE_TRY(parse_limited(in, 0, MOST_CHECKS - 1, &number));
    bound.number = (uint32_t)number;
    FE_TRY(kern_read_operand(in, TY_I64, false, &bound.value));
    FE_TRY(lex_expect(in->lx, "<"));
    FE_TRY(kern_read_index(in, &bound.size));
    if (lex_take(in->lx, "if")) FE_TRY(kern_read_operand(in, TY_BOOL, false, &bound.guard));
    if (lex_take(in->lx, "among")) FE_TRY(kern_read_operand(in, TY_BOOL, true, &bound.among));
    kern_read_into(in, (kern_item){.kind = KERN_BOUND, .bound = bound});
    return FE_OK;
}

/* acc a0 : f32x16 sum copies 4 compensated; acc a1 : f64x8 sum running */
static fe_status parse_start(kern_reader *in)
{
    kern_sum sum = {.place = TY_I64, .copies = 1};
    FE_TRY(parse_next(in, 'a', in->k->sums.count));
    FE_TRY(lex_expect(in->lx, ":"));
    FE_TRY(kern_read_type(in, &sum.dtype, &sum.vector));
    sum.reduce = loop_read_reduce(in->lx);
    if (!sum.reduce) return lex_fail(in->lx, "expected a reduction");
    if (kern_is_arg(sum.reduce)) {
        FE_TRY(lex_expect(in->lx, "places"));
        FE_TRY(ty_parse_dtype(in->lx, &sum.place));
    }
    if (lex_take(in->lx, "copies")) FE_TRY(parse_count(in, KERN_MOST_COPIES, &sum.copies));
    sum.blocked = lex_take(in->lx, "compensated");
    sum.running = lex_take(in->lx, "running");
    sum.shared = lex_take(in->lx, "shared");
    sum.across = sum.vector && !in->k->outer_vector;
    kern_read_into(in, (kern_item){.kind = KERN_START, .sum = in->k->sums.count});
    vec_push(in->memory, &in->k->sums, sum);
    return FE_OK;
}

/* a0 += v1 at r0 */
static fe_status parse_update(kern_reader *in)
{
    kern_item item = {.kind = KERN_UPDATE};
    FE_TRY(kern_read_numbered(in, 'a', in->k->sums.count, "an accumulator", &item.sum));
    FE_TRY(lex_expect(in->lx, "+"));
    FE_TRY(lex_expect(in->lx, "="));
    const kern_sum *sum = &in->k->sums.at[item.sum];
    FE_TRY(kern_read_operand(in, sum->dtype, sum->vector, &item.value));
    if (kern_is_arg(sum->reduce)) {
        FE_TRY(lex_expect(in->lx, "at"));
        FE_TRY(kern_read_index(in, &item.flat));
    }
    kern_read_into(in, item);
    return FE_OK;
}

/* ---- loops ---- */

static fe_status parse_items(kern_reader *in);

static fe_status parse_axis(kern_reader *in, sym_expr *out)
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
static fe_status parse_body(kern_reader *in, kern_loop *loop)
{
    if (in->depth + 1 == KERN_MOST_LEVELS) return lex_fail(in->lx, "loops are nested too deeply");
    FE_TRY(lex_expect(in->lx, "{"));
    in->open[++in->depth] = loop;
    loop->level = in->depth;
    FE_TRY(parse_items(in));
    in->depth--;
    kern_read_into(in, (kern_item){.kind = KERN_LOOP, .loop = loop});
    return lex_expect(in->lx, "}");
}

static kern_loop *loop_new(kern_reader *in, kern_loop_kind kind)
{
    kern_loop *loop = NEW(in->memory, kern_loop);
    loop->kind = kind;
    loop->unroll = 1;
    return loop;
}

/* count v7 mask v8 */
static fe_status parse_tail(kern_reader *in, kern_loop *loop)
{
    kern_value count = {.kind = KERN_COUNT, .dtype = TY_I64, .level = in->depth + 1};
    kern_value mask = {.kind = KERN_TAIL, .dtype = TY_BOOL, .vector = true, .level = in->depth + 1};
    if (!lex_take(in->lx, "count")) return FE_OK;
    FE_TRY(kern_read_given(in, count, &loop->count));
    return lex_take(in->lx, "mask") ? kern_read_given(in, mask, &loop->mask) : FE_OK;
}

/* (i0, i1 < p0) */
static fe_status parse_axes(kern_reader *in)
{
    kern_ir *k = in->k;
    FE_TRY(lex_expect(in->lx, "("));
    for (k->outer = 0; !lex_is(in->lx, ")"); k->outer++) {
        if (k->outer == LOOP_MAX_AXES) return lex_fail(in->lx, "more than %d axes", LOOP_MAX_AXES);
        if (k->outer) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse_axis(in, &k->axes[k->outer]));
        if (lex_take(in->lx, "<")) FE_TRY(kern_read_index(in, &k->extents[k->outer]));
    }
    return lex_expect(in->lx, ")");
}

/* by tiles 64 x 64 x 16 each 8 x 8 */
static fe_status parse_tiles(kern_reader *in)
{
    enum { MOST = 256 };
    target_tiles *t = &in->k->tiles;
    uint32_t *const sizes[] = {&t->rows, &t->columns, &t->depth, &t->each_rows, &t->each_columns};
    FE_TRY(lex_expect(in->lx, "tiles"));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        if (i) FE_TRY(lex_expect(in->lx, i == 3 ? "each" : "x"));
        FE_TRY(parse_count(in, MOST, sizes[i]));
    }
    return FE_OK;
}

/* rows vector (i0, i1 < p0) unroll 4 count v7 by groups serial of p1 { */
static fe_status parse_rows(kern_reader *in)
{
    kern_ir *k = in->k;
    kern_loop *loop = loop_new(in, KERN_ROWS);
    k->outer_vector = lex_take(in->lx, "vector");
    FE_TRY(parse_axes(in));
    k->squares = lex_take(in->lx, "in");
    if (k->squares) FE_TRY(lex_expect(in->lx, "squares"));
    if (lex_take(in->lx, "unroll")) FE_TRY(parse_count(in, KERN_MOST_COPIES, &loop->unroll));
    FE_TRY(parse_tail(in, loop));
    if (lex_take(in->lx, "by")) {
        k->by_groups = lex_take(in->lx, "groups");
        if (!k->by_groups) FE_TRY(parse_tiles(in));
    }
    k->serial = lex_take(in->lx, "serial");
    if (k->serial) {
        FE_TRY(lex_expect(in->lx, "of"));
        FE_TRY(kern_read_index(in, &k->total));
    }
    return parse_body(in, loop);
}

/* squares (i1, i0 < p0) by i2 { */
static fe_status parse_squares(kern_reader *in)
{
    kern_loop *loop = loop_new(in, KERN_SQUARES);
    FE_TRY(parse_axes(in));
    FE_TRY(lex_expect(in->lx, "by"));
    FE_TRY(parse_axis(in, &loop->symbol));
    loop->columns = in->k->columns = true;
    return parse_body(in, loop);
}

static fe_status parse_drains(kern_reader *in, kern_loop *loop)
{
    do {
        uint32_t sum;
        FE_TRY(kern_read_numbered(in, 'a', in->k->sums.count, "an accumulator", &sum));
        vec_push(in->memory, &loop->drains, sum);
    } while (lex_take(in->lx, ","));
    return FE_OK;
}

/* < p0; in columns; < p0 in columns at p1; in block: of the loop around, or of the square */
static fe_status parse_range(kern_reader *in, kern_loop *loop)
{
    if (lex_take(in->lx, "<")) FE_TRY(kern_read_index(in, &loop->extent));
    bool is_cut = !sym_is_none(loop->extent), in_some = lex_take(in->lx, "in");
    if (is_cut && !in_some) return FE_OK;
    loop->in_block = !is_cut && in_some && lex_take(in->lx, "block");
    if (loop->in_block) {
        if (in->open[in->depth]->kind == KERN_BLOCKS) loop->extent = in->open[in->depth]->extent;
        return FE_OK;
    }
    FE_TRY(lex_expect(in->lx, in_some ? "columns" : "<"));
    loop->columns = in->k->columns = true;
    if (!is_cut) return FE_OK;
    FE_TRY(lex_expect(in->lx, "at"));
    return kern_read_index(in, &loop->at);
}

/* blocks r0 < p0 by 8192 { */
static fe_status parse_blocks(kern_reader *in)
{
    kern_loop *loop = loop_new(in, KERN_BLOCKS);
    FE_TRY(parse_axis(in, &loop->symbol));
    FE_TRY(lex_expect(in->lx, "<"));
    FE_TRY(kern_read_index(in, &loop->extent));
    FE_TRY(lex_expect(in->lx, "by"));
    FE_TRY(parse_limited(in, 1, INT64_MAX, &loop->block));
    return parse_body(in, loop);
}

/* vector r0 < p0 exact unroll 4 count v7 mask v8 blocks of 8192 drain a0, a1 { */
static fe_status parse_loop(kern_reader *in, kern_loop_kind kind)
{
    kern_loop *loop = loop_new(in, kind);
    FE_TRY(parse_axis(in, &loop->symbol));
    FE_TRY(parse_range(in, loop));
    if (loop->in_block && lex_take(in->lx, "number")) FE_TRY(parse_axis(in, &loop->number));
    loop->shared = kind == KERN_SEQUENCE && lex_take(in->lx, "shared");
    if (kind == KERN_VECTOR) loop->exact = lex_take(in->lx, "exact");
    if (kind == KERN_VECTOR && lex_take(in->lx, "unroll"))
        FE_TRY(parse_count(in, KERN_MOST_COPIES, &loop->unroll));
    if (kind == KERN_VECTOR) FE_TRY(parse_tail(in, loop));
    if (lex_take(in->lx, "blocks")) {
        FE_TRY(lex_expect(in->lx, "of"));
        FE_TRY(parse_limited(in, 1, INT64_MAX, &loop->block));
    }
    if (lex_take(in->lx, "drain")) FE_TRY(parse_drains(in, loop));
    return parse_body(in, loop);
}

/* set v9 = v10; set v9[r0] = v10 */
static fe_status parse_set(kern_reader *in)
{
    kern_item item = {.kind = KERN_SET};
    FE_TRY(kern_read_operand(in, TY_I64, false, &item.variable));
    if (item.variable >= KERN_CONSTANT) return lex_fail(in->lx, "expected a variable before");
    bool one = lex_is(in->lx, "[");
    if (one) FE_TRY(kern_read_lane(in, &item.flat));
    FE_TRY(lex_expect(in->lx, "="));
    const kern_value v = in->k->values.at[item.variable];
    FE_TRY(kern_read_operand(in, v.dtype, v.vector && !one, &item.value));
    kern_read_into(in, item);
    return FE_OK;
}

/* [r0] */
fe_status kern_read_lane(kern_reader *in, sym_expr *lane)
{
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(parse_axis(in, lane));
    return lex_expect(in->lx, "]");
}

/* lanes r0 first v2 unroll { */
static fe_status parse_lanes(kern_reader *in)
{
    kern_loop *loop = loop_new(in, KERN_EACH_LANE);
    FE_TRY(parse_axis(in, &loop->symbol));
    FE_TRY(kern_read_count(in, &loop->count));
    if (loop->count >= KERN_CONSTANT) return lex_fail(in->lx, "expected a count before");
    if (lex_take(in->lx, "unroll")) loop->unroll = in->k->lanes;
    return parse_body(in, loop);
}

/* when v9 { ... } otherwise { ... } */
static fe_status parse_case(kern_reader *in, kern_loop_kind kind)
{
    kern_loop *loop = loop_new(in, kind);
    if (kind == KERN_WHEN) FE_TRY(kern_read_operand(in, TY_BOOL, false, &loop->condition));
    return parse_body(in, loop);
}

/* transpose t0 */
static fe_status parse_transpose(kern_reader *in)
{
    kern_item item = {.kind = KERN_TRANSPOSE};
    uint32_t tile;
    FE_TRY(kern_read_numbered(in, 't', in->k->tile_count, "a tile", &tile));
    item.store.memory = kern_read_memory(in, true, tile);
    kern_read_into(in, item);
    return FE_OK;
}

static fe_status parse_item(kern_reader *in)
{
    const lex_token *token = &in->lx->token;
    uint32_t number;
    if (token->kind == LEX_NAME && kern_is_numbered(token->text, 'v', &number))
        return kern_read_define(in);
    if (token->kind == LEX_NAME && kern_is_numbered(token->text, 'a', &number))
        return parse_update(in);
    if (lex_take(in->lx, "store")) return parse_store(in);
    if (lex_take(in->lx, "check")) return parse_bound(in, false);
    if (lex_take(in->lx, "known")) return parse_bound(in, true);
    if (lex_take(in->lx, "acc")) return parse_start(in);
    if (lex_take(in->lx, "var")) return kern_read_variable(in);
    if (lex_take(in->lx, "set")) return parse_set(in);
    if (lex_take(in->lx, "barrier")) {
        kern_read_into(in, (kern_item){.kind = KERN_BARRIER});
        return FE_OK;
    }
    if (lex_take(in->lx, "blocks")) return parse_blocks(in);
    if (lex_take(in->lx, "rows")) return parse_rows(in);
    if (lex_take(in->lx, "squares")) return parse_squares(in);
    if (lex_take(in->lx, "lanes")) return parse_lanes(in);
    if (lex_take(in->lx, "when")) return parse_case(in, KERN_WHEN);
    if (lex_take(in->lx, "otherwise")) return parse_case(in, KERN_OTHERWISE);
    if (lex_take(in->lx, "transpose")) return parse_transpose(in);
    if (lex_take(in->lx, "loop")) return parse_loop(in, KERN_SEQUENCE);
    if (lex_take(in->lx, "vector")) return parse_loop(in, KERN_VECTOR);
    return lex_fail(in->lx, "expected a line of a kernel");
}

static fe_status parse_items(kern_reader *in)
{
    while (!lex_is(in->lx, "}") && !lex_is(in->lx, "kernel") && !lex_is(in->lx, "function") &&
           !lex_is(in->lx, "nonnegative") && in->lx->token.kind != LEX_END)
        FE_TRY(parse_item(in));
    return FE_OK;
}

/* ---- the kernel ---- */

static fe_status parse_int(kern_reader *in, sym_expr *out)
{
    return sym_parse(in->k->symbols, in->lx, out);
}

static void add_param(kern_reader *in, sym_expr e)
{
    (void)kern_param_symbol(in->k, in->k->params.count); /* before an index names it */
    vec_push(in->memory, &in->k->params, e);
}

static void add_nonnegative(kern_reader *in, sym_expr e)
{
    vec_push(in->memory, &in->k->nonnegative, e);
}

/* kernel k_sum group 0 lanes 8 ints [256, 1000] */
static fe_status parse_head(kern_reader *in)
{
    int64_t group, lanes;
    FE_TRY(lex_expect(in->lx, "kernel"));
    if (strchr(in->lx->token.text, '.')) return lex_fail(in->lx, "expected a name as C has them");
    FE_TRY(lex_name(in->lx, &in->k->name));
    FE_TRY(lex_expect(in->lx, "group"));
    FE_TRY(parse_limited(in, 0, UINT32_MAX, &group));
    FE_TRY(lex_expect(in->lx, "lanes"));
    FE_TRY(parse_limited(in, 1, KERN_MOST_LANES, &lanes));
    in->k->group = (uint32_t)group;
    in->k->lanes = (uint32_t)lanes;
    FE_TRY(lex_expect(in->lx, "ints"));
    return parse_list(in, parse_int, add_param);
}

/* buffer b0 : f32 in @x; tile t0 : f32[p1] */
static fe_status parse_memory(kern_reader *in, bool is_tile)
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
        FE_TRY(kern_read_index(in, &m.elements));
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

static void settle_ref(kern_reader *in, kern_ref *ref)
{
    if (*ref >= KERN_CONSTANT)
        *ref = *ref - KERN_CONSTANT + in->k->values.count - in->constants.count;
}

static void settle_items(kern_reader *in, kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        kern_item *item = &loop->items.at[i];
        settle_ref(in, &item->value);
        settle_ref(in, &item->store.value);
        settle_ref(in, &item->bound.value);
        settle_ref(in, &item->bound.guard);
        settle_ref(in, &item->bound.among);
        settle_ref(in, &item->store.count);
        if (item->kind != KERN_LOOP) continue;
        settle_ref(in, &item->loop->condition);
        settle_items(in, item->loop);
    }
}

void kern_read_settle(kern_reader *in)
{
    for (uint32_t i = 0; i < in->constants.count; i++)
        vec_push(in->memory, &in->k->values, in->constants.at[i]);
    for (uint32_t i = 1; i < in->k->values.count; i++) {
        kern_value *v = &in->k->values.at[i];
        settle_ref(in, &v->guard);
        settle_ref(in, &v->count);
        for (size_t a = 0; a < COUNT_OF(v->args); a++) settle_ref(in, &v->args[a]);
    }
    settle_items(in, in->k->body);
}

static fe_status parse_kernel(kern_reader *in)
{
    in->k->body = in->open[0] = loop_new(in, KERN_BODY);
    vec_push(in->memory, &in->k->values, (kern_value){0});
    FE_TRY(parse_head(in));
    for (bool tile; (tile = lex_take(in->lx, "tile")) || lex_take(in->lx, "buffer");)
        FE_TRY(parse_memory(in, tile));
    FE_TRY(parse_items(in));
    if (lex_take(in->lx, "nonnegative")) FE_TRY(parse_list(in, kern_read_index, add_nonnegative));
    kern_read_settle(in);
    return FE_OK;
}

fe_status kern_parse(fe_session *session, arena *memory, const char *source, size_t length,
                     kern_set **out)
{
    lexer lx;
    kern_set *set = *out = NEW(memory, kern_set);
    sym_table *symbols = sym_table_new(memory);
    set->library = kern_library_new(NULL, memory);
    lex_init(&lx, session, "kern", source, length);
    while (lx.token.kind != LEX_END) {
        kern_reader in = {.lx = &lx, .memory = memory, .k = NEW(memory, kern_ir)};
        in.k->symbols = symbols;
        in.library = set->library;
        if (lex_take(&lx, "function")) {
            FE_TRY(kern_read_function(&in));
            set->read_count++;
            continue;
        }
        FE_TRY(parse_kernel(&in));
        vec_push(memory, &set->irs, in.k);
    }
    return lex_finish(&lx);
}
