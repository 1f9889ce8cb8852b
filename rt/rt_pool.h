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

/* ---- what operators work in ----
 *
 * An operator states how much memory it works in beside its operands (loop/need.c): what its threads
 * share is a buffer of the program, planned like any other, what each of them has to itself lies in
 * an area of the context. Who has stated nothing, and in a build without sanitizers who has stated
 * too little, works in blocks of the whole artifact, which grow.
 */

/* An area for each thread; of one context. */
typedef struct rt_area {
    char *memory;
    size_t each, stride; /* bytes of one; from one to the next */
    int threads;
    int is_whole; /* it has all that the program states, and does not grow */
} rt_area;

/* Room for `each` bytes a thread. What was in it is lost. 0 = ok, -1 = no memory. */
int rt_area_grow(rt_area *area, const rt_pool *pool, size_t each);
/* Do areas of `each` bytes for so many threads fit in so many bytes that begin at a line? */
int rt_area_fits(size_t each, int threads, size_t bytes);
/* An area in memory that is somebody else's; all 0 when it does not fit. */
rt_area rt_area_in(void *memory, size_t bytes, const rt_pool *pool, size_t each);
void rt_area_free(rt_area *area);
size_t rt_area_bytes(const rt_area *area);

/* Who works on one call, and in what memory: what is left of it. All zero but for the pool: in blocks
 * of the artifact. */
typedef struct rt_team {
    rt_pool *pool;
    char *shared;
    size_t shared_bytes;
    rt_area room;  /* where there is one, it is used instead of: */
    rt_area *area; /* of the context */
    size_t area_taken;
    int from_end;         /* few rows go through the panels of B from the last to the first */
    int has_stated;       /* a request that does not fit is a fault */
    size_t asked, stated; /* the request that did not fit; asked 0: all did */
} rt_team;

/* Memory leased for the length of one kernel call. Leases end in the order that is the reverse of
 * that in which they began. */
typedef struct rt_scratch {
    char *base;    /* an area for each worker, 64-byte aligned */
    size_t stride; /* bytes from one worker's area to the next, >= the bytes asked for */
    char *common;  /* 64-byte aligned */
    size_t shared_taken, area_taken;
    void *block; /* of the artifact, or NULL */
} rt_scratch;

/* Leases `shared_bytes` common to the region plus `worker_bytes` for each worker. 0 = ok, -1 = there
 * is no memory, or less than this was stated. */
int rt_scratch_take(rt_team *team, size_t shared_bytes, size_t worker_bytes, rt_scratch *scratch);

/* Gives the lease back. */
void rt_scratch_drop(rt_team *team, rt_scratch *scratch);

/* All that blocks of the artifact hold by now. */
size_t rt_scratch_bytes(void);

/* Frees all blocks; no kernel may be running. rt_pool_shutdown calls it. */
void rt_scratch_release(void);

/* The area of one worker; 64-byte aligned. */
static inline void *rt_scratch_worker(const rt_scratch *scratch, int worker)
{
    return scratch->base + (size_t)worker * scratch->stride;
}

/* The common area; 64-byte aligned. */
static inline void *rt_scratch_shared(const rt_scratch *scratch)
{
    return scratch->common;
}

#endif
