/* interpret.c -- kernels without a C compiler: the nests of their group, one after another, by the loop
 * interpreter.
 *
 * What a nest reads it reads before a later one of its group writes over it, for each element: the
 * same holds when each nest is run to its end. The interpreter shares tables of its program, so calls
 * take turns, with a session of their own.
 */
#include "exec/exec_priv.h"

#include <pthread.h>
#include <stdio.h>

struct exec_interpreter {
    pthread_mutex_t turn;
    fe_session *session;
    arena *memory;        /* of the last nests that ran: what a failure left goes with it */
    loop_program program; /* the program's tables, and the session above */
};

/* A nest that runs at each step of another's reduction: its loops are parallel. */
static loop_op unrolled(loop_program *p, const loop_op *from, arena *memory)
{
    loop_op nest = *from;
    bool reduces = false;
    for (uint32_t i = 0; i < nest.store_count; i++)
        reduces |= nest.stores[i].reduce != LOOP_NO_REDUCE;
    if (reduces || !nest.reduce_axes) return nest;
    nest.stores = NEW_ARRAY(memory, loop_store, nest.store_count);
    for (uint32_t i = 0; i < nest.store_count; i++) nest.stores[i] = from->stores[i];
    for (uint32_t k = 0; k < nest.reduce_axes; k++) {
        sym_expr axis = loop_reduce_axis(p, k), to = loop_axis(p, nest.axes);
        for (uint32_t i = 0; i < nest.store_count; i++) {
            loop_store *store = &nest.stores[i];
            store->index = loop_substitute_index(p, store->index, &axis, &to, 1);
            store->value = loop_substitute(p, store->value, &axis, &to, 1);
        }
        nest.extents[nest.axes++] = nest.reduce_extents[k];
    }
    nest.reduce_axes = 0;
    return nest;
}

bool exec_symbol_value(void *run, sym_expr symbol, int64_t *value)
{
    const exec_run *r = run;
    uint32_t place = map_get(&r->x->symbol_places, symbol.id);
    if (place == MAP_NONE) return false;
    *value = r->f->symbols[place];
    return true;
}

typedef struct turn {
    exec_run *r;
    const sched_group *group;
} turn;

static fe_status run_group(fe_session *session, void *data)
{
    turn *t = data;
    exec_interpreter *i = t->r->x->interpreter;
    arena_free(i->memory);
    i->memory = NULL;
    arena *memory = i->memory = arena_new(session);
    loop_machine machine = {
        .buffers = t->r->buffers, .symbol = exec_symbol_value, .data = t->r, .memory = memory};
    fe_status status = FE_OK;
    for (uint32_t ph = 0; ph < t->group->phase_count; ph++)
        for (uint32_t k = 0; k < t->group->phases[ph].nest_count && status == FE_OK; k++) {
            loop_op nest = unrolled(&i->program, &t->group->phases[ph].nests[k].nest, memory);
            status = loop_interpret_op(&i->program, &machine, &nest);
        }
    for (uint32_t k = 0; k < t->group->local_count; k++) t->r->buffers[t->group->locals[k]] = NULL;
    arena_free(memory);
    i->memory = NULL;
    return status;
}

fe_status exec_take_turn(const exec_run *r, fe_status (*body)(fe_session *, void *), void *data,
                         const char **message)
{
    exec_interpreter *i = r->x->interpreter;
    *message = NULL;
    pthread_mutex_lock(&i->turn);
    diag_clear(i->session);
    fe_status status = session_guard(i->session, body, data);
    if (status != FE_OK)
        *message = i->session->first_diag ? i->session->first_diag->message : "a kernel failed";
    pthread_mutex_unlock(&i->turn);
    return status;
}

loop_program *exec_interpreted(const exec_run *r)
{
    return &r->x->interpreter->program;
}

int exec_interpret(exec_run *r, uint32_t group)
{
    turn t = {r, &r->x->facts.schedule->groups.at[group]};
    const char *message;
    fe_status status = exec_take_turn(r, run_group, &t, &message);
    if (status == FE_OK) return 0;
    return rt_fail(r->f, status == FE_NO_MEMORY ? FE_RUN_NO_MEMORY : FE_RUN_ASSERTION, "%s",
                   message);
}

exec_interpreter *exec_interpreter_new(const exec_program *x)
{
    exec_interpreter *i = NEW(x->memory, exec_interpreter);
    i->session = session_new();
    if (!i->session) session_no_memory(x->w->session);
    pthread_mutex_init(&i->turn, NULL);
    i->program = *x->w->loops;
    i->program.session = i->session;
    return i;
}

void exec_interpreter_free(exec_interpreter *i)
{
    if (!i) return;
    pthread_mutex_destroy(&i->turn);
    session_free(i->session);
}
