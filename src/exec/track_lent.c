/* track_lent.c -- buffers in the memory of outputs and of donated inputs, which no line brings to life: what
 * one of them holds must be there as long as it is read.
 *
 * Of each a sum of its content is kept from its last writer on. Who else writes to these bytes changes it,
 * and the next reader finds that; what lies inside one whole with it may.
 */
#include "exec/track.h"

static bool is_lent(const wrap_program *w, loop_buffer_id id)
{
    wrap_storage_kind home = w->storage[id].kind;
    return home == WRAP_STORAGE_OUTPUT || home == WRAP_STORAGE_ALIAS ||
           (home == WRAP_STORAGE_INPUT && w->loops->buffers.at[id].donated);
}

static void note_content(const exec_moment *m, track_run *r, loop_buffer_id id, char *at)
{
    int64_t bytes = exec_number(m->run, r->t->w->storage[id].bytes);
    tracked *b = &r->of[id];
    b->at = at;
    b->bytes = bytes > 0 && at ? bytes : 0;
    b->line = m->line;
    b->has_content = true;
    b->sum = track_sum_of(m, id, b);
}

void track_lent_begin(const exec_moment *m, track_run *r)
{
    const loop_program *p = r->t->w->loops;
    for (uint32_t k = 0; k < p->inputs.count; k++)
        if (p->inputs.at[k].is_tensor && p->buffers.at[p->inputs.at[k].buffer].donated)
            note_content(m, r, p->inputs.at[k].buffer, m->run->f->inputs[k]);
}

bool track_lent_use(const exec_moment *m, track_run *r, loop_buffer_id id, bool is_read)
{
    const tracked *b = &r->of[id];
    const char *name = track_name(r->t, id);
    if (!is_read || !is_lent(r->t->w, id) || exec_number(m->run, r->t->w->storage[id].bytes) <= 0)
        return true;
    if (!b->has_content)
        return track_fault(m, "reads @%s, which nothing has been written to", name);
    if (track_sum_of(m, id, b) == b->sum) return true;
    if (r->t->w->loops->buffers.at[id].kind == LOOP_INPUT)
        return track_fault(m, "reads @%s, which is not what the caller gave any more", name);
    return track_fault(m, "reads @%s, which is not what line %u has written any more", name,
                       b->line + 1);
}

typedef struct writer {
    const exec_moment *m;
    track_run *r;
} writer;

/* Others of its whole hold what it does, where they lie over each other. */
static void note_whole(const writer *w, loop_buffer_id written)
{
    const loop_program *p = w->r->t->w->loops;
    const tracked *a = &w->r->of[written];
    loop_buffer_id whole = loop_whole_of(p, written, NULL);
    for (loop_buffer_id id = 0; id < p->buffers.count; id++) {
        if (id == written || !is_lent(w->r->t->w, id) || loop_whole_of(p, id, NULL) != whole)
            continue;
        char *at = w->m->buffers[id];
        int64_t bytes = exec_number(w->m->run, w->r->t->w->storage[id].bytes);
        if (at && at < a->at + a->bytes && a->at < at + bytes) note_content(w->m, w->r, id, at);
    }
}

static bool note_written(void *data, loop_buffer_id id, exec_use use)
{
    const writer *w = data;
    if ((use != EXEC_WRITES && use != EXEC_MAY_WRITE) || !is_lent(w->r->t->w, id)) return true;
    note_content(w->m, w->r, id, w->m->buffers[id]);
    note_whole(w, id);
    return true;
}

void track_lent_written(const exec_moment *m, track_run *r, const wrap_line *line)
{
    writer w = {m, r};
    if (line->kind == WRAP_CLEAR) note_written(&w, line->view->buffer, EXEC_WRITES);
    exec_each_operand(r->t->w, line, note_written, &w);
}
