/* order_beam.c -- a stretch of an order searched for a lower peak.
 *
 * Breadth first over sets of nodes that have run: how a set was reached does not matter but for the
 * peak on the way, so of all ways the one with the lowest peak is kept (Zobrist hashes tell sets
 * apart). After each step only the most promising sets go on. A node that frees at least what it
 * takes, and fits under the peak so far (or under the floor), is run at once: it can wait for nothing
 * better. A set whose peak reaches the limit is dropped. With a floor just under the limit only what
 * is in use after each step counts, and the question is whether there is any such order.
 */
#include "sched/order_priv.h"

#include <stdlib.h>
#include <string.h>

/* The stretch as a problem of its own. */
typedef struct local_buffer {
    int64_t bytes;
    uint32_t first_user, user_count; /* in users */
    bool born;                       /* before the stretch */
    bool outlives;
} local_buffer;

typedef struct stretch {
    const beam_window *w;
    uint32_t count, words; /* nodes; words of a set */
    uint32_t *first_after, *after;
    uint32_t *before_count;
    uint64_t *before; /* sets, one a node */
    uint32_t *first_use, *uses;
    uint32_t *first_take;
    order_take *takes;
    local_buffer *buffers;
    uint32_t *users;
    uint64_t *key;        /* Zobrist */
    uint32_t *stamp, now; /* by local buffer: handed on in the evaluation at hand */
    int64_t base;         /* in use when the stretch begins */
} stretch;

/* A set of nodes that have run, and how it was reached. */
typedef struct place {
    int64_t live, peak;
    uint64_t hash;
    uint32_t parent, node; /* index in the level before */
    uint64_t *done, *ready;
} place;

typedef struct step {
    uint32_t parent, node;
} step;

/* ---- the stretch ---- */

static uint32_t local_buffer_of(stretch *s, map *known, uint32_t b, const uint32_t *position,
                                arena *memory, uint32_t *count, uint32_t *user_total)
{
    uint32_t found = map_get(known, b);
    const order_problem *p = s->w->p;
    if (found != MAP_NONE) return found;
    local_buffer made = {.bytes = p->bytes[b], .outlives = p->stays[b], .first_user = *user_total};
    for (uint32_t k = p->users.first[b]; k < p->users.first[b + 1]; k++) {
        uint32_t at = position[p->users.at[k]];
        made.born |= at < s->w->low;
        made.outlives |= at >= s->w->high;
        if (at >= s->w->low && at < s->w->high) s->users[(*user_total)++] = at - s->w->low;
    }
    made.user_count = *user_total - made.first_user;
    s->buffers[*count] = made;
    map_set(memory, known, b, *count);
    return (*count)++;
}

static void local_uses(stretch *s, const uint32_t *position, arena *memory)
{
    const order_problem *p = s->w->p;
    map known = {0};
    uint32_t uses = 0, takes = 0, buffers = 0, users = 0, most_users = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = s->w->order[s->w->low + i];
        uses += p->uses.first[node + 1] - p->uses.first[node];
        takes += p->first_take[node + 1] - p->first_take[node];
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++) most_users++;
    }
    s->first_use = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->uses = NEW_ARRAY(memory, uint32_t, uses + 1);
    s->first_take = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->takes = NEW_ARRAY(memory, order_take, takes + 1);
    s->buffers = NEW_ARRAY(memory, local_buffer, uses + 1);
    s->users = NEW_ARRAY(memory, uint32_t, most_users + 1);
    uses = takes = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = s->w->order[s->w->low + i];
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
            s->uses[uses++] =
                local_buffer_of(s, &known, p->uses.at[k], position, memory, &buffers, &users);
        for (uint32_t k = p->first_take[node]; k < p->first_take[node + 1]; k++)
            s->takes[takes++] =
                (order_take){map_get(&known, p->takes[k].from), map_get(&known, p->takes[k].to)};
        s->first_use[i + 1] = uses;
        s->first_take[i + 1] = takes;
    }
    s->stamp = NEW_ARRAY(memory, uint32_t, buffers + 1);
}

static void local_edges(stretch *s, const uint32_t *position, arena *memory)
{
    const order_problem *p = s->w->p;
    uint32_t edges = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = s->w->order[s->w->low + i];
        edges += p->after.first[node + 1] - p->after.first[node];
    }
    s->first_after = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->after = NEW_ARRAY(memory, uint32_t, edges + 1);
    s->before_count = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->before = NEW_ARRAY(memory, uint64_t, (size_t)s->count * s->words);
    edges = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = s->w->order[s->w->low + i];
        for (uint32_t k = p->after.first[node]; k < p->after.first[node + 1]; k++) {
            uint32_t at = position[p->after.at[k]] - s->w->low;
            if (at >= s->count) continue;
            s->after[edges++] = at;
            s->before_count[at]++;
            s->before[(size_t)at * s->words + i / 64] |= 1ull << (i % 64);
        }
        s->first_after[i + 1] = edges;
    }
}

/* A number with half its bits set, whatever x is (the finaliser of splitmix64). */
static uint64_t scattered(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void make_stretch(stretch *s, const beam_window *w, arena *memory)
{
    const order_problem *p = w->p;
    uint32_t *position = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    *s = (stretch){.w = w, .count = w->high - w->low};
    s->words = (s->count + 63) / 64;
    for (uint32_t i = 0; i < p->node_count; i++) position[w->order[i]] = i;
    local_uses(s, position, memory);
    local_edges(s, position, memory);
    s->key = NEW_ARRAY(memory, uint64_t, s->count + 1);
    for (uint32_t i = 0; i < s->count; i++) s->key[i] = scattered(i + 1);
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        bool before = false, later = p->stays[b];
        for (uint32_t k = p->users.first[b]; k < p->users.first[b + 1]; k++) {
            before |= position[p->users.at[k]] < w->low;
            later |= position[p->users.at[k]] >= w->low;
        }
        if (before && later) s->base += p->bytes[b];
    }
}

/* ---- one node ---- */

static bool has(const uint64_t *set, uint32_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static bool is_fresh(const stretch *s, const uint64_t *done, const local_buffer *b)
{
    bool used = b->born;
    for (uint32_t k = 0; k < b->user_count && !used; k++)
        used = has(done, s->users[b->first_user + k]);
    return !used;
}

/* Is the node the last of the buffer's users? */
static bool ends(const stretch *s, const uint64_t *done, const local_buffer *b, uint32_t node)
{
    if (b->outlives) return false;
    for (uint32_t k = 0; k < b->user_count; k++) {
        uint32_t user = s->users[b->first_user + k];
        if (user != node && !has(done, user)) return false;
    }
    return true;
}

/* What is in use while the node runs, and after it. */
static void run_node(stretch *s, const place *at, uint32_t node, int64_t *during, int64_t *after)
{
    int64_t taken = 0, freed = 0;
    for (uint32_t k = s->first_use[node]; k < s->first_use[node + 1]; k++) {
        const local_buffer *b = &s->buffers[s->uses[k]];
        if (is_fresh(s, at->done, b)) taken += b->bytes;
        if (ends(s, at->done, b, node)) freed += b->bytes;
    }
    s->now++;
    for (uint32_t k = s->first_take[node]; k < s->first_take[node + 1]; k++) {
        order_take take = s->takes[k];
        const local_buffer *from = &s->buffers[take.from], *to = &s->buffers[take.to];
        if (s->stamp[take.from] == s->now || s->stamp[take.to] == s->now ||
            !ends(s, at->done, from, node) || is_fresh(s, at->done, from) ||
            !is_fresh(s, at->done, to))
            continue;
        s->stamp[take.from] = s->stamp[take.to] = s->now;
        taken -= to->bytes;
        freed -= from->bytes;
    }
    *during = at->live + taken;
    *after = *during - freed;
}

/* ---- levels ---- */

typedef VEC(place) place_list;
typedef VEC(step) step_list;

typedef struct beam {
    stretch s;
    place_list now, next;
    step_list *levels; /* how each place of a level was reached */
    map seen;          /* hash -> index in next; in `level_memory` */
    arena *level_memory;
    bool complete;
    arena *memory;
} beam;

static int64_t counted(const beam *b, int64_t peak)
{
    return peak > b->s.w->floor ? peak : b->s.w->floor;
}

static void add_place(beam *b, uint32_t parent, uint32_t node, int64_t during, int64_t after)
{
    const place *from = &b->now.at[parent];
    int64_t peak = during > from->peak ? during : from->peak;
    if (counted(b, peak) >= b->s.w->limit) return;
    uint64_t hash = from->hash ^ b->s.key[node];
    uint32_t known = map_get(&b->seen, hash);
    place made = {.live = after, .peak = peak, .hash = hash, .parent = parent, .node = node};
    if (known != MAP_NONE) {
        if (peak < b->next.at[known].peak) b->next.at[known] = made;
        return;
    }
    map_set(b->level_memory, &b->seen, hash, b->next.count);
    vec_push(b->memory, &b->next, made);
}

static void expand(beam *b, uint32_t index)
{
    const place *at = &b->now.at[index];
    stretch *s = &b->s;
    int64_t during, after;
    for (uint32_t word = 0; word < s->words; word++)
        for (uint64_t left = at->ready[word]; left; left &= left - 1) {
            uint32_t node = word * 64 + (uint32_t)__builtin_ctzll(left);
            run_node(s, at, node, &during, &after);
            if (*s->w->work) --*s->w->work;
            if (after <= at->live && during <= counted(b, at->peak)) {
                add_place(b, index, node, during, after);
                return; /* nothing is better than this: what else is ready can wait */
            }
        }
    for (uint32_t word = 0; word < s->words; word++)
        for (uint64_t left = at->ready[word]; left; left &= left - 1) {
            uint32_t node = word * 64 + (uint32_t)__builtin_ctzll(left);
            run_node(s, at, node, &during, &after);
            add_place(b, index, node, during, after);
        }
}

static int by_promise(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->peak != y->peak) return x->peak < y->peak ? -1 : 1;
    if (x->live != y->live) return x->live < y->live ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1; /* as the order had it */
    return x->parent < y->parent ? -1 : x->parent > y->parent;
}

/* Keeps the best of the next level and gives them their sets. */
static void settle(beam *b, uint32_t level, uint64_t *sets)
{
    stretch *s = &b->s;
    for (uint32_t i = 0; i < b->next.count; i++)
        b->next.at[i].peak = counted(b, b->next.at[i].peak);
    if (b->next.count > 1) qsort(b->next.at, b->next.count, sizeof *b->next.at, by_promise);
    if (b->next.count > s->w->width) {
        b->next.count = s->w->width;
        b->complete = false;
    }
    for (uint32_t i = 0; i < b->next.count; i++) {
        place *at = &b->next.at[i];
        const place *from = &b->now.at[at->parent];
        at->done = sets + (size_t)i * 2 * s->words;
        at->ready = at->done + s->words;
        memcpy(at->done, from->done, s->words * sizeof *at->done);
        memcpy(at->ready, from->ready, s->words * sizeof *at->ready);
        at->done[at->node / 64] |= 1ull << (at->node % 64);
        at->ready[at->node / 64] &= ~(1ull << (at->node % 64));
        for (uint32_t k = s->first_after[at->node]; k < s->first_after[at->node + 1]; k++) {
            uint32_t node = s->after[k];
            const uint64_t *before = s->before + (size_t)node * s->words;
            bool is_ready = true;
            for (uint32_t word = 0; word < s->words && is_ready; word++)
                is_ready = !(before[word] & ~at->done[word]);
            if (is_ready) at->ready[node / 64] |= 1ull << (node % 64);
        }
        vec_push(b->memory, &b->levels[level], ((step){at->parent, at->node}));
    }
}

static void begin(beam *b, uint64_t *sets)
{
    stretch *s = &b->s;
    place start = {.live = s->base, .peak = s->base, .done = sets, .ready = sets + s->words};
    memset(sets, 0, 2 * s->words * sizeof *sets);
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->before_count[i]) start.ready[i / 64] |= 1ull << (i % 64);
    vec_push(b->memory, &b->now, start);
}

static void trace(const beam *b, beam_result *out, arena *memory)
{
    uint32_t at = 0;
    out->order = NEW_ARRAY(memory, uint32_t, b->s.count);
    for (uint32_t level = b->s.count; level-- > 0;) {
        step taken = b->levels[level].at[at];
        out->order[level] = b->s.w->order[b->s.w->low + taken.node];
        at = taken.parent;
    }
}

/* One node more in every set. False when there is no set left. */
static bool advance(beam *b, uint32_t level, uint64_t *sets)
{
    arena_mark_t mark = arena_mark(b->level_memory);
    b->seen = (map){0};
    b->next.count = 0;
    for (uint32_t i = 0; i < b->now.count; i++) expand(b, i);
    arena_release(b->level_memory, mark);
    if (!*b->s.w->work) b->complete = false;
    if (!*b->s.w->work || !b->next.count) return false;
    settle(b, level, sets);
    place_list done = b->now;
    b->now = b->next;
    b->next = done;
    return true;
}

static void search(beam *b, beam_result *out, arena *memory)
{
    stretch *s = &b->s;
    size_t words = (size_t)(s->w->width + 1) * 2 * s->words;
    uint64_t *sets[2] = {NEW_ARRAY(b->memory, uint64_t, words),
                         NEW_ARRAY(b->memory, uint64_t, words)};
    uint32_t level = 0;
    b->levels = NEW_ARRAY(b->memory, step_list, s->count + 1);
    begin(b, sets[0]);
    while (level < s->count && advance(b, level, sets[(level + 1) % 2])) level++;
    if (level < s->count) return;
    out->improved = true;
    out->peak = b->now.at[0].peak;
    trace(b, out, memory);
}

beam_result order_beam(const beam_window *w, arena *memory)
{
    beam_result out = {.complete = true};
    if (w->high - w->low < 2 || w->limit <= w->floor) return out;
    beam b = {.complete = true,
              .memory = arena_new(arena_session(memory)),
              .level_memory = arena_new(arena_session(memory))};
    make_stretch(&b.s, w, b.memory);
    search(&b, &out, memory);
    out.complete = b.complete;
    arena_free(b.level_memory);
    arena_free(b.memory);
    return out;
}
