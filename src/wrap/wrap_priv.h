/* wrap_priv.h -- what the files of wrap/ share: the segments of an arena whose sizes the run decides. */
#ifndef FERRITE_WRAP_PRIV_H
#define FERRITE_WRAP_PRIV_H

#include "wrap/wrap.h"

typedef struct wrap_segments {
    uint32_t *first_birth; /* by segment: the group before which it must be placed */
} wrap_segments;

/* segment.c: fills w->segment_of and w->segment_count from where the schedule defines symbols. */
fe_status wrap_find_segments(wrap_program *w, const sched_schedule *s, wrap_segments *out,
                             arena *memory);

#endif
