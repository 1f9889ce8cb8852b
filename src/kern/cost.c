/* cost.c -- about how long a kernel runs: the unit of work that the wrapper hands to threads. */
#include "kern/kern_priv.h"

#define COSTLIEST (INT64_MAX / 4)

typedef struct costing {
    const kern_ir *k;
    const target_costs *costs;
    const sym_expr *from, *to; /* parameters of the kernel, and what they stand for */
    uint32_t count;
} costing;

static int64_t extent_of(const costing *c, sym_expr e)
{
    sym_table *t = c->k->symbols;
    int64_t value = sym_usual(t, sym_substitute(t, e, c->from, c->to, c->count));
    return value < 1 ? 1 : value;
}

static int64_t value_cost(const costing *c, const kern_value *v)
{
    int64_t lanes = v->vector ? c->k->lanes : 1;
    bool by_lane = v->access == KERN_LANES && !v->runs && !v->repeats && !v->turned;
    switch (v->kind) {
    case KERN_LOAD: return by_lane ? c->costs->load_lane * lanes : c->costs->load;
    case KERN_NUMBER: return by_lane ? c->costs->index_lane * lanes : c->costs->index;
    case KERN_APPLY: return loop_opcode_cost(v->op, lanes);
    default: return c->costs->splat;
    }
}

/* COSTLIEST where it is more. */
static int64_t times_cost(int64_t cost, int64_t times)
{
    return cost < COSTLIEST / times ? cost * times : COSTLIEST;
}

/* Columns that loops inside of this one are over, where they are cut. */
static int64_t cut_columns(const costing *c, const kern_loop *loop)
{
    int64_t columns = 0;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_loop *inner = loop->items.at[i].loop;
        if (loop->items.at[i].kind == KERN_LOOP && inner->columns && !sym_is_none(inner->extent))
            columns += extent_of(c, inner->extent);
    }
    return columns;
}

/* What one column costs, or as many as there are lanes, has a share of what it costs in each piece. */
static int64_t share_of(const costing *c, const kern_loop *piece, int64_t cost, int64_t columns)
{
    int64_t lanes = piece->kind == KERN_VECTOR ? 1 : c->k->lanes;
    double share = (double)extent_of(c, piece->extent) / (double)columns;
    return (int64_t)((double)cost * (double)lanes * share);
}

static int64_t loop_cost(const costing *c, const kern_loop *loop)
{
    int64_t total = 0, columns = cut_columns(c, loop);
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        switch (item->kind) {
        case KERN_DEFINE: total += value_cost(c, &c->k->values.at[item->value]); break;
        case KERN_STORE:
            total += item->store.access == KERN_LANES ? c->costs->store_lane * (int64_t)c->k->lanes
                                                      : c->costs->store;
            break;
        case KERN_BOUND: total += item->bound.is_known ? 0 : c->costs->check; break;
        case KERN_LOOP: {
            int64_t step = item->loop->kind == KERN_VECTOR ? c->k->lanes : 1;
            int64_t times = item->loop->kind == KERN_ROWS || item->loop->columns
                                ? 1
                                : (extent_of(c, item->loop->extent) - 1) / step + 1;
            int64_t cost = times_cost(loop_cost(c, item->loop), times);
            bool is_piece = columns && item->loop->columns;
            total += is_piece ? share_of(c, item->loop, cost, columns) : cost;
            break;
        }
        default: total += c->costs->other; break;
        }
        if (total > COSTLIEST) return COSTLIEST;
    }
    return total;
}

int64_t kern_usual(const kern_ir *k, sym_expr e, arena *memory)
{
    sym_expr *from = NEW_ARRAY(memory, sym_expr, k->params.count + 1);
    for (uint32_t i = 0; i < k->params.count; i++) from[i] = kern_param_symbol(k, i);
    costing c = {.k = k, .from = from, .to = k->params.at, .count = k->params.count};
    return extent_of(&c, e);
}

int64_t kern_cost(const kern_ir *k, const target_costs *costs, arena *memory)
{
    sym_expr *from = NEW_ARRAY(memory, sym_expr, k->params.count);
    for (uint32_t i = 0; i < k->params.count; i++) from[i] = kern_param_symbol(k, i);
    costing c = {
        .k = k, .costs = costs, .from = from, .to = k->params.at, .count = k->params.count};
    int64_t cost = loop_cost(&c, k->body);
    if (k->serial) cost = times_cost(cost, extent_of(&c, k->total));
    bool per_vector = k->columns || k->outer_vector;
    cost /= per_vector ? k->lanes : 1;
    return cost < 1 ? 1 : cost;
}
