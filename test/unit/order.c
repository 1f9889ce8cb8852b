/* order.c -- src/sched/order*.c: against all orders of small problems, against four known heuristics
 * on larger ones and on every program.
 *
 * The heuristics are those that a well-known compiler tries for the same purpose: the order of the
 * program; of what is ready, the node that adds least, among those that fit under the peak so far
 * the one that leaves least; the node whose predecessors ran earliest; depth first, small nodes
 * first. UNIT_ORDERS=1 in the environment prints what each reaches.
 */
#include "archives.h"
#include "order_graphs.h"
#include "sched/order/order_priv.h"
#include "sched/sched.h"

#include <stdio.h>
#include <stdlib.h>

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

/* needed: the most that one node needs. */
static const char *verdict(const comparison *c, int64_t needed)
{
    bool proven = c->ours == c->bound;
    if (c->ours > c->best_of_four) return "behind";
    if (c->best_of_four == needed) return "all at the most that one node needs";
    if (c->ours < c->best_of_four) return proven ? "ahead, proven least" : "ahead";
    return proven ? "even, proven least" : "even";
}

static comparison compare(const order_problem *p, const char *name, arena *memory)
{
    int64_t needed = order_bound(p, memory);
    comparison c = {.best_of_four = INT64_MAX};
    uint32_t *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
    order_result results[4];
    for (int k = 0; k < 4; k++) {
        for (uint32_t i = 0; i < p->node_count; i++) order[i] = i;
        if (k == 1) four_least(p, order, memory);
        if (k == 2) four_fifo(p, order, memory);
        if (k == 3) four_depth(p, order, memory);
        EXPECT(is_order(p, order, memory));
        c.four[k] = order_peak(p, order, NULL, memory);
        if (c.four[k] < c.best_of_four) c.best_of_four = c.four[k];
    }
    uint32_t count = order_search(p, 0, results, COUNT_OF(results), &c.bound, memory);
    c.ours = count ? results[0].peak : c.four[0];
    c.optimal = c.ours == c.bound;
    EXPECT(c.ours >= c.bound);
    for (uint32_t k = 0; k < count; k++) {
        EXPECT(is_order(p, results[k].order, memory));
        EXPECT_INT(order_peak(p, results[k].order, NULL, memory), results[k].peak);
        EXPECT(results[k].peak < c.four[0]);
    }
    if (getenv("UNIT_ORDERS"))
        printf(
            "%-34s %5u nodes needed %9lld bound %9lld program %9lld least %9lld fifo %9lld depth "
            "%9lld ours %9lld %s\n",
            name, p->node_count, (long long)needed, (long long)c.bound, (long long)c.four[0],
            (long long)c.four[1], (long long)c.four[2], (long long)c.four[3], (long long)c.ours,
            verdict(&c, needed));
    return c;
}

/* ---- all orders ---- */

typedef struct subset {
    int64_t live, peak;
} subset;

/* Has any of the buffer's users but v run? And all of them? */
static void ran(const order_problem *p, uint32_t set, uint32_t b, uint32_t v, bool *any, bool *all)
{
    *any = false;
    *all = true;
    for (uint32_t u = p->users.first[b]; u < p->users.first[b + 1]; u++) {
        bool has = set >> p->users.at[u] & 1;
        *any |= has && p->users.at[u] != v;
        *all &= has || p->users.at[u] == v;
    }
}

/* What is in use while v runs behind the set, and after it. */
static void run_behind(const order_problem *p, uint32_t set, uint32_t v, int64_t *during,
                       int64_t *after, bool *handed)
{
    bool any, all;
    int64_t freed = 0;
    for (uint32_t b = 0; b < p->buffer_count; b++) handed[b] = false;
    for (uint32_t k = p->uses.first[v]; k < p->uses.first[v + 1]; k++) {
        uint32_t b = p->uses.at[k];
        ran(p, set, b, v, &any, &all);
        if (!any) *during += p->bytes[b];
        if (all && !p->stays[b]) freed += p->bytes[b];
    }
    for (uint32_t k = p->first_reuse[v]; k < p->first_reuse[v + 1]; k++) {
        order_reuse t = p->reuses[k];
        ran(p, set, t.to, v, &any, &all);
        bool good = !any && !handed[t.to] && !handed[t.from] && !p->stays[t.from];
        ran(p, set, t.from, v, &any, &all);
        if (!good || !any || !all) continue;
        handed[t.to] = handed[t.from] = true;
        *during -= p->bytes[t.to];
        freed -= p->bytes[t.from];
    }
    *after = *during - freed;
}

/* The least peak, over sets of nodes. */
static int64_t least_peak(const order_problem *p, arena *memory)
{
    uint32_t count = 1u << p->node_count;
    subset *best = NEW_ARRAY(memory, subset, count);
    bool *handed = NEW_ARRAY(memory, bool, p->buffer_count + 1);
    for (uint32_t set = 1; set < count; set++) best[set].peak = INT64_MAX;
    for (uint32_t set = 0; set < count; set++) {
        if (best[set].peak == INT64_MAX) continue;
        for (uint32_t v = 0; v < p->node_count; v++) {
            bool ready = !(set >> v & 1);
            for (uint32_t k = p->before.first[v]; k < p->before.first[v + 1]; k++)
                ready &= set >> p->before.at[k] & 1;
            if (!ready) continue;
            int64_t during = best[set].live, after;
            run_behind(p, set, v, &during, &after, handed);
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
        maker m = graph_maker(memory, seed);
        const order_problem *p = graph_random(&m, 4 + seed % 8, 2 + seed % 5);
        comparison c = compare(p, "small", memory);
        EXPECT(c.optimal);
        EXPECT_INT(c.ours, least_peak(p, memory));
        arena_free(memory);
    }
    return FE_OK;
}

SESSION_TEST(order_of_small_programs_is_the_best)
{
    uint32_t exact = 0;
    for (uint32_t seed = 0; seed < 600; seed++) {
        arena *memory = arena_new(session);
        maker m = graph_maker(memory, seed);
        const order_problem *p = graph_program(&m, 4 + seed % 10);
        comparison c = compare(p, "small program", memory);
        uint32_t *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1),
                 *series = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
        int64_t least = least_peak(p, memory);
        EXPECT_INT(c.ours, least);
        EXPECT_INT(c.bound, least);
        EXPECT(order_bound(p, memory) <= least);
        for (uint32_t i = 0; i < p->node_count; i++) order[i] = i;
        if (order_series(p, order, series, memory)) {
            EXPECT_INT(order_peak(p, series, NULL, memory), least);
            exact++;
        }
        arena_free(memory);
    }
    EXPECT(exact > 20);
    return FE_OK;
}

/* What a cut says is in use in every order is, in the best as in any other. */
SESSION_TEST(order_cuts_are_below_every_order)
{
    uint32_t higher = 0;
    for (uint32_t seed = 0; seed < 300; seed++) {
        arena *memory = arena_new(session);
        maker m = graph_maker(memory, seed);
        const order_problem *p = graph_program(&m, 5 + seed % 9);
        uint32_t *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
        stretch all;
        int64_t most = 0, least = least_peak(p, memory);
        for (uint32_t i = 0; i < p->node_count; i++) order[i] = i;
        order_stretch(&all, p, order, 0, p->node_count, memory);
        for (uint32_t v = 0; v < p->node_count; v++) {
            uint64_t work = 100000;
            int64_t cut = order_cut(&all, v, &work, memory);
            if (cut > most) most = cut;
        }
        EXPECT(most <= least);
        higher += most > order_bound(p, memory);
        arena_free(memory);
    }
    EXPECT(higher > 30);
    return FE_OK;
}

/* What is in use while each node of the stretch runs. */
static void walk_stretch(stretch *s, int64_t *during, arena *memory)
{
    uint64_t *done = NEW_ARRAY(memory, uint64_t, s->words + 1);
    int64_t live = s->base;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t word = 0; word < s->words; word++)
            EXPECT(!(s->before[(size_t)i * s->words + word] & ~done[word]));
        order_step(s, done, live, i, &during[i], &live);
        done[i / 64] |= 1ull << (i % 64);
    }
}

SESSION_TEST(order_from_its_end_needs_the_same)
{
    for (uint32_t seed = 0; seed < 200; seed++) {
        arena *memory = arena_new(session);
        maker m = graph_maker(memory, seed);
        const order_problem *p = graph_program(&m, 10 + seed);
        uint32_t *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
        int64_t *live = NEW_ARRAY(memory, int64_t, p->node_count + 1),
                *during = NEW_ARRAY(memory, int64_t, p->node_count + 1);
        uint32_t low = seed % 4, high = p->node_count - seed % 3;
        stretch part;
        for (uint32_t i = 0; i < p->node_count; i++) order[i] = i;
        order_peak(p, order, live, memory);
        order_stretch(&part, p, order, low, high, memory);
        walk_stretch(&part, during, memory);
        for (uint32_t i = low; i < high; i++) EXPECT_INT(during[i - low], live[i]);
        order_turn(&part, memory);
        walk_stretch(&part, during, memory);
        for (uint32_t i = low; i < high; i++) EXPECT_INT(during[high - 1 - i], live[i]);
        arena_free(memory);
    }
    return FE_OK;
}

SESSION_TEST(order_of_trees_is_exact)
{
    for (uint32_t seed = 0; seed < 150; seed++) {
        arena *memory = arena_new(session);
        maker m = graph_maker(memory, seed);
        const order_problem *p = graph_tree(&m, 3 + seed % 10);
        uint32_t *numbers = NEW_ARRAY(memory, uint32_t, p->node_count + 1),
                 *order = NEW_ARRAY(memory, uint32_t, p->node_count + 1);
        for (uint32_t i = 0; i < p->node_count; i++) numbers[i] = i;
        EXPECT(order_series(p, numbers, order, memory));
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
        for (int k = 0; k < 6; k++) m[k] = graph_maker(memory, seed);
        if (seed < 5) expect_ahead(graph_unet(&m[0], 3 + seed), "u-net", memory);
        expect_ahead(graph_inception(&m[1], 2 + seed), "inception", memory);
        expect_ahead(graph_training(&m[2], 3 + seed), "training", memory);
        expect_ahead(graph_towers(&m[3], 3 + seed % 5), "towers", memory);
        expect_ahead(graph_random(&m[4], 40 + 20 * seed, 12), "random graph", memory);
        expect_ahead(graph_tree(&m[5], 40 + 40 * seed), "random tree", memory);
        arena_free(memory);
    }
    return FE_OK;
}

SESSION_TEST(order_is_not_behind_on_large_graphs)
{
    for (uint32_t nodes = 500; nodes <= 4000; nodes *= 2) {
        arena *memory = arena_new(session);
        maker a = graph_maker(memory, nodes), b = graph_maker(memory, nodes),
              c = graph_maker(memory, nodes);
        expect_ahead(graph_random(&a, nodes, 10), "large graph", memory);
        expect_ahead(graph_random(&b, nodes, 30), "wide graph", memory);
        expect_ahead(graph_tree(&c, nodes), "large tree", memory);
        arena_free(memory);
    }
    return FE_OK;
}

static fe_status each_program(fe_session *session, driver_program *d)
{
    sched_options options = {.target = target_at(0)};
    (void)session;
    expect_ahead(sched_order_problem(d->loops, &options, d->memory), d->name, d->memory);
    return FE_OK;
}

TEST(order_is_ahead_on_every_program)
{
    unit_each_archive(STAGE_LOWER, each_program);
}

/* Two branches of which the second should come first, from a node that all follow to one that follows
 * all. */
static uint32_t add_branches(maker *m, int64_t unit, uint32_t from)
{
    uint32_t a = graph_add1(m, 10 * unit, from), b = graph_add1(m, 20 * unit, from);
    uint32_t small = graph_add1(m, unit, b);
    return graph_add2(m, unit, a, small);
}

SESSION_TEST(order_stays_where_nothing_is_won)
{
    arena *memory = arena_new(session);
    maker m = graph_maker(memory, 1);
    uint32_t x = graph_add(&m, 1, NULL, 0);
    x = add_branches(&m, 1, x);
    x = add_branches(&m, 10, x);
    add_branches(&m, 2, x);
    const order_problem *p = graph_finish(&m);
    order_result results[4];
    int64_t bound;
    uint32_t count = order_search(p, 0, results, COUNT_OF(results), &bound, memory);
    EXPECT(count >= 1 && results[0].peak == bound);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < p->node_count; i++)
            EXPECT((i > 4 && i < 9) || results[k].order[i] == i);
    arena_free(memory);
    return FE_OK;
}

SESSION_TEST(order_search_ends_with_its_work)
{
    arena *memory = arena_new(session);
    maker m = graph_maker(memory, 7);
    const order_problem *p = graph_random(&m, 600, 40);
    order_result results[2];
    int64_t bound;
    for (uint64_t work = 1; work < 100000; work *= 10) {
        uint32_t count = order_search(p, work, results, 2, &bound, memory);
        for (uint32_t k = 0; k < count; k++) EXPECT(is_order(p, results[k].order, memory));
        EXPECT(!count || results[0].peak >= bound);
    }
    arena_free(memory);
    return FE_OK;
}
