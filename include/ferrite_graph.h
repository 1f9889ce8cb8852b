/* ferrite_graph.h -- FX graphs made call by call, by programs and front ends that have neither an archive
 * nor a text.
 *
 *     fe_graph *g = fe_graph_new(session, "half");
 *     int64_t n = fe_graph_symbol(g, "n", 1, 4096, 8), sizes[] = {n, 64};
 *     fe_node *x = fe_graph_input(g, "x", fe_meta_tensor(FE_F32, 2, sizes));
 *     fe_operand by[] = {fe_operand_node(x), fe_operand_float(0.5)};
 *     fe_graph_output(g, fe_operand_node(fe_graph_call(g, "y", "aten.mul.Tensor", by, 2)));
 *     if (fe_compile_graph(g, &program)) fputs(fe_error(session), stderr);
 *     fe_graph_free(g);
 *
 * Nodes come in the order in which they are made; a call reads nodes of its own graph that were made
 * before it. Operators and their parameters are PyTorch's: "aten.add.Tensor", "higher_order.cond".
 * Operands are those of ferrite_passes.h.
 *
 * For all functions, beside what ferrite.h says of its own:
 *   - Names and arrays that are handed in are copied; the elements of weights are not.
 *   - A node, graph or size is good in the graph that made it (a size in all subgraphs too) until
 *     fe_graph_free(). Another one's is refused, not followed.
 *   - What is refused gives NULL in place of a node or graph, FE_NOT_KNOWN in place of a size, else
 *     the status: FE_USAGE, or FE_UNSUPPORTED for an operator that there is not. fe_error() says why.
 *     The graph takes nothing any more then: each later call comes to the same and says nothing of its
 *     own, and fe_compile_graph() says again what was refused first. To look there is enough.
 *   - A size, stride or start is a count of elements, from 0 on, or what fe_graph_symbol(),
 *     fe_graph_unbacked() or fe_graph_size() gave.
 */
#ifndef FERRITE_GRAPH_H
#define FERRITE_GRAPH_H

#include "ferrite.h"
#include "ferrite_passes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- metadata ------------------------------------------------------------------------------- */

typedef enum fe_meta_kind {
    FE_META_NONE,
    FE_META_TENSOR,
    FE_META_INT,
    FE_META_FLOAT,
    FE_META_BOOL,
    FE_META_TUPLE
} fe_meta_kind;

/* What a value is without its data. */
typedef struct fe_meta {
    fe_meta_kind kind;
    uint32_t count;              /* TUPLE */
    const struct fe_meta *items; /* TUPLE */
    fe_tensor tensor;   /* TENSOR: dtype, rank, sizes, strides (NULL: contiguous); no data */
    int64_t start;      /* TENSOR: how many elements of its storage come before its first */
    const char *device; /* TENSOR: "cpu", "cuda:1"; NULL: cpu */
    int64_t integer;    /* INT: a number, or of fe_graph_symbol() ...; FE_NOT_KNOWN */
} fe_meta;

static inline fe_meta fe_meta_of(fe_meta_kind kind)
{
    fe_meta m = {kind, 0, NULL, {NULL, 0, 0, NULL, NULL}, 0, NULL, FE_NOT_KNOWN};
    return m;
}
static inline fe_meta fe_meta_tensor(uint32_t dtype, uint32_t rank, const int64_t *sizes)
{
    fe_meta m = fe_meta_of(FE_META_TENSOR);
    m.tensor.dtype = dtype;
    m.tensor.rank = rank;
    m.tensor.sizes = sizes;
    return m;
}
static inline fe_meta fe_meta_int(int64_t integer)
{
    fe_meta m = fe_meta_of(FE_META_INT);
    m.integer = integer;
    return m;
}
static inline fe_meta fe_meta_tuple(const fe_meta *items, uint32_t count)
{
    fe_meta m = fe_meta_of(FE_META_TUPLE);
    m.items = items;
    m.count = count;
    return m;
}

/* ---- graphs --------------------------------------------------------------------------------- */

/* An empty graph. `name`, letters, digits and _, is what the program is called where option `name` does
 * not say. Operators that the session has by fe_add_op() and option `ops` can be called; those added
 * later cannot. It is freed before the session. */
FE_API fe_graph *fe_graph_new(fe_session *session, const char *name);

/* Frees it with its subgraphs; of a subgraph alone nothing. Programs made of it stay. NULL is fine. */
FE_API void fe_graph_free(fe_graph *graph);

/* An empty graph for an operand of `graph`'s calls: a branch, the body of a loop. Its inputs are the
 * operands that the operator gives it; it ends in outputs of its own, and has no weights. */
FE_API fe_graph *fe_graph_subgraph(fe_graph *graph, const char *name);

/* ---- sizes that differ from run to run ------------------------------------------------------ */

/* A symbol, which sizes, strides or numbers of the inputs are made of. Each run is held to [min, max];
 * INT64_MAX: unbounded. `hint`: its value in the example, FE_NOT_KNOWN: none; speed alone depends on it. The
 * name is an identifier, unique, and no word of the text form (None, cpu), nor u, i or r and a
 * number, which stand for other symbols there. */
FE_API int64_t fe_graph_symbol(fe_graph *graph, const char *name, int64_t min, int64_t max,
                               int64_t hint);

/* The same of one that the run finds out, as how many elements are not 0: named u and a number. The
 * metadata of a call has it before it is read (fe_graph_set_meta()). */
FE_API int64_t fe_graph_unbacked(fe_graph *graph, const char *name, int64_t min, int64_t max);

/* An expression over symbols: "2*n + 1", with + - * // % min(a, b) max(a, b), as Python means them. */
FE_API int64_t fe_graph_size(fe_graph *graph, const char *expression);

/* A guard: a comparison of such expressions (== != < <=), "n == 2*m", that each run has to meet; one that
 * does not fails with FE_RUN_ASSERTION and `message` (NULL: of the library's own). Of the program, not of
 * a subgraph. */
FE_API fe_status fe_graph_require(fe_graph *graph, const char *condition, const char *message);

/* ---- nodes ---------------------------------------------------------------------------------- */

/* An input of the run, behind those made before; the name is unique among inputs and weights. A number
 * is given to the run as a tensor of rank 0 (ferrite_abi.h). None (FE_META_NONE) is given as anything. */
FE_API fe_node *fe_graph_input(fe_graph *graph, const char *name, fe_meta value);

/* What orders effects: the operand of higher_order.with_effects. The run is not given it. */
FE_API fe_node *fe_graph_token(fe_graph *graph, const char *name);

typedef enum fe_weight_kind {
    FE_WEIGHT_PARAMETER,
    FE_WEIGHT_BUFFER,
    FE_WEIGHT_CONSTANT
} fe_weight_kind;

/* What the program comes with, by its name in the model, "fc.weight". The elements are read where they
 * are, and must stay until the programs that use them are freed; those that share memory begin at the same
 * address. data NULL: fe_add_constant() gives them, before the graph is compiled. */
FE_API fe_node *fe_graph_weight(fe_graph *graph, fe_weight_kind kind, const char *name,
                                const fe_tensor *value);

/* A call. One operand for each parameter of the operator's schema, in order, keyword-only ones too;
 * fe_operand_default() and what is left out at the end have their defaults. Higher-order operators have
 * their operands as PyTorch's have, a keyword as a list of its name and the value. The result's name is
 * made unique by a suffix; NULL: the operator's. Items of several results are taken by
 * "_operator.getitem". */
FE_API fe_node *fe_graph_call(fe_graph *graph, const char *name, const char *op,
                              const fe_operand *operands, uint32_t count);

/* What the call gives. It is inferred and need not be said, but for what holds only by agreement: strides
 * that the caller's PyTorch would have, symbols that the run finds out, operators of the user's
 * without a shape rule. */
FE_API fe_status fe_graph_set_meta(fe_graph *graph, fe_node *call, fe_meta value);

/* Where the node comes from in the user's program, for diagnostics and reports: line `line` of `file` in
 * `function`, in the module "encoder.layer.0". Each but `file` may be NULL. */
FE_API fe_status fe_graph_set_source(fe_graph *graph, fe_node *node, const char *file,
                                     uint32_t line, const char *function, const char *module);

/* ---- what comes out ------------------------------------------------------------------------- */

/* One more result, behind those before: a node, a number, a size or None. */
FE_API fe_status fe_graph_output(fe_graph *graph, fe_operand value);

/* The last of the tokens, of a graph that has one. The run does not give it. */
FE_API fe_status fe_graph_output_token(fe_graph *graph, fe_node *token);

/* After the run the input, parameter or buffer holds this value, of its own dtype and sizes. The same
 * comes of a call of an operator that writes to its argument, aten.add_.Tensor. */
FE_API fe_status fe_graph_mutate(fe_graph *graph, fe_node *input, fe_node *value);

/* ---- what becomes of it --------------------------------------------------------------------- */

/* The graph and its subgraphs as FX text, which `ferrite run X.fx` and fe_compile_memory() read: what a
 * bug report needs. Parameters and buffers are without their elements there, and constants of more than 32.
 * *text is the session's, *length (which may be NULL) its bytes. A graph that something was refused of
 * is printed as far as it goes. */
FE_API fe_status fe_graph_print(fe_graph *graph, const char **text, size_t *length);

/* Compiles it as fe_compile_memory() compiles its text, with the session's options. The graph stays as it
 * is: it may be printed, extended and compiled again. FE_USAGE also for a subgraph, and where one
 * that is called has no output; else as fe_compile_file(). */
FE_API fe_status fe_compile_graph(fe_graph *graph, fe_program **program);

#ifdef __cplusplus
}
#endif

#endif
