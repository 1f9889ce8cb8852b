/* invariant_find.c -- the values of a nest: which loops change each, and which of them must stay where they
 * are: what masks compare says which accesses are inside, so it is not hidden in memory.
 */
#include "sched/invariant.h"

enum { MOST_VALUES = 1000 };

/* ---- loops ---- */

sym_expr invariant_loop(const nest_values *m, uint32_t k)
{
    return k < m->op->axes ? loop_axis(m->p, k) : loop_reduce_axis(m->p, k - m->op->axes);
}

uint32_t invariant_loop_count(const nest_values *m)
{
    return m->op->axes + m->op->reduce_axes;
}

sym_expr invariant_extent(const nest_values *m, uint32_t k)
{
    return k < m->op->axes ? m->op->extents[k] : m->op->reduce_extents[k - m->op->axes];
}

double invariant_points(const nest_values *m, uint32_t loops)
{
    double points = 1;
    for (uint32_t k = 0; k < invariant_loop_count(m); k++)
        if (loops >> k & 1) points *= (double)sym_usual(m->p->symbols, invariant_extent(m, k));
    return points;
}

static uint32_t loops_in(const nest_values *m, sym_expr e)
{
    uint32_t loops = 0;
    for (uint32_t k = 0; k < invariant_loop_count(m); k++)
        if (sym_contains(m->p->symbols, e, invariant_loop(m, k))) loops |= 1u << k;
    return loops & m->all;
}

/* Adds the elements that an access reaches to each loop that they are side by side along. */
static void weigh_access(const nest_values *m, sym_expr index, double *weights)
{
    double elements = invariant_points(m, loops_in(m, index));
    for (uint32_t k = 0; k < invariant_loop_count(m); k++) {
        sym_expr stride, rest;
        int64_t one;
        if ((m->all >> k & 1) &&
            sym_linear_in(m->p->symbols, index, invariant_loop(m, k), &stride, &rest) &&
            sym_is_int(m->p->symbols, stride, &one) && one == 1)
            weights[k] += elements;
    }
}

/* ---- the values of a nest ---- */

found_value *invariant_at(nest_values *m, loop_value v)
{
    uint32_t place = v.id < m->place_count ? m->place[v.id] : 0;
    return place ? &m->found.at[place - 1] : NULL;
}

static void take_behind(void *data, sym_expr symbol)
{
    nest_values *m = data;
    loop_value v = loop_indirect_value(m->p, symbol);
    found_value *n = &m->found.at[m->user], *operand = v.id ? invariant_at(m, v) : NULL;
    if (!v.id) return;
    if (!operand) n->is_fixed = true;
    if (!operand) return;
    n->loops |= operand->loops;
    n->is_fixed = true; /* a gather is a load already */
}

static bool nest_writes(const nest_values *m, loop_buffer_id b)
{
    sym_expr at;
    loop_buffer_id whole = loop_whole_of(m->p, b, &at);
    for (uint32_t i = 0; i < m->op->store_count; i++)
        if (loop_whole_of(m->p, m->op->stores[i].buffer, &at) == whole) return true;
    return false;
}

/* Wherever these loops are, whether or not the others run and conditions hold? */
static bool is_inside(const nest_values *m, const loop_node *load, uint32_t loops)
{
    sym_table *t = m->p->symbols;
    sym_bound bounds[2 * LOOP_MAX_AXES];
    sym_env env = {bounds, 0};
    for (uint32_t k = 0; k < invariant_loop_count(m); k++)
        if (loops >> k & 1)
            bounds[env.count++] = (sym_bound){invariant_loop(m, k), invariant_extent(m, k)};
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
    nest_values *m = data;
    if (v.id >= m->place_count || m->place[v.id]) return;
    const loop_node *n = loop_at(m->p, v);
    m->user = m->found.count;
    vec_push(m->memory, &m->found, ((found_value){.id = v.id}));
    m->place[v.id] = m->found.count;
    found_value *f = &vec_last(&m->found);
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        const found_value *operand = invariant_at(m, n->args[k]);
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
static void note_facts(nest_values *m, loop_value condition)
{
    const loop_node *n = loop_at(m->p, condition);
    bool joins = n->op == LOOP_AND;
    for (uint32_t k = 0; k < loop_operand_count(n->op); k++) {
        found_value *f = invariant_at(m, n->args[k]);
        if (joins)
            note_facts(m, n->args[k]);
        else if (f)
            f->is_compared = loop_at(m->p, n->args[k])->op != LOOP_CONST;
    }
}

/* Operands first: who is made of what masks compare, or of axes, that they may compare as well. */
static void find_facts(nest_values *m)
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
            const found_value *operand = invariant_at(m, n->args[k]);
            f->holds_facts |= !operand || operand->holds_facts || operand->is_compared;
        }
    }
}

/* Where its users need it, whatever it costs. */
bool invariant_must_stay(const nest_values *m, const found_value *f)
{
    bool is_fact = f->is_condition && loop_at(m->p, (loop_value){f->id})->dtype == TY_BOOL;
    return f->is_fixed || is_fact || (f->is_masked && f->is_index && f->holds_facts);
}

/* A use by the value `user`, of which all uses are known, or by a store (NULL), that the loops change. */
static void note_use(nest_values *m, loop_value v, const found_value *user, uint32_t loops)
{
    found_value *f = invariant_at(m, v);
    if (!f) return;
    f->is_masked |= user && user->is_masked;
    f->is_index |= user && user->is_index;
    f->is_condition |= user && user->is_condition;
    f->is_boundary |= f->loops != loops || !user || invariant_must_stay(m, user);
}

static void note_mask(nest_values *m, const loop_node *masked)
{
    found_value *condition = invariant_at(m, masked->args[0]),
                *value = invariant_at(m, masked->args[1]);
    if (condition) condition->is_condition = true;
    if (value) value->is_masked = true;
}

static void note_behind(void *data, sym_expr symbol)
{
    nest_values *m = data;
    loop_value v = loop_indirect_value(m->p, symbol);
    if (!v.id) return;
    const found_value *user = m->user_is_index ? NULL : &m->found.at[m->user];
    note_use(m, v, user, user ? user->loops : m->all);
    found_value *f = invariant_at(m, v);
    if (f) f->is_index = f->is_boundary = true;
}

static void find_uses(nest_values *m, double *weights)
{
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
}

static void begin_nest(nest_values *m, const loop_op *op)
{
    for (uint32_t i = 0; i < m->found.count; i++) m->place[m->found.at[i].id] = 0;
    m->found.count = m->all = m->inner = 0;
    m->op = op;
    for (uint32_t k = 0; k < invariant_loop_count(m); k++) {
        int64_t one;
        if (!sym_is_int(m->p->symbols, invariant_extent(m, k), &one) || one != 1) m->all |= 1u << k;
    }
}

nest_values invariant_begin(loop_program *p, arena *memory)
{
    return (nest_values){.p = p,
                         .memory = memory,
                         .place = NEW_ARRAY(memory, uint32_t, p->nodes.count + 1),
                         .place_count = p->nodes.count};
}

bool invariant_find(nest_values *m, const loop_op *op)
{
    double weights[2 * LOOP_MAX_AXES] = {0};
    begin_nest(m, op);
    if (!(m->all & (m->all - 1))) return false; /* one loop at most */
    for (uint32_t i = 0; i < op->store_count; i++) {
        loop_each_store_node(m->p, &op->stores[i], find_value, m);
        weigh_access(m, op->stores[i].index, weights);
    }
    if (m->found.count > MOST_VALUES) return false;
    find_facts(m);
    find_uses(m, weights);
    for (uint32_t k = 1; k < invariant_loop_count(m); k++)
        if (weights[k] >= weights[m->inner]) m->inner = k;
    return true;
}
