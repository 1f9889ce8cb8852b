/* kern_trial.h -- loop programs made into kernels, compiled and loaded: kern.c, kern_math.c. */
#ifndef FERRITE_KERN_TRIAL_H
#define FERRITE_KERN_TRIAL_H

#include "kern/kern.h"
#include "unit.h"

/* As generated code has it (rt_program.h). */
typedef struct kernel_args {
    void *const *buffers;
    const int64_t *ints;
    int64_t *fault;
} kernel_args;
typedef void (*kernel)(const kernel_args *args, int64_t m0, int64_t m1, int64_t n0, int64_t n1);

typedef struct trial {
    fe_session *session;
    arena *memory;
    loop_program *p;
    sched_schedule *schedule;
    kern_set *set;
    int64_t *elements; /* of each buffer */
    void **wanted, **got;
} trial;

enum { TRIAL_BASELINE = 2, TRIAL_SCALAR = 3, TRIAL_TARGET_COUNT = 4 /* rows of target.def */ };
extern const char *const TRIAL_FLAGS[TRIAL_TARGET_COUNT];
bool trial_runs_here(size_t target);

fe_status trial_build(trial *t, const target_machine *target, const char *source);
/* All kernels of some trials in one C source. */
const char *trial_source(trial *trials, size_t count, const target_machine *target, arena *memory);
/* The library made of it, kept in the cache as those of programs are, or NULL. */
void *trial_compile(fe_session *session, const char *source, const char *flags);

#endif
