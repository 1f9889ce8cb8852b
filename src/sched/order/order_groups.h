/* order_groups.h -- a schedule's groups as an ordering problem (order_problem.c), for the choice among
 * orders (order.c), and what it proves (order_relax.c). */
#ifndef FERRITE_SCHED_ORDER_GROUPS_H
#define FERRITE_SCHED_ORDER_GROUPS_H

#include "sched/order/order.h"
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
    uint32_t
        *rest_of;  /* by buffer: of what it alone has (group_problem_relax), NEVER; may be NULL */
    bool *has_raw; /* by storage: the raw result of a call lies there first */
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
/* What its nodes use, and what memory they may hand on, with the sizes that it has now. */
void group_problem_find_uses(group_problem *b);
void group_problem_find_takes(group_problem *b);

/* ---- order_early.c ---- */

/* Another order, in which devices are given their work earlier, and no memory's peak is higher. False: there
 * is none. */
bool order_early(group_problem *b, const uint32_t *order, uint32_t *out);

/* ---- order_relax.c ---- */

/* Sizes such that, in every order, the schedule has at least as much in use as the problem. False when
 * they are that already. */
bool group_problem_relax(group_problem *b);

#endif
