/* ferrite.h -- the interface of libferrite: PyTorch programs in, C code and shared libraries out.
 *
 *     fe_session *session = fe_session_new();
 *     fe_program *program;
 *     if (fe_compile_file(session, "model.pt2", &program) || fe_write_library(program, "model.so"))
 *         fputs(fe_error(session), stderr);
 *     fe_program_free(program);
 *     fe_session_free(session);
 *
 * What comes out needs nothing of ferrite: ferrite_abi.h is how it is run, by its own host program
 * or, after fe_load(), in this process.
 *
 * For all functions:
 *   - A session holds all state. One thread at a time uses it and its programs; any number of
 *     sessions may be at work at once, each on its own thread.
 *   - What can fail returns a fe_status. Unless that is FE_OK, fe_error() and fe_diagnostic_at() say
 *     why, and what the call was to give is NULL. FE_NO_MEMORY, FE_STOPPED and FE_INTERNAL may come
 *     from any such function; its comment names the others.
 *   - Text that a session gives is NUL-terminated UTF-8 and good until the next call that can fail
 *     on that session or a program of it. Text that is handed in is copied.
 *   - Sizes are bytes, times milliseconds of the wall clock.
 *   - Nothing is printed, nothing exits or aborts the process, no signal handler, environment
 *     variable, locale or working directory is changed. The C compiler is a child process.
 */
#ifndef FERRITE_H
#define FERRITE_H

#include "ferrite_abi.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FE_VERSION "0.1"

#if defined(__GNUC__)
#define FE_API __attribute__((visibility("default")))
#else
#define FE_API
#endif

/* What a call came to. */
typedef enum fe_status {
    FE_OK = 0,
    FE_USAGE,       /* a wrong option or argument */
    FE_IO,          /* a file cannot be read or written */
    FE_CORRUPT,     /* an archive or text does not hold what it must */
    FE_UNSUPPORTED, /* a valid program that ferrite cannot compile yet */
    FE_MISMATCH,    /* a check failed: metadata, shapes or numbers differ */
    FE_TOOLCHAIN,   /* the C compiler is missing or failed, or what it made cannot be loaded */
    FE_NO_MEMORY,
    FE_INTERNAL, /* a fault of ferrite's own: please report it with the text of fe_error() */
    FE_STOPPED   /* the observer wanted it */
} fe_status;

/* "ok", "usage", "io", ...: the constant's name in lower case; "unknown" for other numbers. */
FE_API const char *fe_status_name(fe_status status);

/* FE_VERSION of the library that is linked or loaded. */
FE_API const char *fe_version(void);

/* ---- sessions ------------------------------------------------------------------------------ */

typedef struct fe_session
    fe_session; /* options and diagnostics; many programs, one after another */
typedef struct fe_program fe_program; /* one compiled program */

/* A session with the default options, some of which the environment gives now. NULL when there is
 * no memory. It is small; what it learns of programs it keeps, so give a server one for each. */
FE_API fe_session *fe_session_new(void);

/* After its programs. NULL is fine. */
FE_API void fe_session_free(fe_session *session);

/* Sets an option, for the calls that follow; value NULL: back to the default. FE_USAGE when there is
 * no such option or value.
 *
 *     isa         instruction set: native (this machine's), x86-64-v4, x86-64-v3, baseline, or scalar:
 *                 plain C11, one number at a time ($FERRITE_ISA, else native). Kernels are made for it, and
 *                 those of the runtime, which has all and takes the best that the machine has when it is
 *                 loaded, go no higher. FERRITE_ISA does both too: it is the default here, and no artifact
 *                 that is loaded under it uses more. To run what a machine has not is refused: FE_USAGE by
 *                 fe_load(), FE_RUN_BAD_PROCESSOR by an artifact's open(). What is in none of these, AMX,
 *                 VNNI and products of bf16, the runtime uses with x86-64-v4 where a machine has it; AMX
 *                 not where FERRITE_ISA names a set
 *     name        what the program is called, letters, digits and _ (the default: as its file, or as its
 *                 text says). Its artifact's one function is then ferrite_artifact_NAME in place of
 *                 ferrite_artifact, and several link into one program
 *     cc          the C compiler, arguments may follow its name ($CC, else cc)
 *     cache       folder where made libraries are found again; "": none ($FERRITE_CACHE_DIR, else
 *                 $XDG_CACHE_HOME/ferrite, else $HOME/.cache/ferrite)
 *     cache-size  bytes that the cache may hold, as 512M; when something is made, what was used longest ago
 *                 goes until it does ($FERRITE_CACHE_SIZE, else 4G)
 *     lapack      flags that link LAPACK, which programs with operators of linear algebra need; none:
 *                 they are refused ($FERRITE_LAPACK, else -llapack or -lopenblas, which is there)
 *     jobs        C compilers at work at once; 0 (the default): one for each processor
 *     model       which one of an archive with several
 *     from        the input is no archive but the text of this stage: fx, loop, sched, kern, wrap (a
 *                 name that ends in .fx says as much)
 *     ops         path of a library that declares operators (ferrite_ops.h); one more each time
 *     device      recorded (the default): what runs where is as the program was exported, inputs, outputs
 *                 and buffers that it changes included (fe_artifact.input_devices, read_state); what a
 *                 device has no kernels for runs on the host. Kernels are made for opencl, cuda, mps and
 *                 privateuseone, a device of one's own; other devices, and all in Python modules, are
 *                 refused (FE_UNSUPPORTED), but FX graphs have what was recorded. cpu: all is the host's.
 *                 opencl or opencl:N: what there are kernels for runs on that device, all else on the
 *                 host, which inputs and outputs stay on too
 *     device-ports  off (the default) or on: they do not stay there, but are in the memory of that device,
 *                 as of a program that was recorded there
 *     place       NAME=DEVICE: nodes whose operator (aten.mul.Tensor, mul*) or module
 *                 (encoder.layers.*) matches run on that device, all others where device says (the cpu,
 *                 where it says nothing); one more each time, the last that matches decides
 *     devices     path of a library with the driver of a device of one's own (ferrite_device.h), which
 *                 fe_load() gives to the model; one more each time
 *     cuda-arch   80,90: kernels of cuda are made for these architectures when the program is compiled, by
 *                 NVRTC, and as PTX for later ones (FE_TOOLCHAIN where there is no NVRTC); none: when it is
 *                 opened, by NVRTC too. By default PTX for all, where NVRTC is found
 *     target      what fe_load() makes ready: c (the default), the program as C, compiled; process: its
 *                 lines run as they are, and only kernels are compiled, which takes less time
 *     artifact    path of a library that fe_write_library() or the sources' Makefile have made of the same
 *                 program with the same options: fe_load() takes it in place of one made now (FE_USAGE
 *                 where its inputs, outputs or weights are others)
 *     no-cc       off (the default) or on: as process, and kernels are interpreted. Needs no C compiler;
 *                 slow, and without operators that call LAPACK (FE_UNSUPPORTED)
 *     nan-check   off (the default) or on: what is made looks for NaN, in every target: a run fails at the
 *                 first floating input, result of a node, or output that holds it; error() says whose
 *                 it is, how many elements and the first. Nodes share no kernels then: it is slower
 *     inf-check   likewise, for NaN and for infinity, which masks hold on purpose
 *     lifecycle-check  off (the default) or on: a run of what fe_load() makes ready, which is then as with
 *                 target process, follows the memory of every buffer, and fails at the first that is
 *                 used before it has memory or after its death, lies in another's or outside the arena,
 *                 is read before anything is written to it, or is left over; where a call changes a byte
 *                 that it was not given; and where the bytes in use at a step, or in all, are not what the
 *                 plan has
 *     bisect      off (the default) or on: such a run fails at the first kernel or operator whose result
 *                 leaves what the loop interpreter makes, op by op and in double precision, of the same
 *                 inputs; error() names it, its nodes, module and source line, and the worst element with
 *                 both values. Slow; what the user's functions and LAPACK give is taken as it is. The
 *                 commands run and check (there where outputs differ) also name the pass over the graph that
 *                 changes an output, and what it made
 *     dump-buffers  off (the default) or on: such a run writes a line to stderr for each result of a
 *                 kernel or operator: buffer, dtype, shape, least and greatest number, mean of those
 *                 that are finite, how many elements are NaN and infinite, and the nodes that it is of
 *     dump-dir    folder, made where it is not there: likewise, and each result as BUFFER.npy, as it
 *                 was written last (default: none)
 *     max-arena   off (the default) or on: a context has memory for the largest sizes that the ranges
 *                 of the program's symbols allow, outputs included, and its runs allocate none; a
 *                 program with a size that has no upper bound is refused (FE_USAGE). What operators
 *                 work in is part of that, but for Fourier transforms and LAPACK, which take what they
 *                 need in the first run, and keep it
 *     donate      name of an input, one more each time, or all: the program may overwrite its memory as
 *                 soon as nothing reads it any more, so that what it computes lies there and not in the
 *                 arena; what the input held is lost with a run. FE_USAGE for one whose memory has to stay:
 *                 that an output is a view of, that the program changes in place, whose strides leave gaps;
 *                 `all` and NAME? pass over these. Outputs lie there too, where a run is given no memory
 *                 for them. The artifact says which it overwrites (fe_artifact.donated), and which outputs
 *                 lie where (output_inputs).
 *                 With `split` none is
 *     memory-budget  bytes (300000, 512K, 64M, 2G; default: any) that the working memory of a context
 *                 is to keep to: where it would need more, values are made again instead of being kept,
 *                 the cheapest for their size first; a program that does not fit even so is refused
 *                 (FE_USAGE) with what holds the most. With `split` nothing is made again. With sizes
 *                 that are symbols, for those of the example, or the largest with max-arena
 *     sizes       NAME=NUMBER,...: fe_inspect shows plan and plot for these values of the program's
 *                 symbols in place of the example's; nothing else changes
 *     profile     off (the default) or on: the artifact keeps the time of each step (step_ns)
 *     passes      path of a library of passes (ferrite_passes.h), one more each time; off: no rewrites
 *                 of the graph at all; on (the default)
 *     tune        off (the default) or on: kernels are made in several variants, which are timed on this
 *                 machine, over numbers of its own and at the sizes of the example; the fastest is
 *                 taken where it is faster by 3 % and its numbers are right. The cache keeps what came
 *                 out, for the kernel, sizes, instruction set, number of threads and model of processor;
 *                 then nothing is timed again, and the same bytes come out. Kernels of other devices are
 *                 left as they are. FE_USAGE where this machine cannot run what is made
 *     tune-budget-ms  milliseconds that this may take, C compilers included (30000, at most 65535); kernels
 *                 whose turn does not come are made as without. 0: what the cache has, and no more
 *     direct-convolution  off (the default) or on: no convolution goes by Winograd's algorithm. By that,
 *                 3x3 ones of stride 1 with constant weights take half the time, or less; their weights up
 *                 to four times the memory, and errors are up to four times those of direct sums; NaN and
 *                 infinity reach results up to three pixels further away
 *     quantize    [NAME=]BITS: float32, float16 and bfloat16 weights of linear layers become integers when
 *                 the program is compiled, and the floats are in no artifact. int8: in [-127, 127], with a
 *                 scale for each output; int4: with a scale and a zero for each 32 along the depth (int8
 *                 where that is no multiple of 32); int8-dynamic: int8, and each row of an activation
 *                 becomes int8 by its largest magnitude when the program runs, so that sums are of
 *                 integers, and exact. NAME=: those weights alone whose name
 *                 (layers.0.wq.weight) or whose module (layers.*) matches the pattern; float: they stay as
 *                 they are. One more each time, the last that matches a weight decides. Weights of less
 *                 than 1024 elements or 32 in depth stay, and those that something else reads; where that
 *                 is an embedding, its rows become int8 too, and embeddings that no layer shares do where
 *                 NAME= names them. Sums are in float32 otherwise. fe_quantised_at() has the errors of
 *                 weights.
 *                 FE_USAGE where a pattern matches no weight
 *     verify      off (the default) or on: check the graph after every pass
 *     split       where the program is cut into parts, each a function of its own that may be replaced
 *                 in a run (fe_artifact.replace_part; replace_part of a Python module): nodes=N after
 *                 every N nodes of the graph;
 *                 op=PATTERN,... or module=PATTERN,... between nodes whose operator or module matches
 *                 one of the patterns (with * and ?) and those where none does; tag=PATTERN,...
 *                 likewise by what the user said of nodes (node.meta["custom"]): stage or stage:late;
 *                 device between devices; observer as the observer says. Asked are the nodes of the graph
 *                 as it was exported (x.add_(y) is aten.add_.Tensor), and no pass joins nodes of two parts.
 *                 A part computes exactly its nodes: what goes from one to another is memory, views stay
 *                 views, and what a node writes to, its part mutates. Nodes of which nothing is left to run
 *                 are in no part. Nodes are reordered for fewer parts where that needs no more memory; a
 *                 part that would depend on one that depends on it is cut in two
 *     part        number, from 0, of the one part that is compiled, as a program of its own: its inputs are
 *                 the symbols and then the inputs of that part (fe_part), buffers of the model that it
 *                 changes among them, which it changes in the caller's memory
 *     dump-after  name of a pass, or all: the observer is shown the graph after it
 */
FE_API fe_status fe_set(fe_session *session, const char *option, const char *value);

/* A pass of the caller's (ferrite_passes.h; copied, texts too) for the compilations that follow, in
 * the order in which they are added; NULL: none of those. */
struct fe_pass;
FE_API fe_status fe_add_pass(fe_session *session, const struct fe_pass *pass);

/* An operator of the caller's (ferrite_ops.h; copied, texts too) for the compilations that follow;
 * NULL: none of those. What fe_load() makes ready calls the row's function; the hosts of artifacts
 * give theirs by fe_artifact.set_op(), under the row's symbol, which is by default the operator's
 * name: shop_scale of shop::scale. Mistakes in a row come back from the compilation. */
struct fe_op_row;
FE_API fe_status fe_add_op(fe_session *session, const struct fe_op_row *row);

/* Removes what the cache holds (option `cache`) but for what compiles under way need. What is loaded stays
 * loaded; others that use the cache make again what they find gone. */
FE_API fe_status fe_clear_cache(fe_session *session);

typedef struct fe_cache_figures {
    const char *folder; /* "": there is no cache */
    uint32_t files;     /* made libraries, and what option tune has found */
    int64_t bytes;      /* all that ferrite has put there */
    int64_t most;       /* option cache-size */
} fe_cache_figures;
FE_API fe_status fe_cache_figures_of(fe_session *session, fe_cache_figures *figures);

/* A parameter, buffer or constant, by its name in the program ("fc.weight"), of graphs that are compiled
 * from text and do not hold its elements. The descriptor is copied, the elements are read where they are
 * and must stay until the programs that use them are freed. value NULL: none of those that were given
 * before. The compilation says FE_USAGE where dtype, sizes or strides are others than the text has. */
FE_API fe_status fe_add_constant(fe_session *session, const char *name, const fe_tensor *value);

/* Is this one of ferrite's operators ("aten.add.Tensor", "aten::relu")? 1, or 0: a program with it is
 * refused, unless the caller has a row for it. One that is known may still be refused for its arguments;
 * fe_diagnostic_at() then names the operator and its node. */
FE_API int fe_knows(const char *op);

/* A node of the graph as it was exported. Strings are valid during the call. */
typedef struct fe_node_info {
    const char *name;        /* "linear_3" */
    const char *op;          /* "aten.linear.default" */
    const char *module_path; /* "encoder.layer.0"; "" when not recorded */
    const char *device;      /* of its first result: "cpu", "cuda" */
    const char
        *tags; /* its own metadata (node.meta["custom"]), a line each: "stage:late\nrank:1" */
} fe_node_info;

/* What may be called while a call of the session is under way, on its thread. Either may be NULL;
 * they may call nothing of ferrite. */
typedef struct fe_observer {
    void *data; /* handed to both */
    /* Work on `stage` ("read" ... "cc", "weights") stands at `done` of `total` parts: 0 when it
     * begins; stage cc counts files. Anything but 0 stops the call, which returns FE_STOPPED. */
    int (*progress)(void *data, const char *stage, uint32_t done, uint32_t total);
    /* What option dump-after asks for: the graph after `pass` as text of `length` bytes. */
    void (*dump)(void *data, const char *pass, const char *text, size_t length);
    /* Option split=observer: the class of a node. A part holds nodes of one class. */
    uint32_t (*split)(void *data, const fe_node_info *node);
} fe_observer;

/* The observer (copied) for the calls that follow; NULL: none. */
FE_API void fe_observe(fe_session *session, const fe_observer *observer);

/* ---- diagnostics --------------------------------------------------------------------------- */

/* All diagnostics of the last call that could fail as text of whole lines; "" after FE_OK. */
FE_API const char *fe_error(const fe_session *session);

/* The same in pieces. Each but `message` may be NULL. */
typedef struct fe_diagnostic {
    fe_status status;
    const char *stage;   /* "pt2", "lower", ... */
    const char *place;   /* file, record of the archive, line of a text or node */
    const char *op;      /* operator, "aten.mm.default" */
    const char *source;  /* line of the user's Python program, as the archive records it */
    const char *message; /* what is wrong */
    const char *help;    /* what to do */
} fe_diagnostic;

/* Fills *diagnostic with number `index`, from 0. Returns 1, or 0 where there is none. */
FE_API int fe_diagnostic_at(const fe_session *session, uint32_t index, fe_diagnostic *diagnostic);

/* ---- compiling ----------------------------------------------------------------------------- */

/* Takes the archive at `path` (of torch.export.save; or text, see option `from`; "-": text on
 * standard input) through all stages up to C text. *program is the caller's, until
 * fe_program_free(), which is before the session's; the file is not to be changed before that.
 * FE_IO, FE_CORRUPT, FE_UNSUPPORTED, FE_USAGE (the file is of another kind, such as TorchScript, ONNX or
 * a state dict; option `model` is needed, `from` wrong, or what `max-arena` or `memory-budget` ask for
 * cannot be). */
FE_API fe_status fe_compile_file(fe_session *session, const char *path, fe_program **program);

/* The same from memory: `size` bytes, which must stay as they are until fe_program_free(). Where
 * they are not aligned to 64 bytes a copy is made. `name` stands for the path: "model.pt2". */
FE_API fe_status fe_compile_memory(fe_session *session, const char *name, const void *bytes,
                                   size_t size, fe_program **program);

/* What it is called (option `name`); it is the program's. */
FE_API const char *fe_program_name(const fe_program *program);

/* Frees it, and closes what fe_load() gave. NULL is fine. Diagnostics stay. */
FE_API void fe_program_free(fe_program *program);

/* Writes a shared library with the weights in it, and beside it a header with the names, dtypes and
 * shapes of its inputs and outputs: model.so and model.h. Each file appears whole or not at all.
 * A path that ends in .a: an archive to be linked into programs, and in its folder NAME.h and, where the
 * program has weights, NAME.weights, which is to lie beside the program that is linked (or open() is told
 * where): `cc main.c libone.a libtwo.a -lm -lpthread`, with option `name` for more than one.
 * FE_IO, FE_TOOLCHAIN, FE_UNSUPPORTED where LAPACK is needed and cannot be linked. */
FE_API fe_status fe_write_library(fe_program *program, const char *path);

/* Writes several programs of one session as one library (.so, .a as above, or DIR/, a folder of C sources),
 * with one runtime, weights that are the same in several of them once, and one header: prompt and step of a
 * language model, encoder and decoder. Each was compiled with option `name` and is called by its
 * ferrite_artifact_NAME(); a shared library also has `const fe_artifact *ferrite_artifacts(uint32_t
 * number)`, NULL behind the last. Contexts of two of them may share buffers that both change:
 * fe_artifact.share_states(). `count` is at least 1. As fe_write_library(), and FE_USAGE where names are
 * missing or the same, or instruction sets differ. */
FE_API fe_status fe_write_programs(fe_program *const *programs, uint32_t count, const char *path);

/* The programs in an archive, by the names that option `model` takes, in its order. The array is the
 * session's. FE_IO, FE_CORRUPT, FE_USAGE (it is no archive). */
FE_API fe_status fe_model_names(fe_session *session, const char *path, const char *const **names,
                                uint32_t *count);

/* Writes C sources, the runtime's among them, the header, weights and a Makefile into `folder`, which
 * is made if it is not there. They build with a C11 compiler and nothing else, but for LAPACK
 * where the program needs it. FE_IO, FE_UNSUPPORTED. */
FE_API fe_status fe_write_sources(fe_program *program, const char *folder);

/* Writes one HTML page about the program, which needs nothing beside it: its memory over time, what
 * holds most of it and where that stands in the user's program, its calls with the bytes that each
 * moves. With option `profile` also how long each takes: the program is loaded and called for that, on
 * what the archive records as inputs, else on random numbers. FE_IO, and with `profile` as fe_load(). */
FE_API fe_status fe_write_report(fe_program *program, const char *path);

/* Writes when each step of one run was begun and done, on the host and on devices by their clocks, as JSON
 * that chrome://tracing and https://ui.perfetto.dev show. The program, made with option `profile`, is loaded
 * and called for that as for fe_write_report(). FE_IO, FE_USAGE (no `profile`), and as fe_load(). */
FE_API fe_status fe_write_trace(fe_program *program, const char *path);

/* Writes a Python module: NAME.py, which takes and returns torch tensors, numpy arrays or what else
 * speaks DLPack, the library NAME_kernels.so with its weights, and ferrite_runtime.py, which it
 * imports. `path` is that of the module, or a folder, where it is called as the program. FE_IO,
 * FE_TOOLCHAIN, FE_UNSUPPORTED. */
FE_API fe_status fe_write_python(fe_program *program, const char *path);

/* Writes the program as an FX graph: NAME.json, which ferrite_fx.py makes a torch.fx.GraphModule of,
 * beside its library of kernels, as fe_write_python() does. */
FE_API fe_status fe_write_fx(fe_program *program, const char *path);

/* Writes what each line and kernel of the program comes from, and back, as JSON: what stage "provenance" of
 * fe_inspect_file() shows, of the program that the other functions write. FE_IO. */
FE_API fe_status fe_write_provenance(fe_program *program, const char *path);

/* Makes the program ready to be called in this process, without a file of the caller's:
 *
 *     fe_load(program, &artifact, &model);
 *     artifact->context_new(model, 0, &context);
 *     artifact->run(context, inputs, artifact->input_count, outputs, artifact->output_count);
 *
 * Both belong to the program: free contexts before it, and do not close the model. Once loaded,
 * any threads may use them, each with a context of its own. A second call gives the same ones.
 * FE_IO, FE_TOOLCHAIN, FE_UNSUPPORTED. */
FE_API fe_status fe_load(fe_program *program, const fe_artifact **artifact, fe_model **model);

/* Fills `inputs`, one for each input of the program, with copies of what the archive records as the
 * inputs that the program was exported with. Their memory is the program's and may be written to.
 * FE_USAGE when the archive records none. */
FE_API fe_status fe_sample_inputs(fe_program *program, fe_tensor *inputs);

/* ---- what was made ------------------------------------------------------------------------- */

typedef struct fe_figures {
    uint32_t stage_count;
    const char *const *stage_names; /* in order: "read", "infer", ... */
    const double *stage_ms;         /* of each stage; 0 when it did not run yet */
    double compile_ms;              /* their sum */
    uint32_t input_count, output_count;
    uint32_t kernels;          /* calls of generated kernels in one run */
    uint32_t unique_kernels;   /* kernels that were generated for them */
    int64_t arena_bytes;       /* working memory of one context; -1: it depends on the sizes */
    int64_t arena_lower_bound; /* most bytes that live at once; -1 likewise */
    int64_t weights_bytes;
    int64_t artifact_bytes; /* machine code and weights; 0 before fe_write_library() or fe_load() */
    /* what it needs at run time besides libc and libm, and why: "LAPACK (-llapack), for inv"; NULL:
     * nothing, or nothing was made yet */
    const char *libraries;
    /* option tune: distinct kernels whose variant was chosen by time, how many of these choices were
     * known already, how many kernels changed, how many were left as time was up, and the time of all
     * calls of the former in one run */
    uint32_t tuned_kernels, tuned_recorded, tuned_changed, tuned_left;
    double tuned_before_ms, tuned_after_ms;
} fe_figures;

/* Fills *figures; the arrays are the program's. */
FE_API void fe_figures_of(const fe_program *program, fe_figures *figures);

/* Bytes of donated inputs (option donate) that the program uses as working memory, beside the arena; -1:
 * it depends on the sizes. */
FE_API int64_t fe_donated_bytes(const fe_program *program);

/* Bytes that runtime operators work in for each thread of a context; where sizes are symbols, what these ask
 * for comes on top. */
FE_API int64_t fe_thread_bytes(const fe_program *program);
/* For contexts of up to so many threads that is memory of the arena and of outputs which is free meanwhile,
 * and nothing comes on top; 0: it is memory of its own. */
FE_API uint32_t fe_threads_within(const fe_program *program);

/* Bytes of tables that runtime operators go by (roots of unity of Fourier transforms), at most, which all
 * contexts of an artifact share: those of lengths that are known by now. */
FE_API int64_t fe_table_bytes(const fe_program *program);

/* A weight that option quantize has made integers of. Of a second form of the same weight, the rows of a tied
 * embedding, bytes_before is 0. */
typedef struct fe_quantised {
    const char *name;     /* of the parameter: "layers.0.wq.weight" */
    int bits;             /* 8: a scale for each row; 4: a scale and a zero for each 32 of a row */
    int64_t rows, depth;  /* results of a product with it, and what each is a sum of */
    int64_t bytes_before; /* as floats */
    int64_t bytes;        /* integers, scales and zeros */
    double error;         /* root of the mean square of what elements are off by, over theirs */
    double most;          /* the most that one is off by, over the largest element */
} fe_quantised;

/* Fills *weight with number `index`, from 0; its name is the program's. Returns 1, or 0 where there is
 * none. */
FE_API int fe_quantised_at(const fe_program *program, uint32_t index, fe_quantised *weight);

/* How inputs stand in the arguments of the exported module, and user outputs in what it returns:
 * PyTorch's text of a tree (torch.utils._pytree), the arguments a tuple and a dict. NULL: the program
 * does not say. They are the program's. */
FE_API const char *fe_input_tree(const fe_program *program);
FE_API const char *fe_output_tree(const fe_program *program);

/* What the program takes and returns, for hosts that are written for no program in particular: the JSON that
 * fe_artifact.signature has. It is the program's. */
FE_API const char *fe_signature(const fe_program *program);

/* ---- looking inside ------------------------------------------------------------------------ */

/* The text of a stage, for an input as of fe_compile_file(), which is compiled that far:
 *
 *     read   the graph as it was exported        kern   kernels
 *     fx     the graph after the passes          plan   where buffers lie in the arena
 *     loop   loop nests                          wrap   the program around the kernels
 *     sched  nests fused and ordered             c      all C sources
 *     variants  the ways in which each kernel may be made, and what option tune would time it with
 *     provenance  as JSON: the nodes behind each line of wrap and each kernel, and for each node its
 *            module, source line, lines and kernels; the same by names as exported
 *
 * *text is the session's, *length (which may be NULL) its bytes. As fe_compile_file(), and FE_USAGE
 * for another stage. */
FE_API fe_status fe_inspect_file(fe_session *session, const char *path, const char *stage,
                                 const char **text, size_t *length);

/* The same from memory, which is read during the call only. */
FE_API fe_status fe_inspect_memory(fe_session *session, const char *name, const void *bytes,
                                   size_t size, const char *stage, const char **text,
                                   size_t *length);

#ifdef __cplusplus
}
#endif

#endif
