/* parse.c -- reads what print.c writes: the program in front, then `schedule` and its lines. */
#include "sched/sched.h"

typedef struct parsing {
    sched_schedule *s;
    loop_program *p;
    lexer *lx;
    loop_reader *reader;
} parsing;

static fe_status parse_count(parsing *in, uint32_t limit, const char *what, uint32_t *out)
{
    int64_t value = in->lx->token.integer;
    if (in->lx->token.kind == LEX_INT && (value < 0 || value >= limit))
        return lex_fail(in->lx, "there is no such %s", what);
    FE_TRY(lex_int(in->lx, &value));
    *out = (uint32_t)value;
    return FE_OK;
}

/* op 3: an op of this kind. */
static fe_status parse_op_number(parsing *in, loop_op_kind kind, uint32_t *out)
{
    FE_TRY(lex_expect(in->lx, "op"));
    if (in->lx->token.kind == LEX_INT && in->lx->token.integer >= 0 &&
        in->lx->token.integer < in->p->ops.count &&
        in->p->ops.at[in->lx->token.integer].kind != kind)
        return lex_fail(in->lx, "the op is of another kind");
    return parse_count(in, in->p->ops.count, "op", out);
}

/* [i2 < 8, i3 < 4]: `first` is the number of the first axis. */
static fe_status parse_loops(parsing *in, char letter, uint32_t first, sym_expr *extents,
                             uint32_t *count)
{
    FE_TRY(lex_expect(in->lx, "["));
    for (*count = 0; !lex_is(in->lx, "]"); (*count)++) {
        if (first + *count >= LOOP_MAX_AXES)
            return lex_fail(in->lx, "more than %d axes", LOOP_MAX_AXES);
        if (*count) FE_TRY(lex_expect(in->lx, ","));
        sym_expr axis = letter == 'i' ? loop_axis(in->p, first + *count)
                                      : loop_reduce_axis(in->p, first + *count);
        FE_TRY(lex_expect(in->lx, sym_name(in->p->symbols, axis)));
        FE_TRY(lex_expect(in->lx, "<"));
        FE_TRY(sym_parse(in->p->symbols, in->lx, &extents[*count]));
    }
    return lex_expect(in->lx, "]");
}

static fe_status parse_nest(parsing *in, const sched_group *g, const sched_phase *phase,
                            sched_nest *out)
{
    FE_TRY(parse_op_number(in, LOOP_NEST, &out->op));
    if (lex_is(in->lx, "nest"))
        FE_TRY(loop_read_op(in->reader, &out->nest));
    else
        out->nest = in->p->ops.at[out->op];
    if (out->nest.axes != g->outer + phase->inner_axes ||
        out->nest.reduce_axes != phase->reduce_axes)
        return lex_fail(in->lx, "op %u does not have the loops of its phase", out->op);
    return FE_OK;
}

static fe_status parse_phase(parsing *in, const sched_group *g, sched_phase *out)
{
    VEC(sched_nest) nests = {0};
    if (lex_take(in->lx, "inner"))
        FE_TRY(parse_loops(in, 'i', g->outer, out->extents, &out->inner_axes));
    if (lex_take(in->lx, "reduce"))
        FE_TRY(parse_loops(in, 'r', 0, out->reduce_extents, &out->reduce_axes));
    FE_TRY(lex_expect(in->lx, "{"));
    while (!lex_is(in->lx, "}")) {
        sched_nest nest = {0};
        FE_TRY(parse_nest(in, g, out, &nest));
        vec_push(in->s->memory, &nests, nest);
    }
    if (!nests.count) return lex_fail(in->lx, "a phase holds at least one op");
    out->nests = nests.at;
    out->nest_count = nests.count;
    return lex_expect(in->lx, "}");
}

/* What stands behind a group's own line. */
static fe_status parse_body(parsing *in, sched_group *g)
{
    VEC(sched_phase) phases = {0};
    VEC(loop_buffer_id) locals = {0};
    VEC(sched_reuse) takes = {0};
    while (lex_take(in->lx, "phase")) {
        sched_phase phase = {0};
        FE_TRY(parse_phase(in, g, &phase));
        vec_push(in->s->memory, &phases, phase);
    }
    if (!phases.count) return lex_fail(in->lx, "expected a phase");
    if (lex_take(in->lx, "local"))
        while (in->lx->token.kind == LEX_BUFFER) {
            loop_buffer_id id;
            FE_TRY(loop_read_buffer(in->reader, &id));
            vec_push(in->s->memory, &locals, id);
        }
    while (lex_take(in->lx, "in_place")) {
        sched_reuse take;
        FE_TRY(loop_read_buffer(in->reader, &take.from));
        FE_TRY(lex_expect(in->lx, "->"));
        FE_TRY(loop_read_buffer(in->reader, &take.to));
        vec_push(in->s->memory, &takes, take);
    }
    g->reuses = takes.at;
    g->reuse_count = takes.count;
    g->phases = phases.at;
    g->phase_count = phases.count;
    g->locals = locals.at;
    g->local_count = locals.count;
    return FE_OK;
}

static fe_status parse_group(parsing *in)
{
    sched_group g = {.kind = SCHED_KERNEL};
    int64_t index;
    FE_TRY(lex_int(in->lx, &index));
    if (index != in->s->groups.count)
        return lex_fail(in->lx, "expected group %u", in->s->groups.count);
    while (!lex_take(in->lx, sched_group_kind_name(g.kind)))
        if (++g.kind == SCHED_GROUP_KIND_COUNT)
            return lex_fail(in->lx, "expected kernel, extern, assert, define or control");
    if (g.kind == SCHED_ASSERT) FE_TRY(parse_op_number(in, LOOP_ASSERT, &g.extern_op));
    if (g.kind == SCHED_DEFINE) FE_TRY(parse_op_number(in, LOOP_DEFINE, &g.extern_op));
    if (g.kind == SCHED_CONTROL) {
        FE_TRY(parse_op_number(in, LOOP_CONTROL, &g.extern_op));
        FE_TRY(lex_expect(in->lx, loop_control_name(in->p->ops.at[g.extern_op].control)));
    }
    if (g.kind == SCHED_EXTERN) {
        FE_TRY(parse_op_number(in, LOOP_EXTERN, &g.extern_op));
        FE_TRY(lex_expect(in->lx, in->p->ops.at[g.extern_op].kernel));
    }
    if (g.kind == SCHED_KERNEL || lex_take(in->lx, "epilogue")) {
        FE_TRY(lex_expect(in->lx, "outer"));
        FE_TRY(parse_loops(in, 'i', 0, g.outer_extents, &g.outer));
        FE_TRY(sched_parse_variant(in->lx, &g.variant));
        FE_TRY(parse_body(in, &g));
    }
    vec_push(in->s->memory, &in->s->groups, g);
    return FE_OK;
}

static fe_status parse_refusal(parsing *in)
{
    sched_refusal refusal = {.reason = SCHED_NOT_NEST};
    FE_TRY(parse_count(in, in->p->ops.count, "op", &refusal.producer));
    FE_TRY(parse_count(in, in->p->ops.count, "op", &refusal.consumer));
    while (!lex_take(in->lx, sched_reason_name(refusal.reason)))
        if (++refusal.reason == SCHED_REASON_COUNT) return lex_fail(in->lx, "expected a reason");
    vec_push(in->s->memory, &in->s->refusals, refusal);
    return FE_OK;
}

/* live @buf3 [2, 5) in @buf4 output; live @buf4 [3, 5) output else in @x */
static fe_status parse_life(parsing *in)
{
    loop_buffer_id id;
    FE_TRY(loop_read_buffer(in->reader, &id));
    sched_life *life = &in->s->lives[id];
    FE_TRY(lex_expect(in->lx, "["));
    FE_TRY(parse_count(in, in->s->groups.count + 2, "group", &life->birth));
    FE_TRY(lex_expect(in->lx, ","));
    FE_TRY(parse_count(in, in->s->groups.count + 2, "group", &life->death));
    FE_TRY(lex_expect(in->lx, ")"));
    if (lex_take(in->lx, "in")) FE_TRY(loop_read_buffer(in->reader, &life->root));
    if (lex_take(in->lx, "at")) FE_TRY(sym_parse(in->p->symbols, in->lx, &life->place));
    life->in_arena = !lex_take(in->lx, "output") && !lex_take(in->lx, "donated");
    if (!lex_take(in->lx, "else")) return FE_OK;
    FE_TRY(lex_expect(in->lx, "in"));
    return loop_read_buffer(in->reader, &life->else_in);
}

static fe_status parse_order(parsing *in)
{
    FE_TRY(lex_expect(in->lx, "peak"));
    FE_TRY(lex_int(in->lx, &in->s->order.peak));
    FE_TRY(lex_expect(in->lx, "bound"));
    return lex_int(in->lx, &in->s->order.bound);
}

static fe_status parse_line(parsing *in)
{
    if (lex_take(in->lx, "order")) return parse_order(in);
    if (lex_take(in->lx, "group")) return parse_group(in);
    if (lex_take(in->lx, "refuse")) return parse_refusal(in);
    if (lex_take(in->lx, "live")) return parse_life(in);
    return lex_fail(in->lx, "expected order, group, refuse or live");
}

fe_status sched_parse(fe_session *session, arena *memory, const char *source, size_t length,
                      sched_schedule **out)
{
    lexer lx;
    sched_schedule *s = NEW(memory, sched_schedule);
    parsing in = {.s = s, .lx = &lx};
    lex_init(&lx, session, "sched", source, length);
    FE_TRY(loop_parse_front(memory, &lx, "schedule", &in.p));
    s->program = in.p;
    s->memory = memory;
    s->lives = NEW_ARRAY(memory, sched_life, in.p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < in.p->buffers.count; b++)
        s->lives[b] = (sched_life){.root = b, .else_in = LOOP_NO_BUFFER};
    in.reader = loop_reader_new(in.p, &lx);
    FE_TRY(lex_expect(&lx, "schedule"));
    while (lx.token.kind != LEX_END) FE_TRY(parse_line(&in));
    *out = s;
    return lex_finish(&lx);
}
