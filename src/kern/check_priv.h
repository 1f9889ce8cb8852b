/* check_priv.h -- what check.c (lines and loops) and check_value.c (operands, indices, values) share
 * while a kernel is verified. */
#ifndef FERRITE_KERN_CHECK_PRIV_H
#define FERRITE_KERN_CHECK_PRIV_H

#include "kern/kern_priv.h"

typedef enum kern_sum_state { SUM_UNSEEN, SUM_STARTED, SUM_READ, SUM_CLOSED } kern_sum_state;

/* A value that indices may be made of, where the guard holds. */
typedef struct kern_kept_value {
    kern_ref value, guard;
} kern_kept_value;

typedef struct kern_checker {
    const kern_ir *k;
    sym_table *t;
    arena *memory;
    const kern_item *item; /* at hand */
    uint32_t depth;
    sym_expr axes[KERN_MOST_LEVELS + LOOP_MAX_AXES]; /* of all open loops */
    uint32_t axis_count;
    sym_expr vector_axis; /* that the lanes run along, or none */
    uint32_t copies;      /* of the vector loop at hand, */
    uint32_t copied;      /* and how deep its lines are */
    bool *in_scope;       /* by value */
    VEC(kern_kept_value) kept;
    kern_sum_state *sums;
    uint32_t *sum_level;      /* of the loop where it was started */
    uint32_t *sum_updated;    /* level of the loop that it was last updated in */
    const kern_loop *blocks;  /* right around, or NULL */
    const kern_loop *squares; /* around, or NULL */
    const kern_loop *lanes;   /* one by one, around, or NULL */
    bool has_rows, has_columns;
    uint32_t shared;               /* level of the loop around that a work-group shares; 0: none */
    const kern_function *function; /* that the lines are of, or NULL */
} kern_checker;

/* ---- check.c ---- */
fe_status kern_broken(kern_checker *c, const char *law, const char *format, ...) FE_PRINTF(3, 4);
/* A number that is out of range: the line cannot be printed either. */
fe_status kern_missing(kern_checker *c, const char *law, const char *what, uint32_t number);

/* ---- check_value.c ---- */
/* K1, K2, K3: the value is there, and of this type. */
fe_status kern_use_as(kern_checker *c, kern_ref ref, ty_dtype dtype, bool vector);
typedef struct kern_index_facts {
    kern_checker *c;
    fe_status status;
    bool is_fixed;     /* made of ints alone */
    bool lanes_differ; /* holds a value that is a vector */
} kern_index_facts;
/* K1, K5: what an index is made of. */
fe_status kern_check_index(kern_checker *c, sym_expr e, kern_index_facts *facts);
fe_status kern_check_fixed(kern_checker *c, sym_expr e); /* of ints alone */
/* K3: may there be vectors of it? Does a loop around have lanes? */
fe_status kern_check_vector(kern_checker *c, ty_dtype dtype);
fe_status kern_check_lanes(kern_checker *c);
/* The index has `steps`, or any number of them when 0, from lane to lane. */
fe_status kern_check_spacing(kern_checker *c, sym_expr index, const kern_index_facts *facts,
                             int64_t steps);
fe_status kern_check_one(kern_checker *c, sym_expr index, const kern_index_facts *facts);
/* K3, K7: memory is reached where the value says, or what is stored as such a value is loaded. */
fe_status kern_check_access(kern_checker *c, uint32_t memory, const kern_value *like);
/* K3: the lanes that something is done with are those of the loop around. */
fe_status kern_check_count(kern_checker *c, kern_ref count, bool vector);
fe_status kern_check_bound(kern_checker *c, const kern_bound *bound);
fe_status kern_check_memory(kern_checker *c, uint32_t memory, ty_dtype dtype, bool reads);
fe_status kern_check_set(kern_checker *c, const kern_item *item);
/* K3: the memory is a tile of as many rows of lanes as there are lanes, in squares. */
fe_status kern_check_transpose(kern_checker *c, uint32_t memory);
/* A value that is no result of an accumulator. */
fe_status kern_check_value(kern_checker *c, const kern_value *v);

/* ---- check_function.c ---- */
/* K8: a call, and what functions alone hold. */
fe_status kern_check_call(kern_checker *c, const kern_value *v);

#endif
