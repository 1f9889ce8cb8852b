/* group.c -- from buffers to boxes: checks each buffer and joins the members of a group into one
 * profile.
 *
 * A group moves as one block. What it takes of the arena changes with time: in each step from the
 * lowest to the highest byte of its live members, and nothing while none lives. That profile is cut
 * into boxes.
 */
#include "plan/plan_priv.h"

/* A group seen so far. */
typedef struct group_facts {
    uint32_t id;                        /* the caller's number */
    uint32_t block;                     /* PLAN_NONE = fixed, or no member takes room */
    uint32_t fixed_by;                  /* the fixed member; PLAN_NONE = free */
    int64_t base;                       /* where a fixed group starts */
    int64_t alignment;                  /* of its start */
    uint32_t first_member, last_member; /* chained by next_member */
    uint32_t member_count;
} group_facts;

typedef struct grouping {
    arena *memory;
    const plan_buffer *buffers;
    int64_t alignment; /* default */
    bool round_up;     /* sizes, to the alignment */
    VEC(group_facts) groups;
    map group_of_id;
    uint32_t *next_member; /* by buffer */
} grouping;

static fe_status bad_buffer(arena *memory, uint32_t index, const char *message, int64_t value)
{
    diag d = {
        .status = FE_CORRUPT, .stage = "plan", .place = arena_printf(memory, "buffer %u", index)};
    return diag_fail(arena_session(memory), d, message, (long long)value);
}

static bool takes_room(const plan_buffer *buffer)
{
    return buffer->size > 0 && buffer->birth < buffer->death;
}

static int64_t alignment_of(const grouping *g, const plan_buffer *buffer)
{
    return buffer->alignment ? buffer->alignment : g->alignment;
}

/* One buffer by itself. `total` adds up everything that could ever be stacked, so that no later
 * sum can overflow. */
static fe_status check_buffer(const grouping *g, uint32_t index, int64_t *total)
{
    const plan_buffer *b = &g->buffers[index];
    int64_t alignment = alignment_of(g, b);
    if (b->size < 0) return bad_buffer(g->memory, index, "negative size %lld", b->size);
    if (b->death < b->birth)
        return bad_buffer(g->memory, index, "dies before its birth at step %lld", b->birth);
    if (alignment <= 0 || (alignment & (alignment - 1)) || alignment > PLAN_MOST_BYTES)
        return bad_buffer(g->memory, index, "alignment %lld is not a power of two", alignment);
    if (b->fixed && b->fixed_offset < 0)
        return bad_buffer(g->memory, index, "negative fixed offset %lld", b->fixed_offset);
    if (b->group_offset < 0 || (b->group_offset && !b->group))
        return bad_buffer(g->memory, index, "offset %lld in a group is negative or without a group",
                          b->group_offset);
    int64_t parts[] = {b->size, alignment, b->fixed ? b->fixed_offset : 0, b->group_offset};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (parts[i] > PLAN_MOST_BYTES - *total)
            return bad_buffer(g->memory, index, "sizes add up to more than %lld bytes",
                              PLAN_MOST_BYTES);
        *total += parts[i];
    }
    return FE_OK;
}

static fe_status join_group(grouping *g, uint32_t index)
{
    const plan_buffer *b = &g->buffers[index];
    uint32_t at = map_get(&g->group_of_id, b->group);
    if (at == MAP_NONE) {
        at = g->groups.count;
        map_set(g->memory, &g->group_of_id, b->group, at);
        vec_push(g->memory, &g->groups,
                 (group_facts){.id = b->group,
                               .block = PLAN_NONE,
                               .fixed_by = PLAN_NONE,
                               .alignment = 1,
                               .first_member = index,
                               .last_member = index});
    }
    group_facts *group = &g->groups.at[at];
    g->next_member[group->last_member] = index;
    group->last_member = index;
    group->member_count++;
    if (alignment_of(g, b) > group->alignment) group->alignment = alignment_of(g, b);
    if (!b->fixed) return FE_OK;
    if (group->fixed_by != PLAN_NONE)
        return bad_buffer(g->memory, index, "a second fixed buffer in group %lld", b->group);
    group->fixed_by = index;
    group->base = b->fixed_offset - b->group_offset;
    return FE_OK;
}

/* Appends `box`, or extends the last box of the same owner that it continues. */
static void add_box(arena *memory, plan_box_list *list, plan_box box)
{
    plan_box *last = list->count ? &vec_last(list) : NULL;
    if (last && last->owner == box.owner && last->death == box.birth &&
        last->bottom == box.bottom && last->top == box.top)
        last->death = box.death;
    else
        vec_push(memory, list, box);
}

/* Members of a group as an array: those that take room, by birth. */
static uint32_t live_members(const grouping *g, const group_facts *group, uint32_t *members)
{
    uint32_t n = 0;
    uint64_t *keys = NEW_ARRAY(g->memory, uint64_t, (size_t)group->member_count * 2);
    uint32_t *spare = NEW_ARRAY(g->memory, uint32_t, group->member_count);
    uint32_t m = group->first_member;
    for (uint32_t i = 0; i < group->member_count; i++, m = g->next_member[m]) {
        if (!takes_room(&g->buffers[m])) continue;
        keys[n] = (uint64_t)((int64_t)g->buffers[m].birth - INT32_MIN);
        members[n++] = m;
    }
    plan_sort(keys, members, keys + group->member_count, spare, n);
    return n;
}

/* Appends the profile of a group, by a sweep over the births and deaths of its members. `start`
 * is where the group lies, 0 for one that is free; its edges are rounded outward to multiples of
 * `alignment`. */
static void group_boxes(const grouping *g, const group_facts *group, uint32_t owner, int64_t start,
                        int64_t alignment, plan_box_list *list)
{
    uint32_t *members = NEW_ARRAY(g->memory, uint32_t, group->member_count);
    uint32_t n = live_members(g, group, members);
    uint32_t *active = NEW_ARRAY(g->memory, uint32_t, n + 1);
    uint32_t active_count = 0;
    uint32_t next = 0;
    int32_t step = n ? g->buffers[members[0]].birth : 0;
    while (next < n || active_count) {
        if (!active_count) step = g->buffers[members[next]].birth;
        while (next < n && g->buffers[members[next]].birth == step)
            active[active_count++] = members[next++];
        plan_box box = {.birth = step, .death = INT32_MAX, .bottom = INT64_MAX, .owner = owner};
        if (next < n) box.death = g->buffers[members[next]].birth;
        for (uint32_t i = 0; i < active_count; i++) {
            const plan_buffer *b = &g->buffers[active[i]];
            int64_t bottom = start + (b->group_offset & ~(alignment - 1));
            int64_t top = start + plan_round_up(b->group_offset + b->size, alignment);
            if (b->death < box.death) box.death = b->death;
            if (bottom < box.bottom) box.bottom = bottom;
            if (top > box.top) box.top = top;
        }
        add_box(g->memory, list, box);
        step = box.death;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < active_count; i++)
            if (g->buffers[active[i]].death > step) active[kept++] = active[i];
        active_count = kept;
    }
}

/* A fixed buffer, or a member of a group that one of its members fixes. */
static fe_status place_fixed(grouping *g, uint32_t index, group_facts *group, plan_boxes *out)
{
    const plan_buffer *b = &g->buffers[index];
    int64_t base = group ? group->base : b->fixed_offset;
    int64_t alignment = alignment_of(g, b);
    out->fixed_base[index] = base;
    if (base < 0) return bad_buffer(g->memory, index, "its fixed group would start at %lld", base);
    if (base & (alignment - 1))
        return bad_buffer(g->memory, index, "fixed offset %lld is not aligned", base);
    if (!group && takes_room(b)) {
        plan_box box = {.birth = b->birth,
                        .death = b->death,
                        .bottom = base,
                        .top = base + b->size,
                        .owner = index};
        vec_push(g->memory, &out->fixed, box);
    } else if (group && index == group->first_member) {
        group_boxes(g, group, index, base, 1, &out->fixed);
    }
    return FE_OK;
}

/* Makes the block of a buffer that is alone, or of a group at its first member that takes room. */
static fe_status place_buffer(grouping *g, uint32_t index, plan_boxes *out)
{
    const plan_buffer *b = &g->buffers[index];
    group_facts *group = b->group ? &g->groups.at[map_get(&g->group_of_id, b->group)] : NULL;
    if (group ? group->fixed_by != PLAN_NONE : b->fixed) return place_fixed(g, index, group, out);
    if (!takes_room(b)) return FE_OK;
    if (group && group->block != PLAN_NONE) {
        out->block_of[index] = group->block;
        return FE_OK;
    }
    uint32_t block = out->alignment.count;
    int64_t alignment = group ? group->alignment : alignment_of(g, b);
    out->block_of[index] = block;
    vec_push(g->memory, &out->alignment, alignment);
    if (!g->round_up) alignment = 1;
    if (group) {
        group->block = block;
        group_boxes(g, group, block, 0, alignment, &out->all);
    } else {
        plan_box box = {.birth = b->birth, .death = b->death, .owner = block};
        box.top = plan_round_up(b->size, alignment);
        vec_push(g->memory, &out->all, box);
    }
    return FE_OK;
}

fe_status plan_boxes_build(arena *memory, const plan_buffer *buffers, uint32_t count,
                           int64_t alignment, bool round_up, plan_boxes *out)
{
    grouping g = {
        .memory = memory, .buffers = buffers, .alignment = alignment, .round_up = round_up};
    int64_t total = 0;
    *out = (plan_boxes){0};
    out->block_of = NEW_ARRAY(memory, uint32_t, count + 1);
    out->fixed_base = NEW_ARRAY(memory, int64_t, count + 1);
    g.next_member = NEW_ARRAY(memory, uint32_t, count + 1);
    vec_reserve(memory, &out->all, count + 1);
    vec_reserve(memory, &out->alignment, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        out->block_of[i] = PLAN_NONE;
        out->fixed_base[i] = -1;
        FE_TRY(check_buffer(&g, i, &total));
        if (buffers[i].group) FE_TRY(join_group(&g, i));
    }
    for (uint32_t i = 0; i < count; i++) FE_TRY(place_buffer(&g, i, out));
    uint32_t a;
    uint32_t b;
    if (plan_find_overlap(memory, out->fixed.at, out->fixed.count, &a, &b))
        return bad_buffer(memory, out->fixed.at[a].owner,
                          "its fixed place meets that of buffer %lld", out->fixed.at[b].owner);
    return FE_OK;
}
