/* driver.h -- the pipeline on a page, options, the C compiler and its cache, weights, loading.
 *
 * compile.c tells the story from archive to C text; ops.c loads the user's operators; toolchain.c turns
 * text into a shared library; weights.c lays the constants out; several.c and sources.c write what is
 * shipped, load.c runs it in this process, inputs.c gives it inputs. api.c is the border to ferrite.h:
 * everything below it reports by diagnostics and unwinds by BUG, nothing above it sees either.
 */
#ifndef FERRITE_DRIVER_H
#define FERRITE_DRIVER_H

#include "emit/emit.h"
#include "exec/exec.h"
#include "ferrite_ops.h"
#include "kern/kern.h"
#include "lower/lower.h"
#include "pass/pass.h"
#include "pt2/pt2.h"
#include "wrap/wrap.h"

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

/* ---- options (options.c, options.def) ------------------------------------------------------ */

typedef struct option_list {
    const char **at;
    uint32_t count, capacity;
    bool is_off; /* of a list that can be switched off */
} option_list;

/* A constant of the caller's, who keeps its elements. */
typedef struct given_constant {
    const char *name;
    fe_tensor value;
} given_constant;

typedef struct driver_options {
    const char *input; /* archive; "-" or *.fx: FX text */
    const void *bytes; /* its content, 64-byte aligned; NULL: it is a file */
    size_t size;
    /* stage that the input is the text of: "fx", "loop", "sched", "kern", "wrap"; NULL: see input */
    const char *from;
    const char *model;     /* in the archive; NULL: the only one */
    const char *name;      /* of the program, its files and its function; NULL: as the input */
    const char *isa;       /* "native", "x86-64-v4", "x86-64-v3", "baseline" */
    const char *cc;        /* the C compiler and arguments */
    const char *cache;     /* folder; "": none */
    int64_t cache_size;    /* bytes that it may hold */
    const char *lapack;    /* how to link it; "none": not at all; NULL: to be found */
    option_list ops;       /* libraries that declare operators (ferrite_ops.h) */
    option_list place;     /* PATTERN=DEVICE */
    option_list devices;   /* libraries with drivers of devices (ferrite_device.h) */
    const char *cuda_arch; /* 80,90; none; NULL: whatever is there */
    option_list passes;    /* libraries of passes (ferrite_passes.h); off: the graph as read */
    const fe_pass **added; /* passes of the caller's */
    uint32_t added_count;
    const fe_op_row **added_ops; /* operators of the caller's */
    uint32_t added_op_count;
    const struct given_constant **given; /* constants of the caller's */
    uint32_t given_count;
    const char *dump_after; /* pass name or "all"; NULL: none */
    uint32_t pass_limit;    /* how many passes run, plus one; 0: all */
    const char *split;      /* where the program is cut into parts (split.c); NULL: nowhere */
    const char *sizes;      /* that a plan is shown for (plan_sizes.c); NULL: the example's */
    const char *part;       /* number of the one part to compile; NULL: all */
    uint32_t jobs;          /* compiler processes side by side; 0: one a core */
    const char *device;     /* "cpu": of all that the program says a device of; else as recorded */
    bool device_ports;      /* inputs and outputs are on that device as well */
    const char *target;     /* what fe_load() runs: "c", "process"; NULL: "c" */
    const char *artifact;   /* made earlier, which is run in place of one made now; NULL: none */
    bool no_cc;             /* kernels are interpreted */
    bool nan_check, inf_check; /* the program looks for NaN, and infinity, in all it computes */
    bool lifecycle_check, bisect, dump_buffers; /* of what is run here as it is (watch.c) */
    const char *dump_dir;
    bool max_arena;          /* room for the largest sizes that ranges allow */
    int64_t memory_budget;   /* bytes that the arena may need; 0: any */
    option_list donate;      /* inputs whose memory may be used for other things, or "all" */
    option_list quantize;    /* [PATTERN=]int8, int4 or float (quantise.c) */
    bool direct_convolution; /* none goes by Winograd's algorithm */
    bool profile;            /* the artifact keeps the time of each step */
    bool verify;             /* after each pass */
    bool tune;               /* kernels are timed in several variants (tune.h) */
    uint32_t tune_budget_ms;
    const struct tune_timer *tune_timer; /* of tests; NULL: this machine's */
    const char *tune_machine;            /* likewise */
    fe_observer observer;
} driver_options;

static inline bool driver_looks_at_results(const driver_options *o)
{
    return o->nan_check || o->inf_check;
}

typedef enum option_kind {
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_BYTES, /* a number, or one of KiB, MiB or GiB: 64M */
    OPTION_SWITCH,
    OPTION_CHOICE,
    OPTION_PASS,
    OPTION_LIST
} option_kind;
typedef struct option_row {
    const char *name;
    option_kind kind;
    size_t offset; /* in driver_options */
    const char *values, *placeholder, *what;
} option_row;
extern const option_row option_table[];
extern const uint32_t option_count;
/* "on off" -> {"on", "off"} */
uint32_t option_values(arena *memory, const option_row *row, const char *const **values);

/* What the environment says; texts are in `memory`. */
void driver_default_options(arena *memory, driver_options *o);
/* The body of fe_set(). */
fe_status driver_set_option(fe_session *s, driver_options *o, const char *name, const char *value);

/* Do they say what there is? FE_USAGE. */
fe_status driver_check_isa(fe_session *s, const driver_options *o);
fe_status driver_check_name(fe_session *s, const driver_options *o);

/* ---- a program on its way ------------------------------------------------------------------ */

/* An artifact in this process. */
typedef struct loaded_program {
    void *handle;
    const fe_artifact *artifact;
    fe_model *model;
    exec_program *exec;    /* its lines are run as they are; NULL: it is the C of them */
    void **device_handles; /* libraries of drivers */
    uint32_t device_handle_count;
    void **user_handles; /* then: libraries of the user's functions, where no library links them */
    uint32_t user_handle_count;
    void *weights;
    size_t weights_bytes;
} loaded_program;

/* What the C compiler makes a shared library of. */
typedef struct driver_build {
    emit_file *files;
    uint32_t file_count;
    const char *const *entries; /* the functions that the library shows */
    uint32_t entry_count;
    const char *library;                /* made of the files, without weights; NULL: not yet */
    bool is_static;                     /* an archive of one object, to be linked into programs */
    struct fe_program *const *programs; /* that are in it, where these are several */
    uint32_t program_count;
} driver_build;

/* What option tune has come to: distinct kernels, and the time of all their calls. */
typedef struct driver_tuned {
    /* recorded: known from an earlier compile; left: time was up */
    uint32_t kernels, recorded, changed, left;
    double before_ms, after_ms;
} driver_tuned;

/* Everything is in the arena; the archive stays open because weights are views into it. */
typedef struct fe_program {
    fe_session *session;
    arena *memory;
    driver_options options;
    struct graph_builder *builder; /* that the graph is a copy of; NULL: it was read */
    op_registry *ops;     /* with the operators of the libraries; NULL: the built-in ones */
    pt2_archive *archive; /* NULL when read from text */
    fx_graph *graph;
    fx_graph
        *recorded; /* as it was before nodes without kernels left their device; NULL: `graph` */
    const char **pass_names; /* of the passes, those among them that pass_limit left out */
    uint32_t pass_total;
    lower_split *split; /* NULL: the program is not cut */
    loop_program *loops;
    sched_schedule *schedule;
    kern_set *kernels;
    wrap_program *wrapper;
    driver_build whole;        /* the program in C */
    driver_build kernels_only; /* what other targets call; without files until it is wanted */
    const char *name;          /* of the program: the file's stem as an identifier */
    const target_machine *target;
    bool for_host; /* whatever device a tensor is on, its kernels are the host's */
    uint64_t weights_key;
    VEC(emit_image) images; /* of CUDA */
    const char *lapack;     /* flags that the program is linked with; NULL: needs none */
    double ms[STAGE_COUNT];
    const char *temporary;               /* folder that goes with the program; NULL: none */
    int64_t artifact_bytes, table_bytes; /* tables: of operators, which are no weights */
    const char *signature;               /* fe_artifact.signature */
    driver_tuned tuned;
    struct quantising *quantising; /* option quantize; NULL: it is not given */
    VEC(fe_quantised) quantised;   /* weights that have become integers */
    loaded_program loaded;
} driver_program;

/* compile.c */
/* Reads the program and takes it through the stages up to `last` (STAGE_EMIT at most). The text of
 * a stage stands for what the stages before it make. */
fe_status driver_compile(fe_session *s, const driver_options *o, driver_stage last, arena *memory,
                         driver_program **out);
/* One that has nothing yet. */
fe_status driver_begin(fe_session *s, const driver_options *o, arena *memory, driver_program **out);
/* The same program with kernels of the host for all devices: *out is d where it has no others. What d has is
 * left as it is; both are closed as one, d. */
fe_status driver_for_host(driver_program *d, driver_program **out);
/* Takes a program that has been through the stages before `first` on to `last`. */
fe_status driver_advance(driver_program *d, driver_stage first, driver_stage last);
/* FE_UNSUPPORTED where the program runs on another device than the host, or (or_devices) on one that no
 * kernels are made for. */
fe_status driver_need_host(driver_program *d, bool or_devices);
/* FE_UNSUPPORTED where the text of a wrapper names kernels: it can be shown, but not made. */
fe_status driver_need_kernels(driver_program *d);
/* Tells the observer; FE_STOPPED with a diagnostic when it has had enough. */
fe_status driver_progress(driver_program *d, driver_stage stage, uint32_t done, uint32_t total);
/* Kernels of devices other than the host, by kind. */
const emit_module *driver_modules(driver_program *d, uint32_t *count);
/* images.c: kernels that are made here and now (option cuda-arch); a module is given those that are its. */
fe_status images_make(driver_program *d);
void images_give(const driver_program *d, emit_module *m);
/* What printers are given of a program that has its wrapper. */
void driver_emit_input(driver_program *d, emit_input *out);
/* Makes d->kernels_only. */
fe_status driver_build_kernels(driver_program *d);
/* Unloads, closes the archive and frees the program's arena; NULL is fine. */
void driver_close(driver_program *d);

/* graph.c: a program of the graph, or the user, needs it no more. NULL is fine. */
void graph_release(struct graph_builder *builder);

/* plugin.c: a kind of library that users write, and one of it that is open. */
typedef struct plugin_kind {
    const char *stage; /* of diagnostics */
    const char *entry; /* the function that it exports, and the name of its header */
    const char *macro; /* what makes that function */
    uint32_t version;
} plugin_kind;
typedef struct plugin {
    driver_program *d;
    const plugin_kind *kind;
    const char *path;
    void *handle;
    const void *library; /* what the function returned */
} plugin;
/* On failure too `out` is to be closed. */
fe_status plugin_open(driver_program *d, const plugin_kind *kind, const char *path, plugin *out);
void plugin_close(plugin *l);
/* FE_USAGE about this library; `format` has one %s. */
fe_status plugin_failed(const plugin *l, const char *help, const char *format, const char *what);

/* given.c: parameters, buffers and constants of d->graph without data get those of the caller's. FE_USAGE
 * where one does not fit. */
fe_status give_constants(driver_program *d);

/* donate.c: marks the inputs that the options donate. FE_USAGE where one cannot be. */
fe_status donate_inputs(driver_program *d);
/* FE_USAGE where they donate any: it is too late for that. */
fe_status donate_is_late(driver_program *d);

/* split.c. Where the program is to be cut, of the graph as it was given: each node gets its class. */
fe_status split_classify(driver_program *d);
/* The loop program, in parts where there is a split. */
fe_status split_lower(driver_program *d, const lower_split *split);

/* place.c: do options say where nodes run? Then what runs where, copies, and the graph lowered so. FE_USAGE:
 * kernels are not made for a device, or a pattern matches nothing. */
bool place_is_asked_for(const driver_options *o); /* by options */
bool place_is_wanted(const driver_program *d);
/* All tensors of the graph become the host's. */
void place_bring_home(fx_graph *g);
/* Do kernels there compute with values of the dtype? The host's do, with all. */
bool place_holds(ty_device device, ty_dtype dtype);
fe_status place_and_lower(driver_program *d);
/* devices.c: the drivers in the libraries of option devices; those of the devices that a program names are
 * given to the model that was loaded of it. */
fe_status devices_give(driver_program *d);
/* The schedule of the program, or of the one part that the options name. */
fe_status split_build(driver_program *d, const sched_options *options);

/* ops.c: declares the operators of the libraries that the options name, in d->ops. */
fe_status ops_load(driver_program *d);
/* The caller's function of this name, or NULL. */
fe_op_function *ops_added_function(driver_program *d, const char *symbol);
/* The libraries whose functions the program calls, once each, as paths; returns how many. */
uint32_t ops_libraries(driver_program *d, const char ***out);
/* Of all programs of a build. */
uint32_t ops_libraries_of(const driver_build *build, arena *memory, const char ***out);

/* passes.c: all passes, those of the user's among them, over d->graph. */
fe_status passes_run(driver_program *d, const pass_options *options);

/* quantise.c: what option quantize asks the pass of that name for; nothing where it is not given. Behind the
 * passes: FE_USAGE where a pattern matches no weight. */
fe_status quantise_begin(driver_program *d, pass_services *services);
fe_status quantise_check(const driver_program *d);
/* FE_USAGE where the option is given: it is too late for that. */
fe_status quantise_is_late(const driver_program *d);

/* constants.c: the bodies of pass_services.evaluate and compute. */
bool constants_evaluate(void *program, fx_graph *calls, void *const *bytes);
bool constants_compute(void *program, fx_graph *calls, void *const *bytes);

/* stage_text.c: the stages that have a text. */
typedef struct stage_row {
    const char *name;
    driver_stage last; /* to be gone through for it */
    void (*show)(driver_program *d, text *out);
} stage_row;
extern const stage_row stage_table[];
extern const uint32_t stage_count;
/* The row of this name; FE_USAGE when there is none. */
fe_status driver_find_stage(fe_session *s, const char *name, const stage_row **out);
/* The body of fe_inspect_*(): the program's stage as text in its arena. */
fe_status driver_inspect(fe_session *s, const driver_options *o, const char *stage, arena *memory,
                         driver_program **program, text *out);

/* toolchain.c: generated files to a shared library, build->library, in the cache or a temporary
 * folder. Once only. */
fe_status toolchain_build(driver_program *d, driver_build *build);
uint32_t toolchain_lanes_here(void); /* floats of a vector of this machine's, from 8 on; 0 */
const target_machine *toolchain_target(const char *isa);
/* Can this machine run what is made for `d->target`? FE_USAGE. */
fe_status toolchain_check_machine(driver_program *d, const char *stage);

/* cache.c: libraries and objects in the cache, by the hash of what they were made from. */
/* Is it there as it was made? */
bool cache_has(fe_session *s, const char *path, uint64_t key);
/* What was made gets its name there, whole and synced. */
fe_status cache_put(fe_session *s, const char *made, const char *path, uint64_t key);
/* The same of a file that also stays where it was made. Not kept where the file system has one name for a
 * file only. */
bool cache_keep(fe_session *s, const char *made, const char *path, uint64_t key);
/* One that was kept and is whole is then `to` as well, whatever becomes of the cache. */
bool cache_get(fe_session *s, const char *path, const char *to, uint64_t key);
/* Of a library, from the cache or elsewhere: so many are its own. */
size_t cache_code_bytes(const void *data, size_t bytes);
/* Does the file hold just this? */
bool cache_file_is(fe_session *s, const char *path, const void *data, size_t size);

/* cache_room.c */
typedef struct cache_figures {
    uint32_t programs; /* libraries and records */
    int64_t bytes;     /* all that is ours */
} cache_figures;
void cache_measure(fe_session *session, const char *cache, cache_figures *out);
/* The file was used now. */
void cache_use(const char *path);
/* `made` was put there, and `more` bytes with it; where the cache holds more than `most` bytes then, what was
 * used longest ago goes, but for what compiles under way need. */
void cache_count(fe_session *session, const char *cache, int64_t most, const char *made,
                 int64_t more);
void cache_clear(fe_session *session, const char *cache);

/* Do these flags link `source` into a shared library? Works in `folder`. */
bool toolchain_links(driver_program *d, const char *folder, const char *source, const char *flags);
/* "a b c" cut at its blanks, at most `room` of them; returns how many. */
int toolchain_split(arena *memory, const char *words, const char **out, int room);

/* lapack.c: linking what calls LAPACK. */
/* Sets d->lapack for a program that needs it, to what the options say or else to the first of the
 * usual ones; FE_UNSUPPORTED where it is to do without. */
fe_status lapack_choose(driver_program *d);
/* Makes sure, by linking in `folder`, that it is there; where the options leave the choice, of the
 * usual ones the first that is. FE_UNSUPPORTED when there is none. */
fe_status lapack_find(driver_program *d, const char *folder);
/* Is this runtime source linked into programs with LAPACK alone? */
bool lapack_source(const char *name);
/* Which library is linked and what for; NULL: none. */
const char *lapack_note(const driver_program *d);
/* "%name (module.path)" of what an op of the loop program was lowered from, or NULL. */
const char *driver_note(void *program, uint32_t origin);
/* The line of the user's program that it comes from, "model.py:12 in forward", or NULL. */
const char *driver_source(driver_program *d, uint32_t origin);

/* budget.c: does the plan keep to option memory-budget? FE_USAGE that says by how much it does not,
 * and what holds the most. */
fe_status budget_check(driver_program *d);

/* weights.c */
int64_t weights_packed_bytes(const loop_program *p, const loop_op *op, uint32_t operand);
uint64_t weights_key_of(const wrap_program *w);
/* Are all there? Texts show constants without their bytes, but for small ones. */
fe_status weights_check(const wrap_program *w);
/* Fills `out` (weights_bytes, 64-byte aligned) using `threads` threads. */
void weights_fill(const wrap_program *w, void *out, uint32_t threads);
/* How its bytes are made of its buffer's: what is alike in this and in the buffer is alike. */
void weights_describe(const wrap_program *w, const wrap_weight *weight, text *out);
/* Writes library + weights + footer as one artifact; library NULL: the weights alone. Weights of several
 * programs have been laid out as one. */
fe_status weights_write(const wrap_program *const *programs, uint32_t count, uint64_t key,
                        const char *library, const char *path, int64_t *written);

/* several.c, sources.c: the bodies of fe_write_programs(), for a library and for a folder, and of those for
 * one program; all are of one session. */
fe_status several_write(driver_program *const *programs, uint32_t count, const char *path);
fe_status sources_write(driver_program *const *programs, uint32_t count, const char *folder);

/* provenance.c: lines to nodes and back, as JSON. */
void provenance_print(driver_program *d, text *out);
fe_status provenance_write(driver_program *d, const char *path);
/* Was something in this line lowered from this node? */
bool provenance_has(const driver_program *d, uint32_t line, uint32_t node);
/* The kernel or operator that it calls, or NULL. */
const char *provenance_called(const wrap_line *line);

/* report.c: the body of fe_write_report(). */
fe_status report_write(driver_program *d, const char *path);
/* report_trace.c: of fe_write_trace(). */
fe_status trace_write(driver_program *d, const char *path);
/* module.c: bodies of fe_write_python() and fe_write_fx(). */
fe_status module_write_python(driver_program *d, const char *path);
fe_status module_write_fx(driver_program *d, const char *path);

/* load.c: the body of fe_load(); d->loaded. process.c: the same where lines are run as they are. */
fe_status driver_load(driver_program *d);
/* A context of a model that was opened of the program; threads 0: as many as the machine has. */
fe_status driver_context(driver_program *d, const fe_artifact *a, const fe_model *model,
                         uint32_t threads, fe_context **out);
fe_status driver_load_process(driver_program *d);
/* result_name.c: the group of the schedule that the line calls; NULL: of another line, or nobody knows. */
const sched_group *driver_group(const driver_program *d, const wrap_line *line);
/* "%softmax (encoder), model.py:12 in forward, with %div", which a buffer that the line writes
 * comes from; and what messages call it, with "the result of" in front. */
const char *driver_result_nodes(driver_program *d, const wrap_line *line, loop_buffer_id id);
const char *driver_result_name(void *program, const wrap_line *line, loop_buffer_id id);
/* watch.c: do the options ask for a look at a run? Such programs run in this process. */
bool watch_is_wanted(const driver_options *o);
/* Adds those who look at runs, as the options say. */
fe_status watch_observers(driver_program *d, exec_facts *facts);
/* Maps memory for the weights, and lays them out in it. */
fe_status driver_fill_weights(driver_program *d);
/* Opens the library that was built and finds its one function. */
fe_status driver_open_library(driver_program *d, const driver_build *build, void **handle,
                              void **entry);
void driver_unload(driver_program *d);

#endif
