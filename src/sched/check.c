/* check.c -- the verifier of laws S1 to S12, run on every compile. It asks the schedule's own nests,
 * rewritten as they are, and the program's dependences; it trusts nothing that fuse.c concluded.
 */
#include "sched/legal.h"

#define NOWHERE UINT32_MAX

/* A region that has begun: where, and what of it must live until its end. */
typedef struct open_region {
    uint32_t begin;
    bool repeats;
    VEC(loop_buffer_id) used; /* of those that live when it begins */
} open_region;

typedef struct checker {
    const sched_schedule *s;
    loop_program *p;
    uint32_t *place_of;      /* by op: its place in the order of execution, NOWHERE */
    uint32_t *local_to;      /* by buffer: the group that keeps it, NOWHERE */
    loop_buffer_id *heir;    /* by buffer: who takes over its memory */
    bool *has_donor;         /* by buffer: it takes over memory itself */
    bool *has_parts;         /* by buffer */
    uint32_t *last_of_parts; /* by buffer: when the last of its parts ends */
    arena *memory;
    uint32_t group, place;
    VEC(open_region) regions;
    fe_status status;
} checker;

static void broken(checker *c, const char *law, const char *what, const char *name)
{
    if (c->status != FE_OK) return;
    c->status = diag_fail(
        c->p->session,
        (diag){.status = FE_INTERNAL,
               .stage = "sched",
               .place = c->group < c->s->groups.count
                            ? arena_printf(c->memory, "group %u", c->group)
                            : NULL,
               .help = "this is a fault of ferrite's own: please report it with the program"},
        "law %s: %s: %s", law, what, name);
}

static const char *name_of(const checker *c, loop_buffer_id b)
{
    return c->p->buffers.at[b].name;
}

/* ---- S1, S2: every op once, behind what it depends on ---- */

static void place_op(checker *c, uint32_t op)
{
    if (c->place_of[op] != NOWHERE)
        broken(c, "S1", "an op is scheduled twice", arena_printf(c->memory, "op %u", op));
    c->place_of[op] = c->place++;
}

/* The nest stores to the buffers that its op stores to, and to no other. */
static void check_stores(checker *c, const sched_nest *n)
{
    const loop_op *op = &c->p->ops.at[n->op];
    bool same = op->kind == LOOP_NEST && op->store_count == n->nest.store_count;
    for (uint32_t i = 0; same && i < op->store_count; i++)
        same = op->stores[i].buffer == n->nest.stores[i].buffer;
    if (!same)
        broken(c, "S1", "a nest does not store what its op does",
               arena_printf(c->memory, "op %u", n->op));
}

static void check_order(checker *c)
{
    op_deps deps;
    deps_build(c->p, c->memory, &deps);
    for (uint32_t op = 0; op < c->p->ops.count; op++) {
        if (c->place_of[op] == NOWHERE)
            broken(c, "S1", "an op is in no group", arena_printf(c->memory, "op %u", op));
        for (uint32_t i = deps.first[op]; i < deps.first[op + 1]; i++)
            if (c->place_of[deps.at.at[i]] > c->place_of[op])
                broken(c, "S2", "an op comes before one that it depends on",
                       arena_printf(c->memory, "op %u before op %u", op, deps.at.at[i]));
    }
}

/* ---- S3: what is fused reads what its own iteration wrote ---- */

static bool has_loops(const sched_group *g, const sched_phase *phase, const loop_op *nest)
{
    bool same =
        nest->axes == g->outer + phase->inner_axes && nest->reduce_axes == phase->reduce_axes;
    for (uint32_t k = 0; same && k < nest->axes; k++)
        same = sym_same(nest->extents[k],
                        k < g->outer ? g->outer_extents[k] : phase->extents[k - g->outer]);
    for (uint32_t k = 0; same && k < nest->reduce_axes; k++)
        same = sym_same(nest->reduce_extents[k], phase->reduce_extents[k]);
    return same;
}

/* A result is stored when its reduction is done: its place does not move with what it runs over. */
static void check_results(checker *c, const loop_op *nest)
{
    for (uint32_t i = 0; i < nest->store_count; i++)
        for (uint32_t k = 0; k < nest->reduce_axes; k++)
            if (nest->stores[i].reduce && !nest->stores[i].scan &&
                sym_contains(c->p->symbols, nest->stores[i].index, loop_reduce_axis(c->p, k)))
                broken(c, "S3", "a result is stored within its reduction",
                       name_of(c, nest->stores[i].buffer));
}

/* One nest of a group after another that may have written what it reads. */
typedef struct fused_pair {
    const sched_group *group;
    loop_form writer, reader;
    bool same_phase;
} fused_pair;

static void check_load(checker *c, const fused_pair *pair, const loop_store *store, sym_expr load)
{
    bool good = pair->same_phase
                    ? (!store->reduce || store->scan) &&
                          legal_same_index(c->p, &pair->writer, store->index, &pair->reader, load)
                    : legal_same_row(c->p, &pair->writer, store->index, &pair->reader, load,
                                     pair->group->outer);
    if (!good)
        broken(c, "S3", "a fused nest reads what its iteration has not written",
               name_of(c, store->buffer));
}

static void check_pair(checker *c, const fused_pair *pair, const access_list *reads)
{
    for (uint32_t k = 0; k < pair->writer.store_count; k++) {
        const loop_store *store = &pair->writer.stores[k];
        for (uint32_t i = 0; i < reads->count; i++) {
            if (reads->at[i].buffer != store->buffer) continue;
            if (reads->at[i].is_store)
                broken(c, "S3", "two nests of a group write one buffer", name_of(c, store->buffer));
            else
                check_load(c, pair, store, reads->at[i].index);
        }
    }
}

/* The nest overwrites nothing that the one before it has yet to read. */
static void check_overwrite(checker *c, const fused_pair *pair)
{
    if (!legal_overwrite(c->p, &pair->reader, &pair->writer, pair->same_phase, pair->group->outer))
        broken(c, "S3", "a fused nest writes what one before it reads",
               name_of(c, pair->reader.stores[0].buffer));
}

static void check_fused(checker *c, const sched_group *g, uint32_t phase, uint32_t nest,
                        const access_list *reads)
{
    fused_pair pair = {.group = g, .reader = form_of_nest(&g->phases[phase].nests[nest])};
    for (uint32_t ph = 0; ph <= phase; ph++)
        for (uint32_t i = 0; i < (ph == phase ? nest : g->phases[ph].nest_count); i++) {
            pair.writer = form_of_nest(&g->phases[ph].nests[i]);
            pair.same_phase = ph == phase;
            check_pair(c, &pair, reads);
            check_overwrite(c, &pair);
            if (legal_meet(c->p, &pair.writer, &pair.reader))
                broken(c, "S3", "a fused nest writes a part of what another reads",
                       name_of(c, pair.reader.stores[0].buffer));
        }
}

/* An epilogue reads the element that its extern call has just made, writes none of the call's operands,
 * and stores where no other part of the call's result does. */
static void check_epilogue(checker *c, const sched_group *g, const loop_form *n,
                           const access_list *reads)
{
    const loop_op *op = &c->p->ops.at[g->extern_op];
    sym_expr rows, columns, stride;
    bool flat = n->parallel == n->count && n->count > 0 &&
                legal_output_rows(c->p, op, &rows, &columns, &stride);
    for (uint32_t i = 0; i < reads->count; i++) {
        const access *a = &reads->at[i];
        for (uint32_t k = 0; k < op->output_count; k++)
            if (a->buffer == op->outputs[k].buffer &&
                (a->is_store || k > 0 || !flat ||
                 !legal_own_element(c->p, op, n, a->index, stride)))
                broken(c, "S3", "an epilogue uses another element than the one at hand",
                       name_of(c, a->buffer));
        if (a->is_store && !legal_keeps_to_part(c->p, n, a->index))
            broken(c, "S3", "an epilogue stores where another part of its call's result may",
                   name_of(c, a->buffer));
        for (uint32_t k = 0; k < op->input_count; k++)
            if (a->is_store && a->buffer == op->inputs[k].buffer)
                broken(c, "S3", "an epilogue writes what its call reads", name_of(c, a->buffer));
    }
}

/* ---- S4, S5: locals stay inside, lifetimes cover every use ---- */

static void check_use(checker *c, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER) return;
    if (c->p->buffers.at[b].kind != LOOP_TEMP && !c->p->buffers.at[b].donated) return;
    const sched_life *life = &c->s->lives[b], *root = &c->s->lives[life->root];
    if (c->local_to[b] != NOWHERE) {
        if (c->local_to[b] != c->group)
            broken(c, "S4", "a local buffer is used by another group", name_of(c, b));
        return;
    }
    if (c->group < life->birth || c->group >= life->death)
        broken(c, "S5", "a buffer is used outside its lifetime", name_of(c, b));
    for (uint32_t i = 0; i < c->regions.count; i++)
        if (c->regions.at[i].repeats && life->birth <= c->regions.at[i].begin)
            vec_push(c->memory, &c->regions.at[i].used, b);
    if (life->in_arena != root->in_arena ||
        (!root->in_arena && !c->p->buffers.at[life->root].donated &&
         sched_output_covering(c->p, life->root) < 0))
        broken(c, "S5", "a buffer has no memory", name_of(c, b));
}

static void check_outputs(checker *c)
{
    c->group = c->s->groups.count;
    for (uint32_t k = 0; k < c->p->outputs.count; k++) {
        const loop_output *output = &c->p->outputs.at[k];
        if (output->kind == LOOP_OUT_TENSOR) check_use(c, output->view.buffer);
    }
}

/* ---- S6: memory that is handed on ---- */

/* Does the call add its result to `from`, and leave it there for the epilogue's? */
static bool is_added_to(const checker *c, const sched_group *g, sched_reuse take)
{
    sched_activation does;
    return sched_activation_of(c->s, g, &does) && does.addend == take.from &&
           legal_addend(c->p, g) == take.from &&
           c->p->ops.at[g->extern_op].outputs[0].buffer == take.to;
}

static void check_reuse(checker *c, const sched_group *g, sched_reuse take)
{
    const sched_life *from = &c->s->lives[take.from], *to = &c->s->lives[take.to];
    if (c->heir[take.from] != LOOP_NO_BUFFER)
        broken(c, "S6", "a buffer's memory is taken over twice", name_of(c, take.from));
    if (c->has_donor[take.to])
        broken(c, "S6", "a buffer takes over the memory of two", name_of(c, take.to));
    c->heir[take.from] = take.to;
    c->has_donor[take.to] = true;
    if (from->death != c->group + 1)
        broken(c, "S6", "a buffer's memory is taken over while it lives", name_of(c, take.from));
    if (to->birth != c->group)
        broken(c, "S6", "a buffer takes over memory after its birth", name_of(c, take.to));
    if (c->p->buffers.at[take.from].part)
        broken(c, "S6", "a part's memory is taken over", name_of(c, take.from));
    if (c->has_parts[take.to])
        broken(c, "S6", "memory is taken over that parts lie in", name_of(c, take.to));
    if (c->last_of_parts[take.from] > from->death)
        broken(c, "S6", "memory is taken over that parts still lie in", name_of(c, take.from));
    if ((c->p->buffers.at[take.from].kind != LOOP_TEMP && !c->p->buffers.at[take.from].donated) ||
        c->p->buffers.at[take.to].kind != LOOP_TEMP || c->local_to[take.from] != NOWHERE ||
        c->local_to[take.to] != NOWHERE ||
        (!legal_reuse(c->p, g, take.from, take.to) && !is_added_to(c, g, take)))
        broken(c, "S6", "a buffer is overwritten before its last reader", name_of(c, take.from));
}

/* Only memory that is handed on is shared, or that of a whole with its parts, which live as long as
 * it does. */
static void check_roots(checker *c)
{
    c->group = NOWHERE;
    for (loop_buffer_id b = 0; b < c->p->buffers.count; b++) {
        const loop_part *part = c->p->buffers.at[b].part;
        const sched_life *life = &c->s->lives[b];
        loop_buffer_id host = part ? part->whole : c->heir[b];
        sym_expr at = sym_int(c->p->symbols, 0);
        if (host == LOOP_NO_BUFFER) {
            if (life->root != b && !c->p->buffers.at[life->root].donated &&
                sched_output_covering(c->p, life->root) < 0)
                broken(c, "S6", "a buffer lies in memory that it does not hand on", name_of(c, b));
            continue;
        }
        const sched_life *whole = &c->s->lives[host];
        if (part) at = part->at;
        if (!sym_is_none(whole->place)) at = sym_add(c->p->symbols, at, whole->place);
        if (life->root != whole->root || life->in_arena != whole->in_arena ||
            !sym_same(sched_place(c->s, b), at))
            broken(c, "S6", "a buffer does not lie where it is said to", name_of(c, b));
        if (part && c->local_to[b] != NOWHERE)
            broken(c, "S4", "a part of a buffer is local", name_of(c, b));
        if (part && whole->death > whole->birth && life->death < whole->death)
            broken(c, "S5", "a part ends before its whole", name_of(c, b));
    }
}

static void check_gifts(checker *c)
{
    loop_buffer_id culprit = 0;
    const char *fault = check_lent(c->s, c->heir, c->memory, &culprit);
    if (fault) broken(c, "S9", fault, name_of(c, culprit));
}

/* ---- S7: regions ---- */

static void check_control(checker *c, const loop_op *op)
{
    if (op->control == LOOP_IF || op->control == LOOP_REPEAT)
        vec_push(c->memory, &c->regions,
                 (open_region){.begin = c->group, .repeats = op->control == LOOP_REPEAT});
    if (op->control != LOOP_END) return;
    if (c->regions.count == 0) {
        broken(c, "S7", "a region ends that has not begun", loop_control_name(op->control));
        return;
    }
    const open_region *ended = &c->regions.at[--c->regions.count];
    for (uint32_t i = 0; i < ended->used.count; i++)
        if (c->s->lives[ended->used.at[i]].death <= c->group)
            broken(c, "S7", "the next step finds a buffer dead", name_of(c, ended->used.at[i]));
}

/* ---- S12: what operators work in ---- */

static void check_work(checker *c, const loop_op *op)
{
    const loop_view *work = loop_workspace_of(c->p, op);
    const char *fault = loop_work_fault(c->p, op);
    if (fault) broken(c, "S12", fault, op->kernel);
    if (!work) {
        int64_t bytes = 0;
        if (op->kind == LOOP_EXTERN && !op->callee &&
            !(sym_is_int(c->p->symbols, loop_need_of(c->p, op).shared, &bytes) && bytes <= 0))
            broken(c, "S12", "an operator has nothing to work in", op->kernel);
        return;
    }
    const sched_life *life = &c->s->lives[work->buffer];
    if (life->birth != c->group || life->death != c->group + 1 || !life->in_arena ||
        life->root != work->buffer)
        broken(c, "S12",
               "what an operator works in lives for its group alone, in memory of its own",
               name_of(c, work->buffer));
}

/* ---- the walk ---- */

static void check_group(checker *c, const sched_group *g)
{
    if (g->kind != SCHED_KERNEL) {
        const loop_op *op = &c->p->ops.at[g->extern_op];
        place_op(c, g->extern_op);
        for (uint32_t i = 0; i < op->input_count; i++) check_use(c, op->inputs[i].buffer);
        for (uint32_t i = 0; i < op->output_count; i++) check_use(c, op->outputs[i].buffer);
        check_work(c, op);
        if (g->kind == SCHED_CONTROL) check_control(c, op);
    }
    for (uint32_t ph = 0; ph < g->phase_count; ph++)
        for (uint32_t i = 0; i < g->phases[ph].nest_count; i++) {
            const sched_nest *n = &g->phases[ph].nests[i];
            loop_form form = form_of_nest(n);
            access_list list = {0};
            form_accesses(c->p, &form, c->memory, &list);
            place_op(c, n->op);
            check_stores(c, n);
            for (uint32_t k = 0; k < list.count; k++) check_use(c, list.at[k].buffer);
            check_results(c, &n->nest);
            if (!has_loops(g, &g->phases[ph], &n->nest))
                broken(c, "S3", "a nest does not have the loops of its phase",
                       arena_printf(c->memory, "op %u", n->op));
            check_fused(c, g, ph, i, &list);
            if (g->kind == SCHED_EXTERN) check_epilogue(c, g, &form, &list);
        }
    for (uint32_t i = 0; i < g->reuse_count; i++) check_reuse(c, g, g->reuses[i]);
    if (!sched_variant_is_known(&g->variant))
        broken(c, "S10", "a variant asks for copies that there cannot be",
               arena_printf(c->memory, "%u", g->variant.unroll));
}

/* ---- S11: what was proven of the order ---- */

static void check_bound(checker *c)
{
    const sched_order *order = &c->s->order;
    if (order->bound < 0 || order->bound > order->peak)
        broken(c, "S11", "the order's peak is below its bound",
               arena_printf(c->memory, "%lld of %lld", (long long)order->peak,
                            (long long)order->bound));
}

fe_status sched_check(sched_schedule *s)
{
    loop_program *p = s->program;
    arena *memory = arena_new(p->session);
    checker c = {.s = s,
                 .p = p,
                 .memory = memory,
                 .place_of = NEW_ARRAY(memory, uint32_t, p->ops.count + 1),
                 .local_to = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1),
                 .heir = NEW_ARRAY(memory, loop_buffer_id, p->buffers.count + 1),
                 .has_donor = NEW_ARRAY(memory, bool, p->buffers.count + 1),
                 .has_parts = NEW_ARRAY(memory, bool, p->buffers.count + 1),
                 .last_of_parts = NEW_ARRAY(memory, uint32_t, p->buffers.count + 1)};
    for (uint32_t i = 0; i < p->ops.count; i++) c.place_of[i] = NOWHERE;
    for (uint32_t b = 0; b < p->buffers.count; b++) {
        c.local_to[b] = NOWHERE;
        c.heir[b] = LOOP_NO_BUFFER;
        for (loop_buffer_id up = b; p->buffers.at[up].part;) {
            up = p->buffers.at[up].part->whole;
            c.has_parts[up] = true;
            if (s->lives[b].death > c.last_of_parts[up]) c.last_of_parts[up] = s->lives[b].death;
        }
    }
    for (uint32_t g = 0; g < s->groups.count; g++)
        for (uint32_t i = 0; i < s->groups.at[g].local_count; i++)
            c.local_to[s->groups.at[g].locals[i]] = g;
    for (uint32_t g = 0; g < s->groups.count; g++) {
        c.group = g;
        check_group(&c, &s->groups.at[g]);
    }
    check_outputs(&c);
    check_roots(&c);
    check_gifts(&c);
    check_order(&c);
    check_bound(&c);
    arena_free(memory);
    return c.status;
}
