/* run.h -- running a compiled program in this process; shared by `run` and `check`. */
#ifndef FERRITE_DRIVER_RUN_H
#define FERRITE_DRIVER_RUN_H

#include "driver/driver.h"
#include "pt2/tensor_file.h"

#include <stdio.h>

/* Builds the library (or takes it from the cache), loads it and fills its weights. Unload whatever
 * this returns. */
fe_status program_make(driver_program *d, loaded_program *out);
/* A contiguous tensor laid out with the strides that the port declares; memory from the arena when
 * that needs a copy. */
fe_tensor input_for_port(arena *memory, const fe_port *port, const tensor_entry *entry);
/* PREFIXin.0, PREFIXin.1, ... of a file, in the order of the program's inputs. Numbers that the
 * program fixed may be absent. */
fe_status inputs_from_file(driver_program *d, const fe_artifact *a, const tensor_file *file,
                           const char *prefix, fe_tensor *inputs);
/* An output as a contiguous copy. */
tensor_entry output_entry(arena *memory, const fe_tensor *t, const char *name);
/* Compile time by stage, kernels, arena, weights. */
void print_summary(const driver_program *d, FILE *to);

#endif
