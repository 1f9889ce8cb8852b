/* legal.h -- see legal.c. Indices are those of the forms; outer_count leading loops are shared. */
#ifndef FERRITE_SCHED_LEGAL_H
#define FERRITE_SCHED_LEGAL_H

#include "sched/sched_priv.h"

sym_expr legal_index(loop_program *p, const loop_form *f, sym_expr index);
bool legal_same_loops(const loop_form *a, const loop_form *b);
bool legal_same_index(loop_program *p, const loop_form *writer, sym_expr store, const loop_form *reader, sym_expr load);
bool legal_same_row(loop_program *p, const loop_form *writer, sym_expr store, const loop_form *reader, sym_expr load,
                    uint32_t outer_count);

#endif
