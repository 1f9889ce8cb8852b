/* archives.c -- see archives.h. */
#include "archives.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct archive_job {
    const char *path;
    driver_stage last;
    fe_status (*body)(fe_session *, driver_program *);
    driver_program *program;
    bool compiled;
} archive_job;

static fe_status run_archive(fe_session *session, void *data)
{
    archive_job *job = data;
    driver_options options;
    driver_default_options(session->memory, &options);
    options.input = job->path;
    FE_TRY(driver_compile(session, &options, job->last, session->memory, &job->program));
    job->compiled = true;
    return job->body(session, job->program);
}

static bool test_archive(archive_job *job)
{
    fe_session *session = session_new();
    job->program = NULL;
    job->compiled = false;
    fe_status status = session_guard(session, run_archive, job);
    if (job->compiled && !EXPECT(status == FE_OK)) {
        text out;
        text_init(&out, session->memory);
        diag_print(session, &out);
        printf("%s: %s\n", job->path, out.at);
    }
    driver_close(job->program);
    session_free(session);
    return job->compiled;
}

static int test_folder(const char *name, archive_job *job)
{
    DIR *folder = opendir(name);
    struct dirent *entry;
    int compiled = 0;
    while (folder && (entry = readdir(folder))) {
        char path[1000];
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 4, ".pt2") != 0) {
            compiled += test_folder(path, job);
            continue;
        }
        job->path = path;
        compiled += test_archive(job);
    }
    if (folder) closedir(folder);
    return compiled;
}

void unit_each_archive(driver_stage last, fe_status (*body)(fe_session *, driver_program *))
{
    archive_job job = {.last = last, .body = body};
    char more[2000] = "", *rest = more;
    int compiled = test_folder("test/cases/ops", &job) + test_folder("test/cases/programs", &job);
    if (getenv("UNIT_ARCHIVES")) snprintf(more, sizeof more, "%s", getenv("UNIT_ARCHIVES"));
    for (char *end = more; *rest; rest = end) {
        end = rest + strcspn(rest, ":");
        if (*end) *end++ = 0;
        compiled += test_folder(rest, &job);
    }
    EXPECT(compiled > 50);
}
