/* kern.h -- kernel IR: what a fused group becomes before it is text in some language.
 *
 * A kernel is explicit loops, vectors, masks, tiles and accumulators (kern_priv.h); C is one
 * printer of it. All kernels have one C type, so that the thread pool, extern calls (epilogues) and
 * the wrapper need no other:
 *
 *     void NAME(const fe_kernel_args *args, int64_t m0, int64_t m1, int64_t n0, int64_t n1);
 *
 * [m0, m1) is a range of the flattened outer axes; [n0, n1) a range of the inner axis when the
 * kernel is `split_inner` (pointwise over one inner axis; epilogues), otherwise ignored.
 * args->buffers holds the start of each buffer in the order of kern_call.buffers, args->ints the
 * values of kern_call.ints.
 *
 *     kernel k_max_sum_sub_exp group 0 lanes 16 ints [197, 256]   # p0 and p1 in this group
 *       buffer b0 : f32 in @x
 *       tile t0 : f32[p1]                                # lives in one iteration of the rows
 *       buffer b1 : f32 out @y
 *       rows (i0) {
 *         acc a0 : f32x16 max_of copies 4
 *         vector r0 < p0 unroll 4 {                      # 64 elements a step
 *           v1 : f32x16 = load b0[p0*i0 + r0]
 *           a0 += v1
 *         }
 *         v2 : f32 = result a0                           # of all lanes and copies
 *         ...
 *         vector i1 < p0 {
 *           v8 : f32x16 = load t0[i1]
 *           v10 : f32x16 = div v8, v9
 *           store b1[p0*i0 + i1] : f32x16 = v10
 *         }
 *       }
 *
 * Where an index bends along the innermost loop, as that of a reflection does at its ends, the loop is cut
 * (cut.c): each piece is a loop whose axis counts from where the piece begins, over those of the columns
 * [n0, n1) that are the piece's:
 *
 *     vector i1 < p2 in columns at 3 {
 *       v1 : f32x16 = load b0[p0*i0 + i1]
 *       store b1[p1*i0 + i1 + 3] : f32x16 = v1
 *     }
 *
 * A comparison of an index that moves by one from lane to lane is a mask of the first lanes, or of all but
 * those: those whose number is below what the index of the first one leaves:
 *
 *     v7 : boolx8 = below p1 - i2    # i2 < p1
 *
 * An index that comes from data is checked before it is used, or known to be in range:
 *
 *     check 0 v1 < p1                # else the kernel reports check 0 and is left
 *     known v2 < p3                  # as of what a sort or a minimum gives
 *     v4 : f32x16 = load b1[p0*v1 + i1]
 *
 * The text is the whole kernel: what is read from it prints as the same C. A number among the
 * operands has the dtype of its line, or says it: `lt v1, f32 0.5`. `exact` loops have no last
 * partial vector. Extents and strides of 16 and more are passed as ints rather than printed, so
 * that layers of different sizes share one kernel. Kernels with equal IR, but for names of buffers and
 * values of ints, are one kernel; names come from the operations inside and the hash of that text, never
 * from addresses, so that output is byte-stable. Loops never touch memory past the end of a buffer: the
 * last vector is masked. Float
 * sums: several partial accumulators, compensated beyond a bound, results close to float64.
 *
 * Laws (check.c), verified on every compile: K1 a value, an accumulator or an axis is used in the
 * loop where it is defined or further in, and behind its definition. K2 operands have the dtypes
 * that the operation's row asks for, loads and stores that of their memory; buffers are read and
 * written as they say. K3 vectors meet vectors of as many lanes, and touch memory only inside the
 * loop that the lanes run along: neighbours with stride 1 in its axis, scalars without it. K4 an
 * accumulator is updated by as many copies as it has, and read once, where it was started, when
 * that is over; a running one at every step, in the loop that moves it on. K5 extents and sizes are
 * made of ints alone, of which there are enough. K6 there is one loop over the rows around all
 * others, one vector loop at a time; what is exact, unrolled or cut into blocks fits its extent; columns in
 * squares are not cut. K7
 * memory is reached by values only where a line around, or before it, says that they are in range.
 *
 * What is printed is that, lowered for the target (legal/legal.h) and verified again: operations on lanes
 * that no processor has, exp or remainders, are calls of functions, which are kernel IR as well, straight
 * lines of what processors do have:
 *
 *     v6 : f32x16 = call exp_f32x16 v5
 *
 * What a step has of lanes is a value of its loop, the count, which loads and stores take, and a mask. What
 * says neither is done with all lanes. Accumulators are variables, which lines set to what operations make of
 * them: as many copies as there are vectors in a step, masked, drained after each block and joined behind the
 * loop:
 *
 *     var v5 : f32x16 copies 4 = 0.0
 *     blocks r0 < p0 by 2048 {
 *       vector r0 in block unroll 4 count v7 mask v8 {
 *         v1 : f32x16 = load b1[p0*i0 + r0] first v7
 *         v2 : f32x16 = where v8, v1, 0.0
 *         v9 : f32x16 = add v5, v2                    # of each copy
 *         set v5 = v9
 *       }
 *       v10 : f32x16 = read v5 copy 0
 *       ...
 *
 * Lanes that lie anywhere are loaded and stored one after the other, but for those that a mask gathers, for
 * which processors have an instruction (`load gather`):
 *
 *     var v1 : f32x8 = 0.0
 *     lanes r0 first v4 unroll {
 *       v5 : bool = lane v3[r0]
 *       v6 : f32 = load b0[p1*i1 + p1*r0] if v5
 *       set v1[r0] = v6
 *     }
 *
 * Where the last lane tells that they are neighbours, they are loaded at once, from the first one's index on
 * (`run`):
 *
 *     v5 : i64 = index run p0*i0 + i1 % 50
 *     v6 : i64 = index run p0*i0 + (v4 + i1 + 49) % 50
 *     v7 : i64 = sub v6, v5
 *     v8 : i64 = sub v4, 1
 *     v9 : bool = eq v7, v8
 *     when v9 {
 *       v10 : f32x8 = load run b0[p0*i0 + i1 % 50] first v4
 *       set v1 = v10
 *     }
 *     otherwise {
 *       lanes r0 first v4 {
 *         ...
 *
 * So are those that have each element several times (`load each 2 times`), or every second one (`load
 * pairs`): a function puts their lanes in order. Complex numbers are such pairs of reals (parts.c): a
 * vector of real parts (`load firsts`) and one of imaginary parts (`load seconds`) are two vectors of
 * memory, `half 0` and `half 1` of twice the count; so are two stores of them, one after the other.
 *
 * Rows that go in squares, as their columns do, are loops over a square. What was to be turned, read ahead,
 * is a tile, filled with columns of the square and transposed:
 *
 *     squares (i1, i0 < p2) by i2 {                   # up to 8 i0 by as many i2
 *       loop i2 in block number r0 {                  # r0 counts from 0
 *         vector i0 in block count v2 {
 *           v3 : f32x8 = load b0[p1*i2 + p2*i1 + i0] first v2
 *           store whole t0[8*r0] : f32x8 = v3
 *         }
 *       }
 *       transpose t0
 *       loop i0 in block number r0 {
 *         vector i2 in block count v4 {
 *           v1 : f32x8 = load t0[8*r0]
 *           ...
 *
 * Such a kernel and its functions are text in the same way. K4 and K6 hold of it as well: copies of a
 * variable are set in the loop that has as many, and read one by one outside; blocks are whole steps of
 * loops over the same axis, and loops over the axes of a square in squares alone. K8: a function is a
 * straight line over one number of lanes that ends where it returns and calls what stands before it, with
 * operands of its parameters' type.
 *
 * Kernels of devices are the same at one lane, as functions of the device's C: a work-item takes one row, or
 * one element of a row where the kernel is split along the inner axis:
 *
 *     void NAME(fault, rows, columns, buffers ..., ints ...)    # item m * columns + n, of rows * columns
 *
 * One that checks indices is given one int more, the number that its first check has among those of all
 * calls: the host asks for a failure when it waits next. Until then all kernels of the program do nothing.
 *
 * Long rows are taken by work-groups where the device has them: all its work-items run the lines of a row,
 * its loops are dealt out among them (`shared`), and accumulators joined. The first one stores what is
 * stored outside of such loops. K9: joins and barriers are where all come, nobody leaves a shared loop,
 * and what is added up in it is read joined.
 *
 *       rows (i0) by groups {
 *         acc a0 : f32 sum shared
 *         loop r0 < p0 shared {
 *           v1 : f32 = load b0[p0*i0 + r0]
 *           a0 += v1
 *         }
 *         v2 : f32 = result a0
 *         store b1[i0] : f32 = v2
 *       }
 *
 * Products are taken in tiles: rows whose results are one sum of x * y each, some of the rows' axes x's
 * alone and others y's (product.c). The lines are those of a row; a work-group takes 64 rows of the
 * product by 64 columns, 16 steps of the sum at a time through local memory, and each of its work-items
 * 8 by 8 of that. K10: rows in tiles are those of a product, whose sum has no blocks; tiles are dealt
 * out evenly.
 *
 *       rows (i0 < p0, i1 < p1) by tiles 64 x 64 x 16 each 8 x 8 {
 *         acc a0 : f32 sum
 *         loop r0 < p2 {
 *           v1 : f32 = load b0[p2*i0 + r0]
 *           v2 : f32 = load b1[p1*r0 + i1]
 *           v3 : f32 = mul v1, v2
 *           a0 += v3
 *         }
 *         ...
 *
 * Legal, the sum is a variable of its own dtype, and floats are `fused v1, v2, v5`. How many tiles
 * there are stands in the call.
 *
 * Order of reading: kern.c (the stage), build.c, cut.c, shape.c, squares.c, value.c, below.c and slope.c (a
 * group as IR), scalar.c (the same at one lane), product.c, group.c, print.c, parse.c and check.c (its
 * text and laws),
 * legal/legal.h (for a target), c/kernel.c and c/loop.c (IR as C), c/apply.c (operations), c/function.c
 * (functions), c/prelude.c (what else kernels call), c/device.c (kernels of devices).
 */
#ifndef FERRITE_KERN_H
#define FERRITE_KERN_H

#include "sched/sched.h"
#include "target/target.h"

typedef struct kern_needs kern_needs;
typedef struct kern_ir kern_ir;           /* kern_priv.h */
typedef struct kern_library kern_library; /* legal/legal.h */

/* One distinct kernel. */
typedef struct kern_kernel {
    const char *name;     /* "k_gelu_add_3f2a": C identifier, stable */
    const char *identity; /* its IR, without what calls differ in: equal ones are one kernel */
    uint64_t hash;        /* of that */
    const char *source;   /* the C function, self-contained but for the prelude (kern_prelude) */
    uint32_t buffer_count, int_count; /* on a device that of the first check is one of the ints */
    uint32_t group_size;              /* of the work-group that takes a row; 0: a work-item does */
    const kern_needs *needs;          /* what the source uses of the prelude */
    kern_ir *ir;                      /* what it is, as the stage made it; */
    kern_ir *legal;                   /* that it was printed from: with calls of functions */
    const target_machine *target;     /* what it is made for */
} kern_kernel;

/* How one group calls its kernel. */
typedef struct kern_call {
    uint32_t kernel; /* index in kern_set.kernels; UINT32_MAX when the group needs none */
    loop_buffer_id *buffers;
    uint32_t buffer_count;
    sym_expr *ints;
    uint32_t int_count;
    const loop_bound *checks; /* what its checks are about, by number */
    uint32_t check_count;
    sym_expr outer;   /* product of the outer extents */
    sym_expr tiles;   /* that work-groups take, each many of those rows; or none */
    sym_expr inner;   /* extent of the inner axis when split_inner */
    bool split_inner; /* work may be split along n as well as m */
    /* about: nanoseconds for one (m, n) point when split_inner, else for one m, times 1000 */
    int64_t cost;
} kern_call;

typedef struct kern_set {
    VEC(kern_ir *) irs; /* of each group that has a kernel */
    VEC(kern_kernel) kernels;
    kern_call *calls; /* one for each group of the schedule; none behind the text of kernels */
    uint32_t call_count;
    kern_library *library; /* functions that the kernels call, */
    uint32_t read_count;   /* of which so many were read with the kernels */
} kern_set;

/* kern.c: makes every group's kernel, for the device that the group is on; on the host for `target`.
 * FE_UNSUPPORTED with a diagnostic names what cannot be generated. */
fe_status kern_build(const sched_schedule *s, const target_machine *target, arena *memory,
                     kern_set **out);
/* c/dialect.c: does a kernel of the target hold values of this dtype? */
bool kern_holds(const target_machine *target, ty_dtype dtype);
/* Does it do this operation on operands of this dtype? */
bool kern_can(const target_machine *target, loop_opcode op, ty_dtype operand);
/* Does it store values of this dtype so? */
bool kern_can_store(const target_machine *target, ty_dtype value, loop_reduce reduce,
                    loop_store_mode mode);
/* c/dialect.c: what the name of a file with kernels of the target, a device, ends in: "cl". */
const char *kern_extension(const target_machine *target);
/* c/dialect.c: how many work-items of the target take a row together, where that is worth it; 0: none
 * do. */
uint32_t kern_group_size(const target_machine *target);
/* c/dialect.c: may work-items of the target add to one element of this dtype at once, or take the larger? */
bool kern_has_atomics(const target_machine *target, ty_dtype dtype);
/* The kernel of one group into the set, and how the group calls it. */
fe_status kern_add(kern_set *set, const sched_schedule *s, const sched_group *g, uint32_t number,
                   const target_machine *target, arena *memory, kern_call *call);
/* Indices that it does not check come from data. Are they in range where all integers in memory are 0?
 */
bool kern_takes_zeros(const kern_kernel *kernel);
/* What it computes, without the hash of how: "k_sum_exp". */
const char *kern_stem(const kern_kernel *kernel);
/* What it does with a buffer that it is called with. */
void kern_uses(const kern_kernel *kernel, uint32_t buffer, bool *reads, bool *writes);
/* The same kernels, by the same names, in plain C; kern_prelude goes with them as for a target that
 * is plain. */
fe_status kern_scalar(const kern_set *set, arena *memory, kern_kernel **out);
/* Appends the C text that goes in front of these kernels in one file: the vector types and inline
 * functions that they use, and no others. No #include in it (compile time), but for plain C. */
/* Kernels of a device's have a head in its dialect: see device.c. */
void kern_prelude(const target_machine *target, const kern_kernel *const *kernels, uint32_t count,
                  text *out);

/* ---- text (print.c, parse.c) ---- */
/* The kernel IR of one kernel, at one lane and by its name: what other devices make theirs from. */
void kern_print_scalar(const kern_set *set, uint32_t kernel, arena *memory, text *out);
/* The kernel IR of every group. */
void kern_print(const kern_set *set, text *out);
/* What is printed as C: functions and, once each, the kernels that call them. */
void kern_print_legal(const kern_set *set, text *out);
/* Reads what kern_print and kern_print_legal write. */
fe_status kern_parse(fe_session *session, arena *memory, const char *source, size_t length,
                     kern_set **out);
/* Verifies kernels that were read and makes their C. */
fe_status kern_generate(kern_set *set, const target_machine *target, arena *memory);

#endif
