/* order_graphs.c -- ordering problems of several shapes. */
#include "order_graphs.h"

static uint32_t roll(maker *m, uint32_t sides)
{
    m->dice = m->dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(m->dice >> 33) % sides;
}

maker graph_maker(arena *memory, uint64_t seed)
{
    maker m = {.memory = memory, .dice = seed};
    vec_push(memory, &m.before_first, 0);
    vec_push(memory, &m.uses_first, 0);
    roll(&m, 2);
    return m;
}

/* A node that reads what these nodes made and makes `bytes` of its own. */
uint32_t graph_add(maker *m, int64_t bytes, const uint32_t *from, uint32_t count)
{
    uint32_t node = m->p.node_count++;
    vec_push(m->memory, &m->bytes, bytes);
    vec_push(m->memory, &m->made, m->p.buffer_count);
    for (uint32_t i = 0; i < count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++) again |= from[k] == from[i];
        if (again) continue;
        vec_push(m->memory, &m->before_at, from[i]);
        vec_push(m->memory, &m->uses_at, m->made.at[from[i]]);
    }
    vec_push(m->memory, &m->uses_at, m->p.buffer_count++);
    vec_push(m->memory, &m->before_first, m->before_at.count);
    vec_push(m->memory, &m->uses_first, m->uses_at.count);
    return node;
}

uint32_t graph_add1(maker *m, int64_t bytes, uint32_t a)
{
    return graph_add(m, bytes, &a, 1);
}

uint32_t graph_add2(maker *m, int64_t bytes, uint32_t a, uint32_t b)
{
    return graph_add(m, bytes, (uint32_t[]){a, b}, 2);
}

const order_problem *graph_finish(maker *m)
{
    order_problem *p = &m->p;
    p->before = (order_lists){m->before_first.at, m->before_at.at};
    p->uses = (order_lists){m->uses_first.at, m->uses_at.at};
    p->bytes = m->bytes.at;
    p->stays = NEW_ARRAY(m->memory, bool, p->buffer_count + 1);
    p->first_reuse = NEW_ARRAY(m->memory, uint32_t, p->node_count + 2);
    order_complete(p, m->memory);
    return p;
}

const order_problem *graph_random(maker *m, uint32_t nodes, uint32_t reach)
{
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t from[3], count = i ? roll(m, 3) + (i > 1) : 0;
        if (count > 3) count = 3;
        for (uint32_t k = 0; k < count; k++) from[k] = i - 1 - roll(m, i < reach ? i : reach);
        graph_add(m, 1 + roll(m, 100), from, count);
    }
    return graph_finish(m);
}

/* A buffer that nodes make, read, change and read again. */
typedef struct state {
    uint32_t writer;
    id_list readers; /* since then */
} state;

static void need(maker *m, uint32_t first, uint32_t node)
{
    for (uint32_t i = first; i < m->before_at.count; i++)
        if (m->before_at.at[i] == node) return;
    vec_push(m->memory, &m->before_at, node);
}

/* Memory may be handed on wherever the sizes are equal. */
static void add_takes(maker *m, uint32_t node)
{
    VEC(order_reuse) takes = {m->p.reuses, m->p.first_reuse[node], m->p.first_reuse[node]};
    for (uint32_t k = m->uses_first.at[node]; k < m->uses_at.count; k++)
        for (uint32_t l = m->uses_first.at[node]; l < m->uses_at.count; l++) {
            order_reuse t = {m->uses_at.at[k], m->uses_at.at[l]};
            bool is_new = m->made.at[t.to] == node && m->made.at[t.from] != node;
            if (is_new && m->bytes.at[t.from] == m->bytes.at[t.to] && roll(m, 3))
                vec_push(m->memory, &takes, t);
        }
    m->p.reuses = takes.at;
    m->p.first_reuse[node + 1] = takes.count;
}

/* Values that are changed in place, memory that is handed on, outputs that stay, nodes that make two
 * buffers or none. */
const order_problem *graph_program(maker *m, uint32_t nodes)
{
    VEC(state) states = {0};
    uint32_t *first_reuse = NEW_ARRAY(m->memory, uint32_t, nodes + 2);
    m->p.first_reuse = first_reuse;
    for (uint32_t node = m->p.node_count++; node < nodes; node = m->p.node_count++) {
        uint32_t first = m->before_at.count, reads = states.count ? roll(m, 4) : 0,
                 made = roll(m, 5);
        for (; reads; reads--) {
            uint32_t at = roll(m, states.count);
            bool again = false, writes = !roll(m, 4);
            for (uint32_t k = m->uses_first.at[node]; k < m->uses_at.count; k++)
                again |= m->uses_at.at[k] == at;
            if (again) continue;
            vec_push(m->memory, &m->uses_at, at);
            need(m, first, states.at[at].writer);
            for (uint32_t k = 0; writes && k < states.at[at].readers.count; k++)
                need(m, first, states.at[at].readers.at[k]);
            if (writes)
                states.at[at] = (state){.writer = node};
            else
                vec_push(m->memory, &states.at[at].readers, node);
        }
        for (made = made > 2 ? 1 : made; made; made--) {
            vec_push(m->memory, &m->uses_at, m->p.buffer_count++);
            vec_push(m->memory, &m->bytes, 16 << roll(m, 3));
            vec_push(m->memory, &m->made, node);
            vec_push(m->memory, &states, ((state){.writer = node}));
        }
        add_takes(m, node);
        vec_push(m->memory, &m->before_first, m->before_at.count);
        vec_push(m->memory, &m->uses_first, m->uses_at.count);
    }
    m->p.node_count = nodes;
    graph_finish(m);
    m->p.first_reuse = first_reuse;
    for (uint32_t b = 0; b < m->p.buffer_count; b++) m->p.stays[b] = !roll(m, 8);
    return &m->p;
}

/* Each value has one reader: every node joins the trees of some before it. */
const order_problem *graph_tree(maker *m, uint32_t nodes)
{
    id_list open = {0};
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t from[3], count = open.count ? roll(m, open.count < 3 ? open.count + 1 : 4) : 0;
        if (i + 1 == nodes) count = open.count < 3 ? open.count : 3;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t at = roll(m, open.count);
            from[k] = open.at[at];
            open.at[at] = vec_last(&open);
            open.count--;
        }
        uint32_t node = graph_add(m, 1 + roll(m, 100), from, count);
        vec_push(m->memory, &open, node);
    }
    return graph_finish(m);
}

const order_problem *graph_unet(maker *m, uint32_t depth)
{
    uint32_t skip[16], x = graph_add(m, 64 << depth, NULL, 0);
    for (uint32_t d = 0; d < depth; d++) {
        x = graph_add1(m, 128 << (depth - d), x);
        skip[d] = x = graph_add1(m, 128 << (depth - d), x);
        x = graph_add1(m, 32 << (depth - d), x);
    }
    for (uint32_t d = depth; d-- > 0;) {
        x = graph_add1(m, 128 << (depth - d), x);
        x = graph_add2(m, 256 << (depth - d), x, skip[d]);
        x = graph_add1(m, 128 << (depth - d), x);
    }
    graph_add1(m, 1, x);
    return graph_finish(m);
}

const order_problem *graph_inception(maker *m, uint32_t blocks)
{
    uint32_t x = graph_add(m, 300, NULL, 0);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t ends[5], count = 3 + roll(m, 3);
        for (uint32_t k = 0; k < count; k++) {
            ends[k] = graph_add1(m, 20 + roll(m, 300), x);
            for (uint32_t length = roll(m, 4); length; length--)
                ends[k] = graph_add1(m, 20 + roll(m, 300), ends[k]);
        }
        x = graph_add(m, 300, ends, count);
    }
    return graph_finish(m);
}

/* Forward with what backward needs kept; backward; updates of the weights from their gradients. */
const order_problem *graph_training(maker *m, uint32_t blocks)
{
    uint32_t x = graph_add(m, 400, NULL, 0), kept[64], first[64];
    for (uint32_t b = 0; b < blocks; b++) {
        first[b] = x;
        kept[b] = graph_add1(m, 400, x);
        uint32_t y = graph_add1(m, 400, kept[b]);
        x = graph_add2(m, 400, y, x);
    }
    uint32_t gradient = graph_add1(m, 400, x);
    for (uint32_t b = blocks; b-- > 0;) {
        uint32_t inner = graph_add2(m, 400, gradient, kept[b]);
        uint32_t weights = graph_add2(m, 150 + 50 * (b % 3), gradient, kept[b]);
        graph_add1(m, 1, weights);
        uint32_t outer = graph_add2(m, 400, inner, first[b]);
        uint32_t others = graph_add2(m, 200, inner, first[b]);
        graph_add1(m, 1, others);
        gradient = graph_add2(m, 400, outer, gradient);
    }
    return graph_finish(m);
}

/* Towers side by side that meet at the end, of chains of their own. */
const order_problem *graph_towers(maker *m, uint32_t count)
{
    uint32_t ends[32], x = graph_add(m, 10, NULL, 0);
    for (uint32_t k = 0; k < count; k++) {
        ends[k] = graph_add1(m, 50 + roll(m, 200), x);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t wide = graph_add1(m, 50 + roll(m, 400), ends[k]);
            ends[k] = graph_add2(m, 10 + roll(m, 100), wide, ends[k]);
        }
    }
    graph_add(m, 10, ends, count);
    return graph_finish(m);
}
