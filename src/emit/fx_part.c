/* fx_part.c -- the parts of a program that was cut, in the FX printer: a graph each, which the main graph
 * calls as a module. It is given what it takes from outside, changes buffers where they lie, and returns
 * what it makes: buffers, numbers that it finds, memory that later buffers lie in.
 */
#include "emit/fx.h"

typedef struct emit_fx_results {
    VEC(const char *) names;
} emit_fx_results;

static void add_made(emit_state *s, emit_fx_results *results, const char *name)
{
    for (uint32_t i = 0; i < results->names.count; i++)
        if (results->names.at[i] == name) return;
    if (emit_fx_is_made_here(s, name)) vec_push(s->memory, &results->names, name);
}

void emit_fx_leave_part(emit_state *s)
{
    const wrap_line *line = s->w->lines.at, *end = line + s->w->lines.count;
    emit_fx_results results = {0};
    text signature;
    if (!s->in_part) return;
    s->in_part = false;
    for (uint32_t k = s->parts_begun; k; line++) k -= line->kind == WRAP_PARTITION;
    const wrap_line *partition = line - 1;
    const sched_part *part = partition->part;
    for (uint32_t i = 0; i < part->make_count; i++) add_made(s, &results, s->names[part->makes[i]]);
    for (uint32_t i = 0; i < part->define_count; i++)
        add_made(s, &results, sym_name(s->w->loops->symbols, part->defines[i]));
    for (line = s->w->lines.at + wrap_end_of_part(s->w, partition); line < end; line++) {
        bool lives = line->kind == WRAP_ALLOC || line->kind == WRAP_REUSE;
        const char *memory =
            lives ? emit_fx_memory_of(s, s->w->storage[line->buffer].life.root) : NULL;
        if (memory) add_made(s, &results, memory);
    }
    emit_fx_text(s, &signature);
    wrap_print_line(s->w, partition, &signature);
    emit_fx_note(s, NULL);
    emit_fx_close_part(s, results.names.at, results.names.count, signature.at);
}

void emit_fx_partition(emit_state *s, const wrap_line *line)
{
    (void)line;
    emit_fx_leave_part(s);
    s->in_part = true;
    emit_fx_note(s, NULL);
    emit_fx_open_part(s, arena_printf(s->memory, "part_%u", s->parts_begun++));
    emit_fx_node(s, "get_attr", "library", "library", NULL, NULL);
}
