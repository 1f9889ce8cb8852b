/* join.h -- see join.c. */
#ifndef FERRITE_SCHED_JOIN_H
#define FERRITE_SCHED_JOIN_H

#include "sched/legal.h"

/* A store of a group, and the phase that it is in. */
typedef struct written {
    const loop_form *form;
    const loop_store *store;
    uint32_t phase;
} written;

bool join_find_writer(const work_group *g, loop_buffer_id b, written *out);
/* Has it no loop that reduces? */
static inline bool join_is_flat(const loop_form *n)
{
    return n->parallel == n->count;
}
/* The group with nest n in it, its loops cut as both need; or why n has no place there. */
sched_reason join_loops(fuser *f, const work_group *group, const loop_form *n, work_group *out);

#endif
