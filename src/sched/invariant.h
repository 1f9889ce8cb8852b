/* invariant.h -- what changes the values of a nest, and what they are needed for. */
#ifndef FERRITE_SCHED_INVARIANT_H
#define FERRITE_SCHED_INVARIANT_H

#include "sched/sched_priv.h"

/* One value of a nest. Sets of loops: a bit each, parallel axes first. */
typedef struct found_value {
    uint32_t id;
    uint32_t loops;    /* that change it */
    bool is_fixed;     /* it cannot be moved: it reads what the nest writes, or only there */
    bool is_masked;    /* it is used where a condition holds alone */
    bool is_index;     /* it says where something is loaded or stored */
    bool is_condition; /* it says where something may be loaded */
    bool is_compared;  /* by such a one */
    bool holds_facts;  /* it is made of one that is */
    bool is_boundary;  /* something uses it that more loops change */
    bool is_moved;
    uint32_t costing; /* the last that it was counted in */
} found_value;

/* A nest while its values are looked at. */
typedef struct nest_values {
    loop_program *p;
    arena *memory;
    uint32_t *place; /* by value: 1 + where it is in `found` */
    uint32_t place_count;
    const loop_op *op;
    VEC(found_value) found; /* operands first */
    uint32_t all;           /* its loops, but those that run once */
    uint32_t inner;         /* the one that most elements are side by side along */
    uint32_t user;          /* whose operands are looked at */
    bool user_is_index;
} nest_values;

/* For any nest of the program, in scratch memory. */
nest_values invariant_begin(loop_program *p, arena *memory);
/* The values of the nest; false: it is not worth while, or there are too many. */
bool invariant_find(nest_values *m, const loop_op *op);
/* NULL: it is none of them. Valid until the next nest. */
found_value *invariant_at(nest_values *m, loop_value v);
/* Is it needed where its users are, whatever it costs? */
bool invariant_must_stay(const nest_values *m, const found_value *f);

/* ---- loops of the nest: axes, then reduction axes ---- */
sym_expr invariant_loop(const nest_values *m, uint32_t k);
sym_expr invariant_extent(const nest_values *m, uint32_t k);
uint32_t invariant_loop_count(const nest_values *m);
/* Of a set of loops, at the sizes that are usual. */
double invariant_points(const nest_values *m, uint32_t loops);

#endif
