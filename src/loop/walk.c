/* walk.c -- going over value graphs: substitution, replacing loads, counting.
 *
 * Values are graphs, not trees: every walk first lists the distinct nodes, operands before users
 * (work space with stamps, taken from a free list so that a callback may walk too), and then does
 * one step a node. Nothing recurses, so the depth of an expression does not matter.
 */
#include "loop/loop_priv.h"

#include <string.h>

/* ---- work space ---- */

static void fit(const loop_program *p, loop_workspace *w)
{
    uint32_t needed = p->nodes.count;
    if (w->capacity >= needed) return;
    uint32_t capacity = p->nodes.capacity;
    uint32_t *stamp = NEW_ARRAY(p->memory, uint32_t, capacity),
             *memo = NEW_ARRAY(p->memory, uint32_t, capacity);
    if (w->capacity) {
        memcpy(stamp, w->stamp, w->capacity * sizeof *stamp);
        memcpy(memo, w->memo, w->capacity * sizeof *memo);
    }
    w->stamp = stamp;
    w->memo = memo;
    w->capacity = capacity;
}

loop_workspace *loop_work_begin(const loop_program *p)
{
    loop_workspace *w = p->scratch->free;
    if (w)
        p->scratch->free = w->next;
    else
        w = NEW(p->memory, loop_workspace);
    fit(p, w);
    w->now++; /* 2^32 walks of one program do not happen */
    w->order.count = 0;
    w->stack.count = 0;
    return w;
}

void loop_work_end(const loop_program *p, loop_workspace *w)
{
    w->next = p->scratch->free;
    p->scratch->free = w;
}

typedef struct push_symbol_state {
    const loop_program *p;
    loop_workspace *w;
} push_symbol_state;

static void push_indirect(void *data, sym_expr symbol)
{
    push_symbol_state *state = data;
    loop_value v = loop_indirect_value(state->p, symbol);
    if (v.id && state->w->stamp[v.id] != state->w->now)
        vec_push(state->p->memory, &state->w->stack, v.id);
}

static bool has_index(const loop_node *n)
{
    return n->op == LOOP_LOAD || n->op == LOOP_INDEX;
}

static void push_operands(const loop_program *p, loop_workspace *w, const loop_node *n)
{
    if (has_index(n)) {
        uint32_t first = w->stack.count;
        sym_each_symbol(p->symbols, n->index, push_indirect, &(push_symbol_state){p, w});
        /* first symbol on top */
        for (uint32_t last = w->stack.count; first + 1 < last; first++, last--) {
            uint32_t swap = w->stack.at[first];
            w->stack.at[first] = w->stack.at[last - 1];
            w->stack.at[last - 1] = swap;
        }
        return;
    }
    for (uint32_t k = loop_operand_count(n->op); k-- > 0;)
        if (w->stamp[n->args[k].id] != w->now) vec_push(p->memory, &w->stack, n->args[k].id);
}

/* Depth first; on the second visit of a stack entry (memo holds the node's own mark) it is
 * complete. */
void loop_work_add(const loop_program *p, loop_workspace *w, loop_value v)
{
    fit(p, w);
    vec_push(p->memory, &w->stack, v.id);
    while (w->stack.count) {
        uint32_t id = vec_last(&w->stack);
        if (w->stamp[id] == w->now) {
            w->stack.count--;
        } else {
            uint32_t before = w->stack.count;
            push_operands(p, w, &p->nodes.at[id]);
            if (w->stack.count > before) continue;
            w->stack.count--;
            w->stamp[id] = w->now;
            vec_push(p->memory, &w->order, id);
        }
    }
}

/* ---- rewriting ---- */

typedef struct rewriting {
    loop_program *p;
    loop_workspace *w;
    const sym_expr *from, *to; /* axes or other symbols */
    uint32_t count;
    /* of one index: these, then indirect symbols whose value changed */
    VEC(sym_expr) all_from, all_to;
    const sym_env *env; /* simplify indices under these ranges; NULL: leave them */
    bool replaces_loads;
    loop_buffer_id buffer;
    loop_value (*value_at)(void *data, loop_program *p, sym_expr index);
    void *data;
    loop_value found, put; /* the one for the other; none: nothing */
} rewriting;

static void note_indirect(void *data, sym_expr symbol)
{
    rewriting *r = data;
    loop_value old = loop_indirect_value(r->p, symbol);
    if (!old.id || (r->w->memo[old.id] == old.id && !r->env)) return;
    loop_bound bound = *loop_indirect_bound(r->p, symbol);
    bound.size = sym_substitute(r->p->symbols, bound.size, r->from, r->to, r->count);
    vec_push(r->p->memory, &r->all_from, symbol);
    vec_push(r->p->memory, &r->all_to,
             loop_indirect_wrapped(r->p, (loop_value){r->w->memo[old.id]}, bound, r->env));
}

static sym_expr rewrite_index(rewriting *r, sym_expr index)
{
    r->all_from.count = r->all_to.count = 0;
    for (uint32_t k = 0; k < r->count; k++) {
        vec_push(r->p->memory, &r->all_from, r->from[k]);
        vec_push(r->p->memory, &r->all_to, r->to[k]);
    }
    sym_each_symbol(r->p->symbols, index, note_indirect, r);
    if (r->env) index = sym_simplify(r->p->symbols, index, r->env);
    if (!r->all_from.count) return index;
    return sym_substitute(r->p->symbols, index, r->all_from.at, r->all_to.at, r->all_from.count);
}

/* The node again with new operands, folded as when it was first made. */
static loop_value rebuild(loop_program *p, loop_node n, const loop_value *args)
{
    switch (loop_operand_count(n.op)) {
    case 1:
        if (n.op == LOOP_CAST) return loop_cast(p, n.dtype, args[0]);
        if (n.op == LOOP_BITCAST) break;
        return loop_unary(p, n.op, args[0]);
    case 2:
        if (n.op == LOOP_COMPLEX || n.op == LOOP_RANDBITS) break;
        return loop_binary(p, n.op, args[0], args[1]);
    case 3:
        if (n.op == LOOP_WHERE) return loop_where(p, args[0], args[1], args[2]);
        if (n.op == LOOP_MASKED) return loop_masked(p, args[0], args[1], args[2]);
        break;
    default: break;
    }
    for (uint32_t k = 0; k < 3; k++) n.args[k] = args[k];
    return loop_make(p, n);
}

static loop_value rewrite_node(rewriting *r, uint32_t id)
{
    loop_program *p = r->p;
    loop_node n = p->nodes.at[id];
    loop_value args[3] = {{0}};
    bool changed = false;
    if (has_index(&n)) {
        sym_expr index = rewrite_index(r, n.index);
        if (r->replaces_loads && n.op == LOOP_LOAD && n.buffer == r->buffer)
            return r->value_at(r->data, p, index);
        if (sym_same(index, n.index)) return (loop_value){id};
        if (n.op == LOOP_INDEX) return loop_index(p, index);
        n.index = index;
        return loop_make(p, n);
    }
    for (uint32_t k = 0; k < loop_operand_count(n.op); k++) {
        args[k].id = r->w->memo[n.args[k].id];
        changed |= args[k].id != n.args[k].id;
    }
    loop_value known;
    if (r->env && loop_decide(p, n.op, args[0], args[1], r->env, &known)) return known;
    return changed ? rebuild(p, n, args) : (loop_value){id};
}

static loop_value rewrite(rewriting *r, loop_value v)
{
    r->w = loop_work_begin(r->p);
    loop_work_add(r->p, r->w, v);
    for (uint32_t k = 0; k < r->w->order.count; k++) {
        uint32_t id = r->w->order.at[k];
        r->w->memo[id] = id == r->found.id ? r->put.id : rewrite_node(r, id).id;
    }
    loop_value result = {r->w->memo[v.id]};
    loop_work_end(r->p, r->w);
    return result;
}

loop_value loop_substitute(loop_program *p, loop_value v, const sym_expr *from, const sym_expr *to,
                           uint32_t count)
{
    bool same = true;
    for (uint32_t k = 0; k < count; k++) same &= sym_same(from[k], to[k]);
    if (same) return v;
    rewriting r = {.p = p, .from = from, .to = to, .count = count};
    return rewrite(&r, v);
}

loop_value loop_replace_loads(loop_program *p, loop_value v, loop_buffer_id buffer,
                              loop_value (*value_at)(void *data, loop_program *p, sym_expr index),
                              void *data)
{
    rewriting r = {
        .p = p, .replaces_loads = true, .buffer = buffer, .value_at = value_at, .data = data};
    return rewrite(&r, v);
}

loop_value loop_replace_value(loop_program *p, loop_value v, loop_value found, loop_value put)
{
    rewriting r = {.p = p, .found = found, .put = put};
    return rewrite(&r, v);
}

loop_value loop_simplify(loop_program *p, loop_value v, const sym_env *env)
{
    rewriting r = {.p = p, .env = env};
    return rewrite(&r, v);
}

static void add_indirect(void *data, sym_expr symbol)
{
    rewriting *r = data;
    loop_value v = loop_indirect_value(r->p, symbol);
    if (v.id) loop_work_add(r->p, r->w, v);
}

static sym_expr rewrite_behind(rewriting *r, sym_expr e)
{
    r->w = loop_work_begin(r->p);
    sym_each_symbol(r->p->symbols, e, add_indirect, r);
    for (uint32_t k = 0; k < r->w->order.count; k++) {
        uint32_t id = r->w->order.at[k];
        r->w->memo[id] = rewrite_node(r, id).id;
    }
    sym_expr result = rewrite_index(r, e);
    loop_work_end(r->p, r->w);
    return result;
}

sym_expr loop_substitute_index(loop_program *p, sym_expr e, const sym_expr *from,
                               const sym_expr *to, uint32_t count)
{
    rewriting r = {.p = p, .from = from, .to = to, .count = count};
    return rewrite_behind(&r, e);
}

sym_expr loop_replace_loads_in(loop_program *p, sym_expr e, loop_buffer_id buffer,
                               loop_value (*value_at)(void *data, loop_program *p, sym_expr index),
                               void *data)
{
    rewriting r = {
        .p = p, .replaces_loads = true, .buffer = buffer, .value_at = value_at, .data = data};
    return rewrite_behind(&r, e);
}

/* ---- asking ---- */

void loop_each_store_node(loop_program *p, const loop_store *store,
                          void (*visit)(void *data, loop_value v), void *data)
{
    loop_each_node(p, store->value, visit, data);
    loop_each_node(p, loop_index(p, store->index), visit, data);
}

void loop_each_node(const loop_program *p, loop_value v, void (*visit)(void *data, loop_value v),
                    void *data)
{
    loop_workspace *w = loop_work_begin(p);
    loop_work_add(p, w, v);
    for (uint32_t k = 0; k < w->order.count; k++) visit(data, (loop_value){w->order.at[k]});
    loop_work_end(p, w);
}

uint32_t loop_node_count(const loop_program *p, loop_value v)
{
    loop_workspace *w = loop_work_begin(p);
    loop_work_add(p, w, v);
    uint32_t count = w->order.count;
    loop_work_end(p, w);
    return count;
}

uint32_t loop_load_count(const loop_program *p, loop_value v)
{
    loop_workspace *w = loop_work_begin(p);
    uint32_t count = 0;
    loop_work_add(p, w, v);
    for (uint32_t k = 0; k < w->order.count; k++)
        count += p->nodes.at[w->order.at[k]].op == LOOP_LOAD;
    loop_work_end(p, w);
    return count;
}

bool loop_uses_axis(const loop_program *p, loop_value v, sym_expr axis)
{
    loop_workspace *w = loop_work_begin(p);
    bool found = false;
    loop_work_add(p, w, v);
    for (uint32_t k = 0; k < w->order.count && !found; k++) {
        const loop_node *n = &p->nodes.at[w->order.at[k]];
        found = has_index(n) && sym_contains(p->symbols, n->index, axis);
    }
    loop_work_end(p, w);
    return found;
}
