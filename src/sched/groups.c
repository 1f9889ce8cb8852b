/* groups.c -- groups in an order that respects dependences, otherwise the program's, by their
 * last members. */
#include "sched/sched_priv.h"

typedef struct frame {
    uint32_t group, op, dep; /* where the walk over the group's dependences stands */
} frame;

static void emit_with_needs(fuser *f, uint32_t start, uint8_t *done, uint32_t *order,
                            uint32_t *count)
{
    VEC(frame) stack = {0};
    vec_push(f->memory, &stack, (frame){start, 0, 0});
    done[start] = 1;
    while (stack.count) {
        frame *top = &vec_last(&stack);
        const work_group *g = &f->groups.at[top->group];
        if (top->op == g->ops.count) {
            order[(*count)++] = top->group;
            stack.count--;
            continue;
        }
        uint32_t op = g->ops.at[top->op], i = f->deps.first[op] + top->dep;
        if (i == f->deps.first[op + 1]) {
            top->op++;
            top->dep = 0;
            continue;
        }
        top->dep++;
        uint32_t needed = f->group_of[f->deps.at.at[i]];
        if (done[needed]) continue;
        done[needed] = 1;
        vec_push(f->memory, &stack, (frame){needed, 0, 0});
    }
}

void order_groups(fuser *f, uint32_t *order)
{
    uint32_t count = 0;
    uint8_t *done = NEW_ARRAY(f->memory, uint8_t, f->groups.count + 1);
    uint32_t *last_of = NEW_ARRAY(f->memory, uint32_t, f->p->ops.count + 1);
    for (uint32_t op = 0; op < f->p->ops.count; op++) last_of[op] = UINT32_MAX;
    for (uint32_t g = 0; g < f->groups.count; g++) last_of[vec_last(&f->groups.at[g].ops)] = g;
    for (uint32_t op = 0; op < f->p->ops.count; op++)
        if (last_of[op] != UINT32_MAX && !done[last_of[op]])
            emit_with_needs(f, last_of[op], done, order, &count);
    CHECK(f->p->session, count == f->groups.count);
}
