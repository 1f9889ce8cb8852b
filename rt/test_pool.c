/* test_pool.c - what test_kernels runs of the pool and of leases of scratch. */
#include "rt_kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;
static rt_pool *pool;

static void expect(int ok, const char *what)
{
    passed += ok != 0;
    failed += !ok;
    if (!ok) printf("FAIL pool threads=%d: %s\n", rt_pool_threads(pool), what);
}

static void count_task(void *context, int64_t begin, int64_t end, int worker)
{
    _Atomic int *counts = context;
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add(&counts[i], worker >= 0 && worker < rt_pool_threads(pool) ? 1 : 100);
}

static void nested_task(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    for (int64_t i = begin; i < end; i++) rt_parallel(pool, count_task, context, 50, 1);
}

static void *caller_main(void *context)
{
    for (int i = 0; i < 500; i++) rt_parallel(pool, count_task, context, 200, 3);
    return NULL;
}

/* Two leases, one within the other: of blocks, or of memory that was stated. */
static void lease_twice(rt_team *team, const char *what)
{
    rt_scratch one, two;
    int last = rt_pool_threads(team->pool) - 1;
    expect(rt_scratch_take(team, 100, 1000, &one) == 0 && rt_scratch_take(team, 10, 100, &two) == 0,
           what);
    memset(rt_scratch_shared(&one), 1, 100);
    memset(rt_scratch_shared(&two), 2, 10);
    memset(rt_scratch_worker(&one, last), 3, 1000);
    memset(rt_scratch_worker(&two, last), 4, 100);
    memset(rt_scratch_worker(&two, 0), 5, 100);
    const char *common = rt_scratch_shared(&one), *own = rt_scratch_worker(&one, last);
    expect(common[0] == 1 && common[99] == 1 && own[0] == 3 && own[999] == 3, what);
    rt_scratch_drop(team, &two);
    rt_scratch_drop(team, &one);
}

static void test_leases(void)
{
    _Alignas(64) char shared[192];
    size_t before = rt_scratch_bytes();
    rt_area area = {0};
    rt_team team = {.pool = pool, .shared = shared, .shared_bytes = sizeof shared, .area = &area};
    expect(rt_area_grow(&area, pool, 1152) == 0, "an area");
    area.is_whole = 1;
    char *memory = area.memory;
    lease_twice(&team, "two leases of what was stated");
    expect(team.shared == shared && team.shared_bytes == sizeof shared && team.area_taken == 0 &&
               area.memory == memory && rt_scratch_bytes() == before,
           "all is given back, and no block was made");
    rt_area_free(&area);
    lease_twice(&team, "an area that grows");
    expect(area.each >= 1000, "grown");
    rt_area_free(&area);
    lease_twice(&(rt_team){.pool = pool}, "two leases of blocks");
}

void test_pool(rt_pool *threads, int *good_count, int *bad_count);
void test_pool(rt_pool *threads, int *good_count, int *bad_count)
{
    pool = threads;
    passed = failed = 0;
    _Atomic int counts[300];
    memset(counts, 0, sizeof counts);
    int good = 1;
    for (int n = 0; n < 300; n++) rt_parallel(pool, count_task, counts, n, n % 7);
    for (int i = 0; i < 300; i++) good &= counts[i] == 299 - i;
    expect(good, "each item runs once");
    memset(counts, 0, sizeof counts);
    rt_parallel(pool, nested_task, counts, 40, 1);
    good = 1;
    for (int i = 0; i < 50; i++) good &= counts[i] == 40;
    expect(good, "nested regions");
    memset(counts, 0, sizeof counts);
    pthread_t callers[3];
    for (int i = 0; i < 3; i++) pthread_create(&callers[i], NULL, caller_main, counts);
    for (int i = 0; i < 3; i++) pthread_join(callers[i], NULL);
    good = 1;
    for (int i = 0; i < 200; i++) good &= counts[i] == 1500;
    expect(good, "three callers at once");
    test_leases();
    *good_count += passed;
    *bad_count += failed;
}
