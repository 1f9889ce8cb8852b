/* plan_priv.h -- what the planner's files share: the problem in units and blocks, not bytes and
 * buffers.
 *
 * problem.c turns buffers into blocks (a buffer alone, or a whole group), offsets into units (the
 * greatest step that all sizes and alignments have in common) and steps into sections (the maximal
 * sets that live at once). The solvers see nothing else. Blocks are sorted by their first section.
 */
#ifndef FERRITE_PLAN_PRIV_H
#define FERRITE_PLAN_PRIV_H

#include "plan/plan.h"

#define PLAN_NONE UINT32_MAX

typedef struct plan_problem {
    fe_session *session;
    arena *memory;       /* scratch of one plan_offsets call */
    int64_t unit;        /* bytes in a unit; all other sizes below are in units */
    int64_t lower_bound; /* of the height */
    uint32_t block_count, span_count, section_count, obstacle_count;
    uint32_t *first;          /* [block_count + 1] -> spans */
    plan_span *spans;         /* those of one block are disjoint and in order of time */
    int64_t *alignment;       /* [block_count], powers of two; NULL = every offset will do */
    plan_obstacle *obstacles; /* fixed buffers */
    uint32_t *block_of;       /* by buffer: index into new_index; PLAN_NONE = fixed, or no room */
    uint32_t *new_index;      /* [block_count] number of a block after sorting by time */
    int64_t *fixed_base;      /* by buffer, bytes: where it or its group is fixed; -1 = not fixed */
    uint32_t *input;          /* [block_count] place in the order of the caller's buffers */
    uint32_t *low, *high;     /* [block_count] sections [low, high); holes inside count */
    int64_t *size;            /* [block_count] highest top of its spans */
    int64_t *load;            /* [section_count] sum of what lives in a section */
    int64_t *life;            /* [block_count] steps from first birth to last death */
    int64_t *offsets;         /* [block_count] in units: what the solvers find */
} plan_problem;

/* A buffer, or a stretch of a group's life, as a rectangle over steps and bytes. */
typedef struct plan_box {
    int32_t birth, death;
    int64_t bottom, top;
    uint32_t owner; /* boxes of one owner are disjoint in time */
} plan_box;
typedef VEC(plan_box) plan_box_list;

/* ---- problem.c ----------------------------------------------------------------------------- */

/* Reads buffers into a problem in `memory`. `options` is complete. Errors as plan_offsets. */
fe_status plan_problem_build(arena *memory, const plan_buffer *buffers, uint32_t count,
                             const plan_options *options, plan_problem *out);

/* Writes the sections [low, high) of each box, all of which must live; returns their number. */
uint32_t plan_number_sections(arena *memory, const plan_box *boxes, uint32_t count, uint32_t *low,
                              uint32_t *high);

/* Writes the offsets of the buffers in bytes, from those of the blocks. */
void plan_problem_offsets(const plan_problem *problem, const plan_buffer *buffers, uint32_t count,
                          int64_t *out);

/* ---- group.c ------------------------------------------------------------------------------- */

/* Buffers as boxes counted from the start of their block, one or several in a row for a block. */
typedef struct plan_boxes {
    plan_box_list all;      /* owner = block, ascending; boxes of a block in order of time */
    plan_box_list fixed;    /* owner = buffer or its group's first; from the arena's start */
    VEC(int64_t) alignment; /* by block, bytes */
    uint32_t *block_of;     /* by buffer */
    int64_t *fixed_base;    /* by buffer: where its fixed group starts, bytes; -1 = not fixed */
} plan_boxes;

/* Checks the buffers one by one and joins the members of groups. With round_up the boxes that
 * can move end at multiples of their alignment, else where the buffers do. Errors as
 * plan_offsets. */
fe_status plan_boxes_build(arena *memory, const plan_buffer *buffers, uint32_t count,
                           int64_t alignment, bool round_up, plan_boxes *out);

/* ---- check.c ------------------------------------------------------------------------------- */

/* Looks for two boxes that overlap in time and bytes; false when there are none. O(n log n). */
bool plan_find_overlap(arena *memory, const plan_box *boxes, uint32_t count, uint32_t *first,
                       uint32_t *second);

/* plan_verify with scratch in `memory`; `options` is complete. */
fe_status plan_verify_in(arena *memory, const plan_buffer *buffers, uint32_t count,
                         const plan_options *options, const plan_result *result);

/* ---- parts.c ------------------------------------------------------------------------------- */

/* A stretch of time whose ends no block crosses: a problem by itself. Sections count from its
 * own first. */
typedef struct plan_part {
    arena *memory;
    plan_skyline blocks;
    const uint32_t *low, *high, *input; /* as in plan_problem, by block of the part */
    const int64_t *size, *life, *load;
    int64_t *offsets;   /* of the best plan known, in units */
    uint32_t *order;    /* with which a skyline pass made that plan */
    int64_t height;     /* its height; INT64_MAX = none yet */
    int64_t bound;      /* no plan of the part is lower */
    const char *method; /* what found it */
    bool searched;
} plan_part;
typedef VEC(plan_part) plan_part_list;

/* Cuts a problem into its parts, in order of time, and makes its sections count by part. */
plan_part_list plan_parts(plan_problem *problem);

/* Takes over a plan of a known height. */
void plan_part_set(plan_part *part, const int64_t *offsets, int64_t height, const char *method);

/* What a call may still spend. */
typedef struct plan_budget {
    uint64_t left, spent; /* steps */
    double deadline;      /* by clock_thread_seconds(); 0 = none */
} plan_budget;

bool plan_budget_late(const plan_budget *budget); /* past the deadline */
bool plan_budget_left(const plan_budget *budget);
void plan_budget_spend(plan_budget *budget, uint64_t steps);

/* ---- orders.c ------------------------------------------------------------------------------ */

/* What the skyline passes sort blocks by. */
typedef enum plan_rank {
    PLAN_BY_DEATH,      /* latest death, then largest */
    PLAN_BY_BIRTH,      /* earliest birth, then longest life */
    PLAN_BY_SIZE,       /* largest, then latest death */
    PLAN_BY_AREA,       /* largest size x life */
    PLAN_BY_LOAD,       /* in the fullest section, then longest life */
    PLAN_BY_SIZE_BIRTH, /* largest, then earliest birth */
    PLAN_RANK_COUNT
} plan_rank;

/* Writes the permutation of a part's blocks by `rank`; ties in the order of time. */
uint32_t *plan_order(const plan_part *part, plan_rank rank);

/* ---- exact.c ------------------------------------------------------------------------------- */

/* Lowers a part's height to `goal`, or its bound, by exact search, and raises the bound as far
 * as it can prove. With only_goal nothing between the height and the goal is tried. False, and
 * nothing done, for parts that are too large for it or have fixed buffers or slices. */
bool plan_exact(plan_part *part, int64_t goal, bool only_goal, plan_budget *budget);

/* ---- climb.c ------------------------------------------------------------------------------- */

/* Lowers a part's height towards `goal` by local search from its order, for so many tries. */
void plan_climb(plan_part *part, int64_t goal, uint64_t tries, plan_budget *budget);

#endif
