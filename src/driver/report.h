/* report.h -- what the page of `ferrite report` says: gathered by report.c, written by report_page.c. */
#ifndef FERRITE_DRIVER_REPORT_H
#define FERRITE_DRIVER_REPORT_H

#include "driver/plan_view.h"

/* Bytes as the schedule moves them; -1: not known (a program that was read as the text of a wrapper). */
typedef struct report_step {
    const char *what, *kernel; /* provenance; the function that runs, NULL for none */
    const char *source;        /* lines of the user's program; NULL */
    int64_t ns;                /* -1: not measured */
    int64_t read, written, live;
    bool is_call;
} report_step;

/* What lives at the peak, by its line of the user's program. */
typedef struct report_line {
    const char *source;
    int64_t bytes;
    uint32_t buffers;
} report_line;

typedef struct report {
    driver_program *d;
    plan_view view;
    report_step *steps;
    VEC(uint32_t) peak; /* blocks that live then, the largest first */
    VEC(report_line) lines;
    int64_t run_ns; /* all steps of the best run; -1: none was measured */
    uint32_t runs;
    int64_t held; /* bytes of a context after it has run; -1 */
} report;

/* report_page.c */
void report_page(const report *r, text *out);

#endif
