/* rt_program.h - what generated code sees of the runtime, and what the runtime sees of generated
 * code.
 *
 * A generated program is one rt_program: tables and a `run` function made of straight calls to
 * kernels (rt_launch), runtime operators (rt_op_*) and output descriptors (rt_output). rt_entry.c
 * turns it into the fe_artifact of ferrite_abi.h: loads weights, checks inputs, owns arenas and
 * outputs.
 */
#ifndef RT_PROGRAM_H
#define RT_PROGRAM_H

#include "ferrite_abi.h"
#include "ferrite_device.h"
#include "ferrite_ops.h"
#include "plan/replan.h"
#include "rt_compiler.h"
#include "rt_fourier_need.h"

typedef struct rt_pool rt_pool;

/* Element types that C has no name for. */
typedef uint16_t fe_f16, fe_bf16;
typedef struct fe_c32 {
    uint16_t re, im;
} fe_c32;
typedef struct fe_c64 {
    float re, im;
} fe_c64;
typedef struct fe_c128 {
    double re, im;
} fe_c128;

/* ---- kernels ---- */

/* The first index that a kernel has found out of range. */
typedef struct rt_fault {
#ifdef __STDC_NO_ATOMICS__
    int raised;
#else
    _Atomic int raised;
#endif
    int64_t check, index, size;
} rt_fault;

/* Arguments of a generated kernel: the start of each buffer, the integers (extents, strides) it was
 * made general in, and where it reports an index out of range. */
typedef struct fe_kernel_args {
    void *const *buffers;
    const int64_t *ints;
    rt_fault *fault; /* of kernels that check indices; else NULL */
} fe_kernel_args;

/* Works on rows [m0, m1) and, when it splits its inner axis, columns [n0, n1). */
typedef void (*fe_kernel)(const fe_kernel_args *args, int64_t m0, int64_t m1, int64_t n0,
                          int64_t n1);

/* ---- the program ---- */

/* A symbol: the inputs define it, or the run does. In the order of their definitions. */
typedef struct rt_symbol {
    const char *name;
    int64_t min, max;
} rt_symbol;

/* A piece of the weights file. */
typedef struct rt_weight {
    const char *name;
    int64_t offset, bytes; /* in the weights; offset is a multiple of 64 */
    uint32_t device;       /* 0: the host reads it; else it is copied to this device */
} rt_weight;

/* Memory that a buffer of an earlier segment has already. */
typedef struct rt_held {
    uint32_t segment, slot; /* among that one's buffers; UINT32_MAX: it is at a constant offset */
    int64_t offset;
} rt_held;

/* A part of the arena: placed as soon as the symbols in the sizes of its buffers are known. */
typedef struct rt_segment {
    int64_t bytes;              /* all it takes, where offsets are constants; lives is NULL then */
    const plan_template *lives; /* of its buffers: what no size changes */
    /* Fills in the bytes of each and, where there are parts, how far behind the start of their block
     * they begin. INT64_MAX: too many; where nothing is there, less than 0. */
    void (*sizes)(const struct rt_segment *segment, const int64_t *symbols, int64_t *size,
                  int64_t *shift);
    int has_parts;
    const uint32_t *symbols; /* that decide where its buffers lie */
    uint32_t symbol_count;
    const rt_held *held; /* what is in its way in the arena: the last of its `lives` */
    uint32_t held_count;
    const void *data; /* what `sizes` of a host that is no C text needs */
    uint32_t device;  /* 0: memory of the host; else of this device */
    int is_pinned;    /* memory of the host that this device reaches best */
} rt_segment;

/* What each thread works in at some call, and the memory that is free then. */
typedef struct rt_room {
    int64_t each, bytes;
} rt_room;

/* Tables that operators of one kind go by, which all contexts of the artifact share; only programs with such
 * operators are linked with them. */
typedef struct rt_tables {
    int (*hold)(const rt_fft_shape *transforms, uint32_t count,
                const void **held); /* -1: no memory */
    void (*drop)(const void **held, uint32_t count);
    size_t (*bytes)(void); /* that they take by now */
} rt_tables;
extern const rt_tables rt_fourier_tables;

typedef struct rt_frame rt_frame;

/* A device beside the host, and the program's kernels for it. */
typedef struct rt_device {
    const char *name;               /* "opencl:0" */
    const char *kind;               /* "opencl" */
    int32_t index;                  /* -1: the first of its kind */
    const fe_device_driver *driver; /* NULL: the host gives it (fe_artifact.set_driver) */
    fe_device_code code;
} rt_device;

/* What models and contexts do with devices; only programs that have some are linked with it. */
typedef struct rt_device_support {
    /* Opens all of the program's devices, makes their kernels ready and copies their weights there. A
     * fe_result, with a message. */
    int (*open)(fe_model *model, char *message, size_t message_bytes);
    void (*close)(fe_model *model);
    int (*set_driver)(fe_model *model, const fe_device_driver *driver); /* as fe_artifact's */
    int (*begin)(fe_context *context); /* a fe_result; end follows either way */
    void (*end)(fe_context *context);
    /* Behind a run: waits for all copies that nobody has waited for, as there are when it has failed. */
    int (*settle)(rt_frame *frame);
    /* Of the device or (pinned) of the host for it; NULL: there is none, and the context's error says why. */
    void *(*memory_new)(const fe_context *context, uint32_t device, int is_pinned, size_t bytes);
    void (*memory_free)(const fe_context *context, uint32_t device, int is_pinned, void *memory);
    /* Is it an address of the device? Yes, where its driver cannot tell: `if_unknown`. */
    int (*owns)(const fe_context *context, uint32_t device, const void *address, int if_unknown);
    /* Bytes within a device, or between it and the host (0). Done when it returns. */
    int (*move)(rt_frame *frame, uint32_t from_device, const void *from, uint32_t to_device,
                void *to, size_t bytes);
    /* Elements from one place of a device to another, whatever their strides. Done when it returns. */
    int (*restride)(rt_frame *frame, uint32_t device, const fe_tensor *from, const fe_tensor *to);
    /* Waits for all that is in the queues of the context. */
    int (*finish)(rt_frame *frame);
    /* In front of a run that is traced, and behind it: adds what devices did to the events. */
    int (*trace_begin)(rt_frame *frame);
    int (*trace_end)(rt_frame *frame);
} rt_device_support;
extern const rt_device_support rt_devices;

/* An input that another one tells: all of its storage, as a vector, or where in that it begins, a number. */
typedef struct rt_taken {
    uint32_t of;
    int32_t is_start;
} rt_taken;

typedef struct rt_program {
    const char *name;
    const fe_port *inputs;
    uint32_t input_count;
    const rt_taken *taken; /* the last inputs, which the caller does not give by themselves */
    uint32_t taken_count;
    const fe_port *outputs;
    uint32_t output_count;
    const uint8_t *late_outputs; /* for each: only the run knows its sizes */
    const int64_t *output_bytes; /* for each: most that it takes, kept ready; NULL: as needed */
    const rt_weight *weights;
    uint32_t weight_count;
    int64_t weights_bytes;
    uint64_t weights_key; /* of the contents: the weights carry the same number */
    const char
        *weights_name;      /* of the file beside the program that has them; NULL: as the program */
    const uint32_t *states; /* weights that the program writes to: each context has its own copy,
                               kept from call to call */
    uint32_t state_count;
    const rt_symbol *symbols;
    uint32_t symbol_count;
    int64_t arena_bytes, arena_lower_bound; /* -1: they depend on the sizes */
    const rt_segment *segments;             /* at least one; the first is placed at the start */
    uint32_t segment_count;
    uint32_t kernel_calls, unique_kernels;
    uint32_t step_count; /* of which the time is kept: rt_step; 0: none */
    int (*run)(rt_frame *frame);
    const fe_part *parts;
    uint32_t part_count;
    const char *const *ops; /* functions that the host gives */
    uint32_t op_count;
    const uint32_t *donated; /* inputs whose memory the run uses for other things too */
    uint32_t donated_count;
    const uint32_t *mutated; /* inputs that get new values */
    uint32_t mutated_count;
    /* For each output: the input that it lies in, where the caller gives no memory for it, or -1; is it made
     * in the caller's where he does (else it is copied there)? NULL: none lies in an input. */
    const int32_t *output_inputs;
    const uint8_t *output_moves;
    int64_t
        each_bytes; /* that operators without room work in, for each thread; more: rt_make_area */
    const rt_room *rooms;    /* of the others, by what each thread works in; the last is 0, 0 */
    const rt_tables *tables; /* NULL: no operator has any */
    const rt_fft_shape *transforms; /* whose tables contexts have from the beginning */
    uint32_t transform_count;
    const rt_device *devices;
    const char *const *device_names; /* NULL: there are none */
    uint32_t device_count;
    const struct rt_check *device_checks; /* by the numbers that kernels of devices report */
    const uint32_t *input_devices, *output_devices; /* NULL: all are on the host */
    const fe_port *state_ports;
    const rt_device_support *device_support; /* NULL: there are none */
    const char *isa;                         /* instruction set of the kernels: "x86-64-v4" */
    const char *signature;                   /* as in fe_artifact */
} rt_program;

/* A program and how it is opened. A library may have several, which share the runtime. */
typedef struct rt_entry {
    const rt_program *program;
    int (*open)(const char *weights_path, fe_model **out);
    int (*open_memory)(const void *weights, int64_t bytes, fe_model **out);
    /* ---- made by rt_artifact ---- */
    int is_described;
    const char *obstacle; /* why this processor cannot run it, or NULL */
    fe_artifact artifact;
} rt_entry;

const fe_artifact *rt_artifact(rt_entry *entry);
int rt_open(const rt_entry *entry, const char *weights_path, fe_model **out);
int rt_open_memory(const rt_entry *entry, const void *weights, int64_t bytes, fe_model **out);

/* Defines the visible function of a program. */
#define RT_ENTRY(function, of)                                                            \
    static rt_entry function##_entry;                                                     \
    static int function##_open(const char *weights_path, fe_model **out)                  \
    {                                                                                     \
        return rt_open(&function##_entry, weights_path, out);                             \
    }                                                                                     \
    static int function##_open_memory(const void *weights, int64_t bytes, fe_model **out) \
    {                                                                                     \
        return rt_open_memory(&function##_entry, weights, bytes, out);                    \
    }                                                                                     \
    static rt_entry function##_entry = {                                                  \
        .program = &of, .open = function##_open, .open_memory = function##_open_memory};  \
    FE_ARTIFACT const fe_artifact *function(void);                                        \
    const fe_artifact *function(void)                                                     \
    {                                                                                     \
        return rt_artifact(&function##_entry);                                            \
    }

typedef struct rt_plans rt_plans;

/* A segment's memory in one context. The first one's is the arena, in which later ones lie as well
 * unless they do not fit: then they have memory of their own. */
typedef struct rt_block {
    char *memory;           /* where the offsets count from */
    const int64_t *offsets; /* of its buffers in this run, where they are not constants */
    char *own;              /* memory of its own */
    size_t bytes, room;     /* of that: what counts as held; all there is */
    int is_reserved;        /* addresses alone are, and only what was in use is held */
    uint32_t device;        /* whose it is, as of its segment */
    int is_pinned;
    rt_plans *plans;
} rt_block;

/* One run. */
struct rt_frame {
    const rt_block *segments;
    void *const *weights; /* one for each rt_weight */
    void *const *states;  /* one for each of the program's states */
    void **inputs;        /* data pointers of the inputs */
    const fe_tensor *in;  /* their descriptors as given */
    void **outputs; /* memory of each output: the caller's, the context's, or NULL while unknown */
    int64_t *symbols;
    rt_pool *pool;
    fe_context *context;
    rt_fault fault;
    const void *last_panels; /* of the call of gemm before, and */
    int from_end;            /* whether it went through them from the last to the first */
};

/* ---- runtime operators ---- */

/* Operands of one call. Which view, int and float means what is said in the operator's row of the
 * compiler's extern.def. */
typedef struct rt_call {
    const fe_tensor *in, *out; /* an absent operand has data NULL */
    uint32_t in_count, out_count;
    uint32_t
        packed; /* bit k: operand k is a weight that was packed when the program was compiled */
    const int64_t *ints;
    const double *floats;
    const char *text;   /* NULL, or a name that the operator's messages begin with */
    fe_kernel epilogue; /* or NULL: runs on each finished block of out[0], rows x last dimension */
    const fe_kernel_args *epilogue_args;
    void *work; /* what its threads share to work in */
    int64_t work_bytes;
    void *
        room; /* memory that nobody uses meanwhile, or NULL: for the areas of threads, of `each` bytes */
    int64_t room_bytes, each;
    int states_nothing; /* of a host that has not looked at what the operator needs */
} rt_call;

/* The operators, rt_op_NAME, and where the numbers of their calls stand. */
#include "rt_operators.h"
/* Of one type, so that a program which has no doubles is not linked with what is for these. */
int rt_op_gemm_f32(rt_frame *frame, const rt_call *call);
int rt_op_gemm_f64(rt_frame *frame, const rt_call *call);
int rt_op_bmm_f32(rt_frame *frame, const rt_call *call);
int rt_op_bmm_f64(rt_frame *frame, const rt_call *call);
int rt_op_conv_f32(rt_frame *frame, const rt_call *call);
int rt_op_conv_f64(rt_frame *frame, const rt_call *call);

/* A result for which the user's function makes memory, because its sizes depend on data. What stands
 * in its place among the results, a vector of I64, gets the sizes; rt_op_take gets the elements. */
typedef struct rt_made {
    uint32_t result, dtype; /* which of the results; of its elements */
    uint32_t key;           /* by which it is found again */
} rt_made;

/* Calls a function of the user's, NULL: the one that the host has given under this name; its failure
 * is the run's. */
int rt_custom(rt_frame *frame, const char *name, fe_op_function *function, const fe_arg *args,
              uint32_t arg_count, const fe_tensor *results, uint32_t result_count,
              const rt_made *made, uint32_t made_count);

/* Runs a kernel over outer rows (and inner columns when split) on the pool. cost: thousandths of a
 * nanosecond for one point (split) or one row; small work stays on the calling thread. */
int rt_launch(rt_frame *frame, fe_kernel kernel, const fe_kernel_args *args, int64_t outer,
              int64_t inner, int split, int64_t cost);

/* From now on the time is that of this step; the one after the last: of none. */
void rt_step(rt_frame *frame, uint32_t step);
/* So long, by another clock, was what the step under way has done since it began. */
void rt_step_took(rt_frame *frame, int64_t nanoseconds);

enum { RT_DIVISOR = -2 };

/* What a check of a kernel is about. */
typedef struct rt_check {
    int32_t
        dimension; /* of the tensor that is indexed; -1: of its elements in a row; or RT_DIVISOR:
                        * an integer is divided, by zero where the "index" is 1 */
    int32_t wraps; /* negative indices count from the end */
    const char *where; /* the operator, and its line in the user's program */
} rt_check;

/* A kernel's: an index is not in [0, size); the kernel does nothing more then. */
void rt_outside(rt_fault *fault, int64_t check, int64_t index, int64_t size);

/* Fails when the kernel before has reported one of its checks. */
int rt_in_range(rt_frame *frame, const rt_check *checks);

/* Fails where an element is NaN, or (finite) infinite, and says whose: "NaN in WHAT: ...". Other types
 * than floating ones hold neither. */
int rt_check_numbers(rt_frame *frame, const fe_tensor *t, int finite, const char *what);
/* Zeroes the elements of a floating tensor, so that what nobody writes is a number. */
void rt_clear(const fe_tensor *t);

/* Says what output k is: its data, sizes and strides (copied; a number is rank 0). */
void rt_output(rt_frame *frame, uint32_t k, void *data, const int64_t *sizes,
               const int64_t *strides);

/* Memory of at least `bytes` for output k when the caller gave none. NULL: out of memory. */
void *rt_output_memory(rt_frame *frame, uint32_t k, int64_t bytes);

/* Does somebody else run this part? If so, he is given its operands. */
int rt_is_replaced(const rt_frame *frame, uint32_t part);
int rt_run_replacement(rt_frame *frame, uint32_t part, const fe_tensor *inputs, fe_tensor *outputs,
                       const int64_t *symbols);

/* Called once the symbols in the sizes of a segment have values: makes its memory fit and finds the
 * offsets. Nothing in it is alive then. */
int rt_place(rt_frame *frame, uint32_t segment);

/* Called once the symbols in it have values: each thread gets so many bytes for operators to work in. */
int rt_make_area(rt_frame *frame, int64_t each);

/* Fails on a size that is INT64_MAX: see fe_times. */
int rt_fits(rt_frame *frame, int64_t size);

/* The stride that a tensor has along dimension d; NULL strides are contiguous. */
int64_t rt_stride(const fe_tensor *t, uint32_t d);
/* Fails where an element would be looked for in another place than it is in: `as` says what is
 * expected. */
int rt_check_stride(rt_frame *frame, uint32_t input, uint32_t d, int64_t expected, const char *as);

/* Leaves run with a message: printf format. Returns `code`. */
int rt_fail(rt_frame *frame, int code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#define RT_TRY(call)                 \
    do {                             \
        int rt_try_ = (call);        \
        if (rt_try_) return rt_try_; \
    } while (0)

/* Integer arithmetic of symbolic sizes, as Python's; a division by 0 gives 0 (programs that could
 * divide by 0 assert first that they do not). */
static inline int64_t fe_floordiv(int64_t a, int64_t b)
{
    if (b == 0) return 0;
    if (b == -1) return (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q - ((a % b != 0) & ((a < 0) != (b < 0)));
}
static inline int64_t fe_mod(int64_t a, int64_t b)
{
    return a - fe_floordiv(a, b) * b;
}
static inline int64_t fe_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline int64_t fe_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The whole power-th root of x, rounded to 0; of a power above 1. */
static inline int64_t fe_root(int64_t x, int64_t power)
{
    uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, root = 0;
    for (uint64_t bit = 1u << 31; bit; bit >>= 1) {
        uint64_t product = root + bit, fits = product <= size;
        for (int64_t k = 1; k < power && fits; k++) {
            fits = product <= size / (root + bit);
            product *= root + bit;
        }
        if (fits) root += bit;
    }
    return x < 0 ? -(int64_t)root : (int64_t)root;
}
/* Of scale * symbol ** power + shift == given, the symbol, where there is one; that this holds is checked
 * when all symbols are known. */
static inline int64_t fe_solve(int64_t given, int64_t shift, int64_t scale, int64_t power)
{
    int64_t x = fe_floordiv((int64_t)((uint64_t)given - (uint64_t)shift), scale);
    return power > 1 ? fe_root(x, power) : x;
}

/* NaN is the same as NaN. */
static inline int rt_same_float(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* Arithmetic of numbers of bytes: INT64_MAX is "too many", and so is all that comes of it. */
static inline int64_t fe_plus(int64_t a, int64_t b)
{
    int fits = b > 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b;
    return a == INT64_MAX || b == INT64_MAX || !fits ? INT64_MAX : a + b;
}
static inline int64_t fe_times(int64_t a, int64_t b)
{
    int fits = a > 0   ? (b > 0 ? a <= INT64_MAX / b : b >= INT64_MIN / a)
               : b > 0 ? a >= INT64_MIN / b
                       : a == 0 || b >= INT64_MAX / a;
    return a == INT64_MAX || b == INT64_MAX || !fits ? INT64_MAX : a * b;
}
static inline int64_t fe_over(int64_t a, int64_t b)
{
    return a == INT64_MAX ? a : fe_floordiv(a, b);
}

#endif
