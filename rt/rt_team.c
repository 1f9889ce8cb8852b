/* rt_team.c - what a call of an operator works with. */
#include "rt_team.h"
#include "rt_entry.h"
#include "rt_need.h"

static const int64_t MOST_BYTES = (int64_t)(SIZE_MAX >> 20);

rt_team rt_team_of(rt_frame *frame, const rt_call *call)
{
    rt_team team = {.pool = frame->pool, .area = &frame->context->area};
    uintptr_t begin = ((uintptr_t)call->work + RT_LINE - 1) / RT_LINE * RT_LINE,
              end = (uintptr_t)call->work + (size_t)call->work_bytes;
    team.has_stated = !call->states_nothing;
    team.room = rt_area_in(call->room, (size_t)call->room_bytes, team.pool, (size_t)call->each);
    if (!call->work || end < begin) return team;
    team.shared = (char *)begin;
    team.shared_bytes = end - begin;
    return team;
}

int rt_no_room(rt_frame *frame, const rt_team *team)
{
    if (team->asked)
        return rt_fail(frame, FE_RUN_ASSERTION, "an operator works in %zu bytes and has stated %zu",
                       team->asked, team->stated);
    return rt_fail(frame, FE_RUN_NO_MEMORY, "no memory to work in");
}

/* Where there is none, what was there is gone: the next run asks for all of it again. */
int rt_make_area(rt_frame *frame, int64_t each)
{
    rt_area *area = &frame->context->area;
    if (each <= (int64_t)area->each) return 0;
    if (each > MOST_BYTES)
        return rt_fail(frame, FE_RUN_NO_MEMORY, "the sizes of this run are too large");
    if (rt_area_grow(area, frame->pool, (size_t)each) == 0) return 0;
    return rt_fail(frame, FE_RUN_NO_MEMORY, "no memory for %lld bytes that each thread works in",
                   (long long)each);
}
