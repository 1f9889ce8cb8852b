/* order_search.c -- where it pays to search for another order, and how hard.
 *
 * A node that every node before it leads to and that leads to every node behind it stands at its
 * place in all orders: between two such nodes lies a piece that can be ordered on its own. Only the
 * pieces with the highest peak matter, and only down to the peak of the next; of pieces that are very
 * long, windows around their highest place. Those that are not highest stay as they are in the program.
 */
#include "sched/order/order_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
    NARROW = 16,
    USUAL_WIDTH = 64,
    WIDE = 1024,
    WIDEST = 20000,
    LONGEST = 4096,
    SHORTEST = 48,
    USUAL_READY = 8
};
enum {
    FINE = 32,
    FAR = 8,
    MOST_FAR = 256
}; /* steps looked ahead; nodes of a piece where that pays */
enum { CUT_SHARE = 4 };
enum { LEAST_WORK = 1000000, WORK_A_NODE = 40 }; /* at most about 60 ms, and 3 us a node */

typedef struct searcher {
    const order_problem *p;
    arena *memory, *scratch;
    uint32_t *order; /* the best so far */
    int64_t *live;   /* along it */
    int64_t peak, bound;
    uint64_t work;
    bool backward; /* what was found last was found from the end */
    order_result *results;
    uint32_t count, room;
} searcher;

/* ---- results ---- */

/* Puts an order in front of the results when its peak is lower than that of the best. */
static bool offer(searcher *s, const uint32_t *order)
{
    const order_problem *p = s->p;
    int64_t peak = order_peak(p, order, NULL, s->scratch);
    if (peak >= s->peak) return false;
    if (order != s->order) memcpy(s->order, order, p->node_count * sizeof *order);
    s->peak = order_peak(p, s->order, s->live, s->scratch);
    if (s->count == s->room) s->count--;
    memmove(s->results + 1, s->results, s->count * sizeof *s->results);
    s->results[0] = (order_result){
        .order = arena_copy(s->memory, order, p->node_count * sizeof *order), .peak = peak};
    s->count++;
    return true;
}

/* ---- pieces ---- */

/* Marks the places of the order whose node stands there in every order. */
static void find_cuts(const searcher *s, bool *is_cut)
{
    const order_problem *p = s->p;
    uint32_t open = 0, *left = NEW_ARRAY(s->scratch, uint32_t, p->node_count + 1);
    /* nodes so far with no successor among them: one left means that it is behind all others */
    for (uint32_t i = 0; i < p->node_count; i++) {
        uint32_t node = s->order[i];
        for (uint32_t k = p->before.first[node]; k < p->before.first[node + 1]; k++)
            open -= left[p->before.at[k]]++ == 0;
        is_cut[i] = ++open == 1;
    }
    memset(left, 0, p->node_count * sizeof *left);
    open = 0;
    for (uint32_t i = p->node_count; i-- > 0;) {
        uint32_t node = s->order[i];
        for (uint32_t k = p->after.first[node]; k < p->after.first[node + 1]; k++)
            open -= left[p->after.at[k]]++ == 0;
        is_cut[i] &= ++open == 1;
    }
}

typedef struct piece {
    uint32_t low, high; /* places, [low, high) */
    int64_t peak;
} piece;
typedef VEC(piece) piece_list;

/* The pieces with the highest peak, which is returned; *others: the highest peak but that. */
static int64_t worst_pieces(searcher *s, const bool *is_cut, piece_list *worst, int64_t *others)
{
    piece now = {0};
    int64_t most = 0;
    *others = s->bound;
    worst->count = 0;
    for (uint32_t i = 0; i < s->p->node_count; i++) {
        if (s->live[i] > now.peak) now.peak = s->live[i];
        now.high = i + 1;
        if (!is_cut[i] && i + 1 < s->p->node_count) continue;
        if (now.peak > most) {
            if (most > *others) *others = most;
            most = now.peak;
            worst->count = 0;
        } else if (now.peak < most && now.peak > *others)
            *others = now.peak;
        if (now.peak == most) vec_push(s->scratch, worst, now);
        now = (piece){i + 1, i + 1, 0};
    }
    return most;
}

/* ---- one piece ---- */

/* What a search of a stretch is to find: no less than `floor` matters, `limit` is too much. */
typedef struct aim {
    uint32_t width;
    bool is_thorough;
    int64_t floor, limit;
} aim;

typedef struct ranked {
    int64_t live;
    uint32_t at;
} ranked;

static int by_live(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->live != y->live) return x->live > y->live ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* What no order of the piece is below, by cuts at the nodes that run when most is in use. */
static int64_t bound_of(searcher *s, piece at, int64_t floor)
{
    uint64_t start = s->work / CUT_SHARE, work = start;
    arena_mark_t mark = arena_mark(s->scratch);
    stretch part;
    order_stretch(&part, s->p, s->order, at.low, at.high, s->scratch);
    ranked *ranks = NEW_ARRAY(s->scratch, ranked, part.count + 1);
    for (uint32_t i = 0; i < part.count; i++) ranks[i] = (ranked){s->live[at.low + i], i};
    qsort(ranks, part.count, sizeof *ranks, by_live);
    for (uint32_t i = 0; i < part.count && ranks[i].live > floor && work; i++) {
        int64_t least = order_cut(&part, ranks[i].at, &work, s->scratch);
        if (least > floor) floor = least;
    }
    s->work -= start - work;
    arena_release(s->scratch, mark);
    return floor;
}

/* Puts a better order of the stretch in its place. *complete: nothing was left out. */
static bool reorder_from(searcher *s, uint32_t low, uint32_t high, bool backward, aim what,
                         bool *complete)
{
    beam_window w = {.p = s->p,
                     .order = s->order,
                     .low = low,
                     .high = high,
                     .backward = backward,
                     .width = what.width,
                     .steps = what.is_thorough ? FAR : 1,
                     .floor = what.floor,
                     .limit = what.limit,
                     .work = &s->work};
    beam_result found = order_beam(&w, s->scratch);
    *complete = found.complete;
    if (!found.improved) return false;
    memcpy(s->order + low, found.order, (high - low) * sizeof *s->order);
    order_peak(s->p, s->order, s->live, s->scratch);
    s->backward = backward;
    return true;
}

/* From the end where what leads to lower places from there is not seen from here. */
static bool reorder(searcher *s, uint32_t low, uint32_t high, aim what, bool *complete)
{
    return reorder_from(s, low, high, s->backward, what, complete) ||
           (!*complete && reorder_from(s, low, high, !s->backward, what, complete));
}

static int64_t peak_of(const searcher *s, uint32_t low, uint32_t high)
{
    int64_t peak = 0;
    for (uint32_t i = low; i < high; i++)
        if (s->live[i] > peak) peak = s->live[i];
    return peak;
}

/* Lowers the peak of a stretch towards `floor`, halving what is between: a quick search for the
 * best, then for any order under a limit. *bound: it is not less than this. */
static bool lower_peak(searcher *s, uint32_t low, uint32_t high, int64_t floor, bool is_thorough,
                       int64_t *bound)
{
    const uint32_t wide = is_thorough ? WIDEST : WIDE;
    int64_t start = peak_of(s, low, high), now, least = floor - 1;
    int64_t failed = least; /* a search that left sets out found nothing as low */
    bool complete, left_out = false;
    for (int backward = 0; backward < 2; backward++)
        reorder_from(s, low, high, backward, (aim){NARROW, false, floor, peak_of(s, low, high)},
                     &complete);
    for (now = peak_of(s, low, high); now > floor && now > least + 1 && s->work;
         now = peak_of(s, low, high)) {
        int64_t middle = left_out ? now - 1 : failed + (now - failed) / 2;
        if (middle < floor) middle = floor;
        uint32_t width = left_out ? wide : USUAL_WIDTH;
        if (reorder(s, low, high, (aim){width, is_thorough, middle, middle + 1}, &complete))
            continue;
        if (!complete && left_out) break;
        left_out |= !complete && now - middle <= now / FINE;
        failed = middle;
        if (complete) least = middle;
    }
    *bound = least + 1;
    return now < start;
}

/* Windows around the highest place of a long piece. */
static bool lower_windows(searcher *s, piece at, int64_t floor)
{
    uint32_t top = at.low;
    bool improved = false;
    int64_t bound;
    for (uint32_t i = at.low; i < at.high; i++)
        if (s->live[i] > s->live[top]) top = i;
    for (uint32_t length = SHORTEST; length <= LONGEST && s->work && !improved; length *= 3) {
        uint32_t low = top > at.low + length / 2 ? top - length / 2 : at.low;
        uint32_t high = low + length < at.high ? low + length : at.high;
        improved = lower_peak(s, low, high, floor, false, &bound);
    }
    return improved && peak_of(s, at.low, at.high) < at.peak;
}

/* Is there work left to search the whole of it? */
static bool is_short(const searcher *s, piece at)
{
    uint64_t length = at.high - at.low;
    return length <= LONGEST && length * NARROW * USUAL_READY < s->work;
}

/* What is above the peak of the others holds for the whole. */
static void note_bound(searcher *s, int64_t bound, int64_t others)
{
    if (bound > others && bound > s->bound) s->bound = bound;
}

/* Lowers a piece; false: it cannot be done, or it is not known how. */
static bool lower_piece(searcher *s, piece at, int64_t others)
{
    int64_t floor = bound_of(s, at, others);
    bool improved = false;
    note_bound(s, floor, others);
    if (is_short(s, at))
        improved = lower_peak(s, at.low, at.high, floor, at.high - at.low <= MOST_FAR, &floor);
    note_bound(s, floor, others);
    return improved || (s->peak > s->bound && lower_windows(s, at, floor));
}

/* All pieces that are highest, as long as each of them can be lowered. */
static void search_pieces(searcher *s)
{
    bool *is_cut = NEW_ARRAY(s->scratch, bool, s->p->node_count + 1);
    piece_list worst = {0};
    bool improved = true;
    find_cuts(s, is_cut);
    while (improved && s->peak > s->bound && s->work) {
        int64_t others;
        worst_pieces(s, is_cut, &worst, &others);
        for (uint32_t i = 0; i < worst.count && improved; i++)
            improved = lower_piece(s, worst.at[i], others);
        if (improved) improved = offer(s, s->order);
    }
}

/* ---- ties ---- */

/* Pieces in which the program's order does not need more than the result does stay in it. */
static void keep_usual(searcher *s)
{
    uint32_t count = s->p->node_count;
    bool *is_cut = NEW_ARRAY(s->scratch, bool, count + 1);
    for (uint32_t i = 0; i < count; i++) s->order[i] = i;
    order_peak(s->p, s->order, s->live, s->scratch);
    find_cuts(s, is_cut);
    for (uint32_t k = 0; k < s->count; k++) {
        for (uint32_t low = 0, high; low < count; low = high) {
            for (high = low; high + 1 < count && !is_cut[high];) high++;
            high++;
            if (peak_of(s, low, high) > s->results[k].peak) continue;
            memcpy(s->results[k].order + low, s->order + low, (high - low) * sizeof *s->order);
        }
        s->results[k].peak = order_peak(s->p, s->results[k].order, NULL, s->scratch);
        for (uint32_t i = k; i && s->results[i].peak < s->results[i - 1].peak; i--) {
            order_result other = s->results[i];
            s->results[i] = s->results[i - 1];
            s->results[i - 1] = other;
        }
    }
}

/* ---- the search ---- */

uint32_t order_search(const order_problem *p, uint64_t work, order_result *results, uint32_t room,
                      int64_t *bound, arena *memory)
{
    searcher s = {.p = p,
                  .memory = memory,
                  .scratch = arena_new(arena_session(memory)),
                  .work = work ? work : LEAST_WORK + (uint64_t)WORK_A_NODE * p->node_count,
                  .results = results,
                  .room = room};
    s.bound = order_bound(p, s.scratch);
    s.order = NEW_ARRAY(s.scratch, uint32_t, p->node_count + 1);
    s.live = NEW_ARRAY(s.scratch, int64_t, p->node_count + 1);
    for (uint32_t i = 0; i < p->node_count; i++) s.order[i] = i;
    s.peak = order_peak(p, s.order, s.live, s.scratch);
    if (s.peak > s.bound) {
        uint32_t *first = NEW_ARRAY(s.scratch, uint32_t, p->node_count + 1);
        bool is_best = order_series(p, s.order, first, s.scratch);
        offer(&s, first);
        if (is_best) s.bound = s.peak;
        order_depth(p, first, s.scratch);
        offer(&s, first);
        search_pieces(&s);
    }
    keep_usual(&s);
    *bound = s.bound;
    arena_free(s.scratch);
    return s.count;
}
