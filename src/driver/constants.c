/* constants.c -- what a program computes of constants alone, computed while it is compiled: lowered
 * and run by the interpreter. */
#include "driver/driver.h"

#include <string.h>

typedef struct evaluation {
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
bool constants_evaluate(void *program, fx_graph *calls, void *const *bytes)
{
    driver_program *d = program;
    evaluation e = {calls, bytes, false};
    diag_mark_t mark = diag_mark(d->session);
    fe_status status = evaluate(d->session, &e);
    if (status != FE_OK) diag_forget_since(d->session, mark);
    return e.is_done;
}
