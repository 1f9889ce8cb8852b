/* overlap.c -- do strided tensors have elements in one byte? Against all of their elements, one by one. */
#include "../../rt/rt_entry.h"
#include "unit.h"

#include <string.h>

enum { ROOM = 4096, MOST_RANK = 4, TRIALS = 20000 };

static uint32_t state = 1;
static int64_t below(int64_t n)
{
    state = state * 1664525u + 1013904223u;
    return (int64_t)(state >> 8) % n;
}

typedef struct window {
    int64_t sizes[MOST_RANK], strides[MOST_RANK];
    fe_tensor tensor;
} window;

static void draw(window *w, char *memory)
{
    static const uint32_t dtypes[] = {FE_U8, FE_F16, FE_F32, FE_F64};
    w->tensor =
        (fe_tensor){NULL, dtypes[below(4)], (uint32_t)below(MOST_RANK + 1), w->sizes, w->strides};
    int64_t bytes = (int64_t)rt_dtype_bytes(w->tensor.dtype);
    for (uint32_t d = 0; d < w->tensor.rank; d++) {
        w->sizes[d] = 1 + below(4);
        w->strides[d] = below(12) - (below(4) == 0 ? 6 : 0);
    }
    w->tensor.data = memory + ROOM / 2 + below(40) * bytes;
}

/* Marks the bytes of each element, or looks whether one is marked. */
static bool touch(const fe_tensor *t, uint32_t d, const char *at, const char *memory, char *marks,
                  bool looks)
{
    int64_t bytes = (int64_t)rt_dtype_bytes(t->dtype);
    bool found = false;
    for (int64_t i = 0; d < t->rank && i < t->sizes[d]; i++)
        found |= touch(t, d + 1, at + i * t->strides[d] * bytes, memory, marks, looks);
    for (int64_t i = 0; d == t->rank && i < bytes; i++) {
        char *mark = &marks[at - memory + i];
        found |= looks && *mark;
        if (!looks) *mark = 1;
    }
    return found;
}

TEST(overlapping_windows_are_told_from_those_in_turns)
{
    static char memory[ROOM], marks[ROOM];
    int meeting = 0;
    for (int k = 0; k < TRIALS; k++) {
        window a, b;
        draw(&a, memory);
        draw(&b, memory);
        memset(marks, 0, sizeof marks);
        touch(&a.tensor, 0, a.tensor.data, memory, marks, false);
        bool wanted = touch(&b.tensor, 0, b.tensor.data, memory, marks, true);
        meeting += wanted;
        EXPECT_INT(rt_elements_meet(&a.tensor, &b.tensor) != 0, wanted);
    }
    EXPECT(meeting > TRIALS / 10 && meeting < TRIALS * 9 / 10);
}

/* Keys and values of a cache, in turns along a dimension that is not the last. */
TEST(large_windows_in_turns_are_found_apart_at_once)
{
    int64_t sizes[] = {32, 4096, 8, 64}, strides[] = {4096L * 2 * 8 * 64, 2 * 8 * 64, 64, 1};
    fe_tensor keys = {(void *)(intptr_t)4096, FE_F32, 4, sizes, strides}, values = keys;
    values.data = (char *)keys.data + 8 * 64 * sizeof(float);
    EXPECT(!rt_elements_meet(&keys, &values));
    values.data = (char *)values.data - sizeof(float);
    EXPECT(rt_elements_meet(&keys, &values));
}
