/* rt_scratch.c - scratch memory for the length of one kernel call. See rt_pool.h.
 *
 * A few blocks for the whole artifact; a lease takes the first free one and grows it if it must.
 * Calls nest and end in order, so a caller that repeats itself gets the same blocks again and
 * nothing is allocated.
 */
#define _GNU_SOURCE
#include "rt_pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { BLOCKS = 256, CACHE_LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 };

typedef struct scratch_block {
    _Atomic int taken;
    size_t bytes;
    char *memory;
} scratch_block;

static scratch_block blocks[BLOCKS];

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static int block_grow(scratch_block *block, size_t bytes)
{
    free(block->memory);
    block->bytes = 0;
    size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    bytes = round_up(bytes, unit);
    block->memory = aligned_alloc(unit, bytes);
    if (!block->memory) return -1;
#ifdef MADV_HUGEPAGE
    if (unit == HUGE_PAGE) madvise(block->memory, bytes, MADV_HUGEPAGE);
#endif
    block->bytes = bytes;
    return 0;
}

int rt_scratch_take(rt_pool *pool, size_t shared_bytes, size_t worker_bytes, rt_scratch *scratch)
{
    /* Not a whole number of pages from area to area: their beginnings are used most. */
    size_t stride = round_up(worker_bytes, CACHE_LINE) + 4 * CACHE_LINE;
    size_t shared = round_up(shared_bytes, CACHE_LINE);
    size_t bytes = shared + stride * (size_t)rt_pool_threads(pool);
    *scratch = (rt_scratch){.stride = stride};
    for (int i = 0; i < BLOCKS; i++) {
        scratch_block *block = &blocks[i];
        if (atomic_load_explicit(&block->taken, memory_order_relaxed) ||
            atomic_exchange_explicit(&block->taken, 1, memory_order_acquire))
            continue;
        if (block->bytes < bytes && block_grow(block, bytes) != 0) {
            atomic_store_explicit(&block->taken, 0, memory_order_release);
            return -1;
        }
        scratch->block = block;
        scratch->base = block->memory + shared;
        return 0;
    }
    return -1;
}

void rt_scratch_drop(rt_pool *pool, rt_scratch *scratch)
{
    (void)pool;
    scratch_block *block = scratch->block;
    scratch->block = NULL;
    scratch->base = NULL;
    if (block) atomic_store_explicit(&block->taken, 0, memory_order_release);
}

void *rt_scratch_shared(rt_pool *pool, const rt_scratch *scratch)
{
    (void)pool;
    return ((scratch_block *)scratch->block)->memory;
}

void rt_scratch_release(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        /* what its last user wrote comes before */
        (void)atomic_load_explicit(&blocks[i].taken, memory_order_acquire);
        free(blocks[i].memory);
        blocks[i].memory = NULL;
        blocks[i].bytes = 0;
    }
}
