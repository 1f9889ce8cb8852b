/* lend.c -- what lies in memory of the caller's: in that of inputs that he gives away, and in that of
 * outputs.
 *
 * Behind its last reader a donated input is a gap of memory of its size; a buffer that is born with that
 * reader, at the same indices, may take it over. An output's memory is such a gap until the output comes
 * to life. Where most of the arena is in use, the largest buffer that a gap holds moves there, until none
 * does: more would not make the arena smaller. Sizes may be symbols: then a buffer lies at the gap's
 * beginning, if it is known to be no larger.
 */
#include "sched/legal.h"

/* Buffers and groups that are looked at, over all moves: a program so large that this is not enough keeps
 * in the arena what lies there by then. */
enum { MOST_STEPS = 1 << 24 };

typedef struct lease {
    uint32_t birth, death;
    int64_t begin, end; /* bytes */
} lease;

typedef struct lender {
    loop_buffer_id id;
    uint32_t from,
        until;     /* groups between which its memory is free: behind an input's last reader, before
                             an output comes to life */
    int64_t bytes; /* INT64_MAX: a symbol decides */
    VEC(lease) leases;
} lender;

/* All buffers with one root. */
typedef struct tenant {
    uint32_t birth, death;
    int64_t bytes;        /* at hints */
    loop_buffer_id first; /* what is born alone, before all others, and may take memory over */
    /* in the arena: it is returned, not the host's, on its way elsewhere, late, or what an operator works
     * in, which begins at a line of the cache */
    bool stays;
} tenant;

typedef struct donation {
    sched_schedule *s;
    loop_program *p;
    arena *memory;
    VEC(lender) lenders;
    tenant *tenants; /* by root */
    int64_t *live;   /* bytes, by group */
} donation;

/* Where a tenant may move to. */
typedef struct room {
    lender *in;
    int64_t at;
    bool takes_over;
} room;

static sym_expr bytes_of(const donation *d, loop_buffer_id b)
{
    return lent_bytes(d->p, b, d->p->buffers.at[b].elements);
}

static int64_t up(int64_t bytes)
{
    return (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}

static void add_lender(donation *d, loop_buffer_id b, uint32_t from, uint32_t until)
{
    lender one = {.id = b, .from = from, .until = until, .bytes = INT64_MAX};
    sym_is_int(d->p->symbols, bytes_of(d, b), &one.bytes);
    if (from < until && from <= d->s->groups.count) vec_push(d->memory, &d->lenders, one);
}

/* From its birth on the output that begins in an input has its bytes. */
static void add_return(donation *d, loop_buffer_id output, uint32_t birth)
{
    lease made = {birth, NEVER, 0, INT64_MAX};
    sym_is_int(d->p->symbols, bytes_of(d, output), &made.end);
    for (uint32_t i = 0; i < d->lenders.count; i++)
        if (d->lenders.at[i].id == d->s->lives[output].else_in)
            vec_push(d->memory, &d->lenders.at[i].leases, made);
}

/* By root: where the first that lies in its memory comes to life. */
static uint32_t *first_births(const donation *d)
{
    uint32_t *first = NEW_ARRAY(d->memory, uint32_t, d->p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++) first[b] = NEVER;
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++) {
        const sched_life *life = &d->s->lives[b];
        if (life->birth < life->death && life->birth < first[life->root])
            first[life->root] = life->birth;
    }
    return first;
}

static bool is_of_host(const donation *d, loop_buffer_id b)
{
    return ty_is_host(d->p->buffers.at[b].device) && !d->p->buffers.at[b].pinned;
}

static void find_lenders(donation *d)
{
    const uint32_t *first = first_births(d);
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++) {
        const loop_buffer *buffer = &d->p->buffers.at[b];
        const sched_life *life = &d->s->lives[b];
        if (buffer->donated && !sched_donation_fault(d->p, b)) add_lender(d, b, life->death, NEVER);
        if (buffer->kind == LOOP_TEMP && life->root == b && !life->in_arena && first[b] != NEVER &&
            life->else_in == LOOP_NO_BUFFER && is_of_host(d, b) && !lent_is_late(d->s, b) &&
            sched_output_covering(d->p, b) >= 0)
            add_lender(d, b, 0, first[b]);
    }
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++)
        if (d->s->lives[b].else_in != LOOP_NO_BUFFER) add_return(d, b, first[b]);
}

/* Copies between devices may go on behind their line. */
static void keep_moved(donation *d)
{
    for (uint32_t k = 0; k < d->p->ops.count; k++) {
        const loop_op *op = &d->p->ops.at[k];
        if (op->kind != LOOP_EXTERN || !loop_moves(d->p, op)) continue;
        d->tenants[d->s->lives[op->inputs[0].buffer].root].stays = true;
        d->tenants[d->s->lives[op->outputs[0].buffer].root].stays = true;
    }
}

static void find_tenants(donation *d)
{
    d->tenants = NEW_ARRAY(d->memory, tenant, d->p->buffers.count + 1);
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++) {
        const sched_life *life = &d->s->lives[b];
        tenant *t = &d->tenants[life->root];
        if (!life->in_arena) continue;
        if (life->root == b) t->bytes = sym_usual(d->p->symbols, bytes_of(d, b));
        t->stays |= life->death > d->s->groups.count || !is_of_host(d, b) ||
                    lent_is_late(d->s, b) || d->p->buffers.at[b].is_work;
        if (life->birth == life->death) continue;
        if (t->death > 0 && life->birth == t->birth) t->first = LOOP_NO_BUFFER;
        if (t->death == 0 || life->birth < t->birth) {
            t->birth = life->birth;
            t->first = b;
        }
        if (life->death > t->death) t->death = life->death;
    }
    keep_moved(d);
}

/* ---- room ---- */

static bool is_free(const lender *l, const tenant *t, int64_t begin, int64_t end)
{
    for (uint32_t i = 0; i < l->leases.count; i++) {
        const lease *other = &l->leases.at[i];
        if (t->birth < other->death && other->birth < t->death && begin < other->end &&
            other->begin < end)
            return false;
    }
    return true;
}

/* Does it fit behind `begin`, in time too? *end: where it ends; a symbol's end is that of all. */
static bool fits(donation *d, const lender *l, loop_buffer_id root, int64_t begin, int64_t *end)
{
    sym_table *t = d->p->symbols;
    sym_expr bytes = bytes_of(d, root);
    int64_t size;
    *end = INT64_MAX;
    if (sym_is_int(t, bytes, &size) && size > INT64_MAX / 2 - begin) return false;
    if (sym_is_int(t, bytes, &size))
        *end = begin + size;
    else if (begin != 0)
        return false;
    return sym_known_less_equal(t, sym_add_int(t, bytes, begin), bytes_of(d, l->id), NULL) &&
           is_free(l, &d->tenants[root], begin, *end);
}

static bool takes_over(donation *d, const lender *l, const tenant *t)
{
    return t->first != LOOP_NO_BUFFER && t->birth + 1 == l->from &&
           sym_is_none(d->s->lives[t->first].place) &&
           legal_reuse(d->p, &d->s->groups.at[t->birth], l->id, t->first);
}

static bool find_room(donation *d, lender *l, loop_buffer_id root, room *out)
{
    const tenant *t = &d->tenants[root];
    const loop_buffer *a = &d->p->buffers.at[root], *b = &d->p->buffers.at[l->id];
    int64_t end;
    if (ty_dtype_alignment(a->dtype) > ty_dtype_alignment(b->dtype) || t->birth + 1 < l->from ||
        t->death > l->until)
        return false;
    *out = (room){.in = l};
    if (t->birth < l->from) {
        out->takes_over = true;
        return takes_over(d, l, t) && fits(d, l, root, 0, &end);
    }
    if (fits(d, l, root, 0, &end)) return true;
    for (uint32_t i = 0; i < l->leases.count; i++) {
        out->at = l->leases.at[i].end;
        if (out->at >= l->bytes) continue;
        out->at = up(out->at);
        if (fits(d, l, root, out->at, &end)) return true;
    }
    return false;
}

/* In the smallest memory that holds it. */
static bool best_room(donation *d, loop_buffer_id root, room *out)
{
    bool found = false;
    room one;
    for (uint32_t i = 0; i < d->lenders.count; i++) {
        lender *l = &d->lenders.at[i];
        if ((found && l->bytes >= out->in->bytes) || !find_room(d, l, root, &one)) continue;
        *out = one;
        found = true;
    }
    return found;
}

/* ---- moving ---- */

static void add_takeover(donation *d, uint32_t group, loop_buffer_id from, loop_buffer_id to)
{
    sched_group *g = &d->s->groups.at[group];
    sched_reuse *takes = NEW_ARRAY(d->s->memory, sched_reuse, g->reuse_count + 1);
    for (uint32_t i = 0; i < g->reuse_count; i++) takes[i] = g->reuses[i];
    takes[g->reuse_count++] = (sched_reuse){from, to};
    g->reuses = takes;
}

static void move(donation *d, loop_buffer_id root, const room *to)
{
    tenant *t = &d->tenants[root];
    lease made = {t->birth, t->death, to->at, INT64_MAX};
    fits(d, to->in, root, to->at, &made.end);
    vec_push(d->memory, &to->in->leases, made);
    if (to->takes_over) add_takeover(d, t->birth, to->in->id, t->first);
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++) {
        sched_life *life = &d->s->lives[b];
        if (life->root != root || !life->in_arena) continue;
        sym_expr shift = sym_int(d->p->symbols, to->at / ty_dtype_size(d->p->buffers.at[b].dtype));
        life->root = to->in->id;
        life->in_arena = false;
        if (to->at)
            life->place =
                sym_is_none(life->place) ? shift : sym_add(d->p->symbols, life->place, shift);
    }
    t->stays = true;
    for (uint32_t g = t->birth; g < t->death; g++) d->live[g] -= up(t->bytes);
}

/* The largest that lives in this group and has room elsewhere; false when there is none. */
static bool move_from(donation *d, uint32_t group)
{
    loop_buffer_id best = LOOP_NO_BUFFER;
    room to, one;
    for (loop_buffer_id b = 0; b < d->p->buffers.count; b++) {
        const tenant *t = &d->tenants[b];
        if (t->stays || group < t->birth || group >= t->death || t->bytes <= 0) continue;
        if (best != LOOP_NO_BUFFER && t->bytes <= d->tenants[best].bytes) continue;
        if (!best_room(d, b, &one)) continue;
        best = b;
        to = one;
    }
    if (best != LOOP_NO_BUFFER) move(d, best, &to);
    return best != LOOP_NO_BUFFER;
}

/* Of groups where as much is in use, the one that is taken first: what is moved there takes room from
 * others, and which is better shows in the end. */
typedef enum lend_rule { LEND_FIRST, LEND_LAST } lend_rule;

/* Moves what it can; returns how much of the arena is in use then, at most. */
static int64_t lend_by(struct fuser *f, lend_rule rule)
{
    donation d = {.s = f->s, .p = f->p, .memory = f->memory};
    uint32_t worst = 0;
    find_lenders(&d);
    d.live = live_bytes(d.s, d.memory);
    if (d.s->groups.count == 0) return 0;
    if (d.lenders.count) find_tenants(&d);
    uint64_t steps = d.p->buffers.count + d.s->groups.count;
    for (uint32_t moves = 0;; moves++) {
        for (uint32_t g = 0; g < d.s->groups.count; g++)
            if (d.live[g] > d.live[worst] || (rule == LEND_LAST && d.live[g] == d.live[worst]))
                worst = g;
        if (!d.lenders.count || moves * steps >= MOST_STEPS || !move_from(&d, worst))
            return d.live[worst];
    }
}

/* What lending changes of a schedule. */
typedef struct lent_state {
    sched_life *lives;
    sched_group *groups; /* their takeovers */
} lent_state;

static lent_state remember(const struct fuser *f)
{
    const sched_schedule *s = f->s;
    return (lent_state){
        arena_copy(f->memory, s->lives, (f->p->buffers.count + 1) * sizeof *s->lives),
        arena_copy(f->memory, s->groups.at, s->groups.count * sizeof *s->groups.at)};
}

static void go_back(struct fuser *f, const lent_state *to)
{
    for (loop_buffer_id b = 0; b < f->p->buffers.count; b++) f->s->lives[b] = to->lives[b];
    for (uint32_t g = 0; g < f->s->groups.count; g++) {
        f->s->groups.at[g].reuses = to->groups[g].reuses;
        f->s->groups.at[g].reuse_count = to->groups[g].reuse_count;
    }
}

static int64_t lend(struct fuser *f)
{
    lent_state before = remember(f);
    int64_t first = lend_by(f, LEND_FIRST);
    lent_state lent = remember(f);
    go_back(f, &before);
    int64_t last = lend_by(f, LEND_LAST);
    if (last < first) return last;
    go_back(f, &lent);
    return first;
}

/* Outputs lie in donated inputs unless the arena grows by as much. */
void use_lent(struct fuser *f)
{
    if (sched_is_cut(f->p)) return;
    arena_mark_t mark = arena_mark(f->memory);
    lent_state before = remember(f);
    int64_t saved = return_in_donated(f), with = lend(f);
    if (saved > 0) {
        lent_state returned = remember(f);
        go_back(f, &before);
        if (with - lend(f) < saved) go_back(f, &returned);
    }
    arena_release(f->memory, mark);
}
