/* call.h -- calls of a program from memory of the host: what it takes and gives on devices is copied, each
 * time anew, with what it has changed of its inputs.
 */
#ifndef FERRITE_DRIVER_CALL_H
#define FERRITE_DRIVER_CALL_H

#include "driver/driver.h"

/* Calls of one context, which keeps what is theirs on devices between them. All zero: none. */
typedef struct device_call {
    const fe_artifact *artifact;
    fe_context *context;
    arena *memory;
    fe_tensor *given; /* inputs as the artifact gets them */
    void **there;     /* by input: its memory on its device; NULL: it is on the host */
    void **here;      /* by output: its copy on the host */
    int64_t *room;    /* bytes of that */
} device_call;

/* Copies on the host are in `memory`. */
void call_begin(device_call *c, const fe_artifact *a, fe_context *context, arena *memory);
/* As fe_artifact.run, with outputs that are given no memory; those on devices are copied, and valid until the
 * next call. *seconds, unless NULL, is what run itself took. What failed is in error(context). */
int call_run(device_call *c, const fe_tensor *inputs, fe_tensor *outputs, double *seconds);
/* Before the context is freed. */
void call_end(device_call *c);
/* A single call. */
int call_once(const fe_artifact *a, fe_context *context, arena *memory, const fe_tensor *inputs,
              fe_tensor *outputs);

#endif
