/* ferrite_abi.h -- what crosses the border between an artifact that ferrite made and its host.
 *
 * An artifact is a shared library with one entry point, ferrite_artifact(), or the same code linked
 * into a program. It needs libc and libm alone, and LAPACK where it factors matrices. In ten lines:
 *
 *     const fe_artifact *a = ferrite_artifact();        // link it, or dlopen it and dlsym this name
 *     fe_model *model;                                  // maps the weights; shared by all threads
 *     a->open(NULL, &model);
 *     fe_context *context;                              // an arena; one for each caller
 *     a->context_new(model, 0, &context);
 *     int64_t sizes[] = {1, 3, 224, 224};
 *     fe_tensor x = {.data = pixels, .dtype = FE_F32, .rank = 4, .sizes = sizes};
 *     fe_tensor y = {0};                                // memory of the context until its next run
 *     if (a->run(context, &x, 1, &y, 1) != 0) puts(a->error(context));
 *     a->context_free(context);
 *     a->close(model);
 *
 * Results in memory of the host's own, also where only the run knows how much (examples/own_memory.c):
 *
 *     void *mine(void *data, uint32_t output, int64_t bytes) { return aligned_alloc(64, (bytes | 63) + 1); }
 *     fe_call call = {.struct_bytes = sizeof call, .inputs = &x, .input_count = 1,
 *                     .outputs = &y, .output_count = 1, .alloc = mine};
 *     if (a->call(context, &call) != 0) puts(a->error(context));
 */
#ifndef FERRITE_ABI_H
#define FERRITE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one whenever a structure below changes but for fields that are added at the end of
 * fe_artifact, which are there when struct_bytes reaches them. A host refuses an artifact of another
 * number. */
#define FE_ABI_VERSION 1u

/* Element types; the numbers are those of PyTorch's archives. */
typedef enum fe_dtype {
    FE_U8 = 1,
    FE_I8 = 2,
    FE_I16 = 3,
    FE_I32 = 4,
    FE_I64 = 5,
    FE_F16 = 6,
    FE_F32 = 7,
    FE_F64 = 8,
    FE_C32 = 9,
    FE_C64 = 10,
    FE_C128 = 11,
    FE_BOOL = 12,
    FE_BF16 = 13,
    FE_U16 = 28,
    FE_F8E4M3FN = 29,
    FE_F8E5M2 = 30,
    FE_F8E4M3FNUZ = 31,
    FE_F8E5M2FNUZ = 32,
    FE_F8E8M0FNU = 33,
    FE_U32 = 34,
    FE_U64 = 35
} fe_dtype;

/* A tensor in the caller's memory. A number (int, float, bool) is a tensor of rank 0 and dtype I64,
 * F64 or BOOL. */
typedef struct fe_tensor {
    void *data;
    uint32_t dtype; /* fe_dtype */
    uint32_t rank;
    const int64_t *sizes;   /* elements, `rank` of them; may be NULL when rank is 0 */
    const int64_t *strides; /* elements; NULL means contiguous (row-major) */
} fe_tensor;

typedef enum fe_result {
    FE_RUN_OK = 0,
    /* count, dtype, rank, size, stride or alignment of an input; error() names it */
    FE_RUN_BAD_INPUT,
    FE_RUN_BAD_OUTPUT, /* an output buffer given by the caller does not fit */
    FE_RUN_NO_MEMORY,
    FE_RUN_ASSERTION,   /* a condition of the program itself does not hold */
    FE_RUN_BAD_WEIGHTS, /* the weights cannot be read or belong to another artifact */
    /* open: it is made for an instruction set that this processor has not, or FERRITE_ISA names none
     * that it has */
    FE_RUN_BAD_PROCESSOR
} fe_result;

/* An input or output as declared. A size of -1 is dynamic: shape_text has the expression. dtype 0: an
 * argument that the program was exported with and does not read (None, a string); any tensor will
 * do. */
typedef struct fe_port {
    const char *name;
    uint32_t dtype;
    uint32_t rank;
    const int64_t *sizes;
    const int64_t *strides;
    const char *shape_text; /* "[s0, 3, 224, 224]" */
} fe_port;

struct fe_op_call;                /* ferrite_ops.h */
struct fe_device_driver;          /* ferrite_device.h */
typedef struct fe_model fe_model; /* weights and tables: constant after open, shared by threads */
typedef struct fe_context fe_context; /* arena and outputs of one caller; not shared */

/* A part of a program that was compiled in parts (ferrite compile --split). Sizes of -1 in its ports are
 * dynamic, as in those of the program. */
typedef struct fe_part {
    const char *name;
    const fe_port *inputs; /* it reads them; the last mutated_count ones it also changes in place */
    uint32_t input_count, mutated_count;
    const fe_port *outputs; /* it writes them */
    uint32_t output_count;
    const char *const *symbols; /* integers that it reads: sizes, or what its sizes are made of */
    uint32_t symbol_count;
    const char *const *constants; /* weights that it reads, by their names in the program */
    uint32_t constant_count;
    /* 0: the sizes of its outputs are known only when it has run, or not all that it is given, or gives, is
     * on the host */
    uint32_t can_be_replaced;
} fe_part;

/* Runs in place of a part: reads `inputs` and `symbols`, writes every output in the strides given, in
 * the order of fe_part. Outputs lie nowhere where inputs lie. All are valid until it returns: 0, or a
 * fe_result that the run then fails with. */
typedef int fe_part_run(void *data, const fe_tensor *inputs, fe_tensor *outputs,
                        const int64_t *symbols);

/* Where a tensor lies in the storage that it is a part of: how many elements (of its dtype) come before its
 * first, and how many the storage has. Zeroes: it begins there, and it ends where the tensor ends. */
typedef struct fe_storage {
    int64_t start, elements;
} fe_storage;

/* One call. Fields that are added later stand at the end and are zero for callers that do not know them. */
typedef struct fe_call {
    uint32_t struct_bytes; /* sizeof(fe_call) */
    uint32_t input_count, output_count;
    const fe_tensor *inputs;
    fe_tensor *outputs;
    /* One for each input, or NULL: all of them zeroes. Programs that name places from the start of an input's
     * storage, as x.as_strided(sizes, strides, offset) does, read there before and behind the input;
     * others do not look at them. */
    const fe_storage *storages;
    /* Memory for output number `output`, aligned to 64 bytes, which is the caller's: results are made in
     * it without a copy, and it is valid as long as he likes. NULL: there is none; the run fails. It is
     * asked for outputs that are given no memory, once each at most: not where the output lies in an
     * input's memory, or in what was asked for another one, as outputs that are views of each other do.
     * outputs[] say where all lie when the run is over. What was given to a run that fails is the caller's
     * to free. NULL: memory of the context, as with run(). */
    void *(*alloc)(void *data, uint32_t output, int64_t bytes);
    void *data;
    /* One for each input, or NULL: all of them 0. A number above 0: as long as it and the address are those
     * of the call before, so is what lies there, and the context may keep what it makes of that, as weights
     * in the order in which a matrix product reads them. */
    const uint64_t *versions;
} fe_call;

/* A step of a run: what the host did for it (device 0), or a device (fe_artifact.devices) did. */
typedef struct fe_event {
    uint32_t step, device;
    int64_t begin_ns, end_ns; /* from the beginning of the run on */
} fe_event;

/* What an artifact says of itself and can do. Every function that fails returns a fe_result. */
typedef struct fe_artifact {
    uint32_t abi_version;
    uint32_t struct_bytes;
    const char *name;
    const char *producer; /* "ferrite 0.1" */
    const fe_port *inputs;
    uint32_t input_count;
    const fe_port *outputs;
    uint32_t output_count;
    int64_t weights_bytes;
    int64_t arena_bytes;       /* of one context; -1 when it depends on the sizes */
    int64_t arena_lower_bound; /* most bytes live at once */
    uint32_t kernel_calls, unique_kernels;
    /* weights_path NULL: inside the artifact, or beside it. *out is NULL on failure. */
    int (*open)(const char *weights_path, fe_model **out);
    /* The same with the weights in the caller's memory (flash, a mapping of its own): weights_bytes
     * of them, 64-byte aligned, which must outlive the model. */
    int (*open_memory)(const void *weights, int64_t bytes, fe_model **out);
    void (*close)(fe_model *model);
    /* threads 0: as many as the machine has. */
    int (*context_new)(const fe_model *model, uint32_t threads, fe_context **out);
    void (*context_free)(fe_context *context);
    /* Outputs with data NULL are set to memory of the context (or of an input: output_inputs), valid until
     * the next run of this context, to which they may be passed as they are, as inputs too; passed as
     * outputs they count as given none. Sizes and strides always point into the context.
     * Outputs with data are written there, in the strides given or, when NULL, contiguous. They may lie where
     * inputs lie, which costs a copy unless output_inputs names that very input. Where
     * values decide the sizes (u0 in shape_text) those given are the room that there is; sizes and
     * strides are then set to those of the result.
     * Re-entrant: one context a caller. No allocation after the first call of a shape, nor in
     * that where no size changes from call to call and outputs are given memory. */
    int (*run)(fe_context *context, const fe_tensor *inputs, uint32_t input_count,
               fe_tensor *outputs, uint32_t output_count);
    /* Of the last failed run; "" when none. NULL: of the last failed open on this thread. */
    const char *(*error)(const fe_context *context);
    /* ---- not in the first artifacts of version 1: see struct_bytes ---- */
    /* The parts, in the order in which they run; none when it was compiled whole. */
    const fe_part *parts;
    uint32_t part_count;
    /* From the next run of this context on, `run` runs in place of a part, given `data`; NULL: the part
     * itself again. FE_RUN_BAD_INPUT: there is no such part, or it cannot be replaced. */
    int (*replace_part)(fe_context *context, uint32_t part, fe_part_run *run, void *data);
    /* Bytes that the context holds by now: arena, outputs, buffers of its own that the model changes, what
     * operators work in for each of its threads; and tables of operators (Fourier transforms), which the
     * contexts of one artifact share. */
    int64_t (*memory_bytes)(const fe_context *context);
    /* Nanoseconds that one step took in the last run, all its turns together; 0 when it did not run,
     * -1 when the artifact was not made to tell (option profile) or has no such step. */
    int64_t (*step_ns)(const fe_context *context, uint32_t step);
    /* Names of the functions behind operators that no library has (ferrite_ops.h): the host gives
     * them, fe_op_function each, to the model before it runs; NULL takes one back. A run that needs one
     * that is missing fails. FE_RUN_BAD_INPUT: there is no such name. */
    const char *const *ops;
    uint32_t op_count;
    int (*set_op)(fe_model *model, const char *name,
                  int (*function)(const struct fe_op_call *call));
    /* Inputs, by number, whose memory a run overwrites, because they were donated when the program was
     * compiled (option donate): what they held is lost, also where the run fails. Their memory must be
     * shared with no other input (FE_RUN_BAD_INPUT). */
    const uint32_t *donated;
    uint32_t donated_count;
    /* For each output: the number of the input in whose memory run() leaves it when it is given no
     * memory for it, or -1. NULL: there is none. The program returns that input, or the input was
     * donated and the output is made over it: then nothing is allocated for it, and it is valid as long
     * as the caller keeps that memory and writes nothing else there, runs of this or another context
     * included. To go on from it, give it to the next run as that input. Given memory of its own, the
     * output is written there as any other, and the input still counts as overwritten; the input's own
     * memory may be given too, in the layout declared. Of two outputs that are given one memory, what it
     * holds is not said. */
    const int32_t *output_inputs;
    /* As run(), and can do more: see fe_call. */
    int (*call)(fe_context *context, const fe_call *call);
    /* For hosts that are written for no program in particular, JSON:
     *     name      of the program
     *     inputs    of each its "name" and "kind": "tensor", "int", "float", "bool" or "none" (it is not
     *               read); of tensors "dtype", "sizes", "strides": numbers or, as texts, expressions in
     *               Python's words
     *     outputs   likewise, without names; of a "string" its "value"
     *               tensors that are not the host's have their "device", by its number
     *     symbols   ["s0", least, most], null where there is no bound; those of inputs come first
     *     mutated   numbers of the inputs that get new values
     *     input_tree, output_tree   how they stand in arguments and results of the exported module, as the
     *               archive has it; left out where the program does not say */
    const char *signature;
    /* Of programs that run on other devices than the host: this driver (ferrite_device.h) stands for all of
     * its kind, in place of ferrite's own if there is one. Before the first context of the model.
     * FE_RUN_BAD_INPUT: the program has no such device, or the driver is of another version. */
    int (*set_driver)(fe_model *model, const struct fe_device_driver *driver);
    /* Devices beside the host, by name ("opencl:0"): device N is devices[N - 1], and 0 is the host. */
    const char *const *devices;
    uint32_t device_count;
    /* For each input, and each output, the device in whose memory it is; NULL: all are on the host. They are
     * where the program was recorded with them. `data` is an address of that device (ferrite_device.h), of
     * device_new() or whatever else the driver knows, and what lies there is done: nothing waits for queues
     * of the caller's. Memory of another device, or of the host, is refused (FE_RUN_BAD_INPUT,
     * FE_RUN_BAD_OUTPUT): nothing is copied that the caller does not see, as in PyTorch. What is said of the
     * memory of outputs above holds there alike, `alloc` of fe_call gives memory of the output's device,
     * and when a run returns, what it did on devices is done. */
    const uint32_t *input_devices, *output_devices;
    /* `bytes` of memory of a device, aligned to 64 bytes, of the model's: for all of its contexts, and to be
     * freed by one of them before the last is. On failure *out is NULL and error(context) says why. */
    int (*device_new)(fe_context *context, uint32_t device, int64_t bytes, void **out);
    void (*device_free)(fe_context *context, uint32_t device, void *address);
    /* `bytes` from the host's memory to an address of the device, and back; done when they return. A
     * fe_result. */
    int (*device_write)(fe_context *context, uint32_t device, void *address, const void *memory,
                        int64_t bytes);
    int (*device_read)(fe_context *context, uint32_t device, void *memory, const void *address,
                       int64_t bytes);
    /* Buffers of the program that a run changes and that each context keeps from run to run, on whatever
     * device they are: names and layouts. */
    const fe_port *states;
    uint32_t state_count;
    /* Their elements, in that layout, to and from memory of the host; `bytes` is all that it takes, or
     * FE_RUN_BAD_INPUT. Contexts begin with what was exported. */
    int (*read_state)(fe_context *context, uint32_t state, void *memory, int64_t bytes);
    int (*write_state)(fe_context *context, uint32_t state, const void *memory, int64_t bytes);
    /* From now on the states that have one name in both programs are those of `with`, what they hold by now
     * included: a context of the same program, or of another one of its library (a step of a decoder with
     * that which reads the prompt). Either may be freed first. Contexts that share do not run at the same
     * time. FE_RUN_BAD_INPUT, and nothing is shared: no name is in both, dtypes or layouts differ, or one
     * is in the memory of a device. */
    int (*share_states)(fe_context *context, fe_context *with);
    /* What was done when: the next run writes to `events`, `room` of them at most, when each step was begun
     * and done, on the host and, by clocks of their own, on devices, and waits for nothing else than other
     * runs do (step_ns: each step by itself). `events` is the caller's and stays until that run has ended;
     * NULL: no more. Returns how many the last such run wrote; -1 when the artifact was not made to tell
     * (option profile). */
    int64_t (*trace)(fe_context *context, fe_event *events, int64_t room);
} fe_artifact;

#if defined(__GNUC__)
#define FE_ARTIFACT __attribute__((visibility("default")))
#else
#define FE_ARTIFACT
#endif

/* An artifact that was given a name (option `name`) has ferrite_artifact_NAME in place of it, which its
 * header declares, so that several can be linked into one program. */
FE_ARTIFACT const fe_artifact *ferrite_artifact(void);

#ifdef __cplusplus
}
#endif

#endif
