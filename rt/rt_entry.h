/* rt_entry.h - the two structures behind fe_model and fe_context, shared by rt_entry.c and
 * rt_context.c (their lives) and rt_run.c (a call). */
#ifndef RT_ENTRY_H
#define RT_ENTRY_H

#include "rt_pool.h"
#include "rt_program.h"

enum { RT_MAX_RANK = 25, RT_ERROR_BYTES = 400 };

struct fe_model {
    const rt_program *program;
    char *
        mapping; /* of the weights file; NULL when the weights are the caller's or there are none */
    size_t mapping_bytes;
    void **weights;       /* one for each of program->weights */
    fe_op_function **ops; /* one for each of program->ops; NULL: not given yet */
    /* What program->device_support has opened, and where weights are then, those of devices there; NULL
     * before the first context */
    void *devices;
    void **device_weights;
    const fe_device_driver **drivers; /* given by the host, by device; NULL: none is */
};

/* An output as it stands after a run. */
typedef struct rt_result {
    void *data;
    int64_t sizes[RT_MAX_RANK], strides[RT_MAX_RANK];
    void *memory, *spare; /* owned by the context, grown as needed; see keep_apart() */
    size_t memory_bytes, spare_bytes;
    void *lent;  /* what the last run gave out of it; passed back it is not memory of the caller */
    char *asked; /* what the caller has given this run for it when asked: fe_call.alloc */
    int is_elsewhere; /* that was refused: it is no memory of the output's device */
    int64_t asked_bytes;
    void *offered; /* where the caller wants it, when it takes exactly so many bytes */
    int64_t offered_bytes;
} rt_result;

/* What planning a segment works with, large enough for any of the program; NULL where all offsets are
 * constants. */
typedef struct rt_planner {
    int64_t *size, *shift, *fixed; /* by buffer */
    void *scratch;
} rt_planner;

/* Who runs a part in place of the program; run NULL: nobody. */
typedef struct rt_replacement {
    fe_part_run *run;
    void *data;
} rt_replacement;

/* Where the time of a run goes. */
typedef struct rt_clock {
    int64_t *ns; /* by step */
    int64_t since;
    uint32_t step;    /* the one under way */
    fe_event *events; /* of the next run, or the one under way; NULL: it is not traced */
    int64_t room, count;
    int64_t begun;
} rt_clock;

/* What functions of the user's have made memory for, by the key of the result; kept for the next run. */
typedef struct rt_kept {
    uint32_t key, dtype, rank;
    int is_made; /* in this call */
    size_t room;
    void *memory;
    int64_t sizes[RT_MAX_RANK];
} rt_kept;

/* Bytes of the caller's that an input reaches. */
typedef struct rt_reach {
    const char *begin, *end;
    const char *most; /* the last end of those up to this one */
    uint32_t number;  /* of the input */
} rt_reach;

/* A copy of an input that a run before left in memory that this one writes to; kept for the next. */
typedef struct rt_copy {
    void *memory;
    size_t bytes;
} rt_copy;

/* A weight of the caller's as an operator reads it: what it was made of, when, and how. */
typedef struct rt_weight_key {
    int64_t numbers[20];
} rt_weight_key;
typedef struct rt_packed {
    const void *from;
    uint64_t version, run; /* of what is there; 0: nothing. The last run that asked for it */
    rt_weight_key key;
    void *memory;
    size_t bytes;
} rt_packed;
typedef struct rt_weights {
    rt_packed *at;
    uint32_t count, room, next;
    uint64_t run;
} rt_weights;

struct fe_context {
    const void *runtime; /* rt_here() of the library that made it; first in every version */
    const fe_model *model;
    rt_pool *pool;
    rt_block *segments;
    void **inputs, **outputs; /* data pointers */
    rt_result *results;
    void **states;
    struct rt_state **owned_states; /* behind them, each perhaps with other contexts */
    int64_t *symbols;               /* values of this run */
    rt_planner planner;
    rt_replacement *replacements; /* one for each part; NULL: none is replaced */
    rt_clock clock;
    rt_reach *reaches;   /* one for each input, in the order of their beginnings */
    rt_copy *copies;     /* one for each input */
    const fe_call *call; /* under way */
    fe_tensor *all; /* where inputs are taken of others: those given and those taken; else NULL */
    rt_weights packed;
    int64_t *told; /* what the latter are described by: TOLD numbers each */
    rt_kept *kept;
    uint32_t kept_count;
    rt_area area;        /* what operators work in, for each thread */
    int64_t least_area;  /* bytes for each thread, that all runs have */
    const void **tables; /* for each of the program's transforms; NULL: there are none */
    void *devices;       /* of program->device_support */
    char error[RT_ERROR_BYTES];
};

/* 64-byte aligned memory, no more than that; large pieces ask for huge pages. NULL when there is none. */
void *rt_memory_new(size_t bytes);
void rt_memory_free(void *memory);
/* Addresses with memory behind those that are touched alone, so that what lies there can grow where it
 * is; `soon` bytes are about to be used. NULL where the system has no such thing. */
void *rt_reserve(size_t bytes, size_t soon);
void rt_unreserve(void *memory, size_t bytes);

/* rt_place.c: for a context that is all zero but for its model. False when there is no memory; what
 * is there is freed all the same by rt_segments_free. */
int rt_segments_new(fe_context *context); /* its devices are there */
void rt_segments_free(fe_context *context);

/* rt_custom.c */
int rt_set_op(fe_model *model, const char *name, fe_op_function *function);
void rt_kept_free(fe_context *context);
size_t rt_kept_bytes(const fe_context *context);
/* rt_part.c */
int rt_replace_part(fe_context *context, uint32_t part, fe_part_run *run, void *data);
/* rt_apart.c: finds what inputs reach, for the others. */
void rt_measure_inputs(rt_frame *frame);
/* From the first byte that a tensor reaches to behind the last. */
int64_t rt_reach_bytes(const fe_tensor *t);
/* What is overwritten is nobody else's: FE_RUN_BAD_INPUT. */
int rt_check_donated(rt_frame *frame);
/* What gets a new value is nobody else's: FE_RUN_BAD_INPUT. */
int rt_check_mutated(rt_frame *frame);
/* rt_overlap.c: do elements of both lie in one byte? Where that is long to find, they count as meeting. */
int rt_elements_meet(const fe_tensor *a, const fe_tensor *b);
/* The program reads copies of inputs that lie where it writes: in the arena, in states. */
int rt_keep_inputs(rt_frame *frame);
/* Does output k lie where an input lies, as the caller gives it? It may lie exactly where it would lie
 * without. */
int rt_is_in_the_way(const rt_frame *frame, uint32_t k, const fe_tensor *output);
/* Outputs that have no memory yet and lie in donated inputs, unless what others are given is there. */
void rt_return_in_inputs(rt_frame *frame, const fe_tensor *outputs);
/* After a run: what output k is copied into holds no result. FE_RUN_BAD_OUTPUT. */
int rt_check_apart(rt_frame *frame, uint32_t k, const fe_tensor *out);

/* rt_context.c */
/* `message` gets why a device cannot be had; it is empty otherwise. */
int rt_context_new(const fe_model *model, uint32_t threads, char *message, size_t message_bytes,
                   fe_context **out);
/* The area of each of its threads anew, as the program states it. 0 = ok, -1 = no memory. */
int rt_context_area(fe_context *context);
void rt_context_free(fe_context *context);
/* As fe_artifact.set_driver. */
int rt_set_driver(fe_model *model, const fe_device_driver *driver);
/* What an artifact says of a program, and what it does with contexts that are there. Opening a model,
 * making a context and telling the last error are the caller's to add. */
void rt_describe(const rt_program *p, fe_artifact *out);
int64_t rt_context_bytes(const fe_context *context);
int64_t rt_context_step_ns(const fe_context *context, uint32_t step);
int64_t rt_context_trace(fe_context *context, fe_event *events, int64_t room);
/* Nanoseconds since the run began that is traced. */
int64_t rt_trace_now(const fe_context *context);
void rt_trace_add(fe_context *context, uint32_t device, uint32_t step, int64_t begin_ns,
                  int64_t end_ns);

/* rt_elsewhere.c: memory of the host (device 0) or a device, and what lies there. */
/* Which device input or output k is on; `devices` NULL: the host. */
static inline uint32_t rt_place_of(const uint32_t *devices, uint32_t k)
{
    return devices ? devices[k] : 0;
}
void *rt_memory_on(const fe_context *context, uint32_t device, size_t bytes);
void rt_memory_off(const fe_context *context, uint32_t device, void *memory);
/* Done when it returns; one of the two devices may be the host. */
int rt_move(rt_frame *frame, uint32_t from_device, const void *from, uint32_t to_device, void *to,
            size_t bytes);
/* Is it memory of that device, as far as anybody knows? */
int rt_is_on(const fe_context *context, uint32_t device, const void *address);
/* Fails where what the caller gives is memory of another device than declared. */
int rt_check_place(rt_frame *frame, uint32_t device, const void *data, int code, const char *what,
                   const char *name);
/* "privateuseone"; "the host" */
const char *rt_device_name(const rt_program *program, uint32_t device);
/* rt_state.c */
/* Another address in every library: each has its own copy of the runtime. */
const void *rt_here(void);
typedef struct rt_state rt_state;
/* As they were exported. */
int rt_states_new(fe_context *context);
void rt_states_free(fe_context *context);
/* Those that it shares are counted too. */
size_t rt_states_bytes(const fe_context *context);
/* Adds to what an artifact says and does. */
void rt_describe_states(const rt_program *p, fe_artifact *out);
/* Adds to what an artifact says and does. */
void rt_describe_devices(const rt_program *p, fe_artifact *out);

/* rt_run.c: of one element. */
size_t rt_dtype_bytes(uint32_t dtype);

/* rt_weight.c: memory for a weight in another order, kept from call to call; NULL: what lies at `from` may
 * change between calls, or there is no memory. is_packed: it is there already. */
void *rt_weight_of(rt_frame *frame, const void *from, const rt_weight_key *key, size_t bytes,
                   int *is_packed);
/* Likewise of a constant, which never changes. */
void *rt_constant_of(rt_frame *frame, const void *from, const rt_weight_key *key, size_t bytes,
                     int *is_packed);
/* What is kept there is not what it was to be. */
void rt_forget(rt_frame *frame, const void *memory);
void rt_weights_free(fe_context *context);
size_t rt_weights_bytes(const fe_context *context);
/* rt_take.c: what inputs are taken of others, once these are known to be as declared. */
int rt_take_inputs(rt_frame *frame);
/* Is input k taken of input `of`? */
int rt_is_taken_of(const rt_program *program, uint32_t k, uint32_t of);
enum { RT_TOLD = 2 };

int rt_call_program(fe_context *context, const fe_call *call);
int rt_run(fe_context *context, const fe_tensor *inputs, uint32_t input_count, fe_tensor *outputs,
           uint32_t output_count);

#endif
