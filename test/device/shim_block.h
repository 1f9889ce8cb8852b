/* shim_block.h -- a launch of the shim, block by block: see shim_block.c. */
#ifndef SHIM_BLOCK_H
#define SHIM_BLOCK_H

#include "ferrite_device.h"

#include <stddef.h>

/* What kernels of a library know of their block. */
typedef struct shim_blocks {
    void (*put)(unsigned block, unsigned thread, unsigned width); /* who is at work */
    char *shared;                                                 /* memory of the block */
    size_t shared_bytes;
} shim_blocks;

typedef struct shim_launch {
    const shim_blocks *blocks;
    void (*call)(const void *data); /* the kernel, by one thread */
    const void *data;
    const char *name;
    int64_t count;              /* of blocks */
    unsigned width;             /* threads of a block */
    int is_in_step;             /* they may wait for each other */
    const fe_device_host *host; /* where is written what has failed */
} shim_launch;

int shim_run(const shim_launch *w);
/* Of a library of kernels that was opened. */
void shim_find_blocks(void *handle, shim_blocks *out);

#endif
