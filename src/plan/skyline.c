/* skyline.c -- the skyline pass of skyline.h. libc alone: the runtime compiles this file too. */
#include "plan/skyline.h"

#include "plan/tops.h"

#include <stdbool.h>
#include <string.h>

/* ---- one pass ------------------------------------------------------------------------------- */

/* A segment in the heap. */
typedef struct segment_key {
    int64_t height;
    uint32_t waiter; /* the best in it */
    uint32_t segment;
} segment_key;

/* A pass keeps the skyline as segments: runs of sections with one height, each known by its
 * first section. A block that cannot be placed yet waits at a section that holds it up. Raising
 * a segment therefore raises all who wait in it at once, and a block is looked at again only
 * when it is the best one waiting in the lowest segment. Blocks held up by something else (an
 * alignment, an obstacle, the inside of a group) wait in a heap of their own, `late`. "Better"
 * means earlier in the order; ranks are kept plus 1, so that 0 is free. */
typedef struct pass {
    const plan_skyline *in;
    const uint32_t *order;
    uint32_t leaves;        /* of both trees: a power of two */
    int64_t *tops;          /* tree: heights of the sections */
    uint32_t *best;         /* tree: best waiter of each section; NOBODY when there is none */
    uint32_t *waits_at;     /* by rank + 1: section */
    uint32_t *left, *right; /* by rank + 1: skew heaps, one a section */
    uint64_t *starts;       /* bit set: the sections at which segments start */
    int64_t *height;        /* by segment */
    segment_key *heap;      /* segments with waiters, lowest first, then by best waiter */
    uint32_t *place;        /* by segment: its place in `heap` + 1; 0 = not there */
    uint32_t heap_count, late_count;
    plan_entry *late;
} pass;

#define NOBODY UINT32_MAX

/* ---- segments and their heap ---- */

/* The number of the highest bit that is set; there is one. */
static inline uint32_t highest_bit(uint64_t bits)
{
#ifdef __GNUC__
    return 63 - (uint32_t)__builtin_clzll(bits);
#else
    uint32_t number = 0;
    for (uint32_t step = 32; step; step /= 2)
        if (bits >> step) {
            bits >>= step;
            number += step;
        }
    return number;
#endif
}

/* The segment that section s lies in. Section 0 always starts one. */
static uint32_t segment_of(const pass *run, uint32_t s)
{
    uint32_t word = s / 64;
    uint64_t bits = run->starts[word] & (~(uint64_t)0 >> (63 - s % 64));
    while (!bits) bits = run->starts[--word];
    return word * 64 + highest_bit(bits);
}

/* First segment that starts at s or later; section_count when there is none. */
static uint32_t segment_from(const pass *run, uint32_t s)
{
    uint32_t count = run->in->section_count;
    if (s >= count) return count;
    uint32_t words = count / 64 + 1;
    uint32_t word = s / 64;
    uint64_t bits = run->starts[word] & (~(uint64_t)0 << s % 64);
    while (!bits && ++word < words) bits = run->starts[word];
    return bits ? word * 64 + highest_bit(bits & (0 - bits)) : count;
}

static bool segment_before(segment_key a, segment_key b)
{
    return a.height != b.height ? a.height < b.height : a.waiter < b.waiter;
}

static void heap_put(pass *run, uint32_t place, segment_key key)
{
    run->heap[place] = key;
    run->place[key.segment] = place + 1;
}

static void heap_rise(pass *run, uint32_t place, segment_key key)
{
    while (place) {
        uint32_t parent = (place - 1) / 2;
        if (!segment_before(key, run->heap[parent])) break;
        heap_put(run, place, run->heap[parent]);
        place = parent;
    }
    heap_put(run, place, key);
}

static void heap_sink(pass *run, uint32_t place, segment_key key)
{
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= run->heap_count) break;
        if (child + 1 < run->heap_count)
            child += segment_before(run->heap[child + 1], run->heap[child]);
        if (!segment_before(run->heap[child], key)) break;
        heap_put(run, place, run->heap[child]);
        place = child;
    }
    heap_put(run, place, key);
}

/* Puts `key` where another one was. */
static void heap_replace(pass *run, uint32_t place, segment_key key)
{
    if (place && segment_before(key, run->heap[(place - 1) / 2]))
        heap_rise(run, place, key);
    else
        heap_sink(run, place, key);
}

static void heap_drop(pass *run, uint32_t segment)
{
    uint32_t place = run->place[segment];
    if (!place) return;
    run->place[segment] = 0;
    segment_key last = run->heap[--run->heap_count];
    if (last.segment != segment) heap_replace(run, place - 1, last);
}

/* Puts a segment where it belongs, now that its best waiter is `waiter`. */
static void heap_fix(pass *run, uint32_t segment, uint32_t waiter)
{
    segment_key key = {run->height[segment], waiter, segment};
    uint32_t place = run->place[segment];
    if (waiter == NOBODY)
        heap_drop(run, segment);
    else if (place)
        heap_replace(run, place - 1, key);
    else
        heap_rise(run, run->heap_count++, key);
}

/* Melds two queues; the better rank ends on top. The walk down the right sides swaps the
 * children of what it passes, which keeps the cost at O(log n) on average over a run (Sleator
 * and Tarjan's skew heaps). */
static uint32_t queue_meld(pass *run, uint32_t a, uint32_t b)
{
    if (!a || !b) return a + b;
    uint32_t top = a < b ? a : b;
    uint32_t under = a < b ? b : a;
    uint32_t at = top;
    for (;;) {
        uint32_t right = run->right[at];
        run->right[at] = run->left[at];
        if (!right || right > under) {
            run->left[at] = under;
            if (!right) return top;
            at = under;
            under = right;
        } else {
            run->left[at] = right;
            at = right;
        }
    }
}

/* Sets the best waiter of a section, 0 for none. */
static void best_set(pass *run, uint32_t section, uint32_t waiter)
{
    uint32_t *best = run->best;
    uint32_t node = section + run->leaves;
    best[node] = waiter ? waiter : NOBODY;
    while (node > 1) {
        uint32_t low = best[node] < best[node ^ 1] ? best[node] : best[node ^ 1];
        node /= 2;
        if (best[node] == low) break;
        best[node] = low;
    }
}

/* Best waiter in the sections [low, high). */
static uint32_t best_in(const pass *run, uint32_t low, uint32_t high)
{
    uint32_t best = NOBODY;
    uint32_t left = low + run->leaves;
    uint32_t right = high + run->leaves;
    for (; left < right; left /= 2, right /= 2) {
        if (left & 1 && run->best[left++] < best) best = run->best[left - 1];
        if (right & 1 && run->best[--right] < best) best = run->best[right];
    }
    return best;
}

static void queue_push(pass *run, uint32_t section, uint32_t waiter)
{
    uint32_t top = run->best[section + run->leaves];
    run->waits_at[waiter] = section;
    best_set(run, section, queue_meld(run, top == NOBODY ? 0 : top, waiter));
}

static void queue_pop(pass *run, uint32_t section)
{
    uint32_t top = run->best[section + run->leaves];
    best_set(run, section, queue_meld(run, run->left[top], run->right[top]));
    run->left[top] = run->right[top] = 0;
}

/* ---- late blocks ---- */

static bool entry_before(plan_entry a, plan_entry b)
{
    return a.key != b.key ? a.key < b.key : a.rank < b.rank;
}

static void late_push(pass *run, plan_entry entry)
{
    uint32_t hole = run->late_count++;
    for (; hole && entry_before(entry, run->late[(hole - 1) / 2]); hole = (hole - 1) / 2)
        run->late[hole] = run->late[(hole - 1) / 2];
    run->late[hole] = entry;
}

static void late_pop(pass *run)
{
    plan_entry entry = run->late[--run->late_count];
    uint32_t hole = 0;
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= run->late_count) break;
        if (child + 1 < run->late_count && entry_before(run->late[child + 1], run->late[child]))
            child++;
        if (!entry_before(run->late[child], entry)) break;
        run->late[hole] = run->late[child];
        hole = child;
    }
    run->late[hole] = entry;
}

/* ---- where blocks can lie ---- */

/* The first offset from `offset` on at which no span of the block meets an obstacle. */
static int64_t past_obstacles(const plan_skyline *in, uint32_t block, int64_t alignment,
                              int64_t offset)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t o = 0; o < in->obstacle_count; o++) {
            const plan_obstacle *obstacle = &in->obstacles[o];
            for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
                const plan_span *span = &in->spans[p];
                if (span->low >= obstacle->high || obstacle->low >= span->high) continue;
                if (offset + span->bottom >= obstacle->top ||
                    obstacle->bottom >= offset + span->top)
                    continue;
                offset = plan_round_up(obstacle->top - span->bottom, alignment);
                moved = true;
            }
        }
    }
    return offset;
}

/* Where a block can lie now and, if it is one that holds it up there, the node of the section. */
typedef struct spot {
    int64_t offset;
    uint32_t node; /* 0 = held up by something else */
} spot;

static spot lowest_place(const pass *run, uint32_t block)
{
    const plan_skyline *in = run->in;
    spot found = {.offset = -1};
    for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
        const plan_span *span = &in->spans[p];
        uint32_t node;
        int64_t offset =
            plan_tops_highest(run->tops, run->leaves, span->low, span->high, &node) - span->bottom;
        if (offset > found.offset) found = (spot){offset, span->bottom ? 0 : node};
    }
    if (!in->alignment && !in->obstacle_count && found.offset >= 0) return found;
    int64_t alignment = in->alignment ? in->alignment[block] : 1;
    int64_t offset = plan_round_up(plan_larger(found.offset, 0), alignment);
    if (in->obstacle_count) offset = past_obstacles(in, block, alignment, offset);
    return offset == found.offset ? found : (spot){offset, 0};
}

/* Lets a block wait for the place that it was found. */
static void wait_at(pass *run, uint32_t rank, spot place)
{
    if (!place.node) {
        late_push(run, (plan_entry){.key = place.offset, .rank = rank});
        return;
    }
    uint32_t section = plan_tops_section(run->tops, run->leaves, place.node);
    uint32_t segment = segment_of(run, section);
    uint32_t in_heap = run->place[segment];
    queue_push(run, section, rank + 1);
    if (!in_heap || rank + 1 < run->heap[in_heap - 1].waiter) heap_fix(run, segment, rank + 1);
}

/* Makes [low, high) a segment. */
static void segment_make(pass *run, uint32_t low, uint32_t high, int64_t height)
{
    run->starts[low / 64] |= (uint64_t)1 << low % 64;
    run->height[low] = height;
    heap_fix(run, low, best_in(run, low, high));
}

/* Raises the sections [low, high) to `top`. What sticks out of them on either side stays a
 * segment. */
static void raise_span(pass *run, uint32_t low, uint32_t high, int64_t top)
{
    uint32_t first = segment_of(run, low);
    uint32_t after = segment_from(run, high);
    int64_t right_height = run->height[segment_of(run, high - 1)];
    for (uint32_t s = segment_from(run, low); s < high; s = segment_from(run, s + 1)) {
        heap_drop(run, s);
        run->starts[s / 64] &= ~((uint64_t)1 << s % 64);
    }
    if (first < low) segment_make(run, first, low, run->height[first]);
    if (after > high) segment_make(run, high, after, right_height);
    segment_make(run, low, high, top);
    plan_tops_raise(run->tops, run->leaves, low, high, top);
}

/* ---- the pass itself ---- */

/* Divides `scratch` among the parts of a pass; with scratch NULL counts the bytes alone. */
static size_t pass_memory(pass *run, uint32_t blocks, uint32_t sections, void *scratch)
{
    uintptr_t at = (uintptr_t)scratch;
    size_t segments = (size_t)sections + 1;
    run->leaves = plan_tops_leaves(sections);
    run->tops = plan_carve(&at, (size_t)run->leaves * 4 * sizeof(*run->tops));
    run->best = plan_carve(&at, (size_t)run->leaves * 2 * sizeof(*run->best));
    run->waits_at = plan_carve(&at, ((size_t)blocks + 1) * sizeof(*run->waits_at));
    run->left = plan_carve(&at, ((size_t)blocks + 1) * sizeof(*run->left));
    run->right = plan_carve(&at, ((size_t)blocks + 1) * sizeof(*run->right));
    run->starts = plan_carve(&at, (sections / 64 + 1) * sizeof(*run->starts));
    run->height = plan_carve(&at, segments * sizeof(*run->height));
    run->heap = plan_carve(&at, segments * sizeof(*run->heap));
    run->place = plan_carve(&at, segments * sizeof(*run->place));
    run->late = plan_carve(&at, blocks * sizeof(*run->late));
    return at - (uintptr_t)scratch;
}

size_t plan_skyline_scratch(uint32_t blocks, uint32_t sections)
{
    pass run;
    return pass_memory(&run, blocks, sections, NULL);
}

/* One flat segment at height 0; each block waits at its first section. */
static void pass_start(pass *run)
{
    uint32_t blocks = run->in->block_count;
    uint32_t sections = run->in->section_count;
    uint32_t leaves = run->leaves;
    memset(run->tops, 0, (size_t)leaves * 4 * sizeof(*run->tops));
    memset(run->best, 255, (size_t)leaves * 2 * sizeof(*run->best));
    memset(run->left, 0, ((size_t)blocks + 1) * sizeof(*run->left));
    memset(run->right, 0, ((size_t)blocks + 1) * sizeof(*run->right));
    memset(run->starts, 0, (sections / 64 + 1) * sizeof(*run->starts));
    memset(run->place, 0, ((size_t)sections + 1) * sizeof(*run->place));
    run->heap_count = run->late_count = 0;
    for (uint32_t waiter = blocks; waiter > 0; waiter--) {
        uint32_t section = run->in->spans[run->in->first[run->order[waiter - 1]]].low;
        uint32_t *top = &run->best[section + leaves];
        run->waits_at[waiter] = section;
        *top = queue_meld(run, *top == NOBODY ? 0 : *top, waiter);
    }
    for (uint32_t node = leaves - 1; node > 0; node--) {
        const uint32_t *child = &run->best[2 * node];
        run->best[node] = child[0] < child[1] ? child[0] : child[1];
    }
    segment_make(run, 0, sections, 0);
}

/* Takes the block to look at next off its queue: the lowest, then the best. */
static plan_entry take_next(pass *run)
{
    plan_entry entry = {.key = INT64_MAX};
    uint32_t segment = 0;
    if (run->heap_count) {
        segment = run->heap[0].segment;
        entry = (plan_entry){.key = run->heap[0].height, .rank = run->heap[0].waiter - 1};
    }
    if (run->late_count && entry_before(run->late[0], entry)) {
        entry = run->late[0];
        late_pop(run);
    } else {
        queue_pop(run, run->waits_at[entry.rank + 1]);
        heap_fix(run, segment, best_in(run, segment, segment_from(run, segment + 1)));
    }
    return entry;
}

int64_t plan_skyline_pass(const plan_skyline *in, const uint32_t *order, int64_t stop,
                          void *scratch, int64_t *offsets)
{
    pass run = {.in = in, .order = order};
    int64_t height = 0;
    uint32_t left = in->block_count;
    if (!left) return 0;
    pass_memory(&run, in->block_count, in->section_count, scratch);
    pass_start(&run);
    while (left) {
        plan_entry entry = take_next(&run);
        uint32_t block = order[entry.rank];
        spot place = lowest_place(&run, block);
        if (place.offset > entry.key) {
            wait_at(&run, entry.rank, place);
            continue;
        }
        offsets[block] = place.offset;
        for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
            const plan_span *span = &in->spans[p];
            raise_span(&run, span->low, span->high, place.offset + span->top);
            height = plan_larger(height, place.offset + span->top);
        }
        if (height >= stop) return INT64_MAX;
        left--;
    }
    return height;
}
