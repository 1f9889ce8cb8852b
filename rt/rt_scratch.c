/* rt_scratch.c - scratch memory for the length of one kernel call. See rt_pool.h.
 *
 * A few blocks for the whole artifact; a lease takes the first free one and grows it if it must.
 * Calls nest and end in order, so a caller that repeats itself gets the same blocks again and
 * nothing is allocated.
 */
#define _GNU_SOURCE
#include "rt_pool.h"

#include <stdlib.h>
#ifdef __STDC_NO_ATOMICS__
#include <pthread.h>
#else
#include <stdatomic.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { BLOCKS = 256, CACHE_LINE = 64, PAGE = 4096, HUGE_PAGE = 2 << 20 };

#ifdef __STDC_NO_ATOMICS__
typedef int flag;
static pthread_mutex_t flags_lock = PTHREAD_MUTEX_INITIALIZER;

static int flag_exchange(flag *f, int value)
{
    pthread_mutex_lock(&flags_lock);
    int before = *f;
    *f = value;
    pthread_mutex_unlock(&flags_lock);
    return before;
}

static int flag_take(flag *f)
{
    return !flag_exchange(f, 1);
}

static void flag_drop(flag *f)
{
    flag_exchange(f, 0);
}

static void flag_see(flag *f)
{
    pthread_mutex_lock(&flags_lock);
    (void)*f;
    pthread_mutex_unlock(&flags_lock);
}
#else
typedef _Atomic int flag;

static int flag_take(flag *f)
{
    return !atomic_load_explicit(f, memory_order_relaxed) &&
           !atomic_exchange_explicit(f, 1, memory_order_acquire);
}

static void flag_drop(flag *f)
{
    atomic_store_explicit(f, 0, memory_order_release);
}

/* What its last user wrote comes before. */
static void flag_see(flag *f)
{
    (void)atomic_load_explicit(f, memory_order_acquire);
}
#endif

typedef struct scratch_block {
    flag taken;
    size_t bytes;
    char *memory;
} scratch_block;

static scratch_block blocks[BLOCKS];

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* ---- what is kept ---- */

static size_t kept;
static flag kept_taken;

static size_t keep(size_t more, size_t less)
{
    while (!flag_take(&kept_taken)) continue;
    size_t now = kept += more - less;
    flag_drop(&kept_taken);
    return now;
}

size_t rt_scratch_bytes(void)
{
    return keep(0, 0);
}

/* ---- blocks ---- */

static int block_grow(scratch_block *block, size_t bytes)
{
    free(block->memory);
    keep(0, block->bytes);
    block->bytes = 0;
    size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    bytes = round_up(bytes, unit);
    block->memory = aligned_alloc(unit, bytes);
    if (!block->memory) return -1;
#ifdef MADV_HUGEPAGE
    if (unit == HUGE_PAGE) madvise(block->memory, bytes, MADV_HUGEPAGE);
#endif
    block->bytes = bytes;
    keep(bytes, 0);
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
        if (!flag_take(&block->taken)) continue;
        if (block->bytes < bytes && block_grow(block, bytes) != 0) {
            flag_drop(&block->taken);
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
    if (block) flag_drop(&block->taken);
}

void *rt_scratch_shared(rt_pool *pool, const rt_scratch *scratch)
{
    (void)pool;
    return ((scratch_block *)scratch->block)->memory;
}

void rt_scratch_release(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        flag_see(&blocks[i].taken);
        free(blocks[i].memory);
        keep(0, blocks[i].bytes);
        blocks[i].memory = NULL;
        blocks[i].bytes = 0;
    }
}
