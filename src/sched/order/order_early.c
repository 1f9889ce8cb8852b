/* order_early.c -- in programs of several devices: what is given to a device comes as early as it may.
 *
 * The host goes on while a device works, so that what it is given before the host's own work is done beside
 * that; and a copy to a device, beside all kernels that are given to it later, but only where its memory is
 * not theirs. So copies to devices come before whatever does not lead to them, copies from devices before
 * kernels, and kernels of devices before what the host does meanwhile, where no memory's peak is raised by
 * it.
 */
#include "sched/order/order_groups.h"

enum { MOST_WORK = 1 << 24 }; /* nodes that are looked at */

typedef enum node_place { ON_HOST, ON_DEVICE, TO_DEVICE, FROM_DEVICE, FIXED } node_place;

/* Of one memory: what the buffers there have, 0 of others. */
typedef struct memory_peak {
    ty_device device;
    bool pinned;
    int64_t *bytes, peak;
} memory_peak;

typedef struct early {
    group_problem *b;
    node_place *places; /* by node */
    VEC(memory_peak) memories;
    uint32_t *order, *trial;
    uint64_t work;
} early;

static node_place place_of(const group_problem *b, uint32_t node)
{
    const loop_program *p = b->s->program;
    const sched_group *g = &b->at_first[b->group_of[node]];
    if (g->kind == SCHED_KERNEL) {
        loop_buffer_id made = g->phases[0].nests[0].nest.stores[0].buffer;
        return ty_is_host(p->buffers.at[made].device) ? ON_HOST : ON_DEVICE;
    }
    if (g->kind != SCHED_EXTERN) return FIXED;
    const loop_op *op = &p->ops.at[g->extern_op];
    if (!loop_moves(p, op)) return ON_HOST;
    if (!ty_is_host(p->buffers.at[op->inputs[0].buffer].device)) return FROM_DEVICE;
    return TO_DEVICE;
}

static bool may_pass(const early *e, uint32_t node, uint32_t before)
{
    const order_problem *p = &e->b->p;
    if (e->places[before] == FIXED) return false;
    for (uint32_t i = p->before.first[node]; i < p->before.first[node + 1]; i++)
        if (p->before.at[i] == before) return false;
    switch (e->places[node]) {
    case TO_DEVICE: return e->places[before] != TO_DEVICE;
    case FROM_DEVICE: return e->places[before] == ON_DEVICE;
    default: return e->places[before] == ON_HOST;
    }
}

static void find_memories(early *e)
{
    group_problem *b = e->b;
    for (uint32_t i = 0; i < b->p.buffer_count; i++) {
        const loop_buffer *buffer = &b->s->program->buffers.at[b->owner.at[i]];
        uint32_t k = 0;
        while (k < e->memories.count && (!ty_same_place(e->memories.at[k].device, buffer->device) ||
                                         e->memories.at[k].pinned != buffer->pinned))
            k++;
        if (k == e->memories.count)
            vec_push(b->memory, &e->memories,
                     ((memory_peak){buffer->device, buffer->pinned,
                                    NEW_ARRAY(b->memory, int64_t, b->p.buffer_count + 1), 0}));
        e->memories.at[k].bytes[i] = b->p.bytes[i];
    }
}

static int64_t peak_in(early *e, const memory_peak *m, const uint32_t *order)
{
    order_problem p = e->b->p;
    p.bytes = m->bytes;
    e->work += p.node_count;
    arena_mark_t mark = arena_mark(e->b->memory);
    int64_t peak = order_peak(&p, order, NULL, e->b->memory);
    arena_release(e->b->memory, mark);
    return peak;
}

/* The node at `from`, in place of the one at `to`, which it goes before. */
static bool move_to(early *e, uint32_t from, uint32_t to)
{
    uint32_t count = e->b->p.node_count, node = e->order[from];
    for (uint32_t i = 0; i < count; i++)
        e->trial[i] = i == to ? node : i > to && i <= from ? e->order[i - 1] : e->order[i];
    for (uint32_t k = 0; k < e->memories.count; k++)
        if (peak_in(e, &e->memories.at[k], e->trial) > e->memories.at[k].peak) return false;
    uint32_t *kept = e->order;
    e->order = e->trial;
    e->trial = kept;
    return true;
}

/* As far as it may, else half as far, and so on. */
static bool bring_forward(early *e, uint32_t at)
{
    uint32_t first = at;
    while (first > 0 && may_pass(e, e->order[at], e->order[first - 1])) first--;
    for (uint32_t way = at - first; way && e->work < MOST_WORK; way /= 2)
        if (move_to(e, at, at - way)) return true;
    return false;
}

bool order_early(group_problem *b, const uint32_t *order, uint32_t *out)
{
    uint32_t count = b->p.node_count;
    early e = {.b = b,
               .places = NEW_ARRAY(b->memory, node_place, count + 1),
               .order = NEW_ARRAY(b->memory, uint32_t, count + 1),
               .trial = NEW_ARRAY(b->memory, uint32_t, count + 1)};
    bool is_other = false, is_given = false;
    for (uint32_t i = 0; i < count; i++) {
        e.places[i] = place_of(b, i);
        e.order[i] = order[i];
        is_given |= e.places[i] == ON_DEVICE || e.places[i] == TO_DEVICE;
    }
    if (!is_given) return false;
    find_memories(&e);
    for (uint32_t k = 0; k < e.memories.count; k++)
        e.memories.at[k].peak = peak_in(&e, &e.memories.at[k], order);
    for (uint32_t i = 0; i < count && e.work < MOST_WORK; i++) {
        node_place place = e.places[e.order[i]];
        if (place != ON_HOST && place != FIXED) is_other |= bring_forward(&e, i);
    }
    for (uint32_t i = 0; i < count; i++) out[i] = e.order[i];
    return is_other;
}
