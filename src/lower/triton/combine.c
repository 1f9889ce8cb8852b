/* combine.c -- reductions and scans by any function: a region of the kernel on two elements, which is run on
 * blocks of them. As many elements are joined at once as can be, in the order in which they stand: the
 * function is associative, no more.
 */
#include "lower/triton/triton.h"

enum { MOST_OPERANDS = 16 };

/* A block for each of the operation's operands. */
typedef struct combining {
    triton *t;
    const ttir_op *op;
    const ttir_block *function;
    uint32_t count, rank, dim;
    lower_tensor x[MOST_OPERANDS];
} combining;

static fe_status begin(combining *c, triton *t, const ttir_op *op, uint32_t dim)
{
    *c = (combining){.t = t, .op = op, .count = op->operand_count, .dim = dim};
    c->function = op->region_count ? &op->regions[0] : NULL;
    const ttir_op *end =
        c->function && c->function->ops.count ? &vec_last(&c->function->ops) : NULL;
    if (!end || c->count > MOST_OPERANDS || c->function->argument_count != 2 * c->count ||
        end->operand_count != c->count || op->result_count != c->count)
        return triton_fail(t, "by a function of another form");
    for (uint32_t k = 0; k < c->count; k++) c->x[k] = triton_operand(t, op, k);
    c->rank = c->x[0].rank;
    for (uint32_t k = 0; k < c->count; k++)
        if (c->x[k].rank != c->rank) return triton_fail(t, "of blocks of different ranks");
    return FE_OK;
}

/* function(a, b), element by element. Its values are numbers: the dimensions of the blocks are axes in front,
 * as those of loops are. */
static fe_status apply(combining *c, const lower_tensor *a, const lower_tensor *b,
                       lower_tensor *out)
{
    triton *t = c->t;
    uint32_t lead = t->lead_count, loops = t->loops;
    const ttir_op *end = &vec_last(&c->function->ops);
    for (uint32_t k = lead; k < c->rank; k++) {
        t->lead[t->lead_count++] = a[0].sizes[k];
        t->around[t->loops++] = c->op;
    }
    for (uint32_t k = 0; k < c->count; k++) {
        t->values[c->function->arguments[k]] = (triton_value){.t = a[k], .loops = t->loops};
        t->values[c->function->arguments[c->count + k]] =
            (triton_value){.t = b[k], .loops = t->loops};
    }
    FE_TRY(triton_run(t, c->function));
    t->op = c->op;
    for (uint32_t k = 0; k < c->count; k++)
        out[k] = lower_cast(t->l, triton_tensor(t, end->operands[k]), lower_dtype(a[k]));
    t->lead_count = lead;
    t->loops = loops;
    return FE_OK;
}

static void give(combining *c)
{
    for (uint32_t k = 0; k < c->count; k++)
        triton_set(c->t, c->op, k, (triton_value){.t = c->x[k]});
}

fe_status triton_reduce_by(triton *t, const ttir_op *op, uint32_t dim)
{
    combining c;
    int64_t size;
    FE_TRY(begin(&c, t, op, dim));
    if (!sym_is_int(t->s, c.x[0].sizes[dim], &size) || size < 1 || (size & (size - 1)))
        return triton_fail(t, "of so many elements");
    for (; size > 1; size /= 2) {
        lower_tensor even[MOST_OPERANDS], odd[MOST_OPERANDS];
        sym_expr half = lower_const(t->l, size / 2), two = lower_const(t->l, 2);
        for (uint32_t k = 0; k < c.count; k++) {
            lower_realise(t->l, c.x[k].box, NULL);
            even[k] = lower_slice(t->l, c.x[k], dim, t->l->zero, half, two);
            odd[k] = lower_slice(t->l, c.x[k], dim, t->l->one, half, two);
        }
        FE_TRY(apply(&c, even, odd, c.x));
    }
    for (uint32_t k = 0; k < c.count; k++) c.x[k] = lower_select(t->l, c.x[k], dim, t->l->zero);
    give(&c);
    return FE_OK;
}

/* x at the elements that are `distance` before, where there are such (is_there). */
static lower_tensor moved(const combining *c, lower_tensor x, int64_t distance, loop_value is_there)
{
    lowering *l = c->t->l;
    sym_expr at[LOWER_MAX_RANK];
    for (uint32_t k = 0; k < x.rank; k++) at[k] = l->axes[k];
    at[c->dim] = sym_add_int(l->symbols, at[c->dim], -distance);
    loop_value v = loop_masked(l->program, is_there, lower_at(l, x, at), lower_here(l, x));
    return lower_value(l, lower_dtype(x), x.rank, x.sizes, v);
}

/* Each element takes in what stands 1, 2, 4, ... before it, which has taken in as many by then. */
fe_status triton_scan_by(triton *t, const ttir_op *op, uint32_t dim, bool is_reverse)
{
    combining c;
    int64_t size;
    lowering *l = t->l;
    FE_TRY(begin(&c, t, op, dim));
    sym_expr axis = l->axes[dim];
    if (!sym_is_int(t->s, c.x[0].sizes[dim], &size)) return triton_fail(t, "of so many elements");
    for (int64_t step = 1; step < size; step *= 2) {
        lower_tensor before[MOST_OPERANDS], joined[MOST_OPERANDS];
        sym_expr low = lower_const(l, is_reverse ? 0 : step),
                 high = lower_const(l, is_reverse ? size - step : size);
        loop_value is_there = lower_is_inside(l, axis, low, high);
        for (uint32_t k = 0; k < c.count; k++) {
            lower_realise(l, c.x[k].box, NULL);
            before[k] = moved(&c, c.x[k], is_reverse ? -step : step, is_there);
        }
        FE_TRY(apply(&c, before, c.x, joined));
        for (uint32_t k = 0; k < c.count; k++)
            c.x[k] = lower_value(
                l, lower_dtype(joined[k]), c.rank, joined[k].sizes,
                loop_where(t->p, is_there, lower_here(l, joined[k]), lower_here(l, c.x[k])));
    }
    give(&c);
    return FE_OK;
}
