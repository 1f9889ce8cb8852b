/* runtest.c -- runs text tests: what goes in, what must come out, in one file.
 *
 *     # what it shows
 *     --skip-if-missing-- ../shared/cases      optional: a path, seen from where runtest was started, or
 *                                              the name of a command
 *     --once--                                 optional: nothing here differs from one instruction set to
 *                                              another (--again leaves it out)
 *     --run-- ferrite inspect --stage fx -     a line for bash; `ferrite` is the binary under test
 *     --file model.txt--                       optional, any number: a file in the folder where the line runs
 *     --in--                                   optional: standard input
 *     --out--                                  expected standard output; nothing when left out
 *     --err--                                  optional: expected standard error; not looked at when left out
 *     --status-- 1                             optional: expected exit status, of a pipe the last that
 *                                              is not 0; 0 when left out
 *
 * A file may hold several --run-- groups; they run in order, in one new folder. $ROOT is the folder
 * where runtest was started, $BUILD the one where the binary lies. Blank lines at the end of a text do
 * not count. A signal, a sanitizer's report and a run of more than 240 seconds are always failures.
 *
 *     runtest [--bless] [--again] [--slowest N] [--binary FERRITE] [-j N] FILE.t|FOLDER...
 *
 * --slowest N ends with the N tests that took longest, and their seconds.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIME_LIMIT = 240, MOST_SECTIONS = 200, DIFF_LINES = 25 };
typedef enum { RUN, IN, OUT, ERR, STATUS, FILE_, SKIP, ONCE, KINDS } kind;
static const char *const NAMES[KINDS] = {
    "run", "in", "out", "err", "status", "file", "skip-if-missing", "once"};

/* A header line and the lines up to the next one. */
typedef struct section {
    kind kind;
    char *argument; /* of the header: command, status, file name, path */
    char *body;
} section;

typedef struct test {
    const char *path;
    char *comment; /* what stands before the first section */
    section sections[MOST_SECTIONS];
    int count;
    bool blessed; /* an expectation was rewritten */
    FILE *report; /* why it fails; empty when it passes */
} test;

typedef enum { PASSED, FAILED, SKIPPED, VERDICTS } verdict;

/* Options and shared state; set before the threads start, but for what the lock guards. */
static bool bless, again;
static char **paths; /* of the test files, sorted */
static int path_count;
static long slowest; /* this many are named at the end */
static char scratch[] = "/tmp/ferrite-test-XXXXXX";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_path;
static int verdicts[VERDICTS];
static struct timing {
    double seconds;
    const char *path;
} * timings; /* one for each path */

/* ---- small helpers ---- */

static void die(const char *what, const char *path)
{
    fprintf(stderr, "runtest: %s %s: %s\n", what, path, strerror(errno));
    exit(2);
}

static void *need(void *memory)
{
    if (!memory) die("cannot get", "memory");
    return memory;
}

__attribute__((format(printf, 1, 2))) static char *format(const char *pattern, ...)
{
    char *out;
    va_list args;
    va_start(args, pattern);
    if (vasprintf(&out, pattern, args) < 0) die("cannot get", "memory");
    va_end(args);
    return out;
}

/* The whole file, NUL-terminated, without NULs inside (they become '?'). NULL when it cannot be
 * opened. */
static char *slurp(const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in) return NULL;
    char *out;
    size_t length;
    FILE *memory = need(open_memstream(&out, &length));
    for (int c; (c = getc(in)) != EOF;) putc(c ? c : '?', memory);
    fclose(in);
    fclose(memory);
    return out;
}

static void spit(const char *path, const char *content)
{
    FILE *out = fopen(path, "w");
    if (!out || fputs(content, out) == EOF || fclose(out) != 0) die("cannot write", path);
}

/* Length without the blank lines and the newline at the end. */
static size_t trimmed(const char *body)
{
    size_t length = strlen(body);
    while (length > 0 && body[length - 1] == '\n') length--;
    return length;
}

static bool same(const char *a, const char *b)
{
    size_t length = trimmed(a);
    return length == trimmed(b) && memcmp(a, b, length) == 0;
}

/* ---- reading and writing a test ---- */

/* Is this line "--name-- argument" or "--name argument--"? Then fills `out`; complains about
 * unknown names. */
static bool read_header(test *t, const char *line, size_t length, section *out)
{
    if (length < 5 || strncmp(line, "--", 2) != 0 || line[2] < 'a' || line[2] > 'z') return false;
    size_t name = 2 + strspn(line + 2, "abcdefghijklmnopqrstuvwxyz");
    while (line[name] == '-' && line[name + 1] >= 'a' && line[name + 1] <= 'z')
        name += 1 + strspn(line + name + 1, "abcdefghijklmnopqrstuvwxyz");
    bool before = line[name] == ' ' && strncmp(line + length - 2, "--", 2) == 0; /* --file NAME-- */
    bool after = strncmp(line + name, "--", 2) == 0;
    if (!before && !after) return false;
    size_t from = before ? name + 1 : name + 2 + (line[name + 2] == ' ');
    size_t to = before ? length - 2 : length;
    for (int k = 0; k < KINDS; k++) {
        if (strlen(NAMES[k]) != name - 2 || strncmp(NAMES[k], line + 2, name - 2) != 0) continue;
        *out = (section){.kind = (kind)k,
                         .argument = need(strndup(line + from, from < to ? to - from : 0))};
        return true;
    }
    fprintf(t->report, "  unknown section: %.*s\n", (int)length, line);
    return false;
}

/* Cuts the file into sections. */
static void read_test(test *t)
{
    char *whole = slurp(t->path);
    if (!whole) die("cannot read", t->path);
    const char *body = whole; /* of the section that is being read */
    for (const char *line = whole;;) {
        size_t length = strcspn(line, "\n");
        section header;
        bool is_header = read_header(t, line, length, &header);
        if (is_header || !line[length]) {
            size_t body_length = (size_t)(line - body) + (is_header ? 0 : length);
            char **owner = t->count ? &t->sections[t->count - 1].body : &t->comment;
            *owner = need(strndup(body, body_length));
            body = line + length + (line[length] != '\0');
        }
        if (is_header && t->count == MOST_SECTIONS) die("too many sections in", t->path);
        if (is_header) {
            header.body = need(strdup(""));
            t->sections[t->count++] = header;
        }
        if (!line[length]) break;
        line += length + 1;
    }
    free(whole);
}

static void write_test(const test *t)
{
    FILE *out = fopen(t->path, "w");
    if (!out) die("cannot write", t->path);
    fputs(t->comment, out);
    for (int i = 0; i < t->count; i++) {
        const section *s = &t->sections[i];
        bool inside = s->kind == FILE_;
        const char *space = *s->argument ? " " : "";
        fprintf(out, inside ? "--%s%s%s--\n" : "--%s--%s%s\n", NAMES[s->kind], space, s->argument);
        fputs(s->body, out);
    }
    if (fclose(out) != 0) die("cannot write", t->path);
}

/* The section of this kind in the group that starts at `run`, or NULL. */
static section *find(test *t, int run, kind wanted)
{
    for (int i = run + 1; i < t->count && t->sections[i].kind != RUN; i++)
        if (t->sections[i].kind == wanted) return &t->sections[i];
    return NULL;
}

/* The same, put at the end of the group when missing. */
static section *find_or_add(test *t, int run, kind wanted)
{
    section *found = find(t, run, wanted);
    if (found) return found;
    if (t->count == MOST_SECTIONS) die("too many sections in", t->path);
    int at = run + 1;
    while (at < t->count && t->sections[at].kind != RUN) at++;
    memmove(&t->sections[at + 1], &t->sections[at], sizeof(section) * (size_t)(t->count++ - at));
    t->sections[at] =
        (section){.kind = wanted, .argument = need(strdup("")), .body = need(strdup(""))};
    return &t->sections[at];
}

/* ---- running a command ---- */

typedef struct outcome {
    char *out, *err;
    int status;        /* of the exit */
    const char *crash; /* how it ended otherwise, or NULL */
} outcome;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The child's part: nothing but system calls, as other threads may hold locks of libc. */
static void become(const char *folder, const char *command, const int fds[3])
{
    setpgid(0, 0);
    if (chdir(folder) != 0) _exit(126);
    for (int i = 0; i < 3; i++)
        if (dup2(fds[i], i) < 0) _exit(126);
    execl("/bin/bash", "bash", "-o", "pipefail", "-c", command, (char *)NULL);
    _exit(126);
}

/* Waits for the whole time limit at most. */
static void wait_for(pid_t child, outcome *result)
{
    double start = seconds();
    int status;
    long pause = 500000; /* nanoseconds, growing to 10 ms */
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (seconds() - start > TIME_LIMIT) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            result->crash = "timed out";
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        if (pause < 10000000) pause *= 2;
    }
    kill(-child, SIGKILL); /* what it left in the background */
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (result->status > 128 && result->status < 128 + 65)
        result->crash = strsignal(result->status - 128);
}

static bool sanitizer_spoke(const char *output)
{
    return strstr(output, "ERROR: AddressSanitizer") || strstr(output, "ERROR: LeakSanitizer") ||
           strstr(output, ": runtime error: ");
}

static outcome run_command(const char *folder, const char *command, const char *input)
{
    outcome result = {0};
    char *names[3];
    int fds[3];
    for (int i = 0; i < 3; i++) names[i] = format("%s.%d", folder, i);
    spit(names[0], input);
    for (int i = 0; i < 3; i++) {
        fds[i] = open(names[i], (i ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0666);
        if (fds[i] < 0) die("cannot open", names[i]);
    }
    pid_t child = fork();
    if (child < 0) die("cannot start", command);
    if (child == 0) become(folder, command, fds);
    for (int i = 0; i < 3; i++) close(fds[i]);
    wait_for(child, &result);
    result.out = need(slurp(names[1]));
    result.err = need(slurp(names[2]));
    if (!result.crash && (sanitizer_spoke(result.out) || sanitizer_spoke(result.err)))
        result.crash = "a sanitizer reports";
    for (int i = 0; i < 3; i++) {
        unlink(names[i]);
        free(names[i]);
    }
    return result;
}

/* ---- comparing ---- */

static int line_count(const char *from, const char *to)
{
    int count = from < to && to[-1] != '\n';
    for (; from < to; from++) count += *from == '\n';
    return count;
}

static void print_side(FILE *out, char sign, const char *from, const char *to)
{
    int lines = line_count(from, to);
    for (int i = 0; i < lines && i < DIFF_LINES; i++) {
        size_t length = strcspn(from, "\n");
        if (length > (size_t)(to - from)) length = (size_t)(to - from);
        fprintf(out, "    %c %.*s\n", sign, (int)length, from);
        from += length + 1;
    }
    if (lines > DIFF_LINES) fprintf(out, "    %c ... %d more lines\n", sign, lines - DIFF_LINES);
}

/* Shows the lines between the common beginning and the common end. */
static void print_diff(FILE *out, const char *what, const char *expected, const char *got)
{
    size_t a = trimmed(expected), b = trimmed(got), start = 0, line = 0;
    for (size_t i = 0; i < a && i < b && expected[i] == got[i]; i++)
        if (expected[i] == '\n') start = i + 1, line++;
    size_t common = 0; /* at the end, in whole lines */
    for (size_t i = 1; i <= a - start && i <= b - start && expected[a - i] == got[b - i]; i++)
        if (expected[a - i] == '\n') common = i;
    fprintf(out, "  %s differs from line %zu on (- expected, + got)\n", what, line + 1);
    print_side(out, '-', expected + start, expected + a - common);
    print_side(out, '+', got + start, got + b - common);
}

/* Puts `got` in the place of an expectation, keeping the blank lines that set it off from what
 * follows. */
static void bless_body(test *t, section *s, const char *got)
{
    size_t length = trimmed(got), old = trimmed(s->body);
    const char *tail = s->body[old] && s->body[old + 1] ? s->body + old + (old > 0) : "";
    char *body = format("%.*s%s%s", (int)length, got, length ? "\n" : "", tail);
    free(s->body);
    s->body = body;
    t->blessed = true;
}

/* Compares one output with its expectation, or blesses it. */
static void judge_text(test *t, int run, kind which, const char *got)
{
    section *expected = find(t, run, which);
    const char *wanted = expected ? expected->body : "";
    if (same(wanted, got)) return;
    if (bless)
        bless_body(t, find_or_add(t, run, which), got);
    else
        print_diff(t->report, which == OUT ? "standard output" : "standard error", wanted, got);
}

static void judge_status(test *t, int run, int got)
{
    section *expected = find(t, run, STATUS);
    int wanted = expected ? atoi(expected->argument) : 0;
    if (wanted == got) return;
    if (bless) {
        expected = find_or_add(t, run, STATUS);
        free(expected->argument);
        expected->argument = format("%d", got);
        t->blessed = true;
    } else {
        fprintf(t->report, "  exit status is %d, not %d\n", got, wanted);
    }
}

/* The last of several commands hides the others' status: a test of one that fails would compare nothing. */
static bool hides_error(test *t, int run, const outcome *result)
{
    return !*result->out && result->status == 0 && !find(t, run, ERR) &&
           strstr(result->err, "error:");
}

static void judge(test *t, int run, const outcome *result)
{
    bool err_expected = find(t, run, ERR) != NULL;
    long before = ftell(t->report);
    if (result->crash) {
        fprintf(t->report, "  %s\n", result->crash);
    } else {
        judge_text(t, run, OUT, result->out);
        if (err_expected) judge_text(t, run, ERR, result->err);
        judge_status(t, run, result->status);
        if (hides_error(t, run, result))
            fprintf(t->report, "  it prints an error and nothing else\n");
    }
    if (ftell(t->report) == before) return;
    if (result->crash && sanitizer_spoke(result->out)) {
        fprintf(t->report, "  standard output was\n");
        print_side(t->report, '|', result->out, result->out + strlen(result->out));
    }
    if (*result->err && (result->crash || !err_expected)) {
        fprintf(t->report, "  standard error was\n");
        print_side(t->report, '|', result->err, result->err + strlen(result->err));
    }
    fprintf(t->report, "  by: %s\n", t->sections[run].argument);
}

/* ---- one test, all tests ---- */

static void write_files(test *t, int run, const char *folder)
{
    for (int i = run + 1; i < t->count && t->sections[i].kind != RUN; i++) {
        if (t->sections[i].kind != FILE_) continue;
        char *path = format("%s/%s", folder, t->sections[i].argument);
        spit(path, t->sections[i].body);
        free(path);
    }
}

static bool is_command(const char *name)
{
    const char *folders = getenv("PATH");
    bool found = false;
    while (folders && *folders && !found) {
        size_t length = strcspn(folders, ":");
        char *path = format("%.*s/%s", (int)length, folders, name);
        found = access(path, X_OK) == 0;
        free(path);
        folders += length + (folders[length] == ':');
    }
    return found;
}

static bool is_there(const char *needed)
{
    return access(needed, F_OK) == 0 || (!strchr(needed, '/') && is_command(needed));
}

static verdict run_test(test *t, int index)
{
    read_test(t);
    for (int i = 0; i < t->count; i++)
        if ((t->sections[i].kind == SKIP && !is_there(t->sections[i].argument)) ||
            (t->sections[i].kind == ONCE && again))
            return SKIPPED;

    char *folder = format("%s/%d", scratch, index);
    if (mkdir(folder, 0777) != 0) die("cannot make", folder);
    int runs = 0;
    for (int i = 0; i < t->count; i++) {
        if (t->sections[i].kind != RUN) continue;
        runs++;
        write_files(t, i, folder);
        section *input = find(t, i, IN);
        outcome result = run_command(folder, t->sections[i].argument, input ? input->body : "");
        judge(t, i, &result);
        free(result.out);
        free(result.err);
    }
    if (runs == 0) fprintf(t->report, "  no --run-- section\n");
    if (t->blessed) write_test(t);
    free(folder);
    return ftell(t->report) > 0 ? FAILED : PASSED;
}

static void free_test(test *t)
{
    free(t->comment);
    for (int i = 0; i < t->count; i++) {
        free(t->sections[i].argument);
        free(t->sections[i].body);
    }
    free(t);
}

static void *worker(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        int index = next_path++;
        pthread_mutex_unlock(&lock);
        if (index >= path_count) return NULL;

        test *t = need(calloc(1, sizeof *t));
        char *said;
        size_t length;
        t->path = paths[index];
        t->report = need(open_memstream(&said, &length));
        double start = seconds();
        verdict v = run_test(t, index);
        timings[index] = (struct timing){seconds() - start, t->path};
        fclose(t->report);

        pthread_mutex_lock(&lock);
        verdicts[v]++;
        if (v == FAILED) printf("FAIL %s\n%s", t->path, said);
        if (t->blessed) printf("blessed %s\n", t->path);
        pthread_mutex_unlock(&lock);
        free(said);
        free_test(t);
    }
}

static int collect(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)where;
    size_t length = strlen(path);
    if (type != FTW_F || length < 2 || strcmp(path + length - 2, ".t") != 0) return 0;
    paths = need(realloc(paths, sizeof *paths * (size_t)(path_count + 1)));
    paths[path_count++] = need(strdup(path));
    return 0;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_seconds(const void *a, const void *b)
{
    const struct timing *x = a, *y = b;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

static void print_slowest(void)
{
    qsort(timings, (size_t)path_count, sizeof *timings, by_seconds);
    if (slowest > 0 && path_count > 0) printf("slowest:\n");
    for (int i = 0; i < path_count && i < slowest; i++)
        printf("%7.1f s  %s\n", timings[i].seconds, timings[i].path);
}

/* A folder whose `ferrite` is the binary goes first on PATH; commands may rely on $ROOT too. */
static void prepare(const char *binary)
{
    char *whole = realpath(binary, NULL);
    if (!whole) die("cannot find", binary);
    if (!mkdtemp(scratch)) die("cannot make", scratch);
    char *folder = format("%s/bin", scratch);
    char *link_path = format("%s/ferrite", folder);
    if (mkdir(folder, 0777) != 0 || symlink(whole, link_path) != 0) die("cannot make", link_path);
    char *search = format("%s:%s", folder, getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    char *root = need(getcwd(NULL, 0));
    setenv("PATH", search, 1);
    setenv("ROOT", root, 1);
    setenv("BUILD", dirname(whole), 1);
    setenv("LC_ALL", "C", 1);
    setenv("UBSAN_OPTIONS", "print_stacktrace=1", 0);
    free(whole);
    free(folder);
    free(link_path);
    free(search);
    free(root);
}

int main(int argc, char **argv)
{
    const char *binary = "build/ferrite";
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bless") == 0)
            bless = true;
        else if (strcmp(argv[i], "--again") == 0)
            again = true;
        else if (strcmp(argv[i], "--binary") == 0 && i + 1 < argc)
            binary = argv[++i];
        else if (strcmp(argv[i], "--slowest") == 0 && i + 1 < argc)
            slowest = atol(argv[++i]);
        else if (strcmp(argv[i], "-j") == 0 && i + 1 < argc)
            jobs = atol(argv[++i]);
        else if (nftw(argv[i], collect, 16, FTW_PHYS) != 0)
            die("cannot read", argv[i]);
    }
    if (path_count) qsort(paths, (size_t)path_count, sizeof *paths, by_name);
    timings = need(calloc((size_t)path_count + 1, sizeof *timings));
    prepare(binary);

    enum { MOST_JOBS = 64 };
    pthread_t threads[MOST_JOBS];
    if (jobs < 1) jobs = 1;
    if (jobs > MOST_JOBS) jobs = MOST_JOBS;
    for (int i = 0; i < jobs; i++)
        if (pthread_create(&threads[i], NULL, worker, NULL) != 0) die("cannot start", "a thread");
    for (int i = 0; i < jobs; i++) pthread_join(threads[i], NULL);

    nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    print_slowest();
    free(timings);
    for (int i = 0; i < path_count; i++) free(paths[i]);
    free(paths);
    printf("%d passed, %d failed, %d skipped\n", verdicts[PASSED], verdicts[FAILED],
           verdicts[SKIPPED]);
    return verdicts[FAILED] > 0;
}
