/* rt_pool_alone.c - the pool where the compiler has no atomic operations: the caller works alone. */
#include "rt_pool.h"

#ifdef __STDC_NO_ATOMICS__

rt_pool *rt_pool_get(int threads)
{
    (void)threads;
    return NULL;
}

int rt_pool_threads(const rt_pool *pool)
{
    (void)pool;
    return 1;
}

void rt_parallel(rt_pool *pool, rt_task task, void *context, int64_t n, int64_t grain)
{
    (void)pool;
    (void)grain;
    if (n > 0) task(context, 0, n, 0);
}

void rt_pool_shutdown(void)
{
    rt_scratch_release();
}

#endif
