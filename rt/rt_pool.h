/* rt_pool.h - threads and scratch memory of an artifact.
 *
 * One pool a thread count, made on first use and kept for the life of the artifact (shared library
 * or program) that this archive is linked into. A parallel region is cut into chunks; every thread
 * owns a run of chunks, takes them one by one, then steals from the others. The caller works too
 * and waits only for chunks that somebody really took, so a preempted or sleeping worker never
 * holds a region up. Nothing here allocates after the first call of a shape.
 */
#ifndef RT_POOL_H
#define RT_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef struct rt_pool rt_pool;

/* One chunk of a region: items [begin, end). `worker` is in [0, rt_pool_threads(pool)) and no two
 * chunks that run at the same time in one region have the same one; concurrent regions of two
 * callers may. */
typedef void (*rt_task)(void *context, int64_t begin, int64_t end, int worker);

/* The pool of `threads` threads, the caller among them. 0 or less: as many as this process may run
 * on. NULL only when memory or threads cannot be had; every function here takes NULL as "one
 * thread". Owned by the artifact, never freed by the caller. */
rt_pool *rt_pool_get(int threads);

/* Threads that a region may use, at least 1. */
int rt_pool_threads(const rt_pool *pool);

/* Runs task over [0, n) in chunks of at least `grain` items (0 counts as 1) and returns when all
 * have run. With one thread, or n < 2 * grain, it is one direct call. May be called by several
 * application threads at once and from inside a task: whoever finds the pool busy runs the whole
 * range itself, as worker 0. */
void rt_parallel(rt_pool *pool, rt_task task, void *context, int64_t n, int64_t grain);

/* Joins all workers and frees all pools and scratch. Registered as a destructor (dlclose, exit);
 * callable by hand when no region is running. A later rt_pool_get starts afresh. In a forked child
 * it only forgets. */
void rt_pool_shutdown(void);

/* Scratch memory leased for the length of one kernel call. */
typedef struct rt_scratch {
    char *base;    /* rt_pool_threads(pool) areas, 64-byte aligned; NULL after a failed take */
    size_t stride; /* bytes from one worker's area to the next, >= the bytes asked for */
    void *block;   /* private */
} rt_scratch;

/* Leases `shared_bytes` common to the region plus `worker_bytes` for each worker. Blocks are kept
 * and reused by later calls, so only a larger request than ever before allocates. 0 = ok, -1 = no
 * memory. */
int rt_scratch_take(rt_pool *pool, size_t shared_bytes, size_t worker_bytes, rt_scratch *scratch);

/* All that is kept by now. */
size_t rt_scratch_bytes(void);

/* Frees all scratch; no kernel may be running. rt_pool_shutdown calls it. */
void rt_scratch_release(void);

/* Gives the lease back. */
void rt_scratch_drop(rt_pool *pool, rt_scratch *scratch);

/* The area of one worker; 64-byte aligned. */
static inline void *rt_scratch_worker(const rt_scratch *scratch, int worker)
{
    return scratch->base + (size_t)worker * scratch->stride;
}

/* The common area; 64-byte aligned. */
void *rt_scratch_shared(rt_pool *pool, const rt_scratch *scratch);

#endif
