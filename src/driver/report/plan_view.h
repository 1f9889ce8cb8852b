/* plan_view.h -- the arena over time, as text and as a picture. */
#ifndef FERRITE_DRIVER_PLAN_VIEW_H
#define FERRITE_DRIVER_PLAN_VIEW_H

#include "driver/driver.h"

/* A buffer in the arena: a block of time and addresses. */
typedef struct plan_block {
    const char *name;
    uint32_t birth, death; /* steps */
    int64_t offset, bytes;
    loop_buffer_id buffer, root;
    uint32_t segment;
    const char *note,
        *source; /* what it holds, and where that stands in the user's program; NULL */
} plan_block;

typedef struct plan_step {
    const char *what; /* provenance of the call, or its kernel */
    const wrap_line *line;
    int64_t live; /* bytes that are in use: from the lowest to the highest in each root's memory */
} plan_step;

typedef struct plan_view {
    const wrap_program *w;
    VEC(plan_block) blocks;
    plan_step *steps;
    uint32_t step_count, peak; /* peak: the first step with most in use */
    int64_t arena_bytes, most;
    int64_t
        bound; /* no arena for these lives is smaller; of several segments: as if they were one */
    sched_order order;    /* for the example's sizes; 0, 0: not known */
    bool sizes_are_given; /* by the options, in place of the example's */
    bool of_example;      /* with symbolic sizes: as planned for the example's */
} plan_view;

/* plan_sizes.c: the sizes that the options name take the place of the example's. */
fe_status plan_sizes_set(driver_program *d);
fe_status plan_view_of(driver_program *d, arena *memory, plan_view *out);
void plan_view_text(const plan_view *v, text *out);
/* plan_svg.c */
void plan_view_svg(const plan_view *v, text *out);

#endif
