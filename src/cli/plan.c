/* plan.c -- `ferrite plan`: offsets for a file of buffers (id,lower,upper,size), and how near they
 * are to the lower bound. */
#include "cli/cli.h"

#include <string.h>

typedef struct plan_call {
    cli_call call;
    const char *output;
    double budget_ms, capacity;
} plan_call;

static int64_t whole(double bytes)
{
    return bytes < 0x1p63 ? (int64_t)bytes : INT64_MAX;
}

static bool is_archive(const char *source, size_t length)
{
    return length >= 4 && memcmp(source, "PK\3\4", 4) == 0;
}

static fe_status fail_archive(fe_session *session, const char *path)
{
    diag d = {.status = FE_USAGE, .stage = "plan", .place = path};
    d.help = "`ferrite inspect FILE --stage plan` shows the plan of a program";
    return diag_fail(session, d, "it is an archive, not a file of buffers");
}

static fe_status plan_body(fe_session *session, void *data)
{
    const plan_call *o = data;
    plan_options options = {.capacity = whole(o->capacity), .budget_ms = o->budget_ms};
    char *source;
    size_t length;
    text figures, csv;
    text_init(&figures, session->memory);
    text_init(&csv, session->memory);
    FE_TRY(file_read(session, session->memory, o->call.paths.at[0], &source, &length));
    if (is_archive(source, length)) return fail_archive(session, o->call.paths.at[0]);
    fe_status status =
        plan_command(session->memory, source, length, &options, &figures, o->output ? &csv : NULL);
    fputs(figures.at, stdout);
    if (status == FE_OK && o->output) status = file_write(session, o->output, csv.at, csv.length);
    return status;
}

static int plan(cli_call *call)
{
    return api_call(call->session, plan_body, call) == FE_OK ? 0 : cli_failed(call->session);
}

#define FIELD(name) offsetof(plan_call, name)
static const cli_option options[] = {
    {"--capacity", CLI_REAL, FIELD(capacity), "BYTES", "fails when the plan does not fit"},
    {"--budget-ms", CLI_REAL, FIELD(budget_ms), "MS", "time to search for"},
    {"-o", CLI_TEXT, FIELD(output), "OFFSETS.csv", "writes the plan"},
};

const cli_command cli_plan = {
    .name = "plan",
    .what = "plans memory for a file of buffers: lines of id,lower,upper,size",
    .usage = "plan FILE.csv|- [--capacity BYTES] [--budget-ms MS] [-o OFFSETS.csv]\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options = "",
    .fewest = 1,
    .most = 1,
    .run = plan,
    .bytes = sizeof(plan_call),
};
