/* plan.h -- the memory planner: intervals in, offsets out. Knows no tensors, only numbers.
 *
 * A buffer has a size and lives in the steps [birth, death). The planner gives each an offset in
 * one arena so that no two buffers that live at one step overlap, and the arena is as small as it
 * can make it:
 *
 *     plan_buffer buffers[] = {{.size = 100, .birth = 0, .death = 2},
 *                              {.size = 40, .birth = 1, .death = 3}};
 *     plan_result plan;
 *     FE_TRY(plan_offsets(session, memory, buffers, 2, NULL, &plan)); // plan.offsets[0]
 *
 * No plan is smaller than the lower bound: the largest sum of live sizes at any step. height ==
 * lower_bound therefore proves that a plan is the best for this order of steps.
 *
 * The text form is the CSV of the published benchmark sets; `offset` is there when it is a plan:
 *
 *     id,lower,upper,size,offset
 *     conv1,0,3,4096,0
 *     relu1,2,5,1024,4096
 *
 * The result depends on the input alone, never on the clock or on addresses, unless
 * options.budget_ms asks for a stop by the clock.
 */
#ifndef FERRITE_PLAN_H
#define FERRITE_PLAN_H

#include "base/base.h"
#include "plan/replan.h"

/* What options.alignment == 0 stands for, in bytes: a cache line, and a full vector of any CPU. */
#define PLAN_ALIGNMENT 64

/* No buffer, no sum of live buffers and no plan may pass this many bytes (2^60). */
#define PLAN_MOST_BYTES ((int64_t)1 << 60)

/* One buffer to place. All-zero fields mean the usual: default alignment, free to move, alone. */
typedef struct plan_buffer {
    int64_t size;         /* bytes; 0 takes no room and gets offset 0 */
    int32_t birth, death; /* lives in steps [birth, death); birth == death lives never */
    int64_t alignment;    /* of its offset, bytes, a power of two; 0 = the options' alignment */
    bool fixed;           /* must lie at fixed_offset: an obstacle that the others go around */
    int64_t fixed_offset; /* bytes; must be aligned like any offset */
    uint32_t group;       /* 0 = alone; buffers of one group are placed as one block ... */
    int64_t group_offset; /* ... and lie at this many bytes >= 0 from the start of their group */
} plan_buffer;

/* A group says that buffers share storage. Its members do not conflict with each other, live or
 * not:
 *   - in place or several lives of one storage: members with group_offset 0 and any lives; between
 *     the lives the room is free for others (a gap);
 *   - parts written straight into slices of a whole: each part with the group_offset of its slice,
 *     the whole with 0; before the whole is born only the slices in use are taken.
 * At most one member of a group may be fixed; it fixes the group. */

typedef struct plan_options {
    int64_t alignment; /* of every offset, bytes, a power of two; 0 = PLAN_ALIGNMENT; 1 = none */
    int64_t capacity; /* bytes: stop at the first plan that is not larger; 0 = as small as can be */
    uint64_t work; /* search steps (about 0.3 us each) to spend at most; 0 = a default by count */
    double budget_ms; /* stop by the thread's clock as well, milliseconds; 0 = never */
} plan_options;

typedef struct plan_result {
    int64_t height;      /* bytes of the arena: most of offset + size, rounded up to alignment */
    int64_t lower_bound; /* bytes: largest sum of live (rounded) sizes at any step */
    int64_t *offsets;    /* bytes, one a buffer, in the arena given to plan_offsets */
    uint32_t count;      /* number of offsets */
    bool fits;           /* height <= capacity, or no capacity was given */
    bool optimal;        /* proven: no plan for these lives is lower */
    const char *method;  /* what found it: "empty", "skyline", "exact", "climb"; static text */
    uint64_t work;       /* search steps spent */
    double seconds;      /* of the thread's; for showing, never for deciding */
} plan_result;

/* ---- plan.c -------------------------------------------------------------------------------- */

/* Chooses offsets for `count` buffers. `options` may be NULL. The offsets are allocated in
 * `out`; scratch is taken from an arena of its own and freed. Every plan has passed plan_verify
 * before it is returned. A plan over options.capacity is returned with FE_OK and fits == false.
 * FE_CORRUPT with a diagnostic naming the buffer: death < birth, a negative size or offset, an
 * alignment that is not a power of two, fixed buffers that overlap or are misaligned, totals
 * over PLAN_MOST_BYTES. */
fe_status plan_offsets(fe_session *session, arena *out, const plan_buffer *buffers, uint32_t count,
                       const plan_options *options, plan_result *result);

/* The lower bound alone: largest sum of live sizes at any step, in bytes, under the same rules for
 * alignment and groups. For choosing among orders of steps. Errors as plan_offsets. O(n log n). */
fe_status plan_lower_bound(fe_session *session, const plan_buffer *buffers, uint32_t count,
                           const plan_options *options, int64_t *bytes);

/* ---- check.c ------------------------------------------------------------------------------- */

/* Proves a plan, by other means than those that made it: offsets aligned, inside
 * the height, fixed ones kept, groups together, no two live buffers of different groups
 * overlapping. O(n log n). FE_MISMATCH with a diagnostic that names the buffers. */
fe_status plan_verify(fe_session *session, const plan_buffer *buffers, uint32_t count,
                      const plan_options *options, const plan_result *result);

/* ---- template.c ---------------------------------------------------------------------------- */

/* Keeps of these buffers what no size changes, for plan_replan (replan.h): lives and groups.
 * Sizes, shifts and fixed places are given when it is planned again. The arrays are made in
 * `memory`. */
void plan_template_make(arena *memory, const plan_buffer *buffers, uint32_t count,
                        plan_template *out);

/* ---- stack.c ------------------------------------------------------------------------------- */

/* Tells a template of sizes that it is likely to meet: the rule that is quickest for them becomes its
 * first. Where its own orders miss the lower bound for these buffers, which must be those that it
 * was made for in other sizes, and the planner finds something lower: adds that to it as a stack, in
 * `memory`. Errors as plan_offsets. */
fe_status plan_template_stack(fe_session *session, arena *memory, const plan_buffer *buffers,
                              uint32_t count, plan_template *t);

/* ---- text.c -------------------------------------------------------------------------------- */

/* Buffers as text has them. */
typedef struct plan_text {
    uint32_t count;
    const char **ids; /* names, for people */
    plan_buffer *buffers;
    int64_t *offsets; /* of a plan; NULL when the text has none */
} plan_text;

/* Reads CSV with a header line. Columns, in any order: id; lower or start (first step); upper
 * (one past the last step) or end (the last step); size; and if wanted alignment, group,
 * group_offset, fixed (1: must lie at its offset) and offset. Bytes and steps are decimal
 * integers. Everything is allocated in `memory`. FE_CORRUPT with line and column name when a
 * line does not hold that; FE_UNSUPPORTED for other columns. */
fe_status plan_parse(arena *memory, const char *source, size_t length, plan_text *out);

/* Writes what plan_parse reads: the columns that say something, `offset` last if there are
 * offsets. */
void plan_print(const plan_text *plan, text *out);

/* ---- command.c ----------------------------------------------------------------------------- */

/* The body of `ferrite plan`: reads CSV, plans it, writes the figures for people to `figures`
 * and the CSV with offsets to `csv` (either may be NULL). Here options.alignment == 0 stands for
 * 1, since files say what they need, and options.work == 0 for as many steps as budget_ms
 * allows, or about a second. A plan in the file is checked and its height reported as well.
 * FE_MISMATCH, with both texts written, when the capacity was not reached or the file's own plan
 * is wrong; else errors as plan_parse and plan_offsets. */
fe_status plan_command(arena *memory, const char *source, size_t length,
                       const plan_options *options, text *figures, text *csv);

#endif
