/* target.h -- what kernels are made for: what it can, what a kernel may be, what things cost there.
 *
 * A row of target.def is a target: a CPU's instruction set, or a kind of device. The stages that choose
 * (sched/) and make (kern/) kernels go by its description and know none by name.
 */
#ifndef FERRITE_TARGET_H
#define FERRITE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* What one kernel may be. */
typedef struct target_limits {
    uint32_t nodes; /* value nodes in it */
    int64_t tile_bytes,
        lane_tile_bytes; /* local tile of one outer iteration; tiles of all lanes together */
    uint32_t parameters; /* buffers and ints; 0: as many as there are */
} target_limits;

/* How a work-group takes a product: so many rows and columns of it, summed up over so many steps at a
 * time from local memory, of which each work-item has each_rows * each_columns in registers. */
typedef struct target_tiles {
    uint32_t rows, columns, depth; /* 0: it does not */
    uint32_t each_rows, each_columns;
} target_tiles;

/* Thousandths of a nanosecond; what an operation on values costs is in its row of loop/value.def. */
typedef struct target_costs {
    int32_t load, store; /* of a vector, or of one number */
    int32_t load_lane, store_lane,
        index_lane; /* of each lane, where neighbours are not in memory */
    int32_t index, splat, check,
        other; /* an index or a scalar in lanes; that it is in range; the rest */
    int32_t mask,
        loop; /* what a comparison adds to an access; a loop that ends with a partial vector */
} target_costs;

/* What decides along which axis vectors go, counted in moves of a vector. */
typedef struct target_moves {
    double start;  /* a vector loop with a partial vector */
    double join;   /* joining the lanes of a sum */
    double prefix; /* the running results in a vector */
    double node;   /* an operation */
} target_moves;

/* Instructions that functions of floats are made with where there are any. */
enum {
    TARGET_FUSED = 1,  /* a * b + c, rounded once */
    TARGET_SCALES = 2, /* a * 2^b, of whole registers */
    TARGET_TABLES = 4  /* any lane of a register of 32 bytes for each */
};

typedef struct target_machine {
    const char *name;      /* "x86-64-v4": part of the cache key */
    uint32_t vector_bytes; /* of a register: 64, 32, 16 */
    bool plain;            /* no vector types, but what any C11 compiler takes: one lane */
    uint32_t can;          /* TARGET_FUSED, TARGET_SCALES and so on */
    bool no_f64;           /* there is no double */
    const char *flags[3];  /* that the C compiler is given; NULL ends them */
    const char
        *dialect;       /* of what is no CPU: the C that its kernels are in ("opencl"); else NULL */
    const char *driver; /* its driver's name in C, where it is ferrite's own; else NULL */
    target_limits limits;
    target_tiles tiles;
    target_costs costs;
    target_moves moves;
} target_machine;

/* The target of that name; NULL: there is none. Targets are never freed. */
const target_machine *target_named(const char *name);
/* The number-th, the best first; NULL: there are no more. */
const target_machine *target_at(uint32_t number);
/* The number-th kind of device; NULL: there are no more. */
const target_machine *target_device_at(uint32_t number);
/* Of a kind of device ("opencl"); NULL: no kernels are made for it. */
const target_machine *target_of_device(const char *kind);
/* Does what is made for `made_for` run where `here` is the best that does? */
bool target_runs(const target_machine *made_for, const target_machine *here);

#endif
