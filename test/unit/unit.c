/* unit.c -- runs the tests that TEST() registered, in the order of their names.
 *
 *     unit [--slowest N] [PART OF A NAME...]
 *
 * --slowest N ends with the N tests that took longest, and their seconds.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct unit_test *tests; /* sorted */
static struct unit_test *running;
static bool running_failed;

static int order(const struct unit_test *a, const struct unit_test *b)
{
    int by_file = strcmp(a->file, b->file);
    return by_file ? by_file : strcmp(a->name, b->name);
}

void unit_register(struct unit_test *test)
{
    struct unit_test **at = &tests;
    while (*at && order(*at, test) < 0) at = &(*at)->next;
    test->next = *at;
    *at = test;
}

static void fail(const char *file, int line)
{
    running_failed = true;
    printf("%s:%d: %s: ", file, line, running->name);
}

bool unit_expect(bool good, const char *file, int line, const char *what)
{
    if (good) return true;
    fail(file, line);
    printf("does not hold: %s\n", what);
    return false;
}

void unit_expect_int(long long got, long long wanted, const char *file, int line, const char *what)
{
    if (got == wanted) return;
    fail(file, line);
    printf("%s is %lld, not %lld\n", what, got, wanted);
}

void unit_expect_text(const char *got, const char *wanted, const char *file, int line,
                      const char *what)
{
    if (got && wanted && strcmp(got, wanted) == 0) return;
    if (got == wanted) return;
    fail(file, line);
    printf("%s is\n%s\nnot\n%s\n", what, got ? got : "(null)", wanted ? wanted : "(null)");
}

void unit_with_session(fe_status (*body)(fe_session *, void *))
{
    fe_session *session = session_new();
    if (!EXPECT(session != NULL)) return;
    if (session_guard(session, body, NULL) != FE_OK) {
        text out;
        text_init(&out, session->memory);
        diag_print(session, &out);
        EXPECT_TEXT(out.at, "");
    }
    session_free(session);
}

static bool chosen(const struct unit_test *test, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strstr(test->name, argv[i])) return true;
    return argc == 0;
}

static void print_slowest(int most)
{
    if (most > 0) printf("slowest:\n");
    for (; most > 0; most--) {
        struct unit_test *slowest = tests;
        for (struct unit_test *t = tests; t; t = t->next)
            if (t->seconds > slowest->seconds) slowest = t;
        if (!slowest || slowest->seconds <= 0) return;
        printf("  %6.2f s  %s, %s\n", slowest->seconds, slowest->file, slowest->name);
        slowest->seconds = 0;
    }
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, slowest = 0;
    argc--, argv++;
    if (argc >= 2 && strcmp(argv[0], "--slowest") == 0) {
        slowest = atoi(argv[1]);
        argc -= 2, argv += 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0); /* so that a crash leaves what came before */
    for (running = tests; running; running = running->next) {
        if (!chosen(running, argc, argv)) continue;
        running_failed = false;
        double begin = clock_seconds();
        running->body();
        running->seconds = clock_seconds() - begin;
        failed += running_failed;
        passed += !running_failed;
    }
    print_slowest(slowest);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
