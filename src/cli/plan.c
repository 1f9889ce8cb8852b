/* plan.c -- `ferrite plan`: offsets for a file of buffers (id,lower,upper,size), and how near they
 * are to the lower bound. */
#include "cli/cli.h"

typedef struct plan_call {
    cli_call call;
    const char *output;
    double budget_ms, capacity;
} plan_call;

static fe_status plan_body(fe_session *session, void *data)
{
    const plan_call *o = data;
    plan_options options = {.capacity = (int64_t)o->capacity, .budget_ms = o->budget_ms};
    char *source;
    size_t length;
    text figures, csv;
    text_init(&figures, session->memory);
    text_init(&csv, session->memory);
    FE_TRY(file_read(session, session->memory, o->call.paths.at[0], &source, &length));
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
