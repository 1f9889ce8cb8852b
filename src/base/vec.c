/* vec.c -- growth of the typed arrays that VEC() declares. The old storage stays in the arena;
 * doubling bounds that waste by the size of the array.
 */
#include "base/base.h"

#include <string.h>

void vec_grow(arena *a, void **at, uint32_t *capacity, uint32_t needed, size_t element_size)
{
    fe_session *session = arena_session(a);
    uint32_t grown = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    if (grown < needed) grown = needed;
    if (grown < 8) grown = 8;
    CHECK(session, needed > *capacity && (size_t)grown <= SIZE_MAX / element_size);

    /* `at` points to a pointer of the element's own type: read and write it as bytes. */
    void *old;
    memcpy(&old, at, sizeof old);
    void *fresh = arena_alloc(a, grown * element_size);
    if (*capacity) memcpy(fresh, old, *capacity * element_size);
    memcpy(at, &fresh, sizeof fresh);
    *capacity = grown;
}
