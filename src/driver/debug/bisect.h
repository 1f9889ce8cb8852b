/* bisect.h -- the pass that changes what a program computes. */
#ifndef FERRITE_DRIVER_BISECT_H
#define FERRITE_DRIVER_BISECT_H

#include "driver/driver.h"

/* Fills in the inputs of a program, which has as many as the one that is bisected. */
typedef fe_status (*bisect_inputs)(driver_program *d, void *data, fe_tensor *inputs);

/* Runs the program with the first passes only, as few as it can be compiled with, and with all: where
 * outputs differ, FE_MISMATCH names the pass after which they do, the first node that it made or
 * changed, and the kernel that this is in. */
fe_status bisect_passes(driver_program *d, bisect_inputs read, void *data);

#endif
