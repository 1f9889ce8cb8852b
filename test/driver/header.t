# beside the library a header with names, dtypes and shapes; sizes that are dynamic have no macro
--run-- ferrite compile $ROOT/test/cases/programs/dynamic_derived.pt2 -o d.so --quiet && cat d.h && printf '#include "d.h"\nint dtype = DYNAMIC_DERIVED_INPUT_0_DTYPE;\n' >use.c && cc -std=c99 -Wall -Wextra -Wpedantic -Werror -I$ROOT/include -fsyntax-only use.c
--out--
/* dynamic_derived, made by ferrite 0.1: inputs and outputs in order. Run it through ferrite_abi.h. */
#ifndef DYNAMIC_DERIVED_H
#define DYNAMIC_DERIVED_H

#include "ferrite_abi.h"

#define DYNAMIC_DERIVED_INPUTS 3
#define DYNAMIC_DERIVED_OUTPUTS 3

/* torch.float32 [4*s63, 6] */
#define DYNAMIC_DERIVED_INPUT_0_NAME "x"
#define DYNAMIC_DERIVED_INPUT_0_DTYPE FE_F32
#define DYNAMIC_DERIVED_INPUT_0_RANK 2
#define DYNAMIC_DERIVED_INPUT_0_SIZE_1 6

/* torch.float32 [4*s63, 6] */
#define DYNAMIC_DERIVED_INPUT_1_NAME "y"
#define DYNAMIC_DERIVED_INPUT_1_DTYPE FE_F32
#define DYNAMIC_DERIVED_INPUT_1_RANK 2
#define DYNAMIC_DERIVED_INPUT_1_SIZE_1 6

/* torch.float32 [s68, 6] */
#define DYNAMIC_DERIVED_INPUT_2_NAME "z"
#define DYNAMIC_DERIVED_INPUT_2_DTYPE FE_F32
#define DYNAMIC_DERIVED_INPUT_2_RANK 2
#define DYNAMIC_DERIVED_INPUT_2_SIZE_1 6

/* torch.float32 [s63, 6] */
#define DYNAMIC_DERIVED_OUTPUT_0_NAME "output_0"
#define DYNAMIC_DERIVED_OUTPUT_0_DTYPE FE_F32
#define DYNAMIC_DERIVED_OUTPUT_0_RANK 2
#define DYNAMIC_DERIVED_OUTPUT_0_SIZE_1 6

/* torch.float32 [4*s63 + s68, 6] */
#define DYNAMIC_DERIVED_OUTPUT_1_NAME "output_1"
#define DYNAMIC_DERIVED_OUTPUT_1_DTYPE FE_F32
#define DYNAMIC_DERIVED_OUTPUT_1_RANK 2
#define DYNAMIC_DERIVED_OUTPUT_1_SIZE_1 6

/* torch.float32 [min(s68, 4*s63), 6] */
#define DYNAMIC_DERIVED_OUTPUT_2_NAME "output_2"
#define DYNAMIC_DERIVED_OUTPUT_2_DTYPE FE_F32
#define DYNAMIC_DERIVED_OUTPUT_2_RANK 2
#define DYNAMIC_DERIVED_OUTPUT_2_SIZE_1 6

#endif
