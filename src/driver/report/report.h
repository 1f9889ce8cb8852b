/* report.h -- what the page of `ferrite report` says: gathered by report.c, what moves and where it is from
 * by report_step.c, written by report_page.c. */
#ifndef FERRITE_DRIVER_REPORT_H
#define FERRITE_DRIVER_REPORT_H

#include "driver/inputs.h"
#include "driver/report/plan_view.h"

/* Bytes as the schedule moves them, in all turns of the loops around the step; -1: not known (a program
 * that was read as the text of a wrapper). */
typedef struct report_step {
    const char *what, *kernel; /* provenance; the function that runs, NULL for none */
    const char *source;        /* lines of the user's program; NULL */
    int64_t ns;                /* -1: not measured */
    int64_t read, written, live;
    int64_t turns; /* for the sizes of the example; -1: values decide */
    bool is_call;
} report_step;

/* A kernel or operator, all its calls together. */
typedef struct report_kernel {
    const char *name, *what, *source; /* of its first calls */
    uint32_t calls;
    int64_t ns, read, written; /* -1: not known, or not of all */
    bool all_turns_are_known;
} report_kernel;

/* What lives at the peak, by its line of the user's program. */
typedef struct report_line {
    const char *source;
    int64_t bytes;
    uint32_t buffers;
} report_line;

/* A buffer outside the arena: in the memory of an output, or of an input that is donated. */
typedef struct report_lent {
    loop_buffer_id buffer, root;
    int64_t bytes;
} report_lent;

typedef struct report {
    driver_program *d;
    plan_view view;
    report_step *steps;
    VEC(report_kernel) kernels; /* the slowest first, or that with most bytes */
    VEC(uint32_t) peak;         /* blocks that live then, the largest first */
    VEC(report_line) lines;
    VEC(report_lent) lent;
    int64_t run_ns; /* all steps of the best run; -1: none was measured */
    uint32_t runs;
    int64_t held; /* bytes of a context after it has run; -1 */
} report;

/* report.c: a context and inputs to call it with, those that the archive records or random ones. */
fe_status report_begin_calls(driver_program *d, fe_context **context, inputs_kept *inputs);
fe_status report_call(driver_program *d, fe_context *context, inputs_kept *inputs);
/* report_step.c */
void report_collect_steps(report *r);
/* When the times are known. */
void report_collect_kernels(report *r);
/* report_page.c */
void report_page(const report *r, text *out);

#endif
