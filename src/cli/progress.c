/* progress.c -- what the command says while it works, on stderr: graphs that --dump-after asks for, and
 * on a terminal, after a moment, one line that is gone when the work is done. */
#include "cli/cli.h"

#include <unistd.h>

static const double PATIENCE = 0.5; /* seconds */

static int show(void *data, const char *stage, uint32_t done, uint32_t total)
{
    const double *begin = data;
    if (clock_seconds() - *begin < PATIENCE) return 0;
    fprintf(stderr, "\r\033[Kcompiling: %s", stage);
    if (total > 1) fprintf(stderr, " %u of %u", done, total);
    fflush(stderr);
    return 0;
}

static void dump(void *data, const char *pass, const char *graph, size_t length)
{
    (void)data;
    fprintf(stderr, "# after %s\n", pass);
    fwrite(graph, 1, length, stderr);
}

void cli_show_progress(fe_session *session)
{
    double *begin = NEW(session->memory, double);
    *begin = clock_seconds();
    fe_observe(session, &(fe_observer){.data = begin,
                                       .progress = isatty(STDERR_FILENO) ? show : NULL,
                                       .dump = dump});
}

void cli_clear_progress(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}
