/* referee.c -- what each call should have given: the ops of its kernel one by one, as they were before
 * they were fused, by the loop interpreter, on copies of what the call is given. Operators that the
 * interpreter has no reference for are this process's own, on weights as they lie.
 *
 * Nothing is carried from call to call but what the run itself has made, so that errors do not add up and
 * the first call that is shown to be wrong is.
 */
#include "exec/exec_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct referee {
    const sched_schedule *schedule;
    exec_judge judge;
    sym_expr zero;
} referee;

/* Of one run. */
typedef struct refereed {
    arena *memory;  /* of the line at hand */
    void **buffers; /* what its operands held, then what they should hold */
    void **given;   /* of those that are written to: what they held */
    double magnitude;
    ty_dtype through; /* the floating type of least precision that the line computes in, or none */
    rt_frame *frame;  /* that operators are called with */
    bool is_known;    /* the line can be refereed */
} refereed;

/* A body of exec_take_turn(). */
typedef struct referee_turn {
    const referee *referee;
    const exec_moment *m;
    refereed *state;
    fe_session *session;
    const wrap_line *line;
} referee_turn;

static bool is_call(const wrap_line *line)
{
    return line->kind == WRAP_KERNEL || (line->kind == WRAP_EXTERN && !line->op->callee);
}

/* ---- before: copies ---- */

/* Numbers that differ from what they were. */
static void measure(refereed *state, ty_dtype dtype, const char *at, const char *was, int64_t bytes)
{
    ty_dtype part = ty_complex_to_real(dtype);
    int64_t size = (int64_t)ty_dtype_size(part);
    double value;
    if (!ty_is_floating(part)) return;
    for (int64_t i = 0; i + size <= bytes; i += size) {
        if (was && memcmp(at + i, was + i, (size_t)size) == 0) continue;
        loop_convert(TY_F64, &value, part, at + i);
        if (isfinite(value)) state->magnitude = fmax(state->magnitude, fabs(value));
    }
}

static void *copy(arena *memory, const char *from, int64_t bytes)
{
    return memcpy(arena_alloc(memory, (size_t)bytes + 1), from, (size_t)bytes);
}

/* What a buffer holds, where the host can read it; NULL: there is nothing. */
static const char *content_of(referee_turn *t, loop_buffer_id id, int64_t bytes)
{
    const exec_run *r = t->m->run;
    const loop_buffer *b = &r->w->loops->buffers.at[id];
    const char *from = t->m->buffers[id];
    uint32_t device = exec_device_of(r, id);
    if (b->kind == LOOP_CONSTANT && (!from || device)) return b->data;
    if (!from || !device || bytes <= 0) return from;
    exec_near near;
    if (!exec_bring(r, device, from, bytes, &near)) return NULL;
    from = copy(t->state->memory, near.at, bytes);
    exec_put_down(&near);
    return from;
}

/* A part is found in its whole, where the line is given that too. */
static bool copy_one(void *data, loop_buffer_id id, exec_use use)
{
    referee_turn *t = data;
    const exec_run *r = t->m->run;
    const loop_buffer *b = &r->w->loops->buffers.at[id];
    int64_t bytes = exec_number(r, r->w->storage[id].bytes);
    if (t->state->buffers[id] || bytes <= 0) return true;
    const char *from = content_of(t, id, bytes);
    if (!from) return true;
    /* what is written to may hold anything as yet */
    if (use == EXEC_READS)
        measure(t->state, b->dtype, from, NULL, bytes);
    else
        t->state->given[id] = copy(t->state->memory, from, bytes);
    if (b->kind != LOOP_CONSTANT) from = copy(t->state->memory, from, bytes);
    t->state->buffers[id] = (void *)(uintptr_t)from;
    return true;
}

static bool drop_part(void *data, loop_buffer_id id, exec_use use)
{
    referee_turn *t = data;
    loop_program *p = exec_interpreted(t->m->run);
    const loop_part *part = p->buffers.at[id].part;
    (void)use;
    for (; part; part = p->buffers.at[part->whole].part)
        if (t->state->buffers[part->whole]) t->state->buffers[id] = NULL;
    return true;
}

/* An op may name inputs that its kernel has no use for. */
static void add_inputs(referee_turn *t)
{
    const exec_run *r = t->m->run;
    for (loop_buffer_id id = 0; id < r->w->loops->buffers.count; id++)
        if (r->w->loops->buffers.at[id].kind != LOOP_TEMP && !t->state->buffers[id])
            t->state->buffers[id] =
                (void *)(uintptr_t)content_of(t, id, exec_number(r, r->w->storage[id].bytes));
}

static void read_packed(referee_turn *t)
{
    for (uint32_t i = 0; t->line->kind == WRAP_EXTERN && i < t->line->op->input_count; i++)
        if (t->line->weights[i] != WRAP_NO_WEIGHT)
            copy_one(t, t->line->op->inputs[i].buffer, EXEC_READS);
}

static fe_status copy_operands(fe_session *session, void *data)
{
    referee_turn *t = data;
    const wrap_program *w = t->m->run->w;
    t->state->memory = arena_new(session);
    t->state->buffers = NEW_ARRAY(t->state->memory, void *, w->loops->buffers.count + 1);
    t->state->given = NEW_ARRAY(t->state->memory, void *, w->loops->buffers.count + 1);
    t->state->magnitude = 0;
    exec_each_operand(w, t->line, copy_one, t);
    read_packed(t);
    exec_each_operand(w, t->line, drop_part, t);
    add_inputs(t);
    return FE_OK;
}

static bool fail(const exec_moment *m, const char *message)
{
    snprintf(m->message, m->message_bytes, "bisect: line %u: %s", m->line + 1, message);
    return false;
}

static bool before_line(void *data, const exec_moment *m)
{
    referee_turn t = {.referee = data, .m = m, .state = m->state};
    t.line = &m->run->w->lines.at[m->line];
    if (!is_call(t.line)) return true;
    const char *message;
    exec_take_turn(m->run, copy_operands, &t, &message);
    return !message || fail(m, message);
}

/* ---- after: what they should hold ---- */

static void describe(const referee_turn *t, const loop_view *view, void *const *buffers,
                     fe_tensor *out)
{
    const exec_run *r = t->m->run;
    arena *memory = t->state->memory;
    *out = (fe_tensor){0};
    if (view->buffer == LOOP_NO_BUFFER) return;
    out->dtype = (uint32_t)ty_dtype_number(view->dtype);
    out->rank = view->rank;
    int64_t *sizes = NEW_ARRAY(memory, int64_t, view->rank + 1),
            *strides = NEW_ARRAY(memory, int64_t, view->rank + 1);
    for (uint32_t d = 0; d < view->rank; d++) {
        sizes[d] = exec_number(r, view->sizes[d]);
        strides[d] = exec_number(r, view->strides[d]);
    }
    out->sizes = sizes;
    out->strides = strides;
    out->data = (char *)buffers[view->buffer] +
                exec_number(r, view->offset) * (int64_t)ty_dtype_size(view->dtype);
}

/* The operator of this process; a line with one that it does not have is not refereed. */
static fe_status run_own(void *data, const loop_program *p, const loop_op *op, void **buffers)
{
    referee_turn *t = data;
    const rt_library *own = &exec_own_library;
    arena *memory = t->state->memory;
    exec_operator function = NULL;
    for (uint32_t i = 0; i < own->operator_count; i++)
        if (strcmp(own->operators[i].name, op->kernel) == 0)
            function = (exec_operator)own->operators[i].function;
    t->state->is_known = function != NULL;
    if (!function) return FE_OK;
    fe_tensor *in = NEW_ARRAY(memory, fe_tensor, op->input_count + 1),
              *out = NEW_ARRAY(memory, fe_tensor, op->output_count + 1);
    int64_t *ints = NEW_ARRAY(memory, int64_t, op->int_count + 1);
    for (uint32_t i = 0; i < op->input_count; i++) describe(t, &op->inputs[i], buffers, &in[i]);
    for (uint32_t i = 0; i < op->output_count; i++) describe(t, &op->outputs[i], buffers, &out[i]);
    for (uint32_t i = 0; i < op->int_count; i++) ints[i] = exec_number(t->m->run, op->ints[i]);
    rt_call call = {.in = in,
                    .out = out,
                    .in_count = op->input_count,
                    .out_count = loop_result_count(p, op),
                    .states_nothing = 1, /* its weights are not packed */
                    .ints = ints,
                    .floats = op->floats,
                    .text = op->message};
    if (function(t->state->frame, &call) == 0) return FE_OK;
    return diag_fail(t->session, (diag){.status = FE_MISMATCH}, "%s",
                     rt_services_here.error(t->state->frame));
}

static bool symbol_value(void *data, sym_expr symbol, int64_t *value)
{
    const referee_turn *t = data;
    return exec_symbol_value((void *)(uintptr_t)t->m->run, symbol, value);
}

/* ---- how precise it can be ---- */

static int coarseness(ty_dtype d)
{
    switch (d) {
    case TY_NO_DTYPE: return 0;
    case TY_F64: return 1;
    case TY_F16: return 3;
    case TY_BF16: return 4;
    default: return ty_is_float8(d) ? 5 : 2;
    }
}

static void round_through(refereed *state, ty_dtype dtype)
{
    ty_dtype part = ty_complex_to_real(dtype);
    if (ty_is_floating(part) && coarseness(part) > coarseness(state->through))
        state->through = part;
}

static void round_node(void *data, loop_value v)
{
    referee_turn *t = data;
    const loop_node *n = loop_at(exec_interpreted(t->m->run), v);
    if (n->op != LOOP_LOAD && n->op != LOOP_CONST) round_through(t->state, n->dtype);
}

static void round_op(referee_turn *t, const loop_op *op)
{
    loop_program *p = exec_interpreted(t->m->run);
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(p, &op->stores[i], round_node, t);
        if (op->stores[i].buffer != LOOP_NO_BUFFER)
            round_through(t->state, p->buffers.at[op->stores[i].buffer].dtype);
    }
    for (uint32_t i = 0; i < op->output_count; i++) round_through(t->state, op->outputs[i].dtype);
}

static fe_status run_ops(referee_turn *t, loop_machine *machine)
{
    const sched_group *group = &t->referee->schedule->groups.at[t->line->call.group];
    loop_program *p = exec_interpreted(t->m->run);
    /* in the program's order; a group has few */
    for (uint32_t last = 0, next;; last = next + 1) {
        next = UINT32_MAX;
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t k = 0; k < group->phases[ph].nest_count; k++) {
                uint32_t op = group->phases[ph].nests[k].op;
                if (op >= last && op < next) next = op;
            }
        if (next == UINT32_MAX) return FE_OK;
        round_op(t, &p->ops.at[next]);
        FE_TRY(loop_interpret_op(p, machine, &p->ops.at[next]));
    }
}

static fe_status run_reference(fe_session *session, void *data)
{
    referee_turn *t = data;
    refereed *state = t->state;
    loop_machine machine = {.buffers = state->buffers,
                            .symbol = symbol_value,
                            .run_extern = run_own,
                            .data = t,
                            .memory = state->memory};
    t->session = session;
    state->is_known = true;
    state->through = TY_NO_DTYPE;
    if (t->line->kind == WRAP_EXTERN) {
        round_op(t, t->line->op);
        FE_TRY(loop_interpret_op(exec_interpreted(t->m->run), &machine, t->line->op));
    }
    return state->is_known && t->line->call.kernel ? run_ops(t, &machine) : FE_OK;
}

/* Has a later result of the same line its memory? An epilogue that works in place leaves its own. */
typedef struct covering {
    const exec_moment *m;
    loop_buffer_id id;
    bool is_covered;
} covering;

static bool look_for_cover(void *data, loop_buffer_id id, exec_use use)
{
    covering *c = data;
    c->is_covered |= use != EXEC_READS && id != c->id && c->m->buffers[id] == c->m->buffers[c->id];
    return true;
}

static bool show_view(const referee_turn *t, const loop_view *view, bool may_be_covered)
{
    covering cover = {t->m, view->buffer, false};
    const exec_judge *judge = &t->referee->judge;
    if (view->buffer == LOOP_NO_BUFFER) return true;
    if (may_be_covered) exec_each_operand(t->m->run->w, t->line, look_for_cover, &cover);
    if (cover.is_covered || !t->m->buffers[view->buffer] || !t->state->buffers[view->buffer])
        return true;
    return judge->look(judge->data, t->m, view, t->state->buffers[view->buffer],
                       t->state->magnitude, t->state->through);
}

static bool show_whole(const referee_turn *t, loop_buffer_id id)
{
    const loop_program *p = t->m->run->w->loops;
    const loop_buffer *b = &p->buffers.at[id];
    loop_view view = {.buffer = id,
                      .dtype = b->dtype,
                      .rank = b->rank,
                      .sizes = b->sizes,
                      .strides = b->strides,
                      .offset = t->referee->zero};
    return show_view(t, &view, false);
}

static bool measure_result(void *data, loop_buffer_id id, exec_use use)
{
    const referee_turn *t = data;
    const exec_run *r = t->m->run;
    if (use != EXEC_READS && t->state->given[id] && t->state->buffers[id])
        measure(t->state, r->w->loops->buffers.at[id].dtype, t->state->buffers[id],
                t->state->given[id], exec_number(r, r->w->storage[id].bytes));
    return true;
}

static bool show_results(referee_turn *t)
{
    const wrap_call *call = &t->line->call;
    const loop_op *op = t->line->kind == WRAP_EXTERN ? t->line->op : NULL;
    exec_each_operand(t->m->run->w, t->line, measure_result, t);
    for (uint32_t i = 0; op && i < loop_result_count(t->m->run->w->loops, op); i++)
        if (!show_view(t, &op->outputs[i], true)) return false;
    for (uint32_t i = 0; call->kernel && i < call->buffer_count; i++)
        if (call->buffers[i] != LOOP_NO_BUFFER && (!call->is_written || call->is_written[i]))
            if (!show_whole(t, call->buffers[i])) return false;
    return true;
}

static fe_status forget_operands(fe_session *session, void *data)
{
    refereed *state = data;
    (void)session;
    arena_free(state->memory);
    state->memory = NULL;
    return FE_OK;
}

static bool after_line(void *data, const exec_moment *m)
{
    referee_turn t = {.referee = data, .m = m, .state = m->state};
    t.line = &m->run->w->lines.at[m->line];
    if (!is_call(t.line)) return true;
    const char *message, *forgotten;
    exec_take_turn(m->run, run_reference, &t, &message);
    bool goes_on = message ? fail(m, message) : !t.state->is_known || show_results(&t);
    exec_take_turn(m->run, forget_operands, t.state, &forgotten);
    return goes_on;
}

/* ---- a run ---- */

static bool begin(void *data, exec_moment *m)
{
    refereed *state = m->state = rt_memory_new(sizeof *state);
    (void)data;
    if (state) {
        memset(state, 0, sizeof *state);
        state->frame = rt_services_here.frame_new(1);
        if (state->frame) return true;
    }
    snprintf(m->message, m->message_bytes, "no memory to referee a run with");
    return false;
}

static void release(void *data, void *state)
{
    refereed *r = state;
    (void)data;
    rt_services_here.frame_free(r->frame);
    rt_memory_free(r);
}

exec_observer exec_referee(const sched_schedule *s, const exec_judge *judge, arena *memory)
{
    referee *r = NEW(memory, referee);
    *r = (referee){s, *judge, sym_int(s->program->symbols, 0)};
    return (exec_observer){
        .begin = begin, .before = before_line, .after = after_line, .release = release, .data = r};
}
