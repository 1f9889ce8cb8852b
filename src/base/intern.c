/* intern.c -- one copy of each string in a session, so that names compare by pointer.
 *
 * An open-addressing table with linear probing; it only ever grows, at three quarters full.
 */
#include "base/base.h"

#include <string.h>

typedef struct entry {
    const char *text; /* NULL: free */
    size_t length;
    uint64_t hash;
} entry;

struct interner {
    entry *entries;
    size_t capacity; /* a power of two */
    size_t count;
};

/* The entry that holds the text, or the free one where it belongs. */
static entry *find(const struct interner *in, const char *string, size_t length, uint64_t hash)
{
    for (size_t i = hash;; i++) {
        entry *e = &in->entries[i & (in->capacity - 1)];
        if (!e->text) return e;
        if (e->hash == hash && e->length == length && memcmp(e->text, string, length) == 0)
            return e;
    }
}

static void grow(fe_session *session, struct interner *in)
{
    struct interner bigger = {.capacity = in->capacity ? in->capacity * 2 : 512,
                              .count = in->count};
    bigger.entries = NEW_ARRAY(session->memory, entry, bigger.capacity);
    for (size_t i = 0; i < in->capacity; i++) {
        const entry *e = &in->entries[i];
        if (e->text) *find(&bigger, e->text, e->length, e->hash) = *e;
    }
    *in = bigger;
}

const char *intern_n(fe_session *session, const char *string, size_t length)
{
    if (!session->names) session->names = NEW(session->memory, struct interner);
    struct interner *in = session->names;
    if (in->count * 4 >= in->capacity * 3) grow(session, in);

    uint64_t hash = hash_bytes(string, length, 0);
    entry *e = find(in, string, length, hash);
    if (e->text) return e->text;
    char *copy = arena_alloc(session->memory, length + 1);
    if (length) memcpy(copy, string, length);
    *e = (entry){.text = copy, .length = length, .hash = hash};
    in->count++;
    return copy;
}

const char *intern(fe_session *session, const char *string)
{
    return intern_n(session, string, strlen(string));
}
