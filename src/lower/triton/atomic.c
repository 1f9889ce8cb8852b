/* atomic.c -- atomic operations. Those that add to memory, or leave an extreme there, do not depend on which
 * program instance is the first. Others do, and so does who reads what was in memory before: of a kernel
 * that has such, program instances are taken one after the other, as Triton's interpreter does. Locks
 * are free then, and a program that waits for an earlier one need not wait.
 */
#include "lower/triton/triton.h"

#include <string.h>

typedef struct atomic_kind {
    const char *name;
    loop_store_mode mode; /* LOOP_SET: only in turn */
    loop_opcode op;       /* of the old value and the new one; LOOP_NOTHING: the new one is kept */
    bool is_unsigned;
} atomic_kind;

static const atomic_kind KINDS[] = {
    {"fadd", LOOP_ADD_INTO, LOOP_ADD, false}, {"add", LOOP_ADD_INTO, LOOP_ADD, false},
    {"max", LOOP_MAX_INTO, LOOP_MAX, false},  {"min", LOOP_MIN_INTO, LOOP_MIN, false},
    {"umax", LOOP_SET, LOOP_MAX, true},       {"umin", LOOP_SET, LOOP_MIN, true},
    {"and", LOOP_SET, LOOP_AND, false},       {"or", LOOP_SET, LOOP_OR, false},
    {"xor", LOOP_SET, LOOP_XOR, false},       {"exch", LOOP_SET, LOOP_NOTHING, false}};

static const atomic_kind *kind_of(const ttir_op *op)
{
    for (size_t k = 0; k < COUNT_OF(KINDS) && op->word_count; k++)
        if (strcmp(KINDS[k].name, op->words[0]) == 0) return &KINDS[k];
    return NULL;
}

bool triton_uses_old(const ttir_kernel *kernel, const ttir_op *op)
{
    return op->result_count && kernel->uses.at[op->result];
}

/* ---- which kernels take turns ---- */

typedef bool question(const ttir_kernel *kernel, const ttir_op *op);

static bool any(const ttir_kernel *kernel, const ttir_block *block, question *ask)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        if (ask(kernel, op)) return true;
        for (uint32_t r = 0; r < op->region_count; r++)
            if (any(kernel, &op->regions[r], ask)) return true;
    }
    return false;
}

static bool is_in_turn(const ttir_kernel *kernel, const ttir_op *op)
{
    triton_extreme extreme;
    if (op->code == TTIR_ATOMIC_CAS) return true;
    if (op->code != TTIR_ATOMIC || triton_is_extreme(kernel, op, &extreme)) return false;
    const atomic_kind *kind = kind_of(op);
    return triton_uses_old(kernel, op) || (kind && kind->mode == LOOP_SET) ||
           ty_is_half(kernel->types.at[op->operands[1]].dtype);
}

static bool is_atomic(const ttir_kernel *kernel, const ttir_op *op)
{
    triton_extreme extreme;
    return op->code == TTIR_ATOMIC && !triton_is_extreme(kernel, op, &extreme);
}

/* A pointer to floats as one to integers. */
static bool is_reinterpreted(const ttir_kernel *kernel, const ttir_op *op)
{
    if (op->code != TTIR_TT_BITCAST && op->code != TTIR_BITCAST) return false;
    const ttir_type *from = &kernel->types.at[op->operands[0]], *to = &kernel->types.at[op->result];
    return from->is_pointer && ty_is_integral(from->dtype, true) != ty_is_integral(to->dtype, true);
}

bool triton_has_turns(const ttir_kernel *kernel)
{
    return any(kernel, &kernel->body, is_in_turn) ||
           (any(kernel, &kernel->body, is_atomic) && any(kernel, &kernel->body, is_reinterpreted));
}

/* Numbers that the kernel takes for signed ones, or not, are such in memory too. */
static bool is_of_sign(const atomic_kind *kind, ty_dtype held)
{
    bool is_extreme = kind->mode == LOOP_MAX_INTO || kind->mode == LOOP_MIN_INTO;
    return !is_extreme || ty_dtype_kind(held) != TY_KIND_UNSIGNED;
}

static fe_status leave_extreme(triton *t, const ttir_op *op, const triton_extreme *e)
{
    if (e->is_done) return FE_OK;
    return triton_write_to(t, op, lower_here(t->l, triton_tensor(t, e->number)), e->mask, e->mode);
}

/* ---- in turn ---- */

/* What is in memory before; a block of places must be of different ones, as what one element leaves there is
 * what another would find. */
static fe_status read_old(triton *t, const ttir_op *op, ttir_value mask, lower_tensor *old)
{
    sym_expr sizes[LOWER_MAX_RANK];
    const ttir_type *type = triton_type(t, op->operands[1]);
    uint32_t rank = triton_sizes(t, type, sizes);
    triton_axes all = triton_axes_of(t, rank, sizes);
    sym_expr e = triton_expr(t, triton_here(t, op, 0));
    bool is_one_by_one = !sym_is_none(e) && !sym_has_kind(t->s, e, SYM_INDIRECT) &&
                         triton_is_injective(&all, e, true);
    if (!is_one_by_one && rank) return triton_fail(t, "of places that may be the same");
    FE_TRY(triton_read(t, op, type, mask, 0, old));
    lower_realise(t->l, old->box, NULL);
    return FE_OK;
}

static loop_value without_sign(triton *t, loop_value v)
{
    ty_dtype d = loop_at(t->p, v)->dtype == TY_I64 ? TY_U64 : TY_U32;
    return loop_cast(t->p, d, v);
}

static loop_value next_value(triton *t, const atomic_kind *kind, loop_value old, loop_value v)
{
    ty_dtype d = loop_at(t->p, v)->dtype, wide = lower_compute_dtype(d);
    if (!kind->op) return v;
    if (kind->is_unsigned)
        v = loop_binary(t->p, kind->op, without_sign(t, old), without_sign(t, v));
    else
        v = loop_binary(t->p, kind->op, loop_cast(t->p, wide, old), loop_cast(t->p, wide, v));
    return loop_cast(t->p, d, v);
}

static void give_old(triton *t, const ttir_op *op, lower_tensor old)
{
    if (op->result_count) triton_give_tensor(t, op, old);
}

fe_status triton_atomic(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    const atomic_kind *kind = kind_of(op);
    ttir_value mask = op->operand_count > 2 ? op->operands[2] : 0;
    loop_value v = triton_here(t, op, 1);
    uint32_t argument = t->values[op->operands[0]].argument;
    lower_tensor old;
    triton_extreme extreme;
    if (!kind) return triton_fail(t, "by '%s'", op->word_count ? op->words[0] : "");
    if (!argument) return triton_fail(t, "to what is no pointer to an argument");
    ty_dtype held = t->memories[argument - 1].tensor->dtype;
    bool is_whole = triton_fits(held, loop_at(t->p, v)->dtype) && is_of_sign(kind, held);
    if (!triton_has_turns(t->kernel) && triton_is_extreme(t->kernel, op, &extreme))
        return leave_extreme(t, op, &extreme);
    if (!is_in_turn(t->kernel, op) && is_whole) return triton_write_to(t, op, v, mask, kind->mode);
    if (!triton_has_turns(t->kernel)) return triton_fail(t, "of memory that holds something else");
    FE_TRY(read_old(t, op, mask, &old));
    FE_TRY(triton_write_to(t, op, next_value(t, kind, lower_here(t->l, old), v), mask, LOOP_SET));
    give_old(t, op, old);
    return FE_OK;
}

fe_status triton_compare_and_swap(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    lower_tensor old;
    FE_TRY(read_old(t, op, 0, &old));
    loop_value before = lower_here(t->l, old);
    loop_value is_it = loop_binary(t->p, LOOP_EQ, before, triton_here(t, op, 1));
    FE_TRY(triton_write_to(t, op, loop_where(t->p, is_it, triton_here(t, op, 2), before), 0,
                           LOOP_SET));
    give_old(t, op, old);
    return FE_OK;
}
