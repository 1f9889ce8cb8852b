/* replan.c -- the skyline pass and what plans again at run time. libc alone: rt/ compiles this file too. */
#include "replan.h"

#include <stdbool.h>
#include <string.h>

/* ---- tops of the sections ------------------------------------------------------------------- */

/* `tops` is a binary tree of 2 * leaves: tops[k] is the highest top in the sections under k. Behind it lies
 * `raised`: the highest value that was put on all the sections under k at once. */

static uint32_t leaves_of(uint32_t section_count)
{
    uint32_t leaves = 1;
    while (leaves < section_count) leaves *= 2;
    return leaves;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Highest top in the sections [low, high). Nodes that hold part of the range count by what was raised on them
 * as a whole; nodes inside the range by their highest. Node 0 is no node and stays 0: it stands for "none". */
static int64_t tops_highest(const int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high)
{
    const int64_t *raised = tops + (size_t)leaves * 2;
    uint32_t left = low + leaves;
    uint32_t right = high - 1 + leaves;
    int64_t best = larger(tops[left], tops[right]);
    while ((left ^ right) > 1) {
        uint32_t inside_left = (left + 1) & ((left & 1) - 1);    /* the sibling, if it is on the inside */
        uint32_t inside_right = (right - 1) & (0 - (right & 1));
        left >>= 1;
        right >>= 1;
        best = larger(best, larger(tops[inside_left], tops[inside_right]));
        best = larger(best, larger(raised[left], raised[right]));
    }
    while (left >>= 1) best = larger(best, raised[left]);
    return best;
}

static void tops_lift(int64_t *tops, int64_t *raised, uint32_t node, int64_t top)
{
    tops[node] = larger(tops[node], top);
    raised[node] = larger(raised[node], top);
}

static void tops_raise(int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high, int64_t top)
{
    int64_t *raised = tops + (size_t)leaves * 2;
    uint32_t left = low + leaves;
    uint32_t right = high - 1 + leaves;
    tops_lift(tops, raised, left, top);
    tops_lift(tops, raised, right, top);
    while ((left ^ right) > 1) {
        if (!(left & 1)) tops_lift(tops, raised, left ^ 1, top);
        if (right & 1) tops_lift(tops, raised, right ^ 1, top);
        left >>= 1;
        right >>= 1;
        tops[left] = larger(tops[left], top);
        tops[right] = larger(tops[right], top);
    }
    while (left >>= 1) tops[left] = larger(tops[left], top);
}

/* A section in [low, high) that is as high as `top`, which is the highest there or higher; `high` when there
 * is none. */
static uint32_t tops_find(const int64_t *tops, uint32_t leaves, uint32_t low, uint32_t high, int64_t top)
{
    const int64_t *raised = tops + (size_t)leaves * 2;
    uint32_t left = low + leaves;
    uint32_t right = high - 1 + leaves;
    uint32_t node = tops[left] == top ? left : tops[right] == top ? right : 0;
    while (!node && (left ^ right) > 1) {
        if (!(left & 1) && tops[left ^ 1] == top) node = left ^ 1;
        if (right & 1 && tops[right ^ 1] == top) node = right ^ 1;
        left >>= 1;
        right >>= 1;
        if (raised[left] == top) return low;
        if (raised[right] == top) return high - 1;
    }
    while (!node && (left >>= 1))
        if (raised[left] == top) return low;
    if (!node) return high;
    while (node < leaves && raised[node] != top) node = 2 * node + (tops[2 * node] != top);
    while (node < leaves) node *= 2;
    return node - leaves;
}

/* ---- one pass ------------------------------------------------------------------------------- */

/* A pass keeps the skyline as segments: runs of sections with one height, each known by its first section. A
 * block that cannot be placed yet waits at a section that holds it up. Raising a segment therefore raises all
 * who wait in it at once, and a block is looked at again only when it is the best one waiting in the lowest
 * segment. Blocks held up by something else (an alignment, an obstacle, the inside of a group) wait in a heap
 * of their own, `late`. "Better" means earlier in the order; ranks are kept plus 1, so that 0 is free. */
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
    uint32_t *waiter;       /* by segment: best waiter in it */
    uint32_t *heap;         /* segments with waiters, lowest first, then by best waiter */
    uint32_t *place;        /* by segment: its place in `heap` + 1; 0 = not there */
    uint32_t heap_count, late_count;
    plan_entry *late;
} pass;

#define NOBODY UINT32_MAX

static int64_t align_up(int64_t offset, int64_t alignment)
{
    return (offset + alignment - 1) & ~(alignment - 1);
}

/* ---- segments and their heap ---- */

/* The segment that section s lies in. Section 0 always starts one. */
static uint32_t segment_of(const pass *run, uint32_t s)
{
    uint32_t word = s / 64;
    uint64_t bits = run->starts[word] & (~(uint64_t)0 >> (63 - s % 64));
    while (!bits) bits = run->starts[--word];
    return word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
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
    return bits ? word * 64 + (uint32_t)__builtin_ctzll(bits) : count;
}

static bool segment_before(const pass *run, uint32_t a, uint32_t b)
{
    if (run->height[a] != run->height[b]) return run->height[a] < run->height[b];
    return run->waiter[a] < run->waiter[b];
}

static void heap_put(pass *run, uint32_t place, uint32_t segment)
{
    run->heap[place] = segment;
    run->place[segment] = place + 1;
}

static void heap_rise(pass *run, uint32_t place, uint32_t segment)
{
    while (place) {
        uint32_t parent = (place - 1) / 2;
        if (!segment_before(run, segment, run->heap[parent])) break;
        heap_put(run, place, run->heap[parent]);
        place = parent;
    }
    heap_put(run, place, segment);
}

static void heap_sink(pass *run, uint32_t place, uint32_t segment)
{
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= run->heap_count) break;
        if (child + 1 < run->heap_count && segment_before(run, run->heap[child + 1], run->heap[child])) child++;
        if (!segment_before(run, run->heap[child], segment)) break;
        heap_put(run, place, run->heap[child]);
        place = child;
    }
    heap_put(run, place, segment);
}

static void heap_drop(pass *run, uint32_t segment)
{
    uint32_t place = run->place[segment];
    if (!place) return;
    run->place[segment] = 0;
    uint32_t last = run->heap[--run->heap_count];
    if (last == segment) return;
    if (place > 1 && segment_before(run, last, run->heap[(place - 2) / 2]))
        heap_rise(run, place - 1, last);
    else
        heap_sink(run, place - 1, last);
}

/* Puts the segment where it belongs after its height or its best waiter changed. */
static void heap_fix(pass *run, uint32_t segment)
{
    uint32_t place = run->place[segment];
    if (run->waiter[segment] == NOBODY) {
        heap_drop(run, segment);
    } else if (!place) {
        heap_rise(run, run->heap_count++, segment);
    } else if (place > 1 && segment_before(run, segment, run->heap[(place - 2) / 2])) {
        heap_rise(run, place - 1, segment);
    } else {
        heap_sink(run, place - 1, segment);
    }
}

/* ---- queues ---- */

/* Melds two queues; the better rank ends on top. The walk down the right sides swaps the children of what it
 * passes, which keeps the cost at O(log n) on average over a run (Sleator and Tarjan's skew heaps). */
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
        if (child + 1 < run->late_count && entry_before(run->late[child + 1], run->late[child])) child++;
        if (!entry_before(run->late[child], entry)) break;
        run->late[hole] = run->late[child];
        hole = child;
    }
    run->late[hole] = entry;
}

/* ---- where blocks can lie ---- */

/* The first offset from `offset` on at which no span of the block meets an obstacle. */
static int64_t past_obstacles(const plan_skyline *in, uint32_t block, int64_t alignment, int64_t offset)
{
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t o = 0; o < in->obstacle_count; o++) {
            const plan_obstacle *obstacle = &in->obstacles[o];
            for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
                const plan_span *span = &in->spans[p];
                if (span->low >= obstacle->high || obstacle->low >= span->high) continue;
                if (offset + span->bottom >= obstacle->top || obstacle->bottom >= offset + span->top) continue;
                offset = align_up(obstacle->top - span->bottom, alignment);
                moved = true;
            }
        }
    }
    return offset;
}

static int64_t lowest_place(const pass *run, uint32_t block)
{
    const plan_skyline *in = run->in;
    int64_t offset = 0;
    for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
        const plan_span *span = &in->spans[p];
        offset = larger(offset, tops_highest(run->tops, run->leaves, span->low, span->high) - span->bottom);
    }
    int64_t alignment = in->alignment ? in->alignment[block] : 1;
    offset = align_up(offset, alignment);
    return in->obstacle_count ? past_obstacles(in, block, alignment, offset) : offset;
}

/* A section of the block whose height is `offset`; section_count when there is none. */
static uint32_t holding_section(const pass *run, uint32_t block, int64_t offset)
{
    const plan_skyline *in = run->in;
    for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
        if (in->spans[p].bottom) continue;
        uint32_t section = tops_find(run->tops, run->leaves, in->spans[p].low, in->spans[p].high, offset);
        if (section != in->spans[p].high) return section;
    }
    return in->section_count;
}

/* Lets a block that cannot lie below `offset` wait there. */
static void wait_at(pass *run, uint32_t rank, int64_t offset)
{
    uint32_t section = holding_section(run, run->order[rank], offset);
    if (section == run->in->section_count) {
        late_push(run, (plan_entry){.key = offset, .rank = rank});
        return;
    }
    uint32_t segment = segment_of(run, section);
    queue_push(run, section, rank + 1);
    if (rank + 1 >= run->waiter[segment]) return;
    run->waiter[segment] = rank + 1;
    heap_fix(run, segment);
}

/* Makes [low, high) a segment. */
static void segment_make(pass *run, uint32_t low, uint32_t high, int64_t height)
{
    run->starts[low / 64] |= (uint64_t)1 << low % 64;
    run->height[low] = height;
    run->waiter[low] = best_in(run, low, high);
    heap_fix(run, low);
}

/* Raises the sections [low, high) to `top`. What sticks out of them on either side stays a segment. */
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
    tops_raise(run->tops, run->leaves, low, high, top);
}

/* ---- the pass itself ---- */

/* Hands out scratch in steps of 8 bytes. */
static void *carve(char **at, size_t bytes)
{
    void *start = *at;
    *at += (bytes + 7) & ~(size_t)7;
    return start;
}

/* Divides `scratch` among the parts of a pass; with scratch NULL counts the bytes alone. */
static size_t pass_memory(pass *run, uint32_t blocks, uint32_t sections, void *scratch)
{
    char *at = scratch;
    size_t segments = (size_t)sections + 1;
    run->leaves = leaves_of(sections);
    run->tops = carve(&at, (size_t)run->leaves * 4 * sizeof(*run->tops));
    run->best = carve(&at, (size_t)run->leaves * 2 * sizeof(*run->best));
    run->waits_at = carve(&at, ((size_t)blocks + 1) * sizeof(*run->waits_at));
    run->left = carve(&at, ((size_t)blocks + 1) * sizeof(*run->left));
    run->right = carve(&at, ((size_t)blocks + 1) * sizeof(*run->right));
    run->starts = carve(&at, (sections / 64 + 1) * sizeof(*run->starts));
    run->height = carve(&at, segments * sizeof(*run->height));
    run->waiter = carve(&at, segments * sizeof(*run->waiter));
    run->heap = carve(&at, segments * sizeof(*run->heap));
    run->place = carve(&at, segments * sizeof(*run->place));
    run->late = carve(&at, blocks * sizeof(*run->late));
    return (size_t)(at - (char *)scratch);
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
        segment = run->heap[0];
        entry = (plan_entry){.key = run->height[segment], .rank = run->waiter[segment] - 1};
    }
    if (run->late_count && entry_before(run->late[0], entry)) {
        entry = run->late[0];
        late_pop(run);
    } else {
        queue_pop(run, run->waits_at[entry.rank + 1]);
        run->waiter[segment] = best_in(run, segment, segment_from(run, segment + 1));
        heap_fix(run, segment);
    }
    return entry;
}

int64_t plan_skyline_pass(const plan_skyline *in, const uint32_t *order, int64_t stop, void *scratch, int64_t *offsets)
{
    pass run = {.in = in, .order = order};
    int64_t highest = 0;
    uint32_t left = in->block_count;
    if (!left) return 0;
    pass_memory(&run, in->block_count, in->section_count, scratch);
    pass_start(&run);
    while (left) {
        plan_entry entry = take_next(&run);
        uint32_t block = order[entry.rank];
        int64_t offset = lowest_place(&run, block);
        if (offset > entry.key) {
            wait_at(&run, entry.rank, offset);
            continue;
        }
        offsets[block] = offset;
        for (uint32_t p = in->first[block]; p < in->first[block + 1]; p++) {
            const plan_span *span = &in->spans[p];
            raise_span(&run, span->low, span->high, offset + span->top);
            highest = larger(highest, offset + span->top);
        }
        if (highest >= stop) return INT64_MAX;
        left--;
    }
    return highest;
}

/* ---- sorting -------------------------------------------------------------------------------- */

static void insertion_sort(uint64_t *keys, uint32_t *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t id = ids[i];
        uint32_t k = i;
        for (; k && keys[k - 1] > key; k--) {
            keys[k] = keys[k - 1];
            ids[k] = ids[k - 1];
        }
        keys[k] = key;
        ids[k] = id;
    }
}

/* Radix sort from the lowest byte up; bytes that are the same in all keys are skipped. */
void plan_sort(uint64_t *keys, uint32_t *ids, uint64_t *spare_keys, uint32_t *spare_ids, uint32_t count)
{
    if (count <= 32) {
        insertion_sort(keys, ids, count);
        return;
    }
    uint64_t differ = 0;
    for (uint32_t i = 1; i < count; i++) differ |= keys[i] ^ keys[0];
    for (int shift = 0; shift < 64; shift += 8) {
        if (!((differ >> shift) & 255)) continue;
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < count; i++) start[((keys[i] >> shift) & 255) + 1]++;
        for (int b = 0; b < 256; b++) start[b + 1] += start[b];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t to = start[(keys[i] >> shift) & 255]++;
            spare_keys[to] = keys[i];
            spare_ids[to] = ids[i];
        }
        memcpy(keys, spare_keys, sizeof(*keys) * count);
        memcpy(ids, spare_ids, sizeof(*ids) * count);
    }
}

/* ---- planning again ------------------------------------------------------------------------- */

/* A call of plan_replan. */
typedef struct replan {
    const plan_template *t;
    const plan_sizes *sizes;
    plan_skyline blocks;
    plan_span *spans;
    plan_obstacle *obstacles;
    int64_t *base;   /* by block: where it is fixed, -1 = free */
    int64_t *load;   /* by section */
    int64_t *trial, *best; /* offsets by block */
    uint64_t *keys;
    uint32_t *order;
    void *pass_scratch;
} replan;

static size_t replan_memory(replan *r, const plan_template *t, void *scratch)
{
    char *at = scratch;
    size_t blocks = t->block_count;
    r->spans = carve(&at, t->stretch_count * sizeof(*r->spans));
    r->obstacles = carve(&at, t->stretch_count * sizeof(*r->obstacles));
    r->base = carve(&at, blocks * sizeof(*r->base));
    r->load = carve(&at, ((size_t)t->section_count + 1) * sizeof(*r->load));
    r->trial = carve(&at, blocks * sizeof(*r->trial));
    r->best = carve(&at, blocks * sizeof(*r->best));
    r->keys = carve(&at, 2 * blocks * sizeof(*r->keys));
    r->order = carve(&at, 2 * blocks * sizeof(*r->order));
    r->pass_scratch = carve(&at, plan_skyline_scratch(t->block_count, t->section_count));
    return (size_t)(at - (char *)scratch);
}

size_t plan_replan_scratch(const plan_template *t)
{
    replan r;
    return replan_memory(&r, t, NULL);
}

/* Where the room of a stretch begins and ends, from the start of its block. */
static plan_span span_of(const replan *r, const plan_stretch *stretch)
{
    plan_span span = {.low = stretch->low, .high = stretch->high, .bottom = INT64_MAX, .top = 0};
    for (uint32_t m = stretch->from; m < stretch->to; m++) {
        uint32_t buffer = r->t->members[m];
        int64_t shift = r->sizes->shift ? r->sizes->shift[buffer] : 0;
        int64_t size = r->sizes->size[buffer];
        if (size == 0) continue;
        if (shift < span.bottom) span.bottom = shift;
        span.top = larger(span.top, shift + size);
    }
    if (span.top == 0) span.bottom = 0;
    span.bottom &= ~(r->sizes->alignment - 1);
    span.top = align_up(span.top, r->sizes->alignment);
    return span;
}

/* Fixes the blocks that have a fixed member. */
static void find_bases(replan *r)
{
    const plan_template *t = r->t;
    for (uint32_t b = 0; b < t->block_count; b++) r->base[b] = -1;
    if (!r->sizes->fixed) return;
    for (uint32_t i = 0; i < t->buffer_count; i++)
        if (r->sizes->fixed[i] >= 0 && t->block_of[i] != UINT32_MAX)
            r->base[t->block_of[i]] = r->sizes->fixed[i] - (r->sizes->shift ? r->sizes->shift[i] : 0);
}

/* Fills in spans, obstacles and the load of the sections. Returns the lower bound. */
static int64_t measure(replan *r)
{
    const plan_template *t = r->t;
    int64_t bound = 0;
    memset(r->load, 0, ((size_t)t->section_count + 1) * sizeof(*r->load));
    find_bases(r);
    for (uint32_t b = 0; b < t->block_count; b++) {
        for (uint32_t s = t->first[b]; s < t->first[b + 1]; s++) {
            plan_span span = span_of(r, &t->stretches[s]);
            r->spans[s] = span;
            r->load[span.low] += span.top - span.bottom;
            r->load[span.high] -= span.top - span.bottom;
            bound = larger(bound, span.top);
            if (r->base[b] < 0) continue;
            span.bottom += r->base[b];
            span.top += r->base[b];
            bound = larger(bound, span.top);
            r->obstacles[r->blocks.obstacle_count++] = span;
        }
    }
    int64_t load = 0;
    for (uint32_t s = 0; s < t->section_count; s++) {
        load += r->load[s];
        bound = larger(bound, load);
    }
    return bound;
}

/* The movable blocks in the order numbered `index`: as the template has it, and then by size within that.
 * Returns how many there are. */
static uint32_t order_for(replan *r, uint32_t index)
{
    const plan_template *t = r->t;
    const uint32_t *order = t->orders + (size_t)(index % t->order_count) * t->block_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->block_count; i++) {
        uint32_t block = order[i];
        if (r->base[block] >= 0) continue;
        int64_t size = 0;
        for (uint32_t s = t->first[block]; s < t->first[block + 1]; s++) size = larger(size, r->spans[s].top);
        r->keys[count] = ~(uint64_t)size;
        r->order[count++] = block;
    }
    if (index >= t->order_count) plan_sort(r->keys, r->order, r->keys + count, r->order + count, count);
    return count;
}

static void write_offsets(const replan *r, int64_t *offsets)
{
    const plan_template *t = r->t;
    for (uint32_t i = 0; i < t->buffer_count; i++) {
        uint32_t block = t->block_of[i];
        offsets[i] = 0;
        if (block == UINT32_MAX || (r->sizes->size[i] == 0 && r->base[block] < 0)) continue;
        offsets[i] = r->base[block] >= 0 ? r->base[block] : r->best[block];
        if (r->sizes->shift) offsets[i] += r->sizes->shift[i];
    }
}

int64_t plan_replan(const plan_template *t, const plan_sizes *sizes, void *scratch, int64_t *offsets, int64_t *bound)
{
    replan r = {.t = t, .sizes = sizes};
    replan_memory(&r, t, scratch);
    r.blocks.first = t->first;
    r.blocks.spans = r.spans;
    r.blocks.section_count = t->section_count;
    r.blocks.obstacles = r.obstacles;
    int64_t least = measure(&r);
    int64_t height = INT64_MAX;
    for (uint32_t i = 0; i < 2 * t->order_count && height > least; i++) {
        r.blocks.block_count = order_for(&r, i);
        int64_t reached = plan_skyline_pass(&r.blocks, r.order, height, r.pass_scratch, r.trial);
        if (reached >= height) continue;
        int64_t *worse = r.best;
        r.best = r.trial;
        r.trial = worse;
        height = larger(reached, least);
    }
    write_offsets(&r, offsets);
    if (bound) *bound = least;
    return height == INT64_MAX ? least : height;
}
