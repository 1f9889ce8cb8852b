/* member.c -- isin: which elements are in a set.
 *
 * PyTorch goes through a small set for each element; otherwise it sorts elements and set together and
 * takes whatever equals its successor. The second way promotes as if both were rows, and shows: also
 * an element counts that meets an equal one of its own kind, one given twice where the caller has said
 * that they are unique, or one that only conversion to the common dtype makes equal.
 */
#include "lower/compose.h"
#include "lower/ops/order.h"

#include <math.h>

enum { FEW_MEMBERS = 16 };

/* ---- when PyTorch sorts ---- */

typedef enum sorting { NEVER, DEPENDS, ALWAYS } sorting;

/* It does where the set has at least 10 n^0.145 elements, n being those looked up. */
static sorting sorts(lowering *l, sym_expr elements, sym_expr set)
{
    int64_t n, of;
    bool known = sym_is_int(l->symbols, elements, &n), known_set = sym_is_int(l->symbols, set, &of);
    if (known && known_set) return of >= (int64_t)(10 * pow((double)n, 0.145)) ? ALWAYS : NEVER;
    return known_set && of < 10 ? NEVER : DEPENDS;
}

static loop_value sorts_now(lowering *l, sym_expr elements, sym_expr set)
{
    loop_program *p = l->program;
    loop_value n = loop_cast(p, TY_F64, loop_index(p, elements));
    n = lower_op2(l, LOOP_POW, n, loop_const_float(p, TY_F64, 0.145));
    n = loop_cast(p, TY_I64, lower_op2(l, LOOP_MUL, n, loop_const_float(p, TY_F64, 10)));
    return lower_op2(l, LOOP_LE, n, loop_index(p, set));
}

/* ---- membership ---- */

/* A reduction over r0 < span of `v`, for each element of x's shape. */
static tensor reduced_by(lowering *l, tensor x, loop_reduce kind, sym_expr span, loop_value v)
{
    tensor out = lower_temp_tensor(l, loop_at(l->program, v)->dtype, x.rank, x.sizes, NULL);
    loop_op *op = lower_nest(l, x.rank, x.sizes, 1, &span);
    sym_expr at = lower_flat(l, l->axes, out.box->view.strides, x.rank);
    lower_store(
        l, op,
        (loop_store){.buffer = out.box->view.buffer, .index = at, .value = v, .reduce = kind});
    return out;
}

/* Is each element of x one of the set, both being of dtype d? A short one is gone through, a long one
 * sorted. */
static loop_value is_member(lowering *l, tensor x, tensor set, ty_dtype d)
{
    loop_value v = loop_cast(l->program, lower_compute_dtype(d), lower_here(l, x));
    if (sym_usual(l->symbols, set.sizes[0]) <= FEW_MEMBERS || ty_is_complex(d)) {
        loop_value member =
            loop_cast(l->program, lower_compute_dtype(d), lower_at(l, set, l->reduce_axes));
        return lower_here(
            l, reduced_by(l, x, LOOP_ANY, set.sizes[0], lower_op2(l, LOOP_EQ, v, member)));
    }
    set = lower_sorted(l, set, 0, false, false).values;
    tensor values = lower_at_least_1d(l, x),
           places = lower_search(l, set, values, (tensor){0}, LOWER_NAN_LAST, NULL);
    loop_value place = lower_here(l, x.rank ? places : lower_squeeze(l, places, 0));
    loop_value inside = lower_op2(l, LOOP_LT, place, loop_index(l->program, set.sizes[0]));
    sym_expr at = lower_lookup(l, place, set.sizes[0], 0);
    loop_value found = loop_cast(l->program, lower_compute_dtype(d), lower_at(l, set, &at));
    return loop_masked(l->program, inside, lower_op2(l, LOOP_EQ, v, found),
                       loop_const_int(l->program, TY_BOOL, 0));
}

/* Does another of the elements become equal to this one in dtype d, and come behind it: in the order
 * they are given where that is kept, or in their own? */
static loop_value is_repeated(lowering *l, tensor x, ty_dtype d, bool as_given)
{
    loop_program *p = l->program;
    ty_dtype wide = lower_compute_dtype(d);
    sym_expr n = lower_numel(l, x);
    tensor own = lower_reshape(l, x, 1, &n), common = lower_cast(l, own, d);
    lower_ranked row = lower_sorted(l, as_given ? common : own, 0, false, as_given);
    tensor sorted = lower_cast(l, row.values, d);
    lower_share(l, sorted);
    loop_value end = lower_here(l, lower_search(l, sorted, common, (tensor){0},
                                                LOWER_NAN_LAST | LOWER_BEHIND_EQUALS, NULL));
    sym_expr last =
        lower_lookup(l, lower_op2(l, LOOP_SUB, end, loop_const_int(p, TY_I64, 1)), n, 0);
    loop_value meets = lower_op2(l, LOOP_EQ, loop_cast(p, wide, lower_at(l, sorted, &last)),
                                 loop_cast(p, wide, lower_here(l, common)));
    loop_value behind =
        as_given ? lower_op2(l, LOOP_NE, lower_at(l, row.places, &last), loop_index(p, l->axes[0]))
                 : lower_op2(l, LOOP_NE, lower_at(l, row.values, &last), lower_here(l, own));
    tensor repeated = lower_value(l, TY_BOOL, 1, &n, lower_op2(l, LOOP_AND, meets, behind));
    return lower_here(l, lower_reshape(l, repeated, x.rank, x.sizes));
}

/* ---- the operator ---- */

static tensor own_tensor(lowering *l, const fx_arg *a)
{
    ty_dtype d = lower_operand(l, a).dtype;
    return lower_tensor_in(l, a, d == TY_F32 && !fx_arg_tensor(a) ? TY_F64 : d);
}

static loop_value member_in(lowering *l, fx_node *n, ty_dtype d)
{
    tensor x = lower_tensor_in(l, &n->args[0], d), set = lower_tensor_in(l, &n->args[1], d);
    sym_expr size = lower_numel(l, set);
    lower_share(l, x);
    return is_member(l, x, lower_reshape(l, set, 1, &size), d);
}

/* `member` is the other way's, in dtype d. */
static loop_value member_by_sorting(lowering *l, fx_node *n, ty_dtype d, loop_value member)
{
    tensor x = own_tensor(l, &n->args[0]);
    ty_dtype own = lower_dtype(x),
             row = ty_promote_types(own, lower_dtype(own_tensor(l, &n->args[1])));
    if (row != d) member = member_in(l, n, row);
    bool as_given = lower_bool(l, "assume_unique"),
         rounds = ty_is_integral(own, false) && ty_is_floating(row) &&
                  ty_dtype_size(own) >= ty_dtype_size(row);
    if (!x.rank || (!as_given && !rounds)) return member;
    return lower_op2(l, LOOP_OR, member, is_repeated(l, x, row, as_given));
}

fe_status lower_op_isin(lowering *l, fx_node *n, const lower_row *row)
{
    (void)row;
    const ty_tensor *out = fx_tensor(n);
    ty_operand operands[2] = {lower_operand(l, &n->args[0]), lower_operand(l, &n->args[1])};
    ty_dtype d = ty_result_type(operands, 2);
    sym_expr elements = sym_product(l->symbols, out->sizes, out->rank),
             set = lower_numel(l, lower_tensor_in(l, &n->args[1], d));
    sorting way = fx_arg_tensor(&n->args[1]) ? sorts(l, elements, set) : NEVER;
    loop_value v = member_in(l, n, d), sorted = way == NEVER ? v : member_by_sorting(l, n, d, v);
    v = way == DEPENDS ? loop_where(l->program, sorts_now(l, elements, set), sorted, v) : sorted;
    if (lower_bool(l, "invert")) v = lower_op1(l, LOOP_NOT, v);
    return lower_give(l, lower_value(l, TY_BOOL, out->rank, out->sizes, v));
}
