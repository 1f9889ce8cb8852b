/* rt_fourier_tables.c - tables of lengths that are known when a program is compiled: a context has them from
 * the beginning, and what they take can be told without making any. */
#include "rt_fourier.h"
#include "rt_program.h"

#include <stdlib.h>

static void drop(const void **held, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (held[k]) rt_fft_plan_put(held[k]);
}

static int hold(const rt_fft_shape *transforms, uint32_t count, const void **held)
{
    for (uint32_t k = 0; k < count; k++) {
        rt_fft_key key = rt_fft_key_of(&transforms[k]);
        held[k] = rt_fft_plan_get(&key);
        if (held[k]) continue;
        drop(held, k);
        return -1;
    }
    return 0;
}

const rt_tables rt_fourier_tables = {.hold = hold, .drop = drop, .bytes = rt_fft_plans_bytes};

/* ---- ahead ---- */

typedef struct key_set {
    rt_fft_key *keys;
    uint32_t count;
    size_t bytes; /* of their tables */
} key_set;

static void add_key(key_set *set, rt_fft_key key)
{
    for (uint32_t k = 0; k < set->count; k++)
        if (rt_fft_same_key(&set->keys[k], &key)) return;
    set->keys[set->count++] = key;
    set->bytes += rt_fft_plan_bytes(&key);
}

static size_t bytes_by(key_set *set, const rt_fft_shape *transforms, uint32_t count, int64_t vector)
{
    *set = (key_set){.keys = set->keys};
    for (uint32_t k = 0; k < count; k++) {
        const rt_fft_shape *s = &transforms[k];
        int64_t bytes = vector ? vector : rt_fft_real_bytes(s);
        rt_fft_key key = {s->length, s->is_double, rt_fft_goes_across(s, bytes), s->is_half,
                          (int)bytes};
        add_key(set, key);
        if (!rt_fft_is_smooth(key.length)) add_key(set, rt_fft_inner_key(&key));
    }
    return set->bytes;
}

int64_t rt_fft_tables_bytes(const rt_fft_shape *transforms, uint32_t count)
{
    static const int64_t VECTORS[] = {0, 16, 32, 64}; /* 0: none */
    key_set set = {.keys = calloc(2 * (size_t)count + 1, sizeof *set.keys)};
    size_t most = 0;
    for (size_t k = 0; set.keys && k < sizeof VECTORS / sizeof *VECTORS; k++) {
        size_t bytes = bytes_by(&set, transforms, count, VECTORS[k]);
        if (bytes > most) most = bytes;
    }
    free(set.keys);
    return (int64_t)most;
}
