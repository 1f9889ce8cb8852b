/* wrap.h -- wrapper IR: the program that runs around the kernels.
 *
 * A straight list of typed lines over buffers, symbols and one arena. No strings of any target
 * language: printers (emit/) differ in syntax only.
 *
 *     program main                       # inputs and buffers as a loop program has them
 *     input  @x : f32[8,32] strides [32,1]
 *     ...
 *     wrapper arena 2048 bound 2048 weights 8448 kernels 1 calls 2
 *     weight 0 @w at 0 bytes 8192 packed gemm 1   # re-laid for operand 1 of the first gemm that reads it so
 *     weight 1 @b at 8192 bytes 256               # as it is
 *     memory @buf1 output 0                       # written straight into output 0
 *     memory @buf4 in @buf5 at 64                 # its root is buf5: lies there from element 64 on
 *     memory @buf6 in @x at 16                    # in the memory of a donated input, behind its last reader
 *     memory @buf7 output 1 else in @x            # there too, where the caller gives no memory for output 1
 *     symbol s0 = size 0 0                        # dimension 0 of input 0
 *     symbol s1 = stride 0 0                      # where no size tells it
 *     alloc @buf0 live [0, 2) at 0 bytes 2048
 *     extern sort (@x[90]{1}) -> (@v[90]{1}, none) workspace @buf5 ints [0, 0] floats []   # works in buf5
 *     note "linear, relu"
 *     extern gemm (@x[8,32]{32,1}, @w[32,64]{1,32} packed 0, @b[64]{1}) -> (@buf0[8,64]{64,1})
 *         ints [0] floats [0.0, 0.0]
 *     extern sdpa (...) -> (@buf5[...]) ints [...] floats [..] scratch 4096 bytes 65536   # nobody uses that
 *     extern sdpa (...) -> (@buf6[...]) ints [...] floats [...] scratch @y 0 bytes 65536   # ... of output y
 *     kernel k_relu_12 (@buf0, @buf1) ints [512] m 1 n 512 cost 120
 *     kernel k_copy_3f (@i, @w, @buf1) ints [64] m 8 cost 90 checks [dim 0 "embedding", wraps "index"]
 *     free @buf0
 *     reuse @buf2 -> @buf3 live [3, 5) at 0 bytes 2048    # the next call reads buf2 for the last time
 *     if @p[]{} -> (@buf2[8,32]{32,1})            # regions nest, as loop.h has them
 *     ...
 *     check output @buf1[8,64]{64,1} no_nan "output 0"
 *     output 0 @buf1[8,64]{64,1}
 *
 * Where numbers are to be checked, each input, result and output has such a line; `finite` instead of
 * `no_nan` refuses infinities too. `clear @buf2[8]{1}` zeroes what comes to life, which a kernel may write
 * a part of alone.
 *
 * Buffers may be on other devices than the host's; what is on one has segments of its own there, and so
 * has memory of the host that devices copy to while the host goes on (pinned):
 *
 *     place 1 cuda 0
 *     alloc @d live [0, 2) segment 1 bytes 256
 *     copy @x[64]{1} -> @d[64]{1} async           # a line of its own, no call of an operator
 *     device cuda 0                               # the calls below are there
 *     kernel k_relu_12 (@d, @e) ...
 *     copy @e[64]{1} -> @y[64]{1} async
 *     wait @y                                     # before anybody reads it
 *
 * A device has two queues: what it computes, and copies from it and to it. Each does its work in the order
 * in which it is given it, beside the other; where they share memory, one waits for the other (queues.c):
 *
 *     mark 0 cuda 0 kernels                       # this place in the queue of kernels
 *     after 0 cuda 0 copies                       # copies from here on begin when it is reached
 *
 * A program that was cut into parts (sched.h) has them one after another, each with what crosses its
 * border; lists that are empty are left out:
 *
 *     partition "addmm" reads [@x, @buf0] mutates [@s] makes [@buf1] ends [@buf0] constants [@w]
 *         symbols [s0] defines [u0]
 *
 * Where sizes depend on values, the arena has segments. Segment 0 is there from the start; a later
 * one is placed when the run has defined the symbols in the sizes of its buffers:
 *
 *     symbol u0 = @count[]{}                      # the element that a kernel above has written
 *     assert u0 <= 8 "..."
 *     place 1
 *     alloc @rows live [2, 4) segment 1 bytes 128*u0
 *     alloc @y output 0 bytes 4*u0                # an output that the caller cannot know the size of
 *
 * Where an arena is wanted for all sizes that ranges allow, each buffer has the room of its largest,
 * at a constant offset, and there is one segment: `wrapper arena 4096 ... bounded`.
 *
 * Laws (check.c), verified on every compile: W1 a buffer is allocated, or has memory of another
 * kind, before it is used. W2 it is not used after it is freed, nor, when its memory is reused,
 * after the next call. W3 it is freed at most once. W4 no two buffers that live at once overlap in a
 * segment, unless they have one root (law S6 of sched.h), and all lie inside it. W5 every symbol is
 * defined once and before it is read. W6 a later segment is placed once, when all sizes in it are
 * known, and before any of its buffers is allocated. W7 regions nest; what is allocated, defined or
 * placed in one is so until it (the same arm of it) ends, and what lives when a repeat begins is not
 * freed within. W8 the signature of a part says what its lines use: nothing else crosses its border,
 * and each part is as a function of it. W9 what a call writes, and all that a kernel is called with, is on
 * the device that is named before it (the host, where none is); all buffers of a segment are in one kind
 * of memory. W10 the host waits for an
 * asynchronous copy before what it writes is read, and before what it reads is given up. W11 of what lies
 * in the same bytes of the memory of an input or an output, and that itself, no two are used in turns, nor
 * by one line but where the one takes over the other; an input is donated. An output that may lie in an input
 * counts as lying there. W12 what an operator works in is as large as it states (loop/need.c) and lives for
 * its line alone, and `scratch` of the first line is what is enough for a thread at all of them, but those
 * that have a `scratch` line before them: the most that they work in is a function of symbols. W13 nothing
 * lives in the memory that a line has for scratch of its threads, used if it fits all of them, and that is
 * as large as one thread's at least (scratch.c). W14 an operator of the runtime is given what its signature
 * says (law L11 of loop.h).
 * W15 nothing is read that no line before has written on every way to it (a whole: its pieces too), and what
 * the program gives a new value, inputs that are `mutated` and states, some line writes (written.c).
 * W16 of two lines in the two queues of a device that reach the same memory of it, of which one writes there,
 * the later one is behind a mark that is behind the earlier one, or the host has waited for the earlier one
 * before. A mark is waited for by the other queue of its device, and in the part, or arm of a region, that it
 * is in (queues.c).
 */
#ifndef FERRITE_WRAP_H
#define FERRITE_WRAP_H

#include "plan/plan.h"
#include "sched/sched.h"

typedef enum wrap_kind {
#define WRAP(id, name, what) WRAP_##id,
#include "wrap/wrap.def"
#undef WRAP
    WRAP_KIND_COUNT
} wrap_kind;

/* An index that the kernel checks: the run ends behind the call when it was out of range. */
typedef struct wrap_check_row {
    int32_t dimension; /* as in loop_bound */
    bool wraps;
    const char *where; /* the operator and its line, for the message */
} wrap_check_row;

/* Where a kernel call's facts come from: kern_call, without knowing kern/. */
typedef struct wrap_call {
    const char *kernel; /* name */
    const loop_buffer_id *buffers;
    uint32_t buffer_count;
    const sym_expr *ints;
    uint32_t int_count;
    sym_expr outer, tiles, inner; /* tiles: of the rows, which work-groups take; or none */
    bool split_inner;
    int64_t cost;
    const wrap_check_row *checks; /* by number */
    uint32_t check_count;
    const bool *is_written; /* by buffer: does the kernel write to it? NULL: nobody has said */
    uint32_t group;         /* of the schedule; in a program read from text: no one's */
} wrap_call;

/* A piece of the weights: a constant's bytes as they are, or re-laid for the extern call that reads
 * it. */
typedef struct wrap_weight {
    loop_buffer_id buffer;
    /* the first extern op that reads it in this packing; NULL: raw bytes */
    const loop_op *packed_for;
    uint32_t operand;      /* which of its inputs */
    int64_t offset, bytes; /* in the weights; offset is a multiple of 64 */
    bool is_shared;        /* another program of the same library brings it */
} wrap_weight;
#define WRAP_NO_WEIGHT UINT32_MAX

/* An interval of a segment that was placed before, which this one goes around. */
typedef struct wrap_held {
    uint32_t segment, slot; /* its interval in that; WRAP_NO_SLOT: it lies at a constant offset */
    int64_t offset;
} wrap_held;

/* The memory of a segment, cut into intervals that are in use at certain times (layout.c). All
 * segments share the arena: behind a segment's own intervals come those that it finds taken. */
typedef struct wrap_layout {
    plan_buffer *intervals;        /* lives and groups; sizes are not told here */
    const loop_buffer_id *buffers; /* by interval: a buffer that covers it */
    uint32_t count;                /* of its own */
    const wrap_held *held;
    uint32_t held_count;
    const sym_expr *symbols; /* that decide where it is placed: those in its sizes, and those that
                                decide where the intervals are placed that it finds taken */
    uint32_t symbol_count;
    bool has_parts;      /* there are groups: intervals that begin inside the memory of others */
    plan_template lives; /* what no size changes, where offsets are found during the run */
} wrap_layout;
#define WRAP_NO_SLOT UINT32_MAX

/* Memory that nobody uses during a line: `in` is an output, or LOOP_NO_BUFFER for the arena. */
typedef struct wrap_scratch {
    loop_buffer_id in;
    int64_t at, bytes; /* in WRAP_ROOM_UNITs, an output's address aside; 0 bytes: none */
} wrap_scratch;
#define WRAP_SCRATCH_UNIT 64

/* Of a device. */
typedef enum wrap_queue { WRAP_KERNELS, WRAP_COPIES, WRAP_QUEUE_COUNT } wrap_queue;

typedef struct wrap_line {
    wrap_kind kind;
    loop_buffer_id buffer;     /* ALLOC FREE REUSE(new) WAIT */
    loop_buffer_id old_buffer; /* REUSE */
    wrap_call call;            /* KERNEL; EXTERN: its epilogue, kernel NULL when none */
    const loop_op
        *op; /* EXTERN; COPY; the lines of regions; SYMBOL that is an element of a buffer */
    uint32_t *weights;        /* EXTERN: for each input its packed weight, or WRAP_NO_WEIGHT */
    wrap_scratch scratch;     /* EXTERN: for what its threads work in */
    sym_expr symbol, expr;    /* SYMBOL, and what it is; none: see below, or op's inputs[0] */
    sym_relation relation;    /* ASSERT */
    int32_t input, dimension; /* SYMBOL read from a size of an input (then expr is none); -1 */
    bool is_stride;           /* ... from the stride of that dimension */
    sym_expr scale,
        shift;        /* ... which is scale * symbol ** power + shift; none: the symbol itself */
    uint32_t power;   /* ... 0 counts as 1 */
    const char *text; /* ASSERT message; COMMENT; CHECK */
    uint32_t index;   /* OUTPUT MARK AFTER number; PLACE: segment */
    const sched_part *part; /* PARTITION: its signature; ops are not told here */
    const loop_view *view;  /* CLEAR, CHECK; what messages call it is in text */
    bool finite;            /* CHECK: infinities are refused too */
    ty_device device;       /* DEVICE MARK AFTER */
    wrap_queue queue;       /* MARK: where it is; AFTER: what waits */
    bool of_output;         /* CHECK: of what is returned, behind all parts */
} wrap_line;

typedef VEC(wrap_line) wrap_line_list;

/* Where a segment is. */
typedef struct wrap_memory {
    ty_device device;
    bool pinned;
} wrap_memory;

/* Where the memory of a buffer comes from. */
typedef enum wrap_storage_kind {
    WRAP_STORAGE_NONE, /* nobody asks for it: it lives inside a kernel, or is read packed alone */
    WRAP_STORAGE_INPUT,
    WRAP_STORAGE_STATE,
    WRAP_STORAGE_WEIGHT,
    WRAP_STORAGE_ARENA,
    WRAP_STORAGE_OUTPUT, /* the caller's, or his allocator's, for an output */
    WRAP_STORAGE_ALIAS   /* its root's, which is an output's or a donated input's */
} wrap_storage_kind;

/* Of one buffer. What it says of roots and of places in them is law S6 of sched.h. */
typedef struct wrap_storage {
    wrap_storage_kind kind;
    bool
        is_allocated; /* a line brings it to life; what has memory otherwise has it from the start */
    bool is_unbacked; /* its root's size holds a symbol that only the run defines */
    sym_expr bytes;
    sched_life life;        /* in steps (wrap_is_step) */
    uint32_t segment, slot; /* ARENA: which, and its interval in that one's layout; WRAP_NO_SLOT */
    int64_t offset;         /* ARENA: where that is a constant; -1 */
    int32_t output;         /* whose memory its root has, if the caller gives one; -1 */
    int32_t state;          /* its number, of a STATE; -1 */
    uint32_t weight;        /* with its bytes as they are, of WEIGHT and STATE; WRAP_NO_WEIGHT */
} wrap_storage;

typedef struct wrap_program {
    fe_session *session;
    loop_program *loops; /* buffers, symbols, inputs, outputs */
    arena *memory;
    const char *name;
    wrap_line_list lines;
    wrap_storage *storage; /* of each buffer */
    VEC(loop_buffer_id)
    fixed; /* what no line brings to life; aliases behind what has memory of its own */
    /* sizes in segment 0 depend on symbols: offsets come from the sizes at run time, as those of
     * every later segment do */
    bool is_dynamic;
    /* sizes depend on symbols, but each buffer has the room of its largest: offsets are constants */
    bool is_bounded;
    int64_t *output_bytes;  /* then: of each output, most; 0 when its memory is something else's */
    wrap_memory *memory_of; /* of each segment; NULL: all are the host's */
    VEC(ty_device) devices; /* other than the host, in the order in which buffers name them */
    uint32_t segment_count;
    wrap_layout *layouts; /* by segment; empty where offsets are constants */
    VEC(wrap_weight) weights;
    uint32_t state_count;
    int64_t weights_bytes;
    int64_t arena_bytes, lower_bound;
    int64_t scratch_bytes; /* most that an operator works in, for each thread (need.c) */
    uint32_t unique_kernels, kernel_calls;
    /* how inputs stand in the arguments of the exported module, and outputs in what it returns; NULL: as they
     * are */
    const char *input_tree, *output_tree;
} wrap_program;

/* What the builder asks its caller. */
typedef struct wrap_facts {
    const char *input_tree, *output_tree;
    const wrap_call *calls; /* one for each group of the schedule */
    uint32_t unique_kernels;
    /* Bytes of input `operand` of an extern op when the runtime wants that constant re-laid; 0 = as
     * it is. */
    int64_t (*packed_bytes)(const loop_program *p, const loop_op *op, uint32_t operand);
    bool max_arena; /* one arena for all sizes that ranges allow */
    /* Lines that look for NaN, and infinity, in inputs, results and outputs. */
    bool check_nan, check_infinity;
    /* What messages call a buffer that the line writes. */
    const char *(*result_name)(void *data, const wrap_line *line, loop_buffer_id id);
    /* Provenance text of an op's origin number; may return NULL. */
    const char *(*note)(void *data, uint32_t origin);
    void *data;
} wrap_facts;

/* build.c: schedule + placements + calls to lines. */
fe_status wrap_build(const sched_schedule *s, const wrap_facts *facts, arena *memory,
                     wrap_program **out);
/* A program without lines: no buffer has a place yet. */
wrap_program *wrap_program_new(loop_program *p, arena *memory);
/* print.c, parse.c, check.c */
const char *wrap_kind_name(wrap_kind k);
/* The lines of regions are the controls of loop.h, in its order. */
static inline bool wrap_is_control(wrap_kind k)
{
    return k >= WRAP_IF && k <= WRAP_END;
}
static inline wrap_kind wrap_of_control(loop_control c)
{
    return (wrap_kind)(WRAP_IF + (int)c);
}
_Static_assert(WRAP_PARTITION - WRAP_IF == LOOP_PARTITION - LOOP_IF, "a line for each control");
/* Is a copy one that the host does not wait for? */
bool wrap_is_async(const wrap_program *w, const loop_op *copy);
/* The buffer of the host that a later line waits for; LOOP_NO_BUFFER: the copy is done when the line is. */
loop_buffer_id wrap_waited_buffer(const wrap_program *w, const loop_op *copy);
/* Does it lie in the memory of an input? */
static inline bool wrap_is_given(const wrap_program *w, loop_buffer_id id)
{
    loop_buffer_id root = w->storage[id].life.root;
    return root != id && w->loops->buffers.at[root].kind == LOOP_INPUT;
}
/* lent.c: is the input's memory used for other things too (outputs that may begin there among them), and up
 * to which byte? -1: a symbol decides. */
sym_expr wrap_begin(const wrap_program *w, loop_buffer_id id); /* in bytes of its root's memory */
sym_expr wrap_end(const wrap_program *w, loop_buffer_id id);
bool wrap_is_overwritten(const wrap_program *w, loop_buffer_id input);
/* scratch.c: what an operator's thread works in, when that is known and not nothing. */
bool wrap_scratch_each(const wrap_program *w, const wrap_line *line, int64_t *each);
/* What decides how large the scratch of a context is: the most that a thread works in at lines without
 * memory for it, and for those with it rows of `memory`, the last all 0. What another row says already is
 * left out. */
typedef struct wrap_scratch_row {
    int64_t each, bytes;
} wrap_scratch_row;
int64_t wrap_scratch_rows(const wrap_program *w, arena *memory, const wrap_scratch_row **rows);
/* How many threads have all their scratch in such memory; 0: some have none. */
uint32_t wrap_scratch_threads(const wrap_program *w);
/* The number of the input that the output lies in, where the caller gives no memory for it; -1. Where he
 * does, is the output made there, and not in the input? Is there such an output? */
int32_t wrap_input_of_output(const wrap_program *w, uint32_t output);
bool wrap_output_moves(const wrap_program *w, uint32_t output);
bool wrap_returns_inputs(const wrap_program *w);
/* The first input from number k on that is; how many there are inputs: none. The same of inputs that the
 * program gives new values. */
uint32_t wrap_next_overwritten(const wrap_program *w, uint32_t k);
uint32_t wrap_next_mutated(const wrap_program *w, uint32_t k);
int64_t wrap_overwritten_bytes(const wrap_program *w, loop_buffer_id input);
/* Of all inputs together; -1: a symbol decides. */
int64_t wrap_donated_bytes(const wrap_program *w);
/* device.c: its place among the devices of the program, from 1 on; 0: the host. The kernel of a call runs on
 * the device that its buffers are on. */
uint32_t wrap_device_number(const wrap_program *w, ty_device device);
/* The number of the device that an input, or an output, is on. */
uint32_t wrap_device_of_input(const wrap_program *w, uint32_t input);
uint32_t wrap_device_of_output(const wrap_program *w, uint32_t output);
/* Is there one that is not on the host? */
bool wrap_has_inputs_elsewhere(const wrap_program *w);
bool wrap_has_outputs_elsewhere(const wrap_program *w);
ty_device wrap_device_of_call(const wrap_program *w, const wrap_call *call);
/* Calls a function for each check of the calls that run elsewhere than on the host, in the order of the
 * lines; its place there is its number, which kernels of devices report. */
void wrap_each_device_check(const wrap_program *w,
                            void (*visit)(void *data, const wrap_check_row *check), void *data);
/* The number of the first check of a call of the lines that runs elsewhere. */
uint32_t wrap_first_check(const wrap_program *w, const wrap_call *call);
static inline bool wrap_is_on_host(const wrap_program *w, loop_buffer_id id)
{
    return ty_is_host(w->loops->buffers.at[id].device);
}
/* describe.c: fe_artifact.signature. */
void wrap_describe(const wrap_program *w, text *out);
/* scratch_size.c: the shapes of Fourier transforms whose tables a context has from its beginning. */
loop_transform *wrap_transforms(const wrap_program *w, arena *memory, uint32_t *count);
/* Is the line a step, as lives count them: calls, assertions, symbols that the run defines, and where
 * regions and parts begin and end? */
static inline bool wrap_is_step(const wrap_line *line)
{
    return line->kind == WRAP_KERNEL || line->kind == WRAP_EXTERN || line->kind == WRAP_ASSERT ||
           line->kind == WRAP_COPY || (line->kind == WRAP_SYMBOL && line->input < 0) ||
           wrap_is_control(line->kind) || line->kind == WRAP_PARTITION;
}
/* Does the line's operator itself write the buffer, and not its epilogue? */
bool wrap_is_of_operator(const wrap_line *line, loop_buffer_id id);
/* Does it stand behind the last part, in a program that was cut? */
static inline bool wrap_is_behind_parts(const wrap_line *line)
{
    return line->kind == WRAP_OUTPUT || (line->kind == WRAP_CHECK && line->of_output);
}
/* Are the offsets in this segment constants? */
static inline bool wrap_is_fixed(const wrap_program *w, uint32_t segment)
{
    return segment == 0 && !w->is_dynamic;
}
/* Is the symbol's range to be asked for when an input has given its value? A size is not below 0, but a
 * number, or what sizes are solved for, may be. */
static inline bool wrap_asks_range(const wrap_line *line, int64_t min, int64_t max)
{
    bool is_size = line->dimension >= 0 && sym_is_none(line->scale);
    return max != SYM_NO_MAX || min > (is_size ? 0 : -INT64_MAX);
}
/* Does a size or a stride of an input give the symbol its value, or an input itself? */
static inline bool wrap_is_input_symbol(const wrap_line *line)
{
    return line->kind == WRAP_SYMBOL && line->input >= 0;
}
/* storage.c */
const char *wrap_storage_name(wrap_storage_kind kind);
/* Which one: of the inputs, states, weights, segments or outputs. */
uint32_t wrap_storage_number(const wrap_program *w, loop_buffer_id id);
/* The weight that a context's state begins as. */
loop_buffer_id wrap_buffer_of_state(const wrap_program *w, uint32_t state);
uint32_t wrap_weight_of_state(const wrap_program *w, uint32_t state);
/* The donated input that it lies in, or may lie in; LOOP_NO_BUFFER: none. */
loop_buffer_id wrap_lender(const wrap_program *w, loop_buffer_id id);
/* Does it come to life with the line that allocates another one, whose memory is an output's? */
bool wrap_comes_with(const wrap_program *w, loop_buffer_id id, loop_buffer_id allocated);
/* Could the number be larger than any, by what the run defines? */
bool wrap_may_overflow_in(const wrap_program *w, sym_expr e);
bool wrap_may_overflow(const wrap_program *w, const wrap_call *call); /* one of its numbers */
/* layout.c: fills in w->layouts and w->slot_of. The lines must be there. */
fe_status wrap_make_layouts(wrap_program *w);
/* example.c. The arena as the run would place its segments for the sizes of the example. */
typedef struct wrap_example {
    int64_t **offsets;    /* by segment, by interval; NULL where they are constants */
    int64_t bytes, bound; /* the latter of one segment alone; 0 when there are several */
} wrap_example;
void wrap_place_example(const wrap_program *w, arena *memory, wrap_example *out);
int64_t wrap_example_offset(const wrap_program *w, const wrap_example *e, loop_buffer_id id);
int64_t wrap_example_bytes(const wrap_program *w, sym_expr bytes); /* not below 0 */
/* Is where the buffer begins in its root already in its offset? */
bool wrap_offset_has_place(const wrap_program *w, loop_buffer_id id);
/* Bytes of the largest size that ranges allow; false when there is none. */
bool wrap_largest_bytes(const wrap_program *w, loop_buffer_id id, int64_t *bytes);
/* Bytes from the start of its root's memory; none when that is where it begins. */
sym_expr wrap_shift(const wrap_program *w, loop_buffer_id id);
/* partition.c: may somebody else run the part that begins here? Not when what it makes has no size before
 * it runs, or when something that crosses its border is on a device. */
bool wrap_can_be_replaced(const wrap_program *w, const wrap_line *partition);
/* The line behind it. */
uint32_t wrap_end_of_part(const wrap_program *w, const wrap_line *partition);
void wrap_print(const wrap_program *w, text *out);
void wrap_print_line(const wrap_program *w, const wrap_line *line, text *out); /* without newline */
fe_status wrap_parse(fe_session *session, arena *memory, const char *source, size_t length,
                     wrap_program **out);
fe_status wrap_check(const wrap_program *w);

#endif
