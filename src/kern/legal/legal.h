/* legal.h -- kernel IR lowered for a target, as printers are given it. Loops say how many lanes a step has,
 * and lines what they do with them (kernel.c); accumulators become variables and operations on them (sum.c),
 * indices of gathers values (gather.c), what lies anywhere is taken lane by lane (lane.c), and all at once
 * where it mostly lies in one way (way.c), squares are loops (square.c). Operations that processors have no
 * instruction for become calls of functions, which are kernel IR too.
 *
 *     function tanh_f64x8 (v1 : f64x8) {
 *       v2 : f64x8 = abs v1
 *       v3 : f64x8 = min 22.0, v2
 *       v4 : f64x8 = add v3, v3
 *       v5 : f64x8 = call expm1_f64x8 v4
 *       v6 : f64x8 = add v5, 2.0
 *       ...
 *       return v11
 *     }
 *     kernel k_tanh group 0 lanes 8 ints [1000]
 *       ...
 *         v2 : f64x8 = call tanh_f64x8 v1
 *
 * A function is a straight line of primitives over one number of lanes, 1 included: arithmetic,
 * comparisons and selections, operations on bits, conversions, roots and rounding, the less and the
 * larger of a constant and a value, `fused` and `scale` where the target has them, and calls of functions
 * before it. `apart` says that it is too large to be inlined everywhere, `rare` that it is hardly ever
 * called. It may be left early for what is done otherwise as soon as it holds for one lane:
 *
 *       leave v3 with call farsin_f32x16 v1
 *
 * `each sin v1` takes the lanes one by one to the function of the library that the printed language
 * has; `call wide erfc_f64x8 v1` is of numbers made f64, in as many lanes as registers have room for, and
 * rounds back. `shuffle v1, v2 [0, 8, 1, 9, ...]` has lanes of both, `first v1` is one number: what joins
 * the lanes of an accumulator is made of these (lanes.c), and called where its result is taken.
 *
 * The functions are written as formulas, in the .def files here, whose language formula.c reads: for
 * one dtype, one number of lanes and what the target can. polynomial.c has those that are rows of
 * coefficients, piecewise.c those that are several of these by tables: `table v4 [0.0, 0.25, ...]` is the
 * number that the low bits of v4 name. run.c runs functions and kernels on numbers.
 */
#ifndef FERRITE_KERN_LEGAL_H
#define FERRITE_KERN_LEGAL_H

#include "kern/kern_priv.h"

/* Functions for one target, each made once, behind those that it calls. */
struct kern_library {
    arena *memory;
    const target_machine *target;
    bool scalars; /* one number has no library of functions either: kernels call these for it too */
    map known;    /* interned name -> index */
    VEC(const kern_function *) functions;
    uint32_t verified; /* so many of them */
};

kern_library *kern_library_new(const target_machine *target, arena *memory);
/* "exp", f32, 16: exp_f32x16; NULL: there is none, it is an operation of the printer's. */
const kern_function *kern_library_find(kern_library *library, const char *base, ty_dtype dtype,
                                       uint32_t lanes);
/* One that is there already: read from text. */
const kern_function *kern_library_named(const kern_library *library, const char *name);
void kern_library_add(kern_library *library, const kern_function *f);

/* ---- formula.c ---- */
typedef enum kern_formula_manner {
    FORMULA_INLINE,
    FORMULA_APART,
    FORMULA_RARE,
    FORMULA_PARTS
} kern_formula_manner;
typedef struct kern_formula {
    const char *name;
    uint32_t dtypes; /* bit set */
    uint32_t needs;  /* of target.can; the first row that has what it needs is taken */
    kern_formula_manner manner;
    const char *parameters; /* "(x, y)" */
    const char *text;
} kern_formula;
/* What it is for that dtype and target, or NULL. */
const kern_formula *kern_formula_find(const target_machine *target, const char *name,
                                      ty_dtype dtype, uint32_t lanes);
/* The function of a formula that has no parts. */
const kern_function *kern_formula_function(kern_library *library, const kern_formula *formula,
                                           ty_dtype dtype, uint32_t lanes);

/* ---- polynomial.c ---- */
/* p * x + k */
kern_ref kern_function_step(kern_library *library, kern_function *f, kern_ref p, kern_ref x,
                            kern_ref k);
/* The polynomial of that name, or NULL. */
const kern_function *kern_polynomial(kern_library *library, const char *base, ty_dtype dtype,
                                     uint32_t lanes);

/* ---- piecewise.c ---- */
/* The function by tables of that name, or NULL. */
const kern_function *kern_piecewise(kern_library *library, const char *base, ty_dtype dtype,
                                    uint32_t lanes);

/* ---- lanes.c ---- */
/* joinadd, scanmax, last, turned, repeat2, evens, firsts, lows ...; NULL: it is none of these. */
const kern_function *kern_lanes(kern_library *library, const char *base, ty_dtype dtype,
                                uint32_t lanes);

/* ---- legal.c ---- */
/* Is it an operation that printers know for lanes? */
bool kern_is_primitive(loop_opcode op);
/* A function without code; parameters are values 1, 2, ... of its dtype. */
kern_function *kern_function_new(kern_library *library, const char *base, ty_dtype dtype,
                                 uint32_t lanes, uint32_t parameters);
/* Values behind the first `kept` are numbered anew, constants behind all others: as they are when read
 * from text. */
void kern_renumber(kern_ir *k, uint32_t kept, arena *memory);
kern_ref kern_function_number(kern_library *library, kern_function *f, ty_dtype dtype,
                              double number, int64_t integer);
kern_ref kern_function_define(kern_library *library, kern_function *f, kern_value v);
void kern_function_return(kern_library *library, kern_function *f, kern_ref value);

/* ---- kernel.c, sum.c, gather.c, lane.c, way.c, square.c: kernels ---- */
/* What an accumulator is made of. */
typedef struct kern_parts {
    kern_ref partial;     /* a variable, with the accumulator's copies */
    kern_ref place;       /* ARG reductions: beside it */
    kern_ref total, lost; /* compensated; `lost` alone where each step is */
    kern_ref prefixes;    /* running across lanes: the results of the vector at hand */
} kern_parts;

/* A kernel while it is made legal, line by line. */
typedef struct kern_lowering {
    kern_library *library;
    arena *memory;
    kern_ir *k; /* values and the new body; accumulators are as they were */
    const kern_ir *from;
    kern_loop *loop;   /* that lines go to */
    kern_loop *vector; /* that the lanes run along, or NULL */
    kern_parts *parts; /* by accumulator */
    sym_expr square;   /* in squares: the number of the row in its square; else none */
    bool no_f64;       /* the target has no double */
} kern_lowering;

/* What joins two partial results; of arg reductions, the better of two. */
loop_opcode kern_step_of(loop_reduce reduce);
/* Appends to the loop at hand. */
void kern_lower_into(kern_lowering *lo, kern_item item);
/* A loop like that one, without its lines, is at hand; returns the loop that was. */
kern_loop *kern_lower_open(kern_lowering *lo, const kern_loop *like);
/* The lines of a loop into the one at hand. */
void kern_lower_items(kern_lowering *lo, const kern_loop *from);
/* An axis that no loop runs over. */
sym_expr kern_lower_new_axis(const kern_lowering *lo);
/* A load, or an index, whose lanes are no neighbours, and a store: lane by lane. */
void kern_lower_load_lanes(kern_lowering *lo, kern_ref ref);
/* The variable takes the load, lane by lane, */
void kern_lower_each_lane(kern_lowering *lo, kern_ref variable, kern_value load);
/* or all lanes at once where they lie so. */
void kern_lower_ways(kern_lowering *lo, kern_ref variable, kern_value load);
void kern_lower_store_lanes(kern_lowering *lo, kern_store store);
/* Rows that are to be taken in squares. */
void kern_lower_squares(kern_lowering *lo, const kern_loop *rows);
/* A new value, defined in the loop at hand. */
kern_ref kern_lower_value(kern_lowering *lo, kern_value v);
kern_ref kern_lower_constant(kern_lowering *lo, kern_value v);
/* A function of the library, of one or two vectors. */
kern_ref kern_lower_call(kern_lowering *lo, const char *base, kern_ref a, kern_ref b);
/* op of a and b as they are; a comparison gives bools. */
kern_ref kern_lower_apply(kern_lowering *lo, loop_opcode op, kern_ref a, kern_ref b);
kern_ref kern_lower_splat(kern_lowering *lo, kern_ref x);
/* That the lanes run along. */
sym_expr kern_lower_axis(const kern_lowering *lo);
/* The load, if it is one: its index is computed in front of it (gather.c). */
void kern_lower_gather(kern_lowering *lo, kern_ref load);
/* How many lanes there are, and which; 0: all. */
kern_ref kern_lower_count(kern_lowering *lo);
kern_ref kern_lower_mask(kern_lowering *lo);
void kern_lower_start(kern_lowering *lo, uint32_t sum);
void kern_lower_update(kern_lowering *lo, const kern_item *item);
/* Partial results go to the total. */
void kern_lower_drain(kern_lowering *lo, uint32_t sum);
/* The value, a RESULT, becomes what it is made of. */
void kern_lower_result(kern_lowering *lo, kern_ref ref);

/* ---- run.c ---- */
/* The function, of one lane, of numbers of its dtype. `memory` has what the run needs, while it does. */
typedef union kern_number {
    double real;     /* of floats */
    int64_t integer; /* of the others, extended as their dtype says */
} kern_number;
kern_number kern_function_run(const kern_function *f, const kern_number *args, arena *memory);
/* What a kernel is called with. */
typedef struct kern_piece {
    void *const *buffers;
    const int64_t *ints;
    int64_t m0, m1, n0, n1;
} kern_piece;
/* The kernel, legal and of one lane, over the piece; false: a check failed, and it was left. */
bool kern_run(const kern_ir *k, const kern_piece *piece, arena *memory);

/* ---- pair.c ---- */
/* How many numbers of the pairs at hand are in vector 0 or 1 of the two; 0: all of its lanes. */
kern_ref kern_lower_half_count(kern_lowering *lo, uint32_t half);
/* Stores both if they are the two of each pair; false: they are not. */
bool kern_lower_pair(kern_lowering *lo, const kern_item *a, const kern_item *b);

#endif
