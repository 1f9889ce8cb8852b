/* order_groups.h -- a schedule's groups as an ordering problem (order_problem.c), for the choice among
 * orders (order.c). */
#ifndef FERRITE_SCHED_ORDER_GROUPS_H
#define FERRITE_SCHED_ORDER_GROUPS_H

#include "sched/order.h"
#include "sched/sched_priv.h"

typedef struct id_list {
    VEC(uint32_t) ids;
} id_list;

/* A schedule as an ordering problem. */
typedef struct group_problem {
    fuser *f;
    sched_schedule *s;
    arena *memory;
    order_problem p;
    uint32_t *node_of;    /* by group; NEVER for assertions */
    uint32_t *group_of;   /* by node */
    uint32_t *position;   /* by op: its group */
    uint32_t *storage_of; /* by buffer: number in the problem, NEVER */
    bool *has_raw;        /* by storage: the raw result of a call lies there first */
    VEC(int64_t) bytes;
    VEC(uint32_t) owner;         /* by storage: buffer */
    const int64_t *all_bytes;    /* by storage: when nothing lies elsewhere */
    const sched_group *at_first; /* the groups as nodes know them: in the program's order */
    bool is_dynamic;
} group_problem;

/* Fills it for b->s, as it stands, in b->memory. */
void group_problem_build(group_problem *b);
/* What the schedule, as it stands, has in memory of outputs and inputs needs none of the arena's. False
 * when that changes nothing. */
bool group_problem_leave_out(group_problem *b);

#endif
