/* tune.h -- kernels made in several ways, timed on this machine, and for each the fastest taken
 * (option tune).
 *
 * tune_list.c finds the distinct kernels of a program, with the sizes that they are timed at and the
 * ways in which each may be made (sched/variant.c); tune_choose.c takes samples of their time and
 * decides; tune_time.c takes a sample: all ways of some kernels in one library, memory, a run;
 * tune_record.c keeps what was decided in the cache; tune.c is the whole. `ferrite inspect --stage
 * variants` shows the list:
 *
 *     kernel k_sum 2 calls on cpu              # groups that call one kernel with the same sizes
 *       u0 = 128                               # a size that only the run knows
 *       rows 128 columns 1 ints [768] memory [393216, 512]
 *       variant vector inner                   # the cost model's
 *       variant vector inner unroll 1
 */
#ifndef FERRITE_DRIVER_TUNE_H
#define FERRITE_DRIVER_TUNE_H

#include "driver/driver.h"

/* One way to make a kernel. */
typedef struct tune_candidate {
    sched_variant variant;
    kern_call call; /* its kernel is one of tune_plan.kernels */
    int64_t outer, inner;
    int64_t *ints;
    bool is_wrong; /* its numbers are not the cost model's */
    double ns;     /* least that a call took; 0: not timed */
} tune_candidate;

/* A size that only the run knows, and what it is taken to be. */
typedef struct tune_size {
    sym_expr symbol;
    int64_t value;
} tune_size;

/* A buffer of a call while it is timed. Those of one root share its memory. */
typedef struct tune_buffer {
    uint32_t root; /* the first buffer of the call in the same memory */
    int64_t place; /* bytes from there */
    int64_t bytes; /* of the root's memory */
    ty_dtype dtype;
    bool is_read, is_written;
} tune_buffer;

/* Groups that call one kernel with the same sizes. */
typedef struct tune_subject {
    VEC(uint32_t) groups;
    const char *obstacle; /* why it is not timed; NULL */
    VEC(tune_size) sizes;
    int64_t outer, inner;
    int64_t *ints;
    tune_buffer *buffers;
    VEC(tune_candidate) candidates; /* the first is the cost model's */
    uint32_t chosen;
    bool is_decided, is_recorded;
    double before_ns, after_ns; /* of a call */
} tune_subject;

typedef struct tune_plan {
    driver_program *d;
    arena *memory;
    kern_set *kernels; /* of all candidates */
    VEC(tune_subject) subjects;
    const char *machine; /* model of processor, as records name it */
    uint32_t threads;
} tune_plan;

/* How time is taken. Tests bring one of their own. */
typedef struct tune_timer {
    void *data;
    double (*now)(void *data); /* seconds */
    /* Kernels of subjects [first, end), ready to be called. */
    fe_status (*open)(void *data, tune_plan *plan, uint32_t first, uint32_t end);
    /* Memory for one, and is_wrong of its candidates; false: it cannot be timed, with its obstacle. */
    bool (*begin)(void *data, tune_plan *plan, tune_subject *s);
    double (*sample)(void *data, tune_subject *s, uint32_t candidate); /* nanoseconds of a call */
    void (*finish)(void *data);
    void (*close)(void *data);
} tune_timer;

/* tune_list.c */
fe_status tune_list(driver_program *d, arena *memory, tune_plan **out);
void tune_print(driver_program *d, text *out);
/* tune_choose.c: sets `chosen` and what goes with it, of candidates that were begun. */
void tune_choose(const tune_timer *timer, tune_subject *s);
/* tune_time.c: on this machine. */
tune_timer *tune_timer_new(arena *memory);
/* tune_record.c: is it decided by a record? Anything wrong with that is as if there were none. */
bool tune_read_record(const tune_plan *plan, tune_subject *s);
void tune_write_record(const tune_plan *plan, const tune_subject *s);
const char *tune_machine(arena *memory); /* this one's processor */
/* tune.c: the body of option tune: variants of groups, between their kernels and the wrapper. */
fe_status tune_kernels(driver_program *d);
/* FE_USAGE where these options leave nothing to time. */
fe_status tune_check_options(driver_program *d);

#endif
