/* arena.c -- memory by lifetime: bump allocation in blocks that grow geometrically.
 *
 * An arena is a stack of blocks, newest first. Allocation moves a mark inside the newest block;
 * release moves it back and drops newer blocks. Under AddressSanitizer everything that is not
 * handed out is poisoned and a red zone follows each allocation; other debug builds fill released
 * memory with 0xDD.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes) ASAN_POISON_MEMORY_REGION((at), (bytes))
#define UNPOISON(at, bytes) ASAN_UNPOISON_MEMORY_REGION((at), (bytes))
#define RED_ZONE 16u
#else
#define POISON(at, bytes) ((void)(at), (void)(bytes))
#define UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#define RED_ZONE 0u
#endif

enum { ALIGNMENT = 16 };
static const size_t FIRST_BLOCK = (size_t)64 << 10;
static const size_t LARGEST_STEP = (size_t)32 << 20; /* blocks double up to here */

typedef struct block block;
struct block {
    block *older;
    size_t size; /* of the data, which follows */
    size_t used;
    size_t unused_; /* keeps the data aligned */
};
_Static_assert(sizeof(block) % ALIGNMENT == 0, "data must start aligned");

struct arena {
    fe_session *session;
    block *newest;          /* NULL until the first allocation */
    arena *next, *previous; /* of the session's arenas */
};

static char *data_of(block *b)
{
    return (char *)(b + 1);
}

static void *system_alloc(fe_session *session, size_t bytes)
{
    size_t limit = session->memory_limit ? session->memory_limit : SIZE_MAX;
    bool within = bytes <= limit && session->bytes_in_arenas <= limit - bytes;
    void *at = within ? malloc(bytes) : NULL;
    if (!at) session_no_memory(session);
    session->bytes_in_arenas += bytes;
    if (session->bytes_in_arenas > session->peak_bytes)
        session->peak_bytes = session->bytes_in_arenas;
    return at;
}

static void system_free(fe_session *session, void *at, size_t bytes)
{
    session->bytes_in_arenas -= bytes;
    free(at);
}

arena *arena_new(fe_session *session)
{
    arena *a = system_alloc(session, sizeof *a);
    *a = (arena){.session = session, .next = session->arenas};
    if (a->next) a->next->previous = a;
    session->arenas = a;
    return a;
}

static void drop_newest(arena *a)
{
    block *b = a->newest;
    a->newest = b->older;
    UNPOISON(data_of(b), b->size);
    system_free(a->session, b, sizeof *b + b->size);
}

void arena_free(arena *a)
{
    if (!a) return;
    while (a->newest) drop_newest(a);
    if (a->next) a->next->previous = a->previous;
    *(a->previous ? &a->previous->next : &a->session->arenas) = a->next;
    system_free(a->session, a, sizeof *a);
}

fe_session *arena_session(const arena *a)
{
    return a->session;
}

static void add_block(arena *a, size_t needed)
{
    size_t size = a->newest ? a->newest->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_STEP) size = LARGEST_STEP;
    if (size < needed) size = needed;
    block *b = system_alloc(a->session, sizeof *b + size);
    b->older = a->newest;
    b->size = size;
    b->used = 0;
    POISON(data_of(b), size);
    a->newest = b;
}

void *arena_alloc(arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) session_no_memory(a->session); /* a negative count, most likely */
    size_t taken = (bytes + RED_ZONE + (bytes == 0) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!a->newest || a->newest->size - a->newest->used < taken) add_block(a, taken);
    char *at = data_of(a->newest) + a->newest->used;
    a->newest->used += taken;
    UNPOISON(at, bytes);
    return memset(at, 0, bytes);
}

void *arena_copy(arena *a, const void *data, size_t bytes)
{
    void *at = arena_alloc(a, bytes);
    return bytes ? memcpy(at, data, bytes) : at;
}

char *arena_strdup(arena *a, const char *string)
{
    return arena_copy(a, string, strlen(string) + 1);
}

char *arena_printf(arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    CHECK(a->session, length >= 0);
    char *at = arena_alloc(a, (size_t)length + 1);
    vsnprintf(at, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return at;
}

arena_mark_t arena_mark(arena *a)
{
    return (arena_mark_t){.block = a->newest, .used = a->newest ? a->newest->used : 0};
}

void arena_release(arena *a, arena_mark_t mark)
{
    while (a->newest && a->newest != mark.block) drop_newest(a);
    /* Else the mark is of another arena, or was released before. */
    CHECK(a->session, a->newest == mark.block);
    if (!a->newest) return;
    CHECK(a->session, mark.used <= a->newest->used);
    char *from = data_of(a->newest) + mark.used;
    size_t bytes = a->newest->used - mark.used;
    UNPOISON(from, bytes);
#ifndef NDEBUG
    memset(from, 0xDD, bytes);
#endif
    POISON(from, bytes);
    a->newest->used = mark.used;
}
