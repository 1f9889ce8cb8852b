/* rt_overlap.c - do two strided tensors have elements in one byte? Their ranges may meet where they do not:
 * keys and values in turns in one cache.
 *
 * The places of both are sums of steps; they meet where such a sum comes as near to the distance of their
 * beginnings as an element is long. Equal steps count together, and the longest come first, so that few
 * counts of each are left to try.
 */
#include "rt_entry.h"

enum { MOST_TRIES = 20000 };

typedef struct step {
    int64_t bytes, most; /* it is taken at most so often */
} step;

typedef struct steps {
    step at[2 * RT_MAX_RANK];
    uint32_t count;
    int64_t shift; /* between the beginnings */
} steps;

static void add_step(steps *s, int64_t bytes, int64_t most)
{
    uint32_t k = 0;
    while (k < s->count && s->at[k].bytes > bytes) k++;
    if (k < s->count && s->at[k].bytes == bytes) {
        s->at[k].most += most;
        return;
    }
    for (uint32_t i = s->count++; i > k; i--) s->at[i] = s->at[i - 1];
    s->at[k] = (step){bytes, most};
}

static void add_tensor(steps *s, const fe_tensor *t, int64_t sign)
{
    int64_t element = (int64_t)rt_dtype_bytes(t->dtype);
    for (uint32_t d = 0; d < t->rank; d++) {
        int64_t bytes = sign * rt_stride(t, d) * element, most = t->sizes[d] - 1;
        if (bytes == 0 || most == 0) continue;
        if (bytes < 0) s->shift += bytes * most;
        add_step(s, bytes < 0 ? -bytes : bytes, most);
    }
}

/* Is there a sum of steps from number k on in [low, high]? */
static int reaches(const steps *s, uint32_t k, int64_t low, int64_t high, int *tries)
{
    if (high < 0) return 0;
    if (low <= 0) return 1;
    if (k == s->count) return 0;
    int64_t rest = 0, bytes = s->at[k].bytes, most = high / bytes;
    for (uint32_t i = k + 1; i < s->count; i++) rest += s->at[i].bytes * s->at[i].most;
    if (most > s->at[k].most) most = s->at[k].most;
    int64_t times = low > rest ? (low - rest + bytes - 1) / bytes : 0;
    for (; times <= most; times++)
        if (--*tries < 0 || reaches(s, k + 1, low - times * bytes, high - times * bytes, tries))
            return 1;
    return 0;
}

int rt_elements_meet(const fe_tensor *a, const fe_tensor *b)
{
    int tries = MOST_TRIES;
    steps s = {.shift = (int64_t)((intptr_t)a->data - (intptr_t)b->data)};
    add_tensor(&s, a, 1);
    add_tensor(&s, b, -1);
    return reaches(&s, 0, 1 - (int64_t)rt_dtype_bytes(a->dtype) - s.shift,
                   (int64_t)rt_dtype_bytes(b->dtype) - 1 - s.shift, &tries);
}
