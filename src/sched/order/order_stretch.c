/* order_stretch.c -- a stretch of an order as a problem of its own. */
#include "sched/order/order_priv.h"

#include <string.h>

/* Which nodes of which problem. */
typedef struct reach {
    const order_problem *p;
    const uint32_t *order, *position;
    uint32_t low, high;
} reach;

static uint32_t local_buffer_of(stretch *s, map *known, uint32_t b, const reach *w, arena *memory,
                                uint32_t *user_total)
{
    uint32_t found = map_get(known, b);
    const order_problem *p = w->p;
    if (found != MAP_NONE) return found;
    local_buffer made = {.bytes = p->bytes[b], .outlives = p->stays[b], .first_user = *user_total};
    for (uint32_t k = p->users.first[b]; k < p->users.first[b + 1]; k++) {
        uint32_t at = w->position[p->users.at[k]];
        made.born |= at < w->low;
        made.outlives |= at >= w->high;
        if (at >= w->low && at < w->high) s->users[(*user_total)++] = at - w->low;
    }
    made.user_count = *user_total - made.first_user;
    s->buffers[s->buffer_count] = made;
    map_set(memory, known, b, s->buffer_count);
    return s->buffer_count++;
}

static void local_uses(stretch *s, const reach *w, arena *memory)
{
    const order_problem *p = w->p;
    map known = {0};
    uint32_t uses = 0, takes = 0, users = 0, most_users = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = w->order[w->low + i];
        uses += p->uses.first[node + 1] - p->uses.first[node];
        takes += p->first_reuse[node + 1] - p->first_reuse[node];
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++) most_users++;
    }
    s->first_use = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->uses = NEW_ARRAY(memory, uint32_t, uses + 1);
    s->first_reuse = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->reuses = NEW_ARRAY(memory, order_reuse, takes + 1);
    s->buffers = NEW_ARRAY(memory, local_buffer, uses + 1);
    s->users = NEW_ARRAY(memory, uint32_t, most_users + 1);
    uses = takes = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = w->order[w->low + i];
        for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
            s->uses[uses++] = local_buffer_of(s, &known, p->uses.at[k], w, memory, &users);
        for (uint32_t k = p->first_reuse[node]; k < p->first_reuse[node + 1]; k++) {
            order_reuse take = {map_get(&known, p->reuses[k].from),
                                map_get(&known, p->reuses[k].to)};
            const local_buffer *from = &s->buffers[take.from];
            if (from->born || from->user_count > 1) s->reuses[takes++] = take;
        }
        s->first_use[i + 1] = uses;
        s->first_reuse[i + 1] = takes;
    }
    s->stamp = NEW_ARRAY(memory, uint32_t, s->buffer_count + 1);
}

static void local_edges(stretch *s, const reach *w, arena *memory)
{
    const order_problem *p = w->p;
    uint32_t edges = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = w->order[w->low + i];
        edges += p->after.first[node + 1] - p->after.first[node];
    }
    s->first_after = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->after = NEW_ARRAY(memory, uint32_t, edges + 1);
    s->before_count = NEW_ARRAY(memory, uint32_t, s->count + 1);
    s->before = NEW_ARRAY(memory, uint64_t, (size_t)s->count * s->words);
    edges = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t node = w->order[w->low + i];
        for (uint32_t k = p->after.first[node]; k < p->after.first[node + 1]; k++) {
            uint32_t at = w->position[p->after.at[k]] - w->low;
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

void order_stretch(stretch *s, const order_problem *p, const uint32_t *order, uint32_t low,
                   uint32_t high, arena *memory)
{
    uint32_t *position = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    const reach w = {p, order, position, low, high};
    *s = (stretch){.count = high - low, .words = (high - low + 63) / 64};
    for (uint32_t i = 0; i < p->node_count; i++) position[order[i]] = i;
    local_uses(s, &w, memory);
    local_edges(s, &w, memory);
    s->key = NEW_ARRAY(memory, uint64_t, s->count + 1);
    for (uint32_t i = 0; i < s->count; i++) s->key[i] = scattered(i + 1);
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        bool before = false, later = p->stays[b];
        for (uint32_t k = p->users.first[b]; k < p->users.first[b + 1]; k++) {
            before |= position[p->users.at[k]] < low;
            later |= position[p->users.at[k]] >= low;
        }
        if (before && later) s->base += p->bytes[b];
    }
}

/* ---- from its end ---- */

static void turn_edges(stretch *s, arena *memory)
{
    uint32_t *first = NEW_ARRAY(memory, uint32_t, s->count + 2),
             *after = NEW_ARRAY(memory, uint32_t, s->first_after[s->count] + 1);
    memset(s->before, 0, (size_t)s->count * s->words * sizeof *s->before);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t to = s->count - 1 - i;
        s->before_count[to] = s->first_after[i + 1] - s->first_after[i];
        for (uint32_t k = s->first_after[i]; k < s->first_after[i + 1]; k++) {
            uint32_t from = s->count - 1 - s->after[k];
            first[from + 2]++;
            s->before[(size_t)to * s->words + from / 64] |= 1ull << (from % 64);
        }
    }
    for (uint32_t i = 0; i < s->count; i++) first[i + 1] += first[i];
    for (uint32_t i = s->count; i-- > 0;)
        for (uint32_t k = s->first_after[i]; k < s->first_after[i + 1]; k++)
            after[first[s->count - s->after[k]]++] = s->count - 1 - i;
    s->first_after = first;
    s->after = after;
}

static void turn_uses(stretch *s, arena *memory)
{
    uint32_t *first_use = NEW_ARRAY(memory, uint32_t, s->count + 1),
             *uses = NEW_ARRAY(memory, uint32_t, s->first_use[s->count] + 1),
             *first_reuse = NEW_ARRAY(memory, uint32_t, s->count + 1);
    order_reuse *takes = NEW_ARRAY(memory, order_reuse, s->first_reuse[s->count] + 1);
    uint32_t use_count = 0, reuse_count = 0;
    for (uint32_t i = s->count; i-- > 0;) {
        for (uint32_t k = s->first_use[i]; k < s->first_use[i + 1]; k++)
            uses[use_count++] = s->uses[k];
        for (uint32_t k = s->first_reuse[i]; k < s->first_reuse[i + 1]; k++)
            takes[reuse_count++] = (order_reuse){s->reuses[k].to, s->reuses[k].from};
        first_use[s->count - i] = use_count;
        first_reuse[s->count - i] = reuse_count;
    }
    s->first_use = first_use;
    s->uses = uses;
    s->first_reuse = first_reuse;
    s->reuses = takes;
}

void order_turn(stretch *s, arena *memory)
{
    turn_edges(s, memory);
    turn_uses(s, memory);
    for (uint32_t i = 0; i < s->buffer_count; i++) {
        local_buffer *b = &s->buffers[i];
        if (b->born) s->base -= b->bytes;
        if (b->outlives) s->base += b->bytes;
        for (uint32_t k = 0; k < b->user_count; k++)
            s->users[b->first_user + k] = s->count - 1 - s->users[b->first_user + k];
        bool born = b->born;
        b->born = b->outlives;
        b->outlives = born;
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

void order_step(stretch *s, const uint64_t *done, int64_t live, uint32_t node, int64_t *during,
                int64_t *after)
{
    int64_t taken = 0, freed = 0;
    for (uint32_t k = s->first_use[node]; k < s->first_use[node + 1]; k++) {
        const local_buffer *b = &s->buffers[s->uses[k]];
        if (is_fresh(s, done, b)) taken += b->bytes;
        if (ends(s, done, b, node)) freed += b->bytes;
    }
    s->now++;
    for (uint32_t k = s->first_reuse[node]; k < s->first_reuse[node + 1]; k++) {
        order_reuse take = s->reuses[k];
        const local_buffer *from = &s->buffers[take.from], *to = &s->buffers[take.to];
        if (s->stamp[take.from] == s->now || s->stamp[take.to] == s->now ||
            !ends(s, done, from, node) || !is_fresh(s, done, to))
            continue;
        s->stamp[take.from] = s->stamp[take.to] = s->now;
        taken -= to->bytes;
        freed -= from->bytes;
    }
    *during = live + taken;
    *after = *during - freed;
}
