/* template.c -- what a plan keeps when sizes change: sections, stretches and orders, for
 * replan.h. */
#include "plan/plan_priv.h"

/* Sections of each buffer, as if none shared storage. Those that never live keep low == high. */
typedef struct lives {
    uint32_t *low, *high;
    uint32_t section_count;
} lives;

static lives number_lives(arena *memory, const plan_buffer *buffers, uint32_t count)
{
    lives l = {NEW_ARRAY(memory, uint32_t, count + 1), NEW_ARRAY(memory, uint32_t, count + 1), 0};
    plan_box *boxes = NEW_ARRAY(memory, plan_box, count + 1);
    uint32_t *buffer_of = NEW_ARRAY(memory, uint32_t, count + 1);
    uint32_t *low = NEW_ARRAY(memory, uint32_t, count + 1);
    uint32_t *high = NEW_ARRAY(memory, uint32_t, count + 1);
    uint32_t live = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (buffers[i].birth >= buffers[i].death) continue;
        buffer_of[live] = i;
        boxes[live++] = (plan_box){.birth = buffers[i].birth, .death = buffers[i].death};
    }
    l.section_count = plan_number_sections(memory, boxes, live, low, high);
    for (uint32_t k = 0; k < live; k++) {
        l.low[buffer_of[k]] = low[k];
        l.high[buffer_of[k]] = high[k];
    }
    return l;
}

typedef struct maker {
    arena *memory;
    lives lives;
    VEC(uint32_t) first;
    VEC(plan_stretch) stretches;
    VEC(uint32_t) members;
} maker;

/* Cuts the life of a block into stretches with the same members. */
static void add_block(maker *m, const uint32_t *buffers, uint32_t count)
{
    const lives *l = &m->lives;
    vec_push(m->memory, &m->first, m->stretches.count);
    uint32_t from = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (l->low[buffers[i]] < from) from = l->low[buffers[i]];
    while (from != UINT32_MAX) {
        plan_stretch stretch = {.low = from, .high = UINT32_MAX, .from = m->members.count};
        uint32_t next = UINT32_MAX; /* where the next stretch begins */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t low = l->low[buffers[i]];
            uint32_t high = l->high[buffers[i]];
            if (low <= from && from < high) {
                vec_push(m->memory, &m->members, buffers[i]);
                if (high < stretch.high) stretch.high = high;
                if (high < next) next = high;
            } else if (low > from && low < next) {
                next = low;
            }
        }
        if (next < stretch.high) stretch.high = next;
        stretch.to = m->members.count;
        if (stretch.to > stretch.from) vec_push(m->memory, &m->stretches, stretch);
        from = next;
    }
}

/* The orders of a template. Among equals the longest life goes first, then the earliest block. */
typedef enum template_order { LATEST_DEATH, EARLIEST_BIRTH, ORDER_COUNT } template_order;

/* Writes a permutation of the blocks. */
static void write_order(arena *memory, const maker *m, uint32_t blocks, template_order by,
                        uint32_t *order)
{
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)blocks * 2);
    uint32_t *spare = NEW_ARRAY(memory, uint32_t, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t birth = m->stretches.at[m->first.at[b]].low;
        uint32_t death = m->stretches.at[m->first.at[b + 1] - 1].high;
        uint64_t first = by == LATEST_DEATH ? ~death : birth;
        keys[b] = first << 32 | (uint32_t) ~(death - birth);
        order[b] = b;
    }
    plan_sort(keys, order, keys + blocks, spare, blocks);
}

/* The buffers of each block in a row: buffers of one group are one block, numbered by its first. */
static uint32_t *join_groups(arena *memory, const plan_buffer *buffers, uint32_t count,
                             const lives *l, uint32_t *block_of, uint32_t *block_count,
                             uint32_t *live_count)
{
    map block_of_group = {0};
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 2 + 1);
    uint32_t *ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 2 + 1);
    uint32_t live = 0;
    for (uint32_t i = 0; i < count; i++) {
        block_of[i] = PLAN_NONE;
        if (l->low[i] == l->high[i]) continue;
        uint32_t block = buffers[i].group ? map_get(&block_of_group, buffers[i].group) : MAP_NONE;
        if (block == MAP_NONE) block = (*block_count)++;
        if (buffers[i].group) map_set(memory, &block_of_group, buffers[i].group, block);
        block_of[i] = block;
        keys[live] = block;
        ids[live++] = i;
    }
    plan_sort(keys, ids, keys + count, ids + count, live);
    *live_count = live;
    return ids;
}

void plan_template_make(arena *memory, const plan_buffer *buffers, uint32_t count,
                        plan_template *out)
{
    maker m = {.memory = memory, .lives = number_lives(memory, buffers, count)};
    uint32_t *block_of = NEW_ARRAY(memory, uint32_t, count + 1);
    uint32_t blocks = 0;
    uint32_t live = 0;
    uint32_t *ids = join_groups(memory, buffers, count, &m.lives, block_of, &blocks, &live);
    for (uint32_t at = 0, end = 0; at < live; at = end) {
        while (end < live && block_of[ids[end]] == block_of[ids[at]]) end++;
        add_block(&m, ids + at, end - at);
    }
    vec_push(memory, &m.first, m.stretches.count);
    uint32_t *orders = NEW_ARRAY(memory, uint32_t, (size_t)blocks * ORDER_COUNT + 1);
    for (int by = 0; by < ORDER_COUNT; by++)
        write_order(memory, &m, blocks, (template_order)by, orders + (size_t)by * blocks);
    *out = (plan_template){.buffer_count = count,
                           .block_count = blocks,
                           .stretch_count = m.stretches.count,
                           .section_count = m.lives.section_count,
                           .order_count = ORDER_COUNT,
                           .first = m.first.at,
                           .stretches = m.stretches.at,
                           .members = m.members.at,
                           .block_of = block_of,
                           .orders = orders};
}
