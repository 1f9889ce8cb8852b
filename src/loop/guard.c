/* guard.c -- what is not proven to be inside is checked by the run: law L1 for programs whose sizes tell
 * nobody but the run whether they fit.
 *
 * Where an access reaches its ends over all axes, and these are expressions of sizes, an assertion in
 * front of the op says that both are inside, or that a loop around the access takes no step:
 *
 *     assert 4*s0 <= s1 "..."
 *     assert s2 <= 0 || 4*s0 <= s1 "..."
 *
 * Elsewhere, under masks and where an index comes from data, the index becomes one that the kernel keeps,
 * as those of a gather: it is checked where the masks hold.
 */
#include "loop/check_priv.h"

/* An assertion, and the op that it goes in front of. */
typedef struct guard_assertion {
    uint32_t before;
    loop_op op;
} guard_assertion;

struct loop_guards {
    loop_say say;
    void *data;
    VEC(guard_assertion) assertions;
    loop_values open; /* loads of the store at hand that its kernel has to check */
    bool store_is_open, changed;
};

/* ---- assertions ---- */

static void add_assertion(loop_checking *c, sym_relation relation)
{
    loop_guards *g = c->guards;
    uint32_t place = c->op ? (uint32_t)(c->op - c->p->ops.at) : c->place;
    loop_op op = {
        .kind = LOOP_ASSERT, .origin = c->op ? c->op->origin : UINT32_MAX, .relation = relation};
    op.message = g->say(g->data, op.origin, &relation);
    vec_push(c->p->memory, &g->assertions, (guard_assertion){place, op});
    loop_note_relation(c, &relation);
}

/* a <= b, wherever each of these loops takes a step. False: it never holds, of numbers. */
static bool assert_order(loop_checking *c, sym_expr a, sym_expr b, const sym_env *env)
{
    sym_table *t = c->p->symbols;
    sym_expr zero = sym_int(t, 0), said = sym_compare(t, SYM_LE, a, b);
    bool is_bare = true;
    int64_t truth;
    if (sym_known_less_equal_given(t, a, b, NULL, c->given.at, c->given.count)) return true;
    for (uint32_t k = 0; k < env->count; k++) {
        sym_expr extent = env->bounds[k].extent;
        if (sym_known_less_equal(t, sym_int(t, 1), extent, NULL)) continue;
        said = sym_compare(t, SYM_OR, sym_compare(t, SYM_LE, extent, zero), said);
        is_bare = false;
    }
    if (sym_is_int(t, said, &truth)) {
        if (truth || (sym_is_int(t, a, NULL) && sym_is_int(t, b, NULL))) return truth;
        is_bare = true; /* no sizes fit: what stands here is refused where a run comes to it */
    }
    add_assertion(c, is_bare ? (sym_relation){a, b, SYM_LE} : (sym_relation){said, zero, SYM_NE});
    if (!is_bare) vec_push(c->p->memory, &c->here, sym_sub(t, b, a));
    return true;
}

bool loop_guard_order(loop_checking *c, sym_expr a, sym_expr b)
{
    return c->guards && assert_order(c, a, b, &(sym_env){0});
}

loop_guarding loop_guard_inside(loop_checking *c, sym_expr index, sym_expr elements,
                                const sym_env *env)
{
    sym_table *t = c->p->symbols;
    sym_expr least, greatest;
    if (!c->guards || !loop_ends_of(t, index, env, &least, &greatest)) return LOOP_UNGUARDED;
    bool holds = assert_order(c, sym_int(t, 0), least, env) &&
                 assert_order(c, sym_add_int(t, greatest, 1), elements, env);
    return holds ? LOOP_GUARDED : LOOP_NEVER_HOLDS;
}

/* ---- checks in kernels ---- */

bool loop_guard_load(loop_checking *c, uint32_t node)
{
    if (c->guards) vec_push(c->p->memory, &c->guards->open, (loop_value){node});
    return c->guards;
}

bool loop_guard_store(loop_checking *c)
{
    if (c->guards) c->guards->store_is_open = true;
    return c->guards;
}

/* The index, kept by the kernel. */
static sym_expr kept(loop_checking *c, loop_buffer_id buffer, sym_expr index)
{
    loop_program *p = c->p;
    loop_bound bound = {.size = p->buffers.at[buffer].elements,
                        .dimension = LOOP_ELEMENTS,
                        .origin = c->op->origin};
    return loop_indirect_wrapped(p, loop_index(p, index), bound, NULL);
}

typedef struct keeping {
    loop_checking *c;
    const loop_node *load;
} keeping;

static loop_value keep_index(void *data, loop_program *p, sym_expr index)
{
    keeping *k = data;
    loop_buffer_id buffer = k->load->buffer;
    return loop_load(p, buffer,
                     sym_same(index, k->load->index) ? kept(k->c, buffer, index) : index);
}

bool loop_guard_apply(loop_checking *c, loop_store *st)
{
    loop_program *p = c->p;
    loop_guards *g = c->guards;
    if (!g || !(g->open.count || g->store_is_open)) return false;
    for (uint32_t k = 0; k < g->open.count; k++) {
        loop_node load = *loop_at(p, g->open.at[k]);
        keeping keep = {c, &load};
        st->value = loop_replace_loads(p, st->value, load.buffer, keep_index, &keep);
        st->index = loop_replace_loads_in(p, st->index, load.buffer, keep_index, &keep);
    }
    if (g->store_is_open) st->index = kept(c, st->buffer, st->index);
    g->open.count = 0;
    g->store_is_open = false;
    g->changed = true;
    return true;
}

/* ---- the program ---- */

static void put_assertions(loop_program *p, const loop_guards *g)
{
    uint32_t count = p->ops.count, next = 0;
    const loop_op *ops = arena_copy(p->memory, p->ops.at, count * sizeof *ops);
    p->ops.count = 0;
    for (uint32_t k = 0; k <= count; k++) {
        for (; next < g->assertions.count && g->assertions.at[next].before == k; next++)
            *loop_add_op(p, LOOP_ASSERT) = g->assertions.at[next].op;
        if (k < count) *loop_add_op(p, ops[k].kind) = ops[k];
    }
}

fe_status loop_guard(loop_program *p, const char *after, loop_say say, void *data)
{
    loop_guards g = {.say = say, .data = data};
    FE_TRY(loop_check_with(p, after, &g));
    if (!g.changed && !g.assertions.count) return FE_OK;
    if (g.assertions.count) put_assertions(p, &g);
    return loop_check(p, after);
}
