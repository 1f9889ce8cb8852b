/* loop.h -- loop IR: buffers; loop nests whose bodies are data; extern calls; views.
 *
 *     program main
 *     input  @x : f32[8,32] strides [32,1]
 *     const  @w : f32[64,32] strides [32,1]
 *     const  @ids : i64[8] strides [1] values [0, 63]
 *     temp   @buf0 : f32[8,64] strides [64,1]
 *     temp   @buf1 : f32[8] strides [1]
 *     part   @buf1 in @buf2 at 8         # a piece of another buffer, as of a concatenation
 *     extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32}, none) -> (@buf0[8,64]{64,1}) ints [0] floats [0.0,0.0]
 *     nest [i0 < 8] reduce [r0 < 64] {
 *       %0 = load f32 @buf0[64*i0 + r0]
 *       %1 = exp %0 : f32
 *       @buf1[i0] = sum %1
 *     }
 *     nest [i0 < 8] reduce [r0 < 64] {
 *       %0 = load f32 @buf0[64*i0 + r0]
 *       %1 = cast %0 : f64
 *       @buf2[64*i0 + r0] = scan sum %1
 *     }
 *     nest [i0 < 8] again 1 {               # made a second time: see loop_op
 *       ...
 *     extern custom (@x[8]{1}) -> () ints [] floats [] calls "shop_print" "T" effect
 *     define u0 = @count[]{}
 *     assert u0 <= 8 "at most eight"
 *     if @p[]{} -> (@buf2[8]{1})              # one arm or the other runs; both write @buf2
 *       nest ...
 *     else
 *       nest ...
 *     end
 *     repeat u0 < 8 -> (@buf3[8]{1})          # u0: the number of the step
 *       nest ...
 *       while @more[]{}                       # leaves the innermost repeat when it is false
 *     end
 *     extern sort (@k[90]{1}) -> (@v[90]{1}, none) workspace @buf5 ints [0,0] floats []   # works in it
 *     partition "head"                        # up to the next one: a program of its own (sched/)
 *     output @buf1[8]{1}
 *
 * Values are hash-consed expression nodes of one program: equal expressions have equal ids,
 * inlining a producer is substitution of index expressions (loop_substitute), so nothing is hidden
 * in closures and everything prints, parses, hashes and is interpreted (interp.c: the slow
 * reference that is the oracle for generated code).
 *
 * Axes: i0, i1, ... run over a nest's extents, r0, r1, ... over its reduction extents; they are
 * the same symbols in every nest. A data-dependent index is an SYM_INDIRECT symbol standing for a
 * value (loop_indirect), which must be in [0, size): the run fails where it is not.
 *
 *     j0 = indirect %2 < 100 dim 1 wraps origin 7     # of dimension 1; negative ones were wrapped
 *     %3 = load f32 @x[100*i0 + j0]
 *
 * Laws (check.c): L1 every load, store and view is inside of its buffer, proven by axes, the conditions
 * of the masks that a load stands under, what indirect symbols keep, and assertions before the op.
 * L2 operand dtypes agree with the operation's row. L3 a temp is written before it is read. L4 an
 * extent does not depend on axes. L5 a nest stores something, and its stores (mode SET, no reduction) are
 * injective where provable, those of scans at each step. L6 no symbols but axes, sizes, unbacked ones defined
 * before, and indirect ones; none is defined twice, and each is kept in its range by what defines it or
 * by assertions right behind that. L7 the operands of a custom call are those that its letters take. L8
 * a part lies inside its whole, and what is written into a whole by nests and as its parts does not
 * meet; so a whole holds what its parts hold. L9 regions nest; what is written, or a symbol that is
 * defined, in one is read after it only when the region
 * names it, and then both arms of an if have written it; partitions begin in no region. L10 what an
 * operator works in is as large as it states (need.c), and no other op uses it. L11 an operator of the
 * runtime is given what its signature says (extern.def): operands with their dtypes, ranks, sizes that
 * fit each other, and strides; ints and floats.
 */
#ifndef FERRITE_LOOP_H
#define FERRITE_LOOP_H

#include "ty/ty.h"

typedef struct loop_value {
    uint32_t id; /* 0 = none */
} loop_value;
typedef uint32_t loop_buffer_id; /* index into program->buffers */
#define LOOP_NO_BUFFER UINT32_MAX
#define LOOP_MAX_AXES 24

typedef enum loop_opcode {
    LOOP_NOTHING,
#define VALUE(id, name, operands, result, folds, scalar, vector) LOOP_##id,
#include "loop/value.def"
#undef VALUE
    LOOP_OPCODE_COUNT
} loop_opcode;

/* In place of a dimension. */
enum {
    LOOP_ELEMENTS = -1, /* of the tensor that is indexed, all in a row */
    LOOP_DIVISOR =
        -2 /* nothing is indexed: the value is 1 where an integer is divided by 0, and size 1 */
};

/* What the value behind an indirect symbol must keep: it is in [0, size). The rest is for the message
 * of a run in which it is not. */
typedef struct loop_bound {
    sym_expr size;
    int32_t dimension; /* of the tensor that is indexed, or one of the above */
    bool wraps;        /* the size was added to negative values (PyTorch's indexing) */
    uint32_t origin;   /* provenance, as in loop_buffer */
} loop_bound;

/* One value node. `index` of LOAD counts elements of the buffer from its first. */
typedef struct loop_node {
    loop_opcode op;
    ty_dtype dtype;
    loop_value args[3];
    loop_buffer_id buffer; /* LOAD; SYMFLOAT: input number */
    sym_expr index;        /* LOAD, INDEX */
    union {                /* CONST */
        int64_t integer;   /* bool and integer dtypes */
        double number[2];  /* float; complex: real, imaginary */
    };
} loop_node;

typedef enum loop_buffer_kind {
    LOOP_INPUT,    /* a tensor of the caller */
    LOOP_CONSTANT, /* a weight: bytes known at compile time */
    LOOP_TEMP,     /* made by the program */
    /* a buffer of the model that the program changes: starts as `data`, lives as long as the
     * context */
    LOOP_STATE
} loop_buffer_kind;

/* Where a buffer lies that is a piece of another. */
typedef struct loop_part {
    loop_buffer_id whole;
    sym_expr at; /* the element of the whole that is its first */
} loop_part;

/* A piece of memory with a shape. Indices in loads and stores count elements from its start. */
typedef struct loop_buffer {
    const char *name; /* unique: "x", "buf3", "fc.weight" */
    loop_buffer_kind kind;
    ty_dtype dtype;
    ty_device device;
    bool pinned; /* TEMP of the host that a device reads or writes while the host goes on */
    uint32_t rank;
    const sym_expr *sizes, *strides;
    sym_expr elements; /* of the memory, at least what sizes and strides reach */
    uint32_t input;    /* INPUT: number in the program's inputs */
    bool is_work;      /* TEMP: an operator works in it; nobody else sees it */
    bool donated;      /* INPUT: the caller gives its memory away, for use behind its last reader */
    bool mutated;      /* INPUT: the program gives it a new value */
    const void *data;  /* CONSTANT, STATE: first element */
    size_t data_bytes; /* readable at data */
    /* provenance: index given by the creator (lower: fx node id); UINT32_MAX = none */
    uint32_t origin;
    /* CONSTANT that an extern wants re-laid at compile time: its name (pack.def), or NULL */
    const char *packing;
    const int64_t *range;  /* CONSTANT of integers: the least and the greatest; NULL: not known */
    const loop_part *part; /* TEMP: it is a piece of another one; or NULL */
} loop_buffer;

/* A strided window on a buffer. */
typedef struct loop_view {
    loop_buffer_id buffer; /* LOOP_NO_BUFFER: absent (optional operand) */
    ty_dtype dtype;
    uint32_t rank;
    const sym_expr *sizes, *strides;
    sym_expr offset; /* elements from the buffer's start */
} loop_view;

typedef enum loop_reduce {
    LOOP_NO_REDUCE,
    LOOP_SUM,
    LOOP_PROD,
    LOOP_REDUCE_MIN,
    LOOP_REDUCE_MAX,
    LOOP_ARGMIN,
    LOOP_ARGMAX,
    LOOP_ANY,
    LOOP_ALL,
    LOOP_REDUCE_XOR,
    LOOP_LOG_SUM_EXP
    /* ARG*: the flat index over the reduction axes, first of equals, NaN counts as extreme */
} loop_reduce;

typedef enum loop_store_mode {
    LOOP_SET,
    LOOP_ADD_INTO,
    LOOP_MUL_INTO,
    LOOP_MIN_INTO,
    LOOP_MAX_INTO
} loop_store_mode;

/* buffer[index] (mode)= reduce over r of value. A scan stores at every step of r what the reduction
 * has come to, the step at hand included, so its index moves with r. It is kept in the value's
 * dtype and converted to the buffer's. */
typedef struct loop_store {
    loop_buffer_id buffer;
    sym_expr index;
    loop_value value;
    loop_reduce reduce;
    loop_store_mode mode;
    bool scan;
} loop_store;

/* The user's function behind an extern call of kernel "custom", and how its arguments are made of
 * the call's operands, a letter each: T the next input view, O the next output view, M both (one
 * buffer, changed in place), i f b s the next int, float, int as bool, string, - none, [ ] a list.
 * Outputs that no letter takes are its results; an absent one stands for a return that is None. */
typedef struct loop_callee {
    const char *symbol, *arguments;
    bool has_effect;     /* it does more than write its outputs; see sched/deps.c */
    const char *library; /* NULL when read from text */
    const char **strings;
    uint32_t string_count;
    /* Results whose sizes depend on data: the function makes memory for them, the output in their
     * place gets the sizes, and a call of "take" the elements. */
    const struct loop_made *made;
    uint32_t made_count;
} loop_callee;

typedef struct loop_made {
    uint32_t result; /* which of the results */
    ty_dtype dtype;
    uint32_t key; /* one for each in the program */
} loop_made;

typedef enum loop_op_kind {
    LOOP_NEST,
    LOOP_EXTERN,
    LOOP_ASSERT,
    LOOP_DEFINE, /* a symbol gets its value during the run */
    LOOP_CONTROL /* a region begins or ends */
} loop_op_kind;

/* Where regions of ops begin and end: they run not at all, once, or again and again. */
typedef enum loop_control {
    LOOP_IF, /* tests */
    LOOP_ELSE,
    LOOP_REPEAT, /* ints[0] times, and symbol is the number of the step; without these forever */
    LOOP_WHILE,  /* tests; when false, the innermost REPEAT is left. Stands in no IF within it */
    LOOP_END,
    LOOP_PARTITION, /* the ops up to the next one belong together; `message` is their name */
    LOOP_CONTROL_COUNT
} loop_control;

/* One step of the program. */
typedef struct loop_op {
    loop_op_kind kind;
    uint32_t origin; /* provenance, as in loop_buffer */
    /* NEST, EXTERN: not 0: it makes once more what an earlier op makes too, so that this need not be
     * kept so long; it shares kernels only with ops of the same number, and with their readers */
    uint32_t again;
    /* NEST */
    uint32_t axes, reduce_axes;
    sym_expr extents[LOOP_MAX_AXES];
    sym_expr reduce_extents[LOOP_MAX_AXES];
    loop_store *stores;
    uint32_t store_count;
    /* EXTERN: kernel is a row of extern.def; what the views, ints and floats mean is said there */
    const char *kernel;
    loop_view *inputs, *outputs;
    uint32_t input_count, output_count;
    sym_expr *ints;
    uint32_t int_count;
    double *floats;
    uint32_t float_count;
    const loop_callee *callee; /* of a custom operator; else NULL */
    /* DEFINE: the symbol, and an expression, or none: the element that inputs[0], a view of rank 0,
     * shows */
    sym_expr symbol, expr;
    /* ASSERT: a relation of sizes, and what to say where it does not hold. It comes before whatever
     * reads its symbols. EXTERN: message is the `text` of its row, or NULL */
    sym_relation relation;
    /* CONTROL. What is tested is inputs[0], one bool, or without inputs the predicate `expr`. outputs
     * of IF and REPEAT: whole buffers that are written inside and read after the region's end. */
    loop_control control;
    const char *message;
} loop_op;

typedef enum loop_output_kind {
    LOOP_OUT_TENSOR,
    LOOP_OUT_INT,
    LOOP_OUT_FLOAT,
    LOOP_OUT_BOOL,
    LOOP_OUT_STRING,
    LOOP_OUT_NONE
} loop_output_kind;
typedef struct loop_output {
    loop_output_kind kind;
    loop_view view; /* TENSOR */
    sym_expr expr;  /* INT, BOOL */
    double number;
    const char *string;
} loop_output;

/* A user input: a tensor (its buffer) or a number. Behind those that the caller gives stand what is taken of
 * them: the whole storage of a tensor, as a vector, and how many of its elements come before that tensor. */
typedef enum loop_taken { LOOP_GIVEN, LOOP_STORAGE_OF, LOOP_START_OF } loop_taken;
typedef struct loop_input {
    const char *name;
    bool is_tensor;
    loop_buffer_id buffer;
    ty_dtype dtype; /* of a number: i64, f64 or bool; none of what has no value */
    sym_expr expr;  /* int and bool: an expression or constant */
    double number;  /* float: the value that the program is made for */
    const char *string;
    loop_taken taken; /* not given by itself: it is told by input number `of` */
    uint32_t of;
} loop_input;

typedef struct loop_program {
    fe_session *session;
    arena *memory;
    sym_table *symbols;
    const char *name;
    VEC(loop_node) nodes; /* [0] unused */
    map node_index;       /* hash-consing */
    VEC(loop_buffer) buffers;
    VEC(loop_op) ops;
    VEC(loop_input) inputs;
    VEC(loop_output) outputs;
    VEC(loop_value) indirect; /* value behind the k-th indirect symbol */
    VEC(sym_expr) indirect_symbols;
    VEC(loop_bound) indirect_bounds;
    map indirect_index;           /* symbol id -> k */
    struct loop_scratch *scratch; /* work space of walks */
} loop_program;

/* ---- building (build.c) ---- */
loop_program *loop_program_new(fe_session *s, arena *memory, sym_table *symbols, const char *name);
sym_expr loop_axis(loop_program *p, uint32_t k);        /* i<k> */
sym_expr loop_reduce_axis(loop_program *p, uint32_t k); /* r<k> */
/* arrays are copied; a NULL name is given as buf<N> */
loop_buffer_id loop_add_buffer(loop_program *p, loop_buffer b);
loop_op *loop_add_op(loop_program *p, loop_op_kind kind); /* valid until the next one is added */
loop_value loop_const_int(loop_program *p, ty_dtype d, int64_t value);
/* of any dtype; converted */
loop_value loop_const_float(loop_program *p, ty_dtype d, double value);
loop_value loop_const_complex(loop_program *p, ty_dtype d, double re, double im);
/* as it lies in memory */
loop_value loop_const_data(loop_program *p, ty_dtype d, const void *element);
loop_value loop_index(loop_program *p, sym_expr e); /* i64 */
loop_value loop_load(loop_program *p, loop_buffer_id b, sym_expr index);
/* v itself when it has that dtype */
loop_value loop_cast(loop_program *p, ty_dtype to, loop_value v);
/* Folds constants and what is exact for every input (x*1, x+0 for integers, where(c,x,x), casts
 * that cancel). */
loop_value loop_unary(loop_program *p, loop_opcode op, loop_value a);
loop_value loop_binary(loop_program *p, loop_opcode op, loop_value a, loop_value b);
loop_value loop_where(loop_program *p, loop_value condition, loop_value a, loop_value b);
loop_value loop_masked(loop_program *p, loop_value condition, loop_value value,
                       loop_value otherwise);
loop_value loop_make(loop_program *p, loop_node n); /* the general form, hash-consed, unfolded */
/* An integer value as an index: a symbol (kind SYM_INDIRECT), or v's own expression where that is
 * known to keep the bound under env (NULL: as it stands). Negative values are wrapped first when the
 * bound says so. The same value and size give the same symbol, of the first op that asked. */
sym_expr loop_indirect(loop_program *p, loop_value v, loop_bound bound, const sym_env *env);
loop_value loop_indirect_value(const loop_program *p, sym_expr symbol);
/* NULL: no indirect symbol. */
const loop_bound *loop_indirect_bound(const loop_program *p, sym_expr symbol);
/* Conditions that hold where a value is used. */
typedef VEC(loop_value) loop_facts;
/* Adds what `condition` says, each part of a conjunction by itself. */
void loop_add_fact(loop_program *p, loop_facts *facts, loop_value condition);
/* within.c: is the value known to keep its bound, whatever the data, in a nest whose axes are in env,
 * where the facts (NULL: none) hold? */
bool loop_is_within(loop_program *p, sym_expr symbol, const sym_env *env, const loop_facts *facts);
/* Does v look up what may be out of range? Then the run may fail where it is computed. */
bool loop_may_fail(loop_program *p, loop_value v, const sym_env *env);
static inline const loop_node *loop_at(const loop_program *p, loop_value v)
{
    return &p->nodes.at[v.id];
}
loop_view loop_view_of(loop_program *p, loop_buffer_id b); /* the whole buffer */
uint32_t loop_given_count(const loop_program *p);          /* inputs that the caller gives */
/* Of an input that is a storage: the input whose storage it is reaches no further, which calls are refused
 * for. What is read of one without elements beside it has assertions of its own. False: of another input. */
bool loop_storage_relation(loop_program *p, uint32_t input, sym_relation *out);
bool loop_moves(const loop_program *p, const loop_op *op); /* a copy from one device to another? */

/* ---- the arguments of a custom call, one letter at a time (callee.c) ---- */
typedef struct loop_argument {
    char letter; /* as in loop_callee.arguments; ] ends a list */
    uint32_t
        number; /* which input (T), output (O, M), int (i, b), float or string; [: how many items */
    bool is_first; /* of all, or of its list */
} loop_argument;
typedef struct loop_arguments {
    const char *begin, *at;
    uint32_t count;                                  /* arguments, lists as one each */
    uint32_t inputs, outputs, ints, floats, strings; /* that were taken so far */
} loop_arguments;
loop_arguments loop_arguments_of(const loop_callee *callee);
bool loop_next_argument(loop_arguments *a, loop_argument *out); /* false: there is none left */

/* ---- what runtime operators work in (need.c) ---- */
/* Bytes, multiples of 64, at most. */
typedef struct loop_need {
    sym_expr shared; /* by all threads of a call */
    sym_expr each;   /* by each of them alone */
} loop_need;
loop_need loop_need_of(const loop_program *p, const loop_op *op);
/* Does conv_weight, for so many channels a group, want rows of pixels in memory rather than channels last? */
bool loop_conv_weight_by_pixels(int64_t in_each, int64_t out_each);
/* Bytes from the area of one thread to that of the next, where each works in so many. */
int64_t loop_scratch_stride(int64_t each);
/* The shapes of Fourier transforms whose tables a context may have ahead, two at most; returns how many. */
typedef struct loop_transform {
    int64_t length, rows, most;        /* as rt_fft_shape of rt/rt_fourier_need.h has them */
    int32_t is_half, is_double, dense; /* all the same type: they are compared as bytes */
} loop_transform;
uint32_t loop_transforms(const loop_program *p, const loop_op *op, loop_transform *out);

/* ---- the same as an operand (work.c) ---- */
/* What threads share is a buffer of bytes, the operator's last output, `workspace @buf3` in texts; sched/
 * adds it when it begins. */
void loop_add_works(loop_program *p);
void loop_add_workspace(loop_program *p, loop_op *op, loop_buffer_id work);
const loop_view *loop_workspace_of(const loop_program *p, const loop_op *op); /* NULL: none */
uint32_t loop_result_count(const loop_program *p, const loop_op *op); /* outputs without it */
/* What is wrong with it, or NULL. */
const char *loop_work_fault(const loop_program *p, const loop_op *op);

/* How an operator has its operand 1, if that is a constant. */
typedef enum loop_packing {
    LOOP_PACKS_NOTHING,
    LOOP_PACKS_MATRIX,
    LOOP_PACKS_INTEGERS,
    LOOP_PACKS_HALVES,
    LOOP_PACKS_KERNEL,
    LOOP_PACKS_TRANSFORMED
} loop_packing;
/* Can the operand, if it is a constant, be re-laid when the program is compiled (pack.c), and for what? */
loop_packing loop_can_pack(const loop_program *p, const loop_op *op, uint32_t operand);

/* ---- the rows of extern.def ---- */
typedef enum loop_trait {
    LOOP_EPILOGUE = 1, /* calls a fused pointwise nest on each finished block of its first output */
    LOOP_ANY_STRIDES = 2, /* operands and results of any strides, but unit ones where it says so */
    LOOP_REPEATABLE = 4,  /* the same operands give the same, and nothing else changes */
    LOOP_MOVES = 8,       /* from one device to another */
    LOOP_USERS = 16,      /* runs the function of the user's that is the call's callee */
    LOOP_TABLES = 32,     /* reads tables that a context may have ahead (loop_transforms()) */
    LOOP_CHANNELS = 64,   /* the columns of its first output are channels, dimension 1 */
    LOOP_TYPED = 128,     /* the runtime has a function for each dtype of its first output */
} loop_trait;
/* Does the op call an operator that can? */
bool loop_can(const loop_op *op, loop_trait trait);
bool loop_extern_known(const char *kernel);
bool loop_extern_needs_lapack(const char *kernel);
/* Of a call: multiply-adds for an element of its first output. */
sym_expr loop_macs_of_element(const loop_program *p, const loop_op *op);
/* The place of an int of a call, by its name in the signature; -1: it has none. */
int32_t loop_int_place(const loop_op *op, const char *name);
/* False: it has none, or only the run knows it. */
bool loop_known_int(const loop_program *p, const loop_op *op, const char *name, int64_t *out);
/* What numbers a call of this operator has, each name of its signature once, in any order: as the call
 * holds them, in p's memory. A name that it has not, or one too few, is a fault of ours. */
typedef struct loop_int {
    const char *name;
    sym_expr value;
} loop_int;
typedef struct loop_float {
    const char *name;
    double value;
} loop_float;
sym_expr *loop_ints(loop_program *p, const char *kernel, const loop_int *given, uint32_t count);
double *loop_floats(loop_program *p, const char *kernel, const loop_float *given, uint32_t count);
/* Windows that slide over an image: ints of a convolution, or of its weight's gradient. */
typedef struct loop_windows {
    uint32_t spatial;
    bool transposed;
    sym_expr groups;
    const sym_expr *stride, *padding, *dilation;
    const sym_expr *more; /* output padding; NULL: there is none */
    int64_t tile;         /* for the call alone: of one that has it */
} loop_windows;
/* The ints of a call of op->kernel, without an activation. */
void loop_set_windows(loop_program *p, loop_op *op, const loop_windows *w);
/* What is wrong with the ints, or NULL. */
const char *loop_windows_of(const loop_program *p, const loop_op *op, loop_windows *out);
/* Must elements of this input that follow each other lie side by side? */
bool loop_needs_unit_stride(const char *kernel, uint32_t input);
/* L11 of a call: in what it is not as its row says, or NULL. */
const char *loop_call_fault(loop_program *p, const loop_op *op);
/* Is it what a product is added to, where that lies: the operand behind those of the kernel's row? */
bool loop_is_addend(const loop_op *op, uint32_t input);
const char *loop_control_name(loop_control c);

/* ---- buffers that are pieces of others (parts.c) ---- */
/* The outermost buffer that b is a piece of (b itself when it is none), and where b lies in it. */
loop_buffer_id loop_whole_of(const loop_program *p, loop_buffer_id b, sym_expr *at);
bool loop_is_inside(const loop_program *p, loop_buffer_id b, loop_buffer_id whole);
/* Is it known that no two of those who write into `whole`, the ops `writers` and its `parts`, write
 * the same element? */
bool loop_writes_disjoint(loop_program *p, loop_buffer_id whole, const uint32_t *writers,
                          uint32_t writer_count, const loop_buffer_id *parts, uint32_t part_count,
                          arena *memory);

/* ---- rewriting and asking (walk.c) ---- */
/* v with axes (or any symbols) replaced, in indices, INDEX values and behind indirect symbols. */
loop_value loop_substitute(loop_program *p, loop_value v, const sym_expr *from, const sym_expr *to,
                           uint32_t count);
/* The same for an index expression, e.g. a store's: what stands behind its indirect symbols is
 * rewritten too. */
sym_expr loop_substitute_index(loop_program *p, sym_expr e, const sym_expr *from,
                               const sym_expr *to, uint32_t count);
/* The same for what stands behind the indirect symbols of an index. */
sym_expr loop_replace_loads_in(loop_program *p, sym_expr e, loop_buffer_id buffer,
                               loop_value (*value_at)(void *data, loop_program *p, sym_expr index),
                               void *data);
/* Calls visit for each distinct node under a store: its value, and what its index needs. */
void loop_each_store_node(loop_program *p, const loop_store *store,
                          void (*visit)(void *data, loop_value v), void *data);
/* v with each `found` in it replaced, also behind indirect symbols. */
loop_value loop_replace_value(loop_program *p, loop_value v, loop_value found, loop_value put);
/* v with its indices simplified by what env knows of the axes. */
loop_value loop_simplify(loop_program *p, loop_value v, const sym_env *env);
/* v with each load of `buffer` replaced by value_at(index). */
loop_value loop_replace_loads(loop_program *p, loop_value v, loop_buffer_id buffer,
                              loop_value (*value_at)(void *data, loop_program *p, sym_expr index),
                              void *data);
/* Calls visit once for each distinct node under v (indirect values included), operands first. */
void loop_each_node(const loop_program *p, loop_value v, void (*visit)(void *data, loop_value v),
                    void *data);
uint32_t loop_node_count(const loop_program *p, loop_value v);
uint32_t loop_load_count(const loop_program *p, loop_value v);
bool loop_uses_axis(const loop_program *p, loop_value v, sym_expr axis);

/* ---- text and checking (print.c, parse.c, check.c) ---- */
const char *loop_opcode_name(loop_opcode op);
bool loop_opcode_parse(const char *name, loop_opcode *out);
uint32_t loop_operand_count(loop_opcode op);
/* Thousandths of a nanosecond, of one number (lanes 1) or of a vector; most cost LOOP_CHEAP. */
enum { LOOP_CHEAP = 120 };
int64_t loop_opcode_cost(loop_opcode op, int64_t lanes);
#define LOOP_REDUCE_COUNT (LOOP_LOG_SUM_EXP + 1)
#define LOOP_MODE_COUNT (LOOP_MAX_INTO + 1)
const char *loop_reduce_name(loop_reduce r);         /* "sum"; "" for none */
const char *loop_store_mode_name(loop_store_mode m); /* "", "add", ... */
/* L2 of one operation: what is wrong with it, or NULL. */
const char *loop_dtype_fault(loop_opcode op, const ty_dtype *operands, ty_dtype result,
                             arena *memory);
void loop_print(const loop_program *p, text *out);
/* Symbols, inputs and buffers alone; `defined`: symbols that the run defines. */
void loop_print_front(const loop_program *p, const sym_expr *defined, uint32_t count, text *out);
void loop_print_op(const loop_program *p, const loop_op *op, text *out);
void loop_print_view(const loop_program *p, const loop_view *v, text *out);
void loop_print_callee(const loop_callee *callee, text *out);
void loop_print_workspace(const loop_program *p, const loop_op *op,
                          text *out); /* " workspace @buf3" */
fe_status loop_parse(fe_session *s, arena *memory, const char *source, size_t length,
                     loop_program **out);
/* For texts that stand behind a program's and name its buffers (sched/, wrap/): the program up to
 * the word `stop`, then parts of its language, at the lexer. */
fe_status loop_parse_front(arena *memory, lexer *lx, const char *stop, loop_program **out);
typedef struct loop_reader loop_reader;
loop_reader *loop_reader_new(loop_program *p, lexer *lx);
fe_status loop_read_buffer(loop_reader *in, loop_buffer_id *out); /* @x */
fe_status loop_read_view(loop_reader *in, loop_view *out);        /* @x[8,32]{32,1} + 4 */
fe_status loop_read_exprs(loop_reader *in, sym_expr **out, uint32_t *count); /* [8,s0] */
/* calls "symbol" "TiM" strings ["a"]; the part of an extern line; NULL when it is not there */
fe_status loop_read_callee(loop_reader *in, const loop_callee **out);
fe_status loop_read_workspace(loop_reader *in, loop_op *op); /* workspace @buf3, if it is there */
fe_status loop_read_op(loop_reader *in, loop_op *out);       /* any but a control */
fe_status loop_read_mode(lexer *lx, loop_store_mode *out);   /* = add= mul= min= max= */
loop_reduce loop_read_reduce(lexer *lx); /* sum, max_of, ...; LOOP_NO_REDUCE: none stands there */
loop_program *loop_reader_program(loop_reader *in);
/* What a loop_bound is about, "dim 1", "divisor" or nothing, with what stands around it when it is there. */
void loop_print_dimension(int32_t dimension, const char *before, const char *after, text *out);
fe_status loop_read_dimension(lexer *lx, int32_t *out);
/* control.c: a control as one line, without newline, and back when its name has been taken */
void loop_print_control(const loop_program *p, const loop_op *op, text *out);
fe_status loop_parse_control(loop_reader *in, lexer *lx, loop_control which, loop_op *out);
bool loop_control_tests(loop_control c);
fe_status loop_check(loop_program *p, const char *after);
/* guard.c: the same, but that accesses which are not proven to be inside get a check of the run: an
 * assertion, of which `say` gives the message, or one in the kernel. */
typedef const char *(*loop_say)(void *data, uint32_t origin, const sym_relation *r);
fe_status loop_guard(loop_program *p, const char *after, loop_say say, void *data);

/* One element converted as CAST does (scalar.c). */
void loop_convert(ty_dtype to, void *destination, ty_dtype from, const void *source);

/* ---- the reference interpreter (interp.c) ---- */
/* What it runs on: the memory of each buffer, values of size symbols, and how to run an extern
 * kernel that the interpreter has no reference of its own for (reference.c). */
typedef struct loop_machine {
    void *
        *buffers; /* one pointer for each buffer; NULL temps are allocated from `memory`, as is all
                       that the interpreter needs for itself */
    bool (*symbol)(void *data, sym_expr symbol, int64_t *value);
    fe_status (*run_extern)(void *data, const loop_program *p, const loop_op *op, void **buffers);
    void *data;
    arena *memory;
} loop_machine;
/* Runs the program one element at a time, in the dtype's own arithmetic (f32 in float); reductions
 * of floats accumulate in double. Out-of-bounds accesses are diagnosed, not performed. */
fe_status loop_interpret(loop_program *p, loop_machine *machine);
/* One op of it, or one like it: no control. */
fe_status loop_interpret_op(loop_program *p, loop_machine *machine, const loop_op *op);

#endif
