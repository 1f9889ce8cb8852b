/* legal.h -- see legal.c. Indices are those of the forms; outer_count leading loops are shared. */
#ifndef FERRITE_SCHED_LEGAL_H
#define FERRITE_SCHED_LEGAL_H

#include "sched/sched_priv.h"

sym_expr legal_index(loop_program *p, const loop_form *f, sym_expr index);
bool legal_same_loops(const loop_form *a, const loop_form *b);
bool legal_same_index(loop_program *p, const loop_form *writer, sym_expr store,
                      const loop_form *reader, sym_expr load);
/* A load that may happen only where a condition holds that fixes an axis:
 *
 *     masked i0 == 3, load @x[24 + i1], ...     # that is @x[8*i0 + i1]
 */
typedef struct masked_load {
    loop_value load;
    sym_expr like;                            /* an index with the steps that the axes have */
    bool (*fits)(void *data, sym_expr index); /* is it legal at this index? */
    void *data;
} masked_load;
/* Is it legal wherever the value that is stored needs it? */
bool legal_masked_load(loop_program *p, const loop_store *store, const masked_load *load);
/* Do no two points of the parallel loops meet in one element? False where it is not known. */
bool legal_is_injective(loop_program *p, const loop_form *f, sym_expr index);
bool legal_same_row(loop_program *p, const loop_form *writer, sym_expr store,
                    const loop_form *reader, sym_expr load, uint32_t outer_count);
/* May n, in one group behind `before`, write what that reads? Only what it has read: the same index
 * of the same phase, or within the same outer iteration. */
bool legal_overwrite(loop_program *p, const loop_form *n, const loop_form *before, bool same_phase,
                     uint32_t outer_count);
/* Does one of them read a buffer of which the other writes a part, or the other way round? */
bool legal_meet(loop_program *p, const loop_form *a, const loop_form *b);
/* Rows and columns of an extern's first output: element (row, column) at row * *stride + column.
 * False when it is not so. */
bool legal_output_rows(loop_program *p, const loop_op *op, sym_expr *rows, sym_expr *columns,
                       sym_expr *stride);
/* An epilogue runs for one part of the result after the other, and for several at once. Do two parts
 * never store to one place? Where it is looked up by row, they may. */
bool legal_keeps_to_part(loop_program *p, const loop_form *n, sym_expr store);
/* Is this load the extern's own element (row, column)? */
bool legal_own_element(loop_program *p, const loop_op *op, const loop_form *n, sym_expr load,
                       sym_expr stride);

/* activation.c: what the operator of this group adds to its result, which can be added where that lies;
 * or LOOP_NO_BUFFER. */
loop_buffer_id legal_addend(const loop_program *p, const sched_group *g);

/* share.c */
loop_form form_of_nest(const sched_nest *n);
/* May `to` be stored where `from` lies, which nobody reads after this group? */
bool legal_reuse(loop_program *p, const sched_group *g, loop_buffer_id from, loop_buffer_id to);

#endif
