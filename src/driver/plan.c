/* plan.c -- `ferrite plan`: offsets for a file of buffers (id,lower,upper,size), and how near they
 * are to the lower bound. */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct plan_job {
    const char *file, *output;
    plan_options options;
    arena *memory;
} plan_job;

static fe_status plan_body(fe_session *session, void *data)
{
    plan_job *job = data;
    arena *memory = job->memory = arena_new(session);
    char *source;
    size_t length;
    text figures, csv;
    text_init(&figures, memory);
    text_init(&csv, memory);
    FE_TRY(file_read(session, memory, job->file, &source, &length));
    fe_status status =
        plan_command(memory, source, length, &job->options, &figures, job->output ? &csv : NULL);
    fputs(figures.at, stdout);
    if (status == FE_OK && job->output)
        status = file_write(session, job->output, csv.at, csv.length);
    return status;
}

int command_plan(int argc, char **argv)
{
    plan_job job = {0};
    for (int i = 0; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--capacity") == 0 && has_value)
            job.options.capacity = strtoll(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--budget-ms") == 0 && has_value)
            job.options.budget_ms = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "-o") == 0 && has_value)
            job.output = argv[++i];
        else if (!job.file && (argv[i][0] != '-' || strcmp(argv[i], "-") == 0))
            job.file = argv[i];
        else
            job.file = NULL, i = argc;
    }
    if (!job.file) {
        fprintf(stderr,
                "usage: ferrite plan FILE.csv|- [--capacity N] [--budget-ms N] [-o OFFSETS.csv]\n");
        return 2;
    }
    fe_session *session = session_new();
    if (!session) return 1;
    int status = session_guard(session, plan_body, &job) == FE_OK ? 0 : cli_failed(session);
    arena_free(job.memory);
    session_free(session);
    return status;
}
