/* build.c -- a fused group as kernel IR: loops, accumulators, stores.
 *
 * Phases open their loops inside the rows, put the values of their nests where these belong
 * (value.c), and close them. Results of reductions are taken where the reduction loops close. A
 * group is built with as many lanes as 4-byte elements fit a register, and once more with half of
 * them when a vector of 8-byte elements turned up.
 */
#include "kern/build_priv.h"

enum { LEAST_VECTOR_BYTES = 16 };

/* ---- loops ---- */

static kern_loop *open_loop(kern_builder *b, kern_loop_kind kind)
{
    kern_loop *loop = NEW(b->memory, kern_loop);
    loop->kind = kind;
    loop->unroll = 1;
    b->open[++b->depth] = loop;
    loop->level = b->depth;
    return loop;
}

static void close_loop(kern_builder *b)
{
    kern_loop *loop = b->open[b->depth];
    kern_item item = {.kind = KERN_LOOP, .loop = loop};
    for (uint32_t i = 0; i < b->noted[b->depth].keys.count; i++)
        map_remove(&b->memo, b->noted[b->depth].keys.at[i]);
    b->noted[b->depth].keys.count = 0;
    kern_forget_bounds(b, b->depth);
    while (b->bound_count && b->bound_level[b->bound_count - 1] == b->depth) b->bound_count--;
    b->depth--;
    vec_push(b->memory, &b->open[b->depth]->items, item);
}

static sym_expr number_as_param(kern_builder *b, sym_expr e)
{
    return kern_param_expr(b->k, e, NULL, b->memory);
}

/* ---- stores ---- */

static void put_part(kern_builder *b, const loop_store *st, kern_ref value)
{
    bool set = st->mode == LOOP_SET;
    uint32_t local = map_get(&b->is_local, st->buffer);
    if (set) kern_forward(b, st->buffer, st->index, value);
    if (local == SCHED_LOCAL_REGISTERS) return; /* lives in registers */
    kern_store out = {.mode = st->mode, .memory = kern_memory_of(b, st->buffer)};
    out.atomic = !b->serial && map_get(&b->is_atomic, st->buffer) != MAP_NONE;
    kern_memory *m = &b->k->memories.at[out.memory];
    bool is_tile = m->is_tile, inside = b->vector_level && b->depth >= b->vector_level;
    m->is_written = true;
    sym_expr index = kern_tile_index(b, out.memory, st->index);
    kern_spot spot = kern_place(b, index, 0);
    out.whole = is_tile && (b->k->outer_vector ||
                            (local == SCHED_LOCAL_TILE && sym_same(index, b->vector_axis)));
    out.index = spot.index;
    out.access = spot.access;
    if (is_tile && b->k->outer_vector) {
        b->moving_tile |= spot.access != KERN_ONE;
        out.access = KERN_UNIT;
    }
    if (out.access == KERN_ONE && b->k->lanes > 1 && inside &&
        (!set || b->k->values.at[value].vector))
        out.access = KERN_LANES;
    out.value = out.access == KERN_ONE ? value : kern_as_vector(b, value);
    kern_item item = {.kind = KERN_STORE, .store = out};
    vec_push(b->memory, &b->open[b->depth]->items, item);
}

/* values: of each part. */
static void put(kern_builder *b, const loop_store *st, const kern_ref *values)
{
    loop_store parts[2];
    uint32_t count = kern_parts_of(b, st, parts);
    kern_forget_loads(b, st->buffer);
    if (map_get(&b->touched, st->buffer) == MAP_NONE)
        map_set(b->memory, &b->touched, st->buffer, KERN_STORED);
    for (uint32_t k = 0; k < count; k++) put_part(b, &parts[k], values[k]);
}

/* Of a store that runs over no reduction axes, or over those that had one step. */
static void put_unreduced(kern_builder *b, const loop_store *st)
{
    loop_store parts[2];
    kern_ref values[2];
    bool is_place = kern_is_arg(st->reduce);
    uint32_t count = kern_parts_of(b, st, parts);
    for (uint32_t k = 0; k < count; k++) {
        loop_value v = is_place ? loop_const_int(b->p, TY_I64, 0) : parts[k].value;
        values[k] = kern_build_value(b, v, 0);
    }
    put(b, st, values);
}

/* ---- reductions ---- */

static bool nest_reduces(const loop_op *nest)
{
    for (uint32_t i = 0; i < nest->store_count; i++)
        if (nest->stores[i].reduce) return true;
    return false;
}

static bool counts_in_32_bits(kern_builder *b, const sched_phase *ph)
{
    int64_t least, most;
    sym_range(b->t, sym_product(b->t, ph->reduce_extents, ph->reduce_axes), NULL, &least, &most);
    return most <= INT32_MAX;
}

static uint32_t start_sum(kern_builder *b, const sched_phase *ph, bool vector, const loop_store *st)
{
    kern_sum sum = {.dtype = loop_at(b->p, st->value)->dtype, .reduce = st->reduce, .copies = 1};
    sum.vector = vector;
    sum.place = counts_in_32_bits(b, ph) ? TY_I32 : TY_I64;
    sum.across = vector && !b->k->outer_vector;
    sum.running = st->scan;
    sum.blocked = sum.reduce == LOOP_SUM && !sum.running && ty_is_floating(sum.dtype) &&
                  kern_is_long(b, ph, vector);
    kern_item item = {.kind = KERN_START, .sum = b->k->sums.count};
    vec_push(b->memory, &b->k->sums, sum);
    vec_push(b->memory, &b->open[b->depth]->items, item);
    return item.sum;
}

static void start_sums(kern_builder *b, const sched_phase *ph, bool vector, kern_pending_list *list)
{
    for (uint32_t n = 0; n < ph->nest_count; n++) {
        const loop_op *nest = &ph->nests[n].nest;
        if (!nest_reduces(nest) || !ph->reduce_axes) continue;
        for (uint32_t i = 0; i < nest->store_count; i++) {
            const loop_store *st = &nest->stores[i];
            kern_pending entry = {st, {UINT32_MAX, UINT32_MAX}};
            loop_store parts[2];
            uint32_t count = st->reduce ? kern_parts_of(b, st, parts) : 0;
            for (uint32_t k = 0; k < count; k++)
                entry.sums[k] = start_sum(b, ph, vector, &parts[k]);
            vec_push(b->memory, list, entry);
        }
    }
}

/* The number of the element at hand, counted over all reduction axes. */
static sym_expr flat_number(kern_builder *b, const sched_phase *ph)
{
    sym_expr flat = sym_int(b->t, 0);
    for (uint32_t i = 0; i < ph->reduce_axes; i++)
        flat = sym_add(b->t, sym_mul(b->t, flat, ph->reduce_extents[i]), loop_reduce_axis(b->p, i));
    return number_as_param(b, flat);
}

static void update_sum(kern_builder *b, const sched_phase *ph, const kern_pending *entry)
{
    loop_store parts[2];
    uint32_t count = kern_parts_of(b, entry->store, parts);
    for (uint32_t k = 0; k < count; k++) {
        kern_sum sum = b->k->sums.at[entry->sums[k]];
        kern_ref value = kern_build_value(b, parts[k].value, 0);
        kern_item item = {.kind = KERN_UPDATE, .sum = entry->sums[k]};
        item.value = sum.vector ? kern_as_vector(b, value) : value;
        if (kern_is_arg(sum.reduce)) item.flat = flat_number(b, ph);
        vec_push(b->memory, &b->open[b->depth]->items, item);
    }
}

static kern_ref result_of(kern_builder *b, uint32_t number)
{
    kern_sum sum = b->k->sums.at[number];
    kern_value result = {.kind = KERN_RESULT, .sum = number, .level = b->depth};
    result.dtype = kern_is_arg(sum.reduce) ? TY_I64 : sum.dtype;
    result.vector = sum.vector && (!sum.across || sum.running);
    return kern_add_value(b, result);
}

/* A scan: what the accumulator has come to is stored at once. */
static void put_running(kern_builder *b, const kern_pending *entry)
{
    ty_dtype stored = b->p->buffers.at[entry->store->buffer].dtype;
    if (b->in_parts) stored = ty_complex_to_real(stored);
    kern_ref values[2] = {0};
    for (uint32_t k = 0; k < 2; k++)
        if (entry->sums[k] != UINT32_MAX)
            values[k] = kern_cast(b, result_of(b, entry->sums[k]), stored);
    put(b, entry->store, values);
}

static void finish_sums(kern_builder *b, const kern_pending_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const kern_pending *entry = &list->at[i];
        if (entry->store->scan) continue;
        if (entry->sums[0] == UINT32_MAX) {
            put_unreduced(b, entry->store);
            continue;
        }
        kern_ref values[2] = {0};
        for (uint32_t k = 0; k < 2; k++)
            if (entry->sums[k] != UINT32_MAX) values[k] = result_of(b, entry->sums[k]);
        put(b, entry->store, values);
    }
}

/* ---- phases ---- */

static void open_phase(kern_builder *b, const sched_phase *ph, uint32_t from, uint32_t to)
{
    bool along = b->k->lanes > 1 && b->vector == SCHED_VECTOR_INNER;
    for (uint32_t i = from; i < to; i++) {
        bool last = i + 1 == ph->inner_axes + ph->reduce_axes;
        kern_loop *loop = open_loop(b, last && along ? KERN_VECTOR : KERN_SEQUENCE);
        bool inner = i < ph->inner_axes;
        sym_expr extent = inner ? ph->extents[i] : ph->reduce_extents[i - ph->inner_axes];
        loop->symbol =
            inner ? loop_axis(b->p, b->k->outer + i) : loop_reduce_axis(b->p, i - ph->inner_axes);
        loop->columns = b->columns;
        if (!loop->columns) loop->extent = number_as_param(b, extent);
        kern_bind(b, loop->symbol, extent);
        if (!last || !along) continue;
        b->vector_axis = loop->symbol;
        b->vector_level = b->depth;
    }
}

static void build_nest(kern_builder *b, const sched_phase *ph, const loop_op *nest,
                       const kern_pending *entries)
{
    bool reduces = nest_reduces(nest) && ph->reduce_axes;
    for (uint32_t i = 0; i < nest->store_count; i++) {
        const loop_store *st = &nest->stores[i];
        if (!reduces)
            put_unreduced(b, st);
        else if (st->reduce)
            update_sum(b, ph, &entries[i]);
        if (reduces && st->scan) put_running(b, &entries[i]);
    }
}

/* Is one of the loops known to make no step? What it does not depend on would be moved in front of it, and
 * read there what nobody has said to be in range. */
static bool makes_no_step(const kern_builder *b, const sym_expr *extents, uint32_t count)
{
    int64_t extent;
    for (uint32_t i = 0; i < count; i++)
        if (sym_is_int(b->t, extents[i], &extent) && extent <= 0) return true;
    return false;
}

/* ---- loops that are cut ---- */

static void open_span(kern_builder *b, const sched_phase *ph, const kern_span *span)
{
    kern_loop *loop = open_loop(b, span->is_single ? KERN_SEQUENCE : KERN_VECTOR);
    loop->symbol = loop_axis(b->p, b->k->outer + ph->inner_axes - 1);
    loop->extent = number_as_param(b, span->extent);
    loop->columns = b->columns;
    if (loop->columns) loop->at = number_as_param(b, span->first);
    kern_bind(b, loop->symbol, span->extent);
    b->vector_axis = span->is_single ? (sym_expr){0} : loop->symbol;
    b->vector_level = span->is_single ? 0 : b->depth;
}

/* Pieces of the innermost loop, one after the other. */
static void build_cut(kern_builder *b, const sched_phase *ph, const kern_spans *spans)
{
    kern_pending_list none = {0};
    for (uint32_t i = 0; i < spans->count; i++) {
        const kern_span *span = &spans->at[i];
        open_span(b, ph, span);
        kern_loop *loop = b->open[b->depth];
        for (uint32_t n = 0; n < ph->nest_count; n++) {
            loop_op nest = kern_nest_in(b, &ph->nests[n].nest, loop->symbol, span);
            build_nest(b, ph, &nest, NULL);
        }
        kern_shape_loop(b, loop, span->extent, &none);
        close_loop(b);
    }
    for (uint32_t i = 0; i + 1 < ph->inner_axes; i++) close_loop(b);
}

static bool may_be_cut(const kern_builder *b, const sched_phase *ph)
{
    return b->k->lanes > 1 && b->vector == SCHED_VECTOR_INNER && !b->k->squares &&
           !b->target->dialect && b->g->kind == SCHED_KERNEL && ph->inner_axes && !ph->reduce_axes;
}

static void build_phase(kern_builder *b, const sched_phase *ph)
{
    bool along = b->k->lanes > 1 && b->vector == SCHED_VECTOR_INNER;
    kern_pending_list list = {0};
    kern_spans spans = {0};
    uint32_t loops = ph->inner_axes + ph->reduce_axes, at = 0;
    bool is_idle = makes_no_step(b, b->g->outer_extents, b->g->outer) ||
                   makes_no_step(b, ph->extents, ph->inner_axes);
    bool only_starts = is_idle || makes_no_step(b, ph->reduce_extents, ph->reduce_axes);
    if (along) {
        b->vector_axis = (sym_expr){0};
        b->vector_level = 0;
    }
    uint32_t uncut = ph->inner_axes - (may_be_cut(b, ph) && !only_starts);
    open_phase(b, ph, 0, uncut);
    if (uncut < ph->inner_axes) kern_find_spans(b, ph, &spans);
    if (spans.count > 1) {
        build_cut(b, ph, &spans);
        return;
    }
    open_phase(b, ph, uncut, ph->inner_axes);
    if (!is_idle) start_sums(b, ph, b->k->outer_vector || (along && ph->reduce_axes), &list);
    open_phase(b, ph, ph->inner_axes, loops);
    for (uint32_t n = 0; n < ph->nest_count && !only_starts; n++) {
        const loop_op *nest = &ph->nests[n].nest;
        build_nest(b, ph, nest, at < list.count ? list.at + at : NULL);
        if (nest_reduces(nest) && ph->reduce_axes) at += nest->store_count;
    }
    sym_expr last = ph->reduce_axes  ? ph->reduce_extents[ph->reduce_axes - 1]
                    : ph->inner_axes ? ph->extents[ph->inner_axes - 1]
                                     : (sym_expr){0};
    if (loops) kern_shape_loop(b, b->open[b->depth], last, &list);
    kern_place_drains(b, ph, &list);
    for (uint32_t i = 0; i < ph->reduce_axes; i++) close_loop(b);
    if (along && ph->reduce_axes) {
        b->vector_axis = (sym_expr){0};
        b->vector_level = 0;
    }
    finish_sums(b, &list);
    for (uint32_t i = 0; i < ph->inner_axes; i++) close_loop(b);
}

/* ---- the kernel ---- */

static void build_group(kern_builder *b, uint32_t lanes)
{
    kern_ir *k = b->k = NEW(b->memory, kern_ir);
    k->symbols = b->t;
    k->lanes = lanes;
    k->outer = b->g->outer;
    vec_push(b->memory, &k->values, (kern_value){0});
    b->memo = b->memory_of = b->touched = (map){0};
    for (uint32_t i = 0; i < KERN_MOST_LEVELS; i++) b->noted[i].keys.count = 0;
    b->depth = 0;
    b->bound_count = 0;
    b->bounded.count = 0;
    b->vector_axis = (sym_expr){0};
    b->vector_level = 0;
    k->body = b->open[0] = NEW(b->memory, kern_loop);
    k->serial = b->serial;
    k->squares = b->squares && lanes > 1;
    if (k->serial)
        k->total = number_as_param(b, sym_product(b->t, b->g->outer_extents, b->g->outer));
    k->outer_vector = b->vector == SCHED_VECTOR_OUTER && lanes > 1 && k->outer > 0;
    open_loop(b, KERN_ROWS);
    for (uint32_t i = 0; i < k->outer; i++) {
        sym_expr extent = b->g->outer_extents[b->order[i]];
        k->axes[i] = loop_axis(b->p, b->order[i]);
        bool counted = i > 0 || b->vector == SCHED_VECTOR_OUTER;
        if (counted) k->extents[i] = number_as_param(b, extent);
        if (i == 0) k->first_extent = extent;
        kern_bind(b, k->axes[i], extent);
    }
    if (k->outer_vector) {
        b->vector_axis = k->axes[k->outer - 1];
        b->vector_level = 1;
    }
    for (uint32_t i = 0; i < b->g->phase_count; i++) build_phase(b, &b->g->phases[i]);
    kern_widen_rows(b, b->open[1]);
    close_loop(b);
    kern_size_tiles(b);
}

static bool has_turned(const kern_ir *k)
{
    for (uint32_t i = 1; i < k->values.count; i++)
        if (k->values.at[i].turned) return true;
    return false;
}

/* Must it go step by step? Those of log_sum_exp are too dear to take in the pattern of a vector's prefix; a
 * product of a vector's elements may overflow where all before them are small, but in f64 of eight f32. */
static bool goes_by_steps(loop_program *p, const loop_store *st)
{
    const loop_node *v = loop_at(p, st->value);
    if (!st->scan || st->reduce == LOOP_LOG_SUM_EXP) return st->scan;
    if (st->reduce != LOOP_PROD || ty_is_integral(v->dtype, true)) return false;
    return v->dtype != TY_F64 || v->op != LOOP_CAST ||
           ty_dtype_size(loop_at(p, v->args[0])->dtype) > ty_dtype_size(TY_F32);
}

static bool has_steps(const kern_builder *b)
{
    for (uint32_t i = 0; i < b->g->phase_count; i++)
        for (uint32_t n = 0; n < b->g->phases[i].nest_count; n++) {
            const loop_op *nest = &b->g->phases[i].nests[n].nest;
            for (uint32_t k = 0; k < nest->store_count; k++)
                if (goes_by_steps(b->p, &nest->stores[k])) return true;
        }
    return false;
}

/* The outer axes as they are, but for the one that squares have last. */
static void order_rows(kern_builder *b)
{
    uint32_t last = 0, at = 0;
    b->squares = !b->g->variant.straight && kern_find_squares(b, &last);
    for (uint32_t i = 0; i < b->g->outer; i++)
        if (!b->squares || i != last) b->order[at++] = i;
    if (b->squares) b->order[at] = last;
}

fe_status kern_lower(const sched_schedule *s, const sched_group *g, const target_machine *target,
                     arena *memory, kern_ir **out)
{
    kern_builder b = {.schedule = s,
                      .p = s->program,
                      .t = s->program->symbols,
                      .memory = memory,
                      .g = g,
                      .scheduled = g,
                      .target = target};
    bool has_complex = kern_has_complex(b.p, g);
    const sched_group *parts = has_complex ? kern_in_parts(b.p, g, memory) : NULL;
    b.in_parts = parts != NULL;
    if (parts) b.g = g = parts;
    kern_ir outer_axes = {.symbols = b.t};
    b.k = &outer_axes;
    for (uint32_t i = 0; i < g->outer; i++) outer_axes.axes[i] = loop_axis(b.p, i);
    b.columns = g->phase_count == 1 && g->phases[0].reduce_axes == 0 &&
                g->phases[0].inner_axes == 1 && g->variant.vector != SCHED_VECTOR_OUTER;
    kern_survey(&b);
    b.columns = b.columns && !b.serial;
    b.vector = g->variant.vector;
    if (b.vector == SCHED_VECTOR_INNER && has_steps(&b)) b.vector = SCHED_VECTOR_NONE;
    order_rows(&b);
    bool scalar = (has_complex && !parts) || b.vector == SCHED_VECTOR_NONE;
    bool half = g->variant.half && target->vector_bytes > LEAST_VECTOR_BYTES;
    uint32_t bytes = target->vector_bytes / (half ? 2 : 1), lanes = scalar ? 1 : bytes / 4;
    build_group(&b, lanes);
    if (b.k->squares && !has_turned(b.k)) {
        b.squares = false;
        build_group(&b, lanes);
    }
    bool is_half = kern_widest_vector(b.k) == 8 ||
                   (bytes > LEAST_VECTOR_BYTES && kern_has_short_gathers(&b, lanes));
    if (lanes > 1 && is_half) build_group(&b, bytes / 8);
    if (b.k->outer_vector && (b.tile_bytes > target->limits.lane_tile_bytes || b.moving_tile)) {
        /* a tile for each lane would be too much for the stack, or has no place for all at once */
        b.vector = SCHED_VECTOR_NONE;
        build_group(&b, 1);
    }
    if (b.unbounded_tile) {
        diag d = {.status = FE_UNSUPPORTED, .stage = "kern"};
        return diag_fail(s->program->session, d, "a local buffer has no bound known ahead");
    }
    b.k->columns = b.columns;
    *out = b.k;
    return FE_OK;
}
