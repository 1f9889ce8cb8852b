/* progress.c -- one line that says what long work is at: on a terminal, after a moment, and gone when
 * the work is done. */
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

void cli_show_progress(fe_session *session)
{
    double *begin = NEW(session->memory, double);
    fe_observer observer = api_options(session)->observer;
    if (!isatty(STDERR_FILENO)) return;
    *begin = clock_seconds();
    observer.data = begin;
    observer.progress = show;
    fe_observe(session, &observer);
}

void cli_clear_progress(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}
