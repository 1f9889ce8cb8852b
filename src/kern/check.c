/* check.c -- the verifier of laws K1 to K7, K9 and K10, run on every compile: one walk over the lines, with
 * what is in scope.
 */
#include "kern/check_priv.h"

#include <stdio.h>

fe_status kern_broken(kern_checker *c, const char *law, const char *format, ...)
{
    char said[256];
    va_list args;
    text place;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    text_init(&place, c->memory);
    if (c->function)
        text_printf(&place, "function %s", c->k->name);
    else
        text_printf(&place, "kernel %s group %u", c->k->name, c->k->group);
    if (c->item) {
        text_add(&place, ": ");
        kern_print_item(c->k, c->item, &place);
    }
    return diag_fail(
        arena_session(c->memory),
        (diag){.status = FE_INTERNAL,
               .stage = "kern",
               .place = place.at,
               .help = "this is a fault of ferrite's own: please report it with the program"},
        "law %s: %s", law, said);
}

fe_status kern_missing(kern_checker *c, const char *law, const char *what, uint32_t number)
{
    c->item = NULL;
    return kern_broken(c, law, "there is no %s %u", what, number);
}

/* ---- values ---- */

static fe_status check_result(kern_checker *c, const kern_value *v)
{
    if (v->sum >= c->k->sums.count) return kern_missing(c, "K4", "accumulator", v->sum);
    const kern_sum *sum = &c->k->sums.at[v->sum];
    if (c->sums[v->sum] != SUM_STARTED)
        return kern_broken(c, "K4", "a%u is not there to be read", v->sum);
    uint32_t level = sum->running ? c->sum_updated[v->sum] : c->sum_level[v->sum];
    if (level != c->depth)
        return kern_broken(c, "K4", "a%u is read in another loop than it %s in", v->sum,
                           sum->running ? "moves on" : "was started");
    if (v->dtype != (kern_is_arg(sum->reduce) ? TY_I64 : sum->dtype) ||
        v->vector != (sum->vector && (!sum->across || sum->running)))
        return kern_broken(c, "K2", "the result of a%u is of another type", v->sum);
    if (!sum->running) c->sums[v->sum] = SUM_READ;
    return FE_OK;
}

static fe_status check_define(kern_checker *c, kern_ref ref)
{
    if (ref == 0 || ref >= c->k->values.count) return kern_missing(c, "K1", "value", ref);
    const kern_value *v = &c->k->values.at[ref];
    if (c->in_scope[ref]) return kern_broken(c, "K1", "v%u is defined twice", ref);
    if (v->level != c->depth) return kern_broken(c, "K1", "v%u says it is of another loop", ref);
    if (v->vector) FE_TRY(kern_check_vector(c, v->dtype));
    FE_TRY(v->kind == KERN_RESULT ? check_result(c, v) : kern_check_value(c, v));
    c->in_scope[ref] = true;
    return FE_OK;
}

static fe_status check_store(kern_checker *c, const kern_store *st)
{
    bool vector = st->access != KERN_ONE;
    if (!c->depth) return kern_broken(c, "K6", "a store is outside the rows");
    if (st->memory >= c->k->memories.count) return kern_missing(c, "K5", "memory", st->memory);
    const kern_memory *m = &c->k->memories.at[st->memory];
    FE_TRY(kern_check_memory(c, st->memory, m->dtype, false));
    if (vector) FE_TRY(kern_check_vector(c, m->dtype));
    FE_TRY(kern_use_as(c, st->value, m->dtype, vector));
    if (st->atomic && (st->mode == LOOP_SET || c->k->serial))
        return kern_broken(c, "K9", "nothing is added to what is there, or nobody else is");
    if (c->k->by_groups && st->mode != LOOP_SET)
        return kern_broken(c, "K9", "work-items of a group may add to one element");
    FE_TRY(kern_check_count(c, st->count, vector));
    if (st->whole && st->count)
        return kern_broken(c, "K3", "whole vectors are not the first lanes");
    if (st->whole && (!m->is_tile || st->access != KERN_UNIT))
        return kern_broken(c, "K3", "a store of whole vectors is not to neighbours in a tile");
    return kern_check_access(
        c, st->memory, &(kern_value){.access = st->access, .index = st->index, .runs = st->runs});
}

/* ---- K4: accumulators ---- */

static fe_status check_start(kern_checker *c, uint32_t number)
{
    if (number >= c->k->sums.count) return kern_missing(c, "K4", "accumulator", number);
    if (c->sums[number] != SUM_UNSEEN) return kern_broken(c, "K4", "a%u is started twice", number);
    const kern_sum *sum = &c->k->sums.at[number];
    if (!c->depth) return kern_broken(c, "K6", "an accumulator is outside the rows");
    if (sum->vector) FE_TRY(kern_check_vector(c, sum->dtype));
    if (sum->vector && kern_is_arg(sum->reduce)) FE_TRY(kern_check_vector(c, sum->place));
    if (sum->across != (sum->vector && !c->k->outer_vector))
        return kern_broken(c, "K3", "a%u joins its lanes where rows are side by side, or does not",
                           number);
    if (sum->place != TY_I32 && sum->place != TY_I64)
        return kern_broken(c, "K2", "places are i32 or i64");
    if (sum->blocked && (sum->reduce != LOOP_SUM || !(ty_is_floating(sum->dtype))))
        return kern_broken(c, "K4", "only sums of floats are compensated");
    if (sum->running && (sum->blocked || kern_is_arg(sum->reduce)))
        return kern_broken(c, "K4", "a%u cannot be read as it runs", number);
    if (sum->running && sum->across && sum->copies != 1)
        return kern_broken(c, "K4", "copies of a%u would run on their own", number);
    if (sum->copies < 1 || sum->copies > KERN_MOST_COPIES)
        return kern_broken(c, "K4", "a%u has %u copies", number, sum->copies);
    c->sums[number] = SUM_STARTED;
    c->sum_level[number] = c->depth;
    return FE_OK;
}

static fe_status check_update(kern_checker *c, const kern_item *item)
{
    kern_index_facts facts;
    if (item->sum >= c->k->sums.count) return kern_missing(c, "K4", "accumulator", item->sum);
    if (c->sums[item->sum] != SUM_STARTED)
        return kern_broken(c, "K4", "a%u is not started, or read already", item->sum);
    const kern_sum *sum = &c->k->sums.at[item->sum];
    FE_TRY(kern_use_as(c, item->value, sum->dtype, sum->vector));
    if (sum->vector) FE_TRY(kern_check_lanes(c));
    if (sum->copies != c->copies)
        return kern_broken(c, "K4", "%u copies update an accumulator of %u", c->copies,
                           sum->copies);
    if (sum->shared != (c->shared > c->sum_level[item->sum]))
        return kern_broken(c, "K9", "a%u is no sum of what work-items have, or has to be",
                           item->sum);
    c->sum_updated[item->sum] = c->depth;
    if (kern_is_arg(sum->reduce) == sym_is_none(item->flat))
        return kern_broken(c, "K4", "an element says its place, or does not");
    if (!kern_is_arg(sum->reduce)) return FE_OK;
    FE_TRY(kern_check_index(c, item->flat, &facts));
    return sum->across ? kern_check_spacing(c, item->flat, &facts, 1)
                       : kern_check_one(c, item->flat, &facts);
}

static fe_status check_drains(kern_checker *c, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->drains.count; i++) {
        uint32_t sum = loop->drains.at[i];
        bool there = sum < c->k->sums.count && c->sums[sum] == SUM_STARTED;
        if (!there || c->sum_level[sum] > c->depth)
            return kern_broken(c, "K4", "a%u is drained where it is not", sum);
        if (!c->k->sums.at[sum].blocked)
            return kern_broken(c, "K4", "a%u is drained, and not compensated", sum);
    }
    return FE_OK;
}

/* ---- K6: loops ---- */

static fe_status check_items(kern_checker *c, const kern_loop *loop);

static fe_status open_axis(kern_checker *c, sym_expr axis)
{
    if (sym_is_none(axis) || sym_op_of(c->t, axis) != SYM_SYMBOL ||
        sym_kind_of(c->t, axis) != SYM_INDEX)
        return kern_broken(c, "K6", "a loop has no axis");
    for (uint32_t i = 0; i < c->axis_count; i++)
        if (sym_same(c->axes[i], axis))
            return kern_broken(c, "K6", "two loops run over %s", sym_name(c->t, axis));
    c->axes[c->axis_count++] = axis;
    return FE_OK;
}

/* The first `count` of the outer axes are those of a row. */
static fe_status open_rows(kern_checker *c, uint32_t count)
{
    const kern_ir *k = c->k;
    if (c->has_rows || c->depth) return kern_broken(c, "K6", "rows are not the one outermost loop");
    c->has_rows = true;
    for (uint32_t i = 0; i < k->outer; i++) {
        bool counted = i > 0 || (k->outer_vector && k->outer == 1);
        if (i < count) FE_TRY(open_axis(c, k->axes[i]));
        if (counted || !sym_is_none(k->extents[i])) FE_TRY(kern_check_fixed(c, k->extents[i]));
    }
    return k->serial ? kern_check_fixed(c, k->total) : FE_OK;
}

/* K10: tiles are those of a product, and cut even. */
static fe_status check_tiles(kern_checker *c)
{
    const kern_ir *k = c->k;
    const target_tiles *t = &k->tiles;
    kern_product p;
    if (!kern_find_product(k, c->memory, &p))
        return kern_broken(c, "K10", "rows are not those of a product");
    if (!p.variable && k->sums.at[p.sum].blocked)
        return kern_broken(c, "K10", "the sum of a product in tiles is compensated");
    for (uint32_t i = 0; i < p.loop_count; i++)
        if (p.loops[i]->block) return kern_broken(c, "K10", "the sum of a product has blocks");
    for (uint32_t i = 0; i < k->outer; i++)
        if (sym_is_none(k->extents[i]))
            return kern_broken(c, "K10", "rows in tiles have an axis without an extent");
    if (!t->columns || !t->depth || !t->each_rows || !t->each_columns || t->rows % t->each_rows ||
        t->columns % t->each_columns)
        return kern_broken(c, "K10", "tiles are not dealt out evenly");
    uint32_t items = kern_tile_items(k);
    return items % t->rows && t->rows % items
               ? kern_broken(c, "K10", "a tile's rows are not dealt out evenly")
           : items % t->columns && t->columns % items
               ? kern_broken(c, "K10", "a tile's columns are not dealt out evenly")
           : items % t->depth ? kern_broken(c, "K10", "a tile's steps are not dealt out evenly")
                              : FE_OK;
}

static fe_status check_rows(kern_checker *c, const kern_loop *loop)
{
    const kern_ir *k = c->k;
    FE_TRY(open_rows(c, k->outer));
    if (k->tiles.rows) FE_TRY(check_tiles(c));
    if (k->by_groups && (k->serial || k->columns || k->lanes > 1 || k->tile_count))
        return kern_broken(c, "K9", "rows are not those of groups");
    if (!k->outer_vector)
        return loop->unroll == 1 ? FE_OK : kern_broken(c, "K6", "rows one by one are not unrolled");
    if (!k->outer || k->lanes == 1) return kern_broken(c, "K6", "there are no rows for the lanes");
    if (loop->unroll > 1 && k->tile_count)
        return kern_broken(c, "K6", "unrolled rows share a tile");
    c->vector_axis = k->axes[k->outer - 1];
    c->copies = loop->unroll;
    c->copied = 1;
    return FE_OK;
}

/* The last axis of the rows and the columns are those of loops in it. */
static fe_status check_squares(kern_checker *c, const kern_loop *loop)
{
    const kern_ir *k = c->k;
    if (!k->outer || k->lanes == 1 || k->serial || k->outer_vector || loop->unroll != 1)
        return kern_broken(c, "K6", "there are no rows to take in squares");
    FE_TRY(open_rows(c, k->outer - 1));
    for (uint32_t i = 0; i < k->outer; i++)
        if (sym_same(k->axes[i], loop->symbol))
            return kern_broken(c, "K6", "rows are columns as well");
    c->squares = loop;
    c->has_columns = true;
    return FE_OK;
}

/* An extent in the sizes of the group, where the kernel has ints. */
static sym_expr as_called(kern_checker *c, sym_expr extent)
{
    uint32_t count = c->k->params.count;
    sym_expr *symbols = NEW_ARRAY(c->memory, sym_expr, count + 1);
    for (uint32_t i = 0; i < count; i++) symbols[i] = kern_param_symbol(c->k, i);
    return sym_substitute(c->t, extent, symbols, c->k->params.at, count);
}

static fe_status check_vector_loop(kern_checker *c, const kern_loop *loop)
{
    int64_t step = (int64_t)loop->unroll * c->k->lanes, extent;
    if (c->k->lanes == 1) return kern_broken(c, "K6", "there are no lanes for a vector loop");
    if (!sym_is_none(c->vector_axis))
        return kern_broken(c, "K6", "a vector loop is inside another");
    if (loop->block % step) return kern_broken(c, "K6", "blocks are not whole steps of the loop");
    if (loop->exact &&
        (loop->columns || (sym_is_int(c->t, as_called(c, loop->extent), &extent) && extent % step)))
        return kern_broken(c, "K6", "an exact loop's extent is not a multiple of its step");
    c->vector_axis = loop->symbol;
    c->copies = loop->unroll;
    c->copied = c->depth + 1;
    return FE_OK;
}

/* What a loop defines itself. */
static fe_status open_given(kern_checker *c, kern_ref ref, kern_kind kind)
{
    if (!ref) return FE_OK;
    if (ref >= c->k->values.count) return kern_missing(c, "K1", "value", ref);
    const kern_value *v = &c->k->values.at[ref];
    ty_dtype dtype = kind == KERN_TAIL ? TY_BOOL : TY_I64;
    if (c->in_scope[ref]) return kern_broken(c, "K1", "v%u is defined twice", ref);
    if (v->kind != kind || v->dtype != dtype || v->vector != (kind == KERN_TAIL) ||
        v->level != c->depth)
        return kern_broken(c, "K6", "v%u is no count and no mask of the loop", ref);
    c->in_scope[ref] = true;
    return FE_OK;
}

/* The lanes that there are, in the lines of the loop. */
static fe_status open_tail(kern_checker *c, const kern_loop *loop)
{
    bool partial =
        loop->kind == KERN_VECTOR ? !loop->exact : loop->kind == KERN_ROWS && c->k->outer_vector;
    if (loop->count && !partial) return kern_broken(c, "K6", "no step of the loop has fewer lanes");
    if (loop->mask && !loop->count) return kern_broken(c, "K6", "a mask is of a count");
    FE_TRY(open_given(c, loop->count, KERN_COUNT));
    return open_given(c, loop->mask, KERN_TAIL);
}

/* The lanes of a step, one after the other. */
static fe_status check_lanes(kern_checker *c, const kern_loop *loop)
{
    if (c->lanes) return kern_broken(c, "K6", "a lane has no lanes");
    FE_TRY(kern_check_lanes(c));
    FE_TRY(kern_check_count(c, loop->count, true));
    FE_TRY(open_axis(c, loop->symbol));
    if (loop->unroll != 1 && loop->unroll != c->k->lanes)
        return kern_broken(c, "K6", "a loop cannot be unrolled or cut so");
    for (uint32_t i = 0; i < loop->items.count; i++)
        if (loop->items.at[i].kind == KERN_LOOP) return kern_broken(c, "K6", "a lane has loops");
    c->lanes = loop;
    return FE_OK;
}

/* Blocks hold loops over a block of the same axis. */
static fe_status check_blocks(kern_checker *c, const kern_loop *loop)
{
    if (!c->depth) return kern_broken(c, "K6", "a loop is outside the rows");
    FE_TRY(kern_check_fixed(c, loop->extent));
    if (loop->block < 1) return kern_broken(c, "K6", "blocks of nothing");
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_loop *in = loop->items.at[i].kind == KERN_LOOP ? loop->items.at[i].loop : NULL;
        int64_t step = in && in->kind == KERN_VECTOR ? (int64_t)in->unroll * c->k->lanes : 1;
        if (!in) continue;
        if (!in->in_block || !sym_same(in->symbol, loop->symbol))
            return kern_broken(c, "K6", "a loop is not over the block that it is in");
        if (loop->block % step)
            return kern_broken(c, "K6", "blocks are not whole steps of the loop");
    }
    c->blocks = loop;
    return FE_OK;
}

/* Lines that some steps alone come to: no lane is one of them, nor a work-item of a group. */
static fe_status check_case(kern_checker *c, const kern_loop *loop)
{
    if (!c->depth || c->blocks) return kern_broken(c, "K6", "cases are outside of all loops");
    if (c->lanes) return kern_broken(c, "K6", "a lane has cases");
    if (c->k->by_groups) return kern_broken(c, "K9", "work-items of a group would part");
    return loop->kind == KERN_WHEN ? kern_use_as(c, loop->condition, TY_BOOL, false) : FE_OK;
}

/* Over the last axis of the rows, or over the columns: it is for loops over the square alone. */
static bool is_of_square(const kern_checker *c, sym_expr axis)
{
    return c->squares && !sym_is_none(axis) &&
           (sym_same(axis, c->squares->symbol) || sym_same(axis, c->k->axes[c->k->outer - 1]));
}

static fe_status check_loop(kern_checker *c, const kern_loop *loop)
{
    bool plain = !loop->exact && loop->unroll == 1, in_square = is_of_square(c, loop->symbol);
    if (loop->in_block != (c->blocks || in_square))
        return kern_broken(c, "K6", "a loop is over a block, and in none");
    c->blocks = NULL;
    if (!c->depth) return kern_broken(c, "K6", "a loop is outside the rows");
    bool is_cut = loop->columns && !sym_is_none(loop->extent);
    if (!in_square && (!loop->columns || is_cut)) FE_TRY(kern_check_fixed(c, loop->extent));
    if (is_cut) FE_TRY(kern_check_fixed(c, loop->at));
    if (is_cut && c->k->squares) return kern_broken(c, "K6", "columns in squares are cut");
    FE_TRY(open_axis(c, loop->symbol));
    if (!sym_is_none(loop->number)) FE_TRY(open_axis(c, loop->number));
    if (in_square && (loop->exact || loop->block || loop->unroll != 1))
        return kern_broken(c, "K6", "a loop over a square is cut, or more than one step");
    if (!sym_is_none(loop->number) && (!in_square || loop->kind != KERN_SEQUENCE))
        return kern_broken(c, "K6", "steps are numbered one by one, in a square");
    c->has_columns |= loop->columns;
    if (loop->shared && (!c->k->by_groups || c->shared || loop->kind != KERN_SEQUENCE))
        return kern_broken(c, "K9", "there is no group that shares the loop");
    if (loop->shared) c->shared = c->depth + 1;
    if (loop->columns && (c->depth > 1 || c->k->serial || loop->block))
        return kern_broken(c, "K6",
                           "columns are not right inside the rows, which may be shared out");
    if (loop->unroll < 1 || loop->unroll > KERN_MOST_COPIES || loop->block < 0)
        return kern_broken(c, "K6", "a loop cannot be unrolled or cut so");
    if (loop->kind == KERN_VECTOR) return check_vector_loop(c, loop);
    return plain ? FE_OK : kern_broken(c, "K6", "only vector loops are exact or unrolled");
}

static bool is_case(const kern_loop *loop)
{
    return loop->kind == KERN_WHEN || loop->kind == KERN_OTHERWISE;
}

static fe_status check_nested(kern_checker *c, const kern_item *item)
{
    kern_checker outside = *c;
    const kern_loop *loop = item->loop;
    FE_TRY(loop->kind == KERN_ROWS        ? check_rows(c, loop)
           : loop->kind == KERN_SQUARES   ? check_squares(c, loop)
           : loop->kind == KERN_BLOCKS    ? check_blocks(c, loop)
           : loop->kind == KERN_EACH_LANE ? check_lanes(c, loop)
           : is_case(loop)                ? check_case(c, loop)
                                          : check_loop(c, loop));
    if (c->depth + 1 == KERN_MOST_LEVELS)
        return kern_broken(c, "K6", "loops are nested too deeply");
    if (loop->level != ++c->depth)
        return kern_broken(c, "K6", "a loop says another depth than it has");
    bool is_step = loop->kind != KERN_EACH_LANE && !is_case(loop);
    if (is_step) FE_TRY(open_tail(c, loop));
    FE_TRY(check_items(c, loop));
    if (is_step) c->in_scope[loop->count] = c->in_scope[loop->mask] = false;
    outside.has_rows = c->has_rows;
    outside.has_columns = c->has_columns;
    *c = outside;
    c->item = item;
    return check_drains(c, loop);
}

static fe_status check_item(kern_checker *c, const kern_item *item)
{
    c->item = item;
    switch (item->kind) {
    case KERN_DEFINE: return check_define(c, item->value);
    case KERN_STORE: return check_store(c, &item->store);
    case KERN_BOUND:
        if (!c->depth) return kern_broken(c, "K6", "a check is outside the rows");
        return kern_check_bound(c, &item->bound);
    case KERN_START: return check_start(c, item->sum);
    case KERN_UPDATE: return check_update(c, item);
    case KERN_SET: return kern_check_set(c, item);
    case KERN_BARRIER:
        return c->k->by_groups && !c->shared
                   ? FE_OK
                   : kern_broken(c, "K9", "not all work-items of a group come here");
    case KERN_LEAVE:
    case KERN_RETURN: return kern_broken(c, "K8", "a kernel gives no value");
    case KERN_TRANSPOSE: return kern_check_transpose(c, item->store.memory);
    case KERN_LOOP: return check_nested(c, item);
    }
    return kern_broken(c, "K6", "a line of no kind");
}

static bool is_of_kind(const kern_item *item, kern_loop_kind kind)
{
    return item->kind == KERN_LOOP && item->loop->kind == kind;
}

static fe_status check_items(kern_checker *c, const kern_loop *loop)
{
    uint32_t kept = c->kept.count;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        FE_TRY(check_item(c, &loop->items.at[i]));
        bool follows = i > 0 && is_of_kind(&loop->items.at[i - 1], KERN_WHEN);
        if (is_of_kind(&loop->items.at[i], KERN_OTHERWISE) && !follows)
            return kern_broken(c, "K6", "nothing says when it is otherwise");
    }
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_DEFINE) c->in_scope[item->value] = false;
        if (item->kind == KERN_START) c->sums[item->sum] = SUM_CLOSED;
    }
    c->kept.count = kept;
    return FE_OK;
}

static fe_status check_memories(kern_checker *c)
{
    uint32_t buffers = 0, tiles = 0;
    for (uint32_t i = 0; i < c->k->memories.count; i++) {
        const kern_memory *m = &c->k->memories.at[i];
        if (m->number != (m->is_tile ? tiles++ : buffers++))
            return kern_broken(c, "K5", "buffers or tiles are not numbered as they come");
        if (m->is_tile) FE_TRY(kern_check_fixed(c, m->elements));
    }
    return FE_OK;
}

static fe_status check_kernel(kern_checker *c)
{
    const kern_ir *k = c->k;
    if (k->lanes < 1 || k->lanes > KERN_MOST_LANES || (k->lanes & (k->lanes - 1)))
        return kern_broken(c, "K3", "%u is no number of lanes", k->lanes);
    FE_TRY(check_memories(c));
    FE_TRY(check_items(c, k->body));
    c->item = NULL;
    if (!c->has_rows) return kern_broken(c, "K6", "there is no loop over the rows");
    if (k->squares && (!k->columns || !k->outer))
        return kern_broken(c, "K6", "there are no columns to take in squares");
    return k->columns == c->has_columns ? FE_OK
                                        : kern_broken(c, "K6", "columns are cut and no loop is");
}

fe_status kern_check(const kern_ir *k)
{
    arena *memory = arena_new(sym_session(k->symbols));
    kern_checker c = {.k = k,
                      .t = k->symbols,
                      .memory = memory,
                      .copies = 1,
                      .in_scope = NEW_ARRAY(memory, bool, k->values.count + 1),
                      .sums = NEW_ARRAY(memory, kern_sum_state, k->sums.count + 1),
                      .sum_level = NEW_ARRAY(memory, uint32_t, k->sums.count + 1),
                      .sum_updated = NEW_ARRAY(memory, uint32_t, k->sums.count + 1)};
    fe_status status = check_kernel(&c);
    arena_free(memory);
    return status;
}
