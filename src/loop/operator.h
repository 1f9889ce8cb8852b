/* operator.h -- what is known of an operator of the runtime: its row of extern.def, and the functions
 * that the columns name.
 */
#ifndef FERRITE_LOOP_OPERATOR_H
#define FERRITE_LOOP_OPERATOR_H

#include "loop/loop_priv.h"

struct needing;
struct loop_call;

/* What is wrong with a call whose signature holds, or NULL. */
typedef const char *loop_fit(const loop_program *p, const loop_op *op);
/* Adds up what a call works in. */
typedef void loop_state_need(struct needing *n);
/* Multiply-adds for one element of the first output. */
typedef sym_expr loop_macs(const loop_program *p, const loop_op *op);
/* The places that a call writes into this output, at this index, are in [0, size); none: not known. */
typedef sym_expr loop_below(const loop_program *p, const loop_op *op, uint32_t output, sym_expr at,
                            const sym_env *env);
typedef void loop_reference_run(const struct loop_call *c);

typedef struct loop_operator {
    const char *name, *signature, *help;
    loop_state_need *need;
    loop_fit *fit;
    loop_macs *macs;
    loop_below *below;
    loop_reference_run *reference;
    loop_packing packs;
    uint32_t can; /* loop_trait, or-ed */
    bool calls_lapack;
} loop_operator;

/* extern.c; NULL: there is no such operator */
const loop_operator *loop_operator_of(const char *kernel);

/* need*.c */
loop_state_need need_gemm, need_half_gemm, need_half_bmm, need_quantised_gemm, need_integer_gemm,
    need_bmm, need_sdpa, need_conv, need_half_conv, need_winograd, need_conv_weight, need_sort,
    need_mode, need_select, need_topk, need_unique, need_triangular_solve, need_matrix_exp,
    need_lu_factor, need_lu_solve, need_cholesky, need_ldl_solve, need_ldl_factor, need_qr_factor,
    need_householder_product, need_householder_apply, need_eigh, need_eig, need_svd, need_fourier;
/* fit.c */
loop_fit fit_quantised_gemm, fit_conv, fit_half_conv, fit_conv_weight, fit_search, fit_fourier,
    fit_message;
/* macs.c */
loop_macs macs_product, macs_windows, macs_tiles, macs_pixels, macs_attention;
/* below.c */
loop_below below_rank, below_rows, below_edges, below_pivots, below_dimensions;
/* reference.c */
loop_reference_run reference_nonzero, reference_repeat, reference_unique, reference_fourier,
    reference_gemm, reference_half_gemm, reference_half_bmm, reference_quantised_gemm,
    reference_integer_gemm, reference_bmm;

#endif
