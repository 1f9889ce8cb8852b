/* shim_block.c -- the threads of a block, each on a stack of its own, in turns.
 *
 * Each goes on to the next barrier, in the order of their numbers and then against it, so that who reads
 * what another writes without a barrier between them finds something else. Where threads of a block do not
 * come to the same barrier, the launch fails and says so. Blocks go from the last to the first, and the last
 * has threads that are too many, as on a device. Memory of a block is noise when it begins.
 */
#define _GNU_SOURCE
#include "shim_block.h"
#include "shim_memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 64 << 10, MOST_THREADS = 1024 };

typedef struct fibre {
    ucontext_t context;
    enum { RUNS, WAITS, ENDED } state;
    int line; /* of the barrier where it waits */
} fibre;

/* Of the process: who launches holds the lock. */
static pthread_mutex_t team_lock = PTHREAD_MUTEX_INITIALIZER;
static fibre team[MOST_THREADS];
static char *stacks;
static unsigned begun; /* threads that have a stack */
static unsigned at_work;
static ucontext_t conductor;
static const shim_launch *work;

static void pause_fibre(int state, int line)
{
    fibre *f = &team[at_work];
    f->state = state;
    f->line = line;
    swapcontext(&f->context, &conductor);
}

static void live(void)
{
    for (;;) {
        work->call(work->data);
        pause_fibre(ENDED, 0);
    }
}

/* Returns when all threads of the block are here. */
static void wait_in_block(int line)
{
    pause_fibre(WAITS, line);
}

void shim_find_blocks(void *handle, shim_blocks *out)
{
    char *(*shared)(size_t * bytes);
    void *found[] = {dlsym(handle, "shim_put"), dlsym(handle, "shim_shared")};
    void (**wait)(int) = dlsym(handle, "shim_wait");
    memcpy(&out->put, &found[0], sizeof found[0]);
    memcpy(&shared, &found[1], sizeof found[1]);
    *wait = wait_in_block;
    out->shared = shared(&out->shared_bytes);
}

static int begin_fibres(unsigned count)
{
    if (count > MOST_THREADS) return 0;
    if (!stacks)
        stacks = mmap(NULL, (size_t)MOST_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) return 0;
    for (; begun < count; begun++) {
        ucontext_t *context = &team[begun].context;
        getcontext(context);
        context->uc_stack.ss_sp = stacks + (size_t)begun * STACK_BYTES;
        context->uc_stack.ss_size = STACK_BYTES;
        context->uc_link = NULL;
        makecontext(context, live, 0);
    }
    return 1;
}

static const char *where(unsigned thread, char *text, size_t bytes)
{
    if (team[thread].state == ENDED)
        snprintf(text, bytes, "thread %u has ended", thread);
    else
        snprintf(text, bytes, "thread %u waits at line %d", thread, team[thread].line);
    return text;
}

/* What is left of the block is given up. */
static int diverged(const shim_launch *w, int64_t number, unsigned thread)
{
    char first[64], other[64];
    snprintf(w->host->message, w->host->message_bytes,
             "%s: threads of block %lld part at a barrier: %s, %s", w->name, (long long)number,
             where(0, first, sizeof first), where(thread, other, sizeof other));
    begun = 0;
    return FE_RUN_BAD_PROCESSOR;
}

static int run_in_step(const shim_launch *w, int64_t number)
{
    unsigned ended = 0;
    for (int phase = 0; !ended; phase++) {
        for (unsigned i = 0; i < w->width; i++) {
            at_work = phase % 2 ? w->width - 1 - i : i;
            w->blocks->put((unsigned)number, at_work, w->width);
            swapcontext(&conductor, &team[at_work].context);
            ended += team[at_work].state == ENDED;
        }
        for (unsigned t = 1; t < w->width; t++)
            if (team[t].state != team[0].state || team[t].line != team[0].line)
                return diverged(w, number, t);
    }
    return 0;
}

/* Without work-groups nobody waits for anybody: one thread after another. */
static int run_alone(const shim_launch *w, int64_t number)
{
    at_work = 0;
    for (unsigned t = w->width; t-- > 0;) {
        w->blocks->put((unsigned)number, t, w->width);
        swapcontext(&conductor, &team[0].context);
        if (team[0].state == ENDED) continue;
        begun = 0;
        snprintf(w->host->message, w->host->message_bytes,
                 "%s: a barrier in a kernel without work-groups", w->name);
        return FE_RUN_BAD_PROCESSOR;
    }
    return 0;
}

int shim_run(const shim_launch *w)
{
    int code = 0;
    pthread_mutex_lock(&team_lock);
    work = w;
    if (!begin_fibres(w->width)) {
        snprintf(w->host->message, w->host->message_bytes, "no stacks for %u threads", w->width);
        code = FE_RUN_NO_MEMORY;
    }
    for (int64_t b = w->count; !code && b-- > 0;) {
        if (w->blocks->shared_bytes) memset(w->blocks->shared, SHIM_NOISE, w->blocks->shared_bytes);
        code = w->is_in_step ? run_in_step(w, b) : run_alone(w, b);
    }
    pthread_mutex_unlock(&team_lock);
    return code;
}
