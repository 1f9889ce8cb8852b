/* infer_priv.h -- what the families of src/infer share: a call that is being inferred, its
 * arguments by name, and tensors made from tensors.
 *
 * A rule reads its arguments, computes, and gives a value. What is wrong is said once with
 * infer_fail(), which also makes every later step a no-op: a tensor that could not be computed
 * is NULL, and whatever is given NULL gives NULL. So rules read as the arithmetic that they are.
 */
#ifndef FERRITE_INFER_PRIV_H
#define FERRITE_INFER_PRIV_H

#include "infer/infer.h"

enum { INFER_MAX_OPERANDS = 32 };

typedef struct infer_call {
    fx_graph *graph;
    sym_table *symbols;
    arena *memory;
    fx_node *node;
    const op_info *op;
    int param;           /* of the row: what the rule makes of it is its own */
    fx_value recorded;   /* what the node had before */
    bool against_record; /* that is what the archive says */
    fx_value value;      /* the result */
    fe_status status;
} infer_call;

typedef void infer_rule(infer_call *c);

/* ---- infer.c ---- */
/* What the call gives, its own value left as it is. */
fe_status infer_compute(fx_graph *g, fx_node *n, bool against_record, fx_value *out);
/* Is the record all that is known of the call? */
bool infer_keeps_record(const fx_node *n);
/* Alias classes of the placeholders that have none. */
void infer_number_inputs(fx_graph *g);

/* ---- arguments.c: by the schema's names; a name that the operator lacks counts as None ---- */
void infer_fail(infer_call *c, const char *format, ...) FE_PRINTF(2, 3);
const fx_arg *infer_arg(const infer_call *c, const char *name); /* NULL for None */
ty_tensor *infer_tensor(const infer_call *c, const char *name); /* NULL for None */
/* The first of the tensors among the arguments; fails when there is none. */
ty_tensor *infer_self(infer_call *c);
bool infer_flag(const infer_call *c, const char *name, bool fallback);
int64_t infer_int(infer_call *c, const char *name, int64_t fallback);
sym_expr infer_expr(infer_call *c, const char *name, int64_t fallback);
const char *infer_string(const infer_call *c, const char *name, const char *fallback);
ty_dtype infer_dtype(const infer_call *c, const char *name, ty_dtype fallback);
ty_device infer_device(const infer_call *c, ty_device fallback);
ty_memory_format infer_format(const infer_call *c, ty_memory_format fallback);
/* A dimension, counted from the end when negative; of a number as if it had one dimension. */
uint32_t infer_wrap(infer_call *c, int64_t dim, uint32_t rank);
uint32_t infer_dim(infer_call *c, const char *name, uint32_t rank);
/* Dimensions of a list, number or None (all, or none when `none_is_all` is false), in order
 * given. */
uint32_t infer_dims(infer_call *c, const char *name, uint32_t rank, bool none_is_all,
                    uint32_t *out);
/* A list of sizes; returns how many. One number stands for `wanted` of them (0: any count). */
uint32_t infer_sizes(infer_call *c, const char *name, uint32_t wanted, sym_expr *out);
/* The tensors of a list, Nones left out as NULL. */
uint32_t infer_list(infer_call *c, const char *name, ty_tensor **out, uint32_t room);
/* All tensors among the arguments, lists included. */
uint32_t infer_operands(const infer_call *c, const ty_tensor **out, uint32_t room);

/* ---- numbers ---- */
static inline sym_expr infer_number(const infer_call *c, int64_t value)
{
    return sym_int(c->symbols, value);
}
static inline bool infer_is(const infer_call *c, sym_expr e, int64_t value)
{
    int64_t constant;
    return sym_is_int(c->symbols, e, &constant) && constant == value;
}
/* f32 for integers, as operators on floats have it. */
static inline ty_dtype infer_float_of(ty_dtype d)
{
    return ty_is_integral(d, true) ? TY_F32 : d;
}
/* Is it so? Proved, or else so for the example's sizes, as PyTorch's guards have it; what only the
 * run knows is taken not to be so. For what is right either way: one layout or another. */
bool infer_prefers(const infer_call *c, sym_op comparison, sym_expr a, sym_expr b);
/* The same for what a result depends on: the run is asked whether it is as in the example. */
bool infer_holds(infer_call *c, sym_op comparison, sym_expr a, sym_expr b);
/* The same where only a yes is built on. */
bool infer_assumes(infer_call *c, sym_op comparison, sym_expr a, sym_expr b);
/* Is it not known that they differ? */
bool infer_may_equal(const infer_call *c, sym_expr a, sym_expr b);
/* Do the expressions hold symbols that only the run knows? */
bool infer_has_unbacked(const infer_call *c, uint32_t count, const sym_expr *exprs);

/* ---- require.c: what the arguments have to be. What is known not to hold is a diagnostic, what only a run
 * can tell a condition that it asserts, with the same words; these, a format and its arguments, are made only
 * then. False: it has failed. ---- */
#define INFER_REQUIRE(c, comparison, a, b, ...) \
    (infer_proves(c, comparison, a, b) || infer_demand(c, comparison, a, b, __VA_ARGS__))
#define INFER_REQUIRE_EQUAL(c, a, b, ...) INFER_REQUIRE(c, SYM_EQ, a, b, __VA_ARGS__)
/* Nothing has failed, and the relation always holds. */
bool infer_proves(infer_call *c, sym_op comparison, sym_expr a, sym_expr b);
bool infer_demand(infer_call *c, sym_op comparison, sym_expr a, sym_expr b, const char *format, ...)
    FE_PRINTF(5, 6);
/* x broadcasts to these sizes. */
bool infer_require_fits(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                        const char *what);
/* x has these sizes. */
bool infer_require_sizes(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                         const char *what);

/* The sizes so far broadcast with the first `dims` of x: of two that must be equal the first is kept, and the
 * run is asked where they are symbols. False, without a message where they are numbers: they do not. */
bool infer_broadcast(infer_call *c, const ty_tensor *x, uint32_t dims, uint32_t *rank,
                     sym_expr *sizes);
/* A size that is 0 or 1 is repeated to this one: the run is asked whether it is 1, or there is nothing. */
bool infer_need_one(infer_call *c, sym_expr size, sym_expr wanted);
/* Is it 1? Of one that is 0 or 1 the run is asked. */
bool infer_is_one(infer_call *c, sym_expr size);
/* The two broadcast with each other. */
bool infer_require_broadcast(infer_call *c, const ty_tensor *a, const ty_tensor *b);

/* How long x is along the dimension; a number is one long. */
sym_expr infer_size_along(infer_call *c, const ty_tensor *x, uint32_t dim);

/* pool.c, index.c, conv.c: checks of their operators. */
void infer_check_pool_gradient(infer_call *c);
void infer_check_index_put(infer_call *c);
void infer_check_convolution_gradient(infer_call *c);
void infer_check_masked_index(infer_call *c);
/* fft.c, check_matrix.c, check_recurrent.c */
void infer_check_stft(infer_call *c);
void infer_check_istft(infer_call *c);
void infer_check_pairs(infer_call *c);
void infer_check_fft_norm(infer_call *c);
void infer_check_square(infer_call *c);
void infer_check_cross(infer_call *c);
void infer_check_inner(infer_call *c);
void infer_check_triangular(infer_call *c);
void infer_check_solved(infer_call *c);
void infer_check_pivots(infer_call *c);
void infer_check_reflectors(infer_call *c);
void infer_check_invertible(infer_call *c);
void infer_check_tolerance(infer_call *c);
void infer_check_condition(infer_call *c);
void infer_check_lstm(infer_call *c);
void infer_check_gru(infer_call *c);
void infer_check_rnn(infer_call *c);
/* check_part.c */
void infer_check_sliced(infer_call *c);
void infer_check_selected(infer_call *c);
void infer_check_diagonal(infer_call *c);
void infer_check_strided(infer_call *c);
void infer_check_select(infer_call *c);
void infer_check_narrow(infer_call *c);
void infer_check_roll(infer_call *c);
void infer_check_pieces(infer_call *c);
void infer_check_cut_across(infer_call *c);
void infer_check_cut_down(infer_call *c);
void infer_check_cut_deep(infer_call *c);
void infer_check_shuffle(infer_call *c);
void infer_check_halves(infer_call *c);
void infer_check_reducible(infer_call *c);
void infer_check_slopes(infer_call *c);
void infer_check_repeats(infer_call *c);
void infer_check_sorted(infer_call *c);
/* check_draw.c, check_layer.c, check_shape.c */
void infer_check_draws(infer_call *c);
void infer_check_drawn(infer_call *c);
void infer_check_draw_range(infer_call *c);
void infer_check_fractions(infer_call *c);
void infer_check_dropped(infer_call *c);
void infer_check_statistics(infer_call *c);
void infer_require_one_a_row(infer_call *c, const char *name, const ty_tensor *x, uint32_t inner);
void infer_check_row_statistics(infer_call *c);
void infer_check_unfold(infer_call *c);
void infer_check_emptied(infer_call *c);
void infer_check_expandable(infer_call *c);
void infer_check_triplet(infer_call *c);
void infer_check_cosine(infer_call *c);
void infer_check_trapezoid(infer_call *c);
void infer_check_differentiable(infer_call *c);
void infer_check_shifted(infer_call *c);
void infer_check_lengths(infer_call *c);
void infer_check_attention(infer_call *c);
void infer_check_masked_scores(infer_call *c);
void infer_check_heads_mask(infer_call *c);
void infer_check_same_rows(infer_call *c);
void infer_check_limits(infer_call *c);
void infer_check_grid_size(infer_call *c);
void infer_check_apart(infer_call *c);
/* check_value.c, check_image.c */
void infer_check_half_to_float(infer_call *c);
void infer_check_averages(infer_call *c);
void infer_check_exponent(infer_call *c);
void infer_check_slope_of_result(infer_call *c);
void infer_check_same_dtype(infer_call *c);
void infer_check_rounded(infer_call *c);
void infer_check_real_value(infer_call *c);
void infer_check_value_fits(infer_call *c);
void infer_check_fill_fits(infer_call *c);
void infer_check_hashed(infer_call *c);
void infer_check_rotated(infer_call *c);
void infer_check_parted(infer_call *c);
void infer_check_chain(infer_call *c);
void infer_check_diagonal_filled(infer_call *c);
void infer_check_weighted(infer_call *c);
void infer_check_spaced(infer_call *c);
void infer_check_order(infer_call *c);
void infer_check_whole_norm(infer_call *c);
void infer_check_least(infer_call *c);
void infer_check_powers(infer_call *c);
void infer_check_vectors(infer_call *c);
void infer_check_single_target(infer_call *c);
void infer_check_half_gradient(infer_call *c);
void infer_check_glu_of_halves(infer_call *c);
void infer_check_stepped(infer_call *c);
void infer_check_dense_strides(infer_call *c);
void infer_check_aligned(infer_call *c);
void infer_check_accumulated(infer_call *c);
void infer_check_number_source(infer_call *c);
void infer_check_reduced_bools(infer_call *c);
void infer_check_scaled(infer_call *c);
void infer_check_widened(infer_call *c);
void infer_check_kernel_within(infer_call *c);
void infer_check_reflected(infer_call *c);
void infer_check_replicated(infer_call *c);
void infer_check_padded(infer_call *c);
void infer_check_averaged(infer_call *c);
void infer_check_bags(infer_call *c);
void infer_check_padding_row(infer_call *c);
void infer_check_some_batch(infer_call *c);
void infer_check_cut(infer_call *c);
void infer_check_squeezed(infer_call *c);
void infer_check_weighed_logits(infer_call *c);
void infer_check_weighed_targets(infer_call *c);
/* check.c: one of the checks that contracts name. */ /* check_quantised.c */
void infer_check_group_of_32(infer_call *c);
void infer_check_quantum(infer_call *c);
void infer_check_quantum_range(infer_call *c);
void infer_check_token_scales(infer_call *c);

void infer_check(infer_call *c, const char *name);

/* contract.c: the row of contract.def that the operator has; false: the arguments break it. */
bool infer_keeps_contract(infer_call *c);
/* float8.c */
bool infer_keeps_float8(infer_call *c);

/* record.c: notes that the dtype of what n now gives is another than is recorded. */
void infer_note_dtype(arena *memory, map *recorded, const fx_node *n, const fx_value *now);
/* What the graph returns, or gives to a graph of its own, is cast to the dtype that was noted for it. */
fe_status infer_give_recorded(fx_graph *g, fx_node *n, const map *recorded);

/* custom.c: what a user's operator gives, by the shapes that it declares, or because all of it is
 * arguments. */
bool infer_knows_custom(const op_info *op);
void infer_custom(infer_call *c);

/* ---- results ---- */
void infer_give(infer_call *c, ty_tensor *x);
void infer_give_items(infer_call *c, ty_tensor *const *items, uint32_t count);
void infer_give_pair(infer_call *c, ty_tensor *first, ty_tensor *second);
void infer_give_int(infer_call *c, sym_expr e);
void infer_give_bool(infer_call *c, sym_expr e);

/* ---- tensor.c: tensors made from tensors ---- */
/* Contiguous and fresh, on the device of `like`. */
ty_tensor *infer_fresh(infer_call *c, const ty_tensor *like, ty_dtype dtype, uint32_t rank,
                       const sym_expr *sizes);
ty_tensor *infer_fresh_strided(infer_call *c, const ty_tensor *like, ty_dtype dtype, uint32_t rank,
                               const sym_expr *sizes, const sym_expr *strides);
/* As clone(x, memory_format) gives, of another dtype: TY_PRESERVE keeps the strides of what is
 * dense. */
ty_tensor *infer_like(infer_call *c, const ty_tensor *x, ty_dtype dtype, ty_memory_format format);
ty_tensor *infer_clone(infer_call *c, const ty_tensor *x, ty_memory_format format);
ty_tensor *infer_contiguous(infer_call *c, ty_tensor *x, ty_memory_format format);
ty_tensor *infer_view_as(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes,
                         const sym_expr *strides, sym_expr offset);
ty_tensor *infer_alias(infer_call *c, const ty_tensor *x);
ty_tensor *infer_reshape(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes);
ty_tensor *infer_permute(infer_call *c, const ty_tensor *x, const uint32_t *order);
ty_tensor *infer_transpose(infer_call *c, const ty_tensor *x, uint32_t a, uint32_t b);
ty_tensor *infer_expand(infer_call *c, const ty_tensor *x, uint32_t rank, const sym_expr *sizes);
ty_tensor *infer_unsqueeze(infer_call *c, const ty_tensor *x, uint32_t dim);
ty_tensor *infer_squeeze(infer_call *c, const ty_tensor *x, uint64_t dims);
ty_tensor *infer_select(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr index);
ty_tensor *infer_narrow(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr start,
                        sym_expr length, sym_expr step);
/* Elementwise over these operands: broadcast, with the strides of TensorIterator. */
ty_tensor *infer_elementwise(infer_call *c, ty_dtype dtype, const ty_tensor *const *operands,
                             uint32_t count);
/* The same as the four operations of arithmetic give it: with symbolic sizes, operands in one format
 * give a result in it, also where some are broadcast. */
ty_tensor *infer_arithmetic(infer_call *c, ty_dtype dtype, const ty_tensor *const *operands,
                            uint32_t count);
/* The same of one operand, as empty_like(x) gives: dimensions of size 1 get strides anew. */
ty_tensor *infer_empty_like(infer_call *c, const ty_tensor *x, ty_dtype dtype);
/* In fresh memory laid out as that of x, gaps and offset and all. */
ty_tensor *infer_in_place_of(infer_call *c, const ty_tensor *x);
/* Without the dimensions of the set (1 in their place with keepdim); contiguous. */
ty_tensor *infer_reduced(infer_call *c, const ty_tensor *x, ty_dtype dtype, uint64_t dims,
                         bool keepdim);
/* As matmul(a, b) gives. */
ty_tensor *infer_product(infer_call *c, const ty_tensor *a, const ty_tensor *b);
/* "f32[2,3]" for messages. */
const char *infer_shape(const infer_call *c, const ty_tensor *x);
/* "2*s0", likewise. */
const char *infer_written(const infer_call *c, sym_expr e);

ty_tensor *infer_slice(infer_call *c,
                       const ty_tensor *x); /* by dim, start, end, step of the call */
/* The same from start to end. */
ty_tensor *infer_between(infer_call *c, const ty_tensor *x, uint32_t dim, sym_expr start,
                         sym_expr end, sym_expr step);
ty_tensor *infer_diagonal(infer_call *c, const ty_tensor *x, int64_t shift, uint32_t a, uint32_t b);
ty_tensor *infer_as_real(infer_call *c, const ty_tensor *x);
/* x with a dimension indexed by a tensor of these sizes. */
ty_tensor *infer_indexed(infer_call *c, const ty_tensor *x, uint32_t dim, uint32_t rank,
                         const sym_expr *sizes);
/* The dimensions that an argument of a reduction names; all when it names none. */
uint64_t infer_dim_set(infer_call *c, const char *name, uint32_t rank);

/* ---- infer.c ---- */
/* Runs another operator's row on this call. */
void infer_as(infer_call *c, op_id op);
/* Gives fresh tensors of the result their numbers. */
void infer_number_storages(infer_call *c);

/* ---- alias.c ---- */
/* An input that began behind the start of its storage where the program was recorded. */
typedef struct infer_start {
    const fx_node *input;
    sym_expr offset;
} infer_start;
typedef struct infer_starts {
    const infer_start *at;
    uint32_t count;
} infer_starts;
/* What is recorded for views that the user's operators return: on the storages of what they show. */
void infer_settle_views(fx_graph *g, fx_node *n, const infer_starts *starts);
/* The base of a window that argument i of a call which PyTorch made functional tells; NULL: it tells none. */
const ty_tensor *infer_window_base(const fx_graph *g, const fx_node *n, uint32_t i);
/* What writes to a window on a base counts from the start of its storage, which must be the input's own. */
fe_status infer_check_starts(fx_graph *g, const fx_node *n, const infer_starts *starts);

/* ---- unbacked.c: what only the run knows ---- */
/* A size of a result: what is recorded for the item's dimension, or else a fresh symbol. */
/* unbacked.c: an integer (FX_INT) or bool that the run decides. */
sym_expr infer_new_number(infer_call *c, fx_value_kind kind);
sym_expr infer_unbacked(infer_call *c, uint32_t item, uint32_t dim);
sym_expr infer_unbacked_offset(infer_call *c, uint32_t item, sym_expr base);
/* Sizes and strides that only the run knows, as the record has them. */
void infer_settle(infer_call *c, fx_value *now, const fx_value *recorded);

/* Which dtype a pointwise operator or a reduction gives, from the promoted dtype of its
 * operands. */
typedef enum infer_dtype_kind {
    DTYPE_PROMOTE,    /* that one */
    DTYPE_FLOAT,      /* that one; f32 for integers */
    DTYPE_BOOL,       /* bool */
    DTYPE_SELF,       /* the first tensor's */
    DTYPE_REAL,       /* the real one of a complex one */
    DTYPE_REAL_FLOAT, /* both of these */
    DTYPE_COMPLEX,    /* the complex one of a real one */
    DTYPE_DOUBLE,     /* f64 or c128 */
    DTYPE_DIVIDE,     /* as FLOAT unless the quotient is rounded */
    DTYPE_POWER,      /* that one; i64 for bool */
    DTYPE_SUM,        /* i64 for integers */
    DTYPE_INDEX,      /* i64 */
    DTYPE_HASH        /* u64 */
} infer_dtype_kind;
/* What tensors and numbers among the arguments promote to; TY_NO_DTYPE: nothing. */
ty_dtype infer_promoted(const infer_call *c);
/* By the kind in the row of c's operator. d: what the operands promote to; self: the first one's. */
ty_dtype infer_dtype_by_kind(infer_call *c, ty_dtype d, ty_dtype self);

/* What the rows of linear algebra name: see FACTORS in linalg.c. */
typedef enum infer_factors {
    FACTOR_WITH_INFO,
    FACTOR_EIG,
    FACTOR_EIGH,
    FACTOR_PIVOTED,
    FACTOR_GEQRF,
    FACTOR_SLOGDET,
    FACTOR_DET,
    FACTOR_SINGULAR_VALUES,
    FACTOR_EIGENVALUES,
    FACTOR_REAL_EIGENVALUES,
    FACTOR_PSEUDO_INVERSE,
    FACTOR_RANK,
    FACTOR_NUMBER
} infer_factors;
typedef enum infer_fft_kind {
    FFT_COMPLEX,
    FFT_REAL_INPUT,
    FFT_HERMITIAN_INVERSE,
    FFT_REAL_OUTPUT
} infer_fft_kind;

/* ---- the rules: ops.def says which serves which operators ---- */
#define OP(id, schema, columns) columns
#define INFER(rule, parameter) infer_rule rule_##rule;
#include "op/ops.def"

/* ---- autocast.c ---- */
/* The region that the call's subgraph is in. */
void infer_autocast_region(infer_call *c, fx_graph *sub);
/* Gives a call in a region the casts that it makes, as nodes before it. */
fe_status infer_autocast(fx_graph *g, fx_node *n);

/* numbers.c */
/* Gives a call whose operands are all numbers tensors of them, made before it. */
fe_status infer_numbers(fx_graph *g, fx_node *n);

#endif
