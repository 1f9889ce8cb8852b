/* exec_priv.h -- what the files of exec/ share: a program made ready, and one run of it. */
#ifndef FERRITE_EXEC_PRIV_H
#define FERRITE_EXEC_PRIV_H

#include "exec/exec.h"

#include "../rt/rt_entry.h"

typedef int (*exec_operator)(rt_frame *frame, const rt_call *call);

/* What is found out once of a line. */
typedef struct exec_step {
    fe_kernel kernel;
    uint32_t first_check;           /* KERNEL elsewhere: its number (wrap_first_check) */
    uint32_t device, device_kernel; /* KERNEL: that it runs on, 0 the host, and its number there */
    exec_operator function;
    fe_op_function *custom;
    const rt_made *made; /* by that function */
    rt_check *checks;    /* of its kernel: what indices keep */
    bool may_overflow;   /* KERNEL: its sizes are to be measured first */
    uint32_t partner;    /* of regions: the line that it goes to; see region.c */
    uint32_t symbol;     /* SYMBOL, REPEAT: place of its value */
    sym_expr *named;     /* ASSERT: the symbols in it, in order of first appearance */
    uint32_t named_count;
    uint32_t part;       /* PARTITION: its number; partner: the line behind it */
    loop_view *operands; /* what somebody is given who runs it in its place: inputs, then outputs */
} exec_step;

/* What an expression comes to, found out once: a number, or a symbol times a factor and a number more. */
typedef enum exec_term_kind { EXEC_OTHER, EXEC_KNOWN, EXEC_LINEAR } exec_term_kind;
typedef struct exec_term {
    int64_t number, factor; /* as 64 bits wrap round */
    uint32_t place;         /* of the symbol's value */
    exec_term_kind kind;
} exec_term;

/* How much room a line needs at most. */
typedef struct exec_room {
    uint32_t views, numbers, pointers, arguments;
} exec_room;

typedef struct exec_interpreter exec_interpreter;

struct exec_program {
    rt_program program; /* first: what a run is given leads here */
    const wrap_program *w;
    exec_facts facts;
    arena *memory;
    fe_artifact artifact;
    fe_model model;
    map symbol_places; /* by symbol id */
    exec_term *terms;  /* by expression id */
    uint32_t term_count;
    /* By buffer: the first of those that come with it (wrap_comes_with), and the next of its kind. */
    loop_buffer_id *companion, *next_companion;
    uint32_t input_symbols;
    exec_step *steps; /* by line */
    exec_room room;
    char message[RT_ERROR_BYTES];  /* exec_error() */
    exec_interpreter *interpreter; /* NULL: nothing is interpreted */
};

/* input.c: the numbers of the inputs that a run overwrites */
void exec_make_donated(exec_program *x);

/* One call. */
struct exec_run {
    const exec_program *x;
    const wrap_program *w;
    rt_frame *f;
    const exec_step *step; /* of the line at hand */
    void **buffers;        /* NULL: has no memory (any more) */
    int64_t *counters;     /* by line: steps of a repeat */
    void **states;         /* by observer */
    /* room for the operands of one line */
    fe_tensor *views;
    int64_t *numbers;
    void **pointers;
    fe_arg *arguments;
    exec_room used;
};

/* number.c */
void exec_make_terms(exec_program *x); /* once symbols have places */
int64_t exec_value(const exec_program *x, const int64_t *values, sym_expr e);
/* Likewise, INT64_MAX where it is too much for a size. */
int64_t exec_size_value(const exec_program *x, const int64_t *values, sym_expr e);
int64_t exec_size(const exec_run *r, sym_expr e);
bool exec_holds(const exec_run *r, const sym_relation *relation);
/* Place of a symbol's value. */
uint32_t exec_symbol_place(const exec_program *x, sym_expr symbol);

/* lines.c */
int exec_do_lines(exec_run *r);
/* The memory of all buffers that have it from the start. */
int exec_point_fixed(exec_run *r);

/* observe.c */
int exec_observe_begin(exec_run *r);
int exec_observe_before(exec_run *r, uint32_t line);
int exec_observe_after(exec_run *r, uint32_t line);
int exec_observe_finish(exec_run *r);
void exec_observe_release(exec_run *r);

/* input.c: the symbols that inputs give, and whether all inputs fit. */
int exec_check_inputs(exec_run *r);
int64_t exec_input_number(const exec_run *r, const wrap_line *line);

/* tables.c */
void exec_make_tables(exec_program *x);
fe_port exec_port(exec_program *x, const char *name, ty_dtype dtype, uint32_t rank,
                  const sym_expr *sizes, const sym_expr *strides);

/* region.c */
int exec_region(exec_run *r, const wrap_line *line, uint32_t *next);
void exec_find_partners(exec_program *x);

/* custom.c */
int exec_custom(exec_run *r, const wrap_line *line);
fe_tensor *exec_views(exec_run *r, const loop_view *views, const uint32_t *weights, uint32_t count);

/* device.c */
void exec_make_devices(exec_program *x);
fe_status exec_find_device_kernel(exec_program *x, const wrap_call *call, exec_step *step);
int exec_launch_on(exec_run *r, const wrap_call *call, const fe_kernel_args *args);
int exec_wait(exec_run *r, const wrap_line *line, uint32_t *next);
int exec_mark(exec_run *r, const wrap_line *line, uint32_t *next);
int exec_after(exec_run *r, const wrap_line *line, uint32_t *next);
int exec_device(exec_run *r, const wrap_line *line, uint32_t *next);
int exec_copy(exec_run *r, const wrap_line *line, uint32_t *next);

/* interpret.c */
exec_interpreter *exec_interpreter_new(const exec_program *x);
void exec_interpreter_free(exec_interpreter *i);
/* What the kernel of this group would do. */
int exec_interpret(exec_run *r, uint32_t group);
/* Calls body(session, data) while nobody else interprets. The failure's message is good until the next such
 * call; NULL when there is none. */
fe_status exec_take_turn(const exec_run *r, fe_status (*body)(fe_session *, void *), void *data,
                         const char **message);
loop_program *exec_interpreted(const exec_run *r);
bool exec_symbol_value(void *run, sym_expr symbol, int64_t *value); /* for loop_machine.symbol */

/* operand.c: the buffers that a line reads, changes or hands out, until a visit returns false. */
typedef enum exec_use { EXEC_READS, EXEC_WRITES, EXEC_MAY_WRITE, EXEC_RETURNS } exec_use;
typedef bool (*exec_visit)(void *data, loop_buffer_id id, exec_use use);
bool exec_each_operand(const wrap_program *w, const wrap_line *line, exec_visit visit, void *data);

#endif
