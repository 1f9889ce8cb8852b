/* recompute.c -- values that are kept while others need the memory are made again before their next
 * use (option memory-budget), until the plan fits or nothing helps any more.
 *
 * Where too much is in use at once, those values that wait there for a later reader are candidates:
 * what made them (and what made its operands, when these are gone by then) is done once more right
 * before that reader. Those that save most bytes for their cost come first. Each change is tried for
 * real and stays if less is in use beyond the goal: that is the budget, or, where nothing helps to
 * reach it, something between it and the peak.
 */
#include <stdlib.h>

#include "sched/sched_priv.h"
#include "sched/uses.h"

enum { MOST_OPS = 24, MOST_DEPTH = 12, MOST_TRIES = 100, MOST_STEPS = 64, SMALL_SHARE = 8 };

/* How much memory a schedule needs. */
typedef struct fit {
    int64_t bytes, most; /* of the arena; in use at once */
    uint32_t when;       /* the first group with most in use */
    int64_t *live;       /* by group, `steps` of them */
    uint32_t steps;
} fit;

/* What is to be done again to have a buffer once more. */
typedef struct chain {
    loop_buffer_id buffer;
    uint32_t before;           /* the group that needs it */
    VEC(uint32_t) ops;         /* in the order of their dependences */
    VEC(loop_buffer_id) reads; /* what they need that is there, or is kept for them */
    double cost;               /* about elements times operations */
    int64_t saved;             /* bytes, less what is kept longer for it */
} chain;
typedef VEC(chain) chain_list;

typedef struct fitter {
    loop_program *p;
    const sched_target *target;
    arena *memory, *scratch; /* of the schedules; of the search */
    sched_schedule *s;
    fit now;
    int64_t goal;           /* bytes in use at once */
    uint32_t number, tries; /* of the last change; that are left */
    map refused;            /* buffers that were tried in vain for this goal */
    /* of the schedule at hand */
    use_tables uses;
    bool *has_parts;
    uint32_t *group_of; /* by op */
} fitter;

/* ---- measuring ---- */

static fe_status measure(const fitter *f, const sched_schedule *s, fit *out)
{
    plan_buffer *intervals;
    loop_buffer_id *owners;
    plan_result plan;
    uint32_t count = sched_intervals(s, &intervals, &owners, f->scratch);
    *out = (fit){.live = live_bytes(s, f->scratch), .steps = s->groups.count};
    for (uint32_t t = 0; t < out->steps; t++) {
        if (out->live[t] <= out->most) continue;
        out->most = out->live[t];
        out->when = t;
    }
    plan_options options = {.capacity = f->target->memory_budget};
    fe_status status = plan_offsets(f->p->session, f->scratch, intervals, count, &options, &plan);
    out->bytes = plan.height;
    return status;
}

/* Bytes beyond the goal, over all groups. */
static double excess(const fitter *f, const fit *a)
{
    double sum = 0;
    for (uint32_t t = 0; t < a->steps; t++)
        if (a->live[t] > f->goal) sum += (double)(a->live[t] - f->goal);
    return sum;
}

static bool is_better(const fitter *f, const fit *a)
{
    double left = excess(f, a), before = excess(f, &f->now);
    if (a->most > f->now.most) return false;
    return left < before || (left == before && a->bytes < f->now.bytes);
}

static bool fits(const fitter *f)
{
    return f->now.bytes <= f->target->memory_budget;
}

/* ---- the schedule at hand ---- */

static void look_at(fitter *f)
{
    const loop_program *p = f->p;
    f->uses = uses_collect(f->p, f->scratch);
    f->has_parts = NEW_ARRAY(f->scratch, bool, p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < p->buffers.count; b++)
        if (p->buffers.at[b].part) f->has_parts[p->buffers.at[b].part->whole] = true;
    f->group_of = NEW_ARRAY(f->scratch, uint32_t, p->ops.count + 1);
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        const sched_group *group = &f->s->groups.at[g];
        if (group->kind != SCHED_KERNEL) f->group_of[group->extern_op] = g;
        for (uint32_t ph = 0; ph < group->phase_count; ph++)
            for (uint32_t i = 0; i < group->phases[ph].nest_count; i++)
                f->group_of[group->phases[ph].nests[i].op] = g;
    }
}

static int64_t bytes_of(const fitter *f, loop_buffer_id b)
{
    const loop_buffer *buffer = &f->p->buffers.at[b];
    int64_t elements = sym_hint(f->p->symbols, buffer->elements, SCHED_USUAL_SIZE);
    return elements > 0 ? elements * (int64_t)ty_dtype_size(buffer->dtype) : 0;
}

/* The op that makes all of b, once, before it is read; UINT32_MAX: there is none such. */
static uint32_t maker_of(const fitter *f, loop_buffer_id b)
{
    const use_list *uses = &f->uses.of[b];
    const loop_buffer *buffer = &f->p->buffers.at[b];
    if (buffer->kind != LOOP_TEMP || buffer->part || f->has_parts[b] || f->uses.leaves_region[b] ||
        f->uses.is_output[b] || !uses->count || !uses->at[0].is_write)
        return NEVER;
    for (uint32_t i = 1; i < uses->count; i++)
        if (uses->at[i].is_write) return NEVER;
    return uses->at[0].op;
}

/* ---- what an op costs ---- */

static double hint(const fitter *f, sym_expr e)
{
    return (double)sym_hint(f->p->symbols, e, SCHED_USUAL_SIZE);
}

/* Work for one element of an extern call's first output. */
static double work_of_call(const fitter *f, const loop_op *op)
{
    const char *kernel = op->kernel;
    const loop_view *a = &op->inputs[0], *b = &op->inputs[1];
    fe_session *s = f->p->session;
    double work = 1;
    if (kernel == intern(s, "gemm") || kernel == intern(s, "bmm"))
        return hint(f, a->sizes[a->rank - 1]);
    if (kernel == intern(s, "sdpa")) return 2 * hint(f, b->sizes[b->rank - 2]);
    for (uint32_t d = 1; kernel == intern(s, "conv") && d < b->rank; d++)
        work *= hint(f, b->sizes[d]);
    return work;
}

static double cost_of_op(const fitter *f, const loop_op *op)
{
    double points = 1, nodes = 0;
    if (op->kind == LOOP_EXTERN) {
        const loop_view *out = &op->outputs[0];
        for (uint32_t d = 0; d < out->rank; d++) points *= hint(f, out->sizes[d]);
        return points * work_of_call(f, op);
    }
    for (uint32_t k = 0; k < op->axes; k++) points *= hint(f, op->extents[k]);
    for (uint32_t k = 0; k < op->reduce_axes; k++) points *= hint(f, op->reduce_extents[k]);
    for (uint32_t i = 0; i < op->store_count; i++)
        nodes += loop_node_count(f->p, op->stores[i].value);
    return points * nodes;
}

/* Calls that give the same for the same operands and change nothing else. */
static const char *const pure_calls[] = {"copy", "gemm", "bmm", "conv", "sdpa"};

static bool may_be_repeated(const fitter *f, const loop_op *op)
{
    for (uint32_t i = 0; i < op->store_count; i++)
        if (op->stores[i].mode != LOOP_SET) return false;
    if (op->kind == LOOP_NEST) return op->store_count == 1 || !op->reduce_axes;
    for (uint32_t i = 0; i < COUNT_OF(pure_calls) && op->kind == LOOP_EXTERN; i++)
        if (op->kernel == intern(f->p->session, pure_calls[i])) return op->output_count == 1;
    return false;
}

/* ---- chains ---- */

typedef struct read_list {
    const loop_program *p;
    arena *memory;
    VEC(loop_buffer_id) all;
} read_list;

static void note_read(read_list *list, loop_buffer_id b)
{
    if (b == LOOP_NO_BUFFER) return;
    for (uint32_t i = 0; i < list->all.count; i++)
        if (list->all.at[i] == b) return;
    vec_push(list->memory, &list->all, b);
}

static void note_load(void *data, loop_value v)
{
    read_list *list = data;
    const loop_node *n = loop_at(list->p, v);
    if (n->op == LOOP_LOAD) note_read(list, n->buffer);
}

static read_list reads_of(const fitter *f, const loop_op *op)
{
    read_list list = {.p = f->p, .memory = f->scratch};
    for (uint32_t i = 0; i < op->store_count; i++)
        loop_each_store_node(f->p, &op->stores[i], note_load, &list);
    for (uint32_t i = 0; i < op->input_count; i++) note_read(&list, op->inputs[i].buffer);
    return list;
}

/* Does r hold, right before the chain's reader, what op read in it? */
static bool holds_still(const fitter *f, loop_buffer_id r, uint32_t op)
{
    const use_list *uses = &f->uses.of[r];
    for (uint32_t i = 0; i < uses->count; i++)
        if (uses->at[i].is_write &&
            (f->group_of[uses->at[i].op] > f->group_of[op] ||
             (f->group_of[uses->at[i].op] == f->group_of[op] && uses->at[i].op >= op)))
            return false;
    return true;
}

static bool is_there(const fitter *f, const chain *c, loop_buffer_id r)
{
    const loop_buffer *buffer = &f->p->buffers.at[r];
    if (buffer->kind != LOOP_TEMP || f->uses.is_output[r]) return true;
    return f->s->lives[r].in_arena && f->s->lives[r].death > c->before;
}

static bool add_maker(fitter *f, chain *c, loop_buffer_id b, uint32_t depth);

/* Makes sure of an operand: it is there, or is kept because it is small, or is made again too. */
static bool add_operand(fitter *f, chain *c, loop_buffer_id r, uint32_t op, uint32_t depth)
{
    const loop_buffer *buffer = &f->p->buffers.at[r];
    uint32_t ops = c->ops.count, reads = c->reads.count;
    double cost = c->cost;
    int64_t saved = c->saved, bytes = bytes_of(f, r);
    if (buffer->kind == LOOP_CONSTANT) return true;
    if (!holds_still(f, r, op)) return false;
    vec_push(f->scratch, &c->reads, r);
    if (is_there(f, c, r)) return true;
    if (buffer->part || f->has_parts[r] || f->uses.leaves_region[r]) return false;
    if (bytes > bytes_of(f, c->buffer) / SMALL_SHARE) {
        c->reads.count = reads;
        if (add_maker(f, c, r, depth + 1)) return true;
        c->ops.count = ops;
        c->reads.count = reads;
        c->cost = cost;
        c->saved = saved;
        vec_push(f->scratch, &c->reads, r);
    }
    c->saved -= bytes;
    return c->saved > 0;
}

static bool add_maker(fitter *f, chain *c, loop_buffer_id b, uint32_t depth)
{
    uint32_t op = maker_of(f, b);
    if (op == NEVER || depth > MOST_DEPTH) return false;
    for (uint32_t i = 0; i < c->ops.count; i++)
        if (c->ops.at[i] == op) return true;
    const loop_op *what = &f->p->ops.at[op];
    if (!may_be_repeated(f, what)) return false;
    read_list reads = reads_of(f, what);
    for (uint32_t i = 0; i < reads.all.count; i++)
        if (!add_operand(f, c, reads.all.at[i], op, depth)) return false;
    vec_push(f->scratch, &c->ops, op);
    c->cost += cost_of_op(f, what);
    return c->ops.count <= MOST_OPS;
}

/* Of a buffer that lives through group `when` and is next read in a later one. */
static bool chain_of(fitter *f, loop_buffer_id b, uint32_t when, chain *out)
{
    const sched_life *life = &f->s->lives[b];
    const use_list *uses = &f->uses.of[b];
    *out = (chain){.buffer = b, .before = NEVER, .saved = bytes_of(f, b)};
    if (!life->in_arena || life->birth >= when || life->death <= when + 1 || !out->saved ||
        map_get(&f->refused, b) != MAP_NONE)
        return false;
    for (uint32_t i = 0; i < uses->count; i++) {
        uint32_t group = f->group_of[uses->at[i].op];
        if (group == when) return false;
        if (group > when && group < out->before) out->before = group;
    }
    return out->before != NEVER && add_maker(f, out, b, 0);
}

static int by_worth(const void *a, const void *b)
{
    const chain *x = a, *y = b;
    double left = (double)x->saved * (y->cost + 1), right = (double)y->saved * (x->cost + 1);
    if (left != right) return left > right ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static bool reads_buffer(const chain *c, loop_buffer_id b)
{
    for (uint32_t i = 0; i < c->reads.count; i++)
        if (c->reads.at[i] == b) return true;
    return false;
}

/* Neither needs what the other one no longer keeps. */
static bool are_apart(const chain_list *chosen, const chain *c)
{
    for (uint32_t i = 0; i < chosen->count; i++)
        if (chosen->at[i].buffer == c->buffer || reads_buffer(&chosen->at[i], c->buffer) ||
            reads_buffer(c, chosen->at[i].buffer))
            return false;
    return true;
}

/* Adds the worthiest chains until little enough is in use in group `when`. */
static void choose_for(fitter *f, uint32_t when, int64_t left, chain_list *chosen)
{
    chain_list all = {0};
    for (uint32_t i = 0; i < chosen->count; i++) {
        const chain *c = &chosen->at[i];
        if (f->s->lives[c->buffer].birth < when && when < c->before) left -= c->saved;
    }
    for (loop_buffer_id b = 0; b < f->p->buffers.count && left > 0; b++) {
        chain c;
        if (chain_of(f, b, when, &c)) vec_push(f->scratch, &all, c);
    }
    if (all.count) qsort(all.at, all.count, sizeof *all.at, by_worth);
    for (uint32_t i = 0; i < all.count && left > 0; i++) {
        if (!are_apart(chosen, &all.at[i])) continue;
        vec_push(f->scratch, chosen, all.at[i]);
        left -= all.at[i].saved;
    }
}

/* For the group with most in use, or for all where that is too much, most first. */
static chain_list choose(fitter *f, bool everywhere)
{
    chain_list chosen = {0};
    bool *done = NEW_ARRAY(f->scratch, bool, f->now.steps + 1);
    for (uint32_t n = 0; n < (everywhere ? MOST_STEPS : 1); n++) {
        uint32_t when = UINT32_MAX;
        for (uint32_t t = 0; t < f->now.steps; t++)
            if (!done[t] && f->now.live[t] > f->goal &&
                (when == UINT32_MAX || f->now.live[t] > f->now.live[when]))
                when = t;
        if (when == UINT32_MAX) break;
        done[when] = true;
        choose_for(f, when, f->now.live[when] - f->goal, &chosen);
    }
    return chosen;
}

/* ---- the change ---- */

typedef struct rename {
    loop_buffer_id from, to;
} rename;
typedef struct rename_list {
    VEC(rename) all;
} rename_list;
typedef VEC(loop_op) op_list;

static loop_buffer_id copy_buffer(fitter *f, loop_buffer_id b)
{
    loop_buffer copy = f->p->buffers.at[b];
    copy.name = arena_printf(f->p->memory, "%s_again%u", copy.name, f->number);
    return loop_add_buffer(f->p, copy);
}

/* The op once more, into buffers of its own. */
static loop_op repeat(fitter *f, const loop_op *from, rename_list *names)
{
    arena *memory = f->p->memory;
    loop_op op = *from;
    uint32_t before = names->all.count;
    op.again = f->number;
    op.stores = arena_copy(memory, op.stores, op.store_count * sizeof *op.stores);
    op.inputs = arena_copy(memory, op.inputs, op.input_count * sizeof *op.inputs);
    op.outputs = arena_copy(memory, op.outputs, op.output_count * sizeof *op.outputs);
    for (uint32_t i = 0; i < before; i++)
        uses_rename_reads(f->p, &op, names->all.at[i].from, names->all.at[i].to);
    for (uint32_t i = 0; i < op.store_count; i++) {
        loop_buffer_id old = op.stores[i].buffer;
        op.stores[i].buffer = copy_buffer(f, old);
        vec_push(f->scratch, &names->all, ((rename){old, op.stores[i].buffer}));
    }
    for (uint32_t i = 0; i < op.output_count; i++) {
        loop_buffer_id old = op.outputs[i].buffer;
        op.outputs[i].buffer = copy_buffer(f, old);
        vec_push(f->scratch, &names->all, ((rename){old, op.outputs[i].buffer}));
    }
    return op;
}

/* Nests with several results store those alone that the chain has need of. */
static bool is_needed(const fitter *f, const chain *c, loop_buffer_id b)
{
    if (b == c->buffer) return true;
    for (uint32_t i = 0; i < c->ops.count; i++) {
        read_list reads = reads_of(f, &f->p->ops.at[c->ops.at[i]]);
        for (uint32_t k = 0; k < reads.all.count; k++)
            if (reads.all.at[k] == b) return true;
    }
    return false;
}

static loop_op needed_part(const fitter *f, const chain *c, const loop_op *op)
{
    loop_op part = *op;
    part.stores = arena_copy(f->scratch, op->stores, op->store_count * sizeof *op->stores);
    part.store_count = 0;
    for (uint32_t i = 0; i < op->store_count; i++)
        if (is_needed(f, c, op->stores[i].buffer)) part.stores[part.store_count++] = op->stores[i];
    return part;
}

/* Adds the chain's ops; those after it read what they make. */
static void add_chain(fitter *f, const chain *c, op_list *ops)
{
    rename_list names = {0};
    const use_list *uses = &f->uses.of[c->buffer];
    f->number++;
    for (uint32_t i = 0; i < c->ops.count; i++) {
        loop_op part = needed_part(f, c, &f->p->ops.at[c->ops.at[i]]);
        vec_push(f->scratch, ops, repeat(f, &part, &names));
    }
    loop_buffer_id made = NEVER;
    for (uint32_t i = 0; i < names.all.count; i++)
        if (names.all.at[i].from == c->buffer) made = names.all.at[i].to;
    for (uint32_t i = 0; i < uses->count; i++)
        if (f->group_of[uses->at[i].op] >= c->before)
            uses_rename_reads(f->p, &f->p->ops.at[uses->at[i].op], c->buffer, made);
}

/* The program in the schedule's order, each chain before the group that it is for. */
static void apply(fitter *f, const chain_list *chains)
{
    op_list ops = {0};
    uint32_t groups = f->s->groups.count, count = f->p->ops.count;
    uint32_t *end = NEW_ARRAY(f->scratch, uint32_t, groups + 1),
             *at = NEW_ARRAY(f->scratch, uint32_t, count + 1);
    for (uint32_t op = 0; op < count; op++) end[f->group_of[op] + 1]++;
    for (uint32_t g = 0; g < groups; g++) end[g + 1] += end[g];
    for (uint32_t op = 0; op < count; op++) at[end[f->group_of[op]]++] = op;
    for (uint32_t g = 0, i = 0; g < groups; g++) {
        for (uint32_t k = 0; k < chains->count; k++)
            if (chains->at[k].before == g) add_chain(f, &chains->at[k], &ops);
        for (; i < end[g]; i++) vec_push(f->scratch, &ops, f->p->ops.at[at[i]]);
    }
    f->p->ops.count = 0;
    for (uint32_t i = 0; i < ops.count; i++) vec_push(f->p->memory, &f->p->ops, ops.at[i]);
}

/* Does it with these chains; *kept: it helped, and stays. */
static fe_status try_chains(fitter *f, const chain_list *chains, bool *kept)
{
    program_snapshot before = snapshot_take(f->p, f->scratch);
    sched_schedule *s;
    fit made;
    f->tries--;
    apply(f, chains);
    FE_TRY(loop_check(f->p, "recompute"));
    FE_TRY(sched_make(f->p, f->target, f->memory, &s));
    FE_TRY(measure(f, s, &made));
    *kept = is_better(f, &made);
    if (!*kept) {
        snapshot_put_back(f->p, &before);
        return FE_OK;
    }
    f->s = s;
    f->now = made;
    return FE_OK;
}

/* All that were chosen, or else the first that helps alone. */
static fe_status change(fitter *f, bool *changed)
{
    *changed = false;
    look_at(f);
    chain_list chosen = choose(f, true);
    if (chosen.count > 1) FE_TRY(try_chains(f, &chosen, changed));
    if (*changed) return FE_OK;
    chosen = choose(f, false);
    if (chosen.count > 1 && f->tries) FE_TRY(try_chains(f, &chosen, changed));
    for (uint32_t i = 0; i < chosen.count && !*changed && f->tries; i++) {
        chain_list one = {&chosen.at[i], 1, 1};
        FE_TRY(try_chains(f, &one, changed));
        if (!*changed) map_set(f->scratch, &f->refused, chosen.at[i].buffer, 1);
    }
    *changed |= chosen.count > 0; /* others come next */
    return FE_OK;
}

/* What may be in use at once: the budget less what the plan loses between buffers. */
static int64_t allowed(const fitter *f)
{
    return f->target->memory_budget - (f->now.bytes - f->now.most);
}

/* A goal nearer to the peak when nothing leads to this one; false: it is there. */
static bool lower_sights(fitter *f)
{
    int64_t left = (f->now.most - f->goal) / 2;
    f->refused = (map){0};
    f->goal = f->now.most - left;
    return left >= PLAN_ALIGNMENT;
}

/* And nearer to the budget when something did. */
static void raise_sights(fitter *f)
{
    int64_t least = allowed(f), left = (f->goal - least) / 2;
    f->refused = (map){0};
    f->goal = least + (left < PLAN_ALIGNMENT ? 0 : left);
}

fe_status recompute_to_fit(loop_program *p, const sched_target *target, arena *memory,
                           sched_schedule **s)
{
    fitter f = {.p = p,
                .target = target,
                .memory = memory,
                .scratch = arena_new(p->session),
                .s = *s,
                .tries = MOST_TRIES};
    fe_status status = measure(&f, f.s, &f.now);
    f.goal = allowed(&f);
    while (status == FE_OK && f.tries && !fits(&f)) {
        int64_t most = f.now.most;
        bool changed;
        status = change(&f, &changed);
        if (f.now.most < most) raise_sights(&f);
        if (!changed && !lower_sights(&f)) break;
    }
    *s = f.s;
    arena_free(f.scratch);
    return status;
}
