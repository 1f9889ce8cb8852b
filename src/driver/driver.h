/* driver.h -- the pipeline on a page, options, the C compiler and its cache, weights, commands.
 *
 * compile.c tells the story from archive to text; ops.c loads the user's operators; toolchain.c
 * turns text into a shared library; weights.c lays the constants out; run.c loads and calls;
 * check.c compares with recorded cases; main.c reads the command line.
 */
#ifndef FERRITE_DRIVER_H
#define FERRITE_DRIVER_H

#include "emit/emit.h"
#include "ferrite_abi.h"
#include "kern/kern.h"
#include "lower/lower.h"
#include "pass/pass.h"
#include "pt2/pt2.h"
#include "wrap/wrap.h"

#define FERRITE_VERSION "0.1"

typedef enum driver_stage {
    STAGE_READ,
    STAGE_INFER,
    STAGE_PASS,
    STAGE_LOWER,
    STAGE_SCHED,
    STAGE_KERN,
    STAGE_WRAP,
    STAGE_EMIT,
    STAGE_CC,
    STAGE_WEIGHTS,
    STAGE_COUNT
} driver_stage;
extern const char *const driver_stage_names[STAGE_COUNT];

enum { DRIVER_MAX_OP_LIBRARIES = 16 };

typedef struct driver_options {
    const char *input; /* archive; "-" or *.fx: FX text */
    /* stage that the input is the text of: "fx", "loop", "sched", "kern", "wrap"; NULL: see input */
    const char *from;
    const char *model;      /* in the archive; NULL: the only one */
    const char *isa;        /* "native", "x86-64-v4", "x86-64-v3", "baseline" */
    const char *cc;         /* the C compiler: option, then $CC, then cc */
    const char *cache;      /* folder; NULL: no cache */
    const char *dump_after; /* pass name or "all" */
    /* shared libraries that declare operators (ferrite_ops.h), in the order given */
    const char *op_libraries[DRIVER_MAX_OP_LIBRARIES];
    uint32_t op_library_count;
    uint32_t jobs;  /* compiler processes side by side; 0: one a core */
    bool no_passes; /* inspect --stage fx: the graph as read */
    bool check;     /* verify after each pass, infer against the record */
} driver_options;

/* One program on its way. Everything is in the arena; the archive stays open because weights are
 * views into it. */
typedef struct driver_program {
    fe_session *session;
    arena *memory;
    driver_options options;
    op_registry *ops;     /* with the operators of the libraries; NULL: the built-in ones */
    pt2_archive *archive; /* NULL when read from text */
    fx_graph *graph;
    loop_program *loops;
    sched_schedule *schedule;
    kern_set *kernels;
    wrap_program *wrapper;
    emit_file *files;
    uint32_t file_count;
    const char *name; /* of the program: the file's stem as an identifier */
    kern_target target;
    uint64_t weights_key;
    double seconds[STAGE_COUNT];
    text dumps; /* what --dump-after asked for */
} driver_program;

/* compile.c */
void driver_default_options(driver_options *o);
/* Reads the program and takes it through the stages up to `last` (STAGE_EMIT at most). The text of
 * a stage stands for what the stages before it make. */
fe_status driver_compile(fe_session *s, const driver_options *o, driver_stage last, arena *memory,
                         driver_program **out);
/* Takes a program that has been through the stages before `first` on to `last`. */
fe_status driver_advance(driver_program *d, driver_stage first, driver_stage last);
/* Closes the archive and frees the program's arena; NULL is fine. */
void driver_close(driver_program *d);

/* ops.c: declares the operators of the libraries that the options name, in d->ops. */
fe_status ops_load(driver_program *d);
/* The libraries whose functions the program calls, once each, as paths; returns how many. */
uint32_t ops_libraries(driver_program *d, const char ***out);

/* toolchain.c: generated files to a shared library. `library` is its path in the cache (or in a
 * temporary folder). */
fe_status toolchain_build(driver_program *d, const char **library);
kern_target toolchain_target(const char *isa);

/* weights.c */
int64_t weights_packed_bytes(const loop_program *p, const loop_op *op, uint32_t operand);
uint64_t weights_key_of(const wrap_program *w);
/* Fills `out` (weights_bytes, 64-byte aligned) using `threads` threads. */
fe_status weights_fill(const wrap_program *w, void *out, uint32_t threads);
/* Writes library + weights + footer as one artifact; library NULL: the weights alone. */
fe_status weights_write(const wrap_program *w, uint64_t key, const char *library, const char *path);

/* run.c: an artifact under way in this process. */
typedef struct loaded_program {
    void *handle;
    const fe_artifact *artifact;
    fe_model *model;
    void *weights;
    size_t weights_bytes;
} loaded_program;
fe_status program_load(driver_program *d, const char *library, loaded_program *out);
void program_unload(loaded_program *p);

/* commands: each returns the process's exit status */
int command_run(int argc, char **argv);
int command_compile(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_check(int argc, char **argv);
int command_plan(int argc, char **argv);
int command_bench(int argc, char **argv);

/* cli.c: options that several commands take. Returns how many arguments were eaten at argv[i], 0
 * when it is none of them, -1 on a mistake (said on stderr). */
int cli_common_option(driver_options *o, int argc, char **argv, int i);
/* Prints the session's diagnostics to stderr; 1. */
int cli_failed(fe_session *s);

#endif
