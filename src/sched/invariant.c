/* invariant.c -- what only some loops of a nest change is computed once, not again in each of the others.
 *
 * A value that is broadcast is computed where it is used, since that costs no memory: exp(w[c]) for each row
 * of x, the source and the weight of a column of an image for each of its rows, the angle of a position for
 * each head. Where such a value costs more than to load it, and there are fewer of them than of the nest's
 * points, a nest in front makes them in a buffer. (Loop-invariant code motion, for values that the loops in
 * between do not let a kernel move; what the vectors' axis does not change, kernels move by themselves.)
 */
#include "sched/sched_priv.h"
#include "sched/uses.h"

enum {
    WIDEST = 8,          /* bytes of a number: what has more is left */
    REPEATS = 4,         /* of a value, at least */
    SAVED = 2000000,     /* thousandths of a nanosecond in one run, at least: about two launches */
    SMALL = 32 << 10,    /* bytes: stays in the first cache */
    SHARE = 8,           /* a larger buffer: so many times smaller than what the nest makes */
    LOAD = 240,          /* of a vector, as target_costs.load */
    MOST_CANDIDATES = 16 /* in one nest */
};

/* One value of a nest. Sets of loops: a bit each, parallel axes first. */
typedef struct found_value {
    uint32_t id;
    uint32_t loops;    /* that change it */
    bool is_fixed;     /* it cannot be moved: it reads what the nest writes, or only there */
    bool is_masked;    /* it is used where a condition holds alone */
    bool is_index;     /* it says where something is loaded or stored */
    bool is_condition; /* it says where something may be loaded */
    bool is_compared;  /* by such a one */
    bool holds_facts;  /* it is made of one that is */
    bool is_boundary;  /* something uses it that more loops change */
    bool is_moved;
    uint32_t costing; /* the last that it was counted in */
} found_value;

/* The nest in front that makes what these loops change. */
typedef struct front_nest {
    uint32_t loops;
    sym_expr from[LOOP_MAX_AXES], to[LOOP_MAX_AXES]; /* axes of the nest behind, and of this one */
    loop_op op;
    VEC(loop_store) stores;
} front_nest;

typedef struct mover {
    loop_program *p;
    arena *memory;
    uint32_t *place; /* by value: 1 + where it is in `found` */
    uint32_t place_count;
    VEC(loop_op) ops;
    /* of the nest at hand */
    const loop_op *op;
    VEC(found_value) found; /* operands first */
    VEC(front_nest) fronts;
    uint32_t all;   /* its loops, but those that run once */
    uint32_t inner; /* the one that most elements are side by side along */
    uint32_t costings;
    uint32_t user; /* whose operands are looked at */
    bool user_is_index;
    bool changed;
} mover;

/* ---- loops ---- */

static sym_expr loop_symbol(const mover *m, uint32_t k)
{
    return k < m->op->axes ? loop_axis(m->p, k) : loop_reduce_axis(m->p, k - m->op->axes);
}

static uint32_t loop_count(const mover *m)
{
    return m->op->axes + m->op->reduce_axes;
}

static sym_expr extent_of(const mover *m, uint32_t k)
{
    return k < m->op->axes ? m->op->extents[k] : m->op->reduce_extents[k - m->op->axes];
}

static double points_of(const mover *m, uint32_t loops)
{
    double points = 1;
    for (uint32_t k = 0; k < loop_count(m); k++)
        if (loops >> k & 1) points *= (double)sym_usual(m->p->symbols, extent_of(m, k));
    return points;
}

static uint32_t loops_in(const mover *m, sym_expr e)
{
    uint32_t loops = 0;
    for (uint32_t k = 0; k < loop_count(m); k++)
        if (sym_contains(m->p->symbols, e, loop_symbol(m, k))) loops |= 1u << k;
    return loops & m->all;
}

/* Adds the elements that an access reaches to each loop that they are side by side along. */
static void weigh_access(const mover *m, sym_expr index, double *weights)
{
    double elements = points_of(m, loops_in(m, index));
    for (uint32_t k = 0; k < loop_count(m); k++) {
        sym_expr stride, rest;
        int64_t one;
        if ((m->all >> k & 1) &&
            sym_linear_in(m->p->symbols, index, loop_symbol(m, k), &stride, &rest) &&
            sym_is_int(m->p->symbols, stride, &one) && one == 1)
            weights[k] += elements;
    }
}

/* ---- the values of a nest ---- */

static found_value *found_at(mover *m, loop_value v)
{
    uint32_t place = v.id < m->place_count ? m->place[v.id] : 0;
    return place ? &m->found.at[place - 1] : NULL;
}

static void take_behind(void *data, sym_expr symbol)
{
    mover *m = data;
    loop_value v = loop_indirect_value(m->p, symbol);
    found_value *n = &m->found.at[m->user], *operand = v.id ? found_at(m, v) : NULL;
    if (!v.id) return;
    if (!operand) n->is_fixed = true;
    if (!operand) return;
    n->loops |= operand->loops;
    n->is_fixed = true; /* a gather is a load already */
}

static bool nest_writes(const mover *m, loop_buffer_id b)
{
    sym_expr at;
    loop_buffer_id whole = loop_whole_of(m->p, b, &at);
    for (uint32_t i = 0; i < m->op->store_count; i++)
        if (loop_whole_of(m->p, m->op->stores[i].buffer, &at) == whole) return true;
    return false;
}

/* Wherever these loops are, whether or not the others run and conditions hold? */
static bool is_inside(const mover *m, const loop_node *load, uint32_t loops)
{
    sym_table *t = m->p->symbols;
    sym_bound bounds[2 * LOOP_MAX_AXES];
    sym_env env = {bounds, 0};
    for (uint32_t k = 0; k < loop_count(m); k++)
        if (loops >> k & 1) bounds[env.count++] = (sym_bound){loop_symbol(m, k), extent_of(m, k)};
    sym_expr next = sym_add(t, load->index, sym_int(t, 1));
    return sym_known_less_equal(t, sym_int(t, 0), load->index, &env) &&
           sym_known_less_equal(t, next, m->p->buffers.at[load->buffer].elements, &env);
}

static bool has_index(const loop_node *n)
{
    return n->op == LOOP_LOAD || n->op == LOOP_INDEX;
}

static void find_value(void *data, loop_value v)
{
    mover *m = data;
    if (v.id >= m->place_count || m->place[v.id]) return;
    const loop_node *n = loop_at(m->p, v);
    m->user = m->found.count;
    vec_push(m->memory, &m->found, ((found_value){.id = v.id}));
    m->place[v.id] = m->found.count;
    found_value *f = &vec_last(&m->found);
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        const found_value *operand = found_at(m, n->args[k]);
        f->loops |= operand ? operand->loops : m->all;
        f->is_fixed |= !operand || operand->is_fixed;
    }
    if (has_index(n)) {
        f->loops |= loops_in(m, n->index);
        sym_each_symbol(m->p->symbols, n->index, take_behind, m);
    }
    if (n->op != LOOP_LOAD) return;
    f->is_fixed |= nest_writes(m, n->buffer) || !is_inside(m, n, f->loops);
}

/* What the mask says is known by its values: of those, by which accesses are proven to be inside, none may
 * be hidden in memory. */
static void note_facts(mover *m, loop_value condition)
{
    const loop_node *n = loop_at(m->p, condition);
    bool joins = n->op == LOOP_AND;
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        found_value *f = found_at(m, n->args[k]);
        if (joins)
            note_facts(m, n->args[k]);
        else if (f)
            f->is_compared = loop_at(m->p, n->args[k])->op != LOOP_CONST;
    }
}

/* Operands first: who is made of what masks compare, or of axes, that they may compare as well. */
static void find_facts(mover *m)
{
    for (uint32_t i = 0; i < m->found.count; i++) {
        const loop_node *n = loop_at(m->p, (loop_value){m->found.at[i].id});
        if (n->op == LOOP_MASKED) note_facts(m, n->args[0]);
    }
    for (uint32_t i = 0; i < m->found.count; i++) {
        found_value *f = &m->found.at[i];
        const loop_node *n = loop_at(m->p, (loop_value){f->id});
        f->holds_facts = n->op == LOOP_INDEX;
        for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
            const found_value *operand = found_at(m, n->args[k]);
            f->holds_facts |= !operand || operand->holds_facts || operand->is_compared;
        }
    }
}

/* Where its users need it, whatever it costs. */
static bool must_stay(const mover *m, const found_value *f)
{
    bool is_fact = f->is_condition && loop_at(m->p, (loop_value){f->id})->dtype == TY_BOOL;
    return f->is_fixed || is_fact || (f->is_masked && f->is_index && f->holds_facts);
}

/* A use by the value `user`, of which all uses are known, or by a store (NULL), that the loops change. */
static void note_use(mover *m, loop_value v, const found_value *user, uint32_t loops)
{
    found_value *f = found_at(m, v);
    if (!f) return;
    f->is_masked |= user && user->is_masked;
    f->is_index |= user && user->is_index;
    f->is_condition |= user && user->is_condition;
    f->is_boundary |= f->loops != loops || !user || must_stay(m, user);
}

static void note_mask(mover *m, const loop_node *masked)
{
    found_value *condition = found_at(m, masked->args[0]), *value = found_at(m, masked->args[1]);
    if (condition) condition->is_condition = true;
    if (value) value->is_masked = true;
}

static void note_behind(void *data, sym_expr symbol)
{
    mover *m = data;
    loop_value v = loop_indirect_value(m->p, symbol);
    if (!v.id) return;
    const found_value *user = m->user_is_index ? NULL : &m->found.at[m->user];
    note_use(m, v, user, user ? user->loops : m->all);
    found_value *f = found_at(m, v);
    if (f) f->is_index = f->is_boundary = true;
}

static void find_values(mover *m)
{
    double weights[2 * LOOP_MAX_AXES] = {0};
    m->found.count = m->fronts.count = 0;
    for (uint32_t i = 0; i < m->op->store_count; i++) {
        loop_each_store_node(m->p, &m->op->stores[i], find_value, m);
        weigh_access(m, m->op->stores[i].index, weights);
    }
    find_facts(m);
    for (uint32_t i = 0; i < m->op->store_count; i++) {
        const loop_store *st = &m->op->stores[i];
        note_use(m, st->value, NULL, m->all);
        m->user_is_index = true;
        sym_each_symbol(m->p->symbols, st->index, note_behind, m);
        m->user_is_index = false;
    }
    for (m->user = m->found.count; m->user-- > 0;) {
        const found_value *f = &m->found.at[m->user];
        const loop_node *n = loop_at(m->p, (loop_value){f->id});
        for (uint32_t k = 0; k < loop_operand_count(n->op); k++)
            note_use(m, n->args[k], f, f->loops);
        if (n->op == LOOP_MASKED) note_mask(m, n);
        if (has_index(n)) sym_each_symbol(m->p->symbols, n->index, note_behind, m);
        if (n->op == LOOP_LOAD) weigh_access(m, n->index, weights);
    }
    m->inner = 0;
    for (uint32_t k = 1; k < loop_count(m); k++)
        if (weights[k] >= weights[m->inner]) m->inner = k;
}

static void forget_values(mover *m)
{
    for (uint32_t i = 0; i < m->found.count; i++) m->place[m->found.at[i].id] = 0;
}

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

/* Each value once; what is moved already is loaded. */
static void add_cost(costing *c, loop_value v)
{
    found_value *f = found_at(c->m, v);
    if (!f || f->costing == c->m->costings) return;
    f->costing = c->m->costings;
    const loop_node *n = loop_at(c->m->p, v);
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
    const loop_node *n = loop_at(m->p, (loop_value){f->id});
    costing c = {.m = m, .in_vectors = f->loops >> m->inner & 1};
    double bytes = (double)ty_dtype_size(n->dtype), load = load_cost(&c, n);
    double few = points_of(m, f->loops), many = points_of(m, m->all);
    if (!c.in_vectors) many /= points_of(m, 1u << m->inner); /* kernels move it that far */
    m->costings++;
    add_cost(&c, (loop_value){f->id});
    bool fits = few * bytes <= SMALL || few * SHARE <= points_of(m, m->all);
    return fits && few * REPEATS <= many && c.cost >= 2 * load &&
           (many - few) * c.cost - many * load - few * LOAD >= SAVED;
}

static bool may_move(mover *m, const found_value *f)
{
    const loop_node *n = loop_at(m->p, (loop_value){f->id});
    bool is_leaf = n->op == LOOP_LOAD || n->op == LOOP_INDEX || n->op == LOOP_CONST;
    bool is_stored = ty_dtype_size(n->dtype) <= WIDEST && !ty_is_complex(n->dtype);
    return f->is_boundary && !must_stay(m, f) && f->loops && f->loops != m->all && !is_leaf &&
           is_stored && pays(m, f);
}

/* ---- moving it ---- */

static front_nest *nest_over(mover *m, uint32_t loops)
{
    for (uint32_t i = 0; i < m->fronts.count; i++)
        if (m->fronts.at[i].loops == loops) return &m->fronts.at[i];
    front_nest made = {.loops = loops, .op = {.kind = LOOP_NEST, .origin = m->op->origin}};
    for (uint32_t k = 0; k < loop_count(m); k++)
        if (loops >> k & 1) {
            made.from[made.op.axes] = loop_symbol(m, k);
            made.to[made.op.axes] = loop_axis(m->p, made.op.axes);
            made.op.extents[made.op.axes++] = extent_of(m, k);
        }
    vec_push(m->memory, &m->fronts, made);
    return &vec_last(&m->fronts);
}

/* The nest in front makes the value in a buffer of its own; the buffer's element at a point of the nest. */
static loop_value made_in_front(mover *m, const found_value *f)
{
    loop_program *p = m->p;
    front_nest *front = nest_over(m, f->loops);
    uint32_t rank = front->op.axes;
    sym_expr strides[LOOP_MAX_AXES], stride = sym_int(p->symbols, 1), zero = sym_int(p->symbols, 0);
    sym_expr here = zero, there = zero;
    for (uint32_t d = rank; d-- > 0; stride = sym_mul(p->symbols, stride, front->op.extents[d])) {
        strides[d] = stride;
        here = sym_add(p->symbols, here, sym_mul(p->symbols, stride, front->to[d]));
        there = sym_add(p->symbols, there, sym_mul(p->symbols, stride, front->from[d]));
    }
    loop_value v = {f->id};
    loop_buffer_id b =
        loop_add_buffer(p, (loop_buffer){.kind = LOOP_TEMP,
                                         .dtype = loop_at(p, v)->dtype,
                                         .device = p->buffers.at[m->op->stores[0].buffer].device,
                                         .rank = rank,
                                         .sizes = front->op.extents,
                                         .strides = strides,
                                         .origin = m->op->origin});
    v = loop_substitute(p, v, front->from, front->to, rank);
    vec_push(p->memory, &front->stores, ((loop_store){.buffer = b, .index = here, .value = v}));
    return loop_load(p, b, there);
}

/* The nest with the value replaced by what is loaded. */
static void put_in(mover *m, loop_op *op, loop_value v, loop_value loaded)
{
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_store *st = &op->stores[i];
        loop_value index = loop_replace_value(m->p, loop_index(m->p, st->index), v, loaded);
        st->value = loop_replace_value(m->p, st->value, v, loaded);
        if (loop_at(m->p, index)->op == LOOP_INDEX) st->index = loop_at(m->p, index)->index;
    }
}

static void move_from(mover *m, loop_op *op)
{
    loop_value values[MOST_CANDIDATES], loads[MOST_CANDIDATES];
    uint32_t count = 0;
    m->op = op;
    m->all = 0;
    for (uint32_t k = 0; k < loop_count(m); k++) {
        int64_t one;
        if (!sym_is_int(m->p->symbols, extent_of(m, k), &one) || one != 1) m->all |= 1u << k;
    }
    if (!(m->all & (m->all - 1))) return; /* one loop at most */
    find_values(m);
    for (uint32_t i = 0; i < m->found.count && count < MOST_CANDIDATES; i++)
        if (may_move(m, &m->found.at[i])) {
            m->found.at[i].is_moved = true;
            values[count].id = m->found.at[i].id;
            loads[count++] = made_in_front(m, &m->found.at[i]);
        }
    forget_values(m);
    for (uint32_t i = 0; i < m->fronts.count; i++) {
        front_nest *front = &m->fronts.at[i];
        front->op.stores = front->stores.at;
        front->op.store_count = front->stores.count;
        vec_push(m->memory, &m->ops, front->op);
    }
    if (!count) return;
    op->stores = arena_copy(m->p->memory, op->stores, op->store_count * sizeof *op->stores);
    for (uint32_t i = count; i-- > 0;) put_in(m, op, values[i], loads[i]);
    m->changed = true;
}

bool move_invariants(loop_program *p)
{
    arena *memory = arena_new(p->session);
    mover m = {.p = p, .memory = memory, .place_count = p->nodes.count};
    m.place = NEW_ARRAY(memory, uint32_t, m.place_count + 1);
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
