/* c.h -- what the files of the C printer share. */
#ifndef FERRITE_EMIT_C_H
#define FERRITE_EMIT_C_H

#include "emit/emit.h"

/* c_head.c */
void emit_c_begin(emit_state *s);
void emit_c_end(emit_state *s);
uint32_t emit_c_symbol_index(const emit_state *s, sym_expr symbol);
/* Prototypes of all kernels. */
void emit_c_declare_kernels(emit_state *s);
/* Adds the files with the kernels. */
void emit_c_kernel_files(emit_state *s);
/* A double as a C constant, infinities and NaN included. */
void emit_c_double(text *out, double value);
/* "...", as C reads it: no escape runs on into what follows, no trigraph begins. */
void emit_c_text(text *out, const char *value);
void emit_c_port(emit_state *s, const char *name, int dtype, uint32_t rank, const sym_expr *sizes,
                 const sym_expr *strides);
/* c_body.c */
void emit_c_declare(emit_state *s, loop_buffer_id id); /* its pointer */
void emit_c_view(emit_state *s, const loop_view *view);
void emit_c_declare_fixed(emit_state *s);
void emit_c_symbol(emit_state *s, const wrap_line *line);
void emit_c_assert(emit_state *s, const wrap_line *line);
/* The clock goes to the step at hand, if there is one. */
void emit_c_step(emit_state *s);
/* The runtime's function of an operator, behind rt_op_: that of its type where it has several. */
const char *emit_operator(emit_state *s, const loop_op *op);
const char *emit_c_source(const emit_state *s, const wrap_line *line);
void emit_c_pointer(emit_state *s, loop_buffer_id id);
void emit_c_kernel_args(emit_state *s, const wrap_call *call); /* &(fe_kernel_args){...} */
/* {{data, dtype, rank, sizes, strides}, ...} */
void emit_c_views(emit_state *s, const loop_view *views, const uint32_t *weights, uint32_t count);
/* c_segment.c */
void emit_c_segments(emit_state *s);
/* c_custom.c */
void emit_c_custom_head(emit_state *s); /* prototypes */
/* host_ops: functions that the host gives, if there are any; and the fields that say so */
void emit_c_custom_names(emit_state *s);
void emit_c_custom_fields(emit_state *s);
void emit_c_custom(emit_state *s, const wrap_line *line);
/* c_donated.c: their numbers, and the fields that say so */
void emit_c_donated(emit_state *s);
void emit_c_returned(emit_state *s);
void emit_c_taken(emit_state *s);
void emit_c_donated_fields(emit_state *s);
/* c_tables.c: the table of what they are for, and the fields that say so */
void emit_c_transforms(emit_state *s);
void emit_c_table_fields(emit_state *s);
/* c_part.c */
void emit_c_part_tables(emit_state *s);
void emit_c_part_fields(emit_state *s);
void emit_c_partition(emit_state *s, const wrap_line *line);
void emit_c_leave_parts(emit_state *s);
/* c_device.c: tables of devices and of their kernels, and the fields that say so */
void emit_c_devices(emit_state *s);
void emit_c_device_fields(emit_state *s);
/* Does the kernel run on another device than the host? */
bool emit_c_is_elsewhere(const emit_state *s, const wrap_call *call);
/* The number of the device that a view is on; 0: the host. */
uint32_t emit_c_device_of(const emit_state *s, const loop_view *view);
void emit_c_launch_on(emit_state *s, const wrap_call *call);
/* An rt_check: {dimension, wraps, where}. */
void emit_c_check(emit_state *s, const wrap_check_row *check);
void emit_c_device(emit_state *s, const wrap_line *line);
void emit_c_copy(emit_state *s, const wrap_line *line);
void emit_c_mark(emit_state *s, const wrap_line *line);
void emit_c_after(emit_state *s, const wrap_line *line);
void emit_c_wait(emit_state *s, const wrap_line *line);
/* c_region.c */
void emit_c_region(emit_state *s, const wrap_line *line);

#endif
