/* wrap.c -- src/wrap: the text of every program's wrapper comes back. The verifier and the lines are
 * tested by texts in test/wrap. */
#include "archives.h"

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
                        .vectors = d->target.name,
                        .producer = "",
                        .entry = d->whole.entry,
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

TEST(every_line_kind_has_a_name)
{
    for (int k = 0; k < WRAP_KIND_COUNT; k++)
        EXPECT(wrap_kind_name((wrap_kind)k) != NULL && *wrap_kind_name((wrap_kind)k));
}
