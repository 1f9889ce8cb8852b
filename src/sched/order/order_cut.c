/* order_cut.c -- what no order is below, by minimum cuts.
 *
 * When a node runs, the nodes that have run are a set that is closed under predecessors, with all of
 * this node's in it and none that come behind it. A buffer is in use if one of its users is in the set
 * and another is not. So what is in use then is at least the least such cut: of a network with a vertex
 * for each node, a pipe without limit from each to its predecessors, and for each buffer one of its
 * size from those that have used it to those that will.
 */
#include "sched/order/order_priv.h"

#include <string.h>

#define NO_LIMIT (INT64_MAX / 4)
#define NONE UINT32_MAX
enum { SOURCE, SINK, FIRST_NODE };

typedef struct pipe {
    uint32_t to, next; /* the one back is the neighbour: index ^ 1 */
    int64_t room;
} pipe;
typedef struct network {
    VEC(pipe) pipes;
    uint32_t count;                 /* vertices */
    uint32_t *first, *level, *next; /* by vertex: pipes; steps from the source; to look at */
    uint32_t *path, *queue;
    uint64_t *work;
    arena *memory;
} network;

static void add_pipe(network *n, uint32_t from, uint32_t to, int64_t room)
{
    vec_push(n->memory, &n->pipes, ((pipe){to, n->first[from], room}));
    n->first[from] = n->pipes.count - 1;
    vec_push(n->memory, &n->pipes, ((pipe){from, n->first[to], 0}));
    n->first[to] = n->pipes.count - 1;
}

/* ---- the most that flows from the source to the sink (Dinic) ---- */

static bool find_levels(network *n)
{
    uint32_t count = 0;
    memset(n->level, 0xff, n->count * sizeof *n->level);
    n->queue[count++] = SOURCE;
    n->level[SOURCE] = 0;
    for (uint32_t i = 0; i < count && n->level[SINK] == NONE; i++)
        for (uint32_t k = n->first[n->queue[i]]; k != NONE; k = n->pipes.at[k].next) {
            const pipe *p = &n->pipes.at[k];
            if (*n->work) --*n->work;
            if (!p->room || n->level[p->to] != NONE) continue;
            n->level[p->to] = n->level[n->queue[i]] + 1;
            n->queue[count++] = p->to;
        }
    return n->level[SINK] != NONE;
}

static uint32_t end_of_path(const network *n, uint32_t length)
{
    return length ? n->pipes.at[n->path[length - 1]].to : SOURCE;
}

/* Fills the path; what fits through it. Returns how much of the path is still open. */
static uint32_t push(network *n, uint32_t length, int64_t *flow)
{
    int64_t least = NO_LIMIT;
    uint32_t open = 0;
    for (uint32_t i = 0; i < length; i++)
        if (n->pipes.at[n->path[i]].room < least) least = n->pipes.at[n->path[i]].room;
    for (uint32_t i = length; i-- > 0;) {
        n->pipes.at[n->path[i]].room -= least;
        n->pipes.at[n->path[i] ^ 1].room += least;
        if (!n->pipes.at[n->path[i]].room) open = i;
    }
    *flow += least;
    return open;
}

static int64_t flow_through_levels(network *n)
{
    int64_t flow = 0;
    uint32_t length = 0;
    memcpy(n->next, n->first, n->count * sizeof *n->next);
    while (*n->work) {
        uint32_t at = end_of_path(n, length);
        if (at == SINK) {
            length = push(n, length, &flow);
            continue;
        }
        while (n->next[at] != NONE) {
            const pipe *p = &n->pipes.at[n->next[at]];
            if (*n->work) --*n->work;
            if (p->room && n->level[p->to] == n->level[at] + 1) break;
            n->next[at] = p->next;
        }
        if (n->next[at] != NONE) {
            n->path[length++] = n->next[at];
        } else {
            if (at == SOURCE) break;
            uint32_t back = end_of_path(n, --length);
            n->next[back] = n->pipes.at[n->next[back]].next;
        }
    }
    return flow;
}

static int64_t most_flow(network *n)
{
    int64_t flow = 0;
    while (*n->work && find_levels(n)) flow += flow_through_levels(n);
    return flow;
}

/* ---- the network of a node ---- */

typedef enum side { OPEN, DONE, LATER } side;

typedef struct cutter {
    const stretch *s;
    uint32_t node;
    side *sides;  /* by node */
    bool *is_own; /* by buffer: the node uses it */
    int64_t sum;  /* what is in use in any case */
    network n;
} cutter;

/* Whether all, or any, of the buffer's users but the node are on this side. */
static bool any_on(const cutter *c, const local_buffer *b, side where)
{
    for (uint32_t k = 0; k < b->user_count; k++) {
        uint32_t user = c->s->users[b->first_user + k];
        if (user != c->node && c->sides[user] == where) return true;
    }
    return false;
}

/* Pipes from the buffer's open users, or from the source: room if any of them has run, and later others
 * have not. */
static void add_buffer(cutter *c, const local_buffer *b)
{
    bool born = b->born || any_on(c, b, DONE), stays = b->outlives || any_on(c, b, LATER);
    network *n = &c->n;
    if (born && stays) {
        c->sum += b->bytes;
        return;
    }
    if (!any_on(c, b, OPEN) || !b->bytes) return;
    uint32_t from = born ? SOURCE : n->count++, to = stays ? SINK : n->count++;
    n->first[from] = born ? n->first[from] : NONE;
    n->first[to] = stays ? n->first[to] : NONE;
    add_pipe(n, from, to, b->bytes);
    for (uint32_t k = 0; k < b->user_count; k++) {
        uint32_t user = c->s->users[b->first_user + k];
        if (c->sides[user] != OPEN) continue;
        if (!born) add_pipe(n, FIRST_NODE + user, from, NO_LIMIT);
        if (!stays) add_pipe(n, to, FIRST_NODE + user, NO_LIMIT);
    }
}

/* Room for a value is needed unless the one buffer that could leave its own has no reader left. */
static void add_take(cutter *c, order_reuse take)
{
    const local_buffer *from = &c->s->buffers[take.from];
    network *n = &c->n;
    uint32_t value = n->count++;
    n->first[value] = NONE;
    add_pipe(n, SOURCE, value, from->bytes);
    for (uint32_t k = 0; k < from->user_count; k++) {
        uint32_t user = c->s->users[from->first_user + k];
        if (c->sides[user] == OPEN) add_pipe(n, value, FIRST_NODE + user, NO_LIMIT);
    }
}

static bool is_possible(const cutter *c, order_reuse take)
{
    const local_buffer *from = &c->s->buffers[take.from], *to = &c->s->buffers[take.to];
    return !from->outlives && !any_on(c, from, LATER) && !to->born && !any_on(c, to, DONE) &&
           (from->born || any_on(c, from, DONE) || any_on(c, from, OPEN));
}

static void add_own(cutter *c)
{
    const stretch *s = c->s;
    uint32_t first = s->first_use[c->node], end = s->first_use[c->node + 1], count = 0;
    order_reuse *takes = NEW_ARRAY(c->n.memory, order_reuse,
                                   s->first_reuse[c->node + 1] - s->first_reuse[c->node] + 1);
    int64_t *bytes =
        NEW_ARRAY(c->n.memory, int64_t, s->first_reuse[c->node + 1] - s->first_reuse[c->node] + 1);
    for (uint32_t k = first; k < end; k++) c->sum += s->buffers[s->uses[k]].bytes;
    for (uint32_t k = s->first_reuse[c->node]; k < s->first_reuse[c->node + 1]; k++) {
        if (!is_possible(c, s->reuses[k])) continue;
        bytes[count] = s->buffers[s->reuses[k].to].bytes;
        takes[count++] = s->reuses[k];
    }
    c->sum -= order_most_taken(takes, bytes, count, c->n.memory);
    for (uint32_t i = 0; i < count; i++) {
        bool alone = true;
        for (uint32_t k = 0; k < count; k++)
            alone &= k == i || (takes[k].from != takes[i].from && takes[k].to != takes[i].to);
        if (alone && any_on(c, &s->buffers[takes[i].from], OPEN)) add_take(c, takes[i]);
    }
}

static void add_edges(cutter *c)
{
    const stretch *s = c->s;
    for (uint32_t u = 0; u < s->count; u++)
        for (uint32_t k = s->first_after[u]; k < s->first_after[u + 1] && c->sides[u] == OPEN; k++)
            if (c->sides[s->after[k]] == OPEN)
                add_pipe(&c->n, FIRST_NODE + s->after[k], FIRST_NODE + u, NO_LIMIT);
}

/* Nodes have smaller numbers than those behind them. */
static void find_sides(cutter *c)
{
    const stretch *s = c->s;
    c->sides = NEW_ARRAY(c->n.memory, side, s->count + 1);
    c->sides[c->node] = LATER;
    for (uint32_t u = c->node; u < s->count; u++)
        for (uint32_t k = s->first_after[u]; k < s->first_after[u + 1]; k++)
            if (c->sides[u] == LATER) c->sides[s->after[k]] = LATER;
    for (uint32_t u = c->node; u-- > 0;)
        for (uint32_t k = s->first_after[u]; k < s->first_after[u + 1]; k++)
            if (s->after[k] == c->node || c->sides[s->after[k]] == DONE) c->sides[u] = DONE;
}

int64_t order_cut(const stretch *s, uint32_t node, uint64_t *work, arena *scratch)
{
    arena_mark_t mark = arena_mark(scratch);
    uint32_t buffers = s->buffer_count,
             most = FIRST_NODE + s->count + 2 * buffers + s->buffer_count;
    cutter c = {.s = s, .node = node, .sum = s->base};
    c.n = (network){.count = FIRST_NODE + s->count, .work = work, .memory = scratch};
    c.n.first = NEW_ARRAY(scratch, uint32_t, most);
    c.n.level = NEW_ARRAY(scratch, uint32_t, most);
    c.n.next = NEW_ARRAY(scratch, uint32_t, most);
    c.n.path = NEW_ARRAY(scratch, uint32_t, most);
    c.n.queue = NEW_ARRAY(scratch, uint32_t, most);
    c.is_own = NEW_ARRAY(scratch, bool, buffers + 1);
    memset(c.n.first, 0xff, c.n.count * sizeof *c.n.first);
    find_sides(&c);
    for (uint32_t k = s->first_use[node]; k < s->first_use[node + 1]; k++)
        c.is_own[s->uses[k]] = true;
    for (uint32_t b = 0; b < buffers; b++) {
        if (s->buffers[b].born) c.sum -= s->buffers[b].bytes; /* is in the base, and found again */
        if (!c.is_own[b]) add_buffer(&c, &s->buffers[b]);
    }
    add_own(&c);
    add_edges(&c);
    int64_t least = c.sum + most_flow(&c.n);
    arena_release(scratch, mark);
    return least;
}
