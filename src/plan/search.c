/* search.c -- the depth-first search of search.h, as a machine with a stack of its own.
 *
 * The stack holds nodes (a part with some of its blocks placed) and splits (a part that fell into
 * several, which are searched one after the other). Leaving a node undoes what its block did to its
 * sections; floors and witnesses are copies, since copying whole vectors is cheaper than keeping a
 * log.
 */
#include "plan/search.h"

#include <string.h>

#include "plan/search_priv.h"

/* A part whose blocks are mostly placed is packed anew, so that the loops run over fewer. */
static bool worth_packing(const plan_frame *frame, uint32_t left)
{
    return frame->padded > 4 * PLAN_LANES && left * 2 < frame->count;
}

/* ---- placing and undoing -------------------------------------------------------------------- */

/* Accounts for `slot` of the frame as placed. True if nothing crosses some cut any more: law S5. */
static bool take_from_sections(plan_search *search, const plan_frame *frame, uint32_t slot)
{
    plan_cell first = frame->first[slot];
    plan_cell last = frame->last[slot];
    bool parts = false;
    for (plan_cell s = first; s < last; s++) search->room[s] += frame->size[slot];
    for (plan_cell s = first + 1; s < last; s++) parts |= --search->crossing[s] == 0;
    return parts || search->room[first] == search->capacity ||
           search->room[last - 1] == search->capacity;
}

static void give_to_sections(plan_search *search, const plan_frame *frame, uint32_t slot)
{
    for (plan_cell s = frame->first[slot]; s < frame->last[slot]; s++)
        search->room[s] -= frame->size[slot];
    for (plan_cell s = frame->first[slot] + 1; s < frame->last[slot]; s++) search->crossing[s]++;
}

/* Law S1 for the sections [low, high): finds new witnesses where the old ones rose too far or
 * are placed. */
static bool sections_hold(const plan_search *search, plan_node *node, plan_cell low, plan_cell high)
{
    const plan_frame *frame = node->frame;
    for (plan_cell s = low; s < high; s++) {
        plan_cell room = search->room[s];
        uint16_t *witness = &node->witness[(uint32_t)s - frame->low];
        if (node->floors[*witness] <= room || room == search->capacity) continue;
        uint32_t found = plan_lanes_find_witness(frame, node->floors, s, room);
        if (found == frame->padded) return false;
        *witness = (uint16_t)found;
    }
    return true;
}

/* ---- entering a node ------------------------------------------------------------------------ */

static bool skipped(const plan_node *node, uint32_t slot)
{
    plan_cell floor = node->floors[slot];
    return floor < node->frontier ||
           (floor == node->frontier && (int32_t)slot <= node->frontier_slot);
}

/* Law S3: raises what the frontier has passed. False if that cannot be. */
static bool raise_skipped(plan_search *search, plan_node *node)
{
    const plan_frame *frame = node->frame;
    if (node->frontier < 0) return true;
    uint32_t count = plan_lanes_collect(frame, node->floors, node->frontier, node->candidates);
    plan_cell low = INT32_MAX;
    plan_cell high = -1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = node->candidates[i];
        if (!skipped(node, slot)) continue;
        plan_cell floor = plan_lanes_least_blocker(frame, node->floors, slot, node->frontier);
        if (floor > search->capacity) return false;
        if (frame->mask) floor = (floor + frame->mask[slot]) & ~frame->mask[slot];
        if (floor > search->capacity - frame->size[slot]) return false;
        if (floor <= node->floors[slot]) continue;
        node->floors[slot] = floor;
        if (frame->first[slot] < low) low = frame->first[slot];
        if (frame->last[slot] > high) high = frame->last[slot];
    }
    return low > high || sections_hold(search, node, low, high);
}

/* Lists the slots to try, by floor and then rank. False if there is none. */
static bool list_candidates(const plan_search *search, plan_node *node)
{
    const plan_frame *frame = node->frame;
    plan_cell most = plan_lanes_least(search->room + frame->low, frame->high - frame->low);
    plan_cell below = plan_lanes_least_top(frame, node->floors); /* law S2 */
    if (node->frontier > most || below <= node->frontier) return false;
    if (below - 1 < most) most = below - 1;
    uint32_t found = plan_lanes_collect(frame, node->floors, most, node->candidates);
    uint32_t count = 0;
    for (uint32_t i = 0; i < found; i++) {
        uint16_t slot = node->candidates[i];
        if (skipped(node, slot)) continue;
        uint32_t at = count++;
        for (; at && node->floors[node->candidates[at - 1]] > node->floors[slot]; at--)
            node->candidates[at] = node->candidates[at - 1];
        node->candidates[at] = slot;
    }
    node->candidate_count = count;
    return count > 0;
}

/* Puts a node on the stack, with candidates if it has any hope. */
static void enter(plan_search *search, plan_node node)
{
    node.candidates =
        plan_pool_take(&search->pool, (node.frame->padded + PLAN_LANES) * sizeof(*node.candidates));
    node.candidate_count = node.next = 0;
    if (!raise_skipped(search, &node) || !list_candidates(search, &node)) node.candidate_count = 0;
    vec_push(search->memory, &search->stack, node);
}

/* ---- splits --------------------------------------------------------------------------------- */

/* Puts a split on the stack: the parts into which the unplaced blocks of `node` fall. */
static void enter_split(plan_search *search, const plan_node *node)
{
    const plan_frame *frame = node->frame;
    plan_node split = {
        .parts = plan_pool_take(&search->pool, (frame->high - frame->low) * sizeof(plan_node)),
        .via = node->via,
        .hat = node->hat,
        .mark = node->mark};
    for (uint32_t i = 0; i < frame->count; i++) search->floor_of[frame->id[i]] = node->floors[i];
    uint32_t low = frame->low;
    while (low < frame->high) {
        uint32_t high = low + 1;
        while (high < frame->high && search->crossing[high]) high++;
        uint32_t count = 0;
        if (search->room[low] != search->capacity)
            for (uint32_t i = 0; i < frame->count; i++)
                if (node->floors[i] < PLAN_PLACED && (uint32_t)frame->first[i] >= low &&
                    (uint32_t)frame->first[i] < high)
                    search->ids[count++] = frame->id[i];
        if (count) {
            plan_rank_part(search, count);
            plan_node part = plan_root(search, count, low, high, search->floor_of);
            part.frontier = node->frontier;
            split.parts[split.part_count++] = part;
        }
        low = high;
    }
    vec_push(search->memory, &search->stack, split);
}

/* The same node over the unplaced blocks alone, in the same order. */
static plan_node packed(plan_search *search, const plan_node *node)
{
    const plan_frame *frame = node->frame;
    uint32_t count = 0;
    int32_t frontier_slot = -1;
    for (uint32_t i = 0; i < frame->count; i++) {
        search->floor_of[frame->id[i]] = node->floors[i];
        if ((int32_t)i <= node->frontier_slot && node->floors[i] < PLAN_PLACED) frontier_slot++;
        if (node->floors[i] < PLAN_PLACED) search->ids[count++] = frame->id[i];
    }
    plan_node same = plan_root(search, count, frame->low, frame->high, search->floor_of);
    same.frontier = node->frontier;
    same.frontier_slot = frontier_slot;
    same.via = node->via;
    same.hat = node->hat;
    same.mark = node->mark;
    return same;
}

/* Begins the next part of the split on top of the stack. */
static void begin_part(plan_search *search)
{
    plan_node *split = &vec_last(&search->stack);
    plan_node part = split->parts[split->next++];
    part.mark = plan_pool_here(&search->pool);
    enter(search, part);
}

/* ---- the machine ---------------------------------------------------------------------------- */

/* Takes the top off the stack and undoes the placing that led to it. */
static void leave(plan_search *search)
{
    plan_node top = search->stack.at[--search->stack.count];
    plan_pool_drop(&search->pool, top.mark);
    if (top.via == PLAN_NO_SLOT) return;
    plan_node *below = &vec_last(&search->stack);
    give_to_sections(search, below->frame, top.via);
    if (!top.hat) below->next = below->candidate_count; /* law S4 */
}

/* All blocks of the part on top are placed: goes on with the next part of the nearest split that
 * has one. */
static void part_found(plan_search *search)
{
    while (search->stack.count) {
        plan_node *top = &vec_last(&search->stack);
        if (top->parts && top->next < top->part_count) {
            begin_part(search);
            return;
        }
        leave(search);
    }
    search->outcome = PLAN_FOUND;
}

/* Nothing is left to try on top: goes back to the choice before. A split falls with any of its
 * parts. */
static void fail(plan_search *search)
{
    leave(search);
    if (search->stack.count && vec_last(&search->stack).parts) leave(search);
    if (!search->stack.count) search->outcome = PLAN_REFUTED;
}

/* Tries the next candidate of the node on top. */
static void step(plan_search *search)
{
    plan_node *node = &vec_last(&search->stack);
    const plan_frame *frame = node->frame;
    uint16_t slot = node->candidates[node->next++];
    plan_cell offset = node->floors[slot];
    plan_node child = {.frame = frame,
                       .left = node->left - 1,
                       .frontier = offset,
                       .frontier_slot = slot,
                       .via = slot};
    uint32_t sections = frame->high - frame->low;
    child.mark = plan_pool_here(&search->pool);
    child.floors = plan_pool_take(&search->pool, frame->padded * sizeof(*child.floors));
    child.witness = plan_pool_take(&search->pool, sections * sizeof(*child.witness));
    search->offsets[frame->id[slot]] = offset;
    plan_lanes_raised risen =
        plan_lanes_raise(frame, node->floors, child.floors, slot, offset + frame->size[slot]);
    memcpy(child.witness, node->witness, sections * sizeof(*child.witness));
    child.hat = risen.hat;
    if (risen.low > frame->first[slot]) risen.low = frame->first[slot];
    if (risen.high < frame->last[slot]) risen.high = frame->last[slot];
    bool parts = take_from_sections(search, frame, slot);
    if (!sections_hold(search, &child, risen.low, risen.high)) {
        give_to_sections(search, frame, slot);
        plan_pool_drop(&search->pool, child.mark);
        if (!child.hat) node->next = node->candidate_count;
    } else if (!child.left) {
        give_to_sections(search, frame, slot);
        plan_pool_drop(&search->pool, child.mark);
        part_found(search);
    } else if (parts) {
        enter_split(search, &child);
        begin_part(search);
    } else {
        enter(search, worth_packing(frame, child.left) ? packed(search, &child) : child);
    }
}

plan_outcome plan_search_run(plan_search *search, uint64_t *steps)
{
    while (search->outcome == PLAN_STOPPED && *steps) {
        plan_node *top = &vec_last(&search->stack);
        if (top->next == top->candidate_count) {
            fail(search);
            continue;
        }
        --*steps;
        step(search);
    }
    return search->outcome;
}

/* ---- beginning ------------------------------------------------------------------------------ */

plan_search *plan_search_new(arena *memory, const plan_field *field, plan_preorder preorder)
{
    plan_search *search = NEW(memory, plan_search);
    uint32_t count = field->count;
    *search = (plan_search){
        .memory = memory, .field = field, .preorder = preorder, .pool.memory = memory};
    search->room = NEW_ARRAY(memory, plan_cell, field->section_count + PLAN_LANES);
    search->crossing = NEW_ARRAY(memory, uint16_t, field->section_count + 1);
    search->offsets = NEW_ARRAY(memory, plan_cell, count + 1);
    search->life_rank = NEW_ARRAY(memory, uint32_t, count + 1);
    search->area_rank = NEW_ARRAY(memory, uint32_t, count + 1);
    search->keys = NEW_ARRAY(memory, uint64_t, (size_t)count * 2 + 1);
    search->ids = NEW_ARRAY(memory, uint32_t, (size_t)count * 2 + 1);
    search->floor_of = NEW_ARRAY(memory, plan_cell, count + 1);
    return search;
}

void plan_search_start(plan_search *search, plan_cell capacity, uint64_t noise)
{
    const plan_field *field = search->field;
    plan_pool_drop(&search->pool, (plan_pool_mark){0});
    search->stack.count = 0;
    search->capacity = capacity;
    search->outcome = PLAN_STOPPED;
    plan_rank_blocks(search, noise);
    for (uint32_t s = 0; s < field->section_count; s++) {
        search->room[s] = capacity;
        search->crossing[s] = 0;
    }
    for (uint32_t b = 0; b < field->count; b++) {
        for (uint32_t s = field->low[b]; s < field->high[b]; s++) search->room[s] -= field->size[b];
        for (uint32_t s = field->low[b] + 1; s < field->high[b]; s++) search->crossing[s]++;
        search->ids[b] = b;
    }
    if (plan_lanes_least(search->room, field->section_count) < 0) {
        search->outcome = PLAN_REFUTED;
        return;
    }
    plan_rank_part(search, field->count);
    plan_node root = plan_root(search, field->count, 0, field->section_count, NULL);
    root.mark = (plan_pool_mark){0};
    enter_split(search, &root);
    begin_part(search);
}

const plan_cell *plan_search_offsets(const plan_search *search)
{
    return search->offsets;
}
