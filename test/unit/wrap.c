/* wrap.c -- src/wrap: the text of every program's wrapper comes back. The verifier and the lines are
 * tested by texts in test/wrap. */
#include "archives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fe_status round_trip(fe_session *session, driver_program *d)
{
    text first, second;
    wrap_program *again;
    text_init(&first, d->memory);
    text_init(&second, d->memory);
    wrap_print(d->wrapper, &first);
    FE_TRY(wrap_parse(session, d->memory, first.at, first.length, &again));
    wrap_print(again, &second);
    EXPECT_TEXT(second.at, first.at);
    return wrap_check(again);
}

TEST(wrap_text_of_every_program_comes_back)
{
    unit_each_archive(STAGE_WRAP, round_trip);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The tables and the run function of a program, its lines sorted: buffers are numbered anew when a
 * text is read, inputs first, and their pointers are declared in that order. */
static const char *sorted_lines(arena *memory, const char *source)
{
    VEC(char *) lines = {0};
    text out;
    const char *end = strstr(source, ".weights_key");
    char *copy = arena_printf(memory, "%.*s", (int)(end - source), source);
    for (char *at = strtok(strstr(copy, "static const fe_port"), "\n"); at; at = strtok(NULL, "\n"))
        vec_push(memory, &lines, at);
    qsort(lines.at, lines.count, sizeof *lines.at, by_text);
    text_init(&out, memory);
    for (uint32_t i = 0; i < lines.count; i++) text_printf(&out, "%s\n", lines.at[i]);
    return out.at;
}

/* The C of the wrapper that was read is the C of the one that was built. */
static fe_status same_source(fe_session *session, driver_program *d)
{
    text source;
    emit_file *files;
    uint32_t count;
    text_init(&source, d->memory);
    wrap_print(d->wrapper, &source);
    FE_TRY(driver_advance(d, STAGE_EMIT, STAGE_EMIT));
    FE_TRY(wrap_parse(session, d->memory, source.at, source.length, &d->wrapper));
    emit_input input = {.wrapper = d->wrapper,
                        .vectors = d->target->name,
                        .producer = "",
                        .entry = d->whole.entries[0],
                        .parts = 1};
    FE_TRY(emit_program(&emit_target_c, &input, d->memory, &files, &count));
    EXPECT_TEXT(sorted_lines(d->memory, files[0].text),
                sorted_lines(d->memory, d->whole.files[0].text));
    return FE_OK;
}

TEST(wrap_text_holds_all_that_the_printers_need)
{
    unit_each_archive(STAGE_WRAP, same_source);
}

static bool writes(const wrap_line *line, loop_buffer_id id)
{
    bool found = line->kind == WRAP_CLEAR && line->view->buffer == id;
    for (uint32_t k = 0; line->op && k < line->op->output_count; k++)
        found |= line->op->outputs[k].buffer == id;
    for (uint32_t k = 0; k < line->call.buffer_count; k++)
        found |= line->call.buffers[k] == id && line->call.is_written[k];
    return found;
}

static bool reads(const wrap_program *w, const wrap_line *line, loop_buffer_id id)
{
    bool found = line->kind == WRAP_OUTPUT && w->loops->outputs.at[line->index].view.buffer == id;
    for (uint32_t k = 0; line->op && k < line->op->input_count; k++)
        found |= line->op->inputs[k].buffer == id;
    for (uint32_t k = 0; k < line->call.buffer_count; k++)
        found |= line->call.buffers[k] == id && !line->call.is_written[k];
    return found;
}

/* Does this line alone write the buffer, and another one read it, or is it to be changed? */
static bool is_missed(const wrap_program *w, const wrap_line *line, loop_buffer_id id)
{
    const loop_buffer *b = &w->loops->buffers.at[id];
    bool is_read = b->mutated || b->kind == LOOP_STATE;
    if (sym_same(b->elements, sym_int(w->loops->symbols, 0))) return false;
    for (const wrap_line *other = w->lines.at; other < w->lines.at + w->lines.count; other++) {
        if (other == line) continue;
        if (writes(other, id)) return false;
        is_read |= reads(w, other, id);
    }
    return is_read;
}

static bool is_needed(const wrap_program *w, const wrap_line *line)
{
    bool found = false;
    if (line->kind != WRAP_KERNEL && line->kind != WRAP_EXTERN && line->kind != WRAP_COPY)
        return false;
    for (loop_buffer_id id = 0; id < w->loops->buffers.count && !found; id++)
        found = writes(line, id) && is_missed(w, line, id);
    return found;
}

static uint32_t lines_dropped;

static fe_status without_each_line(fe_session *session, driver_program *d)
{
    wrap_program *w = d->wrapper;
    for (uint32_t i = 0; i < w->lines.count; i++) /* what symbols leave open, nobody misses */
        if (w->lines.at[i].kind == WRAP_SYMBOL) return FE_OK;
    for (uint32_t i = 0; i < w->lines.count && w->lines.count < 200; i++) {
        wrap_line line = w->lines.at[i];
        if (!is_needed(w, &w->lines.at[i])) continue;
        w->lines.at[i] = (wrap_line){.kind = WRAP_COMMENT, .text = ""};
        if (!EXPECT(wrap_check(w) == FE_INTERNAL)) {
            text out;
            text_init(&out, d->memory);
            wrap_print_line(w, &line, &out);
            fprintf(stderr, "without: %s\n", out.at);
        }
        w->lines.at[i] = line;
        diag_clear(session);
        lines_dropped++;
    }
    return FE_OK;
}

TEST(a_program_without_a_line_that_writes_is_refused)
{
    lines_dropped = 0;
    unit_each_archive(STAGE_WRAP, without_each_line);
    EXPECT(lines_dropped > 100);
}

TEST(every_line_kind_has_a_name)
{
    for (int k = 0; k < WRAP_KIND_COUNT; k++)
        EXPECT(wrap_kind_name((wrap_kind)k) != NULL && *wrap_kind_name((wrap_kind)k));
}
