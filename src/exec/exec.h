/* exec.h -- wrapper IR run as it is, in this process: no text of a language in between.
 *
 * A program that was made ready is called as any artifact is (ferrite_abi.h): exec.c fills in the
 * tables that generated C has as constants, lines.c does what each line says, region.c goes on behind
 * those of regions, number.c evaluates sizes, input.c checks what the caller gives. Kernels and
 * observe.c shows a run to those who look, of whom track.c follows its memory. Kernels and
 * operators come from a library (rt_library.h), or from this process alone: then the loop interpreter
 * stands for kernels (interpret.c), so that nothing needs a C compiler; that is slow. device.c has what
 * runs on other devices than the host.
 */
#ifndef FERRITE_EXEC_H
#define FERRITE_EXEC_H

#include "wrap/wrap.h"

#include "../rt/rt_library.h"

typedef struct exec_program exec_program;
typedef struct exec_run exec_run;

/* A run between two lines. */
typedef struct exec_moment {
    const exec_run *run;
    uint32_t line;        /* the one that is about to be done, or that has been */
    void *const *buffers; /* the memory of each, NULL while it has none */
    void *state;          /* the observer's own, of this run */
    char *message;        /* room for why the run ends here */
    size_t message_bytes;
} exec_moment;

/* Memory of a device, copied to where it can be looked at; that of the host (device 0) is where it is. */
typedef struct exec_near {
    const void *at;
    void *block; /* NULL: nothing was copied */
} exec_near;
/* Waits for all that is under way on the device. False: exec_why() says what failed. */
bool exec_bring(const exec_run *r, uint32_t device, const void *from, int64_t bytes,
                exec_near *out);
void exec_put_down(exec_near *near);
/* From the host's memory to the device's, or the host's. */
bool exec_send(const exec_run *r, uint32_t device, void *to, const void *from, int64_t bytes);
uint32_t exec_device_of(const exec_run *r, loop_buffer_id id);
const char *exec_why(const exec_run *r);

/* What is looked at during a run. Each function may be NULL; false ends the run with the message. */
typedef struct exec_observer {
    bool (*begin)(void *data, exec_moment *m);        /* sets m->state, where it has one */
    bool (*before)(void *data, const exec_moment *m); /* the line is about to be done */
    bool (*after)(void *data, const exec_moment *m);  /* it has been done */
    bool (*finish)(void *data, const exec_moment *m); /* all have been */
    void (*release)(void *data, void *state);         /* also of runs that have failed */
    void *data;
} exec_observer;

/* Kernels of a kind of device. */
typedef struct exec_module {
    const char *kind;
    fe_device_code code;
} exec_module;

typedef struct exec_facts {
    const rt_library *library;
    const exec_module *modules;
    uint32_t module_count;
    /* NULL: kernels are in the library. Else they are interpreted, and are these groups. */
    const sched_schedule *schedule;
    /* What the library does not have of the user's functions; may be NULL. */
    fe_op_function *(*custom)(void *data, const char *symbol);
    void *data;
    const void *weights; /* 64-byte aligned; w->weights_bytes of them, which outlive the program */
    const exec_observer *observers; /* in the order in which they look */
    uint32_t observer_count;
    bool is_refereed; /* one of them is a referee */
} exec_facts;

/* Makes the program ready. It refers to all that it is given. */
fe_status exec_new(const wrap_program *w, const exec_facts *facts, arena *memory,
                   exec_program **out);
void exec_free(exec_program *x); /* NULL is fine; the memory is the arena's */
const fe_artifact *exec_artifact(const exec_program *x);
fe_model *exec_model(exec_program *x);
/* Why its last context could not be made, where that was for another reason than memory. */
const char *exec_error(const exec_program *x);

/* What each call should have given. `look` is shown every result of a line, a view, beside the memory
 * that its buffer should have; magnitude: the largest number that the line was given; through: the floating
 * type of least precision that it computes in, or none. False ends the run with the message. */
typedef struct exec_judge {
    bool (*look)(void *data, const exec_moment *m, const loop_view *result, const void *wanted,
                 double magnitude, ty_dtype through);
    void *data;
} exec_judge;
/* referee.c: makes that, of the same inputs, from the program as it was before its nests were fused. The
 * facts that go with it must have `is_refereed`. */
exec_observer exec_referee(const sched_schedule *s, const exec_judge *judge, arena *memory);

/* track.c: a run fails where its memory is not as the program says: see there. */
exec_observer exec_tracker(const wrap_program *w, arena *memory);

/* own.c: all operators of the runtime but those that call LAPACK, and no kernels: what this process
 * has without a compiler. */
extern const rt_library exec_own_library;

/* lines.c: what is done for each row of wrap.def. `next`: the line to go on with, which those of
 * regions change. */
typedef int (*exec_line)(exec_run *r, const wrap_line *line, uint32_t *next);
extern const exec_line exec_lines[WRAP_KIND_COUNT];

/* Of an expression, in a run: what lines and observers evaluate. */
int64_t exec_number(const exec_run *r, sym_expr e);

#endif
