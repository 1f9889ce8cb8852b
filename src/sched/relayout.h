/* relayout.h -- a buffer laid out anew: see relayout.c. */
#ifndef FERRITE_SCHED_RELAYOUT_H
#define FERRITE_SCHED_RELAYOUT_H

#include "sched/uses.h"

/* Element sum of digit[k] * unit[k] of a dense buffer moves to sum of digit[k] * stride[k]. Lowest
 * digit first: unit[0] = 1, unit[k + 1] = unit[k] * extent[k]. */
typedef struct layout_map {
    uint32_t count;
    sym_expr unit[LOOP_MAX_AXES], extent[LOOP_MAX_AXES], stride[LOOP_MAX_AXES];
} layout_map;

/* Elements from the first to behind the last after the move. */
sym_expr relayout_elements(loop_program *p, const layout_map *m);
/* Does every use of b (but by ops that are gone) come out as simple as it is? */
bool relayout_can(loop_program *p, const layout_map *m, loop_buffer_id b, const use_list *uses,
                  const bool *is_gone);
/* Does it. */
void relayout_apply(loop_program *p, const layout_map *m, loop_buffer_id b, const use_list *uses,
                    const bool *is_gone);

#endif
