/* realise.c -- when a value gets memory of its own.
 *
 * The rules follow what TorchInductor does on CPU: a value with several readers
 * that is expensive (calls a transcendental function, or loads more than four elements) is stored;
 * so is one that loads more than twelve or has more than a hundred nodes. Beyond that a value with
 * several readers is stored when two of its loads cover it whole (a residual sum would keep both
 * its operands alive) or when it follows an extern kernel: as the epilogue of the product or
 * convolution before it, it costs nothing. So is one that is read through a view which its own loads would
 * follow by quotients.
 */
#include "lower/lower_priv.h"

enum { MANY_LOADS = 12, MANY_NODES = 100, SHARED_LOADS = 4, WHOLE_LOADS = 2 };

static bool is_costly(loop_opcode op)
{
    enum { LANES = 16 };
    return loop_opcode_cost(op, 1) != LOOP_CHEAP || loop_opcode_cost(op, LANES) != LOOP_CHEAP;
}

typedef struct cost {
    lowering *l;
    uint32_t rank;
    const sym_expr *sizes;
    uint32_t loads, nodes;
    uint32_t whole_loads; /* loads of one element for each of the value */
    bool costly;
    bool heavy;          /* an index is long */
    bool follows_extern; /* one of these is what an extern kernel made */
} cost;

static void note_indirect(void *data, sym_expr symbol)
{
    cost *c = data;
    c->costly |= sym_kind_of(c->l->symbols, symbol) == SYM_INDIRECT;
}

static void add_cost(void *data, loop_value v)
{
    cost *c = data;
    const loop_node *n = loop_at(c->l->program, v);
    sym_expr strides[LOWER_MAX_RANK];
    c->nodes++;
    c->costly |= is_costly(n->op);
    if (!sym_is_none(n->index))
        c->heavy |= sym_weight(c->l->symbols, n->index, LOWER_HEAVY_INDEX) >= LOWER_HEAVY_INDEX;
    if (n->op != LOOP_LOAD) return;
    c->loads++;
    sym_each_symbol(c->l->symbols, n->index, note_indirect, c); /* a gather */
    if (!c->rank || !lower_load_strides(c->l, n->index, c->rank, c->sizes, strides)) return;
    c->whole_loads++;
    /* extern kernels of devices are copies, which have no epilogues */
    c->follows_extern |=
        ty_is_host(c->l->device) && map_get(&c->l->extern_made, n->buffer) != MAP_NONE;
}

static cost cost_of(lowering *l, loop_value v, uint32_t rank, const sym_expr *sizes)
{
    cost c = {.l = l, .rank = rank, .sizes = sizes};
    loop_each_node(l->program, v, add_cost, &c);
    return c;
}

void lower_settle(lowering *l, lower_box *box, uint32_t readers)
{
    if (box->realised) return;
    cost c = cost_of(l, box->value, box->rank, box->sizes);
    bool is_epilogue = c.follows_extern && c.nodes > 1;
    bool shared = readers > 1 && (c.costly || is_epilogue || c.loads > SHARED_LOADS ||
                                  c.whole_loads >= WHOLE_LOADS);
    bool store = c.loads > MANY_LOADS || c.nodes > MANY_NODES || shared;
    /* A value of nothing but axes and constants (a mask, a ramp) costs less than memory, unless it
     * is long. */
    if (c.loads == 0 && c.nodes <= MANY_NODES) store = false;
    store |= c.heavy;
    store |= l->results_kept == LOWER_RESULTS_ALL && c.nodes > 1 &&
             (ty_is_floating(box->dtype) || ty_is_complex(box->dtype));
    if (store) lower_realise(l, box, NULL);
}

void lower_store_unless_plain(lowering *l, lower_tensor t)
{
    if (!t.box->realised && loop_at(l->program, t.box->value)->op != LOOP_LOAD)
        lower_realise(l, t.box, NULL);
}

/* ---- of a view ---- */

static bool has_quotient(const sym_table *t, sym_expr e)
{
    sym_op op = sym_op_of(t, e);
    bool has = op == SYM_FLOORDIV || op == SYM_MOD;
    for (uint32_t i = 0; i < sym_arg_count(t, e) && !has; i++)
        has = has_quotient(t, sym_arg(t, e, i));
    return has;
}

typedef struct bent_search {
    const lowering *l;
    bool is_bent;
} bent_search;

static void note_bent(void *data, loop_value v)
{
    bent_search *s = data;
    const loop_node *n = loop_at(s->l->program, v);
    s->is_bent |= n->op == LOOP_LOAD && has_quotient(s->l->symbols, n->index);
}

/* Do the loads of the value ask for quotients of the view's axes, each for its own, where memory of all its
 * elements would be read as it lies? A reshape of a sum with what is the same for a row. */
static bool is_straight_from_memory(lowering *l, lower_tensor t)
{
    bent_search s = {.l = l};
    sym_expr at = sym_int(l->symbols, 0);
    if (!t.map || t.box->wanted) return false;
    for (uint32_t d = 0; d < t.box->rank; d++)
        at = sym_add(l->symbols, sym_mul(l->symbols, at, t.box->sizes[d]), t.map[d]);
    if (has_quotient(l->symbols, at)) return false;
    loop_each_node(l->program, lower_here(l, t), note_bent, &s);
    return s.is_bent;
}

void lower_share(lowering *l, lower_tensor t)
{
    lower_settle(l, t.box, 2);
    if (!t.box->realised && is_straight_from_memory(l, t)) lower_realise(l, t.box, NULL);
}
