/* shim_memory.h -- memory of a device that the host stands in for. */
#ifndef SHIM_MEMORY_H
#define SHIM_MEMORY_H

#include <pthread.h>
#include <stddef.h>

enum { SHIM_NOISE = 0xa5 };

typedef struct shim_memory {
    pthread_mutex_t lock;
    struct shim_range *ranges;
} shim_memory;

void shim_memory_begin(shim_memory *m);
/* Is there some that was not released? */
int shim_memory_end(shim_memory *m);
/* Its end lies at a page that is out of reach, as near as its alignment lets it; NULL: there is none. */
void *shim_allocate(shim_memory *m, size_t bytes);
void shim_release(shim_memory *m, const void *address);
/* Are all these bytes in one allocation? */
int shim_holds(shim_memory *m, const void *address, size_t bytes);

#endif
