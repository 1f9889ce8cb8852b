/* rt_pool.c - worker threads, chunk claiming, sleeping and waking. See rt_pool.h.
 *
 * A region is published by raising the pool's generation. Each thread slot has one 64-bit ticket,
 * generation in the high half, then the next unclaimed chunk and the end of the slot's share; a
 * claim is a compare-and-swap on it, so a thread that comes late with an old generation cannot take
 * anything. Slots keep the same share of the range from region to region, which leaves a tensor's
 * halves in the same cores' caches.
 */
#define _GNU_SOURCE
#include "rt_pool.h"

#ifndef __STDC_NO_ATOMICS__ /* else: rt_pool_alone.c */

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum {
    MAX_THREADS = 256,
    CHUNKS_PER_THREAD = 4,
    SPIN_WORKER = 4000, /* pauses before an idle worker sleeps */
    SPIN_CALLER = 1000, /* pauses of a caller between two looks at the workers it waits for */
    CALLER_LOOKS = 4,   /* such looks before it sleeps */
    NAP_NS = 200000,    /* nanoseconds between two looks from then on */
    RUNNING_NS = 2000,  /* processor time between two looks of a worker that is running */
    CACHE_LINE = 64
};

typedef struct slot {
    _Alignas(2 * CACHE_LINE) _Atomic uint64_t ticket; /* generation << 32 | next << 16 | end */
} slot;

struct rt_pool {
    int threads;
    int started; /* workers really running: 1 .. started */
    struct pool_worker
        *workers; /* threads of them; the first stands for the caller and is not used */
    struct rt_pool *next;
    /* the region */
    _Alignas(2 * CACHE_LINE) _Atomic int busy;
    _Atomic(rt_task) task;
    _Atomic(void *) context;
    _Atomic int64_t n;
    _Atomic int64_t chunks;
    _Atomic int caller_cpu; /* where the caller was when it published */
    /* what workers watch */
    _Alignas(2 * CACHE_LINE) _Atomic uint32_t generation;
    _Atomic uint32_t sleepers;
    _Atomic int quit;
    /* what the caller watches */
    _Alignas(2 * CACHE_LINE) _Atomic uint32_t done; /* chunks finished */
    _Atomic uint32_t caller_sleeps;
    slot *slots;
};

typedef struct pool_worker {
    _Alignas(2 *
             CACHE_LINE) _Atomic int active; /* between taking part in a region and leaving it */
    rt_pool *pool;
    int index;
    pthread_t handle;
#ifdef __linux__
    _Atomic pid_t thread;
    clockid_t clock;   /* of the processor time it has used */
    int64_t used;      /* that time when the caller last looked */
    cpu_set_t allowed; /* where it may run */
    _Atomic int lent;  /* it was put on the caller's processor, and may run nowhere else */
#endif
} pool_worker;

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static rt_pool *pools;
static pid_t pools_owner;
#ifndef __GNUC__
static int shuts_down_at_exit;
#endif
static rt_pool serial_pool = {.threads = 1};

/* ---- waiting ---- */

static void cpu_pause(void)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* word_wait returns when *word is no longer value, or after `nanoseconds` (0 = never), or for no
 * reason. */
#ifdef __linux__
static void word_wait(_Atomic uint32_t *word, uint32_t value, long nanoseconds)
{
    struct timespec limit = {0, nanoseconds};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL, NULL, 0);
}

static void word_wake(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}
#else
static pthread_mutex_t word_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t word_cond = PTHREAD_COND_INITIALIZER;

static void word_wait(_Atomic uint32_t *word, uint32_t value, long nanoseconds)
{
    (void)nanoseconds;
    pthread_mutex_lock(&word_lock);
    while (atomic_load(word) == value) pthread_cond_wait(&word_cond, &word_lock);
    pthread_mutex_unlock(&word_lock);
}

static void word_wake(_Atomic uint32_t *word, int count)
{
    (void)word;
    (void)count;
    pthread_mutex_lock(&word_lock);
    pthread_cond_broadcast(&word_cond);
    pthread_mutex_unlock(&word_lock);
}
#endif

/* ---- places ---- */

#ifdef __linux__
/* A woken worker is often put on the processor of the thread that woke it, where it can only be in
 * the way: it would hold that thread up for as long as it spins. It then asks for any other
 * processor. */
static void leave_caller(pool_worker *self)
{
    int cpu = atomic_load_explicit(&self->pool->caller_cpu, memory_order_relaxed);
    if (cpu < 0 || cpu != sched_getcpu()) return;
    cpu_set_t others = self->allowed;
    CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) == 0) return;
    sched_setaffinity(0, sizeof others,
                      &others); /* which moves it; then it may go anywhere again */
    sched_setaffinity(0, sizeof self->allowed, &self->allowed);
}

static void come_back(pool_worker *self)
{
    if (atomic_exchange_explicit(&self->lent, 0, memory_order_relaxed))
        sched_setaffinity(0, sizeof self->allowed, &self->allowed);
}

/* A worker that was preempted in the middle of a chunk uses no processor time. The caller, which
 * has nothing left to do but wait for it, gives it its own processor. Returns whether there was
 * one. */
static int rescue(rt_pool *pool)
{
    int found = 0;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    for (int i = 1; i <= pool->started; i++) {
        pool_worker *other = &pool->workers[i];
        struct timespec now;
        if (!atomic_load_explicit(&other->active, memory_order_relaxed) ||
            clock_gettime(other->clock, &now) != 0)
            continue;
        int64_t used = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
        if (used - other->used < RUNNING_NS) {
            sched_setaffinity(atomic_load(&other->thread), sizeof here, &here);
            atomic_store_explicit(&other->lent, 1, memory_order_relaxed);
            found = 1;
        }
        other->used = used;
    }
    return found;
}
#else
static void leave_caller(pool_worker *self)
{
    (void)self;
}

static void come_back(pool_worker *self)
{
    (void)self;
}

static int rescue(rt_pool *pool)
{
    (void)pool;
    return 0;
}
#endif

/* ---- regions ---- */

typedef struct region {
    rt_task task;
    void *context;
    int64_t n, chunks;
} region;

static uint64_t ticket_make(uint32_t generation, int64_t chunks, int threads, int index)
{
    uint64_t next = (uint64_t)(chunks * index / threads);
    uint64_t end = (uint64_t)(chunks * (index + 1) / threads);
    return (uint64_t)generation << 32 | next << 16 | end;
}

/* The first item of a chunk: chunks differ by one item at most. */
static int64_t chunk_begin(const region *job, int64_t chunk)
{
    return job->n / job->chunks * chunk + job->n % job->chunks * chunk / job->chunks;
}

/* Runs chunks of slot `owner` until it has none left; returns how many. */
static uint32_t drain(rt_pool *pool, const region *job, uint32_t generation, int owner, int worker)
{
    _Atomic uint64_t *ticket = &pool->slots[owner].ticket;
    uint32_t ran = 0;
    uint64_t seen = atomic_load_explicit(ticket, memory_order_acquire);
    while ((uint32_t)(seen >> 32) == generation && (seen >> 16 & 0xffff) < (seen & 0xffff)) {
        if (!atomic_compare_exchange_weak_explicit(ticket, &seen, seen + 0x10000,
                                                   memory_order_acq_rel, memory_order_acquire))
            continue;
        int64_t chunk = (int64_t)(seen >> 16 & 0xffff);
        job->task(job->context, chunk_begin(job, chunk), chunk_begin(job, chunk + 1), worker);
        ran++;
        seen = atomic_load_explicit(ticket, memory_order_acquire);
    }
    return ran;
}

/* Own share first, then everybody else's. */
static uint32_t work(rt_pool *pool, const region *job, uint32_t generation, int worker)
{
    uint32_t ran = 0;
    for (int i = 0; i < pool->threads; i++) {
        int owner = worker + i < pool->threads ? worker + i : worker + i - pool->threads;
        ran += drain(pool, job, generation, owner, worker);
    }
    return ran;
}

static void finish(rt_pool *pool, uint32_t ran)
{
    if (ran == 0) return;
    atomic_fetch_add(&pool->done, ran);
    if (atomic_load(&pool->caller_sleeps)) word_wake(&pool->done, 1);
}

/* Waits for a generation after `last`: spins a little, then sleeps. */
static uint32_t next_generation(rt_pool *pool, uint32_t last)
{
    uint32_t generation = atomic_load_explicit(&pool->generation, memory_order_acquire);
    for (int spin = 0; generation == last && spin < SPIN_WORKER; spin++) {
        cpu_pause();
        generation = atomic_load_explicit(&pool->generation, memory_order_acquire);
    }
    if (generation != last) return generation;
    atomic_fetch_add(&pool->sleepers, 1);
    while ((generation = atomic_load(&pool->generation)) == last)
        word_wait(&pool->generation, last, 0);
    atomic_fetch_sub(&pool->sleepers, 1);
    return generation;
}

static void *worker_main(void *argument)
{
    pool_worker *self = argument;
    rt_pool *pool = self->pool;
    uint32_t generation = 0;
#ifdef __linux__
    atomic_store(&self->thread, (pid_t)syscall(SYS_gettid));
#endif
    for (;;) {
        generation = next_generation(pool, generation);
        if (atomic_load_explicit(&pool->quit, memory_order_relaxed)) return NULL;
        come_back(self);
        leave_caller(self);
        region job = {
            .task = atomic_load_explicit(&pool->task, memory_order_relaxed),
            .context = atomic_load_explicit(&pool->context, memory_order_relaxed),
            .n = atomic_load_explicit(&pool->n, memory_order_relaxed),
            .chunks = atomic_load_explicit(&pool->chunks, memory_order_relaxed),
        };
        atomic_store_explicit(&self->active, 1, memory_order_relaxed);
        uint32_t ran = work(pool, &job, generation, self->index);
        atomic_store_explicit(&self->active, 0, memory_order_relaxed);
        finish(pool, ran);
        come_back(self);
    }
}

/* All chunks are taken; waits for those that workers took. */
static void wait_done(rt_pool *pool, uint32_t chunks)
{
    uint32_t done = atomic_load_explicit(&pool->done, memory_order_acquire);
    int stuck = 0;
    for (int look = 0; done != chunks && !stuck && look < CALLER_LOOKS; look++) {
        for (int spin = 0; done != chunks && spin < SPIN_CALLER; spin++) {
            cpu_pause();
            done = atomic_load_explicit(&pool->done, memory_order_acquire);
        }
        stuck = done != chunks && rescue(pool);
    }
    if (done == chunks) return;
    atomic_store(&pool->caller_sleeps, 1);
    while ((done = atomic_load(&pool->done)) != chunks) {
        word_wait(&pool->done, done, NAP_NS);
        if (atomic_load(&pool->done) == done) rescue(pool);
    }
    atomic_store(&pool->caller_sleeps, 0);
}

void rt_parallel(rt_pool *pool, rt_task task, void *context, int64_t n, int64_t grain)
{
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    int expected = 0;
    if (!pool || pool->threads == 1 || n < 2 * grain ||
        !atomic_compare_exchange_strong_explicit(&pool->busy, &expected, 1, memory_order_acquire,
                                                 memory_order_relaxed)) {
        task(context, 0, n, 0);
        return;
    }
    int64_t wanted = (int64_t)pool->threads * CHUNKS_PER_THREAD;
    int64_t chunks = n / grain < wanted ? n / grain : wanted;
    region job = {task, context, n, chunks};
    atomic_store_explicit(&pool->task, task, memory_order_relaxed);
    atomic_store_explicit(&pool->context, context, memory_order_relaxed);
    atomic_store_explicit(&pool->n, n, memory_order_relaxed);
    atomic_store_explicit(&pool->chunks, chunks, memory_order_relaxed);
    atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
#ifdef __linux__
    atomic_store_explicit(&pool->caller_cpu, sched_getcpu(), memory_order_relaxed);
#endif
    uint32_t generation = atomic_load_explicit(&pool->generation, memory_order_relaxed) + 1;
    for (int i = 0; i < pool->threads; i++)
        atomic_store_explicit(&pool->slots[i].ticket,
                              ticket_make(generation, chunks, pool->threads, i),
                              memory_order_release);
    atomic_store(&pool->generation, generation);
    if (atomic_load(&pool->sleepers)) word_wake(&pool->generation, (int)(chunks - 1));
    uint32_t ran = work(pool, &job, generation, 0);
    atomic_fetch_add(&pool->done, ran);
    wait_done(pool, (uint32_t)chunks);
    atomic_store_explicit(&pool->busy, 0, memory_order_release);
}

/* ---- pools ---- */

static int default_threads(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void pool_free(rt_pool *pool, int join)
{
    atomic_store(&pool->quit, 1);
    atomic_fetch_add(&pool->generation, 1);
    word_wake(&pool->generation, MAX_THREADS);
    for (int i = 1; join && i <= pool->started; i++) pthread_join(pool->workers[i].handle, NULL);
    free(pool->slots);
    free(pool->workers);
    free(pool);
}

static int worker_start(rt_pool *pool, int index)
{
    pool_worker *self = &pool->workers[index];
    self->pool = pool;
    self->index = index;
#ifdef __linux__
    if (sched_getaffinity(0, sizeof self->allowed, &self->allowed) != 0) CPU_ZERO(&self->allowed);
#endif
    if (pthread_create(&self->handle, NULL, worker_main, self) != 0) return 0;
#ifdef __linux__
    pthread_getcpuclockid(self->handle, &self->clock);
#endif
    pool->started = index;
    return 1;
}

static rt_pool *pool_make(int threads)
{
    rt_pool *pool = aligned_alloc(2 * CACHE_LINE, (sizeof *pool + 127) / 128 * 128);
    if (!pool) return NULL;
    memset(pool, 0, sizeof *pool);
    pool->threads = threads;
    pool->slots = aligned_alloc(2 * CACHE_LINE, (size_t)threads * sizeof *pool->slots);
    pool->workers = aligned_alloc(2 * CACHE_LINE, (size_t)threads * sizeof *pool->workers);
    if (!pool->slots || !pool->workers) {
        pool_free(pool, 1);
        return NULL;
    }
    memset(pool->slots, 0, (size_t)threads * sizeof *pool->slots);
    memset(pool->workers, 0, (size_t)threads * sizeof *pool->workers);
    for (int i = 1; i < threads; i++)
        if (!worker_start(pool, i)) break; /* fewer workers: their shares are stolen */
    return pool;
}

rt_pool *rt_pool_get(int threads)
{
    if (threads <= 0) threads = default_threads();
    if (threads == 1) return &serial_pool;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    pthread_mutex_lock(&pools_lock);
    if (pools && pools_owner != getpid())
        pools = NULL; /* forked: the workers stayed in the parent */
    rt_pool *pool = pools;
    while (pool && pool->threads != threads) pool = pool->next;
    if (!pool && (pool = pool_make(threads))) {
        pools_owner = getpid();
        pool->next = pools;
        pools = pool;
#ifndef __GNUC__
        if (!shuts_down_at_exit) shuts_down_at_exit = atexit(rt_pool_shutdown) == 0;
#endif
    }
    pthread_mutex_unlock(&pools_lock);
    return pool;
}

int rt_pool_threads(const rt_pool *pool)
{
    return pool ? pool->threads : 1;
}

#ifdef __GNUC__
__attribute__((destructor))
#endif
void rt_pool_shutdown(void)
{
    pthread_mutex_lock(&pools_lock);
    int same_process = pools_owner == getpid();
    while (pools) {
        rt_pool *pool = pools;
        pools = pool->next;
        if (same_process) pool_free(pool, 1);
    }
    pthread_mutex_unlock(&pools_lock);
    rt_scratch_release();
}

#endif
