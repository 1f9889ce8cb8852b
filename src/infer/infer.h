/* infer.h -- fake-tensor propagation: the metadata of every node from its operator and its
 * arguments' metadata.
 *
 * One function a family, found by operator in the rows of the .def files; a row is the function and
 * a parameter. What an operator gives follows PyTorch's own rules: dtype promotion, broadcasting,
 * output strides (TensorIterator's for pointwise ops), aliasing by the schema (views share the
 * storage number of their base). Every node of an archive carries recorded metadata, so `ferrite
 * check` holds this folder against PyTorch node by node.
 *
 * What an operator asks of its arguments (sizes that fit each other, dtypes, numbers in range) is stated in
 * contract.def and checked before its rule. A condition that depends on symbols joins the graph's and is
 * asserted in the run (require.c, fx_add_condition).
 */
#ifndef FERRITE_INFER_H
#define FERRITE_INFER_H

#include "fx/fx.h"

/* Fills node->value of one call from its arguments. FE_UNSUPPORTED: no row for the operator;
 * FE_CORRUPT: arguments that PyTorch would refuse as well (shapes that do not broadcast, ...),
 * each with a diagnostic. */
fe_status infer_node(fx_graph *g, fx_node *n);
/* All nodes in order. Placeholders keep what they have and get storage numbers. */
fe_status infer_graph(fx_graph *g);
/* Where the graph names a place by its distance from the start of a user input's storage (as_strided): it
 * takes that storage, and where in it the input begins, as inputs of their own; the input is a view of it. */
fe_status infer_take_storages(fx_graph *g);
/* Is there a row for this operator? */
bool infer_knows(const op_info *op);
/* After changes: computes every node again that is stale (it was made, or given other arguments,
 * since its metadata was inferred) and, as far as dtype, sizes, strides, offset or alias class come
 * out different, its readers; so too in subgraphs, and the call around one where its results differ.
 * A fresh result keeps its alias class, one that the data decides its symbols. *recomputed (or NULL):
 * how many nodes were computed. */
fe_status infer_refresh(fx_graph *g, uint32_t *recomputed);
/* The same of one node that has changed and of what it reaches. */
fe_status infer_update(fx_graph *g, fx_node *n, uint32_t *recomputed);
/* Is the metadata of every node what infer_graph() finds for it, alias classes up to their numbers?
 * The first node of which it is not, or NULL; why: what differs. */
const fx_node *infer_first_untrue(fx_graph *g, const char **why);
/* alias.c: the tensor that item `item` of `count` of return k shows, of a user's operator, by its
 * schema. NULL: none; unclear: the schema names several. */
fx_node *infer_shown(const fx_node *n, uint32_t k, uint32_t item, uint32_t count, bool *unclear);
/* What return k of the call is; NULL where its metadata has no such item. */
fx_value *infer_returned(fx_node *n, uint32_t k);
/* Does PyTorch write numbers of this dtype to that one? */
bool infer_can_cast(ty_dtype from, ty_dtype to);
/* Do the two values agree in kind, dtype, device, sizes, strides and offset (storage numbers
 * aside)? why: what differs. */
bool infer_same_value(fx_graph *g, const fx_value *a, const fx_value *b, const char **why);
/* Is it the recorded value where each size that the inputs give is at least 2, as an export takes it for? */
bool infer_agrees_with_record(fx_graph *g, const fx_value *now, const fx_value *recorded,
                              const char **why);

#endif
