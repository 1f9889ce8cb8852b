/* run.h -- calling a loaded program on inputs that the command line names; shared by `ferrite run`
 * and `ferrite bench`. */
#ifndef FERRITE_CLI_RUN_H
#define FERRITE_CLI_RUN_H

#include "cli/cli.h"
#include "driver/call.h"
#include "driver/inputs.h"

typedef struct run_inputs {
    const char *file; /* .safetensors with in.0, in.1, ...; NULL: `files`; none: the samples */
    cli_list files;
} run_inputs;

/* Rows for a command whose structure has a run_inputs called `inputs`. */
#define RUN_INPUT_OPTIONS(type)                                                                   \
    {"--inputs", CLI_TEXT, offsetof(type, inputs.file), "IN.safetensors",                         \
     "inputs in.0, in.1, ... of one file (default: what the program was exported with)"},         \
    {                                                                                             \
        "--input", CLI_LIST, offsetof(type, inputs.files), "A.npy", "one input; for each in turn" \
    }

typedef struct run_state {
    fe_program *program;
    const fe_artifact *artifact;
    fe_model *model;
    fe_context *context;
    fe_tensor *inputs, *outputs; /* of the last call */
    inputs_kept kept;            /* as they were before the first call */
    device_call device;          /* what the calls have on devices */
} run_state;

typedef struct run_times {
    uint32_t calls;
    double median_us, min_us;
} run_times;

/* For bodies of api_call(), with program, artifact and model set. */
void run_prepare(run_state *r); /* makes room for inputs and outputs */
fe_status run_read_inputs(fe_program *d, const run_inputs *from, fe_tensor *inputs);
fe_status run_open(run_state *r, uint32_t threads); /* makes the context */
fe_status run_once(run_state *r, double *us);
void run_end(run_state *r); /* frees the context */
/* Sorts `us`, the times of `count` calls. */
run_times run_times_of(double *us, uint32_t count);

#endif
