/* inputs.h -- values for all inputs of a program that went through STAGE_EMIT, and its outputs as
 * contiguous copies.
 *
 * A program may write into its inputs, and may have been made for inputs that are not contiguous. So
 * every input is a copy in memory of the program's arena, laid out as the program expects it. `inputs`
 * has one place for each.
 */
#ifndef FERRITE_DRIVER_INPUTS_H
#define FERRITE_DRIVER_INPUTS_H

#include "driver/driver.h"
#include "pt2/tensor_file.h"

/* PREFIXin.0, PREFIXin.1, ... of a file; numbers that the program fixed may be absent. */
fe_status inputs_from_file(driver_program *d, const tensor_file *file, const char *prefix,
                           fe_tensor *inputs);
/* One file an input. */
fe_status inputs_from_files(driver_program *d, const char *const *paths, uint32_t count,
                            fe_tensor *inputs);
/* What the archive records as the inputs that the program was exported with; FE_USAGE when it
 * records none. */
fe_status inputs_from_samples(driver_program *d, fe_tensor *inputs);
bool inputs_have_samples(driver_program *d);
/* Numbers from a fixed seed: floating point in [-1, 1), integers 0 and 1 (which every table has),
 * at the sizes that the program was exported with. */
fe_status inputs_at_random(driver_program *d, fe_tensor *inputs);

/* What a call overwrites because it was donated, so that the next call finds it as the first did. */
typedef struct inputs_kept {
    const fe_artifact *artifact;
    fe_tensor *tensors;
    void **donated; /* what they held, for each of the artifact's donated inputs */
} inputs_kept;
inputs_kept inputs_keep(driver_program *d, const fe_artifact *artifact, fe_tensor *inputs);
void inputs_refill(const inputs_kept *kept);

/* Input k, a number, as this float, integer or truth. */
fe_tensor input_number(driver_program *d, uint32_t k, double number, int64_t integer);

tensor_entry output_entry(arena *memory, const fe_tensor *t, const char *name);

#endif
