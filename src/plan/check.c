/* check.c -- proves a plan, by other means than those that made it.
 *
 * Boxes are taken by ascending bottom. For each, no box before it that lives at one of its steps
 * may end above its bottom; a tree over the steps keeps the highest end. Two boxes that overlap are
 * found at the later one.
 */
#include "plan/plan_priv.h"

/* Highest ends over a range of slots, as a recursive tree. */
typedef struct end_tree {
    int64_t *highest; /* in any slot below the node */
    int64_t *whole;   /* put on all slots below the node at once */
} end_tree;

/* Highest end in [low, high) of the node that covers [from, to). */
static int64_t tree_get(const end_tree *t, uint32_t node, uint32_t from, uint32_t to, uint32_t low,
                        uint32_t high)
{
    if (low <= from && to <= high) return t->highest[node];
    uint32_t middle = from + (to - from) / 2;
    int64_t best = t->whole[node];
    if (low < middle) {
        int64_t left = tree_get(t, 2 * node, from, middle, low, high);
        if (left > best) best = left;
    }
    if (high > middle) {
        int64_t right = tree_get(t, 2 * node + 1, middle, to, low, high);
        if (right > best) best = right;
    }
    return best;
}

/* Puts `end` on [low, high). Ends only grow. */
static void tree_put(end_tree *t, uint32_t node, uint32_t from, uint32_t to, uint32_t low,
                     uint32_t high, int64_t end)
{
    if (end > t->highest[node]) t->highest[node] = end;
    if (low <= from && to <= high) {
        if (end > t->whole[node]) t->whole[node] = end;
        return;
    }
    uint32_t middle = from + (to - from) / 2;
    if (low < middle) tree_put(t, 2 * node, from, middle, low, high, end);
    if (high > middle) tree_put(t, 2 * node + 1, middle, to, low, high, end);
}

static bool boxes_overlap(const plan_box *a, const plan_box *b)
{
    return a->birth < b->death && b->birth < a->death && a->bottom < b->top && b->bottom < a->top;
}

/* Numbers the births and deaths: slots[2 * i] and slots[2 * i + 1] for box i. Returns how many
 * differ. */
static uint32_t number_steps(arena *memory, const plan_box *boxes, uint32_t count, uint32_t *slots)
{
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 4);
    uint32_t *ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 4);
    for (uint32_t i = 0; i < count; i++) {
        keys[2 * i] = (uint64_t)((int64_t)boxes[i].birth - INT32_MIN);
        keys[2 * i + 1] = (uint64_t)((int64_t)boxes[i].death - INT32_MIN);
        ids[2 * i] = 2 * i;
        ids[2 * i + 1] = 2 * i + 1;
    }
    plan_sort(keys, ids, keys + (size_t)count * 2, ids + (size_t)count * 2, count * 2);
    uint32_t slot = 0;
    for (uint32_t e = 0; e < count * 2; e++) {
        if (e && keys[e] != keys[e - 1]) slot++;
        slots[ids[e]] = slot;
    }
    return slot + 1;
}

bool plan_find_overlap(arena *memory, const plan_box *boxes, uint32_t count, uint32_t *first,
                       uint32_t *second)
{
    if (count < 2) return false;
    uint32_t *slots = NEW_ARRAY(memory, uint32_t, (size_t)count * 2);
    uint32_t slot_count = number_steps(memory, boxes, count, slots);
    uint64_t *keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 2);
    uint32_t *ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 2);
    end_tree tree = {NEW_ARRAY(memory, int64_t, (size_t)slot_count * 4),
                     NEW_ARRAY(memory, int64_t, (size_t)slot_count * 4)};
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (uint64_t)boxes[i].bottom;
        ids[i] = i;
    }
    plan_sort(keys, ids, keys + count, ids + count, count);
    for (uint32_t k = 0; k < count; k++) {
        const plan_box *box = &boxes[ids[k]];
        uint32_t low = slots[2 * ids[k]];
        uint32_t high = slots[2 * ids[k] + 1];
        if (tree_get(&tree, 1, 0, slot_count, low, high) > box->bottom) {
            *second = ids[k];
            for (uint32_t e = 0; e < k; e++)
                if (boxes_overlap(&boxes[ids[e]], box)) *first = ids[e];
            return true;
        }
        tree_put(&tree, 1, 0, slot_count, low, high, box->top);
    }
    return false;
}

static fe_status bad_plan(arena *memory, uint32_t index, const char *message, int64_t value)
{
    diag d = {
        .status = FE_MISMATCH, .stage = "plan", .place = arena_printf(memory, "buffer %u", index)};
    return diag_fail(arena_session(memory), d, message, (long long)value);
}

/* Offsets one by one: inside the arena, aligned, fixed ones kept, groups together. `base` is by
 * block. */
static fe_status check_offsets(arena *memory, const plan_buffer *buffers, uint32_t count,
                               const plan_boxes *boxes, const plan_result *result, int64_t *base)
{
    for (uint32_t b = 0; b < boxes->alignment.count; b++) base[b] = -1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t offset = result->offsets[i];
        uint32_t block = boxes->block_of[i];
        if (offset < 0 || offset > result->height)
            return bad_plan(memory, i, "offset %lld outside", offset);
        if (boxes->fixed_base[i] >= 0 && offset != boxes->fixed_base[i] + buffers[i].group_offset)
            return bad_plan(memory, i, "fixed, but placed at %lld", offset);
        if (block == PLAN_NONE) continue;
        if (buffers[i].size > result->height - offset)
            return bad_plan(memory, i, "offset %lld outside", offset);
        int64_t start = offset - buffers[i].group_offset;
        if (start & (boxes->alignment.at[block] - 1))
            return bad_plan(memory, i, "offset %lld not aligned", offset);
        if (base[block] < 0) base[block] = start;
        if (base[block] != start || start < 0)
            return bad_plan(memory, i, "at %lld, apart from its group", offset);
    }
    return FE_OK;
}

fe_status plan_verify_in(arena *memory, const plan_buffer *buffers, uint32_t count,
                         const plan_options *options, const plan_result *result)
{
    plan_boxes boxes;
    uint32_t first;
    uint32_t second;
    FE_TRY(plan_boxes_build(memory, buffers, count, options->alignment, false, &boxes));
    int64_t *base = NEW_ARRAY(memory, int64_t, count + 1);
    FE_TRY(check_offsets(memory, buffers, count, &boxes, result, base));
    for (uint32_t i = 0; i < boxes.all.count; i++) {
        boxes.all.at[i].bottom += base[boxes.all.at[i].owner];
        boxes.all.at[i].top += base[boxes.all.at[i].owner];
    }
    for (uint32_t i = 0; i < boxes.fixed.count; i++)
        vec_push(memory, &boxes.all, boxes.fixed.at[i]);
    if (!plan_find_overlap(memory, boxes.all.at, boxes.all.count, &first, &second)) return FE_OK;
    return bad_plan(memory, boxes.all.at[first].owner, "overlaps block %lld",
                    boxes.all.at[second].owner);
}
