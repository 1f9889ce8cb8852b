/* scratch.c -- where scratch of threads may lie: memory that is there and that nobody uses during an
 * operator's line, and law W13.
 *
 * What each thread has to itself (need.c) would need memory of its own, which is there all the time. But at
 * most lines a part of the arena is free, and so is an output until something is written there. How many
 * threads there are only the run knows: it looks whether all of it fits.
 */
#include "wrap/wrap_priv.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(loop_buffer_id) buffer_list;

typedef struct finder {
    wrap_program *w;
    const sched_life *lives; /* in groups: the program's own count steps, assertions included */
    arena *memory;
    buffer_list *births; /* by group: buffers with memory that come to life before it */
    buffer_list alive;   /* at the group, in any memory */
    buffer_list spaces;  /* outputs that may be used */
    VEC(wrap_piece) pieces;
    uint32_t group;
} finder;

static int64_t line_up(int64_t bytes)
{
    return (bytes + WRAP_SCRATCH_UNIT - 1) / WRAP_SCRATCH_UNIT * WRAP_SCRATCH_UNIT;
}

/* ---- the memories ---- */

/* Later segments lie in what the first one leaves: nobody knows yet where. */
static bool may_use_arena(const wrap_program *w)
{
    return w->segment_count == 1 && !w->is_dynamic && !w->memory_of;
}

/* One that has its memory, of so many bytes, from the start of the run, and to itself. */
static bool is_space(const wrap_program *w, loop_buffer_id id, int64_t *bytes)
{
    return w->loops->buffers.at[id].kind == LOOP_TEMP && w->storage[id].output >= 0 &&
           w->storage[id].life.root == id && w->storage[id].life.else_in == LOOP_NO_BUFFER &&
           !w->memory_of && !w->storage[id].life.in_arena && !w->storage[id].is_unbacked &&
           sym_is_int(w->loops->symbols, w->storage[id].bytes, bytes);
}

static bool lies_in(const wrap_program *w, loop_buffer_id id, loop_buffer_id space)
{
    loop_buffer_id root = w->storage[id].life.root;
    return space == LOOP_NO_BUFFER ? w->storage[root].life.in_arena : root == space;
}

/* From where to where in its memory; where a symbol decides, all that its root may have. */
wrap_piece wrap_piece_of(const wrap_program *w, loop_buffer_id id)
{
    loop_buffer_id root = w->storage[id].life.root;
    int64_t base = w->storage[root].life.in_arena ? w->storage[root].offset : 0, begin, end;
    if (sym_is_int(w->loops->symbols, wrap_begin(w, id), &begin) &&
        sym_is_int(w->loops->symbols, wrap_end(w, id), &end))
        return (wrap_piece){base + begin, base + end};
    return wrap_largest_bytes(w, root, &end) ? (wrap_piece){base, base + end}
                                             : (wrap_piece){0, INT64_MAX};
}

bool wrap_scratch_each(const wrap_program *w, const wrap_line *line, int64_t *each)
{
    int64_t least;
    if (line->kind != WRAP_EXTERN || line->op->callee) return false;
    loop_need need = loop_need_of(w->loops, line->op);
    sym_range(w->loops->symbols, need.each, NULL, &least, each);
    return *each > 0 && (least == *each || (w->is_bounded && *each <= PLAN_MOST_BYTES));
}

/* ---- finding ---- */

static int by_begin(const void *a, const void *b)
{
    const wrap_piece *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* An output begins wherever the caller has put it: there is a line less. */
static void take_larger(wrap_scratch *scratch, loop_buffer_id in, int64_t at, int64_t end)
{
    at = line_up(at);
    end = end / WRAP_SCRATCH_UNIT * WRAP_SCRATCH_UNIT -
          (in == LOOP_NO_BUFFER ? 0 : WRAP_SCRATCH_UNIT);
    if (end - at > scratch->bytes) *scratch = (wrap_scratch){in, at, end - at};
}

/* The largest part of a memory that nothing alive lies in. */
static void look_in(finder *f, loop_buffer_id space, int64_t bytes, wrap_scratch *scratch)
{
    int64_t free_from = 0;
    f->pieces.count = 0;
    for (uint32_t i = 0; i < f->alive.count; i++)
        if (lies_in(f->w, f->alive.at[i], space))
            vec_push(f->memory, &f->pieces, wrap_piece_of(f->w, f->alive.at[i]));
    if (f->pieces.count) qsort(f->pieces.at, f->pieces.count, sizeof *f->pieces.at, by_begin);
    for (uint32_t i = 0; i < f->pieces.count; i++) {
        take_larger(scratch, space, free_from, f->pieces.at[i].at);
        if (f->pieces.at[i].end > free_from) free_from = f->pieces.at[i].end;
    }
    take_larger(scratch, space, free_from, bytes);
}

static void go_to(finder *f, uint32_t group)
{
    uint32_t kept = 0;
    for (; f->group <= group; f->group++)
        for (uint32_t i = 0; i < f->births[f->group].count; i++)
            vec_push(f->memory, &f->alive, f->births[f->group].at[i]);
    for (uint32_t i = 0; i < f->alive.count; i++)
        if (f->lives[f->alive.at[i]].death > group) f->alive.at[kept++] = f->alive.at[i];
    f->alive.count = kept;
}

/* By buffer: an output that is zeroed at the start and stays so where nothing is written (numbers.c). Of a
 * program that was cut into parts all are: in a part only what crosses its border is there. */
static bool *find_taken(const finder *f)
{
    const wrap_program *w = f->w;
    uint32_t count = w->loops->buffers.count;
    bool *taken = NEW_ARRAY(f->memory, bool, count + 1);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_line *line = &w->lines.at[i];
        if (line->kind == WRAP_CLEAR) taken[line->view->buffer] = true;
        if (line->kind == WRAP_PARTITION) memset(taken, true, count * sizeof *taken);
    }
    return taken;
}

static void list_buffers(finder *f, uint32_t groups)
{
    const wrap_program *w = f->w;
    const bool *taken = find_taken(f);
    f->births = NEW_ARRAY(f->memory, buffer_list, groups + 1);
    for (loop_buffer_id id = 0; id < w->loops->buffers.count; id++) {
        int64_t bytes;
        const sched_life *life = &f->lives[id];
        bool has_memory =
            w->storage[life->root].life.in_arena || w->storage[life->root].output >= 0;
        if (has_memory && life->birth < groups && life->birth < life->death)
            vec_push(f->memory, &f->births[life->birth], id);
        if (!taken[id] && is_space(w, id, &bytes)) vec_push(f->memory, &f->spaces, id);
    }
}

void wrap_find_scratch(wrap_program *w, const sched_life *lives, uint32_t groups)
{
    arena *memory = arena_new(w->session);
    finder f = {.w = w, .memory = memory, .lives = lives};
    list_buffers(&f, groups);
    for (uint32_t i = 0; i < w->lines.count; i++) {
        wrap_line *line = &w->lines.at[i];
        int64_t each, bytes;
        if (!wrap_scratch_each(w, line, &each)) continue;
        go_to(&f, line->call.group);
        wrap_scratch scratch = {LOOP_NO_BUFFER, 0, 0};
        if (may_use_arena(w)) look_in(&f, LOOP_NO_BUFFER, w->arena_bytes, &scratch);
        for (uint32_t k = 0; k < f.spaces.count; k++)
            if (is_space(w, f.spaces.at[k], &bytes)) look_in(&f, f.spaces.at[k], bytes, &scratch);
        if (scratch.bytes >= line_up(each)) line->scratch = scratch;
    }
    arena_free(memory);
}

/* ---- how large the scratch of a context is ---- */

/* The largest first, then those with the least scratch. */
static int by_need(const void *a, const void *b)
{
    const wrap_scratch_row *x = a, *y = b;
    if (x->each != y->each) return x->each > y->each ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

int64_t wrap_scratch_rows(const wrap_program *w, arena *memory, const wrap_scratch_row **rows)
{
    VEC(wrap_scratch_row) all = {0};
    int64_t each, without = 0, least = INT64_MAX;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->lines.count; i++) {
        const wrap_scratch *scratch = &w->lines.at[i].scratch;
        if (!wrap_scratch_each(w, &w->lines.at[i], &each)) continue;
        if (scratch->bytes)
            vec_push(memory, &all, (wrap_scratch_row){each, scratch->bytes});
        else if (each > without)
            without = each;
    }
    if (all.count) qsort(all.at, all.count, sizeof *all.at, by_need);
    for (uint32_t i = 0; i < all.count && all.at[i].each > without; i++) {
        if (all.at[i].bytes >= least) continue;
        least = all.at[i].bytes;
        all.at[kept++] = all.at[i];
    }
    all.count = kept;
    vec_push(memory, &all, (wrap_scratch_row){0});
    *rows = all.at;
    return without;
}

static bool has_scratch_lines(const wrap_program *w)
{
    for (uint32_t i = 0; i < w->lines.count; i++)
        if (w->lines.at[i].kind == WRAP_SCRATCH) return true;
    return false;
}

uint32_t wrap_scratch_threads(const wrap_program *w)
{
    arena *memory = arena_new(w->session);
    const wrap_scratch_row *row;
    int64_t threads =
        wrap_scratch_rows(w, memory, &row) > 0 || has_scratch_lines(w) ? 0 : INT32_MAX;
    for (; row->each; row++) {
        int64_t fit = row->bytes / loop_scratch_stride(row->each);
        if (fit < threads) threads = fit;
    }
    arena_free(memory);
    return (uint32_t)threads;
}

/* ---- W13 ---- */

const char *wrap_check_scratch(const wrap_program *w, const wrap_line *line)
{
    const wrap_scratch *scratch = &line->scratch;
    int64_t each, bytes = w->arena_bytes;
    if (!scratch->bytes) return NULL;
    if (!wrap_scratch_each(w, line, &each) || scratch->bytes < each)
        return "an operator has memory for scratch that is too small";
    bool is_there =
        scratch->in == LOOP_NO_BUFFER ? may_use_arena(w) : is_space(w, scratch->in, &bytes);
    if (scratch->in != LOOP_NO_BUFFER) bytes -= WRAP_SCRATCH_UNIT;
    return is_there && scratch->at >= 0 && scratch->at % WRAP_SCRATCH_UNIT == 0 &&
                   scratch->at <= bytes - scratch->bytes
               ? NULL
               : "an operator has scratch where it has no memory";
}
