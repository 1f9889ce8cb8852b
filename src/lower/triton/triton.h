/* triton.h -- a Triton kernel as loop nests.
 *
 * All program instances are taken at once: a value of the kernel is a tensor whose first dimensions are the
 * grid's axes that are longer than 1, then the steps of the loops around, then the dimensions of the block.
 * So a block is lazy as every tensor is while it is lowered, its arithmetic is inlined into what stores it,
 * its reductions are reductions over nests, and fusion, instruction sets and devices follow. Where integers
 * are sums and products of these axes and of sizes they stay expressions: offsets of pointers are indices,
 * and what masks say becomes extents (store.c).
 *
 * Instances of a right program do not depend on each other, so it does not matter that they take each
 * operation together, unless atomic operations say which is the first (atomic.c); the steps of a loop may
 * depend on each other, which loop.c looks at, and are regions of the program then (region.h).
 */
#ifndef FERRITE_LOWER_TRITON_H
#define FERRITE_LOWER_TRITON_H

#include <limits.h>

#include "lower/lower_priv.h"
#include "ttir/ttir.h"

typedef struct triton_value {
    lower_tensor t; /* of a pointer: the offset, in elements */
    /* what a loop adds up, over its steps too, behind the axes in front: t is not made until something else
     * than a reduction by `code` reads it; no tensor: t is there */
    lower_tensor steps;
    ttir_code code;
    uint32_t argument; /* a pointer: of which argument's memory, plus 1; else 0 */
    uint32_t loops;    /* how many loops there are around it */
} triton_value;

/* The memory of a tensor that the kernel is given. */
typedef struct triton_memory {
    const ty_tensor *tensor;
    loop_view view; /* what it holds by now */
    bool is_ours;   /* it is a copy that nobody else reads */
    bool is_read;   /* something lazy reads it, so that it must not change */
    bool has_spare; /* one more element, for what masks leave out */
    bool is_written;
    bool is_in_place; /* a region that is being made writes to it: nothing lazy reads it */
} triton_memory;

/* A way to a label. */
typedef struct triton_edge {
    const char *label;
    loop_value condition; /* that it is taken, over the axes in front */
    triton_value *values;
    uint32_t count;
} triton_edge;

typedef struct triton {
    lowering *l;
    loop_program *p;
    sym_table *s;
    const ttir_kernel *kernel;
    const ttir_op *op;    /* at work */
    triton_value *values; /* by number */
    triton_memory *memories;
    uint32_t memory_count;
    sym_expr grid[3];
    uint32_t lead_count; /* axes of the grid and steps of loops */
    sym_expr lead[LOWER_MAX_RANK];
    sym_expr id[3];     /* of the program instance */
    uint32_t grid_axes; /* how many of the axes in front are the grid's */
    uint32_t most_rank; /* of the kernel's blocks */
    uint32_t loops;
    const ttir_op *around[LOWER_MAX_RANK]; /* these loops, whose steps are axes */
    /* loops whose steps have to be taken in order, as they write to the same places */
    VEC(const ttir_op *) in_order;
    bool is_out_of_order;          /* another one has been found: the kernel has to be made anew */
    uint32_t regions;              /* that are being made */
    triton_value condition;        /* of the branches around; no tensor: none */
    VEC(struct triton_edge) edges; /* to labels that stand further on */
} triton;

enum { TRITON_NO_AXIS = INT_MAX }; /* of a tensor */

typedef fe_status triton_rule(triton *t, const ttir_op *op, int parameter);
#define TTIR(id, name, form, operands, result, rule, parameter) triton_rule triton_##rule;
#include "ttir/ttir.def"

/* ---- kernel.c ---- */
/* Refuses the operation at work, by its name and the line of the kernel. */
fe_status triton_fail(triton *t, const char *format, ...) FE_PRINTF(2, 3);
fe_status triton_run(triton *t, const ttir_block *block);
/* May a pointer to the one point to elements of the other? Integers have no sign, and bools are bytes. */
bool triton_fits(ty_dtype tensor, ty_dtype pointer);

/* ---- value.c ---- */
const ttir_type *triton_type(const triton *t, ttir_value v);
/* Operand k with the axes of all loops around in front. */
lower_tensor triton_tensor(triton *t, ttir_value v);
lower_tensor triton_operand(triton *t, const ttir_op *op, uint32_t k);
loop_value triton_here(triton *t, const ttir_op *op, uint32_t k); /* at its own axes */
/* The sizes of a block of that type, with the axes in front; returns the rank. */
uint32_t triton_sizes(triton *t, const ttir_type *type, sym_expr *sizes);
/* Result k of the operation. */
void triton_set(triton *t, const ttir_op *op, uint32_t k, triton_value v);
void triton_give(triton *t, const ttir_op *op, loop_value v);
void triton_give_tensor(triton *t, const ttir_op *op, lower_tensor v);
/* The expression that an integer is; or none. */
sym_expr triton_expr(triton *t, loop_value v);
loop_value triton_index(triton *t, ty_dtype d, sym_expr e);
/* The mask (none: 0) and the condition of the branches around, over its axes; no value: it always holds. */
loop_value triton_mask(triton *t, ttir_value mask);
loop_value triton_widened(triton *t, loop_value v); /* in the dtype that it is computed in */
/* a op b; a divisor that is 0 does not stop the program. */
loop_value triton_applied(triton *t, loop_opcode op, loop_value a, loop_value b);

/* ---- integer.c ---- */
ty_dtype triton_without_sign(ty_dtype d); /* an integer's; others stay */
loop_value triton_unsigned_here(triton *t, const ttir_op *op, uint32_t k);
bool triton_is_natural(triton *t, sym_expr e, int64_t least,
                       const sym_env *env); /* at least that */

/* ---- reduce.c ---- */
/* The reduction that an operation on two values is a step of; LOOP_NO_REDUCE: none. */
loop_reduce triton_reduction(ttir_code code, bool of_bools);
/* x reduced along the dimension, and along the one before `outer` in front of it (TRITON_NO_AXIS: none),
 * by that operation, in the dtype that it is computed in. */
lower_tensor triton_reduced(triton *t, ttir_code code, lower_tensor x, uint32_t outer,
                            uint32_t dim);
/* What that operation leaves everything as it is with; no value: that is not used. */
loop_value triton_neutral(triton *t, ttir_code code, ty_dtype d);
/* Is it that? */
bool triton_is_neutral(triton *t, ttir_code code, loop_value v);
/* a + b, or the extreme and so on of both. */
loop_value triton_joined(triton *t, ttir_code code, loop_value a, loop_value b);
/* Is it the number 0, in all of the block? */
bool triton_is_zero(triton *t, ttir_value v);

/* ---- combine.c ---- */
/* Along that dimension, by the operation's region. */
fe_status triton_reduce_by(triton *t, const ttir_op *op, uint32_t dim);
fe_status triton_scan_by(triton *t, const ttir_op *op, uint32_t dim, bool is_reverse);

/* ---- axes.c ---- */
/* Axis k is the symbol axes[k], in [0, extents[k]). */
typedef struct triton_axes {
    triton *t;
    uint32_t rank;
    sym_expr axes[LOWER_MAX_RANK], extents[LOWER_MAX_RANK];
    bool is_within[LOWER_MAX_RANK]; /* a program instance: not of the grid alone */
} triton_axes;
triton_axes triton_axes_of(triton *t, uint32_t rank, const sym_expr *sizes); /* i0, i1, ... */
sym_env triton_env(const triton_axes *a, sym_bound *bounds);
void triton_drop_axis(triton_axes *a, uint32_t k);
/* As one axis, which has the symbol of the inner one: it counts on where the outer one steps. Returns
 * its extent. from[0], to[0] replace the inner axis; what holds both as steps of one, `8*outer + inner`,
 * is free of the outer one then; from[1], to[1] replace that in the rest. */
sym_expr triton_merge(const triton_axes *a, uint32_t outer, uint32_t inner, sym_expr *from,
                      sym_expr *to);
/* Is the condition always true? */
bool triton_holds(const triton_axes *a, loop_value condition);
/* Ends axis k where the condition does; false: it does not say where. */
bool triton_cut(triton_axes *a, loop_value condition, uint32_t k);
/* Does the condition hold at one place of axis k alone? */
bool triton_meets_one(const triton_axes *a, loop_value condition, uint32_t k, sym_expr *place);
/* Is this another number at each point? `within`: of one program instance. */
bool triton_is_injective(const triton_axes *a, sym_expr place, bool within);

/* ---- memory.c ---- */
/* Is it not known that element e, over these axes, is in [0, room), although both are numbers and axes
 * alone? Then nothing but a check of the run can tell; where sizes are symbols, assertions about them
 * do. */
bool triton_needs_check(const triton_axes *a, sym_expr e, sym_expr room);
/* What is in memory as what the pointer says that is there; or the other way round. */
loop_value triton_reinterpreted(triton *t, ty_dtype d, loop_value v);
/* What operand 0 points to, where the mask (none: 0) holds, and else the other (none: zeros). */
fe_status triton_read(triton *t, const ttir_op *op, const ttir_type *type, ttir_value mask,
                      ttir_value other, lower_tensor *out);
/* There: (mode)= value. */
fe_status triton_write_to(triton *t, const ttir_op *op, loop_value value, ttir_value mask,
                          loop_store_mode mode);

/* ---- atomic.c ---- */
/* Is there, in the kernel, an operation that needs one program instance after the other? */
bool triton_has_turns(const ttir_kernel *kernel);
bool triton_uses_old(const ttir_kernel *kernel, const ttir_op *op); /* what was in memory before */

/* ---- extreme.c ---- */
/* An extreme of floats that a pair of atomic operations leaves. */
typedef struct triton_extreme {
    loop_store_mode mode;
    ttir_value number, mask; /* 0: no mask */
    bool is_done;            /* by the first of the two */
} triton_extreme;
/* Is the operation one of such a pair, of which nobody asks what was in memory before? */
bool triton_is_extreme(const ttir_kernel *kernel, const ttir_op *op, triton_extreme *out);

/* ---- branch.c ---- */
/* v, over the axes in front, where the branches around lead. */
triton_value triton_condition_of(triton *t, loop_value v);
/* The one value where the condition holds, a value over the axes in front, and else the other. */
fe_status triton_choose(triton *t, loop_value condition, triton_value a, triton_value b,
                        triton_value *out);
/* A value of the kernel that has been made. */
triton_value triton_made(triton *t, ttir_value v);

/* ---- meet.c ---- */
/* Marks, at the number of its argument, the memory that a loop (NULL: the kernel) writes to. */
void triton_find_written(const triton *t, const ttir_op *op, bool *marks);
/* Does a step of the loop read memory that another one may write, or write to it in two places? */
bool triton_meets_in_memory(const triton *t, const ttir_op *loop);

/* ---- region.c ---- */
/* The greatest of these integers, as a symbol that the run gives its value. */
sym_expr triton_most(triton *t, lower_tensor x);

/* ---- store.c ---- */
/* Memory of our own that nothing lazy reads. */
void triton_own(triton *t, triton_memory *m);
/* memory[offset] (mode)= value where the mask holds; all are over the axes of these sizes. */
fe_status triton_write(triton *t, triton_memory *m, uint32_t rank, const sym_expr *sizes,
                       loop_value offset, loop_value value, loop_value mask, loop_store_mode mode);
#endif
