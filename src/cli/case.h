/* case.h -- one recorded case: metadata, then numbers. check.c runs many. */
#ifndef FERRITE_CLI_CASE_H
#define FERRITE_CLI_CASE_H

#include "driver/inputs.h"

typedef enum case_verdict { CASE_PASSED, CASE_FAILED, CASE_UNSUPPORTED } case_verdict;

typedef struct case_job {
    const driver_options *options;
    bool metadata_only;
    char *message; /* why it failed */
    size_t message_bytes;
    case_verdict verdict;
    driver_program *program;
    fe_context *context;
} case_job;

/* A session_guard body; data is a case_job. Statuses other than FE_OK have their diagnostics in the
 * session. */
fe_status case_body(fe_session *session, void *data);
void case_close(case_job *job);

#endif
