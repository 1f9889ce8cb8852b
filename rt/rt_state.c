/* rt_state.c - buffers that a program changes and keeps from run to run: each context has its own, or shares
 * those of another one, of the same program or of another of its library. */
#include "rt_entry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct rt_state {
    void *memory;
    uint32_t users; /* contexts */
};

/* Of all `users`: contexts that share may be of different threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const void *rt_here(void)
{
    return &lock;
}

static uint32_t device_of(const rt_program *program, uint32_t state)
{
    return program->weights[program->states[state]].device;
}

static size_t bytes_of(const rt_program *program, uint32_t state)
{
    return (size_t)program->weights[program->states[state]].bytes;
}

static void drop(const fe_context *context, uint32_t device, rt_state *state)
{
    if (!state) return;
    pthread_mutex_lock(&lock);
    uint32_t users = --state->users;
    pthread_mutex_unlock(&lock);
    if (users) return;
    if (state->memory) rt_memory_off(context, device, state->memory);
    free(state);
}

static rt_state *share(rt_state *state)
{
    pthread_mutex_lock(&lock);
    state->users++;
    pthread_mutex_unlock(&lock);
    return state;
}

void rt_states_free(fe_context *context)
{
    const rt_program *program = context->model->program;
    for (uint32_t k = 0; context->owned_states && k < program->state_count; k++)
        drop(context, device_of(program, k), context->owned_states[k]);
    free(context->owned_states);
    free(context->states);
    context->owned_states = NULL;
    context->states = NULL;
}

static int begin(rt_frame *frame, uint32_t k)
{
    fe_context *context = frame->context;
    const rt_program *program = context->model->program;
    rt_state *state = calloc(1, sizeof *state);
    if (!state) return FE_RUN_NO_MEMORY;
    context->owned_states[k] = state;
    state->users = 1;
    state->memory = rt_memory_on(context, device_of(program, k), bytes_of(program, k) + 1);
    if (!state->memory) return FE_RUN_NO_MEMORY;
    context->states[k] = state->memory;
    return rt_move(frame, 0, context->model->weights[program->states[k]], device_of(program, k),
                   state->memory, bytes_of(program, k));
}

int rt_states_new(fe_context *context)
{
    const rt_program *program = context->model->program;
    rt_frame frame = {.context = context};
    context->states = calloc(program->state_count + 1, sizeof *context->states);
    context->owned_states = calloc(program->state_count + 1, sizeof(rt_state *));
    if (!context->states || !context->owned_states) return FE_RUN_NO_MEMORY;
    for (uint32_t k = 0; k < program->state_count; k++) RT_TRY(begin(&frame, k));
    return 0;
}

/* ---- what the caller asks for ---- */

static int check_state(rt_frame *f, uint32_t state, int64_t bytes)
{
    const rt_program *program = f->context->model->program;
    f->context->error[0] = 0;
    if (state >= program->state_count)
        return rt_fail(f, FE_RUN_BAD_INPUT, "%s has no state %u", program->name, state);
    if (bytes == (int64_t)bytes_of(program, state)) return 0;
    return rt_fail(f, FE_RUN_BAD_INPUT, "state '%s' has %zu bytes, not %lld",
                   program->state_ports[state].name, bytes_of(program, state), (long long)bytes);
}

static int read_state(fe_context *context, uint32_t state, void *memory, int64_t bytes)
{
    rt_frame frame = {.context = context};
    RT_TRY(check_state(&frame, state, bytes));
    return rt_move(&frame, device_of(context->model->program, state), context->states[state], 0,
                   memory, (size_t)bytes);
}

static int write_state(fe_context *context, uint32_t state, const void *memory, int64_t bytes)
{
    rt_frame frame = {.context = context};
    RT_TRY(check_state(&frame, state, bytes));
    return rt_move(&frame, 0, memory, device_of(context->model->program, state),
                   context->states[state], (size_t)bytes);
}

/* ---- sharing ---- */

static int lie_alike(const fe_port *a, const fe_port *b)
{
    size_t bytes = a->rank * sizeof *a->sizes;
    return a->dtype == b->dtype && a->rank == b->rank && memcmp(a->sizes, b->sizes, bytes) == 0 &&
           memcmp(a->strides, b->strides, bytes) == 0;
}

/* The state of this name, or -1. */
static int64_t state_named(const rt_program *program, const char *name)
{
    for (uint32_t k = 0; k < program->state_count; k++)
        if (strcmp(program->state_ports[k].name, name) == 0) return k;
    return -1;
}

static int check_shared(rt_frame *f, uint32_t k, const rt_program *theirs, uint32_t j)
{
    const rt_program *program = f->context->model->program;
    const char *name = program->state_ports[k].name;
    if (device_of(program, k) || device_of(theirs, j))
        return rt_fail(f, FE_RUN_BAD_INPUT,
                       "state '%s' is in the memory of a device, which no other context reaches",
                       name);
    if (lie_alike(&program->state_ports[k], &theirs->state_ports[j]) &&
        bytes_of(program, k) == bytes_of(theirs, j))
        return 0;
    return rt_fail(f, FE_RUN_BAD_INPUT,
                   "state '%s' of %s and that of %s differ in dtype, sizes or strides", name,
                   program->name, theirs->name);
}

/* How many states both have; a fe_result. */
static int check_all(rt_frame *f, const rt_program *theirs, uint32_t *shared)
{
    const rt_program *program = f->context->model->program;
    *shared = 0;
    for (uint32_t k = 0; k < program->state_count; k++) {
        int64_t j = state_named(theirs, program->state_ports[k].name);
        if (j < 0) continue;
        RT_TRY(check_shared(f, k, theirs, (uint32_t)j));
        (*shared)++;
    }
    return 0;
}

static void share_one(fe_context *context, uint32_t k, rt_state *state)
{
    rt_state *before = context->owned_states[k];
    context->owned_states[k] = share(state);
    context->states[k] = state->memory;
    drop(context, 0, before);
}

/* All are looked at before the first is shared. */
static int share_states(fe_context *context, fe_context *with)
{
    rt_frame frame = {.context = context};
    uint32_t shared;
    context->error[0] = 0;
    if (with->runtime != context->runtime)
        return rt_fail(&frame, FE_RUN_BAD_INPUT,
                       "states are shared within one library: compile the programs together");
    const rt_program *program = context->model->program, *theirs = with->model->program;
    RT_TRY(check_all(&frame, theirs, &shared));
    if (!shared)
        return rt_fail(&frame, FE_RUN_BAD_INPUT, "%s and %s change no buffer of the same name",
                       program->name, theirs->name);
    for (uint32_t k = 0; k < program->state_count; k++) {
        int64_t j = state_named(theirs, program->state_ports[k].name);
        if (j >= 0) share_one(context, k, with->owned_states[j]);
    }
    return 0;
}

void rt_describe_states(const rt_program *p, fe_artifact *out)
{
    out->states = p->state_ports;
    out->state_count = p->state_count;
    out->read_state = read_state;
    out->write_state = write_state;
    out->share_states = share_states;
}

size_t rt_states_bytes(const fe_context *context)
{
    const rt_program *program = context->model->program;
    size_t sum = 0;
    for (uint32_t k = 0; k < program->state_count; k++) sum += bytes_of(program, k);
    return sum;
}
