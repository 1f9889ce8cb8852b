/* counting.h -- how often the program allocates: malloc and its kin are replaced by counting ones. The
 * artifact's calls resolve to them when the program is linked with -rdynamic. */
#ifndef TEST_COUNTING_H
#define TEST_COUNTING_H

#include <stdatomic.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static atomic_long allocations;

#ifndef __SANITIZE_ADDRESS__ /* which has its own */
void *malloc(size_t n)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, n);
}
#endif

#endif
