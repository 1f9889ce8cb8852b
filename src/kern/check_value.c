/* check_value.c -- laws K1, K2, K3, K5 and K7 of one line: operands, indices, lanes, values. */
#include "kern/check_priv.h"

static const kern_value *value_at(const kern_checker *c, kern_ref ref)
{
    return &c->k->values.at[ref];
}

/* ---- K1, K2: what an operand is ---- */

static fe_status use_constant(kern_checker *c, const kern_value *v)
{
    uint32_t bits = v->dtype == TY_BOOL ? 1 : 8 * ty_dtype_size(v->dtype);
    if (!ty_is_integral(v->dtype, true) || bits == 64) return FE_OK;
    bool has_sign = ty_dtype_kind(v->dtype) == TY_KIND_SIGNED;
    int64_t least = has_sign ? -(1ll << (bits - 1)) : 0;
    int64_t most = (1ll << (has_sign ? bits - 1 : bits)) - 1;
    if (v->integer >= least && v->integer <= most) return FE_OK;
    return kern_broken(c, "K2", "%lld is no %s", (long long)v->integer, ty_dtype_name(v->dtype));
}

static fe_status use(kern_checker *c, kern_ref ref)
{
    if (ref == 0 || ref >= c->k->values.count) return kern_missing(c, "K1", "value", ref);
    if (value_at(c, ref)->kind == KERN_CONST) return use_constant(c, value_at(c, ref));
    if (!c->in_scope[ref]) return kern_broken(c, "K1", "v%u is not defined here", ref);
    if (value_at(c, ref)->copies < 2 || value_at(c, ref)->copies == c->copies) return FE_OK;
    return kern_broken(c, "K4", "copies of v%u are taken together", ref);
}

fe_status kern_use_as(kern_checker *c, kern_ref ref, ty_dtype dtype, bool vector)
{
    FE_TRY(use(c, ref));
    const kern_value *v = value_at(c, ref);
    if (v->dtype != dtype)
        return kern_broken(c, "K2", "an operand is %s, not %s", ty_dtype_name(v->dtype),
                           ty_dtype_name(dtype));
    if (v->vector == vector) return FE_OK;
    return kern_broken(c, "K3", vector ? "an operand is no vector" : "an operand is a vector");
}

/* ---- K1, K5: what an index is made of ---- */

static void check_symbol(void *data, sym_expr symbol)
{
    kern_index_facts *facts = data;
    kern_checker *c = facts->c;
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
            facts->status = kern_broken(c, "K2", "%s is an index, and no integer", name);
    } else if (sym_kind_of(c->t, symbol) == SYM_INDEX) {
        facts->is_fixed = false;
        for (uint32_t i = 0; i < c->axis_count; i++)
            if (sym_same(c->axes[i], symbol)) return;
        facts->status = kern_broken(c, "K1", "no loop around runs over %s", name);
    } else if (!kern_is_numbered(name, 'p', &number) || number >= c->k->params.count) {
        facts->status = kern_broken(c, "K5", "%s is no int of the kernel", name);
    }
}

fe_status kern_check_index(kern_checker *c, sym_expr e, kern_index_facts *facts)
{
    *facts = (kern_index_facts){.c = c, .is_fixed = true};
    if (sym_is_none(e)) return kern_broken(c, "K5", "an expression is missing");
    sym_each_symbol(c->t, e, check_symbol, facts);
    return facts->status;
}

fe_status kern_check_fixed(kern_checker *c, sym_expr e)
{
    kern_index_facts facts;
    FE_TRY(kern_check_index(c, e, &facts));
    return facts.is_fixed ? FE_OK : kern_broken(c, "K5", "a size is not made of ints alone");
}

/* ---- K3: how lanes lie ---- */

fe_status kern_check_vector(kern_checker *c, ty_dtype dtype)
{
    if (c->k->lanes == 1) return kern_broken(c, "K3", "a kernel of one lane has no vectors");
    if (c->lanes) return kern_broken(c, "K3", "one lane has no vectors");
    if (ty_is_complex(dtype)) return kern_broken(c, "K3", "complex numbers have no vectors");
    uint32_t bytes = c->k->lanes * (dtype == TY_BOOL ? 4 : ty_dtype_size(dtype));
    if (bytes > KERN_MOST_BYTES) return kern_broken(c, "K3", "a vector of %u bytes", bytes);
    return FE_OK;
}

fe_status kern_check_lanes(kern_checker *c)
{
    if (!sym_is_none(c->vector_axis)) return FE_OK;
    return kern_broken(c, "K3", "the lanes run along no loop here");
}

fe_status kern_check_spacing(kern_checker *c, sym_expr index, const kern_index_facts *facts,
                             int64_t steps)
{
    sym_expr coefficient, rest;
    int64_t stride = 0;
    bool spaced =
        !facts->lanes_differ && sym_linear_in(c->t, index, c->vector_axis, &coefficient, &rest);
    bool known = spaced && sym_is_int(c->t, coefficient, &stride);
    if (steps ? known && stride == steps : spaced) return FE_OK;
    return kern_broken(
        c, "K3", steps == 2 ? "lanes are not every second element" : "lanes are not neighbours");
}

/* Is the index that of the lane at hand, whatever the first one's is? */
static bool is_of_lane(const kern_checker *c, sym_expr index)
{
    sym_expr lane = c->lanes->symbol, first = sym_sub(c->t, c->vector_axis, lane);
    return !sym_contains(c->t, sym_substitute(c->t, index, &c->vector_axis, &first, 1), lane);
}

fe_status kern_check_one(kern_checker *c, sym_expr index, const kern_index_facts *facts)
{
    bool moves = c->lanes
                     ? !is_of_lane(c, index)
                     : !sym_is_none(c->vector_axis) && sym_contains(c->t, index, c->vector_axis);
    if (!moves && !facts->lanes_differ) return FE_OK;
    return kern_broken(c, "K3", "one element moves with the lanes");
}

fe_status kern_check_count(kern_checker *c, kern_ref count, bool vector)
{
    if (!count) return FE_OK;
    FE_TRY(use(c, count));
    const kern_value *n = value_at(c, count);
    bool some = n->kind == KERN_CONST && n->integer > 0 && n->integer <= (int64_t)c->k->lanes;
    if (vector && (n->kind == KERN_COUNT || n->kind == KERN_HALF || some)) return FE_OK;
    return kern_broken(c, "K3", "v%u is no number of lanes", count);
}

/* ---- K7: indices that are values ---- */

typedef struct kept_search {
    kern_checker *c;
    kern_ref guard, loose;
} kept_search;

/* A lane of it has the bounds that all have, with more bits as well. */
static kern_ref source_of(const kern_checker *c, kern_ref ref)
{
    const kern_value *v = value_at(c, ref);
    bool widens = v->kind == KERN_APPLY && v->op == LOOP_CAST && v->dtype == TY_I64 && !v->vector &&
                  value_at(c, v->args[0])->dtype == TY_I32;
    if (widens) v = value_at(c, v->args[0]);
    return v->kind == KERN_LANE ? v->args[0] : ref;
}

static bool is_kept(const kern_checker *c, kern_ref v, kern_ref guard)
{
    kern_ref all = source_of(c, v), where = source_of(c, guard);
    for (uint32_t i = 0; i < c->kept.count; i++) {
        const kern_kept_value *kept = &c->kept.at[i];
        bool is_guarded = !kept->guard || kept->guard == guard || kept->guard == where;
        if ((kept->value == v || kept->value == all) && is_guarded) return true;
    }
    return false;
}

static kern_ref loose_part(kern_checker *c, kern_ref ref, kern_ref guard);

static void find_loose(void *data, sym_expr symbol)
{
    kept_search *search = data;
    kern_ref v = kern_symbol_value(search->c->k, symbol);
    kern_ref loose = v ? loose_part(search->c, v, search->guard) : 0;
    if (loose) search->loose = loose;
}

/* A sum or product of values, in lanes or of 32 bits, of which all are in range, or a lane of it. */
static kern_ref loose_part(kern_checker *c, kern_ref ref, kern_ref guard)
{
    if (is_kept(c, ref, guard)) return 0;
    const kern_value *v = value_at(c, source_of(c, ref));
    kept_search search = {c, guard, 0};
    bool is_part = v->vector || v->dtype == TY_I32;
    bool joins = v->kind == KERN_APPLY && is_part && (v->op == LOOP_ADD || v->op == LOOP_MUL);
    if (v->kind == KERN_CONST && is_part) return 0;
    if (v->kind == KERN_SPLAT) return loose_part(c, v->args[0], guard);
    if (joins) {
        kern_ref first = loose_part(c, v->args[0], guard);
        return first ? first : loose_part(c, v->args[1], guard);
    }
    if (v->kind != KERN_NUMBER) return ref;
    sym_each_symbol(c->t, v->index, find_loose, &search);
    return search.loose;
}

/* Indices of 64 bits, or of 32 beside what is the same in all lanes. */
static fe_status check_gather(kern_checker *c, const kern_value *v)
{
    kern_index_facts facts;
    kept_search search = {c, v->guard, 0};
    bool is_short = value_at(c, v->args[0])->dtype == TY_I32;
    FE_TRY(kern_use_as(c, v->args[0], is_short ? TY_I32 : TY_I64, true));
    FE_TRY(kern_check_lanes(c));
    if (!v->guard || !value_at(c, v->guard)->vector || v->dtype == TY_BOOL)
        return kern_broken(c, "K3", "no mask says which lanes are gathered");
    if (!sym_is_none(v->index)) {
        FE_TRY(kern_check_index(c, v->index, &facts));
        FE_TRY(kern_check_one(c, v->index, &facts));
        sym_each_symbol(c->t, v->index, find_loose, &search);
    }
    kern_ref loose = search.loose ? search.loose : loose_part(c, v->args[0], v->guard);
    return loose ? kern_broken(c, "K7", "nothing says that v%u is in range", loose) : FE_OK;
}

fe_status kern_check_bound(kern_checker *c, const kern_bound *bound)
{
    FE_TRY(use(c, bound->value));
    bool is_short = bound->is_known && value_at(c, bound->value)->dtype == TY_I32;
    FE_TRY(kern_use_as(c, bound->value, is_short ? TY_I32 : TY_I64,
                       value_at(c, bound->value)->vector));
    FE_TRY(kern_check_fixed(c, bound->size));
    if (c->shared && !bound->is_known)
        return kern_broken(c, "K9", "a work-item would leave its group");
    if (bound->guard) {
        FE_TRY(use(c, bound->guard));
        FE_TRY(kern_use_as(c, bound->guard, TY_BOOL, value_at(c, bound->guard)->vector));
    }
    if (bound->among) FE_TRY(kern_use_as(c, bound->among, TY_BOOL, true));
    if (value_at(c, bound->value)->vector || value_at(c, bound->guard)->vector)
        FE_TRY(kern_check_lanes(c));
    vec_push(c->memory, &c->kept, (kern_kept_value){bound->value, bound->guard});
    return FE_OK;
}

/* It moves as the first lane does, and is the same in all. */
static fe_status check_first_lane(kern_checker *c, const kern_index_facts *facts)
{
    FE_TRY(kern_check_lanes(c));
    if (c->lanes) return kern_broken(c, "K3", "this is of the first lane, in one of them");
    return facts->lanes_differ ? kern_broken(c, "K3", "one element moves with the lanes") : FE_OK;
}

fe_status kern_check_access(kern_checker *c, uint32_t memory, const kern_value *like)
{
    kern_access access = like->access;
    sym_expr index = like->index;
    kern_ref guard = like->guard;
    kern_index_facts facts;
    kept_search search = {c, guard, 0};
    FE_TRY(kern_check_index(c, index, &facts));
    sym_each_symbol(c->t, index, find_loose, &search);
    if (search.loose)
        return kern_broken(c, "K7", "nothing says that v%u is in range", search.loose);
    if (access != KERN_LANES && like->runs) return check_first_lane(c, &facts);
    if (access == KERN_ONE) return kern_check_one(c, index, &facts);
    FE_TRY(kern_check_lanes(c));
    /* a tile of rows side by side has its lanes next to each other, that of a square each row */
    bool by_row = c->k->memories.at[memory].is_tile && (c->k->outer_vector || c->squares);
    if (access == KERN_UNIT && by_row) return kern_check_one(c, index, &facts);
    if (access == KERN_UNIT) return kern_check_spacing(c, index, &facts, 1);
    return like->pairs ? kern_check_spacing(c, index, &facts, 2) : FE_OK;
}

static fe_status check_runs(kern_checker *c, const kern_value *v)
{
    if (v->repeats && !kern_repeats_by(c->k, v->index, c->vector_axis, v->repeats))
        return kern_broken(c, "K3", "the lanes are not those of every element %u times",
                           v->repeats);
    if (!v->runs || v->access != KERN_LANES || kern_runs(c->k, v->index, c->vector_axis))
        return FE_OK;
    return kern_broken(c, "K3", "nothing says when the lanes are neighbours");
}

static bool steps_by_one(const kern_checker *c, sym_expr index, sym_expr axis)
{
    sym_expr coefficient, rest;
    int64_t step;
    return sym_linear_in(c->t, index, axis, &coefficient, &rest) &&
           sym_is_int(c->t, coefficient, &step) && step == 1;
}

fe_status kern_check_transpose(kern_checker *c, uint32_t memory)
{
    int64_t elements, lanes = c->k->lanes;
    if (memory >= c->k->memories.count) return kern_missing(c, "K5", "memory", memory);
    const kern_memory *m = &c->k->memories.at[memory];
    FE_TRY(kern_check_vector(c, m->dtype));
    if (!c->squares || !m->is_tile || m->dtype == TY_BOOL ||
        !sym_is_int(c->t, m->elements, &elements) || elements != lanes * lanes)
        return kern_broken(c, "K3", "this is no tile of %lld rows of a square", (long long)lanes);
    return FE_OK;
}

/* What is read ahead of its row is read as it is at the start, everywhere. */
static fe_status check_turned(kern_checker *c, const kern_value *v)
{
    const kern_memory *m = &c->k->memories.at[v->memory];
    kern_index_facts facts;
    if (!v->turned) return FE_OK;
    if (!c->k->squares || v->guard || m->is_tile || m->is_written || m->dtype == TY_BOOL ||
        sym_has_kind(c->t, v->index, SYM_INDIRECT) ||
        !steps_by_one(c, v->index, c->k->axes[c->k->outer - 1]))
        return kern_broken(c, "K3", "the rows of a square are not neighbours");
    FE_TRY(kern_check_index(c, v->index, &facts));
    return kern_check_spacing(c, v->index, &facts, 0);
}

/* ---- values ---- */

fe_status kern_check_memory(kern_checker *c, uint32_t memory, ty_dtype dtype, bool reads)
{
    if (memory >= c->k->memories.count) return kern_missing(c, "K5", "memory", memory);
    const kern_memory *m = &c->k->memories.at[memory];
    if (m->dtype != dtype)
        return kern_broken(c, "K2", "%s from or to memory of %s", ty_dtype_name(dtype),
                           ty_dtype_name(m->dtype));
    if (m->is_tile || (reads ? m->is_read : m->is_written)) return FE_OK;
    return kern_broken(c, "K2",
                       reads ? "a buffer is read that is only written"
                             : "a buffer is written that is only read");
}

static fe_status check_load(kern_checker *c, const kern_value *v)
{
    FE_TRY(kern_check_memory(c, v->memory, v->dtype, true));
    if ((v->access == KERN_ONE) == v->vector)
        return kern_broken(c, "K3", "a vector is loaded as one element, or the other way round");
    FE_TRY(kern_check_count(c, v->count, v->vector));
    if (v->guard) {
        FE_TRY(use(c, v->guard));
        FE_TRY(kern_use_as(c, v->guard, TY_BOOL, v->vector && value_at(c, v->guard)->vector));
    }
    if (v->gathers) return check_gather(c, v);
    FE_TRY(kern_check_access(c, v->memory, v));
    FE_TRY(check_turned(c, v));
    return check_runs(c, v);
}

static fe_status check_number(kern_checker *c, const kern_value *v)
{
    kern_index_facts facts;
    if (v->dtype != TY_I64 && v->dtype != TY_I32)
        return kern_broken(c, "K2", "an index is i64, or a place of i32");
    FE_TRY(kern_check_index(c, v->index, &facts));
    FE_TRY(kern_check_count(c, v->count, v->vector));
    if (v->access != KERN_LANES && v->runs) return check_first_lane(c, &facts);
    if (!v->vector) return kern_check_one(c, v->index, &facts);
    FE_TRY(kern_check_lanes(c));
    return v->access == KERN_UNIT ? kern_check_spacing(c, v->index, &facts, 0) : check_runs(c, v);
}

static fe_status check_below(kern_checker *c, const kern_value *v)
{
    kern_index_facts facts;
    if (v->dtype != TY_BOOL) return kern_broken(c, "K2", "whether a lane is below is a bool");
    FE_TRY(kern_check_index(c, v->index, &facts));
    return v->vector ? check_first_lane(c, &facts) : kern_check_one(c, v->index, &facts);
}

static fe_status check_apply(kern_checker *c, const kern_value *v)
{
    ty_dtype operands[3] = {TY_NO_DTYPE};
    for (uint32_t i = 0; i < loop_operand_count(v->op); i++) {
        FE_TRY(use(c, v->args[i]));
        const kern_value *arg = value_at(c, v->args[i]);
        bool is_condition = v->op == LOOP_WHERE && i == 0;
        operands[i] = arg->dtype;
        FE_TRY(kern_use_as(c, v->args[i], arg->dtype, v->vector && (arg->vector || !is_condition)));
    }
    const char *fault = loop_dtype_fault(v->op, operands, v->dtype, c->memory);
    return fault ? kern_broken(c, "K2", "%s", fault) : FE_OK;
}

/* Copies are those of an unrolled loop further in. */
static fe_status check_variable(kern_checker *c, const kern_value *v)
{
    if (!c->depth) return kern_broken(c, "K6", "a variable is outside the rows");
    if (v->copies < 1 || v->copies > KERN_MOST_COPIES)
        return kern_broken(c, "K4", "a variable has %u copies", v->copies);
    if (v->copies > 1 && (!v->vector || !sym_is_none(c->vector_axis)))
        return kern_broken(c, "K4", "what is in a vector loop, or no vector, has no copies");
    return kern_use_as(c, v->args[0], v->dtype, v->vector);
}

static fe_status check_read(kern_checker *c, const kern_value *v)
{
    kern_ref from = v->args[0];
    if (from >= c->k->values.count || value_at(c, from)->copies < 2)
        return v->copy ? kern_broken(c, "K4", "there is no copy %u", v->copy)
                       : kern_use_as(c, from, v->dtype, v->vector);
    const kern_value *x = value_at(c, from);
    if (!c->in_scope[from]) return kern_broken(c, "K1", "v%u is not defined here", from);
    if (v->copy >= x->copies) return kern_broken(c, "K4", "there is no copy %u", v->copy);
    return v->dtype == x->dtype && v->vector == x->vector
               ? FE_OK
               : kern_broken(c, "K2", "a copy is of another type");
}

/* The lane is the one at hand, of a vector. */
static fe_status check_lane(kern_checker *c, sym_expr lane, bool vector)
{
    if (c->lanes && sym_same(c->lanes->symbol, lane) && vector) return FE_OK;
    return kern_broken(c, "K3", "this is no lane at hand of a vector");
}

fe_status kern_check_set(kern_checker *c, const kern_item *item)
{
    kern_ref to = item->variable;
    if (to == 0 || to >= c->k->values.count) return kern_missing(c, "K1", "value", to);
    const kern_value *x = value_at(c, to);
    if (!c->in_scope[to]) return kern_broken(c, "K1", "v%u is not defined here", to);
    if (x->kind != KERN_VARIABLE) return kern_broken(c, "K4", "v%u is no variable", to);
    if (c->copies > 1 && x->copies != c->copies && (!x->vector || x->level < c->copied))
        return kern_broken(c, "K4", "%u copies set one variable", c->copies);
    if (!sym_is_none(item->flat)) {
        FE_TRY(check_lane(c, item->flat, x->vector));
        return kern_use_as(c, item->value, x->dtype, false);
    }
    if (c->lanes && x->vector) return kern_broken(c, "K3", "a lane sets all of v%u", to);
    return kern_use_as(c, item->value, x->dtype, x->vector);
}

/* K9 */
static fe_status check_join(kern_checker *c, const kern_value *v)
{
    ty_dtype operands[3] = {v->dtype, v->dtype, TY_NO_DTYPE};
    if (!c->k->by_groups || c->shared)
        return kern_broken(c, "K9", "not all work-items of a group come here");
    FE_TRY(kern_use_as(c, v->args[0], v->dtype, false));
    const char *fault = loop_dtype_fault(v->op, operands, v->dtype, c->memory);
    return fault ? kern_broken(c, "K2", "%s", fault) : FE_OK;
}

bool kern_stays_in_memory(const kern_ir *k, const kern_value *v)
{
    return v->kind == KERN_LOAD && v->access == KERN_UNIT && !v->guard && !v->runs &&
           !k->memories.at[v->memory].is_written;
}

static fe_status check_one_lane(kern_checker *c, const kern_value *v)
{
    FE_TRY(kern_use_as(c, v->args[0], v->dtype, true));
    if (v->access == KERN_UNIT && !kern_stays_in_memory(c->k, value_at(c, v->args[0])))
        return kern_broken(c, "K3", "v%u does not stay in memory as it was loaded", v->args[0]);
    return check_lane(c, v->index, !v->vector);
}

fe_status kern_check_value(kern_checker *c, const kern_value *v)
{
    switch (v->kind) {
    case KERN_JOIN: return check_join(c, v);
    case KERN_LOAD: return check_load(c, v);
    case KERN_NUMBER: return check_number(c, v);
    case KERN_BELOW: return check_below(c, v);
    case KERN_APPLY: return check_apply(c, v);
    case KERN_SPLAT: break;
    case KERN_LANE: return check_one_lane(c, v);
    case KERN_VARIABLE: return check_variable(c, v);
    case KERN_READ: return check_read(c, v);
    case KERN_ANY:
        if (v->vector || v->dtype != TY_BOOL)
            return kern_broken(c, "K2", "one bool says whether any lane of a mask is set");
        return kern_use_as(c, v->args[0], TY_BOOL, c->k->lanes > 1);
    case KERN_HALF:
        FE_TRY(kern_check_count(c, v->args[0], true));
        return v->copy < 2 && v->dtype == TY_I64 && !v->vector
                   ? FE_OK
                   : kern_broken(c, "K2", "a half of the numbers is an i64, of two vectors");
    case KERN_CALL:
    case KERN_EACH:
    case KERN_FUSED:
    case KERN_SCALE:
    case KERN_HALVES:
    case KERN_TABLE:
    case KERN_SHUFFLE:
    case KERN_FIRST: return kern_check_call(c, v);
    default: return kern_broken(c, "K1", "a value of no kind");
    }
    if (!v->vector) return kern_broken(c, "K3", "a splat is a vector");
    return kern_use_as(c, v->args[0], v->dtype, false);
}
