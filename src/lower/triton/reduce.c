/* reduce.c -- reductions of blocks: each is one nest, whose axes end where a mask puts what changes nothing
 * in the place of elements. What a loop adds up and the kernel then reduces along the block is one
 * reduction over both.
 */
#include "lower/triton/triton.h"

#include <string.h>

typedef struct reduction {
    ttir_code code; /* what joins two elements */
    loop_reduce kind;
    loop_reduce of_bools; /* the same of i1 */
} reduction;

static const reduction REDUCTIONS[] = {
    {TTIR_ADDF, LOOP_SUM, LOOP_SUM},
    {TTIR_ADDI, LOOP_SUM, LOOP_REDUCE_XOR},
    {TTIR_MULF, LOOP_PROD, LOOP_PROD},
    {TTIR_MULI, LOOP_PROD, LOOP_ALL},
    {TTIR_MAXNUMF, LOOP_REDUCE_MAX, LOOP_REDUCE_MAX},
    {TTIR_MAXIMUMF, LOOP_REDUCE_MAX, LOOP_REDUCE_MAX},
    {TTIR_MAXSI, LOOP_REDUCE_MAX, LOOP_ALL},
    {TTIR_MINNUMF, LOOP_REDUCE_MIN, LOOP_REDUCE_MIN},
    {TTIR_MINIMUMF, LOOP_REDUCE_MIN, LOOP_REDUCE_MIN},
    {TTIR_MINSI, LOOP_REDUCE_MIN, LOOP_ANY},
    {TTIR_XORI, LOOP_REDUCE_XOR, LOOP_REDUCE_XOR},
};

loop_reduce triton_reduction(ttir_code code, bool of_bools)
{
    for (size_t k = 0; k < COUNT_OF(REDUCTIONS); k++)
        if (REDUCTIONS[k].code == code)
            return of_bools ? REDUCTIONS[k].of_bools : REDUCTIONS[k].kind;
    return LOOP_NO_REDUCE;
}

/* The one operation on the two arguments whose result the region returns. */
static ttir_code joined_by(const ttir_op *op)
{
    const ttir_block *region = op->region_count ? &op->regions[0] : NULL;
    if (!region || region->ops.count != 2 || region->argument_count != 2) return TTIR_NOTHING;
    const ttir_op *join = &region->ops.at[0], *end = &region->ops.at[1];
    bool is_end = end->code == TTIR_REDUCE_RETURN || end->code == TTIR_SCAN_RETURN;
    bool is_returned = is_end && end->operand_count == 1 && join->result_count == 1 &&
                       end->operands[0] == join->result;
    return is_returned ? join->code : TTIR_NOTHING;
}

/* An extreme that passes over NaN: these become what is never the extreme. */
static loop_value without_nan(triton *t, loop_value v, bool is_max)
{
    loop_value least = lower_extreme(t->l, loop_at(t->p, v)->dtype, !is_max);
    return loop_where(t->p, loop_unary(t->p, LOOP_ISNAN, v), least, v);
}

loop_value triton_neutral(triton *t, ttir_code code, ty_dtype d)
{
    switch (triton_reduction(code, d == TY_BOOL)) {
    case LOOP_SUM:
    case LOOP_REDUCE_XOR: return loop_cast(t->p, d, loop_const_int(t->p, TY_I32, 0));
    case LOOP_REDUCE_MAX: return lower_extreme(t->l, d, false);
    case LOOP_REDUCE_MIN: return lower_extreme(t->l, d, true);
    default: return (loop_value){0};
    }
}

bool triton_is_neutral(triton *t, ttir_code code, loop_value v)
{
    return v.id == triton_neutral(t, code, loop_at(t->p, v)->dtype).id;
}

/* ---- shorter axes ---- */

typedef struct reducing {
    triton_axes over;
    ttir_code code;
    loop_value value;
    loop_facts conditions; /* in the value */
} reducing;

static void note_condition(void *data, loop_value v)
{
    reducing *r = data;
    loop_opcode op = loop_at(r->over.t->p, v)->op;
    if (op == LOOP_LT || op == LOOP_LE) vec_push(r->over.t->l->memory, &r->conditions, v);
}

/* Where a condition is not met nothing is added: the axis ends where the condition does. */
static void cut(reducing *r, uint32_t k)
{
    loop_program *p = r->over.t->p;
    loop_value no = loop_const_int(p, TY_BOOL, 0), yes = loop_const_int(p, TY_BOOL, 1);
    r->conditions.count = 0;
    loop_each_node(p, r->value, note_condition, r);
    for (uint32_t c = 0; c < r->conditions.count; c++) {
        loop_value condition = r->conditions.at[c];
        if (!triton_is_neutral(r->over.t, r->code, loop_replace_value(p, r->value, condition, no)))
            continue;
        if (!triton_holds(&r->over, condition) && !triton_cut(&r->over, condition, k)) continue;
        r->value = loop_replace_value(p, r->value, condition, yes);
        cut(r, k);
        return;
    }
}

/* Are both axes steps of one? Then they become that; the number of the inner one changes. */
static bool merge(reducing *r, uint32_t outer, uint32_t *inner)
{
    triton *t = r->over.t;
    sym_expr from[2], to[2], extent = triton_merge(&r->over, outer, *inner, from, to);
    loop_value v = loop_substitute(t->p, r->value, from, to, 1);
    if (loop_uses_axis(t->p, v, from[1])) return false;
    r->value = v;
    r->over.extents[*inner] = extent;
    triton_drop_axis(&r->over, outer);
    *inner -= *inner > outer;
    return true;
}

static lower_tensor with_shorter_axes(triton *t, ttir_code code, lower_tensor x, bool *reduced,
                                      uint32_t outer, uint32_t inner)
{
    reducing r = {
        .over = triton_axes_of(t, x.rank, x.sizes), .code = code, .value = lower_here(t->l, x)};
    bool is_one = outer != TRITON_NO_AXIS && merge(&r, outer, &inner);
    if (outer != TRITON_NO_AXIS && !is_one) cut(&r, outer);
    cut(&r, inner);
    reduced[inner] = true;
    if (outer != TRITON_NO_AXIS && !is_one) reduced[outer] = true;
    loop_value v = loop_substitute(t->p, r.value, r.over.axes, t->l->axes, r.over.rank);
    return lower_value(t->l, lower_dtype(x), r.over.rank, r.over.extents, v);
}

lower_tensor triton_reduced(triton *t, ttir_code code, lower_tensor x, uint32_t outer, uint32_t dim)
{
    bool reduced[LOWER_MAX_RANK] = {false};
    ty_dtype d = lower_compute_dtype(lower_dtype(x));
    x = lower_cast(t->l, x, d);
    if (code == TTIR_MAXNUMF || code == TTIR_MINNUMF)
        x = lower_value(t->l, d, x.rank, x.sizes,
                        without_nan(t, lower_here(t->l, x), code == TTIR_MAXNUMF));
    if (!x.box->realised)
        x = with_shorter_axes(t, code, x, reduced, outer, dim);
    else
        reduced[dim] = true;
    return lower_reduced(t->l, triton_reduction(code, d == TY_BOOL), x, reduced, false, NULL);
}

/* ---- the place of an extreme ---- */

/* Does the region take the greater (or the lesser) of two values and, with it, its place? The codes of
 * its operations tell: a comparison and two choices, and in front of these, where of equals the first
 * counts, what says so. */
static bool finds_place(const ttir_op *op, bool *is_max)
{
    static const ttir_code SIMPLE[] = {TTIR_NOTHING, TTIR_SELECT, TTIR_SELECT, TTIR_REDUCE_RETURN},
                           FIRST[] = {TTIR_NOTHING, TTIR_CMPI,   TTIR_ANDI,   TTIR_NOTHING,
                                      TTIR_ORI,     TTIR_SELECT, TTIR_SELECT, TTIR_REDUCE_RETURN};
    const ttir_block *region = &op->regions[0];
    bool is_simple = region->ops.count == COUNT_OF(SIMPLE);
    const ttir_code *codes = is_simple ? SIMPLE : FIRST;
    if (region->argument_count != 4 || (!is_simple && region->ops.count != COUNT_OF(FIRST)))
        return false;
    for (uint32_t k = 0; k < region->ops.count; k++) {
        ttir_code code = region->ops.at[k].code;
        if (code != codes[k] && (codes[k] || (code != TTIR_CMPF && code != TTIR_CMPI)))
            return false;
    }
    const ttir_op *compare = &region->ops.at[is_simple ? 0 : 3];
    const char *word = compare->word_count ? compare->words[0] : "";
    *is_max = strcmp(word, "ogt") == 0 || strcmp(word, "sgt") == 0;
    return (*is_max || strcmp(word, "olt") == 0 || strcmp(word, "slt") == 0) &&
           compare->operands[0] == region->arguments[0] &&
           compare->operands[1] == region->arguments[2];
}

/* The extreme of operand 0, and what operand 1 has at its place. */
static fe_status reduce_pair(triton *t, const ttir_op *op, uint32_t dim)
{
    bool is_max, reduced[LOWER_MAX_RANK] = {false};
    sym_expr at[LOWER_MAX_RANK];
    if (op->result_count != 2 || !finds_place(op, &is_max)) return triton_reduce_by(t, op, dim);
    lower_tensor x = triton_operand(t, op, 0), second = triton_operand(t, op, 1);
    ty_dtype d = lower_compute_dtype(lower_dtype(x));
    loop_value v = loop_cast(t->p, d, lower_here(t->l, x));
    if (ty_is_floating(d)) v = without_nan(t, v, is_max);
    reduced[dim] = true;
    x = lower_value(t->l, d, x.rank, x.sizes, v);
    lower_share(t->l, x);
    lower_tensor extreme =
        lower_reduced(t->l, is_max ? LOOP_REDUCE_MAX : LOOP_REDUCE_MIN, x, reduced, false, NULL);
    lower_tensor place =
        lower_reduced(t->l, is_max ? LOOP_ARGMAX : LOOP_ARGMIN, x, reduced, false, NULL);
    for (uint32_t k = 0; k < x.rank; k++) at[k] = t->l->axes[k - (k > dim)];
    at[dim] = lower_lookup(t->l, lower_here(t->l, place), x.sizes[dim], LOOP_ELEMENTS);
    lower_tensor found =
        lower_value(t->l, lower_dtype(second), place.rank, place.sizes, lower_at(t->l, second, at));
    triton_set(t, op, 0,
               (triton_value){.t = lower_cast(t->l, extreme, triton_type(t, op->result)->dtype)});
    triton_set(t, op, 1, (triton_value){.t = found});
    return FE_OK;
}

/* ---- pairs ---- */

/* Both elements of an axis of two, as one expression. */
static lower_tensor xor_of_pair(triton *t, lower_tensor x, uint32_t dim)
{
    return lower_binary(t->l, LOOP_XOR, lower_select(t->l, x, dim, t->l->zero),
                        lower_select(t->l, x, dim, t->l->one));
}

static const ttir_op *made_by(const triton *t, ttir_value v, ttir_code code)
{
    const ttir_op *op = t->kernel->makers[v];
    return op && op->code == code ? op : NULL;
}

/* Is `sums` of each element of x what it and its neighbour come to, by xor, along an axis of two? Sorting
 * networks of tl.sort ask for the neighbour so: x ^ (x ^ neighbour). */
static bool holds_neighbours(const triton *t, ttir_value x, ttir_value sums, uint32_t *axis)
{
    const ttir_op *wide = made_by(t, sums, TTIR_BROADCAST),
                  *apart = wide ? made_by(t, wide->operands[0], TTIR_EXPAND_DIMS) : NULL,
                  *reduce = apart ? made_by(t, apart->operands[0], TTIR_REDUCE) : NULL;
    if (!reduce || reduce->operand_count != 1 || reduce->operands[0] != x) return false;
    int64_t dim = ttir_integer(reduce, "axis", 0);
    *axis = (uint32_t)dim;
    return joined_by(reduce) == TTIR_XORI && ttir_integer(apart, "axis", 0) == dim && dim >= 0 &&
           dim < triton_type(t, x)->rank && triton_type(t, x)->sizes[dim] == 2;
}

fe_status triton_exclusive_or(triton *t, const ttir_op *op, int opcode)
{
    sym_expr at[LOWER_MAX_RANK];
    uint32_t axis;
    for (uint32_t k = 0; k < 2; k++) {
        if (!holds_neighbours(t, op->operands[k], op->operands[!k], &axis)) continue;
        lower_tensor x = triton_operand(t, op, k);
        uint32_t dim = t->lead_count + axis;
        for (uint32_t d = 0; d < x.rank; d++) at[d] = t->l->axes[d];
        at[dim] = sym_sub(t->s, t->l->one, at[dim]);
        triton_give(t, op, lower_at(t->l, x, at));
        return FE_OK;
    }
    return triton_number(t, op, opcode);
}

/* ---- the operations ---- */

static bool is_axis(const triton *t, const ttir_op *op, uint32_t *dim)
{
    int64_t axis = ttir_integer(op, "axis", 0);
    *dim = t->lead_count + (uint32_t)axis;
    return axis >= 0 && axis < triton_type(t, op->operands[0])->rank;
}

fe_status triton_reduce(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    uint32_t dim;
    ttir_code code = joined_by(op);
    if (!is_axis(t, op, &dim)) return triton_fail(t, "along no axis");
    if (op->operand_count == 2) return reduce_pair(t, op, dim);
    if (op->operand_count != 1 || !triton_reduction(code, false))
        return triton_reduce_by(t, op, dim);
    const triton_value *x = &t->values[op->operands[0]];
    lower_tensor v;
    if (code == TTIR_XORI && triton_type(t, op->operands[0])->sizes[dim - t->lead_count] == 2)
        v = xor_of_pair(t, triton_operand(t, op, 0), dim);
    else if (x->steps.box && x->code == code && x->loops == t->loops)
        v = triton_reduced(t, code, x->steps, t->lead_count, dim + 1);
    else
        v = triton_reduced(t, code, triton_operand(t, op, 0), TRITON_NO_AXIS, dim);
    triton_give_tensor(t, op, lower_cast(t->l, v, triton_type(t, op->result)->dtype));
    return FE_OK;
}

/* What the elements up to each one, or from each one on, come to. */
fe_status triton_scan(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    uint32_t dim, axes = 0;
    ttir_code code = joined_by(op);
    lower_tensor x = triton_operand(t, op, 0);
    sym_expr from[LOWER_MAX_RANK], extents[LOWER_MAX_RANK];
    const ttir_attribute *reverse = ttir_find(op, "reverse");
    bool is_reverse = reverse && reverse->text && strcmp(reverse->text, "true") == 0;
    loop_reduce kind = triton_reduction(code, false);
    if (!is_axis(t, op, &dim)) return triton_fail(t, "along no axis");
    if (op->operand_count != 1 || (kind != LOOP_SUM && kind != LOOP_PROD) ||
        lower_dtype(x) == TY_BOOL)
        return triton_scan_by(t, op, dim, is_reverse);
    ty_dtype d = lower_compute_dtype(lower_dtype(x));
    for (uint32_t k = 0; k < x.rank; k++) {
        from[k] = k == dim ? t->l->reduce_axes[0] : t->l->axes[axes];
        if (k != dim) extents[axes++] = x.sizes[k];
    }
    if (is_reverse) from[dim] = sym_sub(t->s, sym_add_int(t->s, x.sizes[dim], -1), from[dim]);
    lower_tensor out = lower_temp_tensor(t->l, d, x.rank, x.sizes, NULL);
    loop_op *nest = lower_nest(t->l, axes, extents, 1, &x.sizes[dim]);
    lower_store(t->l, nest,
                (loop_store){.buffer = out.box->view.buffer,
                             .index = lower_flat(t->l, from, out.box->view.strides, x.rank),
                             .value = loop_cast(t->p, d, lower_at(t->l, x, from)),
                             .reduce = kind,
                             .scan = true});
    triton_give_tensor(t, op, lower_cast(t->l, out, triton_type(t, op->result)->dtype));
    return FE_OK;
}
