/* track.c -- follows the memory of a run, line by line, and ends it where that is not as the program
 * says. The verifier of the wrapper IR knows the lines; this knows addresses, sizes and bytes.
 *
 *     lifecycle: line 14, kernel k_neg (%relu): reads @a, which has died in line 12
 *
 * A buffer that comes to life must lie in its segment and meet no other; one that is used must be
 * alive, and written to before it is only read; what a call is not given it must leave as it is, and dead
 * bytes too (track_memory.c); what lies in memory of the caller's is read as it was written
 * (track_lent.c); at each step as many bytes are in use as the plan has (track_plan.c); at
 * the end nothing is left but what is returned.
 */
#include "exec/track.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- faults ---- */

const char *track_name(const tracker *t, loop_buffer_id id)
{
    return t->w->loops->buffers.at[id].name;
}

static const char *called(const wrap_line *line)
{
    if (line->kind == WRAP_KERNEL) return line->call.kernel;
    return line->kind == WRAP_EXTERN ? line->op->kernel : NULL;
}

bool track_fault(const exec_moment *m, const char *format, ...)
{
    const track_run *r = m->state;
    const wrap_program *w = r->t->w;
    va_list args;
    if (*exec_why(m->run))
        return snprintf(m->message, m->message_bytes, "%s", exec_why(m->run)), false;
    int used = snprintf(m->message, m->message_bytes, "lifecycle: line %u", m->line + 1);
    if (m->line < w->lines.count) {
        const wrap_line *line = &w->lines.at[m->line];
        const char *name = called(line), *note = r->t->note[m->line];
        used += snprintf(m->message + used, m->message_bytes - (size_t)used,
                         ", %s%s%.60s%s%.100s%s", wrap_kind_name(line->kind), name ? " " : "",
                         name ? name : "", note ? " (" : "", note ? note : "", note ? ")" : "");
    } else
        used = snprintf(m->message, m->message_bytes, "lifecycle: at the end");
    used += snprintf(m->message + used, m->message_bytes - (size_t)used, ": ");
    va_start(args, format);
    vsnprintf(m->message + used, m->message_bytes - (size_t)used, format, args);
    va_end(args);
    return false;
}

/* ---- uses ---- */

typedef struct use_check {
    const exec_moment *m;
    track_run *r;
} use_check;

/* Those in the memory of an output of late size live as long as the one whose memory it is. */
static tracked *lives_as(const track_run *r, loop_buffer_id id)
{
    const wrap_program *w = r->t->w;
    loop_buffer_id root = w->storage[id].life.root;
    if (!w->storage[id].is_allocated) return NULL;
    return &r->of[w->storage[root].life.in_arena ? id : root];
}

static bool check_use(void *data, loop_buffer_id id, exec_use use)
{
    const use_check *c = data;
    const tracked *b = lives_as(c->r, id);
    const char *name = track_name(c->r->t, id);
    static const char *const does[] = {"reads", "writes to", "uses", "returns"};
    /* what the operator of the same line writes its epilogue reads */
    bool is_own = wrap_is_of_operator(&c->r->t->w->lines.at[c->m->line], id);
    if (!track_lent_use(c->m, c->r, id, (use == EXEC_READS && !is_own) || use == EXEC_RETURNS))
        return false;
    if (!b) return true;
    if (b->life == TRACK_UNBORN)
        return track_fault(c->m, "%s @%s, which has no memory yet", does[use], name);
    if (b->life == TRACK_DEAD)
        return track_fault(c->m, "%s @%s, which has died in line %u", does[use], name, b->line + 1);
    const wrap_program *w = c->r->t->w;
    if (use == EXEC_READS && b->bytes > 0 && !b->has_content &&
        w->storage[w->storage[id].life.root].life.in_arena && !is_own)
        return track_fault(c->m, "reads @%s, which nothing has been written to", name);
    return true;
}

/* ---- births and deaths ---- */

static void forget(loop_buffer_id *list, uint32_t *count, loop_buffer_id id)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == id) {
            list[i] = list[--*count];
            return;
        }
}

static bool meets(const tracked *a, const tracked *b)
{
    return a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

static bool check_place(const exec_moment *m, track_run *r, loop_buffer_id id)
{
    const wrap_program *w = r->t->w;
    tracked *b = &r->of[id];
    track_segment *s = &r->segments[w->storage[id].segment];
    const char *name = track_name(r->t, id);
    if (!s->memory) return track_fault(m, "@%s comes to life before its segment is placed", name);
    int64_t begin = b->at - s->memory, end = begin + b->bytes;
    if (begin < 0 || end > s->bytes)
        return track_fault(m, "@%s lies at [%lld, %lld) of %lld bytes", name, (long long)begin,
                           (long long)end, (long long)s->bytes);
    if (w->storage[id].life.root == id && begin % PLAN_ALIGNMENT)
        return track_fault(m, "@%s lies at %lld, which is not aligned", name, (long long)begin);
    if (end > s->high) s->high = end;
    for (uint32_t i = 0; i < r->alive_count; i++) {
        const tracked *other = &r->of[r->alive[i]];
        if (!meets(b, other)) continue;
        if (w->storage[r->alive[i]].life.root != w->storage[id].life.root)
            return track_fault(m, "@%s lies in the memory of @%s, which is alive", name,
                               track_name(r->t, r->alive[i]));
        b->has_content |= other->has_content; /* of a part */
    }
    if (b->has_content) b->sum = track_sum_of(m, id, b);
    return true;
}

static bool bear(const exec_moment *m, track_run *r, loop_buffer_id id)
{
    const wrap_program *w = r->t->w;
    int64_t bytes = exec_number(m->run, w->storage[id].bytes);
    tracked *b = &r->of[id];
    if (b->life == TRACK_ALIVE || b->life == TRACK_ENDING)
        return track_fault(m, "@%s is alive since line %u", track_name(r->t, id), b->line + 1);
    *b = (tracked){
        .at = m->buffers[id], .bytes = bytes > 0 ? bytes : 0, .line = m->line, .life = TRACK_ALIVE};
    if (!w->storage[id].life.in_arena) return true;
    if (b->bytes > 0 && !b->at) return track_fault(m, "@%s has no memory", track_name(r->t, id));
    if (b->bytes > 0 && !check_place(m, r, id)) return false;
    r->alive[r->alive_count++] = id;
    return true;
}

static void die(const exec_moment *m, track_run *r, loop_buffer_id id)
{
    tracked *b = &r->of[id];
    forget(r->alive, &r->alive_count, id);
    b->life = TRACK_DEAD;
    b->line = m->line;
    if (b->bytes > 0) track_bury(m, r, exec_device_of(m->run, id), b->at, b->at + b->bytes);
}

static bool free_one(const exec_moment *m, track_run *r, loop_buffer_id id)
{
    if (r->of[id].life != TRACK_ALIVE)
        return track_fault(m, "frees @%s, which is not alive", track_name(r->t, id));
    die(m, r, id);
    return true;
}

static bool reuse(const exec_moment *m, track_run *r, const wrap_line *line)
{
    loop_buffer_id old = line->old_buffer;
    if (r->of[old].life != TRACK_ALIVE)
        return track_fault(m, "takes the memory of @%s, which is not alive", track_name(r->t, old));
    forget(r->alive, &r->alive_count, old);
    r->of[old].life = TRACK_ENDING;
    r->ending[r->ending_count++] = old;
    if (!bear(m, r, line->buffer)) return false;
    if (r->of[old].bytes > 0 && r->of[line->buffer].at != r->of[old].at)
        return track_fault(m, "@%s does not lie where @%s lies, whose memory it takes",
                           track_name(r->t, line->buffer), track_name(r->t, old));
    return true;
}

/* ---- lines ---- */

/* A later segment that lies in the arena, which grows where it is. */
static void extend_arena(const exec_moment *m, track_run *r, track_segment *s)
{
    track_segment *first = &r->segments[0];
    int64_t bytes = (int64_t)m->run->f->segments[0].bytes;
    if (bytes > first->bytes) {
        track_fill(m, 0, first->memory + first->bytes, first->memory + bytes);
        first->bytes = bytes;
    }
    s->memory = first->memory;
    s->bytes = first->bytes;
}

static bool place(const exec_moment *m, track_run *r, uint32_t number)
{
    const rt_block *block = &m->run->f->segments[number];
    track_segment *s = &r->segments[number];
    for (uint32_t i = 0; i < r->alive_count; i++)
        if (r->t->w->storage[r->alive[i]].segment == number)
            return track_fault(m, "a segment is placed in which @%s is alive",
                               track_name(r->t, r->alive[i]));
    if (number && block->memory == m->run->f->segments[0].memory) {
        extend_arena(m, r, s);
        return true;
    }
    s->memory = block->memory;
    s->bytes = wrap_is_fixed(r->t->w, number) ? r->t->w->arena_bytes : (int64_t)block->bytes;
    if (s->memory) track_fill(m, track_device(r, number), s->memory, s->memory + s->bytes);
    return true;
}

/* Dead bytes that the call's threads had to work in. */
static void bury_room(const exec_moment *m, track_run *r, const wrap_scratch *room)
{
    if (!room->bytes || room->in != LOOP_NO_BUFFER) return;
    char *begin = r->segments[0].memory + room->at;
    track_bury(m, r, 0, begin, begin + room->bytes);
}

static bool end_call(const exec_moment *m, track_run *r, const wrap_line *line)
{
    while (r->ending_count) die(m, r, r->ending[--r->ending_count]);
    bury_room(m, r, &line->scratch);
    return track_is_living_untouched(m, r, line) && track_is_dead_untouched(m, r);
}

/* An arm that is not run may hold the line that frees what was alive before it: no line behind the arm
 * uses that. */
static void skip_to(const exec_moment *m, track_run *r, uint32_t line)
{
    for (uint32_t i = r->next; i < line; i++) {
        const wrap_line *skipped = &r->t->w->lines.at[i];
        loop_buffer_id id = skipped->kind == WRAP_FREE    ? skipped->buffer
                            : skipped->kind == WRAP_REUSE ? skipped->old_buffer
                                                          : LOOP_NO_BUFFER;
        if (id != LOOP_NO_BUFFER && r->of[id].life == TRACK_ALIVE) die(m, r, id);
    }
    r->next = line + 1;
}

static bool before_line(void *data, const exec_moment *m)
{
    const tracker *t = data;
    track_run *r = m->state;
    const wrap_line *line = &t->w->lines.at[m->line];
    skip_to(m, r, m->line);
    use_check check = {m, r};
    /* what is born where a part begins is so behind that line */
    if (wrap_is_step(line) && line->kind != WRAP_PARTITION &&
        !track_is_as_planned(m, r, t->step_of[m->line]))
        return false;
    return exec_each_operand(t->w, line, check_use, &check);
}

static bool after_line(void *data, const exec_moment *m)
{
    const tracker *t = data;
    track_run *r = m->state;
    const wrap_line *line = &t->w->lines.at[m->line];
    track_lent_written(m, r, line);
    switch (line->kind) {
    case WRAP_PLACE: return place(m, r, line->index);
    case WRAP_ALLOC: return bear(m, r, line->buffer);
    case WRAP_FREE: return free_one(m, r, line->buffer);
    case WRAP_REUSE: return reuse(m, r, line);
    case WRAP_KERNEL:
    case WRAP_COPY:
    case WRAP_EXTERN: return end_call(m, r, line);
    default: return true;
    }
}

/* ---- a run ---- */

/* Its tables, in one block with it. */
static track_run *run_new(const tracker *t)
{
    size_t buffers = t->w->loops->buffers.count + 1, segments = t->w->segment_count + 1,
           bytes = sizeof(track_run) +
                   buffers * (sizeof(tracked) + sizeof(tracked *) + sizeof(track_reach) +
                              2 * sizeof(loop_buffer_id)) +
                   segments * sizeof(track_segment);
    track_run *r = rt_memory_new(bytes);
    if (!r) return NULL;
    memset(r, 0, bytes);
    r->t = t;
    r->of = (tracked *)(r + 1);
    r->sorted = (tracked **)(r->of + buffers);
    r->segments = (track_segment *)(r->sorted + buffers);
    r->reach = (track_reach *)(r->segments + segments);
    r->alive = (loop_buffer_id *)(r->reach + buffers);
    r->ending = r->alive + buffers;
    return r;
}

static void release(void *data, void *state)
{
    (void)data;
    rt_memory_free(state);
}

static bool begin(void *data, exec_moment *m)
{
    track_run *r = m->state = run_new(data);
    if (r) {
        r->next = m->line;
        track_lent_begin(m, r);
        return place(m, r, 0);
    }
    snprintf(m->message, m->message_bytes, "no memory to follow a run with");
    return false;
}

static bool finish(void *data, const exec_moment *m)
{
    const tracker *t = data;
    track_run *r = m->state;
    skip_to(m, r, t->w->lines.count);
    for (uint32_t i = 0; i < r->alive_count; i++)
        if (!t->is_returned[t->w->storage[r->alive[i]].life.root])
            return track_fault(m, "@%s is alive since line %u, and nothing returns it",
                               track_name(t, r->alive[i]), r->of[r->alive[i]].line + 1);
    return track_ends_as_planned(m, r);
}

static void find_notes(tracker *t, arena *memory)
{
    const wrap_program *w = t->w;
    const char *note = NULL;
    t->note = NEW_ARRAY(memory, const char *, w->lines.count + 1);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind == WRAP_COMMENT) note = line->text;
        if (line->kind != WRAP_KERNEL && line->kind != WRAP_EXTERN) continue;
        t->note[i] = note;
        note = NULL;
    }
}

exec_observer exec_tracker(const wrap_program *w, arena *memory)
{
    tracker *t = NEW(memory, tracker);
    t->w = w;
    t->is_returned = NEW_ARRAY(memory, bool, w->loops->buffers.count + 1);
    for (uint32_t k = 0; k < w->loops->outputs.count; k++) {
        const loop_output *o = &w->loops->outputs.at[k];
        if (o->kind == LOOP_OUT_TENSOR) t->is_returned[w->storage[o->view.buffer].life.root] = true;
    }
    find_notes(t, memory);
    track_plan(t, memory);
    return (exec_observer){begin, before_line, after_line, finish, release, t};
}
