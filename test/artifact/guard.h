/* guard.h -- memory that ends at a page which cannot be touched, or begins right behind one. malloc and its
 * kin, mmap and munmap are replaced: while `guarding` is set, what they give is such memory. The artifact's
 * calls resolve to these when the program is linked with -rdynamic.
 */
#ifndef TEST_GUARD_H
#define TEST_GUARD_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

enum { GUARD_PAGE = 4096, MOST_GUARDED = 20000 };

enum guard_side { GUARD_NONE, GUARD_AFTER, GUARD_BEFORE };
static volatile int guarding; /* a guard_side */

typedef struct guarded {
    char *at;
    size_t bytes, mapped;
    char *pages;
} guarded;

static guarded guarded_list[MOST_GUARDED];
static size_t guarded_count;
static pthread_mutex_t guard_lock = PTHREAD_MUTEX_INITIALIZER;

static void *map_pages(size_t bytes)
{
    void *at = (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* Zeroed. With GUARD_AFTER the last byte is the last before the page, but for what `alignment` takes. */
static void *guard_new(size_t bytes, size_t alignment, int side)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t room = (bytes + GUARD_PAGE - 1) / GUARD_PAGE * GUARD_PAGE;
    size_t mapped = room + 2 * GUARD_PAGE;
    char *pages = map_pages(mapped);
    if (!pages) return NULL;
    char *first = pages + GUARD_PAGE, *end = first + room;
    mprotect(pages, GUARD_PAGE, PROT_NONE);
    mprotect(end, GUARD_PAGE, PROT_NONE);
    char *at = side == GUARD_AFTER ? end - (bytes + alignment - 1) / alignment * alignment : first;
    pthread_mutex_lock(&guard_lock);
    if (guarded_count < MOST_GUARDED)
        guarded_list[guarded_count++] = (guarded){at, bytes, mapped, pages};
    pthread_mutex_unlock(&guard_lock);
    return at;
}

/* Takes it from the list; at NULL: it is not of it. */
static guarded guard_take(const void *at)
{
    guarded found = {0};
    pthread_mutex_lock(&guard_lock);
    for (size_t k = guarded_count; at && k-- > 0;)
        if (guarded_list[k].at == at) {
            found = guarded_list[k];
            guarded_list[k] = guarded_list[--guarded_count];
            break;
        }
    pthread_mutex_unlock(&guard_lock);
    return found;
}

/* What is given back stays mapped, untouchable: who uses it afterwards is seen too. */
static int guard_free(const void *at)
{
    guarded g = guard_take(at);
    if (g.at) mprotect(g.pages, g.mapped, PROT_NONE);
    return g.at != NULL;
}

enum { MALLOC_ALIGNMENT = 16 };

void *malloc(size_t n)
{
    return guarding ? guard_new(n, MALLOC_ALIGNMENT, guarding) : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    if (!guarding) return __libc_calloc(n, size);
    size_t bytes;
    return __builtin_mul_overflow(n, size, &bytes) ? NULL
                                                   : guard_new(bytes, MALLOC_ALIGNMENT, guarding);
}

void *memalign(size_t alignment, size_t n)
{
    if (!guarding) return __libc_memalign(alignment, n);
    return guard_new(n, alignment > GUARD_PAGE ? GUARD_PAGE : alignment, guarding);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    *out = memalign(guarding && alignment > 64 ? 64 : alignment, n); /* huge pages are no need */
    return *out ? 0 : ENOMEM;
}

void free(void *at)
{
    if (guarded_count == 0 || !guard_free(at)) __libc_free(at);
}

void *realloc(void *at, size_t n)
{
    guarded old = guard_take(at);
    if (!old.at && (!guarding || at)) return __libc_realloc(at, n);
    void *moved = guard_new(n, MALLOC_ALIGNMENT, guarding ? guarding : GUARD_AFTER);
    if (old.at && moved) memcpy(moved, old.at, old.bytes < n ? old.bytes : n);
    if (old.at) mprotect(old.pages, old.mapped, PROT_NONE);
    return moved;
}

/* Weights are read into such memory too. */
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (!guarding || at)
        return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
    char *memory = guard_new(bytes, 64, guarding);
    for (size_t done = 0; memory && file >= 0 && done < bytes;) {
        ssize_t got = pread(file, memory + done, bytes - done, offset + (off_t)done);
        if (got <= 0) break;
        done += (size_t)got;
    }
    return memory ? memory : MAP_FAILED;
}

int munmap(void *at, size_t bytes)
{
    return guard_free(at) ? 0 : (int)syscall(SYS_munmap, at, bytes);
}

#endif
