/* property.h -- results that are defined up to sign, order or basis: what must hold of them
 * whatever the choice. */
#ifndef FERRITE_CLI_PROPERTY_H
#define FERRITE_CLI_PROPERTY_H

#include "driver/inputs.h"

/* Holds the program's factorisations of its own inputs against their definitions: factors multiply to
 * the matrix, orthogonal ones are so, eigenvectors keep their direction. What is no such result, or
 * not whole among the outputs, is passed over. A residual may be `absolute` + `relative` times the
 * matrix's size. */
fe_status property_check(driver_program *d, const fe_tensor *inputs, const fe_tensor *outputs,
                         double relative, double absolute);

#endif
