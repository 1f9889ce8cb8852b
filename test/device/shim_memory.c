/* shim_memory.c -- memory of a device, full of noise, each piece in front of a page that nobody may touch. */
#define _GNU_SOURCE
#include "shim_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct shim_range {
    char *address, *from;
    size_t bytes, mapped;
    struct shim_range *next;
} shim_range;

void shim_memory_begin(shim_memory *m)
{
    pthread_mutex_init(&m->lock, NULL);
    m->ranges = NULL;
}

int shim_memory_end(shim_memory *m)
{
    pthread_mutex_destroy(&m->lock);
    return m->ranges != NULL;
}

void *shim_allocate(shim_memory *m, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (bytes + 63) / 64 * 64;
    shim_range *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->bytes = bytes;
    r->mapped = (size + page - 1) / page * page + page;
    r->from = mmap(NULL, r->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (r->from == MAP_FAILED) {
        free(r);
        return NULL;
    }
    memset(r->from, SHIM_NOISE, r->mapped - page);
    mprotect(r->from + r->mapped - page, page, PROT_NONE);
    r->address = r->from + r->mapped - page - size;
    pthread_mutex_lock(&m->lock);
    r->next = m->ranges;
    m->ranges = r;
    pthread_mutex_unlock(&m->lock);
    return r->address;
}

void shim_release(shim_memory *m, const void *address)
{
    pthread_mutex_lock(&m->lock);
    for (shim_range **at = &m->ranges; *at; at = &(*at)->next) {
        shim_range *r = *at;
        if (r->address != address) continue;
        *at = r->next;
        munmap(r->from, r->mapped);
        free(r);
        break;
    }
    pthread_mutex_unlock(&m->lock);
}

int shim_holds(shim_memory *m, const void *address, size_t bytes)
{
    int found = 0;
    pthread_mutex_lock(&m->lock);
    for (const shim_range *r = m->ranges; r; r = r->next) {
        size_t at = (size_t)((const char *)address - r->address);
        found |= (const char *)address >= r->address && at <= r->bytes && bytes <= r->bytes - at;
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}
