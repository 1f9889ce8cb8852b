/* rt_library.h - kernels and runtime operators without the program around them, for hosts that are
 * that program themselves: the compiler's own process, Python.
 *
 * A library of kernels is a shared library with one entry point, ferrite_library(). A host makes a
 * frame, and calls with it what the tables name, as generated C does.
 */
#ifndef RT_LIBRARY_H
#define RT_LIBRARY_H

#include "rt_program.h"

/* Raised by one whenever a structure below, or one of rt_program.h that a host fills in, changes. */
#define RT_LIBRARY_VERSION 6u

typedef struct rt_function {
    const char *name;
    void (*function)(void); /* to be cast to what its table says */
} rt_function;

/* What the runtime does for a host. */
typedef struct rt_services {
    rt_pool *(*pool)(int threads);
    int (*launch)(rt_frame *frame, fe_kernel kernel, const fe_kernel_args *args, int64_t outer,
                  int64_t inner, int split, int64_t cost);
    int (*custom)(rt_frame *frame, const char *name, fe_op_function *function, const fe_arg *args,
                  uint32_t arg_count, const fe_tensor *results, uint32_t result_count,
                  const rt_made *made, uint32_t made_count);
    /* A frame that has a pool and a message, and nothing of a program: enough for launch, custom and
     * operators. NULL: no memory. One caller at a time. */
    rt_frame *(*frame_new)(uint32_t threads);
    void (*frame_free)(rt_frame *frame);
    const char *(*error)(const rt_frame *frame); /* of the last call that failed */
    size_t (*replan_scratch)(const plan_template *lives);
    int64_t (*replan)(const plan_template *lives, const plan_sizes *sizes, void *scratch,
                      int64_t *offsets, int64_t *bound);
    /* Where kernels report an index out of range (fe_kernel_args.fault): nothing is reported yet. */
    rt_fault *(*fault)(rt_frame *frame);
    int (*in_range)(rt_frame *frame, const rt_check *checks); /* after the kernel */
    int (*check_numbers)(rt_frame *frame, const fe_tensor *t, int finite, const char *what);
    void (*clear)(const fe_tensor *t);
    const char *(*obstacle)(void); /* why this processor cannot run the library, or NULL */
} rt_services;
extern const rt_services rt_services_here;

/* What the program calls, by name. */
typedef struct rt_library {
    uint32_t version, struct_bytes;
    const rt_function *kernels;   /* fe_kernel */
    const rt_function *operators; /* int (rt_frame *, const rt_call *) */
    const rt_function *customs;   /* fe_op_function */
    uint32_t kernel_count, operator_count, custom_count;
    uint64_t weights_key; /* of the weights that stand behind the machine code; see rt_entry.c */
    const rt_services *services;
    const char *isa; /* instruction set of the kernels: "x86-64-v4" */
} rt_library;

/* Makes it ready, when it is asked for. */
const rt_library *rt_library_open(const rt_library *library);

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const rt_library *
ferrite_library(void);

#endif
