/* order_beam.c -- a stretch of an order searched for a lower peak.
 *
 * Breadth first over sets of nodes that have run: how a set was reached does not matter but for the
 * peak on the way, so of all ways the one with the lowest peak is kept (Zobrist hashes tell sets
 * apart). After each step only the most promising sets go on. A node that frees at least what it
 * takes, alone or with those that it leads to one after another, and fits under the peak so far (or
 * under the floor), is run at once: it can wait for nothing better. A set whose peak reaches the limit
 * is dropped. With a floor just under the limit only what is in use after each step counts, and the
 * question is whether there is any such order.
 */
#include "sched/order/order_priv.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- levels ---- */

typedef VEC(place) place_list;
typedef VEC(step) step_list;

typedef struct beam {
    const beam_window *w;
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
    return peak > b->w->floor ? peak : b->w->floor;
}

static void add_place(beam *b, uint32_t parent, uint32_t node, int64_t during, int64_t after)
{
    const place *from = &b->now.at[parent];
    int64_t peak = during > from->peak ? during : from->peak;
    if (counted(b, peak) >= b->w->limit) return;
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

static bool is_ready(const stretch *s, const uint64_t *done, uint32_t node)
{
    const uint64_t *before = s->before + (size_t)node * s->words;
    for (uint32_t word = 0; word < s->words; word++)
        if (before[word] & ~done[word]) return false;
    return true;
}

/* Does the node, with others that it leads to one after another, free at least what it takes? `goal`: what
 * is in use before it; `most`: what may be on the way. */
static bool pays_back(beam *b, uint64_t *done, int64_t live, uint32_t node, int64_t goal,
                      int64_t most, uint32_t steps)
{
    stretch *s = &b->s;
    int64_t during, after;
    bool found = false;
    order_step(s, done, live, node, &during, &after);
    if (*b->w->work) --*b->w->work;
    if (during > most) return false;
    if (after <= goal || steps == 1) return after <= goal;
    done[node / 64] |= 1ull << (node % 64);
    for (uint32_t k = s->first_after[node]; k < s->first_after[node + 1] && !found; k++)
        found = is_ready(s, done, s->after[k]) &&
                pays_back(b, done, after, s->after[k], goal, most, steps - 1);
    done[node / 64] &= ~(1ull << (node % 64));
    return found;
}

/* Runs a node of the set if nothing is better than that: what else is ready can wait. */
static bool expand_surely(beam *b, uint32_t index, uint32_t steps)
{
    const place *at = &b->now.at[index];
    stretch *s = &b->s;
    int64_t during, after;
    for (uint32_t word = 0; word < s->words; word++)
        for (uint64_t left = at->ready[word]; left; left &= left - 1) {
            uint32_t node = word * 64 + (uint32_t)__builtin_ctzll(left);
            if (!pays_back(b, at->done, at->live, node, at->live, counted(b, at->peak), steps))
                continue;
            order_step(s, at->done, at->live, node, &during, &after);
            add_place(b, index, node, during, after);
            return true;
        }
    return false;
}

static void expand(beam *b, uint32_t index)
{
    const place *at = &b->now.at[index];
    stretch *s = &b->s;
    int64_t during, after;
    if (expand_surely(b, index, 1)) return;
    if (b->w->steps > 1 && expand_surely(b, index, b->w->steps)) return;
    for (uint32_t word = 0; word < s->words; word++)
        for (uint64_t left = at->ready[word]; left; left &= left - 1) {
            uint32_t node = word * 64 + (uint32_t)__builtin_ctzll(left);
            order_step(s, at->done, at->live, node, &during, &after);
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
    if (b->next.count > b->w->width) {
        b->next.count = b->w->width;
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
            if (is_ready(s, at->done, node)) at->ready[node / 64] |= 1ull << (node % 64);
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
        if (b->w->backward)
            out->order[b->s.count - 1 - level] = b->w->order[b->w->high - 1 - taken.node];
        else
            out->order[level] = b->w->order[b->w->low + taken.node];
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
    if (!*b->w->work) b->complete = false;
    if (!*b->w->work || !b->next.count) return false;
    settle(b, level, sets);
    place_list done = b->now;
    b->now = b->next;
    b->next = done;
    return true;
}

static void search(beam *b, beam_result *out, arena *memory)
{
    stretch *s = &b->s;
    size_t words = (size_t)(b->w->width + 1) * 2 * s->words;
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
    beam b = {.w = w,
              .complete = true,
              .memory = arena_new(arena_session(memory)),
              .level_memory = arena_new(arena_session(memory))};
    order_stretch(&b.s, w->p, w->order, w->low, w->high, b.memory);
    if (w->backward) order_turn(&b.s, b.memory);
    search(&b, &out, memory);
    out.complete = b.complete;
    arena_free(b.level_memory);
    arena_free(b.memory);
    return out;
}
