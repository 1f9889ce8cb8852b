/* track.h -- what the files of the tracker share: the program as it should run, one run as it does. */
#ifndef FERRITE_EXEC_TRACK_H
#define FERRITE_EXEC_TRACK_H

#include "exec/exec_priv.h"

/* ENDING: its memory is another's already, the next call is the last that reads it. */
typedef enum track_life { TRACK_UNBORN, TRACK_ALIVE, TRACK_ENDING, TRACK_DEAD } track_life;

/* Of all runs. */
typedef struct tracker {
    const wrap_program *w;
    uint32_t *step_of; /* by line: its number among the steps, as lives count them */
    const char **note; /* by line: the nodes that it comes from, or NULL */
    uint32_t *first;   /* by step: where in `planned` those begin that live in it */
    loop_buffer_id *planned;
    bool *is_returned; /* by root */
} tracker;

/* A buffer in a run. */
typedef struct tracked {
    char *at;
    int64_t bytes;
    uint64_t sum;  /* of its content, where it has any */
    uint32_t line; /* the one that gave it this life */
    track_life life;
    bool has_content; /* something was written */
} tracked;

typedef struct track_segment {
    char *memory;              /* NULL: not placed yet */
    int64_t bytes, high, most; /* of the plan; reached; in use at once, in whole units */
} track_segment;

/* What a root's buffers cover. */
typedef struct track_reach {
    uint32_t asked; /* the measurement that it is of */
    int64_t low, high;
} track_reach;

typedef struct track_run {
    const tracker *t;
    tracked *of; /* by buffer */
    loop_buffer_id *alive, *ending;
    uint32_t alive_count, ending_count;
    track_segment *segments;
    track_reach *reach; /* by root */
    uint32_t asked;     /* how often reaches were measured */
    uint32_t next;      /* line that comes next where nothing jumps */
    tracked **sorted;   /* room for those that are alive, by address */
} track_run;

/* Fails with "line 14, kernel k_neg (%relu): ..." */
bool track_fault(const exec_moment *m, const char *format, ...) FE_PRINTF(2, 3);
const char *track_name(const tracker *t, loop_buffer_id id);

/* track_memory.c: what the bytes say. Dead bytes hold a pattern, living buffers what their last line
 * has written. */
void track_fill(const exec_moment *m, uint32_t device, char *from, char *to);
/* Fills what of [from, to) belongs to no buffer that is alive. */
void track_bury(const exec_moment *m, track_run *r, uint32_t device, char *from, char *to);
uint64_t track_sum_of(const exec_moment *m, loop_buffer_id id, const tracked *b);
/* The device whose memory a segment is. */
uint32_t track_device(const track_run *r, uint32_t segment);
bool track_is_dead_untouched(const exec_moment *m, track_run *r);
bool track_is_living_untouched(const exec_moment *m, track_run *r, const wrap_line *line);

/* track_lent.c: what lies in the memory of outputs and donated inputs. */
void track_lent_begin(const exec_moment *m, track_run *r);
bool track_lent_use(const exec_moment *m, track_run *r, loop_buffer_id id, bool is_read);
void track_lent_written(const exec_moment *m, track_run *r, const wrap_line *line);

/* track_plan.c: how much the plan says is in use in a step, against how much is. */
void track_plan(tracker *t, arena *memory);
bool track_is_as_planned(const exec_moment *m, track_run *r, uint32_t step);
bool track_ends_as_planned(const exec_moment *m, track_run *r);

#endif
