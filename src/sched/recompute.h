/* recompute.h -- what the files of option memory-budget share: recompute.c (the search), recompute_chain.c
 * (what must be done again to have a buffer once more), recompute_apply.c (the program with that). */
#ifndef FERRITE_SCHED_RECOMPUTE_H
#define FERRITE_SCHED_RECOMPUTE_H

#include "sched/sched_priv.h"
#include "sched/uses.h"

/* How much memory a schedule needs. */
typedef struct fit {
    int64_t bytes, most; /* of the arena; in use at once */
    uint32_t when;       /* the first group with most in use */
    int64_t *live;       /* by group, `steps` of them */
    uint32_t steps;
} fit;

/* What is to be done again to have a buffer once more. */
typedef struct chain {
    loop_buffer_id buffer;
    uint32_t before;           /* the group that needs it */
    VEC(uint32_t) ops;         /* in the order of their dependences */
    VEC(loop_buffer_id) reads; /* what they need that is there, or is kept for them */
    double cost;               /* about elements times operations */
    uint32_t visits;           /* of ops, on all ways that were tried */
    int64_t saved;             /* bytes, less what is kept longer for it */
} chain;
typedef VEC(chain) chain_list;

typedef struct fitter {
    loop_program *p;
    const sched_options *options;
    arena *memory, *scratch; /* of the schedules; of the search */
    sched_schedule *s;
    fit now;
    int64_t goal;           /* bytes in use at once */
    uint32_t number, tries; /* of the last change; that are left */
    map refused;            /* buffers that were tried in vain for this goal */
    /* of the schedule at hand */
    use_tables uses;
    bool *has_parts;
    uint32_t *group_of; /* by op */
} fitter;

/* ---- recompute_chain.c ---- */

/* Takes up f->s. */
void recompute_look_at(fitter *f);
/* What makes b again for its next reader behind group `when`, in which b lives unused; false where that
 * cannot be, or saves nothing. */
bool recompute_chain(fitter *f, loop_buffer_id b, uint32_t when, chain *out);
/* The buffers that an op reads, each once. */
typedef struct read_list {
    const loop_program *p;
    arena *memory;
    VEC(loop_buffer_id) all;
} read_list;
read_list recompute_reads(const fitter *f, const loop_op *op);

/* ---- recompute_apply.c ---- */

/* The program in the schedule's order, each chain before the group that it is for. */
void recompute_apply(fitter *f, const chain_list *chains);

#endif
