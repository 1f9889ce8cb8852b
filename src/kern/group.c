/* group.c -- rows that a work-group takes instead of one work-item: long ones.
 *
 * All work-items of the group run the row's lines. Loops are dealt out: each takes every FE_GROUP-th step,
 * such that neighbours touch neighbours, and what it comes to is joined behind the loop. Values between the
 * loops are the same for all; the first one alone stores them. A barrier stands where one work-item reads
 * what another has stored, or stores where another may still read: results share memory with operands
 * (sched/share.c).
 */
#include "kern/kern_priv.h"

enum {
    LEAST_STEPS = 2,    /* of a work-item, in the longest loop */
    MANY_ROWS = 1 << 16 /* keep all units busy, one by one */
};

typedef struct sharing {
    kern_ir *k;
    arena *memory;
    uint32_t group;
    map started;             /* sums, in the loop at hand */
    uint64_t loaded, stored; /* memories, since the last barrier */
} sharing;

/* ---- may the work-items of a group share a loop? ---- */

/* What is stored in it is read by the same step at most, at the same place. */
static bool is_read_elsewhere(const sharing *s, const kern_loop *loop, const kern_store *st)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        const kern_value *v = &s->k->values.at[item->value];
        if (item->kind == KERN_LOOP && is_read_elsewhere(s, item->loop, st)) return true;
        if (item->kind == KERN_DEFINE && v->kind == KERN_LOAD && v->memory == st->memory &&
            !sym_same(v->index, st->index))
            return true;
    }
    return false;
}

static bool may_share(const sharing *s, const kern_loop *whole, const kern_loop *loop)
{
    bool may = true;
    for (uint32_t i = 0; i < loop->items.count && may; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_LOOP) may = may_share(s, whole, item->loop);
        if (item->kind == KERN_BOUND) may = item->bound.is_known; /* all leave, or none */
        if (item->kind == KERN_START) may = !s->k->sums.at[item->sum].running;
        if (item->kind == KERN_UPDATE) may = !s->k->sums.at[item->sum].running;
        if (item->kind == KERN_STORE)
            may = item->store.mode == LOOP_SET && !is_read_elsewhere(s, whole, &item->store) &&
                  !sym_has_kind(s->k->symbols, item->store.index, SYM_INDIRECT) &&
                  sym_contains(s->k->symbols, item->store.index, whole->symbol);
    }
    return may;
}

/* The one loop in it, if all other lines are values that do not come from loops. */
static kern_loop *only_loop(const kern_ir *k, const kern_loop *loop)
{
    kern_loop *found = NULL;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        bool is_value = item->kind == KERN_DEFINE && k->values.at[item->value].kind != KERN_RESULT;
        if (item->kind == KERN_BOUND) is_value = item->bound.is_known;
        if (is_value) continue;
        if (item->kind != KERN_LOOP || found) return NULL;
        found = item->loop;
    }
    return found;
}

/* The longest of the loops around each other, of equal ones the innermost; NULL: none may be shared. */
static kern_loop *loop_to_share(const sharing *s, kern_loop *loop)
{
    kern_loop *best = NULL;
    int64_t longest = 0;
    for (; loop; loop = only_loop(s->k, loop)) {
        int64_t steps = kern_usual(s->k, loop->extent, s->memory);
        if (steps < longest || loop->kind != KERN_SEQUENCE || !may_share(s, loop, loop)) continue;
        longest = steps;
        best = loop;
    }
    return best;
}

static kern_loop *rows_of(const kern_ir *k)
{
    return k->body->items.count == 1 && k->body->items.at[0].kind == KERN_LOOP
               ? k->body->items.at[0].loop
               : NULL;
}

static bool adds_up(const kern_item *item)
{
    return item->kind == KERN_STORE && item->store.mode != LOOP_SET;
}

/* Steps of the longest loop; 0: the rows are no group's. */
static int64_t steps_of(const sharing *s, const kern_loop *rows)
{
    int64_t longest = 0;
    for (uint32_t i = 0; i < rows->items.count; i++) {
        const kern_item *item = &rows->items.at[i];
        kern_loop *loop = item->kind == KERN_LOOP ? loop_to_share(s, item->loop) : NULL;
        if (adds_up(item) || (item->kind == KERN_LOOP && !loop)) return 0;
        int64_t steps = loop ? kern_usual(s->k, loop->extent, s->memory) : 0;
        if (steps > longest) longest = steps;
    }
    return longest;
}

/* ---- sharing ---- */

static void share_sums(sharing *s, const kern_loop *loop)
{
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item *item = &loop->items.at[i];
        if (item->kind == KERN_START) map_set(s->memory, &s->started, item->sum, 1);
        if (item->kind == KERN_UPDATE && map_get(&s->started, item->sum) == MAP_NONE)
            s->k->sums.at[item->sum].shared = true;
        if (item->kind == KERN_LOOP) share_sums(s, item->loop);
    }
}

static void share(sharing *s, kern_loop *loop)
{
    loop->shared = true;
    loop->block *= s->group;
    s->started = (map){0};
    share_sums(s, loop);
}

/* ---- barriers ---- */

static uint64_t bit_of(uint32_t memory)
{
    return 1ull << (memory < 63 ? memory : 63);
}

static void note(const sharing *s, const kern_item *item, uint64_t *loads, uint64_t *stores)
{
    if (item->kind == KERN_STORE) *stores |= bit_of(item->store.memory);
    if (item->kind == KERN_DEFINE && s->k->values.at[item->value].kind == KERN_LOAD)
        *loads |= bit_of(s->k->values.at[item->value].memory);
    for (uint32_t i = 0; item->kind == KERN_LOOP && i < item->loop->items.count; i++)
        note(s, &item->loop->items.at[i], loads, stores);
}

static bool is_joined(const sharing *s, const kern_item *item)
{
    const kern_value *v = &s->k->values.at[item->value];
    return item->kind == KERN_DEFINE && v->kind == KERN_RESULT && s->k->sums.at[v->sum].shared;
}

/* What may be stored may be the memory of anything that was read. */
static bool needs_barrier(const sharing *s, uint64_t loads, uint64_t stores)
{
    return (loads & s->stored) || (stores && (s->loaded | s->stored));
}

static void place_barriers(sharing *s, kern_loop *rows)
{
    kern_loop made = *rows;
    made.items.at = NULL;
    made.items.count = made.items.capacity = 0;
    for (uint32_t i = 0; i < rows->items.count; i++) {
        const kern_item *item = &rows->items.at[i];
        uint64_t loads = 0, stores = 0;
        note(s, item, &loads, &stores);
        bool clears = is_joined(s, item);
        if (needs_barrier(s, loads, stores)) {
            vec_push(s->memory, &made.items, (kern_item){.kind = KERN_BARRIER});
            clears = true;
        }
        if (clears) s->loaded = s->stored = 0;
        s->loaded |= loads;
        s->stored |= stores;
        vec_push(s->memory, &made.items, *item);
    }
    rows->items = made.items;
}

void kern_share_rows(kern_ir *k, int64_t rows, uint32_t group, arena *memory)
{
    sharing s = {.k = k, .memory = memory, .group = group};
    kern_loop *loop = rows_of(k);
    if (!group || !loop || k->serial || k->columns || k->tile_count || k->lanes > 1) return;
    if (rows >= MANY_ROWS || steps_of(&s, loop) < (int64_t)LEAST_STEPS * group) return;
    k->by_groups = true;
    for (uint32_t i = 0; i < loop->items.count; i++)
        if (loop->items.at[i].kind == KERN_LOOP)
            share(&s, loop_to_share(&s, loop->items.at[i].loop));
    place_barriers(&s, loop);
}

/* ---- and back ---- */

static void take_alone(kern_ir *k, kern_loop *loop)
{
    uint32_t kept = 0;
    loop->shared = false;
    for (uint32_t i = 0; i < loop->items.count; i++) {
        const kern_item item = loop->items.at[i];
        if (item.kind == KERN_LOOP) take_alone(k, item.loop);
        if (item.kind == KERN_BARRIER) continue;
        loop->items.at[kept] = item;
        loop->items.at[kept++].store.atomic = false;
    }
    loop->items.count = kept;
}

void kern_take_alone(kern_ir *k)
{
    k->by_groups = false;
    k->tiles = (target_tiles){0};
    for (uint32_t i = 0; i < k->sums.count; i++) k->sums.at[i].shared = false;
    for (uint32_t i = 1; i < k->values.count; i++)
        if (k->values.at[i].kind == KERN_JOIN) k->values.at[i].kind = KERN_READ;
    take_alone(k, k->body);
}
