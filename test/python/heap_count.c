/* heap_count.c -- counts the bytes that a process holds: preloaded, it stands in front of malloc and its
 * kin and of mmap. Made and used by measure_held.py, which says what is counted.
 *
 * It is state of the whole process by its nature. Frees of what was there before the count began do
 * not count. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRIES = 1 << 18, LEAST_PLAIN = 16384, PAGE = 4096 };

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

/* What was handed out since the count began, by its address: a hash table. */
typedef struct entry {
    uintptr_t at; /* 0: none */
    size_t bytes;
    int is_reserved; /* addresses alone: counted as far as pages were touched */
} entry;

static struct {
    pthread_mutex_t lock;
    int is_on;
    int64_t now, most, lost;
    uint32_t used;
    entry entries[ENTRIES];
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t slot_of(uintptr_t at)
{
    return (uint32_t)((at >> 4) * 0x9e3779b97f4a7c15u >> 40) % ENTRIES;
}

static entry *find(uintptr_t at)
{
    uint32_t slot = slot_of(at);
    while (heap.entries[slot].at && heap.entries[slot].at != at) slot = (slot + 1) % ENTRIES;
    return &heap.entries[slot];
}

/* Those behind it that would no longer be found move up. */
static void take_out(entry *gone)
{
    uint32_t hole = (uint32_t)(gone - heap.entries), slot = hole;
    for (;;) {
        slot = (slot + 1) % ENTRIES;
        if (!heap.entries[slot].at) break;
        uint32_t home = slot_of(heap.entries[slot].at);
        if ((slot - home) % ENTRIES < (slot - hole) % ENTRIES) continue;
        heap.entries[hole] = heap.entries[slot];
        hole = slot;
    }
    heap.entries[hole] = (entry){0};
    heap.used--;
}

static void gained(void *memory, size_t bytes, int is_reserved)
{
    if (!heap.is_on || !memory) return;
    pthread_mutex_lock(&heap.lock);
    if (heap.used < ENTRIES / 2) {
        *find((uintptr_t)memory) = (entry){(uintptr_t)memory, bytes, is_reserved};
        heap.used++;
        if (!is_reserved) heap.now += (int64_t)bytes;
        if (heap.now > heap.most) heap.most = heap.now;
    } else {
        heap.lost++;
    }
    pthread_mutex_unlock(&heap.lock);
}

static void given_back(void *memory)
{
    if (!heap.is_on || !memory) return;
    pthread_mutex_lock(&heap.lock);
    entry *e = find((uintptr_t)memory);
    if (e->at) {
        if (!e->is_reserved) heap.now -= (int64_t)e->bytes;
        take_out(e);
    }
    pthread_mutex_unlock(&heap.lock);
}

/* ---- what the measuring script calls ---- */

void heap_count_begin(void)
{
    pthread_mutex_lock(&heap.lock);
    memset(heap.entries, 0, sizeof heap.entries);
    heap.now = heap.most = heap.lost = 0;
    heap.used = 0;
    heap.is_on = 1;
    pthread_mutex_unlock(&heap.lock);
}

/* What is held stays counted; the most begins again from there, and is returned. */
int64_t heap_count_again(void)
{
    pthread_mutex_lock(&heap.lock);
    int64_t now = heap.most = heap.now;
    pthread_mutex_unlock(&heap.lock);
    return now;
}

void heap_count_end(void)
{
    heap.is_on = 0;
}

static int64_t touched(const entry *e)
{
    unsigned char in_memory[256];
    int64_t bytes = 0;
    for (size_t at = 0; at < e->bytes; at += sizeof in_memory * PAGE) {
        size_t piece =
            e->bytes - at < sizeof in_memory * PAGE ? e->bytes - at : sizeof in_memory * PAGE;
        if (mincore((char *)e->at + at, piece, in_memory) != 0) return bytes;
        for (size_t page = 0; page * PAGE < piece; page++)
            bytes += (in_memory[page] & 1) ? PAGE : 0;
    }
    return bytes;
}

/* The most since the count began; of addresses that are only reserved, the pages that were touched. -1:
 * there were too many pieces to count. */
int64_t heap_count_most(void)
{
    int64_t reserved = 0;
    for (uint32_t k = 0; k < ENTRIES; k++)
        if (heap.entries[k].is_reserved) reserved += touched(&heap.entries[k]);
    return heap.lost ? -1 : heap.most + reserved;
}

/* ---- in front of libc ---- */

static void *plain(void *memory, size_t bytes)
{
    if (bytes >= LEAST_PLAIN) gained(memory, bytes, 0);
    return memory;
}

void *malloc(size_t bytes)
{
    return plain(__libc_malloc(bytes), bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return plain(__libc_calloc(count, bytes), count * bytes);
}

void *realloc(void *memory, size_t bytes)
{
    given_back(memory);
    return plain(__libc_realloc(memory, bytes), bytes);
}

static void *aligned(size_t alignment, size_t bytes)
{
    void *memory = __libc_memalign(alignment, bytes);
    gained(memory, bytes, 0);
    return memory;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return aligned(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    *out = aligned(alignment, bytes);
    return *out ? 0 : ENOMEM;
}

void free(void *memory)
{
    given_back(memory);
    __libc_free(memory);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *memory = (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
    if (memory != MAP_FAILED && (flags & MAP_ANONYMOUS))
        gained(memory, bytes, (flags & MAP_NORESERVE) || protection == PROT_NONE);
    return memory;
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return mmap(at, bytes, protection, flags, file, offset);
}

int munmap(void *memory, size_t bytes)
{
    given_back(memory);
    return (int)syscall(SYS_munmap, memory, bytes);
}
