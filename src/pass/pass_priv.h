/* pass_priv.h -- the passes, one file each, and what several of them share. */
#ifndef FERRITE_PASS_PRIV_H
#define FERRITE_PASS_PRIV_H

#include "infer/infer.h"
#include "pass/pass.h"

#define PASS(name, what, needs, makes, breaks) fe_status pass_##name(fx_graph *g, bool *changed);
#define PASS_WITH(name, what, needs, makes, breaks) \
    fe_status pass_##name(fx_graph *g, const pass_services *services, void *data, bool *changed);
#include "pass/passes.def"
#undef PASS
#undef PASS_WITH

/* helpers.c */
/* Emits a call and infers its metadata. */
fe_status pass_emit(fx_graph *g, fx_node *before, op_id op, const fx_node *like, uint32_t count,
                    const fx_arg *args, fx_node **out);
/* The same for any operator. */
fe_status pass_call(fx_graph *g, fx_node *before, const op_info *op, const fx_node *like,
                    const fx_arg *args, uint32_t count, fx_node **out);
/* `now` is to stand for `was`: sizes that only the run knows keep the symbols that they had, of which the
 * rest of the program speaks. */
void pass_bind(fx_graph *g, const fx_node *was, const fx_node *now);
/* Bytes known at compile time that no call of the program changes? */
bool pass_is_constant(const fx_graph *g, const fx_node *n);
/* A list of known numbers: one for each dimension of an image, of three at most, or one for all. */
bool pass_numbers(const fx_graph *g, const fx_arg *a, uint32_t dims, int64_t *out);
/* The elements of a contiguous constant, and how many; or NULL. */
const uint8_t *pass_elements_of(const fx_graph *g, const fx_node *n, int64_t *count);
/* The number that all elements of the value are, where the program says so. */
bool pass_known_number(const fx_graph *g, const fx_node *n, double *out);
/* Must the node stay although nobody reads it? */
bool pass_has_effect(const fx_node *n);
/* Is it a number made of numbers that the run finds, after which sizes behind it are named? */
bool pass_gives_size(const fx_graph *g, const fx_node *n);
/* The same constant or node, lists item for item. */
bool pass_same_arg(const fx_arg *a, const fx_arg *b);
/* May the reader's value share memory with n's? True also where its metadata is still to be inferred
 * and its operator may give a view. */
bool pass_may_alias(const fx_node *n, const fx_node *user);
/* Does the value, or something that aliases it, leave the graph as a result? */
bool pass_leaves(const fx_graph *g, const fx_node *n);
/* A copy of the argument with its nodes mapped, lists included; *changed is set where any was. */
fx_arg pass_map_arg(fx_graph *g, const fx_arg *a, fx_node *(*map_node)(void *data, fx_node *a),
                    void *data, bool *changed);
/* Replaces every node argument a of n by map(data, a), lists included. */
void pass_map_args(fx_graph *g, fx_node *n, fx_node *(*map_node)(void *data, fx_node *a),
                   void *data);

#endif
