/* mutate.h -- what changes programs for fuzz.c: texts of all stages, JSON among them, and archives. All
 * choices follow from a random state, so that a number names an input. */
#ifndef TEST_FUZZ_MUTATE_H
#define TEST_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct bytes {
    char *at; /* of malloc; NUL-terminated, beyond `size` */
    size_t size;
} bytes;

typedef struct random_state {
    uint64_t state;
} random_state;

uint64_t random_next(random_state *r);
/* 0 <= result < n, and 0 where n is 0. */
size_t random_below(random_state *r, size_t n);
int random_one_in(random_state *r, size_t n);

void bytes_add(bytes *to, const void *data, size_t size);
bytes bytes_copy(const void *data, size_t size);

/* The text with some tokens, lines and values in brackets dropped, repeated, swapped or replaced: by strange
 * ones, by others of it, by some of `donor`, another text of its kind. */
bytes mutate_text(random_state *r, bytes text, bytes donor);

/* An archive some of whose JSON, data, names, directory or bytes are changed. `donor` is another archive. */
bytes mutate_archive(random_state *r, bytes archive, bytes donor);

#endif
