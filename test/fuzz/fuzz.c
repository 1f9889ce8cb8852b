/* fuzz.c -- fuzz [--seed N] [--from N] [--count N] [--seconds N] [--stage NAME] [--keep FOLDER] PROGRAM...
 *           fuzz --replay FILE...
 *
 * Gives the library changed archives, and changed texts of every stage, and runs what compiles without any C
 * compiler. Counts those over which the process dies (a sanitizer's report, a crash), that take more than
 * SLOW seconds of processor time, or that end, as an archive or FX text, as a fault of ferrite's own. An
 * input follows from the seed and its number: "--from NUMBER --count 1 --keep FOLDER" makes it again as a
 * file, which --replay runs.
 */
#define _GNU_SOURCE
#include "ferrite.h"
#include "mutate.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH = 40, /* inputs that come of one program, in one process */
    SLOW = 20,
    RUN_SECONDS = 3,            /* a program may take as long as it likes: then it is left */
    MOST_BYTES = 16 << 20,      /* of inputs or arena of what is run */
    LARGEST_PROGRAM = 64 << 10, /* as an archive */
    LARGEST_TEXT = 60000,
    MOST_SEEN = 200,
    EXIT_SLOW = 60,
    EXIT_LONG_RUN,
};

static const char *const STAGES[] = {"pt2", "fx", "loop", "sched", "kern", "wrap"};
enum { STAGE_COUNT = sizeof STAGES / sizeof *STAGES, PT2 = 0, FX = 1 };

typedef struct settings {
    uint64_t seed, from, count;
    double seconds;
    int stage; /* -1: all */
    const char *keep;
    char **programs;
    size_t program_count;
} settings;

/* What a child tells: shared with it. */
typedef struct progress {
    volatile uint64_t number; /* the input at work */
    volatile int stage, is_running;
    volatile uint64_t statuses[STAGE_COUNT][16], ran;
    char fault[600]; /* of ferrite's own */
} progress;

static progress *shared;

/* ---- one input ---- */

static size_t element_bytes(uint32_t dtype)
{
    switch (dtype) {
    case FE_U8:
    case FE_I8:
    case FE_BOOL: return 1;
    case FE_I16:
    case FE_U16:
    case FE_F16:
    case FE_BF16: return 2;
    case FE_I32:
    case FE_U32:
    case FE_F32:
    case FE_C32: return 4;
    case FE_C128: return 16;
    default: return 8;
    }
}

/* Small numbers in memory of just the size, for a check of its bounds. Sizes that are not known are 2.
 * 0 where that takes too much memory. */
static int make_input(const fe_port *port, fe_tensor *input)
{
    size_t room = 1, bytes = element_bytes(port->dtype);
    int64_t *sizes = calloc(2 * (size_t)port->rank + 1, sizeof *sizes),
            *strides = sizes + port->rank, next = 1;
    for (uint32_t d = port->rank; d-- > 0;) {
        sizes[d] = port->sizes[d] < 0 ? 2 : port->sizes[d];
        strides[d] = port->strides && port->strides[d] >= 0 ? port->strides[d] : next;
        if (sizes[d] > MOST_BYTES || strides[d] > MOST_BYTES) return 0;
        next *= sizes[d] ? sizes[d] : 1;
        if (next > MOST_BYTES) return 0;
        room += (size_t)(sizes[d] ? sizes[d] - 1 : 0) * (size_t)strides[d];
    }
    if (room > MOST_BYTES) return 0;
    char *data = malloc(room * bytes);
    for (size_t k = 0; k < room; k++) {
        memset(data + k * bytes, 0, bytes);
        if (port->dtype == FE_F32)
            ((float *)data)[k] = (float)(k % 7) - 2;
        else
            data[k * bytes] = (char)(k % 3 == 1);
    }
    *input = (fe_tensor){data, port->dtype, port->rank, sizes, strides};
    return 1;
}

/* Twice: what a context keeps is used again. */
static void call_program(const fe_artifact *a, const fe_model *model, const fe_tensor *inputs)
{
    fe_context *context = NULL;
    fe_tensor *outputs = calloc(a->output_count + 1, sizeof *outputs);
    for (int k = 0; k < 2 && (context || a->context_new(model, 1, &context) == 0); k++)
        if (a->run(context, inputs, a->input_count, outputs, a->output_count) == 0) shared->ran++;
    if (context) a->context_free(context);
    free(outputs);
}

static void run_program(fe_program *program)
{
    const fe_artifact *a;
    fe_model *model;
    fe_figures figures;
    fe_figures_of(program, &figures);
    if (figures.arena_bytes > MOST_BYTES || fe_load(program, &a, &model)) return;
    fe_tensor *inputs = calloc(a->input_count + 1, sizeof *inputs);
    int fits = 1;
    for (uint32_t k = 0; k < a->input_count; k++) fits &= make_input(&a->inputs[k], &inputs[k]);
    for (uint32_t k = 0; k < a->output_count; k++) {
        fe_tensor output = {0};
        fits &= make_input(&a->outputs[k], &output);
        free(output.data);
        free((void *)(uintptr_t)output.sizes);
    }
    if (fits) call_program(a, model, inputs);
    fe_tensor *recorded = calloc(a->input_count + 1, sizeof *recorded);
    if (fits && fe_sample_inputs(program, recorded) == FE_OK) call_program(a, model, recorded);
    free(recorded);
    for (uint32_t k = 0; k < a->input_count; k++) {
        free(inputs[k].data);
        free((void *)(uintptr_t)inputs[k].sizes);
    }
    free(inputs);
}

static void note_fault(int stage, fe_status status, const char *error)
{
    const char *ours = strstr(error, "internal:");
    if (status != FE_OK && !*error) ours = "no message";
    if (status == FE_INTERNAL && !ours) ours = error;
    if (ours && stage <= FX && !shared->fault[0]) {
        snprintf(shared->fault, sizeof shared->fault, "%.500s", ours);
        shared->fault[strcspn(shared->fault, "\n")] = 0;
    }
}

static void limit_time(int seconds)
{
    struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
}

/* Options by the number, so that all paths see inputs. */
static fe_session *session_for(uint64_t number, int stage)
{
    static const char *const SOME[][2] = {
        {"donate", "all"}, {"max-arena", "on"}, {"split", "nodes=1"}, {"memory-budget", "1000"},
        {"passes", "off"}, {"nan-check", "on"}, {"verify", "on"},     {"lifecycle-check", "on"},
    };
    fe_session *session = fe_session_new();
    if (!session) abort();
    fe_set(session, "no-cc", "on");
    fe_set(session, "cache", "");
    if (stage != PT2) fe_set(session, "from", STAGES[stage]);
    size_t which = number / 3 % (sizeof SOME / sizeof *SOME);
    if (number % 3 == 0 && stage <= FX) fe_set(session, SOME[which][0], SOME[which][1]);
    return session;
}

static void try_input(uint64_t number, int stage, bytes input)
{
    char *exact = malloc(input.size + (input.size == 0)); /* no byte behind it */
    if (input.size) memcpy(exact, input.at, input.size);
    fe_session *session = session_for(number, stage);
    fe_program *program = NULL;
    const char *text;
    fe_status status;
    limit_time(SLOW);
    if (stage == 4 || (stage > FX && number % 4 == 0)) /* kernels, or up to the C text */
        status = fe_inspect_memory(session, "fuzz", exact, input.size, "c", &text, NULL);
    else
        status = fe_compile_memory(session, "fuzz", exact, input.size, &program);
    note_fault(stage, status, fe_error(session));
    shared->statuses[stage][status & 15]++;
    if (program && stage <= FX) {
        shared->is_running = 1;
        limit_time(RUN_SECONDS);
        run_program(program);
        shared->is_running = 0;
    }
    fe_program_free(program);
    fe_session_free(session);
    limit_time(0);
    free(exact);
}

/* ---- inputs ---- */

static bytes read_file(const char *path)
{
    bytes content = {0};
    char chunk[1 << 16];
    FILE *file = fopen(path, "rb");
    for (size_t got; file && (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        bytes_add(&content, chunk, got);
    if (file) fclose(file);
    return content;
}

/* The program as a text of the stage; nothing where that is too large. */
static bytes text_at(const char *path, int stage)
{
    const char *text = "";
    size_t length = 0;
    if (stage == PT2) return read_file(path);
    fe_session *session = fe_session_new();
    fe_set(session, "cache", "");
    if (fe_inspect_file(session, path, STAGES[stage], &text, &length)) length = 0;
    bytes copy = bytes_copy(text, length > LARGEST_TEXT ? 0 : length);
    fe_session_free(session);
    return copy;
}

typedef struct source {
    const char *program, *donor; /* paths */
    bytes text[STAGE_COUNT], donor_text[STAGE_COUNT];
} source;

static bytes make_one(const settings *s, source *from, uint64_t number, int *stage)
{
    random_state r = {s->seed * 1000003 + number};
    random_next(&r);
    size_t pick = random_below(&r, 2 * STAGE_COUNT - 1); /* half of them archives */
    *stage = s->stage >= 0 ? s->stage : pick < STAGE_COUNT ? (int)pick : PT2;
    if (!from->text[*stage].at) {
        shared->stage = *stage;
        from->text[*stage] = text_at(from->program, *stage);
        from->donor_text[*stage] = text_at(from->donor, *stage);
    }
    bytes text = from->text[*stage], donor = from->donor_text[*stage];
    if (!text.size) return bytes_copy("", 0);
    if (*stage == PT2) return mutate_archive(&r, text, donor);
    return mutate_text(&r, text, donor);
}

static void keep(const settings *s, uint64_t number, int stage, bytes input)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%llu-%llu.%s", s->keep, (unsigned long long)s->seed,
             (unsigned long long)number, STAGES[stage]);
    FILE *file = fopen(path, "wb");
    if (!file) return;
    fwrite(input.at, 1, input.size, file);
    fclose(file);
}

static void on_time(int signal_number)
{
    (void)signal_number;
    _exit(shared->is_running ? EXIT_LONG_RUN : EXIT_SLOW);
}

/* Inputs first to last, all of one batch; does not return. */
static void child(const settings *s, uint64_t first, uint64_t last, int keep_only)
{
    random_state r = {s->seed ^ (first / BATCH << 20)};
    random_next(&r);
    source from = {s->programs[random_below(&r, s->program_count)],
                   s->programs[random_below(&r, s->program_count)],
                   {{0}},
                   {{0}}};
    signal(SIGPROF, on_time);
    for (uint64_t number = first; number < last; number++) {
        int stage;
        shared->number = number;
        bytes input = make_one(s, &from, number, &stage);
        shared->stage = stage;
        if (keep_only)
            keep(s, number, stage, input);
        else if (input.size)
            try_input(number, stage, input);
        free(input.at);
        if (shared->fault[0]) _exit(0); /* the parent tells of it */
    }
    _exit(0);
}

/* ---- what comes of them ---- */

typedef struct finding {
    char text[700];
    uint64_t times;
} finding;

static finding seen[MOST_SEEN];
static size_t seen_count;

/* Whether it is the first of its kind. */
static int is_new(const char *text)
{
    for (size_t k = 0; k < seen_count; k++)
        if (strcmp(seen[k].text, text) == 0) return seen[k].times++, 0;
    if (seen_count == MOST_SEEN) return 0;
    snprintf(seen[seen_count].text, sizeof seen->text, "%s", text);
    seen[seen_count++].times = 1;
    return 1;
}

/* The first lines of a sanitizer's report that matter: what it is, and our functions. */
static void summarise(const char *report, char *out, size_t room)
{
    const char *kind = strstr(report, "runtime error: ");
    if (!kind) kind = strstr(report, "ERROR: ");
    if (!kind) kind = strstr(report, "rss limit");
    if (!kind) kind = *report ? report : "died";
    size_t used = (size_t)snprintf(
        out, room, "%.*s", (int)(strcspn(kind, "\n") > 90 ? 90 : strcspn(kind, "\n")), kind);
    for (char *c = out; *c; c++) /* addresses and numbers differ from one to the next */
        if (c[0] == '0' && c[1] == 'x') *c = 0, used = (size_t)(c - out);
    int frames = 0;
    for (const char *at = report; frames < 4 && (at = strstr(at, "\n    #")) != NULL; at++) {
        const char *in = strstr(at, " in "), *end = strchr(at + 1, '\n');
        if (!in || !end || in > end) continue;
        const char *src = memmem(in, (size_t)(end - in), "/src/", 5);
        if (!src) src = memmem(in, (size_t)(end - in), "/rt/", 4);
        if (!src || used + 100 > room) continue;
        used += (size_t)snprintf(out + used, room - used, " < %.*s %.*s", (int)strcspn(in + 4, " "),
                                 in + 4, (int)(end - src - 1), src + 1);
        frames++;
    }
}

static void run_child(const settings *s, uint64_t first, uint64_t last, int keep_only,
                      const char *log, int *status)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, 2);
        dup2(file, 1);
        child(s, first, last, keep_only);
    }
    if (pid < 0 || waitpid(pid, status, 0) != pid) abort();
}

static void keep_input(const settings *s, uint64_t number)
{
    int status;
    if (s->keep) run_child(s, number, number + 1, 1, "/dev/null", &status);
}

/* All of a batch; returns how many failed. */
static uint64_t run_batch(const settings *s, uint64_t first, uint64_t last, const char *log)
{
    uint64_t failed = 0;
    while (first < last) {
        int status;
        char what[600];
        shared->fault[0] = 0;
        shared->is_running = 0;
        run_child(s, first, last, 0, log, &status);
        uint64_t number = shared->number;
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == 0 && !shared->fault[0]) return failed;
        first = number + 1;
        if (code == EXIT_LONG_RUN) continue;
        bytes report = read_file(log);
        if (code == 0)
            snprintf(what, sizeof what, "%s", shared->fault);
        else if (code == EXIT_SLOW)
            snprintf(what, sizeof what, "takes more than %d s", SLOW);
        else
            summarise(report.at ? report.at : "", what, sizeof what);
        if (s->count == 1 && report.at) printf("%s\n", report.at);
        free(report.at);
        failed++;
        if (!is_new(what)) continue;
        printf("input %llu of seed %llu, %s: %s\n", (unsigned long long)number,
               (unsigned long long)s->seed, STAGES[shared->stage], what);
        keep_input(s, number);
    }
    return failed;
}

static void print_statuses(void)
{
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        printf("%s:", STAGES[stage]);
        for (int k = 0; k < 16; k++)
            if (shared->statuses[stage][k])
                printf(" %llu %s", (unsigned long long)shared->statuses[stage][k],
                       fe_status_name((fe_status)k));
        printf("\n");
    }
    printf("%llu runs\n", (unsigned long long)shared->ran);
    for (size_t k = 0; k < seen_count; k++)
        if (seen[k].times > 1)
            printf("%llu times: %s\n", (unsigned long long)seen[k].times, seen[k].text);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int fuzz(const settings *s)
{
    char log[] = "/tmp/fuzz-XXXXXX";
    close(mkstemp(log));
    double start = now();
    uint64_t failed = 0, number = s->from, end = s->from + s->count;
    while (number < end && now() - start < s->seconds) {
        uint64_t last = (number / BATCH + 1) * BATCH;
        if (last > end) last = end;
        failed += run_batch(s, number, last, log);
        number = last;
    }
    unlink(log);
    print_statuses();
    uint64_t tried = number - s->from;
    printf("%llu passed, %llu failed\n", (unsigned long long)(tried - failed),
           (unsigned long long)failed);
    return failed != 0;
}

static int replay(char **paths, int count)
{
    for (int k = 0; k < count; k++) {
        const char *ending = strrchr(paths[k], '.'), *dash = strrchr(paths[k], '-');
        bytes input = read_file(paths[k]);
        for (int stage = 0; ending && stage < STAGE_COUNT; stage++)
            if (strcmp(ending + 1, STAGES[stage]) == 0) {
                try_input(dash ? strtoull(dash + 1, NULL, 10) : 1, stage, input);
                printf("%s: %s\n", paths[k], shared->fault);
                shared->fault[0] = 0;
            }
        free(input.at);
    }
    return 0;
}

/* Large programs take long; they differ little from small ones. */
static void leave_out_large(settings *s)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->program_count; k++) {
        bytes content = read_file(s->programs[k]);
        if (content.size && content.size <= LARGEST_PROGRAM) s->programs[kept++] = s->programs[k];
        free(content.at);
    }
    s->program_count = kept;
}

int main(int count, char **arguments)
{
    settings s = {.seed = 1, .count = UINT64_MAX / 2, .seconds = 1e9, .stage = -1};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int k = 1;
    for (; k + 1 < count && strncmp(arguments[k], "--", 2) == 0; k += 2) {
        const char *name = arguments[k] + 2, *value = arguments[k + 1];
        if (strcmp(name, "replay") == 0) return replay(arguments + k + 1, count - k - 1);
        if (strcmp(name, "seed") == 0) s.seed = strtoull(value, NULL, 10);
        if (strcmp(name, "from") == 0) s.from = strtoull(value, NULL, 10);
        if (strcmp(name, "count") == 0) s.count = strtoull(value, NULL, 10);
        if (strcmp(name, "seconds") == 0) s.seconds = strtod(value, NULL);
        if (strcmp(name, "keep") == 0) s.keep = value;
        for (int i = 0; i < STAGE_COUNT; i++)
            if (strcmp(name, "stage") == 0 && strcmp(value, STAGES[i]) == 0) s.stage = i;
    }
    s.programs = arguments + k;
    s.program_count = (size_t)(count - k);
    leave_out_large(&s);
    return s.program_count ? fuzz(&s) : 2;
}

/* What a mutated size asks for is not given; what is used without bounds is a report. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=1500:hard_rss_limit_"
           "mb=3000:"
           "detect_stack_use_after_return=0";
}
