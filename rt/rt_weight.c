/* rt_weight.c - weights that are inputs, in the order in which operators read them, kept from call to call;
 * and constants, in an order that this processor alone needs.
 *
 * The caller says by a number of each input when what it holds is the same as before (fe_call.versions).
 * Calls of operators come in the same order in each run, so that each finds what it has kept where the one
 * before left off.
 */
#include "rt_entry.h"

#include <stdlib.h>
#include <string.h>

/* The last input that begins no later; NULL. */
static const rt_reach *input_at(const fe_context *context, const char *data)
{
    uint32_t low = 0, high = context->model->program->input_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (context->reaches[middle].begin <= data)
            low = middle + 1;
        else
            high = middle;
    }
    const rt_reach *found = low ? &context->reaches[low - 1] : NULL;
    return found && data < found->end ? found : NULL;
}

/* The number that the caller gave for what lies there; 0: none. */
static uint64_t version_of(const fe_context *context, const void *data)
{
    const fe_call *call = context ? context->call : NULL;
    if (!call || !call->versions) return 0; /* frames of hosts that run the lines have no call */
    const rt_program *program = context->model->program;
    const rt_reach *input = input_at(context, data);
    if (!input || input->number >= call->input_count) return 0;
    for (uint32_t k = 0; k < program->mutated_count; k++)
        if (program->mutated[k] == input->number) return 0;
    return call->versions[input->number];
}

static int is_same(const rt_packed *p, const void *from, const rt_weight_key *key)
{
    return p->from == from && memcmp(&p->key, key, sizeof *key) == 0;
}

/* One that is kept for this weight, or one that no call has asked for in the last run, or a new one. */
static rt_packed *find(fe_context *context, const void *from, const rt_weight_key *key)
{
    rt_weights *w = &context->packed;
    rt_packed *idle = NULL;
    for (uint32_t i = 0; i < w->count; i++) {
        rt_packed *p = &w->at[(w->next + i) % w->count];
        if (is_same(p, from, key)) {
            w->next = (w->next + i + 1) % w->count;
            return p;
        }
        if (p->run + 1 < w->run) idle = p;
    }
    if (idle) {
        idle->version = 0;
        return idle;
    }
    if (w->count == w->room) {
        uint32_t room = w->room ? 2 * w->room : 16;
        rt_packed *more = realloc(w->at, room * sizeof *more);
        if (!more) return NULL;
        w->at = more;
        w->room = room;
    }
    w->at[w->count] = (rt_packed){0};
    w->next = 0;
    return &w->at[w->count++];
}

static void *keep(fe_context *context, const void *from, const rt_weight_key *key, uint64_t version,
                  size_t bytes, int *is_packed)
{
    rt_packed *p = version ? find(context, from, key) : NULL;
    if (!p) return NULL;
    *is_packed = p->version == version && is_same(p, from, key);
    if (p->bytes < bytes) {
        rt_memory_free(p->memory);
        p->memory = rt_memory_new(bytes);
        p->bytes = p->memory ? bytes : 0;
    }
    p->from = from;
    p->key = *key;
    p->version = p->memory ? version : 0;
    p->run = context->packed.run;
    return p->memory;
}

void *rt_weight_of(rt_frame *frame, const void *from, const rt_weight_key *key, size_t bytes,
                   int *is_packed)
{
    return keep(frame->context, from, key, version_of(frame->context, from), bytes, is_packed);
}

void *rt_constant_of(rt_frame *frame, const void *from, const rt_weight_key *key, size_t bytes,
                     int *is_packed)
{
    return keep(frame->context, from, key, 1, bytes, is_packed);
}

void rt_forget(rt_frame *frame, const void *memory)
{
    rt_weights *w = &frame->context->packed;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->at[i].memory == memory) w->at[i].version = 0;
}

void rt_weights_free(fe_context *context)
{
    for (uint32_t i = 0; i < context->packed.count; i++)
        rt_memory_free(context->packed.at[i].memory);
    free(context->packed.at);
}

size_t rt_weights_bytes(const fe_context *context)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < context->packed.count; i++) sum += context->packed.at[i].bytes;
    return sum;
}
