/* track_memory.c -- what the bytes of the arena say about a call: it may change nothing but what it is
 * given.
 *
 * Dead bytes hold a pattern that is NaN in every floating type and an index out of any range, so that
 * reading them shows in the results. Of each living buffer a sum of its content is kept.
 */
#include "exec/track.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char PATTERN[8] = {0xf7, 0xff, 0xf7, 0xff, 0xf7, 0xff, 0xf7, 0xff};

/* ---- dead bytes ---- */

static void fill(char *from, char *to)
{
    for (; from < to && (uintptr_t)from % 8; from++) *from = (char)PATTERN[(uintptr_t)from % 8];
    for (; to - from >= 8; from += 8) memcpy(from, PATTERN, 8);
    for (; from < to; from++) *from = (char)PATTERN[(uintptr_t)from % 8];
}

void track_fill(const exec_moment *m, uint32_t device, char *from, char *to)
{
    size_t bytes = from < to ? (size_t)(to - from) : 0, phase = (uintptr_t)from % 8;
    char *near = device ? rt_memory_new(bytes + 8) : NULL;
    if (!device) fill(from, to);
    if (!near) return;
    fill(near + phase, near + phase + bytes);
    exec_send(m->run, device, from, near + phase, (int64_t)bytes);
    rt_memory_free(near);
}

uint32_t track_device(const track_run *r, uint32_t segment)
{
    const wrap_program *w = r->t->w;
    return w->memory_of ? wrap_device_number(w, w->memory_of[segment].device) : 0;
}

/* The first byte that does not hold the pattern; `to` when all do. */
static const char *first_changed(const char *from, const char *to)
{
    uint64_t pattern, word;
    memcpy(&pattern, PATTERN, 8);
    for (; from < to; from++) {
        for (; (uintptr_t)from % 8 == 0 && to - from >= 8; from += 8) {
            memcpy(&word, from, 8);
            if (word != pattern) break;
        }
        if (from < to && *from != (char)PATTERN[(uintptr_t)from % 8]) return from;
    }
    return to;
}

/* ... also of a device. */
static const char *changed_byte(const exec_moment *m, uint32_t device, const char *from,
                                const char *to)
{
    exec_near near;
    if (!exec_bring(m->run, device, from, to - from, &near)) return from;
    const char *at = near.at, *found = from + (first_changed(at, at + (to - from)) - at);
    exec_put_down(&near);
    return found;
}

static int by_address(const void *a, const void *b)
{
    const tracked *x = *(tracked *const *)a, *y = *(tracked *const *)b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Those that are alive and have memory, by address. */
static uint32_t sort_alive(track_run *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->alive_count; i++)
        if (r->of[r->alive[i]].bytes > 0) r->sorted[count++] = &r->of[r->alive[i]];
    qsort(r->sorted, count, sizeof *r->sorted, by_address);
    return count;
}

void track_bury(const exec_moment *m, track_run *r, uint32_t device, char *from, char *to)
{
    uint32_t count = sort_alive(r);
    for (uint32_t i = 0; i < count && from < to; i++) {
        const tracked *b = r->sorted[i];
        if (b->at + b->bytes <= from || b->at >= to) continue;
        if (b->at > from) track_fill(m, device, from, b->at);
        from = b->at + b->bytes;
    }
    if (from < to) track_fill(m, device, from, to);
}

/* The buffer that lay there last; NULL: none ever did. */
static const tracked *last_owner(const track_run *r, const char *at)
{
    const tracked *found = NULL;
    for (loop_buffer_id id = 0; id < r->t->w->loops->buffers.count; id++) {
        const tracked *b = &r->of[id];
        bool lay_there = b->life == TRACK_DEAD && b->at <= at && at < b->at + b->bytes;
        if (lay_there && (!found || b->line >= found->line)) found = b;
    }
    return found;
}

static bool report_dead(const exec_moment *m, const track_run *r, const track_segment *s,
                        const char *at)
{
    const tracked *b = last_owner(r, at);
    if (!b)
        return track_fault(m, "changes byte %lld of the arena, which no buffer has",
                           (long long)(at - s->memory));
    return track_fault(m, "changes byte %lld of the arena, where @%s lay until line %u",
                       (long long)(at - s->memory), track_name(r->t, (loop_buffer_id)(b - r->of)),
                       b->line + 1);
}

bool track_is_dead_untouched(const exec_moment *m, track_run *r)
{
    uint32_t count = sort_alive(r);
    for (uint32_t k = 0; k < r->t->w->segment_count; k++) {
        const track_segment *s = &r->segments[k];
        if (!s->memory || (k && s->memory == r->segments[0].memory)) continue;
        const char *from = s->memory, *end = s->memory + s->bytes, *changed;
        for (uint32_t i = 0; i <= count; i++) {
            const tracked *b = i < count ? r->sorted[i] : NULL;
            const char *to = b ? b->at : end;
            if (b && (b->at < s->memory || b->at >= end)) continue;
            if (from < to && (changed = changed_byte(m, track_device(r, k), from, to)) < to)
                return report_dead(m, r, s, changed);
            if (b && b->at + b->bytes > from) from = b->at + b->bytes;
        }
    }
    return true;
}

/* ---- living buffers ---- */

static uint64_t sum_of(const char *at, int64_t bytes)
{
    uint64_t sum = 0x9e3779b97f4a7c15u, word;
    int64_t i = 0;
    for (; bytes - i >= 8; i += 8) {
        memcpy(&word, at + i, 8);
        sum = (sum ^ word) * 0x2545f4914f6cdd1du;
        sum ^= sum >> 29;
    }
    for (; i < bytes; i++) sum = (sum ^ (unsigned char)at[i]) * 0x2545f4914f6cdd1du;
    return sum;
}

uint64_t track_sum_of(const exec_moment *m, loop_buffer_id id, const tracked *b)
{
    exec_near near;
    if (!exec_bring(m->run, exec_device_of(m->run, id), b->at, b->bytes, &near)) return 0;
    uint64_t sum = sum_of(near.at, b->bytes);
    exec_put_down(&near);
    return sum;
}

typedef struct owner_search {
    const track_run *r;
    const tracked *b;
    loop_buffer_id root;
    bool found;
} owner_search;

/* Does the operand share bytes with the buffer? Only those of one root do. */
static bool look_for_owner(void *data, loop_buffer_id id, exec_use use)
{
    owner_search *s = data;
    const tracked *other = &s->r->of[id];
    s->found |= (use == EXEC_WRITES || use == EXEC_MAY_WRITE) &&
                s->r->t->w->storage[id].life.root == s->root &&
                other->at < s->b->at + s->b->bytes && s->b->at < other->at + other->bytes;
    return !s->found;
}

bool track_is_living_untouched(const exec_moment *m, track_run *r, const wrap_line *line)
{
    const tracker *t = r->t;
    for (uint32_t i = 0; i < r->alive_count; i++) {
        loop_buffer_id id = r->alive[i];
        tracked *b = &r->of[id];
        owner_search search = {r, b, t->w->storage[id].life.root, false};
        if (b->bytes == 0) continue;
        exec_each_operand(t->w, line, look_for_owner, &search);
        bool had_content = b->has_content;
        uint64_t before = b->sum;
        b->has_content |= search.found;
        if (b->has_content) b->sum = track_sum_of(m, id, b);
        if (had_content && !search.found && b->sum != before)
            return track_fault(m, "changes @%s, which it is not given", track_name(t, id));
    }
    return true;
}
