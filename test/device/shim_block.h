/* shim_block.h -- a launch of the shim, block by block: see shim_block.c. */
#ifndef SHIM_BLOCK_H
#define SHIM_BLOCK_H

#include "ferrite_device.h"

#include <stddef.h>

enum { SHIM_NOISE = 0xa5 };

/* A kernel with its parameters in two arrays. */
typedef void shim_caller(int64_t *fault, int64_t rows, int64_t columns, void *const *buffers,
                         const int64_t *ints);

/* What kernels of a library know of their block. */
typedef struct shim_blocks {
    void (*put)(unsigned block, unsigned thread, unsigned width); /* who is at work */
    char *shared;                                                 /* memory of the block */
    size_t shared_bytes;
} shim_blocks;

typedef struct shim_launch {
    const shim_blocks *blocks;
    shim_caller *caller;
    const char *name;
    unsigned width; /* threads of a block */
    int is_in_step; /* they may wait for each other */
    const fe_device_launch *launch;
    const fe_device_host *host; /* where is written what has failed */
} shim_launch;

int shim_run(const shim_launch *w);
/* Called by a thread of a block; returns when all have done so. */
void shim_wait_in_block(int line);

#endif
