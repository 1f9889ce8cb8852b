/* check.c -- the verifier of laws K1 to K6, run on every compile: one walk over the lines, with
 * what is in scope.
 */
#include "kern/kern_priv.h"

#include <stdio.h>

typedef enum sum_state { UNSEEN, STARTED, READ, CLOSED } sum_state;

typedef struct checker {
    const kern_ir *k;
    sym_table *t;
    arena *memory;
    const kern_item *item; /* at hand */
    uint32_t depth;
    sym_expr axes[KERN_MOST_LEVELS + LOOP_MAX_AXES]; /* of all open loops */
    uint32_t axis_count;
    sym_expr vector_axis; /* that the lanes run along, or none */
    uint32_t copies;      /* of the vector loop at hand */
    bool *in_scope;       /* by value */
    sum_state *sums;
    uint32_t *sum_level; /* of the loop where it was started */
    bool has_rows, has_columns;
} checker;

static fe_status broken(checker *c, const char *law, const char *format, ...) FE_PRINTF(3, 4);
static fe_status broken(checker *c, const char *law, const char *format, ...)
{
    char said[256];
    va_list args;
    text place;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    text_init(&place, c->memory);
    text_printf(&place, "kernel %s group %u", c->k->name, c->k->group);
    if (c->item) {
        text_add(&place, ": ");
        kern_print_item(c->k, c->item, &place);
    }
    return diag_fail(
        sym_session(c->t),
        (diag){.status = FE_INTERNAL,
               .stage = "kern",
               .place = place.at,
               .help = "this is a fault of ferrite's own: please report it with the program"},
        "law %s: %s", law, said);
}

/* A number that is out of range: the line cannot be printed either. */
static fe_status missing(checker *c, const char *law, const char *what, uint32_t number)
{
    c->item = NULL;
    return broken(c, law, "there is no %s %u", what, number);
}

static const kern_value *value_at(const checker *c, kern_ref ref)
{
    return &c->k->values.at[ref];
}

/* ---- K1, K2: what an operand is ---- */

static fe_status use_constant(checker *c, const kern_value *v)
{
    uint32_t bits = v->dtype == TY_BOOL ? 1 : 8 * ty_dtype_size(v->dtype);
    if (!ty_is_integral(v->dtype, true) || bits == 64) return FE_OK;
    bool has_sign = ty_dtype_kind(v->dtype) == TY_KIND_SIGNED;
    int64_t least = has_sign ? -(1ll << (bits - 1)) : 0;
    int64_t most = (1ll << (has_sign ? bits - 1 : bits)) - 1;
    if (v->integer >= least && v->integer <= most) return FE_OK;
    return broken(c, "K2", "%lld is no %s", (long long)v->integer, ty_dtype_name(v->dtype));
}

static fe_status use(checker *c, kern_ref ref)
{
    if (ref == 0 || ref >= c->k->values.count) return missing(c, "K1", "value", ref);
    if (value_at(c, ref)->kind == KERN_CONST) return use_constant(c, value_at(c, ref));
    if (c->in_scope[ref]) return FE_OK;
    return broken(c, "K1", "v%u is not defined here", ref);
}

static fe_status use_as(checker *c, kern_ref ref, ty_dtype dtype, bool vector)
{
    FE_TRY(use(c, ref));
    const kern_value *v = value_at(c, ref);
    if (v->dtype != dtype)
        return broken(c, "K2", "an operand is %s, not %s", ty_dtype_name(v->dtype),
                      ty_dtype_name(dtype));
    if (v->vector == vector) return FE_OK;
    return broken(c, "K3", vector ? "an operand is no vector" : "an operand is a vector");
}

/* ---- K1, K5: what an index is made of ---- */

typedef struct index_facts {
    checker *c;
    fe_status status;
    bool is_fixed;     /* made of ints alone */
    bool lanes_differ; /* holds a value that is a vector */
} index_facts;

static void check_symbol(void *data, sym_expr symbol)
{
    index_facts *facts = data;
    checker *c = facts->c;
    const char *name = sym_name(c->t, symbol);
    kern_ref value = kern_symbol_value(c->k, symbol);
    uint32_t number;
    if (facts->status != FE_OK) return;
    if (value) {
        facts->is_fixed = false;
        facts->status = use(c, value);
        if (facts->status != FE_OK) return;
        facts->lanes_differ |= value_at(c, value)->vector;
        if (!ty_is_integral(value_at(c, value)->dtype, false))
            facts->status = broken(c, "K2", "%s is an index, and no integer", name);
    } else if (sym_kind_of(c->t, symbol) == SYM_INDEX) {
        facts->is_fixed = false;
        for (uint32_t i = 0; i < c->axis_count; i++)
            if (sym_same(c->axes[i], symbol)) return;
        facts->status = broken(c, "K1", "no loop around runs over %s", name);
    } else if (!kern_is_numbered(name, 'p', &number) || number >= c->k->params.count) {
        facts->status = broken(c, "K5", "%s is no int of the kernel", name);
    }
}

static fe_status check_index(checker *c, sym_expr e, index_facts *facts)
{
    *facts = (index_facts){.c = c, .is_fixed = true};
    if (sym_is_none(e)) return broken(c, "K5", "an expression is missing");
    sym_each_symbol(c->t, e, check_symbol, facts);
    return facts->status;
}

static fe_status check_fixed(checker *c, sym_expr e)
{
    index_facts facts;
    FE_TRY(check_index(c, e, &facts));
    return facts.is_fixed ? FE_OK : broken(c, "K5", "a size is not made of ints alone");
}

/* ---- K3: how lanes lie ---- */

static fe_status check_vector(checker *c, ty_dtype dtype)
{
    if (c->k->lanes == 1) return broken(c, "K3", "a kernel of one lane has no vectors");
    if (ty_is_complex(dtype)) return broken(c, "K3", "complex numbers have no vectors");
    return FE_OK;
}

/* Lanes are there only inside the loop that they run along. */
static fe_status check_lanes(checker *c)
{
    if (!sym_is_none(c->vector_axis)) return FE_OK;
    return broken(c, "K3", "the lanes run along no loop here");
}

/* The index of one access: `steps`, or any number of them when 0, from lane to lane. */
static fe_status check_spacing(checker *c, sym_expr index, const index_facts *facts, int64_t steps)
{
    sym_expr coefficient, rest;
    int64_t stride = 0;
    bool spaced =
        !facts->lanes_differ && sym_linear_in(c->t, index, c->vector_axis, &coefficient, &rest);
    bool known = spaced && sym_is_int(c->t, coefficient, &stride);
    if (steps ? known && stride == steps : spaced) return FE_OK;
    return broken(c, "K3",
                  steps == 2 ? "lanes are not every second element" : "lanes are not neighbours");
}

static fe_status check_one(checker *c, sym_expr index, const index_facts *facts)
{
    bool moves = !sym_is_none(c->vector_axis) && sym_contains(c->t, index, c->vector_axis);
    if (!moves && !facts->lanes_differ) return FE_OK;
    return broken(c, "K3", "one element moves with the lanes");
}

static fe_status check_access(checker *c, uint32_t memory, kern_access access, bool pairs,
                              sym_expr index)
{
    index_facts facts;
    FE_TRY(check_index(c, index, &facts));
    if (access == KERN_ONE) return check_one(c, index, &facts);
    FE_TRY(check_lanes(c));
    /* a tile of rows side by side has its lanes next to each other */
    bool by_row = c->k->memories.at[memory].is_tile && c->k->outer_vector;
    if (access == KERN_UNIT && by_row) return check_one(c, index, &facts);
    if (access == KERN_UNIT) return check_spacing(c, index, &facts, 1);
    return pairs ? check_spacing(c, index, &facts, 2) : FE_OK;
}

/* ---- values ---- */

static fe_status check_memory(checker *c, uint32_t memory, ty_dtype dtype, bool reads)
{
    if (memory >= c->k->memories.count) return missing(c, "K5", "memory", memory);
    const kern_memory *m = &c->k->memories.at[memory];
    if (m->dtype != dtype)
        return broken(c, "K2", "%s from or to memory of %s", ty_dtype_name(dtype),
                      ty_dtype_name(m->dtype));
    if (m->is_tile || (reads ? m->is_read : m->is_written)) return FE_OK;
    return broken(c, "K2",
                  reads ? "a buffer is read that is only written"
                        : "a buffer is written that is only read");
}

static fe_status check_load(checker *c, const kern_value *v)
{
    FE_TRY(check_memory(c, v->memory, v->dtype, true));
    if ((v->access == KERN_ONE) == v->vector)
        return broken(c, "K3", "a vector is loaded as one element, or the other way round");
    if (v->guard) {
        FE_TRY(use(c, v->guard));
        FE_TRY(use_as(c, v->guard, TY_BOOL, v->vector && value_at(c, v->guard)->vector));
    }
    return check_access(c, v->memory, v->access, v->pairs, v->index);
}

static fe_status check_number(checker *c, const kern_value *v)
{
    index_facts facts;
    if (v->dtype != TY_I64) return broken(c, "K2", "an index is i64");
    FE_TRY(check_index(c, v->index, &facts));
    if (!v->vector) return check_one(c, v->index, &facts);
    FE_TRY(check_lanes(c));
    return v->access == KERN_UNIT ? check_spacing(c, v->index, &facts, 0) : FE_OK;
}

static fe_status check_apply(checker *c, const kern_value *v)
{
    ty_dtype operands[3] = {TY_NO_DTYPE};
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++) {
        FE_TRY(use(c, v->args[i]));
        const kern_value *arg = value_at(c, v->args[i]);
        bool is_condition = v->op == LOOP_WHERE && i == 0;
        operands[i] = arg->dtype;
        FE_TRY(use_as(c, v->args[i], arg->dtype, v->vector && (arg->vector || !is_condition)));
    }
    const char *fault = loop_dtype_fault(v->op, operands, v->dtype, c->memory);
    return fault ? broken(c, "K2", "%s", fault) : FE_OK;
}

static fe_status check_result(checker *c, const kern_value *v)
{
    if (v->sum >= c->k->sums.count) return missing(c, "K4", "accumulator", v->sum);
    const kern_sum *sum = &c->k->sums.at[v->sum];
    if (c->sums[v->sum] != STARTED) return broken(c, "K4", "a%u is not there to be read", v->sum);
    if (c->sum_level[v->sum] != c->depth)
        return broken(c, "K4", "a%u is read in another loop than it was started in", v->sum);
    if (v->dtype != (kern_is_arg(sum->reduce) ? TY_I64 : sum->dtype) ||
        v->vector != (sum->vector && !sum->across))
        return broken(c, "K2", "the result of a%u is of another type", v->sum);
    c->sums[v->sum] = READ;
    return FE_OK;
}

static fe_status check_define(checker *c, kern_ref ref)
{
    if (ref == 0 || ref >= c->k->values.count) return missing(c, "K1", "value", ref);
    if (c->in_scope[ref]) return broken(c, "K1", "v%u is defined twice", ref);
    const kern_value *v = value_at(c, ref);
    if (v->level != c->depth) return broken(c, "K1", "v%u says it is of another loop", ref);
    if (v->vector) FE_TRY(check_vector(c, v->dtype));
    switch (v->kind) {
    case KERN_LOAD: FE_TRY(check_load(c, v)); break;
    case KERN_NUMBER: FE_TRY(check_number(c, v)); break;
    case KERN_APPLY: FE_TRY(check_apply(c, v)); break;
    case KERN_RESULT: FE_TRY(check_result(c, v)); break;
    case KERN_SPLAT:
        FE_TRY(use_as(c, v->args[0], v->dtype, false));
        if (!v->vector) return broken(c, "K3", "a splat is a vector");
        break;
    default: return broken(c, "K1", "v%u is no value of a line", ref);
    }
    c->in_scope[ref] = true;
    return FE_OK;
}

static fe_status check_store(checker *c, const kern_store *st)
{
    bool vector = st->access != KERN_ONE;
    if (!c->depth) return broken(c, "K6", "a store is outside the rows");
    if (st->memory >= c->k->memories.count) return missing(c, "K5", "memory", st->memory);
    const kern_memory *m = &c->k->memories.at[st->memory];
    FE_TRY(check_memory(c, st->memory, m->dtype, false));
    if (vector) FE_TRY(check_vector(c, m->dtype));
    FE_TRY(use_as(c, st->value, m->dtype, vector));
    if (st->whole && (!m->is_tile || st->access != KERN_UNIT))
        return broken(c, "K3", "a store of whole vectors is not to neighbours in a tile");
    return check_access(c, st->memory, st->access, false, st->index);
}

/* ---- K4: accumulators ---- */

static fe_status check_start(checker *c, uint32_t number)
{
    if (number >= c->k->sums.count) return missing(c, "K4", "accumulator", number);
    if (c->sums[number] != UNSEEN) return broken(c, "K4", "a%u is started twice", number);
    const kern_sum *sum = &c->k->sums.at[number];
    if (!c->depth) return broken(c, "K6", "an accumulator is outside the rows");
    if (sum->vector) FE_TRY(check_vector(c, sum->dtype));
    if (sum->across != (sum->vector && !c->k->outer_vector))
        return broken(c, "K3", "a%u joins its lanes where rows are side by side, or does not",
                      number);
    if (sum->place != TY_I32 && sum->place != TY_I64)
        return broken(c, "K2", "places are i32 or i64");
    if (sum->blocked && (sum->reduce != LOOP_SUM || !(ty_is_floating(sum->dtype))))
        return broken(c, "K4", "only sums of floats are compensated");
    if (sum->copies < 1 || sum->copies > KERN_MOST_COPIES)
        return broken(c, "K4", "a%u has %u copies", number, sum->copies);
    c->sums[number] = STARTED;
    c->sum_level[number] = c->depth;
    return FE_OK;
}

static fe_status check_update(checker *c, const kern_item *item)
{
    index_facts facts;
    if (item->sum >= c->k->sums.count) return missing(c, "K4", "accumulator", item->sum);
    if (c->sums[item->sum] != STARTED)
        return broken(c, "K4", "a%u is not started, or read already", item->sum);
    const kern_sum *sum = &c->k->sums.at[item->sum];
    FE_TRY(use_as(c, item->value, sum->dtype, sum->vector));
    if (sum->vector) FE_TRY(check_lanes(c));
    if (sum->copies != c->copies)
        return broken(c, "K4", "%u copies update an accumulator of %u", c->copies, sum->copies);
    if (kern_is_arg(sum->reduce) == sym_is_none(item->flat))
        return broken(c, "K4", "an element says its place, or does not");
    if (!kern_is_arg(sum->reduce)) return FE_OK;
    FE_TRY(check_index(c, item->flat, &facts));
    return sum->across ? check_spacing(c, item->flat, &facts, 1) : check_one(c, item->flat, &facts);
}

static fe_status check_drains(checker *c, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->drains.count; i++) {
        uint32_t sum = loop->drains.at[i];
        bool there = sum < c->k->sums.count && c->sums[sum] == STARTED;
        if (!there || c->sum_level[sum] > c->depth)
            return broken(c, "K4", "a%u is drained where it is not", sum);
        if (!c->k->sums.at[sum].blocked)
            return broken(c, "K4", "a%u is drained, and not compensated", sum);
    }
    return FE_OK;
}

/* ---- K6: loops ---- */

static fe_status check_items(checker *c, const kern_loop *loop);

static fe_status open_axis(checker *c, sym_expr axis)
{
    if (sym_is_none(axis) || sym_op_of(c->t, axis) != SYM_SYMBOL ||
        sym_kind_of(c->t, axis) != SYM_INDEX)
        return broken(c, "K6", "a loop has no axis");
    for (uint32_t i = 0; i < c->axis_count; i++)
        if (sym_same(c->axes[i], axis))
            return broken(c, "K6", "two loops run over %s", sym_name(c->t, axis));
    c->axes[c->axis_count++] = axis;
    return FE_OK;
}

static fe_status check_rows(checker *c, const kern_loop *loop)
{
    const kern_ir *k = c->k;
    if (c->has_rows || c->depth) return broken(c, "K6", "rows are not the one outermost loop");
    c->has_rows = true;
    for (uint32_t i = 0; i < k->outer; i++) {
        bool counted = i > 0 || k->outer_vector;
        FE_TRY(open_axis(c, k->axes[i]));
        if (counted || !sym_is_none(k->extents[i])) FE_TRY(check_fixed(c, k->extents[i]));
    }
    if (k->serial) FE_TRY(check_fixed(c, k->total));
    if (!k->outer_vector)
        return loop->unroll == 1 ? FE_OK : broken(c, "K6", "rows one by one are not unrolled");
    if (!k->outer || k->lanes == 1) return broken(c, "K6", "there are no rows for the lanes");
    if (loop->unroll > 1 && k->tile_count) return broken(c, "K6", "unrolled rows share a tile");
    c->vector_axis = k->axes[k->outer - 1];
    c->copies = loop->unroll;
    return FE_OK;
}

/* An extent in the sizes of the group, where the kernel has ints. */
static sym_expr as_called(checker *c, sym_expr extent)
{
    uint32_t count = c->k->params.count;
    sym_expr *symbols = NEW_ARRAY(c->memory, sym_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) symbols[i] = kern_param_symbol(c->k, i);
    return sym_substitute(c->t, extent, symbols, c->k->params.at, count);
}

static fe_status check_vector_loop(checker *c, const kern_loop *loop)
{
    int64_t step = (int64_t)loop->unroll * c->k->lanes, extent;
    if (c->k->lanes == 1) return broken(c, "K6", "there are no lanes for a vector loop");
    if (!sym_is_none(c->vector_axis)) return broken(c, "K6", "a vector loop is inside another");
    if (loop->block % step) return broken(c, "K6", "blocks are not whole steps of the loop");
    if (loop->exact &&
        (loop->columns || (sym_is_int(c->t, as_called(c, loop->extent), &extent) && extent % step)))
        return broken(c, "K6", "an exact loop's extent is not a multiple of its step");
    c->vector_axis = loop->symbol;
    c->copies = loop->unroll;
    return FE_OK;
}

static fe_status check_loop(checker *c, const kern_loop *loop)
{
    bool plain = !loop->exact && loop->unroll == 1;
    if (!c->depth) return broken(c, "K6", "a loop is outside the rows");
    if (!loop->columns) FE_TRY(check_fixed(c, loop->extent));
    FE_TRY(open_axis(c, loop->symbol));
    c->has_columns |= loop->columns;
    if (loop->columns && (c->depth > 1 || c->k->serial || loop->block))
        return broken(c, "K6", "columns are not right inside the rows, which may be shared out");
    if (loop->unroll < 1 || loop->unroll > KERN_MOST_COPIES || loop->block < 0)
        return broken(c, "K6", "a loop cannot be unrolled or cut so");
    if (loop->kind == KERN_VECTOR) return check_vector_loop(c, loop);
    return plain ? FE_OK : broken(c, "K6", "only vector loops are exact or unrolled");
}

static fe_status check_nested(checker *c, const kern_item *item)
{
    checker outside = *c;
    const kern_loop *loop = item->loop;
    FE_TRY(loop->kind == KERN_ROWS ? check_rows(c, loop) : check_loop(c, loop));
    if (c->depth + 1 == KERN_MOST_LEVELS) return broken(c, "K6", "loops are nested too deeply");
    if (loop->level != ++c->depth) return broken(c, "K6", "a loop says another depth than it has");
    FE_TRY(check_items(c, loop));
    outside.has_rows = c->has_rows;
    outside.has_columns = c->has_columns;
    *c = outside;
    c->item = item;
    return check_drains(c, loop);
}

static fe_status check_item(checker *c, const kern_item *item)
{
    c->item = item;
    switch (item->kind) {
    case KERN_DEFINE: return check_define(c, item->value);
    case KERN_STORE: return check_store(c, &item->store);
    case KERN_START: return check_start(c, item->sum);
    case KERN_UPDATE: return check_update(c, item);
    case KERN_LOOP: return check_nested(c, item);
    }
    return broken(c, "K6", "a line of no kind");
}

static fe_status check_items(checker *c, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) FE_TRY(check_item(c, &loop->items.at[i]));
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_DEFINE) c->in_scope[item->value] = false;
        if (item->kind == KERN_START) c->sums[item->sum] = CLOSED;
    }
    return FE_OK;
}

static fe_status check_memories(checker *c)
{
    uint32_t buffers = 0, tiles = 0;
    for (uint32_t i = 0; i < c->k->memories.count; i++) {
        const kern_memory *m = &c->k->memories.at[i];
        if (m->number != (m->is_tile ? tiles++ : buffers++))
            return broken(c, "K5", "buffers or tiles are not numbered as they come");
        if (m->is_tile) FE_TRY(check_fixed(c, m->elements));
    }
    return FE_OK;
}

static fe_status check_kernel(checker *c)
{
    const kern_ir *k = c->k;
    if (k->lanes < 1 || k->lanes > 64 || (k->lanes & (k->lanes - 1)))
        return broken(c, "K3", "%u is no number of lanes", k->lanes);
    FE_TRY(check_memories(c));
    FE_TRY(check_items(c, k->body));
    c->item = NULL;
    if (!c->has_rows) return broken(c, "K6", "there is no loop over the rows");
    return k->columns == c->has_columns ? FE_OK : broken(c, "K6", "columns are cut and no loop is");
}

fe_status kern_check(const kern_ir *k)
{
    arena *memory = arena_new(sym_session(k->symbols));
    checker c = {.k = k,
                 .t = k->symbols,
                 .memory = memory,
                 .copies = 1,
                 .in_scope = NEW_ARRAY(memory, bool, k->values.count + 1),
                 .sums = NEW_ARRAY(memory, sum_state, k->sums.count + 1),
                 .sum_level = NEW_ARRAY(memory, uint32_t, k->sums.count + 1)};
    fe_status status = check_kernel(&c);
    arena_free(memory);
    return status;
}
