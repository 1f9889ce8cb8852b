/* uses.h -- who uses each buffer of a loop program, in its order; for passes over loops. */
#ifndef FERRITE_SCHED_USES_H
#define FERRITE_SCHED_USES_H

#include "loop/loop.h"

typedef struct use {
    uint32_t op;
    bool is_write;
} use;
typedef VEC(use) use_list;

typedef struct use_tables {
    use_list *of;    /* by buffer, in program order; an op's reads come before its writes */
    bool *is_output; /* by buffer: the program returns (part of) it */
    /* by buffer: its uses are not all between the same two control ops; passes that move what is
     * written or read let it be */
    bool *crosses;
    /* ... in regions that run another number of times, parts of the program aside */
    bool *leaves_region;
} use_tables;
use_tables uses_collect(loop_program *p, arena *memory);

/* The op reads `to` where it read `from`. */
void uses_rename_reads(loop_program *p, loop_op *op, loop_buffer_id from, loop_buffer_id to);
/* The same, and writes it. */
void uses_rename(loop_program *p, loop_op *op, loop_buffer_id from, loop_buffer_id to);

/* Drops the ops that are gone. */
void uses_remove_ops(loop_program *p, const bool *is_gone);

#endif
