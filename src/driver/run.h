/* run.h -- running a compiled program in this process; shared by `run` and `check`. */
#ifndef FERRITE_DRIVER_RUN_H
#define FERRITE_DRIVER_RUN_H

#include "driver/driver.h"
#include "pt2/tensor_file.h"

#include <stdio.h>

/* Builds the library (or takes it from the cache), loads it and fills its weights. Unload whatever
 * this returns. */
fe_status program_make(driver_program *d, loaded_program *out);
/* inputs.c. Values for all inputs of a program that went through STAGE_EMIT, in memory of its arena
 * that the program may write to, laid out as it expects them. `inputs` has a->input_count places.
 * From PREFIXin.0, PREFIXin.1, ... of a file, in the order of the program's inputs; numbers that the
 * program fixed may be absent. */
fe_status inputs_from_file(driver_program *d, const fe_artifact *a, const tensor_file *file,
                           const char *prefix, fe_tensor *inputs);
/* From one file an input. */
fe_status inputs_from_files(driver_program *d, const fe_artifact *a, const char *const *paths,
                            uint32_t count, fe_tensor *inputs);
/* From what the archive records as the inputs that the program was exported with. */
fe_status inputs_from_samples(driver_program *d, const fe_artifact *a, fe_tensor *inputs);
/* An output as a contiguous copy. */
tensor_entry output_entry(arena *memory, const fe_tensor *t, const char *name);
/* Compile time by stage, kernels, arena, weights. */
void print_summary(const driver_program *d, FILE *to);

#endif
