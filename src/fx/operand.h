/* operand.h -- graphs, nodes and operands as the public headers have them (ferrite_passes.h, ferrite_graph.h)
 * and what they are here. */
#ifndef FERRITE_FX_OPERAND_H
#define FERRITE_FX_OPERAND_H

#include "ferrite_passes.h"
#include "fx/fx.h"

struct graph_builder;

/* What the user calls a graph: one that a pass is run over, or one that is being built. */
struct fe_graph {
    fx_graph *graph;
    arena *memory; /* of one run of the pass; of the builder */
    const char *pass;
    fe_status status;              /* of the pass: its first failure */
    struct graph_builder *builder; /* NULL: a pass is run over it */
    struct fe_graph *parent;       /* of one that is being built, as what follows */
    map nodes;                     /* those that the user was given, by address */
    VEC(fx_arg) results;
    VEC(fx_output) result_kinds;
};

/* Reads operands that name something of a graph (NODE, SIZE, GRAPH, OTHER). NULL, or what is wrong. */
typedef const char *fx_own_operand(fe_graph *g, const fe_operand *o, fx_arg *out);

/* The operand as an argument, of the graph's arena; NULL, or what is wrong with it: "is of no kind". */
const char *fx_read_operand(fe_graph *g, fx_own_operand *own, const fe_operand *o, fx_arg *out);
/* Operands for the operator's parameters, what is left out at its default; of higher-order operators as
 * they are. *args, *arg_count: what fx_call() takes. NULL, or what is wrong, as a sentence. A node whose
 * metadata is yet to be inferred fits. */
const char *fx_read_operands(fe_graph *g, fx_own_operand *own, const op_info *op,
                             const fe_operand *operands, uint32_t count, fx_arg **args,
                             uint32_t *arg_count);

#endif
