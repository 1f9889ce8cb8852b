/* map.c -- hash map from 64-bit keys to 32-bit values, and the one hash of bytes.
 *
 * Open addressing with linear probing. Removal shifts the following entries back (Knuth 6.4,
 * algorithm R), so there are no tombstones and a lookup always ends at the first free slot.
 */
#include "base/base.h"

#include <string.h>

/* Finaliser of MurmurHash3: every bit of the key reaches every bit of the result. */
static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdull;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return h ^ (h >> 33);
}

uint64_t hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    uint64_t h = mix(seed + bytes + 0x9E3779B97F4A7C15ull);
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        h = mix(h ^ word) + 0x9E3779B97F4A7C15ull;
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < bytes; i++) tail |= (uint64_t)at[i] << (8 * i);
    return mix(h ^ tail);
}

static uint32_t home(const map *m, uint64_t key)
{
    return (uint32_t)mix(key) & (m->capacity - 1);
}

/* The slot that holds `key`, or the free one where it belongs. */
static uint32_t find(const map *m, uint64_t key)
{
    uint32_t i = home(m, key);
    while (m->used[i] && m->keys[i] != key) i = (i + 1) & (m->capacity - 1);
    return i;
}

uint32_t map_get(const map *m, uint64_t key)
{
    if (m->count == 0) return MAP_NONE;
    uint32_t i = find(m, key);
    return m->used[i] ? m->values[i] : MAP_NONE;
}

static void put(map *m, uint64_t key, uint32_t value)
{
    uint32_t i = find(m, key);
    m->count += !m->used[i];
    m->used[i] = 1;
    m->keys[i] = key;
    m->values[i] = value;
}

static void grow(arena *a, map *m)
{
    map bigger = {.capacity = m->capacity ? m->capacity * 2 : 16};
    CHECK(arena_session(a), bigger.capacity > m->capacity);
    bigger.keys = NEW_ARRAY(a, uint64_t, bigger.capacity);
    bigger.values = NEW_ARRAY(a, uint32_t, bigger.capacity);
    bigger.used = NEW_ARRAY(a, uint8_t, bigger.capacity);
    for (uint32_t i = 0; i < m->capacity; i++)
        if (m->used[i]) put(&bigger, m->keys[i], m->values[i]);
    *m = bigger;
}

void map_set(arena *a, map *m, uint64_t key, uint32_t value)
{
    CHECK(arena_session(a), value != MAP_NONE);
    if ((uint64_t)m->count * 4 >= (uint64_t)m->capacity * 3) grow(a, m);
    put(m, key, value);
}

bool map_remove(map *m, uint64_t key)
{
    if (m->count == 0) return false;
    uint32_t hole = find(m, key);
    if (!m->used[hole]) return false;
    uint32_t last = m->capacity - 1;
    for (uint32_t i = (hole + 1) & last; m->used[i]; i = (i + 1) & last) {
        /* An entry may move into the hole unless its home lies cyclically after it. */
        if (((i - home(m, m->keys[i])) & last) < ((i - hole) & last)) continue;
        m->keys[hole] = m->keys[i];
        m->values[hole] = m->values[i];
        hole = i;
    }
    m->used[hole] = 0;
    m->count--;
    return true;
}

map map_copy(arena *a, const map *m)
{
    map copy = *m;
    copy.keys = arena_copy(a, m->keys, m->capacity * sizeof *m->keys);
    copy.values = arena_copy(a, m->values, m->capacity * sizeof *m->values);
    copy.used = arena_copy(a, m->used, m->capacity * sizeof *m->used);
    return copy;
}
