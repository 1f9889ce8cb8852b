/* check.c -- `ferrite check`: recorded cases, each in a process of its own so that one that crashes
 * or hangs is one failure.
 *
 * First our inferred metadata against what the archive records for every node, then the numbers
 * against the recorded outputs: within the case's tolerance of eager PyTorch and, where the case
 * has a float64 run, within a small factor of eager's own error. With weights that option quantize made
 * integers of, numbers are not judged: how far they are off is said, and elements that are not finite,
 * shapes and strides alone can fail.
 */
#define _GNU_SOURCE
#include "cli/case.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASE_SECONDS = 120, MESSAGE_BYTES = 1500 };

typedef struct verdict {
    int kind; /* a case_verdict */
    double seconds;
    char message[MESSAGE_BYTES];
} verdict;

typedef struct check_call {
    cli_call call;
    const char *report;
    uint32_t jobs;
    bool metadata_only, replaces;
} check_call;

typedef struct path_list {
    char **at;
    size_t count, capacity;
} path_list;

/* ---- finding cases ---- */

static void add_path(path_list *list, const char *path)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->at = realloc(list->at, list->capacity * sizeof *list->at);
    }
    list->at[list->count++] = strdup(path);
}

static bool ends_with(const char *name, const char *end)
{
    size_t a = strlen(name), b = strlen(end);
    return a >= b && strcmp(name + a - b, end) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_cases(path_list *list, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        DIR *folder = opendir(path);
        struct dirent *entry;
        while (folder && (entry = readdir(folder))) {
            char child[4096];
            if (entry->d_name[0] == '.') continue;
            snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
            if (stat(child, &facts) == 0 && (S_ISDIR(facts.st_mode) || ends_with(child, ".pt2")))
                find_cases(list, child);
        }
        if (folder) closedir(folder);
        return;
    }
    add_path(list, path);
}

/* ---- one case, in a child ---- */

static void run_child(const check_call *o, const char *path, int out)
{
    verdict v = {.kind = CASE_FAILED};
    double begin = clock_seconds();
    fe_session *session = session_new();
    driver_options options = *api_options(o->call.session);
    options.input = path;
    options.verify = true;
    options.jobs = 1;
    case_job job = {.options = &options,
                    .metadata_only = o->metadata_only,
                    .replaces = o->replaces,
                    .message = v.message,
                    .message_bytes = MESSAGE_BYTES};
    fe_status status = session_guard(session, case_body, &job);
    v.kind = status == FE_OK            ? job.verdict
             : status == FE_UNSUPPORTED ? CASE_UNSUPPORTED
                                        : CASE_FAILED;
    if (status != FE_OK) {
        arena *memory = arena_new(session);
        text diagnostics;
        text_init(&diagnostics, memory);
        diag_print(session, &diagnostics);
        snprintf(v.message, sizeof v.message, "%s", diagnostics.at);
        arena_free(memory);
    }
    v.seconds = clock_seconds() - begin;
    if (write(out, &v, sizeof v) < 0) _exit(1);
    case_close(&job);
    session_free(session);
    _exit(0);
}

typedef struct running_case {
    pid_t process;
    int from;
    size_t index;
    double begin;
} running_case;

static running_case start_case(const check_call *o, const char *path, size_t index)
{
    int ends[2];
    running_case r = {.process = -1, .index = index, .begin = clock_seconds()};
    if (pipe(ends) != 0) return r;
    fflush(stdout);
    fflush(stderr);
    r.process = fork();
    if (r.process == 0) {
        close(ends[0]);
        alarm(CASE_SECONDS);
        run_child(o, path, ends[1]);
    }
    close(ends[1]);
    r.from = ends[0];
    return r;
}

static verdict finish_case(const running_case *r)
{
    verdict v = {.kind = CASE_FAILED};
    size_t got = 0;
    int status = 0;
    while (got < sizeof v) {
        ssize_t n = read(r->from, (char *)&v + got, sizeof v - got);
        if (n <= 0 && errno == EINTR && n < 0) continue;
        if (n <= 0) break;
        got += (size_t)n;
    }
    close(r->from);
    while (waitpid(r->process, &status, 0) < 0 && errno == EINTR) {}
    if (got == sizeof v && WIFEXITED(status) && WEXITSTATUS(status) == 0) return v;
    v.kind = CASE_FAILED;
    if (WIFSIGNALED(status))
        snprintf(v.message, sizeof v.message,
                 WTERMSIG(status) == SIGALRM ? "timed out after %d s\n" : "crashed: signal %d\n",
                 WTERMSIG(status) == SIGALRM ? CASE_SECONDS : WTERMSIG(status));
    else
        snprintf(v.message, sizeof v.message, "ended with status %d\n%.1000s", WEXITSTATUS(status),
                 got ? v.message : "");
    return v;
}

/* ---- all of them ---- */

static const char *const verdict_names[] = {
    [CASE_PASSED] = "passed", [CASE_FAILED] = "failed", [CASE_UNSUPPORTED] = "unsupported"};

static void say(FILE *report, const char *path, const verdict *v, bool first)
{
    if (v->kind == CASE_PASSED && v->message[0]) printf("%s: %s\n", path, v->message);
    if (v->kind != CASE_PASSED) {
        printf("%s: %s\n", v->kind == CASE_FAILED ? "FAIL" : "unsupported", path);
        for (const char *line = v->message; *line;) {
            const char *end = strchr(line, '\n');
            int length = end ? (int)(end - line) : (int)strlen(line);
            printf("    %.*s\n", length, line);
            line += length + (end ? 1 : 0);
        }
    }
    if (!report) return;
    fprintf(report, "%s\n  {\"case\": ", first ? "" : ",");
    cli_print_json_text(path, report);
    fprintf(report,
            ", \"verdict\": \"%s\", \"seconds\": %.3f, \"message\": ", verdict_names[v->kind],
            v->seconds);
    cli_print_json_text(v->message, report);
    fputc('}', report);
}

static int check_all(const check_call *o, const path_list *cases, FILE *report)
{
    size_t counts[3] = {0};
    size_t window = o->jobs ? o->jobs : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    running_case *running = calloc(cases->count + 1, sizeof *running);
    if (report) fputs("[", report);
    for (size_t begun = 0, ended = 0; ended < cases->count; ended++) {
        for (; begun < cases->count && begun < ended + window; begun++)
            running[begun] = start_case(o, cases->at[begun], begun);
        verdict v = finish_case(&running[ended]);
        counts[v.kind]++;
        say(report, cases->at[ended], &v, ended == 0);
        if (isatty(STDERR_FILENO) && cases->count > 20)
            fprintf(stderr, "\r\033[K%zu of %zu%s", ended + 1, cases->count,
                    ended + 1 < cases->count ? "" : "\r\033[K");
    }
    if (report) fputs("\n]\n", report);
    free(running);
    printf("%zu passed, %zu failed, %zu unsupported\n", counts[CASE_PASSED], counts[CASE_FAILED],
           counts[CASE_UNSUPPORTED]);
    return counts[CASE_FAILED] ? 1 : 0;
}

static int check(cli_call *call)
{
    const check_call *o = (check_call *)call;
    path_list cases = {0};
    FILE *report = o->report ? fopen(o->report, "w") : NULL;
    if (o->report && !report) {
        fprintf(stderr, "ferrite check: cannot write %s: %s\n", o->report, strerror(errno));
        return 1;
    }
    for (uint32_t i = 0; i < call->paths.count; i++) find_cases(&cases, call->paths.at[i]);
    if (cases.count) qsort(cases.at, cases.count, sizeof *cases.at, by_name);
    int status = check_all(o, &cases, report);
    if (report && fclose(report) != 0) status = 1;
    for (size_t i = 0; i < cases.count; i++) free(cases.at[i]);
    free(cases.at);
    return status;
}

#define FIELD(name) offsetof(check_call, name)
static const cli_option options[] = {
    {"--json", CLI_TEXT, FIELD(report), "REPORT", "writes a list of case, verdict and message"},
    {"--jobs", CLI_NUMBER, FIELD(jobs), "N", "cases at once (default: one for each processor)"},
    {"--metadata", CLI_FLAG, FIELD(metadata_only), NULL,
     "dtypes, shapes and strides of all nodes only"},
    {"--replace-parts", CLI_FLAG, FIELD(replaces), NULL,
     "with --split: again for each part, which a program of its own then runs"},
};

const cli_command cli_check = {
    .name = "check",
    .what = "compares programs with their recorded metadata and outputs",
    .usage = "check PATH... [--json REPORT] [--jobs N] [--metadata] [--replace-parts]\n",
    .options = options,
    .option_count = COUNT_OF(options),
    .session_options =
        "isa device device-ports place devices cuda-arch cc target artifact no-cc nan-check "
        "inf-check "
        "lifecycle-check "
        "bisect cache lapack ops "
        "max-arena direct-convolution quantize donate memory-budget split tune tune-budget-ms",
    .fewest = 1,
    .most = UINT32_MAX,
    .run = check,
    .bytes = sizeof(check_call),
};
