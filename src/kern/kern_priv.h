/* kern_priv.h -- kernel IR as data: values, accumulators, memories and loops of one kernel.
 *
 * A value is either a scalar (the same for all lanes) or a vector of kern_ir.lanes elements; the
 * builder decides which, so a printer never has to. Values are defined once, in the outermost loop
 * that they can be computed in. Indices are sym expressions over loop variables (i0, r0), kernel
 * integers (p0) and values (v7, a symbol that stands for value 7); none of them holds a number of
 * 16 or more except as a divisor.
 */
#ifndef FERRITE_KERN_PRIV_H
#define FERRITE_KERN_PRIV_H

#include "kern/kern.h"

typedef uint32_t kern_ref; /* number of a value; 0: none */

enum {
    KERN_MOST_LEVELS = 2 * LOOP_MAX_AXES + 8, /* of loops and cases */
    KERN_MOST_COPIES = 4,                     /* of an unrolled loop body */
    KERN_MOST_LANES = 16,
    KERN_MOST_BYTES = 64, /* of a vector: a register's */
    KERN_TABLE_SIZE = 8   /* f32 numbers: what a register of 32 bytes holds */
};

typedef enum kern_kind {
    KERN_NOTHING,
    KERN_CONST,  /* integer or number */
    KERN_NUMBER, /* `index` as an i64 */
    KERN_BELOW, /* a bool: is the number of the lane, from 0, below `index`, that of the first lane? */
    KERN_LOAD,   /* memory[index], where guard holds */
    KERN_APPLY,  /* op of args */
    KERN_SPLAT,  /* args[0], a scalar, in all lanes */
    KERN_RESULT, /* of an accumulator, after its loops; of a running one, within them */
    /* what legal/ makes */
    KERN_CALL,      /* callee of args */
    KERN_PARAMETER, /* of a function */
    KERN_EACH,      /* op of args, lane by lane, by the library of the language that is printed */
    KERN_VARIABLE,  /* starts as args[0]; lines set it to other values */
    KERN_READ,      /* what args[0] is now: a variable, one of its copies, or a value */
    KERN_COUNT,     /* i64: how many lanes there are in a step of a loop, */
    KERN_HALF, /* i64: and of two numbers for each of them, args[0], those in vector `copy` of two */
    KERN_TAIL,   /* bool: and which */
    KERN_FUSED,  /* args[0] * args[1] + args[2], rounded once */
    KERN_SCALE,  /* args[0] * 2^args[1], a whole number */
    KERN_HALVES, /* u64: the product of the low halves of args[0] and args[1] */
    KERN_TABLE,  /* table[args[0] mod KERN_TABLE_SIZE], args[0] an integer as wide as its numbers */
    KERN_SHUFFLE, /* lane l is lane pattern[l] of args[0] and args[1], one behind the other */
    KERN_FIRST,   /* lane 0 of args[0], a scalar */
    KERN_LANE,    /* lane `index` of args[0], a scalar; UNIT: taken from where args[0] was loaded */
    KERN_ANY,     /* is any lane of args[0], a mask, set? */
    KERN_JOIN     /* op of args[0] as all work-items of the group have it */
} kern_kind;

typedef struct kern_function kern_function;

/* How the lanes of a vector lie in memory. */
typedef enum kern_access {
    KERN_ONE,  /* one element: a scalar */
    KERN_UNIT, /* neighbours */
    KERN_LANES /* anywhere: the index is computed lane by lane */
} kern_access;

/* Every second element: where nothing need be behind the last one; or the firsts, or seconds, of pairs that
 * are all there, as the parts of complex numbers are. */
typedef enum kern_pairs { KERN_NO_PAIRS, KERN_EVENS, KERN_FIRSTS, KERN_SECONDS } kern_pairs;

typedef struct kern_value {
    kern_kind kind;
    loop_opcode op; /* APPLY, EACH, JOIN */
    ty_dtype dtype;
    bool vector;
    uint32_t level;     /* of the loop whose body defines it; 0: the function's */
    kern_ref args[3];   /* APPLY, SPLAT; CALL, EACH, FUSED and so on */
    kern_ref guard;     /* LOAD: a bool; 0: always */
    kern_ref count;     /* LOAD, NUMBER of a legal kernel: of the lanes; 0: all */
    uint32_t memory;    /* LOAD: index in memories */
    kern_access access; /* LOAD, NUMBER */
    kern_pairs pairs;   /* LOAD of LANES */
    uint32_t
        repeats; /* LOAD of LANES: of neighbours, each so many times, from a multiple of that on; or 0 */
    bool turned;  /* LOAD of LANES: neighbours are in the next rows of the square */
    bool gathers; /* LOAD of LANES in a legal kernel: of elements args[0], by a mask */
    /* LANES: mostly neighbours, up or down, or all the same. In a legal kernel: the index is that of the
     * first lane, and UNIT are that one and those behind it */
    bool runs;
    sym_expr index;              /* LOAD, NUMBER */
    uint32_t sum;                /* RESULT: index in sums */
    uint32_t copies;             /* VARIABLE: of a loop that is unrolled further in; else 1 */
    uint32_t copy;               /* READ: of a variable that has several; HALF */
    const kern_function *callee; /* CALL */
    const uint8_t *pattern;      /* SHUFFLE */
    const double *table;         /* TABLE: KERN_TABLE_SIZE numbers of its dtype */
    bool wide;                   /* CALL: of an f64 made of each f32; the result is rounded back */
    union {                      /* CONST */
        int64_t integer;
        double number[2];
    };
} kern_value;

/* How the lanes of a vector that moves unevenly may all lie: a set. */
enum { KERN_UP = 1, KERN_DOWN = 2, KERN_SAME = 4 };

/* A buffer argument, or a tile that lives in one iteration of the rows. */
typedef struct kern_memory {
    const char *name;      /* of the buffer in the program */
    loop_buffer_id buffer; /* LOOP_NO_BUFFER: read from text, no program around */
    ty_dtype dtype;
    bool is_tile, is_read, is_written;
    uint32_t number;   /* b<number> or t<number> */
    sym_expr elements; /* tile */
} kern_memory;

/* An accumulator. */
typedef struct kern_sum {
    ty_dtype dtype;
    loop_reduce reduce;
    ty_dtype place;  /* ARG reductions: of the number of an element while they run */
    bool vector;     /* one partial result a lane */
    bool across;     /* the result joins the lanes */
    uint32_t copies; /* as many as the vector loop is unrolled; partial results when across */
    bool running;    /* a scan: its result is taken at every step */
    /* float sums over many elements: partial sums move to a compensated total now and then */
    bool blocked;
    bool shared; /* each work-item of the group has a part of it */
} kern_sum;

typedef struct kern_store {
    uint32_t memory;
    kern_access access;
    sym_expr index;
    kern_ref value;
    kern_ref count; /* in a legal kernel: of the lanes that are stored; 0: all */
    loop_store_mode mode;
    bool atomic; /* other work-items may be at the same element */
    bool runs;   /* UNIT of a legal kernel: from the first lane's index on */
    bool whole;  /* UNIT: what is written after the last element does not matter (tiles) */
} kern_store;

/* The value is in [0, size) where the guard holds: indices may be made of it. Where it is not, the
 * kernel reports the check of that number and is left. */
typedef struct kern_bound {
    kern_ref value; /* i64; i32 where that is known */
    kern_ref guard; /* a bool; 0: always */
    kern_ref among; /* in a legal kernel: the lanes that there are; 0: all */
    sym_expr size;  /* made of ints */
    bool is_known;  /* it cannot be outside: nothing is checked */
    uint32_t number;
} kern_bound;

typedef enum kern_item_kind {
    KERN_DEFINE, /* value */
    KERN_STORE,
    KERN_START,  /* sum */
    KERN_UPDATE, /* sum, value; flat: the element's number (ARG reductions) */
    KERN_BOUND,  /* bound */
    KERN_LOOP,
    KERN_SET, /* a legal kernel: the variable takes the value, outside of its loop in all copies; flat: lane
                 `flat` of it does */
    KERN_TRANSPOSE, /* a legal kernel: store.memory, a tile of as many rows of lanes as there are lanes */
    KERN_LEAVE,  /* a function: value, a call, is the result if bound.guard holds for any lane */
    KERN_RETURN, /* a function: value */
    KERN_BARRIER /* the group's work-items see what all of them have stored */
} kern_item_kind;

typedef struct kern_loop kern_loop;
typedef struct kern_item {
    kern_item_kind kind;
    kern_ref value, variable;
    uint32_t sum;
    sym_expr flat;
    kern_store store;
    kern_bound bound;
    kern_loop *loop;
} kern_item;

typedef enum kern_loop_kind {
    KERN_BODY,     /* the function: no loop */
    KERN_ROWS,     /* [m0, m1) of the flattened outer axes */
    KERN_SEQUENCE, /* one step at a time */
    KERN_VECTOR,   /* lanes * unroll at a time; the last step may be partial */
    KERN_BLOCKS,   /* a legal kernel: a block at a time, which a loop in it runs over */
    /* a legal kernel: rows and columns in squares, which loops in it over the last outer axis and over
     * `symbol` run over; none goes over the end of the outer axis */
    KERN_SQUARES,
    KERN_EACH_LANE, /* a legal kernel: one lane of a step after the other, `count` of them */
    KERN_WHEN,      /* a legal kernel: once, where `condition` holds */
    KERN_OTHERWISE  /* right behind it: where it does not */
} kern_loop_kind;

struct kern_loop {
    kern_loop_kind kind;
    sym_expr symbol, extent; /* SEQUENCE, VECTOR */
    sym_expr number;         /* SEQUENCE in a square: counts its steps from 0; or none */
    int64_t block;           /* not 0: cut into blocks of this many elements */
    bool columns;            /* VECTOR, SEQUENCE: over [n0, n1), */
    sym_expr at; /* or, if it has an extent, over those from this one on: `symbol` counts from it */
    bool exact;  /* VECTOR: the extent is a multiple of the step */
    bool in_block; /* right inside BLOCKS, or in SQUARES: over the block alone */
    bool shared;   /* SEQUENCE: its steps are dealt out to the group's work-items */
    kern_ref count,
        mask; /* of a legal kernel: COUNT and TAIL of the step, or 0; LANES: of the loop around */
    kern_ref condition; /* WHEN: a bool */
    uint32_t level;     /* how deep it is */
    uint32_t unroll;    /* copies of each vector in the body, lanes apart */
    /* sums whose partial results move to their totals after the loop, or after each block of it */
    VEC(uint32_t) drains;
    VEC(kern_item) items;
};

struct kern_ir {
    sym_table *symbols;
    const char *name; /* what it computes: "k_sum_exp" */
    uint32_t group;   /* of the schedule */
    uint32_t lanes;   /* 1: a scalar kernel */
    uint32_t outer;
    sym_expr axes[LOOP_MAX_AXES];
    sym_expr extents[LOOP_MAX_AXES]; /* of the outer axes; none where it does not matter */
    sym_expr first_extent; /* of the first of them in the program's sizes; none: read from text */
    bool serial;           /* m0 is 0, m1 is 1: the kernel runs over all outer iterations itself */
    sym_expr total;        /* serial: how many */
    bool columns;          /* cut into [n0, n1) as well */
    bool squares;       /* to be taken in pieces of as many rows and columns as there are lanes */
    bool by_groups;     /* a work-group takes a row, not one work-item */
    target_tiles tiles; /* a work-group takes a tile of rows, of a product: product.c; or none */
    bool outer_vector;  /* lanes are neighbours along the last outer axis */
    VEC(kern_value) values; /* [0] unused */
    VEC(kern_memory) memories;
    VEC(kern_sum) sums;
    VEC(sym_expr) params;      /* what p0, p1, ... stand for */
    VEC(sym_expr) nonnegative; /* dividends that are, which their shape does not show */
    /* by number of the check: the symbol of the program's that it is about; empty when read from text */
    VEC(sym_expr) checks;
    uint32_t buffer_count, tile_count;
    kern_loop *body;
};

/* How a function is printed. */
typedef enum kern_manner {
    KERN_INLINE,
    KERN_APART, /* too large to be inlined everywhere */
    KERN_RARE   /* hardly ever called */
} kern_manner;

/* A straight line of values of one number of lanes, which may be left early. */
struct kern_function {
    const char *name;           /* "exp_f32x16" */
    const char *base;           /* "exp" */
    ty_dtype dtype;             /* that it works in, */
    ty_dtype parameter, result; /* and theirs: another for a conversion */
    uint32_t parameter_count;   /* values 1, 2, ... of the code */
    bool scalar;                /* the result is one number */
    kern_manner manner;
    kern_ir *code; /* no loops, no memory */
};

/* ---- legal/: a kernel for a target ---- */
/* "exp_f32x16" */
const char *kern_function_name(const char *base, ty_dtype dtype, uint32_t lanes, arena *memory);
/* The kernel as the printer is given it: with calls of functions of the library, and accumulators as
 * variables. */
kern_ir *kern_legal(const kern_ir *k, kern_library *library, const target_machine *target);
/* Is it such a kernel, of more than one lane? It cannot be taken to one. */
bool kern_is_lowered(const kern_ir *k);

/* Does it give the place of an element? */
static inline bool kern_is_arg(loop_reduce reduce)
{
    return reduce == LOOP_ARGMIN || reduce == LOOP_ARGMAX;
}

/* ---- param.c: sizes and strides as integers of the kernel ---- */
/* e with everything that no loop variable or value is part of as p<k>, but for numbers under 16. */
sym_expr kern_param_expr(kern_ir *k, sym_expr e, const sym_env *env, arena *memory);
/* Is name "v12", with letter v? number: 12. */
bool kern_is_numbered(const char *name, char letter, uint32_t *number);
sym_expr kern_param_symbol(const kern_ir *k, uint32_t number);
/* Is e never negative, going by its shape and what the kernel says? */
bool kern_is_natural(const kern_ir *k, sym_expr e);
/* Is there a division in it, or a remainder? */
bool kern_divides(const kern_ir *k, sym_expr e);
/* The value that a symbol stands for, or 0. */
kern_ref kern_symbol_value(const kern_ir *k, sym_expr symbol);
/* Is e made of some value? It may be in range where a mask says so alone. */
bool kern_holds_values(const kern_ir *k, sym_expr e);
/* Are these neighbours in memory that the kernel does not change? */
bool kern_stays_in_memory(const kern_ir *k, const kern_value *v);
sym_expr kern_value_symbol(const kern_ir *k, kern_ref value);

/* ---- slope.c ---- */
/* The ways in which lanes along the axis may all lie, where the first and the last tell; 0: they do
 * not tell. */
uint32_t kern_runs(const kern_ir *k, sym_expr index, sym_expr axis);
/* How many lanes, a power of two, have each element where an axis divided by that counts elements up; 0: no
 * division is all that the index has of it. */
uint32_t kern_repeats(const kern_ir *k, sym_expr index, sym_expr axis);
bool kern_repeats_by(const kern_ir *k, sym_expr index, sym_expr axis, uint32_t times);
/* Does what turns lanes over, a division, do so less than once a vector? */
bool kern_runs_far(const kern_ir *k, sym_expr index, sym_expr axis);

/* ---- build.c: a group as kernel IR ---- */
fe_status kern_lower(const sched_schedule *s, const sched_group *g, const target_machine *target,
                     arena *memory, kern_ir **out);

/* ---- parts.c: complex numbers as two reals ---- */
/* Can the operation on complex numbers, or one, be said in operations on their parts? So stored? */
bool kern_has_parts(loop_opcode op);
bool kern_stores_parts(loop_reduce reduce, loop_store_mode mode);

/* ---- scalar.c ---- */
/* The kernel at one lane, called in the same way. */
kern_ir *kern_one_lane(kern_ir *vectors, arena *memory);

/* ---- kern.c ---- */
/* Does it check indices, and say which one is out of range? */
bool kern_reports(const kern_ir *k);

/* ---- group.c: rows that a work-group takes ---- */
/* Shares the rows' loops out among the work-items of a group of that size, where each of so many rows is
 * worth it. */
void kern_share_rows(kern_ir *k, int64_t rows, uint32_t group, arena *memory);
/* A work-item takes a row again, and rows come one by one: no store has to be atomic. */
void kern_take_alone(kern_ir *k);

/* ---- product.c: rows that work-groups take in tiles ---- */
/* A kernel whose rows are one sum of x * y each, with lines that make their results of it behind it.
 * Axes that x alone is made of number rows of the product, those of y alone its columns; others are
 * those of products side by side. */
typedef struct kern_product {
    const kern_loop *rows;
    uint32_t at; /* of the rows' items: the first of the loops in each other that add up */
    const kern_loop *loops[LOOP_MAX_AXES];
    uint32_t loop_count;
    kern_ref left, right;           /* x and y, or the other way round: the last axis is no row's */
    uint32_t left_axes, right_axes; /* bit sets: of the rows, of the columns */
    const uint32_t *made_of;        /* by value: the outer axes; and more */
    kern_ref variable;              /* of a legal kernel: the sum */
    uint32_t sum;                   /* else */
    kern_ref added;                 /* what is added up, or what the variable is set to */
} kern_product;
/* False: it is none. */
bool kern_find_product(const kern_ir *k, arena *memory, kern_product *out);
/* Rows of a product are taken in the target's tiles where its usual sizes are worth it. */
void kern_tile_product(kern_ir *k, const target_machine *target, arena *memory);
/* How many tiles there are, in the kernel's ints. */
sym_expr kern_tile_count(const kern_ir *k, arena *memory);
/* Work-items of a tile; 0: rows are taken otherwise. */
static inline uint32_t kern_tile_items(const kern_ir *k)
{
    const target_tiles *t = &k->tiles;
    return t->rows ? t->rows / t->each_rows * (t->columns / t->each_columns) : 0;
}
/* Does v only hold where both sides meet? */
bool kern_is_of_both(const kern_product *p, kern_ref v);

/* ---- cost.c ---- */
/* The usual value of an expression in the kernel's ints; at least 1. */
int64_t kern_usual(const kern_ir *k, sym_expr e, arena *memory);
/* kern_call.cost */
int64_t kern_cost(const kern_ir *k, const target_costs *costs, arena *memory);

/* ---- print.c: its text ---- */
void kern_print_ir(const kern_ir *k, text *out);
/* What two groups have in common whose kernel is one: the text without the group, its buffers and the values
 * of its ints. */
void kern_print_identity(const kern_ir *k, text *out);
/* What a load of pairs is called. */
extern const char *const kern_pairs_names[KERN_SECONDS + 1];
/* One line of it. */
void kern_print_item(const kern_ir *k, const kern_item *item, text *out);

/* A function. */
void kern_print_code(const kern_function *f, text *out);

/* ---- check.c: laws K1 to K8 ---- */
fe_status kern_check(const kern_ir *k);
fe_status kern_check_function(const kern_function *f, fe_session *session);

/* ---- c/kernel.c: a kernel as a C function ---- */
void kern_print_c(const kern_ir *k, const char *name, text *out, kern_needs *needs);
/* ---- c/check.c ---- */
/* Says which operation of the kernel cannot be generated. */
fe_status kern_check_c(const kern_ir *k);
/* Names that a kernel's text mentions and the prelude must define. */
struct kern_needs {
    arena *memory;
    bool plain;            /* target.plain */
    const char *dialect;   /* target.dialect */
    kern_library *library; /* of the functions among them */
    map known;             /* interned name -> index */
    VEC(const char *) names;
};

#endif
