/* loop.c -- loops of a kernel.
 *
 * The steps of a loop become one more axis where they do not depend on each other: what a step hands to the
 * next one is kept, counts on by the same amount, or is a sum or an extreme that only the loop's end is
 * read of. Then the sum is a reduction over that axis, and that of products of blocks is one longer
 * product. Steps of other loops are taken one after the other (steps.c).
 */
#include "lower/triton/loop.h"

#include "lower/ragged.h"

#include <string.h>

/* Does the program take this step? */
loop_value triton_is_taken(const triton_loop *loop, sym_expr step)
{
    return loop_binary(loop->t->p, LOOP_LT, loop_index(loop->t->p, step), loop->count);
}

/* ---- what depends on the step ---- */

static bool any_varies(const triton_loop *loop, const ttir_op *op)
{
    for (uint32_t k = 0; k < op->operand_count; k++)
        if (loop->varies[op->operands[k]]) return true;
    return false;
}

static bool stays(const triton_loop *loop, const ttir_op *op)
{
    bool reads = op->code == TTIR_LOAD || op->code == TTIR_STORE || op->code == TTIR_ATOMIC ||
                 op->code == TTIR_ATOMIC_CAS;
    return !op->region_count && op->result_count && !reads && !any_varies(loop, op);
}

static void find_varying(triton_loop *loop)
{
    for (uint32_t k = 0; k < loop->body->argument_count; k++)
        loop->varies[loop->body->arguments[k]] = true;
    for (uint32_t k = 0; k < loop->body->ops.count; k++) {
        const ttir_op *op = &loop->body->ops.at[k];
        for (uint32_t r = 0; r < op->result_count; r++)
            loop->varies[op->result + r] = !stays(loop, op);
    }
}

static const ttir_op *maker_of(const ttir_block *block, ttir_value v)
{
    for (uint32_t k = 0; k < block->ops.count; k++) {
        const ttir_op *op = &block->ops.at[k];
        if (op->result_count == 1 && op->result == v) return op;
    }
    return NULL;
}

static void understand(const triton_loop *loop, uint32_t k, triton_carried *out)
{
    ttir_value before = loop->body->arguments[k + 1], after = loop->yield->operands[k];
    const ttir_op *op = maker_of(loop->body, after);
    *out = (triton_carried){.how = before == after ? TRITON_KEPT : TRITON_CARRIED, .op = op};
    if (before == after || !op || op->operand_count < 2) return;
    bool is_first = op->operands[0] == before;
    bool alone = loop->t->kernel->uses.at[before] == 1 && loop->t->kernel->uses.at[after] == 1;
    out->by = op->operands[is_first];
    if (op->code == TTIR_DOT && op->operand_count > 2 && op->operands[2] == before && alone)
        out->how = TRITON_MULTIPLIED;
    if (!is_first && op->operands[1] != before) return;
    if ((op->code == TTIR_ADDI || (op->code == TTIR_ADDPTR && is_first)) && !loop->varies[out->by])
        out->how = TRITON_COUNTED;
    else if (alone && triton_reduction(op->code, false))
        out->how = TRITON_SUMMED;
}

static void understand_all(triton_loop *loop)
{
    loop->varies = NEW_ARRAY(loop->t->l->memory, bool, loop->t->kernel->types.count);
    find_varying(loop);
    for (uint32_t k = 0; k < loop->carried_count; k++) understand(loop, k, &loop->carried[k]);
}

/* ---- all steps at once ---- */

static bool can_be_an_axis(triton_loop *loop)
{
    if (loop->is_late) return false;
    for (uint32_t k = 0; k < loop->t->in_order.count; k++)
        if (loop->t->in_order.at[k] == loop->op) return false;
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        const triton_carried *c = &loop->carried[k];
        ty_dtype d = triton_type(loop->t, loop->body->arguments[k + 1])->dtype;
        if (c->how == TRITON_CARRIED) return false;
        if (loop->is_ragged && c->how == TRITON_SUMMED &&
            !triton_neutral(loop->t, c->op->code, d).id)
            return false;
    }
    return loop->t->lead_count + 1 + loop->t->most_rank <= LOWER_MAX_RANK &&
           !triton_meets_in_memory(loop->t, loop->op);
}

/* What does not depend on the step is made once. */
fe_status triton_run_what(triton_loop *loop, bool varying, bool ends)
{
    triton *t = loop->t;
    for (uint32_t k = 0; k < loop->body->ops.count; k++) {
        const ttir_op *op = &loop->body->ops.at[k];
        bool is_end = false;
        for (uint32_t c = 0; c < loop->carried_count; c++)
            is_end |= loop->carried[c].how >= TRITON_SUMMED && loop->carried[c].op == op;
        if ((is_end && !ends) || stays(loop, op) == varying) continue;
        ttir_block one = {.ops = {(ttir_op *)(uintptr_t)op, 1, 1}};
        FE_TRY(triton_run(t, &one));
    }
    t->op = loop->op;
    return FE_OK;
}

/* An integer as an index where it is an expression. */
static loop_value sum_of(triton *t, loop_value a, loop_value b)
{
    sym_expr x = triton_expr(t, a), y = triton_expr(t, b);
    if (!sym_is_none(x) && !sym_is_none(y)) return loop_index(t->p, sym_add(t->s, x, y));
    return loop_binary(t->p, LOOP_ADD, loop_cast(t->p, TY_I64, a), loop_cast(t->p, TY_I64, b));
}

static loop_value product_of(triton *t, loop_value a, loop_value b)
{
    sym_expr x = triton_expr(t, a), y = triton_expr(t, b);
    if (!sym_is_none(x) && !sym_is_none(y)) return loop_index(t->p, sym_mul(t->s, x, y));
    return loop_binary(t->p, LOOP_MUL, loop_cast(t->p, TY_I64, a), loop_cast(t->p, TY_I64, b));
}

/* before + times * amount */
static triton_value counted(triton *t, ttir_value type_of, triton_value before, ttir_value amount,
                            loop_value times)
{
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t rank = triton_sizes(t, triton_type(t, type_of), sizes);
    ty_dtype d = before.argument ? TY_I64 : lower_dtype(before.t);
    loop_value from = lower_here(t->l, before.t), by = lower_here(t->l, triton_tensor(t, amount)),
               v = loop_cast(t->p, d, sum_of(t, from, product_of(t, by, times)));
    return (triton_value){
        .t = lower_value(t->l, d, rank, sizes, v), .argument = before.argument, .loops = t->loops};
}

triton_value triton_counted_up(triton_loop *loop, uint32_t k)
{
    return counted(loop->t, loop->op->result + k, triton_initial(loop, k), loop->carried[k].by,
                   loop->count);
}

triton_value triton_initial(triton_loop *loop, uint32_t k)
{
    return triton_made(loop->t, loop->op->operands[k + 3]);
}

/* What gets memory within the loop does not have it outside. */
static triton_value kept(triton_loop *loop, uint32_t k)
{
    triton_value v = triton_initial(loop, k);
    if (!v.t.box->realised)
        v.t = lower_value(loop->t->l, lower_dtype(v.t), v.t.rank, v.t.sizes,
                          lower_here(loop->t->l, v.t));
    return v;
}

void triton_begin_step(triton_loop *loop, sym_expr step)
{
    triton *t = loop->t;
    loop_value at = loop_index(t->p, step);
    ttir_value counter = loop->body->arguments[0];
    ty_dtype d = triton_type(t, counter)->dtype;
    loop_value v = loop_cast(t->p, d, sum_of(t, loop->low, product_of(t, loop->step, at)));
    t->values[counter] =
        (triton_value){.t = lower_value(t->l, d, t->lead_count, t->lead, v), .loops = t->loops};
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        const triton_carried *c = &loop->carried[k];
        ttir_value argument = loop->body->arguments[k + 1];
        if (c->how == TRITON_KEPT) t->values[argument] = kept(loop, k);
        if (c->how == TRITON_COUNTED)
            t->values[argument] = counted(t, argument, triton_initial(loop, k), c->by, at);
    }
}

/* Values at a step, which is the last of the axes in front. */
static void begin_steps(triton_loop *loop)
{
    triton *t = loop->t;
    sym_expr at = t->l->axes[t->lead_count];
    t->lead[t->lead_count++] = loop->most;
    t->around[t->loops++] = loop->op;
    if (loop->is_ragged) t->condition = triton_condition_of(t, triton_is_taken(loop, at));
    triton_begin_step(loop, at);
}

/* x at each step, and what changes nothing where the program takes no such step. */
static lower_tensor taken(triton_loop *loop, ttir_code code, lower_tensor x)
{
    triton *t = loop->t;
    if (!loop->is_ragged) return x;
    loop_value v = lower_here(t->l, x), none = triton_neutral(t, code, loop_at(t->p, v)->dtype);
    loop_value condition = triton_is_taken(loop, t->l->axes[t->lead_count - 1]);
    return lower_value(t->l, lower_dtype(x), x.rank, x.sizes, loop_where(t->p, condition, v, none));
}

static lower_tensor added(triton_loop *loop, const triton_carried *c)
{
    return taken(loop, c->op->code, triton_tensor(loop->t, c->by));
}

/* The sum over all steps, [..., steps, sizes] to [..., sizes]. */
static lower_tensor summed(triton_loop *loop, const triton_carried *c)
{
    return triton_reduced(loop->t, c->op->code, added(loop, c), TRITON_NO_AXIS,
                          loop->t->lead_count - 1);
}

/* Does it begin as what changes nothing? Then the sum waits for who reads it. */
static bool can_wait(triton_loop *loop, uint32_t k)
{
    triton *t = loop->t;
    const lower_box *box = triton_tensor(t, loop->op->operands[k + 3]).box;
    return loop->carried[k].how == TRITON_SUMMED && !box->realised &&
           triton_type(t, loop->op->result + k)->dtype == lower_compute_dtype(box->dtype) &&
           triton_is_neutral(t, loop->carried[k].op->code, box->value);
}

/* The sum of a product at each step is a product of what stands side by side: [m, steps * k] by [steps *
 * k, n]. */
static lower_tensor multiplied(triton_loop *loop, const triton_carried *c)
{
    triton *t = loop->t;
    uint32_t order[LOWER_MAX_RANK], step = t->lead_count - 1, rank;
    lower_tensor a = taken(loop, TTIR_ADDF, triton_operand(t, c->op, 0)),
                 b = triton_operand(t, c->op, 1);
    sym_expr sizes[LOWER_MAX_RANK];
    ty_dtype d = lower_compute_dtype(triton_type(t, c->op->result)->dtype);
    for (uint32_t k = 0; k < a.rank; k++) order[k] = k;
    order[step] = step + 1;
    order[step + 1] = step;
    a = lower_permute(t->l, lower_cast(t->l, a, d), order);
    rank = a.rank - 1;
    memcpy(sizes, a.sizes, rank * sizeof *sizes);
    sizes[rank - 1] = sym_mul(t->s, a.sizes[rank - 1], a.sizes[rank]);
    a = lower_reshape(t->l, a, rank, sizes);
    sizes[rank - 2] = sizes[rank - 1];
    sizes[rank - 1] = b.sizes[rank];
    b = lower_reshape(t->l, lower_cast(t->l, b, d), rank, sizes);
    return lower_matmul(t->l, a, b, (lower_tensor){0}, NULL);
}

static triton_value joined(triton_loop *loop, uint32_t k, lower_tensor sum)
{
    triton *t = loop->t;
    const triton_carried *c = &loop->carried[k];
    ttir_code code = c->how == TRITON_MULTIPLIED ? TTIR_ADDF : c->op->code;
    ty_dtype d = triton_type(t, c->op->result)->dtype;
    triton_value first = triton_initial(loop, k);
    if (code != TTIR_ADDF || !triton_is_zero(t, loop->op->operands[k + 3])) {
        loop_value before = loop_cast(t->p, lower_dtype(sum), lower_here(t->l, first.t));
        loop_value v = triton_joined(t, code, before, lower_here(t->l, sum));
        sum = lower_value(t->l, lower_dtype(sum), sum.rank, sum.sizes, v);
    }
    return (triton_value){.t = lower_cast(t->l, sum, d), .loops = t->loops};
}

static void end_steps(triton_loop *loop)
{
    triton *t = loop->t;
    lower_tensor sums[TRITON_MOST_CARRIED];
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        bool waits = can_wait(loop, k);
        if (waits)
            sums[k] = added(loop, &loop->carried[k]);
        else if (loop->carried[k].how == TRITON_SUMMED)
            sums[k] = summed(loop, &loop->carried[k]);
        loop->carried[k].waits = waits;
        if (loop->carried[k].how == TRITON_MULTIPLIED)
            sums[k] = multiplied(loop, &loop->carried[k]);
    }
    t->lead_count--;
    t->loops--;
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        const triton_carried *c = &loop->carried[k];
        triton_value v = triton_initial(loop, k);
        if (c->how == TRITON_COUNTED) v = triton_counted_up(loop, k);
        if (c->waits)
            v = (triton_value){.steps = sums[k], .code = c->op->code, .loops = t->loops};
        else if (c->how >= TRITON_SUMMED)
            v = joined(loop, k, sums[k]);
        triton_set(t, loop->op, k, v);
    }
}

static fe_status run_as_axis(triton_loop *loop)
{
    triton_value around = loop->t->condition;
    FE_TRY(triton_run_what(loop, false, false));
    begin_steps(loop);
    FE_TRY(triton_run_what(loop, true, false));
    loop->t->condition = around;
    end_steps(loop);
    return FE_OK;
}

/* ---- how many steps there are ---- */

static bool is_known(const triton *t, sym_expr e)
{
    return !sym_is_none(e) && !sym_has_kind(t->s, e, SYM_INDIRECT);
}

/* The count at one end of an axis, if it is nowhere greater. */
static bool greatest_along(triton *t, sym_expr axis, sym_expr at, const sym_env *env,
                           sym_expr *count)
{
    sym_expr there = sym_substitute(t->s, *count, &axis, &at, 1);
    if (!sym_known_less_equal(t->s, *count, there, env)) return false;
    *count = there;
    return true;
}

/* Of the counts of all programs; none: not known. */
static sym_expr greatest(triton *t, sym_expr count)
{
    sym_bound bounds[LOWER_MAX_RANK];
    triton_axes lead = triton_axes_of(t, t->lead_count, t->lead);
    sym_env env = triton_env(&lead, bounds);
    int64_t least, most;
    sym_range(t->s, count, &env, &least, &most);
    for (uint32_t k = 0; k < lead.rank; k++) {
        sym_expr last = sym_add_int(t->s, lead.extents[k], -1);
        if (!greatest_along(t, lead.axes[k], last, &env, &count))
            greatest_along(t, lead.axes[k], t->l->zero, &env, &count);
    }
    if (!sym_has_kind(t->s, count, SYM_INDEX)) return count;
    return most == SYM_NO_MAX ? (sym_expr){0} : lower_const(t->l, most);
}

/* Of bounds that are in memory: max(0, ceil((high - low) / step)), and nothing where the branches around
 * do not lead. */
static fe_status find_late_count(triton_loop *loop, loop_value high)
{
    triton *t = loop->t;
    loop_program *p = t->p;
    loop_value zero = loop_const_int(p, TY_I64, 0), one = loop_const_int(p, TY_I64, 1),
               step = loop_cast(p, TY_I64, loop->step);
    loop_value way =
        loop_binary(p, LOOP_SUB, loop_cast(p, TY_I64, high), loop_cast(p, TY_I64, loop->low));
    way = loop_binary(p, LOOP_ADD, way, loop_binary(p, LOOP_SUB, step, one));
    loop_value count = loop_binary(p, LOOP_TRUNCDIV, loop_binary(p, LOOP_MAX, way, zero), step);
    if (t->condition.t.box)
        count = loop_where(p, lower_at(t->l, t->condition.t, t->l->axes), count, zero);
    lower_tensor counts = lower_value(t->l, TY_I64, t->lead_count, t->lead, count);
    lower_realise(t->l, counts.box, NULL);
    loop->is_late = true;
    loop->is_ragged = t->lead_count > 0;
    loop->most = triton_most(t, counts);
    loop->count = loop->is_ragged ? lower_here(t->l, counts) : loop_index(p, loop->most);
    return FE_OK;
}

/* Of bounds that are expressions. */
static fe_status find_count(triton_loop *loop, loop_value end, sym_expr count)
{
    triton *t = loop->t;
    loop->is_ragged = sym_has_kind(t->s, count, SYM_INDEX);
    loop->most = loop->is_ragged ? greatest(t, count) : count;
    if (sym_is_none(loop->most))
        return find_late_count(loop, end); /* what the grid's size does not limit */
    if (!sym_known_less_equal(t->s, t->l->zero, loop->most, NULL))
        loop->most = sym_max(t->s, loop->most, t->l->zero);
    loop->count = loop_index(t->p, loop->is_ragged ? count : loop->most);
    return FE_OK;
}

static fe_status find_steps(triton_loop *loop)
{
    triton *t = loop->t;
    loop->low = triton_here(t, loop->op, 0);
    loop->step = triton_here(t, loop->op, 2);
    loop_value end = triton_here(t, loop->op, 1);
    sym_expr low = triton_expr(t, loop->low), high = triton_expr(t, end),
             step = triton_expr(t, loop->step);
    if (!is_known(t, step) || sym_has_kind(t->s, step, SYM_INDEX))
        return triton_fail(t, "a step that is not the same for all programs");
    lower_require(t->l, t->l->one, SYM_LE, step, "the step of a loop is not positive");
    if (!is_known(t, low) || !is_known(t, high)) return find_late_count(loop, end);
    return find_count(loop, end, sym_ceildiv(t->s, sym_sub(t->s, high, low), step));
}

fe_status triton_for(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    triton_loop loop = {
        .t = t, .op = op, .body = &op->regions[0], .carried_count = op->operand_count - 3};
    const ttir_op *last = loop.body->ops.count ? &vec_last(&loop.body->ops) : NULL;
    if (last && last->code == TTIR_YIELD && last->operand_count == loop.carried_count)
        loop.yield = last;
    if (loop.carried_count > TRITON_MOST_CARRIED || (loop.carried_count && !loop.yield) ||
        op->result_count != loop.carried_count)
        return triton_fail(t, "the values that it hands on");
    FE_TRY(find_steps(&loop));
    understand_all(&loop);
    return can_be_an_axis(&loop) ? run_as_axis(&loop) : triton_run_steps(&loop);
}
