/* ragged.h -- symbols that the run defines: definitions, what is asserted of them, and numbers read
 * out of tensors (number.c); lowerings whose sizes the data decides use them (ragged.c, index.c,
 * view.c).
 */
#ifndef FERRITE_LOWER_RAGGED_H
#define FERRITE_LOWER_RAGGED_H

#include "lower/lower_priv.h"

/* ---- define.c ---- */
/* A symbol of no name that the archive knows. */
sym_expr lower_new_symbol(lowering *l, int64_t min, int64_t max);
/* The run gives e the value of t, one integer, or of `value`. e is a symbol that has none yet; where
 * it is an expression it is solved for the one that has none, and asserted to be equal. */
void lower_define(lowering *l, sym_expr e, lower_tensor t);
void lower_define_expr(lowering *l, sym_expr e, sym_expr value);
/* A symbol with the value of t. */
sym_expr lower_read_int(lowering *l, lower_tensor t, int64_t min, int64_t max);
/* Asserts what the export took for granted of the inputs. */
void lower_guards(lowering *l);
/* Asserts what the graph's calls ask of sizes. */
void lower_conditions(lowering *l);
/* To be called where a control op or an assertion was added. */
void lower_note_last_op(lowering *l);
void lower_note_ops(lowering *l); /* ... where ops have moved */
/* Fails the run unless `left op right`; nothing where that is a truth about numbers. The message is
 * `what` (or NULL), the relation, and the source line of the node at hand. */
void lower_assert(lowering *l, sym_expr left, sym_op op, sym_expr right, const char *what);
/* What the run says where sizes do not fit what a node's loops access. */
const char *lower_say_unfit(void *lowering, uint32_t origin, const sym_relation *r);
/* The same unless it can be proved. */
void lower_require(lowering *l, sym_expr left, sym_op op, sym_expr right, const char *what);
/* Two sizes that must be equal, at least one of which only the run knows. */
void lower_require_equal(lowering *l, sym_expr a, sym_expr b);
bool lower_has_unbacked(lowering *l, sym_expr e);
/* The symbols in e that have no value yet, each once, at most `room`; how many there are. */
uint32_t lower_open_symbols(lowering *l, sym_expr e, sym_expr *out, uint32_t room);
sym_expr lower_open_symbol(lowering *l, sym_expr e); /* one of them; none: there is none */
bool lower_is_open(lowering *l, sym_expr e);         /* there is one */
/* Sizes of the node's results: none that nothing defines, and none negative. */
fe_status lower_check_results(lowering *l, const fx_node *n);
/* Moves assertions to where their symbols become known, adds those that the symbols' ranges stand
 * for, and drops definitions that nobody reads. */
void lower_finish_symbols(lowering *l);

/* ---- number.c ---- */
/* The integer or bool t, of rank 0, gives its value to the symbols in v, the number as the program
 * has it. */
void lower_define_number(lowering *l, const fx_value *v, lower_tensor t);
/* A number that no expression says, as a tensor of rank 0. */
fe_status lower_symbolic(lowering *l, fx_node *n);
bool lower_is_computed(lowering *l, const fx_node *n); /* it has such a tensor */

/* ---- digits.c ---- */
bool lower_can_round_to(int64_t digits);
/* round(x, digits) of an f64, as Python rounds. */
loop_value lower_round_to(lowering *l, loop_value x, int64_t digits);

/* ---- ragged.c ---- */
/* Places of the elements of a mask that are set, [count, rank], with the layout that eager gives
 * them; count is defined by the mask, or, none, a new symbol: *count. */
lower_tensor lower_positions(lowering *l, lower_tensor mask, sym_expr *count);

#endif
