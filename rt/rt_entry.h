/* rt_entry.h - the two structures behind fe_model and fe_context, shared by rt_entry.c (their
 * lives) and rt_run.c (a call). */
#ifndef RT_ENTRY_H
#define RT_ENTRY_H

#include "rt_pool.h"
#include "rt_program.h"

enum { RT_MAX_RANK = 25, RT_ERROR_BYTES = 400 };

struct fe_model {
    const rt_program *program;
    char *
        mapping; /* of the weights file; NULL when the weights are the caller's or there are none */
    size_t mapping_bytes;
    void **weights; /* one for each of program->weights */
};

/* An output as it stands after a run. */
typedef struct rt_result {
    void *data;
    int64_t sizes[RT_MAX_RANK], strides[RT_MAX_RANK];
    void *memory; /* owned by the context, grown as needed */
    size_t memory_bytes;
    void *lent; /* what the last run gave out of it; passed back it is not memory of the caller */
} rt_result;

struct fe_context {
    const fe_model *model;
    rt_pool *pool;
    rt_block *segments;
    void **inputs, **outputs; /* data pointers */
    rt_result *results;
    void **states;
    int64_t *symbols; /* values of this run */
    int64_t *offsets; /* of buffers in segments that have a layout */
    char error[RT_ERROR_BYTES];
};

/* 64-byte aligned memory; large pieces ask for huge pages. NULL when there is none. */
void *rt_memory_new(size_t bytes);
void rt_memory_free(void *memory);

int rt_run(fe_context *context, const fe_tensor *inputs, uint32_t input_count, fe_tensor *outputs,
           uint32_t output_count);

#endif
