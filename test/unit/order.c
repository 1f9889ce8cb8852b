/* order.c -- src/sched/order*.c: against all orders of small problems, against four known heuristics
 * on larger ones and on every program.
 *
 * The heuristics are those that a well-known compiler tries for the same purpose: the order of the
 * program; of what is ready, the node that adds least, among those that fit under the peak so far
 * the one that leaves least; the node whose predecessors ran earliest; depth first, small nodes
 * first. UNIT_ORDERS=1 in the environment prints what each reaches.
 */
#include "archives.h"
#include "sched/order_priv.h"
#include "sched/sched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ---- */

typedef VEC(uint32_t) id_list;

typedef struct maker {
    order_problem p;
    arena *memory;
    VEC(int64_t) bytes;
    id_list before_at, uses_at, before_first, uses_first;
    id_list made; /* by node: its buffer */
    uint64_t dice;
} maker;

static uint32_t roll(maker *m, uint32_t sides)
{
    m->dice = m->dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(m->dice >> 33) % sides;
}

static maker maker_new(arena *memory, uint64_t seed)
{
    maker m = {.memory = memory, .dice = seed};
    vec_push(memory, &m.before_first, 0);
    vec_push(memory, &m.uses_first, 0);
    roll(&m, 2);
    return m;
}

/* A node that reads what these nodes made and makes `bytes` of its own. */
static uint32_t add_node(maker *m, int64_t bytes, const uint32_t *from, uint32_t count)
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

static uint32_t add1(maker *m, int64_t bytes, uint32_t a)
{
    return add_node(m, bytes, &a, 1);
}

static uint32_t add2(maker *m, int64_t bytes, uint32_t a, uint32_t b)
{
    return add_node(m, bytes, (uint32_t[]){a, b}, 2);
}

static const order_problem *finish(maker *m)
{
    order_problem *p = &m->p;
    p->before = (order_lists){m->before_first.at, m->before_at.at};
    p->uses = (order_lists){m->uses_first.at, m->uses_at.at};
    p->bytes = m->bytes.at;
    p->stays = NEW_ARRAY(m->memory, bool, p->buffer_count + 1);
    p->first_take = NEW_ARRAY(m->memory, uint32_t, p->node_count + 2);
    order_complete(p, m->memory);
    return p;
}

static const order_problem *random_graph(maker *m, uint32_t nodes, uint32_t reach)
{
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t from[3], count = i ? roll(m, 3) + (i > 1) : 0;
        if (count > 3) count = 3;
        for (uint32_t k = 0; k < count; k++) from[k] = i - 1 - roll(m, i < reach ? i : reach);
        add_node(m, 1 + roll(m, 100), from, count);
    }
    return finish(m);
}

/* Each value has one reader: every node joins the trees of some before it. */
static const order_problem *random_tree(maker *m, uint32_t nodes)
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
        uint32_t node = add_node(m, 1 + roll(m, 100), from, count);
        vec_push(m->memory, &open, node);
    }
    return finish(m);
}

static const order_problem *unet(maker *m, uint32_t depth)
{
    uint32_t skip[16], x = add_node(m, 64 << depth, NULL, 0);
    for (uint32_t d = 0; d < depth; d++) {
        x = add1(m, 128 << (depth - d), x);
        skip[d] = x = add1(m, 128 << (depth - d), x);
        x = add1(m, 32 << (depth - d), x);
    }
    for (uint32_t d = depth; d-- > 0;) {
        x = add1(m, 128 << (depth - d), x);
        x = add2(m, 256 << (depth - d), x, skip[d]);
        x = add1(m, 128 << (depth - d), x);
    }
    add1(m, 1, x);
    return finish(m);
}

static const order_problem *inception(maker *m, uint32_t blocks)
{
    uint32_t x = add_node(m, 300, NULL, 0);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t ends[5], count = 3 + roll(m, 3);
        for (uint32_t k = 0; k < count; k++) {
            ends[k] = add1(m, 20 + roll(m, 300), x);
            for (uint32_t length = roll(m, 4); length; length--)
                ends[k] = add1(m, 20 + roll(m, 300), ends[k]);
        }
        x = add_node(m, 300, ends, count);
    }
    return finish(m);
}

/* Forward with what backward needs kept; backward; updates of the weights from their gradients. */
static const order_problem *training(maker *m, uint32_t blocks)
{
    uint32_t x = add_node(m, 400, NULL, 0), kept[64], first[64];
    for (uint32_t b = 0; b < blocks; b++) {
        first[b] = x;
        kept[b] = add1(m, 400, x);
        uint32_t y = add1(m, 400, kept[b]);
        x = add2(m, 400, y, x);
    }
    uint32_t gradient = add1(m, 400, x);
    for (uint32_t b = blocks; b-- > 0;) {
        uint32_t inner = add2(m, 400, gradient, kept[b]);
        uint32_t weights = add2(m, 150 + 50 * (b % 3), gradient, kept[b]);
        add1(m, 1, weights);
        uint32_t outer = add2(m, 400, inner, first[b]);
        uint32_t others = add2(m, 200, inner, first[b]);
        add1(m, 1, others);
        gradient = add2(m, 400, outer, gradient);
    }
    return finish(m);
}

/* Towers side by side that meet at the end, of chains of their own. */
static const order_problem *towers(maker *m, uint32_t count)
{
    uint32_t ends[32], x = add_node(m, 10, NULL, 0);
    for (uint32_t k = 0; k < count; k++) {
        ends[k] = add1(m, 50 + roll(m, 200), x);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t wide = add1(m, 50 + roll(m, 400), ends[k]);
            ends[k] = add2(m, 10 + roll(m, 100), wide, ends[k]);
        }
    }
    add_node(m, 10, ends, count);
    return finish(m);
}

/* ---- the four heuristics ---- */

/* What a node allocates: the buffers that it is the first to use in the order of numbers. */
static int64_t size_of(const order_problem *p, uint32_t node)
{
    int64_t size = 0;
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        if (p->users.at[p->users.first[p->uses.at[k]]] == node) size += p->bytes[p->uses.at[k]];
    return size;
}

static int64_t touched(const order_problem *p, uint32_t node)
{
    int64_t size = 0;
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        size += p->bytes[p->uses.at[k]];
    return size;
}

static int64_t freed_by(const order_problem *p, const uint32_t *left, uint32_t node)
{
    int64_t size = 0;
    for (uint32_t k = p->uses.first[node]; k < p->uses.first[node + 1]; k++)
        if (left[p->uses.at[k]] == 1 && !p->stays[p->uses.at[k]]) size += p->bytes[p->uses.at[k]];
    return size;
}

typedef struct ready_list {
    const order_problem *p;
    uint32_t *waits;
    id_list ready;
    arena *memory;
} ready_list;

static ready_list start(const order_problem *p, arena *memory)
{
    ready_list r = {p, NEW_ARRAY(memory, uint32_t, p->node_count + 1), {0}, memory};
    for (uint32_t v = 0; v < p->node_count; v++) {
        r.waits[v] = p->before.first[v + 1] - p->before.first[v];
        if (!r.waits[v]) vec_push(memory, &r.ready, v);
    }
    return r;
}

static uint32_t take(ready_list *r, uint32_t index)
{
    uint32_t node = r->ready.at[index];
    r->ready.at[index] = vec_last(&r->ready);
    r->ready.count--;
    for (uint32_t k = r->p->after.first[node]; k < r->p->after.first[node + 1]; k++)
        if (!--r->waits[r->p->after.at[k]]) vec_push(r->memory, &r->ready, r->p->after.at[k]);
    return node;
}

static void least_memory_first(const order_problem *p, uint32_t *out, arena *memory)
{
    ready_list r = start(p, memory);
    uint32_t *left = NEW_ARRAY(memory, uint32_t, p->buffer_count + 1);
    int64_t live = 0, most = 0;
    for (uint32_t b = 0; b < p->buffer_count; b++) {
        left[b] = p->users.first[b + 1] - p->users.first[b];
        if (p->stays[b]) most += p->bytes[b];
    }
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t best = 0;
        int64_t key[2] = {0, 0};
        for (uint32_t k = 0; k < r.ready.count; k++) {
            uint32_t v = r.ready.at[k];
            int64_t size = size_of(p, v), over = size > most - live ? size : 0,
                    net = size - freed_by(p, left, v);
            bool less = over != key[0]  ? over < key[0]
                        : net != key[1] ? net < key[1]
                                        : v < r.ready.at[best];
            if (k && !less) continue;
            best = k;
            key[0] = over;
            key[1] = net;
        }
        uint32_t v = out[i] = take(&r, best);
        live += size_of(p, v);
        if (live > most) most = live;
        live -= freed_by(p, left, v);
        for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) left[p->uses.at[k]]--;
    }
}

static int rising(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The places of a node's predecessors, rising. */
static uint32_t *places_before(const order_problem *p, const uint32_t *place, uint32_t v,
                               uint32_t *count, arena *memory)
{
    uint32_t *list = NEW_ARRAY(memory, uint32_t, p->before.first[v + 1] - p->before.first[v] + 1);
    *count = 0;
    for (uint32_t k = p->before.first[v]; k < p->before.first[v + 1]; k++)
        list[(*count)++] = place[p->before.at[k]];
    qsort(list, *count, sizeof *list, rising);
    return list;
}

static bool earlier(const order_problem *p, const uint32_t *place, uint32_t a, uint32_t b,
                    arena *memory)
{
    uint32_t x_count, y_count;
    const uint32_t *x = places_before(p, place, a, &x_count, memory),
                   *y = places_before(p, place, b, &y_count, memory);
    for (uint32_t i = 0; i < x_count && i < y_count; i++)
        if (x[i] != y[i]) return x[i] < y[i];
    return x_count != y_count ? x_count < y_count : a < b;
}

static void first_in_first_out(const order_problem *p, uint32_t *out, arena *memory)
{
    ready_list r = start(p, memory);
    uint32_t *place = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < r.ready.count; k++)
            if (earlier(p, place, r.ready.at[k], r.ready.at[best], memory)) best = k;
        out[i] = take(&r, best);
        place[out[i]] = i;
    }
}

typedef struct sized {
    int64_t size;
    uint32_t node;
} sized;

static int by_size(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static void visit(const order_problem *p, uint32_t v, bool *seen, uint32_t *out, uint32_t *count,
                  arena *memory)
{
    uint32_t needs = p->before.first[v + 1] - p->before.first[v];
    sized *list = NEW_ARRAY(memory, sized, needs + 1);
    if (seen[v]) return;
    seen[v] = true;
    for (uint32_t k = 0; k < needs; k++) {
        uint32_t u = p->before.at[p->before.first[v] + k];
        list[k] = (sized){touched(p, u), u};
    }
    qsort(list, needs, sizeof *list, by_size);
    for (uint32_t k = 0; k < needs; k++) visit(p, list[k].node, seen, out, count, memory);
    out[(*count)++] = v;
}

static void depth_first(const order_problem *p, uint32_t *out, arena *memory)
{
    sized *all = NEW_ARRAY(memory, sized, p->node_count + 1);
    bool *seen = NEW_ARRAY(memory, bool, p->node_count + 1);
    uint32_t count = 0;
    for (uint32_t v = 0; v < p->node_count; v++) all[v] = (sized){touched(p, v), v};
    qsort(all, p->node_count, sizeof *all, by_size);
    for (uint32_t i = 0; i < p->node_count; i++) visit(p, all[i].node, seen, out, &count, memory);
}

/* ---- comparisons ---- */

typedef struct comparison {
    int64_t bound, four[4], best_of_four, ours;
    bool optimal;
} comparison;

static bool is_order(const order_problem *p, const uint32_t *order, arena *memory)
{
    bool *done = NEW_ARRAY(memory, bool, p->node_count + 1), good = true;
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t v = order[i];
        if (v >= p->node_count || done[v]) return false;
        for (uint32_t k = p->before.first[v]; k < p->before.first[v + 1]; k++)
            good &= done[p->before.at[k]];
        done[v] = true;
    }
    return good;
}

static comparison compare(const order_problem *p, const char *name, arena *memory)
{
    comparison c = {.bound = order_bound(p), .best_of_four = INT64_MAX};
    uint32_t *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    order_result results[4];
    for (int k = 0; k < 4; k++) {
        for (uint32_t i = 0; i < p->node_count; i++) order[i] = i;
        if (k == 1) least_memory_first(p, order, memory);
        if (k == 2) first_in_first_out(p, order, memory);
        if (k == 3) depth_first(p, order, memory);
        EXPECT(is_order(p, order, memory));
        c.four[k] = order_peak(p, order, NULL, memory);
        if (c.four[k] < c.best_of_four) c.best_of_four = c.four[k];
    }
    uint32_t count = order_search(p, 0, results, COUNT_OF(results), &c.optimal, memory);
    c.ours = count ? results[0].peak : c.four[0];
    for (uint32_t k = 0; k < count; k++) {
        EXPECT(is_order(p, results[k].order, memory));
        EXPECT_INT(order_peak(p, results[k].order, NULL, memory), results[k].peak);
        EXPECT(results[k].peak < c.four[0]);
    }
    if (getenv("UNIT_ORDERS"))
        printf("%-34s %5u nodes bound %9lld program %9lld least %9lld fifo %9lld depth %9lld ours "
               "%9lld%s\n",
               name, p->node_count, (long long)c.bound, (long long)c.four[0], (long long)c.four[1],
               (long long)c.four[2], (long long)c.four[3], (long long)c.ours,
               c.optimal ? " optimal" : "");
    return c;
}

/* ---- all orders ---- */

typedef struct subset {
    int64_t live, peak;
} subset;

/* The least peak, over sets of nodes. */
static int64_t least_peak(const order_problem *p, arena *memory)
{
    uint32_t count = 1u << p->node_count;
    subset *best = NEW_ARRAY(memory, subset, count);
    for (uint32_t set = 1; set < count; set++) best[set].peak = INT64_MAX;
    for (uint32_t set = 0; set < count; set++) {
        if (best[set].peak == INT64_MAX) continue;
        for (uint32_t v = 0; v < p->node_count; v++) {
            bool ready = !(set >> v & 1);
            for (uint32_t k = p->before.first[v]; k < p->before.first[v + 1]; k++)
                ready &= set >> p->before.at[k] & 1;
            if (!ready) continue;
            int64_t during = best[set].live, after;
            for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) {
                uint32_t b = p->uses.at[k];
                bool fresh = true;
                for (uint32_t u = p->users.first[b]; u < p->users.first[b + 1]; u++)
                    fresh &= !(set >> p->users.at[u] & 1);
                if (fresh) during += p->bytes[b];
            }
            after = during;
            for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) {
                uint32_t b = p->uses.at[k];
                bool last = true;
                for (uint32_t u = p->users.first[b]; u < p->users.first[b + 1]; u++)
                    last &= p->users.at[u] == v || (set >> p->users.at[u] & 1);
                if (last) after -= p->bytes[b];
            }
            subset *next = &best[set | 1u << v];
            int64_t peak = during > best[set].peak ? during : best[set].peak;
            if (peak < next->peak) *next = (subset){after, peak};
        }
    }
    return best[count - 1].peak;
}

/* Never behind; ahead wherever it is not proven that nobody can be. */
static void expect_ahead(const order_problem *p, const char *name, arena *memory)
{
    enum { MOST_NODES = 23 }; /* of which all sets are walked through */
    comparison c = compare(p, name, memory);
    bool best = c.ours < c.best_of_four || c.optimal ||
                (p->node_count <= MOST_NODES && c.ours == least_peak(p, memory));
    if (!EXPECT(c.ours <= c.best_of_four) || !EXPECT(best))
        printf("  %s: %lld, best of four %lld, bound %lld\n", name, (long long)c.ours,
               (long long)c.best_of_four, (long long)c.bound);
}

SESSION_TEST(order_of_small_problems_is_the_best)
{
    for (uint32_t seed = 0; seed < 150; seed++) {
        arena *memory = arena_new(session);
        maker m = maker_new(memory, seed);
        const order_problem *p = random_graph(&m, 4 + seed % 8, 2 + seed % 5);
        comparison c = compare(p, "small", memory);
        EXPECT(c.optimal);
        EXPECT_INT(c.ours, least_peak(p, memory));
        arena_free(memory);
    }
    return FE_OK;
}

SESSION_TEST(order_of_trees_is_exact)
{
    for (uint32_t seed = 0; seed < 150; seed++) {
        arena *memory = arena_new(session);
        maker m = maker_new(memory, seed);
        const order_problem *p = random_tree(&m, 3 + seed % 10);
        uint32_t *numbers = NEW_ARRAY(memory, uint32_t, p->node_count + 1),
                 *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
        for (uint32_t i = 0; i < p->node_count; i++) numbers[i] = i;
        order_series(p, numbers, order, memory);
        EXPECT(is_order(p, order, memory));
        EXPECT_INT(order_peak(p, order, NULL, memory), least_peak(p, memory));
        arena_free(memory);
    }
    return FE_OK;
}

SESSION_TEST(order_is_ahead_of_four_heuristics)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        arena *memory = arena_new(session);
        maker m[6];
        for (int k = 0; k < 6; k++) m[k] = maker_new(memory, seed);
        if (seed < 5) expect_ahead(unet(&m[0], 3 + seed), "u-net", memory);
        expect_ahead(inception(&m[1], 2 + seed), "inception", memory);
        expect_ahead(training(&m[2], 3 + seed), "training", memory);
        expect_ahead(towers(&m[3], 3 + seed % 5), "towers", memory);
        expect_ahead(random_graph(&m[4], 40 + 20 * seed, 12), "random graph", memory);
        expect_ahead(random_tree(&m[5], 40 + 40 * seed), "random tree", memory);
        arena_free(memory);
    }
    return FE_OK;
}

SESSION_TEST(order_is_not_behind_on_large_graphs)
{
    for (uint32_t nodes = 500; nodes <= 4000; nodes *= 2) {
        arena *memory = arena_new(session);
        maker a = maker_new(memory, nodes), b = maker_new(memory, nodes),
              c = maker_new(memory, nodes);
        expect_ahead(random_graph(&a, nodes, 10), "large graph", memory);
        expect_ahead(random_graph(&b, nodes, 30), "wide graph", memory);
        expect_ahead(random_tree(&c, nodes), "large tree", memory);
        arena_free(memory);
    }
    return FE_OK;
}

static fe_status each_program(fe_session *session, driver_program *d)
{
    sched_target target = {64, 600, 40, 64 << 10, 0};
    (void)session;
    expect_ahead(sched_order_problem(d->loops, &target, d->memory), d->name, d->memory);
    return FE_OK;
}

TEST(order_is_ahead_on_every_program)
{
    unit_each_archive(STAGE_LOWER, each_program);
}

SESSION_TEST(order_search_ends_with_its_work)
{
    arena *memory = arena_new(session);
    maker m = maker_new(memory, 7);
    const order_problem *p = random_graph(&m, 600, 40);
    order_result results[2];
    bool optimal;
    for (uint64_t work = 1; work < 100000; work *= 10) {
        uint32_t count = order_search(p, work, results, 2, &optimal, memory);
        for (uint32_t k = 0; k < count; k++) EXPECT(is_order(p, results[k].order, memory));
        EXPECT(!optimal || results[0].peak == order_bound(p));
    }
    arena_free(memory);
    return FE_OK;
}
