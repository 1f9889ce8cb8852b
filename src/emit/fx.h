/* fx.h -- what the files of the FX printer share. It prints a graph, and one more for each region and each
 * part, as JSON; ferrite_fx.py has its form and makes a torch.fx.GraphModule of it.
 */
#ifndef FERRITE_EMIT_FX_H
#define FERRITE_EMIT_FX_H

#include "emit/emit.h"

/* fx_graph.c: nodes. What a node is given is written into texts first, since it may need nodes itself. */
void emit_fx_begin(emit_state *s);
void emit_fx_end(emit_state *s);
/* A region's graph begins; the one that it ends in names what it takes from outside. */
void emit_fx_open(emit_state *s, const char *name);
/* Ends it, and leaves [{"graph": name}, [what it takes]] in `call`. result: a node, or NULL. */
void emit_fx_close(emit_state *s, const char *result, text *call);
/* A part's graph begins. It ends with a call of it as a module; behind it the results have their names
 * again. */
void emit_fx_open_part(emit_state *s, const char *name);
void emit_fx_close_part(emit_state *s, const char *const *results, uint32_t count,
                        const char *note);
bool emit_fx_is_made_here(const emit_state *s, const char *name); /* not taken from outside */
const char *emit_fx_graph_name(const emit_state *s);
/* {"op": op, "name": name, "target": target, "args": [args], "kwargs": {kwargs}}; kwargs may be NULL. */
void emit_fx_node(emit_state *s, const char *op, const char *name, const char *target,
                  const text *args, const text *kwargs);
void emit_fx_call(emit_state *s, const char *name, const char *target, const text *args,
                  const text *kwargs);
const char *emit_fx_fresh(emit_state *s, const char *stem); /* a name that no node has yet */
void emit_fx_text(emit_state *s, text *out);                /* an empty one */
void emit_fx_ref(emit_state *s, const char *name, text *out);
void emit_fx_expr(emit_state *s, sym_expr e, text *out); /* a number, or a node that is one */
void emit_fx_exprs(emit_state *s, const sym_expr *exprs, uint32_t count, text *out);
void emit_fx_relation(emit_state *s, const sym_relation *r, text *out);
void emit_fx_dtype(ty_dtype dtype, text *out);
void emit_fx_string(text *out, const char *value);
void emit_fx_double(text *out, double value);
/* Where the memory is that the buffers of a root share, in this graph or around it; NULL: nowhere. */
const char *emit_fx_memory_of(const emit_state *s, loop_buffer_id root);
void emit_fx_set_memory(emit_state *s, loop_buffer_id root, const char *name);
/* Have all symbols of it a value here? */
bool emit_fx_is_known(const emit_state *s, sym_expr e);
void emit_fx_note(emit_state *s, const char *note); /* provenance of the nodes to come */

/* fx_buffer.c */
void emit_fx_declare(emit_state *s, loop_buffer_id id);
void emit_fx_declare_fixed(emit_state *s);
/* A view as a node. weight: WRAP_NO_WEIGHT, or the packed one that stands for it. */
void emit_fx_view(emit_state *s, const loop_view *view, uint32_t weight, text *out);
void emit_fx_views(emit_state *s, const loop_view *views, const uint32_t *weights, uint32_t count,
                   text *out);
void emit_fx_buffer(emit_state *s, loop_buffer_id id, text *out); /* null where there is none */

/* fx_call.c */
void emit_fx_kernel(emit_state *s, const wrap_line *line);
void emit_fx_extern(emit_state *s, const wrap_line *line);
/* fx_lines.c */
void emit_fx_symbol(emit_state *s, const wrap_line *line);
/* fx_device.c */
void emit_fx_device_name(ty_device device, text *out);
void emit_fx_device(emit_state *s, const wrap_line *line);
void emit_fx_copy(emit_state *s, const wrap_line *line);
void emit_fx_wait(emit_state *s, const wrap_line *line);
void emit_fx_mark(emit_state *s, const wrap_line *line);
void emit_fx_after(emit_state *s, const wrap_line *line);
/* fx_region.c */
void emit_fx_region(emit_state *s, const wrap_line *line);
/* fx_part.c */
void emit_fx_partition(emit_state *s, const wrap_line *line);
void emit_fx_leave_part(emit_state *s);

#endif
