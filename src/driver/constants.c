/* constants.c -- what a program computes of constants alone, computed while it is compiled: lowered
 * and run by the interpreter or, where that would take long, compiled as a program of its own. */
#include "driver/driver.h"

#include <string.h>

typedef struct evaluation {
    const driver_program *program;
    fx_graph *calls;
    void *const *bytes;
    bool is_done;
} evaluation;

/* The interpreter's value of an output, element for element as metadata wants it laid out. */
static bool copy_out(const loop_program *p, const loop_output *out, void *const *buffers,
                     const ty_tensor *wanted, char *to)
{
    int64_t offset, stride[2][TY_MAX_RANK], sizes[TY_MAX_RANK], at[TY_MAX_RANK] = {0}, count = 1;
    size_t size = ty_dtype_size(wanted->dtype);
    const loop_view *v = &out->view;
    if (out->kind != LOOP_OUT_TENSOR || v->rank != wanted->rank ||
        p->buffers.at[v->buffer].dtype != wanted->dtype ||
        !sym_is_int(p->symbols, v->offset, &offset))
        return false;
    for (uint32_t k = 0; k < v->rank; k++) {
        if (!sym_is_int(p->symbols, v->sizes[k], &sizes[k]) ||
            !sym_is_int(p->symbols, v->strides[k], &stride[0][k]) ||
            !sym_is_int(p->symbols, wanted->strides[k], &stride[1][k]))
            return false;
        count *= sizes[k];
    }
    const char *from = buffers[v->buffer];
    for (int64_t i = 0; i < count; i++) {
        int64_t here = offset, there = 0;
        for (uint32_t k = 0; k < v->rank; k++) {
            here += at[k] * stride[0][k];
            there += at[k] * stride[1][k];
        }
        memcpy(to + (size_t)there * size, from + (size_t)here * size, size);
        for (uint32_t k = v->rank; k-- > 0;) {
            if (++at[k] < sizes[k]) break;
            at[k] = 0;
        }
    }
    return true;
}

static fe_status evaluate(fe_session *session, void *data)
{
    evaluation *e = data;
    loop_program *p;
    arena *memory = arena_new(session);
    fe_status status = lower_graph(e->calls, memory, NULL, &(lower_choices){0}, &p);
    if (status == FE_OK) {
        loop_machine machine = {.buffers = NEW_ARRAY(memory, void *, p->buffers.count + 1),
                                .memory = memory};
        status = loop_interpret(p, &machine);
        e->is_done = status == FE_OK;
        for (uint32_t k = 0; e->is_done && k < p->outputs.count; k++)
            e->is_done = copy_out(p, &p->outputs.at[k], machine.buffers,
                                  fx_arg_tensor(&e->calls->output->args[k]), e->bytes[k]);
    }
    arena_free(memory);
    return status;
}

/* Whatever fails here is left to the program's own run. */
static bool attempt(evaluation *e, fe_status (*body)(fe_session *, void *))
{
    fe_session *session = e->program->session;
    diag_mark_t mark = diag_mark(session);
    if (body(session, e) != FE_OK) diag_forget_since(session, mark);
    return e->is_done;
}

bool constants_evaluate(void *program, fx_graph *calls, void *const *bytes)
{
    driver_program *d = program;
    evaluation e = {d, calls, bytes, false};
    return attempt(&e, evaluate);
}

/* ---- as a program ---- */

/* For any machine, so that weights are the same numbers whoever compiles. */
static driver_options options_for(const driver_options *given, arena *memory)
{
    driver_options o;
    driver_default_options(memory, &o);
    o.input = "constants.fx";
    o.isa = "baseline";
    o.target = "process";
    o.cc = given->cc;
    o.cache = given->cache;
    o.cache_size = given->cache_size;
    o.lapack = given->lapack;
    o.jobs = given->jobs;
    return o;
}

static fe_status call(driver_program *d, const evaluation *e)
{
    const fe_artifact *a = d->loaded.artifact;
    fe_tensor *outputs = NEW_ARRAY(d->memory, fe_tensor, a->output_count);
    fe_context *context;
    for (uint32_t k = 0; k < a->output_count; k++) {
        const ty_tensor *t = fx_arg_tensor(&e->calls->output->args[k]);
        int64_t *numbers = NEW_ARRAY(d->memory, int64_t, 2 * t->rank + 1);
        for (uint32_t i = 0; i < t->rank; i++)
            if (!sym_is_int(e->calls->symbols, t->sizes[i], &numbers[i]) ||
                !sym_is_int(e->calls->symbols, t->strides[i], &numbers[t->rank + i]))
                return FE_UNSUPPORTED;
        outputs[k] = (fe_tensor){e->bytes[k], (uint32_t)ty_dtype_number(t->dtype), t->rank, numbers,
                                 numbers + t->rank};
    }
    if (a->context_new(d->loaded.model, d->options.jobs, &context)) return FE_NO_MEMORY;
    int code = a->run(context, NULL, 0, outputs, a->output_count);
    a->context_free(context);
    return code ? FE_INTERNAL : FE_OK;
}

static fe_status compute(fe_session *session, void *data)
{
    evaluation *e = data;
    arena *memory = arena_new(session);
    driver_options o = options_for(&e->program->options, memory);
    driver_program *d = NULL;
    fe_status status = driver_begin(session, &o, memory, &d);
    if (status == FE_OK)
        status = lower_graph(e->calls, memory, NULL, &(lower_choices){0}, &d->loops);
    if (status == FE_OK) status = driver_advance(d, STAGE_SCHED, STAGE_WRAP);
    if (status == FE_OK) status = driver_load(d);
    if (status == FE_OK) status = call(d, e);
    e->is_done = status == FE_OK;
    driver_close(d);
    return status;
}

bool constants_compute(void *program, fx_graph *calls, void *const *bytes)
{
    driver_program *d = program;
    evaluation e = {d, calls, bytes, false};
    return !d->options.no_cc && attempt(&e, compute);
}
