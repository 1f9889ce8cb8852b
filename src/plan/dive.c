/* dive.c -- see dive.h. As in quick.c the loops have no branches and no tails. What a step writes one by one
 * no vector reads soon, which would stall. */
#include "plan/dive.h"

#include <stdbool.h>

enum { LANES = PLAN_QUICK_LANES, LEVELS = 64, SLOT_BITS = 9, SLOT = (1 << SLOT_BITS) - 1 };
_Static_assert(PLAN_QUICK_SPANS <= SLOT + 1, "a key has room for every slot");
#define PLACED INT32_MAX /* the key of what is placed, and of padding; the room of no section */

size_t plan_dive_memory(plan_dive *d, uint32_t blocks, uint32_t spans, uint32_t sections,
                        void *scratch)
{
    uintptr_t at = (uintptr_t)scratch;
    d->keys = plan_carve(&at, LEVELS * PLAN_WHOLE_LANES((size_t)spans) * sizeof *d->keys);
    d->self = plan_carve_lanes(&at, spans);
    d->room = plan_carve_lanes(&at, sections);
    d->path = plan_carve_lanes(&at, blocks + 1);
    return at - (uintptr_t)scratch;
}

/* ---- over all slots or sections ---- */

/* From the keys of one level those of the next: what lives in sections [low, high) rises to `top`, slot
 * `placed` is no longer there. Returns the least key after `after`. */
PLAN_INSIDE plan_units raise(const plan_quick *q, const plan_units *restrict self,
                             const plan_units *restrict from, plan_units *restrict to,
                             plan_units slots, plan_units low, plan_units high, plan_units top,
                             plan_units placed, plan_units after)
{
    const plan_units *restrict first = q->low, *restrict last = q->high;
    plan_units least = PLACED;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++) {
        plan_units meets = -((first[i] < high) & (last[i] > low));
        plan_units onto = ((top << SLOT_BITS) + self[i]) & meets;
        plan_units key = from[i] > onto ? from[i] : onto;
        key |= PLACED & -(i == placed);
        to[i] = key;
        plan_units next = key | (PLACED & -(key <= after));
        least = least < next ? least : next;
    }
    return least;
}

PLAN_INSIDE plan_units least_after(const plan_units *restrict keys, plan_units slots,
                                   plan_units after)
{
    plan_units least = PLACED;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++) {
        plan_units next = keys[i] | (PLACED & -(keys[i] <= after));
        least = least < next ? least : next;
    }
    return least;
}

/* The first key from which on something would fit below. */
PLAN_INSIDE plan_units least_top(const plan_units *restrict keys, const plan_units *restrict top,
                                 plan_units slots)
{
    plan_units least = PLACED >> SLOT_BITS;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++) {
        plan_units above = (keys[i] >> SLOT_BITS) + (keys[i] < PLACED ? top[i] : 0);
        least = least < above ? least : above;
    }
    return least << SLOT_BITS;
}

PLAN_INSIDE plan_units least_room(const plan_units *restrict room, plan_units sections)
{
    plan_units least = PLACED;
    sections &= ~(LANES - 1);
    for (plan_units s = 0; s < sections; s++) least = least < room[s] ? least : room[s];
    return least;
}

/* Whether what is left of each section fits on this key. */
PLAN_INSIDE bool all_fit(const plan_units *restrict room, plan_units sections, plan_units key)
{
    plan_units full = 0;
    sections &= ~(LANES - 1);
    for (plan_units s = 0; s < sections; s++) full |= -(room[s] < key);
    return !full;
}

/* Whether each of two sections has something that leaves the rest of it room. */
PLAN_INSIDE bool both_go_on(const plan_quick *q, const plan_units *restrict keys, plan_units slots,
                            plan_units a, plan_units room_a, plan_units b, plan_units room_b)
{
    const plan_units *restrict first = q->low, *restrict last = q->high;
    plan_units found = 0;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++) {
        plan_units in_a = (first[i] <= a) & (last[i] > a) & (keys[i] <= room_a);
        plan_units in_b = (first[i] <= b) & (last[i] > b) & (keys[i] <= room_b);
        found |= in_a | in_b << 1;
    }
    return found == 3;
}

/* Whether something that is not placed lives in sections [low, high). */
PLAN_INSIDE bool is_under(const plan_quick *q, const plan_units *restrict keys, plan_units slots,
                          plan_units low, plan_units high)
{
    const plan_units *restrict first = q->low, *restrict last = q->high;
    plan_units met = 0;
    slots &= ~(LANES - 1);
    for (plan_units i = 0; i < slots; i++)
        met |= -((first[i] < high) & (last[i] > low) & (keys[i] < PLACED));
    return met;
}

/* Sections [low, high) have so much less to be placed. */
PLAN_INSIDE void add_room(plan_units *restrict room, plan_units low, plan_units high,
                          plan_units size)
{
    plan_units start = low & ~(LANES - 1), end = PLAN_WHOLE_LANES(high) - start;
    room += start;
    low -= start;
    high -= start;
    end &= ~(LANES - 1);
    for (plan_units s = 0; s < end; s++)
        room[s] += (size * (1 << SLOT_BITS)) & -((s >= low) & (s < high));
}

/* ---- one dive ---- */

typedef struct state {
    plan_dive *d;
    plan_quick *q;
    const uint32_t *order;
    plan_units slots, sections, goal;
    uint32_t depth, base;     /* blocks that are placed; those that stay */
    plan_units after;         /* the key that was placed or tried last */
    plan_units next, ceiling; /* the least one after it; none above the ceiling is of use */
} state;

PLAN_INSIDE plan_units *keys_at(const state *s, uint32_t depth)
{
    return s->d->keys + (size_t)(depth % LEVELS) * (size_t)s->slots;
}

static void begin(state *s)
{
    plan_dive *d = s->d;
    const plan_quick *q = s->q;
    plan_units used = (plan_units)q->slot[q->block_count];
    for (plan_units i = 0; i < s->slots; i++) {
        d->keys[i] = i < used ? i : PLACED;
        d->self[i] = i - (q->bottom[i] << SLOT_BITS);
    }
    s->sections = PLAN_WHOLE_LANES((plan_units)q->section_count);
    for (plan_units k = 0; k < s->sections; k++)
        d->room[k] =
            (plan_units)q->section_count <= k ? PLACED : (s->goal - q->left[k]) << SLOT_BITS | SLOT;
}

/* Something must be able to go on in the sections beside a block, or they are lost up to its top. */
PLAN_INSIDE bool fits_beside(const state *s, const plan_units *keys, plan_units low,
                             plan_units high)
{
    const plan_units *room = s->d->room;
    plan_units full = s->goal << SLOT_BITS | SLOT, a = low - 1, b = high;
    bool has_a = a >= 0 && room[a] < full,
         has_b = b < (plan_units)s->q->section_count && room[b] < full;
    if (!has_a && !has_b) return true;
    if (!has_a) a = b;
    if (!has_b) b = a;
    return both_go_on(s->q, keys, s->slots, a, room[a], b, room[b]);
}

/* A block of several slots lies on the highest of its floors. True where that is above this one. */
PLAN_INSIDE bool settle(plan_units *keys, uint32_t from, uint32_t to, plan_units offset)
{
    plan_units highest = offset;
    for (uint32_t k = from; k < to; k++)
        highest = keys[k] >> SLOT_BITS > highest ? keys[k] >> SLOT_BITS : highest;
    for (uint32_t k = from; k < to; k++) keys[k] = highest << SLOT_BITS | (plan_units)k;
    return highest > offset;
}

/* Raises what meets the spans in slots [from, to). Returns the least key that is left. */
PLAN_INSIDE plan_units place_spans(const state *s, plan_units *keys, plan_units *risen,
                                   uint32_t from, uint32_t to, plan_units offset)
{
    const plan_quick *q = s->q;
    plan_units least = PLACED, placed = to - from == 1 ? (plan_units)from : -1;
    for (uint32_t k = from; k < to && placed < 0; k++) keys[k] = PLACED;
    for (uint32_t k = from; k < to; k++) {
        least = raise(q, s->d->self, k == from ? keys : risen, risen, s->slots, q->low[k],
                      q->high[k], offset + q->top[k], placed, s->next);
        add_room(s->d->room, q->low[k], q->high[k], q->top[k] - q->bottom[k]);
    }
    for (uint32_t k = from; k < to && placed < 0; k++)
        keys[k] = offset << SLOT_BITS | (plan_units)k;
    return least;
}

PLAN_INSIDE bool is_below_goal(const state *s, uint32_t from, uint32_t to, plan_units offset)
{
    plan_units top = 0;
    for (uint32_t k = from; k < to; k++) top = s->q->top[k] > top ? s->q->top[k] : top;
    return offset + top <= s->goal;
}

/* Places the block of the next key. False where that cannot be gone on with. */
PLAN_INSIDE bool place(state *s, plan_units *keys)
{
    plan_quick *q = s->q;
    plan_units offset = s->next >> SLOT_BITS, *risen = keys_at(s, s->depth + 1);
    uint32_t at = q->place[s->next & SLOT], from = q->slot[at], to = q->slot[at + 1];
    plan_units least = place_spans(s, keys, risen, from, to, offset);
    q->offsets[s->order[at]] = offset;
    s->d->path[s->depth++] = s->next;
    s->base += s->depth - s->base >= LEVELS - 1;
    s->after = s->next;
    s->next = least;
    s->ceiling = PLACED - 1;
    if (!is_below_goal(s, from, to, offset)) return false;
    return s->depth == q->block_count || (all_fit(s->d->room, s->sections, least) &&
                                          fits_beside(s, risen, q->low[from], q->high[to - 1]));
}

/* Takes back what was placed last. False where nothing else would have helped in its place. */
PLAN_INSIDE bool take_back(state *s)
{
    const plan_quick *q = s->q;
    const plan_units *keys = keys_at(s, s->depth);
    bool has_hat = false;
    s->after = s->d->path[--s->depth];
    uint32_t at = q->place[s->after & SLOT];
    for (uint32_t k = q->slot[at]; k < q->slot[at + 1]; k++) {
        add_room(s->d->room, q->low[k], q->high[k], q->bottom[k] - q->top[k]);
        has_hat = has_hat || is_under(q, keys, s->slots, q->low[k], q->high[k]);
    }
    return has_hat;
}

/* Back to the last block in whose place another one can be tried. */
PLAN_INSIDE bool go_back(state *s)
{
    bool has_hat = false;
    while (!has_hat) {
        if (s->depth == s->base) return false;
        has_hat = take_back(s);
    }
    const plan_units *keys = keys_at(s, s->depth);
    plan_units top = least_top(keys, s->q->top, s->slots) - 1,
               room = least_room(s->d->room, s->sections);
    s->next = least_after(keys, s->slots, s->after);
    s->ceiling = top < room ? top : room;
    return true;
}

static plan_units height_of(const state *s)
{
    const plan_quick *q = s->q;
    plan_units height = 0;
    for (uint32_t i = 0; i < q->block_count; i++)
        for (uint32_t k = q->slot[i]; k < q->slot[i + 1]; k++) {
            plan_units top = q->offsets[s->order[i]] + q->top[k];
            height = height > top ? height : top;
        }
    return height;
}

PLAN_FAST static plan_units dive_run_fast(plan_dive *d, plan_quick *q, const uint32_t *order,
                                          plan_units goal, uint32_t steps)
{
    state s = {.d = d, .q = q, .order = order, .goal = goal, .after = -1, .ceiling = PLACED - 1};
    uint32_t step = 0;
    bool goes_on = true;
    s.slots = (plan_units)plan_quick_begin(q, order);
    begin(&s);
    while (goes_on && s.depth < q->block_count) {
        plan_units *keys = keys_at(&s, s.depth);
        if (s.next <= s.ceiling) {
            uint32_t at = q->place[s.next & SLOT], from = q->slot[at], to = q->slot[at + 1];
            if (to - from > 1 && settle(keys, from, to, s.next >> SLOT_BITS)) {
                s.next = least_after(keys, s.slots, s.after);
                continue;
            }
            step++;
            if (place(&s, keys)) continue;
        }
        goes_on = step++ < steps && go_back(&s);
    }
    q->steps += step + q->block_count / 8;
    return goes_on ? height_of(&s) : -1;
}

plan_units plan_dive_run(plan_dive *d, plan_quick *q, const uint32_t *order, plan_units goal,
                         uint32_t steps)
{
    return dive_run_fast(d, q, order, goal, steps);
}
