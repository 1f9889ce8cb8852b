/* share.c -- which buffers take over the memory of one that dies where they are born.
 *
 * A kernel may store its result over an operand when each element is read for the last time before
 * it is overwritten, once: in the same phase, by a nest not behind the store, at the very index that is
 * stored to, at least where a condition lets the value be used; or in an earlier phase, within what the
 * same outer iteration overwrites. Vectors keep that: an index is loaded whole before it is stored, and
 * outer iterations do not meet.
 */
#include "sched/legal.h"

loop_form form_of_nest(const sched_nest *n)
{
    loop_form f = {.op = n->op,
                   .parallel = n->nest.axes,
                   .count = n->nest.axes + n->nest.reduce_axes,
                   .stores = n->nest.stores,
                   .store_count = n->nest.store_count};
    for (uint32_t k = 0; k < f.count; k++)
        f.extents[k] = k < f.parallel ? n->nest.extents[k] : n->nest.reduce_extents[k - f.parallel];
    return f;
}

/* ---- legality ---- */

/* Where something happens in a group. */
typedef struct moment {
    uint32_t phase, nest, store;
} moment;

static bool is_after(moment a, moment b)
{
    if (a.phase != b.phase) return a.phase > b.phase;
    if (a.nest != b.nest) return a.nest > b.nest;
    return a.store > b.store;
}

typedef struct take_check {
    loop_program *p;
    const sched_group *g;
    loop_buffer_id from;
    moment when, stored;  /* where the walk stands; the one store to the heir */
    const loop_store *at; /* the store that the walk stands at */
    loop_form writer;
    sym_expr index; /* of that store */
    bool legal;
} take_check;

/* Is what is read at this index, where the walk stands, overwritten only afterwards? */
static bool is_read_in_time(void *data, sym_expr index)
{
    const take_check *c = data;
    loop_form reader = form_of_nest(&c->g->phases[c->when.phase].nests[c->when.nest]);
    return c->when.phase == c->stored.phase
               ? legal_same_index(c->p, &c->writer, c->index, &reader, index)
               : legal_same_row(c->p, &c->writer, c->index, &reader, index, c->g->outer);
}

static void check_load(void *data, loop_value v)
{
    take_check *c = data;
    const loop_node *n = loop_at(c->p, v);
    if (n->op == LOOP_LOAD && loop_is_inside(c->p, n->buffer, c->from)) c->legal = false;
    if (n->op != LOOP_LOAD || n->buffer != c->from || !c->legal) return;
    masked_load load = {v, c->index, is_read_in_time, c};
    c->legal = !is_after(c->when, c->stored) &&
               (is_read_in_time(c, n->index) || legal_masked_load(c->p, c->at, &load));
}

/* Calls visit for each store of the group, with `when` set to its moment. */
static void each_store(take_check *c, void (*visit)(take_check *c, const loop_store *st))
{
    for (c->when.phase = 0; c->when.phase < c->g->phase_count; c->when.phase++) {
        const sched_phase *ph = &c->g->phases[c->when.phase];
        for (c->when.nest = 0; c->when.nest < ph->nest_count; c->when.nest++) {
            const loop_op *nest = &ph->nests[c->when.nest].nest;
            for (c->when.store = 0; c->when.store < nest->store_count; c->when.store++)
                visit(c, &nest->stores[c->when.store]);
        }
    }
}

typedef struct store_search {
    take_check check;
    loop_buffer_id to;
    uint32_t count;
} store_search;

static void find_store(take_check *c, const loop_store *st)
{
    store_search *search = (store_search *)c;
    if (st->buffer != search->to) return;
    if (st->mode != LOOP_SET) c->legal = false;
    c->stored = c->when;
    c->index = st->index;
    search->count++;
}

static void check_store(take_check *c, const loop_store *st)
{
    if (st->buffer == c->from) c->legal = false;
    c->at = st;
    loop_each_store_node(c->p, st, check_load, c);
}

bool legal_reuse(loop_program *p, const sched_group *g, loop_buffer_id from, loop_buffer_id to)
{
    const loop_buffer *a = &p->buffers.at[from], *b = &p->buffers.at[to];
    if (!ty_same_place(a->device, b->device) || a->pinned != b->pinned) return false;
    if (a->dtype != b->dtype || !sym_same(a->elements, b->elements)) return false;
    store_search search = {.check = {.p = p, .g = g, .from = from, .legal = true}, .to = to};
    take_check *c = &search.check;
    each_store(c, find_store);
    if (search.count != 1) return false;
    c->writer = form_of_nest(&g->phases[c->stored.phase].nests[c->stored.nest]);
    if (!legal_is_injective(p, &c->writer, c->index)) return false;
    if (c->legal) each_store(c, check_store);
    if (!c->legal || g->kind != SCHED_EXTERN) return c->legal;
    const loop_op *op = &p->ops.at[g->extern_op];
    for (uint32_t i = 0; i < op->input_count; i++)
        if (op->inputs[i].buffer == from || op->inputs[i].buffer == to) return false;
    for (uint32_t i = 0; i < op->output_count; i++)
        if (op->outputs[i].buffer == to || (op->outputs[i].buffer == from && i > 0)) return false;
    return true;
}

/* ---- choice ---- */

/* Buffers by the group that their life begins, or ends, with. */
typedef struct bucket {
    uint32_t *first; /* of group g: at[first[g]] .. at[first[g + 1]] */
    loop_buffer_id *at;
} bucket;

static bucket bucket_of(fuser *f, const uint32_t *group_of)
{
    uint32_t groups = f->s->groups.count, buffers = f->p->buffers.count;
    bucket made = {NEW_ARRAY(f->memory, uint32_t, groups + 2),
                   NEW_ARRAY(f->memory, loop_buffer_id, buffers + 1)};
    for (loop_buffer_id b = 0; b < buffers; b++)
        if (group_of[b] != NEVER) made.first[group_of[b] + 2]++;
    for (uint32_t g = 2; g < groups + 2; g++) made.first[g] += made.first[g - 1];
    for (loop_buffer_id b = 0; b < buffers; b++)
        if (group_of[b] != NEVER) made.at[made.first[group_of[b] + 1]++] = b;
    return made;
}

typedef struct sharer {
    fuser *f;
    uint8_t *fixed;     /* by buffer: MAY_NOT_GIVE, MAY_NOT_TAKE, IS_PROMISED */
    uint32_t *earliest; /* by buffer: the group that its memory is first used in, by any donor */
    map definitions;    /* symbol -> the group that defines it */
} sharer;
enum { MAY_NOT_GIVE = 1, MAY_NOT_TAKE = 2, IS_PROMISED = 4 };

static void fix_buffers(sharer *s, const usage *u)
{
    const loop_program *p = s->f->p;
    for (loop_buffer_id b = 0; b < p->buffers.count; b++) {
        if (p->buffers.at[b].kind != LOOP_TEMP) s->fixed[b] = MAY_NOT_GIVE | MAY_NOT_TAKE;
        if (s->f->is_output[b] || p->buffers.at[b].part) s->fixed[b] |= MAY_NOT_GIVE;
        if (s->f->has_parts[b]) s->fixed[b] |= MAY_NOT_TAKE;
        /* nor may a whole whose parts are used after it */
        for (loop_buffer_id up = b; p->buffers.at[up].part;) {
            up = p->buffers.at[up].part->whole;
            if (u->last_use[b] != NEVER &&
                (u->last_use[up] == NEVER || u->last_use[up] < u->last_use[b]))
                s->fixed[up] |= MAY_NOT_GIVE;
        }
    }
    for (uint32_t g = 0; g < s->f->s->groups.count; g++)
        for (uint32_t i = 0; i < s->f->s->groups.at[g].local_count; i++)
            s->fixed[s->f->s->groups.at[g].locals[i]] = MAY_NOT_GIVE | MAY_NOT_TAKE;
}

static void find_definitions(sharer *s)
{
    const sched_schedule *made = s->f->s;
    for (uint32_t g = 0; g < made->groups.count; g++)
        if (made->groups.at[g].kind == SCHED_DEFINE)
            map_set(s->f->memory, &s->definitions,
                    s->f->p->ops.at[made->groups.at[g].extern_op].symbol.id, g);
}

/* An heir that is a part takes its donor along, into a whole whose size must be known by then. */
static bool may_give(const sharer *s, const sched_group *g, loop_buffer_id from, loop_buffer_id to)
{
    return !(s->fixed[from] & MAY_NOT_GIVE) &&
           room_is_known(s->f->p, &s->definitions, to, s->earliest[from]) &&
           legal_reuse(s->f->p, g, from, to);
}

/* The raw output of a call first: it would otherwise have memory for this group alone. */
static loop_buffer_id donor_of(sharer *s, const sched_group *g, const loop_buffer_id *dying,
                               uint32_t count, loop_buffer_id to)
{
    if (g->kind == SCHED_EXTERN) {
        loop_buffer_id raw = s->f->p->ops.at[g->extern_op].outputs[0].buffer;
        for (uint32_t i = 0; i < count; i++)
            if (dying[i] == raw && may_give(s, g, raw, to)) return raw;
    }
    for (uint32_t i = 0; i < count; i++)
        if (dying[i] != to && may_give(s, g, dying[i], to)) return dying[i];
    return LOOP_NO_BUFFER;
}

/* An output that can be made over a donated input is: return.c finds it there. */
static bool is_promised(sharer *s, const sched_group *g, const loop_buffer_id *dying,
                        uint32_t count, loop_buffer_id to)
{
    loop_program *p = s->f->p;
    if (!s->f->is_output[to] || sched_output_covering(p, to) < 0) return false;
    for (uint32_t i = 0; i < count; i++) {
        loop_buffer_id from = dying[i];
        if (!p->buffers.at[from].donated || (s->fixed[from] & IS_PROMISED) ||
            sched_donation_fault(p, from) || !legal_reuse(p, g, from, to))
            continue;
        s->fixed[from] |= IS_PROMISED;
        return true;
    }
    return false;
}

static void take(sharer *s, loop_buffer_id from, loop_buffer_id to, sched_reuse *out)
{
    s->fixed[from] |= MAY_NOT_GIVE;
    if (s->earliest[from] < s->earliest[to]) s->earliest[to] = s->earliest[from];
    s->fixed[to] |= MAY_NOT_TAKE;
    *out = (sched_reuse){from, to};
}

/* A raw output that the call adds to what dies here, where that lies. */
static loop_buffer_id addend_of(const sharer *s, const sched_group *g, const loop_buffer_id *dying,
                                uint32_t count, loop_buffer_id raw, loop_buffer_id result)
{
    const loop_program *p = s->f->p;
    loop_buffer_id addend = s->f->adds_apart ? LOOP_NO_BUFFER : legal_addend(p, g);
    bool dies = false;
    for (uint32_t i = 0; i < count; i++) dies |= dying[i] == addend;
    if (!dies || p->ops.at[g->extern_op].outputs[0].buffer != raw ||
        (s->fixed[addend] & MAY_NOT_GIVE) || (s->fixed[raw] & MAY_NOT_TAKE) ||
        !room_is_known(s->f->p, &s->definitions, result, s->earliest[addend]))
        return LOOP_NO_BUFFER;
    return addend;
}

void share_memory(fuser *f, const usage *u)
{
    sharer s = {.f = f,
                .fixed = NEW_ARRAY(f->memory, uint8_t, f->p->buffers.count + 1),
                .earliest = arena_copy(f->memory, u->first_use,
                                       f->p->buffers.count * sizeof *u->first_use)};
    bucket births = bucket_of(f, u->first_use), deaths = bucket_of(f, u->last_use);
    fix_buffers(&s, u);
    find_definitions(&s);
    for (uint32_t index = 0; index < f->s->groups.count; index++) {
        sched_group *g = &f->s->groups.at[index];
        VEC(sched_reuse) takes = {0};
        if (g->phase_count == 0) continue;
        for (uint32_t i = births.first[index]; i < births.first[index + 1]; i++) {
            loop_buffer_id to = births.at[i], from, addend;
            const loop_buffer_id *dying = deaths.at + deaths.first[index];
            uint32_t count = deaths.first[index + 1] - deaths.first[index];
            sched_reuse taken;
            if ((s.fixed[to] & MAY_NOT_TAKE) || is_promised(&s, g, dying, count, to)) continue;
            from = donor_of(&s, g, dying, count, to);
            if (from == LOOP_NO_BUFFER) continue;
            addend = addend_of(&s, g, dying, count, from, to);
            if (addend != LOOP_NO_BUFFER) {
                take(&s, addend, from, &taken);
                vec_push(f->s->memory, &takes, taken);
            }
            take(&s, from, to, &taken);
            vec_push(f->s->memory, &takes, taken);
        }
        g->reuses = takes.at;
        g->reuse_count = takes.count;
    }
}
