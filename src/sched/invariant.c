/* invariant.c -- what only some loops of a nest change is computed once, not again in each of the others.
 *
 * A value that is broadcast is computed where it is used, since that costs no memory: exp(w[c]) for each row
 * of x, the source and the weight of a column of an image for each of its rows, the angle of a position for
 * each head. Where such a value costs more than to load it, and there are fewer of them than of the nest's
 * points, a nest in front makes them in a buffer. (Loop-invariant code motion, for values that the loops in
 * between do not let a kernel move; what the vectors' axis does not change, kernels move by themselves.)
 *
 * So is an operand of short sums that lies the wrong way round, as points [n, 3] of which distances are
 * taken: vectors go across the sums, whose neighbours are apart in memory. A nest in front turns it.
 */
#include "sched/invariant.h"

enum {
    WIDEST = 8,          /* bytes of a number: what has more is left */
    REPEATS = 4,         /* of a value, at least */
    SAVED = 2000000,     /* thousandths of a nanosecond in one run, at least: about two launches */
    SMALL = 32 << 10,    /* bytes: stays in the first cache */
    SHARE = 8,           /* a larger buffer: so many times smaller than what the nest makes */
    LOAD = 240,          /* of a vector, as target_costs.load */
    GATHERED = 4,        /* loads of one that a lane from apart is worth */
    SHORT = 128,         /* terms of a sum across whose neighbours vectors go */
    MASK_DEPTH = 6,      /* of comparisons that are joined */
    MOST_CANDIDATES = 16 /* in one nest */
};

/* The nest in front that makes what these loops change. */
typedef struct front_nest {
    uint32_t loops;
    sym_expr from[LOOP_MAX_AXES], to[LOOP_MAX_AXES]; /* axes of the nest behind, and of this one */
    loop_op op;
    VEC(loop_store) stores;
} front_nest;

typedef struct mover {
    nest_values nest; /* at hand */
    VEC(front_nest) fronts;
    bool turns; /* operands of sums that do not lie as vectors go across these */
    uint32_t costings;
    VEC(loop_op) ops;
    bool changed;
} mover;

/* ---- what it costs ---- */

typedef struct costing {
    mover *m;
    bool in_vectors;
    double cost;
} costing;

static double load_cost(const costing *c, const loop_node *n)
{
    return c->in_vectors ? LOAD * (double)ty_dtype_size(n->dtype) / 64 : LOAD;
}

static bool is_even_index(const nest_values *nest, loop_value v)
{
    sym_expr coefficient, rest;
    const loop_node *n = loop_at(nest->p, v);
    if (n->op == LOOP_CONST) return true;
    for (uint32_t k = 0; k < invariant_loop_count(nest); k++)
        if (n->op != LOOP_INDEX || !sym_linear_in(nest->p->symbols, n->index,
                                                  invariant_loop(nest, k), &coefficient, &rest))
            return false;
    return true;
}

/* A comparison of indices that move evenly, or what is made of such: kernels have it for the first lane
 * alone, or cut their loops where it changes. */
static bool is_mask(const nest_values *nest, loop_value v, uint32_t depth)
{
    const loop_node *n = loop_at(nest->p, v);
    bool joins = n->op == LOOP_AND || n->op == LOOP_OR;
    if (n->dtype != TY_BOOL || depth == 0) return false;
    if (n->op == LOOP_NOT) return is_mask(nest, n->args[0], depth - 1);
    if (joins) return is_mask(nest, n->args[0], depth - 1) && is_mask(nest, n->args[1], depth - 1);
    return (n->op == LOOP_LT || n->op == LOOP_LE || n->op == LOOP_EQ) &&
           is_even_index(nest, n->args[0]) && is_even_index(nest, n->args[1]);
}

/* Each value once; what is moved already is loaded. */
static void add_cost(costing *c, loop_value v)
{
    found_value *f = invariant_at(&c->m->nest, v);
    if (!f || f->costing == c->m->costings || is_mask(&c->m->nest, v, MASK_DEPTH)) return;
    f->costing = c->m->costings;
    const loop_node *n = loop_at(c->m->nest.p, v);
    size_t bytes = ty_dtype_size(n->dtype);
    int64_t lanes = c->in_vectors ? 64 / (int64_t)(bytes < 4 ? 4 : bytes) : 1;
    if (f->is_moved || n->op == LOOP_LOAD)
        c->cost += load_cost(c, n);
    else if (n->op != LOOP_CONST)
        c->cost += (double)loop_opcode_cost(n->op, lanes) / (double)lanes;
    for (uint32_t k = 0; k < loop_operand_count(n->op) && !f->is_moved; k++)
        add_cost(c, n->args[k]);
}

static bool pays(mover *m, const found_value *f)
{
    const nest_values *nest = &m->nest;
    loop_value v = {f->id};
    costing c = {.m = m, .in_vectors = f->loops >> nest->inner & 1};
    double bytes = (double)ty_dtype_size(loop_at(nest->p, v)->dtype);
    double load = load_cost(&c, loop_at(nest->p, v)), all = invariant_points(nest, nest->all);
    double few = invariant_points(nest, f->loops), many = all;
    if (!c.in_vectors)
        many /= invariant_points(nest, 1u << nest->inner); /* kernels move it so far */
    m->costings++;
    add_cost(&c, v);
    bool fits = few * bytes <= SMALL || few * SHARE <= all;
    return fits && few * REPEATS <= many && c.cost >= 2 * load &&
           (many - few) * c.cost - many * load - few * LOAD >= SAVED;
}

/* ---- operands that lie the wrong way round ---- */

/* Is it a load whose neighbours along the nest's inner loop are apart in memory? */
static bool lies_across(const nest_values *nest, const found_value *f)
{
    const loop_node *n = loop_at(nest->p, (loop_value){f->id});
    sym_expr stride, rest;
    int64_t step;
    return n->op == LOOP_LOAD && (f->loops >> nest->inner & 1) &&
           (!sym_linear_in(nest->p->symbols, n->index, invariant_loop(nest, nest->inner), &stride,
                           &rest) ||
            !sym_is_int(nest->p->symbols, stride, &step) || (step != 1 && step != -1));
}

static bool pays_to_turn(const nest_values *nest, const found_value *f)
{
    double few = invariant_points(nest, f->loops), all = invariant_points(nest, nest->all);
    bool fits =
        few * (double)ty_dtype_size(loop_at(nest->p, (loop_value){f->id})->dtype) <= SMALL ||
        few * SHARE <= all;
    return fits && few * REPEATS <= all && (all - few * REPEATS) * LOAD / GATHERED >= SAVED;
}

/* Are sums short, and may all that lies across them be turned? */
static bool turns_operands(const nest_values *nest)
{
    const loop_op *op = nest->op;
    double terms = 1;
    for (uint32_t k = 0; k < op->reduce_axes; k++)
        terms *= (double)sym_usual(nest->p->symbols, op->reduce_extents[k]);
    if (!op->reduce_axes || nest->inner >= op->axes || terms > SHORT) return false;
    for (uint32_t i = 0; i < nest->found.count; i++) {
        const found_value *f = &nest->found.at[i];
        if (lies_across(nest, f) && (invariant_must_stay(nest, f) || !pays_to_turn(nest, f)))
            return false;
    }
    return true;
}

/* ---- what is moved ---- */

/* Can it be an element of a buffer with these dimensions? */
static bool can_be_stored(const mover *m, const found_value *f)
{
    const nest_values *nest = &m->nest;
    const loop_node *n = loop_at(nest->p, (loop_value){f->id});
    bool is_leaf = n->op == LOOP_LOAD || n->op == LOOP_INDEX || n->op == LOOP_CONST;
    uint32_t rank = 0;
    for (uint32_t k = 0; k < invariant_loop_count(nest); k++) rank += f->loops >> k & 1;
    is_leaf = is_leaf && !(m->turns && lies_across(nest, f));
    return !is_leaf && ty_dtype_size(n->dtype) <= WIDEST && !ty_is_complex(n->dtype) && rank > 0 &&
           rank <= LOOP_MAX_AXES;
}

static bool may_move(mover *m, const found_value *f)
{
    const nest_values *nest = &m->nest;
    return f->is_boundary && f->loops != nest->all && can_be_stored(m, f) &&
           !invariant_must_stay(nest, f) && (lies_across(nest, f) ? m->turns : pays(m, f));
}

/* ---- moving it ---- */

static front_nest *nest_over(mover *m, uint32_t loops)
{
    const nest_values *nest = &m->nest;
    for (uint32_t i = 0; i < m->fronts.count; i++)
        if (m->fronts.at[i].loops == loops) return &m->fronts.at[i];
    front_nest made = {.loops = loops, .op = {.kind = LOOP_NEST, .origin = nest->op->origin}};
    for (uint32_t k = 0; k < invariant_loop_count(nest); k++)
        if (loops >> k & 1) {
            made.from[made.op.axes] = invariant_loop(nest, k);
            made.to[made.op.axes] = loop_axis(nest->p, made.op.axes);
            made.op.extents[made.op.axes++] = invariant_extent(nest, k);
        }
    vec_push(nest->memory, &m->fronts, made);
    return &vec_last(&m->fronts);
}

/* The nest in front makes the value in a buffer of its own; the buffer's element at a point of the nest. */
static loop_value made_in_front(mover *m, const found_value *f)
{
    loop_program *p = m->nest.p;
    const loop_op *op = m->nest.op;
    front_nest *front = nest_over(m, f->loops);
    uint32_t rank = front->op.axes;
    sym_expr strides[LOOP_MAX_AXES], stride = sym_int(p->symbols, 1), zero = sym_int(p->symbols, 0);
    sym_expr here = zero, there = zero;
    uint32_t order[LOOP_MAX_AXES], inner = rank - 1;
    for (uint32_t d = 0; d < rank; d++)
        if (sym_same(front->from[d], invariant_loop(&m->nest, m->nest.inner))) inner = d;
    for (uint32_t d = 0, at = 0; d < rank; d++)
        if (d != inner) order[at++] = d;
    order[rank - 1] = inner;
    for (uint32_t k = rank; k-- > 0;) {
        uint32_t d = order[k];
        strides[d] = stride;
        here = sym_add(p->symbols, here, sym_mul(p->symbols, stride, front->to[d]));
        there = sym_add(p->symbols, there, sym_mul(p->symbols, stride, front->from[d]));
        stride = sym_mul(p->symbols, stride, front->op.extents[d]);
    }
    loop_value v = {f->id};
    loop_buffer_id b =
        loop_add_buffer(p, (loop_buffer){.kind = LOOP_TEMP,
                                         .dtype = loop_at(p, v)->dtype,
                                         .device = p->buffers.at[op->stores[0].buffer].device,
                                         .rank = rank,
                                         .sizes = front->op.extents,
                                         .strides = strides,
                                         .origin = op->origin});
    v = loop_substitute(p, v, front->from, front->to, rank);
    vec_push(p->memory, &front->stores, ((loop_store){.buffer = b, .index = here, .value = v}));
    return loop_load(p, b, there);
}

/* The nest with the value replaced by what is loaded. */
static void put_in(loop_program *p, loop_op *op, loop_value v, loop_value loaded)
{
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_store *st = &op->stores[i];
        loop_value index = loop_replace_value(p, loop_index(p, st->index), v, loaded);
        st->value = loop_replace_value(p, st->value, v, loaded);
        if (loop_at(p, index)->op == LOOP_INDEX) st->index = loop_at(p, index)->index;
    }
}

static void add_fronts(mover *m)
{
    for (uint32_t i = 0; i < m->fronts.count; i++) {
        front_nest *front = &m->fronts.at[i];
        front->op.stores = front->stores.at;
        front->op.store_count = front->stores.count;
        vec_push(m->nest.memory, &m->ops, front->op);
    }
    m->changed |= m->fronts.count > 0;
    m->fronts.count = 0;
}

static void move_from(mover *m, loop_op *op)
{
    loop_program *p = m->nest.p;
    loop_value values[MOST_CANDIDATES], loads[MOST_CANDIDATES];
    uint32_t count = 0;
    if (!invariant_find(&m->nest, op)) return;
    m->turns = turns_operands(&m->nest);
    for (uint32_t i = 0; i < m->nest.found.count && count < MOST_CANDIDATES; i++) {
        found_value *f = &m->nest.found.at[i];
        if (!may_move(m, f)) continue;
        f->is_moved = true;
        values[count].id = f->id;
        loads[count++] = made_in_front(m, f);
    }
    if (!count) return;
    add_fronts(m);
    op->stores = arena_copy(p->memory, op->stores, op->store_count * sizeof *op->stores);
    for (uint32_t i = count; i-- > 0;) put_in(p, op, values[i], loads[i]);
}

bool move_invariants(loop_program *p)
{
    arena *memory = arena_new(p->session);
    mover m = {.nest = invariant_begin(p, memory)};
    for (uint32_t i = 0; i < p->ops.count; i++) {
        loop_op op = p->ops.at[i];
        if (op.kind == LOOP_NEST && !op.again) move_from(&m, &op);
        vec_push(memory, &m.ops, op);
    }
    if (m.changed) {
        p->ops.count = 0;
        for (uint32_t i = 0; i < m.ops.count; i++) vec_push(p->memory, &p->ops, m.ops.at[i]);
    }
    arena_free(memory);
    return m.changed;
}
