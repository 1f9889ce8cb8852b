/* graph.h -- what the functions of ferrite_graph.h share: a graph under construction, with its subgraphs. */
#ifndef FERRITE_DRIVER_GRAPH_H
#define FERRITE_DRIVER_GRAPH_H

#include "driver/driver.h"
#include "ferrite_graph.h"
#include "fx/operand.h"

typedef struct graph_builder {
    fe_session *session;
    arena *memory; /* of all, itself included */
    const char *name;
    fe_graph *main;
    VEC(fe_graph *) graphs; /* the main one first */
    op_registry *ops;
    VEC(sym_expr) sizes; /* those that the user was given, by number */
    map declared;        /* ids of symbols */
    map targets;         /* interned names of inputs and weights */
    uint32_t holders;    /* the user, and programs that were made of it */
    fe_status status;    /* of what was refused first, */
    diag failure;        /* and what was said of it */
} graph_builder;

/* A mistake of the user's, at what is called `place` (or NULL). */
fe_status graph_refuse(const fe_graph *g, fe_status status, const char *place, const char *format,
                       ...) FE_PRINTF(4, 5);

/* graph_size.c: sizes as the user has them, INT64_MIN and up of no size, and as they are here. */
int64_t graph_give_size(graph_builder *b, sym_expr e);
/* NULL, or what is wrong with it. `least`: numbers that a size may be begin there. */
const char *graph_read_size(fe_graph *g, int64_t size, int64_t least, sym_expr *out);
/* NULL, or what is wrong with it. */
const char *graph_read_meta(fe_graph *g, const fe_meta *meta, fx_value *out);
/* The bodies of the functions of these names. */
fe_status graph_symbol(fe_graph *g, const char *name, sym_kind kind, int64_t min, int64_t max,
                       int64_t hint, int64_t *out);
fe_status graph_size(fe_graph *g, const char *expression, int64_t *out);
fe_status graph_require(fe_graph *g, const char *condition, const char *message);

#endif
