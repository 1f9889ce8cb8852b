/* lower_priv.h -- what the families of lower/ share: boxes, tensors, the table's row, and builders
 * over tensors. */
#ifndef FERRITE_LOWER_PRIV_H
#define FERRITE_LOWER_PRIV_H

#include "lower/lower.h"

#define LOWER_MAX_RANK LOOP_MAX_AXES

/* One value of the program: unrealised (value over axes i0..i<rank-1>) or realised (view). Shared
 * by every tensor that looks at it, so that realising it once serves all. */
typedef struct lower_box {
    ty_dtype dtype;
    uint32_t rank;
    const sym_expr *sizes;
    const sym_expr *wanted; /* strides to realise with, or NULL: chosen from what the value loads */
    bool realised;
    loop_value value;
    loop_view view;
    ty_device device;     /* whose memory it is to be in */
    uint32_t origin;      /* as lower_origin gave it */
    const fx_node *maker; /* the node that was being lowered */
} lower_box;

/* A box seen through a map: element (i0, i1, ...) of the tensor is element map[0], map[1], ... of
 * the box. */
typedef struct lower_tensor {
    lower_box *box; /* NULL: absent */
    uint32_t rank;
    const sym_expr *sizes;
    const sym_expr *map; /* box->rank expressions over the tensor's axes; NULL: the same axes */
} lower_tensor;

/* What a node gave: one tensor, or the items of a tuple. */
typedef struct lower_result {
    bool present;
    uint32_t count;
    lower_tensor *items;
} lower_result;

typedef struct lowering lowering;
typedef struct lower_row lower_row;

/* The assertions of a program, by what they say. */
typedef struct lower_asserts {
    map last;         /* hash of the relation -> the last op that asserts it */
    uint32_t control; /* the last op that begins or ends a region, plus one */
} lower_asserts;

/* The steps of a loop that draws random numbers, counted in memory so that each step draws others. */
typedef struct lower_turn {
    struct lower_turn *outer; /* of the loop around, or NULL */
    loop_buffer_id buffer;    /* none until something is drawn */
    uint64_t path;            /* of the loop */
} lower_turn;

/* Where a program is cut (part.c). */
typedef struct lower_parts {
    const lower_split *split;
    VEC(uint32_t) classes; /* by part */
    uint32_t *of;          /* by id of a call: its part */
    /* ops that return values or write them back, from this one on, and the node whose value it is (NULL: of
     * none) */
    uint32_t first_late;
    VEC(const fx_node *) late;
} lower_parts;

/* Calls for what an op uses (visit.c); read and write may be NULL. */
typedef struct lower_visitor {
    loop_program *program;
    void (*symbol)(void *data, sym_expr symbol);
    void (*read)(void *data, loop_buffer_id buffer);
    void (*write)(void *data, loop_buffer_id buffer);
    void *data;
} lower_visitor;

struct lowering {
    fe_session *session;
    fx_graph *graph;
    loop_program *program;
    sym_table *symbols;
    arena *memory;
    fx_node *node;    /* being lowered */
    ty_device device; /* of what is made now */
    /* of a subgraph: the node of the program that calls it, outermost; NULL in the program itself */
    const fx_node *caller;
    uint64_t path;         /* tells subgraphs apart by the calls that lead there; 0: the program */
    lower_turn *turn;      /* of the innermost loop around, or NULL */
    lower_result *results; /* by node id */
    lower_results results_kept;
    bool direct_convolution; /* never by Winograd's algorithm */
    bool for_host;           /* see lower_choices */
    bool (*holds)(ty_device device, ty_dtype dtype);
    /* by node id: how many operators read it, views looked through; 0: not counted yet */
    uint32_t *readers;
    /* by node id: reaches an output through views, so its recorded layout is kept */
    uint8_t *shows;
    sym_expr zero, one;
    sym_expr axes[LOWER_MAX_RANK], reduce_axes[LOWER_MAX_RANK];
    loop_buffer_id seed;    /* of random numbers, once one was drawn */
    map extern_made;        /* buffers that an extern kernel writes */
    map names;              /* buffer names taken */
    map defined;            /* unbacked symbols that have a value by now */
    map spent;              /* those that subgraphs lowered before have defined */
    lower_asserts *asserts; /* of the whole program */
    lower_parts *parts;     /* NULL: it is not cut */
    bool passes_over;     /* a node that reads what could not be lowered, which has been reported */
    VEC(fx_node *) shown; /* the node behind each output of the program; NULL for a number */
};

/* ---- rows ---- */

/* What a pointwise operator works in; halves compute in f32. */
typedef enum lower_promotion {
    LOWER_PROMOTE,   /* the operands' result type, f32 for integers where the result is none */
    LOWER_AS_OUTPUT, /* the node's own dtype */
    LOWER_TO_BOOL,   /* x != 0 */
    LOWER_KEEP       /* each operand as it is */
} lower_promotion;

/* The state of one pointwise formula. */
typedef struct formula {
    lowering *l;
    loop_program *p;
    fx_node *node;
    ty_dtype dtype;  /* that the operands have been brought to */
    loop_value x[4]; /* none where an optional operand is absent */
} formula;
typedef loop_value lower_formula(formula *f);

typedef fe_status lower_rule(lowering *l, fx_node *n, const lower_row *row);
struct lower_row {
    op_id op;
    lower_rule *lower; /* NULL: it is not lowered, but what it becomes before */
    int32_t parameter; /* an opcode, a reduction, ...: the rule says */
    /* pointwise: positions of the operands among the arguments, a digit each */
    const char *operands;
    lower_promotion promotion;
    lower_formula *formula; /* pointwise: NULL applies the opcode in `parameter` */
    bool is_view;           /* reads nothing: its users are its operand's users */
};

/* The rules: ops.def says which serves which operators. */
#define OP(id, schema, columns) columns
#define LOWER(rule, parameter) lower_rule lower_op_##rule;
#define VIEW(rule, parameter) lower_rule lower_op_##rule;
#define FORMULA(f, operands) lower_formula formula_of_##f;
#include "op/ops.def"
lower_rule lower_pointwise; /* of CODE and FORMULA */

/* ---- arguments (args.c) and results (lower.c) ---- */
/* FE_UNSUPPORTED about l->node */
fe_status lower_fail(lowering *l, const char *format, ...) FE_PRINTF(2, 3);
/* absent when None; a number becomes a 0-d tensor */
lower_tensor lower_arg(lowering *l, const char *param);
lower_tensor lower_first(lowering *l); /* the first argument */
lower_tensor lower_tensor_of(lowering *l, const fx_arg *a);
/* converted; a number is rounded once */
lower_tensor lower_tensor_in(lowering *l, const fx_arg *a, ty_dtype d);
lower_tensor lower_item(lowering *l, const fx_arg *list, uint32_t k);
bool lower_is_none(lowering *l, const char *param);
bool lower_int(lowering *l, const char *param, int64_t *out); /* a constant */
int64_t lower_int_or(lowering *l, const char *param, int64_t fallback);
double lower_number_or(lowering *l, const char *param, double fallback);
bool lower_bool(lowering *l, const char *param);
/* an integer expression; none when absent */
sym_expr lower_size(lowering *l, const char *param);
int lower_ints(lowering *l, const char *param, sym_expr *out, uint32_t room); /* -1 when None */
int lower_constants(lowering *l, const char *param, int64_t *out, uint32_t room);
uint32_t lower_dim(lowering *l, int64_t dim, uint32_t rank); /* wraps negatives */
/* A number argument as a value of dtype d. */
loop_value lower_scalar(lowering *l, const fx_arg *a, ty_dtype d);
ty_operand lower_operand(lowering *l, const fx_arg *a); /* for type promotion */
/* what the node gives, as recorded */
ty_tensor *lower_meta(lowering *l, uint32_t item);
/* does anyone read this item of the tuple? */
bool lower_is_used(lowering *l, uint32_t item);
fe_status lower_give(lowering *l, lower_tensor t); /* the node's result; settles it */
/* Those of a tuple; absent ones may not be read. */
fe_status lower_give_items(lowering *l, const lower_tensor *items, uint32_t count);

/* part.c. Parts of the graph's nodes, before they are lowered. */
void lower_find_parts(lowering *l, const lower_split *split);
/* What the node gave and another part reads gets memory; the node is being lowered. */
void lower_leave_part(lowering *l, fx_node *n);
/* Law: what has no memory is read in its own part alone. */
void lower_check_border(lowering *l, const lower_box *box);
/* Ops from here on return values or write them back; those that have come since are of this node's. */
void lower_begin_late(lowering *l);
void lower_note_late(lowering *l, const fx_node *of);
/* The ops, part by part; then parts without ops go. */
void lower_group_parts(lowering *l);
void lower_drop_empty_parts(lowering *l);
/* lower.c: a view of its operand, an item, a number that is an expression: no op comes of it. */
bool lower_moves_nothing(const lowering *l, const fx_node *n);
/* visit.c */
void lower_visit_op(const lower_visitor *v, const loop_op *op);
void lower_visit_view(const lower_visitor *v, const loop_view *view, bool reads);
void lower_visit_expr(const lower_visitor *v, sym_expr e);

fe_status lower_outputs(lowering *l);            /* output.c */
fe_status lower_custom(lowering *l, fx_node *n); /* custom.c: an operator of the user's */

/* lower.c: the nodes of another graph into the same program. Operands have their results before. */
void lower_enter(lowering *l, fx_graph *g);
void lower_take_up(lowering *l, fx_node *n); /* it is the one being lowered now; may be NULL */
fe_status lower_nodes(lowering *l);
/* Provenance of what is made now: an id of the program's graph, UINT32_MAX for none. */
static inline uint32_t lower_origin(const lowering *l)
{
    const fx_node *n = l->caller ? l->caller : l->node;
    return n ? n->id : UINT32_MAX;
}

/* ---- boxes and tensors (tensor.c) ---- */
/* A complex number; of halves, computed in floats. */
loop_value lower_complex(lowering *l, ty_dtype d, loop_value re, loop_value im);
lower_tensor lower_value(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                         loop_value v);
lower_tensor lower_viewed(lowering *l, loop_view view); /* a realised box */
static inline bool lower_absent(lower_tensor t)
{
    return t.box == NULL;
}
static inline ty_dtype lower_dtype(lower_tensor t)
{
    return t.box->dtype;
}
loop_value lower_at(lowering *l, lower_tensor t, const sym_expr *index);
/* index.c: the number v as an index that must be in [0, size) of a dimension (-1: of all elements);
 * the bound alone */
sym_expr lower_lookup(lowering *l, loop_value v, sym_expr size, int32_t dimension);
loop_bound lower_below(const lowering *l, sym_expr size, int32_t dimension);
loop_value lower_here(lowering *l, lower_tensor t); /* at its own axes */
loop_value lower_broadcast(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes);
/* Makes memory for it: the box itself, in a layout chosen or given. */
void lower_realise(lowering *l, lower_box *box, const sym_expr *strides);
/* Likewise, with stride 0 along the axes that its elements do not depend on. */
void lower_realise_each_once(lowering *l, lower_box *box);
/* A strided window on memory that holds t; realises, and copies when t is not strided. */
loop_view lower_strided(lowering *l, lower_tensor t);
/* neither realises nor copies */
bool lower_try_strided(lowering *l, lower_tensor t, loop_view *out);
/* Strides in which t lies, or what it is computed from; false when neither says. */
bool lower_layout_of(lowering *l, lower_tensor t, sym_expr *strides);
/* in fresh memory */
lower_tensor lower_copied(lowering *l, lower_tensor t, const sym_expr *strides);
bool lower_is_constant(lowering *l, lower_tensor t); /* a weight, through any view */
/* The strides of a load whose index is linear in the axes; false for others, and for one that is
 * broadcast: it does not say how the rest is laid out. */
bool lower_load_strides(lowering *l, sym_expr index, uint32_t rank, const sym_expr *sizes,
                        sym_expr *strides);
/* realise.c */
void lower_settle(lowering *l, lower_box *box, uint32_t readers);
void lower_share(lowering *l, lower_tensor t); /* about to be read more than once */
/* about to be read many times: by overlapping windows */
void lower_store_unless_plain(lowering *l, lower_tensor t);
loop_buffer_id lower_temp(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                          const sym_expr *strides);
lower_tensor lower_temp_tensor(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                               const sym_expr *strides);
/* Is one element of it shown at several places? It is stored once and expanded when it is given out. */
bool lower_repeats(lowering *l, const ty_tensor *t);
bool lower_has_strides(lowering *l, const loop_view *v,
                       const ty_tensor *t); /* those of t, as far as is known */
/* recorded strides when the item must keep them, else NULL */
const sym_expr *lower_wanted(lowering *l, uint32_t item);
sym_expr lower_const(lowering *l, int64_t v);
bool lower_is_one(lowering *l, sym_expr e);
bool lower_is_zero(lowering *l, sym_expr e);
sym_expr lower_numel(lowering *l, lower_tensor t);
/* sum of products */
sym_expr lower_flat(lowering *l, const sym_expr *index, const sym_expr *strides, uint32_t count);
sym_expr *lower_sizes_copy(lowering *l, const sym_expr *sizes, uint32_t count);
ty_dtype lower_compute_dtype(ty_dtype d); /* halves compute in f32 */
/* axis k < sizes[k] */
sym_expr lower_simplified(lowering *l, sym_expr e, uint32_t rank, const sym_expr *sizes);
loop_op *lower_nest(lowering *l, uint32_t axes, const sym_expr *extents, uint32_t reduce_axes,
                    const sym_expr *reduce_extents);
/* appends; the value's indices are simplified */
void lower_store(lowering *l, loop_op *op, loop_store st);
void lower_extern(lowering *l, const char *kernel, uint32_t input_count, const loop_view *inputs,
                  loop_view output, uint32_t int_count, const loop_int *ints, uint32_t float_count,
                  const loop_float *floats);
/* Operators of the runtime are on the host alone; on other devices products are loops. */
static inline bool lower_has_operators(const lowering *l)
{
    return ty_is_host(l->device) || l->for_host;
}
/* The same in general: an extern op whose operands are copied. */
void lower_extern_op(lowering *l, loop_op call);
loop_view lower_no_view(lowering *l);

/* ---- values ---- */
loop_value lower_op1(lowering *l, loop_opcode op, loop_value a);
loop_value lower_op2(lowering *l, loop_opcode op, loop_value a, loop_value b);
/* low <= e < high, as a bool */
loop_value lower_is_inside(lowering *l, sym_expr e, sym_expr low, sym_expr high);

/* ---- tensors from tensors (algebra.c) ---- */
lower_tensor lower_cast(lowering *l, lower_tensor t, ty_dtype d);
lower_tensor lower_unary(lowering *l, loop_opcode op, lower_tensor a);
/* broadcasts; one dtype */
lower_tensor lower_binary(lowering *l, loop_opcode op, lower_tensor a, lower_tensor b);
/* infinity, or the greatest or least integer */
loop_value lower_extreme(lowering *l, ty_dtype d, bool greatest);
lower_tensor lower_scale(lowering *l, lower_tensor a, double factor);
lower_tensor lower_number(lowering *l, ty_dtype d, double number); /* 0-d */
lower_tensor lower_reduced(lowering *l, loop_reduce kind, lower_tensor x, const bool *reduced,
                           bool keep, const sym_expr *wanted);
/* The product of the reduced dimensions' sizes. */
/* log(sum(exp(x))) of a floating x, whatever its size; the dimensions that go are kept as 1. */
lower_tensor lower_logsumexp(lowering *l, lower_tensor x, const bool *reduced);
sym_expr lower_reduced_count(lowering *l, lower_tensor x, const bool *reduced);
lower_tensor lower_mean(lowering *l, lower_tensor x, const bool *reduced, bool keep,
                        const sym_expr *wanted);
/* Marks the dims of parameter `param` (all when None or empty) in reduced[]; false when it is not
 * constant. */
bool lower_dims(lowering *l, const char *param, uint32_t rank, bool *reduced);

/* view.c: the node that made the storage which n looks at */
fx_node *lower_storage_base(fx_node *n);
/* Views of views of unknown sizes have longer indices with each, as they divide what was divided before: what
 * has symbols so often in an index is copied to memory. */
enum { LOWER_HEAVY_INDEX = 100 };

/* ---- views (remap.c) ---- */
/* A place as Python counts it, negative from the end, where the run may decide the sign. */
sym_expr lower_wrapped(lowering *l, sym_expr place, sym_expr size);
/* The same for a bound of a slice: kept in [0, size]; none: the fallback. */
sym_expr lower_bound(lowering *l, sym_expr bound, sym_expr size, sym_expr fallback);
/* t with axis k of t at exprs[k], over new axes of the given sizes. */
lower_tensor lower_remap(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes,
                         const sym_expr *exprs);
/* The memory of v as other sizes and strides. */
lower_tensor lower_on_strides(lowering *l, loop_view v, uint32_t rank, const sym_expr *sizes,
                              const sym_expr *strides, sym_expr offset);
lower_tensor lower_reshape(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes);
lower_tensor lower_expand(lowering *l, lower_tensor t, uint32_t rank, const sym_expr *sizes);
lower_tensor lower_permute(lowering *l, lower_tensor t, const uint32_t *order);
lower_tensor lower_transpose(lowering *l, lower_tensor t, uint32_t a, uint32_t b);
lower_tensor lower_slice(lowering *l, lower_tensor t, uint32_t dim, sym_expr start, sym_expr length,
                         sym_expr step);
lower_tensor lower_select(lowering *l, lower_tensor t, uint32_t dim, sym_expr index);
lower_tensor lower_unsqueeze(lowering *l, lower_tensor t, uint32_t dim);
lower_tensor lower_squeeze(lowering *l, lower_tensor t, uint32_t dim);

/* ---- families that others call ---- */
/* Complex numbers as pairs of real ones, in a new last dimension (unary.c). */
lower_tensor lower_pairs(lowering *l, lower_tensor t);
/* reduce.c; x is float */
lower_tensor lower_softmax(lowering *l, lower_tensor x, uint32_t dim, bool log);
/* Rows of nothing but -inf become zeros. */
lower_tensor lower_safe_softmax(lowering *l, lower_tensor x, uint32_t dim);
/* The norm of this order over the reduced dims (reduce.c). */
lower_tensor lower_norm(lowering *l, lower_tensor x, double order, const bool *reduced, bool keep);
typedef struct lower_moment_pair {
    lower_tensor mean, variance; /* with the reduced dims kept at size 1 */
} lower_moment_pair;
/* reduce.c */
lower_moment_pair lower_moments(lowering *l, lower_tensor x, const bool *reduced,
                                double correction);
/* Random numbers (random.c): one in [0, 1), a multiple of 2^-24, for each element over these sizes
 * (`draw` tells several draws of one operator apart); the step of the seed at the end of the
 * program. */
loop_value lower_uniform(lowering *l, uint32_t rank, const sym_expr *sizes, uint32_t draw,
                         ty_dtype d);
lower_tensor lower_dropped(lowering *l, lower_tensor x, double p); /* dropout.c */
void lower_random_epilogue(lowering *l);
/* Around a loop, whose first op is the one at `begin`: each of its steps draws other numbers. */
void lower_begin_turns(lowering *l);
void lower_next_turn(lowering *l); /* at the end of each step */
void lower_end_turns(lowering *l, uint32_t begin);
/* A constant made while compiling; `data` is kept. */
lower_tensor lower_constant(lowering *l, const char *name, ty_dtype d, uint32_t rank,
                            const sym_expr *sizes, const void *data, size_t bytes); /* create.c */
/* Zeros in fresh memory, to be written to; then the value (over axes of these sizes) at position
 * at[] of the target (algebra.c). */
lower_tensor lower_zeros(lowering *l, ty_dtype d, uint32_t rank, const sym_expr *sizes,
                         const sym_expr *wanted);
void lower_scatter(lowering *l, lower_tensor target, uint32_t rank, const sym_expr *sizes,
                   const sym_expr *at, loop_value value, loop_store_mode mode);
/* Joined along dim, in memory of their own, converted to d (cat.c). */
lower_tensor lower_joined(lowering *l, const lower_tensor *items, uint32_t count, uint32_t dim,
                          ty_dtype d);
/* cat.c */
lower_tensor lower_padded(lowering *l, lower_tensor x, const sym_expr *low, const sym_expr *high,
                          loop_value fill);
lower_tensor lower_matmul(lowering *l, lower_tensor a, lower_tensor b, lower_tensor bias,
                          const sym_expr *wanted);

#endif
