/* result_name.c -- what messages and dumps call the result of a line: the nodes that it comes from, with
 * module and source line where the archive has them.
 */
#include "driver/driver.h"

#include <string.h>

static const char *name_of(driver_program *d, uint32_t origin, const char *otherwise)
{
    const char *note = driver_note(d, origin), *source = driver_source(d, origin);
    if (!note) return otherwise;
    return source ? arena_printf(d->memory, "%%%s, %s", note, source)
                  : arena_printf(d->memory, "%%%s", note);
}

/* What is returned in this buffer, where it was made for that alone: the node, not the output. */
static uint32_t returned_in(const driver_program *d, uint32_t origin, loop_buffer_id id)
{
    const fx_graph *g = d->graph;
    uint32_t count = 0;
    if (!g || !g->output || origin != g->output->id) return origin;
    for (uint32_t i = 0; i < g->outputs.count; i++) {
        const fx_arg *arg = &g->output->args[i];
        if (g->outputs.at[i].kind != FX_USER_OUTPUT || count >= d->loops->outputs.count) continue;
        const loop_output *o = &d->loops->outputs.at[count++];
        if (arg->kind == FX_ARG_NODE && o->kind == LOOP_OUT_TENSOR && o->view.buffer == id)
            return arg->node->id;
    }
    return origin;
}

/* The nest of the group that stores to the buffer last; NULL: none. */
static const loop_op *nest_of(const sched_group *group, loop_buffer_id id)
{
    const loop_op *found = NULL;
    for (uint32_t ph = 0; ph < group->phase_count; ph++)
        for (uint32_t i = 0; i < group->phases[ph].nest_count; i++) {
            const loop_op *nest = &group->phases[ph].nests[i].nest;
            for (uint32_t k = 0; k < nest->store_count; k++)
                if (nest->stores[k].buffer == id) found = nest;
        }
    return found;
}

/* The other nodes that were put into one call with the op of this origin. */
typedef struct with_list {
    driver_program *program;
    text out;
    const char *last;
    uint32_t count;
} with_list;

static void add_with(with_list *list, uint32_t origin)
{
    enum { MOST = 6 };
    const char *note = driver_note(list->program, origin);
    if (!note || (list->last && strcmp(note, list->last) == 0)) return;
    list->last = note;
    if (list->count < MOST) text_printf(&list->out, "%s%%%s", list->count ? ", " : ", with ", note);
    if (list->count == MOST) text_add(&list->out, ", ...");
    list->count++;
}

/* "%softmax (encoder), model.py:12 in forward, with %div, %add" */
static const char *nodes_text(driver_program *d, const wrap_line *line, const sched_group *group,
                              const loop_op *nest, loop_buffer_id id)
{
    uint32_t origin = returned_in(d, nest->origin, id);
    with_list list = {.program = d, .last = driver_note(d, origin)};
    text_init(&list.out, d->memory);
    const char *otherwise = line->call.kernel ? line->call.kernel : line->op->kernel;
    text_add(&list.out, name_of(d, origin, otherwise));
    if (line->kind == WRAP_EXTERN) add_with(&list, line->op->origin);
    for (uint32_t ph = 0; ph < group->phase_count; ph++)
        for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
            if (group->phases[ph].nests[i].nest.origin != nest->origin)
                add_with(&list, group->phases[ph].nests[i].nest.origin);
    return list.out.at;
}

const sched_group *driver_group(const driver_program *d, const wrap_line *line)
{
    bool is_call = line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN;
    return d->schedule && is_call ? &d->schedule->groups.at[line->call.group] : NULL;
}

const char *driver_result_nodes(driver_program *d, const wrap_line *line, loop_buffer_id id)
{
    const sched_group *group = driver_group(d, line);
    const loop_op *nest = group ? nest_of(group, id) : NULL;
    if (nest) return nodes_text(d, line, group, nest, id);
    if (wrap_is_of_operator(line, id)) return name_of(d, line->op->origin, line->op->kernel);
    return arena_printf(d->memory, "kernel %s", line->call.kernel);
}

const char *driver_result_name(void *program, const wrap_line *line, loop_buffer_id id)
{
    driver_program *d = program;
    const char *nodes = driver_result_nodes(d, line, id);
    if (!line->call.kernel) return arena_printf(d->memory, "the result of %s", nodes);
    return arena_printf(d->memory, "the result of %s (buffer %s)", nodes,
                        d->loops->buffers.at[id].name);
}
