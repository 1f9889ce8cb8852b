/* check.c -- laws S1, S2, S4 and S5 of the schedule (S3 is proved where nests are joined, in legal.c). */
#include "sched/sched.h"

typedef struct checker {
    const sched_schedule *s;
    uint32_t *group_of;  /* by op */
    uint32_t *local_to;  /* by buffer: the group that keeps it, UINT32_MAX */
    arena *memory;
    uint32_t group;
    fe_status status;
} checker;

static void broken(checker *c, const char *law, const char *what, const char *name)
{
    if (c->status != FE_OK) return;
    c->status = diag_fail(c->s->program->session,
                          (diag){.status = FE_INTERNAL, .stage = "sched",
                                 .place = arena_printf(c->memory, "group %u", c->group),
                                 .help = "this is a fault of ferrite's own: please report it with the program"},
                          "law %s: %s: %s", law, what, name);
}

static void check_access(checker *c, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER) return;
    const loop_program *p = c->s->program;
    const sched_life *life = &c->s->lives[b];
    if (c->local_to[b] != UINT32_MAX && c->local_to[b] != c->group)
        broken(c, "S4", "a local buffer is used by another group", p->buffers.at[b].name);
    if (p->buffers.at[b].kind != LOOP_TEMP || c->local_to[b] != UINT32_MAX) return;
    if (c->group < life->birth || c->group >= life->death)
        broken(c, "S5", "a buffer is used outside its lifetime", p->buffers.at[b].name);
}

static void check_load(void *data, loop_value v)
{
    checker *c = data;
    const loop_node *n = loop_at(c->s->program, v);
    if (n->op == LOOP_LOAD) check_access(c, n->buffer);
}

static void check_op(checker *c, uint32_t op, const loop_op *nest)
{
    if (c->group_of[op] != UINT32_MAX) broken(c, "S1", "an op is in two groups", nest->kernel ? nest->kernel : "nest");
    c->group_of[op] = c->group;
    for (uint32_t i = 0; i < nest->store_count; i++) {
        loop_each_node(c->s->program, nest->stores[i].value, check_load, c);
        check_access(c, nest->stores[i].buffer);
    }
    for (uint32_t i = 0; i < nest->input_count; i++)
        check_access(c, nest->inputs[i].buffer);
    for (uint32_t i = 0; i < nest->output_count; i++)
        check_access(c, nest->outputs[i].buffer);
}

/* S2: nothing is read before a group has written it. Temps that no op writes are the lowering's mistake (loop law L3). */
static void check_order(checker *c)
{
    const sched_schedule *s = c->s;
    bool *is_written = NEW_ARRAY(c->memory, bool, s->program->buffers.count + 1);
    for (uint32_t g = 0; g < s->groups.count; g++) {
        const sched_group *group = &s->groups.at[g];
        c->group = g;
        if (group->kind == SCHED_EXTERN) {
            const loop_op *op = &s->program->ops.at[group->extern_op];
            for (uint32_t i = 0; i < op->input_count; i++) {
                loop_buffer_id b = op->inputs[i].buffer;
                if (b != LOOP_NO_BUFFER && s->program->buffers.at[b].kind == LOOP_TEMP && !is_written[b])
                    broken(c, "S2", "an extern call reads what nothing has written", s->program->buffers.at[b].name);
            }
            for (uint32_t i = 0; i < op->output_count; i++)
                if (op->outputs[i].buffer != LOOP_NO_BUFFER) is_written[op->outputs[i].buffer] = true;
        }
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                for (uint32_t k = 0; k < group->phases[ph].nests[i].nest.store_count; k++)
                    is_written[group->phases[ph].nests[i].nest.stores[k].buffer] = true;
    }
}

fe_status sched_check(sched_schedule *s)
{
    const loop_program *p = s->program;
    arena *memory = arena_new(p->session);
    checker c = {.s = s, .memory = memory, .group_of = NEW_ARRAY(memory, uint32_t, p->ops.count + 1),
                 .local_to = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1)};
    for (uint32_t i = 0; i < p->ops.count; i++)
        c.group_of[i] = UINT32_MAX;
    for (uint32_t b = 0; b < p->buffers.count; b++)
        c.local_to[b] = UINT32_MAX;
    for (uint32_t g = 0; g < s->groups.count; g++)
        for (uint32_t i = 0; i < s->groups.at[g].local_count; i++)
            c.local_to[s->groups.at[g].locals[i]] = g;
    for (uint32_t g = 0; g < s->groups.count; g++) {
        const sched_group *group = &s->groups.at[g];
        c.group = g;
        if (group->kind != SCHED_KERNEL) check_op(&c, group->extern_op, &p->ops.at[group->extern_op]);
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                check_op(&c, group->phases[ph].nests[i].op, &group->phases[ph].nests[i].nest);
    }
    for (uint32_t i = 0; i < p->ops.count; i++)
        if (c.group_of[i] == UINT32_MAX) broken(&c, "S1", "an op is in no group", arena_printf(memory, "op %u", i));
    check_order(&c);
    arena_free(memory);
    return c.status;
}
