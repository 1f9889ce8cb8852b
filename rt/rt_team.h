/* rt_team.h - what a call of an operator works with: threads, and the memory that it has stated. */
#ifndef RT_TEAM_H
#define RT_TEAM_H

#include "rt_pool.h"
#include "rt_program.h"

rt_team rt_team_of(rt_frame *frame, const rt_call *call);

/* The run fails: a lease could not be had. */
int rt_no_room(rt_frame *frame, const rt_team *team);

#endif
