/* rt_scratch.c - memory to work in for the length of one kernel call. See rt_pool.h.
 *
 * What the call has stated, or a few blocks for the whole artifact: a lease takes the first free one
 * and grows it if it must. Calls nest and end in order, so a caller that repeats itself gets the same
 * memory again and nothing is allocated.
 */
#define _GNU_SOURCE
#include "rt_need.h"
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

enum { BLOCKS = 256, HUGE_PAGE = 2 << 20 };

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

/* Little has no pages of its own. */
static size_t unit_of(size_t bytes)
{
    return bytes >= HUGE_PAGE ? HUGE_PAGE : bytes >= 16 * RT_PAGE ? RT_PAGE : RT_LINE;
}

static char *memory_new(size_t bytes)
{
    size_t unit = unit_of(bytes);
    bytes = round_up(bytes, unit);
    char *memory = aligned_alloc(unit, bytes);
#ifdef MADV_HUGEPAGE
    if (memory && unit == HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

static int block_grow(scratch_block *block, size_t bytes)
{
    free(block->memory);
    keep(0, block->bytes);
    block->bytes = 0;
    bytes = round_up(bytes, unit_of(bytes));
    block->memory = memory_new(bytes);
    if (!block->memory) return -1;
    block->bytes = bytes;
    keep(bytes, 0);
    return 0;
}

static scratch_block *block_take(size_t bytes)
{
    for (int i = 0; i < BLOCKS; i++) {
        scratch_block *block = &blocks[i];
        if (!flag_take(&block->taken)) continue;
        if (block->bytes >= bytes || block_grow(block, bytes) == 0) return block;
        flag_drop(&block->taken);
        return NULL;
    }
    return NULL;
}

/* ---- areas ---- */

int rt_area_grow(rt_area *area, const rt_pool *pool, size_t each)
{
    size_t stride = rt_area_stride(each), threads = (size_t)rt_pool_threads(pool);
    free(area->memory);
    *area = (rt_area){.is_whole = area->is_whole};
    area->memory = memory_new(stride * threads);
    if (!area->memory) return -1;
    area->each = round_up(each, RT_LINE);
    area->stride = stride;
    area->threads = (int)threads;
    return 0;
}

int rt_area_fits(size_t each, int threads, size_t bytes)
{
    return rt_area_stride(each) * (size_t)threads <= bytes;
}

rt_area rt_area_in(void *memory, size_t bytes, const rt_pool *pool, size_t each)
{
    int threads = rt_pool_threads(pool);
    if (!memory || !rt_area_fits(each, threads, bytes)) return (rt_area){0};
    return (rt_area){.memory = (char *)(((uintptr_t)memory + RT_LINE - 1) / RT_LINE * RT_LINE),
                     .each = round_up(each, RT_LINE),
                     .stride = rt_area_stride(each),
                     .threads = threads,
                     .is_whole = 1};
}

void rt_area_free(rt_area *area)
{
    free(area->memory);
    *area = (rt_area){0};
}

size_t rt_area_bytes(const rt_area *area)
{
    return area->stride * (size_t)area->threads;
}

/* ---- leases ---- */

static int take_shared(rt_team *team, size_t bytes, rt_scratch *scratch)
{
    if (bytes > team->shared_bytes) return 0;
    scratch->common = team->shared;
    scratch->shared_taken = bytes;
    if (team->shared) team->shared += bytes;
    team->shared_bytes -= bytes;
    return 1;
}

static rt_area *area_of(rt_team *team)
{
    return team->room.memory ? &team->room : team->area;
}

static int take_area(rt_team *team, size_t bytes, rt_scratch *scratch)
{
    rt_area *area = area_of(team);
    if (bytes == 0) return 1;
    if (!area) return 0;
    int may_grow = !area->is_whole && team->area_taken == 0;
    int is_enough =
        bytes <= area->each - team->area_taken && area->threads >= rt_pool_threads(team->pool);
    if (!is_enough && (!may_grow || rt_area_grow(area, team->pool, bytes) != 0)) return 0;
    scratch->base = area->memory + team->area_taken;
    scratch->stride = area->stride;
    scratch->area_taken = bytes;
    team->area_taken += bytes;
    return 1;
}

/* More than was stated: in a build with sanitizers the run fails. */
static int is_fault(rt_team *team, size_t asked, size_t stated)
{
#ifdef RT_STRICT
    if (team->has_stated) {
        team->asked = asked;
        team->stated = stated;
        return 1;
    }
#endif
    (void)team, (void)asked, (void)stated;
    return 0;
}

static int take_block(rt_team *team, size_t shared, size_t stride, rt_scratch *scratch)
{
    scratch_block *block = block_take(shared + stride * (size_t)rt_pool_threads(team->pool));
    if (!block) return -1;
    scratch->block = block;
    if (shared) scratch->common = block->memory;
    if (stride) {
        scratch->base = block->memory + shared;
        scratch->stride = stride;
    }
    return 0;
}

int rt_scratch_take(rt_team *team, size_t shared_bytes, size_t worker_bytes, rt_scratch *scratch)
{
    size_t shared = round_up(shared_bytes, RT_LINE), each = round_up(worker_bytes, RT_LINE),
           stated = team->shared_bytes;
    *scratch = (rt_scratch){0};
    int has_shared = take_shared(team, shared, scratch), has_area = take_area(team, each, scratch);
    if (has_shared && has_area) return 0;
    if (is_fault(team, has_shared ? each : shared,
                 has_shared && area_of(team) ? area_of(team)->each : stated) ||
        take_block(team, has_shared ? 0 : shared, has_area ? 0 : rt_area_stride(each), scratch) !=
            0) {
        rt_scratch_drop(team, scratch);
        return -1;
    }
    return 0;
}

void rt_scratch_drop(rt_team *team, rt_scratch *scratch)
{
    scratch_block *block = scratch->block;
    if (team->shared) team->shared -= scratch->shared_taken;
    team->shared_bytes += scratch->shared_taken;
    team->area_taken -= scratch->area_taken;
    *scratch = (rt_scratch){0};
    if (block) flag_drop(&block->taken);
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
