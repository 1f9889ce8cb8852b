/* case.h -- one recorded case: metadata, then numbers. check.c runs many. */
#ifndef FERRITE_CLI_CASE_H
#define FERRITE_CLI_CASE_H

#include "driver/inputs.h"

typedef enum case_verdict { CASE_PASSED, CASE_FAILED, CASE_UNSUPPORTED } case_verdict;

typedef struct case_part case_part;
typedef struct case_job {
    const driver_options *options;
    bool metadata_only;
    bool replaces;       /* then each part in turn is run by a program of its own */
    case_part *replaced; /* that one, or NULL */
    char *message;       /* why it failed; of one that passed, how far off it is, or empty */
    size_t message_bytes;
    case_verdict verdict;
    driver_program *program;
    fe_context *context;
} case_job;

/* A session_guard body; data is a case_job. Statuses other than FE_OK have their diagnostics in the
 * session. */
fe_status case_body(fe_session *session, void *data);
void case_close(case_job *job);

/* case_parts.c: calls run() for each part, which is then replaced in the job's contexts; these ask for
 * that with case_replace(). */
fe_status case_each_part(case_job *job, fe_status (*run)(case_job *job, void *data), void *data);
fe_status case_replace(case_job *job);

#endif
