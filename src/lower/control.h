/* control.h -- subgraphs in the program that calls them: what control.c (cond) and repeat.c (loops)
 * share. */
#ifndef FERRITE_LOWER_CONTROL_H
#define FERRITE_LOWER_CONTROL_H

#include "lower/ragged.h"

typedef VEC(lower_tensor) control_list;

/* Everything that a subgraph reads of an argument, lists taken apart. A number that an expression
 * says has no tensor: the subgraph's own metadata has the expression. */
fe_status control_operands(lowering *l, const fx_arg *a, control_list *out);
/* The same with memory for the numbers, too. */
fe_status control_carried(lowering *l, const fx_arg *a, control_list *out);
void control_give_memory(lowering *l, const control_list *operands);
loop_op *control_add(lowering *l, loop_control which);
/* What the region writes that is read after it. */
void control_set_outputs(lowering *l, loop_op *op, const control_list *buffers);

/* The graph that is the node's k-th argument, or NULL. */
fx_graph *control_graph(const fx_node *n, uint32_t k);
/* The subgraph's ops at the end of the program; its results may be unrealised, numbers are tensors of
 * rank 0. Symbols that these ops define are known until control_end_scope. */
fe_status control_body(lowering *l, fx_graph *sub, const control_list *operands,
                       control_list *results);
/* The symbols that the ops from `begin` on have defined mean nothing behind the last of them. */
void control_end_scope(lowering *l, uint32_t begin);

/* ---- repeated ops ---- */
/* The ops from here to control_end_repeat run `count` times. *step: the number of the run. Returns the
 * place of the first. */
uint32_t control_begin_repeat(lowering *l, sym_expr count, sym_expr *step);
void control_end_repeat(lowering *l, uint32_t begin);

/* The next values of what is carried, all of which are computed before the first is overwritten. */
fe_status control_carry_on(lowering *l, const control_list *carried, control_list *next);

/* ---- results ---- */
uint32_t control_result_count(const fx_node *n);
/* Memory for result k of the node, laid out as recorded. */
fe_status control_add_result(lowering *l, uint32_t k, control_list *out);
/* The numbers among the results are what is in their memory. */
void control_define_results(lowering *l, const control_list *results);
/* Sizes and dtype must be those that the caller was promised. */
fe_status control_check_result(lowering *l, lower_tensor from, uint32_t rank, const sym_expr *sizes,
                               ty_dtype dtype);
void control_store(lowering *l, lower_tensor to, lower_tensor from, sym_expr offset);

/* ---- tests ---- */
/* One bool in memory, or a predicate over sizes. */
typedef struct control_test {
    loop_view view;
    sym_expr predicate;
} control_test;
fe_status control_test_tensor(lowering *l, lower_tensor t, control_test *out);
void control_set_test(lowering *l, loop_op *op, const control_test *t);

#endif
