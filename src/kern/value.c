/* value.c -- expressions of a nest as values of the kernel.
 *
 * A value lands in the outermost loop where all that it needs is known. It is a vector when its
 * lanes may differ, which loads and index values along the vector axis start and operations pass
 * on; scalars are spread when they meet vectors.
 */
#include "kern/build_priv.h"

static const kern_value *at(const kern_builder *b, kern_ref v)
{
    return &b->k->values.at[v];
}

static uint64_t value_key(uint32_t id, kern_ref guard)
{
    return (uint64_t)guard << 32 | id;
}

static uint64_t forward_key(loop_buffer_id buffer, sym_expr index)
{
    return 1ull << 63 | (uint64_t)(buffer & 0x3fffffff) << 32 | index.id;
}

static uint64_t splat_key(kern_ref v)
{
    return 1ull << 62 | v;
}

static kern_ref note(kern_builder *b, uint64_t key, kern_ref v)
{
    map_set(b->memory, &b->memo, key, v);
    vec_push(b->memory, &b->noted[at(b, v)->level].keys, key);
    return v;
}

kern_ref kern_add_value(kern_builder *b, kern_value v)
{
    kern_ref made = b->k->values.count;
    vec_push(b->memory, &b->k->values, v);
    if (v.kind != KERN_CONST) {
        kern_item item = {.kind = KERN_DEFINE, .value = made};
        vec_push(b->memory, &b->open[v.level]->items, item);
    }
    return made;
}

kern_ref kern_as_vector(kern_builder *b, kern_ref v)
{
    kern_value made = *at(b, v);
    if (made.vector || b->k->lanes == 1) return v;
    uint32_t known = map_get(&b->memo, splat_key(v));
    if (known != MAP_NONE) return known;
    if (made.kind == KERN_CONST)
        made.vector = true;
    else
        made = (kern_value){.kind = KERN_SPLAT,
                            .dtype = made.dtype,
                            .level = made.level,
                            .vector = true,
                            .args = {v}};
    return note(b, splat_key(v), kern_add_value(b, made));
}

void kern_forward(kern_builder *b, loop_buffer_id buffer, sym_expr index, kern_ref value)
{
    note(b, forward_key(buffer, index), value);
}

static bool is_forward(uint64_t key)
{
    return key >> 63;
}

void kern_forget_loads(kern_builder *b, loop_buffer_id buffer)
{
    uint32_t touched = map_get(&b->touched, buffer);
    if (touched == MAP_NONE) return;
    for (uint32_t level = 0; level <= b->depth; level++)
        for (uint32_t i = 0; i < b->noted[level].keys.count; i++) {
            uint64_t key = b->noted[level].keys.at[i];
            bool forwards = is_forward(key) && (key >> 32 & 0x3fffffff) == buffer;
            bool may_hold_load = touched == KERN_LOADED && !(key >> 62);
            if (forwards || may_hold_load) map_remove(&b->memo, key);
        }
}

/* ---- indices ---- */

/* An index of 32 bits, and what it is multiplied by. */
typedef struct short_part {
    sym_expr symbol;
    loop_value value;
    int64_t size; /* it is below */
} short_part;

typedef struct placing {
    kern_builder *b;
    kern_ref guard;
    VEC(sym_expr) from, to;
    VEC(short_part) parts;
    bool lanes_differ;
    uint32_t level;
} placing;

/* A number that is made of a float or a short integer, in 32 bits where it is known to be in a range that
 * these hold: so many more lanes there are. Else none. */
static kern_ref short_index(placing *pl, sym_expr symbol)
{
    kern_builder *b = pl->b;
    const loop_node *n = loop_at(b->p, loop_indirect_value(b->p, symbol));
    int64_t least, most;
    sym_env env = {b->bounds, b->bound_count};
    if (b->k->lanes == 1 || n->op != LOOP_CAST || n->dtype != TY_I64) return 0;
    loop_value from = n->args[0];
    ty_dtype dtype = loop_at(b->p, from)->dtype;
    sym_range(b->t, loop_indirect_bound(b->p, symbol)->size, NULL, &least, &most);
    if ((dtype != TY_F32 && dtype != TY_I32) || most > INT32_MAX) return 0;
    if (!loop_is_within(b->p, symbol, &env, pl->guard ? &b->facts : NULL)) return 0;
    if (!at(b, kern_build_value(b, from, pl->guard))->vector) return 0;
    loop_value cut = loop_cast(b->p, TY_I32, from);
    vec_push(b->memory, &pl->parts, ((short_part){symbol, cut, most}));
    return kern_build_value(b, cut, pl->guard);
}

/* The sum of an index' parts of 32 bits as one number of as many, where it fits. */
static void join_short(placing *pl, sym_expr *index)
{
    kern_builder *b = pl->b;
    loop_program *p = b->p;
    sym_expr rest = *index;
    loop_value sum = {0};
    int64_t most = 0;
    for (uint32_t i = 0; i < pl->parts.count; i++) {
        const short_part *part = &pl->parts.at[i];
        sym_expr stride;
        int64_t times;
        if (!sym_linear_in(b->t, rest, part->symbol, &stride, &rest) ||
            !sym_is_int(b->t, stride, &times) || times < 0 || times > INT32_MAX)
            return;
        if (part->size > (INT32_MAX - most) / (times ? times : 1)) return;
        most += times * part->size;
        loop_value term = loop_binary(p, LOOP_MUL, part->value, loop_const_int(p, TY_I32, times));
        sum = i ? loop_binary(p, LOOP_ADD, sum, term) : term;
    }
    if (!sum.id) return;
    kern_ref joined = kern_build_value(b, sum, pl->guard);
    if (at(b, joined)->level > pl->level) pl->level = at(b, joined)->level;
    sym_expr stands = pl->parts.at[0].symbol;
    for (uint32_t i = 0; i < pl->from.count; i++)
        if (sym_same(pl->from.at[i], stands)) pl->to.at[i] = kern_value_symbol(b->k, joined);
    *index = sym_add(b->t, rest, stands);
}

static void place_symbol(void *data, sym_expr symbol)
{
    placing *pl = data;
    kern_builder *b = pl->b;
    switch (sym_kind_of(b->t, symbol)) {
    case SYM_INDEX:
        for (uint32_t k = 0; k < b->bound_count; k++)
            if (sym_same(b->bounds[k].symbol, symbol) && b->bound_level[k] > pl->level)
                pl->level = b->bound_level[k];
        break;
    case SYM_INDIRECT: {
        kern_ref v = short_index(pl, symbol);
        if (!v) v = kern_build_value(b, loop_indirect_value(b->p, symbol), pl->guard);
        const kern_value *value = at(b, v);
        pl->lanes_differ |= value->vector;
        if (value->level > pl->level) pl->level = value->level;
        uint32_t kept = kern_keep_bound(b, symbol, v, pl->guard);
        if (kept > pl->level) pl->level = kept;
        value = at(b, v);
        vec_push(b->memory, &pl->from, symbol);
        vec_push(b->memory, &pl->to,
                 value->kind == KERN_CONST ? sym_int(b->t, value->integer)
                                           : kern_value_symbol(b->k, v));
        break;
    }
    default: break;
    }
}

kern_spot kern_place(kern_builder *b, sym_expr index, kern_ref guard)
{
    placing pl = {.b = b, .guard = guard};
    kern_spot spot = {.access = KERN_ONE};
    sym_expr coefficient, rest;
    sym_each_symbol(b->t, index, place_symbol, &pl);
    join_short(&pl, &index);
    sym_env env = {b->bounds, b->bound_count};
    uint32_t known = b->k->nonnegative.count;
    spot.index = kern_param_expr(b->k, index, &env, b->memory);
    if (pl.from.count) {
        spot.index = sym_substitute(b->t, spot.index, pl.from.at, pl.to.at, pl.from.count);
        for (uint32_t i = known; i < b->k->nonnegative.count; i++)
            b->k->nonnegative.at[i] =
                sym_substitute(b->t, b->k->nonnegative.at[i], pl.from.at, pl.to.at, pl.from.count);
    }
    spot.level = pl.level;
    if (b->k->lanes == 1) return spot;
    if (!sym_is_none(b->vector_axis) && sym_contains(b->t, index, b->vector_axis)) {
        spot.spaced =
            !pl.lanes_differ && sym_linear_in(b->t, index, b->vector_axis, &coefficient, &rest);
        if (spot.spaced && !sym_is_int(b->t, coefficient, &spot.stride)) spot.stride = 0;
        spot.access = spot.stride == 1 ? KERN_UNIT : KERN_LANES;
    }
    if (pl.lanes_differ) spot.access = KERN_LANES;
    return spot;
}

/* A tile's index leaves the outer axes out: each iteration has its own. */
sym_expr kern_tile_index(kern_builder *b, uint32_t memory, sym_expr index)
{
    sym_expr zero[LOOP_MAX_AXES];
    if (!b->k->memories.at[memory].is_tile) return index;
    for (uint32_t i = 0; i < b->k->outer; i++) zero[i] = sym_int(b->t, 0);
    index = sym_substitute(b->t, index, b->k->axes, zero, b->k->outer);
    return b->k->outer_vector ? sym_mul_int(b->t, index, b->k->lanes) : index;
}

uint32_t kern_memory_of(kern_builder *b, loop_buffer_id buffer)
{
    uint32_t known = map_get(&b->memory_of, buffer);
    if (known != MAP_NONE) return known;
    kern_ir *k = b->k;
    const loop_buffer *of = &b->p->buffers.at[buffer];
    kern_memory m = {.name = of->name, .buffer = buffer, .dtype = of->dtype};
    if (b->in_parts) m.dtype = ty_complex_to_real(m.dtype);
    m.is_tile = map_get(&b->is_local, buffer) != MAP_NONE;
    m.number = m.is_tile ? k->tile_count++ : k->buffer_count++;
    map_set(b->memory, &b->memory_of, buffer, k->memories.count);
    vec_push(b->memory, &k->memories, m);
    return k->memories.count - 1;
}

/* ---- values ---- */

/* Bounds of loops and of looked-up indices, for a proof. */
typedef struct kern_reach {
    kern_builder *b;
    sym_bound bounds[2 * KERN_MOST_LEVELS];
    uint32_t count;
} kern_reach;

static bool runs(const kern_builder *b, sym_expr index)
{
    return kern_runs(b->k, index, b->vector_axis) && kern_runs_far(b->k, index, b->vector_axis);
}

/* Are its lanes neighbours along the rows, and can they be read ahead in all rows of a square? */
static bool is_turned(const kern_builder *b, const loop_node *n, const kern_value *v)
{
    sym_expr coefficient, rest;
    int64_t step;
    if (!b->k->squares || v->guard || v->pairs || v->dtype == TY_BOOL ||
        b->k->memories.at[v->memory].is_tile || map_get(&b->is_written, n->buffer) != MAP_NONE ||
        sym_has_kind(b->t, n->index, SYM_INDIRECT))
        return false;
    return sym_linear_in(b->t, n->index, b->k->axes[b->k->outer - 1], &coefficient, &rest) &&
           sym_is_int(b->t, coefficient, &step) && step == 1;
}

static void add_indirect(void *data, sym_expr symbol)
{
    kern_reach *r = data;
    const loop_bound *bound = loop_indirect_bound(r->b->p, symbol);
    if (bound && r->count < COUNT_OF(r->bounds))
        r->bounds[r->count++] = (sym_bound){symbol, bound->size};
}

/* Is what is loaded known to be there as soon as the loops down to this level take a step? */
static bool is_there(kern_builder *b, const loop_node *n, uint32_t level)
{
    kern_reach r = {.b = b};
    const loop_buffer *buffer = &b->p->buffers.at[n->buffer];
    bool is_part = b->in_parts && ty_is_complex(buffer->dtype);
    sym_expr elements = sym_mul_int(b->t, buffer->elements, 1 + is_part);
    sym_each_symbol(b->t, n->index, add_indirect, &r);
    for (uint32_t k = 0; k < b->bound_count && r.count < COUNT_OF(r.bounds); k++)
        if (b->bound_level[k] <= level) r.bounds[r.count++] = b->bounds[k];
    sym_env env = {r.bounds, r.count};
    return sym_known_less_equal(b->t, sym_int(b->t, 0), n->index, &env) &&
           sym_known_less_equal(b->t, n->index, sym_add_int(b->t, elements, -1), &env);
}

/* A load goes in front of a loop that it does not depend on where the loop takes a step, or else something is
 * there to load. */
static uint32_t first_level_of(kern_builder *b, const loop_node *n, uint32_t level)
{
    uint32_t idle = level;
    for (uint32_t k = 0; k < b->bound_count; k++)
        if (b->bound_level[k] > idle &&
            !sym_known_less_equal(b->t, sym_int(b->t, 1), b->bounds[k].extent, NULL))
            idle = b->bound_level[k];
    return idle == level || is_there(b, n, level) ? level : idle;
}

/* The same element for all lanes is loaded whatever a mask says of them, where it is known to be there. What
 * comes from data is so only where its check was made, which the mask may leave out. */
static bool needs_no_mask(kern_builder *b, const loop_node *n, uint32_t level)
{
    bool is_local = map_get(&b->is_local, n->buffer) != MAP_NONE;
    return !is_local && !sym_has_kind(b->t, n->index, SYM_INDIRECT) && is_there(b, n, level);
}

/* Parts of complex numbers lie in pairs from an even element on. */
static kern_pairs pairs_of(const kern_builder *b, const loop_node *n)
{
    if (!ty_is_complex(b->p->buffers.at[n->buffer].dtype)) return KERN_EVENS;
    sym_expr rest = sym_mod(b->t, n->index, sym_int(b->t, 2));
    int64_t which;
    if (!sym_is_int(b->t, rest, &which)) return KERN_EVENS;
    return which ? KERN_SECONDS : KERN_FIRSTS;
}

static kern_ref build_load(kern_builder *b, const loop_node *n, kern_ref guard)
{
    uint32_t known = map_get(&b->memo, forward_key(n->buffer, n->index));
    map_set(b->memory, &b->touched, n->buffer, KERN_LOADED);
    if (known != MAP_NONE) return known;
    kern_value v = {.kind = KERN_LOAD, .dtype = n->dtype, .guard = guard};
    v.memory = kern_memory_of(b, n->buffer);
    b->k->memories.at[v.memory].is_read = true;
    bool is_tile = b->k->memories.at[v.memory].is_tile;
    kern_spot spot = kern_place(b, kern_tile_index(b, v.memory, n->index), guard);
    v.index = spot.index;
    v.access = spot.access;
    v.level = spot.level;
    if (is_tile && b->k->outer_vector) {
        b->moving_tile |= spot.access != KERN_ONE;
        v.access = KERN_UNIT;
    }
    bool masked = guard && at(b, guard)->vector && v.access == KERN_ONE;
    if (masked && needs_no_mask(b, n, v.level)) v.guard = guard = 0;
    if (masked && guard) v.access = KERN_LANES;
    if (guard && at(b, guard)->level > v.level) v.level = at(b, guard)->level;
    if (v.access == KERN_LANES && spot.stride == 2) v.pairs = pairs_of(b, n);
    v.turned = v.access == KERN_LANES && spot.spaced && is_turned(b, n, &v);
    bool is_free = v.access == KERN_LANES && !v.pairs && !v.turned;
    if (is_free && !(guard && at(b, guard)->vector))
        v.repeats = kern_repeats(b->k, v.index, b->vector_axis);
    v.runs = is_free && !v.repeats && !masked && runs(b, v.index);
    v.vector = v.access != KERN_ONE;
    if (v.vector && v.level < b->vector_level) v.level = b->vector_level;
    if (v.level == 0 && map_get(&b->is_written, n->buffer) != MAP_NONE) v.level = 1;
    if (!is_tile) v.level = first_level_of(b, n, v.level);
    return kern_add_value(b, v);
}

static kern_ref build_number(kern_builder *b, const loop_node *n, kern_ref guard)
{
    kern_value v = {.kind = KERN_NUMBER, .dtype = n->dtype};
    int64_t value;
    if (sym_is_int(b->t, n->index, &value))
        return kern_add_value(
            b, (kern_value){.kind = KERN_CONST, .dtype = n->dtype, .integer = value});
    kern_spot spot = kern_place(b, n->index, guard);
    v.index = spot.index;
    v.level = spot.level;
    v.access = spot.spaced ? KERN_UNIT : spot.access;
    v.vector = v.access != KERN_ONE;
    v.runs = v.access == KERN_LANES && runs(b, v.index);
    return kern_add_value(b, v);
}

static kern_ref build_const(kern_builder *b, const loop_node *n)
{
    kern_value v = {.kind = KERN_CONST, .dtype = n->dtype};
    if (n->op == LOOP_SYMFLOAT)
        v.number[0] = b->p->inputs.at[n->buffer].number;
    else if (ty_is_integral(n->dtype, true))
        v.integer = n->integer;
    else
        v.number[0] = n->number[0], v.number[1] = n->number[1];
    return kern_add_value(b, v);
}

static kern_ref apply(kern_builder *b, loop_opcode op, ty_dtype dtype, const kern_ref *args,
                      uint32_t count)
{
    kern_value v = {.kind = KERN_APPLY, .op = op, .dtype = dtype};
    bool selects = op == LOOP_WHERE;
    for (uint32_t i = 0; i < count; i++) {
        v.vector |= at(b, args[i])->vector;
        if (at(b, args[i])->level > v.level) v.level = at(b, args[i])->level;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool as_is = !v.vector || (selects && i == 0);
        v.args[i] = as_is ? args[i] : kern_as_vector(b, args[i]);
    }
    return kern_add_value(b, v);
}

kern_ref kern_apply_not(kern_builder *b, kern_ref v)
{
    return apply(b, LOOP_NOT, TY_BOOL, &v, 1);
}

kern_ref kern_apply_and(kern_builder *b, kern_ref x, kern_ref y)
{
    return apply(b, LOOP_AND, TY_BOOL, (kern_ref[]){x, y}, 2);
}

kern_ref kern_cast(kern_builder *b, kern_ref v, ty_dtype to)
{
    return at(b, v)->dtype == to ? v : apply(b, LOOP_CAST, to, &v, 1);
}

static kern_ref build_masked(kern_builder *b, const loop_node *n, kern_ref guard)
{
    kern_ref condition = kern_build_value(b, n->args[0], guard), inner = condition;
    if (guard) inner = kern_apply_and(b, guard, condition);
    kern_ref args[3] = {condition};
    uint32_t facts = b->facts.count;
    loop_add_fact(b->p, &b->facts, n->args[0]);
    args[1] = kern_build_value(b, n->args[1], inner);
    b->facts.count = facts;
    args[2] = kern_build_value(b, n->args[2], guard);
    return apply(b, LOOP_WHERE, n->dtype, args, 3);
}

typedef struct search {
    kern_builder *b;
    bool found;
} search;

static void note_fallible(void *data, loop_value v)
{
    search *s = data;
    const loop_node *n = loop_at(s->b->p, v);
    s->found |= n->op == LOOP_LOAD ||
                (n->op == LOOP_INDEX && sym_has_kind(s->b->t, n->index, SYM_INDIRECT));
}

/* Does v hold a load, or an index that must be in range? Where it does not, no guard is needed. */
static bool holds_load(kern_builder *b, loop_value v)
{
    uint32_t known = map_get(&b->loads, v.id);
    if (known == MAP_NONE) {
        search s = {b, false};
        loop_each_node(b->p, v, note_fallible, &s);
        known = s.found;
        map_set(b->memory, &b->loads, v.id, known);
    }
    return known;
}

/* Are all operands known without a guard? Then so is what is made of them. */
static bool is_free(kern_builder *b, const loop_node *n)
{
    for (uint32_t i = 0; i < loop_operand_count(n->op); i++)
        if (holds_load(b, n->args[i]) && map_get(&b->memo, value_key(n->args[i].id, 0)) == MAP_NONE)
            return false;
    return loop_operand_count(n->op) > 0 && n->op != LOOP_MASKED;
}

/* A bf16 that is made of an f32 and opened at once stays one. */
static loop_node node_of(const kern_builder *b, loop_value v)
{
    loop_node n = *loop_at(b->p, v);
    if (n.op != LOOP_CAST || n.dtype != TY_F32) return n;
    const loop_node *half = loop_at(b->p, n.args[0]);
    bool rounds = half->op == LOOP_CAST && half->dtype == TY_BF16 &&
                  loop_at(b->p, half->args[0])->dtype == TY_F32;
    if (!rounds || map_get(&b->memo, value_key(n.args[0].id, 0)) != MAP_NONE) return n;
    n.op = LOOP_ROUNDBF;
    n.args[0] = half->args[0];
    return n;
}

kern_ref kern_build_value(kern_builder *b, loop_value v, kern_ref guard)
{
    if (guard && !holds_load(b, v)) guard = 0;
    uint32_t known = map_get(&b->memo, value_key(v.id, 0));
    if (known == MAP_NONE && guard) known = map_get(&b->memo, value_key(v.id, guard));
    if (known != MAP_NONE) return known;
    loop_node n = node_of(b, v);
    kern_ref made, args[3] = {0};
    if (guard && is_free(b, &n)) guard = 0;
    switch (n.op) {
    case LOOP_CONST:
    case LOOP_SYMFLOAT: made = build_const(b, &n); break;
    case LOOP_INDEX: made = build_number(b, &n, guard); break;
    case LOOP_LOAD: made = build_load(b, &n, guard); break;
    case LOOP_MASKED: made = build_masked(b, &n, guard); break;
    default:
        if (kern_build_below(b, &n, guard, &made)) break;
        for (uint32_t i = 0; i < loop_operand_count(n.op); i++)
            args[i] = kern_build_value(b, n.args[i], guard);
        made = apply(b, n.op, n.dtype, args, loop_operand_count(n.op));
        break;
    }
    return note(b, value_key(v.id, guard), made);
}
