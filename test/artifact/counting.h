/* counting.h -- how often the program allocates, and what it has not given back: malloc and its kin are
 * replaced by counting ones. The artifact's calls resolve to them when the program is linked with
 * -rdynamic. The allocation before which `until_failure` is 0 finds no memory. Under a sanitizer, which has
 * its own, the numbers stay 0 and nothing fails. */
#ifndef TEST_COUNTING_H
#define TEST_COUNTING_H

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined __SANITIZE_ADDRESS__
#define IS_SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define IS_SANITIZED
#endif
#endif

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long allocations, blocks_held;
__attribute__((unused)) static atomic_long until_failure = LONG_MAX / 2;

#ifndef IS_SANITIZED
static int is_to_fail(void)
{
    return atomic_fetch_sub(&until_failure, 1) == 0;
}

static void *counted(void *p)
{
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&blocks_held, p != NULL);
    return p;
}

void *malloc(size_t n)
{
    return is_to_fail() ? NULL : counted(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
    return is_to_fail() ? NULL : counted(__libc_calloc(n, size));
}

void *realloc(void *p, size_t n)
{
    atomic_fetch_add(&allocations, 1);
    if (is_to_fail()) return NULL;
    void *moved = __libc_realloc(p, n);
    atomic_fetch_add(&blocks_held, (moved && !p) - (p && n == 0));
    return moved;
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return is_to_fail() ? NULL : counted(__libc_memalign(alignment, n));
}

void *memalign(size_t alignment, size_t n)
{
    return is_to_fail() ? NULL : counted(__libc_memalign(alignment, n));
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
    *out = is_to_fail() ? NULL : counted(__libc_memalign(alignment, n));
    return *out ? 0 : ENOMEM;
}

void free(void *p)
{
    atomic_fetch_sub(&blocks_held, p != NULL);
    __libc_free(p);
}
#endif

/* Descriptors that are open. */
__attribute__((unused)) static long files_held(void)
{
    long count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

#endif
