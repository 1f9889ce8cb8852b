/* python.h -- what the files of the Python printer share. What they print calls ferrite_runtime.py. */
#ifndef FERRITE_EMIT_PYTHON_H
#define FERRITE_EMIT_PYTHON_H

#include "emit/emit.h"

/* python_text.c */
void emit_python_indent(emit_state *s);              /* at the begin of a statement */
void emit_python_text(text *out, const char *value); /* in double quotes */
void emit_python_double(text *out, double value);
void emit_python_expr(emit_state *s, sym_expr e);
void emit_python_exprs(emit_state *s, const sym_expr *exprs, uint32_t count); /* (a, b) */
void emit_python_comment(emit_state *s, const char *said);
const char *emit_python_dtype(ty_dtype dtype); /* "rt.F32" */
/* python_buffer.c */
void emit_python_address(emit_state *s, loop_buffer_id id);
void emit_python_offset(emit_state *s, sym_expr elements, ty_dtype dtype); /* " + " its bytes */
void emit_python_declare(emit_state *s, loop_buffer_id id);
void emit_python_declare_fixed(emit_state *s);
void emit_python_view_parts(emit_state *s,
                            const loop_view *view);          /* address, dtype, sizes, strides */
void emit_python_view(emit_state *s, const loop_view *view); /* the same in parentheses; or None */
/* weights: the number of each view's weight or WRAP_NO_WEIGHT; NULL: none is one. */
void emit_python_views(emit_state *s, const loop_view *views, const uint32_t *weights,
                       uint32_t count);
/* python_head.c */
void emit_python_begin(emit_state *s);
void emit_python_end(emit_state *s);
/* python_body.c */
void emit_python_symbol(emit_state *s, const wrap_line *line);
/* python_call.c */
void emit_python_kernel(emit_state *s, const wrap_line *line);
void emit_python_extern(emit_state *s, const wrap_line *line);
/* python_region.c */
void emit_python_open_block(emit_state *s);
void emit_python_close_block(emit_state *s);
/* python_part.c */
void emit_python_partition(emit_state *s, const wrap_line *line);
void emit_python_leave_part(emit_state *s); /* behind the last one; nothing elsewhere */
void emit_python_parts(emit_state *s);
/* python_device.c */
void emit_python_device(emit_state *s, const wrap_line *line);
void emit_python_copy(emit_state *s, const wrap_line *line);
void emit_python_wait(emit_state *s, const wrap_line *line);
void emit_python_queue(emit_state *s, const wrap_line *line);
void emit_python_region(emit_state *s, const wrap_line *line);

#endif
