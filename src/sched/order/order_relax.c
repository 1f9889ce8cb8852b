/* order_relax.c -- what is proven of orders of the problem, made true of the schedule.
 *
 * Where values are written straight into parts of a whole, the problem says more than the schedule may
 * need: that sizes of parts are rounded up, that a part with gaps takes up the whole's room, and that
 * none takes over memory together with others. Here sizes are the least that these can be in any order.
 */
#include "sched/order/order_groups.h"

#include "sched/legal.h"

#include <string.h>

/* ---- sizes ---- */

static int64_t dense_bytes(const group_problem *b, loop_buffer_id id)
{
    const loop_buffer *buffer = &b->s->program->buffers.at[id];
    int64_t bytes =
        sym_usual(b->s->program->symbols, buffer->elements) * (int64_t)ty_dtype_size(buffer->dtype);
    return bytes > 0 ? bytes : 0;
}

/* Without gaps and what rounds up: of what shares one memory, the smallest piece, which may live alone. */
static int64_t *least_bytes(const group_problem *b)
{
    const loop_program *p = b->s->program;
    int64_t *least = NEW_ARRAY(b->memory, int64_t, b->p.buffer_count + 1);
    for (uint32_t i = 0; i < b->p.buffer_count; i++)
        least[i] = b->p.bytes[i] ? dense_bytes(b, b->owner.at[i]) : 0;
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        uint32_t at = b->storage_of[id];
        if (at != NEVER && dense_bytes(b, id) < least[at]) least[at] = dense_bytes(b, id);
    }
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_part *part = p->buffers.at[id].part;
        if (!part || b->storage_of[id] == NEVER || b->storage_of[part->whole] == NEVER ||
            b->storage_of[id] == b->storage_of[part->whole])
            continue;
        int64_t *left = &least[b->storage_of[part->whole]];
        *left = *left > dense_bytes(b, id) ? *left - dense_bytes(b, id) : 0;
    }
    return least;
}

/* By buffer: parts of it are storages of their own. */
static bool *find_dense_parts(const group_problem *b)
{
    const loop_program *p = b->s->program;
    bool *has = NEW_ARRAY(b->memory, bool, p->buffers.count + 1);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        const loop_part *part = p->buffers.at[id].part;
        if (part && b->storage_of[id] != NEVER)
            has[part->whole] |= b->storage_of[id] != b->storage_of[part->whole];
    }
    return has;
}

static bool *grown(const bool *at, uint32_t count, uint32_t now, arena *memory)
{
    bool *out = NEW_ARRAY(memory, bool, now + 1);
    memcpy(out, at, count * sizeof *out);
    return out;
}

/* What a whole has more than that, while it is read as one. */
static void add_rests(group_problem *b, int64_t **bytes)
{
    const loop_program *p = b->s->program;
    uint32_t count = b->p.buffer_count;
    const bool *has_dense_part = find_dense_parts(b);
    VEC(int64_t) all = {0};
    b->rest_of = NEW_ARRAY(b->memory, uint32_t, p->buffers.count + 1);
    for (uint32_t i = 0; i < count; i++) vec_push(b->memory, &all, (*bytes)[i]);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        uint32_t at = b->storage_of[id];
        b->rest_of[id] = NEVER;
        if (!b->f->has_parts[id] || at == NEVER || !b->p.bytes[at] || b->owner.at[at] != id ||
            has_dense_part[id])
            continue;
        b->rest_of[id] = all.count;
        vec_push(b->memory, &all, dense_bytes(b, id) - (*bytes)[at]);
        vec_push(b->memory, &b->owner, id);
    }
    *bytes = all.at;
    b->p.buffer_count = all.count;
    b->p.stays = grown(b->p.stays, count, all.count, b->memory);
    b->has_raw = grown(b->has_raw, count, all.count, b->memory);
    group_problem_find_uses(b);
    order_complete(&b->p, b->memory);
}

/* ---- memory that passes on ---- */

static bool is_first_use(const group_problem *b, uint32_t node, uint32_t storage)
{
    return b->p.users.at[b->p.users.first[storage]] == node;
}

/* May the node make something over this whole? */
static bool whole_is_given(const group_problem *b, uint32_t node, loop_buffer_id whole)
{
    const sched_group *g = &b->at_first[b->group_of[node]];
    for (uint32_t k = b->p.uses.first[node]; k < b->p.uses.first[node + 1]; k++) {
        loop_buffer_id to = b->owner.at[b->p.uses.at[k]];
        if (to != whole && is_first_use(b, node, b->p.uses.at[k]) &&
            legal_reuse(b->s->program, g, whole, to))
            return true;
    }
    return false;
}

/* May the node make a part with gaps over this? */
static bool is_given_to_part(const group_problem *b, uint32_t node, loop_buffer_id from)
{
    loop_program *p = b->s->program;
    const sched_group *g = &b->at_first[b->group_of[node]];
    for (uint32_t ph = 0; ph < g->phase_count; ph++)
        for (uint32_t i = 0; i < g->phases[ph].nest_count; i++)
            for (uint32_t k = 0; k < g->phases[ph].nests[i].nest.store_count; k++) {
                loop_buffer_id to = g->phases[ph].nests[i].nest.stores[k].buffer;
                if (to != LOOP_NO_BUFFER && to != from && b->storage_of[to] != NEVER &&
                    b->owner.at[b->storage_of[to]] != to && legal_reuse(p, g, from, to))
                    return true;
            }
    return false;
}

/* Memory that may pass on between a whole, or a part with gaps, and another buffer: what counts is the
 * one that takes it over from a whole, the part that it becomes. */
static void drop_givers(group_problem *b)
{
    const loop_program *p = b->s->program;
    bool *gives = NEW_ARRAY(b->memory, bool, p->buffers.count + 1);
    for (uint32_t node = 0; node < b->p.node_count; node++)
        for (uint32_t i = b->p.uses.first[node]; i < b->p.uses.first[node + 1]; i++) {
            loop_buffer_id from = b->owner.at[b->p.uses.at[i]];
            gives[from] |= is_given_to_part(b, node, from) ||
                           (b->f->has_parts[from] && whole_is_given(b, node, from));
        }
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        bool given = gives[id];
        for (loop_buffer_id up = id; p->buffers.at[up].part && !given;)
            given = gives[up = p->buffers.at[up].part->whole];
        if (given && b->storage_of[id] != NEVER) b->p.bytes[b->storage_of[id]] = 0;
        if (given && b->rest_of[id] != NEVER) b->p.bytes[b->rest_of[id]] = 0;
    }
}

/* Sizes are rounded up again where no memory passes on to what is not. */
static void round_up_alone(group_problem *b, const int64_t *rounded)
{
    uint32_t takes = b->p.first_reuse[b->p.node_count];
    bool changes = true;
    for (uint32_t i = 0; i < b->p.buffer_count; i++) {
        loop_buffer_id id = b->owner.at[i];
        bool is_alone = !b->s->program->buffers.at[id].part && !b->f->has_parts[id];
        if (is_alone && b->p.bytes[i]) b->p.bytes[i] = rounded[i];
    }
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < takes; i++) {
            int64_t *from = &b->p.bytes[b->p.reuses[i].from], *to = &b->p.bytes[b->p.reuses[i].to];
            changes |= *from != *to;
            *from = *to = *from < *to ? *from : *to;
        }
    }
}

bool group_problem_relax(group_problem *b)
{
    const int64_t *rounded = b->p.bytes;
    bool has_parts = false;
    for (loop_buffer_id id = 0; id < b->s->program->buffers.count; id++)
        has_parts |= b->storage_of[id] != NEVER && b->s->program->buffers.at[id].part;
    if (!has_parts) return false;
    int64_t *bytes = least_bytes(b);
    add_rests(b, &bytes);
    b->p.bytes = bytes;
    drop_givers(b);
    group_problem_find_takes(b);
    round_up_alone(b, rounded);
    return true;
}
