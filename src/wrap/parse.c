/* parse.c -- reads what print.c writes: buffers and inputs as a loop program has them, then
 * `wrapper`, the weights, what shares memory, and the lines.
 */
#include "wrap/wrap_priv.h"

typedef struct parsing {
    wrap_program *w;
    loop_program *p;
    lexer *lx;
    loop_reader *reader;
} parsing;

/* ---- pieces ---- */

static fe_status parse_number(parsing *in, const char *word, int64_t *out)
{
    FE_TRY(lex_expect(in->lx, word));
    return lex_int(in->lx, out);
}

static fe_status parse_index(parsing *in, const char *what, uint32_t limit, uint32_t *out)
{
    int64_t value = in->lx->token.integer;
    if (in->lx->token.kind == LEX_INT && (value < 0 || value >= limit))
        return lex_fail(in->lx, "there is no such %s", what);
    FE_TRY(lex_int(in->lx, &value));
    *out = (uint32_t)value;
    return FE_OK;
}

static fe_status parse_buffer(parsing *in, loop_buffer_id *out)
{
    *out = LOOP_NO_BUFFER;
    return lex_take(in->lx, "none") ? FE_OK : loop_read_buffer(in->reader, out);
}

/* ---- in front of the lines ---- */

static fe_status parse_head(parsing *in)
{
    int64_t kernels, calls;
    FE_TRY(lex_expect(in->lx, "wrapper"));
    FE_TRY(parse_number(in, "arena", &in->w->arena_bytes));
    FE_TRY(parse_number(in, "bound", &in->w->lower_bound));
    FE_TRY(parse_number(in, "weights", &in->w->weights_bytes));
    FE_TRY(parse_number(in, "kernels", &kernels));
    FE_TRY(parse_number(in, "calls", &calls));
    in->w->is_dynamic = in->w->arena_bytes < 0;
    in->w->is_bounded = lex_take(in->lx, "bounded");
    if (lex_take(in->lx, "scratch")) FE_TRY(lex_int(in->lx, &in->w->scratch_bytes));
    in->w->unique_kernels = (uint32_t)kernels;
    in->w->kernel_calls = (uint32_t)calls;
    return FE_OK;
}

/* weight 0 @w at 0 bytes 3072 packed gemm 1. What it is packed for is the first line that reads it.
 */
static fe_status parse_weight(parsing *in)
{
    wrap_weight weight = {0};
    int64_t index;
    const char *kernel;
    FE_TRY(lex_int(in->lx, &index));
    if (index != in->w->weights.count)
        return lex_fail(in->lx, "expected weight %u", in->w->weights.count);
    FE_TRY(loop_read_buffer(in->reader, &weight.buffer));
    FE_TRY(parse_number(in, "at", &weight.offset));
    FE_TRY(parse_number(in, "bytes", &weight.bytes));
    if (lex_take(in->lx, "packed")) {
        FE_TRY(lex_name(in->lx, &kernel));
        FE_TRY(parse_index(in, "operand", 32, &weight.operand));
    } else
        in->w->storage[weight.buffer].weight = in->w->weights.count;
    vec_push(in->w->memory, &in->w->weights, weight);
    return FE_OK;
}

/* memory @a in @b at 64; memory @a output 0; memory @a output 0 else in @x */
static fe_status parse_memory(parsing *in)
{
    loop_buffer_id id;
    uint32_t output;
    FE_TRY(loop_read_buffer(in->reader, &id));
    if (lex_take(in->lx, "in")) {
        FE_TRY(loop_read_buffer(in->reader, &in->w->storage[id].life.root));
        if (!lex_take(in->lx, "at")) return FE_OK;
        return sym_parse(in->p->symbols, in->lx, &in->w->storage[id].life.place);
    }
    FE_TRY(lex_expect(in->lx, "output"));
    FE_TRY(parse_index(in, "output", INT32_MAX, &output));
    in->w->storage[id].output = (int32_t)output;
    if (!lex_take(in->lx, "else")) return FE_OK;
    FE_TRY(lex_expect(in->lx, "in"));
    return loop_read_buffer(in->reader, &in->w->storage[id].life.else_in);
}

/* ---- lines ---- */

static fe_status parse_segment(parsing *in, uint32_t *out)
{
    FE_TRY(parse_index(in, "segment", in->p->buffers.count + 1, out));
    if (*out >= in->w->segment_count) in->w->segment_count = *out + 1;
    return FE_OK;
}

/* live [0, 3) segment 1 */
static fe_status parse_life(parsing *in, loop_buffer_id id)
{
    sched_life *life = &in->w->storage[id].life;
    life->in_arena = true;
    FE_TRY(lex_expect(in->lx, "live"));
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(parse_index(in, "step", UINT32_MAX, &life->birth));
    FE_TRY(lex_expect(in->lx, ","));
    FE_TRY(parse_index(in, "step", UINT32_MAX, &life->death));
    FE_TRY(lex_expect(in->lx, ")"));
    return lex_take(in->lx, "segment") ? parse_segment(in, &in->w->storage[id].segment) : FE_OK;
}

/* @buf0 live [0, 3) at 0 bytes 2048; @buf1 live [2, 4) segment 1 bytes 8*u0; @y output 0 bytes 4*u0 */
static fe_status parse_place(parsing *in, wrap_line *line)
{
    uint32_t output;
    FE_TRY(loop_read_buffer(in->reader, &line->buffer));
    if (lex_take(in->lx, "output")) {
        FE_TRY(parse_index(in, "output", INT32_MAX, &output));
        in->w->storage[line->buffer].output = (int32_t)output;
    } else
        FE_TRY(parse_life(in, line->buffer));
    if (lex_take(in->lx, "at")) FE_TRY(lex_int(in->lx, &in->w->storage[line->buffer].offset));
    FE_TRY(lex_expect(in->lx, "bytes"));
    return sym_parse(in->p->symbols, in->lx, &in->w->storage[line->buffer].bytes);
}

/* [dim 0 wraps "index", "put"] */
static fe_status parse_checks(parsing *in, wrap_call *call)
{
    VEC(wrap_check_row) checks = {0};
    FE_TRY(lex_expect(in->lx, "["));
    while (!lex_is(in->lx, "]")) {
        wrap_check_row check = {0};
        if (checks.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(loop_read_dimension(in->lx, &check.dimension));
        check.wraps = lex_take(in->lx, "wraps");
        FE_TRY(lex_string(in->lx, &check.where));
        vec_push(in->w->memory, &checks, check);
    }
    call->checks = checks.at;
    call->check_count = checks.count;
    return lex_expect(in->lx, "]");
}

/* k_add (@a, none, @b) ints [s0] m 12*s0 n 64 cost 300 */
static fe_status parse_call(parsing *in, wrap_call *call)
{
    VEC(loop_buffer_id) buffers = {0};
    sym_expr *ints;
    FE_TRY(lex_name(in->lx, &call->kernel));
    FE_TRY(lex_expect(in->lx, "("));
    while (!lex_is(in->lx, ")")) {
        loop_buffer_id id;
        if (buffers.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(parse_buffer(in, &id));
        vec_push(in->w->memory, &buffers, id);
    }
    FE_TRY(lex_expect(in->lx, ")"));
    FE_TRY(lex_expect(in->lx, "ints"));
    FE_TRY(loop_read_exprs(in->reader, &ints, &call->int_count));
    call->ints = ints;
    call->buffers = buffers.at;
    call->buffer_count = buffers.count;
    FE_TRY(lex_expect(in->lx, "m"));
    FE_TRY(sym_parse(in->p->symbols, in->lx, &call->outer));
    if (lex_take(in->lx, "tiles")) FE_TRY(sym_parse(in->p->symbols, in->lx, &call->tiles));
    call->inner = sym_int(in->p->symbols, 1);
    call->split_inner = lex_take(in->lx, "n");
    if (call->split_inner) FE_TRY(sym_parse(in->p->symbols, in->lx, &call->inner));
    FE_TRY(parse_number(in, "cost", &call->cost));
    return lex_take(in->lx, "checks") ? parse_checks(in, call) : FE_OK;
}

/* (@a[8]{1}, @w[8,8]{8,1} packed 0, none); weights NULL: nothing is packed. */
static fe_status parse_views(parsing *in, loop_view **out, uint32_t **weights, uint32_t *count)
{
    VEC(loop_view) views = {0};
    VEC(uint32_t) packed = {0};
    FE_TRY(lex_expect(in->lx, "("));
    while (!lex_is(in->lx, ")")) {
        loop_view view;
        uint32_t weight = WRAP_NO_WEIGHT;
        if (views.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(loop_read_view(in->reader, &view));
        if (weights && lex_take(in->lx, "packed"))
            FE_TRY(parse_index(in, "weight", in->w->weights.count, &weight));
        vec_push(in->w->memory, &views, view);
        vec_push(in->w->memory, &packed, weight);
    }
    *out = views.at;
    *count = views.count;
    if (weights) *weights = packed.at;
    return lex_expect(in->lx, ")");
}

static fe_status parse_floats(parsing *in, double **out, uint32_t *count)
{
    VEC(double) floats = {0};
    FE_TRY(lex_expect(in->lx, "["));
    while (!lex_is(in->lx, "]")) {
        double number = 0;
        if (floats.count) FE_TRY(lex_expect(in->lx, ","));
        FE_TRY(lex_double(in->lx, &number));
        vec_push(in->w->memory, &floats, number);
    }
    *out = floats.at;
    *count = floats.count;
    return lex_expect(in->lx, "]");
}

/* scratch 4096 bytes 65536; scratch @y 0 bytes 65536 */
static fe_status parse_scratch(parsing *in, wrap_scratch *scratch)
{
    scratch->in = LOOP_NO_BUFFER;
    if (in->lx->token.kind == LEX_BUFFER) FE_TRY(loop_read_buffer(in->reader, &scratch->in));
    FE_TRY(lex_int(in->lx, &scratch->at));
    FE_TRY(lex_expect(in->lx, "bytes"));
    return lex_int(in->lx, &scratch->bytes);
}

static fe_status parse_extern(parsing *in, wrap_line *line)
{
    loop_op *op = NEW(in->w->memory, loop_op);
    *op = (loop_op){.kind = LOOP_EXTERN, .origin = UINT32_MAX};
    FE_TRY(lex_name(in->lx, &op->kernel));
    if (!loop_extern_known(op->kernel))
        return lex_fail(in->lx, "there is no extern kernel %s", op->kernel);
    FE_TRY(parse_views(in, &op->inputs, &line->weights, &op->input_count));
    FE_TRY(lex_expect(in->lx, "->"));
    FE_TRY(parse_views(in, &op->outputs, NULL, &op->output_count));
    FE_TRY(loop_read_workspace(in->reader, op));
    FE_TRY(lex_expect(in->lx, "ints"));
    FE_TRY(loop_read_exprs(in->reader, &op->ints, &op->int_count));
    FE_TRY(lex_expect(in->lx, "floats"));
    FE_TRY(parse_floats(in, &op->floats, &op->float_count));
    if (lex_take(in->lx, "text")) FE_TRY(lex_string(in->lx, &op->message));
    FE_TRY(loop_read_callee(in->reader, &op->callee));
    if (lex_take(in->lx, "scratch")) FE_TRY(parse_scratch(in, &line->scratch));
    line->op = op;
    for (uint32_t i = 0; i < op->input_count; i++) {
        wrap_weight *weight =
            line->weights[i] != WRAP_NO_WEIGHT ? &in->w->weights.at[line->weights[i]] : NULL;
        if (weight && !weight->packed_for) weight->packed_for = op;
    }
    return lex_take(in->lx, "then") ? parse_call(in, &line->call) : FE_OK;
}

/* symbol u0 = @count[]{} */
static fe_status parse_element(parsing *in, wrap_line *line)
{
    loop_op *op = NEW(in->w->memory, loop_op);
    loop_view *view = NEW(in->w->memory, loop_view);
    *op = (loop_op){.kind = LOOP_DEFINE,
                    .origin = UINT32_MAX,
                    .symbol = line->symbol,
                    .inputs = view,
                    .input_count = 1};
    line->op = op;
    FE_TRY(loop_read_view(in->reader, view));
    return view->rank == 0 ? FE_OK : lex_fail(in->lx, "expected one element");
}

/* symbol s0 = size 0 1 less 2 by 4; symbol s1 = stride 0 1; symbol s2 = input 2; symbol s3 = 4*s0 */
static fe_status parse_symbol(parsing *in, wrap_line *line)
{
    uint32_t number;
    FE_TRY(sym_parse(in->p->symbols, in->lx, &line->symbol));
    if (sym_op_of(in->p->symbols, line->symbol) != SYM_SYMBOL)
        return lex_fail(in->lx, "expected a symbol");
    FE_TRY(lex_expect(in->lx, "="));
    if (in->lx->token.kind == LEX_BUFFER) return parse_element(in, line);
    line->is_stride = lex_take(in->lx, "stride");
    bool is_size = line->is_stride || lex_take(in->lx, "size");
    if (!is_size && !lex_take(in->lx, "input"))
        return sym_parse(in->p->symbols, in->lx, &line->expr);
    FE_TRY(parse_index(in, "input", in->p->inputs.count, &number));
    line->input = (int32_t)number;
    if (!is_size) return FE_OK;
    FE_TRY(parse_index(in, "dimension", TY_MAX_RANK, &number));
    line->dimension = (int32_t)number;
    if (!lex_take(in->lx, "less")) return FE_OK;
    FE_TRY(sym_parse(in->p->symbols, in->lx, &line->shift));
    FE_TRY(lex_expect(in->lx, "by"));
    FE_TRY(sym_parse(in->p->symbols, in->lx, &line->scale));
    if (!lex_take(in->lx, "root")) return FE_OK;
    FE_TRY(parse_index(in, "power", 64, &number));
    line->power = (uint32_t)number;
    return FE_OK;
}

static fe_status parse_output(parsing *in, wrap_line *line)
{
    loop_output o = {.kind = LOOP_OUT_NONE};
    int64_t index;
    FE_TRY(lex_int(in->lx, &index));
    if (index != in->p->outputs.count)
        return lex_fail(in->lx, "expected output %u", in->p->outputs.count);
    line->index = (uint32_t)index;
    if (in->lx->token.kind == LEX_BUFFER) {
        o.kind = LOOP_OUT_TENSOR;
        FE_TRY(loop_read_view(in->reader, &o.view));
    } else if (in->lx->token.kind == LEX_STRING) {
        o.kind = LOOP_OUT_STRING;
        FE_TRY(lex_string(in->lx, &o.string));
    } else if (lex_is(in->lx, "int") || lex_is(in->lx, "bool")) {
        o.kind = lex_is(in->lx, "int") ? LOOP_OUT_INT : LOOP_OUT_BOOL;
        lex_next(in->lx);
        FE_TRY(sym_parse(in->p->symbols, in->lx, &o.expr));
    } else if (lex_take(in->lx, "float")) {
        o.kind = LOOP_OUT_FLOAT;
        FE_TRY(lex_double(in->lx, &o.number));
    } else
        FE_TRY(lex_expect(in->lx, "none"));
    vec_push(in->p->memory, &in->p->outputs, o);
    return FE_OK;
}

/* check output @y[8]{1} finite "output 0" */
static fe_status parse_numbers(parsing *in, wrap_line *line)
{
    loop_view *view = NEW(in->w->memory, loop_view);
    line->view = view;
    line->of_output = line->kind == WRAP_CHECK && lex_take(in->lx, "output");
    FE_TRY(loop_read_view(in->reader, view));
    if (view->buffer == LOOP_NO_BUFFER) return lex_fail(in->lx, "expected a buffer");
    if (line->kind == WRAP_CLEAR) return FE_OK;
    line->finite = lex_take(in->lx, "finite");
    if (!line->finite) FE_TRY(lex_expect(in->lx, "no_nan"));
    return lex_string(in->lx, &line->text);
}

/* copy @x[8]{1} -> @y[8]{1} async */
static fe_status parse_copy(parsing *in, wrap_line *line)
{
    loop_op *op = NEW(in->w->memory, loop_op);
    loop_view *views = NEW_ARRAY(in->w->memory, loop_view, 2);
    sym_expr *async = NEW(in->w->memory, sym_expr);
    *op = (loop_op){.kind = LOOP_EXTERN,
                    .origin = UINT32_MAX,
                    .kernel = intern(in->w->session, "copy"),
                    .inputs = views,
                    .outputs = views + 1,
                    .input_count = 1,
                    .output_count = 1,
                    .ints = async,
                    .int_count = 1};
    FE_TRY(loop_read_view(in->reader, &views[0]));
    FE_TRY(lex_expect(in->lx, "->"));
    FE_TRY(loop_read_view(in->reader, &views[1]));
    if (views[0].buffer == LOOP_NO_BUFFER || views[1].buffer == LOOP_NO_BUFFER)
        return lex_fail(in->lx, "a copy has two buffers");
    *async = sym_int(in->p->symbols, lex_take(in->lx, "async"));
    line->op = op;
    return FE_OK;
}

static fe_status parse_device(parsing *in, ty_device *out)
{
    wrap_memory at;
    FE_TRY(wrap_parse_memory(in->lx, &at));
    *out = at.device;
    return ty_is_host(at.device) ? lex_expect(in->lx, "cpu") : FE_OK;
}

/* place 1 cuda 0; place 2 pinned */
static fe_status parse_placement(parsing *in, wrap_line *line)
{
    wrap_memory at;
    FE_TRY(parse_segment(in, &line->index));
    FE_TRY(wrap_parse_memory(in->lx, &at));
    if (!ty_is_host(at.device) || at.pinned) wrap_set_memory(in->w, line->index, at);
    return FE_OK;
}

/* mark 0 cuda 0 kernels */
static fe_status parse_mark(parsing *in, wrap_line *line)
{
    FE_TRY(parse_index(in, "mark", INT32_MAX, &line->index));
    FE_TRY(ty_parse_place(in->lx, &line->device));
    return wrap_parse_queue(in->lx, &line->queue);
}

static fe_status parse_fields(parsing *in, wrap_line *line)
{
    switch (line->kind) {
    case WRAP_PLACE: return parse_placement(in, line);
    case WRAP_ALLOC: return parse_place(in, line);
    case WRAP_WAIT:
    case WRAP_FREE: return loop_read_buffer(in->reader, &line->buffer);
    case WRAP_DEVICE: return parse_device(in, &line->device);
    case WRAP_MARK:
    case WRAP_AFTER: return parse_mark(in, line);
    case WRAP_COPY: return parse_copy(in, line);
    case WRAP_REUSE:
        FE_TRY(loop_read_buffer(in->reader, &line->old_buffer));
        FE_TRY(lex_expect(in->lx, "->"));
        return parse_place(in, line);
    case WRAP_KERNEL: return parse_call(in, &line->call);
    case WRAP_EXTERN: return parse_extern(in, line);
    case WRAP_SYMBOL: return parse_symbol(in, line);
    case WRAP_SCRATCH: return sym_parse(in->p->symbols, in->lx, &line->expr);
    case WRAP_ASSERT:
        FE_TRY(sym_parse_relation(in->p->symbols, in->lx, &line->relation));
        return lex_string(in->lx, &line->text);
    case WRAP_COMMENT: return lex_string(in->lx, &line->text);
    case WRAP_OUTPUT: return parse_output(in, line);
    case WRAP_CLEAR:
    case WRAP_CHECK: return parse_numbers(in, line);
    case WRAP_PARTITION: {
        sched_part *part = NEW(in->w->memory, sched_part);
        line->part = part;
        return wrap_parse_part(in->reader, in->lx, part);
    }
    default: break;
    }
    if (wrap_is_control(line->kind)) {
        loop_op *op = NEW(in->w->memory, loop_op);
        line->op = op;
        return loop_parse_control(in->reader, in->lx, (loop_control)(line->kind - WRAP_IF), op);
    }
    return lex_fail(in->lx, "expected a line of the wrapper");
}

static fe_status parse_line(parsing *in)
{
    wrap_line line = {
        .buffer = LOOP_NO_BUFFER, .old_buffer = LOOP_NO_BUFFER, .input = -1, .dimension = -1};
    if (lex_take(in->lx, "weight")) return parse_weight(in);
    if (lex_take(in->lx, "memory")) return parse_memory(in);
    while (line.kind < WRAP_KIND_COUNT && !lex_take(in->lx, wrap_kind_name(line.kind))) line.kind++;
    FE_TRY(parse_fields(in, &line));
    vec_push(in->w->memory, &in->w->lines, line);
    return FE_OK;
}

/* ---- the whole ---- */

/* What holds of the buffer whose memory it is holds of a buffer that no line brings to life. */
static void follow_roots(wrap_program *w)
{
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        loop_buffer_id root = w->storage[id].life.root;
        w->storage[id].life.in_arena = w->storage[root].life.in_arena;
        w->storage[id].segment = w->storage[root].segment;
        w->storage[id].output = w->storage[root].output;
    }
}

fe_status wrap_parse(fe_session *session, arena *memory, const char *source, size_t length,
                     wrap_program **out)
{
    lexer lx;
    parsing in = {.lx = &lx};
    lex_init(&lx, session, "wrap", source, length);
    FE_TRY(loop_parse_front(memory, &lx, "wrapper", &in.p));
    in.w = wrap_program_new(in.p, memory);
    in.reader = loop_reader_new(in.p, &lx);
    FE_TRY(parse_head(&in));
    while (lx.token.kind != LEX_END) FE_TRY(parse_line(&in));
    follow_roots(in.w);
    wrap_set_storage_kinds(in.w);
    wrap_list_fixed(in.w);
    if (in.w->is_bounded) FE_TRY(wrap_bound_outputs(in.w, NULL));
    FE_TRY(wrap_make_layouts(in.w));
    *out = in.w;
    return lex_finish(&lx);
}
