/* loop.c -- loops of a kernel.
 *
 * The steps of a loop become one more axis where they do not depend on each other: what a step hands to the
 * next one is kept, counts on by the same amount, or is a sum or an extreme that only the loop's end is
 * read of. Then the sum is a reduction over that axis, and that of products of blocks is one longer
 * product. Other loops are unrolled where they are short.
 */
#include "lower/triton/triton.h"

#include <string.h>

enum { MOST_STEPS = 64, MOST_CARRIED = 32 };

/* What becomes of a value that a loop hands on. */
typedef enum carrying { KEPT, COUNTED, SUMMED, MULTIPLIED } carrying;

typedef struct carried {
    carrying how;
    const ttir_op *op; /* that makes the next one */
    ttir_value by;     /* COUNTED: the amount; SUMMED: what is joined */
    bool waits;        /* SUMMED: for who reads the sum */
} carried;

typedef struct triton_loop {
    triton *t;
    const ttir_op *op;
    const ttir_block *body;
    const ttir_op *yield; /* or NULL */
    sym_expr low, step;
    sym_expr count; /* of steps: a program's own, where the bounds depend on its number */
    sym_expr most;  /* that any program takes */
    bool is_ragged; /* they differ */
    uint32_t carried_count;
    carried carried[MOST_CARRIED];
    bool *varies; /* by value: from step to step */
} triton_loop;

/* Does the program take this step? */
static loop_value is_taken(const triton_loop *loop, sym_expr step)
{
    loop_program *p = loop->t->p;
    return loop_binary(p, LOOP_LT, loop_index(p, step), loop_index(p, loop->count));
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
    bool reads = op->code == TTIR_LOAD || op->code == TTIR_STORE || op->code == TTIR_ATOMIC;
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

static bool understand(const triton_loop *loop, uint32_t k, carried *out)
{
    ttir_value before = loop->body->arguments[k + 1], after = loop->yield->operands[k];
    const ttir_op *op = maker_of(loop->body, after);
    *out = (carried){.how = KEPT, .op = op};
    if (before == after) return true;
    if (!op || op->operand_count < 2) return false;
    bool is_first = op->operands[0] == before;
    bool alone = loop->t->kernel->uses.at[before] == 1 && loop->t->kernel->uses.at[after] == 1;
    out->by = op->operands[is_first];
    if (op->code == TTIR_DOT && op->operand_count > 2 && op->operands[2] == before && alone)
        return out->how = MULTIPLIED, true;
    if (!is_first && op->operands[1] != before) return false;
    if ((op->code == TTIR_ADDI || (op->code == TTIR_ADDPTR && is_first)) && !loop->varies[out->by])
        return out->how = COUNTED, true;
    out->how = SUMMED;
    return alone && triton_reduction(op->code, false);
}

/* ---- all steps at once ---- */

static bool can_be_an_axis(triton_loop *loop)
{
    if (loop->carried_count && !loop->yield) return false;
    loop->varies = NEW_ARRAY(loop->t->l->memory, bool, loop->t->kernel->types.count);
    find_varying(loop);
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        const carried *c = &loop->carried[k];
        if (!understand(loop, k, &loop->carried[k])) return false;
        ty_dtype d = triton_type(loop->t, loop->body->arguments[k + 1])->dtype;
        if (loop->is_ragged && c->how == SUMMED && !triton_neutral(loop->t, c->op->code, d).id)
            return false;
    }
    return loop->t->lead_count + 1 + TTIR_MOST_SIZES <= LOWER_MAX_RANK &&
           !triton_meets_in_memory(loop->t, loop->op);
}

/* What does not depend on the step is made once. */
static fe_status run_what(triton_loop *loop, bool varying)
{
    triton *t = loop->t;
    for (uint32_t k = 0; k < loop->body->ops.count; k++) {
        const ttir_op *op = &loop->body->ops.at[k];
        bool is_end = false;
        for (uint32_t c = 0; c < loop->carried_count; c++)
            is_end |= loop->carried[c].how >= SUMMED && loop->carried[c].op == op;
        if (is_end || stays(loop, op) == varying) continue;
        ttir_block one = {.ops = {(ttir_op *)(uintptr_t)op, 1, 1}};
        FE_TRY(triton_run(t, &one));
    }
    t->op = loop->op;
    return FE_OK;
}

/* before + times * amount */
static triton_value counted(triton *t, ttir_value type_of, triton_value before, ttir_value amount,
                            sym_expr times)
{
    sym_expr sizes[LOWER_MAX_RANK];
    uint32_t rank = triton_sizes(t, triton_type(t, type_of), sizes);
    ty_dtype d = before.argument ? TY_I64 : lower_dtype(before.t);
    loop_value from = lower_here(t->l, before.t), by = lower_here(t->l, triton_tensor(t, amount)),
               v;
    sym_expr x = triton_expr(t, from), y = triton_expr(t, by);
    if (!sym_is_none(x) && !sym_is_none(y)) {
        v = triton_index(t, d, sym_add(t->s, x, sym_mul(t->s, y, times)));
    } else {
        v = loop_binary(t->p, LOOP_MUL, loop_cast(t->p, d, by), triton_index(t, d, times));
        v = loop_binary(t->p, LOOP_ADD, loop_cast(t->p, d, from), v);
    }
    return (triton_value){
        .t = lower_value(t->l, d, rank, sizes, v), .argument = before.argument, .loops = t->loops};
}

static triton_value initial(triton_loop *loop, uint32_t k)
{
    return triton_made(loop->t, loop->op->operands[k + 3]);
}

/* Values at a step, which is the last of the axes in front. */
static void begin_steps(triton_loop *loop)
{
    triton *t = loop->t;
    sym_expr at = t->l->axes[t->lead_count];
    t->lead[t->lead_count++] = loop->most;
    t->loops++;
    if (loop->is_ragged) t->condition = triton_condition_of(t, is_taken(loop, at));
    ttir_value counter = loop->body->arguments[0];
    ty_dtype d = triton_type(t, counter)->dtype;
    loop_value v = triton_index(t, d, sym_add(t->s, loop->low, sym_mul(t->s, loop->step, at)));
    t->values[counter] =
        (triton_value){.t = lower_value(t->l, d, t->lead_count, t->lead, v), .loops = t->loops};
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        const carried *c = &loop->carried[k];
        ttir_value argument = loop->body->arguments[k + 1];
        if (c->how == KEPT) t->values[argument] = initial(loop, k);
        if (c->how == COUNTED)
            t->values[argument] = counted(t, argument, initial(loop, k), c->by, at);
    }
}

/* x at each step, and what changes nothing where the program takes no such step. */
static lower_tensor taken(triton_loop *loop, ttir_code code, lower_tensor x)
{
    triton *t = loop->t;
    if (!loop->is_ragged) return x;
    loop_value v = lower_here(t->l, x), none = triton_neutral(t, code, loop_at(t->p, v)->dtype);
    loop_value condition = is_taken(loop, t->l->axes[t->lead_count - 1]);
    return lower_value(t->l, lower_dtype(x), x.rank, x.sizes, loop_where(t->p, condition, v, none));
}

static lower_tensor added(triton_loop *loop, const carried *c)
{
    return taken(loop, c->op->code, triton_tensor(loop->t, c->by));
}

/* The sum over all steps, [..., steps, sizes] to [..., sizes]. */
static lower_tensor summed(triton_loop *loop, const carried *c)
{
    return triton_reduced(loop->t, c->op->code, added(loop, c), TRITON_NO_AXIS,
                          loop->t->lead_count - 1);
}

/* Does it begin as what changes nothing? Then the sum waits for who reads it. */
static bool can_wait(triton_loop *loop, uint32_t k)
{
    triton *t = loop->t;
    const lower_box *box = triton_tensor(t, loop->op->operands[k + 3]).box;
    return loop->carried[k].how == SUMMED && !box->realised &&
           triton_type(t, loop->op->result + k)->dtype == lower_compute_dtype(box->dtype) &&
           triton_is_neutral(t, loop->carried[k].op->code, box->value);
}

/* The sum of a product at each step is a product of what stands side by side: [m, steps * k] by [steps *
 * k, n]. */
static lower_tensor multiplied(triton_loop *loop, const carried *c)
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
    const carried *c = &loop->carried[k];
    ttir_code code = c->how == MULTIPLIED ? TTIR_ADDF : c->op->code;
    ty_dtype d = triton_type(t, c->op->result)->dtype;
    triton_value first = initial(loop, k);
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
    lower_tensor sums[MOST_CARRIED];
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        bool waits = can_wait(loop, k);
        if (waits)
            sums[k] = added(loop, &loop->carried[k]);
        else if (loop->carried[k].how == SUMMED)
            sums[k] = summed(loop, &loop->carried[k]);
        loop->carried[k].waits = waits;
        if (loop->carried[k].how == MULTIPLIED) sums[k] = multiplied(loop, &loop->carried[k]);
    }
    t->lead_count--;
    t->loops--;
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        const carried *c = &loop->carried[k];
        triton_value v = initial(loop, k);
        if (c->how == COUNTED) v = counted(t, loop->op->result + k, v, c->by, loop->count);
        if (c->waits)
            v = (triton_value){.steps = sums[k], .code = c->op->code, .loops = t->loops};
        else if (c->how >= SUMMED)
            v = joined(loop, k, sums[k]);
        triton_set(t, loop->op, k, v);
    }
}

static fe_status run_as_axis(triton_loop *loop)
{
    triton_value around = loop->t->condition;
    FE_TRY(run_what(loop, false));
    begin_steps(loop);
    FE_TRY(run_what(loop, true));
    loop->t->condition = around;
    end_steps(loop);
    return FE_OK;
}

/* ---- one step after the other ---- */

static fe_status run_step(triton_loop *loop, int64_t step, triton_value *values)
{
    triton *t = loop->t;
    ttir_value counter = loop->body->arguments[0];
    ty_dtype d = triton_type(t, counter)->dtype;
    sym_expr at = sym_add(t->s, loop->low, sym_mul_int(t->s, loop->step, step));
    t->values[counter] =
        (triton_value){.t = lower_value(t->l, d, t->lead_count, t->lead, triton_index(t, d, at)),
                       .loops = t->loops};
    for (uint32_t k = 0; k < loop->carried_count; k++)
        t->values[loop->body->arguments[k + 1]] = values[k];
    FE_TRY(triton_run(t, loop->body));
    t->op = loop->op;
    for (uint32_t k = 0; k < loop->carried_count; k++) {
        triton_value next = triton_made(t, loop->yield->operands[k]);
        if (loop->is_ragged)
            FE_TRY(triton_choose(t, is_taken(loop, lower_const(t->l, step)), next, values[k],
                                 &values[k]));
        else
            values[k] = next;
    }
    return FE_OK;
}

static fe_status run_step_if_taken(triton_loop *loop, int64_t step, triton_value *values)
{
    triton *t = loop->t;
    triton_value around = t->condition;
    if (loop->is_ragged)
        t->condition = triton_condition_of(t, is_taken(loop, lower_const(t->l, step)));
    FE_TRY(run_step(loop, step, values));
    t->condition = around;
    return FE_OK;
}

static fe_status run_unrolled(triton_loop *loop)
{
    triton *t = loop->t;
    triton_value values[MOST_CARRIED];
    int64_t count;
    if (!sym_is_int(t->s, loop->most, &count) || count > MOST_STEPS)
        return triton_fail(
            t,
            "steps that depend on each other, more than %d or of a number that only the run knows",
            MOST_STEPS);
    for (uint32_t k = 0; k < loop->carried_count; k++) values[k] = initial(loop, k);
    for (int64_t step = 0; step < count; step++) FE_TRY(run_step_if_taken(loop, step, values));
    for (uint32_t k = 0; k < loop->carried_count; k++) triton_set(t, loop->op, k, values[k]);
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

static fe_status find_steps(triton_loop *loop)
{
    triton *t = loop->t;
    sym_expr high = triton_expr(t, triton_here(t, loop->op, 1));
    loop->low = triton_expr(t, triton_here(t, loop->op, 0));
    loop->step = triton_expr(t, triton_here(t, loop->op, 2));
    if (!is_known(t, loop->low) || !is_known(t, high) || !is_known(t, loop->step))
        return triton_fail(t, "bounds that only the run knows");
    if (!sym_known_less_equal(t->s, t->l->one, loop->step, NULL) ||
        sym_has_kind(t->s, loop->step, SYM_INDEX))
        return triton_fail(t, "a step that may not be positive, or not the same for all programs");
    loop->count = sym_ceildiv(t->s, sym_sub(t->s, high, loop->low), loop->step);
    loop->is_ragged = sym_has_kind(t->s, loop->count, SYM_INDEX);
    loop->most = loop->is_ragged ? greatest(t, loop->count) : loop->count;
    if (sym_is_none(loop->most))
        return triton_fail(t, "bounds that are not limited by the grid's size");
    if (!sym_known_less_equal(t->s, t->l->zero, loop->most, NULL))
        loop->most = sym_max(t->s, loop->most, t->l->zero);
    if (!loop->is_ragged) loop->count = loop->most;
    return FE_OK;
}

fe_status triton_for(triton *t, const ttir_op *op, int parameter)
{
    (void)parameter;
    triton_loop loop = {
        .t = t, .op = op, .body = &op->regions[0], .carried_count = op->operand_count - 3};
    const ttir_op *last = loop.body->ops.count ? &vec_last(&loop.body->ops) : NULL;
    if (last && last->code == TTIR_YIELD && last->operand_count == loop.carried_count)
        loop.yield = last;
    if (loop.carried_count > MOST_CARRIED || (loop.carried_count && !loop.yield) ||
        op->result_count != loop.carried_count)
        return triton_fail(t, "the values that it hands on");
    FE_TRY(find_steps(&loop));
    return can_be_an_axis(&loop) ? run_as_axis(&loop) : run_unrolled(&loop);
}
