/* build_priv.h -- what build.c (loops) and value.c (expressions) share while a group becomes kernel
 * IR. */
#ifndef FERRITE_KERN_BUILD_PRIV_H
#define FERRITE_KERN_BUILD_PRIV_H

#include "kern/kern_priv.h"

/* A bound that holds in an open loop of that level. */
typedef struct kern_kept {
    kern_bound bound;
    uint32_t level;
} kern_kept;

typedef enum kern_touched { KERN_STORED = 1, KERN_LOADED /* or both */ } kern_touched;

typedef struct kern_builder {
    const sched_schedule *schedule;
    loop_program *p;
    sym_table *t;
    arena *memory;
    const sched_group *g, *scheduled; /* g: with complex numbers in parts, if there are */
    const target_machine *target;
    kern_ir *k;
    sched_vector vector; /* what the lanes go along: the group's, or better */
    /* open[0] is the function, open[1] the rows, then the loops of the phase at hand. */
    kern_loop *open[KERN_MOST_LEVELS];
    uint32_t depth;                     /* of the innermost */
    sym_bound bounds[KERN_MOST_LEVELS]; /* of all open loops, outer axes first */
    uint32_t bound_count;
    uint32_t bound_level[KERN_MOST_LEVELS];
    sym_expr vector_axis;  /* or none */
    uint32_t vector_level; /* of its loop */
    /* What has been computed already. Entries go when the loop that they are in closes. */
    map memo;
    struct {
        VEC(uint64_t) keys;
    } noted[KERN_MOST_LEVELS];
    bool columns;                  /* the one inner axis is cut into [n0, n1) */
    bool squares;                  /* rows are taken in squares */
    uint32_t order[LOOP_MAX_AXES]; /* of the group's outer axes among the rows */
    map is_atomic;                 /* buffers that several work-items may add to at once */
    bool serial;                   /* outer iterations may write the same element */
    bool in_parts;                 /* complex numbers are two reals each (parts.c) */
    bool unbounded_tile;           /* a tile whose size is not known ahead */
    int64_t tile_bytes;            /* of all tiles */
    bool moving_tile; /* lanes that run along rows read different elements of their tiles */
    map memory_of;    /* loop_buffer_id -> index in memories */
    /* loop_buffer_id -> sched_local */
    map is_local;
    map touched;    /* loop_buffer_id -> kern_touched, so far */
    map is_written; /* loop_buffer_id -> 1 */
    VEC(kern_kept) bounded;
    loop_facts facts; /* the conditions of the masks that are being built */
    map loads;        /* loop_value id -> 1 when it holds a load, 0 when not */
} kern_builder;

/* A store of a reduction under way. */
typedef struct kern_pending {
    const loop_store *store;
    uint32_t sums
        [2]; /* of each part; UINT32_MAX: none, of a store that does not reduce in a nest that does */
} kern_pending;
typedef VEC(kern_pending) kern_pending_list;

/* ---- survey.c ---- */
/* symbol runs over [0, extent) in the loop at hand. */
void kern_bind(kern_builder *b, sym_expr symbol, sym_expr extent);
/* Fills is_written, is_local, serial; clears columns where these may not be cut. */
void kern_survey(kern_builder *b);
void kern_size_tiles(kern_builder *b);

/* ---- parts.c ---- */
bool kern_has_complex(const loop_program *p, const sched_group *g);
/* The group with complex numbers in parts; NULL: an operation on them cannot be said so. */
const sched_group *kern_in_parts(loop_program *p, const sched_group *g, arena *memory);
/* Where part 0 or 1 of a complex number is, in reals. */
sym_expr kern_part_index(sym_table *t, sym_expr index, uint32_t which);
/* What a store stores: itself, or both parts. Returns how many. */
uint32_t kern_parts_of(kern_builder *b, const loop_store *st, loop_store out[2]);

/* ---- shape.c ---- */
/* Does one partial result take many terms, going by example sizes? */
bool kern_is_long(kern_builder *b, const sched_phase *ph, bool vector);
/* Short bodies of reductions are unrolled so that accumulators do not wait for themselves; loops
 * are exact if they can be. */
void kern_shape_loop(kern_builder *b, kern_loop *loop, sym_expr extent,
                     const kern_pending_list *list);
/* Rows of which several vectors go side by side: neighbouring memory is read together. */
void kern_widen_rows(kern_builder *b, kern_loop *rows);
/* Where long float sums move their partial results to the totals: after so many steps of a long
 * loop, or after each run of loops that are long together. */
void kern_place_drains(kern_builder *b, const sched_phase *ph, const kern_pending_list *list);

/* ---- cut.c ---- */
/* A piece of a loop: so many steps from `first` on. */
typedef struct kern_span {
    sym_expr first, extent;
    bool is_single; /* they are taken one by one, not in vectors */
    int64_t cost;
} kern_span;
typedef VEC(kern_span) kern_spans;
/* The pieces that the innermost loop of a phase without reductions is cut into: one, where it is not. */
void kern_find_spans(kern_builder *b, const sched_phase *ph, kern_spans *out);
/* The nest in the piece whose loop is open: the axis counts from its first step. */
loop_op kern_nest_in(kern_builder *b, const loop_op *nest, sym_expr axis, const kern_span *span);

/* ---- squares.c ---- */
/* Are rows taken in squares? axis: the outer one that goes last then. */
bool kern_find_squares(kern_builder *b, uint32_t *axis);

/* ---- value.c ---- */
/* The value v where `guard` holds (0: everywhere), defined in the outermost loop possible. */
kern_ref kern_build_value(kern_builder *b, loop_value v, kern_ref guard);
kern_ref kern_cast(kern_builder *b, kern_ref v, ty_dtype to);
kern_ref kern_apply_not(kern_builder *b, kern_ref v);
kern_ref kern_apply_and(kern_builder *b, kern_ref x, kern_ref y);
/* below.c: a comparison of indices that move with the lanes, as a mask of the first; false: it is none. */
bool kern_build_below(kern_builder *b, const loop_node *n, kern_ref guard, kern_ref *made);
/* What a node has as an expression: an index, or a number. */
bool kern_is_index(kern_builder *b, loop_value v, sym_expr *out);
/* The same number in every lane. */
kern_ref kern_as_vector(kern_builder *b, kern_ref v);
/* An index in terms of the kernel; how the lanes lie; whether they are equally spaced; the level
 * where it is known. */
typedef struct kern_spot {
    sym_expr index;
    kern_access access;
    bool spaced;
    int64_t stride; /* when spaced by a known number */
    uint32_t level;
} kern_spot;
kern_spot kern_place(kern_builder *b, sym_expr index, kern_ref guard);
/* ---- bound.c ---- */
/* Makes sure that the value behind an indirect symbol keeps its bound where the guard holds; the
 * level from which on it does. */
uint32_t kern_keep_bound(kern_builder *b, sym_expr symbol, kern_ref value, kern_ref guard);
void kern_forget_bounds(kern_builder *b, uint32_t level);

/* ---- value.c ---- */
uint32_t kern_memory_of(kern_builder *b, loop_buffer_id buffer);
sym_expr kern_tile_index(kern_builder *b, uint32_t memory, sym_expr index);
kern_ref kern_add_value(kern_builder *b, kern_value v);
/* Loads of buffer[index] (index as in the nest) take `value` from now on. */
void kern_forward(kern_builder *b, loop_buffer_id buffer, sym_expr index, kern_ref value);
/* After a store: what was loaded from the buffer before must be loaded again. */
void kern_forget_loads(kern_builder *b, loop_buffer_id buffer);

/* ---- lanes.c ---- */
/* The bytes of the largest element that lanes hold, 4 or 8. */
uint32_t kern_widest_vector(const kern_ir *k);
/* Do lanes gather in rows that half of them hold? */
bool kern_has_short_gathers(const kern_builder *b, uint32_t lanes);

#endif
