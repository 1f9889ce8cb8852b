/* shim.h -- what a block of threads is for kernels that shim.c runs: in front of the names of a dialect. */
#pragma once
#include <stdint.h>
#include <string.h>

static unsigned shim_block, shim_thread, shim_width;
extern "C" {
/* Returns when all threads of the block wait, at this line of the kernel's text. */
void (*shim_wait)(int line);
void shim_put(unsigned block, unsigned thread, unsigned width)
{
    shim_block = block, shim_thread = thread, shim_width = width;
}

/* Memory of a block: variables in a section of their own, so that each block finds noise there. */
extern char __start_of_block[] __attribute__((weak, visibility("hidden")));
extern char __stop_of_block[] __attribute__((weak, visibility("hidden")));
char *shim_shared(size_t *bytes)
{
    *bytes = (size_t)(__stop_of_block - __start_of_block);
    return __start_of_block;
}
}
#define SHIM_SHARED static __attribute__((section("of_block")))
