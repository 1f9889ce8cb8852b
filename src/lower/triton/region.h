/* region.h -- parts of a kernel that run again and again: regions of the program's ops.
 *
 * What is carried from run to run is in buffers that are there before, and so is the memory that a region
 * writes to: within it, it is written in place, and what is loaded from it is loaded at once. What has been
 * made outside and is read inside is computed inside or has memory before; nothing that is read outside is
 * made inside.
 */
#ifndef FERRITE_LOWER_TRITON_REGION_H
#define FERRITE_LOWER_TRITON_REGION_H

#include "lower/control.h"
#include "lower/triton/triton.h"

typedef struct triton_region {
    triton *t;
    triton_value *outer; /* values as they are outside */
    triton_value condition;
    bool *written; /* by memory: here, and not in a region around already */
} triton_region;

/* The blocks of a loop are to be run again and again; op NULL: all of the kernel. */
fe_status triton_enter(triton *t, const ttir_op *op, triton_region *out);
/* Values are those from outside again; results are to be set after it. */
void triton_leave(const triton_region *r);
/* Memory for a value of that type, which begins as v; pointers are offsets. */
lower_tensor triton_begin_carried(triton *t, ttir_value type_of, triton_value v);
lower_tensor triton_as_carried(triton *t, triton_value v);
/* Is any of these bools set, as something that can be tested? */
fe_status triton_any(triton *t, lower_tensor x, control_test *out);
#endif
