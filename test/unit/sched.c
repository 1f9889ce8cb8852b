/* sched.c -- src/sched: the text of every program's schedule comes back; random programs keep the laws
 * and their values, one nest at a time and compiled. What the scheduler decides is tested by texts in
 * test/sched. */
#include "archives.h"

#include <string.h>

static fe_status round_trip(fe_session *session, driver_program *d)
{
    text first, second;
    sched_schedule *again;
    text_init(&first, d->memory);
    text_init(&second, d->memory);
    sched_print(d->schedule, &first);
    FE_TRY(sched_parse(session, d->memory, first.at, first.length, &again));
    sched_print(again, &second);
    EXPECT_TEXT(second.at, first.at);
    return sched_check(again);
}

TEST(sched_text_of_every_program_comes_back)
{
    unit_each_archive(STAGE_SCHED, round_trip);
}

/* What later stages make of the schedule that was read is what they make of the one that was built.
 */
static fe_status same_wrapper(fe_session *session, driver_program *d)
{
    text source, first, second;
    text_init(&source, d->memory);
    text_init(&first, d->memory);
    text_init(&second, d->memory);
    d->graph = NULL; /* provenance is not in the text */
    sched_print(d->schedule, &source);
    FE_TRY(driver_advance(d, STAGE_KERN, STAGE_WRAP));
    wrap_print(d->wrapper, &first);
    FE_TRY(sched_parse(session, d->memory, source.at, source.length, &d->schedule));
    d->loops = d->schedule->program;
    FE_TRY(driver_advance(d, STAGE_KERN, STAGE_WRAP));
    wrap_print(d->wrapper, &second);
    EXPECT_TEXT(second.at, first.at);
    return FE_OK;
}

TEST(sched_text_holds_all_that_later_stages_need)
{
    unit_each_archive(STAGE_SCHED, same_wrapper);
}

/* ---- random programs ---- */

/* Whole numbers throughout, so that the order of a sum does not matter. */
typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice *d, uint32_t sides)
{
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(d->state >> 33) % sides;
}

enum { RANK = 3, OPS = 14 };

static loop_buffer_id add_buffer(loop_program *p, loop_buffer_kind kind, const int64_t *shape)
{
    sym_expr sizes[RANK], strides[RANK];
    int64_t step = 1;
    for (int d = RANK; d-- > 0; step *= shape[d]) {
        sizes[d] = sym_int(p->symbols, shape[d]);
        strides[d] = sym_int(p->symbols, step);
    }
    loop_buffer b = {.kind = kind,
                     .dtype = TY_I64,
                     .device = {.index = -1},
                     .rank = RANK,
                     .sizes = sizes,
                     .strides = strides,
                     .origin = UINT32_MAX,
                     .input = p->inputs.count};
    return loop_add_buffer(p, b);
}

static int64_t size_of(const loop_program *p, loop_buffer_id b, int d)
{
    int64_t size = 0;
    sym_is_int(p->symbols, p->buffers.at[b].sizes[d], &size);
    return size;
}

/* sum of strides[from[d]] * axes[d] over the buffer's dimensions, plus `shift` steps of dimension 0 */
static sym_expr index_of(loop_program *p, loop_buffer_id b, const sym_expr *axes, const int *from,
                         int64_t shift)
{
    const loop_buffer *buffer = &p->buffers.at[b];
    sym_expr index = sym_mul_int(p->symbols, buffer->strides[0], shift);
    for (int d = 0; d < RANK; d++)
        index = sym_add(p->symbols, index, sym_mul(p->symbols, buffer->strides[from[d]], axes[d]));
    return index;
}

static void add_nest(loop_program *p, loop_op nest, loop_store st)
{
    nest.stores = arena_copy(p->memory, &st, sizeof st);
    nest.store_count = 1;
    nest.origin = UINT32_MAX;
    *loop_add_op(p, LOOP_NEST) = nest;
}

/* Another look at `from` (permuted, reversed or without its first row) plus what broadcasts onto it. */
static void add_pointwise(loop_program *p, dice *d, loop_buffer_id from, loop_buffer_id other)
{
    static const int perms[][RANK] = {{0, 1, 2}, {0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
    static const int same[RANK] = {0, 1, 2};
    const int *perm = perms[roll(d, 5)];
    loop_op nest = {.kind = LOOP_NEST, .axes = RANK};
    sym_expr axes[RANK], own[RANK], read[RANK];
    int64_t shape[RANK], cut = size_of(p, from, 0) > 1 && roll(d, 4) == 0;
    bool broadcasts = true;
    for (int k = 0; k < RANK; k++) {
        shape[k] = size_of(p, from, perm[k]) - (perm[k] == 0 ? cut : 0);
        axes[k] = own[k] = loop_axis(p, (uint32_t)k);
        nest.extents[k] = sym_int(p->symbols, shape[k]);
        broadcasts &= size_of(p, other, k) == shape[k] || size_of(p, other, k) == 1;
        if (size_of(p, other, k) == 1) own[k] = sym_int(p->symbols, 0);
        bool reverse = roll(d, 8) == 0;
        read[k] =
            reverse ? sym_sub(p->symbols, sym_int(p->symbols, shape[k] - 1), axes[k]) : axes[k];
    }
    loop_value v = loop_load(p, from, index_of(p, from, read, perm, cut));
    if (broadcasts)
        v = loop_binary(p, LOOP_ADD, v, loop_load(p, other, index_of(p, other, own, same, 0)));
    v = loop_binary(p, LOOP_SUB, v, loop_const_int(p, TY_I64, roll(d, 5)));
    loop_buffer_id to = add_buffer(p, LOOP_TEMP, shape);
    add_nest(p, nest,
             (loop_store){.buffer = to, .index = index_of(p, to, axes, same, 0), .value = v});
}

static void add_reduction(loop_program *p, dice *d, loop_buffer_id from)
{
    static const int same[RANK] = {0, 1, 2};
    loop_op nest = {.kind = LOOP_NEST};
    sym_expr read[RANK], store[RANK];
    int64_t shape[RANK];
    uint32_t kept = roll(d, 7);
    for (int k = 0; k < RANK; k++) {
        sym_expr extent = p->buffers.at[from].sizes[k];
        bool keep = kept >> k & 1;
        shape[k] = keep ? size_of(p, from, k) : 1;
        read[k] = keep ? loop_axis(p, nest.axes) : loop_reduce_axis(p, nest.reduce_axes);
        store[k] = keep ? read[k] : sym_int(p->symbols, 0);
        *(keep ? &nest.extents[nest.axes++] : &nest.reduce_extents[nest.reduce_axes++]) = extent;
    }
    loop_buffer_id to = add_buffer(p, LOOP_TEMP, shape);
    add_nest(p, nest,
             (loop_store){.buffer = to,
                          .index = index_of(p, to, store, same, 0),
                          .value = loop_load(p, from, index_of(p, from, read, same, 0)),
                          .reduce = roll(d, 2) ? LOOP_SUM : LOOP_REDUCE_MAX});
}

/* The elements in one row, as a reshape gives them. */
static void add_flat(loop_program *p, loop_buffer_id from)
{
    int64_t shape[RANK] = {1, 1, size_of(p, from, 0) * size_of(p, from, 1) * size_of(p, from, 2)};
    loop_op nest = {.kind = LOOP_NEST, .axes = 1, .extents = {sym_int(p->symbols, shape[2])}};
    loop_buffer_id to = add_buffer(p, LOOP_TEMP, shape);
    loop_value v = loop_unary(p, LOOP_NEG, loop_load(p, from, loop_axis(p, 0)));
    add_nest(p, nest, (loop_store){.buffer = to, .index = loop_axis(p, 0), .value = v});
}

static void add_extern(loop_program *p, loop_buffer_id from)
{
    int64_t shape[RANK];
    for (int k = 0; k < RANK; k++) shape[k] = size_of(p, from, k);
    loop_view views[2] = {loop_view_of(p, from), loop_view_of(p, add_buffer(p, LOOP_TEMP, shape))};
    loop_op *op = loop_add_op(p, LOOP_EXTERN);
    op->kernel = intern(p->session, "copy");
    op->inputs = arena_copy(p->memory, &views[0], sizeof *views);
    op->outputs = arena_copy(p->memory, &views[1], sizeof *views);
    op->input_count = op->output_count = 1;
    op->ints = NEW(p->memory, sym_expr);
    op->ints[0] = sym_int(p->symbols, 0);
    op->int_count = 1;
}

/* What was made before changes in place. */
static void add_mutation(loop_program *p, loop_buffer_id to)
{
    static const int same[RANK] = {0, 1, 2};
    loop_op nest = {.kind = LOOP_NEST, .axes = RANK};
    sym_expr axes[RANK];
    for (int k = 0; k < RANK; k++) {
        axes[k] = loop_axis(p, (uint32_t)k);
        nest.extents[k] = p->buffers.at[to].sizes[k];
    }
    add_nest(p, nest,
             (loop_store){.buffer = to,
                          .index = index_of(p, to, axes, same, 0),
                          .value = loop_const_int(p, TY_I64, 3),
                          .mode = LOOP_ADD_INTO});
}

static loop_program *random_program(fe_session *session, dice *d)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 6};
    loop_program *p =
        loop_program_new(session, session->memory, sym_table_new(session->memory), "random");
    int64_t shape[RANK];
    for (int k = 0; k < RANK; k++) shape[k] = sizes[roll(d, 5)];
    loop_buffer_id x = add_buffer(p, LOOP_INPUT, shape);
    vec_push(p->memory, &p->inputs, (loop_input){.name = "x", .is_tensor = true, .buffer = x});
    for (int i = 0; i < OPS; i++) {
        uint32_t kind = roll(d, 10), count = p->buffers.count;
        loop_buffer_id from = roll(d, 3) ? count - 1 : roll(d, count), other = roll(d, count);
        if (kind < 6)
            add_pointwise(p, d, from, other);
        else if (kind < 8)
            add_reduction(p, d, from);
        else if (kind == 8)
            add_flat(p, from);
        else if (roll(d, 2) || from == x)
            add_extern(p, from);
        else
            add_mutation(p, from);
    }
    for (uint32_t k = 1; k <= 2; k++) {
        loop_output o = {.kind = LOOP_OUT_TENSOR, .view = loop_view_of(p, p->buffers.count - k)};
        vec_push(p->memory, &p->outputs, o);
    }
    return p;
}

/* The only extern call here copies a whole buffer. */
static fe_status run_copy(void *data, const loop_program *p, const loop_op *op, void **buffers)
{
    const loop_buffer *b = &p->buffers.at[op->inputs[0].buffer];
    int64_t elements = 0;
    (void)data;
    sym_is_int(p->symbols, b->elements, &elements);
    memcpy(buffers[op->outputs[0].buffer], buffers[op->inputs[0].buffer],
           (size_t)elements * sizeof(int64_t));
    return FE_OK;
}

/* Runs the program; the memory of its buffers afterwards. */
static fe_status interpret(loop_program *p, void ***out)
{
    void **buffers = NEW_ARRAY(p->memory, void *, p->buffers.count);
    for (uint32_t b = 0; b < p->buffers.count; b++) {
        int64_t elements = 0;
        sym_is_int(p->symbols, p->buffers.at[b].elements, &elements);
        int64_t *made = NEW_ARRAY(p->memory, int64_t, elements + 1);
        for (int64_t i = 0; i < elements && p->buffers.at[b].kind == LOOP_INPUT; i++)
            made[i] = i * i % 37 - 11;
        buffers[b] = made;
    }
    loop_machine machine = {.buffers = buffers, .run_extern = run_copy, .memory = p->memory};
    *out = buffers;
    return loop_interpret(p, &machine);
}

/* The program with its ops in the schedule's order, nests as the schedule rewrote them. */
static loop_program *scheduled_program(const sched_schedule *s)
{
    loop_program *p = NEW(s->memory, loop_program);
    *p = *s->program;
    p->ops.at = NULL;
    p->ops.count = p->ops.capacity = 0;
    for (uint32_t g = 0; g < s->groups.count; g++) {
        const sched_group *group = &s->groups.at[g];
        if (group->kind != SCHED_KERNEL)
            *loop_add_op(p, LOOP_EXTERN) = s->program->ops.at[group->extern_op];
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++) {
                loop_op nest = group->phases[ph].nests[i].nest;
                bool reduces = nest.stores[0].reduce != LOOP_NO_REDUCE;
                for (uint32_t k = 0; k < nest.reduce_axes && !reduces; k++) {
                    /* a nest that runs at each step of another's reduction: its loops are parallel */
                    sym_expr from = loop_reduce_axis(p, k), to = loop_axis(p, nest.axes);
                    nest.stores[0].index =
                        sym_substitute(p->symbols, nest.stores[0].index, &from, &to, 1);
                    nest.stores[0].value = loop_substitute(p, nest.stores[0].value, &from, &to, 1);
                    nest.extents[nest.axes++] = nest.reduce_extents[k];
                }
                if (!reduces) nest.reduce_axes = 0;
                *loop_add_op(p, LOOP_NEST) = nest;
            }
    }
    return p;
}

SESSION_TEST(random_programs_keep_the_laws_and_their_values)
{
    target_machine small = *target_named("x86-64-v3");
    small.limits.tile_bytes = 1 << 14;
    sched_options options = {.target = &small};
    uint32_t fused = 0;
    for (uint32_t seed = 1; seed <= 400; seed++) {
        dice d = {seed * 7919u};
        loop_program *p = random_program(session, &d);
        sched_schedule *s;
        void **wanted, **got;
        FE_TRY(loop_check(p, "random"));
        FE_TRY(interpret(p, &wanted));
        FE_TRY(sched_build(p, &options, session->memory, &s));
        FE_TRY(interpret(scheduled_program(s), &got));
        fused += p->ops.count - s->groups.count;
        for (uint32_t k = 0; k < p->outputs.count; k++) {
            loop_buffer_id b = p->outputs.at[k].view.buffer;
            int64_t elements = 0;
            sym_is_int(p->symbols, p->buffers.at[b].elements, &elements);
            if (EXPECT(memcmp(wanted[b], got[b], (size_t)elements * sizeof(int64_t)) == 0))
                continue;
            text out;
            text_init(&out, session->memory);
            sched_print(s, &out);
            EXPECT_TEXT(out.at, "a schedule that computes the same");
            return FE_OK;
        }
    }
    EXPECT(fused > 1000);
    return FE_OK;
}

/* ---- the same, compiled and run ---- */

typedef struct random_run {
    uint32_t seed;
    driver_program *program;
    fe_context *context;
} random_run;

/* Through kernels, wrapper and C compiler: fused nests compute what the interpreter does one by one. */
static fe_status run_random(fe_session *session, void *data)
{
    random_run *run = data;
    dice d = {run->seed * 7919u};
    driver_program *program = NEW(session->memory, driver_program);
    void **wanted;
    *program = (driver_program){.session = session, .memory = session->memory, .name = "random"};
    run->program = program;
    driver_default_options(session->memory, &program->options);
    program->options.input = "random";
    program->options.jobs = 1;
    program->target = toolchain_target(program->options.isa);
    loop_program *p = program->loops = random_program(session, &d);
    FE_TRY(interpret(p, &wanted));
    FE_TRY(driver_advance(program, STAGE_SCHED, STAGE_EMIT));
    FE_TRY(driver_load(program));
    const fe_artifact *a = program->loaded.artifact;
    if (!EXPECT(a->context_new(program->loaded.model, 2, &run->context) == FE_RUN_OK)) return FE_OK;
    int64_t sizes[RANK], elements = 1, *x;
    for (int k = 0; k < RANK; k++) elements *= sizes[k] = size_of(p, p->inputs.at[0].buffer, k);
    x = NEW_ARRAY(session->memory, int64_t, elements + 1);
    for (int64_t i = 0; i < elements; i++) x[i] = i * i % 37 - 11; /* as in interpret */
    fe_tensor in = {x, FE_I64, RANK, sizes, NULL}, out[2] = {{0}, {0}};
    EXPECT_INT(a->run(run->context, &in, 1, out, 2), FE_RUN_OK);
    for (uint32_t k = 0; k < p->outputs.count; k++) {
        loop_buffer_id b = p->outputs.at[k].view.buffer;
        size_t bytes =
            sizeof(int64_t) * (size_t)(size_of(p, b, 0) * size_of(p, b, 1) * size_of(p, b, 2));
        if (!EXPECT(out[k].data && memcmp(wanted[b], out[k].data, bytes) == 0))
            EXPECT_INT(run->seed, 0);
    }
    return FE_OK;
}

TEST(random_programs_run_as_the_interpreter_says)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        random_run run = {.seed = seed};
        fe_session *session = session_new();
        EXPECT_INT(session_guard(session, run_random, &run), FE_OK);
        if (run.context) run.program->loaded.artifact->context_free(run.context);
        driver_unload(run.program);
        session_free(session);
    }
}
