/* driver.c -- src/driver: the same archive gives the same bytes. The commands are tested by texts in
 * test/driver. */
#include "archives.h"

#include <string.h>

typedef struct compiled {
    const char *path;
    driver_program *program;
} compiled;

static fe_status compile(fe_session *session, void *data)
{
    compiled *c = data;
    driver_options options;
    driver_default_options(session->memory, &options);
    options.input = c->path;
    options.jobs = 2;
    return driver_compile(session, &options, STAGE_EMIT, session->memory, &c->program);
}

/* A second session, its memory elsewhere, makes the same files. */
static fe_status same_files(fe_session *session, driver_program *d)
{
    fe_session *other = session_new();
    compiled second = {.path = d->options.input};
    (void)session;
    d->options.jobs = 2;
    FE_TRY(driver_advance(d, STAGE_EMIT, STAGE_EMIT));
    if (EXPECT(session_guard(other, compile, &second) == FE_OK)) {
        EXPECT_INT(second.program->whole.file_count, d->whole.file_count);
        for (uint32_t i = 0; i < d->whole.file_count && i < second.program->whole.file_count; i++) {
            EXPECT_TEXT(second.program->whole.files[i].name, d->whole.files[i].name);
            EXPECT_TEXT(second.program->whole.files[i].text, d->whole.files[i].text);
        }
        EXPECT(second.program->weights_key == d->weights_key);
    }
    driver_close(second.program);
    session_free(other);
    return FE_OK;
}

TEST(two_compiles_give_the_same_bytes)
{
    unit_each_archive(STAGE_WRAP, same_files);
}
