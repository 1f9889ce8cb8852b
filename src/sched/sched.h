/* sched.h -- the schedule: which loop nests share a kernel, in what order kernels run, how long
 * each buffer lives.
 *
 *     program main                                     # the loop program, whole
 *     ...
 *     schedule
 *     order peak 4096 bound 3840                       # bytes at once; proven: no order needs less than 3840
 *     group 0 kernel outer [i0 < 128] vector inner     # layer norm: three phases under one outer loop
 *       phase reduce [r0 < 768] { op 3 }               # @mean[i0] = sum ...
 *       phase reduce [r0 < 768] { op 4 }
 *       phase inner [i1 < 768] {
 *         op 5 nest [i0 < 128, i1 < 768] {             # rewritten: not as the program has it
 *           ...
 *         }
 *       }
 *       local @buf1 @buf2
 *     group 1 extern op 6 gemm epilogue outer [i0 < 128] vector inner
 *       phase inner [i1 < 3072] { op 7 }
 *       in_place @buf6 -> @buf7
 *     group 2 define op 8                              # a symbol that the run defines
 *     refuse 3 9 not_same_outer
 *     live @buf0 [0, 2)                                # in the arena
 *     live @buf6 [1, 2) in @buf7                       # in another's memory
 *     live @buf8 [1, 4) in @buf9 at 64                 # from its element 64 on
 *     live @out [3, 5) output                          # in the memory of an output
 *     live @x [0, 3) donated                           # an input that the caller gives away, and what
 *     live @buf10 [3, 4) in @x donated                 # lies in its memory behind its last reader
 *     live @y [4, 6) output else in @x                 # an output that lies there where the caller gives
 *                                                      # no memory for it
 *
 * A kernel group has shared outer axes (parallel) and a list of phases that run one after another
 * for each outer iteration; a phase loops over its own inner axes (or reduction axes) and runs its
 * nests' bodies in order. A value that a later nest of the same phase loads at the same index
 * travels in a register; one that a later phase reads lives in a tile or a scalar of the outer
 * iteration when no other group needs it (`local`).
 *
 * Nests here are rewritten copies of the program's: axes permuted into loop order (outermost =
 * largest stride), adjacent ones merged where every access allows it, extents of 1 dropped, and
 * renamed so that a group's outer axes are i0..i{outer-1}.
 *
 * Laws (check.c): S1 each op of the program is in exactly one group, and stores there what it stores in
 * the program. S2 an op comes after all that it depends on: readers after writers, writers after readers,
 * users of a symbol after its definition and after what is asserted of it. S3 the nests of a phase have
 * its loops, and every load of a fused nest from a buffer written in the same group reads, in one outer
 * iteration, only what earlier phases of that iteration (or the same index of the same phase) wrote. S4 a
 * local buffer has no reader outside. S5 lifetimes cover every access of a buffer; what the program
 * returns lives on after the last group. S6 a buffer that takes over another's memory is born in the group
 * that the other dies in, which overwrites no element before its last reader; a part lies in its whole and
 * lives as long; else buffers of one root do not live at once. S7 a buffer that is used in a repeat, and
 * lives when it begins, lives until it ends. S8 what a part gives to another lives from its beginning,
 * where its size is known by then, and what it was given until its end. S9 what lies in the memory of an
 * input, or of an output that it does not hand on to, fits in it and meets nothing that lives there at the
 * same time; in that of an input it is born behind the input's last reader, or takes it over, and the
 * input is donated, is all of its memory, is never written to and returned by no output. So does what lies
 * in an output that may lie in an input. S10 a variant asks for copies that there can be. S11 the order's
 * peak is not below its bound. S12 what an operator works in (need.c) is as large as it states, lives for
 * its group alone and shares its memory with nothing.
 */
#ifndef FERRITE_SCHED_H
#define FERRITE_SCHED_H

#include "loop/loop.h"
#include "plan/plan.h"
#include "target/target.h"

/* Why two ops do not share a kernel. */
typedef enum sched_reason {
    SCHED_FUSED,
    SCHED_NOT_NEST,       /* one of them is an extern call, an assertion or a definition */
    SCHED_OTHER_REGION,   /* one may run more often than the other */
    SCHED_OTHER_DEVICE,   /* they write memory of two devices */
    SCHED_WAITS,          /* the one waits for another device, and the other need not */
    SCHED_NOT_SAME_OUTER, /* their outer axes do not agree */
    /* the consumer reads other elements than the producer's iteration wrote */
    SCHED_NOT_SAME_INDEX,
    SCHED_CYCLE,      /* something between them depends on one and feeds the other */
    SCHED_DEFINITION, /* the one leads to a symbol that the other reads */
    SCHED_MAY_FAIL,   /* the one may end the run, the other changes what outlives it */
    SCHED_MUTATION,   /* a buffer read by one is written by the other */
    SCHED_FEW_ROWS,   /* too few outer iterations would be left to share among threads */
    SCHED_SHORT,      /* what windows would go over, row by row, is little memory */
    SCHED_TOO_LARGE,  /* more buffers or nodes than a kernel should hold */
    SCHED_AGAIN,      /* the consumer makes again what the producer's kernel may have made */
    SCHED_REASON_COUNT
} sched_reason;

typedef struct sched_nest {
    uint32_t op;  /* index in program->ops */
    loop_op nest; /* rewritten: axes are i0..; the first group->outer ones are the group's */
} sched_nest;

/* One inner loop (or nest of loops). inner_axes are axes i{outer}.. of its nests; a reducing phase
 * loops over r0.. after them. A nest without a reduction in a reducing phase runs (and stores) at
 * each step of r0.., which its indices then use. */
typedef struct sched_phase {
    sched_nest *nests;
    uint32_t nest_count;
    uint32_t inner_axes, reduce_axes;
    sym_expr extents[LOOP_MAX_AXES]; /* of the inner axes */
    sym_expr reduce_extents[LOOP_MAX_AXES];
} sched_phase;

typedef enum sched_vector {
    SCHED_VECTOR_NONE,
    SCHED_VECTOR_INNER,
    SCHED_VECTOR_OUTER
} sched_vector;
typedef enum sched_share {
    SCHED_SHARE_BY_COST, /* threads take as many rows as are worth it */
    SCHED_SHARE_ALONE,   /* one thread takes them all */
    SCHED_SHARE_FINE,    /* they take fewer */
    SCHED_SHARE_COUNT
} sched_share;

/* How the kernel of a group is made, where there is a choice (variant.c). What is 0, but for the
 * vector, is left to the cost model.
 *
 *     vector inner unroll 2 half straight alone
 */
typedef struct sched_variant {
    /* INNER: vectors run along the last loop of each phase (inner or reduction axis). OUTER: along
     * the last outer axis, each phase's loops run inside with one accumulator vector. */
    sched_vector vector;
    uint32_t
        unroll;    /* copies of the body of a vector loop that reduces, of rows that do: 1, 2, 4 */
    bool half;     /* vectors fill half a register */
    bool straight; /* rows go in their order, not in squares */
    sched_share share;
} sched_variant;

typedef enum sched_group_kind {
    SCHED_KERNEL,
    SCHED_EXTERN,
    SCHED_ASSERT,
    SCHED_DEFINE,
    SCHED_CONTROL, /* where a region of groups begins or ends; none moves across it */
    SCHED_GROUP_KIND_COUNT
} sched_group_kind;

/* `to` lies where `from` lies: each element of `from` is read before it is overwritten. */
typedef struct sched_reuse {
    loop_buffer_id from, to;
} sched_reuse;

typedef struct sched_group {
    sched_group_kind kind;
    uint32_t extern_op; /* EXTERN, ASSERT, DEFINE, CONTROL: index in program->ops */
    /* KERNEL, and the epilogue of an EXTERN (phase_count 0: none). An epilogue's outer axes flatten
     * to the rows of the extern's first output and its single inner axis runs over that output's
     * last (contiguous) dimension. */
    uint32_t outer;
    sym_expr outer_extents[LOOP_MAX_AXES];
    sched_phase *phases;
    uint32_t phase_count;
    sched_variant variant;
    loop_buffer_id *locals; /* written and read only inside */
    uint32_t local_count;
    sched_reuse *reuses; /* buffers that are born here in the memory of one that dies here */
    uint32_t reuse_count;
} sched_group;

/* Lifetime in group indices: [birth, death). Buffers that share memory have one root, whose memory
 * it is: it may be a donated input. */
typedef struct sched_life {
    uint32_t birth, death;
    loop_buffer_id root;
    sym_expr place; /* of its first element, in elements; none: where the root begins */
    bool in_arena;  /* a temp that is not local and not stored in what the caller gives */
    /* an output's root: the donated input that it begins in where the caller gives it no memory; or
     * LOOP_NO_BUFFER */
    loop_buffer_id else_in;
} sched_life;

typedef struct sched_refusal {
    uint32_t producer, consumer; /* op indices */
    sched_reason reason;
} sched_refusal;

/* The most bytes that the order has in use at once, and what every order of the groups has, if what lies
 * in memory of outputs and inputs still does; sizes at their hints. 0, 0: not known. */
typedef struct sched_order {
    int64_t peak, bound;
} sched_order;

typedef struct sched_schedule {
    loop_program *program;
    arena *memory;
    VEC(sched_group) groups;
    sched_life *lives; /* one for each buffer of the program */
    VEC(sched_refusal) refusals;
    sched_order order;
    bool for_host; /* whatever device a buffer is on, its kernels are the host's */
} sched_schedule;

/* Handed down by the driver. */
typedef struct sched_options {
    const target_machine *target; /* of the host */
    bool apart;                   /* no two nodes share a kernel */
    bool for_host;                /* as the schedule has it */
    int64_t memory_budget;        /* bytes that the arena should not need more than; 0: none */
} sched_options;

/* sched.c: what kernels on the device are made for; of a device without kernels of its own as the host's. */
const target_machine *sched_target_at(ty_device device, const target_machine *host);
/* The same of the device that the kernel of a group runs on. */
const target_machine *sched_target_of(const sched_schedule *s, const sched_group *g,
                                      const target_machine *host);
/* The stage. */
fe_status sched_build(loop_program *p, const sched_options *options, arena *memory,
                      sched_schedule **out);

/* A part of the program (LOOP_PARTITION begins one): its ops, and what crosses its border. Buffers are
 * in the order of their ids. Ops in front of the first part are assertions about sizes of inputs, which
 * hold whoever runs the parts. */
typedef struct sched_part {
    const char *name;
    uint32_t first, end;       /* ops */
    loop_buffer_id *reads;     /* were there before it and are only read */
    loop_buffer_id *mutates;   /* were there before it and are written */
    loop_buffer_id *makes;     /* are used behind it */
    loop_buffer_id *ends;      /* of those before it: temps that nothing behind it uses */
    loop_buffer_id *constants; /* weights that it reads */
    sym_expr *symbols;         /* have values before it: in sizes and strides too */
    sym_expr *defines;         /* get them in it */
    uint32_t read_count, mutate_count, make_count, end_count, constant_count, symbol_count,
        define_count;
} sched_part;
/* signature.c: the parts of a program that was cut; returns how many. */
uint32_t sched_parts(loop_program *p, arena *memory, sched_part **out);
/* Makes the program one of its parts: what that reads are the inputs, after the symbols (those too that
 * another part defines), what it makes and defines the outputs. It changes what it mutates in the
 * caller's memory, also what is state of the whole program. FE_USAGE: there is no such part. */
fe_status sched_extract(loop_program *p, uint32_t part);
/* variant.c: the ways in which the kernel of a group may be made; the first is its own. */
uint32_t sched_variants(const sched_schedule *s, const sched_group *g, uint32_t vector_bytes,
                        arena *memory, sched_variant **out);
bool sched_variant_is_same(const sched_variant *a, const sched_variant *b);
bool sched_variant_is_known(const sched_variant *v);
/* activation.c: an epilogue that adds a buffer whose memory the result has, keeps each element within
 * bounds (NaN stays), or both: the operator does that by itself, the group has no kernel, and `result` is
 * what the operator writes. */
typedef struct sched_activation {
    uint32_t at; /* which of the operator's ints says so */
    double low, high;
    loop_buffer_id addend; /* LOOP_NO_BUFFER: none */
    loop_buffer_id result;
} sched_activation;
bool sched_activation_of(const sched_schedule *s, const sched_group *g, sched_activation *out);
/* The operator of an extern group, with that if there is one. */
const loop_op *sched_activated(const sched_schedule *s, const sched_group *g, arena *memory);
/* locals.c: what a buffer that only this group uses needs inside its kernel. */
typedef enum sched_local {
    SCHED_LOCAL_REGISTERS, /* nothing: every load takes the value that was just stored */
    SCHED_LOCAL_TILE,
    SCHED_LOCAL_PIECES /* a tile that is stored to more than once */
} sched_local;
sched_local sched_local_kind(loop_program *p, const sched_group *g, loop_buffer_id buffer);
/* The order of its groups as a problem of its own (order.h), for tests and tools. */
struct order_problem *sched_order_problem(loop_program *p, const sched_options *options,
                                          arena *memory);
/* live.c: intervals of the arena's buffers for plan/, and which buffer each belongs to: the root,
 * where all of its memory is handed on, else each that lies in it. */
uint32_t sched_intervals(const sched_schedule *s, plan_buffer **intervals, loop_buffer_id **owners,
                         arena *memory);
/* lent.c: why the input's memory cannot be used for other things, or NULL. */
const char *sched_donation_fault(loop_program *p, loop_buffer_id input);
/* The donated input that a root is, or may lie in; LOOP_NO_BUFFER: none. */
static inline loop_buffer_id sched_lender_of_root(const loop_program *p, loop_buffer_id root,
                                                  const sched_life *life)
{
    return p->buffers.at[root].kind == LOOP_INPUT ? root : life->else_in;
}
/* The same of any buffer. */
static inline loop_buffer_id sched_lender(const loop_program *p, const sched_life *lives,
                                          loop_buffer_id b)
{
    loop_buffer_id root = lives[b].root;
    return sched_lender_of_root(p, root, &lives[root]);
}
/* Where b begins in its root's memory, in elements. */
sym_expr sched_place(const sched_schedule *s, loop_buffer_id b);
/* Most bytes of the arena that live at once, and in which group; sizes at their hints. */
int64_t sched_peak(const sched_schedule *s, arena *memory, uint32_t *when);
/* The output that is exactly this whole buffer and can lend its memory, or -1. */
int sched_output_covering(const loop_program *p, loop_buffer_id id);
/* print.c, parse.c, check.c. The text names ops of a loop program, which is printed (and parsed) in
 * front of it. */
void sched_print(const sched_schedule *s, text *out);
const char *sched_reason_name(sched_reason r);
const char *sched_group_kind_name(sched_group_kind k);
void sched_print_variant(const sched_variant *v, text *out);
fe_status sched_parse_variant(lexer *lx, sched_variant *out);
fe_status sched_parse(fe_session *session, arena *memory, const char *source, size_t length,
                      sched_schedule **out);
fe_status sched_check(sched_schedule *s);

#endif
